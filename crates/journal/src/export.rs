//! The journal as one file: a manifest line, then one line a frame.

use serde::{Deserialize, Serialize};
use throughline_value::json::Node;
use throughline_value::{from_node, json, to_value};

use crate::{Error, FORMAT, Journal, Millis, Seq, read_frames};

#[derive(Serialize, Deserialize)]
#[serde(rename = "open")]
struct Manifest {
    throughline: String,
    format: u32,
    id: String,
    frames: u64,
    seq: Seq,
    chain: String,
    exported_at: Millis,
}

/// What could be read of a damaged file, and what is wrong with the rest.
#[derive(Debug)]
pub struct Partial {
    /// Everything before the fault.
    pub journal: Journal,
    /// The fault; `None` when the file is whole.
    pub error: Option<Error>,
}

impl Journal {
    /// The whole journal as one text file; `now` is noted in its first line.
    #[must_use]
    pub fn export(&self, now: Millis) -> String {
        let head = self.head();
        let manifest = Manifest {
            throughline: "journal".to_owned(),
            format: FORMAT,
            id: self.id().to_owned(),
            frames: head.frame,
            seq: head.seq,
            chain: head.chain,
            exported_at: now,
        };
        let mut out = to_value(&manifest).map(|v| v.to_json()).unwrap_or_default();
        out.push('\n');
        for frame in self.frames() {
            out.push_str(&frame.line);
            out.push('\n');
        }
        out
    }
}

/// Reads a file that [`Journal::export`] wrote; all of it or nothing.
///
/// # Errors
/// The first fault: `not-a-journal`, `newer-format`, `truncated`, `chain-broken` and the others of
/// [`Error::code`], with the byte where it is.
pub fn import(text: &str) -> Result<Journal, Error> {
    let Partial { journal, error } = import_partial(text)?;
    error.map_or(Ok(journal), Err)
}

/// Reads as much of a file as is good.
///
/// # Errors
/// `not-a-journal` or `newer-format`, when not even its first line can be used.
pub fn import_partial(text: &str) -> Result<Partial, Error> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let not_one = |what: String| {
        Error::new("not-a-journal", format!("{what}; a journal file starts with {{\"throughline\":\"journal\",…}}"))
    };
    if first.ends_with('\r') {
        return Err(crate::segment::line_ends(first).at(first.len() - 1, 0));
    }
    let node: Node = json::read(first).map_err(|e| not_one(e.to_string()))?;
    let manifest: Manifest = from_node(&node).map_err(|e| not_one(e.to_string()))?;
    if manifest.throughline != "journal" {
        return Err(not_one(format!("this is a {:?} file", manifest.throughline)));
    }
    if manifest.format > FORMAT {
        return Err(Error::new(
            "newer-format",
            format!("this file has format {}; open it with a newer Throughline", manifest.format),
        ));
    }
    let start = first.len() + 1;
    let (frames, mut error) = read_frames(rest);
    error = error.map(|e| {
        let frame = e.frame();
        e.at(start, frame)
    });
    let mut journal = Journal::new(manifest.id);
    for frame in frames {
        let number = frame.number;
        if let Err(e) = journal.commit(frame) {
            error = Some(e.at(start, number));
            break;
        }
    }
    if error.is_none() {
        error = journal.check_rests().err();
    }
    let cold = journal.records().find(|record| matches!(record.body, crate::Body::Cold { .. }));
    if let (None, Some(record)) = (&error, cold) {
        error = Some(crate::cold::missing(record.seq).at(0, journal.frame_of(record.seq).map_or(0, |f| f.number)));
    }
    let head = journal.head();
    if error.is_none() && (head.frame, head.seq, &head.chain) != (manifest.frames, manifest.seq, &manifest.chain) {
        let hint = format!("the file ends at frame {} where its first line promises {}", head.frame, manifest.frames);
        error = Some(Error::new("truncated", hint).at(text.len(), head.frame + 1));
    }
    Ok(Partial { journal, error })
}
