//! A small validator for JSON Schema (2020-12), and the reduced schemas that providers accept.
//!
//! Checked: `type enum const required properties patternProperties additionalProperties propertyNames
//! dependentRequired items prefixItems contains minContains maxContains minimum maximum exclusiveMinimum
//! exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems uniqueItems minProperties
//! maxProperties anyOf oneOf allOf not if then else`, local `$ref` (`#/$defs/…`) and schemas that are `true` or
//! `false`. Not checked, and named by [`unsupported`]: patterns that look around or refer back, other formats
//! than dates, times, durations, addresses of mail, identifiers and addresses, and the keywords that look at
//! what other keywords left over (`unevaluated…`). A schema that uses them is still valid, but they constrain
//! nothing here.

mod check;
mod format;
mod pattern;
mod reduce;

use throughline_value::Value;

pub(crate) use check::TOO_COSTLY;
pub use check::{MAX_SCHEMA_DEPTH, MAX_SCHEMA_STEPS, problems};
pub use reduce::{MAX_SENT_ITEMS, MAX_SENT_LENGTH, close, is_strict, reduce, tighten};

/// One way in which a value does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A stable code: `wrong-type`, `not-in-enum`, `missing-field`, `unknown-field`, `too-small`, `too-large`,
    /// `too-short`, `too-long`, `not-multiple`, `not-unique`, `no-alternative`, `many-alternatives`,
    /// `excluded`, `bad-reference`, `schema-too-deep`, `schema-too-costly`, `no-match`, `wrong-format`, `too-few`, `too-many`.
    pub code: &'static str,
    /// Where in the value, as a JSON pointer; empty for the root.
    pub path: String,
    /// What is wrong and what would fit.
    pub message: String,
    /// The values that would fit, where they are listed.
    pub allowed: Vec<Value>,
}

/// Keywords that say nothing about a value.
const SILENT: &[&str] = &[
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$anchor",
];

/// Keywords that are checked.
const CHECKED: &[&str] = &[
    "type",
    "enum",
    "const",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "prefixItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "$ref",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "contains",
    "minContains",
    "maxContains",
    "if",
    "then",
    "else",
];

/// The places of a schema whose keywords are not checked here, as JSON pointers into the schema.
///
/// ```
/// use throughline_model::schema;
/// use throughline_value::json;
/// let schema = json::read_value(r#"{"properties": {"id": {"pattern": "^SF"}, "at": {"format": "idn-email"}}}"#)?;
/// assert_eq!(schema::unsupported(&schema), ["/properties/at/format"]);
/// # Ok::<(), throughline_value::Error>(())
/// ```
#[must_use]
pub fn unsupported(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(schema, "", 0, &mut |keyword, value, path| {
        let checked = match keyword {
            "pattern" => value.as_str().is_some_and(|text| pattern::compile(text).is_some()),
            "format" => value.as_str().is_some_and(|name| format::FORMATS.contains(&name)),
            "patternProperties" => {
                value.as_map().is_some_and(|map| map.keys().all(|text| pattern::compile(text).is_some()))
            }
            _ => CHECKED.contains(&keyword) || SILENT.contains(&keyword),
        };
        if !checked {
            found.push(path.to_owned());
        }
    });
    found
}

/// Visits the keywords of a schema and of the schemas inside it.
fn walk(schema: &Value, path: &str, depth: usize, visit: &mut dyn FnMut(&str, &Value, &str)) {
    let Some(map) = schema.as_map().filter(|_| depth < MAX_SCHEMA_DEPTH) else { return };
    for (keyword, inner) in map {
        let here = format!("{path}/{}", escape(keyword));
        visit(keyword, inner, &here);
        match (keyword.as_str(), inner) {
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Map(named)) => {
                for (name, inner) in named {
                    walk(inner, &format!("{here}/{}", escape(name)), depth + 1, visit);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::List(list)) => {
                for (i, inner) in list.iter().enumerate() {
                    walk(inner, &format!("{here}/{i}"), depth + 1, visit);
                }
            }
            (
                "items" | "additionalProperties" | "not" | "contains" | "propertyNames" | "if" | "then" | "else",
                inner,
            ) => walk(inner, &here, depth + 1, visit),
            _ => {}
        }
    }
}

/// A name as a step of a JSON pointer.
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The schema that a local reference points to.
fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |value, step| {
        let step = percent_decode(step)?.replace("~1", "/").replace("~0", "~");
        value.at(&[step.as_str()])
    })
}

fn percent_decode(step: &str) -> Option<String> {
    if !step.contains('%') {
        return Some(step.to_owned());
    }
    let mut out = Vec::new();
    let mut bytes = step.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}
