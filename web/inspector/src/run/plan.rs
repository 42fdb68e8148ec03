//! The plan's runs at the cursor: each step with its input, output and evidence, and the values they gave.

use leptos::prelude::*;
use throughline_protocol::query::{Run, Runs};
use throughline_protocol::view::{BindingView, RunRow, RunView, StepView};

use super::details::{ValueTree, seq_link};
use super::evidence;
use super::graph::{Edge, Graph, Node, Way};
use super::machine::Size;
use super::panel::Panel;
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::format::{cell, duration, fill};
use crate::i18n::{Lang, Words};
use crate::ui::{Empty, Message};

/// The runs.
#[component]
pub(crate) fn PlanPanel(size: Size) -> impl IntoView {
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
    view! {
        <Panel title=|w| w.view_plan name="plan">
            {move || {
                let lang = run.app.lang.get();
                let list = list.get();
                let rows = list.value?;
                if rows.is_empty() {
                    let what = Message::plain(|w| w.no_runs).with("n", list.at);
                    return Some(view! { <Empty what hint=|w| w.runs_hint/> }.into_any());
                }
                let picker = (rows.len() > 1).then(|| picker(&rows, chosen, wanted, lang));
                let view = seen.get().value?;
                Some(view! { {picker} {body(run, &view, list.at, lang, size)} }.into_any())
            }}
        </Panel>
    }
}

fn picker(
    rows: &[RunRow],
    chosen: RwSignal<String>,
    wanted: Memo<Option<String>>,
    lang: Lang,
) -> impl IntoView + use<> {
    let options = rows
        .iter()
        .map(|row| {
            let id = row.id.clone();
            let text = format!("{} · #{} · {}", row.id, row.seq, status_word(&row.status, lang.words()));
            let selected = {
                let id = id.clone();
                move || wanted.get().as_deref() == Some(id.as_str())
            };
            view! { <option value=id prop:selected=selected>{text}</option> }
        })
        .collect_view();
    view! {
        <label class="picker">
            <span class="hint">{lang.words().run_label}</span>
            <select class="field" on:change=move |event| chosen.set(event_target_value(&event))>{options}</select>
        </label>
    }
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

fn body(run: RunState, view: &RunView, at: u64, lang: Lang, size: Size) -> AnyView {
    let words = lang.words();
    let (nodes, edges) = graph(view, words);
    let go = Callback::new(move |seq| run.jump(seq));
    let row = &view.row;
    let progress = fill(words.run_steps, &[("done", &row.done.to_string()), ("total", &row.total.to_string())]);
    let started = seq_link(run, row.seq, lang);
    let full = (size == Size::Full).then(|| {
        let steps = view.steps.iter().map(|step| step_view(run, step, at, lang)).collect_view();
        view! {
            <h3>{words.plan_steps}</h3>
            <ol class="steps">{steps}</ol>
            <details class="more">
                <summary>{words.plan_text}</summary>
                <pre class="code" tabindex="0">{view.plan.clone()}</pre>
            </details>
        }
    });
    let brief = (size == Size::Brief).then(|| {
        let steps = view.steps.iter().map(|step| step_line(run, step, lang)).collect_view();
        view! { <ol class="outline">{steps}</ol> }
    });
    let bindings = view.bindings.iter().map(|binding| binding_view(run, binding, at, lang)).collect_view();
    let has_bindings = !view.bindings.is_empty();
    view! {
        <p class="run-line">
            <code>{row.id.clone()}</code>
            " "
            <span class=format!("mark status-{}", row.status)>{status_word(&row.status, words)}</span>
            " "
            <span class="hint">{progress}</span>
            " "
            {started}
        </p>
        {(size == Size::Full).then(|| view! { <Graph nodes edges way=Way::Right label=words.plan_graph go/> })}
        {brief}
        {full}
        {(has_bindings && size == Size::Full).then(|| {
            view! {
                <h3>{words.bindings}</h3>
                <div class="scroll-x" tabindex="0" role="region" aria-label=words.bindings>
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{words.col_binding}</th>
                                <th scope="col">{words.col_value}</th>
                                <th scope="col">{words.evidence}</th>
                            </tr>
                        </thead>
                        <tbody>{bindings}</tbody>
                    </table>
                </div>
            }
        })}
    }
    .into_any()
}

/// The steps wave by wave, and who needs whose value.
fn graph(view: &RunView, words: &'static Words) -> (Vec<Node>, Vec<Edge>) {
    let place = |id: &str| view.steps.iter().position(|step| step.id == id);
    let wave =
        |id: &str| view.waves.iter().position(|wave| wave.iter().any(|step| step == id)).unwrap_or(view.waves.len());
    let source = |name: &str| {
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
        let mut sources: Vec<_> =
            step.needs.iter().filter_map(|name| source(name)).filter(|from| *from != to).collect();
        sources.sort_unstable();
        sources.dedup();
        edges.extend(sources.into_iter().map(|from| Edge { from, to, label: String::new(), class: String::new() }));
    }
    (nodes.collect(), edges)
}

fn step_line(run: RunState, step: &StepView, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    view! {
        <li class=format!("step-line step-{}", step.status)>
            <span aria-hidden="true">{status_glyph(&step.status)} " "</span>
            <code>{step.id.clone()}</code>
            " "
            <span class="hint">{step.op.clone()}</span>
            " "
            <span class="mark">{status_word(&step.status, words)}</span>
            " "
            {(step.seq > 0).then(|| seq_link(run, step.seq, lang))}
            <span class="hint">" " {step.note.clone()}</span>
        </li>
    }
}

fn step_view(run: RunState, step: &StepView, at: u64, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let needs = (!step.needs.is_empty())
        .then(|| view! { <span class="hint">{fill(words.needs, &[("list", &step.needs.join(", "))])}</span> });
    let attempts = (step.attempts > 1).then(
        || view! { <span class="hint num">{fill(words.attempts_n, &[("n", &step.attempts.to_string())])}</span> },
    );
    let time = step.duration.map(|ms| view! { <span class="hint num">{duration(ms)}</span> });
    let part = |name: &'static str, value: &throughline_value::Value| {
        (!value.is_null()).then(|| {
            view! { <div class="part"><h4>{name}</h4> <ValueTree value=value.clone()/></div> }
        })
    };
    let links = step.evidence.iter().map(|evidence| evidence::link(run, evidence, at, lang)).collect_view();
    let has_links = !step.evidence.is_empty();
    view! {
        <li class=format!("step-card step-{}", step.status)>
            <p class="step-head">
                <span aria-hidden="true">{status_glyph(&step.status)}</span>
                <code>{step.id.clone()}</code>
                <b>{step.op.clone()}</b>
                <span class="mark">{status_word(&step.status, words)}</span>
                {(step.seq > 0).then(|| seq_link(run, step.seq, lang))}
                {time}
                {attempts}
            </p>
            {(!step.note.is_empty()).then(|| view! { <p>{step.note.clone()}</p> })}
            {(!step.source.is_empty()).then(|| view! { <code class="source">{step.source.clone()}</code> })}
            {needs}
            {step.error.clone().map(|error| view! { <p class="bad-text">{error}</p> })}
            {part(words.input, &step.input)}
            {part(words.output, &step.output)}
            {has_links.then(|| view! { <div class="part"><h4>{words.evidence}</h4> <p class="links">{links}</p></div> })}
        </li>
    }
}

fn binding_view(run: RunState, binding: &BindingView, at: u64, lang: Lang) -> impl IntoView + use<> {
    let links = binding.evidence.iter().map(|evidence| evidence::link(run, evidence, at, lang)).collect_view();
    let none = binding.evidence.is_empty().then(|| view! { <span class="hint">{lang.words().no_evidence}</span> });
    view! {
        <tr>
            <td>
                <code>"$" {binding.name.trim_start_matches('$').to_owned()}</code>
                {(!binding.step.is_empty()).then(|| view! { <span class="hint">" " {binding.step.clone()}</span> })}
            </td>
            <td class="value">{cell(&binding.value)}</td>
            <td class="links">{links} {none}</td>
        </tr>
    }
}
