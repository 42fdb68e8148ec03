//! Throughline for Rust: the state of long-running agents, kept straight.
//!
//! [`Local`] is a whole session in one value, without threads and without I/O: the engine with a journal in
//! memory, recorded model replies, and tools as closures. It is what scenarios and tests run on; a host with
//! a store of its own drives [`engine::Engine`] instead.
//!
//! ```
//! use throughline::Local;
//! let mut session = Local::new("example", 1_770_000_000_000);
//! session.execute(r#"{"type": "assert_fact", "key": "budget", "value": 20000}"#)?;
//! session.advance(1_000);
//! session.execute(r#"{"type": "assert_fact", "key": "budget", "value": 18000}"#)?;
//! let then = session.query(r#"{"type": "facts", "at": {"seq": 1}}"#)?;
//! assert_eq!(then.at(&["facts", "0", "value"]).and_then(|v| v.as_i64()), Some(20_000));
//! # Ok::<(), throughline::protocol::Refusal>(())
//! ```

mod local;
pub mod scenario;
mod zones;

pub use local::{Local, Tool};
pub use throughline_engine as engine;
pub use throughline_journal as journal;
pub use throughline_protocol as protocol;
pub use throughline_value as value;
pub use zones::zone_command;
