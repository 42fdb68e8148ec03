//! Every record's place on the timeline, as columns, and the scales that turn places into pixels.

use throughline_protocol::lane::LANES;
use throughline_protocol::view::Timeline;

/// A jump of the clock of at least this many milliseconds is marked between two records.
pub(crate) const GAP_MS: i64 = 60_000;

/// The fewest places that are ever shown, so that a short journal is not stretched.
const LEAST_PLACES: f64 = 24.0;

/// The shortest time that is ever shown, in milliseconds.
const LEAST_TIME: f64 = 1_000.0;

/// The columns. Record `seq` is at place `seq - 1`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Recorded times; they never decrease.
    pub(crate) time: Vec<i64>,
    /// Places in [`LANES`].
    pub(crate) lane: Vec<u8>,
    /// One line each.
    pub(crate) summary: Vec<String>,
}

/// What the axis of the timeline is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Axis {
    /// One place a record.
    #[default]
    Order,
    /// Recorded time.
    Time,
}

impl Columns {
    /// Takes in what comes next; says whether it grew. A page that does not fit on is left out: it is asked for again.
    pub(crate) fn append(&mut self, timeline: &Timeline) -> bool {
        let before = self.len();
        let rows = timeline.seq.iter().zip(&timeline.recorded_at).zip(&timeline.lane).zip(&timeline.summary);
        for (((seq, time), lane), summary) in rows {
            if *seq != self.next() {
                continue;
            }
            let name = timeline.lanes.get(usize::from(*lane)).map_or("", String::as_str);
            let lane = LANES.iter().position(|lane| *lane == name).unwrap_or(0);
            self.time.push(*time);
            self.lane.push(u8::try_from(lane).unwrap_or(0));
            self.summary.push(summary.clone());
        }
        self.len() > before
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.time.len()
    }

    /// The last record's number.
    pub(crate) fn head(&self) -> u64 {
        self.len() as u64
    }

    /// The number of the record to ask for next.
    pub(crate) fn next(&self) -> u64 {
        self.head() + 1
    }

    /// A record's time, lane and summary.
    pub(crate) fn row(&self, seq: u64) -> Option<(i64, &'static str, &str)> {
        let at = usize::try_from(seq.checked_sub(1)?).ok()?;
        let lane = LANES.get(usize::from(*self.lane.get(at)?))?;
        Some((*self.time.get(at)?, lane, self.summary.get(at)?))
    }

    /// Where a record stands on the axis.
    pub(crate) fn place(&self, at: usize, axis: Axis) -> f64 {
        match axis {
            Axis::Order => to_f64(at),
            Axis::Time => self.time.get(at).map_or(0.0, |time| ms_to_f64(*time)),
        }
    }

    /// The records that stand between two places of the axis, one more on each side.
    pub(crate) fn between(&self, low: f64, high: f64, axis: Axis) -> std::ops::Range<usize> {
        let (start, end) = match axis {
            Axis::Order => (clamp(low.floor(), self.len()), clamp(high.ceil(), self.len())),
            Axis::Time => (
                self.time.partition_point(|time| ms_to_f64(*time) < low),
                self.time.partition_point(|time| ms_to_f64(*time) <= high),
            ),
        };
        start.saturating_sub(1)..(end + 1).min(self.len())
    }

    /// The jump of the clock before a record, where there is one worth a mark.
    pub(crate) fn gap(&self, at: usize) -> Option<i64> {
        let gap = self.time.get(at)? - self.time.get(at.checked_sub(1)?)?;
        (gap >= GAP_MS).then_some(gap)
    }

    /// Everything.
    pub(crate) fn all(&self, axis: Axis) -> Window {
        match axis {
            // A little room after the newest, so that the cursor on it is whole.
            Axis::Order => Window { low: -0.2, high: (to_f64(self.len()) * 1.005 + 0.4).max(LEAST_PLACES) },
            Axis::Time => {
                let first = self.time.first().map_or(0.0, |time| ms_to_f64(*time));
                let last = self.time.last().map_or(0.0, |time| ms_to_f64(*time));
                let span = (last - first).max(LEAST_TIME);
                Window { low: first - span * 0.02, high: first + span * 1.04 }
            }
        }
    }
}

/// The part of the axis that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// The first place.
    pub(crate) low: f64,
    /// One past the last.
    pub(crate) high: f64,
}

impl Window {
    /// Its length.
    pub(crate) fn span(self) -> f64 {
        self.high - self.low
    }

    /// The pixel of a place.
    pub(crate) fn pixel(self, place: f64, width: f64) -> f64 {
        (place - self.low) / self.span() * width
    }

    /// The place of a pixel.
    pub(crate) fn place(self, pixel: f64, width: f64) -> f64 {
        self.low + pixel / width * self.span()
    }

    /// Zoomed about a place, kept within `all` and above the shortest span of the axis.
    pub(crate) fn zoomed(self, factor: f64, about: f64, all: Self, axis: Axis) -> Self {
        let least = match axis {
            Axis::Order => LEAST_PLACES / 2.0,
            Axis::Time => LEAST_TIME,
        };
        let span = (self.span() * factor).clamp(least.min(all.span()), all.span());
        let share = (about - self.low) / self.span();
        let low = about - share * span;
        Self { low, high: low + span }.within(all)
    }

    /// Moved by so much, kept within `all`.
    pub(crate) fn moved(self, by: f64, all: Self) -> Self {
        Self { low: self.low + by, high: self.high + by }.within(all)
    }

    /// Moved as little as needed to show a place.
    pub(crate) fn showing(self, place: f64, all: Self) -> Self {
        let margin = self.span() * 0.1;
        if place < self.low + margin * 0.1 {
            self.moved(place - self.low - margin, all)
        } else if place > self.high - margin * 0.4 {
            self.moved(place - self.high + margin, all)
        } else {
            self
        }
    }

    fn within(self, all: Self) -> Self {
        let span = self.span().min(all.span());
        // Not `clamp`: rounding may put the upper bound a hair below the lower one, and a clamp then panics.
        let low = self.low.min(all.high - span).max(all.low);
        Self { low, high: low + span }
    }
}

/// A step of 1, 2 or 5 times a power of ten, so that about `count` of them fill `span`.
pub(crate) fn nice_step(span: f64, count: f64) -> f64 {
    let rough = (span / count).max(1.0);
    let mut power = 1.0;
    loop {
        for n in [1.0, 2.0, 5.0] {
            if n * power >= rough {
                return n * power;
            }
        }
        power *= 10.0;
    }
}

/// A place as a number for drawing.
#[expect(clippy::cast_precision_loss, reason = "drawing only")]
pub(crate) fn to_f64(at: usize) -> f64 {
    at as f64
}

/// An instant as a number for drawing.
#[expect(clippy::cast_precision_loss, reason = "an instant in milliseconds is far below 2^53")]
pub(crate) fn ms_to_f64(ms: i64) -> f64 {
    ms as f64
}

/// The nearest place from 0 to `len`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped first")]
pub(crate) fn clamp(place: f64, len: usize) -> usize {
    place.clamp(0.0, to_f64(len)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(times: &[i64]) -> Columns {
        let n = times.len() as u64;
        let mut columns = Columns::default();
        let timeline = Timeline {
            seq: (1..=n).collect(),
            recorded_at: times.to_vec(),
            lane: vec![1; times.len()],
            lanes: vec!["message".to_owned(), "fact".to_owned()],
            summary: (1..=n).map(|n| format!("record {n}")).collect(),
        };
        assert!(columns.append(&timeline));
        assert!(!columns.append(&timeline), "the same page again adds nothing");
        columns
    }

    #[test]
    fn columns_grow_by_what_comes_next_and_by_nothing_else() {
        let mut columns = columns(&[10, 10, 20]);
        assert_eq!(columns.row(3), Some((20, "fact", "record 3")));
        assert_eq!((columns.row(0), columns.row(4)), (None, None));
        let far = Timeline {
            seq: vec![9],
            recorded_at: vec![1],
            lane: vec![0],
            lanes: vec!["x".into()],
            summary: vec!["s".into()],
        };
        assert!(!columns.append(&far));
        assert_eq!(columns.next(), 4);
    }

    #[test]
    fn only_a_jump_of_the_clock_is_a_gap() {
        let columns = columns(&[0, 0, 59_999, 86_459_999]);
        assert_eq!((0..4).map(|at| columns.gap(at)).collect::<Vec<_>>(), [None, None, None, Some(86_400_000)]);
    }

    #[test]
    fn a_window_shows_what_lies_in_it_and_never_leaves_the_whole() {
        let columns = columns(&(0..1_000).map(|n| n * 1_000).collect::<Vec<_>>());
        let all = columns.all(Axis::Order);
        assert!(all.low < 0.0 && all.high > 1_000.0 && all.span() < 1_010.0);
        assert_eq!(columns.between(10.0, 20.0, Axis::Order), 9..21);
        assert_eq!(columns.between(10_000.0, 20_000.0, Axis::Time), 9..22);
        let near = all.zoomed(0.1, 500.0, all, Axis::Order);
        assert!((near.low - 450.0).abs() < 1.0 && (near.high - 550.0).abs() < 1.0);
        let out = near.zoomed(1e9, 460.0, all, Axis::Order);
        assert!((out.low - all.low).abs() < 1e-9 && (out.high - all.high).abs() < 1e-9);
        let least = all.zoomed(1e-9, 500.0, all, Axis::Order);
        assert!((least.span() - 12.0).abs() < 1e-9);
        assert!((near.moved(1e9, all).high - all.high).abs() < 1e-9);
        assert!(near.showing(999.0, all).high > 999.0);
        assert!(near.showing(3.0, all).low < 3.0);
        assert_eq!(near.showing(500.0, all), near);
        // However the parts round, no zoom and no move may end the page.
        for n in 1..2_000_u32 {
            let odd = Window { low: -0.2, high: f64::from(n) * 1.005 + 0.4 };
            let window = odd.zoomed(0.37, f64::from(n) * 0.61, odd, Axis::Order).moved(f64::from(n), odd);
            let out = window.zoomed(7.0, f64::from(n) * 0.13, odd, Axis::Order);
            assert!((out.span() - odd.span()).abs() < 1e-6, "{n}");
        }
    }

    #[test]
    fn pixels_and_places_are_each_others_inverse() {
        let window = Window { low: 5.0, high: 25.0 };
        assert!((window.place(window.pixel(12.5, 800.0), 800.0) - 12.5).abs() < 1e-9);
        assert!((nice_step(1_000.0, 8.0) - 200.0).abs() < 1e-9);
        assert!((nice_step(3.0, 8.0) - 1.0).abs() < 1e-9);
    }
}
