//! Frames as they are stored: a header line with a checksum, then one line a frame.

use std::fmt::Write as _;

use crate::{Digest, Error, Frame};

const MAGIC: &str = "throughline-segment";

/// Writes consecutive frames as one segment.
#[must_use]
pub fn write_segment(frames: &[Frame]) -> Vec<u8> {
    let mut body = String::new();
    for frame in frames {
        body.push_str(&frame.line);
        body.push('\n');
    }
    let first = frames.first().map_or(0, |f| f.number);
    let mut out = String::new();
    let _ = writeln!(out, "{MAGIC} 1 {first} {} {} {}", frames.len(), body.len(), Digest::of_bytes(body.as_bytes()));
    out.push_str(&body);
    out.into_bytes()
}

/// Reads one segment and checks its checksum, its length and each frame.
///
/// # Errors
/// `segment-damaged`, `truncated`, `newer-format`, or what [`Frame::read`] says; with the first byte that is
/// not good.
pub fn read_segment(bytes: &[u8]) -> Result<Vec<Frame>, Error> {
    let damaged = |what: &str, byte| Error::new("segment-damaged", what.to_owned()).at(byte, 0);
    let text = std::str::from_utf8(bytes).map_err(|e| damaged("the segment is not UTF-8 text", e.valid_up_to()))?;
    let (header, body) = text.split_once('\n').ok_or_else(|| damaged("the segment has no header line", 0))?;
    let fields: Vec<&str> = header.split(' ').collect();
    let [MAGIC, version, first, count, length, checksum] = fields.as_slice() else {
        return Err(damaged("the header of the segment is not one", 0));
    };
    if *version != "1" {
        return Err(Error::new(
            "newer-format",
            format!("this segment has format {version}; open it with a newer Throughline"),
        ));
    }
    let start = header.len() + 1;
    if body.len().to_string() != *length {
        return Err(Error::new(
            "truncated",
            format!("the segment has {} bytes where {length} were written", body.len()),
        )
        .at(start + body.len(), 0));
    }
    let (frames, error) = read_frames(body);
    if let Some(error) = error {
        let frame = error.frame();
        return Err(error.at(start, frame));
    }
    // The chain covers all but sealed bodies and line ends; the checksum covers every byte.
    if Digest::of_bytes(body.as_bytes()) != *checksum {
        return Err(damaged("the checksum of the segment does not fit its bytes", start));
    }
    if frames.len().to_string() != *count || frames.first().map_or(0, |f| f.number).to_string() != *first {
        return Err(damaged("the segment does not hold the frames that its header names", start));
    }
    Ok(frames)
}

/// Some frames of a segment, in its order; those that it does not hold are left out. Only their lines are read: what
/// they must be, the journal knows by their chains.
///
/// # Errors
/// What [`Frame::read`] says, and `segment-damaged`.
pub fn read_frames_of(bytes: &[u8], numbers: &[u64]) -> Result<Vec<Frame>, Error> {
    let damaged = |what: &str| Error::new("segment-damaged", what.to_owned());
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("the segment is not UTF-8 text"))?;
    let mut lines = text.lines();
    let first = lines.next().and_then(|header| header.split(' ').nth(2)?.parse::<u64>().ok());
    let first = first.ok_or_else(|| damaged("the header of the segment is not one"))?;
    let wanted = (first..).zip(lines).filter(|(number, _)| numbers.contains(number));
    wanted.map(|(number, line)| Frame::read(line).map_err(|error| error.at(0, number))).collect()
}

/// A line that something on the way has put bytes around.
pub(crate) fn line_ends(line: &str) -> Error {
    let what = if line.ends_with('\r') {
        "the line ends were changed on the way (CRLF for LF); take the file as bytes, as it was written"
    } else {
        "a line begins and ends with its frame, and nothing stands around it"
    };
    Error::new("line-ends-changed", what)
}

/// Reads lines of frames until the first that is not good: the good ones, and what is wrong with the next.
#[must_use]
pub fn read_frames(text: &str) -> (Vec<Frame>, Option<Error>) {
    let mut frames: Vec<Frame> = Vec::new();
    let mut byte = 0;
    for line in text.split_inclusive('\n') {
        let number = frames.last().map_or(0, |f| f.number) + 1;
        let Some(content) = line.strip_suffix('\n') else {
            let error = Error::new("truncated", "the last line is not complete").at(byte + line.len(), number);
            return (frames, Some(error));
        };
        if content != content.trim() {
            return (frames, Some(line_ends(content).at(byte, number)));
        }
        let follows = |frame: Frame| match frames.last() {
            Some(last) if frame.previous != last.chain || frame.number != last.number + 1 => {
                Err(Error::new("chain-broken", "this frame does not follow the one before it"))
            }
            Some(last) if frame.first != last.last() + 1 => {
                Err(Error::new("seq-broken", format!("record {} is expected here", last.last() + 1)))
            }
            Some(last) if frame.recorded_at() < last.recorded_at() => {
                Err(Error::new("clock-broken", "recorded time may not decrease"))
            }
            _ => Ok(frame),
        };
        match Frame::read(content).and_then(follows) {
            Ok(frame) => frames.push(frame),
            Err(error) => return (frames, Some(error.at(byte, number))),
        }
        byte += line.len();
    }
    (frames, None)
}
