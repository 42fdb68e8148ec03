//! Regular expressions over a text.

use throughline_value::{InOrder as _, Span, Value};

use super::{Failure, Found};
use crate::limits::MAX_MATCHES;

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
        return Err(Failure::new("value-missing", missing(text, pattern)));
    }
    Ok(finds)
}

/// What the text has instead: where the pattern's longest word stands in it.
fn missing(text: &str, pattern: &str) -> String {
    let near = words(pattern).find_map(|word| {
        let at = position(text, word)?;
        let start = (0..=at.saturating_sub(20)).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let excerpt: String =
            text.get(start..)?.chars().take(60).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        Some(format!("; near `{word}` the text has `{}`", excerpt.trim()))
    });
    format!(
        "the pattern `{pattern}` matches nothing{}",
        near.unwrap_or_else(|| "; none of its words is in the text".to_owned())
    )
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
            "nothing",
            r"price (\d+)",
            Err(r"the pattern `price (\d+)` matches nothing; none of its words is in the text"),
        );
    }
}
