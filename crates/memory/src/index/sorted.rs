//! Numbers that rise. Searching them looks at [`GROUP`] at a time, all at once: a search that halves what is left has to
//! guess where it goes on, and is wrong every other time.

use super::block::{GROUP, below};

/// Numbers that rise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorted {
    numbers: Vec<u32>,
    /// The first of each group of numbers; the first of each group of those; until one group holds all.
    firsts: Vec<Vec<u32>>,
}

/// How many of a group's numbers are below one.
fn below_in(group: &[u32], number: u32) -> usize {
    match group.first_chunk() {
        Some(all) => below(all, number),
        None => group.partition_point(|own| *own < number),
    }
}

impl Sorted {
    pub(crate) fn get(&self, place: usize) -> Option<u32> {
        self.numbers.get(place).copied()
    }

    pub(crate) fn last(&self) -> Option<u32> {
        self.numbers.last().copied()
    }

    /// How many numbers are below one.
    pub(crate) fn below(&self, number: u32) -> usize {
        let mut from = 0;
        for firsts in self.firsts.iter().rev() {
            let Some(group) = below_in(firsts.get(from..).unwrap_or_default(), number).checked_sub(1) else { return 0 };
            from = (from + group) * GROUP;
        }
        from + below_in(self.numbers.get(from..).unwrap_or_default(), number)
    }

    /// Puts a number in a place.
    pub(crate) fn insert(&mut self, place: usize, number: u32) {
        let place = place.min(self.numbers.len());
        let is_last = place == self.numbers.len();
        self.numbers.insert(place, number);
        if !is_last || place.is_multiple_of(GROUP) {
            self.note(place);
        }
    }

    /// Puts another number in the place of one.
    pub(crate) fn set(&mut self, place: usize, number: u32) {
        if let Some(slot) = self.numbers.get_mut(place) {
            *slot = number;
            if place.is_multiple_of(GROUP) {
                self.note(place);
            }
        }
    }

    /// Takes a number out.
    pub(crate) fn remove(&mut self, place: usize) {
        if place < self.numbers.len() {
            self.numbers.remove(place);
            self.note(place);
        }
    }

    /// Adds numbers that come after all others.
    pub(crate) fn extend(&mut self, more: impl ExactSizeIterator<Item = u32>) {
        let begin = self.numbers.len();
        super::reserve(&mut self.numbers, more.len());
        self.numbers.extend(more);
        self.note(begin);
    }

    /// Notes the firsts anew: from a place on, numbers are others than before.
    fn note(&mut self, place: usize) {
        let mut from = place;
        for level in 0.. {
            let mut firsts = self.firsts.get_mut(level).map(std::mem::take).unwrap_or_default();
            let numbers = match level.checked_sub(1) {
                None => &self.numbers,
                Some(below) => self.firsts.get(below).unwrap_or(&self.numbers),
            };
            if numbers.len() <= GROUP {
                self.firsts.truncate(level);
                return;
            }
            from = from.div_ceil(GROUP);
            firsts.truncate(from);
            let others = numbers.get(firsts.len() * GROUP..).unwrap_or_default().iter().step_by(GROUP);
            firsts.extend(others);
            match self.firsts.get_mut(level) {
                Some(slot) => *slot = firsts,
                None => self.firsts.push(firsts),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_any_number_is_counted_through_any_changes() {
        let mut state = 3u64;
        let mut random = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let (mut sorted, mut plain) = (Sorted::default(), Vec::<u32>::new());
        for step in 0..6_000u64 {
            match random(8) {
                0 if !plain.is_empty() => {
                    let place = random(plain.len() as u64) as usize;
                    plain.remove(place);
                    sorted.remove(place);
                }
                1 => {
                    let last = plain.last().copied().unwrap_or(0);
                    // At the end more than a group of groups of groups.
                    let many = if step > 5_900 { 3_000 } else { random(3) as u32 };
                    let more: Vec<u32> = (0..many).map(|n| last + n / 2).collect();
                    plain.extend(&more);
                    sorted.extend(more.into_iter());
                }
                2 => {
                    let number = random(step + 1) as u32;
                    let place = plain.partition_point(|own| *own < number);
                    plain.insert(place, number);
                    sorted.insert(place, number);
                }
                _ => {
                    let number = plain.last().copied().unwrap_or(0) + random(2) as u32;
                    plain.push(number);
                    sorted.insert(plain.len() - 1, number);
                }
            }
            let asked = random(plain.last().copied().map_or(1, u64::from) + 2) as u32;
            assert_eq!(sorted.below(asked), plain.partition_point(|own| *own < asked), "{asked} at step {step}");
            assert_eq!(sorted.last(), plain.last().copied());
        }
        assert_eq!(sorted.numbers, plain);
        assert!(sorted.firsts.len() > 2 && sorted.below(0) == 0 && sorted.below(u32::MAX) == plain.len());
        (0..plain.len()).for_each(|_| sorted.remove(0));
        assert!(sorted.firsts.is_empty() && sorted.below(7) == 0);
    }
}
