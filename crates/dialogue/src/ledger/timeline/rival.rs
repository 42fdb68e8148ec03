//! A key on which sources may disagree: what each of them says, and who is believed.
//!
//! Each source has its own say: a newer word of the same source supersedes its older one. Among what the sources
//! say at a moment, the domain's rule picks what counts.

use throughline_protocol::At;
use throughline_protocol::view::ConflictView;
use throughline_value::{Number, Value};

use super::{BTreeMap, Cardinality, Entry, Fate, OPEN_END, Order, Ordering, Says, Status, Timeline};
use crate::ledger::view::fact;

/// How a conflict between sources is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The source that is trusted most; of equally trusted ones the newest.
    MostTrusted,
    /// The official source; then the one that is trusted most.
    Official,
    /// A person says; until then what stood first stays.
    Ask,
}

impl Rule {
    /// The rule of a name; `newest_valid` needs none.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "most_trusted" => Some(Self::MostTrusted),
            "official" => Some(Self::Official),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MostTrusted => "most_trusted",
            Self::Official => "official",
            Self::Ask => "ask",
        }
    }
}

/// How a version stands against those of other sources.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rank {
    /// From 0 to 1.
    pub(crate) trust: Number,
    /// Whether the source is the official one.
    pub(crate) official: bool,
    /// Whether a person said it.
    pub(crate) person: bool,
}

impl Rank {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let is = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or(false);
        let trust = value.get("trust").and_then(Value::as_number)?.clone();
        Some(Self { trust, official: is("official"), person: is("person") })
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut entries = vec![("trust".to_owned(), Value::Number(self.trust.clone()))];
        for (name, is) in [("official", self.official), ("person", self.person)] {
            if is {
                entries.push((name.to_owned(), true.into()));
            }
        }
        Value::Map(entries.into_iter().collect())
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Rivals {
    /// What each source said, in the order of valid time.
    lanes: BTreeMap<String, Order>,
    /// From which entry on which rule holds.
    rules: Vec<(u32, Option<Rule>)>,
}

/// What the sources say at a moment.
pub(super) struct Claims {
    pub(super) winner: Option<u32>,
    /// Everything that is said, the winner too, in the order of valid time.
    pub(super) all: Vec<u32>,
    /// Whether a person has to settle it.
    pub(super) open: bool,
}

impl Timeline {
    /// The rule when so many entries were known.
    pub(crate) fn rule(&self, known: u32) -> Option<Rule> {
        let rivals = self.rest.as_ref()?.rivals.as_ref()?;
        let after = rivals.rules.partition_point(|(from, _)| *from < known);
        rivals.rules.get(after.checked_sub(1)?).and_then(|(_, rule)| *rule)
    }

    /// Takes in the newest entry, which came under a rule.
    pub(super) fn rank(&mut self, index: u32, rule: Option<Rule>) {
        let ranked = self.rest.as_ref().is_some_and(|r| r.rivals.is_some());
        if (rule.is_none() && !ranked) || matches!(self.cardinality, Cardinality::Many | Cardinality::Append) {
            return;
        }
        let mut rest = self.rest.take().unwrap_or_default();
        // What came before the rule counts too.
        let first = if ranked { index } else { 0 };
        let mut rivals = rest.rivals.take().unwrap_or_default();
        for i in first..=index {
            let Some(new) = self.get(i) else { continue };
            let before = |_: i64, other: u32| self.get(other).is_some_and(|o| o.cmp(new) == Ordering::Less);
            let end_of = |i: u32| self.get(i).map_or(OPEN_END, Entry::end);
            if new.is_assertion() {
                let lane = rivals.lanes.entry(new.source().cloned().unwrap_or_default()).or_default();
                lane.insert(new.valid_from(), i, before, end_of);
            } else {
                rest.sweeps.insert(new.valid_from(), i, before, end_of);
            }
        }
        if rivals.rules.last().is_none_or(|(_, last)| *last != rule) {
            rivals.rules.push((index, rule));
        }
        rest.rivals = Some(rivals);
        self.rest = Some(rest);
    }

    /// The retraction that ends an entry, as known at a moment.
    fn swept(&self, version: Entry<'_>, valid_at: i64, known: u32) -> Option<Entry<'_>> {
        let sweeps = &self.rest.as_ref()?.sweeps;
        let ends = |sweep: &Entry<'_>| {
            sweep.valid_from() <= valid_at
                && sweep.cmp(version) == Ordering::Greater
                && (sweep.says() == Says::AllRetracted || sweep.identity() == version.identity())
        };
        sweeps.iter().filter(|i| *i < known).filter_map(|i| self.get(i)).find(ends)
    }

    /// What one source says at a moment.
    fn said_by(&self, lane: &Order, at: At, known: u32) -> Option<u32> {
        let place = lane.until(at.valid_at);
        let (_, index) = match self.cardinality {
            Cardinality::Interval => lane.last_covering(place, known, at.valid_at, |i| self.end_of(i))?,
            _ => lane.last_before(place, known)?,
        };
        let version = self.get(index).filter(|v| v.end() > at.valid_at)?;
        self.swept(version, at.valid_at, known).is_none().then_some(index)
    }

    /// What a source says at a moment, of a key on which sources may disagree.
    pub(crate) fn current_of_source(&self, source: Option<&str>, at: At) -> Option<u32> {
        let rivals = self.rest.as_ref()?.rivals.as_ref()?;
        self.said_by(rivals.lanes.get(source.unwrap_or_default())?, at, self.known(at.seq))
    }

    pub(super) fn claims(&self, at: At, known: u32, rule: Rule) -> Claims {
        let lanes = self.rest.iter().filter_map(|r| r.rivals.as_ref()).flat_map(|r| r.lanes.values());
        let mut all: Vec<u32> = lanes.filter_map(|lane| self.said_by(lane, at, known)).collect();
        let order = |a: u32, b: u32| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => Ordering::Equal,
        };
        throughline_value::order_numbers(&mut all, &mut |a, b| order(a, b));
        let rank = |i: u32| self.get(i).and_then(|v| v.extra()?.rank.as_ref());
        let person = |i: &u32| rank(*i).is_some_and(|r| r.person);
        let differ = all.windows(2).any(|pair| match pair {
            [a, b] => self.get(*a).map(Entry::identity) != self.get(*b).map(Entry::identity),
            _ => false,
        });
        let open = rule == Rule::Ask && differ && !all.iter().any(person);
        let winner = match rule {
            Rule::Ask => match all.iter().rev().find(|i| person(i)) {
                Some(said) => Some(*said),
                None => if open { all.first() } else { all.last() }.copied(),
            },
            Rule::MostTrusted | Rule::Official => all.iter().copied().max_by(|a, b| {
                let (ranks, zero) = ((rank(*a), rank(*b)), Number::from(0));
                let official = |r: Option<&Rank>| rule == Rule::Official && r.is_some_and(|r| r.official);
                let trust = |r: Option<&Rank>| r.map_or_else(|| zero.clone(), |r| r.trust.clone());
                official(ranks.0)
                    .cmp(&official(ranks.1))
                    .then_with(|| trust(ranks.0).cmp(&trust(ranks.1)))
                    .then_with(|| order(*a, *b))
            }),
        };
        Claims { winner, all, open }
    }

    pub(super) fn fates_of_rivals(&self, at: At, known: u32, rule: Rule) -> Vec<Fate> {
        let claims = self.claims(at, known, rule);
        let winner = claims.winner.and_then(|w| self.get(w));
        let mut fates: Vec<Fate> = Vec::new();
        let lanes = self.rest.iter().filter_map(|r| r.rivals.as_ref()).flat_map(|r| r.lanes.values());
        for lane in lanes {
            let mut later: Option<Entry<'_>> = None;
            for index in lane.iter().filter(|i| *i < known).collect::<Vec<_>>().into_iter().rev() {
                let Some(version) = self.get(index) else { continue };
                let fate = |status, by: Option<Entry<'_>>| Fate { index, status, ended_by: by.map(Entry::seq) };
                if version.valid_from() > at.valid_at {
                    fates.push(fate(Status::Future, None));
                    continue;
                }
                let swept = self.swept(version, at.valid_at, known);
                let over = later.filter(|_| self.cardinality == Cardinality::One);
                let first = [swept, over].into_iter().flatten().min_by(|a, b| a.cmp(*b));
                let ended = first.map_or(at.valid_at, Entry::valid_from);
                fates.push(if version.end() <= ended {
                    fate(Status::Expired, None)
                } else if let Some(by) = first {
                    fate(if by.is_assertion() { Status::Superseded } else { Status::Retracted }, Some(by))
                } else if claims.winner == Some(index) {
                    fate(Status::Current, None)
                } else if !claims.all.contains(&index) {
                    fate(Status::Superseded, later)
                } else if claims.open && self.get(index).map(Entry::identity) != winner.map(Entry::identity) {
                    fate(Status::Disputed, None)
                } else {
                    fate(Status::Outranked, winner)
                });
                later = Some(version);
            }
        }
        throughline_value::InOrder::order_by_key(fates.as_mut_slice(), |fate: &Fate| fate.index);
        fates
    }

    /// Where sources disagree at a moment, and how that is settled.
    pub(crate) fn conflict(&self, at: At, subject: &str, key: &str) -> Option<ConflictView> {
        let known = self.known(at.seq);
        let count = self.count(at.seq);
        let view = |index: u32, status: Status, by: Option<Entry<'_>>| {
            fact(self, subject, key, Fate { index, status, ended_by: by.map(Entry::seq) }, count)
        };
        let name = |version: Entry<'_>| version.source().map_or("what was said here".to_owned(), |s| format!("`{s}`"));
        let Some(rule) = self.rule(known) else {
            // The newest counts; what stood before it from elsewhere and would still be true has lost to it.
            let winner = self.current(at).pop().filter(|_| self.cardinality == Cardinality::One)?;
            let won = self.get(winner)?;
            let (_, loser) = self.last_before(self.place_of(winner), known)?;
            let lost = self.get(loser).filter(|l| l.is_assertion() && l.end() > at.valid_at)?;
            if lost.identity() == won.identity() || lost.source() == won.source() {
                return None;
            }
            let why = format!("{} is newer than {}, and the newest counts", name(won), name(lost));
            return Some(ConflictView {
                subject: subject.to_owned(),
                key: key.to_owned(),
                rule: "newest_valid".to_owned(),
                open: false,
                winner: view(winner, Status::Current, None)?,
                losers: view(loser, Status::Superseded, Some(won)).into_iter().collect(),
                why,
            });
        };
        let claims = self.claims(at, known, rule);
        let winner = claims.winner?;
        let won = self.get(winner)?;
        let differs = |i: &u32| self.get(*i).is_some_and(|v| v.identity() != won.identity());
        let losers: Vec<u32> = claims.all.iter().copied().filter(differs).collect();
        let lost = self.get(*losers.first()?)?;
        let trust =
            |v: Entry<'_>| v.extra().and_then(|e| e.rank.as_ref()).map_or("0".to_owned(), |r| r.trust.to_string());
        let official = |v: Entry<'_>| v.extra().and_then(|e| e.rank.as_ref()).is_some_and(|r| r.official);
        let why = match rule {
            _ if claims.open => format!(
                "{} and {} disagree, and a person has to say which is right; until then what stood first stays",
                name(won),
                name(lost)
            ),
            Rule::Ask => format!("a person settled it: {}", won.value().to_json()),
            Rule::Official if official(won) && !official(lost) => format!("{} is the official source", name(won)),
            _ if trust(won) != trust(lost) => {
                format!("{} is trusted {}, {} only {}", name(won), trust(won), name(lost), trust(lost))
            }
            _ => format!("{} is trusted as much as {} and is newer", name(won), name(lost)),
        };
        let (status, by) = if claims.open { (Status::Disputed, None) } else { (Status::Outranked, Some(won)) };
        Some(ConflictView {
            subject: subject.to_owned(),
            key: key.to_owned(),
            rule: rule.name().to_owned(),
            open: claims.open,
            winner: view(winner, Status::Current, None)?,
            losers: losers.into_iter().filter_map(|i| view(i, status, by)).collect(),
            why,
        })
    }
}
