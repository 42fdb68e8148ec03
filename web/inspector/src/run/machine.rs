//! The machine at the cursor: where it stands, what can be taken, what the guards gave, what was taken and refused.

use leptos::prelude::*;
use throughline_protocol::query::Machine;
use throughline_protocol::view::{Finding, GuardResult, MachineView, StateView, TransitionLog, TransitionView};

use super::details::seq_link;
use super::graph::{Edge, Graph, Node, Way, rows};
use super::panel::Panel;
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::i18n::{Lang, Words};
use crate::ui::{Empty, Message};

/// Whether the panel shows everything or what matters most.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Size {
    /// Everything.
    Full,
    /// For the overview.
    Brief,
}

/// The machine.
#[component]
pub(crate) fn MachinePanel(size: Size) -> impl IntoView {
    let run = use_run();
    let seen = use_view::<MachineView, _>(|at, _| Some(Machine { at }));
    view! {
        <Panel title=|w| w.view_state name="state">
            {move || {
                let lang = run.app.lang.get();
                let seen = seen.get();
                let machine = seen.value?;
                if machine.id.is_empty() && machine.states.is_empty() {
                    let what = Message::plain(|w| w.no_machine).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.machine_hint/> }.into_any());
                }
                Some(body(run, &machine, lang, size))
            }}
        </Panel>
    }
}

fn body(run: RunState, machine: &MachineView, lang: Lang, size: Size) -> AnyView {
    let words = lang.words();
    let here = machine.states.iter().filter(|state| state.active).map(|state| {
        view! {
            <span class="state-chip">
                <span aria-hidden="true">"● "</span>
                {state.path.clone()}
                {(!state.description.is_empty()).then(|| view! { <span class="hint">" " {state.description.clone()}</span> })}
            </span>
        }
    });
    let here = here.collect_view();
    let since = (machine.seq > 0).then(|| seq_link(run, machine.seq, lang));
    let (nodes, edges) = chart(machine);
    let go = Callback::new(move |seq| run.jump(seq));
    let open: Vec<_> = machine.transitions.iter().filter(|transition| transition.open.is_some()).cloned().collect();
    let brief = size == Size::Brief;
    let listed = if brief { open } else { machine.transitions.clone() };
    let transitions = listed.iter().map(|transition| transition_view(transition, words)).collect_view();
    let history = machine.history.iter().rev().take(if brief { 1 } else { usize::MAX });
    let history = history.map(|log| log_view(run, log, lang)).collect_view();
    let has_history = !machine.history.is_empty();
    let states = (!brief).then(|| {
        view! {
            <h3>{words.states}</h3>
            <ul class="outline">{machine.states.iter().map(|state| state_view(state, words)).collect_view()}</ul>
        }
    });
    let findings = (!brief && !machine.findings.is_empty()).then(|| {
        view! {
            <h3>{words.findings}</h3>
            <ul class="outline">{machine.findings.iter().map(|finding| finding_view(finding, words)).collect_view()}</ul>
        }
    });
    view! {
        <p class="state-now">{here} {since}</p>
        <Graph nodes edges way=Way::Down label=words.machine_chart go/>
        {(!listed.is_empty()).then(|| view! { <h3>{words.transitions}</h3> <ul class="outline">{transitions}</ul> })}
        {states}
        {has_history.then(|| view! { <h3>{words.last_transitions}</h3> <ol class="outline logs">{history}</ol> })}
        {findings}
    }
    .into_any()
}

/// The chart: the states by their distance from the initial one.
fn chart(machine: &MachineView) -> (Vec<Node>, Vec<Edge>) {
    let place = |path: &str| machine.states.iter().position(|state| state.path == path);
    let last = machine.history.iter().rev().find(|log| !log.refused);
    let taken = |transition: &TransitionView| {
        last.is_some_and(|log| {
            log.event == transition.event && log.from.contains(&transition.from) && log.to.contains(&transition.to)
        })
    };
    let mut pairs = Vec::new();
    let mut edges: Vec<Edge> = Vec::new();
    for transition in &machine.transitions {
        let (Some(from), Some(to)) = (place(&transition.from), place(&transition.to)) else { continue };
        pairs.push((from, to));
        let class = match (taken(transition), transition.open) {
            (true, _) => "taken",
            (false, Some(true)) => "open",
            (false, Some(false)) => "shut",
            (false, None) => "",
        };
        // Several events between the same two states share one line.
        match edges.iter_mut().find(|edge| (edge.from, edge.to) == (from, to)) {
            Some(edge) => {
                edge.label = format!("{}, {}", edge.label, transition.event);
                if !class.is_empty() && edge.class != "taken" {
                    class.clone_into(&mut edge.class);
                }
            }
            None => edges.push(Edge { from, to, label: transition.event.clone(), class: class.to_owned() }),
        }
    }
    let starts: Vec<_> =
        machine.states.iter().enumerate().filter(|(_, state)| state.initial).map(|(at, _)| at).collect();
    let rows = rows(machine.states.len(), if starts.is_empty() { &[0] } else { &starts }, &pairs);
    let node = |(state, row): (&StateView, usize)| {
        let mut class = String::from("state");
        if state.active {
            class.push_str(" active");
        }
        if state.is_final {
            class.push_str(" final");
        }
        Node { label: state.path.clone(), sub: String::new(), class, row, seq: None }
    };
    (machine.states.iter().zip(rows).map(node).collect(), edges)
}

fn state_view(state: &StateView, words: &'static Words) -> impl IntoView + use<> {
    let marks = [
        state.active.then_some(words.state_active),
        state.initial.then_some(words.state_initial),
        state.is_final.then_some(words.state_final),
    ];
    let marks = marks.into_iter().flatten().map(|word| view! { <span class="mark">{word}</span> }).collect_view();
    view! {
        <li class:active=state.active>
            <span aria-hidden="true">{if state.active { "● " } else { "○ " }}</span>
            <code>{state.path.clone()}</code>
            " "
            {marks}
            <span class="hint">{state.description.clone()}</span>
        </li>
    }
}

fn transition_view(transition: &TransitionView, words: &'static Words) -> impl IntoView + use<> {
    let (class, glyph, word) = match transition.open {
        Some(true) => ("open", "✓", words.open_now),
        Some(false) => ("shut", "✕", words.closed_now),
        None => ("", "·", words.not_here),
    };
    view! {
        <li class=format!("transition {class}")>
            <span aria-hidden="true">{glyph} " "</span>
            <code>{transition.from.clone()}</code>
            " → "
            <code>{transition.to.clone()}</code>
            " "
            <b>{transition.event.clone()}</b>
            " "
            <span class="mark">{word}</span>
            {transition.guard.clone().map(|guard| view! { <span class="guard"><span class="hint">{words.guard} " "</span><code>{guard}</code></span> })}
        </li>
    }
}

fn log_view(run: RunState, log: &TransitionLog, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let guards = log.guards.iter().map(|guard| guard_view(guard, words)).collect_view();
    view! {
        <li class="log" class:refused=log.refused>
            {seq_link(run, log.seq, lang)}
            " "
            <b>{log.event.clone()}</b>
            " "
            <code>{log.from.join(", ")}</code>
            " → "
            <code>{log.to.join(", ")}</code>
            " "
            <span class="mark">{if log.refused { words.refused } else { words.taken }}</span>
            {(!log.reason.is_empty()).then(|| view! { <span class="hint">" " {log.reason.clone()}</span> })}
            <ul class="guards">{guards}</ul>
        </li>
    }
}

fn guard_view(guard: &GuardResult, words: &'static Words) -> impl IntoView + use<> {
    let (glyph, word) = match guard.held {
        Some(true) => ("✓", words.guard_held),
        Some(false) => ("✕", words.guard_failed),
        None => ("?", words.guard_error),
    };
    view! {
        <li>
            <span aria-hidden="true">{glyph} " "</span>
            <code>{guard.guard.clone()}</code>
            " "
            <span class="mark">{word}</span>
            <span class="hint">{guard.error.clone().unwrap_or_default()}</span>
        </li>
    }
}

fn finding_view(finding: &Finding, words: &'static Words) -> impl IntoView + use<> {
    view! {
        <li>
            <code>{finding.code.clone()}</code>
            " "
            {finding.possible.then(|| view! { <span class="mark">{words.finding_possible}</span> })}
            " "
            {finding.message.clone()}
            <span class="hint">" " {finding.path.clone()}</span>
        </li>
    }
}
