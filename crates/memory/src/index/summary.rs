//! What a block, or a part of the tree above the blocks, holds, exactly.

use throughline_journal::{Millis, Seq};

use super::kept::Kept;

/// How an event stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It counts.
    Live,
    /// It is forgotten and can be recovered.
    Forgotten,
    /// A newer version took its place.
    Replaced,
}

/// The counts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindCount {
    pub(crate) kind: u16,
    pub(crate) live: u32,
    pub(crate) forgotten: u32,
    /// All rows that were ever of the kind: what an earlier moment may have seen.
    pub(crate) ever: u32,
}

/// What a row is to a summary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowFacts {
    pub(crate) ts: Millis,
    /// One past its last moment.
    pub(crate) end: Millis,
    pub(crate) kind: u16,
    pub(crate) importance: u16,
    /// The record that made it.
    pub(crate) born: Seq,
}

/// The summary of some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// The time of the first and the last row.
    pub(crate) first: Millis,
    pub(crate) last: Millis,
    /// The latest end of any row.
    pub(crate) end: Millis,
    pub(crate) rows: u32,
    /// How many rows last longer than a moment.
    pub(crate) lasting: u32,
    pub(crate) live: u32,
    pub(crate) forgotten: u32,
    /// The sum of the importance of what is live, in thousandths.
    pub(crate) importance: u64,
    /// The first record that any row comes from: before it, nothing of this was there.
    pub(crate) born: Seq,
    /// The last record that changed anything in it: what it says holds from there on.
    pub(crate) changed: Seq,
    /// One bit for each kind that any row ever had, by its number modulo 64: what has none of it need not be
    /// looked into.
    pub(crate) mask: u64,
    /// By kind, in rising order.
    pub(crate) kinds: Vec<KindCount>,
    /// What was worked out since the last change.
    pub(crate) kept: Kept,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            first: Millis::MAX,
            last: Millis::MIN,
            end: Millis::MIN,
            rows: 0,
            lasting: 0,
            live: 0,
            forgotten: 0,
            importance: 0,
            born: Seq::MAX,
            changed: 0,
            mask: 0,
            kinds: Vec::new(),
            kept: Kept::default(),
        }
    }
}

impl Summary {
    /// The counts of one kind.
    pub(crate) fn of(&self, kind: u16) -> Option<&KindCount> {
        self.kinds.binary_search_by_key(&kind, |k| k.kind).ok().and_then(|i| self.kinds.get(i))
    }

    /// Whether every row is live: then none need be looked at.
    pub(crate) fn is_clean(&self) -> bool {
        self.live == self.rows
    }

    fn slot(&mut self, kind: u16) -> Option<&mut KindCount> {
        // Where every kind there is occurs, each stands at its own place.
        let own = usize::from(kind);
        if self.kinds.get(own).is_some_and(|count| count.kind == kind) {
            return self.kinds.get_mut(own);
        }
        let place = match self.kinds.binary_search_by_key(&kind, |k| k.kind) {
            Ok(place) => place,
            Err(place) => {
                self.kinds.insert(place, KindCount { kind, ..KindCount::default() });
                place
            }
        };
        self.kinds.get_mut(place)
    }

    /// Adds a row that stands so.
    pub(crate) fn add(&mut self, row: RowFacts, standing: Standing, seq: Seq) {
        self.kept.clear();
        self.first = self.first.min(row.ts);
        self.last = self.last.max(row.ts);
        self.end = self.end.max(row.end);
        self.born = self.born.min(row.born);
        self.rows += 1;
        self.lasting += u32::from(row.end > row.ts + 1);
        self.mask |= 1 << (row.kind % 64);
        let (live, forgotten) = (u32::from(standing == Standing::Live), u32::from(standing == Standing::Forgotten));
        self.changed = self.changed.max(seq);
        self.live += live;
        self.forgotten += forgotten;
        self.importance += u64::from(live) * u64::from(row.importance);
        if let Some(count) = self.slot(row.kind) {
            count.ever += 1;
            count.live += live;
            count.forgotten += forgotten;
        }
    }

    /// Moves a row from one standing to another.
    pub(crate) fn turn(&mut self, row: RowFacts, from: Standing, to: Standing, seq: Seq) {
        self.kept.clear();
        self.changed = self.changed.max(seq);
        let step = |standing: Standing, count: &mut u32, of: Standing, up: bool| {
            if standing == of {
                *count = if up { count.saturating_add(1) } else { count.saturating_sub(1) };
            }
        };
        for (standing, up) in [(from, false), (to, true)] {
            step(standing, &mut self.live, Standing::Live, up);
            step(standing, &mut self.forgotten, Standing::Forgotten, up);
            if standing == Standing::Live {
                let importance = u64::from(row.importance);
                self.importance =
                    if up { self.importance + importance } else { self.importance.saturating_sub(importance) };
            }
            if let Some(count) = self.slot(row.kind) {
                step(standing, &mut count.live, Standing::Live, up);
                step(standing, &mut count.forgotten, Standing::Forgotten, up);
            }
        }
    }

    /// Adds all that another summary says.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.kept.clear();
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.end = self.end.max(other.end);
        self.born = self.born.min(other.born);
        self.rows += other.rows;
        self.lasting += other.lasting;
        self.live += other.live;
        self.forgotten += other.forgotten;
        self.importance += other.importance;
        self.changed = self.changed.max(other.changed);
        self.mask |= other.mask;
        for count in &other.kinds {
            if let Some(slot) = self.slot(count.kind) {
                slot.live += count.live;
                slot.forgotten += count.forgotten;
                slot.ever += count.ever;
            }
        }
    }
}
