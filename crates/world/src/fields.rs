//! Reading recorded outcomes. Everything is optional here: a record that lacks something is set aside.

use throughline_journal::Millis;
use throughline_value::{Map, Value};

/// The named value, unless it is absent or null.
pub(crate) fn present<'a>(data: &'a Value, name: &str) -> Option<&'a Value> {
    data.get(name).filter(|value| !value.is_null())
}

pub(crate) fn text<'a>(data: &'a Value, name: &str) -> Option<&'a str> {
    data.get(name).and_then(Value::as_str)
}

pub(crate) fn millis(data: &Value, name: &str) -> Option<Millis> {
    data.get(name).and_then(Value::as_i64)
}

pub(crate) fn flag(data: &Value, name: &str) -> bool {
    data.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// Optional, but not of another kind.
pub(crate) fn optional<'a, T>(
    data: &'a Value,
    name: &str,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Option<Option<T>> {
    match present(data, name) {
        None => Some(None),
        Some(value) => read(value).map(Some),
    }
}

pub(crate) fn texts<'a>(data: &'a Value, name: &str) -> Option<Vec<&'a str>> {
    match present(data, name) {
        None => Some(Vec::new()),
        Some(value) => value.as_list()?.iter().map(Value::as_str).collect(),
    }
}

/// A map of what is there: entries without a value are left out.
pub(crate) fn map<const N: usize>(pairs: [(&str, Option<Value>); N]) -> Value {
    Value::Map(pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Map>())
}

/// The value, when it says something.
pub(crate) fn some(value: Value) -> Option<Value> {
    let empty = match &value {
        Value::Null => true,
        Value::Map(map) => map.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Bool(bool) => !bool,
        _ => false,
    };
    (!empty).then_some(value)
}
