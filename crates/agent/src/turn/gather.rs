//! Gather: a plan is written, checked and run; its values become facts.

use throughline_expr::Expr;
use throughline_protocol::command::{AssertFact, StartRun};
use throughline_protocol::{At, Command, Context, Meta};
use throughline_value::{InOrder as _, Map, Value};

use super::ask_model::{Asked, ask};
use super::{Ending, Move, by_model, by_rule, calls, draft, finish, intent_of, prompts};
use crate::turns::{Stage, Turn, TurnRun};
use crate::{Hosted, Rooms};

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    if let Some(run) = &turn.run {
        return match rooms.plans.status(run) {
            Some("running" | "paused") => Move::Wait,
            status => gathered(rooms, turn, ctx, run, status.unwrap_or("cancelled")),
        };
    }
    let Some(intent) = intent_of(turn, ctx.domain) else {
        return finish(turn, ctx, Stage::Gather, Ending::new("done", Value::map()));
    };
    let inputs = inputs_of(turn);
    if intent.mode.as_deref().map_or(ctx.domain.agent.model_plans, |mode| mode == "plan") {
        let scope = Hosted::scope(ctx.domain, inputs.keys().cloned());
        let asked = ask(
            turn,
            ctx,
            "plan",
            0,
            |wrong| prompts::plan(rooms, turn, ctx, &inputs, wrong),
            None,
            |value| {
                let value = calls::plan(value, &throughline_plan::prompt::schema())?;
                let plan = value.get("plan").cloned().ok_or_else(|| vec!["the plan is missing".to_owned()])?;
                let (_, report) = throughline_plan::check(&plan, &scope);
                let language = &turn.started.language;
                if report.ok { Ok(plan) } else { Err(throughline_plan::prompt::findings(&report, language)) }
            },
        );
        match asked {
            Asked::Wait => return Move::Wait,
            Asked::Record(drafts) => return Move::Record(drafts),
            Asked::Got(plan, _) => return start(plan, inputs, by_model("the model's plan holds"), false),
            Asked::GaveUp(wrong) if intent.plan.is_null() => {
                let output = Value::from([("model", Value::from(wrong))]);
                return finish(turn, ctx, Stage::Gather, Ending::new("fallback", output));
            }
            Asked::GaveUp(wrong) => {
                let reason = format!("the domain's plan, since the model gave none that holds: {}", wrong.join("; "));
                return start(intent.plan.clone(), inputs, by_rule(&reason), true);
            }
        }
    }
    if intent.plan.is_null() {
        return finish(turn, ctx, Stage::Gather, Ending::new("done", Value::map()));
    }
    start(intent.plan.clone(), inputs, by_rule("the domain's plan for this intent"), false)
}

/// The values that a plan may use: the raw id of each type mentioned, and each fact said.
fn inputs_of(turn: &Turn) -> Map {
    let ground = turn.output(Stage::Ground);
    let list = |name: &str| ground.get(name).and_then(Value::as_list).unwrap_or(&[]);
    let mut inputs = Map::new();
    for (items, name, value) in [(list("entities"), "type", "raw_id"), (list("facts"), "key", "value")] {
        for item in items {
            if let (Some(name), Some(value)) = (item.get(name).and_then(Value::as_str), item.get(value)) {
                inputs.entry(name.to_owned()).or_insert_with(|| value.clone());
            }
        }
    }
    inputs
}

/// `instead`: the domain's plan stands in for one that the model should have written.
fn start(plan: Value, inputs: Map, meta: Meta, instead: bool) -> Move {
    Move::Execute {
        commands: vec![(StartRun { plan, inputs, paused: false, breakpoints: Vec::new() }.into(), meta)],
        then: Box::new(move |_, ctx, outcomes| match outcomes.into_iter().next() {
            Some(Ok(done)) => {
                let run = done.result.get("run").and_then(Value::as_str).unwrap_or_default().to_owned();
                vec![draft(ctx, "turn.run_started", &TurnRun { run, instead })]
            }
            Some(Err(refusal)) => {
                let ended = crate::turns::TurnEnded { code: refusal.code.clone(), message: refusal.message.clone() };
                vec![draft(ctx, "turn.failed", &ended)]
            }
            None => Vec::new(),
        }),
    }
}

/// The run is over: its values become the facts that the intent names.
fn gathered(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, run: &str, status: &str) -> Move {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let values = rooms.plans.values(run);
    let map: Map = values.iter().map(|(name, bound)| (format!("${name}"), bound.value.clone())).collect();
    let steps = rooms.plans.run(run, &at).map(|view| view.steps).unwrap_or_default();
    let mut commands: Vec<(Command, Meta)> = Vec::new();
    let mut missing = Vec::new();
    let names = rooms.names(at, ctx.now).with_all(&map);
    for (key, source) in intent_of(turn, ctx.domain).map(|intent| &intent.facts).into_iter().flatten() {
        let expr = match Expr::parse(source) {
            Ok(expr) => expr,
            Err(error) => {
                missing.push(Value::from([("fact", key.clone()), ("why", error.to_string())]));
                continue;
            }
        };
        let value = match expr.eval(&names) {
            Ok(Value::Null) => continue,
            Ok(value) => value,
            Err(error) => {
                missing.push(Value::from([("fact", key.clone()), ("why", error.to_string())]));
                continue;
            }
        };
        // The step that the value came from is the cause, so that `why` reaches the evidence.
        let used = expr
            .names()
            .into_iter()
            .find_map(|path| values.get(path.root().trim_start_matches('$')).map(|bound| bound.step.clone()));
        let step = used.and_then(|id| steps.iter().find(|step| step.id == id));
        let document = step.and_then(|step| step.evidence.first()).map(|evidence| evidence.document.clone());
        // It is trusted as much as the least trusted of what it rests on.
        let bound = expr.names().into_iter().filter_map(|path| values.get(path.root().trim_start_matches('$')));
        let steps_used = bound.filter_map(|bound| steps.iter().find(|step| step.id == bound.step));
        let mut sources: Vec<String> =
            steps_used.flat_map(|step| step.evidence.iter().map(|evidence| evidence.document.clone())).collect();
        sources.order();
        sources.dedup();
        if sources.len() < 2 {
            sources.clear();
        }
        let assert = AssertFact {
            key: key.clone(),
            value,
            subject: None,
            source: document.or_else(|| Some(run.to_owned())),
            sources,
            confidence: None,
            valid_to: None,
            expected_version: None,
        };
        let meta = Meta { cause: step.map(|step| step.seq), ..by_rule("found by the plan") };
        commands.push((assert.into(), meta));
    }
    let output =
        Value::from([("run", Value::from(run)), ("status", Value::from(status)), ("missing", Value::List(missing))]);
    let verdict = if status == "done" && !turn.run_instead { "done" } else { "fallback" };
    let ending = Ending {
        commands,
        collect: Box::new(|output, outcomes| {
            let mut map = output.as_map().cloned().unwrap_or_default();
            let refused = outcomes.into_iter().filter_map(Result::err).map(|r| Value::from(r.to_string())).collect();
            map.insert("refused".to_owned(), Value::List(refused));
            Value::Map(map)
        }),
        ..Ending::new(verdict, output)
    };
    finish(turn, ctx, Stage::Gather, ending)
}
