//! A model's tool call, done by the common door: as the model, and only what is open to it.

use throughline_journal::{Actor, ActorKind};
use throughline_model::schema;
use throughline_protocol::command::{Propose, StartRun};
use throughline_protocol::{At, Command, Context, Meta, Refusal};
use throughline_value::{Map, Value, json};

use super::{Behind, MODEL_SOURCE, Shape, Tool};
use crate::tools::shape::ToolCall;

/// What a call stands for.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum Meant {
    Command(Command),
    Query(Value),
}

/// The call as who it is done: the model, for the reason that it gives.
pub(crate) fn meta_of(call: &ToolCall, meta: &Meta) -> Meta {
    let model = meta.actor.clone().filter(|actor| actor.kind == ActorKind::Model);
    let reason = call.args.get("reason").and_then(Value::as_str).map(str::to_owned);
    Meta {
        actor: Some(model.unwrap_or_else(|| Actor::of(ActorKind::Model))),
        reason: reason.or_else(|| meta.reason.clone()),
        ..meta.clone()
    }
}

/// What the call stands for, when the tool is open, needs nobody's approval, and takes these arguments.
pub(crate) fn meaning(
    call: &ToolCall,
    ctx: &Context<'_>,
    open: &dyn Fn(&Tool) -> Option<Refusal>,
) -> Result<Meant, Refusal> {
    let tool = super::find(ctx.domain, &call.name).map_err(|refusal| refusal.at_path("/call"))?;
    if let Some(refusal) = open(&tool) {
        return Err(refusal.at_path("/call"));
    }
    // An action asks by itself.
    if tool.approval && tool.behind != Behind::Action {
        let message = format!(
            "`{}` needs a person's approval, which a call cannot ask for; let the agent propose it, or a person do it",
            tool.name
        );
        return Err(Refusal::new("approval-required", message).at_path("/call"));
    }
    let mut args = call.args.as_map().cloned().unwrap_or_default();
    if call.shape == Shape::Gemini {
        unwrap_texts(&tool.parameters, &mut args);
    }
    let problems = schema::problems(&Value::Map(args.clone()), &tool.parameters);
    if let Some(first) = problems.first() {
        let all = problems.iter().map(|problem| {
            Value::from([
                ("code", problem.code),
                ("path", problem.path.as_str()),
                ("message", problem.message.as_str()),
            ])
        });
        return Err(Refusal::new("tool-arguments", first.message.clone())
            .at_path(format!("{}{}", call.path, first.path))
            .with(Value::from([("problems", Value::List(all.collect()))])));
    }
    match tool.behind {
        Behind::Command => {
            args.shift_remove("reason");
            if tool.tag == "assert_fact" {
                args.insert("source".to_owned(), Value::from(ctx.actor.name.as_deref().unwrap_or(MODEL_SOURCE)));
            }
            args.insert("type".to_owned(), Value::from(tool.tag.as_str()));
            Command::from_value(&Value::Map(args)).map(Meant::Command).map_err(|refusal| below(refusal, call.path))
        }
        Behind::Query => {
            args.insert("type".to_owned(), Value::from(tool.tag.as_str()));
            Ok(Meant::Query(Value::Map(args)))
        }
        Behind::Action => {
            args.shift_remove("reason");
            Ok(Meant::Command(Propose { action: tool.name, args: Value::Map(args), confidence: None }.into()))
        }
        Behind::Host => Ok(Meant::Command(host_call(&tool.name, args).into())),
    }
}

/// A refusal of what the arguments say, pointing into the call.
fn below(mut refusal: Refusal, path: &str) -> Refusal {
    refusal.path = Some(format!("{path}{}", refusal.path.unwrap_or_default()));
    refusal
}

/// A plan of one call. The arguments are inputs of the run, so nothing in them is ever read as an expression.
fn host_call(tool: &str, args: Map) -> StartRun {
    let mut inputs = Map::new();
    let mut arguments = Map::new();
    for (index, (name, value)) in args.into_iter().enumerate() {
        let input = format!("arg_{}", index + 1);
        arguments.insert(name, Value::from(format!("${input}")));
        inputs.insert(input, value);
    }
    let call = Value::from([("tool", Value::from(tool)), ("arguments", Value::Map(arguments))]);
    let step = Value::from([("id", Value::from("result")), ("op", Value::from("CALL")), ("args", call)]);
    StartRun { plan: Value::List(vec![step]), inputs, paused: false, breakpoints: Vec::new() }
}

/// Where Gemini's schema asks for JSON text, the text is read; any other text stays what it is.
fn unwrap_texts(parameters: &Value, args: &mut Map) {
    let Some(properties) = parameters.get("properties").and_then(Value::as_map) else { return };
    for (name, value) in args.iter_mut() {
        let schema = properties.get(name);
        let open = schema.is_some_and(|schema| {
            let is = |kind: &str| schema.get("type").and_then(Value::as_str) == Some(kind);
            let any = schema.get("type").is_none() && schema.get("enum").is_none();
            let bare = schema.get("properties").and_then(Value::as_map).is_none_or(Map::is_empty);
            any || (is("object") && bare)
        });
        if let (true, Value::Text(text)) = (open, &*value)
            && let Ok(read) = json::read_value(text)
        {
            *value = read;
        }
    }
}

/// The moment at which a decision looks.
pub(crate) fn now_of(ctx: &Context<'_>) -> At {
    At { seq: ctx.next_seq - 1, valid_at: ctx.now }
}
