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

/// What lies before the bytes in a store.
pub(crate) fn header(head: &Head) -> Vec<u8> {
    format!("{MAGIC} 1 {} {}\n", head.frame, head.chain).into_bytes()
}

/// A snapshot that cannot be read is none.
pub(crate) fn read(mut stored: Vec<u8>) -> Option<Snapshot> {
    let end = stored.iter().take(256).position(|byte| *byte == b'\n')?;
    // Moved and not copied: there may be much of it.
    let header: Vec<u8> = stored.drain(..=end).collect();
    let header = header.strip_suffix(b"\n")?;
    let fields: Vec<&str> = std::str::from_utf8(header).ok()?.split(' ').collect();
    let [MAGIC, "1", frame, chain] = fields.as_slice() else { return None };
    Some(Snapshot { frame: frame.parse().ok()?, chain: (*chain).to_owned(), bytes: stored })
}
