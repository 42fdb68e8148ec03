//! The reply from its bytes, whatever the wire format.

mod anthropic;
mod building;
mod calls;
mod chat;
mod failure;
mod gemini;
mod ollama;
mod responses;

use throughline_value::{Value, json};

use crate::sse::{Decoder, Event};
use crate::structured::Balance;
use crate::{Delta, Reply, Request, Wire, estimate_tokens};
use building::Building;

/// The largest body that is read when it is not a stream of events, in bytes.
pub const MAX_BODY_BYTES: usize = 16 << 20;

/// The longest piece of a stream of lines that is not yet a whole value, in bytes.
pub const MAX_LINE_BYTES: usize = 8 << 20;

/// How much of an answer is kept to say what it was, where it turns out to be no stream, in bytes.
const MAX_HEAD_BYTES: usize = 4_096;

/// The most tokens that a provider's count is believed to be; a larger one is no count.
const MAX_COUNT: u64 = 1 << 40;

/// Bytes in, deltas out, a reply at the end. What the server sends is recognised by its content: a stream of
/// events, a whole JSON reply, or an error body, also under status 200.
///
/// ```
/// use throughline_model::{Ending, Message, Request, Stream};
/// let request = Request::new("respond", vec![Message::new("user", "Hi")]);
/// let mut stream = Stream::new(&request, 200, "text/event-stream");
/// stream.push(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n");
/// let reply = stream.finish();
/// assert_eq!((reply.text.as_str(), reply.ending), ("Hel", Ending::Interrupted));
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    wire: Wire,
    is_json: bool,
    mode: Mode,
    building: Building,
    prompt_estimate: u64,
}

#[derive(Clone, Debug)]
enum Mode {
    /// Only white space has come so far.
    Unknown(Vec<u8>),
    /// Events, with the beginning as long as none has come.
    Events(Decoder, Vec<u8>),
    Body(Vec<u8>),
    /// What is not yet a whole value, and its brackets.
    Lines(Vec<u8>, Balance),
}

impl Stream {
    /// The decoder for a chat completion: the reply to `request`, which came with this HTTP status and
    /// content type.
    #[must_use]
    pub fn new(request: &Request, status: u16, content_type: &str) -> Self {
        Self::of(Wire::Chat, request, status, content_type)
    }

    /// The decoder for the reply to `request` in this wire format.
    #[must_use]
    pub fn of(wire: Wire, request: &Request, status: u16, content_type: &str) -> Self {
        let is_json = content_type.trim_start().to_ascii_lowercase().starts_with("application/json");
        let mode = match wire {
            _ if !(200..300).contains(&status) => Mode::Body(Vec::new()),
            Wire::Ollama => Mode::Lines(Vec::new(), Balance::default()),
            _ => Mode::Unknown(Vec::new()),
        };
        Self { wire, is_json, mode, building: Building::new(status), prompt_estimate: request.estimate() }
    }

    /// Takes the next bytes and gives what they add to the reply.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Delta> {
        if let Mode::Unknown(head) = &mut self.mode {
            head.extend_from_slice(bytes);
            // A stream of events never begins with these; a body does, whatever its content type says.
            let first = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).iter().find(|b| !b.is_ascii_whitespace());
            match first.copied() {
                None if head.len() < MAX_HEAD_BYTES => return Vec::new(),
                // Empty lines, as some servers send to show that they live: one is as good as many.
                None if head.ends_with(b"\n") || head.ends_with(b"\r") => {
                    *head = b"\n".to_vec();
                    return Vec::new();
                }
                Some(0xef) if head.len() < 3 => return Vec::new(),
                first => {
                    let head = std::mem::take(head);
                    self.mode = match first {
                        Some(b'{' | b'[' | b'<') => Mode::Body(Vec::new()),
                        // No JSON begins as a field of an event does.
                        Some(b) if self.is_json && !matches!(b, b':' | b'd' | b'e' | b'i' | b'r') => {
                            Mode::Body(Vec::new())
                        }
                        _ => Mode::Events(Decoder::default(), Vec::new()),
                    };
                    return self.push(&head);
                }
            }
        }
        match &mut self.mode {
            Mode::Unknown(_) => {}
            Mode::Body(body) => {
                if body.len() + bytes.len() > MAX_BODY_BYTES {
                    let message = format!("a body of over {MAX_BODY_BYTES} bytes is not read");
                    self.building.fail("body-too-long", message);
                } else {
                    body.extend_from_slice(bytes);
                }
            }
            Mode::Events(decoder, head) => {
                let room = if self.building.begun { 0 } else { MAX_HEAD_BYTES.saturating_sub(head.len()) };
                head.extend(bytes.iter().take(room));
                let events = decoder.push(bytes);
                let overflowed = decoder.overflowed();
                for event in &events {
                    self.event(event);
                }
                if overflowed {
                    self.building.fail("event-too-long", "an event was too large to be read".to_owned());
                }
            }
            Mode::Lines(pending, balance) => {
                let (mut pending, mut balance) = (std::mem::take(pending), std::mem::take(balance));
                for piece in bytes.split_inclusive(|b| matches!(b, b'\n' | b'\r')) {
                    if pending.is_empty() && piece.trim_ascii().is_empty() {
                        continue;
                    }
                    pending.extend_from_slice(piece);
                    balance.push(&String::from_utf8_lossy(piece));
                    if balance.is_closed() && (piece.ends_with(b"\n") || piece.ends_with(b"\r")) {
                        self.line(&mut pending);
                        balance = Balance::default();
                    }
                }
                if pending.len() > MAX_LINE_BYTES {
                    self.building.fail("event-too-long", "a line was too large to be read".to_owned());
                    pending.clear();
                }
                self.mode = Mode::Lines(pending, balance);
            }
        }
        std::mem::take(&mut self.building.deltas)
    }

    /// The reply, when no more bytes come.
    #[must_use]
    pub fn finish(mut self) -> Reply {
        match std::mem::replace(&mut self.mode, Mode::Unknown(Vec::new())) {
            Mode::Unknown(_) => {}
            Mode::Body(body) => self.body(&body),
            Mode::Events(decoder, head) => {
                if let Some(event) = decoder.finish() {
                    // The stream may have been cut here: what does not parse is not an error of its own.
                    if event.data.trim() == "[DONE]" || json::read_value(event.data.trim()).is_ok() {
                        self.event(&event);
                    }
                }
                if !self.building.begun && !begins_as_events(&head) {
                    let failed = failure::of_text(&String::from_utf8_lossy(&head), self.building.status);
                    self.building.failed.get_or_insert(failed);
                }
            }
            Mode::Lines(pending, balance) => {
                let text = String::from_utf8_lossy(&pending);
                let text = text.trim_start_matches('\u{feff}').trim();
                // The stream may have been cut here; a page of an error is no line that was cut off.
                if let Some(value) = json::read_value(text).ok().filter(|_| balance.is_closed()) {
                    self.value(&value);
                } else if !self.building.begun && !text.is_empty() && !text.starts_with('{') {
                    self.building.failed = Some(failure::of_text(text, self.building.status));
                }
            }
        }
        self.building.into_reply(self.prompt_estimate)
    }

    /// Takes a line whose brackets are closed. Some servers write one value over several.
    fn line(&mut self, pending: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(pending);
        let text = text.trim_start_matches('\u{feff}').trim();
        match json::read_value(text) {
            Ok(value) => self.value(&value),
            // A page: what it says is told at the end.
            Err(_) if !self.building.begun && !text.starts_with('{') => return,
            Err(error) => {
                self.building.fail("malformed-event", format!("a line of the stream is not JSON: {error}"));
            }
        }
        pending.clear();
    }

    fn body(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        match json::read_value(text) {
            // Gemini gives a list: of the pieces of its reply, or of one error.
            Ok(Value::List(list)) if !list.is_empty() => list.iter().for_each(|value| self.body_value(value)),
            Ok(value) => self.body_value(&value),
            Err(_) => self.building.failed = Some(failure::of_text(text, self.building.status)),
        }
        if self.building.failed.is_some() {
            self.building.retry_after = failure::retry_after(text);
        }
        self.building.deltas.clear();
    }

    fn body_value(&mut self, value: &Value) {
        let is_reply = (200..300).contains(&self.building.status) && self.is_reply(value);
        if is_reply || building::is_error(value) {
            self.value(value);
        } else {
            let status = self.building.status;
            self.building.failed.get_or_insert_with(|| failure::of_value(value, status));
        }
    }

    fn is_reply(&self, value: &Value) -> bool {
        let names: &[&str] = match self.wire {
            Wire::Chat => &["choices"],
            Wire::Responses => &["output"],
            Wire::Anthropic => &["content"],
            Wire::Gemini => &["candidates", "promptFeedback", "usageMetadata"],
            Wire::Ollama => &["message", "done"],
        };
        names.iter().any(|name| value.get(name).is_some_and(|v| !v.is_null()))
    }

    fn event(&mut self, event: &Event) {
        let data = event.data.trim();
        if data == "[DONE]" {
            // It says that the stream is whole, not how the model ended: that stands before it, or nowhere.
            (self.building.begun, self.building.over) = (true, true);
            return;
        }
        if data.is_empty() {
            return;
        }
        match json::read_value(data) {
            Ok(value) if event.event.as_deref() == Some("error") && !building::is_error(&value) => {
                self.building.failed.get_or_insert(failure::of_value(&value, 200));
            }
            Ok(value) => self.value(&value),
            Err(_) if event.event.as_deref() == Some("error") => {
                self.building.failed.get_or_insert(failure::of_text(data, 200));
            }
            Err(error) => {
                self.building.fail("malformed-event", format!("an event of the stream is not JSON: {error}"));
            }
        }
        if event.replaced {
            let message = "an event of the stream holds bytes that are not UTF-8".to_owned();
            self.building.fail("malformed-event", message);
        }
    }

    fn value(&mut self, value: &Value) {
        let building = &mut self.building;
        if building.failed.is_some() {
            return;
        }
        building.begun = true;
        if building::is_error(value) {
            return building.error(value.get("error").filter(|e| !e.is_null()).unwrap_or(value));
        }
        if building.over {
            return;
        }
        match self.wire {
            Wire::Chat => chat::value(building, value),
            Wire::Responses => responses::value(building, value),
            Wire::Anthropic => anthropic::value(building, value),
            Wire::Gemini => gemini::value(building, value),
            Wire::Ollama => ollama::value(building, value),
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

fn str_at<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.at(path).and_then(Value::as_str).unwrap_or_default()
}

fn list_at<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    value.at(path).and_then(Value::as_list).unwrap_or_default()
}

fn count_at(value: &Value, path: &[&str]) -> Option<u64> {
    value.at(path).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).filter(|n| *n <= MAX_COUNT)
}

/// Whether the first line that says something is a comment or a field of an event, or may become one.
fn begins_as_events(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let line =
        head.split(|b| matches!(b, b'\n' | b'\r')).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let is_like = |name: &&[u8]| line.starts_with(name) || name.starts_with(line);
    let names: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];
    names.iter().any(is_like)
}

/// Arguments as text: some servers send them as a map, whole.
fn arguments_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::Text(text)) => text.clone(),
        Some(value) if !value.is_null() => value.to_json(),
        _ => String::new(),
    }
}

impl Request {
    /// The tokens of its messages and tools, estimated.
    #[must_use]
    pub fn estimate(&self) -> u64 {
        let messages: u64 = self.messages.iter().map(|m| estimate_tokens(&m.text)).sum();
        let tool = |tool: &crate::Tool| estimate_tokens(&tool.description) + estimate_tokens(&tool.schema.to_json());
        messages + self.tools.iter().map(tool).sum::<u64>()
    }
}
