//! The fold: what recorded outcomes make of the memory. It evaluates nothing and refuses nothing; a record
//! that does not fit is set aside and changes nothing else.

use throughline_journal::{Millis, Record, Seq};
use throughline_value::{Number, Value};

use crate::kind;
use crate::limits::{MAX_ITEMS, MAX_KINDS, MAX_MILLIS};
use crate::memory::{Content, Item, Memory, NONE};

impl Memory {
    /// Folds one record. Kinds of other rooms are passed over.
    pub fn evolve(&mut self, record: &Record) {
        let applied = match record.kind.as_str() {
            kind::REMEMBERED => self.remembered(record),
            kind::AMENDED => self.amended(record),
            kind::FORGOTTEN => self.turned_all(record, true),
            kind::RECOVERED => self.turned_all(record, false),
            _ => return,
        };
        if applied.is_none() {
            self.quarantined.push((record.seq, record.kind.clone()));
        }
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
            let content = read_content(value)?;
            if !self.table.kinds.contains(content.kind.as_str()) {
                kinds.insert(content.kind.clone());
            }
            bytes += content.text.len();
            read.push((id, content));
        }
        // The limits first, so that a record is taken whole or not at all.
        if self.table.kinds.len() + kinds.len() > MAX_KINDS || !self.table.has_room(read.len(), bytes) {
            return None;
        }
        let thread = u32::try_from(self.table.threads.add(&record.thread)).ok()?;
        let (source, source_seq) = match &record.origin {
            Some(origin) => {
                let place = self.table.sources.add(&origin.source);
                (u32::try_from(place + 1).ok()?, origin.seq)
            }
            None => (0, 0),
        };
        for ((id, content), index) in read.iter().zip(0u32..) {
            let item = self.table.add_item(
                id,
                Item {
                    seq: record.seq,
                    index,
                    recorded_at: record.recorded_at,
                    thread,
                    source,
                    source_seq,
                    latest: NONE,
                },
            )?;
            self.add_row(item, content, record.seq)?;
            if let Some(origin) = &record.origin {
                self.origins.entry(origin.source.clone()).or_default().entry(origin.seq).or_default().push(item);
            }
        }
        Some(())
    }

    fn amended(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let item = self.table.find(data.get("memory")?.as_str()?)?;
        let old_row = self.table.version_at(item, Seq::MAX)?;
        let mut content = self.table.content(old_row)?;
        if let Some(text) = data.get("text") {
            content.text = text.as_str()?.to_owned();
        }
        if let Some(at) = data.get("at") {
            content.at = read_time(at)?;
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
        self.add_row(item, &content, record.seq)?;
        Some(())
    }

    fn turned_all(&mut self, record: &Record, forgotten: bool) -> Option<()> {
        let list = record.data().get("memories")?.as_list()?;
        let items: Vec<u32> = list.iter().map(|id| self.table.find(id.as_str()?)).collect::<Option<_>>()?;
        for item in items {
            if self.table.is_forgotten(item, Seq::MAX) == forgotten {
                continue;
            }
            let row = self.table.version_at(item, Seq::MAX)?;
            let stood = self.table.standing_of(row);
            self.table.set_forgotten(item, record.seq, forgotten);
            self.turned(row, stood, record.seq);
        }
        Some(())
    }
}

fn read_content(value: &Value) -> Option<Content> {
    let text = |name: &str| value.get(name).map_or(Some(""), Value::as_str);
    let at = read_time(value.get("at")?)?;
    let until = match value.get("until") {
        Some(until) => Some(read_time(until).filter(|until| *until >= at)?),
        None => None,
    };
    let importance: Option<Number> = match value.get("importance") {
        Some(importance) => Some(importance.as_number()?.clone()),
        None => None,
    };
    Some(Content {
        kind: value.get("kind")?.as_str()?.to_owned(),
        text: text("text")?.to_owned(),
        at,
        until,
        entities: value.get("entities").map_or(Some(Vec::new()), read_entities)?,
        importance,
        data: value.get("data").cloned().unwrap_or_default(),
    })
}

fn read_time(value: &Value) -> Option<Millis> {
    value.as_i64().filter(|ms| ms.abs() <= MAX_MILLIS)
}

fn read_entities(value: &Value) -> Option<Vec<String>> {
    value.as_list()?.iter().map(|e| e.as_str().map(str::to_owned)).collect()
}
