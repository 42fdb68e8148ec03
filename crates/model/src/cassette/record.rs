//! Writing a cassette from what came over the wire.

use throughline_value::{Map, Value};

use super::{Chunk, Match};
use crate::{Ending, Reply, Request, Scrubber, Stream, Wire, base64};

/// Records one exchange. It sees the request's purpose and language and the reply's bytes, never headers or
/// keys.
///
/// ```
/// use throughline_model::{Request, cassette::{Cassette, Recorder}};
/// let request = Request { language: "en".into(), ..Request::new("respond", vec![]) };
/// let mut recorder = Recorder::new(&request);
/// recorder.chunk(0, b"data: [DONE]\n\n");
/// let line = recorder.finish(200, "text/event-stream");
/// let chunks = Cassette::read(&line)?.play(&request, 0).unwrap().chunks;
/// assert_eq!(chunks[0].bytes, b"data: [DONE]\n\n");
/// # Ok::<(), throughline_model::cassette::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    matches: Match,
    chunks: Vec<Chunk>,
    wire: Wire,
}

impl Recorder {
    /// Begins to record the reply to `request`.
    #[must_use]
    pub fn new(request: &Request) -> Self {
        let language = (!request.language.is_empty()).then(|| request.language.clone());
        let matches = Match { purpose: request.purpose.clone(), language, contains: Vec::new() };
        Self { matches, chunks: Vec::new(), wire: Wire::Chat }
    }

    /// The same recorder, whose entry wants this text in the request.
    #[must_use]
    pub fn containing(mut self, text: impl Into<String>) -> Self {
        self.matches.contains.push(text.into());
        self
    }

    /// The same recorder, for a reply that is written this way.
    #[must_use]
    pub fn over(mut self, wire: Wire) -> Self {
        self.wire = wire;
        self
    }

    /// Takes a piece of the reply, `t` milliseconds after the request.
    pub fn chunk(&mut self, t: u64, bytes: &[u8]) {
        self.chunks.push(Chunk { t, bytes: bytes.to_vec() });
    }

    /// The entry as one line. A key that the provider said back in pieces too small to be seen on the way would be
    /// whole again when they are played: then the reply is written by what it said, without the key.
    #[must_use]
    pub fn finish_without(self, scrubber: &Scrubber, status: u16, content_type: &str) -> String {
        let mut stream = Stream::of(self.wire, &Request::default(), status, content_type);
        for chunk in &self.chunks {
            stream.push(&chunk.bytes);
        }
        let reply = stream.finish();
        let clean = scrubber.reply(reply.clone());
        if said(&reply) == said(&clean) {
            return self.finish(status, content_type);
        }
        let finish = match &clean.ending {
            Ending::Done if clean.tool_calls.is_empty() => "stop",
            Ending::Done => "tool_calls",
            Ending::Truncated => "length",
            Ending::Refused => "content_filter",
            // Nothing of it counts, and nothing of it is kept.
            Ending::Interrupted | Ending::Failed { .. } => {
                return Self { chunks: Vec::new(), ..self }.finish(status, content_type);
            }
        };
        let call = |call: &crate::ToolCall| {
            Value::from([
                ("id", Value::from(call.id.as_str())),
                ("name", Value::from(call.name.as_str())),
                ("arguments", Value::from(call.arguments.as_str())),
            ])
        };
        let mut map = Map::new();
        map.insert("match".into(), self.matches.to_value());
        map.insert("reply".into(), clean.text.as_str().into());
        if !clean.tool_calls.is_empty() {
            map.insert("calls".into(), Value::List(clean.tool_calls.iter().map(call).collect()));
        }
        map.insert("finish".into(), finish.into());
        Value::Map(map).to_json()
    }

    /// The entry as one line of a cassette, without a line end.
    #[must_use]
    pub fn finish(self, status: u16, content_type: &str) -> String {
        let chunk = |chunk: &Chunk| match std::str::from_utf8(&chunk.bytes) {
            Ok(text) => Value::from([("t", Value::from(chunk.t)), ("text", Value::from(text))]),
            Err(_) => Value::from([("t", Value::from(chunk.t)), ("b64", Value::from(base64::encode(&chunk.bytes)))]),
        };
        let mut map = Map::new();
        map.insert("match".into(), self.matches.to_value());
        map.insert("status".into(), u64::from(status).into());
        map.insert("content_type".into(), content_type.into());
        if self.wire != Wire::Chat {
            map.insert("wire".into(), self.wire.name().into());
        }
        map.insert("chunks".into(), Value::List(self.chunks.iter().map(chunk).collect()));
        Value::Map(map).to_json()
    }
}

/// Everything that a reply says.
fn said(reply: &Reply) -> (&str, &str, &str, &[crate::ToolCall]) {
    (&reply.text, &reply.thinking, &reply.refusal, &reply.tool_calls)
}
