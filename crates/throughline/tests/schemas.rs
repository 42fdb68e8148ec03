//! The published JSON Schemas take what the engine takes: every scenario's domain, commands and queries, by an
//! independent validator; and they refuse what the engine refuses.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn schema(name: &str) -> Validator {
    jsonschema::validator_for(&read(&root().join(format!("docs/schema/{name}.schema.json")))).unwrap()
}

#[track_caller]
fn check(schema: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> =
        schema.iter_errors(value).take(3).map(|e| format!("{} at {}", e, e.instance_path)).collect();
    assert!(errors.is_empty(), "{what}: {}\n{value:#}", errors.join("; "));
}

#[test]
fn every_scenario_with_its_domain_commands_and_queries_is_valid() {
    let folder = root().join("tests/scenarios");
    let (scenario, domain, command, query) = (schema("scenario"), schema("domain"), schema("command"), schema("query"));
    let (mut commands, mut queries) = (0, 0);
    for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|ext| ext != "json") {
            continue;
        }
        let what = file.file_stem().unwrap().to_string_lossy().into_owned();
        let value = read(&file);
        if value.get("steps").is_none() {
            continue;
        }
        check(&scenario, &value, &what);
        match &value["domain"] {
            Value::Object(_) => check(&domain, &value["domain"], &what),
            Value::String(name) => check(&domain, &read(&folder.join(name)), &what),
            _ => {}
        }
        for step in value["steps"].as_array().unwrap() {
            // What is refused may be refused for its form.
            if step.get("refused").is_some() {
                continue;
            }
            if let Some(one) = step.get("do") {
                check(&command, one, &what);
                commands += 1;
            }
            if let Some(one) = step.get("query") {
                check(&query, one, &what);
                queries += 1;
            }
        }
    }
    assert!(commands > 50 && queries > 50, "{commands} commands, {queries} queries");
}

#[test]
fn every_demos_domain_is_valid() {
    let domain = schema("domain");
    let mut count = 0;
    let mut folders = vec![root().join("web/demos")];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if file.is_dir() {
                folders.push(file);
            } else if file.file_name().is_some_and(|name| name == "domain.json") {
                check(&domain, &read(&file), &file.display().to_string());
                count += 1;
            }
        }
    }
    assert!(count > 0, "no demo has a domain");
}

#[test]
fn what_the_engine_refuses_for_its_form_the_schema_refuses() {
    let (domain, command, query) = (schema("domain"), schema("command"), schema("query"));
    for (schema, wrong) in [
        (&domain, json!({"name": "x", "fact": {}})),
        (&domain, json!({"facts": {}})),
        (&domain, json!({"name": "x", "facts": {"a": {"cardinality": "several"}}})),
        (&domain, json!({"name": "x", "facts": {"a": {"value": {"type": "string"}}}})),
        (&domain, json!({"name": "x", "agent": {"confidence": 2}})),
        (&command, json!({"type": "assert_fact", "key": "a"})),
        (&command, json!({"type": "assert_fact", "key": "a", "value": 1, "vlaue": 2})),
        (&command, json!({"type": "assert_facts", "key": "a", "value": 1})),
        (&query, json!({"type": "facts", "sbject": "a"})),
        (&query, json!({"type": "record", "seq": -1})),
    ] {
        assert!(!schema.is_valid(&wrong), "{wrong}");
    }
    for right in [
        json!({"type": "assert_fact", "key": "a", "value": null}),
        json!({"type": "batch", "commands": [{"type": "tick"}]}),
    ] {
        assert!(command.is_valid(&right), "{right}");
    }
}
