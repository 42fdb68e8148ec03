//! One error for reading values: a stable code, a place, and what to do.

use std::fmt;

/// A range of bytes in the text that was read: `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename = "open")]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` to `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// What was wrong with a text or a tree: a stable kebab-case code, the path and span where there is
/// one, and a sentence that says what to do.
///
/// ```
/// let error = throughline_value::json::read_value("{\"a\": tru}").unwrap_err();
/// assert_eq!(error.code(), "json-syntax");
/// assert_eq!(error.span().map(|s| s.start), Some(6));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: &'static str,
    message: String,
    path: String,
    span: Option<Span>,
}

impl Error {
    /// An error with a stable code and a message that says what to do.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, message: message.into(), path: String::new(), span: None }))
    }

    /// The same error, pointing at `span`, unless it already points somewhere.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    /// The same error one level further out: `step` (`/name` or `/0`) is put before its path.
    #[must_use]
    pub fn within(mut self, step: &str) -> Self {
        let escaped = step.replace('~', "~0").replace('/', "~1");
        self.0.path = format!("/{escaped}{}", self.0.path);
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What was wrong and what to do about it, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in the tree, as a JSON pointer (RFC 6901); empty for the root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Where in the text, in bytes, when it came from a text.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.message)?;
        if !self.0.path.is_empty() {
            write!(f, " (at {})", self.0.path)?;
        }
        if let Some(span) = self.0.span {
            write!(f, " (byte {})", span.start)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new("invalid-value", message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new("missing-field", format!("the field `{field}` is missing; add it")).within(field)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new("unknown-field", format!("there is no field `{field}`; the fields are {}", expected.join(", ")))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new("unknown-variant", format!("`{variant}` is not one of {}", expected.join(", ")))
    }

    fn invalid_type(unexpected: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Self::new("wrong-type", format!("{unexpected} stands where {expected} is expected"))
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new("unwritable-value", message.to_string())
    }
}
