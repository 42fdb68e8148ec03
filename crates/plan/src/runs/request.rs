//! What is asked outside: a tool's arguments, an address, a search engine's query.

use throughline_expr::Env as _;
use throughline_expr::time::format_instant;
use throughline_journal::{Digest, Millis};
use throughline_value::{Map, Value};

use super::execute::{Failed, Place};
use super::state::EndpointMeaning;
use crate::extract::Failure;
use crate::limits::MAX_INPUT_BYTES;
use crate::window::Window;

/// The name under which the host is asked for what stands at an address.
pub const HTTP_TOOL: &str = "http";

/// How many hits a search engine is asked for when the plan names no limit.
const DEFAULT_HITS: u32 = 10;

/// A call of something outside.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// The tool, or [`HTTP_TOOL`].
    pub(super) tool: String,
    pub(super) args: Map,
    /// The document that the answer becomes.
    pub(super) document: Option<String>,
    /// The request as the key of the cache.
    pub(super) key: String,
    /// How old an answer of the cache may be.
    pub(super) max_age: Option<Millis>,
    pub(super) writes: bool,
    pub(super) approval: bool,
}

/// A call of a tool by name.
pub(super) fn tool(place: Place<'_>, name: &str, args: Map) -> Result<Request, Failed> {
    let rule = place.run.meaning.tools.get(name).copied().unwrap_or_default();
    let max_age = place.step.options.max_age.as_ref().map(|age| age.ms);
    let key = key(name, &args);
    Ok(Request {
        tool: name.to_owned(),
        args,
        document: None,
        key,
        max_age,
        writes: rule.writes,
        approval: rule.approval,
    })
}

/// A call of the source of this name; `search`: the words and the limit of a lookup.
pub(super) fn of(
    place: Place<'_>,
    source: &str,
    mut args: Map,
    search: Option<(Option<String>, Option<u32>)>,
) -> Result<Request, Failed> {
    let meaning = &place.run.meaning;
    let rule = meaning.rules.get(source);
    let own = place.step.options.max_age.as_ref().or(place.run.options.max_age.as_ref()).map(|age| age.ms);
    let max_age = own.or_else(|| rule.and_then(|rule| rule.max_age));
    let window = place.env.window(place.step).map_err(|failure| (Value::Map(args.clone()), failure))?;
    let time = rule.and_then(|rule| rule.time_field.as_deref());
    let limit = search.as_ref().and_then(|(_, limit)| *limit);
    let words = search.and_then(|(words, _)| words);
    if let Some(endpoint) = meaning.endpoints.get(source) {
        let ends = |end: Option<i64>| end.map(|ms| format_instant(ms, place.env.zone()));
        let window = window.map(|Window { from, to }| (ends(from), ends(to)));
        let input = Value::Map(args.clone());
        let sent = if endpoint.search {
            Ok(searched(endpoint, &args, words.as_deref(), limit, window, time))
        } else {
            if let Some(words) = words {
                args.entry("q".to_owned()).or_insert_with(|| words.into());
            }
            if let Some(limit) = limit {
                args.entry("limit".to_owned()).or_insert_with(|| Value::from(u64::from(limit)));
            }
            addressed(endpoint, args, window, time)
        };
        let mut args = sent.map_err(|failure| (input, failure))?;
        args.insert("source".to_owned(), source.into());
        let key = key(HTTP_TOOL, &args);
        let document = Some(format!("{source}/{}", key.get(..12).unwrap_or(&key)));
        let writes = endpoint.method != "GET" && !endpoint.search;
        return Ok(Request { tool: HTTP_TOOL.to_owned(), args, document, key, max_age, writes, approval: false });
    }
    let name = meaning.sources.get(source).map_or(source, String::as_str);
    if let Some(words) = words {
        args.entry("words".to_owned()).or_insert_with(|| words.into());
    }
    if let Some(limit) = limit {
        args.entry("limit".to_owned()).or_insert_with(|| Value::from(u64::from(limit)));
    }
    if let (Some(window), Some(field)) = (window, time) {
        let value = window.value(None, place.env.zone());
        let ends = ["from", "to"].map(|end| (end.to_owned(), value.get(end).cloned().unwrap_or_default()));
        args.entry(field.to_owned()).or_insert_with(|| Value::Map(Map::from_iter(ends)));
    }
    let request = tool(place, name, args)?;
    Ok(Request { max_age, ..request })
}

type Ends = Option<(Option<String>, Option<String>)>;

/// What is sent to an address: arguments fill the places of the address; the others are the query of a `GET`, or
/// the body.
fn addressed(endpoint: &EndpointMeaning, mut args: Map, window: Ends, time: Option<&str>) -> Result<Map, Failure> {
    if let (Some((from, to)), Some(field)) = (window, time) {
        for (end, value) in [("from", from), ("to", to)] {
            let Some(value) = value else { continue };
            let place = format!("{{{end}}}");
            let name = if endpoint.url.contains(&place) { end.to_owned() } else { format!("{field}_{end}") };
            args.entry(name).or_insert_with(|| value.into());
        }
    }
    let mut url = String::new();
    let mut rest = endpoint.url.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        url.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            url.push('{');
            rest = after;
            continue;
        };
        let Some(value) = args.shift_remove(name) else {
            return Err(Failure::new(
                "missing-argument",
                format!("the address {} needs the argument `{name}`", endpoint.url),
            ));
        };
        url.push_str(&encoded(&plain(&value)));
        rest = after;
    }
    url.push_str(rest);
    let mut sent = Map::new();
    let mut body = Value::Null;
    if endpoint.method == "GET" {
        for (name, value) in &args {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&encoded(name));
            url.push('=');
            url.push_str(&encoded(&plain(value)));
        }
    } else {
        body = Value::Map(args);
    }
    sent.insert("method".to_owned(), endpoint.method.as_str().into());
    sent.insert("url".to_owned(), url.into());
    if !endpoint.headers.is_empty() {
        let headers = endpoint.headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        sent.insert("headers".to_owned(), Value::Map(headers.collect()));
    }
    if !body.is_null() {
        sent.insert("body".to_owned(), body);
    }
    bounded(sent)
}

fn bounded(sent: Map) -> Result<Map, Failure> {
    let bytes: usize = sent.values().map(|value| value.to_json().len()).sum();
    if bytes > MAX_INPUT_BYTES {
        let message = format!("the request has {bytes} bytes; at most {MAX_INPUT_BYTES} are sent: send less");
        return Err(Failure::new("input-too-long", message));
    }
    Ok(sent)
}

/// The request of a search engine: the words in the fields, every argument as a filter, and a range over time.
fn searched(
    endpoint: &EndpointMeaning,
    args: &Map,
    words: Option<&str>,
    limit: Option<u32>,
    window: Ends,
    time: Option<&str>,
) -> Map {
    let one = |name: &str, value: Value| Value::Map(Map::from_iter([(name.to_owned(), value)]));
    let must = match words {
        Some(words) => {
            let mut query = Map::from_iter([("query".to_owned(), Value::from(words))]);
            if !endpoint.fields.is_empty() {
                query.insert("fields".to_owned(), endpoint.fields.clone().into());
            }
            one("multi_match", Value::Map(query))
        }
        None => one("match_all", Value::map()),
    };
    let mut filter: Vec<Value> = Vec::new();
    for (name, value) in args {
        let kind = if matches!(value, Value::List(_)) { "terms" } else { "term" };
        filter.push(one(kind, one(name, value.clone())));
    }
    if let (Some((from, to)), Some(field)) = (window, time) {
        let ends = [("gte", from), ("lt", to)]
            .into_iter()
            .filter_map(|(end, value)| Some((end.to_owned(), Value::from(value?))));
        filter.push(one("range", one(field, Value::Map(ends.collect()))));
    }
    let mut query = Map::from_iter([("must".to_owned(), Value::List(vec![must]))]);
    if !filter.is_empty() {
        query.insert("filter".to_owned(), Value::List(filter));
    }
    let mut body = Map::new();
    body.insert("query".to_owned(), one("bool", Value::Map(query)));
    body.insert("size".to_owned(), u64::from(limit.unwrap_or(DEFAULT_HITS)).into());
    let base = endpoint.url.trim_end_matches('/');
    let url = match &endpoint.index {
        Some(index) => format!("{base}/{}/_search", encoded(index)),
        None => format!("{base}/_search"),
    };
    let mut sent = Map::new();
    sent.insert("method".to_owned(), "POST".into());
    sent.insert("url".to_owned(), url.into());
    if !endpoint.headers.is_empty() {
        let headers = endpoint.headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        sent.insert("headers".to_owned(), Value::Map(headers.collect()));
    }
    sent.insert("body".to_owned(), Value::Map(body));
    sent
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_json(), str::to_owned)
}

/// A text as a part of an address: nothing in it can end the part.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn key(tool: &str, args: &Map) -> String {
    let mut digest = Digest::new("request");
    digest.text(tool);
    digest.value(&Value::Map(args.clone()));
    digest.finish()
}

/// The kind of a document that an answer of this content type becomes.
pub(super) fn media_type(content_type: &str) -> &'static str {
    let kind = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/html" | "application/xhtml+xml" => "text/html",
        "text/csv" => "text/csv",
        kind if kind == "application/json" || kind.ends_with("+json") => "application/json",
        _ => "text/plain",
    }
}
