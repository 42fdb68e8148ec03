//! Statecharts as the shared cases write them, in our shape.

use std::collections::BTreeMap;

use throughline_value::{Map, Value};

/// The machine in XState's shape. Its states' own names may hold points, so they become ids of plain names.
pub(crate) fn convert(state: &Value, ids: &mut Vec<String>) -> Value {
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
