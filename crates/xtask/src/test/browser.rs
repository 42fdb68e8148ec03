//! Tests in a real browser: wasm-bindgen's, and a person's journeys through the built page.

use std::fs;

use serde_json::{Value, json};

use crate::count::{QuietSuccesses, Runner};
use crate::error::{Context as _, Error, Result};
use crate::files;
use crate::project::Project;
use crate::run::Run;
use crate::setup::{Browser, WASM_TARGET};
use crate::stage::Verdict;

/// The browser that was found, and what its absence means.
#[derive(Debug)]
pub(super) struct Browsers {
    pub(super) found: Result<Browser>,
    /// Nothing may be skipped.
    pub(super) strict: bool,
}

impl Browsers {
    /// The browser, or the skip that stands for its tests; an error where nothing may be skipped.
    pub(super) fn available(&self) -> Result<Result<&Browser, Verdict>> {
        match &self.found {
            Ok(browser) => Ok(Ok(browser)),
            Err(error) if self.strict => Err(Error::new(error.to_string())),
            Err(error) => Ok(Err(Verdict::skip(error.to_string()))),
        }
    }
}

/// The packages with wasm-bindgen tests.
const TESTED: &[&str] = &["throughline-store", "throughline-browser", "throughline-wasm"];

/// Seconds that a driver may take to start, and a test to end, on a busy machine.
const DRIVER_TIMEOUT: &str = "60";
const TEST_TIMEOUT: &str = "180";

/// Runs the wasm-bindgen tests in headless Chromium, with the runner of our own lock file.
pub(super) fn wasm_bindgen_tests(project: &Project, browsers: &Browsers) -> Result<Verdict> {
    let browser = match browsers.available()? {
        Ok(browser) => browser,
        Err(skipped) => return Ok(skipped),
    };
    let runner = build_runner(project)?;
    let mut quiet = QuietSuccesses::default();
    let settings = webdriver_settings(project, browser)?;
    let output = Run::cargo(&project.root)
        .args(["test", "--locked", "--no-fail-fast", "--target", WASM_TARGET, "--tests"])
        .args(TESTED.iter().flat_map(|name| ["--package", name]))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("CHROMEDRIVER", &browser.driver)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings)
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", DRIVER_TIMEOUT)
        .env("WASM_BINDGEN_TEST_TIMEOUT", TEST_TIMEOUT)
        .watch(|line| quiet.print(line))?;
    Ok(Verdict::of_tests(Runner::Cargo.count(&output.lines), output.ok))
}

/// Runs the journeys in `tests/e2e` against the built page.
pub(super) fn end_to_end(project: &Project, browsers: &Browsers) -> Result<Verdict> {
    let browser = match browsers.available()? {
        Ok(browser) => browser,
        Err(skipped) => return Ok(skipped),
    };
    let output = Run::new("node")
        .args(["tests/e2e/run.mjs"])
        .dir(&project.root)
        .env("CHROMIUM", &browser.chromium)
        .watch(|line| println!("  {line}"))?;
    Ok(Verdict::of_tests(Runner::Plain.count(&output.lines), output.ok))
}

/// Builds the runner and gives its absolute path: cargo starts it in each package's folder.
fn build_runner(project: &Project) -> Result<String> {
    let messages = Run::cargo(&project.root)
        .args(["build", "--locked", "--package", "xtask", "--features", "runner", "--bin", "throughline-wasm-test"])
        .args(["--message-format", "json-render-diagnostics"])
        .read_showing_progress()?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message.get("executable")?.as_str().map(str::to_owned))
        .next_back()
        .context("cargo did not say where it put the test runner")
}

/// `webdriver.json` with the browser that was found written into it.
fn webdriver_settings(project: &Project, browser: &Browser) -> Result<std::path::PathBuf> {
    let text = fs::read_to_string(project.root.join("webdriver.json")).context("reading webdriver.json")?;
    let mut settings: Value = serde_json::from_str(&text).context("reading webdriver.json")?;
    let options = settings.pointer_mut("/goog:chromeOptions").and_then(Value::as_object_mut);
    options.context("webdriver.json has no goog:chromeOptions")?.insert("binary".to_owned(), json!(browser.chromium));
    let file = project.scratch().join("webdriver.json");
    files::write(&file, settings.to_string())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_browser_is_a_visible_skip_but_a_failure_where_nothing_may_be_skipped() {
        let without = |strict| Browsers { found: Err(Error::new("no Chromium")), strict };
        let skipped = without(false).available().unwrap().unwrap_err();
        assert_eq!((skipped.count.skipped, skipped.skipped.as_deref()), (1, Some("no Chromium")));
        assert!(without(true).available().unwrap_err().to_string().contains("no Chromium"));
    }
}
