//! Lists of calls in JSON: `{plan, evidence: {placeholder, tool, tool_input}}` and `{name, arguments, label}`.

use throughline_expr::Expr;
use throughline_value::{Map, Value};

use super::{Argument, Call, expression, pieces, rewoo, say};
use crate::check::problems::Problems;
use crate::scope::Scope;

/// The plan in our text form, when it is a list of calls in another spelling.
pub(crate) fn json_calls(plan: &Value, scope: &Scope, problems: &mut Problems) -> Option<String> {
    let inner = plan.get("steps").or_else(|| plan.get("plan")).unwrap_or(plan);
    let items = inner.as_list().filter(|items| !items.is_empty())?;
    let has = |name: &str| items.iter().all(|item| item.get(name).is_some());
    let read: fn(&Map, usize, &mut Problems) -> Option<Call> = if has("evidence") {
        evidence
    } else if has("name") && has("arguments") {
        labelled
    } else {
        return None;
    };
    let mut calls = Vec::new();
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let call = item.as_map().and_then(|map| read(map, index + 1, problems));
        let Some(call) = call else {
            say(problems, true, index + 1, "this item of the list is not a call");
            continue;
        };
        // The item that only names what is given back is no call of a tool.
        if call.tool.starts_with("var_result") && !scope.tools.contains_key(&call.tool) {
            out.push_str(&super::text(&calls, scope));
            calls.clear();
            let parts: Vec<_> = call
                .arguments
                .iter()
                .map(|a| format!("{}: {}", crate::text::quote_plain(a.name.as_deref().unwrap_or("")), a.value))
                .collect();
            crate::print::write_step(
                &mut out,
                &format!("${}", call.id),
                &format!("COMPUTE {{{}}}", parts.join(", ")),
                "",
            );
            continue;
        }
        calls.push(call);
    }
    out.push_str(&super::text(&calls, scope));
    Some(out)
}

fn evidence(item: &Map, _number: usize, _problems: &mut Problems) -> Option<Call> {
    let evidence = item.get("evidence")?;
    let id = evidence.get("placeholder")?.as_str()?.strip_prefix('#')?.to_owned();
    let tool = evidence.get("tool")?.as_str()?.to_owned();
    let note = item.get("plan").and_then(Value::as_str).unwrap_or("").to_owned();
    let arguments = match evidence.get("tool_input")? {
        Value::Map(map) => map
            .iter()
            .map(|(name, value)| Argument { name: Some(name.clone()), value: rewoo::of_value(value) })
            .collect(),
        value => vec![Argument { name: None, value: rewoo::of_value(value) }],
    };
    is_name(&id).then_some(Call { id, tool, arguments, note })
}

fn labelled(item: &Map, number: usize, problems: &mut Problems) -> Option<Call> {
    let tool = item.get("name")?.as_str()?.to_owned();
    let id = item.get("label").and_then(Value::as_str).unwrap_or(&tool).trim_matches('$').to_owned();
    let id = if is_name(&id) { id } else { format!("s{number}") };
    let arguments = item.get("arguments")?.as_map()?;
    let mut value = |v: &Value| dollars(v, number, problems);
    let arguments = arguments.iter().map(|(name, v)| Argument { name: Some(name.clone()), value: value(v) }).collect();
    Some(Call { id, tool, arguments, note: String::new() })
}

fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// A value whose texts may have `$label.field$` in them.
fn dollars(value: &Value, number: usize, problems: &mut Problems) -> String {
    match value {
        Value::Text(text) => {
            let odd = text.matches('$').count() % 2 == 1;
            if odd && text.contains("$var") {
                say(problems, false, number, &format!("`{text}` has a `$` that is not closed; it is taken as text"));
            }
            expression(pieces(text, &['$'], |behind| {
                let end = behind.find('$')?;
                let inner = behind.get(..end)?;
                let reference = format!("${inner}");
                let first = inner.chars().next()?;
                let fits = (first == '_' || first.is_alphabetic()) && !inner.contains(char::is_whitespace);
                (fits && Expr::parse(&reference).is_ok()).then_some((reference, end + 1))
            }))
        }
        Value::List(items) => {
            format!("[{}]", items.iter().map(|v| dollars(v, number, problems)).collect::<Vec<_>>().join(", "))
        }
        Value::Map(map) => {
            let items: Vec<_> = map
                .iter()
                .map(|(k, v)| format!("{}: {}", crate::text::quote_plain(k), dollars(v, number, problems)))
                .collect();
            format!("{{{}}}", items.join(", "))
        }
        plain => plain.to_json(),
    }
}
