//! All projections side by side, as the turn and the engine see them.

use std::rc::Rc;

use throughline_dialogue::{Ledger, Machine};
use throughline_expr::time::Zone;
use throughline_expr::{Env, Expr};
use throughline_journal::{Digest, Millis, Record, Seq, Versions};
use throughline_memory::Memory;
use throughline_plan::answer::AnswerScope;
use throughline_plan::{Evidence, Plans};
use throughline_protocol::view::FactView;
use throughline_protocol::{At, DEFAULT_SUBJECT, Domain};
use throughline_value::{Map, Value};
use throughline_world::World;

use crate::domain::LoadedDomain;
use crate::recent::Recent;
use crate::turn::Proposals;
use crate::zones::{self, ZONE_LOADED};
use crate::{Documents, Turns};

/// All projections of one journal. They may be ahead of what is committed; views are given the moment.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    /// The domains that were loaded.
    pub domains: Versions<Rc<LoadedDomain>>,
    /// The documents.
    pub documents: Documents,
    /// Entities, relations, scheduled events.
    pub world: World,
    /// Facts.
    pub ledger: Ledger,
    /// The state machine.
    pub machine: Machine,
    /// Plan runs.
    pub plans: Plans,
    /// Remembered events.
    pub memory: Memory,
    /// The agent's turns.
    pub turns: Turns,
    /// What was proposed outside of a turn and put before a person.
    pub proposals: Proposals,
    recent: Recent,
    /// The last record that was folded.
    pub seq: Seq,
    /// Records of this crate's kinds that could not be read.
    pub quarantined: u64,
}

impl Rooms {
    /// Folds one record into every room.
    pub fn evolve(&mut self, record: &Record) {
        if matches!(record.kind.as_str(), "domain.loaded" | ZONE_LOADED) {
            let now = self.domain();
            let next = if record.kind == ZONE_LOADED {
                zones::with_zone(&now, record.data())
            } else {
                LoadedDomain::of_record(record.data()).map(|mut loaded| {
                    // Zones are not a matter of one domain.
                    loaded.domain.zones.clone_from(&now.domain.zones);
                    loaded
                })
            };
            match next {
                Some(next) => self.domains.push(record.seq, Rc::new(next)),
                None => self.quarantined += 1,
            }
        }
        self.documents.evolve(record);
        self.world.evolve(record);
        self.ledger.evolve(record);
        self.recent.evolve(record);
        self.machine.evolve(record);
        self.plans.evolve(record);
        self.memory.evolve(record);
        self.turns.evolve(record);
        self.proposals.evolve(record);
        self.seq = record.seq;
    }

    /// The current facts that a turn looks at, by subject and key, and whether there are older ones: at the newest
    /// record the [`MAX_RECENT_FACTS`](crate::MAX_RECENT_FACTS) that changed last; in the past all of them.
    #[must_use]
    pub fn recent_facts(&self, at: At) -> (Vec<FactView>, bool) {
        if at.seq < self.seq {
            return (self.ledger.facts(at, None, None).facts, false);
        }
        let names = self.recent.names().into_iter();
        let facts = names.flat_map(|(subject, key)| self.ledger.facts(at, Some(subject), Some(key)).facts);
        (facts.collect(), self.recent.has_older())
    }

    /// The domain at record `seq`; an empty one when none was loaded.
    #[must_use]
    pub fn domain_at(&self, seq: Seq) -> Rc<LoadedDomain> {
        self.domains.at(seq).cloned().unwrap_or_default()
    }

    /// The record that loaded the domain which stood after record `seq`; a zone that was loaded later is not one.
    #[must_use]
    pub fn domain_seq(&self, seq: Seq) -> Seq {
        let hash = &self.domain_at(seq).hash;
        let until = self.domains.iter().rev().skip_while(|(s, _)| *s > seq);
        until.take_while(|(_, loaded)| loaded.hash == *hash).last().map_or(0, |(seq, _)| *seq)
    }

    /// The newest domain; an empty one when none was loaded.
    #[must_use]
    pub fn domain(&self) -> Rc<LoadedDomain> {
        self.domains.last().cloned().unwrap_or_default()
    }

    /// The names that expressions may use, at a moment.
    #[must_use]
    pub fn names(&self, at: At, now: Millis) -> Names<'_> {
        Names { rooms: self, at, now, zone: zone_of(&self.domain_at(at.seq).domain), extra: Map::new() }
    }

    /// Adds every version of everything to the `history` digest.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("domains");
        for (_, domain) in self.domains.iter() {
            digest.text(&domain.hash);
            for (name, zone) in &domain.domain.zones {
                digest.text(name);
                digest.text(&zone.rules);
            }
        }
        self.documents.digest_history(digest);
        self.world.digest_history(digest);
        self.ledger.digest_history(digest);
        self.machine.digest_history(digest);
        self.plans.digest_history(digest);
        self.memory.digest_history(digest);
        self.turns.digest_history(digest);
        self.proposals.digest_history(digest);
    }

    /// Adds the current view to the `content` digest.
    pub fn digest_content(&self, digest: &mut Digest, valid_at: Millis) {
        digest.text("domain");
        digest.text(&self.domain().hash);
        self.documents.digest_content(digest);
        self.world.digest_content(digest, valid_at);
        self.ledger.digest_content(digest, valid_at);
        self.machine.digest_content(digest, valid_at);
        self.plans.digest_content(digest, valid_at);
        self.memory.digest_content(digest, valid_at);
        self.turns.digest_content(digest);
        self.proposals.digest_content(digest);
    }
}

/// The zone of a domain, when it names one that is known here.
#[must_use]
pub fn zone_of(domain: &Domain) -> Option<Zone> {
    domain.zone.as_deref().and_then(|name| zone_named(domain, name))
}

/// The zone of a name: an offset that is written out, or a zone whose rules were loaded.
#[must_use]
pub fn zone_named(domain: &Domain, name: &str) -> Option<Zone> {
    Zone::named(name, domain.zones.get(name).map(|zone| zone.rules.as_str()))
}

/// The names that an expression may use: `events.<name>` (`happened`, `firings`, `fired_at`), `facts.<key>`, `subjects.<subject>.<key>`, `state`,
/// `in_state.<path>`, the world's entities by id or by type and raw id, and whatever is added.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    rooms: &'a Rooms,
    at: At,
    now: Millis,
    zone: Option<Zone>,
    extra: Map,
}

impl Names<'_> {
    /// The same names and one more, which hides another of that name.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.extra.insert(name.to_owned(), value);
        self
    }

    /// The same names and more.
    #[must_use]
    pub fn with_all(mut self, map: &Map) -> Self {
        self.extra.extend(map.iter().map(|(k, v)| (k.clone(), v.clone())));
        self
    }

    /// Whether a condition holds; one that cannot be evaluated does not, and the reason is given.
    pub fn holds(&self, condition: &str) -> (bool, Option<String>) {
        match Expr::parse(condition).and_then(|expr| expr.test(self)) {
            Ok(held) => (held, None),
            Err(error) => (false, Some(error.to_string())),
        }
    }

    fn facts(&self, subject: &str) -> Value {
        self.rooms.ledger.snapshot(subject, self.at)
    }

    /// What is known of an event: a scheduled one, or one that the machine took.
    fn event(&self, name: &str, path: &[&str]) -> Option<Value> {
        if let Some(taken) = self.rooms.machine.last_taken(name, self.at) {
            let happened = Value::from([("happened", Value::from(true)), ("seq", taken.into())]);
            return happened.at(path.get(1..)?).cloned();
        }
        self.rooms.world.event_path(path, self.at)
    }

    fn state(&self) -> Value {
        match self.rooms.machine.state(self.at) {
            [] => Value::Null,
            [state] => Value::Text(state.clone()),
            states => Value::from(states.to_vec()),
        }
    }
}

impl Env for Names<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.extra.get(name) {
            return Some(value.clone());
        }
        match name {
            "facts" => Some(self.facts(DEFAULT_SUBJECT)),
            "subjects" | "in_state" => Some(Value::map()),
            "state" => Some(self.state()),
            _ => self.rooms.world.get_path(&[name], self.at),
        }
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        if let Some(value) = self.extra.get(name) {
            return value.at(rest).cloned();
        }
        match (*name, rest) {
            ("facts", [key, rest @ ..]) => self.rooms.ledger.get(DEFAULT_SUBJECT, key, self.at)?.at(rest).cloned(),
            ("subjects", [subject]) => Some(self.facts(subject)),
            ("subjects", [subject, key, rest @ ..]) => self.rooms.ledger.get(subject, key, self.at)?.at(rest).cloned(),
            ("events", path @ [name, ..]) => self.event(name, path),
            ("in_state", [_, ..]) => Some(Value::from(self.rooms.machine.in_state(&rest.join("."), self.at))),
            ("facts" | "subjects" | "state", _) => self.get(name)?.at(rest).cloned(),
            _ => self.rooms.world.get_path(path, self.at),
        }
    }

    fn now(&self) -> Option<Millis> {
        Some(self.now)
    }

    fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    fn zone_named(&self, name: &str) -> Option<Zone> {
        zone_named(&self.rooms.domain_at(self.at.seq).domain, name)
    }
}

impl AnswerScope for Names<'_> {
    /// A fact rests on the ledger: on the source that it names there.
    fn evidence(&self, path: &[String]) -> Vec<Evidence> {
        let (subject, key) = match path {
            [facts, key, ..] if facts == "facts" => (DEFAULT_SUBJECT, key),
            [subjects, subject, key, ..] if subjects == "subjects" => (subject.as_str(), key),
            _ => return Vec::new(),
        };
        let page = self.rooms.ledger.facts(self.at, Some(subject), Some(key));
        let of_fact = |fact: FactView| Evidence {
            document: fact.source.clone().unwrap_or_default(),
            version: fact.version,
            quote: fact.value.to_json(),
            method: "fact".to_owned(),
            ..Evidence::default()
        };
        page.facts.into_iter().map(of_fact).collect()
    }

    /// The class that the domain gives to a fact, or to a field of an entity.
    fn classes(&self, path: &[String]) -> Vec<String> {
        let loaded = self.rooms.domain_at(self.at.seq);
        let domain = &loaded.domain;
        let class = match path {
            [facts, key, ..] if facts == "facts" => domain.facts.get(key).and_then(|fact| fact.value.class.clone()),
            [subjects, _, key, ..] if subjects == "subjects" => {
                domain.facts.get(key).and_then(|fact| fact.value.class.clone())
            }
            [name, rest @ ..] => {
                let of_id = || name.rsplit_once('_').and_then(|(name, _)| domain.entity_types.get(name));
                let of = domain.entity_types.get(name).or_else(of_id);
                of.and_then(|of| rest.iter().find_map(|field| of.fields.get(field)?.class.clone()))
            }
            [] => None,
        };
        class.into_iter().collect()
    }
}
