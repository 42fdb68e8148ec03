//! The ledger against a slow and obvious model: every read is a scan over everything that was said.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throughline_journal::{Millis, Origin, Record, Seq};
use throughline_protocol::At;
use throughline_value::Value;

use crate::support::{Bench, Stands, fact, no_fact};

const DOMAIN: &str = r#"{"facts": {
    "one": {}, "many": {"cardinality": "many"}, "interval": {"cardinality": "interval"},
    "append": {"cardinality": "append"}
}}"#;

const KEYS: [&str; 4] = ["one", "many", "interval", "append"];

/// One thing that happens.
#[derive(Clone, Debug)]
enum Act {
    Assert {
        key: usize,
        value: i64,
        from: Option<Millis>,
        length: Option<Millis>,
        origin: Option<Origin>,
    },
    Retract {
        key: usize,
        value: Option<i64>,
        from: Option<Millis>,
        origin: Option<Origin>,
    },
    /// The act at this place among those before, once more.
    Again(prop::sample::Index),
    Wait(Millis),
}

fn origin() -> impl Strategy<Value = Option<Origin>> {
    prop::option::of((0..2u8, 0..6u64).prop_map(|(s, seq)| Origin { source: format!("source{s}"), seq }))
}

fn act() -> impl Strategy<Value = Act> {
    let from = || prop::option::weighted(0.6, 0..16i64);
    prop_oneof![
        6 => (0..4usize, 0..3i64, from(), prop::option::weighted(0.3, 1..9i64), origin())
            .prop_map(|(key, value, from, length, origin)| Act::Assert { key, value, from, length, origin }),
        2 => (0..4usize, prop::option::of(0..3i64), from(), origin())
            .prop_map(|(key, value, from, origin)| Act::Retract { key, value, from, origin }),
        1 => any::<prop::sample::Index>().prop_map(Act::Again),
        2 => (0..5i64).prop_map(Act::Wait),
    ]
}

fn act_out(bench: &mut Bench, act: &Act) {
    match act {
        Act::Assert { key, value, from, length, origin } => {
            let mut command = fact(KEYS[*key], *value);
            command.valid_to = length.map(|l| (from.unwrap_or(bench.now) + l).into());
            bench.assert(&Stands { valid_from: *from, origin: origin.clone() }, &command).unwrap();
        }
        Act::Retract { key, value, from, origin } => {
            let command = no_fact(KEYS[*key], value.map(Value::from));
            bench.retract(&Stands { valid_from: *from, origin: origin.clone() }, &command).unwrap();
        }
        Act::Again(_) => {}
        Act::Wait(ms) => bench.now += ms,
    }
}

/// What a record said, read from the record alone.
#[derive(Clone, Debug)]
struct Said {
    seq: Seq,
    from: Millis,
    to: Millis,
    origin: Option<Origin>,
    asserted: bool,
    value: Option<Value>,
    again: bool,
}

impl Said {
    fn matches(&self, other: &Said) -> bool {
        self.value.is_none() || self.value == other.value
    }
}

fn said(record: &Record, key: &str) -> Option<Said> {
    let data = record.data();
    (data.get("key")?.as_str()? == key).then(|| Said {
        seq: record.seq,
        from: record.valid_from,
        to: data.get("valid_to").and_then(Value::as_i64).unwrap_or(Millis::MAX),
        origin: record.origin.clone(),
        asserted: record.kind == "fact.asserted",
        value: data.get("value").cloned(),
        again: data.get("confirms").is_some(),
    })
}

/// What became of each assertion: its record, its status. One pass over all pairs.
fn naive(records: &[Record], key: &str, at: At) -> BTreeMap<Seq, &'static str> {
    let mut all: Vec<Said> = records.iter().filter(|r| r.seq <= at.seq).filter_map(|r| said(r, key)).collect();
    all.sort_by(|a, b| {
        let rank = |s: &Said| (s.from, s.origin.is_none(), s.origin.clone(), s.seq);
        rank(a).cmp(&rank(b))
    });
    let ends = |later: &Said, earlier: &Said| match (key, later.asserted) {
        ("one", true) => true,
        ("many", true) => later.value == earlier.value,
        ("interval", _) | ("append", true) => false,
        (_, _) => later.matches(earlier),
    };
    // What only says again what stands before it is no version of its own.
    let mut kept: Vec<Said> = Vec::new();
    for (i, this) in all.iter().enumerate() {
        let earlier = all[..i].iter().rev().find(|e| match key {
            "one" => true,
            "many" => e.value.is_none() || e.value == this.value,
            "interval" => e.to > this.from,
            _ => false,
        });
        let same = |e: &Said| e.asserted && e.value == this.value && e.to == this.to;
        if !(this.again && earlier.is_some_and(same)) {
            kept.push(this.clone());
        }
    }
    let begun: Vec<&Said> = kept.iter().filter(|s| s.from <= at.valid_at).collect();
    let covering = begun.iter().rev().find(|s| s.to > at.valid_at).copied();
    let status = |this: &Said| {
        if this.from > at.valid_at {
            return "future";
        }
        let place = begun.iter().position(|s| s.seq == this.seq).unwrap();
        let by = match key {
            "interval" => covering.filter(|c| c.seq != this.seq && this.to > at.valid_at),
            _ => begun[place + 1..].iter().copied().find(|later| ends(later, this)),
        };
        match by {
            Some(by) if key != "interval" && this.to <= by.from => "expired",
            Some(by) if by.asserted => "superseded",
            Some(_) => "retracted",
            None if this.to <= at.valid_at => "expired",
            None => "current",
        }
    };
    kept.iter().filter(|s| s.asserted).map(|s| (s.seq, status(s))).collect()
}

fn compare(bench: &Bench, at: At) {
    let mut hidden: BTreeMap<String, u64> = BTreeMap::new();
    for key in KEYS {
        let expected = naive(&bench.records, key, at);
        let history = bench.ledger.history("session", key, at);
        let found: BTreeMap<Seq, &str> = history.iter().map(|f| (f.seq, f.status.as_str())).collect();
        assert_eq!(found, expected, "history of {key} at {at:?}");
        let current: Vec<Seq> = expected.iter().filter(|(_, s)| **s == "current").map(|(seq, _)| *seq).collect();
        let mut page: Vec<Seq> = bench.ledger.facts(at, None, Some(key)).facts.iter().map(|f| f.seq).collect();
        page.sort_unstable();
        assert_eq!(page, current, "current facts of {key} at {at:?}");
        for status in expected.values().filter(|s| **s != "current") {
            *hidden.entry((*status).to_owned()).or_default() += 1;
        }
    }
    let counted: BTreeMap<String, u64> = bench.ledger.facts(at, None, None).hidden.into_iter().collect();
    assert_eq!(counted, hidden, "hidden at {at:?}");
}

/// The acts, with every repetition replaced by what it repeats.
fn spelled_out(acts: &[Act]) -> Vec<Act> {
    let mut out: Vec<Act> = Vec::new();
    for act in acts {
        match act {
            Act::Again(index) if !out.is_empty() => out.push(out[index.index(out.len())].clone()),
            Act::Again(_) => {}
            other => out.push(other.clone()),
        }
    }
    out
}

fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Set `THROUGHLINE_CASES` for a long run.
fn config() -> ProptestConfig {
    let cases = u32::try_from(setting("THROUGHLINE_CASES", 96)).unwrap();
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn maybe(&mut self, percent: u64, limit: u64) -> Option<i64> {
        (self.below(100) < percent).then(|| self.below(limit) as i64)
    }
}

/// `THROUGHLINE_HISTORIES` histories of `THROUGHLINE_STEPS` steps each. Each is
/// compared with the scan at some moments on both axes, and folded again.
#[test]
fn long_histories_equal_a_scan_on_both_axes() {
    let (histories, steps) = (setting("THROUGHLINE_HISTORIES", 2_000), setting("THROUGHLINE_STEPS", 200));
    for history in 0..histories {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ ((history as u64 + 1) << 17));
        let mut bench = Bench::new(DOMAIN);
        bench.now = 0;
        let mut done: Vec<Act> = Vec::new();
        for _ in 0..steps {
            let origin =
                dice.maybe(40, 40).map(|n| Origin { source: format!("source{}", n % 3), seq: n.cast_unsigned() });
            let (key, from) = (dice.below(4) as usize, dice.maybe(60, 60));
            let act = match dice.below(10) {
                0..=5 => Act::Assert {
                    key,
                    value: dice.below(3) as i64,
                    from,
                    length: dice.maybe(30, 20).map(|l| l + 1),
                    origin,
                },
                6 | 7 => Act::Retract { key, value: dice.maybe(50, 3), from, origin },
                8 if !done.is_empty() => done[dice.below(done.len() as u64) as usize].clone(),
                _ => Act::Wait(dice.below(3) as i64),
            };
            act_out(&mut bench, &act);
            done.push(act);
        }
        for _ in 0..6 {
            let seq = dice.below(bench.head() + 1);
            let valid_at = dice.below(u64::try_from(bench.now).unwrap() + 80) as i64 - 5;
            compare(&bench, At { seq, valid_at });
        }
        compare(&bench, bench.here());
        let mut again = Bench::new(DOMAIN);
        again.now = bench.now;
        for record in &bench.records {
            again.ledger.evolve(record);
        }
        assert_eq!((again.content(), again.history()), (bench.content(), bench.history()), "history {history}");
    }
    println!("{histories} histories of {steps} steps");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_view_of_every_moment_equals_a_scan(acts in prop::collection::vec(act(), 1..40)) {
        let mut bench = Bench::new(DOMAIN);
        bench.now = 0;
        for act in spelled_out(&acts) {
            act_out(&mut bench, &act);
            compare(&bench, bench.here());
        }
        for seq in 0..=bench.head() {
            for valid_at in (-1..bench.now + 26).step_by(5) {
                compare(&bench, At { seq, valid_at });
            }
        }
    }

    #[test]
    fn folding_the_records_again_gives_the_same_digests(acts in prop::collection::vec(act(), 1..60)) {
        let mut bench = Bench::new(DOMAIN);
        for act in spelled_out(&acts) {
            act_out(&mut bench, &act);
        }
        let mut again = Bench::new(DOMAIN);
        again.now = bench.now;
        for record in &bench.records {
            again.ledger.evolve(record);
        }
        prop_assert_eq!((again.content(), again.history()), (bench.content(), bench.history()));
    }

    #[test]
    fn inputs_with_a_source_give_the_same_content_in_any_order(
        acts in prop::collection::vec(act(), 1..25),
        seed in prop::collection::vec(any::<u32>(), 25),
    ) {
        // Each input has its own place at its source, as deliveries do.
        let placed: Vec<Act> = acts.into_iter().enumerate().filter_map(|(i, act)| {
            let place = |o: Option<Origin>| {
                Some(Origin { source: o.map_or("source2".to_owned(), |o| o.source), seq: i as u64 })
            };
            match act {
                Act::Assert { key, value, from, length, origin } =>
                    Some(Act::Assert { key, value, from: Some(from.unwrap_or(7)), length, origin: place(origin) }),
                // A value that is taken back by name is known only to those who have it.
                Act::Retract { key, value, from, origin } if value.is_none() || KEYS[key] == "many" =>
                    Some(Act::Retract { key, value, from: Some(from.unwrap_or(7)), origin: place(origin) }),
                _ => None,
            }
        }).collect();
        let mut shuffled: Vec<(u32, Act)> = seed.into_iter().zip(placed.clone()).collect();
        shuffled.sort_by_key(|(n, _)| *n);
        let play = |acts: Vec<Act>| {
            let mut bench = Bench::new(DOMAIN);
            for act in acts {
                act_out(&mut bench, &act);
            }
            (0..30).map(|now| { bench.now = now; bench.content() }).collect::<Vec<_>>()
        };
        prop_assert_eq!(play(placed), play(shuffled.into_iter().map(|(_, act)| act).collect()));
    }
}
