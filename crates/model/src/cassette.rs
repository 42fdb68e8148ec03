//! Recorded exchanges that replay byte for byte.
//!
//! A cassette is text, one JSON map a line. An entry says what it matches and what came back, as raw chunks
//! with their times, or, for writing by hand, as the reply's text, from which the player makes the same
//! stream every time; both go through the same decoder as a live reply.
//!
//! ```text
//! {"match": {"purpose": "interpret", "contains": ["SF123456789"]}, "reply": {"intent": "track"}}
//! {"match": {"purpose": "respond", "language": "zh"}, "chunks": [{"t": 0, "text": "data: …\n\n"}]}
//! ```
//!
//! Empty lines and lines that begin with `//` are passed over.

mod entry;
mod fault;
mod play;
mod record;

pub use entry::{Content, Entry, Error, MAX_CASSETTE_BYTES, MAX_ENTRIES, Match, Written};
pub use fault::{cut, harm, rechunk, single_bytes};
pub use play::{Cassette, Playback, Player};
pub use record::Recorder;

/// A piece of a reply as it came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// When it came, in milliseconds since the request.
    pub t: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}
