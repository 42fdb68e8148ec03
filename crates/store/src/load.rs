//! From stored bytes to a journal, or to what is wrong with them.

use throughline_journal::{Body, Error, Frame, Head, Journal, read_frames_of, read_segment, write_segment};
use throughline_value::SortedMap;

use crate::meta::Meta;
use crate::{Appended, Damage, OPEN_BYTES, SEGMENT_BYTES, StoreError};

/// What is good of a stored journal, and what is wrong with the rest.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Everything before the damage.
    pub journal: Journal,
    /// The damage; `None` when there is none.
    pub damage: Option<StoreError>,
}

/// The bodies that lie apart, by frame.
pub(crate) type Bodies = SortedMap<u64, Vec<u8>>;

/// Reads a journal from its `meta` text and its segments, in the order of their first frames. Bodies that lie apart
/// stay there.
///
/// # Errors
/// When not even the `meta` can be read, so that there is no id to begin with.
pub fn load<'a>(meta: &str, segments: impl IntoIterator<Item = (u64, &'a [u8])>) -> Result<Salvaged, StoreError> {
    load_with(meta, segments, None)
}

/// The same; bodies that lie apart are taken, where they are given.
pub(crate) fn load_with<'a>(
    meta: &str,
    segments: impl IntoIterator<Item = (u64, &'a [u8])>,
    bodies: Option<&Bodies>,
) -> Result<Salvaged, StoreError> {
    let meta = Meta::read(meta)?;
    let mut journal = Journal::new(&meta.id);
    let (mut last, mut held) = (0, 0);
    for (segment, bytes) in segments {
        last = segment;
        let added = read_segment(bytes).and_then(|frames| {
            frames.into_iter().try_for_each(|mut frame| {
                if let Some(bodies) = bodies {
                    warm(&mut frame, bodies)?;
                }
                let (number, weight) = (frame.number, frame.weight());
                let rest = frame.records.iter().any(|record| matches!(record.body, Body::Rest { .. }));
                journal.commit(frame)?;
                // Of a long journal the rest is read as it is folded; what is looked at below stays.
                if bodies.is_none() && held + weight > OPEN_BYTES && !rest {
                    journal.cool(number);
                } else {
                    held += weight;
                }
                Ok(())
            })
        });
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

/// Takes the bodies of a frame that lie apart; one that is missing is damage, never something erased.
fn warm(frame: &mut Frame, bodies: &Bodies) -> Result<(), Error> {
    if !frame.is_cold() {
        return Ok(());
    }
    let number = frame.number;
    let text = bodies.get(&number).map_or("{}", |bytes| std::str::from_utf8(bytes).unwrap_or(""));
    frame.warm(text).map_err(|error| error.of_frame(number))
}

/// Adds those frames of a segment that were asked for, whole, in the order asked for.
pub(crate) fn frames_of(
    numbers: &[u64],
    segment: (u64, &[u8]),
    bodies: &Bodies,
    found: &mut Vec<Frame>,
) -> Result<(), StoreError> {
    let wrong = |error: Error| damage(&error, segment.0, &Journal::new(""));
    let held = if segment.1.is_empty() { Vec::new() } else { read_frames_of(segment.1, numbers).map_err(wrong)? };
    for number in numbers {
        let Some(mut frame) = held.iter().find(|frame| frame.number == *number).cloned() else {
            let (code, message) = ("body-missing", format!("frame {number} is not stored"));
            return Err(StoreError::damaged(code, message));
        };
        warm(&mut frame, bodies).map_err(wrong)?;
        found.push(frame);
    }
    Ok(())
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
    ///
    /// # Errors
    /// The damage.
    pub fn whole(self) -> Result<Journal, StoreError> {
        self.damage.map_or(Ok(self.journal), Err)
    }
}

/// Reads the frames of several segments that follow one another, whole.
pub(crate) fn frames<'a>(
    segments: impl IntoIterator<Item = (u64, &'a [u8])>,
    after: u64,
    bodies: &Bodies,
) -> Result<Vec<Frame>, StoreError> {
    let mut frames = Vec::new();
    for (segment, bytes) in segments {
        let wrong = |error: Error| damage(&error, segment, &Journal::new(""));
        let read = read_segment(bytes).map_err(wrong)?;
        for mut frame in read.into_iter().filter(|frame| frame.number > after) {
            warm(&mut frame, bodies).map_err(wrong)?;
            frames.push(frame);
        }
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

/// A frame as it is stored: its line, and the bodies that lie apart.
pub(crate) fn stored(frame: &Frame) -> (Vec<u8>, Option<Vec<u8>>) {
    match frame.apart() {
        Some((light, bodies)) => (write_segment(std::slice::from_ref(&light)), Some(bodies.into_bytes())),
        None => (write_segment(std::slice::from_ref(frame)), None),
    }
}

/// What erasing changes of a segment.
pub(crate) struct Erased {
    pub(crate) segment: Vec<u8>,
    /// By frame, the bodies that lie apart now; `None` when none do any more.
    pub(crate) bodies: Vec<(u64, Option<Vec<u8>>)>,
}

/// A segment in which some frames are replaced by what is left of them; `None` when it holds none of them.
pub(crate) fn erased(first: u64, bytes: &[u8], frames: &[Frame]) -> Result<Option<Erased>, StoreError> {
    let mut all = read_segment(bytes).map_err(|error| damage(&error, first, &Journal::new("")))?;
    let mut bodies = Vec::new();
    for frame in &mut all {
        let same = |other: &&Frame| other.number == frame.number && other.chain == frame.chain;
        let Some(other) = frames.iter().find(same) else { continue };
        if other.is_cold() {
            return Err(StoreError::Failed(format!("frame {} is not whole and cannot be stored again", frame.number)));
        }
        let (light, text) = other.apart().map_or_else(|| (other.clone(), None), |(light, text)| (light, Some(text)));
        bodies.push((frame.number, text.map(String::into_bytes)));
        *frame = light;
    }
    Ok((!bodies.is_empty()).then(|| Erased { segment: write_segment(&all), bodies }))
}

/// A journal in segments of about [`SEGMENT_BYTES`], each with the number of its first frame, and the bodies that lie
/// apart.
pub(crate) fn cut(journal: &Journal) -> (Vec<(u64, Vec<u8>)>, Bodies) {
    let (mut segments, mut bodies) = (Vec::new(), Bodies::new());
    let (mut same, mut bytes): (Vec<Frame>, usize) = (Vec::new(), 0);
    let mut close = |same: &mut Vec<Frame>| {
        if let Some(first) = same.first().map(|frame| frame.number) {
            segments.push((first, write_segment(same)));
            same.clear();
        }
    };
    for frame in journal.frames() {
        // A line that would not come back as it is stays as it is.
        let frame = match frame.apart().filter(|_| frame.is_plain()) {
            Some((light, text)) => {
                bodies.insert(frame.number, text.into_bytes());
                light
            }
            None => frame.clone(),
        };
        if bytes + frame.line.len() > SEGMENT_BYTES {
            close(&mut same);
            bytes = 0;
        }
        bytes += frame.line.len();
        same.push(frame);
    }
    close(&mut same);
    (segments, bodies)
}
