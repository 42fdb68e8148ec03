//! What comes next in a run.

use throughline_journal::{Cause, Draft, Millis, Seq};
use throughline_protocol::Context;
use throughline_protocol::view::{CacheHit, NearMiss};
use throughline_value::{Value, to_value};

use super::calls::{self, tool_call};
use super::environment::RunEnv;
use super::execute::{self, Effect, Finished, Place};
use super::record::{
    RUN_FAILED, RUN_FINISHED, RUN_PAUSED, RunRecord, STEP_BLOCKED, STEP_FAILED, STEP_FINISHED, STEP_RETRIED,
    STEP_SKIPPED, STEP_STARTED, StepAsk, StepRecord,
};
use super::request::Request;
use super::schedule::Never;
use super::state::{Run, RunStatus, RunStep, StepStatus};
use super::{Advance, Documents, Plans, rerun};
use crate::answer::AnswerScope;
use crate::extract::Failure;
use crate::limits::{DEFAULT_BACKOFF, MAX_BACKOFF, MAX_CALLS_UNDER_WAY, MAX_INPUT_BYTES, MAX_STEPS_AT_ONCE};
use crate::plan::OnFailure;

impl Plans {
    /// The records of every step that can be run now, and the calls to make once they are committed. Fold the
    /// records and ask again until there are none. A paused run gives only the records that end it; an unknown
    /// one gives nothing.
    #[must_use]
    pub fn advance(&self, ctx: &Context<'_>, run: &str, host: &dyn Documents, env: &dyn AnswerScope) -> Advance {
        match self.runs.get(run) {
            Some(run) if run.status() == RunStatus::Running => self.advance_run(run, ctx, host, env, MAX_STEPS_AT_ONCE),
            Some(run) if run.status() == RunStatus::Paused => self.advance_run(run, ctx, host, env, 0),
            _ => Advance::default(),
        }
    }

    /// As [`Plans::advance`], with at most `steps` steps.
    pub(super) fn advance_run(
        &self,
        run: &Run,
        ctx: &Context<'_>,
        host: &dyn Documents,
        env: &dyn AnswerScope,
        steps: usize,
    ) -> Advance {
        let mut out = Advance::default();
        let goes_on = run.status() == RunStatus::Running;
        if let Some(at) = run.stopped_by {
            let (id, step) = run.step(at).map_or(("", None), |(id, step)| (id.as_str(), Some(step)));
            let why = step.and_then(|step| step.now().error.clone()).unwrap_or_default();
            let record = RunRecord {
                code: step.and_then(|step| step.now().code.clone()),
                error: Some(format!("${id}: {why}")),
                ..record(run)
            };
            out.drafts.push(draft(ctx, RUN_FAILED, &record, run.last));
            return out;
        }
        if goes_on && let Some(failure) = over_budget(run, ctx.now) {
            let record = RunRecord { code: Some(failure.code.to_owned()), error: Some(failure.message), ..record(run) };
            out.drafts.push(draft(ctx, RUN_FAILED, &record, run.last));
            return out;
        }
        let env = RunEnv::new(run, env);
        let maker = Maker { plans: self, run, ctx, host, env: &env };
        maker.time_out(&mut out);
        let never = run.schedule.never();
        out.drafts.extend(never.iter().filter_map(|(at, why)| never_draft(run, ctx, *at, *why, &never)));
        let over = run.schedule.open() == never.len() && out.drafts.len() == never.len();
        let holds = if over && goes_on { pause(run, &env, &never) } else { None };
        if let Some(breakpoint) = holds {
            let record = RunRecord { breakpoint: Some(breakpoint), ..record(run) };
            out.drafts.push(draft(ctx, RUN_PAUSED, &record, run.last));
            return out;
        }
        if over && run.held && steps == 0 {
            return out;
        }
        if over {
            out.drafts.push(end(run, ctx, &never));
            return out;
        }
        if steps == 0 {
            return out;
        }
        if goes_on && let Some(breakpoint) = pause(run, &env, &never) {
            let record = RunRecord { breakpoint: Some(breakpoint), ..record(run) };
            out.drafts.push(draft(ctx, RUN_PAUSED, &record, run.last));
            return out;
        }
        let mut under_way = run.schedule.away().count();
        let mut done = 0;
        for at in run.schedule.ready() {
            if done == steps {
                break;
            }
            if never.iter().any(|(never, _)| *never == at) {
                continue;
            }
            let Some((id, step)) = run.step(at) else { continue };
            if under_way >= MAX_CALLS_UNDER_WAY && calls::may_call(run, step) {
                continue;
            }
            done += 1;
            let before = out.calls.len();
            maker.one(id, step, &mut out);
            under_way += out.calls.len() - before;
        }
        out
    }
}

/// A draft of a record that a step led to. What cannot be written down does not exist in a record's data.
pub(super) fn draft(ctx: &Context<'_>, kind: &str, record: &impl serde::Serialize, cause: Seq) -> Draft {
    let mut draft = ctx.draft(kind, to_value(record).unwrap_or_default());
    draft.cause = Cause::Record(cause);
    draft
}

fn record(run: &Run) -> RunRecord {
    RunRecord { run: run.id.clone(), ..RunRecord::default() }
}

/// What the run has used up.
fn over_budget(run: &Run, now: Millis) -> Option<Failure> {
    let options = &run.options;
    if let Some(most) = options.max_steps.filter(|most| run.done >= *most)
        && run.schedule.ready().next().is_some()
    {
        return Some(Failure::new("budget-steps", format!("the run has done the {most} steps that it may do")));
    }
    if let Some(most) = options.timeout.as_ref().filter(|most| ran(run, now) >= most.ms) {
        return Some(Failure::new("budget-time", format!("the run has taken the {} that it may take", most.text)));
    }
    let tokens = run.tokens.last().copied().unwrap_or(0);
    options.max_tokens.filter(|most| tokens > *most).map(|most| {
        Failure::new("budget-tokens", format!("the calls of the run took {tokens} tokens; it may take {most}"))
    })
}

/// How long the run has run, pauses apart.
fn ran(run: &Run, now: Millis) -> Millis {
    run.ran.saturating_add(run.since.map_or(0, |since| now.saturating_sub(since).max(0)))
}

/// When something of a run falls due by itself: a retry, a timeout, the end of its budget of time.
pub(super) fn due(run: &Run, now: Millis) -> Option<Millis> {
    if run.status() != RunStatus::Running {
        return None;
    }
    let whole =
        run.options.timeout.as_ref().zip(run.since).map(|(most, since)| since.saturating_add(most.ms - run.ran));
    let steps =
        run.schedule.away().filter_map(|at| run.step(at)).flat_map(|(_, step)| [step.now().until, times_out(step)]);
    steps.flatten().chain(whole).filter(|due| *due > now).min()
}

/// When the call of a step has taken too long.
fn times_out(step: &RunStep) -> Option<Millis> {
    let state = step.now();
    if state.asks.is_some() {
        return None;
    }
    let most = step.options.timeout.as_ref()?;
    Some(state.tried?.saturating_add(most.ms))
}

/// The breakpoint that pauses the run before anything else is done.
fn pause(run: &Run, env: &RunEnv<'_>, never: &[(usize, Never)]) -> Option<String> {
    if let Some(met) = &run.met {
        return Some(met.clone());
    }
    for breakpoint in run.breakpoints.last()? {
        let words = match (&breakpoint.step, &breakpoint.when) {
            (Some(step), _) => {
                let at = run.steps.get_index_of(crate::scope::bare(step))?;
                let next =
                    run.schedule.ready().any(|ready| ready == at) && !never.iter().any(|(never, _)| *never == at);
                next.then(|| format!("before ${}", crate::scope::bare(step)))
            }
            (None, Some(when)) => {
                let holds = throughline_expr::Expr::parse(when).and_then(|expr| expr.test(env)).unwrap_or(false);
                holds.then(|| format!("{when} holds"))
            }
            (None, None) => None,
        };
        if let Some(words) = words.filter(|words| !run.passed.contains(words)) {
            return Some(words);
        }
    }
    None
}

fn never_draft(run: &Run, ctx: &Context<'_>, at: usize, why: Never, all: &[(usize, Never)]) -> Option<Draft> {
    let (id, step) = run.step(at)?;
    let mut record = StepRecord { run: run.id.clone(), step: id.clone(), ..StepRecord::default() };
    Some(match why {
        Never::Skipped => {
            record.error = Some("only a branch that was not taken asks for it".to_owned());
            draft(ctx, STEP_SKIPPED, &record, cause(run, step))
        }
        Never::Blocked(lost) => {
            // Back through the steps that are blocked in the same go, then by what is recorded.
            let mut root = lost;
            for _ in 0..all.len() {
                match all.iter().find(|(at, _)| *at == root) {
                    Some((_, Never::Blocked(by))) => root = *by,
                    _ => break,
                }
            }
            let root = run.step(root).and_then(|(_, step)| step.now().culprit).unwrap_or(root);
            let name = |at: usize| run.step(at).map_or("", |(id, _)| id.as_str());
            record.error = Some(if root == lost {
                format!("${}, which it needs, has no value", name(lost))
            } else {
                format!("${}, which it needs, has no value since ${} has none", name(lost), name(root))
            });
            let seq = run.step(root).and_then(|(_, step)| step.last()).unwrap_or(run.seq);
            draft(ctx, STEP_BLOCKED, &record, seq)
        }
    })
}

/// The record that ends a run in which nothing is left to do.
fn end(run: &Run, ctx: &Context<'_>, never: &[(usize, Never)]) -> Draft {
    let lost = |(at, step): &(usize, &RunStep)| {
        let blocked = never.iter().any(|(n, why)| n == at && matches!(why, Never::Blocked(_)));
        step.wanted && (blocked || matches!(step.now().status, StepStatus::Failed | StepStatus::Blocked))
    };
    let places = run.steps.values().enumerate();
    let failed: Vec<String> = places.filter(lost).filter_map(|(at, _)| Some(run.step(at)?.0.clone())).collect();
    let mut record = record(run);
    if failed.is_empty() {
        return draft(ctx, RUN_FINISHED, &record, run.last);
    }
    let root = run.steps.iter().find(|(_, step)| step.now().status == StepStatus::Failed);
    record.code = root.and_then(|(_, step)| step.now().code.clone());
    record.error = root.map(|(id, step)| format!("${id}: {}", step.now().error.as_deref().unwrap_or("failed")));
    record.failed = failed;
    draft(ctx, RUN_FAILED, &record, run.last)
}

/// The last record of what a step needs: the record that led to it.
pub(super) fn cause(run: &Run, step: &RunStep) -> Seq {
    let own = step.last();
    let names = step.needs.iter().chain(step.branches.iter().flatten()).chain(&step.rescue);
    let seqs = names.filter_map(|name| run.steps.get(name)?.last()).chain(own);
    seqs.max().unwrap_or(run.seq).max(run.seq)
}

/// Makes the records of steps.
pub(super) struct Maker<'a> {
    pub(super) plans: &'a Plans,
    pub(super) run: &'a Run,
    pub(super) ctx: &'a Context<'a>,
    pub(super) host: &'a dyn Documents,
    pub(super) env: &'a RunEnv<'a>,
}

impl<'a> Maker<'a> {
    pub(super) fn place(&self, step: &'a RunStep) -> Place<'a> {
        Place { run: self.run, step, host: self.host, env: self.env }
    }

    /// What a step's record begins with.
    pub(super) fn begun(&self, id: &str, step: &RunStep) -> StepRecord {
        let state = step.now();
        StepRecord {
            run: self.run.id.clone(),
            step: id.to_owned(),
            attempts: state.attempts,
            source: state.source,
            ..StepRecord::default()
        }
    }

    fn push(&self, out: &mut Advance, kind: &str, mut record: StepRecord, step: &RunStep) {
        record.zone_assumed = self.env.take_zone_assumed();
        // A call is made again from its record, and its arguments were measured before.
        let calls = matches!(kind, STEP_STARTED | STEP_RETRIED) && record.branch.is_none();
        if !calls && !record.input.is_null() {
            let bytes = record.input.to_json().len();
            if bytes > MAX_INPUT_BYTES {
                record.input = Value::from([("omitted_bytes", bytes)]);
            }
        }
        out.drafts.push(draft(self.ctx, kind, &record, cause(self.run, step)));
    }

    /// A step that is ready.
    fn one(&self, id: &str, step: &'a RunStep, out: &mut Advance) {
        let state = step.now();
        let mut record = self.begun(id, step);
        if state.rescuing {
            self.rescue(id, step, record, None, out);
            return;
        }
        if state.status == StepStatus::Waiting {
            record.attempts = 1;
        }
        record.duration = Some(0);
        if let Some(known) = rerun::known(self.plans, self.run, id, step) {
            let kind = rerun::fill(&mut record, known);
            self.push(out, kind, record, step);
            return;
        }
        self.attempt(id, step, record, 0, out);
    }

    /// Does a step at one of its sources, and goes on with the next one when it fails there.
    fn attempt(&self, id: &str, step: &'a RunStep, mut record: StepRecord, source: u32, out: &mut Advance) {
        record.source = source;
        match execute::execute(self.place(step), source) {
            Ok(Effect::Finished(finished)) => {
                fill(&mut record, *finished);
                record.mark = record.mark.or_else(|| rerun::mark(self.run, "recomputed"));
                self.push(out, STEP_FINISHED, record, step);
            }
            Ok(Effect::Branched { taken, input }) => {
                (record.input, record.branch, record.duration) = (input, Some(taken), None);
                self.push(out, STEP_STARTED, record, step);
            }
            Ok(Effect::Ask { question, options, input }) => {
                record.duration = None;
                record.input = input;
                record.ask = Some(self.ask(id, "value", question, options));
                self.push(out, STEP_STARTED, record, step);
            }
            Ok(Effect::Call(request)) => self.call(id, step, record, *request, out),
            Err((input, failure)) => {
                record.input = input;
                self.failed(id, step, record, Failed::from(failure), out);
            }
        }
    }

    fn call(&self, id: &str, step: &'a RunStep, mut record: StepRecord, request: Request, out: &mut Advance) {
        if let Some(known) = rerun::stub(self.plans, self.run, id, &request) {
            record.input = calls::input(&request);
            let kind = rerun::fill(&mut record, known);
            self.push(out, kind, record, step);
            return;
        }
        if let Some(known) = self.cached(&request) {
            record.input = calls::input(&request);
            let (finished, hit) = known;
            fill(&mut record, finished);
            (record.key, record.cached) = (Some(request.key), Some(hit));
            self.push(out, STEP_FINISHED, record, step);
            return;
        }
        record.input = calls::input(&request);
        record.duration = None;
        record.key = (!request.writes).then(|| request.key.clone());
        record.mark = rerun::mark(self.run, "live");
        if request.approval {
            let args =
                request.args.iter().map(|(name, value)| format!("{name}: {}", value.to_json())).collect::<Vec<_>>();
            let question = format!("{} ({}) changes the world; may it be called?", request.tool, args.join(", "));
            record.ask = Some(self.ask(id, "approval", question, vec!["approve".into(), "reject".into()]));
        } else if let Some(call) = tool_call(self.run, id, &record.input, record.attempts, false) {
            out.calls.push(call);
        }
        let kind = if step.now().status == StepStatus::Running { STEP_RETRIED } else { STEP_STARTED };
        self.push(out, kind, record, step);
    }

    fn ask(&self, id: &str, about: &str, question: String, options: Vec<Value>) -> StepAsk {
        let nth =
            self.run.asks.iter().filter(|asked| self.run.step(asked.step).is_some_and(|(of, _)| of == id)).count();
        let id = if nth == 0 { format!("{}/{id}", self.run.id) } else { format!("{}/{id}#{}", self.run.id, nth + 1) };
        StepAsk { id, question, options, about: about.to_owned() }
    }

    /// An answer of the cache that is young enough.
    fn cached(&self, request: &Request) -> Option<(Finished, CacheHit)> {
        let most = request.max_age.filter(|age| *age > 0 && !request.writes)?;
        let known = self.plans.cache.get(&request.key)?;
        let age = self.ctx.now.saturating_sub(known.at);
        let state = self.plans.runs.get(&known.run)?.steps.get(&known.step)?.at(known.seq);
        (age <= most && age >= 0 && state.status == StepStatus::Done).then(|| {
            let finished = Finished {
                output: state.output.clone(),
                evidence: state.evidence.clone(),
                confidence: state.confidence.clone(),
                document: state.document,
                unit: state.unit.clone(),
                classes: state.classes.iter().cloned().collect(),
                ..Finished::default()
            };
            (finished, CacheHit { seq: known.seq, age })
        })
    }

    /// What a failure of a step leads to: another attempt, another source, its fallback, a person, or nothing.
    pub(super) fn failed(
        &self,
        id: &str,
        step: &'a RunStep,
        mut record: StepRecord,
        failed: Failed,
        out: &mut Advance,
    ) {
        let state = step.now();
        let options = &step.options;
        let called = state.status == StepStatus::Running
            && self.run.schedule.is_away(self.run.steps.get_index_of(id).unwrap_or(usize::MAX));
        let retries = options.retry.or(self.run.options.retry).unwrap_or(0);
        record.code = Some(failed.code.clone());
        record.error = Some(failed.message.clone());
        record.near.clone_from(&failed.near);
        if called && failed.again && state.tries <= retries {
            let backoff =
                options.backoff.as_ref().or(self.run.options.backoff.as_ref()).map_or(DEFAULT_BACKOFF, |b| b.ms);
            let wait = backoff.saturating_mul(1 << (state.tries.saturating_sub(1)).min(20)).min(MAX_BACKOFF);
            record.attempts = state.attempts + 1;
            record.until = Some(self.ctx.now.saturating_add(wait));
            record.duration = None;
            record.input = Value::Null;
            self.push(out, STEP_RETRIED, record, step);
            return;
        }
        if failed.elsewhere && record.source < execute::others(step) {
            let source = record.source + 1;
            let next = StepRecord {
                attempts: record.attempts + 1,
                duration: Some(0),
                near: None,
                code: None,
                error: None,
                ..record
            };
            self.attempt(id, step, next, source, out);
            return;
        }
        if options.fallback.is_some() {
            self.rescue(id, step, record, Some(failed), out);
            return;
        }
        self.lost(id, step, record, failed, out);
    }

    /// The fallback's value, or the wait for what it needs.
    fn rescue(&self, id: &str, step: &'a RunStep, mut record: StepRecord, failed: Option<Failed>, out: &mut Advance) {
        let state = step.now();
        let failed = failed.unwrap_or_else(|| Failed {
            code: state.code.clone().unwrap_or_default(),
            message: state.error.clone().unwrap_or_default(),
            ..Failed::default()
        });
        (record.code, record.error) = (Some(failed.code.clone()), Some(failed.message.clone()));
        let Some(formula) = &step.options.fallback else { return };
        if !step.rescue.iter().all(|name| self.run.value(name).is_some()) {
            record.rescue = true;
            record.duration = None;
            self.push(out, STEP_STARTED, record, step);
            return;
        }
        match execute::fallback(self.place(step), formula) {
            Ok(finished) => {
                let input = std::mem::take(&mut record.input);
                fill(&mut record, Finished { input, ..finished });
                record.mark = Some("fallback".to_owned());
                self.push(out, STEP_FINISHED, record, step);
            }
            Err((_, own)) => {
                let message = format!("{}; and its fallback failed: {}", failed.message, own.message);
                self.lost(id, step, record, Failed { message, ..failed }, out);
            }
        }
    }

    /// A step that failed for good.
    fn lost(&self, id: &str, step: &'a RunStep, mut record: StepRecord, failed: Failed, out: &mut Advance) {
        (record.code, record.error) = (Some(failed.code.clone()), Some(failed.message.clone()));
        let policy = step.options.on_failure.or(self.run.options.on_failure);
        let refused = failed.code == "not-approved";
        match policy {
            Some(OnFailure::Skip) => {
                record.output = Value::Null;
                record.mark = Some("skipped_over".to_owned());
                self.push(out, STEP_FINISHED, record, step);
            }
            Some(OnFailure::Ask) if !refused => {
                let question = format!("${id} failed: {}. What is its value?", failed.message.trim_end_matches('.'));
                record.ask = Some(self.ask(id, "failure", question, Vec::new()));
                record.duration = None;
                self.push(out, STEP_STARTED, record, step);
            }
            _ => self.push(out, STEP_FAILED, record, step),
        }
    }

    /// Calls that take too long.
    fn time_out(&self, out: &mut Advance) {
        for at in self.run.schedule.away() {
            let Some((id, step)) = self.run.step(at) else { continue };
            let Some(due) = times_out(step).filter(|due| *due <= self.ctx.now) else { continue };
            let most = step.options.timeout.as_ref().map_or("", |most| most.text.as_str());
            let message = format!("the call gave nothing within {most}");
            let mut record = self.begun(id, step);
            record.duration = step.now().tried.map(|tried| due.saturating_sub(tried).max(0));
            self.failed(id, step, record, Failed::new("timed-out", message), out);
        }
    }

    /// The record of a step that has its value.
    pub(super) fn finished(&self, step: &'a RunStep, mut record: StepRecord, finished: Finished, out: &mut Advance) {
        fill(&mut record, finished);
        self.push(out, STEP_FINISHED, record, step);
    }
}

/// A failure of a step, and what may be done about it.
#[derive(Clone, Debug, Default)]
pub(super) struct Failed {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) near: Option<NearMiss>,
    /// Whether the same call may succeed later.
    pub(super) again: bool,
    /// Whether another source may be asked.
    pub(super) elsewhere: bool,
}

impl Failed {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        // What a person, the domain or the request itself forbids does not become right by waiting.
        const FINAL: &[&str] =
            &["not-approved", "approval-required", "tool-closed", "no-tool", "input-too-long", "wrong-type"];
        const LATER: &[&str] = &["http-408", "http-425", "http-429"];
        let again = !FINAL.contains(&code) && (!code.starts_with("http-4") || LATER.contains(&code));
        Self { code: code.to_owned(), message: message.into(), near: None, again, elsewhere: code != "not-approved" }
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        let near = failure.near.map(|near| NearMiss {
            document: near.document,
            span: near.span,
            quote: near.quote,
            instead: near.instead,
        });
        Self { near, again: false, ..Self::new(failure.code, failure.message) }
    }
}

/// Writes a value and what it rests on into a record.
pub(super) fn fill(record: &mut StepRecord, finished: Finished) {
    let Finished { input, output, evidence, confidence, finds, branch, unit, document, classes } = finished;
    if !input.is_null() {
        record.input = input;
    }
    (record.output, record.evidence, record.confidence) = (output, evidence, confidence);
    (record.finds, record.unit, record.document) = (finds, unit, document);
    record.branch = branch.or(record.branch);
    record.classes = classes.iter().cloned().collect();
}
