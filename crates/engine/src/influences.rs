//! Which records led to a value, over the relations of the world and the causes in the journal.

use throughline_protocol::Refusal;
use throughline_protocol::query::Influences;
use throughline_protocol::view::{self, Influence};

use crate::query::Asked;

/// How many records a query of influences gives when it names no limit, and at most.
const DEFAULT_INFLUENCES: usize = 100;
const MAX_INFLUENCES: usize = 10_000;

impl Asked<'_> {
    /// The world says what it read; the causes of those records follow each of them.
    pub(crate) fn influences(&self, query: &Influences) -> Result<view::Influences, Refusal> {
        let at = self.at(&query.at)?;
        let rooms = &self.state.rooms;
        let found = rooms.world.upstream(&query.entity, &query.field, at, query.depth)?;
        let mut records: Vec<Influence> = Vec::new();
        for upstream in found {
            let Some(record) = self.journal.record(upstream.seq) else { continue };
            records.push(Influence {
                record: self.row(record),
                depth: upstream.depth as u64,
                by: upstream.by.to_owned(),
                entity: upstream.entity.clone(),
                field: upstream.field,
                led_to: None,
            });
            let mut led_to = record.seq;
            for cause in self.causes(record) {
                if records.iter().any(|known| known.record.seq == cause.seq) {
                    break;
                }
                records.push(Influence {
                    record: self.row(cause),
                    depth: upstream.depth as u64,
                    by: "cause".to_owned(),
                    entity: upstream.entity.clone(),
                    field: None,
                    led_to: Some(led_to),
                });
                led_to = cause.seq;
            }
        }
        let limit = query.limit.unwrap_or(DEFAULT_INFLUENCES).min(MAX_INFLUENCES);
        let left_out = records.len().saturating_sub(limit) as u64;
        records.truncate(limit);
        let detail = rooms.world.entity(&query.entity, at)?;
        let value = detail.entity.fields.get(query.field.as_str()).cloned().unwrap_or_default();
        Ok(view::Influences { value, records, left_out })
    }
}
