//! Named values in the order they were given.
//!
//! Most maps have a dozen names: they are looked for one after the other. Above that a table of places is
//! kept beside them. Everything that does not depend on the values is compiled once, and an empty or small
//! map is as small as a list.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::marker::PhantomData;
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::InOrder as _;
use crate::pairs::{Entry, Pairs, PairsMut, Slots};

/// Up to this many names are looked through without a table.
const WITHOUT_TABLE: usize = 16;
/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// Values by name, in the order they were given; equality does not look at the order.
///
/// ```
/// use throughline_value::Named;
/// let mut ages: Named<i32> = Named::from([("Ada", 36), ("Alan", 41)]);
/// assert_eq!(ages.insert("Ada".to_owned(), 37), Some(36));
/// assert_eq!(ages.iter().map(|(name, age)| format!("{name} {age}")).collect::<Vec<_>>(), ["Ada 37", "Alan 41"]);
/// ```
#[derive(Clone)]
pub struct Named<T, K = String> {
    entries: Vec<(K, T)>,
    table: Option<Box<Table>>,
}

/// Where each name lies, by its hash: places are tried one after the other until one is free.
#[derive(Clone)]
struct Table {
    slots: Vec<u32>,
}

fn hash(name: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    // The low bits are as good as the high ones.
    hasher.finish() as usize
}

impl Table {
    #[inline(never)]
    fn build<'a>(len: usize, names: &dyn Fn(usize) -> &'a str) -> Option<Box<Self>> {
        if len <= WITHOUT_TABLE {
            return None;
        }
        let mut table = Box::new(Self { slots: vec![FREE; (len * 4).next_power_of_two()] });
        for place in 0..len {
            table.add(names(place), place);
        }
        Some(table)
    }

    fn add(&mut self, name: &str, place: usize) {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = hash(name) & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == FREE {
                *slot = u32::try_from(place).unwrap_or(FREE);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    fn find<'a>(&self, name: &str, names: &dyn Fn(usize) -> &'a str) -> Option<usize> {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = hash(name) & mask;
        loop {
            let slot = *self.slots.get(at)?;
            if slot == FREE {
                return None;
            }
            if names(slot as usize) == name {
                return Some(slot as usize);
            }
            at = (at + 1) & mask;
        }
    }
}

#[inline(never)]
fn find<'a>(table: Option<&Table>, len: usize, name: &str, names: &dyn Fn(usize) -> &'a str) -> Option<usize> {
    match table {
        Some(table) => table.find(name, names),
        None => (0..len).find(|place| names(*place) == name),
    }
}

/// Keeps the table right after a pair was put at the end.
#[inline(never)]
fn grown<'a>(table: &mut Option<Box<Table>>, len: usize, names: &dyn Fn(usize) -> &'a str) {
    let last = len.saturating_sub(1);
    match table {
        Some(table) if table.slots.len() >= len * 2 => table.add(names(last), last),
        Some(_) => *table = Table::build(len, names),
        None if len > WITHOUT_TABLE => *table = Table::build(len, names),
        None => {}
    }
}

impl<T, K: Borrow<str>> Named<T, K> {
    /// No names.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), table: None }
    }

    /// No names, with room for some.
    #[must_use]
    pub fn with_capacity(room: usize) -> Self {
        Self { entries: Vec::with_capacity(room), table: None }
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn name(&self, place: usize) -> &str {
        self.entries.get(place).map_or("", |(name, _)| name.borrow())
    }

    /// The place of a name.
    #[must_use]
    pub fn get_index_of(&self, name: &str) -> Option<usize> {
        find(self.table.as_deref(), self.entries.len(), name, &|place| self.name(place))
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.entries.get(self.get_index_of(name)?).map(|(_, value)| value)
    }

    /// The value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let place = self.get_index_of(name)?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// The name and the value at a place.
    #[must_use]
    pub fn get_index(&self, place: usize) -> Option<(&K, &T)> {
        self.entries.get(place).map(|(name, value)| (name, value))
    }

    /// Whether there is such a name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.get_index_of(name).is_some()
    }

    /// Sets the value of a name and gives back the one before; a new name goes to the end.
    #[inline(never)]
    pub fn insert(&mut self, name: K, value: T) -> Option<T> {
        let place = self.get_index_of(name.borrow());
        if let Some((_, old)) = place.and_then(|place| self.entries.get_mut(place)) {
            return Some(std::mem::replace(old, value));
        }
        self.push(name, value);
        None
    }

    #[inline(never)]
    fn set(&mut self, name: K, value: T) {
        self.insert(name, value);
    }

    #[inline(never)]
    fn push(&mut self, name: K, value: T) {
        self.entries.push((name, value));
        let entries = &self.entries;
        grown(&mut self.table, entries.len(), &|place| entries.get(place).map_or("", |(name, _)| name.borrow()));
    }

    fn rebuild(&mut self) {
        self.table = None;
        self.table = Table::build(self.entries.len(), &|place| self.name(place));
    }

    /// The place of a name, to be filled or changed.
    pub fn entry(&mut self, name: K) -> Entry<'_, Self> {
        let place = self.get_index_of(name.borrow()).ok_or(self.entries.len());
        Entry { map: self, key: name, place }
    }

    /// Takes a name out; the others keep their order.
    pub fn shift_remove(&mut self, name: &str) -> Option<T> {
        let place = self.get_index_of(name)?;
        let (_, value) = self.entries.remove(place);
        self.rebuild();
        Some(value)
    }

    /// Keeps what `keep` says.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut T) -> bool) {
        self.entries.retain_mut(|(name, value)| keep(name, value));
        self.rebuild();
    }

    /// Puts the names in order.
    pub fn sort_keys(&mut self) {
        self.entries.order_by(|a, b| a.0.borrow().cmp(b.0.borrow()));
        self.rebuild();
    }

    /// Names and values.
    #[must_use]
    pub fn iter(&self) -> Pairs<'_, K, T> {
        Pairs(self.entries.iter())
    }

    /// Names, and values to be changed.
    pub fn iter_mut(&mut self) -> PairsMut<'_, K, T> {
        PairsMut(self.entries.iter_mut())
    }

    /// The names.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(name, _)| name)
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The names alone.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|(name, _)| name)
    }

    /// The values alone.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// The first name and its value.
    #[must_use]
    pub fn first(&self) -> Option<(&K, &T)> {
        self.get_index(0)
    }

    /// The last name and its value.
    #[must_use]
    pub fn last(&self) -> Option<(&K, &T)> {
        self.get_index(self.entries.len().checked_sub(1)?)
    }
}

impl<T, K: Borrow<str>> Slots for Named<T, K> {
    type Key = K;
    type Value = T;

    #[expect(clippy::indexing_slicing, reason = "the place was found")]
    fn taken(&mut self, place: usize) -> &mut T {
        &mut self.entries[place].1
    }

    fn put(&mut self, place: usize, name: K, value: T) -> &mut T {
        self.push(name, value);
        self.taken(place)
    }
}

impl<T, K> Default for Named<T, K> {
    fn default() -> Self {
        Self { entries: Vec::new(), table: None }
    }
}

impl<T: fmt::Debug, K: fmt::Debug + Borrow<str>> fmt::Debug for Named<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<T: PartialEq, K: Borrow<str>> PartialEq for Named<T, K> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name.borrow()) == Some(value))
    }
}

impl<T: Eq, K: Borrow<str>> Eq for Named<T, K> {}

impl<T> Index<&str> for Named<T> {
    type Output = T;

    #[expect(clippy::expect_used, reason = "as every index; what may be missing is asked for with `get`")]
    fn index(&self, name: &str) -> &T {
        self.get(name).expect("no such name")
    }
}

impl<T, K: Borrow<str>> Extend<(K, T)> for Named<T, K> {
    fn extend<I: IntoIterator<Item = (K, T)>>(&mut self, pairs: I) {
        for (name, value) in pairs {
            self.set(name, value);
        }
    }
}

impl<T, K: Borrow<str>> FromIterator<(K, T)> for Named<T, K> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(pairs: I) -> Self {
        let mut named = Self::default();
        named.extend(pairs);
        named
    }
}

impl<T, K: Borrow<str>, N: Into<K>, const COUNT: usize> From<[(N, T); COUNT]> for Named<T, K> {
    fn from(pairs: [(N, T); COUNT]) -> Self {
        Vec::from(pairs).into_iter().map(|(name, value)| (name.into(), value)).collect()
    }
}

impl<T, K> IntoIterator for Named<T, K> {
    type Item = (K, T);
    type IntoIter = std::vec::IntoIter<(K, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, T, K> IntoIterator for &'a Named<T, K> {
    type Item = (&'a K, &'a T);
    type IntoIter = Pairs<'a, K, T>;

    fn into_iter(self) -> Self::IntoIter {
        Pairs(self.entries.iter())
    }
}

impl<'a, T, K> IntoIterator for &'a mut Named<T, K> {
    type Item = (&'a K, &'a mut T);
    type IntoIter = PairsMut<'a, K, T>;

    fn into_iter(self) -> Self::IntoIter {
        PairsMut(self.entries.iter_mut())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor(PhantomData))
    }
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Named<T>, A::Error> {
        let mut named = Named::new();
        while let Some(name) = entries.next_key::<String>()? {
            named.insert(name, entries.next_value()?);
        }
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indexmap::IndexMap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_does_what_a_map_in_order_of_insertion_does(
            steps in proptest::collection::vec((0u8..3, 0u8..60, any::<u8>()), 0..300),
        ) {
            let (mut ours, mut theirs) = (Named::new(), IndexMap::new());
            for (step, name, value) in steps {
                let name = name.to_string();
                match step {
                    0 => prop_assert_eq!(ours.insert(name.clone(), value), theirs.insert(name, value)),
                    1 => prop_assert_eq!(ours.shift_remove(&name), theirs.shift_remove(&name)),
                    _ => {
                        *ours.entry(name.clone()).or_default() ^= value;
                        *theirs.entry(name).or_default() ^= value;
                    }
                }
                prop_assert!(ours.iter().eq(theirs.iter()));
            }
            for (name, value) in &theirs {
                prop_assert_eq!(ours.get(name), Some(value));
                prop_assert_eq!(ours.get_index_of(name), theirs.get_index_of(name));
            }
            prop_assert_eq!(ours.get("60"), None);
        }
    }

    #[test]
    fn equality_does_not_look_at_the_order() {
        assert_eq!(Named::<_>::from([("a", 1), ("b", 2)]), Named::from([("b", 2), ("a", 1)]));
        assert_ne!(Named::<_>::from([("a", 1)]), Named::from([("a", 2)]));
        assert_ne!(Named::<_>::from([("a", 1)]), Named::from([("b", 1)]));
    }

    #[test]
    fn names_stay_findable_after_sorting_and_retaining() {
        let mut named: Named<usize> = (0..100).rev().map(|i| (format!("{i:03}"), i)).collect();
        named.sort_keys();
        assert!(named.values().copied().eq(0..100));
        named.retain(|_, value| *value % 2 == 0);
        assert_eq!((named.len(), named.get("050"), named.get("051")), (50, Some(&50), None));
    }
}
