//! What can be known of a machine without running it.

use throughline_protocol::domain::FactType;
use throughline_protocol::nearest;
use throughline_protocol::view::Finding;
use throughline_value::{Named, SortedMap, SortedSet};

use super::definition::{Definition, ROOT};

/// What the definition makes suspicious, in the order of its states. Guards may be true or false here, so a
/// state that is unreachable is so for certain.
pub(crate) fn findings(definition: &Definition, pointer: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let reachable = reachable(definition);
    for (id, state) in definition.states.iter().enumerate().skip(1) {
        let place = || {
            let names = state.path.split('.').map(|name| name.replace('~', "~0").replace('/', "~1"));
            names.fold(pointer.to_owned(), |at, name| format!("{at}/states/{name}"))
        };
        let mut add = |code: &str, message: String, path: String| {
            found.push(Finding { code: code.to_owned(), message, path, possible: false });
        };
        if !reachable.contains(&id) {
            add("unreachable-state", format!("no transition leads to `{}`", state.path), place());
            continue;
        }
        // In a region the others may go on.
        let goes_on =
            definition.outwards(id).filter_map(|s| definition.state(s)).any(|s| !s.on.is_empty() || s.parallel);
        if state.children.is_empty() && !state.is_final && state.history.is_none() && !goes_on {
            let message = format!("`{}` is not final, and nothing leads out of it", state.path);
            add("dead-end", message, place());
        }
        for (event, ways) in &state.on {
            let open = ways.iter().position(|way| way.guard.is_none());
            for shadowed in ways.iter().skip(open.map_or(ways.len(), |i| i + 1)) {
                let message = format!("an earlier transition of `{event}` without a guard is always taken instead");
                add("shadowed-transition", message, shadowed.pointer.clone());
            }
        }
    }
    found
}

/// Guards that ask for facts which the domain does not have: they can never be evaluated.
pub(crate) fn unknown_facts(definition: &Definition, facts: &Named<FactType>) -> Vec<Finding> {
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
            found.push(Finding {
                code: "unknown-fact".to_owned(),
                message: format!("the domain has no fact `{key}`{hint}"),
                path: format!("{}/guard", way.pointer),
                possible: false,
            });
        }
    }
    found
}

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
            let meant = definition.meant(target, &SortedMap::new());
            open.push(target);
            open.extend(definition.entered(&meant, ROOT));
        }
    }
    reached
}
