//! The names an expression uses, with the paths below them.

use std::fmt;

use throughline_value::Span;

use crate::ast::{BinaryOp, Node, NodeData, Step, Test};
use crate::functions;

/// A name of the environment with the steps below it, as far as they are written out: `facts.budget`,
/// `items.0.price`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// The name, then fields and list positions; never empty.
    pub segments: Vec<String>,
    /// Where it stands in the source.
    pub span: Span,
}

impl Path {
    /// The segments joined by points.
    #[must_use]
    pub fn dotted(&self) -> String {
        self.segments.join(".")
    }

    /// The name in the environment.
    #[must_use]
    pub fn root(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dotted())
    }
}

/// A free name, and whether the expression copes with its not being known: as the left side of `??`, in
/// `exists()` and the like, or before `?.`.
pub(crate) struct Free {
    pub(crate) path: Path,
    pub(crate) optional: bool,
}

/// All free names of `node` in the order of the source; `bound` are the locals around it.
pub(crate) fn free(node: &Node, bound: &mut Vec<String>, out: &mut Vec<Free>) {
    visit(node, false, bound, out);
}

fn visit(node: &Node, optional: bool, bound: &mut Vec<String>, out: &mut Vec<Free>) {
    match &node.data {
        NodeData::Name(_) | NodeData::Access { .. } => visit_chain(node, optional, bound, out),
        NodeData::Lambda { param, body } => {
            bound.push(param.clone());
            visit(body, false, bound, out);
            bound.pop();
        }
        NodeData::Binary { op: BinaryOp::Coalesce, left, right } => {
            visit(left, true, bound, out);
            visit(right, false, bound, out);
        }
        NodeData::Is { operand, test: Test::Defined, .. } => visit(operand, true, bound, out),
        // An event that is named, not a value.
        NodeData::Call { name, args, .. } if matches!(name.as_str(), "after" | "before") => {
            if let Some((arg, event)) = args.first().and_then(|arg| Some((arg, event_name(arg)?))) {
                let path = Path { segments: vec!["events".to_owned(), event], span: arg.span };
                out.push(Free { path, optional: true });
            }
        }
        NodeData::Call { name, args, .. } => {
            let lenient = functions::takes_unknown_names(name);
            args.iter().for_each(|arg| visit(arg, lenient, bound, out));
        }
        _ => node.each_child(&mut |child| visit(child, false, bound, out)),
    }
}

/// The name of an event as it is written: a word, words with points between, or a text.
pub(crate) fn event_name(node: &Node) -> Option<String> {
    if let NodeData::Text(text) = &node.data {
        return Some(text.clone());
    }
    let (root, steps) = chain(node);
    let NodeData::Name(root) = &root.data else { return None };
    let words = steps.iter().map(|link| written(link.step)).collect::<Option<Vec<_>>>()?;
    Some(std::iter::once(root.clone()).chain(words).collect::<Vec<_>>().join("."))
}

fn visit_chain(node: &Node, optional: bool, bound: &mut Vec<String>, out: &mut Vec<Free>) {
    let (root, steps) = chain(node);
    match &root.data {
        NodeData::Name(name) if !bound.contains(name) => {
            let mut path = Path { segments: vec![name.clone()], span: root.span };
            for step in &steps {
                let Some(segment) = written(step.step) else { break };
                path.segments.push(segment);
                path.span.end = step.span.end;
            }
            let safe = steps.iter().any(|link| matches!(link.step, Step::Name { safe: true, .. }));
            out.push(Free { path, optional: optional || safe });
        }
        NodeData::Name(_) => {}
        _ => visit(root, false, bound, out),
    }
    for step in steps {
        if let Step::Index(index) = step.step {
            visit(index, false, bound, out);
        }
    }
}

/// One step of a chain, with the bytes of the chain up to it.
pub(crate) struct Link<'a> {
    pub(crate) step: &'a Step,
    pub(crate) span: Span,
}

/// `a.b[0].c` as its root and its steps from the root outwards.
pub(crate) fn chain(node: &Node) -> (&Node, Vec<Link<'_>>) {
    let mut steps = Vec::new();
    let mut root = node;
    while let NodeData::Access { object, step } = &root.data {
        steps.push(Link { step, span: root.span });
        root = object;
    }
    steps.reverse();
    (root, steps)
}

/// The segment of a step that is written out.
fn written(step: &Step) -> Option<String> {
    match step {
        Step::Name { name, .. } => Some(name.clone()),
        Step::Index(index) => match &index.data {
            NodeData::Text(text) => Some(text.clone()),
            NodeData::Number(number) => number.as_u64().map(|n| n.to_string()),
            _ => None,
        },
    }
}
