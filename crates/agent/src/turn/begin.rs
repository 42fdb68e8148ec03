//! What begins, stops and answers: the commands that people give to turns and runs.

use throughline_protocol::command::{Answer, BeginTurn, StartRun};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Value, to_value};

use crate::turns::{AskSettled, TurnEnded, TurnStarted};
use crate::{Hosted, Rooms};

/// The longest text of a user, in bytes. A longer one is refused with `text-too-long`.
pub const MAX_USER_TEXT: usize = 64 << 10;

/// May a turn begin?
///
/// # Errors
/// `empty-text`, `text-too-long`, `turn-under-way`, `no-intents`.
pub fn begin(rooms: &Rooms, ctx: &Context<'_>, command: &BeginTurn) -> Result<Decision, Refusal> {
    if command.text.trim().is_empty() {
        return Err(Refusal::new("empty-text", "say something first").at_path("/text"));
    }
    if command.text.len() > MAX_USER_TEXT {
        let message = format!("a text of over {MAX_USER_TEXT} bytes is not taken; add it as a document");
        return Err(Refusal::new("text-too-long", message).at_path("/text"));
    }
    if let Some(open) = rooms.turns.newest_open(ctx.thread) {
        let message = format!("turn {} of thread {} is still {}", open.turn, open.thread, open.status);
        let waits = open.asks.iter().find(|(_, _, settled)| settled.is_none());
        let refusal = Refusal::new("turn-under-way", message);
        return Err(match waits {
            Some((asked, ..)) => {
                let hint = format!("it waits for a person: `answer` the question `{}`, or `stop_turn`", asked.ask);
                refusal.suggest(hint).with(throughline_value::Value::from([("ask", asked.ask.as_str())]))
            }
            None => refusal.suggest("wait for it, or stop it with `stop_turn`"),
        });
    }
    if ctx.domain.intents.is_empty() {
        let hint = "load a domain that has `intents` with `load_domain`";
        return Err(Refusal::new("no-intents", "there is nothing a user can want here").suggest(hint));
    }
    let default = || ctx.domain.languages.first().cloned().unwrap_or_else(|| "en".to_owned());
    let language = command.language.clone().unwrap_or_else(default);
    let started = TurnStarted { text: throughline_model::redact_said(&command.text), language };
    let result = Value::from([("thread", Value::from(ctx.thread)), ("turn", Value::from(u64::from(ctx.turn)))]);
    Ok(Decision::one(ctx.draft("turn.started", to_value(&started)?), result))
}

/// Stops the thread's turn.
///
/// # Errors
/// `no-turn` when none is going on.
pub fn stop(rooms: &Rooms, ctx: &Context<'_>) -> Result<Decision, Refusal> {
    let Some(turn) = rooms.turns.newest_open(ctx.thread) else {
        return Err(Refusal::new("no-turn", format!("no turn is going on in thread {}", ctx.thread)));
    };
    let mut drafts = Vec::new();
    let open_run = turn.run.as_ref().filter(|run| matches!(rooms.plans.status(run), Some("running" | "paused")));
    if let Some(run) = open_run {
        let command = throughline_protocol::command::CancelRun { run: run.clone() };
        drafts.extend(rooms.plans.cancel_run(ctx, &command)?.drafts);
    }
    let ended = TurnEnded { code: "stopped".to_owned(), message: ctx.reason.to_owned() };
    let mut draft = ctx.draft("turn.stopped", to_value(&ended)?);
    draft.turn = turn.turn;
    drafts.push(draft);
    Ok(Decision { drafts, result: Value::from([("turn", u64::from(turn.turn))]) })
}

/// Answers what a turn asks. An answer reaches the question it names and no other.
///
/// # Errors
/// `unknown-ask`, `already-settled`, `not-an-option`.
pub fn answer(rooms: &Rooms, ctx: &Context<'_>, command: &Answer) -> Result<Decision, Refusal> {
    let settled = || Refusal::new("already-settled", format!("`{}` is answered already", command.ask)).at_path("/ask");
    let Some(turn) = rooms.turns.of_ask(&command.ask) else {
        if rooms.turns.has_asked(&command.ask) {
            return Err(settled());
        }
        if let Some(settled) = super::propose::settle(rooms, ctx, command) {
            return settled;
        }
        return Err(
            Refusal::new("unknown-ask", format!("nothing with the id `{}` was asked", command.ask)).at_path("/ask")
        );
    };
    let Some((ask, seq, answer)) = turn.asks.iter().find(|(ask, ..)| ask.ask == command.ask) else {
        return Err(
            Refusal::new("unknown-ask", format!("nothing with the id `{}` was asked", command.ask)).at_path("/ask")
        );
    };
    if answer.is_some() {
        return Err(settled());
    }
    if !ask.options.is_empty() && !ask.options.contains(&command.answer) {
        let refusal = Refusal::new("not-an-option", "the answer is not one of the options").at_path("/answer");
        return Err(refusal.with(Value::List(ask.options.clone())));
    }
    let settled = AskSettled { ask: command.ask.clone(), answer: command.answer.clone() };
    let mut draft = ctx.draft("turn.ask_settled", to_value(&settled)?);
    draft.thread.clone_from(&turn.thread);
    draft.turn = turn.turn;
    draft.cause = throughline_journal::Cause::Record(*seq);
    Ok(Decision::one(draft, Value::from([("ask", command.ask.as_str())])))
}

/// Checks a plan against the domain and starts a run of it.
///
/// # Errors
/// `plan-invalid` with all diagnostics in its details.
pub fn start_run(rooms: &Rooms, ctx: &Context<'_>, command: &StartRun) -> Result<Decision, Refusal> {
    rooms.plans.start_run(ctx, command, &Hosted::scope(ctx.domain, command.inputs.keys().cloned()))
}
