//! Base64 (RFC 4648 §4) for the chunks of a recording that are not text.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4u32 {
            let sextet = (bits >> (18 - 6 * i) & 63) as usize;
            let letter = ALPHABET.get(sextet).copied().unwrap_or(b'A');
            out.push(if i as usize > group.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// Reads padded Base64; `None` for anything else.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    let groups = bytes.len() / 4;
    for (n, group) in bytes.chunks(4).enumerate() {
        let pads = group.iter().rev().take_while(|b| **b == b'=').count();
        if pads > 2 || (pads > 0 && n + 1 != groups) {
            return None;
        }
        let mut bits = 0u32;
        for (i, byte) in group.iter().enumerate() {
            let sextet = if i + pads >= 4 { 0 } else { ALPHABET.iter().position(|a| a == byte)? };
            bits = bits << 6 | u32::try_from(sextet).ok()?;
        }
        let [_, high, middle, low] = bits.to_be_bytes();
        out.extend([high, middle, low].into_iter().take(3 - pads));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_every_length_survive_the_trip_and_other_text_is_refused() {
        for len in 0..20u8 {
            let bytes: Vec<u8> = (0..len).map(|i| i.wrapping_mul(37) ^ 0xc3).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
        assert_eq!(encode(b"fooba"), "Zm9vYmE=");
        for bad in ["Zg=", "Z===", "Zg==Zg==", "Z!==", "é==="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
