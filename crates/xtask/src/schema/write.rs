//! JSON Schemas (2020-12) of the protocol's structures.

use serde_json::{Map, Value, json};

use super::read::{Field, Protocol, Struct};
use crate::error::{Error, Result};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The actions that a model may call, with the command or the query behind each. `reason` is asked of every
/// one that changes something.
const ACTIONS: &[(&str, &str, &str)] = &[
    ("REGISTER_ENTITY", "command", "register_entity"),
    ("UPDATE_ENTITY", "command", "update_entity"),
    ("MERGE_ENTITIES", "command", "merge_entities"),
    ("UNMERGE_ENTITIES", "command", "unmerge_entities"),
    ("RETIRE_ENTITY", "command", "retire_entity"),
    ("ADD_RELATION", "command", "add_relation"),
    ("END_RELATION", "command", "end_relation"),
    ("SCHEDULE_EVENT", "command", "schedule_event"),
    ("TRIGGER_EVENT", "command", "trigger_event"),
    ("CANCEL_EVENT", "command", "cancel_event"),
    ("QUERY_ENTITY", "query", "entity"),
    ("ASSERT_FACT", "command", "assert_fact"),
    ("RETRACT_FACT", "command", "retract_fact"),
    ("QUERY_FACTS", "query", "facts"),
    ("RECALL", "query", "recall"),
    ("RUN_PLAN", "command", "start_run"),
];

/// Fields that are not a model's to fill: what an event does when it fires would be commands without a gate.
const NOT_FOR_MODELS: &[(&str, &str)] = &[("schedule_event", "do"), ("start_run", "paused"), ("assert_fact", "source")];

fn find<'a>(protocol: &'a Protocol, name: &str) -> Result<&'a Struct> {
    protocol.structs.get(name).ok_or_else(|| Error::new(format!("the protocol has no structure `{name}`")))
}

/// Markdown links of the source, as plain words.
pub(super) fn plain(doc: &str) -> String {
    let mut out = String::with_capacity(doc.len());
    for part in doc.split("[`") {
        match part.split_once("`]") {
            Some((name, rest)) if !out.is_empty() || doc.starts_with("[`") => {
                out.push('`');
                out.push_str(name.rsplit("::").next().unwrap_or(name));
                out.push('`');
                out.push_str(rest);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// The schema of a written type, and the structures that it names.
fn of_type(protocol: &Protocol, kind: &str, named: &mut Vec<String>) -> Value {
    let inner = |prefix: &str| kind.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>'));
    if let Some(kind) = inner("Option<").or_else(|| inner("Box<")) {
        return of_type(protocol, kind, named);
    }
    if let Some(kind) = inner("Vec<") {
        return json!({"type": "array", "items": of_type(protocol, kind, named)});
    }
    if let Some(kind) = inner("Named<") {
        return json!({"type": "object", "additionalProperties": of_type(protocol, kind, named)});
    }
    let kind = kind.rsplit("::").next().unwrap_or(kind);
    match kind {
        "String" => json!({"type": "string"}),
        "bool" => json!({"type": "boolean"}),
        "u64" | "u32" | "usize" | "Seq" => json!({"type": "integer", "minimum": 0}),
        "Millis" | "i64" | "i32" => json!({"type": "integer"}),
        "u8" => json!({"type": "integer", "minimum": 0, "maximum": 255}),
        "Number" => json!({"type": "number"}),
        "Value" => json!({}),
        "Map" => json!({"type": "object"}),
        "Time" => json!({
            "type": ["integer", "string"],
            "description": "milliseconds since 1970 (UTC), or an instant in RFC 3339 with its zone"
        }),
        "Localised" => json!({
            "type": ["string", "object"], "additionalProperties": {"type": "string"},
            "description": "a text, or a map from languages (BCP 47) to texts"
        }),
        "Actor" => json!({
            "type": "object", "additionalProperties": false, "required": ["kind"],
            "properties": {"kind": {"enum": ["user", "rule", "tool", "model", "import"]}, "name": {"type": "string"}}
        }),
        "Origin" => json!({
            "type": "object", "additionalProperties": false, "required": ["source"],
            "properties": {"source": {"type": "string"}, "seq": {"type": "integer", "minimum": 0}}
        }),
        "Command" => json!({"$ref": "#/$defs/Command"}),
        "Query" => json!({"$ref": "#/$defs/Query"}),
        "Intervention" => json!({"$ref": "#/$defs/Intervention"}),
        other => {
            if let Some(words) = protocol.enums.get(other) {
                return json!({"enum": words.cases.iter().map(|(word, ..)| word).collect::<Vec<_>>()});
            }
            if !named.contains(&other.to_owned()) {
                named.push(other.to_owned());
            }
            json!({"$ref": format!("#/$defs/{other}")})
        }
    }
}

fn of_field(protocol: &Protocol, part: &str, field: &Field, named: &mut Vec<String>) -> Value {
    let mut schema = of_type(protocol, &field.kind, named);
    if let Some((.., words)) = protocol.words.iter().find(|(p, f, _)| p == part && *f == field.name) {
        match schema.get_mut("items") {
            Some(items) => *items = json!({"enum": words}),
            None => schema = json!({"enum": words}),
        }
    }
    if let Value::Object(map) = &mut schema {
        if let Some((.., least, most)) = protocol.ranges.iter().find(|(p, f, ..)| p == part && *f == field.name) {
            map.insert("minimum".to_owned(), json!(least));
            map.insert("maximum".to_owned(), json!(most));
        }
        let more = map.get("description").and_then(Value::as_str).map(|more| format!(" ({more})"));
        let doc = format!("{}{}", plain(&field.doc), more.unwrap_or_default());
        map.insert("description".to_owned(), Value::from(doc));
    }
    schema
}

fn of_struct(protocol: &Protocol, name: &str, tag: Option<&str>, named: &mut Vec<String>) -> Result<Value> {
    let made = find(protocol, name)?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some(tag) = tag {
        properties.insert("type".to_owned(), json!({"const": tag}));
        required.push("type".to_owned());
    }
    for field in &made.fields {
        properties.insert(field.name.clone(), of_field(protocol, name, field, named));
        if field.required {
            required.push(field.name.clone());
        }
    }
    let mut schema = json!({
        "type": "object", "description": plain(&made.doc), "properties": properties, "additionalProperties": false
    });
    if let (false, Value::Object(map)) = (required.is_empty(), &mut schema) {
        map.insert("required".to_owned(), json!(required));
    }
    Ok(schema)
}

/// The definitions of the structures in `named` and of those that they name.
fn definitions(protocol: &Protocol, mut named: Vec<String>, with_command: bool) -> Result<Map<String, Value>> {
    let mut defs = Map::new();
    if with_command {
        defs.insert("Command".to_owned(), any_of(protocol, "command", &mut named)?);
    }
    let mut index = 0;
    while let Some(name) = named.get(index).cloned() {
        let schema = of_struct(protocol, &name, None, &mut named)?;
        defs.insert(name, schema);
        index += 1;
    }
    Ok(defs)
}

fn any_of(protocol: &Protocol, what: &str, named: &mut Vec<String>) -> Result<Value> {
    let choice = protocol.tagged.get(what).ok_or_else(|| Error::new(format!("the protocol has no {what}s")))?;
    let mut cases = Vec::new();
    for (tag, structure, _) in &choice.cases {
        cases.push(of_struct(protocol, structure, Some(tag), named)?);
    }
    Ok(json!({"type": "object", "required": ["type"], "oneOf": cases}))
}

/// The schema of commands or queries.
pub(super) fn tagged(protocol: &Protocol, what: &str) -> Result<Value> {
    let mut named = Vec::new();
    if what == "command" {
        return Ok(json!({
            "$schema": DIALECT, "title": "A command of Throughline", "$ref": "#/$defs/Command",
            "$defs": definitions(protocol, named, true)?,
        }));
    }
    let mut schema = any_of(protocol, what, &mut named)?;
    if let Value::Object(map) = &mut schema {
        map.insert("$schema".to_owned(), json!(DIALECT));
        map.insert("title".to_owned(), json!(format!("A {what} of Throughline")));
        map.insert("$defs".to_owned(), Value::Object(definitions(protocol, named, false)?));
    }
    Ok(schema)
}

/// The schema of a domain document.
pub(super) fn domain(protocol: &Protocol) -> Result<Value> {
    let mut named = Vec::new();
    let mut schema = of_struct(protocol, "Domain", None, &mut named)?;
    if let Value::Object(map) = &mut schema {
        map.insert("$schema".to_owned(), json!(DIALECT));
        map.insert("title".to_owned(), json!("A domain document of Throughline"));
        map.insert("required".to_owned(), json!(["name"]));
        map.insert("$defs".to_owned(), Value::Object(definitions(protocol, named, false)?));
        if let Some(Value::Object(properties)) = map.get_mut("properties") {
            properties.insert("$schema".to_owned(), json!({"type": "string"}));
        }
    }
    Ok(schema)
}

/// A schema without words: what a program checks by.
pub(super) fn bare(schema: Value) -> Value {
    match schema {
        Value::Object(map) => {
            // A property may be called `description`; then it is a map.
            let keep = |(name, inner): &(String, Value)| {
                !(matches!(name.as_str(), "description" | "title" | "$schema") && inner.is_string())
            };
            Value::Object(map.into_iter().filter(keep).map(|(name, inner)| (name, bare(inner))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(bare).collect()),
        plain => plain,
    }
}

/// The schema of a scenario file.
pub(super) fn scenario(protocol: &Protocol) -> Result<Value> {
    let mut named = vec!["Meta".to_owned(), "Domain".to_owned(), "Fork".to_owned()];
    let query = any_of(protocol, "query", &mut named)?;
    let mut defs = definitions(protocol, named, true)?;
    defs.insert("Query".to_owned(), query);
    let mut more = Vec::new();
    defs.insert("Intervention".to_owned(), any_of(protocol, "intervention", &mut more)?);
    let digest = json!({"enum": ["content", "history", "chain"]});
    let step = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let text = || json!({"type": "string"});
    Ok(json!({
        "$schema": DIALECT,
        "title": "A scenario of Throughline",
        "type": "object",
        "required": ["steps"],
        "properties": {
            "name": text(),
            "domain": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Domain"}]},
            "documents": {"type": "array", "items": {"type": "object", "required": ["name"]}},
            "cassette": {"type": ["string", "array"]},
            "clock": {"type": ["string", "integer"]},
            "steps": {"type": "array", "items": {"anyOf": [
                step(json!({"do": {"$ref": "#/$defs/Command"}, "meta": {"$ref": "#/$defs/Meta"}}), &["do"]),
                step(json!({"do": {"type": "object"}, "refused": text(), "path": text()}), &["do", "refused"]),
                step(json!({"text": text(), "refused": text()}), &["text"]),
                step(json!({"query": {"$ref": "#/$defs/Query"}, "at": text()}), &["query"]),
                step(json!({"query": {"type": "object"}, "refused": text()}), &["query", "refused"]),
                step(json!({"advance": text()}), &["advance"]),
                step(json!({"clock": {"type": ["string", "integer"]}}), &["clock"]),
                step(json!({"reload": {"type": ["boolean", "string", "integer"]}}), &["reload"]),
                step(json!({"fork": {"$ref": "#/$defs/Fork"}, "expect": {"type": "object"}}), &["fork"]),
                step(json!({"calls": {"type": "object"}}), &["calls"]),
                step(json!({"plan": {}, "golden": {}, "minimum": {"type": "number"}}), &["plan", "golden"]),
                step(json!({"export": {"type": "boolean"}, "contains": text(), "lacks": text()}), &["export"]),
                step(json!({"keep": text()}), &["keep"]),
                step(json!({"same": text(), "digest": digest}), &["same"]),
                step(json!({"type": {"type": "string"}}), &["type"]),
            ]}},
        },
        "$defs": defs,
    }))
}

/// What a model may call: name, what stands behind it, and the schema of its arguments.
pub(super) fn actions(protocol: &Protocol) -> Result<Value> {
    let mut actions = Vec::new();
    for (name, what, tag) in ACTIONS {
        let choice = protocol.tagged.get(*what).ok_or_else(|| Error::new(format!("the protocol has no {what}s")))?;
        let (_, structure, doc) = choice
            .cases
            .iter()
            .find(|(t, ..)| t == tag)
            .ok_or_else(|| Error::new(format!("there is no {what} `{tag}` for the action {name}")))?;
        let made = find(protocol, structure)?;
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut named = Vec::new();
        for field in &made.fields {
            if NOT_FOR_MODELS.contains(&(*tag, field.name.as_str())) {
                continue;
            }
            let mut schema = of_field(protocol, structure, field, &mut named);
            if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.rsplit('/').next()) {
                schema = of_struct(protocol, name, None, &mut named)?;
            }
            properties.insert(field.name.clone(), schema);
            // A query's fields all have defaults; the one that names what is asked for is required.
            if field.required || (*what == "query" && field.kind == "String") {
                required.push(field.name.clone());
            }
        }
        if *what == "command" {
            properties.insert(
                "reason".to_owned(),
                json!({"type": "string", "description": "Why, in one sentence, for the audit."}),
            );
            required.push("reason".to_owned());
        }
        let doc = if *what == "command" { &made.doc } else { doc };
        let doc = plain(doc).split(": `").next().unwrap_or_default().to_owned();
        actions.push(json!({
            "name": name, *what: tag, "description": doc,
            "parameters": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
        }));
    }
    Ok(Value::Array(actions))
}
