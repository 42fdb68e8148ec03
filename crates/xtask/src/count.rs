//! Counts tests by reading the closing lines of the runners, each in its own words.

use std::fmt;
use std::iter::Sum;

/// How many tests passed, failed and were skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |a, b| Self {
            passed: a.passed + b.passed,
            failed: a.failed + b.failed,
            skipped: a.skipped + b.skipped,
        })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(f, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

/// Whose words a program's closing lines are in. What a test prints for itself never counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// cargo's, and wasm-bindgen's runner below it.
    Cargo,
    /// Node's own test runner.
    Node,
    /// Our own scripts.
    Plain,
}

impl Runner {
    /// Adds up every closing line among `lines`.
    pub(crate) fn count<S: AsRef<str>>(self, lines: &[S]) -> Count {
        let read = |line: &str| match self {
            Self::Cargo => cargo_line(line).or_else(|| skipped_line(line)),
            Self::Node => node_line(line).or_else(|| skipped_line(line)),
            Self::Plain => plain_line(line),
        };
        lines.iter().filter_map(|line| read(line.as_ref())).sum()
    }
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`: cargo's, and wasm-bindgen's runner's.
fn cargo_line(line: &str) -> Option<Count> {
    let (_, numbers) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    let mut count = Count::default();
    for part in numbers.split(';') {
        let mut words = part.split_whitespace();
        let (Some(number), Some(word)) = (words.next().and_then(|n| n.parse().ok()), words.next()) else { continue };
        match word {
            "passed" => count.passed = number,
            "failed" => count.failed = number,
            "ignored" => count.skipped = number,
            _ => {}
        }
    }
    Some(count)
}

/// `# pass 3` or `ℹ pass 3`: node's test runner, one number a line.
fn node_line(line: &str) -> Option<Count> {
    let mut words = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?.split(' ');
    let (word, number, nothing) = (words.next()?, words.next()?.parse().ok()?, words.next());
    if nothing.is_some() {
        return None;
    }
    match word {
        "pass" => Some(Count { passed: number, ..Count::default() }),
        "fail" | "cancelled" => Some(Count { failed: number, ..Count::default() }),
        "skipped" | "todo" => Some(Count { skipped: number, ..Count::default() }),
        _ => None,
    }
}

/// `3 passed, 0 failed, 1 skipped` alone on a line: our own scripts.
fn plain_line(line: &str) -> Option<Count> {
    let mut count = Count::default();
    let mut words = Vec::new();
    for part in line.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number = number.parse().ok()?;
        match word {
            "passed" => count.passed = number,
            "failed" => count.failed = number,
            "skipped" => count.skipped = number,
            _ => return None,
        }
        words.push(word);
    }
    words.starts_with(&["passed", "failed"]).then_some(count)
}

/// `SKIPPED 12: the shared data is not here`: cases that a test could not try.
fn skipped_line(line: &str) -> Option<Count> {
    let (number, why) = line.trim().strip_prefix("SKIPPED ")?.split_once(':')?;
    if why.trim().is_empty() {
        return None;
    }
    Some(Count { skipped: number.parse().ok()?, ..Count::default() })
}

/// Decides what of cargo's output a person sees: not what passing tests printed (`--show-output`
/// is on, so that skipped cases can be counted) and not what every run says.
#[derive(Debug, Default)]
pub(crate) struct QuietSuccesses {
    hiding: bool,
    /// Which program's tests run: said only when something of them is shown.
    program: Option<String>,
}

/// How lines begin that say nothing new.
const CHATTER: &[&str] = &[
    "Try find `webdriver.json`",
    "Loading Wasm module",
    "no tests to run!",
    "Compiling ",
    "Downloading ",
    "Downloaded ",
    "running ",
    "test result: ok. 0 passed; 0 failed; 0 ignored; ",
];

impl QuietSuccesses {
    /// The lines that a person should see when cargo prints this one.
    pub(crate) fn shown(&mut self, line: &str) -> Vec<String> {
        let words = line.trim_start();
        if words.starts_with("Running ") || words.starts_with("Doc-tests ") {
            self.program = Some(line.to_owned());
            return Vec::new();
        }
        match line {
            "successes:" => self.hiding = true,
            "failures:" => self.hiding = false,
            _ if line.starts_with("test result: ") => self.hiding = false,
            _ => {}
        }
        let passed = line.starts_with("test ") && line.ends_with(" ... ok");
        let hidden = if self.hiding {
            skipped_line(line).is_none()
        } else {
            line.is_empty() || passed || CHATTER.iter().any(|start| words.starts_with(start))
        };
        if hidden { Vec::new() } else { self.program.take().into_iter().chain([line.to_owned()]).collect() }
    }

    /// Prints those lines.
    pub(crate) fn print(&mut self, line: &str) {
        for line in self.shown(line) {
            println!("  {line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runner: Runner, line: &str, passed: u64, failed: u64, skipped: u64) {
        assert_eq!(runner.count(&[line]), Count { passed, failed, skipped }, "{line}");
    }

    #[test]
    fn every_runners_closing_line_is_understood() {
        use Runner::{Cargo, Node, Plain};
        check(
            Cargo,
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s",
            3,
            0,
            1,
        );
        check(Cargo, "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 filtered out; finished in 0.25s", 3, 2, 0);
        check(Cargo, "SKIPPED 12: the shared data is not here", 0, 0, 12);
        check(Node, "# pass 5", 5, 0, 0);
        check(Node, "ℹ fail 2", 0, 2, 0);
        check(Node, "ℹ cancelled 1", 0, 1, 0);
        check(Node, "# skipped 4", 0, 0, 4);
        check(Node, "SKIPPED 2: the shared data is not here", 0, 0, 2);
        check(Plain, "4 passed, 1 failed", 4, 1, 0);
        check(Plain, "4 passed, 0 failed, 2 skipped", 4, 0, 2);
    }

    #[test]
    fn lines_that_only_look_alike_or_are_another_runners_count_nothing() {
        for line in [
            "# tests 5",
            "ℹ duration_ms 4",
            "# pass 5 of 6",
            "passed, failed",
            "3 passed",
            "scenario: 3 passed, 0 failed",
            "SKIPPED x: y",
            "SKIPPED 3",
            "test result: ",
            "",
        ] {
            for runner in [Runner::Cargo, Runner::Node, Runner::Plain] {
                check(runner, line, 0, 0, 0);
            }
        }
        check(Runner::Cargo, "4 passed, 1 failed", 0, 0, 0);
        check(Runner::Node, "test result: ok. 3 passed; 0 failed; 1 ignored", 0, 0, 0);
        check(Runner::Plain, "# pass 5", 0, 0, 0);
    }

    #[test]
    fn the_last_line_names_skipped_tests_only_when_there_are_some() {
        assert_eq!(Count { passed: 2, failed: 0, skipped: 0 }.to_string(), "2 passed, 0 failed");
        assert_eq!(Count { passed: 2, failed: 1, skipped: 3 }.to_string(), "2 passed, 1 failed, 3 skipped");
    }

    #[test]
    fn output_of_passing_tests_is_hidden_but_skipped_cases_and_failures_are_not() {
        let mut filter = QuietSuccesses::default();
        let lines = [
            "   Compiling a v1.0.0",
            "     Running tests/empty.rs",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured",
            "     Running tests/a.rs",
            "running 2 tests",
            "test a ... ok",
            "test b ... FAILED",
            "successes:",
            "---- a stdout ----",
            "noise",
            "SKIPPED 2: no data",
            "failures:",
            "b broke",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored",
        ];
        let shown: Vec<_> = lines.into_iter().flat_map(|line| filter.shown(line)).collect();
        let expected = ["     Running tests/a.rs", "test b ... FAILED", "SKIPPED 2: no data", "failures:", "b broke"];
        assert_eq!(shown[..5], expected);
        assert_eq!(shown.len(), 6, "{shown:?}");
    }
}
