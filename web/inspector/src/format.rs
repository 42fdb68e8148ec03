//! Instants, durations and values as a person reads them.

use throughline_protocol::domain::Localised;
use throughline_value::Value;

use crate::bridge;
use crate::i18n::Lang;

/// How many characters of a value stand in a table's cell; the whole is in the details.
pub(crate) const CELL_CHARS: usize = 96;

#[expect(clippy::cast_precision_loss, reason = "an instant in milliseconds is far below 2^53")]
fn millis(ms: i64) -> f64 {
    ms as f64
}

/// `3 Mar, 14:03`
pub(crate) fn short_time(ms: i64, lang: Lang) -> String {
    bridge::format_time(millis(ms), lang.tag(), "short")
}

/// Day, time to the millisecond and zone.
pub(crate) fn full_time(ms: i64, lang: Lang) -> String {
    bridge::format_time(millis(ms), lang.tag(), "full")
}

/// `12,345`
pub(crate) fn number(number: u64, lang: Lang) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a count for display")]
    bridge::format_number(number as f64, lang.tag())
}

/// `250 ms`, `3.2 s`, `5 min`, `24 h`, `3 d`: the same in both languages.
pub(crate) fn duration(ms: i64) -> String {
    const SECOND: i64 = 1_000;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let sign = if ms < 0 { "−" } else { "" };
    let size = ms.abs();
    let (whole, unit, rest) = match size {
        0..SECOND => return format!("{sign}{size} ms"),
        SECOND..MINUTE => (size / SECOND, "s", size % SECOND / 100),
        MINUTE..HOUR => (size / MINUTE, "min", size % MINUTE * 10 / MINUTE),
        // A day is written as 24 h: that is how deadlines are named.
        HOUR..=DAY => (size / HOUR, "h", size % HOUR * 10 / HOUR),
        _ => (size / DAY, "d", size % DAY * 10 / DAY),
    };
    if rest == 0 { format!("{sign}{whole} {unit}") } else { format!("{sign}{whole}.{rest} {unit}") }
}

/// A value in one line: text without quotes, the rest as JSON.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Null => "—".to_owned(),
        other => other.to_json(),
    }
}

/// A value in one line that fits a cell, and whether it was cut.
pub(crate) fn cell(value_: &Value) -> String {
    cut(&value(value_), CELL_CHARS)
}

/// The first `limit` characters, with `…` where more followed.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The first and last digits of a hash.
pub(crate) fn short_hash(hash: &str) -> String {
    match (hash.get(..8), hash.get(hash.len().saturating_sub(4)..)) {
        (Some(start), Some(end)) if hash.len() > 16 => format!("{start}…{end}"),
        _ => hash.to_owned(),
    }
}

/// A text of a file in the reader's language.
pub(crate) fn localised(text: &Localised, lang: Lang) -> String {
    text.get(lang.tag()).to_owned()
}

/// Puts values into a sentence: `fill("{n} of {m}", &[("n", "1"), ("m", "2")])`.
pub(crate) fn fill(sentence: &str, parts: &[(&str, &str)]) -> String {
    parts.iter().fold(sentence.to_owned(), |text, (name, part)| text.replace(&format!("{{{name}}}"), part))
}

/// An answer's text with its references taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text.
    Text(String),
    /// `[n]`
    Note(u32),
}

/// Splits `… [1] …` into text and references. Only numbers in `known` are references.
pub(crate) fn pieces(text: &str, known: &[u32]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let note = after.split_once(']').and_then(|(inner, tail)| inner.parse().ok().map(|n: u32| (n, tail)));
        match note.filter(|(n, _)| known.contains(n)) {
            Some((n, tail)) => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Note(n));
                rest = tail;
            }
            None => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_in_the_unit_that_fits() {
        for (ms, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (3_250, "3.2 s"),
            (90_000, "1.5 min"),
            (86_400_000, "24 h"),
            (259_200_000, "3 d"),
            (-5_000, "−5 s"),
        ] {
            assert_eq!(duration(ms), expected);
        }
    }

    #[test]
    fn only_numbers_of_footnotes_become_references() {
        let text = |t: &str| Piece::Text(t.to_owned());
        assert_eq!(
            pieces("到达[1]，约 3 天[2][9]。[x] [", &[1, 2]),
            [text("到达"), Piece::Note(1), text("，约 3 天"), Piece::Note(2), text("[9]。[x] [")]
        );
        assert_eq!(pieces("", &[1]), []);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(cut("包裹在途", 2), "包裹…");
        assert_eq!(cut("包裹", 2), "包裹");
        assert_eq!(fill("{n} of {m}", &[("n", "1"), ("m", "2")]), "1 of 2");
        assert_eq!(short_hash("0123456789abcdef0123"), "01234567…0123");
        assert_eq!(short_hash("abc"), "abc");
    }
}
