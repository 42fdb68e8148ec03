//! What the memory promises, case by case.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "helper/keeper.rs"]
mod keeper;

use keeper::Keeper;
use throughline_journal::Origin;
use throughline_protocol::At;
use throughline_value::{Value, json};

#[test]
fn the_window_is_applied_before_the_ranking_and_repeated_in_the_answer() {
    let mut keeper = Keeper::default();
    for i in 0..1_000 {
        keeper.add("note", "releases releases releases", i, &[]);
    }
    for i in 0..5 {
        keeper.add("note", &format!("we spoke of releases and of many other things, week {i}"), 900_000 + i, &[]);
    }
    let page = keeper.recall(r#"{"words": "releases", "since": 900000, "limit": 5}"#).unwrap();
    assert_eq!((page.hits.len(), page.total, page.since, page.until), (5, 5, Some(900_000), None));
    assert!(page.hits.iter().all(|h| h.at >= 900_000 && h.why.contains("releases") && h.why.contains("in the window")));
    let all = keeper.recall(r#"{"words": "releases", "limit": 5}"#).unwrap();
    assert_eq!((all.total, all.hidden.get("limit")), (1_005, Some(&1_000)));
    assert!(all.hits.iter().all(|h| h.at < 900_000), "without the window the old ones rank first");
    assert_eq!(keeper.recall(r#"{"words": "releases", "snice": 1}"#).unwrap_err().code, "unknown-field");
}

#[test]
fn chinese_and_japanese_are_found_without_spaces_and_pairs_do_not_cross_a_space() {
    let mut keeper = Keeper::default();
    for text in ["人工智能技术发展迅速", "京大の入試", "東京の大阪人"] {
        keeper.add("note", text, 1, &[]);
    }
    let check = |words: &str, expected: &[&str]| {
        assert_eq!(keeper.texts(&format!(r#"{{"words": "{words}"}}"#)), expected, "{words}");
    };
    check("人工智能", &["人工智能技术发展迅速"]);
    check("技术发展", &["人工智能技术发展迅速"]);
    check("東京 大阪", &["東京の大阪人"]);
    check("京大", &["京大の入試"]);
    check("智", &["人工智能技术发展迅速"]);
    check("猫", &[]);
    assert_eq!(keeper.texts(r#"{"words": "京"}"#).len(), 2);
    assert_eq!(keeper.recall(r#"{"words": "。、 !"}"#).unwrap_err().code, "no-words");
}

#[test]
fn full_width_letters_and_capitals_find_the_same_word() {
    let mut keeper = Keeper::default();
    keeper.add("scan", "Parcel ＳＦ１２３ left", 1, &[]);
    assert_eq!(keeper.texts(r#"{"words": "sf123"}"#).len(), 1);
    assert_eq!(keeper.texts(r#"{"words": "ｐａｒｃｅｌ"}"#).len(), 1);
    assert_eq!(keeper.texts(r#"{"words": "sf12"}"#).len(), 0);
}

#[test]
fn other_events_of_a_source_are_refused_and_not_taken_for_those_that_came_before() {
    let mut keeper = Keeper::default();
    let mut give = |at: &str| {
        let command = format!(
            r#"{{"type": "remember_columns", "kinds": ["a"], "at": [{at}], "kind": [{}]}}"#,
            at.replace(|c: char| c != ',', "").replace(',', "0,") + "0"
        );
        keeper.run_from(&command, Some(Origin { source: "log".into(), seq: 0 }))
    };
    assert_eq!(give("1,2,3").unwrap().at(&["count"]), Some(&Value::from(3)));
    for same in ["1,2,3", "1", "1,2,3,4"] {
        assert_eq!(give(same).unwrap().at(&["unchanged"]), Some(&Value::from(true)), "{same}");
    }
    for other in ["5", "1,2,4", "2,1,3,4"] {
        let refusal = give(other).unwrap_err();
        assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("source-differs", Some("/at")), "{other}");
    }
    // What was corrected here since is the same event; what was purged may have been any.
    keeper.run(r#"{"type": "amend", "memory": "m_1_1", "at": 7}"#).unwrap();
    keeper.run(r#"{"type": "purge", "memories": ["m_1_2"]}"#).unwrap();
    let again = r#"{"type": "remember_columns", "kinds": ["a"], "at": [1, 2, 9], "kind": [0, 0, 0]}"#;
    let done = keeper.run_from(again, Some(Origin { source: "log".into(), seq: 0 })).unwrap();
    assert_eq!(done.at(&["unchanged"]), Some(&Value::from(true)));
}

#[test]
fn equal_times_keep_the_order_of_writing_also_when_they_arrive_shuffled() {
    let texts = ["assistant tool-call c1", "tool result c1", "assistant tool-call c2", "tool result c2"];
    let at = "2026-06-01T12:00:00.000Z";
    let mut batch = Keeper::default();
    let items: Vec<String> =
        texts.iter().map(|t| format!(r#"{{"kind": "message", "text": "{t}", "at": "{at}"}}"#)).collect();
    batch.run(&format!(r#"{{"type": "remember", "items": [{}]}}"#, items.join(","))).unwrap();
    assert_eq!(batch.texts("{}"), texts);
    let mut places = [0u64, 1, 2, 3];
    for round in 0..100 {
        places.rotate_left(1 + round % 3);
        places.swap(0, round % 4);
        let mut keeper = Keeper::default();
        for place in places {
            let command = format!(r#"{{"type": "remember", "items": [{}]}}"#, items[place as usize]);
            keeper.run_from(&command, Some(Origin { source: "chat".into(), seq: place })).unwrap();
        }
        assert_eq!(keeper.texts("{}"), texts, "{places:?}");
    }
}

#[test]
fn forgetting_hides_on_every_path_is_counted_and_can_be_undone_exactly() {
    let mut keeper = Keeper::default();
    let kept = keeper.add("scan", "kept parcel", 10, &["e1"]);
    let id = keeper.add("scan", "secret parcel", 20, &["e1"]);
    let before = (keeper.content(), keeper.seq);
    keeper.run(&format!(r#"{{"type": "forget", "memories": ["{id}"]}}"#)).unwrap();
    let now = keeper.now();
    let page = keeper.recall("{}").unwrap();
    assert_eq!((page.total, page.hidden.get("forgotten")), (1, Some(&1)));
    let words = keeper.recall(r#"{"words": "secret parcel"}"#).unwrap();
    assert_eq!((words.total, words.hidden.get("forgotten")), (1, Some(&1)));
    assert_eq!(keeper.memory.history(now, "e1").len(), 1);
    assert_eq!(keeper.memory.last(now, "scan", 100).unwrap().id, kept);
    assert_eq!(keeper.memory.neighbours(now, 15, 5).after.len(), 0);
    assert_eq!(keeper.memory.counts(now, 0, 100, 1, &[]).unwrap().counts, [[1]]);
    assert_eq!(keeper.memory.len(), 1);
    assert_ne!(keeper.content(), before.0);
    // The moment before still shows it.
    let then = At { seq: before.1, valid_at: 0 };
    assert_eq!(keeper.memory.counts(then, 0, 100, 1, &[]).unwrap().counts, [[2]]);
    let again = keeper.run(&format!(r#"{{"type": "forget", "memories": ["{id}"]}}"#)).unwrap();
    assert_eq!(again.get("unchanged"), Some(&Value::Bool(true)));
    let done = keeper.run(&format!(r#"{{"type": "recover", "memories": ["{id}", "{id}"]}}"#)).unwrap();
    assert_eq!(done.get("recovered").and_then(Value::as_i64), Some(1));
    assert_eq!(keeper.content(), before.0);
    assert_eq!(keeper.texts(r#"{"words": "secret"}"#), ["secret parcel"]);
}

#[test]
fn an_amendment_moves_the_event_and_an_earlier_moment_shows_it_as_it_was() {
    let mut keeper = Keeper::default();
    let id = keeper.add("scan", "arrived in Graz", 50, &[]);
    keeper.add("scan", "left Graz", 60, &[]);
    let then = keeper.now();
    keeper.run(&format!(r#"{{"type": "amend", "memory": "{id}", "at": 70, "text": "arrived in Linz"}}"#)).unwrap();
    assert_eq!(keeper.texts("{}"), ["left Graz", "arrived in Linz"]);
    assert_eq!(keeper.texts(r#"{"words": "arrived Graz"}"#), ["left Graz", "arrived in Linz"]);
    let page = keeper.memory.recall(then, &Default::default(), &keeper.domain).unwrap();
    assert_eq!(page.hits.iter().map(|h| h.text.as_str()).collect::<Vec<_>>(), ["arrived in Graz", "left Graz"]);
    let same = keeper.run(&format!(r#"{{"type": "amend", "memory": "{id}", "at": 70}}"#)).unwrap();
    assert_eq!(same.get("unchanged"), Some(&Value::Bool(true)));
}

#[test]
fn an_event_with_a_duration_is_in_every_window_that_it_overlaps_and_no_other() {
    let mut keeper = Keeper::default();
    keeper.run(r#"{"type": "remember", "items": [{"kind": "alarm", "text": "long", "at": 10, "until": 50}]}"#).unwrap();
    keeper.add("alarm", "moment", 30, &[]);
    let check = |window: &str, expected: &[&str]| assert_eq!(keeper.texts(window), expected, "{window}");
    check(r#"{"since": 20, "until": 25}"#, &["long"]);
    check(r#"{"since": 30, "until": 31}"#, &["long", "moment"]);
    check(r#"{"since": 49, "until": 60}"#, &["long"]);
    check(r#"{"since": 50, "until": 60}"#, &[]);
    check(r#"{"until": 10}"#, &[]);
    check(r#"{"until": 11}"#, &["long"]);
    assert_eq!(keeper.recall(r#"{"since": 20, "until": 25}"#).unwrap().hits[0].why, "lasts into the window");
}

#[test]
fn a_time_without_zone_is_refused_or_read_in_the_domains_zone_and_the_record_says_so() {
    let command = r#"{"type": "remember", "items": [{"kind": "scan", "at": "2026-03-01T09:00:00"}]}"#;
    let mut keeper = Keeper::default();
    let refusal = keeper.run(command).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("zone-missing", Some("/items/0/at")));
    keeper.domain.zone = Some("+08:00".into());
    keeper.run(command).unwrap();
    keeper.run(r#"{"type": "remember", "items": [{"kind": "scan", "at": "2026-03-01T01:00:00Z"}]}"#).unwrap();
    let hits = keeper.recall("{}").unwrap().hits;
    assert_eq!(hits[0].at, hits[1].at, "two spellings of one instant");
}

#[track_caller]
fn check_refused(keeper: &mut Keeper, command: &str, code: &str, path: &str) {
    let before = (keeper.content(), keeper.seq);
    let refusal = keeper.run(command).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), (code, Some(path)), "{refusal}");
    assert_eq!((keeper.content(), keeper.seq), before);
}

#[test]
fn what_does_not_fit_is_refused_whole_with_its_place() {
    let mut keeper = Keeper::default();
    let id = keeper.add("scan", "a", 10, &[]);
    let k = &mut keeper;
    check_refused(k, r#"{"type": "remember", "items": []}"#, "nothing-to-remember", "/items");
    check_refused(
        k,
        r#"{"type": "remember", "items": [{"kind": "ok"}, {"kind": " "}]}"#,
        "empty-kind",
        "/items/1/kind",
    );
    check_refused(
        k,
        r#"{"type": "remember", "items": [{"kind": "x", "importance": 1.01}]}"#,
        "importance-out-of-range",
        "/items/0/importance",
    );
    check_refused(
        k,
        r#"{"type": "remember", "items": [{"kind": "x", "at": 5, "until": 4}]}"#,
        "ends-before-begin",
        "/items/0/until",
    );
    check_refused(
        k,
        r#"{"type": "remember", "items": [{"kind": "x", "at": 9000000000000000}]}"#,
        "invalid-value",
        "/items/0/at",
    );
    check_refused(
        k,
        r#"{"type": "remember", "items": [{"kind": "x", "at": "yesterday"}]}"#,
        "bad-instant",
        "/items/0/at",
    );
    check_refused(k, r#"{"type": "amend", "memory": "m_9_0", "text": "x"}"#, "unknown-memory", "/memory");
    check_refused(
        k,
        &format!(r#"{{"type": "forget", "memories": ["{id}", "m_1_7"]}}"#),
        "unknown-memory",
        "/memories/1",
    );
    let long = "x".repeat(throughline_memory::limits::MAX_TEXT_BYTES + 1);
    check_refused(
        k,
        &format!(r#"{{"type": "remember", "items": [{{"kind": "x", "text": "{long}"}}]}}"#),
        "text-too-long",
        "/items/0/text",
    );
    assert_eq!(
        keeper.run(r#"{"type": "forget", "memories": ["m_1_1"]}"#).unwrap_err().suggestion.unwrap(),
        "did you mean `m_1_0`?"
    );
    assert_eq!(keeper.recall(r#"{"since": 5, "until": 4}"#).unwrap_err().code, "empty-window");
    assert_eq!(keeper.recall(r#"{"limit": 10001}"#).unwrap_err().code, "limit-too-large");
    assert_eq!(keeper.memory.counts(keeper.now(), 0, 10, 0, &[]).unwrap_err().code, "bad-buckets");
}

#[test]
fn a_record_that_does_not_fit_is_counted_and_changes_nothing_else() {
    let mut keeper = Keeper::default();
    let id = keeper.add("scan", "a", 10, &[]);
    let content = keeper.content();
    let bad = [
        ("memory.remembered", "null"),
        ("memory.remembered", r#"{"items": [{"id": "m_9_0", "kind": "x", "at": 1}, {"id": "m_9_1", "kind": "x"}]}"#),
        ("memory.remembered", &format!(r#"{{"items": [{{"id": "{id}", "kind": "x", "at": 1}}]}}"#)),
        ("memory.remembered", r#"{"items": [{"id": "n", "kind": "x", "at": 9, "until": 3}]}"#),
        ("memory.amended", r#"{"memory": "m_7_7", "text": "x"}"#),
        ("memory.amended", &format!(r#"{{"memory": "{id}", "at": "soon"}}"#)),
        ("memory.forgotten", &format!(r#"{{"memories": ["{id}", "m_7_7"]}}"#)),
        ("memory.recovered", "7"),
    ];
    for (i, (kind, data)) in bad.iter().enumerate() {
        keeper.fold(kind, json::read_value(data).unwrap(), "main", None);
        assert_eq!((keeper.memory.quarantined(), keeper.content()), (i + 1, content.clone()), "{kind} {data}");
    }
    keeper.fold("fact.asserted", Value::Null, "main", None);
    keeper.fold("memory.unheard_of", Value::Null, "main", None);
    assert_eq!(keeper.memory.quarantined(), bad.len(), "kinds of other rooms are passed over");
    assert_eq!(keeper.memory.problems().next(), Some((2, "memory.remembered")));
}

#[test]
fn ids_stay_as_recorded_when_records_move_to_other_numbers() {
    let mut keeper = Keeper::default();
    let item = |id: &str| {
        json::read_value(&format!(r#"{{"items": [{{"id": "{id}", "kind": "x", "at": 1, "text": "{id}"}}]}}"#)).unwrap()
    };
    // As after a fork that dropped the first record: everything stands one number lower.
    keeper.fold("memory.remembered", item("m_2_0"), "main", None);
    let id = keeper.add("x", "new", 2, &[]);
    assert_eq!(id, "m_2_1", "the usual id is taken");
    keeper.run(r#"{"type": "forget", "memories": ["m_2_0"]}"#).unwrap();
    assert_eq!(keeper.texts("{}"), ["new"]);
    assert_eq!(keeper.run(r#"{"type": "forget", "memories": ["m_1_0"]}"#).unwrap_err().code, "unknown-memory");
}

#[test]
fn the_newest_are_kept_when_there_are_more_than_the_limit_and_the_rest_is_counted() {
    let mut keeper = Keeper::default();
    for i in 0..10 {
        keeper.add("n", &i.to_string(), i, &[]);
    }
    let page = keeper.recall(r#"{"limit": 3}"#).unwrap();
    assert_eq!(page.hits.iter().map(|h| h.text.as_str()).collect::<Vec<_>>(), ["7", "8", "9"]);
    assert_eq!((page.total, page.hidden.get("limit")), (10, Some(&7)));
}

#[test]
fn the_last_of_a_long_history_are_the_same_in_every_order() {
    let mut keeper = Keeper::default();
    for i in 0..1_500 {
        keeper.thread = Some(if i * 7 % 5 < 2 { "b" } else { "a" }.to_owned());
        keeper.add("n", &i.to_string(), i * 7_919 % 1_500, &[]);
    }
    for order in ["recorded", "logical"] {
        let mut list: Vec<i64> = (0..1_500).collect();
        list.sort_by_key(|i| (order == "logical" && i * 7 % 5 < 2, *i));
        let last: Vec<String> = list.split_off(1_480).iter().map(i64::to_string).collect();
        let page = keeper.recall(&format!(r#"{{"order": "{order}", "limit": 20}}"#)).unwrap();
        let texts: Vec<String> = page.hits.into_iter().map(|h| h.text).collect();
        assert!(texts == last && page.total == 1_500, "{order}: {texts:?}");
    }
}

#[test]
fn paging_back_gives_neither_gaps_nor_repeats_in_any_order_also_between_equal_times() {
    let mut keeper = Keeper::default();
    for i in 0..40 {
        keeper.thread = Some(if i % 3 == 0 { "b" } else { "a" }.to_owned());
        keeper.add("n", &i.to_string(), i % 4, &[]);
    }
    let expected = |order: &str| {
        let mut list: Vec<i64> = (0..40).collect();
        match order {
            "valid" => list.sort_by_key(|i| (i % 4, *i)),
            "logical" => list.sort_by_key(|i| (i % 3 == 0, *i)),
            _ => {}
        }
        list.into_iter().map(|i| i.to_string()).collect::<Vec<_>>()
    };
    for order in ["valid", "recorded", "logical"] {
        for limit in [1, 3, 7, 40, 100] {
            let mut pages: Vec<Vec<String>> = Vec::new();
            let mut before = String::new();
            loop {
                let query = format!(r#"{{"order": "{order}", "limit": {limit}{before}}}"#);
                let page = keeper.recall(&query).unwrap();
                let Some(first) = page.hits.first() else { break };
                before = format!(r#", "before": "{}""#, first.id);
                let seen: usize = pages.iter().map(Vec::len).sum();
                assert_eq!(page.total, 40 - seen as u64);
                pages.push(page.hits.into_iter().map(|h| h.text).collect());
            }
            pages.reverse();
            assert_eq!(pages.concat(), expected(order), "{order} by {limit}");
        }
    }
    assert_eq!(keeper.recall(r#"{"order": "random"}"#).unwrap_err().code, "unknown-order");
    assert_eq!(keeper.recall(r#"{"before": "m_99_0"}"#).unwrap_err().code, "unknown-memory");
    assert_eq!(keeper.recall(r#"{"order": "logical", "words": "1"}"#).unwrap_err().code, "order-with-words");
}

#[test]
fn columns_from_the_same_origin_say_how_many_events_are_in_from_there() {
    let mut keeper = Keeper::default();
    let origin = |seq| Some(Origin { source: "log".to_owned(), seq });
    let columns = |count: usize| {
        format!(
            r#"{{"type": "remember_columns", "kinds": ["k"], "at": {:?}, "kind": {:?}}}"#,
            vec![5; count],
            vec![0; count]
        )
    };
    let mut check = |count: usize, seq: u64, expected: (i64, bool)| {
        let result = keeper.run_from(&columns(count), origin(seq)).unwrap();
        let unchanged = result.get("unchanged").is_some();
        assert_eq!((result.get("count").and_then(Value::as_i64).unwrap(), unchanged), expected, "{count} from {seq}");
    };
    check(3, 0, (3, false));
    check(2, 3, (2, false));
    check(7, 0, (3, true));
    check(1, 3, (2, true));
}

#[test]
fn more_events_than_one_answer_shows_are_refused_with_what_to_do() {
    let mut keeper = Keeper::default();
    let rows = throughline_memory::limits::MAX_SHOWN + 2;
    let zeros = vec![0; rows];
    keeper
        .run(&format!(r#"{{"type": "remember_columns", "kinds": ["k"], "at": {zeros:?}, "kind": {zeros:?}}}"#))
        .unwrap();
    let now = keeper.now();
    assert_eq!(keeper.memory.moments(now, 0, 1, 0).unwrap_err().code, "too-many-events");
    assert_eq!(
        keeper
            .memory
            .related(now, "m_1_0", &[throughline_memory::allen::Relation::Equals])
            .unwrap_err()
            .path
            .as_deref(),
        Some("/relations")
    );
    assert!(keeper.memory.moments(now, 1, 2, 0).unwrap().is_empty());
}

#[test]
fn the_events_of_columns_count_on_from_their_records_place_so_the_size_of_the_parts_does_not_show() {
    let at: Vec<i64> = (0..30).map(|i| [5, 3, 5, 9, 5][i as usize % 5] + i / 10).collect();
    let give = |keeper: &mut Keeper, from: usize, to: usize| {
        let rows: Vec<String> = at[from..to].iter().map(i64::to_string).collect();
        let texts: String = (from..to).map(|i| format!("e{i:02}")).collect();
        let command = format!(
            r#"{{"type":"remember_columns","kinds":["k"],"at":[{}],"kind":[{}],"text":"{texts}","text_bytes":[{}]}}"#,
            rows.join(","),
            vec!["0"; to - from].join(","),
            vec!["3"; to - from].join(",")
        );
        let origin = throughline_journal::Origin { source: "log".into(), seq: from as u64 };
        keeper.run_from(&command, Some(origin)).unwrap();
    };
    let arrive = |parts: &[(usize, usize)]| {
        let mut keeper = Keeper::default();
        parts.iter().for_each(|(from, to)| give(&mut keeper, *from, *to));
        (keeper.content(), keeper.texts("{}"))
    };
    let whole = arrive(&[(0, 30)]);
    for parts in [
        &[(0, 10), (10, 20), (20, 30)][..],
        &[(20, 30), (0, 7), (7, 20)],
        &[(0, 30), (0, 4)],
        &(0..30).rev().map(|i| (i, i + 1)).collect::<Vec<_>>(),
    ] {
        assert_eq!(arrive(parts), whole, "{parts:?}");
    }
    // One by one, as a log that is remembered event by event.
    let mut keeper = Keeper::default();
    for (i, at) in at.iter().enumerate().rev() {
        let origin = throughline_journal::Origin { source: "log".into(), seq: i as u64 };
        let command = format!(r#"{{"type":"remember","items":[{{"kind":"k","text":"e{i:02}","at":{at}}}]}}"#);
        keeper.run_from(&command, Some(origin)).unwrap();
    }
    assert_eq!((keeper.content(), keeper.texts("{}")), whole);
}
