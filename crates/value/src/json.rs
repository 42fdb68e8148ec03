//! JSON text: a strict reader that knows positions, and the two writers.
//!
//! The reader follows RFC 8259 and refuses what other readers pass over in silence: a name given twice,
//! half a surrogate pair, text after the value. Depth and size are limited by name.

mod read;
mod write;

pub use read::{Key, MAX_DEPTH, MAX_TEXT_BYTES, Node, NodeData, read, read_prefix};
pub use write::{canonical, quote, write, write_pretty};

use crate::{Error, Value};

/// Reads one JSON text into a value, without keeping positions.
///
/// # Errors
/// As [`read`].
pub fn read_value(text: &str) -> Result<Value, Error> {
    read(text).map(Node::into_value)
}
