//! The ReWOO spelling: `Plan: …`, `#E1 = Tool[input with #E2]`.

use throughline_expr::{Expr, MapEnv};
use throughline_value::Value;

use super::{Argument, Call, digits, expression, pieces, say};
use crate::check::problems::Problems;

/// Whether the text has a step of this spelling.
pub(super) fn is(text: &str) -> bool {
    text.lines().any(|line| !starts(line).is_empty())
}

/// Where steps start in a line: the bytes of `#E1` and of what stands behind its `=`.
fn starts(line: &str) -> Vec<(usize, usize, usize)> {
    line.match_indices("#E")
        .filter_map(|(at, _)| {
            let number = digits(line.get(at + 2..)?);
            let end = at + 2 + number;
            let tail = line.get(end..)?;
            let body = tail.trim_start().strip_prefix('=').filter(|t| number > 0 && !t.starts_with('='))?;
            let before = line.get(..at)?;
            (before.is_empty() || before.ends_with([' ', '\t', '.', ']', ')'])).then_some((
                at,
                end,
                line.len() - body.len(),
            ))
        })
        .collect()
}

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut note = String::new();
    for (index, line) in text.lines().enumerate() {
        let starts = starts(line);
        let prose_end = starts.first().map_or(line.len(), |(at, ..)| *at);
        if let Some(plan) = line.get(..prose_end).unwrap_or("").trim().strip_prefix("Plan:") {
            plan.trim().clone_into(&mut note);
        }
        for (i, (at, end, body)) in starts.iter().enumerate() {
            let stop = starts.get(i + 1).map_or(line.len(), |(next, ..)| *next);
            let id = line.get(at + 1..*end).unwrap_or("").to_owned();
            let body = line.get(*body..stop).unwrap_or("").trim();
            let (tool, input) = call(body, &id, index + 1, problems);
            let arguments = if tool.is_empty() { Vec::new() } else { arguments(input) };
            // A step that cannot be read keeps its place, so that what uses it is not said to be wrong too.
            let tool = if tool.is_empty() { "unreadable".to_owned() } else { tool.to_owned() };
            calls.push(Call { id, tool, arguments, note: std::mem::take(&mut note) });
        }
    }
    calls
}

/// The tool and what stands in its brackets; an empty tool when there is none, which is then reported.
fn call<'a>(body: &'a str, id: &str, line: usize, problems: &mut Problems) -> (&'a str, &'a str) {
    let end = body.find(|c: char| c != '_' && c != '-' && c != '.' && !c.is_alphanumeric()).unwrap_or(body.len());
    let (tool, rest) = body.split_at(end);
    let Some(inner) = rest.strip_prefix('[').filter(|_| !tool.is_empty()) else {
        say(problems, true, line, &format!("#{id} is not a call; write `#{id} = Tool[input]`"));
        return ("", "");
    };
    let mut depth = 1_usize;
    let close = inner.char_indices().find_map(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    let Some(close) = close else {
        // A bracket too many inside: the last one of the line closes.
        let last = inner.trim_end().strip_suffix(']');
        say(problems, false, line, "a bracket is not closed; the end of the line closes it");
        return (tool, last.unwrap_or(inner));
    };
    let input = inner.get(..close).unwrap_or("");
    let left = inner.get(close + 1..).unwrap_or("").trim();
    if left.contains('[') {
        say(
            problems,
            true,
            line,
            &format!("several calls stand behind #{id}; write one call a line, each with its own name"),
        );
    } else if !left.trim_matches(['.', ',', ';']).is_empty() {
        say(problems, false, line, &format!("`{left}` behind the call is left out"));
    }
    (tool, input)
}

fn arguments(input: &str) -> Vec<Argument> {
    let input = input.trim();
    // A map that reads as one is named arguments; anything else is one text.
    if input.starts_with('{')
        && let Ok(expr) = Expr::parse(input)
        && expr.names().is_empty()
        && let Ok(Value::Map(map)) = expr.eval(&MapEnv::new())
    {
        return map.into_iter().map(|(name, value)| Argument { name: Some(name), value: of_value(&value) }).collect();
    }
    let unquoted = ['"', '\'']
        .iter()
        .find_map(|q| input.strip_prefix(*q).and_then(|t| t.strip_suffix(*q)).filter(|t| !t.contains(*q)));
    vec![Argument { name: None, value: mixed(unquoted.unwrap_or(input)) }]
}

/// A text with `#E1` in it as an expression.
pub(super) fn mixed(text: &str) -> String {
    expression(pieces(text, '#', |behind| {
        let number = digits(behind.strip_prefix('E')?);
        (number > 0).then(|| (format!("$E{}", behind.get(1..=number).unwrap_or("")), number + 1))
    }))
}

/// A value whose texts may have `#E1` in them.
pub(super) fn of_value(value: &Value) -> String {
    match value {
        Value::Text(text) => mixed(text),
        Value::List(items) => format!("[{}]", items.iter().map(of_value).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let items: Vec<_> =
                map.iter().map(|(k, v)| format!("{}: {}", crate::text::quote_plain(k), of_value(v))).collect();
            format!("{{{}}}", items.join(", "))
        }
        plain => plain.to_json(),
    }
}
