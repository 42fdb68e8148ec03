//! The typed plan.

use throughline_expr::Expr;
use throughline_value::Span;

use crate::Op;

/// Something with the bytes of the plan's text that it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What it is.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Something with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A plan that was read and has no errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The text that the spans point into.
    pub source: String,
    /// Its steps, in the order written.
    pub steps: Vec<Step>,
    /// What stands in comments after the last step.
    pub note: String,
}

/// One step: it gives its value to the binding of its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The binding's name, without `$`; it is also the step's id.
    pub id: Spanned<String>,
    /// What it does.
    pub action: Action,
    /// What it is for.
    pub note: String,
    /// Where it stands, without comments.
    pub span: Span,
    /// The bindings it cannot start without, in the order of their use.
    pub needs: Vec<String>,
    /// For `IF`: the bindings that only the `THEN` branch uses, and those that only the `ELSE` branch uses.
    pub branches: [Vec<String>; 2],
}

/// What a step does, with typed arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `GET source`
    Get {
        /// The source.
        source: Spanned<String>,
    },
    /// `EXTRACT $from …`
    Extract(Box<Extract>),
    /// `COMPUTE expression`
    Compute(Formula),
    /// `IF condition THEN expression ELSE expression`
    If {
        /// The condition.
        condition: Formula,
        /// The value when it holds.
        then: Formula,
        /// The value when it does not.
        otherwise: Formula,
    },
    /// `CALL tool(name: expression, …)`
    Call {
        /// The tool.
        tool: Spanned<String>,
        /// Its arguments, in the order written.
        arguments: Vec<Argument>,
    },
}

/// The arguments of `EXTRACT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The binding it reads, without `$`.
    pub from: Spanned<String>,
    /// How the value is found.
    pub how: How,
    /// Which of several finds is taken; `None` takes the default of `how`.
    pub pick: Option<Pick>,
    /// What the value must be.
    pub r#type: Option<Type>,
    /// The value when none is found.
    pub default: Option<Formula>,
}

/// How a value is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// By a JSON path (RFC 9535).
    Path(Spanned<String>),
    /// By a regular expression with one group.
    Pattern(Spanned<String>),
    /// By a pattern of the domain.
    Named(Spanned<String>),
}

/// Which of several finds is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// There must be exactly one; the default of paths.
    One,
    /// The first; the default of patterns.
    First,
    /// The last.
    Last,
    /// All of them, as a list.
    All,
}

impl Pick {
    /// Every choice.
    pub const ALL: &'static [Self] = &[Self::One, Self::First, Self::Last, Self::All];

    /// How it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::One => "ONE",
            Self::First => "FIRST",
            Self::Last => "LAST",
            Self::All => "ALL",
        }
    }
}

/// What an extracted value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An exact number.
    Number,
    /// An exact whole number.
    Integer,
    /// A moment in time.
    Instant,
    /// A length of time.
    Duration,
    /// Text.
    Text,
    /// True or false.
    Boolean,
}

impl Type {
    /// Every type.
    pub const ALL: &'static [Self] =
        &[Self::Number, Self::Integer, Self::Instant, Self::Duration, Self::Text, Self::Boolean];

    /// How it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Instant => "instant",
            Self::Duration => "duration",
            Self::Text => "text",
            Self::Boolean => "boolean",
        }
    }

    /// The type of this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.as_str() == word)
    }
}

/// An expression of a plan.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The expression; its spans count from the start of the plan's text.
    pub expr: Expr,
    /// Where it stands.
    pub span: Span,
}

impl Formula {
    /// As it is written.
    #[must_use]
    pub fn source(&self) -> &str {
        self.expr.source()
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source() && self.span == other.span
    }
}

impl Eq for Formula {}

/// One argument of a `CALL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: Spanned<String>,
    /// Its value.
    pub value: Formula,
}

impl Action {
    /// Its operation.
    #[must_use]
    pub const fn op(&self) -> Op {
        match self {
            Self::Get { .. } => Op::Get,
            Self::Extract(_) => Op::Extract,
            Self::Compute(_) => Op::Compute,
            Self::If { .. } => Op::If,
            Self::Call { .. } => Op::Call,
        }
    }
}

impl Plan {
    /// The step that gives the binding `name`.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id.value == name)
    }
}
