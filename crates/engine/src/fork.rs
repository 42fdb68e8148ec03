//! Another journal that starts at a moment of this one, and goes on under other premises.
//!
//! Up to the moment its records are the same. After it every command that came from outside is decided again,
//! in its order and at its time, and what follows by itself (events, runs, turns) follows again. What the world
//! outside gave (calls, exchanges) is not asked for again: a recorded result is reused where the fork asks for
//! the same thing, and the report says of each what became of it. Numbers and ids that come out otherwise are
//! followed, so a later command finds what it meant.

mod gone;
mod ids;
mod plan;

use std::collections::VecDeque;

use throughline_agent::turns::ExchangeFinished;
use throughline_journal::{Digest, Draft, Frame, Journal, Millis, Seq};
use throughline_model::Request;
use throughline_protocol::session::Fork;
use throughline_protocol::view::{ForkCommand, ForkEffect, ForkReport};
use throughline_protocol::{At, Outcome, Refusal};
use throughline_value::{Map, SortedMap, Value, to_value};

use crate::diff::{difference, snapshot};
use crate::engine::Engine;
use crate::input::{Input, Output};
use crate::state::State;
use gone::Gone;
use ids::Ids;
use plan::{Given, Group, Happening, Kind};

/// A fork: its journal, and what it did.
#[derive(Clone, Debug)]
pub struct Forked {
    /// The new journal.
    pub journal: Journal,
    /// What it did.
    pub report: ForkReport,
}

/// Forks a journal.
///
/// # Errors
/// `beyond-head`, `before-fork`, `follows-by-itself`, `bad-duration`, `unknown-choice`, and what an intervention
/// says that is no command.
pub fn fork(journal: &Journal, fork: &Fork) -> Result<Forked, Refusal> {
    let (forking, now, until) = forked(journal, fork, Gone::default())?;
    forking.finish(now, until)
}

/// The same journal decided again; and how many records were taken as they are recorded, since something that they
/// were decided from was erased.
pub(crate) fn again(journal: &Journal, whole: &Fork) -> Result<(Journal, u64), Refusal> {
    let (forking, ..) = forked(journal, whole, Gone::of(journal))?;
    Ok((forking.engine.into_journal(), forking.adopted))
}

fn forked<'a>(journal: &'a Journal, fork: &Fork, gone: Gone) -> Result<(Forking<'a>, Millis, Seq), Refusal> {
    let head = journal.head().seq;
    for (name, seq) in [("at", fork.at), ("until", fork.until)] {
        if let Some(seq) = seq.filter(|seq| *seq > head) {
            let message = format!("record {seq} is not there yet; the last one is {head}");
            return Err(Refusal::new("beyond-head", message).at_path(format!("/{name}")));
        }
    }
    let stub = match fork.unrecorded.as_deref() {
        None | Some("recompute") => false,
        Some("stub") => true,
        Some(other) => {
            let message = format!("`unrecorded` is `recompute` or `stub`, not `{other}`");
            return Err(Refusal::new("unknown-choice", message).at_path("/unrecorded"));
        }
    };
    let at = match fork.at {
        Some(at) => at,
        None => plan::start(journal, &fork.interventions)?.unwrap_or(head),
    };
    let until = fork.until.unwrap_or(if fork.interventions.is_empty() { at } else { head }).max(at);
    let plan = plan::plan(journal, at, until, &fork.interventions)?;
    let id = fork.id.clone().unwrap_or_else(|| id_of(journal, at, fork));
    let mut forking = Forking {
        source: journal,
        engine: Engine::open(prefix(journal, &id, at)?),
        ids: Ids::default(),
        calls: Vec::new(),
        exchanges: Vec::new(),
        outcomes: SortedMap::new(),
        tickets: 0,
        unused: plan.results(),
        stub,
        gone,
        adopted: 0,
        report: ForkReport { from: journal.id().to_owned(), id, at, ..ForkReport::default() },
    };
    let start = journal.record(at).map_or(0, |record| record.recorded_at);
    if until > at {
        // What was open at the moment goes on.
        forking.give(start, vec![Input::Resume]);
    }
    let mut now = start;
    for group in &plan.groups {
        now = group.at;
        forking.group(group);
    }
    Ok((forking, now, until))
}

/// The id of a fork that is given none: the same fork of the same journal has the same.
fn id_of(journal: &Journal, at: Seq, fork: &Fork) -> String {
    let mut digest = Digest::new("fork");
    digest.text(journal.id());
    digest.text(&journal.head().chain);
    digest.number(at.cast_signed());
    digest.value(&to_value(fork).unwrap_or_default());
    let hash = digest.finish();
    format!("{}-fork-{}", journal.id(), hash.get(..12).unwrap_or(&hash))
}

/// The records up to `at`, under another id.
fn prefix(journal: &Journal, id: &str, at: Seq) -> Result<Journal, Refusal> {
    let mut made = Journal::new(id);
    for frame in journal.frames().iter().take_while(|frame| frame.first <= at) {
        let (commands, records) = if frame.last() <= at {
            (frame.commands.clone(), frame.records.clone())
        } else {
            let whole = |entry: &&Value| {
                let seqs = entry.get("records").and_then(Value::as_list).unwrap_or(&[]);
                seqs.iter().all(|seq| seq.as_i64().is_some_and(|seq| seq.cast_unsigned() <= at))
            };
            let records = frame.records.iter().filter(|record| record.seq <= at).cloned().collect();
            (frame.commands.iter().filter(whole).cloned().collect(), records)
        };
        let copy: Frame = made.frame(frame.wall, commands, records);
        made.commit(copy).map_err(|error| Refusal::new(error.code(), error.to_string()))?;
    }
    Ok(made)
}

/// A call that the fork made and nothing answered yet.
struct OpenCall {
    number: u64,
    tool: String,
    args: Value,
}

struct Forking<'a> {
    source: &'a Journal,
    engine: Engine,
    ids: Ids,
    calls: Vec<OpenCall>,
    exchanges: Vec<(u64, Request)>,
    outcomes: SortedMap<u64, Outcome>,
    tickets: u64,
    /// Recorded results that were not reached yet: what they answer.
    unused: Vec<Given>,
    stub: bool,
    /// What cannot be decided again.
    gone: Gone,
    adopted: u64,
    report: ForkReport,
}

impl Forking<'_> {
    /// What happened together: the inputs of one frame.
    fn group(&mut self, group: &Group) {
        if self.adopt(group) {
            return;
        }
        let early = |given: &Given| given.request.is_none() && !self.calls.iter().any(|open| open.tool == given.name);
        if group.happenings.iter().any(|one| matches!(&one.kind, Kind::Result(given) if early(given))) {
            // A call is made again when its wait is over, which leaves no record: the clock starts it.
            self.give(group.at, vec![Input::Tick]);
        }
        let mut inputs = Vec::new();
        let mut asked = Vec::new();
        for happening in &group.happenings {
            match &happening.kind {
                Kind::Command { command, meta, .. } => {
                    self.tickets += 1;
                    let text = self.ids.follow(command).to_json();
                    let mut meta = meta.clone();
                    meta.cause = meta.cause.and_then(|seq| self.ids.seq(seq));
                    meta.expected_head = meta.expected_head.and_then(|seq| self.ids.seq(seq));
                    inputs.push(Input::Execute { ticket: self.tickets, text, meta });
                    asked.push((self.tickets, happening));
                }
                Kind::Result(given) => self.result(given, happening, &mut inputs),
                Kind::Dropped { seq, command } => self.dropped(*seq, command.as_deref()),
                Kind::Tick => inputs.push(Input::Tick),
            }
        }
        if inputs.is_empty() {
            inputs.push(Input::Tick);
        }
        let before = self.engine.journal().head().seq;
        self.give(group.at, inputs);
        for (ticket, happening) in asked {
            let outcome = self.outcomes.remove(&ticket);
            self.command(happening, outcome);
        }
        let records: Vec<_> = self.engine.journal().records_from(before + 1).cloned().collect();
        let old = group.records.clone();
        self.ids.pair(self.source.records_from(*old.start()).take_while(|record| record.seq <= *old.end()), &records);
        if self.stub {
            self.stub(group.at);
        }
    }

    /// Takes records as they are recorded, where something that they were decided from was erased.
    fn adopt(&mut self, group: &Group) -> bool {
        let first = *group.records.start();
        // What has come out otherwise already does so from here on, too.
        let Some(frame) = self.source.frame_of(first).filter(|frame| self.gone.touches(frame)) else { return false };
        if self.engine.journal().head().seq + 1 != first {
            return false;
        }
        let records: Vec<_> = frame.records.iter().filter(|r| group.records.contains(&r.seq)).cloned().collect();
        self.adopted += records.len() as u64;
        self.ids.pair(records.iter(), &records);
        self.unused.retain(|given| !group.records.contains(&given.seq));
        let of_memory = records.iter().all(|r| r.kind.starts_with("memory.") || r.kind.starts_with("command."));
        let adopted = self.engine.adopt(group.at, frame.commands.clone(), records);
        debug_assert!(adopted.is_ok(), "{adopted:?}");
        if !of_memory {
            // What is open is known anew from the records alone.
            let journal = std::mem::replace(&mut self.engine, Engine::new("")).into_journal();
            self.engine = Engine::open(journal);
            self.exchanges.clear();
            self.calls.clear();
            self.give(group.at, vec![Input::Resume]);
        }
        true
    }

    fn dropped(&mut self, seq: Seq, command: Option<&str>) {
        match command {
            Some(command) => self.report.commands.push(ForkCommand {
                seq: Some(seq),
                command: command.to_owned(),
                outcome: "dropped".to_owned(),
                ..ForkCommand::default()
            }),
            None => {
                if let Some(given) = self.unused.iter().position(|given| given.seq == seq) {
                    let given = self.unused.remove(given);
                    self.effect(Some(seq), &given, "dropped", "left out by an intervention");
                }
            }
        }
    }

    /// A recorded result, given to whoever asks for the same thing in the fork.
    fn result(&mut self, given: &Given, happening: &Happening, inputs: &mut Vec<Input>) {
        self.unused.retain(|one| one.seq != given.seq);
        let replaced = happening.mark == "replaced";
        let how = if replaced { "stubbed" } else { "reused" };
        let why = if replaced { "another result, by an intervention" } else { "the fork asks for the same" };
        if let Some(request) = &given.request {
            let found = self.exchanges.iter().position(|(_, open)| open.to_value() == *request || replaced);
            let Some(found) = found else {
                return self.effect(
                    Some(given.seq),
                    given,
                    "dropped",
                    "the fork does not ask for it, or asks otherwise",
                );
            };
            let (number, _) = self.exchanges.remove(found);
            inputs.push(Input::ExchangeFinished { exchange: number, finished: Box::new(given.finished.clone()) });
        } else {
            let args = self.ids.follow(&given.args);
            let same = |open: &OpenCall| open.tool == given.name && (open.args == args || replaced);
            let Some(found) = self.calls.iter().position(same) else {
                return self.effect(
                    Some(given.seq),
                    given,
                    "dropped",
                    "the fork does not call it, or with other arguments",
                );
            };
            let open = self.calls.remove(found);
            inputs.push(Input::ToolResult { call: open.number, result: given.result.clone() });
        }
        self.effect(Some(given.seq), given, how, why);
    }

    fn effect(&mut self, seq: Option<Seq>, given: &Given, how: &str, why: &str) {
        let kind = if given.request.is_some() { "exchange" } else { "call" };
        self.report.effects.push(ForkEffect {
            seq,
            kind: kind.to_owned(),
            name: given.name.clone(),
            how: how.to_owned(),
            why: why.to_owned(),
        });
    }

    /// Fails what no recorded result can answer any more.
    fn stub(&mut self, now: Millis) {
        const WHY: &str = "the fork asks for something that was not recorded";
        loop {
            let mut inputs = Vec::new();
            let unused = &self.unused;
            let mut new = Vec::new();
            self.exchanges.retain(|(number, request)| {
                let coming = unused.iter().any(|given| given.request.as_ref() == Some(&request.to_value()));
                if !coming {
                    let finished = ExchangeFinished {
                        ending: "failed".to_owned(),
                        code: Some("not-recorded".to_owned()),
                        message: Some(WHY.to_owned()),
                        ..ExchangeFinished::default()
                    };
                    inputs.push(Input::ExchangeFinished { exchange: *number, finished: Box::new(finished) });
                    new.push(("exchange", request.purpose.clone()));
                }
                coming
            });
            let ids = &self.ids;
            self.calls.retain(|open| {
                let coming = unused.iter().any(|given| {
                    given.request.is_none() && given.name == open.tool && ids.follow(&given.args) == open.args
                });
                if !coming {
                    let result = Err(Refusal::new("not-recorded", WHY));
                    inputs.push(Input::ToolResult { call: open.number, result });
                    new.push(("call", open.tool.clone()));
                }
                coming
            });
            if inputs.is_empty() {
                return;
            }
            for (kind, name) in new {
                self.report.effects.push(ForkEffect {
                    seq: None,
                    kind: kind.to_owned(),
                    name,
                    how: "stubbed".to_owned(),
                    why: WHY.to_owned(),
                });
            }
            self.give(now, inputs);
        }
    }

    fn command(&mut self, happening: &Happening, outcome: Option<Outcome>) {
        let Kind::Command { command, before, .. } = &happening.kind else { return };
        let (records, code) = match &outcome {
            Some(Outcome::Done(done)) => (done.records.clone(), None),
            Some(Outcome::Refused(refusal)) => (refusal.seq.into_iter().collect(), Some(refusal.code.clone())),
            None => (Vec::new(), Some("no-outcome".to_owned())),
        };
        if let (Some(Outcome::Done(done)), Some(Ok(result))) = (&outcome, before) {
            self.ids.learn(result, &done.result);
        }
        let outcome = match (before, &code, &outcome) {
            (None, ..) => "inserted",
            (Some(_), ..) if !happening.mark.is_empty() => happening.mark,
            (Some(Ok(_)), Some(_), _) => "now_refused",
            (Some(Err(_)), None, _) => "now_done",
            (Some(Err(then)), Some(now), _) if then != now => "otherwise",
            (Some(Ok(then)), None, Some(Outcome::Done(done))) if self.ids.follow(then) != done.result => "otherwise",
            _ => "same",
        };
        self.report.commands.push(ForkCommand {
            seq: happening.seq,
            command: command.get("type").and_then(Value::as_str).unwrap_or("").to_owned(),
            outcome: outcome.to_owned(),
            records,
            code,
        });
    }

    /// Gives the engine inputs together, and answers what needs no world outside.
    fn give(&mut self, now: Millis, inputs: Vec<Input>) {
        let mut waiting = VecDeque::from([inputs]);
        while let Some(inputs) = waiting.pop_front() {
            // An input that does not fit is a fault of this loop.
            let taken = self.engine.handle_all(now, inputs);
            debug_assert!(taken.is_ok(), "{taken:?}");
            while let Some(output) = self.engine.poll() {
                match output {
                    Output::Append { append, .. } => waiting.push_back(vec![Input::Appended { append }]),
                    Output::Done { ticket, outcome } => {
                        self.outcomes.insert(ticket, outcome);
                    }
                    Output::Exchange { exchange, request, .. } => self.exchanges.push((exchange, request)),
                    Output::Call { call, tool, args, .. } => {
                        self.calls.push(OpenCall { number: call, tool, args });
                    }
                    Output::CancelExchange { exchange } => self.exchanges.retain(|(number, _)| *number != exchange),
                    Output::CancelCall { call } => self.calls.retain(|open| open.number != call),
                    // A fork has all its bodies in itself.
                    Output::WaitUntil { .. }
                    | Output::Erase { .. }
                    | Output::Load { .. }
                    | Output::Changed { .. }
                    | Output::Delta(_) => {}
                }
            }
        }
    }

    fn finish(mut self, now: Millis, until: Seq) -> Result<Forked, Refusal> {
        for given in std::mem::take(&mut self.unused) {
            self.effect(Some(given.seq), &given, "dropped", "the fork ends before it");
        }
        let open = self.exchanges.iter().map(|(_, request)| ("exchange", request.purpose.clone()));
        let open: Vec<_> = open.chain(self.calls.iter().map(|open| ("call", open.tool.clone()))).collect();
        for (kind, name) in open {
            self.report.effects.push(ForkEffect {
                seq: None,
                kind: kind.to_owned(),
                name,
                how: "recomputed".to_owned(),
                why: "not recorded: it is open for the fork's host to do".to_owned(),
            });
        }
        let mut journal = self.engine.into_journal();
        // Where it comes from is told at its end, so that records before keep their numbers.
        let mut about = Map::new();
        about.insert("from".to_owned(), Value::from(self.source.id()));
        about.insert("at".to_owned(), Value::from(self.report.at));
        about.insert("until".to_owned(), Value::from(until));
        let chain = self.source.frame_of(self.report.at).map(|frame| frame.chain.clone()).unwrap_or_default();
        about.insert("chain".to_owned(), Value::from(chain));
        let frame = journal.propose(now, Vec::new(), vec![Draft::new("journal.forked", Value::Map(about))]);
        journal.commit(frame).map_err(|error| Refusal::new(error.code(), error.to_string()))?;
        let (before, after) = (State::until(self.source, until), State::of(&journal));
        let valid_at = now;
        let before = self.ids.follow(&snapshot(&before.rooms, At { seq: until, valid_at }));
        let after = snapshot(&after.rooms, At { seq: journal.head().seq, valid_at });
        self.report.changes = difference(&before, &after).changes;
        self.report.seq = journal.head().seq;
        Ok(Forked { journal, report: self.report })
    }
}
