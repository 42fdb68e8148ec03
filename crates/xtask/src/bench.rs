//! `cargo xtask bench`: measures side by side, natively, in Node.js and in Chromium.

use std::fs;

use crate::build::{self, Profile};
use crate::error::{Context as _, Result};
use crate::project::Project;
use crate::run::Run;
use crate::setup;

/// Where the peers and the measurements lie.
const FOLDER: &str = "tests/bench";

/// Builds what users get, installs the peers, measures, and writes `docs/benchmarks.md` when all of it was measured.
pub(crate) fn bench(project: &Project, options: &[String]) -> Result<()> {
    build::engine_and_facade(project, Profile::Release)?;
    setup::for_testing(project)?;
    setup::npm_packages(&project.root.join(FOLDER))?;
    let native = project.scratch().join("bench").join("native.json");
    fs::create_dir_all(native.with_file_name("")).context("making the folder of measurements")?;
    let quick = options.iter().filter(|option| *option == "--quick");
    let text = Run::cargo(&project.root)
        .args(["run", "--release", "--quiet", "--package", "throughline", "--example", "bench", "--"])
        .args(quick)
        .read()
        .context("measuring natively")?;
    fs::write(&native, text).context(format_args!("writing {}", native.display()))?;
    Run::new("node")
        .dir(&project.root)
        .args(["--expose-gc".to_owned(), format!("{FOLDER}/run.mjs")])
        .args(options)
        .args(["--native".to_owned(), native.display().to_string()])
        .stream()
        .context("a measurement failed, or a floor was missed")
}
