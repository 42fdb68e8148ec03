//! Property tests at the length that a release is held to: the same tests run in short with the native ones.

use crate::count::{Count, QuietSuccesses, Runner};
use crate::error::Result;
use crate::project::Project;
use crate::run::Run;
use crate::stage::Verdict;

/// A property test, and what makes it long.
struct Property {
    package: &'static str,
    /// The test file, and the part of the name.
    target: &'static str,
    name: &'static str,
    /// Variables that the test reads, with their values in CI; the first one is multiplied by `--long`.
    settings: &'static [(&'static str, u64)],
    /// The first value of a long run, where it is not ten times that of CI; the others of a long run.
    long: Option<&'static [(&'static str, u64)]>,
}

const PROPERTIES: &[Property] = &[
    // Random histories against a scan of all inputs.
    Property {
        package: "throughline-world",
        target: "world",
        name: "random_histories",
        settings: &[("THROUGHLINE_HISTORIES", 2_000), ("THROUGHLINE_STEPS", 200)],
        long: None,
    },
    Property {
        package: "throughline-dialogue",
        target: "all",
        name: "long_histories",
        settings: &[("THROUGHLINE_HISTORIES", 2_000), ("THROUGHLINE_STEPS", 200)],
        long: None,
    },
    // Random mixes against a plain array.
    Property {
        package: "throughline-memory",
        target: "naive",
        name: "random_mixes",
        settings: &[("THROUGHLINE_SEEDS", 500), ("THROUGHLINE_STEPS", 2_000)],
        long: Some(&[("THROUGHLINE_SEEDS", 20), ("THROUGHLINE_STEPS", 100_000)]),
    },
    // Every damage to every plan, and ten thousand hostile documents.
    Property {
        package: "throughline-plan",
        target: "mutation",
        name: "every_damage",
        settings: &[("THROUGHLINE_LONG", 1)],
        long: None,
    },
    Property {
        package: "throughline-plan",
        target: "properties",
        name: "",
        settings: &[("THROUGHLINE_LONG", 1)],
        long: None,
    },
];

/// How many times longer a long run is.
const LONG: u64 = 10;

/// Runs them all, one after the other.
pub(super) fn run(project: &Project, long: bool) -> Result<Verdict> {
    let mut count = Count::default();
    let mut ok = true;
    for property in PROPERTIES {
        let settings: Vec<_> = match property.long.filter(|_| long) {
            Some(settings) => settings.to_vec(),
            None => {
                let more = |at| if long && at == 0 { LONG } else { 1 };
                property.settings.iter().enumerate().map(|(at, (name, n))| (*name, n * more(at))).collect()
            }
        };
        let mut run = Run::cargo(&project.root)
            .args(["test", "--locked", "--package", property.package, "--test", property.target])
            .args(["--", "--show-output", property.name].into_iter().filter(|arg| !arg.is_empty()));
        for (name, value) in settings {
            run = run.env(name, value.to_string());
        }
        let mut quiet = QuietSuccesses::default();
        let output = run.watch(|line| quiet.print(line))?;
        let counted = Runner::Cargo.count(&output.lines);
        ok &= output.ok && counted.passed + counted.failed > 0;
        count = [count, counted].into_iter().sum();
    }
    Ok(Verdict::of_tests(count, ok))
}
