//! The keyboard. Single keys are inert while a person types, and can be switched off.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use crate::app::AppState;
use crate::files;

/// Whether the key belongs to a field, a list or a dialog and not to the page.
pub(crate) fn is_taken(event: &KeyboardEvent) -> bool {
    if event.default_prevented() || event.is_composing() {
        return true;
    }
    let Some(element) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return false;
    };
    let typing = matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT")
        || (element.tag_name() == "INPUT" && element.get_attribute("type").as_deref() != Some("checkbox"));
    typing || element.closest("dialog[open]").ok().flatten().is_some()
}

/// Whether a modifier makes it another key.
pub(crate) fn has_modifier(event: &KeyboardEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.alt_key()
}

/// Keys that work on every page.
pub(crate) fn page_key(app: AppState, event: &KeyboardEvent) {
    if event.default_prevented() {
        return;
    }
    if (event.ctrl_key() || event.meta_key()) && event.key() == "o" {
        event.prevent_default();
        files::choose_to_open(app);
        return;
    }
    if is_taken(event) || has_modifier(event) || !app.single_keys.get_untracked() {
        return;
    }
    match event.key().as_str() {
        "?" => app.help.set(true),
        "t" => app.next_theme(),
        _ => return,
    }
    event.prevent_default();
}
