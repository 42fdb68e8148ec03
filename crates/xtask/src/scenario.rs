//! Runs scenario files natively and through the npm package in Node.js: both must pass, and agree on every digest.

mod report;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::report::{Report, compare};
use crate::build::{self, Profile};
use crate::count::Count;
use crate::error::{Context as _, Error, Result};
use crate::files::walk;
use crate::project::Project;
use crate::run::Run;
use crate::stage::Verdict;

/// Where the project's own scenarios lie.
const FOLDER: &str = "tests/scenarios";

/// `cargo xtask scenario FILES…`; without files, all of the project's own.
pub(crate) fn scenario(project: &Project, files: &[String]) -> Result<()> {
    build::engine_and_facade(project, Profile::Release)?;
    let files = if files.is_empty() { own(project)? } else { files.iter().map(PathBuf::from).collect() };
    let verdict = run(project, &files)?;
    println!("{}", verdict.count);
    if verdict.count.failed == 0 { Ok(()) } else { Err(Error::new("")) }
}

/// The stage of `cargo xtask test`: all of the project's own scenarios, on what is built already.
pub(crate) fn stage(project: &Project) -> Result<Verdict> {
    run(project, &own(project)?)
}

/// Every JSON file in the folder that has steps, or that cannot be read at all: that one must not go unseen.
fn own(project: &Project) -> Result<Vec<PathBuf>> {
    let folder = project.root.join(FOLDER);
    let mut found = Vec::new();
    for file in walk(&folder)?.into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "json")) {
        let file = folder.join(file);
        let text = fs::read_to_string(&file).context(format_args!("reading {}", file.display()))?;
        if is_scenario(&text) {
            found.push(file);
        }
    }
    Ok(found)
}

/// Domains, documents and cassettes lie beside scenarios; only scenarios have steps.
fn is_scenario(text: &str) -> bool {
    serde_json::from_str::<Value>(text).map_or(true, |value| value.get("steps").is_some())
}

fn run(project: &Project, files: &[PathBuf]) -> Result<Verdict> {
    if files.is_empty() {
        return Err(Error::new(format!("there is no scenario in {FOLDER}")));
    }
    let native = natively(project, files)?;
    let node = in_node(project, files)?;
    let mut count = Count::default();
    for file in files {
        let name = project.short(file);
        let faults = compare(find(&native, file), find(&node, file));
        if faults.is_empty() {
            count.passed += 1;
            println!("  ok     {name}");
            for note in find(&native, file).into_iter().flat_map(|report| &report.notes) {
                println!("         {note}");
            }
        } else {
            count.failed += 1;
            println!("  FAILED {name}");
            for fault in faults {
                println!("         {fault}");
            }
        }
    }
    Ok(Verdict::of_tests(count, count.failed == 0))
}

fn find<'a>(reports: &'a [Report], file: &Path) -> Option<&'a Report> {
    reports.iter().find(|report| Path::new(&report.file) == file)
}

/// Through the Rust façade. A program of its own, so that changing the engine does not rebuild xtask.
fn natively(project: &Project, files: &[PathBuf]) -> Result<Vec<Report>> {
    let output = Run::cargo(&project.root)
        .args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "xtask",
            "--features",
            "scenario",
            "--bin",
            "throughline-scenario",
            "--",
        ])
        .args(files)
        .watch(print_other)?;
    Ok(report::read(&output.lines))
}

/// Through the npm package.
fn in_node(project: &Project, files: &[PathBuf]) -> Result<Vec<Report>> {
    let output =
        Run::new("node").args(["web/npm/test/scenario.mjs"]).args(files).dir(&project.root).watch(print_other)?;
    Ok(report::read(&output.lines))
}

/// Shows what a runner prints besides its reports.
fn print_other(line: &str) {
    if !line.starts_with('{') {
        println!("  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_told_from_the_files_beside_them_and_broken_ones_are_not_lost() {
        assert!(is_scenario(r#"{"name": "a", "steps": []}"#));
        assert!(!is_scenario(r#"{"entities": {}}"#));
        assert!(is_scenario("{ not json"));
    }
}
