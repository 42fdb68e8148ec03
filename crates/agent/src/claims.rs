//! What a text claims: its numbers, dates and names, found by rules.
//!
//! Every figure counts, whatever way it is written: `23,500`, `２３，５００`, `2.35万`, `两万三千五百`,
//! `twenty-three thousand five hundred`. A date is a date in digits or in words. A name is what a reader takes
//! for one: words with capitals inside a sentence, a token of letters and digits, a text in quotation marks.

mod deeds;
mod denials;
mod numerals;
mod ordinals;
mod spoken;
pub(crate) mod units;

pub(crate) use deeds::{Deed, deeds, stem};
pub(crate) use denials::is_denied;
pub(crate) use numerals::{small_numbers, small_places};

use throughline_value::Number;
use throughline_value::forms::compose;

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// A figure.
    Number(Number),
    /// A day; the year may be missing.
    Date(Option<i32>, u32, u32),
    /// A day of a month that is not said.
    Day(u32),
    /// A time of the day, in hours and minutes.
    Time(u32, u32),
    /// A day of the week, from 1 for Monday.
    Weekday(u32),
    /// A day by its distance from the day on which it is said.
    Away(i64),
    /// A name or an identifier.
    Name,
}

/// A claim and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) claim: Claim,
    /// As it is written.
    pub(crate) text: String,
    /// Its bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Words that begin sentences with a capital and name nothing.
const STARTERS: &str = " the a an this that these those your my our we i you he she they it its their his her in on at \
for from to by as if with without no not none yes and but or so please thank thanks hello hi dear since because there \
here when while after before until once ok okay sorry unfortunately what which who how why where is are was were do does \
did can could may might will would shall should let all both each every some any one two three of about regarding given \
based currently now today tomorrow yesterday just only then also still however instead ";

/// The ends of hosts that are not also ends of files or of sentences.
const TOPS: &str = " com net org io cn dev app info biz ru xyz top shop site online example test ";

/// Full-width signs as what they are wide forms of, digits of other scripts and other dashes as the usual ones.
fn narrow(c: char) -> char {
    let digit = |zero: u32| char::from_digit((u32::from(c) - zero) % 10, 10).unwrap_or(c);
    match c {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{660}'..='\u{669}' => digit(0x660),
        '\u{6f0}'..='\u{6f9}' => digit(0x6f0),
        '\u{966}'..='\u{96f}' => digit(0x966),
        '\u{9e6}'..='\u{9ef}' => digit(0x9e6),
        '\u{e50}'..='\u{e59}' => digit(0xe50),
        '\u{1d7ce}'..='\u{1d7ff}' => digit(0x1d7ce),
        '\u{2080}'..='\u{2089}' => digit(0x2080),
        '\u{2460}'..='\u{2468}' => digit(0x245f),
        other => other,
    }
}

/// Whether a sign is not to be seen: it parts no name.
fn unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// A text in the form that it is compared in: no capitals, nothing full-width, nothing unseen.
pub(crate) fn folded(text: &str) -> String {
    compose(text).chars().filter(|c| !unseen(*c)).map(narrow).flat_map(char::to_lowercase).collect()
}

pub(super) struct Scan {
    /// Each character, folded to its narrow form, with its byte.
    chars: Vec<(usize, char)>,
    length: usize,
}

impl Scan {
    fn new(text: &str) -> Self {
        let seen = clusters(text).into_iter().filter(|(.., c)| !unseen(*c));
        Self { chars: seen.map(|(at, _, c)| (at, narrow(c))).collect(), length: text.len() }
    }

    /// Takes some bytes out: nothing is found there or across it.
    fn mask(&mut self, start: usize, end: usize) {
        for (at, c) in &mut self.chars {
            if (start..end).contains(at) {
                *c = '\u{1}';
            }
        }
    }

    pub(super) fn at(&self, place: usize) -> char {
        self.chars.get(place).map_or('\0', |(_, c)| *c)
    }

    fn byte(&self, place: usize) -> usize {
        self.chars.get(place).map_or(self.length, |(at, _)| *at)
    }

    /// Digits from here: their value and the place after them.
    pub(super) fn digits(&self, from: usize, most: usize) -> Option<(u32, usize)> {
        let mut place = from;
        let mut value = 0u32;
        while let Some(digit) = self.at(place).to_digit(10).filter(|_| place - from < most) {
            value = value * 10 + digit;
            place += 1;
        }
        (place > from && !self.at(place).is_ascii_digit()).then_some((value, place))
    }

    /// The word of Latin letters from here, without capitals.
    pub(super) fn word(&self, from: usize) -> Option<(String, usize)> {
        let mut place = from;
        while self.at(place).is_ascii_alphabetic() {
            place += 1;
        }
        let word: String = (from..place).map(|i| self.at(i).to_ascii_lowercase()).collect();
        (place > from).then_some((word, place))
    }

    pub(super) fn spaces(&self, mut place: usize) -> usize {
        while matches!(self.at(place), ' ' | '\t' | '\u{a0}') {
            place += 1;
        }
        place
    }

    pub(super) fn begins_word(&self, place: usize) -> bool {
        place == 0 || !self.at(place - 1).is_alphanumeric() || !self.at(place - 1).is_ascii()
    }

    pub(super) fn day(&self, year: Option<u32>, month: u32, day: u32) -> Option<Claim> {
        let year = year.and_then(|year| i32::try_from(year).ok());
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Claim::Date(year, month, day))
    }

    /// A day or a time from here.
    fn moment(&self, from: usize) -> Option<(Claim, usize)> {
        if let Some(found) = self.spoken(from) {
            return Some(found);
        }
        if self.at(from).is_ascii_digit() {
            if from > 0 && self.at(from - 1).is_ascii_alphanumeric() {
                return None;
            }
            let day = self.in_digits(from).or_else(|| self.clock(from)).or_else(|| self.day_month(from));
            return day.or_else(|| self.numbered_day(from));
        }
        if matches!(self.at(from), '周' | '星' | '礼') {
            let next = if self.at(from) == '周' { from + 1 } else { from + 2 };
            if (self.at(from) == '星' && self.at(from + 1) != '期')
                || (self.at(from) == '礼' && self.at(from + 1) != '拜')
            {
                return None;
            }
            let number = "一二三四五六日".chars().position(|c| c == self.at(next));
            let number = number.or((self.at(next) == '天').then_some(6))?;
            return Some((Claim::Weekday(number as u32 + 1), next + 1));
        }
        if let Some(found) = self.numbered_day(from) {
            return Some(found);
        }
        if !self.at(from).is_ascii_uppercase() || !self.begins_word(from) {
            return None;
        }
        let (word, end) = self.word(from)?;
        if let Some(day) = DAYS.iter().position(|day| *day == word) {
            return Some((Claim::Weekday(day as u32 + 1), end));
        }
        let month = month(&word)?;
        let (day, end) = self.day_behind(end)?;
        let (year, end) = self.year(end);
        Some((self.day(year, month, day)?, end))
    }

    /// `2026-03-05`, `2026/3/5`, `2026年3月5日`, `3月5日`.
    fn in_digits(&self, from: usize) -> Option<(Claim, usize)> {
        let (first, end) = self.digits(from, 4)?;
        let (year, month, day_at) = match self.at(end) {
            '月' => (None, first, end + 1),
            sign @ ('年' | '-' | '/' | '.') if end - from == 4 => {
                let (month, end) = self.digits(end + 1, 2)?;
                let expected = if sign == '年' { '月' } else { sign };
                if self.at(end) != expected {
                    return None;
                }
                (Some(first), month, end + 1)
            }
            _ => return None,
        };
        let (day, mut end) = self.digits(day_at, 2)?;
        if matches!(self.at(end), '日' | '号') {
            end += 1;
        }
        // A time may follow at once, as in `2026-03-05T13:40`.
        let end = if self.at(end) == 'T' && self.at(end + 1).is_ascii_digit() { end + 1 } else { end };
        Some((self.day(year, month, day)?, end))
    }

    /// `13:40`, with seconds or not.
    fn clock(&self, from: usize) -> Option<(Claim, usize)> {
        let (hours, end) = self.digits(from, 2)?;
        if self.at(end) != ':' {
            let (half, end) = self.half(end)?;
            return (hours <= 12).then_some((Claim::Time(hours % 12 + half, 0), end));
        }
        let (minutes, end) = self.digits(end + 1, 2)?;
        let end = if self.at(end) == ':' { self.digits(end + 1, 2).map_or(end, |(_, end)| end) } else { end };
        if let Some((half, end)) = self.half(end).filter(|_| hours <= 12 && minutes < 60) {
            return Some((Claim::Time(hours % 12 + half, minutes), end));
        }
        (hours < 24 && minutes < 60).then_some((Claim::Time(hours, minutes), end))
    }

    /// `5 March 2026`, `the 5th of March`.
    fn day_month(&self, from: usize) -> Option<(Claim, usize)> {
        let (day, end) = self.digits(from, 2)?;
        let mut place = self.spaces(self.ordinal(end));
        if let Some((word, end)) = self.word(place)
            && word == "of"
        {
            place = self.spaces(end);
        }
        if !self.at(place).is_ascii_uppercase() {
            return None;
        }
        let (word, end) = self.word(place)?;
        let month = month(&word)?;
        let (year, end) = self.year(end);
        Some((self.day(year, month, day)?, end))
    }

    pub(super) fn ordinal(&self, from: usize) -> usize {
        match self.word(from) {
            Some((word, end)) if matches!(word.as_str(), "st" | "nd" | "rd" | "th") => end,
            _ => from,
        }
    }

    pub(super) fn year(&self, from: usize) -> (Option<u32>, usize) {
        let mut place = from;
        if self.at(place) == ',' {
            place += 1;
        }
        match self.digits(self.spaces(place), 4) {
            Some((year, end)) if (1000..=9999).contains(&year) => (Some(year), end),
            _ => (None, from),
        }
    }

    /// An address or a tag from here: both can make a page do something, so both are claims as a whole.
    fn address(&self, from: usize) -> Option<usize> {
        if self.at(from) == '<' && (self.at(from + 1).is_ascii_alphabetic() || self.at(from + 1) == '/') {
            return Some(self.until(from + 1, |c| c == '>'));
        }
        if !self.begins_word(from) {
            return None;
        }
        let (word, end) = self.word(from)?;
        let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '\'' | '」' | '》' | '，' | '。');
        let scheme = matches!(word.as_str(), "mailto" | "javascript" | "data" | "tel") && self.at(end) == ':';
        if (scheme && !ends(self.at(end + 1)) && self.at(end + 1) != '\0') || (word == "www" && self.at(end) == '.') {
            return Some(self.until(end, ends));
        }
        let in_mail = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        let at = self.until(from, |c| !in_mail(c));
        if self.at(at) == '@' && self.at(at + 1).is_ascii_alphanumeric() {
            return Some(self.until(at + 1, |c| !in_mail(c)));
        }
        // A host without a scheme.
        let host: String = (from..at).map(|place| self.at(place).to_ascii_lowercase()).collect();
        let host = host.trim_end_matches(['.', '-']);
        if host.rsplit_once('.').is_some_and(|(name, top)| !name.is_empty() && TOPS.contains(&format!(" {top} "))) {
            let end = from + host.len();
            return Some(if matches!(self.at(end), '/' | '?' | ':' | '#') { self.until(end, ends) } else { end });
        }
        let is_address = self.at(end) == ':' && self.at(end + 1) == '/' && self.at(end + 2) == '/';
        is_address.then(|| self.until(end + 3, ends))
    }

    fn until(&self, mut place: usize, ends: impl Fn(char) -> bool) -> usize {
        while place < self.chars.len() && !ends(self.at(place)) {
            place += 1;
        }
        place
    }

    /// A token that begins with a letter and has a digit in it.
    fn identifier(&self, from: usize) -> Option<usize> {
        if !self.at(from).is_ascii_alphabetic() || !self.begins_word(from) {
            return None;
        }
        let mut end = from;
        let mut digits = false;
        while self.at(end).is_ascii_alphanumeric()
            || (matches!(self.at(end), '-' | '_' | '/') && self.at(end + 1).is_ascii_alphanumeric() && end > from)
        {
            digits |= self.at(end).is_ascii_digit();
            end += 1;
        }
        digits.then_some(end)
    }

    /// Whether a sentence begins here.
    fn begins_sentence(&self, place: usize) -> bool {
        let mut before = place;
        while before > 0 && matches!(self.at(before - 1), ' ' | '"' | '\'' | '*' | '(' | '#' | '-' | '•' | '“' | '_')
        {
            before -= 1;
        }
        before == 0
            || matches!(self.at(before - 1), '.' | '!' | '?' | ':' | ';' | '\n' | '。' | '！' | '？' | ',')
                && !(self.at(before - 1) == ',' && before == place)
                && self.at(before - 1) != ','
    }

    /// Words with capitals that stand together.
    fn capitals(&self, from: usize) -> Option<(usize, usize)> {
        if !self.at(from).is_uppercase() || !self.begins_word(from) {
            return None;
        }
        let mut words: Vec<(usize, usize)> = Vec::new();
        let mut place = from;
        loop {
            let begin = place;
            while self.at(place).is_alphanumeric() && !is_cjk(self.at(place)) || matches!(self.at(place), '\'' | '’')
            {
                place += 1;
            }
            // A token with digits is a name of its own.
            if place == begin || (begin..place).any(|i| self.at(i).is_numeric()) {
                break;
            }
            words.push((begin, place));
            let next = self.spaces(place);
            if next != place + 1 || !self.at(next).is_uppercase() {
                break;
            }
            place = next;
        }
        let word = |(begin, end): &(usize, usize)| -> String { (*begin..*end).map(|i| self.at(i)).collect() };
        let names_nothing = |range: &(usize, usize)| {
            let word = word(range).to_lowercase();
            let stem = word.split(['\'', '’']).next().unwrap_or("");
            STARTERS.contains(&format!(" {stem} ")) || month(stem).is_some() || DAYS.contains(&stem)
        };
        let mut rest = words.as_slice();
        while let Some((first, others)) = rest.split_first()
            && names_nothing(first)
        {
            rest = others;
        }
        // One word with a capital begins a sentence; two of them are a name also there.
        if let [only] = rest
            && only.0 == from
            && self.begins_sentence(from)
            && !self.is_all_capitals(*only)
        {
            rest = &[];
        }
        match (rest.first(), rest.last(), words.last()) {
            (Some(first), Some(last), _) => Some((first.0, last.1)),
            // Nothing is named; what was looked at is passed over.
            (_, _, Some(last)) => Some((last.1, last.1)),
            _ => None,
        }
    }

    fn is_all_capitals(&self, (begin, end): (usize, usize)) -> bool {
        end - begin > 1 && (begin..end).all(|i| self.at(i).is_uppercase())
    }
}

fn month(word: &str) -> Option<u32> {
    let place = MONTHS.iter().position(|month| *month == word || (word.len() == 3 && month.starts_with(word)))?;
    u32::try_from(place + 1).ok()
}

pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Everything that a text claims, in its order. `known` are texts that need no support: what stands in them is
/// passed over as a whole.
pub(crate) fn claims(text: &str, known: &[&str]) -> Vec<Found> {
    let mut scan = Scan::new(text);
    for (start, end) in spans(text, known) {
        scan.mask(start, end);
    }
    let scan = scan;
    let mut found = Vec::new();
    let mut place = 0;
    while place < scan.chars.len() {
        let mut push = |claim: Claim, start: usize, end: usize| {
            let (start, end) = (scan.byte(start), scan.byte(end));
            found.push(Found { claim, text: text.get(start..end).unwrap_or_default().to_owned(), start, end });
        };
        if let Some(end) = scan.address(place) {
            push(Claim::Name, place, end);
            place = end;
        } else if let Some((claim, end)) = scan.moment(place) {
            push(claim, place, end);
            place = end;
        } else if let Some(end) = scan.identifier(place) {
            push(Claim::Name, place, end);
            place = end;
        } else if let Some((number, end)) = numerals::number(&scan, place) {
            if let Some(number) = number {
                push(Claim::Number(number), place, end);
            }
            place = end;
        } else if let Some((start, end)) = scan.capitals(place) {
            if end > start {
                push(Claim::Name, start, end);
            }
            place = end.max(place + 1);
        } else if let Some(end) = quotation(&scan, place) {
            push(Claim::Name, place + 1, end - 1);
            place += 1;
        } else {
            place += 1;
        }
    }
    found
}

/// The most characters of a quoted name.
const MAX_QUOTED: usize = 40;

/// A short text in quotation marks that name: the place after them.
fn quotation(scan: &Scan, from: usize) -> Option<usize> {
    let closing = match scan.at(from) {
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '“' => '”',
        '‘' => '’',
        // A straight one may be an apostrophe, or inches.
        sign @ ('"' | '\'')
            if (from == 0 || !scan.at(from - 1).is_alphanumeric()) && scan.at(from + 1).is_alphanumeric() =>
        {
            sign
        }
        _ => return None,
    };
    let closes = |place: &usize| {
        scan.at(*place) == closing && (!matches!(closing, '\'' | '’') || !scan.at(place + 1).is_alphanumeric())
    };
    let end = (from + 2..from + MAX_QUOTED).find(closes)?;
    (from..end).all(|place| scan.at(place) != '\n').then_some(end + 1)
}

/// Marks that are one sign with what stands before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}')
}

/// The characters of a text with their bytes, each with its marks as one where there is one.
fn clusters(text: &str) -> Vec<(usize, usize, char)> {
    let mut out: Vec<(usize, usize, char)> = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let mut end = at + c.len_utf8();
        if rest.peek().is_none_or(|(_, next)| !is_mark(*next)) {
            out.push((at, end, c));
            continue;
        }
        while let Some((_, mark)) = rest.next_if(|(_, next)| is_mark(*next)) {
            end += mark.len_utf8();
        }
        out.extend(compose(text.get(at..end).unwrap_or_default()).chars().map(|c| (at, end, c)));
    }
    out
}

/// A text in the form that names are compared in, each sign with its bytes: composed, no capitals, nothing full-width or
/// unseen, one space for any, and none beside Chinese.
fn signs(text: &str) -> Vec<(usize, usize, char)> {
    let mut out: Vec<(usize, usize, char)> = Vec::new();
    for (at, end, c) in clusters(text).into_iter().filter(|(.., c)| !unseen(*c)) {
        if c.is_whitespace() {
            if out.last().is_some_and(|(.., last)| *last != ' ' && !is_cjk(*last)) {
                out.push((at, end, ' '));
            }
            continue;
        }
        if is_cjk(c) && out.last().is_some_and(|(.., last)| *last == ' ') {
            out.pop();
        }
        // Folding a character may make several of it, so each keeps its own bytes.
        out.extend(narrow(c).to_lowercase().map(|c| (at, end, c)));
    }
    out
}

/// Where the known texts stand, whatever their capitals, widths, accents, spaces beside Chinese, or several of them.
pub(crate) fn spans(text: &str, known: &[&str]) -> Vec<(usize, usize)> {
    let chars = signs(text);
    let mut out = Vec::new();
    for name in known {
        let name: Vec<char> = signs(name).into_iter().map(|(.., c)| c).collect();
        let (Some(first), Some(last)) = (name.first(), name.last()) else { continue };
        for (at, window) in chars.windows(name.len()).enumerate() {
            if !window.iter().map(|(.., c)| c).eq(&name) {
                continue;
            }
            // A Latin name is a word of its own: `Lum` does not stand in `Lumen`.
            let touches = |edge: &char, other: Option<&(usize, usize, char)>| {
                edge.is_ascii_alphanumeric() && other.is_some_and(|(.., c)| c.is_ascii_alphanumeric())
            };
            let before = at.checked_sub(1).and_then(|i| chars.get(i));
            if touches(first, before) {
                continue;
            }
            // Several of it go by its name with an `s`.
            let behind = chars.get(at + name.len());
            let plural = behind.filter(|(.., c)| *c == 's' && last.is_ascii_alphabetic());
            let plural = plural.filter(|s| !touches(&s.2, chars.get(at + name.len() + 1)));
            if plural.is_none() && touches(last, behind) {
                continue;
            }
            if let (Some((start, ..)), Some((_, end, _))) = (window.first(), plural.or(window.last())) {
                out.push((*start, *end));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each claim as `kind text`.
    fn check(text: &str, expected: &[&str]) {
        let shown: Vec<String> = claims(text, &["Lumen Hybrid 7"])
            .into_iter()
            .map(|found| match found.claim {
                Claim::Number(number) => format!("{number}"),
                Claim::Date(year, month, day) => {
                    format!("{}-{month}-{day}", year.map_or("?".to_owned(), |y| y.to_string()))
                }
                Claim::Day(day) => format!("day {day} of a month"),
                Claim::Time(h, m) => format!("{h}:{m:02}"),
                Claim::Weekday(day) => format!("day {day}"),
                Claim::Away(days) => format!("in {days} days"),
                Claim::Name => format!("name {}", found.text),
            })
            .collect();
        let canonical = |text: &str| Number::parse(text).map_or_else(|| text.to_owned(), |n| n.canonical());
        let left: Vec<String> = shown.iter().map(|s| canonical(s)).collect();
        let right: Vec<String> = expected.iter().map(|s| canonical(s)).collect();
        assert_eq!(left, right, "{text}");
    }

    #[test]
    fn figures_are_found_however_they_are_written() {
        check("It costs 23,500 dollars.", &["23500"]);
        check("It costs $23.5k, not 1,234,567.89.", &["23500", "1234567.89"]);
        check("只要２３，５００元", &["23500"]);
        check("大约2.35万元，或两万三千五百元", &["23500", "23500"]);
        check("两万三左右", &["23000"]);
        check("twenty-three thousand five hundred dollars", &["23500"]);
        check("about twenty thousand", &["20000"]);
        check("1.5 million", &["1500000"]);
        check(
            "€21.000,00 or 1.234.567, 12,50 € or 21,5k, 21 000 dollars",
            &["21000", "1234567", "12.5", "21500", "21000"],
        );
        check("21 grand, twenty-one grand, a grand plan", &["21000", "21000"]);
        check("2万1千，2万1000，2万1，2.1万", &["21000", "21000", "21000", "21000"]);
        check("from 21.000 on, in 3, 4 or 5", &["21", "3", "4", "5"]);
        check("83.5 % are on time", &["83.5"]);
        check("in 24h or 48 hours", &["24", "48"]);
        check("1. first\n2) second", &[]);
        check("a fifth off, one third less, a fifth element, 便宜一半", &["20", "33", "50"]);
        check("one of them", &[]);
        check("万一下雨，十分重要", &[]);
    }

    #[test]
    fn figures_hide_in_no_other_script_word_or_sign() {
        check("It costs ٨٥ or ８５ or 𝟪𝟧 or ₈₅.", &["85", "85", "85", "85"]);
        check("It takes ½ or ¾ of it, or ⅔, or ⑨.", &["0.5", "0.75", "0.667", "9"]);
        check("Your balance is -100, or minus 7, not 5-10 or 3 - 2.", &["-100", "-7", "5", "10", "3", "2"]);
        check("余额为负一百二十", &["-120"]);
        check("价格是壹佰伍拾元，或两萬叁仟", &["150", "23000"]);
        check("价格是八五〇元", &["850"]);
        check("两三个，七八天，一一说明", &[]);
        check("a hundred, a thousand, a couple of hundred, a dozen", &["100", "1000", "100", "12"]);
        check("打八折，或七五折，或半价", &["8", "75", "50"]);
        check("at half price, half off, half-price", &["50", "50", "50"]);
        check("half of them, 打折, 折扣", &[]);
    }

    #[test]
    fn days_and_times_in_words_are_found() {
        check("三月六日送达，二〇二六年十二月二十五日", &["?-3-6", "2026-12-25"]);
        check("2026年三月五日", &["2026-3-5"]);
        check("下午五点，早上8点半，晚上十点二十分，五点整", &["17:00", "8:30", "22:20", "5:00"]);
        check("有一点贵，三点建议", &[]);
        check("at 5 pm, 5:30 p.m., 12am, noon or midnight", &["17:00", "17:30", "0:00", "12:00", "0:00"]);
        check("tomorrow, yesterday, the day after tomorrow", &["in 1 days", "in -1 days", "in 2 days"]);
        check("明天、后天、昨天、大后天", &["in 1 days", "in 2 days", "in -1 days", "in 3 days"]);
        check("今天 today, 今后天气，目前天数", &[]);
    }

    #[test]
    fn quotations_addresses_and_unseen_signs_are_found() {
        check("The colour is 'blue' or \"sea green\", isn't it, the users' choice", &["name blue", "name sea green"]);
        check("write to help@shop.example", &["name help@shop.example"]);
        check(
            "go to shop.example/deal?x=1 or Shop.COM. Use node.js, e.g. a file.",
            &["name shop.example/deal?x=1", "name Shop.COM"],
        );
        check(
            "see www.evil.example/x or mailto:x or javascript:alert(1)",
            &["name www.evil.example/x", "name mailto:x", "name javascript:alert(1"],
        );
        check("The Lumen\u{200b} Hybrid 7", &[]);
    }

    #[test]
    fn days_and_times_are_found() {
        check("on 2026-03-05 13:40", &["2026-3-5", "13:40"]);
        check("It ships on the 9th.", &["day 9 of a month"]);
        check("March the ninth, the ninth of March, March 9th", &["?-3-9", "?-3-9", "?-3-9"]);
        check("the twenty-first of June 2026", &["2026-6-21"]);
        check("九号发货，9号到", &["day 9 of a month", "day 9 of a month"]);
        check("on the 9th floor, 9号楼, the second lamp", &["9"]);
        check("2026年3月5日", &["2026-3-5"]);
        check("3月5日到", &["?-3-5"]);
        check("by March 5, 2026 or 6 April", &["2026-3-5", "?-4-6"]);
        check("see you on Friday", &["day 5"]);
        check("星期三见", &["day 3"]);
    }

    #[test]
    fn names_are_found_and_what_is_known_is_passed_over() {
        check("I suggest the Zephyr Hybrid for you.", &["name Zephyr Hybrid"]);
        check("Zephyr Motors has it.", &["name Zephyr Motors"]);
        check("The car is ready. It is blue.", &[]);
        check("The Lumen Hybrid 7 is ready.", &[]);
        check("Parcel SF123456789 is late", &["name SF123456789"]);
        check("我推荐「风行者」。", &["name 风行者"]);
        check("Your SUV is here", &["name SUV"]);
        check("see ![x](https://evil.example/p?d=1)", &["name https://evil.example/p?d=1"]);
        check("<iframe srcdoc=x>", &["name <iframe srcdoc=x"]);
        check("the 2nd of them, the 21st", &["21"]);
    }
}
