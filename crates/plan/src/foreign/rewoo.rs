//! The ReWOO spelling: `Plan: …`, `#E1 = Tool[input with #E2]`.

use throughline_expr::{Expr, MapEnv};
use throughline_value::{InOrder as _, Value};

use super::bracket::{self, Marks};
use super::scan::{self, closes, unmarked};
use super::{Argument, Call, expression, pieces, say};
use crate::Op;
use crate::check::problems::Problems;

/// What opens and closes an input. Round brackets hold arguments as functions have them.
const SQUARE: ([char; 3], [char; 3]) = (['[', '［', '【'], [']', '］', '】']);
const ROUND: [char; 2] = ['(', '（'];

/// One step's beginning.
struct Head {
    /// The byte of its `#`.
    at: usize,
    /// The byte behind its `=`.
    body: usize,
    /// `E1`
    id: String,
}

/// Whether the text has a step of this spelling.
pub(super) fn is(text: &str) -> bool {
    !heads(text).is_empty() || text.lines().any(is_bare)
}

/// Where steps start in the text.
fn heads(text: &str) -> Vec<Head> {
    let marks = text.char_indices().filter(|(_, c)| matches!(c, '#' | '＃'));
    let mut heads: Vec<Head> = marks.filter_map(|(at, c)| head(text, at, at + c.len_utf8())).collect();
    // `E1 = Tool[…]` at the start of a line, where the mark was left out.
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let inner = unmarked(line);
        let at = start + line.len() - inner.len();
        if inner.starts_with('E') && !heads.iter().any(|h| h.at == at) {
            heads.extend(head(text, at, at).filter(|h| called(text.get(h.body..).unwrap_or(""), true)));
        }
        start += line.len();
    }
    heads.order_by_key(|head| head.at);
    heads
}

/// The head whose `E` stands at `letter`, when it is one.
fn head(text: &str, at: usize, letter: usize) -> Option<Head> {
    let before = text.get(..at)?;
    let fits = before.is_empty()
        || before.ends_with(|c: char| {
            c.is_whitespace()
                || !c.is_alphanumeric() && !matches!(c, '#' | '"' | '\'' | '(' | '[' | '（' | '［' | ',' | '，')
        });
    if !fits {
        return None;
    }
    let tail = text.get(letter..)?;
    let digits = scan::one_of(tail, &['E', 'e', 'Ｅ']).or_else(|| (letter > at).then_some(tail))?;
    let (number, len) = scan::number(digits)?;
    let rest = digits.get(len..)?;
    let sign = rest.trim_start_matches([' ', '\t', '*', '`', '_', ']', '］']);
    let body = [":=", "：=", "<-", "←"].iter().find_map(|s| sign.strip_prefix(s));
    let body = body.or_else(|| scan::one_of(sign, &['=', '＝']).filter(|t| !t.starts_with(['=', '＝'])));
    // A colon stands in prose, too: there it must lead to a call.
    let body = body.or_else(|| scan::one_of(sign, &[':', '：']).filter(|t| called(t, false)))?;
    Some(Head { at, body: text.len() - body.len(), id: format!("E{number}") })
}

/// Whether a call begins here; with `square`, one with square brackets.
fn called(text: &str, square: bool) -> bool {
    let (tool, rest) = scan::tool(unmarked(text));
    let rest = rest.trim_start_matches([' ', '\t', '*', '`']);
    !tool.is_empty() && (rest.starts_with(SQUARE.0) || !square && rest.starts_with(ROUND))
}

/// A line that is nothing but calls without a name: `Search[…]`, `Action 2: Search[…]`.
fn is_bare(line: &str) -> bool {
    let line = bare(line);
    let (tool, rest) = scan::tool(line);
    tool.starts_with(char::is_alphabetic) && rest.starts_with(SQUARE.0) && Op::parse(tool).is_none()
}

fn bare(line: &str) -> &str {
    let line = unmarked(line);
    let Some(rest) = line.strip_prefix("Action").or_else(|| line.strip_prefix("行动")) else { return line };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    scan::one_of(rest, &[':', '：']).map_or(line, str::trim_start)
}

pub(super) fn read(text: &str, problems: &mut Problems) -> Vec<Call> {
    let heads = heads(text);
    if heads.is_empty() {
        return nameless(text, problems);
    }
    let mut calls = Vec::new();
    let mut from = 0;
    let (mut line, mut counted) = (1, 0);
    for (i, head) in heads.iter().enumerate() {
        let stop = heads.get(i + 1).map_or(text.len(), |next| next.at);
        let note = plan(text.get(from..head.at).unwrap_or(""));
        line += text.get(counted..head.at).map_or(0, |t| t.matches('\n').count());
        counted = head.at;
        let body = text.get(head.body..stop).unwrap_or("");
        let (tool, arguments, taken) = call(body, &head.id, line, problems);
        from = head.body + taken;
        // A step that cannot be read keeps its place, so that what uses it is not said to be wrong too.
        let tool = if tool.is_empty() { "unreadable".to_owned() } else { tool.to_owned() };
        calls.push(Call { id: head.id.clone(), tool, arguments, note });
    }
    calls
}

/// The last plan that prose speaks of, without its word.
fn plan(prose: &str) -> String {
    const WORDS: [&str; 6] = ["Plan", "PLAN", "plan", "计划", "规划", "步骤"];
    let said = |line: &str| {
        let line = unmarked(line);
        let rest = WORDS.iter().find_map(|word| line.strip_prefix(word))?;
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '*' | '_'));
        let rest = scan::one_of(rest, &[':', '：'])?;
        Some(
            rest.trim_start_matches(['*', ' '])
                .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '-' | '_'))
                .to_owned(),
        )
    };
    prose.lines().filter_map(said).next_back().unwrap_or_default()
}

/// The tool, its arguments and how many bytes were read; an empty tool when there is none, which is reported.
fn call<'a>(body: &'a str, id: &str, line: usize, problems: &mut Problems) -> (&'a str, Vec<Argument>, usize) {
    let start = unmarked(body);
    let (tool, rest) = scan::tool(start);
    let rest = rest.trim_start_matches([' ', '\t', '*', '`']);
    let opened =
        scan::one_of(rest, &SQUARE.0).map(|t| (t, true)).or_else(|| scan::one_of(rest, &ROUND).map(|t| (t, false)));
    let Some((inner, square)) = opened.filter(|_| !tool.is_empty()) else {
        say(problems, true, line, &format!("#{id} is not a call; write `#{id} = Tool[input]`"));
        return ("", Vec::new(), 0);
    };
    let first = inner.lines().next().unwrap_or("");
    if !square {
        let read = bracket::arguments_of(inner, &Marks::Hash, line, problems);
        return (tool, read.arguments, body.len() - inner.len() + first.len());
    }
    // An input may go on in the next lines, up to the next prose.
    let whole: usize = inner
        .split_inclusive('\n')
        .enumerate()
        .take_while(|(n, l)| *n == 0 || !scan::is_prose(l))
        .map(|(_, l)| l.len())
        .sum();
    let whole = inner.get(..whole).unwrap_or(inner);
    let close = closes(first, &SQUARE.0, &SQUARE.1).or_else(|| closes(whole, &SQUARE.0, &SQUARE.1));
    let before = body.len() - inner.len();
    let Some((close, width)) = close else {
        // A bracket too many inside: the last one of the line closes.
        let first = first.trim_end();
        let last = first.strip_suffix(SQUARE.1);
        say(problems, false, line, "a bracket is not closed; the end of the line closes it");
        return (tool, arguments(last.unwrap_or(first)), before + first.len());
    };
    let input = inner.get(..close).unwrap_or("");
    let left = inner.get(close + width..).unwrap_or("").lines().next().unwrap_or("").trim();
    left_over(left, id, line, problems);
    (tool, arguments(input), before + close + width)
}

fn left_over(left: &str, id: &str, line: usize, problems: &mut Problems) {
    let plain = left.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '.' | ',' | ';' | '。' | '，' | '；' | '*' | '`' | '_')
    });
    let numbered = plain.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')'));
    if plain.split(|c: char| c.is_whitespace() || matches!(c, ',' | '，')).any(|word| called(word, true)) {
        let message = format!("several calls stand behind #{id}; write one call a line, each with its own name");
        say(problems, true, line, &message);
    } else if !numbered.trim().is_empty() && plan(plain).is_empty() && !plain.starts_with('#') {
        say(problems, false, line, &format!("`{left}` behind the call is left out"));
    }
}

/// Calls without names, each a step of its own.
fn nameless(text: &str, problems: &mut Problems) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_bare(line)) {
        let mut rest = bare(line);
        let mut count = 0;
        loop {
            let (tool, tail) = scan::tool(rest);
            let Some(inner) = scan::one_of(tail, &SQUARE.0).filter(|_| !tool.is_empty()) else { break };
            let close = closes(inner, &SQUARE.0, &SQUARE.1);
            if close.is_none() {
                say(problems, false, index + 1, "a bracket is not closed; the end of the line closes it");
            }
            let (close, width) = close.unwrap_or((inner.len(), 0));
            count += 1;
            calls.push(Call {
                id: format!("E{}", calls.len() + 1),
                tool: tool.to_owned(),
                arguments: arguments(inner.get(..close).unwrap_or("")),
                note: String::new(),
            });
            rest = inner.get(close + width..).unwrap_or("");
            // The next call on the line, behind a comma or an `and`.
            let next = rest.char_indices().find(|(at, c)| {
                c.is_alphabetic()
                    && !rest.get(..*at).unwrap_or("").ends_with(char::is_alphanumeric)
                    && called(rest.get(*at..).unwrap_or(""), true)
            });
            let words = next.map_or(rest, |(at, _)| rest.get(..at).unwrap_or(""));
            let words = words.trim_matches(|c: char| !c.is_alphanumeric());
            if !words.is_empty() && !matches!(words, "and" | "then" | "和" | "以及" | "然后") {
                say(problems, false, index + 1, &format!("`{words}` behind the call is left out"));
            }
            let Some((at, _)) = next else { break };
            rest = rest.get(at..).unwrap_or("");
        }
        if count > 1 {
            let message = format!("several calls stand on one line; each of the {count} is read as a step of its own");
            say(problems, false, index + 1, &message);
        }
    }
    calls
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
    const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('“', '”'), ('「', '」'), ('‘', '’')];
    let unquoted = QUOTES
        .iter()
        .find_map(|(a, b)| input.strip_prefix(*a).and_then(|t| t.strip_suffix(*b)).filter(|t| !t.contains([*a, *b])));
    vec![Argument { name: None, value: mixed(unquoted.unwrap_or(input)) }]
}

/// A text with `#E1` in it as an expression.
pub(super) fn mixed(text: &str) -> String {
    expression(pieces(text, &['#', '＃'], |behind| {
        let digits = scan::one_of(behind, &['E', 'e', 'Ｅ'])?;
        let (number, len) = scan::number(digits)?;
        Some((format!("$E{number}"), behind.len() - digits.len() + len))
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
