//! The plan view: the run with its graph, steps and values; the plan's text; the answer; two runs side by side.

use leptos::prelude::*;
use throughline_protocol::view::RunView;
use throughline_value::Value;
use wasm_bindgen::JsValue;

use super::desk::Desk;
use super::{answer, chart, diagnosis, editor, run_line, status_word, stepper, steps, values, versus};
use crate::dom::{El, el};
use crate::format::{cell, value as plain};
use crate::i18n::{Lang, Pick};
use crate::run::conversation::question_el;
use crate::run::panel::{empty, hint, panel, seen_or_refusal};
use crate::run::state::use_run;

/// The panels of the view.
pub(crate) fn plan_panels() -> AnyView {
    let desk = Desk::new(use_run());
    view! {
        {run_panel(desk)}
        {editor::editor_panel(desk)}
        {part(desk, |w| w.bindings, "values", values::table_of)}
        {answer::answer_panel(desk)}
        {versus::versus_panel(desk)}
        {part(desk, |w| w.plan_steps, "steps", steps::cards)}
    }
    .into_any()
}

fn run_panel(desk: Desk) -> AnyView {
    let why = diagnosis::ask(desk);
    panel(
        |w| w.view_plan,
        "plan",
        move |lang| {
            let (rows, at) = match seen_or_refusal(desk.list.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            if rows.is_empty() {
                return vec![empty(|w| w.no_runs, at, |w| w.runs_hint, lang)];
            }
            let (view, _) = match seen_or_refusal(desk.seen.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            let run = desk.run;
            let options = rows.iter().map(|row| {
                let text = format!("{} · #{} · {}", row.id, row.seq, status_word(&row.status, lang.words()));
                (row.id.clone(), text)
            });
            let picker = choice(lang.words().run_label, view.row.id.clone(), options, move |id| desk.choose(id));
            let mut out = Vec::new();
            if rows.len() > 1 {
                out.push(picker);
            }
            out.push(run_line(run, &view.row, lang));
            out.push(stepper::bar(desk, &view, lang));
            out.extend(stepper::notes(desk, &view, lang));
            let asked = view.asks.iter().filter(|ask| !ask.settled).map(|ask| question_el(run, ask, lang));
            out.push(el("div").all(asked));
            out.push(el("div").all(diagnosis::shown(desk, &why, at, lang)));
            out.extend(chart::drawing(run, &view, lang));
            out.extend(stepper::forms(desk, &view, lang));
            out
        },
    )
}

/// A part of the shown run as a panel of its own; nothing in it while there is no run.
fn part(desk: Desk, title: Pick, name: &'static str, show: fn(Desk, &RunView, u64, Lang) -> Vec<El>) -> AnyView {
    panel(title, name, move |lang| {
        let seen = desk.seen.get();
        let shown = seen.value.map(|view| show(desk, &view, seen.at, lang)).unwrap_or_default();
        if shown.is_empty() { vec![empty(|w| w.no_runs, seen.at, |w| w.runs_hint, lang)] } else { shown }
    })
}

/// What a value is, in one line; a document that was read is its name and version.
pub(super) fn brief(value: &Value) -> String {
    let text = |name: &str| value.get(name).map(plain);
    match (text("document"), text("version"), text("hash")) {
        (Some(name), Some(version), Some(_)) => format!("{name} · {version}"),
        _ => cell(value),
    }
}

/// A choice between things that have names.
pub(super) fn choice(
    name: &'static str,
    chosen: String,
    options: impl IntoIterator<Item = (String, String)>,
    act: impl Fn(String) + 'static,
) -> El {
    let options = options.into_iter().map(|(value, text)| {
        let option = el("option").attr("value", value.clone()).text(text);
        if value == chosen { option.attr(".selected", "true") } else { option }
    });
    let field = el("select").class("field").all(options).on("change", move |event| act(event_target_value(&event)));
    el("label").class("named-field").with(hint("span", name)).with(field)
}

/// A choice that adds something, and then stands at nothing again.
pub(super) fn menu(
    name: &'static str,
    options: impl IntoIterator<Item = (String, String)>,
    act: impl Fn(String) + 'static,
) -> El {
    let none = std::iter::once((String::new(), "—".to_owned()));
    let options = none.chain(options).map(|(value, text)| el("option").attr("value", value).text(text));
    let field = el("select").class("field").all(options).on("change", move |event| {
        act(event_target_value(&event));
        clear(&event);
    });
    el("label").class("named-field").with(hint("span", name)).with(field)
}

/// Empties the field that an event came from.
pub(super) fn clear(event: &web_sys::Event) {
    if let Some(target) = event.target() {
        let _ = js_sys::Reflect::set(&target, &JsValue::from_str("value"), &JsValue::from_str(""));
    }
}

/// A box to tick.
pub(super) fn tick(name: &'static str, on: RwSignal<bool>) -> El {
    let field = el("input")
        .attr("type", "checkbox")
        .attr(".checked", if on.get() { "true" } else { "" })
        .on("change", move |_| on.update(|on| *on = !*on));
    el("label").class("check").with(field).text(name)
}

/// A button that does something with the run.
pub(super) fn button(class: &'static str, word: &'static str, act: impl Fn() + 'static) -> El {
    el("button").class(class).text(word).on_click(act)
}

/// The word for how a step of a rerun came to its value.
pub(super) fn mark_word(mark: &str, lang: Lang) -> String {
    let words = lang.views();
    match mark {
        "reused" => words.how_reused,
        "recomputed" => words.how_recomputed,
        "stubbed" => words.how_stubbed,
        "live" => words.how_live,
        "edited" => words.how_edited,
        "fallback" => words.how_fallback,
        "skipped_over" => words.how_skipped_over,
        other => return other.to_owned(),
    }
    .to_owned()
}
