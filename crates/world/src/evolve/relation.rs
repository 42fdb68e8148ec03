//! Folding relations.

use std::sync::Arc;

use throughline_journal::{Record, Versions};
use throughline_value::Value;

use crate::bitemporal::Stamp;
use crate::fields::{flag, optional, text};
use crate::relation::{BELOW_FLOOR, HELD, Relation};
use crate::world::World;

impl World {
    pub(super) fn relation_added(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let id = text(data, "relation")?;
        let end = |name| self.nodes.get_key_value(text(data, name)?).map(|(id, _)| id.clone());
        let (from, to) = (end("from")?, end("to")?);
        let flagged = match optional(data, "flag", Value::as_str)? {
            None => None,
            Some(HELD) => Some(HELD),
            Some(BELOW_FLOOR) => Some(BELOW_FLOOR),
            Some(_) => return None,
        };
        if self.edges.by_id.contains_key(id) {
            return None;
        }
        let relation = Relation {
            id: id.into(),
            from,
            name: text(data, "name")?.into(),
            to,
            confidence: optional(data, "confidence", Value::as_number)?.cloned(),
            stamp: Stamp::of(record),
            valid_to: optional(data, "valid_to", Value::as_i64)?,
            flag: flagged,
            exclusive: flag(data, "exclusive"),
            ended: Versions::default(),
        };
        // What joins them was there, and so were they.
        for end in [relation.from.clone(), relation.to.clone()] {
            self.change(&end, |node| node.know_from(record.seq, record.valid_from))?;
        }
        Arc::make_mut(&mut self.edges).insert(relation);
        Some(())
    }

    pub(super) fn relation_ended(&mut self, record: &Record) -> Option<()> {
        let relation = Arc::make_mut(&mut self.edges).by_id.get_mut(text(record.data(), "relation")?)?;
        if relation.ended.last().is_none_or(|end| record.valid_from < *end) {
            Arc::make_mut(relation).ended.push(record.seq, record.valid_from);
        }
        Some(())
    }
}
