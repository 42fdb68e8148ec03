//! Ledger, machine and prompt from outside.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

#[path = "all/checks.rs"]
mod checks;
#[path = "all/convert.rs"]
mod convert;
#[path = "all/dialogues.rs"]
mod dialogues;
#[path = "all/facts.rs"]
mod facts;
#[path = "all/machine.rs"]
mod machine;
#[path = "all/model.rs"]
mod model;
#[path = "all/prompt.rs"]
mod prompt;
#[path = "all/statecharts.rs"]
mod statecharts;
#[path = "all/support.rs"]
mod support;
#[path = "all/tokens.rs"]
mod tokens;
