//! What differs, what would not be, and what a fork did.

use serde::{Deserialize, Serialize};
use throughline_journal::Seq;
use throughline_value::Value;

use super::{RecordRow, views};

views! {
    /// What differs between two moments.
    Difference {
        /// The changes, by area and id.
        changes: Vec<ChangeRow>,
    }
    /// One thing that differs.
    ChangeRow {
        /// `domain`, `fact`, `entity`, `relation`, `event`, `machine`, `run` or `memory`.
        area: String,
        /// Which one.
        id: String,
        /// `added`, `removed` or `changed`.
        change: String,
        /// What it was.
        before: Value,
        /// What it is.
        after: Value,
    }
    /// What would not be without a record.
    Without {
        /// The record.
        seq: Seq,
        /// The records that it led to, forwards through the cause graph.
        effects: Vec<RecordRow>,
        /// What would be otherwise at the head: `before` as it is, `after` without the record.
        changes: Vec<ChangeRow>,
        /// What became of the commands after it.
        commands: Vec<ForkCommand>,
        /// What became of the recorded effects after it.
        recorded: Vec<ForkEffect>,
    }
    /// What a fork did.
    ForkReport {
        /// The id of the journal it comes from.
        from: String,
        /// Its own id.
        id: String,
        /// The last record that both have.
        at: Seq,
        /// Its last record.
        seq: Seq,
        /// The commands that were decided again.
        commands: Vec<ForkCommand>,
        /// The recorded effects of the world outside.
        effects: Vec<ForkEffect>,
        /// What is otherwise at its head: `before` in the journal it comes from, `after` in the fork.
        changes: Vec<ChangeRow>,
    }
    /// A command that a fork decided again.
    ForkCommand {
        /// Its first record in the journal that was forked; absent for an inserted one.
        seq: Option<Seq>,
        /// Its type.
        command: String,
        /// `same`, `otherwise`, `now_done`, `now_refused`, `dropped`, `replaced`, `delayed` or `inserted`.
        outcome: String,
        /// Its records in the fork.
        records: Vec<Seq>,
        /// Why it was refused in the fork.
        code: Option<String>,
    }
    /// What became of a recorded effect.
    ForkEffect {
        /// Its record in the journal that was forked; absent when the fork asked for something new.
        seq: Option<Seq>,
        /// `call` or `exchange`.
        kind: String,
        /// The tool, or what the model was asked for.
        name: String,
        /// `reused`, `recomputed` (left open for a host to do), `stubbed` or `dropped`.
        how: String,
        /// Why.
        why: String,
    }
}
