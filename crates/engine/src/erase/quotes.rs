//! Where else stands what purged memories say: prompts, replies, results of steps, commands that were refused.
//!
//! Such a record is sealed where it may quote a memory. Of a text that quotes, nothing stays: which texts of a
//! record those are is written into the purge by their numbers, so every engine erases the same. What is not sealed
//! (what a person wrote into a reason, a fact or a document) is told instead.

use std::collections::{BTreeMap, BTreeSet};

use throughline_dialogue::prompt::quote_json;
use throughline_journal::{Body, Draft, Journal, Record, Seq};
use throughline_memory::{Memory, words_in};
use throughline_value::{Map, Value};

/// What stands where a text was.
const GONE: &str = "[purged]";

/// Texts shorter than this, in bytes, are looked for only beside their id, unless they have several words.
const LEAST_TEXT: usize = 8;
/// How many bytes a text is looked up by.
const HEAD: usize = 4;

/// Fields of records that name what the engine knows; nothing of a memory stands in them.
const OWN_NAMES: [&str; 22] = [
    "type",
    "status",
    "ending",
    "stage",
    "purpose",
    "verdict",
    "op",
    "method",
    "role",
    "wire",
    "provider",
    "exchange",
    "run",
    "step",
    "ask",
    "code",
    "cardinality",
    "language",
    "action",
    "intent",
    "subject",
    "key",
];

/// Which records may quote memories, once there are any.
const MAY_QUOTE: [&str; 5] = ["exchange.", "step.", "turn.", "run.", "proposal."];

/// Whether a draft must be sealed since it may hold what a memory says.
pub(crate) fn may_quote(draft: &Draft, memory: &Memory) -> bool {
    match draft.kind.as_str() {
        "command.refused" => memory.is_used() || is_about_memory(&draft.data),
        "fact.asserted" => memory.is_used() && (draft.turn > 0 || sources(&draft.data).any(|name| memory.has(name))),
        kind => memory.is_used() && MAY_QUOTE.iter().any(|prefix| kind.starts_with(prefix)),
    }
}

/// Whether a refused command was to be remembered, or may have been.
fn is_about_memory(data: &Value) -> bool {
    let text = data.get("command").map(Value::to_json).unwrap_or_default();
    text.contains("remember") || text.contains("amend")
}

/// The sources that a fact names.
pub(super) fn sources(data: &Value) -> impl Iterator<Item = &str> {
    let many = data.get("sources").and_then(Value::as_list).unwrap_or_default().iter();
    data.get("source").into_iter().chain(many).filter_map(Value::as_str)
}

/// What is looked for.
pub(super) struct Quotes<'a> {
    ids: BTreeSet<&'a str>,
    /// Texts by their first bytes.
    texts: BTreeMap<[u8; HEAD], Vec<String>>,
    words: BTreeSet<String>,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// By record, the numbers of its texts that are to go.
    pub(super) cuts: BTreeMap<Seq, BTreeSet<u32>>,
    /// The turns and runs that quote.
    pub(super) read: BTreeSet<PlaceName>,
}

/// A turn of a thread, or a run outside of one, of which `turn` is 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlaceName {
    pub(crate) of: String,
    pub(crate) turn: u32,
}

impl PlaceName {
    /// Where a record belongs.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let run = record.data().get("run").and_then(Value::as_str);
        let (of, turn) = if record.turn > 0 { (record.thread.as_str(), record.turn) } else { (run?, 0) };
        Some(Self { of: of.to_owned(), turn })
    }
}

impl std::fmt::Display for PlaceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.turn {
            0 => write!(f, "run `{}`", self.of),
            turn => write!(f, "turn {turn} of thread `{}`", self.of),
        }
    }
}

impl<'a> Quotes<'a> {
    /// `facts` are values that rest on these memories alone, with their keys.
    pub(super) fn new(memory: &Memory, ids: &[&'a str], facts: &[(String, Value)]) -> Self {
        let mut also = BTreeSet::new();
        facts.iter().for_each(|(_, value)| each_text(value, &mut |text| _ = also.insert(text.to_owned())));
        let said = memory.said_by(ids, &also);
        let mut quotes = Self { ids: ids.iter().copied().collect(), texts: BTreeMap::new(), words: said.words };
        for text in said.texts {
            let text = text.trim();
            if text.len() < HEAD || (text.len() < LEAST_TEXT && !text.contains(char::is_whitespace)) {
                continue;
            }
            // Within a text there may be JSON, and in that JSON again; or a prompt, which quotes more.
            let once = Value::from(text).to_json();
            let inside = |json: &str| json.get(1..json.len() - 1).unwrap_or("").to_owned();
            let once = inside(&once);
            let twice = inside(&Value::from(once.as_str()).to_json());
            let prompt = inside(&quote_json(&text.into()));
            quotes.look_for([text.to_owned(), once, twice, prompt]);
        }
        for (key, value) in facts {
            // As a prompt shows a fact.
            quotes.look_for([format!("{}: {}", quote_json(&key.as_str().into()), quote_json(value))]);
        }
        quotes
    }

    fn look_for<const N: usize>(&mut self, forms: [String; N]) {
        for form in BTreeSet::from(forms) {
            if let Some(head) = form.as_bytes().first_chunk::<HEAD>() {
                self.texts.entry(*head).or_default().push(form);
            }
        }
    }

    /// Whether a text stands in another one, with its first and last word whole.
    pub(super) fn stands_in(&self, text: &str) -> bool {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c.is_ascii());
        text.as_bytes().windows(HEAD).enumerate().any(|(at, head)| {
            let found = <[u8; HEAD]>::try_from(head).ok().and_then(|head| self.texts.get(&head));
            found.into_iter().flatten().any(|form| {
                let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { return false };
                let Some(after) = rest.strip_prefix(form.as_str()) else { return false };
                !(letter(before.chars().next_back()) && letter(form.chars().next())
                    || letter(after.chars().next()) && letter(form.chars().next_back()))
            })
        })
    }

    /// Adds a text's words that only purged memories have.
    fn own_words(&self, text: &str, found: &mut BTreeSet<String>) {
        words_in(text, &mut |word| {
            if self.words.contains(word) {
                found.insert(word.to_owned());
            }
        });
    }

    /// The texts of the sealed records that are to go. What a turn or a run does after it has read a memory is
    /// looked through by word.
    pub(super) fn cuts<'r>(&self, records: impl Iterator<Item = &'r Record>) -> Found {
        let mut found = Found::default();
        let mut places: BTreeMap<PlaceName, Place> = BTreeMap::new();
        for record in records {
            // What memories say may lie elsewhere, and goes by itself.
            if record.kind.starts_with("memory.") {
                continue;
            }
            // Those of the memory itself are known already, and may lie far away.
            if record.kind.starts_with("memory.") || matches!(record.body, Body::Open(_)) {
                continue;
            }
            let Some((_, content)) = record.body.sealed() else { continue };
            let refused = record.kind == "command.refused" && is_about_memory(content);
            let name = PlaceName::of(record);
            let place = name.clone().map(|name| places.entry(name).or_default());
            let mut search = Search {
                quotes: self,
                by_word: refused || place.as_ref().is_some_and(|place| place.read),
                known: place.as_ref().map(|place| place.known.clone()).unwrap_or_default(),
                number: 0,
                marked: BTreeSet::new(),
            };
            search.value(content, "", false);
            if let Some(place) = place {
                if !search.marked.is_empty() {
                    place.read = true;
                    found.read.extend(name);
                } else if !place.read {
                    each_text(content, &mut |text| self.own_words(text, &mut place.known));
                }
            }
            if !search.marked.is_empty() {
                found.cuts.insert(record.seq, search.marked);
            }
        }
        found
    }

    /// The records that hold one of the texts where it cannot be erased, but those in `cuts`.
    pub(super) fn also_in(&self, journal: &Journal, cuts: &dyn Fn(Seq) -> bool) -> BTreeSet<Seq> {
        let mut also = BTreeSet::new();
        for frame in journal.frames() {
            if !frame.line.is_empty() && !self.stands_in(&frame.line) {
                continue;
            }
            for record in &frame.records {
                let of_memory = record.kind.starts_with("memory.") && !matches!(record.body, Body::Open(_));
                let mut found = self.stands_in(&record.reason);
                if !of_memory && !cuts(record.seq) {
                    each_text(record.data(), &mut |text| found |= self.stands_in(text));
                }
                if found {
                    also.insert(record.seq);
                }
            }
            for command in &frame.commands {
                let mut found = false;
                each_text(command, &mut |text| found |= self.stands_in(text));
                if found {
                    let first =
                        command.at(&["records", "0"]).and_then(Value::as_i64).map_or(frame.first, i64::cast_unsigned);
                    also.insert(first);
                }
            }
        }
        also
    }
}

/// A turn, or a run outside of one.
#[derive(Default)]
struct Place {
    /// Whether it has read a memory that is purged.
    read: bool,
    /// Words that it had without.
    known: BTreeSet<String>,
}

fn each_text(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::Text(text) => found(text),
        Value::List(list) => list.iter().for_each(|item| each_text(item, found)),
        Value::Map(map) => map.iter().for_each(|(name, item)| {
            found(name);
            each_text(item, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A look at one record. Its names, texts and numbers are numbered in their order.
struct Search<'a> {
    quotes: &'a Quotes<'a>,
    by_word: bool,
    known: BTreeSet<String>,
    number: u32,
    marked: BTreeSet<u32>,
}

impl Search<'_> {
    /// `inside` what shows a purged memory, everything goes but its id.
    fn value(&mut self, value: &Value, name: &str, inside: bool) {
        match value {
            Value::Text(text) => {
                self.number += 1;
                let goes = if inside { name != "type" } else { !OWN_NAMES.contains(&name) && self.quotes(text) };
                if goes {
                    self.marked.insert(self.number);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.number += 1;
                if inside && value.as_number().is_some() {
                    self.marked.insert(self.number);
                }
            }
            Value::List(list) => list.iter().for_each(|item| self.value(item, name, inside)),
            Value::Map(map) => {
                let ids = ["id", "memory", "document", "source"];
                let named = ids.iter().find(|id| {
                    let of = map.get(id).and_then(Value::as_str);
                    of.is_some_and(|of| self.quotes.ids.contains(of))
                });
                let evidence = map.contains_key("method");
                // The hash of a text says what it was to whoever guesses it.
                let (mut text_went, mut hash) = (false, None);
                for (key, item) in map {
                    self.number += 1;
                    if self.quotes.stands_in(key) {
                        self.marked.insert(self.number);
                    }
                    let of = match named {
                        None => inside,
                        Some(id) if *id == key => {
                            self.number += 1;
                            continue;
                        }
                        // The numbers of an evidence say where, not what.
                        Some(_) => !evidence || matches!(key.as_str(), "quote" | "hash"),
                    };
                    self.value(item, key, of);
                    match key.as_str() {
                        "text" => text_went = self.marked.contains(&self.number),
                        "hash" => hash = Some(self.number),
                        _ => {}
                    }
                }
                self.marked.extend(hash.filter(|_| text_went));
            }
        }
    }

    fn quotes(&self, text: &str) -> bool {
        if self.quotes.stands_in(text) {
            return true;
        }
        let mut own = BTreeSet::new();
        if self.by_word {
            self.quotes.own_words(text, &mut own);
        }
        own.iter().any(|word| !self.known.contains(word))
    }
}

/// What is left of a record's data without the texts of these numbers.
pub(super) fn without(data: &Value, gone: &BTreeSet<u32>) -> Value {
    fn value(of: &Value, number: &mut u32, gone: &BTreeSet<u32>) -> Value {
        match of {
            Value::List(list) => Value::List(list.iter().map(|item| value(item, number, gone)).collect()),
            Value::Map(map) => {
                let mut out = Map::new();
                for (name, item) in map {
                    *number += 1;
                    let name = if gone.contains(number) { format!("{GONE} {number}") } else { name.clone() };
                    out.insert(name, value(item, number, gone));
                }
                Value::Map(out)
            }
            plain => {
                *number += 1;
                match (gone.contains(number), plain) {
                    (false, _) => plain.clone(),
                    (true, Value::Text(_)) => GONE.into(),
                    (true, _) => Value::Null,
                }
            }
        }
    }
    value(data, &mut 0, gone)
}
