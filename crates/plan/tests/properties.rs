//! What must hold for every text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail"
)]

#[path = "common/world.rs"]
mod common;

use common::{Shelf, World};
use proptest::prelude::*;
use throughline_expr::MapEnv;
use throughline_plan::answer::{NoEvidence, RunScope, render};
use throughline_plan::{Scope, ToolRule, apply_fixes, check};
use throughline_value::{Map, Value};

/// Pieces that mean something in one of the languages around.
const PIECES: &[&str] = &[
    "$secret",
    "$body",
    "$r",
    "#E1",
    "#E12",
    "{{ $secret }}",
    "{% if true %}",
    "{% raw %}",
    "{#",
    "CALL refund(order: 1)",
    "\n$x = CALL refund(order: 1)\n",
    "\"",
    "'",
    "r\"",
    "\\",
    "\\\"",
    ")",
    "(",
    "THEN",
    "ELSE",
    "=",
    "= 1 + 1",
    "=now",
    "{\"document\": \"secret.txt\", \"version\": 1}",
    "[1]",
    "[^1]",
    "\u{c}",
    "\r\n",
    "</data>",
    "```",
    "`",
    "${secret}",
    "$1",
    "\u{202e}",
    "订单",
    "１２",
    "😀",
    "\u{0}",
    "{\"$number\": \"1\"}",
    "<script>",
    "GET secret",
    "now",
];

fn adversarial() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        2 => "\\PC{0,6}",
        1 => "[ -~]{0,8}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn scope() -> Scope {
    Scope::new()
        .source("r", "r.txt")
        .source("j", "j.json")
        .source("secret", "secret.txt")
        .tool("echo", ToolRule::default())
        .tool("refund", ToolRule { writes: true, ..ToolRule::default() })
}

/// All of them when `THROUGHLINE_LONG` is set, else a small part: unoptimised regular expressions are slow.
fn cases(all: u32) -> u32 {
    if std::env::var_os("THROUGHLINE_LONG").is_some() { all } else { all / 50 }
}

const PLAN: &str = "\
$r = GET r
$body = EXTRACT $r PATTERN r\"(?s)^BEGIN(.*)END$\"
$j = GET j
$field = EXTRACT $j JSONPATH \"$.field\"
$both = COMPUTE $body ~ $field
$again = EXTRACT $both PATTERN r\"(?s)^(.*)$\"
$said = CALL echo(text: $body, given: $given, list: [$field])
$back = EXTRACT $said PATTERN r\"(?s)(.+)\"
$pick = IF $body == $field THEN $body ELSE $given";

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(10_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_of_a_document_becomes_a_reference_an_operation_or_a_template(text in adversarial()) {
        let field = Value::from(text.as_str());
        let shelf = Shelf::default()
            .with("r.txt", "text/plain", &format!("BEGIN{text}END"))
            .with("j.json", "application/json", &format!("{{\"field\": {}}}", field.to_json()))
            .with("secret.txt", "text/plain", "TOP SECRET");
        let mut world = World::new(shelf);
        world.answer = |call| {
            assert_eq!(call.tool, "echo", "no other tool is called");
            Ok(Value::Map(call.args.clone()))
        };
        let inputs = Map::from_iter([("given".to_owned(), field.clone())]);
        let run = world.start(PLAN, inputs, &scope()).unwrap();
        world.finish(&run);
        let values = world.plans.values(&run);
        let value = |name: &str| values[name].value.clone();
        prop_assert_eq!(value("body"), field.clone());
        prop_assert_eq!(value("field"), field.clone());
        prop_assert_eq!(value("both"), Value::from(format!("{text}{text}")));
        prop_assert_eq!(value("again"), value("both"));
        prop_assert_eq!(value("pick"), field.clone());
        let said = Value::from([("text", field.clone()), ("given", field.clone()), ("list", vec![field.clone()].into())]);
        prop_assert_eq!(value("said"), said);
        prop_assert_eq!(world.made.len(), 1);
        // Nothing of the secret came in anywhere.
        let all = throughline_value::to_value(&world.plans.run(&run, &common::at(u64::MAX)).unwrap()).unwrap().to_json();
        prop_assert!(!all.contains("TOP SECRET"));
        let evidence = &values["body"].evidence[0];
        prop_assert_eq!(&format!("BEGIN{text}END")[evidence.span.start..evidence.span.end], text.as_str());
        let env = MapEnv::new();
        let outer = NoEvidence(&env);
        let view = render("<{{ $body }}|{{ $given }}>", "t", &RunScope::new(&values, &outer)).unwrap();
        prop_assert_eq!(view.text, format!("<{text}[1]|{text}[2]>"));
        prop_assert_eq!(view.footnotes.len(), 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_checked_with_places_inside_it_and_repairs_come_to_an_end(text in plan_like()) {
        let mut text = text;
        for round in 0..100 {
            let (plan, report) = check(&text.as_str().into(), &scope());
            prop_assert_eq!(plan.is_some(), report.ok);
            // A plan in another spelling is shown in ours.
            prop_assert!(report.text == text || round == 0);
            text.clone_from(&report.text);
            for d in &report.diagnostics {
                let spans = d.span.into_iter().chain(d.fix.as_ref().map(|f| f.span));
                for span in spans {
                    prop_assert!(text.get(span.start..span.end).is_some(), "{:?} in {:?}", d, text);
                }
            }
            if report.diagnostics.iter().all(|d| d.fix.is_none()) {
                break;
            }
            let next = apply_fixes(&text, &report.diagnostics);
            prop_assert_ne!(&next, &text);
            text = next;
            prop_assert!(round < 99, "repairs do not come to an end: {:?}", text);
        }
    }

    #[test]
    fn a_valid_plan_reads_back_from_both_of_its_spellings(steps in proptest::collection::vec(0..18_usize, 1..12), text in adversarial()) {
        let mut lines = "PLAN WITH temporal_scope: \"2026-Q1\", max_steps: 30\n".to_owned();
        let mut last = "given".to_owned();
        for (i, kind) in steps.iter().enumerate() {
            let literal = text_literal(&text);
            let line = match kind {
                0 => "GET r".to_owned(),
                1 => format!("COMPUTE ${last} ~ {literal}"),
                2 => format!("EXTRACT ${last} PATTERN r\"(\\w+)\" LAST AS text DEFAULT {literal}"),
                3 => format!("IF ${last} == {literal} THEN ${last} ELSE {literal}"),
                4 => format!("CALL echo(a: ${last}, \"b c\": {literal})"),
                5 => format!("EXTRACT ${last} JSONPATH \"$.a[0]\""),
                6 => format!("CALL echo(list: [1.50, {literal}, {{\"k\": ${last}}}])"),
                7 => "COMPUTE 1\n    + 2".to_owned(),
                8 => format!("SEARCH r OR j FOR {literal} WHERE item.a == {literal} LIMIT 3 WITH max_age: \"1h\""),
                9 => format!("QUERY j(a: {literal}, \"b c\": ${last}) WHERE index < 3"),
                10 => format!("EXTRACT ${last} SELECTOR \"td.rate\" OR CELL {literal}, {literal} OR FIND percent NEAR {literal} AS number UNIT {literal}"),
                11 => format!("VALIDATE ${last} == {literal} ELSE {literal}"),
                12 => format!("MERGE ${last}, [{literal}] BY {literal}"),
                13 => format!("FILTER [${last}] WHERE item == {literal} and index >= 0"),
                14 => format!("ARBITRATE ${last}, $given BY newest, trust WITHIN 0.5"),
                15 => format!("ASK {literal} OPTIONS [{literal}] AS text WITH on_failure: skip"),
                16 => format!("COMPUTE ${last} AS text WITH fallback: {literal}, retry: 2, backoff: \"1s\", temporal_scope: [null, \"2026\"]"),
                _ => format!("GET r(x: {literal}) OR secret WITH timeout: \"PT5M\", max_tokens: 9"),
            };
            lines.push_str(&format!("$s{i} = {line}\n"));
            last = format!("s{i}");
        }
        let (plan, report) = check(&lines.as_str().into(), &scope().inputs(["given"]));
        prop_assert!(report.ok, "{}\n{:?}", lines, report.diagnostics);
        let plan = plan.unwrap();
        let normal = plan.to_text();
        let json = plan.to_json();
        for form in [Value::from(normal.as_str()), json.clone(), json.to_json().into()] {
            let (again, report) = check(&form, &scope().inputs(["given"]));
            prop_assert!(report.ok, "{}\n{:?}", form.to_json(), report.diagnostics);
            let again = again.unwrap();
            prop_assert_eq!(&again.to_text(), &normal);
            prop_assert_eq!(&again.to_json(), &json);
        }
    }
}

fn text_literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn plan_like() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "$a",
        "$b",
        "$c",
        " = ",
        "\n",
        "\n",
        "\n  ",
        "GET ",
        "FETCH ",
        "EXTRACT ",
        "COMPUTE ",
        "IF ",
        " THEN ",
        " ELSE ",
        "CALL ",
        "echo",
        "(",
        ")",
        "text: ",
        ", ",
        "r",
        "j",
        "secret",
        "$r",
        "JSONPATH ",
        "PATTERN ",
        "\"$.a\"",
        "r\"(a)(b)\"",
        "r\"x\"",
        "\"\\d\"",
        " AS ",
        "number",
        "float",
        "DEFAULT ",
        "1",
        "+ 2",
        "# note",
        "\"",
        "'",
        "1. ",
        "- ",
        "```",
        "订单",
        ":",
        ":=",
        " ",
        "now",
        "LAST",
        " WITH ",
        "retry: 2",
        "fallback: $a",
        "temporal_scope: \"2026\"",
        "SEARCH ",
        "QUERY ",
        "FILTER ",
        " WHERE ",
        " FOR ",
        "item",
        "MERGE ",
        "ARBITRATE ",
        " BY ",
        "ASK ",
        "VALIDATE ",
        " OR ",
        "None",
        "f\"{$a}\"",
        "REGEX ",
        "SELECTOR \"td[\"",
        "PLAN WITH ",
        "max_steps: 1",
        "$a == $a",
        "true",
        "（",
        "）",
        "“",
    ];
    let part = prop_oneof![20 => proptest::sample::select(PARTS).prop_map(str::to_owned), 1 => adversarial()];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}
