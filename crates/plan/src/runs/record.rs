//! The kinds of this room's records and what they hold.

use serde::{Deserialize, Serialize};
use throughline_journal::Millis;
use throughline_protocol::view::{Evidence, PlanStep};
use throughline_value::{Map, Named, Number, Value};

use super::state::Meaning;

pub(super) const RUN_STARTED: &str = "run.started";
pub(super) const RUN_CONTINUED: &str = "run.continued";
pub(super) const RUN_FINISHED: &str = "run.finished";
pub(super) const RUN_FAILED: &str = "run.failed";
pub(super) const RUN_CANCELLED: &str = "run.cancelled";
pub(super) const RUN_PAUSED: &str = "run.paused";
pub(super) const STEP_STARTED: &str = "step.started";
pub(super) const STEP_FINISHED: &str = "step.finished";
pub(super) const STEP_FAILED: &str = "step.failed";
pub(super) const STEP_SKIPPED: &str = "step.skipped";
pub(super) const STEP_BLOCKED: &str = "step.blocked";

/// `run.started`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
}

/// What a step needs, and whether the run does without its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EdgesOf {
    #[serde(default)]
    pub(super) needs: Vec<String>,
    #[serde(default, rename = "then", skip_serializing_if = "Vec::is_empty")]
    pub(super) then: Vec<String>,
    #[serde(default, rename = "else", skip_serializing_if = "Vec::is_empty")]
    pub(super) otherwise: Vec<String>,
    #[serde(default)]
    pub(super) wanted: bool,
}

/// Every `step.…`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StepRecord {
    pub(super) run: String,
    pub(super) step: String,
    /// Its arguments with values put in.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(super) input: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(super) output: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<Evidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<Number>,
    /// A stable code, when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    /// Why it failed, was skipped or is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    #[serde(default)]
    pub(super) attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) duration: Option<Millis>,
    /// Which branch an `IF` took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<bool>,
    /// Texts without a zone that were read in the domain's zone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) zone_assumed: Vec<String>,
    /// How many finds there were, when it is not one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) finds: Option<u64>,
}

/// Every other `run.…`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    pub(super) run: String,
    /// The wanted steps that have no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) failed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}
