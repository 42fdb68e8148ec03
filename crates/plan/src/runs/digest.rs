//! What the digests say of runs.

use throughline_journal::{Digest, Millis};
use throughline_value::{InOrder as _, Value, to_value};

use super::Plans;

impl Plans {
    /// Adds every version of everything.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("plans");
        for run in self.runs.values() {
            digest.text(&run.id);
            digest.number(run.seq.cast_signed());
            digest.text(&run.text);
            digest.value(&Value::Map(run.inputs.clone()));
            for (seq, status) in run.statuses.iter() {
                digest.number(seq.cast_signed());
                digest.text(status.as_str());
            }
            for (name, edits) in &run.edits {
                digest.text(name);
                for (seq, bound) in edits.iter() {
                    digest.number(seq.cast_signed());
                    digest.value(&bound.value);
                }
            }
            for (id, step) in &run.steps {
                digest.text(id);
                for (seq, state) in step.states.iter() {
                    digest.number(seq.cast_signed());
                    digest.text(state.status.as_str());
                    digest.value(&state.input);
                    digest.value(&state.output);
                    digest.value(&to_value(&state.evidence).unwrap_or_default());
                    digest.text(state.error.as_deref().unwrap_or(""));
                }
            }
        }
    }

    /// Adds the current view: of each run its plan, its inputs, and the status and value of each step, without
    /// ids, numbers and times, in an order that does not depend on arrival.
    pub fn digest_content(&self, digest: &mut Digest, _valid_at: Millis) {
        let mut runs: Vec<String> = self
            .runs
            .values()
            .map(|run| {
                let mut one = Digest::new("run");
                one.text(&run.text);
                one.value(&Value::Map(run.inputs.clone()));
                one.text(run.status().as_str());
                for (id, step) in &run.steps {
                    let state = step.now();
                    one.text(id);
                    one.text(state.status.as_str());
                    one.value(&state.output);
                }
                one.finish()
            })
            .collect();
        runs.order_by(|a, b| a.cmp(b));
        digest.text("plans");
        for run in &runs {
            digest.text(run);
        }
    }
}
