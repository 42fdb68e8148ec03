//! What queries answer. Times are milliseconds since 1970 (UTC). One file for each room of the engine.

mod fork;
mod ledger;
mod memory;
mod plan;
mod turn;
mod world;

use serde::{Deserialize, Serialize};
use throughline_journal::{Actor, Millis, Origin, Seq};
use throughline_value::{Named, Value};

pub use fork::*;
pub use ledger::*;
pub use memory::*;
pub use plan::*;
pub use turn::*;
pub use world::*;

macro_rules! views {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident : $type:ty,)* })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(rename = "open", default)]
            pub struct $name { $($(#[$fdoc])* pub $field: $type,)* }
        )+
    };
}
pub(crate) use views;

views! {
    /// Head, counts, clock.
    Status {
        /// The journal's id.
        id: String,
        /// The last record.
        seq: Seq,
        /// The last frame.
        frame: u64,
        /// The chain there.
        chain: String,
        /// The recorded time of the last record.
        recorded_at: Option<Millis>,
        /// The loaded domain's name.
        domain: Option<String>,
        /// How many records of each lane.
        lanes: Named<u64>,
        /// The thread whose turn is going on.
        busy: Option<String>,
        /// When the next scheduled event is due.
        next_due: Option<Millis>,
        /// What is held in memory, and what lies in the store; a session says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        memory: Option<MemoryStatus>,
    }
    /// What is held in memory, and what lies in the store.
    MemoryStatus {
        /// How many bytes of bodies are held at most.
        budget: u64,
        /// How many bytes of memories' texts and data are held.
        resident_bytes: u64,
        /// How many bytes of them lie in the store.
        cold_bytes: u64,
        /// How many frames' bodies were read since the opening.
        bodies_read: u64,
        /// Whether the opening used a snapshot.
        from_snapshot: bool,
        /// How many bytes are held of what was worked out for parts of the tree that were looked at.
        summaries_bytes: u64,
    }
    /// One record as a row.
    RecordRow {
        /// Its number.
        seq: Seq,
        /// When the engine learned it.
        recorded_at: Millis,
        /// From when it is true.
        valid_from: Millis,
        /// Its thread.
        thread: String,
        /// Its turn.
        turn: u32,
        /// Who.
        actor: Option<Actor>,
        /// The record that led to it.
        cause: Option<Seq>,
        /// Why.
        reason: String,
        /// Where the input came from.
        origin: Option<Origin>,
        /// What happened.
        kind: String,
        /// The lane it is drawn in.
        lane: String,
        /// It in one line.
        summary: String,
        /// What exactly.
        data: Value,
        /// Whether its content was erased.
        erased: bool,
    }
    /// Records in order.
    RecordPage {
        /// The records.
        records: Vec<RecordRow>,
        /// Where to go on; absent at the end.
        next: Option<Seq>,
    }
    /// One record, its causes and its effects.
    RecordDetail {
        /// The record.
        record: RecordRow,
        /// The records that led to it, nearest first.
        causes: Vec<RecordRow>,
        /// The records that it led to directly.
        effects: Vec<Seq>,
        /// The command that it came from.
        command: Value,
        /// The frame it is in.
        frame: u64,
        /// The chain after that frame.
        chain: String,
    }
    /// Columns for drawing, one place a record.
    Timeline {
        /// Numbers.
        seq: Vec<Seq>,
        /// Recorded times.
        recorded_at: Vec<Millis>,
        /// Places in `lanes`.
        lane: Vec<u8>,
        /// The lanes' names.
        lanes: Vec<String>,
        /// One line each.
        summary: Vec<String>,
    }
    /// The loaded domain.
    DomainView {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// SHA-256 of its canonical text.
        hash: String,
        /// The document.
        document: Value,
        /// The record that loaded it.
        seq: Seq,
        /// The time zones whose rules are loaded, and the version of each.
        zones: Named<String>,
    }
    /// One document in a list.
    DocumentRow {
        /// Its name.
        name: String,
        /// Its version, from 1.
        version: u64,
        /// Its kind.
        media_type: String,
        /// Its length in bytes.
        bytes: usize,
        /// SHA-256 of its text.
        hash: String,
        /// The record that added it.
        seq: Seq,
    }
    /// One document.
    DocumentView {
        /// Its row.
        row: DocumentRow,
        /// Its text.
        text: String,
    }
    /// Something open or wrong.
    Problem {
        /// Its code.
        code: String,
        /// What it is.
        message: String,
        /// `error`, `warning` or `open`.
        severity: String,
        /// The record.
        seq: Seq,
        /// More.
        details: Value,
    }
    /// Why a value is what it is.
    Why {
        /// The value.
        value: Value,
        /// In words, one line a step, from the value back to its source.
        chain: Vec<WhyStep>,
    }
    /// One step back.
    WhyStep {
        /// In words.
        text: String,
        /// The record.
        record: Option<RecordRow>,
        /// What it rests on.
        evidence: Vec<Evidence>,
    }
    /// The three digests, each 64 hexadecimal digits.
    Digests {
        /// Of the frames' bytes, in sequence.
        chain: String,
        /// Of every version of everything.
        history: String,
        /// Of the current view, without numbers, recorded times, audit and caches.
        content: String,
        /// The record they are of.
        seq: Seq,
    }
}
