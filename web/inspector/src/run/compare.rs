//! What differs between two moments.

use leptos::prelude::*;
use throughline_protocol::Moment;
use throughline_protocol::query::Facts;
use throughline_protocol::view::FactPage;
use throughline_value::Value;

use super::panel::{code, empty_text, seen_or_refusal, seq_link, table, view_panel};
use super::seen::use_view;
use super::state::use_run;
use crate::dom::el;
use crate::focus::Focus;
use crate::format::{cell, fill, number};

/// What the record marked as A is called in the address.
const MARK: &str = "a";

/// The record that is marked as A.
fn marked(focus: &Focus) -> Option<u64> {
    focus.rest.iter().find(|(key, _)| key == MARK).and_then(|(_, value)| value.parse().ok())
}

/// The panels of the view.
pub(crate) fn compare_panels() -> AnyView {
    let run = use_run();
    let a = Memo::new(move |_| run.app.focus.with(marked));
    let before =
        use_view::<FactPage, _>(move |_, _| a.get().map(|seq| Facts { at: Moment::seq(seq), ..Facts::default() }));
    let after = use_view::<FactPage, _>(|at, _| Some(Facts { at, ..Facts::default() }));
    view_panel(
        |w| w.compare_title,
        "compare",
        move |lang| {
            let words = lang.views();
            let mark = el("button").class("button").text(words.compare_mark).on_click(move || {
                let mut focus = run.app.focus.get_untracked();
                focus.rest.retain(|(key, _)| key != MARK);
                focus.rest.push((MARK.to_owned(), run.at.get_untracked().to_string()));
                run.app.go(focus);
            });
            let Some(from) = a.get() else { return vec![empty_text("", words.compare_hint), mark] };
            let (old, new) = match (seen_or_refusal(before.get(), lang), seen_or_refusal(after.get(), lang)) {
                (Ok((old, _)), Ok((new, _))) => (old, new),
                (Err(other), _) | (_, Err(other)) => return other,
            };
            let rows = differences(&old, &new);
            if rows.is_empty() {
                let (a, b) = (number(from, lang), number(run.at.get(), lang));
                return vec![empty_text(fill(words.compare_none, &[("a", &a), ("b", &b)]), words.compare_hint), mark];
            }
            let body = el("tbody").all(rows.iter().map(|(name, old, new, seq)| {
                let text = |value: &Option<Value>| value.as_ref().map_or_else(|| "—".to_owned(), cell);
                el("tr")
                    .with(el("th").attr("scope", "row").with(code(name.clone())))
                    .with(el("td").text(text(old)))
                    .with(el("td").text(text(new)))
                    .with(el("td").maybe(seq.map(|seq| seq_link(run, seq, lang))))
            }));
            vec![table(words.compare_title, &["", "A", "B", "#"], [body]), mark]
        },
    )
}

/// A name, what stood before, what stands after, and the record that changed it.
type Difference = (String, Option<Value>, Option<Value>, Option<u64>);

fn differences(old: &FactPage, new: &FactPage) -> Vec<Difference> {
    let name = |fact: &throughline_protocol::view::FactView| match fact.subject.as_str() {
        "" => fact.key.clone(),
        subject => format!("{subject}.{}", fact.key),
    };
    let mut rows = Vec::new();
    for fact in &new.facts {
        let before = old.facts.iter().find(|other| name(other) == name(fact)).map(|other| other.value.clone());
        if before.as_ref() != Some(&fact.value) {
            rows.push((name(fact), before, Some(fact.value.clone()), Some(fact.seq)));
        }
    }
    for fact in &old.facts {
        if !new.facts.iter().any(|other| name(other) == name(fact)) {
            rows.push((name(fact), Some(fact.value.clone()), None, None));
        }
    }
    rows
}
