//! A small engine for the tests: decides, gives numbers, folds.

use std::path::PathBuf;

use throughline_dialogue::{Ledger, Machine};
use throughline_expr::time::Zone;
use throughline_expr::{Env, MapEnv};
use throughline_journal::{Actor, ActorKind, Body, Digest, Draft, Millis, Origin, Record, Seq};
use throughline_protocol::command::{AssertFact, RetractFact, SendEvent};
use throughline_protocol::{At, Command, Context, DEFAULT_SUBJECT, Decision, Domain, Refusal};
use throughline_value::{Value, from_value, json};

pub(crate) struct Bench {
    pub(crate) ledger: Ledger,
    pub(crate) machine: Machine,
    pub(crate) domain: Domain,
    pub(crate) records: Vec<Record>,
    pub(crate) now: Millis,
    pub(crate) zone: Option<Zone>,
    pub(crate) turn: u32,
}

/// Where an input stands: its valid time and its origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stands {
    pub(crate) valid_from: Option<Millis>,
    pub(crate) origin: Option<Origin>,
}

pub(crate) fn at(ms: Millis) -> Stands {
    Stands { valid_from: Some(ms), origin: None }
}

pub(crate) fn from(source: &str, seq: u64, ms: Millis) -> Stands {
    Stands { valid_from: Some(ms), origin: Some(Origin { source: source.to_owned(), seq }) }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new("{}")
    }
}

impl Bench {
    pub(crate) fn new(domain: &str) -> Self {
        let domain = from_value(&json::read_value(domain).unwrap()).unwrap();
        Self {
            ledger: Ledger::default(),
            machine: Machine::default(),
            domain,
            records: Vec::new(),
            now: 1_000,
            zone: None,
            turn: 1,
        }
    }

    pub(crate) fn head(&self) -> Seq {
        self.records.len() as Seq
    }

    pub(crate) fn here(&self) -> At {
        At { seq: self.head(), valid_at: self.now }
    }

    pub(crate) fn fold(&mut self, draft: Draft) -> Seq {
        let record = Record {
            seq: self.head() + 1,
            recorded_at: self.now,
            valid_from: draft.valid_from.unwrap_or(self.now),
            thread: draft.thread,
            turn: draft.turn,
            actor: draft.actor,
            cause: None,
            reason: draft.reason,
            origin: draft.origin,
            kind: draft.kind,
            body: Body::Open(draft.data),
        };
        self.ledger.evolve(&record);
        self.machine.evolve(&record);
        self.records.push(record);
        self.head()
    }

    fn settle(&mut self, decision: Decision) -> Value {
        for draft in decision.drafts {
            self.fold(draft);
        }
        decision.result
    }

    fn decide<T>(&self, stands: &Stands, with: impl FnOnce(&Self, &Context<'_>) -> T) -> T {
        let actor = Actor::of(ActorKind::User);
        let ctx = Context {
            now: self.now,
            valid_from: stands.valid_from,
            thread: "main",
            turn: self.turn,
            actor: &actor,
            reason: "",
            cause: None,
            origin: stands.origin.as_ref(),
            next_seq: self.head() + 1,
            domain: &self.domain,
        };
        with(self, &ctx)
    }

    pub(crate) fn assert(&mut self, stands: &Stands, command: &AssertFact) -> Result<Value, Refusal> {
        let decision = self.decide(stands, |b, ctx| b.ledger.assert_fact(ctx, command, b.zone.as_ref()))?;
        Ok(self.settle(decision))
    }

    pub(crate) fn retract(&mut self, stands: &Stands, command: &RetractFact) -> Result<Value, Refusal> {
        let decision = self.decide(stands, |b, ctx| b.ledger.retract_fact(ctx, command, b.zone.as_ref()))?;
        Ok(self.settle(decision))
    }

    pub(crate) fn load(&mut self, document: &str) -> Result<Value, Refusal> {
        let document = json::read_value(document).unwrap();
        let env = self.env();
        let decision = self.decide(&Stands::default(), |b, ctx| b.machine.load(ctx, &document, &env))?;
        Ok(self.settle(decision))
    }

    pub(crate) fn send(&mut self, event: &str, data: Value) -> Result<Value, Refusal> {
        let command = SendEvent { event: event.to_owned(), data };
        let env = self.env();
        match self.decide(&Stands::default(), |b, ctx| b.machine.send_event(ctx, &command, &env)) {
            Ok(decision) => Ok(self.settle(decision)),
            Err(refused) => {
                if let Some(draft) = refused.draft {
                    self.fold(draft);
                }
                Err(refused.refusal)
            }
        }
    }

    /// Does a command of the two rooms given as JSON text without a valid time.
    pub(crate) fn run(&mut self, command: &str) -> Result<Value, Refusal> {
        match Command::read(command)? {
            Command::AssertFact(command) => self.assert(&Stands::default(), &command),
            Command::RetractFact(command) => self.retract(&Stands::default(), &command),
            Command::SendEvent(command) => self.send(&command.event, command.data),
            other => panic!("{} is not of these rooms", other.name()),
        }
    }

    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) -> Value {
        self.set_at(&Stands::default(), key, value)
    }

    pub(crate) fn set_at(&mut self, stands: &Stands, key: &str, value: impl Into<Value>) -> Value {
        self.assert(stands, &fact(key, value)).unwrap()
    }

    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        self.ledger.get(DEFAULT_SUBJECT, key, self.here())
    }

    pub(crate) fn get_at(&self, key: &str, valid_at: Millis, seq: Seq) -> Option<Value> {
        self.ledger.get(DEFAULT_SUBJECT, key, At { seq, valid_at })
    }

    /// The history as `version value status by`, one line each.
    pub(crate) fn story(&self, key: &str) -> String {
        let lines = self.ledger.history(DEFAULT_SUBJECT, key, self.here()).into_iter().map(|f| {
            let by = f.ended_by.map(|seq| format!(" by {seq}")).unwrap_or_default();
            format!("v{} {} {}{by}", f.version, f.value.to_json(), f.status)
        });
        lines.collect::<Vec<_>>().join("; ")
    }

    pub(crate) fn env(&self) -> impl Env + use<> {
        MapEnv::new().with("facts", self.ledger.snapshot(DEFAULT_SUBJECT, self.here())).at(self.now)
    }

    pub(crate) fn content(&self) -> String {
        let mut digest = Digest::new("test");
        self.ledger.digest_content(&mut digest, self.now);
        self.machine.digest_content(&mut digest, self.now);
        digest.finish()
    }

    pub(crate) fn history(&self) -> String {
        let mut digest = Digest::new("test");
        self.ledger.digest_history(&mut digest);
        self.machine.digest_history(&mut digest);
        digest.finish()
    }
}

pub(crate) fn fact(key: &str, value: impl Into<Value>) -> AssertFact {
    AssertFact {
        key: key.to_owned(),
        value: value.into(),
        subject: None,
        source: None,
        sources: Vec::new(),
        confidence: None,
        valid_to: None,
        expected_version: None,
    }
}

pub(crate) fn no_fact(key: &str, value: Option<Value>) -> RetractFact {
    RetractFact { key: key.to_owned(), value, subject: None, expected_version: None }
}

/// `code at path`, or the result.
pub(crate) fn said(outcome: Result<Value, Refusal>) -> String {
    match outcome {
        Ok(result) => result.to_json(),
        Err(refusal) => format!("{} at {}", refusal.code, refusal.path.unwrap_or_default()),
    }
}

/// The folder of shared data, where there is one.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("THROUGHLINE_SHARED").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

pub(crate) fn lines(path: &str) -> Option<Vec<Value>> {
    let Some(file) = shared().map(|s| s.join("data").join(path)).filter(|f| f.is_file()) else {
        println!("SKIPPED 1: {path} is not here; set THROUGHLINE_SHARED to the folder of shared data");
        return None;
    };
    let text = std::fs::read_to_string(file).unwrap();
    Some(text.lines().map(|line| json::read_value(line).unwrap()).collect())
}
