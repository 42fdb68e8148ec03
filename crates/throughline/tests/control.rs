//! The control: nothing that the demo shows is written in the code. One byte of its data changed, and the
//! run's answer changes or ends in a clear refusal.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use std::path::Path;

use throughline::Local;
use throughline::value::{Value, json};

struct Files {
    domain: String,
    scans: String,
    record: String,
    history: String,
    cassette: String,
}

fn files() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/demos/courier");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    Files {
        domain: read("domain.json"),
        scans: read("documents/carrier_scans.json"),
        record: read("documents/customer_record.json"),
        history: read("documents/line_history.txt"),
        cassette: read("cassette.jsonl"),
    }
}

/// The answer's text, or what refused.
fn run(files: &Files) -> String {
    let mut session = Local::new("control", 1_772_675_400_000);
    if let Err(refusal) = session.load_cassette(&files.cassette) {
        return format!("refused: {}", refusal.code);
    }
    let domain = match json::read_value(&files.domain) {
        Ok(domain) => domain,
        Err(error) => return format!("refused: {}", error.code()),
    };
    let load = Value::from([("type", Value::from("load_domain")), ("domain", domain)]);
    if let Err(refusal) = session.execute(&load.to_json()) {
        return format!("refused: {}", refusal.code);
    }
    for (name, kind, text) in [
        ("customer_record", "application/json", &files.record),
        ("carrier_scans", "application/json", &files.scans),
        ("line_history", "text/plain", &files.history),
    ] {
        let add = Value::from([
            ("type", Value::from("add_document")),
            ("name", name.into()),
            ("media_type", kind.into()),
            ("text", text.as_str().into()),
        ]);
        session.execute(&add.to_json()).unwrap();
    }
    let ask = r#"{"type":"begin_turn","text":"Where is parcel SF123456789, and will it be late?","language":"en"}"#;
    if let Err(refusal) = session.execute(ask) {
        return format!("refused: {}", refusal.code);
    }
    let turns = session.query(r#"{"type":"turns"}"#).unwrap();
    let text = turns.at(&["0", "answer", "text"]).and_then(Value::as_str).unwrap_or("no answer");
    let status = turns.at(&["0", "status"]).and_then(Value::as_str).unwrap_or("no status");
    format!("{status}: {text}")
}

/// Changes one byte: the last of the first `from` becomes `to`.
fn edit(text: &mut String, from: &str, to: char) {
    let at = text.find(from).unwrap_or_else(|| panic!("{from:?} is not there")) + from.len() - 1;
    text.replace_range(at..=at, &to.to_string());
}

#[track_caller]
fn check(change: impl Fn(&mut Files), expected: &str) {
    let original = run(&files());
    let mut changed = files();
    change(&mut changed);
    let answer = run(&changed);
    assert_ne!(answer, original);
    assert!(answer.contains(expected), "{answer}");
}

#[test]
fn the_unchanged_demo_answers() {
    let answer = run(&files());
    assert!(answer.starts_with("answered: ") && answer.contains("Wuhan Hub[1]") && answer.contains("11.8"), "{answer}");
}

#[test]
fn one_byte_of_a_document_changes_the_answer() {
    check(|f| f.scans = f.scans.replace("Wuhan Hub\", \"event\": \"s", "Wuhan Hut\", \"event\": \"s"), "Wuhan Hut");
    check(|f| edit(&mut f.history, "Mean transit 8", '9'), "93.5");
    check(|f| edit(&mut f.history, "Mean transit 83.5 h", 'x'), "answer");
    check(|f| edit(&mut f.record, "2026-03-05", '8'), "answer");
    check(|f| edit(&mut f.scans, "{", '['), "answer");
}

#[test]
fn one_byte_of_a_recorded_reply_changes_the_answer_or_is_refused() {
    check(|f| edit(&mut f.cassette, "\\\"hours\\\": 24", '5'), "next 25[8] hours");
    check(|f| edit(&mut f.cassette, "{", '['), "refused: ");
    // A reply that cannot be used is replaced by the domain's rules, and the answer says so.
    check(|f| edit(&mut f.cassette, "\"contains\": [\"SF123456789", '8'), "Worked out without the model: interpret");
    check(|f| edit(&mut f.cassette, "\\\"intent", 'x'), "Worked out without the model: interpret");
    check(|f| edit(&mut f.cassette, "$picked_up  = EXTRACT", 'X'), "Worked out without the model: gather");
}

#[test]
fn one_byte_of_the_domain_changes_the_answer_or_is_refused() {
    check(|f| edit(&mut f.domain, "Your parcel was last scanned a", 'e'), "scanned et");
    // The watch that model and rules propose is too long now: a person is asked.
    check(|f| edit(&mut f.domain, "\"rule\": \"proposal.hours <= 4", '1'), "waiting: ");
    check(|f| edit(&mut f.domain, "\"initial\": \"idle", 'x'), "refused: ");
    check(|f| edit(&mut f.domain, "{", '['), "refused: ");
}
