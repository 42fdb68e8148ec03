//! Every fault case is listed in `docs/fault-cases.md` with a place that is there.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use throughline::value::{Value, json};

/// Every case, so that the list is whole also where the shared cases are absent.
const CASES: [&str; 40] = [
    "F01", "F02", "F04", "F06", "F08", "F09", "F11", "F12", "F14", "F16", "F18", "F20", "F21", "F22", "F25", "X04",
    "X05", "X06", "X08", "X10", "X11", "X12", "X14", "X16", "X17", "S01", "S04", "S05", "S06", "S08", "S10", "S11",
    "S12", "S16", "S18", "S19", "S20", "S21", "S22", "S25",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_fault_case_names_a_scenario_or_a_test_that_is_there() {
    let list = std::fs::read_to_string(root().join("docs/fault-cases.md")).unwrap();
    let mut missing = Vec::new();
    for case in CASES {
        let row = list.lines().find(|line| line.starts_with(&format!("| {case} |")));
        let Some(places) = row.and_then(|row| row.trim_end_matches('|').rsplit('|').next()) else {
            missing.push(format!("{case} is not listed"));
            continue;
        };
        let places: Vec<&str> = places.split('`').skip(1).step_by(2).collect();
        if places.is_empty() {
            missing.push(format!("{case} names no place"));
        }
        for place in places {
            let (file, name) = place.split_once("::").map_or((place, None), |(file, name)| (file, Some(name)));
            match std::fs::read_to_string(root().join(file)) {
                Err(_) => missing.push(format!("{case}: there is no {file}")),
                Ok(text) => {
                    if let Some(name) = name.filter(|name| !text.contains(*name)) {
                        missing.push(format!("{case}: {file} has no test `{name}`"));
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_list_has_every_case_of_the_shared_file() {
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(shared.join("cases/fault-cases.json")) else {
        println!("SKIPPED 1: the shared fault cases are not here");
        return;
    };
    let cases = json::read_value(&text).unwrap();
    let mut ids: Vec<String> = cases
        .get("cases")
        .and_then(Value::as_list)
        .unwrap()
        .iter()
        .map(|case| case.get("id").and_then(Value::as_str).unwrap().to_owned())
        .collect();
    ids.sort();
    let mut mine = CASES.map(str::to_owned).to_vec();
    mine.sort();
    assert_eq!(ids, mine);
}
