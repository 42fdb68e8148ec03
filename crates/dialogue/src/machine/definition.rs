//! A machine as it was read: states in a tree, transitions with resolved targets.

use indexmap::IndexMap;
use throughline_expr::Expr;
use throughline_journal::Millis;
use throughline_protocol::view::Finding;
use throughline_value::Value;

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
    /// Where a state of an older definition goes on.
    pub(crate) migrate: IndexMap<String, String>,
    pub(crate) findings: Vec<Finding>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// `review.waiting`; empty for the root.
    pub(crate) path: String,
    pub(crate) parent: Option<StateId>,
    pub(crate) children: Vec<StateId>,
    pub(crate) initial: Option<StateId>,
    pub(crate) is_final: bool,
    pub(crate) description: String,
    pub(crate) entry: Vec<Value>,
    pub(crate) exit: Vec<Value>,
    pub(crate) on: IndexMap<String, Vec<Candidate>>,
    pub(crate) delays: Vec<Delay>,
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
        self.states.iter().position(|state| state.path == path)
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

    /// The state and those that become active inside it when it is entered, from outside in.
    pub(crate) fn descend(&self, id: StateId) -> impl Iterator<Item = StateId> + '_ {
        std::iter::successors(Some(id), |id| self.state(*id)?.initial)
    }
}
