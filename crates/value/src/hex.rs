//! Bytes as lower-case hexadecimal text.

use std::fmt::Write as _;

/// Writes `bytes` as lower-case hexadecimal digits.
///
/// ```
/// assert_eq!(throughline_value::hex::encode(&[0, 171]), "00ab");
/// ```
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// Reads lower- or upper-case hexadecimal digits; `None` when the text is not an even number of them.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high * 16 + low).collect())
}
