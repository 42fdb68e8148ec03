//! Columns that come as they are give what their packed text gives.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

use throughline_journal::{Actor, ActorKind, Body, Record};
use throughline_memory::{Columns, Memory};
use throughline_protocol::command::{Command, RememberColumns};
use throughline_protocol::{At, Context, Domain, Refusal};
use throughline_value::{Value, json, to_value};

fn columns() -> Columns {
    Columns {
        kinds: vec!["seen".into(), "heard".into()],
        entities: vec!["pan".into(), "stove".into(), "door".into()],
        at: vec![5_000, -3, 5_000, 1_772_675_400_000],
        kind: vec![0, 1, 1, 0],
        entity_count: vec![1, 0, 2, 1],
        entity: vec![0, 1, 2, 0],
        text: "a pan\u{4e2d}\u{6587}".into(),
        text_bytes: vec![5, 0, 3, 3],
        lasts: vec![0, 7, 0, 90_000],
        importance: vec![0, 1, 501, 1_001],
        place: vec![4, 3, 2, 1],
        vector_size: 2,
        vector: [1.0f32, 0.5, 0.0, 0.0, -1.0, 2.0, 0.25, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect(),
        ..Columns::default()
    }
}

/// Decides and folds a command; the record's data and the memory after it.
fn remembered(memory: &mut Memory, command: &RememberColumns) -> Result<Value, Refusal> {
    let (actor, domain) = (Actor::of(ActorKind::User), Domain::default());
    let context = Context {
        now: 1_000_000,
        valid_from: None,
        thread: "main",
        turn: 1,
        actor: &actor,
        reason: "",
        cause: None,
        origin: None,
        next_seq: 1,
        domain: &domain,
    };
    let draft = memory.remember_columns(&context, command)?.drafts.remove(0);
    let record = Record {
        seq: 1,
        recorded_at: 1_000_000,
        valid_from: 1_000_000,
        thread: "main".to_owned(),
        turn: 1,
        actor: actor.clone(),
        cause: None,
        reason: String::new(),
        origin: None,
        kind: draft.kind,
        body: Body::Open(draft.data),
    };
    memory.evolve(&record);
    Ok(record.data().clone())
}

fn all(memory: &Memory) -> Value {
    let query = r#"{"type":"recall","order":"recorded","limit":100}"#;
    let throughline_protocol::Query::Recall(query) = throughline_protocol::Query::read(query).unwrap() else {
        panic!()
    };
    to_value(&memory.recall(At { seq: 1, valid_at: 2_000_000 }, &query, &Domain::default()).unwrap()).unwrap()
}

fn read(text: &str) -> RememberColumns {
    match Command::read(text).unwrap() {
        Command::RememberColumns(command) => command,
        other => panic!("{}", other.name()),
    }
}

#[test]
fn columns_as_they_are_and_their_text_give_the_same_record_and_the_same_memory() {
    let mut direct = Memory::default();
    let command = direct.columns_command(columns());
    let mut by_text = Memory::default();
    let text = json::write(&Command::RememberColumns(command.clone()).to_value());
    let record = remembered(&mut direct, &command).unwrap();
    assert_eq!(record, remembered(&mut by_text, &read(&text)).unwrap());
    assert_eq!(all(&direct), all(&by_text));
    // The same record, read anew.
    let mut again = Memory::default();
    let _ = again.columns_command(Columns {
        at: vec![1],
        kind: vec![0],
        kinds: vec!["other".into()],
        ..Columns::default()
    });
    assert_eq!(record, remembered(&mut again, &command).unwrap());
    assert_eq!(all(&direct), all(&again));
}

#[test]
fn columns_as_they_are_are_checked_all_the_same() {
    let check = |change: &dyn Fn(&mut Columns), code: &str| {
        let mut bad = columns();
        change(&mut bad);
        let mut memory = Memory::default();
        let command = memory.columns_command(bad);
        assert_eq!(remembered(&mut memory, &command).unwrap_err().code, code);
        assert_eq!(memory.row_count(), 0);
    };
    check(&|c| c.kind.truncate(2), "bad-column");
    check(&|c| c.kind[0] = 9, "bad-column");
    check(&|c| c.kinds[1] = "seen".into(), "bad-column");
    check(&|c| c.entity[3] = 3, "bad-column");
    check(&|c| c.text_bytes[2] = 2, "bad-column");
    check(&|c| c.importance[1] = 1_002, "importance-out-of-range");
    check(&|c| c.at[2] = i64::MAX, "time-out-of-range");
    check(&|c| *c = Columns::default(), "nothing-to-remember");
}

#[test]
fn a_text_that_is_changed_keeps_its_place() {
    let mut changed = columns();
    changed.each_text(|text| text.replace("a pan", "[removed]"));
    assert_eq!((changed.text.as_str(), changed.text_bytes), ("[removed]\u{4e2d}\u{6587}", vec![9, 0, 3, 3]));
}

#[test]
fn columns_of_a_decision_that_was_never_folded_do_no_harm() {
    let other =
        Columns { text: "a pot\u{4e2d}\u{6587}".into(), kinds: vec!["heard".into(), "seen".into()], ..columns() };
    let other_times = Columns { at: vec![5_000, -5, 5_000, 1_772_675_400_000], ..columns() };
    for other in [other, other_times, Columns { place: vec![4, 3, 2, 0], ..columns() }] {
        // The first decision is dropped; its packed texts are freed, and the next ones are as long.
        let mut memory = Memory::default();
        let dropped = memory.columns_command(columns());
        drop(dropped);
        let given: RememberColumns = {
            let plain = Memory::default();
            plain.columns_command(other.clone())
        };
        let got = remembered(&mut memory, &given).unwrap();
        let mut fresh = Memory::default();
        assert_eq!(got, remembered(&mut fresh, &given).unwrap());
        assert_eq!(memory.row_text(0), fresh.row_text(0));
        assert_eq!(
            (0..4).map(|row| memory.row_time(row)).collect::<Vec<_>>(),
            (0..4).map(|row| fresh.row_time(row)).collect::<Vec<_>>()
        );
    }
}
