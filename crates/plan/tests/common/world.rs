//! What the tests of runs share: a small world that plays the engine's part.

#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;

use throughline_expr::MapEnv;
use throughline_expr::time::Zone;
use throughline_journal::{Actor, ActorKind, Digest, Draft, Journal, Record};
use throughline_plan::answer::NoEvidence;
use throughline_plan::{DocumentRef, Documents, Plans, Scope, ToolCall, ToolError};
use throughline_protocol::command::StartRun;
use throughline_protocol::{At, Context, Domain, Refusal};
use throughline_value::{Map, Value};

/// The clock of all tests: 2026-03-03T00:00:00Z.
pub(crate) const NOW: i64 = 1_772_496_000_000;

pub(crate) fn at(seq: u64) -> At {
    At { seq, valid_at: NOW }
}

/// Documents by name; the newest version is the last.
#[derive(Clone, Default)]
pub(crate) struct Shelf(pub(crate) BTreeMap<String, Vec<(String, String, String)>>);

impl Shelf {
    pub(crate) fn with(mut self, name: &str, media_type: &str, text: &str) -> Self {
        let hash = Digest::of_bytes(text.as_bytes());
        self.0.entry(name.to_owned()).or_default().push((media_type.to_owned(), text.to_owned(), hash));
        self
    }
}

impl Documents for Shelf {
    fn document(&self, name: &str, version: Option<u64>) -> Option<DocumentRef<'_>> {
        let (name, versions) = self.0.get_key_value(name)?;
        let version = version.unwrap_or(versions.len() as u64);
        let (media_type, text, hash) = versions.get(usize::try_from(version).ok()?.checked_sub(1)?)?;
        Some(DocumentRef { name, version, media_type, text, hash })
    }
}

/// The engine's part: a journal, its fold, the documents, and tools that answer from a script.
pub(crate) struct World {
    pub(crate) journal: Journal,
    pub(crate) plans: Plans,
    pub(crate) shelf: Shelf,
    pub(crate) env: MapEnv,
    pub(crate) domain: Domain,
    pub(crate) actor: Actor,
    pub(crate) answer: fn(&ToolCall) -> Result<Value, ToolError>,
    /// Every call that was made, by its key.
    pub(crate) made: Vec<String>,
}

pub(crate) fn no_tool(call: &ToolCall) -> Result<Value, ToolError> {
    Err(ToolError { code: "tool-missing".to_owned(), message: format!("no tool {}", call.tool) })
}

impl World {
    pub(crate) fn new(shelf: Shelf) -> Self {
        Self {
            journal: Journal::new("test"),
            plans: Plans::default(),
            shelf,
            env: MapEnv::new().at(NOW).in_zone(Zone::parse("+08:00").unwrap()),
            domain: Domain::default(),
            actor: Actor::of(ActorKind::User),
            answer: no_tool,
            made: Vec::new(),
        }
    }

    /// The world after a reload that found these records.
    pub(crate) fn reloaded(&self, records: &[Record]) -> Self {
        let mut world = Self::new(self.shelf.clone());
        world.env = self.env.clone();
        world.answer = self.answer;
        for record in records {
            world.plans.evolve(record);
        }
        if let Some(last) = records.last() {
            // The journal is rebuilt frame by frame elsewhere; here only the numbers matter.
            world.journal = Journal::new("test");
            for seq in 1..=last.seq {
                let frame = world.journal.propose(NOW, vec![], vec![Draft::new("other.thing", Value::Null)]);
                world.journal.commit(frame).unwrap();
                assert_eq!(world.journal.head().seq, seq);
            }
        }
        world
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context {
            now: NOW,
            valid_from: None,
            thread: "main",
            turn: 1,
            actor: &self.actor,
            reason: "test",
            cause: None,
            origin: None,
            next_seq: self.journal.head().seq + 1,
            domain: &self.domain,
        }
    }

    pub(crate) fn commit(&mut self, drafts: Vec<Draft>) {
        if drafts.is_empty() {
            return;
        }
        let frame = self.journal.propose(NOW, vec![], drafts);
        for record in &frame.records {
            self.plans.evolve(record);
        }
        self.journal.commit(frame).unwrap();
    }

    pub(crate) fn start(&mut self, plan: &str, inputs: Map, scope: &Scope) -> Result<String, Refusal> {
        self.begin(&StartRun { plan: plan.into(), inputs, paused: false, breakpoints: Vec::new() }, scope)
    }

    pub(crate) fn begin(&mut self, command: &StartRun, scope: &Scope) -> Result<String, Refusal> {
        let decision = self.plans.start_run(&self.context(), command, scope)?;
        let run = decision.result.get("run").and_then(Value::as_str).unwrap().to_owned();
        self.commit(decision.drafts);
        Ok(run)
    }

    /// One round: what can be done now, committed; then the calls, answered.
    pub(crate) fn round(&mut self, run: &str) -> bool {
        let advance = self.plans.advance(&self.context(), run, &self.shelf, &NoEvidence(&self.env));
        let mut moved = !advance.drafts.is_empty();
        self.commit(advance.drafts);
        for call in self.plans.pending_calls(NOW).into_iter().filter(|call| call.run == run) {
            self.make(&call);
            moved = true;
        }
        moved
    }

    pub(crate) fn make(&mut self, call: &ToolCall) {
        self.made.push(call.idempotency_key.clone());
        let drafts =
            self.plans.finish_call(&self.context(), call, (self.answer)(call), &self.shelf, &NoEvidence(&self.env));
        self.commit(drafts);
    }

    pub(crate) fn finish(&mut self, run: &str) {
        for call in self.plans.pending_calls(NOW) {
            self.make(&call);
        }
        for _ in 0..10_000 {
            if !self.round(run) {
                return;
            }
        }
        panic!("the run does not end");
    }

    /// `step=status:value` for every step, and the run's status.
    pub(crate) fn summary(&self, run: &str) -> String {
        let view = self.plans.run(run, &at(u64::MAX)).unwrap();
        let steps = view.steps.iter().map(|s| match s.status.as_str() {
            "done" => format!("{}={}", s.id, s.output.to_json()),
            other => format!("{}:{other}", s.id),
        });
        let steps: Vec<_> = steps.collect();
        format!("{} {}", view.row.status, steps.join(" "))
    }
}
