//! From stored bytes to a journal, or to what is wrong with them.

use throughline_journal::{Error, Frame, Head, Journal, read_segment, write_segment};

use crate::meta::Meta;
use crate::{Appended, Damage, SEGMENT_BYTES, StoreError};

/// What is good of a stored journal, and what is wrong with the rest.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Everything before the damage.
    pub journal: Journal,
    /// The damage; `None` when there is none.
    pub damage: Option<StoreError>,
}

/// Reads a journal from its `meta` text and its segments, in the order of their first frames.
///
/// # Errors
/// When not even the `meta` can be read, so that there is no id to begin with.
pub fn load<'a>(meta: &str, segments: impl IntoIterator<Item = (u64, &'a [u8])>) -> Result<Salvaged, StoreError> {
    let meta = Meta::read(meta)?;
    let mut journal = Journal::new(&meta.id);
    let mut last = 0;
    for (segment, bytes) in segments {
        last = segment;
        let added = read_segment(bytes).and_then(|frames| add(&mut journal, frames));
        if let Err(error) = added {
            let damage = Some(damage(&error, segment, &journal));
            return Ok(Salvaged { journal, damage });
        }
    }
    if let Err(error) = journal.check_rests() {
        let damage = Some(damage(&error, last, &journal));
        return Ok(Salvaged { journal, damage });
    }
    let damage = (!meta.is_at(&journal.head())).then(|| {
        let head = journal.head();
        StoreError::Unreadable(Box::new(Damage {
            code: "truncated".to_owned(),
            message: format!("the segments end at frame {} where {} were stored", head.frame, meta.frame),
            segment: last,
            byte: 0,
            good_seq: head.seq,
        }))
    });
    Ok(Salvaged { journal, damage })
}

fn add(journal: &mut Journal, frames: Vec<Frame>) -> Result<(), Error> {
    frames.into_iter().try_for_each(|frame| journal.commit(frame))
}

fn damage(error: &Error, segment: u64, journal: &Journal) -> StoreError {
    StoreError::Unreadable(Box::new(Damage {
        code: error.code().to_owned(),
        message: error.to_string(),
        segment,
        byte: error.byte(),
        good_seq: journal.head().seq,
    }))
}

impl Salvaged {
    /// The journal if it is whole.
    pub(crate) fn whole(self) -> Result<Journal, StoreError> {
        self.damage.map_or(Ok(self.journal), Err)
    }
}

/// Reads the frames of several segments that follow one another.
pub(crate) fn frames<'a>(segments: impl IntoIterator<Item = (u64, &'a [u8])>) -> Result<Vec<Frame>, StoreError> {
    let mut frames = Vec::new();
    for (segment, bytes) in segments {
        let read = read_segment(bytes).map_err(|error| damage(&error, segment, &Journal::new("")))?;
        frames.extend(read);
    }
    Ok(frames)
}

/// What an append that found another head gives: the frames it missed, when they do follow its head.
pub(crate) fn missed(expected: &Head, frames: Vec<Frame>) -> Result<Appended, StoreError> {
    match frames.first() {
        Some(first) if first.previous == expected.chain => Ok(Appended::Conflict(frames)),
        _ => Err(StoreError::Gone),
    }
}

pub(crate) fn no_meta() -> StoreError {
    StoreError::damaged("meta-missing", "there are segments, but the text that says what they are is missing")
}

/// A segment in which some frames are replaced by what is left of them; `None` when it holds none of them.
pub(crate) fn erased(first: u64, bytes: &[u8], frames: &[Frame]) -> Result<Option<Vec<u8>>, StoreError> {
    let mut all = read_segment(bytes).map_err(|error| damage(&error, first, &Journal::new("")))?;
    let mut changed = false;
    for frame in &mut all {
        if let Some(other) = frames.iter().find(|other| other.number == frame.number && other.chain == frame.chain) {
            changed |= frame.line != other.line;
            *frame = other.clone();
        }
    }
    Ok(changed.then(|| write_segment(&all)))
}

/// Cuts a journal into segments of about [`SEGMENT_BYTES`], each with the number of its first frame.
pub(crate) fn cut(journal: &Journal) -> Vec<(u64, Vec<u8>)> {
    let mut segments = Vec::new();
    let mut rest = journal.frames();
    while let Some(first) = rest.first() {
        let mut bytes = 0;
        let many = rest.iter().take_while(|frame| {
            let fits = bytes == 0 || bytes + frame.line.len() <= SEGMENT_BYTES;
            bytes += frame.line.len();
            fits
        });
        let (segment, others) = rest.split_at(many.count().clamp(1, rest.len()));
        segments.push((first.number, write_segment(segment)));
        rest = others;
    }
    segments
}
