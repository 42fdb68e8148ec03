//! Loading a machine and sending it events.

use throughline_expr::Env;
use throughline_journal::{Digest, Draft};
use throughline_protocol::command::SendEvent;
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Map, Value, to_value};

use super::definition::{Definition, ROOT, StateId};
use super::parse::parse;
use super::step::guard_value;
use super::{Machine, check};

/// A transition that was refused: the answer to the caller, and the record that keeps it for the audit.
/// Recording it leaves the state and the `content` digest as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedTransition {
    /// The answer.
    pub refusal: Refusal,
    /// The record; absent when there is no machine.
    pub draft: Option<Draft>,
}

impl Machine {
    /// Decides the loading of a domain's machine: null for none. A running machine goes on in its state where
    /// the new definition has it or its `migrate` maps it, and begins anew when the id differs. Gives back
    /// `{state, effects, findings, unchanged}`.
    ///
    /// # Errors
    /// The first problem of the document with all of them in `details.problems`; `state-not-in-machine`.
    pub fn load(&self, ctx: &Context<'_>, document: &Value) -> Result<Decision, Refusal> {
        let running = self.definition(Self::HEAD);
        if document.is_null() {
            let unchanged = Value::from([("state", Value::List(Vec::new())), ("unchanged", running.is_none().into())]);
            if running.is_none() {
                return Ok(Decision::unchanged(unchanged));
            }
            let data = Value::from([("definition", Value::Null)]);
            return Ok(Decision::one(ctx.draft("machine.loaded", data), unchanged));
        }
        let definition = parse(document, "/machine")?;
        if running.is_some_and(|d| d.canonical == definition.canonical) {
            let state = self.standing(Self::HEAD).map(|s| s.active.clone()).unwrap_or_default();
            return Ok(Decision::unchanged(Value::from([("state", Value::from(state)), ("unchanged", true.into())])));
        }
        let standing = self.standing(Self::HEAD).filter(|_| running.is_some_and(|d| d.id == definition.id));
        let carried = match standing {
            Some(standing) => {
                Some(standing.active.iter().map(|path| carry(&definition, path)).collect::<Result<Vec<_>, _>>()?)
            }
            None => None,
        };
        let entered = definition.entered(carried.as_deref().unwrap_or(&[ROOT]), ROOT);
        let active = definition.paths(&definition.innermost(&entered));
        // The actions of a state that is only carried over have been done.
        let actions: Vec<Value> = match carried {
            Some(_) => Vec::new(),
            None => std::iter::once(&ROOT)
                .chain(&entered)
                .filter_map(|id| definition.state(*id))
                .flat_map(|state| state.entry.clone())
                .collect(),
        };
        let finished = definition.ended(ROOT, &entered);
        let mut findings = definition.findings.clone();
        findings.extend(check::unknown_facts(&definition, &ctx.domain.facts));
        let findings: Vec<Value> = findings.iter().filter_map(|finding| to_value(finding).ok()).collect();
        let mut digest = Digest::new("machine");
        digest.text(&definition.canonical);
        let data = Value::from([
            ("id", Value::from(definition.id.as_str())),
            ("hash", digest.finish().into()),
            ("to", active.clone().into()),
            ("entered", definition.paths(&entered).into()),
            ("carried", carried.is_some().into()),
            ("actions", Value::List(actions.clone())),
            ("finished", finished.into()),
            ("findings", Value::List(findings.clone())),
            ("definition", document.clone()),
        ]);
        let result = Value::from([
            ("state", Value::from(active)),
            ("effects", Value::List(actions)),
            ("findings", Value::List(findings)),
            ("unchanged", false.into()),
        ]);
        Ok(Decision::one(ctx.draft("machine.loaded", data), result))
    }

    /// Decides an event. Gives back `{state, effects}`.
    ///
    /// # Errors
    /// As [`Machine::transition`], with the record that keeps the refusal.
    pub fn send_event(
        &self,
        ctx: &Context<'_>,
        command: &SendEvent,
        env: &dyn Env,
    ) -> Result<Decision, Box<RefusedTransition>> {
        let event = command.event.as_str();
        match self.transition(event, &command.data, env) {
            Ok(step) => {
                let result =
                    Value::from([("state", Value::from(step.to.clone())), ("effects", step.actions.clone().into())]);
                let mut data = Map::new();
                data.insert("event".to_owned(), event.into());
                if !command.data.is_null() {
                    data.insert("data".to_owned(), command.data.clone());
                }
                data.insert("from".to_owned(), step.from.into());
                data.insert("to".to_owned(), step.to.into());
                data.insert("exited".to_owned(), step.exited.into());
                data.insert("entered".to_owned(), step.entered.into());
                data.insert("actions".to_owned(), step.actions.into());
                data.insert("guards".to_owned(), Value::List(step.guards.iter().map(guard_value).collect()));
                data.insert("reason".to_owned(), step.reason.into());
                if !step.remembered.is_empty() {
                    let remembered = step.remembered.into_iter().map(|(path, states)| (path, states.into()));
                    data.insert("remembered".to_owned(), Value::Map(remembered.collect()));
                }
                data.insert("finished".to_owned(), step.finished.into());
                Ok(Decision::one(ctx.draft("machine.transitioned", Value::Map(data)), result))
            }
            Err(refusal) => {
                let detail = |name: &str| refusal.details.get(name).cloned().unwrap_or_default();
                let draft = self.definition(Self::HEAD).map(|_| {
                    let mut data = Map::new();
                    data.insert("event".to_owned(), event.into());
                    if !command.data.is_null() {
                        data.insert("data".to_owned(), command.data.clone());
                    }
                    data.insert("code".to_owned(), refusal.code.as_str().into());
                    data.insert("message".to_owned(), refusal.message.as_str().into());
                    data.insert("from".to_owned(), detail("state"));
                    data.insert("allowed".to_owned(), detail("allowed"));
                    data.insert("guards".to_owned(), detail("guards"));
                    ctx.draft("machine.refused", Value::Map(data))
                });
                Err(Box::new(RefusedTransition { refusal, draft }))
            }
        }
    }
}

/// Where a state goes on under a new definition.
fn carry(definition: &Definition, path: &str) -> Result<StateId, Refusal> {
    let path = definition.migrate.get(path).map_or(path, String::as_str);
    let found = definition.find(path).filter(|id| *id != ROOT);
    found.ok_or_else(|| {
        let message = format!("the machine is in `{path}`, which the new definition does not have");
        Refusal::new("state-not-in-machine", message)
            .at_path("/machine/migrate")
            .suggest(format!("say where it goes on: \"migrate\": {{\"{path}\": \"…\"}}"))
            .with(Value::from([("state", path)]))
    })
}
