//! The estimate of tokens beside an exact tokenizer, on texts that it was not tuned on.

use throughline_dialogue::prompt::{PromptInput, render};
use throughline_dialogue::tokens::estimate;
use throughline_value::json;

use crate::support::{Bench, shared};

/// The largest error, in percent.
const MOST: f64 = 15.0;

fn read(file: &str) -> Option<String> {
    let path = shared()?.join("data").join(file);
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.chars().take(60_000).collect())
}

/// What a model is told of a ledger with many facts.
fn ledger() -> String {
    let mut bench = Bench::default();
    for i in 0..60_i64 {
        bench.now += 1_000;
        bench.set(&format!("order_{i}.delivery_window"), format!("2026-03-{:02}T09:00:00+08:00", i % 28 + 1));
        bench.set(&format!("customer.preference_{i}"), if i % 3 == 0 { "no hybrid cars" } else { "靠窗的座位" });
        bench.set(&format!("price_{i}"), json::read_value(&format!("{}.{:02}", i * 317, i % 100)).unwrap());
    }
    let facts = bench.ledger.facts(bench.here(), None, None).facts;
    let input = PromptInput {
        instructions: "Answer the customer.",
        state: &["review.waiting".to_owned()],
        facts: &facts,
        user: "When does it arrive?",
        budget: 1_000_000,
        ..PromptInput::default()
    };
    render(&input).unwrap().messages.into_iter().map(|m| m.text).collect()
}

#[test]
fn the_estimate_stays_near_an_exact_count_on_texts_that_it_was_not_tuned_on() {
    let exact = tiktoken_rs::o200k_base().unwrap();
    let mut texts: Vec<(&str, String)> = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/texts");
    texts.push(("chinese", std::fs::read_to_string(format!("{folder}/chinese.txt")).unwrap()));
    texts.push(("english", std::fs::read_to_string(format!("{folder}/english.txt")).unwrap()));
    texts.push(("ledger", ledger()));
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/scenarios/a-refused-command-changes-nothing.json");
    let scenario = std::fs::read_to_string(scenario).unwrap();
    texts.push(("json of one line", json::read_value(&scenario).unwrap().to_json()));
    texts.push(("json of many lines", scenario));
    match read("w_world_model/tau_retail/policy.md") {
        None => println!("SKIPPED 11: the shared data is not here; set THROUGHLINE_SHARED to its folder"),
        Some(_) => {
            for file in [
                "w_world_model/tau_retail/policy.md",
                "w_world_model/tau_retail/single_actions.jsonl",
                "a_dialogue_state/sgd/dev_sample.json",
                "e_memory/memorybank/events.jsonl",
                "e_memory/bfcl_memory/conversation_customer.jsonl",
                "h_temporal/allen/pairs.jsonl",
                "w_world_model/tau_retail/initial_db.json",
                "w_world_model/tau_retail/gold_transitions.jsonl",
                "c_fsm/asl/executions_sequential.jsonl",
                "d_plans/rewoo_real_model.jsonl",
                "f_traces/tau_retail_few_shot_25.jsonl",
            ] {
                texts.extend(read(file).map(|text| (file, text)));
            }
        }
    }
    let mut worst = Vec::new();
    for (name, text) in &texts {
        let count = exact.encode_ordinary(text).len() as f64;
        let error = (estimate(text) as f64 - count) / count * 100.0;
        println!("{name:<50} {count:>7} tokens, {error:+.1} %");
        if error.abs() > MOST {
            worst.push(format!("{name}: {error:+.1} %"));
        }
    }
    assert!(worst.is_empty(), "{}", worst.join("\n"));
}
