//! Numbers and ids that came out otherwise in a fork, followed.

use std::collections::BTreeMap;

use throughline_journal::{Record, Seq};
use throughline_value::{Map, SortedMap, Value};

/// The longest text that is taken for an id.
const MAX_ID: usize = 128;

/// Names under which records and results give ids.
const ID_NAMES: [&str; 12] =
    ["id", "run", "ask", "event", "relation", "exchange", "merge", "memory", "memories", "entity", "items", "call"];

/// Old to new.
#[derive(Debug, Default)]
pub(super) struct Ids {
    texts: BTreeMap<String, String>,
    seqs: SortedMap<Seq, Seq>,
}

impl Ids {
    /// The record in the fork that stands for one of the source; records before the fork are the same.
    pub(super) fn seq(&self, seq: Seq) -> Option<Seq> {
        match self.seqs.get(&seq) {
            Some(new) => Some(*new),
            None => self.seqs.first_key_value().is_none_or(|(first, _)| seq < *first).then_some(seq),
        }
    }

    /// The value with every id in it replaced, also where an id is a key.
    pub(super) fn follow(&self, value: &Value) -> Value {
        if self.texts.is_empty() {
            return value.clone();
        }
        match value {
            Value::Text(text) => Value::from(self.texts.get(text).unwrap_or(text).as_str()),
            Value::List(list) => Value::List(list.iter().map(|item| self.follow(item)).collect()),
            Value::Map(map) => Value::Map(
                map.iter()
                    .map(|(name, item)| (self.texts.get(name).unwrap_or(name).clone(), self.follow(item)))
                    .collect::<Map>(),
            ),
            plain => plain.clone(),
        }
    }

    /// Learns from what the same command gave then and gives now.
    pub(super) fn learn(&mut self, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Text(old), Value::Text(new)) => {
                let id = |text: &str| !text.is_empty() && text.len() <= MAX_ID && !text.contains(char::is_whitespace);
                if old != new && id(old) && id(new) {
                    self.texts.insert(old.clone(), new.clone());
                }
            }
            (Value::List(old), Value::List(new)) if old.len() == new.len() => {
                old.iter().zip(new).for_each(|(old, new)| self.learn(old, new));
            }
            (Value::Map(old), Value::Map(new)) => {
                for name in ID_NAMES {
                    if let (Some(old), Some(new)) = (old.get(name), new.get(name)) {
                        self.learn(old, new);
                    }
                }
            }
            _ => {}
        }
    }

    /// Pairs the records of what happened then with those of the same now: the nth of each kind with the nth.
    pub(super) fn pair<'a>(&mut self, old: impl Iterator<Item = &'a Record>, new: &[Record]) {
        let mut taken: SortedMap<&str, usize> = SortedMap::new();
        for record in old {
            let place = taken.entry(record.kind.as_str()).or_default();
            let same = new.iter().filter(|one| one.kind == record.kind).nth(*place);
            *place += 1;
            if let Some(same) = same {
                self.seqs.insert(record.seq, same.seq);
                self.learn(record.data(), same.data());
            }
        }
    }
}
