//! Language-model wire protocols without I/O: requests out, bytes in; structured output; cassettes.
//!
//! Nothing here waits or connects. A [`Request`] becomes a [`provider::Http`] with [`provider::http`]; the
//! bytes that come back go into a [`Stream`] in pieces of any size and become a [`Reply`], whose [`Ending`] is what
//! the provider said and never a guess. [`structured::read_reply`] takes the one JSON value out of it, the
//! only part of a reply that counts. A [`cassette::Cassette`] answers requests from a recording, byte for
//! byte, through the same decoder.
//!
//! **Invariant: a reply that did not end well is never used.** Tool calls and values come out of a reply
//! only when its ending is [`Ending::Done`]; what was cut off is kept as partial text and nothing more.
//!
//! **Invariant: valid JSON is never repaired.** A value that parses is taken byte for byte; repairs and
//! coercions happen to one candidate, are listed, and are checked against the schema afterwards.

mod base64;
pub mod cassette;
pub mod diagnose;
pub mod openai;
pub mod provider;
mod redact;
mod reply;
mod request;
pub mod retry;
pub mod schema;
mod scrub;
pub mod sse;
mod stream;
pub mod structured;
mod tokens;
mod wire;

pub use redact::{redact, redact_said};
pub use reply::{Call, Delta, Ending, Reply, ToolCall, Usage};
pub use request::{Message, Request, Tool};
pub use scrub::{Pieces, Scrubber};
pub use stream::{MAX_BODY_BYTES, MAX_LINE_BYTES, Stream};
pub use tokens::estimate_tokens;
pub use wire::Wire;
