//! A frame while it is decided.

use throughline_journal::{Draft, Journal, Millis, Record, Seq};
use throughline_protocol::{DEFAULT_SUBJECT, Outcome};
use throughline_value::{Value, to_value};

use crate::erase;
use crate::state::{CommandEntry, State, command_print, salt_of};

/// A frame while it is decided: its records are folded as they come, so that what is decided later in the
/// frame sees them.
pub(crate) struct Building {
    pub(crate) now: Millis,
    pub(crate) entropy: String,
    pub(crate) commands: Vec<Value>,
    pub(crate) records: Vec<Record>,
    pub(crate) answers: Vec<(u64, Outcome)>,
}

impl Building {
    pub(crate) fn new(now: Millis) -> Self {
        Self { now, entropy: String::new(), commands: Vec::new(), records: Vec::new(), answers: Vec::new() }
    }

    /// Numbers the drafts, folds them, and gives their numbers.
    pub(crate) fn push(&mut self, journal: &Journal, state: &mut State, drafts: Vec<Draft>) -> Vec<Seq> {
        let mut drafts = drafts;
        for draft in &mut drafts {
            draft.erasable |= erase::may_quote(draft, &state.rooms.memory);
        }
        let records = journal.number(self.now, self.records.len(), drafts, &self.entropy);
        let seqs = records.iter().map(|r| r.seq).collect();
        for record in &records {
            state.evolve(record);
        }
        self.records.extend(records);
        seqs
    }

    /// The number that the next record will get.
    pub(crate) fn next_seq(&self, journal: &Journal) -> Seq {
        journal.head().seq + self.records.len() as u64 + 1
    }

    pub(crate) fn note(&mut self, state: &mut State, entry: &CommandEntry) {
        let mut entry = entry.clone();
        // Looked for once, and not for every command of a batch.
        let own: Vec<&Record> = self
            .records
            .iter()
            .filter(|r| r.kind == "fact.asserted" && r.body.sealed().is_some())
            .filter(|r| entry.records.binary_search(&r.seq).is_ok())
            .collect();
        let sealed = |command: &Value| own.iter().find(|r| is_of(r.data(), command)).map(|r| r.seq);
        let kept = erase::without_words(&entry.command, &entry.result, &sealed);
        if erase::is_sealed(&kept) {
            // Only what comes with a key or an origin must be recognised.
            if entry.meta.idempotency_key.is_some() || entry.meta.origin.is_some() {
                let salt = salt_of(&entry.records, &self.records).unwrap_or_default();
                entry.print = Some(command_print(&salt, &entry.command));
            }
            entry.command = kept;
        }
        state.remember(&entry, &self.records);
        self.commands.push(to_value(&entry).unwrap_or_default());
    }
}

/// Whether a fact is what a command asserted.
fn is_of(fact: &Value, command: &Value) -> bool {
    let subject = command.get("subject").and_then(Value::as_str).unwrap_or(DEFAULT_SUBJECT);
    fact.get("key") == command.get("key")
        && fact.get("subject").and_then(Value::as_str) == Some(subject)
        && fact.get("value") == command.get("value")
}
