//! The loop: one append in flight, acknowledged when durable, conflicts lose nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use throughline_engine::{Engine, ExchangeEvent, Input, Output, digests_of};
use throughline_journal::{Frame, Head, Journal};
use throughline_protocol::{Meta, Outcome};

fn fact(key: &str, value: i64) -> String {
    format!(r#"{{"type":"assert_fact","key":"{key}","value":{value}}}"#)
}

fn execute(engine: &mut Engine, ticket: u64, text: &str) {
    engine.handle(1_000, Input::Execute { ticket, text: text.to_owned(), meta: Meta::default() }).unwrap();
}

type Outcomes = Vec<(u64, Outcome)>;
type Wanted = Option<(u64, Head, Frame)>;

fn drain(engine: &mut Engine) -> (Outcomes, Wanted) {
    let (mut done, mut append) = (Vec::new(), None);
    while let Some(output) = engine.poll() {
        match output {
            Output::Done { ticket, outcome } => done.push((ticket, outcome)),
            Output::Append { append: id, expected, frame } => {
                assert!(append.is_none(), "one append at a time");
                append = Some((id, expected, frame));
            }
            _ => {}
        }
    }
    (done, append)
}

fn value_of(engine: &Engine, key: &str) -> Option<i64> {
    let facts = engine.query(2_000, &format!(r#"{{"type":"facts","key":"{key}"}}"#)).unwrap();
    facts.at(&["facts", "0", "value"]).and_then(|v| v.as_i64())
}

#[test]
fn a_command_is_acknowledged_only_after_its_append_is_committed() {
    let mut engine = Engine::new("a");
    execute(&mut engine, 1, &fact("x", 1));
    let (done, append) = drain(&mut engine);
    assert!(done.is_empty());
    assert_eq!(value_of(&engine, "x"), None, "a query sees what is committed");
    let (id, expected, frame) = append.unwrap();
    assert_eq!((expected.seq, frame.first), (0, 1));
    engine.handle(1_001, Input::Appended { append: id }).unwrap();
    let (done, _) = drain(&mut engine);
    assert!(matches!(&done[..], [(1, Outcome::Done(done))] if done.records == [1]));
    assert_eq!(value_of(&engine, "x"), Some(1));
}

#[test]
fn commands_that_come_while_an_append_is_in_flight_join_the_next_frame() {
    let mut engine = Engine::new("a");
    execute(&mut engine, 1, &fact("x", 1));
    let (_, append) = drain(&mut engine);
    for ticket in 2..10 {
        execute(&mut engine, ticket, &fact("y", 7));
    }
    assert!(drain(&mut engine).1.is_none());
    engine.handle(1_001, Input::Appended { append: append.unwrap().0 }).unwrap();
    let (done, append) = drain(&mut engine);
    assert_eq!(done.len(), 1);
    let (id, _, frame) = append.unwrap();
    assert_eq!(frame.records.len(), 1, "eight identical writes are one version");
    engine.handle(1_002, Input::Appended { append: id }).unwrap();
    let (done, _) = drain(&mut engine);
    assert_eq!(done.len(), 8);
    assert!(done.iter().all(|(_, outcome)| matches!(outcome, Outcome::Done(_))));
}

#[test]
fn the_loser_of_a_conflict_folds_the_other_frames_and_decides_again() {
    let mut winner = Engine::new("shared");
    let mut loser = Engine::new("shared");
    execute(&mut winner, 1, &fact("x", 1));
    execute(&mut loser, 1, &fact("x", 1));
    execute(&mut loser, 2, &fact("y", 2));
    let (id, _, frame) = drain(&mut winner).1.unwrap();
    winner.handle(1_001, Input::Appended { append: id }).unwrap();
    drain(&mut winner);
    let (id, ..) = drain(&mut loser).1.unwrap();
    loser.handle(1_002, Input::Conflict { append: id, frames: vec![frame] }).unwrap();
    let (done, append) = drain(&mut loser);
    assert!(done.is_empty(), "what is decided again is acknowledged when that is durable");
    let (id, expected, frame) = append.unwrap();
    assert_eq!(expected.seq, 1);
    loser.handle(1_003, Input::Appended { append: id }).unwrap();
    let (done, _) = drain(&mut loser);
    assert!(matches!(&done[0], (1, Outcome::Done(done)) if done.records.is_empty()), "x was set by the winner");
    winner.handle(1_004, Input::Foreign { frames: vec![frame] }).unwrap();
    drain(&mut winner);
    assert_eq!(digests_of(winner.journal(), 2), digests_of(loser.journal(), 2));
    assert_eq!((value_of(&winner, "x"), value_of(&winner, "y")), (Some(1), Some(2)));
}

#[test]
fn a_failed_append_refuses_its_commands_and_leaves_the_state_as_it_was() {
    let mut engine = Engine::new("a");
    execute(&mut engine, 1, &fact("x", 1));
    let (id, ..) = drain(&mut engine).1.unwrap();
    engine
        .handle(1, Input::AppendFailed { append: id, code: "quota".into(), message: "free some space".into() })
        .unwrap();
    let (done, append) = drain(&mut engine);
    assert!(append.is_none());
    assert!(matches!(&done[..], [(1, Outcome::Refused(refusal))] if refusal.code == "quota"));
    assert_eq!(value_of(&engine, "x"), None);
    assert_eq!(engine.journal().head().seq, 0);
    execute(&mut engine, 2, &fact("x", 5));
    let (id, _, frame) = drain(&mut engine).1.unwrap();
    assert_eq!(frame.first, 1, "the numbers have no gap");
    engine.handle(3, Input::Appended { append: id }).unwrap();
    assert_eq!(value_of(&engine, "x"), Some(5));
}

#[test]
fn an_append_that_is_not_in_flight_cannot_be_answered() {
    let mut engine = Engine::new("a");
    assert_eq!(engine.handle(1, Input::Appended { append: 9 }).unwrap_err().code, "unknown-append");
    let stranger = Journal::new("b").propose(1, vec![], vec![throughline_journal::Draft::new("a.b", true.into())]);
    let refused = engine.handle(1, Input::Foreign { frames: vec![stranger] }).unwrap_err();
    assert_eq!(refused.code, "foreign-frames-broken");
    assert_eq!(engine.journal().head().seq, 0);
}

#[test]
fn an_idempotency_key_answers_what_the_first_time_answered() {
    let mut engine = Engine::new("a");
    let meta = Meta { idempotency_key: Some("k1".into()), ..Meta::default() };
    for ticket in [1, 2] {
        engine.handle(1, Input::Execute { ticket, text: fact("x", 1), meta: meta.clone() }).unwrap();
        let (mut done, append) = drain(&mut engine);
        if let Some((id, ..)) = append {
            engine.handle(1, Input::Appended { append: id }).unwrap();
            done.extend(drain(&mut engine).0);
        }
        assert!(matches!(&done[..], [(_, Outcome::Done(done))] if done.records == [1]), "{done:?}");
    }
    assert_eq!(value_of(&engine, "x"), Some(1));
    // It is known after a reload too.
    let mut engine = Engine::open(engine.journal().clone());
    engine.handle(1, Input::Execute { ticket: 3, text: fact("x", 1), meta: meta.clone() }).unwrap();
    assert!(drain(&mut engine).1.is_none());
    // Another command may not take it.
    engine.handle(1, Input::Execute { ticket: 4, text: fact("x", 3), meta }).unwrap();
    let (id, ..) = drain(&mut engine).1.unwrap();
    engine.handle(1, Input::Appended { append: id }).unwrap();
    let (done, _) = drain(&mut engine);
    assert!(matches!(&done[..], [(4, Outcome::Refused(refusal))] if refusal.code == "idempotency-conflict"));
    assert_eq!(value_of(&engine, "x"), Some(1));
}

#[test]
fn a_caller_who_has_seen_another_head_is_refused() {
    let mut engine = Engine::new("a");
    let meta = Meta { expected_head: Some(4), ..Meta::default() };
    engine.handle(1, Input::Execute { ticket: 1, text: fact("x", 1), meta }).unwrap();
    let (id, _, frame) = drain(&mut engine).1.unwrap();
    assert_eq!(frame.records[0].kind, "command.refused");
    engine.handle(1, Input::Appended { append: id }).unwrap();
    let (done, _) = drain(&mut engine);
    assert!(matches!(&done[0], (1, Outcome::Refused(refusal)) if refusal.code == "head-moved"));
}

#[test]
fn a_view_at_any_record_is_what_it_was_when_that_record_was_the_last() {
    let mut engine = Engine::new("a");
    let commands = [
        fact("x", 1),
        r#"{"type":"register_entity","entity_type":"order","raw_id":"7","fields":{"price":91.70}}"#.to_owned(),
        fact("x", 2),
        r#"{"type":"remember","items":[{"kind":"note","text":"one"}]}"#.to_owned(),
        r#"{"type":"schedule_event","name":"later","delay":"PT1H"}"#.to_owned(),
        r#"{"type":"retract_fact","key":"x"}"#.to_owned(),
        r#"{"type":"update_entity","entity":"7","fields":{"price":80}}"#.to_owned(),
    ];
    let queries =
        ["facts", "entities", "recall", "events", "relations", "problems", "machine", "documents", "turns", "runs"];
    let ask = |engine: &Engine, seq: u64| -> Vec<String> {
        let ask =
            |name: &&str| engine.query(0, &format!(r#"{{"type":"{name}","at":{{"seq":{seq}}}}}"#)).unwrap().to_json();
        queries.iter().map(ask).chain([format!("{:?}", digests_of(engine.journal(), seq))]).collect()
    };
    let mut then = Vec::new();
    for (i, command) in commands.iter().enumerate() {
        execute(&mut engine, i as u64, command);
        let (id, ..) = drain(&mut engine).1.unwrap();
        engine.handle(1, Input::Appended { append: id }).unwrap();
        drain(&mut engine);
        let seq = engine.journal().head().seq;
        then.push((seq, ask(&engine, seq)));
    }
    let reopened = Engine::open(engine.journal().clone());
    for (seq, answers) in then {
        assert_eq!(ask(&engine, seq), answers, "at record {seq}");
        assert_eq!(ask(&reopened, seq), answers, "at record {seq}, reopened");
    }
}

#[test]
fn a_reply_without_end_is_failed_at_its_limit() {
    let mut session = throughline_engine::Engine::new("a");
    let domain =
        r#"{"type":"load_domain","domain":{"name":"d","version":"1","intents":{"i":{}},"agent":{"retries":0}}}"#;
    let begin = r#"{"type":"begin_turn","text":"hello"}"#;
    let mut exchange = None;
    for (ticket, text) in [(1, domain), (2, begin)] {
        execute(&mut session, ticket, text);
        while let Some(output) = session.poll() {
            match output {
                Output::Append { append, .. } => session.handle(1, Input::Appended { append }).unwrap(),
                Output::Exchange { exchange: id, .. } => exchange = Some(id),
                _ => {}
            }
        }
    }
    let exchange = exchange.unwrap();
    let mut give = |event| session.handle(2, Input::Exchange { exchange, event }).unwrap();
    give(ExchangeEvent::Head { status: 200, content_type: "text/event-stream".into() });
    for _ in 0..20 {
        give(ExchangeEvent::Bytes(vec![b'x'; 100_000]));
    }
    while let Some(output) = session.poll() {
        if let Output::Append { append, .. } = output {
            session.handle(3, Input::Appended { append }).unwrap();
        }
    }
    let problems = session.query(4, r#"{"type":"problems"}"#).unwrap();
    assert_eq!(problems.at(&["0", "code"]).and_then(|v| v.as_str()), Some("reply-too-long"));
}
