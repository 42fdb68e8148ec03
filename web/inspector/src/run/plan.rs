//! The plan's runs at the cursor: each step with its input, output and evidence, and the values they gave.

use leptos::prelude::*;
use throughline_protocol::query::{Run, Runs};
use throughline_protocol::view::{BindingView, RunRow, RunView, StepView};
use throughline_value::Value;

use super::evidence;
use super::graph::{Edge, Node, Way, graph};
use super::machine::Size;
use super::panel::{
    code, empty, hint, mark, more, panel, seen_or_refusal, seq_link, sign, source, table, title, value_tree,
};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::format::{cell, duration, fill};
use crate::i18n::{Lang, Words};

/// The runs.
pub(crate) fn plan_panel(size: Size) -> AnyView {
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
                Ok((view, _)) => picker.into_iter().chain(body(run, &view, at, lang, size)).collect(),
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

fn body(run: RunState, view: &RunView, at: u64, lang: Lang, size: Size) -> Vec<El> {
    let words = lang.words();
    let row = &view.row;
    let progress = fill(words.run_steps, &[("done", &row.done.to_string()), ("total", &row.total.to_string())]);
    let line = el("p")
        .class("run-line")
        .with(code(row.id.clone()))
        .text(" ")
        .with(status_mark(&row.status, words))
        .text(" ")
        .with(hint("span", progress))
        .text(" ")
        .with(seq_link(run, row.seq, lang));
    let mut out = vec![line];
    if size == Size::Brief {
        out.push(el("ol").class("outline").all(view.steps.iter().map(|step| step_line(run, step, lang))));
        return out;
    }
    let (nodes, edges) = chart(view, words);
    out.push(graph(nodes, edges, Way::Right, words.plan_graph, run));
    if !view.bindings.is_empty() {
        let rows = view.bindings.iter().map(|binding| binding_row(run, binding, at, lang));
        let columns = [words.col_binding, words.col_value, words.evidence];
        out.push(title(words.bindings));
        out.push(table(words.bindings, &columns, [el("tbody").all(rows)]));
    }
    out.push(title(words.plan_steps));
    out.push(el("ol").class("steps").all(view.steps.iter().map(|step| step_card(run, step, at, lang))));
    out.push(more(words.plan_text, source(view.plan.clone())));
    out
}

/// The steps wave by wave, and who needs whose value.
fn chart(view: &RunView, words: &'static Words) -> (Vec<Node>, Vec<Edge>) {
    let place = |id: &str| view.steps.iter().position(|step| step.id == id);
    let wave =
        |id: &str| view.waves.iter().position(|wave| wave.iter().any(|step| step == id)).unwrap_or(view.waves.len());
    let from = |name: &str| {
        let by_binding = view.bindings.iter().find(|binding| binding.name == name && !binding.step.is_empty());
        by_binding.and_then(|binding| place(&binding.step)).or_else(|| place(name))
    };
    let nodes = view.steps.iter().map(|step| Node {
        label: step.id.clone(),
        sub: format!("{} {} {}", status_glyph(&step.status), step.op, status_word(&step.status, words)),
        class: format!("step step-{}", step.status),
        row: wave(&step.id),
        seq: (step.seq > 0).then_some(step.seq),
    });
    let mut edges = Vec::new();
    for (to, step) in view.steps.iter().enumerate() {
        for from in step.needs.iter().filter_map(|name| from(name)).filter(|at| *at != to) {
            // A step that uses two values of another has one line to it.
            if !edges.iter().any(|edge: &Edge| (edge.from, edge.to) == (from, to)) {
                edges.push(Edge { from, to, label: String::new(), class: "" });
            }
        }
    }
    (nodes.collect(), edges)
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

fn step_card(run: RunState, step: &StepView, at: u64, lang: Lang) -> El {
    let words = lang.words();
    let quiet = |text: Option<String>| text.map(|text| el("span").class("hint num").text(text));
    let head = el("p")
        .class("step-head")
        .with(sign(status_glyph(&step.status)))
        .with(code(step.id.clone()))
        .with(el("b").text(step.op.clone()))
        .with(mark(status_word(&step.status, words)))
        .maybe((step.seq > 0).then(|| seq_link(run, step.seq, lang)))
        .maybe(quiet(step.duration.filter(|ms| *ms > 0).map(duration)))
        .maybe(quiet((step.attempts > 1).then(|| fill(words.attempts_n, &[("n", &step.attempts.to_string())]))));
    let part = |name: &'static str, value: &Value| {
        (!value.is_null()).then(|| el("div").class("part").with(el("h4").text(name)).with(value_tree(value)))
    };
    let evidence = (!step.evidence.is_empty()).then(|| {
        let links = step.evidence.iter().map(|evidence| evidence::link(run, evidence, at, lang));
        el("div").class("part").with(el("h4").text(words.evidence)).with(el("p").class("links").all(links))
    });
    let needs = (!step.needs.is_empty()).then(|| hint("p", fill(words.needs, &[("list", &step.needs.join(", "))])));
    el("li")
        .class(format!("step-card step-{}", step.status))
        .with(head)
        .maybe((!step.note.is_empty()).then(|| el("p").text(step.note.clone())))
        .maybe((!step.source.is_empty()).then(|| code(step.source.clone()).class("source")))
        .maybe(needs)
        .maybe(step.error.as_ref().map(|error| el("p").class("bad-text").text(error.clone())))
        .maybe(part(words.input, &step.input))
        .maybe(part(words.output, &step.output))
        .maybe(evidence)
}

fn binding_row(run: RunState, binding: &BindingView, at: u64, lang: Lang) -> El {
    let links = binding.evidence.iter().map(|evidence| evidence::link(run, evidence, at, lang));
    let none = binding.evidence.is_empty().then(|| hint("span", lang.words().no_evidence));
    let name = el("td")
        .with(code(format!("${}", binding.name.trim_start_matches('$'))))
        .maybe((!binding.step.is_empty()).then(|| hint("span", format!(" {}", binding.step))));
    el("tr")
        .with(name)
        .with(el("td").class("value").text(cell(&binding.value)))
        .with(el("td").class("links").all(links).maybe(none))
}
