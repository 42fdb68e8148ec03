//! A command with what comes with it, and the points to view at.

use serde::{Deserialize, Serialize};
use throughline_journal::{Actor, Origin, Seq};

use crate::{Command, Time};

/// A command with what comes with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// What to do.
    pub command: Command,
    /// Who, when, why.
    #[serde(default)]
    pub meta: Meta,
}

/// Who, when, why. Everything has a default: the user, now, on the main thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Meta {
    /// The logical timeline; `main` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The exchange within the thread; the thread's newest when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Who; the user when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// One sentence for the audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From when it is true in the world; the input's reference time, and else now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Time>,
    /// The record that led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Seq>,
    /// Where the input came from; the same command from the same origin changes nothing the second time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The same key twice answers what the first time answered, and changes nothing; with another command it is
    /// refused with `idempotency-conflict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The head the caller has seen; another head refuses with `head-moved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<Seq>,
}

impl From<Command> for Envelope {
    fn from(command: Command) -> Self {
        Self { command, meta: Meta::default() }
    }
}

/// A point to view at. Empty means: the newest record, and what is valid now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Moment {
    /// After this record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    /// What was known at this recorded time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<Time>,
    /// What was true in the world at this time. At an old `seq` without it: the recorded time there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_at: Option<Time>,
}

impl Moment {
    /// After record `seq`.
    #[must_use]
    pub fn seq(seq: Seq) -> Self {
        Self { seq: Some(seq), ..Self::default() }
    }
}
