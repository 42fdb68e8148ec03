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

/// What a pattern finds in a text without the phrases that do not count: as it is written, and without capitals
/// and full-width signs.
fn found(saying: &Saying, text: &str) -> Vec<String> {
    let Ok(pattern) = Pattern::compile(&saying.pattern) else { return Vec::new() };
    let mut plain = folded(text);
    for phrase in &saying.except {
        plain = plain.replace(&folded(phrase), " ");
    }
    let mut found = pattern.find_all(&plain);
    // What only capitals find is taken too, unless it stands in a phrase that does not count.
    let excepted: Vec<&str> = saying.except.iter().map(String::as_str).collect();
    let mut open = text.to_owned();
    for (start, end) in spans(text, &excepted).into_iter().rev() {
        open.replace_range(start..end, " ");
    }
    let more = pattern.find_all(&open);
    found.extend(more.into_iter().filter(|text| !found.contains(&folded(text))).collect::<Vec<_>>());
    found
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
