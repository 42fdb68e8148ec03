//! Stages of a test run: each runs whatever became of the others, and the last line sums them up.

use std::time::{Duration, Instant};

use crate::count::Count;
use crate::error::{Error, Result};

/// How a stage ended.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The tests it ran.
    pub(crate) count: Count,
    /// Why it failed besides what the counted tests say.
    pub(crate) failure: Option<String>,
    /// Why it, or a part of it, could not run here.
    pub(crate) skipped: Option<String>,
}

impl Verdict {
    /// A stage that could not run: one visible skip.
    pub(crate) fn skip(why: impl Into<String>) -> Self {
        Self { count: Count { skipped: 1, ..Count::default() }, failure: None, skipped: Some(why.into()) }
    }

    /// The verdict on a runner that counted `count` and ended well or not.
    pub(crate) fn of_tests(count: Count, ok: bool) -> Self {
        let failure = match (ok, count) {
            (false, Count { failed: 0, .. }) => Some("it did not run to its end".to_owned()),
            (true, Count { passed: 0, failed: 0, skipped: 0 }) => Some("it ran no test".to_owned()),
            _ => None,
        };
        Self { count, failure, skipped: None }
    }
}

#[derive(Debug)]
struct Report {
    name: &'static str,
    verdict: Verdict,
    took: Duration,
}

impl Report {
    /// What the stage adds to the sum: a failure that no test counted is one failure.
    fn count(&self) -> Count {
        let mut count = self.verdict.count;
        if self.verdict.failure.is_some() && count.failed == 0 {
            count.failed = 1;
        }
        count
    }

    fn is_ok(&self) -> bool {
        self.count().failed == 0
    }

    fn line(&self) -> String {
        let word = if self.is_ok() { "ok    " } else { "FAILED" };
        let mut line = format!("{word} {:<22} {:>6.1} s", self.name, self.took.as_secs_f64());
        if self.count() != Count::default() {
            line.push_str(&format!("  ({})", self.count()));
        }
        for (word, why) in [("", &self.verdict.failure), ("skipped: ", &self.verdict.skipped)] {
            if let Some(why) = why {
                line.push_str(&format!("  {word}{why}"));
            }
        }
        line
    }
}

/// A run of stages.
#[derive(Debug, Default)]
pub(crate) struct Stages {
    reports: Vec<Report>,
    only: Option<String>,
}

impl Stages {
    /// A run of those stages alone whose name contains `only`.
    pub(crate) fn only(only: Option<String>) -> Self {
        Self { reports: Vec::new(), only }
    }

    /// Whether a stage of this name runs.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }

    /// Runs one stage and reports it; whether it passed, which one that is not wanted has.
    pub(crate) fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<Verdict>) -> bool {
        if !self.wants(name) {
            return true;
        }
        println!("\n== {name}");
        let start = Instant::now();
        let verdict =
            stage().unwrap_or_else(|error| Verdict { failure: Some(error.to_string()), ..Verdict::default() });
        let report = Report { name, verdict, took: start.elapsed() };
        println!("{}", report.line());
        let ok = report.is_ok();
        self.reports.push(report);
        ok
    }

    /// Runs a check that either holds or not: it counts only when it fails, since it is no test.
    pub(crate) fn check(&mut self, name: &'static str, check: impl FnOnce() -> Result<()>) -> bool {
        self.run(name, || check().map(|()| Verdict::default()))
    }

    /// Prints one line a stage, then the sum as the last line; an error when anything failed.
    pub(crate) fn finish(self) -> Result<(), Failed> {
        if self.reports.is_empty() {
            println!("no stage has a name with `{}` in it", self.only.unwrap_or_default());
            println!("{}", Count { failed: 1, ..Count::default() });
            return Err(Failed);
        }
        println!("\n== summary");
        for report in &self.reports {
            println!("{}", report.line());
        }
        let total: Count = self.reports.iter().map(Report::count).sum();
        println!("{total}");
        if total.failed == 0 { Ok(()) } else { Err(Failed) }
    }
}

/// Something failed, and the closing line has said so already.
#[derive(Debug)]
pub(crate) struct Failed;

impl From<Failed> for Error {
    fn from(_: Failed) -> Self {
        Self::new("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdict: Verdict) -> Report {
        Report { name: "stage", verdict, took: Duration::ZERO }
    }

    #[test]
    fn a_runner_that_breaks_or_runs_nothing_has_failed_once() {
        let count = |passed, failed, skipped| Count { passed, failed, skipped };
        let check = |counted, ok, failed| {
            assert_eq!(report(Verdict::of_tests(counted, ok)).count().failed, failed, "{counted} {ok}")
        };
        check(count(3, 0, 0), true, 0);
        check(count(3, 0, 0), false, 1);
        check(count(3, 2, 0), false, 2);
        check(count(0, 0, 0), true, 1);
        check(count(0, 0, 2), true, 0);
    }

    #[test]
    fn a_stage_that_fails_does_not_stop_the_next_and_fails_the_run() {
        let mut stages = Stages::default();
        assert!(!stages.check("broken", || Err(Error::new("it broke"))));
        assert!(stages.run("tests", || Ok(Verdict::of_tests(Count { passed: 2, failed: 0, skipped: 0 }, true))));
        assert_eq!(stages.reports.len(), 2);
        assert!(stages.reports[0].line().contains("it broke"), "{}", stages.reports[0].line());
        assert!(stages.finish().is_err());
    }

    #[test]
    fn only_the_stages_that_are_wanted_run() {
        let mut stages = Stages::only(Some("npm".to_owned()));
        assert!(stages.check("format", || Err(Error::new("it must not run"))));
        assert!(!stages.check("npm package", || Err(Error::new("it runs"))));
        assert_eq!(stages.reports.len(), 1);
    }

    #[test]
    fn a_run_without_any_stage_fails() {
        assert!(Stages::only(Some("typo".to_owned())).finish().is_err());
    }

    #[test]
    fn a_skipped_stage_is_seen_in_its_line_and_in_the_sum() {
        let report = report(Verdict::skip("no browser"));
        assert!(report.is_ok());
        assert_eq!(report.count().skipped, 1);
        assert!(report.line().contains("skipped: no browser"), "{}", report.line());
    }
}
