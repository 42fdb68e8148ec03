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

const SSE: &str = "text/event-stream";

/// What comes of bytes with this status and content type: whole and in single bytes.
#[track_caller]
fn answer(wire: Wire, status: u16, kind: &str, bytes: &[u8], expected: &str) {
    let request = Request::new("respond", vec![Message::new("user", "Hi")]);
    for size in [1, 7, bytes.len().max(1)] {
        let mut stream = Stream::of(wire, &request, status, kind);
        bytes.chunks(size).for_each(|piece| drop(stream.push(piece)));
        assert_eq!(shown(&stream.finish()), expected, "in pieces of {size}");
    }
}

#[test]
fn what_is_no_stream_is_a_failure_and_a_stream_under_the_name_of_json_is_read() {
    let stream = events(&[r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#, STOP, "[DONE]"]);
    answer(Wire::Chat, 200, "application/json; charset=utf-8", stream.as_bytes(), "done|a|||");
    answer(Wire::Chat, 200, "application/json", b": ping\n\nid: 1\n", "interrupted||||");
    for kind in [SSE, "text/plain", "", "application/octet-stream"] {
        answer(Wire::Chat, 200, kind, b"upstream connect error or disconnect", "failed provider-error||||");
        answer(Wire::Chat, 200, kind, b"\"Overloaded\"", "failed overloaded||||");
        answer(
            Wire::Chat,
            200,
            kind,
            &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0xcb, 0xcf, 7],
            "failed provider-error||||",
        );
        // What may yet become an event is one that was cut off.
        for cut in ["", "d", "dat", "\u{feff}", "\u{feff}ev", ":", "\n\nre", "event: x\n\n", "data: {\"cho"] {
            answer(Wire::Chat, 200, kind, cut.as_bytes(), "interrupted||||");
        }
    }
    let message = |bytes: &[u8]| {
        let mut stream = Stream::new(&Request::default(), 200, SSE);
        stream.push(bytes);
        format!("{:?}", stream.finish().ending)
    };
    assert!(message(b"\x1f\x8b\x08").contains("compressed or damaged"));
    assert!(message(b"no healthy upstream").contains("no healthy upstream"));
}

#[test]
fn a_word_that_a_reply_is_not_whole_is_not_taken_back_and_nothing_counts_after_the_end() {
    let half =
        |finish: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"a"}},"finish_reason":"{finish}"}}]}}"#);
    let late = r#"{"choices":[{"index":0,"delta":{"content":"late"}}]}"#;
    check(Wire::Chat, &events(&[&half("length"), STOP, "[DONE]"]), "truncated|a|||");
    check(Wire::Chat, &events(&[&half("content_filter"), STOP, "[DONE]"]), "refused|a|||");
    check(Wire::Chat, &events(&[&half("stop"), "[DONE]", "[DONE]", late, "[DONE]"]), "done|a|||");
    // An error counts wherever it stands.
    check(Wire::Chat, &events(&[&half("stop"), "[DONE]", r#"{"error":"Overloaded"}"#]), "failed overloaded|a|||");
    check(
        Wire::Chat,
        &events(&[&half("stop"), r#"{"object":"error","message":"Overloaded","code":500}"#]),
        "failed overloaded|a|||",
    );
    let line = r#"{"message":{"content":"a"},"done":true,"done_reason":"length"}"#;
    check(Wire::Ollama, &format!("{line}\n{{\"message\":{{\"content\":\"b\"}},\"done\":true}}\n"), "truncated|a|||");
}

#[test]
fn fields_that_are_null_do_not_hide_the_ones_that_are_there() {
    let whole = br#"{"choices":[{"index":0,"delta":null,"message":{"content":"a","refusal":null,"reasoning_content":null,"reasoning":"hm"},"finish_reason":"stop"}],"error":null}"#;
    answer(Wire::Chat, 200, "application/json", whole, "done|a|hm||");
    let part = br#"{"choices":[{"index":0,"message":{"content":[{"type":"refusal","refusal":"No."}]},"finish_reason":"stop"}]}"#;
    answer(Wire::Chat, 200, "application/json", part, "refused|||No.|");
}

#[test]
fn calls_under_one_id_stay_apart_and_their_arguments_may_come_at_the_end() {
    let call = |index: u8, n: u8| {
        format!(r#"{{"index":{index},"id":"c","function":{{"name":"f","arguments":"{{\"n\":{n}}}"}}}}"#)
    };
    for second in [0, 1] {
        let delta =
            format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{},{}]}}}}]}}"#, call(0, 1), call(second, 2));
        check(Wire::Chat, &events(&[&delta, STOP]), r#"done||||f{"n":1};f{"n":2}"#);
    }
    let added = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}"#;
    let item = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{\"n\":1}"}"#;
    let done = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    for said in [
        r#"{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"n\":1}"}"#.to_owned(),
        format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#),
    ] {
        // Said twice, they are taken once.
        check(Wire::Responses, &events(&[added, &said, &said, done]), r#"done||||f{"n":1}"#);
        check(Wire::Responses, &events(&[added, &said]), r#"interrupted||||f{"n":1}"#);
    }
    let last = format!(r#"{{"type":"response.completed","response":{{"output":[{item}]}}}}"#);
    check(Wire::Responses, &events(&[added, &last]), r#"done||||f{"n":1}"#);
}

#[test]
fn a_refusal_that_only_the_end_holds_is_one_and_the_tools_of_a_provider_are_no_calls() {
    let delta = r#"{"type":"response.output_text.delta","delta":"a"}"#;
    let end = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"No."}]}]}}"#;
    check(Wire::Responses, &events(&[delta, end]), "refused|a||No.|");
    check(Wire::Responses, &events(&[r#"{"type":"response.refusal.delta","delta":"No."}"#, end]), "refused|a||No.|");
    check(
        Wire::Anthropic,
        &events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"search","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        "done|a|||",
    );
}

#[test]
fn counts_that_cannot_be_are_no_counts_and_those_in_a_choice_are() {
    let usage = |wire: Wire, data: &[&str]| {
        let mut stream = Stream::of(wire, &Request::default(), 200, SSE);
        stream.push(events(data).as_bytes());
        let usage = stream.finish().usage;
        (usage.prompt, usage.completion, usage.estimated)
    };
    let counted =
        |counts: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop","usage":{counts}}}]}}"#);
    assert_eq!(usage(Wire::Chat, &[&counted(r#"{"prompt_tokens":5,"completion_tokens":7}"#)]), (5, 7, false));
    for bad in ["-1", "9223372036854775807", "1e30", "\"many\"", "null", "0.5"] {
        let counts = format!(r#"{{"prompt_tokens":{bad},"completion_tokens":{bad}}}"#);
        assert_eq!(usage(Wire::Chat, &[&counted(&counts)]), (0, 0, true), "{bad}");
    }
    let most = "9223372036854775807";
    let start = format!(
        r#"{{"type":"message_start","message":{{"usage":{{"input_tokens":{most},"cache_read_input_tokens":{most},"cache_creation_input_tokens":{most}}}}}}}"#
    );
    assert_eq!(usage(Wire::Anthropic, &[&start]).0, 0);
}

#[test]
fn empty_and_endless_lines_cost_no_more_than_their_length() {
    let began = std::time::Instant::now();
    let mut open = b"{\"message\":".to_vec();
    open.extend(vec![b'\n'; 400_000]);
    answer(Wire::Ollama, 200, "application/x-ndjson", &open, "interrupted||||");
    let stop = b"{\"done\":true}\n";
    let mut blank = vec![b'\n'; 400_000];
    blank.extend_from_slice(stop);
    answer(Wire::Ollama, 200, "application/x-ndjson", &blank, "done||||");
    let mut lively = vec![b'\n'; 400_000];
    lively.extend_from_slice(events(&[STOP]).as_bytes());
    answer(Wire::Chat, 200, SSE, &lively, "done||||");
    answer(Wire::Chat, 200, SSE, &vec![b' '; 400_000], "interrupted||||");
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn a_line_that_is_no_json_amid_a_stream_of_lines_is_a_failure() {
    let line = "{\"message\":{\"content\":\"a\"},\"done\":false}\n";
    let end = "{\"done\":true,\"done_reason\":\"stop\"}\n";
    check(Wire::Ollama, &format!("{line}<html>\n{end}"), "failed malformed-event|a|||");
    check(Wire::Ollama, &format!("{line}{{\"message\":\n {{\"content\":\n\"b}}\"}}\n}}\n{end}"), "done|ab}|||");
    check(Wire::Ollama, "<html>{}</html>\n", "failed provider-error||||");
}
