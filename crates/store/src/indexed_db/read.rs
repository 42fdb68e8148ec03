//! Reading, through `idb`: every request is waited for to its end, since one of its futures that is dropped
//! early breaks the page.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_channel::oneshot;
use idb::{CursorDirection, KeyRange, Query, Transaction};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::IdbTransactionMode;

use super::connection::Connection;
use super::transaction::begin;
use super::{META, SEGMENTS, SNAPSHOTS, keys_from};
use crate::load::Bodies;
use crate::timer::Timer;
use crate::{StoreError, TRANSACTION_TIMEOUT_MS};

/// What lies under a name.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) meta: Option<String>,
    pub(super) segments: Vec<(u64, Vec<u8>)>,
    pub(super) bodies: Bodies,
}

/// A segment and the bodies of its first frame, where there are any.
pub(super) type Lying = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Reads the `meta` and the segments from the one that starts with frame `from`, as they stood at one moment; the
/// bodies that lie apart too, from that of frame `bodies_from` on.
pub(super) async fn journal(
    connection: &Connection,
    name: &str,
    from: u64,
    bodies_from: Option<u64>,
) -> Result<Stored, StoreError> {
    let name = name.to_owned();
    read(connection, &[META, SEGMENTS, SNAPSHOTS], move |transaction| {
        let name = name.clone();
        async move {
            let name_too = name.clone();
            let range = keys_from(&name, from)?;
            let meta = transaction.object_store(META).map_err(failed)?;
            let segments = transaction.object_store(SEGMENTS).map_err(failed)?;
            let meta = meta.get(Query::Key(name.into())).map_err(failed)?.into_future();
            let keys = segments.get_all_keys(Some(range.clone().into()), None).map_err(failed)?.into_future();
            let bytes = segments.get_all(Some(range.into()), None).map_err(failed)?.into_future();
            let mut apart = None;
            if let Some(from) = bodies_from {
                let range = bodies_range(&name_too, from)?;
                let bodies = transaction.object_store(SNAPSHOTS).map_err(failed)?;
                let keys = bodies.get_all_keys(Some(range.clone().into()), None).map_err(failed)?.into_future();
                apart = Some((keys, bodies.get_all(Some(range.into()), None).map_err(failed)?.into_future()));
            }
            let (meta, keys, bytes) = (meta.await, keys.await, bytes.await);
            let mut bodies = Bodies::new();
            if let Some((keys, bytes)) = apart {
                let (keys, bytes) = (keys.await.map_err(failed)?, bytes.await.map_err(failed)?);
                bodies = keys.iter().map(first_of).zip(bytes.iter().map(bytes_of)).collect();
            }
            let meta = match meta.map_err(failed)? {
                Some(value) => Some(text(&value)?),
                None => None,
            };
            let keys = keys.map_err(failed)?.into_iter().map(|key| first_of(&key));
            let bytes = bytes.map_err(failed)?.into_iter().map(|value| bytes_of(&value));
            Ok(Stored { meta, segments: keys.zip(bytes).collect(), bodies })
        }
    })
    .await
}

/// The `meta` of one journal.
pub(super) async fn meta(connection: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    let name = name.to_owned();
    read(connection, &[META], move |transaction| {
        let name = name.clone();
        async move {
            let meta = transaction.object_store(META).map_err(failed)?;
            let found = meta.get(Query::Key(name.into())).map_err(failed)?.await.map_err(failed)?;
            found.map(|value| text(&value)).transpose()
        }
    })
    .await
}

/// Every body that lies apart, from that of this frame on: texts come after all numbers.
fn bodies_range(name: &str, from: u64) -> Result<KeyRange, StoreError> {
    let end = Array::of2(&name.into(), &JsValue::from_str(""));
    KeyRange::bound(&super::key(name, from), &end, None, None).map_err(failed)
}

/// What lies beside the segments under these keys.
pub(super) async fn beside(connection: &Connection, keys: Vec<JsValue>) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    read(connection, &[SNAPSHOTS], move |transaction| {
        let keys = keys.clone();
        async move {
            let store = transaction.object_store(SNAPSHOTS).map_err(failed)?;
            let asked = keys.into_iter().map(|key| Ok(store.get(Query::Key(key)).map_err(failed)?.into_future()));
            let mut found = Vec::new();
            for one in asked.collect::<Result<Vec<_>, StoreError>>()? {
                found.push(one.await.map_err(failed)?.map(|value| bytes_of(&value)));
            }
            Ok(found)
        }
    })
    .await
}

/// What lies under each of these keys as a segment, and as bodies beside it, at one moment.
pub(super) async fn segments(connection: &Connection, keys: Vec<JsValue>) -> Result<Vec<Lying>, StoreError> {
    read(connection, &[SEGMENTS, SNAPSHOTS], move |transaction| {
        let keys = keys.clone();
        async move {
            let segments = transaction.object_store(SEGMENTS).map_err(failed)?;
            let bodies = transaction.object_store(SNAPSHOTS).map_err(failed)?;
            let get = |store: &idb::ObjectStore, key: &JsValue| {
                Ok(store.get(Query::Key(key.clone())).map_err(failed)?.into_future())
            };
            let asked = keys.iter().map(|key| Ok((get(&segments, key)?, get(&bodies, key)?)));
            let mut found = Vec::new();
            for (segment, body) in asked.collect::<Result<Vec<_>, StoreError>>()? {
                let (segment, body) = (segment.await.map_err(failed)?, body.await.map_err(failed)?);
                found.push((segment.map(|value| bytes_of(&value)), body.map(|value| bytes_of(&value))));
            }
            Ok(found)
        }
    })
    .await
}

/// The number of the segment that holds this frame, or would hold it.
pub(super) async fn segment_holding(connection: &Connection, name: &str, frame: u64) -> Result<u64, StoreError> {
    let name = name.to_owned();
    read(connection, &[SEGMENTS], move |transaction| {
        let bound = |number| super::key(&name, number);
        let range = KeyRange::bound(&bound(0), &bound(frame), None, None);
        async move {
            let segments = transaction.object_store(SEGMENTS).map_err(failed)?;
            let range = Some(range.map_err(failed)?.into());
            let request = segments.open_key_cursor(range, Some(CursorDirection::Prev)).map_err(failed)?;
            let cursor = request.await.map_err(failed)?;
            Ok(cursor.and_then(|cursor| cursor.key().ok()).map_or(0, |key| first_of(&key)))
        }
    })
    .await
}

/// The `meta` of every journal, by name.
pub(super) async fn every_meta(connection: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    read(connection, &[META], |transaction| async move {
        let meta = transaction.object_store(META).map_err(failed)?;
        let names = meta.get_all_keys(None, None).map_err(failed)?.into_future();
        let texts = meta.get_all(None, None).map_err(failed)?.into_future();
        let (names, texts) = (names.await, texts.await);
        let text = |value: JsValue| value.as_string().unwrap_or_default();
        let names = names.map_err(failed)?.into_iter().map(text);
        Ok(names.zip(texts.map_err(failed)?.into_iter().map(text)).collect())
    })
    .await
}

/// Reads in a transaction; over a new connection when the old one turns out to be dead.
async fn read<T, F>(
    connection: &Connection,
    stores: &'static [&'static str],
    work: impl Fn(Transaction) -> F,
) -> Result<T, StoreError>
where
    T: 'static,
    F: Future<Output = Result<T, StoreError>> + 'static,
{
    match once(connection, stores, &work).await {
        Err(StoreError::Lost(_)) => {
            connection.close();
            once(connection, stores, &work).await
        }
        other => other,
    }
}

async fn once<T, F>(connection: &Connection, stores: &[&str], work: impl Fn(Transaction) -> F) -> Result<T, StoreError>
where
    T: 'static,
    F: Future<Output = Result<T, StoreError>> + 'static,
{
    let database = connection.get().await?;
    let (transaction, _ending) = begin(&database, stores, IdbTransactionMode::Readonly, "default")?;
    let mut reading = Box::pin(work(transaction.into()));
    // The first requests are made here and now; the rest goes on in a task of its own, to its end.
    if let Poll::Ready(done) = poll_once(&mut reading) {
        return done;
    }
    let (send, receive) = oneshot::channel();
    let send = Rc::new(RefCell::new(Some(send)));
    let finish = move |result| {
        if let Some(send) = send.borrow_mut().take() {
            // Whoever waited may have been dropped.
            let _ = send.send(result);
        }
    };
    let late = finish.clone();
    let _timer = Timer::start(TRANSACTION_TIMEOUT_MS, move || late(Err(StoreError::TimedOut)));
    spawn_local(async move { finish(reading.await) });
    receive.await.unwrap_or(Err(StoreError::TimedOut))
}

fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn failed(error: idb::Error) -> StoreError {
    super::connection::refused(&error)
}

fn text(value: &JsValue) -> Result<String, StoreError> {
    value
        .as_string()
        .ok_or_else(|| StoreError::damaged("meta-unreadable", "what says what the segments are is no text"))
}

/// The number in a segment's key; a key that is none gives one that no segment can have.
fn first_of(key: &JsValue) -> u64 {
    let number = key.dyn_ref::<Array>().and_then(|key| key.get(1).as_f64()).unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "frame numbers are small and positive")]
    let number = number as u64;
    number
}

/// The bytes of a segment; a value that holds none is an empty segment, which the reader refuses.
fn bytes_of(value: &JsValue) -> Vec<u8> {
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec).unwrap_or_default()
}
