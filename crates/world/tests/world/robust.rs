//! The fold takes anything; what does not fit is set aside and changes nothing else.

use crate::bench::{Bench, history, read};
use throughline_journal::{Body, Draft, Record};
use throughline_world::World;

fn full() -> Bench {
    let mut bench = Bench::new("{}");
    for command in [
        r#"{"type":"register_entity","entity_type":"p","raw_id":"a","fields":{"x":1},"aliases":["b"]}"#,
        r#"{"type":"register_entity","entity_type":"p","raw_id":"c"}"#,
        r#"{"type":"update_entity","entity":"a","fields":{"x":2}}"#,
        r#"{"type":"add_relation","from":"a","relation":"knows","to":"c","confidence":0.5,"ttl":"PT1H"}"#,
        r#"{"type":"merge_entities","keep":"a","merge":"c"}"#,
        r#"{"type":"unmerge_entities","merged":"c"}"#,
        r#"{"type":"schedule_event","name":"e","at":2000,"when":"false","unless":"x"}"#,
        r#"{"type":"retire_entity","entity":"c"}"#,
    ] {
        bench.run(command).unwrap();
    }
    let relation = bench.world.relations(throughline_world::At { seq: 4, valid_at: 1_000 }, None, None)[0].id.clone();
    bench.run(&format!(r#"{{"type":"end_relation","relation":"{relation}"}}"#)).unwrap();
    bench.tick(3_000, None);
    bench.run(r#"{"type":"trigger_event","event":"e"}"#).unwrap();
    bench
}

#[test]
fn the_journal_alone_gives_the_same_world() {
    let bench = full();
    assert_eq!(bench.world.quarantined(), 0);
    assert_eq!(history(&bench.replayed()), bench.history());
    assert_eq!(crate::bench::content(&bench.replayed(), bench.now), bench.content());
}

#[test]
fn every_record_without_any_one_of_its_parts_is_folded_or_set_aside() {
    let bench = full();
    let records: Vec<&Record> = (1..=bench.journal.head().seq).map(|seq| bench.journal.record(seq).unwrap()).collect();
    let mut set_aside = 0;
    for (i, record) in records.iter().enumerate() {
        let names: Vec<String> = record.data().as_map().unwrap().keys().cloned().collect();
        for name in &names {
            for broken in [None, Some(read("[1]")), Some(read("\"?\"")), Some(read("{\"?\":null}"))] {
                let mut world = World::default();
                records[..i].iter().for_each(|r| world.evolve(r));
                let before = (history(&world), world.quarantined());
                let mut data = record.data().as_map().unwrap().clone();
                match broken {
                    None => data.shift_remove(name),
                    Some(value) => data.insert(name.clone(), value),
                };
                world.evolve(&Record { body: Body::Open(data.into()), ..(*record).clone() });
                if world.quarantined() > before.1 {
                    set_aside += 1;
                    let mut rest = World::default();
                    records[..i].iter().for_each(|r| rest.evolve(r));
                    assert_eq!(world.entities(bench.at(), None), rest.entities(bench.at(), None));
                    assert_eq!(world.events(bench.at()), rest.events(bench.at()));
                    assert_eq!(world.relations(bench.at(), None, None), rest.relations(bench.at(), None, None));
                }
            }
        }
    }
    assert!(set_aside > 50, "{set_aside}");
}

#[test]
fn an_erased_record_is_set_aside_and_what_follows_still_folds() {
    let mut world = World::default();
    let bench = full();
    for seq in 1..=bench.journal.head().seq {
        let mut record = bench.journal.record(seq).unwrap().clone();
        if seq == 1 {
            record.body = Body::Sealed { commitment: String::new(), content: None };
        }
        world.evolve(&record);
    }
    // The registration, and what names the entity it made: the update, the relation with its end, the merge
    // and its undoing.
    assert_eq!(world.quarantined(), 6);
    assert_eq!(world.entities(bench.at(), None).len(), 1);
    assert_eq!(world.events(bench.at())[0].status, "fired");
    assert_eq!(world.problems(bench.at()).len(), 6);
}

#[test]
fn records_of_other_rooms_are_passed_over() {
    let mut bench = Bench::new("{}");
    let before = bench.history();
    bench.fold(vec![Draft::new("fact.asserted", read("{}")), Draft::new("entity.admired", read("{}"))]);
    assert_eq!((bench.history(), bench.world.quarantined()), (before, 0));
}

#[test]
fn what_is_decided_ahead_does_not_show_at_an_earlier_record() {
    let mut bench = full();
    let (at, seen) = (bench.at(), bench.world.clone());
    bench.now += 1;
    for command in [
        r#"{"type":"update_entity","entity":"a","fields":{"x":3,"y":1}}"#,
        r#"{"type":"register_entity","entity_type":"p","raw_id":"d"}"#,
        r#"{"type":"merge_entities","keep":"d","merge":"a"}"#,
        r#"{"type":"add_relation","from":"a","relation":"knows","to":"d"}"#,
        r#"{"type":"schedule_event","name":"f","at":9}"#,
    ] {
        bench.run(command).unwrap();
    }
    for at in [at, throughline_world::At { valid_at: i64::MAX, ..at }] {
        assert_eq!(bench.world.entities(at, None), seen.entities(at, None));
        assert_eq!(bench.world.relations(at, None, None), seen.relations(at, None, None));
        assert_eq!(bench.world.events(at), seen.events(at));
        assert_eq!(bench.world.env_value(at), seen.env_value(at));
        assert_eq!(bench.world.problems(at), seen.problems(at));
        assert_eq!(bench.world.resolve_at("d", None, at.seq), None);
        assert_eq!(bench.world.mentions("a", at), seen.mentions("a", at));
    }
}

#[test]
fn a_hub_of_many_relations_shows_them_from_both_ends() {
    let mut bench = Bench::new("{}");
    bench.run(r#"{"type":"register_entity","entity_type":"carrier","raw_id":"hub"}"#).unwrap();
    let count = 2_000;
    for i in 0..count {
        let (now, parcel) = (1_000 + i, format!("p{i}"));
        bench.now = now;
        bench.run(&format!(r#"{{"type":"register_entity","entity_type":"parcel","raw_id":"{parcel}"}}"#)).unwrap();
        bench.run(&format!(r#"{{"type":"add_relation","from":"{parcel}","relation":"with","to":"hub"}}"#)).unwrap();
        bench.run(&format!(r#"{{"type":"add_relation","from":"hub","relation":"has","to":"{parcel}"}}"#)).unwrap();
    }
    assert_eq!(bench.world.relations(bench.at(), Some("hub"), None).len(), 2 * count as usize);
    assert_eq!(bench.world.relations(bench.at(), Some("p7"), None).len(), 2);
}

#[test]
fn forged_records_cannot_make_a_circle_of_merges_or_settle_an_event_twice() {
    let mut bench = Bench::new("{}");
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        let command = format!(r#"{{"type":"register_entity","entity_type":"p","raw_id":"{name}"}}"#);
        ids.push(bench.id(&command, "entity"));
    }
    bench.run(r#"{"type":"schedule_event","name":"e","at":1}"#).unwrap();
    bench.tick(2_000, None);
    let fired = Draft::new("event.fired", bench.journal.record(5).unwrap().data().clone());
    let merge = |keep: &str, merged: &str| {
        Draft::new("entity.merged", read(&format!(r#"{{"entity":"{keep}","merged":"{merged}"}}"#)))
    };
    bench.fold(vec![merge(&ids[0], &ids[1]), merge(&ids[2], &ids[0])]);
    let (events, entities) = (bench.world.events(bench.at()), bench.world.entities(bench.at(), None));
    bench.fold(vec![merge(&ids[1], &ids[2]), merge(&ids[2], &ids[2]), merge(&ids[2], &ids[1]), fired]);
    assert_eq!(bench.world.quarantined(), 4);
    assert_eq!((bench.world.events(bench.at()), bench.world.entities(bench.at(), None)), (events, entities));
    assert_eq!(bench.world.resolve("b", None).as_deref(), Some(&*ids[2]));
}
