//! The place of a large view in the page: loads it, tells it where a person looks, does what it asks for.

use std::cell::RefCell;

use leptos::prelude::*;
use throughline_protocol::Refusal;
use throughline_value::{from_value, json, to_value};
use wasm_bindgen::prelude::*;

use super::state::{RunState, Shown, Stage, use_run};
use crate::bridge;
use crate::dom::{Dom, el};
use crate::focus::Focus;
use crate::later::State;
use crate::session::refusal;
use crate::ui::refusal_el;

/// How far a view is.
#[derive(Clone, PartialEq)]
enum Place {
    Loading,
    Shown,
    Failed(Refusal),
}

/// A large view, by its name.
pub(crate) fn later_view(name: &'static str) -> AnyView {
    let run = use_run();
    let host = NodeRef::<leptos::html::Div>::new();
    let place = RwSignal::new(Place::Loading);
    let mounted = StoredValue::new_local(None::<JsValue>);
    let again = RwSignal::new(0_u32);
    let shell = ear(run);
    Effect::new(move |_| {
        again.track();
        let ready = run.stage.with(|stage| *stage == Stage::Ready);
        let (Some(host), Some(session), true) = (host.get(), run.session(), ready) else { return };
        if mounted.with_value(Option::is_some) {
            return;
        }
        place.set(Place::Loading);
        let shell = shell.clone();
        run.app.work(async move {
            let view = bridge::mount_view(&host, name, session.js(), &state(run), &shell).await;
            if place.is_disposed() {
                if let Ok(view) = view {
                    bridge::unmount_view(&view);
                }
                return;
            }
            match view {
                Ok(view) => {
                    mounted.set_value(Some(view));
                    place.set(Place::Shown);
                }
                Err(error) => place.set(Place::Failed(refusal(&error))),
            }
        });
    });
    Effect::new(move |_| {
        let state = tracked_state(run);
        if place.get() == Place::Shown {
            mounted.with_value(|view| view.iter().for_each(|view| bridge::update_view(view, &state)));
        }
    });
    on_cleanup(move || {
        if let Some(view) = mounted.try_update_value(Option::take).flatten() {
            bridge::unmount_view(&view);
        }
    });
    let show = move || {
        let lang = run.app.lang.get();
        let words = lang.words();
        match place.get() {
            Place::Shown => Vec::new(),
            Place::Loading => {
                let spinner = el("span").class("spinner").attr("aria-hidden", "true");
                vec![el("p").class("opening").attr("role", "status").with(spinner).text(format!(" {}", words.working))]
            }
            Place::Failed(refusal) => vec![
                el("p").attr("role", "alert").with(refusal_el(&refusal, lang)),
                el("button").class("button primary").text(words.try_again).on_click(move || again.update(|n| *n += 1)),
            ],
        }
    };
    view! { <div class="contents"><Dom show=Box::new(show)/><div class="contents" node_ref=host></div></div> }
        .into_any()
}

thread_local! {
    /// The run that views speak to, and the one function that they call: a view that has left may still end its work.
    static EAR: RefCell<Option<RunState>> = const { RefCell::new(None) };
    static FUNCTION: JsValue = Closure::<dyn Fn(String, String)>::new(|verb: String, text: String| {
        if let Some(run) = EAR.with_borrow(Clone::clone) {
            obey(run, &verb, &text);
        }
    })
    .into_js_value();
}

/// What views call, from now on for this run.
fn ear(run: RunState) -> JsValue {
    EAR.set(Some(run));
    FUNCTION.with(JsValue::clone)
}

/// Does what a view asks for.
fn obey(run: RunState, verb: &str, text: &str) {
    let value = || json::read_value(text).unwrap_or_default();
    match verb {
        "rest" => run.app.end_work(),
        _ if run.stage.is_disposed() => {}
        "go" => run.app.go(Focus::read(text)),
        "look" => run.app.look(Focus::read(text)),
        "work" => run.app.begin_work(),
        "refresh" => run.refresh(),
        "evidence" => run.shown.set(from_value::<Shown>(&value()).ok()),
        "refusal" => {
            if let Ok(refusal) = from_value(&value()) {
                run.tell(refusal);
            }
        }
        _ => {}
    }
}

fn state(run: RunState) -> String {
    untrack(|| tracked_state(run))
}

fn tracked_state(run: RunState) -> String {
    let state = State {
        name: run.name.get_value(),
        address: run.app.focus.with(Focus::write),
        head: run.head.get(),
        lang: run.app.lang.get().tag().to_owned(),
        dark: run.app.dark.get(),
        epoch: run.epoch.get(),
        clock: run.clock.get(),
        busy: run.busy.get(),
        demo: run.demo.with(|demo| demo.as_ref().map(|demo| demo.id.clone())),
    };
    to_value(&state).map(|value| value.to_json()).unwrap_or_default()
}
