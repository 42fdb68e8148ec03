//! State machines in the Amazon States Language, read into ours.
//!
//! What is carried over is how the states lead to one another. Data is not: a `Choice` asks the facts of the
//! same names, work is an effect (`invoke`), and what has no counterpart is listed as a note, never dropped in
//! silence. A definition that is broken in its structure is refused with every problem at once.

use throughline_protocol::view::{Finding, ImportedMachine};
use throughline_protocol::{Refusal, nearest};
use throughline_value::{Map, SortedMap, SortedSet, Value};

/// The deepest nesting of `Parallel` and `Map` that is read.
const MAX_DEPTH: usize = 16;

/// The fields of which a state has only one.
const EITHER: &[(&str, &str)] = &[
    ("Next", "End"),
    ("Seconds", "SecondsPath"),
    ("Seconds", "Timestamp"),
    ("Timestamp", "TimestampPath"),
    ("Error", "ErrorPath"),
    ("Cause", "CausePath"),
    ("TimeoutSeconds", "TimeoutSecondsPath"),
    ("HeartbeatSeconds", "HeartbeatSecondsPath"),
    ("Iterator", "ItemProcessor"),
    ("MaxConcurrency", "MaxConcurrencyPath"),
    ("ToleratedFailurePercentage", "ToleratedFailurePercentagePath"),
    ("ToleratedFailureCount", "ToleratedFailureCountPath"),
    ("MaxItems", "MaxItemsPath"),
    ("MaxItemsPerBatch", "MaxItemsPerBatchPath"),
    ("MaxInputBytesPerBatch", "MaxInputBytesPerBatchPath"),
];

const TYPES: &[&str] = &["Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map"];

/// Reads a machine of another notation: `asl`.
///
/// # Errors
/// `unknown-format`; else the first problem of the definition, with all of them in `details.problems`:
/// `missing-field`, `wrong-type`, `unknown-type`, `unknown-target`, `unreachable-state`, `no-terminal-state`,
/// `either-field`, `missing-next`, `duplicate-name`, `out-of-range`, `too-deep`.
pub fn import_machine(format: &str, definition: &Value) -> Result<ImportedMachine, Refusal> {
    if format != "asl" {
        let refusal = Refusal::new("unknown-format", format!("there is no reader of `{format}`")).at_path("/format");
        return Err(refusal.suggest("the formats are: asl"));
    }
    let mut reader = Reader::default();
    let mut machine = reader.scope(definition, "/definition", 0);
    let mut problems = reader.problems.into_iter();
    if let Some(first) = problems.next() {
        let all = std::iter::once(&first).chain(problems.as_slice()).map(|p| {
            Value::from([
                ("code", Value::from(p.code.as_str())),
                ("path", p.path.clone().into()),
                ("message", p.message.as_str().into()),
            ])
        });
        let all = Value::from([("problems", Value::List(all.collect()))]);
        return Err(first.with(all));
    }
    machine.insert("id".to_owned(), definition.get("Comment").and_then(Value::as_str).unwrap_or("imported").into());
    Ok(ImportedMachine { machine: Value::Map(machine), notes: reader.notes })
}

#[derive(Default)]
struct Reader {
    problems: Vec<Refusal>,
    notes: Vec<Finding>,
    /// Every state's name in the whole definition.
    names: SortedSet<String>,
}

/// The states around one, with the names they get.
struct Scope {
    names: SortedMap<String, String>,
    end: String,
    ends: bool,
}

fn step(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A name that a state of ours can have.
fn plain(name: &str, taken: &SortedMap<String, String>) -> String {
    let bad = |c: char| c.is_whitespace() || matches!(c, '.' | '#' | '`');
    let mut plain: String = name.chars().map(|c| if bad(c) { '_' } else { c }).collect();
    while plain.is_empty() || taken.values().any(|t| *t == plain) {
        plain.push('_');
    }
    plain
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Map {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Reader {
    fn problem(&mut self, code: &str, message: impl Into<String>, pointer: &str) {
        self.problems.push(Refusal::new(code, message).at_path(pointer));
    }

    fn note(&mut self, code: &str, message: impl Into<String>, pointer: &str) {
        self.notes.push(Finding {
            code: code.to_owned(),
            message: message.into(),
            path: pointer.to_owned(),
            severity: "warning".to_owned(),
            ..Finding::default()
        });
    }

    /// States that lead to one another: of the machine, of a branch, or of what is done for each item.
    fn scope(&mut self, value: &Value, pointer: &str, depth: usize) -> Map {
        let Value::Map(document) = value else {
            self.problem("wrong-type", format!("a machine is a map, not a {}", value.kind()), pointer);
            return Map::new();
        };
        if depth > MAX_DEPTH {
            self.problem("too-deep", format!("states nest at most {MAX_DEPTH} deep"), pointer);
            return Map::new();
        }
        let Some(Value::Map(states)) = document.get("States") else {
            self.problem("missing-field", "a machine has `States`, a map from names", &step(pointer, "States"));
            return Map::new();
        };
        let mut names: SortedMap<String, String> = SortedMap::new();
        for name in states.keys() {
            if !self.names.insert(name.clone()) {
                let message =
                    format!("another state is called `{name}` already; names are unique in the whole machine");
                self.problem("duplicate-name", message, &step(&step(pointer, "States"), name));
            }
            let plain = plain(name, &names);
            names.insert(name.clone(), plain);
        }
        let end = plain("End", &names);
        let mut scope = Scope { names, end, ends: false };
        let start = document.get("StartAt").and_then(Value::as_str);
        if start.is_none() {
            self.problem("missing-field", "`StartAt` names the first state", &step(pointer, "StartAt"));
        }
        let initial = start.map(|start| self.target(&scope, start, &step(pointer, "StartAt")));
        let mut reached: SortedSet<&str> = SortedSet::new();
        let mut open: Vec<&str> = start.into_iter().collect();
        while let Some(name) = open.pop() {
            if let Some(state) = states.get(name).filter(|_| reached.insert(name)) {
                open.extend(targets(state));
            }
        }
        let mut terminal = false;
        let mut converted = Map::new();
        for (name, state) in states {
            let at = step(&step(pointer, "States"), name);
            if start.is_some() && !reached.contains(name.as_str()) {
                self.problem("unreachable-state", format!("no state leads to `{name}`"), &at);
            }
            let kind = state.get("Type").and_then(Value::as_str).unwrap_or_default();
            terminal |= matches!(kind, "Succeed" | "Fail") || state.get("End") == Some(&true.into());
            let mut ours = self.state(&mut scope, name, state, kind, &at, depth);
            if scope.names.get(name) != Some(name) {
                ours.insert("description".to_owned(), name.as_str().into());
            }
            converted.insert(scope.names.get(name).cloned().unwrap_or_default(), Value::Map(ours));
        }
        if !terminal {
            let message = "no state ends it: one has `\"End\": true`, or is a `Succeed` or `Fail`";
            self.problem("no-terminal-state", message, &step(pointer, "States"));
        }
        if scope.ends {
            converted.insert(scope.end.clone(), Value::Map(map([("type", "final".into())])));
        }
        let mut ours = Map::new();
        if let Some(initial) = initial {
            ours.insert("initial".to_owned(), initial.into());
        }
        ours.insert("states".to_owned(), Value::Map(converted));
        ours
    }

    fn target(&mut self, scope: &Scope, name: &str, pointer: &str) -> String {
        if let Some(plain) = scope.names.get(name) {
            return plain.clone();
        }
        let names: Vec<&str> = scope.names.keys().map(String::as_str).collect();
        let refusal =
            Refusal::new("unknown-target", format!("there is no state `{name}` beside this one")).at_path(pointer);
        self.problems.push(match nearest(name, &names) {
            Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
            None => refusal,
        });
        String::new()
    }

    /// Where a state goes on: `Next`, or the end.
    fn next(&mut self, scope: &mut Scope, state: &Value, pointer: &str) -> Value {
        match (state.get("Next"), state.get("End")) {
            (Some(Value::Text(name)), None) => self.target(scope, name, &step(pointer, "Next")).into(),
            (None, Some(Value::Bool(true))) => {
                scope.ends = true;
                scope.end.as_str().into()
            }
            // Reported with the fields of which only one may be there.
            (Some(_), Some(_)) => Value::Null,
            _ => {
                self.problem("missing-next", "a state has `Next` or `\"End\": true`", pointer);
                Value::Null
            }
        }
    }

    fn state(&mut self, scope: &mut Scope, name: &str, state: &Value, kind: &str, at: &str, depth: usize) -> Map {
        let Value::Map(fields) = state else {
            self.problem("wrong-type", format!("a state is a map, not a {}", state.kind()), at);
            return Map::new();
        };
        self.either(state, at, 0);
        if let Some(percent) = fields.get("ToleratedFailurePercentage").and_then(Value::as_i64)
            && !(0..=100).contains(&percent)
        {
            let place = step(at, "ToleratedFailurePercentage");
            self.problem("out-of-range", "a percentage lies between 0 and 100", &place);
        }
        if fields.contains_key("Retry") {
            self.note("retry-left-out", format!("how `{name}` is tried again is for the host"), &step(at, "Retry"));
        }
        match kind {
            "Succeed" => map([("type", "final".into())]),
            "Fail" => {
                let mut effect = map([("type", "fail".into())]);
                for (ours, theirs) in [("error", "Error"), ("cause", "Cause")] {
                    if let Some(value) = fields.get(theirs) {
                        effect.insert(ours.to_owned(), value.clone());
                    }
                }
                map([("type", "final".into()), ("entry", Value::List(vec![Value::Map(effect)]))])
            }
            "Pass" => map([("always", self.next(scope, state, at))]),
            "Wait" => self.wait(scope, name, state, at),
            "Choice" => self.choice(scope, name, state, at),
            "Task" => {
                let resource = match fields.get("Resource") {
                    Some(Value::Text(resource)) => resource.clone(),
                    // What is put in when it is deployed.
                    Some(other) if !other.is_null() => other.to_json(),
                    _ => {
                        let message = "a task names what is to be done as `Resource`";
                        self.problem("missing-field", message, &step(at, "Resource"));
                        return Map::new();
                    }
                };
                let mut invoke = map([("src", resource.into())]);
                if let Some(input) = fields.get("Arguments").or_else(|| fields.get("Parameters")) {
                    invoke.insert("input".to_owned(), input.clone());
                }
                invoke.insert("onDone".to_owned(), self.next(scope, state, at));
                let caught = self.catches(scope, state, at);
                if !caught.is_empty() {
                    invoke.insert("onError".to_owned(), Value::List(caught));
                }
                map([("invoke", Value::Map(invoke))])
            }
            "Parallel" => {
                let branches = fields.get("Branches").and_then(Value::as_list).unwrap_or_default();
                if branches.is_empty() {
                    self.problem("missing-field", "a parallel state has `Branches`", &step(at, "Branches"));
                }
                let regions: Vec<(String, Value)> = branches
                    .iter()
                    .enumerate()
                    .map(|(i, branch)| {
                        let place = format!("{at}/Branches/{i}");
                        (format!("branch{}", i + 1), Value::Map(self.scope(branch, &place, depth + 1)))
                    })
                    .collect();
                let mut ours =
                    map([("type", "parallel".into()), ("states", Value::Map(regions.into_iter().collect()))]);
                ours.insert("onDone".to_owned(), self.next(scope, state, at));
                self.errors(scope, name, state, at, &mut ours);
                ours
            }
            "Map" => {
                let inner = ["ItemProcessor", "Iterator"].into_iter().find_map(|n| fields.get(n).map(|v| (n, v)));
                let Some((field, inner)) = inner else {
                    self.problem("missing-field", "a map state has an `ItemProcessor`", &step(at, "ItemProcessor"));
                    return Map::new();
                };
                self.note("map-once", format!("`{name}` stands for the work on one item"), at);
                let mut ours = self.scope(inner, &step(at, field), depth + 1);
                ours.insert("onDone".to_owned(), self.next(scope, state, at));
                self.errors(scope, name, state, at, &mut ours);
                ours
            }
            other => {
                let message = format!("`{other}` is no type of state; the types are {}", TYPES.join(", "));
                self.problem("unknown-type", message, &step(at, "Type"));
                Map::new()
            }
        }
    }

    /// Fields of which only one may be there, and names that would be one when their `.$` is taken off.
    fn either(&mut self, value: &Value, pointer: &str, depth: usize) {
        match value {
            Value::Map(fields) if depth <= MAX_DEPTH => {
                for (a, b) in EITHER.iter().filter(|(a, b)| fields.contains_key(a) && fields.contains_key(b)) {
                    self.problem(
                        "either-field",
                        format!("`{a}` and `{b}` exclude each other; keep one"),
                        &step(pointer, b),
                    );
                }
                for (name, inner) in fields {
                    if name.strip_suffix(".$").is_some_and(|bare| fields.contains_key(bare)) {
                        let message = format!("`{name}` and the same without `.$` become one name");
                        self.problem("duplicate-name", message, &step(pointer, name));
                    }
                    if !matches!(name.as_str(), "States" | "Branches" | "Iterator" | "ItemProcessor") {
                        self.either(inner, &step(pointer, name), depth + 1);
                    }
                }
            }
            Value::List(list) if depth <= MAX_DEPTH => {
                for (i, inner) in list.iter().enumerate() {
                    self.either(inner, &step(pointer, &i.to_string()), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn catches(&mut self, scope: &Scope, state: &Value, pointer: &str) -> Vec<Value> {
        let mut ways = Vec::new();
        for (i, catch) in state.get("Catch").and_then(Value::as_list).unwrap_or_default().iter().enumerate() {
            let at = format!("{pointer}/Catch/{i}");
            let Some(next) = catch.get("Next").and_then(Value::as_str) else {
                self.problem("missing-next", "what is caught leads to a state: `Next`", &at);
                continue;
            };
            let target = self.target(scope, next, &step(&at, "Next"));
            let errors: Vec<&Value> =
                catch.get("ErrorEquals").and_then(Value::as_list).unwrap_or_default().iter().collect();
            let mut way = map([("target", target.into())]);
            if errors.is_empty() {
                self.problem("missing-field", "`ErrorEquals` says what is caught", &step(&at, "ErrorEquals"));
            } else if errors.iter().all(|e| !matches!(e.as_str(), Some("States.ALL"))) {
                let any =
                    errors.iter().map(|e| format!("event.error == {}", e.to_json())).collect::<Vec<_>>().join(" or ");
                way.insert("guard".to_owned(), any.into());
            }
            ways.push(Value::Map(way));
        }
        ways
    }

    fn errors(&mut self, scope: &Scope, name: &str, state: &Value, at: &str, ours: &mut Map) {
        let caught = self.catches(scope, state, at);
        if !caught.is_empty() {
            let event = format!("error.{}", scope.names.get(name).map_or("", String::as_str));
            self.note("error-is-an-event", format!("what `{name}` catches comes as the event `{event}`"), at);
            ours.insert("on".to_owned(), Value::Map([(event, Value::List(caught))].into_iter().collect()));
        }
    }

    fn wait(&mut self, scope: &mut Scope, name: &str, state: &Value, at: &str) -> Map {
        let next = self.next(scope, state, at);
        if let Some(seconds) = state.get("Seconds").and_then(Value::as_i64).filter(|s| *s >= 0) {
            let delay = [(seconds.saturating_mul(1_000).to_string(), next)];
            return map([("after", Value::Map(delay.into_iter().collect()))]);
        }
        if ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"].iter().all(|f| state.get(f).is_none()) {
            self.problem("missing-field", "a wait says how long: `Seconds` or `Timestamp`", at);
        }
        let event = format!("waited.{}", scope.names.get(name).map_or("", String::as_str));
        self.note("wait-is-an-event", format!("when the wait of `{name}` is over comes as the event `{event}`"), at);
        map([("on", Value::Map([(event, next)].into_iter().collect()))])
    }

    fn choice(&mut self, scope: &mut Scope, name: &str, state: &Value, at: &str) -> Map {
        if state.get("Next").is_some() || state.get("End").is_some() {
            self.problem("either-field", "a choice goes on by its `Choices` and its `Default` alone", at);
        }
        let choices = state.get("Choices").and_then(Value::as_list).unwrap_or_default();
        if choices.is_empty() {
            self.problem("missing-field", "a choice has `Choices`", &step(at, "Choices"));
        }
        let mut ways = Vec::new();
        for (i, choice) in choices.iter().enumerate() {
            let place = format!("{at}/Choices/{i}");
            let Some(next) = choice.get("Next").and_then(Value::as_str) else {
                self.problem("missing-next", "each of the choices leads to a state: `Next`", &place);
                continue;
            };
            let target = self.target(scope, next, &step(&place, "Next"));
            let guard = condition(choice, 0).unwrap_or_else(|| {
                let plain = scope.names.get(name).map_or("", String::as_str);
                let fact: String = plain.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
                let fact = format!("facts.choice_{fact}_{}", i + 1);
                self.note(
                    "condition-is-a-fact",
                    format!("this condition is not read; `{fact}` says whether it holds"),
                    &place,
                );
                format!("{fact} == true")
            });
            ways.push(Value::Map(map([("target", target.into()), ("guard", guard.into())])));
        }
        if let Some(default) = state.get("Default").and_then(Value::as_str) {
            let target = self.target(scope, default, &step(at, "Default"));
            ways.push(Value::Map(map([("target", target.into())])));
        }
        map([("always", Value::List(ways))])
    }
}

/// The states that one leads to.
fn targets(state: &Value) -> Vec<&str> {
    let mut found: Vec<&str> = ["Next", "Default"].iter().filter_map(|f| state.get(f)?.as_str()).collect();
    for list in ["Choices", "Catch"] {
        let list = state.get(list).and_then(Value::as_list).unwrap_or_default();
        found.extend(list.iter().filter_map(|way| way.get("Next")?.as_str()));
    }
    found
}

/// A condition over input as one over the facts of the same names; absent when it is not read.
fn condition(rule: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    for (theirs, ours) in [("And", " and "), ("Or", " or ")] {
        if let Some(list) = rule.get(theirs).and_then(Value::as_list).filter(|l| !l.is_empty()) {
            let parts = list.iter().map(|rule| condition(rule, depth + 1)).collect::<Option<Vec<_>>>()?;
            return Some(format!("({})", parts.join(ours)));
        }
    }
    if let Some(inner) = rule.get("Not") {
        return Some(format!("not ({})", condition(inner, depth + 1)?));
    }
    let path = rule.get("Variable")?.as_str()?.strip_prefix("$.")?;
    let name = |part: &str| {
        let first = part.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        first && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if !path.split('.').all(name) {
        return None;
    }
    let fact = format!("facts.{path}");
    for kind in ["String", "Numeric", "Boolean"] {
        for (op, sign) in [
            ("Equals", "=="),
            ("LessThan", "<"),
            ("LessThanEquals", "<="),
            ("GreaterThan", ">"),
            ("GreaterThanEquals", ">="),
        ] {
            if let Some(value) = rule.get(&format!("{kind}{op}")) {
                return Some(format!("{fact} {sign} {}", value.to_json()));
            }
        }
    }
    let truth = |field: &str| rule.get(field).and_then(Value::as_bool);
    match (truth("IsPresent"), truth("IsNull")) {
        (Some(true), _) => Some(format!("exists({fact})")),
        (Some(false), _) => Some(format!("not exists({fact})")),
        (_, Some(true)) => Some(format!("{fact} == null")),
        (_, Some(false)) => Some(format!("{fact} != null")),
        _ => None,
    }
}
