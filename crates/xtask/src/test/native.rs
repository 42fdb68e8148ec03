//! What cargo alone can say: format, lints, native tests.

use crate::count::{QuietSuccesses, Runner};
use crate::error::Result;
use crate::project::Project;
use crate::run::Run;
use crate::setup::WASM_TARGET;
use crate::stage::Verdict;

/// The packages that run in a browser: linted for wasm.
const IN_BROWSER: &[&str] = &["throughline-store", "throughline-browser", "throughline-wasm", "throughline-inspector"];

/// The ones among them that are linted for wasm only: natively they would bring the whole UI framework along.
const NOT_LINTED_NATIVELY: &[&str] = &["throughline-wasm", "throughline-inspector"];

/// The one that has nothing to test without JavaScript around it.
const NOT_TESTED_NATIVELY: &[&str] = &["throughline-wasm"];

/// How much is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// With the examples in the documentation.
    Everything,
    /// Without them: each takes a compiler run.
    WithoutDocs,
}

pub(super) fn format(project: &Project) -> Result<()> {
    Run::cargo(&project.root).args(["fmt", "--all", "--check"]).stream()
}

pub(super) fn clippy_native(project: &Project) -> Result<()> {
    Run::cargo(&project.root)
        .args(["clippy", "--locked", "--quiet", "--workspace", "--all-targets", "--features", "xtask/scenario"])
        .args(each("--exclude", NOT_LINTED_NATIVELY))
        .args(["--", "-D", "warnings"])
        .stream()
}

pub(super) fn clippy_wasm(project: &Project) -> Result<()> {
    Run::cargo(&project.root)
        .args(["clippy", "--locked", "--quiet", "--target", WASM_TARGET, "--all-targets"])
        .args(each("--package", IN_BROWSER))
        .args(["--", "-D", "warnings"])
        .stream()
}

pub(super) fn tests(project: &Project, depth: Depth) -> Result<Verdict> {
    let mut quiet = QuietSuccesses::default();
    let mut run = Run::cargo(&project.root)
        .args(["test", "--locked", "--workspace", "--no-fail-fast"])
        .args(each("--exclude", NOT_TESTED_NATIVELY));
    if depth == Depth::WithoutDocs {
        run = run.args(["--lib", "--bins", "--tests"]);
    }
    // Shown output is where tests say how many cases they skipped; the filter hides the rest of it.
    let output = run.args(["--", "--show-output"]).watch(|line| quiet.print(line))?;
    Ok(Verdict::of_tests(Runner::Cargo.count(&output.lines), output.ok))
}

/// The option once for each name.
fn each(option: &'static str, names: &[&'static str]) -> Vec<&'static str> {
    names.iter().flat_map(|name| [option, name]).collect()
}
