//! Ground: the things and facts of the text become entities and facts, or are rejected with a reason.

use throughline_protocol::command::{AssertFact, RegisterEntity};
use throughline_protocol::{Command, Context, Done, Meta, Refusal};
use throughline_value::{Map, Value, to_value};

use super::{Ending, Move, by_model, finish};
use crate::turns::{Stage, Turn};

pub(crate) fn advance(turn: &Turn, ctx: &Context<'_>) -> Move {
    let found = turn.output(Stage::Interpret);
    let list = |name: &str| found.get(name).and_then(Value::as_list).unwrap_or(&[]).to_vec();
    let mut commands: Vec<(Command, Meta)> = Vec::new();
    let mut extracted = Vec::new();
    let mut malformed = Vec::new();
    for mention in list("entities") {
        let text = |name: &str| mention.get(name).and_then(Value::as_str).map(str::to_owned);
        if let (Some(entity_type), Some(raw_id)) = (text("type"), text("raw_id")) {
            let fields = Map::new();
            commands.push((
                RegisterEntity { entity_type, raw_id, fields, aliases: Vec::new() }.into(),
                by_model("mentioned by the user"),
            ));
            extracted.push(mention);
        } else {
            malformed.push(mention);
        }
    }
    for fact in list("facts") {
        if let (Some(key), Some(value)) = (fact.get("key").and_then(Value::as_str), fact.get("value")) {
            let subject = fact.get("subject").and_then(Value::as_str).map(str::to_owned);
            let assert = AssertFact {
                key: key.to_owned(),
                value: value.clone(),
                subject,
                source: Some("user".to_owned()),
                confidence: None,
                valid_to: None,
                expected_version: None,
            };
            commands.push((assert.into(), by_model("said by the user")));
            extracted.push(fact);
        } else {
            malformed.push(fact);
        }
    }
    let ending = Ending {
        commands,
        collect: Box::new(move |output, outcomes| collect(output, &extracted, malformed, outcomes)),
        ..Ending::new("done", Value::map())
    };
    finish(turn, ctx, Stage::Ground, ending)
}

/// Extracted = stored + duplicate + rejected: nothing that the model said is dropped in silence.
fn collect(output: Value, extracted: &[Value], malformed: Vec<Value>, outcomes: Vec<Result<Done, Refusal>>) -> Value {
    let (mut entities, mut facts, mut duplicate, mut rejected) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (item, outcome) in extracted.iter().zip(outcomes) {
        let is_fact = item.get("key").is_some();
        match outcome {
            Ok(done) => {
                let mut item = item.as_map().cloned().unwrap_or_default();
                if let Some(id) = done.result.get("entity") {
                    item.insert("entity".to_owned(), id.clone());
                }
                if done.records.is_empty() {
                    duplicate.push(Value::Map(item.clone()));
                }
                if is_fact { facts.push(Value::Map(item)) } else { entities.push(Value::Map(item)) }
            }
            Err(refusal) => {
                rejected
                    .push(Value::from([("item", item.clone()), ("refusal", to_value(&refusal).unwrap_or_default())]));
            }
        }
    }
    for item in malformed {
        rejected.push(Value::from([("item", item), ("refusal", Value::from([("code", "malformed")]))]));
    }
    let mut map = output.as_map().cloned().unwrap_or_default();
    map.insert("entities".to_owned(), Value::List(entities));
    map.insert("facts".to_owned(), Value::List(facts));
    map.insert("duplicate".to_owned(), Value::List(duplicate));
    map.insert("rejected".to_owned(), Value::List(rejected));
    Value::Map(map)
}
