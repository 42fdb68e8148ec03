//! The projections and the engine's own bookkeeping, all of it folded from the journal.

use std::collections::BTreeMap;

use throughline_agent::Rooms;
use throughline_journal::{Body, Digest, Frame, Journal, Record, Seq};
use throughline_protocol::{Command, Done, Meta, Refusal, lane};
use throughline_value::{Value, from_value};

use crate::erase;

/// What a command was and did, as it lies in its frame.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename = "open")]
pub(crate) struct CommandEntry {
    pub(crate) command: Value,
    #[serde(default)]
    pub(crate) meta: Meta,
    pub(crate) records: Vec<Seq>,
    #[serde(default)]
    pub(crate) result: Value,
    /// Whether it followed by itself, from an event, a turn or a delay: a fork decides only the others again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) by_itself: bool,
    /// A salted hash of the whole command, where its words lie in sealed records only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) print: Option<String>,
}

/// What a command is recognised by.
#[derive(Clone, Debug)]
enum Print {
    Plain(String),
    /// The hash with the salt of the command's first sealed record; without the salt nobody can tell any more.
    Salted(Option<String>, String),
}

impl Print {
    fn of(entry: &CommandEntry, records: &[Record]) -> Self {
        match &entry.print {
            None => Self::Plain(command_print("", &entry.command)),
            Some(print) => Self::Salted(salt_of(&entry.records, records), print.clone()),
        }
    }

    fn is_of(&self, command: &Value) -> bool {
        match self {
            Self::Plain(print) => *print == command_print("", command),
            Self::Salted(Some(salt), print) => *print == command_print(salt, command),
            Self::Salted(None, _) => erase::is_sealed(&erase::without_words(command, &Value::Null, &|_| Some(0))),
        }
    }
}

/// The salt of the first sealed one of some records, unless something of it was erased.
pub(crate) fn salt_of(seqs: &[Seq], records: &[Record]) -> Option<String> {
    let mut sealed = records.iter().filter(|r| seqs.contains(&r.seq) && !matches!(r.body, Body::Open(_)));
    match &sealed.next()?.body {
        Body::Sealed { content: Some((salt, _)), .. } => Some(salt.clone()),
        Body::Cold { salt, .. } => salt.clone(),
        _ => None,
    }
}

/// How many records of each lane there are, in the order of [`lane::LANES`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes([u64; lane::LANES.len()]);

impl Lanes {
    pub(crate) fn of(journal: &Journal) -> Self {
        let mut lanes = Self::default();
        for frame in journal.frames() {
            lanes.count(frame);
        }
        lanes
    }

    pub(crate) fn count(&mut self, frame: &Frame) {
        for record in &frame.records {
            let lane = lane::of(&record.kind);
            if let Some((_, count)) = lane::LANES.iter().zip(&mut self.0).find(|(name, _)| **name == lane) {
                *count += 1;
            }
        }
    }

    pub(crate) fn named(&self) -> impl Iterator<Item = (String, u64)> {
        lane::LANES.iter().map(|name| (*name).to_owned()).zip(self.0)
    }
}

/// Everything that is folded from the journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) rooms: Rooms,
    keys: BTreeMap<String, (Print, Done)>,
    origins: BTreeMap<(String, u64), Vec<Print>>,
    /// The records of what went wrong.
    pub(crate) problems: Vec<Seq>,
}

impl State {
    pub(crate) fn of(journal: &Journal) -> Self {
        let mut state = Self::default();
        for frame in journal.frames() {
            state.fold(frame);
        }
        state
    }

    /// Folds the journal anew, something of it being erased, but not the memory, which knows it already.
    pub(crate) fn again(&mut self, journal: &Journal) {
        self.again_with(journal, &[], &[]);
    }

    /// The same, of a frame too that is not in it yet.
    pub(crate) fn again_with(&mut self, journal: &Journal, records: &[Record], commands: &[Value]) {
        let memory = std::mem::take(&mut self.rooms.memory);
        let mut state = Self::default();
        for frame in journal.frames() {
            state.fold_known(frame, true);
        }
        records.iter().for_each(|record| state.evolve_known(record, true));
        for entry in commands.iter().filter_map(|entry| from_value::<CommandEntry>(entry).ok()) {
            state.remember(&entry, records);
        }
        state.rooms.memory = memory;
        *self = state;
    }

    /// Folds a frame of which the memory is `known` already, or not.
    pub(crate) fn fold_known(&mut self, frame: &Frame, known: bool) {
        frame.records.iter().for_each(|record| self.evolve_known(record, known));
        self.remember_all(frame);
    }

    fn evolve_known(&mut self, record: &Record, known: bool) {
        match known && record.kind.starts_with("memory.") {
            true => self.rooms.seq = record.seq,
            false => self.evolve(record),
        }
    }

    /// The state of a journal and of a frame that is not in it yet.
    pub(crate) fn with(journal: &Journal, records: &[Record], commands: &[Value]) -> Self {
        let mut state = Self::of(journal);
        for record in records {
            state.evolve(record);
        }
        for entry in commands.iter().filter_map(|entry| from_value::<CommandEntry>(entry).ok()) {
            state.remember(&entry, records);
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
        self.remember_all(frame);
    }

    fn remember_all(&mut self, frame: &Frame) {
        for entry in frame.commands.iter().filter_map(|entry| from_value::<CommandEntry>(entry).ok()) {
            self.remember(&entry, &frame.records);
        }
    }

    pub(crate) fn evolve(&mut self, record: &Record) {
        self.rooms.evolve(record);
        if matches!(
            record.kind.as_str(),
            "command.refused" | "exchange.failed" | "proposal.refused" | "reaction.refused"
        ) {
            self.problems.push(record.seq);
        }
    }

    /// Remembers what a command answered, so that the same key or the same input does nothing again.
    pub(crate) fn remember(&mut self, entry: &CommandEntry, records: &[Record]) {
        let done = Done { records: entry.records.clone(), result: entry.result.clone() };
        if let Some(key) = &entry.meta.idempotency_key {
            self.keys.insert(key.clone(), (Print::of(entry, records), done));
        }
        if let Some(origin) = &entry.meta.origin {
            self.origins.entry((origin.source.clone(), origin.seq)).or_default().push(Print::of(entry, records));
        }
    }

    /// What the command of this key answered; refused when the key was another command's.
    pub(crate) fn done_before(&self, command: &Command, meta: &Meta) -> Option<Result<Done, Refusal>> {
        let key = meta.idempotency_key.as_ref()?;
        let (print, done) = self.keys.get(key)?;
        if print.is_of(&command.to_value()) {
            return Some(Ok(done.clone()));
        }
        let message =
            format!("the idempotency key `{key}` belongs to another command; give every effect a key of its own");
        Some(Err(Refusal::new("idempotency-conflict", message).at_path("/meta/idempotency_key")))
    }

    pub(crate) fn seen_before(&self, command: &Command, meta: &Meta) -> bool {
        // One input may give several commands; the same command of the same input is the same.
        let Some(origin) = &meta.origin else { return false };
        // The memory knows events by their origin itself, and says how many are in from there.
        if matches!(command, Command::RememberColumns(_)) {
            return false;
        }
        let prints = self.origins.get(&(origin.source.clone(), origin.seq));
        prints.is_some_and(|prints| {
            let command = command.to_value();
            prints.iter().any(|print| print.is_of(&command))
        })
    }
}

pub(crate) fn command_print(salt: &str, command: &Value) -> String {
    let mut digest = Digest::new("command");
    digest.text(salt);
    digest.value(command);
    digest.finish()
}
