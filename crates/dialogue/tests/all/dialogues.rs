//! Real dialogues: after every turn the ledger holds exactly the state that people annotated, also when every
//! turn is asked again at the end.

use std::collections::BTreeMap;

use throughline_journal::Seq;
use throughline_protocol::At;
use throughline_protocol::command::AssertFact;
use throughline_value::Value;

use crate::support::{Bench, fact, lines, no_fact};

/// A state as facts: what is known, by subject and key.
type State = BTreeMap<(String, String), Value>;

fn held(bench: &Bench, at: At) -> State {
    let facts = bench.ledger.facts(at, None, None).facts;
    facts.into_iter().map(|f| ((f.subject, f.key), f.value)).collect()
}

/// Asks every turn again and compares.
fn ask_again(bench: &Bench, turns: &[(Seq, i64, State)], dialogue: &str) {
    for (seq, valid_at, gold) in turns {
        assert_eq!(held(bench, At { seq: *seq, valid_at: *valid_at }), *gold, "{dialogue} asked again at {seq}");
        // The record alone says enough: what is valid now was valid then, unless it was said later.
        assert_eq!(held(bench, At { seq: *seq, valid_at: bench.now }), *gold, "{dialogue} asked now at {seq}");
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap()
}

fn of_subject(subject: &str, key: &str, value: Value) -> AssertFact {
    AssertFact { subject: Some(subject.to_owned()), ..fact(key, value) }
}

#[test]
fn every_turn_of_every_schema_guided_dialogue_holds_the_gold_state() {
    let Some(dialogues) = lines("a_dialogue_state/sgd/dev_sample.gold_timeline.jsonl") else { return };
    let (mut turns_seen, mut replaced) = (0, 0);
    for dialogue in &dialogues {
        let mut bench = Bench::default();
        let mut turns = Vec::new();
        for turn in dialogue.get("timeline").and_then(Value::as_list).unwrap() {
            bench.now += 1_000;
            bench.turn = u32::try_from(turn.get("turn").and_then(Value::as_i64).unwrap()).unwrap();
            for op in turn.get("ops").and_then(Value::as_list).unwrap() {
                let service = text(op, "service");
                let command = match text(op, "op") {
                    "assert" | "replace" => of_subject(service, text(op, "slot"), op.get("values").cloned().unwrap()),
                    "intent" => of_subject(service, "active_intent", op.get("to").cloned().unwrap()),
                    "retract" => {
                        let mut command = no_fact(text(op, "slot"), None);
                        command.subject = Some(service.to_owned());
                        bench.retract(&Default::default(), &command).unwrap();
                        continue;
                    }
                    other => panic!("an operation of the data that is not known: {other}"),
                };
                let result = bench.assert(&Default::default(), &command).unwrap();
                replaced += usize::from(result.get("superseded").is_some_and(|s| !s.is_null()));
            }
            let mut gold = State::new();
            for (service, state) in turn.get("snapshot").and_then(Value::as_map).unwrap() {
                for (slot, values) in state.get("slot_values").and_then(Value::as_map).unwrap() {
                    gold.insert((service.clone(), slot.clone()), values.clone());
                }
                let intent = state.get("active_intent").cloned().unwrap();
                // A service whose intent never was another than NONE has none on record.
                if intent != "NONE".into() || bench.ledger.get(service, "active_intent", bench.here()).is_some() {
                    gold.insert((service.clone(), "active_intent".to_owned()), intent);
                }
            }
            assert_eq!(held(&bench, bench.here()), gold, "{} turn {}", text(dialogue, "dialogue_id"), bench.turn);
            turns.push((bench.head(), bench.now, gold));
            turns_seen += 1;
        }
        ask_again(&bench, &turns, text(dialogue, "dialogue_id"));
    }
    println!("{} dialogues, {turns_seen} turns, {replaced} replacements", dialogues.len());
    assert!(dialogues.len() >= 45 && replaced > 100, "the data is there as a whole");
}

#[test]
fn every_turn_of_every_multiwoz_dialogue_holds_the_gold_state() {
    let Some(dialogues) = lines("a_dialogue_state/multiwoz21/test_sample_a.gold_states.jsonl") else { return };
    let (mut turns_seen, mut retracted) = (0, 0);
    for dialogue in &dialogues {
        let mut bench = Bench::default();
        let mut turns = Vec::new();
        let mut before = State::new();
        for turn in dialogue.get("states").and_then(Value::as_list).unwrap() {
            bench.now += 1_000;
            bench.turn = u32::try_from(turn.get("turn").and_then(Value::as_i64).unwrap()).unwrap();
            let mut gold = State::new();
            for (domain, slots) in turn.get("snapshot").and_then(Value::as_map).unwrap() {
                for (slot, value) in slots.as_map().unwrap() {
                    gold.insert((domain.clone(), slot.clone()), value.clone());
                }
            }
            for (domain, slot) in before.keys().filter(|key| !gold.contains_key(*key)) {
                let mut command = no_fact(slot, None);
                command.subject = Some(domain.clone());
                bench.retract(&Default::default(), &command).unwrap();
                retracted += 1;
            }
            for ((domain, slot), value) in gold.iter().filter(|(key, value)| before.get(*key) != Some(*value)) {
                bench.assert(&Default::default(), &of_subject(domain, slot, value.clone())).unwrap();
            }
            assert_eq!(held(&bench, bench.here()), gold, "{} turn {}", text(dialogue, "dialogue_id"), bench.turn);
            turns.push((bench.head(), bench.now, gold.clone()));
            before = gold;
            turns_seen += 1;
        }
        ask_again(&bench, &turns, text(dialogue, "dialogue_id"));
    }
    println!("{} dialogues, {turns_seen} turns, {retracted} retractions", dialogues.len());
    assert!(dialogues.len() >= 30 && retracted > 0, "the data is there as a whole");
}
