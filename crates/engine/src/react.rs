//! What goes on by itself: due events, plan steps, turn stages.

use throughline_agent::turn::{self, Move};
use throughline_agent::turns::Stage;
use throughline_agent::{Hosted, Rooms};
use throughline_journal::{Actor, ActorKind, Journal, MAIN_THREAD, Millis, Seq};
use throughline_protocol::command::SendEvent;
use throughline_protocol::{At, Command, Context, Meta};
use throughline_value::Value;
use throughline_world::Idle;

use crate::MAX_ROUNDS_PER_FRAME;
use crate::building::Building;
use crate::decide::{Decider, all_or_none, names_now};
use crate::effects::Effects;
use crate::state::State;

/// Lets everything that can go on do so, within one frame.
pub(crate) struct Reaction<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) state: &'a mut State,
    pub(crate) building: &'a mut Building,
    pub(crate) effects: &'a mut Effects,
}

/// The most events that fire in one round; the rest fire in the next.
const MAX_EVENTS_PER_ROUND: usize = 256;

fn rule_meta(thread: &str, turn: u32, actor: &Actor, cause: Option<Seq>) -> Meta {
    Meta { thread: Some(thread.to_owned()), turn: Some(turn), actor: Some(actor.clone()), cause, ..Meta::default() }
}

/// What a context needs that does not live in the rooms.
pub(crate) struct Place {
    pub(crate) now: Millis,
    pub(crate) next_seq: Seq,
    pub(crate) thread: String,
    pub(crate) turn: u32,
    pub(crate) actor: Actor,
    pub(crate) cause: Option<Seq>,
}

impl Place {
    pub(crate) fn context<'a>(&'a self, domain: &'a throughline_protocol::Domain, reason: &'a str) -> Context<'a> {
        Context {
            now: self.now,
            valid_from: None,
            thread: &self.thread,
            turn: self.turn,
            actor: &self.actor,
            reason,
            cause: self.cause,
            origin: None,
            next_seq: self.next_seq,
            domain,
        }
    }
}

impl Reaction<'_> {
    /// Goes on until nothing moves; whether what moves may set itself off without end. The steps of a plan cannot: a
    /// long plan goes on in the next frames, as many as it has waves for.
    pub(crate) fn run(&mut self, slept_since: Option<Millis>) -> bool {
        let idle = slept_since.map(|since| Idle { since, before: self.journal.head().seq });
        // What was missed is settled at once: the next look would not know that nobody looked.
        let slept = idle
            .is_some_and(|idle| self.building.now.saturating_sub(idle.since) > throughline_world::limits::MISSED_AFTER);
        let mut taken = 0;
        let mut endless = false;
        for _ in 0..MAX_ROUNDS_PER_FRAME {
            for record in self.building.records.get(taken..).unwrap_or(&[]) {
                self.effects.driving.take(record);
            }
            taken = self.building.records.len();
            let before = self.building.records.len();
            self.building.round = before;
            // What a decision set off fires after its answer, which says what was decided and no more. The machine goes on.
            if !slept && self.is_answering() {
                self.delays();
            } else {
                self.events(idle);
            }
            let events = self.building.records.len() - before;
            self.runs();
            let runs = self.building.records.len();
            self.turns();
            endless |= events > 0 || self.building.records.len() > runs;
            if self.building.records.len() == before {
                return false;
            }
        }
        endless
    }

    /// Whether a turn that goes on here has decided and has yet to answer. It waits for nobody but a model then.
    fn is_answering(&self) -> bool {
        self.state.rooms.turns.open().any(|turn| {
            turn.status == "running"
                && turn.outputs.contains_key(&Stage::Decide)
                && self.effects.driving.turn(&turn.thread, turn.turn)
        })
    }

    fn place(&self, thread: &str, turn: u32, cause: Option<Seq>) -> Place {
        let now = self.building.now;
        Place {
            now: now.max(self.journal.recorded_at().unwrap_or(now)),
            next_seq: self.building.next_seq(self.journal),
            thread: thread.to_owned(),
            turn,
            actor: Actor::of(ActorKind::Rule),
            cause,
        }
    }

    fn push(&mut self, drafts: Vec<throughline_journal::Draft>) -> Vec<Seq> {
        self.building.push(self.journal, self.state, drafts)
    }

    fn execute(
        &mut self,
        command: &Command,
        meta: &Meta,
    ) -> Result<throughline_protocol::Done, throughline_protocol::Refusal> {
        let mut decider =
            Decider { journal: self.journal, state: self.state, building: self.building, by_itself: true };
        decider.execute(command, meta)
    }

    /// Scheduled events and the machine's delays, one after the other: what one does may cancel the next.
    fn events(&mut self, idle: Option<Idle>) {
        for _ in 0..MAX_EVENTS_PER_ROUND {
            let place = self.place(MAIN_THREAD, 0, None);
            let loaded = self.state.rooms.domain();
            let due = {
                let ctx = place.context(&loaded.domain, "");
                let names = names_now(&self.state.rooms, &ctx);
                self.state.rooms.world.first_due(&ctx, &names, idle)
            };
            let Some(due) = due else { break };
            let (thread, turn) = (due.draft.thread.clone(), due.draft.turn);
            let name = due.draft.data.get("name").and_then(|name| name.as_str()).map(str::to_owned);
            let fired = self.push(vec![due.draft]).first().copied();
            let actor = Actor { kind: ActorKind::Rule, name };
            if let Some(command) = all_or_none(due.then) {
                // A refusal is recorded, caused by the event; there is nobody else to tell.
                let _ = self.execute(&command, &rule_meta(&thread, turn, &actor, fired));
            }
        }
        self.delays();
    }

    fn delays(&mut self) {
        let place = self.place(MAIN_THREAD, 0, None);
        let at = At { seq: place.next_seq - 1, valid_at: place.now };
        let due: Vec<_> =
            self.state.rooms.machine.timers(at).into_iter().filter(|timer| timer.due <= place.now).collect();
        for timer in due {
            // An earlier one may have left the state that this one waits in.
            let at = At { seq: self.building.next_seq(self.journal) - 1, valid_at: place.now };
            if self.state.rooms.machine.timers(at).contains(&timer) {
                let actor = Actor::named(ActorKind::Rule, "after");
                let command = SendEvent { event: timer.event, data: Value::Null };
                let _ = self.execute(&command.into(), &rule_meta(MAIN_THREAD, 0, &actor, None));
            }
        }
        self.always();
    }

    /// What the machine does without an event, as soon as its guard holds.
    fn always(&mut self) {
        let place = self.place(MAIN_THREAD, 0, None);
        let at = At { seq: place.next_seq - 1, valid_at: place.now };
        let open = {
            let loaded = self.state.rooms.domain();
            let names = names_now(&self.state.rooms, &place.context(&loaded.domain, ""));
            self.state.rooms.machine.goes_on(at, &names)
        };
        if open {
            let actor = Actor::named(ActorKind::Rule, "always");
            let command = SendEvent { event: String::new(), data: Value::Null };
            let _ = self.execute(&command.into(), &rule_meta(MAIN_THREAD, 0, &actor, None));
        }
    }

    fn runs(&mut self) {
        for run in self.state.rooms.plans.running() {
            if !self.effects.driving.run(&run) {
                continue;
            }
            let Some((thread, turn, started)) = self.state.rooms.plans.origin_of(&run) else { continue };
            let (thread, started) = (thread.to_owned(), Some(started));
            let place = self.place(&thread, turn, started);
            let loaded = self.state.rooms.domain();
            let ctx = place.context(&loaded.domain, "");
            let advance = {
                let rooms: &Rooms = &self.state.rooms;
                let names = names_now(rooms, &ctx);
                rooms.plans.advance(&ctx, &run, &Hosted::new(rooms, ctx.next_seq - 1).valid_at(ctx.now), &names)
            };
            // The calls start when their records are committed.
            self.push(advance.drafts);
        }
    }

    fn turns(&mut self) {
        let open: Vec<(String, u32)> = self.state.rooms.turns.open().map(|t| (t.thread.clone(), t.turn)).collect();
        for (thread, number) in open {
            if !self.effects.driving.turn(&thread, number) {
                continue;
            }
            let Some(turn) = self.state.rooms.turns.get(&thread, number) else { continue };
            let place = self.place(&thread, number, Some(turn.last_seq));
            let loaded = self.state.rooms.domain();
            let step = {
                let ctx = place.context(&loaded.domain, "");
                turn::advance(&self.state.rooms, turn, &ctx)
            };
            match step {
                Move::Wait => {}
                Move::Record(drafts) => {
                    self.push(drafts);
                }
                Move::Execute { commands, then } => {
                    let results = commands
                        .iter()
                        .map(|(command, meta)| {
                            let meta = Meta {
                                thread: Some(thread.clone()),
                                turn: Some(number),
                                cause: meta.cause.or(place.cause),
                                ..meta.clone()
                            };
                            self.execute(command, &meta)
                        })
                        .collect();
                    let place = self.place(&thread, number, place.cause);
                    let drafts = {
                        let ctx = place.context(&loaded.domain, "");
                        then(&self.state.rooms, &ctx, results)
                    };
                    self.push(drafts);
                }
            }
        }
    }
}
