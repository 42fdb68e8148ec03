//! The wire formats.

use serde::{Deserialize, Serialize};

/// How a provider's replies are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Chat completions, as OpenAI and most others speak them.
    #[default]
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's own chat: one JSON map a line.
    Ollama,
}

impl Wire {
    /// Every wire format.
    pub const ALL: &'static [Self] = &[Self::Chat, Self::Responses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}
