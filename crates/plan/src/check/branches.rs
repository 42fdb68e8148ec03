//! Branches that no value can lead to.

use throughline_expr::{BinaryOp, CompareOp, Expr, MapEnv, Node, NodeData, UnaryOp};
use throughline_value::{SortedMap, Span};

use super::problems::{Problems, fix};
use crate::graph::Graph;
use crate::plan::{Action, Formula};
use crate::text::DraftPlan;

/// What is known to hold where a step runs: conditions in their normal spelling, and whether they hold.
type Known = Vec<(String, bool)>;

pub(super) fn check(text: &str, plan: &DraftPlan, graph: &Graph, problems: &mut Problems) {
    let mut known: SortedMap<&str, Known> = SortedMap::new();
    let mut users: SortedMap<&str, u32> = SortedMap::new();
    for edges in graph.values() {
        for name in edges.all() {
            *users.entry(name).or_default() += 1;
        }
    }
    // From the last step to the first: in a valid plan whoever uses a step stands later.
    for step in plan.steps.iter().rev() {
        let here = known.get(step.id.value.as_str()).cloned().unwrap_or_default();
        let edges = graph.get(&step.id.value);
        if let Some(Action::If { condition, then, otherwise }) = &step.action {
            let normal = condition.expr.normal();
            let settled = here.iter().find(|(c, _)| *c == normal).map(|(_, holds)| *holds);
            let always = settled.or_else(|| decided(condition.expr.ast(), text));
            if let Some(always) = always {
                let (dead, live) = if always { (otherwise, then) } else { (then, otherwise) };
                let why = if settled.is_some() { " wherever this step is run" } else { "" };
                let word = if always { "true" } else { "false" };
                let message = format!("this branch is never taken: `{}` is always {word}{why}", condition.source());
                let whole = whole(text, step.id.span.end, condition, otherwise);
                let problem = problems.warning("unreachable-branch", dead.span, message);
                problem.step = Some(step.id.value.clone());
                problem.fix =
                    whole.and_then(|w| fix("compute the other branch", w, format!("COMPUTE {}", live.source())));
            }
            for (branch, holds) in edges.into_iter().flat_map(|e| e.branches.iter().zip([true, false])) {
                for name in branch.iter().filter(|n| users.get(n.as_str()) == Some(&1)) {
                    let mut inner = here.clone();
                    inner.push((normal.clone(), holds));
                    known.insert(name, inner);
                }
            }
        } else if !here.is_empty() {
            for name in edges.into_iter().flat_map(|e| e.all()).filter(|n| users.get(n) == Some(&1)) {
                known.insert(name, here.clone());
            }
        }
    }
}

/// From the word `IF` to the end of the last branch.
fn whole(text: &str, from: usize, condition: &Formula, otherwise: &Formula) -> Option<Span> {
    let at = text.get(from..condition.span.start)?.rfind("IF")?;
    Some(Span::new(from + at, otherwise.span.end))
}

/// What a condition gives whatever the values are, when that can be said.
fn decided(node: &Node, text: &str) -> Option<bool> {
    let source = |node: &Node| text.get(node.span.start..node.span.end).unwrap_or("").trim();
    if let Ok(expr) = Expr::parse(source(node))
        && expr.names().is_empty()
    {
        return expr.test(&MapEnv::new()).ok();
    }
    match &node.data {
        NodeData::Unary { op: UnaryOp::Not, operand } => decided(operand, text).map(|holds| !holds),
        NodeData::Binary { op: BinaryOp::And, left, right } => match (decided(left, text), decided(right, text)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => contradicts(node, &source).then_some(false),
        },
        NodeData::Binary { op: BinaryOp::Or, left, right } => match (decided(left, text), decided(right, text)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        NodeData::Compare { first, rest } => match rest.as_slice() {
            [(op, second)] if source(first) == source(second) => match op {
                CompareOp::Eq | CompareOp::Le | CompareOp::Ge => Some(true),
                CompareOp::Ne | CompareOp::Lt | CompareOp::Gt => Some(false),
                _ => None,
            },
            _ => contradicts(node, &source).then_some(false),
        },
        _ => None,
    }
}

/// Whether the parts of an `and`, or of a chain, leave no value: `$x > 5 and $x < 3`.
fn contradicts<'a>(node: &'a Node, source: &impl Fn(&'a Node) -> &'a str) -> bool {
    let mut bounds = Vec::new();
    collect(node, source, &mut bounds);
    bounds.iter().enumerate().any(|(i, (name, op, value))| {
        bounds
            .iter()
            .skip(i + 1)
            .any(|(other, other_op, other_value)| other == name && clash((*op, value), (*other_op, other_value)))
    })
}

/// Every comparison of something with a constant, as it reads from the left.
fn collect<'a>(node: &'a Node, source: &impl Fn(&'a Node) -> &'a str, out: &mut Vec<(&'a str, CompareOp, &'a str)>) {
    match &node.data {
        NodeData::Binary { op: BinaryOp::And, left, right } => {
            collect(left, source, out);
            collect(right, source, out);
        }
        NodeData::Compare { first, rest } => {
            let mut left: &Node = first;
            for (op, right) in rest {
                match (is_constant(left), is_constant(right)) {
                    (false, true) => out.push((source(left), *op, source(right))),
                    (true, false) => out.extend(turned(*op).map(|op| (source(right), op, source(left)))),
                    _ => {}
                }
                left = right;
            }
        }
        _ => {}
    }
}

fn is_constant(node: &Node) -> bool {
    matches!(node.data, NodeData::Number(_) | NodeData::Text(_) | NodeData::Bool(_) | NodeData::Percent(_))
}

/// `5 < $x` read from the other side.
const fn turned(op: CompareOp) -> Option<CompareOp> {
    Some(match op {
        CompareOp::Eq | CompareOp::Ne => op,
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        _ => return None,
    })
}

/// Whether two bounds of one thing leave it no value.
fn clash((op, value): (CompareOp, &str), (other_op, other): (CompareOp, &str)) -> bool {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let holds = |test: String| Expr::parse(&test).is_ok_and(|e| e.test(&MapEnv::new()).unwrap_or(false));
    match (op, other_op) {
        (Eq, Eq) => holds(format!("{value} != {other}")),
        (Eq, Ne) | (Ne, Eq) => holds(format!("{value} == {other}")),
        (Eq, Lt) | (Gt, Lt | Le) | (Ge, Lt) => holds(format!("{value} >= {other}")),
        (Eq | Ge, Le) => holds(format!("{value} > {other}")),
        (Eq, Gt) | (Lt, Gt | Ge) | (Le, Gt) => holds(format!("{value} <= {other}")),
        (Eq | Le, Ge) => holds(format!("{value} < {other}")),
        (Lt | Le | Gt | Ge, Eq) => clash((other_op, other), (op, value)),
        _ => false,
    }
}
