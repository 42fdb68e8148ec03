//! What markup, other keyboards and other languages put around the marks of a foreign plan.

use throughline_value::Span;

use crate::text::{Cursor, quote_plain};

/// The text without bullets, quotes, bold and code marks and spaces at its start.
pub(super) fn unmarked(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '>' | '•' | '·' | '+' | '_'))
        .trim_start_matches("- ")
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '_'))
}

/// Digits of either width at the start, as ordinary ones, and how many bytes they take.
pub(super) fn number(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut len = 0;
    for c in text.chars() {
        let digit = match c {
            '0'..='9' => c,
            '０'..='９' => char::from_u32(u32::from(c) - 0xfee0)?,
            _ => break,
        };
        out.push(digit);
        len += c.len_utf8();
    }
    (!out.is_empty()).then_some((out, len))
}

/// A tool's name at the start.
pub(super) fn tool(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !matches!(c, '_' | '-' | '.') && !c.is_alphanumeric()).unwrap_or(text.len());
    text.split_at(end)
}

/// The text behind its first letter, when that is one of `any`.
pub(super) fn one_of<'a>(text: &'a str, any: &[char]) -> Option<&'a str> {
    text.strip_prefix(any)
}

/// A line that is no part of a call: prose that begins as plans' prose does.
pub(super) fn is_prose(line: &str) -> bool {
    const STARTS: [&str; 16] = [
        "Plan",
        "Thought",
        "Question",
        "Answer",
        "Final",
        "Observation",
        "Action",
        "Step",
        "Solver",
        "计划",
        "规划",
        "步骤",
        "思考",
        "问题",
        "答案",
        "<END_OF_PLAN>",
    ];
    let line = unmarked(line);
    line.is_empty() || line.starts_with("```") || STARTS.iter().any(|start| line.starts_with(start))
}

/// Where a bracket of `open` and `close` that stands before `text` is closed, and how long the closing one is.
pub(super) fn closes(text: &str, open: &[char], close: &[char]) -> Option<(usize, usize)> {
    let mut depth = 1_usize;
    text.char_indices().find_map(|(at, c)| {
        if open.contains(&c) {
            depth += 1;
        } else if close.contains(&c) {
            depth -= 1;
        }
        (depth == 0).then(|| (at, c.len_utf8()))
    })
}

/// Arguments with the signs of wide keyboards as ordinary ones, outside of quotes; typographic quotes become
/// ordinary ones around the same text.
pub(super) fn narrowed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut cursor = Cursor::new(text, Span::new(0, text.len()));
    while let Some(c) = cursor.peek() {
        if starts_quote(c, &out) {
            let start = cursor.at;
            cursor.quoted();
            cursor.at = cursor.at.max(start + 1);
            out.push_str(cursor.slice(Span::new(start, cursor.at)));
            continue;
        }
        let closing = match c {
            '“' => '”',
            '「' => '」',
            '『' => '』',
            '‘' if !out.ends_with(char::is_alphanumeric) => '’',
            _ => {
                out.push(narrow(c));
                cursor.at += c.len_utf8();
                continue;
            }
        };
        let inner = cursor.rest().get(c.len_utf8()..).unwrap_or("");
        match inner.split_once(closing) {
            Some((inner, _)) => {
                out.push_str(&quote_plain(inner));
                cursor.at += c.len_utf8() + inner.len() + closing.len_utf8();
            }
            None => {
                out.push(c);
                cursor.at += c.len_utf8();
            }
        }
    }
    out
}

/// Whether a sign opens a quoted text: an apostrophe inside a word does not.
pub(super) fn starts_quote(c: char, before: &str) -> bool {
    c == '"' || c == '\'' && !before.ends_with(char::is_alphanumeric)
}

fn narrow(c: char) -> char {
    match c {
        '（' => '(',
        '）' => ')',
        '［' | '【' => '[',
        '］' | '】' => ']',
        '｛' => '{',
        '｝' => '}',
        '，' => ',',
        '：' => ':',
        '＝' => '=',
        '＄' => '$',
        '＂' => '"',
        '＇' => '\'',
        c => c,
    }
}
