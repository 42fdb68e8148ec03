//! What a command costs as the journal grows, and what replay, import and digests cost: `cargo run --release
//! --example growth -p throughline -- 100000`. A cost per thousand commands that stays level is O(1).
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints what it measured")]

use std::time::Instant;

use throughline::Local;
use throughline::engine::{Engine, digests_of};

fn main() {
    let total: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let mut session = Local::new("growth", 1_770_000_000_000);
    let mut window = Instant::now();
    for n in 1..=total {
        session.advance(1);
        session
            .execute(&format!(r#"{{"type":"assert_fact","key":"k{}","value":{n}}}"#, n % (total / 2).max(1)))
            .unwrap();
        if n % (total / 10).max(1) == 0 {
            let batch = Instant::now();
            session.execute(r#"{"type":"batch","commands":[{"type":"assert_fact","key":"x","value":1},{"type":"retract_fact","key":"x"}]}"#).unwrap();
            let batch = batch.elapsed();
            let status = Instant::now();
            session.query(r#"{"type":"status"}"#).unwrap();
            println!(
                "{n:>8} commands: {:>7.1?} each, a batch {batch:>7.1?}, status {:>7.1?}",
                window.elapsed() / u32::try_from(total / 10).unwrap(),
                status.elapsed()
            );
            window = Instant::now();
        }
    }
    let head = session.journal().head().seq;
    let start = Instant::now();
    session.query(r#"{"type":"digests"}"#).unwrap();
    println!("digests of the head: {:?}", start.elapsed());
    let start = Instant::now();
    let _ = digests_of(session.journal(), head);
    println!("digests folded anew: {:?}", start.elapsed());
    let text = session.export();
    let start = Instant::now();
    let journal = throughline::journal::import(&text).unwrap();
    println!("import of {} bytes: {:?}", text.len(), start.elapsed());
    let start = Instant::now();
    drop(Engine::open(journal));
    println!("replay: {:?}", start.elapsed());
}
