//! Every scenario of the project holds, natively.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may panic")]

use std::path::Path;

#[test]
fn every_scenario_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(!files.is_empty());
    let mut failed = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        match throughline::scenario::run(&text, &folder) {
            Ok(report) => failed.extend(report.failed.into_iter().map(|why| format!("{name}: {why}"))),
            Err(why) => failed.push(format!("{name}: {why}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
