//! The rows of an entity, in order of time.

use std::cmp::Ordering;
use std::ops::Deref;

use throughline_journal::Millis;

use super::Rows;
use super::sorted::Sorted;
use super::times::coarse;

/// One part in so many of a column is room for what comes next, where many rows come at once.
const ROOM: usize = 4;

/// Room for so many more. A column is not made twice as long: what is not used of it would weigh more than the rows.
pub(crate) fn reserve<T>(column: &mut Vec<T>, more: usize) {
    if column.capacity() - column.len() < more {
        column.reserve_exact(more + column.len() / ROOM);
    }
}

/// Rows in order of time, with their rounded times beside them: a search asks for the exact time of those rows only
/// that lie next to what it looks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Postings {
    rows: Vec<u32>,
    times: Sorted,
}

impl Deref for Postings {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.rows
    }
}

impl Postings {
    /// The first place whose row does not begin before a time.
    pub(crate) fn place_of(&self, at: Millis, rows: &impl Rows) -> usize {
        let time = coarse(at);
        let from = self.times.below(time);
        // Few rows are so near to one another.
        if self.times.get(from) != Some(time) {
            return from;
        }
        let near = self.rows.get(from..self.end_of(time)).unwrap_or_default();
        from + near.partition_point(|row| rows.time(*row) < at)
    }

    /// One past the last row of a rounded time.
    fn end_of(&self, time: u32) -> usize {
        time.checked_add(1).map_or(self.rows.len(), |next| self.times.below(next))
    }

    /// Puts a row in its place.
    pub(crate) fn insert(&mut self, rows: &impl Rows, row: u32) {
        let time = coarse(rows.time(row));
        let after = |other: &u32| rows.order(*other, row) == Ordering::Less;
        let is_last = match self.times.last() {
            Some(last) if last == time => self.rows.last().is_none_or(after),
            last => last.is_none_or(|last| last < time),
        };
        let place = match is_last {
            true => self.rows.len(),
            false => {
                let from = self.times.below(time);
                from + self.rows.get(from..self.end_of(time)).unwrap_or_default().partition_point(after)
            }
        };
        self.rows.insert(place, row);
        self.times.insert(place, time);
    }

    /// Puts rows, in order of time, in their places.
    pub(crate) fn extend(&mut self, rows: &impl Rows, new: &[u32]) {
        let (Some(first), last) = (new.first().copied(), self.rows.last().copied()) else { return };
        // What is not after all that is there comes first; mostly there is none.
        let is_between = |row: u32| {
            last.is_some_and(|last| match rows.time(row).cmp(&rows.time(last)) {
                Ordering::Equal => rows.order(row, last) == Ordering::Less,
                apart => apart == Ordering::Less,
            })
        };
        let between = if is_between(first) { new.partition_point(|row| is_between(*row)) } else { 0 };
        let (between, after) = new.split_at(between);
        between.iter().for_each(|row| self.insert(rows, *row));
        reserve(&mut self.rows, after.len());
        self.rows.extend_from_slice(after);
        self.times.extend(after.iter().map(|row| coarse(rows.time(*row))));
    }

    /// Takes a row out.
    pub(crate) fn remove(&mut self, row: u32) {
        if let Some(place) = self.rows.iter().position(|other| *other == row) {
            self.rows.remove(place);
            self.times.remove(place);
        }
    }
}
