//! Bodies of Gemini's `generateContent`.

use throughline_value::{Map, Value};

use super::{Asked, Structured, number, parameters, split_system, text};

pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    let reduced = asked.schema();
    let (system, turns) = split_system(asked.messages(reduced.is_some()));
    let content = |content: &str| Value::List(vec![Value::from([("text", content)])]);
    if !system.is_empty() {
        body.insert("systemInstruction".into(), Value::from([("parts", content(&system))]));
    }
    let turn = |(role, words): &(&str, String)| {
        let role = if *role == "assistant" { "model" } else { "user" };
        Value::from([("role", text(role)), ("parts", content(words))])
    };
    body.insert("contents".into(), Value::List(turns.iter().map(turn).collect()));
    let mut config = Map::new();
    let wants_json = reduced.is_some() || (asked.request.schema.is_some() && asked.mode == Structured::Json);
    if wants_json {
        config.insert("responseMimeType".into(), text("application/json"));
    }
    if let Some(reduced) = reduced {
        config.insert("responseJsonSchema".into(), reduced);
    }
    if let Some(max) = asked.max_tokens() {
        config.insert("maxOutputTokens".into(), number(max));
    }
    asked.put_temperature(&mut config, "temperature");
    if !config.is_empty() {
        body.insert("generationConfig".into(), Value::Map(config));
    }
    let tool = |tool: &crate::Tool| {
        Value::from([
            ("name", text(&tool.name)),
            ("description", text(&tool.description)),
            ("parametersJsonSchema", parameters(&tool.schema)),
        ])
    };
    if !asked.request.tools.is_empty() {
        let declarations = Value::List(asked.request.tools.iter().map(tool).collect());
        body.insert("tools".into(), Value::List(vec![Value::from([("functionDeclarations", declarations)])]));
    }
    if asked.forced {
        let mode = Value::from([("functionCallingConfig", Value::from([("mode", "ANY")]))]);
        body.insert("toolConfig".into(), mode);
    }
    Value::Map(body)
}
