//! Functions of instants and durations.

use jiff::civil::DateTime;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use throughline_value::Value;

use super::{Args, Function, strict};
use crate::decimal;
use crate::error::{Code, Error, a, wrong_type};
use crate::eval::{Context, Val};
use crate::time::{Duration, Unit, civil, difference};

pub(super) const FUNCTIONS: &[Function] = &[
    strict("now()", "The clock reading that the caller gives; the same as `now`.", 0, 0, |c, _| {
        c.now()
            .map(Val::Instant)
            .ok_or_else(|| Error::new(Code::NowMissing, "`now` is not known here; the caller gives no clock reading"))
    }),
    strict(
        "instant(x)",
        "The instant a text spells: instant(\"2026-03-01T09:00:00+08:00\"). A number is milliseconds since 1970.",
        1,
        1,
        |c, mut args| {
            let (val, span) = args.next()?;
            match (&val, val.as_text()) {
                (Val::Instant(_), _) => Ok(val),
                (_, Some(text)) => c.instant(text).map(Val::Instant).map_err(|error| error.at(span)),
                _ => match val.as_number().map(|number| number.as_i64()) {
                    Some(Some(ms)) => {
                        crate::time::timestamp(ms).map(|_| Val::Instant(ms)).map_err(|error| error.at(span))
                    }
                    _ => {
                        Err(wrong_type(format!("instant(x) takes a text or whole milliseconds, not {}", a(val.kind())))
                            .at(span))
                    }
                },
            }
        },
    ),
    strict(
        "duration(x)",
        "The duration a text spells: duration(\"24h\"), duration(\"P1DT2H\"), duration(\"30 分钟\").",
        1,
        1,
        |_, mut args| args.duration().map(Val::Duration),
    ),
    strict("milliseconds(n)", "A duration of n milliseconds.", 1, 1, |_, a| span(a, Unit::Milliseconds)),
    strict("seconds(n)", "A duration of n seconds.", 1, 1, |_, a| span(a, Unit::Seconds)),
    strict("minutes(n)", "A duration of n minutes.", 1, 1, |_, a| span(a, Unit::Minutes)),
    strict("hours(n)", "A duration of n hours.", 1, 1, |_, a| span(a, Unit::Hours)),
    strict(
        "days(n)",
        "A duration of n days; in a zone with daylight saving a day keeps the time of day.",
        1,
        1,
        |_, a| span(a, Unit::Days),
    ),
    strict("weeks(n)", "A duration of n weeks.", 1, 1, |_, a| span(a, Unit::Weeks)),
    strict("months(n)", "A duration of n months; the day is cut to the last of a shorter month.", 1, 1, |_, a| {
        span(a, Unit::Months)
    }),
    strict("years(n)", "A duration of n years.", 1, 1, |_, a| span(a, Unit::Years)),
    strict(
        "total(duration, unit)",
        "The length in a unit: total(duration(\"90m\"), \"hours\") is 1.5.",
        2,
        2,
        |_, mut args| {
            let length = args.duration()?.exact_ms()?;
            args.unit()?.measure(length).map(Val::Decimal)
        },
    ),
    strict(
        "diff(from, to, unit?)",
        "The duration between two instants, or its length in a unit; months and years are counted whole on the calendar.",
        2,
        3,
        |c, mut args| {
            let (from, to) = (args.instant(c)?, args.instant(c)?);
            if args.len() > 0 {
                return difference(from, to, args.unit()?, c.zone()).map(Val::Decimal);
            }
            let ms =
                to.checked_sub(from).ok_or_else(|| Error::new(Code::BadDuration, "the instants lie too far apart"))?;
            Ok(Val::Duration(Duration::from_ms(ms)))
        },
    ),
    strict("date(x, zone?)", "The calendar date of an instant as text: \"2026-03-01\".", 1, 2, |c, args| {
        let at = local(c, args)?;
        c.text(format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day()))
    }),
    strict("year(x, zone?)", "The year of an instant.", 1, 2, |c, a| Ok(int(local(c, a)?.year()))),
    strict("month(x, zone?)", "The month of an instant, 1 to 12.", 1, 2, |c, a| Ok(int(local(c, a)?.month()))),
    strict("day(x, zone?)", "The day of the month of an instant.", 1, 2, |c, a| Ok(int(local(c, a)?.day()))),
    strict("hour(x, zone?)", "The hour of an instant, 0 to 23.", 1, 2, |c, a| Ok(int(local(c, a)?.hour()))),
    strict("minute(x, zone?)", "The minute of an instant.", 1, 2, |c, a| Ok(int(local(c, a)?.minute()))),
    strict("weekday(x, zone?)", "The day of the week of an instant, 1 for Monday to 7 for Sunday.", 1, 2, |c, a| {
        Ok(int(local(c, a)?.weekday().to_monday_one_offset()))
    }),
];

fn int(value: impl Into<i64>) -> Val {
    Val::Plain(Value::from(value.into()))
}

fn span(mut args: Args, unit: Unit) -> Result<Val, Error> {
    let count = args.decimal()?;
    let too_long = || Error::new(Code::BadDuration, "the duration is too long");
    if count.is_integer() {
        let span = count.to_i64().and_then(|count| unit.times(count)).ok_or_else(too_long)?;
        return Duration::default().checked_add(&span).map(Val::Duration);
    }
    // A fraction must come out in whole milliseconds; a fraction of a calendar unit has no meaning.
    let one = unit.times(1).ok_or_else(too_long)?;
    if one.days != 0 || one.months != 0 {
        return Err(Error::new(
            Code::BadDuration,
            "days, weeks, months and years come whole; write hours for a fraction",
        ));
    }
    let exact = decimal::mul(count, Decimal::from(one.ms))?;
    if !exact.is_integer() {
        return Err(Error::new(Code::BadDuration, "a duration is a whole number of milliseconds; round it first"));
    }
    Duration::default().checked_add(&Duration::from_ms(exact.to_i64().ok_or_else(too_long)?)).map(Val::Duration)
}

fn local(context: &Context<'_>, mut args: Args) -> Result<DateTime, Error> {
    let at = args.instant(context)?;
    let zone = args.zone(context)?;
    civil(at, Some(&zone))
}
