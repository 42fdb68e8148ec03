//! A key that comes back over the wire goes no further.

/// The shortest key that is looked for: a shorter one would tear ordinary text.
const MIN_KEY_BYTES: usize = 8;

/// What stands for it.
const INSTEAD: &[u8] = b"[key]";

/// Takes bytes in pieces of any size and gives them back without the key.
///
/// ```
/// use throughline_model::Scrubber;
/// let mut scrubber = Scrubber::new(Some("planted-key-123"));
/// let mut out = scrubber.push(b"bad key plan");
/// out.extend(scrubber.push(b"ted-key-123."));
/// out.extend(scrubber.finish());
/// assert_eq!(out, b"bad key [key].");
/// ```
#[derive(Clone, Default)]
pub struct Scrubber {
    key: Vec<u8>,
    held: Vec<u8>,
}

impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scrubber")
    }
}

impl Scrubber {
    /// Looks for this key.
    #[must_use]
    pub fn new(key: Option<&str>) -> Self {
        let key = key.map(str::trim).filter(|key| key.len() >= MIN_KEY_BYTES).unwrap_or("");
        Self { key: key.as_bytes().to_vec(), held: Vec::new() }
    }

    /// The next bytes; what may be the beginning of the key is held back.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.key.is_empty() {
            return bytes.to_vec();
        }
        let mut rest = std::mem::take(&mut self.held);
        rest.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(rest.len());
        let mut rest = rest.as_slice();
        while let Some(first) = self.key.first() {
            let Some(at) = rest.iter().position(|b| b == first) else { break };
            let (before, tail) = rest.split_at(at);
            out.extend_from_slice(before);
            if tail.starts_with(&self.key) {
                out.extend_from_slice(INSTEAD);
                rest = tail.get(self.key.len()..).unwrap_or_default();
            } else if self.key.starts_with(tail) {
                self.held = tail.to_vec();
                return out;
            } else {
                out.push(*first);
                rest = tail.get(1..).unwrap_or_default();
            }
        }
        out.extend_from_slice(rest);
        out
    }

    /// What was held back, when no more comes. The beginning of a key is as little wanted as the whole.
    pub fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        if held.len() >= MIN_KEY_BYTES { INSTEAD.to_vec() } else { held }
    }

    /// A text without the key.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let key = std::str::from_utf8(&self.key).unwrap_or("");
        crate::redact(&if key.is_empty() { text.to_owned() } else { text.replace(key, "[key]") })
    }
}
