//! One error for reading and evaluating: a stable code, a place, and what to do.

use std::fmt;

use throughline_value::Span;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// What went wrong, as a closed set; [`Code::as_str`] is the stable spelling.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable kebab-case spelling.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

codes! {
    /// The text is not an expression.
    ExprSyntax = "expr-syntax",
    /// The text is not a template: a tag is not closed, closed twice or unknown.
    TemplateSyntax = "template-syntax",
    /// The text is longer than its limit.
    SourceTooLong = "source-too-long",
    /// Brackets, chains, blocks or values nest deeper than their limit.
    TooDeep = "too-deep",
    /// There is no value of this name.
    UnknownName = "unknown-name",
    /// There is no function of this name.
    UnknownFunction = "unknown-function",
    /// A function got too few or too many arguments.
    WrongArity = "wrong-arity",
    /// A value is of a kind that the operation does not take.
    WrongType = "wrong-type",
    /// A condition is not a boolean.
    NotBoolean = "not-boolean",
    /// An argument is of the right kind but not usable.
    BadArgument = "bad-argument",
    /// The text is not a number.
    BadNumber = "bad-number",
    /// The number has more digits or is larger or smaller than exact decimals hold.
    NumberOutOfRange = "number-out-of-range",
    /// Two amounts have units of which nothing says how one becomes the other.
    UnitMismatch = "unit-mismatch",
    /// A division or remainder by zero.
    DivisionByZero = "division-by-zero",
    /// The text is not an instant, or the instant lies outside the years -9999 to 9999.
    BadInstant = "bad-instant",
    /// The text is not a duration, or the duration has no fixed length where one is needed.
    BadDuration = "bad-duration",
    /// The text or the bytes are not a time zone.
    BadZone = "bad-zone",
    /// A time without zone was read and the environment has no zone.
    ZoneMissing = "zone-missing",
    /// `now` was used and the environment has no clock reading.
    NowMissing = "now-missing",
    /// The evaluation used up its work units.
    OutOfFuel = "out-of-fuel",
    /// A text grew over its limit.
    TextTooLong = "text-too-long",
    /// A list grew over its limit.
    ListTooLong = "list-too-long",
    /// The loops of a template ran more often than their limit.
    TooManyIterations = "too-many-iterations",
    /// A template's output grew over its limit.
    OutputTooLong = "output-too-long",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was wrong with an expression, a template or the values it met: a stable kebab-case code, the
/// bytes of the source where there are some, and a sentence that says what to do.
///
/// ```
/// let error = throughline_expr::Expr::parse("1 + ").unwrap_err();
/// assert_eq!((error.code(), error.span().map(|s| s.start)), ("expr-syntax", Some(4)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: Code,
    message: String,
    span: Option<Span>,
}

impl Error {
    /// An error with a code and a message that says what to do.
    #[must_use]
    pub fn new(kind: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), span: None }))
    }

    /// The same error, pointing at `span`, unless it already points somewhere.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    /// The same error with its place moved by `offset` bytes: for an expression that stands inside a
    /// larger text.
    #[must_use]
    pub fn shifted(mut self, offset: usize) -> Self {
        if let Some(span) = &mut self.0.span {
            *span = Span::new(span.start + offset, span.end + offset);
        }
        self
    }

    /// The code as a value to match on.
    #[must_use]
    pub fn kind(&self) -> Code {
        self.0.kind
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.kind.as_str()
    }

    /// What was wrong and what to do about it, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in the source, in bytes.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match self.0.span {
            Some(span) => write!(f, " (byte {})", span.start),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for throughline_value::Error {
    fn from(error: Error) -> Self {
        let out = Self::new(error.code(), error.0.message);
        match error.0.span {
            Some(span) => out.at(span),
            None => out,
        }
    }
}

pub(crate) fn syntax(message: impl Into<String>) -> Error {
    Error::new(Code::ExprSyntax, message)
}

pub(crate) fn wrong_type(message: impl Into<String>) -> Error {
    Error::new(Code::WrongType, message)
}

pub(crate) fn bad_argument(message: impl Into<String>) -> Error {
    Error::new(Code::BadArgument, message)
}

/// A kind with its article, for messages.
pub(crate) fn a(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "instant" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}
