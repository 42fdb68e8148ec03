//! Formats of texts: the ones that schemas for models use.

/// Formats that are checked.
pub(super) const FORMATS: &[&str] = &["date", "time", "date-time", "duration", "email", "uuid", "uri"];

/// Whether a text is of a format; one that is not known here holds for every text.
pub(super) fn holds(format: &str, text: &str) -> bool {
    match format {
        "date" => date(text),
        "time" => time(text),
        "date-time" => text
            .split_at_checked(10)
            .is_some_and(|(day, rest)| date(day) && rest.strip_prefix(['T', 't']).is_some_and(time)),
        "duration" => text.strip_prefix('P').is_some_and(duration),
        "email" => text.rsplit_once('@').is_some_and(|(user, host)| {
            !user.is_empty()
                && !host.is_empty()
                && !text.contains(char::is_whitespace)
                && (host.starts_with('[') || host.split('.').all(|label| !label.is_empty()))
        }),
        "uuid" => {
            let groups: Vec<&str> = text.split('-').collect();
            groups.iter().map(|g| g.len()).eq([8, 4, 4, 4, 12])
                && groups.iter().all(|g| g.bytes().all(|b| b.is_ascii_hexdigit()))
        }
        "uri" => text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
                && rest.chars().all(|c| c.is_ascii_graphic() && !"<>\"{}|\\^`".contains(c))
        }),
        _ => true,
    }
}

/// A number of exactly so many ASCII digits.
fn digits(text: &str, len: usize) -> Option<u32> {
    (text.len() == len && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |len| parts.next().and_then(|p| digits(p, len));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    parts.next().is_none() && (1..=days).contains(&day)
}

fn time(text: &str) -> bool {
    let Some((clock, zone)) = text.find(['Z', 'z', '+', '-']).and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    let offset = match zone {
        "Z" | "z" => Some(0),
        _ => zone.split_at_checked(1).and_then(|(sign, rest)| {
            let (hours, minutes) = rest.split_once(':')?;
            let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
            let offset = i64::from(hours * 60 + minutes);
            (hours < 24 && minutes < 60).then_some(if sign == "-" { -offset } else { offset })
        }),
    };
    let (whole, fraction) = clock.split_once('.').map_or((clock, None), |(whole, f)| (whole, Some(f)));
    let mut parts = whole.split(':').map(|p| digits(p, 2));
    let (Some(Some(hour)), Some(Some(minute)), Some(Some(second)), None, Some(offset)) =
        (parts.next(), parts.next(), parts.next(), parts.next(), offset)
    else {
        return false;
    };
    let fraction = fraction.is_none_or(|f| !f.is_empty() && f.bytes().all(|b| b.is_ascii_digit()));
    // A leap second comes at the end of a day in UTC.
    let leap = (i64::from(hour * 60 + minute) - offset).rem_euclid(1_440) == 1_439;
    fraction && hour < 24 && minute < 60 && (second < 60 || (second == 60 && leap))
}

/// What follows the `P`: weeks alone, or neighbours of years, months, days, and after `T` of hours, minutes, seconds.
fn duration(text: &str) -> bool {
    let (day, clock) = text.split_once('T').map_or((text, None), |(day, clock)| (day, Some(clock)));
    if clock.is_none() && units(day, "W") {
        return true;
    }
    match clock {
        None => units(day, "YMD"),
        Some(clock) => (day.is_empty() || units(day, "YMD")) && units(clock, "HMS"),
    }
}

/// One number with each unit, of units that follow one another.
fn units(text: &str, order: &str) -> bool {
    let mut place: Option<usize> = None;
    let mut number = 0;
    for c in text.chars() {
        if c.is_ascii_digit() {
            number += 1;
            continue;
        }
        let Some(at) = order.find(c) else { return false };
        if number == 0 || place.is_some_and(|before| at != before + 1) {
            return false;
        }
        (place, number) = (Some(at), 0);
    }
    place.is_some() && number == 0
}
