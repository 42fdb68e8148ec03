//! Edges with confidence and time.

use crate::bench::{Bench, Meta, from, valid};
use throughline_protocol::view::RelationView;
use throughline_value::Value;
use throughline_world::At;

const DOMAIN: &str = r#"{"entity_types": {"parcel": {}, "place": {}, "person": {}}, "relations": {
    "at": {"from": ["parcel"], "to": ["place"], "cardinality": "one"},
    "seen_at": {"from": ["parcel"], "to": ["place"], "ttl": "PT1H"},
    "hold": {"confidence_floor": 0.5, "below_floor": "hold"},
    "drop": {"confidence_floor": 0.5, "below_floor": "drop"},
    "keep": {"confidence_floor": 0.5, "below_floor": "keep"},
    "knows": {}}}"#;

fn bench() -> Bench {
    let mut bench = Bench::new(DOMAIN);
    bench.now = 0;
    for (kind, name) in
        [("parcel", "p"), ("parcel", "q"), ("place", "A"), ("place", "B"), ("place", "C"), ("person", "x")]
    {
        bench.run(&format!(r#"{{"type":"register_entity","entity_type":"{kind}","raw_id":"{name}"}}"#)).unwrap();
    }
    bench.now = 1_000;
    bench
}

fn add(from: &str, relation: &str, to: &str, more: &str) -> String {
    format!(r#"{{"type":"add_relation","from":"{from}","relation":"{relation}","to":"{to}"{more}}}"#)
}

/// Where a parcel is, by name.
fn places(bench: &Bench, parcel: &str, at: At) -> Vec<String> {
    let name = |id: &str| bench.world.entity(id, at).unwrap().entity.raw_id;
    bench.world.relations(at, Some(parcel), None).iter().map(|r| name(&r.to)).collect()
}

fn valid_at(bench: &Bench, valid_at: i64) -> At {
    At { valid_at, ..bench.at() }
}

#[test]
fn a_relation_is_seen_from_both_ends_while_it_is_true() {
    let mut bench = bench();
    let id = bench.id(&add("x", "knows", "A", r#","valid_to":3000,"confidence":0.70"#), "relation");
    let views = bench.world.relations(valid_at(&bench, 1_000), None, None);
    assert_eq!(views, bench.world.relations(valid_at(&bench, 1_000), Some("A"), Some("knows")));
    assert_eq!(views, bench.world.relations(valid_at(&bench, 1_000), Some("x"), None));
    let RelationView { confidence, valid_from, valid_to, seq, .. } = views[0].clone();
    assert_eq!((confidence.unwrap().as_str().as_ref(), valid_from, valid_to, seq), ("0.70", 1_000, Some(3_000), 7));
    assert!(bench.world.relations(valid_at(&bench, 1_000), Some("B"), None).is_empty());
    // At the viewed moment, not at now.
    let seen = |bench: &Bench, at: i64| bench.world.relations(valid_at(bench, at), None, None).len();
    assert_eq!([999, 1_000, 2_999, 3_000].map(|at| seen(&bench, at)), [0, 1, 1, 0]);
    bench.now = 2_000;
    bench.run(&format!(r#"{{"type":"end_relation","relation":"{id}"}}"#)).unwrap();
    assert_eq!([1_999, 2_000].map(|at| seen(&bench, at)), [1, 0]);
    assert_eq!(bench.world.relations(At { seq: 7, valid_at: 2_500 }, None, None).len(), 1, "not ended yet by then");
    let again = bench.run(&format!(r#"{{"type":"end_relation","relation":"{id}"}}"#)).unwrap();
    assert_eq!(again.get("unchanged"), Some(&true.into()));
    bench.refused(&Meta::default(), r#"{"type":"end_relation","relation":"r"}"#, "unknown-relation /relation");
}

#[test]
fn with_cardinality_one_the_new_ends_the_old_and_the_late_goes_between() {
    let mut bench = bench();
    let first = bench.with(&valid(100), &add("p", "at", "A", "")).unwrap();
    let third = bench.with(&valid(300), &add("p", "at", "C", "")).unwrap();
    assert_eq!(third.get("ends"), Some(&Value::List(vec![first.get("relation").unwrap().clone()])));
    let known = bench.at().seq;
    bench.with(&valid(200), &add("p", "at", "B", "")).unwrap();
    let check = |at: At, expected: &[&str]| assert_eq!(places(&bench, "p", at), expected, "{at:?}");
    let head = bench.at().seq;
    check(At { seq: head, valid_at: 150 }, &["A"]);
    check(At { seq: head, valid_at: 250 }, &["B"]);
    check(At { seq: head, valid_at: 350 }, &["C"]);
    check(At { seq: known, valid_at: 250 }, &["A"]);
    check(At { seq: head, valid_at: 50 }, &[]);
    assert!(bench.world.relations(valid_at(&bench, 350), Some("q"), None).is_empty());
    let repeated = bench.run(&add("p", "at", "C", "")).unwrap();
    assert_eq!(repeated.get("unchanged"), Some(&true.into()));
}

#[test]
fn a_sighting_lives_as_long_as_the_domain_says_and_a_new_one_lengthens_it() {
    let mut bench = bench();
    bench.with(&valid(0), &add("p", "seen_at", "A", "")).unwrap();
    bench.now = 1_800_000;
    let again = bench.run(&add("p", "seen_at", "A", "")).unwrap();
    assert_eq!(again.get("unchanged"), None);
    let seen = |at: i64| places(&bench, "p", valid_at(&bench, at)).len();
    assert_eq!([0, 1_799_999, 1_800_000, 5_399_999, 5_400_000].map(seen), [1, 1, 1, 1, 0]);
    bench.run(&add("p", "seen_at", "B", r#","ttl":"PT1S""#)).unwrap();
    assert_eq!(places(&bench, "p", valid_at(&bench, 1_800_500)).len(), 2, "many");
    assert_eq!(places(&bench, "p", valid_at(&bench, 1_801_000)), ["A"]);
}

#[test]
fn below_the_floor_the_domain_says_what_happens_and_the_confidence_stays_as_given() {
    let mut bench = bench();
    let mut check = |relation: &str, expected: Option<&str>| {
        bench.run(&add("p", relation, "A", r#","confidence":0.4"#)).unwrap();
        let views = bench.world.relations(bench.at(), None, Some(relation));
        assert_eq!(views[0].flag.as_deref(), expected);
        assert_eq!(views[0].confidence.as_ref().unwrap().as_str(), "0.4");
    };
    check("hold", Some("held"));
    check("keep", Some("below-floor"));
    check("knows", None);
    let none = Meta::default();
    bench.refused(&none, &add("p", "drop", "A", r#","confidence":0.4"#), "below-floor /confidence");
    bench.refused(&none, &add("p", "knows", "A", r#","confidence":1.01"#), "bad-confidence /confidence");
    bench.refused(&none, &add("p", "knows", "A", r#","confidence":-0.1"#), "bad-confidence /confidence");
    assert_eq!(bench.world.problems(bench.at())[0].code, "relation-held");
    // Said again with enough confidence, it stands.
    bench.now += 1;
    bench.run(&add("p", "hold", "A", r#","confidence":0.9"#)).unwrap();
    let views = bench.world.relations(bench.at(), None, Some("hold"));
    assert_eq!((views.len(), views[0].flag.clone()), (1, None));
    // What is held ends nothing.
    bench.now += 1;
    bench.run(&add("p", "hold", "A", r#","confidence":0.3"#)).unwrap();
    let views = bench.world.relations(bench.at(), None, Some("hold"));
    let shown: Vec<_> = views.iter().map(|v| (v.confidence.as_ref().unwrap().to_string(), v.flag.as_deref())).collect();
    assert_eq!(shown, [("0.9".to_owned(), None), ("0.3".to_owned(), Some("held"))]);
}

#[test]
fn relations_are_sorted_by_confidence_then_by_id() {
    let mut bench = bench();
    for (to, more) in
        [("A", r#","confidence":0.5"#), ("B", ""), ("C", r#","confidence":0.9"#), ("q", r#","confidence":0.50"#)]
    {
        bench.run(&add("x", "knows", to, more)).unwrap();
    }
    let views = bench.world.relations(bench.at(), Some("x"), None);
    let shown: Vec<_> = views.iter().map(|v| v.confidence.as_ref().map(|c| c.canonical())).collect();
    assert_eq!(shown[..2], [None, Some("9e-1".to_owned())]);
    assert!(views[2].id < views[3].id);
}

#[test]
fn relations_that_cannot_be_are_refused() {
    let mut bench = bench();
    let none = Meta::default();
    let near = bench.refused(&none, &add("p", "knws", "A", ""), "unknown-relation-type /relation");
    assert_eq!(near.suggestion.as_deref(), Some("did you mean `knows`?"));
    bench.refused(&none, &add("x", "at", "A", ""), "wrong-end /from");
    bench.refused(&none, &add("p", "at", "x", ""), "wrong-end /to");
    bench.refused(&none, &add("z", "at", "A", ""), "unknown-entity /from");
    bench.refused(&none, &add("p", "at", "A", r#","valid_to":1000"#), "empty-interval /valid_to");
    bench.refused(&none, &add("p", "at", "A", r#","ttl":"-PT1H""#), "empty-interval /ttl");
    bench.refused(&none, &add("p", "at", "A", r#","ttl":"an hour""#), "bad-duration /ttl");
    bench.refused(&none, &add("p", "at", "A", r#","valid_to":"2026-03-01T00:00:00""#), "zone-missing /valid_to");
    bench.run(r#"{"type":"retire_entity","entity":"B"}"#).unwrap();
    bench.refused(&none, &add("p", "at", "B", ""), "entity-retired /to");
}

#[test]
fn a_relation_ends_with_the_entity_it_joins() {
    let mut bench = bench();
    bench.run(&add("p", "at", "A", "")).unwrap();
    bench.with(&valid(2_000), r#"{"type":"retire_entity","entity":"A"}"#).unwrap();
    let seen = |at: i64| bench.world.relations(valid_at(&bench, at), Some("p"), None).len();
    assert_eq!([1_500, 2_000].map(seen), [1, 0]);
}

#[test]
fn relations_of_merged_entities_are_those_of_the_one_that_stays() {
    let mut bench = bench();
    bench.with(&valid(100), &add("p", "at", "A", "")).unwrap();
    bench.with(&valid(200), &add("q", "at", "B", "")).unwrap();
    let before = bench.content();
    bench.run(r#"{"type":"merge_entities","keep":"p","merge":"q"}"#).unwrap();
    assert_eq!(places(&bench, "p", bench.at()), ["B"], "one parcel is at one place");
    assert_eq!(places(&bench, "p", valid_at(&bench, 150)), ["A"]);
    bench.run(r#"{"type":"unmerge_entities","merged":"q"}"#).unwrap();
    assert_eq!(bench.content(), before);
    assert_eq!(
        (places(&bench, "p", bench.at()), places(&bench, "q", bench.at())),
        (vec!["A".into()], vec!["B".into()])
    );
}

#[test]
fn the_same_input_again_adds_no_relation() {
    let mut bench = bench();
    bench.with(&from("feed", 1), &add("p", "seen_at", "A", "")).unwrap();
    bench.now += 500;
    let again = bench.with(&from("feed", 1), &add("p", "seen_at", "A", "")).unwrap();
    assert_eq!(again.get("unchanged"), Some(&true.into()));
    bench.with(&from("feed", 2), &add("p", "seen_at", "A", "")).unwrap();
    assert_eq!(bench.journal.head().seq, 8);
}
