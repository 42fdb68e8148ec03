//! Items and rows. A row is one version of an item; it keeps its number for ever.
//!
//! Rows are columns: what most rows do not have (a second version, an end, an exact importance) lies beside
//! them, by row.

mod bulk;
mod snap;

use std::cmp::Ordering;

use throughline_journal::{Millis, Record, Seq};
use throughline_value::{Named, Number, Value};

use super::bodies::Bodies;
use super::{Content, Names, Rare};
use crate::index::{RowFacts, Rows, Standing, reserve};
use crate::kind;
use crate::limits::MAX_KINDS;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// The importance of an event that gives none, in thousandths.
pub(crate) const USUAL_IMPORTANCE: u16 = 500;

/// Marks an importance that was given as a whole number of thousandths.
const GIVEN: u16 = 1 << 15;

/// What the items of one record share.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// The record that remembered them.
    pub(crate) seq: Seq,
    pub(crate) recorded_at: Millis,
    pub(crate) thread: u32,
    /// Where they came from, one above its place among the sources; 0 when the record names none.
    pub(crate) source: u32,
    pub(crate) source_seq: u64,
    /// Whether its items count on from there, as the rows of columns do, or share that number.
    counts: bool,
    /// Its first item; the others follow it.
    first_item: u32,
    /// The row of its first item, when that has one.
    first_row: u32,
}

/// Something that was remembered, whatever its versions, with what its record says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) seq: Seq,
    /// Its place in that record.
    pub(crate) index: u32,
    pub(crate) recorded_at: Millis,
    pub(crate) thread: u32,
    pub(crate) source: u32,
    pub(crate) source_seq: u64,
    /// Its newest row.
    pub(crate) latest: u32,
}

/// One version of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) at: Millis,
    /// The record that made it, and the record that replaced it.
    pub(crate) born: Seq,
    pub(crate) died: Seq,
    pub(crate) item: u32,
    /// The version before it.
    pub(crate) before: u32,
    pub(crate) words: u32,
    pub(crate) kind: u16,
    pub(crate) importance: u16,
}

/// Items and rows, with their names and texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    batches: Vec<Batch>,
    /// The batch of each item.
    items: Vec<u32>,
    /// The newest rows of items that have several, or where the rows of the batch do not lie as its items do.
    latest: Rare<u32>,
    at: Vec<Millis>,
    kind: Vec<u16>,
    importance: Vec<u16>,
    /// Up to the last row that has any.
    words: Vec<u16>,
    /// The item of each row; empty while each row is that of the item with its number.
    of_item: Vec<u32>,
    /// Where each row's entities end; they begin where those of the row before end.
    entities_end: Vec<u32>,
    pub(crate) bodies: Bodies,
    /// Rows whose text is that of an earlier version: of which row.
    text_of: Rare<u32>,
    entity_lists: Vec<u32>,
    /// Rows that are not live now, one bit each.
    dead: Vec<u64>,
    /// Versions after the first: the record that made them, and the version before.
    later: Rare<(Seq, u32)>,
    died: Rare<Seq>,
    pub(crate) kinds: Names,
    pub(crate) entities: Names,
    pub(crate) threads: Names,
    pub(crate) sources: Names,
    /// Ids that are not made of the record's number and the place in it.
    odd_ids: Named<u32>,
    odd_names: Rare<String>,
    /// When each item was forgotten and brought back.
    forgotten: Rare<Vec<(Seq, bool)>>,
    /// Items that were purged: by which record.
    purged: Rare<Seq>,
    /// Places at the source that differ from their record's.
    places: Rare<u64>,
    /// When each item was last used.
    used: Rare<Vec<(Seq, Millis)>>,
    untils: Rare<Millis>,
    importances: Rare<Number>,
    confidences: Rare<Number>,
}

/// The id of the event at a place of a record.
pub(crate) fn usual_id(seq: Seq, index: u32) -> String {
    format!("m_{seq}_{index}")
}

fn parse_usual_id(id: &str) -> Option<(Seq, u32)> {
    let (seq, index) = id.strip_prefix("m_")?.split_once('_')?;
    // `m_07_0` and `m_+7_0` are other ids.
    let plain = |n: &str| n.bytes().all(|b| b.is_ascii_digit()) && (n == "0" || !n.starts_with('0'));
    if !plain(seq) || !plain(index) {
        return None;
    }
    Some((seq.parse().ok()?, index.parse().ok()?))
}

fn next(len: usize) -> Option<u32> {
    u32::try_from(len).ok().filter(|n| *n < NONE)
}

impl Table {
    pub(crate) fn item(&self, item: u32) -> Option<Item> {
        let batch = self.batch_of(item)?;
        let index = item - batch.first_item;
        let usual = batch.source_seq.saturating_add(if batch.counts { u64::from(index) } else { 0 });
        let source_seq = match self.places.is_empty() {
            true => usual,
            false => self.places.get(&item).copied().unwrap_or(usual),
        };
        Some(Item {
            seq: batch.seq,
            index,
            recorded_at: batch.recorded_at,
            thread: batch.thread,
            source: batch.source,
            source_seq,
            latest: self.latest(item),
        })
    }

    /// The number that the next item will get.
    pub(crate) fn next_item(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(NONE)
    }

    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = (u32, Item)> + '_ {
        (0..u32::try_from(self.items.len()).unwrap_or(NONE)).filter_map(|i| Some((i, self.item(i)?)))
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.at.len()
    }

    /// Whether so many versions with so many bytes of text can still be added.
    pub(crate) fn has_room(&self, rows: usize, bytes: usize) -> bool {
        let most = NONE as usize;
        self.rows() + rows < most && bytes < most && self.entity_lists.len() < most / 2
    }

    pub(crate) fn row(&self, row: u32) -> Option<Row> {
        let place = row as usize;
        let item = self.item_of(row)?;
        let (born, before) = match self.later.is_empty() {
            true => None,
            false => self.later.get(&row).copied(),
        }
        .unwrap_or_else(|| (self.born_of(item), NONE));
        Some(Row {
            at: *self.at.get(place)?,
            born,
            died: if self.is_dead(row) { self.died.get(&row).copied().unwrap_or(Seq::MAX) } else { Seq::MAX },
            item,
            before,
            words: self.words_of(row),
            kind: *self.kind.get(place)?,
            importance: *self.importance.get(place)? & !GIVEN,
        })
    }

    fn born_of(&self, item: u32) -> Seq {
        self.batch_of(item).map_or(0, |batch| batch.seq)
    }

    fn batch_of(&self, item: u32) -> Option<&Batch> {
        self.batches.get(*self.items.get(item as usize)? as usize)
    }

    /// The newest row of an item; none of one that was purged before it came.
    fn latest(&self, item: u32) -> u32 {
        if !self.latest.is_empty()
            && let Some(row) = self.latest.get(&item)
        {
            return *row;
        }
        let usual = self.batch_of(item).map_or(NONE, |batch| batch.first_row.saturating_add(item - batch.first_item));
        if self.item_of(usual) == Some(item) { usual } else { NONE }
    }

    /// When the row begins.
    pub(crate) fn at(&self, row: u32) -> Option<Millis> {
        self.at.get(row as usize).copied()
    }

    pub(crate) fn kind_of(&self, row: u32) -> Option<u16> {
        self.kind.get(row as usize).copied()
    }

    pub(crate) fn words_of(&self, row: u32) -> u32 {
        self.words.get(row as usize).copied().map_or(0, u32::from)
    }

    pub(crate) fn item_of(&self, row: u32) -> Option<u32> {
        match self.of_item.get(row as usize) {
            Some(item) => Some(*item),
            None => ((row as usize) < self.at.len()).then_some(row),
        }
    }

    /// Whether a row is not live now.
    pub(crate) fn is_dead(&self, row: u32) -> bool {
        self.dead.get(row as usize / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// Whether no row ever was anything else than live.
    pub(crate) fn is_all_live(&self) -> bool {
        self.dead.is_empty()
    }

    fn set_dead(&mut self, row: u32, dead: bool) {
        let place = row as usize / 64;
        if self.dead.len() <= place && dead {
            self.dead.resize(place + 1, 0);
        }
        if let Some(bits) = self.dead.get_mut(place) {
            *bits = if dead { *bits | 1 << (row % 64) } else { *bits & !(1 << (row % 64)) };
        }
    }

    /// The item with this id.
    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        if let Some(item) = self.odd_ids.get(id) {
            return Some(*item);
        }
        let (seq, index) = parse_usual_id(id)?;
        let place = self.batches.binary_search_by_key(&seq, |batch| batch.seq).ok()?;
        let item = self.batches.get(place)?.first_item.checked_add(index)?;
        self.items.get(item as usize).filter(|batch| **batch as usize == place)?;
        (!self.odd_names.contains_key(&item)).then_some(item)
    }

    pub(crate) fn id(&self, item: u32) -> String {
        match (self.odd_names.get(&item), self.item(item)) {
            (Some(id), _) => id.clone(),
            (None, Some(item)) => usual_id(item.seq, item.index),
            (None, None) => String::new(),
        }
    }

    /// Adds what the next items share.
    pub(crate) fn add_batch(&mut self, record: &Record, thread: u32, source: u32, source_seq: u64) -> Option<u32> {
        let number = next(self.batches.len())?;
        let (first_item, first_row) = (next(self.items.len())?, next(self.rows())?);
        let Record { seq, recorded_at, .. } = *record;
        let counts = record.kind == kind::COLUMNS && record.origin.is_some();
        self.batches.push(Batch { seq, recorded_at, thread, source, source_seq, counts, first_item, first_row });
        Some(number)
    }

    /// Adds the next item of the newest batch, without versions; `id` where it is not the usual one.
    pub(crate) fn add_item(&mut self, batch: u32, id: Option<&str>) -> Option<u32> {
        let number = next(self.items.len())?;
        let of = self.batches.get(batch as usize)?;
        let usual = (of.seq, number - of.first_item);
        if let Some(id) = id.filter(|id| parse_usual_id(id) != Some(usual)) {
            self.odd_ids.insert(id.to_owned(), number);
            self.odd_names.insert(number, id.to_owned());
        }
        self.items.push(batch);
        Some(number)
    }

    pub(crate) fn set_place(&mut self, item: u32, place: u64) {
        self.places.insert(item, place);
    }

    /// Adds a version; the one before it is replaced. Its text is that of another row, where one is named; data
    /// stays with the first version.
    pub(crate) fn push(&mut self, item: u32, content: &Content, text_of: Option<u32>, seq: Seq) -> Option<u32> {
        let kind = self.kind_number(&content.kind)?;
        let text = if text_of.is_some() { "" } else { content.text.as_str() };
        let number = self.push_row(item, content.at, kind, seq)?;
        self.bodies.push(text.as_bytes(), &content.data);
        if let Some(of) = text_of {
            self.text_of.insert(number, self.text_row(of));
        }
        for name in &content.entities {
            let entity = self.entity_number(name)?;
            self.entity_lists.push(entity);
        }
        if let Some(end) = self.entities_end.last_mut() {
            *end = u32::try_from(self.entity_lists.len()).ok()?;
        }
        if let Some(until) = content.until {
            self.untils.insert(number, until);
        }
        if let Some(exact) = &content.importance {
            self.set_importance(number, thousandths(exact));
            self.importances.insert(number, exact.clone());
        }
        if let Some(exact) = &content.confidence {
            self.confidences.insert(number, exact.clone());
        }
        Some(number)
    }

    pub(crate) fn kind_number(&mut self, name: &str) -> Option<u16> {
        let place = match self.kinds.get_index_of(name) {
            Some(place) => place,
            None if self.kinds.len() >= MAX_KINDS => return None,
            None => self.kinds.add(name),
        };
        u16::try_from(place).ok()
    }

    pub(crate) fn entity_number(&mut self, name: &str) -> Option<u32> {
        u32::try_from(self.entities.add(name)).ok()
    }

    /// Adds a version without entities and of the usual importance. Its body is to be added next.
    pub(crate) fn push_row(&mut self, item: u32, at: Millis, kind: u16, seq: Seq) -> Option<u32> {
        let number = next(self.rows())?;
        let entities = u32::try_from(self.entity_lists.len()).ok()?;
        self.items.get(item as usize)?;
        let before = self.latest(item);
        self.at.push(at);
        self.kind.push(kind);
        self.importance.push(USUAL_IMPORTANCE);
        self.note_item(number, item);
        if before != NONE || self.latest(item) != number {
            self.latest.insert(item, number);
        }
        self.entities_end.push(entities);
        if before != NONE {
            self.later.insert(number, (seq, before));
            self.died.insert(before, seq);
            self.set_dead(before, true);
            if self.is_forgotten(item, Seq::MAX) {
                self.set_dead(number, true);
            }
        }
        Some(number)
    }

    /// Notes whose the next row is.
    fn note_item(&mut self, row: u32, item: u32) {
        if self.of_item.is_empty() && row != item {
            self.of_item.extend(0..row);
        }
        if row != item || !self.of_item.is_empty() {
            self.of_item.push(item);
        }
    }

    /// Room for so many rows with so many entities in all, and a little more.
    pub(crate) fn reserve(&mut self, rows: usize, entities: usize) {
        reserve(&mut self.at, rows);
        reserve(&mut self.kind, rows);
        reserve(&mut self.importance, rows);
        if !self.of_item.is_empty() {
            reserve(&mut self.of_item, rows);
        }
        reserve(&mut self.entities_end, rows);
        reserve(&mut self.items, rows);
        reserve(&mut self.entity_lists, entities);
        self.bodies.reserve(rows);
    }

    /// Adds an entity to the newest row.
    pub(crate) fn push_entity(&mut self, entity: u32) {
        self.entity_lists.push(entity);
        if let (Some(end), Ok(len)) = (self.entities_end.last_mut(), u32::try_from(self.entity_lists.len())) {
            *end = len;
        }
    }

    pub(crate) fn set_until(&mut self, row: u32, until: Millis) {
        self.untils.insert(row, until);
    }

    pub(crate) fn set_importance(&mut self, row: u32, importance: u16) {
        if let Some(slot) = self.importance.get_mut(row as usize) {
            *slot = importance;
        }
    }

    /// The same, as it was given: the number of thousandths is exact.
    pub(crate) fn set_thousandths(&mut self, row: u32, importance: u16) {
        self.set_importance(row, importance | GIVEN);
    }

    /// The importance of a row as it was given.
    fn importance_of(&self, row: u32) -> Option<Number> {
        let given = self.importance.get(row as usize).filter(|given| **given & GIVEN != 0);
        match given.map(|given| given & !GIVEN) {
            None => self.importances.get(&row).cloned(),
            Some(1_000..) => Some(Number::from(1)),
            Some(thousandths) => {
                let text = format!("0.{thousandths:03}");
                Number::parse(text.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }

    pub(crate) fn set_words(&mut self, row: u32, words: u32) {
        let place = row as usize;
        if place >= self.words.len() && words > 0 {
            self.words.resize(place + 1, 0);
        }
        if let Some(slot) = self.words.get_mut(place) {
            *slot = u16::try_from(words).unwrap_or(u16::MAX);
        }
    }

    pub(crate) fn set_forgotten(&mut self, item: u32, seq: Seq, forgotten: bool) {
        self.forgotten.entry(item).or_default().push((seq, forgotten));
        let latest = self.latest(item);
        if latest != NONE {
            self.set_dead(latest, forgotten);
        }
    }

    pub(crate) fn is_forgotten(&self, item: u32, seq: Seq) -> bool {
        let Some(turns) = self.forgotten.get(&item) else { return false };
        turns.iter().rev().find(|(s, _)| *s <= seq).is_some_and(|(_, forgotten)| *forgotten)
    }

    /// When an item was forgotten and brought back.
    pub(crate) fn turns_of(&self, item: u32) -> &[(Seq, bool)] {
        self.forgotten.get(&item).map(Vec::as_slice).unwrap_or_default()
    }

    /// The record that purged an item.
    pub(crate) fn purged(&self, item: u32) -> Option<Seq> {
        self.purged.get(&item).copied()
    }

    pub(crate) fn tombstones(&self) -> impl Iterator<Item = (u32, Seq)> + '_ {
        self.purged.iter().map(|(item, seq)| (*item, *seq))
    }

    pub(crate) fn set_purged(&mut self, item: u32, seq: Seq) {
        self.purged.insert(item, seq);
        // Its number at the source says something about it too.
        if let Some(place) = self.places.get_mut(&item) {
            *place = 0;
        }
    }

    /// Lets a row count no more.
    pub(crate) fn kill(&mut self, row: u32) {
        self.set_dead(row, true);
    }

    /// Takes all that a row says away, byte by byte; its number stays taken.
    pub(crate) fn wipe(&mut self, row: u32) {
        let place = row as usize;
        self.bodies.wipe(row);
        self.text_of.remove(&row);
        let range = self.entity_range(row);
        if let Some(entities) = self.entity_lists.get_mut(range) {
            entities.fill(NONE);
        }
        for column in [&mut self.kind, &mut self.importance, &mut self.words] {
            if let Some(slot) = column.get_mut(place) {
                *slot = 0;
            }
        }
        if let Some(slot) = self.at.get_mut(place) {
            *slot = 0;
        }
        self.untils.remove(&row);
        self.importances.remove(&row);
        self.confidences.remove(&row);
        self.set_dead(row, true);
    }

    /// Notes that an item was used.
    pub(crate) fn touch(&mut self, item: u32, seq: Seq, at: Millis) {
        self.used.entry(item).or_default().push((seq, at));
    }

    /// Items that were ever used.
    pub(crate) fn used_items(&self) -> impl Iterator<Item = (u32, &Vec<(Seq, Millis)>)> {
        self.used.iter().map(|(item, uses)| (*item, uses))
    }

    /// When an item was used.
    pub(crate) fn uses_of(&self, item: u32) -> &[(Seq, Millis)] {
        self.used.get(&item).map(Vec::as_slice).unwrap_or_default()
    }

    /// When an item was last used, as known after record `seq`.
    pub(crate) fn used_at(&self, item: u32, seq: Seq) -> Option<Millis> {
        self.used.get(&item)?.iter().filter(|(s, _)| *s <= seq).map(|(_, at)| *at).max()
    }

    /// How the row stood after record `seq`; nothing when it was not there yet, or was purged.
    pub(crate) fn standing_at(&self, row: u32, seq: Seq) -> Option<Standing> {
        if !self.is_dead(row) && self.later.is_empty() {
            let item = self.item_of(row)?;
            let live = self.born_of(item) <= seq && (self.forgotten.is_empty() || !self.is_forgotten(item, seq));
            return if live {
                Some(Standing::Live)
            } else {
                (self.born_of(item) <= seq).then_some(Standing::Forgotten)
            };
        }
        let found = self.row(row).filter(|r| r.born <= seq)?;
        if self.purged.contains_key(&found.item) {
            return None;
        }
        Some(match found.died <= seq {
            true => Standing::Replaced,
            false if self.is_forgotten(found.item, seq) => Standing::Forgotten,
            false => Standing::Live,
        })
    }

    pub(crate) fn standing_of(&self, row: u32) -> Standing {
        if !self.is_dead(row) && (row as usize) < self.rows() {
            return Standing::Live;
        }
        self.standing_at(row, Seq::MAX - 1).unwrap_or(Standing::Replaced)
    }

    /// The version of an item that stood after record `seq`; none of a purged one.
    pub(crate) fn version_at(&self, item: u32, seq: Seq) -> Option<u32> {
        if self.purged.contains_key(&item) {
            return None;
        }
        let mut row = self.latest(item);
        loop {
            let found = self.row(row)?;
            if found.born <= seq {
                return Some(row);
            }
            row = found.before;
        }
    }

    /// The versions of an item, oldest first; none of a purged one.
    pub(crate) fn versions(&self, item: u32) -> Vec<u32> {
        if self.purged.contains_key(&item) { Vec::new() } else { self.rows_of(item) }
    }

    /// The first item of a record.
    pub(crate) fn first_item(&self, seq: Seq) -> Option<u32> {
        let place = self.batches.binary_search_by_key(&seq, |batch| batch.seq).ok()?;
        self.batches.get(place).map(|batch| batch.first_item)
    }

    /// The items of a record.
    pub(crate) fn items_by(&self, seq: Seq) -> Option<std::ops::Range<u32>> {
        let place = self.batches.binary_search_by_key(&seq, |batch| batch.seq).ok()?;
        let end = self.batches.get(place + 1).map_or_else(|| next(self.items.len()), |after| Some(after.first_item))?;
        Some(self.batches.get(place)?.first_item..end)
    }

    /// The first version of an item; none of one that was purged before it came.
    pub(crate) fn first_row(&self, item: u32) -> Option<u32> {
        let mut row = self.latest(item);
        while let Some((_, before)) = self.later.get(&row) {
            row = *before;
        }
        (row != NONE).then_some(row)
    }

    /// All rows of an item, oldest first.
    pub(crate) fn rows_of(&self, item: u32) -> Vec<u32> {
        let mut rows = Vec::new();
        let mut row = self.latest(item);
        while let Some(found) = self.row(row) {
            rows.push(row);
            row = found.before;
        }
        rows.reverse();
        rows
    }

    fn entity_range(&self, row: u32) -> std::ops::Range<usize> {
        range(&self.entities_end, row)
    }

    /// The row that holds the text of a row.
    fn text_row(&self, row: u32) -> u32 {
        if self.text_of.is_empty() { row } else { self.text_of.get(&row).copied().unwrap_or(row) }
    }

    /// A row's text; empty when it is not here, which is noted.
    pub(crate) fn text(&self, row: u32) -> &str {
        self.bodies.text(self.text_row(row)).unwrap_or_default()
    }

    /// A row's text when it is here; that it was looked at is not noted.
    pub(crate) fn text_here(&self, row: u32) -> Option<&str> {
        self.bodies.text_here(self.text_row(row))
    }

    /// A row's text; `None` when it is not here, which is noted.
    pub(crate) fn text_or_note(&self, row: u32) -> Option<&str> {
        self.bodies.text(self.text_row(row))
    }

    pub(crate) fn text_len(&self, row: u32) -> usize {
        self.bodies.text_len(self.text_row(row))
    }

    /// A row's data, which its item has from the first version on; null when it is not here, which is noted.
    fn data(&self, row: u32) -> Value {
        let mut first = row;
        while let Some((_, before)) = self.later.get(&first) {
            first = *before;
        }
        self.bodies.data(first)
    }

    /// The records whose bodies were wanted and are not here, and what of them.
    pub(crate) fn take_missing(&self) -> Vec<Seq> {
        let rows = self.bodies.take_missing();
        let mut seqs: Vec<Seq> = rows.into_iter().filter_map(|row| self.row(row)).map(|row| row.born).collect();
        seqs.sort_unstable();
        seqs.dedup();
        seqs
    }

    /// Lets go of bodies of records up to `committed` until at most so many bytes are held.
    pub(crate) fn cool(&mut self, keep: u64, committed: Seq) {
        let mut bodies = std::mem::take(&mut self.bodies);
        bodies.cool(keep, &|row| self.row(row).is_some_and(|row| row.born <= committed));
        self.bodies = bodies;
    }

    pub(crate) fn entities_of(&self, row: u32) -> &[u32] {
        self.entity_lists.get(self.entity_range(row)).unwrap_or_default()
    }

    /// The entities of a row and of all after it.
    pub(crate) fn entities_from(&self, row: u32) -> &[u32] {
        self.entity_lists.get(self.entity_range(row).start..).unwrap_or_default()
    }

    pub(crate) fn until(&self, row: u32) -> Option<Millis> {
        if self.untils.is_empty() { None } else { self.untils.get(&row).copied() }
    }

    pub(crate) fn confidence(&self, row: u32) -> Option<&Number> {
        self.confidences.get(&row)
    }

    /// One past the last moment of the row.
    pub(crate) fn end(&self, row: u32) -> Millis {
        let at = self.at(row).unwrap_or(0);
        self.until(row).map_or(at + 1, |until| until.max(at + 1))
    }

    /// The version as it was given.
    pub(crate) fn content(&self, number: u32) -> Option<Content> {
        let text = self.text(number).to_owned();
        Some(Content { text, data: self.data(number), ..self.outline(number)? })
    }

    /// The same without text and data.
    pub(crate) fn outline(&self, number: u32) -> Option<Content> {
        let row = self.row(number)?;
        let name = |names: &Names, i: usize| names.get_index(i).unwrap_or_default().to_owned();
        Some(Content {
            kind: name(&self.kinds, usize::from(row.kind)),
            text: String::new(),
            at: row.at,
            until: self.until(number),
            entities: self.entities_of(number).iter().map(|e| name(&self.entities, *e as usize)).collect(),
            importance: self.importance_of(number),
            confidence: self.confidences.get(&number).cloned(),
            data: Value::Null,
        })
    }

    /// The name of the source, empty when there is none.
    pub(crate) fn source(&self, item: &Item) -> &str {
        let place = (item.source as usize).checked_sub(1);
        place.and_then(|i| self.sources.get_index(i)).unwrap_or_default()
    }
}

fn range(ends: &[u32], row: u32) -> std::ops::Range<usize> {
    let row = row as usize;
    let start = row.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end as usize);
    let end = ends.get(row).map_or(start, |end| *end as usize);
    start..end.max(start)
}

impl Rows for Table {
    fn facts(&self, number: u32) -> RowFacts {
        let place = number as usize;
        let (Some(ts), Some(item)) = (self.at(number), self.item_of(number)) else {
            return RowFacts { ts: 0, end: 1, kind: 0, importance: 0, born: 0 };
        };
        let later = if self.later.is_empty() { None } else { self.later.get(&number) };
        RowFacts {
            born: later.map_or_else(|| self.born_of(item), |(born, _)| *born),
            ts,
            end: self.end(number),
            kind: self.kind.get(place).copied().unwrap_or(0),
            importance: self.importance.get(place).copied().unwrap_or(0) & !GIVEN,
        }
    }

    fn time(&self, row: u32) -> Millis {
        self.at(row).unwrap_or(0)
    }

    fn standing(&self, row: u32) -> Standing {
        self.standing_of(row)
    }

    /// Valid time, then the source's own order, then the order of writing.
    fn order(&self, a: u32, b: u32) -> Ordering {
        self.at(a).cmp(&self.at(b)).then_with(|| {
            let item = |row: u32| self.item_of(row).and_then(|item| self.item(item));
            let (Some(i), Some(j)) = (item(a), item(b)) else { return a.cmp(&b) };
            let sources = || if i.source == j.source { Ordering::Equal } else { self.source(&i).cmp(self.source(&j)) };
            sources()
                .then_with(|| i.source_seq.cmp(&j.source_seq))
                .then_with(|| (i.seq, i.index, a).cmp(&(j.seq, j.index, b)))
        })
    }
}

/// A number from 0 to 1 in thousandths, for weighing only.
fn thousandths(number: &Number) -> u16 {
    let scaled = (number.to_f64() * 1_000.0).round().clamp(0.0, 1_000.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1000 just above")]
    let whole = scaled as u16;
    whole
}
