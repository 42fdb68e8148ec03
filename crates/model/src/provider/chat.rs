//! Bodies of chat completions.

use throughline_value::{Map, Value};

use super::{Asked, Structured, format_name, functions, number, text};
use crate::schema;

pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), text(asked.model));
    let reduced = asked.schema();
    let messages = asked.messages(reduced.is_some());
    let message = |(role, content): &(&str, String)| Value::from([("role", text(role)), ("content", text(content))]);
    body.insert("messages".into(), Value::List(messages.iter().map(message).collect()));
    if let Some(reduced) = reduced {
        body.insert("response_format".into(), response_format(&asked.request.purpose, reduced));
    } else if asked.request.schema.is_some() && asked.mode == Structured::Json {
        body.insert("response_format".into(), Value::from([("type", "json_object")]));
    }
    if let Some(tools) = functions(asked) {
        body.insert("tools".into(), tools);
    }
    // Others of this wire know `auto` only, and refuse what they do not know.
    if asked.forced && asked.provider.name == "openai" {
        body.insert("tool_choice".into(), text("required"));
        body.insert("parallel_tool_calls".into(), Value::Bool(false));
    }
    if let Some(max) = asked.max_tokens() {
        body.insert(asked.provider.max_tokens.into(), number(max));
    }
    asked.put_temperature(&mut body, "temperature");
    body.insert("stream".into(), Value::Bool(true));
    body.insert("stream_options".into(), Value::from([("include_usage", true)]));
    Value::Map(body)
}

pub(crate) fn response_format(purpose: &str, reduced: Value) -> Value {
    let format = Value::from([
        ("name", format_name(purpose)),
        ("strict", Value::Bool(schema::is_strict(&reduced))),
        ("schema", reduced),
    ]);
    Value::from([("type", text("json_schema")), ("json_schema", format)])
}
