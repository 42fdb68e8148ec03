//! Figures in digits and in words.

use throughline_value::Number;

use super::Scan;

/// A figure from here and the place after it; no number when what stands here is a figure that claims nothing,
/// as the number of a list's item.
pub(super) fn number(scan: &Scan, from: usize) -> Option<(Option<Number>, usize)> {
    let (number, end) = unsigned(scan, from)?;
    let negative = number.as_ref().filter(|number| number.canonical() != "0" && is_negative(scan, from));
    let signed = negative.and_then(|number| Number::parse(&format!("-{}", number.canonical())));
    Some((signed.or(number), end))
}

/// Whether a sign or a word before a figure turns it round. A dash between figures or before an item does not.
fn is_negative(scan: &Scan, from: usize) -> bool {
    let before = |place: usize| place.checked_sub(1).map_or('\n', |place| scan.at(place));
    let mut place = from;
    if matches!(before(place), '$' | '€' | '£' | '¥') {
        place -= 1;
    }
    if before(place) == '-' {
        let outer = before(place - 1);
        return outer != '\n'
            && (matches!(outer, ' ' | '(' | ':' | '：' | '$' | '€' | '£' | '¥') || super::is_cjk(outer));
    }
    before(place) == '负'
        || place >= 6 && scan.at(place - 1) == ' ' && scan.word(place - 6).is_some_and(|(word, _)| word == "minus")
}

fn unsigned(scan: &Scan, from: usize) -> Option<(Option<Number>, usize)> {
    if let Some((percent, end)) = reduction(scan, from) {
        return Some((Number::parse(&percent.to_string()), end));
    }
    if scan.at(from).is_ascii_digit() {
        return digits(scan, from);
    }
    if let Some((_, value)) = FRACTIONS.iter().find(|(sign, _)| *sign == scan.at(from)) {
        return Some((Number::parse(value), from + 1));
    }
    if let Some((value, end)) = chinese(scan, from) {
        return Some((Number::parse(&value.to_string()), end));
    }
    if from == 0 || !scan.at(from - 1).is_alphanumeric() {
        let (value, end) = english(scan, from)?;
        return Some((Number::parse(&value.to_string()), end));
    }
    None
}

/// Fractions in one sign, to three places.
const FRACTIONS: [(char, &str); 9] = [
    ('½', "0.5"),
    ('¼', "0.25"),
    ('¾', "0.75"),
    ('⅓', "0.333"),
    ('⅔', "0.667"),
    ('⅕', "0.2"),
    ('⅛', "0.125"),
    ('⅒', "0.1"),
    ('⅗', "0.6"),
];

/// How many digits stand here.
fn run(scan: &Scan, from: usize) -> usize {
    (from..).take_while(|place| scan.at(*place).is_ascii_digit()).count()
}

/// Whether points part the thousands from here, as in `1.234.567` and `21.000,00`.
fn has_points(scan: &Scan, from: usize) -> bool {
    let mut place = from + run(scan, from);
    let mut groups = 0;
    while scan.at(place) == '.' && run(scan, place + 1) == 3 {
        place += 4;
        groups += 1;
    }
    groups > 1 || groups == 1 && scan.at(place) == ',' && matches!(run(scan, place + 1), 1 | 2)
}

/// Whether a comma here parts what is below one: `21,5k`, `12,50 €`, and behind points.
fn is_decimal_comma(scan: &Scan, place: usize, points: bool) -> bool {
    let digits = run(scan, place + 1);
    let after = scan.at(scan.spaces(place + 1 + digits));
    scan.at(place) == ',' && matches!(digits, 1 | 2) && (points || matches!(after, 'k' | 'K' | '€' | '万'))
}

fn digits(scan: &Scan, from: usize) -> Option<(Option<Number>, usize)> {
    let mut place = from;
    let mut text = String::new();
    let points = has_points(scan, from);
    while scan.at(place).is_ascii_digit() {
        text.push(scan.at(place));
        place += 1;
        // A comma before exactly three digits parts thousands, a space before three zeros.
        let three = run(scan, place + 1) == 3;
        let parts = match scan.at(place) {
            ',' | '\'' | '\u{202f}' | '\u{a0}' => true,
            '.' => points,
            ' ' => place - from <= 3 && (1..=3).all(|i| scan.at(place + i) == '0'),
            _ => false,
        };
        if parts && three {
            place += 1;
        }
    }
    let whole = place;
    let decimal = scan.at(place) == '.' || is_decimal_comma(scan, place, points);
    if decimal && scan.at(place + 1).is_ascii_digit() {
        text.push('.');
        place += 1;
        while scan.at(place).is_ascii_digit() {
            text.push(scan.at(place));
            place += 1;
        }
    }
    let line_begins = from == 0 || scan.at(from - 1) == '\n';
    if line_begins && whole - from <= 2 && matches!(scan.at(place), '.' | ')' | '、') && scan.at(place + 1) != '\0' {
        return Some((None, place));
    }
    // `2nd` is a part of speech, as `two` is.
    let after = scan.ordinal(place);
    if after > place {
        let small = text.parse::<u64>().is_ok_and(|value| value <= SPEECH);
        return Some((if small { None } else { Number::parse(&plain(&text)) }, after));
    }
    let (power, end) = power(scan, place);
    // `2万1千`, `2万1000`, `2万1`.
    let more = run(scan, end);
    if power == 4 && (1..=4).contains(&more) && !text.contains('.') {
        let (more, after) = scan.digits(end, 4)?;
        let (unit, after) = match (scan.at(after), after - end) {
            ('千', 1) => (1_000, after + 1),
            ('百', 1) => (100, after + 1),
            (_, 1) => (1_000, after),
            _ => (1, after),
        };
        let sum = text.parse::<u64>().ok()?.checked_mul(10_000)?.checked_add(u64::from(more * unit))?;
        return Some((Number::parse(&sum.to_string()), after));
    }
    Some((Number::parse(&format!("{}e{power}", plain(&text))), end))
}

/// `八折`, `七五折`, `半价`, `half price`: what is said of a price, as the figure that a source would have.
fn reduction(scan: &Scan, from: usize) -> Option<(u64, usize)> {
    if matches!((scan.at(from), scan.at(from + 1)), ('半', '价') | ('对', '折')) {
        return Some((50, from + 2));
    }
    // `便宜一半`, `省一半`.
    if matches!((scan.at(from), scan.at(from + 1)), ('一', '半'))
        && from > 0
        && matches!(scan.at(from - 1), '宜' | '省' | '惠' | '减' | '降')
    {
        return Some((50, from + 2));
    }
    if let Some(tens) = chinese_digit(scan.at(from)).filter(|digit| *digit > 0) {
        if scan.at(from + 1) == '折' {
            return Some((tens, from + 2));
        }
        let ones = chinese_digit(scan.at(from + 1)).filter(|_| scan.at(from + 2) == '折')?;
        return Some((tens * 10 + ones, from + 3));
    }
    if let Some(part) = part_off(scan, from) {
        return Some(part);
    }
    let (word, end) =
        scan.word(from).filter(|(word, _)| word == "half" && (from == 0 || !scan.at(from - 1).is_alphanumeric()))?;
    let next = if scan.at(end) == '-' { end + 1 } else { scan.spaces(end) };
    let (what, end) = scan.word(next)?;
    (word == "half" && matches!(what.as_str(), "price" | "priced" | "off")).then_some((50, end))
}

/// `a fifth off`, `one third less`: a part of a price, in percent as a source would have it.
fn part_off(scan: &Scan, from: usize) -> Option<(u64, usize)> {
    if from > 0 && scan.at(from - 1).is_alphanumeric() {
        return None;
    }
    let (_, end) = scan.word(from).filter(|(word, _)| matches!(word.as_str(), "a" | "one"))?;
    let next = if scan.at(end) == '-' { end + 1 } else { scan.spaces(end) };
    let (part, end) = scan.word(next)?;
    let percent = match part.as_str() {
        "third" => 33,
        "quarter" => 25,
        "fifth" => 20,
        "tenth" => 10,
        _ => return None,
    };
    let (what, end) = scan.word(scan.spaces(end))?;
    matches!(what.as_str(), "off" | "less" | "cheaper" | "discount").then_some((percent, end))
}

/// JSON writes no zeros before a number.
fn plain(text: &str) -> String {
    let trimmed = text.trim_start_matches('0');
    if trimmed.is_empty() || trimmed.starts_with('.') { format!("0{trimmed}") } else { trimmed.to_owned() }
}

/// `k`, `万`, `million` and the like after digits.
fn power(scan: &Scan, place: usize) -> (u32, usize) {
    match scan.at(place) {
        '万' | '萬' => return (4, place + 1),
        '亿' | '億' => return (8, place + 1),
        '千' => return (3, place + 1),
        'k' | 'K' if !scan.at(place + 1).is_alphanumeric() => return (3, place + 1),
        _ => {}
    }
    match scan.word(scan.spaces(place)) {
        Some((word, end)) => match word.as_str() {
            "thousand" | "grand" => (3, end),
            "million" => (6, end),
            "billion" => (9, end),
            _ => (0, place),
        },
        None => (0, place),
    }
}

pub(super) fn chinese_digit(c: char) -> Option<u64> {
    match c {
        '两' => Some(2),
        '〇' => Some(0),
        _ if "壹贰叁肆伍陆柒捌玖".contains(c) => {
            "壹贰叁肆伍陆柒捌玖".chars().zip(1..).find(|(digit, _)| *digit == c).map(|(_, value)| value)
        }
        _ => "零一二三四五六七八九".chars().zip(0..).find(|(digit, _)| *digit == c).map(|(_, value)| value),
    }
}

fn chinese_unit(c: char) -> Option<u64> {
    match c {
        '十' | '拾' => Some(10),
        '百' | '佰' => Some(100),
        '千' | '仟' => Some(1_000),
        '万' | '萬' => Some(10_000),
        '亿' | '億' => Some(100_000_000),
        _ => None,
    }
}

/// The least digits that stand one after the other and are a figure: `两三个` is two or three.
const MIN_DIGITS: usize = 3;

/// Chinese digits by their places, as in `八五〇`.
pub(super) fn by_place(scan: &Scan, from: usize) -> Option<(u64, usize)> {
    let mut place = from;
    let mut value = 0u64;
    while let Some(digit) = chinese_digit(scan.at(place)) {
        value = value.checked_mul(10)?.checked_add(digit)?;
        place += 1;
    }
    (place - from >= MIN_DIGITS && chinese_unit(scan.at(place)).is_none()).then_some((value, place))
}

/// A figure in Chinese numerals, with at least one unit, that begins with a digit or with ten.
pub(super) fn chinese(scan: &Scan, from: usize) -> Option<(u64, usize)> {
    if chinese_digit(scan.at(from)).is_none() && !matches!(scan.at(from), '十' | '拾') {
        return None;
    }
    if let Some(found) = by_place(scan, from) {
        return Some(found);
    }
    let (mut total, mut section, mut digit, mut last_unit) = (0u64, 0u64, None::<u64>, 1u64);
    let mut place = from;
    let mut units = false;
    loop {
        let c = scan.at(place);
        if let Some(value) = chinese_digit(c) {
            if digit.is_some_and(|digit| digit != 0) {
                break;
            }
            digit = Some(value);
            if value == 0 {
                last_unit = 1;
            }
        } else if let Some(unit) = chinese_unit(c) {
            units = true;
            if unit >= 10_000 {
                section += digit.take().unwrap_or(0);
                total = total.checked_add(section)?.checked_mul(unit)?;
                section = 0;
            } else {
                section = section.checked_add(digit.take().unwrap_or(1).checked_mul(unit)?)?;
            }
            last_unit = unit;
        } else {
            break;
        }
        place += 1;
    }
    // `两万三` is two and three tenths of ten thousand.
    let rest = digit.unwrap_or(0) * if last_unit >= 100 { last_unit / 10 } else { 1 };
    (units && place - from > 1).then_some((total + section + rest, place))
}

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Up to this, a number in words is a part of speech: `one of them`, `both ten times`.
const SPEECH: u64 = 12;

/// A figure in English words.
fn english(scan: &Scan, from: usize) -> Option<(u64, usize)> {
    let (mut total, mut section, mut end, mut place) = (0u64, 0u64, from, from);
    let mut dozen = false;
    while let Some((word, next)) = scan.word(place) {
        let value = SMALL.iter().position(|w| *w == word).map(|i| i as u64);
        let value = value.or_else(|| TENS.iter().position(|w| *w == word).map(|i| (i as u64 + 2) * 10));
        match (value, word.as_str()) {
            (Some(value), _) => section += value,
            (None, "dozen") if total == 0 => {
                dozen = true;
                section = section.max(1) * 12;
            }
            // `a hundred` is one of them.
            (None, "hundred") => section = section.max(1) * 100,
            (None, "grand") if section == 0 => break,
            (None, "thousand" | "grand" | "million") if section > 0 || total == 0 => {
                total += section.max(1) * if word == "million" { 1_000_000 } else { 1_000 };
                section = 0;
            }
            (None, "and") if section > 0 || total > 0 => {}
            _ => break,
        }
        if word != "and" {
            end = next;
        }
        place = if scan.at(next) == '-' { next + 1 } else { scan.spaces(next) };
    }
    let value = total + section;
    (end > from && (value > SPEECH || dozen)).then_some((value, end))
}

/// The numbers up to twelve that a text says in words of English or Chinese.
pub(crate) fn small_numbers(text: &str) -> Vec<u64> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_ascii_lowercase);
    let english = words.filter_map(|word| SMALL.iter().position(|small| *small == word)).map(|value| value as u64);
    let chinese = text.chars().filter_map(|c| chinese_digit(c).or((c == '十').then_some(10)));
    english.chain(chinese).filter(|value| *value <= SPEECH).collect()
}

/// The words for numbers up to twelve, with their bytes: parts of speech, unless they stand beside a label.
pub(crate) fn small_places(text: &str) -> Vec<(u64, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(|c: char| !c.is_ascii_alphabetic()) {
        let word = part.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        if let Some(value) = SMALL.iter().position(|small| small.eq_ignore_ascii_case(word)) {
            found.push((value as u64, at, at + word.len()));
        }
        if let Some(sign) = part.chars().next_back()
            && let Some(value) = chinese_digit(sign).or((sign == '十').then_some(10))
        {
            found.push((value, at + part.len() - sign.len_utf8(), at + part.len()));
        }
        at += part.len();
    }
    found.retain(|(value, ..)| *value <= SPEECH);
    found
}
