//! What is at a moment, by area and id, and what differs between two such.

use throughline_agent::Rooms;
use throughline_protocol::view::{ChangeRow, Difference};
use throughline_protocol::{At, DEFAULT_SUBJECT};
use throughline_value::{Map, Value, to_value};

/// What is at a moment: a map of areas, each a map by id. Without record numbers, recorded times and audit, so that
/// two journals with the same content give the same.
pub(crate) fn snapshot(rooms: &Rooms, at: At) -> Value {
    let mut areas = Map::new();
    let mut domain = Map::new();
    let loaded = rooms.domain_at(at.seq);
    if !loaded.hash.is_empty() {
        let about = [("version", loaded.domain.version.as_str()), ("hash", loaded.hash.as_str())];
        domain.insert(loaded.domain.name.clone(), Value::from(about));
    }
    areas.insert("domain".to_owned(), Value::Map(domain));
    areas.insert("fact".to_owned(), Value::Map(facts(rooms, at)));
    let entities = rooms.world.entities(at, None);
    let kept = ["entity_type", "raw_id", "aliases", "fields", "retired", "merged_into"];
    areas.insert("entity".to_owned(), rows(&to_value(&entities).unwrap_or_default(), &kept));
    let relations = to_value(&rooms.world.relations(at, None, None)).unwrap_or_default();
    let kept = ["from", "relation", "to", "confidence", "valid_from", "valid_to", "flag"];
    areas.insert("relation".to_owned(), rows(&relations, &kept));
    let events = to_value(&rooms.world.events(at)).unwrap_or_default();
    areas.insert("event".to_owned(), rows(&events, &["name", "status", "due", "fired_at", "late", "data"]));
    let state = rooms.machine.state(at);
    let mut machine = Map::new();
    if !state.is_empty() {
        machine.insert("state".to_owned(), Value::from(state.to_vec()));
    }
    areas.insert("machine".to_owned(), Value::Map(machine));
    let mut runs = Map::new();
    for row in rooms.plans.rows(&at) {
        let steps = rooms.plans.run(&row.id, &at).and_then(|run| to_value(&run.steps).ok()).unwrap_or_default();
        let about =
            [("status", Value::from(row.status.as_str())), ("steps", rows(&steps, &["status", "output", "error"]))];
        runs.insert(row.id, Value::from(about));
    }
    areas.insert("run".to_owned(), Value::Map(runs));
    Value::Map(areas)
}

fn facts(rooms: &Rooms, at: At) -> Map {
    let mut facts = Map::new();
    for fact in rooms.ledger.facts(at, None, None).facts {
        let id = if fact.subject == DEFAULT_SUBJECT { fact.key } else { format!("{}/{}", fact.subject, fact.key) };
        match facts.get_mut(&id) {
            // A key with several values.
            Some(Value::List(list)) => list.push(fact.value),
            Some(other) => *other = Value::List(vec![std::mem::take(other), fact.value]),
            None => drop(facts.insert(id, fact.value)),
        }
    }
    facts
}

/// Rows by their id, with those of their fields that say what is.
fn rows(list: &Value, kept: &[&str]) -> Value {
    let one = |row: &Value| {
        let id = row.get("id").or_else(|| row.get("step"))?.as_str()?.to_owned();
        let of = |name: &&str| row.get(name).filter(|value| !value.is_null()).map(|v| ((*name).to_owned(), v.clone()));
        Some((id, Value::Map(kept.iter().filter_map(of).collect())))
    };
    Value::Map(list.as_list().unwrap_or(&[]).iter().filter_map(one).collect())
}

/// What differs, by area and id.
pub(crate) fn difference(from: &Value, to: &Value) -> Difference {
    let mut changes = Vec::new();
    let empty = Map::new();
    let areas = |value: &Value| value.as_map().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let mut names = areas(from);
    names.extend(areas(to).into_iter().filter(|name| from.get(name).is_none()));
    for area in names {
        let of = |value: &Value| value.get(&area).and_then(Value::as_map).cloned().unwrap_or_else(|| empty.clone());
        let (before, after) = (of(from), of(to));
        let mut add = |id: &String, change: &str, before: Option<&Value>, after: Option<&Value>| {
            changes.push(ChangeRow {
                area: area.clone(),
                id: id.clone(),
                change: change.to_owned(),
                before: before.cloned().unwrap_or_default(),
                after: after.cloned().unwrap_or_default(),
            });
        };
        for (id, value) in &before {
            match after.get(id) {
                None => add(id, "removed", Some(value), None),
                Some(other) if other != value => add(id, "changed", Some(value), Some(other)),
                Some(_) => {}
            }
        }
        for (id, value) in &after {
            if !before.contains_key(id) {
                add(id, "added", None, Some(value));
            }
        }
    }
    Difference { changes }
}
