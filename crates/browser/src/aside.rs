//! Models asked beside any journal: one reply, or why there is none.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use throughline_engine::{ExchangeEvent, Via};
use throughline_journal::Millis;
use throughline_model::diagnose::{Facts, diagnose};
use throughline_model::structured::{self, Rules, Structured, Unusable};
use throughline_model::{Delta, Ending, Message, Pieces, Reply, Request, Stream, provider, retry};
use throughline_protocol::session::{Complete, DeltaPush, Push, ReadStructured};
use throughline_protocol::{ModelSettings, Refusal};
use throughline_value::{Map, Value, from_value, json, to_value, to_wire};

use crate::host::{Fetched, Host};
use crate::live::{Live, TOO_LONG, refused};

/// How long a server has to answer when it is only looked whether it is there, in milliseconds.
const LOOK_MS: Millis = 5_000;

/// How long a browser takes to say that its policy stopped a request, in milliseconds.
const POLICY_MS: Millis = 60;

/// The most tokens of the reply that a test asks for.
const TEST_TOKENS: u32 = 16;

/// What came of an exchange.
struct Came {
    via: Via,
    status: u16,
    stream: Option<Stream>,
    pieces: Pieces,
    failure: Option<(String, String)>,
    began: Millis,
    first: Option<Millis>,
}

struct Finished {
    came: Came,
    reply: Option<Reply>,
    ms: Millis,
}

/// Asks a model and waits for the end. Dropping the future ends the exchange.
async fn exchange(
    host: &Rc<dyn Host>,
    settings: &ModelSettings,
    request: &Request,
    show: impl Fn(Delta) + 'static,
) -> Result<Finished, Refusal> {
    let (send, receive) = oneshot::channel();
    let began = host.now();
    let none = || Came {
        via: Via::default(),
        status: 0,
        stream: None,
        pieces: Pieces::default(),
        failure: None,
        began,
        first: None,
    };
    let shared = Rc::new(RefCell::new((none(), Some(send))));
    let (inner, clock, asked) = (Rc::clone(&shared), Rc::clone(host), request.clone());
    let sink = move |event: ExchangeEvent| {
        let mut deltas = Vec::new();
        {
            let (came, send) = &mut *inner.borrow_mut();
            match event {
                ExchangeEvent::Via(via) => {
                    came.pieces = Pieces::new(&via.scrubber);
                    came.via = via;
                }
                ExchangeEvent::Head { status, content_type } => {
                    came.status = status;
                    came.stream = Some(Stream::of(came.via.wire, &asked, status, &content_type));
                }
                ExchangeEvent::Bytes(bytes) => {
                    came.first.get_or_insert(clock.now());
                    if let Some(stream) = &mut came.stream {
                        deltas = came.pieces.push(stream.push(&bytes));
                    }
                }
                ExchangeEvent::End | ExchangeEvent::Failed { .. } => {
                    deltas = came.pieces.finish();
                    if let ExchangeEvent::Failed { code, message } = event {
                        came.failure = Some((code, message));
                    }
                    if let Some(send) = send.take() {
                        // Nobody waits any more: then nobody needs to know.
                        let _ = send.send(());
                    }
                }
            }
        }
        deltas.into_iter().for_each(&show);
    };
    let live = Live::start(host, settings, request, Box::new(sink), None)?;
    let ended = receive.await;
    drop(live);
    if ended.is_err() {
        return Err(aborted());
    }
    let ms = host.now() - began;
    let mut came = std::mem::replace(&mut shared.borrow_mut().0, none());
    // What was too long is no reply, whatever it said of its end.
    let stream = came.stream.take().filter(|_| came.failure.as_ref().is_none_or(|(code, _)| code != TOO_LONG));
    let reply = stream.map(|stream| came.via.scrubber.reply(stream.finish()));
    Ok(Finished { came, reply, ms })
}

pub(crate) fn aborted() -> Refusal {
    Refusal::new("aborted", "the exchange was ended before its reply was over")
}

impl Finished {
    /// How it ended, with what the transport said.
    fn ending(&self) -> Ending {
        let failed = |(code, message): &(String, String)| Ending::Failed {
            code: code.clone(),
            message: message.clone(),
            retryable: false,
        };
        match (&self.reply, &self.came.failure) {
            (Some(reply), _) => reply.ending.clone(),
            (None, Some(failure)) => failed(failure),
            (None, None) => Ending::Interrupted,
        }
    }

    fn to_value(&self, settings: &ModelSettings, schema: Option<&Value>, strict: bool) -> Value {
        let ending = self.ending();
        let mut map = Map::new();
        let mut put = |name: &str, value: Value| {
            map.insert(name.to_owned(), value);
        };
        put("ending", ending.name().into());
        if let Ending::Failed { code, message, retryable } = &ending {
            put("code", code.as_str().into());
            put("message", message.as_str().into());
            put("retryable", Value::Bool(*retryable));
        } else if let Some((code, message)) = self.came.failure.as_ref().filter(|_| ending == Ending::Interrupted) {
            put("code", code.as_str().into());
            put("message", message.as_str().into());
        }
        if let Some(reply) = &self.reply {
            put("text", reply.text.as_str().into());
            put("thinking", reply.thinking.as_str().into());
            put("refusal", reply.refusal.as_str().into());
            put("tool_calls", to_value(&reply.tool_calls).unwrap_or_default());
            put("usage", to_value(&reply.usage).unwrap_or_default());
            if let Some(wait) = reply.retry_after {
                put("retry_after", wait.into());
            }
            match reply.calls() {
                Ok(calls) => {
                    let call = |call: &throughline_model::Call| {
                        Value::from([
                            ("id", Value::from(call.id.as_str())),
                            ("name", Value::from(call.name.as_str())),
                            ("arguments", call.arguments.clone()),
                        ])
                    };
                    put("calls", Value::List(calls.iter().map(call).collect()));
                }
                Err(error) => {
                    put("calls", Value::List(Vec::new()));
                    put("problem", problem_of(error.code(), error.message()));
                }
            }
            // A model that calls a tool need not write a value.
            if let Some(schema) = schema.filter(|_| reply.tool_calls.is_empty() || !reply.text.trim().is_empty()) {
                let read = structured::read_reply(reply, schema, strict);
                for (name, value) in structured_value(&read) {
                    put(&name, value);
                }
            }
            let cost = settings.prices.as_ref().and_then(|prices| retry::cost(prices, &reply.usage));
            if let Some(cost) = cost {
                put("cost", Value::Number(cost));
            }
        }
        put("provider", settings.provider.as_str().into());
        put("model", self.came.via.model.as_str().into());
        put("status", i64::from(self.came.status).into());
        put("attempts", u64::from(self.came.via.attempts).into());
        put("ms", self.ms.into());
        if let Some(first) = self.came.first {
            put("first_byte_ms", (first - self.came.began).into());
        }
        Value::Map(map)
    }
}

fn problem_of(code: &str, message: &str) -> Value {
    Value::from([("code", code), ("message", message)])
}

/// What reading a value gave, as fields of an answer.
fn structured_value(read: &Result<Structured, Unusable>) -> Map {
    let mut out = Map::new();
    let span = |s: &throughline_value::Span| Value::from([("start", s.start), ("end", s.end)]);
    let diagnostic = |d: &structured::Diagnostic| {
        Value::from([
            ("code", Value::from(d.code)),
            ("span", span(&d.span)),
            ("message", Value::from(d.message.as_str())),
        ])
    };
    let (diagnostics, thinking) = match read {
        Ok(found) => {
            out.insert("value".into(), found.value.clone());
            out.insert("repaired".into(), Value::Bool(found.repaired));
            out.insert("span".into(), span(&found.span));
            let coercions = found.coercions.iter().map(structured::Coercion::to_value).collect();
            out.insert("coercions".into(), Value::List(coercions));
            (&found.diagnostics, &found.thinking)
        }
        Err(bad) => {
            let place = |p: &throughline_model::schema::Problem| {
                Value::from([
                    ("code", Value::from(p.code)),
                    ("path", Value::from(p.path.as_str())),
                    ("message", Value::from(p.message.as_str())),
                    ("allowed", Value::List(p.allowed.clone())),
                ])
            };
            let problem = Value::from([
                ("code", Value::from(bad.code)),
                ("message", Value::from(bad.message.as_str())),
                ("advice", Value::from(bad.advice())),
                ("problems", Value::List(bad.problems.iter().map(place).collect())),
            ]);
            out.insert("problem".into(), problem);
            (&bad.diagnostics, &bad.thinking)
        }
    };
    out.insert("diagnostics".into(), Value::List(diagnostics.iter().map(diagnostic).collect()));
    if !thinking.is_empty() {
        out.insert("thinking".into(), thinking.as_str().into());
    }
    out
}

/// Takes the one value out of a text.
pub(crate) fn read_structured(call: &ReadStructured) -> Value {
    let open = Value::map();
    let schema = if call.schema.is_null() { &open } else { &call.schema };
    let rules = Rules { strict: call.strict, complete: !call.incomplete };
    Value::Map(structured_value(&structured::read(&call.text, schema, rules)))
}

/// Asks a model beside any journal; `id` is the request's, under which its pieces are shown.
pub(crate) async fn complete(host: Rc<dyn Host>, id: u64, call: Complete) -> Result<Value, Refusal> {
    let mut asked = call.request;
    if let Value::Map(map) = &mut asked {
        // What a caller beside a journal need not say.
        map.entry("purpose".to_owned()).or_insert_with(|| "respond".into());
    }
    let request: Request = from_value(&asked).map_err(|e| Refusal::from(e.within("request")))?;
    let settings = retry::capped(&call.settings, &throughline_model::Usage::default(), request.estimate())?;
    let (pusher, purpose) = (Rc::clone(&host), request.purpose.clone());
    let show = move |delta: Delta| {
        let (channel, text) = match delta {
            Delta::Text(text) => ("text", text),
            Delta::Thinking(text) => ("thinking", text),
            Delta::Refusal(text) => ("refusal", text),
            Delta::Call { arguments, .. } => ("call", arguments),
        };
        let push = Push::DeltaPush(DeltaPush {
            exchange: format!("request {id}"),
            thread: String::new(),
            turn: 0,
            purpose: purpose.clone(),
            channel: channel.to_owned(),
            text,
        });
        pusher.push(to_wire(&to_value(&push).unwrap_or_default()).to_json());
    };
    let finished = exchange(&host, &settings, &request, show).await?;
    Ok(finished.to_value(&call.settings, request.schema.as_ref(), call.strict))
}

/// Looks for why a model cannot be reached.
pub(crate) async fn test_model(host: Rc<dyn Host>, mut settings: ModelSettings) -> Value {
    settings.retries = Some(0);
    let request =
        Request { max_tokens: Some(TEST_TOKENS), ..Request::new("test", vec![Message::new("user", "Say: ok")]) };
    let mut facts = Facts::default();
    let finished = match exchange(&host, &settings, &request, drop).await {
        Ok(finished) => finished,
        Err(refusal) => {
            facts.failure = Some((refusal.code.clone(), refusal.to_string()));
            if refusal.code == "no-model-name" {
                facts.models = models(&host, &settings).await;
                facts.ending = Some(refused(&refusal));
                facts.failure = None;
            }
            return diagnose(&settings, &facts);
        }
    };
    let mut out = if finished.reply.is_some() {
        facts.ending = Some(finished.ending());
        if let Ending::Failed { code, .. } = finished.ending()
            && matches!(code.as_str(), "model-not-found" | "bad-request" | "provider-error")
        {
            facts.models = models(&host, &settings).await;
        }
        diagnose(&settings, &facts)
    } else {
        wait(&host, POLICY_MS).await;
        let endpoint = provider::endpoint(&settings).unwrap_or_default();
        facts = host.surroundings(&endpoint).await;
        facts.failure = finished.came.failure.clone();
        if facts.policy.is_none() && facts.failure.as_ref().is_some_and(|(code, _)| code != "timed-out") {
            facts.answers = Some(host.answers(&endpoint).await);
        }
        diagnose(&settings, &facts)
    };
    if let Value::Map(map) = &mut out {
        map.insert("ms".into(), finished.ms.into());
    }
    out
}

/// The models that the provider lists.
async fn models(host: &Rc<dyn Host>, settings: &ModelSettings) -> Option<Vec<String>> {
    let http = provider::models(settings).ok()?;
    let (send, receive) = oneshot::channel();
    let state = RefCell::new((Vec::new(), false, Some(send)));
    let event = move |fetched: Fetched| {
        let (body, good, send) = &mut *state.borrow_mut();
        match fetched {
            Fetched::Head { status, .. } => *good = status == 200,
            Fetched::Bytes(bytes) if body.len() < throughline_model::MAX_BODY_BYTES => body.extend(bytes),
            Fetched::Bytes(_) => {}
            Fetched::End | Fetched::Failed { .. } => {
                if let Some(send) = send.take() {
                    // Nobody waits any more: then nobody needs to know.
                    let _ = send.send(good.then(|| std::mem::take(body)));
                }
            }
        }
    };
    let guard = host.fetch(&http, Rc::new(event));
    let (stop, stopped) = oneshot::channel::<()>();
    let timer = host.later(LOOK_MS, Box::new(move || drop(stop)));
    let body = futures_race(receive, stopped).await;
    drop((guard, timer));
    let text = String::from_utf8(body??).ok()?;
    Some(provider::model_names(&json::read_value(&text).ok()?))
}

/// What comes first: the answer, or the end of the wait.
async fn futures_race<T>(mut answer: oneshot::Receiver<T>, mut stop: oneshot::Receiver<()>) -> Option<T> {
    use std::future::Future as _;
    use std::pin::Pin;
    use std::task::Poll;
    std::future::poll_fn(move |cx| {
        if let Poll::Ready(got) = Pin::new(&mut answer).poll(cx) {
            return Poll::Ready(got.ok());
        }
        Pin::new(&mut stop).poll(cx).map(|_| None)
    })
    .await
}

async fn wait(host: &Rc<dyn Host>, ms: Millis) {
    let (send, receive) = oneshot::channel::<()>();
    let timer = host.later(ms, Box::new(move || drop(send)));
    // The sender is dropped when the time is over.
    let _ = receive.await;
    drop(timer);
}
