//! What can go wrong with a store.

use std::fmt;

use throughline_value::Value;

/// What is wrong with stored bytes, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The journal's own code for it: `chain-broken`, `segment-damaged`, `newer-format`, …
    pub code: String,
    /// What was wrong.
    pub message: String,
    /// The number of the first frame of the segment that is not good; 0 when it is the `meta`.
    pub segment: u64,
    /// The first byte of that segment that is not good.
    pub byte: usize,
    /// The last record before it.
    pub good_seq: u64,
}

/// Why a store could not do what it was asked for. Nothing was written then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The stored bytes cannot be read as a journal.
    Unreadable(Box<Damage>),
    /// The browser has no room left for this page.
    Quota,
    /// Another tab keeps the database from being opened.
    Blocked,
    /// The connection to the database was lost, twice.
    Lost(String),
    /// The database does not answer.
    TimedOut,
    /// The journal was removed or replaced by somebody else.
    Gone,
    /// There was a journal here, and the browser has removed it.
    Wiped {
        /// Its id.
        id: String,
        /// A record that it had at least.
        seq: u64,
    },
    /// The database was made by a newer Throughline.
    Newer,
    /// An import needs an empty journal.
    NotEmpty,
    /// There is no such store here.
    Unavailable(String),
    /// Anything else, in the browser's words.
    Failed(String),
}

impl StoreError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "store-unreadable",
            Self::Quota => "store-full",
            Self::Blocked => "store-blocked",
            Self::Lost(_) => "store-lost",
            Self::TimedOut => "store-timed-out",
            Self::Gone => "store-gone",
            Self::Wiped { .. } => "store-wiped",
            Self::Newer => "store-newer",
            Self::NotEmpty => "journal-not-empty",
            Self::Unavailable(_) => "store-unavailable",
            Self::Failed(_) => "store-failed",
        }
    }

    /// Whether the same call may succeed when it is made again later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Quota | Self::Blocked | Self::Lost(_) | Self::TimedOut)
    }

    /// More for programs; null when there is no more.
    #[must_use]
    pub fn details(&self) -> Value {
        match self {
            Self::Unreadable(damage) => Value::from([
                ("fault", Value::from(damage.code.as_str())),
                ("segment", Value::from(damage.segment)),
                ("byte", Value::from(damage.byte)),
                ("good_seq", Value::from(damage.good_seq)),
            ]),
            Self::Wiped { id, seq } => Value::from([("id", Value::from(id.as_str())), ("seq", Value::from(*seq))]),
            _ => Value::Null,
        }
    }

    pub(crate) fn damaged(code: &str, message: impl Into<String>) -> Self {
        Self::Unreadable(Box::new(Damage {
            code: code.to_owned(),
            message: message.into(),
            segment: 0,
            byte: 0,
            good_seq: 0,
        }))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(damage) => write!(
                f,
                "the stored journal is damaged after record {} (segment {}, byte {}): {}; nothing was changed. Export \
                 its bytes, open what is good of it read-only, or open a new journal under another name",
                damage.good_seq, damage.segment, damage.byte, damage.message
            ),
            Self::Quota => write!(
                f,
                "the browser has no room left for this page; the change is not saved. Free space, then do it again"
            ),
            Self::Blocked => write!(f, "another tab keeps the database from being opened; close it or reload it"),
            Self::Lost(what) => write!(
                f,
                "the connection to the browser's database was lost ({what}); the change is not saved. Do it again, or reload the page"
            ),
            Self::TimedOut => {
                write!(f, "the browser's database does not answer; the change may not be saved. Reload the page")
            }
            Self::Gone => write!(f, "this journal was removed or replaced meanwhile; open it again"),
            Self::Wiped { id, seq } => write!(
                f,
                "the browser has removed the journal {id}, which had {seq} records or more; import a copy of it, or remove the name to begin anew"
            ),
            Self::Newer => write!(f, "the database was made by a newer Throughline; load the newer one"),
            Self::NotEmpty => {
                write!(f, "a file can be imported into an empty journal only; open one under another name")
            }
            Self::Unavailable(why) => {
                write!(f, "there is no such store here: {why}; open the journal with storage \"memory\"")
            }
            Self::Failed(what) => write!(f, "the browser's database refused: {what}"),
        }
    }
}

impl std::error::Error for StoreError {}
