//! The small text beside the segments: the journal's id and head.

use serde::{Deserialize, Serialize};
use throughline_journal::{Head, Journal, Millis, Seq};
use throughline_value::{from_node, json, to_value};

use crate::StoreError;

/// The layout of `meta` and segments that this code writes; in layout 1 no body lies apart, and it is read as well.
/// The database's own version stays 1 for ever.
const LAYOUT: u32 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Meta {
    v: u32,
    pub(crate) id: String,
    pub(crate) frame: u64,
    pub(crate) seq: Seq,
    pub(crate) chain: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Millis>,
}

/// A stored journal in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct Listing {
    /// Its name.
    pub name: String,
    /// Its id; empty when it cannot be read.
    pub id: String,
    /// Its last record.
    pub seq: Seq,
    /// When that was recorded.
    pub recorded_at: Option<Millis>,
    /// Why it cannot be read.
    pub error: Option<String>,
}

impl Meta {
    pub(crate) fn new(id: &str, head: &Head, at: Option<Millis>) -> Self {
        Self { v: LAYOUT, id: id.to_owned(), frame: head.frame, seq: head.seq, chain: head.chain.clone(), at }
    }

    pub(crate) fn of(journal: &Journal) -> Self {
        Self::new(journal.id(), &journal.head(), journal.recorded_at())
    }

    pub(crate) fn read(text: &str) -> Result<Self, StoreError> {
        let node = json::read(text).map_err(|e| StoreError::damaged("meta-unreadable", e.to_string()))?;
        let v = node.get("v").and_then(|v| v.clone().into_value().as_i64());
        if v.is_some_and(|v| v > i64::from(LAYOUT)) {
            return Err(StoreError::Newer);
        }
        from_node(&node).map_err(|e| StoreError::damaged("meta-unreadable", e.to_string()))
    }

    pub(crate) fn write(&self) -> String {
        // A form of numbers and texts can always be written.
        to_value(self).map(|v| v.to_json()).unwrap_or_default()
    }

    pub(crate) fn is_at(&self, head: &Head) -> bool {
        self.frame == head.frame && self.seq == head.seq && self.chain == head.chain
    }
}

impl Listing {
    pub(crate) fn of(name: &str, meta: &str) -> Self {
        let name = name.to_owned();
        match Meta::read(meta) {
            Ok(meta) => Self { name, id: meta.id, seq: meta.seq, recorded_at: meta.at, error: None },
            Err(e) => Self { name, id: String::new(), seq: 0, recorded_at: None, error: Some(e.code().to_owned()) },
        }
    }
}
