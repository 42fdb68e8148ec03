//! Steps on the calendar of a zone, and what a change of clocks does to them.

use jiff::civil::{Date, DateTime};
use rust_decimal::Decimal;

use super::duration::{MS_DAY, MS_HOUR, MS_MINUTE, MS_SECOND};
use super::zone::Shown;
use super::{Duration, Zone, civil, floor_ms};
use crate::decimal;
use crate::error::{Code, Error};

/// What becomes of a time of day that a change of clocks skips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// It moves on by the length of the gap: 02:30 becomes 03:30. The default.
    #[default]
    Shift,
    /// It does not happen that day.
    Skip,
}

/// The instant a duration later: months first (the day is cut to the month's last), then days, both at
/// the same time of day in the zone (UTC when there is none), then the exact part. A time of day that a
/// change of clocks repeats is taken the first time. `None` when `gap` says that a skipped time is left out.
///
/// # Errors
/// `bad-instant` when either end lies outside the years -9999 to 9999.
///
/// ```
/// use throughline_expr::time::{add_span, format_instant, parse_duration, parse_instant, Gap};
/// let start = parse_instant("2026-01-31T09:00:00Z", None)?.ms;
/// let later = add_span(start, &parse_duration("P1M")?, None, Gap::Shift)?;
/// assert_eq!(later.map(|ms| format_instant(ms, None)).as_deref(), Some("2026-02-28T09:00:00Z"));
/// # Ok::<(), throughline_expr::Error>(())
/// ```
pub fn add_span(ms: i64, span: &Duration, zone: Option<&Zone>, gap: Gap) -> Result<Option<i64>, Error> {
    let outside = || Error::new(Code::BadInstant, "the instant lies outside the years -9999 to 9999");
    let mut at = ms;
    if span.months != 0 || span.days != 0 {
        let local = civil(ms, zone)?;
        let moved = step(local, span.months, span.days).ok_or_else(outside)?;
        at = floor_ms(match zone.map_or_else(Zone::utc, Zone::clone).shown(moved).ok_or_else(outside)? {
            Shown::Skipped(_) if gap == Gap::Skip => return Ok(None),
            Shown::At(at) | Shown::Skipped(at) => at,
        });
    }
    let at = at.checked_add(span.ms).ok_or_else(outside)?;
    super::timestamp(at)?;
    Ok(Some(at))
}

/// The `index`-th slot of something that repeats every `span` from `start`. Each slot is counted from the
/// start, not from the one before, so that the 31st does not become the 28th for good.
///
/// # Errors
/// As [`add_span`], and `bad-duration` when the slot is too far away.
pub fn slot(start: i64, span: &Duration, index: i64, zone: Option<&Zone>, gap: Gap) -> Result<Option<i64>, Error> {
    add_span(start, &span.checked_mul(index)?, zone, gap)
}

/// The day of the week in a zone (UTC when there is none): 0 is Monday.
///
/// # Errors
/// `bad-instant` when the number is not one.
pub fn weekday(ms: i64, zone: Option<&Zone>) -> Result<i64, Error> {
    Ok(i64::from(civil(ms, zone)?.weekday().to_monday_zero_offset()))
}

fn step(local: DateTime, months: i64, days: i64) -> Option<DateTime> {
    let month = i64::from(local.year()).checked_mul(12)?.checked_add(i64::from(local.month()) - 1)?;
    let month = month.checked_add(months)?;
    let year = i16::try_from(month.div_euclid(12)).ok()?;
    let first = Date::new(year, i8::try_from(month.rem_euclid(12) + 1).ok()?, 1).ok()?;
    let date = Date::new(year, first.month(), local.day().min(first.days_in_month())).ok()?;
    let days = i32::try_from(days).ok()?;
    let date = date.checked_add(jiff::Span::new().try_days(days).ok()?).ok()?;
    Some(date.to_datetime(local.time()))
}

/// A unit to measure time in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days of 24 hours.
    Days,
    /// Weeks of 7 days.
    Weeks,
    /// Months of a calendar.
    Months,
    /// Years of a calendar.
    Years,
}

impl Unit {
    /// Every unit with its spelling.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("milliseconds", Self::Milliseconds),
        ("seconds", Self::Seconds),
        ("minutes", Self::Minutes),
        ("hours", Self::Hours),
        ("days", Self::Days),
        ("weeks", Self::Weeks),
        ("months", Self::Months),
        ("years", Self::Years),
    ];

    /// The unit of this spelling; the singular is understood too.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name || known.strip_suffix('s') == Some(name)).map(|(_, u)| *u)
    }

    const fn exact_ms(self) -> Option<i64> {
        match self {
            Self::Milliseconds => Some(1),
            Self::Seconds => Some(MS_SECOND),
            Self::Minutes => Some(MS_MINUTE),
            Self::Hours => Some(MS_HOUR),
            Self::Days => Some(MS_DAY),
            Self::Weeks => Some(7 * MS_DAY),
            Self::Months | Self::Years => None,
        }
    }

    /// The duration of `count` of this unit.
    #[must_use]
    pub(crate) fn times(self, count: i64) -> Option<Duration> {
        Some(match self {
            Self::Days => Duration { days: count, ..Duration::default() },
            Self::Weeks => Duration { days: count.checked_mul(7)?, ..Duration::default() },
            Self::Months => Duration { months: count, ..Duration::default() },
            Self::Years => Duration { months: count.checked_mul(12)?, ..Duration::default() },
            exact => Duration::from_ms(count.checked_mul(exact.exact_ms()?)?),
        })
    }

    /// A length in this unit, with its fraction.
    ///
    /// # Errors
    /// `bad-duration` for months and years, which have no fixed length.
    pub(crate) fn measure(self, ms: i64) -> Result<Decimal, Error> {
        let Some(unit) = self.exact_ms() else {
            return Err(Error::new(
                Code::BadDuration,
                "a length has no months or years; use `diff` of two instants, or days",
            ));
        };
        decimal::div(Decimal::from(ms), Decimal::from(unit))
    }
}

/// How many `unit`s lie from `from` to `to`: with a fraction, but in whole months and years, which are
/// counted on the calendar of the zone.
///
/// # Errors
/// `bad-instant` when either is not one.
pub fn difference(from: i64, to: i64, unit: Unit, zone: Option<&Zone>) -> Result<Decimal, Error> {
    let per = match unit {
        Unit::Months => 1,
        Unit::Years => 12,
        exact => {
            let ms =
                to.checked_sub(from).ok_or_else(|| Error::new(Code::BadInstant, "the instants lie too far apart"))?;
            return exact.measure(ms);
        }
    };
    let (a, b) = (civil(from, zone)?, civil(to, zone)?);
    let index = |at: DateTime| i64::from(at.year()) * 12 + i64::from(at.month());
    let mut months = index(b) - index(a);
    // The month that is not complete yet does not count. Stepping is what `instant + months(n)` does, so
    // that the two agree.
    let reached = |months: i64| step(a, months, 0);
    if months > 0 && reached(months).is_some_and(|at| at > b) {
        months -= 1;
    } else if months < 0 && reached(months).is_some_and(|at| at < b) {
        months += 1;
    }
    Ok(Decimal::from(months / per))
}
