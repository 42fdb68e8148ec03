//! Purging reaches every stored byte: through a session, after a crash, and with another session beside it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at once")]
#![allow(dead_code, reason = "not every test uses all of the host")]

#[path = "common/host.rs"]
mod host;

use std::rc::Rc;

use host::{Faulty, TestHost};
use throughline_browser::Session;
use throughline_value::{Value, json};

const SECRET: &str = "tangerine";

fn session(name: &str, store: &Rc<Faulty>) -> (Rc<TestHost>, Session) {
    let host = TestHost::new(store);
    let session = Session::new(Rc::<TestHost>::clone(&host));
    host.call(&session, &format!(r#"{{"type":"open","name":"{name}","storage":"memory"}}"#)).unwrap();
    (host, session)
}

fn execute(host: &TestHost, session: &Session, command: &str) -> Value {
    let outcome = host.call(session, &format!(r#"{{"type":"execute","command":{}}}"#, json::quote(command))).unwrap();
    assert!(outcome.get("refused").is_none(), "{}", outcome.to_json());
    outcome
}

fn ask(host: &TestHost, session: &Session, query: &str) -> String {
    host.call(session, &format!(r#"{{"type":"query","query":{}}}"#, json::quote(query))).unwrap().to_json()
}

/// Every stored byte, as text.
fn stored(store: &Faulty) -> String {
    let mut all = String::new();
    store.memory().damage(|meta, segments| {
        all.extend(meta.iter().map(String::as_str));
        segments.values().for_each(|bytes| all.push_str(&String::from_utf8_lossy(bytes)));
    });
    all
}

const REMEMBER: &str = r#"{"type":"remember","items":[
    {"kind":"note","text":"the word is tangerine","entities":["safe"]},{"kind":"note","text":"the office opens at nine"}]}"#;

#[test]
fn nothing_of_a_purged_memory_is_stored_when_the_purge_is_answered() {
    let store = Faulty::new("purged");
    let (host, session) = session("purged", &store);
    execute(&host, &session, REMEMBER);
    execute(&host, &session, r#"{"type":"remember","items":[{"kind":"note","text":"another day"}]}"#);
    assert!(stored(&store).contains(SECRET));
    execute(&host, &session, r#"{"type":"purge","memories":["m_1_0"]}"#);
    assert!(!stored(&store).contains(SECRET), "in the store");
    assert!(stored(&store).contains("opens at nine"));
    let export = host.call(&session, r#"{"type":"export"}"#).unwrap().to_json();
    assert!(!export.contains(SECRET), "in the export");
    let verified = host.call(&session, r#"{"type":"verify"}"#).unwrap();
    assert_eq!(verified.get("ok").and_then(Value::as_bool), Some(true), "{}", verified.to_json());
    let live = ask(&host, &session, r#"{"type":"digests"}"#);
    let (host, again) = self::session("purged", &store);
    assert_eq!(ask(&host, &again, r#"{"type":"digests"}"#), live);
    assert!(!ask(&host, &again, r#"{"type":"recall"}"#).contains(SECRET));
}

#[test]
fn a_crash_between_a_purge_and_its_erasing_is_made_good_when_the_journal_is_opened() {
    let store = Faulty::new("crashed");
    let (host, session) = session("crashed", &store);
    execute(&host, &session, REMEMBER);
    let mut before = Vec::new();
    store.memory().damage(|_, segments| before = segments.iter().map(|(n, bytes)| (*n, bytes.clone())).collect());
    execute(&host, &session, r#"{"type":"purge","memories":["m_1_0"]}"#);
    let live = ask(&host, &session, r#"{"type":"digests"}"#);
    // As if the frame of the purge had been the last thing that was written.
    store.memory().damage(|_, segments| {
        for (number, bytes) in before {
            segments.insert(number, bytes);
        }
    });
    assert!(stored(&store).contains(SECRET));
    let (host, again) = self::session("crashed", &store);
    host.work();
    assert!(!stored(&store).contains(SECRET));
    assert_eq!(ask(&host, &again, r#"{"type":"digests"}"#), live);
}

#[test]
fn another_session_forgets_with_the_one_that_purges_and_can_purge_after_it() {
    let store = Faulty::new("shared-purge");
    let (a_host, a) = session("shared-purge", &store);
    execute(&a_host, &a, REMEMBER);
    let (b_host, b) = session("shared-purge", &store);
    assert!(ask(&b_host, &b, r#"{"type":"recall"}"#).contains(SECRET));
    execute(&a_host, &a, r#"{"type":"purge","memories":["m_1_0"]}"#);
    b_host.work();
    a_host.work();
    b_host.work();
    let export = b_host.call(&b, r#"{"type":"export"}"#).unwrap().to_json();
    assert!(!export.contains(SECRET), "the other session's own copy");
    execute(&b_host, &b, r#"{"type":"purge","memories":["m_1_1"]}"#);
    assert!(!stored(&store).contains("opens at nine") && !stored(&store).contains(SECRET));
    let (host, again) = session("shared-purge", &store);
    assert_eq!(ask(&host, &again, r#"{"type":"digests"}"#), ask(&b_host, &b, r#"{"type":"digests"}"#));
}

#[test]
fn what_is_left_of_a_body_cannot_be_altered_unseen() {
    let store = Faulty::new("altered");
    let (host, session) = session("altered", &store);
    execute(&host, &session, REMEMBER);
    execute(&host, &session, r#"{"type":"purge","memories":["m_1_0"]}"#);
    let export = host.call(&session, r#"{"type":"export"}"#).unwrap();
    let text = export.get("text").and_then(Value::as_str).unwrap();
    assert!(throughline_journal::import(text).is_ok());
    let altered = text.replace("opens at nine", "opens at nino");
    assert_eq!(throughline_journal::import(&altered).unwrap_err().code(), "commitment-broken");
}
