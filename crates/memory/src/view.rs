//! An event as it is shown.

use throughline_journal::Seq;
use throughline_protocol::view::MemoryView;

use crate::index::Standing;
use crate::memory::{Content, Memory};

impl Memory {
    /// A row as it stood after record `seq`.
    pub(crate) fn show(&self, row: u32, seq: Seq, why: String) -> Option<MemoryView> {
        let found = self.table.row(row)?;
        let item = self.table.item(found.item)?;
        let Content { kind, text, at, until, entities, importance, confidence, data } = self.table.content(row)?;
        let status = match self.table.standing_at(row, seq)? {
            Standing::Live => "current",
            Standing::Forgotten => "forgotten",
            Standing::Replaced => "replaced",
        };
        Some(MemoryView {
            id: self.table.id(found.item),
            kind,
            text,
            at,
            until,
            entities,
            importance,
            confidence,
            data,
            status: status.to_owned(),
            seq: item.seq,
            thread: self.table.threads.get_index(item.thread as usize).unwrap_or_default().to_owned(),
            why,
        })
    }

    /// Whether a row is current after record `seq`.
    pub(crate) fn is_live_at(&self, row: u32, seq: Seq) -> bool {
        self.table.standing_at(row, seq) == Some(Standing::Live)
    }
}
