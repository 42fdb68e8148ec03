//! Streams as odd as servers write them, over every wire, in every cut and with every kind of line end.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use throughline_model::{Ending, Message, Reply, Request, Stream, Wire};

fn shown(reply: &Reply) -> String {
    let ending = match &reply.ending {
        Ending::Failed { code, .. } => format!("failed {code}"),
        other => other.name().to_owned(),
    };
    let calls: Vec<String> = reply.tool_calls.iter().map(|call| format!("{}{}", call.name, call.arguments)).collect();
    format!("{ending}|{}|{}|{}|{}", reply.text, reply.thinking, reply.refusal, calls.join(";"))
}

fn read(wire: Wire, pieces: &[&[u8]]) -> String {
    let request = Request::new("respond", vec![Message::new("user", "Hi")]);
    let kind = if wire == Wire::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let mut stream = Stream::of(wire, &request, 200, kind);
    for piece in pieces {
        stream.push(piece);
    }
    shown(&stream.finish())
}

/// In one piece, cut at every byte, in single bytes; with each kind of line end, and with a mark of byte order.
#[track_caller]
fn check(wire: Wire, body: &str, expected: &str) {
    for ends in ["\n", "\r\n", "\r"] {
        for bom in ["", "\u{feff}"] {
            let body = format!("{bom}{}", body.replace('\n', ends));
            let bytes = body.as_bytes();
            assert_eq!(read(wire, &[bytes]), expected, "{ends:?} {bom:?} {body}");
            for cut in 0..=bytes.len() {
                let (a, b) = bytes.split_at(cut);
                assert_eq!(read(wire, &[a, b]), expected, "cut at {cut}, {ends:?}: {body}");
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(wire, &single), expected, "single bytes, {ends:?}: {body}");
        }
    }
}

fn events(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

#[test]
fn comments_fields_and_marks_between_events_change_nothing() {
    let half = r#"{"choices":[{"index":0,"delta":{"content":"价 "}}]}"#;
    let body = format!(
        ": OPENROUTER PROCESSING\n\nid: 7\nretry: 3000\nevent: message\ndata: {half}\n\n:\n: ping\n\ndata:{half}\nid\n\n\
         \u{feff}data: {{\"choices\":[{{\"delta\":{{\"content\":\"lost\"}}}}]}}\n\ndata\n\ndata:\n\ndata: {STOP}\n\ndata: [DONE]\n\n: bye\n\n"
    );
    check(Wire::Chat, &body, "done|价 价 |||");
}

#[test]
fn one_event_over_several_lines_is_one_value() {
    let body = format!(
        "data: {{\"choices\":[{{\"index\":0,\ndata: \"delta\":{{\"content\":\"ab\"}}}}]}}\n\n{}",
        events(&[STOP])
    );
    check(Wire::Chat, &body, "done|ab|||");
}

#[test]
fn chat_completions_are_read_however_their_parts_are_written() {
    let table: &[(&[&str], &str)] = &[
        (
            &[
                r#"{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#,
                STOP,
            ],
            "done|ab|||",
        ),
        (
            &[
                r#"{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"a","reasoning":"x"}}]}"#,
                STOP,
            ],
            "done|a|hmx||",
        ),
        (&[r#"{"choices":[{"index":0,"delta":{"refusal":"No."}}]}"#, STOP], "refused|||No.|"),
        // The counts after the end, and events without choices.
        (
            &[
                r#"{"choices":[]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
                r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
                r#"{"choices":null}"#,
                "[DONE]",
            ],
            "done|a|||",
        ),
        // Several choices: the first counts, with its own end.
        (
            &[
                r#"{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"stop"}]}"#,
                r#"{"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"mine"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#,
            ],
            "truncated|mine|||",
        ),
        (
            &[r#"{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"stop"}]}"#, "[DONE]"],
            "interrupted||||",
        ),
        // A call in one piece, two under one number, and one without any.
        (
            &[
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{\"n\""}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"h","arguments":{"n":3}}}]},"finish_reason":"tool_calls"}]}"#,
            ],
            r#"done||||f{"n":1};g{"n":2};h{"n":3}"#,
        ),
        (
            &[
                r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
                r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#,
                STOP,
            ],
            "failed overloaded|a|||",
        ),
        (&[r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#, "[DONE]"], "interrupted|a|||"),
        (&[r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#], "interrupted|a|||"),
    ];
    for (data, expected) in table {
        check(Wire::Chat, &events(data), expected);
    }
}

#[test]
fn the_other_wires_keep_their_own_words() {
    let named = |data: &[&str]| -> String {
        let kind = |data: &str| {
            throughline_value::json::read_value(data).unwrap().get("type").unwrap().as_str().unwrap().to_owned()
        };
        data.iter().map(|data| format!("event: {}\ndata: {data}\n\n", kind(data))).collect()
    };
    let text = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"好"}}"#;
    let stop = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#;
    let end = r#"{"type":"message_stop"}"#;
    check(Wire::Anthropic, &named(&[text, r#"{"type":"ping"}"#, stop, end]), "done|好|||");
    // The end of the message alone says nothing of the model's.
    check(Wire::Anthropic, &named(&[text, end]), "interrupted|好|||");
    check(Wire::Anthropic, &named(&[text, stop]), "interrupted|好|||");
    check(
        Wire::Anthropic,
        &named(&[text, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, stop, end]),
        "failed overloaded|好|||",
    );
    let part =
        r#"{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"text":"好"}]},"finishReason":"STOP"}]}"#;
    let last = r#"{"candidates":[{"index":0,"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":3}}"#;
    check(Wire::Gemini, &events(&[part]), "done|好|a||");
    check(Wire::Gemini, &events(&[part, last]), "truncated|好|a||");
    check(
        Wire::Gemini,
        &events(&[r#"{"candidates":[],"promptFeedback":{"blockReason":"SAFETY"}}"#]),
        "refused|||the prompt was blocked: SAFETY|",
    );
    let delta = r#"{"type":"response.output_text.delta","delta":"好"}"#;
    let done = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    check(Wire::Responses, &named(&[delta, r#"{"type":"response.new_thing"}"#, done]), "done|好|||");
    check(Wire::Responses, &named(&[delta]), "interrupted|好|||");
    let failed =
        r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"x"}}}"#;
    check(Wire::Responses, &named(&[delta, failed]), "failed server-error|好|||");
    let line = "{\"message\":{\"content\":\"好\"},\"done\":false}\n";
    check(
        Wire::Ollama,
        &format!("{line}{{\"message\":{{\"content\":\"\"}},\"done\":true,\"done_reason\":\"stop\"}}\n"),
        "done|好|||",
    );
    check(Wire::Ollama, line, "interrupted|好|||");
    check(Wire::Ollama, &format!("{line}{{\"error\":\"model runner has stopped\"}}\n"), "failed provider-error|好|||");
}
