//! What was asked of models and what came, record by record; a reply while it comes; recording a cassette.

use leptos::prelude::*;
use throughline_protocol::query::{RecordBySeq, Records};
use throughline_protocol::view::{RecordDetail, RecordPage};
use throughline_value::{Value, json};

use crate::dom::el;
use crate::format::{fill, number, short_time};
use crate::run::package;
use crate::run::panel::{code, empty_text, hint, more, seen_or_refusal, seq_link, source, view_panel};
use crate::run::seen::use_view;
use crate::run::state::use_run;

/// How many records are asked for.
const SHOWN: usize = 200;

/// How much of a reply that comes in is shown.
const LIVE_CHARS: usize = 4_000;

/// The exchanges.
pub(super) fn exchanges_panel() -> AnyView {
    let run = use_run();
    let live = RwSignal::new(String::new());
    let recording = RwSignal::new(None::<u64>);
    let opened = RwSignal::new(None::<u64>);
    let _ = package::on_delta(run, move |delta| {
        let piece = delta.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        live.try_update(|text| {
            text.push_str(&piece);
            if let Some((at, _)) = text.char_indices().rev().nth(LIVE_CHARS) {
                text.drain(..at);
            }
        });
    });
    let page = use_view::<RecordPage, _>(move |_, _| {
        run.head.track();
        Some(Records { from: 1, limit: Some(SHOWN), kinds: vec!["exchange.".to_owned()], thread: None })
    });
    let detail = use_view::<RecordDetail, _>(move |_, _| opened.get().map(|seq| RecordBySeq { seq }));
    view_panel(
        |w| w.exchanges_title,
        "exchanges",
        move |lang| {
            let words = lang.views();
            let record = move |on: Option<bool>| {
                run.app.work(async move {
                    let args = on.map(Value::from).into_iter().collect();
                    match package::ask(run, "recordCassette", args).await {
                        Ok(answer) => {
                            let on = answer.get("on").and_then(Value::as_bool).unwrap_or(false);
                            let n = answer.get("exchanges").and_then(Value::as_i64).unwrap_or(0);
                            recording.try_set(on.then(|| u64::try_from(n).unwrap_or(0)));
                            if !on && let Some(text) = answer.get("text").and_then(Value::as_str) {
                                crate::bridge::download("cassette.jsonl", text);
                            }
                        }
                        Err(refusal) => run.tell(refusal),
                    }
                });
            };
            let switch = match recording.get() {
                None => el("button").class("button").text(words.record_start).on_click(move || record(Some(true))),
                Some(n) => el("button")
                    .class("button danger")
                    .text(fill(words.record_stop, &[("n", &number(n, lang))]))
                    .on_click(move || record(Some(false))),
            };
            let mut out = vec![el("p").class("options").with(switch).with(hint("span", words.record_hint))];
            let coming = live.get();
            if run.busy.get() && !coming.is_empty() {
                out.push(el("div").attr("role", "status").with(hint("p", words.exchange_live)).with(source(coming)));
            }
            let (page, _) = match seen_or_refusal(page.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return out.into_iter().chain(other).collect(),
            };
            let at = run.at.get();
            let rows: Vec<_> = page.records.iter().filter(|row| row.seq <= at).collect();
            if rows.is_empty() {
                out.push(empty_text(words.exchanges_none, words.exchanges_hint));
                return out;
            }
            let list = rows.iter().rev().map(|row| {
                let seq = row.seq;
                let show = el("button").class("button quiet").text(words.exchange_show).on_click(move || {
                    opened.set(if opened.get_untracked() == Some(seq) { None } else { Some(seq) });
                });
                let body = (opened.get() == Some(seq)).then(|| detail.get().value).flatten().map(|detail| {
                    let pretty = json::write_pretty(&detail.record.data);
                    more(words.exchange_raw, source(pretty)).attr("open", "")
                });
                el("li")
                    .with(seq_link(run, row.seq, lang))
                    .text(" ")
                    .with(code(row.kind.clone()))
                    .text(format!(" {} {} ", short_time(row.recorded_at, lang), row.summary))
                    .with(show)
                    .maybe(body)
            });
            out.push(el("ul").class("outline").all(list));
            out
        },
    )
}
