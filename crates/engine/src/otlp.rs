//! The turns as OpenTelemetry spans, with the attribute names of the GenAI semantic conventions.
//!
//! One trace a turn: `invoke_agent` is the root, the stages are below it, and below these the exchanges with
//! models (`chat`) and the calls of tools (`execute_tool`). Ids are derived from the journal's id and the
//! record, so that the same journal gives the same spans. Whether a reply held is an event of its span
//! (`gen_ai.evaluation.result`), and so is what went wrong (`exception`). Texts of prompts, replies, calls and
//! errors stay in the journal unless they are asked for: a span says which record has them.

use std::borrow::Cow;

use throughline_agent::turns::{Exchange, Turn};
use throughline_journal::{Digest, Journal, Millis, Seq};
use throughline_value::Value;

/// The version of the conventions that the names are from: the last one in which the names of GenAI are published with
/// all others. Streaming (`gen_ai.request.stream`, `gen_ai.response.time_to_first_chunk`) came with it.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.0";

/// OTLP/JSON: what an exporter posts to `/v1/traces`.
pub(crate) fn spans<'a>(journal: &Journal, turns: impl Iterator<Item = Cow<'a, Turn>>, content: bool) -> Value {
    let mut spans = Vec::new();
    for turn in turns {
        Trace::of(journal, &turn, content).write(&turn, &mut spans);
    }
    let resource = attributes([
        ("service.name", Value::from("throughline")),
        ("service.version", env!("CARGO_PKG_VERSION").into()),
        ("service.instance.id", journal.id().into()),
    ]);
    let scope = Value::from([("name", Value::from("throughline")), ("version", env!("CARGO_PKG_VERSION").into())]);
    let scoped = Value::from([("scope", scope), ("spans", Value::List(spans)), ("schemaUrl", SCHEMA_URL.into())]);
    let of_resource = Value::from([
        ("resource", Value::from([("attributes", resource)])),
        ("scopeSpans", Value::List(vec![scoped])),
        ("schemaUrl", SCHEMA_URL.into()),
    ]);
    Value::from([("resourceSpans", Value::List(vec![of_resource]))])
}

/// The provider of an exchange that says none: a recording, or a model of the host.
const RECORDED: &str = "throughline.recorded";

/// The published name of a provider, where it differs from ours.
fn provider_name(ours: &str) -> &str {
    match ours {
        "" => RECORDED,
        "openai-responses" => "openai",
        "gemini" => "gcp.gemini",
        other => other,
    }
}

struct Trace<'a> {
    journal: &'a Journal,
    id: String,
    /// Whether texts are wanted.
    content: bool,
}

/// A span before it is written.
struct Span {
    name: String,
    key: String,
    parent: String,
    /// 1 is internal, 3 is a client.
    kind: i64,
    begin: Millis,
    end: Millis,
    attributes: Vec<(&'static str, Value)>,
    events: Vec<Value>,
    error: Option<Failure>,
}

/// What went wrong.
struct Failure {
    code: String,
    message: String,
}

impl Failure {
    fn new(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), message: message.to_owned() }
    }
}

/// A message of a prompt or a reply as the conventions write it.
fn message(role: &str, parts: Vec<Value>) -> Value {
    Value::from([("role", Value::from(role)), ("parts", Value::List(parts))])
}

/// A part of a message.
fn part(kind: &str, content: &str) -> Value {
    Value::from([("type", Value::from(kind)), ("content", content.into())])
}

/// A list as the JSON text that it is in an attribute.
fn written(list: Vec<Value>) -> Value {
    Value::from(Value::List(list).to_json())
}

impl<'a> Trace<'a> {
    fn of(journal: &'a Journal, turn: &Turn, content: bool) -> Self {
        Self { journal, id: hex(&[journal.id(), &turn.seq.to_string()], 32), content }
    }

    fn time(&self, seq: Seq) -> Millis {
        self.journal.record(seq).map_or(0, |record| record.recorded_at)
    }

    fn span_id(&self, key: &str) -> Value {
        if key.is_empty() { Value::from("") } else { Value::from(hex(&[&self.id, key], 16)) }
    }

    fn write(&self, turn: &Turn, spans: &mut Vec<Value>) {
        // A thread's name is unique in its journal only.
        let conversation = Value::from(format!("{}/{}", self.journal.id(), turn.thread));
        let mut names = vec![
            ("gen_ai.operation.name", Value::from("invoke_agent")),
            ("gen_ai.provider.name", "throughline".into()),
            ("gen_ai.agent.name", "throughline".into()),
            ("gen_ai.conversation.id", conversation.clone()),
            ("throughline.turn", u64::from(turn.turn).into()),
            ("throughline.status", turn.status.into()),
            ("throughline.record", turn.seq.into()),
        ];
        let counted = |from: &str| {
            let of = |exchange: &Exchange| exchange.finished.as_ref()?.0.usage.get(from)?.as_i64();
            let counts: Vec<i64> = turn.exchanges.iter().filter_map(of).collect();
            (!counts.is_empty()).then(|| counts.iter().sum::<i64>())
        };
        for (name, from) in USAGE {
            names.extend(counted(from).filter(|n| from != "cached" || *n > 0).map(|n| (name, Value::from(n))));
        }
        if self.content {
            names.push((
                "gen_ai.input.messages",
                written(vec![message("user", vec![part("text", &turn.started.text)])]),
            ));
            if let Some(answer) = &turn.answer {
                let said = message("assistant", vec![part("text", &answer.text)]);
                names.push(("gen_ai.output.messages", written(vec![finished(said, "stop")])));
            }
        }
        let events = turn.asks.iter().map(|(ask, seq, settled)| {
            let mut names = vec![
                ("throughline.ask", Value::from(ask.ask.as_str())),
                ("throughline.settled", settled.is_some().into()),
                ("throughline.record", (*seq).into()),
            ];
            if self.content {
                names.push(("throughline.question", ask.question.as_str().into()));
            }
            event("throughline.handed_over", self.time(*seq), names)
        });
        let root = Span {
            name: "invoke_agent throughline".to_owned(),
            key: "turn".to_owned(),
            parent: String::new(),
            kind: 1,
            begin: turn.began_at,
            end: turn.last_at,
            attributes: names,
            events: events.collect(),
            error: (turn.status == "failed").then(|| Failure::new("turn-failed", "the turn failed")),
        };
        spans.push(self.span(root));
        let mut before = turn.began_at;
        for stage in turn.stages() {
            let ended = self.time(stage.seq);
            let begin = stage.duration.map_or(ended, |duration| ended - duration).max(before);
            before = begin;
            let span = Span {
                name: format!("stage {}", stage.stage),
                key: format!("stage {}", stage.stage),
                parent: "turn".to_owned(),
                kind: 1,
                begin,
                end: if stage.duration.is_some() { ended } else { turn.last_at },
                attributes: vec![
                    ("throughline.stage", stage.stage.as_str().into()),
                    ("throughline.verdict", stage.verdict.as_str().into()),
                    ("throughline.record", stage.seq.into()),
                ],
                events: Vec::new(),
                error: (stage.verdict == "failed").then(|| Failure::new("stage-failed", "the stage failed")),
            };
            spans.push(self.span(span));
        }
        for exchange in &turn.exchanges {
            spans.push(self.exchange(turn, exchange, &conversation));
        }
        self.tools(turn, &conversation, spans);
    }

    fn exchange(&self, turn: &Turn, exchange: &Exchange, conversation: &Value) -> Value {
        let requested = &exchange.requested;
        let text = |name: &str| requested.request.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        let stage = if requested.purpose == "plan" { "gather" } else { requested.purpose.as_str() };
        let answered = exchange.finished.as_ref().map(|(finished, _)| finished);
        let own = answered.map_or("", |finished| finished.model.as_str());
        let model = if text("model").is_empty() { own.to_owned() } else { text("model") };
        let provider = answered.map_or("", |finished| finished.provider.as_str());
        let begin = self.time(exchange.seq);
        let mut names = vec![
            ("gen_ai.operation.name", Value::from("chat")),
            ("gen_ai.provider.name", provider_name(provider).into()),
            ("gen_ai.conversation.id", conversation.clone()),
            ("gen_ai.output.type", if requested.request.get("schema").is_some() { "json" } else { "text" }.into()),
            ("gen_ai.request.stream", (!provider.is_empty()).into()),
            ("throughline.purpose", requested.purpose.as_str().into()),
            ("throughline.attempt", u64::from(requested.attempt).into()),
            ("throughline.record", exchange.seq.into()),
        ];
        if !model.is_empty() {
            names.push(("gen_ai.request.model", model.as_str().into()));
        }
        if let Some(max) = requested.request.get("max_tokens").filter(|max| !max.is_null()) {
            names.push(("gen_ai.request.max_tokens", max.clone()));
        }
        let mut error = None;
        let mut events = Vec::new();
        let mut end = turn.last_at;
        if self.content {
            self.asked(&requested.request, &mut names);
        }
        if let Some((finished, seq)) = &exchange.finished {
            end = self.time(*seq);
            let reason = match finished.ending.as_str() {
                "done" if finished.tool_calls.is_empty() => "stop",
                "done" => "tool_call",
                "truncated" => "length",
                "refused" => "content_filter",
                _ => "error",
            };
            names.push(("gen_ai.response.finish_reasons", Value::from(vec![reason])));
            names.push(("throughline.exchange", requested.exchange.as_str().into()));
            if !finished.model.is_empty() {
                names.push(("gen_ai.response.model", finished.model.as_str().into()));
            }
            for (name, from) in USAGE {
                let count = finished.usage.get(from).and_then(Value::as_i64).filter(|n| from != "cached" || *n > 0);
                names.extend(count.map(|count| (name, Value::from(count))));
            }
            if finished.usage.get("estimated").and_then(Value::as_bool) == Some(true) {
                names.push(("throughline.usage.estimated", true.into()));
            }
            if let Some(ms) = finished.first_byte_ms {
                names.push(("gen_ai.response.time_to_first_chunk", seconds(ms)));
            }
            if let Some(cost) = &finished.cost {
                names.push(("throughline.cost", Value::Number(cost.clone())));
            }
            if self.content {
                names.push(("gen_ai.output.messages", written(vec![said(finished, reason)])));
            }
            if finished.ending == "done" {
                let (label, code, message) = match &exchange.refused {
                    None => ("pass", "", ""),
                    Some(refused) => ("fail", refused.code.as_str(), refused.message.as_str()),
                };
                let mut verdict = vec![
                    ("gen_ai.evaluation.name", Value::from("validity")),
                    ("gen_ai.evaluation.score.label", label.into()),
                ];
                if !code.is_empty() {
                    verdict.push(("throughline.refused", code.into()));
                }
                if self.content && !message.is_empty() {
                    verdict.push(("gen_ai.evaluation.explanation", message.into()));
                }
                events.push(event("gen_ai.evaluation.result", end, verdict));
            } else {
                let code = finished.code.clone().unwrap_or_else(|| format!("reply-{}", finished.ending));
                error = Some(Failure { code, message: finished.message.clone().unwrap_or_default() });
            }
        }
        if let Some(refused) = &exchange.refused {
            names.push(("throughline.refused", refused.code.as_str().into()));
        }
        let name = if model.is_empty() { "chat".to_owned() } else { format!("chat {model}") };
        let parent = format!("stage {stage}");
        let key = requested.exchange.clone();
        self.span(Span { name, key, parent, kind: 3, begin, end, attributes: names, events, error })
    }

    /// What a request says, in the conventions' form.
    fn asked(&self, request: &Value, names: &mut Vec<(&'static str, Value)>) {
        let list = |name: &str| request.get(name).and_then(Value::as_list).unwrap_or_default();
        let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (system, others): (Vec<_>, Vec<_>) =
            list("messages").iter().partition(|message| text(message, "role") == "system");
        if !system.is_empty() {
            let parts = system.into_iter().map(|one| part("text", &text(one, "text"))).collect();
            names.push(("gen_ai.system_instructions", written(parts)));
        }
        let messages =
            others.into_iter().map(|one| message(&text(one, "role"), vec![part("text", &text(one, "text"))]));
        names.push(("gen_ai.input.messages", written(messages.collect())));
        let tools = list("tools").iter().map(|tool| {
            Value::from([
                ("type", Value::from("function")),
                ("name", text(tool, "name").into()),
                ("description", text(tool, "description").into()),
                ("parameters", tool.get("schema").cloned().unwrap_or_default()),
            ])
        });
        let tools: Vec<Value> = tools.collect();
        if !tools.is_empty() {
            names.push(("gen_ai.tool.definitions", written(tools)));
        }
    }

    /// The tools that the turn's plan called, from the records of its steps.
    fn tools(&self, turn: &Turn, conversation: &Value, spans: &mut Vec<Value>) {
        let Some(run) = turn.run.as_deref() else { return };
        let of_turn = self.journal.records_from(turn.seq).take_while(|record| record.seq <= turn.last_seq);
        let mut open: Vec<(String, String, Millis, Seq, Value)> = Vec::new();
        for record in of_turn.filter(|record| record.kind.starts_with("step.")) {
            let data = record.data();
            let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or("");
            if text("run") != run {
                continue;
            }
            let step = text("step").to_owned();
            if record.kind == "step.started" {
                if let Some(tool) = data.at(&["input", "tool"]).and_then(Value::as_str) {
                    let args = data.at(&["input", "arguments"]).cloned().unwrap_or_default();
                    open.push((step, tool.to_owned(), record.recorded_at, record.seq, args));
                }
                continue;
            }
            let Some(place) = open.iter().position(|(name, ..)| *name == step) else { continue };
            // What came back, or that it is tried again, is not its end.
            if !matches!(record.kind.as_str(), "step.finished" | "step.failed") {
                continue;
            }
            let (step, tool, begin, seq, args) = open.swap_remove(place);
            let error = (record.kind == "step.failed").then(|| Failure::new(text("code"), text("error")));
            let mut names = vec![
                ("gen_ai.operation.name", Value::from("execute_tool")),
                ("gen_ai.tool.name", tool.as_str().into()),
                ("gen_ai.tool.type", "function".into()),
                ("gen_ai.tool.call.id", format!("{run}/{step}").into()),
                ("gen_ai.conversation.id", conversation.clone()),
                ("throughline.record", seq.into()),
            ];
            if self.content {
                names.push(("gen_ai.tool.call.arguments", args.to_json().into()));
                if let Some(output) = data.get("output") {
                    names.push(("gen_ai.tool.call.result", output.to_json().into()));
                }
            }
            spans.push(self.span(Span {
                name: format!("execute_tool {tool}"),
                key: format!("{run}/{step}"),
                parent: "stage gather".to_owned(),
                kind: 1,
                begin,
                end: record.recorded_at,
                attributes: names,
                events: Vec::new(),
                error,
            }));
        }
    }

    fn span(&self, mut span: Span) -> Value {
        let end = span.end.max(span.begin);
        let status = match span.error {
            Some(Failure { code, message }) => {
                let message = if self.content && !message.is_empty() { message } else { code.clone() };
                span.attributes.push(("error.type", code.as_str().into()));
                let names = vec![("exception.type", Value::from(code)), ("exception.message", message.as_str().into())];
                span.events.push(event("exception", end, names));
                Value::from([("code", Value::from(2)), ("message", message.into())])
            }
            None => Value::map(),
        };
        Value::from([
            ("traceId", Value::from(self.id.as_str())),
            ("spanId", self.span_id(&span.key)),
            ("parentSpanId", self.span_id(&span.parent)),
            ("name", span.name.into()),
            ("kind", span.kind.into()),
            ("startTimeUnixNano", nanos(span.begin)),
            ("endTimeUnixNano", nanos(end)),
            ("attributes", attributes(span.attributes)),
            ("events", Value::List(span.events)),
            ("status", status),
        ])
    }
}

/// The counts of tokens, by their names there and here.
const USAGE: [(&str, &str); 3] = [
    ("gen_ai.usage.input_tokens", "prompt"),
    ("gen_ai.usage.output_tokens", "completion"),
    ("gen_ai.usage.cache_read.input_tokens", "cached"),
];

/// An instant as OTLP/JSON writes it.
fn nanos(ms: Millis) -> Value {
    Value::from(format!("{ms}000000"))
}

/// Milliseconds as seconds, exactly.
fn seconds(ms: Millis) -> Value {
    throughline_value::Number::parse(&format!("{}.{:03}", ms / 1_000, ms.unsigned_abs() % 1_000))
        .map_or(Value::Null, Value::Number)
}

/// Something that happened during a span.
fn event(name: &str, at: Millis, names: Vec<(&'static str, Value)>) -> Value {
    Value::from([("timeUnixNano", nanos(at)), ("name", Value::from(name)), ("attributes", attributes(names))])
}

/// A message with why it ended.
fn finished(message: Value, reason: &str) -> Value {
    let Value::Map(mut map) = message else { return message };
    map.insert("finish_reason".to_owned(), reason.into());
    Value::Map(map)
}

/// A reply in the conventions' form.
fn said(reply: &throughline_agent::turns::ExchangeFinished, reason: &str) -> Value {
    let mut parts = Vec::new();
    if !reply.thinking.is_empty() {
        parts.push(part("reasoning", &reply.thinking));
    }
    for text in [&reply.text, &reply.refusal] {
        if !text.is_empty() {
            parts.push(part("text", text));
        }
    }
    parts.extend(reply.tool_calls.iter().map(|call| {
        // As written where that is no JSON: nothing is made up.
        let written = throughline_value::json::read_value(&call.arguments);
        Value::from([
            ("type", Value::from("tool_call")),
            ("id", call.id.as_str().into()),
            ("name", call.name.as_str().into()),
            ("arguments", written.unwrap_or_else(|_| call.arguments.as_str().into())),
        ])
    }));
    finished(message("assistant", parts), reason)
}

/// The first digits of a hash, as ids of traces and spans are written.
fn hex(parts: &[&str], digits: usize) -> String {
    let mut digest = Digest::new("span");
    for part in parts {
        digest.text(part);
    }
    digest.finish().chars().take(digits).collect()
}

/// Attributes as OTLP/JSON writes them: a list of keys with typed values; integers are texts there.
fn attributes<'a>(pairs: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let typed = |value: Value| match value {
        Value::Bool(_) => Value::from([("boolValue", value)]),
        Value::Number(number) if number.is_integer() => Value::from([("intValue", number.to_string())]),
        Value::Number(number) => Value::from([("doubleValue", number)]),
        Value::Text(_) => Value::from([("stringValue", value)]),
        Value::List(list) => {
            let texts = list.iter().map(|item| Value::from([("stringValue", item.as_str().unwrap_or(""))]));
            let values = Value::from([("values", Value::List(texts.collect()))]);
            Value::from([("arrayValue", values)])
        }
        other => Value::from([("stringValue", other.to_json())]),
    };
    Value::List(
        pairs.into_iter().map(|(key, value)| Value::from([("key", key.into()), ("value", typed(value))])).collect(),
    )
}
