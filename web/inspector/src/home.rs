//! The first page: a place to drop a file, the demos, and the journals that are stored here.

use leptos::prelude::*;

use crate::app::{Confirm, use_app};
use crate::demo::{self, Card};
use crate::files;
use crate::focus::Focus;
use crate::format::{fill, localised, number};
use crate::i18n::t;
use crate::session::{self, Stored};
use crate::settings;
use crate::ui::{Message, Switches};

/// The first page.
#[component]
pub(crate) fn Home() -> impl IntoView {
    let app = use_app();
    let cards = RwSignal::new(None::<Vec<Card>>);
    let journals = RwSignal::new(None::<Vec<Stored>>);
    let refresh = Callback::new(move |()| {
        app.work(async move {
            match session::stored().await {
                Ok(list) => journals.try_set(Some(list)),
                Err(refusal) => {
                    app.tell_refusal(refusal);
                    journals.try_set(Some(Vec::new()))
                }
            };
        });
    });
    app.work(async move {
        match demo::cards().await {
            Ok(list) => cards.try_set(Some(list)),
            Err(refusal) => {
                app.tell_refusal(refusal);
                cards.try_set(Some(Vec::new()))
            }
        };
    });
    refresh.run(());
    view! {
        <header class="bar">
            <span class="brand"><span class="brand-mark" aria-hidden="true"></span>"Throughline"</span>
            <span class="bar-gap"></span>
            <Switches/>
        </header>
        <main id="main" class="home" tabindex="-1">
            <h1>{t(|w| w.tagline)}</h1>
            <button class="drop" class:over=move || app.dragging.get() on:click=move |_| files::choose_to_open(app)>
                <span class="drop-title">
                    {move || {
                        let words = app.lang.get().words();
                        match app.reading.get() {
                            Some(name) => fill(words.reading_file, &[("name", &name)]),
                            None => words.drop_title.to_owned(),
                        }
                    }}
                </span>
                <span class="drop-note">{t(|w| w.drop_note)}</span>
            </button>
            <section aria-labelledby="demos-title">
                <h2 id="demos-title">{t(|w| w.demos)}</h2>
                <p class="hint">{t(|w| w.demos_note)}</p>
                <ul class="cards">
                    {move || match cards.get() {
                        None => view! { <li class="hint">{t(|w| w.working)}</li> }.into_any(),
                        Some(list) if list.is_empty() => view! { <li class="hint">{t(|w| w.no_demos)}</li> }.into_any(),
                        Some(list) => list.into_iter().map(|card| view! { <DemoCard card/> }).collect_view().into_any(),
                    }}
                </ul>
            </section>
            <section aria-labelledby="journals-title">
                <h2 id="journals-title">{t(|w| w.journals)}</h2>
                <ul class="journals">
                    {move || match journals.get() {
                        None => view! { <li class="hint">{t(|w| w.working)}</li> }.into_any(),
                        Some(list) if list.is_empty() => view! { <li class="hint">{t(|w| w.no_journals)}</li> }.into_any(),
                        Some(list) => {
                            list.into_iter().map(|journal| view! { <Journal journal refresh/> }).collect_view().into_any()
                        }
                    }}
                </ul>
            </section>
        </main>
    }
}

#[component]
fn DemoCard(card: Card) -> impl IntoView {
    let app = use_app();
    let name = card.journal();
    let Card { title, description, .. } = card;
    view! {
        <li class="card">
            <h3>{move || localised(&title, app.lang.get())}</h3>
            <p>{move || localised(&description, app.lang.get())}</p>
            <button class="button primary" on:click=move |_| app.go(Focus::run(&name))>{t(|w| w.open_demo)}</button>
        </li>
    }
}

#[component]
fn Journal(journal: Stored, refresh: Callback<()>) -> impl IntoView {
    let app = use_app();
    let Stored { name, seq, error } = journal;
    let records = move || {
        let lang = app.lang.get();
        fill(lang.words().records_n, &[("n", &number(seq, lang))])
    };
    let open_name = name.clone();
    let open = move |_| app.go(Focus::run(&open_name));
    let delete_name = name.clone();
    let delete = move |_| {
        let name = delete_name.clone();
        let yes = Callback::new({
            let name = name.clone();
            move |()| {
                let name = name.clone();
                app.work(async move {
                    match session::delete(&name).await {
                        Ok(()) => settings::keep_sentinel(&name, 0),
                        Err(refusal) => app.tell_refusal(refusal),
                    }
                    refresh.run(());
                });
            }
        });
        app.confirm.set(Some(Confirm {
            title: Message::plain(|w| w.delete_title).with("name", &name),
            text: Message::plain(|w| w.delete_text),
            verb: |w| w.delete,
            yes,
        }));
    };
    let label = name.clone();
    let open_label = {
        let name = name.clone();
        move || format!("{} {name}", app.lang.get().words().open)
    };
    let delete_label = move || format!("{} {name}", app.lang.get().words().delete);
    view! {
        <li class="journal">
            <span class="journal-name">{label}</span>
            <span class="hint num">{records}</span>
            {error.map(|code| view! { <code class="bad-text">{code}</code> })}
            <span class="bar-gap"></span>
            <button class="button" aria-label=open_label on:click=open>{t(|w| w.open)}</button>
            <button class="button quiet" aria-label=delete_label on:click=delete>{t(|w| w.delete)}</button>
        </li>
    }
}
