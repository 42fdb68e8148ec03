//! Requests over the network, with `fetch`: the same in a window, in a worker and in Node.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use throughline_model::diagnose::Facts;
use throughline_model::provider::Http;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::host::{Fetched, Guard};

thread_local! {
    /// The directive that last stopped a request of this thread.
    static POLICY: RefCell<Option<String>> = const { RefCell::new(None) };
    static WATCHING: RefCell<bool> = const { RefCell::new(false) };
}

/// Ends the request when it is dropped.
struct Running {
    controller: JsValue,
    abort: Option<Function>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(abort) = &self.abort {
            // A request that is over is not ended again.
            let _ = abort.call0(&self.controller);
        }
    }
}

pub(super) fn start(http: &Http, event: Rc<dyn Fn(Fetched)>) -> Guard {
    watch_policy();
    let controller = construct("AbortController").unwrap_or(JsValue::UNDEFINED);
    let abort = function(&controller, "abort");
    let signal = get(&controller, "signal");
    let request = Request { url: http.url.clone(), init: init(http, &signal) };
    spawn_local(async move {
        let mut begun = false;
        if let Err(error) = run(&request, event.as_ref(), &mut begun).await {
            let code = if begun { "connection-lost" } else { "not-reachable" };
            event(Fetched::Failed { code: code.to_owned(), message: words(&error) });
        }
    });
    Box::new(Running { controller, abort })
}

struct Request {
    url: String,
    init: Object,
}

fn init(http: &Http, signal: &JsValue) -> Object {
    let headers = Object::new();
    for (name, value) in &http.headers {
        set(&headers, name, &value.as_str().into());
    }
    let init = Object::new();
    set(&init, "method", &http.method.into());
    set(&init, "headers", &headers);
    set(&init, "signal", signal);
    // No cookies, no referrer, no cache: a request says what it is given and nothing else.
    set(&init, "credentials", &"omit".into());
    set(&init, "referrerPolicy", &"no-referrer".into());
    set(&init, "cache", &"no-store".into());
    if !http.body.is_empty() {
        set(&init, "body", &http.body.as_str().into());
    }
    init
}

async fn run(request: &Request, event: &dyn Fn(Fetched), begun: &mut bool) -> Result<(), JsValue> {
    let response = fetch(&request.url, &request.init).await?;
    *begun = true;
    let headers = get(&response, "headers");
    let header =
        |name: &str| -> Option<String> { function(&headers, "get")?.call1(&headers, &name.into()).ok()?.as_string() };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a status has three digits")]
    let status = get(&response, "status").as_f64().unwrap_or(0.0) as u16;
    let retry_after =
        header("retry-after").and_then(|text| text.trim().parse::<u64>().ok()).map(|s| s.saturating_mul(1_000));
    event(Fetched::Head { status, content_type: header("content-type").unwrap_or_default(), retry_after });
    let body = get(&response, "body");
    if body.is_object() {
        let reader = call(&body, "getReader")?;
        loop {
            let piece = JsFuture::from(call(&reader, "read")?.dyn_into::<Promise>()?).await?;
            if get(&piece, "done").is_truthy() {
                break;
            }
            event(Fetched::Bytes(Uint8Array::new(&get(&piece, "value")).to_vec()));
        }
    }
    event(Fetched::End);
    Ok(())
}

async fn fetch(url: &str, init: &Object) -> Result<JsValue, JsValue> {
    let global = js_sys::global();
    let fetch = function(&global, "fetch").ok_or_else(|| JsValue::from("there is no `fetch` here"))?;
    JsFuture::from(fetch.call2(&global, &url.into(), init)?.dyn_into::<Promise>()?).await
}

/// Whether anything answers at the address: an answer that nobody may read is one.
pub(super) async fn answers(endpoint: String) -> bool {
    let init = Object::new();
    for (name, value) in [("mode", "no-cors"), ("credentials", "omit"), ("referrerPolicy", "no-referrer")] {
        set(&init, name, &value.into());
    }
    let timeout = get(&js_sys::global(), "AbortSignal");
    if let Some(signal) = function(&timeout, "timeout").and_then(|f| f.call1(&timeout, &5_000.into()).ok()) {
        set(&init, "signal", &signal);
    }
    fetch(&endpoint, &init).await.is_ok()
}

/// What can be seen around a request that failed.
pub(super) async fn surroundings(endpoint: String) -> Facts {
    let global = js_sys::global();
    let navigator = get(&global, "navigator");
    // A worker from a blob has its page's origin here.
    let origin = get(&global, "origin").as_string().filter(|origin| origin != "null").unwrap_or_default();
    let mut facts = Facts {
        origin,
        online: get(&navigator, "onLine").as_bool(),
        policy: POLICY.with_borrow_mut(Option::take),
        ..Facts::default()
    };
    let loopback = ["localhost", "127.", "[::1]"].iter().any(|host| endpoint.contains(&format!("//{host}")));
    let names: &[&str] = if loopback {
        &["loopback-network", "local-network-access"]
    } else {
        &["local-network", "local-network-access"]
    };
    for name in names {
        if let Some(state) = permission(&navigator, name).await {
            facts.permission = Some(state);
            break;
        }
    }
    facts
}

async fn permission(navigator: &JsValue, name: &str) -> Option<String> {
    let permissions = get(navigator, "permissions");
    let wanted = Object::new();
    set(&wanted, "name", &name.into());
    // A browser that does not know the name throws or rejects.
    let asked = function(&permissions, "query")?.call1(&permissions, &wanted).ok()?;
    let status = JsFuture::from(asked.dyn_into::<Promise>().ok()?).await.ok()?;
    get(&status, "state").as_string()
}

/// Remembers which directive of the page's policy stops a request.
fn watch_policy() {
    if WATCHING.replace(true) {
        return;
    }
    let global = js_sys::global();
    let Some(listen) = function(&global, "addEventListener") else { return };
    let heard = Closure::<dyn FnMut(JsValue)>::new(|violation: JsValue| {
        let directive = get(&violation, "effectiveDirective").as_string();
        POLICY.set(directive.or_else(|| Some("connect-src".to_owned())));
    });
    // It listens as long as the thread lives.
    let _ = listen.call2(&global, &"securitypolicyviolation".into(), &heard.into_js_value());
}

/// An error's words, with those of its cause: Node hides the reason there.
fn words(error: &JsValue) -> String {
    let message = |value: &JsValue| get(value, "message").as_string().or_else(|| value.as_string());
    let said = message(error).unwrap_or_else(|| "the request failed".to_owned());
    let cause = get(error, "cause");
    match get(&cause, "code").as_string().or_else(|| message(&cause)) {
        Some(cause) if !cause.is_empty() => format!("{said} ({cause})"),
        _ => said,
    }
}

fn get(target: &JsValue, name: &str) -> JsValue {
    Reflect::get(target, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn set(target: &Object, name: &str, value: &JsValue) {
    // A plain object takes any field.
    let _ = Reflect::set(target, &name.into(), value);
}

fn function(target: &JsValue, name: &str) -> Option<Function> {
    get(target, name).dyn_into().ok()
}

fn call(target: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    function(target, name).ok_or_else(|| JsValue::from(format!("there is no `{name}`")))?.call0(target)
}

fn construct(name: &str) -> Option<JsValue> {
    Reflect::construct(&function(&js_sys::global(), name)?, &Array::new()).ok()
}
