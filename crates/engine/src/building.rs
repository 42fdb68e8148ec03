//! A frame while it is decided.

use std::collections::BTreeSet;

use throughline_agent::turn::parts::REQUESTED;
use throughline_journal::{Draft, Journal, Millis, Record, Seq};
use throughline_protocol::command::Batch;
use throughline_protocol::{DEFAULT_SUBJECT, Outcome, Refusal};
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
    /// How many records there were when the last round of what goes on by itself began.
    pub(crate) round: usize,
    /// The frames whose bodies were looked for and are not here: nothing is recorded from then on.
    wanted: BTreeSet<u64>,
    /// What was folded cannot be taken back without folding everything.
    pub(crate) broken: bool,
    /// Records of the memory were taken out again.
    pub(crate) forgotten: bool,
    /// Batches that are refused when they are decided at these records, found by doing half of them. They are refused
    /// again without doing that.
    pub(crate) refusals: Vec<KnownRefusal>,
}

/// A batch that is refused.
pub(crate) struct KnownRefusal {
    /// The record that would be its first.
    pub(crate) at: Seq,
    pub(crate) batch: Batch,
    pub(crate) refusal: Refusal,
}

impl Building {
    pub(crate) fn new(now: Millis) -> Self {
        Self {
            now,
            entropy: String::new(),
            commands: Vec::new(),
            records: Vec::new(),
            answers: Vec::new(),
            round: 0,
            wanted: BTreeSet::new(),
            broken: false,
            forgotten: false,
            refusals: Vec::new(),
        }
    }

    /// Whether what is decided now lacked something.
    pub(crate) fn is_starved(&mut self, journal: &Journal, state: &State) -> bool {
        self.wanted.extend(journal.take_wanted());
        let missing = state.rooms.memory.take_missing();
        self.wanted.extend(missing.into_iter().filter_map(|seq| journal.frame_of(seq)).map(|frame| frame.number));
        self.broken || !self.wanted.is_empty()
    }

    pub(crate) fn take_wanted(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.wanted)
    }

    /// Numbers the drafts, folds them, and gives their numbers.
    pub(crate) fn push(&mut self, journal: &Journal, state: &mut State, drafts: Vec<Draft>) -> Vec<Seq> {
        let mut drafts = drafts;
        for draft in &mut drafts {
            if draft.kind == REQUESTED {
                state.rooms.turns.parts.split(&mut draft.data);
            }
            draft.erasable |= erase::may_quote(draft, &state.rooms.memory);
        }
        let records = journal.number(self.now, self.records.len(), drafts, &self.entropy);
        if self.is_starved(journal, state) {
            return records.iter().map(|r| r.seq).collect();
        }
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
        if self.broken || !self.wanted.is_empty() {
            return;
        }
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
