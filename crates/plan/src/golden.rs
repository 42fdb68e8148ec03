//! How near a plan comes to a golden one: both as graphs, in which names and the order of steps that need
//! nothing of each other do not count.
//!
//! Steps are paired: first those that do the same with the same values from the same steps, then those that do
//! the same with other names around, at last those of one operation that share most of their words. The score
//! is half what the paired steps have in common and half how many of the arrows between steps agree.

use throughline_protocol::view::{PlanMatch, PlanScore};
use throughline_value::{InOrder as _, Named, Number, SortedMap, SortedSet, Value};

use crate::plan::{Action, Plan, Step};
use crate::scope::{Scope, bare};
use crate::text::{Cursor, quote_plain};

/// The most steps that are paired by likeness alone; what is over it counts as missing.
const MAX_LIKENED: usize = 256;

/// The least likeness of a pair that is not the same, in thousandths.
const LEAST_LIKE: u64 = 200;

/// Scores `plan` against `golden`.
///
/// # Errors
/// A sentence, when the golden plan is not valid itself.
pub fn score(plan: &Value, golden: &Value, scope: &Scope) -> Result<PlanScore, String> {
    // Inputs that only one of them knows are no fault of the comparison.
    let (wanted, report) = crate::check(golden, scope);
    let Some(wanted) = wanted else {
        let first = report.diagnostics.iter().find(|d| d.severity == "error").map_or("", |d| d.message.as_str());
        return Err(format!("the golden plan is not valid: {first}"));
    };
    let (given, report) = crate::check(plan, scope);
    let Some(given) = given else {
        let errors: Vec<_> = report.diagnostics.iter().filter(|d| d.severity == "error").collect();
        let first = errors.first().map_or("", |d| d.message.as_str());
        return Ok(PlanScore {
            score: exact(0),
            steps: exact(0),
            edges: exact(0),
            missing: wanted.steps.iter().map(said).collect(),
            explanation: format!("the plan has {} errors and is no plan; the first: {first}", errors.len()),
            ..PlanScore::default()
        });
    };
    Ok(compare(&Shape::of(&given, scope), &Shape::of(&wanted, scope)))
}

/// A plan as a graph.
struct Shape<'a> {
    steps: Vec<Node<'a>>,
    /// From the step that gives to the step that uses.
    edges: Vec<(usize, usize)>,
}

struct Node<'a> {
    step: &'a Step,
    /// What it does, with `$_` for every step's name.
    own: String,
    /// What it does, with what the steps before it do in the place of their names.
    full: String,
    words: Vec<String>,
}

impl<'a> Shape<'a> {
    fn of(plan: &'a Plan, scope: &Scope) -> Self {
        let places: Named<usize> = plan.steps.iter().enumerate().map(|(i, s)| (s.id.value.clone(), i)).collect();
        let mut steps: Vec<Node<'a>> = Vec::new();
        let mut edges = Vec::new();
        for (index, step) in plan.steps.iter().enumerate() {
            let text = normal(step, scope);
            let own = renamed(&text, &|name| places.contains_key(name).then(|| "_".to_owned()));
            // A short name for what a step does keeps chains from growing without end.
            let full = renamed(&text, &|name| places.get(name).and_then(|at| steps.get(*at)).map(|s| digest(&s.full)));
            for name in step.needs.iter().chain(step.branches.iter().flatten()).chain(&step.rescue) {
                edges.extend(places.get(name).map(|from| (*from, index)));
            }
            let words = own
                .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | '"' | '.' | ':'))
                .filter(|w| !w.is_empty())
                // Its operation, which is compared by itself.
                .skip(1)
                .map(str::to_owned)
                .collect();
            steps.push(Node { step, own, full, words });
        }
        Self { steps, edges }
    }
}

/// What a step does in one spelling: expressions in their normal form, a source by the first name of its kind.
fn normal(step: &Step, scope: &Scope) -> String {
    let mut action = step.action.clone();
    if let Action::Get { source, .. } = &mut action {
        canonical(&mut source.value, scope);
    }
    if let Action::Search(lookup) | Action::Query(lookup) = &mut action {
        canonical(&mut lookup.source.value, scope);
    }
    if let Action::Call { arguments, .. } = &mut action {
        arguments.order_by(|a, b| a.name.value.cmp(&b.name.value));
    }
    format!("{}{}", action.normal(), step.options)
}

fn canonical(source: &mut String, scope: &Scope) {
    let target = scope.sources.get(source);
    if let Some((name, _)) = scope.sources.iter().find(|(_, other)| Some(*other) == target) {
        source.clone_from(name);
    }
}

fn digest(text: &str) -> String {
    throughline_journal::Digest::of_bytes(text.as_bytes()).get(..16).unwrap_or("").to_owned()
}

/// The text with other names for the bindings outside of quotes, and in the places for values inside of them.
fn renamed(text: &str, new: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut cursor = Cursor::new(text, throughline_value::Span::new(0, text.len()));
    let mut field = false;
    while let Some(c) = cursor.peek() {
        let start = cursor.at;
        if let Some(quoted) = cursor.quoted() {
            let inside = cursor.slice(quoted.span);
            let pieces: Vec<&str> = inside.split("{$").collect();
            out.push_str(pieces.first().copied().unwrap_or(""));
            for piece in pieces.iter().skip(1) {
                let (name, rest) = piece.split_once('}').unwrap_or((piece, ""));
                out.push_str(&format!("{{${}}}{rest}", new(name).unwrap_or_else(|| name.to_owned())));
            }
        } else if let Some(span) = cursor.reference() {
            let written = cursor.slice(span);
            // `late: $late` has the name of an argument before its value.
            let plain = written.starts_with('$') || !field && !cursor.rest().starts_with([':', '(']);
            match new(bare(written)).filter(|_| plain) {
                Some(name) => out.push_str(&format!("${name}")),
                None => out.push_str(written),
            }
        } else {
            out.push(c);
            cursor.at = start + c.len_utf8();
        }
        field = c == '.';
    }
    out
}

fn compare(given: &Shape<'_>, golden: &Shape<'_>) -> PlanScore {
    let pairs = pairs(given, golden);
    let like: u64 = pairs.iter().map(|pair| pair.like).sum();
    let (n, m) = (given.steps.len() as u64, golden.steps.len() as u64);
    let steps = thousandths(2 * like, n + m);
    let to_golden: SortedMap<usize, usize> = pairs.iter().map(|p| (p.given, p.golden)).collect();
    let wanted: SortedSet<(usize, usize)> = golden.edges.iter().copied().collect();
    let mut agreed = SortedSet::new();
    let mut extra_edges = Vec::new();
    for (from, to) in &given.edges {
        let mapped = to_golden.get(from).zip(to_golden.get(to)).map(|(a, b)| (*a, *b));
        match mapped.filter(|edge| wanted.contains(edge)) {
            Some(edge) => _ = agreed.insert(edge),
            None => extra_edges.push(arrow(given, (*from, *to))),
        }
    }
    let missing_edges = wanted.iter().filter(|e| !agreed.contains(*e)).map(|e| arrow(golden, *e)).collect::<Vec<_>>();
    let all_edges = given.edges.len() as u64 + golden.edges.len() as u64;
    // Plans without arrows agree in all of them.
    let edges = if all_edges == 0 { 1000 } else { thousandths(2000 * agreed.len() as u64, all_edges) };
    let unpaired = |shape: &Shape<'_>, taken: &dyn Fn(usize) -> bool| {
        shape.steps.iter().enumerate().filter(|(i, _)| !taken(*i)).map(|(_, n)| said(n.step)).collect::<Vec<_>>()
    };
    let missing = unpaired(golden, &|i| pairs.iter().any(|p| p.golden == i));
    let extra = unpaired(given, &|i| pairs.iter().any(|p| p.given == i));
    let same = pairs.iter().filter(|p| p.like == 1000).count();
    let score = (steps + edges) / 2;
    let explanation = format!(
        "{same} of {m} steps are the same, {} do something alike, {} are missing, {} are too many; {} of {} arrows agree",
        pairs.len() - same,
        missing.len(),
        extra.len(),
        agreed.len(),
        wanted.len()
    );
    let matched = pairs
        .iter()
        .filter_map(|pair| {
            let (ours, theirs) = (given.steps.get(pair.given)?, golden.steps.get(pair.golden)?);
            Some(PlanMatch {
                plan: ours.step.id.value.clone(),
                golden: theirs.step.id.value.clone(),
                score: exact(pair.like),
                why: if pair.like == 1000 {
                    String::new()
                } else {
                    format!("`{}` where `{}` is expected", ours.own, theirs.own)
                },
            })
        })
        .collect();
    PlanScore {
        score: exact(score),
        steps: exact(steps),
        edges: exact(edges),
        matched,
        missing,
        extra,
        missing_edges,
        extra_edges,
        explanation,
    }
}

struct Pair {
    given: usize,
    golden: usize,
    /// In thousandths.
    like: u64,
}

fn pairs(given: &Shape<'_>, golden: &Shape<'_>) -> Vec<Pair> {
    let mut taken = (vec![false; given.steps.len()], vec![false; golden.steps.len()]);
    let mut pairs = Vec::new();
    let mut pair = |a: usize, b: usize, like: u64, taken: &mut (Vec<bool>, Vec<bool>)| {
        if let (Some(x), Some(y)) = (taken.0.get_mut(a), taken.1.get_mut(b))
            && !*x
            && !*y
        {
            (*x, *y) = (true, true);
            pairs.push(Pair { given: a, golden: b, like });
        }
    };
    // The same by all that leads to it, then the same by itself: the first of each that is free.
    for whole in [true, false] {
        let key = |node: &Node<'_>| if whole { node.full.clone() } else { node.own.clone() };
        let mut free: SortedMap<String, Vec<usize>> = SortedMap::new();
        for (i, node) in golden.steps.iter().enumerate().rev() {
            if taken.1.get(i) == Some(&false) {
                free.entry(key(node)).or_default().push(i);
            }
        }
        for (i, node) in given.steps.iter().enumerate() {
            if taken.0.get(i) == Some(&false)
                && let Some(at) = free.get_mut(&key(node)).and_then(Vec::pop)
            {
                pair(i, at, 1000, &mut taken);
            }
        }
    }
    let rest = |taken: &[bool]| {
        taken.iter().enumerate().filter(|(_, t)| !**t).map(|(i, _)| i).take(MAX_LIKENED).collect::<Vec<_>>()
    };
    let mut alike: Vec<(u64, usize, usize)> = Vec::new();
    for i in rest(&taken.0) {
        for j in rest(&taken.1) {
            if let (Some(a), Some(b)) = (given.steps.get(i), golden.steps.get(j)) {
                let like = likeness(a, b);
                if like >= LEAST_LIKE {
                    alike.push((like, i, j));
                }
            }
        }
    }
    alike.order_by_key(|(like, i, j)| (1000 - *like, *i, *j));
    for (like, i, j) in alike {
        pair(i, j, like, &mut taken);
    }
    pairs.order_by_key(|p| p.golden);
    pairs
}

/// How many words two steps of one operation share; three quarters of a thousand at most, since they differ.
fn likeness(a: &Node<'_>, b: &Node<'_>) -> u64 {
    if a.step.action.op() != b.step.action.op() {
        return 0;
    }
    let mut left: Vec<&String> = b.words.iter().collect();
    let mut shared = 0;
    for word in &a.words {
        if let Some(at) = left.iter().position(|w| *w == word) {
            left.swap_remove(at);
            shared += 1;
        }
    }
    thousandths(1500 * shared, (a.words.len() + b.words.len()) as u64)
}

fn thousandths(part: u64, whole: u64) -> u64 {
    part.checked_div(whole).unwrap_or(0)
}

fn exact(thousandths: u64) -> Option<Number> {
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Number::parse(text)
}

fn said(step: &Step) -> String {
    format!("${} = {}", step.id.value, step.action)
}

fn arrow(shape: &Shape<'_>, (from, to): (usize, usize)) -> String {
    let name = |at: usize| shape.steps.get(at).map_or("", |n| n.step.id.value.as_str());
    format!("${} → ${}", name(from), name(to))
}

impl Action {
    /// The action in the text form with every expression in its normal spelling.
    fn normal(&self) -> String {
        // A text that is a value looks the same in every spelling of quotes.
        let mut copy = self.clone();
        copy.each_formula(&mut |formula| {
            if let Ok(expr) = throughline_expr::Expr::parse(&formula.expr.normal()) {
                formula.expr = expr;
            }
        });
        if let Self::Ask { .. } = self {
            // What a person reads may be put in other words.
            return format!("ASK {}", quote_plain(""));
        }
        copy.to_string()
    }
}
