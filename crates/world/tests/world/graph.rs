//! Ways, neighbourhoods, what was said of a relation, and what lies upstream.

use throughline_protocol::At;
use throughline_protocol::query::{Neighbourhood, Paths, RelationHistory};

use crate::bench::{Bench, Meta, valid};

fn bench() -> Bench {
    let mut bench = Bench::new(r#"{"relations":{"feeds":{},"leads":{"cardinality":"one"},"near":{"ttl":"PT1H"}}}"#);
    bench.now = 0;
    for name in ["a", "b", "c", "d", "e"] {
        let fields = format!(r#"{{"type":"register_entity","entity_type":"n","raw_id":"{name}","fields":{{"v":1}}}}"#);
        bench.run(&fields).unwrap();
    }
    bench
}

fn relate(bench: &mut Bench, meta: &Meta, from: &str, name: &str, to: &str, more: &str) -> String {
    let command = format!(r#"{{"type":"add_relation","from":"{from}","relation":"{name}","to":"{to}"{more}}}"#);
    let result = bench.with(meta, &command).unwrap_or_else(|refusal| panic!("{refusal}: {command}"));
    result.get("relation").and_then(|id| id.as_str()).unwrap().to_owned()
}

fn names(bench: &Bench, ids: &[String]) -> String {
    let raw = |id: &String| bench.world.entity(id, bench.at()).unwrap().entity.raw_id;
    ids.iter().map(raw).collect::<Vec<_>>().join("")
}

fn ways(bench: &Bench, query: Paths, at: At) -> Vec<String> {
    bench.world.paths(&query, at).unwrap().paths.iter().map(|path| names(bench, &path.entities)).collect()
}

fn from_to(from: &str, to: &str) -> Paths {
    Paths { from: from.to_owned(), to: to.to_owned(), ..Paths::default() }
}

#[test]
fn ways_are_found_the_shortest_and_surest_first_and_never_meet_an_entity_twice() {
    let mut bench = bench();
    for (from, to, sure) in
        [("a", "b", "0.9"), ("b", "d", "0.9"), ("a", "c", "1"), ("c", "d", "0.95"), ("b", "c", "1"), ("d", "a", "1")]
    {
        relate(&mut bench, &Meta::default(), from, "feeds", to, &format!(r#","confidence":{sure}"#));
    }
    let at = bench.at();
    let out = |query: Paths| Paths { direction: Some("out".into()), ..query };
    assert_eq!(ways(&bench, out(from_to("a", "d")), at), ["acd", "abd", "abcd"]);
    assert_eq!(ways(&bench, from_to("a", "d"), at)[0], "ad");
    assert_eq!(ways(&bench, Paths { depth: Some(2), ..out(from_to("a", "d")) }, at), ["acd", "abd"]);
    let one = bench.world.paths(&Paths { limit: Some(1), ..out(from_to("a", "d")) }, at).unwrap();
    assert!(one.more && one.paths.len() == 1);
    assert_eq!(one.paths[0].confidence.as_ref().unwrap().to_string(), "0.95");
    assert_eq!(ways(&bench, out(from_to("a", "e")), at), [""; 0]);
    assert_eq!(ways(&bench, from_to("a", "a"), at), ["a"]);
    assert_eq!(
        bench.world.paths(&Paths { depth: Some(99), ..from_to("a", "d") }, at).unwrap_err().code,
        "out-of-range"
    );
    assert_eq!(bench.world.paths(&from_to("a", "zz"), at).unwrap_err().path.as_deref(), Some("/to"));
    assert_eq!(
        bench.world.paths(&Paths { direction: Some("up".into()), ..from_to("a", "d") }, at).unwrap_err().code,
        "not-allowed"
    );
}

#[test]
fn a_neighbourhood_is_that_of_the_viewed_moment() {
    let mut bench = bench();
    relate(&mut bench, &valid(0), "a", "near", "b", "");
    relate(&mut bench, &valid(0), "b", "feeds", "c", "");
    relate(&mut bench, &valid(0), "c", "feeds", "d", "");
    let around = |bench: &Bench, depth, valid_at| {
        let query = Neighbourhood { entity: "a".into(), depth: Some(depth), ..Neighbourhood::default() };
        let found = bench.world.neighbourhood(&query, At { valid_at, ..bench.at() }).unwrap();
        let ids: Vec<String> = found.entities.iter().map(|entity| entity.id.clone()).collect();
        (names(bench, &ids).len(), found.relations.len(), found.left_out)
    };
    assert_eq!(around(&bench, 1, 10), (2, 1, 0));
    assert_eq!(around(&bench, 3, 10), (4, 3, 0));
    // The relation lives an hour: at that time and not before it is gone, whatever the time is now.
    bench.now = 10 * 3_600_000;
    assert_eq!(around(&bench, 3, 3_599_999), (4, 3, 0));
    assert_eq!(around(&bench, 3, 3_600_000), (1, 0, 0));
    // And by what was known then.
    let early = At { seq: bench.journal.head().seq - 3, valid_at: 10 };
    let query = Neighbourhood { entity: "a".into(), ..Neighbourhood::default() };
    assert_eq!(bench.world.neighbourhood(&query, early).unwrap().entities.len(), 1);
    let query = Neighbourhood { limit: Some(2), depth: Some(3), ..query };
    let found = bench.world.neighbourhood(&query, At { valid_at: 10, ..bench.at() }).unwrap();
    assert_eq!((found.entities.len(), found.relations.len(), found.left_out), (2, 1, 2));
}

#[test]
fn the_history_of_a_relation_says_what_became_of_each_statement() {
    let mut bench = bench();
    relate(&mut bench, &valid(10), "a", "leads", "b", r#","confidence":0.5"#);
    relate(&mut bench, &valid(30), "a", "leads", "c", "");
    let late = relate(&mut bench, &valid(20), "a", "leads", "d", "");
    relate(&mut bench, &valid(90), "a", "leads", "e", "");
    bench.now = 50;
    let all = |bench: &Bench, at: At| -> Vec<String> {
        let query = RelationHistory { entity: "a".into(), ..RelationHistory::default() };
        let said = bench.world.relation_history(&query, at).unwrap();
        let line = |v: &throughline_protocol::view::RelationVersion| {
            format!("{} {}..{:?} {:?}", v.status, v.relation.valid_from, v.relation.valid_to, v.ended_by)
        };
        said.iter().map(line).collect()
    };
    assert_eq!(
        all(&bench, bench.at()),
        [
            "ended 10..Some(20) Some(8)",
            "ended 20..Some(30) Some(7)",
            "current 30..Some(90) Some(9)",
            "future 90..None None",
        ]
    );
    // Before the late one was known.
    assert_eq!(all(&bench, At { seq: 7, valid_at: 50 }), ["ended 10..Some(30) Some(7)", "current 30..None None"]);
    let query = RelationHistory { entity: "d".into(), with: Some("a".into()), ..RelationHistory::default() };
    assert_eq!(bench.world.relation_history(&query, bench.at()).unwrap()[0].relation.id, late);
    // Confidence is as it was given.
    let query = RelationHistory { entity: "b".into(), ..query };
    let query = RelationHistory { with: None, ..query };
    let said = bench.world.relation_history(&query, bench.at()).unwrap();
    assert_eq!(said[0].relation.confidence.as_ref().unwrap().to_string(), "0.5");
}

#[test]
fn upstream_of_a_value_lie_its_record_the_relations_in_and_the_fields_there() {
    let mut bench = bench();
    relate(&mut bench, &Meta::default(), "a", "feeds", "b", "");
    relate(&mut bench, &Meta::default(), "b", "feeds", "c", "");
    relate(&mut bench, &Meta::default(), "c", "feeds", "d", "");
    bench.run(r#"{"type":"update_entity","entity":"c","fields":{"v":2}}"#).unwrap();
    let found = bench.world.upstream("c", "v", bench.at(), None).unwrap();
    let short: Vec<String> = found.iter().map(|u| format!("{} {} {}", u.depth, u.by, u.seq)).collect();
    assert_eq!(
        short,
        [
            "0 value 9",
            "0 entity 3",
            "1 relation 7",
            "1 field 2",
            "1 entity 2",
            "2 relation 6",
            "2 field 1",
            "2 entity 1"
        ]
    );
    // Downstream is no influence, and neither is what came later.
    assert_eq!(bench.world.upstream("c", "v", At { seq: 5, valid_at: 0 }, None).unwrap().len(), 2);
    assert_eq!(bench.world.upstream("c", "v", bench.at(), Some(1)).unwrap().len(), 5);
}
