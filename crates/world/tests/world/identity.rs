//! One thing has one id, whatever it is called; different things are never made one by themselves.

use crate::bench::{Bench, from};
use throughline_value::Value;
use throughline_world::{At, Rules, entity_id};

const ORGANISATIONS: &str = r#"{"entity_types": {
    "Organization": {"normalise": ["trim", "fold_width", "fold_case"]},
    "Person": {"normalise": ["trim", "fold_width", "fold_case"]}}}"#;

#[test]
fn an_id_is_the_type_and_a_hash_that_is_the_same_on_every_machine() {
    let id = entity_id("order", "A-1");
    assert_eq!(&*id, "order_47956334f911a96e");
    assert_ne!(entity_id("order", "A-2"), id);
    assert_ne!(entity_id("orderA", "-1"), id, "type and name cannot run into each other");
}

#[test]
fn spellings_are_made_one_only_by_the_rules_of_the_domain() {
    let check = |rules: Rules, a: &str, b: &str, same: bool| {
        assert_eq!(rules.apply(a) == rules.apply(b), same, "{a:?} and {b:?} by {rules:?}");
    };
    let all = Rules { trim: true, fold_width: true, fold_case: true, nfc: false };
    check(Rules::default(), "A", " A\u{3000}\n", true);
    check(Rules::default(), "A", "a", false);
    check(Rules::default(), "A", "Ａ", false);
    check(all, "ＤＧＩＡ", "dgia", true);
    check(all, "ΟΔΟΣ", "οδος", true);
    check(all, "ЖУК", "жук", true);
    // Never by dropping characters, in any script.
    check(all, "北京公司", "北京分公司", false);
    check(all, "Jose", "José", false);
    check(all, "Zürich", "Zurich", false);
    check(all, "A 1", "A1", false);
    check(all, "ı", "i", false);
    check(all, "か", "が", false);
    check(all, "ｶﾞｿﾘﾝ", "ガソリン", true);
    check(all, "Cafe\u{301}", "café", false);
}

#[test]
fn what_unicode_writes_in_several_ways_is_one_where_the_domain_says_nfc() {
    let nfc = Rules { nfc: true, ..Rules::default() };
    let check = |text: &str, expected: &str| {
        assert_eq!(nfc.apply(text), expected, "{text:?}");
        assert_eq!(nfc.apply(expected), expected, "{expected:?} stays");
    };
    check("Cafe\u{301}", "Café");
    check("\u{212b}", "Å");
    check("A\u{30a}", "Å");
    check("\u{1100}\u{1161}\u{11a8}", "각");
    check("가\u{11a8}", "각");
    check("か\u{3099}", "が");
    // Marks that do not touch each other: the order does not count. Marks that do: it counts.
    check("e\u{302}\u{323}", "ệ");
    check("e\u{323}\u{302}", "ệ");
    check("a\u{301}\u{302}", "á\u{302}");
    check("a\u{302}\u{301}", "ấ");
    // What stays apart although it could be together, and what is only alike.
    check("\u{958}", "\u{915}\u{93c}");
    check("ﬁ①", "ﬁ①");
    check("東京 北京市", "東京 北京市");
    check("q\u{323}\u{307}", "q\u{323}\u{307}");
}

#[test]
fn the_same_name_in_four_episodes_is_one_entity_with_four_mentions() {
    let mut bench = Bench::new(ORGANISATIONS);
    let mut seen = Vec::new();
    for (episode, name) in [(1, "DGIA"), (2, "dgia "), (3, "ＤＧＩＡ"), (4, "DGIA")] {
        let command = format!(r#"{{"type":"register_entity","entity_type":"Organization","raw_id":"{name}"}}"#);
        let result = bench.with(&from("episodes", episode), &command).unwrap();
        seen.push(result.get("entity").cloned().unwrap());
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
    let id = seen[0].as_str().unwrap();
    assert_eq!(bench.world.mentions(id, bench.at()), 4);
    let view = &bench.world.entities(bench.at(), Some("Organization"))[0];
    assert_eq!((view.raw_id.as_str(), view.aliases.clone()), ("DGIA", vec!["dgia ".to_owned(), "ＤＧＩＡ".to_owned()]));

    // The first episode is delivered again.
    let before = (bench.journal.head().seq, bench.history());
    let again = r#"{"type":"register_entity","entity_type":"Organization","raw_id":"DGIA"}"#;
    let result = bench.with(&from("episodes", 1), again).unwrap();
    assert_eq!(result.get("unchanged"), Some(&true.into()));
    assert_eq!((bench.journal.head().seq, bench.history()), before);

    // The person of that name is someone else, and the two are an open question.
    let person = bench.id(r#"{"type":"register_entity","entity_type":"Person","raw_id":"DGIA"}"#, "entity");
    assert_ne!(person, id);
    assert_eq!(bench.world.entities(bench.at(), None).len(), 2);
    let problems = bench.world.problems(bench.at());
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code, "merge-candidate");
    assert_eq!(problems[0].details.get("entities").and_then(Value::as_list).map(<[Value]>::len), Some(2));
    let before_the_person = At { seq: 4, ..bench.at() };
    assert_eq!(bench.world.problems(before_the_person), []);
}

#[test]
fn a_name_that_several_entities_have_is_not_guessed() {
    let mut bench = Bench::new("{}");
    let a = bench.id(r#"{"type":"register_entity","entity_type":"city","raw_id":"Springfield"}"#, "entity");
    let b = bench.id(
        r#"{"type":"register_entity","entity_type":"team","raw_id":"T1","aliases":["Springfield","the nine"]}"#,
        "entity",
    );
    assert_eq!(bench.world.resolve("Springfield", None).as_deref(), Some(&*a), "a raw id goes before an alias");
    assert_eq!(bench.world.resolve("Springfield", Some("team")).as_deref(), Some(&*b));
    assert_eq!(bench.world.resolve(&b, Some("city")), None);
    bench.run(r#"{"type":"register_entity","entity_type":"city","raw_id":"S2","aliases":["the nine"]}"#).unwrap();
    assert_eq!(bench.world.resolve("the nine", None), None);
    let update = r#"{"type":"update_entity","entity":"the nine","fields":{"x":1}}"#;
    let refusal = bench.refused(&from("x", 1), update, "ambiguous-name /entity");
    assert_eq!(refusal.details.get("candidates").and_then(Value::as_list).map(<[Value]>::len), Some(2));
    // By another name of its type it is the same entity.
    let result = bench.run(r#"{"type":"register_entity","entity_type":"team","raw_id":"the nine","fields":{"x":1}}"#);
    assert_eq!(result.unwrap().get("entity").and_then(Value::as_str), Some(&*b));
}

#[test]
fn merging_reads_both_as_one_and_unmerging_gives_back_each_exactly() {
    let mut bench = Bench::new("{}");
    let register = |name: &str, fields: &str| {
        format!(r#"{{"type":"register_entity","entity_type":"person","raw_id":"{name}","fields":{fields}}}"#)
    };
    let a = bench.id(&register("Zhang San", r#"{"phone":"1","city":"Xi'an"}"#), "entity");
    bench.now = 2_000;
    let b = bench.id(&register("张三", r#"{"phone":"2","age":30}"#), "entity");
    let before = bench.content();
    let merge = format!(r#"{{"type":"merge_entities","keep":"{a}","merge":"张三"}}"#);
    assert_eq!(bench.id(&merge, "merge"), b);
    let at = bench.at();
    assert_eq!(bench.field(&a, "phone", at), r#""2""#, "what was valid last");
    assert_eq!(bench.field(&b, "city", at), r#""Xi'an""#, "read by either id");
    assert_eq!(bench.world.resolve("张三", None).as_deref(), Some(&*a));
    assert_eq!(bench.world.why(&a, "age", at), Some(2));
    let detail = bench.world.entity("张三", at).unwrap();
    assert_eq!((detail.entity.id.as_str(), detail.entity.version), (a.as_str(), 2));
    assert_eq!(detail.entity.aliases, ["张三"]);
    let merged = bench.world.entities(at, None).into_iter().find(|e| e.id == b).unwrap();
    assert_eq!(merged.merged_into.as_deref(), Some(&*a));
    assert_eq!(bench.run(&merge).unwrap().get("unchanged"), Some(&true.into()));
    assert_ne!(bench.content(), before);

    // As it was before, seen from after.
    let earlier = At { seq: 2, ..at };
    assert_eq!(bench.field(&a, "phone", earlier), r#""1""#);

    let unmerge = format!(r#"{{"type":"unmerge_entities","merged":"{b}"}}"#);
    bench.run(&unmerge).unwrap();
    assert_eq!(bench.content(), before);
    assert_eq!(bench.field(&a, "phone", bench.at()), r#""1""#);
    assert_eq!(bench.field(&b, "phone", bench.at()), r#""2""#);
    assert_eq!(bench.field(&a, "phone", at), r#""2""#, "and as it was merged, seen from after");
    bench.refused(&from("x", 1), &unmerge, "not-merged /merged");
    assert_eq!(history(&bench), bench.history());
}

fn history(bench: &Bench) -> String {
    crate::bench::history(&bench.replayed())
}

#[test]
fn what_is_said_under_a_merged_name_stays_with_that_name() {
    let mut bench = Bench::new("{}");
    let a = bench.id(r#"{"type":"register_entity","entity_type":"p","raw_id":"a"}"#, "entity");
    let b = bench.id(r#"{"type":"register_entity","entity_type":"p","raw_id":"b"}"#, "entity");
    bench.run(r#"{"type":"merge_entities","keep":"a","merge":"b"}"#).unwrap();
    let result = bench.run(r#"{"type":"update_entity","entity":"b","fields":{"x":1},"expected_version":2}"#).unwrap();
    assert_eq!(result.get("entity").and_then(Value::as_str), Some(&*a));
    assert_eq!(bench.field(&a, "x", bench.at()), "1");
    bench.run(r#"{"type":"unmerge_entities","merged":"b"}"#).unwrap();
    assert_eq!((bench.field(&a, "x", bench.at()), bench.field(&b, "x", bench.at())), ("-".into(), "1".into()));
}

#[test]
fn merges_that_cannot_be_are_refused() {
    let mut bench = Bench::new("{}");
    for (kind, name) in [("p", "a"), ("p", "b"), ("p", "c"), ("q", "d")] {
        bench.run(&format!(r#"{{"type":"register_entity","entity_type":"{kind}","raw_id":"{name}"}}"#)).unwrap();
    }
    let merge = |keep: &str, merge: &str| format!(r#"{{"type":"merge_entities","keep":"{keep}","merge":"{merge}"}}"#);
    let none = from("x", 1);
    bench.refused(&none, &merge("a", "a"), "same-entity /merge");
    bench.refused(&none, &merge("a", "d"), "different-types /merge");
    bench.refused(&none, &merge("a", "e"), "unknown-entity /merge");
    bench.run(&merge("a", "b")).unwrap();
    // A circle cannot come to be: what is merged stands for the one it counts as.
    assert_eq!(bench.run(&merge("b", "a")).unwrap().get("unchanged"), Some(&true.into()));
    bench.run(&merge("c", "b")).unwrap();
    assert_eq!(bench.world.resolve("a", None), bench.world.resolve("c", None));
    bench.run(r#"{"type":"retire_entity","entity":"c"}"#).unwrap();
    bench.run(r#"{"type":"register_entity","entity_type":"p","raw_id":"f"}"#).unwrap();
    bench.refused(&none, &merge("f", "a"), "entity-retired /merge");
}

#[test]
fn a_newer_domain_that_makes_more_spellings_one_finds_what_was_registered_before() {
    let mut bench = Bench::new(r#"{"entity_types":{"p":{}}}"#);
    let register = |name: &str| format!(r#"{{"type":"register_entity","entity_type":"p","raw_id":"{name}"}}"#);
    let id = bench.id(&register("DGIA"), "entity");
    bench.domain = throughline_value::from_value(&crate::bench::read(
        r#"{"entity_types":{"p":{"normalise":["trim","fold_case"]}}}"#,
    ))
    .unwrap();
    assert_eq!(bench.id(&register("Dgia"), "entity"), id);
    // Once something is recorded by the new rules, every name is found by them.
    assert_eq!(bench.world.resolve("dgia", None), None);
    bench.run(&register("other")).unwrap();
    assert_eq!(bench.world.resolve("dgia", None).as_deref(), Some(&*id));
    assert_eq!(crate::bench::history(&bench.replayed()), bench.history());
}

#[test]
fn a_copy_of_the_world_does_not_see_what_changes_later() {
    let mut bench = Bench::new("{}");
    bench.run(r#"{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{"x":1}}"#).unwrap();
    let (copy, history, content) = (bench.world.clone(), bench.history(), bench.content());
    bench.run(r#"{"type":"update_entity","entity":"a","fields":{"x":2}}"#).unwrap();
    bench.run(r#"{"type":"add_relation","from":"a","relation":"r","to":"a"}"#).unwrap();
    bench.run(r#"{"type":"schedule_event","name":"e","at":5}"#).unwrap();
    assert_eq!((crate::bench::history(&copy), crate::bench::content(&copy, bench.now)), (history, content));
}
