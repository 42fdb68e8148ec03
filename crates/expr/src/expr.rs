//! A parsed expression.

use std::fmt;
use std::sync::Arc;

use throughline_value::Value;

use crate::ast::Node;
use crate::env::Env;
use crate::error::{Code, Error, a};
use crate::eval::Context;
use crate::names::{self, Path};
use crate::{parse, print};

/// An expression: read once, immutable, cheap to clone.
///
/// ```
/// use throughline_expr::{Expr, MapEnv};
/// let expr = Expr::parse("facts.price <= facts.budget ?? 500")?;
/// let names: Vec<_> = expr.names().iter().map(|path| path.dotted()).collect();
/// assert_eq!(names, ["facts.price", "facts.budget"]);
/// # Ok::<(), throughline_expr::Error>(())
/// ```
#[derive(Clone)]
pub struct Expr(Arc<Inner>);

struct Inner {
    source: String,
    root: Node,
}

/// What an evaluation gave, and which values of the environment it really read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The value.
    pub value: Value,
    /// The paths that were read, in the order of reading, each once. A branch that was not taken and an
    /// operand that was not needed leave no trace; `now` does.
    pub reads: Vec<Path>,
}

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// `expr-syntax`, `unknown-function`, `wrong-arity`, `number-out-of-range`, `bad-duration`,
    /// `source-too-long`, `too-deep`, each with its place.
    pub fn parse(source: &str) -> Result<Self, Error> {
        Self::parse_at(source, 0)
    }

    /// Reads an expression that stands `base` bytes into a larger text: all spans count from the start
    /// of that text.
    ///
    /// # Errors
    /// As [`Expr::parse`].
    pub fn parse_at(source: &str, base: usize) -> Result<Self, Error> {
        let root = parse::parse(source, base)?;
        Ok(Self(Arc::new(Inner { source: source.to_owned(), root })))
    }

    /// The text it was read from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The syntax tree.
    #[must_use]
    pub fn ast(&self) -> &Node {
        &self.0.root
    }

    /// The names it takes from the environment, with the paths below them, in the order of the source;
    /// the same path may stand there twice, with different spans. `now` is one of them.
    #[must_use]
    pub fn names(&self) -> Vec<Path> {
        self.free().into_iter().map(|name| name.path).collect()
    }

    /// The names without those that the expression copes with when they are not known: the left side of
    /// `??`, the argument of `exists()`, what stands before `?.`. A checker that knows all names reports
    /// each of these that is unknown.
    ///
    /// ```
    /// let expr = throughline_expr::Expr::parse("a.b > (c ?? d) and exists(e)")?;
    /// let names: Vec<_> = expr.required_names().iter().map(|path| path.dotted()).collect();
    /// assert_eq!(names, ["a.b", "d"]);
    /// # Ok::<(), throughline_expr::Error>(())
    /// ```
    #[must_use]
    pub fn required_names(&self) -> Vec<Path> {
        self.free().into_iter().filter(|name| !name.optional).map(|name| name.path).collect()
    }

    fn free(&self) -> Vec<names::Free> {
        let mut out = Vec::new();
        names::free(&self.0.root, &mut Vec::new(), &mut out);
        out
    }

    /// The value in an environment. Instants come out as RFC 3339 text in the environment's zone,
    /// durations as ISO 8601 text; a number that was only passed through keeps its spelling.
    ///
    /// # Errors
    /// Every code of the language but those of reading, each with its place.
    pub fn eval(&self, env: &dyn Env) -> Result<Value, Error> {
        let context = Context::new(env);
        let value = context.eval(&self.0.root)?;
        context.finish(value)
    }

    /// As [`Expr::eval`], and says which values were really read.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub fn eval_traced(&self, env: &dyn Env) -> Result<Evaluation, Error> {
        let context = Context::traced(env);
        let value = context.eval(&self.0.root)?;
        let value = context.finish(value)?;
        Ok(Evaluation { value, reads: context.take_reads() })
    }

    /// Whether the condition holds in an environment.
    ///
    /// # Errors
    /// As [`Expr::eval`], and `not-boolean` when the value is not a boolean.
    pub fn test(&self, env: &dyn Env) -> Result<bool, Error> {
        let value = self.eval(env)?;
        value.as_bool().ok_or_else(|| {
            Error::new(
                Code::NotBoolean,
                format!("a condition is true or false; this one is {}: compare it with something", a(value.kind())),
            )
            .at(self.0.root.span)
        })
    }

    /// The expression in its one normal spelling; reading it again gives the same tree.
    #[must_use]
    pub fn normal(&self) -> String {
        print::print(&self.0.root)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.source)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({:?})", self.0.source)
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl Eq for Expr {}

impl std::str::FromStr for Expr {
    type Err = Error;

    fn from_str(source: &str) -> Result<Self, Error> {
        Self::parse(source)
    }
}
