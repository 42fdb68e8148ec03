//! Random histories against a model that keeps every input in a list and looks through all of it for every answer.
//!
//! `THROUGHLINE_HISTORIES` says how many (60 when absent; CI takes 2,000) of `THROUGHLINE_STEPS` inputs (200).

use std::collections::BTreeMap;

use throughline_journal::{Millis, Origin, Seq};
use throughline_protocol::query::RelationHistory;
use throughline_world::At;

use crate::bench::{Bench, Meta, content, history};

const ENTITIES: u64 = 5;
const TIMES: u64 = 12;
/// When the content is looked at: everything is valid by then or was.
const LATER: Millis = 1_000;

const DOMAIN: &str = r#"{
    "entity_types": {"t": {"normalise": ["trim", "fold_case"], "fields": {"f0": {"type": "integer"}, "f1": {"type": "integer"}}}},
    "relations": {"many": {}, "one": {"cardinality": "one"}, "held": {"confidence_floor": 0.5, "below_floor": "hold"}}
}"#;

/// Numbers from a seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

type Stamp = (Millis, Option<Origin>, Seq);

#[derive(Clone, Debug)]
struct Said {
    stamp: Stamp,
    entity: u64,
    field: u64,
    value: Option<u64>,
}

#[derive(Clone, Debug)]
struct Edge {
    id: String,
    stamp: Stamp,
    from: u64,
    to: u64,
    name: &'static str,
    valid_to: Option<Millis>,
    held: bool,
    ended: Vec<(Seq, Millis)>,
}

/// Everything that was taken, in order.
#[derive(Default)]
struct Naive {
    said: Vec<Said>,
    /// Which entity was known from when, by which record.
    known: Vec<(Seq, u64, Millis)>,
    names: Vec<(u64, String)>,
    /// `(seq, merged, into)`; `None` undoes it.
    merges: Vec<(Seq, u64, Option<u64>)>,
    retired: Vec<(Seq, u64, Millis)>,
    edges: Vec<Edge>,
}

impl Naive {
    fn parent(&self, entity: u64, seq: Seq) -> Option<u64> {
        self.merges.iter().rev().find(|(s, e, _)| *s <= seq && *e == entity).and_then(|(_, _, into)| *into)
    }

    fn root(&self, entity: u64, seq: Seq) -> u64 {
        self.parent(entity, seq).map_or(entity, |parent| self.root(parent, seq))
    }

    fn registered(&self, entity: u64, seq: Seq) -> bool {
        self.known.iter().any(|(s, e, _)| *s <= seq && *e == entity)
    }

    fn there(&self, entity: u64, at: At) -> bool {
        let root = self.root(entity, at.seq);
        let known =
            |(s, e, from): &(Seq, u64, Millis)| *s <= at.seq && *from <= at.valid_at && self.root(*e, at.seq) == root;
        self.registered(root, at.seq) && self.known.iter().any(known)
    }

    fn is_retired(&self, entity: u64, at: At) -> bool {
        let root = self.root(entity, at.seq);
        self.retired.iter().any(|(s, e, from)| *s <= at.seq && *from <= at.valid_at && *e == root)
    }

    fn field(&self, entity: u64, field: u64, at: At, alone: bool) -> Option<&Said> {
        let root = self.root(entity, at.seq);
        let of = |e: u64| if alone { e == entity } else { self.root(e, at.seq) == root };
        let known = self.said.iter().filter(|s| s.field == field && of(s.entity));
        known.filter(|s| s.stamp.2 <= at.seq && s.stamp.0 <= at.valid_at).max_by(|a, b| a.stamp.cmp(&b.stamp))
    }

    fn end(&self, edge: &Edge, seq: Seq) -> Option<Millis> {
        let alike = |a: u64, b: u64| self.root(a, seq) == self.root(b, seq);
        let next = self.edges.iter().filter(|other| {
            let same = alike(other.from, edge.from) && other.name == edge.name;
            let follows = other.stamp.2 <= seq && other.stamp > edge.stamp && !other.held;
            same && follows && (other.name == "one" || alike(other.to, edge.to))
        });
        let commands = edge.ended.iter().filter(|(s, _)| *s <= seq).map(|(_, end)| *end);
        next.map(|other| other.stamp.0).chain(commands).chain(edge.valid_to).min()
    }

    fn stands(&self, edge: &Edge, at: At) -> bool {
        edge.stamp.2 <= at.seq
            && edge.stamp.0 <= at.valid_at
            && self.end(edge, at.seq).is_none_or(|end| at.valid_at < end)
            && !self.is_retired(edge.from, at)
            && !self.is_retired(edge.to, at)
    }

    /// What the content digest must tell apart, and nothing more.
    fn content(&self, valid_at: Millis) -> String {
        let at = At { seq: Seq::MAX, valid_at };
        let mut out = String::new();
        for entity in 0..ENTITIES {
            let known = |(_, e, from): &(Seq, u64, Millis)| *e == entity && *from <= valid_at;
            if !self.known.iter().any(known) {
                continue;
            }
            let mut names: Vec<&str> =
                self.names.iter().filter(|(e, _)| *e == entity).map(|(_, n)| n.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let own = self.retired.iter().any(|(_, e, from)| *e == entity && *from <= valid_at);
            out += &format!("{entity} {names:?} {:?} {own}", self.parent(entity, at.seq));
            for field in 0..2 {
                if let Some(said) = self.field(entity, field, at, true).filter(|said| said.value.is_some()) {
                    out += &format!(" {field}={:?}@{}", said.value, said.stamp.0);
                }
            }
            out.push('\n');
        }
        let mut edges: Vec<&Edge> = self.edges.iter().filter(|edge| self.stands(edge, at)).collect();
        edges.sort_by(|a, b| a.id.cmp(&b.id));
        for edge in edges {
            out += &format!("{} {:?}\n", edge.id, self.end(edge, at.seq));
        }
        out
    }
}

struct Run {
    bench: Bench,
    naive: Naive,
    random: Random,
    /// Contents that were met, with their digests.
    digests: BTreeMap<String, String>,
    inputs: Vec<(String, Meta, u64)>,
    took: Vec<bool>,
}

impl Run {
    /// An input: now and undated, or dated anywhere, with an origin or without.
    fn meta(&mut self) -> Meta {
        let valid_from = match self.random.below(4) {
            0 => None,
            _ => Some(self.random.below(TIMES) as Millis),
        };
        let origin = (self.random.below(2) == 0)
            .then(|| Origin { source: format!("s{}", self.random.below(3)), seq: self.random.below(200) });
        Meta { valid_from, origin }
    }

    fn entity(&mut self) -> u64 {
        self.random.below(ENTITIES)
    }

    fn spelling(&mut self, entity: u64) -> String {
        [format!("e{entity}"), format!("E{entity}"), format!(" e{entity} ")][self.random.below(3) as usize].clone()
    }

    fn step(&mut self) {
        self.bench.now += i64::from(self.random.below(3) == 0);
        let (kind, a, b) = (self.random.below(20), self.entity(), self.entity());
        // Every so often the very same input again.
        if kind == 19 && !self.inputs.is_empty() {
            let nth = self.random.below(self.inputs.len() as u64) as usize;
            let (command, meta, what) = self.inputs[nth].clone();
            let again = meta.origin.is_some() && meta.valid_from.is_some();
            let head = self.bench.journal.head().seq;
            self.run(&command, meta, what);
            // A dated input with an origin was said, or was refused then as now; entities may have ended since.
            let record = self.bench.journal.record(head + 1);
            if again && (command.contains("update_entity") || command.contains("add_relation")) && self.took[nth] {
                assert!(record.is_none(), "delivered twice, taken twice: {command} {record:?}");
            }
            return;
        }
        let meta = self.meta();
        let (command, what) = match kind {
            0..=2 => (format!(r#"{{"type":"register_entity","entity_type":"t","raw_id":"{}"}}"#, self.spelling(a)), a),
            3..=9 => {
                let value =
                    if self.random.below(6) == 0 { "null".to_owned() } else { self.random.below(3).to_string() };
                let name = self.spelling(a);
                let field = self.random.below(2);
                (format!(r#"{{"type":"update_entity","entity":"{name}","fields":{{"f{field}":{value}}}}}"#), a)
            }
            10 | 11 => (format!(r#"{{"type":"merge_entities","keep":"e{a}","merge":"e{b}"}}"#), a),
            12 | 13 => (format!(r#"{{"type":"unmerge_entities","merged":"e{a}"}}"#), a),
            14 if self.random.below(3) == 0 => (format!(r#"{{"type":"retire_entity","entity":"e{a}"}}"#), a),
            15 if !self.naive.edges.is_empty() => {
                let nth = self.random.below(self.naive.edges.len() as u64) as usize;
                (format!(r#"{{"type":"end_relation","relation":"{}"}}"#, self.naive.edges[nth].id), nth as u64)
            }
            _ => {
                let name = ["many", "one", "held"][self.random.below(3) as usize];
                let confidence = [r#","confidence":0.2"#, r#","confidence":0.8"#, ""][self.random.below(3) as usize];
                let until = if self.random.below(3) == 0 {
                    format!(r#","valid_to":{}"#, self.random.below(TIMES * 2))
                } else {
                    String::new()
                };
                (
                    format!(
                        r#"{{"type":"add_relation","from":"e{a}","relation":"{name}","to":"e{b}"{confidence}{until}}}"#
                    ),
                    b,
                )
            }
        };
        self.run(&command, meta, what);
    }

    fn run(&mut self, command: &str, meta: Meta, what: u64) {
        let before = (self.bench.journal.head().seq, self.bench.world.clone());
        let taken = self.bench.with(&meta, command);
        self.inputs.push((command.to_owned(), meta, what));
        let seq = self.bench.journal.head().seq;
        self.took.push(seq > before.0 || taken.is_ok());
        if seq == before.0 {
            // Refused, or it said nothing new.
            assert_eq!(history(&self.bench.world), history(&before.1), "{command}");
            return;
        }
        let record = self.bench.journal.record(seq).unwrap();
        let stamp: Stamp = (record.valid_from, record.origin.clone(), seq);
        let data = record.data().clone();
        let text = |name: &str| data.get(name).and_then(|v| v.as_str()).map(str::to_owned);
        let number = |id: Option<String>| {
            (0..ENTITIES).find(|n| Some(throughline_world::entity_id("t", &format!("e{n}")).to_string()) == id)
        };
        match record.kind.as_str() {
            "entity.registered" | "entity.updated" => {
                let entity = number(text("of").or_else(|| text("entity"))).unwrap();
                let read: throughline_value::Value = crate::bench::read(command);
                let named = read.get("raw_id").and_then(|v| v.as_str());
                if let Some(name) = named {
                    assert_eq!(entity, what, "a spelling names its entity");
                    self.naive.names.push((entity, name.to_owned()));
                }
                self.naive.known.push((seq, entity, stamp.0));
                for field in 0..2 {
                    if let Some(value) = data.at(&["fields", &format!("f{field}")]) {
                        let value = value.as_i64().map(|v| v as u64);
                        self.naive.said.push(Said { stamp: stamp.clone(), entity, field, value });
                    }
                }
            }
            "entity.merged" => {
                let (into, merged) = (number(text("entity")).unwrap(), number(text("merged")).unwrap());
                self.naive.merges.push((seq, merged, Some(into)));
            }
            "entity.unmerged" => self.naive.merges.push((seq, number(text("merged")).unwrap(), None)),
            "entity.retired" => self.naive.retired.push((seq, number(text("entity")).unwrap(), stamp.0)),
            "relation.added" => {
                let (from, to) = (number(text("from")).unwrap(), number(text("to")).unwrap());
                self.naive.known.extend([(seq, from, stamp.0), (seq, to, stamp.0)]);
                let name =
                    ["many", "one", "held"].into_iter().find(|name| text("name").as_deref() == Some(name)).unwrap();
                let confidence = crate::bench::read(command).get("confidence").map(|v| v.to_json());
                let held = name == "held" && confidence.as_deref() == Some("0.2");
                assert_eq!(text("flag").as_deref() == Some("held"), held);
                let valid_to = data.get("valid_to").and_then(|v| v.as_i64());
                let (id, ended) = (text("relation").unwrap(), Vec::new());
                self.naive.edges.push(Edge { id, stamp, from, to, name, valid_to, held, ended });
            }
            "relation.ended" => self.naive.edges[what as usize].ended.push((seq, stamp.0)),
            other => panic!("{other}"),
        }
        let content = (self.naive.content(LATER), content(&self.bench.world, LATER));
        // One digest for one content, and another one for another.
        if let Some(known) = self.digests.get(&content.0) {
            assert_eq!(*known, content.1, "{}", content.0);
        } else {
            assert!(!self.digests.values().any(|known| *known == content.1), "{}", content.0);
            self.digests.insert(content.0, content.1);
        }
    }

    fn check(&self, at: At) {
        for entity in 0..ENTITIES {
            let name = format!("e{entity}");
            let found = self.bench.world.entity(&name, at);
            // What is registered at `at.seq` is found by name; whether it is there is a matter of both axes.
            let there = self.naive.registered(entity, at.seq) && self.naive.there(entity, at);
            assert_eq!(found.is_ok(), there, "{name} at {at:?}: {found:?}");
            let Ok(found) = found else { continue };
            assert_eq!(found.entity.retired, self.naive.is_retired(entity, at), "{name} at {at:?}");
            for field in 0..2 {
                let shown =
                    found.entity.fields.get(format!("f{field}").as_str()).and_then(|v| v.as_i64()).map(|v| v as u64);
                let said = self.naive.field(entity, field, at, false);
                assert_eq!(shown, said.and_then(|said| said.value), "{name} f{field} at {at:?}");
            }
            let query = RelationHistory { entity: name.clone(), ..RelationHistory::default() };
            let versions = self.bench.world.relation_history(&query, at).unwrap();
            let root = self.naive.root(entity, at.seq);
            let mine = |edge: &&Edge| {
                let touches = [edge.from, edge.to].iter().any(|end| self.naive.root(*end, at.seq) == root);
                touches && edge.stamp.2 <= at.seq
            };
            let edges: Vec<&Edge> = self.naive.edges.iter().filter(mine).collect();
            assert_eq!(versions.len(), edges.len(), "{name} at {at:?}");
            for version in versions {
                let edge = edges.iter().find(|edge| edge.id == version.relation.id).unwrap();
                assert_eq!(version.relation.valid_to, self.naive.end(edge, at.seq), "{name} at {at:?}");
                let current = matches!(version.status.as_str(), "current" | "held");
                assert_eq!(current, self.naive.stands(edge, at), "{} at {at:?}", version.status);
            }
        }
        let shown = self.bench.world.relations(at, None, None).len();
        assert_eq!(shown, self.naive.edges.iter().filter(|edge| self.naive.stands(edge, at)).count(), "{at:?}");
    }
}

fn knob(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_histories_show_at_every_moment_what_a_scan_of_all_inputs_shows() {
    let steps = knob("THROUGHLINE_STEPS", 200);
    for seed in 0..knob("THROUGHLINE_HISTORIES", 60) {
        let mut bench = Bench::new(DOMAIN);
        bench.now = 1;
        let (naive, random) = (Naive::default(), Random(seed));
        let mut run = Run { bench, naive, random, digests: BTreeMap::new(), inputs: Vec::new(), took: Vec::new() };
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..steps {
                run.step();
            }
            let head = run.bench.journal.head().seq;
            for _ in 0..24 {
                let seq = 1 + run.random.below(head);
                let valid_at = run.random.below(TIMES * 2 + 4) as Millis - 2;
                run.check(At { seq, valid_at });
            }
            run.check(At { seq: head, valid_at: LATER });
            let replayed = run.bench.replayed();
            assert_eq!(history(&replayed), history(&run.bench.world), "a replay");
            assert_eq!(replayed.quarantined(), 0);
        }));
        if let Err(why) = checked {
            eprintln!("history {seed} of {steps} steps");
            std::panic::resume_unwind(why);
        }
    }
}
