//! The one value of a reply.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test may fail")]

use throughline_model::structured::{Rules, Structured, Unusable, read, read_reply};
use throughline_model::{Ending, Reply, Usage};
use throughline_value::{Value, json};

fn schema(text: &str) -> Value {
    json::read_value(text).unwrap()
}

fn outcome(found: Result<Structured, Unusable>) -> Result<String, String> {
    found.map(|s| s.value.to_json()).map_err(|e| {
        let places: Vec<String> = e.problems.iter().map(|p| format!(" {}", p.path)).collect();
        format!("{}{}", e.code, places.concat())
    })
}

#[track_caller]
fn check(text: &str, shape: &str, expected: Result<&str, &str>) {
    let got = outcome(read(text, &schema(shape), Rules::default()));
    assert_eq!(got, expected.map(str::to_owned).map_err(str::to_owned), "{text}");
}

const MEMORY: &str = r#"{"type":"object","properties":{"memory":{"type":"array"}},"required":["memory"]}"#;
const SCORE: &str = r#"{"type":"object","properties":{"score":{"enum":[1,2,3,4,5]},"label":{"type":"string"}},"required":["score","label"]}"#;

#[test]
fn the_value_is_found_after_prose_that_contains_braces_and_the_prose_is_named() {
    let text = "I used the set {a, b} as keys.\nResult: {\"memory\":[{\"text\":\"likes tea\"}]}\nDone {ok}.";
    let found = read(text, &schema(MEMORY), Rules::default()).unwrap();
    assert_eq!(found.value.to_json(), r#"{"memory":[{"text":"likes tea"}]}"#);
    assert_eq!(&text[found.span.start..found.span.end], found.value.to_json());
    let named: Vec<&str> = found.diagnostics.iter().map(|d| &text[d.span.start..d.span.end]).collect();
    assert_eq!(named, ["I used the set", "{a, b}", "as keys.\nResult:", "Done", "{ok}", "."]);
    assert!(!found.repaired && found.coercions.is_empty());
}

#[test]
fn the_schema_sent_back_is_refused_under_its_own_code() {
    let echo = r#"{"$defs":{"Entity":{"type":"object"}},"properties":{"entities":{"type":"array"}},"required":["entities"],"type":"object"}"#;
    check(echo, r#"{"type":"object","required":["entities"]}"#, Err("schema-echoed"));
    check(echo, echo, Err("schema-echoed"));
    check(echo, r#"{"type":"object"}"#, Err("schema-echoed"));
    check(&format!("```json\n{echo}\n```"), r#"{"type":"object","required":["entities"]}"#, Err("schema-echoed"));
    check(
        &format!("{echo}\n{{\"entities\":[]}}"),
        r#"{"type":"object","required":["entities"]}"#,
        Ok(r#"{"entities":[]}"#),
    );
}

#[test]
fn a_wrapper_and_a_number_as_text_are_coerced_visibly_and_never_in_strict_mode() {
    check(r#"{"result":{"score":"3","label":"ok"}}"#, SCORE, Ok(r#"{"score":3,"label":"ok"}"#));
    check(r#"{"score":3.0,"label":"ok"}"#, SCORE, Ok(r#"{"score":3,"label":"ok"}"#));
    check(r#"{"score":"三","label":"ok"}"#, SCORE, Err("schema-mismatch /score"));
    check(r#"{"score":9,"label":"ok"}"#, SCORE, Err("schema-mismatch /score"));
    let codes = |text: &str| -> Vec<&str> {
        read(text, &schema(SCORE), Rules::default()).unwrap().coercions.iter().map(|c| c.code).collect()
    };
    assert_eq!(codes(r#"{"result":{"score":"3","label":"ok"}}"#), ["unwrapped", "text-to-number"]);
    assert_eq!(codes(r#"{"score":3.0,"label":"ok"}"#), ["respelled"]);
    let nine = read(r#"{"score":9,"label":"ok"}"#, &schema(SCORE), Rules::default()).unwrap_err();
    assert_eq!(nine.problems[0].allowed.len(), 5);
    assert!(nine.advice().contains("at /score: 9 is not one of 1, 2, 3, 4, 5"));
    let strict = Rules { strict: true, complete: true };
    assert_eq!(
        read(r#"{"result":{"score":"3","label":"ok"}}"#, &schema(SCORE), strict).unwrap_err().code,
        "schema-mismatch"
    );
    assert_eq!(
        read(r#"{"score":3.0,"label":"ok"}"#, &schema(SCORE), strict).unwrap().value.to_json(),
        r#"{"score":3.0,"label":"ok"}"#
    );
}

#[test]
fn an_optional_field_that_is_null_is_dropped_visibly_and_a_list_item_never() {
    let shape =
        r#"{"type":"object","properties":{"a":{"type":"string"},"l":{"type":"array","items":{"type":"string"}}}}"#;
    check(r#"{"a":null}"#, shape, Ok("{}"));
    check(r#"{"l":["x",null]}"#, shape, Err("schema-mismatch /l/1"));
    check(r#"{"l":["x",7]}"#, shape, Ok(r#"{"l":["x","7"]}"#));
}

#[test]
fn valid_json_is_taken_as_it_is_and_never_enters_repair() {
    for text in [
        r#"{"a":"x: {y}","b":"[z] // not a comment","c":"https://example.org/#top"}"#,
        r#"{"price":91.70,"big":9007199254740993,"e":1e400}"#,
        r#"{"text":"<think>no</think> ```json"}"#,
        r#"[1,2.50,"\u4e2d"]"#,
        "42",
    ] {
        let found = read(text, &schema("{}"), Rules::default()).unwrap();
        assert!(!found.repaired && found.diagnostics.is_empty() && found.coercions.is_empty());
        assert_eq!(found.value, json::read_value(text).unwrap());
        assert_eq!(found.thinking, "");
    }
    check(r#"{"price":91.70}"#, "{}", Ok(r#"{"price":91.70}"#));
}

#[test]
fn fences_and_thinking_are_taken_off_and_thinking_is_kept_apart() {
    check("```json\n{\"memory\":[]}\n```", MEMORY, Ok(r#"{"memory":[]}"#));
    let text = "<think>{\"memory\":[\"draft\"]} or {\"memory\":[1]}</think>\n{\"memory\":[\"tea\"]}";
    let found = read(text, &schema(MEMORY), Rules::default()).unwrap();
    assert_eq!(found.value.to_json(), r#"{"memory":["tea"]}"#);
    assert_eq!(found.thinking, "{\"memory\":[\"draft\"]} or {\"memory\":[1]}");
    let headless = read("so, {\"memory\":[1]}?</think>{\"memory\":[2]}", &schema(MEMORY), Rules::default()).unwrap();
    assert_eq!(
        (headless.value.to_json().as_str(), headless.thinking.as_str()),
        (r#"{"memory":[2]}"#, "so, {\"memory\":[1]}?")
    );
    check("<think>{\"memory\":[1]}", MEMORY, Err("no-json"));
    for (open, close) in [
        ("<thought>", "</thought>"),
        ("<reasoning>", "</reasoning>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ] {
        let text = format!("{open}{{\"memory\":[1]}}{close}{{\"memory\":[2]}}");
        let found = read(&text, &schema(MEMORY), Rules::default()).unwrap();
        assert_eq!(
            (found.value.to_json().as_str(), found.thinking.as_str()),
            (r#"{"memory":[2]}"#, r#"{"memory":[1]}"#)
        );
        check(&format!("{open}{{\"memory\":[1]}}"), MEMORY, Err("no-json"));
    }
}

#[test]
fn a_refusal_in_words_never_becomes_data() {
    check("I can't help with that.", "{}", Err("no-json"));
    check("", "{}", Err("no-json"));
    check("I can't help with that.", r#"{"type":"string"}"#, Err("no-json"));
}

#[test]
fn two_different_values_that_fit_are_ambiguous_and_the_same_one_twice_is_not() {
    check(r#"{"memory":[1]} or {"memory":[2]}"#, MEMORY, Err("ambiguous-json"));
    check(r#"{"memory":[1]} so {"memory":[1.0]}"#, MEMORY, Ok(r#"{"memory":[1.0]}"#));
    check(r#"{"other":1} {"memory":[2]}"#, MEMORY, Ok(r#"{"memory":[2]}"#));
}

#[test]
fn a_single_candidate_is_repaired_and_every_repair_is_named() {
    let repairs = |text: &str| -> (String, Vec<&str>) {
        let found = read(text, &schema("{}"), Rules::default()).unwrap();
        assert!(found.repaired);
        (found.value.to_json(), found.diagnostics.iter().map(|d| d.code).collect())
    };
    assert_eq!(repairs("{\"a\": 1,}"), (r#"{"a":1}"#.into(), vec!["trailing-comma"]));
    assert_eq!(repairs("{'a': True}"), (r#"{"a":true}"#.into(), vec!["quote", "other-word"]));
    assert_eq!(repairs("{a: 1}"), (r#"{"a":1}"#.into(), vec!["bare-name"]));
    assert_eq!(repairs("{“a”：“值”}"), (r#"{"a":"值"}"#.into(), vec!["quote", "wide-mark", "quote"]));
    assert_eq!(repairs("{\"a\": \"say \"hi\" now\"}").0, r#"{"a":"say \"hi\" now"}"#);
    assert_eq!(
        repairs("{\"u\": \"https://x.org\", // note\n \"b\": 2}"),
        (r#"{"u":"https://x.org","b":2}"#.into(), vec!["comment"])
    );
    assert_eq!(repairs("{\"a\": [1, 2 "), (r#"{"a":[1,2]}"#.into(), vec!["closed-at-end", "closed-at-end"]));
    assert_eq!(
        repairs(r#"{"a": ["x"}, "b": (1, 2), "c": TRUE, "d": New York}"#),
        (
            r#"{"a":["x"],"b":[1,2],"c":true,"d":"New York"}"#.into(),
            vec!["wrong-bracket", "other-brackets", "other-word", "bare-text"],
        )
    );
    assert_eq!(
        repairs("{\"n\": .25, \"m\": 82_461}"),
        (r#"{"n":0.25,"m":82461}"#.into(), vec!["other-number", "other-number"])
    );
    assert_eq!(repairs("{\"a\": \"x\ny\"}").0, r#"{"a":"x\ny"}"#);
}

#[test]
fn a_part_of_a_broken_value_is_never_taken_for_the_value() {
    check(r#"{"key1": [1, {"memory": [2]}, "key2": oops]"#, MEMORY, Err("invalid-json"));
    // Closed too early: all of it or nothing.
    check(r#"{"key": "value"}, "key2": "value2"}"#, "{}", Ok(r#"{"key":"value","key2":"value2"}"#));
    check(r#"{"key": "value"}, "key2": oops"#, "{}", Err("invalid-json"));
    check("(I cannot help with that.)", "{}", Err("no-json"));
    check("(1, 2)", r#"{"type": "array"}"#, Ok("[1,2]"));
    check(r#"{"memory": [1], "why": {"memory": [2]}, oops"#, MEMORY, Err("invalid-json"));
    check(r#"{say "hi} Result: {"memory":[1]}"#, MEMORY, Ok(r#"{"memory":[1]}"#));
}

#[test]
fn what_may_have_been_cut_off_is_never_repaired() {
    check(r#"{"n": 2"#, "{}", Err("invalid-json"));
    check(r#"{"ok": tru"#, "{}", Err("invalid-json"));
    check(r#"{"a": "half"#, "{}", Err("invalid-json"));
    let cut = Rules { strict: false, complete: false };
    assert_eq!(read("{\"a\": [1, 2 ", &schema("{}"), cut).unwrap_err().code, "invalid-json");
    let reply = |ending: Ending| Reply {
        text: r#"{"memory":[]}"#.into(),
        thinking: String::new(),
        refusal: String::new(),
        tool_calls: vec![],
        ending,
        usage: Usage::default(),
        retry_after: None,
    };
    assert_eq!(outcome(read_reply(&reply(Ending::Done), &schema(MEMORY), false)), Ok(r#"{"memory":[]}"#.into()));
    assert_eq!(outcome(read_reply(&reply(Ending::Truncated), &schema(MEMORY), false)), Err("reply-truncated".into()));
    assert_eq!(
        outcome(read_reply(&reply(Ending::Interrupted), &schema(MEMORY), false)),
        Err("reply-interrupted".into())
    );
}

#[test]
fn deep_and_long_texts_are_refused_without_harm() {
    for text in ["[".repeat(200_000), "{\"a\":".repeat(100_000), "{ ".repeat(50_000), "\"".repeat(100_001)] {
        assert!(read(&text, &schema("{}"), Rules::default()).is_err());
    }
}

#[test]
fn what_is_not_checked_in_a_schema_is_said() {
    let ahead = schema(r#"{"properties":{"id":{"pattern":"^(?=S)"}}}"#);
    let found = read(r#"{"id":"x"}"#, &ahead, Rules::default()).unwrap();
    assert_eq!(found.diagnostics[0].code, "schema-not-checked");
    assert!(found.diagnostics[0].message.contains("/properties/id/pattern"));
}

#[test]
fn patterns_formats_conditions_and_what_depends_on_each_other_are_checked() {
    let problems = |value: &str, full: &str| -> Vec<(&'static str, String)> {
        let found = throughline_model::schema::problems(&schema(value), &schema(full));
        found.into_iter().map(|p| (p.code, p.path)).collect()
    };
    let one = |code: &'static str, path: &str| vec![(code, path.to_owned())];
    assert_eq!(problems(r#""XF1""#, r#"{"pattern": "^SF\\d+$"}"#), one("no-match", ""));
    assert_eq!(problems(r#""SF١""#, r#"{"pattern": "^SF\\d+$"}"#), one("no-match", ""));
    assert_eq!(problems(r#""SF1""#, r#"{"pattern": "^SF\\d+$"}"#), []);
    assert_eq!(
        problems(r#"{"at": "2026-02-30"}"#, r#"{"properties": {"at": {"format": "date"}}}"#),
        one("wrong-format", "/at")
    );
    assert_eq!(problems(r#"{"paid": true}"#, r#"{"dependentRequired": {"paid": ["by"]}}"#), one("missing-field", ""));
    assert_eq!(problems(r#"{"A": 1}"#, r#"{"propertyNames": {"pattern": "^[a-z]+$"}}"#), one("unknown-field", "/A"));
    assert_eq!(problems("[1, 2]", r#"{"contains": {"type": "string"}}"#), one("too-few", ""));
    assert_eq!(problems(r#"["a", "b"]"#, r#"{"contains": {"type": "string"}, "maxContains": 1}"#), one("too-many", ""));
    let when = r#"{"if": {"properties": {"kind": {"const": "refund"}}, "required": ["kind"]}, "then": {"required": ["amount"]}}"#;
    assert_eq!(problems(r#"{"kind": "refund"}"#, when), one("missing-field", ""));
    assert_eq!(problems(r#"{"kind": "watch"}"#, when), []);
}

#[test]
fn no_text_harms_the_reader_and_what_it_gives_fits_the_schema() {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "\"",
        "'",
        "“",
        "”",
        ":",
        ",",
        "：",
        "，",
        "\\",
        "\\u00",
        "\n",
        " ",
        "a",
        "中",
        "1",
        "-",
        ".",
        "true",
        "None",
        "...",
        "//",
        "/*",
        "*/",
        "#",
        "```",
        "<think>",
        "</think>",
        "\"memory\"",
        "\"memory\":[1]",
        "{\"memory\":[]}",
    ];
    let shape = schema(MEMORY);
    let mut state = 3u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut taken, mut repaired) = (0, 0);
    for _ in 0..20_000 {
        let text: String = (0..1 + random(24)).map(|_| pieces[random(pieces.len())]).collect();
        for complete in [true, false] {
            let Ok(found) = read(&text, &shape, Rules { strict: false, complete }) else { continue };
            assert!(throughline_model::schema::problems(&found.value, &shape).is_empty(), "{text}");
            assert!(!found.repaired || (complete && json::read_value(&text).is_err()), "{text}");
            assert!(text.is_char_boundary(found.span.start) && text.is_char_boundary(found.span.end), "{text}");
            let inside = |d: &throughline_model::structured::Diagnostic| text.get(d.span.start..d.span.end).is_some();
            assert!(found.diagnostics.iter().all(inside), "{text}: {:?}", found.diagnostics);
            taken += 1;
            repaired += usize::from(found.repaired);
        }
    }
    assert!(taken > 500 && repaired > 5, "{taken} taken, {repaired} repaired");
}

#[test]
fn what_stands_beside_a_refusal_is_no_data_in_either_language() {
    let schema = json::read_value(r#"{"type":"object"}"#).unwrap();
    let check = |text: &str, expected: &str| {
        for schema in [&schema, &Value::Null] {
            let got = match read(text, schema, Rules::default()) {
                Ok(found) => found.value.to_json(),
                Err(bad) => bad.code.to_owned(),
            };
            assert_eq!(got, expected, "{text}");
        }
    };
    for text in [
        r#"I can't help with {"a":1}"#,
        r#"I’m sorry, but I can’t assist with that. {"a":1}"#,
        "I cannot comply with this.\n```json\n{\"a\":1}\n```",
        r#"I cannot provide {"a":1} as you ask."#,
        r#"{"a":1} is what you want, but I can't help with that."#,
        "I can't help with {a:1}",
        "I can't help with [1, 2]",
        r#"抱歉，我不能帮您处理 {"a":1}"#,
        r#"我无法提供{"a":1}。"#,
    ] {
        check(text, "refused-in-words");
    }
    for text in [
        r#"I can help with that: {"a":1}"#,
        r#"I cannot find a date in the text, so: {"a":1}"#,
        r#"I'm sorry for the mistake. {"a":1}"#,
        r#"The user says "I can't help it". {"a":1}"#,
        r#"<think>I can't help with that? I can.</think>{"a":1}"#,
        r#"{"a":1}"#,
        r#"用户无法提供订单号。{"a":1}"#,
    ] {
        check(text, r#"{"a":1}"#);
    }
    check(r#"{"text":"I can't help with that."}"#, r#"{"text":"I can't help with that."}"#);
}

#[test]
fn alternatives_inside_alternatives_take_no_time_without_end() {
    let down = r##"{"type":"object","required":["c"],"properties":{"c":{"$ref":"#/$defs/n"}}}"##;
    let tree = schema(&format!(
        r##"{{"$defs":{{"n":{{"anyOf":[{{"type":"integer"}},{down},{down},{down}]}}}},"$ref":"#/$defs/n"}}"##
    ));
    let nested = |leaf: &str| format!("{}{leaf}{}", "{\"c\":".repeat(24), "}".repeat(24));
    let began = std::time::Instant::now();
    assert!(read(&nested("7"), &tree, Rules::default()).is_ok());
    let bad = read(&nested("true"), &tree, Rules::default()).unwrap_err();
    assert_eq!((bad.code, bad.problems[0].code), ("schema-mismatch", "schema-too-costly"));
    let not = schema(&format!(
        r##"{{"not":{{"$ref":"#/$defs/n"}},"$defs":{{"n":{0}}}}}"##,
        tree.at(&["$defs", "n"]).unwrap().to_json()
    ));
    assert!(read(&nested("true"), &not, Rules::default()).is_err());
    // One way down is walked once a level, and its problems are named.
    let chain = schema(
        r##"{"anyOf":[{"type":"integer"},{"type":"object","properties":{"c":{"$ref":"#"}},"required":["c"]}]}"##,
    );
    let bad = read(&nested("true"), &chain, Rules::default()).unwrap_err();
    assert!(bad.problems.iter().any(|p| p.code == "wrong-type"), "{bad}");
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn a_reduced_schema_allows_what_the_full_one_allows() {
    let full = schema(
        r##"{"type":"object","properties":{"x":{"type":"object","patternProperties":{"^n":{"type":"integer"}},"additionalProperties":false},
            "s":{"type":"string","minLength":2,"pattern":"^a"},"t":{"$ref":"#"},"o":{"oneOf":[{"type":"null"},{"type":"integer","minimum":3}]}},
            "if":{"required":["s"]},"then":{"required":["o"]},"additionalProperties":false}"##,
    );
    let reduced = throughline_model::schema::reduce(&full);
    assert_eq!(throughline_model::schema::close(&reduced), None, "an open object cannot be closed");
    for value in [r#"{"x":{"n1":1}}"#, r#"{"s":"ab","o":null}"#, r#"{"t":{"t":{"o":7}}}"#, "{}"] {
        let value = schema(value);
        assert_eq!(throughline_model::schema::problems(&value, &full), [], "{}", value.to_json());
        assert_eq!(throughline_model::schema::problems(&value, &reduced), [], "{}", value.to_json());
    }
}
