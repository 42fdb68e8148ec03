//! The npm package's functions that large views call besides the session protocol.

use throughline_protocol::Refusal;
use throughline_value::{Value, json};
use wasm_bindgen::prelude::*;

use super::state::RunState;
use crate::session::refusal;

#[wasm_bindgen(raw_module = "./views-bridge.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = ask)]
    async fn ask_package(session: &JsValue, method: &str, args: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = onDelta)]
    fn on_delta_js(session: &JsValue, listener: &JsValue) -> js_sys::Function;

    #[wasm_bindgen(catch, js_name = signIn)]
    async fn sign_in_js() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = finishSignIn)]
    async fn finish_sign_in_js() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = onGenerated)]
    fn on_generated_js(session: &JsValue, call: &JsValue);

    #[wasm_bindgen(catch, js_name = generateEvents)]
    async fn generate_events_js(session: &JsValue, count: f64, seed: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = stopGenerating)]
    pub(crate) fn stop_generating();

    #[wasm_bindgen(catch, js_name = memoryCounts)]
    async fn memory_counts_js(session: &JsValue, query: &str) -> Result<JsValue, JsValue>;
}

/// A method of the session or a function of the package, with its arguments.
pub(crate) async fn ask(run: RunState, method: &str, args: Vec<Value>) -> Result<Value, Refusal> {
    let Some(session) = run.session() else { return Err(Refusal::new("closed", "the journal is not open")) };
    let args = Value::List(args).to_json();
    let answer = ask_package(session.js(), method, &args).await.map_err(|error| refusal(&error))?;
    Ok(json::read_value(&answer.as_string().unwrap_or_default())?)
}

/// Calls with every piece of a model's reply, for as long as the page is there; the caller ignores what comes late.
pub(crate) fn on_delta(run: RunState, listener: impl Fn(Value) + 'static) -> Option<js_sys::Function> {
    let session = run.session()?;
    let closure = Closure::<dyn Fn(String)>::new(move |text: String| {
        if let Ok(delta) = json::read_value(&text) {
            listener(delta);
        }
    });
    Some(on_delta_js(session.js(), &closure.into_js_value()))
}

/// Goes to OpenRouter to sign in.
pub(crate) async fn sign_in() -> Result<(), Refusal> {
    sign_in_js().await.map(drop).map_err(|error| refusal(&error))
}

/// Calls with how many events have been generated and how many will be, below zero when none are being made.
pub(crate) fn on_generated(run: RunState, listener: impl Fn(f64, f64) + 'static) {
    if let Some(session) = run.session() {
        on_generated_js(session.js(), &Closure::<dyn Fn(f64, f64)>::new(listener).into_js_value());
    }
}

/// Puts events from a seed into the journal's memory.
pub(crate) async fn generate_events(run: RunState, count: u32, seed: u32) -> Result<(), Refusal> {
    let Some(session) = run.session() else { return Ok(()) };
    let made = generate_events_js(session.js(), f64::from(count), f64::from(seed)).await;
    made.map(drop).map_err(|error| refusal(&error))
}

/// The counts of a part of the memory: the kinds' names; the edges, and then part after part what is counted.
pub(crate) async fn memory_counts(session: &JsValue, query: &str) -> Result<(Vec<String>, Vec<f64>), Refusal> {
    let answer = memory_counts_js(session, query).await.map_err(|error| refusal(&error))?;
    let pair: js_sys::Array = answer.unchecked_into();
    let kinds: js_sys::Array = pair.get(0).unchecked_into();
    let numbers: js_sys::Float64Array = pair.get(1).unchecked_into();
    Ok((kinds.iter().filter_map(|kind| kind.as_string()).collect(), numbers.to_vec()))
}

/// The key, when the page has just come back from signing in.
pub(crate) async fn finish_sign_in() -> Result<Option<String>, Refusal> {
    finish_sign_in_js().await.map(|key| key.as_string()).map_err(|error| refusal(&error))
}
