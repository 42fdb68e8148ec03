//! Scheduling, firing and cancelling events by command.

use throughline_expr::Expr;
use throughline_expr::time::{Gap, add_span, parse_duration};
use throughline_journal::{Digest, Millis};
use throughline_protocol::command::{CancelEvent, Command, Missed, ScheduleEvent, TriggerEvent};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Value, to_value};

use crate::contract::{check_name, expr_refusal, read_time_in, suggest, zone};
use crate::due::slots;
use crate::event::{EventId, Scheduled};
use crate::fields::{map, some};
use crate::identity::short;
use crate::kind;
use crate::limits::{MAX_EVENT_COMMANDS, MAX_EVENT_ORDER, MAX_OPEN_EVENTS, MAX_SUGGESTION_NAMES};
use crate::repeat::{Rule, Slot, zone_of};
use crate::world::World;

impl World {
    /// Schedules an event at a time, after a delay, on a condition, or a time and a condition. The same one
    /// again while it is open, or from the same input at any time, changes nothing.
    ///
    /// # Errors
    /// `no-trigger`, `two-times`, the codes of reading expressions and times with their span, and limits.
    pub fn schedule_event(&self, ctx: &Context<'_>, command: &ScheduleEvent) -> Result<Decision, Refusal> {
        check_name(&command.name, "/name")?;
        if command.then.len() > MAX_EVENT_COMMANDS {
            let message =
                format!("an event does at most {MAX_EVENT_COMMANDS} commands; these are {}", command.then.len());
            return Err(Refusal::new("too-many", message).at_path("/do"));
        }
        for (text, path) in [(&command.when, "/when"), (&command.unless, "/unless")] {
            if let Some(text) = text {
                Expr::parse(text).map_err(|error| expr_refusal(&error, path))?;
            }
        }
        let (due, at_text, zone_assumed) = due_of(ctx, command)?;
        if due.is_none() && command.when.is_none() && command.after.is_empty() {
            let message = "an event needs a time (`at` or `delay`), a condition (`when` or `after`), or both";
            return Err(Refusal::new("no-trigger", message));
        }
        order(command)?;
        let (repeat, slot) = repeat(ctx, command, due)?;
        let due = slot.map_or(due, |slot| Some(slot.due));
        let (id, known) = self.event_id(ctx, command, due);
        if known {
            return Ok(Decision::unchanged([("event", Value::from(&*id)), ("unchanged", true.into())].into()));
        }
        if self.agenda.open >= MAX_OPEN_EVENTS {
            let message = format!("{MAX_OPEN_EVENTS} events are open already; cancel some first");
            return Err(Refusal::new("too-many", message));
        }
        let data = map([
            ("event", Some((&*id).into())),
            ("name", Some(command.name.as_str().into())),
            ("due", due.map(Value::from)),
            ("delay", command.delay.as_deref().map(Value::from)),
            ("at", at_text.map(Value::from)),
            ("zone_assumed", some(zone_assumed.into())),
            ("when", command.when.as_deref().map(Value::from)),
            ("unless", command.unless.as_deref().map(Value::from)),
            ("after", some(command.after.clone().into())),
            ("before", some(command.before.clone().into())),
            ("repeat", repeat),
            ("slot", slot.map(|slot| slot.index.into())),
            ("otherwise", to_value(&command.otherwise).ok()),
            ("missed", to_value(&command.missed).ok()),
            ("do", some(Value::List(command.then.iter().map(Command::to_value).collect()))),
            ("data", some(command.data.clone())),
        ]);
        let result = map([("event", Some((&*id).into())), ("due", due.map(Value::from))]);
        Ok(Decision::one(ctx.draft(kind::EVENT_SCHEDULED, data), result))
    }

    /// Fires an open event by hand, whatever its time and condition. The engine then executes
    /// [`World::commands_of`] the event.
    ///
    /// # Errors
    /// `unknown-event`, `ambiguous-name`, `already-settled`.
    pub fn trigger_event(&self, ctx: &Context<'_>, command: &TriggerEvent) -> Result<Decision, Refusal> {
        let event = self.open_event(&command.event)?;
        let due = event.state().and_then(|state| state.due);
        let mut data = map([
            ("event", Some((&*event.id).into())),
            ("name", Some(event.name.as_str().into())),
            ("due", due.map(Value::from)),
            ("fired_at", Some(ctx.now.into())),
            ("late", due.map(|due| ctx.now.saturating_sub(due).max(0).into())),
            ("by", Some("hand".into())),
            ("data", some(event.data.clone())),
        ]);
        if let Value::Map(data) = &mut data {
            data.extend(slots(event, ctx, event.slot()).into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        let result = [("event", Value::from(&*event.id)), ("fired_at", ctx.now.into())];
        Ok(Decision::one(ctx.draft(kind::EVENT_FIRED, data), result.into()))
    }

    /// Cancels an open event.
    ///
    /// # Errors
    /// `unknown-event`, `ambiguous-name`, `already-settled`.
    pub fn cancel_event(&self, ctx: &Context<'_>, command: &CancelEvent) -> Result<Decision, Refusal> {
        let event = self.open_event(&command.event)?;
        let data = map([
            ("event", Some((&*event.id).into())),
            ("name", Some(event.name.as_str().into())),
            ("reason", Some(if ctx.reason.is_empty() { "cancelled by command" } else { ctx.reason }.into())),
        ]);
        let result = [("event", Value::from(&*event.id))];
        Ok(Decision::one(ctx.draft(kind::EVENT_CANCELLED, data), result.into()))
    }

    /// What an event does when it fires; nothing when there is no such event.
    #[must_use]
    pub fn commands_of(&self, event: &str) -> Vec<Command> {
        self.agenda.get(event).map(|event| event.then.clone()).unwrap_or_default()
    }

    /// By id, or by a name that one open event has.
    fn open_event(&self, id_or_name: &str) -> Result<&Scheduled, Refusal> {
        if let Some(event) = self.agenda.get(id_or_name) {
            return if event.is_open() { Ok(event) } else { Err(settled(event)) };
        }
        let named: Vec<&Scheduled> = self.agenda.called(id_or_name).collect();
        let open: Vec<&Scheduled> = named.iter().copied().filter(|event| event.is_open()).collect();
        match (open.as_slice(), named.last()) {
            ([event], _) => Ok(event),
            ([], Some(event)) => Err(settled(event)),
            ([], None) => {
                let refusal = Refusal::new("unknown-event", format!("there is no event `{id_or_name}`"));
                let open = self.agenda.by_id.values().filter(|event| event.is_open()).take(MAX_SUGGESTION_NAMES);
                let names: Vec<&str> = open.flat_map(|event| [&*event.id, event.name.as_str()]).collect();
                Err(match throughline_protocol::nearest(id_or_name, &names) {
                    Some(_) => suggest(refusal.at_path("/event"), id_or_name, &names),
                    None => refusal.at_path("/event"),
                })
            }
            (several, _) => {
                let ids: Vec<&str> = several.iter().map(|event| &*event.id).collect();
                let message = format!("{} open events are called `{id_or_name}`; say which by its id", ids.len());
                Err(Refusal::new("ambiguous-name", message)
                    .at_path("/event")
                    .suggest(format!("one of {}", ids.join(", ")))
                    .with(Value::from([("candidates", ids)])))
            }
        }
    }

    /// The event's id, and whether it is there already. Without an origin, the same event may be scheduled
    /// again once it is settled, and is then another one.
    fn event_id(&self, ctx: &Context<'_>, command: &ScheduleEvent, due: Option<Millis>) -> (EventId, bool) {
        let timed_by_now = ctx.valid_from.is_none() && command.delay.is_some();
        let id = |time: Option<Millis>, nth: i64| -> EventId {
            let mut digest = Digest::new("throughline-event");
            digest.value(&Command::from(command.clone()).to_value());
            digest.text(ctx.thread);
            digest.value(&Value::from(time));
            digest.text(ctx.origin.map_or("", |origin| &origin.source));
            digest.value(&Value::from(ctx.origin.map(|origin| origin.seq)));
            digest.number(nth);
            format!("event_{}", short(digest)).into()
        };
        if ctx.origin.is_some() {
            // The same input, delivered again later: its delay counts from the first time.
            let id = id(due.filter(|_| !timed_by_now), 0);
            let known = self.agenda.by_id.contains_key(&id);
            return (id, known);
        }
        let mut nth = 0;
        loop {
            let id = id(due, nth);
            match self.agenda.get(&id) {
                Some(event) if event.is_open() => return (id, true),
                Some(_) => nth += 1,
                None => return (id, false),
            }
        }
    }
}

/// What it comes after and before.
fn order(command: &ScheduleEvent) -> Result<(), Refusal> {
    for (names, path) in [(&command.after, "/after"), (&command.before, "/before")] {
        if names.len() > MAX_EVENT_ORDER {
            let message = format!("an event names at most {MAX_EVENT_ORDER} others; these are {}", names.len());
            return Err(Refusal::new("too-many", message).at_path(path));
        }
        for (i, name) in names.iter().enumerate() {
            check_name(name, &format!("{path}/{i}"))?;
            if *name == command.name {
                let message = "an event cannot come after or before itself; name another one";
                return Err(Refusal::new("own-event", message).at_path(format!("{path}/{i}")));
            }
        }
    }
    if let Some(i) = command.before.iter().position(|name| command.after.contains(name)) {
        let message = "it would have to come after and before the same event, so it could never fire";
        return Err(Refusal::new("never-fires", message).at_path(format!("/before/{i}")));
    }
    Ok(())
}

/// How it repeats, as recorded, and its first slot.
fn repeat(
    ctx: &Context<'_>,
    command: &ScheduleEvent,
    due: Option<Millis>,
) -> Result<(Option<Value>, Option<Slot>), Refusal> {
    let Some(repeat) = &command.repeat else { return Ok((None, None)) };
    let Some(start) = due else {
        let message = "what repeats needs the time of its first slot: `at` or `delay`";
        return Err(Refusal::new("no-trigger", message).at_path("/repeat"));
    };
    if command.missed == Missed::Restart {
        let message = "what repeats has its next slot anyway; a missed one is `once`, `skip` or `all`";
        return Err(Refusal::new("bad-repeat", message).at_path("/missed"));
    }
    let (rule, data) = Rule::decide(ctx, repeat, start)?;
    let zone = zone_of(ctx, repeat)?;
    match rule.slot_from(0, zone.as_ref()) {
        Some(slot) => Ok((Some(data), Some(slot))),
        None => {
            Err(Refusal::new("bad-repeat", "there is no slot: `until` lies before the first").at_path("/repeat/until"))
        }
    }
}

fn settled(event: &Scheduled) -> Refusal {
    let status = event.state().map_or("", |state| state.status.as_str());
    let message = format!("the event `{}` is {status} already; schedule another one", event.name);
    let details = [("event", Value::from(&*event.id)), ("status", status.into())];
    Refusal::new("already-settled", message).at_path("/event").with(details.into())
}

/// When it is due, the text that said so, and whether a zone was assumed.
fn due_of(ctx: &Context<'_>, command: &ScheduleEvent) -> Result<(Option<Millis>, Option<String>, bool), Refusal> {
    match (&command.at, &command.delay) {
        (Some(_), Some(_)) => Err(Refusal::new("two-times", "give `at` or `delay`, not both").at_path("/delay")),
        (Some(time), None) => {
            let zone = match &command.repeat {
                Some(repeat) => zone_of(ctx, repeat)?,
                None => zone(ctx.domain),
            };
            let instant = read_time_in(zone.as_ref(), time, "/at")?;
            Ok((Some(instant.ms), instant.text, instant.zone_assumed))
        }
        (None, Some(delay)) => {
            let span = parse_duration(delay).map_err(|error| expr_refusal(&error, "/delay"))?;
            let zone = zone(ctx.domain);
            let due = add_span(ctx.valid(), &span, zone.as_ref(), Gap::Shift);
            let due = due.map_err(|error| expr_refusal(&error, "/delay"))?;
            if due.is_some_and(|due| due < ctx.valid()) {
                let message = "a delay goes forwards; give a duration without a minus";
                return Err(Refusal::new("bad-duration", message).at_path("/delay"));
            }
            Ok((due, None, false))
        }
        (None, None) => Ok((None, None, false)),
    }
}
