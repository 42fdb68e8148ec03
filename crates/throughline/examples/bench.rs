//! The native half of `cargo xtask bench`: prints its results as JSON on standard output.
//!
//! `cargo run --release --example bench -- [--quick]`
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a measurement talks by printing and may fail loudly"
)]

use std::time::{Duration, Instant};

use throughline::Local;
use throughline::protocol::Meta;

const KEYS: usize = 1_000;
const BATCH: usize = 1_000;
const READS: usize = 500;
const WRITES: usize = 200;
/// What a version may take beside its value, with both axes of time.
const MOST_BYTES: usize = 18;

fn main() {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let sizes: &[usize] = if quick { &[2_000, 10_000] } else { &[2_000, 100_000, 1_000_000] };
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    let mut weights = Vec::new();
    for &count in sizes {
        let (read, write, weight) = ledger(count);
        reads.push(read);
        writes.push(write);
        weights.push(weight);
    }
    let (small, large) = (sizes[0], sizes[sizes.len() - 1]);
    let named = |times: &[f64]| {
        let pairs: Vec<_> = sizes.iter().zip(times).map(|(n, time)| format!("\"at {n} versions\": {time}")).collect();
        pairs.join(", ")
    };
    let growth = |times: &[f64]| times[times.len() - 1] / times[0];
    println!(
        "[{{\"id\": \"native-as-of\", \"what\": \"one fact as of a moment, by the whole query\", \"unit\": \"µs\", \"times\": {{{}}}, \
         \"ours\": \"at {small} versions\", \"goals\": {{}}, \
         \"growth\": {{\"what\": \"read: {large} versions against {small}\", \"ratio\": {}, \"limit\": 4}}}},\n\
         {{\"id\": \"native-write\", \"what\": \"one fact written, each in a frame of its own\", \"unit\": \"µs\", \"times\": {{{}}}, \
         \"ours\": \"at {small} versions\", \"goals\": {{}}, \
         \"growth\": {{\"what\": \"write: {large} versions against {small}\", \"ratio\": {}}}}},\n\
         {{\"id\": \"native-bytes\", \"what\": \"a version of a fact, beside its value\", \"unit\": \"bytes\", \"times\": {{{}}}, \
         \"ours\": \"at {small} versions\", \"goals\": {{}}, \
         \"growth\": {{\"what\": \"of {large} versions\", \"ratio\": {}, \"unit\": \"bytes\", \"limit\": {MOST_BYTES}}}}}]",
        named(&reads),
        growth(&reads),
        named(&writes),
        growth(&writes),
        named(&weights),
        weights[weights.len() - 1],
    );
}

/// Microseconds of one read as of a moment, and of one write, after so many versions of a thousand facts; and how many
/// bytes a version takes beside its value. Time goes on, turn by turn, and what is true is known some time later.
fn ledger(count: usize) -> (f64, f64, f64) {
    let mut session = Local::new("bench", 0);
    let write = |n: usize| format!(r#"{{"type":"assert_fact","key":"k{}","value":{n}}}"#, n % KEYS);
    for from in (0..count).step_by(BATCH) {
        session.advance(60_000);
        let commands: Vec<_> = (from..(from + BATCH).min(count)).map(write).collect();
        let batch = from / BATCH;
        let (turn, late) = (u32::try_from(batch).unwrap(), i64::try_from(batch * 7_919 % 50_000).unwrap());
        let valid_from = session.journal().recorded_at().unwrap_or(0) + 60_000 - late;
        let meta = Meta { turn: Some(turn), valid_from: Some(valid_from.into()), ..Meta::default() };
        session.execute_with(&format!(r#"{{"type":"batch","commands":[{}]}}"#, commands.join(",")), meta).unwrap();
    }
    let (versions, bytes) = session.engine().ledger().weight();
    let mut seed = 3_u32;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (usize::try_from(seed).unwrap() * below) >> 32
    };
    let asked: Vec<_> = (0..READS)
        .map(|_| (KEYS + next(count - KEYS) + 1, next(KEYS)))
        .map(|(seq, key)| format!(r#"{{"type":"facts","key":"k{key}","at":{{"seq":{seq}}}}}"#))
        .collect();
    let read = best(|| {
        for query in &asked {
            let page = session.query(query).unwrap();
            assert!(page.at(&["facts", "0", "value"]).is_some(), "{query} found nothing");
        }
    });
    let mut n = count;
    let write = best(|| {
        for _ in 0..WRITES {
            n += 1;
            session.execute(&write(n)).unwrap();
        }
    });
    let per = |time: Duration, many: usize| time.as_secs_f64() * 1e6 / f64::from(u32::try_from(many).unwrap());
    let whole = |n: usize| f64::from(u32::try_from(n).unwrap());
    (per(read, READS), per(write, WRITES), whole(bytes) / whole(versions))
}

/// The middle of five runs.
fn best(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..5)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[2]
}
