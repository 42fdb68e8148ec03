//! Recognisers: numbers, dates, percentages, money and names, in English and Chinese, near words where some are
//! given. Exact: every digit stays, and a text that can be read in two ways is not read.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use throughline_value::{InOrder as _, Map, Number, Span, Value};

use super::{Failure, Found, narrow, number};
use crate::plan::Looks;

/// How far from the words a value may stand, in characters.
const MAX_DISTANCE: usize = 160;

const DIGITS: &str = r"[-+−－＋]?[0-9０-９](?:[0-9０-９,，]*[0-9０-９])?(?:[.．][0-9０-９]+)?";
const HAN: &str = r"[零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟]+(?:点[零〇一二三四五六七八九]+)?";
// Without tables of letters: capitals count only where they are ASCII, and Chinese characters are a range.
const TIMES: &str =
    r"(?:\s*(?:((?i-u:thousand|million|billion|trillion|bn|mn|tn)|百万|千万|万亿|亿|万|千|百)(?:s\b)?))?";
/// As `TIMES`; beside a currency one letter is a factor too (`$3m`).
const TIMES_OF_MONEY: &str = r"(?:\s*(?:((?i-u:thousand|million|billion|trillion|bn|mn|tn)|(?i-u:[kmb])\b|百万|千万|万亿|亿|万|千|百)(?:s\b)?))?";
const BEFORE: &str = r"((?i-u:US\$|HK\$|NT\$|C\$|A\$|USD|EUR|GBP|CNY|RMB|JPY|HKD|CHF)|\$|€|£|¥|￥|₹|人民币|美元)";
const AFTER: &str = r"((?i-u:USD|EUR|GBP|CNY|RMB|JPY|HKD|CHF|dollars?|euros?|pounds?|yuan|yen)|美元|欧元|日元|港元|港币|英镑|人民币|元|圆|€|£|\$)";
const SIGN_OF_YUAN: &str = "(?:人民币|RMB|CNY|¥|￥)";
const TENTH: &str = "[0-9０-９一二两三四五六七八九壹贰叁肆伍陆柒捌玖]";
const HAN_CHAR: &str = r"[\u{3400}-\u{4DBF}\u{4E00}-\u{9FFF}]";
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤";

struct Patterns {
    number: Regex,
    percent: Regex,
    money: [Regex; 2],
    date: Regex,
    date_words: [Regex; 2],
    date_han: Regex,
    name: [Regex; 2],
}

/// They are all of our own and read; a pattern that does not would find nothing, which the tests would show.
static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let regex = |text: String| Regex::new(&text).ok();
    let month = "((?i-u:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))[a-zA-Z]*\\.?";
    Some(Patterns {
        number: regex(format!("({DIGITS}|{HAN}){TIMES}"))?,
        percent: regex(format!(r"({DIGITS})\s*(?:%|％|(?i-u:percent|per cent|pct)\b)|百分之({DIGITS}|{HAN})"))?,
        money: [
            regex(format!(r"{BEFORE}\s*({DIGITS}|{HAN}){TIMES_OF_MONEY}"))?,
            // 12元5角 is one amount.
            regex(format!(r"(?:{SIGN_OF_YUAN}\s*)?({DIGITS}|{HAN}){TIMES_OF_MONEY}\s*{AFTER}(?:({TENTH})角)?(?:零?({TENTH})分)?"))?,
        ],
        date: regex(r"([0-9０-９]{4})(?:[-/.]|年)\s*([0-9０-９]{1,2})(?:[-/.]|月)\s*([0-9０-９]{1,2})日?(?:[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?))?".to_owned())?,
        date_words: [
            regex(format!(r"\b{month}\s+([0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+([0-9]{{4}})"))?,
            regex(format!(r"\b([0-9]{{1,2}})(?:st|nd|rd|th)?\s+{month},?\s+([0-9]{{4}})"))?,
        ],
        date_han: regex("([零〇一二三四五六七八九]{4})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})[日号]".to_owned())?,
        name: [
            regex(r"(?:(?:Mr|Ms|Mrs|Dr|Prof)\.?\s+)?(?:[A-Z][\w'’-]+|[A-Z]\.)(?:\s+(?:of|and|de|van|von|&)\s+[A-Z][\w'’-]+|\s+(?:[A-Z][\w'’-]+|[A-Z]\.))+".to_owned())?,
            regex(format!(r"{HAN_CHAR}{{2,14}}(?:公司|集团|银行|大学|医院|研究院|工厂|事务所)|(?:姓名|负责人|联系人|签发人|经办人|作者|审核)[:：\s]*([{SURNAMES}]{HAN_CHAR}{{1,2}})|([{SURNAMES}]{HAN_CHAR}{{1,2}})(?:先生|女士|经理|主任|博士|教授|总监)"))?,
        ],
    })
});

/// Everything of a text that looks so, in order; near the words where some are given.
pub(super) fn find(text: &str, looks: Looks, near: Option<&str>) -> Result<Vec<Found>, Failure> {
    let all = PATTERNS.as_ref().map(|patterns| all(patterns, text, looks)).unwrap_or_default();
    let missing = |why: String| Failure::new("value-missing", format!("no {} is found{why}", looks.as_str()));
    let Some(near) = near else {
        return if all.is_empty() { Err(missing(String::new())) } else { Ok(all) };
    };
    let places = places(text, near);
    if places.is_empty() {
        return Err(missing(format!(": the words `{near}` are not in the text{}", nearest_words(text, near))));
    }
    let mut finds: Vec<Found> = places.iter().filter_map(|place| beside(text, &all, *place)).collect();
    finds.order_by(|a, b| a.span.start.cmp(&b.span.start));
    finds.dedup();
    if finds.is_empty() {
        let excerpt: String = places.first().and_then(|p| text.get(p.start..)).unwrap_or("").chars().take(60).collect();
        return Err(missing(format!(" near `{near}`; there the text has `{}`", excerpt.trim().replace('\n', " "))));
    }
    Ok(finds)
}

fn all(patterns: &Patterns, text: &str, looks: Looks) -> Vec<Found> {
    let of = |regex: &Regex, confidence: u8, read: &dyn Fn(&Captures<'_>) -> Option<(Span, Value)>| {
        let finds = regex.captures_iter(text).filter_map(|captures| read(&captures));
        finds.map(|(span, value)| Found::sure(span, value, confidence)).collect::<Vec<_>>()
    };
    let span = |captures: &Captures<'_>, n: usize| captures.get(n).map(|m| Span::new(m.start(), m.end()));
    let mut out = match looks {
        Looks::Number => of(&patterns.number, 8, &|c| {
            let whole = c.get(0)?;
            // A bare 一 or 千万 is a word more often than a number.
            let digits = c.get(1)?.as_str().chars().map(narrow).any(|c| c.is_ascii_digit());
            let minus = minus(text, whole.start());
            let han = !digits && minus.is_none() && whole.as_str().chars().count() < 2;
            (!han && stands_alone(text, whole.start(), whole.end()))
                .then(|| amount(c.get(1)?.as_str(), c.get(2).map(|m| m.as_str())))
                .flatten()
                .and_then(|n| signed(Span::new(whole.start(), whole.end()), n, minus))
                .map(|(span, n)| (span, Value::Number(n)))
        }),
        Looks::Percent => of(&patterns.percent, 9, &|c| {
            let group = c.get(1).or_else(|| c.get(2))?;
            let value = amount(group.as_str(), None)?;
            // The digits alone are the evidence, so that the quote is the figure.
            let whole = c.get(0)?;
            let (span, value) = signed(Span::new(group.start(), group.end()), value, minus(text, whole.start()))?;
            begins_alone(text, group.start()).then_some((span, Value::Number(value)))
        }),
        Looks::Money => {
            let [before, after] = &patterns.money;
            let money = |number: Option<Number>, unit: &str| {
                let currency = currency(unit);
                number.map(|n| {
                    Value::Map(Map::from_iter([
                        ("amount".to_owned(), n.into()),
                        ("currency".to_owned(), currency.into()),
                    ]))
                })
            };
            let mut finds = of(before, 9, &|c| {
                let value = amount(c.get(2)?.as_str(), c.get(3).map(|m| m.as_str()));
                let whole = span(c, 0)?;
                (begins_alone(text, whole.start) && ends_alone(text, whole.end)).then_some(())?;
                Some((whole, money(value, c.get(1)?.as_str())?))
            });
            finds.extend(of(after, 9, &|c| {
                let value = amount(c.get(1)?.as_str(), c.get(2).map(|m| m.as_str()));
                let value = match (c.get(4), c.get(5)) {
                    (None, None) => value,
                    (tenths, hundredths) => {
                        let digit = |m: Option<regex::Match<'_>>| match m {
                            Some(m) => amount(m.as_str(), None).map(|n| n.as_str().into_owned()),
                            None => Some("0".to_owned()),
                        };
                        let whole = value.filter(|n| !n.as_str().contains('.'))?;
                        Number::parse(&format!("{}.{}{}", whole.as_str(), digit(tenths)?, digit(hundredths)?))
                    }
                };
                let whole = span(c, 0)?;
                (begins_alone(text, whole.start) && ends_alone(text, whole.end)).then_some(())?;
                let number = c.get(1)?;
                let (from, value) =
                    signed(Span::new(number.start(), number.end()), value?, minus(text, number.start()))?;
                let whole = Span::new(whole.start.min(from.start), whole.end);
                Some((whole, money(Some(value), c.get(3)?.as_str())?))
            }));
            finds
        }
        Looks::Date => {
            let mut finds = of(&patterns.date, 9, &|c| {
                let part = |n: usize| c.get(n).map(|m| m.as_str().chars().map(narrow).collect::<String>());
                // One kind of mark throughout, nothing longer around: `1234. 1/2` is no day.
                let marks = text.get(c.get(1)?.end()..c.get(3)?.start())?.replace(|c: char| c.is_numeric(), "");
                (matches!(marks.as_str(), "--" | "//" | "..") || marks.starts_with('年')).then_some(())?;
                (!marks.starts_with('年') || marks.trim_end().ends_with('月')).then_some(())?;
                let longer = text.get(c.get(3)?.end()..)?.starts_with(|c: char| c.is_numeric());
                (!longer && begins_alone(text, c.get(1)?.start())).then_some(())?;
                let day = date(&part(1)?, part(2)?.parse().ok()?, &part(3)?)?;
                let text = part(4).map_or(day.clone(), |time| format!("{day}T{time}"));
                Some((span(c, 0)?, text.into()))
            });
            finds.extend(of(&patterns.date_han, 9, &|c| {
                let year: Option<String> =
                    c.get(1)?.as_str().chars().map(|c| Some(han_digit(c)?.to_string())).collect();
                let part = |n: usize| han_number(c.get(n)?.as_str()).map(|n| n.as_str().into_owned());
                Some((span(c, 0)?, date(&year?, part(2)?.parse().ok()?, &part(3)?)?.into()))
            }));
            let [month_first, day_first] = &patterns.date_words;
            let month = |word: &str| {
                let word = word.get(..3)?.to_lowercase();
                MONTHS.iter().position(|m| *m == word).and_then(|at| u32::try_from(at + 1).ok())
            };
            finds.extend(of(month_first, 9, &|c| {
                Some((span(c, 0)?, date(c.get(3)?.as_str(), month(c.get(1)?.as_str())?, c.get(2)?.as_str())?.into()))
            }));
            finds.extend(of(day_first, 9, &|c| {
                Some((span(c, 0)?, date(c.get(3)?.as_str(), month(c.get(2)?.as_str())?, c.get(1)?.as_str())?.into()))
            }));
            finds
        }
        Looks::Name => {
            let [latin, han] = &patterns.name;
            let mut finds = of(latin, 6, &|c| Some((span(c, 0)?, c.get(0)?.as_str().into())));
            finds.extend(of(han, 6, &|c| {
                let group = c.get(1).or_else(|| c.get(2)).or_else(|| c.get(0))?;
                Some((Span::new(group.start(), group.end()), group.as_str().into()))
            }));
            finds
        }
    };
    out.order_by(|a, b| a.span.start.cmp(&b.span.start).then(b.span.end.cmp(&a.span.end)));
    // Of finds that overlap the first and longest stays.
    let mut end = 0;
    out.retain(|found| {
        let keep = found.span.start >= end;
        if keep {
            end = found.span.end;
        }
        keep
    });
    out
}

/// Whether what begins here is no part of a word, a date, a version or a longer number.
fn begins_alone(text: &str, start: usize) -> bool {
    let mut before = text.get(..start).unwrap_or("").chars().rev().map(narrow);
    match before.next() {
        None => true,
        Some('.' | ':' | '/' | '-') => !before.next().is_some_and(|c| c.is_alphanumeric()),
        Some(',') => {
            // 1.234,50 is read in two ways, and so is neither 1.234 nor 50.
            let wide = text.get(..start).unwrap_or("").ends_with('，');
            wide || !before.next().is_some_and(|c| c.is_ascii_digit())
        }
        // 3万5千 is one number.
        Some('十' | '百' | '千' | '万' | '亿' | '拾' | '佰' | '仟' | '点') => false,
        Some(c) => !(c.is_ascii_alphanumeric() || c == '_'),
    }
}

/// Whether an amount ends here: no letters, digits or factors go on behind it.
fn ends_alone(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or("");
    let mut after = rest.chars();
    match after.next() {
        Some('.' | ',' | '-' | '/' | ':') => !after.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) if text.get(..end).is_some_and(|t| t.ends_with(|c: char| c.is_ascii_alphabetic())) => {
            !(c.is_ascii_alphanumeric() || c == '_')
        }
        Some(c) => !(narrow(c).is_ascii_alphanumeric() || han_digit(c).is_some() || is_han_factor(c) || c == '角'),
        None => true,
    }
}

fn is_han_factor(c: char) -> bool {
    matches!(c, '十' | '百' | '千' | '万' | '亿' | '拾' | '佰' | '仟')
}

/// Where a word for minus begins that stands directly before.
fn minus(text: &str, start: usize) -> Option<usize> {
    let before = text.get(..start)?;
    let word = ["负", "minus ", "Minus ", "negative ", "零下"].into_iter().find(|word| before.ends_with(word))?;
    let at = start - word.len();
    (!word.is_ascii() || begins_alone(text, at)).then_some(at)
}

/// The number with the sign that a word before it gives; none when it has a sign of its own too.
fn signed(span: Span, number: Number, minus: Option<usize>) -> Option<(Span, Number)> {
    let Some(at) = minus else { return Some((span, number)) };
    let text = number.as_str();
    if text.starts_with('-') {
        return None;
    }
    Some((Span::new(at, span.end), Number::parse(&format!("-{text}"))?))
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let mut after = text.get(end..).unwrap_or("").chars();
    let behind = match after.next() {
        Some('-' | '/' | ':' | '.') => !after.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        Some(',') => !after.next().is_some_and(|c| c.is_ascii_digit()),
        Some('年' | '月' | '日' | '号') => false,
        Some(c) if narrow(c).is_ascii_digit() || han_digit(c).is_some() || is_han_factor(c) => false,
        Some(c) => !(c.is_ascii_alphabetic() || c == '_'),
        None => true,
    };
    // `30kg` has a unit and is a number.
    let unit: String = text.get(end..).unwrap_or("").chars().take_while(char::is_ascii_alphabetic).collect();
    // 3.5k and 2B are factors or names, never only 3.5 and 2.
    let doubtful = matches!(unit.as_str(), "k" | "K" | "M" | "B" | "b" | "mm" | "MM");
    begins_alone(text, start) && (behind || (1..=3).contains(&unit.len())) && !doubtful
}

fn amount(digits: &str, times: Option<&str>) -> Option<Number> {
    let base =
        number(&digits.replace('，', ",").trim_end_matches(',').replace('−', "-")).or_else(|| han_number(digits))?;
    let zeros = match times.map(str::to_lowercase).as_deref() {
        None => return Some(base),
        Some("百") => 2,
        Some("thousand" | "k" | "千") => 3,
        Some("万") => 4,
        Some("million" | "mn" | "m" | "百万") => 6,
        Some("千万") => 7,
        Some("亿") => 8,
        Some("billion" | "bn" | "b") => 9,
        Some(_) => 12,
    };
    let text = base.as_str().into_owned();
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let padded = format!("{fraction:0<zeros$}");
    let (up, rest) = padded.split_at_checked(zeros)?;
    let whole = format!("{whole}{up}");
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Number::parse(&if rest.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") })
}

fn han_digit(c: char) -> Option<u64> {
    const DIGITS: &str = "零一二三四五六七八九〇壹贰叁肆伍陆柒捌玖";
    if c == '两' {
        return Some(2);
    }
    DIGITS.chars().position(|d| d == c).and_then(|d| u64::try_from(d % 10).ok())
}

/// 三百二十一, 一亿二千万, 九十一点七.
fn han_number(text: &str) -> Option<Number> {
    let digit = han_digit;
    let (whole, fraction) = text.split_once('点').map_or((text, ""), |(whole, fraction)| (whole, fraction));
    let (mut total, mut section, mut last): (u64, u64, Option<u64>) = (0, 0, None);
    for c in whole.chars() {
        if let Some(d) = digit(c) {
            // 二〇二六 is a row of digits, not a sum.
            if last.is_some_and(|l| l > 0) {
                return None;
            }
            last = Some(d);
            continue;
        }
        let unit: u64 = match c {
            '十' | '拾' => 10,
            '百' | '佰' => 100,
            '千' | '仟' => 1_000,
            '万' => 10_000,
            '亿' => 100_000_000,
            _ => return None,
        };
        if unit >= 10_000 {
            section = section.checked_add(last.take().unwrap_or(0))?.max(1);
            if unit == 100_000_000 {
                total = total.checked_add(section)?.checked_mul(unit)?;
            } else {
                total = total.checked_add(section.checked_mul(unit)?)?;
            }
            section = 0;
        } else {
            section = section.checked_add(last.take().unwrap_or(1).checked_mul(unit)?)?;
        }
    }
    let whole = total.checked_add(section)?.checked_add(last.unwrap_or(0))?;
    if fraction.is_empty() {
        return Number::parse(&whole.to_string());
    }
    let fraction: Option<String> = fraction.chars().map(|c| digit(c).map(|d| d.to_string())).collect();
    Number::parse(&format!("{whole}.{}", fraction?))
}

fn currency(text: &str) -> &str {
    match text.to_uppercase().as_str() {
        "$" | "US$" | "USD" | "DOLLAR" | "DOLLARS" | "美元" => "USD",
        "€" | "EUR" | "EURO" | "EUROS" | "欧元" => "EUR",
        "£" | "GBP" | "POUND" | "POUNDS" | "英镑" => "GBP",
        "¥" | "￥" | "CNY" | "RMB" | "YUAN" | "人民币" | "元" | "圆" => "CNY",
        "JPY" | "YEN" | "日元" => "JPY",
        "HK$" | "HKD" | "港元" | "港币" => "HKD",
        "NT$" => "TWD",
        "C$" => "CAD",
        "A$" => "AUD",
        "₹" => "INR",
        "CHF" => "CHF",
        _ => text,
    }
}

fn date(year: &str, month: u32, day: &str) -> Option<String> {
    let day: u32 = day.parse().ok()?;
    let leap = year.parse::<u32>().is_ok_and(|y| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Where the words stand, whatever their case, width and white space.
fn places(text: &str, words: &str) -> Vec<Span> {
    let fold = |c: char| narrow(c).to_lowercase().next().unwrap_or(c);
    let wanted: Vec<char> = words.chars().filter(|c| !c.is_whitespace()).map(fold).collect();
    let chars: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
    let latin = wanted.first().is_some_and(char::is_ascii_alphanumeric);
    if wanted.is_empty() || wanted.len() > chars.len() {
        return Vec::new();
    }
    let fits = |window: &[(usize, char)]| window.iter().zip(&wanted).all(|((_, c), w)| fold(*c) == *w);
    let spans = chars.windows(wanted.len()).filter(|w| fits(w)).filter_map(|window| {
        let (start, _) = window.first()?;
        let (last, c) = window.last()?;
        Some(Span::new(*start, last + c.len_utf8()))
    });
    spans.filter(|span| !latin || begins_alone(text, span.start)).collect()
}

/// The value that stands nearest behind the words, within the sentence; else the nearest before them.
fn beside(text: &str, all: &[Found], place: Span) -> Option<Found> {
    let distance = |from: usize, to: usize| {
        text.get(from..to).map_or(
            usize::MAX,
            |between| {
                if crosses(between) { usize::MAX } else { between.chars().count() }
            },
        )
    };
    let behind = all
        .iter()
        .find(|found| found.span.start >= place.end)
        .filter(|f| distance(place.end, f.span.start) <= MAX_DISTANCE);
    let before = || {
        all.iter()
            .rev()
            .find(|found| found.span.end <= place.start)
            .filter(|f| distance(f.span.end, place.start) <= MAX_DISTANCE)
    };
    let found = behind.or_else(before)?.clone();
    let (from, to) =
        if found.span.start >= place.end { (place.end, found.span.start) } else { (found.span.end, place.start) };
    let between = text.get(from..to)?;
    // What belongs to another clause, or to another value on the way, may not be what is meant.
    let clause = between.contains(['，', '、', '；']) || between.contains(", ");
    Some(Found { sure: if clause { found.sure.min(5) } else { found.sure }, ..found })
}

/// Whether a sentence or a line ends in between.
fn crosses(between: &str) -> bool {
    let mut chars = between.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\x0c' | '。' | '！' | '？' | '；' => return true,
            '.' | '!' | '?' | ';' if chars.peek().is_none_or(|next| next.is_whitespace()) => return true,
            _ => {}
        }
    }
    false
}

fn nearest_words(text: &str, words: &str) -> String {
    let wanted = words.split_whitespace().last().unwrap_or(words);
    let known = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(20_000);
    crate::nearest::nearest(wanted, known).map_or_else(String::new, |near| format!("; `{near}` is near"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, looks: Looks, near: Option<&str>, expected: &[(&str, &str)]) {
        let finds = find(text, looks, near).unwrap_or_default();
        let got: Vec<_> =
            finds.iter().map(|f| (text.get(f.span.start..f.span.end).unwrap(), f.value.to_json())).collect();
        let expected: Vec<_> = expected.iter().map(|(quote, value)| (*quote, (*value).to_owned())).collect();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn numbers_are_read_exactly_and_parts_of_words_and_dates_are_none() {
        use Looks::Number as N;
        check(
            "In Q3 2,500 of 3,000.50 units; id A12, 2026-03-01, v1.2.3",
            N,
            None,
            &[("2,500", "2500"), ("3,000.50", "3000.50")],
        );
        check(
            "共１２３台，三百二十一件，1.2亿元，二万三千",
            N,
            None,
            &[("１２３", "123"), ("三百二十一", "321"), ("1.2亿", "120000000"), ("二万三千", "23000")],
        );
        check(
            "weight 30kg, -4.50 °C, 2.5 million",
            N,
            None,
            &[("30", "30"), ("-4.50", "-4.50"), ("2.5 million", "2500000")],
        );
        check("a 12,34 b", N, None, &[]);
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_not_read() {
        use Looks::{Date, Money, Number as N};
        check("€1.234,50, EUR 12.345,67 and 1.234,50 EUR", Money, None, &[]);
        check("1.234,50 or 3.5k or 2B", N, None, &[]);
        check("3万5千台 and 3万5千元", N, None, &[]);
        check("3-5元, $3mm", Money, None, &[]);
        check("12,34,567. 1/2 and 11234-01-02, 2026-03/05", Date, None, &[]);
        check(
            "USD 2bn, $3m, $3.5k, $1.2 million",
            Money,
            None,
            &[
                ("USD 2bn", r#"{"amount":2000000000,"currency":"USD"}"#),
                ("$3m", r#"{"amount":3000000,"currency":"USD"}"#),
                ("$3.5k", r#"{"amount":3500,"currency":"USD"}"#),
                ("$1.2 million", r#"{"amount":1200000,"currency":"USD"}"#),
            ],
        );
        check("2bn users, minus 4, 负三度", N, None, &[("2bn", "2000000000"), ("minus 4", "-4"), ("负三", "-3")]);
    }

    #[test]
    fn chinese_figures_in_words_are_read_as_dates_and_money() {
        check(
            "签约日期：二〇二六年三月十五日。",
            Looks::Date,
            Some("签约日期"),
            &[("二〇二六年三月十五日", "\"2026-03-15\"")],
        );
        check(
            "总额人民币壹佰贰拾叁万肆仟伍佰元整，定金三千五百二十元，零头12元5角，尾款3.2亿元",
            Looks::Money,
            None,
            &[
                ("人民币壹佰贰拾叁万肆仟伍佰元", r#"{"amount":1234500,"currency":"CNY"}"#),
                ("三千五百二十元", r#"{"amount":3520,"currency":"CNY"}"#),
                ("12元5角", r#"{"amount":12.50,"currency":"CNY"}"#),
                ("3.2亿元", r#"{"amount":320000000,"currency":"CNY"}"#),
            ],
        );
    }

    #[test]
    fn percentages_money_dates_and_names_are_read_in_both_languages() {
        check(
            "Yield 91.70 %, scrap 8.3 percent, 良率９１．７％，百分之九十一点七",
            Looks::Percent,
            None,
            &[("91.70", "91.70"), ("8.3", "8.3"), ("９１．７", "91.7"), ("九十一点七", "91.7")],
        );
        check(
            "US$1,200.50, €3 million, 45 yuan, 人民币1.5万, 300美元",
            Looks::Money,
            None,
            &[
                ("US$1,200.50", r#"{"amount":1200.50,"currency":"USD"}"#),
                ("€3 million", r#"{"amount":3000000,"currency":"EUR"}"#),
                ("45 yuan", r#"{"amount":45,"currency":"CNY"}"#),
                ("人民币1.5万", r#"{"amount":15000,"currency":"CNY"}"#),
                ("300美元", r#"{"amount":300,"currency":"USD"}"#),
            ],
        );
        check(
            "2026-03-01T09:00:00Z, 2026年3月1日, March 1st, 2026, 28 Feb 2026, 2026/02/30",
            Looks::Date,
            None,
            &[
                ("2026-03-01T09:00:00Z", "\"2026-03-01T09:00:00Z\""),
                ("2026年3月1日", "\"2026-03-01\""),
                ("March 1st, 2026", "\"2026-03-01\""),
                ("28 Feb 2026", "\"2026-02-28\""),
            ],
        );
        check(
            "signed by Dr. Ada Lovelace for Bluepine Tea House",
            Looks::Name,
            None,
            &[("Dr. Ada Lovelace", "\"Dr. Ada Lovelace\""), ("Bluepine Tea House", "\"Bluepine Tea House\"")],
        );
        check(
            "负责人：张伟；青松茶业有限公司，李娜女士",
            Looks::Name,
            None,
            &[("张伟", "\"张伟\""), ("青松茶业有限公司", "\"青松茶业有限公司\""), ("李娜", "\"李娜\"")],
        );
    }

    #[test]
    fn a_value_of_another_clause_is_doubtful() {
        let sure = |text: &str| find(text, Looks::Percent, Some("yield")).unwrap()[0].sure;
        assert_eq!(sure("The yield was 91.70 %"), 9);
        assert_eq!(sure("The yield went up, the scrap was 3 %"), 5);
    }

    #[test]
    fn near_words_the_value_of_the_same_sentence_is_taken() {
        let text =
            "Scrap was 3.1 %. The yield  rate of line 2 was 91.70 %. Later a Yield Rate of 90.1% was noted. Done.";
        check(text, Looks::Percent, Some("yield rate"), &[("91.70", "91.70"), ("90.1", "90.1")]);
        check("良率为91.7％。交期30天", Looks::Percent, Some("良率"), &[("91.7", "91.7")]);
        check("91.7 % yield", Looks::Percent, Some("yield"), &[("91.7", "91.7")]);
        let why = find(text, Looks::Percent, Some("yeild rate")).unwrap_err().message;
        assert_eq!(why, "no percent is found: the words `yeild rate` are not in the text; `rate` is near");
        assert!(
            find(text, Looks::Money, Some("yield"))
                .unwrap_err()
                .message
                .contains("there the text has `yield  rate of line 2")
        );
    }
}
