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

/// Where nothing that is waited for can come any more, whatever happens. Where there is no such place, what can
/// happen again and again happens some time, and so what is waited for comes.
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
            Some(config) => {
                format!("from `{}` it does not come any more, whatever happens", names(definition, &config.active))
            }
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

/// The nodes from which nothing good can be come to any more, nearest first.
fn traps(graph: &Graph, search: &Search, possible: bool, watch: Watch<'_>) -> SortedSet<usize> {
    let count = search.came.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, came) in search.came.iter().enumerate() {
        for edge in edges_of(graph, came.node.0).iter().filter(|edge| possible || !edge.possible) {
            let to = watch(came.node.1, edge, false).and_then(|memory| search.numbers.get(&(edge.to, memory)));
            if let Some(before) = to.and_then(|to| before.get_mut(*to)) {
                before.push(number);
            }
        }
    }
    let mut hope = vec![false; count];
    let mut open: Vec<usize> = (0..count).filter(|n| search.came.get(*n).is_some_and(|c| c.node.1 == 1)).collect();
    while let Some(number) = open.pop() {
        if let Some(hope) = hope.get_mut(number).filter(|hope| !**hope) {
            *hope = true;
            open.extend(before.get(number).into_iter().flatten());
        }
    }
    hope.iter().enumerate().filter(|(_, hope)| !**hope).map(|(number, _)| number).collect()
}

/// The steps from the beginning to a node, and one more.
fn trace(
    definition: &Definition,
    graph: &Graph,
    search: &Search,
    to: Option<usize>,
    last: Option<Edge>,
) -> Vec<String> {
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
