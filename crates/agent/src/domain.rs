//! Loading the rules of a business: everything in the document is checked before any of it counts.

mod check;

use serde::{Deserialize, Serialize};
use throughline_journal::Digest;
use throughline_protocol::{Domain, Refusal};
use throughline_value::{Value, from_value, to_value};

pub use check::{DomainProblem, MAX_DOMAIN_PROBLEMS, refusal};

/// A domain that was loaded, with its identity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedDomain {
    /// SHA-256 of its canonical text.
    pub hash: String,
    /// The document as it was given.
    pub document: Value,
    /// The document, read.
    pub domain: Domain,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "open")]
struct DomainLoaded {
    hash: String,
    document: Value,
}

impl LoadedDomain {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// `domain-broken`, with the pointer to the first problem; all of them, each with code, pointer and what would
    /// work, are in its details.
    pub fn read(document: &Value) -> Result<Self, Refusal> {
        let domain = check::read(document).map_err(|problems| refusal(&problems))?;
        let hash = Digest::of_bytes(document.canonical().as_bytes());
        Ok(Self { hash, document: document.clone(), domain })
    }

    /// What its record holds.
    ///
    /// # Errors
    /// Never for a document that was read.
    pub fn to_record(&self) -> Result<Value, Refusal> {
        Ok(to_value(&DomainLoaded { hash: self.hash.clone(), document: self.document.clone() })?)
    }

    /// Reads it back; `None` when the record is not one.
    #[must_use]
    pub fn of_record(data: &Value) -> Option<Self> {
        let loaded: DomainLoaded = from_value(data).ok()?;
        let domain = from_value(&loaded.document).ok()?;
        Some(Self { hash: loaded.hash, document: loaded.document, domain })
    }
}
