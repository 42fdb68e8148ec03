//! The tree of summaries over the time axis, and what the recall did with each part.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use throughline_protocol::query::MemoryTree;
use throughline_protocol::view::{TreePart, TreeView};
use wasm_bindgen::JsCast as _;

use super::{Asked, names, time};
use crate::dom::{El, el};
use crate::format::{duration, fill, full_time, number};
use crate::i18n::Lang;
use crate::run::panel::{code, empty_text, hint, more, pair, refused, table, view_panel};
use crate::run::seen::{Seen, use_view};

/// How many parts are asked for; of more, the lowest levels are left out until the window is narrower.
const PARTS: usize = 250;

/// How many rows the table has at most; the parts that are highest in the tree go first.
const ROWS: usize = 48;

/// The drawing's size in units of its own; it is as wide as its panel.
const WIDE: f64 = 1_000.0;
const HIGH: f64 = 18.0;

/// No part is drawn narrower, and parts that would be are drawn as one.
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
    // Read once an answer, not with every step of the keyboard.
    let parts = RwSignal::new(Arc::new(Seen { value: None, refusal: None, at: 0 }));
    let chosen = RwSignal::new(None::<usize>);
    Effect::new(move |_| {
        parts.set(Arc::new(tree.get()));
        chosen.set(None);
        asked.answered.update(|n| *n = n.wrapping_add(1));
    });
    view_panel(
        |w| w.tree_title,
        "memory-tree",
        move |lang| {
            let words = lang.views();
            let seen = parts.get();
            let tree = match (&seen.value, &seen.refusal) {
                (Some(tree), _) => tree,
                (None, Some(refusal)) => return vec![refused(refusal, lang)],
                (None, None) => return Vec::new(),
            };
            if tree.parts.is_empty() {
                return vec![empty_text(words.tree_none, words.tree_hint)];
            }
            let at = chosen.get().filter(|at| *at < tree.parts.len());
            let mut out = vec![
                hint("p", words.tree_hint).attr("id", "memory-tree-help"),
                legend(lang),
                drawing(&seen, tree, at, chosen, asked, lang),
            ];
            out.push(match at.and_then(|at| tree.parts.get(at)) {
                Some(part) => summary(part, asked, lang),
                None => hint("p", words.tree_choose).attr("role", "status"),
            });
            if tree.cut {
                out.push(hint("p", fill(words.tree_cut, &[("n", &number(tree.parts.len() as u64, lang))])));
            }
            out.push(more(words.axis_table, list(tree, chosen, lang)));
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

/// A box of the drawing: a part, or several that are too narrow to be told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    /// The first part of it.
    at: usize,
    x: f64,
    wide: f64,
}

/// The boxes of these parts, level by level from the left.
#[expect(clippy::cast_precision_loss, reason = "drawing only")]
fn shapes(parts: &[TreePart]) -> Vec<Shape> {
    let first = parts.iter().map(|part| part.first).min().unwrap_or(0);
    let last = parts.iter().map(|part| part.last).max().unwrap_or(1);
    let span = (last - first).max(1) as f64;
    let mut shapes: Vec<Shape> = Vec::new();
    // The newest box of each level.
    let mut ends: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        let x = (part.first - first) as f64 / span * WIDE;
        let own = (part.last.max(part.first) - part.first) as f64 / span * WIDE;
        let before = ends.get(&part.level).and_then(|place| shapes.get_mut(*place));
        if own < LEAST
            && let Some(before) = before
            && parts.get(before.at).is_some_and(|other| other.step == part.step)
            && x <= before.x + before.wide
            && x - before.x < 2.0 * LEAST
        {
            before.wide = before.wide.max(x + own - before.x);
            continue;
        }
        ends.insert(part.level, shapes.len());
        shapes.push(Shape { at, x, wide: own.max(LEAST) });
    }
    shapes
}

/// Where the keyboard goes from a part.
fn moved(parts: &[TreePart], from: Option<usize>, key: &str) -> Option<usize> {
    let Some(at) = from else { return (!parts.is_empty()).then_some(0) };
    let level = parts.get(at)?.level;
    let beside = |part: &TreePart| part.level == level;
    let (before, after) = (parts.get(..at)?, parts.get(at + 1..)?);
    match key {
        "ArrowLeft" => before.iter().rposition(beside),
        "ArrowRight" => after.iter().position(beside).map(|n| at + 1 + n),
        "ArrowUp" => before.iter().rposition(|part| part.level > level),
        "ArrowDown" => after.first().filter(|part| part.level < level).map(|_| at + 1),
        "Home" => before.iter().position(beside),
        "End" => after.iter().rposition(beside).map(|n| at + 1 + n),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "drawing only")]
fn drawing(
    seen: &Arc<Seen<TreeView>>,
    tree: &TreeView,
    chosen: Option<usize>,
    choose: RwSignal<Option<usize>>,
    asked: Asked,
    lang: Lang,
) -> El {
    let words = lang.views();
    let top = tree.parts.iter().map(|part| part.level).max().unwrap_or(0);
    let boxes = shapes(&tree.parts);
    // The box that a chosen part is drawn in: of its level, the last that begins with it or before it.
    let level = chosen.and_then(|at| tree.parts.get(at)).map(|part| part.level);
    let of_level = |at: usize| tree.parts.get(at).map(|part| part.level) == level;
    let lit = boxes.iter().filter(|one| Some(one.at) <= chosen && of_level(one.at)).map(|one| one.at).next_back();
    let rects = boxes.iter().filter_map(|one| {
        let part = tree.parts.get(one.at)?;
        let at = one.at;
        let class = if lit == Some(at) { " chosen" } else { "" };
        let rect = el("rect")
            .class(format!("part part-{}{class}", part.step))
            .attr("x", format!("{:.1}", one.x))
            .attr("y", format!("{:.1}", (top - part.level) as f64 * HIGH + 1.0))
            .attr("width", format!("{:.1}", one.wide))
            .attr("height", format!("{:.1}", HIGH - 3.0))
            .with(el("title").text(sentence(part, lang)))
            .on_click(move || choose.set(Some(at)));
        Some(rect)
    });
    let least = tree.parts.iter().map(|part| part.level).min().unwrap_or(0);
    let height = (top - least + 1) as f64 * HIGH;
    let svg = el("svg")
        .class("tree-drawing")
        .attr("viewBox", format!("0 0 {WIDE} {height}"))
        .attr("preserveAspectRatio", "none")
        .attr("aria-hidden", "true")
        .attr("height", format!("{height}"))
        .all(rects);
    let held = Arc::clone(seen);
    let key = move |event: web_sys::Event| {
        let (Some(event), Some(tree)) = (event.dyn_ref::<web_sys::KeyboardEvent>(), &held.value) else { return };
        if crate::keys::has_modifier(event) {
            return;
        }
        let from = choose.get_untracked();
        match event.key().as_str() {
            "Enter" | " " => {
                if let Some(part) = from.and_then(|at| tree.parts.get(at)) {
                    take(part.first, part.last, asked);
                }
            }
            "Escape" => choose.set(None),
            key @ ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End") => {
                if let Some(next) = moved(&tree.parts, from, key) {
                    choose.set(Some(next));
                }
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    el("div")
        .class("tree-stage")
        .attr("role", "application")
        .attr("tabindex", "0")
        .attr("aria-label", words.tree_title)
        .attr("aria-describedby", "memory-tree-help")
        .with(svg)
        .on("keydown", key)
}

/// Takes a part's time as the window of the question.
fn take(first: i64, last: i64, asked: Asked) {
    asked.since.set(first.to_string());
    asked.until.set(last.saturating_add(1).to_string());
}

fn kinds(part: &TreePart, lang: Lang) -> String {
    let kinds: Vec<_> = part.kinds.iter().map(|(name, n)| format!("{name} {}", number(*n, lang))).collect();
    kinds.join(", ")
}

fn sentence(part: &TreePart, lang: Lang) -> String {
    format!(
        "{} · {} – {} · {} · {}",
        step_word(&part.step, lang),
        full_time(part.first, lang),
        full_time(part.last, lang),
        number(part.live, lang),
        kinds(part, lang)
    )
}

/// A number of thousandths.
fn thousandths(n: u64) -> String {
    format!("{}.{:03}", n / 1_000, n % 1_000)
}

/// Everything that a part's summary says.
fn summary(part: &TreePart, asked: Asked, lang: Lang) -> El {
    let words = lang.views();
    let text = |text: String| el("dd").text(text);
    let mean = part.importance.checked_div(part.live).map(thousandths).unwrap_or_default();
    let weight = fill(words.tree_importance_of, &[("sum", &thousandths(part.importance)), ("mean", &mean)]);
    let used = part.last_used.map_or_else(|| words.tree_never.to_owned(), |ms| full_time(ms, lang));
    let mut rows = vec![
        pair(words.tree_first, text(full_time(part.first, lang))),
        pair(words.tree_last, text(full_time(part.last, lang))),
        pair(words.tree_live, text(number(part.live, lang))),
        pair(words.tree_forgotten, text(number(part.forgotten, lang))),
        pair(words.recall_kinds, text(kinds(part, lang))),
        pair(words.axis_errors, text(number(part.errors, lang))),
        pair(words.tree_importance, text(weight)),
        pair(words.tree_used, text(used)),
    ];
    if part.vectors > 0 {
        let mean = part.cohesion.map(thousandths).unwrap_or_default();
        let said = fill(words.tree_vectors_of, &[("n", &number(part.vectors, lang)), ("mean", &mean)]);
        rows.push(pair(words.tree_vectors, text(said)));
    }
    for (name, state) in [(words.tree_first_state, &part.first_state), (words.tree_last_state, &part.last_state)] {
        rows.extend(state.as_ref().map(|id| pair(name, el("dd").with(code(id.clone())))));
    }
    let (first, last) = (part.first, part.last);
    let window = el("button").class("button").text(words.axis_window).on_click(move || take(first, last, asked));
    let head = format!("{} {} · {}", words.tree_level, number(part.level, lang), step_word(&part.step, lang));
    el("div")
        .class("tree-summary")
        .attr("role", "status")
        .with(el("p").with(el("b").text(head)))
        .with(el("dl").class("pairs").all(rows))
        .with(el("p").class("options").with(window))
}

/// The parts of a table: the highest levels that find room.
fn highest(parts: &[TreePart], most: usize) -> impl Iterator<Item = (usize, &TreePart)> {
    let mut levels: Vec<u64> = parts.iter().map(|part| part.level).collect();
    levels.sort_unstable_by(|a, b| b.cmp(a));
    let least = levels.get(most).map_or(0, |level| level + 1);
    parts.iter().enumerate().filter(move |(_, part)| part.level >= least)
}

/// The same as a table, for the eye and for the ear.
fn list(tree: &TreeView, chosen: RwSignal<Option<usize>>, lang: Lang) -> El {
    let words = lang.views();
    let rows = highest(&tree.parts, ROWS).map(|(at, part)| {
        let used = part.last_used.map(|ms| full_time(ms, lang)).unwrap_or_default();
        let show = el("button").class("button quiet").text(words.tree_show).on_click(move || chosen.set(Some(at)));
        el("tr")
            .with(el("td").class("num").text(number(part.level, lang)))
            .with(el("td").text(step_word(&part.step, lang)))
            .with(el("td").class("num").text(full_time(part.first, lang)))
            .with(el("td").class("num").text(duration(part.last - part.first)))
            .with(el("td").class("num").text(number(part.live, lang)))
            .with(el("td").class("num").text(number(part.forgotten, lang)))
            .with(el("td").text(kinds(part, lang)))
            .with(el("td").class("num").text(thousandths(part.importance)))
            .with(el("td").class("num").text(used))
            .with(el("td").with(show))
    });
    let columns = [
        words.tree_level,
        words.tree_step,
        words.tree_first,
        words.tree_span,
        words.tree_live,
        words.tree_forgotten,
        words.recall_kinds,
        words.tree_importance,
        words.tree_used,
        words.tree_summary,
    ];
    let rows: Vec<El> = rows.collect();
    let (shown, all) = (rows.len(), tree.parts.len());
    let cut = (shown < all).then(|| {
        let (shown, all) = (number(shown as u64, lang), number(all as u64, lang));
        hint("p", fill(words.tree_rows, &[("n", &shown), ("total", &all)]))
    });
    el("div").with(table(words.tree_title, &columns, [el("tbody").all(rows)])).maybe(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(level: u64, first: i64, last: i64, step: &str) -> TreePart {
        TreePart { level, first, last, end: last + 1, step: step.to_owned(), ..TreePart::default() }
    }

    /// Two levels above the blocks; each part before those below it.
    fn tree() -> Vec<TreePart> {
        vec![
            part(2, 0, 100, "opened"),
            part(1, 0, 40, "whole"),
            part(0, 0, 20, "whole"),
            part(0, 21, 40, "whole"),
            part(1, 41, 100, "skipped"),
            part(0, 41, 100, "skipped"),
        ]
    }

    #[test]
    fn arrows_go_beside_above_and_below() {
        let parts = tree();
        for (from, key, to) in [
            (None, "ArrowDown", Some(0)),
            (Some(0), "ArrowDown", Some(1)),
            (Some(1), "ArrowRight", Some(4)),
            (Some(4), "ArrowLeft", Some(1)),
            (Some(3), "ArrowRight", Some(5)),
            (Some(5), "ArrowUp", Some(4)),
            (Some(2), "ArrowDown", None),
            (Some(0), "ArrowUp", None),
            (Some(5), "Home", Some(2)),
            (Some(2), "End", Some(5)),
        ] {
            assert_eq!(moved(&parts, from, key), to, "{from:?} {key}");
        }
    }

    #[test]
    fn parts_too_narrow_to_be_told_apart_are_one_box_and_the_others_are_not() {
        let mut parts = vec![part(1, 0, 1_000_000, "opened")];
        parts.extend((0..1_000).map(|n| part(0, n * 1_000, n * 1_000 + 999, "whole")));
        parts.push(part(0, 1_000_000, 1_000_000, "read"));
        let boxes = shapes(&parts);
        assert!(boxes.len() > 200 && boxes.len() < 600, "{}", boxes.len());
        assert_eq!(boxes.last().map(|one| one.at), Some(1_001), "what was done otherwise has a box of its own");
        assert_eq!(shapes(&tree()).len(), tree().len());
    }

    #[test]
    fn a_table_has_the_highest_levels_that_find_room() {
        let parts = tree();
        let rows = |most| highest(&parts, most).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(rows(6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(rows(5), [0, 1, 4]);
        assert_eq!(rows(1), [0]);
    }
}
