//! The pure core: one event, run until nothing goes on by itself.
//!
//! An event is taken once. Then, before anything else comes, transitions without an event (`always`) are taken
//! while one is possible, and ends that were reached inside (`done.<path>`) are told to the states around them:
//! always ones first, as in SCXML. How long this may go on is bounded.

use throughline_value::{SortedMap, SortedSet, Value};

use super::definition::{Candidate, Definition, ROOT, StateId};

/// The most steps that one event may lead to by `always` and by ends that were reached. More are refused with
/// `endless-always`.
pub const MAX_MICROSTEPS: usize = 100;

/// The event of transitions that need none.
pub(crate) const ALWAYS: &str = "";

/// Where a machine stands, by numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Config {
    /// Every active state, without the root.
    pub(crate) active: SortedSet<StateId>,
    /// What the history states remember.
    pub(crate) remembered: SortedMap<StateId, Vec<StateId>>,
}

/// What one step did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Micro<'a> {
    /// The event that was taken; [`ALWAYS`] for none.
    pub(crate) event: String,
    /// The states that were left and entered.
    pub(crate) exited: SortedSet<StateId>,
    pub(crate) entered: SortedSet<StateId>,
    /// The ways that were taken.
    pub(crate) ways: Vec<&'a Candidate>,
    /// Whether ways stood in each other's way.
    pub(crate) rivals: bool,
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

/// Whether a way's guard holds, in the state it is asked in. Called once for each way of a step.
pub(crate) type Holds<'a, 'd> = &'a mut dyn FnMut(&'d Candidate, &Config) -> bool;

/// What asking for an event gave.
pub(crate) enum Asked<'a> {
    /// No active state knows the event.
    Unknown,
    /// One does, and no guard holds.
    Closed,
    /// It was taken.
    Taken(Micro<'a>),
}

impl Config {
    /// Takes one event where a way is open, and changes the configuration.
    pub(crate) fn take<'d>(&mut self, definition: &'d Definition, event: &str, holds: Holds<'_, 'd>) -> Asked<'d> {
        let mut known = false;
        let mut enabled: Vec<Enabled<'d>> = Vec::new();
        let mut looked_at: Vec<(*const Candidate, bool)> = Vec::new();
        let mut leaves = definition.innermost(&self.active);
        if leaves.is_empty() {
            leaves.push(ROOT);
        }
        for leaf in leaves {
            // The innermost state that takes the event takes it for everything around it.
            'outwards: for source in definition.outwards(leaf) {
                for way in definition.state(source).and_then(|s| s.on.get(event)).into_iter().flatten() {
                    known = true;
                    let place = std::ptr::from_ref(way);
                    let held = match looked_at.iter().find(|(p, _)| *p == place) {
                        Some((_, held)) => *held,
                        None => {
                            let held = way.guard.is_none() || holds(way, self);
                            looked_at.push((place, held));
                            held
                        }
                    };
                    if held {
                        if enabled.iter().all(|e| !std::ptr::eq(e.way, way)) {
                            let meant = way.target.map(|target| definition.meant_by(target, &self.remembered));
                            enabled.push(Enabled { source, way, targets: meant.unwrap_or_default() });
                        }
                        break 'outwards;
                    }
                }
            }
        }
        match (enabled.is_empty(), known) {
            (false, _) => Asked::Taken(self.carry_out(definition, event, &enabled)),
            (true, true) => Asked::Closed,
            (true, false) => Asked::Unknown,
        }
    }

    /// Carries out ways: which states are left and entered, and what history states remember.
    fn carry_out<'d>(&mut self, definition: &'d Definition, event: &str, enabled: &[Enabled<'d>]) -> Micro<'d> {
        // Of two ways that would leave the same state the inner one goes, and else the one that stands first.
        let mut taken: Vec<(&Enabled<'d>, SortedSet<StateId>)> = Vec::new();
        let mut rivals = false;
        for way in enabled {
            let exited = way.exited(definition, &self.active);
            let rival = |(other, theirs): &(&Enabled<'d>, SortedSet<StateId>)| {
                (!exited.is_disjoint(theirs)).then(|| definition.inside(way.source, other.source))
            };
            let inner: Vec<bool> = taken.iter().filter_map(rival).collect();
            rivals |= inner.iter().any(|inner| !inner);
            if inner.iter().all(|inner| *inner) {
                taken.retain(|other| rival(other).is_none());
                taken.push((way, exited));
            }
        }
        let exited: SortedSet<StateId> = taken.iter().flat_map(|(_, exited)| exited.iter().copied()).collect();
        let mut entered = SortedSet::new();
        for (way, _) in &taken {
            if let Some(domain) = way.domain(definition) {
                entered.extend(definition.entered(&way.targets, domain));
            }
        }
        self.remembered.extend(definition.remembered(&self.active, &exited));
        self.active = self.active.difference(&exited).chain(&entered).copied().collect();
        Micro { event: event.to_owned(), exited, entered, ways: taken.iter().map(|(way, _)| way.way).collect(), rivals }
    }

    /// Lets everything go on that needs no event from outside, after `entered` were entered. Gives false when it
    /// does not come to rest.
    pub(crate) fn settle<'d>(
        &mut self,
        definition: &'d Definition,
        entered: &SortedSet<StateId>,
        holds: Holds<'_, 'd>,
        done: &mut Vec<Micro<'d>>,
    ) -> bool {
        let mut raised: std::collections::VecDeque<StateId> = self.ends(definition, entered).into();
        for _ in 0..MAX_MICROSTEPS {
            if definition.ended(ROOT, &self.active) {
                return true;
            }
            let mut next = if definition.has_always {
                match self.take(definition, ALWAYS, holds) {
                    Asked::Taken(micro) => Some(micro),
                    _ => None,
                }
            } else {
                None
            };
            while next.is_none() {
                let Some(ended) = raised.pop_front() else { return true };
                let Some(event) = definition.state(ended).map(|s| s.done_event()) else { continue };
                if let Asked::Taken(micro) = self.take(definition, &event, holds) {
                    next = Some(micro);
                }
            }
            if let Some(micro) = next {
                raised.extend(self.ends(definition, &micro.entered));
                done.push(micro);
            }
        }
        false
    }

    /// The states that came to their end by what was entered, inner ones first, where someone wants to know.
    fn ends(&self, definition: &Definition, entered: &SortedSet<StateId>) -> Vec<StateId> {
        let mut ends: Vec<StateId> = Vec::new();
        if !definition.has_done {
            return ends;
        }
        let is_final = |id: &&StateId| definition.state(**id).is_some_and(|s| s.is_final);
        for leaf in entered.iter().filter(is_final) {
            for around in definition.outwards(*leaf).skip(1).filter(|id| *id != ROOT) {
                if !definition.ended(around, &self.active) {
                    break;
                }
                if !ends.contains(&around) {
                    ends.push(around);
                }
            }
        }
        ends
    }

    /// The configuration that a machine begins in, and the states that were entered.
    pub(crate) fn initial(definition: &Definition) -> Self {
        Self { active: definition.entered(&[ROOT], ROOT), remembered: SortedMap::new() }
    }
}

/// The actions of a step, in their order: of the states that are left, of the ways, of the states entered.
pub(crate) fn actions(definition: &Definition, micro: &Micro<'_>) -> Vec<Value> {
    let state = |id: &StateId| definition.state(*id);
    let mut actions: Vec<Value> = Vec::new();
    for left in micro.exited.iter().rev().filter_map(state) {
        actions.extend(left.exit.iter().cloned());
        actions.extend(left.invoke.iter().map(|invoke| effect("cancel", invoke)));
    }
    actions.extend(micro.ways.iter().flat_map(|way| way.actions.iter().cloned()));
    actions.extend(entry_actions(definition, &micro.entered));
    actions
}

/// The actions of states that are entered, outer ones first.
pub(crate) fn entry_actions(definition: &Definition, entered: &SortedSet<StateId>) -> Vec<Value> {
    let mut actions = Vec::new();
    for state in entered.iter().filter_map(|id| definition.state(*id)) {
        actions.extend(state.entry.iter().cloned());
        actions.extend(state.invoke.iter().map(|invoke| effect("invoke", invoke)));
    }
    actions
}

/// What the host is told of work that a state has done outside: to begin it, or that nobody waits for it.
fn effect(kind: &str, invoke: &super::definition::Invoke) -> Value {
    let mut effect = vec![("type", Value::from(kind)), ("id", invoke.id.as_str().into())];
    if kind == "invoke" {
        effect.push(("src", invoke.src.as_str().into()));
        if !invoke.input.is_null() {
            effect.push(("input", invoke.input.clone()));
        }
    }
    Value::Map(effect.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
