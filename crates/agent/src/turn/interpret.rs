//! Interpret: what does the user want, and what does the text say?

use throughline_journal::Draft;
use throughline_plan::Pattern;
use throughline_protocol::{Context, Domain};
use throughline_value::{Map, Number, Value};

use super::ask_model::{Asked, ask};
use super::{Ending, Move, draft, finish, forms, prompts, with_changes};
use crate::Rooms;
use crate::constraints::figure;
use crate::phrases::{Phrase, say};
use crate::turns::{Stage, Turn, TurnAsked};

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    // A person may have said which intent is meant.
    let told = turn.asks.iter().find(|(ask, ..)| ask.about.get("stage").and_then(Value::as_str) == Some("interpret"));
    if let Some((ask, _, Some((answer, _)))) = told {
        let mut found = ask.about.get("found").and_then(Value::as_map).cloned().unwrap_or_default();
        found.insert("intent".to_owned(), answer.clone());
        return end(turn, ctx, "asked", found);
    }
    let asked = ask(
        turn,
        ctx,
        "interpret",
        0,
        |wrong| prompts::interpret(rooms, turn, ctx, wrong),
        Some(&|| forms::interpreted(ctx.domain)),
        |value| value.as_map().cloned().ok_or_else(|| vec!["a map is expected".to_owned()]),
    );
    match asked {
        Asked::Wait => Move::Wait,
        Asked::Record(drafts) => Move::Record(drafts),
        Asked::Got(found, changes) => {
            let found = with_changes(found, changes);
            if is_sure(&found, ctx.domain) { end(turn, ctx, "done", found) } else { ask_person(turn, ctx, found) }
        }
        Asked::GaveUp(wrong) => {
            let mut found = by_rules(&turn.started.text, ctx.domain);
            found.insert("model".to_owned(), Value::from(wrong));
            if is_sure(&found, ctx.domain) { end(turn, ctx, "fallback", found) } else { ask_person(turn, ctx, found) }
        }
    }
}

fn end(turn: &Turn, ctx: &Context<'_>, verdict: &'static str, found: Map) -> Move {
    finish(turn, ctx, Stage::Interpret, Ending::new(verdict, Value::Map(found)))
}

/// Whether the intent is one of the domain's and the confidence is not below the domain's floor.
fn is_sure(found: &Map, domain: &Domain) -> bool {
    let intent = found.get("intent").and_then(Value::as_str).is_some_and(|name| domain.intents.contains_key(name));
    let floor = domain.agent.confidence.clone().unwrap_or_else(|| Number::from(0));
    let confidence = found.get("confidence").and_then(Value::as_number);
    intent && confidence.is_none_or(|confidence| *confidence >= floor)
}

fn ask_person(turn: &Turn, ctx: &Context<'_>, found: Map) -> Move {
    let about = Value::from([("stage", Value::from("interpret")), ("found", Value::Map(found))]);
    let asked = TurnAsked {
        ask: format!("a{}.interpret", turn.seq),
        question: say(Phrase::WhichIntent, &turn.started.language).to_owned(),
        options: ctx.domain.intents.keys().map(|name| Value::from(name.as_str())).collect(),
        about,
    };
    let asked: Draft = draft(ctx, "turn.asked", &asked);
    Move::Record(vec![asked])
}

/// What the domain's own keywords and patterns find.
fn by_rules(text: &str, domain: &Domain) -> Map {
    let lower = text.to_lowercase();
    let hits = |keywords: &[String]| keywords.iter().filter(|word| lower.contains(&word.to_lowercase())).count();
    // The first intent with the most hits.
    let best = domain.intents.iter().map(|(name, intent)| (hits(&intent.keywords), name)).fold(
        None,
        |best: Option<(usize, &String)>, (count, name)| match best {
            Some((most, _)) if most >= count => best,
            _ if count == 0 => best,
            _ => Some((count, name)),
        },
    );
    let mut entities = Vec::new();
    let mut facts = Vec::new();
    for pattern in domain.patterns.values() {
        let Ok(compiled) = Pattern::compile(&pattern.regex) else { continue };
        for found in compiled.find_all(text) {
            if let Some(entity_type) = &pattern.entity_type {
                entities.push(Value::from([("type", entity_type.as_str()), ("raw_id", found.as_str())]));
            }
            if let Some(fact) = &pattern.fact {
                let number =
                    domain.facts.get(fact).is_some_and(|f| matches!(f.value.r#type.as_str(), "integer" | "decimal"));
                let value = if number { figure(&found) } else { Value::from(found.as_str()) };
                facts.push(Value::from([("key", Value::from(fact.as_str())), ("value", value)]));
            }
        }
    }
    let mut found = Map::new();
    if let Some((_, name)) = best {
        found.insert("intent".to_owned(), Value::from(name.as_str()));
    }
    found.insert("entities".to_owned(), Value::List(entities));
    found.insert("facts".to_owned(), Value::List(facts));
    found
}
