//! How long the memory takes for a generated history of so many events: `million [events]`, a million when
//! no number is given. Figures are for comparing two versions on one machine.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people to run and read")]

use std::time::Instant;

use throughline_journal::{Actor, ActorKind, Body, Record};
use throughline_memory::Memory;
use throughline_protocol::query::Recall;
use throughline_protocol::{At, Domain, Time};
use throughline_value::Value;

const BATCH: u64 = 1_000;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn timed<T>(what: &str, times: u32, mut run: impl FnMut() -> T) {
    let start = Instant::now();
    for _ in 0..times {
        std::hint::black_box(run());
    }
    println!("{what:<44} {:>12.2} µs", start.elapsed().as_secs_f64() * 1e6 / f64::from(times));
}

/// The synchronous rows, and the same events in bulk as columns.
fn scalar(memory: &Memory, clock: i64, state: &mut u64) {
    let mut out = Vec::with_capacity(1 << 16);
    let kinds: Vec<u16> = ["kind3", "kind7", "kind12"].iter().filter_map(|k| memory.kind_number(k)).collect();
    for (what, width) in [("rows: window of about ten", 700_000), ("rows: window of about a thousand", 80_000_000)] {
        let mut found = 0;
        timed(what, 2_000, || {
            let since = (next(state) % clock as u64) as i64;
            found += memory.rows_in(since, since + width, &kinds, usize::MAX, &mut out);
        });
        println!("    {} rows a query", found / 2_000);
    }
    let rare = memory.kind_number("kind0").unwrap_or(0);
    timed("rows: last of a kind", 5_000, || {
        let kind = if next(state).is_multiple_of(2) { rare } else { (next(state) % 16) as u16 };
        memory.last_row(kind, (next(state) % clock as u64) as i64)
    });
    timed("rows: latest fifty of an entity", 5_000, || {
        memory.rows_of((next(state) % 5_000) as u32, (next(state) % clock as u64) as i64, 50, &mut out)
    });
    timed("rows: counts in 1,000 parts by kind, everything", 50, || memory.counts_into(0, clock, 1_000, &mut out));
    timed("rows: counts in 1,000 parts by kind, one hundredth", 500, || {
        let since = (next(state) % clock as u64) as i64;
        memory.counts_into(since, since + clock / 100, 1_000, &mut out)
    });
    timed("rows: drawn, first", 1, || memory.drawn_into(0, clock, 1_000, &mut out));
    timed("rows: drawn, 1,000 parts", 500, || memory.drawn_into(0, clock, 1_000, &mut out));
    timed("rows: two words in a tenth of the time", 200, || {
        let since = (next(state) % clock as u64) as i64;
        let words = format!("w{} w{}", 1_000 + next(state) % 19_000, 1_000 + next(state) % 19_000);
        memory.rows_with(&words, since, since + clock / 10, &[], 10, &mut out)
    });
    timed("rows: three common words, everything", 20, || {
        memory.rows_with("w19001 w19500 w19900", i64::MIN, i64::MAX, &[], 10, &mut out)
    });
    let count = memory.row_count();
    let mut bulk = Memory::default();
    let mut spent = 0.0;
    let mut bytes = 0;
    for (seq, first) in (0..count).step_by(100_000).enumerate() {
        let rows = first..(first + 100_000).min(count);
        let mut columns = throughline_memory::Columns {
            kinds: (0..memory.kind_count()).map(|k| memory.kind_name(k as u16).unwrap().to_owned()).collect(),
            entities: (0..).map_while(|e| memory.entity_name(e).map(str::to_owned)).collect(),
            ..throughline_memory::Columns::default()
        };
        for row in rows.clone() {
            let row = row as u32;
            columns.at.push(memory.row_time(row).unwrap());
            columns.kind.push(memory.row_kind(row).unwrap());
            let own = memory.row_entities(row).unwrap();
            columns.entity_count.push(own.len() as u32);
            columns.entity.extend(own);
        }
        let start = Instant::now();
        let mut data = columns.to_value();
        if let Value::Map(map) = &mut data {
            map.insert("first".into(), (seq as u64 + 1).into());
        }
        bytes += data.to_json().len();
        bulk.evolve(&Record {
            seq: seq as u64 + 1,
            recorded_at: clock,
            valid_from: clock,
            thread: "main".into(),
            turn: 0,
            actor: Actor::of(ActorKind::Import),
            cause: None,
            reason: String::new(),
            origin: None,
            kind: throughline_memory::kind::COLUMNS.into(),
            body: Body::Open(data),
        });
        spent += start.elapsed().as_secs_f64();
    }
    println!("columns: {} events packed and folded at {:.0} a second, {bytes} bytes", bulk.len(), count as f64 / spent);
}

/// How many kibibytes the process holds.
fn held() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// What is kept of it, and how long it takes to let go of bodies and to take them again.
fn kept(mut memory: Memory, records: &[Record]) {
    let once = |what: &str, start: Instant| println!("{what:<44} {:>12.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let rows = memory.row_count() as f64;
    let start = Instant::now();
    let bytes = memory.snapshot();
    once("snapshot", start);
    println!("    {} bytes, {:.2} a row", bytes.len(), bytes.len() as f64 / rows);
    let start = Instant::now();
    let restored = Memory::restore(&bytes).unwrap();
    once("restore", start);
    assert_eq!(restored.snapshot(), bytes);
    drop(restored);
    let (all, text) = (held(), memory.resident_bytes());
    let start = Instant::now();
    memory.cool(0, u64::MAX);
    once("let go of all bodies", start);
    println!("    {text} bytes let go of; {} MB held with them, {} MB without", all >> 10, held() >> 10);
    let start = Instant::now();
    records.iter().for_each(|record| memory.warm(record));
    let seconds = start.elapsed().as_secs_f64();
    once("take them again of the last records", start);
    println!("    {:.0} rows a second", records.len() as f64 * BATCH as f64 / seconds);
}

fn main() {
    let events: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let mut state = 42;
    let mut memory = Memory::default();
    let mut clock = 0i64;
    let (mut building, mut folding) = (0.0, 0.0);
    let mut last = Vec::new();
    let before = held();
    for seq in 1..=events / BATCH {
        let start = Instant::now();
        let items: Vec<Value> = (0..BATCH)
            .map(|i| {
                clock += if next(&mut state).is_multiple_of(40) { 900_000 } else { 400 };
                let late =
                    if next(&mut state).is_multiple_of(20) { (next(&mut state) % 2_000) as i64 * 1_000 } else { 0 };
                let kind = format!("kind{}", (next(&mut state) % 256).isqrt());
                let entity = format!("e{}", (next(&mut state) % 25_000_000).isqrt());
                let words: Vec<String> =
                    (0..6).map(|_| format!("w{}", (next(&mut state) % 400_000_000).isqrt())).collect();
                Value::from([
                    ("id", Value::from(format!("m_{seq}_{i}"))),
                    ("kind", kind.into()),
                    ("text", words.join(" ").into()),
                    ("at", Value::from(clock - late)),
                    ("entities", Value::from(vec![entity])),
                ])
            })
            .collect();
        let record = Record {
            seq,
            recorded_at: clock,
            valid_from: clock,
            thread: "main".into(),
            turn: 0,
            actor: Actor::of(ActorKind::Import),
            cause: None,
            reason: String::new(),
            origin: None,
            kind: throughline_memory::kind::REMEMBERED.into(),
            body: Body::Open(Value::from([("items", Value::List(items))])),
        };
        building += start.elapsed().as_secs_f64();
        let start = Instant::now();
        memory.evolve(&record);
        folding += start.elapsed().as_secs_f64();
        if seq + 100 > events / BATCH {
            last.push(record);
        }
    }
    println!("{} MB held for them", (held() - before) >> 10);
    println!(
        "{} events folded at {:.0} a second ({building:.1} s to make them)",
        memory.len(),
        events as f64 / folding
    );
    let at = At { seq: events / BATCH, valid_at: 0 };
    let domain = Domain::default();
    let recall = |query: &Recall| memory.recall(at, query, &domain).unwrap();
    let window = |state: &mut u64, width: i64| {
        let since = (next(state) % clock as u64) as i64;
        (Some(Time::Millis(since)), Some(Time::Millis(since + width)))
    };
    let kinds = || vec!["kind3".to_owned(), "kind7".to_owned(), "kind12".to_owned()];
    for (what, width) in [("window of about ten, three kinds", 700_000), ("window of about a thousand", 80_000_000)] {
        timed(what, 200, || {
            let (since, until) = window(&mut state, width);
            recall(&Recall { since, until, kinds: kinds(), ..Recall::default() }).total
        });
    }
    timed("the newest ten of everything", 200, || recall(&Recall { limit: Some(10), ..Recall::default() }).total);
    timed("the newest ten as of the middle", 20, || {
        memory
            .recall(At { seq: at.seq / 2, ..at }, &Recall { limit: Some(10), ..Recall::default() }, &domain)
            .unwrap()
            .total
    });
    timed("the newest ten of an entity", 200, || {
        let entities = vec![format!("e{}", (next(&mut state) % 25_000_000).isqrt())];
        recall(&Recall { limit: Some(10), entities, ..Recall::default() }).total
    });
    timed("the last of a kind", 200, || memory.last(at, "kind15", (next(&mut state) % clock as u64) as i64));
    timed("counts in 1,000 parts by kind, everything", 20, || memory.counts(at, 0, clock, 1_000, &[]).unwrap());
    timed("counts in 1,000 parts by kind, one hundredth", 100, || {
        let since = (next(&mut state) % clock as u64) as i64;
        memory.counts(at, since, since + clock / 100, 1_000, &[]).unwrap()
    });
    timed("two words in a tenth of the time", 50, || {
        let (since, until) = window(&mut state, clock / 10);
        let words = Some(format!("w{} w{}", 1_000 + next(&mut state) % 19_000, 1_000 + next(&mut state) % 19_000));
        recall(&Recall { since, until, words, limit: Some(10), ..Recall::default() }).total
    });
    scalar(&memory, clock, &mut state);
    timed("twenty neighbours", 200, || memory.neighbours(at, (next(&mut state) % clock as u64) as i64, 10));
    println!("{} MB held in the end", held() >> 10);
    kept(memory, &last);
}
