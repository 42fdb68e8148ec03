//! The shared data: every gold answer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test may fail")]

#[path = "helper/keeper.rs"]
mod keeper;

use std::collections::BTreeMap;
use std::path::PathBuf;

use keeper::Keeper;
use throughline_memory::allen::Relation;
use throughline_value::{Value, json};

/// A file of the shared data; `None`, said aloud, where it is absent.
fn file(path: &str) -> Option<String> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or(beside, PathBuf::from);
    let text = std::fs::read_to_string(shared.join("data").join(path));
    text.inspect_err(|error| println!("SKIPPED 1: {path}: {error}")).ok()
}

fn rows(path: &str) -> Option<Vec<Value>> {
    Some(file(path)?.lines().filter(|l| !l.trim().is_empty()).map(|l| json::read_value(l).unwrap()).collect())
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap()
}

fn int(value: &Value, name: &str) -> i64 {
    value.get(name).and_then(Value::as_i64).unwrap()
}

/// Remembers events given as JSON maps.
fn remember(keeper: &mut Keeper, items: &[String]) {
    for batch in items.chunks(500) {
        keeper.run(&format!(r#"{{"type": "remember", "items": [{}]}}"#, batch.join(","))).unwrap();
    }
}

#[test]
fn alarms_are_found_in_every_window_that_they_overlap_and_at_every_instant() {
    let Some(csv) = file("h_temporal/assetops/alert_events.csv") else { return };
    let gold = json::read_value(&file("h_temporal/assetops/alert_events.gold.json").unwrap()).unwrap();
    // `M/D/YY H:MM` without a zone, read as UTC.
    let instant = |cell: &str| {
        let (date, time) = cell.split_once(' ').unwrap();
        let parts: Vec<u32> = date.split('/').map(|n| n.parse().unwrap()).collect();
        let (hour, minute) = time.split_once(':').unwrap();
        format!("20{:02}-{:02}-{:02}T{:0>2}:{minute}:00Z", parts[2], parts[0], parts[1], hour)
    };
    let items: Vec<String> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!(
                r#"{{"kind": "{}", "entities": ["{}"], "at": "{}", "until": "{}"}}"#,
                cells[2],
                cells[0],
                instant(cells[3]),
                instant(cells[4])
            )
        })
        .collect();
    let mut keeper = Keeper::default();
    remember(&mut keeper, &items);
    assert_eq!(keeper.memory.len(), int(&gold, "rows") as u64);
    for query in gold.get("range_queries").unwrap().as_list().unwrap() {
        let (from, to) = (text(query, "from"), text(query, "to"));
        let rules: Vec<String> = query.get("rule_id").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
        let page = keeper
            .recall(&format!(
                r#"{{"since": "{from}", "until": "{to}", "kinds": {}}}"#,
                Value::from(rules.clone()).to_json()
            ))
            .unwrap();
        assert_eq!(page.total, int(query, "overlap_half_open") as u64, "{}", query.to_json());
        if from == to {
            continue;
        }
        let counts = keeper.memory.counts(keeper.now(), page.since.unwrap(), page.until.unwrap(), 1, &rules);
        let started: u64 = counts.unwrap().counts[0].iter().sum();
        assert_eq!(started, int(query, "started_in") as u64, "{}", query.to_json());
    }
    for query in gold.get("active_at").unwrap().as_list().unwrap() {
        let at = text(query, "at");
        let since = keeper.recall(&format!(r#"{{"since": "{at}"}}"#)).unwrap().since.unwrap();
        let page = keeper.recall(&format!(r#"{{"since": {since}, "until": {}}}"#, since + 1)).unwrap();
        let mut got: Vec<(String, String)> = page.hits.into_iter().map(|h| (h.kind, h.entities[0].clone())).collect();
        got.sort();
        let pair = |v: &Value| {
            (v.at(&["0"]).unwrap().as_str().unwrap().to_owned(), v.at(&["1"]).unwrap().as_str().unwrap().to_owned())
        };
        let mut expected: Vec<(String, String)> =
            query.get("active").unwrap().as_list().unwrap().iter().map(pair).collect();
        expected.sort();
        assert_eq!(got, expected, "{at}");
    }
}

#[test]
fn the_running_example_counts_as_its_gold_says_and_unreadable_times_are_refused_not_dropped() {
    let Some(xes) = file("b_event_logs/xes/running-example.xes") else { return };
    let gold = json::read_value(&file("b_event_logs/xes/running-example.xes.gold.json").unwrap()).unwrap();
    let attribute = |event: &str, key: &str| {
        let (_, rest) = event.split_once(&format!("key=\"{key}\" value=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    let items = |xes: &str| -> Vec<String> {
        let events = xes.split("<event>").skip(1);
        let item = |e: &str| {
            let (kind, at) = (attribute(e, "concept:name"), attribute(e, "time:timestamp"));
            format!(r#"{{"kind": "{kind}", "text": "{kind}", "at": "{at}"}}"#)
        };
        events.map(item).collect()
    };
    let mut keeper = Keeper::default();
    remember(&mut keeper, &items(&xes));
    let all = keeper.recall("{}").unwrap();
    assert_eq!(all.total, int(&gold, "events") as u64);
    assert_eq!((all.hits[0].at, all.hits.last().unwrap().at), (int(&gold, "first_ms"), int(&gold, "last_ms")));
    for (kind, count) in gold.get("activity_counts").unwrap().as_map().unwrap() {
        let page = keeper.recall(&format!(r#"{{"kinds": ["{kind}"]}}"#)).unwrap();
        assert_eq!(page.total, count.as_i64().unwrap() as u64, "{kind}");
    }
    for query in gold.get("range_queries_half_open").unwrap().as_list().unwrap() {
        let (from, to) = (int(query, "from_ms"), int(query, "to_ms"));
        let kinds: Vec<String> = query.get("activity").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
        let page = keeper
            .recall(&format!(r#"{{"since": {from}, "until": {to}, "kinds": {}}}"#, Value::from(kinds).to_json()))
            .unwrap();
        assert_eq!(page.total, int(query, "count") as u64, "{}", query.to_json());
    }
    // Times as `2019/11/03 01:11:19.000`: every event is refused with its place.
    let orders = items(&file("b_event_logs/xes/10_orders.xes").unwrap());
    assert_eq!(orders.len(), 154);
    for item in orders {
        let refusal = keeper.run(&format!(r#"{{"type": "remember", "items": [{item}]}}"#)).unwrap_err();
        assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("bad-instant", Some("/items/0/at")));
    }
}

#[test]
fn dated_dialogues_are_found_by_person_and_range_of_days() {
    let Some(events) = rows("e_memory/memorybank/events.jsonl") else { return };
    let gold = json::read_value(&file("e_memory/memorybank/gold_ranges.json").unwrap()).unwrap();
    let mut keeper = Keeper::default();
    let items: Vec<String> = events
        .iter()
        .map(|e| {
            let (user, query) = (json::quote(text(e, "user")), json::quote(text(e, "query")));
            format!(
                r#"{{"kind": "said", "entities": [{user}], "text": {query}, "at": "{}T00:00:00Z"}}"#,
                text(e, "date")
            )
        })
        .collect();
    remember(&mut keeper, &items);
    for range in gold.get("range_counts").unwrap().as_list().unwrap() {
        let user = json::quote(text(range, "user"));
        let (from, to) = (text(range, "from"), text(range, "to_inclusive"));
        let query = format!(r#"{{"since": "{from}T00:00:00Z", "until": "{to}T23:59:59.999Z", "entities": [{user}]}}"#);
        assert_eq!(keeper.recall(&query).unwrap().total, int(range, "count") as u64, "{}", range.to_json());
    }
}

/// How many questions find a turn that answers them among the first 1, 5 and 10 hits.
fn recall_of(name: &str, also: &str, shuffled: bool) -> Option<(f64, f64, f64)> {
    let conversations = rows(&format!("e_memory/bfcl_memory/conversation_{name}.jsonl"))?;
    let questions = rows(&format!("e_memory/bfcl_memory/questions_{name}.jsonl"))?;
    let mut keeper = Keeper::default();
    let mut turns: BTreeMap<String, (String, i64)> = BTreeMap::new();
    let mut at = 0;
    for (day, conversation) in (0i64..).zip(&conversations) {
        for (turn, messages) in conversation.get("question").unwrap().as_list().unwrap().iter().enumerate() {
            let said: Vec<&str> = messages.as_list().unwrap().iter().map(|m| text(m, "content")).collect();
            at += 1;
            // Turns a minute apart, conversations a day; or every turn somewhere else, as a control.
            let when = if shuffled { at * 7_919 % 104_729 * 86_400_000 } else { at * 60_000 + day * 86_400_000 };
            let id = keeper.add("said", &said.join("\n"), when, &[]);
            turns.insert(id, (text(conversation, "id").to_owned(), turn as i64));
        }
    }
    let mut hits = [0u32; 3];
    let mut asked = 0;
    for question in &questions {
        let evidence = question.get("evidence_turns").unwrap().as_list().unwrap();
        if evidence.is_empty() {
            continue;
        }
        asked += 1;
        let words = json::quote(text(question, "question"));
        let found = keeper.recall(&format!(r#"{{"words": {words}, "limit": 10{also}}}"#)).unwrap().hits;
        let is_evidence = |id: &str| {
            let (conversation, turn) = &turns[id];
            evidence.iter().any(|e| text(e, "conversation") == conversation && int(e, "turn") == *turn)
        };
        let rank = found.iter().position(|h| is_evidence(&h.id)).unwrap_or(usize::MAX);
        for (slot, k) in hits.iter_mut().zip([1, 5, 10]) {
            *slot += u32::from(rank < k);
        }
    }
    let of = |n: u32| f64::from(n) / f64::from(asked);
    println!(
        "{name}{also}{}: recall of {asked} questions at 1/5/10 {:.2} {:.2} {:.2}",
        if shuffled { " shuffled" } else { "" },
        of(hits[0]),
        of(hits[1]),
        of(hits[2])
    );
    Some((of(hits[0]), of(hits[1]), of(hits[2])))
}

#[test]
fn words_alone_find_the_turns_that_answer_at_least_as_well_as_plain_bm25() {
    if let Some((one, five, ten)) = recall_of("customer", "", false) {
        assert!(one >= 0.64 && five >= 0.82 && ten >= 0.96, "{one:.3} {five:.3} {ten:.3}");
    }
    if let Some((one, five, ten)) = recall_of("notetaker", "", false) {
        assert!(one >= 1.0 && five >= 1.0 && ten >= 1.0, "{one:.3} {five:.3} {ten:.3}");
    }
}

#[test]
fn what_spreading_through_episodes_does_is_measured_beside_a_shuffled_control() {
    for name in ["customer", "notetaker"] {
        for also in ["", r#", "also_by": ["episode"]"#, r#", "also_by": ["recency"]"#] {
            for shuffled in [false, true] {
                let Some((one, five, ten)) = recall_of(name, also, shuffled) else { return };
                assert!(one <= five && five <= ten && ten >= 0.8, "{name}{also}: {one:.2} {five:.2} {ten:.2}");
            }
        }
    }
}

fn relation(name: &str) -> Relation {
    match name {
        "B" => Relation::Before,
        "M" => Relation::Meets,
        "O" => Relation::Overlaps,
        "S" => Relation::Starts,
        "D" => Relation::During,
        "F" => Relation::Finishes,
        "E" => Relation::Equals,
        "FI" => Relation::FinishedBy,
        "DI" => Relation::Contains,
        "SI" => Relation::StartedBy,
        "OI" => Relation::OverlappedBy,
        "MI" => Relation::MetBy,
        _ => Relation::After,
    }
}

#[test]
fn allens_relations_and_their_whole_composition_table_are_as_published() {
    let Some(pairs) = rows("h_temporal/allen/pairs.jsonl") else { return };
    let span = |v: &Value| (int(v, "start_ms"), int(v, "end_ms"));
    for pair in &pairs {
        let (a, b) = (span(pair.get("a").unwrap()), span(pair.get("b").unwrap()));
        assert_eq!(Relation::between(a, b), relation(text(pair, "relation")), "{}", pair.to_json());
        assert_eq!(Relation::between(b, a), relation(text(pair, "relation")).converse());
        // The same through the memory.
        let mut keeper = Keeper::default();
        let item = |(start, end)| format!(r#"{{"kind": "x", "text": "{start}", "at": {start}, "until": {end}}}"#);
        remember(&mut keeper, &[item(a), item(b)]);
        for r in Relation::ALL {
            let found = keeper.memory.related(keeper.now(), "m_1_1", &[r]).unwrap();
            assert_eq!(found.len(), usize::from(r == relation(text(pair, "relation"))), "{r:?} {}", pair.to_json());
        }
        let overlap = keeper.recall(&format!(r#"{{"since": {}, "until": {}}}"#, b.0, b.1)).unwrap().total == 2;
        assert_eq!(Some(overlap), pair.get("overlaps_half_open").and_then(Value::as_bool), "{}", pair.to_json());
    }
    let algebra = json::read_value(&file("h_temporal/allen/Linear_Interval_Algebra.json").unwrap()).unwrap();
    let mut entries = 0;
    for (first, row) in algebra.get("TransTable").unwrap().as_map().unwrap() {
        for (second, cell) in row.as_map().unwrap() {
            let mut expected: Vec<Relation> = cell.as_str().unwrap().split('|').map(relation).collect();
            expected.sort();
            assert_eq!(relation(first).then(relation(second)), expected, "{first} then {second}");
            entries += 1;
        }
    }
    assert_eq!(entries, 169);
}

/// What an event of an XES log says under a key.
fn attribute(event: &str, key: &str) -> Option<String> {
    let (_, rest) = event.split_once(&format!("key=\"{key}\" value=\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// The events of an XES log as items; those without a time take the command's own, in the order of the log.
fn events_of(xes: &str) -> Vec<String> {
    let item = |event: &str| {
        let event = event.split("</event>").next().unwrap();
        let kind = json::quote(&attribute(event, "concept:name").unwrap());
        match attribute(event, "time:timestamp") {
            Some(at) => format!(r#"{{"kind": {kind}, "text": {kind}, "at": {}}}"#, json::quote(&at)),
            None => format!(r#"{{"kind": {kind}, "text": {kind}}}"#),
        }
    };
    xes.split("<event>").skip(1).map(item).collect()
}

#[test]
fn every_event_log_counts_as_its_gold_says_whatever_the_order_of_arrival() {
    for name in ["running-example", "ebi_a-b", "ebi_fig_a"] {
        let Some(xes) = file(&format!("b_event_logs/xes/{name}.xes")) else { continue };
        let gold = json::read_value(&file(&format!("b_event_logs/xes/{name}.xes.gold.json")).unwrap()).unwrap();
        let items = events_of(&xes);
        assert_eq!(items.len() as i64, int(&gold, "events"), "{name}: nothing is dropped");
        let arrive = |order: &[usize]| {
            let mut keeper = Keeper::default();
            for i in order {
                let origin = throughline_journal::Origin { source: name.into(), seq: *i as u64 };
                let command = format!(r#"{{"type": "remember", "items": [{}]}}"#, items[*i]);
                keeper.run_from(&command, Some(origin)).unwrap();
            }
            keeper
        };
        let order: Vec<usize> = (0..items.len()).collect();
        let keeper = arrive(&order);
        for (kind, count) in gold.get("activity_counts").unwrap().as_map().unwrap() {
            let page = keeper.recall(&format!(r#"{{"kinds": [{}]}}"#, json::quote(kind))).unwrap();
            assert_eq!(page.total, count.as_i64().unwrap() as u64, "{name}: {kind}");
        }
        for query in gold.get("range_queries_half_open").and_then(Value::as_list).unwrap_or_default() {
            let (from, to) = (int(query, "from_ms"), int(query, "to_ms"));
            let kinds: Vec<String> =
                query.get("activity").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
            let total = if to < from {
                0
            } else {
                let kinds = Value::from(kinds.clone()).to_json();
                keeper.recall(&format!(r#"{{"since": {from}, "until": {to}, "kinds": {kinds}}}"#)).unwrap().total
            };
            assert_eq!(total, int(query, "count") as u64, "{name}: {}", query.to_json());
            if to > from {
                let counts = keeper.memory.counts(keeper.now(), from, to, 3, &kinds).unwrap();
                assert_eq!(counts.counts.iter().flatten().sum::<u64>(), int(query, "count") as u64);
            }
        }
        let mut shuffled = order.clone();
        let mut state = 9u64;
        for i in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(i, (state >> 33) as usize % (i + 1));
        }
        let other = arrive(&shuffled);
        assert_eq!(other.content(), keeper.content(), "{name}");
        assert_eq!(other.texts("{}"), keeper.texts("{}"), "{name}: ties keep the order of the log");
    }
}

#[test]
fn tables_give_the_same_events_as_the_logs_they_come_from() {
    let Some(csv) = file("b_event_logs/xes/running-example.csv") else { return };
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|h| *h == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    let items: Vec<String> = rows
        .iter()
        .map(|row| {
            let kind = json::quote(row[place("concept:name")]);
            format!(r#"{{"kind": {kind}, "text": {kind}, "at": {}}}"#, json::quote(row[place("time:timestamp")]))
        })
        .collect();
    let mut from_table = Keeper::default();
    remember(&mut from_table, &items);
    let mut from_log = Keeper::default();
    remember(&mut from_log, &events_of(&file("b_event_logs/xes/running-example.xes").unwrap()));
    assert_eq!(from_table.content(), from_log.content());
    // A table without times: every event is there, in the order of the table.
    let plain = file("b_event_logs/xes/ebi_a-b.csv").unwrap();
    let kinds: Vec<&str> =
        plain.lines().skip(1).filter_map(|l| l.split(',').nth(1)).map(str::trim).filter(|k| !k.is_empty()).collect();
    let items: Vec<String> = kinds.iter().map(|k| format!(r#"{{"kind": "{k}", "text": "{k}"}}"#)).collect();
    let mut keeper = Keeper::default();
    remember(&mut keeper, &items);
    assert_eq!(keeper.texts(r#"{"order": "logical"}"#), kinds);
}

#[test]
fn the_five_nearest_vectors_are_those_of_the_exact_cosine() {
    let Some(vectors) = file("e_memory/embeddings/openai_1536.json") else { return };
    let vectors = json::read_value(&vectors).unwrap();
    let gold = json::read_value(&file("e_memory/embeddings/gold_top5_cosine.json").unwrap()).unwrap();
    let mut keeper = Keeper::default();
    for (said, vector) in vectors.as_map().unwrap() {
        let item = format!(r#"{{"kind": "said", "text": {}, "vector": {}}}"#, json::quote(said), vector.to_json());
        remember(&mut keeper, &[item]);
    }
    let mut compared = 0;
    for (said, nearest) in gold.as_map().unwrap() {
        let vector = vectors.get(said).unwrap().to_json();
        let hits = keeper.recall(&format!(r#"{{"vector": {vector}, "limit": 6}}"#)).unwrap().hits;
        assert_eq!(&hits[0].text, said, "itself first");
        for (hit, expected) in hits[1..].iter().zip(nearest.as_list().unwrap()) {
            assert_eq!(hit.text, expected.at(&["0"]).unwrap().as_str().unwrap(), "{said}");
            let cosine = expected.at(&["1"]).unwrap().as_number().unwrap().to_f64();
            let said: f64 = hit.why.split_once("cosine ").unwrap().1.split_once(')').unwrap().0.parse().unwrap();
            assert!((said - cosine).abs() < 0.001, "{} {cosine}", hit.why);
            compared += 1;
        }
    }
    assert_eq!(compared, gold.as_map().unwrap().len() * 5);
}
