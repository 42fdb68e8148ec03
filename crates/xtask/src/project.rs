//! Where things are: the project's own folders, and programs on `PATH`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::{Context as _, Result};

/// The project's folder and the places below it that several commands use.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// The folder of the root `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever it was put.
    pub(crate) target: PathBuf,
}

impl Project {
    /// Finds the project from the folder this tool was compiled in.
    pub(crate) fn find() -> Result<Self> {
        // Set by `cargo run`; the compiled-in value serves a binary that is started by hand.
        let manifest = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&manifest)
            .ancestors()
            .find(|folder| folder.join("index.html").is_file() && folder.join("Cargo.toml").is_file())
            .or_else(|| Path::new(&manifest).ancestors().nth(2))
            .context("the project's root folder was not found: run this as `cargo xtask …` inside the project")?
            .to_path_buf();
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
        Ok(Self { root, target })
    }

    /// The folder that is served: the built inspector.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The npm package's folder.
    pub(crate) fn npm(&self) -> PathBuf {
        self.root.join("web/npm")
    }

    /// The npm package's built files.
    pub(crate) fn npm_dist(&self) -> PathBuf {
        self.root.join("web/npm/dist")
    }

    /// Where this tool keeps its stamps and intermediate files.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// A path as it reads from the project's root.
    pub(crate) fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// The first of these programs that is on `PATH`.
pub(crate) fn on_path<S: AsRef<OsStr>>(names: &[S]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names.iter().find_map(|name| {
        std::env::split_paths(&path).map(|dir| dir.join(name.as_ref())).find(|file| is_executable(file))
    })
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file() || file.with_extension("cmd").is_file()
}
