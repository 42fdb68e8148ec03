//! Folding records.

use std::sync::Arc;

use throughline_journal::{Record, Versions};
use throughline_value::{Named, from_value};

use super::Plans;
use super::record::{
    RUN_CANCELLED, RUN_CONTINUED, RUN_FAILED, RUN_FINISHED, RUN_PAUSED, RUN_STARTED, RunRecord, RunStarted,
    STEP_BLOCKED, STEP_FAILED, STEP_FINISHED, STEP_SKIPPED, STEP_STARTED, StepRecord,
};
use super::state::{Run, RunStatus, RunStep, StepState, StepStatus};
use crate::check::problems::Problems;
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
            STEP_STARTED => self.stepped(record, StepStatus::Running),
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
            read.steps.into_iter().filter_map(|s| Some((s.id.value, Arc::new(s.action?)))).collect();
        let steps = data.steps.into_iter().map(|step| {
            let edges = data.edges.get(&step.id).cloned().unwrap_or_default();
            let action = actions.shift_remove(&step.id);
            let state = RunStep {
                op: step.op,
                action,
                note: step.note,
                span: step.span,
                needs: edges.needs,
                branches: [edges.then, edges.otherwise],
                wanted: edges.wanted,
                states: Versions::default(),
            };
            (step.id, state)
        });
        let mut statuses = Versions::default();
        statuses.push(record.seq, if data.paused { RunStatus::Paused } else { RunStatus::Running });
        let run = Run {
            id: data.run.clone(),
            seq: record.seq,
            thread: record.thread.clone(),
            turn: record.turn,
            origin: record.origin.clone(),
            text: data.plan,
            inputs: data.inputs,
            steps: steps.collect(),
            waves: data.waves,
            meaning: data.meaning,
            statuses,
        };
        self.runs.insert(data.run, run);
        Some(())
    }

    fn turned(&mut self, record: &Record, status: RunStatus) -> Option<()> {
        let data: RunRecord = from_value(record.data()).ok()?;
        self.runs.get_mut(&data.run)?.statuses.push(record.seq, status);
        Some(())
    }

    fn stepped(&mut self, record: &Record, status: StepStatus) -> Option<()> {
        let data: StepRecord = from_value(record.data()).ok()?;
        let step = self.runs.get_mut(&data.run)?.steps.get_mut(&data.step)?;
        let before = step.now();
        // A finished step is never repeated: a second result changes nothing.
        if before.status.is_settled() {
            return None;
        }
        let state = StepState {
            status,
            input: if data.input.is_null() { before.input.clone() } else { data.input },
            output: data.output,
            evidence: data.evidence,
            confidence: data.confidence,
            error: data.error,
            attempts: data.attempts.max(before.attempts),
            duration: data.duration,
            started: if status == StepStatus::Running { Some(record.recorded_at) } else { before.started },
            branch: data.branch.or(before.branch),
        };
        step.states.push(record.seq, state);
        Some(())
    }
}
