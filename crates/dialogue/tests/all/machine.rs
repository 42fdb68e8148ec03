//! The machine, case by case.

use throughline_protocol::At;
use throughline_value::{Value, json};

use crate::support::Bench;

const ORDER: &str = r##"{
    "id": "order", "initial": "BROWSING",
    "states": {
        "BROWSING": {"on": {
            "PROPOSE": {"target": "APPROVAL_PENDING", "guard": "facts.price <= facts.budget", "actions": ["notify"],
                        "reason": "a price within the budget"},
            "LEAVE": "GONE"
        }},
        "APPROVAL_PENDING": {
            "entry": [{"type": "ask", "who": "user"}], "exit": "close_ask",
            "on": {
                "APPROVE": {"target": "COMPLETED", "guard": "event.by == \"user\""},
                "REJECT": [
                    {"target": "GONE", "guard": "event.final"},
                    {"target": "BROWSING"}
                ],
                "NOTE": {"actions": "remember"}
            },
            "after": {"PT30M": "BROWSING"}
        },
        "COMPLETED": {"type": "final"},
        "GONE": {"type": "final", "description": "the customer left"}
    }
}"##;

fn order() -> Bench {
    let mut bench = Bench::default();
    bench.load(ORDER).unwrap();
    bench.set("budget", 100);
    bench.set("price", 90);
    bench
}

fn state(bench: &Bench) -> String {
    bench.machine.state(bench.here()).join(",")
}

fn data(text: &str) -> Value {
    json::read_value(text).unwrap()
}

#[test]
fn a_machine_begins_in_its_initial_state_and_goes_where_its_guards_allow() {
    let mut bench = order();
    assert_eq!(state(&bench), "BROWSING");
    let result = bench.send("PROPOSE", Value::Null).unwrap();
    assert_eq!(result.to_json(), r#"{"state":["APPROVAL_PENDING"],"effects":["notify",{"type":"ask","who":"user"}]}"#);
    let result = bench.send("APPROVE", data(r#"{"by":"user"}"#)).unwrap();
    assert_eq!(result.to_json(), r#"{"state":["COMPLETED"],"effects":["close_ask"]}"#);
    assert!(bench.machine.finished(bench.here()));
}

#[test]
fn a_state_cannot_be_jumped_and_the_refusal_says_what_is_possible_and_is_on_record() {
    let mut bench = order();
    bench.send("PROPOSE", Value::Null).unwrap();
    let (content, head) = (bench.content(), bench.head());
    let refusal = bench.send("COMPLETE", data(r#"{"state":"COMPLETED","tool_call":"pay"}"#)).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("illegal-transition", Some("/event")));
    assert_eq!(
        refusal.details.to_json(),
        r#"{"state":["APPROVAL_PENDING"],"event":"COMPLETE","allowed":["APPROVE","REJECT","NOTE"],"guards":[]}"#
    );
    assert_eq!((state(&bench).as_str(), bench.content(), bench.head()), ("APPROVAL_PENDING", content, head + 1));
    assert_eq!(bench.records.last().unwrap().kind, "machine.refused");
    let view = bench.machine.view(bench.here(), &bench.env());
    let log = view.history.last().unwrap();
    assert_eq!((log.refused, log.event.as_str(), log.seq), (true, "COMPLETE", head + 1));
}

#[test]
fn a_false_guard_refuses_and_says_which() {
    let mut bench = order();
    bench.now += 1;
    bench.set("price", 101);
    let refusal = bench.send("PROPOSE", Value::Null).unwrap_err();
    assert_eq!(refusal.code, "guard-false");
    let expected = r#"[{"guard":"facts.price <= facts.budget","held":false,"error":null}]"#;
    assert_eq!(refusal.details.get("guards").unwrap().to_json(), expected);
    assert_eq!(refusal.details.get("allowed").unwrap().to_json(), r#"["LEAVE"]"#);
    bench.now += 1;
    bench.set("price", "cheap");
    let refusal = bench.send("PROPOSE", Value::Null).unwrap_err();
    assert_eq!(refusal.code, "guard-error", "what cannot be evaluated is not true");
    assert_eq!(state(&bench), "BROWSING");
}

#[test]
fn the_first_way_whose_guard_holds_is_taken() {
    for (answer, expected) in [(r#"{"final":true}"#, "GONE"), (r#"{"final":false}"#, "BROWSING")] {
        let mut bench = order();
        bench.send("PROPOSE", Value::Null).unwrap();
        bench.send("REJECT", data(answer)).unwrap();
        assert_eq!(state(&bench), expected);
    }
}

#[test]
fn a_way_without_target_acts_and_stays() {
    let mut bench = order();
    bench.send("PROPOSE", Value::Null).unwrap();
    let timer = bench.machine.timers(bench.here());
    bench.now += 5;
    let result = bench.send("NOTE", Value::Null).unwrap();
    assert_eq!(result.to_json(), r#"{"state":["APPROVAL_PENDING"],"effects":["remember"]}"#);
    assert_eq!(bench.machine.timers(bench.here()), timer, "its delay goes on");
}

#[test]
fn a_delayed_event_is_due_when_its_state_was_active_so_long_and_goes_with_the_state() {
    let mut bench = order();
    assert!(bench.machine.timers(bench.here()).is_empty());
    bench.send("PROPOSE", Value::Null).unwrap();
    let timers = bench.machine.timers(bench.here());
    let [timer] = timers.as_slice() else { panic!("{timers:?}") };
    assert_eq!((timer.state.as_str(), timer.due), ("APPROVAL_PENDING", bench.now + 1_800_000));
    bench.now = timer.due;
    bench.send(&timer.event, Value::Null).unwrap();
    assert_eq!((state(&bench).as_str(), bench.machine.timers(bench.here()).len()), ("BROWSING", 0));
    assert_eq!(bench.send(&timer.event, Value::Null).unwrap_err().code, "illegal-transition");
}

#[test]
fn a_delayed_event_that_could_not_be_taken_does_not_come_again_until_its_state_is_entered_anew() {
    let mut bench = Bench::default();
    let document = r#"{"initial":"a","states":{
        "a":{"after":{"1000":{"target":"b","guard":"facts.idle"}},"on":{"GO":"b"}},"b":{"on":{"BACK":"a"}}}}"#;
    bench.load(document).unwrap();
    bench.set("idle", false);
    let timer = bench.machine.timers(bench.here()).remove(0);
    bench.now = timer.due;
    let (content, seq) = (bench.content(), bench.machine.view(bench.here(), &bench.env()).seq);
    assert_eq!(bench.send(&timer.event, Value::Null).unwrap_err().code, "guard-false");
    assert_eq!(bench.machine.timers(bench.here()), []);
    assert_eq!((bench.content(), bench.machine.view(bench.here(), &bench.env()).seq), (content, seq));
    bench.send("GO", Value::Null).unwrap();
    bench.send("BACK", Value::Null).unwrap();
    assert_eq!(bench.machine.timers(bench.here())[0].due, bench.now + 1_000);
}

#[test]
fn a_finished_machine_takes_nothing() {
    let mut bench = order();
    bench.send("LEAVE", Value::Null).unwrap();
    let refusal = bench.send("PROPOSE", Value::Null).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.details.get("allowed").unwrap().to_json().as_str()),
        ("illegal-transition", "[]")
    );
    assert!(bench.machine.allowed_events(bench.here(), &bench.env()).is_empty());
}

#[test]
fn a_view_at_a_moment_has_the_state_and_the_history_of_that_moment() {
    let mut bench = order();
    bench.send("PROPOSE", Value::Null).unwrap();
    let then = bench.here();
    bench.send("PAY", Value::Null).unwrap_err();
    bench.send("APPROVE", data(r#"{"by":"user"}"#)).unwrap();
    let view = bench.machine.view(then, &bench.env());
    assert_eq!((view.state.join(","), view.history.len(), view.seq), ("APPROVAL_PENDING".into(), 1, then.seq));
    let open: Vec<_> = view.transitions.iter().map(|t| (t.from.as_str(), t.event.as_str(), t.open)).collect();
    assert!(open.contains(&("APPROVAL_PENDING", "APPROVE", None)), "depends on the event");
    assert!(open.contains(&("APPROVAL_PENDING", "NOTE", Some(true))));
    assert!(open.contains(&("BROWSING", "LEAVE", None)), "not possible here");
    let now = bench.machine.view(bench.here(), &bench.env());
    assert_eq!((now.state.join(","), now.finished, now.history.len()), ("COMPLETED".into(), true, 3));
    assert_eq!(bench.machine.state(At { seq: 0, valid_at: 0 }).len(), 0);
}

const NESTED: &str = r##"{
    "id": "review", "initial": "idle",
    "on": {"ABORT": "#review.aborted"},
    "states": {
        "idle": {"entry": "in_idle", "exit": "out_idle", "on": {"START": "work.deep"}},
        "work": {
            "initial": "first", "entry": "in_work", "exit": "out_work",
            "on": {"INNER": ".second", "AGAIN": {"target": "work", "reenter": true}, "SELF": "work", "BACK": "idle",
                   "SHARED": "idle"},
            "states": {
                "first": {"entry": "in_first", "exit": "out_first", "on": {"NEXT": "second", "SHARED": {"guard": "false"}}},
                "second": {"entry": "in_second", "exit": "out_second"},
                "deep": {
                    "initial": "leaf", "entry": "in_deep", "exit": "out_deep",
                    "states": {"leaf": {"entry": "in_leaf", "exit": "out_leaf", "on": {"UP": "#review.work.first"}}}
                }
            }
        },
        "aborted": {"type": "final"}
    }
}"##;

#[test]
fn entry_and_exit_run_from_inside_out_and_outside_in_up_to_the_innermost_common_state() {
    let mut bench = Bench::default();
    let result = bench.load(NESTED).unwrap();
    assert_eq!(result.get("effects").unwrap().to_json(), r#"["in_idle"]"#);
    let mut check = |event: &str, expected: &str, effects: &str| {
        let result = bench.send(event, Value::Null).unwrap();
        let actions: Vec<&str> =
            result.get("effects").and_then(Value::as_list).unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!((state(&bench).as_str(), actions.join(" ").as_str()), (expected, effects), "{event}");
    };
    check("START", "work.deep.leaf", "out_idle in_work in_deep in_leaf");
    check("UP", "work.first", "out_leaf out_deep in_first");
    check("NEXT", "work.second", "out_first in_second");
    check("INNER", "work.second", "out_second in_second");
    check("SELF", "work.first", "out_second in_first");
    check("AGAIN", "work.first", "out_first out_work in_work in_first");
    check("SHARED", "idle", "out_first out_work in_idle");
    check("ABORT", "aborted", "out_idle");
}

const SIDE_BY_SIDE: &str = r##"{
    "id": "form", "type": "parallel",
    "states": {
        "payment": {"initial": "open", "states": {
            "open": {"exit": "out_open", "on": {"PAY": "paid", "RESET": "open"}},
            "paid": {"type": "final", "entry": "in_paid"}}},
        "papers": {"initial": "missing", "states": {
            "missing": {"on": {"SIGN": {"target": "signed", "guard": "state[0] == \"payment.paid\""}, "RESET": "missing"}},
            "signed": {"type": "final"}}}
    }
}"##;

#[test]
fn the_regions_of_a_parallel_state_go_on_side_by_side_and_end_together() {
    let mut bench = Bench::default();
    assert_eq!(
        bench.load(SIDE_BY_SIDE).unwrap().get("state").unwrap().to_json(),
        r#"["payment.open","papers.missing"]"#
    );
    bench.send("RESET", Value::Null).unwrap();
    assert_eq!(bench.send("SIGN", Value::Null).unwrap_err().code, "guard-false");
    let allowed = bench.machine.allowed_events(bench.here(), &bench.env());
    let allowed: Vec<_> = allowed.iter().map(|a| (a.event.as_str(), a.open)).collect();
    assert_eq!(allowed, [("PAY", Some(true)), ("RESET", Some(true)), ("SIGN", Some(false))]);
    let paid = bench.send("PAY", Value::Null).unwrap();
    assert_eq!(paid.to_json(), r#"{"state":["payment.paid","papers.missing"],"effects":["out_open","in_paid"]}"#);
    assert!(!bench.machine.finished(bench.here()) && bench.machine.in_state("papers", bench.here()));
    bench.send("SIGN", Value::Null).unwrap();
    assert!(bench.machine.finished(bench.here()));
}

#[test]
fn a_history_state_leads_back_to_where_it_was_left() {
    for (history, back) in [("deep", "work.inner.second"), ("shallow", "work.inner.first")] {
        let mut bench = Bench::default();
        let document = format!(
            r#"{{"id":"m","initial":"idle","states":{{
                "idle":{{"on":{{"GO":"work.back"}}}},
                "work":{{"initial":"plain","on":{{"LEAVE":"idle"}},"states":{{
                    "plain":{{"on":{{"IN":"inner"}}}},
                    "inner":{{"initial":"first","states":{{"first":{{"on":{{"NEXT":"second"}}}},"second":{{}}}}}},
                    "back":{{"type":"history","history":"{history}","target":"plain"}}}}}}}}}}"#
        );
        bench.load(&document).unwrap();
        for (event, expected) in [
            ("GO", "work.plain"),
            ("IN", "work.inner.first"),
            ("NEXT", "work.inner.second"),
            ("LEAVE", "idle"),
            ("GO", back),
        ] {
            bench.send(event, Value::Null).unwrap();
            assert_eq!(state(&bench), expected, "{event}");
        }
    }
}

#[test]
fn a_state_is_active_while_one_inside_it_is() {
    let mut bench = Bench::default();
    bench.load(NESTED).unwrap();
    bench.send("START", Value::Null).unwrap();
    let active =
        ["work", "work.deep", "work.deep.leaf", "work.first", "idle"].map(|p| bench.machine.in_state(p, bench.here()));
    assert_eq!(active, [true, true, true, false, false]);
}

#[track_caller]
fn check_load(document: &str, expected: &[(&str, &str)]) {
    let refusal = Bench::default().load(document).unwrap_err();
    let problems = refusal.details.get("problems").and_then(Value::as_list).unwrap();
    let field = |p: &Value, name: &str| p.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let found: Vec<_> = problems.iter().map(|p| (field(p, "code"), field(p, "path"))).collect();
    let expected: Vec<_> = expected.iter().map(|(c, p)| ((*c).to_owned(), (*p).to_owned())).collect();
    assert_eq!(found, expected);
    assert_eq!((refusal.code, refusal.path.unwrap()), expected[0]);
}

#[test]
fn every_problem_of_a_document_is_reported_with_its_place() {
    check_load(
        r#"{"initial":"a","states":{"a":{"on":{"E":[{"target":"a","guard":"1 +"}]}}}}"#,
        &[("expr-syntax", "/machine/states/a/on/E/0/guard")],
    );
    check_load(
        r#"{"states":{"a":{"on":{"E":"b","F":{"target":"c"}}}}}"#,
        &[
            ("missing-initial", "/machine/initial"),
            ("unknown-target", "/machine/states/a/on/E"),
            ("unknown-target", "/machine/states/a/on/F/target"),
        ],
    );
    check_load(r#"{"initial":"b","states":{"a":{}}}"#, &[("unknown-target", "/machine/initial")]);
    check_load(
        r#"{"initial":"a","states":{"a":{"type":"parallel","initial":"x","states":{"x":{}}},"b":{"type":"invoke"}}}"#,
        &[("unknown-field", "/machine/states/a/initial"), ("unknown-type", "/machine/states/b/type")],
    );
    check_load(
        r#"{"initial":"a","states":{"a":{"context":{},"onn":{}}}}"#,
        &[("unsupported-machine", "/machine/states/a/context"), ("unknown-field", "/machine/states/a/onn")],
    );
    check_load(
        r#"{"initial":"a","states":{"a":{"after":{"soon":"a"},"entry":[1]},"x.y":{}}}"#,
        &[
            ("wrong-type", "/machine/states/a/entry/0"),
            ("bad-duration", "/machine/states/a/after/soon"),
            ("bad-name", "/machine/states/x.y"),
        ],
    );
    check_load(
        r#"{"initial":"a","states":{"a":{"type":"final","on":{"E":"a"}}}}"#,
        &[("final-state-goes-on", "/machine/states/a")],
    );
    check_load("[]", &[("wrong-type", "/machine")]);
    check_load("{}", &[("missing-field", "/machine/states")]);
}

#[test]
fn what_is_suspicious_is_found_when_it_is_loaded() {
    let mut bench = Bench::default();
    let document = r#"{"initial":"a","states":{
        "a":{"on":{"E":["b",{"target":"c","guard":"true"}]}}, "b":{}, "c":{"type":"final"},
        "d":{"initial":"x","states":{"x":{"on":{"E":"a"}}}}}}"#;
    bench.load(document).unwrap();
    let found = bench.machine.view(bench.here(), &bench.env()).findings;
    let found: Vec<_> = found.iter().map(|f| (f.code.as_str(), f.path.as_str())).collect();
    assert_eq!(
        found,
        [
            ("shadowed-transition", "/machine/states/a/on/E/1"),
            ("dead-end", "/machine/states/b"),
            ("unreachable-state", "/machine/states/c"),
            ("unreachable-state", "/machine/states/d"),
            ("unreachable-state", "/machine/states/d/states/x"),
        ]
    );
}

#[test]
fn a_guard_over_a_fact_that_the_domain_does_not_have_is_found() {
    let mut bench = Bench::new(r#"{"facts":{"budget":{}}}"#);
    let document = r#"{"initial":"a","states":{"a":{"on":{"E":{"target":"a","guard":"facts.budgett > 1"}}}}}"#;
    bench.load(document).unwrap();
    let found = bench.machine.view(bench.here(), &bench.env()).findings.remove(0);
    assert_eq!((found.code.as_str(), found.path.as_str()), ("unknown-fact", "/machine/states/a/on/E/guard"));
    assert!(found.message.contains("`budget`"), "{}", found.message);
}

#[test]
fn a_new_definition_goes_on_in_the_same_state_or_says_where() {
    let mut bench = order();
    bench.send("PROPOSE", Value::Null).unwrap();
    assert_eq!(bench.load(ORDER).unwrap().get("unchanged"), Some(&true.into()));
    let with = |name: &str, extra: &str| {
        format!(
            r#"{{"id":"order","initial":"START","states":{{"START":{{"on":{{"GO":"{name}"}}}},"{name}":{{}}}}{extra}}}"#
        )
    };
    bench.load(&with("APPROVAL_PENDING", "")).unwrap();
    assert_eq!(state(&bench), "APPROVAL_PENDING");
    let before = bench.history();
    let refusal = bench.load(&with("WAITING", "")).unwrap_err();
    assert_eq!((refusal.code.as_str(), bench.history()), ("state-not-in-machine", before));
    bench.load(&with("WAITING", r#","migrate":{"APPROVAL_PENDING":"WAITING"}"#)).unwrap();
    assert_eq!(state(&bench), "WAITING");
    bench.load(&with("WAITING", "").replace("order", "other")).unwrap();
    assert_eq!(state(&bench), "START", "another machine begins anew");
    bench.load("null").unwrap();
    assert!(!bench.machine.is_loaded(bench.here()));
}

#[test]
fn without_a_machine_there_is_nothing_to_send_to() {
    let mut bench = Bench::default();
    assert_eq!(bench.send("E", Value::Null).unwrap_err().code, "no-machine");
    assert_eq!(bench.head(), 0);
}

#[test]
fn folding_the_records_again_gives_the_same_digests() {
    let mut bench = order();
    bench.send("PROPOSE", Value::Null).unwrap();
    bench.send("PAY", Value::Null).unwrap_err();
    bench.send("REJECT", data(r#"{"final":false}"#)).unwrap();
    let mut again = Bench { now: bench.now, ..Bench::default() };
    for record in &bench.records {
        again.machine.evolve(record);
        again.ledger.evolve(record);
    }
    assert_eq!((again.content(), again.history()), (bench.content(), bench.history()));
}
