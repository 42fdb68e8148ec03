//! Runs scenario files natively and through the npm package in Node.js: both must pass, and agree on every digest.

mod report;

use std::path::{Path, PathBuf};

use self::report::{Report, compare};
use crate::build::{self, Profile};
use crate::count::Count;
use crate::error::{Error, Result};
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

fn own(project: &Project) -> Result<Vec<PathBuf>> {
    let folder = project.root.join(FOLDER);
    let found = walk(&folder)?
        .into_iter()
        .filter(|file| file.to_string_lossy().ends_with(".scenario.json"))
        .map(|file| folder.join(file))
        .collect();
    Ok(found)
}

fn run(project: &Project, files: &[PathBuf]) -> Result<Verdict> {
    if files.is_empty() {
        return Err(Error::new(format!("there is no *.scenario.json in {FOLDER}")));
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
