//! Two runs side by side, value by value.

use leptos::prelude::*;
use throughline_protocol::query::Run;
use throughline_protocol::view::RunView;
use throughline_value::Value;

use super::desk::Desk;
use super::full::{brief, choice, mark_word};
use super::{status_glyph, status_word};
use crate::dom::{El, el};
use crate::format::{fill, number};
use crate::i18n::Lang;
use crate::run::panel::{code, empty_text, hint, mark, seen_or_refusal, sign, table, view_panel};
use crate::run::seen::use_view;

/// The two runs.
pub(super) fn versus_panel(desk: Desk) -> AnyView {
    let (a, b) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let known = move |id: &str| desk.list.get().value.is_some_and(|list| list.iter().any(|row| row.id == id));
    let second = Memo::new(move |_| Some(b.get()).filter(|id| known(id)).or_else(|| desk.wanted.get()));
    let first = Memo::new(move |_| {
        if let Some(id) = Some(a.get()).filter(|id| known(id)) {
            return Some(id);
        }
        let second = second.get()?;
        let shown = desk.seen.get().value.filter(|view| view.row.id == second);
        if let Some(reruns) = shown.and_then(|view| view.reruns) {
            return Some(reruns.run);
        }
        let list = desk.list.get().value?;
        let at = list.iter().position(|row| row.id == second)?;
        list.get(at.checked_sub(1)?).map(|row| row.id.clone())
    });
    let one = use_view::<RunView, _>(move |at, _| first.get().map(|run| Run { run, at }));
    let other = use_view::<RunView, _>(move |at, _| second.get().map(|run| Run { run, at }));
    view_panel(
        |w| w.versus_title,
        "versus",
        move |lang| {
            let words = lang.views();
            let rows = desk.list.get().value.unwrap_or_default();
            let (Some(first), Some(second), true) = (first.get(), second.get(), rows.len() > 1) else {
                return vec![empty_text(words.versus_none, words.versus_hint)];
            };
            let names = || {
                rows.iter()
                    .map(|row| (row.id.clone(), format!("{} · {}", row.id, status_word(&row.status, lang.words()))))
            };
            let pick = el("div")
                .class("form-grid")
                .with(choice("A", first, names(), move |id| a.set(id)))
                .with(choice("B", second, names(), move |id| b.set(id)));
            let pair =
                seen_or_refusal(one.get(), lang).and_then(|one| Ok((one.0, seen_or_refusal(other.get(), lang)?.0)));
            match pair {
                Ok((one, other)) => vec![pick].into_iter().chain(side_by_side(&one, &other, lang)).collect(),
                Err(refused) => vec![pick].into_iter().chain(refused).collect(),
            }
        },
    )
}

/// One value in one run: how it came about, and what it is.
struct Side {
    status: String,
    mark: Option<String>,
    value: Value,
}

fn side(view: &RunView, name: &str) -> Option<Side> {
    let step = view.steps.iter().find(|step| step.id == name);
    let binding = view.bindings.iter().find(|binding| binding.name.trim_start_matches('$') == name);
    if step.is_none() && binding.is_none() {
        return None;
    }
    Some(Side {
        status: step.map_or_else(|| "done".to_owned(), |step| step.status.clone()),
        mark: step.and_then(|step| step.mark.clone()),
        value: binding.map(|binding| binding.value.clone()).unwrap_or_default(),
    })
}

fn names(view: &RunView) -> impl Iterator<Item = String> {
    let given = view.bindings.iter().filter(|binding| binding.step.is_empty());
    let given = given.map(|binding| binding.name.trim_start_matches('$').to_owned());
    given.chain(view.steps.iter().map(|step| step.id.clone()))
}

fn side_by_side(one: &RunView, other: &RunView, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let mut all: Vec<String> = names(other).collect();
    all.extend(names(one).filter(|name| !all.contains(name)).collect::<Vec<_>>());
    let mut differ = 0_u64;
    let mut rows = Vec::new();
    for name in &all {
        let (left, right) = (side(one, name), side(other, name));
        let same = match (&left, &right) {
            (Some(left), Some(right)) => left.value == right.value && left.status == right.status,
            _ => false,
        };
        differ += u64::from(!same);
        let show = |side: Option<Side>| match side {
            None => el("td").text("—"),
            Some(side) => el("td")
                .with(sign(status_glyph(&side.status)))
                .with(el("span").class("sr").text(status_word(&side.status, lang.words())))
                .text(format!(" {} ", brief(&side.value)))
                .maybe(side.mark.map(|how| mark(mark_word(&how, lang)).class(format!("mark mark-{how}")))),
        };
        let word = el("td").maybe((!same).then(|| mark(words.versus_differs)));
        let name = el("th").attr("scope", "row").with(code(name.clone()));
        let row = el("tr").class(if same { "same" } else { "change-changed" });
        rows.push(row.with(name).with(show(left)).with(show(right)).with(word));
    }
    let (differ, total) = (number(differ, lang), number(all.len() as u64, lang));
    let line = fill(words.versus_count, &[("n", &differ), ("total", &total)]);
    let columns = [lang.views().col_binding, "A", "B", ""];
    vec![hint("p", line).attr("role", "status"), table(words.versus_title, &columns, [el("tbody").all(rows)])]
}
