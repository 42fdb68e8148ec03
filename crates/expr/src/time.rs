//! Instants, durations and zones, without a clock and without a zone database of its own.
//!
//! An instant is a number of milliseconds since 1970 UTC. Its text is RFC 3339; instants compare as
//! instants whatever their spelling. A text without a zone is refused, or read in the zone that the caller
//! gives and flagged in its [`Reading`].

mod calendar;
mod duration;
mod zone;

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

use crate::error::{Code, Error};

pub use calendar::{Gap, Unit, add_span, difference, slot, weekday};
pub(crate) use duration::is_iso_duration;
pub use duration::{Duration, parse_duration};
use zone::Shown;
pub use zone::Zone;

/// The longest text that is read as an instant or a duration, in bytes.
pub const MAX_TIME_TEXT: usize = 128;

/// An instant that was read from text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Milliseconds since 1970-01-01T00:00:00Z; a finer fraction is cut off towards the past.
    pub ms: i64,
    /// Whether the text had no zone and the caller's was taken.
    pub zone_assumed: bool,
}

/// Reads an instant: `2026-03-01T09:00:00+08:00`, `2026-03-01 09:00Z`, `2026-03-01T09:00:00.250+0800`,
/// and, when a zone is given, also `2026-03-01T09:00` and `2026-03-01` (its first moment).
///
/// # Errors
/// `bad-instant` when the text is not one, `zone-missing` when it has no zone and none is given.
///
/// ```
/// use throughline_expr::time::{parse_instant, Zone};
/// let a = parse_instant("2026-03-01T09:00:00+08:00", None)?;
/// let b = parse_instant("2026-03-01T01:00:00Z", None)?;
/// assert_eq!(a.ms, b.ms);
/// assert_eq!(parse_instant("2026-03-01T09:00:00", None).unwrap_err().code(), "zone-missing");
/// let assumed = parse_instant("2026-03-01T09:00:00", Some(&Zone::parse("+08:00")?))?;
/// assert!(assumed.zone_assumed && assumed.ms == a.ms);
/// # Ok::<(), throughline_expr::Error>(())
/// ```
pub fn parse_instant(text: &str, zone: Option<&Zone>) -> Result<Reading, Error> {
    let trimmed = text.trim();
    let parts = parts(trimmed).ok_or_else(|| bad_instant(text))?;
    let (timestamp, zone_assumed) = match (parts.offset, zone) {
        (Some(offset), _) => (TimeZone::fixed(offset).to_timestamp(parts.civil).ok(), false),
        // A time that a change of clocks skips is read as if the clocks had not changed yet, one that it
        // repeats as the first of the two.
        (None, Some(zone)) => (
            zone.shown(parts.civil).map(|shown| match shown {
                Shown::At(at) | Shown::Skipped(at) => at,
            }),
            true,
        ),
        (None, None) => {
            return Err(Error::new(
                Code::ZoneMissing,
                format!("{trimmed:?} has no zone; write one (`Z`, `+08:00`) or give the domain a zone"),
            ));
        }
    };
    let timestamp = timestamp.ok_or_else(|| bad_instant(text))?;
    Ok(Reading { ms: floor_ms(timestamp), zone_assumed })
}

fn bad_instant(text: &str) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::new(Code::BadInstant, format!("{shown:?} is not an instant; write it as 2026-03-01T09:00:00+08:00"))
}

fn floor_ms(timestamp: Timestamp) -> i64 {
    i64::try_from(timestamp.as_nanosecond().div_euclid(1_000_000)).unwrap_or(0)
}

/// Writes an instant as RFC 3339, in the zone given or with `Z`. Milliseconds stand there only when there
/// are some. A number outside the years -9999 to 9999 is not an instant and is written as `@number`.
#[must_use]
pub fn format_instant(ms: i64, zone: Option<&Zone>) -> String {
    let Ok(timestamp) = timestamp(ms) else { return format!("@{ms}") };
    let offset = zone.map_or(Offset::UTC, |zone| zone.offset(timestamp));
    let civil = TimeZone::fixed(offset).to_datetime(timestamp);
    let mut out = String::with_capacity(29);
    let _ = write!(
        out,
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second()
    );
    if civil.millisecond() != 0 {
        let _ = write!(out, ".{:03}", civil.millisecond());
    }
    match zone {
        Some(zone) if !zone.is_utc() => out.push_str(&zone::offset_text(offset)),
        _ => out.push('Z'),
    }
    out
}

/// The moment as the `jiff` type, when the number lies in its range.
pub(crate) fn timestamp(ms: i64) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(ms).map_err(|_| {
        Error::new(Code::BadInstant, format!("{ms} ms is not an instant: it lies outside the years -9999 to 9999"))
    })
}

/// What the clocks and calendars of a zone show at an instant; UTC when there is no zone.
pub(crate) fn civil(ms: i64, zone: Option<&Zone>) -> Result<DateTime, Error> {
    let timestamp = timestamp(ms)?;
    let offset = zone.map_or(Offset::UTC, |zone| zone.offset(timestamp));
    Ok(TimeZone::fixed(offset).to_datetime(timestamp))
}

/// Whether the text begins as an instant or a date does. A cheap look, not a reading.
pub(crate) fn looks_like_instant(text: &str) -> bool {
    let mut bytes = text.trim_start().bytes();
    let year = (0..4).all(|_| bytes.next().is_some_and(|b| b.is_ascii_digit()));
    year && bytes.next() == Some(b'-')
        && bytes.next().is_some_and(|b| b.is_ascii_digit())
        && bytes.next().is_some_and(|b| b.is_ascii_digit())
        && bytes.next() == Some(b'-')
}

/// The exact moment of a text that is an instant with its zone.
pub(crate) fn complete_instant(text: &str) -> Option<Timestamp> {
    if !looks_like_instant(text) {
        return None;
    }
    let parts = parts(text.trim())?;
    TimeZone::fixed(parts.offset?).to_timestamp(parts.civil).ok()
}

struct Parts {
    civil: DateTime,
    offset: Option<Offset>,
}

fn parts(text: &str) -> Option<Parts> {
    if text.len() > MAX_TIME_TEXT || !text.is_ascii() {
        return None;
    }
    let mut reader = Reader { rest: text };
    let year = reader.digits(4)?;
    reader.byte("-")?;
    let month = reader.digits(2)?;
    reader.byte("-")?;
    let day = reader.digits(2)?;
    let date = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    if reader.rest.is_empty() {
        return Some(Parts { civil: date.to_datetime(Time::midnight()), offset: None });
    }
    reader.byte("Tt ")?;
    let hour = reader.digits(2)?;
    reader.byte(":")?;
    let minute = reader.digits(2)?;
    let (mut second, mut nanos) = (0, 0);
    if reader.byte(":").is_some() {
        second = reader.digits(2)?;
        if reader.byte(".,").is_some() {
            nanos = reader.fraction()?;
        }
    }
    // A leap second has no number of its own in milliseconds since 1970.
    if second == 60 {
        (second, nanos) = (59, 999_999_999);
    }
    let time = Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        i32::try_from(nanos).ok()?,
    )
    .ok()?;
    let civil = date.to_datetime(time);
    reader.rest = reader.rest.strip_prefix(' ').unwrap_or(reader.rest);
    if reader.rest.is_empty() {
        return Some(Parts { civil, offset: None });
    }
    zone::parse_offset(reader.rest).map(|offset| Parts { civil, offset: Some(offset) })
}

/// Reads ASCII text from the front.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn byte(&mut self, any_of: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(|c| any_of.contains(c))?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        digits.parse().ok()
    }

    /// The digits after the point as nanoseconds; further digits are cut off.
    fn fraction(&mut self) -> Option<u32> {
        let end = self.rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
        if digits.is_empty() { None } else { nine.parse().ok() }
    }
}
