//! The large views, loaded when one of them is shown first.
#![allow(unreachable_pub, reason = "wasm-bindgen exports what is public")]

use inspector_page::LaterView;
use wasm_bindgen::prelude::*;

/// A view that is in the page.
#[wasm_bindgen]
pub struct Mounted(LaterView);

#[wasm_bindgen]
impl Mounted {
    /// Takes in what the shell shows now.
    pub fn update(&self, state: &str) {
        self.0.update(state);
    }
}

/// Puts a view into `host`; it leaves when what is returned is freed.
#[wasm_bindgen]
pub fn mount(
    host: web_sys::HtmlElement,
    view: &str,
    session: JsValue,
    state: &str,
    shell: js_sys::Function,
) -> Mounted {
    Mounted(LaterView::mount(host, view, session, state, shell))
}

fn main() {
    std::panic::set_hook(Box::new(console_error_panic_hook::hook));
}
