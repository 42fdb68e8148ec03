//! The rules that no compiler checks: arrows between crates, the rim, and what tracked files may hold.

mod arrows;
mod crates;
mod rim;
mod sources;

use crate::error::{Context as _, Error, Result};
use crate::project::Project;
use crate::run::Run;

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finding {
    /// Breaks a rule: the check fails.
    Fault(String),
    /// Worth a look.
    Advice(String),
}

/// Checks everything and prints what was found.
pub(crate) fn tidy(project: &Project) -> Result<()> {
    let text = Run::cargo(&project.root).args(["metadata", "--format-version", "1", "--locked"]).read()?;
    let metadata = serde_json::from_str(&text).context("reading cargo's metadata")?;
    let members = crates::members(&metadata).context("cargo's metadata has not the expected shape")?;
    let mut findings = arrows::check(&members);
    findings.extend(crates::check(&members, &project.root));
    findings.extend(crates::check_features(&metadata));
    findings.extend(rim::check(project, &members)?);
    findings.extend(sources::check(project)?);
    findings.extend(
        crate::schema::stale(project)?
            .into_iter()
            .map(|file| Finding::Fault(format!("{file} is stale: run `cargo xtask schema`"))),
    );
    findings.sort();
    findings.dedup();
    let mut faults = 0;
    for finding in &findings {
        match finding {
            Finding::Fault(text) => {
                faults += 1;
                println!("  fault: {text}");
            }
            Finding::Advice(text) => println!("  advice: {text}"),
        }
    }
    if faults == 0 {
        println!("  {} crates are tidy", members.len());
        Ok(())
    } else {
        Err(Error::new(format!("tidy found {faults} fault{}", if faults == 1 { "" } else { "s" })))
    }
}
