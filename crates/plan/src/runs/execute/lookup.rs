//! `SEARCH` and `QUERY`: items of documents, of the world, of the facts, of the memory, and of what was called.

use throughline_protocol::view::Evidence;
use throughline_value::json::{self, Node, NodeData};
use throughline_value::{InOrder as _, Map, Span, Value};

use super::find::read;
use super::{Failed, Finished, Place, holds, listed};
use crate::evidence;
use crate::extract::Failure;
use crate::limits::MAX_MATCHES;
use crate::plan::{Action, Lookup};
use crate::runs::{Asking, DocumentRef, Item};

/// The items of a lookup that needs no call; `None` when it needs one.
pub(super) fn here(
    place: Place<'_>,
    lookup: &Lookup,
    source: &str,
    words: Option<&str>,
    arguments: &Map,
) -> Option<Result<Finished, Failed>> {
    let Place { run, step, host, env } = place;
    let meaning = &run.meaning;
    let mut input = Map::from_iter([("source".to_owned(), source.into())]);
    if let Some(words) = words {
        input.insert("words".to_owned(), words.into());
    }
    if !arguments.is_empty() {
        input.insert("arguments".to_owned(), Value::Map(arguments.clone()));
    }
    let document = super::document_of(run, source);
    let room = meaning.rooms.get(source).map(String::as_str);
    if document.is_none() && room.is_none() {
        return None;
    }
    let found = || -> Result<Vec<Item>, Failure> {
        let window = env.window(step)?;
        if let Some(name) = document {
            let document = host.document(name, None).ok_or_else(|| {
                Failure::new(
                    "document-missing",
                    format!("the source `{source}` reads the document `{name}`, which was not added"),
                )
            })?;
            let searches = matches!(step.action.as_deref(), Some(Action::Search(_)));
            let items = if searches { passages(&document, words.unwrap_or("")) } else { rows(&document)? };
            let time = meaning.rules.get(source).and_then(|rule| rule.time_field.as_deref());
            let within = |item: &Item| match (window, time) {
                (Some(window), Some(field)) => {
                    let at = item.value.get(field).and_then(|value| moment(value, env));
                    at.is_none_or(|at| window.from.is_none_or(|from| at >= from) && window.to.is_none_or(|to| at < to))
                }
                _ => true,
            };
            return Ok(items.into_iter().filter(within).collect());
        }
        let asking = Asking { words, arguments, window, limit: lookup.limit };
        host.items(room.unwrap_or(""), &asking).map_err(|refusal| Failure::new("source-refused", refusal))
    };
    let input_value = || Value::Map(input.clone());
    let searches = matches!(step.action.as_deref(), Some(Action::Search(_)));
    // Passages and memories were found by the words; the others are held against them.
    let by_words = (!searches && room != Some("memory")).then_some(words).flatten();
    Some(match found() {
        Ok(items) => kept(place, lookup, items, by_words)
            .map(|items| listed(items, input_value()))
            .map_err(|failure| (input_value(), failure)),
        Err(failure) => Err((input_value(), failure)),
    })
}

fn moment(value: &Value, env: &dyn throughline_expr::Env) -> Option<i64> {
    match value {
        Value::Text(text) => throughline_expr::time::parse_instant(text, env.zone()).ok().map(|reading| reading.ms),
        other => other.as_i64(),
    }
}

/// The items that hold the words and keep the rule, at most as many as the limit.
fn kept(place: Place<'_>, lookup: &Lookup, items: Vec<Item>, words: Option<&str>) -> Result<Vec<Item>, Failure> {
    let limit = lookup.limit.map_or(MAX_MATCHES, |limit| usize::try_from(limit).unwrap_or(MAX_MATCHES));
    let words: Vec<String> = words.unwrap_or("").split_whitespace().map(str::to_lowercase).collect();
    let mut out = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        if out.len() == limit {
            break;
        }
        let text = if words.is_empty() { String::new() } else { item.value.to_json().to_lowercase() };
        if !words.iter().all(|word| text.contains(word.as_str())) {
            continue;
        }
        let holds = match &lookup.rule {
            Some(rule) => holds(rule, &item.value, index, place.env).map_err(|(_, failure)| failure)?.0,
            None => true,
        };
        if holds {
            out.push(item);
        }
    }
    Ok(out)
}

/// What a call gave, as the value of its step.
pub(crate) fn received(place: Place<'_>, output: Value, document: bool) -> Result<Finished, Failed> {
    let Place { step, host, .. } = place;
    let name = name_of(place);
    let Some(Action::Search(lookup) | Action::Query(lookup)) = step.action.as_deref() else {
        let evidence = if document { Vec::new() } else { vec![evidence::given(&name, &output, "tool")] };
        let finished = Finished { output, evidence, document, ..Finished::default() };
        return super::done(place, finished);
    };
    let items = if document {
        read(&output, host).and_then(|document| rows(&document))
    } else {
        let list = match &output {
            Value::List(list) => list.clone(),
            other => only_list(other).cloned().unwrap_or_else(|| vec![other.clone()]),
        };
        let item = |value: Value| {
            let evidence = evidence::given(&name, &value, "tool");
            Item { value, evidence, classes: Vec::new() }
        };
        Ok(list.into_iter().map(item).collect())
    };
    let failed = |failure| (Value::Null, failure);
    let items = items.and_then(|items| kept(place, lookup, items, None)).map_err(failed)?;
    super::done(place, listed(items, Value::Null))
}

/// The name of the source or tool that a step is at.
fn name_of(place: Place<'_>) -> String {
    let at = place.step.now().source;
    match place.step.action.as_deref() {
        Some(Action::Get { source, or, .. }) => super::nth(source, or, at).to_owned(),
        Some(Action::Search(lookup) | Action::Query(lookup)) => super::nth(&lookup.source, &lookup.or, at).to_owned(),
        Some(Action::Call { tool, .. }) => tool.value.clone(),
        _ => place.step.op.clone(),
    }
}

/// The list of a map that holds exactly one.
fn only_list(value: &Value) -> Option<&Vec<Value>> {
    let mut lists = value.as_map()?.values().filter_map(|value| match value {
        Value::List(list) => Some(list),
        _ => None,
    });
    lists.next().filter(|_| lists.next().is_none())
}

/// The rows of a document: the items of a JSON list (that of a search engine's answer included), or the lines of
/// comma-separated values as maps by their heads.
fn rows(document: &DocumentRef<'_>) -> Result<Vec<Item>, Failure> {
    if document.media_type == "text/csv" {
        return Ok(crate::extract::csv_rows(document.text)
            .into_iter()
            .map(|(value, span)| Item { value, evidence: evidence::of(document, span, "item"), classes: Vec::new() })
            .collect());
    }
    let root = json::read(document.text).map_err(|error| {
        Failure::new("bad-document", format!("`{}` has no items: it is not JSON: {error}", document.name))
    })?;
    let hits = root.get("hits").and_then(|hits| hits.get("hits"));
    let list = hits.unwrap_or_else(|| list_in(&root));
    let nodes: Vec<&Node> = match &list.data {
        NodeData::List(items) => items.iter().collect(),
        _ => vec![list],
    };
    if nodes.len() > MAX_MATCHES {
        return Err(Failure::new("too-many-values", format!("there are over {MAX_MATCHES} items; ask for less")));
    }
    let spans: Vec<Span> = nodes.iter().map(|node| node.span).collect();
    let evidence = evidence::all_of(document, &spans, "item");
    let item = |(node, evidence): (&Node, Evidence)| {
        let value = node.clone().into_value();
        Item { value: if hits.is_some() { flat(value) } else { value }, evidence, classes: Vec::new() }
    };
    Ok(nodes.into_iter().zip(evidence).map(item).collect())
}

/// The list that a tree is, or the only one in its map; the tree itself when there is none.
fn list_in(root: &Node) -> &Node {
    if let NodeData::Map(entries) = &root.data {
        let mut lists = entries.iter().map(|(_, node)| node).filter(|node| matches!(node.data, NodeData::List(_)));
        if let (Some(only), None) = (lists.next(), lists.next()) {
            return only;
        }
    }
    root
}

/// A hit of a search engine: its source's fields, beside `_id`, `_index` and `_score`.
fn flat(hit: Value) -> Value {
    let Value::Map(mut hit) = hit else { return hit };
    let source = hit.shift_remove("_source");
    let mut out = source.and_then(|source| source.as_map().cloned()).unwrap_or_default();
    out.extend(hit.into_iter().filter(|(name, _)| name.starts_with('_')));
    Value::Map(out)
}

/// The paragraphs of a document that hold the words, those with most of them first.
fn passages(document: &DocumentRef<'_>, words: &str) -> Vec<Item> {
    let seen = (document.media_type == "text/html").then(|| crate::html::Html::read(document.text).seen(0));
    let text = seen.as_ref().map_or(document.text, |seen| seen.text.as_str());
    let wanted = terms(words);
    let mut found: Vec<(usize, usize, Span)> = Vec::new();
    let mut at = 0;
    for (place, line) in text.split_inclusive(['\n', '\x0c']).enumerate() {
        let lead = line.len() - line.trim_start().len();
        let passage = line.trim();
        let start = at + lead;
        at += line.len();
        let lower = passage.to_lowercase();
        let score = wanted.iter().filter(|term| lower.contains(term.as_str())).count();
        let span = Span::new(start, start + passage.len());
        let span = seen.as_ref().map_or(Some(span), |seen| seen.source(span));
        if score * 2 > wanted.len()
            && let Some(span) = span
        {
            found.push((score, place, span));
        }
    }
    found.order_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let spans: Vec<Span> = found.iter().map(|(_, _, span)| *span).collect();
    let item = |evidence: Evidence| {
        let mut value = Map::new();
        value.insert("text".to_owned(), evidence.quote.as_str().into());
        value.insert("document".to_owned(), evidence.document.as_str().into());
        value.insert("page".to_owned(), u64::from(evidence.page).into());
        Item { value: Value::Map(value), evidence, classes: Vec::new() }
    };
    evidence::all_of(document, &spans, "passage").into_iter().map(item).collect()
}

/// Latin words, and pairs of Chinese characters.
fn terms(words: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in words.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let chars: Vec<char> = word.chars().collect();
        if chars.len() > 2 && chars.iter().all(|c| !c.is_ascii()) {
            out.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            out.push(word.to_owned());
        }
    }
    out.dedup();
    out
}
