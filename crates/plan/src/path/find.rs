//! What a path finds.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};
use throughline_value::Value;
use throughline_value::json::{Node, NodeData};

use super::{Call, Comparison, Function, Operand, Path, Query, Segment, Selector, Test};
use crate::limits::{PATTERN_NEST_LIMIT, PATTERN_SIZE_LIMIT};

impl Path {
    /// The nodes of a document to which the path leads, in the order of the document.
    pub(crate) fn find<'a>(&self, root: &'a Node) -> Vec<&'a Node> {
        Finder { root, pattern: RefCell::default() }.follow(root, &self.segments)
    }
}

struct Finder<'a> {
    root: &'a Node,
    /// The last pattern that was compiled: a filter asks the same of every node.
    pattern: RefCell<Option<(String, Option<Regex>)>>,
}

impl<'a> Finder<'a> {
    fn follow(&self, from: &'a Node, segments: &[Segment]) -> Vec<&'a Node> {
        let mut nodes = vec![from];
        for segment in segments {
            let mut next = Vec::new();
            for node in nodes {
                self.step(node, segment, &mut next);
            }
            nodes = next;
        }
        nodes
    }

    fn step(&self, node: &'a Node, segment: &Segment, out: &mut Vec<&'a Node>) {
        for selector in &segment.selectors {
            self.select(node, selector, out);
        }
        if segment.descend {
            children(node, &mut |child| self.step(child, segment, out));
        }
    }

    fn select(&self, node: &'a Node, selector: &Selector, out: &mut Vec<&'a Node>) {
        match (selector, &node.data) {
            (Selector::Name(name), _) => out.extend(node.get(name)),
            (Selector::All, _) => children(node, &mut |child| out.push(child)),
            (Selector::Index(index), NodeData::List(items)) => {
                out.extend(place(*index, items.len()).and_then(|at| items.get(at)));
            }
            (Selector::Slice { from, to, step }, NodeData::List(items)) => {
                slice(*from, *to, *step, items.len(), &mut |at| out.extend(items.get(at)));
            }
            (Selector::Filter(test), _) => children(node, &mut |child| {
                if self.holds(child, test) {
                    out.push(child);
                }
            }),
            _ => {}
        }
    }

    fn holds(&self, node: &'a Node, test: &Test) -> bool {
        match test {
            Test::Any(tests) => tests.iter().any(|test| self.holds(node, test)),
            Test::Every(tests) => tests.iter().all(|test| self.holds(node, test)),
            Test::Not(test) => !self.holds(node, test),
            Test::Exists(query) => !self.query(node, query).is_empty(),
            Test::Call(call) => matches!(self.call(node, call), Some(Value::Bool(true))),
            Test::Compare(parts) => {
                let (left, comparison, right) = &**parts;
                compare(self.value(node, left).as_ref(), *comparison, self.value(node, right).as_ref())
            }
        }
    }

    fn query(&self, node: &'a Node, query: &Query) -> Vec<&'a Node> {
        self.follow(if query.from_root { self.root } else { node }, &query.segments)
    }

    fn value(&self, node: &'a Node, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Literal(value) => Some(value.clone()),
            Operand::Query(query) => only(&self.query(node, query)),
            Operand::Call(call) => self.call(node, call),
        }
    }

    fn call(&self, node: &'a Node, call: &Call) -> Option<Value> {
        let first = call.args.first()?;
        match (call.function, first) {
            (Function::Count, Operand::Query(query)) => Some(self.query(node, query).len().into()),
            (Function::Value, Operand::Query(query)) => only(&self.query(node, query)),
            (Function::Length, _) => match self.value(node, first)? {
                Value::Text(text) => Some(text.chars().count().into()),
                Value::List(list) => Some(list.len().into()),
                Value::Map(map) => Some(map.len().into()),
                _ => None,
            },
            (Function::Match | Function::Search, _) => {
                let (Value::Text(text), Value::Text(pattern)) =
                    (self.value(node, first)?, self.value(node, call.args.get(1)?)?)
                else {
                    return None;
                };
                Some(Value::Bool(self.matches(&text, pattern, call.function == Function::Match)))
            }
            _ => None,
        }
    }

    fn matches(&self, text: &str, pattern: String, whole: bool) -> bool {
        let pattern = if whole { format!("^(?:{})$", plain_dots(&pattern)) } else { plain_dots(&pattern) };
        let mut last = self.pattern.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| *known != pattern) {
            let mut builder = RegexBuilder::new(&pattern);
            let regex = builder.size_limit(PATTERN_SIZE_LIMIT).nest_limit(PATTERN_NEST_LIMIT).build().ok();
            *last = Some((pattern, regex));
        }
        last.as_ref().and_then(|(_, regex)| regex.as_ref()).is_some_and(|regex| regex.is_match(text))
    }
}

/// In the patterns of paths (RFC 9485) a dot is no end of line of either kind.
fn plain_dots(pattern: &str) -> String {
    let mut out = String::new();
    let (mut escaped, mut class) = (false, false);
    for c in pattern.chars() {
        match c {
            '.' if !escaped && !class => out.push_str(r"[^\n\r]"),
            c => out.push(c),
        }
        class = if escaped { class } else { c == '[' || class && c != ']' };
        escaped = !escaped && c == '\\';
    }
    out
}

fn children<'a>(node: &'a Node, each: &mut dyn FnMut(&'a Node)) {
    match &node.data {
        NodeData::List(items) => items.iter().for_each(each),
        NodeData::Map(entries) => entries.iter().for_each(|(_, child)| each(child)),
        _ => {}
    }
}

/// The value of the only node.
fn only(nodes: &[&Node]) -> Option<Value> {
    if let [node] = nodes { Some((*node).clone().into_value()) } else { None }
}

/// The place of a position, which counts from the end when it is negative.
fn place(index: i64, len: usize) -> Option<usize> {
    let at = if index < 0 { index + i64::try_from(len).ok()? } else { index };
    usize::try_from(at).ok()
}

fn slice(from: Option<i64>, to: Option<i64>, step: i64, len: usize, each: &mut dyn FnMut(usize)) {
    let Ok(len) = i64::try_from(len) else { return };
    let place = |index: i64| if index < 0 { index + len } else { index };
    if step > 0 {
        let mut at = place(from.unwrap_or(0)).clamp(0, len);
        let end = place(to.unwrap_or(len)).clamp(0, len);
        while at < end {
            each(usize::try_from(at).unwrap_or(usize::MAX));
            at = at.saturating_add(step);
        }
    } else if step < 0 {
        let mut at = place(from.unwrap_or(len - 1)).clamp(-1, len - 1);
        let end = to.map_or(-1, place).clamp(-1, len - 1);
        while at > end {
            each(usize::try_from(at).unwrap_or(usize::MAX));
            at = at.saturating_add(step);
        }
    }
}

fn compare(left: Option<&Value>, comparison: Comparison, right: Option<&Value>) -> bool {
    let less = |a: Option<&Value>, b: Option<&Value>| match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a < b,
        (Some(Value::Text(a)), Some(Value::Text(b))) => a < b,
        _ => false,
    };
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        Comparison::Less => less(left, right),
        Comparison::LessOrEqual => less(left, right) || left == right,
        Comparison::Greater => less(right, left),
        Comparison::GreaterOrEqual => less(right, left) || left == right,
    }
}
