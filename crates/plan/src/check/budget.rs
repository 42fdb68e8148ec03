//! More steps than the plan may have, and which of them can go.

use throughline_value::{SortedSet, Span};

use super::names::line_start;
use super::problems::{Problems, fix};
use super::types::has_effect;
use crate::graph::Graph;
use crate::scope::Scope;
use crate::text::DraftPlan;

pub(super) fn check(text: &str, plan: &DraftPlan, graph: &Graph, scope: &Scope, problems: &mut Problems) {
    let budget = match (plan.options.max_steps, scope.max_steps) {
        (Some(a), Some(b)) => a.min(b),
        (Some(n), None) | (None, Some(n)) => n,
        (None, None) => return,
    };
    let budget = budget as usize;
    if plan.steps.len() <= budget {
        return;
    }
    let gone = pruned(plan, graph, scope, plan.steps.len() - budget);
    let span = plan.steps.get(budget).map_or_else(Span::default, |s| s.span);
    let mut message = format!("the plan has {} steps and may have {budget}", plan.steps.len());
    if let Some(gone) = &gone {
        let names: Vec<_> = gone.iter().map(|name| format!("${name}")).collect();
        message.push_str(&format!("; without {} it fits", names.join(", ")));
    } else {
        message.push_str("; join steps, or leave out what the answer can do without");
    }
    let repair = gone.and_then(|gone| without(text, plan, &gone));
    problems.error("step-budget", span, message).fix = repair.and_then(|(span, new)| fix("leave them out", span, new));
}

/// The steps that can go: from the end, those that no step left uses. The last step is what the plan is for
/// when nobody says what the answer uses; steps that are done for their effect stay.
fn pruned<'a>(plan: &'a DraftPlan, graph: &Graph, scope: &Scope, count: usize) -> Option<Vec<&'a str>> {
    let mut gone: SortedSet<&str> = SortedSet::new();
    let last = plan.steps.last().map_or("", |s| s.id.value.as_str());
    let wanted = |name: &str| scope.wanted.as_ref().map_or(name == last, |w| w.contains(name));
    let mut uses: throughline_value::SortedMap<&str, usize> = throughline_value::SortedMap::new();
    for edges in graph.values() {
        for name in edges.all() {
            *uses.entry(name).or_default() += 1;
        }
    }
    // In a valid plan every user stands later, so one pass from the end sees each step after its users.
    for step in plan.steps.iter().rev() {
        let name = step.id.value.as_str();
        if gone.len() == count {
            break;
        }
        if wanted(name) || has_effect(step) || uses.get(name).is_some_and(|n| *n > 0) {
            continue;
        }
        gone.insert(name);
        for used in graph.get(name).into_iter().flat_map(crate::graph::Edges::all) {
            if let Some(count) = uses.get_mut(used) {
                *count -= 1;
            }
        }
    }
    (gone.len() == count)
        .then(|| plan.steps.iter().map(|s| s.id.value.as_str()).filter(|name| gone.contains(name)).collect())
}

/// The lines from the first to the last of the steps, without them.
fn without(text: &str, plan: &DraftPlan, gone: &[&str]) -> Option<(Span, String)> {
    let lines: Vec<Span> = plan
        .steps
        .iter()
        .filter(|s| gone.contains(&s.id.value.as_str()))
        .map(|s| {
            let end = text.get(s.span.end..).and_then(|t| t.find('\n')).map_or(text.len(), |n| s.span.end + n + 1);
            Span::new(line_start(text, s.span.start), end)
        })
        .collect();
    let (first, last) = (lines.first()?, lines.last()?);
    let mut kept = String::new();
    let mut from = first.start;
    for line in &lines {
        kept.push_str(text.get(from..line.start)?);
        from = line.end;
    }
    Some((Span::new(first.start, last.end), kept))
}
