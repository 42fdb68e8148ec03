//! What the axis knows of the memory: counts by part of time and kind, and how they are asked for.

use std::sync::Arc;

use throughline_protocol::Moment;
use throughline_protocol::Time;
use throughline_protocol::lane::is_error;
use throughline_protocol::query::MemoryCounts;

use crate::run::columns::{Window, clamp, to_f64};

/// The engine counts at every zoom down to parts of this width, in milliseconds; below it counts anew.
const FINEST: f64 = 262_144.0;

/// So many kinds have counters of their own at every zoom.
pub(super) const LANES: usize = 16;

/// A lane of the axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// The kind; empty for all that have no lane of their own.
    pub(super) kind: String,
    /// Whether its events are errors.
    pub(super) error: bool,
}

/// The lanes of these kinds: errors first, then those with the most events that find room. What has none stands
/// together in the last one.
pub(super) fn lanes(kinds: &[String], totals: &[u64], most: usize) -> Vec<Lane> {
    let mut order: Vec<(bool, u64, &String)> = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| (is_error(kind), totals.get(at).copied().unwrap_or(0), kind))
        .collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(b.2)));
    let more = order.len() > most;
    order.truncate(if more { most.saturating_sub(1) } else { most });
    let mut lanes: Vec<_> = order.into_iter().map(|(error, _, kind)| Lane { kind: kind.clone(), error }).collect();
    if more {
        lanes.push(Lane { kind: String::new(), error: false });
    }
    lanes
}

/// Counts by part of time and lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Where the parts begin, and where the last one ends.
    pub(super) edges: Vec<f64>,
    /// Part after part, lane after lane.
    counts: Vec<f64>,
    lanes: usize,
    /// The most in one lane of one part.
    pub(super) most: f64,
}

impl Counts {
    /// Reads what the engine gave. Nothing where a kind is in no lane and there is no lane for such.
    pub(super) fn read(kinds: &[String], numbers: &[f64], lanes: &[Lane]) -> Option<Self> {
        let places: Option<Vec<usize>> = kinds
            .iter()
            .map(|kind| {
                let own = lanes.iter().position(|lane| lane.kind == *kind);
                own.or_else(|| lanes.iter().position(|lane| lane.kind.is_empty()))
            })
            .collect();
        let places = places?;
        let parts = numbers.len().checked_sub(1)? / (kinds.len() + 1);
        let (edges, rows) = numbers.split_at_checked(parts + 1)?;
        let mut counts = vec![0.0; parts * lanes.len()];
        let mut most = 0.0_f64;
        if !kinds.is_empty() && !lanes.is_empty() {
            for (row, out) in rows.chunks(kinds.len()).zip(counts.chunks_mut(lanes.len())) {
                for (n, place) in row.iter().zip(&places) {
                    if let Some(slot) = out.get_mut(*place) {
                        *slot += n;
                        most = most.max(*slot);
                    }
                }
            }
        }
        Some(Self { edges: edges.to_vec(), counts, lanes: lanes.len(), most })
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// What is counted in a part, by lane.
    pub(super) fn part(&self, at: usize) -> &[f64] {
        self.counts.get(at * self.lanes..(at + 1) * self.lanes).unwrap_or_default()
    }

    /// The parts that a window shows.
    pub(super) fn shown(&self, window: Window) -> std::ops::Range<usize> {
        let from = self.edges.partition_point(|edge| *edge <= window.low).saturating_sub(1);
        let to = self.edges.partition_point(|edge| *edge < window.high).min(self.parts());
        from.min(to)..to
    }

    /// The part that a time lies in.
    pub(super) fn at(&self, time: f64) -> Option<usize> {
        let at = self.edges.partition_point(|edge| *edge <= time).checked_sub(1)?;
        (at < self.parts()).then_some(at)
    }

    /// Where a part begins and ends.
    pub(super) fn ends(&self, at: usize) -> Option<(f64, f64)> {
        Some((*self.edges.get(at)?, *self.edges.get(at + 1)?))
    }

    /// At most so many groups of neighbouring parts of a window: begin, end, and the sum of each lane.
    pub(super) fn grouped(&self, window: Window, most: usize) -> Vec<(f64, f64, Vec<f64>)> {
        let shown = self.shown(window);
        let size = shown.len().div_ceil(most.max(1)).max(1);
        let mut groups = Vec::new();
        let mut from = shown.start;
        while from < shown.end {
            let to = (from + size).min(shown.end);
            let mut sum = vec![0.0; self.lanes];
            for at in from..to {
                sum.iter_mut().zip(self.part(at)).for_each(|(sum, n)| *sum += n);
            }
            if let (Some((begin, _)), Some((_, end))) = (self.ends(from), self.ends(to - 1)) {
                groups.push((begin, end, sum));
            }
            from = to;
        }
        groups
    }
}

/// The question for the counts of a window, with room on both sides so that moving shows something at once.
pub(super) fn question(window: Window, all: Window, pixels: f64, at: u64, pyramid: bool) -> MemoryCounts {
    let room = window.span() * 0.25;
    let (low, high) = ((window.low - room).max(all.low), (window.high + room).min(all.high));
    // A part is about two pixels wide.
    let rough = (window.span() / (pixels / 2.0).max(1.0)).max(1.0);
    let time = |ms: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "an instant of the window")]
        Some(Time::Millis(ms as i64))
    };
    let mut query = MemoryCounts { at: Moment::seq(at), ..MemoryCounts::default() };
    if pyramid && rough >= FINEST {
        query.since = time(low.floor());
        query.until = time(high.ceil() + 1.0);
        query.buckets = Some(clamp(((high - low) / rough).ceil(), 4_096).max(1));
        query.drawing = true;
        return query;
    }
    // A round width and a round begin: the parts stay where they are while the window moves.
    let width = rough.log2().ceil().exp2();
    let begin = (low / width).floor() * width;
    let parts = clamp(((high - begin) / width).floor() + 1.0, 4_096).max(1);
    query.since = time(begin);
    query.until = time(begin + to_f64(parts) * width);
    query.buckets = Some(parts);
    query
}

/// Counts that several hold.
pub(super) type Shared = Arc<Counts>;

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn errors_have_the_first_lanes_and_what_finds_no_room_stands_together() {
        let found = lanes(&names(&["saw", "Sensor failure", "took", "错误"]), &[5, 1, 9, 2], LANES);
        let kinds: Vec<_> = found.iter().map(|lane| lane.kind.as_str()).collect();
        assert_eq!(kinds, ["错误", "Sensor failure", "took", "saw"]);
        let many: Vec<String> = (0..40).map(|n| format!("kind {n}")).collect();
        let found = lanes(&many, &(0..40).collect::<Vec<u64>>(), LANES);
        assert_eq!((found.len(), found.last().unwrap().kind.as_str()), (LANES, ""));
        assert_eq!(found.first().unwrap().kind, "kind 39");
    }

    #[test]
    fn counts_are_read_by_lane_and_found_by_time() {
        let lanes = lanes(&names(&["a", "error"]), &[1, 1], LANES);
        let counts = Counts::read(&names(&["a", "error"]), &[0.0, 10.0, 20.0, 3.0, 1.0, 4.0, 0.0], &lanes).unwrap();
        assert_eq!((counts.parts(), counts.part(0), counts.part(1)), (2, [1.0, 3.0].as_slice(), [0.0, 4.0].as_slice()));
        assert_eq!((counts.at(-1.0), counts.at(0.0), counts.at(19.0), counts.at(20.0)), (None, Some(0), Some(1), None));
        assert_eq!(counts.grouped(Window { low: 0.0, high: 20.0 }, 1), [(0.0, 20.0, vec![1.0, 7.0])]);
        assert!(Counts::read(&names(&["b"]), &[0.0, 1.0, 1.0], &lanes).is_none());
    }

    #[test]
    fn a_question_asks_for_round_parts_however_near_or_far() {
        let all = Window { low: 0.0, high: 4e10 };
        let far = question(all, all, 1_000.0, 9, true);
        assert!(far.drawing && far.buckets.unwrap() <= 501);
        let near = question(Window { low: 1_003.0, high: 5_003.0 }, all, 1_000.0, 9, true);
        assert!(!near.drawing);
        let (Some(Time::Millis(since)), Some(Time::Millis(until))) = (near.since, near.until) else {
            panic!("no window")
        };
        let parts = near.buckets.unwrap();
        assert_eq!((until - since) % i64::try_from(parts).unwrap(), 0);
        assert!(since <= 3 && until >= 6_003 && parts < 1_000);
        assert!(!question(all, all, 1_000.0, 9, false).drawing);
    }
}
