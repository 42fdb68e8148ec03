//! The fact ledger at the cursor: every current fact, and each one's versions.

use std::collections::BTreeMap;

use leptos::prelude::*;
use throughline_protocol::query::{FactHistory, Facts};
use throughline_protocol::view::{FactPage, FactView};
use throughline_protocol::{DEFAULT_SUBJECT, Moment};

use super::panel::{code, empty, hidden_line, hint, mark, panel, seen_or_refusal, seq_link, sign, table};
use super::seen::use_view;
use super::state::{RunState, Stage, use_run};
use crate::dom::{El, el};
use crate::format::{cell, fill, short_time};
use crate::i18n::{Lang, Words};

/// A fact's subject and key.
type Name = (String, String);

/// The facts whose versions are open, with the versions once they have come.
type Opened = RwSignal<BTreeMap<Name, Vec<FactView>>>;

/// The facts.
pub(crate) fn facts_panel() -> AnyView {
    let run = use_run();
    let page = use_view::<FactPage, _>(|at, _| Some(Facts { at, ..Facts::default() }));
    let opened: Opened = RwSignal::new(BTreeMap::new());
    keep_histories(run, opened);
    panel(
        |w| w.view_facts,
        "facts",
        move |lang| {
            let (page, at) = match seen_or_refusal(page.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            let words = lang.words();
            let hidden = hidden_line(&page.hidden, lang);
            let list = if page.facts.is_empty() {
                empty(|w| w.no_facts, at, |w| w.facts_hint, lang)
            } else {
                let columns = [
                    words.col_key,
                    words.col_value,
                    words.col_version,
                    words.col_since,
                    words.col_source,
                    words.col_confidence,
                ];
                let bodies = opened.with(|all| {
                    page.facts.iter().map(|fact| fact_rows(run, fact, all, opened, lang)).collect::<Vec<_>>()
                });
                table(words.view_facts, &columns, bodies)
            };
            std::iter::once(list).chain(hidden).collect()
        },
    )
}

/// Asks for the versions of what is open, at the record a person looks at.
fn keep_histories(run: RunState, opened: Opened) {
    let names = Memo::new(move |_| opened.with(|all| all.keys().cloned().collect::<Vec<_>>()));
    Effect::new(move |_| {
        let (at, names) = (run.at.get(), names.get());
        run.epoch.track();
        let ready = run.stage.with(|stage| *stage == Stage::Ready);
        let Some(session) = run.session().filter(|_| ready && !names.is_empty()) else { return };
        run.app.work(async move {
            for name in names {
                let (subject, key) = name.clone();
                let query = FactHistory { key, subject: Some(subject), at: Moment::seq(at) };
                let versions = session.ask::<Vec<FactView>>(query).await.unwrap_or_default();
                let stale = opened.try_with_untracked(|all| all.get(&name).is_some_and(|old| *old != versions));
                if stale == Some(true) {
                    opened.try_update(|all| all.insert(name, versions));
                }
            }
        });
    });
}

/// The word for a version's status.
fn status_word(status: &str, words: &'static Words) -> &'static str {
    match status {
        "superseded" => words.fact_superseded,
        "retracted" => words.fact_retracted,
        "expired" => words.fact_expired,
        _ => words.fact_current,
    }
}

fn fact_rows(run: RunState, fact: &FactView, all: &BTreeMap<Name, Vec<FactView>>, opened: Opened, lang: Lang) -> El {
    let words = lang.words();
    let name = (fact.subject.clone(), fact.key.clone());
    let versions = all.get(&name);
    let own = fact.subject == DEFAULT_SUBJECT;
    let full = if own { fact.key.clone() } else { format!("{} · {}", fact.subject, fact.key) };
    let toggle = move || {
        opened.update(|all| {
            if all.remove(&name).is_none() {
                all.insert(name.clone(), Vec::new());
            }
        });
    };
    let expand = el("button")
        .class("expand")
        .attr("aria-expanded", if versions.is_some() { "true" } else { "false" })
        .attr("aria-label", fill(words.history_show, &[("key", &full)]))
        .with(sign(if versions.is_some() { "▾" } else { "▸" }))
        .on_click(toggle);
    let key = el("td")
        .class("key")
        .with(expand)
        .maybe((!own).then(|| el("span").class("subject").text(fact.subject.clone())))
        .with(code(fact.key.clone()));
    let row = el("tr")
        .with(key)
        .with(el("td").class("value").text(cell(&fact.value)))
        .with(el("td").class("num").text(format!("{}/{}", fact.version, fact.versions)))
        .with(
            el("td").class("num").text(short_time(fact.valid_from, lang)).text(" ").with(seq_link(run, fact.seq, lang)),
        )
        .with(el("td").text(fact.source.clone().unwrap_or_else(|| "—".to_owned())))
        .with(el("td").class("num").text(fact.confidence.as_ref().map_or_else(|| "—".to_owned(), ToString::to_string)));
    let history = versions.map(|versions| {
        let list = versions.iter().map(|version| version_row(run, version, lang));
        let list = el("ol").class("versions").attr("aria-label", words.history).all(list);
        el("tr").class("inner").with(el("td").attr("colspan", "6").with(list))
    });
    el("tbody").with(row).maybe(history)
}

fn version_row(run: RunState, version: &FactView, lang: Lang) -> El {
    el("li")
        .class(format!("version fact-{}", version.status))
        .with(el("span").class("num").text(version.version.to_string()))
        .with(el("span").class("value").text(cell(&version.value)))
        .with(mark(status_word(&version.status, lang.words())))
        .with(el("span").class("num hint").text(short_time(version.valid_from, lang)))
        .with(seq_link(run, version.seq, lang))
        .maybe(version.ended_by.map(|_| hint("span", "→")))
        .maybe(version.ended_by.map(|seq| seq_link(run, seq, lang)))
        .with(hint("span", version.source.clone().unwrap_or_default()))
}
