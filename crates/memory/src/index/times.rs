//! Times that rise, with their rounded ones beside them, among which any is found fast.

use std::ops::Deref;

use throughline_journal::Millis;

use super::sorted::Sorted;

/// Times are rounded to two seconds, as a power of two of milliseconds.
const COARSE: u32 = 11;

/// A time rounded: from 1830 to 2110 exactly by its name, all before or after that alike.
pub(super) fn coarse(at: Millis) -> u32 {
    let parts = (at >> COARSE).saturating_add(1 << 31);
    u32::try_from(parts.max(0)).unwrap_or(u32::MAX)
}

/// Times that rise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    exact: Vec<Millis>,
    coarse: Sorted,
}

impl Deref for Times {
    type Target = [Millis];

    fn deref(&self) -> &[Millis] {
        &self.exact
    }
}

impl Times {
    /// How many are before a time.
    pub(crate) fn before(&self, at: Millis) -> usize {
        let time = coarse(at);
        let from = self.coarse.below(time);
        // Few are so near to one another.
        if self.coarse.get(from) != Some(time) {
            return from;
        }
        from + self.exact.get(from..).unwrap_or_default().partition_point(|own| *own < at)
    }

    /// Adds a time after all others.
    pub(crate) fn push(&mut self, at: Millis) {
        self.insert(self.exact.len(), at);
    }

    /// Puts a time in its place.
    pub(crate) fn insert(&mut self, place: usize, at: Millis) {
        let place = place.min(self.exact.len());
        self.exact.insert(place, at);
        self.coarse.insert(place, coarse(at));
    }

    /// Takes a time out.
    pub(crate) fn remove(&mut self, place: usize) {
        if place < self.exact.len() {
            self.exact.remove(place);
            self.coarse.remove(place);
        }
    }

    /// Puts another time in the place of one.
    pub(crate) fn set(&mut self, place: usize, at: Millis) {
        if let Some(slot) = self.exact.get_mut(place) {
            *slot = at;
            self.coarse.set(place, coarse(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_are_before_a_time_is_exact_wherever_it_lies() {
        let mut times = Times::default();
        let mut plain =
            vec![Millis::MIN, -1 << 50, -5_000, -1, 0, 0, 1, 2_047, 2_048, 2_049, 90_000, 1 << 50, Millis::MAX];
        plain.iter().for_each(|at| times.push(*at));
        let check = |times: &Times, plain: &[Millis]| {
            assert_eq!(&**times, plain);
            for at in plain.iter().flat_map(|at| [at.saturating_sub(1), *at, at.saturating_add(1)]) {
                assert_eq!(times.before(at), plain.partition_point(|own| *own < at), "{at}");
            }
        };
        check(&times, &plain);
        for n in 0..3_000 {
            let at = 90_000 + n * 700;
            plain.insert(plain.len() - 2, at);
            times.insert(times.len() - 2, at);
        }
        check(&times, &plain);
        for place in [3_000, 64, 32, 0] {
            plain[place] = plain[place].saturating_add(1);
            times.set(place, plain[place]);
            check(&times, &plain);
            plain.remove(place);
            times.remove(place);
            check(&times, &plain);
        }
    }
}
