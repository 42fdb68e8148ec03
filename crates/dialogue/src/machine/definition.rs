//! A machine as it was read: states in a tree, transitions with resolved targets.

use throughline_expr::Expr;
use throughline_journal::Millis;
use throughline_protocol::view::Finding;
use throughline_value::{Named, SortedMap, SortedSet, Value};

use super::invariant::Invariant;

/// A state's place in [`Definition::states`]; the root is [`ROOT`].
pub(crate) type StateId = usize;

/// The machine itself, which is the outermost state.
pub(crate) const ROOT: StateId = 0;

/// A machine as it was read.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) id: String,
    /// The document in canonical form.
    pub(crate) canonical: String,
    /// Outer states before inner ones, in the order of the document.
    pub(crate) states: Vec<State>,
    pub(crate) by_path: SortedMap<String, StateId>,
    /// Where a state of an older definition goes on.
    pub(crate) migrate: Named<String>,
    pub(crate) findings: Vec<Finding>,
    /// What must hold on every path.
    pub(crate) invariants: Vec<Invariant>,
    /// The history states.
    pub(crate) histories: Vec<StateId>,
    /// Whether any transition needs no event.
    pub(crate) has_always: bool,
    /// Whether any state waits for an end inside it.
    pub(crate) has_done: bool,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// `review.waiting`; empty for the root.
    pub(crate) path: String,
    pub(crate) parent: Option<StateId>,
    pub(crate) children: Vec<StateId>,
    pub(crate) initial: Option<StateId>,
    pub(crate) is_final: bool,
    /// Whether all its inner states are active together.
    pub(crate) parallel: bool,
    /// For a history state, which is never active itself but stands for what was active around it: whether it
    /// remembers the innermost states (`deep`) or only those right inside.
    pub(crate) history: Option<bool>,
    /// Where a history state leads when nothing is remembered yet; the initial state of its parent when absent.
    pub(crate) otherwise: Option<StateId>,
    pub(crate) description: String,
    pub(crate) entry: Vec<Value>,
    pub(crate) exit: Vec<Value>,
    /// The ways by event: also of delays (`after.…`), of ends inside (`done.<path>`), of work outside
    /// (`done.invoke.<id>`, `error.invoke.<id>`), and under the empty name those that need no event.
    pub(crate) on: Named<Vec<Candidate>>,
    pub(crate) delays: Vec<Delay>,
    /// Work outside that is begun when the state is entered.
    pub(crate) invoke: Vec<Invoke>,
}

/// Work outside of the machine, as an effect.
#[derive(Debug)]
pub(crate) struct Invoke {
    pub(crate) id: String,
    pub(crate) src: String,
    pub(crate) input: Value,
}

impl State {
    /// The event that says that everything inside has come to its end.
    pub(crate) fn done_event(&self) -> String {
        format!("done.{}", self.path)
    }

    /// Whether an event comes from the machine itself, so that nobody has to send it.
    pub(crate) fn raises(&self, event: &str) -> bool {
        event.is_empty() || self.delays.iter().any(|d| d.event == event) || event == self.done_event()
    }
}

/// One way an event can go.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Where it goes; `None` runs its actions and stays.
    pub(crate) target: Option<StateId>,
    pub(crate) guard: Option<Expr>,
    pub(crate) actions: Vec<Value>,
    pub(crate) reason: String,
    /// Whether it leaves and enters its own source state.
    pub(crate) reenter: bool,
    /// Where it stands in the document.
    pub(crate) pointer: String,
}

/// An event that comes by itself when a state has been active for a while.
#[derive(Debug)]
pub(crate) struct Delay {
    pub(crate) event: String,
    pub(crate) after: Millis,
}

impl Definition {
    pub(crate) fn state(&self, id: StateId) -> Option<&State> {
        self.states.get(id)
    }

    pub(crate) fn find(&self, path: &str) -> Option<StateId> {
        self.by_path.get(path).copied()
    }

    pub(crate) fn path(&self, id: StateId) -> &str {
        self.state(id).map_or("", |state| &state.path)
    }

    /// The state and those around it, from inside out, with the root.
    pub(crate) fn outwards(&self, id: StateId) -> impl Iterator<Item = StateId> + '_ {
        std::iter::successors(Some(id), |id| self.state(*id)?.parent)
    }

    /// Whether `inner` lies inside `outer`; no state lies inside itself.
    pub(crate) fn inside(&self, inner: StateId, outer: StateId) -> bool {
        inner != outer && self.outwards(inner).any(|id| id == outer)
    }

    /// The states that become active when `targets` are entered from `domain`, which stays as it is: the targets,
    /// what lies around them, what is initial inside them, and the other regions of parallel states.
    pub(crate) fn entered(&self, targets: &[StateId], domain: StateId) -> SortedSet<StateId> {
        let mut entered = SortedSet::new();
        for target in targets {
            self.enter(*target, &mut entered);
        }
        for target in targets {
            for around in self.outwards(*target).skip(1) {
                if around != domain && !self.inside(around, domain) {
                    break;
                }
                entered.insert(around);
                self.enter_regions(around, &mut entered);
            }
        }
        entered.retain(|id| self.inside(*id, domain));
        entered
    }

    fn enter(&self, id: StateId, entered: &mut SortedSet<StateId>) {
        entered.insert(id);
        if let Some(initial) = self.state(id).and_then(|state| state.initial) {
            self.enter(initial, entered);
        }
        self.enter_regions(id, entered);
    }

    /// Enters each region of a parallel state in which nothing is entered yet.
    fn enter_regions(&self, id: StateId, entered: &mut SortedSet<StateId>) {
        let Some(state) = self.state(id).filter(|state| state.parallel) else { return };
        for region in &state.children {
            if !entered.iter().any(|other| other == region || self.inside(*other, *region)) {
                self.enter(*region, entered);
            }
        }
    }

    /// What a target stands for: of a history state what is `remembered`.
    pub(crate) fn meant_by(&self, target: StateId, remembered: &SortedMap<StateId, Vec<StateId>>) -> Vec<StateId> {
        let Some(state) = self.state(target).filter(|state| state.history.is_some()) else { return vec![target] };
        if let Some(known) = remembered.get(&target).filter(|known| !known.is_empty()) {
            return known.clone();
        }
        let parent = state.parent.unwrap_or(ROOT);
        let default = state.otherwise.or_else(|| self.state(parent)?.initial);
        match default.filter(|d| self.state(*d).is_some_and(|s| s.history.is_none())) {
            Some(default) => vec![default],
            None => vec![parent],
        }
    }

    /// What the history states inside the states that are left have to remember.
    pub(crate) fn remembered(
        &self,
        active: &SortedSet<StateId>,
        exited: &SortedSet<StateId>,
    ) -> Vec<(StateId, Vec<StateId>)> {
        let mut remembered = Vec::new();
        if exited.is_empty() {
            return remembered;
        }
        for id in &self.histories {
            let Some(state) = self.state(*id) else { continue };
            let (Some(deep), Some(parent)) = (state.history, state.parent.filter(|p| exited.contains(p))) else {
                continue;
            };
            let inside: SortedSet<StateId> = active.iter().filter(|id| self.inside(**id, parent)).copied().collect();
            let kept: Vec<StateId> = match deep {
                true => self.innermost(&inside),
                false => {
                    inside.into_iter().filter(|id| self.state(*id).is_some_and(|s| s.parent == Some(parent))).collect()
                }
            };
            remembered.push((*id, kept));
        }
        remembered
    }

    /// The innermost of some active states, in the order of the document.
    pub(crate) fn innermost(&self, active: &SortedSet<StateId>) -> Vec<StateId> {
        // By the parents of what is active: a state may have thousands of others inside.
        let around: SortedSet<StateId> = active.iter().filter_map(|id| self.state(*id)?.parent).collect();
        active.iter().filter(|id| **id != ROOT && !around.contains(id)).copied().collect()
    }

    /// Whether a state has come to its end: a final state inside it is active, or every region has come to its end.
    pub(crate) fn ended(&self, id: StateId, active: &SortedSet<StateId>) -> bool {
        let Some(state) = self.state(id) else { return false };
        if state.parallel {
            return state.children.iter().all(|region| self.ended(*region, active));
        }
        let is_end = |c: &StateId| self.state(*c).is_some_and(|s| s.is_final && s.parent == Some(id));
        if state.children.len() > active.len() {
            return active.iter().any(is_end);
        }
        state.children.iter().any(|c| active.contains(c) && is_end(c))
    }

    pub(crate) fn paths<'a>(&self, ids: impl IntoIterator<Item = &'a StateId>) -> Vec<String> {
        ids.into_iter().map(|id| self.path(*id).to_owned()).collect()
    }
}
