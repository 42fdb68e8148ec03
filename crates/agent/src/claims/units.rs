//! Units that stand beside figures, in the forms that say the same.

use super::{folded, is_cjk};

/// What is measured, and its units: each with its spellings. What a sign alone leaves open (`元`, `pounds`) is no unit.
const UNITS: [(&str, &[&[&str]]); 4] = [
    (
        "money",
        &[
            &["$", "us$", "usd", "dollar", "dollars", "美元", "美金"],
            &["€", "eur", "euro", "euros", "欧元"],
            &["£", "gbp", "pounds sterling", "英镑"],
            &["cny", "rmb", "yuan", "人民币"],
            &["jpy", "yen", "日元"],
            &["cent", "cents", "美分"],
        ],
    ),
    (
        "mass",
        &[
            &["kg", "kilogram", "kilograms", "kilo", "kilos", "公斤", "千克"],
            &["g", "gram", "grams", "克"],
            &["t", "ton", "tons", "tonne", "tonnes", "吨"],
            &["lb", "lbs"],
            &["斤"],
        ],
    ),
    (
        "length",
        &[
            &["km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"],
            &["m", "metre", "metres", "meter", "meters", "米"],
            &["cm", "centimetre", "centimetres", "centimeter", "centimeters", "厘米"],
            &["mm", "millimetre", "millimetres", "millimeter", "millimeters", "毫米"],
            &["mi", "mile", "miles", "英里"],
        ],
    ),
    (
        "time",
        &[
            &["s", "second", "seconds", "秒"],
            &["min", "mins", "minute", "minutes", "分钟"],
            &["h", "hr", "hrs", "hour", "hours", "小时"],
            &["d", "day", "days", "天"],
            &["week", "weeks", "周", "星期"],
            &["month", "months", "个月"],
            &["year", "years", "年"],
        ],
    ),
];

/// A unit: what it measures, and which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    measure: usize,
    unit: usize,
}

impl Unit {
    /// Whether figures in both would be of one kind and yet not the same.
    pub(crate) fn differs(self, other: Self) -> bool {
        self.measure == other.measure && self.unit != other.unit
    }
}

fn all() -> impl Iterator<Item = (Unit, &'static str)> {
    UNITS.iter().enumerate().flat_map(|(measure, (_, units))| {
        let units = units.iter().enumerate();
        units.flat_map(move |(unit, words)| words.iter().map(move |word| (Unit { measure, unit }, *word)))
    })
}

/// The unit that a domain names.
pub(crate) fn unit(name: &str) -> Option<Unit> {
    let name = folded(name.trim());
    all().find(|(_, word)| *word == name).map(|(unit, _)| unit)
}

/// The unit that stands beside a figure from `start` to `end`: behind it, or as a sign before it.
pub(crate) fn beside(text: &str, start: usize, end: usize) -> Option<Unit> {
    let behind = folded(text.get(end..).unwrap_or_default());
    let behind = behind.trim_start_matches([' ', '\u{a0}', '-']);
    let stands = |word: &str| {
        behind.strip_prefix(word).is_some_and(|rest| {
            let next = rest.chars().next().unwrap_or(' ');
            word.chars().any(is_cjk) || !next.is_alphanumeric() || is_cjk(next)
        })
    };
    let longest = all().filter(|(_, word)| stands(word)).max_by_key(|(_, word)| word.len());
    let before = || {
        let sign = text.get(..start)?.trim_end().chars().next_back()?;
        all().find(|(_, word)| word.chars().eq([sign]) && !sign.is_alphanumeric())
    };
    longest.or_else(before).map(|(unit, _)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let start = text.find(|c: char| c.is_ascii_digit()).unwrap();
        let end = text.rfind(|c: char| c.is_ascii_digit()).unwrap() + 1;
        assert_eq!(beside(text, start, end), unit(expected), "{text}");
    }

    #[test]
    fn a_unit_is_the_same_in_every_spelling_and_a_part_of_a_word_is_none() {
        check("100 dollars", "usd");
        check("$100", "dollars");
        check("100美元", "dollars");
        check("100 Euros.", "eur");
        check("2.5kg", "公斤");
        check("2.5 tons", "t");
        check("100 goods", "");
        check("100元", "");
        check("3 months", "个月");
        assert!(unit("kg").unwrap().differs(unit("ton").unwrap()));
        assert!(!unit("kg").unwrap().differs(unit("公斤").unwrap()));
        assert!(!unit("kg").unwrap().differs(unit("days").unwrap()));
    }
}
