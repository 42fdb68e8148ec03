//! What happens by itself now: due events fire, are held, dropped, skipped, begin again or are cancelled.

use throughline_expr::Env;
use throughline_expr::time::{Gap, Zone, add_span};
use throughline_journal::{Actor, ActorKind, Cause, Draft, Millis, Seq};
use throughline_protocol::command::{Missed, Otherwise};
use throughline_protocol::{At, Command, Context};
use throughline_value::{InOrder as _, Value};

use crate::contract::{zone, zone_named};
use crate::event::{Scheduled, State, Status};
use crate::fields::{map, some};
use crate::kind;
use crate::limits::MISSED_AFTER;
use crate::repeat::{Rule, Slot};
use crate::world::World;

/// One thing that happens now, and what is done because of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    /// The outcome.
    pub draft: Draft,
    /// What the event does, when it fires: executed as the rule, caused by the fired record.
    pub then: Vec<Command>,
}

/// What a condition gave, and what to write down of it.
struct Verdict {
    holds: bool,
    /// Why it could not be evaluated, which counts as false.
    trouble: Option<String>,
}

/// How long nothing ran: the engine was closed, or its clock stood still with the machine asleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Since when.
    pub since: Millis,
    /// The last record from before: what was scheduled after it was not missed.
    pub before: Seq,
}

impl World {
    /// What happens by itself at `ctx.now`, in order of (due, id); events without a time come last. Every
    /// event is there at most once, and no more once its record is folded: what fired cannot fire again,
    /// also not after a reload.
    ///
    /// The conditions see `env`, the state as it is. What one event does may change what becomes of the next,
    /// even cancel it: whoever executes takes [`World::first_due`] until there is none.
    ///
    /// `idle` says since when nobody looked, if nobody did: what fell due since then, and is noticed more than
    /// [`MISSED_AFTER`] late, was missed.
    #[must_use]
    pub fn due(&self, ctx: &Context<'_>, env: &dyn Env, idle: Option<Idle>) -> Vec<Due> {
        let events = self.looked_at(ctx.now).into_iter();
        events.filter_map(|event| self.happens(event, ctx, env, idle)).collect()
    }

    /// The first of [`World::due`]: fold it, execute what it does, ask again with another look at the state.
    #[must_use]
    pub fn first_due(&self, ctx: &Context<'_>, env: &dyn Env, idle: Option<Idle>) -> Option<Due> {
        self.looked_at(ctx.now).into_iter().find_map(|event| self.happens(event, ctx, env, idle))
    }

    /// Every event that something may happen to now, in order.
    fn looked_at(&self, now: Millis) -> Vec<&Scheduled> {
        let timed = self.agenda.timed.iter().take_while(|(due, _)| *due <= now).map(|(_, id)| id);
        let mut events: Vec<&Scheduled> =
            timed.chain(&self.agenda.watching).filter_map(|id| self.agenda.get(id)).collect();
        events.order_by_key(|event| {
            let due = event.state().and_then(|state| state.due);
            (due.is_none(), due, &event.id)
        });
        events.dedup_by(|a, b| a.id == b.id);
        events
    }

    /// When a timer should wake next for an event with a time: never before `now`.
    #[must_use]
    pub fn next_due(&self, now: Millis) -> Option<Millis> {
        self.agenda.timed.first().map(|(due, _)| (*due).max(now))
    }

    /// Whether an event of this id or name has fired, or whatever else happens happened by this name.
    fn happened(&self, name: &str, env: &dyn Env) -> bool {
        self.agenda.called(name).any(|event| event.state().is_some_and(|state| state.firings > 0))
            || env.get_path(&[EVENTS, name, HAPPENED]) == Some(Value::Bool(true))
    }

    fn happens(&self, event: &Scheduled, ctx: &Context<'_>, env: &dyn Env, idle: Option<Idle>) -> Option<Due> {
        let state = event.state()?;
        let mut trouble = Vec::new();
        if let Some(other) = event.before.iter().find(|other| self.happened(other, env)) {
            let reason = format!("it must come before `{other}`, which has happened");
            return Some(outcome(event, ctx, state.due, kind::EVENT_CANCELLED, &reason, []));
        }
        if let Some(unless) = &event.unless {
            match unless.holds(env) {
                Ok(true) => {
                    let reason = format!("`{}` holds", unless.source);
                    return Some(outcome(event, ctx, state.due, kind::EVENT_CANCELLED, &reason, []));
                }
                Ok(false) => {}
                Err(why) => trouble.push(format!("`{}` counts as false: {why}", unless.source)),
            }
        }
        if state.due.is_some_and(|due| ctx.now < due) {
            return None;
        }
        let mut slot = event.slot();
        let late = slot.is_some_and(|slot| ctx.now.saturating_sub(slot.due) > MISSED_AFTER);
        if let (Some(due), Some(idle)) = (slot, idle)
            && late
            && state.status == Status::Pending
            && idle.since < due.due
            && event.seq <= idle.before
        {
            match (event.missed, &event.repeat) {
                (Missed::Once, Some(rule)) => slot = Some(rule.newest(due, ctx.now, rule_zone(rule, ctx).as_ref())),
                (Missed::Skip, Some(rule)) => {
                    let last = rule.newest(due, ctx.now.saturating_sub(MISSED_AFTER), rule_zone(rule, ctx).as_ref());
                    let reason = "it fell due while nothing ran";
                    return Some(settle(event, ctx, Some(last), kind::EVENT_SKIPPED, reason, []));
                }
                _ => {
                    if let Some(missed) = missed(event, state, ctx, due.due) {
                        return Some(missed);
                    }
                }
            }
        }
        let waits = event.after.iter().find(|other| !self.happened(other, env));
        let (holds, source) = match waits {
            Some(other) => (false, format!("after({other})")),
            None => {
                let verdict = verdict(event, env);
                trouble.extend(verdict.trouble);
                (verdict.holds, event.when.as_ref().map_or_else(String::new, |when| when.source.clone()))
            }
        };
        let because = |what: String| if trouble.is_empty() { what } else { format!("{what}; {}", trouble.join("; ")) };
        match (holds, slot, event.otherwise) {
            (true, due, _) => {
                let what = match (due, &event.when) {
                    (Some(_), None) => "it is due".to_owned(),
                    (Some(_), Some(_)) => format!("it is due and `{source}` holds"),
                    (None, None) => format!("`{}` has happened", event.after.join("`, `")),
                    (None, Some(_)) => format!("`{source}` holds"),
                };
                Some(fire(event, ctx, due, &because(what), true))
            }
            // Without a time there is nothing to be late for: it waits.
            (false, None, _) => None,
            (false, Some(_), Otherwise::Hold) if state.status == Status::Held => None,
            (false, Some(due), Otherwise::Hold) => {
                let reason = because(format!("it is due and waits for `{source}`"));
                Some(outcome(event, ctx, Some(due.due), kind::EVENT_HELD, &reason, []))
            }
            (false, due, Otherwise::Drop) => {
                let reason = because(format!("it was due and `{source}` did not hold"));
                Some(settle(event, ctx, due, kind::EVENT_DROPPED, &reason, []))
            }
            (false, due, Otherwise::Late) => {
                Some(fire(event, ctx, due, &because(format!("it is due, although `{source}` does not hold")), false))
            }
        }
    }

    /// What the expressions see of the events of a name, as of a moment: whether one happened, when, how often.
    #[must_use]
    pub fn event_path(&self, path: &[&str], at: At) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        let states: Vec<&State> = self.agenda.called(name).filter_map(|event| event.states.at(at.seq)).collect();
        let newest = states.last()?;
        let firings: u64 = states.iter().map(|state| state.firings).sum();
        let value = map([
            (HAPPENED, Some((firings > 0).into())),
            ("firings", Some(firings.into())),
            ("fired_at", states.iter().filter_map(|state| state.fired_at).max().map(Value::from)),
            ("status", Some(newest.status.as_str().into())),
            ("due", newest.due.map(Value::from)),
        ]);
        value.at(rest).cloned()
    }

    /// The events that an open one comes after and that nobody has scheduled by then, with the open one's id, name
    /// and record.
    pub fn unknown_orders(&self, at: At) -> impl Iterator<Item = (&str, &str, &str, Seq)> {
        let known = move |name: &str| self.agenda.called(name).any(|other| other.seq <= at.seq);
        let open = self
            .agenda
            .by_id
            .values()
            .filter(move |event| event.states.at(at.seq).is_some_and(|state| state.status.is_open()));
        open.flat_map(move |event| {
            let unknown = event.after.iter().filter(move |name| !known(name));
            unknown.map(move |name| (&*event.id, event.name.as_str(), name.as_str(), event.seq))
        })
    }

    /// The conditions of the events that are open at a moment, with the event's id, name and last record.
    pub fn open_conditions(&self, at: At) -> impl Iterator<Item = (&str, &str, &str, Seq)> {
        self.agenda.by_id.values().filter_map(move |event| {
            let (seq, state) = event.states.entry_at(at.seq)?;
            let when = event.when.as_ref().filter(|_| state.status.is_open())?;
            Some((&*event.id, event.name.as_str(), when.source.as_str(), *seq))
        })
    }
}

/// Where expressions find events, and whether one happened.
pub(crate) const EVENTS: &str = "events";
const HAPPENED: &str = "happened";

/// The zone that a rule counts in; its rules were there when it was scheduled.
fn rule_zone(rule: &Rule, ctx: &Context<'_>) -> Option<Zone> {
    zone_named(ctx.domain, rule.zone.as_deref()?)
}

/// What is written down of a slot that is settled: which, and when the next one is.
pub(crate) fn slots(event: &Scheduled, ctx: &Context<'_>, slot: Option<Slot>) -> Vec<(&'static str, Value)> {
    let (Some(rule), Some(slot)) = (&event.repeat, slot) else { return Vec::new() };
    let mut out = vec![("slot", Value::from(slot.index))];
    if let Some(first) = event.slot().filter(|first| first.index < slot.index) {
        out.push(("missed_slots", (slot.index - first.index).into()));
        out.push(("missed_due", first.due.into()));
    }
    if let Some(next) = rule.slot_from(slot.index.saturating_add(1), rule_zone(rule, ctx).as_ref()) {
        out.push(("next_slot", next.index.into()));
        out.push(("next_due", next.due.into()));
    }
    out
}

/// An outcome that settles a slot.
fn settle<const N: usize>(
    event: &Scheduled,
    ctx: &Context<'_>,
    slot: Option<Slot>,
    kind: &str,
    reason: &str,
    more: [(&str, Value); N],
) -> Due {
    let mut due = outcome(event, ctx, slot.map(|slot| slot.due), kind, reason, more);
    if let Value::Map(data) = &mut due.draft.data {
        data.extend(slots(event, ctx, slot).into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    due
}

/// What the policy for missed events makes of one, unless it fires late like any other.
fn missed(event: &Scheduled, state: &State, ctx: &Context<'_>, due: Millis) -> Option<Due> {
    let reason = "it fell due while nothing ran";
    match event.missed {
        Missed::Once | Missed::All => None,
        Missed::Skip => Some(outcome(event, ctx, state.due, kind::EVENT_SKIPPED, reason, [])),
        Missed::Restart => {
            // An event at a time has the delay it was scheduled with before its time.
            let plain = ctx.now.saturating_add(due.saturating_sub(event.valid_from).max(0));
            let zone = zone(ctx.domain);
            let again = event.delay.and_then(|d| add_span(ctx.now, &d, zone.as_ref(), Gap::Shift).ok().flatten());
            let again = ("due", Value::from(again.unwrap_or(plain)));
            let mut restarted = outcome(event, ctx, state.due, kind::EVENT_RESTARTED, reason, [again]);
            if let Value::Map(data) = &mut restarted.draft.data {
                data.insert("missed_due".to_owned(), due.into());
            }
            Some(restarted)
        }
    }
}

fn verdict(event: &Scheduled, env: &dyn Env) -> Verdict {
    match &event.when {
        None => Verdict { holds: true, trouble: None },
        Some(when) => match when.holds(env) {
            Ok(holds) => Verdict { holds, trouble: None },
            Err(why) => Verdict { holds: false, trouble: Some(format!("`{}` counts as false: {why}", when.source)) },
        },
    }
}

fn fire(event: &Scheduled, ctx: &Context<'_>, due: Option<Slot>, reason: &str, met: bool) -> Due {
    let late = due.map(|slot| ctx.now.saturating_sub(slot.due).max(0));
    let mut fired = settle(
        event,
        ctx,
        due,
        kind::EVENT_FIRED,
        reason,
        [
            ("fired_at", ctx.now.into()),
            ("late", late.into()),
            ("by", if due.is_some() { "time" } else { "condition" }.into()),
        ],
    );
    if let Value::Map(data) = &mut fired.draft.data {
        if !met {
            data.insert("condition_met".to_owned(), false.into());
        }
        if let Some(carried) = some(event.data.clone()) {
            data.insert("data".to_owned(), carried);
        }
    }
    fired.then.clone_from(&event.then);
    fired
}

fn outcome<const N: usize>(
    event: &Scheduled,
    ctx: &Context<'_>,
    due: Option<Millis>,
    kind: &str,
    reason: &str,
    more: [(&str, Value); N],
) -> Due {
    let mut data = map([
        ("event", Some((&*event.id).into())),
        ("name", Some(event.name.as_str().into())),
        ("due", due.map(Value::from)),
        ("reason", Some(reason.into())),
    ]);
    if let Value::Map(data) = &mut data {
        data.extend(more.into_iter().filter(|(_, v)| !v.is_null()).map(|(name, value)| (name.to_owned(), value)));
    }
    let draft = Draft {
        thread: event.thread.clone(),
        turn: event.turn,
        actor: Actor::named(ActorKind::Rule, event.name.as_str()),
        cause: Cause::Record(event.seq),
        // What happens by itself comes from no input.
        origin: None,
        ..ctx.draft(kind, data).because(reason)
    };
    Due { draft, then: Vec::new() }
}
