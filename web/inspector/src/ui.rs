//! Small parts that every page uses: messages, refusals, notices, dialogs, the bar's switches.

use leptos::prelude::*;
use throughline_protocol::Refusal;

use crate::app::{Notice, use_app};
use crate::dom::{Dom, El, el};
use crate::format::fill;
use crate::i18n::{Lang, Pick, t};
use crate::settings::{self, Theme};

/// A sentence of the table with its gaps filled, in whatever language is on.
#[derive(Clone)]
pub(crate) struct Message {
    pick: Pick,
    parts: Vec<(&'static str, String)>,
}

impl Message {
    /// A sentence without gaps.
    pub(crate) fn plain(pick: Pick) -> Self {
        Self { pick, parts: Vec::new() }
    }

    /// The same with a gap filled.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.parts.push((name, value.to_string()));
        self
    }

    /// The sentence in a language.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let parts: Vec<_> = self.parts.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fill((self.pick)(lang.words()), &parts)
    }
}

/// Moves the keyboard's focus to the element with this id.
pub(crate) fn focus_on(id: &str) {
    use wasm_bindgen::JsCast as _;
    let element = document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// An error in full: what was wrong, its code, where, and what would work.
pub(crate) fn refusal_el(refusal: &Refusal, lang: Lang) -> El {
    let words = lang.words();
    let byte = refusal.span.map(|span| span.start.to_string()).or_else(|| {
        let byte = refusal.details.get("byte").and_then(throughline_value::Value::as_i64);
        byte.map(|byte| byte.to_string())
    });
    let mut place = vec![fill(words.error_code, &[("code", &refusal.code)])];
    place.extend(refusal.path.iter().map(|path| fill(words.error_path, &[("path", path)])));
    place.extend(byte.iter().map(|byte| fill(words.error_byte, &[("byte", byte)])));
    let line = |class: &'static str, text: String| el("span").class(class).text(text);
    el("span")
        .class("refusal")
        .with(line("refusal-text", refusal.message.clone()))
        .maybe(refusal.suggestion.clone().map(|text| line("refusal-hint", text)))
        .with(el("code").class("refusal-code").text(place.join(" · ")))
}

/// What the page tells, above everything else.
pub(crate) fn notices() -> AnyView {
    let app = use_app();
    let one = move |notice: Notice, lang: Lang| {
        let words = lang.words();
        let key = notice.key;
        let said =
            el("p").text(notice.message.text(lang)).maybe(notice.refusal.map(|refusal| refusal_el(&refusal, lang)));
        let action = notice
            .action
            .map(|(verb, act)| el("button").class("button").text(verb(words)).on_click(move || act.run(())));
        let dismiss = el("button").class("button quiet").text(words.dismiss).on_click(move || app.untell(key));
        el("div")
            .class(if notice.bad { "notice bad" } else { "notice" })
            .attr("role", if notice.bad { "alert" } else { "status" })
            .with(el("span").class("notice-mark").attr("aria-hidden", "true").text(if notice.bad {
                "✕"
            } else {
                "▪"
            }))
            .with(said)
            .maybe(action)
            .with(dismiss)
    };
    let show = Box::new(move || {
        let lang = app.lang.get();
        app.notices.get().into_iter().map(|notice| one(notice, lang)).collect()
    });
    view! { <div class="notices" aria-live="assertive"><Dom show/></div> }.into_any()
}

/// A dialog of the browser's own kind: modal, closed by Escape, the focus goes back where it was.
#[component]
pub(crate) fn Modal(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// Its title.
    #[prop(into)]
    title: Signal<String>,
    /// Wide, for documents.
    #[prop(optional)]
    wide: bool,
    /// What it holds; made anew each time it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<leptos::html::Dialog>::new();
    Effect::new(move |_| {
        let Some(element) = dialog.get() else { return };
        if open.get() && !element.open() {
            let _ = element.show_modal();
        } else if !open.get() && element.open() {
            element.close();
        }
    });
    let children = StoredValue::new(children);
    view! {
        <dialog
            node_ref=dialog
            class="modal"
            class:wide=wide
            aria-label=move || title.get()
            on:close=move |_| open.set(false)
            // A click on the dark outside is on the dialog itself.
            on:click=move |event| {
                if event.target().map(wasm_bindgen::JsValue::from) == event.current_target().map(wasm_bindgen::JsValue::from) {
                    open.set(false);
                }
            }
        >
            <Show when=move || open.get()>
                <div class="modal-box">
                    <header class="modal-head">
                        <h2>{move || title.get()}</h2>
                        <button class="button quiet" aria-label=t(|w| w.close) on:click=move |_| open.set(false)>"✕"</button>
                    </header>
                    {children.with_value(|children| children())}
                </div>
            </Show>
        </dialog>
    }
}

/// Asks before something is lost.
#[component]
pub(crate) fn ConfirmDialog() -> impl IntoView {
    let app = use_app();
    let open = RwSignal::new(false);
    Effect::new(move |_| open.set(app.confirm.with(Option::is_some)));
    Effect::new(move |_| {
        if !open.get() && app.confirm.with_untracked(Option::is_some) {
            app.confirm.set(None);
        }
    });
    let title = Signal::derive(move || {
        app.confirm.with(|confirm| confirm.as_ref().map(|c| c.title.text(app.lang.get())).unwrap_or_default())
    });
    let text =
        move || app.confirm.with(|confirm| confirm.as_ref().map(|c| c.text.text(app.lang.get())).unwrap_or_default());
    let verb = move || {
        app.confirm.with(|confirm| confirm.as_ref().map(|c| (c.verb)(app.lang.get().words())).unwrap_or_default())
    };
    let yes = move |_| {
        let confirm = app.confirm.get_untracked();
        open.set(false);
        if let Some(confirm) = confirm {
            confirm.yes.run(());
        }
    };
    view! {
        <Modal open title>
            <p class="modal-text">{text}</p>
            <footer class="modal-foot">
                <button class="button" on:click=move |_| open.set(false)>{t(|w| w.cancel)}</button>
                <button class="button danger" on:click=yes>{verb}</button>
            </footer>
        </Modal>
    }
}

/// Every key, and whether single keys are on.
#[component]
pub(crate) fn HelpDialog() -> impl IntoView {
    let app = use_app();
    let title = Signal::derive(move || app.lang.get().words().keys_title.to_owned());
    let rows: &'static [(&'static str, Pick)] = &[
        ("n · Shift+n · → ←", |w| w.key_step),
        ("Home · End", |w| w.key_ends),
        ("Space", |w| w.key_play),
        ("1 – 9", |w| w.key_views),
        ("/", |w| w.key_filter),
        ("j · k · ↓ ↑", |w| w.key_rows),
        ("[", |w| w.key_cause),
        ("+ · − · 0", |w| w.key_zoom),
        ("t", |w| w.key_theme),
        ("Ctrl+O", |w| w.key_open),
        ("Ctrl+S", |w| w.key_save),
        ("Alt+←", |w| w.key_history),
        ("?", |w| w.key_help),
    ];
    let toggle = move |_| {
        app.single_keys.update(|on| *on = !*on);
        settings::keep_single_keys(app.single_keys.get_untracked());
    };
    view! {
        <Modal open=app.help title>
            <Dom show=Box::new(move || {
                let words = app.lang.get().words();
                let row = |(keys, what): &(&'static str, Pick)| {
                    let keys = el("dt").with(el("kbd").text(*keys));
                    el("div").with(keys).with(el("dd").text(what(words)))
                };
                vec![el("dl").class("keys").all(rows.iter().map(row))]
            })/>
            <label class="check">
                <input type="checkbox" prop:checked=move || app.single_keys.get() on:change=toggle/>
                {t(|w| w.keys_single)}
            </label>
            <p class="hint">{t(|w| w.keys_note)}</p>
        </Modal>
    }
}

/// Language, theme, help: at the end of every bar.
#[component]
pub(crate) fn Switches() -> impl IntoView {
    let app = use_app();
    let theme = move || {
        let words = app.lang.get().words();
        match app.theme.get() {
            Theme::System => words.theme_system,
            Theme::Light => words.theme_light,
            Theme::Dark => words.theme_dark,
        }
    };
    let mark = move || match app.theme.get() {
        Theme::System => "◐",
        Theme::Light => "○",
        Theme::Dark => "●",
    };
    view! {
        <button
            class="button quiet"
            lang=move || app.lang.get().other().tag()
            on:click=move |_| app.next_language()
        >
            {move || app.lang.get().other().own_name()}
        </button>
        <button
            class="button quiet"
            aria-label=move || format!("{}: {}", app.lang.get().words().theme, theme())
            title=move || format!("{}: {}", app.lang.get().words().theme, theme())
            on:click=move |_| app.next_theme()
        >
            <span aria-hidden="true">{mark}</span>
            <span class="wide-only">{theme}</span>
        </button>
        <button class="button quiet" aria-label=t(|w| w.help) title=t(|w| w.help) on:click=move |_| app.help.set(true)>
            "?"
        </button>
    }
}
