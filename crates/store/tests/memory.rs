//! The journal in memory does what every store does, and refuses damaged bytes.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at once")]

use std::future::Future;
use std::task::{Context, Poll, Waker};
use throughline_value::SortedMap;

use throughline_journal::{Draft, Journal};
use throughline_store::{Memory, Store, StoreError};

throughline_store::conformance!(native, Memory::new);

fn now<T>(future: impl Future<Output = T>) -> T {
    match Box::pin(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("memory answers at once"),
    }
}

/// Three frames, then `change` is done to what is stored; opening must say `code` and how much is good.
#[track_caller]
fn check(change: impl FnOnce(&mut Option<String>, &mut SortedMap<u64, Vec<u8>>), code: &str, good_seq: u64) {
    let store = Memory::new(format!("damaged {code} {good_seq}"));
    let mut journal = now(store.open("a")).unwrap();
    for text in ["one", "two", "three"] {
        let frame = journal.propose(1, vec![], vec![Draft::new("note.written", text.into())]);
        now(store.append(&journal.head(), &frame)).unwrap();
        journal.commit(frame).unwrap();
    }
    store.damage(change);
    let before = now(store.raw()).unwrap();
    let error = now(store.open("b")).unwrap_err();
    let StoreError::Unreadable(damage) = &error else { panic!("{error:?}") };
    assert_eq!((damage.code.as_str(), damage.good_seq), (code, good_seq), "{error}");
    assert_eq!(error.code(), "store-unreadable");
    assert_eq!(now(store.raw()).unwrap(), before, "nothing was written");
    if let Ok(salvaged) = now(store.salvage()) {
        assert_eq!(salvaged.journal.head().seq, good_seq);
        assert_eq!(salvaged.damage, Some(error));
    }
}

#[test]
fn damaged_bytes_are_refused_with_their_place_and_nothing_is_written() {
    check(|_, segments| *segments.get_mut(&2).unwrap().last_mut().unwrap() = b' ', "truncated", 1);
    check(|_, segments| segments.get_mut(&3).unwrap()[200] ^= 1, "chain-broken", 2);
    check(|_, segments| drop(segments.remove(&2)), "head-moved", 1);
    check(|_, segments| drop(segments.remove(&3)), "truncated", 2);
    check(|_, segments| drop(segments.insert(1, Vec::new())), "segment-damaged", 0);
    check(|meta, _| *meta = None, "meta-missing", 0);
    check(|meta, _| *meta = Some("{".to_owned()), "meta-unreadable", 0);
}

#[test]
fn a_layout_of_the_future_is_not_touched() {
    let store = Memory::new("future");
    store.damage(|meta, _| *meta = Some(r#"{"v":9,"id":"a","what":1}"#.to_owned()));
    assert_eq!(now(store.open("b")).unwrap_err(), StoreError::Newer);
}

#[test]
fn the_list_names_every_journal_and_says_which_cannot_be_read() {
    let names = || Memory::list().into_iter().map(|l| (l.name, l.id, l.error)).collect::<Vec<_>>();
    assert_eq!(names(), []);
    now(Memory::new("one").open("a")).unwrap();
    now(Memory::new("two").open("b")).unwrap();
    Memory::new("two").damage(|meta, _| *meta = Some("[]".to_owned()));
    let bad = Some("store-unreadable".to_owned());
    assert_eq!(names(), [("one".into(), "a".into(), None), ("two".into(), String::new(), bad)]);
    now(Memory::new("two").remove()).unwrap();
    assert_eq!(names().len(), 1);
}

#[test]
fn an_import_of_an_empty_journal_keeps_its_id() {
    let store = Memory::new("empty import");
    now(store.open("a")).unwrap();
    now(store.import(&Journal::new("z"))).unwrap();
    assert_eq!(now(store.open("b")).unwrap().id(), "z");
}

/// A frame whose body lies apart, one that is small, another that lies apart; then `change` is done to what lies
/// beside. Opening does not notice; whoever reads the bodies does, and so does whoever reads everything.
#[track_caller]
fn check_apart(change: impl FnOnce(&mut SortedMap<u64, Vec<u8>>), code: &str, good_seq: u64) {
    let store = Memory::new(format!("apart {code} {good_seq}"));
    let mut journal = now(store.open("a")).unwrap();
    for words in [2_000, 1, 2_000] {
        let draft = Draft { erasable: true, ..Draft::new("memory.remembered", "word ".repeat(words).into()) };
        let frame = journal.propose_sealed(1, vec![], vec![draft], "entropy");
        now(store.append(&journal.head(), &frame)).unwrap();
        journal.commit(frame).unwrap();
    }
    store.damage_beside(|bodies, _| change(bodies));
    let mut opened = now(store.open("b")).unwrap();
    assert_eq!(opened.head(), journal.head());
    let read = [1, 3].iter().try_for_each(|frame| {
        let frames = now(store.frames(&[*frame])).map_err(|error| match error {
            StoreError::Unreadable(damage) => damage.code.clone(),
            other => other.code().to_owned(),
        })?;
        frames.into_iter().try_for_each(|frame| opened.warm(frame)).map_err(|e| e.code().to_owned())
    });
    assert_eq!(read, Err(code.to_owned()));
    assert!(!opened.records().any(|record| record.is_erased()), "what is damaged was not erased");
    let salvaged = now(store.salvage()).unwrap();
    assert_eq!(salvaged.journal.head().seq, good_seq);
    let Some(StoreError::Unreadable(damage)) = salvaged.damage else { panic!("the damage was not noticed") };
    assert_eq!((damage.code.as_str(), damage.good_seq), (code, good_seq));
}

#[test]
fn damaged_bodies_are_noticed_when_they_are_read() {
    check_apart(|bodies| drop(bodies.remove(&3)), "body-missing", 2);
    check_apart(|bodies| drop(bodies.remove(&1)), "body-missing", 0);
    check_apart(|bodies| bodies.get_mut(&3).unwrap()[900] ^= 1, "commitment-broken", 2);
    check_apart(|bodies| bodies.get_mut(&1).unwrap().truncate(500), "commitment-broken", 0);
}

#[test]
fn a_journal_of_the_layout_before_opens_and_gives_its_bodies() {
    let store = Memory::new("layout 1");
    let mut journal = now(store.open("a")).unwrap();
    let draft = Draft { erasable: true, ..Draft::new("memory.remembered", "word ".repeat(2_000).into()) };
    let frame = journal.propose_sealed(1, vec![], vec![draft], "entropy");
    now(store.append(&journal.head(), &frame)).unwrap();
    journal.commit(frame).unwrap();
    // As it was stored before bodies lay apart: all in the line, and the layout's number is 1.
    store.damage(|meta, segments| {
        let text = meta.take().unwrap();
        *meta = Some(text.replacen("\"v\":2", "\"v\":1", 1));
        segments.insert(1, throughline_journal::write_segment(journal.frames()));
    });
    store.damage_beside(|bodies, _| bodies.clear());
    let mut opened = now(store.open("b")).unwrap();
    assert_eq!(opened.frames(), journal.frames());
    assert!(opened.cool(1) > 0);
    assert!(opened.frames()[0].is_outline() && opened.cool(1) == 0);
    opened.warm(now(store.frames(&[1])).unwrap().remove(0)).unwrap();
    assert_eq!(opened.export(9), journal.export(9));
    let draft = Draft { erasable: true, ..Draft::new("memory.remembered", "more ".repeat(2_000).into()) };
    let frame = journal.propose_sealed(1, vec![], vec![draft], "entropy");
    now(store.append(&journal.head(), &frame)).unwrap();
    journal.commit(frame).unwrap();
    assert_eq!(now(store.salvage()).unwrap().whole().unwrap().export(9), journal.export(9));
}
