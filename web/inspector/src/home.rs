//! The first page: a place to drop a file, the demos, and the journals that are stored here.

use leptos::prelude::*;

use crate::app::{AppState, Confirm, use_app};
use crate::demo::{self, Card};
use crate::dom::{Dom, El, el};
use crate::files;
use crate::focus::Focus;
use crate::format::{fill, localised, number};
use crate::i18n::{Lang, t};
use crate::session::{self, Stored};
use crate::settings;
use crate::ui::{Message, switches};

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
            <Dom class="contents" show=Box::new(move || {
                let brand = el("span").class("brand").with(el("span").class("brand-mark").attr("aria-hidden", "true"));
                let head = [brand.text("Throughline"), el("span").class("bar-gap")];
                head.into_iter().chain(switches(app, app.lang.get())).collect()
            })/>
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
            <Dom show=Box::new(move || {
                let lang = app.lang.get();
                let words = lang.words();
                let section = |id: &'static str, name: &'static str| {
                    el("section").attr("aria-labelledby", id).with(el("h2").attr("id", id).text(name))
                };
                let line = |text: &'static str| el("li").class("hint").text(text);
                let demos = cards.with(|cards| match cards {
                    None => vec![line(words.working)],
                    Some(list) if list.is_empty() => vec![line(words.no_demos)],
                    Some(list) => list.iter().map(|card| demo_card(app, card, lang)).collect(),
                });
                let stored = journals.with(|journals| match journals {
                    None => vec![line(words.working)],
                    Some(list) if list.is_empty() => vec![line(words.no_journals)],
                    Some(list) => list.iter().map(|journal| journal_row(app, journal, refresh, lang)).collect(),
                });
                vec![
                    section("demos-title", words.demos)
                        .with(el("p").class("hint").text(words.demos_note))
                        .with(el("ul").class("cards").all(demos)),
                    section("journals-title", words.journals).with(el("ul").class("journals").all(stored)),
                ]
            })/>
        </main>
    }
}

fn demo_card(app: AppState, card: &Card, lang: Lang) -> El {
    let name = card.journal();
    let open = el("button").class("button primary").text(lang.words().open_demo);
    el("li")
        .class("card")
        .with(el("h3").text(localised(&card.title, lang)))
        .with(el("p").text(localised(&card.description, lang)))
        .with(open.on_click(move || app.go(Focus::run(&name))))
}

fn journal_row(app: AppState, journal: &Stored, refresh: Callback<()>, lang: Lang) -> El {
    let words = lang.words();
    let Stored { name, seq, error } = journal.clone();
    let records = fill(words.records_n, &[("n", &number(seq, lang))]);
    let button = |class: &'static str, word: &'static str| {
        el("button").class(class).attr("aria-label", format!("{word} {name}")).text(word)
    };
    let (opened, deleted) = (name.clone(), name.clone());
    el("li")
        .class("journal")
        .with(el("span").class("journal-name").text(name.clone()))
        .with(el("span").class("hint num").text(records))
        .maybe(error.map(|code| el("code").class("bad-text").text(code)))
        .with(el("span").class("bar-gap"))
        .with(button("button", words.open).on_click(move || app.go(Focus::run(&opened))))
        .with(button("button quiet", words.delete).on_click(move || ask_to_delete(app, &deleted, refresh)))
}

/// Deletes a journal, once a person has said yes.
fn ask_to_delete(app: AppState, name: &str, refresh: Callback<()>) {
    let deleted = name.to_owned();
    let yes = Callback::new(move |()| {
        let name = deleted.clone();
        app.work(async move {
            match session::delete(&name).await {
                Ok(()) => settings::keep_sentinel(&name, 0),
                Err(refusal) => app.tell_refusal(refusal),
            }
            refresh.run(());
        });
    });
    app.confirm.set(Some(Confirm {
        title: Message::plain(|w| w.delete_title).with("name", name),
        text: Message::plain(|w| w.delete_text),
        verb: |w| w.delete,
        yes,
    }));
}
