//! What would be forgotten next under a budget, and why; doing it; what has been purged.

use std::collections::BTreeSet;

use leptos::prelude::*;
use throughline_protocol::command::ForgetBy;
use throughline_protocol::query::{MemoryForgetting, MemoryPurged, Records};
use throughline_protocol::view::{ForgettingRow, RecordPage, Tombstone};
use throughline_value::Value;

use super::said::going;
use super::{Asked, field};
use crate::dom::{El, el};
use crate::format::{fill, full_time, number};
use crate::i18n::Lang;
use crate::run::panel::{code, empty_text, hint, seen_or_refusal, seq_link, table, title, view_panel};
use crate::run::seen::use_view;
use crate::run::state::{RunState, use_run};
use crate::session::command;

/// How many rows are shown.
const SHOWN: usize = 50;

/// The records that say what was forgotten, brought back and purged.
const FORGOTTEN: &str = "memory.forgotten";
const RECOVERED: &str = "memory.recovered";
const PURGED: &str = "memory.purged";

/// So many are shown that would go first, when no budget is given.
const NEXT: u64 = 20;

/// How many of them are asked for.
const TURNS: usize = 500;

/// How many events of a forgetting are named.
const NAMED: usize = 6;

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// What is forgotten next.
pub(super) fn forgetting_panel(asked: Asked) -> AnyView {
    let run = use_run();
    let keep = RwSignal::new(String::new());
    let days = RwSignal::new(String::new());
    let policy = move || ForgetBy {
        // Without a budget of the person's: those that would go first, whatever it were.
        keep_events: keep.get().trim().parse().ok().or_else(|| {
            let next = asked.live.get()?.1.saturating_sub(NEXT);
            days.get().trim().is_empty().then_some(next)
        }),
        max_age: days.get().trim().parse::<i64>().ok().map(|days| days.saturating_mul(DAY)),
        ..ForgetBy::default()
    };
    let rows = use_view::<Vec<ForgettingRow>, _>(move |at, seq| {
        // Once how many there are is known of this record: all of them are weighed, which is not done twice.
        let known = asked.live.get().is_some_and(|(of, _)| of == seq);
        (!asked.importing.get() && known).then(|| MemoryForgetting { at, policy: policy(), limit: Some(SHOWN) })
    });
    let turns = use_view::<RecordPage, _>(|_, _| {
        let kinds = [FORGOTTEN, RECOVERED, PURGED].map(str::to_owned).to_vec();
        Some(Records { kinds, limit: Some(TURNS), ..Records::default() })
    });
    let sure = RwSignal::new(None::<u64>);
    let purged = use_view::<Vec<Tombstone>, _>(|at, _| Some(MemoryPurged { at }));
    view_panel(
        |w| w.forgetting_title,
        "forgetting",
        move |lang| {
            let words = lang.views();
            let form = el("div").class("form-grid").with(field(words.forgetting_keep, keep, "")).with(field(
                words.forgetting_days,
                days,
                "",
            ));
            let mut out = vec![form];
            match seen_or_refusal(rows.get(), lang) {
                Err(other) => out.extend(other),
                Ok((rows, _)) if rows.is_empty() => {
                    out.push(empty_text(words.forgetting_none, words.forgetting_hint));
                }
                Ok((rows, _)) => {
                    let body = el("tbody").all(rows.iter().map(|row| {
                        let what = el("td")
                            .with(code(row.kind.clone()))
                            .text(" ")
                            .with(hint("span", full_time(row.at, lang)).class("hint num"))
                            .text(format!(" {}", row.entities.join(", ")));
                        el("tr")
                            .with(el("th").attr("scope", "row").with(code(row.id.clone())))
                            .with(what)
                            .with(el("td").class("num").text(score(row.score)))
                            .with(el("td").text(going(&row.reason, lang)))
                    }));
                    out.push(table(
                        words.forgetting_title,
                        &["", words.forgetting_event, words.forgetting_score, words.forgetting_why],
                        [body],
                    ));
                    let act = el("button").class("button").text(words.forgetting_now).on_click(move || {
                        let policy = policy();
                        let mut fields = Vec::new();
                        if let Some(n) = policy.keep_events {
                            fields.push(("keep_events", Value::from(i64::try_from(n).unwrap_or(i64::MAX))));
                        }
                        if let Some(ms) = policy.max_age {
                            fields.push(("max_age", Value::from(ms)));
                        }
                        run.act(vec![command("forget_by", &fields)]);
                    });
                    out.push(el("p").class("options").with(act).with(hint("span", words.forgetting_undo)));
                }
            }
            if let Ok((page, at)) = seen_or_refusal(turns.get(), lang) {
                let list = forgotten(&page, at);
                if !list.is_empty() {
                    out.push(title(words.forgettings_title));
                    let rows = list.into_iter().rev().map(|one| forgetting_row(run, one, sure, lang));
                    out.push(el("ul").class("outline").all(rows));
                }
            }
            if let Ok((list, _)) = seen_or_refusal(purged.get(), lang)
                && !list.is_empty()
            {
                out.push(title(words.purged_title));
                out.push(el("ul").class("outline").all(list.iter().map(|one| purged_row(run, one, lang))));
            }
            out
        },
    )
}

/// Events that were forgotten together and still are.
struct Forgotten {
    seq: u64,
    at: i64,
    reason: String,
    ids: Vec<String>,
}

/// What was forgotten up to a record and neither brought back nor purged since, by the record that forgot it.
fn forgotten(page: &RecordPage, at: u64) -> Vec<Forgotten> {
    let mut list: Vec<Forgotten> = Vec::new();
    for record in page.records.iter().filter(|record| record.seq <= at) {
        let ids = record.data.get("memories").and_then(Value::as_list).unwrap_or_default();
        let ids: Vec<String> = ids.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if record.kind == FORGOTTEN {
            list.push(Forgotten { seq: record.seq, at: record.recorded_at, reason: record.reason.clone(), ids });
            continue;
        }
        let back: BTreeSet<&String> = ids.iter().collect();
        for one in &mut list {
            one.ids.retain(|id| !back.contains(id));
        }
    }
    list.retain(|one| !one.ids.is_empty());
    list
}

/// One forgetting: it can be undone; or purged, once more has been asked.
fn forgetting_row(run: RunState, one: Forgotten, sure: RwSignal<Option<u64>>, lang: Lang) -> El {
    let words = lang.views();
    let Forgotten { seq, at, reason, ids } = one;
    let n = number(ids.len() as u64, lang);
    let list = Value::List(ids.iter().map(|id| Value::from(id.as_str())).collect());
    let turn = |verb: &'static str| {
        let list = list.clone();
        move || {
            sure.set(None);
            run.act(vec![command(verb, &[("memories", list.clone())])]);
        }
    };
    let undo = el("button").class("button").text(words.undo).on_click(turn("recover"));
    let purge = el("button").class("button quiet").text(words.purge).on_click(move || sure.set(Some(seq)));
    let head = el("p")
        .class("options")
        .with(el("span").text(fill(words.forgettings_n, &[("n", &n)])))
        .with(hint("span", format!("{} {reason}", full_time(at, lang))))
        .with(seq_link(run, seq, lang))
        .with(undo)
        .with(purge);
    let ask = (sure.get() == Some(seq)).then(|| {
        let yes = el("button").class("button danger").text(words.purge_yes).on_click(turn("purge"));
        let no = el("button").class("button").text(words.purge_no).on_click(move || sure.set(None));
        el("div")
            .class("sure")
            .attr("role", "alert")
            .with(el("p").text(fill(words.purge_sure, &[("n", &n)])))
            .with(el("p").class("options").with(no).with(yes))
    });
    let more = if ids.len() > NAMED { " …" } else { "" };
    let some = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(" ");
    el("li").with(head).with(el("p").class("hint").with(code(some)).text(more)).maybe(ask)
}

fn purged_row(run: RunState, one: &Tombstone, lang: Lang) -> El {
    el("li")
        .with(code(one.id.clone()))
        .text(format!(" {} {} ", full_time(one.recorded_at, lang), one.reason))
        .with(seq_link(run, one.seq, lang))
}

/// A weight in millionths, as a number below one.
fn score(millionths: u64) -> String {
    format!("{}.{:03}", millionths / 1_000_000, millionths % 1_000_000 / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_in_millionths_reads_as_a_decimal() {
        assert_eq!(score(1_000_000), "1.000");
        assert_eq!(score(52_300), "0.052");
    }
}
