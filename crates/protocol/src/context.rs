//! What every room's `decide` is given, and what it answers.

use throughline_journal::{Actor, Cause, Draft, Millis, Origin, Seq};
use throughline_value::Value;

use crate::Domain;

/// A resolved point to view at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// What stood after this record.
    pub seq: Seq,
    /// What was true in the world at this time.
    pub valid_at: Millis,
}

/// What every room's `decide` is given beside the command. Everything in it is resolved: no text is left to
/// read, no clock to ask.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The recorded time that the records will carry at least.
    pub now: Millis,
    /// From when it is true in the world; `None` means: from `now`.
    pub valid_from: Option<Millis>,
    /// The logical timeline.
    pub thread: &'a str,
    /// The exchange within it.
    pub turn: u32,
    /// Who.
    pub actor: &'a Actor,
    /// Why, for the audit.
    pub reason: &'a str,
    /// The record that led to it.
    pub cause: Option<Seq>,
    /// Where the input came from.
    pub origin: Option<&'a Origin>,
    /// The number that the first record of the decision will get.
    pub next_seq: Seq,
    /// The rules of the business; empty when no domain is loaded.
    pub domain: &'a Domain,
}

impl Context<'_> {
    /// A draft with everything of the context already in it.
    #[must_use]
    pub fn draft(&self, kind: &str, data: Value) -> Draft {
        Draft {
            valid_from: self.valid_from,
            thread: self.thread.to_owned(),
            turn: self.turn,
            actor: self.actor.clone(),
            cause: self.cause.map_or(Cause::None, Cause::Record),
            reason: self.reason.to_owned(),
            origin: self.origin.cloned(),
            ..Draft::new(kind, data)
        }
    }

    /// The valid time of what is decided: `valid_from`, or `now`.
    #[must_use]
    pub fn valid(&self) -> Millis {
        self.valid_from.unwrap_or(self.now)
    }
}

/// What a room decided: the outcomes to record, and what the caller gets back. No drafts: nothing changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The outcomes, in order.
    pub drafts: Vec<Draft>,
    /// As [`crate::Done::result`].
    pub result: Value,
}

impl Decision {
    /// One outcome.
    #[must_use]
    pub fn one(draft: Draft, result: Value) -> Self {
        Self { drafts: vec![draft], result }
    }

    /// Nothing to change; `result` says so to the caller.
    #[must_use]
    pub fn unchanged(result: Value) -> Self {
        Self { drafts: Vec::new(), result }
    }
}
