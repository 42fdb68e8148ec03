//! What the ledger costs: writes, reads at a moment, whole pages, digests, bytes a version.
//!
//! `cargo run --release -p throughline-dialogue --example facts -- VERSIONS KEYS`
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "an example prints"
)]

use std::time::Instant;

use throughline_dialogue::Ledger;
use throughline_journal::{Actor, ActorKind, Body, Digest, Record};
use throughline_protocol::At;
use throughline_value::Value;

/// Resident bytes of this process, where the system says so.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap());
    let (versions, keys) = (args.next().unwrap_or(1_000_000), args.next().unwrap_or(1));
    let names: Vec<String> = (0..keys).map(|k| format!("key{k}")).collect();
    let record = |i: u64| Record {
        seq: i + 1,
        recorded_at: i as i64,
        valid_from: i as i64 / 2,
        thread: "main".into(),
        turn: 1,
        actor: Actor::of(ActorKind::User),
        cause: None,
        reason: String::new(),
        origin: None,
        kind: "fact.asserted".into(),
        body: Body::Open(Value::from([
            ("subject", Value::from("session")),
            ("key", names[(i % keys) as usize].as_str().into()),
            ("value", (i as i64).into()),
            ("cardinality", "one".into()),
        ])),
    };
    let mut ledger = Ledger::default();
    let before = resident();
    let start = Instant::now();
    for i in 0..versions {
        ledger.evolve(&record(i));
    }
    let wrote = start.elapsed();
    println!("write     {:>8.0} ns a version", wrote.as_nanos() as f64 / versions as f64);
    println!("memory    {:>8.0} bytes a version", (resident() - before) as f64 / versions as f64);
    let reads = 100_000_u32;
    let mut x = 88_172_645_463_325_252_u64;
    let (mut best, mut found) = (u128::MAX, 0);
    // The best of some rounds: what else runs on the machine only makes it slower.
    for _ in 0..9 {
        let start = Instant::now();
        for _ in 0..reads {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let at = At { seq: x % versions + 1, valid_at: ((x >> 20) % versions) as i64 / 2 };
            let name = &names[(x >> 40) as usize % keys as usize];
            found += usize::from(ledger.get("session", name, at).is_some());
        }
        best = best.min(start.elapsed().as_nanos());
    }
    println!("as-of     {:>8.0} ns a read ({found} found)", best as f64 / f64::from(reads));
    let start = Instant::now();
    let mut copy = ledger.clone();
    copy.evolve(&record(versions));
    println!("copy      {:>8.1} µs to copy and write once", start.elapsed().as_secs_f64() * 1e6);
    let at = At { seq: versions, valid_at: i64::MAX - 1 };
    let start = Instant::now();
    let page = ledger.facts(at, None, None);
    println!("facts()   {:>8.1} ms for {} facts", start.elapsed().as_secs_f64() * 1e3, page.facts.len());
    let start = Instant::now();
    let value = throughline_value::to_value(&page).unwrap();
    println!("to_value  {:>8.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let text = value.to_json();
    println!("to_json   {:>8.1} ms, {} bytes", start.elapsed().as_secs_f64() * 1e3, text.len());
    let start = Instant::now();
    let mut digest = Digest::new("history");
    ledger.digest_history(&mut digest);
    println!("history   {:>8.1} ms {}", start.elapsed().as_secs_f64() * 1e3, &digest.finish()[..8]);
    let start = Instant::now();
    let mut digest = Digest::new("content");
    ledger.digest_content(&mut digest, i64::MAX - 1);
    println!("content   {:>8.1} ms {}", start.elapsed().as_secs_f64() * 1e3, &digest.finish()[..8]);
}
