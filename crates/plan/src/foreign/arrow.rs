//! Plans as functions with arrows: `step a: EXTRACT(A, 'pattern') -> B ; step b: COMPUTE(B + 1) -> C`.
//!
//! Our operations are written down as such, everything else as a call of a tool. An operation that is none
//! stays as it is and is reported there.

use throughline_value::Span;

use super::say;
use crate::Op;
use crate::check::problems::Problems;
use crate::print::{name, write_step};
use crate::scope::{Scope, bare};
use crate::text::{Cursor, quote_pattern, quote_plain};

/// One step: its label, what is called, with what, and the name it gives.
struct Piece<'a> {
    label: &'a str,
    word: &'a str,
    inside: &'a str,
    gives: &'a str,
}

/// Whether the text has a step of this spelling.
pub(super) fn is(text: &str) -> bool {
    parts(text).iter().any(|part| piece(part).is_some())
}

/// The parts between `;` and ends of lines, outside of quotes.
fn parts(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut cursor = Cursor::new(text, Span::new(0, text.len()));
    while let Some(c) = cursor.peek() {
        match c {
            '"' | '\'' if !text.get(..cursor.at).unwrap_or("").ends_with(char::is_alphanumeric) => {
                let start = cursor.at;
                // A quote that no other closes is an apostrophe.
                if cursor.quoted().is_none_or(|q| q.open) {
                    cursor.at = start + 1;
                }
                continue;
            }
            ';' | '；' | '\n' => {
                out.push(text.get(from..cursor.at).unwrap_or(""));
                from = cursor.at + c.len_utf8();
            }
            _ => {}
        }
        cursor.at += c.len_utf8();
    }
    out.push(text.get(from..).unwrap_or(""));
    out
}

fn piece(part: &str) -> Option<Piece<'_>> {
    let part = super::scan::unmarked(part).trim();
    let (call, gives) = ["->", "→", "=>"].iter().find_map(|arrow| part.rsplit_once(arrow))?;
    let gives = bare(gives.trim().trim_end_matches(['.', ',', '`']));
    let (call, gives) = (call.trim(), gives);
    let open = call.find('(')?;
    let inside = call.get(open + 1..)?.strip_suffix(')')?;
    let before = call.get(..open)?.trim_end();
    let word = before.rsplit([' ', ':', '：', '.']).next()?;
    let label = before.strip_suffix(word)?.trim().trim_end_matches([':', '：', '.', ')']).trim();
    let is_name = |text: &str| !text.is_empty() && crate::print::argument_name(text) == text;
    (is_name(gives) && is_name(word)).then_some(Piece { label, word, inside, gives })
}

/// The plan in our text form.
pub(super) fn read(text: &str, scope: &Scope, problems: &mut Problems) -> String {
    let mut out = String::new();
    let given: Vec<&str> = parts(text).into_iter().filter_map(piece).map(|p| p.gives).collect();
    for (number, part) in parts(text).into_iter().enumerate() {
        let Some(piece) = piece(part) else {
            if !part.trim().is_empty() && part.contains('(') {
                let shown: String = part.trim().chars().take(60).collect();
                say(problems, true, number + 1, &format!("`{shown}` is no step; write `OPERATION(…) -> name`"));
            }
            continue;
        };
        write_step(&mut out, &format!("${}", piece.gives), &action(&piece, scope, &given), piece.label);
    }
    out
}

fn action(piece: &Piece<'_>, scope: &Scope, given: &[&str]) -> String {
    let cursor = Cursor::new(piece.inside, Span::new(0, piece.inside.len()));
    let arguments: Vec<&str> = cursor.split_commas().into_iter().map(|s| cursor.slice(s)).collect();
    let at = |index: usize| arguments.get(index).copied().unwrap_or("");
    // A bare name of a step or an input is that; any other bare word is a text.
    let known = |word: &str| given.contains(&word) || scope.inputs.contains(word);
    let value = |text: &str| if known(bare(text)) { format!("${}", bare(text)) } else { text.to_owned() };
    let words = |text: &str| {
        let value = value(text);
        if crate::print::argument_name(text) == text && value == text { quote_plain(text) } else { value }
    };
    let text = |text: &str| {
        let mut cursor = Cursor::new(text, Span::new(0, text.len()));
        cursor.quoted().map_or_else(|| text.to_owned(), |quoted| quoted.value)
    };
    let source = |word: &str| name(&text(bare(word)));
    let word = piece.word;
    if scope.tools.contains_key(word) {
        let arguments: Vec<_> = arguments
            .iter()
            .filter(|a| !a.is_empty())
            .map(|a| super::Argument { name: None, value: value(a) })
            .collect();
        let call = super::Call { id: piece.gives.to_owned(), tool: word.to_owned(), arguments, note: String::new() };
        let line = super::text(&[call], scope);
        return line.split_once(" = ").map_or(line.clone(), |(_, action)| action.trim_end().to_owned());
    }
    match Op::parse(&word.to_uppercase()) {
        Some(Op::Get) => format!("GET {}", source(at(0))),
        Some(op @ (Op::Search | Op::Query)) => {
            let about = if arguments.len() > 1 { at(1) } else { at(0) };
            let about =
                if op == Op::Query && arguments.len() < 2 { String::new() } else { format!(" FOR {}", words(about)) };
            format!("{} {}{about}", op.as_str(), source(at(0)))
        }
        Some(Op::Extract) => {
            let pattern = text(at(1));
            let how = if pattern.starts_with('$') { "JSONPATH" } else { "PATTERN" };
            // A backslash that is written twice in quotes stands for one.
            let pattern = pattern.replace("\\\\", "\\");
            format!("EXTRACT ${} {how} {}", bare(at(0)), quote_pattern(&pattern))
        }
        Some(Op::Compute) => format!("COMPUTE {}", piece.inside.trim()),
        Some(Op::If) => format!("IF {} THEN {} ELSE {}", at(0), value(at(1)), value(at(2))),
        Some(Op::Validate) if arguments.len() > 1 => format!("VALIDATE {} ELSE {}", at(0), at(1)),
        Some(Op::Filter) => format!("FILTER {} WHERE {}", value(at(0)), at(1)),
        Some(Op::Call) => {
            format!("CALL {}({})", source(at(0)), arguments.iter().skip(1).copied().collect::<Vec<_>>().join(", "))
        }
        Some(op) => {
            let values: Vec<_> = arguments.iter().map(|a| value(a)).collect();
            format!("{} {}", op.as_str(), values.join(", "))
        }
        None => format!("{word} {}", arguments.iter().map(|a| value(a)).collect::<Vec<_>>().join(", ")),
    }
}
