//! The native half of `cargo xtask scenario`: runs each file through the Rust façade and prints one
//! JSON object a line, `{"file", "passed", "failures", "digests"}`, as its twin in Node does. With
//! `--export FOLDER` before the files it also leaves each journal there, as `<name of the file>.jsonl`.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use throughline::scenario;

fn main() -> ExitCode {
    let mut all_passed = true;
    let mut args = std::env::args().skip(1).peekable();
    let export = if args.next_if(|arg| arg == "--export").is_some() { args.next() } else { None };
    for file in args {
        let report = run(&file, export.as_deref());
        all_passed &= report.get("failures").and_then(Value::as_array).is_some_and(Vec::is_empty);
        if writeln!(io::stdout(), "{report}").is_err() {
            // Nobody reads any more.
            return ExitCode::FAILURE;
        }
    }
    if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one file; a file that cannot be run is a failure like any other.
fn run(file: &str, export: Option<&str>) -> Value {
    let path = Path::new(file);
    let ran = fs::read_to_string(path)
        .map_err(|error| error.to_string())
        .and_then(|text| scenario::run(&text, path.parent().unwrap_or(Path::new("."))))
        .and_then(|report| match (export, path.file_stem()) {
            (Some(folder), Some(name)) => {
                let target = Path::new(folder).join(name).with_extension("jsonl");
                fs::write(&target, &report.export).map_err(|error| format!("{}: {error}", target.display()))?;
                Ok(report)
            }
            _ => Ok(report),
        });
    match ran {
        Ok(report) => json!({
            "file": file,
            "passed": report.passed,
            "failures": report.failed,
            "notes": report.notes,
            "digests": report.digests,
        }),
        Err(error) => json!({ "file": file, "passed": 0, "failures": [error], "digests": {} }),
    }
}
