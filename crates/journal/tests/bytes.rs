//! The journal as bytes: what is written is read; what was changed is named.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use throughline_journal::{Cause, Draft, Journal, import, import_partial, read_segment, write_segment};
use throughline_value::{Value, json};

fn sample() -> Journal {
    let mut journal = Journal::new("sample");
    for (now, text) in [(1_000, "one"), (900, "two"), (2_000, "三")] {
        let first = Draft::new("note.written", Value::from([("text", text)])).because("a test");
        let mut second = Draft::new("note.filed", Value::Null);
        second.cause = Cause::Draft(0);
        second.erasable = true;
        second.data = Value::from("secret words");
        let frame = journal.propose_sealed(now, vec![Value::from([("type", "note")])], vec![first, second], "seed");
        journal.commit(frame).unwrap();
    }
    journal
}

#[test]
fn an_exported_journal_is_read_back_whole() {
    let journal = sample();
    let copy = import(&journal.export(5_000)).unwrap();
    assert_eq!(copy.head(), journal.head());
    assert_eq!(copy.frames(), journal.frames());
    assert_eq!(copy.record(4).unwrap().data(), &Value::from("secret words"));
    assert_eq!(copy.record(4).unwrap().cause, Some(3));
}

#[test]
fn recorded_time_never_decreases_and_the_clock_is_kept_as_data() {
    let journal = sample();
    let times: Vec<_> = journal.frames().iter().map(|f| (f.recorded_at(), f.wall)).collect();
    assert_eq!(times, [(1_000, 1_000), (1_000, 900), (2_000, 2_000)]);
    assert_eq!(journal.seq_at(999), 0);
    assert_eq!(journal.seq_at(1_000), 4);
    assert_eq!(journal.seq_at(9_999), 6);
}

#[test]
fn every_changed_byte_of_an_export_is_noticed_and_placed() {
    let text = sample().export(5_000);
    let first_line = text.find('\n').unwrap() + 1;
    for at in first_line..text.len() {
        if !text.is_char_boundary(at) || !text.as_bytes()[at].is_ascii() {
            continue;
        }
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let partial = import_partial(&changed).unwrap();
        let error = partial.error.unwrap_or_else(|| panic!("a change of byte {at} went unnoticed"));
        assert!(error.byte() <= changed.len(), "{error}");
        let line = changed[..at].matches('\n').count() as u64;
        let good = partial.journal.head().frame;
        assert!(
            good < line || changed.as_bytes()[at] == b'\n' || text.as_bytes()[at] == b'\n',
            "frame {good} of line {line}: {error}"
        );
    }
}

#[test]
fn a_file_cut_anywhere_gives_the_frames_before_the_cut() {
    let text = sample().export(5_000);
    let lines: Vec<usize> = text.match_indices('\n').map(|(i, _)| i + 1).collect();
    for cut in lines[0]..text.len() {
        let Some(part) = text.get(..cut) else { continue };
        let partial = import_partial(part).unwrap();
        let whole = lines.iter().filter(|end| **end <= cut).count() as u64 - 1;
        assert_eq!(partial.journal.head().frame, whole, "cut at {cut}");
        assert_eq!(partial.error.unwrap().code(), "truncated", "cut at {cut}");
    }
}

#[test]
fn every_changed_byte_of_a_segment_is_noticed() {
    let bytes = write_segment(sample().frames());
    assert_eq!(read_segment(&bytes).unwrap(), sample().frames());
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(read_segment(&changed).is_err(), "byte {at}");
        assert!(read_segment(&bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn an_erased_body_leaves_the_chain_whole() {
    let journal = sample();
    let text = journal.export(5_000);
    let erased: String = text
        .lines()
        .map(|line| match line.rfind(",\"sealed\":") {
            Some(at) => format!("{}}}\n", &line[..at]),
            None => format!("{line}\n"),
        })
        .collect();
    assert!(!erased.contains("secret"));
    let copy = import(&erased).unwrap();
    assert_eq!(copy.head(), journal.head());
    assert!(copy.record(2).unwrap().is_erased());
    assert_eq!(copy.record(2).unwrap().data(), &Value::Null);
}

#[test]
fn a_newer_format_is_named_and_not_guessed_at() {
    let text = sample().export(5_000).replacen("\"frame\":{\"v\":1", "\"frame\":{\"v\":2", 1);
    let partial = import_partial(&text).unwrap();
    assert_eq!((partial.error.unwrap().code(), partial.journal.head().frame), ("newer-format", 0));
    let text = sample().export(5_000).replacen("\"format\":1", "\"format\":9", 1);
    assert_eq!(import(&text).unwrap_err().code(), "newer-format");
    assert_eq!(import("{}\n").unwrap_err().code(), "not-a-journal");
    assert_eq!(import("").unwrap_err().code(), "not-a-journal");
}

#[test]
fn a_frame_of_another_head_is_refused() {
    let mut journal = sample();
    let other = Journal::new("other").propose(1, vec![], vec![Draft::new("a.b", Value::Null)]);
    assert_eq!(journal.commit(other).unwrap_err().code(), "head-moved");
    let empty = journal.propose(1, vec![], vec![]);
    assert_eq!(journal.commit(empty).unwrap_err().code(), "frame-unreadable");
}

#[test]
fn exact_numbers_and_falsy_values_survive_the_bytes() {
    let text = r#"{"a":false,"b":0,"c":"","d":null,"e":[],"f":{},"g":-0.0,"h":9007199254740993,"i":91.70}"#;
    let mut journal = Journal::new("falsy");
    let frame = journal.propose(1, vec![], vec![Draft::new("a.b", json::read_value(text).unwrap())]);
    journal.commit(frame).unwrap();
    let copy = import(&journal.export(2)).unwrap();
    assert_eq!(copy.record(1).unwrap().data().to_json(), text);
}
