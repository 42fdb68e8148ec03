//! What is asked of a model, whatever the provider.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use throughline_value::{Map, Value, hex};

/// The label under which requests are hashed; it changes when the canonical form does.
const FINGERPRINT_LABEL: &str = "throughline-request-1\n";

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub text: String,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(role: impl Into<String>, text: impl Into<String>) -> Self {
        Self { role: role.into(), text: text.into() }
    }
}

/// What is asked of a model, whatever the provider.
///
/// ```
/// use throughline_model::{Message, Request};
/// let request = Request::new("interpret", vec![Message::new("user", "Where is my parcel?")]);
/// assert_eq!(request.fingerprint(), request.clone().fingerprint());
/// assert_ne!(request.fingerprint(), Request { language: "zh".into(), ..request.clone() }.fingerprint());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What for: `interpret`, `plan`, `decide` or `respond`.
    pub purpose: String,
    /// The messages, the stable ones first.
    pub messages: Vec<Message>,
    /// The JSON Schema of the value that is wanted; free text when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The language of the answer, as a BCP 47 tag; empty when it does not matter.
    #[serde(default)]
    pub language: String,
    /// At most so many tokens in the reply; the provider's own limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The model's name at the provider.
    #[serde(default)]
    pub model: String,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// For a value that may come as a call of one of the tools instead: `native` when the domain wants that, `auto`
    /// when the settings or the provider say. Absent: tools and schema are both sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<String>,
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments.
    #[serde(default)]
    pub schema: Value,
}

impl Request {
    /// A request for free text; set what differs.
    #[must_use]
    pub fn new(purpose: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { purpose: purpose.into(), messages, ..Self::default() }
    }

    /// The request as a value: the same fields in the same order, whatever it was built from.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("purpose".into(), Value::from(self.purpose.as_str()));
        let message =
            |m: &Message| Value::from([("role", Value::from(m.role.as_str())), ("text", Value::from(m.text.as_str()))]);
        map.insert("messages".into(), Value::List(self.messages.iter().map(message).collect()));
        if let Some(schema) = &self.schema {
            map.insert("schema".into(), schema.clone());
        }
        map.insert("language".into(), Value::from(self.language.as_str()));
        if let Some(max) = self.max_tokens {
            map.insert("max_tokens".into(), Value::from(u64::from(max)));
        }
        map.insert("model".into(), Value::from(self.model.as_str()));
        if !self.tools.is_empty() {
            let tool = |t: &Tool| {
                Value::from([
                    ("name", Value::from(t.name.as_str())),
                    ("description", Value::from(t.description.as_str())),
                    ("schema", t.schema.clone()),
                ])
            };
            map.insert("tools".into(), Value::List(self.tools.iter().map(tool).collect()));
        }
        if let Some(how) = &self.tool_calls {
            map.insert("tool_calls".into(), Value::from(how.as_str()));
        }
        Value::Map(map)
    }

    /// SHA-256 of the canonical form, in hexadecimal: what a recording and a replay compare.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(FINGERPRINT_LABEL.as_bytes());
        hash.update(self.to_value().canonical().as_bytes());
        hex::encode(&hash.finalize())
    }
}
