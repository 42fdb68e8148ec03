//! A recorded run decided again, without any call, and the first place where it comes out otherwise.
//!
//! Everything that came from outside (commands, replies of models, results of tools, the clock) is given again as it
//! is recorded; everything else is decided anew. So it is the same unless the rules of the engine, or bytes of
//! the journal, are not what they were. What was decided from something that was erased since is taken as it is
//! recorded, and counted.

use throughline_agent::turn::parts::{Parts, REQUESTED};
use throughline_journal::{Journal, Record, Seq};
use throughline_protocol::Refusal;
use throughline_protocol::session::Fork;
use throughline_protocol::view::{Divergence, ReplayView};
use throughline_value::{Map, Value};

use crate::fork::again;
use crate::summary::line;

/// Decides the records up to `seq` again and compares each with what is recorded.
pub(crate) fn replay(journal: &Journal, seq: Seq) -> Result<ReplayView, Refusal> {
    let whole = Fork {
        at: Some(0),
        until: Some(seq),
        unrecorded: Some("stub".to_owned()),
        id: Some(journal.id().to_owned()),
        ..Fork::default()
    };
    let (again, not_decided_again) = again(journal, &whole)?;
    let mut view = ReplayView { same: true, not_decided_again, ..ReplayView::default() };
    let mut decided = again.records();
    // Which record carries a part is no decision, and an older journal has none.
    let (mut old, mut new) = (Parts::default(), Parts::default());
    for recorded in journal.records().take_while(|record| record.seq <= seq) {
        view.records += 1;
        match recorded.kind.as_str() {
            "exchange.finished" | "exchange.failed" => view.exchanges += 1,
            "step.finished" | "step.failed" if is_of_tool(journal, recorded) => view.results += 1,
            _ => {}
        }
        let found = decided.next();
        let (recorded_too, found_too) = (told(recorded, &mut old), found.map(|record| told(record, &mut new)));
        if let Some(divergence) = compare((recorded, recorded_too), found.zip(found_too)) {
            view.same = false;
            view.divergence = Some(divergence);
            return Ok(view);
        }
    }
    Ok(view)
}

/// Whether a step's end is what a tool gave: its begin is a record of its own then.
fn is_of_tool(journal: &Journal, record: &Record) -> bool {
    let begun = record.cause.and_then(|seq| journal.record(seq));
    begun.is_some_and(|begun| begun.kind == "step.started" && begun.data().at(&["input", "tool"]).is_some())
}

fn compare((recorded, expected): (&Record, Value), decided: Option<(&Record, Value)>) -> Option<Divergence> {
    let (decided, found) = decided.map_or((None, None), |(record, shown)| (Some(record), Some(shown)));
    // What was erased cannot be compared.
    if recorded.is_erased() || found.as_ref() == Some(&expected) {
        return None;
    }
    let (path, expected, found) = match &found {
        Some(found) => first_difference(&expected, found, String::new()).unwrap_or_default(),
        None => (String::new(), expected, Value::Null),
    };
    let one_line = |record: &Record| format!("{}: {}", record.kind, line(record));
    let told = decided.map_or_else(|| "nothing".to_owned(), one_line);
    let message = format!(
        "record {} of turn {} is `{}`, and deciding it again gives `{told}`; the first difference is at {}",
        recorded.seq,
        recorded.turn,
        one_line(recorded),
        if path.is_empty() { "its end" } else { &path }
    );
    Some(Divergence {
        seq: recorded.seq,
        turn: recorded.turn,
        recorded: one_line(recorded),
        decided: told,
        path,
        expected,
        found,
        message,
    })
}

/// What counts of a record; a request as it was sent.
fn told(record: &Record, parts: &mut Parts) -> Value {
    if record.kind == REQUESTED {
        parts.take(record.data());
        return shown(record, parts.whole(record.data()));
    }
    shown(record, record.data().clone())
}

/// What counts of a record. With what a command that was refused was given is no decision, and is written out in
/// full when it is given again.
fn shown(record: &Record, mut data: Value) -> Value {
    if let (Value::Map(map), "command.refused") = (&mut data, record.kind.as_str()) {
        map.shift_remove("meta");
    }
    Value::from([
        ("kind", Value::from(record.kind.as_str())),
        ("thread", record.thread.as_str().into()),
        ("turn", u64::from(record.turn).into()),
        ("cause", record.cause.into()),
        ("valid_from", record.valid_from.into()),
        ("recorded_at", record.recorded_at.into()),
        ("data", data),
    ])
}

/// The first place, in the order of the recorded value, at which two values differ.
fn first_difference(a: &Value, b: &Value, path: String) -> Option<(String, Value, Value)> {
    if a == b {
        return None;
    }
    let below = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    match (a, b) {
        (Value::Map(a), Value::Map(b)) => {
            let lacking = Value::Null;
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(name)));
            let get = |map: &Map, name: &str| map.get(name).unwrap_or(&lacking).clone();
            names.into_iter().find_map(|name| first_difference(&get(a, name), &get(b, name), below(name)))
        }
        (Value::List(a), Value::List(b)) => {
            let lacking = Value::Null;
            let get = |list: &[Value], i: usize| list.get(i).unwrap_or(&lacking).clone();
            (0..a.len().max(b.len())).find_map(|i| first_difference(&get(a, i), &get(b, i), below(&i.to_string())))
        }
        _ => Some((path, a.clone(), b.clone())),
    }
}
