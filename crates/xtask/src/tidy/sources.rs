//! What tracked files may be called and hold.

use std::fs;
use std::path::Path;

use super::Finding;
use crate::error::Result;
use crate::project::Project;
use crate::run::Run;

/// A source file longer than this is probably two ideas.
const LONG_FILE: usize = 800;

/// Beginnings of paths that exist on one machine only. In two halves, so that this file may pass.
const MACHINE_PATHS: &[(&str, &str)] = &[("/wo", "rk/"), ("/ro", "ot/"), ("/fa", "rm/"), ("/tm", "p/"), ("/ho", "me/")];

/// Beginnings of host names of package registries: which one is used is a matter of each machine.
const REGISTRY_HOSTS: &[(&str, &str)] = &[
    ("://ind", "ex."),
    ("://sta", "tic.crates."),
    ("://regis", "try."),
    ("://fil", "es.pythonhosted."),
    ("://de", "b.debian."),
];

/// Checks every tracked file.
pub(super) fn check(project: &Project) -> Result<Vec<Finding>> {
    let listed = Run::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .dir(&project.root)
        .read()?;
    let mut findings = Vec::new();
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        findings.extend(check_name(name));
        // A file that was just removed is still listed; one that is not text has no words.
        if let Ok(text) = fs::read_to_string(project.root.join(name)) {
            findings.extend(check_text(name, &text));
        }
    }
    Ok(findings)
}

fn check_name(name: &str) -> Option<Finding> {
    let path = Path::new(name);
    (path.file_name()? == "mod.rs").then(|| {
        let parent = path.parent().unwrap_or(path).display();
        Finding::Fault(format!("{name}: write {parent}.rs beside the folder instead of mod.rs"))
    })
}

fn check_text(name: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let extension = Path::new(name).extension().and_then(|ext| ext.to_str()).unwrap_or_default();
    let lines = text.lines().count();
    if matches!(extension, "rs" | "ts" | "mjs" | "js" | "css") && lines > LONG_FILE {
        findings.push(Finding::Advice(format!("{name} has {lines} lines: one idea a file")));
    }
    let is_npm_lock = name.ends_with("package-lock.json");
    // Cargo writes the registry's own name into its lock file; it is the same on every machine.
    if name.ends_with("Cargo.lock") {
        return findings;
    }
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        for word in MACHINE_PATHS.iter().map(|(a, b)| format!("{a}{b}")).filter(|word| is_path_at(line, word)) {
            findings.push(Finding::Fault(format!("{name}:{number}: the path {word}… is that of one machine")));
        }
        for word in REGISTRY_HOSTS.iter().map(|(a, b)| format!("{a}{b}")).filter(|word| line.contains(word.as_str())) {
            findings.push(Finding::Fault(format!("{name}:{number}: names a package registry's host ({word}…)")));
        }
        if is_npm_lock && line.trim_start().starts_with("\"resolved\": \"http") {
            findings.push(Finding::Fault(format!(
                "{name}:{number}: a lock file with addresses: set `omit-lockfile-registry-resolved=true` in the .npmrc beside it and write it again"
            )));
        }
    }
    findings
}

/// Whether `line` names an absolute path that begins with `start`, not merely a path with such a part in it.
fn is_path_at(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '}' | ')' | '~' | '*')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: usize) {
        let found = check_text(name, text);
        assert_eq!(found.len(), expected, "{text:?} gave {found:?}");
    }

    #[test]
    fn a_machines_path_is_a_fault_and_a_folder_of_that_name_in_the_project_is_not() {
        let (work, root) = (["/wo", "rk/main"].concat(), ["/ro", "ot/.cargo"].concat());
        check("a.md", &format!("see {work}"), 1);
        check("a.toml", &format!("path = \"{root}\"\nother = '{work}'"), 2);
        check("a.md", &format!("see docs{work}"), 0);
        check("a.md", &format!("see ..{work}"), 0);
    }

    #[test]
    fn a_registrys_host_is_a_fault_but_not_in_cargos_own_lock_file() {
        let line = ["source = \"registry+https", "://ind", "ex.example/x\""].concat();
        check("README.md", &line, 1);
        check("Cargo.lock", &line, 0);
    }

    #[test]
    fn an_npm_lock_file_with_addresses_is_a_fault() {
        check("web/npm/package-lock.json", "      \"resolved\": \"https://example.org/a.tgz\",", 1);
        check("web/npm/package-lock.json", "      \"resolved\": \"node_modules/a\",", 0);
    }

    #[test]
    fn a_long_file_is_advice_only() {
        let long = "//! x\n".repeat(LONG_FILE + 1);
        assert!(matches!(check_text("a.rs", &long).as_slice(), [Finding::Advice(_)]));
        check("data.json", &long, 0);
    }

    #[test]
    fn a_module_in_mod_rs_is_told_its_better_place() {
        let found = check_name("crates/a/src/b/mod.rs");
        assert_eq!(
            found,
            Some(Finding::Fault(
                "crates/a/src/b/mod.rs: write crates/a/src/b.rs beside the folder instead of mod.rs".to_owned()
            ))
        );
        assert_eq!(check_name("crates/a/src/b.rs"), None);
    }
}
