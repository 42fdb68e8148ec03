//! A layered drawing of a small graph, the same for the same input, always.

use leptos::prelude::*;

use super::columns::to_f64;
use crate::format::cut;

/// The size of a node.
const WIDE: f64 = 124.0;
const HIGH: f64 = 36.0;

/// The gap between nodes of one layer, and between layers.
const BESIDE: f64 = 12.0;
const BETWEEN: f64 = 32.0;

/// Room around everything; edges that lead back run there.
const MARGIN: f64 = 14.0;

/// How far an edge that leads back swings out, and how much further the next one.
const SWING: f64 = 26.0;

/// Letters that fit into a node.
const LABEL: usize = 16;
const SUB: usize = 20;

/// Beyond this many edges their words are left to the list below the drawing.
const MOST_LABELS: usize = 14;

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// What it is called.
    pub(crate) label: String,
    /// A second line.
    pub(crate) sub: String,
    /// Its look.
    pub(crate) class: String,
    /// Its layer.
    pub(crate) row: usize,
    /// The record it leads to.
    pub(crate) seq: Option<u64>,
}

/// An edge between two nodes, by their places in the list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    /// Where it starts.
    pub(crate) from: usize,
    /// Where it ends.
    pub(crate) to: usize,
    /// Its words.
    pub(crate) label: String,
    /// Its look.
    pub(crate) class: String,
}

/// Which way the layers follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From top to bottom.
    Down,
    /// From left to right.
    Right,
}

/// The layers of a graph: the fewest edges from a start; what no start reaches comes below.
pub(crate) fn rows(count: usize, starts: &[usize], edges: &[(usize, usize)]) -> Vec<usize> {
    let mut rows: Vec<Option<usize>> = vec![None; count];
    let mut wave: Vec<usize> = starts.to_vec();
    let mut row = 0;
    while !wave.is_empty() {
        let mut next = Vec::new();
        for at in wave {
            if let Some(place @ None) = rows.get_mut(at) {
                *place = Some(row);
                next.extend(edges.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to));
            }
        }
        wave = next;
        row += 1;
    }
    let last = rows.iter().flatten().max().map_or(0, |last| last + 1);
    rows.into_iter().map(|row| row.unwrap_or(last)).collect()
}

/// A node's place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    x: f64,
    y: f64,
}

/// The places of the nodes, and the size of the whole.
fn places(nodes: &[Node], way: Way) -> (Vec<Place>, f64, f64) {
    let layers = nodes.iter().map(|node| node.row + 1).max().unwrap_or(0);
    let in_layer = |layer: usize| nodes.iter().filter(|node| node.row == layer).count();
    let fullest = (0..layers).map(in_layer).max().unwrap_or(0).max(1);
    // Along the layers, and across them.
    let (along, across) = if way == Way::Down { (HIGH, WIDE) } else { (WIDE, HIGH) };
    let span = |count: usize| to_f64(count) * (across + BESIDE) - BESIDE;
    let room = if way == Way::Down { MARGIN + SWING * 2.4 } else { MARGIN };
    let breadth = span(fullest) + 2.0 * room;
    let length = to_f64(layers) * (along + BETWEEN) - BETWEEN + 2.0 * MARGIN;
    let mut seen = vec![0_usize; layers];
    let places = nodes
        .iter()
        .map(|node| {
            let nth = seen.get_mut(node.row).map_or(0, |n| {
                *n += 1;
                *n - 1
            });
            let beside = (breadth - span(in_layer(node.row))) / 2.0 + to_f64(nth) * (across + BESIDE);
            let forth = MARGIN + to_f64(node.row) * (along + BETWEEN);
            if way == Way::Down { Place { x: beside, y: forth } } else { Place { x: forth, y: beside } }
        })
        .collect();
    if way == Way::Down { (places, breadth, length) } else { (places, length, breadth) }
}

/// The path of an edge and the place of its words. `back` counts the edges that led back before it.
fn path(from: Place, to: Place, way: Way, back: usize) -> (String, Place) {
    // How far the tip stays away, so that the arrow's head ends at the node.
    const TIP: f64 = 5.0;
    if way == Way::Right && to.x > from.x {
        let (x1, y1, x2, y2) = (from.x + WIDE, from.y + HIGH / 2.0, to.x - TIP, to.y + HIGH / 2.0);
        let bend = (x2 - x1) / 2.0;
        let path = format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend);
        return (path, Place { x: f64::midpoint(x1, x2), y: f64::midpoint(y1, y2) });
    }
    if to.y > from.y {
        let (x1, y1, x2, y2) = (from.x + WIDE / 2.0, from.y + HIGH, to.x + WIDE / 2.0, to.y - TIP);
        let bend = ((y2 - y1) / 2.0).max(12.0);
        let path = format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", y1 + bend, y2 - bend);
        return (path, Place { x: f64::midpoint(x1, x2), y: f64::midpoint(y1, y2) });
    }
    let lift = if from == to { 10.0 } else { 0.0 };
    let (x1, y1) = (from.x + WIDE, from.y + HIGH / 2.0 - lift);
    // The ends of several edges at one node lie beside each other.
    let (x2, y2) = (to.x + WIDE + TIP, to.y + HIGH / 2.0 + lift + 6.0 * to_f64(back % 3) - 6.0);
    let out = x1.max(x2) + SWING * (1.0 + 0.6 * to_f64(back % 3));
    let path = format!("M{x1} {y1}C{out} {y1} {out} {y2} {x2} {y2}");
    // The middle of the curve.
    (path, Place { x: 0.125 * (x1 + x2) + 0.75 * out, y: f64::midpoint(y1, y2) })
}

/// The drawing. What it shows stands beside it as a list, too; `label` says so.
#[component]
pub(crate) fn Graph(
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    way: Way,
    #[prop(into)] label: String,
    go: Callback<u64>,
) -> impl IntoView {
    let (places, width, height) = places(&nodes, way);
    let place = |at: usize| places.get(at).copied().unwrap_or(Place { x: 0.0, y: 0.0 });
    let with_words = edges.len() <= MOST_LABELS;
    let mut back = 0;
    let (mut lines, mut words) = (Vec::new(), Vec::new());
    for edge in edges {
        let (from, to) = (place(edge.from), place(edge.to));
        let (path, at) = path(from, to, way, back);
        back += usize::from(edge.from >= edge.to);
        lines.push(view! { <path class=format!("edge {}", edge.class) d=path marker-end="url(#arrow)"></path> });
        if with_words && !edge.label.is_empty() {
            let class = format!("edge-word {}", edge.class);
            words.push(view! { <text class=class x=at.x y=at.y text-anchor="middle" dominant-baseline="middle">{edge.label}</text> });
        }
    }
    let boxes = nodes
        .into_iter()
        .enumerate()
        .map(|(at, node)| {
            let Place { x, y } = place(at);
            let middle = x + WIDE / 2.0;
            let seq = node.seq;
            let lines = if node.sub.is_empty() { y + HIGH / 2.0 } else { y + HIGH / 2.0 - 7.0 };
            view! {
                <g class=format!("node {}", node.class) on:click=move |_| if let Some(seq) = seq { go.run(seq) }>
                    <rect x=x y=y width=WIDE height=HIGH rx="4"></rect>
                    <text class="node-label" x=middle y=lines text-anchor="middle" dominant-baseline="middle">
                        {cut(&node.label, LABEL)}
                    </text>
                    <text class="node-sub" x=middle y=y + HIGH / 2.0 + 8.0 text-anchor="middle" dominant-baseline="middle">
                        {cut(&node.sub, SUB)}
                    </text>
                </g>
            }
        })
        .collect_view();
    view! {
        <div class="graph">
            <svg role="img" aria-label=label width=width height=height viewBox=format!("0 0 {width} {height}")>
                <defs>
                    <marker id="arrow" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">
                        <path class="arrow" d="M0 0L8 4L0 8Z"></path>
                    </marker>
                </defs>
                {lines}
                {boxes}
                {words}
            </svg>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(row: usize) -> Node {
        Node { label: String::new(), sub: String::new(), class: String::new(), row, seq: None }
    }

    #[test]
    fn rows_follow_the_shortest_way_and_end_on_cycles() {
        assert_eq!(rows(5, &[0], &[(0, 1), (1, 2), (2, 0), (0, 2), (9, 9)]), [0, 1, 1, 2, 2]);
        assert_eq!(rows(2, &[0], &[(0, 0)]), [0, 1]);
        assert_eq!(rows(0, &[], &[]), Vec::<usize>::new());
    }

    #[test]
    fn no_two_nodes_lie_on_each_other_and_all_lie_inside() {
        let nodes: Vec<_> = [0, 1, 1, 1, 2, 0, 3].into_iter().map(node).collect();
        for way in [Way::Down, Way::Right] {
            check(&nodes, way);
        }
    }

    fn check(nodes: &[Node], way: Way) {
        let (places, width, height) = places(nodes, way);
        for (i, a) in places.iter().enumerate() {
            assert!(a.x >= 0.0 && a.x + WIDE <= width && a.y >= 0.0 && a.y + HIGH <= height);
            for b in places.iter().skip(i + 1) {
                assert!((a.x - b.x).abs() >= WIDE || (a.y - b.y).abs() >= HIGH);
            }
        }
    }
}
