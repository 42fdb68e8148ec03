//! Counts by time and kind for drawing: rows of counters side by side, at every zoom.
//!
//! The finest level has parts of `1 << BASE` milliseconds, or coarser ones where the events span too long for
//! that; each level above has parts of twice the width. The last counter of a part counts all kinds that have
//! none of their own. Beside them every part counts its errors, so that none is lost in that one at any zoom.

use throughline_journal::Millis;

use crate::limits::MAX_MILLIS;

/// How wide the finest parts are, as a power of two of milliseconds: a little over four minutes.
const BASE: u32 = 18;
/// The most parts of the finest level.
const MAX_PARTS: i64 = 1 << 17;
/// How many counters a part has.
pub const LANES: usize = 16;

/// Counts by time and kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pyramid {
    /// The width of the finest parts, as a power of two.
    base: u32,
    /// Where the levels begin, in parts of the coarsest level.
    begin: Millis,
    levels: Vec<Vec<[u32; LANES]>>,
    /// By level and part, how many are errors.
    errors: Vec<Vec<u32>>,
    /// By number, the kinds that are errors.
    wrong: Vec<bool>,
}

impl Pyramid {
    /// The pyramid of events between two times; `wrong` says of the kinds by their numbers which are errors.
    pub(crate) fn build(
        first: Millis,
        last: Millis,
        wrong: Vec<bool>,
        events: &mut dyn Iterator<Item = (Millis, u16)>,
    ) -> Self {
        let span = last.saturating_sub(first).max(1);
        let mut base = BASE;
        // Half as much room again, for what comes later.
        while (span + span / 2) >> base >= MAX_PARTS {
            base += 1;
        }
        let parts = ((span + span / 2) >> base) + 3;
        let depth = 64 - (parts - 1).leading_zeros();
        let begin = first >> base << base;
        let (mut levels, mut errors) = (Vec::new(), Vec::new());
        for level in 0..=depth {
            let len = usize::try_from((parts >> level) + 2).unwrap_or(0);
            levels.push(vec![[0; LANES]; len]);
            errors.push(vec![0; len]);
        }
        let mut this = Self { base, begin, levels, errors, wrong };
        for (at, kind) in events {
            this.bump(0, at, kind, 1);
        }
        for level in 1..this.levels.len() {
            let (below, above) = this.levels.split_at_mut(level);
            let (Some(below), Some(above)) = (below.last(), above.first_mut()) else { break };
            for (pair, sum) in below.chunks(2).zip(above.iter_mut()) {
                for part in pair {
                    sum.iter_mut().zip(part).for_each(|(s, n)| *s += n);
                }
            }
            let (below, above) = this.errors.split_at_mut(level);
            let (Some(below), Some(above)) = (below.last(), above.first_mut()) else { break };
            below.chunks(2).zip(above.iter_mut()).for_each(|(pair, sum)| *sum += pair.iter().sum::<u32>());
        }
        this
    }

    fn bump(&mut self, level: usize, at: Millis, kind: u16, change: i32) -> bool {
        let place = usize::try_from((at - self.begin) >> (self.base + level as u32));
        let lane = usize::from(kind).min(LANES - 1);
        let Ok(place) = place else { return false };
        if self.wrong.get(usize::from(kind)).is_some_and(|wrong| *wrong)
            && let Some(count) = self.errors.get_mut(level).and_then(|errors| errors.get_mut(place))
        {
            *count = count.saturating_add_signed(change);
        }
        let part = self.levels.get_mut(level).and_then(|parts| parts.get_mut(place)?.get_mut(lane));
        part.map(|count| *count = count.saturating_add_signed(change)).is_some()
    }

    /// Whether it is known of a kind if it is an error.
    pub(crate) fn knows(&self, kind: u16) -> bool {
        usize::from(kind) < self.wrong.len()
    }

    /// Counts an event, or no more. False when it lies beyond what is drawn.
    pub(crate) fn add(&mut self, at: Millis, kind: u16, change: i32) -> bool {
        if at < self.begin || !self.bump(0, at, kind, change) {
            return false;
        }
        (1..self.levels.len()).all(|level| self.bump(level, at, kind, change))
    }

    /// The parts that cover a window, as fine as they can be when there may be at most so many: where the
    /// first begins, how wide each is, and the counters, part after part.
    pub(crate) fn parts(&self, since: Millis, until: Millis, most: usize) -> (Millis, Millis, &[[u32; LANES]]) {
        let (begin, width, parts, _) = self.parts_and_errors(since, until, most);
        (begin, width, parts)
    }

    /// The same, and how many errors each part has.
    pub(crate) fn parts_and_errors(
        &self,
        since: Millis,
        until: Millis,
        most: usize,
    ) -> (Millis, Millis, &[[u32; LANES]], &[u32]) {
        // An end that lies beyond every event is open: then the events say where it is.
        let finest = self.levels.first().map_or(0, |parts| (parts.len() as i64) << self.base);
        let since = if since <= -MAX_MILLIS { self.begin } else { since };
        let until = if until >= MAX_MILLIS { self.begin + finest } else { until };
        let mut level = 0;
        let span = until.saturating_sub(since).max(1);
        while level + 1 < self.levels.len() && span >> (self.base + level as u32) > most as i64 {
            level += 1;
        }
        let width = 1i64 << (self.base + level as u32);
        let first = (since.max(self.begin) - self.begin) / width;
        let last = (until.max(self.begin).saturating_sub(self.begin) + width - 1) / width;
        let parts = self.levels.get(level).map(Vec::as_slice).unwrap_or_default();
        let end = usize::try_from(last).unwrap_or(0).min(parts.len());
        let begin = usize::try_from(first).unwrap_or(0).min(end);
        let errors = self.errors.get(level).and_then(|errors| errors.get(begin..end)).unwrap_or_default();
        (self.begin + begin as i64 * width, width, parts.get(begin..end).unwrap_or_default(), errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_counts_every_event_once_however_it_came() {
        let events: Vec<(Millis, u16)> =
            (0..5_000).map(|n: i64| ((n * n * 7_919) % 90_000_000_000, (n % 21) as u16)).collect();
        // One of them has no counter of its own.
        let wrong: Vec<bool> = (0..21).map(|kind| [3, 19].contains(&kind)).collect();
        let whole = Pyramid::build(0, 90_000_000_000, wrong.clone(), &mut events.iter().copied());
        let mut one_by_one = Pyramid::build(0, 90_000_000_000, wrong, &mut std::iter::empty());
        assert!(events.iter().all(|(at, kind)| one_by_one.add(*at, *kind, 1)));
        assert_eq!(whole, one_by_one);
        for most in [1, 7, 100, 5_000, 1_000_000] {
            let (begin, width, parts, errors) = whole.parts_and_errors(0, 90_000_000_001, most);
            let failed = events.iter().filter(|(_, kind)| [3, 19].contains(kind)).count();
            assert_eq!((errors.len(), errors.iter().sum::<u32>()), (parts.len(), failed as u32));
            assert!(parts.len() <= most.max(1) + 2, "{most}: {}", parts.len());
            for (i, part) in (0i64..).zip(parts) {
                let from = begin + i * width;
                let within = |lane: usize| {
                    events
                        .iter()
                        .filter(|(at, k)| (from..from + width).contains(at) && usize::from(*k).min(15) == lane)
                        .count()
                };
                assert!(part.iter().enumerate().step_by(5).all(|(lane, n)| within(lane) == *n as usize));
                let here = |(at, kind): &&(Millis, u16)| (from..from + width).contains(at) && [3, 19].contains(kind);
                assert_eq!(errors[i as usize] as usize, events.iter().filter(here).count());
                if i > 40 {
                    break;
                }
            }
            assert_eq!(parts.iter().flatten().sum::<u32>(), 5_000);
        }
        assert!(!one_by_one.add(-1, 0, 1) && !one_by_one.add(i64::MAX / 4, 0, 1));
    }
}
