//! Entries, and reading them.

use serde::Deserialize;
use throughline_value::{Value, from_node, json};

use super::{Cassette, Chunk};
use crate::{Request, Usage, Wire, base64};

/// The longest cassette that is read, in bytes.
pub const MAX_CASSETTE_BYTES: usize = 64 << 20;

/// How many entries a cassette may have.
pub const MAX_ENTRIES: usize = 10_000;

/// What a request must be for an entry to answer it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The purpose.
    pub purpose: String,
    /// The language; any when absent.
    #[serde(default)]
    pub language: Option<String>,
    /// Texts that must all stand in the request's messages.
    #[serde(default)]
    pub contains: Vec<String>,
}

impl Match {
    /// Whether it matches.
    #[must_use]
    pub fn fits(&self, request: &Request) -> bool {
        self.purpose == request.purpose && self.fits_language(request) && self.missing(request).is_empty()
    }

    pub(super) fn fits_language(&self, request: &Request) -> bool {
        self.language.as_ref().is_none_or(|l| *l == request.language)
    }

    /// The texts that the request does not contain.
    pub(super) fn missing(&self, request: &Request) -> Vec<&str> {
        let stands = |text: &str| request.messages.iter().any(|m| m.text.contains(text));
        self.contains.iter().map(String::as_str).filter(|t| !stands(t)).collect()
    }

    pub(super) fn to_value(&self) -> Value {
        let mut map = throughline_value::Map::new();
        map.insert("purpose".into(), self.purpose.as_str().into());
        if let Some(language) = &self.language {
            map.insert("language".into(), language.as_str().into());
        }
        if !self.contains.is_empty() {
            map.insert("contains".into(), Value::from(self.contains.clone()));
        }
        Value::Map(map)
    }
}

/// A reply written by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The calls of tools, each with `name` and `arguments`, a map or a text.
    pub calls: Vec<Value>,
    /// How the provider says it ended: `stop`, `length`, `content_filter`.
    pub finish: String,
    /// The tokens it took; estimated when absent.
    pub usage: Option<Usage>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The bytes as they were recorded.
    Recorded(Vec<Chunk>),
    /// A reply written by hand; the player makes the stream.
    Written(Written),
}

/// One exchange of a cassette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it answers.
    pub matches: Match,
    /// The HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: String,
    /// How the reply is written; a reply by hand is a chat completion.
    pub wire: Wire,
    /// What came back.
    pub content: Content,
    /// Its line in the cassette, from 1.
    pub line: usize,
}

/// What was wrong with a cassette, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A stable code: `cassette-too-long`, `too-many-entries`, `bad-entry`, `bad-base64`, or one of the JSON
    /// reader's.
    pub code: String,
    /// The line, from 1.
    pub line: usize,
    /// The byte in the cassette.
    pub byte: usize,
    /// What was wrong and what to do.
    pub message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} (line {}, byte {})", self.code, self.message, self.line, self.byte)
    }
}

impl std::error::Error for Error {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    r#match: Match,
    #[serde(default)]
    chunks: Option<Vec<LineChunk>>,
    #[serde(default)]
    reply: Option<Value>,
    #[serde(default)]
    calls: Option<Vec<Value>>,
    #[serde(default)]
    finish: Option<String>,
    #[serde(default)]
    usage: Option<LineUsage>,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default = "event_stream")]
    content_type: String,
    #[serde(default)]
    wire: Wire,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineChunk {
    t: u64,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    b64: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineUsage {
    prompt: u64,
    completion: u64,
    #[serde(default)]
    cached: u64,
}

fn ok() -> u16 {
    200
}

fn event_stream() -> String {
    "text/event-stream".to_owned()
}

impl Cassette {
    /// Reads a cassette.
    ///
    /// # Errors
    /// With the code, line and byte of the first thing that is wrong.
    pub fn read(text: &str) -> Result<Self, Error> {
        let fail = |code: &str, message: String| Error { code: code.to_owned(), line: 1, byte: 0, message };
        if text.len() > MAX_CASSETTE_BYTES {
            return Err(fail(
                "cassette-too-long",
                format!("a cassette of over {MAX_CASSETTE_BYTES} bytes is not read"),
            ));
        }
        let mut entries = Vec::new();
        let mut start = 0;
        for (i, line) in text.split('\n').enumerate() {
            let content = line.trim_end_matches('\r');
            let blank = content.trim().is_empty() || content.trim_start().starts_with("//");
            if !blank {
                let at = |e: Error| Error { line: i + 1, byte: start + e.byte, ..e };
                entries.push(Entry { line: i + 1, ..read_line(content).map_err(at)? });
                if entries.len() > MAX_ENTRIES {
                    let message = format!("a cassette has at most {MAX_ENTRIES} entries; split it");
                    return Err(at(fail("too-many-entries", message)));
                }
            }
            start += line.len() + 1;
        }
        Ok(Self { entries })
    }
}

fn read_line(text: &str) -> Result<Entry, Error> {
    let fail =
        |code: &str, message: &str| Error { code: code.to_owned(), line: 0, byte: 0, message: message.to_owned() };
    let of = |e: throughline_value::Error| Error {
        code: e.code().to_owned(),
        line: 0,
        byte: e.span().map_or(0, |s| s.start),
        message: if e.path().is_empty() {
            e.message().to_owned()
        } else {
            format!("{} (at {})", e.message(), e.path())
        },
    };
    let line: Line = from_node(&json::read(text).map_err(of)?).map_err(of)?;
    // A reply may be nothing but calls.
    let reply = line.reply.or_else(|| line.calls.as_ref().map(|_| Value::from("")));
    let content = match (line.chunks, reply) {
        (Some(chunks), None) => {
            if line.finish.is_some() || line.usage.is_some() {
                return Err(fail("bad-entry", "`finish` and `usage` go with `reply`; recorded chunks carry their own"));
            }
            let chunks = chunks.into_iter().map(|chunk| match (chunk.text, chunk.b64) {
                (Some(text), None) => Ok(Chunk { t: chunk.t, bytes: text.into_bytes() }),
                (None, Some(b64)) => base64::decode(&b64)
                    .map(|bytes| Chunk { t: chunk.t, bytes })
                    .ok_or_else(|| fail("bad-base64", "`b64` is not Base64 with padding")),
                _ => Err(fail("bad-entry", "a chunk has either `text` or `b64`")),
            });
            Content::Recorded(chunks.collect::<Result<_, _>>()?)
        }
        (None, Some(_)) if line.wire != Wire::Chat => {
            return Err(fail("bad-entry", "`wire` goes with `chunks`; a reply by hand is a chat completion"));
        }
        (None, Some(reply)) => {
            let text = reply.as_str().map_or_else(|| reply.to_json(), str::to_owned);
            let usage = line.usage.map(|u| Usage {
                prompt: u.prompt,
                completion: u.completion,
                cached: u.cached,
                estimated: false,
            });
            let calls = line.calls.unwrap_or_default();
            let default = || if calls.is_empty() { "stop" } else { "tool_calls" }.to_owned();
            Content::Written(Written { text, finish: line.finish.unwrap_or_else(default), usage, calls })
        }
        _ => return Err(fail("bad-entry", "an entry has either `chunks` or `reply`")),
    };
    let Line { r#match, status, content_type, wire, .. } =
        Line { chunks: None, reply: None, calls: None, finish: None, usage: None, ..line };
    Ok(Entry { matches: r#match, status, content_type, wire, content, line: 0 })
}
