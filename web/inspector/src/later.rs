//! A large view, in a wasm file of its own, and how it and the page around it speak.
//!
//! The shell tells where a person looks ([`State`]); the view says with a verb and a text what it wants of the
//! shell: to go somewhere, to tell a refusal, to show evidence. It asks and commands the same session.

use std::any::Any;
use std::cell::RefCell;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use throughline_value::{from_value, json};
use wasm_bindgen::prelude::*;

use crate::app::AppState;
use crate::focus::Focus;
use crate::i18n::Lang;
use crate::run::{RunState, Stage, view_panels};
use crate::session::Session;

/// What a view has to know of the page around it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct State {
    /// The journal's name.
    pub(crate) name: String,
    /// Where a person looks, as the page's address says it.
    pub(crate) address: String,
    /// The newest record.
    pub(crate) head: u64,
    /// The language's tag.
    pub(crate) lang: String,
    /// Whether it is dark.
    pub(crate) dark: bool,
    /// Grows when the journal was replaced by another.
    pub(crate) epoch: u32,
    /// The session's own clock.
    pub(crate) clock: Option<i64>,
    /// Whether a turn goes on.
    pub(crate) busy: bool,
    /// The demo that the journal belongs to.
    pub(crate) demo: Option<String>,
}

thread_local! {
    /// The page around the views; nothing where this is that page.
    static SHELL: RefCell<Option<js_sys::Function>> = const { RefCell::new(None) };
}

/// Tells the page around this view, when this is one; otherwise the caller does it.
pub(crate) fn told(verb: &str, text: impl FnOnce() -> String) -> bool {
    let Some(shell) = SHELL.with_borrow(Clone::clone) else { return false };
    // The shell answers nothing, and a shell that failed has said so itself.
    let _ = shell.call2(&JsValue::NULL, &JsValue::from_str(verb), &JsValue::from_str(&text()));
    true
}

/// A large view that is in the page; it leaves when this is dropped.
pub struct LaterView {
    run: RunState,
    _mounted: Box<dyn Any>,
}

impl std::fmt::Debug for LaterView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LaterView").finish_non_exhaustive()
    }
}

impl LaterView {
    /// Puts the view of this name into `host`.
    pub fn mount(
        host: web_sys::HtmlElement,
        view: &str,
        session: JsValue,
        state: &str,
        shell: js_sys::Function,
    ) -> Self {
        SHELL.set(Some(shell));
        let state = read(state);
        let view = view.to_owned();
        let made = std::rc::Rc::new(RefCell::new(None));
        let keep = std::rc::Rc::clone(&made);
        let mounted = leptos::mount::mount_to(host, move || {
            let app = AppState::new();
            let run = RunState::new(app, state.name.clone());
            provide_context(app);
            provide_context(run);
            run.set_session(Some(Session::shared(session)));
            take_in(run, state);
            run.stage.set(Stage::Ready);
            *keep.borrow_mut() = Some(run);
            view_panels(&view)
        });
        let run = made.take();
        #[expect(clippy::expect_used, reason = "`mount_to` calls the function it is given before it returns")]
        let run = run.expect("a mounted view has its state");
        Self { run, _mounted: Box::new(mounted) }
    }

    /// Takes in what the shell shows now.
    pub fn update(&self, state: &str) {
        take_in(self.run, read(state));
    }
}

fn read(state: &str) -> State {
    json::read_value(state).ok().and_then(|value| from_value(&value).ok()).unwrap_or_default()
}

/// Sets what differs: what stays the same asks nothing again.
fn take_in(run: RunState, state: State) {
    fn set<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
        if signal.with_untracked(|old| *old != value) {
            signal.set(value);
        }
    }
    let app = run.app;
    set(run.head, state.head);
    set(app.focus, Focus::read(&state.address));
    set(app.lang, Lang::of(&state.lang).unwrap_or_default());
    set(app.dark, state.dark);
    set(run.epoch, state.epoch);
    set(run.clock, state.clock);
    set(run.busy, state.busy);
    set(run.demo_id, state.demo);
}
