//! What repeats, and what comes after and before: every slot once, whatever the clock and the zone do.

use throughline_expr::time::{Zone, format_instant};
use throughline_protocol::domain::ZoneRules;

use crate::bench::{Bench, Meta, ms};

const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const NEW_YORK: &str = "EST5EDT,M3.2.0,M11.1.0";
/// Half an hour of daylight saving.
const LORD_HOWE: &str = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";

fn bench(now: &str) -> Bench {
    let mut bench = Bench::new("{}");
    for (name, rules) in [("Europe/Berlin", BERLIN), ("America/New_York", NEW_YORK), ("Australia/Lord_Howe", LORD_HOWE)]
    {
        let rules = ZoneRules { rules: rules.to_owned(), version: "2025b".to_owned() };
        bench.domain.zones.insert(name.to_owned(), rules);
    }
    bench.now = ms(now);
    bench
}

fn schedule(at: &str, repeat: &str, more: &str) -> String {
    format!(r#"{{"type":"schedule_event","name":"daily","at":"{at}","repeat":{{{repeat}}}{more}}}"#)
}

/// The times at which slots are due until `end`, in the zone, as they fire one after the other.
fn fired(bench: &mut Bench, zone: &str, end: &str) -> Vec<String> {
    let rules = bench.domain.zones[zone].rules.clone();
    let zone = Zone::from_rules(zone, &rules).unwrap();
    let mut out = Vec::new();
    while let Some(next) = bench.world.next_due(i64::MIN).filter(|due| *due <= ms(end)) {
        // The clock comes as it is due; and once more at the same time, which must do nothing.
        let happened = bench.tick(next, None);
        assert_eq!(happened.len(), 1, "{happened:?}");
        assert_eq!(bench.tick(next, None).len(), 0);
        out.push(format_instant(next, Some(&zone)));
    }
    out
}

#[track_caller]
fn check(zone: &str, at: &str, repeat: &str, end: &str, expected: &[&str]) {
    let mut bench = bench("2026-01-01T00:00:00Z");
    bench.run(&schedule(at, &format!(r#""zone":"{zone}",{repeat}"#), "")).unwrap();
    assert_eq!(fired(&mut bench, zone, end), expected);
    // The journal alone says the same, and nothing of it is due again.
    assert_eq!(bench.replayed().next_due(i64::MIN), bench.world.next_due(i64::MIN));
    bench.world = bench.replayed();
    assert_eq!(bench.tick(bench.now, None).len(), 0);
}

#[test]
fn a_daily_slot_keeps_its_time_of_day_over_both_changes_of_clocks() {
    check(
        "Europe/Berlin",
        "2026-03-28T09:00",
        r#""every":"P1D""#,
        "2026-03-30T12:00:00Z",
        &["2026-03-28T09:00:00+01:00", "2026-03-29T09:00:00+02:00", "2026-03-30T09:00:00+02:00"],
    );
    check(
        "Europe/Berlin",
        "2026-10-24T09:00",
        r#""every":"P1D""#,
        "2026-10-26T12:00:00Z",
        &["2026-10-24T09:00:00+02:00", "2026-10-25T09:00:00+01:00", "2026-10-26T09:00:00+01:00"],
    );
    check(
        "America/New_York",
        "2026-03-07T23:30",
        r#""every":"P1D""#,
        "2026-03-10T12:00:00Z",
        &["2026-03-07T23:30:00-05:00", "2026-03-08T23:30:00-04:00", "2026-03-09T23:30:00-04:00"],
    );
}

#[test]
fn a_time_that_is_skipped_shifts_or_is_skipped_and_one_that_comes_twice_fires_once() {
    check(
        "Europe/Berlin",
        "2026-03-28T02:30",
        r#""every":"P1D""#,
        "2026-03-30T12:00:00Z",
        &["2026-03-28T02:30:00+01:00", "2026-03-29T03:30:00+02:00", "2026-03-30T02:30:00+02:00"],
    );
    check(
        "Europe/Berlin",
        "2026-03-28T02:30",
        r#""every":"P1D","gap":"skip""#,
        "2026-03-30T12:00:00Z",
        &["2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00"],
    );
    check(
        "Europe/Berlin",
        "2026-10-24T02:30",
        r#""every":"P1D""#,
        "2026-10-26T12:00:00Z",
        &["2026-10-24T02:30:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"],
    );
    check(
        "Australia/Lord_Howe",
        "2026-10-03T02:15",
        r#""every":"P1D""#,
        "2026-10-05T12:00:00Z",
        &["2026-10-03T02:15:00+10:30", "2026-10-04T02:45:00+11:00", "2026-10-05T02:15:00+11:00"],
    );
}

#[test]
fn hours_are_counted_as_they_pass_and_weeks_and_months_on_the_calendar() {
    check(
        "Europe/Berlin",
        "2026-03-29T00:00",
        r#""every":"PT1H","count":4"#,
        "2026-03-30T00:00:00Z",
        &[
            "2026-03-29T00:00:00+01:00",
            "2026-03-29T01:00:00+01:00",
            "2026-03-29T03:00:00+02:00",
            "2026-03-29T04:00:00+02:00",
        ],
    );
    check(
        "Europe/Berlin",
        "2026-10-25T01:00",
        r#""every":"PT1H","count":4"#,
        "2026-10-26T00:00:00Z",
        &[
            "2026-10-25T01:00:00+02:00",
            "2026-10-25T02:00:00+02:00",
            "2026-10-25T02:00:00+01:00",
            "2026-10-25T03:00:00+01:00",
        ],
    );
    check(
        "Europe/Berlin",
        "2026-01-31T09:00",
        r#""every":"P1M","count":4"#,
        "2027-01-01T00:00:00Z",
        &[
            "2026-01-31T09:00:00+01:00",
            "2026-02-28T09:00:00+01:00",
            "2026-03-31T09:00:00+02:00",
            "2026-04-30T09:00:00+02:00",
        ],
    );
    // 2026-03-26 is a Thursday.
    check(
        "Europe/Berlin",
        "2026-03-26T08:00",
        r#""every":"P1W","weekdays":["mon","thu"],"until":"2026-04-03T00:00""#,
        "2027-01-01T00:00:00Z",
        &["2026-03-26T08:00:00+01:00", "2026-03-30T08:00:00+02:00", "2026-04-02T08:00:00+02:00"],
    );
    check(
        "Europe/Berlin",
        "2026-03-26T08:00",
        r#""every":"P2W","weekdays":["fri","mon"],"count":3"#,
        "2027-01-01T00:00:00Z",
        &["2026-03-27T08:00:00+01:00", "2026-04-06T08:00:00+02:00", "2026-04-10T08:00:00+02:00"],
    );
    check(
        "Europe/Berlin",
        "2026-03-26T08:00",
        r#""every":"P1D","weekdays":["sat","sun"],"count":3"#,
        "2027-01-01T00:00:00Z",
        &["2026-03-28T08:00:00+01:00", "2026-03-29T08:00:00+02:00", "2026-04-04T08:00:00+02:00"],
    );
}

/// Three days pass while nothing ran; what happens then, and when the next slot is.
#[track_caller]
fn missed(policy: &str, idle: bool, expected: &[&str], next: &str) {
    let mut bench = bench("2026-06-01T00:00:00Z");
    bench.run(&schedule("2026-06-01T09:00Z", r#""every":"P1D""#, &format!(r#","missed":"{policy}""#))).unwrap();
    let slept = idle.then_some(bench.now);
    bench.world = bench.replayed();
    let happened = bench.tick(ms("2026-06-03T12:00:00Z"), slept);
    let short: Vec<String> = happened.iter().map(|what| what.replace(" \"daily\"", "")).collect();
    assert_eq!(short, expected, "{policy}");
    assert_eq!(bench.world.next_due(0), Some(ms(next)), "{policy}");
    // Looked at again, also by a copy from the journal and with the clock gone back, nothing more happens.
    assert_eq!(bench.tick(ms("2026-06-03T12:00:01Z"), slept).len(), 0);
    bench.world = bench.replayed();
    assert_eq!(bench.tick(ms("2026-06-01T09:00:00Z"), slept).len(), 0);
    assert_eq!(bench.tick(ms("2026-06-03T12:00:02Z"), slept).len(), 0);
}

#[test]
fn slots_missed_asleep_fire_once_or_all_or_not_and_awake_each_fires() {
    let day = |d: u32| ms(&format!("2026-06-0{d}T09:00:00Z"));
    let hour = 3_600_000;
    let each: Vec<String> =
        (1..=3).map(|d| format!("fired due={} late={}", day(d), (i64::from(3 - d) * 24 + 3) * hour)).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    let newest = [format!("fired due={} late={}", day(3), 3 * hour)];
    missed("once", true, &[&newest[0]], "2026-06-04T09:00:00Z");
    missed("skip", true, &[&format!("skipped due={} late=", day(3))], "2026-06-04T09:00:00Z");
    missed("all", true, &each, "2026-06-04T09:00:00Z");
    for policy in ["once", "skip", "all"] {
        missed(policy, false, &each, "2026-06-04T09:00:00Z");
    }
}

#[test]
fn a_condition_holds_drops_or_lets_pass_every_slot_by_itself() {
    for (policy, expected) in [("hold", "held"), ("drop", "dropped"), ("late", "fired")] {
        let mut bench = bench("2026-06-01T00:00:00Z");
        bench
            .run(&schedule("2026-06-01T09:00Z", r#""every":"P1D""#, &format!(r#","when":"ok","otherwise":"{policy}""#)))
            .unwrap();
        bench.env = throughline_expr::MapEnv::new().with("ok", false);
        assert!(bench.tick(ms("2026-06-01T09:00Z"), None)[0].starts_with(expected));
        let waits = policy == "hold";
        assert_eq!(bench.tick(ms("2026-06-02T09:00Z"), None).len(), usize::from(!waits));
        bench.env = throughline_expr::MapEnv::new().with("ok", true);
        // What was held fires for its own slot, and then the one that fell due meanwhile.
        assert_eq!(bench.tick(ms("2026-06-02T10:00Z"), None).len(), if waits { 2 } else { 0 });
        assert_eq!(bench.world.next_due(0), Some(ms("2026-06-03T09:00Z")));
    }
}

#[test]
fn a_cancelled_event_has_no_further_slot_and_one_fired_by_hand_uses_its_slot() {
    let mut bench = bench("2026-06-01T00:00:00Z");
    let id = bench.id(&schedule("2026-06-01T09:00Z", r#""every":"P1D""#, ""), "event");
    bench.run(&format!(r#"{{"type":"trigger_event","event":"{id}"}}"#)).unwrap();
    assert_eq!(bench.world.next_due(0), Some(ms("2026-06-02T09:00Z")));
    assert_eq!(bench.world.events(bench.at())[0].firings, 1);
    bench.run(&format!(r#"{{"type":"cancel_event","event":"{id}"}}"#)).unwrap();
    assert_eq!(bench.world.next_due(0), None);
    assert_eq!(bench.tick(ms("2027-06-01T09:00Z"), None).len(), 0);
    bench.refused(&Meta::default(), r#"{"type":"cancel_event","event":"daily"}"#, "already-settled /event");
}

#[test]
fn a_repetition_that_cannot_be_is_refused_with_its_place() {
    let mut bench = bench("2026-06-01T00:00:00Z");
    let mut refused = |repeat: &str, more: &str, expected: &str| {
        bench.refused(&Meta::default(), &schedule("2026-06-01T09:00Z", repeat, more), expected);
    };
    refused(r#""every":"P1D","zone":"Europe/Berlim""#, "", "unknown-zone /repeat/zone");
    refused(r#""every":"soon""#, "", "bad-duration /repeat/every");
    refused(r#""every":"PT0S""#, "", "bad-repeat /repeat/every");
    refused(r#""every":"-P1D""#, "", "bad-repeat /repeat/every");
    refused(r#""every":"PT0.5S""#, "", "bad-repeat /repeat/every");
    refused(r#""every":"P1M","weekdays":["mon"]"#, "", "bad-repeat /repeat/weekdays");
    refused(r#""every":"P1W","weekdays":["monday"]"#, "", "bad-repeat /repeat/weekdays/0");
    refused(r#""every":"P1D","count":0"#, "", "bad-repeat /repeat/count");
    refused(r#""every":"P1D","until":"2026-05-01T00:00Z""#, "", "bad-repeat /repeat/until");
    refused(r#""every":"P1D""#, r#","missed":"restart""#, "bad-repeat /missed");
    let no_time = r#"{"type":"schedule_event","name":"x","when":"a","repeat":{"every":"P1D"}}"#;
    bench.refused(&Meta::default(), no_time, "no-trigger /repeat");
}

fn event(name: &str, more: &str) -> String {
    format!(r#"{{"type":"schedule_event","name":"{name}",{more}}}"#)
}

#[test]
fn an_event_comes_after_and_before_others() {
    let mut bench = bench("2026-06-01T00:00:00Z");
    bench.run(&event("order_confirmed", r#""when":"confirmed""#)).unwrap();
    bench.run(&event("shipped", r#""when":"shipped""#)).unwrap();
    bench.run(&event("remind", r#""after":["order_confirmed"],"before":["shipped"]"#)).unwrap();
    bench
        .run(&event("late_change", r#""at":"2026-06-02T00:00Z","after":["order_confirmed"],"before":["shipped"]"#))
        .unwrap();
    let say = |confirmed: bool, shipped: bool| {
        throughline_expr::MapEnv::new().with("confirmed", confirmed).with("shipped", shipped)
    };
    bench.env = say(false, false);
    assert_eq!(bench.tick(ms("2026-06-01T01:00Z"), None).len(), 0);
    bench.env = say(true, false);
    let happened = bench.tick(ms("2026-06-01T02:00Z"), None);
    assert!(happened.iter().any(|what| what.starts_with(r#"fired "order_confirmed""#)), "{happened:?}");
    assert!(happened.iter().any(|what| what.starts_with(r#"fired "remind""#)), "{happened:?}");
    bench.env = say(true, true);
    let happened = bench.tick(ms("2026-06-01T03:00Z"), None);
    assert!(happened.iter().any(|what| what.starts_with(r#"cancelled "late_change""#)), "{happened:?}");
    assert_eq!(bench.tick(ms("2026-06-03T00:00Z"), None).len(), 0);
    bench.refused(&Meta::default(), &event("a", r#""after":["b"],"before":["b"]"#), "never-fires /before/0");
    bench.refused(&Meta::default(), &event("a", r#""after":["a"]"#), "own-event /after/0");
}

#[test]
fn every_slot_fires_exactly_once_whatever_the_clock_does() {
    for seed in 0..40 {
        let mut random = crate::histories::Random(seed);
        let mut bench = bench("2026-03-20T00:00:00Z");
        // Over the change of clocks on the 29th of March.
        let every = ["PT7H", "P1D", "PT90M", "P1W"][random.below(4) as usize];
        let gap = ["shift", "skip"][random.below(2) as usize];
        let rule = format!(r#""every":"{every}","zone":"Europe/Berlin","gap":"{gap}","count":30"#);
        bench.run(&schedule("2026-03-21T02:30", &rule, "")).unwrap();
        let (mut latest, mut slots) = (bench.now, Vec::new());
        for _ in 0..60 {
            // Mostly onwards, sometimes far, sometimes back; and a copy from the journal goes on.
            let step = random.below(40) as i64 * 3_600_000;
            let now = if random.below(4) == 0 { latest - step } else { latest + step / 4 };
            latest = latest.max(now);
            if random.below(3) == 0 {
                bench.world = bench.replayed();
            }
            let head = bench.journal.head().seq;
            bench.tick(now, None);
            for record in bench.journal.records_from(head + 1) {
                assert_eq!(record.kind, "event.fired");
                slots.push(record.data().get("due").and_then(|due| due.as_i64()).unwrap());
            }
        }
        // The same slots, met one by one.
        let mut plain = self::bench("2026-03-20T00:00:00Z");
        plain.run(&schedule("2026-03-21T02:30", &rule, "")).unwrap();
        let mut expected = Vec::new();
        while let Some(due) = plain.world.next_due(i64::MIN).filter(|due| *due <= latest) {
            plain.tick(due, None);
            expected.push(due);
        }
        assert_eq!(slots, expected, "seed {seed}: {every} {gap}");
    }
}
