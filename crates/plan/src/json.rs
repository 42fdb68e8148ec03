//! The JSON form: a list of `{id, op, args, as, unit, with, note}`.
//!
//! It is read by writing it down in the text form, which is then checked: so there is one language, one set
//! of diagnostics, and every place points into the text that the report shows.

mod read;
mod write;

pub(crate) use read::to_text;
pub(crate) use write::{args, options};
