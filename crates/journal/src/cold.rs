//! Frames of which something lies elsewhere: it is let go of, and taken again when it is wanted.
//!
//! Of a frame that a store holds, a journal needs no more than an outline: who did what when, and why. What is said in
//! it, its commands and its line come back with the frame itself: see [`crate::Journal::cool`].
//!
//! In a store, the bodies of memories lie apart from the line too. They are sealed, and what is sealed is outside of the chain. So a frame can be stored and held
//! as a light line, in which `"apart":{"<commitment>":"<salt>"}` stands for them; they lie in a text of their own,
//! which is what `sealed` would be. A body that is apart is never taken for one that was erased.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use throughline_value::{Map, Value, json};

use crate::frame::{chain_line, content_of};
use crate::{Body, Error, Frame, Record};

/// Bodies of memories of fewer bytes than this stay in their frame's line.
pub const APART_BYTES: usize = 4 << 10;

/// About how many bytes what is said in a record takes in memory beside the bytes of the line.
const RECORD_WEIGHT: usize = 1 << 10;

/// Where it is noted that a body was looked for and is not here.
#[derive(Clone, Default)]
pub struct Wanted {
    frame: u64,
    by: Option<Rc<RefCell<BTreeSet<u64>>>>,
}

impl Wanted {
    pub(crate) fn note(&self) {
        if let Some(by) = &self.by {
            by.borrow_mut().insert(self.frame);
        }
    }
}

/// Who is told is no part of what a record says.
impl PartialEq for Wanted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Wanted {}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wanted")
    }
}

fn may_go(record: &Record) -> bool {
    record.kind.starts_with("memory.")
}

/// What stands for a body in `sealed`.
pub(crate) fn pair_of(body: &Body) -> Option<(&str, Value)> {
    match body {
        Body::Sealed { commitment, content: Some((salt, content)) } => {
            Some((commitment, Value::List(vec![Value::from(salt.as_str()), content.clone()])))
        }
        Body::Rest { commitment, salt, content } => {
            let left = vec![Value::from(salt.as_str()), content.clone(), Value::from(crate::frame::REST)];
            Some((commitment, Value::List(left)))
        }
        Body::Open(_) | Body::Sealed { content: None, .. } | Body::Cold { .. } => None,
    }
}

impl Frame {
    /// Whether something of it is not here.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.is_outline() || self.records.iter().any(|record| matches!(record.body, Body::Cold { .. }))
    }

    /// Whether nothing of it is here but the outlines of its records.
    #[must_use]
    pub fn is_outline(&self) -> bool {
        self.line.is_empty()
    }

    /// About how many bytes the frame takes beyond its outline, or took when that was not all of it.
    #[must_use]
    pub fn weight(&self) -> usize {
        if self.is_outline() { self.away } else { self.line.len() + self.records.len() * RECORD_WEIGHT }
    }

    /// Where `frame` stands in a line as it is written here.
    fn span(&self) -> Option<Range<usize>> {
        let start = chain_line(&self.chain).len();
        let text = self.line.get(start..).filter(|_| self.line.starts_with(&chain_line(&self.chain)))?;
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'{' if !quoted => depth += 1,
                b'}' if !quoted => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(start..start + at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// What is sealed, as it stands in the line.
    fn sealed_text(&self, span: &Range<usize>) -> Option<&str> {
        self.line.get(span.end..)?.strip_prefix(",\"sealed\":")?.strip_suffix('}')
    }

    /// The light frame, and the text of the bodies that are apart then. `None` where that would save nothing, or the
    /// line is not as it would be written again.
    #[must_use]
    pub fn apart(&self) -> Option<(Self, String)> {
        let span = self.span()?;
        let text = self.sealed_text(&span).filter(|text| text.len() >= APART_BYTES)?;
        let sealed = || self.records.iter().filter(|record| pair_is(&record.body));
        if !sealed().any(may_go) {
            return None;
        }
        let bodies = if sealed().all(may_go) {
            text.to_owned()
        } else {
            let pairs = self.records.iter().filter(|record| may_go(record)).filter_map(|r| pair_of(&r.body));
            let sorted: std::collections::BTreeMap<_, _> = pairs.map(|(c, pair)| (c.to_owned(), pair)).collect();
            Value::Map(sorted.into_iter().collect::<Map>()).to_json()
        };
        if bodies.len() < APART_BYTES {
            return None;
        }
        let mut light = Self {
            number: self.number,
            first: self.first,
            wall: self.wall,
            commands: self.commands.clone(),
            records: self.records.iter().map(Record::outline).collect(),
            previous: self.previous.clone(),
            chain: self.chain.clone(),
            line: String::new(),
            away: 0,
        };
        light.line = light.line_of(self.line.get(span)?);
        Some((light, bodies))
    }

    /// Whether the line is as it is written here, so that it comes back the same from its parts.
    pub fn is_plain(&self) -> bool {
        self.span().and_then(|span| self.line.get(span)).is_some_and(|frame| self.line_of(frame) == self.line)
    }

    /// Lets go of all but an outline; gives the weight of what that was. What erases must always be here: it says
    /// what the bodies of others may be.
    pub(crate) fn cool(&mut self, by: &Rc<RefCell<BTreeSet<u64>>>) -> usize {
        if self.is_outline() || self.records.iter().any(|record| record.kind == crate::journal::PURGED) {
            return 0;
        }
        let weight = self.weight();
        self.away = weight;
        self.line = String::new();
        self.commands = Vec::new();
        self.records.shrink_to_fit();
        for record in self.records.iter_mut().filter(|record| !record.is_erased()) {
            record.body = Body::Cold { commitment: String::new(), salt: None, wanted: Wanted::default() };
        }
        self.tell(by);
        weight
    }

    /// Notes that something was looked for that an outline has not.
    pub(crate) fn want(&self, by: &Rc<RefCell<BTreeSet<u64>>>) {
        if self.is_outline() {
            by.borrow_mut().insert(self.number);
        }
    }

    pub(crate) fn tell(&mut self, by: &Rc<RefCell<BTreeSet<u64>>>) {
        let frame = self.number;
        for record in &mut self.records {
            if let Body::Cold { wanted, .. } = &mut record.body {
                *wanted = Wanted { frame, by: Some(Rc::clone(by)) };
            }
        }
    }

    /// Takes bodies that were apart.
    ///
    /// # Errors
    /// `commitment-broken` when one is not what the frame says, `body-missing` when one is not there; then nothing
    /// is changed.
    pub fn warm(&mut self, bodies: &str) -> Result<(), Error> {
        let broken = |what: String| Error::new("commitment-broken", what);
        let mut sealed = json::read_value(bodies).map_err(|e| broken(format!("bodies cannot be read: {e}")))?;
        let mut found = Vec::new();
        for record in &self.records {
            let Body::Cold { commitment, .. } = &record.body else {
                found.push(None);
                continue;
            };
            let pair = if let Value::Map(map) = &mut sealed { map.shift_remove(commitment) } else { None };
            let pair = pair.ok_or_else(|| missing(record.seq))?;
            found.push(Some(content_of(commitment, record.seq, pair)?));
        }
        if let Value::Map(map) = &sealed
            && let Some(name) = map.keys().next()
        {
            return Err(broken(format!("the body {name} belongs to no record of its frame")));
        }
        let span = self.span();
        for (record, body) in self.records.iter_mut().zip(found) {
            if let Some(body) = body {
                record.body = body;
            }
        }
        if let Some(frame) = span.and_then(|span| self.line.get(span)) {
            self.line = self.line_of(frame);
        }
        Ok(())
    }
}

fn pair_is(body: &Body) -> bool {
    matches!(body, Body::Sealed { content: Some(_), .. } | Body::Rest { .. })
}

/// A body that should be somewhere and is nowhere.
pub(crate) fn missing(seq: crate::Seq) -> Error {
    Error::new("body-missing", format!("the body of record {seq} is not there, and nothing says that it was erased"))
}

impl Record {
    /// The record with its sealed body apart, where that may be.
    fn outline(&self) -> Self {
        let body = match &self.body {
            Body::Sealed { commitment, content: Some((salt, _)) } if may_go(self) => {
                Body::Cold { commitment: commitment.clone(), salt: Some(salt.clone()), wanted: Wanted::default() }
            }
            Body::Rest { commitment, .. } if may_go(self) => {
                Body::Cold { commitment: commitment.clone(), salt: None, wanted: Wanted::default() }
            }
            body => body.clone(),
        };
        Self {
            seq: self.seq,
            recorded_at: self.recorded_at,
            valid_from: self.valid_from,
            thread: self.thread.clone(),
            turn: self.turn,
            actor: self.actor.clone(),
            cause: self.cause,
            reason: self.reason.clone(),
            origin: self.origin.clone(),
            kind: self.kind.clone(),
            body,
        }
    }
}
