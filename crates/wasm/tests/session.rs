//! The class as JavaScript sees it: texts in, texts out, whatever the texts are.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a test may stop at once")]

use std::cell::RefCell;
use std::rc::Rc;

use throughline_value::{Value, json};
use throughline_wasm::Session;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

async fn text(promise: js_sys::Promise) -> Value {
    json::read_value(&JsFuture::from(promise).await.unwrap().as_string().unwrap()).unwrap()
}

fn request(session: &Session, text: String) -> js_sys::Promise {
    js_sys::Promise::new(&mut |resolve, _| session.request(text.clone(), resolve))
}

async fn call(session: &Session, call: &str) -> Result<Value, String> {
    let response = text(request(session, format!(r#"{{"id":5,"call":{call}}}"#))).await;
    assert_eq!(response.get("id").and_then(Value::as_i64), Some(5));
    match response.at(&["error", "code"]) {
        Some(code) => Err(code.as_str().unwrap().to_owned()),
        None => Ok(response.get("result").cloned().unwrap()),
    }
}

async fn opened(name: &str, storage: &str) -> Session {
    let session = Session::new();
    call(&session, &format!(r#"{{"type":"open","name":"{name}","storage":"{storage}"}}"#)).await.unwrap();
    session
}

const ASSERT: &str =
    r#"{"type":"execute","command":"{\"type\":\"assert_fact\",\"key\":\"a\",\"value\":9007199254740993}"}"#;

const FACTS: &str = r#"{"type":"query","query":"{\"type\":\"facts\"}"}"#;

async fn a_journal_is_written_listed_read_again_and_removed(storage: &str) {
    let name = format!("class {storage}");
    let session = opened(&name, storage).await;
    let pushed = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&pushed);
    let listener =
        Closure::<dyn FnMut(JsValue)>::new(move |text: JsValue| heard.borrow_mut().push(text.as_string().unwrap()));
    session.on_push(listener.as_ref().unchecked_ref::<js_sys::Function>().clone());
    call(&session, ASSERT).await.unwrap();
    assert_eq!(*pushed.borrow(), [r#"{"type":"changed","seq":1}"#]);
    call(&session, r#"{"type":"close"}"#).await.unwrap();
    assert_eq!(call(&session, FACTS).await, Err("session-closed".to_owned()));

    let again = opened(&name, storage).await;
    let facts = call(&again, FACTS).await.unwrap();
    let value = facts.at(&["facts", "0", "value"]).unwrap().to_json();
    assert_eq!(value, r#"{"$number":"9007199254740993"}"#);
    call(&again, r#"{"type":"close"}"#).await.unwrap();

    let listed = text(Session::list()).await;
    let mine = |listed: &Value| {
        let all = listed.get("result").and_then(Value::as_list).unwrap().to_vec();
        all.into_iter().find(|one| one.get("name").and_then(Value::as_str) == Some(&name))
    };
    let found = mine(&listed).unwrap();
    assert_eq!(found.get("storage").and_then(Value::as_str), Some(storage));
    assert_eq!(found.get("seq").and_then(Value::as_i64), Some(1));
    assert!(text(Session::remove(storage, name.clone())).await.at(&["error", "code"]).is_none());
    assert_eq!(mine(&text(Session::list()).await), None);
}

#[wasm_bindgen_test]
async fn a_journal_in_memory_is_written_listed_read_again_and_removed() {
    a_journal_is_written_listed_read_again_and_removed("memory").await;
}

#[wasm_bindgen_test]
async fn a_journal_in_the_database_is_written_listed_read_again_and_removed() {
    a_journal_is_written_listed_read_again_and_removed("indexeddb").await;
}

#[wasm_bindgen_test]
async fn texts_that_are_no_messages_are_answered_and_not_thrown() {
    let session = Session::new();
    for (message, code) in [("", "json-syntax"), ("[]", "missing-field"), (r#"{"id":1,"call":{}}"#, "missing-type")] {
        let response = text(request(&session, message.to_owned())).await;
        assert_eq!(response.at(&["error", "code"]).and_then(Value::as_str), Some(code), "{message}");
    }
    assert!(session.host_result("{").is_err());
    assert!(session.host_result(r#"{"call":1}"#).is_ok(), "nobody asked, so nobody minds");
    let removed = text(Session::remove("tape", "x".to_owned())).await;
    assert_eq!(removed.at(&["error", "code"]).and_then(Value::as_str), Some("unknown-storage"));
}
