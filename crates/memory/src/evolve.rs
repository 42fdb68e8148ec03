//! The fold: what recorded outcomes make of the memory. It evaluates nothing and refuses nothing; a record
//! that does not fit is set aside and changes nothing else.

use throughline_journal::{Millis, Record, Seq};
use throughline_value::{Number, Value, order_numbers};

use crate::columns::{Columns, Packed, same_names};
use crate::index::Standing;
use crate::kind;
use crate::limits::{MAX_ITEMS, MAX_KINDS, MAX_MILLIS};
use crate::memory::{Content, Memory};
use crate::vectors;

impl Memory {
    /// Folds one record. Kinds of other rooms are passed over.
    pub fn evolve(&mut self, record: &Record) {
        let applied = match record.kind.as_str() {
            kind::REMEMBERED => self.remembered(record),
            kind::COLUMNS => self.remembered_columns(record),
            kind::AMENDED => self.amended(record),
            kind::FORGOTTEN => self.turned_all(record, true),
            kind::RECOVERED => self.turned_all(record, false),
            kind::TOUCHED => self.touched(record),
            kind::PURGED => self.purged(record),
            _ => return,
        };
        self.changed = self.changed.max(record.seq);
        if applied.is_none() {
            self.quarantined.push((record.seq, record.kind.clone()));
        }
    }

    fn batch_of(&mut self, record: &Record) -> Option<u32> {
        let thread = u32::try_from(self.table.threads.add(&record.thread)).ok()?;
        let (source, source_seq) = match &record.origin {
            Some(origin) => {
                let place = self.table.sources.add(&origin.source);
                (u32::try_from(place + 1).ok()?, origin.seq)
            }
            None => (0, 0),
        };
        self.table.add_batch(record, thread, source, source_seq)
    }

    fn remembered(&mut self, record: &Record) -> Option<()> {
        let list = record.data().get("items")?.as_list().filter(|list| list.len() <= MAX_ITEMS)?;
        let mut read = Vec::with_capacity(list.len());
        let mut ids = std::collections::BTreeSet::new();
        let mut kinds = std::collections::BTreeSet::new();
        let mut bytes = 0;
        for value in list {
            let id = value.get("id")?.as_str()?;
            if self.table.find(id).is_some() || !ids.insert(id) {
                return None;
            }
            if is_purged(value) {
                read.push((id, None));
                continue;
            }
            let (content, vector) = read_content(value)?;
            if !self.table.kinds.contains(content.kind.as_str()) {
                kinds.insert(content.kind.clone());
            }
            bytes += content.text.len();
            read.push((id, Some((content, vector))));
        }
        // The limits first, so that a record is taken whole or not at all.
        if self.table.kinds.len() + kinds.len() > MAX_KINDS || !self.table.has_room(read.len(), bytes) {
            return None;
        }
        let batch = self.batch_of(record)?;
        for (id, content) in &read {
            let item = self.table.add_item(batch, Some(id))?;
            match content {
                Some((content, vector)) => {
                    let row = self.add_row(item, content, None, record.seq)?;
                    if let Some(vector) = vector {
                        self.vectors.add(row, vector);
                    }
                }
                None => self.table.set_purged(item, 0),
            }
            self.note_origin(record, item);
        }
        Some(())
    }

    fn note_origin(&mut self, record: &Record, item: u32) {
        if let Some(origin) = &record.origin {
            self.origins.entry(origin.source.clone()).or_default().entry(origin.seq).or_default().push(item);
        }
    }

    fn remembered_columns(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        // What was decided just now need not be read again.
        let same = |c: &Columns| {
            same_names(&c.kinds, data.get("kinds"))
                && same_names(&c.entities, data.get("entities"))
                && data.get("gone").is_none()
        };
        let mut columns = self.handed.take(&Packed::of_data(data), same).or_else(|| Columns::of(data))?;
        // Each purge names its rows after those of the one before.
        order_numbers(&mut columns.gone, &mut |a, b| a.cmp(&b));
        let first = u64::try_from(data.get("first")?.as_i64()?).ok()?;
        // An item of a column lists itself only by the first one of its record.
        if self.table.find(&crate::memory::usual_id(first, 0)).is_some()
            || !self.table.has_room(columns.at.len(), columns.text.len())
            || self.table.kinds.len() + columns.kinds.len() > MAX_KINDS
        {
            return None;
        }
        let batch = self.batch_of(record)?;
        let kinds: Vec<u16> = columns.kinds.iter().map(|name| self.table.kind_number(name)).collect::<Option<_>>()?;
        let entities: Vec<u32> =
            columns.entities.iter().map(|name| self.table.entity_number(name)).collect::<Option<_>>()?;
        let (rows, listed) = self.expected.take();
        self.table.reserve(rows.max(columns.at.len()), listed.max(columns.entity.len()));
        let first_row = u32::try_from(self.table.rows()).ok()?;
        if columns.gone.is_empty() {
            let item = self.table.next_item();
            self.table.push_columns(batch, first, &columns, &kinds, &entities)?;
            self.note_origin(record, item);
        } else {
            self.push_rest(record, batch, first, &columns, &kinds, &entities)?;
        }
        let end = u32::try_from(self.table.rows()).ok()?;
        let words = self.read_words(&columns, first_row);
        if columns.vector_size > 0 {
            let rows = (0..columns.at.len()).filter(|place| !is_gone(&columns, *place));
            for (row, place) in (first_row..end).zip(rows) {
                if let Some(vector) = columns.vector_of(place) {
                    self.vectors.add(row, &vector);
                }
            }
        }
        let sorted = self.time.insert_many(&self.table, first_row..end, record.seq);
        self.list_all_entities(first_row, &sorted);
        if self.pyramid.get_mut().is_some() {
            (first_row..end).for_each(|row| self.drawn(row, 1));
        }
        self.count(record.seq, i64::from(end - first_row), words);
        Some(())
    }

    /// Adds the rows of columns of which some were purged: their items have none.
    fn push_rest(
        &mut self,
        record: &Record,
        batch: u32,
        first: Seq,
        columns: &Columns,
        kinds: &[u16],
        entities: &[u32],
    ) -> Option<()> {
        let (mut byte, mut entity) = (0usize, 0usize);
        for (index, at) in (0u32..).zip(&columns.at) {
            let place = index as usize;
            let id = (first != record.seq).then(|| crate::memory::usual_id(first, index));
            let item = self.table.add_item(batch, id.as_deref())?;
            if let Some(number) = columns.place.get(place) {
                self.table.set_place(item, *number);
            }
            if index == 0 {
                self.note_origin(record, item);
            }
            if is_gone(columns, place) {
                self.table.set_purged(item, 0);
                continue;
            }
            let bytes = columns.text_bytes.get(place).map_or(0, |n| *n as usize);
            let text = columns.text.get(byte..byte + bytes)?;
            byte += bytes;
            let kind = *kinds.get(usize::from(*columns.kind.get(place)?))?;
            let row = self.table.push_row(item, *at, kind, record.seq)?;
            self.table.bodies.push(text.as_bytes(), &Value::Null);
            let count = columns.entity_count.get(place).map_or(0, |n| *n as usize);
            for own in columns.entity.get(entity..entity + count)? {
                self.table.push_entity(*entities.get(*own as usize)?);
            }
            entity += count;
            if let Some(lasts) = columns.lasts.get(place).filter(|lasts| **lasts > 0) {
                self.table.set_until(row, at + i64::try_from(*lasts).ok()?);
            }
            if let Some(importance) = columns.importance.get(place).and_then(|n| n.checked_sub(1)) {
                self.table.set_thousandths(row, importance);
            }
        }
        Some(())
    }

    /// Lists the words of the texts of columns, whose rows follow one another; how many there are.
    fn read_words(&mut self, columns: &Columns, first_row: u32) -> i64 {
        let (mut words, mut byte, mut row) = (0i64, 0usize, first_row);
        for (place, bytes) in columns.text_bytes.iter().enumerate() {
            if is_gone(columns, place) {
                continue;
            }
            let text = columns.text.get(byte..byte + *bytes as usize).unwrap_or_default();
            byte += *bytes as usize;
            let held = self.words.add(row, text);
            self.table.set_words(row, held);
            (words, row) = (words + i64::from(held), row + 1);
        }
        words
    }

    fn amended(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let item = self.table.find(data.get("memory")?.as_str()?)?;
        if is_purged(data) || self.table.purged(item).is_some() {
            return Some(());
        }
        let old_row = self.table.version_at(item, Seq::MAX)?;
        let mut content = self.table.outline(old_row)?;
        let text = data.get("text").map(|text| text.as_str().ok_or(())).transpose().ok()?;
        content.text.push_str(text.unwrap_or(""));
        if let Some(at) = data.get("at") {
            content.at = read_time(at)?;
        }
        if let Some(until) = data.get("until") {
            content.until = Some(read_time(until)?);
        }
        if let Some(entities) = data.get("entities") {
            content.entities = read_entities(entities)?;
        }
        if let Some(importance) = data.get("importance") {
            content.importance = Some(importance.as_number()?.clone());
        }
        if content.until.is_some_and(|until| until < content.at) || !self.table.has_room(1, content.text.len()) {
            return None;
        }
        // What was not corrected is said by the version before.
        let text_of = text.is_none().then_some(old_row);
        let row = self.add_row(item, &content, text_of, record.seq)?;
        self.vectors.copy(old_row, row);
        Some(())
    }

    fn turned_all(&mut self, record: &Record, forgotten: bool) -> Option<()> {
        for item in self.items_of(record)? {
            if self.table.is_forgotten(item, Seq::MAX) == forgotten {
                continue;
            }
            let stood = self.table.version_at(item, Seq::MAX).map(|row| (row, self.table.standing_of(row)));
            self.table.set_forgotten(item, record.seq, forgotten);
            if let Some((row, stood)) = stood {
                self.turned(row, stood, record.seq);
            }
        }
        Some(())
    }

    fn touched(&mut self, record: &Record) -> Option<()> {
        let at = read_time(record.data().get("at")?)?;
        for item in self.items_of(record)? {
            self.table.touch(item, record.seq, at);
            if let Some(row) = self.table.version_at(item, Seq::MAX) {
                self.time.touched(&self.table, row);
            }
        }
        Some(())
    }

    fn purged(&mut self, record: &Record) -> Option<()> {
        let items = self.items_of(record)?;
        let new: std::collections::BTreeSet<u32> =
            items.iter().copied().filter(|item| self.table.purged(*item).is_none()).collect();
        self.purge(&new.into_iter().collect::<Vec<_>>(), record.seq);
        items.iter().for_each(|item| self.table.set_purged(*item, record.seq));
        self.wipe_names();
        Some(())
    }

    fn items_of(&self, record: &Record) -> Option<Vec<u32>> {
        let list = record.data().get("memories")?.as_list()?;
        list.iter().map(|id| self.table.find(id.as_str()?)).collect()
    }

    /// Whether a row is live now.
    pub(crate) fn is_live(&self, row: u32) -> bool {
        self.table.standing_of(row) == Standing::Live
    }
}

/// Whether a row of columns was purged.
fn is_gone(columns: &Columns, place: usize) -> bool {
    !columns.gone.is_empty() && u32::try_from(place).is_ok_and(|place| columns.gone.binary_search(&place).is_ok())
}

/// Whether something was purged, and is only a number now.
fn is_purged(value: &Value) -> bool {
    value.get("purged").and_then(Value::as_bool) == Some(true)
}

fn read_content(value: &Value) -> Option<(Content, Option<Vec<f32>>)> {
    let text = |name: &str| value.get(name).map_or(Some(""), Value::as_str);
    let at = read_time(value.get("at")?)?;
    let until = match value.get("until") {
        Some(until) => Some(read_time(until).filter(|until| *until >= at)?),
        None => None,
    };
    let number = |name: &str| -> Option<Option<Number>> {
        value.get(name).map_or(Some(None), |number| Some(Some(number.as_number()?.clone())))
    };
    let vector = match value.get("vector") {
        Some(vector) => Some(vectors::read(vector, "").ok()?),
        None => None,
    };
    let content = Content {
        kind: value.get("kind")?.as_str()?.to_owned(),
        text: text("text")?.to_owned(),
        at,
        until,
        entities: value.get("entities").map_or(Some(Vec::new()), read_entities)?,
        importance: number("importance")?,
        confidence: number("confidence")?,
        data: value.get("data").cloned().unwrap_or_default(),
    };
    Some((content, vector))
}

fn read_time(value: &Value) -> Option<Millis> {
    value.as_i64().filter(|ms| ms.abs() <= MAX_MILLIS)
}

fn read_entities(value: &Value) -> Option<Vec<String>> {
    value.as_list()?.iter().map(|e| e.as_str().map(str::to_owned)).collect()
}
