//! The shared statecharts and definitions through commands and queries, as anybody would give them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may panic"
)]

// The room's own tests read the same cases.
#[path = "../../dialogue/tests/all/convert.rs"]
mod convert;

use std::collections::BTreeSet;
use std::path::PathBuf;

use convert::convert;
use throughline::Local;
use throughline::value::{Value, json};

fn shared(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = std::env::var_os("THROUGHLINE_SHARED").map_or_else(beside, PathBuf::from).join("data").join(path);
    if found.exists() {
        return Some(found);
    }
    println!("SKIPPED 1: {path} is not here; set THROUGHLINE_SHARED to the folder of shared data");
    None
}

fn texts(value: &Value) -> Vec<String> {
    value.as_list().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn load(session: &mut Local, machine: &Value) {
    let domain = Value::from([("name", Value::from("d")), ("version", "1".into()), ("machine", machine.clone())]);
    let command = Value::from([("type", Value::from("load_domain")), ("domain", domain)]);
    session.execute(&command.to_json()).unwrap();
}

#[test]
fn statecharts_reach_their_configurations_by_commands_and_by_the_pure_query() {
    let Some(file) = shared("c_fsm/scxml/statechart_cases.jsonl") else { return };
    let mut passed = 0;
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let case = json::read_value(line).unwrap();
        if case.get("xstate5_agrees") != Some(&true.into()) {
            continue;
        }
        let name = case.get("case").and_then(Value::as_str).unwrap();
        let mut ids = Vec::new();
        let machine = convert(case.get("machine").unwrap(), &mut ids);
        let mut session = Local::new("s", 0);
        load(&mut session, &machine);
        let named = |state: &Value| -> BTreeSet<String> {
            texts(state)
                .iter()
                .map(|path| ids[path.rsplit('s').next().unwrap().parse::<usize>().unwrap()].clone())
                .collect()
        };
        let expected = |value: &Value| texts(value).into_iter().collect::<BTreeSet<String>>();
        let state = |session: &Local| session.query(r#"{"type":"machine"}"#).unwrap().get("state").unwrap().clone();
        assert_eq!(named(&state(&session)), expected(case.get("initialConfiguration").unwrap()), "{name}");
        let mut snapshot = Value::Null;
        for event in case.get("events").and_then(Value::as_list).unwrap() {
            let sent = event.get("event").and_then(Value::as_str).unwrap();
            let next = expected(event.get("nextConfiguration").unwrap());
            let query = [
                ("type", Value::from("transition")),
                ("machine", machine.clone()),
                ("state", snapshot.clone()),
                ("event", sent.into()),
            ];
            // An event that nothing takes leaves everything as it is.
            if let Ok(result) = session.query(&Value::from(query).to_json()) {
                assert_eq!(named(result.get("state").unwrap()), next, "{name} by query after {sent}");
                snapshot = result.get("snapshot").unwrap().clone();
            }
            let _ = session.execute(&Value::from([("type", "send_event"), ("event", sent)]).to_json());
            assert_eq!(named(&state(&session)), next, "{name} after {sent}");
        }
        passed += 1;
    }
    println!("{passed} statecharts");
    assert_eq!(passed, 32);
}

#[test]
fn valid_definitions_of_the_states_language_are_imported_checked_and_loaded() {
    let Some(folder) = shared("c_fsm/asl_definitions") else { return };
    let (mut loaded, mut refused) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let definition = json::read_value(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let mut session = Local::new("s", 0);
        let query = [("type", Value::from("import_machine")), ("format", "asl".into()), ("definition", definition)];
        match session.query(&Value::from(query).to_json()) {
            Ok(imported) => {
                load(&mut session, imported.get("machine").unwrap());
                loaded += 1;
            }
            Err(refusal) => {
                assert!(name.starts_with("invalid-"), "{name}: {refusal}");
                refused += 1;
            }
        }
    }
    println!("{loaded} loaded, {refused} refused");
    assert!(refused >= 11 && loaded >= 31);
}
