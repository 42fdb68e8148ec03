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

/// The versions of one thing on both axes, in the order of their stamps.
#[derive(Clone, Debug)]
pub(crate) struct Timeline<T>(Vec<(Stamp, T)>);

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Timeline<T> {
    /// Puts a version in its place; a late one goes before what is newer.
    pub(crate) fn insert(&mut self, stamp: Stamp, value: T) {
        let place = self.0.partition_point(|(s, _)| *s <= stamp);
        self.0.insert(place, (stamp, value));
    }

    /// The version that is true at `at.valid_at` by what was known at `at.seq`. A search when looking from
    /// the newest record; further back, later arrivals are stepped over.
    pub(crate) fn at(&self, at: At) -> Option<&(Stamp, T)> {
        self.at_where(at, |_| true)
    }

    /// As [`Timeline::at`], among the versions of one sort.
    pub(crate) fn at_where(&self, at: At, sort: impl Fn(&T) -> bool) -> Option<&(Stamp, T)> {
        let end = self.0.partition_point(|(s, _)| s.valid_from <= at.valid_at);
        self.0.get(..end)?.iter().rev().find(|(s, value)| s.seq <= at.seq && sort(value))
    }

    /// The first version of one sort after `stamp` that was known at `seq`.
    pub(crate) fn after(&self, stamp: &Stamp, seq: Seq, sort: impl Fn(&T) -> bool) -> Option<&(Stamp, T)> {
        let start = self.0.partition_point(|(s, _)| s <= stamp);
        self.0.get(start..)?.iter().find(|(s, value)| s.seq <= seq && sort(value))
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &(Stamp, T)> {
        self.0.iter()
    }
}
