//! Sources: known, asked in the right way, read once, and asked about a time where they need one.

use throughline_expr::MapEnv;
use throughline_value::{InOrder as _, SortedMap, Span};

use super::problems::{Problems, fix};
use super::steps::{against_schema, unknown};
use crate::Op;
use crate::plan::{Action, Argument, Formula, Spanned};
use crate::scope::{Scope, Target};
use crate::text::{Draft, DraftPlan};
use crate::window;

pub(super) fn check(text: &str, plan: &DraftPlan, scope: &Scope, problems: &mut Problems) {
    let mut first: SortedMap<String, &Draft> = SortedMap::new();
    let mut untimed = Vec::new();
    if let Some(formula) = &plan.options.temporal_scope {
        time(formula, problems);
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let from = problems.len();
        if let Some(formula) = &step.options.temporal_scope {
            time(formula, problems);
        }
        if let Some((source, arguments, or)) = step.action.as_ref().and_then(parts) {
            for name in std::iter::once(source).chain(or) {
                let Some(target) = scope.sources.get(&name.value) else {
                    unknown("unknown-source", "source", name, scope.sources.keys(), problems);
                    continue;
                };
                asked(step, name, target, problems);
                let rule = scope.source_rules.get(&name.value);
                if rule.is_some_and(|r| r.temporal)
                    && plan.options.temporal_scope.is_none()
                    && step.options.temporal_scope.is_none()
                {
                    untimed.push((step, name));
                }
            }
            let schema = scope.source_rules.get(&source.value).map(|rule| &rule.schema);
            if let Some(schema) = schema.filter(|s| !s.is_null()) {
                against_schema("source", source, schema, arguments, problems);
            }
            if let Some(key) = key(step, source, scope) {
                match first.get(&key) {
                    Some(first) => repeated(text, plan, index, first, source, scope, problems),
                    None => _ = first.insert(key, step),
                }
            }
        }
        problems.belong_to(from, &step.id.value);
    }
    missing_time(text, plan, &untimed, scope, problems);
}

/// The source of a step, its arguments and the other sources.
type Parts<'a> = (&'a Spanned<String>, &'a [Argument], &'a [Spanned<String>]);

/// What a step asks, when it asks a source.
pub(super) fn parts(action: &Action) -> Option<Parts<'_>> {
    match action {
        Action::Get { source, arguments, or } => Some((source, arguments, or)),
        Action::Search(lookup) | Action::Query(lookup) => Some((&lookup.source, &lookup.arguments, &lookup.or)),
        _ => None,
    }
}

/// What our own rooms and search engines are asked with.
fn asked(step: &Draft, name: &Spanned<String>, target: &Target, problems: &mut Problems) {
    let op = step.action.as_ref().map(Action::op);
    let (what, meant) = match (op, target) {
        (Some(Op::Get), Target::World | Target::Facts | Target::Memory) => ("is asked with QUERY", "QUERY"),
        (Some(Op::Get), Target::Search(_)) => ("is asked with SEARCH", "SEARCH"),
        _ => return,
    };
    let at = Span::new(step.id.span.end, name.span.start);
    let problem = problems.error("wrong-operation", name.span, format!("`{}` {what}, not with GET", name.value));
    // SEARCH needs words, which nobody but the author has.
    if meant == "QUERY" {
        problem.fix = fix("write QUERY", at, format!(" = {meant} "));
    }
}

/// What is read, whatever it is called: two steps with one key read the same.
fn key(step: &Draft, source: &Spanned<String>, scope: &Scope) -> Option<String> {
    let target = scope.sources.get(&source.value)?;
    let canonical = scope.sources.iter().find(|(_, other)| *other == target).map(|(name, _)| name)?;
    let mut action = step.action.clone()?;
    match &mut action {
        Action::Get { source, .. } => source.value.clone_from(canonical),
        Action::Search(lookup) | Action::Query(lookup) => lookup.source.value.clone_from(canonical),
        _ => return None,
    }
    Some(format!("{action}{}", step.options))
}

/// The second step goes, and its uses become uses of the first.
fn repeated(
    text: &str,
    plan: &DraftPlan,
    index: usize,
    first: &Draft,
    source: &Spanned<String>,
    scope: &Scope,
    problems: &mut Problems,
) {
    let Some(step) = plan.steps.get(index) else { return };
    let (old, new) = (&step.id.value, &first.id.value);
    let other = first.action.as_ref().and_then(parts).map_or("", |(source, ..)| source.value.as_str());
    let alias = if other == source.value { String::new() } else { format!("`{}` is `{other}`, and ", source.value) };
    let message = format!("{alias}${new} has read this already; use it instead of reading it twice");
    let problem = problems.warning("repeated-source", source.span, message);
    let needed = scope.wanted.as_ref().is_some_and(|w| w.contains(old)) || old == new;
    if needed {
        return;
    }
    let later = plan.steps.iter().skip(index + 1);
    let mut places: Vec<Span> = later.flat_map(|s| &s.uses).filter(|u| u.name == *old).map(|u| u.span).collect();
    places.order_by_key(|span| span.start);
    places.dedup();
    let Some(last) = places.last() else { return };
    let start = super::names::line_start(text, step.span.start);
    let line_end = text.get(step.span.end..).and_then(|t| t.find('\n')).map_or(text.len(), |n| step.span.end + n + 1);
    let mut replacement = String::new();
    let mut from = line_end;
    for place in &places {
        replacement.push_str(text.get(from..place.start).unwrap_or(""));
        replacement.push('$');
        replacement.push_str(new);
        from = place.end;
    }
    problem.fix = fix(format!("use ${new}"), Span::new(start, last.end), replacement);
}

/// A scope that is written out must be one.
fn time(formula: &Formula, problems: &mut Problems) {
    if !formula.expr.names().is_empty() {
        return;
    }
    let Ok(value) = formula.expr.eval(&MapEnv::new()) else { return };
    let utc = throughline_expr::time::Zone::utc();
    if let Err(message) = window::of(&value, Some(&utc)) {
        problems.error("bad-temporal-scope", formula.span, message);
    }
}

/// One finding for each source that depends on time, when nothing says which time; the repair writes the only
/// period that the plan itself speaks of, or the input that has it.
fn missing_time(
    text: &str,
    plan: &DraftPlan,
    untimed: &[(&Draft, &Spanned<String>)],
    scope: &Scope,
    problems: &mut Problems,
) {
    let meant = input(scope).or_else(|| only_period(text).map(|period| format!("\"{period}\"")));
    for (step, source) in untimed {
        let message = format!(
            "what `{}` says depends on time; say which time is meant: `PLAN WITH temporal_scope: \"2026-Q1\"`",
            source.value
        );
        let problem = problems.error("missing-temporal-scope", source.span, message);
        problem.step = Some(step.id.value.clone());
        let Some(meant) = &meant else { continue };
        problem.fix = match plan.head {
            Some(head) => {
                fix(format!("write {meant}"), Span::new(head.end, head.end), format!(", temporal_scope: {meant}"))
            }
            None => {
                let start = plan.steps.first().map_or(0, |s| super::names::line_start(text, s.span.start));
                let indent: String =
                    text.get(start..).unwrap_or("").chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
                fix(
                    format!("write {meant}"),
                    Span::new(start, start),
                    format!("{indent}PLAN WITH temporal_scope: {meant}\n"),
                )
            }
        };
    }
}

fn input(scope: &Scope) -> Option<String> {
    const NAMES: [&str; 6] = ["temporal_scope", "period", "quarter", "month", "时间", "期间"];
    NAMES.iter().find(|name| scope.inputs.contains(**name)).map(|name| format!("${name}"))
}

/// The only period of the calendar that a text speaks of: `2026-Q1`, `2026-03`, `2026-03-01`, `2026`.
fn only_period(text: &str) -> Option<&str> {
    let utc = throughline_expr::time::Zone::utc();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut found: Option<&str> = None;
    for word in text.split(|c| !is_part(c)) {
        let year = word.get(..4).filter(|y| y.starts_with(['1', '2']) && y.bytes().all(|b| b.is_ascii_digit()));
        if year.is_none() || window::of(&word.into(), Some(&utc)).is_err() {
            continue;
        }
        if found.is_some_and(|before| before != word) {
            return None;
        }
        found = Some(word);
    }
    found
}
