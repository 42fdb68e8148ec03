//! The tools that a model may call: the closed set of actions, the domain's actions and the domain's tools,
//! defined in each provider's shape from one description.
//!
//! The closed set is `tools/actions.json`, which `cargo xtask schema` writes from the protocol's own commands
//! and queries. A domain narrows it: `agent.tools` lists what a model may call, and an entry of `tools` under
//! an action's name gives it states or an approval.

pub(crate) mod call;
mod shape;

use throughline_agent::Rooms;
use throughline_protocol::domain::FieldType;
use throughline_protocol::{At, Domain, Refusal, nearest};
use throughline_value::{Map, Value, json};

pub(crate) use shape::{Shape, ToolCall};

/// What a model does not say of a fact that it asserts: where it comes from.
pub(crate) const MODEL_SOURCE: &str = "model";

/// The closed set of actions.
static ACTIONS: &str = include_str!("tools/actions.json");

/// What stands behind a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    Command,
    Query,
    Action,
    Host,
}

/// A tool that a model may call.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
    pub(crate) behind: Behind,
    /// The tag of the command or the query behind it.
    pub(crate) tag: String,
    pub(crate) writes: bool,
    pub(crate) approval: bool,
    states: Vec<String>,
}

/// Every tool of a domain, also those that are closed now.
pub(crate) fn all(domain: &Domain) -> Vec<Tool> {
    let actions = json::read_value(ACTIONS).unwrap_or_default();
    let mut tools: Vec<Tool> =
        actions.as_list().unwrap_or(&[]).iter().filter_map(|action| built_in(domain, action)).collect();
    let language = domain.languages.first().map_or("", String::as_str);
    for (name, action) in &domain.actions {
        tools.push(Tool {
            name: name.clone(),
            description: action.description.get(language).to_owned(),
            parameters: with_reason(&action.schema),
            behind: Behind::Action,
            tag: String::new(),
            writes: true,
            approval: action.approval,
            states: action.states.clone(),
        });
    }
    for (name, tool) in &domain.tools {
        if tools.iter().all(|known| known.name != *name) {
            tools.push(Tool {
                name: name.clone(),
                description: tool.description.get(language).to_owned(),
                parameters: object(&tool.schema),
                behind: Behind::Host,
                tag: String::new(),
                writes: tool.effect.as_deref() != Some("read"),
                approval: tool.approval,
                states: tool.states.clone(),
            });
        }
    }
    let only = &domain.agent.tools;
    tools.retain(|tool| only.is_empty() || only.contains(&tool.name));
    tools
}

fn built_in(domain: &Domain, action: &Value) -> Option<Tool> {
    let text = |name: &str| action.get(name).and_then(Value::as_str);
    let name = text("name")?.to_owned();
    let (tag, behind) = match text("command") {
        Some(tag) => (tag, Behind::Command),
        None => (text("query")?, Behind::Query),
    };
    let gate = domain.tools.get(&name);
    let mut parameters = action.get("parameters")?.clone();
    narrow(domain, tag, &mut parameters);
    Some(Tool {
        description: text("description").unwrap_or_default().to_owned(),
        tag: tag.to_owned(),
        writes: behind == Behind::Command,
        approval: gate.is_some_and(|gate| gate.approval),
        states: gate.map(|gate| gate.states.clone()).unwrap_or_default(),
        name,
        parameters,
        behind,
    })
}

/// Why a tool may not be called at a moment: the domain keeps it for other states.
pub(crate) fn closed(rooms: &Rooms, name: &str, states: &[String], at: At) -> Option<Refusal> {
    if states.is_empty() || states.iter().any(|state| rooms.machine.in_state(state, at)) {
        return None;
    }
    let now = rooms.machine.state(at).join(", ");
    let message = format!("`{name}` is only open in {}; the state is {now}", states.join(", "));
    Some(Refusal::new("tool-closed", message))
}

impl Tool {
    pub(crate) fn closed(&self, rooms: &Rooms, at: At) -> Option<Refusal> {
        closed(rooms, &self.name, &self.states, at)
    }
}

/// The definitions in a provider's shape.
pub(crate) fn definitions(
    domain: &Domain,
    rooms: &Rooms,
    at: At,
    shape: &str,
    with_closed: bool,
) -> Result<Value, Refusal> {
    let shape = Shape::read(shape).map_err(|refusal| refusal.at_path("/shape"))?;
    let mut tools = all(domain);
    tools.retain(|tool| with_closed || tool.closed(rooms, at).is_none());
    Ok(shape.define(&tools))
}

pub(crate) fn find(domain: &Domain, name: &str) -> Result<Tool, Refusal> {
    let mut tools = all(domain);
    if let Some(index) = tools.iter().position(|tool| tool.name == name) {
        return Ok(tools.swap_remove(index));
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let refusal = Refusal::new("unknown-tool", format!("there is no tool `{name}` that a model may call"));
    Err(match nearest(name, &names) {
        Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
        None => refusal.suggest(format!("the tools are {}", names.join(", "))),
    })
}

/// A schema of arguments, whatever the domain left out of it.
fn object(schema: &Value) -> Value {
    let mut map = schema.as_map().cloned().unwrap_or_default();
    for (name, value) in [("type", Value::from("object")), ("properties", Value::map())] {
        if !map.contains_key(name) {
            map.insert(name.to_owned(), value);
        }
    }
    Value::Map(map)
}

fn with_reason(schema: &Value) -> Value {
    let mut schema = object(schema);
    let reason = Value::from([("type", "string"), ("description", "Why, in one sentence, for the audit.")]);
    if let Value::Map(map) = &mut schema {
        if let Some(Value::Map(properties)) = map.get_mut("properties") {
            properties.insert("reason".to_owned(), reason);
        }
        let mut required = map.get("required").and_then(Value::as_list).unwrap_or(&[]).to_vec();
        required.push(Value::from("reason"));
        map.insert("required".to_owned(), Value::List(required));
    }
    schema
}

/// What the domain knows of an action's arguments: its types, relations, keys and fields.
fn narrow(domain: &Domain, tag: &str, parameters: &mut Value) {
    let Value::Map(parameters) = parameters else { return };
    let Some(Value::Map(properties)) = parameters.get_mut("properties") else { return };
    let mut only = |property: &str, names: Vec<Value>| {
        if let (Some(Value::Map(schema)), false) = (properties.get_mut(property), names.is_empty()) {
            schema.insert("enum".to_owned(), Value::List(names));
        }
    };
    match tag {
        "register_entity" => only("entity_type", domain.entity_types.keys().map(|k| Value::from(k.as_str())).collect()),
        "add_relation" => only("relation", domain.relations.keys().map(|k| Value::from(k.as_str())).collect()),
        "assert_fact" | "retract_fact" | "facts" => {
            only("key", domain.facts.keys().map(|k| Value::from(k.as_str())).collect());
        }
        _ => {}
    }
    if let (Some(Value::Map(schema)), "register_entity" | "update_entity") = (properties.get_mut("fields"), tag) {
        let mut fields = Map::new();
        for (name, field) in domain.entity_types.values().flat_map(|one| &one.fields) {
            let of_type = of_field(field);
            match fields.get(name) {
                // The same name with another meaning in another type: the contract says which.
                Some(known) if *known != of_type => drop(fields.insert(name.clone(), Value::map())),
                _ => drop(fields.insert(name.clone(), of_type)),
            }
        }
        schema.insert("properties".to_owned(), Value::Map(fields));
    }
}

/// The JSON Schema of a field; null clears it.
fn of_field(field: &FieldType) -> Value {
    let mut schema = Map::new();
    let kind = match field.r#type.as_str() {
        "text" | "instant" | "duration" | "reference" => "string",
        "integer" => "integer",
        "decimal" => "number",
        "boolean" => "boolean",
        "list" => "array",
        _ => "",
    };
    if !kind.is_empty() {
        schema.insert("type".to_owned(), Value::from(vec![Value::from(kind), Value::from("null")]));
    }
    if field.r#type == "enum" {
        let values = field.values.iter().cloned().chain([Value::Null]).collect();
        schema.insert("enum".to_owned(), Value::List(values));
    }
    if let Some(items) = &field.items {
        schema.insert("items".to_owned(), of_field(items));
    }
    if let Some(unit) = &field.unit {
        schema.insert("description".to_owned(), Value::from(format!("in {unit}")));
    }
    Value::Map(schema)
}
