//! The document of the language is true: every code, operation, option and example.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use throughline_plan::{Op, Policy, Scope, Target, ToolRule, Type, check};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    std::fs::read_to_string(root().join("docs/plan-language.md")).unwrap()
}

fn sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Every text in the checker's sources that is written as a code and given as one.
fn codes() -> BTreeSet<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut text = String::new();
    for part in ["check", "text", "json", "foreign"] {
        sources(&src.join(part), &mut text);
        text.push_str(&std::fs::read_to_string(src.join(part).with_extension("rs")).unwrap());
    }
    text.push_str(&std::fs::read_to_string(src.join("pattern.rs")).unwrap());
    let given = regex::Regex::new(
        r#"(?:(?:error|warning|wrong|unknown)\(\s*|\bcode: |(?:look for|a policy|a type|what FIND looks for|lead to)", |, )"([a-z]+(?:-[a-z]+)+)"(?:,|\.to_owned|\))"#,
    )
    .unwrap();
    let kebab = given.captures_iter(&text).map(|c| c[1].to_owned());
    // Policies, media types and other words with a hyphen are no codes.
    kebab.filter(|code| !matches!(code.as_str(), "look-ahead" | "look-behind")).collect()
}

#[test]
fn every_code_of_the_checker_stands_in_the_table_and_no_other() {
    let document = document();
    let (_, table) = document.split_once("## Diagnostics").unwrap();
    let (table, _) = table.split_once("`start_run` refuses").unwrap();
    let codes = codes();
    assert!(codes.len() > 25, "{codes:?}");
    for code in &codes {
        assert!(table.contains(&format!("`{code}`")), "missing in docs/plan-language.md: {code}");
    }
    let first_cells = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let mut listed = 0;
    for code in first_cells.flat_map(|cell| cell.split('`')).filter(|c| c.contains('-') && !c.contains([' ', '('])) {
        let of_expressions = throughline_expr::Code::ALL.iter().any(|c| c.as_str() == code);
        assert!(codes.contains(code) || of_expressions || code == "---", "stale in docs/plan-language.md: {code}");
        listed += 1;
    }
    assert!(listed > 25);
}

#[test]
fn every_operation_type_policy_and_option_is_described() {
    let document = document();
    for op in Op::ALL {
        assert!(document.contains(&format!("\n### {} ", op.as_str())), "{}", op.as_str());
        assert!(document.contains(&format!("`{}`", op.as_str())), "{}", op.as_str());
    }
    for word in Type::ALL.iter().map(|t| t.as_str()).chain(Policy::ALL.iter().map(|p| p.as_str())) {
        assert!(document.contains(word), "{word}");
    }
    let plan = "$a = COMPUTE 1 WITH nothing: 1";
    let report = check(&plan.into(), &Scope::new()).1;
    let (_, options) = report.diagnostics[0].message.split_once("there are ").unwrap();
    for option in options.split(", ") {
        assert!(document.contains(&format!("`{option}`")), "{option}");
    }
}

#[test]
fn the_examples_hold() {
    let mut scope = Scope::new()
        .source("carrier_scans", "scans.json")
        .source("quarterly_report", "q.html")
        .source("press_release", "p.txt")
        .tool("refund", ToolRule::default())
        .inputs(["order"]);
    for tool in ["Google", "LLM", "search", "math"] {
        scope = scope.tool(tool, ToolRule::default());
    }
    scope.sources.insert("world".to_owned(), Target::World);
    let document = document();
    let mut checked = 0;
    for block in document.split("```").skip(1).step_by(2) {
        let text = block.strip_prefix("json").unwrap_or(block).trim();
        // The columns of other spellings stand side by side.
        if text.contains("Plan: ") || !text.starts_with(['$', '[', 'P']) {
            continue;
        }
        let report = check(&text.into(), &scope).1;
        assert!(report.ok, "{text}\n{:?}", report.diagnostics);
        checked += 1;
    }
    assert!(checked >= 3);
}
