//! What was folded of a journal, beside it: a help to open it sooner, and nothing that is missed when it is gone.

use throughline_journal::Head;

const MAGIC: &str = "throughline-snapshot";

/// What was folded up to a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The frame.
    pub frame: u64,
    /// The chain there: it must be the journal's.
    pub chain: String,
    /// What was folded, for whoever folded it.
    pub bytes: Vec<u8>,
}

/// As it lies in a store.
pub(crate) fn write(head: &Head, bytes: &[u8]) -> Vec<u8> {
    let mut out = format!("{MAGIC} 1 {} {}\n", head.frame, head.chain).into_bytes();
    out.extend_from_slice(bytes);
    out
}

/// A snapshot that cannot be read is none.
pub(crate) fn read(stored: &[u8]) -> Option<Snapshot> {
    let end = stored.iter().take(256).position(|byte| *byte == b'\n')?;
    let (header, rest) = stored.split_at_checked(end)?;
    let fields: Vec<&str> = std::str::from_utf8(header).ok()?.split(' ').collect();
    let [MAGIC, "1", frame, chain] = fields.as_slice() else { return None };
    Some(Snapshot { frame: frame.parse().ok()?, chain: (*chain).to_owned(), bytes: rest.get(1..)?.to_vec() })
}
