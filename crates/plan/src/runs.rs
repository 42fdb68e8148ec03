//! All runs: a projection of the journal, and the state machine that says what comes next.
//!
//! Nothing here waits. [`Plans::advance`] gives the records of the steps that can be run now and the calls
//! that the host must make once those records are committed; [`Plans::finish_call`] gives the record of a
//! call's result. The caller folds the records with [`Plans::evolve`] and asks again until nothing comes.
//! After a reload the folded records are all there is: `advance` goes on where the journal ends, and
//! [`Plans::pending_calls`] names the calls whose result was never recorded.

mod advance;
mod calls;
mod command;
mod digest;
mod environment;
mod evolve;
mod execute;
mod record;
mod request;
mod rerun;
mod schedule;
mod state;
mod view;

use throughline_journal::{Draft, Millis, Seq};
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Named, Number, SortedMap, Value};

use crate::window::Window;
use state::Run;

pub use request::HTTP_TOOL;

/// All runs.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    /// By id, in the order of their start.
    runs: Named<Run>,
    /// Those that are not over, oldest first.
    open: Vec<String>,
    /// The newest answer to each request.
    cache: SortedMap<String, Cached>,
    /// How many records of this room could not be read.
    quarantined: u64,
}

/// Where the answer to a request lies.
#[derive(Clone, Debug)]
struct Cached {
    run: String,
    step: String,
    seq: Seq,
    at: Millis,
}

/// A document as it is handed to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRef<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version, from 1.
    pub version: u64,
    /// Its kind.
    pub media_type: &'a str,
    /// Its text.
    pub text: &'a str,
    /// SHA-256 of its text.
    pub hash: &'a str,
}

/// Where a run gets documents from.
pub trait Documents {
    /// A document; its newest version, or the one asked for.
    fn document(&self, name: &str, version: Option<u64>) -> Option<DocumentRef<'_>>;

    /// The items of `world`, `facts` or `memory`.
    ///
    /// # Errors
    /// A sentence that says what is wrong with what was asked.
    fn items(&self, room: &str, _asking: &Asking<'_>) -> Result<Vec<Item>, String> {
        Err(format!("there is no {room} here"))
    }

    /// From when what a piece of evidence says is true: of a document, when its version begins to hold.
    fn time_of(&self, _evidence: &Evidence) -> Option<Millis> {
        None
    }

    /// An estimate of a text's tokens.
    fn tokens(&self, text: &str) -> u64 {
        u64::try_from(text.len()).unwrap_or(u64::MAX).div_ceil(4)
    }
}

/// What a lookup asks of a room.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The words that are looked for.
    pub words: Option<&'a str>,
    /// Further arguments, by name.
    pub arguments: &'a Map,
    /// The time that the plan is about.
    pub window: Option<Window>,
    /// At most this many; the plan takes no more.
    pub limit: Option<u32>,
}

/// One item of a lookup, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// The item.
    pub value: Value,
    /// What it rests on.
    pub evidence: Evidence,
    /// The classes of personal data in it.
    pub classes: Vec<String>,
}

/// What can be done next in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advance {
    /// The records to append; nothing when the run waits for calls, is paused or is over.
    pub drafts: Vec<Draft>,
    /// The calls to make once the records are committed.
    pub calls: Vec<ToolCall>,
}

/// A call of a tool that a step needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The call's key: the run and the step, `run_…/step`.
    pub key: String,
    /// The run.
    pub run: String,
    /// The step.
    pub step: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as values.
    pub args: Map,
    /// The document that the answer becomes.
    pub document: Option<String>,
    /// The same for every attempt of the same call: a tool that changes the world does it once for a key.
    pub idempotency_key: String,
    /// Whether it changes the world.
    pub writes: bool,
    /// Whether a person must approve it first and has not.
    pub approval: bool,
    /// Whether a person approved it.
    pub approved: bool,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

/// Why a tool gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// A stable code.
    pub code: String,
    /// What was wrong.
    pub message: String,
}

/// A value of a run with what it rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// The value. For a document: its name, version, kind, length and hash, not its text.
    pub value: Value,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// How sure.
    pub confidence: Option<Number>,
    /// The step it comes from; empty for an input.
    pub step: String,
    /// The classes of personal data in it.
    pub classes: Vec<String>,
}

impl Plans {
    /// Whether there is a run of this id.
    #[must_use]
    pub fn contains(&self, run: &str) -> bool {
        self.runs.contains_key(run)
    }

    /// The newest run; `None` when there is none.
    #[must_use]
    pub fn newest(&self) -> Option<&str> {
        self.runs.keys().next_back().map(String::as_str)
    }

    /// `running`, `paused`, `done`, `failed` or `cancelled`.
    #[must_use]
    pub fn status(&self, run: &str) -> Option<&'static str> {
        self.runs.get(run).map(|run| run.status().as_str())
    }

    /// The runs that [`Plans::advance`] has something for, oldest first, also after a reload: those that are
    /// running, and those that are paused with nothing left to do but to end.
    #[must_use]
    pub fn running(&self) -> Vec<String> {
        self.open.iter().filter(|run| self.runs.get(run.as_str()).is_some_and(Run::goes_on)).cloned().collect()
    }

    /// The record that started the run.
    #[must_use]
    pub fn started_at(&self, run: &str) -> Option<Seq> {
        self.runs.get(run).map(|run| run.seq)
    }

    /// The values of a run as they stand now, inputs first, then in the order of the steps.
    #[must_use]
    pub fn values(&self, run: &str) -> Named<Bound> {
        self.runs.get(run).map(|run| run.values_at(Seq::MAX)).unwrap_or_default()
    }

    /// The values of a run after record `seq`.
    #[must_use]
    pub fn values_at(&self, run: &str, seq: Seq) -> Named<Bound> {
        self.runs.get(run).map(|run| run.values_at(seq)).unwrap_or_default()
    }

    /// What an answer may say of a run itself: `temporal_scope` and `tense`, `arbitration` (how each disagreement was
    /// settled) and `branch` (which way each `IF` went), by step.
    #[must_use]
    pub fn about(&self, run: &str, env: &dyn crate::answer::AnswerScope) -> Map {
        let Some(run) = self.runs.get(run) else { return Map::new() };
        let scope = environment::RunEnv::new(run, env).temporal_scope();
        let mut about = Map::new();
        about.insert("tense".to_owned(), scope.get("tense").cloned().unwrap_or_default());
        about.insert("temporal_scope".to_owned(), scope);
        let (mut arbitration, mut branch) = (Map::new(), Map::new());
        for (id, step) in &run.steps {
            let state = step.now();
            if step.op == "ARBITRATE" {
                arbitration.insert(id.clone(), state.input.clone());
            }
            if let Some(taken) = state.branch {
                branch.insert(id.clone(), taken.into());
            }
        }
        about.insert("arbitration".to_owned(), Value::Map(arbitration));
        about.insert("branch".to_owned(), Value::Map(branch));
        about
    }

    /// Whether a step of any run gave a result with this hash: evidence of what is no document rests on it.
    #[must_use]
    pub fn gave(&self, hash: &str) -> bool {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_json(), str::to_owned);
        let same = |value: &Value| throughline_journal::Digest::of_bytes(text(value).as_bytes()) == hash;
        self.runs.values().any(|run| {
            let inputs =
                run.inputs.values().chain(run.edits.values().filter_map(|e| e.last()).map(|bound| &bound.value));
            let steps = run.steps.values().map(|step| &step.now().output);
            inputs.chain(steps).any(same)
                || run.steps.values().filter_map(|step| step.now().output.as_list()).flatten().any(same)
        })
    }

    /// How many records of this room could not be read.
    #[must_use]
    pub fn quarantined(&self) -> u64 {
        self.quarantined
    }
}
