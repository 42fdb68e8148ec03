//! Taking a value out of a text, with the bytes it stands in.

mod convert;
mod json_path;
mod pattern;
mod recognise;
mod table;

use throughline_expr::Env;
use throughline_value::{Number, Span, Value};

use crate::html::Html;
use crate::limits::{MAX_HAYSTACK_BYTES, MAX_MATCHES};
use crate::plan::{Looks, Pick, Type};

pub use convert::convert;
pub(crate) use convert::{narrow, number};
pub(crate) use table::csv_rows;

/// Something found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The bytes of the text that hold it.
    pub span: Span,
    /// It, as it stands there.
    pub value: Value,
    /// How sure it is to be the one that was meant, in tenths.
    pub sure: u8,
}

impl Found {
    pub(crate) fn sure(span: Span, value: Value, sure: u8) -> Self {
        Self { span, value, sure }
    }
}

/// Why a step gave no value: a stable code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: &'static str,
    /// What was looked for, what was there, and what to do.
    pub message: String,
    /// What was nearly found, and what would find it.
    pub near: Option<Box<Near>>,
}

/// A near miss.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// The document, when the text is one.
    pub document: String,
    /// The bytes of the text that were nearly found.
    pub span: Span,
    /// The text there.
    pub quote: String,
    /// What finds it instead: another pattern, another path.
    pub instead: Option<String>,
}

impl Failure {
    /// A failure with a code and a sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), near: None }
    }

    /// The same failure with what was nearly found.
    #[must_use]
    pub fn near(mut self, near: Option<Near>) -> Self {
        self.near = near.map(Box::new);
        self
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query<'a> {
    /// A JSON path.
    Path(&'a str),
    /// A regular expression with one group.
    Pattern(&'a str),
    /// A selector of HTML elements.
    Selector(&'a str),
    /// The heads of a row and of a column of a table.
    Cell(&'a str, &'a str),
    /// What it looks like, near these words.
    Looks(Looks, Option<&'a str>),
}

impl Query<'_> {
    /// How evidence names it.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Path(_) => "json-path",
            Self::Pattern(_) => "pattern",
            Self::Selector(_) => "selector",
            Self::Cell(..) => "cell",
            Self::Looks(..) => "recogniser",
        }
    }

    const fn default_pick(&self) -> Pick {
        match self {
            Self::Path(_) | Self::Selector(_) | Self::Cell(..) => Pick::One,
            Self::Pattern(_) | Self::Looks(..) => Pick::First,
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

/// Looks for a value in a text of a media type.
///
/// # Errors
/// `value-missing`, `several-values`, `wrong-type`, `bad-document`, `document-too-long`, `too-many-values`,
/// `bad-pattern`, `bad-json-path`, `bad-selector`.
pub fn extract(
    text: &str,
    media_type: &str,
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
        Query::Pattern(regex) if media_type == "text/html" => {
            // The source first, as it is written; then the text that a reader sees of it.
            pattern::find(text, regex)
                .or_else(|failure| in_seen(text, |seen| pattern::find(seen, regex)).map_err(|_| failure))?
        }
        Query::Pattern(regex) => pattern::find(text, regex)?,
        Query::Selector(selector) => table::select(text, selector)?,
        Query::Cell(row, column) => table::find(text, media_type, row, column)?,
        Query::Looks(looks, near) if media_type == "text/html" => {
            in_seen(text, |seen| recognise::find(seen, looks, near))?
        }
        Query::Looks(looks, near) => recognise::find(text, looks, near)?,
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
            let sure = finds.iter().map(|f| f.sure).min().unwrap_or(10);
            return Ok(Extracted { value: Value::List(values?), spans, confidence: tenths(sure), finds: count });
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
    // Every reader answers with an error when there is nothing.
    let Some(one) = one else { return Err(Failure::new("value-missing", "nothing was found")) };
    let confidence = tenths(if differ { one.sure.min(10) / 2 } else { one.sure });
    Ok(Extracted { value: typed(one)?, spans: vec![one.span], confidence, finds: count })
}

fn tenths(sure: u8) -> Number {
    if sure >= 10 { Number::from(1) } else { Number::parse(&format!("0.{sure}")).unwrap_or_else(|| Number::from(1)) }
}

/// Looks in what a reader sees of an HTML text; the finds have their bytes in the source.
fn in_seen(text: &str, look: impl FnOnce(&str) -> Result<Vec<Found>, Failure>) -> Result<Vec<Found>, Failure> {
    let seen = Html::read(text).seen(0);
    let finds = look(&seen.text)?;
    Ok(finds.into_iter().filter_map(|found| Some(Found { span: seen.source(found.span)?, ..found })).collect())
}

/// A value in a message.
fn short(value: &Value) -> String {
    let text = value.to_json();
    if text.chars().count() <= 40 { text } else { format!("{}…", text.chars().take(40).collect::<String>()) }
}
