//! Why a value is what it is: from the value back to its source.

use throughline_journal::Record;
use throughline_journal::Seq;
use throughline_protocol::query::Why;
use throughline_protocol::session::Fork;
use throughline_protocol::view::{self, Evidence, ForkReport, WhyStep};
use throughline_protocol::{DEFAULT_SUBJECT, Intervention, Refusal};
use throughline_value::{Value, from_value};

use crate::query::Asked;
use crate::summary::line;

impl Asked<'_> {
    pub(crate) fn why(&self, query: &Why) -> Result<view::Why, Refusal> {
        let at = self.at(&query.at)?;
        let rooms = &self.state.rooms;
        let (value, seq) = match (query.seq, &query.key, &query.entity) {
            (Some(seq), None, None) => (Value::Null, Some(seq)),
            (None, Some(key), None) => {
                let subject = query.subject.as_deref().unwrap_or(DEFAULT_SUBJECT);
                let why = rooms.ledger.why(subject, key, at);
                let seq = why.as_ref().and_then(|why| why.steps.iter().find_map(|(_, seq)| *seq));
                (why.map(|why| why.value).unwrap_or_default(), seq)
            }
            (None, None, Some(entity)) => {
                let field = query.field.as_deref().unwrap_or("");
                let found = rooms.world.entity(entity, at)?;
                (found.entity.fields.get(field).cloned().unwrap_or_default(), rooms.world.why(entity, field, at))
            }
            _ => {
                let hint = "name one of: a record (`seq`), a fact (`key`), an entity (`entity` and `field`)";
                return Err(Refusal::new("why-of-what", hint));
            }
        };
        let record = seq.filter(|seq| *seq <= at.seq).and_then(|seq| self.journal.record(seq));
        let Some(record) = record else {
            return Err(Refusal::new("nothing-there", "there is no such value at this moment, so nothing led to it"));
        };
        let chain = std::iter::once(record).chain(self.causes(record)).map(|record| self.step(record)).collect();
        let value = if value.is_null() { record.data().get("value").cloned().unwrap_or_default() } else { value };
        Ok(view::Why { value, chain })
    }

    /// What would not be without a record: what it led to, and what a fork without it comes to.
    pub(crate) fn without(&self, seq: Seq) -> Result<view::Without, Refusal> {
        let head = self.journal.head().seq;
        let Some(record) = self.journal.record(seq) else {
            let message = format!("there is no record {seq}; the last one is {head}");
            return Err(Refusal::new("unknown-record", message).at_path("/seq"));
        };
        let mut led_to = vec![record.seq];
        for later in self.journal.records_from(seq + 1) {
            if later.cause.is_some_and(|cause| led_to.binary_search(&cause).is_ok()) {
                led_to.push(later.seq);
            }
        }
        let effects =
            led_to.iter().skip(1).filter_map(|seq| self.journal.record(*seq)).map(|record| self.row(record)).collect();
        let fork = Fork {
            interventions: vec![Intervention::Drop(throughline_protocol::Drop { seq })],
            unrecorded: Some("stub".to_owned()),
            ..Fork::default()
        };
        let forked = crate::fork::fork(self.journal, &fork).map_err(|refusal| refusal.at_path("/seq"))?;
        let ForkReport { commands, effects: recorded, changes, .. } = forked.report;
        Ok(view::Without { seq, effects, changes, commands, recorded })
    }

    fn step(&self, record: &Record) -> WhyStep {
        let mut text = format!("{}: {}", record.kind, line(record));
        if !record.reason.is_empty() {
            text = format!("{text} ({})", record.reason);
        }
        WhyStep { text, record: Some(self.row(record)), evidence: evidence_of(record) }
    }
}

/// The evidence that a record carries itself.
fn evidence_of(record: &Record) -> Vec<Evidence> {
    let list = record.data().get("evidence").and_then(Value::as_list).unwrap_or(&[]);
    list.iter().filter_map(|item| from_value(item).ok()).collect()
}
