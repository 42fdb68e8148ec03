//! A run that is run again: what does not change is reused, the rest is recomputed, called or stubbed.

use throughline_value::Value;

use super::Plans;
use super::record::{STEP_FINISHED, STEP_STARTED, StepRecord};
use super::request::Request;
use super::state::{Run, RunStep, StepState, StepStatus};
use crate::evidence;

/// What is known of a step without doing it.
pub(super) enum Known {
    /// What the first run gave.
    Reused(Box<StepState>, &'static str),
    /// The branch that the first run took.
    Branch(bool),
    /// Another value.
    Given(Value, &'static str),
}

/// What is known of a step of a rerun: its edit, or the first run's value when nothing it rests on differs.
pub(super) fn known(plans: &Plans, run: &Run, id: &str, step: &RunStep) -> Option<Known> {
    let reruns = run.reruns.as_ref()?;
    if let Some(value) = reruns.edits.get(id) {
        return Some(Known::Given(value.clone(), "edited"));
    }
    let first = plans.runs.get(&reruns.run)?;
    let before = first.steps.get(id)?;
    if reruns.fresh && reruns.from.as_deref().is_none_or(|from| from == id) {
        return None;
    }
    let same = |names: &[String]| names.iter().all(|name| run.value(name) == first.value(name));
    let state = before.now();
    if first.source(before) != run.source(step) || before.now().status != StepStatus::Done || !same(&step.needs) {
        return None;
    }
    if let Some(taken) = state.branch {
        let [then, otherwise] = &step.branches;
        let branch = if taken { then } else { otherwise };
        if branch.iter().any(|name| run.value(name).is_none()) {
            return step.now().branch.is_none().then_some(Known::Branch(taken));
        }
        if !same(branch) {
            return None;
        }
    }
    Some(Known::Reused(Box::new(state.clone()), "reused"))
}

/// What stands in for a call of a rerun: the caller's stub, or what the first run recorded, where calls that
/// change the world are not made again.
pub(super) fn stub(plans: &Plans, run: &Run, id: &str, request: &Request) -> Option<Known> {
    let reruns = run.reruns.as_ref()?;
    if let Some(value) = reruns.stubs.get(id) {
        return Some(Known::Given(value.clone(), "stubbed"));
    }
    let live = match reruns.effects.as_str() {
        "live" => true,
        "stub" => false,
        _ => !request.writes && !request.approval,
    };
    if live {
        return None;
    }
    let before = plans.runs.get(&reruns.run).and_then(|first| first.steps.get(id)).map(RunStep::now);
    match before.filter(|state| state.status == StepStatus::Done) {
        Some(state) => Some(Known::Reused(Box::new(state.clone()), "stubbed")),
        None if request.writes || reruns.effects == "stub" => Some(Known::Given(Value::Null, "stubbed")),
        None => None,
    }
}

/// The mark of a step that is done in a rerun.
pub(super) fn mark(run: &Run, mark: &str) -> Option<String> {
    run.reruns.as_ref().map(|_| mark.to_owned())
}

/// Writes what is known into the step's record; the record's kind.
pub(super) fn fill(record: &mut StepRecord, known: Known) -> &'static str {
    match known {
        Known::Reused(state, mark) => {
            if record.input.is_null() {
                record.input = state.input;
            }
            record.output = state.output;
            record.evidence = state.evidence;
            record.confidence = state.confidence;
            record.unit = state.unit;
            record.document = state.document;
            record.branch = state.branch;
            record.classes = state.classes;
            record.mark = Some(mark.to_owned());
            STEP_FINISHED
        }
        Known::Branch(taken) => {
            record.branch = Some(taken);
            record.duration = None;
            STEP_STARTED
        }
        Known::Given(value, mark) => {
            let method = if mark == "edited" { "person" } else { "stub" };
            record.evidence = vec![evidence::given(&record.step, &value, method)];
            record.output = value;
            record.mark = Some(mark.to_owned());
            STEP_FINISHED
        }
    }
}
