//! A layered drawing of a small graph, the same for the same input, always.

use super::state::RunState;
use crate::dom::{El, el};
use crate::format::cut;

/// The size of a node.
const WIDE: i32 = 124;
const HIGH: i32 = 36;

/// The gap between nodes of one layer, and between layers.
const BESIDE: i32 = 12;
const BETWEEN: i32 = 32;

/// Room around everything; edges that lead back run there.
const MARGIN: i32 = 14;

/// How far an edge that leads back swings out, and how much further the next one.
const SWING: i32 = 26;

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
    pub(crate) class: &'static str,
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
    x: i32,
    y: i32,
}

/// The places of the nodes, and the size of the whole. All in whole pixels: nothing here needs more.
fn places(nodes: &[Node], way: Way) -> (Vec<Place>, i32, i32) {
    let layers = nodes.iter().map(|node| node.row + 1).max().unwrap_or(0);
    let in_layer = |layer: usize| nodes.iter().filter(|node| node.row == layer).count();
    let fullest = (0..layers).map(in_layer).max().unwrap_or(0).max(1);
    // Along the layers, and across them.
    let (along, across) = if way == Way::Down { (HIGH, WIDE) } else { (WIDE, HIGH) };
    let span = |count: usize| whole(count) * (across + BESIDE) - BESIDE;
    let room = if way == Way::Down { MARGIN + SWING * 5 / 2 } else { MARGIN };
    let breadth = span(fullest) + 2 * room;
    let length = whole(layers) * (along + BETWEEN) - BETWEEN + 2 * MARGIN;
    let mut seen = vec![0_usize; layers];
    let places = nodes
        .iter()
        .map(|node| {
            let nth = seen.get_mut(node.row).map_or(0, |n| {
                *n += 1;
                *n - 1
            });
            let beside = (breadth - span(in_layer(node.row))) / 2 + whole(nth) * (across + BESIDE);
            let forth = MARGIN + whole(node.row) * (along + BETWEEN);
            if way == Way::Down { Place { x: beside, y: forth } } else { Place { x: forth, y: beside } }
        })
        .collect();
    if way == Way::Down { (places, breadth, length) } else { (places, length, breadth) }
}

fn whole(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 1_000)
}

/// The path of an edge and the place of its words. `back` counts the edges that led back before it.
fn path(from: Place, to: Place, way: Way, back: i32) -> (String, Place) {
    // How far the tip stays away, so that the arrow's head ends at the node.
    const TIP: i32 = 5;
    let middle = |a: i32, b: i32| (a + b) / 2;
    if way == Way::Right && to.x > from.x {
        let (x1, y1, x2, y2) = (from.x + WIDE, from.y + HIGH / 2, to.x - TIP, to.y + HIGH / 2);
        let bend = (x2 - x1) / 2;
        let path = format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend);
        return (path, Place { x: middle(x1, x2), y: middle(y1, y2) });
    }
    if to.y > from.y {
        let (x1, y1, x2, y2) = (from.x + WIDE / 2, from.y + HIGH, to.x + WIDE / 2, to.y - TIP);
        let bend = ((y2 - y1) / 2).max(12);
        let path = format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", y1 + bend, y2 - bend);
        return (path, Place { x: middle(x1, x2), y: middle(y1, y2) });
    }
    let lift = if from == to { 10 } else { 0 };
    let (x1, y1) = (from.x + WIDE, from.y + HIGH / 2 - lift);
    // The ends of several edges at one node lie beside each other.
    let (x2, y2) = (to.x + WIDE + TIP, to.y + HIGH / 2 + lift + 6 * (back % 3) - 6);
    let out = x1.max(x2) + SWING + SWING * 3 / 5 * (back % 3);
    let path = format!("M{x1} {y1}C{out} {y1} {out} {y2} {x2} {y2}");
    // The middle of the curve.
    (path, Place { x: (x1 + x2 + 6 * out) / 8, y: middle(y1, y2) })
}

/// The drawing. What it shows stands beside it as a list, too; `label` says so.
pub(crate) fn graph(nodes: Vec<Node>, edges: Vec<Edge>, way: Way, label: &'static str, run: RunState) -> El {
    let (places, width, height) = places(&nodes, way);
    let place = |at: usize| places.get(at).copied().unwrap_or(Place { x: 0, y: 0 });
    let with_words = edges.len() <= MOST_LABELS;
    let mut back = 0;
    let (mut lines, mut words) = (Vec::new(), Vec::new());
    for edge in edges {
        let (path, at) = path(place(edge.from), place(edge.to), way, back);
        back += i32::from(edge.from >= edge.to);
        let line = el("path").class(format!("edge {}", edge.class)).attr("d", path);
        lines.push(line.attr("marker-end", "url(#arrow)"));
        if with_words && !edge.label.is_empty() {
            words.push(word("edge-word", at, edge.label));
        }
    }
    let boxes: Vec<_> = nodes.into_iter().enumerate().map(|(at, node)| node_el(node, place(at), run)).collect();
    let head = el("path").class("arrow").attr("d", "M0 0L8 4L0 8Z");
    let arrow = el("marker")
        .attr("id", "arrow")
        .attr("viewBox", "0 0 8 8")
        .attr("refX", "5")
        .attr("refY", "4")
        .attr("markerWidth", "9")
        .attr("markerHeight", "9")
        .attr("markerUnits", "userSpaceOnUse")
        .attr("orient", "auto")
        .with(head);
    let drawing = el("svg")
        .attr("role", "img")
        .attr("aria-label", label)
        .attr("width", width.to_string())
        .attr("height", height.to_string())
        .attr("viewBox", format!("0 0 {width} {height}"))
        .with(el("defs").with(arrow))
        .all(lines)
        .all(boxes)
        .all(words);
    el("div").class("graph").with(drawing)
}

fn node_el(node: Node, Place { x, y }: Place, run: RunState) -> El {
    let middle = x + WIDE / 2;
    let first = if node.sub.is_empty() { y + HIGH / 2 } else { y + HIGH / 2 - 7 };
    let frame = el("rect")
        .attr("x", x.to_string())
        .attr("y", y.to_string())
        .attr("width", WIDE.to_string())
        .attr("height", HIGH.to_string())
        .attr("rx", "4");
    let all = el("g")
        .class(format!("node {}", node.class))
        .with(frame)
        .with(word("node-label", Place { x: middle, y: first }, cut(&node.label, LABEL)))
        .with(word("node-sub", Place { x: middle, y: y + HIGH / 2 + 8 }, cut(&node.sub, SUB)));
    // For the pointer; the list beside the drawing has a button for the same.
    all.on_click(move || {
        if let Some(seq) = node.seq {
            run.jump(seq);
        }
    })
}

fn word(class: &'static str, at: Place, text: String) -> El {
    el("text")
        .class(class)
        .attr("x", at.x.to_string())
        .attr("y", at.y.to_string())
        .attr("text-anchor", "middle")
        .attr("dominant-baseline", "middle")
        .text(text)
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
            assert!(a.x >= 0 && a.x + WIDE <= width && a.y >= 0 && a.y + HIGH <= height);
            for b in places.iter().skip(i + 1) {
                assert!((a.x - b.x).abs() >= WIDE || (a.y - b.y).abs() >= HIGH);
            }
        }
    }
}
