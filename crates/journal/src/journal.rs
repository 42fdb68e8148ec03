//! The journal in memory.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use throughline_value::Value;

use crate::frame::commitment;
use crate::{Body, Cause, Digest, Draft, Error, Frame, Millis, Record, Seq};

/// The last record and what the chain says there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last record; 0 in an empty journal.
    pub seq: Seq,
    /// The last frame; 0 in an empty journal.
    pub frame: u64,
    /// The chain after the last frame.
    pub chain: String,
}

/// The chain before the first frame of the journal with this id.
#[must_use]
pub fn genesis(id: &str) -> String {
    let mut digest = Digest::new("throughline journal");
    digest.text(id);
    digest.finish()
}

/// The kind of the records that erase something of earlier ones.
pub(crate) const PURGED: &str = "memory.purged";

/// The append-only log, in memory.
#[derive(Clone, Debug)]
pub struct Journal {
    id: String,
    frames: Vec<Frame>,
    seq: Seq,
    recorded_at: Millis,
    chain: String,
    /// The first record and the recorded time of each frame, side by side: a frame itself is far larger.
    marks: Vec<(Seq, Millis)>,
    /// The frames of which a body was looked for that is not here.
    wanted: Rc<RefCell<BTreeSet<u64>>>,
}

impl Journal {
    /// An empty journal. Two journals with one id are copies or forks of each other.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        let chain = genesis(&id);
        Self {
            id,
            frames: Vec::new(),
            seq: 0,
            recorded_at: Millis::MIN,
            chain,
            marks: Vec::new(),
            wanted: Rc::default(),
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The last record and the chain there.
    #[must_use]
    pub fn head(&self) -> Head {
        Head { seq: self.seq, frame: self.frames.len() as u64, chain: self.chain.clone() }
    }

    /// The recorded time of the last record.
    #[must_use]
    pub fn recorded_at(&self) -> Option<Millis> {
        (self.seq > 0).then_some(self.recorded_at)
    }

    /// Numbers `drafts` and hashes them into the frame that would follow the head, without adding it.
    ///
    /// `now` is the wall clock; when it has stepped back, the recorded time stays where it was and the frame
    /// keeps the clock's reading. An empty list of drafts gives a frame that [`Journal::commit`] refuses.
    #[must_use]
    pub fn propose(&self, now: Millis, commands: Vec<Value>, drafts: Vec<Draft>) -> Frame {
        self.propose_sealed(now, commands, drafts, "")
    }

    /// As [`Journal::propose`]; erasable drafts are sealed with salts derived from `entropy`, which must be
    /// fresh and unguessable.
    #[must_use]
    pub fn propose_sealed(&self, now: Millis, commands: Vec<Value>, drafts: Vec<Draft>, entropy: &str) -> Frame {
        self.frame(now, commands, self.number(now, 0, drafts, entropy))
    }

    /// The frame of records that [`Journal::number`] numbered.
    #[must_use]
    pub fn frame(&self, now: Millis, commands: Vec<Value>, records: Vec<Record>) -> Frame {
        Frame::build(self.frames.len() as u64 + 1, &self.chain, now, commands, records)
    }

    /// Numbers `drafts` as the records that would follow the head and `already` other records of the same
    /// frame. A frame whose records come from several decisions is built from them one by one.
    #[must_use]
    pub fn number(&self, now: Millis, already: usize, drafts: Vec<Draft>, entropy: &str) -> Vec<Record> {
        let at = now.max(self.recorded_at);
        let first = self.seq + 1 + already as u64;
        (first..)
            .zip(drafts)
            .map(|(seq, draft)| {
                let cause = match draft.cause {
                    Cause::None => None,
                    Cause::Record(seq) => Some(seq),
                    Cause::Draft(index) => Some(first + index as u64),
                };
                let body = if draft.erasable {
                    let mut salt = Digest::new("salt");
                    salt.text(entropy);
                    salt.number(seq.cast_signed());
                    let salt = salt.finish();
                    Body::Sealed { commitment: commitment(&salt, &draft.data), content: Some((salt, draft.data)) }
                } else {
                    Body::Open(draft.data)
                };
                Record {
                    seq,
                    recorded_at: at,
                    valid_from: draft.valid_from.unwrap_or(at),
                    thread: draft.thread,
                    turn: draft.turn,
                    actor: draft.actor,
                    cause: cause.filter(|cause| *cause < seq),
                    reason: draft.reason,
                    origin: draft.origin,
                    kind: draft.kind,
                    body,
                }
            })
            .collect()
    }

    /// Adds the frame that follows the head.
    ///
    /// # Errors
    /// `head-moved` when it follows another head, `seq-broken` and `clock-broken` when its numbers or times
    /// do not go on from there, `frame-unreadable` when it is empty.
    pub fn commit(&mut self, frame: Frame) -> Result<(), Error> {
        let number = self.frames.len() as u64 + 1;
        let refuse = |code, message: String| Err(Error::new(code, message).at(0, number));
        if frame.records.is_empty() {
            return refuse("frame-unreadable", "a frame holds at least one record".to_owned());
        }
        if frame.previous != self.chain {
            return refuse(
                "head-moved",
                "this frame follows another head; fold the frames in between first".to_owned(),
            );
        }
        if frame.number != number || frame.first != self.seq + 1 {
            return refuse("seq-broken", format!("frame {number} starts at record {} here", self.seq + 1));
        }
        if frame.recorded_at() < self.recorded_at {
            return refuse("clock-broken", "recorded time may not decrease".to_owned());
        }
        let mut frame = frame;
        frame.tell(&self.wanted);
        self.seq = frame.last();
        self.recorded_at = frame.recorded_at();
        self.marks.push((frame.first, self.recorded_at));
        self.chain.clone_from(&frame.chain);
        self.frames.push(frame);
        Ok(())
    }

    /// Puts what is left in the place of a sealed body, and of its bytes; the chain stays whole. Gives the
    /// number of the frame that is to be stored again; `None` when the record's body is not sealed.
    pub fn erase(&mut self, seq: Seq, salt: &str, rest: Value) -> Option<u64> {
        let after = self.frames.partition_point(|f| f.first <= seq);
        let frame = self.frames.get_mut(after.checked_sub(1)?)?;
        let record = frame.records.get_mut(usize::try_from(seq.checked_sub(frame.first)?).ok()?)?;
        let commitment = match &record.body {
            // What is not here is erased where it is.
            Body::Open(_) | Body::Cold { .. } => return None,
            Body::Sealed { commitment, .. } | Body::Rest { commitment, .. } => commitment.clone(),
        };
        record.body = Body::Rest { commitment, salt: salt.to_owned(), content: rest };
        frame.rewrite();
        Some(frame.number)
    }

    /// Checks that whatever is left of an erased body is what the last record that erased something of it says:
    /// `rest: {"<seq>": "<commitment>"}` in its data.
    ///
    /// # Errors
    /// `commitment-broken`.
    pub fn check_rests(&self) -> Result<(), Error> {
        let said = self.rests_said();
        self.records().try_for_each(|record| self.check_rest(record, &said))
    }

    /// By record, the commitments that purges gave of what they left.
    fn rests_said(&self) -> BTreeSet<(Seq, &str)> {
        let mut said = BTreeSet::new();
        for record in self.records().filter(|record| record.kind == PURGED) {
            for (seq, commitment) in record.data().get("rest").and_then(Value::as_map).into_iter().flatten() {
                if let (Ok(seq), Some(commitment)) = (seq.parse(), commitment.as_str()) {
                    said.insert((seq, commitment));
                }
            }
        }
        said
    }

    fn check_rest(&self, record: &Record, said: &BTreeSet<(Seq, &str)>) -> Result<(), Error> {
        let Body::Rest { salt, content, .. } = &record.body else { return Ok(()) };
        // After a crash between two purges, what is left may be what an earlier one of them left.
        if said.contains(&(record.seq, &commitment(salt, content))) {
            return Ok(());
        }
        let hint = format!("what is left of record {} is not what was left when it was erased", record.seq);
        let number = self.frame_of(record.seq).map_or(0, |f| f.number);
        Err(Error::new("commitment-broken", hint).at(0, number))
    }

    fn frame_mut(&mut self, number: u64) -> Option<&mut Frame> {
        self.frames.get_mut(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// Lets go of a frame's line, its commands and what its records say; an outline stays. Gives about how many bytes
    /// that was. Only what is stored may be let go of.
    pub fn cool(&mut self, number: u64) -> usize {
        let wanted = Rc::clone(&self.wanted);
        self.frame_mut(number).map_or(0, |frame| frame.cool(&wanted))
    }

    /// Takes a whole frame again. Nothing happens when all of it is here.
    ///
    /// # Errors
    /// `chain-broken` when it is another frame, `body-missing` when it is not whole, `commitment-broken` when what is
    /// left of an erased body is not what it must be.
    pub fn warm(&mut self, frame: Frame) -> Result<(), Error> {
        let number = frame.number;
        let Some(place) = self.frame_mut(number).filter(|frame| frame.is_cold()) else { return Ok(()) };
        if place.chain != frame.chain {
            return Err(Error::new("chain-broken", "the store gave another frame than was appended").at(0, number));
        }
        if frame.is_cold() {
            return Err(crate::cold::missing(frame.first).at(0, number));
        }
        if frame.records.iter().any(|record| matches!(record.body, Body::Rest { .. })) {
            let said = self.rests_said();
            frame.records.iter().try_for_each(|record| self.check_rest(record, &said))?;
        }
        if let Some(place) = self.frame_mut(number) {
            *place = frame;
        }
        Ok(())
    }

    /// The commands of a frame, oldest first. Those of one that is not here are noted as looked for.
    #[must_use]
    pub fn commands_of<'a>(&self, frame: &'a Frame) -> &'a [Value] {
        frame.want(&self.wanted);
        &frame.commands
    }

    /// Whether all of every frame is here; those of which it is not are noted as looked for.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let mut wanted = self.wanted.borrow_mut();
        let cold = self.frames.iter().filter(|frame| frame.is_cold());
        cold.map(|frame| wanted.insert(frame.number)).count() == 0
    }

    /// The frames, in order, of which a body was looked for and is not here, since the last call.
    #[must_use]
    pub fn take_wanted(&self) -> Vec<u64> {
        std::mem::take(&mut *self.wanted.borrow_mut()).into_iter().collect()
    }

    /// The frames, oldest first.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The frames after frame `number`.
    #[must_use]
    pub fn frames_after(&self, number: u64) -> &[Frame] {
        usize::try_from(number).ok().and_then(|n| self.frames.get(n..)).unwrap_or(&[])
    }

    /// The frame that holds record `seq`.
    #[must_use]
    pub fn frame_of(&self, seq: Seq) -> Option<&Frame> {
        let after = self.frames.partition_point(|f| f.first <= seq);
        after.checked_sub(1).and_then(|i| self.frames.get(i)).filter(|f| seq <= f.last())
    }

    /// Record `seq`.
    #[must_use]
    pub fn record(&self, seq: Seq) -> Option<&Record> {
        let frame = self.frame_of(seq)?;
        frame.records.get(usize::try_from(seq.checked_sub(frame.first)?).ok()?)
    }

    /// When record `seq` was recorded; `None` when there is no such record.
    #[must_use]
    pub fn recorded_at_of(&self, seq: Seq) -> Option<Millis> {
        let after = self.marks.partition_point(|(first, _)| *first <= seq);
        let (_, at) = self.marks.get(after.checked_sub(1)?)?;
        (seq <= self.seq).then_some(*at)
    }

    /// The records, oldest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.frames.iter().flat_map(|f| f.records.iter())
    }

    /// The records from `seq` on.
    pub fn records_from(&self, seq: Seq) -> impl Iterator<Item = &Record> {
        let start = self.frames.partition_point(|f| f.last() < seq);
        self.frames.iter().skip(start).flat_map(|f| f.records.iter()).skip_while(move |r| r.seq < seq)
    }

    /// The last record that was recorded at or before `moment`; 0 when there is none.
    #[must_use]
    pub fn seq_at(&self, moment: Millis) -> Seq {
        let after = self.marks.partition_point(|(_, at)| *at <= moment);
        self.marks.get(after).map_or(self.seq, |(first, _)| first - 1)
    }
}
