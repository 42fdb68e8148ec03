//! What happens by itself now: due events fire, are held, dropped, skipped, begin again or are cancelled.

use throughline_expr::Env;
use throughline_expr::time::{Gap, add_span};
use throughline_journal::{Actor, ActorKind, Cause, Draft, Millis};
use throughline_protocol::command::{Missed, Otherwise};
use throughline_protocol::{Command, Context};
use throughline_value::{InOrder as _, Value};

use crate::contract::zone;
use crate::event::{Scheduled, State, Status};
use crate::fields::{map, some};
use crate::kind;
use crate::limits::MISSED_AFTER;
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

impl World {
    /// What happens by itself at `ctx.now`, in order of (due, id); events without a time come last. Every
    /// event is there at most once, and no more once its record is folded: what fired cannot fire again,
    /// also not after a reload.
    ///
    /// The conditions see `env`, the state as it is. What one event does may change what becomes of the next,
    /// even cancel it: whoever executes takes [`World::first_due`] until there is none.
    ///
    /// `idle_since` is the last time that anyone looked: what fell due since then, and is noticed more than
    /// [`MISSED_AFTER`] late, was missed.
    #[must_use]
    pub fn due(&self, ctx: &Context<'_>, env: &dyn Env, idle_since: Option<Millis>) -> Vec<Due> {
        let events = self.looked_at(ctx.now).into_iter();
        events.filter_map(|event| happens(event, ctx, env, idle_since)).collect()
    }

    /// The first of [`World::due`]: fold it, execute what it does, ask again with another look at the state.
    #[must_use]
    pub fn first_due(&self, ctx: &Context<'_>, env: &dyn Env, idle_since: Option<Millis>) -> Option<Due> {
        self.looked_at(ctx.now).into_iter().find_map(|event| happens(event, ctx, env, idle_since))
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
}

fn happens(event: &Scheduled, ctx: &Context<'_>, env: &dyn Env, idle_since: Option<Millis>) -> Option<Due> {
    let state = event.state()?;
    let mut trouble = Vec::new();
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
    if let Some(due) = state.due
        && state.status == Status::Pending
        && idle_since.is_some_and(|since| since < due)
        && ctx.now.saturating_sub(due) > MISSED_AFTER
        && let Some(missed) = missed(event, state, ctx, due)
    {
        return Some(missed);
    }
    let verdict = verdict(event, env);
    trouble.extend(verdict.trouble);
    let because = |what: String| if trouble.is_empty() { what } else { format!("{what}; {}", trouble.join("; ")) };
    let source = event.when.as_ref().map_or("", |when| &when.source);
    match (verdict.holds, state.due, event.otherwise) {
        (true, due, _) => {
            let what = match (due, &event.when) {
                (Some(_), None) => "it is due".to_owned(),
                (Some(_), Some(_)) => format!("it is due and `{source}` holds"),
                (None, _) => format!("`{source}` holds"),
            };
            Some(fire(event, ctx, due, &because(what), true))
        }
        // Without a time there is nothing to be late for: it waits.
        (false, None, _) => None,
        (false, Some(_), Otherwise::Hold) if state.status == Status::Held => None,
        (false, due, Otherwise::Hold) => {
            let reason = because(format!("it is due and waits for `{source}`"));
            Some(outcome(event, ctx, due, kind::EVENT_HELD, &reason, []))
        }
        (false, due, Otherwise::Drop) => {
            let reason = because(format!("it was due and `{source}` did not hold"));
            Some(outcome(event, ctx, due, kind::EVENT_DROPPED, &reason, []))
        }
        (false, due, Otherwise::Late) => {
            Some(fire(event, ctx, due, &because(format!("it is due, although `{source}` does not hold")), false))
        }
    }
}

/// What the policy for missed events makes of one, unless it fires late like any other.
fn missed(event: &Scheduled, state: &State, ctx: &Context<'_>, due: Millis) -> Option<Due> {
    let reason = "it fell due while nothing ran";
    match event.missed {
        Missed::Once => None,
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

fn fire(event: &Scheduled, ctx: &Context<'_>, due: Option<Millis>, reason: &str, met: bool) -> Due {
    let late = due.map(|due| ctx.now.saturating_sub(due).max(0));
    let mut fired = outcome(
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
