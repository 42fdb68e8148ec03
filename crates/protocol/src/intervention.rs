//! What a fork does otherwise than the journal it comes from.

use serde::{Deserialize, Serialize};
use throughline_journal::Seq;
use throughline_value::Value;

use crate::tagged::tagged;
use crate::{Command, Meta};

tagged! {
    /// What a fork does otherwise. Records are named by their numbers in the journal that is forked.
    "intervention", Intervention {
        /// Leaves out what led to a record: its command, or the recorded result of an effect.
        "drop" => Drop,
        /// Puts another command, or another result of an effect, in the place of a record's.
        "replace" => Replace,
        /// Lets what led to a record happen later.
        "delay" => Delay,
        /// Runs one more command after a record.
        "insert" => Insert,
        /// Asserts a fact.
        "set_fact" => SetFact,
        /// Ends an entity.
        "retire_entity" => Retire,
    }
}

/// Leaves out what led to a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drop {
    /// The record.
    pub seq: Seq,
}

/// Puts something else in the place of what led to a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// The record.
    pub seq: Seq,
    /// Another command, for a record that a command made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// Another result, for the record of a call's result; the reply's text, for one of an exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// Lets what led to a record happen later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// The record.
    pub seq: Seq,
    /// By how long, as an ISO 8601 duration.
    pub by: String,
}

/// Runs one more command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insert {
    /// After this record; right after the fork's start when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// The command.
    pub command: Command,
    /// Who, when, why.
    #[serde(default)]
    pub meta: Meta,
}

/// Asserts a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetFact {
    /// After this record; right after the fork's start when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// What it is about; the session itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Ends an entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retire {
    /// After this record; right after the fork's start when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// Its id.
    pub entity: String,
}
