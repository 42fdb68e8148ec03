//! Proposals from outside of a turn: somebody else's loop proposes, the same door decides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_journal::{Cause, Digest, Record, Seq};
use throughline_protocol::command::{Answer, Propose};
use throughline_protocol::view::Problem;
use throughline_protocol::{At, Context, Decision, Refusal};
use throughline_value::{Value, from_value, to_value};

use super::decide::{Wrong, approvals, check, question};
use crate::Rooms;
use crate::turns::Settled;

/// `proposal.asked`: a proposal that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct ProposalAsked {
    /// The question's id.
    pub ask: String,
    /// The question.
    pub question: String,
    /// Possible answers.
    pub options: Vec<Value>,
    /// The action.
    pub action: String,
    /// Its arguments.
    pub args: Value,
}

/// `proposal.settled`: what the person said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct ProposalSettled {
    /// The question's id.
    pub ask: String,
    /// The answer.
    pub answer: Value,
}

/// The proposals that were put before a person.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    by_ask: BTreeMap<String, (ProposalAsked, Seq, Settled)>,
    /// Records that could not be read.
    pub quarantined: u64,
}

impl Proposals {
    /// Folds one record.
    pub fn evolve(&mut self, record: &Record) {
        let known = match record.kind.as_str() {
            "proposal.asked" => from_value(record.data()).ok().map(|asked: ProposalAsked| {
                self.by_ask.insert(asked.ask.clone(), (asked, record.seq, None));
            }),
            "proposal.settled" => from_value(record.data()).ok().and_then(|settled: ProposalSettled| {
                self.by_ask.get_mut(&settled.ask)?.2 = Some((settled.answer, record.seq));
                Some(())
            }),
            _ => return,
        };
        self.quarantined += u64::from(known.is_none());
    }

    /// What waits for a person at a moment.
    #[must_use]
    pub fn problems(&self, at: At) -> Vec<Problem> {
        let open = self
            .by_ask
            .values()
            .filter(|(_, asked, settled)| *asked <= at.seq && settled.as_ref().is_none_or(|(_, seq)| *seq > at.seq));
        let problem = |(asked, seq, _): &(ProposalAsked, Seq, _)| Problem {
            code: "waiting-for-a-person".to_owned(),
            message: asked.question.clone(),
            severity: "open".to_owned(),
            seq: *seq,
            details: Value::from([
                ("ask", Value::from(asked.ask.as_str())),
                ("options", asked.options.clone().into()),
                ("action", asked.action.as_str().into()),
                ("args", asked.args.clone()),
            ]),
        };
        open.map(problem).collect()
    }

    /// Adds every version of everything.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("proposals");
        for (asked, seq, settled) in self.by_ask.values() {
            digest.value(&to_value(asked).unwrap_or_default());
            digest.number(seq.cast_signed());
            digest.value(&settled.as_ref().map(|(answer, _)| answer.clone()).into());
        }
    }

    /// Adds what waits for a person.
    pub fn digest_content(&self, digest: &mut Digest) {
        digest.text("proposals");
        for (asked, ..) in self.by_ask.values().filter(|(.., settled)| settled.is_none()) {
            digest.text(&asked.action);
            digest.value(&asked.args);
        }
    }
}

/// The name, in a decision's result, of the commands that the engine is to execute next.
pub const COMMANDS: &str = "commands";

/// May this action be done? When it may, `commands` of the result are to be executed, caused by the record.
///
/// # Errors
/// `unknown-action`, `action-closed` with the events that are allowed, `constraint-broken`, `proposal-refused`; each
/// with all `problems`.
pub fn propose(rooms: &Rooms, ctx: &Context<'_>, command: &Propose) -> Result<Decision, Refusal> {
    let confidence = command.confidence.as_ref();
    let held = check(rooms, None, ctx, &command.action, command.args.clone(), confidence, None);
    let held = held.map_err(|wrong| refusal(rooms, ctx, &wrong))?;
    let Some(rule) = ctx.domain.actions.get(&held.action) else {
        return Err(Refusal::new("unknown-action", format!("there is no action `{}`", held.action)));
    };
    let action = ("action", Value::from(held.action.as_str()));
    if rule.approval || held.unsure {
        let language = ctx.domain.languages.first().map_or("en", String::as_str);
        let asked = ProposalAsked {
            ask: format!("p{}", ctx.next_seq),
            question: question(rule, held.unsure, language),
            options: approvals(),
            action: held.action.clone(),
            args: held.args.clone(),
        };
        let result = Value::from([
            ("status", Value::from("asked")),
            action,
            ("args", held.args),
            ("ask", asked.ask.as_str().into()),
            ("question", asked.question.as_str().into()),
        ]);
        return Ok(Decision::one(ctx.draft("proposal.asked", to_value(&asked)?), result));
    }
    let accepted = Value::from([action.clone(), ("args", held.args.clone())]);
    let commands = held.commands.iter().map(throughline_protocol::Command::to_value).collect();
    let result =
        Value::from([("status", Value::from("done")), action, ("args", held.args), (COMMANDS, Value::List(commands))]);
    Ok(Decision::one(ctx.draft("proposal.accepted", accepted), result))
}

fn refusal(rooms: &Rooms, ctx: &Context<'_>, wrong: &Wrong) -> Refusal {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let names = rooms.names(at, ctx.now);
    let allowed = rooms.machine.allowed_events(at, &names);
    let open = allowed.into_iter().filter(|event| event.open != Some(false)).map(|event| Value::from(event.event));
    let details = Value::from([
        ("problems", Value::from(wrong.problems.clone())),
        ("state", rooms.machine.state(at).to_vec().into()),
        ("allowed_events", Value::List(open.collect())),
    ]);
    let path = if wrong.code == "unknown-action" || wrong.code == "action-closed" { "/action" } else { "/args" };
    Refusal::new(wrong.code, wrong.problems.join("; ")).at_path(path).with(details)
}

/// Answers what a proposal from outside of a turn waits for; `None` when the question is none of these. What is
/// approved is checked again on what is known now.
///
/// # Errors
/// `already-settled`, `not-an-option`; when it is approved, those of [`propose`].
pub fn settle(rooms: &Rooms, ctx: &Context<'_>, command: &Answer) -> Option<Result<Decision, Refusal>> {
    let (asked, seq, settled) = rooms.proposals.by_ask.get(&command.ask)?;
    if settled.is_some() {
        let refusal = Refusal::new("already-settled", format!("`{}` is answered already", command.ask)).at_path("/ask");
        return Some(Err(refusal));
    }
    if !asked.options.contains(&command.answer) {
        let refusal = Refusal::new("not-an-option", "the answer is not one of the options").at_path("/answer");
        return Some(Err(refusal.with(Value::List(asked.options.clone()))));
    }
    let approved = command.answer.as_str() == Some("approve");
    let mut result = vec![("ask", Value::from(command.ask.as_str())), ("action", asked.action.as_str().into())];
    if approved {
        match check(rooms, None, ctx, &asked.action, asked.args.clone(), None, Some(*seq)) {
            Ok(held) => {
                let commands = held.commands.iter().map(throughline_protocol::Command::to_value).collect();
                result.push(("status", "done".into()));
                result.push((COMMANDS, Value::List(commands)));
            }
            Err(wrong) => return Some(Err(refusal(rooms, ctx, &wrong))),
        }
    } else {
        result.push(("status", "rejected".into()));
    }
    let settled = ProposalSettled { ask: command.ask.clone(), answer: command.answer.clone() };
    let mut draft = ctx.draft("proposal.settled", to_value(&settled).unwrap_or_default());
    draft.cause = Cause::Record(*seq);
    let result = result.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Some(Ok(Decision::one(draft, Value::Map(result))))
}
