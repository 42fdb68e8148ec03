//! Fields by contract, on both axes of time.

use crate::bench::{Bench, Meta, from, ms, valid};
use throughline_value::Value;
use throughline_world::At;

const ORDERS: &str = r#"{"zone": "+08:00", "entity_types": {
    "order": {"id_pattern": "SO-\\d+", "normalise": ["trim", "fold_case"], "fields": {
        "status": {"type": "enum", "values": ["pending", "shipped"], "required": true},
        "count": {"type": "integer"}, "weight": {"type": "decimal", "unit": "kg"}, "paid": {"type": "boolean"},
        "placed": {"type": "instant"}, "window": {"type": "duration"}, "note": {"type": "text"},
        "buyer": {"type": "reference", "to": "person"}, "scans": {"type": "list", "items": {"type": "instant"}},
        "extra": {"type": "any"}}},
    "person": {"fields": {}}}}"#;

fn orders() -> Bench {
    let mut bench = Bench::new(&ORDERS.replace(r"SO-\\d+", r"so-\\d+"));
    bench.run(r#"{"type":"register_entity","entity_type":"person","raw_id":"Bob"}"#).unwrap();
    bench
        .run(r#"{"type":"register_entity","entity_type":"order","raw_id":"SO-1","fields":{"status":"pending"}}"#)
        .unwrap();
    bench
}

/// The field as it is stored, or the code and path of the refusal.
#[track_caller]
fn check(field: &str, value: &str, expected: &str) {
    let mut bench = orders();
    let before = bench.content();
    let update = format!(r#"{{"type":"update_entity","entity":"SO-1","fields":{{"{field}":{value}}}}}"#);
    let found = match bench.run(&update) {
        Ok(_) => bench.field("SO-1", field, bench.at()),
        Err(refusal) => {
            assert_eq!(bench.content(), before);
            format!("{} {}", refusal.code, refusal.path.unwrap_or_default())
        }
    };
    assert_eq!(found, expected, "{field}: {value}");
}

#[test]
fn a_field_is_stored_in_the_form_of_its_type_or_refused_with_its_place() {
    check("status", r#""shipped""#, r#""shipped""#);
    check("status", r#""shiped""#, "not-allowed /fields/status");
    check("status", "null", "wrong-type /fields/status");
    check("count", "3", "3");
    check("count", "3.5", "wrong-type /fields/count");
    check("weight", "91.70", "91.70");
    check("weight", r#"{"value":1,"unit":"g"}"#, "wrong-unit /fields/weight/unit");
    check("paid", "true", "true");
    check("paid", r#""yes""#, "wrong-type /fields/paid");
    check("placed", r#""2026-03-01T09:00:00+08:00""#, r#""2026-03-01T01:00:00Z""#);
    check("placed", r#""2026-02-28T17:00:00-08:00""#, r#""2026-03-01T01:00:00Z""#);
    check("placed", r#""2026-03-01T01:00:00.000000Z""#, r#""2026-03-01T01:00:00Z""#);
    check("placed", "1772326800000", r#""2026-03-01T01:00:00Z""#);
    check("placed", r#""2026-03-01T09:00:00""#, r#""2026-03-01T01:00:00Z""#);
    check("placed", r#""tomorrow""#, "bad-instant /fields/placed");
    check("window", r#""PT30M""#, r#""PT30M""#);
    check("window", r#""half an hour""#, "bad-duration /fields/window");
    check("note", "1", "wrong-type /fields/note");
    check("buyer", r#""Alice""#, "unknown-entity /fields/buyer");
    check("buyer", r#""SO-1""#, "unknown-entity /fields/buyer");
    check("scans", r#"["2026-03-01T09:00:00+08:00"]"#, r#"["2026-03-01T01:00:00Z"]"#);
    check("scans", r#"["soon"]"#, "bad-instant /fields/scans/0");
    check("extra", r#"{"a":[1]}"#, r#"{"a":[1]}"#);
    check("stats", "1", "unknown-field /fields/stats");
}

#[test]
fn a_reference_is_stored_as_an_id_and_the_spelling_of_every_value_is_kept() {
    let mut bench = orders();
    let bob = bench.world.resolve("Bob", None).unwrap();
    bench
        .run(r#"{"type":"update_entity","entity":"SO-1","fields":{"buyer":" Bob","placed":"2026-03-01T09:00:00"}}"#)
        .unwrap();
    assert_eq!(bench.field("SO-1", "buyer", bench.at()), format!("\"{bob}\""));
    assert_eq!(bench.world.original("SO-1", "buyer", bench.at()), Some(" Bob"));
    assert_eq!(bench.world.original("SO-1", "placed", bench.at()), Some("2026-03-01T09:00:00"));
    let record = bench.journal.record(bench.world.why("SO-1", "placed", bench.at()).unwrap()).unwrap();
    assert_eq!(record.data().get("zone_assumed").unwrap().to_json(), r#"["placed"]"#);
    // Another spelling of the same instant is not news.
    let again = r#"{"type":"update_entity","entity":"SO-1","fields":{"placed":"2026-03-01T01:00:00Z"}}"#;
    assert_eq!(bench.run(again).unwrap().get("unchanged"), Some(&true.into()));
}

#[test]
fn a_time_without_a_zone_is_refused_where_the_domain_has_none() {
    let mut bench = Bench::new(r#"{"entity_types":{"order":{"fields":{"placed":{"type":"instant"}}}}}"#);
    let register =
        r#"{"type":"register_entity","entity_type":"order","raw_id":"1","fields":{"placed":"2026-03-01T09:00:00"}}"#;
    bench.refused(&Meta::default(), register, "zone-missing /fields/placed");
}

#[test]
fn registering_is_refused_where_it_breaks_the_contract() {
    let mut bench = orders();
    let mut check = |command: &str, expected: &str| {
        let command = format!(r#"{{"type":"register_entity",{command}}}"#);
        bench.refused(&Meta::default(), &command, expected)
    };
    let near = check(r#""entity_type":"ordre","raw_id":"SO-2""#, "unknown-entity-type /entity_type");
    assert_eq!(near.suggestion.as_deref(), Some("did you mean `order`?"));
    check(r#""entity_type":"order","raw_id":"SO-2""#, "missing-field /fields/status");
    check(r#""entity_type":"order","raw_id":"X2","fields":{"status":"pending"}"#, "bad-raw-id /raw_id");
    check(r#""entity_type":"order","raw_id":"SO-2\nSO-3","fields":{"status":"pending"}"#, "bad-raw-id /raw_id");
    check(r#""entity_type":"person","raw_id":"  ""#, "empty /raw_id");
    check(r#""entity_type":"person","raw_id":"x","aliases":["y",""]"#, "empty /aliases/1");
    check(r#""entity_type":"person","raw_id":"x","fields":{"a~/b":1}"#, "unknown-field /fields/a~0~1b");
    let field =
        check(r#""entity_type":"order","raw_id":"SO-2","fields":{"statsu":"pending"}"#, "unknown-field /fields/statsu");
    assert_eq!(field.suggestion.as_deref(), Some("did you mean `status`?"));
}

#[test]
fn registering_again_adds_what_is_new_and_repeating_changes_nothing() {
    let mut bench = Bench::new("{}");
    let register =
        |fields: &str| format!(r#"{{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{fields}}}"#);
    let first = bench.run(&register(r#"{"x":1}"#)).unwrap();
    assert_eq!((first.get("created"), first.get("version")), (Some(&true.into()), Some(&1.into())));
    let head = bench.journal.head().seq;
    let again = bench.run(&register(r#"{"x":1.0}"#)).unwrap();
    assert_eq!((again.get("created"), again.get("unchanged")), (Some(&false.into()), Some(&true.into())));
    assert_eq!(bench.journal.head().seq, head);
    let more = bench.run(&register(r#"{"x":1,"y":2,"z":null}"#)).unwrap();
    assert_eq!(more.get("version"), Some(&2.into()));
    let record = bench.journal.record(head + 1).unwrap();
    assert_eq!(record.kind, "entity.updated");
    assert_eq!(record.data().get("fields").unwrap().to_json(), r#"{"y":2}"#);
    // The same input, delivered again after another one changed the value.
    bench.with(&from("feed", 7), r#"{"type":"update_entity","entity":"a","fields":{"x":5}}"#).unwrap();
    bench.now += 10;
    bench.with(&from("feed", 8), r#"{"type":"update_entity","entity":"a","fields":{"x":6}}"#).unwrap();
    bench.now += 10;
    let again = bench.with(&from("feed", 7), r#"{"type":"update_entity","entity":"a","fields":{"x":5}}"#).unwrap();
    assert_eq!(again.get("unchanged"), Some(&true.into()));
    assert_eq!(bench.field("a", "x", bench.at()), "6");
}

#[test]
fn another_version_than_the_one_seen_is_refused() {
    let mut bench = Bench::new("{}");
    bench.run(r#"{"type":"register_entity","entity_type":"p","raw_id":"a"}"#).unwrap();
    let update = r#"{"type":"update_entity","entity":"a","fields":{"x":1},"expected_version":1}"#;
    assert_eq!(bench.run(update).unwrap().get("version"), Some(&2.into()));
    let refusal =
        bench.refused(&Meta::default(), &update.replace("\"x\":1", "\"x\":2"), "version-conflict /expected_version");
    assert_eq!(refusal.details.get("version"), Some(&2.into()));
    let retire = r#"{"type":"retire_entity","entity":"a","expected_version":1}"#;
    bench.refused(&Meta::default(), retire, "version-conflict /expected_version");
}

#[test]
fn what_is_learned_late_goes_in_before_what_is_newer() {
    let mut bench = Bench::new("{}");
    bench
        .with(&valid(100), r#"{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{"x":"first"}}"#)
        .unwrap();
    bench.with(&valid(300), r#"{"type":"update_entity","entity":"a","fields":{"x":"third","y":1}}"#).unwrap();
    bench.with(&valid(200), r#"{"type":"update_entity","entity":"a","fields":{"x":"second","z":1}}"#).unwrap();
    let check = |seq: u64, valid_at: i64, expected: &str| {
        assert_eq!(bench.field("a", "x", At { seq, valid_at }), expected, "seq {seq}, valid {valid_at}");
    };
    check(3, 100, r#""first""#);
    check(3, 250, r#""second""#);
    check(3, 300, r#""third""#);
    check(2, 250, r#""first""#);
    check(1, 999, r#""first""#);
    check(3, 99, "-");
    check(0, 999, "-");
    assert_eq!(bench.field("a", "z", At { seq: 3, valid_at: 250 }), "1", "per field");
    assert_eq!(bench.world.why("a", "x", At { seq: 3, valid_at: 250 }), Some(3));
    let detail = bench.world.entity("a", At { seq: 3, valid_at: 999 }).unwrap();
    assert_eq!(detail.versions.iter().map(|v| (v.version, v.seq)).collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 3)]);
    assert_eq!(detail.versions[1].fields.get("z"), None);
    assert_eq!(detail.entity.field_seq.get("x"), Some(&2));
    assert_eq!(bench.world.entity("a", At { seq: 3, valid_at: 99 }).unwrap_err().code, "unknown-entity");
    assert!(bench.world.entities(At { seq: 3, valid_at: 99 }, None).is_empty());
}

#[test]
fn a_confirmation_holds_against_what_arrives_late_between() {
    let mut bench = Bench::new("{}");
    bench.with(&valid(100), r#"{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{"x":"A"}}"#).unwrap();
    bench.with(&valid(300), r#"{"type":"update_entity","entity":"a","fields":{"x":"A"}}"#).unwrap();
    bench.with(&valid(200), r#"{"type":"update_entity","entity":"a","fields":{"x":"B"}}"#).unwrap();
    assert_eq!(bench.field("a", "x", At { seq: 3, valid_at: 250 }), r#""B""#);
    assert_eq!(bench.field("a", "x", At { seq: 3, valid_at: 300 }), r#""A""#);
}

#[test]
fn back_filled_text_takes_its_time_from_its_reference_time() {
    let mut bench = Bench::new("{}");
    bench.now = ms("2026-08-20T10:00:00Z");
    bench.run(r#"{"type":"register_entity","entity_type":"org","raw_id":"Acme"}"#).unwrap();
    let meta = valid(ms("2023-06-01T09:00:00Z"));
    bench
        .with(&meta, r#"{"type":"register_entity","entity_type":"p","raw_id":"Bob","fields":{"employer":"Acme"}}"#)
        .unwrap();
    let at = |valid_at: &str, seq| At { seq, valid_at: ms(valid_at) };
    assert_eq!(bench.field("Bob", "employer", at("2023-07-01T00:00:00Z", 2)), r#""Acme""#);
    assert_eq!(bench.field("Bob", "employer", at("2023-05-01T00:00:00Z", 2)), "-");
    assert_eq!(bench.field("Bob", "employer", at("2023-07-01T00:00:00Z", 1)), "-", "we did not know it yet");
    let record = bench.journal.record(2).unwrap();
    assert_eq!((record.valid_from, record.recorded_at), (ms("2023-06-01T09:00:00Z"), ms("2026-08-20T10:00:00Z")));
}

#[test]
fn null_clears_a_field_and_the_past_keeps_it() {
    let mut bench = Bench::new("{}");
    bench.run(r#"{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{"x":1}}"#).unwrap();
    let before = bench.at();
    bench.now += 1;
    bench.run(r#"{"type":"update_entity","entity":"a","fields":{"x":null}}"#).unwrap();
    assert_eq!((bench.field("a", "x", bench.at()), bench.field("a", "x", before)), ("-".into(), "1".into()));
    assert_eq!(bench.world.why("a", "x", bench.at()), Some(2));
    assert!(bench.world.entities(bench.at(), None)[0].fields.is_empty());
    let again = bench.run(r#"{"type":"update_entity","entity":"a","fields":{"x":null,"y":null}}"#).unwrap();
    assert_eq!(again.get("unchanged"), Some(&true.into()));
}

#[test]
fn an_entity_is_retired_from_a_time_on() {
    let mut bench = Bench::new("{}");
    bench.run(r#"{"type":"register_entity","entity_type":"p","raw_id":"a"}"#).unwrap();
    bench.with(&valid(5_000), r#"{"type":"retire_entity","entity":"a"}"#).unwrap();
    let retired = |bench: &Bench, valid_at| bench.world.entities(At { seq: 2, valid_at }, None)[0].retired;
    assert!(!retired(&bench, 4_999) && retired(&bench, 5_000));
    bench.run(r#"{"type":"update_entity","entity":"a","fields":{"x":1}}"#).unwrap();
    bench.now = 6_000;
    bench.refused(&Meta::default(), r#"{"type":"update_entity","entity":"a","fields":{"x":2}}"#, "entity-retired");
    bench.refused(
        &Meta::default(),
        r#"{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{"x":2}}"#,
        "entity-retired",
    );
    bench.with(&valid(4_000), r#"{"type":"update_entity","entity":"a","fields":{"x":2}}"#).unwrap();
    let again = bench.run(r#"{"type":"retire_entity","entity":"a"}"#).unwrap();
    assert_eq!(again.get("unchanged"), Some(&true.into()));
}

#[test]
fn expressions_find_an_entity_by_id_by_raw_id_and_by_alias() {
    let mut bench = Bench::new("{}");
    let id = bench.id(
        r#"{"type":"register_entity","entity_type":"订单","raw_id":"SF1","aliases":["货"],"fields":{"状态":{"现在":["已签收"]}}}"#,
        "entity",
    );
    let at = bench.at();
    let check = |path: &[&str], expected: Option<&str>| {
        assert_eq!(bench.world.get_path(path, at).map(|v| v.to_json()).as_deref(), expected, "{path:?}");
    };
    check(&["entities", &id, "状态", "现在", "0"], Some(r#""已签收""#));
    check(&["订单", "SF1", "状态", "现在"], Some(r#"["已签收"]"#));
    check(&["订单", "货", "状态", "现在", "0"], Some(r#""已签收""#));
    check(&["订单"], Some(r#"{"SF1":{"状态":{"现在":["已签收"]}}}"#));
    check(&["订单", "SF2"], None);
    check(&["订单", "SF1", "无"], None);
    check(&["人"], None);
    check(&[], None);
    let all = bench.world.env_value(at);
    assert_eq!(all.at(&["entities", &id, "状态"]), bench.world.get_path(&["订单", "SF1", "状态"], at).as_ref());
    assert!(all.at(&["订单", "SF1"]).and_then(Value::as_map).is_some());
}
