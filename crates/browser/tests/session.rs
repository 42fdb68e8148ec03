//! A session under a store that is late, full, lost, damaged or emptied.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at once")]

#[path = "common/host.rs"]
mod host;

use std::rc::Rc;

use host::{Fate, Faulty, TestHost};
use throughline_browser::Session;
use throughline_store::StoreError;
use throughline_value::{Value, json};

const ASSERT_A: &str = r#"{"type":"execute","command":"{\"type\":\"assert_fact\",\"key\":\"a\",\"value\":1}"}"#;
const ASSERT_B: &str = r#"{"type":"execute","command":"{\"type\":\"assert_fact\",\"key\":\"b\",\"value\":2}"}"#;
const FACTS: &str = r#"{"type":"query","query":"{\"type\":\"facts\"}"}"#;
const DIGESTS: &str = r#"{"type":"query","query":"{\"type\":\"digests\"}"}"#;

struct Given {
    store: Rc<Faulty>,
    host: Rc<TestHost>,
    session: Session,
    name: &'static str,
}

impl Given {
    fn new(name: &'static str) -> Self {
        let store = Faulty::new(name);
        let host = TestHost::new(&store);
        let session = Session::new(Rc::<TestHost>::clone(&host));
        Self { store, host, session, name }
    }

    fn opened(name: &'static str) -> Self {
        let given = Self::new(name);
        given.call(&given.open("")).unwrap();
        given
    }

    fn open(&self, more: &str) -> String {
        format!(r#"{{"type":"open","name":"{}","storage":"memory"{more}}}"#, self.name)
    }

    fn call(&self, call: &str) -> Result<Value, throughline_protocol::Refusal> {
        self.host.call(&self.session, call)
    }

    /// What an `execute` call gave: `Ok` with the records, `Err` with the refusal's code.
    fn execute(&self, call: &str) -> Result<Vec<i64>, String> {
        outcome(&self.call(call).unwrap())
    }

    fn keys(&self) -> Vec<String> {
        let facts = self.call(FACTS).unwrap();
        let list = facts.get("facts").and_then(Value::as_list).unwrap();
        list.iter().map(|f| f.get("key").and_then(Value::as_str).unwrap().to_owned()).collect()
    }

    fn fate(&self, fate: Fate) {
        self.store.appends.borrow_mut().push_back(fate);
    }
}

fn outcome(outcome: &Value) -> Result<Vec<i64>, String> {
    match outcome.at(&["refused", "code"]) {
        Some(code) => Err(code.as_str().unwrap().to_owned()),
        None => Ok(outcome
            .at(&["done", "records"])
            .and_then(Value::as_list)
            .unwrap()
            .iter()
            .map(|s| s.as_i64().unwrap())
            .collect()),
    }
}

#[test]
fn what_comes_before_opening_is_refused_and_what_comes_while_opening_waits() {
    let given = Given::new("opening");
    assert_eq!(given.call(FACTS).unwrap_err().code, "not-open");
    given.store.opens.borrow_mut().push_back(Fate::Late(5));
    let request = format!(r#"{{"id":1,"call":{}}}"#, given.open(""));
    let mut opening = Box::pin(given.session.request(&request));
    assert!(opening.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
    // A click while it opens finds it, and so does a second opening.
    let waiting = {
        let session = given.session.clone();
        async move { session.request(&format!(r#"{{"id":2,"call":{FACTS}}}"#)).await }
    };
    let mut waiting = Box::pin(waiting);
    assert!(waiting.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
    assert_eq!(given.call(&given.open("")).unwrap_err().code, "already-open");
    let opened = given.host.run(opening);
    assert!(opened.contains(r#""id":"fresh""#), "{opened}");
    assert!(given.host.run(waiting).contains(r#""facts":[]"#));
}

#[test]
fn a_message_that_cannot_be_read_is_answered_under_its_id() {
    let given = Given::opened("unreadable messages");
    let check = |text: &str, id: i64, code: &str| {
        let response = json::read_value(&given.host.run(given.session.request(text))).unwrap();
        assert_eq!(response.get("id").and_then(Value::as_i64), Some(id), "{text}");
        assert_eq!(response.at(&["error", "code"]).and_then(Value::as_str), Some(code), "{text}");
    };
    check("{", 0, "json-syntax");
    check(r#"{"id":3}"#, 3, "missing-field");
    check(r#"{"id":3,"call":{"type":"opne"}}"#, 3, "unknown-call");
    check(r#"{"id":3,"call":{"type":"export","what":1}}"#, 3, "unknown-field");
    check(r#"{"id":3,"call":{"type":"query","query":"{\"type\":\"fcats\"}"}}"#, 3, "unknown-query");
    assert!(given.session.host_result("[]").is_err());
    assert!(given.session.host_result(r#"{"call":99,"result":1}"#).is_ok(), "late news is nothing");
}

#[test]
fn a_change_is_acknowledged_and_seen_only_after_it_is_committed() {
    let given = Given::opened("late append");
    given.host.pushed();
    given.fate(Fate::Late(3));
    let request = format!(r#"{{"id":1,"call":{ASSERT_A}}}"#);
    let mut asserting = Box::pin(given.session.request(&request));
    for _ in 0..3 {
        assert!(asserting.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
        assert_eq!(given.keys(), Vec::<String>::new());
        assert_eq!(given.host.pushed(), []);
        given.host.work();
    }
    assert!(given.host.run(asserting).contains(r#""records":[1]"#));
    assert_eq!(given.keys(), ["a"]);
    assert_eq!(given.host.pushed()[0].to_json(), r#"{"type":"changed","seq":1}"#);
}

#[test]
fn a_full_store_refuses_the_command_and_the_next_one_goes_in() {
    let given = Given::opened("full");
    let before = given.call(DIGESTS).unwrap();
    given.fate(Fate::Fails(StoreError::Quota));
    assert_eq!(given.execute(ASSERT_A), Err("store-full".to_owned()));
    assert_eq!(given.call(DIGESTS).unwrap(), before);
    assert_eq!(given.execute(ASSERT_B), Ok(vec![1]));
    assert_eq!(given.keys(), ["b"]);
}

#[test]
fn a_commit_whose_news_was_lost_is_found_at_the_next_command_and_not_done_twice() {
    let given = Given::opened("lost news");
    given.fate(Fate::DoneButFails(StoreError::Lost("gone".to_owned())));
    assert_eq!(given.execute(ASSERT_A), Err("store-lost".to_owned()));
    assert_eq!(given.keys(), Vec::<String>::new(), "nothing is shown that is not known to be saved");
    // The same again: it is there already.
    assert_eq!(given.execute(ASSERT_A), Ok(vec![]));
    assert_eq!(given.execute(ASSERT_B), Ok(vec![2]));
    assert_eq!(given.keys(), ["a", "b"]);
}

#[test]
fn a_journal_that_was_removed_ends_the_session_with_a_word() {
    let given = Given::opened("removed");
    given.execute(ASSERT_A).unwrap();
    given.host.pushed();
    given.fate(Fate::Fails(StoreError::Gone));
    assert_eq!(given.call(ASSERT_B).unwrap_err().code, "store-gone");
    let pushed = given.host.pushed();
    assert_eq!(pushed.last().unwrap().at(&["error", "code"]).and_then(Value::as_str), Some("store-gone"));
    assert_eq!(given.call(FACTS).unwrap_err().code, "store-gone");
    assert_eq!(given.call(ASSERT_B).unwrap_err().code, "store-gone");
    assert_eq!(given.call(r#"{"type":"clock","advance":1}"#).unwrap_err().code, "store-gone");
}

#[test]
fn closing_waits_for_what_is_being_appended() {
    let given = Given::opened("closing");
    given.fate(Fate::Late(4));
    let request = format!(r#"{{"id":1,"call":{ASSERT_A}}}"#);
    let mut asserting = Box::pin(given.session.request(&request));
    assert!(asserting.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
    given.call(r#"{"type":"close"}"#).unwrap();
    assert!(given.host.run(asserting).contains(r#""records":[1]"#));
    assert_eq!(given.call(FACTS).unwrap_err().code, "session-closed");
    assert_eq!(given.call(&given.open("")).unwrap_err().code, "session-closed");
    let again = Given::opened("closing");
    assert_eq!(again.keys(), ["a"]);
}

#[test]
fn an_event_rings_a_timer_and_fires_when_the_clock_says_so_and_not_when_the_timer_comes_early() {
    let given = Given::opened("timer");
    let schedule = r#"{"type":"execute","command":"{\"type\":\"schedule_event\",\"name\":\"x\",\"delay\":\"PT5S\",\"do\":[{\"type\":\"assert_fact\",\"key\":\"fired\",\"value\":true}]}"}"#;
    given.execute(schedule).unwrap();
    assert_eq!(given.host.armed(), [6_000]);
    given.host.ring_early(6_000, 5_999);
    assert_eq!(given.host.armed(), [6_000], "its clock is not there yet: it is set again");
    given.host.ring(6_000);
    assert_eq!(given.keys(), ["fired"]);
    assert_eq!(given.host.armed(), Vec::<i64>::new());
    given.execute(schedule).unwrap();
    given.host.now.set(10_999);
    assert_eq!(given.host.armed(), [11_000]);
    given.call(r#"{"type":"close"}"#).unwrap();
    assert_eq!(given.host.armed(), Vec::<i64>::new(), "a closed session leaves no timer behind");
}

#[test]
fn a_clock_of_its_own_stands_still_until_it_is_moved_and_needs_no_timer() {
    let given = Given::new("own clock");
    given.call(&given.open(r#","clock":50"#)).unwrap();
    given.execute(r#"{"type":"execute","command":"{\"type\":\"schedule_event\",\"name\":\"x\",\"at\":100,\"do\":[{\"type\":\"assert_fact\",\"key\":\"fired\",\"value\":true}]}"}"#).unwrap();
    assert_eq!(given.host.armed(), Vec::<i64>::new());
    given.host.ring(1_000_000);
    assert_eq!(given.keys(), Vec::<String>::new());
    let now = given.call(r#"{"type":"clock","advance":49}"#).unwrap();
    assert_eq!((now.to_json().as_str(), given.keys().len()), (r#"{"now":99}"#, 0));
    given.call(r#"{"type":"clock","now":100}"#).unwrap();
    assert_eq!(given.keys(), ["fired"]);
}

#[test]
fn two_sessions_of_one_journal_converge_and_only_one_of_them_leads() {
    let one = Given::opened("shared");
    let two = Given::opened("shared");
    one.execute(ASSERT_A).unwrap();
    two.host.work();
    assert_eq!(two.keys(), ["a"], "a hint was enough");
    // Decided on a head that has moved: folded and decided again.
    one.fate(Fate::Late(2));
    let request = format!(r#"{{"id":1,"call":{ASSERT_B}}}"#);
    let mut late = Box::pin(one.session.request(&request));
    assert!(late.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
    two.execute(r#"{"type":"execute","command":"{\"type\":\"assert_fact\",\"key\":\"c\",\"value\":3}"}"#).unwrap();
    let late = one.host.run(late);
    assert!(late.contains(r#""records":[3]"#), "{late}");
    two.host.work();
    assert_eq!(
        (one.keys(), two.keys()),
        (vec!["a".into(), "b".into(), "c".into()], vec!["a".into(), "b".into(), "c".into()])
    );
    assert_eq!(one.call(DIGESTS).unwrap(), two.call(DIGESTS).unwrap());
}

#[test]
fn a_tool_of_the_host_is_called_and_one_that_it_has_not_fails_at_once() {
    let given = Given::new("tools");
    given.call(&given.open(r#","tools":["weigh"]"#)).unwrap();
    let domain = r#"{"type":"execute","command":"{\"type\":\"load_domain\",\"domain\":{\"name\":\"d\",\"tools\":{\"weigh\":{\"schema\":{\"type\":\"object\"}},\"other\":{\"schema\":{\"type\":\"object\"}}}}}"}"#;
    given.execute(domain).unwrap();
    given.host.pushed();
    given.execute(r#"{"type":"execute","command":"{\"type\":\"start_run\",\"plan\":\"$a = CALL weigh(n: 9007199254740993)\\n$b = CALL other()\"}"}"#).unwrap();
    let calls: Vec<Value> = given
        .host
        .pushed()
        .into_iter()
        .filter(|p| p.get("type").and_then(Value::as_str) == Some("host_call"))
        .collect();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(
        calls[0].get("args").unwrap().to_json(),
        r#"{"n":{"$number":"9007199254740993"}}"#,
        "as JavaScript reads it"
    );
    let number = calls[0].get("call").and_then(Value::as_i64).unwrap();
    given.session.host_result(&format!(r#"{{"call":{number},"result":{{"grams":0.30000000000000000001}}}}"#)).unwrap();
    let run = given.call(r#"{"type":"query","query":"{\"type\":\"run\"}"}"#).unwrap();
    let status = |step: &str| run.at(&["steps", step, "status"]).and_then(Value::as_str).unwrap().to_owned();
    assert_eq!((status("0"), status("1")), ("done".to_owned(), "failed".to_owned()));
    assert_eq!(
        run.at(&["steps", "0", "output"]).unwrap().to_json(),
        r#"{"grams":{"$number":"0.30000000000000000001"}}"#
    );
}

#[test]
fn a_damaged_journal_stays_closed_but_gives_its_bytes_and_what_is_good_of_it() {
    let given = Given::opened("damaged");
    given.execute(ASSERT_A).unwrap();
    given.execute(ASSERT_B).unwrap();
    given.call(r#"{"type":"close"}"#).unwrap();
    given.store.memory().damage(|_, segments| segments.get_mut(&2).unwrap()[150] ^= 1);

    let again = Given::new("damaged");
    let refusal = again.call(&again.open("")).unwrap_err();
    assert_eq!(
        (refusal.code.as_str(), refusal.details.get("good_seq").and_then(Value::as_i64)),
        ("store-unreadable", Some(1))
    );
    assert_eq!(again.call(ASSERT_A).unwrap_err().code, "store-unreadable");
    let raw = again.call(r#"{"type":"export"}"#).unwrap();
    let text = raw.get("text").and_then(Value::as_str).unwrap();
    assert_eq!(json::read_value(text).unwrap().get("segments").and_then(Value::as_list).map(<[Value]>::len), Some(2));
    let verified = again.call(r#"{"type":"verify"}"#).unwrap();
    assert_eq!(verified.get("ok"), Some(&Value::Bool(false)));
    assert_eq!(verified.at(&["error", "code"]).and_then(Value::as_str), Some("store-unreadable"));

    again.call(&again.open(r#","salvage":true"#)).unwrap();
    assert_eq!(again.keys(), ["a"]);
    assert_eq!(again.call(ASSERT_B).unwrap_err().code, "read-only");
    assert_eq!(again.call(r#"{"type":"import","text":""}"#).unwrap_err().code, "not-a-journal");
}

#[test]
fn a_journal_that_the_browser_emptied_takes_a_copy_and_nothing_else() {
    let source = Given::opened("source");
    source.execute(ASSERT_A).unwrap();
    let file = source.call(r#"{"type":"export"}"#).unwrap();
    let file = Value::from([("type", Value::from("import")), ("text", file.get("text").cloned().unwrap())]).to_json();

    let given = Given::new("wiped");
    given.store.opens.borrow_mut().push_back(Fate::Fails(StoreError::Wiped { id: "old".to_owned(), seq: 9 }));
    assert_eq!(given.call(&given.open("")).unwrap_err().code, "store-wiped");
    assert_eq!(given.call(ASSERT_A).unwrap_err().code, "store-wiped");
    assert!(!given.store.removed.get());
    given.call(&file).unwrap();
    assert!(given.store.removed.get());
    assert_eq!(given.keys(), ["a"]);
    assert_eq!(given.call(DIGESTS).unwrap(), source.call(DIGESTS).unwrap());
    assert_eq!(given.call(&file).unwrap_err().code, "journal-not-empty");
}

#[test]
fn a_cassette_answers_the_agent_and_a_bad_one_is_refused_with_its_line() {
    let given = Given::new("cassette");
    given.call(&given.open(r#","clock":0"#)).unwrap();
    let refusal = given.call(r#"{"type":"cassette","text":"{\"match\":{}}\n{bad"}"#).unwrap_err();
    assert_eq!(refusal.path.as_deref(), Some("/text"));
    let loaded =
        given.call(r#"{"type":"cassette","text":"{\"match\":{\"purpose\":\"interpret\"},\"reply\":\"{}\"}"}"#).unwrap();
    assert_eq!(loaded.to_json(), r#"{"exchanges":1}"#);
}
