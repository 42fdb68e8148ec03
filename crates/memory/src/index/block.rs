//! Some rows that follow one another in time, as narrow columns that are searched and scanned many rows at once.
//!
//! A time is a distance from the block's own begin, a kind a byte, a row a distance from the block's first one;
//! what does not fit into that, which is rare, has its upper half in a column of its own. One time of every
//! [`GROUP`] stands in the block itself, so that a search looks into two places only.

use std::ops::Range;

use throughline_journal::Millis;

use super::summary::Summary;

/// Of how many rows one time stands in the block itself.
pub(crate) const GROUP: usize = 32;
/// The most rows of a block.
pub(crate) const MOST_ROWS: usize = GROUP * GROUP;
/// After how many rows the counts by kind are noted.
pub(crate) const NOTED: usize = 64;
/// How many kinds are counted so at most; the counts of more would weigh more than the rows.
const MOST_COUNTED: usize = 64;
/// What holds the fewest rows.
const LEAST_ROOM: usize = 8;

/// How many bytes the processor reads at a time.
const LINE: usize = 64;

/// Some rows that follow one another in time.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The time of the first row of each group; the greatest number where there is none.
    samples: [u32; GROUP],
    /// What the times are distances from; not after any.
    base: Millis,
    /// What the rows are distances from.
    first_row: u32,
    ts: Vec<u32>,
    kind: Vec<u8>,
    row: Vec<u16>,
    /// The upper halves; empty while all of them are 0.
    kind_high: Vec<u8>,
    row_high: Vec<u16>,
    /// How many live rows of each kind there are before row 64, 128 and so on, and in all.
    noted: Vec<u16>,
    /// How many kinds are counted in `noted`.
    lanes: usize,
    /// Between which rows, by their numbers, all lie.
    pub(crate) reach: Range<u32>,
    pub(crate) summary: Box<Summary>,
    /// Its `mask` and whether every row is live, where a scan looks first.
    pub(crate) mask: u64,
    pub(crate) clean: bool,
    /// The summary, and what is noted, is to be made anew from the rows.
    pub(crate) stale: bool,
}

/// How many of some times are below one.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn below(times: &[u32; GROUP], time: u32) -> usize {
    times.iter().filter(|at| **at < time).count()
}

/// How many of some times are below one, all of them compared without a branch.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
pub(super) fn below(times: &[u32; GROUP], time: u32) -> usize {
    use core::arch::wasm32::{i32x4_add, i32x4_extract_lane, i32x4_splat, u32x4, u32x4_lt, u32x4_splat};
    let (fours, time) = (times.as_chunks::<4>().0, u32x4_splat(time));
    let mut count = i32x4_splat(0);
    for [a, b, c, d] in fours {
        // What is below is all ones, which is -1.
        count = i32x4_add(count, u32x4_lt(u32x4(*a, *b, *c, *d), time));
    }
    let all = i32x4_extract_lane::<0>(count)
        + i32x4_extract_lane::<1>(count)
        + i32x4_extract_lane::<2>(count)
        + i32x4_extract_lane::<3>(count);
    all.unsigned_abs() as usize
}

/// Adds counts to others, many at a time.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
#[inline]
pub(crate) fn add_all(counts: &mut [u32], more: &[u16]) {
    for (count, n) in counts.iter_mut().zip(more) {
        *count = count.wrapping_add(u32::from(*n));
    }
}

/// Takes counts from others, many at a time.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
#[inline]
pub(crate) fn take_all(counts: &mut [u32], less: &[u16]) {
    for (count, n) in counts.iter_mut().zip(less) {
        *count = count.wrapping_sub(u32::from(*n));
    }
}

/// Puts a value in a place, with only a little more room than is needed.
fn insert<T>(column: &mut Vec<T>, place: usize, value: T) {
    if column.len() == column.capacity() {
        column.reserve_exact(column.len().clamp(LEAST_ROOM, MOST_ROWS / 8));
    }
    match place < column.len() {
        true => column.insert(place, value),
        false => column.push(value),
    }
}

fn remove<T>(column: &mut Vec<T>, place: usize) {
    if place < column.len() {
        column.remove(place);
    }
}

impl Block {
    /// A block for rows from this time and this number on.
    pub(crate) fn new(base: Millis, first_row: u32) -> Self {
        Self {
            samples: [u32::MAX; GROUP],
            base,
            first_row,
            ts: Vec::new(),
            kind: Vec::new(),
            row: Vec::new(),
            kind_high: Vec::new(),
            row_high: Vec::new(),
            noted: Vec::new(),
            lanes: 0,
            reach: Range { start: u32::MAX, end: 0 },
            summary: Box::default(),
            mask: 0,
            clean: true,
            stale: false,
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ts.len()
    }

    /// When a row begins.
    pub(crate) fn at(&self, place: usize) -> Option<Millis> {
        self.ts.get(place).map(|ts| self.base + Millis::from(*ts))
    }

    pub(crate) fn first_at(&self) -> Option<Millis> {
        self.at(0)
    }

    pub(crate) fn last_at(&self) -> Option<Millis> {
        self.at(self.len().checked_sub(1)?)
    }

    pub(crate) fn kind_at(&self, place: usize) -> Option<u16> {
        let low = u16::from(*self.kind.get(place)?);
        Some(low | u16::from(self.kind_high.get(place).copied().unwrap_or(0)) << 8)
    }

    pub(crate) fn row_at(&self, place: usize) -> Option<u32> {
        let low = u32::from(*self.row.get(place)?);
        let high = u32::from(self.row_high.get(place).copied().unwrap_or(0));
        Some(self.first_row.wrapping_add(low | high << 16))
    }

    /// The rows of some places.
    pub(crate) fn rows(&self, places: Range<usize>) -> impl DoubleEndedIterator<Item = u32> + '_ {
        places.filter_map(|place| self.row_at(place))
    }

    /// The rows of some places with their kinds.
    pub(crate) fn kinds(&self, places: Range<usize>) -> impl DoubleEndedIterator<Item = (u16, u32)> + '_ {
        places.filter_map(|place| Some((self.kind_at(place)?, self.row_at(place)?)))
    }

    /// All rows with their times and kinds.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Millis, u16, u32)> + '_ {
        (0..self.len()).filter_map(|place| Some((self.at(place)?, self.kind_at(place)?, self.row_at(place)?)))
    }

    /// The kinds of some rows as bytes, where all fit into one.
    pub(crate) fn narrow_kinds(&self, places: Range<usize>) -> Option<&[u8]> {
        self.kind_high.is_empty().then(|| self.kind.get(places)).flatten()
    }

    /// Some rows as distances from one, where all are near enough.
    pub(crate) fn narrow_rows(&self, places: Range<usize>) -> Option<(u32, &[u16])> {
        self.row_high.is_empty().then(|| self.row.get(places)).flatten().map(|rows| (self.first_row, rows))
    }

    /// The first place whose time is not before this one.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    #[inline]
    pub(crate) fn place_of(&self, at: Millis) -> usize {
        let time = match u32::try_from(at.saturating_sub(self.base)) {
            Ok(time) => time,
            Err(_) if at < self.base => 0,
            Err(_) => return self.len(),
        };
        let Some(group) = below(&self.samples, time).checked_sub(1) else { return 0 };
        let from = group * GROUP;
        // What is read next is called for before it is needed.
        let kind = self.kind.get(from).copied().unwrap_or(0);
        let row = self.row.get(from).copied().unwrap_or(0);
        std::hint::black_box(u16::from(kind) | row);
        let rest = self.ts.get(from..).unwrap_or_default();
        match rest.first_chunk() {
            Some(all) => from + below(all, time),
            None => from + rest.partition_point(|ts| *ts < time),
        }
    }

    /// Calls for all that a scan reads: gives something that has to do with all of it.
    #[inline]
    pub(crate) fn call_for(&self) -> u16 {
        let kinds = self.kind.iter().step_by(LINE).fold(0, |all, kind| all | kind);
        let rows = self.row.iter().step_by(LINE / 2).fold(0, |all, row| all | row);
        u16::from(kinds) | rows
    }

    /// Whether a row of this time can stand at a place of the block.
    pub(crate) fn has_reach(&self, at: Millis) -> bool {
        let fits = |from: Millis, to: Millis| to.checked_sub(from).is_some_and(|span| u32::try_from(span).is_ok());
        match at < self.base {
            true => self.last_at().is_none_or(|last| fits(at, last)),
            false => fits(self.base, at),
        }
    }

    /// Puts a row in a place. It has reach, and the place is that of its time.
    pub(crate) fn insert(&mut self, place: usize, at: Millis, kind: u16, row: u32) {
        if at < self.base {
            self.rebase(at);
        }
        self.reach = self.reach.start.min(row)..self.reach.end.max(row.saturating_add(1));
        let len = self.len();
        let place = place.min(len);
        let [low, high] = kind.to_le_bytes();
        let distance = row.wrapping_sub(self.first_row);
        if high > 0 && self.kind_high.is_empty() {
            self.kind_high.resize(len, 0);
        }
        if high > 0 || !self.kind_high.is_empty() {
            insert(&mut self.kind_high, place, high);
        }
        if distance >> 16 > 0 && self.row_high.is_empty() {
            self.row_high.resize(len, 0);
        }
        if distance >> 16 > 0 || !self.row_high.is_empty() {
            insert(&mut self.row_high, place, (distance >> 16) as u16);
        }
        insert(&mut self.kind, place, low);
        insert(&mut self.row, place, (distance & 0xffff) as u16);
        let time = u32::try_from(at.saturating_sub(self.base)).unwrap_or(u32::MAX);
        insert(&mut self.ts, place, time);
        if place < len {
            self.sample(place / GROUP);
        } else if len.is_multiple_of(GROUP)
            && let Some(sample) = self.samples.get_mut(len / GROUP)
        {
            *sample = time;
        }
    }

    /// Takes a row out.
    pub(crate) fn remove(&mut self, place: usize) {
        remove(&mut self.ts, place);
        remove(&mut self.kind, place);
        remove(&mut self.row, place);
        remove(&mut self.kind_high, place);
        remove(&mut self.row_high, place);
        // Nothing says any more when it was.
        match self.first_at() {
            Some(first) if place == 0 => self.rebase(first),
            _ => self.sample(place / GROUP),
        }
    }

    /// Takes the rows from a place on out, as a block of their own.
    pub(crate) fn split_off(&mut self, place: usize) -> Self {
        let mut tail = Self {
            ts: self.ts.split_off(place),
            kind: self.kind.split_off(place),
            row: self.row.split_off(place),
            ..Self::new(self.base, self.first_row)
        };
        if !self.kind_high.is_empty() {
            tail.kind_high = self.kind_high.split_off(place);
        }
        if !self.row_high.is_empty() {
            tail.row_high = self.row_high.split_off(place);
        }
        self.reach = self.reached();
        tail.reach = tail.reached();
        self.shrink();
        tail.shrink();
        self.sample(0);
        let first = tail.first_at().unwrap_or(tail.base);
        tail.rebase(first);
        tail
    }

    /// Room for so many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.ts.reserve_exact(rows);
        self.kind.reserve_exact(rows);
        self.row.reserve_exact(rows);
    }

    fn reached(&self) -> Range<u32> {
        let rows = || self.rows(0..self.len());
        rows().min().unwrap_or(u32::MAX)..rows().max().map_or(0, |row| row.saturating_add(1))
    }

    /// Gives back room that is not used.
    pub(crate) fn shrink(&mut self) {
        self.ts.shrink_to_fit();
        self.kind.shrink_to_fit();
        self.row.shrink_to_fit();
        self.kind_high.shrink_to_fit();
        self.row_high.shrink_to_fit();
        self.noted.shrink_to_fit();
    }

    fn rebase(&mut self, base: Millis) {
        let change = self.base.wrapping_sub(base);
        for ts in &mut self.ts {
            *ts = u32::try_from(Millis::from(*ts) + change).unwrap_or(u32::MAX);
        }
        self.base = base;
        self.sample(0);
    }

    /// Notes the times from a group on anew.
    fn sample(&mut self, from: usize) {
        for (group, sample) in self.samples.iter_mut().enumerate().skip(from) {
            *sample = self.ts.get(group * GROUP).copied().unwrap_or(u32::MAX);
        }
    }

    /// The live rows of each kind before a place that is a multiple of [`NOTED`] above 0, or the end; nothing when
    /// they are not noted.
    fn noted_at(&self, number: usize) -> Option<&[u16]> {
        self.noted.get((number * self.lanes)..((number + 1) * self.lanes)).filter(|counts| !counts.is_empty())
    }

    /// How many live rows of each kind stand before a place. There are never more than a block holds.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    #[inline]
    pub(crate) fn count_before(&self, place: usize, dead: &impl Fn(u32) -> bool, counts: &mut [u16]) {
        let near = (place + NOTED / 2) / NOTED;
        let mut from = 0;
        let noted = near.checked_sub(1).and_then(|number| self.noted_at(number)).unwrap_or_default();
        if !noted.is_empty() {
            from = (near * NOTED).min(self.len());
        }
        let known = noted.len().min(counts.len());
        let (head, rest) = counts.split_at_mut(known);
        rest.fill(0);
        for (count, n) in head.iter_mut().zip(noted) {
            *count = *n;
        }
        let (places, change) = if from <= place { (from..place, 1) } else { (place..from, u16::MAX) };
        if let Some(kinds) = self.narrow_kinds(places.clone()).filter(|_| self.clean) {
            for kind in kinds {
                if let Some(count) = counts.get_mut(usize::from(*kind)) {
                    *count = count.wrapping_add(change);
                }
            }
            return;
        }
        for (kind, row) in self.kinds(places) {
            if let Some(count) = counts.get_mut(usize::from(kind)).filter(|_| !dead(row)) {
                *count = count.wrapping_add(change);
            }
        }
    }

    /// Adds the live rows of each kind.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    #[inline]
    pub(crate) fn count_all(&self, counts: &mut [u32]) {
        match self.len().div_ceil(NOTED).checked_sub(1).and_then(|last| self.noted_at(last)) {
            Some(noted) => add_all(counts, noted),
            None => {
                for own in &self.summary.kinds {
                    if let Some(count) = counts.get_mut(usize::from(own.kind)) {
                        *count = count.wrapping_add(own.live);
                    }
                }
            }
        }
    }

    /// Notes the counts from a place on anew, and what a scan looks at first.
    pub(crate) fn note(&mut self, from: usize, dead: &impl Fn(u32) -> bool) {
        self.mask = self.summary.mask;
        self.clean = self.summary.is_clean();
        let kinds = self.summary.kinds.last().map_or(0, |last| usize::from(last.kind) + 1);
        let lanes = if kinds > MOST_COUNTED { 0 } else { kinds.next_multiple_of(8) };
        let mut from = from / NOTED;
        if lanes != self.lanes {
            (from, self.lanes) = (0, lanes);
        }
        self.noted.truncate(from * lanes);
        if lanes == 0 {
            return;
        }
        let mut counts = [0u16; MOST_COUNTED];
        if let Some(before) = from.checked_sub(1).and_then(|number| self.noted_at(number)) {
            counts.iter_mut().zip(before).for_each(|(count, n)| *count = *n);
        }
        for number in from..self.len().div_ceil(NOTED) {
            for place in number * NOTED..((number + 1) * NOTED).min(self.len()) {
                let live = self.clean || self.row_at(place).is_some_and(|row| !dead(row));
                let kind = self.kind.get(place).copied().map_or(0, usize::from);
                counts.get_mut(kind).into_iter().for_each(|count| *count += u16::from(live));
            }
            if self.noted.len() == self.noted.capacity() {
                self.noted.reserve_exact(lanes * 2);
            }
            self.noted.extend(counts.iter().take(lanes));
        }
    }

    /// Notes that the last row came to the others.
    pub(crate) fn note_last(&mut self, kind: u16, live: bool, dead: &impl Fn(u32) -> bool) {
        self.mask = self.summary.mask;
        self.clean = self.summary.is_clean();
        let kind = usize::from(kind);
        if kind >= self.lanes {
            // More kinds than are counted are not counted at all.
            if self.lanes > 0 || kind < MOST_COUNTED {
                self.note(0, dead);
            }
            return;
        }
        let last = self.noted.len().saturating_sub(self.lanes);
        if self.len() % NOTED == 1 {
            if self.noted.len() == self.noted.capacity() {
                self.noted.reserve_exact(self.lanes * 2);
            }
            match self.noted.is_empty() {
                true => self.noted.resize(self.lanes, 0),
                false => self.noted.extend_from_within(last..),
            }
        }
        let last = self.noted.len().saturating_sub(self.lanes);
        self.noted.get_mut(last + kind).into_iter().for_each(|count| *count += u16::from(live));
    }

    /// Notes that a live row at a place is not so any more, or is so again.
    pub(crate) fn note_turn(&mut self, place: usize, live: bool) {
        self.clean = self.summary.is_clean();
        let (Some(kind), lanes) = (self.kind_at(place).map(usize::from), self.lanes.max(1)) else { return };
        for counts in self.noted.chunks_exact_mut(lanes).skip(place / NOTED) {
            if let Some(count) = counts.get_mut(kind) {
                *count = if live { count.saturating_add(1) } else { count.saturating_sub(1) };
            }
        }
    }
}
