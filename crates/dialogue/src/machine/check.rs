//! What can be known of a machine without running it.

use throughline_protocol::domain::FactType;
use throughline_protocol::nearest;
use throughline_protocol::view::Finding;
use throughline_value::{Named, SortedMap, SortedSet};

use super::definition::{Candidate, Definition, ROOT, State};
use super::explore::{Explorer, Graph, MAX_CHECK_STATES, name_of};
use super::paths::broken;

/// What a check found, and how much it looked at.
pub(crate) struct Checked {
    pub(crate) findings: Vec<Finding>,
    pub(crate) states: usize,
    pub(crate) steps: usize,
    /// Whether every guard could be answered for certain, and nothing was left out.
    pub(crate) exact: bool,
}

/// A finding that does not stop anything.
fn warning(code: &str, message: String, path: String, possible: bool) -> Finding {
    Finding { code: code.to_owned(), message, path, possible, severity: "warning".to_owned(), trace: Vec::new() }
}

/// How an event is called in words.
pub(crate) fn event_name(event: &str) -> &str {
    if event.is_empty() { "always" } else { event }
}

/// Everything that the definition makes suspicious, in the order of its states, then what its invariants say.
/// `pointer` is where the definition stands.
pub(crate) fn check(definition: &Definition, facts: &Named<FactType>, pointer: &str) -> Checked {
    let explorer = Explorer::new(definition, facts);
    let exact = explorer.is_exact();
    let (graph, mut explorer) = explorer.run();
    let mut found = Vec::new();
    let reached = match graph.limited {
        true => reachable(definition),
        false => graph.sets.items.iter().flatten().copied().collect(),
    };
    for (id, state) in definition.states.iter().enumerate() {
        let is_reached = id == ROOT || state.history.is_some() || reached.contains(&id);
        if !is_reached {
            let message = format!("no way leads to `{}`", state.path);
            found.push(warning("unreachable-state", message, place(state, pointer), false));
            continue;
        }
        if id != ROOT {
            dead_end(definition, id, state, pointer, &mut found);
        }
        for (event, ways) in &state.on {
            ambiguous(&graph, &mut explorer, event, ways, &mut found);
        }
    }
    for (at, event) in &graph.rivals {
        let message = format!(
            "in `{}`, `{}` is taken by ways that leave each other's states; the inner or first one goes",
            graph.configs.get(*at as usize).map(|c| names(definition, &c.active)).unwrap_or_default(),
            graph.events.get(*event).map_or("", |e| event_name(e)),
        );
        found.push(warning("conflicting-transitions", message, pointer.to_owned(), false));
    }
    for (at, event, possible) in &graph.endless {
        let message = format!(
            "in `{}`, `{}` does not come to rest: transitions without an event go on and on",
            graph.configs.get(*at as usize).map(|c| names(definition, &c.active)).unwrap_or_default(),
            graph.events.get(*event).map_or("", |e| event_name(e)),
        );
        let severity = if *possible { "warning" } else { "error" }.to_owned();
        found.push(Finding { severity, ..warning("endless-always", message, pointer.to_owned(), *possible) });
    }
    if graph.limited {
        let message = format!(
            "the machine has more than {MAX_CHECK_STATES} places or more steps than are looked at; what was not looked at may break an invariant"
        );
        found.push(warning("check-limited", message, pointer.to_owned(), true));
    }
    for invariant in &definition.invariants {
        found.extend(broken(definition, &graph, invariant));
    }
    found.extend(unknown_facts(definition, facts));
    Checked { findings: found, states: graph.configs.len(), steps: graph.edges.len(), exact: exact && !graph.limited }
}

/// Active states in words.
pub(crate) fn names(definition: &Definition, active: &SortedSet<usize>) -> String {
    let names = definition.paths(&definition.innermost(active));
    if names.is_empty() { "the machine".to_owned() } else { names.join(", ") }
}

/// Where a state stands in the document.
fn place(state: &State, pointer: &str) -> String {
    let names = state.path.split('.').map(|name| name.replace('~', "~0").replace('/', "~1"));
    names.fold(pointer.to_owned(), |at, name| format!("{at}/states/{name}"))
}

fn dead_end(definition: &Definition, id: usize, state: &State, pointer: &str, found: &mut Vec<Finding>) {
    // In a region the others may go on.
    let goes_on = definition.outwards(id).filter_map(|s| definition.state(s)).any(|s| !s.on.is_empty() || s.parallel);
    if state.children.is_empty() && !state.is_final && state.history.is_none() && !goes_on {
        let message = format!("`{}` is not final, and nothing leads out of it", state.path);
        found.push(warning("dead-end", message, place(state, pointer), false));
    }
}

/// Ways of one event in one state that are never taken, or of which two are possible at once.
fn ambiguous<'d>(
    graph: &Graph,
    explorer: &mut Explorer<'d>,
    event: &str,
    ways: &'d [Candidate],
    found: &mut Vec<Finding>,
) {
    let name = event_name(event);
    let open = ways.iter().position(|way| way.guard.is_none()).unwrap_or(ways.len());
    for (i, way) in ways.iter().enumerate() {
        if i > open {
            let message = format!("an earlier transition of `{name}` without a guard is always taken instead");
            found.push(warning("shadowed-transition", message, way.pointer.clone(), false));
        } else if explorer.can_hold(way) == Some(false) {
            let message = format!("the guard of this transition of `{name}` holds for no values of the facts");
            found.push(warning("dead-transition", message, way.pointer.clone(), false));
        } else if !graph.limited && !graph.taken.contains(&name_of(way)) {
            let message = format!("this transition of `{name}` is never taken: others are taken before it");
            found.push(warning("dead-transition", message, way.pointer.clone(), false));
        } else {
            let rivals = ways.get(i + 1..open).unwrap_or_default();
            for rival in rivals.iter().filter(|r| r.target != way.target || r.actions != way.actions) {
                let both = explorer.overlap(way, rival);
                if both != Some(false) {
                    let can = if both.is_some() { "hold" } else { "may hold" };
                    let message = format!(
                        "two transitions of `{name}` {can} at once; this one stands first and goes. Make their guards exclude each other"
                    );
                    found.push(warning("ambiguous-transition", message, way.pointer.clone(), both.is_none()));
                    break;
                }
            }
        }
    }
}

/// Guards that ask for facts which the domain does not have: they can never be evaluated.
fn unknown_facts(definition: &Definition, facts: &Named<FactType>) -> Vec<Finding> {
    if facts.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = facts.keys().map(String::as_str).collect();
    let ways = definition.states.iter().flat_map(|state| state.on.values()).flatten();
    let mut found = Vec::new();
    for (way, guard) in ways.filter_map(|way| Some((way, way.guard.as_ref()?))) {
        for path in guard.names() {
            let [root, key, ..] = path.segments.as_slice() else { continue };
            if root != "facts" || facts.contains_key(key) {
                continue;
            }
            let hint = nearest(key, &names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            let message = format!("the domain has no fact `{key}`{hint}");
            found.push(warning("unknown-fact", message, format!("{}/guard", way.pointer), false));
        }
    }
    found
}

/// The states that some way leads to, whatever the guards.
fn reachable(definition: &Definition) -> SortedSet<usize> {
    let mut reached = SortedSet::new();
    let mut open: Vec<usize> = vec![ROOT];
    open.extend(definition.entered(&[ROOT], ROOT));
    while let Some(id) = open.pop() {
        if !reached.insert(id) {
            continue;
        }
        let Some(state) = definition.state(id) else { continue };
        open.extend(state.parent);
        for target in state.on.values().flatten().filter_map(|way| way.target) {
            let meant = definition.meant_by(target, &SortedMap::new());
            open.push(target);
            open.extend(definition.entered(&meant, ROOT));
        }
    }
    reached
}
