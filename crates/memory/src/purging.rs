//! What events say that are about to be purged, so that it can be found where else it was written.

use std::collections::BTreeSet;

use throughline_value::Value;

use crate::memory::Memory;
use crate::words::words;

/// The shortest word, in bytes, by which a text is recognised.
const LEAST_WORD: usize = 4;

/// What some events say.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Their texts, also those of earlier versions and those within their data.
    pub texts: BTreeSet<String>,
    /// The words, kinds and entities that no other event has.
    pub words: BTreeSet<String>,
}

/// Calls with each word of a text, as the memory reads it.
pub fn words_in(text: &str, found: &mut dyn FnMut(&str)) {
    words(text, found);
}

fn texts_in(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Text(text) => {
            texts.insert(text.clone());
        }
        Value::List(list) => list.iter().for_each(|item| texts_in(item, texts)),
        Value::Map(map) => map.values().for_each(|item| texts_in(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Memory {
    /// Whether anything was ever remembered here.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.table.rows() > 0
    }

    /// Whether an event of this id was purged.
    #[must_use]
    pub fn is_purged(&self, id: &str) -> bool {
        self.table.find(id).is_some_and(|item| self.table.purged(item).is_some())
    }

    /// Whether there is an event of this id, or was one.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.table.find(id).is_some()
    }

    /// What events say that are not purged yet, and what was concluded from them alone.
    #[must_use]
    pub fn said_by(&self, ids: &[&str], also: &BTreeSet<String>) -> Said {
        let items = ids.iter().filter_map(|id| self.table.find(id)).filter(|item| self.table.purged(*item).is_none());
        let rows: BTreeSet<u32> = items.flat_map(|item| self.table.rows_of(item)).collect();
        let mut said = Said { texts: also.clone(), ..Said::default() };
        let (mut kinds, mut entities) = (BTreeSet::<u16>::new(), BTreeSet::<u32>::new());
        for row in &rows {
            let Some(content) = self.table.content(*row) else { continue };
            kinds.extend(self.table.kind_of(*row));
            entities.extend(self.table.entities_of(*row));
            said.texts.insert(content.text);
            texts_in(&content.data, &mut said.texts);
        }
        said.texts.remove("");
        let mut own = BTreeSet::new();
        let mut add = |text: &str| {
            words(text, &mut |word| {
                let others = self.words.rows_of(word).any(|row| !rows.contains(&row));
                if word.len() >= LEAST_WORD && !others {
                    own.insert(word.to_owned());
                }
            });
        };
        said.texts.iter().for_each(|text| add(text));
        let all = 0..u32::try_from(self.table.rows()).unwrap_or(u32::MAX);
        let is_left = |row: &u32| {
            !rows.contains(row) && self.table.item_of(*row).is_some_and(|item| self.table.purged(item).is_none())
        };
        for row in all.filter(is_left) {
            self.table.kind_of(row).map(|kind| kinds.remove(&kind));
        }
        entities.retain(|entity| {
            self.by_entity.get(*entity as usize).is_none_or(|list| list.iter().all(|row| rows.contains(row)))
        });
        let kinds = kinds.iter().filter_map(|kind| self.table.kinds.get_index(usize::from(*kind)));
        let entities = entities.iter().filter_map(|entity| self.table.entities.get_index(*entity as usize));
        kinds.chain(entities).for_each(add);
        said.words = own;
        said
    }
}
