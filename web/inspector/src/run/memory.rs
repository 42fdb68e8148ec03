//! What is remembered at the cursor, in time order.

use leptos::prelude::*;
use throughline_protocol::query::Recall;
use throughline_protocol::view::{MemoryView, RecallPage};

use super::panel::{code, empty, gap, hidden_line, hint, mark, panel, seen_or_refusal, seq_link};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::format::{fill, full_time, number};
use crate::i18n::Lang;

/// How many memories are shown; how many there are is said.
const SHOWN: usize = 200;

/// The memories.
pub(crate) fn memory_panel() -> AnyView {
    let run = use_run();
    let page = use_view::<RecallPage, _>(|at, _| Some(Recall { at, limit: Some(SHOWN), ..Recall::default() }));
    panel(
        |w| w.view_memory,
        "memory",
        move |lang| {
            let (page, at) = match seen_or_refusal(page.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            let hidden = hidden_line(&page.hidden, lang);
            if page.hits.is_empty() {
                let empty = empty(|w| w.no_memories, at, |w| w.memories_hint, lang);
                return std::iter::once(empty).chain(hidden).collect();
            }
            let total = fill(lang.words().memories_total, &[("n", &number(page.total, lang))]);
            let list = el("ul").class("entities").all(page.hits.iter().map(|memory| row(run, memory, lang)));
            [el("p").class("hint num").text(total), list].into_iter().chain(hidden).collect()
        },
    )
}

fn row(run: RunState, memory: &MemoryView, lang: Lang) -> El {
    let words = lang.words();
    let until = memory.until.map(|until| format!(" – {}", full_time(until, lang))).unwrap_or_default();
    let importance = memory.importance.as_ref().map(|n| fill(words.importance, &[("n", &n.to_string())]));
    let forgotten = memory.status == "forgotten";
    let head = el("p")
        .class("entity-head")
        .with(code(memory.kind.clone()))
        .with(el("span").class("num hint").text(format!("{}{until}", full_time(memory.at, lang))))
        .maybe(forgotten.then(|| mark(words.forgotten)))
        .with(gap())
        .with(seq_link(run, memory.seq, lang));
    el("li")
        .class(if forgotten { "entity retired" } else { "entity" })
        .with(head)
        .with(el("p").text(memory.text.clone()))
        .with(hint("p", format!("{} {}", memory.entities.join(", "), importance.unwrap_or_default())))
}
