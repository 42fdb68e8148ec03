//! Everything that can be wrong with a plan is said at once, with its place and its repair.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail"
)]

use throughline_plan::{Scope, ToolRule, apply_fixes, check};
use throughline_protocol::view::PlanReport;
use throughline_value::{Value, json};

fn scope() -> Scope {
    let schema = r#"{"type": "object", "properties": {"order": {}, "days": {}}, "required": ["order"], "additionalProperties": false}"#;
    Scope::new()
        .source("orders", "orders.json")
        .source("carrier_scans", "scans.json")
        .source("report page", "report.html")
        .tool("refund", ToolRule { writes: true, approval: true, schema: json::read_value(schema).unwrap() })
        .pattern("order_id", r"(PZ-\d+)")
        .pattern("broken", r"PZ-\d+")
        .inputs(["order"])
        .names(["facts", "state"])
}

fn reported(plan: &str) -> PlanReport {
    check(&plan.into(), &scope()).1
}

/// Each problem as `code "the text it is about"`.
fn lines_of(report: &PlanReport) -> Vec<String> {
    let show = |d: &throughline_protocol::view::Diagnostic| {
        let part = d.span.map_or("-", |s| &report.text[s.start..s.end]);
        format!("{} {part:?}", d.code)
    };
    report.diagnostics.iter().map(show).collect()
}

#[track_caller]
fn problems(plan: &str, expected: &[&str]) {
    let report = reported(plan);
    assert_eq!(lines_of(&report), expected, "{plan}");
    assert!(report.diagnostics.iter().all(|d| !d.message.is_empty()));
    assert_eq!(report.ok, report.diagnostics.iter().all(|d| d.severity == "warning"));
}

/// Applies repairs until nothing changes; the plan must then be the expected one and have no errors.
#[track_caller]
fn mends(plan: &str, expected: &str) {
    let mut text = plan.to_owned();
    for _ in 0..20 {
        let report = reported(&text);
        if report.diagnostics.iter().all(|d| d.fix.is_none()) {
            break;
        }
        let next = apply_fixes(&report.text, &report.diagnostics);
        assert_ne!(next, text, "a repair that repairs nothing: {:?}", report.diagnostics);
        text = next;
    }
    assert_eq!(text, expected, "{plan}");
    assert_eq!(lines_of(&reported(&text)), Vec::<String>::new(), "{text}");
}

#[test]
fn a_valid_plan_has_no_problems() {
    problems("$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.id\" AS text", &[]);
    problems("a = GET orders\nb = EXTRACT a PATTERN order_id LAST AS text DEFAULT \"none\"", &[]);
    problems("$x = COMPUTE facts.price * 2 + $order.n", &[]);
    problems("$x = IF state == \"open\" THEN now ELSE null", &[]);
    problems("$x = CALL refund(order: $order, days: 3)", &[]);
    problems("$a = GET \"report page\"\n$b = EXTRACT $a PATTERN r\"rate: ([\\d.]+)\" AS number", &[]);
    problems("$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.x[?@.id == {$order}].price\"", &[]);
    problems("$订单 = GET orders\n$号 = EXTRACT $订单 JSONPATH \"$.编号\"", &[]);
}

#[test]
fn every_finding_of_a_plan_comes_in_one_reply_in_the_order_of_the_text() {
    // Case F18: two groups, an undeclared name, an unknown operation, a name given twice.
    let plan = "$A = GET orders\n$B = EXTRACT $A PATTERN r\"(\\d+)-(\\d+)\"\n$C = COMPUTE $B + $ZZ\n$A = FETCH $C";
    let report = reported(plan);
    assert_eq!(
        lines_of(&report),
        [
            "pattern-groups \"r\\\"(\\\\d+)-(\\\\d+)\\\"\"",
            "undeclared-binding \"$ZZ\"",
            "repeated-binding \"$A\"",
            "unknown-operation \"FETCH\"",
        ]
    );
    let steps: Vec<_> = report.diagnostics.iter().map(|d| d.step.as_deref().unwrap()).collect();
    assert_eq!(steps, ["B", "C", "A", "A"]);
    let fixes: Vec<_> = report.diagnostics.iter().map(|d| d.fix.as_ref().map(|f| f.replacement.as_str())).collect();
    assert_eq!(fixes, [Some(r#"r"(\d+)-(?:\d+)""#), None, Some("$A2"), Some("GET")]);
    assert_eq!(reported(plan), report, "the findings are the same every time");
    // The case's own spelling says the same.
    let other = reported(
        "step a: SEARCH(q) -> A ; step b: EXTRACT(A, '(\\\\d+)-(\\\\d+)') -> B ; step c: COMPUTE(B + ZZ) -> C ; step d: FETCH(C) -> A",
    );
    let codes: Vec<_> = other.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(
        codes,
        ["unknown-source", "pattern-groups", "undeclared-binding", "repeated-binding", "unknown-operation"]
    );
    // A plan whose steps are a map without content and a text.
    let value = json::read_value(r#"[{}, "description"]"#).unwrap();
    let report = check(&value, &scope()).1;
    let said: Vec<_> = report.diagnostics.iter().map(|d| (d.code.as_str(), d.message.as_str())).collect();
    assert_eq!(
        said,
        [
            ("plan-syntax", "step 1 has no `id` that is a name of letters, digits and `_`"),
            ("plan-syntax", "step 2 is a text; a step is a map `{id, op, args}`"),
        ]
    );
}

#[test]
fn each_damage_has_its_code_and_its_place() {
    problems("", &["plan-syntax \"\""]);
    problems("# only a remark", &["plan-syntax \"# only a remark\""]);
    problems("First I look at the orders.\n$a = COMPUTE 1", &["plan-syntax \"First I look at the orders.\""]);
    problems("$a =", &["plan-syntax \"\""]);
    problems("$a = 1 + 2", &["plan-syntax \"1 + 2\""]);
    problems("1. $a = COMPUTE 1", &["plan-syntax \"1. \""]);
    problems("```\n$a = COMPUTE 1\n```", &["code-fence \"```\"", "code-fence \"```\""]);
    problems("GET orders", &["plan-syntax \"GET\"", "unused-step \"GET orders\""]);
    problems("$a = BANANA 1 2", &["unknown-operation \"BANANA\""]);
    problems("$a = refund(order: 1)", &["unknown-operation \"refund\""]);
    problems("$a = GET order\n$b = EXTRACT $a JSONPATH \"$.x\"", &["unknown-source \"order\""]);
    problems("$a = GET orders now\n$b = EXTRACT $a JSONPATH \"$.x\"", &["plan-syntax \"now\""]);
    problems("$a = GET $order", &["plan-syntax \"$order\""]);
    problems("$a = COMPUTE", &["plan-syntax \"\""]);
    problems("$a = COMPUTE 1 +", &["expr-syntax \"\""]);
    problems("$a = COMPUTE nofunction(1)", &["unknown-function \"nofunction\""]);
    problems("$a = COMPUTE $b", &["undeclared-binding \"$b\""]);
    problems("$a = COMPUTE fcts.x", &["undeclared-binding \"fcts\""]);
    problems("$a = COMPUTE $b\n$b = COMPUTE 1", &["forward-binding \"$b\""]);
    problems("$a = COMPUTE $a + 1", &["cyclic-plan \"$a\""]);
    problems("$a = COMPUTE $c\n$b = COMPUTE $a\n$c = COMPUTE $b", &["cyclic-plan \"$c\""]);
    problems("$a = COMPUTE 1\n$a = COMPUTE 2", &["repeated-binding \"$a\""]);
    problems("$order = COMPUTE 1", &["repeated-binding \"$order\""]);
    problems("$a = IF 1 < 2 ELSE 3", &["plan-syntax \"IF\""]);
    problems("$a = IF 1 < 2 THEN 3", &["plan-syntax \"IF\""]);
    problems("$a = CALL refnd(order: 1)", &["unknown-tool \"refnd\""]);
    problems("$a = CALL refund()", &["missing-argument \"refund\""]);
    problems("$a = CALL refund(order: 1, dys: 2)", &["unknown-argument \"dys\""]);
    problems("$a = CALL refund(order: 1, order: 2)", &["plan-syntax \"order\""]);
    problems("$a = CALL refund($order)", &["plan-syntax \"$order\""]);
    problems("$a = CALL refund(order: 1", &["plan-syntax \"(\""]);
    let extract =
        |tail: &str, expected: &[&str]| problems(&format!("$a = GET orders\n$b = EXTRACT $a {tail}"), expected);
    extract("JSONPATH $.id", &["plan-syntax \"$.id\""]);
    extract("JSONPATH \"id\"", &["bad-json-path \"id\""]);
    extract("JSONPATH \"$.a[\"", &["bad-json-path \"[\""]);
    extract("PATTERN \"(\\d+)\"", &["plan-syntax \"\\\\d\""]);
    extract("PATTERN r\"\\d+\"", &["pattern-groups \"r\\\"\\\\d+\\\"\""]);
    extract("PATTERN r\"(?<=a)(b)\"", &["look-around-in-pattern \"(?<=\""]);
    extract("PATTERN r\"(a\"", &["bad-pattern \"r\\\"(a\\\"\""]);
    extract("PATTERN r\"{$nobody}: (a)\"", &["undeclared-binding \"$nobody\""]);
    extract("JSONPATH \"$.x[?@.id == {$a1}]\"", &["undeclared-binding \"$a1\""]);
    extract("JSONPATH \"$.x[?@.id = {$order}]\"", &["bad-json-path \"\\\"$.x[?@.id = {$order}]\\\"\""]);
    extract("PATTERN r\"(a", &["plan-syntax \"r\\\"(a\""]);
    extract("PATTERN order_i", &["unknown-pattern \"order_i\""]);
    extract("PATTERN broken", &["pattern-groups \"broken\""]);
    extract("PATTERN order_id AS float", &["unknown-type \"float\""]);
    extract("PATTERN order_id WHERE 1", &["plan-syntax \"WHERE 1\""]);
    extract("SELECTOR td", &["plan-syntax \"SELECTOR\""]);
    extract("SELECTOR \"td[\"", &["bad-selector \"\\\"\""]);
    extract("FIND colour", &["unknown-type \"colour\""]);
    extract("r\"(a)\"", &["plan-syntax \"r\\\"(a)\\\"\""]);
    extract("PATTERN order_id UNIT kg", &["plan-syntax \"UNIT\""]);
    extract("PATTERN order_id AS text UNIT \"kg\"", &["wrong-option \"\\\"kg\\\"\""]);
    problems("$a = SEARCH orders \"x\"", &["plan-syntax \"SEARCH\""]);
    problems("$a = SEARCH orders FOR \"x\" LIMIT some", &["plan-syntax \"some\""]);
    problems("$a = FILTER $order", &["plan-syntax \"FILTER\""]);
    problems("$a = ARBITRATE $order", &["plan-syntax \"ARBITRATE\""]);
    problems("$a = ARBITRATE $order, 1 + 2", &["plan-syntax \"1 + 2\""]);
    problems("$a = ARBITRATE $order, $order BY latest", &["unknown-policy \"latest\""]);
    problems("$a = COMPUTE 1 WITH retrys: 2", &["unknown-option \"retrys\""]);
    problems("$a = COMPUTE 1 WITH retry: many", &["wrong-option \"many\""]);
    problems("$a = COMPUTE 1 WITH retry: 2, retry: 3", &["plan-syntax \"retry\""]);
    problems("$a = COMPUTE 1 WITH timeout: soon", &["wrong-option \"soon\""]);
    problems("$a = COMPUTE 1 WITH on_failure: explode", &["unknown-option \"explode\""]);
    problems("$a = COMPUTE 1 WITH max_steps: 3", &["wrong-option \"COMPUTE 1 WITH max_steps: 3\""]);
    problems("$a = COMPUTE 1 AS whole", &["unknown-type \"whole\""]);
    problems(
        "PLAN WITH max_steps: 5\nPLAN WITH max_steps: 6\n$a = COMPUTE 1",
        &["plan-syntax \"PLAN WITH max_steps: 6\""],
    );
    problems("PLAN WITH temporal_scope: $a\n$a = COMPUTE \"2026\"", &["undeclared-binding \"$a\""]);
    extract("PATTERN order_id LAST LAST", &["plan-syntax \"LAST\""]);
    extract("GREP \"x\"", &["plan-syntax \"GREP\""]);
    problems("$a = GET orders", &["unused-step \"$a = GET orders\""]);
    problems(
        "$a = GET orders\n$b = GET orders\n$c = EXTRACT $a JSONPATH \"$.x\"\n$d = EXTRACT $b JSONPATH \"$.x\"",
        &["repeated-source \"orders\""],
    );
}

#[test]
fn repairs_applied_by_a_machine_lead_to_a_plan_without_problems() {
    mends("$a = FETCH order\n$b = EXTRACT $a JSONPATH $.id", "$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.id\"");
    mends(
        "$a = GET orders\n$b = EXTRACT $a PATTERN \"(\\d+)-(\\d+)\"",
        "$a = GET orders\n$b = EXTRACT $a PATTERN r\"(\\d+)-(?:\\d+)\"",
    );
    mends(
        "$a = GET orders\n$b = EXTRACT $a JSONPATH \"id\" AS float",
        "$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.id\" AS number",
    );
    mends("$b = EXTRACT $orders JSONPATH \"$.id\"", "$orders = GET orders\n$b = EXTRACT $orders JSONPATH \"$.id\"");
    mends("$a = COMPUTE $b\n$b = COMPUTE $c\n$c = COMPUTE 1", "$c = COMPUTE 1\n$b = COMPUTE $c\n$a = COMPUTE $b");
    mends("1. $a = 1 + 2", "$a = COMPUTE 1 + 2");
    mends("- $a = COMPUTE 1", "$a = COMPUTE 1");
    mends("```\n$a = COMPUTE 1\n```\n", "\n$a = COMPUTE 1\n\n");
    mends("Now I think.\n$a = compute 1", "# Now I think.\n$a = COMPUTE 1");
    mends("$a = COMPUTE $ordr.n", "$a = COMPUTE $order.n");
    mends("$a: COMPUTE 1", "$a = COMPUTE 1");
    mends("$a := COMPUTE 1", "$a = COMPUTE 1");
    mends("$a = GET(orders)\n$b = EXTRACT $a JSONPATH \"$.id\"", "$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.id\"");
    mends("$a = refund(order: 1)", "$a = CALL refund(order: 1)");
    mends("$a = IF $order.n < 2 THEN 3", "$a = IF $order.n < 2 THEN 3 ELSE null");
    mends("$a = CALL refund(order: 1", "$a = CALL refund(order: 1)");
    mends(
        "$a = GET orders\n$b = EXTRACT $a PATTERN r\"{$order} (a)(b)\"",
        "$a = GET orders\n$b = EXTRACT $a PATTERN \"{$order} (a)(?:b)\"",
    );
    mends("$a = COMPUTE 1\n$a = COMPUTE 2", "$a = COMPUTE 1\n$a2 = COMPUTE 2");
    mends("$a = GET orders\n$b = COMPUTE 1", "$b = COMPUTE 1");
}

#[test]
fn steps_of_a_report_have_their_needs_and_waves() {
    let report = reported(
        "$s = GET orders\n$q = EXTRACT $s JSONPATH \"$.n\" AS integer\n$x = COMPUTE 1\n$y = COMPUTE 2\n$i = IF $q > 1 THEN $x ELSE $y  # choose",
    );
    assert_eq!(report.waves, [vec!["s"], vec!["q"], vec!["x", "y"], vec!["i"]]);
    let last = &report.steps[4];
    assert_eq!((last.op.as_str(), last.note.as_str()), ("IF", "choose"));
    assert_eq!(last.needs, ["q", "x", "y"]);
    assert_eq!(&report.text[last.span.start..last.span.end], "$i = IF $q > 1 THEN $x ELSE $y");
}

#[test]
fn limits_are_kept_with_codes_of_their_own() {
    let long: String = (0..1_025).map(|i| format!("$s{i} = COMPUTE {i}\n")).collect();
    assert_eq!(reported(&long).diagnostics[0].code, "too-many-steps");
    assert_eq!(reported(&"#".repeat(300_000)).diagnostics[0].code, "plan-too-long");
    let bad: String = (0..500).map(|i| format!("$s{i} = COMPUTE $none{i}\n")).collect();
    let report = reported(&bad);
    assert_eq!(report.diagnostics.len(), 257);
    assert_eq!(report.diagnostics[256].code, "too-many-problems");
}

#[test]
fn a_plan_has_two_spellings_and_each_leads_back_to_the_other() {
    let text = "\
# first line
# second line
$scans = GET carrier_scans
$last  = EXTRACT $scans JSONPATH \"$.scans[-1].time\" ONE AS instant DEFAULT \"2026-01-01T00:00:00Z\"
$page  = GET \"report page\"
$city  = EXTRACT $page PATTERN r\"last seen in (\\w+)\" LAST AS text  # where it is
$id    = EXTRACT $page PATTERN order_id
$quiet = COMPUTE now - instant($last)
$late  = IF $quiet > duration(\"24h\") THEN \"yes\" ELSE 'no'
$again = IF $late == \"yes\" THEN $city ELSE $id
$ref   = CALL refund(order: $order.id, days: 1 + 2)
$list  = CALL refund(order: [1, \"=a\", {\"k\": 2.50}], days: \"$x\")
# the end
";
    let (plan, report) = check(&text.into(), &scope());
    assert_eq!(lines_of(&report), Vec::<String>::new());
    let plan = plan.unwrap();
    assert_eq!(plan.to_text(), text, "the normal form is stable");
    let value = plan.to_json();
    let (again, report) = check(&value, &scope());
    assert_eq!(lines_of(&report), Vec::<String>::new());
    let again = again.unwrap();
    assert_eq!(again.to_text(), text);
    assert_eq!(again.to_json(), value);
    let (from_text, _) = check(&value.to_json().into(), &scope());
    assert_eq!(from_text.unwrap().to_text(), text, "JSON as text is read too");
    let list = value.get("steps").unwrap().as_list().unwrap();
    assert_eq!(
        list[0].to_json(),
        r#"{"id":"scans","op":"GET","args":{"source":"carrier_scans"},"note":"first line\nsecond line"}"#
    );
    assert_eq!(
        list[8].at(&["args", "arguments"]).map(Value::to_json).unwrap(),
        r#"{"order":"$order.id","days":"=1 + 2"}"#
    );
    assert_eq!(list[6].at(&["args", "else"]).map(Value::to_json).unwrap(), r#""='no'""#);
}

fn rich() -> Scope {
    let schema = r#"{"properties": {"order": {"type": "string"}, "days": {"type": "integer"}, "tags": {"type": "array"}, "how": {"enum": ["full", "part"]}}}"#;
    let temporal = throughline_plan::SourceRule { temporal: true, ..throughline_plan::SourceRule::default() };
    let mut scope = scope()
        .source("order_list", "orders.json")
        .source("news", "news.json")
        .source_rule("news", temporal)
        .tool("credit", ToolRule { schema: json::read_value(schema).unwrap(), ..ToolRule::default() });
    scope.sources.insert("world".to_owned(), throughline_plan::Target::World);
    scope
}

/// Each problem of a plan in a richer scope, and what is left of the plan after all repairs.
#[track_caller]
fn deeper(plan: &str, expected: &[&str], mended: &str) {
    let mut report = check(&plan.into(), &rich()).1;
    assert_eq!(lines_of(&report), expected, "{plan}\n{:?}", report.diagnostics);
    for _ in 0..20 {
        if report.diagnostics.iter().all(|d| d.fix.is_none()) {
            break;
        }
        let text = apply_fixes(&report.text, &report.diagnostics);
        assert_ne!(text, report.text);
        report = check(&text.as_str().into(), &rich()).1;
    }
    assert_eq!(report.text, mended, "{:?}", report.diagnostics);
}

#[test]
fn sources_are_read_once_asked_rightly_and_about_a_time() {
    deeper(
        "$a = GET orders\n$b = GET order_list  # again\n$x = EXTRACT $a JSONPATH \"$.x\"\n$y = EXTRACT $b JSONPATH \"$.y[?@.n == {$b}]\"\n$z = COMPUTE $b.bytes + 1",
        &["repeated-source \"order_list\""],
        "$a = GET orders\n$x = EXTRACT $a JSONPATH \"$.x\"\n$y = EXTRACT $a JSONPATH \"$.y[?@.n == {$a}]\"\n$z = COMPUTE $a.bytes + 1",
    );
    deeper("$a = GET world\n$x = COMPUTE $a", &["wrong-operation \"world\""], "$a = QUERY world\n$x = COMPUTE $a");
    deeper(
        "# yields of 2026-Q1\n$a = GET news\n$x = EXTRACT $a JSONPATH \"$.x\"",
        &["missing-temporal-scope \"news\""],
        "# yields of 2026-Q1\nPLAN WITH temporal_scope: \"2026-Q1\"\n$a = GET news\n$x = EXTRACT $a JSONPATH \"$.x\"",
    );
    deeper(
        "PLAN WITH retry: 1\n$a = GET news  # for 2026-03\n$x = COMPUTE $a.bytes",
        &["missing-temporal-scope \"news\""],
        "PLAN WITH retry: 1, temporal_scope: \"2026-03\"\n$a = GET news  # for 2026-03\n$x = COMPUTE $a.bytes",
    );
    let both = "# 2025 or 2026?\n$a = GET news\n$x = COMPUTE $a.bytes";
    deeper(both, &["missing-temporal-scope \"news\""], both);
    deeper(
        "$a = GET news WITH temporal_scope: \"2026\"\n$x = COMPUTE $a.bytes",
        &[],
        "$a = GET news WITH temporal_scope: \"2026\"\n$x = COMPUTE $a.bytes",
    );
    let wrong = "$a = GET news WITH temporal_scope: \"last spring\"\n$x = COMPUTE $a.bytes";
    deeper(wrong, &["bad-temporal-scope \"\\\"last spring\\\"\""], wrong);
}

#[test]
fn a_step_with_a_name_that_is_none_is_kept_under_one() {
    deeper(
        "$per-cent = COMPUTE 1\n$1 = COMPUTE 2",
        &["plan-syntax \"$per-cent\"", "plan-syntax \"$1\""],
        "$per_cent = COMPUTE 1\n$s1 = COMPUTE 2",
    );
}

#[test]
fn branches_that_no_value_leads_to_are_found() {
    let one = |condition: &str, dead: Option<&str>, mended: &str| {
        let plan = format!("$n = COMPUTE $order.n\n$a = IF {condition} THEN 1 ELSE 2");
        let expected: Vec<String> = dead.iter().map(|d| format!("unreachable-branch {d:?}")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        deeper(
            &plan,
            &expected,
            &if mended.is_empty() { plan.clone() } else { format!("$n = COMPUTE $order.n\n$a = {mended}") },
        );
    };
    one("$n > 5", None, "");
    one("1 < 2", Some("2"), "COMPUTE 1");
    one("$n > 5 and false", Some("1"), "COMPUTE 2");
    one("$n > 5 or true", Some("2"), "COMPUTE 1");
    one("not ($n == $n)", Some("1"), "COMPUTE 2");
    one("$n > 5 and $n < 3", Some("1"), "COMPUTE 2");
    one("3 < $n < 3", Some("1"), "COMPUTE 2");
    one("$n >= 3 and $n <= 3", None, "");
    one("$n == \"a\" and $n == \"b\"", Some("1"), "COMPUTE 2");
    one("$n > 5 and $order.m < 3", None, "");
    deeper(
        "$n = COMPUTE $order.n\n$in = IF $n > 5 THEN 1 ELSE 2\n$step = COMPUTE $in + 1\n$out = IF $n > 5 THEN $step ELSE 0",
        &["unreachable-branch \"2\""],
        "$n = COMPUTE $order.n\n$in = COMPUTE 1\n$step = COMPUTE $in + 1\n$out = IF $n > 5 THEN $step ELSE 0",
    );
}

#[test]
fn values_of_the_wrong_type_are_found_before_anything_is_run() {
    let call = |given: &str, found: &str, mended: &str| {
        let plan = |a: &str| format!("$t = COMPUTE \"x\"\n$a = CALL credit({a})");
        deeper(&plan(given), &[&format!("argument-type {found:?}")], &plan(mended));
    };
    call("days: \"3\"", "\"3\"", "days: 3");
    call("days: $t", "$t", "days: number($t)");
    call("order: 7", "7", "order: \"7\"");
    call("tags: \"a\"", "\"a\"", "tags: [\"a\"]");
    call("how: \"ful\"", "\"ful\"", "how: \"full\"");
    call("days: true", "true", "days: true");
    deeper(
        "$t = COMPUTE \"x\"\n$b = COMPUTE $t * 2",
        &["argument-type \"$t\""],
        "$t = COMPUTE \"x\"\n$b = COMPUTE number($t) * 2",
    );
    deeper(
        "$t = COMPUTE 5\n$b = IF $t THEN 1 ELSE 2",
        &["argument-type \"$t\""],
        "$t = COMPUTE 5\n$b = IF $t != 0 THEN 1 ELSE 2",
    );
    deeper(
        "$t = COMPUTE 5\n$b = FILTER $t WHERE item > 1",
        &["argument-type \"$t\""],
        "$t = COMPUTE 5\n$b = FILTER $t WHERE item > 1",
    );
}

#[test]
fn what_fails_in_every_run_and_what_is_left_from_other_habits_is_found() {
    deeper("$a = COMPUTE 3 kg + 200 g", &["unit-mismatch \"3 kg + 200 g\""], "$a = COMPUTE 3 kg + 200 g");
    deeper("$a = COMPUTE 1 / 0", &["division-by-zero \"1 / 0\""], "$a = COMPUTE 1 / 0");
    deeper("$a = COMPUTE date(\"2026-01-01T00:00:00\")", &[], "$a = COMPUTE date(\"2026-01-01T00:00:00\")");
    deeper(
        "$a = GET orders;\n$b = EXTRACT $a JSONPATH $.x AS int；",
        &["plan-syntax \";\"", "plan-syntax \"$.x\"", "unknown-type \"int\"", "plan-syntax \"；\""],
        "$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.x\" AS integer",
    );
}

#[test]
fn steps_over_the_budget_are_left_out_from_the_end_when_nothing_needs_them() {
    deeper(
        "PLAN WITH max_steps: 3\n$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.b\"\n$c = COMPUTE 1\n$d = COMPUTE $c + 1\n$e = COMPUTE $b",
        &["step-budget \"$d = COMPUTE $c + 1\""],
        "PLAN WITH max_steps: 3\n$a = GET orders\n$b = EXTRACT $a JSONPATH \"$.b\"\n$e = COMPUTE $b",
    );
    let tight = "PLAN WITH max_steps: 1\n$a = COMPUTE 1\n$b = COMPUTE $a";
    deeper(tight, &["step-budget \"$b = COMPUTE $a\""], tight);
}

#[test]
fn every_operation_and_option_has_two_spellings() {
    let text = "\
PLAN WITH temporal_scope: \"2026-Q1\", retry: 1, timeout: \"5m\", max_tokens: 5000, max_steps: 20
$found = SEARCH orders OR carrier_scans FOR \"yield \" ~ $order WHERE item.score > 0.5 LIMIT 5 WITH max_age: \"1h\"
$rows  = QUERY carrier_scans(city: \"Ulm\", days: 1 + 2) WHERE item.n >= 1 and index < 10
$page  = GET \"report page\"(part: $order) OR orders WITH retry: 3, backoff: \"2s\", on_failure: skip
$rate  = EXTRACT $page PATTERN order_id OR PATTERN r\"rate (\\d+)\" OR SELECTOR \"td.rate\" OR CELL \"Yield\", \"Q3\" OR FIND percent NEAR \"yield rate\" LAST AS number DEFAULT 0 UNIT \"%\"
$other = EXTRACT $page FIND number
$best  = ARBITRATE $rate, $other BY official, newest WITHIN 0.5
$all   = MERGE $found, $rows BY \"id\"
$good  = FILTER $all WHERE item.ok and item.rate > $best
$ok    = VALIDATE $best >= 0 ELSE \"a rate is not below zero\"
$who   = ASK \"Which plant?\" OPTIONS [\"a\", \"b\"] AS text
$sum   = COMPUTE sum(map($good, x => x.n)) AS number UNIT \"kg\" WITH temporal_scope: [\"2026-01\", now], fallback: $other
$done  = CALL refund(order: $who) AS map WITH timeout: \"10s\"
";
    let (plan, report) = check(&text.into(), &scope());
    assert_eq!(lines_of(&report), Vec::<String>::new());
    let plan = plan.unwrap();
    assert_eq!(plan.to_text(), text, "the normal form is stable");
    assert_eq!(plan.step("sum").unwrap().rescue, ["other"]);
    let value = plan.to_json();
    let (again, report) = check(&value, &scope());
    assert_eq!(lines_of(&report), Vec::<String>::new(), "{}", report.text);
    let again = again.unwrap();
    assert_eq!(again.to_text(), text);
    assert_eq!(again.to_json(), value);
    assert_eq!(
        value.get("steps").unwrap().as_list().unwrap()[3].to_json(),
        r#"{"id":"rate","op":"EXTRACT","args":{"from":"$page","named":"order_id","or":[{"pattern":"rate (\\d+)"},{"selector":"td.rate"},{"cell":["Yield","Q3"]},{"find":"percent","near":"yield rate"}],"pick":"last","as":"number","default":0},"unit":"%"}"#
    );
}

#[test]
fn a_list_of_lines_is_the_text_form() {
    let lines = json::read_value(r#"["$a = GET orders", "$b = EXTRACT $a JSONPATH \"$.id\""]"#).unwrap();
    let (plan, report) = check(&lines, &scope());
    assert_eq!(lines_of(&report), Vec::<String>::new());
    assert_eq!(plan.unwrap().steps.len(), 2);
}

#[test]
fn the_json_form_cannot_smuggle_in_a_step() {
    let evil = [
        r#"[{"id": "a", "op": "GET", "args": {"source": "orders\n$b = CALL refund(order: 1)"}}]"#,
        r#"[{"id": "a", "op": "COMPUTE", "args": {"expression": "1\n$b = CALL refund(order: 1)"}}]"#,
        r#"[{"id": "a", "op": "COMPUTE", "args": {"expression": "1 # + $zz"}}]"#,
        r#"[{"id": "a", "op": "COMPUTE\n$b = CALL refund(order: 1)", "args": {}}]"#,
        r#"[{"id": "a = COMPUTE 1\n$b", "op": "COMPUTE", "args": {"expression": "1"}}]"#,
        r#"[{"id": "a", "op": "COMPUTE", "args": {"expression": "1"}, "note": "x\n$b = CALL refund(order: 1)"}]"#,
        r#"[{"id": "a", "op": "CALL", "args": {"tool": "refund", "arguments": {"order: 1)\n$b = CALL refund(order": "2"}}}]"#,
        r#"[{"id": "a", "op": "CALL", "args": {"tool": "refund", "arguments": {"order": "\"1)\n$b = CALL refund(order: \""}}}]"#,
        r#"[{"id": "a", "op": "EXTRACT", "args": {"from": "$order", "path": "$.x", "as": "text\n$b = GET orders"}}]"#,
    ];
    for text in evil {
        let report = check(&text.into(), &scope()).1;
        let names: Vec<_> = report.steps.iter().map(|s| s.id.as_str()).collect();
        assert!(names.is_empty() || names == ["a"], "{text}: {}", report.text);
        let calls = report.text.lines().filter(|l| l.trim_start().starts_with("$b")).count();
        assert_eq!(calls, 0, "{text}: {}", report.text);
    }
}
