//! Scheduled events as they are stored.

use std::sync::Arc;

use throughline_expr::time::Duration;
use throughline_expr::{Env, Expr};
use throughline_journal::{Millis, Seq, Versions};
use throughline_protocol::Command;
use throughline_protocol::command::{Missed, Otherwise};
use throughline_value::{SortedMap, SortedSet, Value};

use crate::repeat::{Rule, Slot};

/// The id of an event.
pub(crate) type EventId = Arc<str>;

/// Where an event is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Pending,
    Held,
    Fired,
    Dropped,
    Skipped,
    Cancelled,
}

impl Status {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Held => "held",
            Self::Fired => "fired",
            Self::Dropped => "dropped",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it may still fire.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Held)
    }
}

/// What a record made of an event.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) status: Status,
    pub(crate) due: Option<Millis>,
    pub(crate) fired_at: Option<Millis>,
    pub(crate) late: Option<Millis>,
    pub(crate) reason: String,
    /// The slot that is due next, or the last one.
    pub(crate) slot: i64,
    /// How many times it fired.
    pub(crate) firings: u64,
}

/// A condition with the text it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) source: String,
    /// `None` when a journal brings a text that this version cannot read: it then never holds.
    expr: Option<Expr>,
}

impl Condition {
    pub(crate) fn new(source: &str) -> Self {
        Self { source: source.to_owned(), expr: Expr::parse(source).ok() }
    }

    /// Whether it holds, or why that cannot be said.
    pub(crate) fn holds(&self, env: &dyn Env) -> Result<bool, String> {
        match &self.expr {
            Some(expr) => expr.test(env).map_err(|error| format!("{}: {error}", error.code())),
            None => Expr::parse(&self.source).map(|_| false).map_err(|error| format!("{}: {error}", error.code())),
        }
    }
}

/// A scheduled event.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    pub(crate) id: EventId,
    pub(crate) name: String,
    pub(crate) thread: String,
    pub(crate) turn: u32,
    pub(crate) seq: Seq,
    /// From when it was scheduled.
    pub(crate) valid_from: Millis,
    /// The delay it was scheduled with, to begin again.
    pub(crate) delay: Option<Duration>,
    pub(crate) when: Option<Condition>,
    pub(crate) unless: Option<Condition>,
    /// What must have happened before it.
    pub(crate) after: Vec<String>,
    /// What it must come before.
    pub(crate) before: Vec<String>,
    pub(crate) repeat: Option<Rule>,
    pub(crate) otherwise: Otherwise,
    pub(crate) missed: Missed,
    pub(crate) then: Vec<Command>,
    pub(crate) data: Value,
    pub(crate) states: Versions<State>,
}

impl Scheduled {
    pub(crate) fn state(&self) -> Option<&State> {
        self.states.last()
    }

    /// The slot that is due next.
    pub(crate) fn slot(&self) -> Option<Slot> {
        let state = self.state()?;
        Some(Slot { index: state.slot, due: state.due? })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state().is_some_and(|state| state.status.is_open())
    }
}

/// The events, and which of them can still happen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agenda {
    pub(crate) by_id: SortedMap<EventId, Arc<Scheduled>>,
    /// In the order of scheduling.
    pub(crate) by_name: SortedMap<String, Vec<EventId>>,
    /// Pending with a time, in order.
    pub(crate) timed: SortedSet<(Millis, EventId)>,
    /// Open ones whose condition is looked at before, after or without a time.
    pub(crate) watching: SortedSet<EventId>,
    /// How many are open.
    pub(crate) open: usize,
}

impl Agenda {
    pub(crate) fn get(&self, id: &str) -> Option<&Scheduled> {
        self.by_id.get(id).map(Arc::as_ref)
    }

    pub(crate) fn insert(&mut self, event: Scheduled) {
        let id = event.id.clone();
        self.by_name.entry(event.name.clone()).or_default().push(id.clone());
        self.by_id.insert(id.clone(), Arc::new(event));
        self.index(&id);
    }

    /// The events of an id or a name.
    pub(crate) fn called(&self, name: &str) -> impl Iterator<Item = &Scheduled> {
        let by_id = self.get(name);
        let named = if by_id.is_none() { self.by_name.get(name) } else { None };
        by_id.into_iter().chain(named.into_iter().flatten().filter_map(|id| self.get(id)))
    }

    /// Puts a state on an event and keeps the indexes in step.
    pub(crate) fn push(&mut self, id: &str, seq: Seq, state: State) -> Option<()> {
        let id = self.by_id.get_key_value(id).map(|(id, _)| id.clone())?;
        self.unindex(&id);
        Arc::make_mut(self.by_id.get_mut(&id)?).states.push(seq, state);
        self.index(&id);
        Some(())
    }

    fn index(&mut self, id: &EventId) {
        let Some(event) = self.by_id.get(id).cloned() else { return };
        let Some(state) = event.state().filter(|state| state.status.is_open()) else { return };
        self.open += 1;
        match (state.status, state.due) {
            (Status::Pending, Some(due)) => {
                self.timed.insert((due, id.clone()));
                if event.unless.is_some() || !event.before.is_empty() {
                    self.watching.insert(id.clone());
                }
            }
            _ => {
                self.watching.insert(id.clone());
            }
        }
    }

    fn unindex(&mut self, id: &EventId) {
        let Some(event) = self.by_id.get(id) else { return };
        let Some(state) = event.state().filter(|state| state.status.is_open()) else { return };
        if let Some(due) = state.due {
            self.timed.remove(&(due, id.clone()));
        }
        self.watching.remove(id);
        self.open = self.open.saturating_sub(1);
    }
}
