//! Compiles one package for the browser and says where cargo put the `.wasm` file.

use std::path::PathBuf;

use serde_json::Value;

use super::Profile;
use crate::error::{Context as _, Result};
use crate::project::Project;
use crate::run::Run;
use crate::setup::WASM_TARGET;

/// When everything is linked, only what gets smaller by it is inlined: each package has inlined its own before, as
/// fast as its level asks for. A twentieth less to load for the engine; the page grows by it, so it goes without.
const SMALL_LINK: [&str; 3] = ["--", "-C", "llvm-args=-inline-threshold=0"];

/// Builds `package`, or one of its programs, and gives its wasm file. Cargo decides whether anything has to be done.
///
/// A library is built as the wasm file alone: beside a Rust library of the same code nothing in it could be taken
/// for unused or changed, which costs a tenth.
pub(super) fn build(project: &Project, package: &str, bin: Option<&str>, profile: Profile) -> Result<PathBuf> {
    let what = match bin {
        Some(bin) => vec!["--bin", bin],
        None => vec!["--lib", "--crate-type", "cdylib"],
    };
    let small: &[&str] = if profile == Profile::Release && bin.is_none() { &SMALL_LINK } else { &[] };
    let messages = Run::cargo(&project.root)
        .args(["rustc", "--locked", "--package", package, "--target", WASM_TARGET, "--profile", profile.cargo_name()])
        .args(what)
        .args(["--message-format", "json-render-diagnostics"])
        .args(small)
        .read_showing_progress()?;
    wasm_file(&messages).context(format_args!("cargo built no wasm file for {package}"))
}

/// The last `.wasm` file that cargo's messages name: the package asked for is built last.
fn wasm_file(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message.get("reason").and_then(Value::as_str) == Some("compiler-artifact"))
        .filter_map(|message| {
            let files = message.get("filenames")?.as_array()?.clone();
            files.iter().filter_map(Value::as_str).find(|file| file.ends_with(".wasm")).map(PathBuf::from)
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wasm_file_is_the_last_one_that_cargo_names() {
        let messages = r#"{"reason":"compiler-artifact","filenames":["/t/liba.rlib"]}
{"reason":"compiler-artifact","filenames":["/t/old.wasm"]}
not json
{"reason":"compiler-artifact","filenames":["/t/libb.rlib","/t/b.wasm"]}
{"reason":"build-finished","success":true}"#;
        assert_eq!(wasm_file(messages), Some(PathBuf::from("/t/b.wasm")));
        assert_eq!(wasm_file("{}"), None);
    }
}
