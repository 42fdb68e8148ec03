//! Named time zones: the same rules that the npm package loads, before a command that names one.

use throughline_value::{Value, json};

/// The rules of every named zone; one file for both.
const FILE: &str = include_str!("../../../web/npm/src/zones.ts");

/// Why the rules of a zone were loaded.
pub(crate) const REASON: &str = "a command names the zone";

/// The zones that a command's text names; what cannot be read is the engine's to refuse.
pub(crate) fn named_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.contains("\"zone\"")
        && let Ok(command) = json::read_value(text)
    {
        look(&command, &mut found);
    }
    found
}

fn look(command: &Value, found: &mut Vec<String>) {
    let of = match command.get("type").and_then(Value::as_str) {
        Some("load_domain") => command.get("domain"),
        Some("schedule_event") => command.get("repeat"),
        _ => None,
    };
    if let Some(zone) = of.and_then(|of| of.get("zone")).and_then(Value::as_str) {
        // An offset that is written out needs no rules.
        let named = zone.starts_with(|c: char| c.is_ascii_alphabetic())
            && !["utc", "z"].iter().any(|fixed| zone.eq_ignore_ascii_case(fixed));
        if named && !found.iter().any(|known| known == zone) {
            found.push(zone.to_owned());
        }
    }
    for inner in ["commands", "do"] {
        for one in command.get(inner).and_then(Value::as_list).unwrap_or(&[]) {
            look(one, found);
        }
    }
}

/// The command that loads a zone, as JSON text; `None` when there is no zone of this name.
#[must_use]
pub fn zone_command(name: &str) -> Option<String> {
    let (_, version) = FILE.split_once("VERSION: string = \"")?;
    let (version, rest) = version.split_once('"')?;
    let (_, lines) = rest.split_once("ZONES: string = `")?;
    let find = |wanted: &str, mark: char| {
        lines.lines().find_map(|line| line.strip_prefix(wanted).and_then(|line| line.strip_prefix(mark)))
    };
    let rules = find(name, '=').or_else(|| find(find(name, '@')?, '='))?;
    let command = [("type", "load_zone"), ("name", name), ("rules", rules), ("version", version)];
    Some(Value::from(command.map(|(key, text)| (key, Value::from(text)))).to_json())
}
