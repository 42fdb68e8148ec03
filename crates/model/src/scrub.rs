//! A key that comes back over the wire goes no further.

use crate::{Ending, Reply};

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
    /// The key, and how it is written in JSON by those who escape slashes.
    keys: Vec<Vec<u8>>,
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
        let escaped = key.replace('/', "\\/");
        let mut keys: Vec<Vec<u8>> = vec![key.as_bytes().to_vec(), escaped.into_bytes()];
        keys.dedup();
        keys.retain(|key| !key.is_empty());
        Self { keys, held: Vec::new() }
    }

    /// The next bytes; what may be the beginning of the key is held back.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.keys.is_empty() {
            return bytes.to_vec();
        }
        let mut rest = std::mem::take(&mut self.held);
        rest.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(rest.len());
        let mut rest = rest.as_slice();
        while let Some(first) = rest.first() {
            if let Some(key) = self.keys.iter().find(|key| rest.starts_with(key)) {
                out.extend_from_slice(INSTEAD);
                rest = rest.get(key.len()..).unwrap_or_default();
            } else if self.keys.iter().any(|key| key.starts_with(rest)) {
                self.held = rest.to_vec();
                return out;
            } else {
                out.push(*first);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        out
    }

    /// What was held back, when no more comes. The beginning of a key is as little wanted as the whole.
    pub fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        if held.len() >= MIN_KEY_BYTES { INSTEAD.to_vec() } else { held }
    }

    /// Whether the key stands in a text.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        self.keys.iter().filter_map(|key| std::str::from_utf8(key).ok()).any(|key| text.contains(key))
    }

    /// A text without the key and without what looks like one.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        crate::redact(&self.exact(text.to_owned()))
    }

    /// A text without the key.
    #[must_use]
    pub fn exact(&self, text: String) -> String {
        let keys = self.keys.iter().filter_map(|key| std::str::from_utf8(key).ok());
        keys.fold(text, |text, key| if text.contains(key) { text.replace(key, "[key]") } else { text })
    }

    /// A reply without the key: its pieces may have been too small for it to be seen on the way.
    #[must_use]
    pub fn reply(&self, mut reply: Reply) -> Reply {
        let said = |text: &mut String| *text = crate::redact_said(&self.exact(std::mem::take(text)));
        [&mut reply.text, &mut reply.thinking, &mut reply.refusal].into_iter().for_each(said);
        for call in &mut reply.tool_calls {
            [&mut call.id, &mut call.name, &mut call.arguments].into_iter().for_each(said);
        }
        if let Ending::Failed { message, .. } = &mut reply.ending {
            *message = self.exact(std::mem::take(message));
        }
        reply
    }
}
