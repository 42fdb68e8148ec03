//! The step bar of a run: step, continue, pause, cancel; breakpoints; edits, and running again with them.

use leptos::prelude::*;
use throughline_protocol::Tagged;
use throughline_protocol::command::{CancelRun, ContinueRun, EditBinding, PauseRun, Rerun, StepRun};
use throughline_protocol::view::RunView;
use throughline_value::Map;

use super::desk::{Desk, is_open};
use super::full::{button, choice, tick};
use super::{steps, stops};
use crate::dom::{El, el};
use crate::format::cell;
use crate::i18n::Lang;
use crate::run::panel::{code, hint, more, sign, title};

/// The bar. Its buttons stay where they are and say when they can do nothing, so that the focus stays.
pub(super) fn bar(desk: Desk, view: &RunView, lang: Lang) -> El {
    let words = lang.views();
    let paused = view.row.status == "paused";
    let open = is_open(view);
    fn act<T: Tagged + 'static>(
        desk: Desk,
        view: &RunView,
        (class, word): (&'static str, &'static str),
        on: bool,
        make: fn(String) -> T,
    ) -> El {
        let id = view.row.id.clone();
        let act = move || {
            if on {
                desk.does(make(id.clone()));
            }
        };
        button(class, word, act).attr("aria-disabled", if on { "false" } else { "true" })
    }
    el("p")
        .class("options plan-bar")
        .attr("role", "toolbar")
        .attr("aria-label", words.plan_bar)
        .with(act(desk, view, ("button primary", words.plan_step), paused, |run| StepRun { run }))
        .with(act(desk, view, ("button", words.plan_continue), paused, |run| ContinueRun { run }))
        .with(act(desk, view, ("button", words.plan_pause), open && !paused, |run| PauseRun { run }))
        .with(act(desk, view, ("button danger", words.plan_cancel), open, |run| CancelRun { run }))
        .with(button("button", words.rerun_all, move || {
            desk.from.set(String::new());
            rerun(desk);
        }))
}

/// Why it stands still, what it is another run of, and the edits that no run has yet.
pub(super) fn notes(desk: Desk, view: &RunView, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let stopped = view.paused_at.clone().map(|why| el("p").class("stopped").with(sign("❚❚ ")).text(why));
    let reruns = steps::marks_line(view, lang).map(|line| el("p").class("rerun-line").text(line));
    let error = view.error.clone().map(|error| el("p").class("bad-text").text(error));
    let edits = desk.edits.get();
    let drafts = (!edits.is_empty()).then(|| {
        let chips = edits.iter().map(|(name, value)| {
            let gone = name.clone();
            let forget = button("button quiet", "✕", move || {
                desk.edits.update(|edits| {
                    edits.shift_remove(&gone);
                });
            });
            el("span")
                .class("chip")
                .with(code(format!("${name}")))
                .text(format!(" = {} ", cell(value)))
                .with(forget.attr("aria-label", words.edit_discard))
        });
        let into = (view.row.status == "paused").then(|| {
            let id = view.row.id.clone();
            button("button", words.edit_into, move || put_into(desk, &id))
        });
        el("div")
            .class("drafts")
            .attr("role", "status")
            .with(el("p").class("options").with(hint("span", words.edit_drafts)).all(chips))
            .with(
                el("p")
                    .class("options")
                    .with(button("button primary", words.edit_rerun, move || rerun(desk)))
                    .maybe(into)
                    .with(button("button quiet", words.edit_discard, move || desk.edits.set(Map::new()))),
            )
    });
    vec![
        el("div").class("run-notes").attr("role", "status").all([stopped, reruns, error, drafts].into_iter().flatten()),
    ]
}

/// Puts the edits into the run that is paused.
fn put_into(desk: Desk, run: &str) {
    let edits = desk.edits.get_untracked();
    let commands =
        edits.into_iter().map(|(binding, value)| EditBinding { run: run.to_owned(), binding, value }.tagged());
    let commands = commands.collect();
    desk.edits.set(Map::new());
    desk.run.act(commands);
}

/// Runs the shown run again, with the edits and what was chosen.
pub(super) fn rerun(desk: Desk) {
    let Some(run) = desk.wanted.get_untracked() else { return };
    let from = desk.from.get_untracked();
    let command = Rerun {
        run,
        from: (!from.is_empty()).then_some(from),
        edits: desk.edits.get_untracked(),
        fresh: desk.fresh.get_untracked(),
        effects: Some(desk.effects.get_untracked()),
        paused: desk.paused.get_untracked(),
        breakpoints: desk.stops.get_untracked(),
        ..Rerun::default()
    };
    desk.does(command);
}

/// Breakpoints, and how it is run again.
pub(super) fn forms(desk: Desk, view: &RunView, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let all = std::iter::once((String::new(), words.rerun_start.to_owned()));
    let steps = view.steps.iter().map(|step| (step.id.clone(), step.id.clone()));
    let from = choice(words.rerun_from, desk.from.get(), all.chain(steps), move |from| desk.from.set(from));
    let ways = [("safe", words.effects_safe), ("live", words.effects_live), ("stub", words.effects_stub)];
    let ways = ways.into_iter().map(|(way, word)| (way.to_owned(), word.to_owned()));
    let effects = choice(words.effects, desk.effects.get(), ways, move |way| desk.effects.set(way));
    let go = button("button primary", words.rerun, move || rerun(desk));
    let again = [
        title(words.rerun),
        hint("p", words.rerun_hint),
        el("div").class("form-grid").with(from).with(effects),
        el("p").class("options").with(tick(words.start_paused, desk.paused)).with(tick(words.rerun_fresh, desk.fresh)),
        el("p").class("options").with(go),
    ];
    let inner = el("div").all(stops::form(desk, view, lang)).all(again);
    vec![more(words.stops_and_reruns, inner)]
}
