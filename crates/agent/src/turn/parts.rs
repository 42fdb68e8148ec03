//! What a request repeats from turn to turn, recorded once.
//!
//! Instructions, schema and tools are the same in most requests. The record of the first request that has one of them
//! carries it under its hash, in `parts`; there and in every later request `{"part": "<hash>"}` stands for it. What was
//! sent is whole again wherever a request is read or shown.

use std::rc::Rc;

use throughline_journal::Digest;
use throughline_value::{Map, SortedMap, Value};

/// What has fewer bytes than this is recorded as it is.
pub const MIN_PART_BYTES: usize = 256;

/// The most parts that a journal's requests refer to; beyond them everything is recorded as it is.
pub const MAX_PARTS: usize = 1_024;

/// The kind of the records that have parts.
pub const REQUESTED: &str = "exchange.requested";

const PART: &str = "part";
const PARTS: &str = "parts";
const REQUEST: &str = "request";

/// The parts of a journal's requests, by their hashes.
#[derive(Clone, Debug, Default)]
pub struct Parts(SortedMap<String, Rc<Value>>);

/// The places of a request in which a part may stand.
fn places(request: &mut Map) -> impl Iterator<Item = &mut Value> {
    request.iter_mut().flat_map(|(name, value)| match (name.as_str(), value) {
        ("schema" | "tools", value) => vec![value],
        ("messages", Value::List(messages)) => messages.iter_mut().filter_map(stable_text).collect(),
        _ => Vec::new(),
    })
}

fn stable_text(message: &mut Value) -> Option<&mut Value> {
    let Value::Map(message) = message else { return None };
    let is_stable = message.get("role").and_then(Value::as_str) == Some("system");
    message.get_mut("text").filter(|_| is_stable)
}

fn hash_of(part: &Value) -> String {
    let mut digest = Digest::new(PART);
    digest.value(part);
    digest.finish()
}

impl Parts {
    /// Takes the parts that the record of a request carries.
    pub fn take(&mut self, data: &Value) {
        for (hash, part) in data.get(PARTS).and_then(Value::as_map).into_iter().flatten() {
            self.0.insert(hash.clone(), Rc::new(part.clone()));
        }
    }

    /// Puts what stands for them in the place of a request's parts; those that are new go along.
    pub fn split(&self, data: &mut Value) {
        let Value::Map(data) = data else { return };
        let Some(Value::Map(request)) = data.get_mut(REQUEST) else { return };
        let mut new = Map::new();
        for place in places(request) {
            if place.to_json().len() < MIN_PART_BYTES {
                continue;
            }
            let hash = hash_of(place);
            let is_known = self.0.contains_key(&hash) || new.contains_key(&hash);
            if !is_known && self.0.len() + new.len() >= MAX_PARTS {
                continue;
            }
            let part = std::mem::replace(place, Value::from([(PART, hash.as_str())]));
            if !is_known {
                new.insert(hash, part);
            }
        }
        if !new.is_empty() {
            data.insert(PARTS.to_owned(), Value::Map(new));
        }
    }

    /// The record's data as if it had no parts. One that is not known stays what stands for it.
    #[must_use]
    pub fn whole(&self, data: &Value) -> Value {
        let mut data = data.clone();
        let Value::Map(map) = &mut data else { return data };
        map.shift_remove(PARTS);
        if let Some(Value::Map(request)) = map.get_mut(REQUEST) {
            for place in places(request) {
                let part = place.get(PART).and_then(Value::as_str).and_then(|hash| self.0.get(hash));
                if let Some(part) = part.filter(|_| place.as_map().is_some_and(|map| map.len() == 1)) {
                    *place = Value::clone(part);
                }
            }
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(user: &str) -> Value {
        let text = "You take down wishes. ".repeat(20);
        let message = |role: &str, text: &str| Value::from([("role", role), ("text", text)]);
        let schema = Value::from([("enum", Value::from(vec!["one choice of many"; 20]))]);
        let request = Value::from([
            ("messages", Value::List(vec![message("system", &text), message("user", user)])),
            ("schema", schema),
            ("language", Value::from("en")),
        ]);
        Value::from([("exchange", Value::from("x1.interpret.1")), ("request", request)])
    }

    #[test]
    fn a_part_is_recorded_once_and_every_request_is_whole_again() {
        let mut parts = Parts::default();
        let mut first = data("one");
        parts.split(&mut first);
        assert_eq!(first.get("parts").and_then(Value::as_map).map(Map::len), Some(2));
        assert_eq!(first.at(&["request", "messages", "1", "text"]), Some(&Value::from("one")));
        parts.take(&first);
        let mut second = data("two");
        parts.split(&mut second);
        assert!(second.get("parts").is_none() && second.to_json().len() * 3 < data("two").to_json().len());
        assert_eq!((parts.whole(&first), parts.whole(&second)), (data("one"), data("two")));
        assert_eq!(parts.whole(&data("as before")), data("as before"));
    }

    #[test]
    fn beyond_the_most_parts_everything_is_recorded_as_it_is() {
        let mut parts = Parts::default();
        for n in 0..MAX_PARTS {
            parts.0.insert(n.to_string(), Rc::new(Value::Null));
        }
        let mut more = data("one");
        parts.split(&mut more);
        assert_eq!(more, data("one"));
    }
}
