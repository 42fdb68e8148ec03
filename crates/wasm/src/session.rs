//! The one class.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Once;

use js_sys::{Function, Promise, Reflect};
use throughline_browser::WebHost;
use throughline_protocol::Refusal;
use throughline_protocol::session::{Response, Storage};
use throughline_value::{Value, json, to_value, to_wire};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::{future_to_promise, spawn_local};

use crate::PANIC_GLOBAL;

thread_local! {
    /// The words of the panic after which this instance may not be used any more.
    static CRASHED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Leaves a panic's words where they can be found after the trap.
fn watch_for_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let words = panic.to_string();
            // A page that forbids new globals still gets the trap.
            let _ = Reflect::set(&js_sys::global(), &PANIC_GLOBAL.into(), &words.as_str().into());
            // Whoever panicked may hold it.
            CRASHED.with(|crashed| {
                if let Ok(mut crashed) = crashed.try_borrow_mut() {
                    *crashed = Some(words);
                }
            });
        }));
    });
}

fn crashed() -> Option<Refusal> {
    CRASHED.with_borrow(|words| {
        words.as_ref().map(|words| {
            Refusal::new(
                "engine-crashed",
                "the engine has crashed and this instance may not be used again; open the journal in a new one",
            )
            .with(Value::from([("panic", Value::from(words.as_str()))]))
        })
    })
}

/// Lets the memory grow in large steps: in small ones each costs as much as a large one, and a large answer needs
/// thousands of them.
#[cfg(target_arch = "wasm32")]
fn keep_headroom() {
    const PAGE: usize = 65_536;
    /// More than this is never taken in advance, in pages.
    const MOST: usize = 4_096;
    thread_local! {
        static SEEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }
    let pages = core::arch::wasm32::memory_size(0);
    if SEEN.get() != pages {
        drop(std::hint::black_box(Vec::<u8>::with_capacity((pages / 2).min(MOST) * PAGE)));
        SEEN.set(core::arch::wasm32::memory_size(0));
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn keep_headroom() {}

fn text(value: &Value) -> JsValue {
    to_wire(value).to_json().into()
}

/// The result or the error under `id`, as a response's text.
fn response(id: u64, answer: Result<Value, Refusal>) -> JsValue {
    let response = match answer {
        Ok(result) => Response { id, result, error: None },
        Err(error) => Response { id, result: Value::Null, error: Some(error) },
    };
    // A response of numbers, texts and values can always be written.
    text(&to_value(&response).unwrap_or_default())
}

/// One session of one journal.
#[wasm_bindgen]
pub struct Session {
    host: Rc<WebHost>,
    session: throughline_browser::Session,
}

#[wasm_bindgen]
impl Session {
    /// A session that is not opened yet.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "JavaScript has constructors only")]
    pub fn new() -> Self {
        watch_for_panics();
        let host = WebHost::new();
        Self { session: throughline_browser::Session::new(Rc::<WebHost>::clone(&host)), host }
    }

    /// Takes a request as JSON text and calls `done` with its response as JSON text, once, later.
    ///
    /// It gives nothing back itself: Node 20 ends the process when it throws compiled code away during a hot call that
    /// gives an object.
    pub fn request(&self, text: String, done: Function) {
        keep_headroom();
        let session = self.session.clone();
        spawn_local(async move {
            let response = match crashed() {
                Some(refusal) => {
                    let id = json::read_value(&text).ok().and_then(|v| v.get("id")?.as_i64()).unwrap_or(0);
                    response(u64::try_from(id).unwrap_or(0), Err(refusal))
                }
                None => session.request(&text).await.into(),
            };
            // The listener throws nothing; whoever gave it hears of it as of any error of its own.
            let _ = done.call1(&JsValue::UNDEFINED, &response);
        });
    }

    /// The synchronous rows of this session's memory.
    pub fn rows(&self) -> crate::Rows {
        crate::Rows::new(self.session.clone())
    }

    /// Calls `listener` with every push as JSON text.
    pub fn on_push(&self, listener: Function) {
        self.host.on_push(listener);
    }

    /// Takes what the host's tool or model gave, as JSON text. What it gave is thrown back when it is no
    /// such message.
    pub fn host_result(&self, text: &str) -> Result<(), JsValue> {
        self.session.host_result(text).map_err(|refusal| refusal.to_string().into())
    }

    /// Every journal here, as a response's JSON text.
    pub fn list() -> Promise {
        watch_for_panics();
        future_to_promise(async { Ok(response(0, throughline_browser::list().await)) })
    }

    /// Removes a journal of `indexeddb` or `memory`. Resolves to a response's JSON text.
    pub fn remove(storage: &str, name: String) -> Promise {
        watch_for_panics();
        let storage = match storage {
            "indexeddb" => Ok(Storage::IndexedDb),
            "memory" => Ok(Storage::Memory),
            other => Err(Refusal::new(
                "unknown-storage",
                format!("there is no storage `{other}`; it is `indexeddb` or `memory`"),
            )),
        };
        future_to_promise(async move {
            let removed = match storage {
                Ok(storage) => throughline_browser::remove(storage, &name).await.map(|()| Value::Null),
                Err(refusal) => Err(refusal),
            };
            Ok(response(0, removed))
        })
    }
}
