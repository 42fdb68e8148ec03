//! Processes in paragraphs: what comes into being, moves and is gone, step by step. A thing is unknown before it is
//! made and after it is destroyed, and its place is what was said of it last.

use throughline::protocol::{Meta, Time};
use throughline::value::Value;

use super::shared::{Session, list, part, rows, text};

const STEP: i64 = 1_000;

#[test]
fn things_are_unknown_before_they_are_made_and_after_they_are_destroyed() {
    let Some(rows) = rows("w_world_model/propara/grids.v1.dev.jsonl") else { return };
    let (mut looked, rows_there) = (0, rows.len());
    for row in rows {
        let field = Value::from([("location", Value::from([("type", "text")]))]);
        let domain = Value::from([
            ("name", Value::from("process")),
            ("entity_types", Value::from([("thing", Value::from([("fields", field)]))])),
        ]);
        let mut session = Session::new(domain);
        let names: Vec<&str> = list(part(&row, "participants")).iter().filter_map(Value::as_str).collect();
        // Everything is told at once, from the last thing to the first: only valid time puts it in order.
        for (name, states) in names.iter().zip(list(part(&row, "states"))).rev() {
            let mut there = false;
            let mut entity = String::new();
            for (step, state) in list(states).iter().enumerate() {
                let state = state.as_str().unwrap();
                let valid_from = Some(Time::Millis(step as i64 * STEP));
                let meta = Meta { valid_from, ..Meta::default() };
                // The same name after a destruction is another thing of that name.
                let raw_id = format!("{name}#{}", entity.len());
                let location = if state == "?" { Value::Null } else { state.into() };
                match (there, state) {
                    (false, "-") => {}
                    (true, "-") => {
                        let retire =
                            Value::from([("type", Value::from("retire_entity")), ("entity", entity.as_str().into())]);
                        session.with(&retire, meta).unwrap();
                        there = false;
                    }
                    (false, _) => {
                        let id = format!("{raw_id}@{step}");
                        let register = Value::from([
                            ("type", Value::from("register_entity")),
                            ("entity_type", "thing".into()),
                            ("raw_id", id.as_str().into()),
                            ("fields", Value::from([("location", location)])),
                            ("aliases", vec![*name].into()),
                        ]);
                        let made = session.with(&register, meta).unwrap();
                        entity = text(&made, "entity").to_owned();
                        there = true;
                    }
                    (true, _) => {
                        let update = Value::from([
                            ("type", Value::from("update_entity")),
                            ("entity", entity.as_str().into()),
                            ("fields", Value::from([("location", location)])),
                        ]);
                        session.with(&update, meta).unwrap();
                    }
                }
            }
        }
        for (name, states) in names.iter().zip(list(part(&row, "states"))) {
            for (step, state) in list(states).iter().enumerate() {
                for within in [0, STEP - 1] {
                    let at = step as i64 * STEP + within;
                    let query = format!(r#"{{"type":"entities","entity_type":"thing","at":{{"valid_at":{at}}}}}"#);
                    let entities = session.ask(&query);
                    let called = |e: &&Value| list(part(e, "aliases")).iter().any(|alias| alias.as_str() == Some(name));
                    let alive =
                        list(&entities).iter().filter(called).find(|e| *part(e, "retired") == Value::Bool(false));
                    let shown = match alive {
                        None => "-",
                        Some(entity) => entity.at(&["fields", "location"]).and_then(Value::as_str).unwrap_or("?"),
                    };
                    assert_eq!(Some(shown), state.as_str(), "{} {name} at step {step}", text(&row, "para_id"));
                    looked += 1;
                }
            }
        }
    }
    eprintln!("propara: {looked} states of {rows_there} paragraphs agree");
}
