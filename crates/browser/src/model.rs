//! What answers an exchange: a recording, or the host's model.

use throughline_engine::{ExchangeEvent, Via};
use throughline_model::Request;
use throughline_model::cassette::{Player, harm};
use throughline_protocol::Refusal;
use throughline_protocol::session::Fault;
use throughline_value::Value;

/// The events of a recorded reply, as a transport would give them.
pub(crate) fn play(player: &mut Player, request: &Request, fault: Option<&Fault>, nth: u64) -> Vec<ExchangeEvent> {
    let played = player.play(request);
    match played.and_then(|playback| match fault {
        Some(fault) => harm(playback, fault, nth),
        None => Ok(playback),
    }) {
        Ok(playback) => {
            let via = ExchangeEvent::Via(Via { wire: playback.wire, ..Via::default() });
            let head = ExchangeEvent::Head { status: playback.status, content_type: playback.content_type };
            let bytes = playback.chunks.into_iter().map(|chunk| ExchangeEvent::Bytes(chunk.bytes));
            [via, head].into_iter().chain(bytes).chain([ExchangeEvent::End]).collect()
        }
        Err(refusal) => vec![failed(&refusal)],
    }
}

/// The event of a failure. Its code stands beside the message and is not said again in it.
pub(crate) fn failed(refusal: &Refusal) -> ExchangeEvent {
    ExchangeEvent::Failed { code: refusal.code.clone(), message: refusal.words() }
}

/// The events of what the host's model gave: the reply's text, a whole completion in the form that
/// providers give, or the value that was asked for.
pub(crate) fn given(result: Result<Value, Refusal>) -> Vec<ExchangeEvent> {
    let value = match result {
        Ok(value) => value,
        Err(refusal) => return vec![failed(&refusal)],
    };
    let completion = match value {
        Value::Map(map) if map.contains_key("choices") => Value::Map(map),
        Value::Text(text) => completion(text),
        other => completion(other.to_json()),
    };
    vec![
        ExchangeEvent::Head { status: 200, content_type: "application/json".to_owned() },
        ExchangeEvent::Bytes(completion.to_json().into_bytes()),
        ExchangeEvent::End,
    ]
}

fn completion(text: String) -> Value {
    let message = Value::from([("role", Value::from("assistant")), ("content", Value::from(text))]);
    let choice = Value::from([("index", Value::from(0)), ("message", message), ("finish_reason", Value::from("stop"))]);
    Value::from([("choices", Value::List(vec![choice]))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use throughline_model::openai::Stream;
    use throughline_value::json;

    #[track_caller]
    fn check(given_by_host: &str, text: &str) {
        let request = Request::new("respond", vec![]);
        let mut stream = None;
        for event in given(Ok(json::read_value(given_by_host).unwrap())) {
            match event {
                ExchangeEvent::Head { status, content_type } => {
                    stream = Some(Stream::new(&request, status, &content_type));
                }
                ExchangeEvent::Bytes(bytes) => drop(stream.as_mut().unwrap().push(&bytes)),
                ExchangeEvent::Via(_) | ExchangeEvent::End | ExchangeEvent::Failed { .. } => {}
            }
        }
        let reply = stream.unwrap().finish();
        reply.usable().unwrap();
        assert_eq!(reply.text, text);
    }

    #[test]
    fn a_host_may_give_a_text_a_value_or_a_whole_completion() {
        check(r#""hello""#, "hello");
        check(r#"{"intent": "track", "n": 9007199254740993}"#, r#"{"intent":"track","n":9007199254740993}"#);
        check(r#"{"choices": [{"index": 0, "message": {"content": "hi"}, "finish_reason": "stop"}]}"#, "hi");
        check("[]", "[]");
        check("false", "false");
    }
}
