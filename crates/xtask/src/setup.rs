//! Makes a machine ready: each piece is looked for, installed when it is missing, and
//! named with what to type where it may not be installed from here.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context as _, Error, Result};
use crate::project::{Project, on_path};
use crate::run::Run;

/// The oldest Node.js that the npm package supports.
const OLDEST_NODE: u32 = 20;

/// The only target besides the machine's own.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A browser and its driver, as the tests need them.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    /// Chromium, or a Chrome.
    pub(crate) chromium: PathBuf,
    /// Its WebDriver.
    pub(crate) driver: PathBuf,
}

/// What building needs: the wasm target, Node.js, and the npm package's compiler.
pub(crate) fn for_building(project: &Project) -> Result<()> {
    wasm_target(project)?;
    node()?;
    npm_packages(&project.npm())
}

/// What the JavaScript side of the tests needs besides.
pub(crate) fn for_testing(project: &Project) -> Result<()> {
    npm_packages(&project.root.join("tests/e2e"))?;
    npm_packages(&project.root.join("tests/consumers"))
}

/// Installs the wasm part of the standard library unless it is there.
pub(crate) fn wasm_target(project: &Project) -> Result<()> {
    let folder = Run::new("rustc")
        .args(["--print", "target-libdir", "--target", WASM_TARGET])
        .dir(&project.root)
        .read()
        .context("asking rustc for the wasm target")?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    let what_to_type = format!("type: rustup target add {WASM_TARGET}");
    if on_path(&["rustup"]).is_none() {
        return Err(Error::new(format!(
            "the Rust target {WASM_TARGET} is missing and rustup is not on PATH; {what_to_type}"
        )));
    }
    println!("set-up: installing the Rust target {WASM_TARGET}");
    Run::new("rustup").args(["target", "add", WASM_TARGET]).dir(&project.root).stream().context(what_to_type)
}

/// Checks that Node.js is there and new enough.
pub(crate) fn node() -> Result<()> {
    let help = format!(
        "Node.js {OLDEST_NODE} or newer with npm is needed: on Debian 13 or Ubuntu 24.10 type `apt-get install nodejs npm`, elsewhere see nodejs.org"
    );
    let version = Run::new("node").args(["--version"]).read().context(&help)?;
    match node_major(&version) {
        Some(major) if major >= OLDEST_NODE => {}
        _ => return Err(Error::new(format!("Node.js {} is too old. {help}", version.trim()))),
    }
    on_path(&["npm", "npm.cmd"]).context(format_args!("npm is not on PATH. {help}")).map(drop)
}

fn node_major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Runs `npm ci` in `folder` unless exactly its lock file is installed already.
pub(crate) fn npm_packages(folder: &Path) -> Result<()> {
    let lock = folder.join("package-lock.json");
    if !lock.is_file() {
        return Ok(());
    }
    let wanted = fs::read(&lock).context(format_args!("reading {}", lock.display()))?;
    let installed = folder.join("node_modules/.throughline-installed");
    if fs::read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!("set-up: installing the npm packages of {}", folder.display());
    Run::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .dir(folder)
        .stream()
        .context(format_args!("in {} type: npm ci", folder.display()))?;
    // A package without dependencies has no node_modules after `npm ci`.
    fs::create_dir_all(folder.join("node_modules")).context("making node_modules")?;
    fs::write(&installed, wanted).context(format_args!("writing {}", installed.display()))
}

/// Finds Chromium and its driver, installing Debian's when that is possible.
pub(crate) fn browser() -> Result<Browser> {
    if let Some(found) = find_browser() {
        return Ok(found);
    }
    if on_path(&["apt-get"]).is_some() && is_root() {
        println!("set-up: installing chromium and chromium-driver with apt-get");
        Run::new("apt-get").args(["update", "-q"]).stream()?;
        Run::new("apt-get")
            .args(["install", "-y", "-q", "--no-install-recommends", "chromium", "chromium-driver"])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stream()?;
    }
    find_browser().context(
        "Chromium and chromedriver are needed for the browser tests: on Debian type \
         `sudo apt-get install chromium chromium-driver`; elsewhere put both on PATH, or name them in CHROMIUM and CHROMEDRIVER",
    )
}

fn find_browser() -> Option<Browser> {
    let chromium =
        named_by("CHROMIUM", &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"])?;
    let driver = named_by("CHROMEDRIVER", &["chromedriver", "chromium.chromedriver"])?;
    Some(Browser { chromium, driver })
}

fn named_by(variable: &str, programs: &[&str]) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|file| file.is_file()).or_else(|| on_path(programs))
}

fn is_root() -> bool {
    Run::new("id").args(["-u"]).read().is_ok_and(|id| id.trim() == "0")
}

/// Whether this is a run where nothing may be skipped for want of a program.
pub(crate) fn is_ci() -> bool {
    std::env::var_os("CI")
        .is_some_and(|value| !value.is_empty() && value != OsStr::new("false") && value != OsStr::new("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_of_node_is_read_from_what_it_prints() {
        assert_eq!(node_major("v20.20.2\n"), Some(20));
        assert_eq!(node_major("v8.0.0"), Some(8));
        assert_eq!(node_major("nonsense"), None);
    }
}
