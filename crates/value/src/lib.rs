//! Exact values, and JSON with positions: the bottom of Throughline.
//!
//! Everything that is stored, sent or computed is a [`Value`]. A [`Number`] keeps the digits it was
//! written with, so `91.70` prints as `91.70`, equals `91.7`, and `9007199254740993` survives every
//! trip. [`json::read`] turns text into a tree that knows where each part stood, so that an error in a
//! command, a domain or a plan can point at the byte that caused it; [`from_node`] and [`from_value`]
//! read typed structures from it and [`to_value`] writes them.
//!
//! ```
//! use throughline_value::{json, Value};
//! let value = json::read_value(r#"{"price": 91.70}"#)?;
//! assert_eq!(value.get("price").map(|v| v.to_json()), Some("91.70".into()));
//! assert_eq!(json::read_value("91.70")?, json::read_value("91.7")?);
//! # Ok::<(), throughline_value::Error>(())
//! ```

mod de;
mod error;
pub mod forms;
pub mod hex;
pub mod json;
mod named;
mod number;
mod order;
mod pairs;
mod ser;
mod sorted;
mod value;
mod wire;

pub use de::{from_node, from_value};
pub use error::{Error, Span};
pub use named::Named;
pub use number::{MAX_NUMBER_CHARS, Number};
pub use order::{InOrder, order_numbers};
pub use pairs::{Entry, Pairs, PairsMut, Slots};
pub use ser::to_value;
pub use sorted::{SortedMap, SortedSet};
pub use value::{Map, Value};
pub use wire::{from_wire, to_wire};
