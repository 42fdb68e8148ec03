//! A model over a network that is late, silent, full or cut, under a clock that the test moves.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at once")]

#[path = "common/host.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod host;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use host::{Faulty, TestHost};
use throughline_browser::{Channel, Fetched, Guard, Host, Session, Work};
use throughline_journal::Millis;
use throughline_model::provider::Http;
use throughline_protocol::Refusal;
use throughline_protocol::session::Storage;
use throughline_store::Store;
use throughline_value::{Value, json};

/// What a request's answer is given to, and whether anybody still wants it.
struct Asked {
    event: Rc<dyn Fn(Fetched)>,
    wanted: Rc<Cell<bool>>,
    body: String,
}

/// A host with a network in the test's hands.
struct Net {
    host: Rc<TestHost>,
    asked: RefCell<Vec<Asked>>,
    random: Cell<u64>,
}

/// A request that was not let go of yet.
struct Held(Rc<Cell<bool>>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl Host for Net {
    fn now(&self) -> Millis {
        self.host.now()
    }
    fn fresh_id(&self) -> String {
        self.host.fresh_id()
    }
    fn push(&self, text: String) {
        self.host.push(text);
    }
    fn spawn(&self, work: Work) {
        self.host.spawn(work);
    }
    fn later(&self, ms: Millis, then: Box<dyn FnOnce()>) -> Guard {
        self.host.later(ms, then)
    }
    fn random(&self) -> u64 {
        self.random.get()
    }
    fn fetch(&self, http: &Http, event: Rc<dyn Fn(Fetched)>) -> Guard {
        let wanted = Rc::new(Cell::new(true));
        self.asked.borrow_mut().push(Asked { event, wanted: Rc::clone(&wanted), body: http.body.clone() });
        Box::new(Held(wanted))
    }
    fn store(&self, storage: Storage, name: &str) -> Result<Rc<dyn Store>, Refusal> {
        self.host.store(storage, name)
    }
    fn listen(&self, storage: Storage, name: &str, hint: Rc<dyn Fn()>) -> Box<dyn Channel> {
        self.host.listen(storage, name, hint)
    }
    fn lead(&self, storage: Storage, name: &str, first: Box<dyn FnOnce()>) -> Guard {
        self.host.lead(storage, name, first)
    }
}

const DOMAIN: &str = r#"{"name":"d","facts":{"n":{"value":{"type":"integer"}}},"tools":{"send":{"effect":"write"}},
    "intents":{"note":{"answer":"a"},"mail":{"answer":"a","plan":"$sent = CALL send(to: \"ada\")","actions":["set"]}},
    "actions":{"set":{"schema":{"type":"object"},"commands":[{"type":"assert_fact","key":"n","value":1}]}},"answers":{"a":{"template":"Noted."}},"agent":{"retries":0}}"#;

const NOTED: &str = r#"{"intent":"note","confidence":1,"facts":[]}"#;
const MAIL: &str = r#"{"intent":"mail","confidence":1,"facts":[]}"#;

struct Given {
    net: Rc<Net>,
    session: Session,
}

impl Given {
    /// A session whose model waits 1,000 ms for the first byte, 500 between pieces, and 200 at least before it is
    /// asked again.
    fn new(name: &str) -> Self {
        let host = TestHost::new(&Faulty::new(name));
        let net = Rc::new(Net { host, asked: RefCell::default(), random: Cell::new(0) });
        let session = Session::new(Rc::<Net>::clone(&net));
        let given = Self { net, session };
        given.call(&format!(r#"{{"type":"open","name":"{name}","storage":"memory","tools":["send"]}}"#));
        given.execute(&format!(r#"{{"type":"load_domain","domain":{DOMAIN}}}"#));
        given.call(
            r#"{"type":"model","settings":{"provider":"openai","model":"m","key":"sk-0123456789abcdef","first_byte_ms":1000,"idle_ms":500,"retries":2,"retry_floor_ms":200}}"#,
        );
        given
    }

    fn call(&self, call: &str) -> Value {
        self.net.host.call(&self.session, call).unwrap()
    }

    fn execute(&self, command: &str) {
        let call = format!(r#"{{"type":"execute","command":{}}}"#, json::quote(command));
        let outcome = self.call(&call).to_json();
        assert!(outcome.contains("\"done\""), "{outcome}");
    }

    fn say(&self, text: &str) {
        self.execute(&format!(r#"{{"type":"begin_turn","text":"{text}"}}"#));
        self.settle();
    }

    fn settle(&self) {
        for _ in 0..20 {
            self.net.host.work();
        }
    }

    fn asked(&self) -> usize {
        self.net.asked.borrow().len()
    }

    fn wanted(&self, nth: usize) -> bool {
        self.net.asked.borrow()[nth].wanted.get()
    }

    fn give(&self, nth: usize, fetched: Fetched) {
        let event = Rc::clone(&self.net.asked.borrow()[nth].event);
        event(fetched);
        self.settle();
    }

    fn head(&self, nth: usize, status: u16, content_type: &str) {
        self.give(nth, Fetched::Head { status, content_type: content_type.to_owned(), retry_after: None });
    }

    /// A whole reply.
    fn reply(&self, nth: usize, text: &str) {
        self.head(nth, 200, "text/event-stream");
        let text = json::quote(text);
        let body = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n"
        );
        self.give(nth, Fetched::Bytes(body.into_bytes()));
        self.give(nth, Fetched::End);
    }

    /// A whole error.
    fn error(&self, nth: usize, status: u16, body: &str) {
        self.head(nth, status, "application/json");
        self.give(nth, Fetched::Bytes(body.as_bytes().to_vec()));
        self.give(nth, Fetched::End);
    }

    /// Lets time go by to this moment after the turn began.
    fn at(&self, ms: Millis) {
        self.net.host.ring(1_000 + ms);
        self.settle();
    }

    /// The data of the records of a kind.
    fn records(&self, kind: &str) -> Vec<Value> {
        let query = format!(r#"{{"type":"records","kinds":["{kind}"]}}"#);
        let found = self.call(&format!(r#"{{"type":"query","query":{}}}"#, json::quote(&query)));
        let list = found.get("records").and_then(Value::as_list).unwrap().to_vec();
        list.into_iter().map(|record| record.get("data").cloned().unwrap()).collect()
    }

    fn status(&self) -> String {
        let turns = self.call(r#"{"type":"query","query":"{\"type\":\"turns\"}"}"#);
        turns.at(&["0", "status"]).and_then(Value::as_str).unwrap().to_owned()
    }
}

/// The text of a field.
#[track_caller]
fn text(data: &Value, name: &str) -> String {
    data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn without_a_first_byte_in_time_it_is_asked_again_and_the_late_answer_is_nobodys() {
    let given = Given::new("first-byte");
    given.say("hello");
    assert_eq!(given.asked(), 1);
    given.at(999);
    assert!(given.wanted(0));
    given.at(1_000);
    // The first attempt is let go of, and the next one waits for the floor.
    assert!(!given.wanted(0));
    assert_eq!(given.asked(), 1);
    given.at(1_199);
    assert_eq!(given.asked(), 1);
    given.at(1_200);
    assert_eq!(given.asked(), 2);
    assert_eq!(given.net.asked.borrow()[0].body, given.net.asked.borrow()[1].body);
    given.reply(0, r#"{"intent":"late"}"#);
    assert_eq!(given.records("exchange.finished").len(), 0);
    given.reply(1, NOTED);
    let finished = given.records("exchange.finished");
    assert_eq!(finished.len(), 1);
    assert_eq!((text(&finished[0], "ending"), text(&finished[0], "text")), ("done".to_owned(), NOTED.to_owned()));
    assert_eq!(finished[0].get("attempts").and_then(Value::as_i64), Some(2));
    assert_eq!(given.records("exchange.requested").len(), 1, "one exchange, however often it was tried");
    assert_eq!(given.status(), "answered");
}

#[test]
fn a_model_that_never_answers_is_given_up_after_its_attempts_with_a_code() {
    let given = Given::new("never");
    given.say("hello");
    for (began, asked) in [(1_000, 1), (2_200, 2)] {
        given.at(began);
        assert_eq!(given.asked(), asked);
        given.at(began + 200 * (1 << (asked - 1)));
        assert_eq!(given.asked(), asked + 1);
    }
    given.at(3_600);
    let failed = given.records("exchange.failed");
    assert_eq!((given.asked(), text(&failed[0], "code")), (3, "timed-out".to_owned()));
    assert!(text(&failed[0], "message").contains("no answer came within 1000 ms"));
    assert_eq!(given.net.host.armed().len(), 0, "nothing waits any more");
}

#[test]
fn a_stream_that_goes_silent_is_interrupted_and_not_asked_again_but_a_ping_is_life() {
    let given = Given::new("idle");
    given.say("hello");
    given.head(0, 200, "text/event-stream");
    given.give(0, Fetched::Bytes(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\"}}]}\n\n".to_vec()));
    for ms in [400, 800, 1_200] {
        given.at(ms);
        given.give(0, Fetched::Bytes(b": ping\n\n".to_vec()));
    }
    given.at(1_699);
    assert!(given.wanted(0));
    given.at(1_700);
    assert!(!given.wanted(0));
    let finished = given.records("exchange.finished");
    assert_eq!(
        (text(&finished[0], "ending"), text(&finished[0], "code")),
        ("interrupted".to_owned(), "timed-out".to_owned())
    );
    given.at(60_000);
    assert_eq!(given.asked(), 1, "a reply that had begun is not asked for again");
}

#[test]
fn a_429_without_a_readable_wait_keeps_the_floor_and_is_spread_and_words_are_followed() {
    for (random, after) in [(0, 200), (77, 277), (u64::MAX, 200 + u64::MAX % 201)] {
        let given = Given::new("limited");
        given.net.random.set(random);
        given.say("hello");
        given.error(0, 429, r#"{"error":{"message":"Too many requests"}}"#);
        let after = Millis::try_from(after).unwrap();
        given.at(after - 1);
        assert_eq!(given.asked(), 1, "{random}");
        given.at(after);
        assert_eq!(given.asked(), 2, "{random}");
        given.reply(1, NOTED);
        assert_eq!(given.status(), "answered");
    }
    let given = Given::new("told");
    given.say("hello");
    given.error(0, 429, r#"{"error":{"message":"Rate limit reached, please try again in 7s."}}"#);
    given.at(6_999);
    assert_eq!(given.asked(), 1);
    given.at(7_000);
    assert_eq!(given.asked(), 2);
    // One that asks for more than a minute is not asked again by itself.
    let given = Given::new("long");
    given.say("hello");
    given.head(0, 429, "application/json");
    given.give(0, Fetched::Bytes(br#"{"error":{"message":"Please try again in 90s."}}"#.to_vec()));
    given.give(0, Fetched::End);
    given.at(200_000);
    assert_eq!((given.asked(), given.records("exchange.failed").len()), (1, 1));
}

#[test]
fn asking_a_model_again_never_does_again_what_was_done() {
    let given = Given::new("once");
    given.say("mail her");
    given.reply(0, MAIL);
    let called = |given: &Given| -> Vec<i64> {
        let pushed = given.net.host.pushed();
        let calls = pushed.iter().filter(|push| text(push, "type") == "host_call");
        calls.map(|push| push.get("call").and_then(Value::as_i64).unwrap()).collect()
    };
    let calls = called(&given);
    assert_eq!(calls.len(), 1);
    given.session.host_result(&format!(r#"{{"call":{},"result":"sent"}}"#, calls[0])).unwrap();
    given.settle();
    // The decision is asked for twice over the network: overloaded, then silent, then answered.
    assert_eq!(given.asked(), 2);
    given.error(1, 529, r#"{"error":{"message":"Overloaded"}}"#);
    given.at(200);
    assert_eq!(given.asked(), 3);
    given.at(1_200);
    given.at(1_600);
    assert_eq!(given.asked(), 4);
    given.reply(3, r#"{"action":null,"args":{},"reason":"it is sent"}"#);
    assert_eq!(given.status(), "answered");
    assert_eq!(called(&given), Vec::<i64>::new(), "the letter went out once");
    assert_eq!(given.records("step.finished").len(), 1);
    assert_eq!(given.records("exchange.finished")[1].get("attempts").and_then(Value::as_i64), Some(3));
}

#[test]
fn a_request_that_leaves_no_room_under_a_cap_is_not_made_and_a_reply_is_kept_within_it() {
    let given = Given::new("cap");
    let settings = |caps: &str| {
        let call = format!(
            r#"{{"type":"model","settings":{{"provider":"openai","model":"m","key":"sk-0123456789abcdef","prices":{{"prompt":1,"completion":2}},{caps}}}}}"#
        );
        given.call(&call);
    };
    settings(r#""spend_cap":0.0005"#);
    given.say("hello");
    given.reply(0, "no value");
    let sent = json::read_value(&given.net.asked.borrow()[0].body).unwrap();
    let prompt = given.records("exchange.finished")[0].at(&["usage", "prompt"]).and_then(Value::as_i64).unwrap();
    let room = sent.get("max_completion_tokens").and_then(Value::as_i64).unwrap();
    assert_eq!(room, (500 - prompt) / 2, "{prompt} in, {room} out: that is the whole of it");
    settings(r#""spend_cap":0.0001"#);
    given.execute(r#"{"type":"stop_turn"}"#);
    given.say("hello");
    assert_eq!(given.asked(), 1, "nobody was asked");
    let failed = given.records("exchange.failed");
    assert_eq!(text(&failed[0], "code"), "spend-cap");
    assert!(text(&failed[0], "message").contains("0.0001 is allowed"), "{failed:?}");
}
