//! Of whom something is said: a figure that is right for one thing is wrong beside the name of another.
//!
//! What is known of a thing (an entity with its fields, a map that names it, a fact with it as the subject) belongs
//! to it. A claim in a sentence is said of the things named before it, or after it where the sentence begins with
//! the claim, or in the sentence before where this one names nothing ("It costs 100."). It is wrong when it belongs
//! to another thing only.

use throughline_protocol::view::EntityView;
use throughline_value::{Map, Value};

use crate::claims::{Claim, Found, folded, is_denied, spans};
use crate::known::Known;

/// Names of fields that name the thing that a map is about.
const NAMING: [&str; 8] = ["name", "raw_id", "id", "title", "entity", "item", "product", "名称"];

/// Words that stand between a figure and the thing that it is `for`.
const FOR: [&str; 10] = ["for", "of", "the", "a", "an", "is", "dollars", "usd", "eur", "each"];

/// How deep maps in values are looked through for things.
const MAX_DEPTH: u32 = 8;

struct Owner<'a> {
    names: Vec<String>,
    /// A fact by its label: a figure beside it may be anybody's, its own figure is not another's.
    label: bool,
    known: Known<'a>,
}

/// What belongs to whom.
pub(crate) struct Owners<'a> {
    empty: Known<'a>,
    owners: Vec<Owner<'a>>,
    /// What belongs to nobody: it may be said of anything.
    free: Known<'a>,
}

impl<'a> Owners<'a> {
    /// `empty` knows nothing.
    pub(crate) fn new(empty: &Known<'a>) -> Self {
        Self { empty: empty.clone(), owners: Vec::new(), free: empty.clone() }
    }

    /// What belongs to nobody.
    pub(crate) fn free(&mut self) -> &mut Known<'a> {
        &mut self.free
    }

    /// What is known of the thing with these names.
    pub(crate) fn of(&mut self, names: &[&str]) -> &mut Known<'a> {
        let same = |owner: &Owner<'_>| names.iter().any(|n| owner.names.iter().any(|own| folded(own) == folded(n)));
        let place = self.owners.iter().position(same).unwrap_or(self.owners.len());
        if place == self.owners.len() {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            self.owners.push(Owner { names, label: false, known: self.empty.clone() });
        }
        self.owners.get_mut(place).map_or(&mut self.free, |owner| &mut owner.known)
    }

    pub(crate) fn entity(&mut self, entity: &EntityView) {
        let mut names = vec![entity.raw_id.as_str()];
        names.extend(entity.aliases.iter().map(String::as_str));
        self.of(&names).entity(entity);
    }

    /// Takes a fact by its label.
    pub(crate) fn label(&mut self, label: &str, value: &Value) {
        let mut known = self.empty.clone();
        known.value(value);
        self.owners.push(Owner { names: vec![label.to_owned()], label: true, known });
    }

    /// Takes a value: what stands in a map that names a thing is the thing's, the rest is free.
    pub(crate) fn value(&mut self, value: &Value) {
        self.inner(value, MAX_DEPTH);
    }

    fn inner(&mut self, value: &Value, depth: u32) {
        match value {
            Value::Map(map) if depth > 0 => match self.named(map) {
                Some(name) => self.of(&[name.as_str()]).value(value),
                None => map.values().for_each(|item| self.inner(item, depth - 1)),
            },
            Value::List(list) if depth > 0 => list.iter().for_each(|item| self.inner(item, depth - 1)),
            other => self.free.value(other),
        }
    }

    /// The thing that a map names: by a field for that, or by the name of a thing that is known.
    fn named(&self, map: &Map) -> Option<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let by_field = NAMING.iter().find_map(|name| map.get(name).and_then(text));
        let known = |text: &&str| self.owners.iter().any(|o| o.names.iter().any(|name| folded(name) == folded(text)));
        by_field.or_else(|| map.values().filter_map(Value::as_str).find(known).map(str::to_owned))
    }

    /// Takes a text of a source: what it says belongs to the things that it names.
    pub(crate) fn quote(&mut self, quote: &str) {
        for owner in &mut self.owners {
            let names: Vec<&str> = owner.names.iter().map(String::as_str).collect();
            if !spans(quote, &names).is_empty() {
                owner.known.text(quote);
            }
        }
    }

    /// The claims of a text that belong to another thing than the one they are said of.
    pub(crate) fn misplaced(&self, text: &str, found: &[Found]) -> Vec<String> {
        let named = self.places(text);
        let mut wrong = Vec::new();
        let mut carried: Vec<usize> = Vec::new();
        for (start, end) in sentences(text) {
            let inside = |from: usize| (start..end).contains(&from);
            let names: Vec<&(usize, usize, usize)> = named.iter().filter(|(from, ..)| inside(*from)).collect();
            let claims: Vec<&Found> = found.iter().filter(|found| inside(found.start)).collect();
            for claim in claims.iter().filter(|claim| !matches!(claim.claim, Claim::Away(_))) {
                let group = said_of(text, claim, &names, &claims).unwrap_or_else(|| carried.clone());
                let of = |place: &usize| self.owners.get(*place);
                let fits = group.iter().filter_map(of).any(|owner| owner.known.supports(claim));
                if is_denied(text, claim.start) {
                    // What is not so may be anybody's.
                    if fits || (group.is_empty() && self.free.supports(claim)) {
                        wrong.push(format!("`{}` is so, and the text denies it", claim.text));
                    }
                    continue;
                }
                let blamed = group.iter().filter_map(of).find(|owner| !owner.label);
                if fits || self.free.supports(claim) {
                    continue;
                }
                // Further figures behind a name may be said of what has no name here: "100, of your 150".
                let next = claims.iter().rfind(|other| other.end <= claim.start);
                let direct =
                    names.iter().any(|(_, end, _)| *end <= claim.start && next.is_none_or(|other| other.start < *end));
                let others = self.owners.iter().filter(|owner| direct || !owner.label);
                let other = { others }.find(|owner| owner.known.supports(claim));
                if let (Some(first), Some(other)) = (blamed, other) {
                    let name = |owner: &Owner<'_>| owner.names.first().cloned().unwrap_or_default();
                    wrong.push(format!("`{}` is said of {}, and is {}'s", claim.text, name(first), name(other)));
                }
            }
            if !names.is_empty() {
                carried = names.iter().map(|(.., place)| *place).collect();
            }
        }
        wrong
    }

    /// Where things are named: from, to, and which. `Lumen` does not stand where `Lumen Hybrid` stands.
    fn places(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let mut all: Vec<(usize, usize, usize)> = Vec::new();
        for (place, owner) in self.owners.iter().enumerate() {
            let names: Vec<&str> = owner.names.iter().map(String::as_str).filter(|name| name.len() > 1).collect();
            all.extend(spans(text, &names).into_iter().map(|(start, end)| (start, end, place)));
        }
        let widest = all.clone();
        all.retain(|(start, end, _)| !widest.iter().any(|(s, e, _)| s <= start && end <= e && e - s > end - start));
        throughline_value::InOrder::order(all.as_mut_slice());
        all
    }
}

/// The things that a claim is said of; `None` where its sentence names none.
fn said_of(text: &str, claim: &Found, names: &[&(usize, usize, usize)], claims: &[&Found]) -> Option<Vec<usize>> {
    let first = names.first()?;
    let after: Vec<_> = names.iter().filter(|(start, ..)| *start >= claim.end).collect();
    let between = |from: usize, to: usize| text.get(from..to).unwrap_or("");
    if let Some((start, _, place)) = after.first() {
        let words: Vec<String> = between(claim.end, *start).split_whitespace().map(folded).collect();
        let links = |word: &String| FOR.contains(&word.as_str()) || !word.chars().any(char::is_alphanumeric);
        if words.iter().any(|word| word == "for") && words.iter().all(links) {
            return Some(vec![*place]);
        }
    }
    let before: Vec<_> = names.iter().filter(|(_, end, _)| *end <= claim.start).collect();
    let parted = |from: usize, to: usize| claims.iter().any(|other| other.start >= from && other.end <= to);
    let forwards = claims.first().is_some_and(|other| other.start < first.0);
    // The names that stand together, next to the claim or to the claims beside it.
    let mut group: Vec<usize> = Vec::new();
    if forwards && !after.is_empty() {
        let mut end = None;
        for (start, stop, place) in after {
            if end.is_some_and(|end| parted(end, *start)) {
                break;
            }
            group.push(*place);
            end = Some(*stop);
        }
    } else {
        let mut begin = None;
        for (start, stop, place) in before.into_iter().rev() {
            if begin.is_some_and(|begin| parted(*stop, begin)) {
                break;
            }
            group.push(*place);
            begin = Some(*start);
        }
    }
    Some(group)
}

/// The sentences and lines of a text.
fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut signs = text.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        let spaced = signs.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(c, '。' | '！' | '？' | '；' | ';' | '\n') || (matches!(c, '.' | '!' | '?') && spaced) {
            out.push((start, at));
            start = at + c.len_utf8();
        }
    }
    out.push((start, text.len()));
    out
}

#[cfg(test)]
mod tests {
    use throughline_value::json;

    use super::*;
    use crate::claims::claims;

    fn check(text: &str, wrong: &[&str]) {
        let empty = Known::new(None, 1_772_600_000_000);
        let mut owners = Owners::new(&empty);
        for (name, fields) in [
            ("Aurora Lamp", r#"{"price":150,"seller":"Bluepine","ready":"2026-03-05T00:00:00Z"}"#),
            ("Nova Lamp", r#"{"price":100,"seller":"Redfield","ready":"2026-03-09T00:00:00Z"}"#),
            ("极光灯", r#"{"price":150}"#),
            ("新星灯", r#"{"price":100}"#),
        ] {
            owners.of(&[name]).value(&json::read_value(fields).unwrap());
        }
        owners.label("Budget", &Value::from(20_000));
        let masks = ["Aurora Lamp", "Nova Lamp", "极光灯", "新星灯"];
        let got = owners.misplaced(text, &claims(text, &masks));
        assert_eq!(got.iter().map(|w| w.split('`').nth(1).unwrap()).collect::<Vec<_>>(), wrong, "{text}: {got:?}");
    }

    #[test]
    fn what_is_right_for_another_thing_is_wrong_here() {
        check("The Aurora Lamp costs 100.", &["100"]);
        check("The Aurora Lamp costs 100 and the Nova Lamp 150.", &["100", "150"]);
        check("The Aurora Lamp is nice. It costs 100.", &["100"]);
        check("100 for the Aurora Lamp, 150 for the Nova Lamp.", &["100", "150"]);
        check("For 100 you get the Aurora Lamp.", &["100"]);
        check("- Aurora Lamp: 100\n- Nova Lamp: 150", &["100", "150"]);
        check("The Nova Lamp is ready on 5 March 2026.", &["5 March 2026"]);
        check("The Nova Lamp comes from Bluepine.", &["Bluepine"]);
        check("The Aurora Lamp costs 20,000.", &["20,000"]);
        check("极光灯的价格是100元。", &["100"]);
        check("极光灯100元，新星灯150元。", &["100", "150"]);
        check("极光灯很好。它只要一百元。", &["一百"]);
        check("The aurora lamps cost 100.", &["100"]);
        check("The Aurora\u{a0}Lamp costs 100.", &["100"]);
        check("极光 灯只要100元。", &["100"]);
        check("The Aurora Lamp does not cost 150.", &["150"]);
        check("极光灯不是150元。", &["150"]);
    }

    #[test]
    fn what_is_right_stays_right_in_any_order_of_words() {
        for text in [
            "The Aurora Lamp costs 150.",
            "The Aurora Lamp costs 150 and the Nova Lamp 100.",
            "The Aurora Lamp is nice. It costs 150, within 20,000.",
            "The Aurora Lamp is within your budget of 20,000. It costs 150.",
            "At 150 it is within your budget.",
            "The Aurora Lamp costs 150, far below your 20,000.",
            "150 for the Aurora Lamp, 100 for the Nova Lamp.",
            "The Aurora Lamp costs 150, compared to 100 for the Nova Lamp.",
            "Instead of the Nova Lamp, take the Aurora Lamp for 150.",
            "The Aurora Lamp and the Nova Lamp cost 150 and 100.",
            "For 100 you get the Nova Lamp, for 150 the Aurora Lamp.",
            "- Aurora Lamp: 150 from Bluepine\n- Nova Lamp: 100 from Redfield",
            "The Aurora Lamp (150) is ready on 5 March 2026, the Nova Lamp (100) on 9 March 2026.",
            "There are lamps for 100 and 150.",
            "The Aurora Lamp does not cost 100, it costs 150.",
            "The Aurora Lamps cost 150, not more than 150.",
            "极光灯150元，新星灯100元。",
            "极光灯和新星灯分别是150元和100元。",
        ] {
            check(text, &[]);
        }
    }
}
