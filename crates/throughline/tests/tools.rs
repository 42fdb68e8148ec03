//! Tools for models: one description, every provider's shape, and the way back through the common door.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use throughline::Local;
use throughline::protocol::Refusal;
use throughline::value::{Value, json};

const NOW: i64 = 1_770_000_000_000;

const DOMAIN: &str = r#"{"type": "load_domain", "domain": {
  "name": "shop",
  "entity_types": {"order": {"fields": {"price": {"type": "decimal", "unit": "USD"}, "status": {"type": "enum", "values": ["open", "paid"]}}}},
  "relations": {"bought_by": {"from": ["order"]}},
  "facts": {"budget": {"value": {"type": "decimal"}}},
  "machine": {"id": "m", "initial": "OPEN", "states": {"OPEN": {"on": {"PAY": "PAID"}}, "PAID": {}}},
  "constraints": [{"name": "within", "rule": "proposal.price <= facts.budget", "actions": ["offer"], "message": "too dear"}],
  "tools": {"lookup": {"effect": "read", "schema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}},
            "refund": {"states": ["PAID"]}, "wire": {"approval": true}, "RETIRE_ENTITY": {"states": ["PAID"]}},
  "actions": {"offer": {"schema": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
                        "commands": [{"type": "register_entity", "entity_type": "order", "raw_id": "=\"o-\" ~ args.price", "fields": {"price": "=args.price"}}]}}
}}"#;

fn session() -> Local {
    let mut session = Local::new("tools", NOW);
    session.execute(DOMAIN).unwrap();
    session
}

fn value(text: &str) -> Value {
    json::read_value(text).unwrap()
}

fn call(session: &mut Local, call: &str) -> Result<Value, Refusal> {
    let command = Value::from([("type", Value::from("call_tool")), ("call", value(call))]);
    session.execute(&command.to_json()).map(|done| done.result)
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.at(path).and_then(Value::as_str).unwrap_or("")
}

#[test]
fn every_shape_defines_the_same_tools_and_closed_ones_are_left_out() {
    let session = session();
    let define =
        |shape: &str| session.query(&format!(r#"{{"type": "tool_definitions", "shape": "{shape}"}}"#)).unwrap();
    let plain: Vec<String> =
        define("plain").as_list().unwrap().iter().map(|tool| text(tool, &["name"]).to_owned()).collect();
    assert!(plain.contains(&"REGISTER_ENTITY".to_owned()) && plain.contains(&"QUERY_ENTITY".to_owned()));
    assert!(plain.contains(&"lookup".to_owned()) && plain.contains(&"offer".to_owned()));
    // The state keeps them closed.
    assert!(!plain.contains(&"refund".to_owned()) && !plain.contains(&"RETIRE_ENTITY".to_owned()));
    let names = |value: &Value, path: &[&str]| -> Vec<String> {
        value.as_list().unwrap().iter().map(|tool| text(tool, path).to_owned()).collect()
    };
    assert_eq!(names(&define("openai"), &["function", "name"]), plain);
    for shape in ["openai_responses", "anthropic", "mcp"] {
        assert_eq!(names(&define(shape), &["name"]), plain, "{shape}");
    }
    let gemini = define("gemini");
    assert_eq!(names(gemini.at(&["0", "functionDeclarations"]).unwrap(), &["name"]), plain);
    let sdk: Vec<String> = define("ai_sdk").as_map().unwrap().keys().cloned().collect();
    assert_eq!(sdk, plain);
    let all = session.query(r#"{"type": "tool_definitions", "closed": true}"#).unwrap();
    assert!(names(&all, &["name"]).contains(&"refund".to_owned()));
    let refusal = session.query(r#"{"type": "tool_definitions", "shape": "anthropc"}"#).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.suggestion.as_deref()),
        ("unknown-shape", Some("did you mean `anthropic`?"))
    );
}

#[test]
fn arguments_are_narrowed_to_what_the_domain_knows() {
    let tools = session().query(r#"{"type": "tool_definitions", "shape": "anthropic"}"#).unwrap();
    let register = tools.as_list().unwrap().iter().find(|tool| text(tool, &["name"]) == "REGISTER_ENTITY").unwrap();
    assert_eq!(
        register.at(&["input_schema", "properties", "entity_type", "enum", "0"]).unwrap().as_str(),
        Some("order")
    );
    assert!(register.at(&["input_schema", "properties", "fields", "properties", "price"]).is_some());
    let required = register.at(&["input_schema", "required"]).unwrap().to_json();
    assert!(required.contains("reason"), "{required}");
    let gemini = session().query(r#"{"type": "tool_definitions", "shape": "gemini"}"#).unwrap().to_json();
    for word in ["additionalProperties", "\"object\"", "$ref", "[\"string\""] {
        assert!(!gemini.contains(word), "Gemini takes no {word}");
    }
}

#[test]
fn a_call_in_each_shape_goes_through_the_same_door_and_is_answered_in_its_shape() {
    let calls = [
        (
            r#"{"id": "c1", "type": "function", "function": {"name": "REGISTER_ENTITY", "arguments": "{\"entity_type\":\"order\",\"raw_id\":\"A-1\",\"reason\":\"seen\"}"}}"#,
            "tool_call_id",
            "c1",
        ),
        (
            r#"{"type": "function_call", "call_id": "c1", "name": "REGISTER_ENTITY", "arguments": "{\"entity_type\":\"order\",\"raw_id\":\"A-1\",\"reason\":\"seen\"}"}"#,
            "call_id",
            "c1",
        ),
        (
            r#"{"type": "tool_use", "id": "c1", "name": "REGISTER_ENTITY", "input": {"entity_type": "order", "raw_id": "A-1", "reason": "seen"}}"#,
            "tool_use_id",
            "c1",
        ),
        (
            r#"{"functionCall": {"id": "c1", "name": "REGISTER_ENTITY", "args": {"entity_type": "order", "raw_id": "A-1", "reason": "seen"}}}"#,
            "functionResponse",
            "",
        ),
        (
            r#"{"jsonrpc": "2.0", "id": "c1", "method": "tools/call", "params": {"name": "REGISTER_ENTITY", "arguments": {"entity_type": "order", "raw_id": "A-1", "reason": "seen"}}}"#,
            "id",
            "c1",
        ),
        (
            r#"{"type": "tool-call", "toolCallId": "c1", "toolName": "REGISTER_ENTITY", "input": {"entity_type": "order", "raw_id": "A-1", "reason": "seen"}}"#,
            "toolCallId",
            "c1",
        ),
    ];
    let mut contents = Vec::new();
    for (text_of_call, id, expected) in calls {
        let mut session = session();
        let result = call(&mut session, text_of_call).unwrap();
        let reply = result.get("reply").unwrap();
        assert!(reply.get(id).is_some(), "{}", reply.to_json());
        if !expected.is_empty() {
            assert_eq!(text(reply, &[id]), expected);
        }
        let record = session.query(r#"{"type": "records", "kinds": ["entity."]}"#).unwrap();
        assert_eq!(text(&record, &["records", "0", "actor", "kind"]), "model");
        assert_eq!(text(&record, &["records", "0", "reason"]), "seen");
        contents.push(text(&session.query(r#"{"type": "digests"}"#).unwrap(), &["content"]).to_owned());
    }
    contents.dedup();
    assert_eq!(contents.len(), 1, "the same call in another shape did something else");
}

#[track_caller]
fn check_refused(text_of_call: &str, code: &str, path: &str) {
    let mut session = session();
    let before = session.query(r#"{"type": "digests"}"#).unwrap();
    let refusal = call(&mut session, text_of_call).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref().unwrap_or("")), (code, path), "{refusal}");
    let after = session.query(r#"{"type": "digests"}"#).unwrap();
    assert_eq!(before.get("content"), after.get("content"));
    assert!(refusal.seq.is_some(), "the refusal is on record");
}

#[test]
fn a_call_that_may_not_be_is_refused_with_the_place_and_changes_nothing() {
    check_refused(r#"{"name": "REGISTER_ENTITTY", "args": {}}"#, "unknown-tool", "/call");
    check_refused(r#"{"name": "send_event", "args": {"event": "PAY"}}"#, "unknown-tool", "/call");
    check_refused(r#"{"name": "load_domain", "args": {}}"#, "unknown-tool", "/call");
    check_refused(r#"{"name": "refund", "args": {}}"#, "tool-closed", "/call");
    check_refused(r#"{"name": "RETIRE_ENTITY", "args": {"entity": "x", "reason": "r"}}"#, "tool-closed", "/call");
    check_refused(r#"{"name": "wire", "args": {}}"#, "approval-required", "/call");
    check_refused(
        r#"{"type": "tool_use", "id": "1", "name": "ASSERT_FACT", "input": {"key": "budget", "value": 1}}"#,
        "tool-arguments",
        "/call/input",
    );
    check_refused(
        r#"{"type": "tool_use", "id": "1", "name": "ASSERT_FACT", "input": {"key": "bugdet", "value": 1, "reason": "r"}}"#,
        "tool-arguments",
        "/call/input/key",
    );
    // A model cannot say that a fact comes from somewhere trusted.
    check_refused(
        r#"{"name": "ASSERT_FACT", "args": {"key": "budget", "value": 1, "reason": "r", "source": "official"}}"#,
        "tool-arguments",
        "/call/args/source",
    );
    // Arguments that were cut off are not closed by a repairer.
    check_refused(
        r#"{"id": "1", "function": {"name": "ASSERT_FACT", "arguments": "{\"key\": \"budget\", \"value\": 2"}}"#,
        "tool-arguments",
        "/call/function/arguments",
    );
    check_refused(r#"{"text": "pay now"}"#, "not-a-call", "/call");
    // What an event does when it fires is not a model's to say.
    check_refused(
        r#"{"name": "SCHEDULE_EVENT", "args": {"name": "x", "delay": "PT1H", "reason": "r", "do": [{"type": "send_event", "event": "PAY"}]}}"#,
        "tool-arguments",
        "/call/args/do",
    );
}

#[test]
fn a_domains_action_keeps_its_constraints_when_a_model_calls_it() {
    let mut session = session();
    session.execute(r#"{"type": "assert_fact", "key": "budget", "value": 100}"#).unwrap();
    let refusal = call(&mut session, r#"{"name": "offer", "args": {"price": 120, "reason": "r"}}"#).unwrap_err();
    assert_eq!(refusal.code, "constraint-broken");
    assert_eq!(text(&refusal.details, &["reply", "value", "error", "code"]), "constraint-broken");
    call(&mut session, r#"{"name": "offer", "args": {"price": 80, "reason": "r"}}"#).unwrap();
    let entities = session.query(r#"{"type": "entities"}"#).unwrap();
    assert_eq!(text(&entities, &["0", "raw_id"]), "o-80");
}

#[test]
fn a_hosts_tool_runs_as_a_plan_of_one_call_and_its_arguments_are_never_expressions() {
    let mut session = session();
    session.execute(r#"{"type": "assert_fact", "key": "budget", "value": 100}"#).unwrap();
    session.tool("lookup", |args| Ok(Value::from([("asked", args.get("q").cloned().unwrap_or_default())])));
    let result = call(&mut session, r#"{"name": "lookup", "args": {"q": "=facts.budget"}}"#).unwrap();
    let run = text(&result, &["result", "run"]).to_owned();
    let view = session.query(&format!(r#"{{"type": "run", "run": "{run}"}}"#)).unwrap().to_json();
    assert!(view.contains(r#""asked":"=facts.budget""#), "{view}");
}

#[test]
fn a_domain_can_say_which_tools_a_model_may_call() {
    let mut session = Local::new("few", NOW);
    session
        .execute(r#"{"type": "load_domain", "domain": {"name": "few", "agent": {"tools": ["QUERY_FACTS"]}}}"#)
        .unwrap();
    let tools = session.query(r#"{"type": "tool_definitions"}"#).unwrap();
    assert_eq!(tools.as_list().unwrap().len(), 1);
    let refusal = call(&mut session, r#"{"name": "ASSERT_FACT", "args": {"key": "a", "value": 1, "reason": "r"}}"#);
    assert_eq!(refusal.unwrap_err().code, "unknown-tool");
    let read = call(&mut session, r#"{"name": "QUERY_FACTS", "args": {}}"#).unwrap();
    assert!(read.at(&["result", "facts"]).is_some());
}
