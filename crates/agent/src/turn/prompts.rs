//! What the model is told at each stage. The stable part comes first, so that a provider's cache holds; the
//! user's words come last and stay quoted data.

use throughline_dialogue::prompt::{self, PromptInput, Quoted};
use throughline_journal::Journal;
use throughline_model::{Message, Request, Tool};
use throughline_protocol::domain::Intent;
use throughline_protocol::view::PromptView;
use throughline_protocol::{At, Context, Refusal};
use throughline_value::{InOrder as _, Map, Value};

use super::{calls, forms, intent_of};
use crate::Rooms;
use crate::turns::{Stage, Turn};

/// The most tokens of a prompt, when the domain does not say.
pub const DEFAULT_PROMPT_BUDGET: u64 = 3_000;

/// The most tokens of a reply.
const MAX_REPLY_TOKENS: u32 = 1_200;

/// The most entities that a prompt shows.
const MAX_ENTITIES: usize = 40;

/// The most of the last reply's problems that are quoted.
const MAX_PROBLEMS: usize = 8;

/// A request for one stage.
fn request(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, stage: StagePrompt, wrong: &[String]) -> Request {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let view = contract(rooms, turn, ctx, at, &stage, wrong);
    let messages = view.messages.into_iter().map(|m| Message::new(m.role, m.text)).collect();
    let tools = stage.tools;
    Request {
        tool_calls: tools.first().map(|_| ctx.domain.agent.tool_calls.clone().unwrap_or_else(|| "auto".to_owned())),
        tools,
        schema: Some(stage.schema),
        language: turn.started.language.clone(),
        max_tokens: Some(MAX_REPLY_TOKENS),
        ..Request::new(stage.purpose, messages)
    }
}

/// What differs between the stages.
struct StagePrompt {
    purpose: &'static str,
    task: String,
    schema: Value,
    /// What may be chosen, with descriptions of the domain.
    allowed: Vec<(String, String)>,
    /// Values and words from elsewhere, by where they come from.
    quoted: Vec<(&'static str, String)>,
    /// Tools of which one is called where the provider has calls: the value of the stage.
    tools: Vec<Tool>,
}

fn contract(
    rooms: &Rooms,
    turn: &Turn,
    ctx: &Context<'_>,
    at: At,
    stage: &StagePrompt,
    wrong: &[String],
) -> PromptView {
    let mut instructions = ctx.domain.agent.instructions.get(&turn.started.language).to_owned();
    if !instructions.is_empty() {
        instructions.push_str("\n\n");
    }
    instructions.push_str(&stage.task);
    let (facts, older) = rooms.recent_facts(at);
    let refused = wrong.iter().take(MAX_PROBLEMS).cloned().collect::<Vec<_>>().join("\n");
    let mut quoted: Vec<Quoted<'_>> = Vec::new();
    if !refused.is_empty() {
        quoted.push(Quoted { origin: "why your last reply was not accepted", text: &refused });
    }
    quoted.extend(stage.quoted.iter().map(|(origin, text)| Quoted { origin, text }));
    let mut input = PromptInput {
        instructions: &instructions,
        schema: Some(&stage.schema),
        state: rooms.machine.state(at),
        allowed: &stage.allowed,
        facts: &facts,
        user: &turn.started.text,
        quoted: &quoted,
        budget: ctx.domain.agent.prompt_budget.unwrap_or(DEFAULT_PROMPT_BUDGET),
    };
    let mut view = prompt::render(&input).unwrap_or_else(|_| {
        // A budget that not even the instructions fit in is the domain's fault; the turn goes on, and the
        // token counts of the prompt show it.
        input.budget = u64::MAX;
        prompt::render(&input).unwrap_or_default()
    });
    if older {
        view.left_out.push("fact:older ones".to_owned());
    }
    view
}

/// Whether the domain lets a value come as a call of a tool.
fn takes_calls(ctx: &Context<'_>) -> bool {
    ctx.domain.agent.tool_calls.as_deref() != Some("json")
}

const ONE_VALUE: &str =
    "Think as you like, then reply with one JSON value that fits the schema. Only that value counts.";

fn interpret_stage(ctx: &Context<'_>) -> StagePrompt {
    let described = |(name, intent): (&String, &Intent)| (name.clone(), intent.description.get("en").to_owned());
    StagePrompt {
        purpose: "interpret",
        task: format!("Say what the user wants and which things and facts the text names. Invent nothing. {ONE_VALUE}"),
        schema: forms::interpret(ctx.domain),
        allowed: ctx.domain.intents.iter().map(described).collect(),
        quoted: Vec::new(),
        tools: Vec::new(),
    }
}

pub(crate) fn interpret(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, wrong: &[String]) -> Request {
    request(rooms, turn, ctx, interpret_stage(ctx), wrong)
}

fn plan_stage(ctx: &Context<'_>, inputs: &Map, language: &str) -> StagePrompt {
    let scope = crate::Hosted::scope(ctx.domain, inputs.keys().cloned());
    let task = throughline_plan::prompt::instructions(ctx.domain, &scope, language);
    let schema = throughline_plan::prompt::schema();
    let tools = if takes_calls(ctx) { vec![calls::plan_tool(&schema)] } else { Vec::new() };
    let told = if tools.is_empty() { "" } else { calls::TOLD_PLAN };
    StagePrompt {
        purpose: "plan",
        task: format!("{task}\n{ONE_VALUE}{told}"),
        schema,
        allowed: Vec::new(),
        quoted: vec![("inputs", Value::Map(inputs.clone()).to_json())],
        tools,
    }
}

pub(crate) fn plan(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, inputs: &Map, wrong: &[String]) -> Request {
    request(rooms, turn, ctx, plan_stage(ctx, inputs, &turn.started.language), wrong)
}

fn decide_stage(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent) -> StagePrompt {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let open =
        intent.actions.iter().filter_map(|name| Some((name, ctx.domain.actions.get(name)?))).filter(|(_, action)| {
            action.states.is_empty() || action.states.iter().any(|state| rooms.machine.in_state(state, at))
        });
    let allowed = open
        .clone()
        .map(|(name, action)| {
            (name.clone(), format!("{} args: {}", action.description.get("en"), action.schema.to_json()))
        })
        .collect();
    let values = turn.run.as_ref().map(|run| rooms.plans.values(run)).unwrap_or_default();
    let values: Map = values.into_iter().map(|(name, bound)| (name, bound.value)).collect();
    let mut form = forms::schema(
        r#"{"type":"object","additionalProperties":false,"required":["action","args","reason"],"properties":{
            "action":{},"args":{"type":"object"},"reason":{"type":"string"},
            "confidence":{"type":"number","minimum":0,"maximum":1}}}"#,
    );
    let tools = if takes_calls(ctx) { calls::tools(intent, open.clone(), &turn.started.language) } else { Vec::new() };
    let told = if tools.is_empty() { "" } else { calls::TOLD };
    let mut choices: Vec<Value> = open.map(|(name, _)| Value::from(name.as_str())).collect();
    choices.push(Value::Null);
    forms::set(&mut form, &["properties", "action"], forms::one_of(choices));
    StagePrompt {
        purpose: "decide",
        task: format!("Propose at most one action; null for none. {ONE_VALUE}{told}"),
        schema: form,
        allowed,
        quoted: shown(rooms, ctx, at, values),
        tools,
    }
}

/// The values that the sources gave, and the entities that constraints are about: what may be offered.
fn shown(rooms: &Rooms, ctx: &Context<'_>, at: At, values: Map) -> Vec<(&'static str, String)> {
    let mut types: Vec<&String> = ctx.domain.constraints.iter().flat_map(|constraint| &constraint.about).collect();
    types.order();
    types.dedup();
    let entities = types.into_iter().flat_map(|of| rooms.world.entities(at, Some(of)));
    let line = |entity: throughline_protocol::view::EntityView| {
        let fields = Value::Map(entity.fields).to_json();
        format!("{} {}: {fields}\n", entity.entity_type, entity.raw_id)
    };
    let catalogue: String = entities.filter(|entity| !entity.retired).take(MAX_ENTITIES).map(line).collect();
    let mut quoted = Vec::new();
    if !values.is_empty() {
        quoted.push(("values", Value::Map(values).to_json()));
    }
    if !catalogue.is_empty() {
        quoted.push(("entities", catalogue));
    }
    quoted
}

fn respond_stage(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent) -> StagePrompt {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let values = turn.run.as_ref().map(|run| rooms.plans.values(run)).unwrap_or_default();
    let values: Map = values.into_iter().map(|(name, bound)| (name, bound.value)).collect();
    let mut quoted = shown(rooms, ctx, at, values);
    let decision = turn.output(Stage::Decide);
    if decision.as_map().is_some_and(|map| !map.is_empty()) {
        quoted.insert(0, ("what was decided", decision.to_json()));
    }
    let about = intent.description.get("en");
    StagePrompt {
        purpose: "respond",
        task: format!(
            "Word the answer to the user in the language `{}`. Say only what the facts, the values, the entities and \
             the decision say: every figure, date, name and offer is checked, and one that rests on nothing or breaks \
             a constraint is refused. The user wants: {about}. {ONE_VALUE}",
            turn.started.language
        ),
        schema: forms::schema(
            r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","minLength":1}}}"#,
        ),
        allowed: Vec::new(),
        quoted,
        tools: Vec::new(),
    }
}

pub(crate) fn respond(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent, wrong: &[String]) -> Request {
    request(rooms, turn, ctx, respond_stage(rooms, turn, ctx, intent), wrong)
}

pub(crate) fn decide(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent, wrong: &[String]) -> Request {
    request(rooms, turn, ctx, decide_stage(rooms, turn, ctx, intent), wrong)
}

/// The prompt of a stage of the thread's newest turn, as it would be built at a moment.
///
/// # Errors
/// `no-turn`, `unknown-stage`.
pub fn prompt(
    rooms: &Rooms,
    journal: &Journal,
    thread: Option<&str>,
    stage: &str,
    at: At,
    now: i64,
) -> Result<PromptView, Refusal> {
    let thread = thread.unwrap_or(throughline_journal::MAIN_THREAD);
    let Some(turn) = rooms.turns.newest_at(journal, journal.head().seq, thread) else {
        return Err(Refusal::new("no-turn", format!("thread {thread} has no turn yet")));
    };
    let turn = &*turn;
    let loaded = rooms.domain_at(at.seq);
    let actor = throughline_journal::Actor::of(throughline_journal::ActorKind::Rule);
    let ctx = Context {
        now,
        valid_from: None,
        thread,
        turn: turn.turn,
        actor: &actor,
        reason: "",
        cause: None,
        origin: None,
        next_seq: at.seq + 1,
        domain: &loaded.domain,
    };
    let stage = match stage {
        "interpret" | "" => interpret_stage(&ctx),
        "plan" => plan_stage(&ctx, &Map::new(), &turn.started.language),
        "decide" => match intent_of(turn, &loaded.domain) {
            Some(intent) => decide_stage(rooms, turn, &ctx, intent),
            None => return Err(Refusal::new("no-turn", "the turn has no intent yet")),
        },
        "respond" => match intent_of(turn, &loaded.domain) {
            Some(intent) => respond_stage(rooms, turn, &ctx, intent),
            None => return Err(Refusal::new("no-turn", "the turn has no intent yet")),
        },
        other => {
            let refusal = Refusal::new("unknown-stage", format!("`{other}` asks no model")).at_path("/stage");
            return Err(refusal.suggest("the stages are interpret, plan, decide and respond"));
        }
    };
    Ok(contract(rooms, turn, &ctx, at, &stage, &[]))
}
