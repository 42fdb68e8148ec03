//! What differs between two moments, what would not be without a record, and a fork to try it.

use leptos::prelude::*;
use throughline_protocol::Moment;
use throughline_protocol::query::{Diff, WithoutRecord};
use throughline_protocol::view::{ChangeRow, Difference, Without};
use throughline_value::Value;

use super::package;
use super::panel::{code, empty_text, hint, mark, seen_or_refusal, seq_link, table, title, view_panel};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::focus::Focus;
use crate::format::{cell, fill, number};
use crate::i18n::Lang;

/// What the record marked as A is called in the address.
const MARK: &str = "a";

/// The record that is marked as A.
fn marked(focus: &Focus) -> Option<u64> {
    focus.rest.iter().find(|(key, _)| key == MARK).and_then(|(_, value)| value.parse().ok())
}

/// The panels of the view.
pub(crate) fn compare_panels() -> AnyView {
    view! {
        {moments_panel()}
        {without_panel()}
    }
    .into_any()
}

fn moments_panel() -> AnyView {
    let run = use_run();
    let a = Memo::new(move |_| run.app.focus.with(marked));
    let difference = use_view::<Difference, _>(move |at, _| {
        a.get().map(|seq| Diff { from: Moment::seq(seq), to: at, ..Diff::default() })
    });
    view_panel(
        |w| w.compare_title,
        "compare",
        move |lang| {
            let words = lang.views();
            let mark_here = el("button").class("button").text(words.compare_mark).on_click(move || {
                let mut focus = run.app.focus.get_untracked();
                focus.rest.retain(|(key, _)| key != MARK);
                focus.rest.push((MARK.to_owned(), run.at.get_untracked().to_string()));
                run.app.go(focus);
            });
            let Some(from) = a.get() else { return vec![empty_text("", words.compare_hint), mark_here] };
            let (difference, to) = match seen_or_refusal(difference.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            let line = el("p")
                .class("options")
                .text("A ")
                .with(seq_link(run, from, lang))
                .text(" · B ")
                .with(seq_link(run, to, lang))
                .with(mark_here);
            if difference.changes.is_empty() {
                let (a, b) = (number(from, lang), number(to, lang));
                return vec![line, empty_text(fill(words.compare_none, &[("a", &a), ("b", &b)]), words.compare_hint)];
            }
            vec![line, changes(&difference.changes, words.compare_title)]
        },
    )
}

/// What was, and what is instead.
fn changes(rows: &[ChangeRow], label: &'static str) -> El {
    let text = |value: &Value| if value.is_null() { "—".to_owned() } else { cell(value) };
    let body = el("tbody").all(rows.iter().map(|row| {
        el("tr")
            .class(format!("change-{}", row.change))
            .with(el("td").with(mark(row.area.clone())))
            .with(el("th").attr("scope", "row").with(code(row.id.clone())))
            .with(el("td").text(text(&row.before)))
            .with(el("td").text(text(&row.after)))
    }));
    table(label, &["", "", "A", "B"], [body])
}

fn without_panel() -> AnyView {
    let run = use_run();
    let without = use_view::<Without, _>(|_, at| (at > 0).then_some(WithoutRecord { seq: at }));
    let made = RwSignal::new(None::<String>);
    view_panel(
        |w| w.without_title,
        "without",
        move |lang| {
            let words = lang.views();
            let fork = el("button").class("button").text(words.fork_without).on_click(move || fork_without(run, made));
            let plain = el("button").class("button").text(words.fork_here).on_click(move || fork_here(run, made));
            let buttons = el("p").class("options").with(fork).with(plain);
            let opened = made.get().map(|name| {
                let go = name.clone();
                el("p").attr("role", "status").text(fill(words.fork_made, &[("name", &name)])).text(" ").with(
                    el("button")
                        .class("button primary")
                        .text(lang.words().open)
                        .on_click(move || run.app.go(Focus::run(&go))),
                )
            });
            let (view, at) = match seen_or_refusal(without.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return std::iter::once(buttons).chain(other).chain(opened).collect(),
            };
            let mut out = vec![hint("p", fill(words.without_hint, &[("n", &number(at, lang))])), buttons];
            out.extend(opened);
            if view.changes.is_empty() {
                out.push(empty_text(words.without_none, ""));
            } else {
                out.push(changes(&view.changes, words.without_title));
            }
            if !view.effects.is_empty() {
                out.push(title(words.without_led_to));
                out.push(el("ul").class("outline").all(view.effects.iter().map(|row| {
                    el("li")
                        .with(seq_link(run, row.seq, lang))
                        .text(" ")
                        .with(code(row.kind.clone()))
                        .text(" ")
                        .text(row.summary.clone())
                })));
            }
            if !view.recorded.is_empty() {
                out.push(title(words.without_effects));
                out.push(el("ul").class("outline").all(view.recorded.iter().map(|effect| {
                    el("li")
                        .with(mark(how_word(&effect.how, lang)))
                        .text(" ")
                        .with(code(effect.name.clone()))
                        .text(" ")
                        .maybe(effect.seq.map(|seq| seq_link(run, seq, lang)))
                        .text(" ")
                        .with(hint("span", effect.why.clone()))
                })));
            }
            out
        },
    )
}

fn how_word(how: &str, lang: Lang) -> &'static str {
    let words = lang.views();
    match how {
        "reused" => words.how_reused,
        "recomputed" => words.how_recomputed,
        "dropped" => words.how_dropped,
        _ => words.how_stubbed,
    }
}

/// A journal of its own from the record at the cursor.
fn fork_here(run: RunState, made: RwSignal<Option<String>>) {
    let at = i64::try_from(run.at.get_untracked()).unwrap_or(i64::MAX);
    fork(run, made, vec![("at", Value::from(at))]);
}

/// A journal of its own in which the record at the cursor is not.
fn fork_without(run: RunState, made: RwSignal<Option<String>>) {
    let at = i64::try_from(run.at.get_untracked()).unwrap_or(i64::MAX);
    let drop = crate::session::command("drop", &[("seq", Value::from(at))]);
    fork(run, made, vec![("interventions", Value::List(vec![drop]))]);
}

fn fork(run: RunState, made: RwSignal<Option<String>>, options: Vec<(&'static str, Value)>) {
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    run.app.work(async move {
        match package::ask(run, "fork", vec![Value::Map(options)]).await {
            Ok(answer) => {
                made.try_set(answer.get("name").and_then(Value::as_str).map(str::to_owned));
            }
            Err(refusal) => run.tell(refusal),
        }
    });
}
