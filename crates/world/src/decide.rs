//! What may change. Each method is one command: it refuses, or writes the outcomes into drafts, and changes
//! nothing.

mod entity;
mod event;
mod merge;
mod relation;

use throughline_protocol::Refusal;
use throughline_value::Value;

/// Refuses when the caller has seen another version than the one that stands.
fn expect_version(entity: &str, current: u64, expected: Option<u64>) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != current => {
            let message = format!("version {current} stands, not {expected}; look again, then decide again");
            let details = Value::from([
                ("entity", Value::from(entity)),
                ("version", current.into()),
                ("expected", expected.into()),
            ]);
            Err(Refusal::new("version-conflict", message).at_path("/expected_version").with(details))
        }
        _ => Ok(()),
    }
}
