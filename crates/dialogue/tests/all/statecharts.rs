//! Statecharts with their configurations after every event, as two other interpreters agree on them.

use std::collections::{BTreeMap, BTreeSet};

use throughline_value::{Map, Value};

use crate::support::{Bench, lines};

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

#[test]
fn statecharts_reach_the_configurations_that_other_interpreters_agree_on() {
    let Some(cases) = lines("c_fsm/scxml/statechart_cases.jsonl") else { return };
    let (mut passed, mut unsupported) = (0, Vec::new());
    for case in cases.iter().filter(|c| c.get("xstate5_agrees") == Some(&true.into())) {
        let name = case.get("case").and_then(Value::as_str).unwrap();
        let mut ids = Vec::new();
        let machine = convert(case.get("machine").unwrap(), &mut ids);
        let mut bench = Bench::default();
        if let Err(refusal) = bench.load(&machine.to_json()) {
            assert_eq!(refusal.code, "unsupported-machine", "{name}: {refusal}");
            unsupported.push(name.to_owned());
            continue;
        }
        let active = |bench: &Bench| -> BTreeSet<String> {
            let number = |path: &String| path.rsplit('s').next().unwrap().parse::<usize>().unwrap();
            bench.machine.state(bench.here()).iter().map(|path| ids[number(path)].clone()).collect()
        };
        let expected = |value: &Value, field: &str| -> BTreeSet<String> {
            let list = value.get(field).and_then(Value::as_list).unwrap();
            list.iter().map(|v| v.as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(active(&bench), expected(case, "initialConfiguration"), "{name} at its start");
        for event in case.get("events").and_then(Value::as_list).unwrap() {
            // An event that nothing takes leaves the configuration as it is.
            let sent = event.get("event").and_then(Value::as_str).unwrap();
            let outcome = bench.send(sent, Value::Null);
            assert_eq!(active(&bench), expected(event, "nextConfiguration"), "{name} after {sent}: {outcome:?}");
        }
        passed += 1;
    }
    println!("{passed} statecharts, {} not supported yet: {}", unsupported.len(), unsupported.join(", "));
    assert_eq!((passed, unsupported.len()), (32, 0));
}
