//! Commands, queries, outcomes and envelopes: what crosses a thread or a tab, and nothing else.
//!
//! [`Command`] is everything that can be asked to change, [`Query`] everything that can be read; both are
//! data, the same in Rust, in JSON and in TypeScript. The npm package's methods, the scenario files, the
//! inspector and the tool definitions for models all use these two enums.
//!
//! ```
//! use throughline_protocol::Command;
//! let command = Command::read(r#"{"type": "assert_fact", "key": "budget", "value": 20000}"#)?;
//! assert_eq!(command.name(), "assert_fact");
//! let refusal = Command::read(r#"{"type": "assert_fact", "kee": 1}"#).unwrap_err();
//! assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("unknown-field", Some("/kee")));
//! # Ok::<(), throughline_protocol::Refusal>(())
//! ```

mod tagged;

pub mod check;
pub mod command;
mod context;
pub mod domain;
mod envelope;
mod intervention;
pub mod lane;
mod outcome;
pub mod query;
pub mod session;
mod settings;
mod time;
pub mod view;
pub mod words;

pub use command::Command;
pub use context::{At, Context, Decision};
pub use domain::Domain;
pub use envelope::{Envelope, Meta, Moment};
pub use intervention::{Delay, Drop, Insert, Intervention, Replace, Retire, SetFact};
pub use outcome::{Done, Outcome, Refusal};
pub use query::Query;
pub use settings::{ModelSettings, Prices, Secret};
pub use tagged::{Tagged, nearest};
pub use time::{MAX_MILLIS, MIN_MILLIS, Time};

/// The subject of a fact that names none: the conversation itself.
pub const DEFAULT_SUBJECT: &str = "session";
