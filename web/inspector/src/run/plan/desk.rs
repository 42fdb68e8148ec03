//! What the panels of the plan view share: the run that is looked at, and what a person is about to change.

use leptos::prelude::*;
use throughline_protocol::Tagged;
use throughline_protocol::command::Breakpoint;
use throughline_protocol::query::{Run, Runs};
use throughline_protocol::view::{RunRow, RunView};
use throughline_value::{Map, Value};

use crate::run::seen::{Watched, use_view};
use crate::run::state::RunState;

/// The plan view's state; a copy is the same state.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    pub(super) run: RunState,
    /// The run that was chosen; the newest when it is not there at the cursor.
    pub(super) chosen: RwSignal<String>,
    pub(super) list: Watched<Vec<RunRow>>,
    pub(super) wanted: Memo<Option<String>>,
    pub(super) seen: Watched<RunView>,
    /// Values that were edited and are not in any run yet.
    pub(super) edits: RwSignal<Map>,
    /// The binding whose value is being edited.
    pub(super) editing: RwSignal<Option<String>>,
    /// From where it is run again; from the start when empty.
    pub(super) from: RwSignal<String>,
    /// What becomes of calls when it is run again.
    pub(super) effects: RwSignal<String>,
    /// Whether a new run starts paused.
    pub(super) paused: RwSignal<bool>,
    /// Whether the first step is done again although nothing changed.
    pub(super) fresh: RwSignal<bool>,
    /// Where a new run pauses.
    pub(super) stops: RwSignal<Vec<Breakpoint>>,
    /// What was typed as the plan; the shown run's plan when nothing was.
    pub(super) typed: RwSignal<Option<String>>,
}

impl Desk {
    pub(super) fn new(run: RunState) -> Self {
        let chosen = RwSignal::new(String::new());
        let list = use_view::<Vec<RunRow>, _>(|at, _| Some(Runs { at }));
        let wanted = Memo::new(move |_| {
            let list = list.get().value?;
            let chosen = chosen.get();
            let known = list.iter().any(|row| row.id == chosen);
            if known { Some(chosen) } else { list.last().map(|row| row.id.clone()) }
        });
        Self {
            run,
            chosen,
            list,
            wanted,
            seen: use_view(move |at, _| wanted.get().map(|run| Run { run, at })),
            edits: RwSignal::new(Map::new()),
            editing: RwSignal::new(None),
            from: RwSignal::new(String::new()),
            effects: RwSignal::new("safe".to_owned()),
            paused: RwSignal::new(false),
            fresh: RwSignal::new(false),
            stops: RwSignal::new(Vec::new()),
            typed: RwSignal::new(None),
        }
    }

    /// Runs a command; a run that it makes is shown.
    pub(super) fn does(self, command: impl Tagged) {
        self.does_value(command.tagged());
    }

    fn does_value(self, command: Value) {
        let run = self.run;
        run.follow();
        run.app.work(async move {
            match run.execute(&command).await {
                Ok(done) => {
                    if let Some(made) = done.get("run").and_then(Value::as_str) {
                        self.take(made);
                    }
                }
                Err(refusal) => run.tell(refusal),
            }
        });
    }

    /// Shows a run that was made, when somebody still looks.
    fn take(self, made: &str) {
        if !self.chosen.is_disposed() {
            self.choose(made.to_owned());
        }
    }

    /// Shows another run, and forgets what was about to be changed in the one before.
    pub(super) fn choose(self, id: String) {
        self.edits.set(Map::new());
        self.editing.set(None);
        self.from.set(String::new());
        self.typed.set(None);
        self.chosen.set(id);
    }
}

/// Whether a run still goes on, or will.
pub(super) fn is_open(view: &RunView) -> bool {
    matches!(view.row.status.as_str(), "running" | "paused" | "waiting")
}

/// The values that a run was given.
pub(super) fn inputs(view: &RunView) -> Map {
    let given = view.bindings.iter().filter(|binding| binding.step.is_empty());
    given.map(|binding| (binding.name.trim_start_matches('$').to_owned(), binding.value.clone())).collect()
}
