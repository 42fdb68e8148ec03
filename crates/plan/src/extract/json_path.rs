//! JSON paths: RFC 9535 finds the place, the reader gives the exact digits and bytes.

use throughline_value::json::{self, Node, NodeData};
use throughline_value::{Span, Value};

use super::{Failure, Found, Near};
use crate::nearest::nearest;
use crate::path::Path;

pub(super) fn find(text: &str, path: &str) -> Result<Vec<Found>, Failure> {
    let parsed = Path::parse(path).map_err(|e| Failure::new("bad-json-path", e.message))?;
    let root = json::read(text).map_err(|e| Failure::new("bad-document", format!("the document is not JSON: {e}")))?;
    let finds: Vec<Found> = parsed
        .find(&root)
        .into_iter()
        .filter(|node| node.data != NodeData::Null)
        .map(|node| Found::sure(inside(text, node), node.clone().into_value(), 10))
        .collect();
    if finds.is_empty() {
        let (message, near) = missing(&root, path, text);
        return Err(Failure::new("value-missing", message).near(near));
    }
    Ok(finds)
}

/// The bytes of the value; of a text, those between its quotes.
fn inside(text: &str, node: &Node) -> Span {
    let Span { start, end } = node.span;
    let quoted = matches!(node.data, NodeData::Text(_)) && text.get(start..end).is_some_and(|t| t.len() >= 2);
    if quoted { Span::new(start + 1, end - 1) } else { node.span }
}

/// How far the path leads and what is there instead.
fn missing(root: &Node, path: &str, text: &str) -> (String, Option<Near>) {
    let Some(steps) = plain(path) else { return (format!("nothing is at {path}"), None) };
    let mut node = root;
    let mut way = "$".to_owned();
    for step in &steps {
        let next = match (step, &node.data) {
            (Plain::Name(name), NodeData::Map(_)) => node.get(name),
            (Plain::Index(index), NodeData::List(items)) => {
                let at = if *index < 0 {
                    items.len().checked_sub(usize::try_from(-*index).unwrap_or(usize::MAX))
                } else {
                    usize::try_from(*index).ok()
                };
                at.and_then(|at| items.get(at))
            }
            _ => None,
        };
        let Some(next) = next else {
            let (why, name) = instead(node, step, &way);
            let near = name.map(|name| {
                let target = node.get(&name).unwrap_or(node);
                let quote = text.get(target.span.start..target.span.end).unwrap_or("").chars().take(60).collect();
                let wrong = if let Plain::Name(wrong) = step { wrong.as_str() } else { "" };
                let instead = path.rfind(wrong).map(|at| {
                    format!("{}{name}{}", &path.get(..at).unwrap_or(""), path.get(at + wrong.len()..).unwrap_or(""))
                });
                Near { span: target.span, quote, instead, ..Near::default() }
            });
            return (format!("nothing is at {path}: {why}"), near);
        };
        way = match step {
            Plain::Name(name) => format!("{way}.{name}"),
            Plain::Index(index) => format!("{way}[{index}]"),
        };
        node = next;
    }
    (format!("the value at {path} is null"), None)
}

/// What is there instead, and the name that was most likely meant.
fn instead(node: &Node, step: &Plain, way: &str) -> (String, Option<String>) {
    match (&node.data, step) {
        (NodeData::Map(entries), Plain::Name(name)) => {
            let names = entries.iter().map(|(k, _)| k.name.as_str());
            let near = nearest(name, names.clone()).map(str::to_owned);
            let hint = near.as_ref().map_or_else(String::new, |n| format!("; `{n}` is near"));
            let list: Vec<_> = names.take(12).collect();
            let list = if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
            (format!("{way} has no `{name}`, it has {list}{hint}"), near)
        }
        (NodeData::List(items), Plain::Index(index)) => {
            (format!("{way} has {} items, there is no [{index}]", items.len()), None)
        }
        (_, step) => {
            let kind: Value = node.clone().into_value();
            let wanted = if matches!(step, Plain::Name(_)) { "map" } else { "list" };
            (format!("{way} is a {}, not a {wanted}", kind.kind()), None)
        }
    }
}

enum Plain {
    Name(String),
    Index(i64),
}

/// The steps of a path that is only names and positions; `None` for any other.
fn plain(path: &str) -> Option<Vec<Plain>> {
    let mut rest = path.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let name = after.get(..end).filter(|n| !n.is_empty() && !n.contains('*'))?;
            steps.push(Plain::Name(name.to_owned()));
            rest = after.get(end..)?;
        } else {
            let (inner, after) = rest.strip_prefix('[')?.split_once(']')?;
            let quoted = |mark: char| inner.strip_prefix(mark).and_then(|t| t.strip_suffix(mark));
            steps.push(match quoted('\'').or_else(|| quoted('"')) {
                Some(name) => Plain::Name(name.to_owned()),
                None => Plain::Index(inner.trim().parse().ok()?),
            });
            rest = after;
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"rate": 91.70, "big": 9007199254740993, "scans": [{"time": "a\"b"}, {"time": "t2", "place": null}], "1e": 1e400}"#;

    #[track_caller]
    fn check(path: &str, expected: Result<&[(&str, &str)], &str>) {
        let got = find(TEXT, path).map(|finds| {
            finds
                .into_iter()
                .map(|f| (TEXT.get(f.span.start..f.span.end).unwrap().to_owned(), f.value.to_json()))
                .collect::<Vec<_>>()
        });
        let expected = expected
            .map(|list| list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>())
            .map_err(str::to_owned);
        assert_eq!(got.map_err(|e| e.message), expected, "{path}");
    }

    #[test]
    fn paths_find_exact_digits_with_their_bytes() {
        check("$.rate", Ok(&[("91.70", "91.70")]));
        check("$.big", Ok(&[("9007199254740993", "9007199254740993")]));
        check("$.scans[-1].time", Ok(&[("t2", "\"t2\"")]));
        check("$.scans[0].time", Ok(&[("a\\\"b", "\"a\\\"b\"")]));
        check("$.scans[*].time", Ok(&[("a\\\"b", "\"a\\\"b\""), ("t2", "\"t2\"")]));
        check("$.scans[?@.time == 't2'].time", Ok(&[("t2", "\"t2\"")]));
        check("$['1e']", Ok(&[("1e400", "1e400")]));
    }

    #[test]
    fn a_missing_value_says_how_far_the_path_leads_and_what_is_near() {
        check("$.rte", Err("nothing is at $.rte: $ has no `rte`, it has rate, big, scans, 1e; `rate` is near"));
        check("$.scans[5].time", Err("nothing is at $.scans[5].time: $.scans has 2 items, there is no [5]"));
        check("$.rate.x", Err("nothing is at $.rate.x: $.rate is a number, not a map"));
        check("$.scans[1].place", Err("the value at $.scans[1].place is null"));
        check("$..nothing", Err("nothing is at $..nothing"));
    }
}
