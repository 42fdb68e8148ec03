//! What would be forgotten next under a budget, and why; doing it; what has been purged.

use leptos::prelude::*;
use throughline_protocol::command::ForgetBy;
use throughline_protocol::query::{MemoryForgetting, MemoryPurged};
use throughline_protocol::view::{ForgettingRow, Tombstone};
use throughline_value::Value;

use super::field;
use crate::dom::el;
use crate::format::full_time;
use crate::i18n::Lang;
use crate::run::panel::{code, empty_text, hint, seen_or_refusal, seq_link, table, title, view_panel};
use crate::run::seen::use_view;
use crate::run::state::use_run;
use crate::session::command;

/// How many rows are shown.
const SHOWN: usize = 50;

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// What is forgotten next.
pub(super) fn forgetting_panel() -> AnyView {
    let run = use_run();
    let keep = RwSignal::new("100".to_owned());
    let days = RwSignal::new(String::new());
    let policy = move || ForgetBy {
        keep_events: keep.get().trim().parse().ok(),
        max_age: days.get().trim().parse::<i64>().ok().map(|days| days.saturating_mul(DAY)),
        ..ForgetBy::default()
    };
    let rows = use_view::<Vec<ForgettingRow>, _>(move |at, _| {
        Some(MemoryForgetting { at, policy: policy(), limit: Some(SHOWN) })
    });
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
                        el("tr")
                            .with(el("th").attr("scope", "row").with(code(row.id.clone())))
                            .with(el("td").class("num").text(score(row.score)))
                            .with(el("td").text(row.reason.clone()))
                    }));
                    out.push(table(
                        words.forgetting_title,
                        &["", words.forgetting_score, words.forgetting_why],
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

fn purged_row(run: crate::run::RunState, one: &Tombstone, lang: Lang) -> crate::dom::El {
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
