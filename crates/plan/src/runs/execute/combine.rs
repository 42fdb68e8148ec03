//! What is made of several values: `VALIDATE`, `MERGE`, `FILTER`, `ARBITRATE`.

use throughline_expr::decimal::{Decimal, from_number};
use throughline_journal::Millis;
use throughline_protocol::view::Evidence;
use throughline_value::{Map, SortedSet, Value};

use super::{Failed, Finished, Place, evaluated, grounded, holds, list_of};
use crate::evidence;
use crate::extract::Failure;
use crate::plan::{Formula, Policy, Spanned};
use crate::runs::environment::{Grounds, RunEnv};
use crate::runs::state::{RuleMeaning, Run};
use crate::runs::{Bound, Documents};

pub(super) fn validate(rule: &Formula, message: Option<&Formula>, env: &RunEnv<'_>) -> Result<Finished, Failed> {
    let (value, grounds) = evaluated(rule, env)?;
    match value.as_bool() {
        Some(true) => Ok(grounded(Value::Bool(true), grounds)),
        Some(false) => {
            let own = || format!("`{}` does not hold", rule.source());
            let message = match message.map(|message| evaluated(message, env)).transpose()? {
                Some((Value::Text(text), _)) => text,
                Some((other, _)) => other.to_json(),
                None => own(),
            };
            Err((Value::Map(grounds.values), Failure::new("validation-failed", message)))
        }
        None => {
            let message = format!("`{}` is a {}; a rule is true or false", rule.source(), value.kind());
            Err((Value::Map(grounds.values), Failure::new("not-boolean", message)))
        }
    }
}

pub(super) fn merge(items: &[Formula], by: Option<&str>, env: &RunEnv<'_>) -> Result<Finished, Failed> {
    let mut grounds = Grounds::default();
    let mut values = Vec::new();
    for item in items {
        let (value, more) = evaluated(item, env)?;
        grounds.add(more);
        values.push(value);
    }
    if values.iter().all(|value| matches!(value, Value::Map(_))) && by.is_none() {
        let mut out = Map::new();
        for map in values.iter().filter_map(Value::as_map) {
            out.extend(map.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        return Ok(grounded(Value::Map(out), grounds));
    }
    let mut out = Vec::new();
    let mut seen: SortedSet<String> = SortedSet::new();
    for (value, formula) in values.into_iter().zip(items) {
        for item in list_of(value, formula, &grounds)? {
            let key = match by {
                Some(field) => item.get(field).map_or_else(|| item.canonical(), Value::canonical),
                None => item.canonical(),
            };
            if seen.insert(key) {
                out.push(item);
            }
        }
    }
    Ok(grounded(Value::List(out), grounds))
}

pub(super) fn filter(list: &Formula, rule: &Formula, env: &RunEnv<'_>) -> Result<Finished, Failed> {
    let (value, mut grounds) = evaluated(list, env)?;
    let items = list_of(value, list, &grounds)?;
    // A list of finds has one place for each; the places of what is left stay.
    let own = grounds.evidence.len() == items.len();
    let places = if own { std::mem::take(&mut grounds.evidence) } else { Vec::new() };
    let mut kept = Vec::new();
    let mut kept_places = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let (holds, more) = holds(rule, &item, index, env)?;
        grounds.add(more);
        if holds {
            kept_places.extend(places.get(index).cloned());
            kept.push(item);
        }
    }
    kept_places.append(&mut grounds.evidence);
    grounds.evidence = kept_places;
    let finds = Some(kept.len() as u64).filter(|n| *n != 1);
    Ok(Finished { finds, ..grounded(Value::List(kept), grounds) })
}

/// One of the values that disagree.
struct Candidate {
    name: String,
    bound: Bound,
    source: String,
    rule: RuleMeaning,
    at: Option<Millis>,
}

pub(super) fn arbitrate(
    place: Place<'_>,
    among: &[Spanned<String>],
    by: &[Spanned<Policy>],
    within: Option<&Formula>,
) -> Result<Finished, Failed> {
    let Place { run, host, env, .. } = place;
    let mut all: Vec<Candidate> = Vec::new();
    for name in among {
        let bound = run.value_at(&name.value, u64::MAX).unwrap_or_default();
        let (source, rule) = rule_of(run, &bound.evidence);
        let at = bound.evidence.iter().filter_map(|e| time_of(e, host)).max();
        all.push(Candidate { name: name.value.clone(), bound, source, rule, at });
    }
    let tolerance = match within.map(|within| evaluated(within, env)).transpose()? {
        Some((Value::Number(number), _)) => from_number(&number).ok(),
        _ => None,
    };
    let agree = |a: &Candidate, b: &Candidate| same(&a.bound.value, &b.bound.value, tolerance);
    let mut left: Vec<&Candidate> = all.iter().collect();
    let settled = |left: &[&Candidate]| left.windows(2).all(|pair| matches!(pair, [a, b] if agree(a, b)));
    let mut used: Vec<&str> = Vec::new();
    for policy in by {
        if settled(&left) {
            break;
        }
        let before = left.len();
        left = match policy.value {
            Policy::Official => keep(&left, |c| c.rule.official),
            Policy::Newest => {
                let newest = left.iter().filter_map(|c| c.at).max();
                keep(&left, |c| newest.is_some() && c.at == newest)
            }
            Policy::Trust => {
                let most = left.iter().filter_map(|c| c.rule.trust.clone()).max();
                keep(&left, |c| most.is_some() && c.rule.trust == most)
            }
            Policy::Majority => {
                let votes: Vec<usize> = left.iter().map(|a| left.iter().filter(|b| agree(a, b)).count()).collect();
                let most = votes.iter().copied().max().unwrap_or(0);
                let winners: Vec<&Candidate> =
                    left.iter().zip(&votes).filter(|(_, votes)| **votes == most).map(|(c, _)| *c).collect();
                if settled(&winners) { winners } else { left }
            }
        };
        if left.len() < before {
            used.push(policy.value.as_str());
        }
    }
    let row = |candidate: &Candidate| {
        let mut row = Map::new();
        row.insert("name".to_owned(), Value::from(candidate.name.as_str()));
        row.insert("value".to_owned(), candidate.bound.value.clone());
        row.insert("source".to_owned(), candidate.source.as_str().into());
        row.insert("official".to_owned(), candidate.rule.official.into());
        row.insert("trust".to_owned(), candidate.rule.trust.clone().map_or(Value::Null, Value::Number));
        let at = candidate.at.map(|at| throughline_expr::time::format_instant(at, throughline_expr::Env::zone(env)));
        row.insert("at".to_owned(), at.map_or(Value::Null, Value::Text));
        Value::Map(row)
    };
    let mut input = Map::new();
    let policies: Vec<&str> = by.iter().map(|policy| policy.value.as_str()).collect();
    input.insert("by".to_owned(), policies.into());
    input.insert("candidates".to_owned(), Value::List(all.iter().map(row).collect()));
    let first = if settled(&left) { left.first() } else { None };
    let Some(chosen) = first else {
        let shown: Vec<String> = left.iter().map(|c| format!("${} = {}", c.name, c.bound.value.to_json())).collect();
        let message =
            format!("{} disagree and no policy settles it; name one that does, or ask a person", shown.join(", "));
        return Err((Value::Map(input), Failure::new("not-settled", message)));
    };
    let disputed = !all.iter().all(|c| agree(c, chosen));
    input.insert("chosen".to_owned(), chosen.name.as_str().into());
    input.insert("disputed".to_owned(), disputed.into());
    let how = if disputed { used.join(", ") } else { "agreement".to_owned() };
    input.insert("settled_by".to_owned(), how.into());
    let others: Vec<Value> = all.iter().filter(|c| !agree(c, chosen)).map(row).collect();
    input.insert("others".to_owned(), Value::List(others));
    let Bound { value, mut evidence, confidence, classes, .. } = chosen.bound.clone();
    // What agrees with it speaks for it too.
    for other in left.iter().filter(|c| agree(c, chosen)) {
        evidence::union(&mut evidence, &other.bound.evidence);
    }
    let classes = classes.into_iter().collect();
    Ok(Finished { input: Value::Map(input), output: value, evidence, confidence, classes, ..Finished::default() })
}

/// Those for which it holds; all of them when it holds for none.
fn keep<'a>(left: &[&'a Candidate], holds: impl Fn(&Candidate) -> bool) -> Vec<&'a Candidate> {
    let kept: Vec<&Candidate> = left.iter().copied().filter(|c| holds(c)).collect();
    if kept.is_empty() { left.to_vec() } else { kept }
}

fn same(a: &Value, b: &Value, within: Option<Decimal>) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (within, from_number(a), from_number(b)) {
            (Some(within), Ok(a), Ok(b)) => a.checked_sub(b).is_some_and(|d| d.abs() <= within),
            _ => a.cmp(b).is_eq(),
        },
        (Value::Text(a), Value::Text(b)) => a.trim() == b.trim(),
        (a, b) => a == b,
    }
}

/// The source that a value comes from, and what is known of it: that of its first document.
fn rule_of(run: &Run, evidence: &[Evidence]) -> (String, RuleMeaning) {
    let Some(first) = evidence.first() else { return (String::new(), RuleMeaning::default()) };
    let name = first.document.as_str();
    // The answer of an address is a document named after its source.
    let base = name.split_once('/').map_or(name, |(base, _)| base);
    let of_document =
        run.meaning.documents.iter().find(|(_, document)| *document == name).map(|(source, _)| source.as_str());
    let source = of_document.unwrap_or(if run.meaning.rules.contains_key(name) { name } else { base });
    (source.to_owned(), run.meaning.rules.get(source).cloned().unwrap_or_default())
}

fn time_of(evidence: &Evidence, host: &dyn Documents) -> Option<Millis> {
    host.time_of(evidence)
}
