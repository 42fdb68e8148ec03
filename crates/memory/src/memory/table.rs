//! Items and rows. A row is one version of an item; it keeps its number for ever.

use std::cmp::Ordering;

use throughline_journal::{Millis, Seq};
use throughline_value::{Named, Number, Value};

use super::{Content, Names, Rare};
use crate::index::{RowFacts, Rows, Standing};
use crate::limits::MAX_KINDS;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// The importance of an event that gives none, in thousandths.
const USUAL_IMPORTANCE: u16 = 500;

/// Something that was remembered, whatever its versions.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The record that remembered it, and its place in that record.
    pub(crate) seq: Seq,
    pub(crate) index: u32,
    pub(crate) recorded_at: Millis,
    pub(crate) thread: u32,
    /// Where it came from, one above its place among the sources; 0 when the record names none.
    pub(crate) source: u32,
    pub(crate) source_seq: u64,
    /// Its newest row.
    pub(crate) latest: u32,
}

/// One version of an item.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) at: Millis,
    /// The record that made it, and the record that replaced it.
    pub(crate) born: Seq,
    pub(crate) died: Seq,
    pub(crate) item: u32,
    /// The version before it.
    pub(crate) before: u32,
    text: u32,
    text_len: u32,
    entities: u32,
    entities_len: u32,
    pub(crate) words: u32,
    pub(crate) kind: u16,
    pub(crate) importance: u16,
}

/// Items and rows, with their names and texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    items: Vec<Item>,
    rows: Vec<Row>,
    texts: String,
    entity_lists: Vec<u32>,
    pub(crate) kinds: Names,
    pub(crate) entities: Names,
    pub(crate) threads: Names,
    pub(crate) sources: Names,
    /// Ids that are not made of the record's number and the place in it.
    odd_ids: Named<u32>,
    odd_names: Rare<String>,
    /// When each item was forgotten and brought back.
    forgotten: Rare<Vec<(Seq, bool)>>,
    untils: Rare<Millis>,
    importances: Rare<Number>,
    data: Rare<Value>,
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
    pub(crate) fn item(&self, item: u32) -> Option<&Item> {
        self.items.get(item as usize)
    }

    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = (u32, &Item)> {
        self.items.iter().enumerate().filter_map(|(i, item)| Some((u32::try_from(i).ok()?, item)))
    }

    /// Whether so many versions with so many bytes of text can still be added.
    pub(crate) fn has_room(&self, rows: usize, bytes: usize) -> bool {
        let most = NONE as usize;
        self.rows.len() + rows < most && self.texts.len() + bytes < most && self.entity_lists.len() < most / 2
    }

    pub(crate) fn row(&self, row: u32) -> Option<&Row> {
        self.rows.get(row as usize)
    }

    /// The item with this id.
    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        if let Some(item) = self.odd_ids.get(id) {
            return Some(*item);
        }
        let (seq, index) = parse_usual_id(id)?;
        let place = self.items.binary_search_by_key(&(seq, index), |i| (i.seq, i.index)).ok()?;
        let item = u32::try_from(place).ok()?;
        (!self.odd_names.contains_key(&item)).then_some(item)
    }

    pub(crate) fn id(&self, item: u32) -> String {
        match (self.odd_names.get(&item), self.item(item)) {
            (Some(id), _) => id.clone(),
            (None, Some(item)) => usual_id(item.seq, item.index),
            (None, None) => String::new(),
        }
    }

    /// Adds an item without versions.
    pub(crate) fn add_item(&mut self, id: &str, item: Item) -> Option<u32> {
        let number = next(self.items.len())?;
        if parse_usual_id(id) != Some((item.seq, item.index)) {
            self.odd_ids.insert(id.to_owned(), number);
            self.odd_names.insert(number, id.to_owned());
        }
        self.items.push(item);
        Some(number)
    }

    /// Adds a version; the one before it is replaced.
    pub(crate) fn push(&mut self, item: u32, content: &Content, seq: Seq) -> Option<u32> {
        let number = next(self.rows.len())?;
        let text = u32::try_from(self.texts.len()).ok()?;
        let end = self.texts.len().checked_add(content.text.len())?;
        u32::try_from(end).ok()?;
        let entities = u32::try_from(self.entity_lists.len()).ok()?;
        if self.kinds.len() >= MAX_KINDS && !self.kinds.contains(content.kind.as_str()) {
            return None;
        }
        let kind = match self.kinds.get_index_of(content.kind.as_str()) {
            Some(place) => place,
            None => self.kinds.add(&content.kind),
        };
        let kind = u16::try_from(kind).ok()?;
        self.texts.push_str(&content.text);
        for name in &content.entities {
            let entity = match self.entities.get_index_of(name.as_str()) {
                Some(place) => place,
                None => self.entities.add(name),
            };
            self.entity_lists.push(u32::try_from(entity).ok()?);
        }
        let importance = content.importance.as_ref().map_or(USUAL_IMPORTANCE, thousandths);
        if let Some(until) = content.until {
            self.untils.insert(number, until);
        }
        if let Some(exact) = &content.importance {
            self.importances.insert(number, exact.clone());
        }
        if !content.data.is_null() {
            self.data.insert(number, content.data.clone());
        }
        let before = self.item(item).map_or(NONE, |i| i.latest);
        self.rows.push(Row {
            at: content.at,
            born: seq,
            died: Seq::MAX,
            item,
            before,
            text,
            text_len: u32::try_from(content.text.len()).ok()?,
            entities,
            entities_len: u32::try_from(content.entities.len()).ok()?,
            words: 0,
            kind,
            importance,
        });
        if let Some(row) = self.rows.get_mut(before as usize) {
            row.died = seq;
        }
        if let Some(item) = self.items.get_mut(item as usize) {
            item.latest = number;
        }
        Some(number)
    }

    pub(crate) fn set_words(&mut self, row: u32, words: u32) {
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.words = words;
        }
    }

    pub(crate) fn set_forgotten(&mut self, item: u32, seq: Seq, forgotten: bool) {
        self.forgotten.entry(item).or_default().push((seq, forgotten));
    }

    pub(crate) fn is_forgotten(&self, item: u32, seq: Seq) -> bool {
        let Some(turns) = self.forgotten.get(&item) else { return false };
        turns.iter().rev().find(|(s, _)| *s <= seq).is_some_and(|(_, forgotten)| *forgotten)
    }

    /// When an item was forgotten and brought back.
    pub(crate) fn turns_of(&self, item: u32) -> &[(Seq, bool)] {
        self.forgotten.get(&item).map(Vec::as_slice).unwrap_or_default()
    }

    /// How the row stood after record `seq`; nothing when it was not there yet.
    pub(crate) fn standing_at(&self, row: u32, seq: Seq) -> Option<Standing> {
        let found = self.row(row).filter(|r| r.born <= seq)?;
        Some(match found.died <= seq {
            true => Standing::Replaced,
            false if self.is_forgotten(found.item, seq) => Standing::Forgotten,
            false => Standing::Live,
        })
    }

    pub(crate) fn standing_of(&self, row: u32) -> Standing {
        self.standing_at(row, Seq::MAX - 1).unwrap_or(Standing::Replaced)
    }

    /// The version of an item that stood after record `seq`.
    pub(crate) fn version_at(&self, item: u32, seq: Seq) -> Option<u32> {
        let mut row = self.item(item)?.latest;
        loop {
            let found = self.row(row)?;
            if found.born <= seq {
                return Some(row);
            }
            row = found.before;
        }
    }

    /// The versions of an item, oldest first.
    pub(crate) fn versions(&self, item: u32) -> Vec<u32> {
        let mut rows = Vec::new();
        let mut row = self.item(item).map_or(NONE, |i| i.latest);
        while let Some(found) = self.row(row) {
            rows.push(row);
            row = found.before;
        }
        rows.reverse();
        rows
    }

    pub(crate) fn text(&self, row: &Row) -> &str {
        let start = row.text as usize;
        self.texts.get(start..start + row.text_len as usize).unwrap_or("")
    }

    pub(crate) fn entities_of(&self, row: u32) -> &[u32] {
        let Some(row) = self.row(row) else { return &[] };
        let start = row.entities as usize;
        self.entity_lists.get(start..start + row.entities_len as usize).unwrap_or_default()
    }

    pub(crate) fn until(&self, row: u32) -> Option<Millis> {
        self.untils.get(&row).copied()
    }

    /// One past the last moment of the row.
    pub(crate) fn end(&self, row: u32) -> Millis {
        let at = self.row(row).map_or(0, |r| r.at);
        self.until(row).map_or(at + 1, |until| until.max(at + 1))
    }

    /// The version as it was given.
    pub(crate) fn content(&self, number: u32) -> Option<Content> {
        let row = self.row(number)?;
        let name = |names: &Names, i: usize| names.get_index(i).cloned().unwrap_or_default();
        Some(Content {
            kind: name(&self.kinds, usize::from(row.kind)),
            text: self.text(row).to_owned(),
            at: row.at,
            until: self.until(number),
            entities: self.entities_of(number).iter().map(|e| name(&self.entities, *e as usize)).collect(),
            importance: self.importances.get(&number).cloned(),
            data: self.data.get(&number).cloned().unwrap_or_default(),
        })
    }

    /// The name of the source, empty when there is none.
    pub(crate) fn source(&self, item: &Item) -> &str {
        let place = (item.source as usize).checked_sub(1);
        place.and_then(|i| self.sources.get_index(i)).map_or("", String::as_str)
    }
}

impl Rows for Table {
    fn facts(&self, number: u32) -> RowFacts {
        let end = self.end(number);
        self.row(number).map_or(RowFacts { ts: 0, end, kind: 0, importance: 0, born: 0 }, |row| RowFacts {
            born: row.born,
            ts: row.at,
            end,
            kind: row.kind,
            importance: row.importance,
        })
    }

    fn standing(&self, row: u32) -> Standing {
        self.standing_of(row)
    }

    /// Valid time, then the source's own order, then the order of writing.
    fn order(&self, a: u32, b: u32) -> Ordering {
        let (Some(x), Some(y)) = (self.row(a), self.row(b)) else { return a.cmp(&b) };
        x.at.cmp(&y.at).then_with(|| {
            let (Some(i), Some(j)) = (self.item(x.item), self.item(y.item)) else { return a.cmp(&b) };
            let sources = || if i.source == j.source { Ordering::Equal } else { self.source(i).cmp(self.source(j)) };
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
