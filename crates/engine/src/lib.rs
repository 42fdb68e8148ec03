//! The engine without I/O: inputs in, outputs out.
//!
//! Nothing here waits, reads a clock or touches a store. The rim gives every [`Input`] with the time, then
//! takes [`Output`]s with [`Engine::poll`] until there is none, does what they say, and answers with
//! inputs. Given the same inputs, two engines do the same.
//!
//! **Invariant: a change is acknowledged only after it is durable.** [`Output::Done`] for a command comes
//! after [`Input::Appended`] for the frame that holds it. At most one append is in flight; commands that
//! come meanwhile join the next frame.
//!
//! **Invariant: effects start only after their record is committed.** [`Output::Exchange`] and
//! [`Output::Call`] come after the append of the record that asks for them, and only from the engine that
//! decided it.
//!
//! **Invariant: a conflict loses nothing.** When another engine appended first, its frames are folded and
//! the waiting commands are decided again on what they now see.
//!
//! ```
//! use throughline_engine::{Engine, Input, Output};
//! let mut engine = Engine::new("example");
//! let text = r#"{"type": "assert_fact", "key": "budget", "value": 20000}"#.to_owned();
//! engine.handle(1_000, Input::Execute { ticket: 1, text, meta: Default::default() });
//! let Some(Output::Append { append, .. }) = engine.poll() else { panic!("a frame to append") };
//! engine.handle(1_001, Input::Appended { append });
//! assert!(matches!(engine.poll(), Some(Output::Done { ticket: 1, .. })));
//! let facts = engine.query(1_002, r#"{"type": "facts"}"#).unwrap();
//! assert_eq!(facts.at(&["facts", "0", "value"]).and_then(|v| v.as_i64()), Some(20_000));
//! ```

mod building;
mod cold;
mod conditions;
mod decide;
mod diff;
mod digests;
mod effects;
mod engine;
mod erase;
mod fork;
mod influences;
mod input;
mod memories;
mod moment;
mod otlp;
mod plans;
mod query;
mod react;
mod replay;
mod state;
mod summary;
mod tools;
mod why;

pub use cold::{LOAD_FRAMES, READ_AHEAD, READ_FRAMES};
pub use digests::digests_of;
pub use effects::MAX_RAW_REPLY;
pub use engine::{Engine, FactMoment};
pub use fork::{Forked, fork};
pub use input::{ExchangeEvent, Input, Output, Via};
pub use throughline_dialogue::FactPlace;
pub use throughline_memory::{Columns, LANES, Memory};

/// The most commands that join one frame; more wait for the next.
pub const MAX_COMMANDS_PER_FRAME: usize = 64;

/// The most commands that may wait; one more is refused with `too-many-waiting`.
pub const MAX_WAITING: usize = 10_000;

/// How many rounds of due events, plan steps and turn stages one frame takes in; the rest goes into the next.
pub const MAX_ROUNDS_PER_FRAME: usize = 16;

/// How many frames in a row what goes on by itself may fill to their limit; then it is stopped, on record.
pub const MAX_CHAINED_FRAMES: u32 = 16;

/// How long what was stopped so rests, in milliseconds, unless a command comes.
pub const STOPPED_FOR: i64 = 1_000;

/// How deep batches may nest.
pub const MAX_BATCH_DEPTH: usize = 4;

/// The most commands of one batch.
pub const MAX_BATCH: usize = 10_000;

/// How much of a text that could not be read is kept with its refusal, in bytes.
pub const MAX_REFUSED_TEXT: usize = 4_096;
