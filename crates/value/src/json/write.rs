//! The writers: compact, pretty, and canonical.

use std::fmt::Write as _;

use crate::{InOrder as _, Value};

/// Compact JSON text; numbers as they were written, names in the order given.
#[must_use]
pub fn write(value: &Value) -> String {
    let mut out = String::new();
    compact(value, &mut out);
    out
}

/// JSON text for people: two spaces a level; short lists of plain values on one line.
#[must_use]
pub fn write_pretty(value: &Value) -> String {
    let mut out = String::new();
    pretty(value, 0, &mut out);
    out
}

/// The one text that all equal values share: names sorted by their bytes, numbers in canonical form.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    sorted(value, &mut out);
    out
}

/// A text in double quotes with JSON's escapes.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(text, &mut out);
    out
}

fn quote_into(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Most of a text is copied in long pieces; what is escaped is one byte.
    loop {
        let plain = super::plain(rest.as_bytes());
        if plain == rest.len() {
            break;
        }
        out.push_str(rest.get(..plain).unwrap_or(""));
        match rest.as_bytes().get(plain) {
            Some(b'"') => out.push_str("\\\""),
            Some(b'\\') => out.push_str("\\\\"),
            Some(b'\n') => out.push_str("\\n"),
            Some(b'\r') => out.push_str("\\r"),
            Some(b'\t') => out.push_str("\\t"),
            other => {
                let _ = write!(out, "\\u{:04x}", other.copied().unwrap_or(0));
            }
        }
        rest = rest.get(plain + 1..).unwrap_or("");
    }
    out.push_str(rest);
    out.push('"');
}

fn scalar(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number.as_str()),
        Value::Text(text) => quote_into(text, out),
        Value::List(_) | Value::Map(_) => {}
    }
}

fn compact(value: &Value, out: &mut String) {
    match value {
        Value::List(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                compact(item, out);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (i, (name, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                quote_into(name, out);
                out.push(':');
                compact(item, out);
            }
            out.push('}');
        }
        plain => scalar(plain, out),
    }
}

fn sorted(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&number.canonical()),
        Value::List(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                sorted(item, out);
            }
            out.push(']');
        }
        Value::Map(map) => {
            let mut names: Vec<_> = map.iter().collect();
            names.order_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (i, (name, item)) in names.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                quote_into(name, out);
                out.push(':');
                sorted(item, out);
            }
            out.push('}');
        }
        plain => scalar(plain, out),
    }
}

fn pretty(value: &Value, level: usize, out: &mut String) {
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    };
    match value {
        Value::List(list) if list.iter().all(|v| !matches!(v, Value::List(_) | Value::Map(_))) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                scalar(item, out);
            }
            out.push(']');
        }
        Value::List(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                line(out, level + 1);
                pretty(item, level + 1, out);
            }
            line(out, level);
            out.push(']');
        }
        Value::Map(map) if map.is_empty() => out.push_str("{}"),
        Value::Map(map) => {
            out.push('{');
            for (i, (name, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                line(out, level + 1);
                quote_into(name, out);
                out.push_str(": ");
                pretty(item, level + 1, out);
            }
            line(out, level);
            out.push('}');
        }
        plain => scalar(plain, out),
    }
}
