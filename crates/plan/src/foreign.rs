//! Plans in the spellings of other systems, written down in ours.
//!
//! Each reader gives calls; [`text`] writes them as `CALL` steps in the text form, which is then checked like
//! any other plan. What a reader cannot take is reported with its line, and never left out in silence.

mod arrow;
mod bracket;
mod call_list;
mod rewoo;
mod scan;

pub(crate) use call_list::json_calls;

use throughline_value::{Span, Value};

use crate::Op;
use crate::check::problems::Problems;
use crate::print::{argument_name, name, write_step};
use crate::scope::Scope;
use crate::text::quote_plain;

/// One call of a foreign plan.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) note: String,
}

/// An argument, by name or by place.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: Option<String>,
    /// An expression.
    pub(crate) value: String,
}

/// A part of a text that mixes words and references.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Words(String),
    Reference(String),
}

/// The plan in our text form, when `text` is in another spelling.
pub(crate) fn read(text: &str, scope: &Scope, problems: &mut Problems) -> Option<String> {
    if text.lines().any(is_ours) {
        return None;
    }
    // What stands around the marks may be anything; what ends lines is not.
    let text = &text.replace("\r\n", "\n").replace('\r', "\n");
    let calls = if rewoo::is(text) {
        rewoo::read(text, problems)
    } else if bracket::is(text) {
        bracket::read(text, problems)
    } else if arrow::is(text) {
        return Some(arrow::read(text, scope, problems));
    } else {
        return None;
    };
    Some(self::text(&calls, scope))
}

/// The plan in JSON that stands in a code fence, with prose around it.
pub(crate) fn fenced(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("```")?;
    let (_, inner) = behind.split_once('\n')?;
    let inner = inner.split_once("```").map_or(inner, |(inner, _)| inner).trim();
    inner.starts_with(['[', '{']).then_some(inner)
}

/// `$name = OPERATION …`: a text that has such a line is in our spelling, whatever its remarks look like.
fn is_ours(line: &str) -> bool {
    let Some((name, body)) = line.split_once('=') else { return false };
    let name = crate::scope::bare(name.trim());
    let word = body.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    argument_name(name) == name && !name.is_empty() && Op::parse(word).is_some()
}

/// The calls in the text form.
pub(crate) fn text(calls: &[Call], scope: &Scope) -> String {
    let mut out = String::new();
    for call in calls {
        let schema = scope.tools.get(&call.tool).map(|rule| &rule.schema);
        let properties = schema.and_then(|s| s.get("properties")).and_then(Value::as_map);
        let places = call.arguments.iter().filter(|a| a.name.is_none()).count();
        let mut place = 0;
        let arguments: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| {
                let by_place = || {
                    place += 1;
                    let named = properties.and_then(|p| p.keys().nth(place - 1)).cloned();
                    named.unwrap_or_else(|| if places == 1 { "input".to_owned() } else { format!("input{place}") })
                };
                let name = argument.name.clone().unwrap_or_else(by_place);
                format!("{}: {}", argument_name(&name), argument.value)
            })
            .collect();
        let action = format!("CALL {}({})", name(&call.tool), arguments.join(", "));
        write_step(&mut out, &format!("${}", call.id), &action, &call.note);
    }
    out
}

/// Words and references as one expression. Words are quoted: nothing in them is read again.
pub(crate) fn expression(pieces: Vec<Piece>) -> String {
    let parts: Vec<String> = pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Words(words) => quote_plain(&words),
            Piece::Reference(reference) => reference,
        })
        .collect();
    if parts.is_empty() { "\"\"".to_owned() } else { parts.join(" ~ ") }
}

/// Splits a text at its references. `reference` looks at what stands behind the mark and gives the reference
/// and how many bytes it takes.
pub(crate) fn pieces(text: &str, marks: &[char], reference: impl Fn(&str) -> Option<(String, usize)>) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(marks) {
        let (before, tail) = rest.split_at(at);
        words.push_str(before);
        let mark = tail.chars().next().unwrap_or_default();
        let behind = tail.get(mark.len_utf8()..).unwrap_or("");
        match reference(behind) {
            Some((reference, len)) => {
                if !words.is_empty() {
                    out.push(Piece::Words(std::mem::take(&mut words)));
                }
                out.push(Piece::Reference(reference));
                rest = behind.get(len..).unwrap_or("");
            }
            None => {
                words.push(mark);
                rest = behind;
            }
        }
    }
    words.push_str(rest);
    if !words.is_empty() {
        out.push(Piece::Words(words));
    }
    out
}

/// A problem of the foreign text: it has a line there, and no place in the text that the report shows.
pub(crate) fn say(problems: &mut Problems, is_error: bool, line: usize, message: &str) {
    let message = format!("line {line}: {message}");
    let problem = if is_error {
        problems.error("plan-syntax", Span::default(), message)
    } else {
        problems.warning("plan-mended", Span::default(), message)
    };
    problem.span = None;
}
