//! The page of one journal: the bar, the steps, the timeline, the conversation, the views, the details.

mod columns;
mod conversation;
mod details;
mod evidence;
mod facts;
mod graph;
mod machine;
mod memory;
mod open;
mod paint;
mod panel;
mod plan;
mod problems;
mod records;
mod schedule;
mod seen;
mod state;
mod stepbar;
mod timeline;
mod verify;
mod world;

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::app::use_app;
use crate::dom::Dom;
use crate::focus::{Focus, View};
use crate::format::{fill, localised};
use crate::i18n::{Pick, t};
use crate::keys;
use crate::ui::{Switches, refusal_el};
use machine::Size;
use open::How;
use state::{RunState, Stage, use_run};
use timeline::TimelineState;

/// The page of a journal.
#[component]
pub(crate) fn RunPage(name: String) -> impl IntoView {
    let app = use_app();
    let run = RunState::new(app, name);
    let timeline = TimelineState::new();
    let verify = RwSignal::new(false);
    provide_context(run);
    provide_context(timeline);
    open::open(run, How::default());
    stepbar::keep_playing(run);
    let keys = window_event_listener(leptos::ev::keydown, move |event| key(run, timeline, &event));
    on_cleanup(move || {
        keys.remove();
        app.agent_busy.set(false);
        for key in ["session", "removed", "unsaved", "refusal", "other"] {
            app.untell(key);
        }
        if let Some(session) = run.set_session(None) {
            leptos::task::spawn_local(async move { session.close().await });
        }
    });
    view! {
        <TopBar verify/>
        <main id="main" class="run" tabindex="-1">
            {move || match run.stage.get() {
                Stage::Failed(refusal) => view! { <Failed refusal/> }.into_any(),
                stage => view! { <Opened stage/> }.into_any(),
            }}
        </main>
        {evidence::evidence_dialog()}
        {verify::verify_dialog(verify)}
    }
}

/// Name, export, import, clear, verify, and the page's switches.
#[component]
fn TopBar(verify: RwSignal<bool>) -> impl IntoView {
    let run = use_run();
    let app = run.app;
    let name = run.name.get_value();
    let ready = Memo::new(move |_| run.stage.with(|stage| *stage == Stage::Ready));
    let button = move |word: Pick, hint: Pick, act: Callback<()>| {
        view! {
            <button class="button quiet" title=t(hint) prop:disabled=move || !ready.get() on:click=move |_| act.run(())>
                {t(word)}
            </button>
        }
    };
    view! {
        <header class="bar">
            <a
                class="brand"
                href="#/"
                on:click=move |event| {
                    event.prevent_default();
                    app.go(Focus::default());
                }
            >
                <span class="brand-mark" aria-hidden="true"></span>
                "Throughline"
            </a>
            <h1 class="run-name">
                {move || {
                    let title = run.demo.get().map(|demo| localised(&demo.title, app.lang.get()));
                    title.map(|title| view! { <span class="run-title">{title}</span> " " })
                }}
                <span>{name}</span>
            </h1>
            <span class="bar-gap"></span>
            {button(|w| w.verify, |w| w.verify_hint, Callback::new(move |()| verify.set(true)))}
            {button(|w| w.export, |w| w.export_hint, Callback::new(move |()| open::export(run)))}
            {button(|w| w.import, |w| w.import_hint, Callback::new(move |()| open::import(run)))}
            {button(|w| w.clear, |w| w.clear_hint, Callback::new(move |()| open::clear(run)))}
            <span class="bar-rule" aria-hidden="true"></span>
            <Switches/>
        </header>
    }
}

/// Why it could not be opened, and what can be done.
#[component]
fn Failed(refusal: throughline_protocol::Refusal) -> impl IntoView {
    let run = use_run();
    view! {
        <section class="failed" role="alert">
            <h2>{t(|w| w.open_failed)}</h2>
            <Dom show=Box::new(move || vec![refusal_el(&refusal, run.app.lang.get())])/>
            <p class="options">
                <button class="button primary" on:click=move |_| open::reopen(run)>{t(|w| w.try_again)}</button>
                <button class="button" on:click=move |_| open::open(run, How { in_memory: true, leave_empty: false })>
                    {t(|w| w.open_in_memory)}
                </button>
                <button class="button" on:click=move |_| run.app.go(Focus::default())>{t(|w| w.home)}</button>
            </p>
        </section>
    }
}

/// The journal, or how far its opening is.
#[component]
fn Opened(stage: Stage) -> AnyView {
    let run = use_run();
    let words: Option<Pick> = match stage {
        Stage::Opening => Some(|w| w.opening),
        Stage::LoadingDemo => Some(|w| w.loading_demo),
        Stage::Ready | Stage::Failed(_) => None,
    };
    if let Some(pick) = words {
        let line = move || fill(pick(run.app.lang.get().words()), &[("name", &run.name.get_value())]);
        return view! { <p class="opening" role="status"><span class="spinner" aria-hidden="true"></span> {line}</p> }
            .into_any();
    }
    view! {
        <stepbar::StepBar/>
        <timeline::CursorLine/>
        <timeline::TimelinePanel/>
        <Show when=move || run.head.get() == 0>
            <EmptyJournal/>
        </Show>
        {conversation::conversation()}
        <Views/>
        {details::details()}
    }
    .into_any()
}

#[component]
fn EmptyJournal() -> impl IntoView {
    let run = use_run();
    let is_demo = Memo::new(move |_| run.demo.with(Option::is_some));
    view! {
        <section class="empty-journal" role="status">
            <p>{t(|w| w.empty_journal)}</p>
            <p class="hint">
                {move || {
                    let words = run.app.lang.get().words();
                    if is_demo.get() { words.empty_journal_demo } else { words.empty_journal_file }
                }}
            </p>
            <p class="options">
                <Show when=move || is_demo.get()>
                    <button class="button primary" on:click=move |_| open::load_demo(run)>{t(|w| w.load_demo)}</button>
                </Show>
                <button class="button" on:click=move |_| open::import(run)>{t(|w| w.import_file)}</button>
            </p>
        </section>
    }
}

fn view_word(view: View) -> Pick {
    match view {
        View::Overview => |w| w.view_overview,
        View::Events => |w| w.view_events,
        View::Plan => |w| w.view_plan,
        View::State => |w| w.view_state,
        View::Facts => |w| w.view_facts,
        View::World => |w| w.view_world,
        View::Schedule => |w| w.view_schedule,
        View::Memory => |w| w.view_memory,
        View::Problems => |w| w.view_problems,
    }
}

/// The views as tabs. One is in the page at a time.
#[component]
fn Views() -> impl IntoView {
    let run = use_run();
    let tab = move |view: View| {
        let chosen = move || run.view.get() == view;
        let arrow = move |event: KeyboardEvent| {
            let by: isize = match event.key().as_str() {
                "ArrowRight" => 1,
                "ArrowLeft" => -1,
                _ => return,
            };
            event.prevent_default();
            let at = View::ALL.iter().position(|one| *one == view).unwrap_or(0);
            let next = at.saturating_add_signed(by).min(View::ALL.len() - 1);
            if let Some(next) = View::ALL.get(next) {
                run.show(*next);
                let id = format!("tab-{}", next.name());
                request_animation_frame(move || crate::ui::focus_on(&id));
            }
        };
        view! {
            <button
                role="tab"
                id=format!("tab-{}", view.name())
                class="tab"
                aria-selected=move || if chosen() { "true" } else { "false" }
                aria-controls="view"
                tabindex=move || if chosen() { "0" } else { "-1" }
                on:click=move |_| run.show(view)
                on:keydown=arrow
            >
                {t(view_word(view))}
            </button>
        }
    };
    view! {
        <section class="views" aria-label=t(|w| w.views)>
            <div class="tabs" role="tablist" aria-label=t(|w| w.views)>
                {View::ALL.into_iter().map(tab).collect_view()}
            </div>
            <div
                id="view"
                class=move || format!("view view-{}", run.view.get().name())
                role="tabpanel"
                tabindex="0"
                aria-labelledby=move || format!("tab-{}", run.view.get().name())
            >
                {move || match run.view.get() {
                    View::Overview => view! {
                        {machine::machine_panel(Size::Brief)}
                        {plan::plan_panel(Size::Brief)}
                        {facts::facts_panel()}
                        {schedule::schedule_panel()}
                        {problems::problems_panel()}
                    }
                    .into_any(),
                    View::Events => records::records_panel(),
                    View::Plan => plan::plan_panel(Size::Full),
                    View::State => machine::machine_panel(Size::Full),
                    View::Facts => facts::facts_panel(),
                    View::World => world::world_panels(),
                    View::Schedule => schedule::schedule_panel(),
                    View::Memory => memory::memory_panel(),
                    View::Problems => problems::problems_panel(),
                }}
            </div>
        </section>
    }
}

/// The keys of this page.
fn key(run: RunState, timeline: TimelineState, event: &KeyboardEvent) {
    if (event.ctrl_key() || event.meta_key()) && event.key() == "s" {
        event.prevent_default();
        if run.stage.with_untracked(|stage| *stage == Stage::Ready) {
            open::export(run);
        }
        return;
    }
    let taken = keys::is_taken(event) || keys::has_modifier(event) || !run.app.single_keys.get_untracked();
    if taken || run.stage.with_untracked(|stage| *stage != Stage::Ready) {
        return;
    }
    match event.key().as_str() {
        "n" | "ArrowRight" => run.step(1),
        "N" | "ArrowLeft" => run.step(-1),
        "Home" => run.scrub(1),
        "End" => run.follow(),
        " " if !on_button(event) => stepbar::toggle_play(run),
        "+" | "=" => timeline.zoom(run, 0.625, None),
        "-" => timeline.zoom(run, 1.6, None),
        "0" => timeline.zoom_all(),
        "[" => to_cause(run),
        "/" => {
            run.show(View::Events);
            request_animation_frame(|| crate::ui::focus_on(records::FILTER));
        }
        key => match key.parse::<usize>().ok().and_then(|n| View::ALL.get(n.checked_sub(1)?)) {
            Some(view) => run.show(*view),
            None => return,
        },
    }
    event.prevent_default();
}

/// Whether Space belongs to what has the focus.
fn on_button(event: &KeyboardEvent) -> bool {
    use wasm_bindgen::JsCast as _;
    let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY" | "INPUT"))
}

/// Goes to the record that led to this one.
fn to_cause(run: RunState) {
    use throughline_protocol::query::RecordBySeq;
    use throughline_protocol::view::RecordDetail;
    let Some(session) = run.session() else { return };
    let seq = run.at.get_untracked();
    run.app.work(async move {
        let detail = session.ask::<RecordDetail>(RecordBySeq { seq }).await;
        if let Some(cause) = detail.ok().and_then(|detail| detail.record.cause) {
            run.jump(cause);
        }
    });
}
