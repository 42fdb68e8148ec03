//! One exchange: a line of figures; opened, its value, what was asked, what came and when.

use throughline_protocol::view::RecordRow;
use throughline_value::{Value, json};

use super::exchanges::Exchange;
use super::words;
use crate::dom::{El, el};
use crate::format::{duration, fill, number};
use crate::i18n::Lang;
use crate::run::panel::{code, gap, hint, mark, more, seq_link, source, title};
use crate::run::state::RunState;

/// The plot's size in units of its own.
const WIDE: f64 = 1_000.0;
const HIGH: f64 = 60.0;

/// An exchange; `body` is there when it is open, with what was read of the reply once that is known.
pub(super) fn exchange_el(
    run: RunState,
    exchange: &Exchange<'_>,
    body: Option<Option<&Value>>,
    lang: Lang,
    toggle: impl Fn() + 'static,
) -> El {
    let said = lang.views();
    let of = |row: Option<&RecordRow>, name: &str| {
        row.and_then(|row| row.data.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let attempt = exchange.requested.and_then(|row| row.data.get("attempt")?.as_i64()).unwrap_or(1);
    let ending = match exchange.ended {
        None => said.ending_open.to_owned(),
        Some(_) => words::ending(&of(exchange.ended, "ending"), lang),
    };
    let good = of(exchange.ended, "ending") == "done";
    let refused = exchange.refused.is_some();
    let label = if body.is_some() { said.exchange_hide_n } else { said.exchange_show_n };
    let name = [of(exchange.ended, "provider"), of(exchange.ended, "model")].join(" ");
    let head = el("p")
        .class("entity-head")
        .with(seq_link(run, exchange.seq(), lang))
        .with(el("b").text(words::stage(&of(exchange.requested, "purpose"), lang)))
        .maybe((attempt > 1).then(|| hint("span", fill(said.exchange_attempt, &[("n", &attempt.to_string())]))))
        .with(mark(ending).class(if good { "mark" } else { "mark status-failed" }))
        .maybe(refused.then(|| mark(said.exchange_refused).class("mark status-failed")))
        .with(hint("span", name.trim().to_owned()))
        .with(gap())
        .with(
            el("button")
                .class("button quiet")
                .attr("aria-expanded", if body.is_some() { "true" } else { "false" })
                .attr("aria-label", fill(label, &[("n", &number(exchange.seq(), lang))]))
                .text(if body.is_some() { said.exchange_hide } else { said.exchange_show })
                .on_click(toggle),
        );
    el("li")
        .class("entity")
        .with(head)
        .maybe(figures(exchange, lang))
        .all(body.map(|read| opened(exchange, read, lang)))
}

/// Tokens, times and cost in one line.
fn figures(exchange: &Exchange<'_>, lang: Lang) -> Option<El> {
    let words = lang.views();
    let data = &exchange.ended?.data;
    let count = |name: &str| data.at(&["usage", name]).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok());
    let ms = |name: &str| data.get(name).and_then(Value::as_i64);
    let mut parts = Vec::new();
    if let (Some(prompt), Some(completion)) = (count("prompt"), count("completion")) {
        let guessed = data.at(&["usage", "estimated"]).and_then(Value::as_bool) == Some(true);
        let sentence = if guessed { words.exchange_tokens_estimated } else { words.exchange_tokens };
        parts.push(fill(sentence, &[("a", &number(prompt, lang)), ("b", &number(completion, lang))]));
    }
    if let Some(cached) = count("cached").filter(|n| *n > 0) {
        parts.push(fill(words.exchange_cached, &[("n", &number(cached, lang))]));
    }
    if let Some(first) = ms("first_byte_ms") {
        parts.push(fill(words.exchange_first, &[("time", &duration(first))]));
    }
    if let Some(all) = ms("ms") {
        parts.push(fill(words.exchange_took, &[("time", &duration(all))]));
    }
    if let Some(cost) = data.get("cost") {
        parts.push(fill(words.exchange_cost, &[("cost", &cost.to_json())]));
    }
    if let Some(attempts) = ms("attempts") {
        parts.push(fill(words.exchange_attempts, &[("n", &attempts.to_string())]));
    }
    (!parts.is_empty()).then(|| hint("p", parts.join(" · ")).class("hint num"))
}

/// What it was in full.
fn opened(exchange: &Exchange<'_>, read: Option<&Value>, lang: Lang) -> El {
    let words = lang.views();
    let mut out = Vec::new();
    if let Some(row) = exchange.refused {
        let message = row.data.get("message").and_then(Value::as_str).unwrap_or_default();
        out.push(title(words.exchange_refused));
        out.push(el("p").class("warn").text(message.to_owned()));
    }
    if let Some(row) = exchange.ended {
        let text = |name: &str| row.data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if !text("code").is_empty() {
            out.push(el("p").with(code(text("code"))).text(" ").text(text("message")));
        }
        out.extend(read.into_iter().flat_map(|read| read_els(read, lang)));
        for (name, field) in [
            (words.exchange_reply, "text"),
            (words.exchange_thinking, "thinking"),
            (words.exchange_declined, "refusal"),
        ] {
            if !text(field).is_empty() {
                out.push(title(name));
                out.push(source(text(field)));
            }
        }
        if let Some(calls) = row.data.get("tool_calls") {
            out.push(title(words.exchange_calls));
            out.push(source(json::write_pretty(calls)));
        }
        if let Some(plot) = row.data.get("timing").and_then(Value::as_list).and_then(|timing| plot(timing, lang)) {
            out.push(title(words.exchange_timing));
            out.push(plot);
        }
        if !text("raw").is_empty() {
            let size = fill(words.exchange_raw, &[("n", &bytes(&text("raw"), lang))]);
            out.push(more(size, source(text("raw"))));
        }
    }
    if let Some(row) = exchange.requested {
        let messages = row.data.at(&["request", "messages"]).and_then(Value::as_list).unwrap_or_default();
        let parts = messages.iter().flat_map(|message| {
            let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let size = fill(words.prompt_bytes, &[("n", &bytes(&text("text"), lang))]);
            [hint("p", format!("{} · {size}", text("role"))), source(text("text"))]
        });
        out.push(more(words.exchange_asked, el("div").all(parts)));
        if let Some(schema) = row.data.at(&["request", "schema"]) {
            out.push(more(words.exchange_schema, source(json::write_pretty(schema))));
        }
    }
    el("div").class("exchange-body").all(out)
}

fn bytes(text: &str, lang: Lang) -> String {
    number(text.len() as u64, lang)
}

/// The one value of a reply, or why there is none, and what was changed to read it.
fn read_els(read: &Value, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let mut out = vec![title(words.exchange_value)];
    if let Some(value) = read.get("value") {
        out.push(source(json::write_pretty(value)).class("code value"));
    }
    if let Some(problem) = read.get("problem") {
        let text = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        out.push(el("p").class("warn").with(code(text("code"))).text(" ").text(text("message")));
        let places = problem.get("problems").and_then(Value::as_list).unwrap_or_default();
        out.extend((!places.is_empty()).then(|| el("ul").class("outline").all(places.iter().map(finding))));
    }
    let changes = ["coercions", "diagnostics"]
        .into_iter()
        .flat_map(|name| read.get(name).and_then(Value::as_list).unwrap_or_default().iter().map(finding));
    let changes: Vec<El> = changes.collect();
    if !changes.is_empty() {
        out.push(hint("p", words.exchange_changes));
        out.push(el("ul").class("outline").all(changes));
    }
    out
}

/// A code, its place, and what is said of it.
fn finding(one: &Value) -> El {
    let text = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    el("li").with(code(text("code"))).text(format!(" {} {}", text("path"), text("message")))
}

/// Bytes over time: a stair that shows where the stream stood still.
#[expect(clippy::cast_precision_loss, reason = "drawing only")]
fn plot(timing: &[Value], lang: Lang) -> Option<El> {
    let pairs: Vec<(i64, i64)> = timing
        .iter()
        .filter_map(|pair| {
            let pair = pair.as_list()?;
            Some((pair.first()?.as_i64()?, pair.get(1)?.as_i64()?))
        })
        .collect();
    let (last_ms, all) = pairs.last().copied()?;
    let (wide, high) = (last_ms.max(1) as f64, all.max(1) as f64);
    let mut path = format!("M0 {HIGH}");
    for (ms, bytes) in &pairs {
        path.push_str(&format!("H{:.1}V{:.1}", *ms as f64 / wide * WIDE, HIGH - *bytes as f64 / high * HIGH));
    }
    let label = fill(
        lang.views().exchange_timing_label,
        &[("n", &pairs.len().to_string()), ("bytes", &all.to_string()), ("time", &duration(last_ms))],
    );
    let drawing = el("svg")
        .class("plot stair")
        .attr("viewBox", format!("0 0 {WIDE} {HIGH}"))
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", label.clone())
        .with(el("path").class("stair-line").attr("d", path));
    Some(el("figure").with(drawing).with(hint("figcaption", label)))
}
