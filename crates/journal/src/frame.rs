//! The records of one append, hashed and stored as one line of JSON.
//!
//! The line is `{"chain":"…","frame":{…}}`, with `,"sealed":{…}` before the last brace where there are
//! erasable bodies. The chain is SHA-256 over the chain before (as hexadecimal text) and the exact bytes of
//! `frame`; `sealed` is outside of it, so erasing a body does not break it.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use throughline_value::json::{self, NodeData};
use throughline_value::{Map, SortedMap, Value, from_node, hex, to_value};

use crate::cold;
use crate::{Actor, Body, Digest, Error, MAIN_THREAD, Millis, Origin, Record, Seq};

/// The format this code writes. Older ones are read; a newer one is refused with `newer-format`.
pub const FORMAT: u32 = 1;

/// The most bytes of one frame's line. A larger one is refused with `frame-too-large`.
pub const MAX_FRAME_BYTES: usize = 64 << 20;

/// The most records of one frame.
pub const MAX_FRAME_RECORDS: usize = 100_000;

/// Marks what is left of a sealed body.
pub(crate) const REST: &str = "rest";

/// The records of one append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its number, from 1 without gaps.
    pub number: u64,
    /// The number of its first record.
    pub first: Seq,
    /// What the wall clock said; it may have stepped back.
    pub wall: Millis,
    /// The commands that led to it, with what came with them; a fork decides them again.
    pub commands: Vec<Value>,
    /// Its records.
    pub records: Vec<Record>,
    /// The chain before it.
    pub previous: String,
    /// The chain after it.
    pub chain: String,
    /// The line, without a line feed.
    pub line: String,
    /// What was let go of.
    pub(crate) away: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameForm {
    v: u32,
    n: u64,
    first: Seq,
    prev: String,
    wall: Millis,
    at: Millis,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    commands: Vec<Value>,
    records: Vec<RecordForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordForm {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    turn: u32,
    actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<Seq>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<String>,
    // A separate `Option` would turn an explicit null into an absent field.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    data: Value,
}

/// The commands and the bodies of a frame: most of its bytes, and values as they are. They are taken out before
/// the rest is read as a structure, which costs several times more.
#[derive(Default)]
struct Bulk {
    commands: Vec<Value>,
    bodies: Vec<(usize, Value)>,
}

impl Bulk {
    fn take(frame: &mut json::Node) -> Self {
        let mut bulk = Self::default();
        let NodeData::Map(map) = &mut frame.data else { return bulk };
        for (key, node) in map {
            match (key.name.as_str(), &mut node.data) {
                ("commands", NodeData::List(list)) => {
                    bulk.commands = std::mem::take(list).into_iter().map(json::Node::into_value).collect();
                }
                ("records", NodeData::List(list)) => {
                    for (place, record) in list.iter_mut().enumerate() {
                        let NodeData::Map(record) = &mut record.data else { continue };
                        if let Some(at) = record.iter().position(|(key, _)| key.name == "data") {
                            bulk.bodies.push((place, record.swap_remove(at).1.into_value()));
                        }
                    }
                }
                _ => {}
            }
        }
        bulk
    }

    fn put(self, form: &mut FrameForm) {
        form.commands = self.commands;
        for (place, body) in self.bodies {
            if let Some(record) = form.records.get_mut(place) {
                record.data = body;
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// What stands in a frame for a sealed body.
#[must_use]
pub fn commitment(salt: &str, content: &Value) -> String {
    let mut digest = Digest::new("sealed");
    digest.text(salt);
    digest.value(content);
    digest.finish()
}

pub(crate) fn chain_after(previous: &str, frame: &str) -> String {
    let mut sha = Sha256::new();
    sha.update(previous.as_bytes());
    sha.update(frame.as_bytes());
    hex::encode(&sha.finalize())
}

/// How a line begins, up to `frame`.
pub(crate) fn chain_line(chain: &str) -> String {
    format!("{{\"chain\":\"{chain}\",\"frame\":")
}

impl Frame {
    /// Builds a frame and its line from records that are already numbered.
    pub(crate) fn build(number: u64, previous: &str, wall: Millis, commands: Vec<Value>, records: Vec<Record>) -> Self {
        let mut records = records;
        for record in &mut records {
            // A frame that is built anew, in a fork, commits to what is left.
            if let Body::Rest { salt, content, .. } = &record.body {
                let (salt, content) = (salt.clone(), content.clone());
                record.body = Body::Sealed { commitment: commitment(&salt, &content), content: Some((salt, content)) };
            }
        }
        let first = records.first().map_or(0, |r| r.seq);
        let at = records.first().map_or(wall, |r| r.recorded_at);
        let form = FrameForm {
            v: FORMAT,
            n: number,
            first,
            prev: previous.to_owned(),
            wall,
            at,
            commands: commands.clone(),
            records: records.iter().map(|r| RecordForm::of(r, at)).collect(),
        };
        // Writing a form of numbers, texts and values cannot fail.
        let frame = to_value(&form).map(|v| v.to_json()).unwrap_or_default();
        let chain = chain_after(previous, &frame);
        let mut this = Self {
            number,
            first,
            wall,
            commands,
            records,
            previous: previous.to_owned(),
            chain,
            line: String::new(),
            away: 0,
        };
        this.line = this.line_of(&frame);
        this
    }

    pub(crate) fn line_of(&self, frame: &str) -> String {
        let (mut sealed, mut apart) = (SortedMap::new(), SortedMap::new());
        for record in &self.records {
            if let Body::Cold { commitment, salt, .. } = &record.body {
                apart.insert(commitment.clone(), salt.as_deref().map_or(Value::Null, Value::from));
            } else if let Some((commitment, pair)) = cold::pair_of(&record.body) {
                sealed.insert(commitment.to_owned(), pair);
            }
        }
        let mut line = format!("{}{frame}", chain_line(&self.chain));
        for (name, map) in [("sealed", sealed), ("apart", apart)].into_iter().filter(|(_, map)| !map.is_empty()) {
            line.push_str(&format!(",\"{name}\":{}", Value::Map(map.into_iter().collect::<Map>()).to_json()));
        }
        line.push('}');
        line
    }

    /// Writes the line again after a body was erased; what is hashed stays as it is.
    pub(crate) fn rewrite(&mut self) {
        let Ok(root) = json::read(&self.line) else { return };
        if let Some(span) = root.get("frame").map(|node| node.span)
            && let Some(frame) = self.line.get(span.start..span.end).map(str::to_owned)
        {
            self.line = self.line_of(&frame);
        }
    }

    /// Reads one line and checks everything that can be checked without the frame before it.
    ///
    /// # Errors
    /// `frame-unreadable`, `newer-format`, `chain-broken`, `seq-broken`, `commitment-broken`,
    /// `frame-too-large`.
    pub fn read(line: &str) -> Result<Self, Error> {
        if line.len() > MAX_FRAME_BYTES {
            return Err(Error::new("frame-too-large", format!("a frame of over {MAX_FRAME_BYTES} bytes is not read")));
        }
        let mut root = json::read(line).map_err(|e| Error::json(&e))?;
        let unreadable = |what: &str| Error::new("frame-unreadable", what.to_owned());
        let chain = match root.get("chain").map(|n| &n.data) {
            Some(NodeData::Text(text)) => text.clone(),
            _ => return Err(unreadable("a frame has a text `chain`")),
        };
        let node = root.get("frame").ok_or_else(|| unreadable("a line of a journal has a `frame`"))?;
        if let NodeData::Map(map) = &root.data
            && let Some((key, _)) =
                map.iter().find(|(k, _)| !matches!(k.name.as_str(), "chain" | "frame" | "sealed" | "apart"))
        {
            return Err(unreadable(&format!("a line of a journal has no `{}`", key.name)).at(key.span.start, 0));
        }
        match node.get("v").map(|v| v.clone().into_value().as_i64()) {
            Some(Some(v)) if v > i64::from(FORMAT) => {
                let hint = format!("this frame has format {v}, newer than {FORMAT}; open it with a newer Throughline");
                return Err(Error::new("newer-format", hint));
            }
            _ => {}
        }
        let text = line.get(node.span.start..node.span.end).unwrap_or("");
        let mut bulk = Bulk::default();
        if let NodeData::Map(map) = &mut root.data
            && let Some((_, node)) = map.iter_mut().find(|(key, _)| key.name == "frame")
        {
            bulk = Bulk::take(node);
        }
        let node = root.get("frame").ok_or_else(|| unreadable("a line of a journal has a `frame`"))?;
        let mut form: FrameForm = from_node(node).map_err(|e| Error::json(&e))?;
        bulk.put(&mut form);
        if chain_after(&form.prev, text) != chain {
            return Err(Error::new("chain-broken", "the bytes of this frame do not give its chain: it was changed"));
        }
        if form.records.is_empty() || form.records.len() > MAX_FRAME_RECORDS {
            return Err(Error::new("frame-unreadable", format!("a frame holds 1 to {MAX_FRAME_RECORDS} records")));
        }
        let mut sealed = root.get("sealed").cloned().map(json::Node::into_value).unwrap_or_default();
        let mut apart = root.get("apart").cloned().map(json::Node::into_value).unwrap_or_default();
        let mut records = Vec::with_capacity(form.records.len());
        for (seq, record) in (form.first..).zip(form.records) {
            records.push(record.into_record(seq, form.at, &mut sealed, &mut apart)?);
        }
        if let Some(name) = [&sealed, &apart].iter().find_map(|v| v.as_map()?.keys().next()) {
            return Err(Error::new(
                "commitment-broken",
                format!("the sealed body {name} belongs to no record of its frame"),
            ));
        }
        Ok(Self {
            number: form.n,
            first: form.first,
            wall: form.wall,
            commands: form.commands,
            records,
            previous: form.prev,
            chain,
            line: line.to_owned(),
            away: 0,
        })
    }

    /// The number of its last record.
    #[must_use]
    pub fn last(&self) -> Seq {
        self.records.last().map_or(self.first, |r| r.seq)
    }

    /// When its records were recorded.
    #[must_use]
    pub fn recorded_at(&self) -> Millis {
        self.records.first().map_or(self.wall, |r| r.recorded_at)
    }
}

impl RecordForm {
    fn of(record: &Record, at: Millis) -> Self {
        let (sealed, data) = match &record.body {
            Body::Open(value) => (None, value.clone()),
            Body::Sealed { commitment, .. } | Body::Rest { commitment, .. } | Body::Cold { commitment, .. } => {
                (Some(commitment.clone()), Value::Null)
            }
        };
        Self {
            kind: record.kind.clone(),
            from: (record.valid_from != at).then_some(record.valid_from),
            thread: (record.thread != MAIN_THREAD).then(|| record.thread.clone()),
            turn: record.turn,
            actor: record.actor.clone(),
            cause: record.cause,
            reason: record.reason.clone(),
            origin: record.origin.clone(),
            sealed,
            data,
        }
    }

    fn into_record(self, seq: Seq, at: Millis, sealed: &mut Value, apart: &mut Value) -> Result<Record, Error> {
        if self.cause.is_some_and(|cause| cause >= seq) {
            return Err(Error::new("seq-broken", format!("record {seq} names a cause that is not before it")));
        }
        let take = |from: &mut Value, name: &str| match from {
            Value::Map(map) => map.shift_remove(name),
            _ => None,
        };
        let body = match self.sealed.clone() {
            None => Body::Open(self.data.clone()),
            Some(expected) => match (take(sealed, &expected), take(apart, &expected)) {
                (Some(pair), _) => content_of(&expected, seq, pair)?,
                (None, Some(salt)) => {
                    let salt = salt.as_str().map(str::to_owned);
                    Body::Cold { commitment: expected, salt, wanted: crate::Wanted::default() }
                }
                (None, None) => Body::Sealed { commitment: expected, content: None },
            },
        };
        Ok(self.with_body(seq, at, body))
    }

    fn with_body(self, seq: Seq, at: Millis, body: Body) -> Record {
        Record {
            seq,
            recorded_at: at,
            valid_from: self.from.unwrap_or(at),
            thread: self.thread.unwrap_or_else(|| MAIN_THREAD.to_owned()),
            turn: self.turn,
            actor: self.actor,
            cause: self.cause,
            reason: self.reason,
            origin: self.origin,
            kind: self.kind,
            body,
        }
    }
}

/// A sealed body from what stands for it, when it is the one of this commitment.
pub(crate) fn content_of(expected: &str, seq: Seq, pair: Value) -> Result<Body, Error> {
    let broken = |what: String| Error::new("commitment-broken", what);
    let expected = expected.to_owned();
    let Value::List(list) = pair else {
        return Err(broken(format!("the sealed body of record {seq} is not a pair")));
    };
    if list.len() == 3 {
        let Ok([Value::Text(salt), content, Value::Text(mark)]) = <[Value; 3]>::try_from(list) else {
            return Err(broken(format!("what is left of the body of record {seq} is not one")));
        };
        if mark != REST {
            return Err(broken(format!("the sealed body of record {seq} has the mark {mark:?}")));
        }
        // The record that erased it says what it must be; the journal compares the two.
        return Ok(Body::Rest { commitment: expected, salt, content });
    }
    match <[Value; 2]>::try_from(list) {
        Ok([Value::Text(salt), content]) if commitment(&salt, &content) == expected => {
            Ok(Body::Sealed { commitment: expected, content: Some((salt, content)) })
        }
        _ => Err(broken(format!("the sealed body of record {seq} does not fit its commitment"))),
    }
}
