//! Decide: one action is proposed, checked, and done or not.
//!
//! The model proposes; when nothing it says holds, the domain's rules do; when they have nothing either, a
//! person is asked. A person is also asked before an action that needs approval, and when the model is less
//! sure than the domain wants. An approval is for one action with its arguments and no other.

use throughline_expr::Expr;
use throughline_journal::Seq;
use throughline_model::{schema, structured};
use throughline_protocol::command::Batch;
use throughline_protocol::domain::{Intent, ProposedAction};
use throughline_protocol::{At, Command, Context, DEFAULT_SUBJECT, Meta, nearest};
use throughline_value::{Map, Number, Value};

use super::ask_model::{Asked, DEFAULT_RETRIES, MAX_RETRIES, ask};
use super::{Ending, Move, by_model, by_rule, calls, draft, finish, intent_of, prompts, with_changes};
use crate::constraints::Checked;
use crate::phrases::{Phrase, say};
use crate::turns::{Stage, Turn, TurnAsked};
use crate::{Names, Rooms};

/// A proposal that was checked.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) action: String,
    pub(super) args: Value,
    pub(super) reason: String,
    /// Whether the model is less sure than the domain wants.
    pub(super) unsure: bool,
    /// What it stands for.
    pub(super) commands: Vec<Command>,
    /// What was changed in its arguments so that they fit.
    pub(super) changes: Vec<Value>,
}

/// Why a proposal does not hold: a code for programs, and everything that is wrong.
pub(super) struct Wrong {
    pub(super) code: &'static str,
    pub(super) problems: Vec<String>,
}

impl Wrong {
    fn new(code: &'static str, problem: String) -> Self {
        Self { code, problems: vec![problem] }
    }
}

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    let Some(intent) = intent_of(turn, ctx.domain).filter(|intent| !intent.actions.is_empty()) else {
        return finish(turn, ctx, Stage::Decide, Ending::new("done", Value::map()));
    };
    let handed = Handed::of(turn);
    if handed.none {
        let output = Value::from([("action", Value::Null), ("handed_over", true.into())]);
        return finish(turn, ctx, Stage::Decide, Ending::new("asked", output));
    }
    let tries = ctx.domain.agent.retries.unwrap_or(DEFAULT_RETRIES).min(MAX_RETRIES) + 1;
    let asked = ask(
        turn,
        ctx,
        "decide",
        handed.again.saturating_mul(tries),
        |wrong| prompts::decide(rooms, turn, ctx, intent, wrong),
        None,
        |value| hold(rooms, turn, ctx, intent, value),
    );
    match asked {
        Asked::Wait => Move::Wait,
        Asked::Record(drafts) => Move::Record(drafts),
        Asked::Got(proposal, mut changes) => {
            changes.extend(proposal.iter().flat_map(|proposal| proposal.changes.clone()));
            propose(turn, ctx, proposal, changes, "done", by_model)
        }
        Asked::GaveUp(wrong) => match by_rules(rooms, turn, ctx, intent) {
            Ok(proposal) => propose(turn, ctx, proposal, Vec::new(), "fallback", by_rule),
            Err(problems) => hand_over(turn, ctx, &handed, &wrong, &problems),
        },
    }
}

/// What a person said when nobody else could decide.
struct Handed {
    asked: usize,
    again: u32,
    none: bool,
}

impl Handed {
    fn of(turn: &Turn) -> Self {
        let prefix = format!("a{}.decide.person", turn.seq);
        let mut handed = Self { asked: 0, again: 0, none: false };
        for (_, _, settled) in turn.asks.iter().filter(|(ask, ..)| ask.ask.starts_with(&prefix)) {
            handed.asked += 1;
            match settled.as_ref().and_then(|(answer, _)| answer.as_str()) {
                Some("again") => handed.again += 1,
                Some(_) => handed.none = true,
                None => {}
            }
        }
        handed
    }
}

fn hand_over(turn: &Turn, ctx: &Context<'_>, handed: &Handed, model: &[String], rules: &[String]) -> Move {
    let number = if handed.asked == 0 { String::new() } else { format!(".{}", handed.asked + 1) };
    let about = [("stage", Value::from("decide")), ("model", model.to_vec().into()), ("rules", rules.to_vec().into())];
    let asked = TurnAsked {
        ask: format!("a{}.decide.person{number}", turn.seq),
        question: say(Phrase::NobodyDecides, &turn.started.language).to_owned(),
        options: vec![Value::from("again"), Value::from("none")],
        about: Value::from(about),
    };
    Move::Record(vec![draft(ctx, "turn.asked", &asked)])
}

/// The names that rules, constraints and arguments may use: the run's values, then facts, state, entities.
fn names<'a>(rooms: &'a Rooms, turn: Option<&Turn>, ctx: &Context<'_>) -> Names<'a> {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let values = turn.and_then(|turn| turn.run.as_ref()).map(|run| rooms.plans.values(run)).unwrap_or_default();
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
    let value = &calls::proposal(value, intent, |name| ctx.domain.actions.get(name).map(|rule| rule.schema.clone()));
    let action = match value.get("action") {
        Some(Value::Null) => return Ok(None),
        Some(Value::Text(action)) => action,
        _ => return Err(vec!["`action` must name an action, or be null for none".to_owned()]),
    };
    if !intent.actions.contains(action) {
        return Err(vec![format!("`{action}` is not an action here; the actions are {}", intent.actions.join(", "))]);
    }
    let args = value.get("args").cloned().unwrap_or_default();
    let seen = turn.exchanges_for("decide").next_back().map(|exchange| exchange.seq);
    let confidence = value.get("confidence").and_then(Value::as_number);
    // A number as text is taken as the number, and it is on record; what still does not fit is told as it came.
    let rule = ctx.domain.actions.get(action);
    let fit = rule.and_then(|rule| structured::fit(&args, &rule.schema).ok());
    let (args, changes) = fit.unwrap_or((args, Vec::new()));
    let held = check(rooms, Some(turn), ctx, action, args, confidence, seen).map_err(|wrong| wrong.problems)?;
    let reason = value.get("reason").and_then(Value::as_str).unwrap_or("").to_owned();
    let changes = changes
        .into_iter()
        .map(|change| structured::Coercion { path: format!("/args{}", change.path), ..change }.to_value());
    Ok(Some(Proposal { reason, changes: changes.collect(), ..held }))
}

/// Checks one proposed action: the state is open for it, its arguments fit, every constraint holds, its commands
/// can be written, and the facts that they change are still those that the model was shown (after record `seen`).
pub(super) fn check(
    rooms: &Rooms,
    turn: Option<&Turn>,
    ctx: &Context<'_>,
    action: &str,
    args: Value,
    confidence: Option<&Number>,
    seen: Option<Seq>,
) -> Result<Proposal, Wrong> {
    let Some(rule) = ctx.domain.actions.get(action) else {
        let names: Vec<&str> = ctx.domain.actions.keys().map(String::as_str).collect();
        let near = nearest(action, &names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        return Err(Wrong::new("unknown-action", format!("there is no action `{action}`{near}")));
    };
    let args = if args.is_null() { Value::map() } else { args };
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    if !rule.states.is_empty() && !rule.states.iter().any(|state| rooms.machine.in_state(state, at)) {
        let now = rooms.machine.state(at).join(", ");
        let message = format!("`{action}` is only open in {}; the state is {now}", rule.states.join(", "));
        return Err(Wrong::new("action-closed", message));
    }
    let mut problems: Vec<String> =
        schema::problems(&args, &rule.schema).iter().map(|p| format!("/args{}: {}", p.path, p.message)).collect();
    let names = names(rooms, turn, ctx);
    let language = turn.map_or("", |turn| turn.started.language.as_str());
    let language =
        if language.is_empty() { ctx.domain.languages.first().map_or("en", String::as_str) } else { language };
    let checked = Checked { rooms, domain: ctx.domain, at, language, names: names.clone() };
    let mut code = "proposal-refused";
    let broken = checked.by_action(action, &args);
    if problems.is_empty() && !broken.is_empty() {
        code = "constraint-broken";
    }
    problems.extend(broken);
    let mut commands = Vec::new();
    if problems.is_empty() {
        let names = names.with("args", args.clone());
        for form in &rule.commands {
            let filled = fill(form, &names);
            match filled.and_then(|value| Command::from_value(&value).map_err(|refusal| refusal.to_string())) {
                Ok(command) => commands.push(command),
                Err(error) => problems.push(error),
            }
        }
        let stale: Vec<String> = commands.iter().filter_map(|command| stale(rooms, ctx, command, at, seen?)).collect();
        if !stale.is_empty() {
            code = "version-conflict";
            problems.extend(stale);
        }
    }
    if !problems.is_empty() {
        return Err(Wrong { code, problems });
    }
    let floor = ctx.domain.agent.confidence.as_ref();
    let unsure = floor.zip(confidence).is_some_and(|(floor, confidence)| confidence < floor);
    Ok(Proposal { action: action.to_owned(), args, reason: String::new(), unsure, commands, changes: Vec::new() })
}

/// What is wrong with a command that would put a value in the place of one which the model was not shown.
fn stale(rooms: &Rooms, ctx: &Context<'_>, command: &Command, at: At, seen: Seq) -> Option<String> {
    let (subject, key) = match command {
        Command::AssertFact(c) => (&c.subject, &c.key),
        Command::RetractFact(c) => (&c.subject, &c.key),
        _ => return None,
    };
    // Where several values stand side by side, none takes the place of another.
    let cardinality = ctx.domain.facts.get(key).and_then(|fact| fact.cardinality.as_deref()).unwrap_or("one");
    if !matches!(cardinality, "one" | "interval") {
        return None;
    }
    let subject = subject.as_deref().unwrap_or(DEFAULT_SUBJECT);
    let version = |at: At| rooms.ledger.facts(at, Some(subject), Some(key)).facts.pop();
    let (then, now) = (version(At { seq: seen, ..at }), version(at));
    let number = |fact: &Option<throughline_protocol::view::FactView>| fact.as_ref().map_or(0, |fact| fact.version);
    if number(&then) == number(&now) {
        return None;
    }
    let value = now.as_ref().map_or_else(|| "nothing".to_owned(), |fact| fact.value.to_json());
    Some(format!(
        "version-conflict: `{key}` has changed since you were asked: version {} was expected and {} stands, its value is {value}; decide again on what is known now",
        number(&then),
        number(&now)
    ))
}

/// The first rule of the domain that applies. No rule at all is nobody's decision.
fn by_rules(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent) -> Result<Option<Proposal>, Vec<String>> {
    let names = names(rooms, Some(turn), ctx);
    let mut errors = Vec::new();
    for rule in &intent.rules {
        let (held, error) = rule.when.as_deref().map_or((true, None), |when| names.holds(when));
        errors.extend(error);
        if !held {
            continue;
        }
        let args = match fill(&rule.args, &names) {
            Ok(args) => args,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        match check(rooms, Some(turn), ctx, &rule.action, args, None, None) {
            Ok(proposal) => return Ok(Some(Proposal { reason: "by rule".to_owned(), ..proposal })),
            Err(wrong) => errors.extend(wrong.problems),
        }
    }
    if intent.rules.is_empty() {
        errors.push("the domain has no rule for this".to_owned());
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

/// What a person is asked before a proposal is done.
pub(super) fn question(rule: &ProposedAction, unsure: bool, language: &str) -> String {
    let phrase = if unsure && !rule.approval { Phrase::Unsure } else { Phrase::MayI };
    format!("{} {}", say(phrase, language), rule.description.get(language))
}

/// The answers to it.
pub(super) fn approvals() -> Vec<Value> {
    vec![Value::from("approve"), Value::from("reject")]
}

fn propose(
    turn: &Turn,
    ctx: &Context<'_>,
    proposal: Option<Proposal>,
    changes: Vec<Value>,
    verdict: &'static str,
    meta: fn(&str) -> Meta,
) -> Move {
    let Some(Proposal { action, args, reason, unsure, commands, .. }) = proposal else {
        let none = with_changes(Map::from_iter([("action".to_owned(), Value::Null)]), changes);
        return finish(turn, ctx, Stage::Decide, Ending::new(verdict, Value::Map(none)));
    };
    let Some(rule) = ctx.domain.actions.get(&action) else { return Move::Wait };
    let mut output = Map::new();
    output.insert("action".to_owned(), Value::from(action.as_str()));
    output.insert("args".to_owned(), args.clone());
    output.insert("reason".to_owned(), Value::from(reason.as_str()));
    let mut output = with_changes(output, changes);
    if rule.approval || unsure {
        let prefix = format!("a{}.decide", turn.seq);
        let person = format!("{prefix}.person");
        let of_decision = |id: &str| id.starts_with(&prefix) && !id.starts_with(&person);
        let mut asked = turn.asks.iter().filter(|(ask, ..)| of_decision(&ask.ask));
        let before = asked.clone().count();
        // An approval is for this action with these arguments.
        let same = |about: &Value| {
            about.get("action").and_then(Value::as_str) == Some(&action) && about.get("args") == Some(&args)
        };
        match asked.find(|(ask, ..)| same(&ask.about)) {
            None => {
                let number = if before == 0 { String::new() } else { format!(".{}", before + 1) };
                let asked = TurnAsked {
                    ask: format!("{prefix}{number}"),
                    question: question(rule, unsure, &turn.started.language),
                    options: approvals(),
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
    // What an action stands for is done as a whole or not at all.
    let whole = commands.len() > 1;
    let commands = if whole { vec![Batch { commands }.into()] } else { commands };
    let ending = Ending {
        commands: commands.into_iter().map(|command| (command, meta(&reason))).collect(),
        collect: Box::new(move |output, outcomes| {
            let mut map = output.as_map().cloned().unwrap_or_default();
            let (mut results, mut refused) = (Vec::new(), Vec::new());
            for outcome in outcomes {
                match outcome.map(|done| done.result) {
                    Ok(Value::List(all)) if whole => results.extend(all),
                    Ok(result) => results.push(result),
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
