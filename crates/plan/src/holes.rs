//! `{$name}` in a path or a pattern: a place for a value.
//!
//! The value is put in as a literal of the language it stands in, in one pass: a quoted text or a number in a
//! path, escaped text in a pattern. Whatever it holds, it is only compared with, never read as a path, a
//! pattern or another place.

use throughline_value::Value;

/// A place for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    /// The binding, without `$`.
    pub(crate) name: String,
    /// The bytes of `{$name}` in the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a text with places is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// A JSON path: what stands in its quotes is text.
    Path,
    /// A regular expression: what stands behind a backslash is text.
    Pattern,
}

/// The places of a text, in order.
pub(crate) fn holes(text: &str, language: Language) -> Vec<Hole> {
    let mut out = Vec::new();
    let mut quote: Option<char> = None;
    let mut chars = text.char_indices();
    while let Some((start, c)) = chars.next() {
        match c {
            '\\' if quote.is_some() || language == Language::Pattern => _ = chars.next(),
            '"' | '\'' if language == Language::Path => match quote {
                Some(mark) if mark == c => quote = None,
                Some(_) => {}
                None => quote = Some(c),
            },
            '{' if quote.is_none() => {
                let Some(inner) = text.get(start..).and_then(|t| t.strip_prefix("{$")) else { continue };
                let Some((name, _)) = inner.split_once('}') else { continue };
                let plain = name.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic())
                    && name.chars().all(|c| c == '_' || c.is_alphanumeric());
                if plain {
                    out.push(Hole { name: name.to_owned(), start, end: start + "{$}".len() + name.len() });
                }
            }
            _ => {}
        }
    }
    out
}

/// The text with every place filled.
pub(crate) fn filled<E>(
    text: &str,
    language: Language,
    mut value: impl FnMut(&Hole) -> Result<String, E>,
) -> Result<String, E> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for hole in holes(text, language) {
        out.push_str(text.get(from..hole.start).unwrap_or(""));
        out.push_str(&value(&hole)?);
        from = hole.end;
    }
    out.push_str(text.get(from..).unwrap_or(""));
    Ok(out)
}

/// A value as a literal; `None` for lists, maps and null, which have none.
pub(crate) fn literal(value: &Value, language: Language) -> Option<String> {
    match (language, value) {
        (Language::Path, Value::Text(_) | Value::Number(_) | Value::Bool(_)) => Some(value.to_json()),
        (Language::Pattern, Value::Text(text)) => Some(regex::escape(text)),
        (Language::Pattern, Value::Number(_) | Value::Bool(_)) => Some(regex::escape(&value.to_json())),
        _ => None,
    }
}

/// The text with a mark in every place, which is checked in its stead; [`unmarked`] takes the marks out again.
pub(crate) fn marked(text: &str, language: Language) -> String {
    let mut number = 0;
    let filled: Result<String, std::convert::Infallible> = filled(text, language, |_| {
        number += 1;
        Ok(match language {
            Language::Path => format!("'{}'", mark(number)),
            Language::Pattern => mark(number),
        })
    });
    filled.unwrap_or_else(|never| match never {})
}

/// A text that was made of a [`marked`] one, with the places of `text`.
pub(crate) fn unmarked(made: &str, text: &str, language: Language) -> String {
    let mut out = made.to_owned();
    for (i, hole) in holes(text, language).iter().enumerate() {
        let mark = match language {
            Language::Path => format!("'{}'", mark(i + 1)),
            Language::Pattern => mark(i + 1),
        };
        out = out.replace(&mark, &format!("{{${}}}", hole.name));
    }
    out
}

fn mark(number: usize) -> String {
    format!("_place{number}_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, language: Language, expected: &[&str]) {
        let holes = holes(text, language);
        assert_eq!(holes.iter().map(|h| h.name.as_str()).collect::<Vec<_>>(), expected, "{text}");
        for hole in holes {
            assert_eq!(text.get(hole.start..hole.end), Some(format!("{{${}}}", hole.name).as_str()));
        }
        assert_eq!(unmarked(&marked(text, language), text, language), text);
    }

    #[test]
    fn places_are_found_outside_quotes_and_escapes() {
        use Language::{Path, Pattern};
        check("$.a[?@.n == {$x} && @.m == {$订单}].b", Path, &["x", "订单"]);
        check("$.a[?@.n == '{$x}']", Path, &[]);
        check("$.a[?@.n == 'it\\'s {$x}']", Path, &[]);
        check(r"{$city}: (\d{2}) \{$no} {$1} {$a b} {$", Pattern, &["city"]);
        check(r"a{2}(\w+)", Pattern, &[]);
    }
}
