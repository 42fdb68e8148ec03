//! What can be asked of runs.

use throughline_journal::{Digest, Draft};
use throughline_protocol::command::{
    Breakpoint, CancelRun, ContinueRun, EditBinding, PauseRun, Rerun, SetBreakpoints, StartRun, StepRun,
};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Map, Named, SortedSet, Value, to_value};

use super::record::{
    EdgesOf, RUN_BREAKPOINTS, RUN_CANCELLED, RUN_CONTINUED, RUN_EDITED, RUN_PAUSED, RUN_STARTED, Reruns, RunRecord,
    RunStarted,
};
use super::state::{EndpointMeaning, Meaning, RuleMeaning, Run, RunStatus, ToolMeaning};
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
        self.begin(ctx, command, scope, None)
    }

    fn begin(
        &self,
        ctx: &Context<'_>,
        command: &StartRun,
        scope: &Scope,
        reruns: Option<Reruns>,
    ) -> Result<Decision, Refusal> {
        let scope = scope.clone().inputs(command.inputs.keys().cloned());
        let (plan, report) = crate::check(&command.plan, &scope);
        let Some(plan) = plan else {
            let errors = report.diagnostics.iter().filter(|d| d.severity == "error").count();
            let first = report.diagnostics.iter().find(|d| d.severity == "error").map_or("", |d| d.message.as_str());
            let message = format!("the plan has {errors} errors and no step has run; the first: {first}");
            let details = to_value(&report).unwrap_or_default();
            return Err(Refusal::new("plan-invalid", message).at_path("/plan").with(details));
        };
        check_breakpoints(&command.breakpoints, &|name| plan.step(name).is_some() || scope.inputs.contains(name))?;
        let inputs = command.inputs.iter().map(|(name, value)| (bare(name).to_owned(), value.clone())).collect();
        let run = self.new_id(ctx, &plan.source, &inputs);
        let mut result = Map::from_iter([("run".to_owned(), Value::from(run.as_str()))]);
        if let Some(reruns) = &reruns {
            result.insert("reruns".to_owned(), reruns.run.as_str().into());
        }
        let record = RunStarted {
            run,
            plan: plan.source.clone(),
            steps: plan.steps.iter().map(Step::view).collect(),
            edges: edges(&plan, &scope),
            waves: plan.waves(),
            inputs,
            paused: command.paused,
            meaning: meaning(&plan, &scope, ctx),
            breakpoints: command.breakpoints.clone(),
            reruns,
        };
        let data = to_value(&record).map_err(Refusal::from)?;
        Ok(Decision::one(ctx.draft(RUN_STARTED, data), Value::Map(result)))
    }

    /// Runs a plan again from a step on, as a new run.
    ///
    /// # Errors
    /// `unknown-run`, `unknown-binding`, `unknown-effects`, `plan-invalid`.
    pub fn rerun(&self, ctx: &Context<'_>, command: &Rerun, scope: &Scope) -> Result<Decision, Refusal> {
        let first = self.known(&command.run)?;
        let known = |name: &str| first.steps.contains_key(bare(name)) || first.inputs.contains_key(bare(name));
        for name in command.from.iter().chain(command.edits.keys()).chain(command.stubs.keys()) {
            if !known(name) && command.plan.is_null() {
                let near = crate::nearest::nearest(bare(name), first.steps.keys().map(String::as_str));
                let refusal =
                    Refusal::new("unknown-binding", format!("the run has no ${}", bare(name))).at_path("/edits");
                return Err(near.map_or_else(|| refusal.clone(), |near| refusal.clone().suggest(format!("${near}"))));
            }
        }
        let effects = command.effects.clone().unwrap_or_default();
        if !matches!(effects.as_str(), "" | "safe" | "live" | "stub") {
            let refusal =
                Refusal::new("unknown-effects", format!("`{effects}` is no way to treat calls")).at_path("/effects");
            return Err(refusal.suggest("`safe`, `live` or `stub`"));
        }
        let bared = |map: &Map| map.iter().map(|(name, value)| (bare(name).to_owned(), value.clone())).collect::<Map>();
        let mut edits = bared(&command.edits);
        // Edits that change nothing are none: all of the run is reused, evidence included.
        if command.plan.is_null() && edits.iter().all(|(name, value)| first.value(name) == Some(value)) {
            edits = Map::new();
        }
        let mut inputs = first.inputs.clone();
        for (name, edited) in &first.edits {
            if let Some(edited) = edited.last() {
                inputs.insert(name.clone(), edited.value.clone());
            }
        }
        for (name, value) in &edits {
            if !first.steps.contains_key(name.as_str()) {
                inputs.insert(name.clone(), value.clone());
            }
        }
        let plan = if command.plan.is_null() { Value::from(first.text.as_str()) } else { command.plan.clone() };
        let start = StartRun { plan, inputs, paused: command.paused, breakpoints: command.breakpoints.clone() };
        let reruns = Reruns {
            run: first.id.clone(),
            from: command.from.as_deref().map(|from| bare(from).to_owned()),
            edits,
            fresh: command.fresh,
            effects: if effects == "safe" { String::new() } else { effects },
            stubs: bared(&command.stubs),
        };
        self.begin(ctx, &start, scope, Some(reruns))
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
        Ok(self.advance_run(run, ctx, host, env, 1))
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

    /// Pauses a run before its next step.
    ///
    /// # Errors
    /// `unknown-run`, `run-over`.
    pub fn pause_run(&self, ctx: &Context<'_>, command: &PauseRun) -> Result<Decision, Refusal> {
        let run = self.open(&command.run)?;
        if run.status() == RunStatus::Paused {
            return Ok(Decision::unchanged([("unchanged", Value::Bool(true))].into()));
        }
        Ok(Decision::one(turn(ctx, run, RUN_PAUSED)?, Value::map()))
    }

    /// Says where a run pauses by itself.
    ///
    /// # Errors
    /// `unknown-run`, `run-over`, `bad-breakpoint`.
    pub fn set_breakpoints(&self, ctx: &Context<'_>, command: &SetBreakpoints) -> Result<Decision, Refusal> {
        let run = self.open(&command.run)?;
        check_breakpoints(&command.breakpoints, &|name| run.steps.contains_key(name) || run.inputs.contains_key(name))?;
        let record =
            RunRecord { run: run.id.clone(), breakpoints: command.breakpoints.clone(), ..RunRecord::default() };
        Ok(Decision::one(ctx.draft(RUN_BREAKPOINTS, to_value(&record).map_err(Refusal::from)?), Value::map()))
    }

    /// Gives a binding of a paused run another value.
    ///
    /// # Errors
    /// `unknown-run`, `run-over`, `run-not-paused`, `unknown-binding`, `already-used`.
    pub fn edit_binding(&self, ctx: &Context<'_>, command: &EditBinding) -> Result<Decision, Refusal> {
        let run = self.open(&command.run)?;
        if run.status() != RunStatus::Paused {
            let refusal = Refusal::new("run-not-paused", "only a paused run is edited").at_path("/run");
            return Err(refusal.suggest("`pause_run` first, or `rerun` with `edits`"));
        }
        let name = bare(&command.binding);
        let used = match run.steps.get_index_of(name) {
            Some(at) => {
                run.schedule.users(at).filter_map(|user| run.step(user)).find(|(_, step)| step.last().is_some())
            }
            None if run.inputs.contains_key(name) => {
                run.steps.iter().find(|(_, step)| step.last().is_some() && step.needs.iter().any(|need| need == name))
            }
            None => {
                let known = run.steps.keys().chain(run.inputs.keys()).map(String::as_str);
                let near = crate::nearest::nearest(name, known);
                let refusal = Refusal::new("unknown-binding", format!("the run has no ${name}")).at_path("/binding");
                return Err(near.map_or_else(|| refusal.clone(), |near| refusal.clone().suggest(format!("${near}"))));
            }
        };
        if let Some((user, _)) = used {
            let refusal = Refusal::new(
                "already-used",
                format!("${user} has used ${name} already; it is not computed again here"),
            );
            return Err(refusal
                .at_path("/binding")
                .suggest("`rerun` with `edits` computes it again, as a run of its own"));
        }
        let before = run.value(name).cloned().unwrap_or_default();
        let record = RunRecord {
            run: run.id.clone(),
            binding: Some(name.to_owned()),
            value: command.value.clone(),
            before: before.clone(),
            ..RunRecord::default()
        };
        let draft = ctx.draft(RUN_EDITED, to_value(&record).map_err(Refusal::from)?);
        Ok(Decision::one(draft, [("before", before)].into()))
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

    fn known(&self, id: &str) -> Result<&Run, Refusal> {
        if let Some(run) = self.runs.get(id) {
            return Ok(run);
        }
        let known = self.runs.keys().map(String::as_str);
        let near = crate::nearest::nearest(id, known).or_else(|| self.newest());
        let refusal = Refusal::new("unknown-run", format!("there is no run `{id}`")).at_path("/run");
        Err(near.map_or_else(|| refusal.clone(), |near| refusal.clone().suggest(format!("the run `{near}`"))))
    }

    /// A run that is not over.
    fn open(&self, id: &str) -> Result<&Run, Refusal> {
        let run = self.known(id)?;
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
        // What is done for its effect is wanted, whoever uses its result: a tool that changes the world, a check.
        let effect = matches!(&step.action, Action::Call { .. } | Action::Validate { .. } | Action::Ask { .. });
        let wanted = (effect && !used.contains(name.as_str())) || wanted(&name);
        (name, EdgesOf { needs: step.needs.clone(), then, otherwise, rescue: step.rescue.clone(), wanted })
    };
    plan.steps.iter().map(one).collect()
}

/// Breakpoints name one thing each, and it is there.
fn check_breakpoints(breakpoints: &[Breakpoint], known: &dyn Fn(&str) -> bool) -> Result<(), Refusal> {
    for (place, breakpoint) in breakpoints.iter().enumerate() {
        let wrong =
            |message: String| Err(Refusal::new("bad-breakpoint", message).at_path(format!("/breakpoints/{place}")));
        match (&breakpoint.step, &breakpoint.binding, &breakpoint.when) {
            (Some(name), None, None) | (None, Some(name), None) => {
                if !known(bare(name)) {
                    return wrong(format!("the plan has no ${}", bare(name)));
                }
            }
            (None, None, Some(when)) => match throughline_expr::Expr::parse(when) {
                Err(error) => return wrong(format!("`{when}`: {}", error.message())),
                Ok(expr) => {
                    // A condition over a name that never comes would never hold.
                    let names = expr.names();
                    let roots = names.iter().filter_map(|name| name.segments.first());
                    let never = |name: &&String| name.starts_with('$') && !known(bare(name));
                    if let Some(name) = roots.clone().find(never) {
                        return wrong(format!("`{when}`: the plan has no {name}"));
                    }
                }
            },
            _ => return wrong("a breakpoint names a step, a binding or a condition".to_owned()),
        }
    }
    Ok(())
}

fn meaning(plan: &Plan, scope: &Scope, ctx: &Context<'_>) -> Meaning {
    let mut out = Meaning { names: scope.names.iter().cloned().collect(), ..Meaning::default() };
    let patterns = &ctx.domain.patterns;
    for step in &plan.steps {
        match &step.action {
            Action::Get { source, or, .. } => {
                for source in std::iter::once(source).chain(or) {
                    mean_source(&mut out, scope, &source.value);
                }
            }
            Action::Search(lookup) | Action::Query(lookup) => {
                for source in std::iter::once(&lookup.source).chain(&lookup.or) {
                    mean_source(&mut out, scope, &source.value);
                }
            }
            Action::Extract(extract) => {
                for how in std::iter::once(&extract.how).chain(&extract.or) {
                    if let How::Named(name) = how
                        && let Some(regex) = scope.patterns.get(&name.value)
                    {
                        out.patterns.insert(name.value.clone(), regex.clone());
                        let pattern = patterns.get(&name.value);
                        let of_fact = || ctx.domain.facts.get(pattern?.fact.as_ref()?)?.value.class.clone();
                        if let Some(class) = pattern.and_then(|p| p.class.clone()).or_else(of_fact) {
                            out.classes.insert(name.value.clone(), class);
                        }
                    }
                }
            }
            Action::Call { tool: name, .. } => mean_tool(&mut out, scope, &name.value),
            _ => {}
        }
    }
    out
}

fn mean_tool(out: &mut Meaning, scope: &Scope, name: &str) {
    let rule = scope.tools.get(name).cloned().unwrap_or_default();
    out.tools.insert(name.to_owned(), ToolMeaning { writes: rule.writes, approval: rule.approval });
}

fn mean_source(out: &mut Meaning, scope: &Scope, source: &str) {
    let name = source.to_owned();
    let room = |out: &mut Meaning, room: &str| _ = out.rooms.insert(name.clone(), room.to_owned());
    match scope.sources.get(source) {
        Some(Target::Document(document)) => _ = out.documents.insert(name.clone(), document.clone()),
        Some(Target::Tool(tool)) => {
            out.sources.insert(name.clone(), tool.clone());
            mean_tool(out, scope, tool);
        }
        Some(target @ (Target::Http(endpoint) | Target::Search(endpoint))) => {
            let meaning = EndpointMeaning {
                search: matches!(target, Target::Search(_)),
                url: endpoint.url.clone(),
                method: endpoint.method.clone(),
                headers: endpoint.headers.clone(),
                index: endpoint.index.clone(),
                fields: endpoint.fields.clone(),
            };
            out.endpoints.insert(name.clone(), meaning);
        }
        Some(Target::World) => room(out, "world"),
        Some(Target::Facts) => room(out, "facts"),
        Some(Target::Memory) => room(out, "memory"),
        None => {}
    }
    if let Some(rule) = scope.source_rules.get(source) {
        let age =
            rule.max_age.as_deref().and_then(|age| throughline_expr::time::parse_duration(age).ok()?.exact_ms().ok());
        let meaning = RuleMeaning {
            time_field: rule.time_field.clone(),
            official: rule.official,
            trust: rule.trust.clone(),
            max_age: age,
        };
        if meaning != RuleMeaning::default() {
            out.rules.insert(name, meaning);
        }
    }
}
