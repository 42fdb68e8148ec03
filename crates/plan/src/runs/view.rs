//! Runs as they stood after a record.

use throughline_protocol::At;
use throughline_protocol::view::{BindingView, RerunOf, RunRow, RunView, StepView};
use throughline_value::{Named, Value};

use super::state::{Run, RunStatus, RunStep, StepStatus};
use super::{Bound, Plans};

impl Plans {
    /// The runs at a point, oldest first.
    #[must_use]
    pub fn rows(&self, at: &At) -> Vec<RunRow> {
        self.runs.values().filter(|run| run.seq <= at.seq).map(|run| run.row(at)).collect()
    }

    /// One run at a point; the newest when `id` is empty.
    #[must_use]
    pub fn run(&self, id: &str, at: &At) -> Option<RunView> {
        let mut known = self.runs.values().filter(|run| run.seq <= at.seq);
        let run = if id.is_empty() { known.next_back() } else { known.find(|run| run.id == id) }?;
        Some(run.view(at))
    }
}

impl Run {
    fn row(&self, at: &At) -> RunRow {
        let done = |s: StepStatus| matches!(s, StepStatus::Done | StepStatus::Skipped);
        RunRow {
            id: self.id.clone(),
            status: self.status_at(at.seq).as_str().to_owned(),
            done: self.steps.values().filter(|s| done(s.at(at.seq).status)).count() as u64,
            total: self.steps.len() as u64,
            seq: self.seq,
            thread: self.thread.clone(),
            turn: self.turn,
        }
    }

    fn view(&self, at: &At) -> RunView {
        let steps = self.steps.iter().map(|(id, step)| self.step_view(id, step, at));
        let bindings = self.values_at(at.seq).into_iter().map(|(name, bound)| {
            let Bound { value, evidence, step, confidence, .. } = bound;
            BindingView { name, value, evidence, step, confidence }
        });
        let paused = self.status_at(at.seq) == RunStatus::Paused;
        RunView {
            row: self.row(at),
            plan: self.text.clone(),
            steps: steps.collect(),
            bindings: bindings.collect(),
            waves: self.waves.clone(),
            critical_path: self.critical_path(at),
            asks: self
                .asks
                .iter()
                .filter(|asked| asked.seq <= at.seq)
                .map(|asked| super::calls::view(asked, at.seq))
                .collect(),
            breakpoints: self.breakpoints.at(at.seq).cloned().unwrap_or_default(),
            paused_at: if paused { self.paused_at.at(at.seq).cloned().flatten() } else { None },
            error: self.error.at(at.seq).cloned(),
            temporal_scope: self.options.temporal_scope.as_ref().map_or(Value::Null, |scope| scope.source().into()),
            tokens: self.tokens.at(at.seq).copied().unwrap_or(0),
            reruns: self.reruns.as_ref().map(|reruns| {
                let mut marks: Named<u64> = Named::new();
                for mark in self.steps.values().filter_map(|step| step.at(at.seq).mark.clone()) {
                    *marks.entry(mark).or_insert(0) += 1;
                }
                RerunOf { run: reruns.run.clone(), from: reruns.from.clone(), edits: reruns.edits.clone(), marks }
            }),
        }
    }

    fn step_view(&self, id: &str, step: &RunStep, at: &At) -> StepView {
        let state = step.at(at.seq);
        // Nothing goes on in a run that is over: what was under way was given up.
        let over = matches!(self.status_at(at.seq), RunStatus::Done | RunStatus::Failed | RunStatus::Cancelled);
        let given_up = over && state.status == StepStatus::Running;
        let (status, error) = if given_up {
            (StepStatus::Skipped, Some("the run ended before this step had a value".to_owned()))
        } else {
            (state.status, state.error.clone())
        };
        StepView {
            id: id.to_owned(),
            op: step.op.clone(),
            note: step.note.clone(),
            source: self.source(step).to_owned(),
            span: step.span,
            status: status.as_str().to_owned(),
            needs: step.needs.iter().chain(step.branches.iter().flatten()).chain(&step.rescue).cloned().collect(),
            input: state.input.clone(),
            output: state.output.clone(),
            evidence: state.evidence.clone(),
            error,
            attempts: state.attempts,
            duration: state.duration,
            seq: step.states.entry_at(at.seq).map_or(self.seq, |(seq, _)| *seq),
            code: state.code.clone(),
            confidence: state.confidence.clone(),
            unit: state.unit.clone(),
            mark: state.mark.clone(),
            cached: state.cached.clone(),
            branch: state.branch,
            near: state.near.clone(),
            until: state.until,
        }
    }

    /// The longest chain of steps that waited for each other, by duration; of equally long ones that with more steps.
    fn critical_path(&self, at: &At) -> Vec<String> {
        let mut best: Vec<(i64, usize, Option<usize>)> = Vec::with_capacity(self.steps.len());
        for step in self.steps.values() {
            let state = step.at(at.seq);
            let uses = step
                .needs
                .iter()
                .chain(step.branches.iter().flatten())
                .filter_map(|name| self.steps.get_index_of(name));
            let before = uses.filter_map(|used| best.get(used).map(|(time, length, _)| (*time, *length, used))).max();
            let (time, length, used) = before.map_or((0, 0, None), |(time, length, used)| (time, length, Some(used)));
            best.push((time + state.duration.unwrap_or(0), length + 1, used));
        }
        let last =
            best.iter().enumerate().max_by_key(|(at, (time, length, _))| (*time, *length, std::cmp::Reverse(*at)));
        let mut path = Vec::new();
        let mut next = last.map(|(at, _)| at);
        while let Some(at) = next {
            path.extend(self.step(at).map(|(id, _)| id.clone()));
            next = best.get(at).and_then(|(_, _, used)| *used);
        }
        path.reverse();
        path
    }
}
