//! The pure step: from a state and an event to a state and effects.

use throughline_expr::time::Zone;
use throughline_expr::{Env, Expr};
use throughline_journal::Millis;
use throughline_protocol::view::GuardResult;
use throughline_protocol::{At, Refusal, nearest};
use throughline_value::{InOrder as _, SortedMap, SortedSet, Value};

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
    /// What its history states remember from now on, by their paths.
    pub remembered: SortedMap<String, Vec<String>>,
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
    /// `{state, event, allowed, guards}` in the details.
    pub fn transition(&self, event: &str, data: &Value, env: &dyn Env) -> Result<Transition, Refusal> {
        let Some((definition, standing)) = self.definition(Self::HEAD).zip(self.standing(Self::HEAD)) else {
            return Err(Refusal::new("no-machine", "the domain has no machine to send an event to"));
        };
        let state = state_value(&standing.active);
        let mut guards: Vec<GuardResult> = Vec::new();
        let mut known = false;
        let mut enabled: Vec<Enabled<'_>> = Vec::new();
        let leaves = if standing.finished { Vec::new() } else { leaves(definition, standing) };
        let mut looked_at: SortedMap<&str, bool> = SortedMap::new();
        for leaf in leaves {
            // The innermost state that takes the event takes it for everything around it.
            'outwards: for source in definition.outwards(leaf) {
                for way in definition.state(source).and_then(|s| s.on.get(event)).into_iter().flatten() {
                    known = true;
                    let held = *looked_at.entry(&way.pointer).or_insert_with(|| match &way.guard {
                        None => true,
                        Some(guard) => {
                            let result = test(guard, data, &state, env);
                            let held = result.held == Some(true);
                            guards.push(result);
                            held
                        }
                    });
                    if held {
                        if enabled.iter().all(|e| e.way.pointer != way.pointer) {
                            let meant = way.target.map(|target| definition.meant(target, &standing.remembered));
                            enabled.push(Enabled { source, way, targets: meant.unwrap_or_default() });
                        }
                        break 'outwards;
                    }
                }
            }
        }
        if enabled.is_empty() {
            return Err(self.refusal(definition, standing, event, known, &guards, env));
        }
        Ok(take(definition, standing, &enabled, guards))
    }

    fn refusal(
        &self,
        definition: &Definition,
        standing: &Standing,
        event: &str,
        known: bool,
        guards: &[GuardResult],
        env: &dyn Env,
    ) -> Refusal {
        let state = standing.active.join(", ");
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
        let mut found: Vec<Allowed> = Vec::new();
        if standing.finished {
            return found;
        }
        let state = state_value(&standing.active);
        let mut seen = SortedSet::new();
        let around = leaves(definition, standing).into_iter().flat_map(|leaf| definition.outwards(leaf));
        for (id, source) in around.filter(|id| seen.insert(*id)).filter_map(|id| Some((id, definition.state(id)?))) {
            // Delayed events come by themselves and are not offered.
            let offered = source.on.iter().filter(|(event, _)| source.delays.iter().all(|d| d.event != **event));
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

/// A way that an event takes.
#[derive(Clone)]
struct Enabled<'a> {
    source: StateId,
    way: &'a Candidate,
    /// Where it leads; nowhere when it only acts.
    targets: Vec<StateId>,
}

impl Enabled<'_> {
    /// The innermost state that stays as it is: a transition into its own source, or inside it, stays within it
    /// unless it says otherwise; any other leaves everything up to the innermost state around both.
    fn domain(&self, definition: &Definition) -> Option<StateId> {
        self.targets.first()?;
        let all = |holds: &dyn Fn(StateId) -> bool| self.targets.iter().all(|target| holds(*target));
        if !self.way.reenter && all(&|target| target == self.source || definition.inside(target, self.source)) {
            return Some(self.source);
        }
        let around = definition.outwards(self.source).skip(1).find(|id| all(&|target| definition.inside(target, *id)));
        Some(around.unwrap_or(ROOT))
    }

    fn exited(&self, definition: &Definition, active: &SortedSet<StateId>) -> SortedSet<StateId> {
        match self.domain(definition) {
            Some(domain) => active.iter().filter(|id| definition.inside(**id, domain)).copied().collect(),
            None => SortedSet::new(),
        }
    }
}

/// Carries out ways: which states are left and entered, and the actions in their order.
fn take(definition: &Definition, standing: &Standing, enabled: &[Enabled<'_>], guards: Vec<GuardResult>) -> Transition {
    let active: SortedSet<StateId> = standing.entered.keys().filter_map(|path| definition.find(path)).collect();
    // Of two ways that would leave the same state the inner one goes, and else the one that stands first.
    let mut taken: Vec<(Enabled<'_>, SortedSet<StateId>)> = Vec::new();
    for way in enabled {
        let exited = way.exited(definition, &active);
        let rivals = |(other, theirs): &(Enabled<'_>, SortedSet<StateId>)| {
            (!exited.is_disjoint(theirs)).then(|| definition.inside(way.source, other.source))
        };
        if taken.iter().filter_map(rivals).all(|inner| inner) {
            taken.retain(|other| rivals(other).is_none());
            taken.push((way.clone(), exited));
        }
    }
    let exited: SortedSet<StateId> = taken.iter().flat_map(|(_, exited)| exited.iter().copied()).collect();
    let mut entered = SortedSet::new();
    for (way, _) in &taken {
        if let Some(domain) = way.domain(definition) {
            entered.extend(definition.entered(&way.targets, domain));
        }
    }
    let after: SortedSet<StateId> = active.difference(&exited).chain(&entered).copied().collect();
    let state = |id: &StateId| definition.state(*id);
    let mut actions: Vec<Value> = exited.iter().rev().filter_map(state).flat_map(|s| s.exit.clone()).collect();
    actions.extend(taken.iter().flat_map(|(way, _)| way.way.actions.clone()));
    actions.extend(entered.iter().filter_map(state).flat_map(|s| s.entry.clone()));
    Transition {
        from: standing.active.clone(),
        to: definition.paths(&definition.innermost(&after)),
        exited: definition.paths(exited.iter().rev()),
        entered: definition.paths(&entered),
        actions,
        guards,
        reason: taken
            .iter()
            .map(|(way, _)| way.way.reason.as_str())
            .find(|r| !r.is_empty())
            .unwrap_or_default()
            .to_owned(),
        remembered: definition.remembered(&active, &exited),
        finished: definition.ended(ROOT, &after),
    }
}
