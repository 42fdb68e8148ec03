//! The fact ledger, the state machine and the prompt contract.
//!
//! [`Ledger`] answers *what is true now*, and what was true at any moment: facts by subject and key, each
//! with its versions on both time axes. [`Machine`] says *where the conversation stands* and what may happen
//! next. [`prompt`] renders both for a model in bytes that depend on nothing else, within a budget that does
//! not grow with the turn.
//!
//! Ledger and machine are projections: `decide` methods evaluate everything and write outcomes into drafts,
//! `evolve` folds records and evaluates nothing.

mod asl;
mod ledger;
mod machine;
pub mod prompt;
pub mod tokens;

pub use asl::import_machine;
pub use ledger::{Cardinality, FactPlace, FactWhy, Ledger, MAX_NAME_CHARS, MAX_VALUE_BYTES, Status};
pub use machine::{
    Allowed, MAX_CHECK_EDGES, MAX_CHECK_STATES, MAX_INVARIANTS, MAX_MACHINE_DEPTH, MAX_MACHINE_STATES, MAX_MICROSTEPS,
    MAX_VALUATIONS, Machine, RefusedTransition, Timer, Transition,
};
