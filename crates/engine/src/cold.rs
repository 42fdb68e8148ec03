//! Frames that are not wholly here: what is let go of, what is asked for, and how a state is folded without all of them.
//!
//! A decision or an answer that needed a body that is not here is thrown away; the frame is asked for with
//! [`Output::Load`], and all is done again when it has come. So nothing is ever decided or told from what is missing.

use std::collections::BTreeSet;

use throughline_journal::{Frame, Record, Seq};
use throughline_memory::Memory;
use throughline_protocol::Refusal;
use throughline_value::SortedMap;

use crate::building::{Building, KnownRefusal};
use crate::engine::{Engine, Job};
use crate::input::{Input, Output};
use crate::state::{Lanes, State};

/// How many frames are read at once at most.
pub const LOAD_FRAMES: usize = 256;

/// How many frames are read at once for an answer: nothing is known of their sizes.
pub const READ_FRAMES: usize = 32;

/// How many frames more are read where frames are read one after the other.
pub const READ_AHEAD: usize = 8;

/// About how many bytes of frames are read at once while a journal is folded.
const LOAD_BYTES: usize = 8 << 20;

/// What a frame counts for of which only bodies of memories are not here: as much as one may well be.
const APART_WEIGHT: usize = 256 << 10;

/// One part in so many of the budget is for bodies in the journal itself; the memory has the rest.
const JOURNAL_SHARE: usize = 4;

/// A frame of so many bytes is let go of at once: it holds many events at a time, of which the index knows everything but
/// the texts, and those the memory holds by itself.
const LARGE_FRAME: usize = 256 << 10;

/// How often one decision may ask for bodies; then it is refused.
const MAX_LOADS: u32 = 64;

/// What is known of bodies.
#[derive(Default)]
pub(crate) struct Cold {
    /// How many bytes of bodies are kept; `None` keeps all.
    keep: Option<usize>,
    /// The frames that are here, with about how many bytes each takes.
    hot: SortedMap<u64, usize>,
    hot_bytes: usize,
    /// Those of them that are let go of first.
    large: BTreeSet<u64>,
    /// What is being stored again must be here.
    pinned: BTreeSet<u64>,
    /// Bodies were asked for and have not come yet.
    loading: bool,
    rebuild: Option<Rebuild>,
    /// All but the memory as it was at a frame, from the last time that something was taken back: the next time only
    /// what came since is folded.
    aside: Option<(usize, State)>,
    /// What to load when everything is folded.
    after: BTreeSet<u64>,
    /// What came while everything was folded.
    deferred: Vec<Input>,
    loads: u32,
    /// What was found while deciding that is to be decided again.
    pub(crate) refusals: Vec<KnownRefusal>,
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
    /// A copy is put aside when all is folded.
    aside: bool,
}

/// Whether a frame cannot be folded as it is. Of one that the memory knows, no bodies of memories are needed.
fn lacks(frame: &Frame, known: bool) -> bool {
    frame.is_outline() || (!known && frame.is_cold())
}

fn is_of_memory(record: &Record) -> bool {
    record.kind.starts_with("memory.")
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

    /// Takes frames again: those of [`Engine::take_missing`].
    ///
    /// # Errors
    /// What [`throughline_journal::Journal::warm`] says.
    pub fn warm(&mut self, frames: Vec<Frame>) -> Result<(), Refusal> {
        for frame in frames {
            let number = frame.number;
            self.cold.read += 1;
            self.journal.warm(frame).map_err(|error| Refusal::new(error.code(), error.to_string()))?;
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

    /// The next frames after these with memories that are not here, when these follow what was read `before`: who walks
    /// over memories wants those next.
    #[must_use]
    pub fn ahead(&self, before: u64, frames: &[u64]) -> Vec<u64> {
        let (Some(first), Some(last)) = (frames.iter().min(), frames.iter().max()) else { return Vec::new() };
        let memories = |frame: &&Frame| frame.is_cold() && frame.records.iter().any(is_of_memory);
        let mut between = self.journal.frames_after(before).iter().filter(memories);
        if before == 0 || before >= *first || between.next().is_none_or(|next| next.number < *first) {
            return Vec::new();
        }
        let next = self.journal.frames_after(*last).iter().filter(memories);
        next.map(|frame| frame.number).take(READ_AHEAD).collect()
    }

    /// Whatever was erased is stored.
    pub fn erased(&mut self) {
        self.cold.pinned.clear();
    }

    /// Lets go of bodies beyond the budget, unless something that needs them is going on.
    pub fn cool(&mut self) {
        let busy = self.in_flight.is_some() || self.cold.loading || self.is_folding() || !self.jobs.is_empty();
        if !busy {
            let head = self.journal.head();
            self.cool_to(head.frame, head.seq);
        }
    }

    /// Lets go of the oldest frames up to this one, and of what the memory holds.
    fn cool_to(&mut self, number: u64, committed: Seq) {
        let Some(keep) = self.cold.keep else { return };
        let own = keep / JOURNAL_SHARE;
        for large in std::mem::take(&mut self.cold.large) {
            if large > number || self.cold.pinned.contains(&large) {
                self.cold.large.insert(large);
            } else if let Some(bytes) = self.cold.hot.remove(&large) {
                self.cold.hot_bytes = self.cold.hot_bytes.saturating_sub(bytes);
                self.journal.cool(large);
            }
        }
        if self.cold.hot_bytes > own {
            // A little more, so that it is not done again at once.
            let mut over = self.cold.hot_bytes - (own - own / 8);
            let mut gone = BTreeSet::new();
            for (hot, bytes) in self.cold.hot.iter().take_while(|(hot, _)| **hot <= number) {
                if over == 0 {
                    break;
                }
                if !self.cold.pinned.contains(hot) {
                    over = over.saturating_sub(*bytes);
                    self.cold.hot_bytes = self.cold.hot_bytes.saturating_sub(*bytes);
                    self.journal.cool(*hot);
                    gone.insert(*hot);
                }
            }
            self.cold.hot.retain(|hot, _| !gone.contains(hot));
        }
        let memory = &mut self.state.rooms.memory;
        let most = keep - own;
        if usize::try_from(memory.resident_bytes()).unwrap_or(usize::MAX) > most {
            memory.cool(most - most / 8, committed);
        }
    }

    pub(crate) fn note_hot(&mut self, number: u64) {
        let place = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        if let Some(frame) = self.journal.frames().get(place).filter(|frame| !frame.is_outline()) {
            let bytes = frame.weight();
            let before = self.cold.hot.insert(number, bytes).unwrap_or(0);
            self.cold.hot_bytes = self.cold.hot_bytes.saturating_sub(before) + bytes;
            if bytes >= LARGE_FRAME {
                self.cold.large.insert(number);
            }
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

    pub(crate) fn loaded(&mut self, frames: Vec<Frame>) -> Result<(), Refusal> {
        self.cold.loading = false;
        self.warm(frames)?;
        self.fold_on();
        Ok(())
    }

    /// Folds the journal anew, asking for the bodies that it needs.
    pub(crate) fn rebuild(&mut self, known: Option<(u64, Memory)>) {
        (self.state, self.cold.aside) = (State::default(), None);
        let mut frame = 0;
        if let Some((number, memory)) = known {
            (frame, self.state.rooms.memory) = (number, memory);
        }
        self.cold.rebuild = Some(Rebuild { next: 0, known: frame, purges: true, aside: false });
        self.fold_on();
    }

    /// Takes back what is not committed. The memory is right up to a frame, or is to be folded anew too.
    fn take_back(&mut self, memory_at: Option<u64>) {
        let Some(known) = memory_at else { return self.rebuild(None) };
        let memory = std::mem::take(&mut self.state.rooms.memory);
        let (next, state) = self.cold.aside.clone().unwrap_or_default();
        self.state = state;
        self.state.rooms.memory = memory;
        self.cold.rebuild = Some(Rebuild { next, known, purges: next == 0, aside: true });
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
            if lacks(frame, known) {
                let frames = self.next_to_load(&rebuild);
                self.cold.rebuild = Some(rebuild);
                return self.load(frames);
            }
            self.state.fold_known(frame, known);
            let (number, last) = (frame.number, frame.last());
            rebuild.next += 1;
            self.note_hot(number);
            if self.cold.hot_bytes > self.cold.keep.map_or(usize::MAX, |keep| keep / JOURNAL_SHARE) || number % 64 == 0
            {
                self.cool_to(number, last);
            }
        }
        self.lanes = Lanes::of(&self.journal);
        if rebuild.aside {
            let memory = std::mem::take(&mut self.state.rooms.memory);
            self.cold.aside = Some((rebuild.next, self.state.clone()));
            self.state.rooms.memory = memory;
        }
        _ = self.take_missing();
        let after = std::mem::take(&mut self.cold.after);
        if !after.is_empty() {
            self.load(after.into_iter().collect());
        }
    }

    /// The next frames that the folding lacks: as many as are read at once.
    fn next_to_load(&self, rebuild: &Rebuild) -> Vec<u64> {
        let rest = self.journal.frames().get(rebuild.next..).unwrap_or_default().iter();
        let mut room = LOAD_BYTES;
        let weight = |frame: &Frame| if frame.is_outline() { frame.weight() } else { APART_WEIGHT };
        let next = rest.filter(|frame| lacks(frame, frame.number <= rebuild.known)).take_while(|frame| {
            let goes = room > 0;
            room = room.saturating_sub(weight(frame));
            goes
        });
        next.map(|frame| frame.number).take(LOAD_FRAMES).collect()
    }

    /// Folds all but the memory anew, something of the journal being erased.
    pub(crate) fn again(&mut self) {
        self.cold.aside = None;
        if self.journal.frames().iter().any(Frame::is_outline) {
            let memory = std::mem::take(&mut self.state.rooms.memory);
            return self.rebuild(Some((self.journal.head().frame, memory)));
        }
        self.state.again(&self.journal);
    }

    /// The state of what is committed, when something was folded that is not. `memory_at` is the frame up to which the
    /// memory is right.
    pub(crate) fn restate(&mut self, memory_at: Option<u64>) {
        if self.journal.frames().iter().any(Frame::is_cold) {
            return self.take_back(memory_at);
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
            self.cold.refusals = std::mem::take(&mut building.refusals);
            let untouched = !building.forgotten && !building.records.iter().any(is_of_memory);
            self.take_back(untouched.then(|| self.journal.head().frame));
            return false;
        }
        self.cold.refusals = std::mem::take(&mut building.refusals);
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
