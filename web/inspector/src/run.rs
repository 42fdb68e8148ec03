//! The page of one journal: the bar, the steps, the timeline, the conversation, the views, the details.

mod columns;
mod compare;
mod conversation;
mod details;
mod evidence;
mod facts;
mod gesture;
mod graph;
mod later;
mod machine;
mod marks;
mod memory;
mod model;
mod open;
mod package;
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
use throughline_protocol::Refusal;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use crate::app::use_app;
use crate::dom::{Dom, El, el};
use crate::focus::{Focus, View};
use crate::format::{fill, localised};
use crate::i18n::{Lang, Pick, t};
use crate::keys;
use crate::ui::{refusal_el, switches};
use open::How;
pub(crate) use state::{RunState, Stage};
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
        {top_bar(run, verify)}
        <main id="main" class="run" tabindex="-1">
            {move || match run.stage.get() {
                Stage::Failed(refusal) => failed(run, refusal),
                stage => opened(run, stage),
            }}
        </main>
        {evidence::evidence_dialog()}
        {verify::verify_dialog(verify)}
    }
}

/// Name, export, import, clear, verify, and the page's switches.
fn top_bar(run: RunState, verify: RwSignal<bool>) -> AnyView {
    let app = run.app;
    let show = move || {
        let lang = app.lang.get();
        let words = lang.words();
        let ready = run.stage.with(|stage| *stage == Stage::Ready);
        let home = el("a")
            .class("brand")
            .attr("href", "#/")
            .with(el("span").class("brand-mark").attr("aria-hidden", "true"))
            .text("Throughline")
            .on("click", move |event| {
                event.prevent_default();
                app.go(Focus::default());
            });
        let title = run.demo.get().map(|demo| localised(&demo.title, lang));
        let name = el("h1")
            .class("run-name")
            .maybe(title.map(|title| el("span").class("run-title").text(title)))
            .text(" ")
            .with(el("span").text(run.name.get_value()));
        let button = |word: &'static str, hint: &'static str| {
            let button = el("button").class("button quiet").attr("title", hint).text(word);
            if ready { button } else { button.attr("disabled", "") }
        };
        let mut out = vec![
            home,
            name,
            el("span").class("bar-gap"),
            button(words.verify, words.verify_hint).on_click(move || verify.set(true)),
            button(words.export, words.export_hint).on_click(move || open::export(run)),
            button(words.import, words.import_hint).on_click(move || open::import(run)),
            button(words.clear, words.clear_hint).on_click(move || open::clear(run)),
            el("span").class("bar-rule").attr("aria-hidden", "true"),
        ];
        out.extend(switches(app, lang));
        out
    };
    view! { <header class="bar"><Dom class="contents" show=Box::new(show)/></header> }.into_any()
}

/// Why it could not be opened, and what can be done.
fn failed(run: RunState, refusal: Refusal) -> AnyView {
    let show = move || {
        let lang = run.app.lang.get();
        let words = lang.words();
        let button = |class: &'static str, word: &'static str| el("button").class(class).text(word);
        let in_memory = move || open::open(run, How { in_memory: true, leave_empty: false });
        let ways = el("p")
            .class("options")
            .with(button("button primary", words.try_again).on_click(move || open::reopen(run)))
            .with(button("button", words.open_in_memory).on_click(in_memory))
            .with(button("button", words.home).on_click(move || run.app.go(Focus::default())));
        vec![el("h2").text(words.open_failed), refusal_el(&refusal, lang), ways]
    };
    view! { <section class="failed" role="alert"><Dom show=Box::new(show)/></section> }.into_any()
}

/// The journal, or how far its opening is.
fn opened(run: RunState, stage: Stage) -> AnyView {
    let words: Option<Pick> = match stage {
        Stage::Opening => Some(|w| w.opening),
        Stage::LoadingDemo => Some(|w| w.loading_demo),
        Stage::Ready | Stage::Failed(_) => None,
    };
    if let Some(pick) = words {
        let show = move || {
            let line = fill(pick(run.app.lang.get().words()), &[("name", &run.name.get_value())]);
            let spinner = el("span").class("spinner").attr("aria-hidden", "true");
            vec![el("p").class("opening").attr("role", "status").with(spinner).text(format!(" {line}"))]
        };
        return view! { <Dom class="contents" show=Box::new(show)/> }.into_any();
    }
    view! {
        {stepbar::step_bar()}
        {timeline::cursor_line()}
        {timeline::timeline_panel()}
        <Dom class="contents" show=Box::new(move || empty_journal(run).into_iter().collect())/>
        {conversation::conversation()}
        {views(run)}
        {details::details()}
    }
    .into_any()
}

fn empty_journal(run: RunState) -> Option<El> {
    if run.head.get() > 0 {
        return None;
    }
    let words = run.app.lang.get().words();
    let is_demo = run.demo.with(Option::is_some);
    let load = is_demo
        .then(|| el("button").class("button primary").text(words.load_demo).on_click(move || open::load_demo(run)));
    let import = el("button").class("button").text(words.import_file).on_click(move || open::import(run));
    let hint = if is_demo { words.empty_journal_demo } else { words.empty_journal_file };
    Some(
        el("section")
            .class("empty-journal")
            .attr("role", "status")
            .with(el("p").text(words.empty_journal))
            .with(el("p").class("hint").text(hint))
            .with(el("p").class("options").maybe(load).with(import)),
    )
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
        View::Compare => |w| w.view_compare,
        View::Model => |w| w.view_model,
    }
}

/// One tab; the arrow keys go to its neighbours.
fn tab(run: RunState, view: View, lang: Lang) -> El {
    let chosen = run.view.get() == view;
    let arrow = move |event: web_sys::Event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        let by: isize = match event.key().as_str() {
            "ArrowRight" => 1,
            "ArrowLeft" => -1,
            _ => return,
        };
        event.prevent_default();
        let at = View::ALL.iter().position(|one| *one == view).unwrap_or(0);
        let next = at.saturating_add_signed(by).min(View::ALL.len() - 1);
        if let Some(next) = View::ALL.get(next) {
            to_view(run, *next);
        }
    };
    el("button")
        .attr("role", "tab")
        .attr("id", format!("tab-{}", view.name()))
        .class("tab")
        .attr("aria-selected", if chosen { "true" } else { "false" })
        .attr("aria-controls", "view")
        .attr("tabindex", if chosen { "0" } else { "-1" })
        .text(view_word(view)(lang.words()))
        .on_click(move || run.show(view))
        .on("keydown", arrow)
}

/// The views as tabs. One is in the page at a time.
fn views(run: RunState) -> AnyView {
    let tabs = move || {
        let lang = run.app.lang.get();
        View::ALL.into_iter().map(|view| tab(run, view, lang)).collect()
    };
    view! {
        <section class="views" aria-label=t(|w| w.views)>
            <div class="tabs" role="tablist" aria-label=t(|w| w.views)>
                <Dom class="contents" show=Box::new(tabs)/>
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
                        {machine::machine_panel()}
                        {plan::plan_panel()}
                        {facts::facts_panel()}
                        {schedule::schedule_panel()}
                        {problems::problems_panel()}
                    }
                    .into_any(),
                    View::Events => records::records_panel(),
                    View::Facts => facts::facts_panel(),
                    View::Schedule => schedule::schedule_panel(),
                    View::Problems => problems::problems_panel(),
                    view @ (View::Plan | View::State | View::World | View::Memory | View::Compare | View::Model) => {
                        later::later_view(view.name())
                    }
                }}
            </div>
        </section>
    }
    .into_any()
}

/// What a large view holds: this runs in the wasm file of the views, not in the shell's.
pub(crate) fn view_panels(name: &str) -> AnyView {
    if name == timeline::EVENTS {
        return memory::axis_alone();
    }
    match View::of(name).unwrap_or_default() {
        View::Plan => plan::full::plan_panels(),
        View::State => machine::full::machine_panels(),
        View::World => world::world_panels(),
        View::Memory => memory::memory_panels(),
        View::Compare => compare::compare_panels(),
        View::Model => model::model_panels(),
        _ => ().into_any(),
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
        "b" => marks::toggle(run),
        "B" => marks::next(run),
        "/" => {
            run.show(View::Events);
            request_animation_frame(|| crate::ui::focus_on(records::FILTER));
        }
        "c" => to_view(run, View::Compare),
        "m" => to_view(run, View::Model),
        key => match key.parse::<usize>().ok().and_then(|n| View::ALL.get(n.checked_sub(1)?)) {
            Some(view) => to_view(run, *view),
            None => return,
        },
    }
    event.prevent_default();
}

/// Shows a view, and the keyboard goes on from its tab.
fn to_view(run: RunState, view: View) {
    run.show(view);
    let id = format!("tab-{}", view.name());
    request_animation_frame(move || crate::ui::focus_on(&id));
}

/// Whether Space belongs to what has the focus.
fn on_button(event: &KeyboardEvent) -> bool {
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
