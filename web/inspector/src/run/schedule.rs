//! Scheduled events at the cursor.

use leptos::prelude::*;
use throughline_protocol::query::Events;
use throughline_protocol::view::EventView;

use super::panel::{code, empty, gap, hint, panel, seen_or_refusal, seq_link, sign};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::format::{cell, duration, fill, full_time};
use crate::i18n::{Lang, Words};

/// The schedule.
pub(crate) fn schedule_panel() -> AnyView {
    let run = use_run();
    let events = use_view::<Vec<EventView>, _>(|at, _| Some(Events { at }));
    panel(
        |w| w.view_schedule,
        "schedule",
        move |lang| match seen_or_refusal(events.get(), lang) {
            Ok((list, at)) if list.is_empty() => vec![empty(|w| w.no_events, at, |w| w.events_hint, lang)],
            Ok((list, _)) => vec![el("ul").class("entities").all(list.iter().map(|event| row(run, event, lang)))],
            Err(other) => other,
        },
    )
}

/// The sign and the word for a status.
fn status(status: &str, words: &'static Words) -> (&'static str, &'static str) {
    match status {
        "held" => ("❚❚", words.ev_held),
        "fired" => ("✓", words.ev_fired),
        "dropped" => ("✕", words.ev_dropped),
        "skipped" => ("↷", words.ev_skipped),
        "cancelled" => ("✕", words.ev_cancelled),
        _ => ("◷", words.ev_pending),
    }
}

fn row(run: RunState, event: &EventView, lang: Lang) -> El {
    let words = lang.words();
    let (glyph, word) = status(&event.status, words);
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
        text.map(|text| el("p").class("guard").with(hint("span", word)).text(" ").with(code(text.clone())))
    };
    let head = el("p")
        .class("entity-head")
        .with(sign(glyph))
        .with(el("b").text(event.name.clone()))
        .with(el("span").class(format!("mark status-{}", event.status)).text(word))
        .with(gap())
        .with(seq_link(run, event.seq, lang))
        .maybe((event.last_seq != event.seq).then(|| seq_link(run, event.last_seq, lang)));
    el("li")
        .class(format!("entity event-{}", event.status))
        .with(head)
        .with(el("p").class("num").text(lines.join(" · ")))
        .maybe(condition(words.event_when, event.when.as_ref()))
        .maybe(condition(words.event_unless, event.unless.as_ref()))
        .with(hint("p", rest(event)))
}

/// What else there is to say, in signs and names: the order among events, the repeat and how often it fired, what
/// it carries, why it is as it is.
fn rest(event: &EventView) -> String {
    let mut parts = Vec::new();
    if event.after.len() + event.before.len() > 0 {
        parts.push(format!("{} → {} → {}", event.after.join(", "), event.name, event.before.join(", ")));
    }
    for (sign, value) in [("↻ ", &event.repeat), ("", &event.data)] {
        if !value.is_null() {
            parts.push([sign, &cell(value)].concat());
        }
    }
    if event.firings > 1 {
        parts.push(format!("×{}", event.firings));
    }
    parts.push(event.reason.clone());
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}
