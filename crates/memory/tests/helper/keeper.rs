//! A memory with the smallest possible engine around it.
#![allow(dead_code, reason = "not every test uses everything")]

use throughline_journal::{Actor, ActorKind, Body, Digest, Origin, Record};
use throughline_memory::Memory;
use throughline_protocol::command::{Command, MemoryItem, Remember};
use throughline_protocol::query::Recall;
use throughline_protocol::view::RecallPage;
use throughline_protocol::{At, Context, Decision, Domain, Refusal, Time};
use throughline_value::{Value, json};

#[derive(Default)]
pub(crate) struct Keeper {
    pub(crate) memory: Memory,
    pub(crate) seq: u64,
    pub(crate) domain: Domain,
    pub(crate) thread: Option<String>,
}

impl Keeper {
    pub(crate) fn now(&self) -> At {
        At { seq: self.seq, valid_at: 0 }
    }

    /// Decides, records and folds one command, given as JSON.
    pub(crate) fn run(&mut self, command: &str) -> Result<Value, Refusal> {
        self.run_from(command, None)
    }

    pub(crate) fn run_from(&mut self, command: &str, origin: Option<Origin>) -> Result<Value, Refusal> {
        self.execute(&Command::read(command)?, origin)
    }

    pub(crate) fn execute(&mut self, command: &Command, origin: Option<Origin>) -> Result<Value, Refusal> {
        let actor = Actor::of(ActorKind::User);
        let thread = self.thread.clone().unwrap_or_else(|| "main".to_owned());
        let context = Context {
            now: 1_000_000,
            valid_from: None,
            thread: &thread,
            turn: 1,
            actor: &actor,
            reason: "a test",
            cause: None,
            origin: origin.as_ref(),
            next_seq: self.seq + 1,
            domain: &self.domain,
        };
        let decision: Decision = match command {
            Command::Remember(c) => self.memory.remember(&context, c)?,
            Command::Amend(c) => self.memory.amend(&context, c)?,
            Command::Forget(c) => self.memory.forget(&context, c)?,
            Command::Recover(c) => self.memory.recover(&context, c)?,
            Command::RememberColumns(c) => self.memory.remember_columns(&context, c)?,
            Command::ForgetBy(c) => self.memory.forget_by(&context, c)?,
            Command::Touch(c) => self.memory.touch(&context, c)?,
            Command::Purge(c) => self.memory.decide_purge(&context, c)?,
            other => return Err(Refusal::new("unknown-command", other.name())),
        };
        for draft in &decision.drafts {
            let data = draft.data.clone();
            self.fold(&draft.kind, data, &thread, draft.origin.clone());
        }
        Ok(decision.result)
    }

    /// Folds a record as it is.
    pub(crate) fn fold(&mut self, kind: &str, data: Value, thread: &str, origin: Option<Origin>) {
        self.seq += 1;
        self.memory.evolve(&Record {
            seq: self.seq,
            recorded_at: 1_000_000,
            valid_from: 1_000_000,
            thread: thread.to_owned(),
            turn: 1,
            actor: Actor::of(ActorKind::User),
            cause: None,
            reason: String::new(),
            origin,
            kind: kind.to_owned(),
            body: Body::Open(data),
        });
    }

    /// Remembers one event; gives its id.
    pub(crate) fn add(&mut self, kind: &str, text: &str, at: i64, entities: &[&str]) -> String {
        let item = MemoryItem {
            kind: kind.to_owned(),
            text: text.to_owned(),
            at: Some(Time::Millis(at)),
            until: None,
            entities: entities.iter().map(|e| (*e).to_owned()).collect(),
            importance: None,
            confidence: None,
            vector: Value::Null,
            data: Value::Null,
        };
        let done = self.execute(&Command::Remember(Remember { items: vec![item] }), None).unwrap();
        done.at(&["memories", "0"]).and_then(Value::as_str).unwrap().to_owned()
    }

    /// Recalls by a query, given as JSON without its type.
    pub(crate) fn recall(&self, query: &str) -> Result<RecallPage, Refusal> {
        let query: Recall = throughline_value::from_node(&json::read(query).unwrap())?;
        self.memory.recall(self.now(), &query, &self.domain)
    }

    /// The texts of the hits.
    pub(crate) fn texts(&self, query: &str) -> Vec<String> {
        self.recall(query).unwrap().hits.into_iter().map(|h| h.text).collect()
    }

    pub(crate) fn content(&self) -> String {
        let mut digest = Digest::new("test");
        self.memory.digest_content(&mut digest, 0);
        digest.finish()
    }
}
