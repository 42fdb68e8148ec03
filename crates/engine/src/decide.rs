//! One command: resolved, decided by its room, recorded.

use std::borrow::Cow;

use throughline_agent::{LoadedDomain, Names, Rooms, turn};
use throughline_expr::Env;
use throughline_journal::{Actor, ActorKind, Journal, MAIN_THREAD, Seq};
use throughline_protocol::command::{AssertFact, Batch, CallTool, SendEvent};
use throughline_protocol::{At, Command, Context, Decision, Done, Meta, Query, Refusal};
use throughline_value::json::{Node, NodeData};
use throughline_value::{Map, Span, Value, json, to_value};

use crate::building::{Building, KnownRefusal};
use crate::moment::resolve_time;
use crate::query::Asked;
use crate::state::{CommandEntry, State};
use crate::tools::call::Meant;
use crate::tools::{self, Shape, ToolCall};
use crate::{MAX_BATCH, MAX_BATCH_DEPTH, MAX_REFUSED_TEXT};

/// A command that waits, with what its frame will say of it.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) ticket: u64,
    pub(crate) text: String,
    pub(crate) meta: Meta,
    /// Why it is refused as it came.
    pub(crate) unread: Option<Box<Refusal>>,
    /// The command, where it did not come as a text.
    pub(crate) command: Option<Box<Command>>,
}

/// Decides commands for one frame.
pub(crate) struct Decider<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) state: &'a mut State,
    pub(crate) building: &'a mut Building,
    /// Whether what is executed followed from what went before, and was not asked for from outside.
    pub(crate) by_itself: bool,
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
        let read = json::read(text).map_err(Refusal::from);
        match read.and_then(|node| Command::from_node(&node).map(|command| (command, node))) {
            Ok((command, node)) => self.execute(&command, meta).map_err(|refusal| placed(refusal, &node)),
            Err(refusal) => {
                let data = beginning(text);
                Err(self.record_refusal(refusal, data, meta, None))
            }
        }
    }

    /// Records that a command was refused as it came.
    pub(crate) fn refuse(&mut self, text: &str, refusal: Refusal) -> Refusal {
        self.record_refusal(refusal, beginning(text), &Meta::default(), None)
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
            let mut result = Map::new();
            // Whoever sends events again is told their ids again.
            if let (Command::Remember(_), Some(origin)) = (command, &meta.origin) {
                let ids = self.state.rooms.memory.of_origin(&origin.source, origin.seq);
                result.extend(ids.map(|ids| ("memories".to_owned(), Value::from(ids))));
            }
            result.extend([("unchanged".to_owned(), true.into()), ("duplicate".to_owned(), true.into())]);
            return Ok(Done { records, result: Value::Map(result) });
        }
        match self.run(command, meta, 0) {
            Ok(done) => {
                // Of many events the record says everything; the command is looked at again only where it must be known
                // again.
                let is_named = meta.idempotency_key.is_some() || meta.origin.is_some();
                let entry = CommandEntry {
                    command: match command {
                        Command::RememberColumns(_) if !is_named => Value::from([("type", command.name())]),
                        // As its record has it: a key that somebody typed is kept nowhere.
                        Command::BeginTurn(begin) => {
                            let text = throughline_model::redact_said(&begin.text);
                            Command::from(throughline_protocol::command::BeginTurn { text, ..begin.clone() }).to_value()
                        }
                        _ => command.to_value(),
                    },
                    meta: meta.clone(),
                    records: done.records.clone(),
                    result: done.result.clone(),
                    by_itself: self.by_itself,
                    print: None,
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
                // So that a fork can decide it again under other premises.
                if self.by_itself {
                    map.insert("by_itself".to_owned(), Value::from(true));
                } else if *meta != Meta::default() {
                    map.insert("meta".to_owned(), to_value(meta).unwrap_or_default());
                }
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
        let turn = meta.turn.unwrap_or_else(|| self.state.rooms.turns.newest(&thread));
        (thread, turn)
    }

    fn run(&mut self, command: &Command, meta: &Meta, depth: usize) -> Result<Done, Refused> {
        if let Command::Batch(batch) = command {
            return self.run_batch(batch, meta, depth);
        }
        if let Command::CallTool(command) = command {
            return self.call_tool(command, meta, depth);
        }
        let mut decision = self.decide(command, meta)?;
        let records = self.building.push(self.journal, self.state, decision.drafts);
        if let (Command::Propose(_) | Command::Answer(_), Value::Map(result)) = (command, &mut decision.result)
            && let Some(commands) = result.shift_remove(turn::propose::COMMANDS)
        {
            self.run_proposal(commands, meta, records.first().copied(), result);
        }
        if let (Command::TriggerEvent(_), Some(event)) = (command, decision.result.get("event").and_then(Value::as_str))
        {
            self.run_event(event, meta, records.first().copied());
        }
        Ok(Done { records, result: decision.result })
    }

    /// Does what an accepted proposal stands for, all of it or none, and says what came of it.
    fn run_proposal(&mut self, commands: Value, meta: &Meta, accepted: Option<Seq>, result: &mut Map) {
        let (thread, turn) = self.place(meta);
        // What a model proposed stays the model's, also when a person let it pass.
        let proposed = accepted.and_then(|seq| self.record(seq)).and_then(|record| match record.cause {
            Some(asked) if record.kind == "proposal.settled" => self.record(asked),
            _ => Some(record),
        });
        let actor = proposed.map(|record| record.actor.clone()).or_else(|| meta.actor.clone());
        let meta = Meta {
            thread: Some(thread),
            turn: Some(turn),
            actor,
            reason: meta.reason.clone(),
            cause: accepted,
            ..Meta::default()
        };
        let by_itself = std::mem::replace(&mut self.by_itself, true);
        let commands: Vec<Value> = if let Value::List(commands) = commands { commands } else { Vec::new() };
        let read: Result<Vec<Command>, Refusal> = commands.iter().map(Command::from_value).collect();
        let done = read.and_then(|commands| match all_or_none(commands) {
            Some(command) => self.execute(&command, &meta).map(|done| match (command, done.result) {
                (Command::Batch(_), Value::List(results)) => results,
                (_, result) => vec![result],
            }),
            None => Ok(Vec::new()),
        });
        self.by_itself = by_itself;
        let (results, refused) = match done {
            Ok(results) => (results, None),
            Err(refusal) => (Vec::new(), Some(refusal)),
        };
        result.insert("results".to_owned(), Value::List(results));
        if let Some(refusal) = refused {
            result.insert("status".to_owned(), Value::from("failed"));
            result.insert("refused".to_owned(), Value::List(vec![Value::from(refusal.to_string())]));
        }
    }

    /// A record of the journal, or of the frame that is decided.
    fn record(&self, seq: Seq) -> Option<&throughline_journal::Record> {
        self.journal.record(seq).or_else(|| self.building.records.iter().find(|record| record.seq == seq))
    }

    /// Does what an event that was fired by hand does.
    fn run_event(&mut self, event: &str, meta: &Meta, fired: Option<Seq>) {
        let (thread, turn) = self.place(meta);
        let by_itself = std::mem::replace(&mut self.by_itself, true);
        if let Some(command) = all_or_none(self.state.rooms.world.commands_of(event)) {
            let actor = Some(Actor::named(ActorKind::Rule, event));
            let meta = Meta { thread: Some(thread.clone()), turn: Some(turn), actor, cause: fired, ..Meta::default() };
            // A refusal is recorded, caused by the event, as when it fires by itself.
            let _ = self.execute(&command, &meta);
        }
        self.by_itself = by_itself;
    }

    /// What a model's tool call asks for, by the same door as everything; what came of it goes back in the call's
    /// shape.
    fn call_tool(&mut self, command: &CallTool, meta: &Meta, depth: usize) -> Result<Done, Refused> {
        if depth >= MAX_BATCH_DEPTH {
            return Err(Refusal::new("batch-too-deep", format!("batches nest more than {MAX_BATCH_DEPTH} deep")).into());
        }
        let call = Shape::read_call(&command.call, command.shape.as_deref())?;
        match self.do_call(&call, meta, depth) {
            Ok(Done { records, result }) => {
                let reply = call.reply(Ok(&result));
                let result = [("tool", Value::from(call.name)), ("id", call.id), ("result", result), ("reply", reply)];
                Ok(Done { records, result: Value::from(result) })
            }
            Err(mut refused) => {
                let reply = call.reply(Err(&refused.refusal));
                let mut details = match refused.refusal.details {
                    Value::Map(map) => map,
                    Value::Null => Map::new(),
                    other => Map::from_iter([("details".to_owned(), other)]),
                };
                details.insert("reply".to_owned(), reply);
                refused.refusal.details = Value::Map(details);
                Err(refused)
            }
        }
    }

    fn do_call(&mut self, call: &ToolCall, meta: &Meta, depth: usize) -> Result<Done, Refused> {
        let meta = tools::call::meta_of(call, meta);
        let meant = self.with_context(&meta, |ctx, rooms| {
            let at = tools::call::now_of(ctx);
            tools::call::meaning(call, ctx, &|tool| tool.closed(rooms, at))
        })??;
        match meant {
            Meant::Command(command) => self.run(&command, &meta, depth + 1),
            Meant::Query(query) => {
                let asked = Asked { journal: self.journal, state: self.state, lanes: None, now: self.building.now };
                let query = Query::from_value(&query)?;
                Ok(Done { records: Vec::new(), result: asked.answer(&query)? })
            }
        }
    }

    /// All or none: when one command is refused, the state is folded anew without those before it.
    fn run_batch(&mut self, batch: &Batch, meta: &Meta, depth: usize) -> Result<Done, Refused> {
        if depth >= MAX_BATCH_DEPTH {
            return Err(Refusal::new("batch-too-deep", format!("batches nest more than {MAX_BATCH_DEPTH} deep")).into());
        }
        if batch.commands.len() > MAX_BATCH {
            return Err(Refusal::new("batch-too-large", format!("a batch holds at most {MAX_BATCH} commands")).into());
        }
        let (length, noted) = (self.building.records.len(), self.building.commands.len());
        let at = self.building.next_seq(self.journal);
        if let Some(known) = self.building.refusals.iter().find(|known| known.at == at && known.batch == *batch) {
            return Err(known.refusal.clone().into());
        }
        let mut all = Done { records: Vec::new(), result: Value::Null };
        let mut results = Vec::new();
        for (index, command) in batch.commands.iter().enumerate() {
            match self.run(command, meta, depth + 1) {
                Ok(done) => {
                    all.records.extend(done.records);
                    results.push(done.result);
                }
                Err(mut refused) => {
                    let path = refused.refusal.path.take().unwrap_or_default();
                    refused.refusal.path = Some(format!("/commands/{index}{path}"));
                    refused.draft = None;
                    if self.building.records.len() > length {
                        let dropped = self.building.records.split_off(length);
                        self.building.commands.truncate(noted);
                        let remembered = dropped.iter().any(|record| record.kind.starts_with("memory."));
                        let mut frames = self.journal.frames().iter();
                        // What the memory need not take back is folded from frames without its bodies too.
                        let is_away = frames.any(|frame| frame.is_outline() || (remembered && frame.is_cold()));
                        if is_away {
                            // A refusal for want of something is none.
                            if !self.building.is_starved(self.journal, self.state) {
                                let (batch, refusal) = (batch.clone(), refused.refusal.clone());
                                self.building.refusals.push(KnownRefusal { at, batch, refusal });
                            }
                            self.building.broken = true;
                            self.building.forgotten |= remembered;
                        } else if !remembered {
                            // The memory is as it was.
                            self.state.again_with(self.journal, &self.building.records, &self.building.commands);
                        } else {
                            *self.state = State::with(self.journal, &self.building.records, &self.building.commands);
                        }
                    }
                    return Err(refused);
                }
            }
        }
        all.result = Value::List(results);
        Ok(all)
    }

    /// Resolves who, when and where, for what is decided with it.
    fn with_context<T>(&self, meta: &Meta, decide: impl FnOnce(&Context<'_>, &Rooms) -> T) -> Result<T, Refusal> {
        let rooms = &self.state.rooms;
        let loaded = rooms.domain();
        let domain = &loaded.domain;
        let (thread, turn) = self.place(meta);
        let actor = meta.actor.clone().unwrap_or_else(|| Actor::of(ActorKind::User));
        let valid_from = match &meta.valid_from {
            Some(time) => {
                let zone = throughline_agent::zone_of(domain);
                Some(resolve_time(time, zone.as_ref(), "/meta/valid_from")?)
            }
            None => None,
        };
        let now = self.building.now.max(self.journal.recorded_at().unwrap_or(self.building.now));
        let next_seq = self.building.next_seq(self.journal);
        if let Some(cause) = meta.cause.filter(|cause| *cause == 0 || *cause >= next_seq) {
            return Err(
                Refusal::new("unknown-cause", format!("record {cause} is not in the journal")).at_path("/meta/cause")
            );
        }
        let ctx = Context {
            now,
            valid_from,
            thread: &thread,
            turn,
            actor: &actor,
            reason: meta.reason.as_deref().unwrap_or(""),
            cause: meta.cause,
            origin: meta.origin.as_ref(),
            next_seq,
            domain,
        };
        Ok(decide(&ctx, rooms))
    }

    fn decide(&self, command: &Command, meta: &Meta) -> Result<Decision, Refused> {
        let mut meta = Cow::Borrowed(meta);
        if matches!(command, Command::BeginTurn(_)) && meta.turn.is_none() {
            let (thread, _) = self.place(&meta);
            meta.to_mut().turn = Some(self.state.rooms.turns.newest(&thread) + 1);
        }
        // An action is proposed as the model of a turn proposes it, unless somebody else says so.
        if matches!(command, Command::Propose(_)) && meta.actor.is_none() {
            meta.to_mut().actor = Some(Actor::of(ActorKind::Model));
        }
        self.with_context(&meta, |ctx, rooms| self.decide_in(command, ctx, rooms))?
    }

    fn decide_in(&self, command: &Command, ctx: &Context<'_>, rooms: &Rooms) -> Result<Decision, Refused> {
        let zone = throughline_agent::zone_of(ctx.domain);
        let next_seq = ctx.next_seq;
        let names = names_now(rooms, ctx);
        Ok(match command {
            Command::LoadDomain(c) => self.load_domain(ctx, &c.domain)?,
            Command::LoadZone(c) => throughline_agent::zones::load(ctx, c)?,
            Command::AddDocument(c) => rooms.documents.add(ctx, c)?,
            Command::RegisterEntity(c) => rooms.world.register_entity(ctx, c)?,
            Command::UpdateEntity(c) => rooms.world.update_entity(ctx, c)?,
            Command::MergeEntities(c) => rooms.world.merge_entities(ctx, c)?,
            Command::UnmergeEntities(c) => rooms.world.unmerge_entities(ctx, c)?,
            Command::RetireEntity(c) => rooms.world.retire_entity(ctx, c)?,
            Command::AddRelation(c) => rooms.world.add_relation(ctx, c)?,
            Command::EndRelation(c) => rooms.world.end_relation(ctx, c)?,
            Command::ScheduleEvent(c) => {
                crate::conditions::check(rooms, ctx.domain, c)?;
                rooms.world.schedule_event(ctx, c)?
            }
            Command::TriggerEvent(c) => rooms.world.trigger_event(ctx, c)?,
            Command::CancelEvent(c) => rooms.world.cancel_event(ctx, c)?,
            Command::AssertFact(c) => {
                let kind = ctx.domain.facts.get(&c.key).map_or("", |fact| fact.value.r#type.as_str());
                if c.value.is_null() && !matches!(kind, "" | "any") {
                    let message = format!("`{}` is of the type `{kind}`, and null is none", c.key);
                    return Err(Refusal::new("wrong-type", message)
                        .at_path("/value")
                        .suggest("say that it is no longer known with `retract_fact`")
                        .into());
                }
                check_reference(ctx, c, rooms)?;
                rooms.ledger.assert_fact(ctx, c, zone.as_ref())?
            }
            Command::RetractFact(c) => rooms.ledger.retract_fact(ctx, c, zone.as_ref())?,
            Command::SendEvent(c) => send_event(rooms, ctx, c, &names)?,
            Command::StartRun(c) => turn::start_run(rooms, ctx, c)?,
            Command::StepRun(c) => {
                // The calls start when their records are committed.
                let host = throughline_agent::Hosted::new(rooms, next_seq - 1).valid_at(ctx.now);
                let advance = rooms.plans.step_run(ctx, c, &host, &names)?;
                Decision { drafts: advance.drafts, result: Value::from([("run", c.run.as_str())]) }
            }
            Command::ContinueRun(c) => rooms.plans.continue_run(ctx, c)?,
            Command::PauseRun(c) => rooms.plans.pause_run(ctx, c)?,
            Command::SetBreakpoints(c) => rooms.plans.set_breakpoints(ctx, c)?,
            Command::EditBinding(c) => rooms.plans.edit_binding(ctx, c)?,
            Command::Rerun(c) => rooms.plans.rerun(ctx, c, &throughline_agent::Hosted::scope(ctx.domain, []))?,
            Command::CancelRun(c) => rooms.plans.cancel_run(ctx, c)?,
            Command::Remember(c) => rooms.memory.remember(ctx, c)?,
            Command::Amend(c) => rooms.memory.amend(ctx, c)?,
            Command::Forget(c) => rooms.memory.forget(ctx, c)?,
            Command::Recover(c) => rooms.memory.recover(ctx, c)?,
            Command::RememberColumns(c) => rooms.memory.remember_columns(ctx, c)?,
            Command::ForgetBy(c) => rooms.memory.forget_by(ctx, c)?,
            Command::Touch(c) => rooms.memory.touch(ctx, c)?,
            Command::Purge(c) => {
                let mut decision = rooms.memory.decide_purge(ctx, c)?;
                crate::erase::complete(self.journal, &self.building.records, rooms, ctx, &mut decision)?;
                decision
            }
            Command::BeginTurn(c) => turn::begin(rooms, ctx, c)?,
            Command::StopTurn(_) => turn::stop(rooms, ctx)?,
            // A question is put before a person: who asked must not answer.
            Command::Answer(c) if !matches!(ctx.actor.kind, ActorKind::User | ActorKind::Rule) => {
                let who = to_value(&ctx.actor.kind).unwrap_or_default();
                let message = format!(
                    "`{}` waits for a person; it is not for a {} to answer",
                    c.ask,
                    who.as_str().unwrap_or("model")
                );
                return Err(Refusal::new("not-authorised", message).at_path("/meta/actor").into());
            }
            Command::Answer(c) if rooms.plans.asked(&c.ask) => {
                let host = throughline_agent::Hosted::new(rooms, next_seq - 1).valid_at(ctx.now);
                rooms.plans.answer(ctx, c, &host, &names)?
            }
            Command::Answer(c) => match turn::propose::settle(rooms, ctx, c) {
                Some(settled) => settled?,
                None => turn::answer(rooms, ctx, c)?,
            },
            Command::Propose(c) => turn::propose(rooms, ctx, c)?,
            // Due events are looked at after every command; this one only brings the time.
            Command::Tick(_) => Decision::unchanged(Value::map()),
            Command::Batch(_) | Command::CallTool(_) => Decision::default(),
        })
    }

    /// What is wrong with a domain, and with its machine.
    fn with_machine(&self, ctx: &Context<'_>, document: &Value, mut refusal: Refusal) -> Refusal {
        let Some(machine) = document.get("machine").filter(|machine| !machine.is_null()) else { return refusal };
        // Facts that guards name cannot be told from mistakes while the domain is broken.
        let none = throughline_protocol::Domain::default();
        let ctx = Context { domain: &none, ..ctx.clone() };
        let names = names_now(&self.state.rooms, &ctx);
        let Err(more) = self.state.rooms.machine.load(&ctx, machine, &names) else { return refusal };
        let more = below_domain(&more);
        if let Value::Map(details) = &mut refusal.details
            && let Some(Value::List(problems)) = details.get_mut("problems")
        {
            problems.extend(more);
            let others = problems.len() - 1;
            let first = problems.first().and_then(|one| one.get("message")).and_then(Value::as_str).unwrap_or("");
            refusal.message = format!("{first} (and {others} more problems)");
        }
        refusal
    }

    fn load_domain(&self, ctx: &Context<'_>, document: &Value) -> Result<Decision, Refusal> {
        let loaded = LoadedDomain::read(document).map_err(|refusal| self.with_machine(ctx, document, refusal))?;
        let mut result = vec![
            ("name", Value::from(loaded.domain.name.as_str())),
            ("version", Value::from(loaded.domain.version.as_str())),
            ("hash", Value::from(loaded.hash.as_str())),
        ];
        let current = self.state.rooms.domain();
        throughline_agent::zones::check_zone(&loaded, &current)?;
        if current.hash == loaded.hash {
            result.push(("unchanged", Value::from(true)));
            let result = result.into_iter().map(|(name, value)| (name.to_owned(), value));
            return Ok(Decision::unchanged(Value::Map(result.collect())));
        }
        let mut drafts = vec![ctx.draft("domain.loaded", loaded.to_record()?)];
        if !loaded.domain.machine.is_null() && current.domain.machine != loaded.domain.machine {
            // Its guards are checked against the facts of the new domain.
            let ctx = Context { domain: &loaded.domain, ..ctx.clone() };
            let names = names_now(&self.state.rooms, &ctx);
            let mut machine =
                self.state.rooms.machine.load(&ctx, &loaded.domain.machine, &names).map_err(|refusal| {
                    let path = format!("/domain{}", refusal.path.as_deref().unwrap_or("/machine"));
                    let problems = below_domain(&refusal);
                    let refusal = refusal.at_path(path);
                    if refusal.details.get("problems").is_none() {
                        return refusal;
                    }
                    refusal.with(Value::from([("problems", Value::List(problems))]))
                })?;
            for draft in &mut machine.drafts {
                draft.cause = throughline_journal::Cause::Draft(0);
            }
            drafts.extend(machine.drafts);
            let findings = machine.result.get("findings").and_then(Value::as_list).unwrap_or_default();
            if !findings.is_empty() {
                result.push(("findings", Value::from(findings.to_vec())));
            }
        }
        let result = result.into_iter().map(|(name, value)| (name.to_owned(), value));
        Ok(Decision { drafts, result: Value::Map(result.collect()) })
    }
}

/// A fact that refers to an entity refers to one that there is, of the type that the domain says.
fn check_reference(ctx: &Context<'_>, command: &AssertFact, rooms: &Rooms) -> Result<(), Refusal> {
    let field = ctx.domain.facts.get(&command.key).map(|fact| &fact.value);
    let Some(field) = field.filter(|field| field.r#type == "reference" && !ctx.domain.entity_types.is_empty()) else {
        return Ok(());
    };
    let Some(name) = command.value.as_str().filter(|name| !name.is_empty()) else { return Ok(()) };
    if rooms.world.resolve(name, field.to.as_deref()).is_some() {
        return Ok(());
    }
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let found = rooms.world.entity(name, at).map_err(|refusal| refusal.at_path("/value"))?;
    let wanted = field.to.as_deref().unwrap_or("entity");
    let message = format!("`{name}` is a `{}`; a `{wanted}` is expected here", found.entity.entity_type);
    Err(Refusal::new("unknown-entity", message).at_path("/value").suggest(format!("name a `{wanted}`")))
}

/// Commands that belong together as one: when one of them is refused, none is done.
pub(crate) fn all_or_none(mut commands: Vec<Command>) -> Option<Command> {
    if commands.len() > 1 { Some(Batch { commands }.into()) } else { commands.pop() }
}

/// The problems of a machine, or its one, as problems of its domain.
fn below_domain(refusal: &Refusal) -> Vec<Value> {
    let list = refusal.details.get("problems").and_then(Value::as_list).unwrap_or(&[]);
    if list.is_empty() {
        let path = format!("/domain{}", refusal.path.as_deref().unwrap_or("/machine"));
        let one = [("code", refusal.code.as_str()), ("path", path.as_str()), ("message", refusal.message.as_str())];
        return vec![Value::from(one)];
    }
    let mut list = list.to_vec();
    for problem in &mut list {
        if let Value::Map(map) = problem
            && let Some(Value::Text(path)) = map.get_mut("path")
            && !path.starts_with("/domain")
        {
            path.insert_str(0, "/domain");
        }
    }
    list
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

/// The refusal with the bytes that its path, and the paths of its problems, stand for in the command's text.
fn placed(mut refusal: Refusal, node: &Node) -> Refusal {
    if refusal.span.is_none() {
        refusal.span = refusal.path.as_deref().and_then(|path| span_at(node, path));
    }
    if let Value::Map(details) = &mut refusal.details
        && let Some(Value::List(problems)) = details.get_mut("problems")
    {
        for problem in problems {
            let span = problem.get("path").and_then(Value::as_str).and_then(|path| span_at(node, path));
            if let (Some(span), Value::Map(problem)) = (span, problem) {
                problem.insert("span".to_owned(), to_value(&span).unwrap_or_default());
            }
        }
    }
    refusal
}

/// The bytes of the value at a JSON pointer, or of what would hold it.
fn span_at(node: &Node, pointer: &str) -> Option<Span> {
    let mut here = node;
    let mut steps = pointer.split('/');
    if steps.next() != Some("") || pointer.starts_with("/meta/") {
        return None;
    }
    for step in steps {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = match &here.data {
            NodeData::Map(map) => map.iter().find(|(key, _)| key.name == step).map(|(_, value)| value),
            NodeData::List(list) => step.parse::<usize>().ok().and_then(|index| list.get(index)),
            _ => None,
        };
        match next {
            Some(next) => here = next,
            None => break,
        }
    }
    Some(here.span)
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
