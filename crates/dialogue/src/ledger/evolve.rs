//! Folding the ledger's records.

use std::sync::Arc;

use throughline_journal::{Origin, Record};
use throughline_value::Value;

use super::Ledger;
use super::timeline::{Cardinality, Extra, New, Rank, Rule, Says, Timeline};

impl Ledger {
    /// Folds a record; records of other rooms change nothing, and one of its own kinds that cannot be read is
    /// only counted.
    pub fn evolve(&mut self, record: &Record) {
        let says = match record.kind.as_str() {
            "fact.asserted" => Says::Asserted,
            "fact.retracted" => Says::Retracted,
            _ => return,
        };
        if self.fold(record, says).is_none() {
            self.quarantined.push(record.seq);
        }
    }

    fn fold(&mut self, record: &Record, says: Says) -> Option<()> {
        let data = record.data().as_map()?;
        let text = |name: &str| data.get(name).and_then(Value::as_str);
        let (subject, key) = (text("subject")?, text("key")?);
        let cardinality = Cardinality::parse(text("cardinality")?)?;
        let is_purged = data.get("purged").and_then(Value::as_bool) == Some(true);
        if is_purged && (cardinality != Cardinality::One || data.contains_key("rule") || data.contains_key("confirms"))
        {
            // It is as though it had never been said.
            return Some(());
        }
        let (says, value) = match (says, data.get("value")) {
            // What it took the place of is not true again: from here on nothing is known.
            (Says::Asserted, _) if is_purged => (Says::AllRetracted, Value::Null),
            (Says::Asserted, value) => (says, value?.clone()),
            (_, Some(value)) => (Says::Retracted, value.clone()),
            (_, None) => (Says::AllRetracted, Value::Null),
        };
        let extra = Extra {
            valid_to: data.get("valid_to").and_then(Value::as_i64),
            source: text("source").map(str::to_owned),
            confidence: data.get("confidence").and_then(Value::as_number).cloned(),
            origin: record.origin.as_ref().map(|o| Origin { source: o.source.clone(), seq: o.seq }),
            identity: data.get("identity").cloned(),
            confirms: data.get("confirms").and_then(Value::as_i64).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            rank: data.get("rank").and_then(Rank::read),
        };
        let rule = text("rule").and_then(Rule::parse);
        let timeline = self.keys.entry(subject, key, || Timeline::new(cardinality))?;
        if timeline.cardinality != cardinality {
            return None;
        }
        let new = New {
            says,
            turn: record.turn,
            confirms: data.contains_key("confirms"),
            seq: record.seq,
            recorded_at: record.recorded_at,
            valid_from: record.valid_from,
            value,
            extra: (extra != Extra::default()).then(|| Arc::new(extra)),
        };
        timeline.add(new, rule);
        Some(())
    }
}
