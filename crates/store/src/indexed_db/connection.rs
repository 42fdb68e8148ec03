//! The handle of the database: opened when it is needed, dropped when it is dead.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use futures_channel::oneshot;
use idb::{Database, DatabaseEvent as _, Factory, KeyPath, ObjectStoreParams};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DomException, IdbDatabase};

use super::{META, SEGMENTS, SNAPSHOTS};
use crate::timer::Timer;
use crate::{OPEN_TIMEOUT_MS, StoreError};

type Opened = Result<IdbDatabase, StoreError>;

/// Where the handle is kept: `None` until it is opened, and again when it is dead.
type Slot = Rc<RefCell<Option<IdbDatabase>>>;

#[derive(Debug)]
pub(super) struct Connection {
    name: &'static str,
    slot: Slot,
    /// Everybody who asks while it is being opened waits for the same opening.
    waiting: Rc<RefCell<Option<Vec<oneshot::Sender<Opened>>>>>,
}

impl Connection {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, slot: Slot::default(), waiting: Rc::default() }
    }

    /// The open handle.
    pub(super) async fn get(&self) -> Result<IdbDatabase, StoreError> {
        if let Some(database) = &*self.slot.borrow() {
            return Ok(database.clone());
        }
        let (send, receive) = oneshot::channel();
        let first = {
            let mut waiting = self.waiting.borrow_mut();
            let first = waiting.is_none();
            waiting.get_or_insert_default().push(send);
            first
        };
        if first {
            self.start();
        }
        receive.await.unwrap_or_else(|_| Err(StoreError::Lost("opening was given up".to_owned())))
    }

    /// Opens in a task of its own: a future of `idb` that is dropped before it is done breaks the page.
    fn start(&self) {
        let (slot, waiting, name) = (Rc::clone(&self.slot), Rc::clone(&self.waiting), self.name);
        let settle = Rc::new(move |opened: Opened| {
            let Some(waiting) = waiting.borrow_mut().take() else { return false };
            if let Ok(database) = &opened {
                *slot.borrow_mut() = Some(database.clone());
            }
            for one in waiting {
                // Nobody waits any more: then nobody needs to know.
                let _ = one.send(opened.clone());
            }
            true
        });
        let late = Rc::clone(&settle);
        // `blocked` comes once, to one request, and sometimes never; so time decides.
        let timer = Timer::start(OPEN_TIMEOUT_MS, move || {
            late(Err(StoreError::Blocked));
        });
        let slot = Rc::downgrade(&self.slot);
        spawn_local(async move {
            let opened = open(name).await;
            if let Ok(database) = &opened {
                watch(database, &slot);
            }
            drop(timer);
            if let (false, Ok(database)) = (settle(opened.clone()), opened) {
                // It came after everybody had given up. An open handle would block others.
                database.close();
            }
        });
    }

    /// Closes the handle; the next one who asks opens a new one.
    pub(super) fn close(&self) {
        if let Some(database) = self.slot.borrow_mut().take() {
            database.close();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Dropping a handle of `idb` does not close it.
        self.close();
    }
}

async fn open(name: &str) -> Opened {
    let factory = Factory::new().map_err(|_| StoreError::Unavailable("this host has no IndexedDB".to_owned()))?;
    let mut request = factory.open(name, Some(1)).map_err(|e| StoreError::Unavailable(e.to_string()))?;
    let made = Rc::new(Cell::new(None));
    let failed = Rc::clone(&made);
    request.on_upgrade_needed(move |event| failed.set(event.database().and_then(|db| make_stores(&db)).err()));
    let database = request.await.map_err(|e| refused(&e))?;
    if let Some(error) = made.take() {
        database.close();
        return Err(StoreError::Failed(error.to_string()));
    }
    Ok(database.into())
}

fn make_stores(database: &Database) -> Result<(), idb::Error> {
    let there = database.store_names();
    for name in [META, SEGMENTS, SNAPSHOTS] {
        if !there.iter().any(|store| store == name) {
            let mut params = ObjectStoreParams::new();
            params.auto_increment(false);
            params.key_path(None::<KeyPath>);
            database.create_object_store(name, params)?;
        }
    }
    Ok(())
}

/// Closes the handle when another tab needs the database gone, and forgets it when the browser closed it.
fn watch(database: &IdbDatabase, slot: &Weak<RefCell<Option<IdbDatabase>>>) {
    let forget = |database: IdbDatabase, slot: Weak<RefCell<Option<IdbDatabase>>>| {
        Closure::once_into_js(move || {
            database.close();
            if let Some(slot) = slot.upgrade() {
                slot.borrow_mut().take();
            }
        })
    };
    database.set_onclose(Some(forget(database.clone(), slot.clone()).unchecked_ref()));
    database.set_onversionchange(Some(forget(database.clone(), slot.clone()).unchecked_ref()));
}

pub(super) fn refused(error: &idb::Error) -> StoreError {
    match error {
        idb::Error::DomException(exception) => named(&exception.name(), &exception.message()),
        other => StoreError::Failed(other.to_string()),
    }
}

/// An exception by its name.
pub(super) fn named(name: &str, message: &str) -> StoreError {
    match name {
        "QuotaExceededError" => StoreError::Quota,
        "VersionError" => StoreError::Newer,
        // The handle is closed, or the database server of the browser went away under it.
        "InvalidStateError" | "AbortError" | "TransactionInactiveError" => {
            StoreError::Lost(format!("{name}: {message}"))
        }
        "SecurityError" | "NotSupportedError" => StoreError::Unavailable(format!("{name}: {message}")),
        _ if message.contains("onnection") => StoreError::Lost(format!("{name}: {message}")),
        _ => StoreError::Failed(format!("{name}: {message}")),
    }
}

/// An exception that was thrown.
pub(super) fn thrown(value: &JsValue) -> StoreError {
    match value.dyn_ref::<DomException>() {
        Some(exception) => named(&exception.name(), &exception.message()),
        None => StoreError::Failed(format!("{value:?}")),
    }
}
