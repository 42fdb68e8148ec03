//! What is remembered at the cursor, in time order.

use leptos::prelude::*;
use throughline_protocol::query::Recall;
use throughline_protocol::view::{MemoryView, RecallPage};

use super::details::seq_link;
use super::panel::{Panel, hidden_line};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::format::{fill, full_time, number};
use crate::i18n::Lang;
use crate::ui::{Empty, Message};

/// How many memories are shown; how many there are is said.
const SHOWN: usize = 200;

/// The memories.
#[component]
pub(crate) fn MemoryPanel() -> impl IntoView {
    let run = use_run();
    let seen = use_view::<RecallPage, _>(|at, _| Some(Recall { at, limit: Some(SHOWN), ..Recall::default() }));
    view! {
        <Panel title=|w| w.view_memory name="memory">
            {move || {
                let lang = run.app.lang.get();
                let seen = seen.get();
                let page = seen.value?;
                let hidden = hidden_line(&page.hidden, lang);
                if page.hits.is_empty() {
                    let what = Message::plain(|w| w.no_memories).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.memories_hint/> {hidden} }.into_any());
                }
                let total = fill(lang.words().memories_total, &[("n", &number(page.total, lang))]);
                let rows = page.hits.iter().map(|memory| one(run, memory, lang)).collect_view();
                Some(view! { <p class="hint num">{total}</p> <ul class="entities">{rows}</ul> {hidden} }.into_any())
            }}
        </Panel>
    }
}

fn one(run: RunState, memory: &MemoryView, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let until = memory.until.map(|until| format!(" – {}", full_time(until, lang)));
    let importance = memory.importance.as_ref().map(|n| fill(words.importance, &[("n", &n.to_string())]));
    view! {
        <li class="entity" class:retired=memory.status == "forgotten">
            <p class="entity-head">
                <code>{memory.kind.clone()}</code>
                <span class="num hint">{full_time(memory.at, lang)} {until}</span>
                {(memory.status == "forgotten").then(|| view! { <span class="mark">{words.forgotten}</span> })}
                <span class="bar-gap"></span>
                {seq_link(run, memory.seq, lang)}
            </p>
            <p>{memory.text.clone()}</p>
            <p class="hint">{memory.entities.join(", ")} " " {importance}</p>
        </li>
    }
}
