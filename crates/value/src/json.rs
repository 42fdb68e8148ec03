//! JSON text: a strict reader that knows positions, and the two writers.
//!
//! The reader follows RFC 8259 and refuses what other readers pass over in silence: a name given twice,
//! half a surrogate pair, text after the value. Depth and size are limited by name.

mod read;
mod write;

pub use read::{Key, MAX_DEPTH, MAX_TEXT_BYTES, Node, NodeData, read, read_prefix};
pub use write::{canonical, quote, write, write_pretty};

use crate::{Error, Value};

/// How many bytes stand at the beginning of a text as they are: without a quote, a backslash or a control character.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    // Not zero where a byte is zero; and where a byte is below 32. Which one does not matter here.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let small = |word: u64| word.wrapping_sub(ONES * 0x20) & !word;
    let special = |word: u64| zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5c)) | small(word);
    // Most of a long text is plain: eight bytes are looked at together.
    let (eights, _) = bytes.as_chunks::<8>();
    let far = eights.iter().take_while(|eight| special(u64::from_le_bytes(**eight)) & (ONES << 7) == 0).count() * 8;
    let rest = bytes.get(far..).unwrap_or_default();
    far + rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len())
}

/// Reads one JSON text into a value, without keeping positions.
///
/// # Errors
/// As [`read`].
pub fn read_value(text: &str) -> Result<Value, Error> {
    read(text).map(Node::into_value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_plain_ends_at_the_first_byte_that_is_not() {
        for byte in 0..=255u8 {
            for before in 0..20usize {
                let mut text = vec![b'a' + u8::try_from(before).unwrap(); before];
                text.push(byte);
                text.extend([b'z', 0xff, 0x80, 0x7f].iter().cycle().take(17));
                let special = byte == b'"' || byte == b'\\' || byte < 0x20;
                assert_eq!(super::plain(&text), if special { before } else { text.len() }, "{byte} after {before}");
            }
        }
    }
}
