//! How a model is reached.

use serde::{Deserialize, Serialize};
use throughline_value::{Number, Value};

/// A secret: it is read and used, and never shown.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Its text, for the one who sends it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[key]")
    }
}

// Settings are never written down with their key.
impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("[key]")
    }
}

/// How a model is reached. It stays in the memory of the engine's thread and is no part of a journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// The provider: `openai`, `openai-responses`, `anthropic`, `gemini`, `openrouter`, `deepseek`, `qwen`,
    /// `kimi`, `glm`, `ollama`, `llama-cpp`, `lm-studio`, `vllm`, or `compatible` with an endpoint.
    pub provider: String,
    /// The address, up to where the provider's own paths begin; the provider's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The model's name at the provider.
    #[serde(default)]
    pub model: String,
    /// The key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Secret>,
    /// How a value is asked for: `schema`, `json` or `prompt`; as the provider can when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<String>,
    /// How a turn's action is proposed: by `native` tool calls or as `json`; before the domain's word and the
    /// provider's own when given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<String>,
    /// At most so many tokens in a reply, also where a request asks for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The context that Ollama is to give, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// The temperature; the provider's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// How long the first byte may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u32>,
    /// How long nothing may come after it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u32>,
    /// How often a request that failed before its first byte is made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// The least wait before that, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_floor_ms: Option<u32>,
    /// What tokens cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// The most that one turn may cost, in the prices' currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend_cap: Option<Number>,
    /// The most tokens that one turn may take, of prompts and replies together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_cap: Option<u64>,
}

/// What a million tokens cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Of the request.
    pub prompt: Number,
    /// Of the reply.
    pub completion: Number,
    /// Of the request, where the provider had it in its cache; as `prompt` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Number>,
}

/// What is asked of a model beside any journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Complete {
    /// How the model is reached.
    pub settings: ModelSettings,
    /// The request: `purpose`, `messages`, `schema`, `tools`, `max_tokens`, `language`.
    pub request: Value,
    /// No coercion and no repair.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

/// Ends a call of `complete` or `test_model`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abort {
    /// The id of its request.
    pub request: u64,
}

/// Looks for why a model cannot be reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestModel {
    /// How the model is reached.
    pub settings: ModelSettings,
}

/// Attaches a model to the open journal, or none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetModel {
    /// How it is reached; none takes it away.
    #[serde(default)]
    pub settings: Option<ModelSettings>,
}

/// Takes the one value out of a reply's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadStructured {
    /// The text.
    pub text: String,
    /// The JSON Schema of the value.
    #[serde(default)]
    pub schema: Value,
    /// No coercion and no repair.
    #[serde(default)]
    pub strict: bool,
    /// Whether the text may have been cut off; then nothing is repaired.
    #[serde(default)]
    pub incomplete: bool,
}

/// Turns the recording of exchanges on or off, or only looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// On or off; as it is when absent.
    #[serde(default)]
    pub on: Option<bool>,
}

/// A piece of a reply while it comes in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaPush {
    /// The exchange's id in the journal, or the id of the `complete` request.
    pub exchange: String,
    /// The thread; empty beside a journal.
    #[serde(default)]
    pub thread: String,
    /// The turn; 0 beside a journal.
    #[serde(default)]
    pub turn: u32,
    /// What the exchange is for.
    #[serde(default)]
    pub purpose: String,
    /// `text`, `thinking`, `refusal` or `call`.
    pub channel: String,
    /// More of it.
    pub text: String,
}
