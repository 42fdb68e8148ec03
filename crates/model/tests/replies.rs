//! Endings, failures and tool calls, through the bytes of a stream.

use throughline_model::{Ending, Message, Reply, Request, openai, openai::Stream, schema};
use throughline_value::json;

fn request() -> Request {
    Request::new("respond", vec![Message::new("user", "Where is my parcel?")])
}

fn reply(status: u16, content_type: &str, body: &str) -> Reply {
    let whole = {
        let mut stream = Stream::new(&request(), status, content_type);
        stream.push(body.as_bytes());
        stream.finish()
    };
    let mut bytewise = Stream::new(&request(), status, content_type);
    for byte in body.as_bytes() {
        bytewise.push(&[*byte]);
    }
    assert_eq!(bytewise.finish(), whole, "pieces must not matter");
    whole
}

fn events(data: &[&str]) -> String {
    data.iter().map(|d| format!("data: {d}\n\n")).collect()
}

#[track_caller]
fn check(data: &[&str], text: &str, ending: &str) {
    let reply = reply(200, "text/event-stream", &events(data));
    let name = match &reply.ending {
        Ending::Failed { code, retryable, .. } => {
            format!("failed {code}{}", if *retryable { " retryable" } else { "" })
        }
        other => other.name().to_owned(),
    };
    assert_eq!((reply.text.as_str(), name.as_str()), (text, ending));
}

const HALF: &str = r#"{"choices":[{"index":0,"delta":{"content":"Half"}}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

#[test]
fn an_ending_is_what_the_provider_said_and_never_a_guess() {
    check(&[HALF, STOP, "[DONE]"], "Half", "done");
    check(&[HALF, STOP], "Half", "done");
    check(&[HALF], "Half", "interrupted");
    // `[DONE]` says that the stream is whole, not whether the model was: it may have met its limit.
    check(&[HALF, "[DONE]"], "Half", "interrupted");
    check(&["[DONE]"], "", "interrupted");
    check(&[], "", "interrupted");
    check(&[HALF, r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#, "[DONE]"], "Half", "truncated");
    check(&[HALF, r#"{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}"#], "Half", "refused");
    check(&[r#"{"choices":[{"index":0,"delta":{"refusal":"No."}}]}"#, STOP, "[DONE]"], "", "refused");
    check(
        &[HALF, r#"{"choices":[{"index":0,"delta":{},"finish_reason":"gremlins"}]}"#],
        "Half",
        "failed unknown-ending",
    );
    check(&[HALF, "{\"choices\":[{", STOP], "Half", "failed malformed-event");
}

#[test]
fn an_error_amid_the_stream_is_a_failure_and_the_text_stays_partial() {
    let error = r#"{"error":{"code":529,"message":"Overloaded"},"choices":[{"delta":{"content":"x"},"finish_reason":"error"}]}"#;
    check(&[HALF, error, STOP, "[DONE]"], "Half", "failed overloaded retryable");
    let event = format!(
        "data: {HALF}\n\nevent: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}}}\n\n"
    );
    let reply = reply(200, "text/event-stream", &event);
    assert!(matches!(&reply.ending, Ending::Failed { code, retryable: true, .. } if code == "overloaded"));
    assert_eq!((reply.text.as_str(), reply.calls().unwrap_err().code()), ("Half", "reply-failed"));
}

#[test]
fn an_error_body_is_a_failure_whatever_its_status_and_content_type() {
    let check = |status: u16, kind: &str, body: &str, code: &str, retryable: bool| {
        let reply = reply(status, kind, body);
        match &reply.ending {
            Ending::Failed { code: got, retryable: can, .. } => {
                assert_eq!((got.as_str(), *can), (code, retryable), "{body}")
            }
            other => panic!("{body}: {other:?}"),
        }
        reply
    };
    check(
        200,
        "application/json",
        r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
        "model-not-found",
        false,
    );
    check(200, "text/event-stream", r#"{"error":"out of credits","code":402}"#, "provider-error", false);
    check(200, "", "<html>Bad gateway</html>", "provider-error", false);
    check(502, "text/html", "<html>Bad gateway</html>", "server-error", true);
    check(
        401,
        "application/json",
        r#"{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnop"}}"#,
        "unauthorized",
        false,
    );
    let slow = check(
        429,
        "application/json",
        r#"{"error":{"message":"Rate limit. Please try again in 1.5s","type":"requests"}}"#,
        "rate-limited",
        true,
    );
    assert_eq!(slow.retry_after, Some(1_500));
    check(
        429,
        "application/json",
        r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#,
        "quota-exceeded",
        false,
    );
    check(
        400,
        "application/json",
        r#"[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]"#,
        "bad-request",
        false,
    );
    // What is said in words alone.
    let credit = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#;
    check(400, "application/json", credit, "quota-exceeded", false);
    let key = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#;
    check(400, "application/json", key, "unauthorized", false);
    let room = r#"{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"insufficient_system_resource"}]}"#;
    check(200, "text/event-stream", &events(&[HALF, room, "[DONE]"]), "overloaded", true);
}

#[test]
fn a_key_that_a_provider_quotes_back_does_not_stay_in_the_message() {
    let reply =
        reply(401, "application/json", r#"{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnop"}}"#);
    assert!(matches!(&reply.ending, Ending::Failed { message, .. } if message == "Incorrect API key provided: [key]"));
}

#[test]
fn a_whole_reply_that_is_not_streamed_is_read_too() {
    let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning_content":"hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#;
    let reply = reply(200, "application/json", body);
    assert_eq!((reply.text.as_str(), reply.thinking.as_str(), &reply.ending), ("Hi", "hm", &Ending::Done));
    assert_eq!((reply.usage.prompt, reply.usage.estimated), (9, false));
}

#[test]
fn usage_comes_from_the_last_event_whose_choices_are_empty_or_null_and_is_estimated_otherwise() {
    for choices in ["[]", "null"] {
        let usage = format!(
            r#"{{"choices":{choices},"usage":{{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{{"cached_tokens":4}}}}}}"#
        );
        let usage = reply(200, "text/event-stream", &events(&[HALF, STOP, &usage, "[DONE]"])).usage;
        assert_eq!((usage.prompt, usage.completion, usage.cached, usage.estimated), (7, 3, 4, false));
    }
    assert!(reply(200, "text/event-stream", &events(&[HALF])).usage.estimated);
}

#[track_caller]
fn check_calls(fragments: &[&str], finish: &str, expected: Result<&[(&str, &str)], &str>) {
    let mut data: Vec<String> =
        fragments.iter().map(|f| format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{f}]}}}}]}}"#)).collect();
    data.push(format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]}}"#));
    let data: Vec<&str> = data.iter().map(String::as_str).collect();
    let reply = reply(200, "text/event-stream", &events(&data));
    let got = reply.calls().map(|calls| calls.into_iter().map(|c| (c.name, c.arguments.to_json())).collect::<Vec<_>>());
    let got = got.map_err(|e| e.code());
    let expected = expected.map(|e| e.iter().map(|(n, a)| ((*n).to_owned(), (*a).to_owned())).collect());
    assert_eq!(got, expected);
}

#[test]
fn tool_calls_are_told_apart_even_when_their_numbers_are_wrong() {
    let call = |index: &str, id: &str, name: &str, arguments: &str| {
        format!(r#"{{{index}"id":"{id}","function":{{"name":"{name}","arguments":"{arguments}"}}}}"#)
    };
    let zero = r#""index":0,"#;
    let (a, b) = (call(zero, "c1", "read", r#"{\"path\":\"a\"}"#), call(zero, "c2", "read", r#"{\"path\":\"b\"}"#));
    check_calls(&[&a, &b], "tool_calls", Ok(&[("read", r#"{"path":"a"}"#), ("read", r#"{"path":"b"}"#)]));
    let (a, b) = (call("", "", "read", r#"{\"path\":\"a\"}"#), call("", "", "read", r#"{\"path\":\"b\"}"#));
    check_calls(&[&a, &b], "tool_calls", Ok(&[("read", r#"{"path":"a"}"#), ("read", r#"{"path":"b"}"#)]));
    let (a, b, c) =
        (call(zero, "c1", "read", r#"{\"pa"#), call(zero, "", "", r#"th\":"#), call(zero, "", "", r#"\"a\"}"#));
    check_calls(&[&a, &b, &c], "tool_calls", Ok(&[("read", r#"{"path":"a"}"#)]));
    check_calls(&[&call(zero, "c1", "now", "")], "tool_calls", Ok(&[("now", "{}")]));
}

#[test]
fn a_call_that_was_cut_off_is_never_executed_even_when_its_arguments_happen_to_be_whole() {
    let whole = r#"{"index":0,"id":"c1","function":{"name":"pay","arguments":"{\"n\": 2}"}}"#;
    check_calls(&[whole], "length", Err("reply-truncated"));
    let open = r#"{"index":0,"id":"c1","function":{"name":"pay","arguments":"{\"n\": 2"}}"#;
    check_calls(&[open], "tool_calls", Err("bad-arguments"));
    check_calls(&[open], "length", Err("reply-truncated"));
}

#[test]
fn a_reply_without_room_says_that_asking_again_is_useless() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":4096,"completion_tokens":1}}"#;
    let data = [r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"length"}]}"#, usage, "[DONE]"];
    let reply = reply(200, "text/event-stream", &events(&data));
    assert!(reply.is_context_full());
    assert!(reply.usable().unwrap_err().message().contains("asking again gives the same"));
}

#[test]
fn the_body_holds_the_reduced_schema_and_the_fingerprint_moves_with_every_field() {
    let full = json::read_value(
        r##"{"type":"object","properties":{"id":{"type":"string","minLength":3,"pattern":"^S"},"n":{"$ref":"#/$defs/n"}},
            "required":["id","n"],"additionalProperties":false,"$defs":{"n":{"type":"integer","maximum":9}}}"##,
    )
    .unwrap();
    let request = Request { schema: Some(full.clone()), max_tokens: Some(60), ..request() };
    let body = openai::body(&request);
    let format = body.at(&["response_format", "json_schema"]).unwrap();
    assert_eq!(format.get("strict").and_then(|v| v.as_bool()), Some(true));
    assert_eq!(
        format.get("schema").unwrap().to_json(),
        r#"{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id","n"],"additionalProperties":false}"#
    );
    let open = json::read_value(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#).unwrap();
    assert!(!schema::is_strict(&schema::reduce(&open)));
    let base = request.fingerprint();
    for other in [
        Request { purpose: "plan".into(), ..request.clone() },
        Request { model: "m".into(), ..request.clone() },
        Request { language: "zh".into(), ..request.clone() },
        Request { max_tokens: None, ..request.clone() },
        Request { schema: None, ..request.clone() },
        Request { messages: vec![Message::new("system", "Where is my parcel?")], ..request.clone() },
    ] {
        assert_ne!(other.fingerprint(), base);
    }
    assert_eq!(base.len(), 64);
}

#[test]
fn a_call_written_the_old_way_is_a_call() {
    let streamed = events(&[
        r#"{"choices":[{"index":0,"delta":{"function_call":{"name":"set_n","arguments":""}}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"n\":"}}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"function_call":{"arguments":"3}"}}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}"#,
    ]);
    let whole = r#"{"choices":[{"index":0,"finish_reason":"function_call",
        "message":{"content":null,"function_call":{"name":"set_n","arguments":"{\"n\":3}"}}}]}"#;
    for (kind, body) in [("text/event-stream", streamed.as_str()), ("application/json", whole)] {
        let calls = reply(200, kind, body).calls().unwrap();
        let shown: Vec<String> =
            calls.iter().map(|call| format!("{} {}", call.name, call.arguments.to_json())).collect();
        assert_eq!(shown, [r#"set_n {"n":3}"#], "{body}");
    }
}

#[test]
fn a_key_is_found_however_a_server_writes_it_and_wherever_it_stands() {
    let key = "ab/cd+ef=0123456789~x";
    for before in ["", "x", "Basic user:", "{\"headers\":"] {
        // As in an address, in either case of its digits; as JSON with escaped slashes; in Base64 at any offset.
        let plain = format!("{before}{key} end");
        let written = [
            plain.clone(),
            plain.replace('/', "\\/"),
            plain.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D"),
            plain.replace('/', "%2f").replace('+', "%2b").replace('=', "%3d"),
        ];
        for text in &written {
            for size in [1, 3, text.len()] {
                let mut scrubber = throughline_model::Scrubber::new(Some(key));
                let mut out: Vec<u8> = text.as_bytes().chunks(size).flat_map(|piece| scrubber.push(piece)).collect();
                out.extend(scrubber.finish());
                assert_eq!(String::from_utf8_lossy(&out), format!("{before}[key] end"), "{text}");
            }
        }
    }
    // Base64 of `"", "a" and "ab"` and the key and `"!"`.
    for text in [
        "YWIvY2QrZWY9MDEyMzQ1Njc4OX54IQ==",
        "YWFiL2NkK2VmPTAxMjM0NTY3ODl+eCE=",
        "YWJhYi9jZCtlZj0wMTIzNDU2Nzg5fngh",
        "YWFiL2NkK2VmPTAxMjM0NTY3ODl-eCE",
    ] {
        let scrubber = throughline_model::Scrubber::new(Some(key));
        assert!(scrubber.finds(text) && scrubber.exact(text.to_owned()).contains("[key]"), "{text}");
    }
}

#[test]
fn a_key_in_pieces_is_not_shown_in_pieces_either_and_nothing_else_is_lost() {
    use throughline_model::{Delta, Pieces, Scrubber};
    let key = "planted-key-0123";
    for size in [1, 3, 5] {
        let mut pieces = Pieces::new(&Scrubber::new(Some(key)));
        let said: Vec<char> = "延误 planted-key-0123 pla".chars().collect();
        let mut out = Vec::new();
        for part in said.chunks(size) {
            let text: String = part.iter().collect();
            let call = |place| Delta::Call { place, arguments: text.clone() };
            out.extend(pieces.push(vec![Delta::Text(text.clone()), Delta::Thinking(text.clone()), call(0)]));
        }
        out.extend(pieces.push(vec![Delta::Call { place: 1, arguments: "{}".into() }]));
        out.extend(pieces.finish());
        let all = |wanted: &str| -> String {
            let part = |delta: &Delta| match delta {
                Delta::Text(text) => ("text", text.clone()),
                Delta::Thinking(text) => ("thinking", text.clone()),
                Delta::Refusal(text) => ("refusal", text.clone()),
                Delta::Call { place: 0, arguments } => ("call", arguments.clone()),
                Delta::Call { arguments, .. } => ("other", arguments.clone()),
            };
            out.iter().map(part).filter(|(channel, _)| *channel == wanted).map(|(_, text)| text).collect()
        };
        assert_eq!([all("text"), all("thinking"), all("call")].map(|t| t == "延误 [key] pla"), [true; 3], "{out:?}");
        assert_eq!(all("other"), "{}");
    }
}
