//! The checker: every problem at once, in the order of the text, with repairs.

mod branches;
mod budget;
mod names;
pub(crate) mod problems;
mod sources;
mod steps;
mod types;

use throughline_protocol::view::{PlanReport, PlanStep};
use throughline_value::{Span, Value, json};

use crate::foreign;
use crate::graph::{self, Edges, Graph};
use crate::limits::{MAX_PLAN_BYTES, MAX_REPAIRS};
use crate::plan::{Plan, Step};
use crate::scope::Scope;
use crate::text::DraftPlan;
use problems::Problems;

/// Reads and checks a plan: text, or the JSON form as a value or as text. The plan is given only when it has
/// no errors. Every place of the report points into [`PlanReport::text`].
#[must_use]
pub fn check(plan: &Value, scope: &Scope) -> (Option<Plan>, PlanReport) {
    let mut problems = Problems::default();
    let text = match plan {
        Value::Text(text) if text.len() > MAX_PLAN_BYTES => {
            let message = format!("a plan has at most {MAX_PLAN_BYTES} bytes; this one has {}", text.len());
            problems.error("plan-too-long", Span::new(MAX_PLAN_BYTES, text.len()), message);
            return (None, reported(String::new(), problems, None, &Graph::new()));
        }
        Value::Text(text) if foreign::fenced(text).is_some() => {
            let message = "the plan stands in a code fence; the fence and what stands around it are passed over";
            problems.warning("code-fence", Span::default(), message).span = None;
            match json::read_value(foreign::fenced(text).unwrap_or("")) {
                Ok(value) => from_json(&value, scope, &mut problems),
                Err(error) => {
                    let message = format!("this looks like the JSON form, but: {error}");
                    problems.error("plan-syntax", Span::default(), message).span = None;
                    return (None, reported(text.clone(), problems, None, &Graph::new()));
                }
            }
        }
        Value::Text(text) if text.trim_start().starts_with(['[', '{']) => match json::read_value(text) {
            Ok(value) => from_json(&value, scope, &mut problems),
            Err(error) => {
                let message = format!("this looks like the JSON form, but: {error}");
                problems.error("plan-syntax", error.span().unwrap_or_default(), message);
                return (None, reported(text.clone(), problems, None, &Graph::new()));
            }
        },
        Value::Text(text) => foreign::read(text, scope, &mut problems).unwrap_or_else(|| text.clone()),
        other => from_json(other, scope, &mut problems),
    };
    if text.len() > MAX_PLAN_BYTES {
        let message = format!("a plan has at most {MAX_PLAN_BYTES} bytes; this one has {}", text.len());
        problems.error("plan-too-long", Span::new(0, 0), message).span = None;
        return (None, reported(String::new(), problems, None, &Graph::new()));
    }
    // A JSON form of which nothing could be written down has said why.
    if text.trim().is_empty() && problems.len() > 0 {
        return (None, reported(text, problems, None, &Graph::new()));
    }
    check_text(text, scope, problems)
}

/// The text form of a plan in JSON, ours or another's.
fn from_json(plan: &Value, scope: &Scope, problems: &mut Problems) -> String {
    // A list of lines is the text form, line by line.
    if let Value::List(items) = plan
        && !items.is_empty()
        && let Some(lines) = items.iter().map(Value::as_str).collect::<Option<Vec<_>>>()
    {
        let text = lines.join("\n");
        return foreign::read(&text, scope, problems).unwrap_or(text);
    }
    foreign::json_calls(plan, scope, problems).unwrap_or_else(|| crate::json::to_text(plan, problems))
}

/// The report of a plan with both its spellings; with `fix`, of the plan that comes of every repair. Repairs come
/// to an end; [`PlanReport::mended`] says after how many rounds.
#[must_use]
pub fn report(plan: &Value, scope: &Scope, fix: bool) -> PlanReport {
    let (mut typed, mut report) = check(plan, scope);
    let mut mended = 0;
    while fix && mended < MAX_REPAIRS && report.diagnostics.iter().any(|d| d.fix.is_some()) {
        let text = crate::apply_fixes(&report.text, &report.diagnostics);
        if text == report.text {
            break;
        }
        (typed, report) = check(&Value::Text(text), scope);
        mended += 1;
    }
    if let Some(plan) = typed {
        report.normal = plan.to_text();
        report.json = plan.to_json();
    }
    PlanReport { mended, ..report }
}

fn check_text(text: String, scope: &Scope, mut problems: Problems) -> (Option<Plan>, PlanReport) {
    let draft = crate::text::parse(&text, scope, &mut problems);
    let graph = names::resolve(&text, &draft, scope, &mut problems);
    steps::check(&draft, scope, &mut problems);
    sources::check(&text, &draft, scope, &mut problems);
    types::check(&text, &draft, scope, &mut problems);
    branches::check(&text, &draft, &graph, &mut problems);
    budget::check(&text, &draft, &graph, scope, &mut problems);
    let plan = assemble(&text, draft, &graph);
    let report = reported(text, problems, plan.as_ref(), &graph);
    (plan.filter(|_| report.ok), report)
}

/// The typed plan, when every step could be read.
fn assemble(text: &str, draft: DraftPlan, graph: &Graph) -> Option<Plan> {
    let steps: Option<Vec<Step>> = draft
        .steps
        .into_iter()
        .map(|step| {
            let edges = graph.get(&step.id.value).cloned().unwrap_or_default();
            Some(Step {
                id: step.id,
                action: step.action?,
                note: step.note,
                span: step.span,
                needs: edges.needs,
                branches: edges.branches,
                rescue: edges.rescue,
                options: step.options,
            })
        })
        .collect();
    Some(Plan { source: text.to_owned(), steps: steps?, note: draft.note, options: draft.options })
}

fn reported(text: String, problems: Problems, plan: Option<&Plan>, graph: &Graph) -> PlanReport {
    let diagnostics = problems.finish();
    let steps = plan.map_or_else(Vec::new, |plan| plan.steps.iter().map(Step::view).collect());
    PlanReport {
        ok: !diagnostics.iter().any(|d| d.severity == "error"),
        diagnostics,
        steps,
        waves: graph::waves(graph),
        text,
        ..PlanReport::default()
    }
}

impl Step {
    fn edges(&self) -> Edges {
        Edges { needs: self.needs.clone(), branches: self.branches.clone(), rescue: self.rescue.clone() }
    }

    /// The step as reports show it.
    #[must_use]
    pub fn view(&self) -> PlanStep {
        let edges = self.edges();
        let mut args = crate::json::args(&self.action);
        args.extend(crate::json::options(&self.options));
        PlanStep {
            id: self.id.value.clone(),
            op: self.action.op().as_str().to_owned(),
            args,
            needs: edges.all().map(str::to_owned).collect(),
            note: self.note.clone(),
            span: self.span,
        }
    }
}

impl Plan {
    /// The steps that can run at the same time, wave by wave.
    #[must_use]
    pub fn waves(&self) -> Vec<Vec<String>> {
        graph::waves(&self.graph())
    }

    pub(crate) fn graph(&self) -> Graph {
        self.steps.iter().map(|s| (s.id.value.clone(), s.edges())).collect()
    }
}
