//! What must hold for everything that is proposed, in a structure or in words.

use throughline_expr::Expr;
use throughline_plan::Pattern;
use throughline_protocol::domain::{Constraint, Saying};
use throughline_protocol::view::EntityView;
use throughline_protocol::{At, Domain};
use throughline_value::{InOrder as _, Map, Number, Value};

use crate::claims::{folded, spans};
use crate::{Names, Rooms};

/// What is looked at when constraints are checked.
pub(crate) struct Checked<'a> {
    pub(crate) rooms: &'a Rooms,
    pub(crate) domain: &'a Domain,
    pub(crate) at: At,
    pub(crate) language: &'a str,
    /// The names that rules may use.
    pub(crate) names: Names<'a>,
}

impl Checked<'_> {
    /// The entities that constraints are about and that a text names, by their names.
    pub(crate) fn named_in(&self, text: &str) -> Vec<EntityView> {
        let mut about: Vec<&str> = self.domain.constraints.iter().flat_map(|c| &c.about).map(String::as_str).collect();
        about.order();
        about.dedup();
        let entities = about.into_iter().flat_map(|of| self.rooms.world.entities(self.at, Some(of)));
        let mut found: Vec<EntityView> = entities.filter(|entity| !places(entity, text).is_empty()).collect();
        // `Lumen` does not stand where `Lumen Hybrid` stands.
        let all: Vec<(usize, usize)> = found.iter().flat_map(|entity| places(entity, text)).collect();
        let inside =
            |(start, end): &(usize, usize)| all.iter().any(|(s, e)| s <= start && end <= e && e - s > end - start);
        found.retain(|entity| !places(entity, text).iter().all(inside));
        found
    }

    /// What is broken by a proposed action: its arguments as they are, each entity that they name, and what is
    /// said in them.
    pub(crate) fn by_action(&self, action: &str, args: &Value) -> Vec<String> {
        let mut texts = String::new();
        collect_texts(args, &mut texts);
        let named = self.named_in(&texts);
        let mut wrong = Vec::new();
        for constraint in &self.domain.constraints {
            if !constraint.actions.is_empty() && !constraint.actions.iter().any(|name| name == action) {
                continue;
            }
            let mut proposal = args.as_map().cloned().unwrap_or_default();
            proposal.insert("action".to_owned(), Value::from(action));
            let offers = !constraint.about.is_empty() || !constraint.says.is_empty();
            if !offers || has_its_fields(constraint, &proposal) {
                wrong.extend(self.broken(constraint, proposal, action));
            }
            self.by_words(constraint, &texts, &named, &mut wrong);
        }
        wrong
    }

    /// What is broken by an answer in words.
    pub(crate) fn by_answer(&self, text: &str, named: &[EntityView]) -> Vec<String> {
        let mut wrong = Vec::new();
        for constraint in &self.domain.constraints {
            self.by_words(constraint, text, named, &mut wrong);
        }
        wrong
    }

    /// What is broken by naming these entities.
    pub(crate) fn by_entities(&self, named: &[EntityView]) -> Vec<String> {
        let mut wrong = Vec::new();
        for constraint in &self.domain.constraints {
            self.by_named(constraint, named, &mut wrong);
        }
        wrong
    }

    fn by_named(&self, constraint: &Constraint, named: &[EntityView], wrong: &mut Vec<String>) {
        for entity in named.iter().filter(|entity| constraint.about.contains(&entity.entity_type)) {
            let mut proposal = entity.fields.clone();
            proposal.insert("entity".to_owned(), Value::from(entity.raw_id.as_str()));
            if has_its_fields(constraint, &proposal) {
                wrong.extend(self.broken(constraint, proposal, &entity.raw_id));
            }
        }
    }

    fn by_words(&self, constraint: &Constraint, text: &str, named: &[EntityView], wrong: &mut Vec<String>) {
        self.by_named(constraint, named, wrong);
        for saying in &constraint.says {
            for said in found(saying, text) {
                let value = if saying.value.is_null() { figure(&said) } else { saying.value.clone() };
                let proposal = Map::from_iter([(saying.field.clone(), value)]);
                wrong.extend(self.broken(constraint, proposal, &said));
            }
        }
    }

    fn broken(&self, constraint: &Constraint, proposal: Map, what: &str) -> Option<String> {
        let (held, error) = self.names.clone().with("proposal", Value::Map(proposal)).holds(&constraint.rule);
        if held {
            return None;
        }
        let message = constraint.message.get(self.language);
        let error = error.map(|error| format!(" ({error})")).unwrap_or_default();
        Some(format!("the constraint `{}` is broken by {what}: {message}{error}", constraint.name))
    }
}

/// Where an entity's names stand in a text.
fn places(entity: &EntityView, text: &str) -> Vec<(usize, usize)> {
    let names: Vec<&str> =
        std::iter::once(entity.raw_id.as_str()).chain(entity.aliases.iter().map(String::as_str)).collect();
    spans(text, &names)
}

/// Whether a proposal has every field that the rule reads of it.
fn has_its_fields(constraint: &Constraint, proposal: &Map) -> bool {
    let Ok(rule) = Expr::parse(&constraint.rule) else { return true };
    let names = rule.required_names();
    let mut fields = names.iter().filter(|path| path.root() == "proposal").filter_map(|path| path.segments.get(1));
    fields.all(|field| proposal.contains_key(field))
}

/// What a pattern finds in a text without the phrases that do not count: without capitals and full-width signs, as it
/// is written, and with every figure in plain digits, so that `[0-9]+ dollars` finds `twenty-one thousand dollars`.
fn found(saying: &Saying, text: &str) -> Vec<String> {
    let Ok(pattern) = Pattern::compile(&saying.pattern) else { return Vec::new() };
    let excepted: Vec<String> = saying.except.iter().map(|phrase| folded(phrase)).collect();
    let without = |text: String| excepted.iter().fold(text, |text, phrase| text.replace(phrase.as_str(), " "));
    let mut found: Vec<String> = Vec::new();
    let mut add = |said: String| {
        if !found.iter().any(|other| *other == folded(&said) || figure(other) == figure(&said)) {
            found.push(said);
        }
    };
    for form in [folded(text), folded(&in_digits(text))] {
        pattern.find_all(&without(form)).into_iter().for_each(&mut add);
    }
    // What only capitals find, unless it stands in a phrase that does not count.
    let capitals = pattern.find_all(text).into_iter();
    capitals.filter(|said| !excepted.iter().any(|phrase| phrase.contains(&folded(said)))).for_each(add);
    found
}

/// A text with its figures in plain digits.
fn in_digits(text: &str) -> String {
    let mut out = String::new();
    let mut written = 0;
    for found in crate::claims::claims(text, &[]) {
        let crate::claims::Claim::Number(number) = &found.claim else { continue };
        // In digits already; what its points mean is looked at below.
        if found.text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            continue;
        }
        let digits = number.as_i64().map_or_else(|| number.as_str().into_owned(), |whole| whole.to_string());
        out.push_str(text.get(written..found.start).unwrap_or(""));
        out.push_str(&digits);
        written = found.end;
    }
    out.push_str(text.get(written..).unwrap_or(""));
    // A figure that points part reads both ways until it is known: the greater one is checked.
    with_points_joined(&out)
}

/// `21.000` as `21000`: a text for people has no use for three places behind a whole number.
fn with_points_joined(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let digit = |at: usize| signs.get(at).is_some_and(char::is_ascii_digit);
    let joined = |at: usize| {
        let three = (1..=3).all(|i| digit(at + i)) && !digit(at + 4);
        signs.get(at) == Some(&'.') && at.checked_sub(1).is_some_and(digit) && three
    };
    signs.iter().enumerate().filter(|(at, _)| !joined(*at)).map(|(_, c)| *c).collect()
}

/// A figure when a text reads as one: `23,500` and `2.35万` do.
pub(crate) fn figure(text: &str) -> Value {
    let mut figures = crate::claims::claims(text, &[]).into_iter().filter_map(|found| match found.claim {
        crate::claims::Claim::Number(number) => Some(number),
        _ => None,
    });
    match (figures.next(), figures.next()) {
        (Some(number), None) => Value::Number(number),
        _ => Number::parse(text).map_or_else(|| Value::from(text), Value::Number),
    }
}

fn collect_texts(value: &Value, into: &mut String) {
    match value {
        Value::Text(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::List(list) => list.iter().for_each(|item| collect_texts(item, into)),
        Value::Map(map) => map.values().for_each(|item| collect_texts(item, into)),
        _ => {}
    }
}
