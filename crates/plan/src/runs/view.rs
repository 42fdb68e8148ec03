//! Runs as they stood after a record.

use throughline_protocol::At;
use throughline_protocol::view::{BindingView, RunRow, RunView, StepView};

use super::state::{Run, StepStatus};
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
        let steps = self.steps.iter().map(|(id, step)| {
            let state = step.at(at.seq);
            StepView {
                id: id.clone(),
                op: step.op.clone(),
                note: step.note.clone(),
                source: self.text.get(step.span.start..step.span.end).unwrap_or("").to_owned(),
                span: step.span,
                status: state.status.as_str().to_owned(),
                needs: step.needs.iter().chain(step.branches.iter().flatten()).cloned().collect(),
                input: state.input.clone(),
                output: state.output.clone(),
                evidence: state.evidence.clone(),
                error: state.error.clone(),
                attempts: state.attempts,
                duration: state.duration,
                seq: step.states.entry_at(at.seq).map_or(self.seq, |(seq, _)| *seq),
            }
        });
        let bindings = self.values_at(at.seq).into_iter().map(|(name, bound)| {
            let Bound { value, evidence, step, confidence } = bound;
            BindingView { name, value, evidence, step, confidence }
        });
        RunView {
            row: self.row(at),
            plan: self.text.clone(),
            steps: steps.collect(),
            bindings: bindings.collect(),
            waves: self.waves.clone(),
        }
    }
}
