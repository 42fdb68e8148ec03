//! Small parts that every page uses: messages, refusals, notices, dialogs, the bar's switches.

use leptos::prelude::*;
use throughline_protocol::Refusal;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::app::{AppState, Notice, use_app};
use crate::dom::{Dom, El, el};
use crate::format::fill;
use crate::i18n::{Lang, Pick, Words, meaning};
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
    let meaning = if lang == Lang::Zh { meaning(&refusal.code) } else { None };
    let said = if meaning.is_some() { "refusal-hint" } else { "refusal-text" };
    el("span")
        .class("refusal")
        .maybe(meaning.map(|words| line("refusal-text", words.to_owned())))
        .with(line(said, refusal.message.clone()))
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

/// A dialog of the browser's own kind: modal, closed by Escape, the focus goes back where it was. What it holds
/// is made while it is open.
pub(crate) fn modal(
    open: RwSignal<bool>,
    wide: bool,
    title: impl Fn(&'static Words) -> String + 'static,
    hold: impl Fn(Lang) -> Vec<El> + 'static,
) -> AnyView {
    let title = Box::new(title);
    modal_of(open, wide, title, Box::new(hold))
}

fn modal_of(
    open: RwSignal<bool>,
    wide: bool,
    title: Box<dyn Fn(&'static Words) -> String>,
    hold: Box<dyn Fn(Lang) -> Vec<El>>,
) -> AnyView {
    let lang = use_app().lang;
    let dialog = NodeRef::<leptos::html::Dialog>::new();
    Effect::new(move |_| {
        let Some(element) = dialog.get() else { return };
        if open.get() && !element.open() {
            let _ = element.show_modal();
        } else if !open.get() && element.open() {
            element.close();
        }
    });
    // A click on the dark outside is on the dialog itself.
    let outside = move |event: web_sys::MouseEvent| {
        if event.target().map(JsValue::from) == event.current_target().map(JsValue::from) {
            open.set(false);
        }
    };
    let show = move || {
        if !open.get() {
            return Vec::new();
        }
        let lang = lang.get();
        let title = title(lang.words());
        if let Some(element) = dialog.get_untracked() {
            let _ = element.set_attribute("aria-label", &title);
        }
        let close = el("button").class("button quiet").attr("aria-label", lang.words().close).text("✕");
        let head =
            el("header").class("modal-head").with(el("h2").text(title)).with(close.on_click(move || open.set(false)));
        vec![el("div").class("modal-box").with(head).all(hold(lang))]
    };
    let class = if wide { "modal wide" } else { "modal" };
    view! {
        <dialog node_ref=dialog class=class on:close=move |_| open.set(false) on:click=outside>
            <Dom show=Box::new(show)/>
        </dialog>
    }
    .into_any()
}

/// Asks before something is lost.
pub(crate) fn confirm_dialog() -> AnyView {
    let app = use_app();
    let open = RwSignal::new(false);
    Effect::new(move |_| open.set(app.confirm.with(Option::is_some)));
    Effect::new(move |_| {
        if !open.get() && app.confirm.with_untracked(Option::is_some) {
            app.confirm.set(None);
        }
    });
    let title =
        move |_| app.confirm.with(|confirm| confirm.as_ref().map(|c| c.title.text(app.lang.get())).unwrap_or_default());
    let hold = move |lang: Lang| {
        let Some(confirm) = app.confirm.get() else { return Vec::new() };
        let cancel = el("button").class("button").text(lang.words().cancel).on_click(move || open.set(false));
        let yes = confirm.yes;
        let verb = el("button").class("button danger").text((confirm.verb)(lang.words())).on_click(move || {
            open.set(false);
            yes.run(());
        });
        vec![
            el("p").class("modal-text").text(confirm.text.text(lang)),
            el("footer").class("modal-foot").with(cancel).with(verb),
        ]
    };
    modal(open, false, title, hold)
}

/// Every key, and whether single keys are on.
pub(crate) fn help_dialog() -> AnyView {
    const KEYS: [(&str, Pick); 14] = [
        ("n · Shift+n · → ←", |w| w.key_step),
        ("Home · End", |w| w.key_ends),
        ("Space", |w| w.key_play),
        ("1 – 9 · c · m", |w| w.key_views),
        ("/", |w| w.key_filter),
        ("j · k · ↓ ↑", |w| w.key_rows),
        ("[", |w| w.key_cause),
        ("b · Shift+b", |w| w.key_bookmark),
        ("+ · − · 0", |w| w.key_zoom),
        ("t", |w| w.key_theme),
        ("Ctrl+O", |w| w.key_open),
        ("Ctrl+S", |w| w.key_save),
        ("Alt+←", |w| w.key_history),
        ("?", |w| w.key_help),
    ];
    let app = use_app();
    let hold = move |lang: Lang| {
        let words = lang.words();
        let row = |(keys, what): &(&'static str, Pick)| {
            let keys = el("dt").with(el("kbd").text(*keys));
            el("div").with(keys).with(el("dd").text(what(words)))
        };
        let single = el("input")
            .attr("type", "checkbox")
            .attr(".checked", if app.single_keys.get() { "true" } else { "" })
            .on("change", move |_| {
                app.single_keys.update(|on| *on = !*on);
                settings::keep_single_keys(app.single_keys.get_untracked());
            });
        vec![
            el("dl").class("keys").all(KEYS.iter().map(row)),
            el("label").class("check").with(single).text(words.keys_single),
            el("p").class("hint").text(words.keys_note),
        ]
    };
    modal(app.help, false, |words| words.keys_title.to_owned(), hold)
}

/// Language, theme, help: at the end of every bar.
pub(crate) fn switches(app: AppState, lang: Lang) -> Vec<El> {
    let words = lang.words();
    let (mark, theme) = match app.theme.get() {
        Theme::System => ("◐", words.theme_system),
        Theme::Light => ("○", words.theme_light),
        Theme::Dark => ("●", words.theme_dark),
    };
    let button = || el("button").class("button quiet");
    let named = |name: String| button().attr("aria-label", name.clone()).attr("title", name);
    vec![
        button().attr("lang", lang.other().tag()).text(lang.other().own_name()).on_click(move || app.next_language()),
        named(format!("{}: {theme}", words.theme))
            .with(el("span").attr("aria-hidden", "true").text(mark))
            .with(el("span").class("wide-only").text(theme))
            .on_click(move || app.next_theme()),
        named(words.help.to_owned()).text("?").on_click(move || app.help.set(true)),
    ]
}
