//! How the turns went, in figures and as a plot, up to the cursor.

use leptos::prelude::*;
use throughline_protocol::query::Metrics;
use throughline_protocol::view::{MetricsView, TurnMetrics};

use crate::dom::{El, el};
use crate::format::{duration, number};
use crate::run::panel::{empty_text, pair, seen_or_refusal, table, title, view_panel};
use crate::run::seen::use_view;

/// The plot's size in units of its own.
const WIDE: f64 = 1_000.0;
const HIGH: f64 = 120.0;

/// How many turns are plotted, the newest.
const PLOTTED: usize = 200;

/// The metrics.
pub(super) fn metrics_panel() -> AnyView {
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
                    .with(el("th").attr("scope", "row").text(name.clone()))
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
            vec![
                figures,
                title(words.metrics_tokens),
                plot(&view.rows, words.metrics_tokens, |row| row.tokens.prompt),
                title(words.metrics_stages),
                table(words.metrics_stages, &columns, [stages]),
            ]
        },
    )
}

/// A bar for each turn.
#[expect(clippy::cast_precision_loss, reason = "drawing only")]
fn plot(rows: &[TurnMetrics], label: &'static str, of: impl Fn(&TurnMetrics) -> u64) -> El {
    let shown = rows.get(rows.len().saturating_sub(PLOTTED)..).unwrap_or(rows);
    let most = shown.iter().map(&of).max().unwrap_or(0).max(1) as f64;
    let step = WIDE / shown.len().max(1) as f64;
    let bars = shown.iter().enumerate().map(|(at, row)| {
        let high = of(row) as f64 / most * HIGH;
        el("rect")
            .class("bar-mark")
            .attr("x", format!("{:.1}", at as f64 * step))
            .attr("y", format!("{:.1}", HIGH - high))
            .attr("width", format!("{:.1}", (step * 0.8).min(24.0)))
            .attr("height", format!("{high:.1}"))
            .with(el("title").text(format!("{}: {}", row.turn, of(row))))
    });
    el("svg")
        .class("plot")
        .attr("viewBox", format!("0 0 {WIDE} {HIGH}"))
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", format!("{label}: {}–{most}", shown.iter().map(&of).min().unwrap_or(0)))
        .all(bars)
}
