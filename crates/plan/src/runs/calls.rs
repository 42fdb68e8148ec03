//! Calls of tools, addresses and people: what is open, and what came back.

use throughline_journal::{Digest, Draft, Millis, Seq};
use throughline_protocol::command::{AddDocument, Answer};
use throughline_protocol::view::AskView;
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Map, Value};

use super::advance::{Failed, Maker, due};
use super::environment::RunEnv;
use super::execute::{self, Finished};
use super::record::STEP_ANSWERED;
use super::request::{Request, media_type};
use super::state::{Asked, Run, RunStatus, RunStep};
use super::{Advance, Documents, Plans, ToolCall, ToolError};
use crate::answer::AnswerScope;
use crate::evidence;
use crate::plan::Action;

impl Plans {
    /// The records of what a call gave. Nothing, when the step does not wait for this attempt: a second result of
    /// one call changes nothing. The answer of an address is a document first: see [`Plans::document_of`].
    #[must_use]
    pub fn finish_call(
        &self,
        ctx: &Context<'_>,
        call: &ToolCall,
        result: Result<Value, ToolError>,
        host: &dyn Documents,
        env: &dyn AnswerScope,
    ) -> Vec<Draft> {
        let Some((run, at)) = self.waiting(call) else { return Vec::new() };
        let Some((id, step)) = run.step(at) else { return Vec::new() };
        let env = RunEnv::new(run, env);
        let maker = Maker { plans: self, run, ctx, host, env: &env };
        let mut out = Advance::default();
        let state = step.now();
        let mut record = maker.begun(id, step);
        record.duration = state.started.map(|started| ctx.now.saturating_sub(started).max(0));
        record.mark.clone_from(&state.mark);
        record.tokens = spent(&call.args, &result, host);
        let most = step.options.max_tokens.filter(|most| record.tokens > *most);
        match result {
            Ok(_) if most.is_some() => {
                let message =
                    format!("the call took {} tokens; this step may take {}", record.tokens, most.unwrap_or(0));
                maker.failed(
                    id,
                    step,
                    record,
                    Failed { again: false, ..Failed::new("budget-tokens", message) },
                    &mut out,
                );
            }
            Ok(value) => match execute::received(maker.place(step), value, call.document.is_some()) {
                Ok(finished) => maker.finished(step, record, finished, &mut out),
                Err((_, failure)) => maker.failed(id, step, record, failure.into(), &mut out),
            },
            Err(error) => maker.failed(id, step, record, Failed::new(&error.code, error.message), &mut out),
        }
        out.drafts
    }

    /// The document that the answer of a call is to become: it is added before [`Plans::finish_call`] is given what
    /// names it. `None` for calls whose answer is a value.
    ///
    /// # Errors
    /// What the answer says went wrong.
    pub fn document_of(call: &ToolCall, answer: &Value) -> Result<Option<AddDocument>, ToolError> {
        let Some(name) = call.document.clone() else { return Ok(None) };
        let status = answer.get("status").and_then(Value::as_i64).unwrap_or(200);
        if !(200..300).contains(&status) {
            let message = format!("{} answered {status}", call.args.get("url").map(Value::to_json).unwrap_or_default());
            return Err(ToolError { code: format!("http-{status}"), message });
        }
        let (text, kind) = match (answer.get("text").or_else(|| answer.get("body")), answer) {
            (Some(Value::Text(text)), _) => {
                (text.clone(), answer.get("content_type").and_then(Value::as_str).unwrap_or("text/plain"))
            }
            (Some(other), _) => (other.to_json(), "application/json"),
            (None, Value::Text(text)) => (text.clone(), "text/plain"),
            (None, other) => (other.to_json(), "application/json"),
        };
        Ok(Some(AddDocument { name, media_type: media_type(kind).to_owned(), text }))
    }

    /// What a step holds of a document that was added for it.
    #[must_use]
    pub fn document_value(document: &super::DocumentRef<'_>) -> Value {
        execute::describe(document)
    }

    /// The run and the step that wait for this attempt of a call.
    fn waiting(&self, call: &ToolCall) -> Option<(&Run, usize)> {
        let run = self.runs.get(&call.run)?;
        let at = run.steps.get_index_of(call.step.as_str())?;
        let state = run.step(at)?.1.now();
        (run.schedule.is_away(at) && state.asks.is_none() && state.attempts == call.attempt).then_some((run, at))
    }

    /// Whether what a call gives is still wanted.
    #[must_use]
    pub fn wants(&self, call: &ToolCall) -> bool {
        self.waiting(call).is_some_and(|(run, _)| !run.status().is_over())
    }

    /// The calls that were started and have no result in the journal. After a reload they are made again, with
    /// the same idempotency keys; while they are under way there is nothing to do. A retry is among them from the
    /// time on at which it is due.
    #[must_use]
    pub fn pending_calls(&self, now: Millis) -> Vec<ToolCall> {
        let mut out = Vec::new();
        for run in self.open.iter().filter_map(|run| self.runs.get(run)) {
            for at in run.schedule.away() {
                let Some((id, step)) = run.step(at) else { continue };
                let state = step.now();
                if state.asks.is_none() && state.until.is_none_or(|until| until <= now) {
                    let approved = run.asks.iter().any(|asked| asked.step == at && asked.ask.about == "approval");
                    out.extend(tool_call(run, id, &state.input, state.attempts.max(1), approved));
                }
            }
        }
        out
    }

    /// When, after `now`, something of a run falls due by itself: a retry, a timeout, the end of a budget of time.
    #[must_use]
    pub fn next_due(&self, now: Millis) -> Option<Millis> {
        self.open.iter().filter_map(|run| due(self.runs.get(run)?, now)).min()
    }

    /// Whether a run asked this.
    #[must_use]
    pub fn asked(&self, ask: &str) -> bool {
        self.of_ask(ask).is_some()
    }

    fn of_ask(&self, ask: &str) -> Option<(&Run, &Asked)> {
        let run = self.runs.get(ask.split_once('/')?.0)?;
        run.asks.iter().find(|asked| asked.ask.id == ask).map(|asked| (run, asked))
    }

    /// Answers what a run asks. An answer reaches the question it names and no other.
    ///
    /// # Errors
    /// `unknown-ask`, `already-settled`, `not-an-option`.
    pub fn answer(
        &self,
        ctx: &Context<'_>,
        command: &Answer,
        host: &dyn Documents,
        env: &dyn AnswerScope,
    ) -> Result<Decision, Refusal> {
        let Some((run, asked)) = self.of_ask(&command.ask) else {
            let message = format!("nothing with the id `{}` was asked", command.ask);
            return Err(Refusal::new("unknown-ask", message).at_path("/ask"));
        };
        let waiting = run.step(asked.step).filter(|(_, step)| step.now().asks.as_deref() == Some(command.ask.as_str()));
        let (Some((id, step)), None, false) = (waiting, asked.settled, run.status().is_over()) else {
            return Err(
                Refusal::new("already-settled", format!("`{}` is answered already", command.ask)).at_path("/ask")
            );
        };
        if !asked.ask.options.is_empty() && !asked.ask.options.contains(&command.answer) {
            let refusal = Refusal::new("not-an-option", "the answer is not one of the options").at_path("/answer");
            return Err(refusal.with(Value::List(asked.ask.options.clone())));
        }
        let env = RunEnv::new(run, env);
        let maker = Maker { plans: self, run, ctx, host, env: &env };
        let mut out = Advance::default();
        let mut record = maker.begun(id, step);
        record.answer = Some(command.answer.clone());
        record.duration = step.now().started.map(|started| ctx.now.saturating_sub(started).max(0));
        match asked.ask.about.as_str() {
            "approval" if command.answer == Value::from("approve") => {
                record.duration = None;
                out.drafts.push(super::advance::draft(ctx, STEP_ANSWERED, &record, asked.seq));
            }
            "approval" => {
                let why = if ctx.reason.is_empty() { String::new() } else { format!(": {}", ctx.reason) };
                maker.failed(
                    id,
                    step,
                    record,
                    Failed::new("not-approved", format!("a person did not approve it{why}")),
                    &mut out,
                );
            }
            _ => {
                let who = ctx.actor.name.as_deref().unwrap_or("person");
                let output = command.answer.clone();
                let evidence = vec![evidence::given(who, &output, "person")];
                let finished = Finished { output, evidence, ..Finished::default() };
                match execute::done(maker.place(step), finished) {
                    Ok(finished) => maker.finished(step, record, finished, &mut out),
                    // A person can say it again.
                    Err((_, failure)) => return Err(Refusal::new(failure.code, failure.message).at_path("/answer")),
                }
            }
        }
        for draft in &mut out.drafts {
            draft.thread.clone_from(&run.thread);
            draft.turn = run.turn;
            draft.cause = throughline_journal::Cause::Record(asked.seq);
        }
        Ok(Decision { drafts: out.drafts, result: [("ask", command.ask.as_str()), ("run", run.id.as_str())].into() })
    }

    /// What runs ask people and nobody has answered: the question and the record that asked.
    #[must_use]
    pub fn open_asks(&self, seq: Seq) -> Vec<(AskView, Seq)> {
        let open = self.runs.values().filter(|run| run.seq <= seq && !run.status_at(seq).is_over());
        open.flat_map(|run| run.asks.iter().filter(|asked| asked.seq <= seq && asked.settled.is_none_or(|at| at > seq)))
            .map(|asked| (view(asked, seq), asked.seq))
            .collect()
    }

    /// Thread, turn and first record of a run.
    #[must_use]
    pub fn origin_of(&self, run: &str) -> Option<(&str, u32, Seq)> {
        self.runs.get(run).map(|run| (run.thread.as_str(), run.turn, run.seq))
    }
}

/// A question as it stood after record `seq`.
pub(super) fn view(asked: &Asked, seq: Seq) -> AskView {
    AskView {
        id: asked.ask.id.clone(),
        question: asked.ask.question.clone(),
        options: asked.ask.options.clone(),
        settled: asked.settled.is_some_and(|at| at <= seq),
    }
}

/// The call as a step's record keeps it.
pub(super) fn input(request: &Request) -> Value {
    let mut input = Map::new();
    input.insert("tool".to_owned(), request.tool.as_str().into());
    input.insert("arguments".to_owned(), Value::Map(request.args.clone()));
    if let Some(document) = &request.document {
        input.insert("document".to_owned(), document.as_str().into());
    }
    Value::Map(input)
}

/// The call of a step, from its record.
pub(super) fn tool_call(run: &Run, step: &str, input: &Value, attempt: u32, approved: bool) -> Option<ToolCall> {
    let tool = input.get("tool")?.as_str()?.to_owned();
    let args = input.get("arguments")?.as_map()?.clone();
    let rule = run.meaning.tools.get(&tool).copied().unwrap_or_default();
    let mut digest = Digest::new("call");
    digest.text(&run.id);
    digest.text(step);
    let hash = digest.finish();
    Some(ToolCall {
        key: format!("{}/{step}", run.id),
        run: run.id.clone(),
        step: step.to_owned(),
        tool,
        args,
        document: input.get("document").and_then(Value::as_str).map(str::to_owned),
        idempotency_key: hash.get(..32).unwrap_or(&hash).to_owned(),
        writes: rule.writes,
        approval: rule.approval && !approved,
        approved,
        attempt,
    })
}

/// Whether a step may need a call.
pub(super) fn may_call(run: &Run, step: &RunStep) -> bool {
    let outside = |source: &str| run.meaning.sources.contains_key(source) || run.meaning.endpoints.contains_key(source);
    match step.action.as_deref() {
        Some(Action::Call { .. }) => true,
        Some(Action::Get { source, .. }) => outside(&source.value),
        Some(Action::Search(lookup) | Action::Query(lookup)) => outside(&lookup.source.value),
        _ => false,
    }
}

/// The tokens that a call took: those it tells itself, or an estimate of what went and came.
fn spent(args: &Map, result: &Result<Value, ToolError>, host: &dyn Documents) -> u64 {
    let Ok(result) = result else { return 0 };
    let usage = result.get("usage");
    let told = ["total_tokens", "tokens"].iter().find_map(|name| usage?.get(name)?.as_i64());
    told.and_then(|told| u64::try_from(told).ok()).unwrap_or_else(|| {
        host.tokens(&Value::Map(args.clone()).to_json()).saturating_add(host.tokens(&result.to_json()))
    })
}

impl Run {
    /// Whether the run goes on by itself, or has only to end.
    pub(super) fn goes_on(&self) -> bool {
        match self.status() {
            RunStatus::Running => true,
            RunStatus::Paused => self.stopped_by.is_some() || self.schedule.has_never() || self.schedule.open() == 0,
            RunStatus::Done | RunStatus::Failed | RunStatus::Cancelled => false,
        }
    }
}
