//! The shared data: real streams at every split position, and the schema and repair suites.

#![allow(clippy::unwrap_used, clippy::string_slice, clippy::print_stdout, reason = "a test may fail")]

use std::path::PathBuf;

use throughline_model::sse::Decoder;
use throughline_model::structured::{Rules, read};
use throughline_model::{Ending, Message, Request, openai::Stream, schema};
use throughline_value::{Value, json};

/// The rows of a file of the shared data; `None`, said aloud, where it is absent.
fn rows(path: &str) -> Option<Vec<Value>> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or(beside, PathBuf::from);
    match std::fs::read_to_string(shared.join("data").join(path)) {
        Ok(text) => Some(text.lines().filter(|l| !l.trim().is_empty()).map(|l| json::read_value(l).unwrap()).collect()),
        Err(error) => {
            println!("SKIPPED 1: {path}: {error}");
            None
        }
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn the_event_stream_cases_give_their_events_for_every_split_position() {
    let Some(cases) = rows("g_compliance/sse/cases.jsonl") else { return };
    for case in &cases {
        let chunks: Vec<&str> =
            case.get("chunks").unwrap().as_list().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        let bytes = chunks.concat().into_bytes();
        let expected: Vec<(Option<&str>, Option<&str>, &str)> = case
            .get("expected_events")
            .and_then(Value::as_list)
            .unwrap()
            .iter()
            .map(|e| (e.get("event").and_then(Value::as_str), e.get("id").and_then(Value::as_str), text(e, "data")))
            .collect();
        let retry = case.get("expected_retry").unwrap().as_list().unwrap().last().and_then(Value::as_i64);
        for split in 0..=bytes.len() {
            let mut decoder = Decoder::default();
            let mut events = decoder.push(&bytes[..split]);
            events.extend(decoder.push(&bytes[split..]));
            let got: Vec<_> = events.iter().map(|e| (e.event.as_deref(), e.id.as_deref(), e.data.as_str())).collect();
            assert_eq!(got, expected, "{} split at {split}", text(case, "name"));
            assert_eq!(decoder.retry(), retry.map(|r| u64::try_from(r).unwrap()), "{}", text(case, "name"));
        }
    }
}

#[test]
fn real_recorded_streams_give_their_text_for_every_split_position_and_every_cut_is_an_interruption() {
    let Some(streams) = rows("g_compliance/sse/real_openai_streams.jsonl") else { return };
    let request = Request::new("respond", vec![Message::new("user", "?")]);
    for row in &streams {
        let (body, expected) = (text(row, "body").as_bytes(), text(row, "expected_text"));
        let play = |end: usize| {
            let mut stream = Stream::new(&request, 200, "text/event-stream");
            stream.push(&body[..end]);
            stream.finish()
        };
        let whole = play(body.len());
        assert_eq!((whole.text.as_str(), &whole.ending), (expected, &Ending::Done));
        // Event by event: however the bytes of one are split, its deltas and the reply so far are the same.
        let mut before = Stream::new(&request, 200, "text/event-stream");
        let mut start = 0;
        while start < body.len() {
            let end = text(row, "body")[start..].find("\n\n").map_or(body.len(), |i| start + i + 2);
            let mut after = before.clone();
            let deltas = after.push(&body[start..end]);
            let so_far = after.clone().finish();
            for split in start..=end {
                let mut stream = before.clone();
                let mut pieces = stream.push(&body[start..split]);
                pieces.extend(stream.push(&body[split..end]));
                assert_eq!(pieces, deltas, "split at {split}");
                assert_eq!(stream.finish(), so_far, "split at {split}");
            }
            (before, start) = (after, end);
        }
        assert_eq!(before.finish(), whole);
        // A cut before the provider said how it ended is never taken for an ending.
        let said = text(row, "body").find("\"finish_reason\":\"").unwrap_or(body.len());
        for end in (0..said).step_by(97) {
            let cut = play(end);
            assert_eq!(cut.ending, Ending::Interrupted, "cut at {end}");
            assert!(expected.starts_with(&cut.text) && cut.usage.estimated);
        }
    }
}

#[test]
fn the_schema_suite_agrees_wherever_only_checked_keywords_are_used() {
    let (mut checked, mut skipped) = (0, 0);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("data/g_compliance/json_schema_2020_12");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("SKIPPED 1: the schema suite is absent");
        return;
    };
    for path in files.map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "json")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let file = std::fs::read_to_string(&path).unwrap();
        let groups = json::read_value(&file).unwrap();
        for group in groups.as_list().unwrap() {
            let full = group.get("schema").unwrap();
            // References by id or anchor and unchecked keywords are outside of what this validator claims.
            let text = full.to_json();
            let outside = !schema::unsupported(full).is_empty()
                || text.contains("\"$id\"")
                || text.contains("\"$anchor\"")
                || text.contains("https://json-schema.org/draft/2020-12/schema\"}");
            for test in group.get("tests").unwrap().as_list().unwrap() {
                if outside {
                    skipped += 1;
                    continue;
                }
                let data = test.get("data").unwrap();
                let valid = test.get("valid").and_then(Value::as_bool).unwrap();
                let problems = schema::problems(data, full);
                let why = format!(
                    "{name}: {} / {}: {text} {}",
                    self::text(group, "description"),
                    self::text(test, "description"),
                    data.to_json()
                );
                assert_eq!(problems.is_empty(), valid, "{why} {problems:?}");
                checked += 1;
            }
        }
    }
    println!("SKIPPED {skipped}: schemas with keywords that are not checked");
    println!("{checked} checked");
    assert!(checked > 450 && skipped == 0, "{checked} checked, {skipped} skipped");
}

/// Why a row of the repair suite is refused, by its number from 1. What is not here must give the expected value.
const REFUSED: &[(usize, &str)] = &[
    (1, "there is no value that the brackets could hold without a guess"),
    (8, "a text stands open at the end: it may have been cut off"),
    (10, "there is no value that the brackets could hold without a guess"),
    (11, "the text quotes JSON in its own quotation marks: two readings"),
    (23, "quotation marks are escaped to three depths: two readings"),
    (33, "a text stands open at the end: it may have been cut off"),
    (56, "the text quotes JSON in its own quotation marks: two readings"),
    (62, "the text quotes JSON in its own quotation marks: two readings"),
    (63, "brackets are missing in the middle of a table: rows could end elsewhere"),
    (67, "a field has no value, and an empty one would be invented"),
    (73, "a list stands where a field is expected, and a value would be invented"),
    (74, "a field has no value, and an empty one would be invented"),
    (80, "there is no value that the brackets could hold without a guess"),
    (86, "a text stands open at the end: it may have been cut off"),
    (94, "a field has no value, and an empty one would be invented"),
    (96, "a name stands open at the end: it may have been cut off"),
    (99, "two different values; the model is asked for one"),
];

#[test]
fn valid_json_of_the_repair_suite_never_enters_repair_and_what_is_refused_is_listed_with_its_reason() {
    let Some(rows) = rows("g_compliance/json_repair/cases.jsonl") else { return };
    let any = Value::map();
    let (mut equal, mut valid, mut refused) = (0, 0, Vec::new());
    for (row, number) in rows.iter().zip(1usize..) {
        let input = text(row, "input");
        let found = read(input, &any, Rules::default());
        if let Ok(value) = json::read_value(input) {
            let found = found.unwrap();
            assert!(!found.repaired && found.value == value && found.diagnostics.is_empty(), "{input}");
            (equal, valid) = (equal + 1, valid + 1);
            continue;
        }
        match found {
            Ok(found) => {
                assert_eq!(Some(&found.value), row.get("expected_value"), "row {number}: {input:?}");
                equal += 1;
            }
            // What holds nothing to repair must give nothing.
            Err(_) if row.get("expected_empty").and_then(Value::as_bool) == Some(true) => equal += 1,
            Err(error) => {
                println!("refused {number} {}: {input:?}", error.code);
                refused.push((number, error.code));
            }
        }
    }
    let total = rows.len();
    println!("{total} rows: {equal} equal ({valid} of them valid as they are), {} refused", refused.len());
    assert!(equal * 100 >= total * 85, "{equal} of {total} equal");
    let reason = |number: usize| REFUSED.iter().find(|(n, _)| *n == number).map_or("", |(_, reason)| reason);
    let mut page = format!(
        "# Repair of JSON: what is refused\n\nThe suite of {total} broken texts (`json_repair`'s own cases): {equal} give the expected value, {} are refused\n\
         with a code, none is read as something else. {valid} are valid and never enter repair. Written by the test\n\
         `crates/model/tests/shared.rs`; `THROUGHLINE_WRITE=1` writes it anew.\n\n| row | code | why |\n|---|---|---|\n",
        refused.len()
    );
    for (number, code) in &refused {
        assert!(!reason(*number).is_empty(), "row {number} is refused and nobody said why");
        page.push_str(&format!("| {number} | `{code}` | {} |\n", reason(*number)));
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/json-repair.md");
    if std::env::var_os("THROUGHLINE_WRITE").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&file).unwrap_or_default(),
        page,
        "docs/json-repair.md is not what the test finds"
    );
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".find(char::from(c));
    let (mut out, mut bits, mut held) = (Vec::new(), 0u32, 0u32);
    for digit in text.bytes().filter_map(digit) {
        (bits, held) = ((bits << 6) | u32::try_from(digit).unwrap(), held + 6);
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).unwrap());
        }
    }
    out
}

#[test]
fn the_json_test_suite_is_accepted_and_rejected_as_it_says_and_what_is_valid_is_never_repaired() {
    let Some(rows) = rows("g_compliance/json_test_suite/cases.jsonl") else { return };
    let any = Value::map();
    let (mut accepted, mut rejected, mut either) = (0, 0, 0);
    for row in &rows {
        let (name, bytes) = (text(row, "name"), base64(text(row, "bytes_base64")));
        // Bytes that are no text are refused before any reader sees them.
        let Ok(input) = String::from_utf8(bytes) else {
            assert_ne!(text(row, "expect"), "accept", "{name}");
            rejected += 1;
            continue;
        };
        let parsed = json::read_value(&input);
        match text(row, "expect") {
            // One stands twice: which of the two was meant is not guessed. The model is asked again.
            "accept" if name.contains("duplicated_key") => {
                assert_eq!(parsed.unwrap_err().code(), "duplicate-name", "{name}");
                assert!(read(&input, &any, Rules::default()).is_err(), "{name}");
                rejected += 1;
            }
            "accept" => {
                let value = parsed.unwrap_or_else(|e| panic!("{name}: {e}"));
                let found = read(&input, &any, Rules::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert!(!found.repaired && found.coercions.is_empty() && found.value == value, "{name}");
                accepted += 1;
            }
            "reject" => {
                assert!(parsed.is_err(), "{name}");
                // Repair may find a value, but says so.
                assert!(
                    read(&input, &any, Rules::default()).is_ok_and(|f| f.repaired || !f.diagnostics.is_empty())
                        || read(&input, &any, Rules::default()).is_err(),
                    "{name}"
                );
                rejected += 1;
            }
            _ => either += 1,
        }
    }
    println!("{accepted} accepted, {rejected} rejected, {either} either way");
    assert!(accepted > 40 && rejected > 50, "{accepted} {rejected}");
}
