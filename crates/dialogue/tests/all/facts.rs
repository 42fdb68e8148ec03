//! What the ledger promises, case by case.

use throughline_expr::time::Zone;
use throughline_journal::{Body, Record};
use throughline_protocol::At;
use throughline_value::{Value, json};

use crate::support::{Bench, at, fact, from, no_fact, said};

#[test]
fn facts_under_different_keys_do_not_retire_each_other() {
    let mut bench = Bench::default();
    let assert = |bench: &mut Bench, key: &str, value: &str| {
        let mut command = fact(key, value);
        command.subject = Some("alice".into());
        bench.assert(&at(1), &command).unwrap()
    };
    assert(&mut bench, "works_at", "acme");
    assert(&mut bench, "administers", "billing-server");
    let page = bench.ledger.facts(bench.here(), Some("alice"), None);
    assert_eq!((page.facts.len(), page.hidden.len()), (2, 0));
    let mut command = fact("works_at", "globex");
    command.subject = Some("alice".into());
    bench.assert(&at(5), &command).unwrap();
    let page = bench.ledger.facts(bench.here(), Some("alice"), None);
    assert_eq!((page.facts.len(), page.hidden["superseded"]), (2, 1));
    let history = bench.ledger.history("alice", "works_at", bench.here());
    assert_eq!((history[0].status.as_str(), history[0].ended_by), ("superseded", Some(3)));
}

#[test]
fn a_contradiction_leaves_the_newer_value_and_the_older_version() {
    let mut bench = Bench::default();
    bench.set("opinion:chinese_food", "love");
    bench.now += 1;
    bench.set("opinion:chinese_food", "hate");
    assert_eq!(bench.get("opinion:chinese_food"), Some("hate".into()));
    assert_eq!(bench.story("opinion:chinese_food"), r#"v1 "love" superseded by 2; v2 "hate" current"#);
}

#[test]
fn eight_identical_writes_give_one_version() {
    let mut bench = Bench::default();
    let results: Vec<Value> = (0..8).map(|_| bench.set("city", "Shanghai")).collect();
    assert_eq!((bench.head(), bench.story("city").as_str()), (1, r#"v1 "Shanghai" current"#));
    assert_eq!(results.iter().filter(|r| r.get("unchanged") == Some(&true.into())).count(), 7);
    // From eight places: each is on record, and still there is one version.
    for seq in 0..8 {
        let result = bench.set_at(&from("tab", seq, 1_000), "city", "Shanghai");
        assert_eq!(result.get("unchanged"), Some(&true.into()));
    }
    let page = bench.ledger.facts(bench.here(), None, None);
    assert_eq!((page.facts.len(), page.facts[0].versions), (1, 1));
}

#[test]
fn numbers_are_equal_by_value_and_keep_the_spelling_of_the_first() {
    let mut bench = Bench::default();
    bench.set("budget", json::read_value("20000").unwrap());
    let result = bench.set("budget", json::read_value("20000.0").unwrap());
    assert_eq!(result.to_json(), r#"{"version":1,"unchanged":true,"superseded":null,"late":false}"#);
    assert_eq!(bench.get("budget").unwrap().to_json(), "20000");
}

#[test]
fn empty_values_are_values_and_null_is_not_absence() {
    let mut bench = Bench::default();
    let state = r#"{"a":false,"b":0,"c":"","d":null,"e":[],"f":{},"g":-0.0,"h":9007199254740993}"#;
    for (key, value) in json::read_value(state).unwrap().as_map().unwrap() {
        bench.set(key, value.clone());
    }
    assert_eq!(bench.ledger.snapshot("session", bench.here()).to_json(), state);
    assert_eq!((bench.get("d"), bench.get("z")), (Some(Value::Null), None));
    let null = bench.content();
    bench.retract(&Default::default(), &no_fact("d", None)).unwrap();
    assert_eq!(bench.get("d"), None);
    assert_ne!(bench.content(), null);
}

#[test]
fn a_late_fact_goes_in_before_the_newer_one_and_does_not_replace_it() {
    let mut bench = Bench::default();
    bench.set_at(&at(500), "city", "Beijing");
    let result = bench.set_at(&at(200), "city", "Shanghai");
    assert_eq!(result.to_json(), r#"{"version":2,"unchanged":false,"superseded":null,"late":true}"#);
    assert_eq!(bench.get("city"), Some("Beijing".into()));
    assert_eq!(bench.get_at("city", 300, 2), Some("Shanghai".into()));
    assert_eq!(bench.get_at("city", 300, 1), None, "it was not known yet");
    assert_eq!(bench.get_at("city", 100, 2), None);
    assert_eq!(bench.story("city"), r#"v1 "Beijing" current; v2 "Shanghai" superseded by 1"#);
}

#[test]
fn back_filled_knowledge_is_valid_from_its_reference_time_and_known_from_now() {
    let mut bench = Bench { now: 1_787_220_000_000, ..Bench::default() };
    let june_2023 = 1_685_610_000_000;
    bench.set_at(&at(june_2023), "employer", "Acme");
    let day = 86_400_000;
    assert_eq!(bench.get_at("employer", june_2023 + 30 * day, 1), Some("Acme".into()));
    assert_eq!(bench.get_at("employer", june_2023 - 30 * day, 1), None);
    assert_eq!(bench.get_at("employer", june_2023 + 30 * day, 0), None);
    let view = &bench.ledger.facts(bench.here(), None, None).facts[0];
    assert_eq!((view.valid_from, view.recorded_at), (june_2023, bench.now));
}

#[test]
fn ties_in_valid_time_break_by_source_and_its_number_whatever_the_arrival() {
    let inputs = [("b", 1, "x"), ("a", 2, "y"), ("a", 1, "z"), ("b", 2, "w")];
    let mut digests = Vec::new();
    for rotation in 0..inputs.len() {
        let mut bench = Bench::default();
        for (source, seq, value) in inputs.iter().cycle().skip(rotation).take(inputs.len()) {
            bench.set_at(&from(source, *seq, 100), "k", *value);
        }
        assert_eq!(bench.get("k"), Some("w".into()));
        digests.push(bench.content());
    }
    digests.dedup();
    assert_eq!(digests.len(), 1);
}

#[test]
fn the_same_input_again_changes_nothing() {
    let mut bench = Bench::default();
    bench.set_at(&from("mail", 7, 100), "k", "x");
    bench.set_at(&from("mail", 8, 200), "k", "y");
    let digests = (bench.content(), bench.history());
    let again = bench.set_at(&from("mail", 7, 100), "k", "x");
    assert_eq!(again.get("unchanged"), Some(&true.into()));
    assert_eq!((bench.content(), bench.history()), digests);
}

#[test]
fn a_value_that_was_said_again_comes_back_to_light_when_a_late_one_stands_between() {
    let mut bench = Bench::default();
    bench.set_at(&at(100), "k", 1);
    bench.set_at(&at(300), "k", 1);
    assert_eq!(bench.story("k"), "v1 1 current");
    bench.set_at(&at(200), "k", 2);
    assert_eq!((bench.get("k"), bench.get_at("k", 250, 3)), (Some(1.into()), Some(2.into())));
    assert_eq!(bench.story("k"), "v1 1 superseded by 3; v1 1 current; v2 2 superseded by 2");
}

#[test]
fn a_value_that_several_sources_give_at_once_is_not_forgotten_for_the_first() {
    // b and d say 1, c says 2, all at the same time: d has the last word, in whatever order they come.
    for order in [["b", "c", "d"], ["b", "d", "c"], ["d", "c", "b"], ["c", "d", "b"]] {
        let mut bench = Bench::default();
        for source in order {
            bench.set_at(&from(source, 1, 100), "k", if source == "c" { 2 } else { 1 });
        }
        assert_eq!(bench.get("k"), Some(1.into()), "{order:?}");
    }
}

#[test]
fn a_write_with_an_old_version_is_refused_with_what_stands() {
    let mut bench = Bench::default();
    bench.set("k", "old");
    bench.now += 1;
    bench.set("k", "new");
    let mut command = fact("k", "mine");
    command.expected_version = Some(1);
    let before = (bench.content(), bench.history());
    let refusal = bench.assert(&Default::default(), &command).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("version-conflict", Some("/expected_version")));
    assert_eq!(refusal.details.to_json(), r#"{"expected":1,"version":2,"value":"new"}"#);
    assert_eq!((bench.content(), bench.history()), before);
    command.expected_version = Some(2);
    assert_eq!(bench.assert(&Default::default(), &command).unwrap().get("superseded"), Some(&2.into()));
    let mut none = fact("other", 1);
    none.expected_version = Some(0);
    assert!(bench.assert(&Default::default(), &none).is_ok(), "0 expects that nothing is known");
}

#[test]
fn confidence_source_and_end_are_kept_and_the_end_expires() {
    let mut bench = Bench::default();
    let command = r#"{"type":"assert_fact","key":"offer","value":5,"source":"shop","confidence":0.80,"valid_to":2000}"#;
    bench.run(command).unwrap();
    let view = bench.ledger.facts(bench.here(), None, None).facts.remove(0);
    assert_eq!(
        (view.source.as_deref(), view.confidence.unwrap().as_str().as_ref(), view.valid_to),
        (Some("shop"), "0.80", Some(2_000))
    );
    bench.now = 2_000;
    assert_eq!(bench.get("offer"), None);
    assert_eq!(bench.ledger.facts(bench.here(), None, None).hidden["expired"], 1);
    assert_eq!(bench.story("offer"), "v1 5 expired");
}

#[test]
fn a_retraction_ends_what_is_true_and_is_no_removal() {
    let mut bench = Bench::default();
    bench.set("k", 1);
    bench.now += 1;
    assert_eq!(said(bench.run(r#"{"type":"retract_fact","key":"k"}"#)), r#"{"retracted":[1],"unchanged":false}"#);
    assert_eq!((bench.get("k"), bench.story("k").as_str()), (None, "v1 1 retracted by 2"));
    assert_eq!(bench.get_at("k", bench.now, 1), Some(1.into()), "as it was known before");
    assert_eq!(bench.get_at("k", bench.now - 1, 2), Some(1.into()), "as it was true before");
    assert_eq!(said(bench.run(r#"{"type":"retract_fact","key":"k"}"#)), r#"{"retracted":[],"unchanged":true}"#);
    assert_eq!(said(bench.run(r#"{"type":"retract_fact","key":"kk"}"#)), "unknown-fact at /key");
    bench.now += 1;
    bench.set("k", 1);
    assert_eq!(bench.story("k"), "v1 1 retracted by 2; v2 1 current");
}

const DOMAIN: &str = r#"{"facts": {
    "tags": {"cardinality": "many"},
    "rate": {"cardinality": "interval", "value": {"type": "decimal"}},
    "log": {"cardinality": "append"},
    "size": {"value": {"type": "enum", "values": ["s", "m", "l"]}},
    "weight": {"value": {"type": "decimal", "unit": "kg"}},
    "due": {"value": {"type": "instant"}},
    "odd": {"cardinality": "two"}
}}"#;

#[test]
fn a_key_with_many_values_has_each_or_not() {
    let mut bench = Bench::new(DOMAIN);
    bench.set("tags", "red");
    bench.set("tags", "big");
    bench.set("tags", "red");
    assert_eq!(bench.get("tags").unwrap().to_json(), r#"["red","big"]"#);
    bench.now += 1;
    bench.retract(&Default::default(), &no_fact("tags", Some("red".into()))).unwrap();
    assert_eq!(bench.get("tags").unwrap().to_json(), r#"["big"]"#);
    bench.set("tags", "new");
    bench.now += 1;
    bench.retract(&Default::default(), &no_fact("tags", None)).unwrap();
    assert_eq!(bench.get("tags"), None);
    assert_eq!(bench.story("tags"), r#"v1 "red" retracted by 3; v2 "big" retracted by 5; v3 "new" retracted by 5"#);
}

#[test]
fn a_narrower_interval_covers_a_wider_one_for_its_time() {
    let mut bench = Bench::new(DOMAIN);
    bench.set_at(&at(0), "rate", 5);
    let mut promotion = fact("rate", 3);
    promotion.valid_to = Some(200.into());
    bench.assert(&at(100), &promotion).unwrap();
    let seen: Vec<_> = [50, 150, 250].map(|v| bench.get_at("rate", v, 2).unwrap().to_json()).into();
    assert_eq!(seen, ["5", "3", "5"]);
    bench.now = 150;
    assert_eq!(bench.story("rate"), "v1 5 superseded by 2; v2 3 current");
    bench.now = 250;
    assert_eq!(bench.story("rate"), "v1 5 current; v2 3 expired");
}

#[test]
fn an_appended_key_keeps_everything_in_order() {
    let mut bench = Bench::new(DOMAIN);
    for value in ["called", "called", "wrote"] {
        bench.set("log", value);
    }
    assert_eq!(bench.get("log").unwrap().to_json(), r#"["called","called","wrote"]"#);
    bench.now += 1;
    bench.retract(&Default::default(), &no_fact("log", Some("called".into()))).unwrap();
    assert_eq!(bench.get("log").unwrap().to_json(), r#"["wrote"]"#);
}

#[test]
fn what_the_domain_does_not_allow_is_refused_with_its_place_and_changes_nothing() {
    let mut bench = Bench::new(DOMAIN);
    bench.set("size", "m");
    let before = (bench.content(), bench.history());
    let mut check = |command: &str, expected: &str, hint: &str| {
        let outcome = bench.run(command);
        if let Err(refusal) = &outcome {
            assert!(refusal.to_string().contains(hint), "{refusal}");
        }
        assert_eq!(said(outcome), expected, "{command}");
    };
    check(r#"{"type":"assert_fact","key":"sise","value":"m"}"#, "unknown-fact at /key", "did you mean `size`?");
    check(r#"{"type":"assert_fact","key":"size","value":"xl"}"#, "not-allowed at /value", "l");
    check(r#"{"type":"assert_fact","key":"weight","value":"heavy"}"#, "wrong-type at /value", "number");
    check(r#"{"type":"assert_fact","key":"weight","value":{"value":1,"unit":"g"}}"#, "wrong-unit at /value/unit", "kg");
    check(r#"{"type":"assert_fact","key":"due","value":"soon"}"#, "bad-instant at /value", "RFC 3339");
    check(r#"{"type":"assert_fact","key":"due","value":"2026-03-01T09:00:00"}"#, "zone-missing at /value", "zone");
    check(r#"{"type":"assert_fact","key":"odd","value":1}"#, "unknown-cardinality at /key", "append");
    check(r#"{"type":"assert_fact","key":"size","value":"m","confidence":1.01}"#, "out-of-range at /confidence", "0");
    check(r#"{"type":"assert_fact","key":"size","value":"m","valid_to":1}"#, "empty-interval at /valid_to", "later");
    check(r#"{"type":"assert_fact","key":"size","value":"m","subject":""}"#, "empty-name at /subject", "name");
    check(r#"{"type":"retract_fact","key":"sise"}"#, "unknown-fact at /key", "size");
    assert_eq!((bench.content(), bench.history()), before);
}

#[test]
fn one_instant_in_several_spellings_is_one_version_and_keeps_its_text() {
    let mut bench = Bench::new(DOMAIN);
    let spellings = ["2026-03-01T09:00:00+08:00", "2026-03-01T01:00:00Z", "2026-02-28T17:00:00-08:00"];
    for text in spellings {
        bench.set("due", text);
    }
    bench.zone = Some(Zone::parse("+08:00").unwrap());
    bench.set("due", "2026-03-01T09:00:00");
    assert_eq!((bench.head(), bench.get("due")), (1, Some(spellings[0].into())));
    bench.set("due", "2026-03-01T10:00:00");
    assert_eq!(bench.records[1].data().get("zone_assumed"), Some(&true.into()));
}

#[test]
fn a_record_that_cannot_be_read_is_counted_and_changes_nothing_else() {
    let mut bench = Bench::default();
    bench.set("k", 1);
    let content = bench.content();
    let sample = bench.records[0].clone();
    let bodies = ["null", "[]", r#"{"subject":"session"}"#, r#"{"subject":"session","key":"k","cardinality":"one"}"#];
    for (i, body) in bodies.iter().enumerate() {
        let record = Record { seq: 2 + i as u64, body: Body::Open(json::read_value(body).unwrap()), ..sample.clone() };
        bench.ledger.evolve(&record);
    }
    let erased = Body::Sealed { commitment: String::new(), content: None };
    bench.ledger.evolve(&Record { seq: 6, body: erased, ..sample.clone() });
    bench.ledger.evolve(&Record { seq: 7, kind: "entity.registered".into(), ..sample });
    assert_eq!(bench.ledger.quarantined(6), [2, 3, 4, 5, 6]);
    assert_eq!((bench.content(), bench.get("k")), (content, Some(1.into())));
}

#[test]
fn a_value_explains_itself() {
    let mut bench = Bench::default();
    bench.set("budget", 10);
    bench.now += 1;
    bench.turn = 3;
    bench.run(r#"{"type":"assert_fact","key":"budget","value":20,"source":"user","confidence":0.9}"#).unwrap();
    let why = bench.ledger.why("session", "budget", bench.here()).unwrap();
    assert_eq!(why.value, 20.into());
    let texts: Vec<_> = why.steps.iter().map(|(text, seq)| (text.as_str(), *seq)).collect();
    assert_eq!(
        texts,
        [
            ("`budget` is 20: version 2, asserted from user in turn 3, confidence 0.9", Some(2)),
            ("10 was version 1, superseded by record 2", Some(1)),
        ]
    );
    assert!(bench.ledger.why("session", "nothing", bench.here()).is_none());
}

#[test]
fn a_view_at_a_record_shows_what_stood_there_though_the_ledger_is_ahead() {
    let mut bench = Bench::default();
    bench.set("a", 1);
    bench.set("b", 2);
    bench.now += 1;
    bench.set("a", 3);
    let at = At { seq: 2, valid_at: bench.now };
    assert_eq!(bench.ledger.snapshot("session", at).to_json(), r#"{"a":1,"b":2}"#);
    assert_eq!(bench.ledger.history("session", "a", at).len(), 1);
    assert_eq!(bench.ledger.facts(at, None, Some("a")).facts[0].versions, 1);
}
