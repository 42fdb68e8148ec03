//! The plan's runs at the cursor, in brief; the large view shows everything of them.

mod answer;
mod chart;
mod desk;
mod diagnosis;
mod editor;
pub(super) mod full;
mod stepper;
mod steps;
mod stops;
mod values;
mod versus;

use leptos::prelude::*;
use throughline_protocol::query::{Run, Runs};
use throughline_protocol::view::{RunRow, RunView, StepView};

use super::panel::{code, empty, hint, mark, panel, seen_or_refusal, seq_link, sign};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::format::fill;
use crate::i18n::{Lang, Words};

/// The runs.
pub(crate) fn plan_panel() -> AnyView {
    let run = use_run();
    let chosen = RwSignal::new(String::new());
    let list = use_view::<Vec<RunRow>, _>(|at, _| Some(Runs { at }));
    // A run that does not exist yet at the cursor gives way to the newest that does.
    let wanted = Memo::new(move |_| {
        let list = list.get().value?;
        let chosen = chosen.get();
        let known = list.iter().any(|row| row.id == chosen);
        if known { Some(chosen) } else { list.last().map(|row| row.id.clone()) }
    });
    let seen = use_view::<RunView, _>(move |at, _| wanted.get().map(|run| Run { run, at }));
    panel(
        |w| w.view_plan,
        "plan",
        move |lang| {
            let (rows, at) = match seen_or_refusal(list.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            if rows.is_empty() {
                return vec![empty(|w| w.no_runs, at, |w| w.runs_hint, lang)];
            }
            let picker = (rows.len() > 1).then(|| picker(&rows, chosen, wanted.get(), lang));
            match seen_or_refusal(seen.get(), lang) {
                Ok((view, _)) => picker.into_iter().chain(body(run, &view, lang)).collect(),
                Err(other) => other,
            }
        },
    )
}

fn picker(rows: &[RunRow], chosen: RwSignal<String>, wanted: Option<String>, lang: Lang) -> El {
    let option = |row: &RunRow| {
        let text = format!("{} · #{} · {}", row.id, row.seq, status_word(&row.status, lang.words()));
        let option = el("option").attr("value", row.id.clone()).text(text);
        if wanted.as_deref() == Some(row.id.as_str()) { option.attr("selected", "") } else { option }
    };
    let choice = el("select")
        .class("field")
        .all(rows.iter().map(option))
        .on("change", move |event| chosen.set(event_target_value(&event)));
    el("label").class("picker").with(hint("span", lang.words().run_label)).with(choice)
}

fn status_word(status: &str, words: &'static Words) -> &'static str {
    match status {
        "running" => words.step_running,
        "done" => words.step_done,
        "failed" => words.step_failed,
        "skipped" => words.step_skipped,
        "blocked" => words.step_blocked,
        "paused" => words.run_paused,
        "cancelled" => words.run_cancelled,
        _ => words.step_waiting,
    }
}

fn status_glyph(status: &str) -> &'static str {
    match status {
        "running" => "▶",
        "done" => "✓",
        "failed" => "✕",
        "skipped" => "↷",
        "blocked" => "■",
        _ => "○",
    }
}

fn status_mark(status: &str, words: &'static Words) -> El {
    el("span").class(format!("mark status-{status}")).text(status_word(status, words))
}

fn body(run: RunState, view: &RunView, lang: Lang) -> Vec<El> {
    let steps = view.steps.iter().map(|step| step_line(run, step, lang));
    vec![run_line(run, &view.row, lang), el("ol").class("outline").all(steps)]
}

/// Which run it is, and how far.
fn run_line(run: RunState, row: &RunRow, lang: Lang) -> El {
    let words = lang.words();
    let progress = fill(words.run_steps, &[("done", &row.done.to_string()), ("total", &row.total.to_string())]);
    el("p")
        .class("run-line")
        .with(code(row.id.clone()))
        .text(" ")
        .with(status_mark(&row.status, words))
        .text(" ")
        .with(hint("span", progress))
        .text(" ")
        .with(seq_link(run, row.seq, lang))
}

fn step_line(run: RunState, step: &StepView, lang: Lang) -> El {
    el("li")
        .class(format!("step-line step-{}", step.status))
        .with(sign(format!("{} ", status_glyph(&step.status))))
        .with(code(step.id.clone()))
        .text(" ")
        .with(hint("span", step.op.clone()))
        .text(" ")
        .with(mark(status_word(&step.status, lang.words())))
        .text(" ")
        .maybe((step.seq > 0).then(|| seq_link(run, step.seq, lang)))
        .with(hint("span", format!(" {}", step.note)))
}
