//! The engine: jobs in, frames out, one append in flight.

use std::borrow::Cow;
use std::collections::VecDeque;

use throughline_dialogue::FactPlace;
use throughline_journal::{Draft, Frame, Head, Journal, Millis, Record, Seq};
use throughline_protocol::{At, Meta, Outcome, Refusal};
use throughline_value::Value;

use crate::building::Building;
use crate::decide::{Decider, Waiting};
use crate::effects::{Effects, Finished};
use crate::input::{Input, Output};
use crate::state::{Lanes, State};
use crate::{MAX_CHAINED_FRAMES, MAX_COMMANDS_PER_FRAME, MAX_WAITING, STOPPED_FOR};

/// What waits to be decided.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "most are commands, and few wait; on 32 bits none is large")]
pub(crate) enum Job {
    Command(Waiting),
    Finished(Finished),
}

/// The frame that is being appended, and what to do when it is.
pub(crate) struct InFlight {
    append: u64,
    frame: Frame,
    jobs: Vec<Job>,
    answers: Vec<(u64, Outcome)>,
}

/// The moment at which a fact is read.
#[derive(Clone, Copy, Debug)]
pub enum FactMoment {
    /// After this record.
    Record(Seq),
    /// At the head; the clock says so much.
    Now(Millis),
}

/// The engine of one journal. See the crate's documentation for how to drive it.
pub struct Engine {
    pub(crate) journal: Journal,
    pub(crate) state: State,
    /// How many records of each lane are committed.
    pub(crate) lanes: Lanes,
    pub(crate) jobs: VecDeque<Job>,
    pub(crate) in_flight: Option<InFlight>,
    effects: Effects,
    pub(crate) outputs: VecDeque<Output>,
    entropy: String,
    appends: u64,
    waiting_until: Option<Millis>,
    /// When the engine last looked at the clock; before that it slept.
    looked_at: Option<Millis>,
    /// How many frames in a row what goes on by itself filled to their limit.
    chained: u32,
    /// When that was stopped; it rests for [`STOPPED_FOR`].
    stopped_at: Option<Millis>,
    /// Set when an append failed: nothing is decided by itself until a command or a tick comes.
    pub(crate) halted: bool,
    pub(crate) cold: crate::cold::Cold,
}

impl Engine {
    /// The engine of an empty journal with this id.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self::open(Journal::new(id))
    }

    /// The engine of a journal, replayed.
    #[must_use]
    pub fn open(journal: Journal) -> Self {
        let mut this = Self::bare(journal);
        this.rebuild(None);
        this
    }

    /// The engine of a journal that is not folded yet.
    pub(crate) fn bare(journal: Journal) -> Self {
        let looked_at = journal.recorded_at();
        Self {
            lanes: Lanes::default(),
            journal,
            state: State::default(),
            jobs: VecDeque::new(),
            in_flight: None,
            effects: Effects::default(),
            outputs: VecDeque::new(),
            entropy: String::new(),
            appends: 0,
            waiting_until: None,
            looked_at,
            chained: 0,
            stopped_at: None,
            halted: false,
            cold: crate::cold::Cold::default(),
        }
    }

    /// Gives what nobody can guess: the salts of what can be erased come from it. Without, the same inputs give
    /// the same bytes, as tests want it.
    pub fn set_entropy(&mut self, entropy: String) {
        self.entropy = entropy;
    }

    /// The journal: what is committed.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The memory as it is folded now, for the synchronous rows.
    #[must_use]
    pub fn memory(&self) -> &throughline_memory::Memory {
        &self.state.rooms.memory
    }

    /// The facts as they are folded now.
    #[must_use]
    pub fn ledger(&self) -> &throughline_dialogue::Ledger {
        &self.state.rooms.ledger
    }

    /// A fact's value as of a record, or of `now` at the head, for the synchronous rows: what `facts` says at that
    /// moment. `None` when nothing is known, or the record is not there. `place` is where the fact was found before.
    #[must_use]
    pub fn fact(&self, place: &mut FactPlace, subject: &str, key: &str, when: FactMoment) -> Option<Cow<'_, Value>> {
        let at = match when {
            FactMoment::Record(seq) => At { seq, valid_at: self.journal.recorded_at_of(seq)? },
            FactMoment::Now(now) => {
                At { seq: self.journal.head().seq, valid_at: now.max(self.journal.recorded_at().unwrap_or(now)) }
            }
        };
        self.state.rooms.ledger.get_from(place, subject, key, at)
    }

    /// The thread whose turn is going on.
    #[must_use]
    pub fn busy(&self) -> Option<&str> {
        self.state.rooms.turns.open().find(|turn| turn.status == "running").map(|turn| turn.thread.as_str())
    }

    /// Answers a query, given as its JSON text, from what is committed. `now` is what is valid at the head.
    ///
    /// # Errors
    /// A refusal with code, path and the byte in the text.
    pub fn query(&self, now: Millis, text: &str) -> Result<Value, Refusal> {
        crate::query::answer(&self.journal, &self.state, Some(&self.lanes), now, text)
    }

    /// Takes an input. Drain [`Engine::poll`] after each.
    ///
    /// # Errors
    /// `unknown-append`: the rim answered an append that is not in flight; nothing was changed.
    /// `foreign-frames-broken`: frames of another engine do not follow the head.
    pub fn handle(&mut self, now: Millis, input: Input) -> Result<(), Refusal> {
        self.handle_all(now, vec![input])
    }

    /// Takes inputs that came together: their commands join one frame.
    pub(crate) fn handle_all(&mut self, now: Millis, inputs: Vec<Input>) -> Result<(), Refusal> {
        for input in inputs {
            if let Some(input) = self.defer(input) {
                self.take(now, input)?;
            }
        }
        for input in self.take_deferred() {
            self.take(now, input)?;
        }
        self.pump(now);
        Ok(())
    }

    /// The journal, when the engine is no longer needed.
    pub(crate) fn into_journal(self) -> Journal {
        self.journal
    }

    fn take(&mut self, now: Millis, input: Input) -> Result<(), Refusal> {
        match input {
            Input::Execute { ticket, text, meta } => {
                self.halted = false;
                self.wait_for(Waiting { ticket, text, meta, unread: None, command: None });
            }
            Input::Command { ticket, command, meta } => {
                self.halted = false;
                self.wait_for(Waiting { ticket, text: String::new(), meta, unread: None, command: Some(command) });
            }
            Input::Refuse { ticket, text, refusal } => {
                self.halted = false;
                self.wait_for(Waiting { ticket, text, meta: Meta::default(), unread: Some(refusal), command: None });
            }
            Input::Appended { append } => {
                let in_flight = self.take_in_flight(append)?;
                self.committed(now, in_flight)?;
            }
            Input::Conflict { append, frames } => {
                let in_flight = self.take_in_flight(append)?;
                let memory_at = self.memory_at(&in_flight.frame);
                for job in in_flight.jobs.into_iter().rev() {
                    self.jobs.push_front(job);
                }
                self.fold_foreign(frames, memory_at)?;
            }
            Input::AppendFailed { append, code, message } => {
                let in_flight = self.take_in_flight(append)?;
                self.not_appended(&in_flight, &code, &message);
            }
            Input::Foreign { frames } => {
                // While an append is in flight its answer will bring the same frames as a conflict.
                if self.in_flight.is_none() {
                    self.fold_foreign(frames, None)?;
                }
            }
            Input::Exchange { exchange, event } => {
                if let Some(finished) = self.effects.exchange_event(exchange, event, now, &mut self.outputs) {
                    self.jobs.push_back(Job::Finished(finished));
                }
            }
            Input::ExchangeFinished { exchange, finished } => {
                if let Some(finished) = self.effects.exchange_finished(exchange, *finished) {
                    self.jobs.push_back(Job::Finished(finished));
                }
            }
            Input::ToolResult { call, result } => {
                if let Some(finished) = self.effects.tool_result(call, result) {
                    self.jobs.push_back(Job::Finished(finished));
                }
            }
            Input::Resume => {
                self.effects.resume(&self.state.rooms, now, &mut self.outputs);
                self.jobs.extend(self.effects.take_refused().into_iter().map(Job::Finished));
            }
            Input::Loaded { frames } => self.loaded(frames)?,
            Input::Tick => self.halted = false,
            Input::ClockSet => {
                self.halted = false;
                self.looked_at = Some(now);
            }
        }
        Ok(())
    }

    /// What the rim is to do next; `None` when there is nothing until another input.
    #[must_use]
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn wait_for(&mut self, waiting: Waiting) {
        if self.jobs.len() >= MAX_WAITING {
            let message = format!("{MAX_WAITING} commands wait already; wait for some of them to be done");
            let outcome = Outcome::Refused(Refusal::new("too-many-waiting", message));
            self.outputs.push_back(Output::Done { ticket: waiting.ticket, outcome });
            return;
        }
        self.jobs.push_back(Job::Command(waiting));
    }

    fn take_in_flight(&mut self, append: u64) -> Result<InFlight, Refusal> {
        match self.in_flight.take() {
            Some(in_flight) if in_flight.append == append => Ok(in_flight),
            other => {
                self.in_flight = other;
                Err(Refusal::new("unknown-append", format!("append {append} is not in flight")))
            }
        }
    }

    fn committed(&mut self, now: Millis, in_flight: InFlight) -> Result<(), Refusal> {
        let seq = in_flight.frame.last();
        let before = in_flight.frame.first.saturating_sub(1);
        self.lanes.count(&in_flight.frame);
        let number = in_flight.frame.number;
        self.journal.commit(in_flight.frame).map_err(|error| Refusal::new(error.code(), error.to_string()))?;
        self.note_hot(number);
        self.erase(before);
        for (ticket, outcome) in in_flight.answers {
            self.outputs.push_back(Output::Done { ticket, outcome });
        }
        self.outputs.push_back(Output::Changed { seq, foreign: false });
        // What is being folded anew is looked at when all of it is there.
        if !self.is_folding() {
            self.effects.start_committed(&self.state.rooms, now, &mut self.outputs);
            self.jobs.extend(self.effects.take_refused().into_iter().map(Job::Finished));
        }
        self.halted = false;
        Ok(())
    }

    /// Erases what the purges after record `after` say.
    fn erase(&mut self, after: throughline_journal::Seq) {
        let (frames, beyond) = crate::erase::catch_up(&mut self.journal, after);
        self.store_again(frames);
        if beyond {
            self.again();
        }
    }

    fn not_appended(&mut self, in_flight: &InFlight, code: &str, message: &str) {
        self.restate(self.memory_at(&in_flight.frame));
        self.halted = true;
        for job in &in_flight.jobs {
            match job {
                Job::Command(waiting) => {
                    let refusal = Refusal::new(code, format!("not saved: {message}"));
                    let outcome = Outcome::Refused(refusal);
                    self.outputs.push_back(Output::Done { ticket: waiting.ticket, outcome });
                }
                // What a model or a tool gave is kept until it can be saved.
                Job::Finished(_) => self.jobs.push_back(job.clone()),
            }
        }
    }

    /// The frame up to which the memory is right, when this frame is taken back.
    fn memory_at(&self, frame: &Frame) -> Option<u64> {
        let is_of_memory = |record: &Record| record.kind.starts_with("memory.");
        (!frame.records.iter().any(is_of_memory)).then(|| self.journal.head().frame)
    }

    fn fold_foreign(&mut self, frames: Vec<Frame>, memory_at: Option<u64>) -> Result<(), Refusal> {
        let Head { frame: head, seq, .. } = self.journal.head();
        // Nothing was decided ahead of what is committed: then the new frames are all that is new.
        let level = self.state.rooms.seq == seq;
        let mut result = Ok(());
        for frame in frames.into_iter().filter(|f| f.number > head) {
            self.lanes.count(&frame);
            let number = frame.number;
            if level {
                self.state.fold(&frame);
            }
            if let Err(error) = self.journal.commit(frame) {
                result = Err(Refusal::new("foreign-frames-broken", error.to_string()));
                break;
            }
            self.note_hot(number);
        }
        if self.journal.head().frame != head {
            // The engine that purged stores what is left.
            _ = self.journal.take_wanted();
            let (_, beyond) = crate::erase::catch_up(&mut self.journal, seq);
            let wanted = self.journal.take_wanted();
            if !wanted.is_empty() {
                // A purge erases something that is not here: it is read, and folded, as it is now.
                self.rebuild(None);
            } else if !level || result.is_err() {
                // What was decided on the old head is decided again.
                self.restate(memory_at);
            } else if beyond {
                self.again();
            }
            self.outputs.push_back(Output::Changed { seq: self.journal.head().seq, foreign: true });
        }
        result
    }

    /// Takes records as they are, without deciding them.
    pub(crate) fn adopt(&mut self, now: Millis, commands: Vec<Value>, records: Vec<Record>) -> Result<(), Refusal> {
        self.looked_at = Some(now);
        let frame = self.journal.frame(now, commands, records);
        let folded = self.fold_foreign(vec![frame], None);
        self.outputs.clear();
        folded
    }

    /// Decides what waits into one frame and asks for its append.
    fn pump(&mut self, now: Millis) {
        if self.in_flight.is_some() || self.waits_for_bodies() {
            return;
        }
        // What rows lacked that were read meanwhile is nobody's here.
        _ = self.take_missing();
        let mut building = Building::new(now);
        building.entropy.clone_from(&self.entropy);
        building.refusals = std::mem::take(&mut self.cold.refusals);
        let (mut jobs, mut starved) = (Vec::new(), false);
        let slept_since = self.looked_at.replace(now);
        if !self.halted {
            // Without jobs only the clock and what goes on by itself are looked at.
            while jobs.len() < MAX_COMMANDS_PER_FRAME
                && let Some(job) = self.jobs.pop_front()
            {
                let (before, answers) = (building.records.len(), building.answers.len());
                self.decide(&mut building, &job);
                if building.is_starved(&self.journal, &self.state) {
                    building.answers.truncate(answers);
                    if !self.starved(&mut building, &mut jobs, Some(job), before) {
                        return;
                    }
                    starved = true;
                    break;
                }
                self.fed();
                jobs.push(job);
            }
        }
        if !jobs.is_empty() || self.stopped_at.is_some_and(|at| now >= at.saturating_add(STOPPED_FOR)) {
            self.chained = 0;
            self.stopped_at = None;
        }
        if !self.halted && !starved && self.stopped_at.is_none() {
            if self.chained >= MAX_CHAINED_FRAMES {
                building.push(&self.journal, &mut self.state, vec![endless()]);
                self.stopped_at = Some(now);
            } else if self.react(&mut building, slept_since) {
                self.chained += 1;
            } else {
                self.chained = 0;
            }
            let before = building.round;
            if building.is_starved(&self.journal, &self.state) {
                if !self.starved(&mut building, &mut jobs, None, before) {
                    return;
                }
            } else {
                self.fed();
            }
        }
        if building.records.is_empty() {
            for (ticket, outcome) in building.answers {
                self.outputs.push_back(Output::Done { ticket, outcome });
            }
            // A call whose next attempt has fallen due.
            self.effects.start_committed(&self.state.rooms, now, &mut self.outputs);
            let refused = self.effects.take_refused();
            if !refused.is_empty() {
                self.jobs.extend(refused.into_iter().map(Job::Finished));
                self.pump(now);
                return;
            }
            self.wait();
            return;
        }
        let expected = self.journal.head();
        let frame = self.journal.frame(now, building.commands, building.records);
        self.appends += 1;
        self.outputs.push_back(Output::Append { append: self.appends, expected, frame: frame.clone() });
        self.in_flight = Some(InFlight { append: self.appends, frame, jobs, answers: building.answers });
        self.wait();
    }

    fn decide(&mut self, building: &mut Building, job: &Job) {
        match job {
            Job::Command(waiting) => {
                let mut decider =
                    Decider { journal: &self.journal, state: &mut self.state, building, by_itself: false };
                let done = match (&waiting.unread, &waiting.command) {
                    (Some(refusal), _) => Err(decider.refuse(&waiting.text, (**refusal).clone())),
                    (None, Some(command)) => decider.execute(command, &waiting.meta),
                    (None, None) => decider.execute_text(&waiting.text, &waiting.meta),
                };
                let outcome = match done {
                    Ok(done) => Outcome::Done(done),
                    Err(refusal) => Outcome::Refused(refusal),
                };
                building.answers.push((waiting.ticket, outcome));
            }
            Job::Finished(finished) => {
                let document = finished.document(&self.state.rooms, building.now, building.next_seq(&self.journal));
                building.push(&self.journal, &mut self.state, document);
                let ctx_seq = building.next_seq(&self.journal);
                let drafts = finished.drafts(&self.state.rooms, building.now, ctx_seq);
                building.push(&self.journal, &mut self.state, drafts);
            }
        }
    }

    /// Due events, plan steps and turn stages; whether more is left for the next frame.
    fn react(&mut self, building: &mut Building, slept_since: Option<Millis>) -> bool {
        let mut reaction = crate::react::Reaction {
            journal: &self.journal,
            state: &mut self.state,
            building,
            effects: &mut self.effects,
        };
        reaction.run(slept_since)
    }

    /// Asks to be woken when the next event or delay of the machine is due.
    fn wait(&mut self) {
        let now = self.looked_at.unwrap_or(Millis::MIN);
        let rooms = &self.state.rooms;
        let delay = rooms.machine.timers(At { seq: rooms.seq, valid_at: now }).first().map(|timer| timer.due.max(now));
        let run = rooms.plans.next_due(now);
        let next = [rooms.world.next_due(now), delay, run].into_iter().flatten().min();
        let next = match self.stopped_at {
            Some(at) => next.map(|due| due.max(at.saturating_add(STOPPED_FOR))),
            None => next,
        };
        if let Some(at) = next
            && next != self.waiting_until
        {
            self.outputs.push_back(Output::WaitUntil { at });
        }
        self.waiting_until = next;
    }
}

/// What is recorded when rules set each other off without end.
fn endless() -> Draft {
    let message = format!(
        "events and delays set each other off for {MAX_CHAINED_FRAMES} frames; they rest for {STOPPED_FOR} ms, or until a command comes. Give a delay of the machine or an event some time"
    );
    Draft::new(
        "reaction.refused",
        Value::from([("code", Value::from("endless-reaction")), ("message", message.into())]),
    )
}
