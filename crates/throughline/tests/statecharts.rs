//! The shared statecharts and definitions through commands and queries, as anybody would give them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may panic"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use throughline::Local;
use throughline::value::{Map, Value, json};

/// The machine in XState's shape. Its states' own names may hold points, so they become ids of plain names.
fn convert(state: &Value, ids: &mut Vec<String>) -> Value {
    let mut out = Map::new();
    let children = state.get("states").and_then(Value::as_list).unwrap_or_default();
    let first = children.first().and_then(|c| c.get("id")).and_then(Value::as_str);
    let initial = state.get("initial").and_then(|i| i.as_list()?.first()?.as_str()).or(first);
    let mut states = Map::new();
    for child in children {
        let id = child.get("id").and_then(Value::as_str).unwrap().to_owned();
        let name = format!("s{}", ids.len());
        ids.push(id.clone());
        if initial == Some(&id) && child.get("history").is_none() && state.get("type") != Some(&"parallel".into()) {
            out.insert("initial".into(), name.as_str().into());
        }
        let mut converted = convert(child, ids);
        if let Value::Map(map) = &mut converted {
            map.insert("id".into(), id.into());
        }
        states.insert(name, converted);
    }
    if !states.is_empty() {
        out.insert("states".into(), states.into());
    }
    if let Some(kind) = state.get("type") {
        out.insert("type".into(), kind.clone());
    }
    if let Some(history) = state.get("history") {
        out.insert("history".into(), history.clone());
    }
    let mut on: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for way in state.get("transitions").and_then(Value::as_list).unwrap_or_default() {
        let internal = way.get("internal").and_then(Value::as_bool).unwrap_or(false);
        let target = way.get("target").and_then(|t| t.as_list()?.first()?.as_str()).map(|id| format!("#{id}"));
        let event = way.get("event").and_then(Value::as_str);
        let way = Value::from([("target", Value::from(target)), ("reenter", (!internal).into())]);
        match event {
            // One way may be for several events.
            Some(events) => {
                events.split(' ').for_each(|event| on.entry(event.to_owned()).or_default().push(way.clone()));
            }
            // What a history state leads to when nothing is remembered.
            None if state.get("history").is_some() => {
                out.insert("target".into(), way.get("target").cloned().unwrap());
            }
            None => {
                out.insert("always".into(), way);
            }
        }
    }
    if !on.is_empty() {
        out.insert("on".into(), on.into_iter().map(|(k, v)| (k, Value::List(v))).collect::<Map>().into());
    }
    Value::Map(out)
}

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
