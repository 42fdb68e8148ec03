//! Every write: one transaction that looks at the head, and puts all or nothing.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Uint8Array;
use throughline_journal::Head;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbRequest, IdbTransaction, IdbTransactionMode};

use super::connection::{Connection, thrown};
use super::transaction::{End, begin};
use super::{Durability, META, SEGMENTS, SNAPSHOTS, key, keys_from, snapshot_key};
use crate::StoreError;
use crate::meta::Meta;

/// What is to be written. Everything is bytes already: a transaction must never wait for our own work.
pub(super) enum Write {
    /// An empty journal, unless there is one.
    Create { meta: Meta },
    /// Segments after the head that is expected.
    Append { expected: Head, meta: Meta, segments: Vec<(u64, Vec<u8>)>, bodies: Apart },
    /// Another journal in the place of an empty one.
    Replace { id: String, expected: Head, meta: Meta, segments: Vec<(u64, Vec<u8>)>, bodies: Apart },
    /// What is left of segments that are there, while the head stays as it is.
    Erase { id: String, head: Head, meta: Meta, segments: Vec<(u64, Vec<u8>)>, bodies: Apart },
    /// A snapshot of what is there.
    Snapshot { head: Head, meta: Meta, bytes: Uint8Array },
    /// Nothing of this name any more.
    Remove,
}

/// Bodies that lie apart, by frame; `None` takes those that are there away.
pub(super) type Apart = Vec<(u64, Option<Vec<u8>>)>;

/// What was found when the head was looked at.
enum Found {
    /// The head fits; everything was put.
    Fits,
    /// What is to be written is there already.
    Already,
    /// Another head.
    Moved,
    /// Something that stops it.
    Stop(StoreError),
}

/// Writes. False when the head had moved, and nothing was written.
///
/// Under `again`, finding our own work there means that the first try was committed and the news of it was
/// lost. At the first try it is the work of somebody else who decided the same at the same moment.
pub(super) async fn write(
    connection: &Connection,
    name: &str,
    durability: Durability,
    write: &Write,
    again: bool,
) -> Result<bool, StoreError> {
    let database = connection.get().await?;
    let stores = [META, SEGMENTS, SNAPSHOTS];
    let (transaction, ending) = begin(&database, &stores, IdbTransactionMode::Readwrite, durability.name())?;
    let found = Rc::new(RefCell::new(None));
    start(&transaction, name, write, again, &found).map_err(|e| thrown(&e))?;
    let end = ending.wait().await;
    match (end, found.take()) {
        (End::Committed, Some(Found::Fits | Found::Already)) => Ok(true),
        (_, Some(Found::Moved)) => Ok(false),
        (_, Some(Found::Stop(error))) | (End::Aborted(error), _) => Err(error),
        (End::Committed, None) => Err(StoreError::Failed("the head could not be looked at".to_owned())),
    }
}

/// Asks for the head; when it comes, all puts are made in one go, without waiting for any of them.
fn start(
    transaction: &IdbTransaction,
    name: &str,
    write: &Write,
    again: bool,
    found: &Rc<RefCell<Option<Found>>>,
) -> Result<(), JsValue> {
    if let Write::Remove = write {
        *found.borrow_mut() = Some(Found::Fits);
        transaction.object_store(META)?.delete(&name.into())?;
        for store in [SEGMENTS, SNAPSHOTS] {
            let range = keys_from(name, 0).map_err(|e| JsValue::from(e.to_string()))?;
            transaction.object_store(store)?.delete(&JsValue::from(range))?;
        }
        return Ok(());
    }
    let request = transaction.object_store(META)?.get(&name.into())?;
    let puts = Puts::of(name, write, again);
    let (this, found) = (request.clone(), Rc::clone(found));
    let transaction = transaction.clone();
    let look = Closure::once_into_js(move || {
        let verdict = look(&this, &transaction, &puts);
        if matches!(verdict, Found::Moved | Found::Stop(_)) {
            // Nothing was put, or not all of it: the transaction ends either way.
            let _ = transaction.abort();
        }
        *found.borrow_mut() = Some(verdict);
    });
    request.set_onsuccess(Some(look.unchecked_ref()));
    Ok(())
}

/// What is put when the head fits, and what the head must be: owned, since it is used when we are away.
struct Puts {
    name: String,
    /// The id and head that must be there; `None` when nothing may be there.
    before: Option<(String, Head)>,
    after: Meta,
    segments: Vec<(u64, JsValue)>,
    /// What is put beside the segments, or taken away there.
    beside: Vec<(JsValue, Option<JsValue>)>,
    again: bool,
    /// Whether segments are put in the place of those that are there.
    replaces: bool,
}

impl Puts {
    fn of(name: &str, write: &Write, again: bool) -> Self {
        let none: &Apart = &Apart::new();
        let at = |id: &str, head: &Head| Some((id.to_owned(), head.clone()));
        let (before, after, segments, bodies) = match write {
            Write::Append { expected, meta, segments, bodies } => {
                (at(&meta.id, expected), meta.clone(), segments.as_slice(), bodies)
            }
            Write::Replace { id, expected, meta, segments, bodies }
            | Write::Erase { id, head: expected, meta, segments, bodies } => {
                (at(id, expected), meta.clone(), segments.as_slice(), bodies)
            }
            Write::Snapshot { head, meta, .. } => (at(&meta.id, head), meta.clone(), [].as_slice(), none),
            Write::Create { meta } => (None, meta.clone(), [].as_slice(), none),
            Write::Remove => {
                (None, Meta::new("", &Head { seq: 0, frame: 0, chain: String::new() }, None), [].as_slice(), none)
            }
        };
        let js = |bytes: &Vec<u8>| JsValue::from(Uint8Array::from(bytes.as_slice()));
        let segments = segments.iter().map(|(first, bytes)| (*first, js(bytes))).collect();
        let mut beside: Vec<(JsValue, Option<JsValue>)> =
            bodies.iter().map(|(frame, bytes)| (key(name, *frame), bytes.as_ref().map(js))).collect();
        match write {
            Write::Snapshot { bytes, .. } => beside.push((snapshot_key(name), Some(bytes.clone().into()))),
            Write::Erase { .. } | Write::Replace { .. } => beside.push((snapshot_key(name), None)),
            _ => {}
        }
        let replaces = matches!(write, Write::Erase { .. } | Write::Snapshot { .. });
        // Erasing twice is erasing once: it is never taken for done already.
        Self { name: name.to_owned(), before, after, segments, beside, again: again && !replaces, replaces }
    }
}

fn look(request: &IdbRequest, transaction: &IdbTransaction, puts: &Puts) -> Found {
    let text = match request.result() {
        Ok(value) => value,
        Err(error) => return Found::Stop(thrown(&error)),
    };
    let there = match text.as_string().map(|text| Meta::read(&text)) {
        Some(Ok(meta)) => Some(meta),
        Some(Err(error)) => return Found::Stop(error),
        None if text.is_undefined() => None,
        None => {
            return Found::Stop(StoreError::damaged("meta-unreadable", "what says what the segments are is no text"));
        }
    };
    match (&puts.before, there) {
        (None, None) => {}
        // Another tab made it first.
        (None, Some(_)) => return Found::Already,
        (Some(_), None) => return Found::Stop(StoreError::Gone),
        (Some(_), Some(meta)) if puts.again && meta == puts.after => return Found::Already,
        (Some((id, _)), Some(meta)) if meta.id != *id => return Found::Stop(StoreError::Gone),
        (Some((_, expected)), Some(meta)) if !meta.is_at(expected) => return Found::Moved,
        (Some(_), Some(_)) => {}
    }
    match put(transaction, puts) {
        Ok(()) => Found::Fits,
        Err(error) => Found::Stop(thrown(&error)),
    }
}

fn put(transaction: &IdbTransaction, puts: &Puts) -> Result<(), JsValue> {
    let segments = transaction.object_store(SEGMENTS)?;
    for (first, bytes) in &puts.segments {
        // `add` refuses a key that is taken: a second fence behind the comparison of heads.
        if puts.replaces {
            segments.put_with_key(bytes, &key(&puts.name, *first))?;
        } else {
            segments.add_with_key(bytes, &key(&puts.name, *first))?;
        }
    }
    let beside = transaction.object_store(SNAPSHOTS)?;
    for (key, value) in &puts.beside {
        match value {
            Some(value) => beside.put_with_key(value, key)?,
            None => beside.delete(key)?,
        };
    }
    transaction.object_store(META)?.put_with_key(&puts.after.write().into(), &puts.name.as_str().into())?;
    Ok(())
}
