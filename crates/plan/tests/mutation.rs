//! Fifty valid plans, each damaged in every way that fits: each damage has its code, and where there is a
//! repair the plan compiles after it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail and says what it counted"
)]

use std::collections::{BTreeMap, BTreeSet};

use throughline_plan::{Scope, ToolRule, apply_fixes, check};
use throughline_value::json;

fn scope() -> Scope {
    let schema = r#"{"properties": {"order": {}, "days": {"type": "integer"}}, "required": ["order"], "additionalProperties": false}"#;
    Scope::new()
        .source("carrier_scans", "scans.json")
        .source("orders", "orders.json")
        .tool("refund", ToolRule { schema: json::read_value(schema).unwrap(), ..ToolRule::default() })
        .pattern("order_id", r"(PZ-\d+)")
        .inputs(["order"])
}

/// Ten sets of names and figures by five shapes.
fn plans() -> Vec<String> {
    let names = ["scans", "s", "data_1", "扫描", "ScanList", "raw", "x1", "документ", "_doc", "first"];
    let mut out = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let get = format!("${name} = GET carrier_scans\n");
        let last = format!("$last = EXTRACT ${name} JSONPATH \"$.scans[-1].time\" AS instant\n");
        let city = format!("$city = EXTRACT ${name} PATTERN r\"seen in (\\w+)\" LAST AS text DEFAULT \"nowhere\"\n");
        let quiet = "$quiet = COMPUTE now - instant($last)\n".to_owned();
        let late = format!("$late = IF $quiet > duration(\"{}h\") THEN $city ELSE \"no\"\n", i + 1);
        let call = format!("$done = CALL refund(order: $order, days: {i})\n");
        out.push([&*get, &*last, &*city, &*quiet, &*late, &*call].concat());
        out.push([&*get, &*city, &*last, &*quiet, &*late].concat());
        out.push([&*get, &*last, &*quiet, &*call].concat());
        out.push([&*get, "# where it is\n", &*city, &*call].concat());
        out.push(
            [&*get, &*last, &*quiet.replace('\n', "  # how long\n"), &*city, &*late.replace(" THEN", "\n    THEN")]
                .concat(),
        );
    }
    out
}

struct Damage {
    name: &'static str,
    find: &'static str,
    put: &'static str,
    code: &'static str,
    repairs: bool,
}

const fn damage(
    name: &'static str,
    find: &'static str,
    put: &'static str,
    code: &'static str,
    repairs: bool,
) -> Damage {
    Damage { name, find, put, code, repairs }
}

const DAMAGES: &[Damage] = &[
    damage("a source misspelt", "GET carrier_scans", "GET carrier_scan", "unknown-source", true),
    damage("another system's GET", "GET ", "FETCH ", "unknown-operation", true),
    damage("small letters", "GET ", "get ", "unknown-operation", true),
    damage("GET as a function", "GET carrier_scans", "GET(carrier_scans)", "plan-syntax", true),
    damage("GET of a binding", "GET carrier_scans", "GET $orders", "plan-syntax", true),
    damage("GET with more", "GET carrier_scans", "GET carrier_scans quickly", "plan-syntax", true),
    damage("GET of nothing", "GET carrier_scans", "GET", "plan-syntax", false),
    damage("EXTRACT misspelt", "EXTRACT ", "EXTRCT ", "unknown-operation", true),
    damage("EXTRACT without a way", "JSONPATH \"", "\"", "plan-syntax", true),
    damage("EXTRACT of nothing", "EXTRACT $", "EXTRACT (", "plan-syntax", false),
    damage("another system's COMPUTE", "COMPUTE ", "CALCULATE ", "unknown-operation", true),
    damage("COMPUTE left out", "COMPUTE ", "", "unknown-operation", true),
    damage("a branch that is never taken", "IF $quiet > ", "IF 1 > 2 and $quiet > ", "unreachable-branch", true),
    damage("a number as a text", "days: ", "days: \"0\" ~ ", "argument-type", false),
    damage("a condition that is none", "IF $quiet > duration(\"1h\")", "IF 7", "argument-type", true),
    damage("too few steps allowed", "# where it is\n", "PLAN WITH max_steps: 2\n", "step-budget", true),
    damage(
        "a time that is none",
        "COMPUTE now",
        "COMPUTE now + PT0S WITH temporal_scope: \"soon\"\n$rest = COMPUTE now",
        "bad-temporal-scope",
        false,
    ),
    damage(
        "an option misspelt",
        "COMPUTE now - instant($last)",
        "COMPUTE now - instant($last) WITH retries: 2",
        "unknown-option",
        true,
    ),
    damage(
        "an option without a number",
        "COMPUTE now - instant($last)",
        "COMPUTE now - instant($last) WITH retry: often",
        "wrong-option",
        false,
    ),
    damage("Python's None", "> duration(", "is not None and $quiet > duration(", "expr-syntax", true),
    damage("a Python text with values", "ELSE \"no\"", "ELSE f\"no {$city}\"", "expr-syntax", true),
    damage("a full-width bracket", "instant($last)", "instant（$last）", "expr-syntax", true),
    damage("a pattern without its word", "PATTERN r", "r", "plan-syntax", true),
    damage("another word for PATTERN", "PATTERN ", "REGEX ", "plan-syntax", true),
    damage("a word that is none", "COMPUTE ", "BANANA ", "unknown-operation", false),
    damage("another word for IF", "IF ", "WHEN ", "unknown-operation", true),
    damage("THEN misspelt", "THEN ", "THAN ", "plan-syntax", false),
    damage("ELSE left out", " ELSE \"no\"", "", "plan-syntax", true),
    damage("an empty branch", "ELSE \"no\"", "ELSE", "plan-syntax", false),
    damage("a path without its root", "\"$.scans", "\"scans", "bad-json-path", true),
    damage("a path without quotes", "\"$.scans[-1].time\"", "$.scans[-1].time", "plan-syntax", true),
    damage("a path that is not closed", "[-1]", "[-1", "bad-json-path", false),
    damage("a type of another language", "AS instant", "AS datetime", "unknown-type", true),
    damage("a type that is none", "AS instant", "AS colour", "unknown-type", false),
    damage("a type left out", "AS instant", "AS", "plan-syntax", false),
    damage("a pattern without r", "r\"seen", "\"seen", "plan-syntax", true),
    damage("two groups", "(\\w+)", "(\\w+) (\\d+)", "pattern-groups", true),
    damage("no group", "(\\w+)", "\\w+", "pattern-groups", true),
    damage("look-behind", "(\\w+)", "(?<=x)(\\w+)", "look-around-in-pattern", false),
    damage("look-ahead", "(\\w+)", "(\\w+)(?= )", "look-around-in-pattern", false),
    damage("a group that is not closed", "(\\w+)", "(\\w+", "bad-pattern", false),
    damage("another engine's end", "(\\w+)", "(\\w+)\\Z", "bad-pattern", true),
    damage("a pattern that is not there", "r\"seen in (\\w+)\"", "ordr_id", "unknown-pattern", true),
    damage("a quote that is not closed", "(\\w+)\"", "(\\w+)", "plan-syntax", false),
    damage("a choice that is none", " LAST", " LATEST", "plan-syntax", false),
    damage("two choices", " LAST", " LAST FIRST", "plan-syntax", false),
    damage("DEFAULT of nothing", "DEFAULT \"nowhere\"", "DEFAULT", "plan-syntax", false),
    damage("a name misspelt", "instant($last)", "instant($lasst)", "undeclared-binding", true),
    damage("a name from nowhere", "instant($last)", "instant($zzzzzz)", "undeclared-binding", false),
    damage("a bare name from nowhere", "COMPUTE now", "COMPUTE nnow", "undeclared-binding", true),
    damage("a step that uses itself", "COMPUTE now", "COMPUTE $quiet + now", "cyclic-plan", false),
    damage("a name given twice", "$last = ", "$last = COMPUTE 1\n$last = ", "repeated-binding", true),
    damage("the name of an input", "$done = CALL", "$order = CALL", "repeated-binding", true),
    damage("a colon for the sign", "$quiet = COMPUTE", "$quiet: COMPUTE", "plan-syntax", true),
    damage("a step without a name", "$done = CALL", "CALL", "plan-syntax", true),
    damage("a list mark", "$last = ", "2. $last = ", "plan-syntax", true),
    damage("prose between", "$last = ", "Now comes the time.\n$last = ", "plan-syntax", true),
    damage("a code fence", "$last = ", "```\n$last = ", "code-fence", true),
    damage("a tool misspelt", "CALL refund", "CALL refnd", "unknown-tool", true),
    damage("CALL left out", "CALL refund", "refund", "unknown-operation", true),
    damage("an argument misspelt", "days:", "dayz:", "unknown-argument", true),
    damage("an argument left out", "order: $order, ", "", "missing-argument", false),
    damage("an argument without name", "order: $order", "$order", "plan-syntax", false),
    damage("an argument twice", "order: $order", "order: $order, order: 1", "plan-syntax", false),
    damage("an expression that breaks off", "instant($last)", "", "expr-syntax", false),
    damage("a bracket in an expression", "instant($last)", "instant($last", "expr-syntax", false),
    damage("a function misspelt", "instant(", "instnt(", "unknown-function", true),
    damage("too many arguments", "instant($last)", "instant($last, 1, 2, 3)", "wrong-arity", false),
    damage("one sign for two", "$quiet > ", "$quiet = ", "expr-syntax", true),
    damage("typographic quotes", "ELSE \"no\"", "ELSE “no”", "expr-syntax", true),
    damage("a document that nobody reads", "$last = ", "$more = GET orders\n$last = ", "unused-step", true),
    damage(
        "a source read twice",
        "$last = ",
        "$more = GET carrier_scans\n$o = EXTRACT $more JSONPATH \"$.x\"\n$last = ",
        "repeated-source",
        true,
    ),
];

#[test]
fn every_damage_to_every_plan_has_its_code_and_its_repair_compiles() {
    let mut plans = plans();
    assert_eq!(plans.len(), 50);
    if std::env::var_os("THROUGHLINE_LONG").is_none() {
        // Every shape, with the first of the names: unoptimised regular expressions are slow.
        plans = plans.drain(..5).collect();
    }
    assert!(DAMAGES.len() >= 40);
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut faults: BTreeSet<String> = BTreeSet::new();
    for plan in &plans {
        let report = check(&plan.as_str().into(), &scope()).1;
        assert!(report.diagnostics.is_empty(), "{plan}\n{:?}", report.diagnostics);
        for damage in DAMAGES.iter().filter(|d| plan.contains(d.find)) {
            *counts.entry(damage.name).or_default() += 1;
            let mut text = plan.replacen(damage.find, damage.put, 1);
            let mut report = check(&text.as_str().into(), &scope()).1;
            let found = report.diagnostics.iter().find(|d| d.code == damage.code);
            let found = found
                .unwrap_or_else(|| panic!("{}: no {} in\n{text}\n{:?}", damage.name, damage.code, report.diagnostics));
            assert!(found.span.is_some(), "{}: it has a place", damage.name);
            if found.fix.is_some() != damage.repairs {
                faults.insert(format!("{}: a repair, or none: {found:?}", damage.name));
            }
            if !damage.repairs {
                continue;
            }
            for _ in 0..10 {
                if report.diagnostics.iter().all(|d| d.fix.is_none()) {
                    break;
                }
                text = apply_fixes(&report.text, &report.diagnostics);
                report = check(&text.as_str().into(), &scope()).1;
            }
            if !report.ok {
                faults.insert(format!("{}: does not compile: {:?}\n{text}", damage.name, report.diagnostics));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.into_iter().collect::<Vec<_>>().join("\n"));
    assert_eq!(counts.len(), DAMAGES.len(), "every damage fits some plan");
    println!("{} plans, {} kinds of damage, {} mutants", plans.len(), counts.len(), counts.values().sum::<u32>());
}

#[test]
fn a_step_moved_up_or_taken_away_is_reported_and_moved_back() {
    for plan in plans() {
        let mut lines: Vec<&str> = plan.lines().collect();
        lines.swap(0, 1);
        if lines[0].starts_with('#') {
            continue;
        }
        let mut text = lines.join("\n");
        let mut report = check(&text.as_str().into(), &scope()).1;
        assert!(report.diagnostics.iter().any(|d| d.code == "forward-binding"), "{text}");
        for _ in 0..10 {
            text = apply_fixes(&report.text, &report.diagnostics);
            report = check(&text.as_str().into(), &scope()).1;
            if report.ok {
                break;
            }
        }
        assert!(report.ok, "{:?}\n{text}", report.diagnostics);
    }
}
