//! The pure step: from a state and an event to a state and effects.

use throughline_expr::time::Zone;
use throughline_expr::{Env, Expr};
use throughline_journal::Millis;
use throughline_protocol::view::GuardResult;
use throughline_protocol::{At, Refusal, nearest};
use throughline_value::{InOrder as _, SortedMap, SortedSet, Value};

use super::definition::{Candidate, Definition, ROOT, StateId};
use super::run::{ALWAYS, Asked, Config, MAX_MICROSTEPS, Micro, actions};
use super::{Machine, Standing};

/// What an event would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// The active states before, innermost ones only.
    pub from: Vec<String>,
    /// The active states after.
    pub to: Vec<String>,
    /// The states that are left, innermost first.
    pub exited: Vec<String>,
    /// The states that are entered, outermost first.
    pub entered: Vec<String>,
    /// The exit actions, the transition's own and the entry actions, in this order.
    pub actions: Vec<Value>,
    /// The guards that were looked at, and what they gave.
    pub guards: Vec<GuardResult>,
    /// The definition's reason for it.
    pub reason: String,
    /// What its history states remember from now on, by their paths.
    pub remembered: SortedMap<String, Vec<String>>,
    /// Whether the machine is then finished.
    pub finished: bool,
    /// The events of the single steps, when there were several: the first came from outside, the others are
    /// `always` (the empty name) and ends that were reached.
    pub via: Vec<String>,
}

/// An event that the present state knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// The event.
    pub event: String,
    /// Whether it can be taken now; `None` when a guard could not be evaluated, or needs what the event carries.
    pub open: Option<bool>,
    /// Where it can lead.
    pub targets: Vec<String>,
}

/// A delayed event that is waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// The state that has it.
    pub state: String,
    /// The event to send when it is due.
    pub event: String,
    /// When it is due.
    pub due: Millis,
}

/// What a guard sees: the environment, the event's data and the state.
struct GuardEnv<'a> {
    outer: &'a dyn Env,
    event: &'a Value,
    state: &'a Value,
}

impl Env for GuardEnv<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "event" => Some(self.event.clone()),
            "state" => Some(self.state.clone()),
            _ => self.outer.get(name),
        }
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        match path.split_first() {
            Some((&"event", rest)) => self.event.at(rest).cloned(),
            Some((&"state", rest)) => self.state.at(rest).cloned(),
            None => None,
            Some(_) => self.outer.get_path(path),
        }
    }

    fn now(&self) -> Option<i64> {
        self.outer.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.outer.zone()
    }

    fn zone_assumed(&self, text: &str) {
        self.outer.zone_assumed(text);
    }
}

fn test(guard: &Expr, event: &Value, state: &Value, outer: &dyn Env) -> GuardResult {
    let (held, error) = match guard.test(&GuardEnv { outer, event, state }) {
        Ok(held) => (Some(held), None),
        Err(error) => (None, Some(error.to_string())),
    };
    GuardResult { guard: guard.source().to_owned(), held, error }
}

impl Machine {
    /// What an event would do now. Nothing changes.
    ///
    /// # Errors
    /// `no-machine`; `illegal-transition` when the state does not know the event, `guard-false` when it does
    /// and no guard holds, `guard-error` when one of them could not be evaluated; the last three with
    /// `{state, event, allowed, guards}` in the details; `endless-always` when it does not come to rest.
    pub fn transition(&self, event: &str, data: &Value, env: &dyn Env) -> Result<Transition, Refusal> {
        let Some((definition, standing)) = self.definition(Self::HEAD).zip(self.standing(Self::HEAD)) else {
            return Err(no_machine());
        };
        step(definition, standing, event, data, env)
    }

    /// Whether a transition that needs no event is open now.
    #[must_use]
    pub fn goes_on(&self, at: At, env: &dyn Env) -> bool {
        let Some((definition, standing)) = self.definition(at.seq).zip(self.standing(at.seq)) else { return false };
        definition.has_always && !standing.finished && step(definition, standing, ALWAYS, &Value::Null, env).is_ok()
    }
}

pub(crate) fn no_machine() -> Refusal {
    Refusal::new("no-machine", "the domain has no machine to send an event to")
}

/// One event from a standing, run to its end.
pub(crate) fn step(
    definition: &Definition,
    standing: &Standing,
    event: &str,
    data: &Value,
    env: &dyn Env,
) -> Result<Transition, Refusal> {
    let mut guards: Vec<GuardResult> = Vec::new();
    let mut config = standing.config(definition);
    let mut holds = asking(definition, data, env, &mut guards);
    let asked = if standing.finished { Asked::Unknown } else { config.take(definition, event, &mut holds) };
    let known = !matches!(asked, Asked::Unknown);
    let Asked::Taken(first) = asked else {
        drop(holds);
        return Err(refusal(definition, standing, event, known, &guards, env));
    };
    let entered = first.entered.clone();
    let mut micros = vec![first];
    let rests = config.settle(definition, &entered, &mut holds, &mut micros);
    drop(holds);
    if !rests {
        return Err(endless(definition, &config).at_path("/event"));
    }
    Ok(Transition::of(definition, standing, &config, &micros, guards))
}

/// Asks guards, and keeps what they gave.
pub(crate) fn asking<'d, 'g>(
    definition: &'d Definition,
    data: &'g Value,
    env: &'g dyn Env,
    guards: &'g mut Vec<GuardResult>,
) -> impl FnMut(&'d Candidate, &Config) -> bool + use<'d, 'g> {
    move |way, config| {
        let Some(guard) = &way.guard else { return true };
        let result = test(guard, data, &state_value(&definition.paths(&definition.innermost(&config.active))), env);
        let held = result.held == Some(true);
        guards.push(result);
        held
    }
}

pub(crate) fn endless(definition: &Definition, config: &Config) -> Refusal {
    let state = definition.paths(&definition.innermost(&config.active));
    let message = format!(
        "after {MAX_MICROSTEPS} steps without an event the machine still goes on, now in `{}`; give an `always` a guard",
        state.join(", ")
    );
    Refusal::new("endless-always", message).with(Value::from([("state", Value::from(state))]))
}

impl Transition {
    /// What several steps did together.
    pub(super) fn of(
        definition: &Definition,
        before: &Standing,
        after: &Config,
        micros: &[Micro<'_>],
        guards: Vec<GuardResult>,
    ) -> Self {
        let mut exited: SortedSet<StateId> = SortedSet::new();
        let mut entered: SortedSet<StateId> = SortedSet::new();
        for micro in micros {
            exited.extend(micro.exited.iter().copied());
            entered.extend(micro.entered.iter().copied());
        }
        let entered: SortedSet<StateId> = entered.into_iter().filter(|id| after.active.contains(id)).collect();
        let reasons = micros.iter().flat_map(|m| &m.ways).map(|way| way.reason.as_str());
        let ended = definition.ended(ROOT, &after.active);
        let remembered =
            after.remembered.iter().map(|(id, kept)| (definition.path(*id).to_owned(), definition.paths(kept)));
        Self {
            from: before.active.clone(),
            to: definition.paths(&definition.innermost(&after.active)),
            exited: definition.paths(exited.iter().rev()),
            entered: definition.paths(&entered),
            actions: micros.iter().flat_map(|micro| actions(definition, micro)).collect(),
            guards,
            reason: reasons.into_iter().find(|r| !r.is_empty()).unwrap_or_default().to_owned(),
            remembered: remembered.filter(|(path, kept)| before.remembered.get(path) != Some(kept)).collect(),
            finished: ended,
            via: if micros.len() > 1 { micros.iter().map(|m| m.event.clone()).collect() } else { Vec::new() },
        }
    }
}

fn refusal(
    definition: &Definition,
    standing: &Standing,
    event: &str,
    known: bool,
    guards: &[GuardResult],
    env: &dyn Env,
) -> Refusal {
    let state = standing.active.join(", ");
    let allowed: Vec<String> =
        allowed(definition, standing, env).into_iter().filter(|a| a.open != Some(false)).map(|a| a.event).collect();
    let failed = guards.iter().any(|g| g.error.is_some());
    let (code, message) = match (known, failed) {
        (true, true) => ("guard-error", format!("a guard of `{event}` in `{state}` could not be evaluated")),
        (true, false) => ("guard-false", format!("`{event}` is not possible in `{state}` now: no guard holds")),
        (false, _) if standing.finished => {
            ("illegal-transition", format!("the machine is finished in `{state}`; nothing leads out of it"))
        }
        (false, _) => ("illegal-transition", format!("`{state}` does not know the event `{event}`")),
    };
    let names: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let refusal = Refusal::new(code, message).at_path("/event").with(Value::from([
        ("state", Value::from(standing.active.clone())),
        ("event", event.into()),
        ("allowed", Value::from(allowed.clone())),
        ("guards", Value::List(guards.iter().map(guard_value).collect())),
    ]));
    match nearest(event, &names).filter(|_| !known) {
        Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
        None if names.is_empty() => refusal,
        None => refusal.suggest(format!("possible now: {}", names.join(", "))),
    }
}

impl Machine {
    /// The events that the state at a moment knows, inner states first. Guards that ask for what the event
    /// carries cannot be answered before it comes.
    #[must_use]
    pub fn allowed_events(&self, at: At, env: &dyn Env) -> Vec<Allowed> {
        match self.definition(at.seq).zip(self.standing(at.seq)) {
            Some((definition, standing)) => allowed(definition, standing, env),
            None => Vec::new(),
        }
    }

    /// The delayed events that are waiting at a moment, the next one first.
    #[must_use]
    pub fn timers(&self, at: At) -> Vec<Timer> {
        let Some((definition, standing)) = self.definition(at.seq).zip(self.standing(at.seq)) else {
            return Vec::new();
        };
        if standing.finished {
            return Vec::new();
        }
        let mut timers: Vec<Timer> = definition
            .states
            .iter()
            .filter_map(|state| Some((state, *standing.entered.get(&state.path)?)))
            .flat_map(|(state, since)| {
                state.delays.iter().map(move |delay| Timer {
                    state: state.path.clone(),
                    event: delay.event.clone(),
                    due: since.saturating_add(delay.after),
                })
            })
            .filter(|timer| !standing.spent.contains(&timer.event))
            .collect();
        timers.order_by(|a, b| (a.due, &a.event).cmp(&(b.due, &b.event)));
        timers
    }
}

pub(crate) fn allowed(definition: &Definition, standing: &Standing, env: &dyn Env) -> Vec<Allowed> {
    let mut found: Vec<Allowed> = Vec::new();
    if standing.finished {
        return found;
    }
    let state = state_value(&standing.active);
    let mut seen = SortedSet::new();
    let around = leaves(definition, standing).into_iter().flat_map(|leaf| definition.outwards(leaf));
    for (id, source) in around.filter(|id| seen.insert(*id)).filter_map(|id| Some((id, definition.state(id)?))) {
        // What comes by itself is not offered.
        let offered = source.on.iter().filter(|(event, _)| !source.raises(event));
        for (event, ways) in offered {
            let open = ways.iter().map(|way| openness(way, &state, env)).fold(Some(false), either);
            let targets = ways.iter().map(|way| definition.path(way.target.unwrap_or(id)).to_owned());
            match found.iter_mut().find(|a| a.event == *event) {
                // An outer state gets the event when no inner one takes it.
                Some(inner) => {
                    inner.open = either(inner.open, open);
                    inner.targets.extend(targets);
                }
                None => found.push(Allowed { event: event.clone(), open, targets: targets.collect() }),
            }
        }
    }
    found
}

/// Whether one of two is open, as far as that is known.
fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (None, _) | (_, None) => None,
        (Some(false), Some(false)) => Some(false),
    }
}

/// Whether a way can be taken before its event comes; `None` when that depends on what the event carries.
pub(crate) fn openness(way: &Candidate, state: &Value, env: &dyn Env) -> Option<bool> {
    match &way.guard {
        None => Some(true),
        Some(guard) if guard.names().iter().any(|path| path.root() == "event") => None,
        Some(guard) => test(guard, &Value::Null, state, env).held,
    }
}

pub(crate) fn guard_value(result: &GuardResult) -> Value {
    Value::from([
        ("guard", Value::from(result.guard.as_str())),
        ("held", result.held.into()),
        ("error", result.error.clone().into()),
    ])
}

/// What `state` is in a guard: the path of the innermost active state, or a list of them.
pub(crate) fn state_value(active: &[String]) -> Value {
    match active {
        [state] => state.as_str().into(),
        states => states.to_vec().into(),
    }
}

/// The innermost active states, in the order of the document.
fn leaves(definition: &Definition, standing: &Standing) -> Vec<StateId> {
    standing.active.iter().filter_map(|path| definition.find(path)).collect()
}
