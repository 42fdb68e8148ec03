//! Expressions as other languages write them, in ours.
//!
//! Models write Python, JavaScript and SQL out of habit, and typographic signs. What is plainly meant is
//! translated into a repair; it is offered only when the whole expression then reads.

use throughline_expr::{Expr, functions};
use throughline_value::Span;

use super::token::{Cursor, is_name_part, is_name_start, quote_plain};
use crate::nearest::nearest;

/// Signs that stand for others.
const SIGNS: [(&str, &str); 25] = [
    ("===", "=="),
    ("!==", "!="),
    ("<>", "!="),
    ("（", "("),
    ("）", ")"),
    ("【", "["),
    ("】", "]"),
    ("，", ", "),
    ("、", ", "),
    ("：", ":"),
    ("＝", "=="),
    ("＞", ">"),
    ("＜", "<"),
    ("＋", "+"),
    ("－", "-"),
    ("−", "-"),
    ("＊", "*"),
    ("×", "*"),
    ("／", "/"),
    ("÷", "/"),
    ("≥", ">="),
    ("≤", "<="),
    ("≠", "!="),
    ("％", "%"),
    ("＄", "$"),
];

/// Words that stand for others.
const WORDS: [(&str, &str); 14] = [
    ("None", "null"),
    ("nil", "null"),
    ("undefined", "null"),
    ("NULL", "null"),
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
    ("AND", "and"),
    ("OR", "or"),
    ("NOT", "not"),
    ("IN", "in"),
    ("IS", "is"),
    ("NOW", "now"),
];

/// Functions and methods that are called otherwise here.
const CALLS: [(&str, &str); 24] = [
    ("str", "text"),
    ("string", "text"),
    ("float", "number"),
    ("int", "number"),
    ("Decimal", "number"),
    ("parseFloat", "number"),
    ("parseInt", "number"),
    ("length", "len"),
    ("size", "len"),
    ("mean", "avg"),
    ("average", "avg"),
    ("pow", "power"),
    ("strip", "trim"),
    ("startswith", "starts_with"),
    ("startsWith", "starts_with"),
    ("endswith", "ends_with"),
    ("endsWith", "ends_with"),
    ("substr", "substring"),
    ("toLowerCase", "lower"),
    ("toUpperCase", "upper"),
    ("includes", "contains"),
    ("ifnull", "coalesce"),
    ("sorted", "sort"),
    ("timedelta", "duration"),
];

/// Typographic quotes: what opens, what closes.
const QUOTES: [(char, char); 6] = [('“', '”'), ('‘', '’'), ('「', '」'), ('『', '』'), ('«', '»'), ('„', '“')];

/// The expression as this language writes it, when that is plain and reads.
pub(crate) fn translated(text: &str) -> Option<String> {
    let whole = comprehension(text).unwrap_or_else(|| text.to_owned());
    let out = rewritten(&whole);
    let divided = out.split_once("//").map(|(a, b)| format!("floor(({}) / ({}))", a.trim(), b.trim()));
    let powered = out.split_once("**").map(|(a, b)| format!("power({}, {})", a.trim(), b.trim()));
    [Some(out), divided, powered].into_iter().flatten().find(|t| t != text && Expr::parse(t).is_ok())
}

/// `[e for x in list if c]`
fn comprehension(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (value, rest) = inner.split_once(" for ")?;
    let (name, rest) = rest.split_once(" in ")?;
    let (list, condition) = rest.split_once(" if ").map_or((rest, None), |(l, c)| (l, Some(c)));
    let (name, value, list) = (name.trim(), value.trim(), list.trim());
    let list = condition.map_or_else(|| list.to_owned(), |c| format!("filter({list}, {name} => {})", c.trim()));
    Some(if value == name { list } else { format!("map({list}, {name} => {value})") })
}

fn rewritten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut cursor = Cursor::new(text, Span::new(0, text.len()));
    while let Some(c) = cursor.peek() {
        let rest = cursor.rest();
        if let Some(quoted) = prefixed(&mut cursor) {
            out.push_str(&quoted);
        } else if let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == c) {
            let inner = rest.get(c.len_utf8()..).unwrap_or("");
            let end = inner.find(*close).unwrap_or(inner.len());
            out.push_str(&quote_plain(inner.get(..end).unwrap_or("")));
            cursor.at += c.len_utf8() + end + if end < inner.len() { close.len_utf8() } else { 0 };
        } else if let Some((sign, ours)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            out.push_str(ours);
            cursor.at += sign.len();
        } else if c == '=' {
            // `=`, where `==` is meant; `=>` and the second sign of `<=` stay.
            let doubled = rest.starts_with("==") || rest.starts_with("=>");
            let after = out.ends_with(['<', '>', '!', '=']);
            cursor.at += if doubled { 2 } else { 1 };
            out.push_str(if doubled {
                rest.get(..2).unwrap_or("==")
            } else if after {
                "="
            } else {
                "=="
            });
        } else if is_name_start(c) {
            let Some(span) = cursor.name() else { break };
            word(&mut out, cursor.slice(span), &mut cursor);
        } else {
            out.push(c);
            cursor.at += c.len_utf8();
        }
    }
    out
}

/// A text in quotes, with `f`, `r` or `b` in front or without.
fn prefixed(cursor: &mut Cursor<'_>) -> Option<String> {
    let rest = cursor.rest();
    let mark = rest.chars().next().filter(|c| "fFbBuU".contains(*c));
    let body = mark.map_or(rest, |_| rest.get(1..).unwrap_or(""));
    if mark.is_some() && !body.starts_with(['"', '\'']) {
        return None;
    }
    let mut ahead = Cursor { at: cursor.at + usize::from(mark.is_some()), ..*cursor };
    let start = ahead.at;
    let quoted = ahead.quoted().filter(|q| !q.open)?;
    *cursor = ahead;
    let plain = mark.is_none() && !cursor.text.get(start..)?.starts_with(['r', 'R']);
    if plain {
        return Some(cursor.slice(quoted.span).to_owned());
    }
    if !matches!(mark, Some('f' | 'F')) {
        return Some(quote_plain(&quoted.value));
    }
    // `f"a {x} b"`
    let mut parts = Vec::new();
    let mut left = quoted.value.as_str();
    while let Some((before, tail)) = left.split_once('{') {
        let (inner, after) = tail.split_once('}')?;
        if !before.is_empty() {
            parts.push(quote_plain(before));
        }
        let (value, digits) = inner.split_once(':').map_or((inner, None), |(v, f)| (v, f.strip_prefix('.')));
        let digits = digits.and_then(|d| d.strip_suffix('f'));
        parts.push(digits.map_or_else(|| format!("({value})"), |d| format!("fixed({value}, {d})")));
        left = after;
    }
    if !left.is_empty() || parts.is_empty() {
        parts.push(quote_plain(left));
    }
    Some(parts.join(" ~ "))
}

fn word(out: &mut String, word: &str, cursor: &mut Cursor<'_>) {
    let field = out.ends_with('.');
    let called = cursor.rest().starts_with('(');
    if word == "lambda" {
        // `lambda x: body`
        let mut ahead = *cursor;
        ahead.skip_space();
        if let Some(name) = ahead.name() {
            ahead.skip_space();
            if ahead.eat(":") {
                out.push_str(ahead.slice(name));
                out.push_str(" => ");
                ahead.skip_space();
                *cursor = ahead;
                return;
            }
        }
    }
    let ours = CALLS.iter().find(|(theirs, _)| *theirs == word).map_or(word, |(_, ours)| ours);
    if field && called {
        // `x.lower()` is `x | lower()`; `x.get("a")` reads a field.
        out.pop();
        out.push_str(" | ");
        out.push_str(ours);
    } else if called && !out.ends_with('$') {
        let known = functions().any(|f| f.name == ours);
        let near = if known { None } else { nearest(ours, functions().map(|f| f.name)) };
        out.push_str(near.unwrap_or(ours));
    } else if field || out.ends_with('$') {
        out.push_str(word);
    } else {
        out.push_str(WORDS.iter().find(|(theirs, _)| *theirs == word).map_or(word, |(_, ours)| ours));
    }
    debug_assert!(word.chars().all(is_name_part), "a name");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(translated(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn what_other_languages_write_is_translated_where_it_then_reads() {
        check("$a is not None and $b == True", Some("$a is not null and $b == true"));
        check("$a = 5", Some("$a == 5"));
        check("$a === 'x' AND $b <> 2", Some("$a == 'x' and $b != 2"));
        check("“no”", Some("\"no\""));
        check("$价格 × 2 ≥ （10 ＋ 1）", Some("$价格 * 2 >= (10 + 1)"));
        check("f'{$a} of {$b:.2f}'", Some("($a) ~ \" of \" ~ fixed($b, 2)"));
        check("float($a) ** 2", Some("power(number($a), 2)"));
        check("$a // 2", Some("floor(($a) / (2))"));
        check("$name.strip().lower()", Some("$name | trim() | lower()"));
        check("[x.price for x in $rows if x.ok]", Some("map(filter($rows, x => x.ok), x => x.price)"));
        check("sorted($rows, lambda r: r.n)", Some("sort($rows, r => r.n)"));
        check("roud($a, 2)", Some("round($a, 2)"));
        check("length($a)", Some("len($a)"));
        check("r\"\\d\" ~ $a", Some("\"\\\\d\" ~ $a"));
        check("$a +", None);
        check("import os", None);
    }
}
