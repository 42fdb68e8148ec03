//! Forks with interventions: the deterministic part evolves again, recorded effects are not done twice.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use std::cell::Cell;
use std::rc::Rc;

use throughline::Local;
use throughline::engine::{Forked, digests_of, fork};
use throughline::protocol::session::Fork;
use throughline::value::{Value, from_value, json};

const NOW: i64 = 1_770_000_000_000;

fn options(text: &str) -> Fork {
    from_value(&json::read_value(text).unwrap()).unwrap()
}

fn forked(session: &Local, text: &str) -> Forked {
    fork(session.journal(), &options(text)).unwrap()
}

fn ask(journal: &Forked, query: &str) -> Value {
    Local::open(journal.journal.clone(), NOW + 1_000_000).query(query).unwrap()
}

fn fact(journal: &Forked, key: &str) -> Value {
    let page = ask(journal, &format!(r#"{{"type": "facts", "key": "{key}"}}"#));
    page.at(&["facts", "0", "value"]).cloned().unwrap_or_default()
}

fn outcomes(journal: &Forked) -> Vec<&str> {
    journal.report.commands.iter().map(|one| one.outcome.as_str()).collect()
}

fn machine() -> Local {
    let mut session = Local::new("fork", NOW);
    session
        .execute(
            r#"{"type": "load_domain", "domain": {"name": "d", "entity_types": {"order": {}},
            "machine": {"id": "m", "initial": "WAIT", "states": {
              "WAIT": {"on": {"APPROVE": {"target": "OK", "guard": "facts.amount <= 100"}}}, "OK": {}}}}}"#,
        )
        .unwrap();
    session
}

#[test]
fn a_plain_fork_is_the_same_up_to_its_moment() {
    let mut session = machine();
    session.execute(r#"{"type": "assert_fact", "key": "amount", "value": 50}"#).unwrap();
    let before = digests_of(session.journal(), 3);
    session.execute(r#"{"type": "assert_fact", "key": "amount", "value": 60}"#).unwrap();
    let made = forked(&session, r#"{"at": 3}"#);
    assert_eq!(fact(&made, "amount"), 50.into());
    assert_ne!(made.journal.id(), session.journal().id());
    let after = digests_of(&made.journal, 3);
    assert_eq!((before.content, before.history), (after.content, after.history));
    assert!(made.report.commands.is_empty());
    throughline::journal::import(&made.journal.export(NOW)).unwrap();
}

#[test]
fn without_interventions_everything_evolves_to_the_same_content() {
    let mut session = machine();
    for amount in [50, 60, 70] {
        session.advance(1_000);
        session.execute(&format!(r#"{{"type": "assert_fact", "key": "amount", "value": {amount}}}"#)).unwrap();
    }
    session.execute(r#"{"type": "send_event", "event": "APPROVE"}"#).unwrap();
    let head = session.journal().head().seq;
    let made = forked(&session, &format!(r#"{{"at": 0, "until": {head}}}"#));
    assert_eq!(digests_of(session.journal(), head).content, digests_of(&made.journal, head).content);
    assert!(outcomes(&made).iter().all(|outcome| *outcome == "same"), "{:?}", made.report);
    assert!(made.report.changes.is_empty(), "{:?}", made.report.changes);
}

#[test]
fn another_premise_lets_a_refused_command_be_done_and_a_done_one_be_refused() {
    let mut session = machine();
    session.execute(r#"{"type": "assert_fact", "key": "amount", "value": 500}"#).unwrap();
    session.execute(r#"{"type": "send_event", "event": "APPROVE"}"#).unwrap_err();
    let made = forked(
        &session,
        r#"{"interventions": [{"type": "replace", "seq": 3, "command": {"type": "assert_fact", "key": "amount", "value": 5}}]}"#,
    );
    assert_eq!(outcomes(&made), ["replaced", "now_done"]);
    let changed: Vec<_> = made.report.changes.iter().map(|one| (one.area.as_str(), one.change.as_str())).collect();
    assert_eq!(changed, [("fact", "changed"), ("machine", "changed")]);

    let mut session = machine();
    session.execute(r#"{"type": "assert_fact", "key": "amount", "value": 5}"#).unwrap();
    session.execute(r#"{"type": "send_event", "event": "APPROVE"}"#).unwrap();
    let made = forked(&session, r#"{"interventions": [{"type": "drop", "seq": 3}]}"#);
    assert_eq!(outcomes(&made), ["dropped", "now_refused"]);
    let without = session.query(r#"{"type": "without", "seq": 3}"#).unwrap();
    assert_eq!(without.at(&["changes", "0", "change"]).unwrap().as_str(), Some("removed"));
}

#[test]
fn facts_are_set_and_entities_retired_in_the_middle() {
    let mut session = machine();
    session.execute(r#"{"type": "register_entity", "entity_type": "order", "raw_id": "1"}"#).unwrap();
    let id = session.query(r#"{"type": "entities"}"#).unwrap().at(&["0", "id"]).unwrap().as_str().unwrap().to_owned();
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 1}"#).unwrap();
    let made = forked(
        &session,
        &format!(
            r#"{{"interventions": [{{"type": "set_fact", "after": 3, "key": "b", "value": 2}}, {{"type": "retire_entity", "after": 3, "entity": "{id}"}}]}}"#
        ),
    );
    assert_eq!(outcomes(&made), ["inserted", "inserted", "same"]);
    assert_eq!((fact(&made, "a"), fact(&made, "b")), (1.into(), 2.into()));
    assert_eq!(ask(&made, r#"{"type": "entities"}"#).at(&["0", "retired"]), Some(&Value::from(true)));
}

#[test]
fn a_delayed_command_happens_after_what_came_before_its_new_time() {
    let mut session = machine();
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 1}"#).unwrap();
    session.advance(1_000);
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 2}"#).unwrap();
    let made = forked(&session, r#"{"interventions": [{"type": "delay", "seq": 3, "by": "PT1M"}]}"#);
    assert_eq!(fact(&made, "a"), 1.into());
    // It supersedes nothing now, so its own result is another one.
    assert_eq!(outcomes(&made), ["otherwise", "delayed"]);
}

#[test]
fn each_slot_of_an_event_fires_exactly_once_in_a_fork_too() {
    let mut session = machine();
    session
        .execute(r#"{"type": "schedule_event", "name": "remind", "delay": "PT1H", "do": [{"type": "assert_fact", "key": "told", "value": true}]}"#)
        .unwrap();
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 1}"#).unwrap();
    session.advance(2 * 3_600_000);
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 2}"#).unwrap();
    let fired = |value: &Value| value.at(&["records"]).and_then(Value::as_list).map_or(0, <[Value]>::len);
    let query = r#"{"type": "records", "kinds": ["event.fired"]}"#;
    assert_eq!(fired(&session.query(query).unwrap()), 1);
    // Forked before and after it fired, and gone on with until long after.
    for at in [3, 4, session.journal().head().seq] {
        let made = forked(
            &session,
            &format!(
                r#"{{"at": {at}, "interventions": [{{"type": "insert", "command": {{"type": "assert_fact", "key": "x", "value": 1}}}}]}}"#
            ),
        );
        let mut again = Local::open(made.journal.clone(), NOW + 3 * 3_600_000);
        again.resume();
        again.advance(3_600_000);
        assert_eq!(fired(&again.query(query).unwrap()), 1, "forked at {at}");
    }
    let refusal = fork(session.journal(), &options(r#"{"interventions": [{"type": "drop", "seq": 6}]}"#)).unwrap_err();
    assert_eq!(refusal.code, "follows-by-itself");
}

fn calling() -> (Local, Rc<Cell<u32>>) {
    let mut session = Local::new("calls", NOW);
    session
        .execute(r#"{"type": "load_domain", "domain": {"name": "d", "tools": {"price": {"effect": "read"}}}}"#)
        .unwrap();
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    session.tool("price", move |args| {
        counted.set(counted.get() + 1);
        Ok(args.get("of").cloned().unwrap_or_default())
    });
    session.execute(r#"{"type": "assert_fact", "key": "item", "value": "tea"}"#).unwrap();
    session
        .execute(r#"{"type": "start_run", "plan": [{"id": "p", "op": "CALL", "args": {"tool": "price", "arguments": {"of": "=facts.item"}}}]}"#)
        .unwrap();
    (session, calls)
}

#[test]
fn a_recorded_call_is_reused_and_not_made_again() {
    let (mut session, calls) = calling();
    session.execute(r#"{"type": "assert_fact", "key": "after", "value": 1}"#).unwrap();
    assert_eq!(calls.get(), 1);
    let head = session.journal().head().seq;
    let made = forked(&session, &format!(r#"{{"at": 1, "until": {head}}}"#));
    let how: Vec<_> = made.report.effects.iter().map(|one| one.how.as_str()).collect();
    assert_eq!(how, ["reused"], "{:?}", made.report);
    assert_eq!(ask(&made, r#"{"type": "runs"}"#).at(&["0", "status"]).unwrap().as_str(), Some("done"));
    assert_eq!(calls.get(), 1);
}

#[test]
fn a_call_with_other_arguments_is_left_open_or_stubbed_and_the_report_says_so() {
    let (session, _) = calling();
    let drop = r#""interventions": [{"type": "replace", "seq": 2, "command": {"type": "assert_fact", "key": "item", "value": "coffee"}}]"#;
    let made = forked(&session, &format!("{{{drop}}}"));
    let how: Vec<_> = made.report.effects.iter().map(|one| one.how.as_str()).collect();
    assert_eq!(how, ["dropped", "recomputed"], "{:?}", made.report.effects);
    let made = forked(&session, &format!(r#"{{{drop}, "unrecorded": "stub"}}"#));
    let how: Vec<_> = made.report.effects.iter().map(|one| one.how.as_str()).collect();
    assert!(how.contains(&"stubbed"), "{:?}", made.report.effects);
    assert_eq!(ask(&made, r#"{"type": "runs"}"#).at(&["0", "status"]).unwrap().as_str(), Some("failed"));
    // Another result of the same call.
    let result = session.query(r#"{"type": "records", "kinds": ["step.finished"]}"#).unwrap();
    let seq = result.at(&["records", "0", "seq"]).unwrap().to_json();
    let made =
        forked(&session, &format!(r#"{{"interventions": [{{"type": "replace", "seq": {seq}, "output": "free"}}]}}"#));
    assert!(ask(&made, r#"{"type": "run"}"#).to_json().contains("free"));
}

#[test]
fn what_cannot_be_forked_is_refused_with_its_place() {
    let mut session = machine();
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 1}"#).unwrap();
    let code = |text: &str| fork(session.journal(), &options(text)).unwrap_err().code;
    assert_eq!(code(r#"{"at": 99}"#), "beyond-head");
    assert_eq!(code(r#"{"at": 3, "interventions": [{"type": "drop", "seq": 3}]}"#), "before-fork");
    assert_eq!(code(r#"{"interventions": [{"type": "replace", "seq": 3, "output": 1}]}"#), "replace-by-what");
    assert_eq!(code(r#"{"interventions": [{"type": "delay", "seq": 3, "by": "soon"}]}"#), "bad-duration");
    assert_eq!(code(r#"{"unrecorded": "guess"}"#), "unknown-choice");
}

#[test]
fn two_moments_and_two_sessions_are_compared() {
    let mut session = machine();
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 1}"#).unwrap();
    session.execute(r#"{"type": "assert_fact", "key": "a", "value": 2}"#).unwrap();
    let diff = session.query(r#"{"type": "diff", "from": {"seq": 3}, "to": {}}"#).unwrap();
    assert_eq!(diff.get("changes").unwrap().as_list().unwrap().len(), 1, "{}", diff.to_json());
    assert_eq!(diff.at(&["changes", "0", "before"]), Some(&1.into()));
    let mut other = machine();
    other.execute(r#"{"type": "assert_fact", "key": "a", "value": 2}"#).unwrap();
    let snapshot = other.query(r#"{"type": "snapshot"}"#).unwrap().to_json();
    let diff = session.query(&format!(r#"{{"type": "diff", "other": {snapshot}}}"#)).unwrap();
    assert_eq!(diff.get("changes").unwrap().as_list().unwrap().len(), 0, "{}", diff.to_json());
}
