//! What is said of a step or of a whole plan behind `WITH`.

use super::{Formula, Spanned, Type, words};

/// How a step is run and what its value must be; on a plan, what holds for all its steps.
///
/// A step's own word wins over the plan's. A plan has no `type`, `unit` and `fallback`, a step no `steps`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `AS type`: what the value must be. `EXTRACT` has its own, [`super::Extract`]`::type`.
    pub r#type: Option<Spanned<Type>>,
    /// `UNIT "kg"`: the unit of the number.
    pub unit: Option<Spanned<String>>,
    /// `temporal_scope`: the time that the plan is about: a text (`"2026-Q1"`), an instant, or a list of two
    /// ends. [`crate::window::of`] reads its value.
    pub temporal_scope: Option<Formula>,
    /// `fallback`: the value when the step has failed, after every retry and every other source.
    pub fallback: Option<Formula>,
    /// `retry`: how many more times a failed call is made.
    pub retry: Option<u32>,
    /// `backoff`: how long to wait before the first retry; each further wait is twice as long.
    pub backoff: Option<Length>,
    /// `timeout`: how long the step, or the whole run, may take.
    pub timeout: Option<Length>,
    /// `max_age`: how old an answer of the cache may be; never one from the cache when zero.
    pub max_age: Option<Length>,
    /// `max_tokens`: how many tokens its calls, or those of the whole run, may take.
    pub max_tokens: Option<u64>,
    /// `max_steps`: how many steps the run may do.
    pub max_steps: Option<u32>,
    /// `on_failure`: what a failure leads to; `block` when absent.
    pub on_failure: Option<OnFailure>,
}

/// A length of time, as it is written and in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Length {
    /// As it is written: `2s`, `PT5M`.
    pub text: String,
    /// In milliseconds.
    pub ms: i64,
}

words! {
    /// What the failure of a step leads to.
    OnFailure {
        /// The steps that need it are blocked; the others go on.
        Block = "block",
        /// The whole run fails.
        Stop = "stop",
        /// A person is asked for the value.
        Ask = "ask",
        /// Its value is null, and the run goes on.
        Skip = "skip",
    }
}
