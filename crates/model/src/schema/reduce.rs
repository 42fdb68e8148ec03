//! Schemas for providers: what all of them accept.

use throughline_value::{Map, Value};

use super::{MAX_SCHEMA_DEPTH, resolve};

/// The largest enumeration that is sent; a larger one is left to the check afterwards.
const MAX_SENT_ENUM: usize = 100;

/// Keywords that providers accept and that mean the same to all of them.
const KEPT: &[&str] = &["type", "description"];

/// The schema without what some provider refuses: bounds of numbers, texts and lists, patterns, long
/// enumerations, references (they are put in place; a recursive one becomes an open schema). It allows all
/// that the full schema allows, so a value must still be checked against the full one.
#[must_use]
pub fn reduce(schema: &Value) -> Value {
    reduced(schema, schema, &mut Vec::new(), 0)
}

fn reduced(schema: &Value, root: &Value, open: &mut Vec<String>, depth: usize) -> Value {
    let Some(map) = schema.as_map().filter(|_| depth < MAX_SCHEMA_DEPTH) else { return Value::map() };
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        if open.iter().any(|r| r == reference) {
            return Value::map();
        }
        open.push(reference.to_owned());
        let inner = resolve(root, reference).map_or_else(Value::map, |s| reduced(s, root, open, depth + 1));
        open.pop();
        return inner;
    }
    let mut out = Map::new();
    for (keyword, inner) in map {
        match (keyword.as_str(), inner) {
            ("const", value) => {
                out.insert("enum".to_owned(), Value::List(vec![value.clone()]));
            }
            // A choice of nothing is refused by providers; that nothing fits is said by the full schema afterwards.
            ("enum", Value::List(list)) if list.is_empty() => {
                out.insert("type".to_owned(), "string".into());
            }
            ("enum", Value::List(list)) if list.len() <= MAX_SENT_ENUM => {
                out.insert(keyword.clone(), inner.clone());
            }
            ("properties", Value::Map(named)) => {
                let named = named.iter().map(|(n, s)| (n.clone(), reduced(s, root, open, depth + 1)));
                out.insert(keyword.clone(), Value::Map(named.collect()));
            }
            ("required", Value::List(_)) | ("additionalProperties", Value::Bool(_)) => {
                out.insert(keyword.clone(), inner.clone());
            }
            ("items", Value::Map(_)) => {
                out.insert(keyword.clone(), reduced(inner, root, open, depth + 1));
            }
            ("anyOf" | "oneOf", Value::List(list)) => {
                let list = list.iter().map(|s| reduced(s, root, open, depth + 1)).collect();
                out.insert("anyOf".to_owned(), Value::List(list));
            }
            (kept, _) if KEPT.contains(&kept) => {
                out.insert(keyword.clone(), inner.clone());
            }
            _ => {}
        }
    }
    Value::Map(out)
}

/// A reduced schema with every object closed, as Anthropic wants it; none where an object or a value is open by
/// its meaning: then the schema is said in words.
#[must_use]
pub fn close(schema: &Value) -> Option<Value> {
    let map = schema.as_map()?;
    let mut out = map.clone();
    let is_object = map.get("type").and_then(Value::as_str) == Some("object");
    let properties = map.get("properties").and_then(Value::as_map);
    if is_object || properties.is_some() {
        // A map whose names the schema does not know cannot be closed.
        let properties = properties.filter(|p| !p.is_empty())?;
        if map.get("additionalProperties").is_some_and(|v| v != &Value::Bool(false)) {
            return None;
        }
        let closed: Option<Map> = properties.iter().map(|(n, s)| Some((n.clone(), close(s)?))).collect();
        out.insert("properties".to_owned(), Value::Map(closed?));
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if let Some(items) = map.get("items") {
        out.insert("items".to_owned(), close(items)?);
    }
    if let Some(Value::List(list)) = map.get("anyOf") {
        out.insert("anyOf".to_owned(), Value::List(list.iter().map(close).collect::<Option<_>>()?));
    }
    ["type", "enum", "anyOf", "properties"].iter().any(|name| map.contains_key(name)).then_some(Value::Map(out))
}

/// Whether a reduced schema fits the strict mode of providers: in every object all fields are required and no
/// others are allowed.
#[must_use]
pub fn is_strict(schema: &Value) -> bool {
    let Some(map) = schema.as_map() else { return false };
    let properties = map.get("properties").and_then(Value::as_map);
    let is_object = properties.is_some() || map.get("type").and_then(Value::as_str) == Some("object");
    if is_object {
        let required = map.get("required").and_then(Value::as_list).unwrap_or_default();
        let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        let all = properties.is_some_and(|p| p.keys().all(|n| required.iter().any(|r| r.as_str() == Some(n))));
        if !closed || !all {
            return false;
        }
    }
    let inner = properties.into_iter().flat_map(Map::values).chain(map.get("items"));
    let alternatives = map.get("anyOf").and_then(Value::as_list).unwrap_or_default();
    !map.is_empty() && inner.chain(alternatives).all(is_strict)
}
