//! Remembered events.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Seq};
use throughline_value::{Named, Number, Value};

use super::views;

views! {
    /// A remembered event.
    MemoryView {
        /// Its id.
        id: String,
        /// Its kind.
        kind: String,
        /// What happened.
        text: String,
        /// When.
        at: Millis,
        /// When it ended.
        until: Option<Millis>,
        /// Who and what was part of it.
        entities: Vec<String>,
        /// How important.
        importance: Option<Number>,
        /// How sure.
        confidence: Option<Number>,
        /// More.
        data: Value,
        /// `current` or `forgotten`.
        status: String,
        /// The record that remembered it.
        seq: Seq,
        /// Its thread.
        thread: String,
        /// Why it is a hit.
        why: String,
    }
    /// Remembered events, and what was left out.
    RecallPage {
        /// The hits.
        hits: Vec<MemoryView>,
        /// The window that was applied.
        since: Option<Millis>,
        /// The window that was applied.
        until: Option<Millis>,
        /// How many matched in all.
        total: u64,
        /// How many were hidden, by reason.
        hidden: IndexMap<String, u64>,
    }
    /// Counts by part of a window and kind.
    MemoryCounts {
        /// The kinds, in the order of the columns.
        kinds: Vec<String>,
        /// Where the parts begin, and where the last one ends.
        edges: Vec<Millis>,
        /// By part, then by kind.
        counts: Vec<Vec<u64>>,
        /// By part, how many of those counted are of a kind whose name says that something went wrong.
        errors: Vec<u64>,
    }
    /// The events next to a moment, in order of time.
    Neighbours {
        /// Those before it.
        before: Vec<MemoryView>,
        /// Those at it and after it.
        after: Vec<MemoryView>,
    }
    /// Events that count as simultaneous.
    MomentView {
        /// When the first one begins.
        from: Millis,
        /// When the last one begins.
        to: Millis,
        /// The events.
        events: Vec<MemoryView>,
    }
    /// Events that belong together.
    EpisodeView {
        /// When the first one begins.
        since: Millis,
        /// When the last one ends.
        until: Millis,
        /// Their thread.
        thread: String,
        /// How many there are.
        count: u64,
        /// How many of each kind.
        kinds: Named<u64>,
        /// The sum of their importance, in thousandths.
        importance: u64,
        /// The first one's id.
        first: String,
        /// The last one's id.
        last: String,
        /// Whether more belongs to it than is shown.
        cut: bool,
        /// The events, where one episode was asked for.
        events: Vec<MemoryView>,
    }
    /// What would be forgotten, and why.
    ForgettingRow {
        /// The event.
        id: String,
        /// Its kind.
        kind: String,
        /// When it began.
        at: Millis,
        /// Who and what was part of it.
        entities: Vec<String>,
        /// What it weighs, in millionths.
        score: u64,
        /// Why.
        reason: String,
    }
    /// The tree of summaries over the time axis.
    TreeView {
        /// How many levels there are, blocks included.
        levels: u64,
        /// The parts, each before those below it.
        parts: Vec<TreePart>,
        /// Whether there are more parts than are shown.
        cut: bool,
    }
    /// The summary of a part of the tree.
    TreePart {
        /// How many levels above the events, from 0 for a block.
        level: u64,
        /// When its first event begins.
        first: Millis,
        /// When its last event begins.
        last: Millis,
        /// One past the latest end.
        end: Millis,
        /// How many versions of events it holds.
        rows: u64,
        /// How many are current.
        live: u64,
        /// How many are forgotten.
        forgotten: u64,
        /// The sum of the importance of what is current, in thousandths.
        importance: u64,
        /// How many are current, by kind.
        kinds: Named<u64>,
        /// How many are current of kinds whose names say that something went wrong.
        errors: u64,
        /// When any of it was last used.
        last_used: Option<Millis>,
        /// How many have vectors.
        vectors: u64,
        /// How long the mean of the vectors is, in thousandths: 1,000 when all point the same way.
        cohesion: Option<u64>,
        /// The first event of the entity asked for.
        first_state: Option<String>,
        /// The last one.
        last_state: Option<String>,
        /// What the recall does: `skipped`, `whole` (its summary says all, and so do those below it), `opened`, `read` (a block, row by row).
        step: String,
    }
    /// What is left of a purged event.
    Tombstone {
        /// Its id.
        id: String,
        /// The record that remembered it.
        remembered: Seq,
        /// The record that purged it.
        seq: Seq,
        /// When.
        recorded_at: Millis,
        /// Why.
        reason: String,
    }
}
