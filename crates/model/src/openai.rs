//! The OpenAI-compatible chat protocol, as most providers and local servers speak it.

mod calls;
mod failure;
mod stream;

pub use stream::{MAX_BODY_BYTES, Stream};

use throughline_value::{Map, Value};

use crate::{Request, schema};

/// The body of a streaming chat request. Its schema is reduced to what every provider accepts; the reply is
/// validated against the full one afterwards.
///
/// ```
/// use throughline_model::{Message, Request, openai};
/// let request = Request { model: "small".into(), ..Request::new("respond", vec![Message::new("user", "Hi")]) };
/// let body = openai::body(&request);
/// assert_eq!(body.at(&["messages", "0", "content"]).and_then(|v| v.as_str()), Some("Hi"));
/// assert_eq!(body.at(&["stream_options", "include_usage"]).and_then(|v| v.as_bool()), Some(true));
/// ```
#[must_use]
pub fn body(request: &Request) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), Value::from(request.model.as_str()));
    let messages = request
        .messages
        .iter()
        .map(|m| Value::from([("role", Value::from(m.role.as_str())), ("content", Value::from(m.text.as_str()))]));
    body.insert("messages".into(), Value::List(messages.collect()));
    if let Some(schema) = &request.schema {
        body.insert("response_format".into(), response_format(&request.purpose, schema));
    }
    if let Some(max) = request.max_tokens {
        body.insert("max_tokens".into(), Value::from(u64::from(max)));
    }
    body.insert("stream".into(), Value::Bool(true));
    body.insert("stream_options".into(), Value::from([("include_usage", true)]));
    Value::Map(body)
}

fn response_format(purpose: &str, full: &Value) -> Value {
    let reduced = schema::reduce(full);
    let format = Value::from([
        ("name", Value::from(purpose)),
        ("strict", Value::Bool(schema::is_strict(&reduced))),
        ("schema", reduced),
    ]);
    Value::from([("type", Value::from("json_schema")), ("json_schema", format)])
}
