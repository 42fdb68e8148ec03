//! The axis in words: what is under the marker, and the table of what is shown.

use leptos::prelude::*;

use super::counts::Lane;
use super::{AxisState, of};
use crate::dom::{El, el};
use crate::format::{fill, full_time, number};
use crate::i18n::Lang;
use crate::run::columns::clamp;
use crate::run::panel::{hint, more, table};

/// The most rows of the table; what is shown is put together into so many.
const ROWS: usize = 24;

fn time(ms: f64, lang: Lang) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "an instant of the memory")]
    full_time(ms as i64, lang)
}

fn count(n: f64, lang: Lang) -> String {
    number(clamp(n, usize::MAX >> 12) as u64, lang)
}

/// `saw 3, took 1`: the most first.
fn kinds(lanes: &[Lane], counts: &[f64], lang: Lang) -> String {
    let mut list: Vec<_> = lanes.iter().zip(counts).filter(|(_, n)| **n > 0.0).collect();
    list.sort_by(|a, b| b.1.total_cmp(a.1));
    let list: Vec<_> = list.into_iter().map(|(lane, n)| format!("{} {}", of(lane, lang), count(*n, lang))).collect();
    list.join(", ")
}

/// What is under the marker; how many are shown when there is none.
pub(super) fn line(state: AxisState, lang: Lang) -> String {
    let words = lang.views();
    let lanes = state.lanes.get();
    let counts = state.counts.get();
    let part = state.marked().and_then(|at| Some((counts.ends(at)?, counts.part(at))));
    if let Some(((from, to), part)) = part {
        let list = kinds(&lanes, part, lang);
        let list = if list.is_empty() { list } else { format!(": {list}") };
        return fill(
            words.axis_part,
            &[
                ("from", &time(from, lang)),
                ("to", &time(to, lang)),
                ("n", &count(part.iter().sum(), lang)),
                ("kinds", &list),
            ],
        );
    }
    state.settled.track();
    let Some(shown) = state.shown_now() else { return String::new() };
    let all = counts.grouped(shown, 1);
    let sum: f64 = all.iter().flat_map(|(_, _, part)| part).sum();
    fill(
        words.axis_shown,
        &[("n", &count(sum, lang)), ("from", &time(shown.low, lang)), ("to", &time(shown.high, lang))],
    )
}

/// What is shown as a table.
pub(super) fn twin(state: AxisState, lang: Lang) -> El {
    let words = lang.views();
    // Only what has come to rest is put into words.
    state.settled.track();
    let lanes = state.lanes.get();
    let counts = state.counts.get_untracked();
    let groups = state.shown_now().map(|shown| counts.grouped(shown, ROWS)).unwrap_or_default();
    let rows = groups.into_iter().map(|(from, to, part)| {
        let wrong: f64 = lanes.iter().zip(&part).filter(|(lane, _)| lane.error).map(|(_, n)| n).sum();
        let take = el("button").class("button quiet").text(words.axis_window).on_click(move || state.take(from, to));
        el("tr")
            .with(el("td").class("num").text(time(from, lang)))
            .with(el("td").class("num").text(time(to, lang)))
            .with(el("td").class("num").text(count(part.iter().sum(), lang)))
            .with(el("td").class("num").text(count(wrong, lang)))
            .with(el("td").text(kinds(&lanes, &part, lang)))
            .with(el("td").with(take))
    });
    let columns =
        [words.axis_from, words.axis_to, words.axis_events, words.axis_errors, words.recall_kinds, words.recall_title];
    more(words.axis_table, table(words.axis_table, &columns, [el("tbody").all(rows)]))
}

/// The bookmarks, each to go to and to take away.
pub(super) fn bookmarks(state: AxisState, lang: Lang) -> Option<El> {
    let list = state.bookmarks();
    (!list.is_empty()).then(|| {
        let words = lang.views();
        let chips = list.into_iter().map(|ms| {
            let said = full_time(ms, lang);
            let label = fill(words.axis_unmark, &[("time", &said)]);
            let away = el("button").class("button quiet").attr("aria-label", label).text("×");
            el("span").class("chip").text(said).with(away.on_click(move || state.bookmark(ms)))
        });
        el("p").class("options").with(hint("span", words.axis_bookmarks)).all(chips)
    })
}
