//! The LLMCompiler spelling: `1. tool(arguments)` with `$1`, and `join()` at the end.

use throughline_value::{Number, SortedSet, Span};

use super::scan::{self, narrowed, starts_quote, unmarked};
use super::{Argument, Call, expression, pieces, rewoo, say};
use crate::Op;
use crate::check::problems::Problems;
use crate::text::Cursor;

/// How references are marked.
pub(super) enum Marks<'a> {
    /// `$1`, where a step has the number.
    Dollar(&'a SortedSet<String>),
    /// `#E1`
    Hash,
}

/// Whether the text has a step of this spelling.
pub(super) fn is(text: &str) -> bool {
    text.lines().any(|line| start(line).is_some())
}

/// The number, the tool and what stands behind the opening bracket: `1. search(`, `（1）search（`,
/// `**Step 2:** search(`, `$3 = search(`, `第4步：search(`.
fn start(line: &str) -> Option<(String, &str, &str)> {
    let line = unmarked(line);
    let worded = ["Step", "STEP", "step", "步骤", "第"].iter().find_map(|word| line.strip_prefix(word));
    let line = worded.map_or(line, str::trim_start);
    let line = line.strip_prefix(['(', '（', '$', '[']).unwrap_or(line);
    let (number, len) = scan::number(line)?;
    let rest = line.get(len..)?.trim_start_matches(['步', '*', '_']).trim_start_matches([' ', '\t']);
    let rest = scan::one_of(rest, &['.', ')', '、', '．', ':', '：', '）', '=', ']', '。'])?;
    let (tool, rest) = scan::tool(unmarked(rest));
    let body = scan::one_of(rest.trim_start_matches([' ', '\t', '*', '`']), &['(', '（'])?;
    (tool.starts_with(|c: char| c == '_' || c.is_alphabetic()) && Op::parse(tool).is_none())
        .then_some((number, tool, body))
}

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<Call> {
    let lines: Vec<&str> = text.lines().collect();
    let mut numbers: SortedSet<String> = SortedSet::new();
    for line in &lines {
        let mut rest = *line;
        while let Some((number, _, body)) = start(rest) {
            numbers.insert(number);
            rest = body.find(')').and_then(|at| body.get(at + 1..)).unwrap_or("");
        }
    }
    let mut calls = Vec::new();
    let mut ended = None;
    for (index, line) in lines.iter().enumerate() {
        let mut rest = (*line).to_owned();
        let mut count = 0;
        while let Some((number, tool, body)) = start(&rest) {
            count += 1;
            // An argument may go on in the next lines, up to the next step or prose.
            let more = lines.iter().skip(index + 1).take_while(|l| start(l).is_none() && !scan::is_prose(l));
            let all = more.fold(body.to_owned(), |all, l| all + "\n" + l);
            let tool = tool.to_owned();
            let read = arguments_of(&all, &Marks::Dollar(&numbers), index + 1, problems);
            if matches!(tool.as_str(), "join" | "finish" | "Finish") {
                ended.get_or_insert(index + 1);
            } else {
                if let Some(end) = ended {
                    let message = format!("this call stands behind the `join` of line {end}; it is read all the same");
                    say(problems, false, index + 1, &message);
                }
                calls.push(Call { id: format!("s{number}"), tool, arguments: read.arguments, note: String::new() });
            }
            let left = read.rest.lines().next().unwrap_or("").replace("<END_OF_PLAN>", "");
            let left = left
                .trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | ';' | ',' | '；' | '，' | '。'));
            if start(left).is_some() {
                rest = left.to_owned();
                continue;
            }
            if left.contains('(') {
                say(
                    problems,
                    true,
                    index + 1,
                    "several calls stand on one line; write one call a line, each with its number",
                );
            } else if !left.is_empty() && !left.starts_with(['#', '/']) {
                say(problems, false, index + 1, &format!("`{left}` behind the call is left out"));
            }
            break;
        }
        if count > 1 {
            let message = format!("several calls stand on one line; each of the {count} is read as a step of its own");
            say(problems, false, index + 1, &message);
        }
    }
    calls
}

/// Arguments, and what stands behind their bracket.
pub(super) struct Read {
    pub(super) arguments: Vec<Argument>,
    pub(super) rest: String,
}

/// The arguments behind an opening bracket. One that no line closes is closed by the end of its line.
pub(super) fn arguments_of(body: &str, marks: &Marks<'_>, line: usize, problems: &mut Problems) -> Read {
    let text = narrowed(body);
    let (inside, rest) = match close(&text) {
        Some(at) => (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or("")),
        None => {
            say(problems, false, line, "a bracket is not closed; the end of the line closes it");
            (text.lines().next().unwrap_or("").trim_end(), "")
        }
    };
    let arguments = arguments(inside, marks, line, problems);
    Read { arguments, rest: rest.to_owned() }
}

/// Where the bracket before the text closes.
fn close(text: &str) -> Option<usize> {
    let mut cursor = Cursor::new(text, Span::new(0, text.len()));
    let mut depth = 0_usize;
    while let Some(c) = cursor.peek() {
        if starts_quote(c, text.get(..cursor.at).unwrap_or("")) {
            if cursor.quoted().is_some_and(|q| q.open) {
                return None;
            }
            continue;
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(cursor.at),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        cursor.at += c.len_utf8();
    }
    None
}

fn arguments(inside: &str, marks: &Marks<'_>, line: usize, problems: &mut Problems) -> Vec<Argument> {
    let cursor = Cursor::new(inside, Span::new(0, inside.len()));
    if inside.trim().is_empty() {
        return Vec::new();
    }
    let parts = cursor.split_commas();
    let mut out = Vec::new();
    for span in parts {
        // A comma at the end.
        if span.start == span.end {
            continue;
        }
        let mut part = Cursor::new(inside, span);
        let named = part.name().and_then(|name| {
            part.skip_space();
            let sign = part.eat("=") || part.rest().starts_with(": ") && part.eat(":");
            sign.then(|| cursor.slice(name).to_owned())
        });
        let value = cursor.slice(if named.is_some() { part.remaining() } else { span });
        let (tool, rest) = scan::tool(value);
        if !tool.is_empty() && rest.starts_with('(') && rest.ends_with(')') && tool.starts_with(char::is_alphabetic) {
            let message =
                format!("`{value}` is a call inside a call, and is taken as a text; write it as a step of its own");
            say(problems, false, line, &message);
        }
        out.push(Argument { name: named, value: value_of(value, marks) });
    }
    out
}

/// A literal of the other language as an expression of ours; what is none is a text.
fn value_of(text: &str, marks: &Marks<'_>) -> String {
    let text = text.trim();
    let mut cursor = Cursor::new(text, Span::new(0, text.len()));
    if let Some(quoted) = cursor.quoted()
        && cursor.is_done()
    {
        return mixed(&quoted.value, marks);
    }
    let parts = |inner: &str| {
        let cursor = Cursor::new(inner, Span::new(0, inner.len()));
        let spans = if inner.trim().is_empty() { Vec::new() } else { cursor.split_commas() };
        spans.into_iter().filter(|s| s.start < s.end).map(|s| cursor.slice(s).to_owned()).collect::<Vec<_>>()
    };
    if let Some(inner) = text.strip_prefix('[').map(|t| t.strip_suffix(']').unwrap_or(t)) {
        let items: Vec<_> = parts(inner).iter().map(|item| value_of(item, marks)).collect();
        return format!("[{}]", items.join(", "));
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        let pair = |item: &String| {
            let mut cursor = Cursor::new(item, Span::new(0, item.len()));
            let key = match cursor.quoted() {
                Some(quoted) => quoted.value,
                None => cursor.name().map(|span| cursor.slice(span).to_owned())?,
            };
            cursor.skip_space();
            let value =
                if cursor.eat(":") || cursor.eat("=") { cursor.slice(cursor.remaining()) } else { return None };
            Some(format!("{}: {}", crate::text::quote_plain(&key), value_of(value, marks)))
        };
        if let Some(pairs) = parts(inner).iter().map(pair).collect::<Option<Vec<_>>>() {
            return format!("{{{}}}", pairs.join(", "));
        }
    }
    match text {
        "True" | "true" => "true".to_owned(),
        "False" | "false" => "false".to_owned(),
        "None" | "null" => "null".to_owned(),
        _ if Number::parse(text).is_some() => text.to_owned(),
        _ => field(text, marks).unwrap_or_else(|| mixed(text, marks)),
    }
}

/// `$1.name` or `$1[0]` and nothing else, out of quotes: it looks into the step's value.
fn field(text: &str, marks: &Marks<'_>) -> Option<String> {
    let Marks::Dollar(numbers) = marks else { return None };
    let behind = text.strip_prefix(['$', '＄'])?;
    let (number, len) = scan::number(behind).filter(|(n, _)| numbers.contains(n))?;
    let rest = behind.get(len..)?;
    let path = rest.starts_with(['.', '[']) && !rest.contains(|c: char| c.is_whitespace() || "+-*/~(".contains(c));
    let whole = format!("$s{number}{rest}");
    (path && throughline_expr::Expr::parse(&whole).is_ok()).then_some(whole)
}

/// A text with `$1` or `${1}` in it as an expression. A number that no step has is money, not a reference.
fn mixed(text: &str, marks: &Marks<'_>) -> String {
    let Marks::Dollar(numbers) = marks else { return rewoo::mixed(text) };
    expression(pieces(text, &['$', '＄'], |behind| {
        let (inner, brackets) = behind.strip_prefix('{').map_or((behind, 0), |t| (t, 2));
        let (number, len) = scan::number(inner).filter(|(n, _)| numbers.contains(n))?;
        let closed = brackets == 0 || inner.get(len..)?.starts_with('}');
        closed.then(|| (format!("$s{number}"), len + brackets))
    }))
}
