//! How many tokens a text is for a model, by estimate.
//!
//! No tokenizer is carried: a text is cut into runs of one class of characters, and each class costs what it
//! costs on average. A host that has an exact tokenizer counts with it instead.

/// The classes of characters that cost differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Letters of alphabetic scripts in the ASCII range: a word is one token, a long one several.
    Latin,
    /// Other alphabetic letters: Cyrillic, Greek, Arabic, accented Latin.
    Letter,
    /// Chinese, Japanese, Korean: about two tokens for three characters.
    Wide,
    Digit,
    Space,
    Newline,
    /// Spaces at the beginning of a line.
    Indent,
    /// What joins words into a name.
    Joint,
    /// Everything else, ASCII.
    Punctuation,
    /// Everything else.
    Symbol,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Latin,
        '0'..='9' => Class::Digit,
        '\n' | '\r' => Class::Newline,
        '_' => Class::Joint,
        c if c.is_whitespace() => Class::Space,
        c if c.is_ascii() => Class::Punctuation,
        '\u{2E80}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FFEF}'
        | '\u{20000}'..='\u{3FFFF}' => Class::Wide,
        c if c.is_alphabetic() => Class::Letter,
        _ => Class::Symbol,
    }
}

/// The estimate counts in hundredths of a token, so that short runs add up.
const HUNDRED: u64 = 100;

/// How many tokens a text is, by estimate.
///
/// ```
/// use throughline_dialogue::tokens::estimate;
/// assert_eq!(estimate(""), 0);
/// assert!(estimate("The package arrives on Monday.") >= 6);
/// assert!(estimate("包裹将于星期一送达。") >= 6);
/// ```
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let mut hundredths = 0;
    let mut run: Option<(Class, u64)> = None;
    for c in text.chars() {
        let class = class(c);
        match &mut run {
            Some((open, length)) if *open == class || (*open, class) == (Class::Indent, Class::Space) => *length += 1,
            _ => {
                hundredths += run.map_or(0, |(class, length)| cost(class, length));
                // The indentation of a line goes with its break.
                let indents = class == Class::Space && matches!(run, Some((Class::Newline, _)));
                run = Some((if indents { Class::Indent } else { class }, 1));
            }
        }
    }
    hundredths += run.map_or(0, |(class, length)| cost(class, length));
    hundredths.div_ceil(HUNDRED)
}

/// What a run of one class costs, in hundredths of a token.
fn cost(class: Class, length: u64) -> u64 {
    match class {
        // Up to seven letters are mostly one token; then about one for every four more.
        Class::Latin => HUNDRED + length.saturating_sub(7) * 25,
        Class::Letter => length * 40,
        Class::Wide => length * 71,
        // Digits go in threes.
        Class::Digit => length.div_ceil(3) * HUNDRED,
        // One space goes with the word behind it.
        Class::Space => length.saturating_sub(1).min(1) * HUNDRED,
        Class::Newline => 70,
        Class::Indent => 30,
        Class::Joint => 10,
        // What stands between two values of JSON is mostly one token: `":"`, `","`, `},{`.
        Class::Punctuation => 90 + length.saturating_sub(2).min(1) * 20 + length.saturating_sub(3) * 45,
        Class::Symbol => length * 150,
    }
}
