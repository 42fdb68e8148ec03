//! An instant as a caller gives it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throughline_journal::Millis;
use throughline_value::Value;

/// The first instant that there is, in milliseconds: the beginning of the year -9999, a day in.
pub const MIN_MILLIS: Millis = -377_705_030_400_000;

/// The last instant that there is: the end of the year 9999, less a day.
pub const MAX_MILLIS: Millis = 253_402_214_399_999;

/// An instant as a caller gives it: milliseconds since 1970 (UTC), or text in RFC 3339. Text without a zone
/// is refused, or read in the domain's zone and flagged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    Millis(Millis),
    /// A written instant.
    Text(String),
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Millis(ms) => serializer.serialize_i64(*ms),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Text(text) => Ok(Self::Text(text)),
            Value::Number(number) => {
                let ms = number.as_i64().filter(|ms| (MIN_MILLIS..=MAX_MILLIS).contains(ms));
                ms.map(Self::Millis).ok_or_else(|| {
                    serde::de::Error::custom(
                        "an instant in milliseconds is a whole number between the years -9999 and 9999",
                    )
                })
            }
            other => {
                Err(serde::de::Error::custom(format!("an instant is milliseconds or text, not a {}", other.kind())))
            }
        }
    }
}

impl From<Millis> for Time {
    fn from(ms: Millis) -> Self {
        Self::Millis(ms)
    }
}

impl From<&str> for Time {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
