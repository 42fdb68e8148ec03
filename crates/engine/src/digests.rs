//! The three digests.

use throughline_journal::{Digest, Journal, Seq};
use throughline_protocol::view::Digests;

use crate::state::State;

/// The digests of a journal at record `seq`. `content` takes what is valid at that record's recorded time,
/// so all three follow from the journal's bytes alone.
#[must_use]
pub fn digests_of(journal: &Journal, seq: Seq) -> Digests {
    let state = if seq >= journal.head().seq { State::of(journal) } else { State::until(journal, seq) };
    digests_with(journal, &state, seq)
}

/// The same, of a state that is folded up to record `seq` already.
pub(crate) fn digests_with(journal: &Journal, state: &State, seq: Seq) -> Digests {
    let valid_at = journal.record(seq).map_or(0, |record| record.recorded_at);
    let mut history = Digest::new("history");
    state.rooms.digest_history(&mut history);
    let mut content = Digest::new("content");
    state.rooms.digest_content(&mut content, valid_at);
    let chain =
        journal.frame_of(seq).map_or_else(|| throughline_journal::genesis(journal.id()), |frame| frame.chain.clone());
    Digests { chain, history: history.finish(), content: content.finish(), seq }
}
