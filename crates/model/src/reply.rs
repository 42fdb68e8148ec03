//! What came back from a model.

use serde::{Deserialize, Serialize};
use throughline_value::{Error, Value, json};

/// How a reply ended. It is what the provider said, never a guess.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The model finished.
    Done,
    /// The model was stopped by a limit of length; the reply is incomplete.
    Truncated,
    /// The model or a filter declined.
    Refused,
    /// The stream stopped without saying that it was over.
    Interrupted,
    /// The provider reported an error, before or amid the reply.
    Failed {
        /// A stable code in kebab-case: `overloaded`, `rate-limited`, `unauthorized`.
        code: String,
        /// What the provider said, without keys.
        message: String,
        /// Whether the same request can succeed later.
        retryable: bool,
    },
}

impl Ending {
    /// The ending in one word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Truncated => "truncated",
            Self::Refused => "refused",
            Self::Interrupted => "interrupted",
            Self::Failed { .. } => "failed",
        }
    }
}

/// How many tokens an exchange took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct Usage {
    /// Tokens of the request.
    pub prompt: u64,
    /// Tokens of the reply.
    pub completion: u64,
    /// Tokens of the request that the provider had in its cache.
    pub cached: u64,
    /// Whether the provider gave no count and these are estimates.
    pub estimated: bool,
}

/// A tool call as the model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct ToolCall {
    /// The provider's id; empty when it gave none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as text, perhaps incomplete.
    pub arguments: String,
}

/// A tool call that may be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The provider's id; empty when it gave none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

/// A piece of a stream, for showing while it comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// More of the text.
    Text(String),
    /// More of the thinking.
    Thinking(String),
    /// More of a refusal.
    Refusal(String),
    /// More of a tool call.
    Call {
        /// The call's place in [`Reply::tool_calls`].
        place: usize,
        /// More of its arguments.
        arguments: String,
    },
}

/// What came back from a model, complete or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct Reply {
    /// The text so far as it came.
    pub text: String,
    /// What the model thought, where the provider gives it apart.
    pub thinking: String,
    /// Why the model declined, where it says so apart.
    pub refusal: String,
    /// The tool calls as written; take them with [`Reply::calls`].
    pub tool_calls: Vec<ToolCall>,
    /// How it ended.
    pub ending: Ending,
    /// The tokens it took.
    pub usage: Usage,
    /// How long the provider asks to wait before the next try, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl Reply {
    /// Refuses a reply that must not be used: anything but [`Ending::Done`].
    ///
    /// # Errors
    /// `reply-truncated`, `reply-refused`, `reply-interrupted`, `reply-failed`.
    pub fn usable(&self) -> Result<(), Error> {
        Err(match &self.ending {
            Ending::Done => return Ok(()),
            Ending::Truncated if self.is_context_full() => Error::new(
                "reply-truncated",
                "the model had no room to answer: shorten the prompt or give the server a larger context; asking again gives the same",
            ),
            Ending::Truncated => Error::new(
                "reply-truncated",
                "the reply was cut off by its limit of length: raise `max_tokens` or let the model continue; nothing in it is used",
            ),
            Ending::Refused => Error::new("reply-refused", format!("the model declined: {}", self.declined())),
            Ending::Interrupted => Error::new(
                "reply-interrupted",
                "the stream stopped before the reply was over: ask again; nothing in it is used",
            ),
            Ending::Failed { code, message, .. } => {
                Error::new("reply-failed", format!("the provider reported `{code}`: {message}"))
            }
        })
    }

    /// The tool calls that may be executed.
    ///
    /// # Errors
    /// As [`Reply::usable`]; `call-without-name`; `bad-arguments` when arguments are not one JSON map.
    pub fn calls(&self) -> Result<Vec<Call>, Error> {
        self.usable()?;
        self.tool_calls.iter().enumerate().map(|(i, call)| call.read().map_err(|e| e.within(&i.to_string()))).collect()
    }

    /// Whether the prompt alone filled the model's context: a reply cut off at its first token.
    #[must_use]
    pub fn is_context_full(&self) -> bool {
        self.ending == Ending::Truncated
            && self.text.is_empty()
            && self.tool_calls.is_empty()
            && self.usage.completion <= 1
    }

    fn declined(&self) -> &str {
        if self.refusal.is_empty() { "it gave no reason" } else { &self.refusal }
    }
}

impl ToolCall {
    /// The call with its arguments read.
    ///
    /// # Errors
    /// `call-without-name`; `bad-arguments` when they are not one JSON map.
    pub fn read(&self) -> Result<Call, Error> {
        if self.name.is_empty() {
            return Err(Error::new("call-without-name", "a tool call names no tool; ask the model again"));
        }
        // A tool without parameters is called with nothing at all by some servers.
        let text = if self.arguments.trim().is_empty() { "{}" } else { &self.arguments };
        let arguments = json::read_value(text).map_err(|e| {
            Error::new(
                "bad-arguments",
                format!("the arguments of `{}` are not JSON: {e}; ask the model again", self.name),
            )
        })?;
        if arguments.as_map().is_none() {
            let kind = arguments.kind();
            return Err(Error::new(
                "bad-arguments",
                format!("the arguments of `{}` are a {kind}, not a map", self.name),
            ));
        }
        Ok(Call { id: self.id.clone(), name: self.name.clone(), arguments })
    }
}
