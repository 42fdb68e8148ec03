//! What is given away: the npm tarball, and the page as a folder for any static host.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::build::{self, Profile};
use crate::error::{Context as _, Result};
use crate::files::{Assembly, walk};
use crate::project::Project;
use crate::run::Run;

/// Builds both into `target/dist/`.
pub(crate) fn dist(project: &Project) -> Result<()> {
    build::everything(project, Profile::Release)?;
    let out = project.target.join("dist");
    let tarball = pack(project, &out)?;
    let site = out.join("site");
    let mut assembly = Assembly::default();
    assembly.copy_folder(&site, &project.dist(), Path::new(""))?;
    assembly.finish(&site)?;
    println!("npm package: {}", project.short(&tarball));
    println!(
        "static site: {} ({} files; works below any path, needs no server headers)",
        project.short(&site),
        walk(&site)?.len()
    );
    Ok(())
}

/// Packs the built npm package into `folder` and gives the tarball.
pub(crate) fn pack(project: &Project, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).context(format_args!("making {}", folder.display()))?;
    let destination = folder.to_string_lossy();
    let described = describe(project, &["--pack-destination", &destination])?;
    let name = described.get("filename").and_then(Value::as_str).context("npm pack did not name its file")?;
    Ok(folder.join(name))
}

/// What `npm pack` says about the package: its files and sizes.
pub(crate) fn describe(project: &Project, args: &[&str]) -> Result<Value> {
    let text = Run::new("npm").args(["pack", "--json", "--ignore-scripts"]).args(args).dir(&project.npm()).read()?;
    let described: Value = serde_json::from_str(&text).context("reading what npm pack printed")?;
    described.get(0).cloned().context("npm pack described no package")
}
