//! Numbers and instants by a pattern.

use std::fmt::Write as _;

use jiff::civil::DateTime;
use rust_decimal::Decimal;
use throughline_value::Value;

use super::Args;
use crate::decimal::{self, Rounding};
use crate::error::{Error, a, bad_argument, wrong_type};
use crate::eval::{Context, Val};
use crate::time::{Zone, civil, format_instant};

/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 256;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) fn format(context: &Context<'_>, mut args: Args) -> Result<Val, Error> {
    let (val, span) = args.next()?;
    let pattern = args.text()?;
    if pattern.len() > MAX_PATTERN {
        return Err(bad_argument(format!("a pattern has at most {MAX_PATTERN} bytes")));
    }
    if let Some(decimal) = val.as_decimal() {
        return context.text(number(decimal.map_err(|error| error.at(span))?, &pattern)?);
    }
    let ms = match &val {
        Val::Instant(ms) => *ms,
        Val::Plain(Value::Text(text)) => context.instant(text).map_err(|error| error.at(span))?,
        _ => return Err(wrong_type(format!("format() takes a number or an instant, not {}", a(val.kind()))).at(span)),
    };
    let zone = args.zone(context)?;
    context.text(instant(ms, &pattern, &zone)?)
}

/// `#,##0.00`: digits and groups, with any text before and after; a percent sign behind multiplies by 100.
fn number(value: Decimal, pattern: &str) -> Result<String, Error> {
    let bad = || bad_argument("a number's pattern looks like `0`, `0.00`, `#,##0.00` or `0.0%`");
    let is_part = |c: char| matches!(c, '#' | '0' | ',' | '.');
    let start = pattern.find(['#', '0']).ok_or_else(bad)?;
    let (before, rest) = pattern.split_at_checked(start).ok_or_else(bad)?;
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let (body, after) = rest.split_at_checked(end).ok_or_else(bad)?;
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    if !fraction.chars().all(|c| c == '0') || after.contains(['#', '0']) || whole.ends_with(',') {
        return Err(bad());
    }
    let digits = u32::try_from(fraction.len()).ok().filter(|digits| *digits <= decimal::MAX_SCALE).ok_or_else(bad)?;
    let value = if after.starts_with('%') { decimal::mul(value, Decimal::ONE_HUNDRED)? } else { value };
    let text = decimal::fixed(value.abs(), digits, Rounding::HalfUp);
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    let (digits, tail) = text.find('.').map_or((text.as_str(), ""), |at| text.split_at(at));
    let least = whole.chars().filter(|c| *c == '0').count();
    let padded = format!("{digits:0>least$}");
    let mut out = String::from(before);
    if value.is_sign_negative() && !zero {
        out.push('-');
    }
    let count = padded.len();
    for (at, digit) in padded.chars().enumerate() {
        if at > 0 && whole.contains(',') && (count - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out.push_str(tail);
    out.push_str(after);
    Ok(out)
}

/// `%Y-%m-%d %H:%M`; `%-d` leaves the zero in front out.
fn instant(ms: i64, pattern: &str, zone: &Zone) -> Result<String, Error> {
    let at = civil(ms, Some(zone))?;
    let mut out = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut directive = chars.next();
        let bare = directive == Some('-');
        if bare {
            directive = chars.next();
        }
        part(&mut out, &at, directive, bare, ms, zone)?;
    }
    Ok(out)
}

fn part(
    out: &mut String,
    at: &DateTime,
    directive: Option<char>,
    bare: bool,
    ms: i64,
    zone: &Zone,
) -> Result<(), Error> {
    let hour12 = (at.hour() + 11) % 12 + 1;
    let day = usize::try_from(at.weekday().to_monday_one_offset() - 1).unwrap_or(0);
    let month = usize::try_from(at.month() - 1).unwrap_or(0);
    let named = |names: &[&'static str], at: usize| names.get(at).copied().unwrap_or("");
    let (number, width) = match directive {
        Some('Y') => (i64::from(at.year()), 4),
        Some('y') => (i64::from(at.year()).rem_euclid(100), 2),
        Some('m') => (i64::from(at.month()), 2),
        Some('d') => (i64::from(at.day()), 2),
        Some('H') => (i64::from(at.hour()), 2),
        Some('I') => (i64::from(hour12), 2),
        Some('M') => (i64::from(at.minute()), 2),
        Some('S') => (i64::from(at.second()), 2),
        Some('L') => (i64::from(at.millisecond()), 3),
        Some('j') => (i64::from(at.day_of_year()), 3),
        Some('u') => (i64::from(at.weekday().to_monday_one_offset()), 1),
        Some('F') => {
            let _ = write!(out, "{:04}-{:02}-{:02}", at.year(), at.month(), at.day());
            return Ok(());
        }
        Some('T') => {
            let _ = write!(out, "{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second());
            return Ok(());
        }
        Some('p') => {
            out.push_str(if at.hour() < 12 { "AM" } else { "PM" });
            return Ok(());
        }
        Some('A') => {
            out.push_str(named(&DAYS, day));
            return Ok(());
        }
        Some('a') => {
            out.extend(named(&DAYS, day).chars().take(3));
            return Ok(());
        }
        Some('B') => {
            out.push_str(named(&MONTHS, month));
            return Ok(());
        }
        Some('b') => {
            out.extend(named(&MONTHS, month).chars().take(3));
            return Ok(());
        }
        Some('z') => {
            let text = format_instant(ms, Some(zone));
            out.push_str(if zone.is_utc() { "+00:00" } else { text.get(text.len() - 6..).unwrap_or("") });
            return Ok(());
        }
        Some('Z') => {
            out.push_str(zone.name());
            return Ok(());
        }
        Some('%') => {
            out.push('%');
            return Ok(());
        }
        other => {
            let found = other.map_or_else(|| "%".to_owned(), |c| format!("%{c}"));
            return Err(bad_argument(format!(
                "`{found}` is not a part of an instant; use %Y %m %d %H %M %S %F %T %L %y %I %p %j %u %a %A %b %B %z %Z %%"
            )));
        }
    };
    if bare {
        let _ = write!(out, "{number}");
    } else {
        let _ = write!(out, "{number:0width$}");
    }
    Ok(())
}
