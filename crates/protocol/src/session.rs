//! The asynchronous protocol to talk to an opened journal: one JSON text a message.
//!
//! A page, a worker, or another window sends [`Request`]s and gets one [`Response`] for each, and
//! [`Push`]es in between. A host that holds tools or models also answers [`HostCall`]s.

use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Seq};
use throughline_value::Value;

use crate::Refusal;
use crate::tagged::tagged;

pub use crate::settings::{Abort, Complete, DeltaPush, ModelSettings, ReadStructured, Record, SetModel, TestModel};

/// A message to a session: an id of the sender's choice, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Comes back with the answer.
    pub id: u64,
    /// What to do.
    pub call: Call,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The request's.
    pub id: u64,
    /// What it gave; a command's refusal is an [`crate::Outcome`] and not an error.
    #[serde(default)]
    pub result: Value,
    /// Why it could not be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}

tagged! {
    /// What can be asked of a session.
    "call", Call {
        /// Opens a journal. Gives back a [`crate::view::Status`].
        "open" => Open,
        /// Runs a command. Gives back a [`crate::Outcome`].
        "execute" => Execute,
        /// Answers a query.
        "query" => Ask,
        /// Gives the journal as one file. Gives back `{text, seq, chain}`.
        "export" => Export,
        /// Takes a file into the empty journal. Gives back a [`crate::view::Status`].
        "import" => Import,
        /// Reads all stored bytes again and replays them. Gives back `{ok, seq, digests, error}`.
        "verify" => Verify,
        /// Sets or moves the session's own clock. Gives back `{now}` when nothing goes on by itself any more.
        "clock" => SetClock,
        /// Gives the models' recorded replies; an empty text takes them away. Gives back `{exchanges}`.
        "cassette" => LoadCassette,
        /// Makes another journal that starts at a moment of this one. Gives back `{text, report}`: the file to
        /// import, and a [`crate::view::ForkReport`].
        "fork" => Fork,
        /// Harms recorded replies on their way, for tests. Gives back null.
        "fault" => Fault,
        /// Attaches a model. Gives back `{provider, model, endpoint}`.
        "model" => SetModel,
        /// Asks a model beside any journal. Gives back the reply with its ending, value, usage and times.
        "complete" => Complete,
        /// Ends a `complete` or `test_model`.
        "abort" => Abort,
        /// Looks for why a model cannot be reached. Gives back `{ok, code, title, fix, …}`.
        "test_model" => TestModel,
        /// Takes the one value out of a reply's text. Gives back `{value, …}` or `{code, message, …}`.
        "structured" => ReadStructured,
        /// Records exchanges as a cassette. Gives back `{on, exchanges, text}`.
        "record" => Record,
        /// Reads the texts of rows that are not here. Gives back `{rows, frames}`: how many are here now, and how many
        /// frames were read.
        "fetch_rows" => FetchRows,
        /// Ends the session; what is under way is waited for.
        "close" => Close,
    }
}

/// Opens a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// Its name in the store.
    pub name: String,
    /// `indexeddb` or `memory`.
    #[serde(default)]
    pub storage: Storage,
    /// The names of the tools that the host runs.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Whether the host answers model calls.
    #[serde(default)]
    pub host_model: bool,
    /// Starts the session's own clock here instead of following the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Millis>,
    /// The id of a journal that is made anew; a random one when absent. Same inputs under the same id give the
    /// same bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Opens what is good of a damaged journal, for reading only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub salvage: bool,
    /// How many bytes of memories' texts and data are held; what is beyond lies in the store and is read when it is
    /// wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_budget: Option<u64>,
}

/// Reads the texts of rows that are not here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FetchRows {
    /// The rows.
    pub rows: Vec<u32>,
}

/// Where a journal is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// In the browser's database.
    #[default]
    IndexedDb,
    /// In memory, for tests and Node.
    Memory,
}

/// Runs a command, given as its text so that errors have positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execute {
    /// The JSON text of a [`crate::Command`].
    pub command: String,
    /// As [`crate::Meta`].
    #[serde(default)]
    pub meta: crate::Meta,
}

/// Answers a query, given as its text so that errors have positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The JSON text of a [`crate::Query`].
    pub query: String,
}

/// Gives the journal as one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {}

/// Takes a file into the empty journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The file.
    pub text: String,
}

/// Reads all stored bytes again and replays them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verify {}

/// Sets or moves the session's own clock; due events fire. Without either, waits until nothing goes on by
/// itself any more, but for what the host was called for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetClock {
    /// To this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Millis>,
    /// By so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advance: Option<Millis>,
}

/// Gives the models' recorded replies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadCassette {
    /// The cassette, as JSON lines.
    pub text: String,
}

/// What the network does to recorded replies from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Cuts it off after so many bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<u64>,
    /// The bytes come in other pieces, made from this seed; 0 gives single bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rechunk: Option<u64>,
    /// Another status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Another body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// More after the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
    /// Line ends become `cr` or `crlf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_ends: Option<String>,
    /// A byte order mark comes first.
    #[serde(default)]
    pub bom: bool,
    /// Only the exchange with this number, from 0; every one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<u64>,
}

/// Makes another journal that starts at a moment of this one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fork {
    /// The last record that both have; the head when absent, or the one before the first intervention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Seq>,
    /// What is otherwise after it. The commands after it are decided again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interventions: Vec<crate::Intervention>,
    /// Goes on with what came later up to this record; to the head when there are interventions, and else not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Seq>,
    /// What becomes of calls and exchanges that were not recorded: `recompute` (left open for the new session's
    /// host; when absent) or `stub` (failed with `not-recorded`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<String>,
    /// The id of the new journal; made from this one's when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Ends the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {}

tagged! {
    /// What a session says by itself.
    "push", Push {
        /// The journal grew.
        "changed" => Changed,
        /// A tool of the host is to be run.
        "host_call" => HostCall,
        /// A host call is no longer wanted.
        "host_cancel" => HostCancel,
        /// A piece of a model's reply.
        "delta" => DeltaPush,
        /// The session cannot go on.
        "failed" => Failed,
    }
}

/// The journal grew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// The last record.
    pub seq: Seq,
    /// The thread whose turn is going on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<String>,
    /// Whether another session appended some of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
}

/// A tool of the host is to be run, or its model asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCall {
    /// Comes back with the result.
    pub call: u64,
    /// The tool; empty for the model.
    pub tool: String,
    /// Its arguments, or the model's request.
    pub args: Value,
    /// The same for every attempt of the same effect.
    pub idempotency_key: String,
}

/// A host call is no longer wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCancel {
    /// The call.
    pub call: u64,
}

/// What the host's tool or model gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostResult {
    /// The call.
    pub call: u64,
    /// What it gave.
    #[serde(default)]
    pub result: Value,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}

/// The session cannot go on; open it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// Why.
    pub error: Refusal,
}
