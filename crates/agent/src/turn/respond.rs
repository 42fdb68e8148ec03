//! Respond: the domain's template speaks, with a footnote for everything that rests on evidence.

use throughline_expr::time::Zone;
use throughline_expr::{Env, Expr};
use throughline_plan::answer::{AnswerScope, RunScope, render};
use throughline_plan::{Bound, Evidence};
use throughline_protocol::domain::Intent;
use throughline_protocol::view::AnswerView;
use throughline_protocol::{At, Context};
use throughline_value::{Map, Named, Value};

use super::{Ending, Move, draft, finish, intent_of};
use crate::phrases::{Phrase, say};
use crate::turns::{Stage, Turn};
use crate::{Names, Rooms};

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    let language = turn.started.language.as_str();
    let rendered = intent_of(turn, ctx.domain).map(|intent| answer(rooms, turn, ctx, intent));
    let (verdict, answer, problem) = match rendered {
        Some(Ok(answer)) => ("done", answer, None),
        Some(Err(problem)) => ("fallback", plain(say(Phrase::NoAnswer, language)), Some(problem)),
        None => ("fallback", plain(say(Phrase::NoAnswer, language)), None),
    };
    let mut output = Map::new();
    output.insert("text".to_owned(), Value::from(answer.text.as_str()));
    output.insert("unsupported".to_owned(), Value::from(answer.unsupported.clone()));
    if let Some(problem) = problem {
        output.insert("problem".to_owned(), Value::from(problem));
    }
    let ending = Ending {
        after: Some(Box::new(move |_, ctx| vec![draft(ctx, "turn.answered", &answer)])),
        ..Ending::new(verdict, Value::Map(output))
    };
    finish(turn, ctx, Stage::Respond, ending)
}

fn plain(text: &str) -> AnswerView {
    AnswerView { text: text.to_owned(), from: "agent".to_owned(), ..AnswerView::default() }
}

fn answer(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent) -> Result<AnswerView, String> {
    let Some(template) = ctx.domain.answers.get(&intent.answer) else {
        return Err(format!("the domain has no answer `{}`", intent.answer));
    };
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    if !template.states.is_empty() && !template.states.iter().any(|state| rooms.machine.in_state(state, at)) {
        return Err(format!("the answer `{}` is only open in {}", intent.answer, template.states.join(", ")));
    }
    let values = turn.run.as_ref().map(|run| rooms.plans.values(run)).unwrap_or_default();
    let names = rooms
        .names(at, ctx.now)
        .with("question", Value::from(turn.started.text.as_str()))
        .with("language", Value::from(turn.started.language.as_str()))
        .with("interpretation", turn.output(Stage::Interpret).clone())
        .with("decision", turn.output(Stage::Decide).clone())
        .with("fallback", fallbacks(turn));
    let outer = Known { names, intent, values: &values };
    let scope = RunScope::new(&values, &outer);
    render(template.template.get(&turn.started.language), &intent.answer, &scope).map_err(|error| error.to_string())
}

/// The stages in which the model's reply could not be used and the domain's rules stood in: an answer can
/// say so by the name `fallback`.
fn fallbacks(turn: &Turn) -> Value {
    let replaced = turn.outputs.iter().filter(|(_, (finished, _))| finished.verdict == "fallback");
    replaced.map(|(stage, _)| stage.name()).collect::<Vec<_>>().into()
}

/// What an answer may name beside the run's values, and what it rests on.
struct Known<'a> {
    names: Names<'a>,
    intent: &'a Intent,
    values: &'a Named<Bound>,
}

impl Env for Known<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.names.get(name)
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        self.names.get_path(path)
    }

    fn now(&self) -> Option<i64> {
        self.names.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.names.zone()
    }
}

impl AnswerScope for Known<'_> {
    fn evidence(&self, path: &[String]) -> Vec<Evidence> {
        // What was decided was checked and recorded; it rests on the turn's own decision.
        if path.first().is_some_and(|name| name == "decision") {
            let quote = self.names.get("decision").map(|decision| decision.to_json()).unwrap_or_default();
            return vec![Evidence { quote, method: "decision".to_owned(), ..Evidence::default() }];
        }
        let [facts, key, ..] = path else { return Vec::new() };
        if facts != "facts" {
            return Vec::new();
        }
        // A fact that this turn took from the run rests on what the run's values rest on.
        if let Some(expr) = self.intent.facts.get(key).and_then(|source| Expr::parse(source).ok()) {
            let used = expr.names();
            let found = used.iter().filter_map(|path| self.values.get(path.root().trim_start_matches('$')));
            let evidence: Vec<Evidence> = found.flat_map(|bound| bound.evidence.iter().cloned()).collect();
            if !evidence.is_empty() {
                return evidence;
            }
        }
        // Any other rests on the ledger itself.
        self.names.evidence(path)
    }
}
