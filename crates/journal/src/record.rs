//! One entry of the journal.

use serde::{Deserialize, Serialize};
use throughline_value::Value;

use crate::Wanted;

/// The number of a record, from 1 without gaps. 0 is the moment before the first.
pub type Seq = u64;

/// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
pub type Millis = i64;

/// The thread of a record that names none.
pub const MAIN_THREAD: &str = "main";

/// Who did it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// Which kind of actor.
    pub kind: ActorKind,
    /// Its name, where there is one: a model, a tool, a rule, a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The kinds of actors, in falling order of authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person.
    User,
    /// The engine's own rules: due events, machine actions.
    Rule,
    /// A tool or source that was called.
    Tool,
    /// A language model.
    Model,
    /// A file or another journal.
    Import,
}

impl Actor {
    /// An actor without a name.
    #[must_use]
    pub const fn of(kind: ActorKind) -> Self {
        Self { kind, name: None }
    }

    /// An actor with a name.
    #[must_use]
    pub fn named(kind: ActorKind, name: impl Into<String>) -> Self {
        Self { kind, name: Some(name.into()) }
    }
}

/// Where an input came from and its place there: ties in valid time break by it, so that the order of
/// arrival cannot show.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The source's name.
    pub source: String,
    /// The input's number at the source.
    #[serde(default)]
    pub seq: u64,
}

/// What a record holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Hashed into the frame as it is.
    Open(Value),
    /// Hashed into the frame as a salted commitment only; the content lies apart and can be erased.
    Sealed {
        /// SHA-256 of salt and content, in hexadecimal.
        commitment: String,
        /// The salt in hexadecimal and the content; `None` once erased.
        content: Option<(String, Value)>,
    },
    /// What is left of a sealed body of which something was erased. A later record says what its own
    /// commitment is: see [`crate::Journal::erase`].
    Rest {
        /// The commitment of the whole body, as its frame holds it.
        commitment: String,
        /// The salt of what is left, in hexadecimal.
        salt: String,
        /// What is left.
        content: Value,
    },
    /// A sealed body that is whole, or what is left of one, but lies elsewhere: see [`crate::Frame::apart`].
    Cold {
        /// The commitment.
        commitment: String,
        /// The salt of a body of which nothing was erased.
        salt: Option<String>,
        /// Where it is noted that the body was looked for.
        wanted: Wanted,
    },
}

impl Body {
    /// The salt and the content of a body that was sealed and is not wholly erased.
    #[must_use]
    pub fn sealed(&self) -> Option<(&str, &Value)> {
        match self {
            Self::Sealed { content: Some((salt, content)), .. } | Self::Rest { salt, content, .. } => {
                Some((salt, content))
            }
            Self::Open(_) | Self::Sealed { content: None, .. } => None,
            Self::Cold { wanted, .. } => {
                wanted.note();
                None
            }
        }
    }
}

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number.
    pub seq: Seq,
    /// When the engine learned it; never decreases with `seq`.
    pub recorded_at: Millis,
    /// From when it is true in the world.
    pub valid_from: Millis,
    /// The logical timeline it belongs to.
    pub thread: String,
    /// The exchange within the thread, from 1; 0 outside any.
    pub turn: u32,
    /// Who did it.
    pub actor: Actor,
    /// The record that led to it.
    pub cause: Option<Seq>,
    /// One sentence for the audit; may be empty.
    pub reason: String,
    /// Where the input came from.
    pub origin: Option<Origin>,
    /// What happened, as `room.verb_in_the_past`: `fact.asserted`.
    pub kind: String,
    /// What exactly.
    pub body: Body,
}

static ERASED: Value = Value::Null;

impl Record {
    /// What the record holds; null when it was erased, and when it lies elsewhere, which is noted.
    #[must_use]
    pub fn data(&self) -> &Value {
        match &self.body {
            Body::Open(value) => value,
            Body::Sealed { content: Some((_, value)), .. } | Body::Rest { content: value, .. } => value,
            Body::Sealed { content: None, .. } => &ERASED,
            Body::Cold { wanted, .. } => {
                wanted.note();
                &ERASED
            }
        }
    }

    /// Whether the content was erased.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        matches!(self.body, Body::Sealed { content: None, .. })
    }
}

/// What led to a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing in the journal.
    #[default]
    None,
    /// A record that is in the journal.
    Record(Seq),
    /// The draft at this place among the drafts of the same frame.
    Draft(usize),
}

/// A record that is decided but not yet in the journal: it has no `seq` and no recorded time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// As [`Record::kind`].
    pub kind: String,
    /// As [`Record::data`].
    pub data: Value,
    /// As [`Record::valid_from`]; `None` takes the recorded time.
    pub valid_from: Option<Millis>,
    /// As [`Record::thread`].
    pub thread: String,
    /// As [`Record::turn`].
    pub turn: u32,
    /// As [`Record::actor`].
    pub actor: Actor,
    /// What led to it.
    pub cause: Cause,
    /// As [`Record::reason`].
    pub reason: String,
    /// As [`Record::origin`].
    pub origin: Option<Origin>,
    /// Whether the content must be erasable: it is then sealed.
    pub erasable: bool,
}

impl Draft {
    /// A draft of the engine's own rules on the main thread; set what differs.
    #[must_use]
    pub fn new(kind: impl Into<String>, data: Value) -> Self {
        Self {
            kind: kind.into(),
            data,
            valid_from: None,
            thread: MAIN_THREAD.to_owned(),
            turn: 0,
            actor: Actor::of(ActorKind::Rule),
            cause: Cause::None,
            reason: String::new(),
            origin: None,
            erasable: false,
        }
    }

    /// The same draft with the audit's sentence.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }
}
