//! Taking a value out of a text, with the bytes it stands in.

mod convert;
mod json_path;
mod pattern;

use throughline_expr::Env;
use throughline_value::{Number, Span, Value};

use crate::limits::{MAX_HAYSTACK_BYTES, MAX_MATCHES};
use crate::plan::{Pick, Type};

pub use convert::convert;

/// Something found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The bytes of the text that hold it.
    pub span: Span,
    /// It, as it stands there.
    pub value: Value,
}

/// Why a step gave no value: a stable code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: &'static str,
    /// What was looked for, what was there, and what to do.
    pub message: String,
}

impl Failure {
    /// A failure with a code and a sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query<'a> {
    /// A JSON path.
    Path(&'a str),
    /// A regular expression with one group.
    Pattern(&'a str),
}

impl Query<'_> {
    /// How evidence names it.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Path(_) => "json-path",
            Self::Pattern(_) => "pattern",
        }
    }

    const fn default_pick(&self) -> Pick {
        match self {
            Self::Path(_) => Pick::One,
            Self::Pattern(_) => Pick::First,
        }
    }
}

/// What an extraction gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The value, of the type that was asked for; a list when all finds were taken.
    pub value: Value,
    /// The bytes it rests on; several when all finds were taken.
    pub spans: Vec<Span>,
    /// How sure: 1, or 1/2 when the one taken was chosen from several that differ.
    pub confidence: Number,
    /// How many finds there were.
    pub finds: usize,
}

/// Looks for a value in a text.
///
/// # Errors
/// `value-missing`, `several-values`, `wrong-type`, `bad-document`, `document-too-long`, `too-many-values`,
/// `bad-pattern`, `bad-json-path`.
pub fn extract(
    text: &str,
    query: Query<'_>,
    pick: Option<Pick>,
    r#type: Option<Type>,
    env: &dyn Env,
) -> Result<Extracted, Failure> {
    if text.len() > MAX_HAYSTACK_BYTES {
        let message = format!("a text of {} bytes is not searched; at most {MAX_HAYSTACK_BYTES} are", text.len());
        return Err(Failure::new("document-too-long", message));
    }
    let finds = match query {
        Query::Path(path) => json_path::find(text, path)?,
        Query::Pattern(regex) => pattern::find(text, regex)?,
    };
    let count = finds.len();
    if count > MAX_MATCHES {
        return Err(Failure::new("too-many-values", format!("there are over {MAX_MATCHES} finds; look for less")));
    }
    let differ = finds.windows(2).any(|pair| matches!(pair, [a, b] if a.value != b.value));
    let typed = |found: &Found| convert(&found.value, r#type, env);
    let pick = pick.unwrap_or(query.default_pick());
    let one = match pick {
        Pick::All => {
            let values: Result<Vec<_>, _> = finds.iter().map(typed).collect();
            let spans = finds.iter().map(|f| f.span).collect();
            return Ok(Extracted { value: Value::List(values?), spans, confidence: Number::from(1), finds: count });
        }
        Pick::One if count > 1 => {
            let first: Vec<_> = finds.iter().take(3).map(|f| short(&f.value)).collect();
            let message = format!(
                "there are {count} values ({}, …) where one is expected; say FIRST, LAST or ALL, or look for less",
                first.join(", ")
            );
            return Err(Failure::new("several-values", message));
        }
        Pick::One | Pick::First => finds.first(),
        Pick::Last => finds.last(),
    };
    // Both readers answer with an error when there is nothing.
    let Some(one) = one else { return Err(Failure::new("value-missing", "nothing was found")) };
    let confidence = if differ { Number::parse("0.5") } else { None }.unwrap_or_else(|| Number::from(1));
    Ok(Extracted { value: typed(one)?, spans: vec![one.span], confidence, finds: count })
}

/// A value in a message.
fn short(value: &Value) -> String {
    let text = value.to_json();
    if text.chars().count() <= 40 { text } else { format!("{}…", text.chars().take(40).collect::<String>()) }
}
