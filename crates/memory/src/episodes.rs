//! Episodes: runs of events that belong together.
//!
//! Whether an episode ends between two neighbours in time is decided from those two and the few events
//! before them alone: by a change of thread, by a pause, or by a shorter pause after which no word or entity
//! of the last events comes again. So episodes are the same however the events arrived, a new event at the
//! right edge joins the open episode or begins one, and a late one changes only the edges next to it. They
//! are nested: what the coarser scale keeps together holds whole episodes of the finer one.

use std::collections::BTreeSet;

use throughline_journal::{Millis, Seq};
use throughline_protocol::view::MemoryView;
use throughline_protocol::{At, Refusal};

use crate::memory::Memory;
use crate::words;

/// How far back, in events, words and entities are looked for.
pub const LOOK_BACK: usize = 3;
/// How many events an episode is shown with on either side of the one asked for.
pub const MAX_EPISODE_SIDE: usize = 500;

/// How alike the vectors of two events are when they belong together, in thousandths of the cosine.
const LEAST_LIKENESS: i64 = 600;

/// How coarse episodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// A pause of more than this ends an episode, in milliseconds.
    pub pause: Millis,
    /// A pause of more than this ends an episode when nothing of the last events comes again.
    pub turn: Millis,
}

impl Scale {
    /// Minutes: one errand.
    pub const FINE: Self = Self { pause: 30 * 60_000, turn: 5 * 60_000 };
    /// Hours: one outing.
    pub const COARSE: Self = Self { pause: 6 * 3_600_000, turn: 2 * 3_600_000 };
}

/// The events around one, as far as they belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episode {
    /// The events, in order of time.
    pub events: Vec<MemoryView>,
    /// When the first one begins and the last one ends.
    pub span: (Millis, Millis),
    /// Whether more belongs to it than is shown.
    pub cut: bool,
}

impl Memory {
    /// The episode that an event is part of. Other threads do not interrupt it.
    ///
    /// # Errors
    /// `unknown-memory`; `memory-forgotten` when the event is not current at that moment.
    pub fn episode(&self, at: At, memory: &str, scale: Scale) -> Result<Episode, Refusal> {
        let item = self.known(memory, "/memory")?;
        let row = self.table.version_at(item, at.seq).filter(|row| self.is_live_at(*row, at.seq));
        let Some(row) = row else {
            let message = format!("`{memory}` is not current at this moment");
            return Err(Refusal::new("memory-forgotten", message).at_path("/memory"));
        };
        let (rows, cut) = self.episode_rows(at.seq, row, scale);
        let begin = rows.first().and_then(|r| self.table.row(*r)).map_or(0, |r| r.at);
        let end = rows.iter().map(|r| self.table.end(*r)).max().unwrap_or(begin);
        let why = |other: u32| if other == row { "asked for".to_owned() } else { "of the same episode".to_owned() };
        let events = rows.into_iter().filter_map(|r| self.show(r, at.seq, why(r))).collect();
        Ok(Episode { events, span: (begin, end), cut })
    }

    /// The rows of an episode in order, and whether there are more.
    pub(crate) fn episode_rows(&self, seq: Seq, row: u32, scale: Scale) -> (Vec<u32>, bool) {
        let Some(own) = self.table.row(row) else { return (Vec::new(), false) };
        let thread = self.table.item(own.item).map(|i| i.thread);
        let of_thread = |other: &u32| {
            let item = self.table.row(*other).and_then(|r| self.table.item(r.item));
            self.is_live_at(*other, seq) && item.map(|i| i.thread) == thread
        };
        // The row itself and the rows of its time are on both sides; the order tells them apart.
        let mut ahead = self.time.from(own.at).filter(of_thread).skip_while(|r| *r != row).skip(1);
        let back = self.time.before(own.at.saturating_add(1)).filter(of_thread).skip_while(|r| *r != row);
        // Newest first, until the edge and the few events before it, by which later edges are judged.
        let mut chain: Vec<u32> = Vec::new();
        let mut left = LOOK_BACK;
        for older in back.take(MAX_EPISODE_SIDE + LOOK_BACK + 1) {
            let ended = chain.last().is_some_and(|later| self.pause(older, *later) > scale.pause);
            chain.push(older);
            if ended || left < LOOK_BACK {
                left = left.saturating_sub(1);
                if left == 0 {
                    break;
                }
            }
        }
        let is_first = |i: &usize| {
            let (Some(later), Some(earlier)) = (chain.get(*i), chain.get(i + 1..)) else { return true };
            self.is_edge(earlier, *later, scale)
        };
        let first = (0..MAX_EPISODE_SIDE).find(is_first);
        let mut cut = first.is_none();
        let begin = first.unwrap_or(MAX_EPISODE_SIDE - 1);
        let context = chain.len() - (begin + 1).min(chain.len());
        let mut rows: Vec<u32> = chain.into_iter().rev().collect();
        for after in 0.. {
            let Some(newer) = ahead.next() else { break };
            let last: Vec<u32> = rows.iter().rev().take(LOOK_BACK).copied().collect();
            if self.is_edge(&last, newer, scale) {
                break;
            }
            if after >= MAX_EPISODE_SIDE {
                cut = true;
                break;
            }
            rows.push(newer);
        }
        rows.drain(..context);
        (rows, cut)
    }

    /// How long after the end of one event the next one begins; below 0 when they overlap.
    pub(crate) fn pause(&self, earlier: u32, later: u32) -> Millis {
        let at = self.table.row(later).map_or(0, |r| r.at);
        at.saturating_sub(self.table.end(earlier) - 1)
    }

    /// Whether an episode ends between the events `earlier`, newest first, and the one after them.
    pub(crate) fn is_edge(&self, earlier: &[u32], later: u32, scale: Scale) -> bool {
        let Some(last) = earlier.first() else { return true };
        let pause = self.pause(*last, later);
        if pause > scale.pause {
            return true;
        }
        pause > scale.turn && !earlier.iter().take(LOOK_BACK).any(|row| self.is_akin(*row, later))
    }

    /// Whether two events share an entity or a telling word.
    fn is_akin(&self, a: u32, b: u32) -> bool {
        let own = self.table.entities_of(a);
        if self.table.entities_of(b).iter().any(|e| own.contains(e)) {
            return true;
        }
        let mut seen = BTreeSet::new();
        if self.vectors.likeness(a, b).is_some_and(|likeness| likeness >= LEAST_LIKENESS) {
            return true;
        }
        words::words(self.table.text(a), &mut |word| {
            if is_telling(word) {
                seen.insert(word.to_owned());
            }
        });
        let mut shared = false;
        words::words(self.table.text(b), &mut |word| shared |= seen.contains(word));
        shared
    }
}

/// Short words of Latin letters tell nothing; pairs of dense scripts do.
fn is_telling(word: &str) -> bool {
    !word.is_ascii() || word.len() > 3
}
