//! What the ledger says at a moment.

use std::borrow::Cow;

use throughline_journal::Seq;
use throughline_protocol::view::{ConflictView, FactPage, FactView};
use throughline_protocol::{At, DEFAULT_SUBJECT};
use throughline_value::{Map, Value};

use super::timeline::{Cardinality, Fate, Status, Timeline};
use super::{FactPlace, Ledger};

/// Why a fact has its value: each step in words with its record, from the value back to what it replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct FactWhy {
    /// The value.
    pub value: Value,
    /// The steps.
    pub steps: Vec<(String, Option<Seq>)>,
}

fn value_at(timeline: &Timeline, at: At) -> Option<Cow<'_, Value>> {
    if timeline.is_plain() {
        return timeline.current_plain(at).and_then(|i| timeline.get(i)).map(|v| Cow::Borrowed(v.value()));
    }
    let current = timeline.current(at);
    let mut values = current.iter().filter_map(|i| timeline.get(*i)).map(|v| v.value());
    match timeline.cardinality {
        Cardinality::One | Cardinality::Interval => values.next().map(Cow::Borrowed),
        Cardinality::Many | Cardinality::Append => {
            (!current.is_empty()).then(|| Cow::Owned(Value::List(values.cloned().collect())))
        }
    }
}

impl Ledger {
    /// The facts that are true at a moment, by subject and key, of one subject or key or of all, and how many
    /// versions are hidden.
    #[must_use]
    pub fn facts(&self, at: At, subject: Option<&str>, key: Option<&str>) -> FactPage {
        let mut page = FactPage::default();
        for (subject, key, timeline) in self.timelines(subject, key) {
            for index in timeline.current(at) {
                let fate = Fate { index, status: Status::Current, ended_by: None };
                page.facts.extend(fact(timeline, subject, key, fate, timeline.count(at.seq)));
            }
            for (status, count) in timeline.hidden(at).named() {
                *page.hidden.entry(status.to_owned()).or_insert(0) += count;
            }
        }
        page.hidden.sort_keys();
        page
    }

    /// Where sources disagree at a moment, and how that was settled.
    #[must_use]
    pub fn conflicts(&self, at: At, subject: Option<&str>, key: Option<&str>) -> Vec<ConflictView> {
        let mut found = Vec::new();
        for (subject, key, timeline) in self.timelines(subject, key) {
            found.extend(timeline.conflict(at, subject, key));
        }
        found
    }

    /// Every version of a fact that was known at a moment, oldest first.
    #[must_use]
    pub fn history(&self, subject: &str, key: &str, at: At) -> Vec<FactView> {
        let Some(timeline) = self.timeline(subject, key) else { return Vec::new() };
        let count = timeline.count(at.seq);
        timeline.fates(at).into_iter().filter_map(|fate| fact(timeline, subject, key, fate, count)).collect()
    }

    /// The value at a moment: of a key with many values or an appended one the list of them. `None` when
    /// nothing is known, which is something else than a known null.
    #[must_use]
    pub fn get(&self, subject: &str, key: &str, at: At) -> Option<Value> {
        value_at(self.timeline(subject, key)?, at).map(Cow::into_owned)
    }

    /// The same for whoever asks for one fact again and again: `place` is where it was found before, and is looked at
    /// first. Nothing is copied where one value stands as it is.
    #[must_use]
    pub fn get_from(&self, place: &mut FactPlace, subject: &str, key: &str, at: At) -> Option<Cow<'_, Value>> {
        value_at(self.keys.get_from(place, subject, key)?, at)
    }

    /// Everything that is known of a subject at a moment, as a map by key: what `facts` is in an expression.
    #[must_use]
    pub fn snapshot(&self, subject: &str, at: At) -> Value {
        let keys = self.timelines(Some(subject), None).map(|(_, key, _)| key);
        let values = keys.filter_map(|key| self.get(subject, key, at).map(|value| (key.to_owned(), value)));
        Value::Map(values.collect::<Map>())
    }

    /// The subjects of which something was ever known, in order.
    pub fn subjects(&self) -> impl Iterator<Item = &str> {
        let mut last: Option<&str> = None;
        self.timelines(None, None)
            .map(|(subject, ..)| subject)
            .filter(move |subject| last.replace(subject) != Some(*subject))
    }

    /// Why a fact has its value at a moment; `None` when it has none.
    #[must_use]
    pub fn why(&self, subject: &str, key: &str, at: At) -> Option<FactWhy> {
        let timeline = self.timeline(subject, key)?;
        let value = self.get(subject, key, at)?;
        let mut steps = Vec::new();
        let about = if subject == DEFAULT_SUBJECT { String::new() } else { format!(" of {subject}") };
        for version in timeline.current(at).into_iter().filter_map(|i| timeline.get(i)) {
            let source = version.source().map(|s| format!(" from {s}")).unwrap_or_default();
            let sure = version.confidence().map(|c| format!(", confidence {c}")).unwrap_or_default();
            let text = format!(
                "`{key}`{about} is {}: version {}, asserted{source} in turn {}{sure}",
                version.value().to_json(),
                version.number(),
                version.turn()
            );
            steps.push((text, Some(version.seq())));
        }
        let versions = timeline.count(at.seq);
        if versions > MAX_WHY_VERSIONS {
            steps.push((format!("it has {versions} versions; the history has them all"), None));
            return Some(FactWhy { value, steps });
        }
        for fate in timeline.fates(at).iter().rev().filter(|f| f.status != Status::Current) {
            let Some(version) = timeline.get(fate.index) else { continue };
            let by = fate.ended_by.map(|seq| format!(" by record {seq}")).unwrap_or_default();
            let text =
                format!("{} was version {}, {}{by}", version.value().to_json(), version.number(), fate.status.name());
            steps.push((text, Some(version.seq())));
            if steps.len() >= MAX_WHY_STEPS {
                break;
            }
        }
        Some(FactWhy { value, steps })
    }
}

/// The most versions of a fact that an explanation goes through; of more it gives the current ones.
const MAX_WHY_VERSIONS: u64 = 4_096;

/// The most steps of an explanation; the rest is in the history.
const MAX_WHY_STEPS: usize = 32;

pub(super) fn fact(timeline: &Timeline, subject: &str, key: &str, fate: Fate, versions: u64) -> Option<FactView> {
    let version = timeline.get(fate.index)?;
    Some(FactView {
        subject: subject.to_owned(),
        key: key.to_owned(),
        value: version.value().clone(),
        version: u64::from(version.number()),
        valid_from: version.valid_from(),
        valid_to: version.valid_to(),
        recorded_at: version.recorded_at(),
        turn: version.turn(),
        source: version.source().cloned(),
        confidence: version.confidence().cloned(),
        status: fate.status.name().to_owned(),
        seq: version.seq(),
        ended_by: fate.ended_by,
        versions,
        trust: version.extra().and_then(|e| e.rank.as_ref()).map(|rank| rank.trust.clone()),
    })
}
