//! Assembles `dist/`: the page, the inspector, the npm package's built files and the demos.

use std::fs;
use std::path::{Path, PathBuf};

use super::page::{self, Asset};
use super::{INSPECTOR, VIEWS, bound};
use crate::error::{Context as _, Result};
use crate::files::{Assembly, walk};
use crate::project::Project;

/// Makes `dist/` hold exactly what the page needs, copying only what changed.
pub(super) fn assemble(project: &Project) -> Result<()> {
    let dist = project.dist();
    let source = fs::read_to_string(project.root.join("index.html")).context("reading index.html")?;
    let page = page::read(&source).context("reading index.html")?;
    let mut assembly = Assembly::default();
    assembly.put(&dist, Path::new("index.html"), &page.html)?;
    for asset in &page.assets {
        match asset {
            Asset::File { from, to } => assembly.copy(&dist, &project.root.join(from), to)?,
            Asset::Folder { from, to } => assembly.copy_folder(&dist, &project.root.join(from), to)?,
        }
    }
    for name in [INSPECTOR, VIEWS] {
        let bound = bound(project, name);
        for file in files_of(&bound)? {
            assembly.copy(&dist, &bound.join(&file), &file)?;
        }
    }
    assembly.finish(&dist)
}

/// Copies one bound file with its script into `folder`, which others have filled.
pub(super) fn copy_bound(project: &Project, name: &str, folder: &Path) -> Result<()> {
    let bound = bound(project, name);
    for file in files_of(&bound)? {
        fs::copy(bound.join(&file), folder.join(&file)).context(format_args!("copying {}", file.display()))?;
    }
    Ok(())
}

/// What wasm-bindgen wrote, without the types.
fn files_of(bound: &Path) -> Result<Vec<PathBuf>> {
    Ok(walk(bound)?.into_iter().filter(|file| !file.to_string_lossy().ends_with(".d.ts")).collect())
}
