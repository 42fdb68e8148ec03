//! The members of the workspace: what each must have, and features that must be nowhere.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Finding;
use super::arrows::OUTSIDE;

/// One crate of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The folder of its `Cargo.toml`.
    pub(crate) folder: PathBuf,
    /// Its direct dependencies outside of tests.
    pub(crate) uses: Vec<String>,
    /// The root source files of its libraries and programs.
    pub(crate) roots: Vec<PathBuf>,
}

#[cfg(test)]
impl Member {
    /// A member for tests of the rules.
    pub(super) fn fixture(name: &str, uses: &[&str]) -> Self {
        let short = name.strip_prefix("throughline-").unwrap_or(name);
        Self {
            name: name.to_owned(),
            folder: Path::new("/p/crates").join(short),
            uses: uses.iter().map(|used| (*used).to_owned()).collect(),
            roots: Vec::new(),
        }
    }
}

/// The members that cargo's metadata names, or nothing when it reads otherwise than expected.
pub(crate) fn members(metadata: &Value) -> Option<Vec<Member>> {
    let ids = metadata.get("workspace_members")?.as_array()?;
    let packages = metadata.get("packages")?.as_array()?;
    let mut members = Vec::new();
    for package in packages.iter().filter(|package| package.get("id").is_some_and(|id| ids.contains(id))) {
        let manifest = Path::new(package.get("manifest_path")?.as_str()?);
        let uses = package
            .get("dependencies")?
            .as_array()?
            .iter()
            .filter(|dependency| dependency.get("kind").and_then(Value::as_str) != Some("dev"))
            .filter_map(|dependency| dependency.get("name")?.as_str().map(str::to_owned))
            .collect();
        let roots = package
            .get("targets")?
            .as_array()?
            .iter()
            .filter(|target| {
                let is = |kind: &str| {
                    target.get("kind").and_then(Value::as_array).is_some_and(|kinds| kinds.iter().any(|k| k == kind))
                };
                is("lib") || is("bin") || is("cdylib") || is("rlib")
            })
            .filter_map(|target| target.get("src_path")?.as_str().map(PathBuf::from))
            .collect();
        members.push(Member {
            name: package.get("name")?.as_str()?.to_owned(),
            folder: manifest.parent()?.to_path_buf(),
            uses,
            roots,
        });
    }
    Some(members)
}

/// Checks names, places, lints and crate documentation.
pub(super) fn check(members: &[Member], root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members {
        findings.extend(check_name(member, root));
        let manifest = fs::read_to_string(member.folder.join("Cargo.toml")).unwrap_or_default();
        if !inherits_lints(&manifest) {
            findings.push(Finding::Fault(format!(
                "{} does not take the workspace's lints: add `[lints] workspace = true`",
                member.name
            )));
        }
        for source in &member.roots {
            let text = fs::read_to_string(source).unwrap_or_default();
            if !begins_with_docs(&text) {
                let file = source.strip_prefix(root).unwrap_or(source).display();
                findings.push(Finding::Fault(format!("{file} does not begin with `//!` and what it is for")));
            }
        }
    }
    findings
}

/// Folder `crates/x` holds package `throughline-x`; `throughline` and `xtask` keep their names.
fn check_name(member: &Member, root: &Path) -> Option<Finding> {
    let folder = member.folder.file_name()?.to_string_lossy();
    let below = member.folder.strip_prefix(root).unwrap_or(&member.folder).display().to_string();
    let expected =
        if folder == "throughline" || folder == OUTSIDE { folder.to_string() } else { format!("throughline-{folder}") };
    (member.name != expected)
        .then(|| Finding::Fault(format!("the package in {below} is called {}, not {expected}", member.name)))
}

fn inherits_lints(manifest: &str) -> bool {
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[lints]";
        }
        let squeezed: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if squeezed == "lints.workspace=true" || inside && squeezed == "workspace=true" {
            return true;
        }
    }
    false
}

fn begins_with_docs(source: &str) -> bool {
    let first = source.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
    first.is_some_and(|line| line.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty()))
}

/// `serde_json` reads numbers as text of any length with this feature on, for every crate at once.
const FORBIDDEN_FEATURES: &[(&str, &str)] = &[("serde_json", "arbitrary_precision")];

/// Checks that no forbidden feature is on anywhere, not even for tests.
pub(super) fn check_features(metadata: &Value) -> Vec<Finding> {
    let nodes = metadata.pointer("/resolve/nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut findings = Vec::new();
    for node in nodes {
        let id = node.get("id").and_then(Value::as_str).unwrap_or_default();
        let features = node.get("features").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (package, feature) in FORBIDDEN_FEATURES {
            if package_of(id) == *package && features.iter().any(|on| on == feature) {
                findings.push(Finding::Fault(format!("the feature {feature} of {package} is on: some dependency switches it on; find it with `cargo tree -e features -i {package}`")));
            }
        }
    }
    findings
}

/// The name in a package id, as in `registry+https://…#serde_json@1.0.0` or `path+file:///a/b#0.1.0`.
fn package_of(id: &str) -> &str {
    let (path, fragment) = id.rsplit_once('#').unwrap_or((id, ""));
    fragment.split_once('@').map_or_else(|| path.rsplit('/').next().unwrap_or(path), |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_read_with_their_ordinary_and_build_dependencies_but_not_their_tests() {
        let metadata = json!({
            "workspace_members": ["path+file:///p/crates/plan#throughline-plan@0.1.0"],
            "packages": [
                {"id": "registry#serde@1.0.0", "name": "serde"},
                {"id": "path+file:///p/crates/plan#throughline-plan@0.1.0", "name": "throughline-plan",
                 "manifest_path": "/p/crates/plan/Cargo.toml",
                 "dependencies": [{"name": "regex", "kind": null}, {"name": "proptest", "kind": "dev"}, {"name": "cc", "kind": "build"}],
                 "targets": [{"kind": ["lib"], "src_path": "/p/crates/plan/src/lib.rs"}, {"kind": ["test"], "src_path": "/p/crates/plan/tests/t.rs"}]}
            ]
        });
        let members = members(&metadata).unwrap();
        assert_eq!(members.len(), 1);
        assert_eq!(members[0].uses, ["regex", "cc"]);
        assert_eq!(members[0].roots, [PathBuf::from("/p/crates/plan/src/lib.rs")]);
    }

    #[test]
    fn a_package_is_named_after_its_folder() {
        let root = Path::new("/p");
        assert_eq!(check_name(&Member::fixture("throughline-plan", &[]), root), None);
        assert_eq!(check_name(&Member::fixture("xtask", &[]), root), None);
        let wrong = Member { name: "plans".to_owned(), ..Member::fixture("throughline-plan", &[]) };
        assert_eq!(
            check_name(&wrong, root),
            Some(Finding::Fault("the package in crates/plan is called plans, not throughline-plan".to_owned()))
        );
    }

    #[test]
    fn lints_are_inherited_in_either_spelling_and_only_in_their_own_section() {
        assert!(inherits_lints("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"));
        assert!(inherits_lints("lints.workspace = true\n[package]"));
        assert!(!inherits_lints("[package]\nname = \"a\"\n"));
        assert!(!inherits_lints("[lints]\n[dependencies.serde]\nworkspace = true\n"));
        assert!(!inherits_lints("[lints.rust]\nworkspace = true\n"));
    }

    #[test]
    fn a_crate_begins_with_words_about_itself() {
        assert!(begins_with_docs("//! What it is.\n"));
        assert!(begins_with_docs("#![no_std]\n\n//! What it is.\n"));
        assert!(!begins_with_docs("//!\n"));
        assert!(!begins_with_docs("use std::fs;\n//! late\n"));
        assert!(!begins_with_docs(""));
    }

    #[test]
    fn a_forbidden_feature_is_found_wherever_it_is_switched_on() {
        let metadata = |features: Value| json!({"resolve": {"nodes": [{"id": "registry+x#serde_json@1.0.1", "features": features}]}});
        assert_eq!(check_features(&metadata(json!(["default", "std"]))), []);
        assert_eq!(check_features(&metadata(json!(["std", "arbitrary_precision"]))).len(), 1);
        assert_eq!(package_of("path+file:///p/crates/plan#0.1.0"), "plan");
    }
}
