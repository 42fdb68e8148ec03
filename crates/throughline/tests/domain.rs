//! A domain is checked as a whole: every problem in one pass, each with code, place and what would work.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use throughline::Local;
use throughline::protocol::Refusal;
use throughline::value::{Value, json};

fn load(domain: &str) -> Result<(), Refusal> {
    let mut session = Local::new("domain", 1_770_000_000_000);
    session.execute(&format!(r#"{{"type": "load_domain", "domain": {domain}}}"#)).map(drop)
}

fn problems(refusal: &Refusal) -> Vec<(String, String)> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let list = refusal.details.get("problems").and_then(Value::as_list).unwrap();
    list.iter().map(|one| (text(one, "code"), text(one, "path"))).collect()
}

/// `domain` has exactly one problem, of this code at this place; `hint` is in what is suggested.
#[track_caller]
fn check(domain: &str, code: &str, path: &str, hint: &str) {
    let text = format!(r#"{{"name": "d", {domain}}}"#);
    let refusal = load(&text).unwrap_err();
    assert_eq!(refusal.code, "domain-broken", "{refusal}");
    assert_eq!(problems(&refusal), [(code.to_owned(), format!("/domain{path}"))], "{refusal}");
    let suggestion = refusal.suggestion.clone().unwrap_or_default();
    assert!(suggestion.contains(hint), "{suggestion}");
    // The bytes are those of the value, within the command's text.
    let command = format!(r#"{{"type": "load_domain", "domain": {text}}}"#);
    let span = refusal.span.unwrap_or_else(|| panic!("{refusal} has no bytes"));
    let part = command.get(span.start..span.end).unwrap();
    assert!(json::read(part).is_ok(), "{part}");
}

#[test]
fn the_form_is_checked_with_the_nearest_name() {
    check(r#""factz": {}"#, "unknown-field", "/factz", "`facts`");
    check(r#""facts": {"a": {"cardinallity": "one"}}"#, "unknown-field", "/facts/a/cardinallity", "`cardinality`");
    check(r#""facts": {"a": {"cardinality": "mony"}}"#, "not-in-enum", "/facts/a/cardinality", "`many`");
    check(r#""facts": {"a": {"value": {"type": "decimel"}}}"#, "not-in-enum", "/facts/a/value/type", "`decimal`");
    check(r#""relations": {"r": {"below_floor": "dropp"}}"#, "not-in-enum", "/relations/r/below_floor", "`drop`");
    check(r#""tools": {"t": {"effect": "wirte"}}"#, "not-in-enum", "/tools/t/effect", "`write`");
    check(r#""tools": {"t": {"approval": "yes"}}"#, "wrong-type", "/tools/t/approval", "");
    check(r#""agent": {"confidence": 1.5}"#, "too-large", "/agent/confidence", "");
    check(r#""agent": {"retries": 100}"#, "too-large", "/agent/retries", "");
    check(r#""entity_types": {"e": {"normalise": ["trimm"]}}"#, "not-in-enum", "/entity_types/e/normalise/0", "`trim`");
}

#[test]
fn what_parts_say_of_each_other_is_checked() {
    check(r#""languages": ["english!"]"#, "bad-language", "/languages/0", "");
    check(r#""description": {"xx-": "a"}"#, "bad-language", "/description/xx-", "");
    check(
        r#""relations": {"r": {"from": ["ordr"]}}, "entity_types": {"order": {}}"#,
        "unknown-name",
        "/relations/r/from/0",
        "`order`",
    );
    check(r#""relations": {"r": {"ttl": "soon"}}"#, "bad-duration", "/relations/r/ttl", "");
    check(r#""entity_types": {"order": {"id_pattern": "A-("}}"#, "bad-pattern", "/entity_types/order/id_pattern", "");
    check(r#""facts": {"a": {"said_by": ["usr"]}}"#, "not-in-enum", "/facts/a/said_by/0", "`user`");
    check(r#""facts": {"a": {"value": {"type": "reference", "to": "x"}}}"#, "unknown-name", "/facts/a/value/to", "");
    check(r#""facts": {"a": {"value": {"type": "text", "to": "x"}}}"#, "misplaced", "/facts/a/value/to", "");
    check(r#""facts": {"a": {"value": {"type": "enum"}}}"#, "no-values", "/facts/a/value", "");
    check(
        r#""facts": {"a": {"value": {"type": "integer", "values": [1, "x"]}}}"#,
        "wrong-type",
        "/facts/a/value/values/1",
        "",
    );
    check(r#""facts": {"a": {"value": {"type": "text", "unit": "kg"}}}"#, "misplaced", "/facts/a/value/unit", "");
    check(
        r#""facts": {"budget": {}}, "constraints": [{"name": "c", "rule": "facts.bugdet > 1"}]"#,
        "unknown-name",
        "/constraints/0/rule",
        "`budget`",
    );
    check(r#""constraints": [{"name": "c", "rule": "1 + 2"}]"#, "not-boolean", "/constraints/0/rule", "");
    check(r#""constraints": [{"name": "c", "rule": "1 +"}]"#, "bad-expression", "/constraints/0/rule", "");
    check(r#""tools": {"t": {"schema": {"type": "array"}}}"#, "bad-schema", "/tools/t/schema/type", "");
    check(
        r#""tools": {"t": {"schema": {"type": "object", "properties": {"a": {"type": "text"}}}}}"#,
        "bad-schema",
        "/tools/t/schema/properties/a/type",
        "",
    );
    check(r#""tools": {"t": {"states": ["OPEN"]}}"#, "no-machine", "/tools/t/states/0", "");
    check(r#""sources": {"s": {"tool": "t"}}"#, "unknown-name", "/sources/s/tool", "");
    check(r#""answers": {"a": {"template": {"en": "{{ facts.x }"}}}"#, "bad-template", "/answers/a/template/en", "");
    check(r#""patterns": {"p": {"regex": "a(b)(c)"}}"#, "bad-pattern", "/patterns/p/regex", "");
    check(r#""intents": {"i": {"answer": "a"}}"#, "unknown-name", "/intents/i/answer", "");
    check(r#""zone": "+25:00""#, "unknown-zone", "/zone", "");
}

#[test]
fn commands_of_actions_and_events_are_checked_against_what_is_declared() {
    let action = |command: &str| {
        format!(
            r#""facts": {{"budget": {{"value": {{"type": "integer"}}}}}}, "entity_types": {{"order": {{"fields": {{"price": {{}}}}}}}}, "actions": {{"a": {{"commands": [{command}]}}}}"#
        )
    };
    let at = "/actions/a/commands/0";
    check(&action(r#"{"type": "assert_facts"}"#), "unknown-command", &format!("{at}/type"), "`assert_fact`");
    check(
        &action(r#"{"type": "assert_fact", "key": "bugdet", "value": 1}"#),
        "unknown-name",
        &format!("{at}/key"),
        "`budget`",
    );
    check(
        &action(r#"{"type": "assert_fact", "key": "budget", "value": "x"}"#),
        "wrong-type",
        &format!("{at}/value"),
        "",
    );
    check(
        &action(r#"{"type": "register_entity", "entity_type": "order", "raw_id": "1", "fields": {"prise": 1}}"#),
        "unknown-name",
        &format!("{at}/fields/prise"),
        "`price`",
    );
    check(
        &action(r#"{"type": "assert_fact", "key": "budget", "value": "=facts.bugdet"}"#),
        "unknown-name",
        &format!("{at}/value"),
        "`budget`",
    );
    let later =
        r#"{"type": "schedule_event", "name": "e", "delay": "PT1H", "do": [{"type": "retract_fact", "key": "x"}]}"#;
    check(&action(later), "unknown-name", &format!("{at}/do/0/key"), "");
    load(&format!(r#"{{"name": "d", {}}}"#, action(r#"{"type": "assert_fact", "key": "budget", "value": "=args.n"}"#)))
        .unwrap();
}

#[test]
fn all_problems_come_in_one_pass_with_the_machines_among_them() {
    let refusal = load(
        r#"{"name": "", "languages": ["e"], "facts": {"a": {"cardinality": "two"}, "b": {"value": {"type": "enum"}}},
        "constraints": [{"name": "c", "rule": "facts.z"}], "tols": {}, "machine": {"id": "m", "initial": "A",
        "states": {"A": {"on": {"GO": "B"}}}}}"#,
    )
    .unwrap_err();
    let found = problems(&refusal);
    for path in ["/name", "/languages/0", "/facts/a/cardinality", "/facts/b/value", "/constraints/0/rule", "/tols"] {
        assert!(found.iter().any(|(_, at)| *at == format!("/domain{path}")), "{path} is not in {found:?}");
    }
    assert!(found.iter().any(|(_, at)| at.starts_with("/domain/machine")), "{found:?}");
    assert!(refusal.message.contains(&format!("{} more", found.len() - 1)), "{}", refusal.message);
}

#[test]
fn a_refused_domain_leaves_the_one_before_it() {
    let mut session = Local::new("domain", 1_770_000_000_000);
    session.execute(r#"{"type": "load_domain", "domain": {"name": "one"}}"#).unwrap();
    session.execute(r#"{"type": "load_domain", "domain": {"name": "two", "factz": {}}}"#).unwrap_err();
    assert_eq!(session.query(r#"{"type": "domain"}"#).unwrap().get("name").unwrap().as_str(), Some("one"));
}
