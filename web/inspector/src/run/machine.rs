//! The machine at the cursor, in brief: where it stands, what can be taken, what was taken last. The large view
//! shows everything.

pub(super) mod full;

use leptos::prelude::*;
use throughline_protocol::query::Machine;
use throughline_protocol::view::{GuardResult, MachineView, StateView, TransitionLog, TransitionView};

use super::graph::{Edge, Node, Way, graph, rows};
use super::panel::{code, empty, hint, mark, panel, seen_or_refusal, seq_link, sign, title};
use super::seen::{Watched, use_view};
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::i18n::{Lang, Words};

/// The machine.
pub(crate) fn machine_panel() -> AnyView {
    framed(use_view(|at, _| Some(Machine { at })), body)
}

/// The panel of a machine with what it holds; it says what to do where there is none.
fn framed(machine: Watched<MachineView>, body: fn(RunState, &MachineView, Lang) -> Vec<El>) -> AnyView {
    let run = use_run();
    panel(
        |w| w.view_state,
        "state",
        move |lang| match seen_or_refusal(machine.get(), lang) {
            Ok((machine, at)) if machine.states.is_empty() => {
                vec![empty(|w| w.no_machine, at, |w| w.machine_hint, lang)]
            }
            Ok((machine, _)) => body(run, &machine, lang),
            Err(other) => other,
        },
    )
}

fn body(run: RunState, machine: &MachineView, lang: Lang) -> Vec<El> {
    let words = lang.words();
    let transitions = machine.transitions.iter().filter(|transition| transition.open.is_some());
    let transitions = transitions.map(|transition| transition_row(transition, words)).collect();
    let last = machine.history.last().map(|log| log_row(run, log, lang)).into_iter().collect();
    let mut out = standing(run, machine, lang);
    listed(&mut out, words.transitions, "outline", transitions);
    listed(&mut out, words.last_transitions, "outline logs", last);
    out
}

/// Where it stands, in words and drawn.
fn standing(run: RunState, machine: &MachineView, lang: Lang) -> Vec<El> {
    let here = machine.states.iter().filter(|state| state.active).map(|state| {
        let about = (!state.description.is_empty()).then(|| hint("span", format!(" {}", state.description)));
        el("span").class("state-chip").with(sign("● ")).text(state.path.clone()).maybe(about)
    });
    let now = el("p").class("state-now").all(here).maybe((machine.seq > 0).then(|| seq_link(run, machine.seq, lang)));
    let (nodes, edges) = chart(machine);
    vec![now, graph(nodes, edges, Way::Down, lang.words().machine_chart, run)]
}

/// A list under its title, when it holds something.
fn listed(out: &mut Vec<El>, name: &'static str, class: &'static str, rows: Vec<El>) {
    if !rows.is_empty() {
        out.push(title(name));
        out.push(el("ul").class(class).all(rows));
    }
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
                    edge.class = class;
                }
            }
            None => edges.push(Edge { from, to, label: transition.event.clone(), class }),
        }
    }
    let starts: Vec<_> =
        machine.states.iter().enumerate().filter(|(_, state)| state.initial).map(|(at, _)| at).collect();
    let rows = rows(machine.states.len(), if starts.is_empty() { &[0] } else { &starts }, &pairs);
    let node = |(state, row): (&StateView, usize)| {
        let class = match (state.active, state.is_final) {
            (true, true) => "state active final",
            (true, false) => "state active",
            (false, true) => "state final",
            (false, false) => "state",
        };
        Node { label: state.path.clone(), sub: String::new(), class: class.to_owned(), row, seq: None }
    };
    (machine.states.iter().zip(rows).map(node).collect(), edges)
}

fn transition_row(transition: &TransitionView, words: &'static Words) -> El {
    let (class, glyph, word) = match transition.open {
        Some(true) => ("transition open", "✓ ", words.open_now),
        Some(false) => ("transition shut", "✕ ", words.closed_now),
        None => ("transition", "· ", words.not_here),
    };
    let guard = transition
        .guard
        .as_ref()
        .map(|guard| el("span").class("guard").with(hint("span", words.guard)).text(" ").with(code(guard.clone())));
    el("li")
        .class(class)
        .with(sign(glyph))
        .with(code(transition.from.clone()))
        .text(" → ")
        .with(code(transition.to.clone()))
        .text(" ")
        .with(el("b").text(transition.event.clone()))
        .text(" ")
        .with(mark(word))
        .maybe(guard)
}

fn log_row(run: RunState, log: &TransitionLog, lang: Lang) -> El {
    let words = lang.words();
    let guards = log.guards.iter().map(|guard| guard_row(guard, words));
    el("li")
        .class(if log.refused { "log refused" } else { "log" })
        .with(seq_link(run, log.seq, lang))
        .text(" ")
        .with(el("b").text(log.event.clone()))
        .text(" ")
        .with(code(log.from.join(", ")))
        .text(" → ")
        .with(code(log.to.join(", ")))
        .text(" ")
        .with(mark(if log.refused { words.refused } else { words.taken }))
        .with(hint("span", format!(" {}", log.reason)))
        .with(el("ul").class("guards").all(guards))
}

fn guard_row(guard: &GuardResult, words: &'static Words) -> El {
    let (glyph, word) = match guard.held {
        Some(true) => ("✓ ", words.guard_held),
        Some(false) => ("✕ ", words.guard_failed),
        None => ("? ", words.guard_error),
    };
    el("li")
        .with(sign(glyph))
        .with(code(guard.guard.clone()))
        .text(" ")
        .with(mark(word))
        .with(hint("span", guard.error.clone().unwrap_or_default()))
}
