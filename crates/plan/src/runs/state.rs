//! What is known of one run, each part with its versions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Origin, Seq, Versions};
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Named, Number, Span, Value};

use super::Bound;
use crate::evidence;
use crate::plan::Action;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($variant,)* }

        impl $name {
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// How a run stands.
    RunStatus { Running = "running", Paused = "paused", Done = "done", Failed = "failed", Cancelled = "cancelled", }
}

words! {
    /// How a step stands.
    StepStatus {
        Waiting = "waiting",
        Running = "running",
        Done = "done",
        Failed = "failed",
        Skipped = "skipped",
        Blocked = "blocked",
    }
}

impl RunStatus {
    pub(crate) const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

impl StepStatus {
    pub(crate) const fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Skipped | Self::Blocked)
    }
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) seq: Seq,
    pub(crate) thread: String,
    pub(crate) turn: u32,
    pub(crate) origin: Option<Origin>,
    /// The plan's text; the steps' spans point into it.
    pub(crate) text: String,
    pub(crate) inputs: Map,
    pub(crate) steps: Named<RunStep>,
    pub(crate) waves: Vec<Vec<String>>,
    /// What sources, patterns, tools and outer names stood for when the run was started.
    pub(crate) meaning: Meaning,
    pub(crate) statuses: Versions<RunStatus>,
}

/// What the names of a plan stood for when its run was started: a domain that is loaded later changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Meaning {
    /// Source to document.
    pub(crate) documents: Named<String>,
    /// Source to tool.
    pub(crate) sources: Named<String>,
    /// Pattern to regular expression.
    pub(crate) patterns: Named<String>,
    /// The tools that are called.
    pub(crate) tools: Named<ToolMeaning>,
    /// The names that expressions take from the environment.
    pub(crate) names: Vec<String>,
}

/// What a run knows of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ToolMeaning {
    pub(crate) writes: bool,
    pub(crate) approval: bool,
}

/// One step of a run: what the plan says of it, and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct RunStep {
    pub(crate) op: String,
    /// What it does; `None` when its text cannot be read, and then it fails.
    pub(crate) action: Option<Arc<Action>>,
    pub(crate) note: String,
    pub(crate) span: Span,
    pub(crate) needs: Vec<String>,
    pub(crate) branches: [Vec<String>; 2],
    /// Whether the run fails when this step has no value.
    pub(crate) wanted: bool,
    pub(crate) states: Versions<StepState>,
}

/// How a step stands after one record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepState {
    pub(crate) status: StepStatus,
    pub(crate) input: Value,
    pub(crate) output: Value,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) confidence: Option<Number>,
    pub(crate) error: Option<String>,
    pub(crate) attempts: u32,
    pub(crate) duration: Option<Millis>,
    /// When it was started, for calls.
    pub(crate) started: Option<Millis>,
    /// Which branch an `IF` took.
    pub(crate) branch: Option<bool>,
}

impl StepState {
    pub(crate) const WAITING: Self = Self {
        status: StepStatus::Waiting,
        input: Value::Null,
        output: Value::Null,
        evidence: Vec::new(),
        confidence: None,
        error: None,
        attempts: 0,
        duration: None,
        started: None,
        branch: None,
    };
}

impl RunStep {
    pub(crate) fn at(&self, seq: Seq) -> &StepState {
        const WAITING: &StepState = &StepState::WAITING;
        self.states.at(seq).unwrap_or(WAITING)
    }

    pub(crate) fn now(&self) -> &StepState {
        self.at(Seq::MAX)
    }
}

impl Run {
    pub(crate) fn status(&self) -> RunStatus {
        self.status_at(Seq::MAX)
    }

    pub(crate) fn status_at(&self, seq: Seq) -> RunStatus {
        self.statuses.at(seq).copied().unwrap_or(RunStatus::Running)
    }

    /// The value of one name after record `seq`.
    pub(crate) fn value_at(&self, name: &str, seq: Seq) -> Option<Bound> {
        if let Some(step) = self.steps.get(name) {
            let state = step.at(seq);
            return (state.status == StepStatus::Done).then(|| Bound {
                value: state.output.clone(),
                evidence: state.evidence.clone(),
                confidence: state.confidence.clone(),
                step: name.to_owned(),
            });
        }
        let value = self.inputs.get(name)?.clone();
        let evidence = vec![evidence::given(name, &value, "input")];
        Some(Bound { value, evidence, ..Bound::default() })
    }

    pub(crate) fn values_at(&self, seq: Seq) -> Named<Bound> {
        let names = self.inputs.keys().chain(self.steps.keys());
        names.filter_map(|name| Some((name.clone(), self.value_at(name, seq)?))).collect()
    }
}
