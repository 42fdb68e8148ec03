//! Loading a machine and sending it events.

use throughline_expr::Env;
use throughline_journal::{Digest, Draft};
use throughline_protocol::command::SendEvent;
use throughline_protocol::{At, Context, Decision, Refusal};
use throughline_value::{Map, Value, to_value};

use super::parse::parse;
use super::pure::{begin, carry, standing_of};
use super::step::{Transition, guard_value};
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
    /// The first problem of the document with all of them in `details.problems`; what the model check finds for
    /// certain (`invariant-broken`, `endless-always`) with all findings in `details.findings`;
    /// `state-not-in-machine`, `states-exclude-each-other`.
    pub fn load(&self, ctx: &Context<'_>, document: &Value, env: &dyn Env) -> Result<Decision, Refusal> {
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
        // The actions of a state that is only carried over have been done.
        let (carried, first) = match standing {
            Some(standing) => {
                let kept: Vec<_> = standing.remembered.iter().map(|(p, k)| (p.clone(), k.clone())).collect();
                let (config, _) = carry(&definition, &standing.active, &kept)?;
                (Some(standing_of(&definition, &config)), Transition::default())
            }
            None => (None, begin(&definition, env)?.1),
        };
        let (active, entered, finished) = match &carried {
            Some(after) => (after.active.clone(), after.entered.keys().cloned().collect(), after.finished),
            None => (first.to, first.entered, first.finished),
        };
        let actions = first.actions;
        let findings = check::check(&definition, &ctx.domain.facts, "/machine").findings;
        let findings: Vec<Value> = findings.iter().filter_map(|finding| to_value(finding).ok()).collect();
        let wrong = |finding: &&Value| finding.get("severity").and_then(Value::as_str) == Some("error");
        if let Some(first) = findings.iter().find(wrong) {
            let text = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
            return Err(Refusal::new(text("code"), text("message"))
                .at_path(text("path"))
                .with(Value::from([("findings", Value::List(findings.clone()))])));
        }
        let mut digest = Digest::new("machine");
        digest.text(&definition.canonical);
        let mut data = Value::from([
            ("id", Value::from(definition.id.as_str())),
            ("hash", digest.finish().into()),
            ("to", active.clone().into()),
            ("entered", Value::from(entered)),
            ("carried", carried.is_some().into()),
            ("actions", Value::List(actions.clone())),
            ("finished", finished.into()),
            ("findings", Value::List(findings.clone())),
            ("definition", document.clone()),
        ]);
        if let (Some(after), Value::Map(map)) = (&carried, &mut data)
            && !after.remembered.is_empty()
        {
            let kept = after.remembered.iter().map(|(path, kept)| (path.clone(), kept.clone().into()));
            map.insert("remembered".to_owned(), Value::Map(kept.collect()));
        }
        if let (true, Value::Map(map)) = (!first.remembered.is_empty(), &mut data) {
            let kept = first.remembered.iter().map(|(path, kept)| (path.clone(), kept.clone().into()));
            map.insert("remembered".to_owned(), Value::Map(kept.collect()));
        }
        let result = Value::from([
            ("state", Value::from(active)),
            ("effects", Value::List(actions)),
            ("findings", Value::List(findings)),
            ("unchanged", false.into()),
        ]);
        Ok(Decision::one(ctx.draft("machine.loaded", data), result))
    }

    /// Refuses an event that nobody can send because it comes by itself: an end that was not reached, and a delay
    /// that is not over.
    fn comes_by_itself(&self, ctx: &Context<'_>, event: &str) -> Result<(), Refusal> {
        let Some((definition, standing)) = self.definition(Self::HEAD).zip(self.standing(Self::HEAD)) else {
            return Ok(());
        };
        if event.is_empty() || !definition.states.iter().any(|state| state.raises(event)) {
            return Ok(());
        }
        let at = At { seq: Self::HEAD, valid_at: ctx.now };
        if self.timers(at).iter().any(|timer| timer.event == event && timer.due <= ctx.now) {
            return Ok(());
        }
        let message = format!("`{event}` comes by itself when its time has come; it cannot be sent");
        Err(Refusal::new("illegal-transition", message).at_path("/event").with(Value::from([
            ("state", Value::from(standing.active.clone())),
            ("event", event.into()),
            ("allowed", Value::List(Vec::new())),
            ("guards", Value::List(Vec::new())),
        ])))
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
        let taken = self.comes_by_itself(ctx, event).and_then(|()| self.transition(event, &command.data, env));
        match taken {
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
                if !step.via.is_empty() {
                    data.insert("via".to_owned(), step.via.into());
                }
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
