//! Bodies that lie in the store: a session that holds none of them gives the same answers as one that holds all.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at once")]
#![allow(dead_code, reason = "not every test uses all of the host")]

#[path = "common/host.rs"]
mod host;

use std::rc::Rc;

use host::{Faulty, TestHost};
use throughline_browser::Session;
use throughline_value::{Value, json};

fn session(store: &Rc<Faulty>, name: &str, budget: Option<usize>) -> (Rc<TestHost>, Session, Value) {
    let host = TestHost::new(store);
    let session = Session::new(Rc::<TestHost>::clone(&host));
    let budget = budget.map_or(String::new(), |bytes| format!(r#","memory_budget":{bytes}"#));
    let open = format!(r#"{{"type":"open","name":"{name}","storage":"memory","id":"same","clock":1000{budget}}}"#);
    let status = host.call(&session, &open).unwrap();
    (host, session, status)
}

fn execute(host: &TestHost, session: &Session, command: &str) -> String {
    host.call(session, &format!(r#"{{"type":"execute","command":{}}}"#, json::quote(command))).unwrap().to_json()
}

fn ask(host: &TestHost, session: &Session, query: &str) -> String {
    match host.call(session, &format!(r#"{{"type":"query","query":{}}}"#, json::quote(query))) {
        Ok(value) => value.to_json(),
        Err(refusal) => format!("{refusal:?}"),
    }
}

/// A hundred events, with long texts.
fn remember(first: usize) -> String {
    let item = |n: usize| {
        let text = format!("event {n} near the harbour {} word{n}", "and more of it ".repeat(8));
        format!(r#"{{"kind":"note","text":"{text}","at":{n},"entities":["e{}"],"data":{{"n":{n}}}}}"#, n % 7)
    };
    let items: Vec<String> = (first..first + 100).map(item).collect();
    format!(r#"{{"type":"remember","items":[{}]}}"#, items.join(","))
}

fn commands() -> Vec<String> {
    let mut all: Vec<String> = (0..6).map(|n| remember(n * 100)).collect();
    let more = [
        r#"{"type":"amend","memory":"m_1_3","text":"corrected words"}"#,
        r#"{"type":"amend","memory":"m_1_4","at":9000}"#,
        r#"{"type":"forget","memories":["m_2_5","m_2_6"]}"#,
        r#"{"type":"recover","memories":["m_2_6"]}"#,
        r#"{"type":"forget","memories":["m_99_1"]}"#,
        r#"{"type":"batch","commands":[{"type":"amend","memory":"m_3_1","text":"first"},{"type":"amend","memory":"m_3_1","text":"second"}]}"#,
        r#"{"type":"purge","memories":["m_1_7"]}"#,
        r#"{"type":"forget_by","max_count":550}"#,
        r#"{"type":"touch","memories":["m_4_4"]}"#,
        r#"{"type":"remember","items":[{"kind":"note","text":"the last one","at":99999}]}"#,
    ];
    all.extend(more.map(str::to_owned));
    all
}

const QUERIES: [&str; 12] = [
    r#"{"type":"recall","words":"word123 harbour"}"#,
    r#"{"type":"recall","words":"corrected"}"#,
    r#"{"type":"memory_history","entity":"e3","limit":20}"#,
    r#"{"type":"memory_last","kind":"note","before":300}"#,
    r#"{"type":"memory_neighbours","moment":250,"count":5}"#,
    r#"{"type":"memory_episodes"}"#,
    r#"{"type":"memory_forgetting","max_count":100}"#,
    r#"{"type":"recall","words":"harbour","at":{"seq":2}}"#,
    r#"{"type":"records","limit":50}"#,
    r#"{"type":"record","seq":2}"#,
    r#"{"type":"digests"}"#,
    r#"{"type":"digests","at":{"seq":5}}"#,
];

#[track_caller]
fn same(whole: &(Rc<TestHost>, Session, Value), cold: &(Rc<TestHost>, Session, Value)) {
    same_of(&QUERIES, whole, cold);
}

#[track_caller]
fn same_of(queries: &[&str], whole: &(Rc<TestHost>, Session, Value), cold: &(Rc<TestHost>, Session, Value)) {
    for query in queries {
        let (a, b) = (ask(&whole.0, &whole.1, query), ask(&cold.0, &cold.1, query));
        let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| text.get(at.saturating_sub(200)..(at + 100).min(text.len())).map(str::to_owned);
        assert!(a == b, "{query} at byte {at}: {:?} and {:?}", near(&a), near(&b));
    }
    for call in [r#"{"type":"export"}"#, r#"{"type":"verify"}"#, r#"{"type":"fork","at":4}"#] {
        let of = |(host, session, _): &(Rc<TestHost>, Session, Value)| host.call(session, call).unwrap().to_json();
        assert_eq!(of(whole), of(cold), "{call}");
    }
}

fn tiers(host: &TestHost, session: &Session, name: &str) -> i64 {
    let status = host.call(session, r#"{"type":"query","query":"{\"type\":\"status\"}"}"#).unwrap();
    status.at(&["memory", name]).unwrap_or_else(|| panic!("{}", status.to_json())).as_i64().unwrap()
}

#[test]
fn a_session_without_room_for_texts_gives_the_same_answers() {
    let (all, none) = (Faulty::new("tiers whole"), Faulty::new("tiers cold"));
    let whole = session(&all, "tiers whole", None);
    let cold = session(&none, "tiers cold", Some(0));
    for command in commands() {
        let told = execute(&whole.0, &whole.1, &command);
        assert_eq!(told, execute(&cold.0, &cold.1, &command), "{command}");
        assert!(tiers(&cold.0, &cold.1, "resident_bytes") < 2_000, "{command}");
    }
    same(&whole, &cold);
    assert!(tiers(&cold.0, &cold.1, "cold_bytes") > 50_000);
    assert!(tiers(&cold.0, &cold.1, "bodies_read") > 0 && tiers(&whole.0, &whole.1, "bodies_read") == 0);
    for (host, session, _) in [&whole, &cold] {
        host.call(session, r#"{"type":"close"}"#).unwrap();
    }
    // Opened anew: without a snapshot all bodies are read, but few are held.
    let again = session(&none, "tiers cold", Some(0));
    assert_eq!(again.2.at(&["memory", "from_snapshot"]).and_then(Value::as_bool), Some(false));
    assert!(tiers(&again.0, &again.1, "resident_bytes") < 2_000);
    same(&session(&all, "tiers whole", None), &again);
}

#[test]
fn the_timeline_says_what_many_events_are_without_reading_them() {
    let (all, none) = (Faulty::new("tiers drawn whole"), Faulty::new("tiers drawn"));
    let whole = session(&all, "tiers drawn whole", None);
    let cold = session(&none, "tiers drawn", Some(0));
    for of in [&whole, &cold] {
        for first in [0, 3_000] {
            let at: Vec<String> = (first..first + 3_000).map(|n| n.to_string()).collect();
            let kind: Vec<String> = (0..3_000).map(|n| (1 - n % 2).to_string()).collect();
            let columns = format!(
                r#"{{"type":"remember_columns","kinds":["in","out","never"],"at":[{}],"kind":[{}]}}"#,
                at.join(","),
                kind.join(",")
            );
            execute(&of.0, &of.1, &columns);
        }
        execute(&of.0, &of.1, r#"{"type":"purge","memories":["m_1_7"]}"#);
    }
    let before = tiers(&cold.0, &cold.1, "bodies_read");
    let drawn = ask(&cold.0, &cold.1, r#"{"type":"timeline","from":2}"#);
    assert_eq!(tiers(&cold.0, &cold.1, "bodies_read"), before, "what is drawn is at hand");
    assert!(drawn.contains("out, in (+3000)"), "{drawn}");
    assert_eq!(drawn, ask(&whole.0, &whole.1, r#"{"type":"timeline","from":2}"#));
    let all_of = |of: &(Rc<TestHost>, Session, Value)| ask(&of.0, &of.1, r#"{"type":"timeline"}"#);
    assert_eq!(all_of(&cold), all_of(&whole));
}

#[test]
fn the_timeline_names_no_kind_of_which_all_events_were_purged() {
    for (name, budget) in [("tiers purged", None), ("tiers purged cold", Some(0))] {
        let store = Faulty::new(name);
        let (host, first, _) = session(&store, name, budget);
        let columns = r#"{"type":"remember_columns","kinds":["seen","hidden"],"at":[1,2,3],"kind":[0,1,1]}"#;
        execute(&host, &first, columns);
        execute(&host, &first, r#"{"type":"purge","memories":["m_1_1","m_1_2"]}"#);
        let drawn = ask(&host, &first, r#"{"type":"timeline"}"#);
        assert!(drawn.contains("seen (+3)") && !drawn.contains("hidden"), "{drawn}");
        execute(&host, &first, r#"{"type":"purge","memories":["m_1_0"]}"#);
        let drawn = ask(&host, &first, r#"{"type":"timeline"}"#);
        assert!(!drawn.contains("seen"), "{drawn}");
        host.call(&first, r#"{"type":"close"}"#).unwrap();
        let (host, second, _) = session(&store, name, budget);
        assert_eq!(ask(&host, &second, r#"{"type":"timeline"}"#), drawn, "opened again");
    }
}

#[test]
fn an_opening_with_a_snapshot_reads_no_bodies_and_a_damaged_one_changes_nothing() {
    let store = Faulty::new("tiers snapshot");
    let (host, first, _) = session(&store, "tiers snapshot", Some(0));
    for n in 0..12 {
        execute(&host, &first, &remember(n * 100));
    }
    let digests = ask(&host, &first, QUERIES[10]);
    let recalled = ask(&host, &first, QUERIES[0]);
    host.call(&first, r#"{"type":"close"}"#).unwrap();
    let (host, second, status) = session(&store, "tiers snapshot", Some(0));
    assert_eq!(status.at(&["memory", "from_snapshot"]).and_then(Value::as_bool), Some(true), "{}", status.to_json());
    assert_eq!(status.at(&["memory", "bodies_read"]).and_then(Value::as_i64), Some(0));
    assert_eq!(ask(&host, &second, QUERIES[0]), recalled);
    assert_eq!(ask(&host, &second, QUERIES[10]), digests);
    let rows = host.call(&second, r#"{"type":"fetch_rows","rows":[0,1,500]}"#).unwrap();
    assert_eq!(rows.get("rows").and_then(Value::as_i64), Some(3), "{}", rows.to_json());
    host.call(&second, r#"{"type":"close"}"#).unwrap();
    store.memory().damage_beside(|_, snapshot| {
        let bytes = snapshot.as_mut().unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    });
    let (host, third, status) = session(&store, "tiers snapshot", Some(0));
    assert_eq!(status.at(&["memory", "from_snapshot"]).and_then(Value::as_bool), Some(false));
    assert_eq!(ask(&host, &third, QUERIES[10]), digests);
    execute(&host, &third, r#"{"type":"remember","items":[{"kind":"note","text":"zanzibar lies there","at":5}]}"#);
    execute(&host, &third, r#"{"type":"purge","memories":["m_1_7","m_13_0"]}"#);
    let mut left = 0;
    store.memory().damage_beside(|bodies, snapshot| {
        left = bodies.len();
        assert!(snapshot.is_none(), "a purge leaves no snapshot");
        assert!(!bodies.values().any(|bytes| String::from_utf8_lossy(bytes).contains("event 7 near")));
    });
    assert_eq!(left, 12);
    let recalled = ask(&host, &third, QUERIES[0]);
    assert!(recalled.contains("word123"));
    let digests = ask(&host, &third, QUERIES[10]);
    host.call(&third, r#"{"type":"close"}"#).unwrap();
    store.memory().damage_beside(|_, snapshot| {
        let bytes = snapshot.as_ref().unwrap();
        assert!(!bytes.windows(8).any(|part| part == b"zanzibar"), "the next snapshot knows nothing of it");
    });
    let (host, fourth, status) = session(&store, "tiers snapshot", Some(0));
    assert_eq!(status.at(&["memory", "from_snapshot"]).and_then(Value::as_bool), Some(true));
    assert_eq!(ask(&host, &fourth, QUERIES[0]), recalled);
    assert_eq!(ask(&host, &fourth, QUERIES[10]), digests);
}

#[test]
fn a_missing_body_is_told_and_never_taken_for_erased() {
    let store = Faulty::new("tiers missing");
    let (host, first, _) = session(&store, "tiers missing", Some(0));
    for n in 0..12 {
        execute(&host, &first, &remember(n * 100));
    }
    host.call(&first, r#"{"type":"close"}"#).unwrap();
    store.memory().damage_beside(|bodies, _| drop(bodies.remove(&2)));
    let (host, second, _) = session(&store, "tiers missing", Some(0));
    let told = ask(&host, &second, r#"{"type":"recall","words":"word123"}"#);
    assert!(told.contains("body-missing"), "{told}");
    let verified = host.call(&second, r#"{"type":"verify"}"#).unwrap().to_json();
    assert!(verified.contains("body-missing") && verified.contains("\"ok\":false"), "{verified}");
}

const DOMAIN: &str = r#"{"type":"load_domain","domain":{"name":"rooms","version":"1","languages":["en"],
    "facts":{"wish":{"value":{"type":"text"}}},
    "intents":{"note":{"description":{"en":"The user says what they wish for"},"keywords":["like"],"answer":"noted"}},
    "answers":{"noted":{"template":{"en":"Noted: {{ facts.wish }}."}}},
    "agent":{"instructions":{"en":"You take down wishes."},"confidence":0.5,"retries":1}}}"#;

/// Twenty turns without a model, what else a session does, and batches that are refused when half of them is done.
fn conversation() -> Vec<String> {
    let mut all = vec![DOMAIN.to_owned(), remember(0)];
    for n in 0..20 {
        all.push(format!(r#"{{"type":"assert_fact","key":"wish","value":"room {n}"}}"#));
        all.push(format!(r#"{{"type":"begin_turn","text":"I would like a quiet room, {n}"}}"#));
    }
    let more = [
        r#"{"type":"batch","commands":[{"type":"assert_fact","key":"wish","value":"none"},{"type":"purge","memories":["m_99_9"]}]}"#,
        r#"{"type":"batch","commands":[{"type":"remember","items":[{"kind":"note","text":"half of it","at":77}]},{"type":"purge","memories":["m_99_9"]}]}"#,
        r#"{"type":"schedule_event","name":"late","when":"facts.wish == 'a view'","do":[{"type":"assert_fact","key":"wish","value":"both"},{"type":"purge","memories":["m_99_9"]}]}"#,
        r#"{"type":"assert_fact","key":"wish","value":"a view"}"#,
        r#"{"type":"begin_turn","text":"I would like a view"}"#,
        r#"{"type":"remember","items":[{"kind":"note","text":"after all","at":78}]}"#,
        r#"{"type":"purge","memories":["m_2_7"]}"#,
        r#"{"type":"stop_turn"}"#,
    ];
    all.extend(more.map(str::to_owned));
    all
}

const TOLD: [&str; 17] = [
    r#"{"type":"turns"}"#,
    r#"{"type":"turns","turn":3}"#,
    r#"{"type":"turns","turn":3,"at":{"seq":40}}"#,
    r#"{"type":"turns","at":{"seq":100}}"#,
    r#"{"type":"metrics"}"#,
    r#"{"type":"spans","turn":2,"content":true}"#,
    r#"{"type":"problems"}"#,
    r#"{"type":"prompt","stage":"interpret"}"#,
    r#"{"type":"records","kinds":["exchange."],"limit":9}"#,
    r#"{"type":"record","seq":30}"#,
    r#"{"type":"timeline"}"#,
    r#"{"type":"why","key":"wish"}"#,
    r#"{"type":"without","seq":3}"#,
    r#"{"type":"replay"}"#,
    r#"{"type":"digests"}"#,
    r#"{"type":"digests","at":{"seq":60}}"#,
    r#"{"type":"metrics","at":{"seq":70}}"#,
];

#[test]
fn a_session_that_keeps_outlines_of_its_turns_only_tells_everything_of_them() {
    let (all, none) = (Faulty::new("outlines whole"), Faulty::new("outlines cold"));
    let (whole, cold) = (session(&all, "outlines whole", None), session(&none, "outlines cold", Some(0)));
    for command in conversation() {
        assert_eq!(execute(&whole.0, &whole.1, &command), execute(&cold.0, &cold.1, &command), "{command}");
    }
    same_of(&TOLD, &whole, &cold);
    same(&whole, &cold);
    assert!(ask(&cold.0, &cold.1, TOLD[0]).contains("Noted: room 3[1]."));
    assert!(ask(&cold.0, &cold.1, TOLD[13]).contains("\"same\":true"), "{}", ask(&cold.0, &cold.1, TOLD[13]));
    let refused = |query: &&str| ask(&cold.0, &cold.1, query).starts_with("Refusal");
    assert_eq!(TOLD.iter().filter(|query| refused(query)).collect::<Vec<_>>(), Vec::<&&str>::new());
    let before = tiers(&cold.0, &cold.1, "bodies_read");
    assert!(ask(&cold.0, &cold.1, r#"{"type":"metrics"}"#).contains("\"answered\":21"));
    assert_eq!(tiers(&cold.0, &cold.1, "bodies_read"), before, "figures are at hand");
    // What the event did half of is refused on record, as what the batches did half of.
    let refused = ask(&cold.0, &cold.1, r#"{"type":"records","kinds":["command.refused","event.fired"]}"#);
    assert_eq!(refused.matches("\"kind\":\"command.refused\"").count(), 4, "{refused}");
    assert!(tiers(&cold.0, &cold.1, "bodies_read") > 0 && tiers(&whole.0, &whole.1, "bodies_read") == 0);
    for (host, session, _) in [&whole, &cold] {
        host.call(session, r#"{"type":"close"}"#).unwrap();
    }
    let again = session(&none, "outlines cold", Some(0));
    let whole = session(&all, "outlines whole", None);
    same_of(&TOLD, &whole, &again);
    same(&whole, &again);
}

#[test]
fn what_is_taken_back_again_is_folded_from_where_it_was_the_last_time() {
    let store = Faulty::new("tiers taken back");
    let (host, session, _) = session(&store, "tiers taken back", Some(0));
    for command in conversation() {
        execute(&host, &session, &command);
    }
    let refused = r#"{"type":"batch","commands":[{"type":"assert_fact","key":"wish","value":"none"},{"type":"purge","memories":["m_99_9"]}]}"#;
    let read = |what: &str| {
        let before = tiers(&host, &session, "bodies_read");
        assert!(execute(&host, &session, what).contains("unknown-memory"));
        tiers(&host, &session, "bodies_read") - before
    };
    read(refused);
    execute(&host, &session, r#"{"type":"begin_turn","text":"I would like a quiet room again"}"#);
    assert!((1..8).contains(&read(refused)), "only what came since is read");
    let turns = ask(&host, &session, TOLD[1]);
    assert!(turns.contains("Noted: room 2[1].") && ask(&host, &session, TOLD[13]).contains("\"same\":true"));
}

#[test]
fn a_walk_over_texts_that_are_not_here_reads_several_at_a_time() {
    let store = Faulty::new("tiers walk");
    let (host, first, _) = session(&store, "tiers walk", None);
    for n in 0..24 {
        execute(&host, &first, &remember(n * 100));
    }
    host.call(&first, r#"{"type":"close"}"#).unwrap();
    let (host, second, status) = session(&store, "tiers walk", None);
    assert_eq!(status.at(&["memory", "from_snapshot"]).and_then(Value::as_bool), Some(true));
    // One answer that needs many asks for them together.
    store.loads.set(0);
    assert!(ask(&host, &second, r#"{"type":"memory_history","entity":"e3","limit":60}"#).contains("word2"));
    assert_eq!(store.loads.get(), 1);
    // Row after row, of one frame each: from the third on they are there before they are asked for.
    let (host, third, _) = session(&store, "tiers walk", None);
    store.loads.set(0);
    for frame in 0..24 {
        let rows = host.call(&third, &format!(r#"{{"type":"fetch_rows","rows":[{}]}}"#, frame * 100)).unwrap();
        assert_eq!(rows.get("rows").and_then(Value::as_i64), Some(1));
    }
    assert!(store.loads.get() <= 2 + 24usize.div_ceil(throughline_engine::READ_AHEAD), "{} loads", store.loads.get());
    // Here and there, nothing is read that was not asked for.
    let (host, fourth, _) = session(&store, "tiers walk", None);
    for frame in [20, 4, 12] {
        host.call(&fourth, &format!(r#"{{"type":"fetch_rows","rows":[{}]}}"#, frame * 100)).unwrap();
    }
    assert_eq!(tiers(&host, &fourth, "bodies_read"), 3);
}
