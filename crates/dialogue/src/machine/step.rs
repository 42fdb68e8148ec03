//! The pure step: from a state and an event to a state and effects.

use throughline_expr::time::Zone;
use throughline_expr::{Env, Expr};
use throughline_journal::Millis;
use throughline_protocol::view::GuardResult;
use throughline_protocol::{At, Refusal, nearest};
use throughline_value::Value;

use super::definition::{Candidate, Definition, ROOT, StateId};
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
    /// Whether the machine is then finished.
    pub finished: bool,
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
    state: &'a str,
}

impl Env for GuardEnv<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "event" => Some(self.event.clone()),
            "state" => Some(self.state.into()),
            _ => self.outer.get(name),
        }
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        match path.split_first() {
            Some((&"event", rest)) => self.event.at(rest).cloned(),
            Some((&"state", [])) => Some(self.state.into()),
            Some((&"state", _)) | None => None,
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

fn test(guard: &Expr, event: &Value, state: &str, outer: &dyn Env) -> GuardResult {
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
    /// `{state, event, allowed, guards}` in the details.
    pub fn transition(&self, event: &str, data: &Value, env: &dyn Env) -> Result<Transition, Refusal> {
        let Some((definition, standing)) = self.definition(Self::HEAD).zip(self.standing(Self::HEAD)) else {
            return Err(Refusal::new("no-machine", "the domain has no machine to send an event to"));
        };
        let Some(leaf) = standing.active.first().and_then(|path| definition.find(path)) else {
            return Err(Refusal::new("no-machine", "the machine is in no state; load the domain again"));
        };
        let mut guards = Vec::new();
        let mut known = false;
        if !standing.finished {
            for source in definition.outwards(leaf) {
                let ways = definition.state(source).and_then(|s| s.on.get(event));
                for way in ways.into_iter().flatten() {
                    known = true;
                    let held = match &way.guard {
                        None => true,
                        Some(guard) => {
                            let result = test(guard, data, definition.path(leaf), env);
                            let held = result.held == Some(true);
                            guards.push(result);
                            held
                        }
                    };
                    if held {
                        return Ok(take(definition, standing, leaf, source, way, guards));
                    }
                }
            }
        }
        Err(self.refusal(definition, standing, leaf, event, known, &guards, env))
    }

    #[expect(clippy::too_many_arguments, reason = "everything a refusal has to say, gathered once")]
    fn refusal(
        &self,
        definition: &Definition,
        standing: &Standing,
        leaf: StateId,
        event: &str,
        known: bool,
        guards: &[GuardResult],
        env: &dyn Env,
    ) -> Refusal {
        let state = definition.path(leaf);
        let allowed: Vec<String> = self
            .allowed(definition, standing, env)
            .into_iter()
            .filter(|a| a.open != Some(false))
            .map(|a| a.event)
            .collect();
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

    /// The events that the state at a moment knows, inner states first. Guards that ask for what the event
    /// carries cannot be answered before it comes.
    #[must_use]
    pub fn allowed_events(&self, at: At, env: &dyn Env) -> Vec<Allowed> {
        match self.definition(at.seq).zip(self.standing(at.seq)) {
            Some((definition, standing)) => self.allowed(definition, standing, env),
            None => Vec::new(),
        }
    }

    fn allowed(&self, definition: &Definition, standing: &Standing, env: &dyn Env) -> Vec<Allowed> {
        let Some(leaf) = standing.active.first().and_then(|path| definition.find(path)) else { return Vec::new() };
        let mut found: Vec<Allowed> = Vec::new();
        if standing.finished {
            return found;
        }
        for state in definition.outwards(leaf).filter_map(|id| definition.state(id)) {
            // Delayed events come by themselves and are not offered.
            let offered = state.on.iter().filter(|(event, _)| state.delays.iter().all(|d| d.event != **event));
            for (event, ways) in offered {
                let mut open = Some(false);
                let mut targets = Vec::new();
                for way in ways {
                    targets.push(definition.path(way.target.unwrap_or(leaf)).to_owned());
                    let held = openness(way, definition.path(leaf), env);
                    open = match (open, held) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (None, _) | (_, None) => None,
                        (Some(false), Some(false)) => Some(false),
                    };
                }
                match found.iter_mut().find(|a| a.event == *event) {
                    // An outer state gets the event only when no inner one takes it.
                    Some(inner) => {
                        inner.open = match (inner.open, open) {
                            (Some(true), _) | (_, Some(true)) => Some(true),
                            (None, _) | (_, None) => None,
                            _ => Some(false),
                        };
                        inner.targets.extend(targets);
                    }
                    None => found.push(Allowed { event: event.clone(), open, targets }),
                }
            }
        }
        found
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
        timers.sort_by(|a, b| (a.due, &a.event).cmp(&(b.due, &b.event)));
        timers
    }
}

/// Whether a way can be taken before its event comes; `None` when that depends on what the event carries.
pub(crate) fn openness(way: &Candidate, state: &str, env: &dyn Env) -> Option<bool> {
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

/// Carries out a way: which states are left and entered, and the actions in their order.
fn take(
    definition: &Definition,
    standing: &Standing,
    leaf: StateId,
    source: StateId,
    way: &Candidate,
    guards: Vec<GuardResult>,
) -> Transition {
    let mut step = Transition {
        from: standing.active.clone(),
        to: standing.active.clone(),
        actions: way.actions.clone(),
        guards,
        reason: way.reason.clone(),
        ..Transition::default()
    };
    let Some(target) = way.target else { return step };
    // A transition into its own source, or inside it, stays within it unless it says otherwise; any other
    // leaves everything up to the innermost state around both.
    let within = target == source || definition.inside(target, source);
    let domain = if within && !way.reenter {
        source
    } else {
        definition.outwards(source).skip(1).find(|id| definition.inside(target, *id)).unwrap_or(ROOT)
    };
    let exited: Vec<StateId> = definition.outwards(leaf).take_while(|id| *id != domain).collect();
    let mut entered: Vec<StateId> = definition.outwards(target).skip(1).take_while(|id| *id != domain).collect();
    if target == domain {
        entered.clear();
    }
    entered.reverse();
    entered.extend(definition.descend(target).skip(usize::from(target == domain)));
    let actions = |id: &StateId, exit: bool| {
        definition.state(*id).map(|s| if exit { s.exit.clone() } else { s.entry.clone() }).unwrap_or_default()
    };
    step.actions = exited.iter().flat_map(|id| actions(id, true)).chain(std::mem::take(&mut step.actions)).collect();
    step.actions.extend(entered.iter().flat_map(|id| actions(id, false)));
    let innermost = entered.last().copied().unwrap_or(target);
    step.to = vec![definition.path(innermost).to_owned()];
    step.finished = definition.state(innermost).is_some_and(|s| s.is_final && s.parent == Some(ROOT));
    step.exited = exited.iter().map(|id| definition.path(*id).to_owned()).collect();
    step.entered = entered.iter().map(|id| definition.path(*id).to_owned()).collect();
    step
}
