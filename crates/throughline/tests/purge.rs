//! Forks and copies of a journal of which something was purged.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use throughline::Local;
use throughline::engine::{digests_of, fork};
use throughline::protocol::session::Fork;
use throughline::value::{Value, from_value, json};

const NOW: i64 = 1_770_000_000_000;

fn journal() -> Local {
    let mut session = Local::new("purged", NOW);
    for command in [
        r#"{"type":"remember","items":[{"kind":"a","text":"tangerine one"},{"kind":"a","text":"plain two"}]}"#,
        r#"{"type":"batch","commands":[{"type":"remember","items":[{"kind":"b","text":"three"}]},
            {"type":"remember_columns","kinds":["c"],"at":[1,2],"kind":[0,0],"text":"tangerinefour","text_bytes":[9,4]}]}"#,
        r#"{"type":"amend","memory":"m_2_0","text":"three again"}"#,
        r#"{"type":"purge","memories":["m_1_0","m_3_0"]}"#,
        r#"{"type":"remember","items":[{"kind":"d","text":"five"}]}"#,
    ] {
        session.execute(command).unwrap();
    }
    session
}

fn texts(session: &Local) -> Vec<String> {
    let page = session.query(r#"{"type":"recall","order":"recorded"}"#).unwrap();
    let hits = page.get("hits").and_then(Value::as_list).unwrap();
    hits.iter().map(|hit| hit.get("text").and_then(Value::as_str).unwrap().to_owned()).collect()
}

#[test]
fn a_fork_from_any_moment_holds_what_is_left_and_nothing_of_what_was_purged() {
    let session = journal();
    let all = texts(&session);
    assert_eq!(all, ["plain two", "three again", "four", "five"]);
    let head = session.journal().head().seq;
    for at in 0..=head {
        let options: Fork =
            from_value(&json::read_value(&format!(r#"{{"at":{at},"until":{head}}}"#)).unwrap()).unwrap();
        let forked = fork(session.journal(), &options).unwrap();
        let text = forked.journal.export(NOW);
        assert!(!text.contains("tangerine"), "forked at {at}");
        let copy = throughline::journal::import(&text).unwrap_or_else(|error| panic!("forked at {at}: {error}"));
        assert_eq!(copy.head(), forked.journal.head());
        let again = Local::open(copy, NOW + 1_000_000);
        let found = texts(&again);
        assert!(found.contains(&"plain two".to_owned()) && found.contains(&"five".to_owned()), "at {at}: {found:?}");
    }
}

#[test]
fn a_copy_has_the_digests_of_the_journal_at_every_moment() {
    let session = journal();
    let copy = throughline::journal::import(&session.export()).unwrap();
    for seq in 0..=copy.head().seq {
        assert_eq!(digests_of(&copy, seq), digests_of(session.journal(), seq), "at {seq}");
    }
}

fn replayed(session: &Local) -> (Value, u64) {
    let view = session.query(r#"{"type":"replay"}"#).unwrap();
    assert_eq!(view.get("same"), Some(&true.into()), "{}", view.to_json());
    let skipped = view.get("not_decided_again").and_then(Value::as_i64).unwrap_or(0).cast_unsigned();
    (view, skipped)
}

#[test]
fn what_was_decided_from_something_erased_is_not_decided_again_and_is_counted() {
    let (_, skipped) = replayed(&journal());
    assert!(skipped >= 4, "{skipped}");
    let mut session = Local::new("uses", NOW);
    let commands = [
        r#"{"type":"remember","items":[{"kind":"a","text":"tangerine one","importance":0.1},{"kind":"a","text":"plain two"}]}"#,
        r#"{"type":"remember","items":[{"kind":"a","text":"three"}]}"#,
        r#"{"type":"touch","memories":["m_1_0","m_2_0"]}"#,
        r#"{"type":"amend","memory":"m_1_0","text":"tangerine again"}"#,
        r#"{"type":"forget","memories":["m_1_0"]}"#,
        r#"{"type":"recover","memories":["m_1_0"]}"#,
        r#"{"type":"forget_by","keep_events":2}"#,
        r#"{"type":"recover","memories":["m_1_0"]}"#,
        r#"{"type":"assert_fact","key":"k","value":1}"#,
        r#"{"type":"purge","memories":["m_1_0"]}"#,
        r#"{"type":"touch","memories":["m_2_0"]}"#,
    ];
    for command in commands {
        session.execute(command).unwrap();
    }
    // What names a purged event afterwards is refused, and that is decided again.
    for command in [
        r#"{"type":"recover","memories":["m_1_0"]}"#,
        r#"{"type":"forget","memories":["m_1_0"]}"#,
        r#"{"type":"amend","memory":"m_1_0","text":"x"}"#,
    ] {
        assert_eq!(session.execute(command).unwrap_err().code, "memory-purged");
    }
    session.execute(r#"{"type":"forget_by","keep_events":1}"#).unwrap();
    let (view, skipped) = replayed(&session);
    assert_eq!(view.get("records"), Some(&session.journal().head().seq.into()));
    // The remembering, the touch, amend, forget, recover, forget_by, recover and the purge.
    assert_eq!(skipped, 8, "{}", view.to_json());
    let again = Local::open(throughline::journal::import(&session.export()).unwrap(), session.now());
    assert_eq!(replayed(&again).1, skipped);
    for seq in 1..session.journal().head().seq {
        let view = session.query(&format!(r#"{{"type":"replay","at":{{"seq":{seq}}}}}"#)).unwrap();
        assert_eq!(view.get("same"), Some(&true.into()), "{seq}: {}", view.to_json());
    }
}
