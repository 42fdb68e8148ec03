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
