//! The recall explorer: a question in words, a window, filters, and why each event is a hit.

use leptos::prelude::*;
use throughline_protocol::query::Recall;
use throughline_protocol::view::RecallPage;
use throughline_value::Value;

use super::{Asked, event_row, field, names, time};
use crate::dom::{El, el};
use crate::format::{fill, number};
use crate::i18n::Lang;
use crate::run::panel::{empty, hidden_line, seen_or_refusal, view_panel};
use crate::run::seen::use_view;
use crate::run::state::use_run;
use crate::session::command;

/// How many hits are shown; how many there are is said.
const SHOWN: usize = 50;

/// What a recall can rank by besides words.
const ALSO: [&str; 3] = ["episode", "recency", "importance"];

/// The explorer.
pub(super) fn explore_panel(asked: Asked) -> AnyView {
    let run = use_run();
    let page = use_view::<RecallPage, _>(move |at, _| {
        if asked.importing.get() {
            return None;
        }
        let words = asked.words.get();
        Some(Recall {
            at,
            words: (!words.trim().is_empty()).then_some(words),
            kinds: names(&asked.kinds.get()),
            entities: names(&asked.entities.get()),
            since: time(&asked.since.get()),
            until: time(&asked.until.get()),
            also_by: asked.also.get().into_iter().map(str::to_owned).collect(),
            limit: Some(SHOWN),
            ..Recall::default()
        })
    });
    Effect::new(move |_| {
        // Its answer has come.
        page.track();
        asked.answered.update(|n| *n = n.wrapping_add(1));
    });
    view_panel(
        |w| w.recall_title,
        "memory",
        move |lang| {
            let form = form(asked, lang);
            let (page, at) = match seen_or_refusal(page.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return std::iter::once(form).chain(other).collect(),
            };
            let hidden = hidden_line(&page.hidden, lang);
            if page.hits.is_empty() {
                let empty = empty(|w| w.no_memories, at, |w| w.memories_hint, lang);
                return [form, empty].into_iter().chain(hidden).collect();
            }
            let total = fill(lang.views().memories_total, &[("n", &number(page.total, lang))]);
            let rows = page.hits.iter().map(|memory| {
                let forgotten = memory.status == "forgotten";
                let (word, verb) =
                    if forgotten { (lang.views().undo, "recover") } else { (lang.views().forget, "forget") };
                let id = memory.id.clone();
                let act = el("button").class("button quiet").text(word).on_click(move || {
                    let ids = Value::List(vec![Value::from(id.as_str())]);
                    run.act(vec![command(verb, &[("memories", ids)])]);
                });
                event_row(run, memory, lang, Some(act))
            });
            let list = el("ul").class("entities").all(rows);
            [form, el("p").class("hint num").text(total), list].into_iter().chain(hidden).collect()
        },
    )
}

fn form(asked: Asked, lang: Lang) -> El {
    let words = lang.views();
    let also = ALSO.iter().map(|by| {
        let by = *by;
        let on = asked.also.get().contains(&by);
        let input = el("input").attr("type", "checkbox").attr(".checked", if on { "true" } else { "" }).on(
            "change",
            move |_| {
                asked.also.update(
                    |list| {
                        if list.contains(&by) { list.retain(|one| *one != by) } else { list.push(by) }
                    },
                );
            },
        );
        let name = match by {
            "episode" => words.by_episode,
            "recency" => words.by_recency,
            _ => words.by_importance,
        };
        el("label").class("check").with(input).text(name)
    });
    el("div")
        .class("form-grid")
        .with(field(words.recall_words, asked.words, words.recall_words_hint))
        .with(field(words.recall_kinds, asked.kinds, ""))
        .with(field(words.recall_entities, asked.entities, ""))
        .with(field(words.recall_since, asked.since, "2026-01-31T00:00:00Z"))
        .with(field(words.recall_until, asked.until, ""))
        .with(el("div").class("checks").all(also))
        .with(el("button").class("button quiet").text(words.recall_clear).on_click(move || asked.clear()))
}
