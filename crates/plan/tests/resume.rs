//! A run that is broken off at any record ends as the whole one, whatever its plan; and what can run together does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail"
)]

#[path = "common/world.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{NOW, Shelf, World, at};
use proptest::prelude::*;
use throughline_plan::answer::NoEvidence;
use throughline_plan::{Scope, ToolCall, ToolError, ToolRule};
use throughline_protocol::Context;
use throughline_protocol::command::Answer;
use throughline_value::{Map, Value};

fn tool(call: &ToolCall) -> Result<Value, ToolError> {
    let fails = |most: u32| {
        if call.attempt <= most {
            Err(ToolError { code: "busy".into(), message: "not now".into() })
        } else {
            Ok(Value::from(u64::from(most)))
        }
    };
    match call.tool.as_str() {
        "once" => fails(0),
        "twice" => fails(1),
        _ => fails(u32::MAX),
    }
}

fn scope() -> Scope {
    let write = ToolRule { writes: true, ..ToolRule::default() };
    let ask = ToolRule { writes: true, approval: true, ..ToolRule::default() };
    Scope::new()
        .source("doc", "d.txt")
        .tool("once", write)
        .tool("twice", ToolRule::default())
        .tool("never", ToolRule::default())
        .tool("asked", ask)
}

fn shelf() -> Shelf {
    Shelf::default().with("d.txt", "text/plain", "rate: 91.70 %\nlimit: 90\n")
}

/// Step `n` of a plan: an operation that uses earlier steps.
fn step(n: usize, kind: u8, a: usize, b: usize) -> String {
    let (a, b) = (format!("$s{}", a % n.max(1)), format!("$s{}", b % n.max(1)));
    if n == 0 {
        return "$s0 = COMPUTE 1".to_owned();
    }
    let body = match kind % 14 {
        0 => format!("COMPUTE [{a}, {b}, {n}]"),
        1 => format!("IF {n} % 2 == 0 THEN {a} ELSE {b}"),
        2 => format!("CALL once(a: {a}, n: {n})"),
        3 => format!("CALL twice(a: {a}) WITH retry: 1, backoff: 0s"),
        4 => format!("CALL never(a: {a}) WITH retry: 1, backoff: 0s, fallback: {b}"),
        5 => format!("CALL never(a: {a}) WITH on_failure: skip"),
        6 => format!("MERGE [{a}], [{b}]"),
        7 => format!("FILTER [{a}, {b}] WHERE index == 0"),
        8 => format!("VALIDATE {a} != {b} or true"),
        9 => format!("COMPUTE {n} / 0 WITH fallback: {a}"),
        10 => "QUERY doc_rows".to_owned(),
        11 => format!("COMPUTE {n} / 0"),
        12 => format!("CALL asked(a: {a})"),
        _ => format!("ASK \"what is {n}?\" WITH fallback: {b}"),
    };
    let body = if body == "QUERY doc_rows" { format!("ARBITRATE {a}, {b} BY majority WITH fallback: 0") } else { body };
    format!("$s{n} = {body}")
}

/// Everything that can be done is done; people answer by the question's name alone.
fn finish(world: &mut World, run: &str) {
    for _ in 0..200 {
        world.finish(run);
        let open = world.plans.open_asks(u64::MAX);
        let Some((ask, _)) = open.first() else { return };
        let answer = match ask.options.last() {
            Some(option) if ask.id.len() % 2 == 0 => option.clone(),
            Some(_) => ask.options[0].clone(),
            None => 5.into(),
        };
        let command = Answer { ask: ask.id.clone(), answer };
        let decision = world.plans.answer(&world.context(), &command, &world.shelf, &NoEvidence(&world.env)).unwrap();
        world.commit(decision.drafts);
    }
    panic!("the run does not end");
}

fn content(world: &World) -> String {
    let mut digest = throughline_journal::Digest::new("content");
    world.plans.digest_content(&mut digest, NOW);
    digest.finish()
}

fn cases() -> u32 {
    std::env::var("THROUGHLINE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_run_that_is_broken_off_at_any_record_ends_as_the_whole_one(
        steps in prop::collection::vec((0_u8..14, 0_usize..32, 0_usize..32), 1..14)
    ) {
        let plan: String = steps.iter().enumerate().map(|(n, (kind, a, b))| step(n, *kind, *a, *b) + "\n").collect();
        let mut whole = World::new(shelf());
        whole.answer = tool;
        // Not every mixture is a plan: what the checker refuses is none.
        if let Ok(run) = whole.start(&plan, Map::new(), &scope()) {
            finish(&mut whole, &run);
            prop_assert!(matches!(whole.plans.status(&run), Some("done" | "failed")), "{plan}");
            let records: Vec<_> = whole.journal.records().cloned().collect();
            let settled = |records: &[throughline_journal::Record]| -> Vec<Value> {
                let kinds = ["step.finished", "step.failed", "step.skipped", "step.blocked"];
                records.iter().filter(|r| kinds.contains(&r.kind.as_str())).map(|r| r.data().get("step").unwrap().clone()).collect()
            };
            for end in 1..=records.len() {
                let mut world = whole.reloaded(&records[..end]);
                finish(&mut world, &run);
                prop_assert_eq!(world.summary(&run), whole.summary(&run), "from record {} of\n{}", end, plan);
                prop_assert_eq!(content(&world), content(&whole));
                let more: Vec<_> = world.journal.records().cloned().collect();
                let again = settled(&more);
                prop_assert!(settled(&records[..end]).iter().all(|step| !again.contains(step)), "a settled step is never repeated");
                prop_assert!(world.made.iter().all(|key| whole.made.contains(key)), "a call that is made again has its old key");
            }
        }
    }
}

#[test]
fn the_makespan_is_that_of_the_critical_path() {
    let mut seed = 7_u64;
    let mut random = move |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let mut worst = 1.0_f64;
    for case in 0..20 {
        // Layers of at most four calls, each behind some of the layer before: never more than may be under way at once.
        let mut plan = String::new();
        let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut latency: BTreeMap<String, i64> = BTreeMap::new();
        let mut before: Vec<String> = Vec::new();
        for layer in 0..12 {
            let width = 1 + random(4) as usize;
            let mut now = Vec::new();
            for i in 0..width {
                let id = format!("c{case}_{layer}_{i}");
                let uses: BTreeSet<String> =
                    (0..3).filter_map(|_| before.get(random(before.len().max(1) as u64) as usize)).cloned().collect();
                let list: Vec<String> = uses.iter().map(|u| format!("${u}")).collect();
                plan.push_str(&format!("${id} = CALL once(after: [{}])\n", list.join(", ")));
                latency.insert(id.clone(), 10 + random(500) as i64);
                needs.insert(id.clone(), uses.into_iter().collect());
                now.push(id);
            }
            before.splice(0..0, now);
            before.truncate(4);
        }
        let mut ends: BTreeMap<String, i64> = BTreeMap::new();
        for layer in 0..12 {
            for (id, uses) in needs.iter().filter(|(id, _)| id.contains(&format!("_{layer}_"))) {
                let start = uses.iter().map(|u| ends[u]).max().unwrap_or(0);
                ends.insert(id.clone(), start + latency[id]);
            }
        }
        let critical = ends.values().copied().max().unwrap();
        let mut world = World::new(shelf());
        let run = world.start(&plan, Map::new(), &scope()).unwrap();
        let (mut clock, mut under_way): (i64, Vec<(i64, ToolCall)>) = (0, Vec::new());
        loop {
            let ctx = Context { now: NOW + clock, ..world.context() };
            let advance = world.plans.advance(&ctx, &run, &world.shelf, &NoEvidence(&world.env));
            let moved = !advance.drafts.is_empty();
            world.commit(advance.drafts);
            under_way.extend(advance.calls.into_iter().map(|call| (clock + latency[&call.step], call)));
            if moved {
                continue;
            }
            under_way.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
            let Some((end, call)) = under_way.pop() else { break };
            clock = end;
            let ctx = Context { now: NOW + clock, ..world.context() };
            let drafts = world.plans.finish_call(&ctx, &call, Ok(1.into()), &world.shelf, &NoEvidence(&world.env));
            world.commit(drafts);
        }
        assert_eq!(world.plans.run(&run, &at(u64::MAX)).unwrap().row.status, "done");
        worst = worst.max(clock as f64 / critical as f64);
    }
    println!("makespan over critical path, the worst of 20 plans: {worst:.3}");
    assert!(worst <= 1.05, "{worst}");
}
