//! Answering requests from a cassette.

use throughline_protocol::Refusal;
use throughline_value::{InOrder as _, Value};

use super::{Chunk, Content, Entry, Written};
use crate::{Request, Usage, Wire, estimate_tokens};

/// How many characters of a written reply go into one event.
const CHARS_PER_EVENT: usize = 12;

/// The time between two events of a written reply, in milliseconds.
const MS_PER_EVENT: u64 = 20;

/// Recorded exchanges.
///
/// ```
/// use throughline_model::{Ending, Message, Request, cassette::Cassette, openai::Stream};
/// let cassette = Cassette::read(r#"{"match": {"purpose": "respond"}, "reply": "On its way."}"#)?;
/// let request = Request::new("respond", vec![Message::new("user", "Where is it?")]);
/// let playback = cassette.play(&request, 0).unwrap();
/// let mut stream = Stream::new(&request, playback.status, &playback.content_type);
/// for chunk in &playback.chunks {
///     stream.push(&chunk.bytes);
/// }
/// let reply = stream.finish();
/// assert_eq!((reply.text.as_str(), reply.ending), ("On its way.", Ending::Done));
/// # Ok::<(), throughline_model::cassette::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cassette {
    pub(super) entries: Vec<Entry>,
}

/// What a request gets back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playback {
    /// The entry's place in the cassette, from 0.
    pub entry: usize,
    /// The HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: String,
    /// How the reply is written.
    pub wire: Wire,
    /// The bytes with their times.
    pub chunks: Vec<Chunk>,
}

impl Cassette {
    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the request gets back when `nth` earlier requests were answered by the same entries: the entry at
    /// that place among those that match, from the first again after the last.
    ///
    /// # Errors
    /// `cassette-mismatch`, with the purpose and what the nearest entry wants.
    pub fn play(&self, request: &Request, nth: usize) -> Result<Playback, Refusal> {
        let fitting: Vec<usize> = self.fitting(request).collect();
        match fitting.get(nth.checked_rem(fitting.len()).unwrap_or(0)) {
            Some(place) => self.playback(*place, request).ok_or_else(|| self.mismatch(request)),
            None => Err(self.mismatch(request)),
        }
    }

    fn fitting(&self, request: &Request) -> impl Iterator<Item = usize> {
        self.entries.iter().enumerate().filter(|(_, e)| e.matches.fits(request)).map(|(i, _)| i)
    }

    fn playback(&self, place: usize, request: &Request) -> Option<Playback> {
        let entry = self.entries.get(place)?;
        let chunks = match &entry.content {
            Content::Recorded(chunks) => chunks.clone(),
            Content::Written(written) => stream(written, request),
        };
        let (status, wire, content_type) = (entry.status, entry.wire, entry.content_type.clone());
        Some(Playback { entry: place, status, content_type, wire, chunks })
    }

    fn mismatch(&self, request: &Request) -> Refusal {
        let purpose = &request.purpose;
        let said = format!("the cassette has no reply for `{purpose}`");
        let refusal = |message: String| Refusal::new("cassette-mismatch", message);
        let details = |more: Option<(usize, Value, Vec<&str>)>| {
            let mut map = throughline_value::Map::new();
            map.insert("purpose".into(), purpose.as_str().into());
            map.insert("language".into(), request.language.as_str().into());
            map.insert("fingerprint".into(), request.fingerprint().into());
            if let Some((line, wants, missing)) = more {
                map.insert("nearest_line".into(), line.into());
                map.insert("nearest".into(), wants);
                map.insert("missing".into(), Value::from(missing));
            }
            Value::Map(map)
        };
        let same = self.entries.iter().filter(|e| e.matches.purpose == *purpose);
        let nearest = same.min_by_key(|e| (!e.matches.fits_language(request), e.matches.missing(request).len()));
        let Some(nearest) = nearest else {
            let mut purposes: Vec<&str> = self.entries.iter().map(|e| e.matches.purpose.as_str()).collect();
            purposes.order();
            purposes.dedup();
            let suggestion = format!("record one; it has replies for: {}", purposes.join(", "));
            return refusal(said).suggest(suggestion).with(details(None));
        };
        let missing = nearest.matches.missing(request);
        let line = nearest.line;
        let why = match &nearest.matches.language {
            Some(language) if !nearest.matches.fits_language(request) => {
                format!(
                    "the nearest, on line {line}, is for the language `{language}`, asked was `{}`",
                    request.language
                )
            }
            _ => {
                let texts: Vec<String> = missing.iter().map(|t| format!("{t:?}")).collect();
                format!("the nearest, on line {line}, wants the request to contain {}", texts.join(" and "))
            }
        };
        refusal(format!("{said}: {why}"))
            .suggest("record the exchange again, or change what the entry matches")
            .with(details(Some((line, nearest.matches.to_value(), missing))))
    }
}

/// A cassette that is being played: each entry answers once, and from the first again when all that match
/// have answered, so that a run can be repeated with the same cassette.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    cassette: Cassette,
    used: Vec<bool>,
}

impl Player {
    /// Starts at the beginning.
    #[must_use]
    pub fn new(cassette: Cassette) -> Self {
        let used = vec![false; cassette.entries.len()];
        Self { cassette, used }
    }

    /// The cassette.
    #[must_use]
    pub fn cassette(&self) -> &Cassette {
        &self.cassette
    }

    /// What the request gets back: the first entry that matches and has not answered yet.
    ///
    /// # Errors
    /// As [`Cassette::play`].
    pub fn play(&mut self, request: &Request) -> Result<Playback, Refusal> {
        let fitting: Vec<usize> = self.cassette.fitting(request).collect();
        let fresh = fitting.iter().copied().find(|i| self.used.get(*i) == Some(&false));
        if fresh.is_none() {
            for place in &fitting {
                if let Some(used) = self.used.get_mut(*place) {
                    *used = false;
                }
            }
        }
        let place = fresh.or(fitting.first().copied());
        let playback = place.and_then(|place| self.cassette.playback(place, request));
        let playback = playback.ok_or_else(|| self.cassette.mismatch(request))?;
        if let Some(used) = self.used.get_mut(playback.entry) {
            *used = true;
        }
        Ok(playback)
    }
}

/// The stream of a written reply, as an OpenAI-compatible server sends it.
fn stream(written: &Written, request: &Request) -> Vec<Chunk> {
    let prompt: u64 = request.messages.iter().map(|m| estimate_tokens(&m.text)).sum();
    let usage = written.usage.unwrap_or(Usage {
        prompt,
        completion: estimate_tokens(&written.text),
        cached: 0,
        estimated: true,
    });
    let choice = |delta: Value, finish: Value| {
        Value::from([(
            "choices",
            Value::List(vec![Value::from([("index", Value::from(0)), ("delta", delta), ("finish_reason", finish)])]),
        )])
    };
    let mut events = vec![choice(Value::from([("role", "assistant"), ("content", "")]), Value::Null).to_json()];
    let chars: Vec<char> = written.text.chars().collect();
    for piece in chars.chunks(CHARS_PER_EVENT) {
        let piece: String = piece.iter().collect();
        events.push(choice(Value::from([("content", piece)]), Value::Null).to_json());
    }
    for (call, i) in written.calls.iter().zip(0u64..) {
        let arguments = call.get("arguments").cloned().unwrap_or_default();
        let function = Value::from([
            ("name", call.get("name").cloned().unwrap_or_default()),
            ("arguments", arguments.as_str().map_or_else(|| arguments.to_json(), str::to_owned).into()),
        ]);
        let index = call.get("index").cloned().unwrap_or_else(|| Value::from(i));
        let id = call.get("id").cloned().unwrap_or_else(|| Value::from(format!("call_{i}")));
        let call = Value::from([("index", index), ("id", id), ("type", "function".into()), ("function", function)]);
        events.push(choice(Value::from([("tool_calls", Value::List(vec![call]))]), Value::Null).to_json());
    }
    events.push(choice(Value::map(), Value::from(written.finish.as_str())).to_json());
    // An estimate is left to the decoder, which marks it as one.
    if !usage.estimated {
        let counts = Value::from([
            ("prompt_tokens", Value::from(usage.prompt)),
            ("completion_tokens", Value::from(usage.completion)),
            ("prompt_tokens_details", Value::from([("cached_tokens", usage.cached)])),
        ]);
        events.push(Value::from([("choices", Value::List(Vec::new())), ("usage", counts)]).to_json());
    }
    events.push("[DONE]".to_owned());
    let timed = events.into_iter().zip(0u64..);
    timed.map(|(data, i)| Chunk { t: i * MS_PER_EVENT, bytes: format!("data: {data}\n\n").into_bytes() }).collect()
}
