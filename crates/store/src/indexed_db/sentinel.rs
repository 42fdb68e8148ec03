//! A note outside of the database, so that an empty database that should not be empty is noticed.
//!
//! Browsers repair a broken database by making it empty. The note lies in the Cache API, which workers have
//! too. It is a help and no more: where it cannot be written or read, nothing else changes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Cache, CacheStorage, Response};

use crate::timer::sleep;

/// The cache that holds the notes.
const CACHE: &str = "throughline-sentinel";

/// No more than one note in this time: a note need not be exact.
const PAUSE_MS: i32 = 2_000;

#[derive(Debug)]
pub(super) struct Sentinel {
    address: String,
    /// What is to be noted next: the id and the last record.
    next: Rc<RefCell<Option<(String, u64)>>>,
    busy: Rc<Cell<bool>>,
}

impl Sentinel {
    pub(super) fn new(name: &str) -> Self {
        let address = format!("/throughline-sentinel/{}", throughline_value::hex::encode(name.as_bytes()));
        Self { address, next: Rc::default(), busy: Rc::default() }
    }

    /// Notes that the journal has this record. An empty journal leaves no note: losing it loses nothing.
    pub(super) fn note(&self, id: &str, seq: u64) {
        if seq == 0 {
            return;
        }
        *self.next.borrow_mut() = Some((id.to_owned(), seq));
        if self.busy.replace(true) {
            return;
        }
        let (address, next, busy) = (self.address.clone(), Rc::clone(&self.next), Rc::clone(&self.busy));
        spawn_local(async move {
            loop {
                let Some((id, seq)) = next.borrow_mut().take() else { break };
                // No cache, no note.
                let _ = write(&address, &format!("{seq} {id}")).await;
                sleep(PAUSE_MS).await;
            }
            busy.set(false);
        });
    }

    /// The id, and a record that the journal had at least.
    pub(super) async fn read(&self) -> Option<(String, u64)> {
        let found = JsFuture::from(cache().await.ok()?.match_with_str(&self.address)).await.ok()?;
        let text = JsFuture::from(found.dyn_into::<Response>().ok()?.text().ok()?).await.ok()?.as_string()?;
        let (seq, id) = text.split_once(' ')?;
        Some((id.to_owned(), seq.parse().ok()?))
    }

    /// Takes the note away: the journal was removed on purpose.
    pub(super) async fn remove(&self) {
        self.next.borrow_mut().take();
        if let Ok(cache) = cache().await {
            // No note, nothing to take away.
            let _ = JsFuture::from(cache.delete_with_str(&self.address)).await;
        }
    }
}

async fn cache() -> Result<Cache, JsValue> {
    // Absent in Node and on pages that are not secure.
    let caches: CacheStorage = Reflect::get(&js_sys::global(), &"caches".into())?.dyn_into()?;
    JsFuture::from(caches.open(CACHE)).await?.dyn_into()
}

async fn write(address: &str, text: &str) -> Result<(), JsValue> {
    let response = Response::new_with_opt_str(Some(text))?;
    JsFuture::from(cache().await?.put_with_str(address, &response)).await?;
    Ok(())
}
