//! Regular expressions over a text.

use throughline_value::{InOrder as _, Span, Value};

use super::{Failure, Found, Near};
use crate::limits::MAX_MATCHES;

/// So many words of a text are compared with a misspelt one.
const MAX_WORDS: usize = 20_000;

/// Every match's group, in the order of the text.
pub(super) fn find(text: &str, pattern: &str) -> Result<Vec<Found>, Failure> {
    let regex = crate::pattern::compile(pattern).map_err(|wrong| Failure::new(wrong.code, wrong.message))?;
    let finds: Vec<Found> = regex
        .captures_iter(text)
        .filter_map(|captures| captures.get(1))
        .take(MAX_MATCHES + 1)
        .map(|group| Found::sure(Span::new(group.start(), group.end()), Value::from(group.as_str()), 10))
        .collect();
    if finds.is_empty() {
        return Err(missing(text, pattern));
    }
    Ok(finds)
}

/// What the text has instead: where the pattern's longest word stands in it, and a pattern that would find it.
fn missing(text: &str, pattern: &str) -> Failure {
    let known = words(pattern).find_map(|word| Some((word, position(text, word)?)));
    // A word that is only misspelt is near too.
    let misspelt = || {
        words(pattern).find_map(|word| {
            let all = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let near = crate::nearest::nearest(word, all.take(MAX_WORDS))?;
            Some((near, text.find(near)?))
        })
    };
    let near = known.or_else(misspelt).and_then(|(word, at)| {
        let start = (0..=at.saturating_sub(20)).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let length: usize = text.get(start..)?.chars().take(60).map(char::len_utf8).sum();
        let excerpt = text.get(start..start + length)?;
        let shown: String = excerpt.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        let lead = excerpt.len() - excerpt.trim_start().len();
        let quote = excerpt.trim();
        let span = Span::new(start + lead, start + lead + quote.len());
        let near = Near { span, quote: quote.to_owned(), instead: instead(text, at, pattern), ..Near::default() };
        Some((format!("; near `{word}` the text has `{}`", shown.trim()), near))
    });
    let (hint, near) =
        near.map_or_else(|| ("; none of its words is in the text".to_owned(), None), |(hint, near)| (hint, Some(near)));
    Failure::new("value-missing", format!("the pattern `{pattern}` matches nothing{hint}")).near(near)
}

/// A pattern for the value that stands behind the word at this place: the text between them as it is written.
fn instead(text: &str, at: usize, pattern: &str) -> Option<String> {
    let numeric = pattern.contains("\\d") || pattern.contains("[0-9");
    let value = if numeric { r"[0-9][0-9,.]*[0-9]|[0-9]" } else { r"\S[^\n,.;，。；]*" };
    let line = text.get(at..)?.split(['\n', '\x0c']).next()?;
    let word = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    let rest = line.get(word..)?;
    // The mark behind the words is no part of the value.
    let skip = if numeric { 0 } else { rest.find(|c: char| c.is_alphanumeric())? };
    let found = regex::Regex::new(value).ok()?.find(rest.get(skip..)?)?;
    let between = line.get(..word + skip + found.start())?;
    if between.chars().count() > 80 || (numeric && between.chars().any(|c| c.is_ascii_digit())) {
        return None;
    }
    let mut out = String::new();
    for (place, part) in between.split(char::is_whitespace).filter(|part| !part.is_empty()).enumerate() {
        out.push_str(if place > 0 { r"\s+" } else { "" });
        out.push_str(&regex::escape(part));
    }
    out.push_str(if between.ends_with(char::is_whitespace) { r"\s+" } else { "" });
    out.push_str(if numeric { r"([0-9][0-9,.]*)" } else { r"(\S[^\n,.;，。；]*)" });
    let regex = crate::pattern::compile(&out).ok()?;
    regex.is_match(text).then_some(out)
}

/// The literal words of a pattern, longest first.
fn words(pattern: &str) -> impl Iterator<Item = &str> {
    let mut words: Vec<&str> =
        pattern.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 2).collect();
    words.order_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.into_iter()
}

/// Where `word` stands, whatever its letter case.
fn position(text: &str, word: &str) -> Option<usize> {
    text.find(word).or_else(|| {
        let lower = word.to_lowercase();
        text.char_indices().map(|(at, _)| at).find(|at| {
            let mut rest = text.get(*at..).unwrap_or("").chars().flat_map(char::to_lowercase);
            lower.chars().all(|c| rest.next() == Some(c))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pattern: &str, expected: Result<&[&str], &str>) {
        let got = find(text, pattern)
            .map(|f| f.into_iter().map(|f| text.get(f.span.start..f.span.end).unwrap().to_owned()).collect::<Vec<_>>());
        let expected = expected.map(|l| l.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()).map_err(str::to_owned);
        assert_eq!(got.map_err(|e| e.message), expected, "{pattern}");
    }

    #[test]
    fn patterns_give_the_bytes_of_their_group() {
        check("last seen in Berlin, last seen in Ulm", r"last seen in (\w+)", Ok(&["Berlin", "Ulm"]));
        check("良率：９１.７%，交期：30天", r"交期：(\d+)天", Ok(&["30"]));
        check("ab", r"a|(b)", Ok(&["b"]));
    }

    #[test]
    fn a_pattern_that_finds_nothing_names_the_near_miss() {
        check(
            "The yield rate was 91.70 percent.",
            r"Yield: (\d+)",
            Err(
                r"the pattern `Yield: (\d+)` matches nothing; near `Yield` the text has `The yield rate was 91.70 percent.`",
            ),
        );
        check(
            "The yield rate: 91.70 percent.",
            r"Yeild: (\d+)",
            Err(
                r"the pattern `Yeild: (\d+)` matches nothing; near `yield` the text has `The yield rate: 91.70 percent.`",
            ),
        );
        check(
            "nothing",
            r"price (\d+)",
            Err(r"the pattern `price (\d+)` matches nothing; none of its words is in the text"),
        );
    }
}
