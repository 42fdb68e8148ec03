//! The names an expression uses, with the paths below them.

use std::fmt;

use throughline_value::Span;

use crate::ast::{Node, NodeData, Step};

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

/// All free names of `node` in the order of the source; `bound` are the locals around it.
pub(crate) fn free(node: &Node, bound: &mut Vec<String>, out: &mut Vec<Path>) {
    match &node.data {
        NodeData::Name(name) => {
            if !bound.contains(name) {
                out.push(Path { segments: vec![name.clone()], span: node.span });
            }
        }
        NodeData::Access { .. } => {
            let (root, steps) = chain(node);
            let Some(first) = out_of_name(root, bound) else {
                root_and_indexes(root, &steps, bound, out);
                return;
            };
            let mut path = Path { segments: vec![first], span: root.span };
            for step in &steps {
                let Some(segment) = written(step.step) else { break };
                path.segments.push(segment);
                path.span.end = step.end;
            }
            out.push(path);
            for step in steps {
                if let Step::Index(index) = step.step {
                    free(index, bound, out);
                }
            }
        }
        NodeData::Lambda { param, body } => {
            bound.push(param.clone());
            free(body, bound, out);
            bound.pop();
        }
        _ => node.each_child(&mut |child| free(child, bound, out)),
    }
}

fn out_of_name(root: &Node, bound: &[String]) -> Option<String> {
    match &root.data {
        NodeData::Name(name) if !bound.contains(name) => Some(name.clone()),
        _ => None,
    }
}

fn root_and_indexes(root: &Node, steps: &[Link<'_>], bound: &mut Vec<String>, out: &mut Vec<Path>) {
    free(root, bound, out);
    for step in steps {
        if let Step::Index(index) = step.step {
            free(index, bound, out);
        }
    }
}

/// One step of a chain, with the byte it ends at.
pub(crate) struct Link<'a> {
    pub(crate) step: &'a Step,
    pub(crate) span: Span,
    end: usize,
}

/// `a.b[0].c` as its root and its steps from the root outwards.
pub(crate) fn chain(node: &Node) -> (&Node, Vec<Link<'_>>) {
    let mut steps = Vec::new();
    let mut root = node;
    while let NodeData::Access { object, step } = &root.data {
        steps.push(Link { step, span: root.span, end: root.span.end });
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
