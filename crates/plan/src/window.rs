//! The time that a plan is about: `temporal_scope`.
//!
//! Its value is a text for a period of the calendar (`2026`, `2026-Q1`, `2026-H2`, `2026-03`, `2026-W09`,
//! `2026-03-01`), an instant, a list of two ends of which one may be null, or a map `{from, to}`. Read, it is
//! a [`Window`], from which sources derive their range filters and answers their tense.

use throughline_expr::time::{self, Duration, Gap, Zone, add_span, format_instant, parse_instant};
use throughline_value::{Map, Value};

/// A span of time, from its first moment to the first moment after it. An end that is absent is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first moment, in milliseconds since 1970 UTC.
    pub from: Option<i64>,
    /// The first moment after it.
    pub to: Option<i64>,
}

impl Window {
    /// `past`, `present` or `future`, as seen from `now`.
    #[must_use]
    pub fn tense(&self, now: i64) -> &'static str {
        match (self.from, self.to) {
            (_, Some(to)) if to <= now => "past",
            (Some(from), _) if from > now => "future",
            _ => "present",
        }
    }

    /// What expressions see as `temporal_scope`: `{from, to, tense}`, ends that are open are null.
    #[must_use]
    pub fn value(&self, now: Option<i64>, zone: Option<&Zone>) -> Value {
        let end = |ms: Option<i64>| ms.map_or(Value::Null, |ms| Value::Text(format_instant(ms, zone)));
        let tense = now.map_or(Value::Null, |now| self.tense(now).into());
        Value::Map(Map::from_iter([
            ("from".to_owned(), end(self.from)),
            ("to".to_owned(), end(self.to)),
            ("tense".to_owned(), tense),
        ]))
    }
}

/// Reads the value of a `temporal_scope`.
///
/// # Errors
/// A sentence that says what may stand there.
///
/// ```
/// use throughline_plan::window;
/// use throughline_value::Value;
/// let utc = throughline_expr::time::Zone::utc();
/// let quarter = window::of(&Value::from("2026-Q1"), Some(&utc)).unwrap();
/// assert_eq!((quarter.from, quarter.to), (Some(1_767_225_600_000), Some(1_775_001_600_000)));
/// assert!(window::of(&Value::from("last spring"), Some(&utc)).is_err());
/// ```
pub fn of(value: &Value, zone: Option<&Zone>) -> Result<Window, String> {
    let pair = match value {
        Value::Text(text) => return period(text.trim(), zone),
        Value::List(ends) => match ends.as_slice() {
            [from, to] => (from, to),
            _ => return Err(expected(value)),
        },
        Value::Map(map) => (map.get("from").unwrap_or(&Value::Null), map.get("to").unwrap_or(&Value::Null)),
        _ => return Err(expected(value)),
    };
    let from = match pair.0 {
        Value::Null => None,
        end => of(end, zone)?.from,
    };
    let to = match pair.1 {
        Value::Null => None,
        // An instant as the end is the end; a day or a month as the end belongs to it.
        end => of(end, zone)
            .map(|window| if window.to == window.from.map(|ms| ms + 1) { window.from } else { window.to })?,
    };
    match (from, to) {
        (Some(a), Some(b)) if a >= b => Err("this temporal_scope ends before it begins".to_owned()),
        _ => Ok(Window { from, to }),
    }
}

fn expected(value: &Value) -> String {
    let shown: String = value.to_json().chars().take(60).collect();
    format!(
        "{shown} is no time span; write \"2026\", \"2026-Q1\", \"2026-03\", \"2026-03-01\", or two ends as [from, to]"
    )
}

fn period(text: &str, zone: Option<&Zone>) -> Result<Window, String> {
    let wrong = || expected(&Value::from(text));
    let (start, span) = match text.len() {
        _ if text.chars().any(|c| !c.is_ascii_alphanumeric() && c != '-') => return instant(text, zone),
        4 => (format!("{text}-01-01"), months(12)),
        7 => match text.split_once('-') {
            Some((year, part)) => match part.split_at_checked(1) {
                Some(("Q" | "q", n @ ("1" | "2" | "3" | "4"))) => {
                    (format!("{year}-{:02}-01", nth(n) * 3 - 2), months(3))
                }
                Some(("H" | "h", n @ ("1" | "2"))) => (format!("{year}-{:02}-01", nth(n) * 6 - 5), months(6)),
                _ => (format!("{text}-01"), months(1)),
            },
            None => return Err(wrong()),
        },
        8 => match text.split_once('-').map(|(year, part)| (year, part.split_at_checked(1))) {
            Some((year, Some(("W" | "w", week)))) => return self::week(year, week, zone).ok_or_else(wrong),
            _ => return Err(wrong()),
        },
        10 => (text.to_owned(), Duration { days: 1, ..Duration::default() }),
        _ => return instant(text, zone),
    };
    let utc = Zone::utc();
    let from = parse_instant(&start, Some(zone.unwrap_or(&utc))).map_err(|_| wrong())?.ms;
    let to = add_span(from, &span, zone, Gap::Shift).ok().flatten().ok_or_else(wrong)?;
    Ok(Window { from: Some(from), to: Some(to) })
}

fn months(months: i64) -> Duration {
    Duration { months, ..Duration::default() }
}

fn nth(digit: &str) -> i64 {
    digit.parse().unwrap_or(1)
}

/// An ISO week: the first of a year is the one with its fourth of January.
fn week(year: &str, week: &str, zone: Option<&Zone>) -> Option<Window> {
    let utc = Zone::utc();
    let week: i64 = week.parse().ok().filter(|w| (1..=53).contains(w))?;
    let fourth = parse_instant(&format!("{year}-01-04"), Some(&utc)).ok()?.ms.div_euclid(86_400_000);
    // 1970-01-01 was a Thursday.
    let monday = fourth - (fourth + 3).rem_euclid(7) + (week - 1) * 7;
    let start = format_instant(monday * 86_400_000, None);
    let from = parse_instant(start.get(..10)?, Some(zone.unwrap_or(&utc))).ok()?.ms;
    let to = add_span(from, &Duration { days: 7, ..Duration::default() }, zone, Gap::Shift).ok().flatten()?;
    Some(Window { from: Some(from), to: Some(to) })
}

/// One moment.
fn instant(text: &str, zone: Option<&Zone>) -> Result<Window, String> {
    let ms = time::parse_instant(text, zone).map_err(|_| expected(&Value::from(text)))?.ms;
    Ok(Window { from: Some(ms), to: Some(ms + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: Result<(&str, &str), &str>) {
        let value = throughline_value::json::read_value(value).unwrap();
        let zone = Zone::parse("+08:00").unwrap();
        let end =
            |ms: Option<i64>| ms.map_or("open".to_owned(), |ms| format_instant(ms, Some(&zone)).replace("+08:00", ""));
        match (of(&value, Some(&zone)), expected) {
            (Ok(window), Ok((from, to))) => {
                assert_eq!((end(window.from).as_str(), end(window.to).as_str()), (from, to), "{value:?}");
            }
            (Err(message), Err(part)) => assert!(message.contains(part), "{message}"),
            (got, _) => panic!("{value:?} gave {got:?}"),
        }
    }

    #[test]
    fn a_scope_is_a_period_of_the_calendar_or_two_ends() {
        check("\"2026\"", Ok(("2026-01-01T00:00:00", "2027-01-01T00:00:00")));
        check("\"2026-Q2\"", Ok(("2026-04-01T00:00:00", "2026-07-01T00:00:00")));
        check("\"2026-H2\"", Ok(("2026-07-01T00:00:00", "2027-01-01T00:00:00")));
        check("\"2026-02\"", Ok(("2026-02-01T00:00:00", "2026-03-01T00:00:00")));
        check("\"2026-02-28\"", Ok(("2026-02-28T00:00:00", "2026-03-01T00:00:00")));
        check("\"2026-W01\"", Ok(("2025-12-29T00:00:00", "2026-01-05T00:00:00")));
        check("[\"2026-02\", \"2026-03\"]", Ok(("2026-02-01T00:00:00", "2026-04-01T00:00:00")));
        check("[null, \"2026-03-01T09:00\"]", Ok(("open", "2026-03-01T09:00:00")));
        check("{\"from\": \"2026-02\"}", Ok(("2026-02-01T00:00:00", "open")));
        check("[\"2026-03\", \"2026-02\"]", Err("ends before"));
        check("\"soon\"", Err("no time span"));
        check("\"2026-13\"", Err("no time span"));
        check("\"2026-Q5\"", Err("no time span"));
        check("3", Err("no time span"));
    }

    #[test]
    fn the_tense_follows_from_the_window_and_now() {
        let window = Window { from: Some(10), to: Some(20) };
        assert_eq!([5, 10, 19, 20].map(|now| window.tense(now)), ["future", "present", "present", "past"]);
        assert_eq!(Window { from: None, to: None }.tense(0), "present");
    }
}
