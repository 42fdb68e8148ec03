//! The native half of `cargo xtask scenario`: runs each file through the Rust façade and prints one
//! JSON object a line, `{"file", "passed", "failures", "digests"}`, as its twin in Node does.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use throughline::scenario;

fn main() -> ExitCode {
    let mut all_passed = true;
    for file in std::env::args().skip(1) {
        let report = run(&file);
        all_passed &= report.get("failures").and_then(Value::as_array).is_some_and(Vec::is_empty);
        if writeln!(io::stdout(), "{report}").is_err() {
            // Nobody reads any more.
            return ExitCode::FAILURE;
        }
    }
    if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one file; a file that cannot be run is a failure like any other.
fn run(file: &str) -> Value {
    let path = Path::new(file);
    let ran = fs::read_to_string(path)
        .map_err(|error| error.to_string())
        .and_then(|text| scenario::run(&text, path.parent().unwrap_or(Path::new("."))));
    match ran {
        Ok(report) => json!({
            "file": file,
            "passed": report.passed,
            "failures": report.failed,
            "digests": report.digests,
        }),
        Err(error) => json!({ "file": file, "passed": 0, "failures": [error], "digests": {} }),
    }
}
