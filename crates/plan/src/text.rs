//! The text form: one step a line, `#` comments, continuation by indentation.

mod dialect;
mod lines;
mod parse;
mod token;

pub(crate) use parse::{Draft, DraftPlan, Place, Use, inside_quotes, parse};
pub(crate) use token::{Cursor, quote_pattern, quote_plain};
