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
    store.damage(|meta, _| *meta = Some(r#"{"v":2,"id":"a","what":1}"#.to_owned()));
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
