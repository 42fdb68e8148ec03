//! The fold: what recorded outcomes make of the world. It evaluates nothing and refuses nothing; a record
//! that does not fit is set aside and changes nothing else.

mod entity;
mod event;
mod relation;

use throughline_journal::Record;

use crate::kind;
use crate::world::World;

impl World {
    /// Folds one record. Kinds of other rooms are passed over.
    pub fn evolve(&mut self, record: &Record) {
        let applied = match record.kind.as_str() {
            kind::ENTITY_REGISTERED => self.entity_registered(record),
            kind::ENTITY_UPDATED => self.entity_updated(record),
            kind::ENTITY_MERGED => self.entity_merged(record),
            kind::ENTITY_UNMERGED => self.entity_unmerged(record),
            kind::ENTITY_RETIRED => self.entity_retired(record),
            kind::RELATION_ADDED => self.relation_added(record),
            kind::RELATION_ENDED => self.relation_ended(record),
            kind::EVENT_SCHEDULED => self.event_scheduled(record),
            kind::EVENT_FIRED
            | kind::EVENT_HELD
            | kind::EVENT_DROPPED
            | kind::EVENT_SKIPPED
            | kind::EVENT_CANCELLED
            | kind::EVENT_RESTARTED => self.event_changed(record),
            _ => return,
        };
        if applied.is_none() {
            self.quarantined.push(record.seq, record.kind.clone());
        }
    }
}
