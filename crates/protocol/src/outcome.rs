//! What a command did, or why it did nothing.

use serde::{Deserialize, Serialize};
use throughline_journal::Seq;
use throughline_value::{Error, Span, Value};

/// What a command did, or why it did nothing. Both are in the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was done, durably.
    Done(Done),
    /// It was refused; the state is as it was.
    Refused(Refusal),
}

/// What a command did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The records it made; empty when it changed nothing.
    pub records: Vec<Seq>,
    /// What it gives back: an entity's id, a run's id, a version; each command says what.
    #[serde(default)]
    pub result: Value,
}

/// Why a command, a query or a session call did nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// A stable code in kebab-case.
    pub code: String,
    /// What was wrong and what to do.
    pub message: String,
    /// Where in the command, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where in the text, when it came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// What would work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// More, by code: allowed events, expected version, diagnostics.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// The record of the refusal, where it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
}

#[cold]
#[inline(never)]
fn refusal(code: &str, message: String) -> Refusal {
    Refusal {
        code: code.to_owned(),
        message,
        path: None,
        span: None,
        suggestion: None,
        details: Value::Null,
        seq: None,
    }
}

impl Refusal {
    /// A refusal with a stable code and a sentence.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        refusal(code, message.into())
    }

    /// The same refusal, pointing into the command.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same refusal, pointing into a text.
    #[must_use]
    pub fn at_span(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }

    /// The same refusal with what would work.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// The same refusal with more for programs.
    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let path = (!error.path().is_empty()).then(|| error.path().to_owned());
        let mut refusal = Self::new(error.code(), error.message()).at_span(error.span());
        refusal.path = path;
        refusal
    }
}

impl Refusal {
    /// What was wrong, where, and what would work, without the code: for whoever shows the code beside it.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = self.message.clone();
        if let Some(path) = &self.path {
            words.push_str(&format!(" (at {path})"));
        }
        if let Some(suggestion) = &self.suggestion {
            words.push_str("; ");
            words.push_str(suggestion);
        }
        words
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.words())
    }
}

impl std::error::Error for Refusal {}
