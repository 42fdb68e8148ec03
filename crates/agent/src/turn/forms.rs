//! What a reply must look like at each stage, as JSON Schemas.
//!
//! What is asked for may be tighter than what is taken: a server that writes by the schema is led to values that fit
//! the domain, and to an end; a model that writes freely loses a whole reply for one value of the wrong type, where
//! the next stage would have refused that value alone.

use throughline_protocol::Domain;
use throughline_protocol::domain::FieldType;
use throughline_value::{Map, Value, json};

/// The most things that one text is asked for.
const MAX_THINGS: u64 = 16;

/// The most facts that one text is asked for.
const MAX_FACTS: u64 = 32;

/// How many values of a fact that may have several are asked for in one text.
const MAX_VALUES: u64 = 8;

/// The longest text that is asked for as a value or a name.
const MAX_TEXT: u64 = 200;

/// The most kinds of values that are told apart by their keys.
const MAX_KINDS: usize = 8;

/// A schema that is written here.
pub(super) fn schema(text: &str) -> Value {
    json::read_value(text).unwrap_or_default()
}

/// One of these names.
pub(super) fn one_of(names: Vec<Value>) -> Value {
    Value::from([("enum", Value::List(names))])
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<Value> {
    names.map(|name| Value::from(name.as_str())).collect()
}

/// Puts a value at a place that is there.
pub(super) fn set(value: &mut Value, path: &[&str], new: Value) {
    let Some((first, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    if let Value::Map(map) = value
        && let Some(inner) = map.get_mut(first)
    {
        set(inner, rest, new);
    }
}

/// An object with these fields, all of which must be there, and no others.
fn object(fields: &[(&str, Value)]) -> Value {
    let required: Vec<Value> = fields.iter().map(|(name, _)| Value::from(*name)).collect();
    let fields: Map = fields.iter().map(|(name, form)| ((*name).to_owned(), form.clone())).collect();
    Value::from([
        ("type", Value::from("object")),
        ("additionalProperties", false.into()),
        ("required", Value::List(required)),
        ("properties", Value::Map(fields)),
    ])
}

fn list(items: Value, most: Option<u64>) -> Value {
    let mut form = Map::from_iter([("type".to_owned(), Value::from("array")), ("items".to_owned(), items)]);
    form.extend(most.map(|most| ("maxItems".to_owned(), most.into())));
    Value::Map(form)
}

fn text(most: Option<u64>) -> Value {
    let mut form = Map::from_iter([("type".to_owned(), Value::from("string")), ("minLength".to_owned(), 1.into())]);
    form.extend(most.map(|most| ("maxLength".to_owned(), most.into())));
    Value::Map(form)
}

/// What an interpretation is asked to be: a list that could hold nothing is not asked for.
pub(super) fn interpret(domain: &Domain) -> Value {
    let kinds = kinds(domain);
    let items = match kinds.as_slice() {
        [] => object(&[("key", text(Some(MAX_TEXT))), ("value", Value::map())]),
        [(keys, value)] => fact(keys, value),
        several => Value::from([("anyOf", several.iter().map(|(keys, value)| fact(keys, value)).collect::<Vec<_>>())]),
    };
    let most = domain.facts.values().map(|fact| match fact.cardinality.as_deref() {
        Some("many" | "append" | "interval") => MAX_VALUES,
        _ => 1,
    });
    let most = if domain.facts.is_empty() { MAX_FACTS } else { most.sum::<u64>().min(MAX_FACTS) };
    let mut form = interpretation(domain, text(Some(MAX_TEXT)), Some(MAX_THINGS), list(items, Some(most)));
    if domain.entity_types.is_empty()
        && let Value::Map(map) = &mut form
        && let Some(Value::Map(properties)) = map.get_mut("properties")
    {
        properties.shift_remove("entities");
    }
    form
}

/// What an interpretation may be, so that what is in it is looked at piece by piece.
pub(super) fn interpreted(domain: &Domain) -> Value {
    let key = if domain.facts.is_empty() { Value::map() } else { one_of(names(domain.facts.keys())) };
    let facts = list(object(&[("key", key), ("value", Value::map())]), None);
    interpretation(domain, text(None), None, facts)
}

fn interpretation(domain: &Domain, raw_id: Value, most: Option<u64>, facts: Value) -> Value {
    let mut form = schema(
        r#"{"type":"object","additionalProperties":false,"required":["intent","confidence"],"properties":{
            "intent":{},"confidence":{"type":"number","minimum":0,"maximum":1},"entities":{},"facts":{}}}"#,
    );
    let mut required: Vec<Value> = ["intent", "confidence", "facts"].map(Value::from).into();
    let entities = if domain.entity_types.is_empty() {
        // One that writes freely may say that there are none; it is not asked for.
        schema(r#"{"type":"array","maxItems":0}"#)
    } else {
        required.push("entities".into());
        list(object(&[("type", one_of(names(domain.entity_types.keys()))), ("raw_id", raw_id)]), most)
    };
    set(&mut form, &["required"], Value::List(required));
    set(&mut form, &["properties", "intent"], one_of(names(domain.intents.keys())));
    set(&mut form, &["properties", "entities"], entities);
    set(&mut form, &["properties", "facts"], facts);
    form
}

fn fact(keys: &[Value], value: &Value) -> Value {
    object(&[("key", one_of(keys.to_vec())), ("value", value.clone())])
}

/// The domain's facts by the form of their values; all in one, of any form, where there are too many forms.
fn kinds(domain: &Domain) -> Vec<(Vec<Value>, Value)> {
    let mut kinds: Vec<(Vec<Value>, Value)> = Vec::new();
    for (key, fact) in &domain.facts {
        let form = value(&fact.value);
        match kinds.iter_mut().find(|(_, known)| *known == form) {
            Some((keys, _)) => keys.push(key.as_str().into()),
            None => kinds.push((vec![key.as_str().into()], form)),
        }
    }
    if kinds.len() > MAX_KINDS { vec![(names(domain.facts.keys()), Value::map())] } else { kinds }
}

/// The form of a value of this type.
fn value(field: &FieldType) -> Value {
    let name = match field.r#type.as_str() {
        "integer" => "integer",
        "decimal" => "number",
        "boolean" => "boolean",
        "text" | "instant" | "duration" | "reference" => return text(Some(MAX_TEXT)),
        "enum" if !field.values.is_empty() => return one_of(field.values.clone()),
        _ => return Value::map(),
    };
    Value::from([("type", name)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use throughline_model::schema::{is_strict, problems, reduce, tighten};

    fn domain(text: &str) -> Domain {
        throughline_value::from_value(&schema(text)).unwrap()
    }

    #[test]
    fn what_is_asked_for_can_hold_no_more_than_the_domain_knows() {
        let small = domain(r#"{"intents":{"note":{}},"facts":{"owes":{"value":{"type":"integer"}}}}"#);
        let sent = tighten(&interpret(&small)).to_json();
        assert_eq!(
            sent,
            r#"{"type":"object","additionalProperties":false,"required":["intent","confidence","facts"],"properties":{"intent":{"enum":["note"]},"confidence":{"type":"number"},"facts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["key","value"],"properties":{"key":{"enum":["owes"]},"value":{"type":"integer"}}},"maxItems":1}}}"#
        );
        assert!(is_strict(&reduce(&interpret(&small))));
        let mixed = domain(
            r#"{"intents":{"a":{}},"entity_types":{"car":{}},"facts":{"n":{"value":{"type":"integer"}},"m":{"value":{"type":"integer"}},
                "tags":{"cardinality":"many","value":{"type":"text"}},"level":{"value":{"type":"enum","values":["low","high"]}}}}"#,
        );
        let asked = interpret(&mixed);
        assert_eq!(asked.at(&["properties", "facts", "maxItems"]), Some(&Value::from(11)));
        let kinds = asked.at(&["properties", "facts", "items", "anyOf"]).unwrap().as_list().unwrap();
        let shown: Vec<String> = kinds.iter().map(|kind| kind.get("properties").unwrap().to_json()).collect();
        assert_eq!(
            shown,
            [
                r#"{"key":{"enum":["n","m"]},"value":{"type":"integer"}}"#,
                r#"{"key":{"enum":["tags"]},"value":{"type":"string","minLength":1,"maxLength":200}}"#,
                r#"{"key":{"enum":["level"]},"value":{"enum":["low","high"]}}"#,
            ]
        );
    }

    #[test]
    fn what_is_taken_may_have_a_wrong_value_which_is_refused_alone() {
        let domain = domain(
            r#"{"intents":{"note":{}},"facts":{"owes":{"value":{"type":"integer"}},"name":{"value":{"type":"text"}}}}"#,
        );
        let reply = schema(
            r#"{"intent":"note","confidence":1,"entities":[],"facts":[{"key":"owes","value":"a lot"},{"key":"name","value":"Ann"},{"key":"name","value":"Ben"}]}"#,
        );
        assert!(!problems(&reply, &interpret(&domain)).is_empty());
        assert_eq!(problems(&reply, &interpreted(&domain)), []);
        let invented =
            schema(r#"{"intent":"note","confidence":1,"entities":[{"type":"car","raw_id":"x"}],"facts":[]}"#);
        assert!(!problems(&invented, &interpreted(&domain)).is_empty());
    }
}
