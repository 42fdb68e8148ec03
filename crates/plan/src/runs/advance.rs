//! What comes next in a run.

use throughline_journal::{Cause, Digest, Draft, Seq};
use throughline_protocol::Context;
use throughline_value::{Map, SortedMap, SortedSet, Value, to_value};

use super::environment::RunEnv;
use super::execute::{self, Effect, Finished};
use super::record::{
    RUN_FAILED, RUN_FINISHED, RunRecord, STEP_BLOCKED, STEP_FAILED, STEP_FINISHED, STEP_SKIPPED, STEP_STARTED,
    StepRecord,
};
use super::state::{Run, RunStatus, RunStep, StepStatus};
use super::{Advance, Documents, Plans, ToolCall, ToolError};
use crate::answer::AnswerScope;
use crate::extract::Failure;
use crate::limits::{MAX_CALLS_UNDER_WAY, MAX_INPUT_BYTES, MAX_STEPS_AT_ONCE};
use crate::plan::Action;

impl Plans {
    /// The records of every step that can be run now, and the calls to make once they are committed. Fold the
    /// records and ask again until there are none. A paused run gives only the records that end it; an unknown
    /// one gives nothing.
    #[must_use]
    pub fn advance(&self, ctx: &Context<'_>, run: &str, host: &dyn Documents, env: &dyn AnswerScope) -> Advance {
        match self.runs.get(run) {
            Some(run) if run.status() == RunStatus::Running => advance(run, ctx, host, env, MAX_STEPS_AT_ONCE),
            Some(run) if run.status() == RunStatus::Paused => advance(run, ctx, host, env, 0),
            _ => Advance::default(),
        }
    }

    /// The record of what a call gave. Nothing, when the step does not wait for a call: a second result of one
    /// call changes nothing.
    #[must_use]
    pub fn finish_call(
        &self,
        ctx: &Context<'_>,
        run: &str,
        step: &str,
        result: Result<Value, ToolError>,
    ) -> Vec<Draft> {
        let Some(run) = self.runs.get(run) else { return Vec::new() };
        let Some(state) = run.steps.get(step) else { return Vec::new() };
        if !is_calling(state) {
            return Vec::new();
        }
        let now = state.now();
        let mut record = StepRecord {
            run: run.id.clone(),
            step: step.to_owned(),
            attempts: now.attempts,
            duration: now.started.map(|started| ctx.now.saturating_sub(started).max(0)),
            ..StepRecord::default()
        };
        let kind = match result {
            Ok(value) => match execute::returned(state, value) {
                Ok(finished) => {
                    record.output = finished.output;
                    record.evidence = finished.evidence;
                    STEP_FINISHED
                }
                Err((_, failure)) => {
                    record.code = Some(failure.code.to_owned());
                    record.error = Some(failure.message);
                    STEP_FAILED
                }
            },
            Err(error) => {
                record.code = Some(error.code);
                record.error = Some(error.message);
                STEP_FAILED
            }
        };
        let started = state.states.iter().next_back().map_or(run.seq, |(seq, _)| *seq);
        vec![draft(ctx, kind, &record, started)]
    }

    /// The calls that were started and have no result in the journal. After a reload they are made again, with
    /// the same idempotency keys; while they are under way there is nothing to do.
    #[must_use]
    pub fn pending_calls(&self) -> Vec<ToolCall> {
        let open = self.runs.values().filter(|run| !run.status().is_over());
        open.flat_map(|run| {
            run.steps.iter().filter(|(_, step)| is_calling(step)).filter_map(|(id, step)| again(run, id, step))
        })
        .collect()
    }
}

/// Whether a step waits for the result of a call. An `IF` that has taken a branch waits for steps instead.
fn is_calling(step: &RunStep) -> bool {
    step.now().status == StepStatus::Running && !matches!(step.action.as_deref(), Some(Action::If { .. }))
}

/// The call of a step that was started, from its record.
fn again(run: &Run, id: &str, step: &RunStep) -> Option<ToolCall> {
    let input = &step.now().input;
    let tool = input.get("tool")?.as_str()?.to_owned();
    let args = input.get("arguments")?.as_map()?.clone();
    Some(tool_call(run, id, tool, args, step.now().attempts.max(1)))
}

fn tool_call(run: &Run, step: &str, tool: String, args: Map, attempt: u32) -> ToolCall {
    let rule = run.meaning.tools.get(&tool).copied().unwrap_or_default();
    let mut digest = Digest::new("call");
    digest.text(&run.id);
    digest.text(step);
    let hash = digest.finish();
    ToolCall {
        key: format!("{}/{step}", run.id),
        run: run.id.clone(),
        step: step.to_owned(),
        tool,
        args,
        idempotency_key: hash.get(..32).unwrap_or(&hash).to_owned(),
        writes: rule.writes,
        approval: rule.approval,
        attempt,
    }
}

/// A draft of a record that a step led to. What cannot be written down does not exist in a record's data.
fn draft(ctx: &Context<'_>, kind: &str, record: &impl serde::Serialize, cause: Seq) -> Draft {
    let mut draft = ctx.draft(kind, to_value(record).unwrap_or_default());
    draft.cause = Cause::Record(cause);
    draft
}

/// As [`Plans::advance`], with at most `steps` steps.
pub(super) fn advance(
    run: &Run,
    ctx: &Context<'_>,
    host: &dyn Documents,
    env: &dyn AnswerScope,
    steps: usize,
) -> Advance {
    let mut out = Advance::default();
    let mut statuses = statuses(run);
    let settled = settle(run, &reachable(run, true), &mut statuses);
    out.drafts.extend(settled.iter().map(|(kind, record, cause)| draft(ctx, kind, record, *cause)));
    if statuses.values().all(|s| s.is_settled()) {
        out.drafts.push(end(run, ctx, &statuses));
        return out;
    }
    let demanded = reachable(run, false);
    let env = RunEnv::new(run, env);
    let mut under_way = run.steps.values().filter(|s| is_calling(s)).count();
    let ready = run.steps.iter().filter(|(id, step)| demanded.contains(id.as_str()) && is_ready(run, step, &statuses));
    let mut done = 0;
    for (id, step) in ready {
        if done == steps {
            break;
        }
        let calls = matches!(step.action.as_deref(), Some(Action::Call { .. }))
            || matches!(step.action.as_deref(), Some(Action::Get { source, .. }) if run.meaning.sources.contains_key(&source.value));
        if calls && under_way >= MAX_CALLS_UNDER_WAY {
            continue;
        }
        done += 1;
        under_way += usize::from(calls);
        one(run, id, step, ctx, host, &env, &mut out);
    }
    out
}

fn one(
    run: &Run,
    id: &str,
    step: &RunStep,
    ctx: &Context<'_>,
    host: &dyn Documents,
    env: &RunEnv<'_>,
    out: &mut Advance,
) {
    let effect = execute::execute(run, step, host, env);
    let mut record = StepRecord {
        run: run.id.clone(),
        step: id.to_owned(),
        attempts: 1,
        duration: Some(0),
        zone_assumed: env.take_zone_assumed(),
        ..StepRecord::default()
    };
    let kind = match effect {
        Ok(Effect::Finished(Finished { input, output, evidence, confidence, finds, branch })) => {
            (record.input, record.output, record.evidence) = (input, output, evidence);
            (record.confidence, record.finds, record.branch) = (confidence, finds, branch);
            STEP_FINISHED
        }
        Ok(Effect::Branched { taken, input }) => {
            (record.input, record.branch, record.duration) = (input, Some(taken), None);
            STEP_STARTED
        }
        Ok(Effect::Call { tool, args }) => {
            record.input = Value::from([("tool", Value::from(tool.as_str())), ("arguments", Value::Map(args.clone()))]);
            record.duration = None;
            out.calls.push(tool_call(run, id, tool, args, 1));
            STEP_STARTED
        }
        Err((input, Failure { code, message })) => {
            (record.input, record.code, record.error) = (input, Some(code.to_owned()), Some(message));
            STEP_FAILED
        }
    };
    let bytes = record.input.to_json().len();
    // A call is made again from its record, and its arguments were measured before.
    let calls = kind == STEP_STARTED && record.branch.is_none();
    if bytes > MAX_INPUT_BYTES && !calls {
        record.input = Value::from([("omitted_bytes", bytes)]);
    }
    out.drafts.push(draft(ctx, kind, &record, execute::cause(run, step)));
}

/// The steps that something asks for: those that no step uses, those the run is for, and what they need. Of an
/// `IF` that has not decided, both branches when `maybe`, else none.
fn reachable(run: &Run, maybe: bool) -> SortedSet<&str> {
    let mut used: SortedSet<&str> = SortedSet::new();
    for step in run.steps.values() {
        used.extend(step.needs.iter().chain(step.branches.iter().flatten()).map(String::as_str));
    }
    let mut open: Vec<&str> =
        run.steps.iter().filter(|(id, s)| s.wanted || !used.contains(id.as_str())).map(|(id, _)| id.as_str()).collect();
    let mut out: SortedSet<&str> = SortedSet::new();
    while let Some(id) = open.pop() {
        if !out.insert(id) {
            continue;
        }
        let Some(step) = run.steps.get(id) else { continue };
        open.extend(step.needs.iter().map(String::as_str));
        let [then, otherwise] = &step.branches;
        let state = step.now();
        match state.branch {
            Some(true) => open.extend(then.iter().map(String::as_str)),
            Some(false) => open.extend(otherwise.iter().map(String::as_str)),
            None if maybe && !state.status.is_settled() => {
                open.extend(then.iter().chain(otherwise).map(String::as_str));
            }
            None => {}
        }
    }
    out
}

/// The steps whose values a step waits for, as far as that is decided.
fn waits_for(step: &RunStep) -> impl Iterator<Item = &str> {
    let [then, otherwise] = &step.branches;
    let branch: &[String] = match step.now().branch {
        Some(true) => then,
        Some(false) => otherwise,
        None => &[],
    };
    step.needs.iter().chain(branch).map(String::as_str)
}

fn is_ready(run: &Run, step: &RunStep, statuses: &SortedMap<&str, StepStatus>) -> bool {
    let waits = match step.now().status {
        StepStatus::Waiting => true,
        StepStatus::Running => !is_calling(step),
        _ => false,
    };
    waits && waits_for(step).all(|name| !run.steps.contains_key(name) || statuses.get(name) == Some(&StepStatus::Done))
}

/// Settles the steps that will never run: blocked where a needed value failed, skipped where nothing asks for
/// them any more.
fn settle<'a>(
    run: &'a Run,
    possible: &SortedSet<&str>,
    statuses: &mut SortedMap<&'a str, StepStatus>,
) -> Vec<(&'static str, StepRecord, Seq)> {
    let mut out = Vec::new();
    // Why each blocked step is: the step that failed, and its record.
    let mut culprits: SortedMap<&str, (&str, Seq)> = SortedMap::new();
    loop {
        let mut changed = false;
        for (id, step) in &run.steps {
            let id = id.as_str();
            let open = matches!(statuses.get(id), Some(StepStatus::Waiting))
                || (matches!(statuses.get(id), Some(StepStatus::Running)) && !is_calling(step));
            if !open {
                continue;
            }
            let mut record = StepRecord { run: run.id.clone(), step: id.to_owned(), ..StepRecord::default() };
            if !possible.contains(id) {
                record.error = Some("only a branch that was not taken asks for it".to_owned());
                out.push((STEP_SKIPPED, record, execute::cause(run, step)));
                statuses.insert(id, StepStatus::Skipped);
                changed = true;
                continue;
            }
            let lost = waits_for(step).find(|name| {
                matches!(statuses.get(name), Some(StepStatus::Failed | StepStatus::Blocked | StepStatus::Skipped))
            });
            let Some(lost) = lost else { continue };
            let own = || {
                (lost, run.steps.get(lost).and_then(|s| s.states.iter().next_back()).map_or(run.seq, |(seq, _)| *seq))
            };
            let (culprit, seq) = culprits.get(lost).copied().unwrap_or_else(own);
            culprits.insert(id, (culprit, seq));
            record.error = Some(if culprit == lost {
                format!("${lost}, which it needs, has no value")
            } else {
                format!("${lost}, which it needs, has no value since ${culprit} has none")
            });
            out.push((STEP_BLOCKED, record, seq));
            statuses.insert(id, StepStatus::Blocked);
            changed = true;
        }
        if !changed {
            return out;
        }
    }
}

/// How every step stands.
fn statuses(run: &Run) -> SortedMap<&str, StepStatus> {
    run.steps.iter().map(|(id, step)| (id.as_str(), step.now().status)).collect()
}

/// Whether something is to be recorded without running any step: a step that never will, or the run's end.
pub(super) fn is_settling(run: &Run) -> bool {
    let mut statuses = statuses(run);
    let settled = settle(run, &reachable(run, true), &mut statuses);
    !settled.is_empty() || statuses.values().all(|s| s.is_settled())
}

/// The record that ends a run in which nothing is left to do.
fn end(run: &Run, ctx: &Context<'_>, statuses: &SortedMap<&str, StepStatus>) -> Draft {
    let lost = |id: &str| matches!(statuses.get(id), Some(StepStatus::Failed | StepStatus::Blocked));
    let failed: Vec<String> =
        run.steps.iter().filter(|(id, s)| s.wanted && lost(id)).map(|(id, _)| id.clone()).collect();
    let last = run.steps.values().filter_map(|s| s.states.iter().next_back()).max_by_key(|(seq, _)| *seq);
    let cause = last.map_or(run.seq, |(seq, _)| *seq);
    let mut record = RunRecord { run: run.id.clone(), ..RunRecord::default() };
    if failed.is_empty() {
        return draft(ctx, RUN_FINISHED, &record, cause);
    }
    let root = run.steps.iter().find_map(|(id, s)| {
        let state = s.now();
        (state.status == StepStatus::Failed).then(|| format!("${id}: {}", state.error.as_deref().unwrap_or("failed")))
    });
    record.failed = failed;
    record.error = root;
    draft(ctx, RUN_FAILED, &record, cause)
}
