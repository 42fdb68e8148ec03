//! A record in one line, and as a row.

use throughline_journal::Record;
use throughline_protocol::lane;
use throughline_protocol::view::RecordRow;
use throughline_value::Value;

/// The longest line, in characters.
const MAX_SUMMARY: usize = 160;

pub(crate) fn row(record: &Record) -> RecordRow {
    RecordRow {
        seq: record.seq,
        recorded_at: record.recorded_at,
        valid_from: record.valid_from,
        thread: record.thread.clone(),
        turn: record.turn,
        actor: Some(record.actor.clone()),
        cause: record.cause,
        reason: record.reason.clone(),
        origin: record.origin.clone(),
        kind: record.kind.clone(),
        lane: lane::of(&record.kind).to_owned(),
        summary: line(record),
        data: shown(record),
        erased: record.is_erased(),
    }
}

/// What a record holds, for people: of many events as columns only how many, of which kinds.
fn shown(record: &Record) -> Value {
    let data = record.data();
    match (record.kind.as_str(), data) {
        ("memory.columns", Value::Map(map)) => {
            let kept =
                ["first", "rows", "kinds"].iter().filter_map(|name| Some(((*name).to_owned(), map.get(name)?.clone())));
            Value::Map(kept.collect())
        }
        _ => data.clone(),
    }
}

/// The record in one line: what it is about, from its own data; no sentence, so no language.
pub(crate) fn line(record: &Record) -> String {
    let data = record.data();
    let text = |name: &str| data.get(name).map(plain).filter(|text| !text.is_empty());
    let pair = |a: &str, b: &str| match (text(a), text(b)) {
        (Some(a), Some(b)) => Some(format!("{a} = {b}")),
        (a, b) => a.or(b),
    };
    let line = match record.kind.as_str() {
        "fact.asserted" | "fact.retracted" => pair("key", "value"),
        "machine.transitioned" | "machine.refused" => {
            let to = text("to").map(|to| format!(" → {to}")).unwrap_or_default();
            Some(format!("{}{to}", text("event").unwrap_or_default()))
        }
        "turn.started" | "turn.answered" => text("text"),
        "turn.stage_started" => text("stage"),
        "turn.stage_finished" => pair("stage", "verdict"),
        "exchange.requested" => text("purpose"),
        "exchange.finished" => text("text").or_else(|| text("ending")),
        "exchange.failed" => pair("code", "message"),
        "command.refused" | "proposal.refused" => pair("code", "message"),
        "relation.added" => {
            Some(["from", "relation", "to"].iter().filter_map(|name| text(name)).collect::<Vec<_>>().join(" "))
        }
        "memory.remembered" => {
            let items = data.get("items").and_then(Value::as_list).unwrap_or(&[]);
            let text = |item: &Value| item.get("text").or_else(|| item.get("kind")).map(plain);
            let first = items.first().and_then(text).unwrap_or_default();
            Some(if items.len() > 1 { format!("{first} (+{})", items.len() - 1) } else { first })
        }
        "memory.columns" => text("rows").map(|rows| many_line(&text("kinds").unwrap_or_default(), &rows)),
        "memory.forgotten" | "memory.recovered" | "memory.touched" | "memory.purged" => {
            let ids = data.get("memories").and_then(Value::as_list).unwrap_or(&[]);
            let first = ids.first().map(plain).unwrap_or_default();
            Some(if ids.len() > 1 { format!("{first} (+{})", ids.len() - 1) } else { first })
        }
        "step.finished" => pair("step", "output"),
        "step.failed" | "step.blocked" | "step.skipped" => pair("step", "error"),
        _ => None,
    };
    let names = ["name", "raw_id", "entity", "step", "event", "run", "message", "text", "id"];
    let line = line.or_else(|| names.iter().find_map(|name| text(name))).unwrap_or_default();
    shorten(&line)
}

/// Many events in one line.
pub(crate) fn many_line(kinds: &str, rows: &str) -> String {
    format!("{kinds} (+{rows})")
}

/// A value as a reader wants it in a line.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Null => String::new(),
        Value::List(list) if list.iter().all(|item| matches!(item, Value::Text(_))) => {
            list.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        other => other.to_json(),
    }
}

pub(crate) fn shorten(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= MAX_SUMMARY {
        return one_line;
    }
    let mut short: String = one_line.chars().take(MAX_SUMMARY - 1).collect();
    short.push('…');
    short
}
