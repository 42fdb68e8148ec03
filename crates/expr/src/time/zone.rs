//! Time zones: fixed offsets always, named ones from rules that the host brings.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::error::{Code, Error};

/// The largest TZif file that is read, in bytes; real ones have a few thousand.
const MAX_TZIF_BYTES: usize = 256 * 1024;

/// A time zone. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    tz: TimeZone,
    /// What the clocks did before the rules of `tz`.
    past: Option<Arc<Past>>,
}

/// The changes of clocks that no rule tells of.
#[derive(PartialEq, Eq)]
struct Past {
    /// The offset before the first change, in seconds.
    first: i32,
    /// From this second since 1970 on: this offset. After the last one the rule says what holds.
    changes: Vec<(i64, i32)>,
}

/// What the clocks of a zone make of a time of day.
pub(crate) enum Shown {
    /// They show it; the first time, when a change repeats it.
    At(Timestamp),
    /// A change skips it. It would be this if the clocks had not changed yet.
    Skipped(Timestamp),
}

impl Zone {
    /// UTC, written `Z`.
    #[must_use]
    pub fn utc() -> Self {
        Self { name: "UTC".to_owned(), tz: TimeZone::UTC, past: None }
    }

    /// A zone that is always `seconds` ahead of UTC.
    ///
    /// # Errors
    /// `bad-zone` when it is more than a day.
    pub fn fixed(seconds: i32) -> Result<Self, Error> {
        let offset = Offset::from_seconds(seconds).ok().filter(|_| seconds.unsigned_abs() < 86_400);
        let offset = offset.ok_or_else(|| bad_zone(&format!("{seconds} s")))?;
        Ok(if seconds == 0 {
            Self::utc()
        } else {
            Self { name: offset_text(offset), tz: TimeZone::fixed(offset), past: None }
        })
    }

    /// A zone that is written out: `Z`, `UTC`, `+08:00`, `-0530`, `+8`.
    ///
    /// # Errors
    /// `bad-zone` for everything else: the rules of a named zone come from the host, see
    /// [`Zone::from_tzif`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.eq_ignore_ascii_case("utc") {
            return Ok(Self::utc());
        }
        let offset = parse_offset(text).ok_or_else(|| bad_zone(text))?;
        Self::fixed(offset.seconds())
    }

    /// A named zone (`Asia/Shanghai`) with the rules of a TZif file (RFC 9636).
    ///
    /// # Errors
    /// `bad-zone` when the bytes are not such a file.
    pub fn from_tzif(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_TZIF_BYTES {
            return Err(Error::new(Code::BadZone, format!("the rules of {name:?} have over {MAX_TZIF_BYTES} bytes")));
        }
        let tz = TimeZone::tzif(name, bytes).map_err(|_| {
            Error::new(Code::BadZone, format!("the rules of {name:?} are not a TZif file; load the zone file again"))
        })?;
        Ok(Self { name: name.to_owned(), tz, past: None })
    }

    /// A named zone with its rules in one line: the POSIX rule that holds from the last change of clocks on,
    /// then, where there were changes before it, `|`, the offset before the first of them in seconds, and for
    /// each a space and `second:offset`, the second since 1970 to base 36.
    ///
    /// ```
    /// use throughline_expr::time::Zone;
    /// let berlin = Zone::from_rules("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3")?;
    /// assert_eq!(berlin.offset_at(1_782_864_000_000)?, 7_200);
    /// assert_eq!(Zone::from_rules("Mars/Olympus", "?").unwrap_err().code(), "bad-zone");
    /// # Ok::<(), throughline_expr::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad-zone` when the line is not such rules.
    pub fn from_rules(name: &str, rules: &str) -> Result<Self, Error> {
        let read = || {
            let (posix, past) = rules.split_once('|').map_or((rules, None), |(posix, past)| (posix, Some(past)));
            let tz = TimeZone::posix(posix).ok()?;
            let Some(past) = past else { return Some((tz, None)) };
            let mut words = past.split(' ');
            let first = offset_seconds(words.next()?)?;
            let mut changes = Vec::new();
            for word in words {
                let (second, offset) = word.split_once(':')?;
                let second = i64::from_str_radix(second, 36).ok()?;
                if changes.last().is_some_and(|(last, _)| second <= *last) {
                    return None;
                }
                changes.push((second, offset_seconds(offset)?));
            }
            Some((tz, Some(Arc::new(Past { first, changes }))))
        };
        let (tz, past) = if rules.len() > MAX_TZIF_BYTES { None } else { read() }.ok_or_else(|| {
            Error::new(Code::BadZone, format!("the rules of {name:?} cannot be read; load the zone's rules again"))
        })?;
        Ok(Self { name: name.to_owned(), tz, past })
    }

    /// What a name stands for: an offset that is written out, or a named zone whose rules are at hand.
    #[must_use]
    pub fn named(name: &str, rules: Option<&str>) -> Option<Self> {
        Self::parse(name).ok().or_else(|| Self::from_rules(name, rules?).ok())
    }

    /// The name, or the offset as `+08:00`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether instants are written with `Z`.
    #[must_use]
    pub fn is_utc(&self) -> bool {
        self.tz == TimeZone::UTC
    }

    /// How many seconds the zone is ahead of UTC at an instant.
    ///
    /// # Errors
    /// `bad-instant` when the number is not an instant.
    pub fn offset_at(&self, ms: i64) -> Result<i32, Error> {
        Ok(self.offset(super::timestamp(ms)?).seconds())
    }

    pub(crate) fn offset(&self, at: Timestamp) -> Offset {
        if let Some(past) = &self.past {
            let after = past.changes.partition_point(|(second, _)| *second <= at.as_second());
            if after < past.changes.len() {
                let seconds = after.checked_sub(1).and_then(|i| past.changes.get(i)).map_or(past.first, |(_, o)| *o);
                return Offset::from_seconds(seconds).unwrap_or(Offset::UTC);
            }
        }
        self.tz.to_offset(at)
    }

    /// When the clocks show this; `None` outside the years -9999 to 9999.
    pub(crate) fn shown(&self, civil: DateTime) -> Option<Shown> {
        let by = |offset: Offset| TimeZone::fixed(offset).to_timestamp(civil).ok();
        let near = |seconds: i64| {
            let utc = by(Offset::UTC)?;
            let second = utc.as_second().saturating_add(seconds);
            Some(self.offset(Timestamp::from_second(second).unwrap_or(utc)))
        };
        // No two changes of clocks lie within two days of each other.
        let (before, after) = (near(-86_400)?, near(86_400)?);
        for offset in [before, after] {
            if let Some(at) = by(offset).filter(|at| self.offset(*at) == offset) {
                return Some(Shown::At(at));
            }
        }
        by(before).map(Shown::Skipped)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name)
    }
}

fn bad_zone(text: &str) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::new(
        Code::BadZone,
        format!("{shown:?} is not a zone here; write an offset as `+08:00`, or load the zone's rules first"),
    )
}

/// A whole number of seconds within a day.
fn offset_seconds(text: &str) -> Option<i32> {
    text.parse().ok().filter(|seconds: &i32| seconds.unsigned_abs() < 86_400)
}

/// `Z`, `+08:00`, `+0800`, `+08`, `+8`.
pub(super) fn parse_offset(text: &str) -> Option<Offset> {
    if text == "Z" || text == "z" {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix('-')?),
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (hours, minutes),
        Some(_) => return None,
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "0"),
    };
    let number = |text: &str| {
        let short = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if short { text.parse::<i32>().ok() } else { None }
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// `+08:00`; seconds, which only very old rules have, are cut off as RFC 3339 demands.
pub(super) fn offset_text(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
