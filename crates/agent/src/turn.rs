//! One turn, stage by stage.

mod ask_model;
mod begin;
mod calls;
pub mod cap;
mod decide;
mod forms;
mod gather;
mod ground;
mod interpret;
pub mod parts;
mod prompts;
pub mod propose;
mod respond;

use throughline_journal::{Cause, Draft};
use throughline_protocol::command::SendEvent;
use throughline_protocol::domain::Intent;
use throughline_protocol::{Command, Context, Domain, Done, Meta, Refusal};
use throughline_value::{Map, Value, to_value};

use crate::Rooms;
use crate::turns::{Stage, StageFinished, StageStarted, Turn};

pub use ask_model::{DEFAULT_RETRIES, MAX_RETRIES};
pub use begin::{MAX_USER_TEXT, answer, begin, start_run, stop};
pub use prompts::{DEFAULT_PROMPT_BUDGET, prompt};
pub use propose::{Proposals, propose};

/// What a turn does next.
pub enum Move {
    /// Nothing, until a model, a tool or a person answers.
    Wait,
    /// Record these.
    Record(Vec<Draft>),
    /// Execute these commands by the common door; then record what follows from their outcomes.
    Execute {
        /// The commands, with who proposes them and why.
        commands: Vec<(Command, Meta)>,
        /// What to record, given the outcomes in the same order.
        then: Then,
    },
}

/// What to record after commands were executed.
pub type Then = Box<dyn FnOnce(&Rooms, &Context<'_>, Vec<Result<Done, Refusal>>) -> Vec<Draft>>;

/// The next move of an open turn. `ctx` names the turn's thread and number and its last record as the cause.
#[must_use]
pub fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    if turn.status != "running" {
        return Move::Wait;
    }
    let Some((stage, _)) = turn.stage else {
        let next = turn.outputs.keys().next_back().map_or(Some(Stage::Interpret), |last| last.next());
        return next.map_or(Move::Wait, |stage| {
            let started = StageStarted { stage, input: input_of(turn, stage) };
            Move::Record(vec![draft(ctx, "turn.stage_started", &started)])
        });
    };
    match stage {
        Stage::Interpret => interpret::advance(rooms, turn, ctx),
        Stage::Ground => ground::advance(rooms, turn, ctx),
        Stage::Gather => gather::advance(rooms, turn, ctx),
        Stage::Decide => decide::advance(rooms, turn, ctx),
        Stage::Respond => respond::advance(rooms, turn, ctx),
    }
}

/// What goes into a stage: the text, or what the stage before gave.
fn input_of(turn: &Turn, stage: Stage) -> Value {
    let before = match stage {
        Stage::Interpret => {
            let pairs = [("text", turn.started.text.as_str()), ("language", turn.started.language.as_str())];
            return Value::from(pairs);
        }
        Stage::Ground => Stage::Interpret,
        Stage::Gather => Stage::Ground,
        Stage::Decide => Stage::Gather,
        Stage::Respond => Stage::Decide,
    };
    turn.output(before).clone()
}

fn draft<T: serde::Serialize>(ctx: &Context<'_>, kind: &str, data: &T) -> Draft {
    ctx.draft(kind, to_value(data).unwrap_or_default())
}

/// The intent that the turn was found to have.
fn intent_of<'a>(turn: &Turn, domain: &'a Domain) -> Option<&'a Intent> {
    domain.intents.get(turn.output(Stage::Interpret).get("intent")?.as_str()?)
}

/// A command of the turn itself, done by the domain's rules.
fn by_rule(reason: &str) -> Meta {
    let actor = throughline_journal::Actor::of(throughline_journal::ActorKind::Rule);
    Meta { actor: Some(actor), reason: Some(reason.to_owned()), ..Meta::default() }
}

/// A command that follows from what the model said.
fn by_model(reason: &str) -> Meta {
    let actor = throughline_journal::Actor::of(throughline_journal::ActorKind::Model);
    Meta { actor: Some(actor), reason: Some(reason.to_owned()), ..Meta::default() }
}

/// Ends a stage: sends the machine's event that the intent names for it, then records the stage's output.
/// `more` is executed before, and `finish` adds its outcomes to the output.
fn finish(turn: &Turn, ctx: &Context<'_>, stage: Stage, ending: Ending) -> Move {
    let Ending { verdict, output, mut commands, collect, after } = ending;
    let own = commands.len();
    let event = intent_of(turn, ctx.domain).or_else(|| {
        // While the interpretation is not recorded yet, its output names the intent.
        output.get("intent").and_then(Value::as_str).and_then(|name| ctx.domain.intents.get(name))
    });
    let event = event.and_then(|intent| intent.events.get(stage.name())).cloned();
    if let Some(event) = &event {
        let command = SendEvent { event: event.clone(), data: Value::Null };
        commands.push((command.into(), by_rule(&format!("the {} stage is done", stage.name()))));
    }
    Move::Execute {
        commands,
        then: Box::new(move |rooms, ctx, mut outcomes| {
            let sent = if event.is_some() { outcomes.pop() } else { None };
            debug_assert_eq!(outcomes.len(), own);
            let mut output = collect(output, outcomes);
            if let (Some(event), Some(sent), Value::Map(map)) = (event, sent, &mut output) {
                let mut told = Map::from_iter([("sent".to_owned(), Value::from(event))]);
                match sent {
                    Ok(done) => told.insert("state".to_owned(), done.result.get("state").cloned().unwrap_or_default()),
                    Err(refusal) => told.insert("refused".to_owned(), Value::from(refusal.code.as_str())),
                };
                map.insert("event".to_owned(), Value::Map(told));
            }
            let finished = StageFinished { stage, verdict: verdict.to_owned(), output };
            let mut drafts = vec![draft(ctx, "turn.stage_finished", &finished)];
            if let Some(after) = after {
                let mut more = after(rooms, ctx);
                for draft in &mut more {
                    draft.cause = Cause::Draft(0);
                }
                drafts.extend(more);
            }
            drafts
        }),
    }
}

/// The output with what was changed to read the model's reply, where anything was.
fn with_changes(mut output: Map, changes: Vec<Value>) -> Map {
    if !changes.is_empty() {
        output.insert("coercions".to_owned(), Value::List(changes));
    }
    output
}

/// Adds the outcomes of a stage's commands to its output.
type Collect = Box<dyn FnOnce(Value, Vec<Result<Done, Refusal>>) -> Value>;

/// What is recorded after a stage's end, caused by it.
type After = Box<dyn FnOnce(&Rooms, &Context<'_>) -> Vec<Draft>>;

/// How a stage ends.
struct Ending {
    verdict: &'static str,
    output: Value,
    commands: Vec<(Command, Meta)>,
    collect: Collect,
    after: Option<After>,
}

impl Ending {
    fn new(verdict: &'static str, output: Value) -> Self {
        Self { verdict, output, commands: Vec::new(), collect: Box::new(|output, _| output), after: None }
    }
}
