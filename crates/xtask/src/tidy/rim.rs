//! Below the rim nothing may reach the browser, a clock or entropy, by whatever way.

use std::fs;

use super::Finding;
use super::crates::Member;
use crate::error::{Context as _, Result};
use crate::files::walk;
use crate::project::Project;
use crate::run::Run;
use crate::setup::WASM_TARGET;

/// The crates that may: they are the rim, or outside of it.
const RIM: &[&str] =
    &["throughline-store", "throughline-browser", "throughline-wasm", "throughline-inspector", "xtask"];

/// What nobody below may depend on, however far down.
const FORBIDDEN: &[&str] = &["wasm-bindgen", "js-sys", "web-sys", "leptos", "idb", "getrandom"];

/// The same for every package whose name begins so.
const FORBIDDEN_PREFIX: &[&str] = &["gloo", "wasm-bindgen-"];

/// Words in a source file that read a clock or roll dice.
const FORBIDDEN_WORDS: &[&str] =
    &["SystemTime::now", "Instant::now", "Zoned::now", "Timestamp::now", "thread_rng", "RandomState::new"];

/// Checks dependencies (natively and for wasm) and sources of every crate below the rim.
pub(super) fn check(project: &Project, members: &[Member]) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for member in members.iter().filter(|member| !RIM.contains(&member.name.as_str())) {
        for target in [None, Some(WASM_TARGET)] {
            let mut tree = Run::cargo(&project.root).args([
                "tree",
                "--locked",
                "--package",
                &member.name,
                "--edges",
                "normal,no-proc-macro",
                "--prefix",
                "none",
                "--format",
                "{p}",
            ]);
            if let Some(target) = target {
                tree = tree.args(["--target", target]);
            }
            findings.extend(check_tree(&member.name, &tree.read()?));
        }
        let source = member.folder.join("src");
        for file in walk(&source)? {
            let file = source.join(file);
            if file.extension().is_some_and(|ext| ext == "rs") {
                let text = fs::read_to_string(&file).context(format_args!("reading {}", file.display()))?;
                findings.extend(check_source(&project.short(&file), &text));
            }
        }
    }
    Ok(findings)
}

/// Checks the packages that `cargo tree` lists for one crate.
fn check_tree(name: &str, tree: &str) -> Vec<Finding> {
    tree.lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|package| FORBIDDEN.contains(package) || FORBIDDEN_PREFIX.iter().any(|prefix| package.starts_with(prefix)))
        .map(|package| Finding::Fault(format!("{name} is below the rim and must not depend on {package}; find the way with `cargo tree -p {name} -i {package}`")))
        .collect()
}

/// Checks one source file; words in comments do not count.
fn check_source(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for word in FORBIDDEN_WORDS.iter().filter(|word| code.contains(**word)) {
            findings.push(Finding::Fault(format!(
                "{file}:{}: {word} below the rim: time and randomness are inputs",
                number + 1
            )));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_crate_anywhere_in_the_tree_is_a_fault() {
        let tree = "throughline-plan v0.1.0 (path)\nregex v1.13.0\nserde v1.0.0 (*)\n";
        assert_eq!(check_tree("throughline-plan", tree), []);
        for package in [
            "getrandom v0.4.0",
            "gloo-timers v0.3.0",
            "wasm-bindgen v0.2.130",
            "wasm-bindgen-futures v0.4.80 (*)",
            "idb v0.6.5",
        ] {
            assert_eq!(check_tree("throughline-plan", &format!("{tree}{package}\n")).len(), 1, "{package}");
        }
    }

    #[test]
    fn reading_a_clock_is_a_fault_with_its_line_and_a_comment_about_it_is_not() {
        let found = check_source("a.rs", "// Instant::now is forbidden\nlet t = Instant::now();\n");
        assert_eq!(
            found,
            [Finding::Fault("a.rs:2: Instant::now below the rim: time and randomness are inputs".to_owned())]
        );
        assert_eq!(check_source("a.rs", "let now = input.now; // not SystemTime::now\n"), []);
    }
}
