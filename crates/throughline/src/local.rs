//! A whole session in one value.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use throughline_engine::{Engine, ExchangeEvent, Input, Output, Via};
use throughline_journal::{Journal, Millis};
use throughline_model::Request;
use throughline_model::cassette::{Cassette, Player};
use throughline_protocol::{Done, Meta, Outcome, Refusal};
use throughline_value::{Value, json};

use crate::zones;

/// A tool of the host.
pub type Tool = Box<dyn FnMut(&Value) -> Result<Value, Refusal>>;

/// A session with its journal in memory and its own clock.
pub struct Local {
    engine: Engine,
    now: Millis,
    cassette: Option<Player>,
    tools: BTreeMap<String, Tool>,
    tickets: u64,
    outcomes: BTreeMap<u64, Outcome>,
    /// The zones whose rules were loaded.
    zones: BTreeSet<String>,
}

impl Local {
    /// A session on an empty journal, its clock at `now` milliseconds.
    #[must_use]
    pub fn new(id: &str, now: Millis) -> Self {
        Self::open(Journal::new(id), now)
    }

    /// A session on a journal that exists; what was under way goes on.
    #[must_use]
    pub fn open(journal: Journal, now: Millis) -> Self {
        let engine = Engine::open(journal);
        Self {
            engine,
            now,
            cassette: None,
            tools: BTreeMap::new(),
            tickets: 0,
            outcomes: BTreeMap::new(),
            zones: BTreeSet::new(),
        }
    }

    /// Gives the models' recorded replies.
    ///
    /// # Errors
    /// What [`Cassette::read`] says.
    pub fn load_cassette(&mut self, text: &str) -> Result<(), Refusal> {
        let cassette = Cassette::read(text).map_err(|error| Refusal::new(&error.code, error.to_string()))?;
        self.cassette = Some(Player::new(cassette));
        Ok(())
    }

    /// Gives a tool.
    pub fn tool(&mut self, name: &str, run: impl FnMut(&Value) -> Result<Value, Refusal> + 'static) {
        self.tools.insert(name.to_owned(), Box::new(run));
    }

    /// Lets what an earlier session began go on.
    pub fn resume(&mut self) {
        self.give(Input::Resume);
    }

    /// Runs a command, given as JSON text, as the user.
    ///
    /// # Errors
    /// The command's refusal.
    pub fn execute(&mut self, command: &str) -> Result<Done, Refusal> {
        self.execute_with(command, Meta::default())
    }

    /// Runs a command with who, when and why.
    ///
    /// # Errors
    /// The command's refusal.
    pub fn execute_with(&mut self, command: &str, meta: Meta) -> Result<Done, Refusal> {
        for zone in zones::named_in(command) {
            if !self.zones.contains(&zone)
                && let Some(load) = zones::zone_command(&zone)
            {
                // What it cannot load, the command itself is refused for.
                let _ = self.run(&load, Meta { reason: Some(zones::REASON.to_owned()), ..Meta::default() });
                self.zones.insert(zone);
            }
        }
        self.run(command, meta)
    }

    fn run(&mut self, command: &str, meta: Meta) -> Result<Done, Refusal> {
        self.tickets += 1;
        let ticket = self.tickets;
        self.give(Input::Execute { ticket, text: command.to_owned(), meta });
        match self.outcomes.remove(&ticket) {
            Some(Outcome::Done(done)) => Ok(done),
            Some(Outcome::Refused(refusal)) => Err(refusal),
            None => Err(Refusal::new("no-outcome", "the engine gave no outcome for this command")),
        }
    }

    /// Answers a query, given as JSON text.
    ///
    /// # Errors
    /// The query's refusal.
    pub fn query(&self, query: &str) -> Result<Value, Refusal> {
        self.engine.query(self.now, query)
    }

    /// The session's clock, in milliseconds.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Moves the clock by so many milliseconds, forwards or back; due events fire.
    pub fn advance(&mut self, by: Millis) {
        self.set_clock(self.now.saturating_add(by));
    }

    /// Sets the clock; due events fire. The session was awake, so nothing counts as missed.
    pub fn set_clock(&mut self, now: Millis) {
        self.now = now;
        self.give(Input::ClockSet);
    }

    /// As if nothing had run until this time, a machine asleep: what fell due meanwhile was missed.
    pub fn sleep_until(&mut self, now: Millis) {
        self.now = now;
        self.give(Input::Tick);
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        self.engine.journal()
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The journal as one file.
    #[must_use]
    pub fn export(&self) -> String {
        self.engine.journal().export(self.now)
    }

    fn give(&mut self, input: Input) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            // An input that does not fit is a fault of the rim; here the rim is this loop.
            let taken = self.engine.handle(self.now, input);
            debug_assert!(taken.is_ok(), "{taken:?}");
            while let Some(output) = self.engine.poll() {
                match output {
                    Output::Append { append, .. } => inputs.push_back(Input::Appended { append }),
                    Output::Done { ticket, outcome } => {
                        self.outcomes.insert(ticket, outcome);
                    }
                    Output::Exchange { exchange, request, .. } => {
                        let events = play(self.cassette.as_mut(), &request);
                        inputs.extend(events.into_iter().map(|event| Input::Exchange { exchange, event }));
                    }
                    Output::Call { call, tool, args, .. } => {
                        let result = match self.tools.get_mut(&tool) {
                            Some(run) => run(&args),
                            None => Err(Refusal::new("no-tool", format!("the host has no tool `{tool}`"))),
                        };
                        inputs.push_back(Input::ToolResult { call, result });
                    }
                    Output::CancelExchange { .. }
                    | Output::Delta(_)
                    | Output::CancelCall { .. }
                    | Output::WaitUntil { .. }
                    | Output::Erase { .. }
                    | Output::Load { .. }
                    | Output::Changed { .. } => {}
                }
            }
        }
    }
}

/// What the recorded reply to a request gives, as a transport would.
fn play(cassette: Option<&mut Player>, request: &Request) -> Vec<ExchangeEvent> {
    let Some(cassette) = cassette else {
        let message = "no model and no recorded replies are attached".to_owned();
        return vec![ExchangeEvent::Failed { code: "no-model".to_owned(), message }];
    };
    match cassette.play(request) {
        Ok(playback) => {
            let via = ExchangeEvent::Via(Via { wire: playback.wire, ..Via::default() });
            let head = ExchangeEvent::Head { status: playback.status, content_type: playback.content_type };
            let bytes = playback.chunks.into_iter().map(|chunk| ExchangeEvent::Bytes(chunk.bytes));
            [via, head].into_iter().chain(bytes).chain([ExchangeEvent::End]).collect()
        }
        Err(refusal) => {
            vec![ExchangeEvent::Failed { code: refusal.code.clone(), message: refusal.words() }]
        }
    }
}

/// Whether `value` has everything that `part` has: maps by name, lists by some item, the rest by equality.
pub(crate) fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Map(map), Value::Map(part)) => {
            part.iter().all(|(name, part)| map.get(name).is_some_and(|value| contains(value, part)))
        }
        (Value::List(list), Value::List(parts)) => {
            parts.iter().all(|part| list.iter().any(|item| contains(item, part)))
        }
        (Value::List(list), part) => list.iter().any(|item| contains(item, part)),
        (Value::Text(text), Value::Text(part)) => text.contains(part.as_str()),
        _ => value == part,
    }
}

/// The value at a JSON pointer (RFC 6901).
pub(crate) fn pointer<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    let steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    value.at(&steps.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Reads a file's JSON text; the error says which file.
pub(crate) fn read_json(name: &str, text: &str) -> Result<Value, String> {
    json::read_value(text).map_err(|error| format!("{name}: {error}"))
}
