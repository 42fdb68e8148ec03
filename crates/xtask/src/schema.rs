//! The published JSON Schemas and the reference of commands and queries, all from the protocol's own source:
//! its structures with what is written above them.

mod read;
mod reference;
mod write;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::error::{Context as _, Error, Result};
use crate::project::Project;
use read::Protocol;

/// A file that is written from the protocol's source.
struct Generated {
    path: PathBuf,
    text: String,
}

/// Writes what is stale; says what was written.
pub(crate) fn schema(project: &Project) -> Result<()> {
    for file in generated(project)? {
        if fs::read_to_string(&file.path).is_ok_and(|text| text == file.text) {
            continue;
        }
        if let Some(folder) = file.path.parent() {
            fs::create_dir_all(folder).context("making the schema's folder")?;
        }
        fs::write(&file.path, &file.text).context("writing a schema")?;
        println!("wrote {}", project.short(&file.path));
    }
    Ok(())
}

/// What is not as the protocol's source says.
pub(crate) fn stale(project: &Project) -> Result<Vec<String>> {
    let stale = |file: &Generated| fs::read_to_string(&file.path).map_or(true, |text| text != file.text);
    Ok(generated(project)?.iter().filter(|file| stale(file)).map(|file| project.short(&file.path)).collect())
}

fn generated(project: &Project) -> Result<Vec<Generated>> {
    let source = project.root.join("crates/protocol/src");
    let mut protocol = Protocol::default();
    for name in ["command", "query", "domain", "envelope", "words", "intervention", "session"] {
        let text = fs::read_to_string(source.join(format!("{name}.rs"))).context("reading the protocol's source")?;
        protocol.read(name, &text);
    }
    if protocol.structs.len() < 60 || protocol.words.len() < 7 || protocol.ranges.len() < 5 {
        return Err(Error::new("the protocol's source is not read as expected: see crates/xtask/src/schema/read.rs"));
    }
    let schemas = project.root.join("docs/schema");
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    let mut files = vec![
        Generated { path: schemas.join("domain.schema.json"), text: pretty(&write::domain(&protocol)?) },
        Generated { path: schemas.join("command.schema.json"), text: pretty(&write::tagged(&protocol, "command")?) },
        Generated { path: schemas.join("query.schema.json"), text: pretty(&write::tagged(&protocol, "query")?) },
        Generated { path: schemas.join("scenario.schema.json"), text: pretty(&write::scenario(&protocol)?) },
        Generated { path: project.root.join("docs/commands.md"), text: reference::reference(&protocol)? },
    ];
    let actions = serde_json::to_string(&write::actions(&protocol)?).unwrap_or_default() + "\n";
    files.push(Generated { path: project.root.join("crates/engine/src/tools/actions.json"), text: actions });
    let form = serde_json::to_string(&write::bare(write::domain(&protocol)?)).unwrap_or_default() + "\n";
    files.push(Generated { path: project.root.join("crates/agent/src/domain/schema.json"), text: form });
    Ok(files)
}
