//! One transaction, with its end listened to from the moment it is opened.
//!
//! A request that succeeded is not yet stored: only `complete` says so. When the browser runs out of room
//! every request succeeds and the transaction is aborted; the reason lies in the transaction's `error` then.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbDatabase, IdbTransaction, IdbTransactionMode};

use super::connection::{named, thrown};
use crate::timer::Timer;
use crate::{StoreError, TRANSACTION_TIMEOUT_MS};

/// How a transaction ended.
pub(super) enum End {
    Committed,
    Aborted(StoreError),
}

/// The end of a transaction, still to come.
pub(super) struct Ending {
    receive: oneshot::Receiver<End>,
    _timer: Timer,
}

impl Ending {
    pub(super) async fn wait(self) -> End {
        self.receive.await.unwrap_or_else(|_| End::Aborted(StoreError::Lost("the transaction vanished".to_owned())))
    }
}

/// Opens a transaction. Its first request must be made before anything is waited for.
pub(super) fn begin(
    database: &IdbDatabase,
    stores: &[&str],
    mode: IdbTransactionMode,
    durability: &str,
) -> Result<(IdbTransaction, Ending), StoreError> {
    let transaction = open(database, stores, mode, durability).map_err(|e| thrown(&e))?;
    let (send, receive) = oneshot::channel();
    let send = Rc::new(RefCell::new(Some(send)));
    let finish = move |end: End| {
        if let Some(send) = send.borrow_mut().take() {
            // Whoever waited may have been dropped.
            let _ = send.send(end);
        }
    };
    let finish = Rc::new(finish);

    let committed = Rc::clone(&finish);
    let complete = Closure::once_into_js(move || committed(End::Committed));
    transaction.set_oncomplete(Some(complete.unchecked_ref()));

    let (aborted, this) = (Rc::clone(&finish), transaction.clone());
    let abort = Closure::once_into_js(move || {
        let error = match this.error() {
            Some(error) => named(&error.name(), &error.message()),
            // `abort()` was called: by us, or because the connection was closed.
            None => StoreError::Lost("the transaction was aborted".to_owned()),
        };
        aborted(End::Aborted(error));
    });
    transaction.set_onabort(Some(abort.unchecked_ref()));

    let this = transaction.clone();
    let timer = Timer::start(TRANSACTION_TIMEOUT_MS, move || {
        // When it cannot even be aborted, it is over, or it never will be.
        let _ = this.abort();
        finish(End::Aborted(StoreError::TimedOut));
    });
    Ok((transaction, Ending { receive, _timer: timer }))
}

/// `database.transaction(stores, mode, { durability })`: the bindings have no durability yet.
fn open(
    database: &IdbDatabase,
    stores: &[&str],
    mode: IdbTransactionMode,
    durability: &str,
) -> Result<IdbTransaction, JsValue> {
    let names: Array = stores.iter().map(|name| JsValue::from_str(name)).collect();
    let mode = if mode == IdbTransactionMode::Readwrite { "readwrite" } else { "readonly" };
    let options = Object::new();
    Reflect::set(&options, &"durability".into(), &durability.into())?;
    let open: Function = Reflect::get(database, &"transaction".into())?.dyn_into()?;
    open.call3(database, &names, &mode.into(), &options)?.dyn_into()
}
