//! Reading a definition: everything wrong with it in one pass, each with its place in the document.

use std::collections::BTreeMap;

use throughline_expr::Expr;
use throughline_expr::time::parse_duration;
use throughline_journal::Millis;
use throughline_protocol::{Refusal, nearest};
use throughline_value::{Map, Named, Value};

use super::definition::{Candidate, Definition, Delay, Invoke, ROOT, State, StateId};
use super::invariant::{self, Invariant, MAX_INVARIANTS};
use super::run::ALWAYS;

/// The most states of a machine. More are refused with `too-many-states`.
pub const MAX_MACHINE_STATES: usize = 20_000;

/// The deepest nesting of states. Deeper ones are refused with `too-deep`.
pub const MAX_MACHINE_DEPTH: usize = 16;

/// The most states that are named when one that there is none of is named.
const MAX_NAMES_TOLD: usize = 50;

const MACHINE_KEYS: &[&str] = &["migrate", "version", "invariants"];
const STATE_KEYS: &[&str] = &[
    "id",
    "initial",
    "states",
    "on",
    "after",
    "always",
    "onDone",
    "invoke",
    "entry",
    "exit",
    "type",
    "description",
    "meta",
    "tags",
];
const INVOKE_KEYS: &[&str] = &["id", "src", "input", "onDone", "onError"];
const TRANSITION_KEYS: &[&str] = &["target", "guard", "cond", "actions", "reason", "reenter", "description", "meta"];
/// What XState has and this machine does not run: refused, never ignored.
const UNSUPPORTED: &[&str] = &["onError", "context", "activities", "delay", "onSnapshot", "systemId", "output"];
const HISTORY_KEYS: &[&str] = &["history", "target"];

/// Reads a machine; `pointer` is where the document stands (`/machine`).
///
/// # Errors
/// The first problem, with all of them in `details.problems`.
pub(crate) fn parse(document: &Value, pointer: &str) -> Result<Definition, Refusal> {
    let mut reader = Reader::default();
    reader.state(document, pointer, None, String::new(), 0);
    // What names states beyond the limit is no mistake of its own.
    let (mut migrate, mut invariants) = (Named::new(), Vec::new());
    if !reader.full {
        reader.resolve();
        migrate = reader.migrate(document, pointer);
        invariants = reader.invariants(document, pointer);
    }
    let id = document.get("id").and_then(Value::as_str).unwrap_or("machine").to_owned();
    let mut problems = reader.problems.into_iter();
    if let Some(first) = problems.next() {
        let all: Vec<Value> = std::iter::once(&first)
            .chain(problems.as_slice())
            .map(|p| {
                Value::from([
                    ("code", Value::from(p.code.as_str())),
                    ("path", p.path.clone().into()),
                    ("message", p.message.as_str().into()),
                    ("suggestion", p.suggestion.clone().into()),
                ])
            })
            .collect();
        return Err(first.with(Value::from([("problems", Value::List(all))])));
    }
    let by_path = reader.states.iter().enumerate().map(|(id, state)| (state.path.clone(), id)).collect();
    let events = || reader.states.iter().flat_map(|state| state.on.keys().map(move |event| (state, event)));
    let has_always = events().any(|(_, event)| event == ALWAYS);
    let has_done = events().any(|(state, event)| *event == state.done_event());
    let histories = (0..reader.states.len()).filter(|id| reader.states.get(*id).is_some_and(|s| s.history.is_some()));
    let histories = histories.collect();
    Ok(Definition {
        id,
        canonical: document.canonical(),
        states: reader.states,
        by_path,
        migrate,
        findings: Vec::new(),
        invariants,
        histories,
        has_always,
        has_done,
    })
}

#[derive(Default)]
struct Reader {
    states: Vec<State>,
    problems: Vec<Refusal>,
    /// Names to be resolved when every state is known.
    initials: Vec<(StateId, String, String)>,
    /// The same for the targets of history states.
    defaults: Vec<(StateId, String, String)>,
    targets: Vec<Target>,
    /// The `id` of a state, for targets like `#name`.
    ids: Named<StateId>,
    /// The states by their paths.
    paths: BTreeMap<String, StateId>,
    /// Whether there are more states than are read.
    full: bool,
}

/// A target that is to be resolved: the place of its candidate and what it says.
struct Target {
    state: StateId,
    event: String,
    candidate: usize,
    text: String,
    pointer: String,
}

fn step(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

impl Reader {
    fn problem(&mut self, code: &str, message: impl Into<String>, pointer: &str) {
        self.problems.push(Refusal::new(code, message).at_path(pointer));
    }

    fn keys(&mut self, map: &Map, allowed: &[&str], more: &[&str], pointer: &str) {
        for key in map.keys().filter(|k| !allowed.contains(&k.as_str()) && !more.contains(&k.as_str())) {
            let at = step(pointer, key);
            if UNSUPPORTED.contains(&key.as_str()) {
                self.problem("unsupported-machine", format!("`{key}` is not supported yet; take it out"), &at);
                continue;
            }
            let refusal = Refusal::new("unknown-field", format!("there is no `{key}` here")).at_path(at);
            self.problems.push(match nearest(key, allowed) {
                Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
                None => refusal.suggest(format!("the names are {}", allowed.join(", "))),
            });
        }
    }

    fn text(&mut self, map: &Map, name: &str, pointer: &str) -> Option<String> {
        match map.get(name)? {
            Value::Text(text) => Some(text.clone()),
            other => {
                self.problem("wrong-type", format!("a text is expected, not a {}", other.kind()), &step(pointer, name));
                None
            }
        }
    }

    fn state(&mut self, value: &Value, pointer: &str, parent: Option<StateId>, path: String, depth: usize) {
        let Value::Map(map) = value else {
            return self.problem("wrong-type", format!("a state is a map, not a {}", value.kind()), pointer);
        };
        if depth > MAX_MACHINE_DEPTH {
            return self.problem("too-deep", format!("states nest at most {MAX_MACHINE_DEPTH} deep"), pointer);
        }
        if self.states.len() >= MAX_MACHINE_STATES {
            if !std::mem::replace(&mut self.full, true) {
                self.problem("too-many-states", format!("a machine has at most {MAX_MACHINE_STATES} states"), pointer);
            }
            return;
        }
        let kind = self.text(map, "type", pointer).unwrap_or_default();
        let more = match (kind.as_str(), parent) {
            ("history", Some(_)) => HISTORY_KEYS,
            (_, None) => MACHINE_KEYS,
            _ => &[],
        };
        self.keys(map, STATE_KEYS, more, pointer);
        let id = self.states.len();
        match kind.as_str() {
            "" | "atomic" | "compound" | "final" | "parallel" => {}
            "history" if parent.is_some() => {}
            other => {
                let at = step(pointer, "type");
                self.problem(
                    "unknown-type",
                    format!("`{other}` is no type of state; leave it out, or say `final`"),
                    &at,
                );
            }
        }
        let state = State {
            path: path.clone(),
            parent,
            is_final: kind == "final",
            parallel: kind == "parallel",
            history: (kind == "history").then(|| map.get("history").is_some_and(|h| *h == "deep".into())),
            description: self.text(map, "description", pointer).unwrap_or_default(),
            entry: self.actions(map, "entry", pointer),
            exit: self.actions(map, "exit", pointer),
            ..State::default()
        };
        self.states.push(state);
        self.paths.entry(path.clone()).or_insert(id);
        if kind == "history" {
            self.history(map, id, pointer);
        } else if let Some(parent) = parent.and_then(|p| self.states.get_mut(p)) {
            parent.children.push(id);
        }
        if let Some(name) = self.text(map, "id", pointer) {
            self.ids.insert(name, id);
        }
        self.transitions(map, id, pointer);
        self.children(map, id, pointer, &path, depth);
        let ways = ["on", "after", "always", "onDone", "invoke", "states"];
        let goes_on = ways.iter().any(|k| map.contains_key(k));
        if kind == "history" && (goes_on || map.contains_key("entry") || map.contains_key("exit")) {
            let message = "a history state is never active: it has no transitions, actions or states inside";
            self.problem("history-state-goes-on", message, pointer);
        }
        if kind == "final" && goes_on {
            self.problem("final-state-goes-on", "a final state has neither transitions nor states inside", pointer);
        }
    }

    fn history(&mut self, map: &Map, id: StateId, pointer: &str) {
        if let Some(text) = self.text(map, "target", pointer) {
            self.defaults.push((id, text, step(pointer, "target")));
        }
        let known = map.get("history").is_none_or(|h| matches!(h.as_str(), Some("deep" | "shallow")));
        if !known {
            self.problem("unknown-type", "a history is `shallow` or `deep`", &step(pointer, "history"));
        }
    }

    fn children(&mut self, map: &Map, id: StateId, pointer: &str, path: &str, depth: usize) {
        let at = step(pointer, "states");
        let children = match map.get("states") {
            Some(Value::Map(children)) => children,
            Some(other) => {
                return self.problem("wrong-type", format!("states are a map from names, not a {}", other.kind()), &at);
            }
            None if id == ROOT => {
                return self.problem("missing-field", "a machine needs `states`", &at);
            }
            None => return,
        };
        match self.text(map, "initial", pointer) {
            Some(_) if self.states.get(id).is_some_and(|state| state.parallel) => {
                let message = "all states inside a parallel state are active; take `initial` out";
                self.problem("unknown-field", message, &step(pointer, "initial"));
            }
            Some(initial) => self.initials.push((id, initial, step(pointer, "initial"))),
            None if children.is_empty() && id != ROOT => {}
            None if self.states.get(id).is_some_and(|state| state.parallel) => {}
            None => {
                let message = "where states lie inside, one of them must be `initial`";
                self.problem("missing-initial", message, &step(pointer, "initial"));
            }
        }
        for (name, child) in children {
            let at = step(&at, name);
            if name.is_empty() || name.contains(['.', '#']) || name.chars().any(char::is_whitespace) {
                self.problem("bad-name", format!("a state's name has no point, `#` or space; `{name}` has"), &at);
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.state(child, &at, Some(id), path, depth + 1);
        }
    }

    fn actions(&mut self, map: &Map, name: &str, pointer: &str) -> Vec<Value> {
        let at = step(pointer, name);
        let list = match map.get(name) {
            None => return Vec::new(),
            Some(Value::List(list)) => list.clone(),
            Some(one) => vec![one.clone()],
        };
        for (i, action) in list.iter().enumerate() {
            let named = action.as_str().or_else(|| action.get("type").and_then(Value::as_str));
            if named.is_none_or(str::is_empty) {
                let message = "an action is a name, or a map with its name as `type`";
                self.problem("wrong-type", message, &step(&at, &i.to_string()));
            }
        }
        list
    }

    fn transitions(&mut self, map: &Map, id: StateId, pointer: &str) {
        let at = step(pointer, "on");
        match map.get("on") {
            None => {}
            Some(Value::Map(events)) => {
                for (event, ways) in events {
                    let at = step(&at, event);
                    if event.is_empty() || event.contains('*') || event.starts_with("after.") || self.is_end(event) {
                        let message = "an event has a plain name; `*` is not supported, `after.` stands for delays, and the \
                                       end of a state is `onDone`";
                        self.problem("bad-name", message, &at);
                    }
                    self.ways(ways, id, event, &at);
                }
            }
            Some(other) => self.problem("wrong-type", format!("`on` maps events, it is not a {}", other.kind()), &at),
        }
        if let Some(ways) = map.get("always") {
            self.ways(ways, id, ALWAYS, &step(pointer, "always"));
        }
        if let Some(ways) = map.get("onDone") {
            let event = self.states.get(id).map(State::done_event).unwrap_or_default();
            if id == ROOT || !map.contains_key("states") {
                let message = "`onDone` belongs to a state with states inside, not to the machine itself";
                self.problem("unknown-field", message, &step(pointer, "onDone"));
            }
            self.ways(ways, id, &event, &step(pointer, "onDone"));
        }
        self.invokes(map, id, pointer);
        let at = step(pointer, "after");
        match map.get("after") {
            None => {}
            Some(Value::Map(delays)) => {
                for (delay, ways) in delays {
                    let at = step(&at, delay);
                    match milliseconds(delay) {
                        Ok(after) => {
                            let path = self.states.get(id).map_or("", |s| &s.path);
                            let event = format!("after.{delay}.{path}");
                            self.ways(ways, id, &event, &at);
                            if let Some(state) = self.states.get_mut(id) {
                                state.delays.push(Delay { event, after });
                            }
                        }
                        Err(message) => self.problem("bad-duration", message, &at),
                    }
                }
            }
            Some(other) => {
                self.problem("wrong-type", format!("`after` maps delays, it is not a {}", other.kind()), &at)
            }
        }
    }

    /// Whether an event is one by which a state says that it came to its end.
    fn is_end(&self, event: &str) -> bool {
        event.strip_prefix("done.").is_some_and(|path| !path.starts_with("invoke."))
    }

    fn invokes(&mut self, map: &Map, id: StateId, pointer: &str) {
        let at = step(pointer, "invoke");
        let list = match map.get("invoke") {
            None => return,
            Some(Value::List(list)) => list.iter().enumerate().map(|(i, v)| (v, step(&at, &i.to_string()))).collect(),
            Some(one) => vec![(one, at)],
        };
        for (nth, (value, at)) in list.into_iter().enumerate() {
            let Value::Map(map) = value else {
                self.problem("wrong-type", format!("work outside is a map with `src`, not a {}", value.kind()), &at);
                continue;
            };
            self.keys(map, INVOKE_KEYS, &[], &at);
            let src = self.text(map, "src", &at).unwrap_or_default();
            if src.is_empty() {
                self.problem("missing-field", "`invoke` names what is to be done as `src`", &step(&at, "src"));
            }
            let path = self.states.get(id).map_or_else(String::new, |s| s.path.clone());
            let name = match self.text(map, "id", &at) {
                Some(name) => name,
                None => {
                    if nth == 0 {
                        path
                    } else {
                        format!("{path}.{nth}")
                    }
                }
            };
            for (field, event) in
                [("onDone", format!("done.invoke.{name}")), ("onError", format!("error.invoke.{name}"))]
            {
                if let Some(ways) = map.get(field) {
                    self.ways(ways, id, &event, &step(&at, field));
                }
            }
            let input = map.get("input").cloned().unwrap_or_default();
            if let Some(state) = self.states.get_mut(id) {
                state.invoke.push(Invoke { id: name, src, input });
            }
        }
    }

    fn invariants(&mut self, document: &Value, pointer: &str) -> Vec<Invariant> {
        let at = step(pointer, "invariants");
        let list = match document.get("invariants") {
            None => return Vec::new(),
            Some(Value::List(list)) if list.len() <= MAX_INVARIANTS => list,
            Some(Value::List(_)) => {
                self.problem("too-many-invariants", format!("a machine has at most {MAX_INVARIANTS} invariants"), &at);
                return Vec::new();
            }
            Some(other) => {
                self.problem("wrong-type", format!("`invariants` is a list, not a {}", other.kind()), &at);
                return Vec::new();
            }
        };
        let mut read = Vec::new();
        let events: Vec<&str> = self.states.iter().flat_map(|s| s.on.keys().map(String::as_str)).collect();
        let mut problems = Vec::new();
        for (i, value) in list.iter().enumerate() {
            let at = step(&at, &i.to_string());
            match invariant::parse(value, &at, &|path| self.child(ROOT, path), &self.states, &events) {
                Ok(invariant) => read.push(invariant),
                Err(refusal) => problems.push(refusal),
            }
        }
        self.problems.extend(problems);
        read
    }

    fn ways(&mut self, ways: &Value, id: StateId, event: &str, pointer: &str) {
        match ways {
            Value::List(list) => {
                for (i, way) in list.iter().enumerate() {
                    self.way(way, id, event, &step(pointer, &i.to_string()));
                }
            }
            one => self.way(one, id, event, pointer),
        }
    }

    fn way(&mut self, way: &Value, id: StateId, event: &str, pointer: &str) {
        let mut candidate = Candidate {
            target: None,
            guard: None,
            actions: Vec::new(),
            reason: String::new(),
            reenter: false,
            pointer: pointer.to_owned(),
        };
        let target = match way {
            Value::Text(target) => Some((target.clone(), pointer.to_owned())),
            Value::Map(map) => {
                self.keys(map, TRANSITION_KEYS, &[], pointer);
                candidate.actions = self.actions(map, "actions", pointer);
                candidate.reason = self.text(map, "reason", pointer).unwrap_or_default();
                candidate.reenter = map.get("reenter").and_then(Value::as_bool).unwrap_or(false);
                candidate.guard = self.guard(map, pointer);
                self.text(map, "target", pointer).map(|target| (target, step(pointer, "target")))
            }
            Value::Null => None,
            other => {
                let message = format!("a transition is a target, a map or a list of them, not a {}", other.kind());
                return self.problem("wrong-type", message, pointer);
            }
        };
        let Some(state) = self.states.get_mut(id) else { return };
        let ways = state.on.entry(event.to_owned()).or_default();
        if let Some((text, pointer)) = target {
            self.targets.push(Target { state: id, event: event.to_owned(), candidate: ways.len(), text, pointer });
        }
        ways.push(candidate);
    }

    fn guard(&mut self, map: &Map, pointer: &str) -> Option<Expr> {
        let name = if map.contains_key("guard") { "guard" } else { "cond" };
        let source = self.text(map, name, pointer)?;
        match Expr::parse(&source) {
            Ok(guard) => Some(guard),
            Err(error) => {
                let mut refusal = Refusal::new(error.code(), error.message().to_owned()).at_path(step(pointer, name));
                refusal.span = error.span();
                self.problems.push(refusal);
                None
            }
        }
    }

    fn child(&self, of: StateId, name: &str) -> Option<StateId> {
        let path = self.states.get(of).map(|s| s.path.as_str())?;
        let full = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        self.paths.get(&full).copied().filter(|id| *id != ROOT)
    }

    /// A target as XState reads it: `.inside`, `#id`, `#id.inside`, a sibling, or a path from the root.
    fn target(&self, source: StateId, text: &str) -> Option<StateId> {
        if let Some(inside) = text.strip_prefix('.') {
            return self.child(source, inside);
        }
        if let Some(named) = text.strip_prefix('#') {
            let (name, rest) = named.split_once('.').map_or((named, None), |(name, rest)| (name, Some(rest)));
            let from = self.ids.get(named).or_else(|| self.ids.get(name)).copied()?;
            return match rest.filter(|_| !self.ids.contains_key(named)) {
                Some(rest) => self.child(from, rest),
                None => Some(from),
            };
        }
        let parent = self.states.get(source)?.parent.unwrap_or(ROOT);
        self.child(parent, text).or_else(|| self.child(ROOT, text))
    }

    fn resolve(&mut self) {
        for (id, name, pointer) in std::mem::take(&mut self.initials) {
            let is_state = |child: &StateId| self.states.get(*child).is_some_and(|s| s.history.is_none());
            let child = self.child(id, &name).filter(|child| !name.contains('.') && is_state(child));
            if child.is_none() {
                self.unknown_target(&name, &pointer, Some(id));
            }
            if let Some(state) = self.states.get_mut(id) {
                state.initial = child;
            }
        }
        for (id, name, pointer) in std::mem::take(&mut self.defaults) {
            let found = self.target(id, &name);
            if found.is_none() {
                self.unknown_target(&name, &pointer, None);
            }
            if let Some(state) = self.states.get_mut(id) {
                state.otherwise = found;
            }
        }
        for target in std::mem::take(&mut self.targets) {
            let found = self.target(target.state, &target.text);
            if found.is_none() {
                self.unknown_target(&target.text, &target.pointer, None);
            }
            let ways = self.states.get_mut(target.state).and_then(|s| s.on.get_mut(&target.event));
            if let Some(way) = ways.and_then(|ways| ways.get_mut(target.candidate)) {
                way.target = found;
            }
        }
    }

    fn unknown_target(&mut self, name: &str, pointer: &str, parent: Option<StateId>) {
        let names: Vec<&str> = self
            .states
            .iter()
            .skip(1)
            .filter(|s| parent.is_none() || s.parent == parent)
            .map(|s| if parent.is_some() { s.path.rsplit('.').next().unwrap_or(&s.path) } else { &s.path })
            .collect();
        let refusal = Refusal::new("unknown-target", format!("there is no state `{name}`")).at_path(pointer);
        let refusal = match nearest(name, &names) {
            Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
            None if names.len() > MAX_NAMES_TOLD => refusal.suggest(format!("there are {} states", names.len())),
            None => refusal.suggest(format!("the states are {}", names.join(", "))),
        };
        self.problems.push(refusal);
    }

    fn migrate(&mut self, document: &Value, pointer: &str) -> Named<String> {
        let at = step(pointer, "migrate");
        let map = match document.get("migrate") {
            None => return Named::new(),
            Some(Value::Map(map)) => map,
            Some(other) => {
                self.problem("wrong-type", format!("`migrate` maps old states to new, not a {}", other.kind()), &at);
                return Named::new();
            }
        };
        let mut migrate = Named::new();
        for (old, new) in map {
            let at = step(&at, old);
            match new.as_str() {
                Some(new) if self.child(ROOT, new).is_some() => {
                    migrate.insert(old.clone(), new.to_owned());
                }
                Some(new) => self.unknown_target(new, &at, None),
                None => self.problem("wrong-type", "the path of a state is expected", &at),
            }
        }
        migrate
    }
}

/// A delay as an ISO 8601 duration, or in whole milliseconds as XState writes it.
fn milliseconds(text: &str) -> Result<Millis, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_err(|_| format!("`{text}` is too long a delay"));
    }
    let ms = parse_duration(text).and_then(|d| d.exact_ms()).map_err(|error| error.message().to_owned())?;
    if ms < 0 { Err(format!("`{text}` lies in the past")) } else { Ok(ms) }
}
