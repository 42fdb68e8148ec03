//! Sorting that is compiled once.
//!
//! The standard sort is compiled anew for every type and comparison, at several kilobytes each; in a wasm
//! file that adds up. Lists that are not long or not often sorted are put in order by their places instead,
//! and places, rows and other numbers that stand for something share one sort.

use std::cmp::Ordering;

/// Stable sorting whose code is shared by all types.
///
/// ```
/// use throughline_value::InOrder;
/// let mut words = vec!["pear", "fig", "apple"];
/// words.order_by(|a, b| a.len().cmp(&b.len()));
/// assert_eq!(words, ["fig", "pear", "apple"]);
/// ```
pub trait InOrder<T> {
    /// Sorts by a comparison; equal items keep their order.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by the items themselves.
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }

    /// Sorts by a key; equal items keep their order.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> InOrder<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let places = places(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        arrange(places, &mut |a, b| self.swap(a, b));
    }
}

/// Puts numbers that stand for something in order; the sort is compiled once.
pub fn order_numbers(numbers: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    numbers.sort_by(|a, b| compare(*a, *b));
}

/// Which item belongs at each place.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut places: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
    order_numbers(&mut places, &mut |a, b| compare(a as usize, b as usize));
    places
}

/// Swaps along the cycles until every item is at its place.
fn arrange(mut places: Vec<u32>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..u32::try_from(places.len()).unwrap_or(u32::MAX) {
        let mut at = start;
        while let Some(place) = places.get_mut(at as usize) {
            let next = std::mem::replace(place, at);
            if next == start {
                break;
            }
            swap(at as usize, next as usize);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_sort_does(items in proptest::collection::vec((0u8..16, any::<u16>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            ours.order_by_key(|item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }
    }
}
