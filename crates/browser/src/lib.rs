//! Drives the engine: its clock, its timers, its store, its models and tools, and the session's messages.
//!
//! A [`Session`] takes one JSON text a message, as `throughline_protocol::session` has them, and gives one
//! back. Everything that differs between a worker, Node and a test is a [`Host`].
//!
//! **Invariant: inputs reach the engine one after another, in the order in which they came.** What the
//! engine asks for is done after it has returned, never within; so a tool that answers at once, a store that
//! answers at once and a page that answers at once are all the same.
//!
//! **Invariant: texts that come in are plain JSON, with all digits; texts that go out are for
//! `JSON.parse`,** with numbers that a double cannot hold marked as `throughline_value::to_wire` does.

mod aside;
mod clock;
mod host;
mod live;
pub mod local;
mod model;
mod running;
mod session;
#[cfg(target_arch = "wasm32")]
mod web;

pub use host::{Channel, Fetched, Guard, Host, Waiting, Work};
pub use session::{FactName, Session};
pub use throughline_engine::{Columns, LANES, Memory};
#[cfg(target_arch = "wasm32")]
pub use web::{WebHost, list, remove};

/// The longest file that is imported, in bytes.
pub const MAX_IMPORT_BYTES: usize = 256 << 20;

/// The longest message that a session takes, in bytes; an import may be longer.
pub const MAX_MESSAGE_BYTES: usize = 2 * MAX_IMPORT_BYTES;

/// The longest recording of exchanges, in bytes. Later exchanges are not recorded, and `record` says so.
pub const MAX_RECORDING_BYTES: usize = 64 << 20;

/// How long a model of the host may take, in milliseconds.
pub const MAX_HOST_MODEL_MS: i64 = 600_000;

/// How many foreign looks at the store may follow one another without a frame, before a hint is needed again.
pub const MAX_LOOKS: usize = 3;

/// How many bytes of memories' texts and data a session holds, unless it is opened with another budget.
pub const MEMORY_BUDGET: usize = 64 << 20;

/// After so many new events, and half as many as there were, a snapshot of the memory is written.
pub const SNAPSHOT_ROWS: usize = 20_000;

/// After so many new events a snapshot is written at the closing.
pub const CLOSING_ROWS: usize = 1_000;

/// A snapshot of more bytes than this is not written, for it is one value in the store: the next opening folds.
pub const MAX_SNAPSHOT_BYTES: usize = 256 << 20;

/// How long nothing may go on before a snapshot is written, in milliseconds.
pub const SNAPSHOT_PAUSE_MS: i64 = 2_000;
