//! What is known of one run, each part with its versions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Origin, Seq, Versions};
use throughline_protocol::command::Breakpoint;
use throughline_protocol::view::{CacheHit, Evidence, NearMiss};
use throughline_value::{Map, Named, Number, SortedSet, Span, Value};

use super::Bound;
use super::record::{Reruns, StepAsk};
use super::schedule::Schedule;
use crate::evidence;
use crate::plan::{Action, Options};

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
    /// What holds for the whole plan.
    pub(crate) options: Options,
    pub(crate) inputs: Map,
    pub(crate) steps: Named<RunStep>,
    pub(crate) waves: Vec<Vec<String>>,
    /// What sources, patterns, tools and outer names stood for when the run was started.
    pub(crate) meaning: Meaning,
    pub(crate) statuses: Versions<RunStatus>,
    pub(crate) schedule: Schedule,
    pub(crate) reruns: Option<Reruns>,
    pub(crate) breakpoints: Versions<Vec<Breakpoint>>,
    /// The breakpoints that paused it already.
    pub(crate) passed: SortedSet<String>,
    /// A breakpoint that a binding has met.
    pub(crate) met: Option<String>,
    /// Whether a breakpoint holds it: it does not end before it is continued or stepped.
    pub(crate) held: bool,
    pub(crate) paused_at: Versions<Option<String>>,
    /// Inputs that were edited.
    pub(crate) edits: Named<Versions<Bound>>,
    /// What it asked people, and what they answered.
    pub(crate) asks: Vec<Asked>,
    /// Why it failed.
    pub(crate) error: Versions<String>,
    /// The tokens that its calls took.
    pub(crate) tokens: Versions<u64>,
    /// How many steps it has done.
    pub(crate) done: u32,
    /// How long it ran before it was last continued, and since when it runs.
    pub(crate) ran: Millis,
    pub(crate) since: Option<Millis>,
    /// A step whose failure ends the run.
    pub(crate) stopped_by: Option<usize>,
    /// The last record of it.
    pub(crate) last: Seq,
}

/// A question to a person, and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) seq: Seq,
    pub(crate) step: usize,
    pub(crate) ask: StepAsk,
    pub(crate) settled: Option<Seq>,
}

/// What the names of a plan stood for when its run was started: a domain that is loaded later changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
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
    /// Source to address.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub(crate) endpoints: Named<EndpointMeaning>,
    /// Source to `world`, `facts` or `memory`.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub(crate) rooms: Named<String>,
    /// What else is known of sources.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub(crate) rules: Named<RuleMeaning>,
    /// Pattern to class of personal data.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub(crate) classes: Named<String>,
}

/// What a run knows of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct ToolMeaning {
    pub(crate) writes: bool,
    pub(crate) approval: bool,
}

/// What a run knows of an address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct EndpointMeaning {
    pub(crate) search: bool,
    pub(crate) url: String,
    pub(crate) method: String,
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub(crate) headers: Named<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<String>,
}

/// What a run knows of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct RuleMeaning {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_field: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) official: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trust: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_age: Option<Millis>,
}

/// One step of a run: what the plan says of it, and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct RunStep {
    pub(crate) op: String,
    /// What it does; `None` when its text cannot be read, and then it fails.
    pub(crate) action: Option<Arc<Action>>,
    pub(crate) options: Arc<Options>,
    pub(crate) note: String,
    pub(crate) span: Span,
    pub(crate) needs: Vec<String>,
    pub(crate) branches: [Vec<String>; 2],
    pub(crate) rescue: Vec<String>,
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
    pub(crate) code: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) attempts: u32,
    /// The attempts at the source it is at.
    pub(crate) tries: u32,
    pub(crate) duration: Option<Millis>,
    /// When it was started, and when its last attempt was.
    pub(crate) started: Option<Millis>,
    pub(crate) tried: Option<Millis>,
    /// Which branch an `IF` took.
    pub(crate) branch: Option<bool>,
    pub(crate) unit: Option<String>,
    pub(crate) document: bool,
    pub(crate) source: u32,
    pub(crate) until: Option<Millis>,
    pub(crate) rescuing: bool,
    /// The question it waits for.
    pub(crate) asks: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) cached: Option<CacheHit>,
    pub(crate) mark: Option<String>,
    pub(crate) near: Option<NearMiss>,
    pub(crate) classes: Vec<String>,
    /// The step that it is blocked by in the end.
    pub(crate) culprit: Option<usize>,
}

impl StepState {
    pub(crate) const WAITING: Self = Self {
        status: StepStatus::Waiting,
        input: Value::Null,
        output: Value::Null,
        evidence: Vec::new(),
        confidence: None,
        code: None,
        error: None,
        attempts: 0,
        tries: 0,
        duration: None,
        started: None,
        tried: None,
        branch: None,
        unit: None,
        document: false,
        source: 0,
        until: None,
        rescuing: false,
        asks: None,
        key: None,
        cached: None,
        mark: None,
        near: None,
        classes: Vec::new(),
        culprit: None,
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

    /// The record of its last change.
    pub(crate) fn last(&self) -> Option<Seq> {
        self.states.iter().next_back().map(|(seq, _)| *seq)
    }
}

impl Run {
    pub(crate) fn status(&self) -> RunStatus {
        self.status_at(Seq::MAX)
    }

    pub(crate) fn status_at(&self, seq: Seq) -> RunStatus {
        self.statuses.at(seq).copied().unwrap_or(RunStatus::Running)
    }

    pub(crate) fn step(&self, at: usize) -> Option<(&String, &RunStep)> {
        self.steps.get_index(at)
    }

    /// The value of one name after record `seq`.
    pub(crate) fn value_at(&self, name: &str, seq: Seq) -> Option<Bound> {
        if let Some(step) = self.steps.get(name) {
            let state = step.at(seq);
            return (state.status == StepStatus::Done).then(|| Bound {
                value: state.output.clone(),
                evidence: state.evidence.clone(),
                confidence: state.confidence.clone(),
                classes: state.classes.clone(),
                step: name.to_owned(),
            });
        }
        if let Some(edited) = self.edits.get(name).and_then(|edits| edits.at(seq)) {
            return Some(edited.clone());
        }
        let value = self.inputs.get(name)?.clone();
        let evidence = vec![evidence::given(name, &value, "input")];
        Some(Bound { value, evidence, ..Bound::default() })
    }

    /// The value of one name as it stands, without what it rests on.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        match self.steps.get(name) {
            Some(step) => {
                let state = step.now();
                (state.status == StepStatus::Done).then_some(&state.output)
            }
            None => match self.edits.get(name).and_then(Versions::last) {
                Some(edited) => Some(&edited.value),
                None => self.inputs.get(name),
            },
        }
    }

    pub(crate) fn values_at(&self, seq: Seq) -> Named<Bound> {
        let names = self.inputs.keys().chain(self.steps.keys());
        names.filter_map(|name| Some((name.clone(), self.value_at(name, seq)?))).collect()
    }

    /// The text of a step, as it is written.
    pub(crate) fn source(&self, step: &RunStep) -> &str {
        self.text.get(step.span.start..step.span.end).unwrap_or("")
    }
}
