//! The tree of summaries over the time axis, and what the recall did with each part.

use leptos::prelude::*;
use throughline_protocol::query::MemoryTree;
use throughline_protocol::view::{TreePart, TreeView};

use super::{Asked, names, time};
use crate::dom::{El, el};
use crate::format::{duration, fill, full_time, number};
use crate::i18n::Lang;
use crate::run::panel::{empty_text, hint, more, seen_or_refusal, table, view_panel};
use crate::run::seen::use_view;

/// How many parts are asked for.
const PARTS: usize = 200;

/// The drawing's size in units of its own; it is as wide as its panel.
const WIDE: f64 = 1_000.0;
const HIGH: f64 = 18.0;

/// No part is drawn narrower.
const LEAST: f64 = 2.0;

/// The tree.
pub(super) fn tree_panel(asked: Asked) -> AnyView {
    let tree = use_view::<TreeView, _>(move |at, _| {
        if asked.importing.get() {
            return None;
        }
        Some(MemoryTree {
            at,
            since: time(&asked.since.get()),
            until: time(&asked.until.get()),
            kinds: names(&asked.kinds.get()),
            entity: names(&asked.entities.get()).into_iter().next(),
            all: true,
            limit: Some(PARTS),
        })
    });
    view_panel(
        |w| w.tree_title,
        "memory-tree",
        move |lang| {
            let words = lang.views();
            let (tree, _) = match seen_or_refusal(tree.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            if tree.parts.is_empty() {
                return vec![empty_text(words.tree_none, words.tree_hint)];
            }
            let mut out = vec![hint("p", words.tree_hint), legend(lang), drawing(&tree, lang)];
            if tree.cut {
                out.push(hint("p", fill(words.tree_cut, &[("n", &number(tree.parts.len() as u64, lang))])));
            }
            out.push(more(words.axis_table, list(&tree, lang)));
            out
        },
    )
}

fn step_word(step: &str, lang: Lang) -> &'static str {
    let words = lang.views();
    match step {
        "skipped" => words.step_skipped,
        "whole" => words.step_whole,
        "read" => words.step_read,
        _ => words.step_opened,
    }
}

/// Which look means what; the list below says the same in words.
fn legend(lang: Lang) -> El {
    let one = |step: &'static str| {
        el("span")
            .class("legend-item")
            .with(el("span").class(format!("legend-box part-{step}")).attr("aria-hidden", "true"))
            .text(step_word(step, lang))
    };
    el("p").class("legend").all(["skipped", "whole", "opened", "read"].into_iter().map(one))
}

#[expect(clippy::cast_precision_loss, reason = "drawing only")]
fn drawing(tree: &TreeView, lang: Lang) -> El {
    let first = tree.parts.iter().map(|part| part.first).min().unwrap_or(0);
    let last = tree.parts.iter().map(|part| part.end.max(part.last)).max().unwrap_or(1);
    let span = (last - first).max(1) as f64;
    let top = tree.parts.iter().map(|part| part.level).max().unwrap_or(0);
    let shapes = tree.parts.iter().map(|part| {
        let x = (part.first - first) as f64 / span * WIDE;
        let wide = ((part.last.max(part.first) - part.first) as f64 / span * WIDE).max(LEAST);
        let y = (top - part.level) as f64 * HIGH;
        el("rect")
            .class(format!("part part-{}", part.step))
            .attr("x", format!("{x:.1}"))
            .attr("y", format!("{y:.1}"))
            .attr("width", format!("{wide:.1}"))
            .attr("height", format!("{:.1}", HIGH - 3.0))
            .with(el("title").text(sentence(part, lang)))
    });
    let height = (top + 1) as f64 * HIGH;
    el("svg")
        .class("tree-drawing")
        .attr("viewBox", format!("0 0 {WIDE} {height}"))
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", lang.views().tree_title)
        .attr("height", format!("{height}"))
        .all(shapes)
}

fn sentence(part: &TreePart, lang: Lang) -> String {
    let kinds: Vec<_> = part.kinds.iter().map(|(name, n)| format!("{name} {n}")).collect();
    format!(
        "{} · {} – {} · {} · {}",
        step_word(&part.step, lang),
        full_time(part.first, lang),
        full_time(part.last, lang),
        number(part.live, lang),
        kinds.join(", ")
    )
}

/// The same as a table, for the eye and for the ear.
fn list(tree: &TreeView, lang: Lang) -> El {
    let words = lang.views();
    let rows = tree.parts.iter().map(|part| {
        let kinds: Vec<_> = part.kinds.iter().map(|(name, n)| format!("{name} {n}")).collect();
        let used = part.last_used.map(|ms| full_time(ms, lang)).unwrap_or_default();
        el("tr")
            .with(el("td").class("num").text(number(part.level, lang)))
            .with(el("td").text(step_word(&part.step, lang)))
            .with(el("td").class("num").text(full_time(part.first, lang)))
            .with(el("td").class("num").text(duration(part.last - part.first)))
            .with(el("td").class("num").text(number(part.live, lang)))
            .with(el("td").class("num").text(number(part.forgotten, lang)))
            .with(el("td").text(kinds.join(", ")))
            .with(el("td").class("num").text(used))
    });
    let columns = [
        words.tree_level,
        words.tree_step,
        words.tree_first,
        words.tree_span,
        words.tree_live,
        words.tree_forgotten,
        words.recall_kinds,
        words.tree_used,
    ];
    table(words.tree_title, &columns, [el("tbody").all(rows)])
}
