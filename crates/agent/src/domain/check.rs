//! Everything wrong with a domain document, in one pass: its form first (by the published schema), then what
//! its parts say of each other.

use throughline_expr::template::Template;
use throughline_expr::time::{Zone, parse_duration};
use throughline_expr::{BinaryOp, Expr, NodeData, Path, UnaryOp};
use throughline_model::schema;
use throughline_plan::Pattern;
use throughline_protocol::check::check_value;
use throughline_protocol::domain::{FieldType, Localised};
use throughline_protocol::{Command, Domain, Refusal, nearest};
use throughline_value::{Map, SortedSet, Span, Value, from_value, json, to_value};

use crate::turns::Stage;

/// The most problems that are told at once.
pub const MAX_DOMAIN_PROBLEMS: usize = 200;

/// How deep states, lists and commands of events are looked into.
const MAX_DEPTH: usize = 16;

/// The form of a domain document; written by `cargo xtask schema`.
static SCHEMA: &str = include_str!("schema.json");

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct DomainProblem {
    /// A stable code.
    pub code: &'static str,
    /// Where in the document, as a JSON pointer.
    pub path: String,
    /// What is wrong and what to do.
    pub message: String,
    /// What would work.
    pub suggestion: Option<String>,
    /// Where within the text at `path`, for an expression or a template.
    pub inner: Option<Span>,
}

/// The document read, or everything that is wrong with it.
pub(super) fn read(document: &Value) -> Result<Domain, Vec<DomainProblem>> {
    let mut found: Vec<DomainProblem> = form(document);
    // What has not its form is left out, so that the rest is checked in the same pass.
    let mut pruned = document.clone();
    for problem in &found {
        remove(&mut pruned, &problem.path);
    }
    match from_value::<Domain>(&pruned) {
        Ok(domain) => {
            let mut check = Check { domain: &domain, states: None, events: SortedSet::new(), found: Vec::new() };
            check.all();
            found.extend(check.found);
            if found.is_empty() {
                return Ok(domain);
            }
        }
        Err(error) => {
            let refusal = Refusal::from(error);
            found.push(problem("wrong-form", refusal.path.unwrap_or_default(), refusal.message));
        }
    }
    found.truncate(MAX_DOMAIN_PROBLEMS);
    Err(found)
}

/// The problems as one refusal: the first in its words, all in its details.
pub fn refusal(problems: &[DomainProblem]) -> Refusal {
    let Some(first) = problems.first() else { return Refusal::new("domain-broken", "the domain cannot be used") };
    let more = problems.len() - 1;
    let message =
        if more == 0 { first.message.clone() } else { format!("{} (and {more} more problems)", first.message) };
    let all = problems.iter().map(|problem| {
        let mut map = Map::new();
        map.insert("code".to_owned(), Value::from(problem.code));
        map.insert("path".to_owned(), Value::from(format!("/domain{}", problem.path)));
        map.insert("message".to_owned(), Value::from(problem.message.as_str()));
        if let Some(suggestion) = &problem.suggestion {
            map.insert("suggestion".to_owned(), Value::from(suggestion.as_str()));
        }
        if let Some(inner) = problem.inner {
            map.insert("inner".to_owned(), to_value(&inner).unwrap_or_default());
        }
        Value::Map(map)
    });
    let refusal = Refusal::new("domain-broken", message)
        .at_path(format!("/domain{}", first.path))
        .with(Value::from([("problems", Value::List(all.collect()))]));
    match &first.suggestion {
        Some(suggestion) => refusal.suggest(suggestion.clone()),
        None => refusal,
    }
}

fn problem(code: &'static str, path: String, message: impl Into<String>) -> DomainProblem {
    DomainProblem { code, path, message: message.into(), suggestion: None, inner: None }
}

/// A JSON pointer one step further.
fn step(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn form(document: &Value) -> Vec<DomainProblem> {
    let schema = json::read_value(SCHEMA).unwrap_or_default();
    let found = schema::problems(document, &schema).into_iter();
    found
        .map(|found| {
            let names: Vec<&str> = found.allowed.iter().filter_map(Value::as_str).collect();
            let given = if found.code == "unknown-field" {
                found.path.rsplit('/').next().map(|name| name.replace("~1", "/").replace("~0", "~"))
            } else {
                at(document, &found.path).and_then(Value::as_str).map(str::to_owned)
            };
            let near = given.and_then(|given| nearest(&given, &names));
            DomainProblem {
                suggestion: near.map(|name| format!("did you mean `{name}`?")),
                ..problem(found.code, found.path, found.message)
            }
        })
        .collect()
}

fn at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    let steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    value.at(&steps.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Takes the value at a pointer out; of a list only its end, so that what follows keeps its place.
fn remove(value: &mut Value, pointer: &str) {
    let mut here = value;
    let steps: Vec<String> =
        pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let Some((last, before)) = steps.split_last() else { return };
    for step in before {
        let next = match here {
            Value::Map(map) => map.get_mut(step),
            Value::List(list) => step.parse().ok().and_then(|index: usize| list.get_mut(index)),
            _ => None,
        };
        match next {
            Some(next) => here = next,
            None => return,
        }
    }
    match here {
        Value::Map(map) => drop(map.shift_remove(last)),
        Value::List(list) => {
            if let Ok(index) = last.parse::<usize>()
                && index < list.len()
            {
                list.remove(index);
            }
        }
        _ => {}
    }
}

struct Check<'a> {
    domain: &'a Domain,
    /// The machine's states by their paths; `None` without a machine.
    states: Option<SortedSet<String>>,
    events: SortedSet<String>,
    found: Vec<DomainProblem>,
}

impl Check<'_> {
    fn add(&mut self, code: &'static str, path: &str, message: impl Into<String>) {
        self.found.push(problem(code, path.to_owned(), message));
    }

    /// Whether a name is among those that there are; else it is told with the nearest.
    fn known<'n>(&mut self, path: &str, what: &str, name: &str, names: impl Iterator<Item = &'n String>) {
        let names: Vec<&str> = names.map(String::as_str).collect();
        if names.contains(&name) {
            return;
        }
        let suggestion = match nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => format!("the domain declares no {what}"),
            None => format!("the names are {}", names.join(", ")),
        };
        let message = format!("there is no {what} `{name}`");
        self.found
            .push(DomainProblem { suggestion: Some(suggestion), ..problem("unknown-name", path.to_owned(), message) });
    }

    fn all(&mut self) {
        let domain = self.domain;
        if domain.name.trim().is_empty() && !self.found.iter().any(|problem| problem.path == "/name") {
            self.add("missing-name", "/name", "a domain needs a name");
        }
        for (index, tag) in domain.languages.iter().enumerate() {
            self.language(&format!("/languages/{index}"), tag);
        }
        self.texts("/description", &domain.description);
        if let Some(zone) = &domain.zone
            && !crate::zones::is_zone_name(zone)
            && let Err(error) = Zone::parse(zone)
        {
            self.add("unknown-zone", "/zone", error.to_string());
        }
        self.machine();
        self.types();
        self.sources_and_tools();
        for (index, constraint) in domain.constraints.iter().enumerate() {
            let path = format!("/constraints/{index}");
            if constraint.rule.trim().is_empty() {
                self.add(
                    "missing-rule",
                    &format!("{path}/rule"),
                    "a constraint has a `rule`, an expression that must be true",
                );
            } else {
                self.condition(&format!("{path}/rule"), &constraint.rule);
            }
            for (at, action) in constraint.actions.iter().enumerate() {
                self.known(&format!("{path}/actions/{at}"), "action", action, domain.actions.keys());
            }
            for (at, entity_type) in constraint.about.iter().enumerate() {
                self.known(&format!("{path}/about/{at}"), "entity type", entity_type, domain.entity_types.keys());
            }
            for (at, saying) in constraint.says.iter().enumerate() {
                if let Err(message) = Pattern::compile(&saying.pattern) {
                    self.add("bad-pattern", &format!("{path}/says/{at}/pattern"), message);
                }
            }
            self.texts(&format!("{path}/message"), &constraint.message);
        }
        self.patterns_and_answers();
        self.intents();
        for (name, action) in &domain.actions {
            let path = step("/actions", name);
            self.json_schema(&format!("{path}/schema"), &action.schema);
            self.state_list(&format!("{path}/states"), &action.states);
            self.texts(&format!("{path}/description"), &action.description);
            if action.commands.is_empty() {
                self.add("no-commands", &format!("{path}/commands"), "an action stands for at least one command");
            }
            for (index, command) in action.commands.iter().enumerate() {
                self.command(&format!("{path}/commands/{index}"), command, 0);
            }
        }
        self.texts("/agent/instructions", &domain.agent.instructions);
    }

    /// A language is a BCP 47 tag, as far as its form goes.
    fn language(&mut self, path: &str, tag: &str) {
        let mut parts = tag.split('-');
        let first = parts.next().unwrap_or("");
        let well = (2..=8).contains(&first.len())
            && first.bytes().all(|b| b.is_ascii_alphabetic())
            && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()));
        if !well {
            self.add("bad-language", path, format!("`{tag}` is not a BCP 47 language tag such as `en` or `zh-CN`"));
        }
    }

    fn texts(&mut self, path: &str, texts: &Localised) {
        for language in texts.0.keys().filter(|language| !language.is_empty()) {
            self.language(&step(path, language), language);
        }
    }

    fn templates(&mut self, path: &str, texts: &Localised) {
        self.texts(path, texts);
        for (language, text) in &texts.0 {
            let here = if language.is_empty() { path.to_owned() } else { step(path, language) };
            match Template::parse(text) {
                Ok(template) => self.names(&here, &template.required_names()),
                Err(error) => {
                    let inner = error.span();
                    self.found.push(DomainProblem { inner, ..problem("bad-template", here, error.to_string()) });
                }
            }
        }
    }

    fn expression(&mut self, path: &str, source: &str) -> Option<Expr> {
        match Expr::parse(source) {
            Ok(expr) => {
                self.names(path, &expr.required_names());
                Some(expr)
            }
            Err(error) => {
                let inner = error.span();
                self.found
                    .push(DomainProblem { inner, ..problem("bad-expression", path.to_owned(), error.to_string()) });
                None
            }
        }
    }

    /// An expression that must be true or false.
    fn condition(&mut self, path: &str, source: &str) {
        let Some(expr) = self.expression(path, source) else { return };
        if let Some(what) = self.not_boolean(&expr) {
            let message = format!("a condition is true or false; this gives {what}");
            self.add("not-boolean", path, message);
        }
    }

    /// What an expression gives for sure, when that is no boolean.
    fn not_boolean(&self, expr: &Expr) -> Option<&'static str> {
        match &expr.ast().data {
            NodeData::Null => Some("null"),
            NodeData::Number(_) | NodeData::Percent(_) => Some("a number"),
            NodeData::Duration(_) => Some("a duration"),
            NodeData::Text(_) => Some("a text"),
            NodeData::List(_) => Some("a list"),
            NodeData::Map(_) => Some("a map"),
            NodeData::Unary { op: UnaryOp::Neg | UnaryOp::Plus, .. } => Some("a number"),
            NodeData::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Coalesce, .. } => None,
            NodeData::Binary { op: BinaryOp::Concat, .. } => Some("a text"),
            NodeData::Binary { .. } => Some("a computed value"),
            NodeData::Access { .. } => {
                let names = expr.names();
                let [path] = names.as_slice() else { return None };
                let [root, key] = path.segments.as_slice() else { return None };
                let fact = self.domain.facts.get(key).filter(|_| root == "facts")?;
                match fact.value.r#type.as_str() {
                    "" | "any" | "boolean" | "enum" => None,
                    _ => Some("the value of a fact that is no boolean"),
                }
            }
            _ => None,
        }
    }

    /// Facts that an expression names are declared, where facts are declared at all.
    fn names(&mut self, path: &str, names: &[Path]) {
        if self.domain.facts.is_empty() {
            return;
        }
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            let key = match name.segments.as_slice() {
                [root, key, ..] if root == "facts" => key,
                [root, _, key, ..] if root == "subjects" => key,
                _ => continue,
            };
            if seen.contains(&key.as_str()) || self.domain.facts.contains_key(key) {
                continue;
            }
            seen.push(key);
            let before = self.found.len();
            self.known(path, "fact", key, self.domain.facts.keys());
            if let Some(found) = self.found.get_mut(before) {
                found.inner = Some(name.span);
            }
        }
    }

    fn state_list(&mut self, path: &str, states: &[String]) {
        for (index, state) in states.iter().enumerate() {
            let here = format!("{path}/{index}");
            match self.states.clone() {
                Some(known) => self.known(&here, "state", state, known.iter()),
                None => self.add("no-machine", &here, format!("`{state}` is a state, and the domain has no machine")),
            }
        }
    }

    fn machine(&mut self) {
        let machine = &self.domain.machine;
        if machine.is_null() {
            return;
        }
        let mut states = SortedSet::new();
        states_of(machine, "", &mut states, &mut self.events, 0);
        self.states = Some(states);
        self.guards("/machine", machine, 0);
    }

    /// Guards that are written out; the machine itself is read and checked by its own room.
    fn guards(&mut self, path: &str, value: &Value, depth: usize) {
        if depth > 2 * MAX_DEPTH {
            return;
        }
        match value {
            Value::Map(map) => {
                for (name, inner) in map {
                    let here = step(path, name);
                    match (name.as_str(), inner) {
                        ("guard" | "cond", Value::Text(source)) => {
                            // What does not parse is told by the machine's own reader, as is what guards are called.
                            if let Ok(expr) = Expr::parse(source) {
                                self.names(&here, &expr.required_names());
                                if let Some(what) = self.not_boolean(&expr) {
                                    self.add(
                                        "not-boolean",
                                        &here,
                                        format!("a guard is true or false; this gives {what}"),
                                    );
                                }
                            }
                        }
                        ("meta" | "description" | "context" | "params", _) => {}
                        _ => self.guards(&here, inner, depth + 1),
                    }
                }
            }
            Value::List(list) => {
                for (index, inner) in list.iter().enumerate() {
                    self.guards(&format!("{path}/{index}"), inner, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn types(&mut self) {
        let domain = self.domain;
        for (name, entity) in &domain.entity_types {
            let path = step("/entity_types", name);
            self.texts(&format!("{path}/label"), &entity.label);
            for (field, of) in &entity.fields {
                self.field(&step(&format!("{path}/fields"), field), of, 0);
            }
            if let Some(pattern) = &entity.id_pattern
                && let Err(message) = Pattern::compile(&format!("({pattern})"))
                && Pattern::compile(pattern).is_err()
                && !message.starts_with("pattern-groups")
            {
                self.add("bad-pattern", &format!("{path}/id_pattern"), message);
            }
        }
        for (name, relation) in &domain.relations {
            let path = step("/relations", name);
            self.texts(&format!("{path}/label"), &relation.label);
            for (end, types) in [("from", &relation.from), ("to", &relation.to)] {
                for (index, entity) in types.iter().enumerate() {
                    self.known(&format!("{path}/{end}/{index}"), "entity type", entity, domain.entity_types.keys());
                }
            }
            if let Some(ttl) = &relation.ttl {
                match parse_duration(ttl) {
                    Ok(_) if ttl.starts_with('-') => {
                        self.add("bad-duration", &format!("{path}/ttl"), "a time to live is not negative");
                    }
                    Ok(_) => {}
                    Err(error) => self.add("bad-duration", &format!("{path}/ttl"), error.to_string()),
                }
            }
            if relation.below_floor.is_some() && relation.confidence_floor.is_none() {
                let message = "`below_floor` says what happens below `confidence_floor`, which is not given";
                self.add("no-floor", &format!("{path}/below_floor"), message);
            }
        }
        for (name, fact) in &domain.facts {
            let path = step("/facts", name);
            self.texts(&format!("{path}/label"), &fact.label);
            self.field(&format!("{path}/value"), &fact.value, 0);
        }
    }

    fn field(&mut self, path: &str, field: &FieldType, depth: usize) {
        if depth > MAX_DEPTH {
            return self.add("too-deep", path, format!("lists go at most {MAX_DEPTH} deep"));
        }
        self.texts(&format!("{path}/label"), &field.label);
        let kind = field.r#type.as_str();
        if kind == "enum" && field.values.is_empty() {
            self.add("no-values", path, "an enum lists its `values`");
        }
        let plain = FieldType { values: Vec::new(), label: Localised::default(), required: true, ..field.clone() };
        for (index, value) in field.values.iter().enumerate() {
            let here = format!("{path}/values/{index}");
            if field.values.iter().take(index).any(|other| other == value) {
                self.add("repeated-value", &here, format!("{} stands here twice", value.to_json()));
            }
            if kind != "enum"
                && let Err(refusal) = check_value(&plain, value)
            {
                self.add("wrong-type", &here, format!("not a value of the type `{kind}`: {}", refusal.message));
            }
        }
        match &field.to {
            Some(_) if kind != "reference" => {
                self.add("misplaced", &format!("{path}/to"), "only a `reference` says what it refers `to`");
            }
            Some(to) => self.known(&format!("{path}/to"), "entity type", to, self.domain.entity_types.keys()),
            None => {}
        }
        if field.unit.is_some() && !matches!(kind, "integer" | "decimal") {
            self.add("misplaced", &format!("{path}/unit"), "only numbers have a `unit`");
        }
        match &field.items {
            Some(_) if kind != "list" => {
                self.add("misplaced", &format!("{path}/items"), "only a `list` has `items`");
            }
            Some(items) => self.field(&format!("{path}/items"), items, depth + 1),
            None => {}
        }
    }

    fn sources_and_tools(&mut self) {
        let domain = self.domain;
        for (name, source) in &domain.sources {
            let path = step("/sources", name);
            self.texts(&format!("{path}/description"), &source.description);
            if let Some(tool) = &source.tool {
                self.known(&format!("{path}/tool"), "tool", tool, domain.tools.keys());
                if source.document.is_some() {
                    self.add("two-origins", &path, "a source has a `document` or a `tool`, not both");
                }
            }
        }
        for (name, tool) in &domain.tools {
            let path = step("/tools", name);
            self.texts(&format!("{path}/description"), &tool.description);
            self.json_schema(&format!("{path}/schema"), &tool.schema);
            self.state_list(&format!("{path}/states"), &tool.states);
            if tool.approval && tool.effect.as_deref() == Some("read") {
                self.add(
                    "misplaced",
                    &format!("{path}/approval"),
                    "what only reads needs no approval; give it the effect `write`, or no approval",
                );
            }
        }
    }

    /// A schema of arguments: an object's, with known types.
    fn json_schema(&mut self, path: &str, schema: &Value) {
        match schema {
            Value::Null => {}
            Value::Map(map) => {
                if map.get("type").is_some_and(|kind| kind.as_str() != Some("object")) {
                    self.add(
                        "bad-schema",
                        &format!("{path}/type"),
                        "arguments are a map: their schema has the type `object`",
                    );
                }
                self.schema_types(path, schema, 0);
            }
            other => self.add("bad-schema", path, format!("a JSON Schema is a map, not a {}", other.kind())),
        }
    }

    fn schema_types(&mut self, path: &str, schema: &Value, depth: usize) {
        const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
        let Some(map) = schema.as_map().filter(|_| depth <= MAX_DEPTH) else { return };
        let kinds = match map.get("type") {
            Some(Value::List(list)) => list.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        for kind in kinds {
            let word = kind.as_str().unwrap_or("");
            if !TYPES.contains(&word) {
                let near = nearest(word, &TYPES);
                self.found.push(DomainProblem {
                    suggestion: near.map(|near| format!("did you mean `{near}`?")),
                    ..problem(
                        "bad-schema",
                        format!("{path}/type"),
                        format!("JSON Schema has no type {}", kind.to_json()),
                    )
                });
            }
        }
        if let Some(properties) = map.get("properties").and_then(Value::as_map) {
            for (name, inner) in properties {
                self.schema_types(&step(&format!("{path}/properties"), name), inner, depth + 1);
            }
            for (index, name) in map.get("required").and_then(Value::as_list).unwrap_or(&[]).iter().enumerate() {
                let name = name.as_str().unwrap_or("");
                self.known(&format!("{path}/required/{index}"), "property", name, properties.keys());
            }
        }
        if let Some(items) = map.get("items") {
            self.schema_types(&format!("{path}/items"), items, depth + 1);
        }
    }

    fn patterns_and_answers(&mut self) {
        let domain = self.domain;
        for (name, pattern) in &domain.patterns {
            let path = step("/patterns", name);
            if let Err(message) = Pattern::compile(&pattern.regex) {
                self.add("bad-pattern", &format!("{path}/regex"), message);
            }
            if let Some(entity) = &pattern.entity_type {
                self.known(&format!("{path}/entity_type"), "entity type", entity, domain.entity_types.keys());
            }
            if let Some(fact) = pattern.fact.as_ref().filter(|_| !domain.facts.is_empty()) {
                self.known(&format!("{path}/fact"), "fact", fact, domain.facts.keys());
            }
        }
        for (name, answer) in &domain.answers {
            let path = step("/answers", name);
            self.templates(&format!("{path}/template"), &answer.template);
            self.state_list(&format!("{path}/states"), &answer.states);
        }
    }

    fn intents(&mut self) {
        let domain = self.domain;
        let stages = [Stage::Interpret, Stage::Ground, Stage::Gather, Stage::Decide, Stage::Respond];
        let stages: Vec<String> = stages.iter().map(|stage| stage.name().to_owned()).collect();
        for (name, intent) in &domain.intents {
            let path = step("/intents", name);
            self.texts(&format!("{path}/description"), &intent.description);
            if !intent.answer.is_empty() {
                self.known(&format!("{path}/answer"), "answer", &intent.answer, domain.answers.keys());
            }
            if intent.mode.as_deref().is_some_and(|mode| mode != "plan" && mode != "action") {
                self.add("unknown-mode", &format!("{path}/mode"), "the mode of an intent is `plan` or `action`");
            }
            for (index, action) in intent.actions.iter().enumerate() {
                self.known(&format!("{path}/actions/{index}"), "action", action, domain.actions.keys());
            }
            for (stage, event) in &intent.events {
                let here = step(&format!("{path}/events"), stage);
                self.known(&here, "stage", stage, stages.iter());
                self.event(&here, event);
            }
            for (key, source) in &intent.facts {
                let here = step(&format!("{path}/facts"), key);
                self.expression(&here, source);
                if !domain.facts.is_empty() {
                    self.known(&here, "fact", key, domain.facts.keys());
                }
            }
            for (index, rule) in intent.rules.iter().enumerate() {
                let path = format!("{path}/rules/{index}");
                self.known(&format!("{path}/action"), "action", &rule.action, domain.actions.keys());
                if let Some(when) = &rule.when {
                    self.condition(&format!("{path}/when"), when);
                }
                self.expressions_in(&format!("{path}/args"), &rule.args);
            }
        }
    }

    fn event(&mut self, path: &str, event: &str) {
        if self.states.is_some() {
            let events = self.events.clone();
            if !events.contains(&"*".to_owned()) {
                self.known(path, "event of the machine", event, events.iter());
            }
        }
    }

    /// A command as an action or an event has it: its type, its fields, and the names in it that are written out.
    fn command(&mut self, path: &str, command: &Value, depth: usize) {
        let domain = self.domain;
        let tag = command.get("type").and_then(Value::as_str).unwrap_or("");
        if !Command::NAMES.contains(&tag) {
            let near = nearest(tag, Command::NAMES);
            self.found.push(DomainProblem {
                suggestion: near.map(|near| format!("did you mean `{near}`?")),
                ..problem("unknown-command", step(path, "type"), format!("there is no command `{tag}`"))
            });
            return;
        }
        if depth == 0 {
            self.expressions_in(path, command);
        }
        if let Err(refusal) = Command::from_value(command)
            && matches!(refusal.code.as_str(), "unknown-field" | "missing-field")
        {
            let here = format!("{path}{}", refusal.path.clone().unwrap_or_default());
            let code = if refusal.code == "unknown-field" { "unknown-field" } else { "missing-field" };
            self.found
                .push(DomainProblem { suggestion: refusal.suggestion.clone(), ..problem(code, here, refusal.message) });
        }
        let literal = |name: &str| command.get(name).and_then(Value::as_str).filter(|text| !text.starts_with('='));
        let here = |name: &str| step(path, name);
        match tag {
            "assert_fact" | "retract_fact" => {
                if let Some(key) = literal("key").filter(|_| !domain.facts.is_empty()) {
                    self.known(&here("key"), "fact", key, domain.facts.keys());
                    let value = command.get("value").filter(|value| !has_expression(value));
                    if let (Some(fact), Some(value)) = (domain.facts.get(key), value)
                        && let Err(refusal) = check_value(&fact.value, value)
                    {
                        self.add("wrong-type", &here("value"), refusal.message);
                    }
                }
            }
            "register_entity" => {
                if let Some(name) = literal("entity_type") {
                    self.known(&here("entity_type"), "entity type", name, domain.entity_types.keys());
                    let fields = command.get("fields").and_then(Value::as_map);
                    if let (Some(contract), Some(fields)) = (domain.entity_types.get(name), fields) {
                        for field in fields.keys() {
                            self.known(&step(&here("fields"), field), "field", field, contract.fields.keys());
                        }
                    }
                }
            }
            "update_entity" => {
                let names: Vec<&String> = domain.entity_types.values().flat_map(|one| one.fields.keys()).collect();
                for field in command.get("fields").and_then(Value::as_map).into_iter().flat_map(Map::keys) {
                    self.known(&step(&here("fields"), field), "field", field, names.iter().copied());
                }
            }
            "add_relation" => {
                if let Some(name) = literal("relation") {
                    self.known(&here("relation"), "relation", name, domain.relations.keys());
                }
            }
            "send_event" => {
                if let Some(name) = literal("event") {
                    self.event(&here("event"), name);
                }
            }
            "schedule_event" => {
                for name in ["when", "unless"] {
                    if let Some(source) = literal(name) {
                        self.condition(&here(name), source);
                    }
                }
                for (index, inner) in command.get("do").and_then(Value::as_list).unwrap_or(&[]).iter().enumerate() {
                    if depth < MAX_DEPTH {
                        self.command(&format!("{path}/do/{index}"), inner, depth + 1);
                    }
                }
            }
            "batch" => {
                for (index, inner) in command.get("commands").and_then(Value::as_list).unwrap_or(&[]).iter().enumerate()
                {
                    if depth < MAX_DEPTH {
                        self.command(&format!("{path}/commands/{index}"), inner, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Texts that start with `=` are expressions.
    fn expressions_in(&mut self, path: &str, value: &Value) {
        match value {
            Value::Text(text) => {
                if let Some(source) = text.strip_prefix('=') {
                    self.expression(path, source);
                }
            }
            Value::List(list) => {
                for (index, item) in list.iter().enumerate() {
                    self.expressions_in(&format!("{path}/{index}"), item);
                }
            }
            Value::Map(map) => {
                for (name, item) in map {
                    self.expressions_in(&step(path, name), item);
                }
            }
            _ => {}
        }
    }
}

fn has_expression(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.starts_with('='),
        Value::List(list) => list.iter().any(has_expression),
        Value::Map(map) => map.values().any(has_expression),
        _ => false,
    }
}

/// The paths of a machine's states, and the names of its events.
fn states_of(state: &Value, path: &str, states: &mut SortedSet<String>, events: &mut SortedSet<String>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for name in state.get("on").and_then(Value::as_map).into_iter().flat_map(Map::keys) {
        events.insert(name.clone());
    }
    for (name, inner) in state.get("states").and_then(Value::as_map).into_iter().flatten() {
        let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        states_of(inner, &here, states, events, depth + 1);
        states.insert(here);
    }
}
