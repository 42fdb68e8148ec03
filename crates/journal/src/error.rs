//! What can be wrong with a journal's bytes.

use std::fmt;

use throughline_value::Error as ValueError;

/// A fault in a journal's bytes: a stable code, the byte and the frame where it is, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: &'static str,
    message: String,
    byte: usize,
    frame: u64,
}

impl Error {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), byte: 0, frame: 0 }
    }

    pub(crate) fn at(mut self, byte: usize, frame: u64) -> Self {
        self.byte += byte;
        self.frame = frame;
        self
    }

    /// The same, of this frame.
    #[must_use]
    pub fn of_frame(self, frame: u64) -> Self {
        self.at(0, frame)
    }

    pub(crate) fn json(error: &ValueError) -> Self {
        let byte = error.span().map_or(0, |s| s.start);
        Self { code: "frame-unreadable", message: error.to_string(), byte, frame: 0 }
    }

    /// The stable code: `frame-unreadable`, `chain-broken`, `seq-broken`, `head-moved`, `clock-broken`,
    /// `newer-format`, `not-a-journal`, `segment-damaged`, `truncated`, `frame-too-large`,
    /// `commitment-broken`, `body-missing`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The first byte that is not good, counted from the start of what was read.
    #[must_use]
    pub fn byte(&self) -> usize {
        self.byte
    }

    /// The number of the frame that is not good, from 1; 0 when it is not known.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {}, frame {})", self.message, self.byte, self.frame)
    }
}

impl std::error::Error for Error {}
