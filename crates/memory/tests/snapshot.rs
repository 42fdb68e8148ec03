//! A snapshot gives the same memory again, says nothing of what was purged, and no bytes do harm.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test may fail")]

use throughline_journal::{Actor, ActorKind, Body, Digest, Origin, Record, Seq};
use throughline_memory::episodes::Scale;
use throughline_memory::{Memory, kind};
use throughline_protocol::query::{MemoryEpisodes, MemoryForgetting, MemoryTree, Recall};
use throughline_protocol::{At, Domain};
use throughline_value::json;

const HASH: usize = 64;

fn record(seq: Seq, kind: &str, data: &str) -> Record {
    Record {
        seq,
        recorded_at: 1_000 + seq as i64,
        valid_from: 0,
        thread: if seq.is_multiple_of(3) { "second" } else { "main" }.to_owned(),
        turn: 0,
        actor: Actor::of(ActorKind::Import),
        cause: None,
        reason: String::new(),
        origin: seq.is_multiple_of(2).then(|| Origin { source: "log".to_owned(), seq: 900 - seq }),
        kind: kind.to_owned(),
        body: Body::Open(json::read_value(data).unwrap()),
    }
}

/// Some of everything.
fn records() -> Vec<Record> {
    let mut all = Vec::new();
    let mut add = |kind: &str, data: String| all.push(record(all.len() as Seq + 1, kind, &data));
    for n in 1..40u64 {
        let seq = n;
        let until = if n % 5 == 0 { format!(r#","until":{}"#, n * 1_000 + 500) } else { String::new() };
        let more = if n % 4 == 0 { r#","importance":0.25,"confidence":0.5,"data":{"a":[1,2]}"# } else { "" };
        let vector = if n % 3 == 0 { format!(r#","vector":[{n},1,2]"#) } else { String::new() };
        let id = if n == 7 { "an-id-of-its-own".to_owned() } else { format!("m_{seq}_0") };
        add(
            kind::REMEMBERED,
            format!(
                r#"{{"items":[{{"id":"{id}","kind":"kind{}","text":"word{n} kettle 人工智能","at":{},"entities":["e{}","pan"]{until}{more}{vector}}},{{"id":"m_{seq}_1","kind":"note","text":"","at":{}}}]}}"#,
                n % 4,
                n * 1_000 % 7_919,
                n % 6,
                n * 10
            ),
        );
    }
    add(kind::COLUMNS, r#"{"first":40,"rows":3,"kinds":["kind1","col"],"entities":["e1"],"at":[5,6,70000],"kind":[0,1,1],"entity_count":[1,0,0],"entity":[0],"text":"onetwothree","text_bytes":[3,3,5],"place":[7,8,9],"importance":[0,501,1001]}"#.to_owned());
    add(kind::AMENDED, r#"{"memory":"m_5_0","text":"corrected words"}"#.to_owned());
    add(kind::AMENDED, r#"{"memory":"m_5_0","at":77}"#.to_owned());
    add(kind::AMENDED, r#"{"memory":"m_6_0","importance":1}"#.to_owned());
    add(kind::FORGOTTEN, r#"{"memories":["m_8_0","m_9_1","m_40_1"]}"#.to_owned());
    add(kind::RECOVERED, r#"{"memories":["m_9_1"]}"#.to_owned());
    add(kind::TOUCHED, r#"{"memories":["m_10_0"],"at":123456}"#.to_owned());
    add(kind::PURGED, r#"{"memories":["m_11_0","m_40_0"]}"#.to_owned());
    add(kind::REMEMBERED, r#"{"items":[{"id":"m_48_0","purged":true}]}"#.to_owned());
    add(kind::REMEMBERED, r#"{"items":[{"id":"m_1_0"}]}"#.to_owned());
    all
}

fn memory(records: &[Record]) -> Memory {
    let mut memory = Memory::with_blocks_of(5);
    records.iter().for_each(|record| memory.evolve(record));
    memory
}

/// The bytes with the right hash behind them.
fn sealed(said: &[u8]) -> Vec<u8> {
    let mut bytes = said.to_vec();
    bytes.extend_from_slice(Digest::of_bytes(said).as_bytes());
    bytes
}

/// Looks at everything there is.
fn look(memory: &Memory, seq: Seq) -> Vec<String> {
    let (at, domain) = (At { seq, valid_at: 0 }, Domain::default());
    let mut seen = Vec::new();
    let mut say = |what: &dyn std::fmt::Debug| seen.push(format!("{what:?}"));
    for query in [
        Recall::default(),
        Recall {
            words: Some("kettle word3 corrected 智".into()),
            also_by: vec!["episode".into()],
            ..Recall::default()
        },
        Recall { order: Some("logical".into()), entities: vec!["pan".into(), "e1".into()], ..Recall::default() },
        Recall { thread: Some("second".into()), kinds: vec!["kind1".into()], ..Recall::default() },
        Recall { vector: vec![1, 1, 1].into(), ..Recall::default() },
    ] {
        say(&memory.recall(at, &query, &domain));
    }
    say(&memory.counts(at, 0, 10_000, 7, &[]));
    say(&memory.last(at, "kind2", 9_000));
    say(&memory.history(at, "pan"));
    say(&memory.neighbours(at, 3_000, 4));
    say(&memory.moments(at, 0, 50_000, 100));
    say(&memory.episode(at, "m_12_0", Scale::COARSE));
    say(&memory.episodes_view(at, &MemoryEpisodes::default(), &domain));
    say(&memory.tree_view(at, &MemoryTree { all: true, ..MemoryTree::default() }, &domain));
    let mut forgetting = MemoryForgetting::default();
    forgetting.policy.keep_events = Some(3);
    say(&memory.forgetting_view(at, 1_000_000, &forgetting));
    say(&memory.tombstones(at));
    let mut out = Vec::new();
    memory.rows_in(0, 10_000, &[], 100, &mut out);
    say(&out);
    memory.rows_with("kettle", 0, 10_000, &[], 10, &mut out);
    say(&out);
    memory.drawn_into(0, 10_000, 10, &mut out);
    say(&out);
    say(&memory.problems().collect::<Vec<_>>());
    say(&(0..memory.row_count() as u32).map(|row| memory.row_id(row)).collect::<Vec<_>>());
    for history in [true, false] {
        let mut digest = Digest::new("test");
        if history {
            memory.digest_history(&mut digest)
        } else {
            memory.digest_content(&mut digest, 0)
        }
        say(&digest.finish());
    }
    seen
}

#[test]
fn what_is_restored_answers_the_same_at_every_moment_and_takes_further_records_the_same() {
    let records = records();
    for cut in [0, 1, 17, 39, 40, 43, 46, records.len()] {
        let (head, tail) = records.split_at(cut);
        let whole = memory(head);
        let bytes = whole.snapshot();
        let mut restored = Memory::restore(&bytes).unwrap();
        assert_eq!((restored.resident_bytes(), restored.len()), (0, whole.len()));
        assert_eq!(restored.cold_bytes(), whole.resident_bytes());
        let mut whole = whole;
        for record in tail {
            whole.evolve(record);
            restored.evolve(record);
            assert_eq!(restored.snapshot(), whole.snapshot(), "after record {} of {cut}", record.seq);
        }
        records.iter().for_each(|record| restored.warm(record));
        assert_eq!(restored.cold_bytes(), 0);
        for seq in (0..=records.len() as Seq).step_by(5) {
            for (a, b) in look(&restored, seq).iter().zip(&look(&whole, seq)) {
                assert_eq!(a, b, "as of {seq}, restored after {cut}");
            }
        }
    }
}

#[test]
fn damaged_and_cut_bytes_are_no_memory() {
    let bytes = memory(&records()).snapshot();
    assert!(Memory::restore(&bytes).is_some());
    (0..bytes.len()).for_each(|len| assert!(Memory::restore(&bytes[..len]).is_none(), "cut to {len}"));
    for place in 0..bytes.len() {
        let mut other = bytes.clone();
        other[place] ^= 1 << (place % 8);
        assert!(Memory::restore(&other).is_none(), "a bit of byte {place}");
    }
    let said = &bytes[..bytes.len() - HASH];
    assert!(Memory::restore(&sealed(said)).is_some());
    (0..said.len()).for_each(|len| assert!(Memory::restore(&sealed(&said[..len])).is_none(), "{len} with a hash"));
    let mut longer = said.to_vec();
    longer.push(0);
    assert!(Memory::restore(&sealed(&longer)).is_none());
    let mut newer = said.to_vec();
    newer[0] += 1;
    assert!(Memory::restore(&sealed(&newer)).is_none(), "another format");
}

#[test]
fn hostile_bytes_do_no_harm() {
    let records = records();
    let bytes = memory(&records).snapshot();
    let said = &bytes[..bytes.len() - HASH];
    let mut state = 11u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut read, all) = (0, 4_000);
    for _ in 0..all {
        let mut other = said.to_vec();
        for _ in 0..1 + random(3) {
            let place = random(other.len());
            match random(4) {
                0 => other[place] = [0, 127, 128, 255][random(4)],
                1 => other[place] = other[place].wrapping_add(1),
                2 => other[place] ^= 1 << random(8),
                _ => {
                    let end = (place + 1 + random(9)).min(other.len());
                    other[place..end].fill(255);
                }
            }
        }
        let Some(mut memory) = Memory::restore(&sealed(&other)) else { continue };
        read += 1;
        look(&memory, 20);
        for record in &records {
            memory.warm(record);
            memory.evolve(&Record { seq: record.seq + 100, ..record.clone() });
        }
        memory.cool(0, 1_000);
        look(&memory, 1_000);
        _ = memory.take_missing();
        _ = memory.snapshot();
    }
    println!("{read} of {all} were read");
    assert!(read > 0 && read < all);
}

#[test]
fn nothing_of_what_was_purged_is_in_a_snapshot() {
    let secret = ["plantedtext", "plantedkind", "plantedentity", "planteddata", "ertesjimo"];
    for cold in [false, true] {
        let mut memory = Memory::default();
        memory.evolve(&record(1, kind::REMEMBERED, r#"{"items":[{"id":"m_1_0","kind":"plantedkind","text":"plantedtext ertesjimo stays","at":424242424242,"entities":["plantedentity","pan"],"data":{"x":"planteddata"}},{"id":"m_1_1","kind":"note","text":"stays","at":5}]}"#));
        memory.evolve(&record(2, kind::AMENDED, r#"{"memory":"m_1_0","text":"ertesjimo again"}"#));
        memory.evolve(&record(3, kind::AMENDED, r#"{"memory":"m_1_0","at":424242424243}"#));
        let has =
            |memory: &Memory, word: &str| memory.snapshot().windows(word.len()).any(|bytes| bytes == word.as_bytes());
        let kept = ["plantedtext", "plantedkind", "plantedentity", "ertesjimo"];
        assert!(
            kept.iter().all(|word| has(&memory, word)) && !has(&memory, "planteddata"),
            "what is looked for is found"
        );
        if cold {
            memory = Memory::restore(&memory.snapshot()).unwrap();
        }
        memory.evolve(&record(4, kind::PURGED, r#"{"memories":["m_1_0"]}"#));
        for word in secret {
            assert!(!has(&memory, word), "{word}, cold: {cold}");
        }
        let again = Memory::restore(&memory.snapshot()).unwrap();
        let page = again
            .recall(
                At { seq: 4, valid_at: 0 },
                &Recall { words: Some("stays".into()), ..Recall::default() },
                &Domain::default(),
            )
            .unwrap();
        assert_eq!((page.total, again.len()), (1, 1));
    }
}
