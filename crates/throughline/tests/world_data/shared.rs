//! Where the data lies, and a session to try it on.

use std::path::{Path, PathBuf};

use throughline::Local;
use throughline::protocol::{Meta, Refusal};
use throughline::value::{Value, json};

/// A file of the shared data; `None`, said aloud, when it is not there.
pub(crate) fn file(name: &str) -> Option<String> {
    let root = std::env::var_os("THROUGHLINE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let text = std::fs::read_to_string(root.join("data").join(name)).ok();
    if text.is_none() {
        eprintln!("SKIPPED 1: {name} is not beside the checkout");
    }
    text
}

pub(crate) fn rows(name: &str) -> Option<Vec<Value>> {
    Some(file(name)?.lines().map(|line| json::read_value(line).unwrap()).collect())
}

/// A map from pairs.
pub(crate) fn map(pairs: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Map(pairs.into_iter().collect())
}

/// A part of a map; null when it is absent.
pub(crate) fn part<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_list().unwrap_or(&[])
}

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) struct Session(pub(crate) Local);

impl Session {
    pub(crate) fn new(domain: Value) -> Self {
        let mut session = Self(Local::new("data", 1_700_000_000_000));
        session.run(&Value::from([("type", Value::from("load_domain")), ("domain", domain)])).unwrap();
        session
    }

    pub(crate) fn run(&mut self, command: &Value) -> Result<Value, Refusal> {
        self.0.execute(&command.to_json()).map(|done| done.result)
    }

    pub(crate) fn with(&mut self, command: &Value, meta: Meta) -> Result<Value, Refusal> {
        self.0.execute_with(&command.to_json(), meta).map(|done| done.result)
    }

    pub(crate) fn propose(&mut self, action: &str, args: Value) -> Result<Value, Refusal> {
        self.run(&Value::from([("type", Value::from("propose")), ("action", action.into()), ("args", args)]))
    }

    pub(crate) fn ask(&self, query: &str) -> Value {
        self.0.query(query).unwrap_or_else(|refusal| panic!("{refusal}: {query}"))
    }

    pub(crate) fn content(&self) -> String {
        text(&self.ask(r#"{"type":"digests"}"#), "content").to_owned()
    }
}
