//! What rows say: their texts and data. Everything else about a row stays in memory; this may be let go of and
//! taken again from the records that hold it.
//!
//! Rows lie in parts of [`PART_ROWS`], which are let go of whole. A part knows how long each of its rows is, so
//! that what is taken again goes to its own place, whichever record it comes from and in whatever order.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

use throughline_value::{SortedMap, Value, json};

use super::Rare;
use crate::index::reserve;
use crate::snapshot::{In, Out};

/// How many rows a part has: one bit of a word each.
const PART_ROWS: usize = 64;
/// A length that stands beside.
const LONG: u16 = u16::MAX;

#[derive(Clone, Debug, Default)]
struct Part {
    texts: Vec<u8>,
    data: Vec<u8>,
    /// Whether there is room for all its rows, also for those that are not here.
    open: bool,
    /// The rows whose bytes are here, one bit each.
    here: u64,
    /// The rows that somebody waits for.
    awaited: Cell<u64>,
    /// When one was last wanted.
    used: Cell<u64>,
}

/// Texts and data by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    /// How many bytes each text has.
    lens: Vec<u16>,
    long: Rare<u32>,
    /// How many bytes the data of those rows have that have any.
    data_lens: Rare<u32>,
    parts: Vec<Part>,
    resident: u64,
    total: u64,
    clock: Cell<u64>,
    /// The rows that were wanted and not here.
    missing: RefCell<BTreeSet<u32>>,
}

fn bit(row: u32) -> u64 {
    1 << (row as usize % PART_ROWS)
}

fn part_of(row: u32) -> usize {
    row as usize / PART_ROWS
}

/// Takes bytes out; nothing of them is left behind the end.
fn cut(bytes: &mut Vec<u8>, range: Range<usize>) {
    if bytes.get(range.clone()).is_none() {
        return;
    }
    let rest = bytes.len() - range.len();
    bytes.copy_within(range.end.., range.start);
    bytes.get_mut(rest..).unwrap_or_default().fill(0);
    bytes.truncate(rest);
}

impl Bodies {
    pub(crate) fn text_len(&self, row: u32) -> usize {
        match self.lens.get(row as usize) {
            Some(&LONG) => self.long.get(&row).map_or(usize::from(LONG), |len| *len as usize),
            Some(len) => usize::from(*len),
            None => 0,
        }
    }

    fn data_len(&self, row: u32) -> usize {
        if self.data_lens.is_empty() { 0 } else { self.data_lens.get(&row).map_or(0, |len| *len as usize) }
    }

    /// How many bytes are held now.
    pub(crate) fn resident(&self) -> u64 {
        self.resident
    }

    /// How many bytes there are.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Where a row's text begins in its part.
    fn text_start(&self, row: u32) -> usize {
        let first = part_of(row) * PART_ROWS;
        let before = self.lens.get(first..row as usize).unwrap_or_default();
        let sum: usize = before.iter().map(|len| usize::from(*len)).sum();
        if self.long.is_empty() {
            return sum;
        }
        let long = self.long.range(u32::try_from(first).unwrap_or(row)..row);
        sum + long.map(|(_, len)| (*len as usize).saturating_sub(usize::from(LONG))).sum::<usize>()
    }

    fn data_start(&self, row: u32) -> usize {
        let first = u32::try_from(part_of(row) * PART_ROWS).unwrap_or(row);
        self.data_lens.range(first..row).map(|(_, len)| *len as usize).sum()
    }

    fn text_range(&self, row: u32) -> Range<usize> {
        let start = self.text_start(row);
        start..start + self.text_len(row)
    }

    fn data_range(&self, row: u32) -> Range<usize> {
        let start = self.data_start(row);
        start..start + self.data_len(row)
    }

    /// Adds the body of the next row.
    pub(crate) fn push(&mut self, text: &[u8], data: &Value) {
        let Ok(row) = u32::try_from(self.lens.len()) else { return };
        let json = if data.is_null() { String::new() } else { data.to_json() };
        let place = part_of(row);
        if place >= self.parts.len() {
            if let Some(full) = self.parts.last_mut() {
                full.texts.shrink_to_fit();
                full.data.shrink_to_fit();
            }
            self.parts.push(Part { open: true, ..Part::default() });
        }
        self.open(place);
        let short = u16::try_from(text.len()).unwrap_or(LONG);
        self.lens.push(short);
        if short == LONG {
            self.long.insert(row, u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        if !json.is_empty() {
            self.data_lens.insert(row, u32::try_from(json.len()).unwrap_or(u32::MAX));
        }
        let bytes = (text.len() + json.len()) as u64;
        (self.resident, self.total) = (self.resident + bytes, self.total + bytes);
        let clock = self.tick();
        if let Some(part) = self.parts.get_mut(place) {
            part.texts.extend_from_slice(text);
            part.data.extend_from_slice(json.as_bytes());
            part.here |= bit(row);
            part.used.set(clock);
        }
    }

    /// Adds the bodies of the next so many rows: texts that lie one after the other, or none at all.
    pub(crate) fn push_all(&mut self, text: &str, lengths: &[u32], rows: usize) {
        let mut begin = 0;
        for len in lengths {
            let end = begin + *len as usize;
            self.push(text.get(begin..end).unwrap_or_default().as_bytes(), &Value::Null);
            begin = end;
        }
        // What says nothing has no bytes anywhere: only room for its mark.
        let empty = rows.saturating_sub(lengths.len());
        self.lens.resize(self.lens.len() + empty, 0);
        if let Some(full) = self.parts.last_mut().filter(|_| empty > 0) {
            full.texts.shrink_to_fit();
            full.data.shrink_to_fit();
        }
        let parts = self.lens.len().div_ceil(PART_ROWS);
        self.parts.resize_with(parts.max(self.parts.len()), || Part { open: true, ..Part::default() });
    }

    /// Room for so many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        reserve(&mut self.lens, rows);
        reserve(&mut self.parts, rows / PART_ROWS + 1);
    }

    fn tick(&self) -> u64 {
        let now = self.clock.get() + 1;
        self.clock.set(now);
        now
    }

    /// Makes room in a part for all the rows that it has.
    fn open(&mut self, place: usize) {
        if self.parts.get(place).is_none_or(|part| part.open) {
            return;
        }
        let end = self.lens.len().min((place + 1) * PART_ROWS);
        let Some(last) = end.checked_sub(1).and_then(|last| u32::try_from(last).ok()) else { return };
        let (texts, data) = (self.text_range(last).end, self.data_range(last).end);
        if let Some(part) = self.parts.get_mut(place) {
            (part.texts, part.data, part.open) = (vec![0; texts], vec![0; data], true);
            self.resident += (texts + data) as u64;
        }
    }

    /// The part of a row when the row's bytes are here.
    fn here(&self, row: u32) -> Option<&Part> {
        let part = self.parts.get(part_of(row))?;
        (part.here & bit(row) != 0).then_some(part)
    }

    /// The same; that it was wanted is noted, whether it is here or not.
    fn wanted(&self, row: u32) -> Option<&Part> {
        let found = self.here(row);
        match found {
            Some(part) => part.used.set(self.tick()),
            None => _ = self.missing.borrow_mut().insert(row),
        }
        found
    }

    /// A row's text when it is here; that it was looked at is not noted.
    pub(crate) fn text_here(&self, row: u32) -> Option<&str> {
        if self.text_len(row) == 0 {
            return Some("");
        }
        std::str::from_utf8(self.here(row)?.texts.get(self.text_range(row))?).ok()
    }

    /// A row's text; `None` when it is not here, which is noted.
    pub(crate) fn text(&self, row: u32) -> Option<&str> {
        if self.text_len(row) == 0 {
            return Some("");
        }
        std::str::from_utf8(self.wanted(row)?.texts.get(self.text_range(row))?).ok()
    }

    /// A row's data; null when it has none, and when it is not here, which is noted.
    pub(crate) fn data(&self, row: u32) -> Value {
        if self.data_len(row) == 0 {
            return Value::Null;
        }
        let bytes = self.wanted(row).and_then(|part| part.data.get(self.data_range(row)));
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.and_then(|text| json::read_value(text).ok()).unwrap_or_default()
    }

    /// The rows that were wanted and not here since the last call; from now on they are awaited.
    pub(crate) fn take_missing(&self) -> BTreeSet<u32> {
        let rows = std::mem::take(&mut *self.missing.borrow_mut());
        for row in &rows {
            if let Some(part) = self.parts.get(part_of(*row)) {
                part.awaited.set(part.awaited.get() | bit(*row));
            }
        }
        rows
    }

    /// Whether a row, or one beside it in its part, is awaited.
    pub(crate) fn is_awaited(&self, row: u32) -> bool {
        self.parts.get(part_of(row)).is_some_and(|part| part.awaited.get() != 0)
    }

    /// Takes the body of a row again. Nothing happens when it is here, or is not as long as it was.
    pub(crate) fn warm(&mut self, row: u32, text: &str, data: &Value) {
        let json = if data.is_null() || self.data_len(row) == 0 { String::new() } else { data.to_json() };
        let fits = text.len() == self.text_len(row) && json.len() == self.data_len(row);
        if !fits || text.len() + json.len() == 0 || self.here(row).is_some() {
            return;
        }
        self.open(part_of(row));
        let (texts, datas, clock) = (self.text_range(row), self.data_range(row), self.tick());
        let Some(part) = self.parts.get_mut(part_of(row)) else { return };
        part.awaited.set(part.awaited.get() & !bit(row));
        part.used.set(clock);
        if let (Some(to), Some(other)) = (part.texts.get_mut(texts), part.data.get_mut(datas)) {
            to.copy_from_slice(text.as_bytes());
            other.copy_from_slice(json.as_bytes());
            part.here |= bit(row);
        }
    }

    /// Lets go of parts, the least recently wanted first, until at most so many bytes are held; only of those
    /// whose last row may be let go of.
    pub(crate) fn cool(&mut self, keep: u64, may: &dyn Fn(u32) -> bool) {
        if self.resident <= keep {
            return;
        }
        let mut order: Vec<(u64, usize)> =
            self.parts.iter().enumerate().filter(|(_, part)| part.open).map(|(n, part)| (part.used.get(), n)).collect();
        order.sort_unstable();
        for (_, place) in order {
            if self.resident <= keep {
                return;
            }
            let last = self.lens.len().min((place + 1) * PART_ROWS).saturating_sub(1);
            if !u32::try_from(last).is_ok_and(may) {
                continue;
            }
            if let Some(part) = self.parts.get_mut(place) {
                self.resident = self.resident.saturating_sub((part.texts.len() + part.data.len()) as u64);
                *part = Part { awaited: part.awaited.clone(), used: part.used.clone(), ..Part::default() };
            }
        }
    }

    /// Takes a row's body away, and how long it was.
    pub(crate) fn wipe(&mut self, row: u32) {
        let (texts, data) = (self.text_range(row), self.data_range(row));
        let bytes = (texts.len() + data.len()) as u64;
        if let Some(part) = self.parts.get_mut(part_of(row)) {
            part.here &= !bit(row);
            part.awaited.set(part.awaited.get() & !bit(row));
            if part.open {
                cut(&mut part.texts, texts);
                cut(&mut part.data, data);
                self.resident = self.resident.saturating_sub(bytes);
            }
        }
        self.total = self.total.saturating_sub(bytes);
        self.lens.get_mut(row as usize).into_iter().for_each(|len| *len = 0);
        self.long.remove(&row);
        self.data_lens.remove(&row);
        self.missing.borrow_mut().remove(&row);
    }
}

impl Bodies {
    /// How long everything is.
    pub(crate) fn write(&self, out: &mut Out) {
        self.lens.iter().for_each(|len| out.number(u64::from(*len)));
        out.map(&self.long, |out, len| out.number(u64::from(*len)));
        out.map(&self.data_lens, |out, len| out.number(u64::from(*len)));
    }

    /// The bodies of so many rows, none of which is here.
    pub(crate) fn read(from: &mut In<'_>, rows: usize) -> Option<Self> {
        let lens = (0..rows).map(|_| from.small()).collect::<Option<_>>()?;
        let (long, data_lens) = (from.map(rows, In::small)?, from.map(rows, In::small)?);
        // A record is no longer.
        let fits = |len: &u32| *len as usize <= json::MAX_TEXT_BYTES;
        if !long.values().chain(SortedMap::values(&data_lens)).all(fits) {
            return None;
        }
        let mut this = Self { lens, long, data_lens, ..Self::default() };
        this.parts.resize_with(rows.div_ceil(PART_ROWS), Part::default);
        let data: u64 = this.data_lens.values().map(|len: &u32| u64::from(*len)).sum();
        let texts = (0..u32::try_from(rows).ok()?).map(|row| this.text_len(row) as u64).sum::<u64>();
        this.total = texts.checked_add(data)?;
        Some(this)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bodies: &Bodies, rows: u32) -> Vec<Option<String>> {
        (0..rows).map(|row| bodies.text(row).map(str::to_owned)).collect()
    }

    #[test]
    fn what_was_let_go_of_is_missed_and_taken_again_wherever_it_lies() {
        let mut bodies = Bodies::default();
        let long = "x".repeat(70_000);
        let text = |row: u32| match row % 7 {
            0 => String::new(),
            3 if row == 66 => long.clone(),
            n => format!("{row} {}", "word ".repeat(n as usize)),
        };
        let data =
            |row: u32| if row % 5 == 1 { Value::from([("n", Value::from(u64::from(row)))]) } else { Value::Null };
        for row in 0..150 {
            bodies.push(text(row).as_bytes(), &data(row));
        }
        let whole = texts(&bodies, 150);
        assert!(whole.iter().zip(0..).all(|(t, row)| t.as_deref() == Some(text(row).as_str())));
        assert_eq!(bodies.resident(), bodies.total());
        bodies.cool(0, &|row| row < 128);
        assert!(bodies.resident() > 0 && bodies.text(140).is_some(), "what may not go stays");
        bodies.cool(0, &|_| true);
        assert_eq!((bodies.resident(), bodies.text(66), bodies.data(66)), (0, None, Value::Null));
        assert_eq!(bodies.take_missing(), BTreeSet::from([66]));
        assert!(bodies.take_missing().is_empty());
        bodies.warm(66, "of another length", &Value::Null);
        assert_eq!(bodies.text(66), None);
        // New rows come while older ones of the part are away.
        bodies.push(b"new", &Value::Null);
        assert_eq!((bodies.text(150), bodies.text(149)), (Some("new"), None));
        for row in (0..150).rev() {
            bodies.warm(row, &text(row), &data(row));
        }
        bodies.warm(9_999, "beyond", &Value::Null);
        assert_eq!(texts(&bodies, 150), whole);
        assert!((0..150).all(|row| bodies.data(row) == data(row)));
        assert_eq!(bodies.resident(), bodies.total());
        bodies.wipe(66);
        bodies.wipe(67);
        assert_eq!((bodies.text(66), bodies.text_len(66), bodies.text(68)), (Some(""), 0, whole[68].as_deref()));
        assert!(!bodies.parts.iter().any(|part| part.texts.windows(3).any(|w| w == b"67 ")));
        assert_eq!(bodies.resident(), bodies.total());
        bodies.cool(0, &|_| true);
        bodies.wipe(1);
        bodies.warm(1, &text(1), &data(1));
        bodies.warm(2, &text(2), &data(2));
        assert_eq!((bodies.text(1), bodies.text(2)), (Some(""), whole[2].as_deref()));
    }
}
