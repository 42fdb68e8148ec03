//! Versions on both axes of time.

use std::sync::Arc;

use throughline_journal::{Millis, Origin, Record, Seq};
use throughline_protocol::At;

/// The place of a version: by valid time, ties by where the input came from and its place there, then by
/// the journal. So the same inputs in another order of arrival stand in the same order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp {
    pub(crate) valid_from: Millis,
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) seq: Seq,
}

impl Stamp {
    pub(crate) fn of(record: &Record) -> Self {
        Self { valid_from: record.valid_from, origin: record.origin.clone().map(Arc::new), seq: record.seq }
    }

    /// Whether it is known and true at a moment.
    pub(crate) fn stands(&self, at: At) -> bool {
        self.seq <= at.seq && self.valid_from <= at.valid_at
    }
}

/// How many versions, and then how many minima, one minimum stands for.
const FAN: usize = 16;

/// The versions of one thing on both axes, in the order of their stamps.
///
/// A tree of minima lies over them: the earliest record of every [`FAN`] versions, then of every [`FAN`] of those.
/// With it the newest version that was known at a record is found by going down, however many came in later.
#[derive(Clone, Debug)]
pub(crate) struct Timeline<T> {
    versions: Vec<(Stamp, T)>,
    minima: Vec<Vec<Seq>>,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self { versions: Vec::new(), minima: Vec::new() }
    }
}

impl<T> Timeline<T> {
    /// Puts a version in its place; a late one goes before what is newer.
    pub(crate) fn insert(&mut self, stamp: Stamp, value: T) {
        // Nearly always the newest.
        let last = self.versions.last().is_none_or(|(s, _)| *s <= stamp);
        let place = if last { self.versions.len() } else { self.versions.partition_point(|(s, _)| *s <= stamp) };
        self.versions.insert(place, (stamp, value));
        self.count_from(place);
    }

    /// Puts the minima right from a place on.
    fn count_from(&mut self, place: usize) {
        let mut place = place;
        let mut length = self.versions.len();
        let mut level = 0;
        while length > FAN {
            place /= FAN;
            length = length.div_ceil(FAN);
            let minima = (place..length).map(|i| self.minimum(level, i)).collect::<Vec<Seq>>();
            if self.minima.len() == level {
                self.minima.push(Vec::new());
            }
            if let Some(row) = self.minima.get_mut(level) {
                row.truncate(place);
                row.extend(minima);
            }
            level += 1;
        }
    }

    /// The least of the [`FAN`] below a place, `level` rows above the versions.
    fn minimum(&self, level: usize, place: usize) -> Seq {
        let below = place * FAN..(place + 1) * FAN;
        below.filter_map(|i| self.seq_at(level, i)).min().unwrap_or(Seq::MAX)
    }

    /// The record of a version at level 0, a minimum above it.
    fn seq_at(&self, level: usize, place: usize) -> Option<Seq> {
        match level.checked_sub(1) {
            None => self.versions.get(place).map(|(stamp, _)| stamp.seq),
            Some(row) => self.minima.get(row)?.get(place).copied(),
        }
    }

    /// The version that is true at `at.valid_at` by what was known at `at.seq`: a search.
    pub(crate) fn at(&self, at: At) -> Option<&(Stamp, T)> {
        let end = self.versions.partition_point(|(s, _)| s.valid_from <= at.valid_at);
        // The last known place before `end`: up while there is none, then down.
        let (mut level, mut end) = (0, end);
        loop {
            let first = if self.seq_at(level + 1, 0).is_some() { end / FAN * FAN } else { 0 };
            if let Some(found) = (first..end).rev().find(|i| self.seq_at(level, *i).is_some_and(|s| s <= at.seq)) {
                let mut place = found;
                while level > 0 {
                    level -= 1;
                    let below = place * FAN..(place + 1) * FAN;
                    place = below.rev().find(|i| self.seq_at(level, *i).is_some_and(|s| s <= at.seq))?;
                }
                return self.versions.get(place);
            }
            if first == 0 {
                return None;
            }
            (level, end) = (level + 1, end / FAN);
        }
    }

    /// The first version after `stamp` that was known at `seq`.
    pub(crate) fn after(&self, stamp: &Stamp, seq: Seq) -> Option<&(Stamp, T)> {
        let (mut level, mut start) = (0, self.versions.partition_point(|(s, _)| s <= stamp));
        loop {
            let all = self.seq_at(level + 1, 0).is_none();
            let length =
                level.checked_sub(1).map_or(self.versions.len(), |row| self.minima.get(row).map_or(0, Vec::len));
            let end = if all { length } else { start.next_multiple_of(FAN).min(length) };
            if let Some(found) = (start..end).find(|i| self.seq_at(level, *i).is_some_and(|s| s <= seq)) {
                let mut place = found;
                while level > 0 {
                    level -= 1;
                    let mut below = place * FAN..(place + 1) * FAN;
                    place = below.find(|i| self.seq_at(level, *i).is_some_and(|s| s <= seq))?;
                }
                return self.versions.get(place);
            }
            if all {
                return None;
            }
            (level, start) = (level + 1, start.div_ceil(FAN));
        }
    }

    /// Those that are valid from exactly this time.
    pub(crate) fn exactly_from(&self, valid_from: Millis) -> impl Iterator<Item = &(Stamp, T)> {
        let start = self.versions.partition_point(|(s, _)| s.valid_from < valid_from);
        let end = self.versions.partition_point(|(s, _)| s.valid_from <= valid_from);
        self.versions.get(start..end).into_iter().flatten()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &(Stamp, T)> {
        self.versions.iter()
    }
}
