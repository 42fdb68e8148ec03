//! The prompt for plans: its own example holds, both languages say the same, and a retry quotes the checker.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use throughline_plan::prompt::{EXAMPLE, MAX_QUOTED, instructions, prompt};
use throughline_plan::{Op, Scope, SourceRule, Target, ToolRule, check};
use throughline_protocol::Domain;
use throughline_value::json;

fn scope() -> Scope {
    let schema =
        json::read_value(r#"{"properties": {"plant": {}, "advice": {}, "plants": {"type": "integer"}}}"#).unwrap();
    let mut scope = Scope::new()
        .source("quarterly_report", "q.html")
        .source("press_release", "p.txt")
        .source_rule("quarterly_report", SourceRule { temporal: true, ..SourceRule::default() })
        .tool("notify", ToolRule { schema, ..ToolRule::default() })
        .pattern("order_id", r"(PZ-\d+)")
        .inputs(["plant"]);
    scope.sources.insert("world".to_owned(), Target::World);
    scope.sources.insert("news".to_owned(), Target::Search(Box::default()));
    scope
}

#[test]
fn the_example_has_every_operation_and_no_problem() {
    let (plan, report) = check(&EXAMPLE.into(), &scope());
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    let plan = plan.unwrap();
    for op in Op::ALL {
        assert!(plan.steps.iter().any(|s| s.action.op() == *op), "{}", op.as_str());
    }
    assert_eq!(plan.to_text(), EXAMPLE, "it is in the normal form");
}

#[test]
fn both_languages_have_every_part() {
    let domain = Domain::default();
    for language in ["en", "zh", "zh-CN"] {
        let text = instructions(&domain, &scope(), language);
        for part in Op::ALL.iter().map(|op| op.usage()).chain([
            EXAMPLE,
            "\"scratch\"",
            "quarterly_report (temporal_scope)",
            "world (QUERY)",
            "news (SEARCH)",
            "notify(plant, advice, plants)",
            "order_id",
            "$plant",
            "7. ",
        ]) {
            assert!(text.contains(part), "{language}: {part}\n{text}");
        }
    }
    assert!(instructions(&domain, &scope(), "zh").contains("操作"));
}

#[test]
fn a_retry_quotes_the_findings_and_ends() {
    let (domain, scope) = (Domain::default(), scope());
    let report = check(&"$a = GET quartrly_report\n$b = COMPUTE $zz + nofunc(1)".into(), &scope).1;
    let first = prompt(&domain, &scope, "en", "Which rate?", Some(&report), 1);
    assert!(first.user.ends_with("Which rate?"));
    for part in [
        "unknown-source (line 1, `quartrly_report`)",
        "it can be mended so: write quarterly_report",
        "unknown-function",
    ] {
        assert!(first.retry.contains(part), "{}", first.retry);
    }
    assert!(!first.give_up);
    assert!(prompt(&domain, &scope, "en", "", Some(&report), 3).give_up);
    let fine = check(&"$b = COMPUTE 1".into(), &scope).1;
    let held = prompt(&domain, &scope, "zh", "", Some(&fine), 3);
    assert!(held.retry.is_empty() && !held.give_up && held.user.is_empty());
    let many: String = (0..40).map(|i| format!("$s{i} = COMPUTE $zz{i}\n")).collect();
    let many = prompt(&domain, &scope, "en", "", Some(&check(&many.as_str().into(), &scope).1), 1);
    assert_eq!(many.retry.lines().filter(|l| l.starts_with("- undeclared")).count(), MAX_QUOTED);
    assert!(many.retry.contains("and more of the same (28)"));
}

#[test]
fn thoughts_are_no_part_of_the_plan() {
    let schema = throughline_plan::prompt::schema();
    assert_eq!(schema.at(&["required"]).unwrap().to_json(), "[\"plan\"]");
    assert!(schema.at(&["properties", "scratch"]).is_some());
}
