//! Plans that models wrote: each action of the planning domain is an action of a domain document, its preconditions
//! are constraints, its effects one batch. The engine says at which step a plan fails and for want of what, and the
//! world is then as it was before that step.

use std::collections::BTreeSet;

use throughline::value::{Value, json};

use super::shared::{Session, file, list, map, part, rows, text};

fn words(value: &Value) -> Vec<&str> {
    list(value).iter().filter_map(Value::as_str).collect()
}

fn name(word: &str) -> String {
    word.trim_start_matches('?').replace('-', "_")
}

/// The entity type of a predicate; `in` alone is a word of the expression language.
fn predicate(word: &str) -> String {
    format!("is_{}", name(word))
}

/// The raw id of `(on a b)` among the entities of the type `on`: `a|b`; that of `(handempty)` is `|`.
fn raw_id(args: &[&str]) -> String {
    if args.is_empty() { "|".to_owned() } else { args.join("|") }
}

/// The same as an expression over the arguments of an action.
fn raw_id_of(args: &[&str], root: &str) -> String {
    let named: Vec<String> = args.iter().map(|arg| format!("{root}.{}", name(arg))).collect();
    if named.is_empty() { r#""|""#.to_owned() } else { named.join(r#" ~ "|" ~ "#) }
}

/// The planning domain as a domain document.
fn document(actions: &Value) -> Value {
    let (mut types, mut constraints, mut all) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (action, form) in actions.as_map().unwrap() {
        let action = name(action);
        for literal in list(part(form, "pre")) {
            let literal = words(literal);
            types.insert(predicate(literal[0]));
            let rule =
                format!("default({}[{}].holds, false)", predicate(literal[0]), raw_id_of(&literal[1..], "proposal"));
            constraints.push(Value::from([
                ("name", Value::from(literal.join(" "))),
                ("rule", rule.into()),
                ("actions", vec![action.as_str()].into()),
                ("message", "it does not hold".into()),
            ]));
        }
        // What an action takes away and gives at once is there afterwards.
        let (mut gone, mut made) = (Vec::new(), Vec::new());
        for effect in list(part(form, "eff")) {
            let negated = list(effect)[0].as_str() == Some("not");
            let literal = words(if negated { &list(effect)[1] } else { effect });
            types.insert(predicate(literal[0]));
            let command = Value::from([
                ("type", Value::from("register_entity")),
                ("entity_type", predicate(literal[0]).into()),
                ("raw_id", format!("={}", raw_id_of(&literal[1..], "args")).into()),
                ("fields", Value::from([("holds", !negated)])),
            ]);
            if negated { gone.push(command) } else { made.push(command) }
        }
        gone.extend(made);
        let batch = Value::from([("type", Value::from("batch")), ("commands", Value::List(gone))]);
        all.push((action, Value::from([("commands", Value::List(vec![batch]))])));
    }
    let holds = Value::from([("fields", Value::from([("holds", Value::from([("type", "boolean")]))]))]);
    Value::from([
        ("name", Value::from("planning")),
        ("entity_types", map(types.into_iter().map(|name| (name, holds.clone())))),
        ("constraints", Value::List(constraints)),
        ("actions", map(all)),
    ])
}

fn holding(session: &Session) -> BTreeSet<String> {
    let entities = session.ask(r#"{"type":"entities"}"#);
    let there = list(&entities).iter().filter(|e| e.at(&["fields", "holds"]) == Some(&Value::Bool(true)));
    there
        .map(|e| format!("{} {}", text(e, "entity_type"), text(e, "raw_id").replace('|', " ")).trim().to_owned())
        .collect()
}

fn literals(value: &Value) -> BTreeSet<String> {
    let line = |literal: &Value| {
        let words = words(literal);
        format!("{} {}", predicate(words[0]), words[1..].join(" ")).trim().to_owned()
    };
    list(value).iter().map(line).collect()
}

fn check(domain: &str, data: &str) {
    let (Some(domain), Some(rows)) = (file(domain), rows(data)) else { return };
    let actions = json::read_value(&domain).unwrap();
    let document = document(&actions);
    let rows_there = rows.len();
    for row in rows {
        let id = text(&row, "id").to_owned();
        let mut session = Session::new(document.clone());
        let init: Vec<Value> = list(part(&row, "init"))
            .iter()
            .map(|literal| {
                let literal = words(literal);
                Value::from([
                    ("type", Value::from("register_entity")),
                    ("entity_type", predicate(literal[0]).into()),
                    ("raw_id", raw_id(&literal[1..]).into()),
                    ("fields", Value::from([("holds", true)])),
                ])
            })
            .collect();
        session.run(&Value::from([("type", Value::from("batch")), ("commands", Value::List(init))])).unwrap();
        let expected = part(&row, "expected");
        let mut failed = None;
        for (number, step) in list(part(&row, "plan")).iter().enumerate() {
            let step = words(step);
            let before = session.content();
            let params = words(part(part(&actions, step[0]), "params"));
            let args = map(params.iter().zip(&step[1..]).map(|(param, arg)| (name(param), Value::from(*arg))));
            let refusal = match session.propose(&name(step[0]), args) {
                Ok(done) => {
                    assert!(done.get("refused").is_none(), "{id}: {}", done.to_json());
                    continue;
                }
                Err(refusal) => refusal,
            };
            assert_eq!(refusal.code, "constraint-broken", "{id}: {refusal}");
            assert_eq!(session.content(), before, "{id}: a refused step changes nothing");
            // `the constraint `on ?ob ?underob` is broken by …`, with the arguments in it.
            let unmet: BTreeSet<String> = list(part(&refusal.details, "problems"))
                .iter()
                .map(|problem| {
                    let named = problem.as_str().unwrap().split('`').nth(1).unwrap();
                    let ground = named.split(' ').map(|word| {
                        let at = params.iter().position(|param| *param == word);
                        at.map_or_else(|| predicate(word), |at| step[at + 1].to_owned())
                    });
                    ground.collect::<Vec<_>>().join(" ")
                })
                .collect();
            failed = Some((number as i64 + 1, unmet));
            break;
        }
        let state = holding(&session);
        assert_eq!(state, literals(part(expected, "state_before_failure_or_final")), "{id}");
        let unmet = literals(part(expected, "unmet"));
        match (text(expected, "reason"), failed) {
            ("unmet_precondition", Some((step, found))) => {
                assert_eq!(Some(step), part(expected, "failing_step").as_i64(), "{id}");
                assert_eq!(found, unmet, "{id}");
            }
            ("unmet_goal", None) => {
                let missing: BTreeSet<String> = literals(part(&row, "goal")).difference(&state).cloned().collect();
                assert_eq!(missing, unmet, "{id}");
            }
            ("", None) => assert!(literals(part(&row, "goal")).is_subset(&state), "{id}"),
            other => panic!("{id}: {other:?}"),
        }
    }
    eprintln!("{data}: {rows_there} plans agree");
}

#[test]
fn plans_in_the_blocks_world_fail_where_and_why_the_validator_says() {
    check("w_world_model/planbench/domain_blocksworld.json", "w_world_model/planbench/blocksworld_gpt4.jsonl");
}

#[test]
fn plans_in_logistics_fail_where_and_why_the_validator_says() {
    check("w_world_model/planbench/domain_logistics.json", "w_world_model/planbench/logistics_gpt35.jsonl");
}
