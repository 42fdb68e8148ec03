//! The host in a window, in a worker, and in Node.

mod channel;
mod fetch;
mod lock;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Date, Function, Reflect};
use throughline_journal::Millis;
use throughline_model::diagnose::Facts;
use throughline_model::provider::Http;
use throughline_protocol::Refusal;
use throughline_protocol::session::Storage;
use throughline_store::timer::{LONGEST_MS, Timer};
use throughline_store::{IndexedDb, Listing, Memory, Store};
use throughline_value::{Value, to_value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use crate::host::{Channel, Fetched, Guard, Host, Waiting, Work};
use crate::local;
use crate::running::refusal;

/// A timer that takes longer than this does not keep a program from ending.
const FOREGROUND_MS: i32 = 10_000;

/// The host in a window, in a worker, and in Node.
#[derive(Debug, Default)]
pub struct WebHost {
    listener: RefCell<Option<Function>>,
}

impl WebHost {
    /// A host whose messages go to nobody yet.
    #[must_use]
    pub fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Sends messages to this function from now on.
    pub fn on_push(&self, listener: Function) {
        *self.listener.borrow_mut() = Some(listener);
    }
}

fn store(storage: Storage, name: &str) -> Rc<dyn Store> {
    match storage {
        Storage::Memory => Rc::new(Memory::new(name)),
        Storage::IndexedDb => Rc::new(IndexedDb::new(name)),
    }
}

impl Host for WebHost {
    fn now(&self) -> Millis {
        #[expect(clippy::cast_possible_truncation, reason = "the clock counts whole milliseconds, far below 2^53")]
        let now = Date::now() as Millis;
        now
    }

    fn fresh_id(&self) -> String {
        random_id().unwrap_or_else(|| format!("{:016x}", self.now()))
    }

    fn push(&self, text: String) {
        let listener = self.listener.borrow().clone();
        if let Some(listener) = listener {
            // A listener that throws has its own page to tell.
            let _ = listener.call1(&JsValue::UNDEFINED, &text.into());
        }
    }

    fn spawn(&self, work: Work) {
        spawn_local(work);
    }

    fn later(&self, ms: Millis, then: Box<dyn FnOnce()>) -> Guard {
        let ms = i32::try_from(ms).unwrap_or(LONGEST_MS);
        let timer = Timer::start(ms, then);
        Box::new(if ms > FOREGROUND_MS { timer.in_background() } else { timer })
    }

    fn random(&self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^32")]
        let random = (js_sys::Math::random() * f64::from(u32::MAX)) as u64;
        random
    }

    fn fetch(&self, http: &Http, event: Rc<dyn Fn(Fetched)>) -> Guard {
        fetch::start(http, event)
    }

    fn surroundings(&self, endpoint: &str) -> Waiting<Facts> {
        Box::pin(fetch::surroundings(endpoint.to_owned()))
    }

    fn answers(&self, endpoint: &str) -> Waiting<bool> {
        Box::pin(fetch::answers(endpoint.to_owned()))
    }

    fn store(&self, storage: Storage, name: &str) -> Result<Rc<dyn Store>, Refusal> {
        Ok(store(storage, name))
    }

    fn listen(&self, storage: Storage, name: &str, hint: Rc<dyn Fn()>) -> Box<dyn Channel> {
        match storage {
            Storage::Memory => Box::new(Near(local::listen(name, hint))),
            Storage::IndexedDb => channel::open(name, hint),
        }
    }

    fn lead(&self, storage: Storage, name: &str, first: Box<dyn FnOnce()>) -> Guard {
        match storage {
            Storage::Memory => Box::new(local::lead(name, first)),
            Storage::IndexedDb => lock::request(name, first),
        }
    }
}

/// The other sessions of this thread.
struct Near(Rc<local::Listening>);

impl Channel for Near {
    fn tell(&self) {
        for hint in local::others(&self.0) {
            // Later, since the other session may be the one that is telling us.
            spawn_local(async move { hint() });
        }
    }
}

/// `crypto.randomUUID()`, or as much from `crypto.getRandomValues` where a page is not secure.
fn random_id() -> Option<String> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).ok()?;
    let method = |name: &str| Reflect::get(&crypto, &name.into()).ok()?.dyn_into::<Function>().ok();
    if let Some(uuid) = method("randomUUID") {
        return uuid.call0(&crypto).ok()?.as_string();
    }
    let bytes = js_sys::Uint8Array::new_with_length(16);
    method("getRandomValues")?.call1(&crypto, &bytes).ok()?;
    Some(throughline_value::hex::encode(&bytes.to_vec()))
}

/// Every journal of a kind of storage: a list of `{name, storage, id, seq, recorded_at, error}`.
///
/// # Errors
/// When the database cannot be read.
pub async fn list() -> Result<Value, Refusal> {
    let mut all = entries("memory", Memory::list())?;
    if Reflect::has(&js_sys::global(), &"indexedDB".into()).unwrap_or(false) {
        all.extend(entries("indexeddb", IndexedDb::list().await.map_err(|error| refusal(&error))?)?);
    }
    Ok(Value::List(all))
}

fn entries(storage: &str, listings: Vec<Listing>) -> Result<Vec<Value>, Refusal> {
    let entry = |listing: &Listing| {
        let mut value = to_value(listing)?;
        if let Value::Map(map) = &mut value {
            map.insert("storage".to_owned(), storage.into());
        }
        Ok(value)
    };
    listings.iter().map(entry).collect()
}

/// Removes a journal with all that belongs to it.
///
/// # Errors
/// When the database cannot be written.
pub async fn remove(storage: Storage, name: &str) -> Result<(), Refusal> {
    let store = store(storage, name);
    let removed = store.remove().await.map_err(|error| refusal(&error));
    store.close();
    removed
}
