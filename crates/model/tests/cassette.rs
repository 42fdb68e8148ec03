//! Cassettes: reading, playing, recording, faults.

use throughline_model::cassette::{Cassette, Chunk, Player, Recorder, cut, rechunk, single_bytes};
use throughline_model::{Ending, Message, Reply, Request, openai::Stream};

fn request(purpose: &str, language: &str, text: &str) -> Request {
    Request { language: language.into(), ..Request::new(purpose, vec![Message::new("user", text)]) }
}

fn decode(request: &Request, chunks: &[Chunk]) -> Reply {
    let mut stream = Stream::new(request, 200, "text/event-stream");
    for chunk in chunks {
        stream.push(&chunk.bytes);
    }
    stream.finish()
}

const TAPE: &str = r#"
// Comments and empty lines are passed over.
{"match": {"purpose": "interpret", "language": "en", "contains": ["SF123456789"]}, "reply": {"intent": "track"}}
{"match": {"purpose": "interpret"}, "reply": "second"}
{"match": {"purpose": "respond", "language": "zh"}, "reply": "包裹在路上，预计明天到达。", "usage": {"prompt": 30, "completion": 12}}
{"match": {"purpose": "decide"}, "reply": "{\"action\": \"wai", "finish": "length"}
"#;

#[test]
fn entries_answer_once_in_order_and_again_from_the_first_so_that_a_run_can_be_repeated() {
    let mut player = Player::new(Cassette::read(TAPE).unwrap());
    let ask = request("interpret", "en", "Where is SF123456789?");
    let texts: Vec<String> = (0..5).map(|_| decode(&ask, &player.play(&ask).unwrap().chunks).text).collect();
    let first = r#"{"intent":"track"}"#;
    assert_eq!(texts, [first, "second", first, "second", first]);
    let cassette = player.cassette();
    let nth: Vec<usize> = (0..4).map(|n| cassette.play(&ask, n).unwrap().entry).collect();
    assert_eq!(nth, [0, 1, 0, 1]);
}

#[test]
fn a_request_without_a_reply_is_refused_and_the_nearest_entry_is_named() {
    let cassette = Cassette::read(TAPE).unwrap();
    let check = |request: &Request, expected: &str| {
        let refusal = cassette.play(request, 0).unwrap_err();
        assert_eq!(refusal.code, "cassette-mismatch");
        assert!(refusal.message.contains(expected), "{}", refusal.message);
    };
    check(&request("plan", "en", "?"), "`plan`");
    check(&request("respond", "en", "?"), "on line 5, is for the language `zh`, asked was `en`");
    let one = Cassette::read(r#"{"match": {"purpose": "plan", "contains": ["SF1", "x"]}, "reply": ""}"#).unwrap();
    let refusal = one.play(&request("plan", "", "x"), 0).unwrap_err();
    assert!(refusal.message.contains("on line 1, wants the request to contain \"SF1\""), "{}", refusal.message);
}

#[test]
fn a_written_reply_goes_through_the_decoder_and_keeps_its_usage_and_its_ending() {
    let cassette = Cassette::read(TAPE).unwrap();
    let ask = request("respond", "zh", "包裹在哪？");
    let playback = cassette.play(&ask, 0).unwrap();
    assert!(playback.chunks.len() > 3);
    let reply = decode(&ask, &playback.chunks);
    assert_eq!((reply.text.as_str(), &reply.ending), ("包裹在路上，预计明天到达。", &Ending::Done));
    assert_eq!((reply.usage.prompt, reply.usage.completion, reply.usage.estimated), (30, 12, false));
    let cut_off = request("decide", "", "?");
    assert_eq!(decode(&cut_off, &cassette.play(&cut_off, 0).unwrap().chunks).ending, Ending::Truncated);
}

#[test]
fn other_pieces_of_the_same_bytes_give_the_same_reply_and_a_cut_gives_part_of_it() {
    let ask = request("respond", "zh", "?");
    let chunks = Cassette::read(TAPE).unwrap().play(&ask, 0).unwrap().chunks;
    let whole = decode(&ask, &chunks);
    assert_eq!(decode(&ask, &single_bytes(&chunks)), whole);
    for seed in 0..200 {
        let pieces = rechunk(&chunks, seed);
        assert_eq!(decode(&ask, &pieces), whole, "seed {seed}");
        assert_eq!(rechunk(&chunks, seed), pieces, "the same seed gives the same pieces");
        assert!(pieces.is_sorted_by_key(|c| c.t));
    }
    assert_ne!(rechunk(&chunks, 1), rechunk(&chunks, 2));
    let len: usize = chunks.iter().map(|c| c.bytes.len()).sum();
    for byte in 0..len {
        let reply = decode(&ask, &cut(&chunks, byte));
        assert!(whole.text.starts_with(&reply.text));
        assert!(matches!(reply.ending, Ending::Interrupted | Ending::Done));
        assert!(reply.ending == Ending::Interrupted || reply.text == whole.text, "cut at {byte}");
    }
}

#[test]
fn what_is_recorded_plays_back_byte_for_byte_also_when_a_chunk_ends_inside_a_character() {
    let ask = request("respond", "zh", "订单 7");
    let bytes = "data: {\"choices\":[{\"delta\":{\"content\":\"好\"},\"finish_reason\":\"stop\"}]}\n\n".as_bytes();
    let inside = bytes.iter().position(|b| *b >= 0x80).unwrap() + 1;
    let mut recorder = Recorder::new(&ask).containing("订单 7");
    recorder.chunk(3, &bytes[..inside]);
    recorder.chunk(9, &bytes[inside..]);
    let cassette = Cassette::read(&recorder.finish(200, "text/event-stream")).unwrap();
    let chunks = cassette.play(&ask, 0).unwrap().chunks;
    assert_eq!(
        chunks.iter().map(|c| (c.t, c.bytes.len())).collect::<Vec<_>>(),
        [(3, inside), (9, bytes.len() - inside)]
    );
    assert_eq!(decode(&ask, &chunks).text, "好");
    assert!(cassette.play(&request("respond", "zh", "订单 8"), 0).is_err());
}

#[test]
fn a_bad_cassette_is_refused_with_the_code_the_line_and_the_byte() {
    let check = |text: &str, code: &str, line: usize, byte: usize| {
        let error = Cassette::read(text).unwrap_err();
        assert_eq!((error.code.as_str(), error.line, error.byte), (code, line, byte), "{error}");
    };
    check("\n{\"match\": {\"purpose\": \"x\"}, \"reply\": }", "json-syntax", 2, 38);
    check("{\"match\": {\"purpose\": \"x\"}}", "bad-entry", 1, 0);
    check("{\"match\": {\"purpose\": \"x\", \"langauge\": \"en\"}, \"reply\": \"\"}", "unknown-field", 1, 27);
    check("{\"match\": {\"purpose\": \"x\"}, \"chunks\": [{\"t\": 0, \"b64\": \"!\"}]}", "bad-base64", 1, 0);
    check("{\"match\": {\"purpose\": \"x\"}, \"chunks\": [], \"finish\": \"stop\"}", "bad-entry", 1, 0);
    assert!(Cassette::read("").unwrap().entries().is_empty());
}

#[test]
fn a_key_that_was_said_back_in_pieces_is_in_no_recording_and_in_nothing_that_is_played_from_it() {
    use throughline_model::Scrubber;
    let key = "planted-key-0123";
    let asked = request("respond", "en", "hi");
    let events = |texts: &[&str], finish: &str| -> Vec<String> {
        let delta =
            |text: &&str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
        let end = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":{finish}}}]}}\n\n");
        texts.iter().map(delta).chain([end]).collect()
    };
    for (finish, ending) in
        [("\"stop\"", Ending::Done), ("\"length\"", Ending::Truncated), ("null", Ending::Interrupted)]
    {
        for (texts, text) in [(["it is planted-", "key-0123."], "it is [key]."), (["it is ", "fine."], "it is fine.")] {
            let mut recorder = Recorder::new(&asked);
            let bytes = events(&texts, finish);
            bytes.iter().for_each(|event| recorder.chunk(0, event.as_bytes()));
            let plain = recorder.clone().finish(200, "text/event-stream");
            let line = recorder.finish_without(&Scrubber::new(Some(key)), 200, "text/event-stream");
            // What holds no key is recorded byte for byte.
            assert_eq!(line == plain, text == "it is fine.");
            let reply = decode(&asked, &Cassette::read(&line).unwrap().play(&asked, 0).unwrap().chunks);
            assert_eq!(reply.ending, ending);
            let kept = if ending == Ending::Interrupted && line != plain { "" } else { text };
            assert_eq!(reply.text, kept);
        }
    }
}
