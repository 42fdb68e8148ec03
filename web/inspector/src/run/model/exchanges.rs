//! What was asked of models and what came: a reply while it comes, each exchange with its value, its stream as it
//! came, its times and its cost; recording a cassette.

use leptos::prelude::*;
use throughline_protocol::query::Records;
use throughline_protocol::view::{RecordPage, RecordRow};
use throughline_value::Value;

use super::exchange::exchange_el;
use super::words::stage;
use crate::dom::{El, el};
use crate::format::{fill, number};
use crate::i18n::Lang;
use crate::run::package;
use crate::run::panel::{empty_text, hint, seen_or_refusal, source, view_panel};
use crate::run::seen::use_view;
use crate::run::state::{RunState, use_run};
use crate::session::command;

/// How many records before the cursor are looked through at first.
const LOOKED_THROUGH: u64 = 250;

/// How many more when a person goes further back, as a factor.
const FURTHER: u64 = 4;

/// How much of a reply that comes in is shown.
const LIVE_CHARS: usize = 4_000;

/// A reply while it comes.
#[derive(Clone, Default)]
struct Live {
    exchange: String,
    purpose: String,
    thinking: String,
    text: String,
    pieces: u64,
}

impl Live {
    fn take(&mut self, delta: &Value) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        if self.exchange != text("exchange") {
            *self =
                Self { exchange: text("exchange").to_owned(), purpose: text("purpose").to_owned(), ..Self::default() };
        }
        let channel = if text("channel") == "thinking" { &mut self.thinking } else { &mut self.text };
        channel.push_str(text("text"));
        if let Some((at, _)) = channel.char_indices().rev().nth(LIVE_CHARS) {
            channel.drain(..at);
        }
        self.pieces += 1;
    }
}

/// One exchange: its records.
pub(super) struct Exchange<'a> {
    /// What was asked.
    pub(super) requested: Option<&'a RecordRow>,
    /// What came.
    pub(super) ended: Option<&'a RecordRow>,
    /// What was wrong with it.
    pub(super) refused: Option<&'a RecordRow>,
}

impl Exchange<'_> {
    /// The record by which it is opened.
    pub(super) fn seq(&self) -> u64 {
        [self.ended, self.requested, self.refused].into_iter().flatten().map(|row| row.seq).next().unwrap_or(0)
    }
}

/// The exchanges of these records, newest first.
fn exchanges(rows: &[RecordRow], at: u64) -> Vec<Exchange<'_>> {
    let mut list: Vec<(&str, Exchange<'_>)> = Vec::new();
    for row in rows.iter().filter(|row| row.seq <= at) {
        let id = row.data.get("exchange").and_then(Value::as_str).unwrap_or_default();
        let place = list.iter().rposition(|(known, _)| *known == id && !id.is_empty()).unwrap_or_else(|| {
            list.push((id, Exchange { requested: None, ended: None, refused: None }));
            list.len() - 1
        });
        let Some((_, exchange)) = list.get_mut(place) else { continue };
        match row.kind.as_str() {
            "exchange.requested" => exchange.requested = Some(row),
            "proposal.refused" => exchange.refused = Some(row),
            _ => exchange.ended = Some(row),
        }
    }
    list.reverse();
    // A refusal whose exchange lies further back is shown with it.
    list.into_iter()
        .map(|(_, exchange)| exchange)
        .filter(|one| one.requested.is_some() || one.ended.is_some())
        .collect()
}

/// The exchanges.
pub(super) fn exchanges_panel() -> AnyView {
    let run = use_run();
    let live = RwSignal::new(Live::default());
    let recording = RwSignal::new(None::<u64>);
    let opened = RwSignal::new(None::<u64>);
    let looked = RwSignal::new(LOOKED_THROUGH);
    let value = RwSignal::new(None::<(u64, Value)>);
    let end = package::on_delta(run, move |delta| {
        live.try_update(|live| live.take(&delta));
    });
    let end = StoredValue::new_local(end);
    on_cleanup(move || {
        if let Some(end) = end.try_update_value(Option::take).flatten() {
            // Whether it was listening still makes no difference.
            let _ = end.call0(&wasm_bindgen::JsValue::NULL);
        }
    });
    run.app.work(async move {
        // It may have been switched on before this view was shown.
        if let Ok(answer) = package::ask(run, "recordCassette", Vec::new()).await {
            recording.try_set(recorded(&answer));
        }
    });
    let page = use_view::<RecordPage, _>(move |_, at| {
        run.head.track();
        let window = looked.get();
        Some(Records {
            from: at.saturating_sub(window).max(1),
            limit: Some(usize::try_from(window).unwrap_or(usize::MAX)),
            kinds: vec!["exchange.".to_owned(), "proposal.refused".to_owned()],
            thread: None,
        })
    });
    view_panel(
        |w| w.exchanges_title,
        "exchanges",
        move |lang| {
            let words = lang.views();
            let mut out = vec![record_row(run, recording, lang)];
            out.extend(live_el(run, live, lang));
            let (page, at) = match seen_or_refusal(page.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return out.into_iter().chain(other).collect(),
            };
            let list = exchanges(&page.records, at);
            let further = at.saturating_sub(looked.get()) > 1;
            if list.is_empty() && !further {
                out.push(empty_text(words.exchanges_none, words.exchanges_hint));
                return out;
            }
            let rows = list.iter().map(|exchange| {
                let seq = exchange.seq();
                let open = opened.get() == Some(seq);
                let parsed = value.get().filter(|(of, _)| *of == seq).map(|(_, value)| value);
                let body = open.then_some(parsed.as_ref());
                let text = reply_text(exchange);
                let schema = exchange.requested.and_then(|row| row.data.at(&["request", "schema"]).cloned());
                exchange_el(run, exchange, body, lang, move || {
                    if opened.get_untracked() == Some(seq) {
                        return opened.set(None);
                    }
                    opened.set(Some(seq));
                    let (Some(text), Some(schema)) = (text.clone(), schema.clone()) else { return };
                    run.app.work(async move {
                        let read = package::ask(run, "readStructured", vec![Value::from(text), schema]).await;
                        if let Ok(read) = read {
                            value.try_set(Some((seq, read)));
                        }
                    });
                })
            });
            out.push(el("ul").class("exchanges").all(rows));
            if further {
                let back = move || looked.update(|n| *n = n.saturating_mul(FURTHER));
                out.push(el("button").class("button quiet").text(words.exchanges_older).on_click(back));
            }
            out
        },
    )
}

/// The text of a reply that ended well.
fn reply_text(exchange: &Exchange<'_>) -> Option<String> {
    let data = &exchange.ended?.data;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    (text("ending") == Some("done")).then(|| text("text").unwrap_or_default().to_owned())
}

/// How many exchanges are recorded; nothing while none are being recorded.
fn recorded(answer: &Value) -> Option<u64> {
    let on = answer.get("on").and_then(Value::as_bool).unwrap_or(false);
    let n = answer.get("exchanges").and_then(Value::as_i64).unwrap_or(0);
    on.then(|| u64::try_from(n).unwrap_or(0))
}

/// The switch that records a cassette.
fn record_row(run: RunState, recording: RwSignal<Option<u64>>, lang: Lang) -> El {
    let words = lang.views();
    let record = move |on: bool| {
        run.app.work(async move {
            match package::ask(run, "recordCassette", vec![Value::from(on)]).await {
                Ok(answer) => {
                    recording.try_set(recorded(&answer));
                    if !on && let Some(text) = answer.get("text").and_then(Value::as_str) {
                        crate::bridge::download("cassette.jsonl", text);
                    }
                }
                Err(refusal) => run.tell(refusal),
            }
        });
    };
    let on = recording.get().is_some();
    let switch = el("button")
        .class(if on { "button danger" } else { "button" })
        .attr("aria-pressed", if on { "true" } else { "false" })
        .text(if on { words.record_stop } else { words.record_start })
        .on_click(move || record(!on));
    el("p").class("options").with(switch).with(hint("span", if on { words.record_on } else { words.record_hint }))
}

/// A reply while it comes, and the way to stop it.
fn live_el(run: RunState, live: RwSignal<Live>, lang: Lang) -> Option<El> {
    let words = lang.views();
    let coming = live.get();
    if !run.busy.get() || coming.pieces == 0 {
        return None;
    }
    let stop = move || run.act(vec![command("stop_turn", &[])]);
    let head =
        fill(words.exchange_live, &[("purpose", &stage(&coming.purpose, lang)), ("n", &number(coming.pieces, lang))]);
    let head = el("p")
        .class("options")
        .with(el("span").attr("role", "status").text(head))
        .with(el("button").class("button").text(lang.words().stop).on_click(stop));
    let thinking = (!coming.thinking.is_empty()).then(|| {
        el("div").with(hint("p", words.exchange_thinking)).with(source(coming.thinking).class("code thinking"))
    });
    Some(el("div").class("live").with(head).maybe(thinking).with(source(coming.text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use throughline_value::json;

    fn row(seq: u64, kind: &str, exchange: &str) -> RecordRow {
        let data = json::read_value(&format!(r#"{{"exchange":"{exchange}"}}"#)).unwrap_or_default();
        RecordRow { seq, kind: kind.to_owned(), data, ..RecordRow::default() }
    }

    #[test]
    fn what_was_asked_what_came_and_what_was_wrong_with_it_stand_together_newest_first() {
        let rows = [
            row(2, "proposal.refused", "older"),
            row(3, "exchange.requested", "a"),
            row(4, "exchange.finished", "a"),
            row(5, "proposal.refused", "a"),
            row(6, "exchange.requested", "b"),
            row(7, "exchange.failed", "b"),
        ];
        let list = exchanges(&rows, 6);
        assert_eq!(list.iter().map(Exchange::seq).collect::<Vec<_>>(), [6, 4]);
        assert!(list.iter().all(|one| one.requested.is_some()));
        assert_eq!(list.last().and_then(|one| one.refused).map(|row| row.seq), Some(5));
    }

    #[test]
    fn pieces_of_another_exchange_begin_a_new_text() {
        let mut live = Live::default();
        for delta in [
            r#"{"exchange":"a","purpose":"interpret","channel":"text","text":"old"}"#,
            r#"{"exchange":"b","purpose":"decide","channel":"thinking","text":"hm"}"#,
            r#"{"exchange":"b","purpose":"decide","channel":"text","text":"{}"}"#,
        ] {
            live.take(&json::read_value(delta).unwrap_or_default());
        }
        assert_eq!((&*live.purpose, &*live.thinking, &*live.text, live.pieces), ("decide", "hm", "{}", 2));
    }
}
