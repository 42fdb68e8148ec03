//! Folding records.

use std::sync::Arc;

use throughline_journal::{Record, Versions};
use throughline_value::{Named, SortedSet, from_value};

use super::record::{
    RUN_BREAKPOINTS, RUN_CANCELLED, RUN_CONTINUED, RUN_EDITED, RUN_FAILED, RUN_FINISHED, RUN_PAUSED, RUN_STARTED,
    RunRecord, RunStarted, STEP_ANSWERED, STEP_BLOCKED, STEP_FAILED, STEP_FINISHED, STEP_RETRIED, STEP_SKIPPED,
    STEP_STARTED, StepRecord,
};
use super::schedule::Schedule;
use super::state::{Asked, Run, RunStatus, RunStep, StepState, StepStatus};
use super::{Bound, Cached, Plans};
use crate::check::problems::Problems;
use crate::evidence;
use crate::plan::OnFailure;
use crate::scope::Scope;

impl Plans {
    /// Folds one record. Records of other rooms are passed over; one of this room that cannot be read is
    /// counted and changes nothing.
    pub fn evolve(&mut self, record: &Record) {
        let known = match record.kind.as_str() {
            RUN_STARTED => self.started(record),
            RUN_CONTINUED => self.turned(record, RunStatus::Running),
            RUN_PAUSED => self.turned(record, RunStatus::Paused),
            RUN_FINISHED => self.turned(record, RunStatus::Done),
            RUN_FAILED => self.turned(record, RunStatus::Failed),
            RUN_CANCELLED => self.turned(record, RunStatus::Cancelled),
            RUN_BREAKPOINTS => self.breakpoints(record),
            RUN_EDITED => self.edited(record),
            STEP_STARTED | STEP_RETRIED => self.stepped(record, StepStatus::Running),
            STEP_ANSWERED => self.answered(record),
            STEP_FINISHED => self.stepped(record, StepStatus::Done),
            STEP_FAILED => self.stepped(record, StepStatus::Failed),
            STEP_SKIPPED => self.stepped(record, StepStatus::Skipped),
            STEP_BLOCKED => self.stepped(record, StepStatus::Blocked),
            _ => Some(()),
        };
        if known.is_none() {
            self.quarantined += 1;
        }
    }

    fn started(&mut self, record: &Record) -> Option<()> {
        let data: RunStarted = from_value(record.data()).ok()?;
        if self.runs.contains_key(&data.run) {
            return None;
        }
        // The text is what was checked; what a step does is read from it, and nothing is evaluated.
        let read = crate::text::parse(&data.plan, &Scope::new(), &mut Problems::default());
        let mut actions: Named<_> =
            read.steps.into_iter().map(|s| (s.id.value, (s.action.map(Arc::new), Arc::new(s.options)))).collect();
        let steps = data.steps.into_iter().map(|step| {
            let edges = data.edges.get(&step.id).cloned().unwrap_or_default();
            let (action, options) = actions.shift_remove(&step.id).unwrap_or_default();
            let state = RunStep {
                op: step.op,
                action,
                options,
                note: step.note,
                span: step.span,
                needs: edges.needs,
                branches: [edges.then, edges.otherwise],
                rescue: edges.rescue,
                wanted: edges.wanted,
                states: Versions::default(),
            };
            (step.id, state)
        });
        let steps: Named<RunStep> = steps.collect();
        let mut statuses = Versions::default();
        statuses.push(record.seq, if data.paused { RunStatus::Paused } else { RunStatus::Running });
        let mut breakpoints = Versions::default();
        if !data.breakpoints.is_empty() {
            breakpoints.push(record.seq, data.breakpoints);
        }
        let run = Run {
            id: data.run.clone(),
            seq: record.seq,
            thread: record.thread.clone(),
            turn: record.turn,
            origin: record.origin.clone(),
            text: data.plan,
            options: read.options,
            inputs: data.inputs,
            schedule: Schedule::new(&steps),
            steps,
            waves: data.waves,
            meaning: data.meaning,
            statuses,
            reruns: data.reruns,
            breakpoints,
            passed: SortedSet::new(),
            held: false,
            met: None,
            paused_at: Versions::default(),
            edits: Named::new(),
            asks: Vec::new(),
            error: Versions::default(),
            tokens: Versions::default(),
            done: 0,
            ran: 0,
            since: (!data.paused).then_some(record.recorded_at),
            stopped_by: None,
            last: record.seq,
        };
        self.open.push(data.run.clone());
        self.runs.insert(data.run, run);
        Some(())
    }

    fn turned(&mut self, record: &Record, status: RunStatus) -> Option<()> {
        let data: RunRecord = from_value(record.data()).ok()?;
        let run = self.runs.get_mut(&data.run)?;
        run.statuses.push(record.seq, status);
        run.last = record.seq;
        if let Some(since) = run.since.take() {
            run.ran += record.recorded_at.saturating_sub(since).max(0);
        }
        match status {
            RunStatus::Running => {
                run.since = Some(record.recorded_at);
                run.held = false;
            }
            RunStatus::Paused => {
                if let Some(breakpoint) = &data.breakpoint {
                    run.passed.insert(breakpoint.clone());
                }
                run.met = None;
                run.held = data.breakpoint.is_some();
                run.paused_at.push(record.seq, data.breakpoint);
            }
            RunStatus::Failed => {
                if let Some(error) = data.error {
                    run.error.push(record.seq, error);
                }
            }
            RunStatus::Done | RunStatus::Cancelled => {}
        }
        if status.is_over() {
            self.open.retain(|open| *open != data.run);
        }
        Some(())
    }

    fn breakpoints(&mut self, record: &Record) -> Option<()> {
        let data: RunRecord = from_value(record.data()).ok()?;
        let run = self.runs.get_mut(&data.run)?;
        run.breakpoints.push(record.seq, data.breakpoints);
        run.passed.clear();
        Some(())
    }

    fn edited(&mut self, record: &Record) -> Option<()> {
        let data: RunRecord = from_value(record.data()).ok()?;
        let run = self.runs.get_mut(&data.run)?;
        let binding = data.binding?;
        let evidence = vec![evidence::given(&binding, &data.value, "person")];
        run.last = record.seq;
        if let Some(at) = run.steps.get_index_of(binding.as_str()) {
            let step = run.steps.get_mut(binding.as_str())?;
            let before = step.now().clone();
            let state = StepState {
                status: StepStatus::Done,
                output: data.value,
                evidence,
                confidence: None,
                error: None,
                document: false,
                asks: None,
                mark: Some("edited".to_owned()),
                ..before
            };
            step.states.push(record.seq, state);
            if !before.status.is_settled() {
                run.schedule.settled(at, StepStatus::Done, None);
            }
            return Some(());
        }
        run.inputs.get(&binding)?;
        run.edits
            .entry(binding)
            .or_default()
            .push(record.seq, Bound { value: data.value, evidence, ..Bound::default() });
        Some(())
    }

    fn answered(&mut self, record: &Record) -> Option<()> {
        let data: StepRecord = from_value(record.data()).ok()?;
        let run = self.runs.get_mut(&data.run)?;
        let step = run.steps.get_mut(&data.step)?;
        let mut state = step.now().clone();
        let ask = state.asks.take()?;
        let asked = run.asks.iter_mut().find(|asked| asked.ask.id == ask && asked.settled.is_none())?;
        asked.settled = Some(record.seq);
        run.last = record.seq;
        // The call may be made: it starts now.
        (state.started, state.tried) = (state.started.or(Some(record.recorded_at)), Some(record.recorded_at));
        step.states.push(record.seq, state);
        Some(())
    }

    fn stepped(&mut self, record: &Record, status: StepStatus) -> Option<()> {
        let data: StepRecord = from_value(record.data()).ok()?;
        let run = self.runs.get_mut(&data.run)?;
        let at = run.steps.get_index_of(data.step.as_str())?;
        let culprit = (status == StepStatus::Blocked).then(|| culprit(run, &data)).flatten();
        let step = run.steps.get_mut(&data.step)?;
        let before = step.now();
        // A finished step is never repeated: a second result changes nothing.
        if before.status.is_settled() {
            return None;
        }
        let running = status == StepStatus::Running;
        let begun = running.then_some(record.recorded_at);
        let same_source = running && before.status == StepStatus::Running && data.source == before.source;
        let state = StepState {
            status,
            input: if data.input.is_null() { before.input.clone() } else { data.input },
            output: data.output,
            evidence: data.evidence,
            confidence: data.confidence,
            code: data.code,
            error: data.error,
            attempts: data.attempts.max(before.attempts),
            tries: if same_source { before.tries + 1 } else { 1 },
            duration: data.duration,
            started: before.started.or(begun),
            tried: data.until.or(begun).or(before.tried),
            branch: data.branch.or(before.branch),
            unit: data.unit,
            document: data.document || (running && before.document),
            source: data.source.max(before.source),
            until: data.until,
            rescuing: data.rescue || before.rescuing,
            asks: data.ask.as_ref().map(|ask| ask.id.clone()),
            key: data.key.or_else(|| before.key.clone()),
            cached: data.cached,
            mark: data.mark,
            near: data.near.or_else(|| before.near.clone()),
            classes: data.classes,
            culprit,
        };
        if let Some(ask) = data.ask {
            run.asks.push(Asked { seq: record.seq, step: at, ask, settled: None });
        } else if let Some(open) = before.asks.clone() {
            // What was asked is answered, or no longer asked.
            if let Some(asked) = run.asks.iter_mut().find(|asked| asked.ask.id == open && asked.settled.is_none()) {
                asked.settled = Some(record.seq);
            }
        }
        let stops = step.options.on_failure.or(run.options.on_failure) == Some(OnFailure::Stop);
        if status == StepStatus::Done {
            if let (Some(key), None) = (&state.key, &state.cached) {
                let cached =
                    Cached { run: data.run.clone(), step: data.step.clone(), seq: record.seq, at: record.recorded_at };
                self.cache.insert(key.clone(), cached);
            }
            let binding =
                |bp: &&throughline_protocol::command::Breakpoint| bp.binding.as_deref() == Some(data.step.as_str());
            if run.breakpoints.last().is_some_and(|all| all.iter().any(|bp| binding(&bp))) {
                run.met = Some(format!("${} has its value", data.step));
            }
        }
        if data.tokens > 0 {
            let before = run.tokens.last().copied().unwrap_or(0);
            run.tokens.push(record.seq, before.saturating_add(data.tokens));
        }
        let began = before.status == StepStatus::Waiting;
        let (branch, rescuing) = (state.branch, state.rescuing);
        step.states.push(record.seq, state);
        run.last = record.seq;
        match status {
            StepStatus::Running => {
                run.held &= !began;
                run.schedule.went(at, branch, rescuing);
            }
            _ => {
                // A step that a person lets a paused run do, and not the result of one that was under way.
                run.held &= !(began && matches!(status, StepStatus::Done | StepStatus::Failed));
                run.schedule.settled(at, status, branch);
                run.done += u32::from(matches!(status, StepStatus::Done | StepStatus::Failed));
                if status == StepStatus::Failed && stops {
                    run.stopped_by = Some(at);
                }
            }
        }
        Some(())
    }
}

/// The step in which the chain of blocked steps begins: it is told by the step that this one waits for.
fn culprit(run: &Run, data: &StepRecord) -> Option<usize> {
    let step = run.steps.get(&data.step)?;
    let lost = |name: &&String| {
        let used = run.steps.get(name.as_str()).map(|step| step.now().status);
        matches!(used, Some(StepStatus::Failed | StepStatus::Blocked | StepStatus::Skipped))
    };
    let uses = step.needs.iter().chain(step.branches.iter().flatten()).chain(&step.rescue);
    let lost = uses.clone().find(lost)?;
    let at = run.steps.get_index_of(lost.as_str())?;
    Some(run.steps.get(lost.as_str()).and_then(|step| step.now().culprit).unwrap_or(at))
}
