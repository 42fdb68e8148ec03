//! `docs/commands.md`: every command and query, with its fields.

use std::fmt::Write as _;

use super::read::{Protocol, Struct};
use super::write::plain;
use crate::error::{Error, Result};

/// The reference as Markdown.
pub(super) fn reference(protocol: &Protocol) -> Result<String> {
    let mut out = String::from(
        "# Commands and queries\n\nWritten by `cargo xtask schema` from `crates/protocol`; do not edit. The same as JSON \
         Schema: `docs/schema/command.schema.json`, `docs/schema/query.schema.json`. Each is a map with its `type` and the \
         fields below: the npm package's `session.execute(command, meta)` and `session.query(query)`, the steps of scenario \
         files, and the inspector's palette take them. A field in bold must be there.\n",
    );
    for (what, title) in [("command", "Commands"), ("query", "Queries"), ("intervention", "Interventions of a fork")] {
        let choice = protocol.tagged.get(what).ok_or_else(|| Error::new(format!("the protocol has no {what}s")))?;
        let _ = write!(out, "\n## {title}\n");
        for (tag, structure, doc) in &choice.cases {
            let made = protocol.structs.get(structure);
            let made = made.ok_or_else(|| Error::new(format!("the protocol has no structure `{structure}`")))?;
            let words = if what == "query" { doc } else { &made.doc };
            let _ = write!(out, "\n### {tag}\n\n{}\n", plain(words));
            fields(&mut out, made);
        }
    }
    for (name, title) in
        [("Meta", "Who, when, why"), ("Moment", "A point to view at"), ("MemoryItem", "An event to remember")]
    {
        if let Some(made) = protocol.structs.get(name) {
            let _ = write!(out, "\n## {title} (`{name}`)\n\n{}\n", plain(&made.doc));
            fields(&mut out, made);
        }
    }
    for (name, choice) in &protocol.enums {
        let words: Vec<String> =
            choice.cases.iter().map(|(word, _, doc)| format!("`{word}`: {}", plain(doc))).collect();
        let _ = write!(out, "\n## {name}\n\n{}\n", words.join(" "));
    }
    Ok(out)
}

fn fields(out: &mut String, made: &Struct) {
    if made.fields.is_empty() {
        return;
    }
    out.push_str("\n| field | type | |\n|---|---|---|\n");
    for field in &made.fields {
        let name = if field.required { format!("**{}**", field.name) } else { field.name.clone() };
        let _ = writeln!(out, "| {name} | {} | {} |", kind(&field.kind), plain(&field.doc).replace('|', "\\|"));
    }
}

/// A written type, as words.
fn kind(text: &str) -> String {
    let inner = |prefix: &str| text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>'));
    if let Some(text) = inner("Option<").or_else(|| inner("Box<")) {
        return kind(text);
    }
    if let Some(text) = inner("Vec<") {
        return format!("list of {}", kind(text));
    }
    if let Some(text) = inner("Named<") {
        return format!("map of {}", kind(text));
    }
    match text.rsplit("::").next().unwrap_or(text) {
        "String" => "text".to_owned(),
        "bool" => "boolean".to_owned(),
        "u64" | "u32" | "u8" | "usize" | "i64" | "i32" | "Millis" => "integer".to_owned(),
        "Seq" => "record".to_owned(),
        "Value" => "any".to_owned(),
        "Map" => "map".to_owned(),
        "Number" => "number".to_owned(),
        "Time" => "instant".to_owned(),
        other => format!("`{other}`"),
    }
}
