//! The reply from its bytes.

use throughline_value::{Value, json};

use super::calls::Calls;
use super::failure;
use crate::sse::{Decoder, Event};
use crate::{Delta, Ending, Reply, Request, Usage, estimate_tokens};

/// The largest body that is read when it is not a stream of events, in bytes.
pub const MAX_BODY_BYTES: usize = 16 << 20;

/// Bytes in, deltas out, a reply at the end. What the server sends is recognised by its content: a stream of
/// events, a whole JSON reply, or an error body, also under status 200.
///
/// ```
/// use throughline_model::{Ending, Message, Request, openai::Stream};
/// let request = Request::new("respond", vec![Message::new("user", "Hi")]);
/// let mut stream = Stream::new(&request, 200, "text/event-stream");
/// stream.push(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n");
/// let reply = stream.finish();
/// assert_eq!((reply.text.as_str(), reply.ending), ("Hel", Ending::Interrupted));
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    status: u16,
    mode: Mode,
    text: String,
    thinking: String,
    refusal: String,
    calls: Calls,
    /// What the provider said about the end.
    said: Option<Ending>,
    failed: Option<Ending>,
    retry_after: Option<u64>,
    usage: Option<Usage>,
    prompt_estimate: u64,
}

#[derive(Clone, Debug)]
enum Mode {
    /// Only white space has come so far.
    Unknown(Vec<u8>),
    Events(Decoder),
    Body(Vec<u8>),
}

impl Stream {
    /// The decoder for the reply to `request`, which came with this HTTP status and content type.
    #[must_use]
    pub fn new(request: &Request, status: u16, content_type: &str) -> Self {
        let is_json = content_type.trim_start().to_ascii_lowercase().starts_with("application/json");
        let whole = is_json || !(200..300).contains(&status);
        let prompt: u64 = request.messages.iter().map(|m| estimate_tokens(&m.text)).sum();
        Self {
            status,
            mode: if whole { Mode::Body(Vec::new()) } else { Mode::Unknown(Vec::new()) },
            text: String::new(),
            thinking: String::new(),
            refusal: String::new(),
            calls: Calls::default(),
            said: None,
            failed: None,
            retry_after: None,
            usage: None,
            prompt_estimate: prompt,
        }
    }

    /// Takes the next bytes and gives what they add to the reply.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Delta> {
        let mut deltas = Vec::new();
        if let Mode::Unknown(head) = &mut self.mode {
            head.extend_from_slice(bytes);
            // A stream of events never begins with these; a body does, whatever its content type says.
            let first = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).iter().find(|b| !b.is_ascii_whitespace());
            let Some(first) = first.copied() else { return deltas };
            if first == 0xef && head.len() < 3 {
                return deltas;
            }
            let head = std::mem::take(head);
            let is_body = matches!(first, b'{' | b'[' | b'<');
            self.mode = if is_body { Mode::Body(Vec::new()) } else { Mode::Events(Decoder::default()) };
            return self.push(&head);
        }
        match &mut self.mode {
            Mode::Unknown(_) => {}
            Mode::Body(body) => {
                if body.len() + bytes.len() > MAX_BODY_BYTES {
                    self.fail("body-too-long", format!("a body of over {MAX_BODY_BYTES} bytes is not read"));
                } else {
                    body.extend_from_slice(bytes);
                }
            }
            Mode::Events(decoder) => {
                let events = decoder.push(bytes);
                let overflowed = decoder.overflowed();
                for event in &events {
                    self.event(event, &mut deltas);
                }
                if overflowed {
                    self.fail("event-too-long", "an event was too large to be read".to_owned());
                }
            }
        }
        deltas
    }

    /// The reply, when no more bytes come.
    #[must_use]
    pub fn finish(mut self) -> Reply {
        match std::mem::replace(&mut self.mode, Mode::Unknown(Vec::new())) {
            Mode::Unknown(_) => {}
            Mode::Body(body) => self.body(&body),
            Mode::Events(decoder) => {
                if let Some(event) = decoder.finish() {
                    // The stream may have been cut here: what does not parse is not an error of its own.
                    self.tail(&event);
                }
            }
        }
        let ending = match (self.failed, self.said) {
            (Some(failed), _) => failed,
            (None, Some(said)) if said == Ending::Done && !self.refusal.is_empty() => Ending::Refused,
            (None, Some(said)) => said,
            (None, None) => Ending::Interrupted,
        };
        let tool_calls = self.calls.into_calls();
        let usage = self.usage.unwrap_or_else(|| {
            let calls: u64 = tool_calls.iter().map(|c| estimate_tokens(&c.name) + estimate_tokens(&c.arguments)).sum();
            let texts = estimate_tokens(&self.text) + estimate_tokens(&self.thinking) + estimate_tokens(&self.refusal);
            Usage { prompt: self.prompt_estimate, completion: texts + calls, cached: 0, estimated: true }
        });
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

    fn fail(&mut self, code: &str, message: String) {
        self.failed.get_or_insert(Ending::Failed { code: code.to_owned(), message, retryable: false });
    }

    fn body(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        match json::read_value(text) {
            // Gemini's compatible endpoint wraps its error in a list.
            Ok(Value::List(list)) if list.len() == 1 => {
                list.first().into_iter().for_each(|value| self.body_value(value, text));
            }
            Ok(value) => self.body_value(&value, text),
            Err(_) => self.failed = Some(failure::of_text(text, self.status)),
        }
    }

    fn body_value(&mut self, value: &Value, text: &str) {
        let is_reply = (200..300).contains(&self.status) && value.get("choices").is_some_and(|c| c.as_list().is_some());
        if is_reply || self.is_error(value) {
            self.value(value, &mut Vec::new());
        } else {
            self.failed = Some(failure::of_value(value, self.status));
        }
        if let Some(Ending::Failed { .. }) = &self.failed {
            self.retry_after = failure::retry_after(text);
        }
    }

    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) {
        let data = event.data.trim();
        if data == "[DONE]" {
            // It says that the stream is whole; what the model said about its end stands before it.
            self.said.get_or_insert(Ending::Done);
            return;
        }
        if data.is_empty() {
            return;
        }
        match json::read_value(data) {
            Ok(value) if event.event.as_deref() == Some("error") && !self.is_error(&value) => {
                self.failed.get_or_insert(failure::of_value(&value, 200));
            }
            Ok(value) => self.value(&value, deltas),
            Err(_) if event.event.as_deref() == Some("error") => {
                self.failed.get_or_insert(failure::of_text(data, 200));
            }
            Err(error) => self.fail("malformed-event", format!("an event of the stream is not JSON: {error}")),
        }
        if event.replaced {
            self.fail("malformed-event", "an event of the stream holds bytes that are not UTF-8".to_owned());
        }
    }

    fn tail(&mut self, event: &Event) {
        if event.data.trim() == "[DONE]" || json::read_value(event.data.trim()).is_ok() {
            self.event(event, &mut Vec::new());
        }
    }

    fn is_error(&self, value: &Value) -> bool {
        value.get("error").is_some_and(|e| !e.is_null())
    }

    fn value(&mut self, value: &Value, deltas: &mut Vec<Delta>) {
        if self.failed.is_some() {
            return;
        }
        if let Some(error) = value.get("error").filter(|e| !e.is_null()) {
            let ending = failure::of_value(error, self.status);
            if let Ending::Failed { message, .. } = &ending {
                self.retry_after = failure::retry_after(message);
            }
            self.failed = Some(ending);
            return;
        }
        if let Some(usage) = value.get("usage").filter(|u| !u.is_null()) {
            self.usage = read_usage(usage).or(self.usage);
        }
        // The last event has `"choices": []`, with some servers `null`.
        let choices = value.get("choices").and_then(Value::as_list).unwrap_or_default();
        let ours = choices.iter().find(|c| c.get("index").and_then(Value::as_i64).unwrap_or(0) == 0);
        let Some(choice) = ours else { return };
        if let Some(message) = choice.get("delta").or_else(|| choice.get("message")) {
            self.message(message, deltas);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|r| !r.is_empty()) {
            match reason {
                "stop" | "tool_calls" | "function_call" => self.said = Some(Ending::Done),
                "length" | "max_tokens" => self.said = Some(Ending::Truncated),
                "content_filter" | "safety" | "refusal" => self.said = Some(Ending::Refused),
                "error" => {
                    self.fail("provider-error", "the model ended with an error that it does not name".to_owned())
                }
                other => self.fail("unknown-ending", format!("the provider ended with `{other}`, which is not known")),
            }
        }
    }

    fn message(&mut self, message: &Value, deltas: &mut Vec<Delta>) {
        let text = message.get("content").map(text_of).unwrap_or_default();
        if !text.is_empty() {
            self.text.push_str(&text);
            deltas.push(Delta::Text(text));
        }
        let thinking = message.get("reasoning_content").or_else(|| message.get("reasoning")).map(text_of);
        if let Some(thinking) = thinking.filter(|t| !t.is_empty()) {
            self.thinking.push_str(&thinking);
            deltas.push(Delta::Thinking(thinking));
        }
        let refusal = message.get("refusal").map(text_of).unwrap_or_default();
        if !refusal.is_empty() {
            self.refusal.push_str(&refusal);
            deltas.push(Delta::Refusal(refusal));
        }
        for fragment in message.get("tool_calls").and_then(Value::as_list).unwrap_or_default() {
            let (place, arguments) = self.calls.push(fragment);
            deltas.push(Delta::Call { place, arguments });
        }
    }
}

/// The text of a content: plain, or a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::Text(text) => text.clone(),
        Value::List(parts) => parts.iter().filter_map(|p| p.get("text").and_then(Value::as_str)).collect(),
        _ => String::new(),
    }
}

fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |path: &[&str]| usage.at(path).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok());
    Some(Usage {
        prompt: count(&["prompt_tokens"])?,
        completion: count(&["completion_tokens"])?,
        cached: count(&["prompt_tokens_details", "cached_tokens"]).unwrap_or(0),
        estimated: false,
    })
}
