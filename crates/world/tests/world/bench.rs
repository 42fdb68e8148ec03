//! A journal, a clock and a world, driven by JSON commands.

use throughline_expr::time::parse_instant;
use throughline_expr::{Env, MapEnv, Value};
use throughline_journal::{Actor, ActorKind, Digest, Journal, Millis, Origin, Record, Seq};
use throughline_protocol::{At, Command, Context, Decision, Domain, Refusal};
use throughline_value::json;
use throughline_world::{Idle, World};

#[derive(Clone)]
pub(crate) struct Bench {
    pub(crate) world: World,
    pub(crate) journal: Journal,
    pub(crate) domain: Domain,
    pub(crate) now: Millis,
    /// What conditions see beside the world.
    pub(crate) env: MapEnv,
}

/// When it is true, and where it comes from.
#[derive(Clone, Default)]
pub(crate) struct Meta {
    pub(crate) valid_from: Option<Millis>,
    pub(crate) origin: Option<Origin>,
}

pub(crate) fn valid(ms: Millis) -> Meta {
    Meta { valid_from: Some(ms), origin: None }
}

pub(crate) fn from(source: &str, seq: u64) -> Meta {
    Meta { valid_from: None, origin: Some(Origin { source: source.to_owned(), seq }) }
}

pub(crate) fn ms(text: &str) -> Millis {
    parse_instant(text, None).unwrap().ms
}

pub(crate) fn read(text: &str) -> Value {
    json::read_value(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

impl Bench {
    pub(crate) fn new(domain: &str) -> Self {
        Self {
            world: World::default(),
            journal: Journal::new("bench"),
            domain: throughline_value::from_value(&read(domain)).unwrap(),
            now: 1_000,
            env: MapEnv::new(),
        }
    }

    pub(crate) fn decide(&self, command: &Command, meta: &Meta) -> Result<Decision, Refusal> {
        let actor = Actor::of(ActorKind::User);
        let ctx = self.context(meta, &actor);
        match command {
            Command::RegisterEntity(c) => self.world.register_entity(&ctx, c),
            Command::UpdateEntity(c) => self.world.update_entity(&ctx, c),
            Command::MergeEntities(c) => self.world.merge_entities(&ctx, c),
            Command::UnmergeEntities(c) => self.world.unmerge_entities(&ctx, c),
            Command::RetireEntity(c) => self.world.retire_entity(&ctx, c),
            Command::AddRelation(c) => self.world.add_relation(&ctx, c),
            Command::EndRelation(c) => self.world.end_relation(&ctx, c),
            Command::ScheduleEvent(c) => self.world.schedule_event(&ctx, c),
            Command::TriggerEvent(c) => self.world.trigger_event(&ctx, c),
            Command::CancelEvent(c) => self.world.cancel_event(&ctx, c),
            other => panic!("{} is not of this room", other.name()),
        }
    }

    pub(crate) fn context<'a>(&'a self, meta: &'a Meta, actor: &'a Actor) -> Context<'a> {
        Context {
            now: self.now,
            valid_from: meta.valid_from,
            thread: "main",
            turn: 0,
            actor,
            reason: "",
            cause: None,
            origin: meta.origin.as_ref(),
            next_seq: self.journal.head().seq + 1,
            domain: &self.domain,
        }
    }

    /// Decides, commits and folds; the result with what the caller gets back.
    pub(crate) fn with(&mut self, meta: &Meta, command: &str) -> Result<Value, Refusal> {
        let command = Command::read(command)?;
        let decision = self.decide(&command, meta)?;
        self.fold(decision.drafts);
        Ok(decision.result)
    }

    pub(crate) fn run(&mut self, command: &str) -> Result<Value, Refusal> {
        self.with(&Meta::default(), command)
    }

    /// Must succeed; the text of one part of the result.
    #[track_caller]
    pub(crate) fn id(&mut self, command: &str, part: &str) -> String {
        let result = self.run(command).unwrap_or_else(|refusal| panic!("{refusal}: {command}"));
        result
            .get(part)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no {part} in {}", result.to_json()))
            .to_owned()
    }

    /// Must be refused with this code at this path, and change nothing.
    #[track_caller]
    pub(crate) fn refused(&mut self, meta: &Meta, command: &str, expected: &str) -> Refusal {
        let (before, head) = (self.content(), self.journal.head());
        let refusal = self.with(meta, command).expect_err(command);
        let path = refusal.path.clone().unwrap_or_default();
        assert_eq!(format!("{} {path}", refusal.code).trim_end(), expected, "{refusal}");
        assert_eq!((self.content(), self.journal.head()), (before, head), "a refusal changes nothing");
        refusal
    }

    pub(crate) fn fold(&mut self, drafts: Vec<throughline_journal::Draft>) -> Vec<Seq> {
        if drafts.is_empty() {
            return Vec::new();
        }
        let frame = self.journal.propose(self.now, vec![], drafts);
        let records: Vec<Record> = frame.records.clone();
        self.journal.commit(frame).unwrap();
        for record in &records {
            self.world.evolve(record);
        }
        records.iter().map(|record| record.seq).collect()
    }

    /// The newest record, at the clock's time.
    pub(crate) fn at(&self) -> At {
        At { seq: self.journal.head().seq, valid_at: self.now }
    }

    pub(crate) fn field(&self, entity: &str, field: &str, at: At) -> String {
        let value = self.world.get_path(&["entities", entity, field], at);
        value.map_or_else(|| "-".to_owned(), |value| value.to_json())
    }

    pub(crate) fn content(&self) -> String {
        content(&self.world, self.now)
    }

    pub(crate) fn history(&self) -> String {
        history(&self.world)
    }

    /// What the journal alone makes of the world.
    pub(crate) fn replayed(&self) -> World {
        let mut world = World::default();
        for seq in 1..=self.journal.head().seq {
            world.evolve(self.journal.record(seq).unwrap());
        }
        world
    }

    /// Goes to a time and lets happen what is due; each as `kind name@late`, with what it does.
    pub(crate) fn tick(&mut self, now: Millis, idle_since: Option<Millis>) -> Vec<String> {
        self.now = now;
        let mut out = Vec::new();
        loop {
            let idle = idle_since.map(|since| Idle { since, before: Seq::MAX });
            let due = {
                let actor = Actor::of(ActorKind::Rule);
                let meta = Meta::default();
                let names = Names { world: &self.world, env: &self.env, at: self.at() };
                self.world.first_due(&self.context(&meta, &actor), &names, idle)
            };
            let Some(due) = due else { return out };
            assert!(out.len() < 100, "what happens by itself comes to an end");
            let data = due.draft.data.clone();
            let part = |name: &str| data.get(name).map(Value::to_json).unwrap_or_default();
            let verb = due.draft.kind.trim_start_matches("event.").to_owned();
            out.push(format!("{verb} {} due={} late={}", part("name"), part("due"), part("late")));
            self.fold(vec![due.draft]);
            for command in due.then {
                let decision = self.decide(&command, &Meta::default()).unwrap();
                self.fold(decision.drafts);
            }
        }
    }
}

struct Names<'a> {
    world: &'a World,
    env: &'a MapEnv,
    at: At,
}

impl Env for Names<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.env.get(name).or_else(|| self.world.get_path(&[name], self.at))
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        self.env.get_path(path).or_else(|| self.world.get_path(path, self.at))
    }

    fn now(&self) -> Option<i64> {
        Some(self.at.valid_at)
    }
}

pub(crate) fn content(world: &World, valid_at: Millis) -> String {
    let mut digest = Digest::new("content");
    world.digest_content(&mut digest, valid_at);
    digest.finish()
}

pub(crate) fn history(world: &World) -> String {
    let mut digest = Digest::new("history");
    world.digest_history(&mut digest);
    digest.finish()
}
