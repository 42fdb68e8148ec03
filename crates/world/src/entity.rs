//! An entity as it is stored: what was said of one name, on both axes of time.
//!
//! A merge moves nothing. It only links two nodes, and what is read of the one that stays is the versions of
//! both in the order of their stamps; so unmerging, which takes the link away, is exact by construction, and
//! what was said under either name stays where it was said.

use std::sync::Arc;

use throughline_journal::{Millis, Origin, Seq, Versions};
use throughline_protocol::At;
use throughline_value::{SortedMap, SortedSet, Value};

use crate::bitemporal::Timeline;
use crate::identity::EntityId;

/// One version of a field.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The value; null when it was cleared.
    pub(crate) value: Value,
    /// How it was spelled, where the value was put into another form.
    pub(crate) original: Option<Arc<str>>,
}

/// What was said of one name.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) id: EntityId,
    pub(crate) entity_type: Arc<str>,
    /// The raw id as it was spelled first.
    pub(crate) raw_id: String,
    /// The raw id in its normal spelling.
    pub(crate) key: String,
    /// The record that registered it.
    pub(crate) registered: Seq,
    /// The earliest valid time that anything is said about.
    pub(crate) known_from: Versions<Millis>,
    /// Other spellings and aliases.
    pub(crate) names: Versions<String>,
    /// One for each input that registered it, the first included.
    pub(crate) mentions: Versions<Option<Arc<Origin>>>,
    /// The inputs among them that have an origin: the same one again is no new mention.
    pub(crate) origins: SortedSet<Arc<Origin>>,
    /// The inputs that said something of its fields.
    pub(crate) said_by: SortedSet<Arc<Origin>>,
    /// The records that changed it, or what it stands for.
    pub(crate) changed: Versions<()>,
    pub(crate) fields: SortedMap<Arc<str>, Timeline<Cell>>,
    pub(crate) retired: Timeline<()>,
    pub(crate) merged_into: Versions<Option<EntityId>>,
    /// Every node that was ever merged into this one.
    pub(crate) children: SortedSet<EntityId>,
}

impl Node {
    /// The node it is merged into after record `seq`.
    pub(crate) fn parent(&self, seq: Seq) -> Option<&EntityId> {
        self.merged_into.at(seq).and_then(Option::as_ref)
    }

    pub(crate) fn retired(&self, at: At) -> bool {
        self.retired.at(at).is_some()
    }

    /// Whether it is known at a moment, and already there.
    pub(crate) fn exists(&self, at: At) -> bool {
        self.known_from.at(at.seq).is_some_and(|from| *from <= at.valid_at)
    }

    /// Takes an earlier valid time, or none that is later.
    pub(crate) fn know_from(&mut self, seq: Seq, from: Millis) {
        if self.known_from.last().is_none_or(|known| from < *known) {
            self.known_from.push(seq, from);
        }
    }

    /// Whether a name is one of its spellings.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.raw_id == name || self.names.iter().any(|(_, n)| n == name)
    }
}
