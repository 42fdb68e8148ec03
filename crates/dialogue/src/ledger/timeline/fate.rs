//! What became of each version, and how many are hidden.

use throughline_journal::Seq;
use throughline_protocol::At;
use throughline_value::SortedMap;

use super::{Cardinality, Entry, Says, Timeline};

/// What became of a version, as seen from a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It is true.
    Current,
    /// Another version took its place.
    Superseded,
    /// It was taken back.
    Retracted,
    /// Its own end has passed.
    Expired,
    /// It is not true yet.
    Future,
    /// Another source is believed instead.
    Outranked,
    /// Sources disagree, and a person has to say which is right.
    Disputed,
}

impl Status {
    /// The name in a view.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Superseded => "superseded",
            Self::Retracted => "retracted",
            Self::Expired => "expired",
            Self::Future => "future",
            Self::Outranked => "outranked",
            Self::Disputed => "disputed",
        }
    }
}

/// What became of one version, and the record that did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fate {
    pub(crate) index: u32,
    pub(crate) status: Status,
    pub(crate) ended_by: Option<Seq>,
}

/// How many versions are hidden, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) superseded: u64,
    pub(crate) retracted: u64,
    pub(crate) expired: u64,
    pub(crate) future: u64,
    pub(crate) outranked: u64,
    pub(crate) disputed: u64,
}

impl Hidden {
    fn of(&mut self, status: Status) -> Option<&mut u64> {
        match status {
            Status::Current => None,
            Status::Superseded => Some(&mut self.superseded),
            Status::Retracted => Some(&mut self.retracted),
            Status::Expired => Some(&mut self.expired),
            Status::Future => Some(&mut self.future),
            Status::Outranked => Some(&mut self.outranked),
            Status::Disputed => Some(&mut self.disputed),
        }
    }

    /// The counts that are not zero, with their names.
    pub(crate) fn named(self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            (Status::Superseded, self.superseded),
            (Status::Retracted, self.retracted),
            (Status::Expired, self.expired),
            (Status::Future, self.future),
            (Status::Outranked, self.outranked),
            (Status::Disputed, self.disputed),
        ];
        all.into_iter().filter(|(_, n)| *n > 0).map(|(status, n)| (status.name(), n))
    }
}

/// Counts of a key with one value, by which hidden versions are counted without looking at each.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// What became of everything by what stands behind it, when all is known and has begun.
    settled: Hidden,
    /// Whether a retraction of one value stood behind another value: then only a scan counts right.
    tangled: bool,
    /// The entries that are no versions. This and what follows is right as long as nothing came late: what
    /// became of an entry is then said by the next one, once and for all.
    retractions: Vec<u32>,
    confirmations: Vec<u32>,
    /// The last entries of what a retraction ended.
    retracted: Vec<u32>,
    /// The last entries of what had ended by itself when the next entry began.
    expired: Vec<u32>,
}

impl Tally {
    /// Takes in entry `index`, which comes to stand between two others.
    pub(super) fn add(&mut self, index: u32, before: Option<Entry<'_>>, version: Entry<'_>, after: Option<Entry<'_>>) {
        self.settle(before, after, false);
        self.settle(before, Some(version), true);
        self.settle(Some(version), after, true);
        for (earlier, later) in [(before, Some(version)), (Some(version), after)] {
            self.tangled |= later.is_some_and(|l| {
                l.says() == Says::Retracted && earlier.is_none_or(|e| !e.is_assertion() || e.identity() != l.identity())
            });
        }
        if version.confirms() {
            self.confirmations.push(index);
        } else if !version.is_assertion() {
            self.retractions.push(index);
        }
        match before.and_then(|before| ended(before, version)) {
            Some(Status::Expired) => self.expired.push(index - 1),
            Some(Status::Retracted) => self.retracted.push(index - 1),
            _ => {}
        }
    }

    fn settle(&mut self, earlier: Option<Entry<'_>>, later: Option<Entry<'_>>, more: bool) {
        let status = earlier.zip(later).and_then(|(earlier, later)| ended(earlier, later));
        if let Some(count) = status.and_then(|status| self.settled.of(status)) {
            *count = if more { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// How many of the first entries are versions of their own.
    fn versions_below(&self, index: u32) -> u64 {
        u64::from(index) - below(&self.retractions, index) - below(&self.confirmations, index)
    }
}

fn below(list: &[u32], limit: u32) -> u64 {
    list.partition_point(|i| *i < limit) as u64
}

/// What the entry right behind a version makes of it; nothing when it only says it again.
fn ended(version: Entry<'_>, by: Entry<'_>) -> Option<Status> {
    if !version.is_assertion() || (by.confirms() && by.continues(version)) {
        return None;
    }
    Some(match (version.end() <= by.valid_from(), by.is_assertion()) {
        (true, _) => Status::Expired,
        (false, true) => Status::Superseded,
        (false, false) => Status::Retracted,
    })
}

impl Timeline {
    /// What became of every assertion known after `at.seq`, in the order of the journal.
    pub(crate) fn fates(&self, at: At) -> Vec<Fate> {
        let known = self.known(at.seq);
        if let Some(rule) = self.rule(known) {
            return self.fates_of_rivals(at, known, rule);
        }
        let mut fates: SortedMap<u32, Fate> = SortedMap::new();
        let mut open: Vec<u32> = Vec::new();
        let end = |fates: &mut SortedMap<u32, Fate>, index: u32, by: Entry<'_>| {
            let expired = self.end_of(index) <= by.valid_from();
            let status = match (expired, by.is_assertion()) {
                (true, _) => Status::Expired,
                (false, true) => Status::Superseded,
                (false, false) => Status::Retracted,
            };
            fates.insert(index, Fate { index, status, ended_by: (!expired).then_some(by.seq()) });
        };
        for index in self.in_valid_order().filter(|i| *i < known) {
            let Some(version) = self.get(index) else { continue };
            let again = || self.before(index, known).and_then(|i| self.get(i)).is_some_and(|e| version.continues(e));
            if version.confirms() && again() {
                continue;
            }
            if version.valid_from() > at.valid_at {
                if version.is_assertion() {
                    fates.insert(index, Fate { index, status: Status::Future, ended_by: None });
                }
                continue;
            }
            let ends = |other: &u32| {
                let same = || self.get(*other).is_some_and(|o| o.identity() == version.identity());
                match (version.says(), self.cardinality) {
                    (Says::AllRetracted, _) | (Says::Asserted, Cardinality::One) => true,
                    (Says::Retracted, _) | (Says::Asserted, Cardinality::Many) => same(),
                    // What covers it is known only when all are.
                    (Says::Asserted, Cardinality::Interval | Cardinality::Append) => false,
                }
            };
            if self.cardinality == Cardinality::Interval {
                open.push(index);
                continue;
            }
            open.retain(|other| {
                let ended = ends(other);
                if ended {
                    end(&mut fates, *other, version);
                }
                !ended
            });
            if version.is_assertion() {
                open.push(index);
            }
        }
        let winner = open.iter().rev().find(|i| self.end_of(**i) > at.valid_at).copied();
        for index in open {
            if !self.get(index).is_some_and(Entry::is_assertion) {
                continue;
            }
            let covered = self.cardinality == Cardinality::Interval && winner != Some(index);
            if self.end_of(index) <= at.valid_at {
                fates.insert(index, Fate { index, status: Status::Expired, ended_by: None });
            } else if let Some(by) = winner.filter(|_| covered).and_then(|w| self.get(w)) {
                let status = if by.is_assertion() { Status::Superseded } else { Status::Retracted };
                fates.insert(index, Fate { index, status, ended_by: Some(by.seq()) });
            } else {
                fates.insert(index, Fate { index, status: Status::Current, ended_by: None });
            }
        }
        fates.into_values().collect()
    }

    /// How many versions are not current, by what became of them.
    pub(crate) fn hidden(&self, at: At) -> Hidden {
        if self.rule(self.known(at.seq)).is_none()
            && let Some(quick) = self.hidden_now(at).or_else(|| self.hidden_in_order(at))
        {
            return quick;
        }
        let mut hidden = Hidden::default();
        for fate in self.fates(at) {
            if let Some(count) = hidden.of(fate.status) {
                *count += 1;
            }
        }
        hidden
    }

    /// The same for a key with one value, when everything is known and has begun.
    fn hidden_now(&self, at: At) -> Option<Hidden> {
        let last = self.last_entry()?;
        let all = self.known(at.seq) as usize == self.versions.len() && last.valid_from() <= at.valid_at;
        if self.cardinality != Cardinality::One || self.tally.tangled || !all {
            return None;
        }
        let mut hidden = self.tally.settled;
        hidden.expired += u64::from(last.is_assertion() && last.end() <= at.valid_at);
        Some(hidden)
    }

    /// The same for a key with one value whose entries came in order, at any moment.
    fn hidden_in_order(&self, at: At) -> Option<Hidden> {
        if self.cardinality != Cardinality::One || self.tally.tangled || !self.came_in_order() {
            return None;
        }
        let known = self.known(at.seq);
        let begun = self.last_before(self.until(at.valid_at), known).map_or(0, |(_, i)| i + 1);
        let last = begun.checked_sub(1).and_then(|i| self.get(i)).filter(|v| v.is_assertion());
        // What the last one ended is known; its own end is not yet.
        let settled = begun.saturating_sub(1);
        let (retracted, expired) = (below(&self.tally.retracted, settled), below(&self.tally.expired, settled));
        let all = self.tally.versions_below(begun);
        Some(Hidden {
            superseded: all.saturating_sub(retracted + expired + u64::from(last.is_some())),
            retracted,
            expired: expired + u64::from(last.is_some_and(|v| v.end() <= at.valid_at)),
            future: self.tally.versions_below(known).saturating_sub(all),
            ..Hidden::default()
        })
    }
}
