//! Whether an invariant holds on every path, and the shortest path on which it does not.

use std::collections::{BTreeMap, VecDeque};

use throughline_protocol::view::Finding;
use throughline_value::SortedSet;

use super::check::{event_name, names};
use super::definition::Definition;
use super::explore::{Edge, Graph};
use super::invariant::{Invariant, Seen};

/// A place with what an invariant remembers of the path to it.
type Node = (u32, u32);

/// How a node was come to: from which node, by which step.
#[derive(Clone, Copy)]
struct Came {
    node: Node,
    from: Option<usize>,
    edge: Edge,
}

/// The nodes of a search in their order, nearest first.
#[derive(Default)]
struct Search {
    came: Vec<Came>,
    numbers: BTreeMap<Node, usize>,
    /// The step that breaks the invariant, and the node it leaves from.
    breaks: Option<(Option<usize>, Edge)>,
}

/// What is found when an invariant does not hold, or may not hold.
pub(crate) fn broken(definition: &Definition, graph: &Graph, invariant: &Invariant) -> Option<Finding> {
    let watch = |memory: u32, edge: &Edge, begins: bool| -> Option<u32> {
        let empty = SortedSet::new();
        let event = graph.events.get(edge.event).map_or("", String::as_str);
        let mut memory = memory;
        if !begins {
            memory = invariant.form.watch(memory, &Seen { event: Some(event), active: &empty, entered: &empty })?;
        }
        for (active, entered) in graph.runs.get(edge.run).map_or(&[][..], Vec::as_slice) {
            let seen = Seen {
                event: None,
                active: graph.sets.get(*active).unwrap_or(&empty),
                entered: graph.sets.get(*entered).unwrap_or(&empty),
            };
            memory = invariant.form.watch(memory, &seen)?;
        }
        Some(memory)
    };
    let certain = search(graph, false, invariant, &watch);
    if invariant.form.is_liveness() {
        return starved(definition, graph, invariant, &certain, &watch);
    }
    if let Some((from, edge)) = certain.breaks {
        return Some(finding(invariant, trace(definition, graph, &certain, from, Some(edge)), false, ""));
    }
    let all = search(graph, true, invariant, &watch);
    let (from, edge) = all.breaks?;
    Some(finding(invariant, trace(definition, graph, &all, from, Some(edge)), true, ""))
}

fn edges_of(graph: &Graph, place: u32) -> &[Edge] {
    let at = place as usize;
    let (Some(from), Some(to)) = (graph.first.get(at), graph.first.get(at + 1)) else { return &[] };
    graph.edges.get(*from..*to).unwrap_or_default()
}

type Watch<'a> = &'a dyn Fn(u32, &Edge, bool) -> Option<u32>;

/// Goes to every node, nearest first, until the invariant is broken; with steps that are only possible or without.
fn search(graph: &Graph, possible: bool, invariant: &Invariant, watch: Watch<'_>) -> Search {
    let mut search = Search::default();
    let mut waiting = VecDeque::new();
    let taken = |edge: &&Edge| possible || !edge.possible;
    for edge in graph.starts.iter().filter(taken) {
        match watch(invariant.form.start(), edge, true) {
            Some(memory) => search.add(Came { node: (edge.to, memory), from: None, edge: *edge }, &mut waiting),
            None => {
                search.breaks = Some((None, *edge));
                return search;
            }
        }
    }
    while let Some(number) = waiting.pop_front() {
        let Some(came) = search.came.get(number).copied() else { break };
        for edge in edges_of(graph, came.node.0).iter().filter(taken) {
            match watch(came.node.1, edge, false) {
                Some(memory) => {
                    search.add(Came { node: (edge.to, memory), from: Some(number), edge: *edge }, &mut waiting);
                }
                None => {
                    search.breaks = Some((Some(number), *edge));
                    return search;
                }
            }
        }
    }
    search
}

impl Search {
    fn add(&mut self, came: Came, waiting: &mut VecDeque<usize>) {
        let number = self.came.len();
        if let std::collections::btree_map::Entry::Vacant(free) = self.numbers.entry(came.node) {
            free.insert(number);
            self.came.push(came);
            waiting.push_back(number);
        }
    }
}

/// Where nothing that is waited for can come any more: a set of nodes that is never left, none of them good.
fn starved(
    definition: &Definition,
    graph: &Graph,
    invariant: &Invariant,
    certain: &Search,
    watch: Watch<'_>,
) -> Option<Finding> {
    let all = search(graph, true, invariant, watch);
    let told = |search: &Search, number: usize, possible: bool| {
        let after = match graph.configs.get(search.came.get(number)?.node.0 as usize) {
            Some(config) => format!("from `{}` it does not come any more, whatever happens", names(definition, &config.active)),
            None => String::new(),
        };
        Some(finding(invariant, trace(definition, graph, search, Some(number), None), possible, &after))
    };
    // For certain: a trap with every step allowed, that can be come to without guessing.
    let traps = traps(graph, &all, true, watch);
    let sure = certain.came.iter().position(|c| all.numbers.get(&c.node).is_some_and(|n| traps.contains(n)));
    if let Some(number) = sure {
        return told(certain, number, false);
    }
    if let Some(number) = traps.iter().next() {
        return told(&all, *number, true);
    }
    // When guards that may be false always are.
    let traps = self::traps(graph, certain, false, watch);
    traps.iter().next().and_then(|number| told(certain, *number, true))
}

/// The nodes in sets that are never left and in which nothing is good, by Tarjan's algorithm without recursion.
fn traps(graph: &Graph, search: &Search, possible: bool, watch: Watch<'_>) -> SortedSet<usize> {
    let count = search.came.len();
    let next: Vec<Vec<usize>> = search
        .came
        .iter()
        .map(|came| {
            edges_of(graph, came.node.0)
                .iter()
                .filter(|edge| possible || !edge.possible)
                .filter_map(|edge| search.numbers.get(&(edge.to, watch(came.node.1, edge, false)?)).copied())
                .collect()
        })
        .collect();
    let good = |n: &usize| search.came.get(*n).is_some_and(|c| c.node.1 == 1);
    let (mut index, mut low, mut on_stack) = (vec![0_usize; count], vec![0_usize; count], vec![false; count]);
    let (mut stack, mut counter, mut found) = (Vec::new(), 0, SortedSet::new());
    let mut part = vec![usize::MAX; count];
    for root in 0..count {
        if index.get(root).is_none_or(|i| *i != 0) {
            continue;
        }
        let mut work: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, at)) = work.pop() {
            if at == 0 {
                counter += 1;
                set(&mut index, node, counter);
                set(&mut low, node, counter);
                stack.push(node);
                set(&mut on_stack, node, true);
            }
            let child = next.get(node).and_then(|n| n.get(at)).copied();
            let Some(child) = child else {
                if get(&low, node) == get(&index, node) {
                    let mut members = Vec::new();
                    while let Some(member) = stack.pop() {
                        set(&mut on_stack, member, false);
                        set(&mut part, member, node);
                        members.push(member);
                        if member == node {
                            break;
                        }
                    }
                    let leaves = |m: &usize| next.get(*m).is_some_and(|n| n.iter().any(|c| get(&part, *c) != node));
                    if !members.iter().any(good) && !members.iter().any(leaves) {
                        found.extend(members);
                    }
                }
                if let Some((parent, _)) = work.last() {
                    let least = get(&low, *parent).min(get(&low, node));
                    set(&mut low, *parent, least);
                }
                continue;
            };
            work.push((node, at + 1));
            if get(&index, child) == 0 {
                work.push((child, 0));
            } else if on_stack.get(child) == Some(&true) {
                let least = get(&low, node).min(get(&index, child));
                set(&mut low, node, least);
            }
        }
    }
    found
}

fn get(list: &[usize], at: usize) -> usize {
    list.get(at).copied().unwrap_or(usize::MAX)
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

/// The steps from the beginning to a node, and one more.
fn trace(definition: &Definition, graph: &Graph, search: &Search, to: Option<usize>, last: Option<Edge>) -> Vec<String> {
    let mut edges: Vec<Edge> = last.into_iter().collect();
    let mut at = to;
    while let Some(came) = at.and_then(|n| search.came.get(n)) {
        edges.push(came.edge);
        at = came.from;
    }
    edges.reverse();
    let line = |edge: &Edge, first: bool| {
        let passed: Vec<String> = graph
            .runs
            .get(edge.run)
            .into_iter()
            .flatten()
            .filter_map(|(active, _)| Some(names(definition, graph.sets.get(*active)?)))
            .collect();
        let passed = passed.join(" → ");
        let event = event_name(graph.events.get(edge.event).map_or("", String::as_str));
        let label = graph.labels.get(edge.label).filter(|l| !l.is_empty());
        let label = label.map(|l| format!(" [{l}]")).unwrap_or_default();
        let unsure = if edge.possible { " (possible)" } else { "" };
        if first { passed } else { format!("{event}{label} → {passed}{unsure}") }
    };
    edges.iter().enumerate().map(|(i, edge)| line(edge, i == 0)).collect()
}

fn finding(invariant: &Invariant, trace: Vec<String>, possible: bool, after: &str) -> Finding {
    let said = if invariant.message.is_empty() { &invariant.text } else { &invariant.message };
    let way = match trace.len() {
        1 => "at the beginning".to_owned(),
        n => format!("after {} {}", n - 1, if n == 2 { "event" } else { "events" }),
    };
    let after = if after.is_empty() { String::new() } else { format!("; {after}") };
    let can = if possible { "may be broken" } else { "is broken" };
    Finding {
        code: "invariant-broken".to_owned(),
        message: format!("`{said}` {can} {way}: {}{after}", trace.join("; ")),
        path: invariant.pointer.clone(),
        possible,
        severity: if possible { "warning" } else { "error" }.to_owned(),
        trace,
    }
}
