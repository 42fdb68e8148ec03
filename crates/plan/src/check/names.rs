//! Bindings: declared, used, repeated, in a circle, of no use.

use throughline_value::{SortedMap, SortedSet, Span};

use super::problems::{Problems, fix};
use super::types::has_effect;
use crate::Op;
use crate::graph::{self, Edges, Graph};
use crate::limits::MAX_DIAGNOSTICS;
use crate::nearest::nearest;
use crate::plan::Action;
use crate::scope::Scope;
use crate::text::{Draft, DraftPlan, Place, Use};

/// What may stand as a bare name in every expression: the time of the run, and what the plan is about.
const OUTER: [&str; 2] = ["now", "temporal_scope"];

/// Resolves every use of a name and says which steps need which.
pub(super) fn resolve(text: &str, plan: &DraftPlan, scope: &Scope, problems: &mut Problems) -> Graph {
    let declared = declare(plan, scope, problems);
    let mut graph = Graph::new();
    // Uses of steps that come later; whether they are a cycle is known only when all are known.
    let mut forward: Vec<(usize, &Use)> = Vec::new();
    let mut all_used: SortedSet<&str> = SortedSet::new();
    // Sources that a repair gets first; one repair each is enough.
    let mut offered: SortedSet<&str> = SortedSet::new();
    for (index, step) in plan.steps.iter().enumerate() {
        let mut used = Vec::new();
        for r#use in &step.uses {
            match declared.get(r#use.name.as_str()) {
                // A bare name is a binding only where the environment has none of that name.
                Some(_) if !r#use.dollar && is_outer(&r#use.name, scope) => {}
                Some(at) => {
                    if *at >= index {
                        forward.push((index, r#use));
                    }
                    used.push(r#use);
                }
                None if scope.inputs.contains(&r#use.name) && (r#use.dollar || !is_outer(&r#use.name, scope)) => {}
                None if !r#use.dollar && is_outer(&r#use.name, scope) => {}
                None => undeclared(text, plan, index, r#use, scope, &mut offered, problems),
            }
        }
        // A second step of one name is no step of the graph; what it uses is used all the same.
        all_used.extend(used.iter().map(|u| u.name.as_str()));
        if declared.get(step.id.value.as_str()) == Some(&index) {
            graph.insert(step.id.value.clone(), edges(&used));
        }
    }
    for r#use in &plan.uses {
        let known = scope.inputs.contains(&r#use.name) || !r#use.dollar && is_outer(&r#use.name, scope);
        if known {
            continue;
        }
        let inputs: Vec<_> = scope.inputs.iter().map(|name| format!("${name}")).collect();
        let list =
            if inputs.is_empty() { "there are none".to_owned() } else { format!("there are {}", inputs.join(", ")) };
        let message = format!("`PLAN WITH` comes before every step and knows only `now` and the run's inputs; {list}");
        let near = nearest(&r#use.name, scope.inputs.iter().map(String::as_str));
        problems.error("undeclared-binding", r#use.span, message).fix =
            near.and_then(|near| fix(format!("write ${near}"), r#use.span, format!("${near}")));
    }
    let cycles = graph::cycles(&graph);
    circles(plan, &cycles, &forward, problems);
    forwards(text, plan, &declared, &cycles, &forward, problems);
    unused(text, plan, &all_used, scope, problems);
    graph
}

fn is_outer(name: &str, scope: &Scope) -> bool {
    OUTER.contains(&name) || scope.names.contains(name)
}

/// The first step of every name.
fn declare<'a>(plan: &'a DraftPlan, scope: &Scope, problems: &mut Problems) -> SortedMap<&'a str, usize> {
    let mut declared: SortedMap<&str, usize> = SortedMap::new();
    let all: SortedSet<&str> = plan.steps.iter().map(|s| s.id.value.as_str()).collect();
    let mut taken: SortedSet<String> = SortedSet::new();
    for (index, step) in plan.steps.iter().enumerate() {
        let name = step.id.value.as_str();
        let message = if declared.contains_key(name) {
            format!("${name} is given a value twice; a binding has one step")
        } else if scope.inputs.contains(name) {
            format!("${name} is an input of the run; give the step another name")
        } else {
            declared.insert(name, index);
            continue;
        };
        let free = (2..)
            .map(|n| format!("{name}{n}"))
            .find(|n| !all.contains(n.as_str()) && !scope.inputs.contains(n) && !taken.contains(n));
        let problem = problems.error("repeated-binding", step.id.span, message);
        problem.step = Some(name.to_owned());
        if let Some(free) = free {
            problem.fix = fix(format!("call it ${free}"), step.id.span, format!("${free}"));
            taken.insert(free);
        }
        declared.entry(name).or_insert(index);
    }
    declared
}

fn undeclared<'a>(
    text: &str,
    plan: &DraftPlan,
    index: usize,
    r#use: &'a Use,
    scope: &Scope,
    offered: &mut SortedSet<&'a str>,
    problems: &mut Problems,
) {
    if problems.len() > MAX_DIAGNOSTICS {
        // It is only counted: looking for near names takes time.
        problems.error("undeclared-binding", r#use.span, "no step and no input gives this name a value");
        return;
    }
    let before = plan.steps.iter().take(index).map(|s| s.id.value.as_str());
    let known: Vec<&str> = before.chain(scope.inputs.iter().map(String::as_str)).collect();
    let near = nearest(&r#use.name, known.iter().copied());
    let outer =
        if r#use.dollar { None } else { nearest(&r#use.name, scope.names.iter().map(String::as_str).chain(OUTER)) };
    let sigil = if r#use.dollar { "$" } else { "" };
    let name = &r#use.name;
    let (hint, repair) = if scope.sources.contains_key(name) {
        let at = plan.steps.get(index).map_or(0, |s| line_start(text, s.span.start));
        let indent: String = text.get(at..).unwrap_or("").chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let line = format!("{indent}${name} = GET {}\n", crate::print::name(name));
        let repair = if offered.insert(name) { fix("get it first", Span::new(at, at), line) } else { None };
        ("; there is a source of this name: get it first".to_owned(), repair)
    } else if let Some(near) = near {
        (format!("; ${near} is near"), fix(format!("write ${near}"), r#use.span, format!("${near}")))
    } else if let Some(outer) = outer {
        (format!("; `{outer}` is near"), fix(format!("write {outer}"), r#use.span, outer))
    } else if known.is_empty() {
        ("; there is none before this step".to_owned(), None)
    } else {
        let known: Vec<_> = known.iter().take(12).map(|k| format!("${k}")).collect();
        (format!("; before this step there are {}", known.join(", ")), None)
    };
    let problem = problems.error(
        "undeclared-binding",
        r#use.span,
        format!("no step and no input gives {sigil}{name} a value{hint}"),
    );
    problem.step = plan.steps.get(index).map(|s| s.id.value.clone());
    problem.fix = repair;
}

/// The uses of a step by the places they stand in; each name once, in the strongest place.
fn edges(used: &[&Use]) -> Edges {
    let mut out = Edges::default();
    let places = |name: &str| used.iter().filter(|u| u.name == name).map(|u| u.place).collect::<Vec<_>>();
    for r#use in used {
        if out.all().any(|n| n == r#use.name) {
            continue;
        }
        let places = places(&r#use.name);
        let name = r#use.name.clone();
        if places.iter().all(|p| *p == Place::Then) {
            let [then, _] = &mut out.branches;
            then.push(name);
        } else if places.iter().all(|p| *p == Place::Else) {
            let [_, otherwise] = &mut out.branches;
            otherwise.push(name);
        } else if places.iter().all(|p| *p == Place::Rescue) {
            out.rescue.push(name);
        } else {
            out.needs.push(name);
        }
    }
    out
}

fn circles(plan: &DraftPlan, cycles: &[Vec<String>], forward: &[(usize, &Use)], problems: &mut Problems) {
    for cycle in cycles {
        // The place is the first use that goes forward within the circle; there always is one.
        let place = forward.iter().find(|(index, r#use)| {
            let user = plan.steps.get(*index).map_or("", |s| s.id.value.as_str());
            cycle.windows(2).any(|pair| matches!(pair, [a, b] if a == user && *b == r#use.name))
        });
        let path: Vec<_> = cycle.iter().map(|name| format!("${name}")).collect();
        let span = place.map_or_else(Span::default, |(_, r#use)| r#use.span);
        let message = if cycle.len() == 2 {
            format!("{} uses itself: {}", path.first().map_or("", String::as_str), path.join(" → "))
        } else {
            format!("these steps wait for each other: {}", path.join(" → "))
        };
        problems.error("cyclic-plan", span, message).step =
            place.and_then(|(index, _)| plan.steps.get(*index)).map(|s| s.id.value.clone());
    }
}

fn forwards(
    text: &str,
    plan: &DraftPlan,
    declared: &SortedMap<&str, usize>,
    cycles: &[Vec<String>],
    forward: &[(usize, &Use)],
    problems: &mut Problems,
) {
    for (index, r#use) in forward {
        let (Some(user), Some(giver)) =
            (plan.steps.get(*index), declared.get(r#use.name.as_str()).and_then(|at| plan.steps.get(*at)))
        else {
            continue;
        };
        let circular = |cycle: &Vec<String>| cycle.contains(&user.id.value) && cycle.contains(&giver.id.value);
        if cycles.iter().any(circular) {
            continue;
        }
        let name = &r#use.name;
        // A repair of what is only counted would be text for nobody.
        let listed = problems.len() <= MAX_DIAGNOSTICS;
        let problem = problems.error(
            "forward-binding",
            r#use.span,
            format!("${name} gets its value only in a later step; move that step before this one"),
        );
        problem.step = Some(user.id.value.clone());
        if listed {
            problem.fix = moved(text, user, giver).and_then(|(span, new)| fix(format!("move ${name} up"), span, new));
        }
    }
}

/// The text from `user` to `giver`, with `giver` first.
fn moved(text: &str, user: &Draft, giver: &Draft) -> Option<(Span, String)> {
    let from = line_start(text, user.span.start);
    let start = line_start(text, giver.span.start);
    let end = giver.span.end + text.get(giver.span.end..)?.find('\n').unwrap_or(text.len() - giver.span.end);
    let between = text.get(from..start)?;
    let line = text.get(start..end)?;
    // The last line may have no line break of its own.
    let new = format!("{line}\n{}", between.strip_suffix('\n').unwrap_or(between));
    Some((Span::new(from, end), new))
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1)
}

fn unused(text: &str, plan: &DraftPlan, used: &SortedSet<&str>, scope: &Scope, problems: &mut Problems) {
    for step in &plan.steps {
        let name = step.id.value.as_str();
        let wanted = scope.wanted.as_ref().is_some_and(|w| w.contains(name));
        if used.contains(name) || wanted {
            continue;
        }
        // Without knowing what the answer uses, only a document that nobody reads is certainly of no use.
        let op = step.action.as_ref().map(Action::op);
        let useless = match op {
            Some(Op::Get) => true,
            _ if has_effect(step) => false,
            _ => scope.wanted.is_some(),
        };
        if useless {
            let end =
                text.get(step.span.end..).and_then(|t| t.find('\n')).map_or(text.len(), |n| step.span.end + n + 1);
            let line = Span::new(line_start(text, step.span.start), end);
            let problem =
                problems.warning("unused-step", step.span, format!("nothing uses ${name}; remove the step or use it"));
            problem.step = Some(name.to_owned());
            problem.fix = if plan.steps.len() > 1 { fix("remove the step", line, "") } else { None };
        }
    }
}
