//! Bodies of OpenAI's Responses.

use throughline_value::{Map, Value};

use super::{Asked, Structured, format_name, number, parameters, split_system, text};
use crate::schema;

pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), text(asked.model));
    let reduced = asked.schema();
    let (system, turns) = split_system(asked.messages(reduced.is_some()));
    if !system.is_empty() {
        body.insert("instructions".into(), Value::from(system));
    }
    let turn = |(role, content): &(&str, String)| Value::from([("role", text(role)), ("content", text(content))]);
    body.insert("input".into(), Value::List(turns.iter().map(turn).collect()));
    if let Some(reduced) = reduced {
        let format = Value::from([
            ("type", text("json_schema")),
            ("name", format_name(&asked.request.purpose)),
            ("strict", Value::Bool(schema::is_strict(&reduced))),
            ("schema", reduced),
        ]);
        body.insert("text".into(), Value::from([("format", format)]));
    } else if asked.request.schema.is_some() && asked.mode == Structured::Json {
        let format = Value::from([("type", "json_object")]);
        body.insert("text".into(), Value::from([("format", format)]));
    }
    let tool = |tool: &crate::Tool| {
        Value::from([
            ("type", text("function")),
            ("name", text(&tool.name)),
            ("description", text(&tool.description)),
            ("parameters", parameters(&tool.schema)),
            ("strict", Value::Bool(false)),
        ])
    };
    if !asked.request.tools.is_empty() {
        body.insert("tools".into(), Value::List(asked.request.tools.iter().map(tool).collect()));
    }
    if asked.forced {
        body.insert("tool_choice".into(), text("required"));
        body.insert("parallel_tool_calls".into(), Value::Bool(false));
    }
    if let Some(max) = asked.max_tokens() {
        body.insert("max_output_tokens".into(), number(max));
    }
    asked.put_temperature(&mut body, "temperature");
    body.insert("stream".into(), Value::Bool(true));
    // Nothing of a conversation is kept by the provider for us.
    body.insert("store".into(), Value::Bool(false));
    Value::Map(body)
}
