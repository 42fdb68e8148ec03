//! The shapes in which providers take definitions, give calls and take replies.

use throughline_model::schema;
use throughline_protocol::{Refusal, nearest};
use throughline_value::{Map, Value, json};

use super::Tool;

/// A provider's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    OpenAi,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Mcp,
    AiSdk,
}

const SHAPES: [(&str, Shape); 7] = [
    ("plain", Shape::Plain),
    ("openai", Shape::OpenAi),
    ("openai_responses", Shape::OpenAiResponses),
    ("anthropic", Shape::Anthropic),
    ("gemini", Shape::Gemini),
    ("mcp", Shape::Mcp),
    ("ai_sdk", Shape::AiSdk),
];

/// A call, read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) shape: Shape,
    pub(crate) id: Value,
    pub(crate) name: String,
    pub(crate) args: Value,
    /// Where the arguments stand, as a JSON pointer into the command.
    pub(crate) path: &'static str,
}

impl Shape {
    /// A shape by its name; the plain one when empty.
    pub(crate) fn read(name: &str) -> Result<Self, Refusal> {
        if name.is_empty() {
            return Ok(Self::Plain);
        }
        let names = SHAPES.map(|(name, _)| name);
        SHAPES.iter().find(|(known, _)| *known == name).map(|(_, shape)| *shape).ok_or_else(|| {
            let refusal = Refusal::new("unknown-shape", format!("there is no shape `{name}`"));
            match nearest(name, &names) {
                Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
                None => refusal.suggest(format!("the shapes are {}", names.join(", "))),
            }
        })
    }

    /// The definitions, as the provider's request takes them.
    pub(crate) fn define(self, tools: &[Tool]) -> Value {
        let each = tools.iter().map(|tool| self.define_one(tool));
        match self {
            Self::Gemini => Value::List(vec![Value::from([("functionDeclarations", Value::List(each.collect()))])]),
            Self::AiSdk => Value::Map(tools.iter().map(|tool| tool.name.clone()).zip(each).collect()),
            _ => Value::List(each.collect()),
        }
    }

    fn define_one(self, tool: &Tool) -> Value {
        let name = ("name", Value::from(tool.name.as_str()));
        let description = ("description", Value::from(tool.description.as_str()));
        let parameters = tool.parameters.clone();
        match self {
            Self::Plain => Value::from([
                name,
                description,
                ("parameters", parameters),
                ("writes", Value::from(tool.writes)),
                ("approval", Value::from(tool.approval)),
            ]),
            Self::OpenAi => Value::from([
                ("type", Value::from("function")),
                ("function", Value::from([name, description, ("parameters", parameters)])),
            ]),
            Self::OpenAiResponses => Value::from([
                ("type", Value::from("function")),
                name,
                description,
                ("parameters", parameters),
                ("strict", Value::from(false)),
            ]),
            Self::Anthropic => Value::from([name, description, ("input_schema", parameters)]),
            Self::Gemini => Value::from([name, description, ("parameters", gemini(&schema::reduce(&parameters)))]),
            Self::Mcp => {
                let hints = [
                    ("readOnlyHint", Value::from(!tool.writes)),
                    ("destructiveHint", Value::from(matches!(tool.tag.as_str(), "retire_entity" | "retract_fact"))),
                    ("idempotentHint", Value::from(!tool.tag.is_empty() && tool.tag != "start_run")),
                    ("openWorldHint", Value::from(tool.tag.is_empty())),
                ];
                Value::from([name, description, ("inputSchema", parameters), ("annotations", Value::from(hints))])
            }
            Self::AiSdk => Value::from([description, ("inputSchema", parameters)]),
        }
    }

    /// Reads a call; without a shape, by its form.
    pub(crate) fn read_call(call: &Value, shape: Option<&str>) -> Result<ToolCall, Refusal> {
        let shape = match shape {
            Some(name) => Self::read(name).map_err(|refusal| refusal.at_path("/shape"))?,
            None => Self::of_call(call).ok_or_else(|| {
                Refusal::new("not-a-call", "this has the form of no provider's tool call")
                    .at_path("/call")
                    .suggest("give the call as the provider gave it, or `{\"name\": …, \"args\": {…}}`")
            })?,
        };
        // An id, a name and arguments stand at another place in each.
        let at = |path: &[&str]| call.at(path).cloned().unwrap_or_default();
        let first = |paths: &[&[&str]]| paths.iter().map(|path| at(path)).find(|v| !v.is_null()).unwrap_or_default();
        let (id, name, args, path): (Value, Value, Value, &'static str) = match shape {
            Self::Plain => (at(&["id"]), at(&["name"]), at(&["args"]), "/call/args"),
            Self::OpenAi => {
                (at(&["id"]), at(&["function", "name"]), at(&["function", "arguments"]), "/call/function/arguments")
            }
            Self::OpenAiResponses => {
                (first(&[&["call_id"], &["id"]]), at(&["name"]), at(&["arguments"]), "/call/arguments")
            }
            Self::Anthropic => (at(&["id"]), at(&["name"]), at(&["input"]), "/call/input"),
            Self::Gemini => {
                let inner = if call.get("functionCall").is_some() { &["functionCall"][..] } else { &[] };
                let of = |name| at(&[inner, &[name]].concat());
                (
                    of("id"),
                    of("name"),
                    of("args"),
                    if inner.is_empty() { "/call/args" } else { "/call/functionCall/args" },
                )
            }
            Self::Mcp if call.get("params").is_some() => {
                (at(&["id"]), at(&["params", "name"]), at(&["params", "arguments"]), "/call/params/arguments")
            }
            Self::Mcp => (at(&["id"]), at(&["name"]), at(&["arguments"]), "/call/arguments"),
            Self::AiSdk => (at(&["toolCallId"]), at(&["toolName"]), first(&[&["input"], &["args"]]), "/call/input"),
        };
        let Value::Text(name) = name else {
            return Err(Refusal::new("not-a-call", "a tool call names its tool").at_path("/call"));
        };
        let args = match args {
            Value::Null => Value::map(),
            // Some providers give the arguments as JSON text. What was cut off is not repaired.
            Value::Text(text) if text.trim().is_empty() => Value::map(),
            Value::Text(text) => json::read_value(&text).map_err(|error| {
                let message = format!("the arguments are not whole JSON: {}", error.message());
                Refusal::new("tool-arguments", message).at_path(path).at_span(error.span())
            })?,
            other => other,
        };
        if args.as_map().is_none() {
            let message = format!("the arguments are a map, not a {}", args.kind());
            return Err(Refusal::new("tool-arguments", message).at_path(path));
        }
        Ok(ToolCall { shape, id, name, args, path })
    }

    fn of_call(call: &Value) -> Option<Self> {
        let has = |name: &str| call.get(name).is_some();
        let kind = call.get("type").and_then(Value::as_str);
        Some(match kind {
            _ if has("function") => Self::OpenAi,
            Some("function_call") => Self::OpenAiResponses,
            Some("tool_use") => Self::Anthropic,
            Some("tool-call") => Self::AiSdk,
            _ if has("toolName") => Self::AiSdk,
            _ if has("functionCall") => Self::Gemini,
            _ if has("params") || (has("name") && has("arguments")) => Self::Mcp,
            _ if has("name") => Self::Plain,
            _ => return None,
        })
    }
}

impl ToolCall {
    /// What goes back to the model.
    pub(crate) fn reply(&self, answer: Result<&Value, &Refusal>) -> Value {
        let ok = answer.is_ok();
        let value = match answer {
            Ok(value) => value.clone(),
            Err(refusal) => {
                let mut error = Map::new();
                error.insert("code".to_owned(), Value::from(refusal.code.as_str()));
                error.insert("message".to_owned(), Value::from(refusal.message.as_str()));
                for (name, text) in [("path", &refusal.path), ("suggestion", &refusal.suggestion)] {
                    if let Some(text) = text {
                        error.insert(name.to_owned(), Value::from(text.as_str()));
                    }
                }
                Value::from([("error", Value::Map(error))])
            }
        };
        let (id, name, text) = (self.id.clone(), Value::from(self.name.as_str()), Value::from(value.to_json()));
        match self.shape {
            Shape::Plain => Value::from([("id", id), ("name", name), ("ok", Value::from(ok)), ("value", value)]),
            Shape::OpenAi => Value::from([("role", Value::from("tool")), ("tool_call_id", id), ("content", text)]),
            Shape::OpenAiResponses => {
                Value::from([("type", Value::from("function_call_output")), ("call_id", id), ("output", text)])
            }
            Shape::Anthropic => Value::from([
                ("type", Value::from("tool_result")),
                ("tool_use_id", id),
                ("content", text),
                ("is_error", Value::from(!ok)),
            ]),
            Shape::Gemini => {
                let response = if ok { Value::from([("result", value)]) } else { value };
                let mut inner = Map::from_iter([("name".to_owned(), name), ("response".to_owned(), response)]);
                if !id.is_null() {
                    inner.insert("id".to_owned(), id);
                }
                Value::from([("functionResponse", Value::Map(inner))])
            }
            Shape::Mcp => {
                let content = Value::from([("type", Value::from("text")), ("text", text)]);
                let structured = if value.as_map().is_some() { value } else { Value::from([("result", value)]) };
                let result = Value::from([
                    ("content", Value::List(vec![content])),
                    ("structuredContent", structured),
                    ("isError", Value::from(!ok)),
                ]);
                if id.is_null() {
                    return result;
                }
                Value::from([("jsonrpc", Value::from("2.0")), ("id", id), ("result", result)])
            }
            Shape::AiSdk => {
                let kind = if ok { "json" } else { "error-json" };
                Value::from([
                    ("type", Value::from("tool-result")),
                    ("toolCallId", id),
                    ("toolName", name),
                    ("output", Value::from([("type", Value::from(kind)), ("value", value)])),
                ])
            }
        }
    }
}

/// A schema in the part of OpenAPI that Gemini's `parameters` take: one type each, in capitals, `nullable`
/// for null, texts alone in enumerations, no object without properties (it is given as JSON text).
fn gemini(schema: &Value) -> Value {
    let Some(map) = schema.as_map() else { return text_of_json("") };
    let description = map.get("description").and_then(Value::as_str).unwrap_or("");
    let kinds: Vec<&str> = match map.get("type") {
        Some(Value::Text(kind)) => vec![kind],
        Some(Value::List(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let nullable = kinds.contains(&"null");
    let kind = kinds.iter().copied().rfind(|kind| *kind != "null").unwrap_or("");
    let mut out = Map::new();
    let values = map.get("enum").and_then(Value::as_list).unwrap_or(&[]);
    let words: Vec<Value> = values.iter().filter(|value| value.as_str().is_some()).cloned().collect();
    if !words.is_empty() && words.len() + usize::from(values.contains(&Value::Null)) == values.len() {
        out.insert("type".to_owned(), Value::from("STRING"));
        out.insert("enum".to_owned(), Value::List(words));
    } else {
        match kind {
            "object" => {
                let properties = map.get("properties").and_then(Value::as_map);
                let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
                    return text_of_json(description);
                };
                let inner = properties.iter().map(|(name, schema)| (name.clone(), gemini(schema))).collect();
                out.insert("type".to_owned(), Value::from("OBJECT"));
                out.insert("properties".to_owned(), Value::Map(inner));
                if let Some(required) = map.get("required") {
                    out.insert("required".to_owned(), required.clone());
                }
            }
            "array" => {
                out.insert("type".to_owned(), Value::from("ARRAY"));
                let items = map.get("items").map_or_else(|| text_of_json(""), gemini);
                out.insert("items".to_owned(), items);
            }
            "" => return text_of_json(description),
            kind => {
                out.insert("type".to_owned(), Value::from(kind.to_ascii_uppercase()));
            }
        }
    }
    if !description.is_empty() {
        out.insert("description".to_owned(), Value::from(description));
    }
    if nullable || values.contains(&Value::Null) {
        out.insert("nullable".to_owned(), Value::from(true));
    }
    Value::Map(out)
}

/// Where any value is taken, Gemini gives it as the text of its JSON.
fn text_of_json(description: &str) -> Value {
    let description = if description.is_empty() {
        "A value, as JSON text.".to_owned()
    } else {
        format!("{description} As JSON text.")
    };
    Value::from([("type", Value::from("STRING")), ("description", Value::from(description))])
}
