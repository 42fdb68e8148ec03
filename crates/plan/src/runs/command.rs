//! What can be asked of runs.

use throughline_journal::{Digest, Draft};
use throughline_protocol::command::{CancelRun, ContinueRun, StartRun, StepRun};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Named, SortedSet, Value, to_value};

use super::record::{EdgesOf, RUN_CANCELLED, RUN_CONTINUED, RUN_STARTED, RunRecord, RunStarted};
use super::state::{Meaning, Run, RunStatus, ToolMeaning};
use super::{Advance, Documents, Plans};
use crate::Scope;
use crate::answer::AnswerScope;
use crate::graph::Edges;
use crate::plan::{Action, How, Plan, Step};
use crate::scope::{Target, bare};

impl Plans {
    /// Checks a plan and starts a run of it. The result is `{run}`; `scope` need not name the inputs of the
    /// command.
    ///
    /// # Errors
    /// `plan-invalid`, with the whole report in the details.
    pub fn start_run(&self, ctx: &Context<'_>, command: &StartRun, scope: &Scope) -> Result<Decision, Refusal> {
        if let Some(origin) = ctx.origin
            && let Some(run) = self.runs.values().find(|run| run.origin.as_ref() == Some(origin))
        {
            return Ok(Decision::unchanged([("run", Value::from(run.id.as_str())), ("unchanged", true.into())].into()));
        }
        let scope = scope.clone().inputs(command.inputs.keys().cloned());
        let (plan, report) = crate::check(&command.plan, &scope);
        let Some(plan) = plan else {
            let errors = report.diagnostics.iter().filter(|d| d.severity == "error").count();
            let first = report.diagnostics.iter().find(|d| d.severity == "error").map_or("", |d| d.message.as_str());
            let message = format!("the plan has {errors} errors and no step has run; the first: {first}");
            let details = to_value(&report).unwrap_or_default();
            return Err(Refusal::new("plan-invalid", message).at_path("/plan").with(details));
        };
        let inputs = command.inputs.iter().map(|(name, value)| (bare(name).to_owned(), value.clone())).collect();
        let run = self.new_id(ctx, &plan.source, &inputs);
        let record = RunStarted {
            run: run.clone(),
            plan: plan.source.clone(),
            steps: plan.steps.iter().map(Step::view).collect(),
            edges: edges(&plan, &scope),
            waves: plan.waves(),
            inputs,
            paused: command.paused,
            meaning: meaning(&plan, &scope),
        };
        let data = to_value(&record).map_err(Refusal::from)?;
        Ok(Decision::one(ctx.draft(RUN_STARTED, data), [("run", run)].into()))
    }

    /// An id that no other run has, here or in a fork of this journal.
    fn new_id(&self, ctx: &Context<'_>, plan: &str, inputs: &throughline_value::Map) -> String {
        let mut digest = Digest::new("run");
        digest.number(ctx.next_seq.cast_signed());
        digest.number(ctx.now);
        digest.text(ctx.thread);
        digest.text(plan);
        digest.value(&Value::Map(inputs.clone()));
        digest.number(i64::try_from(self.runs.len()).unwrap_or(i64::MAX));
        let hash = digest.finish();
        format!("run_{}", hash.get(..16).unwrap_or(&hash))
    }

    /// Lets a paused run do its next step.
    ///
    /// # Errors
    /// `unknown-run`, `run-not-paused`, `run-over`.
    pub fn step_run(
        &self,
        ctx: &Context<'_>,
        command: &StepRun,
        host: &dyn Documents,
        env: &dyn AnswerScope,
    ) -> Result<Advance, Refusal> {
        let run = self.open(&command.run)?;
        if run.status() != RunStatus::Paused {
            return Err(Refusal::new("run-not-paused", "this run goes on by itself; only a paused run is stepped")
                .at_path("/run"));
        }
        Ok(super::advance::advance(run, ctx, host, env, 1))
    }

    /// Lets a paused run go on; then call [`Plans::advance`].
    ///
    /// # Errors
    /// `unknown-run`, `run-over`.
    pub fn continue_run(&self, ctx: &Context<'_>, command: &ContinueRun) -> Result<Decision, Refusal> {
        let run = self.open(&command.run)?;
        if run.status() != RunStatus::Paused {
            return Ok(Decision::unchanged([("unchanged", Value::Bool(true))].into()));
        }
        Ok(Decision::one(turn(ctx, run, RUN_CONTINUED)?, Value::map()))
    }

    /// Ends a run. Results of calls that are under way are still recorded when they come.
    ///
    /// # Errors
    /// `unknown-run`, `run-over`.
    pub fn cancel_run(&self, ctx: &Context<'_>, command: &CancelRun) -> Result<Decision, Refusal> {
        if let Some(run) = self.runs.get(&command.run)
            && run.status() == RunStatus::Cancelled
        {
            return Ok(Decision::unchanged([("unchanged", Value::Bool(true))].into()));
        }
        let run = self.open(&command.run)?;
        Ok(Decision::one(turn(ctx, run, RUN_CANCELLED)?, Value::map()))
    }

    /// A run that is not over.
    fn open(&self, id: &str) -> Result<&Run, Refusal> {
        let Some(run) = self.runs.get(id) else {
            let known = self.runs.keys().map(String::as_str);
            let near = crate::nearest::nearest(id, known).or_else(|| self.newest());
            let refusal = Refusal::new("unknown-run", format!("there is no run `{id}`")).at_path("/run");
            return Err(
                near.map_or_else(|| refusal.clone(), |near| refusal.clone().suggest(format!("the run `{near}`")))
            );
        };
        if run.status().is_over() {
            let message = format!("this run is {}; start a new one", run.status().as_str());
            return Err(Refusal::new("run-over", message).at_path("/run"));
        }
        Ok(run)
    }
}

fn turn(ctx: &Context<'_>, run: &Run, kind: &str) -> Result<Draft, Refusal> {
    let record = RunRecord { run: run.id.clone(), ..RunRecord::default() };
    Ok(ctx.draft(kind, to_value(&record).map_err(Refusal::from)?))
}

/// What each step needs, and which steps the run is for: those that no step uses, and those the answer uses.
fn edges(plan: &Plan, scope: &Scope) -> Named<EdgesOf> {
    let graph = plan.graph();
    let used: SortedSet<&str> = graph.values().flat_map(Edges::all).collect();
    let wanted = |name: &str| match &scope.wanted {
        Some(wanted) => wanted.contains(name),
        None => !used.contains(name),
    };
    let one = |step: &Step| {
        let [then, otherwise] = step.branches.clone();
        let name = step.id.value.clone();
        // A tool that changes the world is called for its effect, whoever uses its result.
        let effect = matches!(&step.action, Action::Call { .. }) && !used.contains(name.as_str());
        let wanted = effect || wanted(&name);
        (name, EdgesOf { needs: step.needs.clone(), then, otherwise, wanted })
    };
    plan.steps.iter().map(one).collect()
}

fn meaning(plan: &Plan, scope: &Scope) -> Meaning {
    let mut out = Meaning { names: scope.names.iter().cloned().collect(), ..Meaning::default() };
    let tool = |out: &mut Meaning, name: &str| {
        let rule = scope.tools.get(name).cloned().unwrap_or_default();
        out.tools.insert(name.to_owned(), ToolMeaning { writes: rule.writes, approval: rule.approval });
    };
    for step in &plan.steps {
        match &step.action {
            Action::Get { source, .. } => match scope.sources.get(&source.value) {
                Some(Target::Document(document)) => _ = out.documents.insert(source.value.clone(), document.clone()),
                Some(Target::Tool(name)) => {
                    out.sources.insert(source.value.clone(), name.clone());
                    tool(&mut out, name);
                }
                // Not run yet.
                _ => {}
            },
            Action::Extract(extract) => {
                if let How::Named(name) = &extract.how
                    && let Some(regex) = scope.patterns.get(&name.value)
                {
                    out.patterns.insert(name.value.clone(), regex.clone());
                }
            }
            Action::Call { tool: name, .. } => tool(&mut out, &name.value),
            _ => {}
        }
    }
    out
}
