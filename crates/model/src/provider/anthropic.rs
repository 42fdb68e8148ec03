//! Bodies of Anthropic's Messages.

use throughline_value::{Map, Value};

use super::{Asked, DEFAULT_MAX_TOKENS, number, parameters, split_system, text};
use crate::schema;

pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), text(asked.model));
    body.insert("max_tokens".into(), number(asked.max_tokens().unwrap_or(DEFAULT_MAX_TOKENS)));
    // Every object must be closed; where one cannot be, the schema is said in words.
    let reduced = asked.schema().and_then(|schema| schema::close(&schema));
    let (system, mut turns) = split_system(asked.messages(reduced.is_some()));
    if !system.is_empty() {
        let block = Value::from([
            ("type", text("text")),
            ("text", Value::from(system)),
            // The stable beginning is what the provider's cache holds.
            ("cache_control", Value::from([("type", "ephemeral")])),
        ]);
        body.insert("system".into(), Value::List(vec![block]));
    }
    if turns.first().is_none_or(|(role, _)| *role != "user") {
        turns.insert(0, ("user", "…".to_owned()));
    }
    let turn = |(role, content): &(&str, String)| Value::from([("role", text(role)), ("content", text(content))]);
    body.insert("messages".into(), Value::List(turns.iter().map(turn).collect()));
    if let Some(reduced) = reduced {
        let format = Value::from([("type", text("json_schema")), ("schema", reduced)]);
        body.insert("output_config".into(), Value::from([("format", format)]));
    }
    let tool = |tool: &crate::Tool| {
        Value::from([
            ("name", text(&tool.name)),
            ("description", text(&tool.description)),
            ("input_schema", parameters(&tool.schema)),
        ])
    };
    if !asked.request.tools.is_empty() {
        body.insert("tools".into(), Value::List(asked.request.tools.iter().map(tool).collect()));
    }
    if asked.forced {
        let choice = Value::from([("type", text("any")), ("disable_parallel_tool_use", Value::Bool(true))]);
        body.insert("tool_choice".into(), choice);
    }
    asked.put_temperature(&mut body, "temperature");
    body.insert("stream".into(), Value::Bool(true));
    Value::Map(body)
}
