//! Days by their number: `March the ninth`, `the ninth of March`, `on the 9th`, `9号`.

use super::numerals::chinese_digit;
use super::{Claim, Scan, month};

const ONES: [&str; 19] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

/// Words before `the 9th` by which it is a day.
const ON: [&str; 8] = ["on", "by", "until", "till", "from", "before", "after", "since"];

/// Words that may follow `on the 9th` where it is a day.
const BEHIND: [&str; 14] =
    ["of", "at", "in", "and", "or", "from", "to", "by", "with", "for", "around", "between", "if", "when"];

/// What may follow `九号` where it is a day, beside the end and signs.
const FOLLOWS: &str = "发送到达前后起开交取寄出收来去可会能将就上下早晚中凌之以至或和您你我它";

impl Scan {
    /// An ordinal in words from here: `ninth`, `twenty-first`.
    fn ordinal_word(&self, from: usize) -> Option<(u32, usize)> {
        let (word, end) = self.word(from)?;
        let one = |word: &str| ONES.iter().position(|one| *one == word).map(|place| place as u32 + 1);
        match word.as_str() {
            "twentieth" => return Some((20, end)),
            "thirtieth" => return Some((30, end)),
            "twenty" | "thirty" if matches!(self.at(end), '-' | ' ') => {
                let (word, end) = self.word(end + 1)?;
                let tens = if self.word(from)?.0 == "twenty" { 20 } else { 30 };
                return one(&word).filter(|one| *one < 10).map(|one| (tens + one, end));
            }
            _ => {}
        }
        one(&word).map(|day| (day, end))
    }

    /// The day behind a month's name: `5`, `5th`, `the fifth`.
    pub(super) fn day_behind(&self, from: usize) -> Option<(u32, usize)> {
        let mut place = self.spaces(from);
        if let Some((word, end)) = self.word(place)
            && word == "the"
        {
            place = self.spaces(end);
        }
        self.digits(place, 2).map(|(day, end)| (day, self.ordinal(end))).or_else(|| self.ordinal_word(place))
    }

    /// `ninth of March`, `on the 9th`, `9号`.
    pub(super) fn numbered_day(&self, from: usize) -> Option<(Claim, usize)> {
        if self.at(from).is_ascii_alphabetic() {
            let (day, end) = self.begins_word(from).then(|| self.ordinal_word(from))??;
            let (of, end) = self.word(self.spaces(end)).filter(|(of, _)| of == "of").or(Some((String::new(), end)))?;
            let place = self.spaces(end);
            let named = self.at(place).is_ascii_uppercase() && (!of.is_empty() || place > end);
            let (word, end) = self.word(place).filter(|_| named)?;
            let (year, end) = self.year(end);
            return Some((self.day(year, month(&word)?, day)?, end));
        }
        let before = from.checked_sub(1).map_or('\0', |place| self.at(place));
        if self.at(from).is_ascii_digit() && before == ' ' {
            let (day, end) = self.digits(from, 2)?;
            let place = self.ordinal(end);
            let words: String = (0..from).rev().map(|i| self.at(i)).take(12).collect();
            let words: String = words.chars().rev().collect::<String>().to_lowercase();
            let mut last = words.split_whitespace().rev();
            let day_of = last.next() == Some("the") && last.next().is_some_and(|word| ON.contains(&word));
            // `on the 9th floor` is no day.
            let next = self.word(self.spaces(place)).is_none_or(|(word, _)| BEHIND.contains(&word.as_str()));
            return (place > end && day_of && next && (1..=31).contains(&day)).then_some((Claim::Day(day), place));
        }
        if before.is_ascii_alphanumeric() || matches!(before, '月' | '.' | '-' | '/' | '十' | '第') {
            return None;
        }
        if chinese_digit(before).is_some() {
            return None;
        }
        let (day, end) = self.small(from).filter(|(_, end)| self.at(*end) == '号')?;
        let next = self.at(end + 1);
        let ends = next == '\0' || !next.is_alphanumeric() || FOLLOWS.contains(next);
        (ends && (1..=31).contains(&day)).then_some((Claim::Day(day), end + 1))
    }
}
