//! Instants, durations and zones, with a zone whose rules are written out here.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use throughline_expr::time::{
    Duration, Gap, Unit, Zone, add_span, difference, format_instant, parse_duration, parse_instant, slot,
};
use throughline_expr::{Expr, MapEnv};

/// A TZif file (RFC 9636) of one standard time and a rule for the future: Central Europe.
fn berlin() -> Zone {
    let block = |version: &[u8]| {
        let mut out = b"TZif".to_vec();
        out.extend(version);
        out.extend([0; 15]);
        for count in [0u32, 0, 0, 0, 1, 4] {
            out.extend(count.to_be_bytes());
        }
        out.extend(3600i32.to_be_bytes());
        out.extend([0, 0]);
        out.extend(b"CET\0");
        out
    };
    let mut bytes = block(b"2");
    bytes.extend(block(b"2"));
    bytes.extend(b"\nCET-1CEST,M3.5.0,M10.5.0/3\n");
    Zone::from_tzif("Europe/Berlin", &bytes).unwrap()
}

#[track_caller]
fn ms(text: &str) -> i64 {
    parse_instant(text, None).unwrap().ms
}

#[test]
fn texts_are_read_as_instants_or_refused() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let got = match parse_instant(text, None) {
            Ok(reading) => format_instant(reading.ms, None),
            Err(error) => error.code().to_owned(),
        };
        assert_eq!(got, expected, "{text:?}");
    }
    check("2026-03-01T09:00:00+08:00", "2026-03-01T01:00:00Z");
    check(" 2026-03-01 09:00+0800 ", "2026-03-01T01:00:00Z");
    check("2026-03-01t09:00:00z", "2026-03-01T09:00:00Z");
    check("2026-03-01T09:00:00.250Z", "2026-03-01T09:00:00.250Z");
    check("2026-03-01T09:00:00.2509999Z", "2026-03-01T09:00:00.250Z");
    check("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z");
    check("2026-03-01T09:00:00 -05", "2026-03-01T14:00:00Z");
    check("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z");
    check("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z");
    check("2026-02-29T00:00:00Z", "bad-instant");
    check("2026-03-01T25:00:00Z", "bad-instant");
    check("2026-03-01T09:00:00", "zone-missing");
    check("2026-03-01", "zone-missing");
    check("2026-3-1T09:00:00Z", "bad-instant");
    check("2026-03-01T09:00:00+25:00", "bad-instant");
    check("2026-03-01T09:00:00Asia/Shanghai", "bad-instant");
    check("２０２６-03-01T09:00:00Z", "bad-instant");
    check("", "bad-instant");
    check("tomorrow", "bad-instant");
    check(&"2".repeat(1000), "bad-instant");
}

#[test]
fn a_time_without_zone_is_read_in_the_given_one_and_flagged() {
    let zone = Zone::parse("+08:00").unwrap();
    let reading = parse_instant("2026-03-01", Some(&zone)).unwrap();
    assert_eq!((format_instant(reading.ms, None).as_str(), reading.zone_assumed), ("2026-02-28T16:00:00Z", true));
    assert!(!parse_instant("2026-03-01T00:00:00Z", Some(&zone)).unwrap().zone_assumed);

    struct Flagging(std::cell::RefCell<Vec<String>>, Zone);
    impl throughline_expr::Env for Flagging {
        fn get(&self, _: &str) -> Option<throughline_expr::Value> {
            None
        }
        fn zone(&self) -> Option<&Zone> {
            Some(&self.1)
        }
        fn zone_assumed(&self, text: &str) {
            self.0.borrow_mut().push(text.to_owned());
        }
    }
    let env = Flagging(Default::default(), zone);
    Expr::parse("instant(\"2026-03-01 08:00\") < \"2026-03-02T00:00:00Z\"").unwrap().eval(&env).unwrap();
    assert_eq!(*env.0.borrow(), ["2026-03-01 08:00"]);
}

#[test]
fn zones_are_offsets_or_rules_from_the_host() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let got = Zone::parse(text).map_or_else(|error| error.code().to_owned(), |zone| zone.name().to_owned());
        assert_eq!(got, expected, "{text:?}");
    }
    check("Z", "UTC");
    check("utc", "UTC");
    check("+08:00", "+08:00");
    check("+8", "+08:00");
    check("-0530", "-05:30");
    check("+00:00", "UTC");
    check("Europe/Berlin", "bad-zone");
    check("+24:00", "bad-zone");
    check("+8:0", "bad-zone");
    check("", "bad-zone");
    assert_eq!(Zone::from_tzif("X/Y", b"TZif2 and then nothing").unwrap_err().code(), "bad-zone");
    assert_eq!(Zone::fixed(90_000).unwrap_err().code(), "bad-zone");
}

#[test]
fn named_zones_follow_their_rules() {
    let zone = berlin();
    assert_eq!(format_instant(ms("2026-01-01T12:00:00Z"), Some(&zone)), "2026-01-01T13:00:00+01:00");
    assert_eq!(format_instant(ms("2026-07-01T12:00:00Z"), Some(&zone)), "2026-07-01T14:00:00+02:00");
    assert_eq!(zone.offset_at(ms("2026-07-01T12:00:00Z")).unwrap(), 7200);
    // Skipped: as if the clocks had not changed yet. Repeated: the first of the two.
    let read = |text| format_instant(parse_instant(text, Some(&zone)).unwrap().ms, None);
    assert_eq!(read("2026-03-29T02:30:00"), "2026-03-29T01:30:00Z");
    assert_eq!(read("2026-10-25T02:30:00"), "2026-10-25T00:30:00Z");
}

#[test]
fn repeating_slots_shift_or_skip_at_a_change_of_clocks_and_keep_the_day_of_the_month() {
    let zone = berlin();
    let start = ms("2026-03-28T02:30:00+01:00");
    let daily = parse_duration("P1D").unwrap();
    let at =
        |index, gap| slot(start, &daily, index, Some(&zone), gap).unwrap().map(|at| format_instant(at, Some(&zone)));
    assert_eq!(at(0, Gap::Skip).as_deref(), Some("2026-03-28T02:30:00+01:00"));
    assert_eq!(at(1, Gap::Skip), None);
    assert_eq!(at(1, Gap::Shift).as_deref(), Some("2026-03-29T03:30:00+02:00"));
    assert_eq!(at(2, Gap::Skip).as_deref(), Some("2026-03-30T02:30:00+02:00"));
    // An exact duration does not look at clocks.
    let exact = parse_duration("24h").unwrap();
    let later = slot(start, &exact, 1, Some(&zone), Gap::Skip).unwrap().unwrap();
    assert_eq!(format_instant(later, Some(&zone)), "2026-03-29T03:30:00+02:00");
    assert_eq!(later - start, 86_400_000);

    let monthly = parse_duration("P1M").unwrap();
    let start = ms("2026-01-31T09:00:00Z");
    let days: Vec<_> =
        (0..4).map(|i| format_instant(slot(start, &monthly, i, None, Gap::Shift).unwrap().unwrap(), None)).collect();
    assert_eq!(days, ["2026-01-31T09:00:00Z", "2026-02-28T09:00:00Z", "2026-03-31T09:00:00Z", "2026-04-30T09:00:00Z"]);
}

#[test]
fn an_expression_adds_calendar_days_in_its_zone() {
    let env = MapEnv::new().in_zone(berlin()).at(ms("2026-03-28T12:00:00+01:00"));
    let eval = |source: &str| Expr::parse(source).unwrap().eval(&env).unwrap().to_json();
    assert_eq!(eval("now + days(1)"), "\"2026-03-29T12:00:00+02:00\"");
    assert_eq!(eval("now + hours(24)"), "\"2026-03-29T13:00:00+02:00\"");
    assert_eq!(eval("now + months(1) - months(1) == now"), "true");
    assert_eq!(
        eval("format(now, \"%F %T %z %Z %a %b %j %I%p %L %y %%\")"),
        "\"2026-03-28 12:00:00 +01:00 Europe/Berlin Sat Mar 087 12PM 000 26 %\""
    );
    assert_eq!(eval("date(now, \"Europe/Berlin\")"), "\"2026-03-28\"");
}

#[test]
fn durations_are_read_in_iso_and_in_words() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let got = parse_duration(text).map_or_else(|error| error.code().to_owned(), |duration| duration.to_string());
        assert_eq!(got, expected, "{text:?}");
    }
    check("PT24H", "PT24H");
    check("24h", "PT24H");
    check("P1W", "P7D");
    check("1 day, 2 hours", "P1DT2H");
    check("3天12小时", "P3DT12H");
    check("2个月", "P2M");
    check("90秒", "PT1M30S");
    check("250ms", "PT0.250S");
    check("PT0.25S", "PT0.250S");
    check("-1.5h", "-PT1H30M");
    check("P1M-3D", "P1M-3D");
    check("1H", "PT1H");
    check("PT0S", "PT0S");
    check("0 s", "PT0S");
    check("P", "bad-duration");
    check("PT", "bad-duration");
    check("P1H", "bad-duration");
    check("PT1M1H", "bad-duration");
    check("P1.5D", "bad-duration");
    check("1h 2h", "bad-duration");
    check("0.0001s", "bad-duration");
    check("24", "bad-duration");
    check("h", "bad-duration");
    check("--1h", "bad-duration");
    check("", "bad-duration");
    check("9999999999999999999999h", "bad-duration");
}

#[test]
fn months_and_years_between_instants_are_counted_whole_on_the_calendar() {
    #[track_caller]
    fn check(from: &str, to: &str, unit: Unit, expected: &str) {
        assert_eq!(difference(ms(from), ms(to), unit, None).unwrap().normalize().to_string(), expected, "{from} {to}");
    }
    check("2026-01-15T00:00:00Z", "2026-03-15T00:00:00Z", Unit::Months, "2");
    check("2026-01-15T00:00:01Z", "2026-03-15T00:00:00Z", Unit::Months, "1");
    check("2026-03-15T00:00:00Z", "2026-01-15T00:00:01Z", Unit::Months, "-1");
    check("2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z", Unit::Years, "1");
    check("2026-01-01T00:00:00Z", "2026-01-02T12:00:00Z", Unit::Days, "1.5");
    check("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", Unit::Weeks, "-0.1428571428571428571428571429");
}

#[test]
fn the_ends_of_time_are_errors_not_panics() {
    let far = Duration { months: 0, days: 7_000_000, ms: 0 };
    assert_eq!(add_span(ms("2026-01-01T00:00:00Z"), &far, None, Gap::Shift).unwrap_err().code(), "bad-instant");
    assert_eq!(add_span(i64::MAX, &Duration::from_ms(1), None, Gap::Shift).unwrap_err().code(), "bad-instant");
    let years = parse_duration("P9000Y").unwrap();
    assert_eq!(add_span(0, &years, None, Gap::Shift).unwrap_err().code(), "bad-instant");
    assert_eq!(format_instant(i64::MAX, None), format!("@{}", i64::MAX));
    assert_eq!(slot(0, &far, i64::MAX, None, Gap::Shift).unwrap_err().code(), "bad-duration");
    for ms in [i64::MIN, i64::MAX, -377_705_023_201_000, 253_402_207_200_999] {
        let env = MapEnv::new().at(ms);
        for source in [
            "now",
            "now + years(1)",
            "now - years(1)",
            "now - hours(1)",
            "date(now, \"+14:00\")",
            "diff(now, 0 | instant, \"months\")",
        ] {
            let _ = Expr::parse(source).unwrap().eval(&env);
        }
    }
}
