//! Decide: one action is proposed, checked, and done or not.

use throughline_expr::Expr;
use throughline_model::schema;
use throughline_protocol::domain::Intent;
use throughline_protocol::{At, Command, Context, Meta};
use throughline_value::{Map, Value};

use super::ask_model::{Asked, ask};
use super::{Ending, Move, by_model, by_rule, draft, finish, intent_of, prompts};
use crate::phrases::{Phrase, say};
use crate::turns::{Stage, Turn, TurnAsked};
use crate::{Names, Rooms};

/// A proposal that was checked.
#[derive(Clone, Debug)]
struct Proposal {
    action: String,
    args: Value,
    reason: String,
}

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    let Some(intent) = intent_of(turn, ctx.domain).filter(|intent| !intent.actions.is_empty()) else {
        return finish(turn, ctx, Stage::Decide, Ending::new("done", Value::map()));
    };
    let asked = ask(
        turn,
        ctx,
        "decide",
        |wrong| prompts::decide(rooms, turn, ctx, intent, wrong),
        |value| hold(rooms, turn, ctx, intent, value),
    );
    match asked {
        Asked::Wait => Move::Wait,
        Asked::Ask(drafts) => Move::Record(drafts),
        Asked::Got(proposal) => propose(rooms, turn, ctx, proposal, "done", by_model),
        Asked::GaveUp(wrong) => match by_rules(rooms, turn, ctx, intent) {
            Ok(proposal) => propose(rooms, turn, ctx, proposal, "fallback", by_rule),
            Err(problems) => {
                let output = Value::from([("model", Value::from(wrong)), ("rules", Value::from(problems))]);
                finish(turn, ctx, Stage::Decide, Ending::new("fallback", output))
            }
        },
    }
}

/// The names that rules, constraints and arguments may use: the run's values, then facts, state, entities.
fn names<'a>(rooms: &'a Rooms, turn: &Turn, ctx: &Context<'_>) -> Names<'a> {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let values = turn.run.as_ref().map(|run| rooms.plans.values(run)).unwrap_or_default();
    let map: Map = values.into_iter().map(|(name, bound)| (format!("${name}"), bound.value)).collect();
    rooms.names(at, ctx.now).with_all(&map)
}

/// Whether a proposed value is an action that may be done here and now; else everything that is wrong.
fn hold(
    rooms: &Rooms,
    turn: &Turn,
    ctx: &Context<'_>,
    intent: &Intent,
    value: &Value,
) -> Result<Option<Proposal>, Vec<String>> {
    let reason = value.get("reason").and_then(Value::as_str).unwrap_or("").to_owned();
    let action = match value.get("action") {
        Some(Value::Null) => return Ok(None),
        Some(Value::Text(action)) => action.clone(),
        _ => return Err(vec!["`action` must name an action, or be null for none".to_owned()]),
    };
    let args = value.get("args").filter(|args| !args.is_null()).cloned().unwrap_or_else(Value::map);
    let Some(rule) = ctx.domain.actions.get(&action).filter(|_| intent.actions.contains(&action)) else {
        return Err(vec![format!("`{action}` is not an action here; the actions are {}", intent.actions.join(", "))]);
    };
    let mut wrong = Vec::new();
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    if !rule.states.is_empty() && !rule.states.iter().any(|state| rooms.machine.in_state(state, at)) {
        let now = rooms.machine.state(at).join(", ");
        wrong.push(format!("`{action}` is only open in {}; the state is {now}", rule.states.join(", ")));
    }
    wrong.extend(schema::problems(&args, &rule.schema).iter().map(|p| format!("/args{}: {}", p.path, p.message)));
    let mut proposal = args.as_map().cloned().unwrap_or_default();
    proposal.insert("action".to_owned(), Value::from(action.as_str()));
    let names = names(rooms, turn, ctx).with("proposal", Value::Map(proposal));
    for constraint in &ctx.domain.constraints {
        if !constraint.actions.is_empty() && !constraint.actions.contains(&action) {
            continue;
        }
        let (held, error) = names.holds(&constraint.rule);
        if !held {
            let message = constraint.message.get(&turn.started.language);
            let error = error.map(|error| format!(" ({error})")).unwrap_or_default();
            wrong.push(format!("the constraint `{}` is broken: {message}{error}", constraint.name));
        }
    }
    if wrong.is_empty() { Ok(Some(Proposal { action, args, reason })) } else { Err(wrong) }
}

/// The first rule of the domain that applies.
fn by_rules(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent) -> Result<Option<Proposal>, Vec<String>> {
    let names = names(rooms, turn, ctx);
    let mut errors = Vec::new();
    for rule in &intent.rules {
        let (held, error) = rule.when.as_deref().map_or((true, None), |when| names.holds(when));
        errors.extend(error);
        if !held {
            continue;
        }
        let args = match fill(&rule.args, &names) {
            Ok(Value::Null) => Value::map(),
            Ok(args) => args,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let proposal = Value::from([
            ("action", Value::from(rule.action.as_str())),
            ("args", args),
            ("reason", Value::from("by rule")),
        ]);
        match hold(rooms, turn, ctx, intent, &proposal) {
            Ok(proposal) => return Ok(proposal),
            Err(problems) => errors.extend(problems),
        }
    }
    if errors.is_empty() { Ok(None) } else { Err(errors) }
}

/// Puts values in for texts that start with `=`; one pass, so what a value says is never read again.
fn fill(form: &Value, names: &Names<'_>) -> Result<Value, String> {
    Ok(match form {
        Value::Text(text) => match text.strip_prefix('=') {
            Some(source) => {
                Expr::parse(source).and_then(|expr| expr.eval(names)).map_err(|error| format!("`{source}`: {error}"))?
            }
            None => form.clone(),
        },
        Value::List(list) => Value::List(list.iter().map(|item| fill(item, names)).collect::<Result<_, _>>()?),
        Value::Map(map) => {
            Value::Map(map.iter().map(|(k, item)| Ok((k.clone(), fill(item, names)?))).collect::<Result<_, String>>()?)
        }
        plain => plain.clone(),
    })
}

fn propose(
    rooms: &Rooms,
    turn: &Turn,
    ctx: &Context<'_>,
    proposal: Option<Proposal>,
    verdict: &'static str,
    meta: fn(&str) -> Meta,
) -> Move {
    let Some(Proposal { action, args, reason }) = proposal else {
        return finish(turn, ctx, Stage::Decide, Ending::new(verdict, Value::from([("action", Value::Null)])));
    };
    let Some(rule) = ctx.domain.actions.get(&action) else { return Move::Wait };
    let mut output = Map::new();
    output.insert("action".to_owned(), Value::from(action.as_str()));
    output.insert("args".to_owned(), args.clone());
    output.insert("reason".to_owned(), Value::from(reason.as_str()));
    if rule.approval {
        let id = format!("a{}.decide", turn.seq);
        match turn.asks.iter().find(|(ask, ..)| ask.ask == id) {
            None => {
                let asked = TurnAsked {
                    ask: id,
                    question: format!(
                        "{} {}",
                        say(Phrase::MayI, &turn.started.language),
                        rule.description.get(&turn.started.language)
                    ),
                    options: vec![Value::from("approve"), Value::from("reject")],
                    about: Value::Map(output),
                };
                return Move::Record(vec![draft(ctx, "turn.asked", &asked)]);
            }
            Some((_, _, Some((answer, _)))) if answer.as_str() == Some("approve") => {}
            Some(_) => {
                output.insert("rejected".to_owned(), Value::from(true));
                return finish(turn, ctx, Stage::Decide, Ending::new("asked", Value::Map(output)));
            }
        }
    }
    let names = names(rooms, turn, ctx).with("args", args);
    let mut commands: Vec<(Command, Meta)> = Vec::new();
    for form in &rule.commands {
        let filled =
            fill(form, &names).and_then(|value| Command::from_value(&value).map_err(|refusal| refusal.to_string()));
        match filled {
            Ok(command) => commands.push((command, meta(&reason))),
            Err(error) => {
                output.insert("refused".to_owned(), Value::from(vec![error]));
                return finish(turn, ctx, Stage::Decide, Ending::new("failed", Value::Map(output)));
            }
        }
    }
    let ending = Ending {
        commands,
        collect: Box::new(|output, outcomes| {
            let mut map = output.as_map().cloned().unwrap_or_default();
            let (mut results, mut refused) = (Vec::new(), Vec::new());
            for outcome in outcomes {
                match outcome {
                    Ok(done) => results.push(done.result),
                    Err(refusal) => refused.push(Value::from(refusal.to_string())),
                }
            }
            map.insert("results".to_owned(), Value::List(results));
            if !refused.is_empty() {
                map.insert("refused".to_owned(), Value::List(refused));
            }
            Value::Map(map)
        }),
        ..Ending::new(verdict, Value::Map(output))
    };
    finish(turn, ctx, Stage::Decide, ending)
}
