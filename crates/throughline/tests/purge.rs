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

const SECRET: &str = "tangerine";

fn session(commands: &[&str]) -> Local {
    let mut session = Local::new("quoted", NOW);
    for command in commands {
        session.execute(command).unwrap();
    }
    session
}

/// Purges, and looks at every byte and every view. Gives what the purge answered.
fn purge(session: &mut Local, ids: &str) -> Value {
    assert!(session.export().contains(SECRET));
    let done = session.execute(&format!(r#"{{"type":"purge","memories":{ids}}}"#)).unwrap();
    gone(session);
    done.result
}

fn gone(session: &Local) {
    let text = session.export();
    let at = text.find(SECRET).map(|at| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(300)..(at + 60).min(text.len())]).into_owned()
    });
    assert_eq!(at, None);
    let copy = throughline::journal::import(&text).unwrap();
    let head = copy.head().seq;
    let again = Local::open(copy, session.now());
    for query in [
        r#"{"type":"records"}"#,
        r#"{"type":"timeline"}"#,
        r#"{"type":"problems"}"#,
        r#"{"type":"turns"}"#,
        r#"{"type":"facts"}"#,
        r#"{"type":"facts","at":{"seq":4}}"#,
    ] {
        for session in [session, &again] {
            if let Ok(found) = session.query(query) {
                assert!(!found.to_json().contains(SECRET), "{query}: {}", found.to_json());
            }
        }
    }
    assert_eq!(digests_of(again.journal(), head), digests_of(session.journal(), head));
    let digests = r#"{"type":"digests"}"#;
    assert_eq!(again.query(digests).unwrap(), session.query(digests).unwrap(), "live as from its bytes");
    replayed(session);
    replayed(&again);
}

#[test]
fn a_purge_reaches_commands_that_were_refused() {
    let mut session = session(&[]);
    let refused = |session: &mut Local, command: &str| session.execute(command).unwrap_err().code;
    let no_zone =
        r#"{"type":"remember","items":[{"kind":"hidden","text":"the word is tangerine","at":"2026-01-01T10:00"}]}"#;
    assert_eq!(refused(&mut session, no_zone), "zone-missing");
    assert_eq!(refused(&mut session, r#"{"type":"remember","items":[{"kind":"x","text":"tangerine""#), "json-syntax");
    session.execute(r#"{"type":"remember","items":[{"kind":"hidden","text":"the word is tangerine"},{"kind":"x","text":"a word of nine"}]}"#).unwrap();
    for command in [
        r#"{"type":"amend","memory":"m_3_0","text":"another tangerine","importance":2}"#,
        r#"{"type":"batch","commands":[{"type":"remember","items":[{"kind":"hidden","text":"the word is tangerine"}]},{"type":"recover","memories":["m_99_0"]}]}"#,
        r#"{"type":"call_tool","call":{"name":"remember","args":{"items":[{"kind":"","text":"tangerine!"}]}}}"#,
        r#"{"type":"remember","items":[{"kind":"x","text":"tangerine"}],"more":1}"#,
        r#"{"type":"assert_fact","key":"","value":"the word is tangerine"}"#,
    ] {
        refused(&mut session, command);
    }
    let long =
        format!(r#"{{"type":"remember","items":[{{"kind":"x","text":"tangerine {}"}}]}}"#, "long ".repeat(20_000));
    assert_eq!(refused(&mut session, &long), "text-too-long");
    purge(&mut session, r#"["m_3_0"]"#);
    assert!(session.export().contains("a word of nine"));
    session.execute(r#"{"type":"purge","memories":["m_3_1"]}"#).unwrap();
    assert!(!session.export().contains("a word of nine"));
}

#[test]
fn a_purge_reaches_what_was_said_again_under_the_same_key() {
    let mut session = session(&[]);
    let meta = |key: &str| throughline::protocol::Meta { idempotency_key: Some(key.to_owned()), ..Default::default() };
    let command = r#"{"type":"remember","items":[{"kind":"x","text":"it is a tangerine"}]}"#;
    session.execute_with(command, meta("k")).unwrap();
    session.execute_with(command, meta("k")).unwrap();
    let other = r#"{"type":"assert_fact","key":"k","value":"it is a tangerine"}"#;
    assert_eq!(session.execute_with(other, meta("k")).unwrap_err().code, "idempotency-conflict");
    replayed(&session);
    let plain =
        fork(session.journal(), &from_value(&json::read_value(r#"{"at":0,"until":1}"#).unwrap()).unwrap()).unwrap();
    assert_eq!(plain.report.commands[0].outcome, "same");
    purge(&mut session, r#"["m_1_0"]"#);
}

#[test]
fn a_purge_reaches_what_plans_took_from_the_memory() {
    let mut session = session(&[
        r#"{"type":"load_domain","domain":{"name":"d","sources":{"events":{"kind":"memory"}}}}"#,
        r#"{"type":"remember","items":[{"kind":"x","text":"the safe opens with tangerine","entities":["safe"],"data":{"code":"tangerine-envelope"}},{"kind":"x","text":"the office opens at nine","entities":["office"]}]}"#,
        r#"{"type":"start_run","plan":"$found = SEARCH events FOR \"opens\"\n$code = COMPUTE [$found[0].text, $found[1].text]\n$answer = COMPUTE $code[0]"}"#,
    ]);
    let run = session.query(r#"{"type":"run"}"#);
    println!("{run:?}");
    let told = purge(&mut session, r#"["m_2_0"]"#);
    assert!(told.get("also_erased").is_some(), "{}", told.to_json());
    assert!(session.export().contains("the office opens at nine"));
}

#[test]
fn facts_that_rest_on_a_purged_memory_alone_go_end_or_stay_as_the_domain_says() {
    let domain = r#"{"type":"load_domain","domain":{"name":"d","facts":{
        "code":{},"tag":{"cardinality":"many"},"ended":{"on_purge":"end"},"kept":{"on_purge":"keep"},"both":{}}}}"#;
    let remember = r#"{"type":"remember","items":[{"kind":"x","text":"the code is tangerine"},{"kind":"x","text":"the code is four digits"}]}"#;
    let mut session = session(&[
        domain,
        remember,
        r#"{"type":"assert_fact","key":"code","value":"1234"}"#,
        r#"{"type":"assert_fact","key":"code","value":"tangerine","source":"m_2_0"}"#,
        r#"{"type":"assert_fact","key":"tag","value":"fruit tangerine","source":"m_2_0"}"#,
        r#"{"type":"assert_fact","key":"tag","value":"digits","source":"m_2_1"}"#,
        r#"{"type":"assert_fact","key":"ended","value":"by end","source":"m_2_0"}"#,
        r#"{"type":"assert_fact","key":"kept","value":"stays","source":"m_2_0"}"#,
        r#"{"type":"assert_fact","key":"both","value":"two","sources":["m_2_0","m_2_1"]}"#,
    ]);
    let facts = |session: &Local, at: &str| -> Vec<(String, String)> {
        let page = session.query(&format!(r#"{{"type":"facts"{at}}}"#)).unwrap();
        let text = |fact: &Value, name: &str| fact.get(name).and_then(Value::as_str).unwrap().to_owned();
        let list = page.get("facts").and_then(Value::as_list).unwrap();
        list.iter().map(|fact| (text(fact, "key"), text(fact, "value"))).collect()
    };
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    };
    assert_eq!(facts(&session, "").len(), 6);
    replayed(&session);
    let told = purge(&mut session, r#"["m_2_0"]"#);
    assert_eq!(told.get("facts_erased"), Some(&vec![4u64, 5].into()), "{}", told.to_json());
    assert_eq!(told.get("facts_ended"), Some(&vec![7u64].into()), "{}", told.to_json());
    // What it took the place of does not come back.
    assert_eq!(facts(&session, ""), pairs(&[("both", "two"), ("kept", "stays"), ("tag", "digits")]));
    assert_eq!(facts(&session, r#","at":{"seq":4}"#), pairs(&[]));
    assert_eq!(facts(&session, r#","at":{"seq":3}"#), pairs(&[("code", "1234")]));
    // The second source goes too: now nothing is left that they rest on.
    let told = session.execute(r#"{"type":"purge","memories":["m_2_1"]}"#).unwrap().result;
    assert_eq!(told.get("facts_erased"), Some(&vec![6u64, 9].into()), "{}", told.to_json());
    assert_eq!(facts(&session, ""), pairs(&[("kept", "stays")]));
    gone(&session);
    session.execute(r#"{"type":"assert_fact","key":"code","value":"9876"}"#).unwrap();
    assert_eq!(facts(&session, ""), pairs(&[("code", "9876"), ("kept", "stays")]));
    gone(&session);
}

#[test]
fn what_a_purge_cannot_erase_is_told() {
    let mut session = session(&[
        r#"{"type":"remember","items":[{"kind":"x","text":"the code is tangerine"}]}"#,
        r#"{"type":"add_document","name":"d","media_type":"text/plain","text":"I noted: the code is tangerine."}"#,
        r#"{"type":"assert_fact","key":"said","value":"the code is tangerine"}"#,
        r#"{"type":"assert_fact","key":"other","value":"the code is tangerines, or so"}"#,
    ]);
    let meta = throughline::protocol::Meta {
        reason: Some("he said \"the code is tangerine\"".to_owned()),
        ..Default::default()
    };
    session.execute_with(r#"{"type":"assert_fact","key":"n","value":1}"#, meta).unwrap();
    let told = session.execute(r#"{"type":"purge","memories":["m_1_0"]}"#).unwrap().result;
    assert_eq!(told.get("also_in"), Some(&vec![2u64, 3, 5].into()), "{}", told.to_json());
    replayed(&session);
}

#[test]
fn a_purge_reaches_the_prompts_and_replies_of_turns_that_read_the_memory() {
    let domain = r#"{"type":"load_domain","domain":{"name":"d","languages":["en"],
        "sources":{"events":{"kind":"memory"}},
        "intents":{"ask":{"description":{"en":"asks about the safe"},"keywords":["safe"],
          "plan":"$found = SEARCH events FOR \"opens\"\n$text = COMPUTE $found[0].text",
          "facts":{"seen":"text"},"answer":"said"}},
        "facts":{"seen":{},"known":{}},
        "agent":{"model_answers":true},
        "answers":{"said":{"template":{"en":"I know: {{ text }}"}}}}}"#;
    let mut session = session(&[
        domain,
        r#"{"type":"remember","items":[{"kind":"x","text":"the safe opens with tangerine-envelope"},{"kind":"x","text":"the office of nine"}]}"#,
    ]);
    let cassette = r#"{"match":{"purpose":"interpret"},"reply":{"intent":"ask","confidence":0.9,"entities":[],"facts":[]}}
{"match":{"purpose":"respond"},"reply":{"text":"It is the tangerine-envelope that opens it."}}"#;
    session.load_cassette(cassette).unwrap();
    session.execute(r#"{"type":"begin_turn","text":"how does the safe open?"}"#).unwrap();
    println!("{}", session.query(r#"{"type":"turns"}"#).unwrap().to_json());
    assert!(session.export().contains("exchange.requested"));
    let told = purge(&mut session, r#"["m_2_0"]"#);
    assert!(told.get("also_erased").is_some(), "{}", told.to_json());
    assert!(session.export().contains("how does the safe open?"));
}
