//! Why a run went wrong: the root cause in a sentence, the near miss, and what to change.

use throughline_protocol::view::{Fix, NearMiss, PlanReport, RunDiagnosis, RunView, StepView};
use throughline_value::{Span, Value};

/// Below this a value is doubtful, in tenths.
const DOUBTFUL: f64 = 0.8;

/// What a failure of each code means to whoever wrote the plan: code, and what to do. `{}` stands for the step.
const ADVICE: &[(&str, &str)] = &[
    ("document-missing", "add the document with `add_document` before the run, or give {} another source behind `OR`"),
    ("several-values", "say FIRST, LAST or ALL in {}, or look for less"),
    ("wrong-type", "extract what surrounds the value more closely in {}, or ask for another type"),
    ("wrong-unit", "ask for the unit that the source has in {}, and convert it where it is used"),
    (
        "validation-failed",
        "the check is right to fail: look at the values that it used; if they are right, change the rule of {}",
    ),
    (
        "not-settled",
        "name a policy in {} that decides it (`BY official, newest, majority, trust`), a tolerance (`WITHIN`), or ask a person",
    ),
    ("timed-out", "give {} more time (`timeout`), a retry, or a fallback"),
    ("division-by-zero", "guard the division of {} by `IF`"),
    ("not-boolean", "compare the value in {}: a condition is true or false"),
    ("not-approved", "a person decided against it: the plan should have another way, for example a `fallback` of {}"),
    ("approval-required", "start the plan again: its tool needs approval by now, and the new run asks for it"),
    ("tool-closed", "bring the machine into a state in which the tool of {} is open, then run the plan again"),
    ("no-tool", "register the tool of {} when the session is opened"),
    ("budget-tokens", "ask for less in {}, or raise `max_tokens`"),
    (
        "bad-document",
        "the document of {} is not what its reader expects: use PATTERN instead of JSONPATH, or another media type",
    ),
    ("output-too-long", "take less in {}"),
    ("input-too-long", "send less in {}"),
    ("not-recorded", "run the plan again with a host that can make the call of {}"),
];

/// Diagnoses a run; `plan` is its text when the view does not have it.
#[must_use]
pub fn run(view: &RunView, plan: Option<&str>) -> RunDiagnosis {
    let text = if view.plan.is_empty() { plan.unwrap_or("") } else { &view.plan };
    let mut out = RunDiagnosis { run: view.row.id.clone(), status: view.row.status.clone(), ..RunDiagnosis::default() };
    let failed = |step: &&StepView| step.status == "failed";
    let root = view.steps.iter().filter(failed).min_by_key(|step| step.seq);
    out.blocked = view.steps.iter().filter(|step| step.status == "blocked").map(|step| step.id.clone()).collect();
    out.also = doubts(view, root);
    let Some(step) = root else {
        (out.cause, out.suggestion) = without_failure(view);
        return out;
    };
    let code = step.code.clone().unwrap_or_default();
    let error = step.error.clone().unwrap_or_default();
    let lost = match out.blocked.len() {
        0 => String::new(),
        1 => format!("; {} has no value because of it", named(out.blocked.iter())),
        _ => format!("; {} have no value because of it", named(out.blocked.iter())),
    };
    out.cause = format!("${} ({}) failed: {}{lost}.", step.id, step.op, error.trim_end_matches('.'));
    out.step = Some(step.id.clone());
    out.code = step.code.clone();
    out.source = source(step, text).to_owned();
    out.near = step.near.clone();
    let advice = ADVICE
        .iter()
        .find(|(known, _)| *known == code)
        .map(|(_, advice)| advice.replace("{}", &format!("${}", step.id)));
    let untyped = untyped(view, step, &code);
    out.suggestion = match (&step.near, advice) {
        _ if untyped.is_some() => untyped.as_ref().map(|(_, said)| said.clone()).unwrap_or_default(),
        (None, Some(_)) if code == "wrong-type" && !matches!(step.op.as_str(), "EXTRACT" | "CALL" | "GET") => format!(
            "look at the values that ${} uses: the operation does not take one of them; convert it, or say what stands in for null with `?? …`",
            step.id
        ),
        (Some(NearMiss { instead: Some(instead), quote, .. }), _) => {
            format!("look for `{instead}` in ${}: the text has `{}`", step.id, quote.replace('\n', " "))
        }
        (Some(near), _) => {
            format!("the text has `{}` there: look for that in ${}", near.quote.replace('\n', " "), step.id)
        }
        (None, Some(advice)) => advice,
        (None, None) if code.starts_with("http-") || code.starts_with("tool") => {
            format!(
                "the source of ${} did not answer as it should: give it `retry`, another source behind `OR`, or a `fallback`",
                step.id
            )
        }
        (None, None) if code == "value-missing" => {
            format!(
                "nothing like it is in the source: read another source in ${}, give it a DEFAULT, or another way behind `OR`",
                step.id
            )
        }
        (None, None) => format!("change ${}, or give it a `fallback`", step.id),
    };
    out.fix = fix(step, text, &code).or_else(|| convert(step, text, &untyped?.0));
    out.repaired = out.fix.as_ref().and_then(|fix| {
        let (before, after) = (text.get(..fix.span.start)?, text.get(fix.span.end..)?);
        Some(format!("{before}{}{after}", fix.replacement))
    });
    out
}

/// Diagnoses a plan that was refused.
#[must_use]
pub fn plan(report: &PlanReport) -> RunDiagnosis {
    let mut errors = report.diagnostics.iter().filter(|d| d.severity == "error");
    let mut out = RunDiagnosis { status: "refused".to_owned(), ..RunDiagnosis::default() };
    let Some(first) = errors.next() else {
        return RunDiagnosis { status: "checked".to_owned(), cause: "The plan has no errors.".to_owned(), ..out };
    };
    out.cause = format!("The plan does not hold and no step has run: {}.", first.message.trim_end_matches('.'));
    (out.code, out.step) = (Some(first.code.clone()), first.step.clone());
    out.source = first.span.and_then(|span| report.text.get(span.start..span.end)).unwrap_or("").to_owned();
    out.fix.clone_from(&first.fix);
    out.suggestion = first.fix.as_ref().map_or_else(|| first.message.clone(), |fix| fix.title.clone());
    out.also = errors.map(|d| format!("{}: {}", d.code, d.message)).collect();
    let fixes: Vec<Fix> = report.diagnostics.iter().filter_map(|d| d.fix.clone()).collect();
    out.repaired = (!fixes.is_empty()).then(|| crate::apply_fixes(&report.text, &report.diagnostics));
    out
}

fn without_failure(view: &RunView) -> (String, String) {
    let over = matches!(view.row.status.as_str(), "done" | "failed" | "cancelled");
    if let Some(ask) = view.asks.iter().find(|ask| !ask.settled && !over) {
        return (
            format!("Nothing failed; the run waits for a person: {}", ask.question),
            format!("answer `{}`", ask.id),
        );
    }
    let waiting = view.steps.iter().filter(|step| step.status == "running").map(|step| &step.id);
    let calls = named(waiting);
    match (view.row.status.as_str(), &view.error, &view.paused_at) {
        ("failed", Some(error), _) => (format!("The run ended: {error}."), "raise the budget, or do less".to_owned()),
        ("paused", _, Some(at)) => {
            (format!("Nothing failed; the run is paused: {at}."), "`continue_run` or `step_run`".to_owned())
        }
        ("paused", ..) => ("Nothing failed; the run is paused.".to_owned(), "`continue_run` or `step_run`".to_owned()),
        ("cancelled", ..) => ("Nothing failed; the run was cancelled.".to_owned(), "start it again".to_owned()),
        ("running", ..) if !calls.is_empty() => {
            (format!("Nothing failed; {calls} waits for an answer."), "wait".to_owned())
        }
        _ => ("Nothing failed.".to_owned(), String::new()),
    }
}

/// The binding that is a text and spells a number, where the step computes with it; and what to do about it.
fn untyped(view: &RunView, step: &StepView, code: &str) -> Option<(String, String)> {
    (code == "wrong-type" && !matches!(step.op.as_str(), "EXTRACT" | "CALL" | "GET")).then_some(())?;
    let (name, text) = step.needs.iter().find_map(|need| {
        let text = view.bindings.iter().find(|binding| binding.name == *need)?.value.as_str()?;
        throughline_value::Number::parse(text.trim()).map(|_| (need, text))
    })?;
    let at_source = view.steps.iter().any(|source| source.id == *name && source.op == "EXTRACT");
    let at_source = if at_source { format!(", or take it `AS number` in ${name}") } else { String::new() };
    Some((name.clone(), format!("${name} is the text \"{text}\": write `number(${name})` in ${}{at_source}", step.id)))
}

/// The step with `number(…)` around a binding.
fn convert(step: &StepView, text: &str, name: &str) -> Option<Fix> {
    let source = source(step, text);
    let start = text.find(source)?;
    let (wanted, body) = (format!("${name}"), source.find('=')? + 1);
    let mut out = source.get(..body)?.to_owned();
    let mut rest = source.get(body..)?;
    while let Some(at) = rest.find(&wanted) {
        let (before, behind) = (rest.get(..at)?, rest.get(at + wanted.len()..)?);
        let longer = behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '['));
        out.push_str(before);
        out.push_str(&if longer { wanted.clone() } else { format!("number({wanted})") });
        rest = behind;
    }
    out.push_str(rest);
    let title = format!("read ${name} as a number");
    (out != source && !source.contains(['"', '\''])).then(|| Fix {
        title,
        span: Span::new(start, start + source.len()),
        replacement: out,
    })
}

/// Everything else that went wrong or is doubtful.
fn doubts(view: &RunView, root: Option<&StepView>) -> Vec<String> {
    let mut out = Vec::new();
    for step in &view.steps {
        let id = &step.id;
        let error = step.error.as_deref().unwrap_or("");
        if step.status == "failed" && root.is_none_or(|root| root.id != *id) {
            out.push(format!("${id} failed too: {error}"));
        }
        match step.mark.as_deref() {
            Some("fallback") => out.push(format!("${id} has its fallback, since it failed: {error}")),
            Some("skipped_over") => out.push(format!("${id} is null, since it failed: {error}")),
            Some("stubbed") => out.push(format!("${id} is a stub and was not called")),
            _ => {}
        }
        if let Some(confidence) = step.confidence.as_ref().filter(|c| c.to_f64() < DOUBTFUL) {
            out.push(format!("${id} is doubtful (confidence {}): there were several finds that differ, or it was recognised by its looks", confidence.as_str()));
        }
        if step.input.get("disputed") == Some(&Value::Bool(true)) {
            let by = step.input.get("settled_by").and_then(Value::as_str).unwrap_or("");
            out.push(format!("${id} was disputed and settled by {by}"));
        }
        if let Some(hit) = &step.cached {
            out.push(format!("${id} comes from the cache and was {} ms old", hit.age));
        }
    }
    out
}

fn source<'a>(step: &'a StepView, text: &'a str) -> &'a str {
    if step.source.is_empty() { text.get(step.span.start..step.span.end).unwrap_or("") } else { &step.source }
}

/// The change as a repair of the text.
fn fix(step: &StepView, text: &str, code: &str) -> Option<Fix> {
    let source = source(step, text);
    let start =
        if text.get(step.span.start..step.span.end) == Some(source) { step.span.start } else { text.find(source)? };
    let looked = ["pattern", "path", "selector"].iter().find_map(|name| step.input.get(name)).and_then(Value::as_str);
    if let Some(instead) = step.near.as_ref().and_then(|near| near.instead.as_deref()) {
        // Only what is written in the step itself can be replaced there; a pattern of the domain cannot.
        let (at, end) = written(source, looked?)?;
        let (quote, old) = (source.get(at..)?, source.get(at..end)?);
        let raw = if quote.starts_with('r') || instead.contains('\\') { "r" } else { "" };
        let replacement =
            if instead.contains('"') { format!("{raw}'{instead}'") } else { format!("{raw}\"{instead}\"") };
        let span = Span::new(start + at, start + end);
        return Some(Fix { title: format!("look for what the text has instead of {old}"), span, replacement });
    }
    if code == "several-values" {
        let (_, end) = written(source, looked?)?;
        let span = Span::new(start + end, start + end);
        return Some(Fix { title: "take the first".to_owned(), span, replacement: " FIRST".to_owned() });
    }
    None
}

/// Where a text stands in quotes, quotes and `r` included.
fn written(source: &str, looked: &str) -> Option<(usize, usize)> {
    let escaped = looked.replace('\\', "\\\\");
    let forms = [looked.to_owned(), escaped.clone(), escaped.replace('"', "\\\"")];
    forms.iter().find_map(|form| {
        let at = source.find(form.as_str())?;
        let end = at + form.len();
        let before = source.get(..at)?;
        let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
        source.get(end..)?.starts_with(quote).then_some(())?;
        let raw = before.get(..at - 1)?.ends_with('r');
        Some((at - 1 - usize::from(raw), end + 1))
    })
}

fn named<'a>(ids: impl Iterator<Item = &'a String>) -> String {
    let ids: Vec<String> = ids.map(|id| format!("${id}")).collect();
    match ids.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
