//! A key that comes back over the wire goes no further.

use crate::{Delta, Ending, Reply, base64};

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
    /// The key, and how it is written by those who escape it, in addresses and in Base64.
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
        let mut keys: Vec<Vec<u8>> = vec![key.as_bytes().to_vec(), key.replace('/', "\\/").into_bytes()];
        keys.extend([percent(key, false), percent(key, true)].map(String::into_bytes));
        keys.extend((0..3).flat_map(|before| encoded(key, before)).map(String::into_bytes));
        let mut seen: Vec<Vec<u8>> = Vec::new();
        for key in keys.into_iter().filter(|key| key.len() >= MIN_KEY_BYTES) {
            if !seen.contains(&key) {
                seen.push(key);
            }
        }
        Self { keys: seen, held: Vec::new() }
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

/// Pieces of a reply on their way to whoever watches, without the key: it may come in pieces too.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    text: Scrubber,
    thinking: Scrubber,
    refusal: Scrubber,
    call: Scrubber,
    /// The call that the last piece belonged to.
    place: usize,
}

impl Pieces {
    /// Looks for what this one looks for.
    #[must_use]
    pub fn new(scrubber: &Scrubber) -> Self {
        let of = || Scrubber { keys: scrubber.keys.clone(), held: Vec::new() };
        Self { text: of(), thinking: of(), refusal: of(), call: of(), place: 0 }
    }

    /// The next pieces, as far as they can be shown.
    pub fn push(&mut self, deltas: Vec<Delta>) -> Vec<Delta> {
        let mut out = Vec::new();
        for delta in deltas {
            match delta {
                Delta::Text(text) => out.extend(shown(self.text.push(text.as_bytes())).map(Delta::Text)),
                Delta::Thinking(text) => out.extend(shown(self.thinking.push(text.as_bytes())).map(Delta::Thinking)),
                Delta::Refusal(text) => out.extend(shown(self.refusal.push(text.as_bytes())).map(Delta::Refusal)),
                Delta::Call { place, arguments } => {
                    if place != self.place {
                        out.extend(self.rest_of_call());
                        self.place = place;
                    }
                    let arguments = shown(self.call.push(arguments.as_bytes()));
                    out.extend(arguments.map(|arguments| Delta::Call { place, arguments }));
                }
            }
        }
        out
    }

    /// What was held back, when no more comes.
    pub fn finish(&mut self) -> Vec<Delta> {
        let texts = shown(self.text.finish()).map(Delta::Text);
        let thoughts = shown(self.thinking.finish()).map(Delta::Thinking);
        let refusals = shown(self.refusal.finish()).map(Delta::Refusal);
        texts.into_iter().chain(thoughts).chain(refusals).chain(self.rest_of_call()).collect()
    }

    fn rest_of_call(&mut self) -> Option<Delta> {
        shown(self.call.finish()).map(|arguments| Delta::Call { place: self.place, arguments })
    }
}

/// Bytes as the text that they are: only whole characters are held back.
fn shown(bytes: Vec<u8>) -> Option<String> {
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// A text as it stands in an address.
fn percent(text: &str, small: bool) -> String {
    let sign = |byte: u8| match char::from(byte) {
        c if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~') => c.to_string(),
        _ if small => format!("%{byte:02x}"),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(sign).collect()
}

/// What of the Base64 of a longer text stands for this one alone, when so many bytes over a multiple of three come
/// before it; in both alphabets.
fn encoded(text: &str, before: usize) -> [String; 2] {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(text.as_bytes());
    let whole = base64::encode(&bytes);
    // The first and the last characters hold bits of neighbours.
    let (from, to) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    let inner = whole.get(from..to).unwrap_or("").to_owned();
    let other = inner.replace('+', "-").replace('/', "_");
    [inner, other]
}
