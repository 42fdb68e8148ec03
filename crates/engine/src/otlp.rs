//! The turns as OpenTelemetry spans, with the attribute names of the GenAI semantic conventions.
//!
//! One trace a turn: `invoke_agent` is the root, the stages are below it, and below these the exchanges with
//! models (`chat`) and the calls of tools (`execute_tool`). Ids are derived from the journal's id and the
//! record, so that the same journal gives the same spans. Prompts and replies stay in the journal: a span says
//! which record has them.

use std::borrow::Cow;

use throughline_agent::turns::{Exchange, Turn};
use throughline_journal::{Digest, Journal, Millis, Seq};
use throughline_value::Value;

/// The version of the conventions that the names are from.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.37.0";

/// OTLP/JSON: what an exporter posts to `/v1/traces`.
pub(crate) fn spans<'a>(journal: &Journal, turns: impl Iterator<Item = Cow<'a, Turn>>) -> Value {
    let mut spans = Vec::new();
    for turn in turns {
        Trace::of(journal, &turn).write(&turn, &mut spans);
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

struct Trace<'a> {
    journal: &'a Journal,
    id: String,
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
    attributes: Value,
    /// The code of what went wrong, with its words.
    error: Option<String>,
}

impl<'a> Trace<'a> {
    fn of(journal: &'a Journal, turn: &Turn) -> Self {
        Self { journal, id: hex(&[journal.id(), &turn.seq.to_string()], 32) }
    }

    fn time(&self, seq: Seq) -> Millis {
        self.journal.record(seq).map_or(0, |record| record.recorded_at)
    }

    fn span_id(&self, key: &str) -> Value {
        if key.is_empty() { Value::from("") } else { Value::from(hex(&[&self.id, key], 16)) }
    }

    fn write(&self, turn: &Turn, spans: &mut Vec<Value>) {
        let conversation = Value::from(turn.thread.as_str());
        let failed = (turn.status == "failed").then(|| "the turn failed".to_owned());
        let root = Span {
            name: "invoke_agent throughline".to_owned(),
            key: "turn".to_owned(),
            parent: String::new(),
            kind: 1,
            begin: turn.began_at,
            end: turn.last_at,
            attributes: attributes([
                ("gen_ai.operation.name", "invoke_agent".into()),
                ("gen_ai.provider.name", "throughline".into()),
                ("gen_ai.agent.name", "throughline".into()),
                ("gen_ai.conversation.id", conversation.clone()),
                ("throughline.turn", u64::from(turn.turn).into()),
                ("throughline.status", turn.status.into()),
                ("throughline.record", turn.seq.into()),
            ]),
            error: failed,
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
                attributes: attributes([
                    ("throughline.stage", stage.stage.as_str().into()),
                    ("throughline.verdict", stage.verdict.as_str().into()),
                    ("throughline.record", stage.seq.into()),
                ]),
                error: (stage.verdict == "failed").then(|| "the stage failed".to_owned()),
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
            ("gen_ai.provider.name", if provider.is_empty() { RECORDED } else { provider }.into()),
            ("gen_ai.conversation.id", conversation.clone()),
            ("gen_ai.output.type", "json".into()),
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
        let mut end = turn.last_at;
        if let Some((finished, seq)) = &exchange.finished {
            end = self.time(*seq);
            let reason = match finished.ending.as_str() {
                "done" => "stop",
                "truncated" => "length",
                "refused" => "content_filter",
                _ => "error",
            };
            names.push(("gen_ai.response.finish_reasons", Value::from(vec![reason])));
            names.push(("throughline.exchange", requested.exchange.as_str().into()));
            if !finished.model.is_empty() {
                names.push(("gen_ai.response.model", finished.model.as_str().into()));
            }
            for (name, from) in [("gen_ai.usage.input_tokens", "prompt"), ("gen_ai.usage.output_tokens", "completion")]
            {
                if let Some(count) = finished.usage.get(from).filter(|count| !count.is_null()) {
                    names.push((name, count.clone()));
                }
            }
            if finished.ending != "done" {
                error = Some(finished.code.clone().unwrap_or_else(|| format!("reply-{}", finished.ending)));
            }
        }
        if let Some(refused) = &exchange.refused {
            names.push(("throughline.refused", refused.message.as_str().into()));
        }
        if let Some(error) = &error {
            names.push(("error.type", error.as_str().into()));
        }
        let name = if model.is_empty() { "chat".to_owned() } else { format!("chat {model}") };
        let parent = format!("stage {stage}");
        let attributes = attributes(names);
        self.span(Span { name, key: requested.exchange.clone(), parent, kind: 3, begin, end, attributes, error })
    }

    /// The tools that the turn's plan called, from the records of its steps.
    fn tools(&self, turn: &Turn, conversation: &Value, spans: &mut Vec<Value>) {
        let Some(run) = turn.run.as_deref() else { return };
        let of_turn = self.journal.records_from(turn.seq).take_while(|record| record.seq <= turn.last_seq);
        let mut open: Vec<(String, String, Millis, Seq)> = Vec::new();
        for record in of_turn.filter(|record| record.kind.starts_with("step.")) {
            let data = record.data();
            let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or("");
            if text("run") != run {
                continue;
            }
            let step = text("step").to_owned();
            if record.kind == "step.started" {
                if let Some(tool) = data.at(&["input", "tool"]).and_then(Value::as_str) {
                    open.push((step, tool.to_owned(), record.recorded_at, record.seq));
                }
                continue;
            }
            let Some(place) = open.iter().position(|(name, ..)| *name == step) else { continue };
            let (step, tool, begin, seq) = open.swap_remove(place);
            let error = (record.kind == "step.failed").then(|| text("code").to_owned());
            let mut names = vec![
                ("gen_ai.operation.name", Value::from("execute_tool")),
                ("gen_ai.tool.name", tool.as_str().into()),
                ("gen_ai.tool.type", "function".into()),
                ("gen_ai.tool.call.id", format!("{run}/{step}").into()),
                ("gen_ai.conversation.id", conversation.clone()),
                ("throughline.record", seq.into()),
            ];
            if let Some(error) = &error {
                names.push(("error.type", error.as_str().into()));
            }
            spans.push(self.span(Span {
                name: format!("execute_tool {tool}"),
                key: format!("{run}/{step}"),
                parent: "stage gather".to_owned(),
                kind: 1,
                begin,
                end: record.recorded_at,
                attributes: attributes(names),
                error,
            }));
        }
    }

    fn span(&self, span: Span) -> Value {
        let status = match span.error {
            Some(message) => Value::from([("code", Value::from(2)), ("message", message.into())]),
            None => Value::map(),
        };
        let nanos = |ms: Millis| Value::from(format!("{ms}000000"));
        Value::from([
            ("traceId", Value::from(self.id.as_str())),
            ("spanId", self.span_id(&span.key)),
            ("parentSpanId", self.span_id(&span.parent)),
            ("name", span.name.into()),
            ("kind", span.kind.into()),
            ("startTimeUnixNano", nanos(span.begin)),
            ("endTimeUnixNano", nanos(span.end.max(span.begin))),
            ("attributes", span.attributes),
            ("status", status),
        ])
    }
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
