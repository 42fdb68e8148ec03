//! The projection: items, their versions as rows, and the indexes over the rows.

mod bodies;
mod names;
mod table;
mod warm;

use std::cell::{Cell, RefCell};

use throughline_journal::{Millis, Seq};
use throughline_value::{Number, SortedMap, Value};

use crate::index::{Postings, Standing, TimeIndex};
use crate::limits::MAX_EXPECTED_ROWS;
use crate::pyramid::Pyramid;
use crate::recall::Scores;
use crate::vectors::Vectors;
use crate::words::WordIndex;

pub(crate) use names::Names;
pub(crate) use table::{Item, Table, usual_id};

/// What is remembered: a fold of the journal. Cloning copies everything.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) table: Table,
    pub(crate) time: TimeIndex,
    /// Rows by entity, in order of time.
    pub(crate) by_entity: Vec<Postings>,
    pub(crate) words: WordIndex,
    pub(crate) vectors: Vectors,
    /// Counts by time and kind, made when they are first drawn.
    pub(crate) pyramid: RefCell<Option<Pyramid>>,
    /// Scores of one recall; empty between recalls.
    pub(crate) scratch: RefCell<Scores>,
    /// The last record that changed anything.
    pub(crate) changed: Seq,
    /// Items by where they came from: the same input again changes nothing.
    pub(crate) origins: SortedMap<String, SortedMap<u64, Vec<u32>>>,
    /// How many events and words there were after each record that changed their number.
    pub(crate) totals: Vec<(Seq, Totals)>,
    pub(crate) quarantined: Vec<(Seq, String)>,
    pub(crate) handed: crate::columns::Handed,
    /// How many rows, and how many entities of rows, the next columns are the first part of.
    pub(crate) expected: Cell<(usize, usize)>,
}

/// How many events are current, and how many words they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) events: u64,
    pub(crate) words: u64,
}

/// A version of an event, read from a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) at: Millis,
    pub(crate) until: Option<Millis>,
    pub(crate) entities: Vec<String>,
    pub(crate) importance: Option<Number>,
    pub(crate) confidence: Option<Number>,
    pub(crate) data: Value,
}

/// Versions beside the first of an item, which most items do not have.
pub(crate) type Rare<T> = SortedMap<u32, T>;

impl Memory {
    /// A memory whose blocks hold so many rows instead of the usual number. It answers the same; tests use
    /// small blocks to have many of them.
    #[must_use]
    pub fn with_blocks_of(rows: usize) -> Self {
        Self { time: TimeIndex::with_blocks_of(rows), ..Self::default() }
    }

    /// Says that the next columns are the first of many that have so many rows in all, with so many entities, so that
    /// room is made once. Nothing else comes of it.
    pub fn expect(&self, rows: usize, entities: usize) {
        self.expected.set((rows.min(MAX_EXPECTED_ROWS), entities.min(MAX_EXPECTED_ROWS)));
    }

    /// How many records of the memory's own kinds did not fit and were set aside.
    #[must_use]
    pub fn quarantined(&self) -> usize {
        self.quarantined.len()
    }

    /// The records that were set aside, with their kinds.
    pub fn problems(&self) -> impl Iterator<Item = (Seq, &str)> {
        self.quarantined.iter().map(|(seq, kind)| (*seq, kind.as_str()))
    }

    /// How many events are remembered and not forgotten.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.totals.last().map_or(0, |(_, totals)| totals.events)
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events a record remembered, and their kinds in the order in which they first come: what is known of
    /// it without its body. `None` when it remembered nothing.
    ///
    /// ```
    /// assert_eq!(throughline_memory::Memory::default().remembered_by(1), None);
    /// ```
    #[must_use]
    pub fn remembered_by(&self, seq: Seq) -> Option<(usize, Vec<&str>)> {
        let items = self.table.items_by(seq)?;
        let mut seen = vec![false; self.kind_count()];
        let kinds = items.clone().filter_map(|item| self.table.kind_of(self.table.first_row(item)?));
        let new =
            kinds.filter(|kind| seen.get_mut(usize::from(*kind)).is_some_and(|seen| !std::mem::replace(seen, true)));
        Some((items.len(), new.filter_map(|kind| self.kind_name(kind)).collect()))
    }

    pub(crate) fn totals_at(&self, seq: Seq) -> Totals {
        let after = self.totals.partition_point(|(s, _)| *s <= seq);
        after.checked_sub(1).and_then(|i| self.totals.get(i)).map(|(_, t)| *t).unwrap_or_default()
    }

    /// Adds a row for a version that record `seq` made, to every index. `None` when a limit is reached; then
    /// nothing changed.
    ///
    /// Its text is that of another row, where one is named.
    pub(crate) fn add_row(&mut self, item: u32, content: &Content, text_of: Option<u32>, seq: Seq) -> Option<u32> {
        let old = self.table.version_at(item, Seq::MAX);
        let stood = old.map(|old| self.table.standing_of(old));
        let row = self.table.push(item, content, text_of, seq)?;
        // The version before it goes first: summaries are sums over rows as they stand.
        if let (Some(old), Some(stood)) = (old, stood) {
            self.turned(old, stood, seq);
        }
        let words = match text_of.map(|of| (of, self.table.text_here(of))) {
            None => self.words.add(row, &content.text),
            Some((_, Some(text))) => self.words.add(row, text),
            Some((of, None)) => {
                self.words.repeat(of, row);
                self.table.words_of(of)
            }
        };
        self.table.set_words(row, words);
        self.time.insert(&self.table, row, seq);
        self.list_entities(row);
        if self.table.standing_of(row) == Standing::Live {
            self.count(seq, 1, i64::from(words));
            self.drawn(row, 1);
        }
        Some(row)
    }

    /// Puts a new row into the lists of its entities.
    pub(crate) fn list_entities(&mut self, row: u32) {
        for entity in self.table.entities_of(row) {
            let place = *entity as usize;
            if self.by_entity.len() <= place {
                self.by_entity.resize_with(place + 1, Postings::default);
            }
            if let Some(list) = self.by_entity.get_mut(place) {
                list.insert(&self.table, row);
            }
        }
    }

    /// Puts many new rows, all from `first` on, into the lists of their entities, each list once; `sorted` has the rows
    /// in order of time.
    pub(crate) fn list_all_entities(&mut self, first: u32, sorted: &[u32]) {
        // Each entity is looked at: that pays where there are not many for each row.
        if sorted.len() < self.table.entities.len() / 8 {
            return sorted.iter().for_each(|row| self.list_entities(*row));
        }
        // How many each entity gets, then where its own begin.
        let mut begins = vec![0u32; self.table.entities.len() + 1];
        for entity in self.table.entities_from(first) {
            begins.get_mut(*entity as usize + 1).into_iter().for_each(|count| *count += 1);
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        let mut grouped = vec![0u32; sum as usize];
        for row in sorted {
            for entity in self.table.entities_of(*row) {
                let Some(next) = begins.get_mut(*entity as usize) else { continue };
                grouped.get_mut(*next as usize).into_iter().for_each(|slot| *slot = *row);
                *next += 1;
            }
        }
        if self.by_entity.len() < self.table.entities.len() && sum > 0 {
            self.by_entity.resize_with(self.table.entities.len(), Postings::default);
        }
        // Each begin has gone on to where the next one's was.
        let mut from = 0;
        for (list, end) in self.by_entity.iter_mut().zip(&begins) {
            if from < *end {
                list.extend(&self.table, grouped.get(from as usize..*end as usize).unwrap_or_default());
                from = *end;
            }
        }
    }

    /// Tells the indexes that a row stands otherwise than before.
    pub(crate) fn turned(&mut self, row: u32, from: Standing, seq: Seq) {
        let to = self.table.standing_of(row);
        if from == to {
            return;
        }
        self.time.turn(&self.table, row, from, seq);
        let words = i64::from(self.table.words_of(row));
        match (from, to) {
            (Standing::Live, _) => {
                self.count(seq, -1, -words);
                self.drawn(row, -1);
            }
            (_, Standing::Live) => {
                self.count(seq, 1, words);
                self.drawn(row, 1);
            }
            _ => {}
        }
    }

    /// Tells the pyramid, when there is one.
    pub(crate) fn drawn(&mut self, row: u32, change: i32) {
        if let (Some(pyramid), Some(at), Some(kind)) =
            (self.pyramid.get_mut(), self.table.at(row), self.table.kind_of(row))
            && !(pyramid.knows(kind) && pyramid.add(at, kind, change))
        {
            // It reaches beyond what was drawn, or is of a new kind: made anew when it is asked for.
            *self.pyramid.get_mut() = None;
        }
    }

    /// Takes items out of everything: what they said is nowhere any more, as of any moment.
    pub(crate) fn purge(&mut self, items: &[u32], seq: Seq) {
        let rows: Vec<(u32, u32)> =
            items.iter().flat_map(|item| self.table.rows_of(*item).into_iter().map(|row| (*item, row))).collect();
        // The words first, of all: a version may hold the text of another.
        self.words.remove(&mut rows.iter().map(|(_, row)| (*row, self.table.text_here(*row))));
        for (item, row) in rows {
            let Some(found) = self.table.row(row) else { continue };
            if self.table.standing_of(row) == Standing::Live {
                self.table.kill(row);
                self.drawn(row, -1);
            }
            self.uncount(found.born, found.died, item, i64::from(found.words));
            self.time.remove(&self.table, row, seq);
            for entity in self.table.entities_of(row) {
                if let Some(list) = self.by_entity.get_mut(*entity as usize) {
                    list.remove(row);
                }
            }
            self.vectors.remove(row);
            self.table.wipe(row);
        }
        items.iter().for_each(|item| self.table.set_purged(*item, seq));
    }

    /// Takes the names of kinds and entities away that nothing has any more.
    pub(crate) fn wipe_names(&mut self) {
        let lists = &self.by_entity;
        self.table.entities.wipe(&|n| lists.get(n).is_none_or(|list| list.is_empty()));
        let mut used = vec![false; self.table.kinds.len()];
        for (kind, _) in self.time.blocks().iter().flat_map(|block| block.kinds(0..block.len())) {
            used.get_mut(usize::from(kind)).into_iter().for_each(|slot| *slot = true);
        }
        self.table.kinds.wipe(&|n| !used.get(n).copied().unwrap_or(false));
        *self.pyramid.get_mut() = None;
    }

    /// Earlier moments count an item no more that lived from one record to another.
    fn uncount(&mut self, born: Seq, died: Seq, item: u32, words: i64) {
        let table = &self.table;
        for (seq, totals) in &mut self.totals {
            if born <= *seq && *seq < died && !table.is_forgotten(item, *seq) {
                totals.events = totals.events.saturating_sub(1);
                totals.words = totals.words.saturating_add_signed(-words);
            }
        }
    }

    pub(crate) fn count(&mut self, seq: Seq, events: i64, words: i64) {
        let now = self.totals.last().map(|(_, t)| *t).unwrap_or_default();
        let next =
            Totals { events: now.events.saturating_add_signed(events), words: now.words.saturating_add_signed(words) };
        match self.totals.last_mut() {
            Some((last, totals)) if *last == seq => *totals = next,
            _ => self.totals.push((seq, next)),
        }
    }
}
