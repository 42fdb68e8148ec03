//! The functions of `bridge.js`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./bridge.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = openSession)]
    pub(crate) async fn open_session(options: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch)]
    pub(crate) async fn request(session: &JsValue, call: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = onChange)]
    pub(crate) fn on_change(session: &JsValue, listener: &JsValue);

    #[wasm_bindgen(catch, js_name = closeSession)]
    pub(crate) async fn close_session(session: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_name = listJournals)]
    pub(crate) async fn list_journals() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = deleteJournal)]
    pub(crate) async fn delete_journal(name: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_name = fetchText)]
    pub(crate) async fn fetch_text(path: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = mountView)]
    pub(crate) async fn mount_view(
        host: &web_sys::Element,
        view: &str,
        session: &JsValue,
        state: &str,
        shell: &JsValue,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = updateView)]
    pub(crate) fn update_view(mounted: &JsValue, state: &str);

    #[wasm_bindgen(js_name = unmountView)]
    pub(crate) fn unmount_view(mounted: &JsValue);

    #[wasm_bindgen(js_name = sayBroken)]
    pub(crate) fn say_broken(words: &str);

    pub(crate) fn download(name: &str, text: &str);

    #[wasm_bindgen(js_name = setZone)]
    pub(crate) fn set_zone(name: &str);

    #[wasm_bindgen(js_name = formatTime)]
    pub(crate) fn format_time(ms: f64, language: &str, style: &str) -> String;

    #[wasm_bindgen(js_name = formatNumber)]
    pub(crate) fn format_number(number: f64, language: &str) -> String;
}
