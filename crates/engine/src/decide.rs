//! One command: resolved, decided by its room, recorded.

use throughline_agent::{LoadedDomain, Names, Rooms, turn};
use throughline_expr::Env;
use throughline_journal::{Actor, ActorKind, Journal, MAIN_THREAD, Seq};
use throughline_protocol::command::{Batch, SendEvent};
use throughline_protocol::{At, Command, Context, Decision, Done, Meta, Refusal};
use throughline_value::{Value, json, to_value};

use crate::building::Building;
use crate::moment::resolve_time;
use crate::state::{CommandEntry, State};
use crate::{MAX_BATCH, MAX_BATCH_DEPTH, MAX_REFUSED_TEXT};

/// A command that waits, with what its frame will say of it.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) ticket: u64,
    pub(crate) text: String,
    pub(crate) meta: Meta,
}

/// Decides commands for one frame.
pub(crate) struct Decider<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) state: &'a mut State,
    pub(crate) building: &'a mut Building,
}

/// A refusal, and what must be recorded for it instead of the usual `command.refused`.
struct Refused {
    refusal: Refusal,
    draft: Option<Box<throughline_journal::Draft>>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, draft: None }
    }
}

impl Decider<'_> {
    /// Reads and runs a command; a refusal is recorded.
    pub(crate) fn execute_text(&mut self, text: &str, meta: &Meta) -> Result<Done, Refusal> {
        match json::read(text).map_err(Refusal::from).and_then(|node| Command::from_node(&node)) {
            Ok(command) => self.execute(&command, meta),
            Err(refusal) => {
                let data = beginning(text);
                Err(self.record_refusal(refusal, data, meta, None))
            }
        }
    }

    /// Runs a command; a refusal is recorded.
    pub(crate) fn execute(&mut self, command: &Command, meta: &Meta) -> Result<Done, Refusal> {
        match self.state.done_before(command, meta) {
            Some(Ok(done)) => return Ok(done),
            Some(Err(refusal)) => return Err(self.record_refusal(refusal, command.to_value(), meta, None)),
            None => {}
        }
        let expected = meta.expected_head.filter(|head| head + 1 != self.building.next_seq(self.journal));
        if let Some(head) = expected {
            let now = self.building.next_seq(self.journal) - 1;
            let refusal = Refusal::new(
                "head-moved",
                format!("the journal is at record {now}, not {head}; look again and decide anew"),
            )
            .with(Value::from([("expected", head), ("head", now)]));
            return Err(self.record_refusal(refusal, command.to_value(), meta, None));
        }
        if self.state.seen_before(command, meta) {
            let draft = throughline_journal::Draft {
                origin: meta.origin.clone(),
                ..throughline_journal::Draft::new("command.duplicate", Value::from([("type", command.name())]))
            };
            let records = self.building.push(self.journal, self.state, vec![draft]);
            return Ok(Done { records, result: Value::from([("unchanged", true), ("duplicate", true)]) });
        }
        match self.run(command, meta, 0) {
            Ok(done) => {
                let entry = CommandEntry {
                    command: command.to_value(),
                    meta: meta.clone(),
                    records: done.records.clone(),
                    result: done.result.clone(),
                };
                // A command that changed nothing leaves no trace, unless it must be recognised again.
                if !done.records.is_empty() {
                    self.building.note(self.state, &entry);
                }
                Ok(done)
            }
            Err(Refused { refusal, draft }) => {
                Err(self.record_refusal(refusal, command.to_value(), meta, draft.map(|d| *d)))
            }
        }
    }

    fn record_refusal(
        &mut self,
        mut refusal: Refusal,
        command: Value,
        meta: &Meta,
        draft: Option<throughline_journal::Draft>,
    ) -> Refusal {
        let (thread, turn) = self.place(meta);
        let actor = meta.actor.clone().unwrap_or_else(|| Actor::of(ActorKind::User));
        let draft = draft.unwrap_or_else(|| {
            let mut data = to_value(&refusal).unwrap_or_default();
            if let Value::Map(map) = &mut data {
                map.insert("command".to_owned(), shortened(command));
            }
            throughline_journal::Draft::new("command.refused", data)
        });
        let reason = meta.reason.clone().unwrap_or_default();
        let cause = meta.cause.map_or(throughline_journal::Cause::None, throughline_journal::Cause::Record);
        let draft =
            throughline_journal::Draft { thread, turn, actor, reason, cause, origin: meta.origin.clone(), ..draft };
        refusal.seq = self.building.push(self.journal, self.state, vec![draft]).first().copied();
        refusal
    }

    /// The thread and the turn that a command belongs to.
    fn place(&self, meta: &Meta) -> (String, u32) {
        let thread = meta.thread.clone().unwrap_or_else(|| MAIN_THREAD.to_owned());
        let turn = meta.turn.unwrap_or_else(|| self.state.rooms.turns.newest(&thread).map_or(0, |t| t.turn));
        (thread, turn)
    }

    fn run(&mut self, command: &Command, meta: &Meta, depth: usize) -> Result<Done, Refused> {
        if let Command::Batch(batch) = command {
            return self.run_batch(batch, meta, depth);
        }
        let decision = self.decide(command, meta)?;
        let records = self.building.push(self.journal, self.state, decision.drafts);
        if let (Command::TriggerEvent(_), Some(event)) = (command, decision.result.get("event").and_then(Value::as_str))
        {
            self.run_event(event, meta, records.first().copied());
        }
        Ok(Done { records, result: decision.result })
    }

    /// Does what an event that was fired by hand does.
    fn run_event(&mut self, event: &str, meta: &Meta, fired: Option<Seq>) {
        let (thread, turn) = self.place(meta);
        for command in self.state.rooms.world.commands_of(event) {
            let actor = Some(Actor::named(ActorKind::Rule, event));
            let meta = Meta { thread: Some(thread.clone()), turn: Some(turn), actor, cause: fired, ..Meta::default() };
            // A refusal is recorded, caused by the event, as when it fires by itself.
            let _ = self.execute(&command, &meta);
        }
    }

    /// All or none: the state is kept aside and put back when one command is refused.
    fn run_batch(&mut self, batch: &Batch, meta: &Meta, depth: usize) -> Result<Done, Refused> {
        if depth >= MAX_BATCH_DEPTH {
            return Err(Refusal::new("batch-too-deep", format!("batches nest more than {MAX_BATCH_DEPTH} deep")).into());
        }
        if batch.commands.len() > MAX_BATCH {
            return Err(Refusal::new("batch-too-large", format!("a batch holds at most {MAX_BATCH} commands")).into());
        }
        let kept = self.state.clone();
        let length = self.building.records.len();
        let mut all = Done { records: Vec::new(), result: Value::Null };
        let mut results = Vec::new();
        for (index, command) in batch.commands.iter().enumerate() {
            match self.run(command, meta, depth + 1) {
                Ok(done) => {
                    all.records.extend(done.records);
                    results.push(done.result);
                }
                Err(mut refused) => {
                    *self.state = kept;
                    self.building.records.truncate(length);
                    let path = refused.refusal.path.take().unwrap_or_default();
                    refused.refusal.path = Some(format!("/commands/{index}{path}"));
                    refused.draft = None;
                    return Err(refused);
                }
            }
        }
        all.result = Value::List(results);
        Ok(all)
    }

    fn decide(&self, command: &Command, meta: &Meta) -> Result<Decision, Refused> {
        let rooms = &self.state.rooms;
        let loaded = rooms.domain();
        let domain = &loaded.domain;
        let zone = throughline_agent::zone_of(domain);
        let (thread, mut turn_number) = self.place(meta);
        let actor = meta.actor.clone().unwrap_or_else(|| Actor::of(ActorKind::User));
        let valid_from = match &meta.valid_from {
            Some(time) => Some(resolve_time(time, zone.as_ref(), "/meta/valid_from")?),
            None => None,
        };
        let now = self.building.now.max(self.journal.recorded_at().unwrap_or(self.building.now));
        let next_seq = self.building.next_seq(self.journal);
        if matches!(command, Command::BeginTurn(_)) && meta.turn.is_none() {
            turn_number = rooms.turns.newest(&thread).map_or(1, |t| t.turn + 1);
        }
        if let Some(cause) = meta.cause.filter(|cause| *cause >= next_seq) {
            return Err(Refusal::new("unknown-cause", format!("record {cause} is not in the journal"))
                .at_path("/meta/cause")
                .into());
        }
        let ctx = Context {
            now,
            valid_from,
            thread: &thread,
            turn: turn_number,
            actor: &actor,
            reason: meta.reason.as_deref().unwrap_or(""),
            cause: meta.cause,
            origin: meta.origin.as_ref(),
            next_seq,
            domain,
        };
        let names = names_now(rooms, &ctx);
        Ok(match command {
            Command::LoadDomain(c) => self.load_domain(&ctx, &c.domain)?,
            Command::AddDocument(c) => rooms.documents.add(&ctx, c)?,
            Command::RegisterEntity(c) => rooms.world.register_entity(&ctx, c)?,
            Command::UpdateEntity(c) => rooms.world.update_entity(&ctx, c)?,
            Command::MergeEntities(c) => rooms.world.merge_entities(&ctx, c)?,
            Command::UnmergeEntities(c) => rooms.world.unmerge_entities(&ctx, c)?,
            Command::RetireEntity(c) => rooms.world.retire_entity(&ctx, c)?,
            Command::AddRelation(c) => rooms.world.add_relation(&ctx, c)?,
            Command::EndRelation(c) => rooms.world.end_relation(&ctx, c)?,
            Command::ScheduleEvent(c) => rooms.world.schedule_event(&ctx, c)?,
            Command::TriggerEvent(c) => rooms.world.trigger_event(&ctx, c)?,
            Command::CancelEvent(c) => rooms.world.cancel_event(&ctx, c)?,
            Command::AssertFact(c) => rooms.ledger.assert_fact(&ctx, c, zone.as_ref())?,
            Command::RetractFact(c) => rooms.ledger.retract_fact(&ctx, c, zone.as_ref())?,
            Command::SendEvent(c) => send_event(rooms, &ctx, c, &names)?,
            Command::StartRun(c) => turn::start_run(rooms, &ctx, c)?,
            Command::StepRun(c) => {
                // The calls start when their records are committed.
                let host = throughline_agent::Hosted::new(rooms, next_seq - 1);
                let advance = rooms.plans.step_run(&ctx, c, &host, &names)?;
                Decision { drafts: advance.drafts, result: Value::from([("run", c.run.as_str())]) }
            }
            Command::ContinueRun(c) => rooms.plans.continue_run(&ctx, c)?,
            Command::CancelRun(c) => rooms.plans.cancel_run(&ctx, c)?,
            Command::Remember(c) => rooms.memory.remember(&ctx, c)?,
            Command::Amend(c) => rooms.memory.amend(&ctx, c)?,
            Command::Forget(c) => rooms.memory.forget(&ctx, c)?,
            Command::Recover(c) => rooms.memory.recover(&ctx, c)?,
            Command::BeginTurn(c) => turn::begin(rooms, &ctx, c)?,
            Command::StopTurn(_) => turn::stop(rooms, &ctx)?,
            Command::Answer(c) => turn::answer(rooms, &ctx, c)?,
            // Due events are looked at after every command; this one only brings the time.
            Command::Tick(_) => Decision::unchanged(Value::map()),
            Command::Batch(_) => Decision::default(),
        })
    }

    fn load_domain(&self, ctx: &Context<'_>, document: &Value) -> Result<Decision, Refusal> {
        let loaded = LoadedDomain::read(document)?;
        let result = [
            ("name", Value::from(loaded.domain.name.as_str())),
            ("version", Value::from(loaded.domain.version.as_str())),
            ("hash", Value::from(loaded.hash.as_str())),
        ];
        let current = self.state.rooms.domain();
        if current.hash == loaded.hash {
            let mut result = Value::from(result);
            if let Value::Map(map) = &mut result {
                map.insert("unchanged".to_owned(), Value::from(true));
            }
            return Ok(Decision::unchanged(result));
        }
        let mut drafts = vec![ctx.draft("domain.loaded", loaded.to_record()?)];
        if !loaded.domain.machine.is_null() && current.domain.machine != loaded.domain.machine {
            let mut machine = self.state.rooms.machine.load(ctx, &loaded.domain.machine)?;
            for draft in &mut machine.drafts {
                draft.cause = throughline_journal::Cause::Draft(0);
            }
            drafts.extend(machine.drafts);
        }
        Ok(Decision { drafts, result: Value::from(result) })
    }
}

/// The names at the moment of a decision: everything decided before it, valid now.
pub(crate) fn names_now<'a>(rooms: &'a Rooms, ctx: &Context<'_>) -> Names<'a> {
    let seq: Seq = ctx.next_seq - 1;
    rooms.names(At { seq, valid_at: ctx.now }, ctx.now)
}

fn send_event(rooms: &Rooms, ctx: &Context<'_>, command: &SendEvent, names: &dyn Env) -> Result<Decision, Refused> {
    let sent = rooms.machine.send_event(ctx, command, names);
    sent.map_err(|refused| Refused { refusal: refused.refusal, draft: refused.draft.map(Box::new) })
}

/// What is kept of a refused command: all of it, or the beginning of its text when it is long.
fn shortened(command: Value) -> Value {
    let text = command.to_json();
    if text.len() <= MAX_REFUSED_TEXT { command } else { beginning(&text) }
}

/// The beginning of a text, its length and its hash: enough to recognise it, not enough to fill a journal.
fn beginning(text: &str) -> Value {
    let fits = |bytes: &mut usize, c: char| {
        *bytes += c.len_utf8();
        (*bytes <= MAX_REFUSED_TEXT).then_some(c)
    };
    let kept: String = text.chars().scan(0, fits).collect();
    let hash = throughline_journal::Digest::of_bytes(text.as_bytes());
    Value::from([("text", Value::from(kept)), ("bytes", Value::from(text.len())), ("hash", Value::from(hash))])
}
