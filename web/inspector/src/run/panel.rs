//! The frame that every panel has, and lines that several share.

use indexmap::IndexMap;
use leptos::prelude::*;

use super::state::use_run;
use crate::format::{fill, number};
use crate::i18n::{Lang, Pick, t};

/// A panel: its title, the record it is of, what it holds.
#[component]
pub(crate) fn Panel(
    /// Its title.
    title: Pick,
    /// Its name, for addresses and tests.
    name: &'static str,
    /// What it holds.
    children: Children,
) -> impl IntoView {
    let run = use_run();
    let at = move || {
        let lang = run.app.lang.get();
        fill(lang.words().at_record, &[("n", &number(run.at.get(), lang))])
    };
    view! {
        <section class="panel" data-panel=name aria-labelledby=format!("panel-{name}")>
            <header class="panel-head">
                <h2 id=format!("panel-{name}")>{t(title)}</h2>
                <span class="hint num panel-at">{at}</span>
            </header>
            <div class="panel-body">{children()}</div>
        </section>
    }
}

/// What is not shown, by reason; nothing when all is.
pub(crate) fn hidden_line(hidden: &IndexMap<String, u64>, lang: Lang) -> Option<AnyView> {
    let list: Vec<_> = hidden.iter().filter(|(_, n)| **n > 0).map(|(why, n)| format!("{why} {n}")).collect();
    (!list.is_empty()).then(|| {
        let line = fill(lang.words().hidden_n, &[("list", &list.join(", "))]);
        view! { <p class="hint">{line}</p> }.into_any()
    })
}
