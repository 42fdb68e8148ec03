//! A proposal by the provider's own calls of tools: each open action is a tool, and one call of one is the value; a
//! plan is the arguments of the one tool that takes plans.
//!
//! Nothing runs from a call. It becomes the same value that the model would have written as JSON, and is checked as
//! that. Several different calls are as good as several different values: none is taken.

use throughline_model::{Tool, ToolCall, schema};
use throughline_protocol::domain::{Intent, ProposedAction};
use throughline_value::{Map, Value, json};

use crate::turns::ExchangeFinished;

/// What the model is told where it is given tools.
pub(super) const TOLD: &str = " Where you are given functions, call exactly one instead; `none` for no action.";

/// What the model is told where it may give its plan to a tool.
pub(super) const TOLD_PLAN: &str =
    " Where you are given the function `propose_plan`, call it once instead; its arguments are that value.";

/// The tool that takes a plan.
const PLAN: &str = "propose_plan";

/// The tool that stands for no action, unless an action has this name.
const NONE: &str = "none";

/// What a call may say beside the action's own arguments.
const BESIDE: [(&str, &str); 2] =
    [("reason", r#"{"type":"string"}"#), ("confidence", r#"{"type":"number","minimum":0,"maximum":1}"#)];

/// The longest name of a tool that every provider takes.
const MAX_NAME: usize = 64;

/// What an action is called on the wire: its own name where a provider takes it, else its place.
fn wire_name(intent: &Intent, action: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if action.len() <= MAX_NAME && action.chars().all(plain) {
        return action.to_owned();
    }
    let place = intent.actions.iter().position(|name| name == action).unwrap_or(0);
    format!("action_{place}")
}

/// The open actions as tools.
pub(super) fn tools<'a>(
    intent: &Intent,
    open: impl Iterator<Item = (&'a String, &'a ProposedAction)>,
    language: &str,
) -> Vec<Tool> {
    let mut tools: Vec<Tool> = open
        .map(|(name, action)| Tool {
            name: wire_name(intent, name),
            description: action.description.get(language).to_owned(),
            schema: with_beside(&action.schema),
        })
        .collect();
    if !tools.iter().any(|tool| tool.name == NONE) {
        let schema = with_beside(&Value::Null);
        tools.push(Tool { name: NONE.to_owned(), description: "No action.".to_owned(), schema });
    }
    tools
}

/// The tool whose arguments are a plan of this form.
pub(super) fn plan_tool(form: &Value) -> Tool {
    let description = "Proposes the plan that finds what the answer needs. It is checked before anything runs.";
    Tool { name: PLAN.to_owned(), description: description.to_owned(), schema: form.clone() }
}

/// The plan as JSON would have it, from a value that a call may have given.
///
/// # Errors
/// Everything in the call's arguments that does not fit.
pub(super) fn plan(value: &Value, form: &Value) -> Result<Value, Vec<String>> {
    let Some(args) = value.get("call").and(value.get("args")) else { return Ok(value.clone()) };
    let problems = schema::problems(args, form);
    if problems.is_empty() {
        return Ok(args.clone());
    }
    Err(problems.iter().map(|problem| format!("{PLAN}{}: {}", problem.path, problem.message)).collect())
}

/// The schema of an action's arguments, with a place for the reason and the confidence.
fn with_beside(schema: &Value) -> Value {
    let mut map = schema.as_map().cloned().unwrap_or_default();
    map.entry("type".to_owned()).or_insert_with(|| Value::from("object"));
    let mut properties = map.get("properties").and_then(Value::as_map).cloned().unwrap_or_default();
    for (name, form) in BESIDE {
        properties.entry(name.to_owned()).or_insert_with(|| json::read_value(form).unwrap_or_default());
    }
    map.insert("properties".to_owned(), Value::Map(properties));
    Value::Map(map)
}

/// The value that a reply's calls propose; `None` when it has none.
pub(super) fn value(finished: &ExchangeFinished, requested: &Value) -> Option<Result<Value, (&'static str, String)>> {
    let mut calls: Vec<&ToolCall> = finished.tool_calls.iter().collect();
    calls.dedup_by(|a, b| a.name == b.name && a.arguments == b.arguments);
    let call = match calls.as_slice() {
        [] => return None,
        [one] => one,
        several => {
            let names: Vec<&str> = several.iter().map(|call| call.name.as_str()).collect();
            let message = format!("{} calls ({}) where one is taken; none is done", several.len(), names.join(", "));
            return Some(Err(("several-calls", message)));
        }
    };
    let tools = requested.get("tools").and_then(Value::as_list).unwrap_or_default();
    if tools.is_empty() {
        let message = format!("`{}` was called where no tool is offered; write the value as JSON", call.name);
        return Some(Err(("unexpected-call", message)));
    }
    let names = |tool: &Value| tool.get("name").and_then(Value::as_str) == Some(PLAN);
    if call.name != PLAN && !call.name.is_empty() && tools.iter().any(names) {
        let message = format!("`{}` is not a function here; nothing was done. Call `{PLAN}` with the plan", call.name);
        return Some(Err(("unexpected-call", message)));
    }
    Some(read(call).map_err(|error| {
        let code = if error.code() == "call-without-name" { "call-without-name" } else { "bad-arguments" };
        (code, error.message().to_owned())
    }))
}

fn read(call: &ToolCall) -> Result<Value, throughline_value::Error> {
    let read = call.read()?;
    let args = read.arguments.as_map().cloned().unwrap_or_default();
    let action = Value::from(read.name);
    Ok(Value::Map(Map::from_iter([("call".to_owned(), action), ("args".to_owned(), Value::Map(args))])))
}

/// A value as JSON would have it, from one that a call gave: the action under its own name, and what stands beside
/// its arguments apart.
pub(super) fn proposal(value: &Value, intent: &Intent, schema_of: impl Fn(&str) -> Option<Value>) -> Value {
    let Some(name) = value.get("call").and_then(Value::as_str) else { return value.clone() };
    let own = intent.actions.iter().find(|action| *action == name || wire_name(intent, action) == name);
    let mut args = value.get("args").and_then(Value::as_map).cloned().unwrap_or_default();
    let mut map = Map::new();
    let action = match own {
        Some(own) => Value::from(own.as_str()),
        None if name == NONE => Value::Null,
        None => Value::from(name),
    };
    let schema = own.and_then(|own| schema_of(own)).unwrap_or_default();
    map.insert("action".to_owned(), action);
    for (beside, _) in BESIDE {
        if schema.at(&["properties", beside]).is_none()
            && let Some(said) = args.shift_remove(beside)
        {
            map.insert(beside.to_owned(), said);
        }
    }
    map.insert("args".to_owned(), Value::Map(args));
    Value::Map(map)
}
