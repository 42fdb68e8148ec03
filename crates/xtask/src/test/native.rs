//! What cargo alone can say: format, lints, native tests.

use crate::count::{QuietSuccesses, Runner};
use crate::error::Result;
use crate::project::Project;
use crate::run::Run;
use crate::setup::WASM_TARGET;
use crate::stage::Verdict;

/// The packages that only make sense in a browser: linted and tested for wasm.
pub(super) const WASM_ONLY: &[&str] =
    &["throughline-store", "throughline-browser", "throughline-wasm", "throughline-inspector"];

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
        .args(excluded())
        .args(["--", "-D", "warnings"])
        .stream()
}

pub(super) fn clippy_wasm(project: &Project) -> Result<()> {
    Run::cargo(&project.root)
        .args(["clippy", "--locked", "--quiet", "--target", WASM_TARGET, "--all-targets"])
        .args(WASM_ONLY.iter().flat_map(|name| ["--package", name]))
        .args(["--", "-D", "warnings"])
        .stream()
}

pub(super) fn tests(project: &Project, depth: Depth) -> Result<Verdict> {
    let mut quiet = QuietSuccesses::default();
    let mut run =
        Run::cargo(&project.root).args(["test", "--locked", "--workspace", "--no-fail-fast"]).args(excluded());
    if depth == Depth::WithoutDocs {
        run = run.args(["--lib", "--bins", "--tests"]);
    }
    // Shown output is where tests say how many cases they skipped; the filter hides the rest of it.
    let output = run.args(["--", "--show-output"]).watch(|line| quiet.print(line))?;
    Ok(Verdict::of_tests(Runner::Cargo.count(&output.lines), output.ok))
}

fn excluded() -> Vec<&'static str> {
    WASM_ONLY.iter().flat_map(|name| ["--exclude", name]).collect()
}
