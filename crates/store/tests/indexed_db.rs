//! The journal in the browser's database does what every store does, under the faults that browsers have.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at once")]

use idb::{Database, Factory, TransactionMode};
use js_sys::{Array, Uint8Array};
use throughline_journal::{Draft, Frame, Journal};
use throughline_store::{Appended, IndexedDb, Store, StoreError, timer::sleep};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

throughline_store::conformance!(browser, IndexedDb::new);

mod memory {
    //! The same suite on the journal in memory, compiled for the browser.
    throughline_store::conformance!(browser, throughline_store::Memory::new);
}

/// Replaces something of the browser's by something broken; put back when dropped.
struct Fault(&'static str);

impl Fault {
    fn new(break_it: &str, mend: &'static str) -> Self {
        js_sys::eval(break_it).unwrap();
        Self(mend)
    }

    /// The next `times` transactions cannot be opened, as when the browser lost the connection.
    fn dead_handle(times: u32) -> Self {
        Self::new(
            &format!(
                "var proto = IDBDatabase.prototype; self.kept = proto.transaction; var left = {times};
                 proto.transaction = function (...args) {{
                     if (left-- > 0) throw new DOMException('The database connection is closing.', 'InvalidStateError');
                     return self.kept.apply(this, args);
                 }};"
            ),
            "IDBDatabase.prototype.transaction = self.kept;",
        )
    }

    /// Every put succeeds, and then the transaction is aborted for want of room: as browsers do it.
    fn no_room() -> Self {
        Self::new(
            "var proto = IDBObjectStore.prototype; self.kept = proto.put;
             proto.put = function (...args) {
                 var request = self.kept.apply(this, args), transaction = this.transaction;
                 request.addEventListener('success', () => transaction.abort());
                 Object.defineProperty(transaction, 'error', { get: () => new DOMException('full', 'QuotaExceededError') });
                 return request;
             };",
            "IDBObjectStore.prototype.put = self.kept;",
        )
    }

    /// The second put of a transaction throws.
    fn inactive_in_the_middle() -> Self {
        Self::new(
            "var proto = IDBObjectStore.prototype; self.kept = proto.put;
             proto.put = function () { throw new DOMException('not active', 'TransactionInactiveError'); };",
            "IDBObjectStore.prototype.put = self.kept;",
        )
    }

    /// The transaction commits, but the page hears of an abort.
    fn news_of_the_commit_lost() -> Self {
        Self::new(
            "var proto = IDBDatabase.prototype; self.kept = proto.transaction; var left = 1;
             proto.transaction = function (...args) {
                 var transaction = self.kept.apply(this, args);
                 if (args[1] === 'readwrite' && left-- > 0) {
                     var set, fire = () => set && set.call(transaction, new Event('abort'));
                     Object.defineProperty(transaction, 'onabort', { set: f => { set = f; } });
                     Object.defineProperty(transaction, 'oncomplete', { set: () => {} });
                     transaction.addEventListener('complete', fire);
                 }
                 return transaction;
             };",
            "IDBDatabase.prototype.transaction = self.kept;",
        )
    }

    /// Opening never answers, as when another tab holds the database.
    fn silent_open() -> Self {
        Self::new(
            "var proto = IDBFactory.prototype; self.kept = proto.open;
             proto.open = function () { return Object.create(IDBOpenDBRequest.prototype, Object.fromEntries(
                 ['onsuccess', 'onerror', 'onblocked', 'onupgradeneeded'].map(name => [name, { writable: true }]))); };",
            "IDBFactory.prototype.open = self.kept;",
        )
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        js_sys::eval(self.0).unwrap();
    }
}

async fn open(name: &str) -> (IndexedDb, Journal) {
    let store = IndexedDb::new(name);
    let journal = store.open("a").await.unwrap();
    (store, journal)
}

fn propose(journal: &Journal, text: &str) -> Frame {
    journal.propose(1, vec![], vec![Draft::new("note.written", text.into())])
}

async fn write(store: &IndexedDb, journal: &mut Journal, text: &str) {
    let frame = propose(journal, text);
    assert_eq!(store.append(&journal.head(), &frame).await, Ok(Appended::Committed));
    journal.commit(frame).unwrap();
}

/// What lies there, read through another connection.
async fn stored(name: &str) -> u64 {
    IndexedDb::new(name).open("z").await.unwrap().head().seq
}

async fn database() -> Database {
    Factory::new().unwrap().open("throughline", Some(1)).unwrap().await.unwrap()
}

/// Does something to the stores behind our back.
async fn meddle(with: impl FnOnce(&idb::ObjectStore, &idb::ObjectStore)) {
    let database = database().await;
    let transaction = database.transaction(&["meta", "segments"], TransactionMode::ReadWrite).unwrap();
    let (meta, segments) = (transaction.object_store("meta").unwrap(), transaction.object_store("segments").unwrap());
    let done = transaction.into_future();
    with(&meta, &segments);
    assert!(done.await.unwrap().is_committed());
    database.close();
}

fn segment_key(name: &str, first: u32) -> JsValue {
    Array::of2(&name.into(), &first.into()).into()
}

#[wasm_bindgen_test]
async fn a_transaction_that_runs_out_of_room_is_an_error_and_nothing_is_stored() {
    let (store, mut journal) = open("quota").await;
    write(&store, &mut journal, "before").await;
    let frame = propose(&journal, "too much");
    {
        let _fault = Fault::no_room();
        assert_eq!(store.append(&journal.head(), &frame).await, Err(StoreError::Quota));
    }
    assert_eq!(stored("quota").await, 1);
    write(&store, &mut journal, "after room was made").await;
    assert_eq!(stored("quota").await, 2);
}

#[wasm_bindgen_test]
async fn a_dead_handle_is_dropped_and_the_append_is_done_again_once_over_a_new_one() {
    let (store, mut journal) = open("dead").await;
    write(&store, &mut journal, "one").await;
    {
        let _fault = Fault::dead_handle(1);
        write(&store, &mut journal, "two").await;
    }
    assert_eq!(stored("dead").await, 2);
    let frame = propose(&journal, "three");
    {
        let _fault = Fault::dead_handle(2);
        let error = store.append(&journal.head(), &frame).await.unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), ("store-lost", true));
    }
    assert_eq!(stored("dead").await, 2);
    assert_eq!(store.append(&journal.head(), &frame).await, Ok(Appended::Committed));
    assert_eq!(stored("dead").await, 3);
    let _fault = Fault::dead_handle(1);
    assert_eq!(store.after(1).await.unwrap().len(), 2, "reading opens anew as well");
}

#[wasm_bindgen_test]
async fn a_put_that_throws_in_the_middle_leaves_nothing_behind() {
    let (store, mut journal) = open("middle").await;
    write(&store, &mut journal, "one").await;
    let frame = propose(&journal, "two");
    {
        let _fault = Fault::inactive_in_the_middle();
        let error = store.append(&journal.head(), &frame).await.unwrap_err();
        assert_eq!(error.code(), "store-lost");
    }
    assert_eq!(store.raw().await.unwrap().len(), 1, "the segment went with the head");
    assert_eq!(stored("middle").await, 1);
}

#[wasm_bindgen_test]
async fn a_commit_whose_news_was_lost_is_not_written_twice() {
    let (store, mut journal) = open("news").await;
    {
        let _fault = Fault::news_of_the_commit_lost();
        write(&store, &mut journal, "one").await;
    }
    assert_eq!(stored("news").await, 1);
    write(&store, &mut journal, "two").await;
    assert_eq!(stored("news").await, 2);
}

#[wasm_bindgen_test]
async fn an_open_that_never_answers_ends_as_blocked_for_everybody_who_waits() {
    let store = IndexedDb::new("silent");
    {
        let _fault = Fault::silent_open();
        assert_eq!(store.open("a").await.unwrap_err(), StoreError::Blocked);
    }
    assert_eq!(store.open("a").await.unwrap().id(), "a", "it can be tried again");
}

#[wasm_bindgen_test]
async fn damaged_bytes_are_refused_and_left_as_they_are() {
    let (store, mut journal) = open("damaged").await;
    for text in ["one", "two", "three"] {
        write(&store, &mut journal, text).await;
    }
    store.close();
    let mut bytes = store.raw().await.unwrap()[1].1.clone();
    let place = bytes.len() - 30;
    bytes[place] ^= 1;
    let value = Uint8Array::from(bytes.as_slice());
    meddle(|_, segments| drop(segments.put(&value, Some(&segment_key("damaged", 2))).unwrap())).await;
    let again = IndexedDb::new("damaged");
    let StoreError::Unreadable(damage) = again.open("b").await.unwrap_err() else { panic!("it is damaged") };
    assert_eq!((damage.segment, damage.good_seq), (2, 1));
    assert_eq!(again.raw().await.unwrap()[1].1, bytes, "nothing was written");
    let salvaged = again.salvage().await.unwrap();
    assert_eq!(salvaged.journal.head().seq, 1);
    again.remove().await.unwrap();
}

#[wasm_bindgen_test]
async fn segments_without_what_says_what_they_are_are_not_an_empty_journal() {
    let (store, mut journal) = open("headless").await;
    write(&store, &mut journal, "one").await;
    meddle(|meta, _| drop(meta.delete(JsValue::from("headless")).unwrap())).await;
    assert_eq!(IndexedDb::new("headless").open("b").await.unwrap_err().code(), "store-unreadable");
    assert_eq!(store.raw().await.unwrap().len(), 1);
    store.remove().await.unwrap();
}

#[wasm_bindgen_test]
async fn a_database_that_the_browser_emptied_is_noticed() {
    let (store, mut journal) = open("wiped").await;
    write(&store, &mut journal, "one").await;
    // The note is written beside the commit, not within it.
    sleep(500).await;
    store.close();
    meddle(|meta, segments| {
        drop(meta.delete(JsValue::from("wiped")).unwrap());
        drop(segments.delete(segment_key("wiped", 1)).unwrap());
    })
    .await;
    let again = IndexedDb::new("wiped");
    assert_eq!(again.open("b").await.unwrap_err(), StoreError::Wiped { id: "a".into(), seq: 1 });
    // Removing it on purpose allows a new beginning.
    again.remove().await.unwrap();
    assert_eq!(again.open("b").await.unwrap().id(), "b");
}

#[wasm_bindgen_test]
async fn a_database_deleted_under_us_is_let_go_at_once_and_not_written_anew() {
    let (store, mut journal) = open("deleted").await;
    write(&store, &mut journal, "one").await;
    // Settles only when nobody holds the database any more.
    Factory::new().unwrap().delete("throughline").unwrap().await.unwrap();
    let frame = propose(&journal, "two");
    assert_eq!(store.append(&journal.head(), &frame).await, Err(StoreError::Gone));
}

#[wasm_bindgen_test]
async fn the_list_names_every_journal() {
    let (one, mut journal) = open("list one").await;
    write(&one, &mut journal, "x").await;
    open("list two").await;
    let listed = IndexedDb::list().await.unwrap();
    let mine: Vec<_> =
        listed.iter().filter(|l| l.name.starts_with("list ")).map(|l| (l.name.as_str(), l.seq)).collect();
    assert_eq!(mine, [("list one", 1), ("list two", 0)]);
}
