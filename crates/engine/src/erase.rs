//! Erasing what was purged: from the journal in memory, and through the rim from its store.
//!
//! What is left of a body, and its salt, follow from the body itself and the record that purges. So every engine
//! that folds the record erases the same, and a crash between the record and the erasing is made good at the
//! next opening.

use throughline_journal::{Body, Digest, Journal, Record, Seq, commitment};
use throughline_memory::{Memory, kind};
use throughline_protocol::command::RetractFact;
use throughline_protocol::{At, Context, Decision, Refusal};
use throughline_value::{InOrder as _, Map, Value};

pub(crate) use commands::{is_sealed, with_words, without_words};
use quotes::Quotes;
pub(crate) use quotes::{PlaceName, may_quote};

/// The salt of what a purge leaves; nothing of it leads back to the salt before.
fn salt_after(salt: &str, seq: Seq) -> String {
    let mut digest = Digest::new("rest");
    digest.text(salt);
    digest.number(seq.cast_signed());
    digest.finish()
}

pub(crate) fn ids(data: &Value) -> Vec<&str> {
    data.get("memories").and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

/// The records of which a purge erases something, with the commitments of what is left.
pub(crate) fn rests(purge: &Record) -> impl Iterator<Item = (Seq, &str)> {
    let map = purge.data().get("rest").and_then(Value::as_map).filter(|_| purge.kind == kind::PURGED);
    map.into_iter().flatten().filter_map(|(seq, is)| Some((seq.parse().ok()?, is.as_str()?)))
}

/// Adds to a purge, which is to be record `seq`, what it will leave of each record. `before` are the records of
/// the same frame.
pub(crate) fn complete(
    journal: &Journal,
    before: &[Record],
    memory: &Memory,
    seq: Seq,
    data: &mut Value,
) -> Result<(), Refusal> {
    let mut rest = Map::new();
    for of in memory.records_of(&ids(data)) {
        let Some(record) = journal.record(of) else {
            let message = format!("record {of} is not stored yet; purge in a command of its own, after it");
            return Err(Refusal::new("not-stored-yet", message).at_path("/memories"));
        };
        let Some((salt, content)) = record.body.sealed() else {
            let message =
                format!("record {of} was written before memories could be erased; its body is part of the chain");
            return Err(Refusal::new("not-erasable", message).at_path("/memories"));
        };
        let (mut salt, mut content) = (salt.to_owned(), content.clone());
        for purge in before.iter().filter(|purge| rests(purge).any(|(seq, _)| seq == of)) {
            (salt, content) = left(&salt, &record.kind, &content, purge.seq, purge.data());
        }
        let (salt, content) = left(&salt, &record.kind, &content, seq, data);
        rest.insert(of.to_string(), commitment(&salt, &content).into());
    }
    if let Value::Map(map) = data {
        map.insert("rest".to_owned(), Value::Map(rest));
    }
    Ok(())
}

fn left(salt: &str, of: &str, content: &Value, seq: Seq, purge: &Value) -> (String, Value) {
    (salt_after(salt, seq), Memory::rest_of(of, content, &ids(purge)))
}

/// Erases whatever the purges after record `after` say and is still there. Gives the frames to be stored again.
pub(crate) fn catch_up(journal: &mut Journal, after: Seq) -> Vec<u64> {
    let mut work: Vec<(Seq, Seq)> = Vec::new();
    for purge in journal.records_from(after + 1).filter(|record| record.kind == kind::PURGED) {
        work.extend(rests(purge).map(|(of, _)| (of, purge.seq)));
    }
    work.order();
    let (mut frames, mut beyond) = (Vec::new(), false);
    for same in work.chunk_by(|a, b| a.0 == b.0) {
        let Some(((of, _), record)) = same.first().and_then(|one| Some((*one, journal.record(one.0)?))) else {
            continue;
        };
        let Some((salt, content)) = record.body.sealed() else { continue };
        let said = |purge: Seq| {
            let record = journal.record(purge)?;
            rests(record).find(|(seq, _)| *seq == of).map(|(_, is)| is.to_owned())
        };
        // A body of which something is left already says itself which purges it has seen.
        let own = match &record.body {
            Body::Rest { .. } => Some(commitment(salt, content)),
            _ => None,
        };
        let seen = own.and_then(|own| same.iter().position(|(_, purge)| said(*purge).as_ref() == Some(&own)));
        let open = same.get(seen.map_or(0, |place| place + 1)..).unwrap_or_default();
        if open.is_empty() {
            continue;
        }
        let (mut salt, mut content) = (salt.to_owned(), content.clone());
        for (_, purge) in open {
            if let Some(record_of) = journal.record(*purge) {
                (salt, content) = left(&salt, &record.kind, &content, *purge, record_of.data());
            }
        }
        // In a fork the body was cut already before it was sealed anew.
        if content != *record.data() {
            frames.extend(journal.erase(of, &salt, content));
        }
    }
    frames.order();
    frames.dedup();
    frames
}

/// A command as its frame keeps it: what memories say lies in their sealed records only.
pub(crate) fn without_words(command: &Value, result: &Value) -> Value {
    let Value::Map(map) = command else { return command.clone() };
    match map.get("type").and_then(Value::as_str) {
        Some(name @ ("remember" | "remember_columns" | "amend")) => {
            let unchanged = result.get("unchanged").and_then(Value::as_bool) == Some(true);
            Value::from([("type", Value::from(name)), ("sealed", Value::from(!unchanged))])
        }
        Some("batch") => {
            let results = result.as_list().unwrap_or_default();
            let commands = map.get("commands").and_then(Value::as_list).unwrap_or_default().iter().enumerate();
            let kept: Vec<Value> =
                commands.map(|(i, c)| without_words(c, results.get(i).unwrap_or(&Value::Null))).collect();
            Value::from([("type", Value::from("batch")), ("commands", Value::List(kept))])
        }
        _ => command.clone(),
    }
}

/// Whether something of a kept command lies in sealed records.
pub(crate) fn is_sealed(command: &Value) -> bool {
    command.get("sealed").is_some()
        || command.get("commands").and_then(Value::as_list).unwrap_or_default().iter().any(is_sealed)
}

/// A kept command with its words again, from the records it made; `None` when nothing is left of it.
pub(crate) fn with_words(command: &Value, records: &[&Record]) -> Option<Value> {
    let mut memories =
        records.iter().filter(|r| matches!(r.kind.as_str(), kind::REMEMBERED | kind::COLUMNS | kind::AMENDED));
    restored(command, &mut memories.by_ref().copied())
}

fn restored(command: &Value, records: &mut dyn Iterator<Item = &Record>) -> Option<Value> {
    let Value::Map(map) = command else { return Some(command.clone()) };
    if let Some(commands) = map.get("commands").and_then(Value::as_list) {
        let kept: Vec<Value> = commands.iter().filter_map(|c| restored(c, records)).collect();
        return Some(Value::from([("type", Value::from("batch")), ("commands", Value::List(kept))]));
    }
    let Some(sealed) = map.get("sealed") else { return Some(command.clone()) };
    if sealed.as_bool() != Some(true) {
        return None;
    }
    let data = records.next()?.data();
    let dropped =
        |name: &str| matches!(name, "id" | "purged" | "first" | "rows" | "zone_assumed") || name.ends_with("_text");
    let fields = |data: &Value| -> Map {
        let all = data.as_map().into_iter().flatten();
        all.filter(|(name, _)| !dropped(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let mut out = Map::new();
    let name = map.get("type").and_then(Value::as_str).unwrap_or("");
    out.insert("type".to_owned(), name.into());
    if name == "remember" {
        let items = data.get("items").and_then(Value::as_list).unwrap_or_default().iter();
        // What was purged keeps its place, so that later commands mean the same events; the purge follows.
        let one = |item: &Value| match item.get("purged") {
            None => Value::Map(fields(item)),
            Some(_) => Value::from([("kind", Value::from("purged"))]),
        };
        let kept: Vec<Value> = items.map(one).collect();
        out.insert("items".to_owned(), Value::List(kept));
    } else {
        if data.is_null() || data.get("purged").is_some() {
            return None;
        }
        // Rows that are gone cannot be remembered again; the others keep their places.
        out.extend(fields(data).into_iter().filter(|(name, _)| name != "gone"));
    }
    Some(Value::Map(out))
}
