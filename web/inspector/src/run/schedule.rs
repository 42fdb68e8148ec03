//! Scheduled events at the cursor.

use leptos::prelude::*;
use throughline_protocol::query::Events;
use throughline_protocol::view::EventView;

use super::details::seq_link;
use super::panel::Panel;
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::format::{cell, duration, fill, full_time};
use crate::i18n::{Lang, Words};
use crate::ui::{Empty, Message};

/// The schedule.
#[component]
pub(crate) fn SchedulePanel() -> impl IntoView {
    let run = use_run();
    let seen = use_view::<Vec<EventView>, _>(|at, _| Some(Events { at }));
    view! {
        <Panel title=|w| w.view_schedule name="schedule">
            {move || {
                let lang = run.app.lang.get();
                let seen = seen.get();
                let list = seen.value?;
                if list.is_empty() {
                    let what = Message::plain(|w| w.no_events).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.events_hint/> }.into_any());
                }
                Some(view! { <ul class="entities">{list.iter().map(|event| one(run, event, lang)).collect_view()}</ul> }.into_any())
            }}
        </Panel>
    }
}

fn status_word(status: &str, words: &'static Words) -> &'static str {
    match status {
        "held" => words.ev_held,
        "fired" => words.ev_fired,
        "dropped" => words.ev_dropped,
        "skipped" => words.ev_skipped,
        "cancelled" => words.ev_cancelled,
        _ => words.ev_pending,
    }
}

fn one(run: RunState, event: &EventView, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let time = |sentence: &str, ms: Option<i64>| ms.map(|ms| fill(sentence, &[("time", &full_time(ms, lang))]));
    let lines: Vec<_> = [
        time(words.event_due, event.due),
        time(words.event_fired, event.fired_at),
        event.late.filter(|ms| *ms > 0).map(|ms| fill(words.event_late, &[("late", &duration(ms))])),
    ]
    .into_iter()
    .flatten()
    .collect();
    let condition = |word: &'static str, text: Option<&String>| {
        text.map(|text| view! { <p class="guard"><span class="hint">{word} " "</span><code>{text.clone()}</code></p> })
    };
    let glyph = match event.status.as_str() {
        "fired" => "✓",
        "cancelled" | "dropped" => "✕",
        "skipped" => "↷",
        "held" => "❚❚",
        _ => "◷",
    };
    view! {
        <li class=format!("entity event-{}", event.status)>
            <p class="entity-head">
                <span aria-hidden="true">{glyph}</span>
                <b>{event.name.clone()}</b>
                <span class=format!("mark status-{}", event.status)>{status_word(&event.status, words)}</span>
                <span class="bar-gap"></span>
                {seq_link(run, event.seq, lang)}
                {(event.last_seq != event.seq).then(|| seq_link(run, event.last_seq, lang))}
            </p>
            <p class="num">{lines.join(" · ")}</p>
            {condition(words.event_when, event.when.as_ref())}
            {condition(words.event_unless, event.unless.as_ref())}
            {(!event.data.is_null()).then(|| view! { <p class="hint">{cell(&event.data)}</p> })}
        </li>
    }
}
