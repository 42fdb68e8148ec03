//! What differs between providers.

use crate::Wire;

/// How a value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structured {
    /// The provider takes a JSON Schema.
    Schema,
    /// The provider can be told to write JSON; the schema goes into the prompt.
    Json,
    /// The schema goes into the prompt.
    Prompt,
}

impl Structured {
    pub(super) fn named(name: Option<&str>) -> Option<Self> {
        match name? {
            "schema" => Some(Self::Schema),
            "json" => Some(Self::Json),
            "prompt" => Some(Self::Prompt),
            _ => None,
        }
    }
}

/// A provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name in settings.
    pub name: &'static str,
    /// How its replies are written.
    pub wire: Wire,
    /// Its address; empty when there is none of its own.
    pub endpoint: &'static str,
    /// What follows a bare host.
    pub base: &'static str,
    /// How a value is asked for.
    pub structured: Structured,
    /// Whether it makes a grammar of a schema, so that bounds of lists and texts hold while the model writes.
    pub grammar: bool,
    /// Whether a turn's action is proposed by a call of a tool, where nobody says otherwise.
    pub native: bool,
    /// Whether it runs on the user's own machine and needs no key.
    pub local: bool,
    /// Under which name chat completions take the limit of a reply.
    pub max_tokens: &'static str,
}

const CHAT: Provider = Provider {
    name: "compatible",
    wire: Wire::Chat,
    endpoint: "",
    base: "/v1",
    structured: Structured::Schema,
    grammar: false,
    // Whether a model on one's own machine has calls depends on its template; a server without it refuses.
    native: false,
    local: true,
    max_tokens: "max_tokens",
};

const fn hosted(name: &'static str, endpoint: &'static str, structured: Structured) -> Provider {
    Provider { name, endpoint, structured, native: true, local: false, ..CHAT }
}

const fn local(name: &'static str, endpoint: &'static str) -> Provider {
    Provider { name, endpoint, grammar: true, ..CHAT }
}

/// Every provider.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        max_tokens: "max_completion_tokens",
        ..hosted("openai", "https://api.openai.com/v1", Structured::Schema)
    },
    Provider { wire: Wire::Responses, ..hosted("openai-responses", "https://api.openai.com/v1", Structured::Schema) },
    Provider { wire: Wire::Anthropic, ..hosted("anthropic", "https://api.anthropic.com/v1", Structured::Schema) },
    Provider {
        wire: Wire::Gemini,
        base: "/v1beta",
        ..hosted("gemini", "https://generativelanguage.googleapis.com/v1beta", Structured::Schema)
    },
    hosted("openrouter", "https://openrouter.ai/api/v1", Structured::Schema),
    hosted("deepseek", "https://api.deepseek.com/v1", Structured::Json),
    hosted("qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", Structured::Json),
    hosted("kimi", "https://api.moonshot.ai/v1", Structured::Json),
    hosted("glm", "https://open.bigmodel.cn/api/paas/v4", Structured::Json),
    Provider { wire: Wire::Ollama, base: "", ..local("ollama", "http://localhost:11434") },
    local("llama-cpp", "http://localhost:8080/v1"),
    local("lm-studio", "http://localhost:1234/v1"),
    local("vllm", "http://localhost:8000/v1"),
    CHAT,
];
