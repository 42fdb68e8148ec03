//! What two memories have in common, as hashes.

use throughline_journal::{Digest, Millis, Seq};
use throughline_value::{InOrder as _, Map, Value};

use crate::columns;
use crate::index::Standing;
use crate::memory::{Content, Item, Memory};

impl Memory {
    /// Adds every version of everything, in the order of writing.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("memory");
        for (number, item) in self.table.items() {
            digest.text(&self.table.id(number));
            digest.number(item.seq.cast_signed());
            digest.number(item.recorded_at);
            digest.value(&self.place(&item));
            for row in self.table.versions(number) {
                if let (Some(found), Some(content)) = (self.table.row(row), self.table.content(row)) {
                    digest.number(found.born.cast_signed());
                    digest.value(&self.with_vector(row, content.to_value()));
                }
            }
            for (seq, forgotten) in self.table.turns_of(number) {
                digest.number(seq.cast_signed());
                digest.text(if *forgotten { "forgotten" } else { "recovered" });
            }
            for (seq, at) in self.table.uses_of(number) {
                digest.number(seq.cast_signed());
                digest.number(*at);
            }
            if let Some(seq) = self.table.purged(number) {
                digest.number(seq.cast_signed());
                digest.text("purged");
            }
        }
    }

    /// Adds what is current, without ids and numbers of records: the same whatever the order in which it
    /// came. What is remembered does not end by itself, so the time does not matter.
    pub fn digest_content(&self, digest: &mut Digest, _valid_at: Millis) {
        let current = self.table.items().filter_map(|(_, item)| {
            let live = self.table.standing_at(item.latest, Seq::MAX - 1) == Some(Standing::Live);
            let content = self.table.content(item.latest).filter(|_| live)?;
            let content = self.with_vector(item.latest, content.to_value());
            Some(Value::List(vec![content, self.place(&item)]).canonical())
        });
        let mut texts: Vec<String> = current.collect();
        texts.order();
        digest.text("memory");
        digest.number(i64::try_from(texts.len()).unwrap_or(i64::MAX));
        for text in texts {
            digest.text(&text);
        }
    }

    fn with_vector(&self, row: u32, content: Value) -> Value {
        match (self.vectors.exact(row), content) {
            (Some(exact), Value::Map(mut map)) => {
                let bytes: Vec<u8> = exact.iter().flat_map(|x| x.to_le_bytes()).collect();
                map.insert("vector".into(), columns::encode(&bytes).into());
                Value::Map(map)
            }
            (_, content) => content,
        }
    }

    /// Where an item belongs: its thread and its origin.
    fn place(&self, item: &Item) -> Value {
        let thread = self.table.threads.get_index(item.thread as usize).unwrap_or_default();
        let origin = (item.source > 0).then(|| {
            Value::from([("source", Value::from(self.table.source(item))), ("seq", Value::from(item.source_seq))])
        });
        Value::from([("thread", Value::from(thread)), ("origin", Value::from(origin))])
    }
}

impl Content {
    fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("kind".into(), self.kind.as_str().into());
        map.insert("text".into(), self.text.as_str().into());
        map.insert("at".into(), self.at.into());
        map.insert("until".into(), self.until.into());
        map.insert("entities".into(), self.entities.clone().into());
        map.insert("importance".into(), self.importance.clone().into());
        if let Some(confidence) = &self.confidence {
            map.insert("confidence".into(), confidence.clone().into());
        }
        map.insert("data".into(), self.data.clone());
        Value::Map(map)
    }
}
