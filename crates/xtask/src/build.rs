//! Builds everything that a page or a package needs: engine, npm façade, inspector, `dist/`.

mod bindgen;
mod cargo_wasm;
mod npm;
mod page;
mod site;

use std::path::Path;

use crate::error::Result;
use crate::project::Project;
use crate::setup;

/// What the bound engine's files are called.
const ENGINE: &str = "throughline_wasm";
/// What the bound inspector's files are called; `boot.js` loads them.
const INSPECTOR: &str = "inspector";
/// What the files of the inspector's large views are called; `bridge.js` loads them later.
const VIEWS: &str = "views";
/// The package of both.
const INSPECTOR_PACKAGE: &str = "throughline-inspector";

/// How fast the result shall be built, or how small it shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// What users get: small and fast code, names removed.
    Release,
    /// For a person who edits: quickly built, with names in stack traces.
    Dev,
}

impl Profile {
    /// Cargo's name for it.
    fn cargo_name(self) -> &'static str {
        match self {
            Self::Release => "wasm-release",
            Self::Dev => "dev",
        }
    }
}

/// Whether what lies there was built for users; sizes of anything else say nothing.
pub(crate) fn is_release(project: &Project) -> bool {
    [ENGINE, INSPECTOR, VIEWS].iter().all(|name| bindgen::is_release(project, name))
}

/// Builds all of it, with the set-up that this needs.
pub(crate) fn everything(project: &Project, profile: Profile) -> Result<()> {
    setup::for_building(project)?;
    engine(project, profile)?;
    npm::compile(project)?;
    inspector(project, profile)?;
    site::assemble(project)
}

/// Builds the engine and the npm façade around it: what a Trunk hook needs first.
pub(crate) fn engine_and_facade(project: &Project, profile: Profile) -> Result<()> {
    setup::for_building(project)?;
    engine(project, profile)?;
    npm::compile(project)
}

/// The engine as the npm package ships it: `web/npm/dist/pkg/throughline_wasm{.js,.d.ts,_bg.wasm}`.
fn engine(project: &Project, profile: Profile) -> Result<()> {
    let wasm = cargo_wasm::build(project, "throughline-wasm", None, profile)?;
    bindgen::bind(project, &wasm, &project.npm_dist().join("pkg"), ENGINE, profile)
}

/// The inspector. A cargo call of its own: one call for both would unify the features of what they share.
fn inspector(project: &Project, profile: Profile) -> Result<()> {
    for name in [INSPECTOR, VIEWS] {
        let wasm = cargo_wasm::build(project, INSPECTOR_PACKAGE, Some(name), profile)?;
        bindgen::bind(project, &wasm, &bound(project, name), name, profile)?;
    }
    Ok(())
}

/// The page alone, around the engine that was built last.
pub(crate) fn page(project: &Project, profile: Profile) -> Result<()> {
    setup::for_building(project)?;
    inspector(project, profile)?;
    site::assemble(project)
}

/// The large views alone, bound into `folder`: for Trunk, which builds one wasm file a page.
pub(crate) fn views_into(project: &Project, folder: &Path, profile: Profile) -> Result<()> {
    setup::for_building(project)?;
    let wasm = cargo_wasm::build(project, INSPECTOR_PACKAGE, Some(VIEWS), profile)?;
    bindgen::bind(project, &wasm, &bound(project, VIEWS), VIEWS, profile)?;
    site::copy_bound(project, VIEWS, folder)
}

/// Where one bound file of the inspector lies before it is assembled.
fn bound(project: &Project, name: &str) -> std::path::PathBuf {
    project.scratch().join("bound").join(name)
}

/// The name of a file without the folders above it.
fn file_name(path: &str) -> &Path {
    Path::new(Path::new(path).file_name().unwrap_or_default())
}
