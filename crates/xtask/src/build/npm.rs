//! Compiles the npm package's TypeScript with the compiler in its own lock file.

use std::path::PathBuf;

use crate::error::{Context as _, Result};
use crate::files::{Stamp, fingerprint, walk};
use crate::project::Project;
use crate::run::Run;

/// Runs `tsc` in `web/npm`, unless nothing it reads has changed.
pub(super) fn compile(project: &Project) -> Result<()> {
    let npm = project.npm();
    if !npm.join("tsconfig.json").is_file() {
        println!("  (web/npm has no tsconfig.json yet: nothing to compile)");
        return Ok(());
    }
    let stamp = Stamp::new(&project.scratch(), "npm", fingerprint(inputs(project)?.iter().map(PathBuf::as_path))?);
    let out = project.npm_dist();
    if stamp.is_fresh(&[&out.join("index.js"), &out.join("index.d.ts")]) {
        return Ok(());
    }
    let compiler = npm.join("node_modules/typescript/bin/tsc");
    Run::new("node").args([compiler.as_os_str(), "--project".as_ref(), "tsconfig.json".as_ref()]).dir(&npm).stream()?;
    stamp.save().context("remembering what was compiled")
}

/// What the compiler reads: our sources, its settings, and the types of the engine.
fn inputs(project: &Project) -> Result<Vec<PathBuf>> {
    let npm = project.npm();
    let mut files: Vec<PathBuf> = walk(&npm.join("src"))?.iter().map(|file| npm.join("src").join(file)).collect();
    files.extend(["tsconfig.json", "package.json", "package-lock.json"].map(|name| npm.join(name)));
    let pkg = project.npm_dist().join("pkg");
    files
        .extend(walk(&pkg)?.iter().filter(|file| file.to_string_lossy().ends_with(".d.ts")).map(|file| pkg.join(file)));
    files.retain(|file| file.is_file());
    Ok(files)
}
