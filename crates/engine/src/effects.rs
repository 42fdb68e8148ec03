//! Exchanges with models and calls of tools: asked for by committed records, answered by inputs.

use std::collections::{BTreeSet, VecDeque};

use throughline_agent::turn::cap;
use throughline_agent::turns::{Exchange, ExchangeFinished, ExchangeRequested, Turn};
use throughline_agent::{Hosted, Rooms};
use throughline_journal::{Actor, ActorKind, Cause, Draft, Millis, Record, Seq};
use throughline_model::{Delta, Ending, Pieces, Request, Stream, Wire, redact, retry};
use throughline_plan::{Plans, ToolCall, ToolError};
use throughline_protocol::session::DeltaPush;
use throughline_protocol::{At, Refusal};
use throughline_value::{SortedMap, SortedSet, Value, from_value, to_value};

use crate::decide::names_now;
use crate::input::{ExchangeEvent, Output, Via};
use crate::react::Place;

/// The most bytes of a reply. A longer one is failed with `reply-too-long`, and what came is kept up to here.
pub const MAX_RAW_REPLY: usize = 1 << 20;

/// The most pieces whose times are kept; later ones are counted to the last of them.
pub(crate) const MAX_TIMINGS: usize = 64;

/// How many effects, turns and runs that are over are kept in mind before they are cleared away together.
const MAX_OVER: usize = 64;

/// What goes on by itself in this engine. An engine drives what it began; what another one began, only
/// after [`crate::Input::Resume`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Driving {
    all: bool,
    turns: SortedSet<(String, u32)>,
    /// Also those that are over: a person may let one go on again. Their ids come in no order.
    runs: BTreeSet<String>,
}

impl Driving {
    pub(crate) fn turn(&self, thread: &str, turn: u32) -> bool {
        self.all || self.turns.contains(&(thread.to_owned(), turn))
    }

    pub(crate) fn run(&self, run: &str) -> bool {
        self.all || self.runs.contains(run)
    }

    /// Takes over what the record begins.
    pub(crate) fn take(&mut self, record: &Record) {
        match record.kind.as_str() {
            "turn.started" => {
                self.turns.insert((record.thread.clone(), record.turn));
            }
            "run.started" => {
                if let Some(run) = record.data().get("run").and_then(Value::as_str) {
                    self.runs.insert(run.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// An exchange that is under way.
struct Open {
    thread: String,
    turn: u32,
    cause: Seq,
    exchange: String,
    request: Request,
    via: Option<Via>,
    status: u16,
    stream: Option<Stream>,
    /// What of it was held back from those who watch.
    pieces: Pieces,
    raw: Vec<u8>,
    began: Millis,
    timing: Vec<(i64, u64)>,
}

/// What an effect gave, to be recorded.
#[derive(Clone, Debug)]
pub(crate) enum Finished {
    Exchange { thread: String, turn: u32, cause: Seq, finished: ExchangeFinished },
    Call { call: ToolCall, result: Result<Value, Refusal> },
}

#[derive(Default)]
pub(crate) struct Effects {
    pub(crate) driving: Driving,
    numbers: u64,
    exchanges: SortedMap<u64, Open>,
    calls: SortedMap<u64, ToolCall>,
    /// What was started, by exchange id or idempotency key: nothing is started twice by one engine.
    started: SortedSet<String>,
    /// Calls and exchanges that may not be made, to be recorded as such.
    refused: Vec<Finished>,
}

impl Effects {
    /// Starts what committed records ask for, and ends what a stopped turn no longer wants.
    pub(crate) fn start_committed(&mut self, rooms: &Rooms, now: Millis, outputs: &mut VecDeque<Output>) {
        for call in rooms.plans.pending_calls(now) {
            if self.driving.run(&call.run) {
                self.start_call(rooms, call, outputs);
            }
        }
        let driven: Vec<_> = rooms.turns.open().filter(|t| self.driving.turn(&t.thread, t.turn)).collect();
        for turn in driven {
            for exchange in turn.exchanges.iter().filter(|x| x.finished.is_none()) {
                self.start_exchange(rooms, turn, exchange, now, outputs);
            }
        }
        self.forget_what_is_over(rooms, now);
        self.exchanges.retain(|number, open| {
            let wanted = rooms.turns.get(&open.thread, open.turn).is_some();
            if !wanted {
                outputs.push_back(Output::CancelExchange { exchange: *number });
            }
            wanted
        });
        self.calls.retain(|number, open| {
            let wanted = rooms.plans.wants(open);
            if !wanted {
                outputs.push_back(Output::CancelCall { call: *number });
            }
            wanted
        });
    }

    /// What is on record as over cannot be asked for again: it need not be kept. So this holds what is open, however
    /// long the journal is.
    fn forget_what_is_over(&mut self, rooms: &Rooms, now: Millis) {
        if self.started.len() <= MAX_OVER && self.driving.turns.len() <= MAX_OVER {
            return;
        }
        let mut open: SortedSet<String> = rooms.plans.pending_calls(now).iter().map(call_key).collect();
        for exchange in rooms.turns.open().flat_map(|turn| &turn.exchanges).filter(|x| x.finished.is_none()) {
            open.insert(exchange.requested.exchange.clone());
        }
        open.extend(self.calls.values().map(call_key));
        open.extend(self.exchanges.values().map(|exchange| exchange.exchange.clone()));
        open.extend(self.refused.iter().map(|finished| match finished {
            Finished::Call { call, .. } => call_key(call),
            Finished::Exchange { finished, .. } => finished.exchange.clone(),
        }));
        self.started.retain(|id| open.contains(id));
        self.driving.turns.retain(|(thread, turn)| rooms.turns.get(thread, *turn).is_some());
    }

    /// Takes over everything that is open, whoever began it.
    pub(crate) fn resume(&mut self, rooms: &Rooms, now: Millis, outputs: &mut VecDeque<Output>) {
        self.driving.all = true;
        self.start_committed(rooms, now, outputs);
    }

    fn start_call(&mut self, rooms: &Rooms, call: ToolCall, outputs: &mut VecDeque<Output>) {
        if !self.started.insert(call_key(&call)) {
            return;
        }
        if let Some(refusal) = closed(rooms, &call) {
            self.refused.push(Finished::Call { call, result: Err(refusal) });
            return;
        }
        self.numbers += 1;
        outputs.push_back(Output::Call {
            call: self.numbers,
            tool: call.tool.clone(),
            args: Value::Map(call.args.clone()),
            idempotency_key: call.idempotency_key.clone(),
        });
        self.calls.insert(self.numbers, call);
    }

    fn start_exchange(
        &mut self,
        rooms: &Rooms,
        turn: &Turn,
        exchange: &Exchange,
        now: Millis,
        outputs: &mut VecDeque<Output>,
    ) {
        let (thread, spent) = (turn.thread.as_str(), cap::spent(turn));
        let ExchangeRequested { exchange: id, request, .. } = &exchange.requested;
        let Ok(request) = from_value::<Request>(request) else { return };
        if !self.started.insert(id.clone()) {
            return;
        }
        if let Err(refusal) = cap::room(&rooms.domain().domain, turn, &request) {
            let finished = ExchangeFinished {
                exchange: id.clone(),
                ending: "failed".to_owned(),
                message: Some(refusal.words()),
                code: Some(refusal.code),
                ..ExchangeFinished::default()
            };
            let (thread, turn, cause) = (thread.to_owned(), turn.turn, exchange.seq);
            self.refused.push(Finished::Exchange { thread, turn, cause, finished });
            return;
        }
        self.numbers += 1;
        outputs.push_back(Output::Exchange { exchange: self.numbers, request: request.clone(), spent });
        let open = Open {
            thread: thread.to_owned(),
            turn: turn.turn,
            cause: exchange.seq,
            exchange: id.clone(),
            request,
            via: None,
            status: 200,
            stream: None,
            pieces: Pieces::default(),
            raw: Vec::new(),
            began: now,
            timing: Vec::new(),
        };
        self.exchanges.insert(self.numbers, open);
    }

    /// Takes what came of an exchange; what is to be recorded when it is over. Late news of a cancelled
    /// exchange is nothing.
    pub(crate) fn exchange_event(
        &mut self,
        number: u64,
        event: ExchangeEvent,
        now: Millis,
        outputs: &mut VecDeque<Output>,
    ) -> Option<Finished> {
        let open = self.exchanges.get_mut(&number)?;
        match event {
            ExchangeEvent::Via(via) => {
                open.pieces = Pieces::new(&via.scrubber);
                open.via = Some(via);
                None
            }
            ExchangeEvent::Head { status, content_type } => {
                let wire = open.via.as_ref().map_or(Wire::Chat, |via| via.wire);
                open.status = status;
                open.stream = Some(Stream::of(wire, &open.request, status, &content_type));
                None
            }
            ExchangeEvent::Bytes(bytes) => {
                open.time(now, bytes.len());
                open.raw.extend_from_slice(&bytes);
                if open.raw.len() > MAX_RAW_REPLY {
                    let open = self.exchanges.remove(&number)?;
                    let message = format!("the reply has more than {MAX_RAW_REPLY} bytes; ask for less at once");
                    outputs.push_back(Output::CancelExchange { exchange: number });
                    return Some(open.finish(Some(("reply-too-long".to_owned(), message)), now));
                }
                if let Some(stream) = &mut open.stream {
                    // The pieces are for showing while they come; the record takes the whole.
                    let deltas = open.pieces.push(stream.push(&bytes));
                    // Nobody watches a recording come in.
                    if open.via.as_ref().is_some_and(|via| !via.provider.is_empty()) {
                        outputs.extend(deltas.into_iter().map(|delta| Output::Delta(open.delta(delta))));
                    }
                }
                None
            }
            ExchangeEvent::End => {
                let mut open = self.exchanges.remove(&number)?;
                if open.via.as_ref().is_some_and(|via| !via.provider.is_empty()) {
                    let rest = open.pieces.finish();
                    outputs.extend(rest.into_iter().map(|delta| Output::Delta(open.delta(delta))));
                }
                Some(open.finish(None, now))
            }
            ExchangeEvent::Failed { code, message } => {
                let open = self.exchanges.remove(&number)?;
                Some(open.finish(Some((code, message)), now))
            }
        }
    }

    /// Takes what an exchange gave as it was recorded, under its own id.
    pub(crate) fn exchange_finished(&mut self, number: u64, finished: ExchangeFinished) -> Option<Finished> {
        let Open { thread, turn, cause, exchange, .. } = self.exchanges.remove(&number)?;
        Some(Finished::Exchange { thread, turn, cause, finished: ExchangeFinished { exchange, ..finished } })
    }

    /// The calls and exchanges that may not be made.
    pub(crate) fn take_refused(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.refused)
    }

    pub(crate) fn tool_result(&mut self, number: u64, result: Result<Value, Refusal>) -> Option<Finished> {
        let call = self.calls.remove(&number)?;
        Some(Finished::Call { call, result })
    }
}

/// What one attempt of a call is known by.
fn call_key(call: &ToolCall) -> String {
    format!("{} {}", call.idempotency_key, call.attempt)
}

/// Why a tool may not be called now: the domain keeps it for other states, or for a person's approval.
fn closed(rooms: &Rooms, call: &ToolCall) -> Option<Refusal> {
    let loaded = rooms.domain();
    let tool = loaded.domain.tools.get(&call.tool)?;
    let at = At { seq: rooms.seq, valid_at: 0 };
    if let Some(refusal) = crate::tools::closed(rooms, &call.tool, &tool.states, at) {
        return Some(refusal);
    }
    // The domain may have begun to ask for approval after the run was started.
    (tool.approval && !call.approved).then(|| {
        let message = format!("`{}` needs a person's approval by now; start the plan again", call.tool);
        Refusal::new("approval-required", message)
    })
}

impl Open {
    fn time(&mut self, now: Millis, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let at = now.saturating_sub(self.began);
        let sum = self.timing.last().map_or(0, |(_, sum)| *sum) + bytes;
        let full = self.timing.len() >= MAX_TIMINGS;
        match self.timing.last_mut() {
            Some(last) if full || last.0 == at => *last = (at, sum),
            _ => self.timing.push((at, sum)),
        }
    }

    fn delta(&self, delta: Delta) -> DeltaPush {
        let (channel, text) = match delta {
            Delta::Text(text) => ("text", text),
            Delta::Thinking(text) => ("thinking", text),
            Delta::Refusal(text) => ("refusal", text),
            Delta::Call { arguments, .. } => ("call", arguments),
        };
        DeltaPush {
            exchange: self.exchange.clone(),
            thread: self.thread.clone(),
            turn: self.turn,
            purpose: self.request.purpose.clone(),
            channel: channel.to_owned(),
            text,
        }
    }

    fn finish(self, failure: Option<(String, String)>, now: Millis) -> Finished {
        let mut raw = String::from_utf8_lossy(&self.raw).into_owned();
        if raw.len() > MAX_RAW_REPLY {
            let mut end = MAX_RAW_REPLY;
            while !raw.is_char_boundary(end) {
                end -= 1;
            }
            raw.truncate(end);
            raw.push_str("\n[the rest of the reply was left out]");
        }
        let mut finished = ExchangeFinished {
            exchange: self.exchange,
            ending: "failed".to_owned(),
            text: String::new(),
            thinking: String::new(),
            code: None,
            message: None,
            raw: redact(&raw),
            ..ExchangeFinished::default()
        };
        if let Some(via) = &self.via {
            finished.provider.clone_from(&via.provider);
            finished.model.clone_from(&via.model);
            if via.wire != Wire::Chat {
                finished.wire = via.wire.name().to_owned();
            }
            finished.attempts = (via.attempts > 1).then_some(via.attempts);
            // The times of a recording are those of its playing, which say nothing.
            if !via.provider.is_empty() {
                finished.first_byte_ms = self.timing.first().map(|(at, _)| *at);
                finished.ms = Some(now.saturating_sub(self.began));
                finished.timing = self.timing;
            }
        }
        finished.status = Some(self.status).filter(|status| *status != 200);
        let scrubber = self.via.as_ref().map(|via| via.scrubber.clone()).unwrap_or_default();
        let reply = self.stream.map(|stream| scrubber.reply(stream.finish()));
        let has_reply = reply.is_some();
        if let Some(reply) = reply {
            finished.ending = reply.ending.name().to_owned();
            if let Ending::Failed { code, message, .. } = &reply.ending {
                finished.code = Some(code.clone());
                finished.message = Some(redact(message));
            }
            finished.cost = self
                .via
                .as_ref()
                .and_then(|via| via.prices.as_ref())
                .and_then(|prices| retry::cost(prices, &reply.usage));
            finished.text = reply.text;
            finished.thinking = reply.thinking;
            finished.refusal = reply.refusal;
            finished.tool_calls = reply.tool_calls;
            finished.usage = to_value(&reply.usage).unwrap_or_default();
        }
        if let Some((code, message)) = failure {
            // A reply that was cut off on its way is interrupted; one that had said its end is whole.
            let cut = matches!(code.as_str(), "connection-lost" | "timed-out") && has_reply;
            if !cut {
                finished.ending = "failed".to_owned();
            }
            if !cut || finished.ending == "interrupted" {
                finished.code = Some(code);
                finished.message = Some(redact(&message));
            }
        }
        Finished::Exchange { thread: self.thread, turn: self.turn, cause: self.cause, finished }
    }
}

fn tool_error(refusal: Refusal) -> ToolError {
    ToolError { code: refusal.code, message: refusal.message }
}

fn call_place(rooms: &Rooms, call: &ToolCall, now: Millis, next_seq: Seq) -> Place {
    let (thread, turn, seq) = rooms.plans.origin_of(&call.run).unwrap_or((throughline_journal::MAIN_THREAD, 0, 0));
    let actor = Actor::named(ActorKind::Tool, call.tool.clone());
    Place { now, next_seq, thread: thread.to_owned(), turn, actor, cause: (seq > 0).then_some(seq) }
}

/// What a step holds of an answer that became a document.
fn answered(rooms: &Rooms, call: &ToolCall, answer: &Value) -> Result<Value, ToolError> {
    let Some(document) = Plans::document_of(call, answer)? else { return Ok(answer.clone()) };
    let host = Hosted::new(rooms, Seq::MAX);
    let added = throughline_plan::Documents::document(&host, &document.name, None);
    let missing =
        || ToolError { code: "document-too-long".to_owned(), message: "the answer is too long to be kept".to_owned() };
    // One that was refused would leave an older version in its place.
    let hash = throughline_journal::Digest::of_bytes(document.text.as_bytes());
    added.filter(|added| added.hash == hash).map(|added| Plans::document_value(&added)).ok_or_else(missing)
}

impl Finished {
    /// The document that is recorded before the rest: the answer of an address.
    pub(crate) fn document(&self, rooms: &Rooms, now: Millis, next_seq: Seq) -> Vec<Draft> {
        let Self::Call { call, result: Ok(answer) } = self else { return Vec::new() };
        let Ok(Some(document)) = Plans::document_of(call, answer) else { return Vec::new() };
        let loaded = rooms.domain();
        let place = call_place(rooms, call, now, next_seq);
        if !rooms.plans.wants(call) {
            return Vec::new();
        }
        let ctx = place.context(&loaded.domain, "");
        rooms.documents.add(&ctx, &document).map(|decision| decision.drafts).unwrap_or_default()
    }

    /// What is recorded of it; nothing when it is recorded already.
    pub(crate) fn drafts(&self, rooms: &Rooms, now: Millis, next_seq: Seq) -> Vec<Draft> {
        match self {
            Self::Exchange { thread, turn, cause, finished } => {
                if !rooms.turns.awaits(thread, *turn, &finished.exchange) {
                    return Vec::new();
                }
                let kind = if finished.ending == "failed" { "exchange.failed" } else { "exchange.finished" };
                vec![Draft {
                    thread: thread.clone(),
                    turn: *turn,
                    actor: Actor::of(ActorKind::Model),
                    cause: Cause::Record(*cause),
                    ..Draft::new(kind, to_value(finished).unwrap_or_default())
                }]
            }
            Self::Call { call, result } => {
                let place = call_place(rooms, call, now, next_seq);
                let loaded = rooms.domain();
                let ctx = place.context(&loaded.domain, "");
                let host = Hosted::new(rooms, next_seq - 1).valid_at(now);
                let result = match (&call.document, result) {
                    (Some(_), Ok(answer)) => answered(rooms, call, answer),
                    (_, result) => result.clone().map_err(tool_error),
                };
                let names = names_now(rooms, &ctx);
                rooms.plans.finish_call(&ctx, call, result, &host, &names)
            }
        }
    }
}
