//! Durations: an exact part in milliseconds and a calendar part in days and months.

use std::cmp::Ordering;
use std::fmt;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::MAX_TIME_TEXT;
use crate::error::{Code, Error};

pub(super) const MS_SECOND: i64 = 1000;
pub(super) const MS_MINUTE: i64 = 60 * MS_SECOND;
pub(super) const MS_HOUR: i64 = 60 * MS_MINUTE;
pub(super) const MS_DAY: i64 = 24 * MS_HOUR;

/// The longest duration that is read, in days: the whole range of instants fits in.
const MAX_DAYS: i64 = 7_500_000;

/// A length of time. Hours and below are exact; days and months are steps on a calendar: in a zone with
/// daylight saving, one day later is the same time of day, 23 to 25 hours away. Where a plain length is
/// needed a day counts as 24 hours, and a month is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duration {
    /// Calendar months; a year has twelve.
    pub months: i64,
    /// Calendar days; a week has seven.
    pub days: i64,
    /// The exact part, in milliseconds.
    pub ms: i64,
}

impl Duration {
    /// An exact duration.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self { months: 0, days: 0, ms }
    }

    /// The length in milliseconds, a day as 24 hours.
    ///
    /// # Errors
    /// `bad-duration` when it has months or years, whose length varies, or is too long.
    pub fn exact_ms(&self) -> Result<i64, Error> {
        if self.months != 0 {
            return Err(Error::new(
                Code::BadDuration,
                format!("{self} has no fixed length: months vary; use days, or add it to an instant and compare those"),
            ));
        }
        self.days.checked_mul(MS_DAY).and_then(|ms| ms.checked_add(self.ms)).ok_or_else(too_long)
    }

    /// Both durations together.
    ///
    /// # Errors
    /// `bad-duration` when the sum is too long.
    pub fn checked_add(&self, other: &Self) -> Result<Self, Error> {
        let sum = || {
            Some(Self {
                months: self.months.checked_add(other.months)?,
                days: self.days.checked_add(other.days)?,
                ms: self.ms.checked_add(other.ms)?,
            })
        };
        sum().ok_or_else(too_long)?.within_range()
    }

    /// The same duration in the other direction.
    #[must_use]
    pub const fn negated(&self) -> Self {
        Self { months: self.months.saturating_neg(), days: self.days.saturating_neg(), ms: self.ms.saturating_neg() }
    }

    /// The duration taken `count` times.
    ///
    /// # Errors
    /// `bad-duration` when the product is too long.
    pub fn checked_mul(&self, count: i64) -> Result<Self, Error> {
        let product = || {
            Some(Self {
                months: self.months.checked_mul(count)?,
                days: self.days.checked_mul(count)?,
                ms: self.ms.checked_mul(count)?,
            })
        };
        product().ok_or_else(too_long)?.within_range()
    }

    /// Compares lengths.
    ///
    /// # Errors
    /// `bad-duration` when the two differ in months, whose length varies.
    pub fn try_cmp(&self, other: &Self) -> Result<Ordering, Error> {
        let strip = |d: &Self| Self { months: 0, ..*d };
        if self.months == other.months {
            return Ok(strip(self).exact_ms()?.cmp(&strip(other).exact_ms()?));
        }
        let only_months = |d: &Self| d.days == 0 && d.ms == 0;
        if only_months(self) && only_months(other) {
            return Ok(self.months.cmp(&other.months));
        }
        Ok(self.exact_ms()?.cmp(&other.exact_ms()?))
    }

    fn within_range(self) -> Result<Self, Error> {
        let fits = self.months.unsigned_abs() <= (MAX_DAYS / 28).unsigned_abs()
            && self.days.unsigned_abs() <= MAX_DAYS.unsigned_abs()
            && self.ms.unsigned_abs() <= (MAX_DAYS * MS_DAY).unsigned_abs();
        if fits { Ok(self) } else { Err(too_long()) }
    }
}

fn too_long() -> Error {
    Error::new(Code::BadDuration, format!("a duration has at most {MAX_DAYS} days"))
}

/// ISO 8601: `PT24H`, `P1DT2H30M`, `-P1M`, `PT0.250S`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.months, self.days, self.ms];
        if parts == [0; 3] {
            return f.write_str("PT0S");
        }
        let negative = parts.iter().all(|part| *part <= 0);
        let sign: i64 = if negative { -1 } else { 1 };
        let [months, days, ms] = parts.map(|part| part.saturating_mul(sign));
        f.write_str(if negative { "-P" } else { "P" })?;
        for (count, unit) in [(months / 12, 'Y'), (months % 12, 'M'), (days, 'D')] {
            if count != 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        if ms == 0 {
            return Ok(());
        }
        f.write_str("T")?;
        for (count, unit) in [(ms / MS_HOUR, 'H'), (ms % MS_HOUR / MS_MINUTE, 'M')] {
            if count != 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        let rest = ms % MS_MINUTE;
        if rest % MS_SECOND != 0 {
            let minus = if rest < 0 { "-" } else { "" };
            write!(f, "{minus}{}.{:03}S", (rest / MS_SECOND).abs(), (rest % MS_SECOND).abs())?;
        } else if rest != 0 {
            write!(f, "{}S", rest / MS_SECOND)?;
        }
        Ok(())
    }
}

/// What one unit adds: months, days, milliseconds.
type Weight = (i64, i64, i64);

/// Units of the friendly form, in English and Chinese.
const UNITS: &[(&[&str], Weight)] = &[
    (&["ms", "msec", "msecs", "millisecond", "milliseconds", "毫秒"], (0, 0, 1)),
    (&["s", "sec", "secs", "second", "seconds", "秒", "秒钟"], (0, 0, MS_SECOND)),
    (&["m", "min", "mins", "minute", "minutes", "分", "分钟"], (0, 0, MS_MINUTE)),
    (&["h", "hr", "hrs", "hour", "hours", "小时", "个小时", "时"], (0, 0, MS_HOUR)),
    (&["d", "day", "days", "天", "日"], (0, 1, 0)),
    (&["w", "wk", "week", "weeks", "周", "星期", "个星期"], (0, 7, 0)),
    (&["mo", "mos", "month", "months", "月", "个月"], (1, 0, 0)),
    (&["y", "yr", "yrs", "year", "years", "年"], (12, 0, 0)),
];

/// Reads a duration: ISO 8601 (`PT24H`, `P1DT2H`, `-PT30M`) or units in words (`24h`, `1 day 2 hours`,
/// `90 分钟`). Fractions are allowed down from hours, when they come out in whole milliseconds.
///
/// # Errors
/// `bad-duration` when the text is not one or is too long.
///
/// ```
/// use throughline_expr::time::parse_duration;
/// assert_eq!(parse_duration("24h")?, parse_duration("PT24H")?);
/// assert_eq!(parse_duration("1.5 hours")?.exact_ms()?, 5_400_000);
/// assert_eq!(parse_duration("P1Y2M3DT4H")?.to_string(), "P1Y2M3DT4H");
/// # Ok::<(), throughline_expr::Error>(())
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, Error> {
    let bad = || {
        let shown: String = text.chars().take(40).collect();
        Error::new(Code::BadDuration, format!("{shown:?} is not a duration; write `24h`, `1 day 2 hours` or `P1DT2H`"))
    };
    let trimmed = text.trim();
    if trimmed.len() > MAX_TIME_TEXT {
        return Err(bad());
    }
    let (negative, body) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let duration = match body.strip_prefix('P') {
        Some(iso) => parse_iso(iso),
        None => parse_friendly(body),
    }
    .ok_or_else(bad)?
    .within_range()?;
    Ok(if negative { duration.negated() } else { duration })
}

/// Whether a name is a duration literal: `PT30M`, `P1D`.
pub(crate) fn is_iso_duration(word: &str) -> bool {
    let mut start = word.chars();
    start.next() == Some('P')
        && start.next().is_some_and(|c| c == 'T' || c.is_ascii_digit())
        && parse_duration(word).is_ok()
}

fn parse_iso(text: &str) -> Option<Duration> {
    const DATE: &[(&str, Weight)] = &[("Y", (12, 0, 0)), ("M", (1, 0, 0)), ("W", (0, 7, 0)), ("D", (0, 1, 0))];
    const TIME: &[(&str, Weight)] = &[("H", (0, 0, MS_HOUR)), ("M", (0, 0, MS_MINUTE)), ("S", (0, 0, MS_SECOND))];
    let (date, time) = match text.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (text, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let mut total = Duration::default();
    for (mut rest, mut units) in [(date, DATE), (time, TIME)] {
        while !rest.is_empty() {
            // Mixed signs come out of subtractions; each part then has its own.
            let (minus, unsigned) = rest.strip_prefix('-').map_or((false, rest), |rest| (true, rest));
            let (number, after) = split_number(unsigned)?;
            // Each unit at most once and in order.
            let at = units.iter().position(|(unit, _)| after.starts_with(unit))?;
            let (unit, weight) = units.get(at)?;
            units = units.get(at + 1..)?;
            rest = after.strip_prefix(unit)?;
            let (months, days, ms) = *weight;
            let sign = if minus { -1 } else { 1 };
            total = plus(total, number, (sign * months, sign * days, sign * ms))?;
        }
    }
    Some(total)
}

fn parse_friendly(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = Duration::default();
    let mut seen: Vec<Weight> = Vec::new();
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (word, tail) = after.split_at_checked(end)?;
        let word_lower = word.to_lowercase();
        let (_, weight) = UNITS.iter().find(|(names, _)| names.contains(&word_lower.as_str()))?;
        if seen.contains(weight) {
            return None;
        }
        seen.push(*weight);
        total = plus(total, number, *weight)?;
        rest = tail.trim_start();
        rest = rest.strip_prefix(',').map_or(rest, str::trim_start);
    }
    if seen.is_empty() { None } else { Some(total) }
}

fn split_number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    let plain = number.len() <= 20 && number.starts_with(|c: char| c.is_ascii_digit()) && !number.ends_with('.');
    plain.then_some((number, rest))
}

fn plus(total: Duration, number: &str, (months, days, ms): Weight) -> Option<Duration> {
    if let Ok(count) = number.parse::<i64>() {
        return Some(Duration {
            months: total.months.checked_add(months.checked_mul(count)?)?,
            days: total.days.checked_add(days.checked_mul(count)?)?,
            ms: total.ms.checked_add(ms.checked_mul(count)?)?,
        });
    }
    if months != 0 || days != 0 {
        return None;
    }
    let exact = Decimal::from_str_exact(number).ok()?.checked_mul(Decimal::from(ms))?;
    let whole = if exact.is_integer() { exact.to_i64()? } else { return None };
    Some(Duration { ms: total.ms.checked_add(whole)?, ..total })
}
