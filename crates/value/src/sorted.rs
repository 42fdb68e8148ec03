//! Small maps and sets in the order of their keys.
//!
//! They are sorted lists: of a few hundred bytes of code for each type, where a tree costs ten thousand.
//! A key in the middle moves what lies behind it, so they are for what stays below some thousand entries, or
//! mostly grows at its end; what has no such limit is a `BTreeMap`.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::slice;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::pairs::{Entry, Pairs, PairsMut, Slots};

/// Binary search that is compiled once: `compare` says how the item at a place lies to what is looked for.
#[inline(never)]
fn search(len: usize, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, len);
    // What comes in order goes to the end.
    if let Some(last) = len.checked_sub(1) {
        match compare(last) {
            Ordering::Less => return Err(len),
            Ordering::Equal => return Ok(last),
            Ordering::Greater => high = last,
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

/// A map in the order of its keys, with the methods of a `BTreeMap`.
///
/// ```
/// use throughline_value::SortedMap;
/// let mut map = SortedMap::from([("b", 2), ("a", 1)]);
/// *map.entry("c").or_default() += 3;
/// assert_eq!(map.keys().copied().collect::<String>(), "abc");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> SortedMap<K, V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Keys and values.
    #[must_use]
    pub fn iter(&self) -> Pairs<'_, K, V> {
        Pairs(self.entries.iter())
    }

    /// Keys, and values to be changed.
    pub fn iter_mut(&mut self) -> PairsMut<'_, K, V> {
        PairsMut(self.entries.iter_mut())
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The keys alone.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|(key, _)| key)
    }

    /// The values alone.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// The first entry.
    #[must_use]
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.entries.first().map(|(key, value)| (key, value))
    }

    /// The last entry.
    #[must_use]
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.entries.last().map(|(key, value)| (key, value))
    }

    /// Keeps what `keep` says.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    #[inline(never)]
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        search(self.entries.len(), &mut |at| self.entries.get(at).map_or(Ordering::Greater, |e| e.0.borrow().cmp(key)))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.get(self.place(key).ok()?).map(|(_, value)| value)
    }

    /// The key as it is kept, and its value.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.entries.get(self.place(key).ok()?).map(|(key, value)| (key, value))
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Whether there is such a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    #[inline(never)]
    fn set(&mut self, key: K, value: V) {
        self.insert(key, value);
    }

    /// Sets the value of a key and gives back the one before.
    #[inline(never)]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => self.entries.get_mut(place).map(|(_, old)| std::mem::replace(old, value)),
            Err(place) => {
                self.entries.insert(place, (key, value));
                None
            }
        }
    }

    /// Takes a key out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        Some(self.entries.remove(place).1)
    }

    /// The place of a key, to be filled or changed.
    pub fn entry(&mut self, key: K) -> Entry<'_, Self> {
        let place = self.place(&key);
        Entry { map: self, key, place }
    }

    /// The entries from one key to another.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Pairs<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let at = |key: &Q, after: bool| match self.place(key) {
            Ok(place) => place + usize::from(after),
            Err(place) => place,
        };
        let from = match range.start_bound() {
            Bound::Included(key) => at(key, false),
            Bound::Excluded(key) => at(key, true),
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(key) => at(key, true),
            Bound::Excluded(key) => at(key, false),
            Bound::Unbounded => self.entries.len(),
        };
        Pairs(self.entries.get(from..to).unwrap_or_default().iter())
    }
}

impl<K: Ord, V> Slots for SortedMap<K, V> {
    type Key = K;
    type Value = V;

    #[expect(clippy::indexing_slicing, reason = "the place was found")]
    fn taken(&mut self, place: usize) -> &mut V {
        &mut self.entries[place].1
    }

    fn put(&mut self, place: usize, key: K, value: V) -> &mut V {
        self.entries.insert(place, (key, value));
        self.taken(place)
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.set(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

impl<K: Ord, V, const COUNT: usize> From<[(K, V); COUNT]> for SortedMap<K, V> {
    fn from(pairs: [(K, V); COUNT]) -> Self {
        Vec::from(pairs).into_iter().collect()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Pairs<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SortedVisitor(PhantomData))
    }
}

struct SortedVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for SortedVisitor<K, V> {
    type Value = SortedMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<SortedMap<K, V>, A::Error> {
        let mut map = SortedMap::new();
        while let Some(key) = entries.next_key()? {
            map.insert(key, entries.next_value()?);
        }
        Ok(map)
    }
}

/// A set in order, with the methods of a `BTreeSet`.
///
/// ```
/// use throughline_value::SortedSet;
/// let set: SortedSet<_> = ["pear", "fig", "pear"].into_iter().collect();
/// assert_eq!(set.iter().copied().collect::<Vec<_>>(), ["fig", "pear"]);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortedSet<T> {
    items: Vec<T>,
}

impl<T> SortedSet<T> {
    /// An empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// The items.
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The least item.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.items.first()
    }

    /// The greatest item.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.items.last()
    }

    /// Keeps what `keep` says.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.items.retain(keep);
    }
}

impl<T: Ord> SortedSet<T> {
    #[inline(never)]
    fn place<Q: Ord + ?Sized>(&self, item: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        search(self.items.len(), &mut |at| self.items.get(at).map_or(Ordering::Greater, |i| i.borrow().cmp(item)))
    }

    /// Whether the item is in it.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(item).is_ok()
    }

    /// Puts an item in; whether it was not there.
    #[inline(never)]
    pub fn insert(&mut self, item: T) -> bool {
        let place = self.place(&item);
        if let Err(place) = place {
            self.items.insert(place, item);
        }
        place.is_err()
    }

    /// Takes an item out; whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let place = self.place(item);
        if let Ok(place) = place {
            self.items.remove(place);
        }
        place.is_ok()
    }

    /// What is in this set and not in `other`.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.items.iter().filter(|item| !other.contains(*item))
    }

    /// Whether the two have nothing in common.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.items.iter().any(|item| other.contains(item))
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.items).finish()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const COUNT: usize> From<[T; COUNT]> for SortedSet<T> {
    fn from(items: [T; COUNT]) -> Self {
        Vec::from(items).into_iter().collect()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn they_do_what_the_trees_of_the_standard_library_do(
            steps in proptest::collection::vec((0u8..3, 0u8..40, any::<u8>()), 0..200),
            from in 0u8..40,
            to in 0u8..40,
        ) {
            let (mut ours, mut theirs) = (SortedMap::new(), BTreeMap::new());
            let (mut set, mut tree) = (SortedSet::new(), BTreeSet::new());
            for (step, key, value) in steps {
                match step {
                    0 => {
                        prop_assert_eq!(ours.insert(key, value), theirs.insert(key, value));
                        prop_assert_eq!(set.insert(key), tree.insert(key));
                    }
                    1 => {
                        prop_assert_eq!(ours.remove(&key), theirs.remove(&key));
                        prop_assert_eq!(set.remove(&key), tree.remove(&key));
                    }
                    _ => *ours.entry(key).or_default() = *theirs.entry(key).or_insert(value),
                }
                prop_assert!(ours.iter().eq(theirs.iter()));
                prop_assert!(set.iter().eq(tree.iter()));
            }
            let (from, to) = (from.min(to), from.max(to));
            prop_assert!(ours.range(from..to).eq(theirs.range(from..to)));
            prop_assert!(ours.range(from..=to).rev().eq(theirs.range(from..=to).rev()));
            prop_assert!(ours.range(from..).eq(theirs.range(from..)));
            prop_assert_eq!((0..40).filter(|key| ours.get(key) != theirs.get(key)).count(), 0);
            let other = SortedSet::from([from, to]);
            prop_assert!(set.difference(&other).eq(tree.difference(&BTreeSet::from([from, to]))));
            prop_assert_eq!(set.is_disjoint(&other), tree.is_disjoint(&BTreeSet::from([from, to])));
        }
    }
}
