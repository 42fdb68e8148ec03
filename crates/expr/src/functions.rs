//! The functions: one table that the reader checks calls against, the evaluator calls, and documentation
//! and completion list.

mod args;
mod format;
mod list;
mod number;
mod text;
mod time;

use throughline_value::Span;

use crate::ast::{Node, NodeData};
use crate::error::{Code, Error, syntax};
use crate::eval::{Context, Val};

use args::Args;

/// A function of the language.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How it is called: `round(x, digits = 0, mode = "half-up")`.
    pub signature: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    min: usize,
    max: usize,
    lambda: bool,
    body: Body,
}

impl Function {
    /// The fewest and the most arguments; no most when there can be any number.
    #[must_use]
    pub fn arity(&self) -> (usize, Option<usize>) {
        (self.min, (self.max != MANY).then_some(self.max))
    }
}

#[derive(Clone, Copy)]
enum Body {
    /// Gets values.
    Strict(fn(&Context<'_>, Args) -> Result<Val, Error>),
    /// Gets the arguments unevaluated, to evaluate them as it needs.
    Lazy(fn(&Context<'_>, &[Node]) -> Result<Val, Error>),
}

const MANY: usize = usize::MAX;

const fn strict(
    signature: &'static str,
    about: &'static str,
    min: usize,
    max: usize,
    body: fn(&Context<'_>, Args) -> Result<Val, Error>,
) -> Function {
    Function { name: name_of(signature), signature, about, min, max, lambda: false, body: Body::Strict(body) }
}

const fn lazy(
    signature: &'static str,
    about: &'static str,
    min: usize,
    max: usize,
    lambda: bool,
    body: fn(&Context<'_>, &[Node]) -> Result<Val, Error>,
) -> Function {
    Function { name: name_of(signature), signature, about, min, max, lambda, body: Body::Lazy(body) }
}

/// The part of a signature before the bracket.
const fn name_of(signature: &'static str) -> &'static str {
    let bytes = signature.as_bytes();
    let mut end = 0;
    while let Some((b, _)) = bytes.split_at(end).1.split_first() {
        if *b == b'(' {
            break;
        }
        end += 1;
    }
    signature.split_at(end).0
}

static FUNCTIONS: &[&[Function]] = &[number::FUNCTIONS, text::FUNCTIONS, list::FUNCTIONS, time::FUNCTIONS];

/// All functions, grouped: numbers, texts, lists and maps, time.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().copied().flatten()
}

fn find(name: &str) -> Option<&'static Function> {
    functions().find(|function| function.name == name)
}

/// Checks a call while it is read: the function, the number of arguments, and where lambdas stand.
pub(crate) fn check_call(name: &str, name_span: Span, args: &[Node], span: Span) -> Result<(), Error> {
    let Some(function) = find(name) else {
        let hint = match nearest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "the functions are listed in docs/expressions.md".to_owned(),
        };
        return Err(Error::new(Code::UnknownFunction, format!("there is no function `{name}`; {hint}")).at(name_span));
    };
    if args.len() < function.min || args.len() > function.max {
        return Err(Error::new(
            Code::WrongArity,
            format!("{} takes {}, not {}: {}", name, count(function), args.len(), function.signature),
        )
        .at(span));
    }
    for (at, arg) in args.iter().enumerate() {
        if matches!(arg.data, NodeData::Lambda { .. }) && !(function.lambda && at == 1) {
            return Err(syntax(format!("no `name => …` can stand here: {}", function.signature)).at(arg.span));
        }
    }
    Ok(())
}

/// Whether an argument that is nothing but a name may be one that is not known.
pub(crate) fn takes_unknown_names(name: &str) -> bool {
    matches!(name, "exists" | "coalesce" | "default")
}

fn count(function: &Function) -> String {
    match (function.min, function.max) {
        (0, 0) => "no arguments".to_owned(),
        (min, MANY) => format!("{min} or more arguments"),
        (1, 1) => "1 argument".to_owned(),
        (min, max) if min == max => format!("{min} arguments"),
        (min, max) => format!("{min} to {max} arguments"),
    }
}

/// The known name with the fewest edits, when it is close.
fn nearest(name: &str) -> Option<&'static str> {
    if name.len() > 40 {
        return None;
    }
    let lower = name.to_lowercase();
    functions()
        .map(|function| (edits(&lower, function.name), function.name))
        .min()
        .filter(|(edits, near)| *edits <= near.len().div_ceil(3))
        .map(|(_, near)| near)
}

fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, above) in b.chars().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[inline(never)]
pub(crate) fn call(context: &Context<'_>, name: &str, nodes: &[Node], span: Span) -> Result<Val, Error> {
    let Some(function) = find(name) else {
        return Err(Error::new(Code::UnknownFunction, format!("there is no function `{name}`")).at(span));
    };
    match function.body {
        Body::Lazy(body) => body(context, nodes),
        Body::Strict(body) => {
            let mut args = Args::new(function.signature);
            for node in nodes {
                args.push(context.eval(node)?, node.span);
            }
            body(context, args)
        }
    }
}
