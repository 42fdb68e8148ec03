//! What must hold on every path through a machine, in a few words.
//!
//! | form | it is broken by |
//! |---|---|
//! | `never A` | a path into A |
//! | `never A without B before` | a path into A on which B never was before |
//! | `never A after B` | a path into B and then into A |
//! | `at most N times A`, `at most once A` | a path that enters A more often |
//! | `always eventually A` | a place that can be reached and from which A cannot come again, whatever happens |
//! | `eventually A` | the same for A coming at all |
//! | `A leads to B` | the same for B after A |
//!
//! A and B are paths of states, or events as `event PAY`; several are joined by `or`. The last three hold under
//! fairness: what can happen again and again does happen some time.

use throughline_protocol::{Refusal, nearest};
use throughline_value::{SortedSet, Value};

use super::definition::{State, StateId};

/// The most invariants of a machine. More are refused with `too-many-invariants`.
pub const MAX_INVARIANTS: usize = 64;

/// The most times that `at most` can count to.
const MAX_TIMES: u32 = 1_000;

/// One invariant.
#[derive(Debug, Clone)]
pub(crate) struct Invariant {
    /// Its text.
    pub(crate) text: String,
    /// What is said when it is broken; the text when empty.
    pub(crate) message: String,
    pub(crate) pointer: String,
    pub(crate) form: Form,
}

/// States and events of which one is meant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Atoms {
    pub(crate) states: Vec<StateId>,
    pub(crate) events: Vec<String>,
}

/// What an invariant says.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    Never(Atoms),
    Without(Atoms, Atoms),
    After(Atoms, Atoms),
    AtMost(u32, Atoms),
    AlwaysEventually(Atoms),
    Eventually(Atoms),
    LeadsTo(Atoms, Atoms),
}

/// What is seen at one point of a path: an event that is taken, or the states that it led to.
pub(crate) struct Seen<'a> {
    pub(crate) event: Option<&'a str>,
    pub(crate) active: &'a SortedSet<StateId>,
    pub(crate) entered: &'a SortedSet<StateId>,
}

impl Atoms {
    /// Whether one of them is so: an event that is taken, or a state that is active.
    pub(crate) fn hold(&self, seen: &Seen<'_>) -> bool {
        match seen.event {
            Some(event) => self.events.iter().any(|e| e == event),
            None => self.states.iter().any(|id| seen.active.contains(id)),
        }
    }

    fn begin(&self, seen: &Seen<'_>) -> bool {
        match seen.event {
            Some(event) => self.events.iter().any(|e| e == event),
            None => self.states.iter().any(|id| seen.entered.contains(id)),
        }
    }
}

impl Form {
    /// What is remembered of a path, after one more point of it; `None` when the path breaks the invariant.
    pub(crate) fn watch(&self, memory: u32, seen: &Seen<'_>) -> Option<u32> {
        match self {
            Self::Never(a) => (!a.hold(seen)).then_some(0),
            Self::Without(a, b) => match (memory, a.hold(seen)) {
                (0, true) => None,
                _ => Some(u32::from(memory == 1 || b.hold(seen))),
            },
            Self::After(a, b) => match (memory, a.begin(seen)) {
                (1, true) => None,
                _ => Some(u32::from(memory == 1 || b.hold(seen))),
            },
            Self::AtMost(n, a) => {
                let count = memory + u32::from(a.begin(seen));
                (count <= *n).then_some(count)
            }
            // Whether it was so since the last event from outside; an event begins anew.
            Self::AlwaysEventually(a) => Some(match seen.event {
                Some(_) => u32::from(a.hold(seen)),
                None => u32::from(memory == 1 || a.hold(seen)),
            }),
            Self::Eventually(a) => Some(u32::from(memory == 1 || a.hold(seen))),
            // 1: nothing is owed.
            Self::LeadsTo(a, b) => Some(match (a.begin(seen), b.hold(seen)) {
                (_, true) => 1,
                (true, false) => 0,
                (false, false) => memory,
            }),
        }
    }

    /// What is remembered before anything was seen.
    pub(crate) fn start(&self) -> u32 {
        u32::from(matches!(self, Self::LeadsTo(..)))
    }

    /// Whether it asks for what must come, instead of what must not.
    pub(crate) fn is_liveness(&self) -> bool {
        matches!(self, Self::AlwaysEventually(_) | Self::Eventually(_) | Self::LeadsTo(..))
    }
}

/// Reads an invariant: a text, or a map with `rule` and a `message`.
pub(crate) fn parse(
    value: &Value,
    pointer: &str,
    find: &dyn Fn(&str) -> Option<StateId>,
    states: &[State],
    events: &[&str],
) -> Result<Invariant, Refusal> {
    let (text, at) = match value {
        Value::Text(text) => (text.as_str(), pointer.to_owned()),
        Value::Map(map) if map.keys().all(|k| matches!(k.as_str(), "rule" | "message" | "name")) => {
            (map.get("rule").and_then(Value::as_str).unwrap_or_default(), format!("{pointer}/rule"))
        }
        _ => {
            let message = "an invariant is a text, or a map with `rule`, `name` and `message`";
            return Err(Refusal::new("wrong-type", message).at_path(pointer));
        }
    };
    let words: Vec<&str> = text.split_whitespace().map(|w| w.trim_matches([',', ';'])).collect();
    let lower: Vec<String> = words.iter().map(|w| w.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let find_words = |part: &[&str]| lower.windows(part.len()).position(|w| w == part);
    let slice = |range: std::ops::Range<usize>| words.get(range).unwrap_or_default();
    let atoms = |part: &[&str]| atoms(part, &at, find, states, events);
    let end = words.len();
    let form = match lower.as_slice() {
        ["never", ..] => match (find_words(&["without"]), find_words(&["after"])) {
            (Some(w), _) => {
                let stop = lower.iter().rposition(|w| *w == "before").filter(|b| *b > w).unwrap_or(end);
                Form::Without(atoms(slice(1..w))?, atoms(slice(w + 1..stop))?)
            }
            (None, Some(w)) => Form::After(atoms(slice(1..w))?, atoms(slice(w + 1..end))?),
            (None, None) => Form::Never(atoms(slice(1..end))?),
        },
        ["always", "eventually", ..] => Form::AlwaysEventually(atoms(slice(2..end))?),
        ["eventually", ..] => Form::Eventually(atoms(slice(1..end))?),
        _ => {
            if let Some(w) = find_words(&["leads", "to"]) {
                Form::LeadsTo(atoms(slice(0..w))?, atoms(slice(w + 2..end))?)
            } else if let Some(w) = find_words(&["at", "most"]) {
                let times = lower.get(w + 2).copied().unwrap_or_default();
                let (times, mut rest) = match times {
                    "once" => (Some(1), w + 3),
                    "twice" => (Some(2), w + 3),
                    n => (n.trim_end_matches(['×', 'x']).parse::<u32>().ok(), w + 3),
                };
                rest += usize::from(matches!(lower.get(rest), Some(&("times" | "time" | "times:" | "×"))));
                let Some(times) = times.filter(|n| *n <= MAX_TIMES) else {
                    return Err(unknown_form(text, &at));
                };
                let part = [slice(0..w), slice(rest..end)].concat();
                Form::AtMost(times, atoms(&part)?)
            } else {
                return Err(unknown_form(text, &at));
            }
        }
    };
    let message = value.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Invariant { text: text.to_owned(), message, pointer: pointer.to_owned(), form })
}

fn unknown_form(text: &str, at: &str) -> Refusal {
    Refusal::new("unknown-invariant", format!("`{text}` has none of the forms of an invariant")).at_path(at).suggest(
        "the forms are: never A; never A without B before; never A after B; at most N times A; \
         always eventually A; eventually A; A leads to B",
    )
}

fn atoms(
    words: &[&str],
    at: &str,
    find: &dyn Fn(&str) -> Option<StateId>,
    states: &[State],
    events: &[&str],
) -> Result<Atoms, Refusal> {
    let mut atoms = Atoms::default();
    for part in words.split(|w| w.eq_ignore_ascii_case("or")) {
        let (name, only_event) = match part {
            [kind, name] if kind.eq_ignore_ascii_case("event") => (*name, true),
            [kind, name] if kind.eq_ignore_ascii_case("state") => (*name, false),
            [name] => (*name, false),
            _ => {
                let message = format!("`{}` is not the path of one state, and not `event NAME`", part.join(" "));
                return Err(Refusal::new("unknown-invariant", message).at_path(at));
            }
        };
        let name = name.trim_matches(['`', '"', '\'']);
        match find(name).filter(|_| !only_event) {
            Some(id) => atoms.states.push(id),
            None if events.contains(&name) => atoms.events.push(name.to_owned()),
            None => {
                let mut names: Vec<&str> = events.iter().copied().filter(|e| !e.is_empty()).collect();
                if !only_event {
                    names.extend(states.iter().skip(1).map(|s| s.path.as_str()));
                }
                let what = if only_event { "event" } else { "state" };
                let refusal = Refusal::new(&format!("unknown-{what}"), format!("there is no {what} `{name}`"));
                return Err(match nearest(name, &names) {
                    Some(near) => refusal.at_path(at).suggest(format!("did you mean `{near}`?")),
                    None => refusal.at_path(at),
                });
            }
        }
    }
    Ok(atoms)
}
