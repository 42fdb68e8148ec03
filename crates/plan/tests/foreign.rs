//! Plans in the spellings of other systems, small ones and those of the shared data.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail and says what it skips"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use throughline_plan::{Scope, ToolRule, check};
use throughline_protocol::view::PlanReport;
use throughline_value::{Value, json};

fn scope<'a>(tools: impl IntoIterator<Item = &'a str>) -> Scope {
    tools.into_iter().fold(Scope::new(), |scope, tool| scope.tool(tool, ToolRule::default()))
}

fn reported(text: &str) -> PlanReport {
    check(&text.into(), &scope(["Google", "LLM", "Calculator", "search", "math"])).1
}

#[track_caller]
fn reads(text: &str, expected: &str, problems: &[&str]) {
    let report = reported(text);
    let said: Vec<_> = report.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!((report.text.as_str(), said), (expected, problems.to_vec()), "{text}");
}

#[test]
fn the_rewoo_spelling_becomes_a_plan_of_ours() {
    reads(
        "Question: who?\nPlan: Find it.\n#E1 = Google[2024 winner]\nPlan: Ask about #E1.\n#E2 = LLM[Home of #E1, really \"#E1\"?]",
        "$E1 = CALL Google(input: \"2024 winner\")  # Find it.\n$E2 = CALL LLM(input: \"Home of \" ~ $E1 ~ \", really \\\"\" ~ $E1 ~ \"\\\"?\")  # Ask about #E1.\n",
        &[],
    );
    reads(
        "Plan: a. #E1 = Google[x]\nPlan: b. #E2 = LLM[#E1]",
        "$E1 = CALL Google(input: \"x\")  # a.\n$E2 = CALL LLM(input: $E1)  # b.\n",
        &[],
    );
    let many: String = (1..=12).map(|i| format!("#E{i} = Google[x]\n")).collect();
    let report = reported(&format!("{many}#E13 = LLM[Compare #E12 and #E1]"));
    assert!(report.ok && report.text.ends_with("$E13 = CALL LLM(input: \"Compare \" ~ $E12 ~ \" and \" ~ $E1)\n"));
    reads("#E1 = Google[a [b] c]", "$E1 = CALL Google(input: \"a [b] c\")\n", &[]);
    reads("#E1 = LLM[{'key': 'value', 'number': 42}]", "$E1 = CALL LLM(key: \"value\", number: 42)\n", &[]);
    reads("#E1 = LLM[{\"incomplete\": json]", "$E1 = CALL LLM(input: \"{\\\"incomplete\\\": json\")\n", &[]);
    reads("#E1 = Google[a \\ \"b\" $x {{ y }}]", "$E1 = CALL Google(input: \"a \\\\ \\\"b\\\" $x {{ y }}\")\n", &[]);
}

#[test]
fn steps_as_functions_with_arrows_are_read_and_all_their_errors_reported() {
    let scope = scope(["notify"]).source("q", "q.txt").inputs(["limit"]);
    let report = |text: &str| check(&text.into(), &scope).1;
    let f18 = report(
        "step a: SEARCH(q) -> A ; step b: EXTRACT(A, '(\\\\d+)-(\\\\d+)') -> B ; step c: COMPUTE(B + ZZ) -> C ; step d: FETCH(C) -> A",
    );
    assert_eq!(
        f18.text,
        "$A = SEARCH q FOR \"q\"  # step a\n$B = EXTRACT $A PATTERN r\"(\\d+)-(\\d+)\"  # step b\n$C = COMPUTE B + ZZ  # step c\n$A = FETCH $C  # step d\n"
    );
    let found: Vec<_> =
        f18.diagnostics.iter().map(|d| (d.code.as_str(), d.step.as_deref().unwrap_or(""), d.fix.is_some())).collect();
    assert_eq!(
        found,
        [
            ("pattern-groups", "B", true),
            ("undeclared-binding", "C", false),
            ("repeated-binding", "A", true),
            ("unknown-operation", "A", true)
        ]
    );
    assert!(f18.diagnostics.iter().all(|d| d.span.is_some()));
    let fine = report(
        "GET(q) -> doc\nEXTRACT(doc, '$.n') -> n\nIF(n > limit, n, 0) -> best\nnotify(best, \"it's over; done\") -> told",
    );
    assert_eq!(
        fine.text,
        "$doc = GET q\n$n = EXTRACT $doc JSONPATH \"$.n\"\n$best = IF n > limit THEN $n ELSE 0\n$told = CALL notify(input1: $best, input2: \"it's over; done\")\n"
    );
    assert!(fine.ok, "{:?}", fine.diagnostics);
}

#[test]
fn a_plan_in_json_is_read_out_of_its_fence() {
    let list = r##"[{"plan": "p", "evidence": {"placeholder": "#E1", "tool": "Google", "tool_input": "x"}}]"##;
    let expected = "$E1 = CALL Google(input: \"x\")  # p\n";
    let said = "the plan stands in a code fence; the fence and what stands around it are passed over";
    reads(list, expected, &[]);
    reads(&format!("{{\"steps\": {list}}}"), expected, &[]);
    reads(&format!("Here it is:\n```json\n{list}\n```\nDone."), expected, &[said]);
    let ours = r#"{"steps": [{"id": "a", "op": "COMPUTE", "args": {"expression": "1"}}]}"#;
    reads(&format!("```\n{ours}\n```"), "$a = COMPUTE 1\n", &[said]);
}

#[test]
fn a_remark_in_our_spelling_does_not_make_it_another() {
    reads("$a = COMPUTE 1  # was: #E1 = Google[x]", "$a = COMPUTE 1  # was: #E1 = Google[x]", &[]);
    reads("$a = COMPUTE 1\n# 1. search(\"x\")", "$a = COMPUTE 1\n# 1. search(\"x\")", &[]);
}

#[test]
fn what_is_wrong_in_the_rewoo_spelling_is_said_with_its_line() {
    reads(
        "#E1 = Google[a",
        "$E1 = CALL Google(input: \"a\")\n",
        &["line 1: a bracket is not closed; the end of the line closes it"],
    );
    reads(
        "#E1 = Google[a], LLM[b]",
        "$E1 = CALL Google(input: \"a\")\n",
        &["line 1: several calls stand behind #E1; write one call a line, each with its own name"],
    );
    let codes = |text: &str| reported(text).diagnostics.iter().map(|d| d.code.clone()).collect::<Vec<_>>();
    assert_eq!(
        codes("#E1 = Gogle[a]\n#E2 = LLM[#E3]\n#E1 = LLM[#E2]"),
        ["unknown-tool", "undeclared-binding", "repeated-binding"]
    );
    assert_eq!(codes("#E1 = Google[a]\n#E2 = what is it"), ["unknown-tool", "plan-syntax"]);
    assert_eq!(codes("#E1 = Google[#E2]\n#E2 = LLM[#E1]"), ["cyclic-plan"]);
}

#[test]
fn the_numbered_spelling_becomes_a_plan_of_ours() {
    reads(
        "Question: how?\n1. search(\"cheetah, (fast)\")\n2. math(problem=\"half of $1 for $9?\", context=[\"$1\", 'a', 2, None])\nThought: done.\n3. join()<END_OF_PLAN>",
        "$s1 = CALL search(input: \"cheetah, (fast)\")\n$s2 = CALL math(problem: \"half of \" ~ $s1 ~ \" for $9?\", context: [$s1, \"a\", 2, null])\n",
        &[],
    );
    reads(
        "1. search(\"a\")\n2. math(\"b\", [\"$1\"]\n",
        "$s1 = CALL search(input: \"a\")\n$s2 = CALL math(input1: \"b\", input2: [$s1])\n",
        &["line 2: a bracket is not closed; the end of the line closes it"],
    );
    reads(
        "1. search(\"a\") 2. search(\"b\")",
        "$s1 = CALL search(input: \"a\")\n$s2 = CALL search(input: \"b\")\n",
        &["line 1: several calls stand on one line; each of the 2 is read as a step of its own"],
    );
    reads(
        "1. search(\"a\"), math(\"b\")",
        "$s1 = CALL search(input: \"a\")\n",
        &["line 1: several calls stand on one line; write one call a line, each with its number"],
    );
    reads(
        "1. math(search(\"a\"))",
        "$s1 = CALL math(input: \"search(\\\"a\\\")\")\n",
        &["line 1: `search(\"a\")` is a call inside a call, and is taken as a text; write it as a step of its own"],
    );
}

/// However the marks are dressed, the plan is the same, and nothing is said of it.
#[track_caller]
fn same(variants: &[&str], expected: &str) {
    for text in variants {
        reads(text, expected, &[]);
    }
}

#[test]
fn the_rewoo_spelling_is_read_in_other_dress() {
    let expected =
        "$E1 = CALL Google(input: \"a, b\")  # Find it.\n$E2 = CALL LLM(input: \"who is \" ~ $E1 ~ \"?\")  # Ask.\n";
    same(
        &[
            "Plan: Find it.\n#E1 = Google[a, b]\nPlan: Ask.\n#E2 = LLM[who is #E1?]",
            "Plan: Find it.\r\n#E1 = Google[a, b]\r\nPlan: Ask.\r\n#E2 = LLM[who is #E1?]\r\n",
            "Here is my plan:\n\n```\nPlan: Find it.\n#E1 = Google[a, b]\nPlan: Ask.\n#E2 = LLM[who is #E1?]\n```\nDone.",
            "Plan 1: Find it.\n\t#E1=Google[a, b]\nPlan 2: Ask.\n\t#E2=LLM[who is #E1?]",
            "- Plan: Find it.\n- #E1 = Google[a, b]\n- Plan: Ask.\n- #E2 = LLM[who is #E1?]",
            "**Plan:** Find it.\n**#E1** = Google[a, b]\n**Plan:** Ask.\n**#E2** = LLM[who is #E1?]",
            "* Plan: Find it.\n* `#E1 = Google[a, b]`\n* Plan: Ask.\n* `#E2 = LLM[who is #E1?]`",
            "1. Plan: x\nPlan: Find it.\n#E1: Google[a, b]\nPlan: Ask.\n#E2: LLM[who is #E1?]",
            "Plan：Find it.\n＃E1 ＝ Google［a, b］\nPlan：Ask.\n＃E2 ＝ LLM［who is ＃E1?］",
            "计划：Find it.\n#E1 = Google【a, b】\n计划2：Ask.\n#E2 = LLM【who is #E１?】",
            "Plan: Find it. #E1 = Google[a, b] Plan: Ask. #E2 = LLM[who is #E1?]",
            "Plan: Find it.\n#e1 := Google [\"a, b\"]\nPlan: Ask.\n#e2 := LLM [“who is #E1?”]",
            "Plan: Find it.\nE1 = Google[a, b]\nPlan: Ask.\nE2 = LLM[who is #E1?]",
            "Plan: Find it.\n#E1 = Google(\"a, b\")\nPlan: Ask.\n#E2 = LLM(\"who is #E1?\")",
            "Plan: Find it.\n#E1 = Google[a, b].\nPlan: Ask.\n#E2 = LLM[who is #E1?];",
            "> Plan: Find it.\n> #E1 = Google[a, b]\n> Plan: Ask.\n> #E2 = LLM[who is #E1?]",
        ],
        expected,
    );
    reads(
        "Plan: x\n#E1 = LLM[line one\nline two]\nPlan: y\n#E2 = LLM[#E1",
        "$E1 = CALL LLM(input: \"line one\\nline two\")  # x\n$E2 = CALL LLM(input: $E1)  # y\n",
        &["line 5: a bracket is not closed; the end of the line closes it"],
    );
    reads(
        "问题：谁赢了？\n计划：先查一下，然后 #E1 = Google[冠军]",
        "$E1 = CALL Google(input: \"冠军\")  # 先查一下，然后\n",
        &[],
    );
}

#[test]
fn the_numbered_spelling_is_read_in_other_dress() {
    let expected =
        "$s1 = CALL search(input: \"a, b\")\n$s2 = CALL math(problem: \"half of \" ~ $s1, context: [$s1, 2])\n";
    same(
        &[
            "1. search(\"a, b\")\n2. math(problem=\"half of $1\", context=[\"$1\", 2])\n3. join()",
            "1. search(\"a, b\")\r\n2. math(problem=\"half of $1\", context=[\"$1\", 2])\r\n3. join()<END_OF_PLAN>\r\n",
            "```python\n1) search('a, b')\n2) math(problem='half of ${1}', context=[$1, 2])\n3) join()\n```",
            "Thought: I look.\n1、search（“a, b”）\n2、math（problem＝“half of $1”，context＝［“$1”，2］）\n3、join（）",
            "- 1. search(\"a, b\")\n- 2. math(problem=\"half of $1\", context=[\"$1\", 2])\n- 3. join($1, $2)",
            "**1.** search(\"a, b\")\n**2.** math(problem=\"half of $1\", context=[\"$1\", 2])",
            "Step 1: search(\"a, b\")\nStep 2: math(problem: \"half of $1\", context: [\"$1\", 2])\nStep 3: join()",
            "第1步：search(\"a, b\")\n第２步：math(problem=\"half of ＄1\", context=[\"$1\", 2])",
            "## Plan\n1. **search**(\"a, b\")\n2. `math`(problem=\"half of $1\", context=[\"$1\", 2])",
            "(1) search(\"a, b\")\n(2) math(problem=\"half of $1\", context=[\"$1\", 2])",
            "1. `search(\"a, b\")`\n2. `math(problem=\"half of $1\", context=[\"$1\", 2])`",
            "$1 = search(\"a, b\")\n$2 = math(problem=\"half of $1\", context=[\"$1\", 2])",
            "\t1.\tsearch(\"a, b\")\n\t2.\tmath(\n\t\tproblem=\"half of $1\",\n\t\tcontext=[\"$1\", 2],\n\t)",
        ],
        expected,
    );
    reads(
        "1. search(Arthur's Magazine, first)",
        "$s1 = CALL search(input1: \"Arthur's Magazine\", input2: \"first\")\n",
        &[],
    );
    reads(
        "1. search(\"a\")\n2. math($1.name, x=$1[0].n, y=$1., z=\"$1.name\")",
        "$s1 = CALL search(input: \"a\")\n$s2 = CALL math(input: $s1.name, x: $s1[0].n, y: $s1 ~ \".\", z: $s1 ~ \".name\")\n",
        &[],
    );
    reads(
        "1. math({'a': $1, \"b\": [True]})",
        "$s1 = CALL math(input: {\"a\": $s1, \"b\": [true]})\n",
        &["$s1 uses itself: $s1 → $s1"],
    );
}

#[test]
fn calls_without_names_are_steps_in_their_order() {
    reads(
        "Search first.\nAction 1: Google[x]\nAction 2: LLM[y [z]]",
        "$E1 = CALL Google(input: \"x\")\n$E2 = CALL LLM(input: \"y [z]\")\n",
        &[],
    );
    reads(
        "Google[a], LLM[b] and also Google[c]",
        "$E1 = CALL Google(input: \"a\")\n$E2 = CALL LLM(input: \"b\")\n$E3 = CALL Google(input: \"c\")\n",
        &[
            "line 1: `and also` behind the call is left out",
            "line 1: several calls stand on one line; each of the 3 is read as a step of its own",
        ],
    );
}

/// The shared data, or a visible word that it is not there.
fn data(name: &str) -> Option<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let text = std::fs::read_to_string(shared.join("data/d_plans").join(name)).ok();
    if text.is_none() {
        println!("SKIPPED 1: data/d_plans/{name} is not there; set THROUGHLINE_SHARED");
    }
    text
}

fn rows(name: &str) -> Vec<Value> {
    let text = data(name).unwrap_or_default();
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| json::read_value(l).unwrap()).collect()
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_json(), |t| t.trim_start_matches('#').to_owned())
}

fn words(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_list).unwrap_or(&[]).iter().map(word).collect()
}

/// Compares tools, needs and waves with what a row expects; `id` names a step of ours as the row does.
fn agrees(row: &Value, plan: &Value, id: impl Fn(&str) -> String, left_out: impl Fn(&Value) -> bool) {
    let expected = row.get("expected").unwrap();
    let steps: Vec<&Value> =
        expected.get("steps").unwrap().as_list().unwrap().iter().filter(|s| !left_out(s)).collect();
    let tools: Vec<&str> = steps.iter().map(|s| s.get("tool").unwrap().as_str().unwrap()).collect();
    let report = check(plan, &scope(tools.iter().copied().filter(|t| *t != "var_result"))).1;
    let name = row.get("id").map(word).unwrap_or_default();
    assert_eq!(report.steps.len(), steps.len(), "{name}: {:?}\n{}", report.diagnostics, report.text);
    for (ours, theirs) in report.steps.iter().zip(&steps) {
        assert_eq!(id(&ours.id), word(theirs.get("id").unwrap()), "{name}");
        let mut needs: Vec<_> = ours.needs.iter().map(|n| id(n)).collect();
        let mut deps = words(theirs.get("deps"));
        needs.sort();
        deps.sort();
        assert_eq!(needs, deps, "{name} {}", ours.id);
        if ours.op == "CALL" {
            assert_eq!(ours.args.get("tool").unwrap().as_str(), theirs.get("tool").unwrap().as_str(), "{name}");
        }
        let mended = report.diagnostics.iter().any(|d| d.code == "plan-mended");
        let malformed = steps.iter().any(|s| s.get("well_formed").and_then(Value::as_bool) == Some(false));
        assert_eq!(mended, malformed, "{name}: a malformed row is reported, a well-formed one is not");
    }
    assert!(report.ok, "{name}: {:?}", report.diagnostics);
    let gone: Vec<String> = expected
        .get("steps")
        .unwrap()
        .as_list()
        .unwrap()
        .iter()
        .filter(|s| left_out(s))
        .map(|s| word(s.get("id").unwrap()))
        .collect();
    let waves: Vec<Vec<String>> = expected
        .get("waves")
        .unwrap()
        .as_list()
        .unwrap()
        .iter()
        .map(|w| words(Some(w)).into_iter().filter(|s| !gone.contains(s)).collect())
        .filter(|w: &Vec<String>| !w.is_empty())
        .collect();
    let ours: Vec<Vec<String>> = report.waves.iter().map(|w| w.iter().map(|s| id(s)).collect()).collect();
    assert_eq!(ours, waves, "{name}");
}

#[test]
fn every_rewoo_plan_of_the_shared_data_has_its_steps_needs_and_waves() {
    for file in ["rewoo_exemplars.jsonl", "rewoo_real_model.jsonl"] {
        for row in rows(file) {
            agrees(&row, row.get("text").unwrap(), str::to_owned, |_| false);
        }
    }
}

#[test]
fn every_numbered_plan_of_the_shared_data_has_its_steps_needs_and_waves() {
    for file in ["llmcompiler_exemplars.jsonl", "llmcompiler_real_model.jsonl"] {
        for row in rows(file) {
            let join = |step: &Value| step.get("tool").and_then(Value::as_str) == Some("join");
            agrees(&row, row.get("text").unwrap(), |id| id.trim_start_matches('s').to_owned(), join);
        }
    }
}

#[test]
fn every_list_of_calls_of_the_shared_data_has_its_steps_needs_and_waves() {
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for row in rows("nestful_executable.jsonl") {
        let expected = row.get("expected").unwrap();
        let valid = expected.get("valid_plan").and_then(Value::as_bool) == Some(true);
        if valid {
            agrees(&row, row.get("plan").unwrap(), str::to_owned, |_| false);
            *kinds.entry("valid").or_default() += 1;
        } else {
            let tools: Vec<String> = expected
                .get("steps")
                .unwrap()
                .as_list()
                .unwrap()
                .iter()
                .map(|s| word(s.get("tool").unwrap()))
                .collect();
            let report = check(row.get("plan").unwrap(), &scope(tools.iter().map(String::as_str))).1;
            assert!(!report.ok, "{}: {}", row.get("id").unwrap().to_json(), report.text);
            *kinds.entry("wrong").or_default() += 1;
        }
    }
    println!("lists of calls: {kinds:?}");
}

#[test]
fn every_line_of_bracket_calls_is_one_call_or_is_reported() {
    for row in rows("tool_bracket_lines.jsonl") {
        let text = row.get("text").unwrap().as_str().unwrap();
        let calls = row.get("calls").unwrap().as_list().unwrap();
        let report = check(&format!("#E1 = {text}").into(), &scope(["Search", "Lookup", "Finish"])).1;
        // As it stands, it is as many steps as it has calls.
        let bare = check(&text.into(), &scope(["Search", "Lookup", "Finish"])).1;
        assert!(bare.ok, "{text}: {:?}", bare.diagnostics);
        let ours: Vec<_> = bare.steps.iter().map(|s| s.args.get("tool").unwrap().as_str().unwrap()).collect();
        let theirs: Vec<_> = calls.iter().map(|c| c.get("tool").unwrap().as_str().unwrap()).collect();
        assert_eq!(ours, theirs, "{text}");
        assert_eq!(bare.waves.len(), 1, "they need nothing of each other");
        let said = bare.diagnostics.iter().any(|d| d.message.contains("several calls"));
        assert_eq!(said, calls.len() > 1, "{text}");
        if calls.len() > 1 {
            assert!(report.diagnostics.iter().any(|d| d.message.contains("several calls")), "{text}");
            continue;
        }
        assert!(report.ok, "{text}: {:?}", report.diagnostics);
        let arg = calls[0].get("arg").unwrap().as_str().unwrap();
        let ours = report.steps[0].args.get("arguments").unwrap().get("input").unwrap().as_str().unwrap().to_owned();
        let plain = arg.trim().trim_matches('"');
        assert!(ours == arg.trim() || ours == plain, "{text}: {ours}");
    }
}

#[test]
fn every_row_of_substitutions_comes_out_as_expected() {
    for row in rows("rewoo_substitution.jsonl") {
        let input = row.get("input").unwrap();
        match row.get("kind").unwrap().as_str().unwrap() {
            "substitute" => {
                let mut plan = Vec::new();
                for (name, _) in row.get("bindings").unwrap().as_map().unwrap() {
                    plan.push(call(name, "echo", &"x".into()));
                }
                plan.push(call("#E99", "echo", input));
                let report = check(&Value::List(plan), &scope(["echo"])).1;
                assert!(report.ok, "{:?}", report.diagnostics);
                // What the expressions of the last step give is compared with the row.
                let mut env = throughline_expr::MapEnv::new();
                for (name, value) in row.get("bindings").unwrap().as_map().unwrap() {
                    env.set(format!("${}", name.trim_start_matches('#')), value.clone());
                }
                let arguments = report.steps.last().unwrap().args.get("arguments").unwrap().as_map().unwrap().clone();
                let value = |v: &Value| match v.as_str() {
                    Some(text) if text.starts_with(['=', '$']) => {
                        throughline_expr::Expr::parse(text.trim_start_matches('=')).unwrap().eval(&env).unwrap()
                    }
                    _ => v.clone(),
                };
                let got: Value = match row.get("expected").unwrap() {
                    Value::Text(_) => value(&arguments["input"]),
                    _ => Value::Map(arguments.iter().map(|(k, v)| (k.clone(), value(v))).collect()),
                };
                assert_eq!(got, *row.get("expected").unwrap());
            }
            "parse_json_plan" => {
                let report = check(input, &scope(["calculator__subtract", "internet_search"])).1;
                match row.get("expected_waves") {
                    None => assert!(!report.ok),
                    Some(waves) => {
                        assert!(report.ok, "{:?}", report.diagnostics);
                        let waves: Vec<_> = waves.as_list().unwrap().iter().map(|w| words(Some(w))).collect();
                        assert_eq!(report.waves, waves);
                    }
                }
            }
            "parse_tool_input" => {
                let report = check(&format!("#E1 = echo[{}]", input.as_str().unwrap()).into(), &scope(["echo"])).1;
                let arguments = report.steps[0].args.get("arguments").unwrap();
                let expected = row.get("expected").unwrap();
                let got = if expected.as_map().is_some() { Some(arguments) } else { arguments.get("input") };
                assert_eq!(got, Some(expected));
            }
            other => panic!("a kind of row that is not known: {other}"),
        }
    }
}

fn call(id: &str, tool: &str, input: &Value) -> Value {
    let evidence =
        Value::from([("placeholder", Value::from(id)), ("tool", tool.into()), ("tool_input", input.clone())]);
    Value::from([("plan", Value::from("p")), ("evidence", evidence)])
}
