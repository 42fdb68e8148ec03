//! Commands without the words of memories, and with them again.

use throughline_journal::{Record, Seq};
use throughline_memory::kind;
use throughline_value::{Map, Value};

/// A command as its frame keeps it: what memories say lies in their sealed records only, and so does the value of a
/// fact that may rest on one: `sealed` gives its record.
pub(crate) fn without_words(command: &Value, result: &Value, sealed: &dyn Fn(&Value) -> Option<Seq>) -> Value {
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
                commands.map(|(i, c)| without_words(c, results.get(i).unwrap_or(&Value::Null), sealed)).collect();
            Value::from([("type", Value::from("batch")), ("commands", Value::List(kept))])
        }
        Some("assert_fact") => match sealed(command) {
            None => command.clone(),
            Some(seq) => {
                let mut kept = map.clone();
                kept.shift_remove("value");
                kept.insert("sealed".to_owned(), seq.into());
                Value::Map(kept)
            }
        },
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
    restored(command, records, &mut memories.by_ref().copied())
}

fn restored(command: &Value, all: &[&Record], records: &mut dyn Iterator<Item = &Record>) -> Option<Value> {
    let Value::Map(map) = command else { return Some(command.clone()) };
    if let Some(commands) = map.get("commands").and_then(Value::as_list) {
        let kept: Vec<Value> = commands.iter().filter_map(|c| restored(c, all, records)).collect();
        return Some(Value::from([("type", Value::from("batch")), ("commands", Value::List(kept))]));
    }
    let Some(sealed) = map.get("sealed") else { return Some(command.clone()) };
    if let Some(seq) = sealed.as_i64() {
        let record = all.iter().find(|record| record.seq == seq.cast_unsigned())?;
        let mut whole = map.clone();
        whole.shift_remove("sealed");
        whole.insert("value".to_owned(), record.data().get("value")?.clone());
        return Some(Value::Map(whole));
    }
    if sealed.as_bool() != Some(true) {
        return None;
    }
    let record = records.next()?;
    let name = map.get("type").and_then(Value::as_str).unwrap_or("");
    of_record(name, record)
}

/// The command of this type that made a record.
fn of_record(name: &str, record: &Record) -> Option<Value> {
    let data = record.data();
    let dropped =
        |name: &str| matches!(name, "id" | "purged" | "first" | "rows" | "zone_assumed") || name.ends_with("_text");
    let fields = |data: &Value| -> Map {
        let all = data.as_map().into_iter().flatten();
        // A time is said again as it was said, so that the zone is taken for it again.
        let said = |name: &str, value: &Value| data.get(&format!("{name}_text")).unwrap_or(value).clone();
        all.filter(|(name, _)| !dropped(name)).map(|(name, value)| (name.clone(), said(name, value))).collect()
    };
    let mut out = Map::new();
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
