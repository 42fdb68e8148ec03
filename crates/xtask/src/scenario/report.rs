//! What a scenario runner prints: one JSON object a line and file,
//! `{"file": …, "failures": ["step 3: …"], "digests": {"chain": …, "history": …, "content": …}}`.

use std::collections::BTreeMap;

use serde_json::Value;

/// One runner's word on one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    /// The file as it was named on the command line.
    pub(super) file: String,
    /// What went otherwise than the scenario says; nothing when it passed.
    pub(super) failures: Vec<String>,
    /// What its steps had to tell besides.
    pub(super) notes: Vec<String>,
    /// The digests of the journal at the end.
    pub(super) digests: BTreeMap<String, String>,
}

/// Reads the reports among a runner's lines.
pub(super) fn read(lines: &[String]) -> Vec<Report> {
    lines.iter().filter_map(|line| report(&serde_json::from_str(line).ok()?)).collect()
}

fn report(value: &Value) -> Option<Report> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(Report {
        file: text(value.get("file")?)?,
        failures: value.get("failures")?.as_array()?.iter().filter_map(text).collect(),
        notes: value.get("notes").and_then(Value::as_array).into_iter().flatten().filter_map(text).collect(),
        digests: value
            .get("digests")?
            .as_object()?
            .iter()
            .filter_map(|(name, digest)| Some((name.clone(), text(digest)?)))
            .collect(),
    })
}

/// Everything that is wrong with one scenario; nothing when it passed on both sides with the same digests.
pub(super) fn compare(native: Option<&Report>, node: Option<&Report>) -> Vec<String> {
    let mut faults = Vec::new();
    for (side, report) in [("natively", native), ("in Node", node)] {
        match report {
            None => faults.push(format!("{side}: no report (did the runner break?)")),
            Some(report) => faults.extend(report.failures.iter().map(|failure| format!("{side}: {failure}"))),
        }
    }
    if let (Some(native), Some(node)) = (native, node) {
        if native.digests.is_empty() {
            faults.push("no digests were reported, so nothing could be compared".to_owned());
        }
        if native.digests != node.digests {
            faults.push(format!("the digests differ: natively {:?}, in Node {:?}", native.digests, node.digests));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Report {
        read(&[line.to_owned()]).pop().unwrap()
    }

    #[test]
    fn reports_are_found_among_other_lines() {
        let lines = ["hello", r#"{"file":"a.json","failures":[],"digests":{"content":"12"}}"#, "{}"].map(str::to_owned);
        let reports = read(&lines);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].file, "a.json");
        assert_eq!(reports[0].digests["content"], "12");
    }

    #[test]
    fn a_scenario_passes_only_when_both_sides_do_and_agree() {
        let good = one(r#"{"file":"a","failures":[],"digests":{"content":"12"}}"#);
        let bad = one(r#"{"file":"a","failures":["step 2: refused"],"digests":{"content":"12"}}"#);
        let other = one(r#"{"file":"a","failures":[],"digests":{"content":"13"}}"#);
        let none = one(r#"{"file":"a","failures":[],"digests":{}}"#);
        assert_eq!(compare(Some(&good), Some(&good)), Vec::<String>::new());
        assert_eq!(compare(Some(&good), Some(&bad)), ["in Node: step 2: refused"]);
        assert!(compare(Some(&good), Some(&other))[0].contains("digests differ"));
        assert!(compare(Some(&good), None)[0].contains("no report"));
        assert!(compare(Some(&none), Some(&none))[0].contains("no digests"));
    }
}
