//! What the small containers have in common: pairs in a row, and their iterator.

use std::slice;

/// The pairs of a [`Named`](crate::Named) or a [`SortedMap`](crate::SortedMap), in its order.
#[derive(Debug)]
pub struct Pairs<'a, K, V>(pub(crate) slice::Iter<'a, (K, V)>);

impl<K, V> Clone for Pairs<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, K, V> Iterator for Pairs<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Pairs<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<K, V> ExactSizeIterator for Pairs<'_, K, V> {}

/// The pairs of a map, their values to be changed, in its order.
#[derive(Debug)]
pub struct PairsMut<'a, K, V>(pub(crate) slice::IterMut<'a, (K, V)>);

impl<'a, K, V> Iterator for PairsMut<'a, K, V> {
    type Item = (&'a K, &'a mut V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&*key, value))
    }
}

/// The place of one key in a map: taken, or where it would go.
#[derive(Debug)]
pub struct Entry<'a, M: Slots> {
    pub(crate) map: &'a mut M,
    pub(crate) key: M::Key,
    pub(crate) place: Result<usize, usize>,
}

/// A map whose pairs have places.
pub trait Slots {
    /// Its keys.
    type Key;
    /// Its values.
    type Value;

    /// The value at a place that is taken.
    fn taken(&mut self, place: usize) -> &mut Self::Value;

    /// Puts a pair where its key belongs.
    fn put(&mut self, place: usize, key: Self::Key, value: Self::Value) -> &mut Self::Value;
}

impl<'a, M: Slots> Entry<'a, M> {
    /// The same, its value changed when there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut M::Value)) -> Self {
        if let Ok(place) = self.place {
            change(self.map.taken(place));
        }
        self
    }

    /// The value; `value` when there was none.
    pub fn or_insert(self, value: M::Value) -> &'a mut M::Value {
        self.or_insert_with(|| value)
    }

    /// The value; what `value` gives when there was none.
    pub fn or_insert_with(self, value: impl FnOnce() -> M::Value) -> &'a mut M::Value {
        match self.place {
            Ok(place) => self.map.taken(place),
            Err(place) => self.map.put(place, self.key, value()),
        }
    }

    /// The value; the default when there was none.
    pub fn or_default(self) -> &'a mut M::Value
    where
        M::Value: Default,
    {
        self.or_insert_with(M::Value::default)
    }
}
