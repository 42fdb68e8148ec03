//! Bodies that are not here: what is let go of, what is asked for, and how a state is folded without all of them.
//!
//! A decision or an answer that needed a body that is not here is thrown away; the body is asked for with
//! [`Output::Load`], and all is done again when it has come. So nothing is ever decided or told from what is missing.

use std::collections::{BTreeSet, VecDeque};

use throughline_journal::{APART_BYTES, Seq};
use throughline_memory::Memory;
use throughline_protocol::Refusal;

use crate::building::Building;
use crate::engine::{Engine, Job};
use crate::input::{Input, Output};
use crate::state::{Lanes, State};

/// How many frames are read at once while a journal is folded.
pub const LOAD_FRAMES: usize = 32;

/// One part in so many of the budget is for bodies in the journal itself; the memory has the rest.
const JOURNAL_SHARE: usize = 4;

/// How often one decision may ask for bodies; then it is refused.
const MAX_LOADS: u32 = 64;

/// What is known of bodies.
#[derive(Default)]
pub(crate) struct Cold {
    /// How many bytes of bodies are kept; `None` keeps all.
    keep: Option<usize>,
    /// The frames with large bodies that are here, the oldest first, with their bytes.
    hot: VecDeque<(u64, usize)>,
    hot_bytes: usize,
    /// What is being stored again must be here.
    pinned: BTreeSet<u64>,
    /// Bodies were asked for and have not come yet.
    loading: bool,
    rebuild: Option<Rebuild>,
    /// What to load when everything is folded.
    after: BTreeSet<u64>,
    /// What came while everything was folded.
    deferred: Vec<Input>,
    loads: u32,
    /// How many frames' bodies were read since the opening began.
    pub(crate) read: u64,
    pub(crate) from_snapshot: bool,
}

/// A state that is folded as bodies come.
struct Rebuild {
    /// How many frames are folded.
    next: usize,
    /// Up to this frame the memory is known already.
    known: u64,
    /// What purges say is to be erased first.
    purges: bool,
}

impl Engine {
    /// The engine of a journal of which bodies may be elsewhere. At most about `keep` bytes of bodies are held.
    /// `snapshot` is what [`Engine::snapshot`] gave, with the frame and the chain at which it did; one that does not
    /// fit is ignored. Drain [`Engine::poll`] at once: it may ask for bodies.
    #[must_use]
    pub fn open_with(journal: throughline_journal::Journal, snapshot: Option<(u64, &str, &[u8])>, keep: usize) -> Self {
        let known = snapshot.and_then(|(frame, chain, bytes)| {
            let at = journal.frames().get(usize::try_from(frame.checked_sub(1)?).ok()?)?;
            let memory = (at.chain == chain).then(|| Memory::restore(bytes)).flatten()?;
            Some((frame, memory))
        });
        let mut this = Self::bare(journal);
        this.cold.keep = Some(keep);
        this.cold.from_snapshot = known.is_some();
        this.rebuild(known);
        this
    }

    /// How many bytes of bodies are held at most from now on.
    pub fn keep(&mut self, bytes: usize) {
        self.cold.keep = Some(bytes);
    }

    /// Whether the journal is still being folded: nothing can be asked until then.
    #[must_use]
    pub fn is_folding(&self) -> bool {
        self.cold.rebuild.is_some()
    }

    /// How many frames' bodies were read, and whether a snapshot was used at the opening.
    #[must_use]
    pub fn bodies_read(&self) -> (u64, bool) {
        (self.cold.read, self.cold.from_snapshot)
    }

    /// Everything that the memory is but its bodies, for the next opening, and the head at which it is that; `None`
    /// while something is decided that is not committed.
    #[must_use]
    pub fn snapshot(&self) -> Option<(throughline_journal::Head, Vec<u8>)> {
        let head = self.journal.head();
        let level = self.in_flight.is_none() && !self.is_folding() && self.state.rooms.seq == head.seq;
        level.then(|| (head, self.state.rooms.memory.snapshot()))
    }

    /// The frames whose bodies were looked for and are not here, since the last call. What was answered meanwhile is
    /// not to be used.
    #[must_use]
    pub fn take_missing(&self) -> Vec<u64> {
        let mut frames: BTreeSet<u64> = self.journal.take_wanted().into_iter().collect();
        let missing = self.state.rooms.memory.take_missing();
        frames.extend(missing.into_iter().filter_map(|seq| self.journal.frame_of(seq)).map(|frame| frame.number));
        frames.into_iter().collect()
    }

    /// Takes bodies again: those of [`Engine::take_missing`].
    ///
    /// # Errors
    /// `commitment-broken`, `body-missing`.
    pub fn warm(&mut self, bodies: Vec<(u64, String)>) -> Result<(), Refusal> {
        for (number, text) in bodies {
            self.cold.read += 1;
            self.journal.warm(number, &text).map_err(|error| Refusal::new(error.code(), error.to_string()))?;
            self.note_hot(number);
            self.warm_memory(number);
        }
        Ok(())
    }

    /// The memory takes again what the journal has here.
    fn warm_memory(&mut self, number: u64) {
        let place = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        if self.cold.rebuild.is_none()
            && let Some(frame) = self.journal.frames().get(place)
        {
            for record in frame.records.iter().filter(|record| record.kind.starts_with("memory.")) {
                self.state.rooms.memory.warm(record);
            }
        }
    }

    /// Those of some frames whose bodies must be read from the store; of the others they are taken from the journal.
    pub fn to_read(&mut self, frames: &[u64]) -> Vec<u64> {
        let cold = |journal: &throughline_journal::Journal, number: u64| {
            let place = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
            journal.frames().get(place).is_some_and(throughline_journal::Frame::is_cold)
        };
        let (away, here): (Vec<u64>, Vec<u64>) = frames.iter().copied().partition(|n| cold(&self.journal, *n));
        here.into_iter().for_each(|number| self.warm_memory(number));
        away
    }

    /// Whatever was erased is stored.
    pub fn erased(&mut self) {
        self.cold.pinned.clear();
    }

    /// Lets go of bodies beyond the budget, unless something that needs them is going on.
    pub fn cool(&mut self) {
        let busy = self.in_flight.is_some() || self.cold.loading || self.is_folding() || !self.jobs.is_empty();
        if !busy {
            self.cool_to(self.journal.head().seq);
        }
    }

    fn cool_to(&mut self, committed: Seq) {
        let Some(keep) = self.cold.keep else { return };
        let own = keep / JOURNAL_SHARE;
        for _ in 0..self.cold.hot.len() {
            if self.cold.hot_bytes <= own {
                break;
            }
            let Some((number, bytes)) = self.cold.hot.pop_front() else { break };
            if self.cold.pinned.contains(&number) {
                self.cold.hot.push_back((number, bytes));
                continue;
            }
            self.cold.hot_bytes = self.cold.hot_bytes.saturating_sub(bytes);
            self.journal.cool(number);
        }
        let memory = &mut self.state.rooms.memory;
        let most = keep - own;
        if usize::try_from(memory.resident_bytes()).unwrap_or(usize::MAX) > most {
            // A little more, so that it is not done again at once.
            memory.cool(most - most / 8, committed);
        }
    }

    pub(crate) fn note_hot(&mut self, number: u64) {
        let place = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let bytes = self.journal.frames().get(place).map_or(0, |frame| frame.line.len());
        if bytes >= APART_BYTES {
            self.cold.hot.push_back((number, bytes));
            self.cold.hot_bytes += bytes;
        }
    }

    /// Asks for what is to be stored again; it stays here until it is.
    pub(crate) fn store_again(&mut self, frames: Vec<u64>) {
        if !frames.is_empty() {
            self.cold.pinned.extend(frames.iter().copied());
            self.outputs.push_back(Output::Erase { frames });
        }
    }

    pub(crate) fn load(&mut self, frames: Vec<u64>) {
        self.cold.loading = true;
        let frames = self.to_read(&frames);
        self.outputs.push_back(Output::Load { frames });
    }

    /// Whether nothing can be decided now.
    pub(crate) fn waits_for_bodies(&self) -> bool {
        self.cold.loading || self.is_folding()
    }

    /// Keeps an input for later while everything is folded.
    pub(crate) fn defer(&mut self, input: Input) -> Option<Input> {
        if self.is_folding() && !matches!(input, Input::Loaded { .. }) {
            self.cold.deferred.push(input);
            return None;
        }
        Some(input)
    }

    pub(crate) fn take_deferred(&mut self) -> Vec<Input> {
        if self.is_folding() { Vec::new() } else { std::mem::take(&mut self.cold.deferred) }
    }

    pub(crate) fn loaded(&mut self, bodies: Vec<(u64, String)>) -> Result<(), Refusal> {
        self.cold.loading = false;
        self.warm(bodies)?;
        self.fold_on();
        Ok(())
    }

    /// Folds the journal anew, asking for the bodies that it needs.
    pub(crate) fn rebuild(&mut self, known: Option<(u64, Memory)>) {
        self.state = State::default();
        let mut frame = 0;
        if let Some((number, memory)) = known {
            (frame, self.state.rooms.memory) = (number, memory);
        }
        self.cold.rebuild = Some(Rebuild { next: 0, known: frame, purges: true });
        self.fold_on();
    }

    fn fold_on(&mut self) {
        let Some(mut rebuild) = self.cold.rebuild.take() else { return };
        if rebuild.purges {
            // A crash may have come between a purge and its erasing.
            let (frames, _) = crate::erase::catch_up(&mut self.journal, 0);
            self.store_again(frames);
            let wanted = self.journal.take_wanted();
            if !wanted.is_empty() {
                self.cold.rebuild = Some(rebuild);
                return self.load(wanted);
            }
            rebuild.purges = false;
        }
        while let Some(frame) = self.journal.frames().get(rebuild.next) {
            let known = frame.number <= rebuild.known;
            if !known && frame.is_cold() {
                let rest = self.journal.frames().get(rebuild.next..).unwrap_or_default().iter();
                let frames = rest.filter(|frame| frame.is_cold()).map(|frame| frame.number).take(LOAD_FRAMES).collect();
                self.cold.rebuild = Some(rebuild);
                return self.load(frames);
            }
            self.state.fold_known(frame, known);
            let (number, last, is_cold) = (frame.number, frame.last(), frame.is_cold());
            rebuild.next += 1;
            if !is_cold && !self.cold.hot.iter().rev().take(2 * LOAD_FRAMES).any(|(hot, _)| *hot == number) {
                self.note_hot(number);
            }
            if self.cold.hot_bytes > self.cold.keep.map_or(usize::MAX, |keep| keep / JOURNAL_SHARE) || number % 64 == 0
            {
                self.cool_folded(number, last);
            }
        }
        self.lanes = Lanes::of(&self.journal);
        _ = self.take_missing();
        let after = std::mem::take(&mut self.cold.after);
        if !after.is_empty() {
            self.load(after.into_iter().collect());
        }
    }

    /// As [`Engine::cool_to`], but of frames that are folded already.
    fn cool_folded(&mut self, number: u64, last: Seq) {
        let ahead: Vec<_> = self.cold.hot.iter().filter(|(hot, _)| *hot > number).copied().collect();
        self.cold.hot.retain(|(hot, _)| *hot <= number);
        let bytes: usize = ahead.iter().map(|(_, bytes)| bytes).sum();
        self.cold.hot_bytes = self.cold.hot_bytes.saturating_sub(bytes);
        self.cool_to(last);
        self.cold.hot.extend(ahead);
        self.cold.hot_bytes += bytes;
    }

    /// The state of what is committed, when something was folded that is not.
    pub(crate) fn restate(&mut self) {
        if self.journal.frames().iter().any(throughline_journal::Frame::is_cold) {
            return self.rebuild(None);
        }
        self.state = State::of(&self.journal);
        self.lanes = Lanes::of(&self.journal);
    }

    /// What becomes of a frame of which the last decision lacked bodies, or went wrong half-way. `decided` are the
    /// jobs before it, of which `before` records were made, `job` is its own. True when what was decided before it is
    /// to be appended; it comes again after that.
    pub(crate) fn starved(
        &mut self,
        building: &mut Building,
        decided: &mut Vec<Job>,
        job: Option<Job>,
        before: usize,
    ) -> bool {
        let wanted = building.take_wanted();
        let half = building.records.len() > before || building.broken;
        self.cold.loads += 1;
        if self.cold.loads > MAX_LOADS {
            // Bodies that never come: the store would have said so; so this cannot be, and must not go on for ever.
            self.cold.loads = 0;
            if let Some(Job::Command(mut waiting)) = job {
                let message = "bodies that this needs are not to be had; verify the journal";
                waiting.unread = Some(Box::new(Refusal::new("body-missing", message)));
                self.jobs.push_front(Job::Command(waiting));
            } else {
                self.halted = true;
            }
        } else if let Some(job) = job {
            self.jobs.push_front(job);
        }
        if half {
            decided.drain(..).rev().for_each(|job| self.jobs.push_front(job));
            self.cold.after = wanted;
            self.rebuild(None);
            return false;
        }
        if building.records.is_empty() {
            if !wanted.is_empty() {
                self.load(wanted.into_iter().collect());
            }
            for (ticket, outcome) in std::mem::take(&mut building.answers) {
                self.outputs.push_back(Output::Done { ticket, outcome });
            }
            return false;
        }
        true
    }

    pub(crate) fn fed(&mut self) {
        self.cold.loads = 0;
    }
}
