//! The projections and the engine's own bookkeeping, all of it folded from the journal.

use std::collections::{BTreeMap, BTreeSet};

use throughline_agent::Rooms;
use throughline_journal::{Digest, Frame, Journal, Record, Seq};
use throughline_protocol::view::Problem;
use throughline_protocol::{Command, Done, Meta, Refusal};
use throughline_value::{Value, from_value};

/// What a command was and did, as it lies in its frame.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct CommandEntry {
    pub(crate) command: Value,
    #[serde(default)]
    pub(crate) meta: Meta,
    pub(crate) records: Vec<Seq>,
    #[serde(default)]
    pub(crate) result: Value,
}

/// Everything that is folded from the journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) rooms: Rooms,
    keys: BTreeMap<String, (String, Done)>,
    origins: BTreeSet<String>,
    pub(crate) problems: Vec<Problem>,
}

impl State {
    pub(crate) fn of(journal: &Journal) -> Self {
        let mut state = Self::default();
        for frame in journal.frames() {
            state.fold(frame);
        }
        state
    }

    /// The state after record `seq`.
    pub(crate) fn until(journal: &Journal, seq: Seq) -> Self {
        let mut state = Self::default();
        for record in journal.records().take_while(|r| r.seq <= seq) {
            state.evolve(record);
        }
        state
    }

    pub(crate) fn fold(&mut self, frame: &Frame) {
        for record in &frame.records {
            self.evolve(record);
        }
        for entry in frame.commands.iter().filter_map(|entry| from_value::<CommandEntry>(entry).ok()) {
            self.remember(&entry);
        }
    }

    pub(crate) fn evolve(&mut self, record: &Record) {
        self.rooms.evolve(record);
        if matches!(
            record.kind.as_str(),
            "command.refused" | "exchange.failed" | "proposal.refused" | "reaction.refused"
        ) {
            let text = |name| record.data().get(name).and_then(Value::as_str).unwrap_or("").to_owned();
            self.problems.push(Problem {
                code: text("code"),
                message: text("message"),
                severity: "error".to_owned(),
                seq: record.seq,
                details: record.data().clone(),
            });
        }
    }

    /// Remembers what a command answered, so that the same key or the same input does nothing again.
    pub(crate) fn remember(&mut self, entry: &CommandEntry) {
        let done = Done { records: entry.records.clone(), result: entry.result.clone() };
        if let Some(key) = &entry.meta.idempotency_key {
            self.keys.insert(key.clone(), (command_print(&entry.command), done));
        }
        if let Some(print) = origin_print(&entry.command, &entry.meta) {
            self.origins.insert(print);
        }
    }

    /// What the command of this key answered; refused when the key was another command's.
    pub(crate) fn done_before(&self, command: &Command, meta: &Meta) -> Option<Result<Done, Refusal>> {
        let key = meta.idempotency_key.as_ref()?;
        let (print, done) = self.keys.get(key)?;
        if *print == command_print(&command.to_value()) {
            return Some(Ok(done.clone()));
        }
        let message =
            format!("the idempotency key `{key}` belongs to another command; give every effect a key of its own");
        Some(Err(Refusal::new("idempotency-conflict", message).at_path("/meta/idempotency_key")))
    }

    pub(crate) fn seen_before(&self, command: &Command, meta: &Meta) -> bool {
        origin_print(&command.to_value(), meta).is_some_and(|print| self.origins.contains(&print))
    }
}

fn command_print(command: &Value) -> String {
    let mut digest = Digest::new("command");
    digest.value(command);
    digest.finish()
}

/// One input may give several commands; the same command of the same input is the same.
fn origin_print(command: &Value, meta: &Meta) -> Option<String> {
    let origin = meta.origin.as_ref()?;
    let mut digest = Digest::new("origin");
    digest.text(&origin.source);
    digest.number(origin.seq.cast_signed());
    digest.value(command);
    Some(digest.finish())
}
