//! A plan scored against a golden one, as graphs.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use throughline_plan::golden::score;
use throughline_plan::{Scope, ToolRule};
use throughline_protocol::view::PlanScore;

const GOLDEN: &str = "\
$orders = GET orders
$scans = GET scans
$id = EXTRACT $orders JSONPATH \"$.id\" AS text
$last = EXTRACT $scans JSONPATH \"$.scans[?@.order == {$id}].time\" LAST AS instant
$quiet = COMPUTE now - instant($last)
$late = IF $quiet > duration(\"24h\") THEN \"yes\" ELSE \"no\"
$told = CALL notify(order: $id, late: $late)";

fn scope() -> Scope {
    Scope::new()
        .source("orders", "orders.json")
        .source("order_list", "orders.json")
        .source("scans", "scans.json")
        .tool("notify", ToolRule::default())
}

fn scored(plan: &str) -> PlanScore {
    score(&plan.into(), &GOLDEN.into(), &scope()).unwrap()
}

#[track_caller]
fn check(plan: &str, expected: &str, explanation: &str) -> PlanScore {
    let score = scored(plan);
    let number = score.score.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(
        (number.as_str(), score.explanation.as_str()),
        (expected, explanation),
        "{plan}\n{:?}",
        score.matched.iter().map(|m| &m.why).collect::<Vec<_>>()
    );
    score
}

const ALL: &str = "7 of 7 steps are the same, 0 do something alike, 0 are missing, 0 are too many; 7 of 7 arrows agree";

#[test]
fn names_order_spelling_notes_and_aliases_do_not_count() {
    check(GOLDEN, "1", ALL);
    check(
        "# other names, another order\n$a = GET scans\n$b = GET order_list\n$c = EXTRACT $b JSONPATH '$.id' AS text  # the id\n$d = EXTRACT $a JSONPATH \"$.scans[?@.order == {$c}].time\" LAST AS instant\n$e = COMPUTE now-instant($d)\n$f = IF $e > duration('24h') THEN 'yes' ELSE 'no'\n$g = CALL notify(late: $f, order: $c)",
        "1",
        ALL,
    );
    let json = throughline_plan::check(&GOLDEN.into(), &scope()).0.unwrap().to_json().to_json();
    check(&json, "1", ALL);
}

#[test]
fn what_differs_costs_and_is_named() {
    let other = check(
        &GOLDEN.replace("24h", "48h"),
        "0.975",
        "6 of 7 steps are the same, 1 do something alike, 0 are missing, 0 are too many; 7 of 7 arrows agree",
    );
    let late = other.matched.iter().find(|m| m.golden == "late").unwrap();
    assert!(late.why.contains("48h") && late.why.contains("24h"), "{}", late.why);
    let short = GOLDEN.lines().take(6).collect::<Vec<_>>().join("\n");
    let short = check(
        &short,
        "0.878",
        "6 of 7 steps are the same, 0 do something alike, 1 are missing, 0 are too many; 5 of 7 arrows agree",
    );
    assert_eq!(short.missing, ["$told = CALL notify(order: $id, late: $late)"]);
    assert_eq!(short.missing_edges, ["$id → $told", "$late → $told"]);
    let unwired = check(
        &GOLDEN.replace("order: $id, late: $late", "order: \"1\", late: \"no\""),
        "0.877",
        "6 of 7 steps are the same, 1 do something alike, 0 are missing, 0 are too many; 5 of 7 arrows agree",
    );
    assert!(unwired.extra_edges.is_empty());
    let more = scored(&format!("{GOLDEN}\n$more = COMPUTE $quiet"));
    assert_eq!(
        (more.extra.as_slice(), more.extra_edges.as_slice()),
        (&["$more = COMPUTE $quiet".to_owned()][..], &["$quiet → $more".to_owned()][..])
    );
    let none = scored("$x = COMPUTE 1");
    assert_eq!(none.score.unwrap().to_string(), "0");
}

#[test]
fn a_plan_with_errors_scores_nothing_and_a_golden_one_with_errors_is_refused() {
    let wrong = scored("$a = GET nowhere");
    assert_eq!(wrong.score.unwrap().to_string(), "0");
    assert!(wrong.explanation.contains("1 errors") && wrong.missing.len() == 7, "{}", wrong.explanation);
    assert!(score(&GOLDEN.into(), &"$a = GET nowhere".into(), &scope()).unwrap_err().contains("golden"));
}

#[test]
fn twins_and_long_plans_are_paired_one_to_one() {
    let twins =
        "$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.x\"\n$c = EXTRACT $a JSONPATH \"$.x\"\n$d = COMPUTE $b ~ $c";
    let score = score(&twins.into(), &twins.into(), &scope()).unwrap();
    assert_eq!(score.score.unwrap().to_string(), "1");
    let long: String = (0..800)
        .map(|i| if i == 0 { "$s0 = COMPUTE 1\n".to_owned() } else { format!("$s{i} = COMPUTE $s{} + {i}\n", i - 1) })
        .collect();
    let score = throughline_plan::golden::score(&long.as_str().into(), &long.as_str().into(), &scope()).unwrap();
    assert_eq!(score.score.unwrap().to_string(), "1");
}
