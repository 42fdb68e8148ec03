//! Small work on files: copying a folder only where it changed, and stamps of what was built from what.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{Context as _, Result};

/// All files below `folder`, sorted, relative to it. A folder that is missing has none.
pub(crate) fn walk(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        walk_into(folder, Path::new(""), &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn walk_into(base: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let folder = base.join(below);
    for entry in fs::read_dir(&folder).context(format_args!("reading {}", folder.display()))? {
        let entry = entry.context(format_args!("reading {}", folder.display()))?;
        let path = below.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk_into(base, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// A text that changes when any of these files changes (path, length, time of change).
pub(crate) fn fingerprint<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<String> {
    let mut text = String::new();
    for file in files {
        let meta = fs::metadata(file).context(format_args!("reading {}", file.display()))?;
        let changed = meta.modified().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let nanos = changed.map_or(0, |since| since.as_nanos());
        text.push_str(&format!("{} {} {nanos}\n", file.display(), meta.len()));
    }
    Ok(text)
}

/// Remembers what a result was built from, so that it is not built again.
#[derive(Debug)]
pub(crate) struct Stamp {
    file: PathBuf,
    text: String,
}

impl Stamp {
    /// The stamp called `name` in `scratch` for this fingerprint.
    pub(crate) fn new(scratch: &Path, name: &str, text: String) -> Self {
        Self { file: scratch.join(format!("{name}.stamp")), text }
    }

    /// The text of the stamp that was saved under this name.
    pub(crate) fn read(scratch: &Path, name: &str) -> Option<String> {
        fs::read_to_string(scratch.join(format!("{name}.stamp"))).ok()
    }

    /// Whether the result was built from exactly this, and all of `outputs` are still there.
    pub(crate) fn is_fresh(&self, outputs: &[&Path]) -> bool {
        outputs.iter().all(|file| file.exists()) && fs::read_to_string(&self.file).is_ok_and(|old| old == self.text)
    }

    /// Remembers it.
    pub(crate) fn save(&self) -> Result<()> {
        write(&self.file, &self.text)
    }
}

/// Writes a file and the folders above it.
pub(crate) fn write(file: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).context(format_args!("making {}", folder.display()))?;
    }
    fs::write(file, text).context(format_args!("writing {}", file.display()))
}

/// Collects what a served folder shall hold, then makes it so: changed files are
/// copied, files that nobody asked for are removed, all others are left alone.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    wanted: BTreeSet<PathBuf>,
}

impl Assembly {
    /// Wants the text `content` at `to` below `folder`.
    pub(crate) fn put(&mut self, folder: &Path, to: &Path, content: &str) -> Result<()> {
        self.wanted.insert(to.to_path_buf());
        let file = folder.join(to);
        if fs::read_to_string(&file).is_ok_and(|old| old == content) { Ok(()) } else { write(&file, content) }
    }

    /// Wants the file `from` at `to` below `folder`.
    pub(crate) fn copy(&mut self, folder: &Path, from: &Path, to: &Path) -> Result<()> {
        self.wanted.insert(to.to_path_buf());
        let file = folder.join(to);
        let new = fs::metadata(from).context(format_args!("reading {}", from.display()))?;
        if let (Ok(old), Ok(changed)) = (fs::metadata(&file), new.modified())
            && old.len() == new.len()
            && old.modified().is_ok_and(|at| at >= changed)
        {
            return Ok(());
        }
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).context(format_args!("making {}", parent.display()))?;
        }
        fs::copy(from, &file).context(format_args!("copying {} to {}", from.display(), file.display()))?;
        Ok(())
    }

    /// Wants every file below `from` at the same place below `to`.
    pub(crate) fn copy_folder(&mut self, folder: &Path, from: &Path, to: &Path) -> Result<()> {
        for file in walk(from)? {
            self.copy(folder, &from.join(&file), &to.join(&file))?;
        }
        Ok(())
    }

    /// Removes everything in `folder` that was not wanted.
    pub(crate) fn finish(self, folder: &Path) -> Result<()> {
        for file in walk(folder)? {
            if !self.wanted.contains(&file) {
                let path = folder.join(&file);
                fs::remove_file(&path).context(format_args!("removing {}", path.display()))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("throughline-xtask-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn an_assembly_copies_what_changed_and_removes_what_nobody_wants() {
        let base = scratch("assembly");
        let (from, to) = (base.join("from"), base.join("to"));
        write(&from.join("a.txt"), "one").unwrap();
        write(&from.join("deep/b.txt"), "two").unwrap();
        write(&to.join("old.txt"), "stale").unwrap();

        let mut assembly = Assembly::default();
        assembly.copy_folder(&to, &from, Path::new("x")).unwrap();
        assembly.put(&to, Path::new("page.html"), "hello").unwrap();
        assembly.finish(&to).unwrap();
        let names: Vec<_> = walk(&to).unwrap().iter().map(|file| file.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["page.html", "x/a.txt", "x/deep/b.txt"]);

        write(&from.join("a.txt"), "changed").unwrap();
        let mut assembly = Assembly::default();
        assembly.copy_folder(&to, &from, Path::new("x")).unwrap();
        assembly.finish(&to).unwrap();
        assert_eq!(fs::read_to_string(to.join("x/a.txt")).unwrap(), "changed");
        assert!(!to.join("page.html").exists());
        fs::remove_dir_all(base).unwrap();
    }

    #[test]
    fn a_stamp_is_fresh_only_for_the_same_inputs_and_while_the_outputs_exist() {
        let base = scratch("stamp");
        let (input, output) = (base.join("in"), base.join("out"));
        write(&input, "1").unwrap();
        write(&output, "built").unwrap();
        let stamp = |text: &str| Stamp::new(&base, "s", text.to_owned());
        assert!(!stamp("a").is_fresh(&[&output]));
        stamp("a").save().unwrap();
        assert!(stamp("a").is_fresh(&[&output]));
        assert!(!stamp("b").is_fresh(&[&output]));
        fs::remove_file(&output).unwrap();
        assert!(!stamp("a").is_fresh(&[&output]));
        let before = fingerprint([input.as_path()]).unwrap();
        write(&input, "12").unwrap();
        assert_ne!(before, fingerprint([input.as_path()]).unwrap());
        fs::remove_dir_all(base).unwrap();
    }
}
