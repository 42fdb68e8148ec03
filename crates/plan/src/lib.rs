//! The plan language: parse, check, fix, run, answer.
//!
//! A plan says before anything is looked at which sources are read, which values are taken from them and
//! what is computed. It is checked as a whole ([`check`]: every problem at once, with places and repairs),
//! run step by step without I/O ([`Plans`], a projection of the journal), and its values carry the
//! [`Evidence`] they rest on into the answer ([`answer::render`], footnotes included).
//!
//! **Invariant: data never becomes a reference.** The typed plan is fixed before the first document is
//! read; values are handed to expressions by name and to tools as values, never spliced into text that is
//! read again.
//!
//! **Invariant: a finished step is never repeated.** Everything a run knows stands in its records.
//!
//! ```
//! use throughline_plan::{Scope, check};
//! let scope = Scope::new().source("scans", "scans.json");
//! let (plan, report) = check(&r#"
//!     $scans = GET scans
//!     $last  = EXTRACT $scans JSONPATH "$.scans[-1].time" AS instant
//!     $quiet = COMPUTE now - instant($last)
//! "#.into(), &scope);
//! assert!(report.ok, "{:?}", report.diagnostics);
//! assert_eq!(report.waves, [vec!["scans"], vec!["last"], vec!["quiet"]]);
//! let wrong = check(&"$x = EXTRACT $scan PATTERN \"a(b)(c)\"".into(), &scope).1;
//! let codes: Vec<_> = wrong.diagnostics.iter().map(|d| d.code.as_str()).collect();
//! assert_eq!(codes, ["undeclared-binding", "pattern-groups"]);
//! # let _ = plan;
//! ```
//!
//! `docs/plan-language.md` describes the language for its users.

pub mod answer;
pub mod check;
pub mod diagnose;
pub mod evidence;
pub mod extract;
mod fix;
mod foreign;
pub mod golden;
mod graph;
mod holes;
mod html;
mod json;
pub mod limits;
mod nearest;
mod op;
mod path;
mod pattern;
mod plan;
mod print;
pub mod prompt;
mod runs;
mod scope;
pub mod text;
pub mod window;

pub use check::check;
pub use fix::apply_fixes;
pub use op::Op;
pub use pattern::Pattern;
pub use plan::{
    Action, Argument, Extract, Formula, How, Length, Looks, Lookup, OnFailure, Options, Pick, Plan, Policy, Spanned,
    Step, Type,
};
pub use runs::{Advance, Asking, Bound, DocumentRef, Documents, HTTP_TOOL, Item, Plans, ToolCall, ToolError};
pub use scope::{Endpoint, Scope, SourceRule, Target, ToolRule};
pub use throughline_protocol::view::Evidence;
