//! One step: its value and what it rests on, or why it has none.

use throughline_expr::{Env as _, Error};
use throughline_journal::{Digest, Seq};
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Number, Span, Value};

use super::environment::{Grounds, RunEnv};
use super::state::{Run, RunStep};
use super::{DocumentRef, Documents};
use crate::evidence;
use crate::extract::{Extracted, Failure, Query, extract};
use crate::holes::{Hole, Language, filled, literal};
use crate::limits::{MAX_EVIDENCE, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES};
use crate::plan::{Action, Argument, Extract, Formula, How};

/// What came of a step.
#[derive(Debug)]
pub(super) enum Effect {
    /// It has its value.
    Finished(Finished),
    /// It took a branch and waits for the steps of it.
    Branched { taken: bool, input: Value },
    /// A tool must be called.
    Call { tool: String, args: Map },
}

/// A value and what it rests on.
#[derive(Debug, Default)]
pub(super) struct Finished {
    pub(super) input: Value,
    pub(super) output: Value,
    pub(super) evidence: Vec<Evidence>,
    pub(super) confidence: Option<Number>,
    pub(super) finds: Option<u64>,
    pub(super) branch: Option<bool>,
}

/// A failure with the input it met.
pub(super) type Failed = (Value, Failure);

pub(super) fn execute(run: &Run, step: &RunStep, host: &dyn Documents, env: &RunEnv<'_>) -> Result<Effect, Failed> {
    let Some(action) = step.action.as_deref() else {
        let message = "the text of this step cannot be read by this version";
        return Err((Value::Null, Failure::new("step-unreadable", message)));
    };
    let finished = match action {
        Action::Get { source, .. } => return get(run, &source.value, host),
        Action::Extract(extract) => self::extracted(run, extract, host, env)?,
        Action::Compute(formula) => computed(formula, env)?,
        Action::If { condition, then, otherwise } => return choose(step, [condition, then, otherwise], env),
        Action::Call { tool, arguments } => return call(&tool.value, arguments, env),
        other => {
            let message = format!("{} is not run by this version", other.op().as_str());
            return Err((Value::Null, Failure::new("operation-not-available", message)));
        }
    };
    bounded(finished).map(Effect::Finished)
}

/// The limits that every recorded output keeps.
pub(super) fn bounded(finished: Finished) -> Result<Finished, Failed> {
    let bytes = finished.output.to_json().len();
    if bytes > MAX_OUTPUT_BYTES {
        let message = format!("the value has {bytes} bytes; at most {MAX_OUTPUT_BYTES} are recorded: take less");
        return Err((finished.input, Failure::new("output-too-long", message)));
    }
    if finished.evidence.len() > MAX_EVIDENCE {
        let message = format!(
            "the value rests on {} places; at most {MAX_EVIDENCE} are kept: take less",
            finished.evidence.len()
        );
        return Err((finished.input, Failure::new("too-much-evidence", message)));
    }
    Ok(finished)
}

fn get(run: &Run, source: &str, host: &dyn Documents) -> Result<Effect, Failed> {
    if let Some(tool) = run.meaning.sources.get(source) {
        return Ok(Effect::Call { tool: tool.clone(), args: Map::new() });
    }
    let name = run.meaning.documents.get(source).map_or(source, String::as_str);
    let input = Value::from([("source", source), ("document", name)]);
    let Some(document) = host.document(name, None) else {
        let message = format!("the source `{source}` reads the document `{name}`, which was not added");
        return Err((input, Failure::new("document-missing", message)));
    };
    let pages = evidence::page(document.text, document.text.len());
    let output = Value::from([
        ("document", Value::from(document.name)),
        ("version", document.version.into()),
        ("media_type", document.media_type.into()),
        ("bytes", document.text.len().into()),
        ("pages", Value::from(u64::from(pages))),
        ("hash", document.hash.into()),
    ]);
    Ok(Effect::Finished(Finished { input, output, ..Finished::default() }))
}

fn extracted(run: &Run, what: &Extract, host: &dyn Documents, env: &RunEnv<'_>) -> Result<Finished, Failed> {
    let mut input = Map::new();
    input.insert("from".to_owned(), what.from.value.as_str().into());
    let (text, language) = match &what.how {
        How::Path(path) => (path.value.as_str(), Language::Path),
        How::Pattern(regex) => (regex.value.as_str(), Language::Pattern),
        How::Named(name) => match run.meaning.patterns.get(&name.value) {
            Some(regex) => (regex.as_str(), Language::Pattern),
            None => {
                let message = format!("the pattern `{}` is not known to this run", name.value);
                return Err((Value::Map(input), Failure::new("unknown-pattern", message)));
            }
        },
        _ => return Err((Value::Null, Failure::new("operation-not-available", "this way to extract is not run by this version"))),
    };
    let text = match filled(text, language, |hole| literal_of(hole, language, env)) {
        Ok(text) => text,
        Err(failure) => return Err((Value::Map(input), failure)),
    };
    let query = match language {
        Language::Path => Query::Path(&text),
        Language::Pattern => Query::Pattern(&text),
    };
    match query {
        Query::Path(path) => input.insert("path".to_owned(), path.into()),
        Query::Pattern(regex) => input.insert("pattern".to_owned(), regex.into()),
    };
    let looked = look(run, what, query, host, env, &mut input);
    let input = Value::Map(input);
    match looked {
        Ok(finished) => Ok(Finished { input, ..finished }),
        Err(failure) => match &what.default {
            Some(default) if failure.code == "value-missing" => {
                let mut finished = computed(default, env).map_err(|(_, failure)| (input.clone(), failure))?;
                finished.input = input;
                finished.finds = Some(0);
                Ok(finished)
            }
            _ => Err((input, failure)),
        },
    }
}

/// The value of a place in a path or a pattern, as a literal there.
fn literal_of(hole: &Hole, language: Language, env: &RunEnv<'_>) -> Result<String, Failure> {
    let value = env.get(&format!("${}", hole.name)).unwrap_or_default();
    literal(&value, language).ok_or_else(|| {
        let message = format!(
            "${} is a {}; in a path or a pattern stands a text, a number or a boolean",
            hole.name,
            value.kind()
        );
        Failure::new("wrong-type", message)
    })
}

/// Where the text of a step's value lies.
enum Source<'a> {
    /// In a document, or in the result of a tool, which is as one.
    Document(DocumentRef<'a>),
    /// In a value that rests on evidence of its own.
    Value(&'a str, &'a [Evidence]),
}

fn look(
    run: &Run,
    what: &Extract,
    query: Query<'_>,
    host: &dyn Documents,
    env: &RunEnv<'_>,
    input: &mut Map,
) -> Result<Finished, Failure> {
    let from = what.from.value.as_str();
    let missing = || Failure::new("value-missing", format!("${from} has no value"));
    let (value, step) = match run.steps.get(from) {
        Some(step) => (&step.now().output, Some(step)),
        None => (run.inputs.get(from).ok_or_else(missing)?, None),
    };
    // What a value is follows from the step that gave it, never from how the value looks: a tool's result that
    // is shaped like a document is still only a result.
    let action = step.and_then(|s| s.action.as_deref());
    let text_of_value = match value {
        Value::Text(text) => text.clone(),
        other => other.to_json(),
    };
    let hash;
    let given;
    let source = match action {
        Some(Action::Get { source, .. }) if !run.meaning.sources.contains_key(&source.value) => {
            let name = value.get("document").and_then(Value::as_str).unwrap_or("");
            let version = value.get("version").and_then(Value::as_i64).and_then(|v| u64::try_from(v).ok());
            let document = host.document(name, version).ok_or_else(|| {
                Failure::new(
                    "document-missing",
                    format!("version {} of `{name}` is no longer there", version.unwrap_or(0)),
                )
            })?;
            input.insert("document".to_owned(), name.into());
            input.insert("version".to_owned(), document.version.into());
            Source::Document(document)
        }
        Some(Action::Get { .. } | Action::Call { .. }) => {
            hash = Digest::of_bytes(text_of_value.as_bytes());
            let name = step.and_then(|s| s.now().evidence.first()).map_or(from, |e| e.document.as_str());
            input.insert("document".to_owned(), name.into());
            Source::Document(DocumentRef { name, version: 0, media_type: "", text: &text_of_value, hash: &hash })
        }
        Some(_) => Source::Value(&text_of_value, step.map_or(&[], |s| s.now().evidence.as_slice())),
        None => {
            given = [evidence::given(from, value, "input")];
            Source::Value(&text_of_value, &given)
        }
    };
    let text = match &source {
        Source::Document(document) => document.text,
        Source::Value(text, _) => text,
    };
    let found = extract(text, query, what.pick, what.r#type, env)?;
    Ok(grounded(found, &source, query.method()))
}

/// The value with evidence for the bytes it was found in.
fn grounded(found: Extracted, source: &Source<'_>, method: &str) -> Finished {
    let evidence = match source {
        Source::Document(document) => found.spans.iter().map(|span| evidence::of(document, *span, method)).collect(),
        // Text that was taken from one place as it stands: the find lies further inside that place.
        Source::Value(text, [one]) if one.quote == **text => {
            let inside = |span: &Span| Evidence {
                span: Span::new(one.span.start + span.start, one.span.start + span.end),
                quote: text.get(span.start..span.end).unwrap_or("").to_owned(),
                page: one.page + evidence::page(text, span.start) - 1,
                method: method.to_owned(),
                ..one.clone()
            };
            found.spans.iter().map(inside).collect()
        }
        Source::Value(_, all) => all.to_vec(),
    };
    let finds = (found.finds != 1).then_some(found.finds as u64);
    Finished { output: found.value, evidence, confidence: Some(found.confidence), finds, ..Finished::default() }
}

fn evaluated(formula: &Formula, env: &RunEnv<'_>) -> Result<(Value, Grounds), Failed> {
    match formula.expr.eval_traced(env) {
        Ok(outcome) => {
            let grounds = env.grounds(&outcome.reads);
            Ok((outcome.value, grounds))
        }
        Err(error) => {
            let input = env.grounds(&formula.expr.names()).values;
            Err((Value::Map(input), failure(&error, formula)))
        }
    }
}

/// An expression's error with the part of the expression it is about.
fn failure(error: &Error, formula: &Formula) -> Failure {
    let part = error.span().and_then(|span| {
        let start = span.start.checked_sub(formula.span.start)?;
        formula.source().get(start..span.end.checked_sub(formula.span.start)?)
    });
    let part = part.filter(|p| !p.is_empty() && *p != formula.source());
    let place = part.map_or_else(String::new, |part| format!(" (at `{part}`)"));
    Failure::new(error.code(), format!("`{}`: {}{place}", formula.source(), error.message()))
}

fn computed(formula: &Formula, env: &RunEnv<'_>) -> Result<Finished, Failed> {
    let (output, grounds) = evaluated(formula, env)?;
    let Grounds { evidence, confidence, values } = grounds;
    Ok(Finished { input: Value::Map(values), output, evidence, confidence, ..Finished::default() })
}

fn choose(step: &RunStep, [condition, then, otherwise]: [&Formula; 3], env: &RunEnv<'_>) -> Result<Effect, Failed> {
    let (holds, mut grounds) = evaluated(condition, env)?;
    // Once a branch is recorded it stays: what the condition rests on may look different a moment later.
    let taken = match (step.now().branch, holds.as_bool()) {
        (Some(taken), _) => taken,
        (None, Some(holds)) => holds,
        (None, None) => {
            let message = format!("`{}` is a {}; a condition is true or false", condition.source(), holds.kind());
            return Err((Value::Map(grounds.values), Failure::new("not-boolean", message)));
        }
    };
    let branch = if taken { &step.branches[0] } else { &step.branches[1] };
    let has_value = |name: &str| env.get(&format!("${name}")).is_some();
    if !branch.iter().all(|name| has_value(name)) {
        return Ok(Effect::Branched { taken, input: Value::Map(grounds.values) });
    }
    let (output, more) = evaluated(if taken { then } else { otherwise }, env)?;
    grounds.add(more);
    let Grounds { evidence, confidence, values } = grounds;
    let finished =
        Finished { input: Value::Map(values), output, evidence, confidence, branch: Some(taken), finds: None };
    bounded(finished).map(Effect::Finished)
}

fn call(tool: &str, arguments: &[Argument], env: &RunEnv<'_>) -> Result<Effect, Failed> {
    let mut args = Map::new();
    for argument in arguments {
        let (value, _) = evaluated(&argument.value, env)?;
        args.insert(argument.name.value.clone(), value);
    }
    let bytes: usize = args.values().map(|value| value.to_json().len()).sum();
    if bytes > MAX_INPUT_BYTES {
        let message = format!("the arguments have {bytes} bytes; at most {MAX_INPUT_BYTES} are sent: send less");
        return Err((Value::Map(args), Failure::new("input-too-long", message)));
    }
    Ok(Effect::Call { tool: tool.to_owned(), args })
}

/// The result of a tool as a value with evidence: the result itself, under the name of the tool or source.
pub(super) fn returned(step: &RunStep, output: Value) -> Result<Finished, Failed> {
    let name = match step.action.as_deref() {
        Some(Action::Get { source, .. }) => source.value.as_str(),
        Some(Action::Call { tool, .. }) => tool.value.as_str(),
        _ => step.op.as_str(),
    };
    let evidence = vec![evidence::given(name, &output, "tool")];
    bounded(Finished { input: Value::Null, output, evidence, confidence: None, ..Finished::default() })
}

/// The last record of what a step needs: the record that led to it.
pub(super) fn cause(run: &Run, step: &RunStep) -> Seq {
    let names = step.needs.iter().chain(step.branches.iter().flatten());
    let seqs = names.filter_map(|name| run.steps.get(name)?.states.iter().next_back().map(|(seq, _)| *seq));
    seqs.max().unwrap_or(run.seq).max(run.seq)
}
