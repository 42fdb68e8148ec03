//! Eighty turns: what the ledger says is what is said, the prompt does not grow, and the run can be decided again.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use throughline::{Local, scenario};
use throughline_journal::Journal;
use throughline_value::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios")
}

/// The journal that a scenario leaves.
fn journal(scenario: &str) -> Journal {
    let text = std::fs::read_to_string(folder().join(scenario)).unwrap();
    let report = scenario::run(&text, &folder()).unwrap();
    assert_eq!(report.failed, Vec::<String>::new());
    throughline_journal::import(&report.export).unwrap()
}

fn ask(session: &Local, query: &str) -> Value {
    session.query(query).unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_list).unwrap()
}

fn number(value: &Value, path: &[&str]) -> i64 {
    value.at(path).and_then(Value::as_i64).unwrap()
}

/// The figures of a text, without the marks of footnotes.
fn figures(text: &str) -> Vec<i64> {
    let mut plain = String::new();
    let mut inside = false;
    for c in text.chars().filter(|c| *c != ',') {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    plain.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

fn check(scenario: &str) {
    let journal = journal(scenario);
    let session = Local::open(journal, 1_772_675_400_000);
    let metrics = ask(&session, r#"{"type":"metrics"}"#);
    let rows = list(&metrics, "rows");
    assert_eq!(rows.len(), 80);
    let tokens = |turn: usize| number(&rows[turn - 1], &["tokens", "prompt"]);
    // Turn 8 and turn 80 are of one kind.
    let (early, late) = (tokens(8), tokens(80));
    assert!((late - early).abs() * 10 <= early, "tokens at turn 8 are {early}, at turn 80 {late}");
    let largest =
        |range: std::ops::Range<usize>| rows[range].iter().map(|row| number(row, &["largest_prompt"])).max().unwrap();
    assert!(largest(68..80) * 10 <= largest(8..20) * 11, "{} then {}", largest(8..20), largest(68..80));
    // Each answer is compared with the ledger as it stood then, apart from the code that judged it.
    let cars = ask(&session, r#"{"type":"entities","entity_type":"car"}"#);
    for turn in ask(&session, r#"{"type":"turns"}"#).as_list().unwrap() {
        let seq = number(turn, &["last_seq"]);
        let said = turn.at(&["answer", "text"]).and_then(Value::as_str).unwrap();
        let facts = ask(&session, &format!(r#"{{"type":"facts","at":{{"seq":{seq}}}}}"#));
        let known: Vec<i64> = list(&facts, "facts").iter().filter_map(|fact| fact.get("value")?.as_i64()).collect();
        for figure in figures(said) {
            assert!(known.contains(&figure), "turn {seq} says {figure}, the ledger {known:?}: {said}");
        }
        for car in cars.as_list().unwrap() {
            let names = std::iter::once(car.get("raw_id").unwrap()).chain(list(car, "aliases"));
            let named = names.filter_map(Value::as_str).any(|name| said.contains(name));
            let fits = number(car, &["fields", "price"]) <= 20_000
                && car.at(&["fields", "hybrid"]).and_then(Value::as_bool) == Some(false);
            assert!(!named || fits, "{said}");
        }
    }
    let replayed = ask(&session, r#"{"type":"replay"}"#);
    assert_eq!(replayed.get("divergence"), Some(&Value::Null), "{}", replayed.to_json());
    assert_eq!((number(&replayed, &["calls"]), number(&replayed, &["exchanges"])), (0, 301));
}

#[test]
fn in_eighty_turns_no_reply_contradicts_the_ledger_and_the_prompt_does_not_grow() {
    check("eighty-turns-keep-what-turn-three-said.json");
}

#[test]
fn nor_in_chinese() {
    check("eighty-turns-in-chinese-keep-what-turn-three-said.json");
}

#[test]
fn a_journal_in_which_a_decision_was_changed_is_left_at_exactly_that_record() {
    let recorded = journal("the-credit-demo-asks-a-person-and-invents-nobody.json");
    let mut changed = Journal::new(recorded.id());
    let mut at = None;
    for frame in recorded.frames() {
        let mut records = frame.records.clone();
        for record in &mut records {
            let granted = record.data().get("key").and_then(Value::as_str) == Some("granted");
            if record.kind == "fact.asserted" && granted {
                let text = record.data().to_json().replace("42000", "52000");
                record.body = throughline_journal::Body::Open(json::read_value(&text).unwrap());
                at = Some(record.seq);
            }
        }
        let copy = changed.frame(frame.wall, frame.commands.clone(), records);
        changed.commit(copy).unwrap();
    }
    let session = Local::open(changed, 1_775_178_000_000);
    let replayed = ask(&session, r#"{"type":"replay"}"#);
    assert_eq!(replayed.get("same"), Some(&Value::from(false)));
    let divergence = replayed.get("divergence").unwrap();
    assert_eq!(number(divergence, &["seq"]).cast_unsigned(), at.unwrap());
    assert_eq!(divergence.get("path").and_then(Value::as_str), Some("/data/value"));
    assert_eq!((number(divergence, &["expected"]), number(divergence, &["found"])), (52_000, 42_000));
}

#[test]
fn what_requests_have_in_common_is_recorded_once_and_a_journal_that_repeats_it_replays_as_well() {
    let recorded = journal("eighty-turns-keep-what-turn-three-said.json");
    let mut parts: Vec<(String, String)> = Vec::new();
    for record in recorded.records().filter(|record| record.kind == "exchange.requested") {
        let new = record.data().get("parts").and_then(Value::as_map);
        for (hash, part) in new.into_iter().flatten() {
            assert!(parts.iter().all(|(known, _)| known != hash), "{hash} is recorded twice");
            parts.push((hash.clone(), part.to_json()));
        }
    }
    // As it was recorded before: every request with all that is in it.
    let mut whole = Journal::new(recorded.id());
    for frame in recorded.frames() {
        let mut records = frame.records.clone();
        for record in records.iter_mut().filter(|record| record.kind == "exchange.requested") {
            let mut data = record.data().clone();
            if let Value::Map(map) = &mut data {
                map.shift_remove("parts");
            }
            let mut text = data.to_json();
            for (hash, part) in &parts {
                text = text.replace(&format!(r#"{{"part":"{hash}"}}"#), part);
            }
            record.body = throughline_journal::Body::Open(json::read_value(&text).unwrap());
        }
        let copy = whole.frame(frame.wall, frame.commands.clone(), records);
        whole.commit(copy).unwrap();
    }
    let (now, before) = (recorded.export(0).len(), whole.export(0).len());
    assert!(!parts.is_empty() && now * 5 < before * 4, "{now} bytes, and {before} with all in every request");
    let (new, old) = (Local::open(recorded, 1_772_675_400_000), Local::open(whole, 1_772_675_400_000));
    for query in [r#"{"type":"records","kinds":["exchange.requested"],"limit":500}"#, r#"{"type":"replay"}"#] {
        assert_eq!(ask(&old, query), ask(&new, query), "{query}");
    }
    assert_eq!(ask(&old, r#"{"type":"replay"}"#).get("same"), Some(&Value::from(true)));
}
