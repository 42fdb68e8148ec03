//! The kinds of this room's records and what they hold.

use serde::{Deserialize, Serialize};
use throughline_journal::Millis;
use throughline_protocol::command::Breakpoint;
use throughline_protocol::view::{CacheHit, Evidence, NearMiss, PlanStep};
use throughline_value::{Map, Named, Number, Value};

use super::state::Meaning;

pub(super) const RUN_STARTED: &str = "run.started";
pub(super) const RUN_CONTINUED: &str = "run.continued";
pub(super) const RUN_FINISHED: &str = "run.finished";
pub(super) const RUN_FAILED: &str = "run.failed";
pub(super) const RUN_CANCELLED: &str = "run.cancelled";
pub(super) const RUN_PAUSED: &str = "run.paused";
pub(super) const RUN_BREAKPOINTS: &str = "run.breakpoints_set";
pub(super) const RUN_EDITED: &str = "run.edited";
pub(super) const STEP_STARTED: &str = "step.started";
pub(super) const STEP_RETRIED: &str = "step.retried";
pub(super) const STEP_ANSWERED: &str = "step.answered";
pub(super) const STEP_FINISHED: &str = "step.finished";
pub(super) const STEP_FAILED: &str = "step.failed";
pub(super) const STEP_SKIPPED: &str = "step.skipped";
pub(super) const STEP_BLOCKED: &str = "step.blocked";

/// `run.started`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub(super) struct RunStarted {
    pub(super) run: String,
    /// The plan in its text form.
    pub(super) plan: String,
    pub(super) steps: Vec<PlanStep>,
    pub(super) edges: Named<EdgesOf>,
    pub(super) waves: Vec<Vec<String>>,
    pub(super) inputs: Map,
    #[serde(default)]
    pub(super) paused: bool,
    #[serde(default)]
    pub(super) meaning: Meaning,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) breakpoints: Vec<Breakpoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reruns: Option<Reruns>,
}

/// What a run is another run of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct Reruns {
    pub(crate) run: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) edits: Map,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) fresh: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) effects: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) stubs: Map,
}

/// What a step needs, and whether the run does without its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub(super) struct EdgesOf {
    #[serde(default)]
    pub(super) needs: Vec<String>,
    #[serde(default, rename = "then", skip_serializing_if = "Vec::is_empty")]
    pub(super) then: Vec<String>,
    #[serde(default, rename = "else", skip_serializing_if = "Vec::is_empty")]
    pub(super) otherwise: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rescue: Vec<String>,
    #[serde(default)]
    pub(super) wanted: bool,
}

/// A question to a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct StepAsk {
    pub(crate) id: String,
    pub(crate) question: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) options: Vec<Value>,
    /// `value`: the step's value. `approval`: whether the call may be made. `failure`: the value of a step that
    /// has failed.
    pub(crate) about: String,
}

/// Every `step.…`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct StepRecord {
    pub(crate) run: String,
    pub(crate) step: String,
    /// Its arguments with values put in.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) input: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) output: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) evidence: Vec<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<Number>,
    /// A stable code, when it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// Why it failed, was skipped or is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    pub(crate) attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration: Option<Millis>,
    /// Which branch an `IF` took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<bool>,
    /// Texts without a zone that were read in the domain's zone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) zone_assumed: Vec<String>,
    /// How many finds there were, when it is not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<String>,
    /// Whether the output names a document instead of being a value itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) document: bool,
    /// Which of its sources it is at, from 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) source: u32,
    /// When the next attempt is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Millis>,
    /// It has failed and waits for what its fallback needs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) rescue: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ask: Option<StepAsk>,
    /// What a person answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Value>,
    /// The request, as the key of the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cached: Option<CacheHit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) near: Option<NearMiss>,
    /// The classes of personal data in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) classes: Vec<String>,
    /// The tokens that its call took.
    #[serde(skip_serializing_if = "is_none_spent")]
    pub(crate) tokens: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none_spent(tokens: &u64) -> bool {
    *tokens == 0
}

/// Every other `run.…`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(super) struct RunRecord {
    pub(super) run: String,
    /// The wanted steps that have no value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// The breakpoint that paused it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) breakpoint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) breakpoints: Vec<Breakpoint>,
    /// What was edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) binding: Option<String>,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) value: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) before: Value,
}
