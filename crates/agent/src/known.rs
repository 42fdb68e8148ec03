//! What an answer may claim: everything that ledger, evidence, decision and rules say.

use throughline_expr::time::{Zone, parse_instant};
use throughline_journal::Millis;
use throughline_protocol::Domain;
use throughline_protocol::view::EntityView;
use throughline_value::{Number, SortedSet, Value};

use crate::claims::{Claim, Found, claims, folded, spans};

const DAY_MS: i64 = 86_400_000;

/// What is known, in the forms that claims are compared in.
#[derive(Clone)]
pub(crate) struct Known<'a> {
    zone: Option<&'a Zone>,
    /// When it is said.
    now: Millis,
    numbers: SortedSet<String>,
    instants: Vec<Millis>,
    /// Dates as they stand in texts.
    claims: Vec<Claim>,
    /// Texts in which a name may stand.
    texts: String,
}

impl<'a> Known<'a> {
    pub(crate) fn new(zone: Option<&'a Zone>, now: Millis) -> Self {
        Self { zone, now, numbers: SortedSet::new(), instants: Vec::new(), claims: Vec::new(), texts: String::new() }
    }

    /// Takes a value with all that is in it.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Number(number) => {
                // A text says "350 are owed", the ledger -350; not the other way round.
                let text = number.canonical();
                self.numbers.insert(text.trim_start_matches('-').to_owned());
                self.numbers.insert(text);
                // A percentage may be kept as a part of one.
                if let Some(percent) = times_hundred(number) {
                    self.numbers.insert(percent);
                }
            }
            Value::Text(text) => self.text(text),
            Value::List(list) => list.iter().for_each(|item| self.value(item)),
            Value::Map(map) => {
                for (name, item) in map {
                    self.name(name);
                    self.value(item);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Takes a text with its figures, dates and names.
    pub(crate) fn text(&mut self, text: &str) {
        self.name(text);
        if let Ok(reading) = parse_instant(text, self.zone) {
            self.instants.push(reading.ms);
            return;
        }
        for found in claims(text, &[]) {
            match found.claim {
                Claim::Number(number) => {
                    let text = number.canonical();
                    self.numbers.insert(text.trim_start_matches('-').to_owned());
                    self.numbers.insert(text);
                }
                Claim::Name => self.digits_of(&found.text),
                other => self.claims.push(other),
            }
        }
    }

    /// The figures within an identifier or a duration.
    fn digits_of(&mut self, text: &str) {
        for digits in text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
            if let Some(number) = Number::parse(digits) {
                self.numbers.insert(number.canonical());
            }
        }
    }

    /// Takes a text of which only names count: what a user said is no evidence for a figure.
    pub(crate) fn name(&mut self, text: &str) {
        self.texts.push_str(&folded(text));
        self.texts.push('\n');
    }

    /// Takes an entity with its names and fields.
    pub(crate) fn entity(&mut self, entity: &EntityView) {
        for name in std::iter::once(&entity.raw_id).chain(&entity.aliases) {
            self.text(name);
        }
        self.value(&Value::Map(entity.fields.clone()));
    }

    /// Takes what the author of the rules says in them.
    pub(crate) fn domain(&mut self, domain: &Domain, language: &str) {
        self.text(domain.agent.instructions.get(language));
        for constraint in &domain.constraints {
            self.text(constraint.message.get(language));
        }
        for action in domain.actions.values() {
            self.name(action.description.get(language));
        }
        for intent in domain.intents.values() {
            self.name(intent.description.get(language));
        }
        self.name(domain.description.get(language));
        for (name, of) in &domain.entity_types {
            self.name(name);
            self.name(of.label.get(language));
            for field in of.fields.values() {
                self.name(field.label.get(language));
                self.name(field.unit.as_deref().unwrap_or(""));
            }
        }
        for fact in domain.facts.values() {
            self.name(fact.label.get(language));
            self.name(fact.value.unit.as_deref().unwrap_or(""));
        }
    }

    /// Whether a claim rests on something.
    pub(crate) fn supports(&self, found: &Found) -> bool {
        match &found.claim {
            Claim::Number(number) => self.numbers.contains(&number.canonical()),
            Claim::Name => self.texts.contains(&folded(&found.text)) || self.names_one(&found.text),
            claim => {
                self.claims.iter().any(|known| agree(known, claim))
                    || self.instants.iter().any(|ms| self.is_of(claim, *ms))
            }
        }
    }

    /// Whether a name stands in what is known in another spelling, or one of what it names in the plural.
    fn names_one(&self, name: &str) -> bool {
        let one = name.strip_suffix('s').filter(|one| one.len() > 1).unwrap_or(name);
        !spans(&self.texts, &[name, one]).is_empty()
    }

    /// Whether an instant is of that day or time, in the zone of the domain.
    fn is_of(&self, claim: &Claim, ms: Millis) -> bool {
        let local_of = |ms: Millis| {
            let offset = self.zone.and_then(|zone| zone.offset_at(ms).ok()).unwrap_or(0);
            ms.saturating_add(i64::from(offset) * 1_000)
        };
        let local = local_of(ms);
        let days = local.div_euclid(DAY_MS);
        let minutes = u32::try_from(local.rem_euclid(DAY_MS) / 60_000).unwrap_or(0);
        match claim {
            Claim::Date(year, month, day) => {
                let (y, m, d) = civil(days);
                year.is_none_or(|year| i64::from(year) == y) && *month == m && *day == d
            }
            Claim::Day(day) => *day == civil(days).2,
            Claim::Time(hours, mins) => hours * 60 + mins == minutes,
            // The first of January 1970 was a Thursday.
            Claim::Weekday(day) => i64::from(*day) == (days + 3).rem_euclid(7) + 1,
            Claim::Away(away) => days - local_of(self.now).div_euclid(DAY_MS) == *away,
            Claim::Number(_) | Claim::Name => false,
        }
    }
}

/// Whether two dates can be the same: a year that is not said agrees with any.
fn agree(known: &Claim, claim: &Claim) -> bool {
    match (known, claim) {
        (Claim::Date(a, month, day), Claim::Date(b, m, d)) => {
            month == m && day == d && (a.is_none() || b.is_none() || a == b)
        }
        (Claim::Date(_, _, day), Claim::Day(d)) => day == d,
        _ => known == claim,
    }
}

fn times_hundred(number: &Number) -> Option<String> {
    let text = number.as_str();
    if number.is_integer() || text.contains(['e', 'E']) {
        return None;
    }
    Number::parse(&format!("{text}e2")).map(|number| number.canonical())
}

/// The day of a count of days since 1970, in the Gregorian calendar.
fn civil(days: i64) -> (i64, u32, u32) {
    // From March on, leap days come last in their year.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let part = (5 * of_year + 2) / 153;
    let day = of_year - (153 * part + 2) / 5 + 1;
    let month = if part < 10 { part + 3 } else { part - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, u32::try_from(month).unwrap_or(1), u32::try_from(day).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(known: &Value, text: &str, unsupported: &[&str]) {
        let zone = Zone::fixed(8 * 3_600).unwrap();
        let mut all = Known::new(Some(&zone), 1_772_600_000_000);
        all.value(known);
        let found = claims(text, &[]);
        let missing: Vec<&str> = found.iter().filter(|f| !all.supports(f)).map(|f| f.text.as_str()).collect();
        assert_eq!(missing, unsupported, "{text}");
    }

    #[test]
    fn a_claim_rests_on_what_is_known_in_any_of_its_forms() {
        let known = Value::from([
            ("price", Value::from(18_900)),
            ("due", Value::from("2026-03-05T13:40:00+08:00")),
            ("rate", Value::Number(Number::parse("0.835").unwrap())),
            ("seller", Value::from("Bluepine Tea House")),
        ]);
        check(&known, "It costs 18,900, which is 1.89万.", &[]);
        check(&known, "It costs 18,901.", &["18,901"]);
        check(&known, "On 5 March 2026 at 13:40, a Thursday; 83.5 % are on time.", &[]);
        check(&known, "It comes tomorrow at 1:40 pm, 明天下午1点40分.", &[]);
        check(&known, "It comes yesterday, for -18,900.", &["yesterday", "18,900"]);
        check(&known, "On 6 March at 05:40.", &["6 March", "05:40"]);
        check(&known, "The Bluepine Tea House sends it, not the Redpine Tea House.", &["Redpine Tea House"]);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, date) in [(0, (1970, 1, 1)), (19_782, (2024, 2, 29)), (-1, (1969, 12, 31)), (20_517, (2026, 3, 5))] {
            assert_eq!(civil(days), date);
        }
    }
}
