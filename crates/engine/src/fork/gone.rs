//! What cannot be decided again, since something that it was decided from was erased.

use std::collections::BTreeMap;

use throughline_journal::{Body, Frame, Journal, Record, Seq};
use throughline_memory::kind;
use throughline_value::Value;

use crate::erase::PlaceName;

/// The events that were purged, by id, with the record that purged each; empty where nothing was.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// Whether everything must come out as it is recorded, also what cannot be decided again for other reasons.
    whole: bool,
    purged: BTreeMap<String, Seq>,
    /// The first record that remembered one of them, and the last that purged one.
    first: Seq,
    last: Seq,
    /// Turns and runs of which something was erased: from which record on.
    places: BTreeMap<PlaceName, Seq>,
    /// From a fact that was erased to the record that erased it: what was decided then may rest on it.
    facts: Vec<(Seq, Seq)>,
}

fn cut(body: &Body) -> bool {
    matches!(body, Body::Rest { .. } | Body::Sealed { content: None, .. })
}

impl Gone {
    pub(super) fn of(journal: &Journal) -> Self {
        let mut gone = Self { whole: true, first: Seq::MAX, ..Self::default() };
        for record in journal.records().filter(|record| record.kind == kind::PURGED) {
            for id in crate::erase::ids(record.data()) {
                gone.purged.entry(id.to_owned()).or_insert(record.seq);
            }
            let of = crate::erase::rests(record).map(|(seq, _)| seq).min();
            gone.first = of.map_or(gone.first, |of| of.min(gone.first));
            gone.last = record.seq;
            let facts = record.data().get("facts").and_then(Value::as_list).unwrap_or_default();
            let facts = facts.iter().filter_map(Value::as_i64).map(i64::cast_unsigned);
            gone.facts.extend(facts.min().map(|first| (first, record.seq)));
        }
        if !gone.purged.is_empty() {
            for record in journal.records().filter(|r| cut(&r.body) && !r.kind.starts_with("memory.")) {
                if let Some(place) = PlaceName::of(record) {
                    gone.places.entry(place).or_insert(record.seq);
                }
            }
        }
        gone
    }

    /// Whether something of a frame was decided from what is no longer there: its own words, or events that were
    /// still there when it was decided.
    pub(super) fn touches(&self, frame: &Frame) -> bool {
        // A text that was no command, or of which only the beginning was kept.
        let unread = |record: &Record| {
            record.kind == "command.refused"
                && record.data().get("command").is_none_or(|command| command.get("type").is_none())
        };
        if self.whole && frame.records.iter().any(unread) {
            return true;
        }
        if self.purged.is_empty() || frame.last() < self.first {
            return false;
        }
        let of_place = |record: &Record| {
            PlaceName::of(record).and_then(|place| self.places.get(&place)).is_some_and(|from| *from <= record.seq)
        };
        if frame.records.iter().any(|record| cut(&record.body) || of_place(record))
            || self.facts.iter().any(|(first, purge)| *first <= frame.last() && frame.first <= *purge)
        {
            return true;
        }
        frame.first <= self.last
            && (frame.records.iter().any(|record| self.is_in(record.data(), frame.first))
                || frame.commands.iter().any(|command| self.is_in(command, frame.first)))
    }

    /// Whether a value names an event that was purged by record `first` or later, or comes from all events.
    fn is_in(&self, value: &Value, first: Seq) -> bool {
        match value {
            Value::Text(text) => self.purged.get(text).is_some_and(|purge| *purge >= first),
            Value::List(list) => list.iter().any(|item| self.is_in(item, first)),
            Value::Map(map) => map.iter().any(|(name, item)| {
                let all =
                    matches!((name.as_str(), item.as_str()), ("type", Some("forget_by")) | ("method", Some("memory")));
                all || self.is_in(item, first)
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}
