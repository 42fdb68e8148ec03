//! The npm package as its users have it: its own tests in Node.js, and the packed tarball in other projects.

use std::path::PathBuf;

use super::browser::Browsers;
use crate::count::Runner;
use crate::error::Result;
use crate::files::walk;
use crate::project::Project;
use crate::run::Run;
use crate::stage::Verdict;

/// Runs `web/npm/test/*.test.mjs` with Node's own test runner.
pub(super) fn package_tests(project: &Project, browsers: &Browsers) -> Result<Verdict> {
    let folder = project.npm().join("test");
    let files: Vec<PathBuf> = walk(&folder)?
        .into_iter()
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"))
        .map(|file| folder.join(file))
        .collect();
    let mut run = Run::new("node")
        .args(["--test", "--test-reporter=spec", "--test-timeout=600000"])
        .args(&files)
        .dir(&project.npm());
    // Some of them open the package in a browser, and skip that, visibly, where there is none.
    if let Ok(browser) = browsers.available()? {
        run = run.env("CHROMIUM", &browser.chromium);
    }
    let output = run.watch(|line| println!("  {line}"))?;
    Ok(Verdict::of_tests(Runner::Node.count(&output.lines), output.ok && !files.is_empty()))
}

/// Packs the package and installs it in a Vite project and a Node project, as its users do.
pub(super) fn consumers(project: &Project, browsers: &Browsers) -> Result<Verdict> {
    let tarball = crate::dist::pack(project, &project.scratch().join("pack"))?;
    let mut run = Run::new("node").args(["tests/consumers/run.mjs".as_ref(), tarball.as_os_str()]).dir(&project.root);
    // Without a browser the script skips, visibly, what only a browser can try.
    if let Ok(browser) = browsers.available()? {
        run = run.env("CHROMIUM", &browser.chromium);
    }
    let output = run.watch(|line| println!("  {line}"))?;
    Ok(Verdict::of_tests(Runner::Plain.count(&output.lines), output.ok))
}
