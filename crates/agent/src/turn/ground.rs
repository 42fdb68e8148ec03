//! Ground: the things and facts of the text become entities and facts, or are rejected with a reason.
//!
//! What a model says it found is no more than that: a thing must be named in the text or be known already, and
//! a figure or an identifier must stand in the text. So identities are never invented. Words that the user did not
//! use are a guess of the model's: they are kept under its own name, and never in the place of what somebody said.

use throughline_expr::time::{Zone, parse_duration, parse_instant};
use throughline_plan::Pattern;
use throughline_protocol::command::{AssertFact, RegisterEntity};
use throughline_protocol::{At, Command, Context, DEFAULT_SUBJECT, Done, Meta, Refusal};
use throughline_value::{Map, Number, SortedSet, Value, to_value};

use super::{Ending, Move, by_model, finish};
use crate::Rooms;
use crate::claims::{Claim, claims, folded, small_numbers};
use crate::turns::{Stage, Turn};

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    let said = Said::of(&turn.started.text);
    let found = turn.output(Stage::Interpret);
    let confidence = found.get("confidence").and_then(Value::as_number);
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
            let said = said.says(ctx, key, value);
            if !said && let Some(refusal) = guess(rooms, ctx, subject.as_deref(), key, value, confidence) {
                invented.push((fact, refusal));
                continue;
            }
            let assert = AssertFact {
                key: key.to_owned(),
                value: value.clone(),
                subject,
                source: Some(if said { "user" } else { GUESSED }.to_owned()),
                sources: Vec::new(),
                confidence: confidence.filter(|_| !said).cloned(),
                valid_to: None,
                expected_version: None,
            };
            let reason = if said { "said by the user" } else { "the model's reading of what the user said" };
            commands.push((assert.into(), by_model(reason)));
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

/// The source of what a model takes from a text that does not say it in these words.
pub(crate) const GUESSED: &str = "model";

/// Why a guess is not kept: the model is not sure enough of it, or somebody said otherwise.
fn guess(
    rooms: &Rooms,
    ctx: &Context<'_>,
    subject: Option<&str>,
    key: &str,
    value: &Value,
    confidence: Option<&Number>,
) -> Option<Refusal> {
    let shown = value.to_json();
    if ctx.domain.agent.confidence.as_ref().is_some_and(|floor| confidence.is_none_or(|sure| sure < floor)) {
        let message = format!("{shown} is a guess: the user did not say it, and the model is not sure; ask for it");
        return Some(Refusal::new("guess-unsure", message));
    }
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let known = rooms.ledger.facts(at, Some(subject.unwrap_or(DEFAULT_SUBJECT)), Some(key)).facts;
    let said = known.iter().find(|fact| fact.source.as_deref() != Some(GUESSED) && fact.value != *value)?;
    let message = format!("{shown} is a guess, and {} stands: the user did not say otherwise", said.value.to_json());
    Some(Refusal::new("guess-against-known", message))
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
    /// As it was said, without capitals.
    text: String,
    /// Whether a day or a time stands in it, or a number that may be one.
    moment: bool,
}

impl Said {
    fn of(text: &str) -> Self {
        let mut numbers: SortedSet<String> =
            small_numbers(text).into_iter().map(|n| Number::from(n).canonical()).collect();
        let mut moment = !numbers.is_empty();
        for found in claims(text, &[]) {
            moment |= found.claim != Claim::Name;
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
        Self { letters: letters(text), numbers, text: folded(text), moment }
    }

    /// Whether the user said this value of a fact: its words stand in the text, or a pattern of the domain finds it
    /// there. What is true or false is said by naming what it is about.
    fn says(&self, ctx: &Context<'_>, key: &str, value: &Value) -> bool {
        let patterns = ctx.domain.patterns.values().filter(|pattern| pattern.fact.as_deref() == Some(key));
        let mut found = patterns.filter_map(|p| Pattern::compile(&p.regex).ok());
        if found.any(|pattern| !pattern.find_all(&self.text).is_empty()) {
            return true;
        }
        match value {
            Value::Number(_) => true,
            Value::Text(text) if parse_instant(text, Some(&Zone::utc())).is_ok() || parse_duration(text).is_ok() => {
                self.moment
            }
            Value::Text(text) => self.names(text) || words(text).all(|word| self.has(&word)),
            Value::List(list) => list.iter().all(|item| self.says(ctx, key, item)),
            Value::Map(map) => map.values().all(|item| self.says(ctx, key, item)),
            Value::Null | Value::Bool(_) => {
                let mut about = key.replace('_', " ");
                for label in ctx.domain.facts.get(key).into_iter().flat_map(|fact| fact.label.0.values()) {
                    about.push(' ');
                    about.push_str(label);
                }
                words(&about).any(|word| self.touches(&word))
            }
        }
    }

    /// Whether a word stands in the text, as a word of its own.
    fn has(&self, word: &str) -> bool {
        words(&self.text).any(|said| said == word) || (!word.is_ascii() && self.letters.contains(word))
    }

    /// Whether a word, or one of its family, stands in the text.
    fn touches(&self, word: &str) -> bool {
        if word.is_ascii() {
            let stem = word.get(..word.len().saturating_sub(2).max(STEM)).unwrap_or(word);
            return word.len() >= STEM && words(&self.text).any(|said| said.starts_with(stem));
        }
        let signs: Vec<char> = word.chars().collect();
        signs.windows(2).any(|pair| self.letters.contains(&pair.iter().collect::<String>()))
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

/// The shortest word that tells what a fact is about.
const STEM: usize = 4;

/// The words of a text: runs of Latin letters and digits, and runs of other signs.
fn words(text: &str) -> impl Iterator<Item = String> + use<> {
    let folded = folded(text);
    let mut words: Vec<String> = Vec::new();
    let mut before = None;
    for c in folded.chars() {
        let kind = c.is_alphanumeric().then(|| c.is_ascii());
        if kind.is_some() {
            if kind != before {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(c);
            }
        }
        before = kind;
    }
    words.into_iter()
}

fn letters(text: &str) -> String {
    folded(text).chars().filter(|c| c.is_alphanumeric()).collect()
}
