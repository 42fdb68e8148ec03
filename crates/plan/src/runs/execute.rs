//! One step: its value and what it rests on, or why it has none.

mod combine;
mod find;
mod lookup;
mod unit;

use throughline_expr::Error;
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Number, SortedSet, Value};

use super::environment::{Grounds, RunEnv};
use super::request::{self, Request};
use super::state::{Run, RunStep};
use super::{Documents, Item};
use crate::evidence;
use crate::extract::{Failure, convert};
use crate::limits::{MAX_EVIDENCE, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES};
use crate::plan::{Action, Argument, Formula, Lookup, Type};

pub(super) use lookup::received;

/// What came of a step.
#[derive(Debug)]
pub(super) enum Effect {
    /// It has its value.
    Finished(Box<Finished>),
    /// It took a branch and waits for the steps of it.
    Branched { taken: bool, input: Value },
    /// Something outside must be called.
    Call(Box<Request>),
    /// A person must be asked.
    Ask { question: String, options: Vec<Value>, input: Value },
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
    pub(super) unit: Option<String>,
    pub(super) document: bool,
    pub(super) classes: SortedSet<String>,
}

/// A failure with the input it met.
pub(super) type Failed = (Value, Failure);

/// Where a step is looked at: its run, its host, its names.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) run: &'a Run,
    pub(super) step: &'a RunStep,
    pub(super) host: &'a dyn Documents,
    pub(super) env: &'a RunEnv<'a>,
}

/// Does a step, at the source of this number.
pub(super) fn execute(place: Place<'_>, source: u32) -> Result<Effect, Failed> {
    let Place { run, step, host, env } = place;
    let Some(action) = step.action.as_deref() else {
        let message = "the text of this step cannot be read by this version";
        return Err((Value::Null, Failure::new("step-unreadable", message)));
    };
    let finished = match action {
        Action::Get { source: first, arguments, or } => {
            let name = nth(first, or, source);
            return match document_of(run, name) {
                Some(document) => get(name, document, host).and_then(|f| checked(place, f)),
                None => request::of(place, name, self::arguments(arguments, env)?, None).map(call),
            };
        }
        Action::Search(lookup) | Action::Query(lookup) => {
            let name = nth(&lookup.source, &lookup.or, source);
            let words = words(lookup, env)?;
            let arguments = arguments(&lookup.arguments, env)?;
            return match lookup::here(place, lookup, name, words.as_deref(), &arguments) {
                Some(found) => found.and_then(|f| checked(place, f)),
                None => request::of(place, name, arguments, Some((words, lookup.limit))).map(call),
            };
        }
        Action::Extract(extract) => find::extracted(place, extract)?,
        Action::Compute(formula) => computed(formula, env)?,
        Action::If { condition, then, otherwise } => return choose(place, [condition, then, otherwise]),
        Action::Validate { rule, message } => combine::validate(rule, message.as_ref(), env)?,
        Action::Merge { items, by } => combine::merge(items, by.as_ref().map(|by| by.value.as_str()), env)?,
        Action::Filter { list, rule } => combine::filter(list, rule, env)?,
        Action::Arbitrate { among, by, within } => combine::arbitrate(place, among, by, within.as_ref())?,
        Action::Ask { question, options } => {
            let (question, grounds) = evaluated(question, env)?;
            let input = Value::Map(grounds.values);
            let options = match options.as_ref().map(|options| evaluated(options, env)).transpose()? {
                Some((Value::List(options), _)) => options,
                Some((other, _)) => {
                    let message = format!("the options are a {}; a list is expected", other.kind());
                    return Err((input, Failure::new("wrong-type", message)));
                }
                None => Vec::new(),
            };
            let question = question.as_str().map_or_else(|| question.to_json(), str::to_owned);
            return Ok(Effect::Ask { question, options, input });
        }
        Action::Call { tool, arguments } => {
            return request::tool(place, &tool.value, self::arguments(arguments, env)?).map(call);
        }
    };
    checked(place, finished)
}

fn call(request: Request) -> Effect {
    Effect::Call(Box::new(request))
}

/// The source of this number: the first one, then those behind `OR`.
fn nth<'a>(first: &'a crate::plan::Spanned<String>, or: &'a [crate::plan::Spanned<String>], source: u32) -> &'a str {
    let other = usize::try_from(source).ok().and_then(|at| or.get(at.checked_sub(1)?));
    &other.unwrap_or(first).value
}

/// How many sources a step has beside its first.
pub(super) fn others(step: &RunStep) -> u32 {
    let or = match step.action.as_deref() {
        Some(Action::Get { or, .. }) => or.len(),
        Some(Action::Search(lookup) | Action::Query(lookup)) => lookup.or.len(),
        _ => 0,
    };
    u32::try_from(or).unwrap_or(u32::MAX)
}

fn document_of<'a>(run: &'a Run, source: &'a str) -> Option<&'a str> {
    let elsewhere = run.meaning.sources.contains_key(source) || run.meaning.endpoints.contains_key(source);
    let elsewhere = elsewhere || run.meaning.rooms.contains_key(source);
    (!elsewhere).then(|| run.meaning.documents.get(source).map_or(source, String::as_str))
}

/// What a finished step must keep: its type, its unit, and the limits of every recorded output.
pub(super) fn checked(place: Place<'_>, finished: Finished) -> Result<Effect, Failed> {
    done(place, finished).map(|finished| Effect::Finished(Box::new(finished)))
}

pub(super) fn done(place: Place<'_>, mut finished: Finished) -> Result<Finished, Failed> {
    let options = &place.step.options;
    if let Some(unit) = &options.unit {
        unit::apply(&mut finished, &unit.value, options.r#type.as_ref().map(|t| t.value))?;
    } else if let Some(r#type) = &options.r#type {
        finished.output = convert(&finished.output, Some(r#type.value), place.env)
            .map_err(|failure| (finished.input.clone(), failure))?;
    }
    // Numbers and texts may be personal; what was decided over them is not.
    if !matches!(finished.output, Value::Text(_) | Value::Number(_) | Value::List(_) | Value::Map(_)) {
        finished.classes.clear();
    }
    bounded(finished)
}

/// The limits that every recorded output keeps.
fn bounded(finished: Finished) -> Result<Finished, Failed> {
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

fn get(source: &str, name: &str, host: &dyn Documents) -> Result<Finished, Failed> {
    let input = Value::from([("source", source), ("document", name)]);
    let Some(document) = host.document(name, None) else {
        let message = format!("the source `{source}` reads the document `{name}`, which was not added");
        return Err((input, Failure::new("document-missing", message)));
    };
    Ok(Finished { input, output: describe(&document), document: true, ..Finished::default() })
}

/// What a binding holds of a document: everything but its text.
pub(super) fn describe(document: &super::DocumentRef<'_>) -> Value {
    let pages = evidence::page(document.text, document.text.len());
    Value::from([
        ("document", Value::from(document.name)),
        ("version", document.version.into()),
        ("media_type", document.media_type.into()),
        ("bytes", document.text.len().into()),
        ("pages", Value::from(u64::from(pages))),
        ("hash", document.hash.into()),
    ])
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

pub(super) fn computed(formula: &Formula, env: &RunEnv<'_>) -> Result<Finished, Failed> {
    let (output, grounds) = evaluated(formula, env)?;
    Ok(grounded(output, grounds))
}

fn grounded(output: Value, grounds: Grounds) -> Finished {
    let Grounds { evidence, confidence, values, classes } = grounds;
    Finished { input: Value::Map(values), output, evidence, confidence, classes, ..Finished::default() }
}

fn choose(place: Place<'_>, [condition, then, otherwise]: [&Formula; 3]) -> Result<Effect, Failed> {
    let Place { step, env, .. } = place;
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
    let [first, second] = &step.branches;
    let branch = if taken { first } else { second };
    if !branch.iter().all(|name| place.run.value(name).is_some()) {
        return Ok(Effect::Branched { taken, input: Value::Map(grounds.values) });
    }
    let (output, more) = evaluated(if taken { then } else { otherwise }, env)?;
    grounds.add(more);
    checked(place, Finished { branch: Some(taken), ..grounded(output, grounds) })
}

/// The arguments as values.
fn arguments(arguments: &[Argument], env: &RunEnv<'_>) -> Result<Map, Failed> {
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
    Ok(args)
}

fn words(lookup: &Lookup, env: &RunEnv<'_>) -> Result<Option<String>, Failed> {
    let Some(words) = &lookup.words else { return Ok(None) };
    let (value, grounds) = evaluated(words, env)?;
    match value {
        Value::Text(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.as_str().into_owned())),
        Value::Null => Ok(None),
        other => {
            let message = format!("`{}` is a {}; words are a text", words.source(), other.kind());
            Err((Value::Map(grounds.values), Failure::new("wrong-type", message)))
        }
    }
}

/// The value that stands in for a step that has failed.
pub(super) fn fallback(place: Place<'_>, formula: &Formula) -> Result<Finished, Failed> {
    done(place, computed(formula, place.env)?)
}

/// A list of finds as a value, with what it rests on.
fn listed(items: Vec<Item>, input: Value) -> Finished {
    let finds = (items.len() != 1).then_some(items.len() as u64);
    let mut output = Vec::new();
    let mut evidence = Vec::new();
    let mut classes = SortedSet::new();
    for item in items {
        output.push(item.value);
        evidence.push(item.evidence);
        classes.extend(item.classes);
    }
    // One place an item, so that a rule over the list keeps the places of what it keeps.
    evidence.truncate(MAX_EVIDENCE);
    Finished { input, output: Value::List(output), evidence, finds, classes, ..Finished::default() }
}

/// What a value must be to be taken as a list.
fn list_of(value: Value, of: &Formula, grounds: &Grounds) -> Result<Vec<Value>, Failed> {
    match value {
        Value::List(list) => Ok(list),
        other => {
            let message = format!("`{}` is a {}; a list is expected", of.source(), other.kind());
            Err((Value::Map(grounds.values.clone()), Failure::new("wrong-type", message)))
        }
    }
}

/// Whether a rule holds for an item.
fn holds(rule: &Formula, item: &Value, index: usize, env: &RunEnv<'_>) -> Result<(bool, Grounds), Failed> {
    let env = env.with_item(item, index);
    let (value, grounds) = evaluated(rule, &env)?;
    match value.as_bool() {
        Some(holds) => Ok((holds, grounds)),
        None => {
            let message =
                format!("`{}` is a {} for item {index}; a rule is true or false", rule.source(), value.kind());
            Err((Value::Map(grounds.values), Failure::new("not-boolean", message)))
        }
    }
}

/// The type that a step's number has without being told.
const fn is_number(r#type: Option<Type>) -> bool {
    matches!(r#type, None | Some(Type::Number | Type::Integer))
}
