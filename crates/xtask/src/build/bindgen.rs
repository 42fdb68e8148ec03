//! wasm-bindgen as a library: always the version in our own lock file, nothing to install.

use std::fs;
use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use super::Profile;
use crate::error::{Context as _, Result};
use crate::files::{Stamp, fingerprint};
use crate::project::Project;

/// The first word of a stamp.
fn mark(profile: Profile) -> &'static str {
    match profile {
        Profile::Release => "release",
        Profile::Dev => "dev",
    }
}

/// Whether what was bound last under this name is what users get.
pub(crate) fn is_release(project: &Project, name: &str) -> bool {
    Stamp::read(&project.scratch(), name).is_some_and(|text| text.starts_with(mark(Profile::Release)))
}

/// Writes `name.js`, `name.d.ts` and `name_bg.wasm` for this wasm file into `folder`, unless they are there.
pub(super) fn bind(project: &Project, wasm: &Path, folder: &Path, name: &str, profile: Profile) -> Result<()> {
    let inputs = format!("{} {}", mark(profile), fingerprint([wasm])?);
    let stamp = Stamp::new(&project.scratch(), name, inputs);
    let outputs =
        [format!("{name}.js"), format!("{name}_bg.wasm"), format!("{name}.d.ts")].map(|file| folder.join(file));
    if stamp.is_fresh(&outputs.each_ref().map(|file| file.as_path())) {
        return Ok(());
    }
    println!("  binding {}", project.short(folder));
    // Snippets of an earlier build have other names: nothing of it may stay.
    if folder.exists() {
        fs::remove_dir_all(folder).context(format_args!("emptying {}", folder.display()))?;
    }
    fs::create_dir_all(folder).context(format_args!("making {}", folder.display()))?;
    let small = profile == Profile::Release;
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)
        .context("wasm-bindgen")?
        .typescript(true)
        .omit_default_module_path(true)
        .keep_debug(!small)
        .remove_name_section(small)
        .remove_producers_section(small)
        .out_name(name)
        .input_path(wasm);
    bindgen
        .generate(folder)
        .map_err(|error| format!("{error:?}"))
        .context(format_args!("wasm-bindgen on {}", wasm.display()))?;
    stamp.save()
}
