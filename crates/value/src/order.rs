//! Sorting that is compiled once.
//!
//! The standard sort is compiled anew for every type and comparison, at several kilobytes each; in a wasm
//! file that adds up. Lists that are not long or not often sorted are put in order by their places instead.

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

/// Which item belongs at each place.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Swaps along the cycles until every item is at its place.
fn arrange(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut at = start;
        while let Some(place) = places.get_mut(at) {
            let next = std::mem::replace(place, at);
            if next == start {
                break;
            }
            swap(at, next);
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
