//! The steps as layers: who waits for whom, how far each is, and the longest chain.

use throughline_protocol::view::RunView;

use super::full::mark_word;
use super::{status_glyph, status_word};
use crate::dom::{El, el};
use crate::i18n::Lang;
use crate::run::graph::{Edge, Node, Way, graph};
use crate::run::panel::{code, hint};
use crate::run::state::RunState;

/// The drawing, and the longest chain in words.
pub(super) fn drawing(run: RunState, view: &RunView, lang: Lang) -> Vec<El> {
    let label = lang.views().plan_graph;
    let (nodes, edges) = nodes_and_edges(view, lang);
    let drawn = graph(nodes, edges, Way::Right, label, run)
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-label", lang.views().plan_layers);
    let mut out = vec![drawn];
    if view.critical_path.len() > 1 {
        let mut line = el("p").class("chain").with(hint("span", format!("{} ", lang.views().plan_critical)));
        for (n, step) in view.critical_path.iter().enumerate() {
            line = line.text(if n == 0 { "" } else { " → " }).with(code(step.clone()));
        }
        out.push(line);
    }
    out
}

fn nodes_and_edges(view: &RunView, lang: Lang) -> (Vec<Node>, Vec<Edge>) {
    let place = |id: &str| view.steps.iter().position(|step| step.id == id);
    let wave =
        |id: &str| view.waves.iter().position(|wave| wave.iter().any(|step| step == id)).unwrap_or(view.waves.len());
    let from = |name: &str| {
        let by_binding = view.bindings.iter().find(|binding| binding.name == name && !binding.step.is_empty());
        by_binding.and_then(|binding| place(&binding.step)).or_else(|| place(name))
    };
    let on_path = |id: &str| view.critical_path.iter().position(|step| step == id);
    let nodes = view.steps.iter().map(|step| {
        let state = step
            .mark
            .as_deref()
            .map_or_else(|| status_word(&step.status, lang.words()).to_owned(), |mark| mark_word(mark, lang));
        let critical = if view.critical_path.len() > 1 && on_path(&step.id).is_some() { " critical" } else { "" };
        Node {
            label: step.id.clone(),
            sub: format!("{} {} {state}", status_glyph(&step.status), step.op),
            class: format!("step step-{} mark-{}{critical}", step.status, step.mark.as_deref().unwrap_or("none")),
            row: wave(&step.id),
            seq: (step.seq > 0).then_some(step.seq),
        }
    });
    let mut edges = Vec::new();
    for (to, step) in view.steps.iter().enumerate() {
        for name in &step.needs {
            let Some(from) = from(name).filter(|from| *from != to) else { continue };
            let before = view.steps.get(from).and_then(|step| on_path(&step.id));
            let critical = before.zip(on_path(&step.id)).is_some_and(|(before, here)| before + 1 == here);
            // A step that uses two values of another has one line to it.
            if !edges.iter().any(|edge: &Edge| (edge.from, edge.to) == (from, to)) {
                edges.push(Edge { from, to, label: String::new(), class: if critical { "critical" } else { "" } });
            }
        }
    }
    (nodes.collect(), edges)
}
