//! Bodies of Ollama's own chat.

use throughline_value::{Map, Value};

use super::{Asked, DEFAULT_CONTEXT, Structured, functions, number, text};

pub(super) fn body(asked: &Asked<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), text(asked.model));
    let reduced = asked.schema();
    let messages = asked.messages(reduced.is_some());
    let message = |(role, content): &(&str, String)| Value::from([("role", text(role)), ("content", text(content))]);
    body.insert("messages".into(), Value::List(messages.iter().map(message).collect()));
    if let Some(reduced) = reduced {
        body.insert("format".into(), reduced);
    } else if asked.request.schema.is_some() && asked.mode == Structured::Json {
        body.insert("format".into(), text("json"));
    }
    if let Some(tools) = functions(asked) {
        body.insert("tools".into(), tools);
    }
    let mut options = Map::new();
    // Its OpenAI-like door ignores this and cuts long prompts off in silence.
    options.insert("num_ctx".into(), number(asked.settings.context.unwrap_or(DEFAULT_CONTEXT)));
    if let Some(max) = asked.max_tokens() {
        options.insert("num_predict".into(), number(max));
    }
    asked.put_temperature(&mut options, "temperature");
    body.insert("options".into(), Value::Map(options));
    body.insert("stream".into(), Value::Bool(true));
    Value::Map(body)
}
