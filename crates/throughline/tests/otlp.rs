//! Spans have the shape and the names of published OTLP/JSON examples.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use throughline::{Local, scenario};
use throughline_value::{Value, json};

/// Names that the specifications give and no example happens to use.
const OF_THE_SPECIFICATIONS: [&str; 14] = [
    "/resourceSpans/schemaUrl",
    "/resourceSpans/scopeSpans/schemaUrl",
    "/resourceSpans/scopeSpans/spans/events",
    "/resourceSpans/scopeSpans/spans/events/name",
    "/resourceSpans/scopeSpans/spans/events/timeUnixNano",
    "gen_ai.evaluation.name",
    "gen_ai.evaluation.score.label",
    "gen_ai.output.type",
    "gen_ai.request.max_tokens",
    "gen_ai.request.stream",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.tool.definitions",
    "gen_ai.evaluation.explanation",
    "gen_ai.usage.cache_read.input_tokens",
];

/// The places of a value, without positions, and the GenAI names in it.
fn names(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::List(list) => list.iter().for_each(|item| names(item, path, into)),
        Value::Map(map) => {
            if let Some(key) = map.get("key").and_then(Value::as_str)
                && key.starts_with("gen_ai.")
            {
                into.insert(key.to_owned());
            }
            for (name, item) in map {
                // Attributes are of one shape wherever they stand.
                let below = if name == "attributes" { "/attributes".to_owned() } else { format!("{path}/{name}") };
                into.insert(below.clone());
                names(item, &below, into);
            }
        }
        _ => {}
    }
}

#[test]
fn spans_use_nothing_that_published_examples_do_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let folder = shared.join("data/f_traces/otlp");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("SKIPPED 1: data/f_traces/otlp is not there; set THROUGHLINE_SHARED");
        return;
    };
    let mut published: BTreeSet<String> = OF_THE_SPECIFICATIONS.iter().map(|name| (*name).to_owned()).collect();
    for file in files {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        names(&json::read_value(&text).unwrap(), "", &mut published);
    }
    assert!(published.contains("gen_ai.operation.name"));
    let scenarios = root.join("tests/scenarios");
    let text = std::fs::read_to_string(scenarios.join("the-courier-demo.json")).unwrap();
    let report = scenario::run(&text, &scenarios).unwrap();
    let session = Local::open(throughline_journal::import(&report.export).unwrap(), 1_772_675_400_000);
    let spans = session.query(r#"{"type":"spans"}"#).unwrap();
    // The version that has all of the names below.
    for place in [&["resourceSpans", "0", "schemaUrl"][..], &["resourceSpans", "0", "scopeSpans", "0", "schemaUrl"]] {
        assert_eq!(spans.at(place).and_then(Value::as_str), Some("https://opentelemetry.io/schemas/1.41.0"));
    }
    let mut ours = BTreeSet::new();
    names(&spans, "", &mut ours);
    let unknown: Vec<&String> = ours.difference(&published).collect();
    assert_eq!(unknown, Vec::<&String>::new());
}
