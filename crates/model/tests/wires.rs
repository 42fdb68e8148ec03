//! Every wire format, at every split position: endings, texts, calls, counts and errors.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

use throughline_model::cassette::{Cassette, Recorder, harm, rechunk};
use throughline_model::{Delta, Ending, Message, Reply, Request, Stream, Wire, provider, retry};
use throughline_protocol::ModelSettings;
use throughline_protocol::session::Fault;
use throughline_value::json;

const SSE: &str = "text/event-stream";

fn request() -> Request {
    Request::new("respond", vec![Message::new("system", "Be brief."), Message::new("user", "Where? 哪里？")])
}

/// The reply to these bytes, the same however they are split.
#[track_caller]
fn reply(wire: Wire, status: u16, content_type: &str, bytes: &[u8]) -> Reply {
    let play = |pieces: &[&[u8]]| {
        let mut stream = Stream::of(wire, &request(), status, content_type);
        let deltas: Vec<Delta> = pieces.iter().flat_map(|piece| stream.push(piece)).collect();
        (stream.finish(), deltas)
    };
    let (whole, _) = play(&[bytes]);
    for split in 0..=bytes.len() {
        let (split_reply, _) = play(&[&bytes[..split], &bytes[split..]]);
        assert_eq!(split_reply, whole, "{wire:?} split at {split}");
    }
    let singles: Vec<&[u8]> = bytes.chunks(1).collect();
    let (single, deltas) = play(&singles);
    assert_eq!(single, whole, "{wire:?} in single bytes");
    if !deltas.is_empty() {
        let text: String =
            deltas.iter().filter_map(|d| if let Delta::Text(t) = d { Some(t.as_str()) } else { None }).collect();
        assert_eq!(text, whole.text, "{wire:?}");
    }
    whole
}

/// A text, thinking, two calls and counts, in every format.
const REPLIES: &[(Wire, &str, &str)] = &[
    (
        Wire::Chat,
        SSE,
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Hm.\"}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"在武\"}}]}\r\n\r\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"汉\"}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\":1}\"}}]}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\":2}\"}}]}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
         data: {\"choices\":null,\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5,\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\ndata: [DONE]\n\n",
    ),
    (
        Wire::Responses,
        SSE,
        "event: response.created\ndata: {\"type\":\"response.created\"}\n\n\
         data: {\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"Hm.\"}\n\n\
         data: {\"type\":\"response.output_text.delta\",\"delta\":\"在武\"}\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"汉\"}\n\n\
         data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\"}}\n\n\
         data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{\\\"n\\\":\"}\n\n\
         data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"1}\"}\n\n\
         data: {\"type\":\"response.output_item.added\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"f\"}}\n\n\
         data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,\"delta\":\"{\\\"n\\\":2}\"}\n\n\
         data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":5,\"input_tokens_details\":{\"cached_tokens\":3}}}}\n\n",
    ),
    (
        Wire::Anthropic,
        SSE,
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":4,\"cache_read_input_tokens\":3,\"output_tokens\":1}}}\n\n\
         event: ping\ndata: {\"type\":\"ping\"}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"在武\"}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"汉\"}}\n\n\
         data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"n\\\":\"}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}\n\n\
         data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"f\",\"input\":{\"n\":2}}}\n\n\
         data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":5}}\n\n\
         event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    ),
    (
        Wire::Gemini,
        SSE,
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hm.\",\"thought\":true}]}}]}\r\n\r\n\
         data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"在武\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n\
         data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"汉\"}]}}]}\r\n\r\n\
         data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"a\",\"name\":\"f\",\"args\":{\"n\":1}}},{\"functionCall\":{\"id\":\"b\",\"name\":\"f\",\"args\":{\"n\":2}}}]},\"finishReason\":\"STOP\"}],\
         \"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":1,\"cachedContentTokenCount\":3}}\r\n\r\n",
    ),
    (
        Wire::Ollama,
        "application/x-ndjson",
        "{\"message\":{\"thinking\":\"Hm.\",\"content\":\"\"},\"done\":false}\n{\"message\":{\"content\":\"在武\"},\"done\":false}\n\
         {\"message\":{\"content\":\"汉\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{\"n\":1}}},{\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":{\"n\":2}}}]},\"done\":false}\n\
         {\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":7,\"eval_count\":5}\n",
    ),
];

#[test]
fn every_format_gives_the_same_reply_for_every_split_position() {
    for (wire, content_type, bytes) in REPLIES {
        let got = reply(*wire, 200, content_type, bytes.as_bytes());
        assert_eq!(
            (got.text.as_str(), got.thinking.as_str(), &got.ending),
            ("在武汉", "Hm.", &Ending::Done),
            "{wire:?}"
        );
        let calls: Vec<(String, String, String)> =
            got.calls().unwrap().into_iter().map(|c| (c.id, c.name, c.arguments.to_json())).collect();
        let call = |id: &str, n: &str| (id.to_owned(), "f".to_owned(), format!("{{\"n\":{n}}}"));
        assert_eq!(calls, [call("a", "1"), call("b", "2")], "{wire:?}");
        let cached = if *wire == Wire::Ollama { 0 } else { 3 };
        assert_eq!((got.usage.prompt, got.usage.completion, got.usage.cached), (7, 5, cached), "{wire:?}");
        assert!(!got.usage.estimated, "{wire:?}");
    }
}

#[test]
fn a_cut_before_the_end_was_said_is_an_interruption_in_every_format() {
    for (wire, content_type, bytes) in REPLIES {
        let marks = ["\"finish_reason\":\"tool", "response.completed", "message_stop", "\"done\":true"];
        let last = marks.iter().filter_map(|mark| bytes.find(mark)).next();
        let said = last.unwrap_or_else(|| bytes.rfind("data:").unwrap());
        for end in (1..said).step_by(11) {
            let mut stream = Stream::of(*wire, &request(), 200, content_type);
            stream.push(&bytes.as_bytes()[..end]);
            let cut = stream.finish();
            // Gemini says `STOP` with a piece in the middle: a cut right after it cannot be told.
            if *wire == Wire::Gemini && cut.ending == Ending::Done {
                continue;
            }
            assert_eq!(cut.ending, Ending::Interrupted, "{wire:?} cut at {end}");
            assert!(
                cut.usage.estimated && "在武汉".starts_with(&cut.text) && cut.calls().is_err(),
                "{wire:?} cut at {end}"
            );
        }
    }
}

/// The ending of a whole body or stream.
#[track_caller]
fn check(wire: Wire, content_type: &str, bytes: &str, expected: &str, code: &str) {
    let got = reply(wire, 200, content_type, bytes.as_bytes());
    let got_code = if let Ending::Failed { code, .. } = &got.ending { code.as_str() } else { "" };
    assert_eq!((got.ending.name(), got_code), (expected, code), "{wire:?} {bytes}");
}

#[test]
fn every_word_that_a_provider_ends_with_has_its_ending_and_an_unknown_one_is_no_guess() {
    const JSON: &str = "application/json";
    let anthropic =
        |word: &str| format!(r#"{{"type":"message","content":[{{"type":"text","text":"x"}}],"stop_reason":"{word}"}}"#);
    for (word, expected, code) in [
        ("end_turn", "done", ""),
        ("tool_use", "done", ""),
        ("stop_sequence", "done", ""),
        ("max_tokens", "truncated", ""),
        ("model_context_window_exceeded", "truncated", ""),
        ("pause_turn", "truncated", ""),
        ("refusal", "refused", ""),
        ("sudden", "failed", "unknown-ending"),
    ] {
        check(Wire::Anthropic, JSON, &anthropic(word), expected, code);
    }
    let gemini = |word: &str| {
        format!(r#"[{{"candidates":[{{"content":{{"parts":[{{"text":"x"}}]}},"finishReason":"{word}"}}]}}]"#)
    };
    for (word, expected, code) in [
        ("STOP", "done", ""),
        ("MAX_TOKENS", "truncated", ""),
        ("SAFETY", "refused", ""),
        ("RECITATION", "refused", ""),
        ("PROHIBITED_CONTENT", "refused", ""),
        ("MALFORMED_FUNCTION_CALL", "failed", "malformed-call"),
        ("OTHER", "failed", "unknown-ending"),
    ] {
        check(Wire::Gemini, JSON, &gemini(word), expected, code);
    }
    check(Wire::Gemini, JSON, r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, "refused", "");
    check(
        Wire::Gemini,
        JSON,
        r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota"}}]"#,
        "failed",
        "rate-limited",
    );
    let responses = |more: &str| {
        format!(r#"{{"output":[{{"type":"message","content":[{{"type":"output_text","text":"x"}}]}}],{more}}}"#)
    };
    check(Wire::Responses, JSON, &responses(r#""status":"completed""#), "done", "");
    check(
        Wire::Responses,
        JSON,
        &responses(r#""status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}"#),
        "truncated",
        "",
    );
    check(
        Wire::Responses,
        JSON,
        &responses(r#""status":"incomplete","incomplete_details":{"reason":"content_filter"}"#),
        "refused",
        "",
    );
    check(
        Wire::Responses,
        SSE,
        "data: {\"type\":\"response.refusal.delta\",\"delta\":\"No.\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
        "refused",
        "",
    );
    check(
        Wire::Responses,
        SSE,
        "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"x\"}}}\n\n",
        "failed",
        "server-error",
    );
    for (word, expected, code) in
        [("stop", "done", ""), ("length", "truncated", ""), ("load", "failed", "unknown-ending")]
    {
        check(
            Wire::Ollama,
            JSON,
            &format!(r#"{{"message":{{"content":"x"}},"done":true,"done_reason":"{word}"}}"#),
            expected,
            code,
        );
    }
    check(
        Wire::Ollama,
        "application/x-ndjson",
        "{\"message\":{\"content\":\"x\"},\"done\":false}\n{\"error\":\"overloaded\"}\n",
        "failed",
        "overloaded",
    );
    check(Wire::Ollama, "text/html", "<html>busy</html>", "failed", "provider-error");
    check(
        Wire::Anthropic,
        SSE,
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        "failed",
        "overloaded",
    );
}

#[test]
fn a_request_is_the_same_bytes_each_time_and_its_beginning_does_not_move_with_the_last_message() {
    for name in ["openai", "openai-responses", "anthropic", "gemini", "ollama", "deepseek"] {
        let schema = json::read_value(
            r#"{"type":"object","properties":{"a":{"type":"string","minLength":3}},"required":["a"]}"#,
        )
        .unwrap();
        let settings = ModelSettings {
            provider: name.into(),
            model: "m".into(),
            key: Some("sk-0123456789".into()),
            ..ModelSettings::default()
        };
        let asked = |last: &str| {
            let mut request = Request { schema: Some(schema.clone()), ..request() };
            request.messages[1].text = last.to_owned();
            provider::http(&settings, &request).unwrap()
        };
        assert_eq!(asked("x"), asked("x"));
        assert!(
            !asked("x").url.contains("sk-")
                && !asked("x").body.contains("sk-")
                && !format!("{:?}", asked("x")).contains("sk-"),
            "{name}"
        );
        let (one, two) = (asked("one").body, asked("two").body);
        let same = one.bytes().zip(two.bytes()).take_while(|(a, b)| a == b).count();
        // Everything that stays the same comes first where the format lets it.
        assert!(one[..same].contains("Be brief."), "{name}: {one}");
        assert!(!one.contains("minLength") || matches!(name, "deepseek" | "ollama"), "{name}");
    }
}

#[test]
fn waits_grow_keep_their_floor_spread_by_the_number_given_and_end() {
    let waits: Vec<u64> = (1..=4).map(|attempt| retry::wait(attempt, 500, None, 0).unwrap()).collect();
    assert_eq!(waits, [500, 1_000, 2_000, 4_000]);
    for random in [1, 77, u64::MAX] {
        let wait = retry::wait(2, 500, None, random).unwrap();
        assert!((1_000..=2_000).contains(&wait), "{wait}");
    }
    assert_ne!(retry::wait(3, 500, None, 1), retry::wait(3, 500, None, 999));
}

#[test]
fn what_is_recorded_of_any_format_plays_back_whole_in_other_pieces_and_harmed_as_asked() {
    for (wire, content_type, bytes) in REPLIES {
        let mut recorder = Recorder::new(&request()).over(*wire);
        recorder.chunk(3, bytes.as_bytes());
        let cassette = Cassette::read(&recorder.finish(200, content_type)).unwrap();
        let playback = cassette.play(&request(), 0).unwrap();
        assert_eq!(playback.wire, *wire);
        let play = |playback: &throughline_model::cassette::Playback| {
            let mut stream = Stream::of(playback.wire, &request(), playback.status, &playback.content_type);
            playback.chunks.iter().for_each(|chunk| drop(stream.push(&chunk.bytes)));
            stream.finish()
        };
        let whole = play(&playback);
        assert_eq!(whole.ending, Ending::Done);
        for seed in 1..20 {
            let pieces =
                throughline_model::cassette::Playback { chunks: rechunk(&playback.chunks, seed), ..playback.clone() };
            assert_eq!(play(&pieces), whole);
        }
        let fault = |fault: Fault| play(&harm(playback.clone(), &fault, 0).unwrap());
        assert_eq!(fault(Fault { rechunk: Some(0), ..Fault::default() }), whole);
        assert_eq!(fault(Fault { line_ends: Some("cr".into()), bom: true, ..Fault::default() }), whole, "{wire:?}");
        assert_eq!(fault(Fault { cut: Some(60), ..Fault::default() }).ending, Ending::Interrupted, "{wire:?}");
        let body =
            Fault { status: Some(529), body: Some(r#"{"error":{"message":"Overloaded"}}"#.into()), ..Fault::default() };
        assert!(matches!(fault(body).ending, Ending::Failed { retryable: true, .. }), "{wire:?}");
        assert_eq!(
            fault(Fault { cut: Some(1), only: Some(5), ..Fault::default() }),
            whole,
            "another exchange is harmed"
        );
    }
    let bad = Fault { line_ends: Some("lf".into()), ..Fault::default() };
    let cassette = Cassette::read(r#"{"match": {"purpose": "respond"}, "reply": "x"}"#).unwrap();
    assert_eq!(harm(cassette.play(&request(), 0).unwrap(), &bad, 0).unwrap_err().code, "bad-fault");
    let wired = Cassette::read(r#"{"match": {"purpose": "respond"}, "wire": "gemini", "reply": "x"}"#).unwrap_err();
    assert_eq!(wired.code, "bad-entry");
}

/// The schema that goes out to a provider for this one.
#[track_caller]
fn sent(provider_name: &str, schema: &str) -> String {
    let settings = ModelSettings {
        provider: provider_name.into(),
        model: "m".into(),
        key: Some("sk-0123456789".into()),
        ..ModelSettings::default()
    };
    let request = Request { schema: Some(json::read_value(schema).unwrap()), ..request() };
    let body = json::read_value(&provider::http(&settings, &request).unwrap().body).unwrap();
    let places: [&[&str]; 4] = [
        &["response_format", "json_schema", "schema"],
        &["format"],
        &["output_config", "format", "schema"],
        &["generationConfig", "responseJsonSchema"],
    ];
    places.iter().find_map(|place| body.at(place)).map(|schema| schema.to_json()).unwrap_or_default()
}

#[test]
fn a_server_with_grammars_gets_a_schema_in_which_a_reply_ends_by_itself() {
    let full = r#"{"type":"object","required":["b"],"properties":{
        "none":{"type":"array","maxItems":0},
        "a":{"type":"array","items":{"type":"string","minLength":1,"maxLength":9,"pattern":"^x"}},
        "b":{"type":"integer","minimum":0,"maximum":9},
        "c":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","maxLength":10000}},
        "d":{"type":"number","minimum":0}}}"#;
    let tight = r#"{"type":"object","required":["b"],"properties":{"b":{"type":"integer","minimum":0,"maximum":9},"a":{"type":"array","items":{"type":"string","minLength":1,"maxLength":9},"maxItems":32},"c":{"type":"array","items":{"type":"string"},"maxItems":3,"minItems":1},"d":{"type":"number"}},"additionalProperties":false}"#;
    for name in ["llama-cpp", "lm-studio", "vllm", "ollama"] {
        assert_eq!(sent(name, full), tight, "{name}");
    }
    // Others refuse bounds; what must be there comes first for them, too, and a list of nothing is not asked for.
    let loose = r#"{"type":"object","required":["b"],"properties":{"b":{"type":"integer"},"a":{"type":"array","items":{"type":"string"}},"c":{"type":"array","items":{"type":"string"}},"d":{"type":"number"}}}"#;
    for name in ["openai", "gemini"] {
        assert_eq!(sent(name, full), loose, "{name}");
    }
}
