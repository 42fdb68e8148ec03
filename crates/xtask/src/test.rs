//! `test` and `check`: everything that says whether the project is in order.

mod browser;
mod native;
mod node;
mod properties;

use self::browser::Browsers;
use crate::build::{self, Profile};
use crate::error::{Error, Result};
use crate::project::Project;
use crate::stage::Stages;
use crate::{scenario, setup, size, tidy};

/// The quick loop: format, clippy, tidy and the native tests.
pub(crate) fn check(project: &Project) -> Result<()> {
    let mut stages = Stages::default();
    before_tests(project, &mut stages);
    stages.run("native tests", || native::tests(project, native::Depth::WithoutDocs));
    Ok(stages.finish()?)
}

/// Everything, with the set-up it needs. Under `strict`, a missing browser is a failure and not a skip.
///
/// Property tests run at full length under `strict` or `long`, and ten times that under `long`.
/// `only` runs those stages alone whose name contains it (what they need must be built then).
pub(crate) fn test(project: &Project, strict: bool, long: bool, only: Option<String>) -> Result<()> {
    // At full length they take minutes: CI runs them, and whoever asks.
    let properties = strict || long || only.as_ref().is_some_and(|only| "properties".contains(only.as_str()));
    let mut stages = Stages::only(only);
    stages.check("set-up", || {
        setup::for_building(project)?;
        setup::for_testing(project)
    });
    let in_browser = ["wasm-bindgen tests", "npm package in Node", "npm consumers", "end to end"]
        .iter()
        .any(|name| stages.wants(name));
    let found = if in_browser { setup::browser() } else { Err(Error::new("no stage needs a browser")) };
    let browsers = Browsers { found, strict };
    before_tests(project, &mut stages);
    stages.check("clippy wasm", || native::clippy_wasm(project));
    stages.run("native tests", || native::tests(project, native::Depth::Everything));
    if properties {
        stages.run("properties", || properties::run(project, long));
    }
    let built = stages.check("build", || build::everything(project, Profile::Release));
    stages.run("wasm-bindgen tests", || browser::wasm_bindgen_tests(project, &browsers));
    if built {
        stages.run("scenarios", || scenario::stage(project));
        stages.run("npm package in Node", || node::package_tests(project, &browsers));
        stages.run("npm consumers", || node::consumers(project, &browsers));
        stages.run("end to end", || browser::end_to_end(project, &browsers));
        stages.check("size", || size::size(project));
    } else {
        println!("\nscenarios, npm, end to end and size are not run: the build failed");
    }
    Ok(stages.finish()?)
}

fn before_tests(project: &Project, stages: &mut Stages) {
    stages.check("format", || native::format(project));
    stages.check("clippy native", || native::clippy_native(project));
    stages.check("tidy", || tidy::tidy(project));
}
