//! Random histories against what is obvious.

use proptest::prelude::*;
use throughline_journal::{Millis, Origin, Seq};
use throughline_world::At;

use crate::bench::{Bench, Meta, content};

/// One input: says a value of a field of an entity, at a valid time, from a source.
#[derive(Clone, Debug)]
struct Input {
    entity: u8,
    field: u8,
    value: Option<u8>,
    valid_from: Millis,
    origin: Origin,
}

fn inputs(count: usize) -> impl Strategy<Value = Vec<Input>> {
    let one = (0..3u8, 0..2u8, proptest::option::weighted(0.85, 0..3u8), 0..6i64, 0..2u8);
    proptest::collection::vec(one, 1..count).prop_map(|list| {
        let numbered = list.into_iter().enumerate();
        numbered
            .map(|(i, (entity, field, value, valid_from, source))| Input {
                entity,
                field,
                value,
                valid_from,
                origin: Origin { source: format!("s{source}"), seq: i as u64 },
            })
            .collect()
    })
}

fn meta(input: &Input) -> Meta {
    Meta { valid_from: Some(input.valid_from), origin: Some(input.origin.clone()) }
}

fn start() -> Bench {
    let mut bench = Bench::new("{}");
    bench.now = 1;
    for name in 0..3 {
        let command = format!(r#"{{"type":"register_entity","entity_type":"t","raw_id":"e{name}"}}"#);
        bench.with(&Meta { valid_from: Some(-1), origin: None }, &command).unwrap();
    }
    bench
}

fn say(bench: &mut Bench, input: &Input) {
    bench.now += 1;
    let value = input.value.map_or_else(|| "null".to_owned(), |v| v.to_string());
    let (e, f) = (input.entity, input.field);
    let command = format!(r#"{{"type":"update_entity","entity":"e{e}","fields":{{"f{f}":{value}}}}}"#);
    bench.with(&meta(input), &command).unwrap();
}

/// By looking at every input that was there by then.
fn naive(inputs: &[(Seq, &Input)], entities: &[u8], field: u8, at: At) -> Option<u8> {
    let known = inputs.iter().filter(|(seq, i)| {
        *seq <= at.seq && i.valid_from <= at.valid_at && entities.contains(&i.entity) && i.field == field
    });
    known.max_by_key(|(seq, i)| (i.valid_from, i.origin.clone(), *seq)).and_then(|(_, i)| i.value)
}

fn shown(bench: &Bench, entity: u8, field: u8, at: At) -> Option<u8> {
    let value = bench.world.get_path(&["t", &format!("e{entity}"), &format!("f{field}")], at);
    value.and_then(|v| v.as_i64()).and_then(|v| u8::try_from(v).ok())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn as_of_any_moment_is_what_a_fold_of_the_inputs_gives(inputs in inputs(40)) {
        let mut bench = start();
        let mut said: Vec<(Seq, &Input)> = Vec::new();
        for input in &inputs {
            let before = bench.journal.head().seq;
            say(&mut bench, input);
            // Every one of them is news: none comes twice, and each is dated.
            prop_assert_eq!(bench.journal.head().seq, before + 1);
            said.push((before + 1, input));
        }
        let head = bench.journal.head().seq;
        for seq in 0..=head {
            for valid_at in -2..7 {
                let at = At { seq, valid_at };
                for (entity, field) in (0..3).flat_map(|e| (0..2).map(move |f| (e, f))) {
                    let there = seq > u64::from(entity) && valid_at >= -1;
                    let expected = naive(&said, &[entity], field, at).filter(|_| there);
                    prop_assert_eq!(shown(&bench, entity, field, at), expected, "e{}.f{} at {:?}", entity, field, at);
                }
            }
        }
        prop_assert_eq!(crate::bench::history(&bench.replayed()), bench.history());
    }

    #[test]
    fn the_order_of_arrival_does_not_show(inputs in inputs(30), key in any::<u64>(), repeat in 0..4usize) {
        let mut shuffled: Vec<Input> = inputs.clone();
        shuffled.extend(inputs.iter().take(repeat).cloned());
        shuffled.sort_by_key(|input| (input.origin.seq ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15) );
        let (mut straight, mut mixed) = (start(), start());
        inputs.iter().for_each(|input| say(&mut straight, input));
        shuffled.iter().for_each(|input| say(&mut mixed, input));
        prop_assert_eq!(straight.journal.head().seq, mixed.journal.head().seq, "what comes twice changes nothing");
        for valid_at in -2..7 {
            prop_assert_eq!(content(&straight.world, valid_at), content(&mixed.world, valid_at));
        }
    }

    #[test]
    fn the_order_of_arrival_of_relations_does_not_show(
        adds in proptest::collection::vec((0..3u8, 0..3u8, 0..6i64, proptest::option::of(1..4i64), any::<bool>()), 1..15),
        key in any::<u64>(),
    ) {
        let domain = r#"{"relations":{"at":{"cardinality":"one"},"near":{}}}"#;
        let run = |order: &[usize]| {
            let mut bench = start();
            bench.domain = throughline_value::from_value(&crate::bench::read(domain)).unwrap();
            for &i in order {
                bench.now += 1;
                let (from, to, valid_from, lives, one) = adds[i];
                let valid_to = lives.map_or_else(String::new, |l| format!(r#","valid_to":{}"#, valid_from + l));
                let name = if one { "at" } else { "near" };
                let command = format!(r#"{{"type":"add_relation","from":"e{from}","relation":"{name}","to":"e{to}"{valid_to}}}"#);
                let origin = Some(Origin { source: "s".to_owned(), seq: i as u64 });
                bench.with(&Meta { valid_from: Some(valid_from), origin }, &command).unwrap();
            }
            bench
        };
        let straight: Vec<usize> = (0..adds.len()).collect();
        let mut mixed = straight.clone();
        mixed.sort_by_key(|i| (*i as u64 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (a, b) = (run(&straight), run(&mixed));
        for valid_at in -1..10 {
            prop_assert_eq!(content(&a.world, valid_at), content(&b.world, valid_at));
            // At most one place each, the one that was said for the latest time.
            for from in 0..3u8 {
                let at = At { valid_at, ..a.at() };
                let places = a.world.relations(at, None, Some("at")).into_iter().filter(|r| {
                    a.world.resolve(&format!("e{from}"), None).as_deref() == Some(&r.from)
                }).collect::<Vec<_>>();
                let said = (0..adds.len()).filter(|i| adds[*i].0 == from && adds[*i].4 && adds[*i].2 <= valid_at);
                let newest = said.max_by_key(|i| (adds[*i].2, *i));
                let expected = newest.filter(|i| adds[*i].3.is_none_or(|l| valid_at < adds[*i].2 + l));
                prop_assert_eq!(places.len(), usize::from(expected.is_some()));
                if let (Some(i), Some(place)) = (expected, places.first()) {
                    let to = a.world.resolve(&format!("e{}", adds[i].1), None);
                    prop_assert_eq!(Some(place.to.as_str()), to.as_deref());
                }
            }
        }
    }

    #[test]
    fn a_merge_and_its_undoing_leave_no_trace_and_a_merged_entity_reads_as_both(
        inputs in inputs(30), keep in 0..3u8, merge in 0..3u8, third in any::<bool>(),
    ) {
        prop_assume!(keep != merge);
        let mut bench = start();
        let mut said: Vec<(Seq, &Input)> = Vec::new();
        for input in &inputs {
            say(&mut bench, input);
            said.push((bench.journal.head().seq, input));
        }
        bench.run(r#"{"type":"add_relation","from":"e0","relation":"r","to":"e1"}"#).unwrap();
        bench.run(r#"{"type":"add_relation","from":"e2","relation":"r","to":"e1"}"#).unwrap();
        let other = 3 - keep - merge;
        let before: Vec<String> = (-2..7).map(|at| content(&bench.world, at)).collect();
        let versions = bench.world.entities(bench.at(), None);
        if third {
            bench.run(&format!(r#"{{"type":"merge_entities","keep":"e{merge}","merge":"e{other}"}}"#)).unwrap();
        }
        bench.run(&format!(r#"{{"type":"merge_entities","keep":"e{keep}","merge":"e{merge}"}}"#)).unwrap();
        let members = if third { vec![0, 1, 2] } else { vec![keep, merge] };
        for valid_at in 0..7 {
            let at = At { valid_at, ..bench.at() };
            for (entity, field) in members.iter().flat_map(|e| (0..2).map(move |f| (*e, f))) {
                prop_assert_eq!(shown(&bench, entity, field, at), naive(&said, &members, field, at));
            }
        }
        bench.run(&format!(r#"{{"type":"unmerge_entities","merged":"e{merge}"}}"#)).unwrap();
        if third {
            bench.run(&format!(r#"{{"type":"unmerge_entities","merged":"e{other}"}}"#)).unwrap();
        }
        let after: Vec<String> = (-2..7).map(|at| content(&bench.world, at)).collect();
        prop_assert_eq!(before, after);
        for (was, is) in versions.iter().zip(bench.world.entities(bench.at(), None)) {
            prop_assert_eq!((&was.fields, &was.field_seq, &was.aliases), (&is.fields, &is.field_seq, &is.aliases));
        }
        prop_assert_eq!(crate::bench::history(&bench.replayed()), bench.history());
    }

    #[test]
    fn the_order_in_which_an_entity_is_mentioned_does_not_show(
        mentions in proptest::collection::vec((0..6usize, 0..3u8, 0..4i64, proptest::option::of(0..3u8)), 1..20),
        key in any::<u64>(),
    ) {
        let names = ["DGIA", "dgia ", "ＤＧＩＡ", "北京", "北京 ", "Dgia"];
        let domain = r#"{"entity_types":{"o":{"normalise":["trim","fold_width","fold_case"],
            "fields":{"v":{"type":"integer"}}}}}"#;
        let run = |order: &[usize]| {
            let mut bench = Bench::new(domain);
            for &i in order {
                bench.now += 1;
                let (name, source, valid_from, value) = mentions[i];
                let fields = value.map_or_else(|| "{}".to_owned(), |v| format!(r#"{{"v":{v}}}"#));
                let command = format!(
                    r#"{{"type":"register_entity","entity_type":"o","raw_id":"{}","fields":{fields}}}"#, names[name]);
                let origin = Some(Origin { source: format!("s{source}"), seq: i as u64 });
                bench.with(&Meta { valid_from: Some(valid_from), origin }, &command).unwrap();
            }
            bench
        };
        let straight: Vec<usize> = (0..mentions.len()).collect();
        let mut mixed = straight.clone();
        mixed.sort_by_key(|i| (*i as u64 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed.extend(straight.iter().take(3));
        let (a, b) = (run(&straight), run(&mixed));
        for valid_at in -1..5 {
            prop_assert_eq!(content(&a.world, valid_at), content(&b.world, valid_at));
        }
        let counted = |bench: &Bench, name: &str| bench.world.mentions(name, bench.at());
        let expected = |wanted: bool| mentions.iter().filter(|m| (m.0 == 3 || m.0 == 4) == wanted).count();
        prop_assert_eq!((counted(&a, "dgia"), counted(&a, "北京")), (expected(false), expected(true)));
        prop_assert_eq!((counted(&b, "dgia"), counted(&b, "北京")), (expected(false), expected(true)));
    }

    #[test]
    fn an_event_is_settled_exactly_once_however_the_clock_jumps_and_whenever_it_is_reloaded(
        steps in proptest::collection::vec((0..60i64, any::<bool>(), any::<bool>(), any::<bool>()), 1..25),
        policies in (0..3usize, 0..3usize),
    ) {
        let otherwise = ["hold", "drop", "late"][policies.0];
        let missed = ["once", "skip", "restart"][policies.1];
        let mut bench = Bench::new("{}");
        bench.now = 0;
        for (name, rest) in [("timed", r#""at":1200000"#), ("both", r#""at":1800000,"when":"ready""#), ("when", r#""when":"ready""#)] {
            bench.run(&format!(
                r#"{{"type":"schedule_event","name":"{name}",{rest},"otherwise":"{otherwise}","missed":"{missed}"}}"#
            )).unwrap();
        }
        let mut settled: std::collections::BTreeMap<String, usize> = Default::default();
        let (mut looked, mut was_ready) = (0, false);
        for (minutes, ready, reload, slept) in steps {
            let now = minutes * 60_000;
            bench.env.set("ready", ready);
            was_ready |= ready;
            if reload {
                bench.world = bench.replayed();
            }
            let pending = bench.world.events(bench.at());
            for what in bench.tick(now, slept.then_some(looked)) {
                let (verb, rest) = what.split_once(' ').unwrap();
                let name = rest.split('"').nth(1).unwrap().to_owned();
                if let Some(event) = pending.iter().find(|e| e.name == name) {
                    prop_assert!(event.due.is_none_or(|due| due <= now), "{} at {}", what, now);
                    prop_assert!(name == "timed" || verb != "fired" || ready || otherwise == "late");
                }
                if !["held", "restarted"].contains(&verb) {
                    *settled.entry(name).or_default() += 1;
                }
            }
            looked = now;
        }
        prop_assert!(settled.values().all(|times| *times == 1), "{:?}", settled);
        for event in bench.world.events(bench.at()) {
            let open = ["pending", "held"].contains(&event.status.as_str());
            prop_assert_eq!(open, !settled.contains_key(&event.name), "{:?}", event);
        }
        prop_assert_eq!(settled.contains_key("when"), was_ready);
        prop_assert_eq!(crate::bench::history(&bench.replayed()), bench.history());
    }
}
