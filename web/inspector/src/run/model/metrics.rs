//! How the turns went, in figures and as a plot, up to the cursor.

use leptos::prelude::*;
use throughline_protocol::query::Metrics;
use throughline_protocol::view::{MetricsView, TurnMetrics};
use throughline_value::Value;

use super::words::{ending, stage as word, status};
use crate::dom::{El, el};
use crate::format::{duration, number};
use crate::i18n::Lang;
use crate::run::package;
use crate::run::panel::{empty_text, hint, more, pair, seen_or_refusal, seq_link, table, title, view_panel};
use crate::run::seen::use_view;
use crate::run::state::{RunState, use_run};

/// The plot's size in units of its own.
const WIDE: f64 = 1_000.0;
const HIGH: f64 = 120.0;

/// How many turns are plotted, the newest.
const PLOTTED: usize = 200;

/// How many of them stand in the table.
const LISTED: usize = 40;

/// A word of the engine in the reader's language.
type Say = fn(&str, Lang) -> String;

/// The metrics.
pub(super) fn metrics_panel() -> AnyView {
    let run = use_run();
    let content = RwSignal::new(false);
    let metrics = use_view::<MetricsView, _>(|at, _| Some(Metrics { at, ..Metrics::default() }));
    view_panel(
        |w| w.metrics_title,
        "metrics",
        move |lang| {
            let words = lang.views();
            let (view, _) = match seen_or_refusal(metrics.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            if view.rows.is_empty() {
                return vec![empty_text(words.metrics_none, words.metrics_hint)];
            }
            let n = |n: u64| el("dd").class("num").text(number(n, lang));
            let rate = |rate: &Option<throughline_value::Number>| {
                el("dd").class("num").text(rate.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string))
            };
            let figures = el("dl").class("pairs").all([
                pair(words.metrics_judged, n(view.judged)),
                pair(words.metrics_validity, rate(&view.validity_rate)),
                pair(words.metrics_refusals, rate(&view.refusal_rate)),
                pair(words.metrics_handovers, n(view.hand_overs)),
                pair(words.metrics_prompt_tokens, n(view.tokens.prompt)),
                pair(words.metrics_reply_tokens, n(view.tokens.completion)),
                pair(words.metrics_estimated, n(view.tokens.estimated)),
            ]);
            let stages = el("tbody").all(view.stages.iter().map(|(name, stage)| {
                let time = |ms: Option<i64>| el("td").class("num").text(ms.map_or_else(|| "–".to_owned(), duration));
                el("tr")
                    .with(el("th").attr("scope", "row").text(word(name, lang)))
                    .with(time(stage.p50))
                    .with(time(stage.p95))
                    .with(el("td").class("num").text(number(stage.judged, lang)))
                    .with(el("td").class("num").text(number(stage.refused, lang)))
                    .with(el("td").class("num").text(number(stage.hand_overs, lang)))
            }));
            let columns = [
                words.metrics_stage,
                "p50",
                "p95",
                words.metrics_judged,
                words.metrics_refused,
                words.metrics_handovers,
            ];
            let endings = el("dl").class("pairs").all(
                [(words.metrics_turns, &view.turns, status as Say), (words.metrics_exchanges, &view.exchanges, ending)]
                    .into_iter()
                    .filter(|(_, counts, _)| !counts.is_empty())
                    .map(|(name, counts, say)| {
                        let list: Vec<_> = counts
                            .iter()
                            .map(|(word, n)| format!("{} {}", say(word, lang), number(*n, lang)))
                            .collect();
                        pair(name, el("dd").text(list.join(" · ")))
                    }),
            );
            let tokens = |n: u64| number(n, lang);
            let time = |n: u64| duration(i64::try_from(n).unwrap_or(i64::MAX));
            let plots = [
                plot(run, &view.rows, words.metrics_tokens, &tokens, |row| row.tokens.prompt),
                plot(run, &view.rows, words.metrics_reply_by_turn, &tokens, |row| row.tokens.completion),
                plot(run, &view.rows, words.metrics_time, &time, |row| u64::try_from(row.duration).unwrap_or(0)),
                plot(run, &view.rows, words.metrics_refused_by_turn, &tokens, |row| row.refused),
            ];
            let save = move || {
                run.app.work(async move {
                    let content = Value::from(content.get_untracked());
                    if let Err(refusal) = package::ask(run, "saveSpans", vec![content]).await {
                        run.tell(refusal);
                    }
                });
            };
            let with_content = el("label")
                .class("check")
                .with(
                    el("input")
                        .attr("type", "checkbox")
                        .on("change", move |event| content.set(event_target_checked(&event))),
                )
                .text(words.spans_content);
            let spans = el("p")
                .class("options")
                .with(el("button").class("button").text(words.spans_save).on_click(save))
                .with(with_content);
            vec![
                figures,
                endings,
                el("div").class("plots").all(plots),
                more(words.metrics_by_turn, turns(run, &view.rows, lang)),
                title(words.metrics_stages),
                table(words.metrics_stages, &columns, [stages]),
                title(words.spans_title),
                hint("p", words.spans_hint),
                spans,
            ]
        },
    )
}

/// The newest turns as a table: what the plots say, for the keyboard and for the ear.
fn turns(run: RunState, rows: &[TurnMetrics], lang: Lang) -> El {
    let words = lang.views();
    let shown = rows.get(rows.len().saturating_sub(LISTED)..).unwrap_or(rows);
    let body = el("tbody").all(shown.iter().rev().map(|row| {
        let n = |n: u64| el("td").class("num").text(number(n, lang));
        el("tr")
            .with(el("th").attr("scope", "row").class("num").text(number(u64::from(row.turn), lang)))
            .with(el("td").with(seq_link(run, row.seq, lang)))
            .with(el("td").text(status(&row.status, lang)))
            .with(el("td").class("num").text(duration(row.duration)))
            .with(n(row.tokens.prompt))
            .with(n(row.tokens.completion))
            .with(n(row.refused))
            .with(n(row.hand_overs))
    }));
    let columns = [
        words.metrics_turn,
        words.metrics_record,
        words.metrics_status,
        words.metrics_took,
        words.metrics_prompt_tokens,
        words.metrics_reply_tokens,
        words.metrics_refused,
        words.metrics_handovers,
    ];
    table(words.metrics_by_turn, &columns, [body])
}

/// A bar for each turn; a click goes to its record.
#[expect(clippy::cast_precision_loss, reason = "drawing only")]
fn plot(
    run: RunState,
    rows: &[TurnMetrics],
    label: &'static str,
    say: &impl Fn(u64) -> String,
    of: impl Fn(&TurnMetrics) -> u64,
) -> El {
    let shown = rows.get(rows.len().saturating_sub(PLOTTED)..).unwrap_or(rows);
    let least = shown.iter().map(&of).min().unwrap_or(0);
    let most = shown.iter().map(&of).max().unwrap_or(0);
    let high = most.max(1) as f64;
    let step = WIDE / shown.len().max(1) as f64;
    let bars = shown.iter().enumerate().map(|(at, row)| {
        let seq = row.seq;
        let height = of(row) as f64 / high * HIGH;
        el("rect")
            .class("bar-mark")
            .attr("x", format!("{:.1}", at as f64 * step))
            .attr("y", format!("{:.1}", HIGH - height))
            .attr("width", format!("{:.1}", (step * 0.8).min(24.0)))
            .attr("height", format!("{height:.1}"))
            .with(el("title").text(format!("{}: {}", row.turn, say(of(row)))))
            .on_click(move || run.jump(seq))
    });
    let range = if least == most { say(most) } else { format!("{} – {}", say(least), say(most)) };
    let drawing = el("svg")
        .class("plot")
        .attr("viewBox", format!("0 0 {WIDE} {HIGH}"))
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", format!("{label}: {range}"))
        .all(bars);
    el("figure").with(el("figcaption").with(el("b").text(label)).text(" ").with(hint("span", range))).with(drawing)
}
