//! Ground: the things and facts of the text become entities and facts, or are rejected with a reason.
//!
//! What a model says it found is no more than that: a thing must be named in the text or be known already, and
//! a figure or an identifier must stand in the text. So identities are never invented.

use throughline_expr::time::{Zone, parse_duration, parse_instant};
use throughline_protocol::command::{AssertFact, RegisterEntity};
use throughline_protocol::{Command, Context, Done, Meta, Refusal};
use throughline_value::{Map, Number, SortedSet, Value, to_value};

use super::{Ending, Move, by_model, finish};
use crate::Rooms;
use crate::claims::{Claim, claims, folded, small_numbers};
use crate::turns::{Stage, Turn};

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    let said = Said::of(&turn.started.text);
    let found = turn.output(Stage::Interpret);
    let list = |name: &str| found.get(name).and_then(Value::as_list).unwrap_or(&[]).to_vec();
    let mut commands: Vec<(Command, Meta)> = Vec::new();
    let mut extracted = Vec::new();
    let mut malformed = Vec::new();
    let mut invented: Vec<(Value, Refusal)> = Vec::new();
    for mention in list("entities") {
        let text = |name: &str| mention.get(name).and_then(Value::as_str).map(str::to_owned);
        if let (Some(entity_type), Some(raw_id)) = (text("type"), text("raw_id")) {
            if !said.names(&raw_id) && rooms.world.resolve(&raw_id, Some(&entity_type)).is_none() {
                let message = format!("`{raw_id}` is not named in what the user said, and nothing known goes by it");
                invented.push((mention, Refusal::new("not-in-text", message)));
                continue;
            }
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
            if let Some(refusal) = said.lacks(value) {
                invented.push((fact, refusal));
                continue;
            }
            let subject = fact.get("subject").and_then(Value::as_str).map(str::to_owned);
            let assert = AssertFact {
                key: key.to_owned(),
                value: value.clone(),
                subject,
                source: Some("user".to_owned()),
                sources: Vec::new(),
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
        collect: Box::new(move |output, outcomes| collect(output, &extracted, malformed, invented, outcomes)),
        ..Ending::new("done", Value::map())
    };
    finish(turn, ctx, Stage::Ground, ending)
}

/// Extracted = stored + duplicate + rejected: nothing that the model said is dropped in silence.
fn collect(
    output: Value,
    extracted: &[Value],
    malformed: Vec<Value>,
    invented: Vec<(Value, Refusal)>,
    outcomes: Vec<Result<Done, Refusal>>,
) -> Value {
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
    for (item, refusal) in invented {
        rejected.push(Value::from([("item", item), ("refusal", to_value(&refusal).unwrap_or_default())]));
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

/// What a user said, in the forms that a model's findings are looked for in.
struct Said {
    /// Without capitals, spaces and signs.
    letters: String,
    numbers: SortedSet<String>,
}

impl Said {
    fn of(text: &str) -> Self {
        let mut numbers: SortedSet<String> =
            small_numbers(text).into_iter().map(|n| Number::from(n).canonical()).collect();
        for found in claims(text, &[]) {
            if let Claim::Date(_, first, second) | Claim::Time(first, second) = found.claim {
                numbers.extend([first, second].map(|n| Number::from(u64::from(n)).canonical()));
            }
            if let Claim::Number(number) = found.claim {
                numbers.insert(number.canonical().trim_start_matches('-').to_owned());
                // `5 %` may be kept as 0.05.
                if text.contains(['%', '％']) {
                    numbers.extend(Number::parse(&format!("{}e-2", number.as_str())).map(|part| part.canonical()));
                }
                numbers.insert(number.canonical());
            }
        }
        for digits in text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
            numbers.extend(Number::parse(digits).map(|number| number.canonical()));
        }
        Self { letters: letters(text), numbers }
    }

    fn names(&self, name: &str) -> bool {
        let name = letters(name);
        !name.is_empty() && self.letters.contains(&name)
    }

    /// Why a value cannot be what the user said: a figure or an identifier that is nowhere in the text. Instants
    /// are said in too many ways to look for them.
    fn lacks(&self, value: &Value) -> Option<Refusal> {
        let missing = match value {
            Value::Number(number) => !self.numbers.contains(number.canonical().trim_start_matches('-')),
            Value::Text(text) => {
                text.contains(|c: char| c.is_ascii_digit())
                    && parse_instant(text, Some(&Zone::utc())).is_err()
                    && parse_duration(text).is_err()
                    && !self.names(text)
            }
            Value::List(list) => return list.iter().find_map(|item| self.lacks(item)),
            Value::Map(map) => return map.values().find_map(|item| self.lacks(item)),
            Value::Null | Value::Bool(_) => false,
        };
        missing.then(|| {
            let shown = value.to_json();
            Refusal::new("not-in-text", format!("{shown} does not stand in what the user said; ask for it"))
        })
    }
}

fn letters(text: &str) -> String {
    folded(text).chars().filter(|c| c.is_alphanumeric()).collect()
}
