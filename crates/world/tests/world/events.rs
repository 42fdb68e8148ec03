//! What is scheduled, and what happens by itself: once, and never again.

use crate::bench::{Bench, Meta, from, ms, read};
use throughline_expr::Value;
use throughline_protocol::view::EventView;

fn schedule(more: &str) -> String {
    format!(r#"{{"type":"schedule_event","name":"alert",{more}}}"#)
}

fn bench() -> Bench {
    let mut bench = Bench::new("{}");
    bench.now = 0;
    bench
}

fn view(bench: &Bench) -> EventView {
    bench.world.events(bench.at()).pop().unwrap()
}

const MINUTE: i64 = 60_000;

#[test]
fn an_event_fires_at_its_time_once_and_does_what_it_carries() {
    let mut bench = bench();
    let then = r#""delay":"PT30M","data":{"n":1},
        "do":[{"type":"register_entity","entity_type":"alarm","raw_id":"1"},{"type":"schedule_event","name":"next","delay":"PT1M"}]"#;
    bench.run(&schedule(then)).unwrap();
    assert_eq!(bench.world.next_due(0), Some(30 * MINUTE));
    assert_eq!(bench.tick(30 * MINUTE - 1, None), [""; 0]);
    assert_eq!(bench.tick(30 * MINUTE, None), [r#"fired "alert" due=1800000 late=0"#]);
    assert!(bench.world.resolve("1", Some("alarm")).is_some());
    assert_eq!(bench.world.next_due(30 * MINUTE), Some(31 * MINUTE));
    assert_eq!(bench.tick(30 * MINUTE, None), [""; 0]);
    let fired = bench.journal.record(2).unwrap();
    assert_eq!((fired.cause, fired.data().get("data")), (Some(1), Some(&read(r#"{"n":1}"#))));
    assert_eq!((fired.actor.name.as_deref(), fired.reason.as_str()), (Some("alert"), "it is due"));
    // A copy that is rebuilt from the journal has nothing left to fire but the next.
    bench.world = bench.replayed();
    assert_eq!(bench.tick(40 * MINUTE, None), [r#"fired "next" due=1860000 late=540000"#]);
    assert_eq!(bench.world.next_due(0), None);
}

#[test]
fn a_clock_that_steps_back_fires_nothing_twice() {
    let mut bench = bench();
    bench.run(&schedule(r#""at":10"#)).unwrap();
    assert_eq!(bench.tick(20, None).len(), 1);
    assert_eq!(bench.tick(5, None), [""; 0]);
    assert_eq!(bench.tick(10, None), [""; 0]);
}

/// F21: closed at 10:05, restored at 12:00, due at 10:30.
#[track_caller]
fn missed(policy: &str, expected: &[&str], later: &[&str]) {
    let mut bench = Bench::new("{}");
    bench.now = ms("2026-06-01T10:00:00Z");
    bench.run(&schedule(&format!(r#""delay":"PT30M","missed":"{policy}""#))).unwrap();
    bench.tick(ms("2026-06-01T10:05:00Z"), None);
    bench.world = bench.replayed();
    let closed = Some(ms("2026-06-01T10:05:00Z"));
    let (due, late) = (ms("2026-06-01T10:30:00Z"), 90 * MINUTE);
    let fill = |texts: &[&str]| -> Vec<String> {
        texts.iter().map(|t| t.replace("DUE", &due.to_string()).replace("LATE", &late.to_string())).collect()
    };
    assert_eq!(bench.tick(ms("2026-06-01T12:00:00Z"), closed), fill(expected), "{policy}");
    bench.world = bench.replayed();
    assert_eq!(bench.tick(ms("2026-06-01T12:00:00Z"), closed), [""; 0], "restoring twice");
    assert_eq!(bench.tick(ms("2026-06-01T12:29:59Z"), None), [""; 0]);
    let again: Vec<String> =
        later.iter().map(|t| t.replace("AGAIN", &ms("2026-06-01T12:30:00Z").to_string())).collect();
    assert_eq!(bench.tick(ms("2026-06-01T12:30:00Z"), None), again);
}

#[test]
fn what_fell_due_while_nothing_ran_fires_late_is_skipped_or_begins_again() {
    missed("once", &[r#"fired "alert" due=DUE late=LATE"#], &[]);
    missed("skip", &[r#"skipped "alert" due=DUE late="#], &[]);
    missed(
        "restart",
        &[r#"restarted "alert" due=AGAIN late="#.replace("AGAIN", &ms("2026-06-01T12:30:00Z").to_string()).as_str()],
        &[r#"fired "alert" due=AGAIN late=0"#],
    );
}

#[test]
fn an_event_at_a_time_begins_again_after_as_long_as_it_had() {
    let mut bench = bench();
    bench.run(&schedule(r#""at":60000,"missed":"restart""#)).unwrap();
    assert_eq!(bench.tick(10 * MINUTE, Some(50)), [r#"restarted "alert" due=660000 late="#]);
    assert_eq!((view(&bench).status.as_str(), view(&bench).due), ("pending", Some(11 * MINUTE)));
    assert_eq!(bench.journal.record(2).unwrap().data().get("missed_due"), Some(&MINUTE.into()));
}

#[test]
fn what_fell_due_while_someone_looked_or_a_moment_ago_is_not_missed() {
    let check = |now: i64, idle_since: Option<i64>, verb: &str| {
        let mut bench = bench();
        bench.run(&schedule(r#""at":100,"missed":"skip""#)).unwrap();
        let what = bench.tick(now, idle_since);
        assert!(what[0].starts_with(verb), "{what:?} at {now}, idle since {idle_since:?}");
    };
    check(10 * MINUTE, None, "fired");
    check(10 * MINUTE, Some(100), "fired");
    check(10 * MINUTE, Some(99), "skipped");
    check(100 + MINUTE, Some(0), "fired");
    check(101 + MINUTE, Some(0), "skipped");
}

/// X14: due at 2 while pending, shipped at 5.
#[track_caller]
fn late_condition(policy: &str, at_2: &[&str], at_5: &[&str]) {
    let mut bench = bench();
    bench.env.set("status", "pending");
    let text = format!(r#""at":2,"when":"status == \"shipped\"","otherwise":"{policy}""#);
    bench.run(&schedule(&text)).unwrap();
    assert_eq!(bench.tick(1, None), [""; 0]);
    assert_eq!(bench.tick(2, None), at_2, "{policy}");
    assert_eq!(bench.tick(3, None), [""; 0]);
    bench.env.set("status", "shipped");
    assert_eq!(bench.tick(5, None), at_5, "{policy}");
    bench.world = bench.replayed();
    assert_eq!(bench.tick(7, None), [""; 0], "also not after a reload");
}

#[test]
fn due_with_a_false_condition_it_is_held_dropped_or_late() {
    late_condition("hold", &[r#"held "alert" due=2 late="#], &[r#"fired "alert" due=2 late=3"#]);
    late_condition("drop", &[r#"dropped "alert" due=2 late="#], &[]);
    late_condition("late", &[r#"fired "alert" due=2 late=0"#], &[]);
}

#[test]
fn asleep_from_before_its_time_until_its_condition_holds_it_fires_once() {
    let mut bench = bench();
    bench.env.set("status", "pending");
    bench.run(&schedule(r#""at":2,"when":"status == \"shipped\"""#)).unwrap();
    bench.tick(1, None);
    bench.world = bench.replayed();
    bench.env.set("status", "shipped");
    assert_eq!(bench.tick(9, Some(1)), [r#"fired "alert" due=2 late=7"#]);
    assert_eq!((view(&bench).fired_at, view(&bench).late), (Some(9), Some(7)));
    bench.world = bench.replayed();
    assert_eq!(bench.tick(9, Some(7)), [""; 0]);
}

#[test]
fn an_event_without_a_time_fires_as_soon_as_its_condition_holds() {
    let mut bench = bench();
    bench.run(r#"{"type":"register_entity","entity_type":"parcel","raw_id":"SF1","fields":{"scans":0}}"#).unwrap();
    bench.run(&schedule(r#""when":"parcel.SF1.scans > 1""#)).unwrap();
    assert_eq!(bench.tick(1, None), [""; 0]);
    bench.run(r#"{"type":"update_entity","entity":"SF1","fields":{"scans":2}}"#).unwrap();
    assert_eq!(bench.tick(1, None), [r#"fired "alert" due= late="#]);
    bench.run(r#"{"type":"update_entity","entity":"SF1","fields":{"scans":3}}"#).unwrap();
    assert_eq!(bench.tick(2, None), [""; 0]);
}

#[test]
fn unless_cancels_before_its_time_and_when_held() {
    let mut bench = bench();
    bench.env.set("scanned", false);
    bench.run(&schedule(r#""delay":"PT24H","unless":"scanned""#)).unwrap();
    assert_eq!(bench.tick(10, None), [""; 0]);
    bench.env.set("scanned", true);
    assert_eq!(bench.tick(20, None), [r#"cancelled "alert" due=86400000 late="#]);
    assert_eq!(bench.tick(86_400_000, None), [""; 0]);
    let view = view(&bench);
    assert_eq!((view.status.as_str(), view.last_seq, view.seq), ("cancelled", 2, 1));
}

#[test]
fn a_condition_that_cannot_be_evaluated_counts_as_false_and_says_why() {
    let mut bench = bench();
    bench.run(&schedule(r#""at":2,"when":"nobody.knows","unless":"1 + 1""#)).unwrap();
    bench.tick(2, None);
    let held = bench.journal.record(2).unwrap();
    assert_eq!(held.kind, "event.held");
    for part in ["`nobody.knows` counts as false: unknown-name", "`1 + 1` counts as false: not-boolean"] {
        assert!(held.reason.contains(part), "{}", held.reason);
    }
    assert_eq!(bench.world.problems(bench.at())[0].code, "event-held");
    assert_eq!(bench.tick(3, None), [""; 0], "held is recorded once");
}

#[test]
fn events_happen_in_the_order_of_their_times_and_one_may_stop_the_next() {
    let mut bench = bench();
    let cancel = r#"{"type":"schedule_event","name":"second","at":20}"#;
    bench.run(cancel).unwrap();
    bench
        .run(r#"{"type":"schedule_event","name":"first","at":10,"do":[{"type":"cancel_event","event":"second"}]}"#)
        .unwrap();
    assert_eq!(bench.tick(30, None), [r#"fired "first" due=10 late=20"#]);
    let statuses: Vec<String> = bench.world.events(bench.at()).into_iter().map(|e| e.status).collect();
    assert_eq!(statuses, ["cancelled", "fired"]);
}

#[test]
fn the_list_of_what_is_due_is_in_order_and_names_each_event_once() {
    let mut bench = bench();
    bench.env.set("yes", true);
    for (name, more) in
        [("c", r#""when":"yes""#), ("b", r#""at":2,"when":"yes","unless":"not yes""#), ("a", r#""at":1"#)]
    {
        bench.run(&format!(r#"{{"type":"schedule_event","name":"{name}",{more}}}"#)).unwrap();
    }
    bench.now = 5;
    let meta = Meta::default();
    let actor = throughline_journal::Actor::of(throughline_journal::ActorKind::Rule);
    let due = bench.world.due(&bench.context(&meta, &actor), &bench.env, None);
    let names: Vec<_> =
        due.iter().map(|d| d.draft.data.get("name").and_then(Value::as_str).unwrap().to_owned()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn schedules_that_cannot_be_are_refused_with_their_place() {
    let mut bench = bench();
    let mut check = |more: &str, expected: &str| bench.refused(&Meta::default(), &schedule(more), expected);
    check(r#""data":1"#, "no-trigger");
    check(r#""at":1,"delay":"PT1S""#, "two-times /delay");
    check(r#""delay":"soon""#, "bad-duration /delay");
    check(r#""delay":"-PT1S""#, "bad-duration /delay");
    check(r#""at":"2026-06-01T10:00:00""#, "zone-missing /at");
    let bad = check(r#""at":1,"when":"status == ""#, "expr-syntax /when");
    assert_eq!(bad.span.map(|span| span.start), Some(10));
    check(r#""at":1,"unless":"no_such()""#, "unknown-function /unless");
    let many = vec![r#"{"type":"tick"}"#; 65].join(",");
    check(&format!(r#""at":1,"do":[{many}]"#), "too-many /do");
}

#[test]
fn an_event_is_fired_or_cancelled_by_hand_until_it_is_settled() {
    let mut bench = bench();
    let id = bench.id(&schedule(r#""at":100,"when":"false","do":[{"type":"tick"}]"#), "event");
    bench.now = 150;
    let trigger = format!(r#"{{"type":"trigger_event","event":"{id}"}}"#);
    assert_eq!(bench.run(&trigger).unwrap().get("fired_at"), Some(&150.into()));
    assert_eq!(bench.world.commands_of(&id).len(), 1);
    let settled = bench.refused(&Meta::default(), &trigger, "already-settled /event");
    assert_eq!(settled.details.get("status").and_then(Value::as_str), Some("fired"));
    bench.refused(&Meta::default(), r#"{"type":"cancel_event","event":"alert"}"#, "already-settled /event");
    let near = bench.refused(&Meta::default(), r#"{"type":"cancel_event","event":"alerts"}"#, "unknown-event /event");
    assert_eq!(near.suggestion, None, "what is settled is no suggestion");
    assert_eq!(bench.tick(200, None), [""; 0]);
    // Scheduled again, by name.
    bench.run(&schedule(r#""at":300"#)).unwrap();
    bench.run(&schedule(r#""at":400"#)).unwrap();
    bench.refused(&Meta::default(), r#"{"type":"cancel_event","event":"alert"}"#, "ambiguous-name /event");
    assert_eq!(bench.tick(300, None).len(), 1);
    bench.run(r#"{"type":"cancel_event","event":"alert"}"#).unwrap();
    assert_eq!(bench.world.next_due(0), None);
}

#[test]
fn the_same_schedule_again_is_the_same_event_while_it_is_open() {
    let mut bench = bench();
    let again = schedule(r#""at":100"#);
    let first = bench.id(&again, "event");
    let result = bench.run(&again).unwrap();
    assert_eq!(
        (result.get("event").and_then(Value::as_str), result.get("unchanged")),
        (Some(&*first), Some(&true.into()))
    );
    bench.tick(100, None);
    let second = bench.id(&again, "event");
    assert_ne!(first, second);
    // The same input, delivered later, is the same event whatever became of it.
    let delayed = schedule(r#""delay":"PT1S""#);
    bench.with(&from("feed", 1), &delayed).unwrap();
    bench.tick(5_000, None);
    let result = bench.with(&from("feed", 1), &delayed).unwrap();
    assert_eq!(result.get("unchanged"), Some(&true.into()));
}

#[test]
fn events_are_seen_as_they_were() {
    let mut bench = bench();
    bench.run(&schedule(r#""at":2,"when":"false""#)).unwrap();
    bench.tick(3, None);
    bench.run(r#"{"type":"cancel_event","event":"alert"}"#).unwrap();
    let status = |seq| bench.world.events(throughline_world::At { seq, valid_at: 3 }).pop().map(|e| e.status);
    assert_eq!([0, 1, 2, 3].map(status), [None, Some("pending".into()), Some("held".into()), Some("cancelled".into())]);
}

#[test]
fn what_was_held_is_not_missed_when_the_clock_has_stepped_back() {
    let mut bench = bench();
    bench.env.set("ready", false);
    bench.run(&schedule(r#""at":100,"when":"ready","missed":"skip""#)).unwrap();
    assert_eq!(bench.tick(200, None), [r#"held "alert" due=100 late="#]);
    assert_eq!(bench.tick(50, None), [""; 0]);
    bench.env.set("ready", true);
    assert_eq!(bench.tick(10 * MINUTE, Some(50)), [r#"fired "alert" due=100 late=599900"#]);
}
