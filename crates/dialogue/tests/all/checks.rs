//! What is known of a machine without running it, and the machine as a pure function.

use std::fmt::Write as _;

use throughline_dialogue::{Machine, import_machine};
use throughline_expr::MapEnv;
use throughline_journal::Seq;
use throughline_protocol::At;
use throughline_protocol::domain::FactType;
use throughline_protocol::view::MachineCheck;
use throughline_value::{Named, Value, from_value, json};

use crate::support::{Bench, shared};

const AT: At = At { seq: Seq::MAX, valid_at: 0 };

fn look(machine: &str, facts: &str) -> MachineCheck {
    let facts: Named<FactType> = from_value(&json::read_value(facts).unwrap()).unwrap();
    Machine::default().check(&json::read_value(machine).unwrap(), &facts, AT)
}

/// The findings as `code possible? trace`, one a line, of a machine with one invariant.
fn told(machine: &str, facts: &str) -> Vec<String> {
    let found = look(machine, facts).findings.into_iter().map(|f| {
        let sure = if f.possible { " possible" } else { "" };
        format!("{}{sure}: {}", f.code, f.trace.join("; "))
    });
    found.collect()
}

const ORDER: &str = r#"{"id":"order","initial":"DRAFT","states":{
    "DRAFT":{"on":{"SUBMIT":"PENDING","RUSH":{"target":"PAID","guard":"GUARD"}}},
    "PENDING":{"on":{"APPROVE":"APPROVED","REJECT":"DRAFT"}},
    "APPROVED":{"on":{"PAY":"PAID"}},
    "PAID":{"on":{"SHIP":"DONE","AGAIN":{"target":"PAID","reenter":true}}},
    "DONE":{"type":"final"}},"invariants":["RULE"]}"#;

#[track_caller]
fn check(guard: &str, rule: &str, expected: &[&str]) {
    let facts = r#"{"kind":{"value":{"type":"enum","values":["a","b"]}},"ok":{"value":{"type":"boolean"}},
        "price":{"value":{"type":"decimal"}}}"#;
    let machine = ORDER.replace("GUARD", guard).replace("RULE", rule);
    assert_eq!(told(&machine, facts), expected, "{rule} with {guard}");
}

#[test]
fn an_invariant_is_broken_by_the_shortest_path() {
    let rush = "invariant-broken: DRAFT; RUSH [kind = \"a\"] → PAID";
    check("facts.kind == 'a'", "never PAID without APPROVED before it", &[rush]);
    check("facts.kind == 'a'", "never PAID without APPROVED before", &[rush]);
    check("facts.kind == 'a'", "never event PAY without PENDING before", &[]);
    check("facts.kind == 'a' and facts.kind == 'b'", "never PAID without APPROVED before", &["dead-transition: "]);
    check("facts.ok", "never PAID without event SUBMIT before", &["invariant-broken: DRAFT; RUSH [ok = true] → PAID"]);
    check("facts.ok", "never DONE", &["invariant-broken: DRAFT; RUSH [ok = true] → PAID; SHIP → DONE"]);
    check("facts.ok", "never PENDING after PAID", &[]);
    check(
        "facts.ok",
        "at most once SUBMIT",
        &["invariant-broken: DRAFT; SUBMIT → PENDING; REJECT → DRAFT; SUBMIT → PENDING"],
    );
    check(
        "facts.ok",
        "PAID at most 2 times",
        &["invariant-broken: DRAFT; RUSH [ok = true] → PAID; AGAIN → PAID; AGAIN → PAID"],
    );
}

#[test]
fn what_rests_on_a_guard_that_is_not_known_is_only_possible() {
    check(
        "facts.price > 5",
        "never PAID without APPROVED before",
        &["invariant-broken possible: DRAFT; RUSH → PAID (possible)"],
    );
    check(
        "event.vip",
        "never PAID without APPROVED before",
        &["invariant-broken possible: DRAFT; RUSH → PAID (possible)"],
    );
    // A certain path is told before a shorter possible one.
    check("event.vip", "never PAID", &["invariant-broken: DRAFT; SUBMIT → PENDING; APPROVE → APPROVED; PAY → PAID"]);
}

#[test]
fn what_must_come_comes_where_every_trap_has_it() {
    check("facts.ok", "always eventually DONE", &[]);
    check("facts.ok", "eventually PAID", &[]);
    check("facts.ok", "DRAFT leads to DONE", &[]);
    check("facts.ok", "eventually APPROVED", &["invariant-broken: DRAFT; RUSH [ok = true] → PAID"]);
    check("facts.ok", "always eventually PENDING", &["invariant-broken: DRAFT; RUSH [ok = true] → PAID"]);
    // The one way on has a guard that may never hold.
    let stuck = r#"{"initial":"a","states":{"a":{"on":{"E":{"target":"b","guard":"event.x"}}},"b":{"type":"final"}},
        "invariants":["eventually b"]}"#;
    assert_eq!(told(stuck, "{}"), ["invariant-broken possible: a"]);
}

#[test]
fn an_invariant_that_cannot_be_read_says_what_would_be_read() {
    let machine = |rule: &str| ORDER.replace("GUARD", "true").replace("RULE", rule);
    for (rule, code) in [
        ("PAID is nice", "unknown-invariant"),
        ("never PIAD", "unknown-state"),
        ("never event PAYY", "unknown-event"),
        ("at most many PAID", "unknown-invariant"),
        ("never", "unknown-invariant"),
    ] {
        let found = look(&machine(rule), "{}");
        let codes: Vec<&str> = found.findings.iter().map(|f| f.code.as_str()).collect();
        assert_eq!((codes.as_slice(), found.ok), ([code].as_slice(), false), "{rule}");
    }
}

#[test]
fn a_machine_that_breaks_its_own_invariant_for_certain_is_not_loaded() {
    let mut bench = Bench::new(r#"{"facts":{"ok":{"value":{"type":"boolean"}}}}"#);
    let broken = ORDER.replace("GUARD", "facts.ok").replace("RULE", "never PAID without APPROVED before");
    let refusal = bench.load(&broken).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("invariant-broken", Some("/machine/invariants/0")));
    assert!(refusal.message.contains("RUSH [ok = true]"), "{}", refusal.message);
    assert!(!bench.machine.is_loaded(bench.here()));
    // What is only possible is listed, and loaded.
    let possible = ORDER.replace("GUARD", "event.vip").replace("RULE", "never PAID without APPROVED before");
    let result = bench.load(&possible).unwrap();
    assert_eq!(result.at(&["findings", "0", "possible"]), Some(&true.into()));
}

#[test]
fn ways_that_can_be_open_at_once_are_found_where_they_lead_apart() {
    let facts = r#"{"n":{"value":{"type":"enum","values":[1,2,3]}}}"#;
    let machine = |a: &str, b: &str| {
        format!(
            r#"{{"initial":"s","states":{{"s":{{"on":{{"E":[{{"target":"x","guard":"{a}"}},{{"target":"y","guard":"{b}"}},"s"]}}}},
                "x":{{"type":"final"}},"y":{{"type":"final"}}}}}}"#
        )
    };
    let codes = |a: &str, b: &str| told(&machine(a, b), facts);
    assert_eq!(codes("facts.n == 1", "facts.n >= 2"), [""; 0]);
    assert_eq!(codes("facts.n <= 2", "facts.n >= 2"), ["ambiguous-transition: "]);
    assert_eq!(codes("facts.n <= 2", "event.y"), ["ambiguous-transition possible: "]);
    assert_eq!(
        codes("facts.n <= 3", "facts.n >= 2"),
        ["ambiguous-transition: ", "dead-transition: ", "unreachable-state: "]
    );
}

#[test]
fn transitions_without_an_event_go_on_until_none_is_open_and_no_longer_than_allowed() {
    let mut bench = Bench::new(r#"{"facts":{"sum":{"value":{"type":"decimal"}}}}"#);
    bench.set("sum", 700);
    let machine = r#"{"initial":"a","states":{"a":{"on":{"GO":"check"}},
        "check":{"entry":"look","exit":"leave","always":[{"target":"big","guard":"facts.sum > 500"},{"target":"small"}]},
        "big":{"entry":"warn","always":{"target":"done","guard":"facts.sum > 600"}},"small":{},"done":{"type":"final"}}}"#;
    bench.load(machine).unwrap();
    let result = bench.send("GO", Value::Null).unwrap();
    assert_eq!(result.to_json(), r#"{"state":["done"],"effects":["look","leave","warn"]}"#);
    let endless = r#"{"id":"e","initial":"a","states":{"a":{"always":"b"},"b":{"always":"a"}}}"#;
    assert_eq!(bench.load(endless).unwrap_err().code, "endless-always");
    let later = r#"{"id":"l","initial":"a","states":{"a":{"on":{"GO":"b"}},"b":{"always":"c"},"c":{"always":"b"}}}"#;
    let found = look(later, "{}");
    assert_eq!((found.ok, found.findings[0].code.as_str()), (false, "endless-always"));
}

#[test]
fn the_end_of_what_lies_inside_is_told_to_the_state_around_it() {
    let mut bench = Bench::default();
    let machine = r#"{"initial":"p","states":{"p":{"type":"parallel","onDone":{"target":"q","actions":"all"},"states":{
        "x":{"initial":"a","states":{"a":{"on":{"X":"b"}},"b":{"type":"final"}}},
        "y":{"initial":"a","onDone":{"actions":"y-done"},"states":{"a":{"on":{"Y":"b"}},"b":{"type":"final"}}}}},
        "q":{"invoke":{"src":"mail","id":"m","input":{"to":"x"},"onDone":"r","onError":"p"}},"r":{"type":"final"}}}"#;
    bench.load(machine).unwrap();
    assert_eq!(bench.send("Y", Value::Null).unwrap().get("effects").unwrap().to_json(), r#"["y-done"]"#);
    let result = bench.send("X", Value::Null).unwrap();
    assert_eq!(
        result.to_json(),
        r#"{"state":["q"],"effects":["all",{"type":"invoke","id":"m","src":"mail","input":{"to":"x"}}]}"#
    );
    let result = bench.send("done.invoke.m", Value::Null).unwrap();
    assert_eq!(result.to_json(), r#"{"state":["r"],"effects":[{"type":"cancel","id":"m"}]}"#);
}

#[test]
fn a_transition_is_a_pure_function_of_machine_state_and_event() {
    let mut bench = Bench::default();
    bench.load(&ORDER.replace("GUARD", "event.vip").replace(r#","invariants":["RULE"]"#, "")).unwrap();
    let before = (bench.content(), bench.history());
    let env = MapEnv::new();
    let machine = &bench.machine;
    let go = |state: &str, event: &str, data: &str| {
        let (state, data) = (json::read_value(state).unwrap(), json::read_value(data).unwrap());
        match machine.try_event(&Value::Null, &state, event, &data, AT, &env) {
            Ok(result) => format!("{} {:?}", result.state.join(","), result.events),
            Err(refusal) => refusal.code,
        }
    };
    assert_eq!(go("null", "SUBMIT", "null"), r#"PENDING ["APPROVE", "REJECT"]"#);
    assert_eq!(go("\"APPROVED\"", "PAY", "null"), r#"PAID ["SHIP", "AGAIN"]"#);
    assert_eq!(go("null", "PAY", "null"), "illegal-transition");
    assert_eq!(go("null", "RUSH", r#"{"vip":false}"#), "guard-false");
    assert_eq!(go("{\"state\":[\"DRAFT\"]}", "RUSH", r#"{"vip":true}"#), r#"PAID ["SHIP", "AGAIN"]"#);
    assert_eq!(go("\"NOWHERE\"", "PAY", "null"), "state-not-in-machine");
    assert_eq!(go("[\"DRAFT\",\"PAID\"]", "PAY", "null"), "states-exclude-each-other");
    assert_eq!(go("7", "PAY", "null"), "bad-snapshot");
    assert_eq!((bench.content(), bench.history()), before);
}

#[test]
fn a_saved_snapshot_goes_on_under_a_new_definition_by_its_mapping_or_not_at_all() {
    let machine = Machine::default();
    let new = r#"{"initial":"a","states":{"a":{},"box":{"initial":"in","states":{"in":{},"deep":{},
        "h":{"type":"history","history":"deep"}}}},"migrate":{"old":"box.deep","hist":"box.h","gone":"box.in"}}"#;
    let go = |snapshot: &str| {
        let (new, snapshot) = (json::read_value(new).unwrap(), json::read_value(snapshot).unwrap());
        machine.migrate(&new, &snapshot).map_or_else(|refusal| refusal.code, |value| value.to_json())
    };
    assert_eq!(go(r#""old""#), r#"{"state":["box.deep"]}"#);
    assert_eq!(
        go(r#"{"state":["a"],"remembered":{"hist":["gone"]}}"#),
        r#"{"state":["a"],"remembered":{"box.h":["box.in"]}}"#
    );
    assert_eq!(go(r#"{"state":["a"],"remembered":{"lost":["gone"]}}"#), r#"{"state":["a"],"forgotten":["lost"]}"#);
    assert_eq!(go(r#""unknown""#), "state-not-in-machine");
    assert_eq!(go(r#"["a","old"]"#), "states-exclude-each-other");
}

#[test]
fn ten_thousand_places_are_looked_at() {
    let mut regions = String::new();
    for r in 0..4 {
        let mut states = String::new();
        for s in 0..10 {
            let _ = write!(states, r#""s{s}":{{"on":{{"E{r}":"s{}"}}}},"#, (s + 1) % 10);
        }
        let _ = write!(regions, r#""r{r}":{{"initial":"s0","states":{{{}}}}},"#, states.trim_end_matches(','));
    }
    let machine = format!(
        r#"{{"initial":"p","states":{{"p":{{"type":"parallel","states":{{{}}}}}}},"invariants":["never p.r0.s9 without p.r1.s9 before","always eventually p.r3.s5"]}}"#,
        regions.trim_end_matches(',')
    );
    let start = std::time::Instant::now();
    let found = look(&machine, "{}");
    println!("{} places, {} steps in {:?}", found.states, found.steps, start.elapsed());
    assert_eq!((found.states, found.steps, found.exact), (10_000, 40_000, true));
    assert_eq!(found.findings.len(), 1);
    assert_eq!(found.findings[0].trace.len(), 10);
}

#[test]
fn definitions_of_the_states_language_are_taken_or_refused_as_their_names_say() {
    let Some(folder) = shared().map(|s| s.join("data/c_fsm/asl_definitions")).filter(|f| f.is_dir()) else {
        println!("SKIPPED 1: c_fsm/asl_definitions is not here; set THROUGHLINE_SHARED to the folder of shared data");
        return;
    };
    let structural = [
        ("invalid-missing-terminal-parallel.json", "missing-next"),
        ("invalid-next-with-end.json", "either-field"),
        ("invalid-parallel-missing-branches.json", "missing-field"),
        ("invalid-map-missing-iterator.json", "missing-field"),
        ("invalid-map-tolerated-value.json", "out-of-range"),
        ("invalid-dupe-fields.asl.json", "duplicate-name"),
        ("invalid-duplicate-fields.json", "duplicate-name"),
        ("invalid-fail-dupe-error.json", "either-field"),
        ("invalid-map-distributed.asl.json", "either-field"),
        ("invalid-map-item-batcher-dupe-subfields.json", "either-field"),
        ("invalid-task-timout.json", "either-field"),
    ];
    let (mut taken, mut refused, mut left) = (0, 0, 0);
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let outcome = json::read_value(&text).map_err(|e| e.code().to_owned()).and_then(|definition| {
            import_machine("asl", &definition)
                .map_err(|refusal| format!("{} {}", refusal.code, refusal.path.unwrap_or_default()))
        });
        if name.starts_with("valid-") {
            match outcome.map(|imported| look(&imported.machine.to_json(), "{}")) {
                Ok(found) if found.ok => taken += 1,
                other => wrong.push(format!("{name}: {other:?}")),
            }
        } else if let Some((_, code)) = structural.iter().find(|(n, _)| *n == name) {
            match outcome {
                Err(said) if said.starts_with(code) => refused += 1,
                other => wrong.push(format!("{name}: {other:?}")),
            }
        } else {
            // Expressions, paths and resources of the service are not structure.
            left += 1;
        }
    }
    println!("{taken} taken, {refused} refused, {left} wrong in what is not structure");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(refused, structural.len());
}

/// A machine of so many states in a row, each with a way back to the first.
fn row(states: usize) -> String {
    let mut text = String::from(r#"{"initial":"s0","states":{"#);
    for i in 0..states - 1 {
        let _ = write!(text, r#""s{i}":{{"on":{{"NEXT":"s{}","BACK":"s0"}}}},"#, i + 1);
    }
    let _ = write!(
        text,
        r#""s{}":{{"type":"final"}}}},"invariants":["never s{} without s5 before it"]}}"#,
        states - 1,
        states - 1
    );
    text
}

#[test]
fn a_machine_may_list_ten_thousand_states_and_too_many_are_one_problem() {
    let start = std::time::Instant::now();
    let found = look(&row(10_000), "{}");
    println!("{} listed states, {} steps in {:?}", found.states, found.steps, start.elapsed());
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    assert_eq!((found.states, found.steps, found.exact), (10_000, 19_998, true));
    let codes: Vec<String> = look(&row(20_100), "{}").findings.into_iter().map(|found| found.code).collect();
    assert_eq!(codes, ["too-many-states"]);
}
