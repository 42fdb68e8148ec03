//! The LLMCompiler spelling: `1. tool(arguments)` with `$1`, and `join()` at the end.

use throughline_value::{Number, SortedSet, Span};

use super::{Argument, Call, digits, expression, pieces, say};
use crate::Op;
use crate::check::problems::Problems;
use crate::text::Cursor;

/// Whether the text has a step of this spelling.
pub(super) fn is(text: &str) -> bool {
    text.lines().any(|line| start(line).is_some())
}

/// The number, the tool and what stands behind the opening bracket.
fn start(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.trim_start();
    let count = digits(line);
    let (number, rest) = line.split_at_checked(count).filter(|(n, _)| !n.is_empty())?;
    let rest = rest.strip_prefix(['.', ')'])?.trim_start();
    let end = rest.find(|c: char| c != '_' && c != '-' && c != '.' && !c.is_alphanumeric())?;
    let (tool, rest) = rest.split_at(end);
    let body = rest.strip_prefix('(')?;
    (!tool.is_empty() && Op::parse(tool).is_none()).then_some((number, tool, body))
}

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<Call> {
    let lines: Vec<_> = text.lines().enumerate().filter_map(|(i, line)| Some((i + 1, start(line)?))).collect();
    let numbers: SortedSet<&str> = lines.iter().map(|(_, (number, ..))| *number).collect();
    let mut calls = Vec::new();
    let mut ended = None;
    for (line, (number, tool, body)) in lines {
        if tool == "join" {
            ended.get_or_insert(line);
            continue;
        }
        if let Some(end) = ended {
            say(
                problems,
                false,
                line,
                &format!("this call stands behind the `join` of line {end}; it is read all the same"),
            );
        }
        let inside = inside(body, line, problems);
        let arguments = arguments(inside, &numbers);
        calls.push(Call { id: format!("s{number}"), tool: tool.to_owned(), arguments, note: String::new() });
    }
    calls
}

/// What stands between the brackets.
fn inside<'a>(body: &'a str, line: usize, problems: &mut Problems) -> &'a str {
    let mut cursor = Cursor::new(body, Span::new(0, body.len()));
    let mut depth = 0_usize;
    while let Some(c) = cursor.peek() {
        if matches!(c, '"' | '\'') {
            let quoted = cursor.quoted();
            if quoted.is_some_and(|q| q.open) {
                break;
            }
            continue;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                let left = body.get(cursor.at + 1..).unwrap_or("").replace("<END_OF_PLAN>", "");
                let left = left.trim();
                if start(left).is_some() || left.contains('(') {
                    say(problems, true, line, "several calls stand on one line; write one call a line");
                } else if !left.is_empty() {
                    say(problems, false, line, &format!("`{left}` behind the call is left out"));
                }
                return body.get(..cursor.at).unwrap_or("");
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        cursor.at += c.len_utf8();
    }
    say(problems, false, line, "a bracket is not closed; the end of the line closes it");
    body.trim_end()
}

fn arguments(inside: &str, numbers: &SortedSet<&str>) -> Vec<Argument> {
    let cursor = Cursor::new(inside, Span::new(0, inside.len()));
    if inside.trim().is_empty() {
        return Vec::new();
    }
    let parts = cursor.split_commas();
    parts
        .into_iter()
        .map(|span| {
            let mut part = Cursor::new(inside, span);
            let named = part.name().and_then(|name| {
                part.skip_space();
                part.eat("=").then(|| cursor.slice(name).to_owned())
            });
            let value = if named.is_some() { part.remaining() } else { span };
            Argument { name: named, value: value_of(cursor.slice(value), numbers) }
        })
        .collect()
}

/// A literal of the other language as an expression of ours; what is none is a text.
fn value_of(text: &str, numbers: &SortedSet<&str>) -> String {
    let text = text.trim();
    let mut cursor = Cursor::new(text, Span::new(0, text.len()));
    if let Some(quoted) = cursor.quoted()
        && cursor.is_done()
    {
        return mixed(&quoted.value, numbers);
    }
    if let Some(inner) = text.strip_prefix('[').map(|t| t.strip_suffix(']').unwrap_or(t)) {
        let inner_cursor = Cursor::new(inner, Span::new(0, inner.len()));
        let parts = if inner.trim().is_empty() { Vec::new() } else { inner_cursor.split_commas() };
        let items: Vec<_> = parts.into_iter().map(|span| value_of(inner_cursor.slice(span), numbers)).collect();
        return format!("[{}]", items.join(", "));
    }
    match text {
        "True" | "true" => "true".to_owned(),
        "False" | "false" => "false".to_owned(),
        "None" | "null" => "null".to_owned(),
        _ if Number::parse(text).is_some() => text.to_owned(),
        _ => mixed(text, numbers),
    }
}

/// A text with `$1` or `${1}` in it as an expression. A number that no step has is money, not a reference.
fn mixed(text: &str, numbers: &SortedSet<&str>) -> String {
    expression(pieces(text, '$', |behind| {
        let (inner, brackets) = behind.strip_prefix('{').map_or((behind, 0), |t| (t, 2));
        let count = digits(inner);
        let number = inner.get(..count).filter(|n| numbers.contains(n))?;
        let closed = brackets == 0 || inner.get(count..)?.starts_with('}');
        closed.then(|| (format!("$s{number}"), count + brackets))
    }))
}
