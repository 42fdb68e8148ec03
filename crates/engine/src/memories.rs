//! The memory's queries.

use std::rc::Rc;

use throughline_agent::LoadedDomain;
use throughline_protocol::{At, Moment, Query, Refusal};
use throughline_value::{Value, to_value};

use crate::query::Asked;

impl Asked<'_> {
    fn domain_of(&self, moment: &Moment) -> Result<(At, Rc<LoadedDomain>), Refusal> {
        let at = self.at(moment)?;
        Ok((at, self.state.rooms.domain_at(at.seq)))
    }

    pub(crate) fn memory(&self, query: &Query) -> Result<Value, Refusal> {
        let memory = &self.state.rooms.memory;
        let value = match query {
            Query::MemoryHistory(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.history_page(at, q, &domain.domain)?)
            }
            Query::MemoryLast(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.last_view(at, q, &domain.domain)?)
            }
            Query::MemoryCounts(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.counts_view(at, q, &domain.domain)?)
            }
            Query::MemoryNeighbours(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.neighbours_view(at, q, &domain.domain)?)
            }
            Query::MemoryMoments(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.moments_view(at, q, &domain.domain)?)
            }
            Query::MemoryRelated(q) => to_value(&memory.related_view(self.at(&q.at)?, q)?),
            Query::MemoryEpisodes(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.episodes_view(at, q, &domain.domain)?)
            }
            Query::MemoryForgetting(q) => {
                let at = self.at(&q.at)?;
                to_value(&memory.forgetting_view(at, at.valid_at, q)?)
            }
            Query::MemoryTree(q) => {
                let (at, domain) = self.domain_of(&q.at)?;
                to_value(&memory.tree_view(at, q, &domain.domain)?)
            }
            Query::MemoryPurged(q) => {
                let mut tombs = memory.tombstones(self.at(&q.at)?);
                for tomb in &mut tombs {
                    if let Some(record) = self.journal.record(tomb.seq) {
                        tomb.recorded_at = record.recorded_at;
                        tomb.reason.clone_from(&record.reason);
                    }
                }
                to_value(&tombs)
            }
            _ => return Ok(Value::Null),
        };
        Ok(value?)
    }
}
