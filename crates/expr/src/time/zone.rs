//! Time zones: fixed offsets always, named ones from the bytes of a TZif file that the host brings.

use std::fmt;

use jiff::tz::{Offset, TimeZone};

use crate::error::{Code, Error};

/// The largest TZif file that is read, in bytes; real ones have a few thousand.
const MAX_TZIF_BYTES: usize = 256 * 1024;

/// A time zone. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    tz: TimeZone,
}

impl Zone {
    /// UTC, written `Z`.
    #[must_use]
    pub fn utc() -> Self {
        Self { name: "UTC".to_owned(), tz: TimeZone::UTC }
    }

    /// A zone that is always `seconds` ahead of UTC.
    ///
    /// # Errors
    /// `bad-zone` when it is more than a day.
    pub fn fixed(seconds: i32) -> Result<Self, Error> {
        let offset = Offset::from_seconds(seconds).ok().filter(|_| seconds.unsigned_abs() < 86_400);
        let offset = offset.ok_or_else(|| bad_zone(&format!("{seconds} s")))?;
        Ok(if seconds == 0 { Self::utc() } else { Self { name: offset_text(offset), tz: TimeZone::fixed(offset) } })
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
        Ok(Self { name: name.to_owned(), tz })
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
        Ok(self.tz.to_offset(super::timestamp(ms)?).seconds())
    }

    pub(crate) fn tz(&self) -> &TimeZone {
        &self.tz
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
