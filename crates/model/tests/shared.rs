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
    assert!(checked > 200, "{checked} checked");
}

#[test]
fn valid_json_of_the_repair_suite_never_enters_repair_and_the_rest_is_repaired_or_refused() {
    let Some(rows) = rows("g_compliance/json_repair/cases.jsonl") else { return };
    let any = Value::map();
    let (mut equal, mut refused, mut other) = (0, 0, Vec::new());
    for row in &rows {
        let input = text(row, "input");
        let found = read(input, &any, Rules::default());
        if let Ok(value) = json::read_value(input) {
            let found = found.unwrap();
            assert!(!found.repaired && found.value == value && found.diagnostics.is_empty(), "{input}");
            equal += 1;
            continue;
        }
        match found {
            Ok(found) if Some(&found.value) == row.get("expected_value") => equal += 1,
            Ok(found) => other.push((input, found.value.to_json(), row.get("expected_value").map(Value::to_json))),
            // What holds nothing to repair must give nothing.
            Err(_) if row.get("expected_empty").and_then(Value::as_bool) == Some(true) => equal += 1,
            Err(error) => {
                refused += 1;
                println!(
                    "refused {}: {input:?} expected {}",
                    error.code,
                    row.get("expected_value").map_or(String::new(), Value::to_json)
                );
            }
        }
    }
    for (input, got, expected) in &other {
        println!("differs: {input:?}\n   got      {got}\n   expected {}", expected.as_deref().unwrap_or("-"));
    }
    println!("{} rows: {equal} equal, {refused} refused, {} read otherwise", rows.len(), other.len());
    // Rows that would have to be guessed are refused on purpose; the rest must not fall back.
    assert!(equal >= 71 && other.len() <= 4, "{equal} equal, {} read otherwise", other.len());
}
