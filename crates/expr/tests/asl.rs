//! The choices and functions of the Amazon States Language, as a table of what another language of conditions
//! gives: where it differs from ours stands in `docs/asl-agreement.md`, which this test writes and compares.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail and says what it skips"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use throughline_expr::{Expr, MapEnv};
use throughline_value::{Map, Value, json};

/// What each of theirs is in this language; `d` holds the row's values.
const TRANSLATIONS: &[(&str, &str)] = &[
    ("BooleanEquals", "d.variable is boolean and d.variable == d.value"),
    ("BooleanEqualsPath", "d.variable is boolean and d.variable == d.value"),
    ("IsBoolean", "(d.variable is boolean) == d.value"),
    ("IsNull", "(\"variable\" in d and d.variable is null) == d.value"),
    ("IsNumeric", "(d.variable is number) == d.value"),
    ("IsPresent", "(\"variable\" in d) == d.value"),
    ("IsString", "(d.variable is text) == d.value"),
    ("array_0", "[]"),
    ("array_2", "[d.fst, d.snd]"),
    ("array_contains", "contains(d.fst, d.snd)"),
    ("array_get_item", "d.fst[d.snd]"),
    ("array_length", "len(d)"),
    ("array_partition", "map(range(0, ceil(len(d.fst) / d.snd)), i => slice(d.fst, i * d.snd, i * d.snd + d.snd))"),
    ("array_range", "filter(range(d.fst, d.snd + 1), i => (i - d.fst) % d.trd == 0)"),
    ("array_unique", "unique(d)"),
    ("math_add", "d.fst + d.snd"),
];

/// Why a difference is meant.
const REASONS: &[(&str, &str)] = &[
    (
        "math_add",
        "`States.MathAdd` rounds each number to a whole one before it adds; ours adds exactly, and rounding is asked for with `round(x)`",
    ),
    (
        "array_unique",
        "the expected value of the row is the length of its input, not the unique items; ours gives the items",
    ),
];

fn data(name: &str) -> Option<Vec<Value>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let text = std::fs::read_to_string(shared.join("data/c_fsm/asl").join(name)).ok();
    if text.is_none() {
        println!("SKIPPED 1: data/c_fsm/asl/{name} is not there; set THROUGHLINE_SHARED");
    }
    Some(text?.lines().map(|line| json::read_value(line).unwrap()).collect())
}

struct Row {
    kind: String,
    given: Value,
    theirs: Value,
}

fn rows() -> Option<Vec<Row>> {
    let mut out = Vec::new();
    for row in data("choice_boolean_is.jsonl")? {
        let mut given = Map::new();
        if row.get("variable_absent").and_then(Value::as_bool) != Some(true) {
            given.insert("variable".to_owned(), row.get("variable").cloned().unwrap_or_default());
        }
        given.insert("value".to_owned(), row.get("value").cloned().unwrap_or_default());
        let kind = row.get("op").unwrap().as_str().unwrap().to_owned();
        out.push(Row { kind, given: Value::Map(given), theirs: row.get("aws_result").unwrap().clone() });
    }
    for row in data("intrinsics_array_math.jsonl")? {
        let kind = row.get("fn").unwrap().as_str().unwrap().to_owned();
        let given = row.at(&["input", "FunctionInput"]).cloned().unwrap_or_default();
        let theirs = row.at(&["aws_output", "FunctionResult"]).cloned().unwrap_or_default();
        out.push(Row { kind, given, theirs });
    }
    Some(out)
}

fn ours(row: &Row) -> String {
    let (_, source) = TRANSLATIONS.iter().find(|(kind, _)| *kind == row.kind).unwrap();
    let expr = Expr::parse(source).unwrap();
    match expr.eval(&MapEnv::new().with("d", row.given.clone())) {
        Ok(value) => value.to_json(),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn nine_in_ten_rows_agree_and_every_difference_stands_in_the_document_with_its_reason() {
    let Some(rows) = rows() else { return };
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut differences = String::new();
    for row in &rows {
        let ours = ours(row);
        let agree = json::read_value(&ours).is_ok_and(|value| value == row.theirs);
        let count = counts.entry(row.kind.as_str()).or_default();
        count.0 += u32::from(agree);
        count.1 += 1;
        if agree {
            continue;
        }
        assert!(
            REASONS.iter().any(|(kind, _)| *kind == row.kind),
            "{}: {} gives {ours}",
            row.kind,
            row.given.to_json()
        );
        let cut = |text: String| {
            if text.len() > 60 { format!("{}…", text.chars().take(59).collect::<String>()) } else { text }
        };
        let line = format!(
            "| `{}` | `{}` | `{}` | `{}` |\n",
            row.kind,
            cut(row.given.to_json()),
            row.theirs.to_json(),
            cut(ours)
        );
        if !differences.contains(&line) {
            differences.push_str(&line);
        }
    }
    let agreed: u32 = counts.values().map(|(agree, _)| agree).sum();
    let total: u32 = counts.values().map(|(_, all)| all).sum();
    println!("{agreed} of {total} rows agree");
    assert!(agreed * 10 >= total * 9, "{agreed} of {total}");
    let mut text = String::from(
        "# Conditions and functions of the Amazon States Language\n\nWritten by `cargo test -p throughline-expr --test asl` with `BLESS=1`; the test fails when it is stale.\n\n",
    );
    let _ = writeln!(text, "{agreed} of {total} rows of recorded results agree.\n");
    text.push_str("| theirs | in this language | agree |\n|---|---|---|\n");
    for (kind, source) in TRANSLATIONS {
        let (agree, all) = counts.get(kind).copied().unwrap_or_default();
        let _ = writeln!(text, "| `{kind}` | `{}` | {agree} of {all} |", source.replace('|', "\\|"));
    }
    text.push_str("\n## Differences\n\n");
    for (kind, reason) in REASONS {
        let _ = writeln!(text, "- `{kind}`: {reason}.");
    }
    text.push_str("\n| function | given | theirs | ours |\n|---|---|---|---|\n");
    text.push_str(&differences);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/asl-agreement.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/asl-agreement.md is stale; run this test with BLESS=1");
}
