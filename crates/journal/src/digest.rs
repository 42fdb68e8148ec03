//! Hashing of structures in one agreed form.

use sha2::{Digest as _, Sha256};
use throughline_value::{Value, hex};

/// A SHA-256 over parts that cannot run into one another: each part is hashed with its length before it.
///
/// ```
/// use throughline_journal::Digest;
/// let digest = |parts: &[&str]| {
///     let mut d = Digest::new("example");
///     for p in parts { d.text(p); }
///     d.finish()
/// };
/// assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
/// ```
#[derive(Clone)]
pub struct Digest(Sha256);

impl Digest {
    /// A digest of things of one named kind.
    #[must_use]
    pub fn new(label: &str) -> Self {
        let mut digest = Self(Sha256::new());
        digest.text(label);
        digest
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    /// Adds a whole number.
    pub fn number(&mut self, number: i64) {
        self.0.update(8u64.to_le_bytes());
        self.0.update(number.to_le_bytes());
    }

    /// Adds a value in canonical form.
    pub fn value(&mut self, value: &Value) {
        self.text(&value.canonical());
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The digest as bytes, where many are kept.
    #[must_use]
    pub fn finish_bytes(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The digest as 64 hexadecimal digits.
    #[must_use]
    pub fn finish(self) -> String {
        hex::encode(&self.0.finalize())
    }

    /// SHA-256 of plain bytes, as 64 hexadecimal digits.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> String {
        hex::encode(&Sha256::digest(bytes))
    }
}
