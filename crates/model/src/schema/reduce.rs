//! Schemas for providers: what all of them accept.

use throughline_value::{Map, Value};

use super::{MAX_SCHEMA_DEPTH, resolve};

/// The largest enumeration that is sent; a larger one is left to the check afterwards.
const MAX_SENT_ENUM: usize = 100;

/// Keywords that providers accept and that mean the same to all of them.
const KEPT: &[&str] = &["type", "description"];

/// The most items of a list that a grammar counts, and how many a list without a limit gets: grammars multiply
/// their repetitions, and a small model fills a list for as long as it may.
pub const MAX_SENT_ITEMS: u64 = 32;

/// The longest text that a grammar counts.
pub const MAX_SENT_LENGTH: u64 = 256;

/// The schema without what some provider refuses: bounds of numbers, texts and lists, patterns, long
/// enumerations, references (they are put in place; a recursive one becomes an open schema). It allows all
/// that the full schema allows, so a value must still be checked against the full one. Required fields come first,
/// and an optional list that can hold nothing is left out.
#[must_use]
pub fn reduce(schema: &Value) -> Value {
    Reduce { root: schema, open: Vec::new(), tight: false }.at(schema, 0)
}

/// The reduced schema for servers that make a grammar of it: with the bounds that a grammar can hold, every list
/// bounded, and objects closed. What such a server lets a model write ends by itself; a longer list or more fields
/// than it allows may still fit the full schema.
#[must_use]
pub fn tighten(schema: &Value) -> Value {
    Reduce { root: schema, open: Vec::new(), tight: true }.at(schema, 0)
}

/// Whether a value of this schema is an empty list and nothing else.
fn holds_nothing(schema: &Value) -> bool {
    schema.get("maxItems").and_then(Value::as_i64) == Some(0)
}

struct Reduce<'a> {
    root: &'a Value,
    /// The references that are being followed.
    open: Vec<String>,
    /// Whether bounds are kept.
    tight: bool,
}

impl Reduce<'_> {
    fn at(&mut self, schema: &Value, depth: usize) -> Value {
        let Some(map) = schema.as_map().filter(|_| depth < MAX_SCHEMA_DEPTH) else { return Value::map() };
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            if self.open.iter().any(|r| r == reference) {
                return Value::map();
            }
            self.open.push(reference.to_owned());
            let inner = resolve(self.root, reference).map_or_else(Value::map, |s| self.at(s, depth + 1));
            self.open.pop();
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
                    out.insert(keyword.clone(), self.properties(map, named, depth));
                }
                ("required", Value::List(_)) | ("additionalProperties", Value::Bool(_)) => {
                    out.insert(keyword.clone(), inner.clone());
                }
                ("items", Value::Map(_)) => {
                    out.insert(keyword.clone(), self.at(inner, depth + 1));
                }
                ("anyOf" | "oneOf", Value::List(list)) => {
                    let list = list.iter().map(|s| self.at(s, depth + 1)).collect();
                    out.insert("anyOf".to_owned(), Value::List(list));
                }
                (kept, _) if KEPT.contains(&kept) => {
                    out.insert(keyword.clone(), inner.clone());
                }
                _ => {}
            }
        }
        // Names that a pattern allows cannot be said, so the object stays open.
        if map.contains_key("patternProperties") {
            out.insert("additionalProperties".to_owned(), Value::Bool(true));
        }
        if self.tight {
            bound(map, &mut out);
        }
        Value::Map(out)
    }

    /// The fields, those first that must be there: a model that is cut off or stops early has said them.
    fn properties(&mut self, map: &Map, named: &Map, depth: usize) -> Value {
        let required = map.get("required").and_then(Value::as_list).unwrap_or_default();
        let is_required = |name: &str| required.iter().any(|r| r.as_str() == Some(name));
        let (first, rest): (Vec<_>, Vec<_>) = named.iter().partition(|(name, _)| is_required(name));
        let rest = rest.into_iter().filter(|(_, schema)| !holds_nothing(schema));
        let named = first.into_iter().chain(rest).map(|(n, s)| (n.clone(), self.at(s, depth + 1)));
        Value::Map(named.collect())
    }
}

/// Adds the bounds that a grammar can hold.
fn bound(map: &Map, out: &mut Map) {
    let number = |keyword: &str| map.get(keyword).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok());
    let is = |name: &str| map.get("type").and_then(Value::as_str) == Some(name);
    if is("array") {
        let max = number("maxItems").map_or(MAX_SENT_ITEMS, |max| max.min(MAX_SENT_ITEMS));
        out.insert("maxItems".to_owned(), max.into());
        if let Some(min) = number("minItems").filter(|min| *min > 0 && *min <= max) {
            out.insert("minItems".to_owned(), min.into());
        }
        // A grammar of a list wants to know of what.
        out.entry("items".to_owned()).or_insert_with(Value::map);
    }
    if is("string") && !map.contains_key("enum") {
        for keyword in ["minLength", "maxLength"] {
            if let Some(bound) = number(keyword).filter(|bound| *bound <= MAX_SENT_LENGTH) {
                out.insert(keyword.to_owned(), bound.into());
            }
        }
    }
    if is("integer") {
        for keyword in ["minimum", "maximum"] {
            if let Some(bound) = map.get(keyword).filter(|bound| bound.as_i64().is_some()) {
                out.insert(keyword.to_owned(), bound.clone());
            }
        }
    }
    let has_fields = out.get("properties").and_then(Value::as_map).is_some_and(|named| !named.is_empty());
    if has_fields {
        out.entry("additionalProperties".to_owned()).or_insert_with(|| Value::Bool(false));
    }
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
