//! Every part of the tree against a naive list: counts, importance, uses, vectors and the states of an entity, now and
//! at earlier moments, also when a part was asked for before something in it changed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

#[path = "helper/keeper.rs"]
mod keeper;

use keeper::Keeper;
use throughline_memory::Memory;
use throughline_protocol::At;
use throughline_protocol::query::{MemoryCounts, MemoryTree};
use throughline_protocol::view::{TreePart, TreeView};
use throughline_value::Value;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// An event as anybody would write it down.
#[derive(Clone)]
struct Plain {
    id: String,
    at: i64,
    born: (u64, usize),
    entities: Vec<&'static str>,
    importance: u64,
    vector: Option<[f64; 2]>,
    used: Option<i64>,
    forgotten: bool,
}

const ENTITIES: [&str; 3] = ["pan", "stove", "door"];
const VECTORS: [[f64; 2]; 4] = [[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6], [0.0, -1.0]];

fn of_blocks(rows: usize) -> Keeper {
    Keeper { memory: Memory::with_blocks_of(rows), ..Keeper::default() }
}

fn tree(keeper: &Keeper, seq: u64, entity: &str) -> TreeView {
    let query = MemoryTree { all: true, entity: Some(entity.to_owned()), ..MemoryTree::default() };
    keeper.memory.tree_view(At { seq, valid_at: 0 }, &query, &keeper.domain).unwrap()
}

fn check(view: &TreeView, plain: &[Plain], entity: &str, context: &str) {
    let mut all: Vec<&Plain> = plain.iter().collect();
    all.sort_by_key(|p| (p.at, p.born));
    for level in 0..view.levels {
        let mut rest = all.as_slice();
        for part in view.parts.iter().filter(|part| part.level == level) {
            let (own, others) = rest.split_at((part.live + part.forgotten) as usize);
            rest = others;
            check_part(part, own, entity, &format!("{context}, level {level}"));
        }
        assert!(rest.is_empty(), "{context}, level {level}: {} are in no part", rest.len());
    }
}

fn check_part(part: &TreePart, own: &[&Plain], entity: &str, context: &str) {
    let live: Vec<&&Plain> = own.iter().filter(|p| !p.forgotten).collect();
    assert_eq!(part.live, live.len() as u64, "{context}");
    assert_eq!(part.importance, live.iter().map(|p| p.importance).sum::<u64>(), "{context}");
    assert_eq!(part.last_used, own.iter().filter_map(|p| p.used).max(), "{context}");
    let with: Vec<&&&Plain> = live.iter().filter(|p| p.entities.contains(&entity)).collect();
    assert_eq!(part.first_state, with.first().map(|p| p.id.clone()), "{context}");
    assert_eq!(part.last_state, with.last().map(|p| p.id.clone()), "{context}");
    let vectors: Vec<[f64; 2]> = live.iter().filter_map(|p| p.vector).collect();
    assert_eq!(part.vectors, vectors.len() as u64, "{context}");
    if vectors.is_empty() {
        return assert_eq!(part.cohesion, None, "{context}");
    }
    let sum = vectors.iter().fold([0.0, 0.0], |sum, v| [sum[0] + v[0], sum[1] + v[1]]);
    let mean = (sum[0] * sum[0] + sum[1] * sum[1]).sqrt() / vectors.len() as f64 * 1_000.0;
    let cohesion = part.cohesion.unwrap() as f64;
    assert!((cohesion - mean).abs() <= 1.5, "{context}: {cohesion} for {mean}");
}

#[test]
fn every_part_of_the_tree_says_what_a_list_says_however_often_it_was_asked_before() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut keeper = of_blocks(2 + seed as usize);
        let mut plain: Vec<Plain> = Vec::new();
        let mut past: Vec<(u64, Vec<Plain>)> = Vec::new();
        for step in 0..160i64 {
            let some = (!plain.is_empty()).then(|| random.below(plain.len()));
            match (random.below(9), some) {
                (0, Some(n)) if !plain[n].forgotten => {
                    plain[n].at = random.below(60) as i64;
                    let command = format!(r#"{{"type":"amend","memory":"{}","at":{}}}"#, plain[n].id, plain[n].at);
                    keeper.run(&command).unwrap();
                }
                (1, Some(n)) => {
                    plain[n].forgotten = !plain[n].forgotten;
                    let verb = if plain[n].forgotten { "forget" } else { "recover" };
                    keeper.run(&format!(r#"{{"type":"{verb}","memories":["{}"]}}"#, plain[n].id)).unwrap();
                }
                (2, Some(n)) => {
                    let at = 1_000 + step;
                    plain[n].used = Some(at);
                    keeper.run(&format!(r#"{{"type":"touch","memories":["{}"],"at":{at}}}"#, plain[n].id)).unwrap();
                }
                (3, Some(n)) if random.below(3) == 0 => {
                    let id = plain.remove(n).id;
                    keeper.run(&format!(r#"{{"type":"purge","memories":["{id}"]}}"#)).unwrap();
                    // What was purged was never there.
                    past.iter_mut().for_each(|(_, plain)| plain.retain(|p| p.id != id));
                }
                (8, _) => {
                    let entity = ENTITIES[random.below(3)];
                    let context = format!("seed {seed}, step {step}");
                    // The second time most of it is known.
                    for _ in 0..2 {
                        check(&tree(&keeper, keeper.seq, entity), &plain, entity, &context);
                    }
                    if !past.is_empty() {
                        let (seq, then) = &past[random.below(past.len())];
                        check(&tree(&keeper, *seq, entity), then, entity, &format!("{context}, as of {seq}"));
                    }
                    past.push((keeper.seq, plain.clone()));
                }
                _ => {
                    let many = 1 + random.below(4);
                    let items: Vec<Plain> = (0..many)
                        .map(|n| Plain {
                            id: format!("m_{}_{n}", keeper.seq + 1),
                            at: random.below(60) as i64,
                            born: (keeper.seq + 1, n),
                            entities: ENTITIES.into_iter().filter(|_| random.below(3) == 0).collect(),
                            importance: random.below(11) as u64 * 100,
                            vector: (random.below(2) == 0).then(|| VECTORS[random.below(4)]),
                            used: None,
                            forgotten: false,
                        })
                        .collect();
                    let item = |p: &Plain| {
                        let vector = p.vector.map_or(String::new(), |v| format!(r#","vector":[{},{}]"#, v[0], v[1]));
                        let entities = Value::from(p.entities.clone()).to_json();
                        let importance = p.importance as f64 / 1_000.0;
                        format!(
                            r#"{{"kind":"seen","at":{},"entities":{entities},"importance":{importance}{vector}}}"#,
                            p.at
                        )
                    };
                    let texts: Vec<String> = items.iter().map(item).collect();
                    keeper.run(&format!(r#"{{"type":"remember","items":[{}]}}"#, texts.join(","))).unwrap();
                    plain.extend(items);
                }
            }
        }
    }
}

#[test]
fn what_is_kept_of_a_part_is_counted_and_goes_when_something_in_it_changes() {
    let mut keeper = of_blocks(4);
    let items: Vec<String> =
        (0..64).map(|n| format!(r#"{{"kind":"seen","at":{n},"entities":["pan"],"vector":[1,{n}]}}"#)).collect();
    keeper.run(&format!(r#"{{"type":"remember","items":[{}]}}"#, items.join(","))).unwrap();
    assert_eq!(keeper.memory.kept_bytes(), 0, "nobody asked yet");
    _ = tree(&keeper, keeper.seq, "pan");
    let whole = keeper.memory.kept_bytes();
    assert!(whole > 0);
    keeper.run(r#"{"type":"forget","memories":["m_1_9"]}"#).unwrap();
    let less = keeper.memory.kept_bytes();
    assert!(less < whole && less > whole / 2, "one block of sixteen and what lies above it: {less} of {whole}");
    _ = tree(&keeper, keeper.seq, "pan");
    assert_eq!(keeper.memory.kept_bytes(), whole);
}

#[test]
fn a_part_that_lies_in_the_window_is_taken_whole_with_all_below_it_and_only_the_edges_are_opened_and_read() {
    let mut keeper = of_blocks(4);
    for n in 0..400i64 {
        keeper.run(&format!(r#"{{"type":"remember","items":[{{"kind":"k","at":{n}}}]}}"#)).unwrap();
    }
    let view = |all: bool, since: Option<i64>| {
        let since = since.map(throughline_protocol::Time::Millis);
        let query = MemoryTree { all, since, ..MemoryTree::default() };
        keeper.memory.tree_view(keeper.now(), &query, &keeper.domain).unwrap()
    };
    let steps = |view: &TreeView, step: &str| view.parts.iter().filter(|part| part.step == step).count();
    let (whole, top) = (view(true, None), view(false, None));
    assert_eq!(
        (steps(&whole, "whole"), top.parts.len()),
        (whole.parts.len(), 1),
        "nothing has to be read to count all"
    );
    assert!(whole.parts.len() > 100);
    let cut = view(true, Some(202));
    for part in &cut.parts {
        let expected = match part {
            part if part.end <= 202 => "skipped",
            part if part.first >= 202 => "whole",
            part if part.level == 0 => "read",
            _ => "opened",
        };
        assert_eq!(part.step, expected, "{part:?}");
    }
    assert_eq!(steps(&cut, "read"), 1);
    assert!(steps(&cut, "opened") > 0 && steps(&cut, "whole") > 40);
}

#[test]
fn where_there_are_more_parts_than_wanted_the_lowest_levels_are_left_out_and_the_whole_time_is_shown() {
    let mut keeper = of_blocks(4);
    for n in 0..400i64 {
        keeper.run(&format!(r#"{{"type":"remember","items":[{{"kind":"k","at":{n}}}]}}"#)).unwrap();
    }
    let view = |limit: usize, since: Option<i64>| {
        let since = since.map(throughline_protocol::Time::Millis);
        let query = MemoryTree { all: true, since, limit: Some(limit), ..MemoryTree::default() };
        keeper.memory.tree_view(keeper.now(), &query, &keeper.domain).unwrap()
    };
    let all = view(4_096, None);
    assert!(!all.cut);
    for limit in [1, 2, all.parts.len() / 2, all.parts.len() - 1, all.parts.len()] {
        let some = view(limit, None);
        assert!(some.parts.len() <= limit && !some.parts.is_empty(), "{limit}: {}", some.parts.len());
        assert_eq!(some.cut, some.parts.len() < all.parts.len(), "{limit}");
        let least = some.parts.iter().map(|part| part.level).min().unwrap();
        for level in least..all.levels {
            let of =
                |view: &TreeView| view.parts.iter().filter(|part| part.level == level).cloned().collect::<Vec<_>>();
            assert_eq!(of(&some), of(&all), "a level is there as a whole, or not at all");
        }
    }
    // A narrow window finds room for the blocks.
    let narrow = view(all.parts.len() / 2, Some(390));
    assert!(narrow.parts.iter().any(|part| part.level == 0) && !narrow.cut);
}

#[test]
fn errors_are_counted_at_every_zoom_also_of_a_kind_that_has_no_counter_of_its_own() {
    let mut keeper = of_blocks(4);
    let kind = |n: i64| if n % 20 == 19 { "motor Fault".to_owned() } else { format!("kind{}", n % 20) };
    let items: Vec<String> = (0..60).map(|n| format!(r#"{{"kind":"{}","at":{}}}"#, kind(n), n * 3_600_000)).collect();
    keeper.run(&format!(r#"{{"type":"remember","items":[{}]}}"#, items.join(","))).unwrap();
    let count = |keeper: &Keeper, drawing: bool, buckets: usize| {
        let query = MemoryCounts { drawing, buckets: Some(buckets), ..MemoryCounts::default() };
        keeper.memory.counts_view(At { seq: keeper.seq, valid_at: 0 }, &query, &keeper.domain).unwrap()
    };
    let check = |keeper: &Keeper, expected: u64| {
        for (drawing, buckets) in [(true, 1), (true, 7), (true, 500), (false, 1), (false, 13)] {
            let view = count(keeper, drawing, buckets);
            assert_eq!(view.errors.len(), view.counts.len(), "{drawing} {buckets}");
            assert_eq!(view.errors.iter().sum::<u64>(), expected, "{drawing} {buckets}");
        }
        let parts = tree(keeper, keeper.seq, "pan").parts;
        for level in 0..=parts[0].level {
            assert_eq!(parts.iter().filter(|p| p.level == level).map(|p| p.errors).sum::<u64>(), expected);
        }
    };
    check(&keeper, 3);
    assert!(count(&keeper, true, 1).kinds.contains(&"others".to_owned()), "there are more kinds than counters");
    keeper.run(r#"{"type":"forget","memories":["m_1_39"]}"#).unwrap();
    check(&keeper, 2);
    // A kind that is new after something was drawn.
    keeper.run(r#"{"type":"remember","items":[{"kind":"错误","at":7200001}]}"#).unwrap();
    check(&keeper, 3);
}
