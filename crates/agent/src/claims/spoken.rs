//! Days and times in words: `tomorrow`, `下午五点`, `三月六日`, `noon`.

use super::numerals::{by_place, chinese, chinese_digit};
use super::{Claim, Scan};

/// Words for days near the one on which they are said; the longer ones first.
const NEAR: [(&str, i64); 10] = [
    ("大后天", 3),
    ("大前天", -3),
    ("明天", 1),
    ("明日", 1),
    ("后天", 2),
    ("昨天", -1),
    ("昨日", -1),
    ("前天", -2),
    ("the day after tomorrow", 2),
    ("the day before yesterday", -2),
];

/// Parts of the day, and whether twelve hours come to what is said.
const PARTS: [(&str, bool); 9] = [
    ("上午", false),
    ("早上", false),
    ("早晨", false),
    ("凌晨", false),
    ("中午", false),
    ("下午", true),
    ("傍晚", true),
    ("晚上", true),
    ("夜里", true),
];

impl Scan {
    /// A day or a time in words from here.
    pub(super) fn spoken(&self, from: usize) -> Option<(Claim, usize)> {
        // `今后天气`, `目前天数`, `聪明天才` are other words.
        let other = matches!(
            (self.before(from), self.at(from)),
            ('今' | '以' | '最' | '之' | '然', '后')
                | ('目' | '以' | '之', '前')
                | ('聪' | '光' | '表' | '说' | '证', '明')
        );
        if !other && let Some((days, end)) = NEAR.iter().find_map(|(word, days)| Some((*days, self.after(from, word)?)))
        {
            return Some((Claim::Away(days), end));
        }
        if self.at(from).is_ascii_alphabetic() {
            if !self.begins_word(from) {
                return None;
            }
            let (word, end) = self.word(from)?;
            return match word.as_str() {
                "tomorrow" => Some((Claim::Away(1), end)),
                "yesterday" => Some((Claim::Away(-1), end)),
                "noon" => Some((Claim::Time(12, 0), end)),
                "midnight" => Some((Claim::Time(0, 0), end)),
                _ => None,
            };
        }
        self.chinese_day(from).or_else(|| self.chinese_time(from))
    }

    fn before(&self, place: usize) -> char {
        place.checked_sub(1).map_or('\0', |place| self.at(place))
    }

    /// The place after a word that stands here, without capitals.
    fn after(&self, from: usize, word: &str) -> Option<usize> {
        let mut place = from;
        for c in word.chars() {
            if self.at(place).to_ascii_lowercase() != c {
                return None;
            }
            place += 1;
        }
        let latin = word.is_ascii();
        (!latin || self.begins_word(from) && !self.at(place).is_ascii_alphanumeric()).then_some(place)
    }

    /// A number up to 99 in digits or in Chinese numerals.
    pub(super) fn small(&self, from: usize) -> Option<(u32, usize)> {
        if let Some(found) = self.digits(from, 2) {
            return Some(found);
        }
        if let Some((value, end)) = chinese(self, from) {
            return u32::try_from(value).ok().filter(|value| *value < 100).map(|value| (value, end));
        }
        if self.at(from) == '十' {
            return Some((10, from + 1));
        }
        Some((u32::try_from(chinese_digit(self.at(from))?).ok()?, from + 1))
    }

    /// `三月六日`, `二〇二六年三月六日`.
    fn chinese_day(&self, from: usize) -> Option<(Claim, usize)> {
        if from > 0 && (chinese_digit(self.at(from - 1)).is_some() || self.at(from - 1) == '十') {
            return None;
        }
        let year = by_place(self, from).or_else(|| self.digits(from, 4).map(|(year, end)| (u64::from(year), end)));
        let year = year.filter(|(year, end)| self.at(*end) == '年' && (1000..=9999).contains(year));
        let month_at = year.map_or(from, |(_, end)| end + 1);
        let (month, end) = self.small(month_at).filter(|(_, end)| self.at(*end) == '月')?;
        let (day, end) = self.small(end + 1).filter(|(_, end)| matches!(self.at(*end), '日' | '号'))?;
        let year = year.and_then(|(year, _)| u32::try_from(year).ok());
        Some((self.day(year, month, day)?, end + 1))
    }

    /// `下午五点`, `五点半`, `10点20分`. A bare `一点` is a bit, and `三点` may be points.
    fn chinese_time(&self, from: usize) -> Option<(Claim, usize)> {
        let part = PARTS.iter().find_map(|(word, late)| Some((*late, self.after(from, word)?)));
        let at = part.map_or(from, |(_, end)| end);
        let (hours, end) =
            self.small(at).filter(|(hours, end)| matches!(self.at(*end), '点' | '时') && *hours <= 24)?;
        let (minutes, end) = match self.at(end + 1) {
            '半' => (Some(30), end + 2),
            '整' => (Some(0), end + 2),
            '钟' if part.is_some() => (Some(0), end + 2),
            _ => match self.small(end + 1).filter(|(minutes, end)| *minutes < 60 && self.at(*end) == '分') {
                Some((minutes, end)) => (Some(minutes), end + 1),
                None => (None, end + 1),
            },
        };
        let late = part.is_some_and(|(late, _)| late && hours < 12);
        let hours = (hours + if late { 12 } else { 0 }) % 24;
        (part.is_some() || minutes.is_some()).then_some((Claim::Time(hours, minutes.unwrap_or(0)), end))
    }

    /// `am`, `p.m.`: how many hours come to those before noon, and the place after it.
    pub(super) fn half(&self, from: usize) -> Option<(u32, usize)> {
        let (word, end) = self.word(self.spaces(from))?;
        let dotted = |end: usize| {
            let m = self.at(end) == '.'
                && self.at(end + 1).eq_ignore_ascii_case(&'m')
                && !self.at(end + 2).is_ascii_alphanumeric();
            m.then_some(if self.at(end + 2) == '.' { end + 3 } else { end + 2 })
        };
        match word.as_str() {
            "am" => Some((0, end)),
            "pm" => Some((12, end)),
            "a" => Some((0, dotted(end)?)),
            "p" => Some((12, dotted(end)?)),
            _ => None,
        }
    }
}
