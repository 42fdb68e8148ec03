//! The fact ledger at the cursor: every current fact, and each one's versions.

use std::collections::BTreeSet;

use leptos::prelude::*;
use throughline_protocol::DEFAULT_SUBJECT;
use throughline_protocol::query::{FactHistory, Facts};
use throughline_protocol::view::{FactPage, FactView};

use super::details::seq_link;
use super::panel::{Panel, hidden_line};
use super::seen::use_view;
use super::state::use_run;
use crate::format::fill;
use crate::format::{cell, short_time};
use crate::i18n::{Lang, Words, t};
use crate::ui::{Empty, Message};

/// The facts.
#[component]
pub(crate) fn FactsPanel() -> impl IntoView {
    let run = use_run();
    let seen = use_view::<FactPage, _>(|at, _| Some(Facts { at, ..Facts::default() }));
    let open = RwSignal::new(BTreeSet::<(String, String)>::new());
    view! {
        <Panel title=|w| w.view_facts name="facts">
            {move || {
                let lang = run.app.lang.get();
                let seen = seen.get();
                let page = seen.value?;
                if page.facts.is_empty() {
                    let what = Message::plain(|w| w.no_facts).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.facts_hint/> {hidden_line(&page.hidden, lang)} }.into_any());
                }
                let rows = page.facts.iter().cloned().map(|fact| view! { <Fact fact open/> }).collect_view();
                Some(
                    view! {
                        <div class="scroll-x" tabindex="0" role="region" aria-label=lang.words().view_facts>
                            <table class="table">
                                <thead>
                                    <tr>
                                        <th scope="col">{lang.words().col_key}</th>
                                        <th scope="col">{lang.words().col_value}</th>
                                        <th scope="col">{lang.words().col_version}</th>
                                        <th scope="col">{lang.words().col_since}</th>
                                        <th scope="col">{lang.words().col_source}</th>
                                        <th scope="col">{lang.words().col_confidence}</th>
                                    </tr>
                                </thead>
                                {rows}
                            </table>
                        </div>
                        {hidden_line(&page.hidden, lang)}
                    }
                    .into_any(),
                )
            }}
        </Panel>
    }
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

fn name(fact: &FactView) -> String {
    if fact.subject == DEFAULT_SUBJECT { fact.key.clone() } else { format!("{} · {}", fact.subject, fact.key) }
}

#[component]
fn Fact(fact: FactView, open: RwSignal<BTreeSet<(String, String)>>) -> impl IntoView {
    let run = use_run();
    let lang = run.app.lang.get_untracked();
    let id = (fact.subject.clone(), fact.key.clone());
    let is_open = {
        let id = id.clone();
        Memo::new(move |_| open.with(|open| open.contains(&id)))
    };
    let toggle = {
        let id = id.clone();
        move |_| {
            open.update(|open| {
                if !open.remove(&id) {
                    open.insert(id.clone());
                }
            });
        }
    };
    let label = fill(lang.words().history_show, &[("key", &name(&fact))]);
    let subject =
        (fact.subject != DEFAULT_SUBJECT).then(|| view! { <span class="subject">{fact.subject.clone()}</span> });
    view! {
        <tbody>
            <tr>
                <td class="key">
                    <button class="expand" aria-expanded=move || if is_open.get() { "true" } else { "false" } aria-label=label on:click=toggle>
                        <span aria-hidden="true">{move || if is_open.get() { "▾" } else { "▸" }}</span>
                    </button>
                    {subject}
                    <code>{fact.key.clone()}</code>
                </td>
                <td class="value">{cell(&fact.value)}</td>
                <td class="num">{fact.version} "/" {fact.versions}</td>
                <td class="num">{short_time(fact.valid_from, lang)} " " {seq_link(run, fact.seq, lang)}</td>
                <td>{fact.source.clone().unwrap_or_else(|| "—".to_owned())}</td>
                <td class="num">{fact.confidence.as_ref().map_or_else(|| "—".to_owned(), ToString::to_string)}</td>
            </tr>
            <Show when=move || is_open.get()>
                <tr class="inner">
                    <td colspan="6"><History subject=id.0.clone() key=id.1.clone()/></td>
                </tr>
            </Show>
        </tbody>
    }
}

#[component]
fn History(subject: String, key: String) -> impl IntoView {
    let run = use_run();
    let versions = use_view::<Vec<FactView>, _>(move |at, _| {
        Some(FactHistory { key: key.clone(), subject: Some(subject.clone()), at })
    });
    view! {
        <ol class="versions">
            {move || {
                let lang = run.app.lang.get();
                versions.get().value.map(|list| list.iter().map(|version| one(version, lang)).collect_view())
            }}
        </ol>
        <span class="sr">{t(|w| w.history)}</span>
    }
}

fn one(version: &FactView, lang: Lang) -> impl IntoView + use<> {
    let run = use_run();
    let words = lang.words();
    view! {
        <li class=format!("version fact-{}", version.status)>
            <span class="num">{version.version}</span>
            <span class="value">{cell(&version.value)}</span>
            <span class="mark">{status_word(&version.status, words)}</span>
            <span class="num hint">{short_time(version.valid_from, lang)}</span>
            {seq_link(run, version.seq, lang)}
            {version.ended_by.map(|seq| view! { <span class="hint">"→"</span> {seq_link(run, seq, lang)} })}
            <span class="hint">{version.source.clone().unwrap_or_default()}</span>
        </li>
    }
}
