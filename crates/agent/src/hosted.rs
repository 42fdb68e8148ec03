//! What a plan run finds outside of itself: the documents as they stood, and what the domain allows.

use throughline_journal::Seq;
use throughline_plan::{DocumentRef, Scope};
use throughline_protocol::Domain;

use crate::Rooms;
use crate::documents::DocumentAdded;

/// The documents as they stood after a record.
pub struct Hosted<'a> {
    rooms: &'a Rooms,
    seq: Seq,
}

impl<'a> Hosted<'a> {
    /// The documents after record `seq`.
    #[must_use]
    pub fn new(rooms: &'a Rooms, seq: Seq) -> Self {
        Self { rooms, seq }
    }

    /// What a plan may use: the domain's sources, tools and patterns, and these inputs.
    #[must_use]
    pub fn scope(domain: &Domain, inputs: impl IntoIterator<Item = String>) -> Scope {
        Scope::of(domain).inputs(inputs)
    }
}

impl throughline_plan::Documents for Hosted<'_> {
    fn document(&self, name: &str, version: Option<u64>) -> Option<DocumentRef<'_>> {
        let found: &DocumentAdded = match version {
            Some(version) => self.rooms.documents.version(name, version)?,
            None => self.rooms.documents.get(name, self.seq)?,
        };
        Some(DocumentRef {
            name: &found.name,
            version: found.version,
            media_type: &found.media_type,
            text: &found.text,
            hash: &found.hash,
        })
    }
}
