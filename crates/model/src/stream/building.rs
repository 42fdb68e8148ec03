//! A reply as it builds up.

use throughline_value::Value;

use super::calls::Calls;
use super::failure;
use crate::{Delta, Ending, Reply, Usage, estimate_tokens};

#[derive(Clone, Debug)]
pub(super) struct Building {
    pub(super) status: u16,
    /// Whether anything of a reply has come.
    pub(super) begun: bool,
    /// Whether the stream has said that it is whole: what comes after that is no part of the reply.
    pub(super) over: bool,
    text: String,
    thinking: String,
    refusal: String,
    pub(super) calls: Calls,
    /// What the provider said about the end.
    pub(super) said: Option<Ending>,
    /// What it said, where another event says that the reply is whole.
    pub(super) pending: Option<Ending>,
    pub(super) failed: Option<Ending>,
    pub(super) retry_after: Option<u64>,
    pub(super) usage: Option<Usage>,
    pub(super) deltas: Vec<Delta>,
}

impl Building {
    pub(super) fn new(status: u16) -> Self {
        Self {
            status,
            begun: false,
            over: false,
            text: String::new(),
            thinking: String::new(),
            refusal: String::new(),
            calls: Calls::default(),
            said: None,
            pending: None,
            failed: None,
            retry_after: None,
            usage: None,
            deltas: Vec::new(),
        }
    }

    pub(super) fn fail(&mut self, code: &str, message: String) {
        self.failed.get_or_insert(Ending::Failed { code: code.to_owned(), message, retryable: false });
    }

    /// The provider's error.
    pub(super) fn error(&mut self, error: &Value) {
        let ending = failure::of_value(error, self.status);
        if let Ending::Failed { message, .. } = &ending {
            self.retry_after = failure::retry_after(message);
        }
        self.failed.get_or_insert(ending);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    pub(super) fn has_refusal(&self) -> bool {
        !self.refusal.is_empty()
    }

    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.deltas.push(Delta::Text(text.to_owned()));
        }
    }

    pub(super) fn thinking(&mut self, text: &str) {
        if !text.is_empty() {
            self.thinking.push_str(text);
            self.deltas.push(Delta::Thinking(text.to_owned()));
        }
    }

    pub(super) fn refusal(&mut self, text: &str) {
        if !text.is_empty() {
            self.refusal.push_str(text);
            self.deltas.push(Delta::Refusal(text.to_owned()));
        }
    }

    /// More of a tool call.
    pub(super) fn call(&mut self, index: Option<i64>, id: &str, name: &str, arguments: &str) {
        let place = self.calls.push(index, id, name, arguments);
        self.deltas.push(Delta::Call { place, arguments: arguments.to_owned() });
    }

    /// The provider's word about the end. That a reply is not whole is not taken back by a later `stop`.
    pub(super) fn say(&mut self, ending: Ending) {
        if ending != Ending::Done || self.said.is_none() {
            self.said = Some(ending);
        }
    }

    /// An ending in the provider's word that nobody here knows is a failure, not a guess.
    pub(super) fn say_unknown(&mut self, word: &str) {
        self.fail("unknown-ending", format!("the provider ended with `{word}`, which is not known"));
    }

    /// The stream is whole: what was said about the end holds. Where nothing was said, nothing is guessed.
    pub(super) fn end(&mut self) {
        if let Some(ending) = self.pending.take() {
            self.said.get_or_insert(ending);
        }
    }

    pub(super) fn into_reply(self, prompt_estimate: u64) -> Reply {
        let ending = match (self.failed, self.said) {
            (Some(failed), _) => failed,
            (None, Some(said)) if said == Ending::Done && !self.refusal.is_empty() => Ending::Refused,
            (None, Some(said)) => said,
            (None, None) => Ending::Interrupted,
        };
        let tool_calls = self.calls.into_calls();
        let calls: u64 = tool_calls.iter().map(|c| estimate_tokens(&c.name) + estimate_tokens(&c.arguments)).sum();
        let texts = estimate_tokens(&self.text) + estimate_tokens(&self.thinking) + estimate_tokens(&self.refusal);
        let mut usage = self.usage.unwrap_or(Usage {
            prompt: prompt_estimate,
            completion: texts + calls,
            cached: 0,
            estimated: true,
        });
        // A count that was given before the reply was over counts a part of it.
        if ending == Ending::Interrupted && !usage.estimated {
            usage.completion = usage.completion.max(texts + calls);
            usage.estimated = true;
        }
        Reply {
            text: self.text,
            thinking: self.thinking,
            refusal: self.refusal,
            tool_calls,
            ending,
            usage,
            retry_after: self.retry_after,
        }
    }
}

/// Whether a value is an error, in a form that providers share.
pub(super) fn is_error(value: &Value) -> bool {
    value.get("error").is_some_and(|e| !e.is_null())
        || ["object", "type"].iter().any(|name| value.get(name).and_then(Value::as_str) == Some("error"))
}
