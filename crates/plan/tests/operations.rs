//! Every operation, run: what it gives, what it records, what a failure leads to.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail"
)]

#[path = "common/world.rs"]
mod common;

use common::{NOW, Shelf, World, at};
use throughline_plan::answer::NoEvidence;
use throughline_plan::{Plans, Scope, ToolCall, ToolError};
use throughline_protocol::Domain;
use throughline_protocol::command::{
    Answer, Breakpoint, CancelRun, ContinueRun, EditBinding, Rerun, StartRun, StepRun,
};
use throughline_value::{Map, Value, from_value, json};

const REPORT_EN: &str = "<html><body><h1>Q3 report</h1><p>Contact: <a href='tel:13812345678'>13812345678</a></p>\
<p>The yield rate of line 2 was <b>91.70</b>&nbsp;%. Revenue: US$1,200.50.</p>\
<table id=kpi><tr><th>KPI<th>Q2<th>Q3<tr><td>Delivery time<td>31 days<td>30 days<tr><td>Yield<td>90.1 %<td>91.70 %</table></body></html>";
const REPORT_TXT: &str = "Draft of the supplier.\nYield rate: 90.1 percent.\nDelivery: 30 days.\n";
const ITEMS: &str = r#"[{"n": "a", "w": 2.50, "at": "2026-01-05T00:00:00Z"}, {"n": "b", "w": 1, "at": "2026-04-05T00:00:00Z"}, {"n": "a", "w": 9, "at": "2026-02-05T00:00:00Z"}]"#;
const CSV: &str = "name,weight\nAda,2.50\nAlan,7\n";

fn domain() -> Domain {
    let text = r#"{"name": "d", "version": "1",
        "sources": {
            "audited": {"document": "report.html", "official": true, "trust": 0.9},
            "draft": {"document": "report.txt", "trust": 0.4},
            "items": {"document": "items.json", "time_field": "at"},
            "people": {"document": "people.csv"},
            "live": {"tool": "weather", "max_age": "PT10M"},
            "api": {"url": "https://api.example.org/v1/{city}/now", "time_field": "day", "max_age": "PT1H"},
            "news": {"url": "https://search.example.org/", "index": "news-*", "fields": ["title", "body"], "time_field": "published"}
        },
        "tools": {"weather": {}, "refund": {"effect": "write"}, "delete": {"effect": "write", "approval": true}, "flaky": {}},
        "patterns": {"phone": {"regex": "(1[3-9][0-9]{9})", "class": "phone"}}
    }"#;
    from_value(&json::read_value(text).unwrap()).unwrap()
}

fn shelf() -> Shelf {
    Shelf::default()
        .with("report.html", "text/html", REPORT_EN)
        .with("report.txt", "text/plain", REPORT_TXT)
        .with("items.json", "application/json", ITEMS)
        .with("people.csv", "text/csv", CSV)
}

fn world() -> World {
    let mut world = World::new(shelf());
    world.domain = domain();
    world.answer = tool;
    world
}

fn tool(call: &ToolCall) -> Result<Value, ToolError> {
    match (call.tool.as_str(), call.attempt) {
        ("weather", _) => Ok(json::read_value(r#"{"degrees": 21.50, "usage": {"total_tokens": 40}}"#).unwrap()),
        ("refund" | "delete", _) => Ok("done".into()),
        ("flaky", 1 | 2) => Err(ToolError { code: "busy".into(), message: "try again".into() }),
        ("flaky", _) => Ok(7.into()),
        _ => common::no_tool(call),
    }
}

fn start(world: &mut World, plan: &str) -> String {
    let scope = Scope::of(&world.domain);
    world
        .start(plan, Map::from_iter([("order".to_owned(), "PZ-7".into())]), &scope)
        .unwrap_or_else(|r| panic!("{r} {}", r.details.to_json()))
}

/// Runs a plan and compares the value of its last step, or its code when it has none.
#[track_caller]
fn check(plan: &str, expected: &str) -> (World, String) {
    let mut world = world();
    let run = start(&mut world, plan);
    world.finish(&run);
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    let last = view.steps.last().unwrap();
    let got = if last.status == "done" {
        last.output.to_json()
    } else {
        format!("{}: {}", last.status, last.code.clone().unwrap_or_default())
    };
    assert_eq!(got, expected, "{plan}: {:?}", last.error);
    (world, run)
}

#[test]
fn values_are_found_layer_by_layer_with_method_confidence_span_and_hash() {
    let find = |how: &str, value: &str, method: &str, confidence: &str, quote: &str| {
        let (world, run) = check(&format!("$r = GET audited\n$x = EXTRACT $r {how}"), value);
        let bound = &world.plans.values(&run)["x"];
        let evidence = &bound.evidence[0];
        assert_eq!((evidence.method.as_str(), evidence.quote.as_str()), (method, quote), "{how}");
        assert_eq!(bound.confidence.as_ref().unwrap().as_str(), confidence, "{how}");
        assert_eq!(&REPORT_EN[evidence.span.start..evidence.span.end], quote);
        assert_eq!(evidence.hash, throughline_journal::Digest::of_bytes(REPORT_EN.as_bytes()));
    };
    find("SELECTOR \"#kpi tr:nth-child(3) td:last-child\"", "\"91.70 %\"", "selector", "1", "91.70 %");
    find("CELL \"Delivery time\", \"Q3\"", "\"30 days\"", "cell", "1", "30 days");
    find("FIND percent NEAR \"yield rate\" AS number", "91.70", "recogniser", "0.9", "91.70");
    find("FIND money AS number", "1200.50", "recogniser", "0.9", "US$1,200.50");
    find("PATTERN phone", "\"13812345678\"", "pattern", "1", "13812345678");
    find(
        "PATTERN r\"Scrap ([0-9.]+)\" OR FIND percent NEAR \"Yield\" FIRST AS number",
        "91.70",
        "recogniser",
        "0.4",
        "91.70",
    );
    check("$r = GET audited\n$x = EXTRACT $r PATTERN r\"line 2 was ([0-9.]+) %\" AS number", "91.70");
}

#[test]
fn units_are_read_off_and_made_one_of_another_exactly() {
    check("$r = GET audited\n$x = EXTRACT $r CELL \"Delivery time\", \"Q3\" UNIT \"days\"", "30");
    check("$r = GET audited\n$x = EXTRACT $r CELL \"Delivery time\", \"Q3\" AS number UNIT \"h\"", "720");
    check("$r = GET audited\n$x = EXTRACT $r CELL \"Delivery time\", \"Q3\" UNIT \"kg\"", "failed: wrong-unit");
}

#[test]
fn lists_are_queried_searched_merged_filtered_and_validated() {
    check(
        "$q = QUERY items WHERE item.w > 1",
        r#"[{"n":"a","w":2.50,"at":"2026-01-05T00:00:00Z"},{"n":"a","w":9,"at":"2026-02-05T00:00:00Z"}]"#,
    );
    check("$q = QUERY people FOR \"alan\"", r#"[{"name":"Alan","weight":7}]"#);
    let (world, run) =
        check("$q = SEARCH draft FOR \"yield\" LIMIT 1\n$t = COMPUTE $q[0].text", "\"Yield rate: 90.1 percent.\"");
    assert_eq!(world.plans.values(&run)["t"].evidence[0].quote, "Yield rate: 90.1 percent.");
    check("$m = MERGE [1, 2], [2, 3]", "[1,2,3]");
    check("$q = QUERY items\n$m = MERGE $q, [{\"n\": \"a\"}] BY \"n\"\n$n = COMPUTE len($m)", "2");
    let (world, run) = check(
        "$q = QUERY items\n$f = FILTER $q WHERE item.n == \"b\" or index == 0",
        r#"[{"n":"a","w":2.50,"at":"2026-01-05T00:00:00Z"},{"n":"b","w":1,"at":"2026-04-05T00:00:00Z"}]"#,
    );
    assert_eq!(world.plans.values(&run)["f"].evidence.len(), 2, "the places of what is kept stay");
    check("$q = QUERY items\n$v = VALIDATE len($q) == 3 ELSE \"three are expected\"", "true");
    check("$q = QUERY items\n$v = VALIDATE len($q) > 3 ELSE \"more are expected\"", "failed: validation-failed");
}

#[test]
fn a_time_span_filters_items_by_their_time() {
    check(
        "PLAN WITH temporal_scope: \"2026-Q1\"\n$q = QUERY items\n$n = COMPUTE [len($q), temporal_scope.tense]",
        r#"[2,"present"]"#,
    );
}

#[test]
fn a_disagreement_is_settled_by_policy_and_recorded() {
    let plan = |by: &str| {
        format!(
            "$a = GET audited\n$d = GET draft\n$x = EXTRACT $a FIND percent NEAR \"yield rate\" AS number\n$y = EXTRACT $d PATTERN r\"Yield rate: ([0-9.]+)\" AS number\n$r = ARBITRATE $x, $y BY {by}"
        )
    };
    let (world, run) = check(&plan("official"), "91.70");
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    let input = &view.steps[4].input;
    assert_eq!(input.get("settled_by"), Some(&"official".into()));
    assert_eq!(input.get("others").unwrap().as_list().unwrap()[0].get("value").unwrap().to_json(), "90.1");
    assert_eq!(view.steps[4].evidence[0].document, "report.html");
    check(&plan("trust"), "91.70");
    check(&plan("majority"), "failed: not-settled");
    check(&format!("{} WITHIN 2", plan("majority")), "91.70");
}

#[test]
fn failures_are_retried_and_lead_to_other_sources_fallbacks_people_or_nothing() {
    let (world, run) = check("$x = CALL flaky() WITH retry: 2, backoff: 0s", "7");
    assert_eq!(world.plans.run(&run, &at(u64::MAX)).unwrap().steps[0].attempts, 3);
    assert!(world.made.windows(2).all(|pair| pair[0] == pair[1]), "every attempt has the same key");
    check("$x = CALL flaky() WITH retry: 1, backoff: 0s", "failed: busy");
    check("$x = GET api(city: \"Ulm\") OR draft\n$y = EXTRACT $x PATTERN r\"rate: ([0-9.]+)\"", "\"90.1\"");
    check("$y = COMPUTE 40 + 2\n$x = CALL flaky() WITH fallback: $y", "42");
    check("$x = COMPUTE 1 / 0 WITH fallback: \"none\"", "\"none\"");
    check("$x = COMPUTE 1 / 0 WITH on_failure: skip", "null");
    let (world, run) = check("$b = COMPUTE 1 / 0 WITH on_failure: stop\n$x = COMPUTE 1", "1");
    assert_eq!(world.plans.status(&run), Some("failed"));
    let mut world = self::world();
    let run = start(&mut world, "$x = COMPUTE 1 / 0 WITH on_failure: ask\n$y = COMPUTE $x + 1");
    world.finish(&run);
    let asks = world.plans.open_asks(u64::MAX);
    assert!(asks[0].0.question.contains("$x failed"), "{asks:?}");
    answer(&mut world, &asks[0].0.id, 41.into()).unwrap();
    world.finish(&run);
    assert_eq!(world.plans.values(&run)["y"].value, 42.into());
    assert_eq!(world.plans.values(&run)["y"].evidence[0].method, "person");
}

fn answer(world: &mut World, ask: &str, answer: Value) -> Result<(), String> {
    let command = Answer { ask: ask.to_owned(), answer };
    let decision = world.plans.answer(&world.context(), &command, &world.shelf, &NoEvidence(&world.env));
    let decision = decision.map_err(|refusal| refusal.code)?;
    world.commit(decision.drafts);
    Ok(())
}

#[test]
fn approvals_are_answered_one_by_one_in_any_order() {
    let mut world = world();
    let run = start(
        &mut world,
        "$a = CALL delete(file: \"x\")\n$b = CALL delete(file: \"y\")\n$q = ASK \"Which?\" OPTIONS [\"left\", \"right\"]",
    );
    world.finish(&run);
    let asks: Vec<_> = world.plans.open_asks(u64::MAX).into_iter().map(|(ask, _)| ask.id).collect();
    assert_eq!((asks.len(), world.made.len()), (3, 0));
    assert_eq!(answer(&mut world, &asks[1], "maybe".into()), Err("not-an-option".to_owned()));
    answer(&mut world, &asks[1], "approve".into()).unwrap();
    let records: Vec<_> = world.journal.records().cloned().collect();
    let mut world = world.reloaded(&records);
    assert_eq!(answer(&mut world, "run_x/a", "approve".into()), Err("unknown-ask".to_owned()));
    assert_eq!(answer(&mut world, &asks[1], "approve".into()), Err("already-settled".to_owned()));
    answer(&mut world, &asks[0], "reject".into()).unwrap();
    answer(&mut world, &asks[2], "left".into()).unwrap();
    world.finish(&run);
    assert_eq!(world.summary(&run), "failed a:failed b=\"done\" q=\"left\"");
    assert_eq!(world.made.len(), 1, "only what was approved is called");
}

#[test]
fn an_answer_of_the_cache_is_taken_while_it_is_young_and_says_so() {
    let mut world = world();
    let plan = "$w = GET live\n$t = COMPUTE $w.degrees";
    let first = start(&mut world, plan);
    world.finish(&first);
    let second = start(&mut world, plan);
    world.finish(&second);
    assert_eq!(world.made.len(), 1);
    let step = &world.plans.run(&second, &at(u64::MAX)).unwrap().steps[0];
    assert_eq!(step.cached.as_ref().unwrap().age, 0);
    let third = start(&mut world, "$w = GET live WITH max_age: 0s\n$t = COMPUTE $w.degrees");
    world.finish(&third);
    assert_eq!(world.made.len(), 2, "not from the cache when the plan says so");
    let fourth = start(&mut world, "PLAN WITH max_tokens: 30\n$w = GET live WITH max_age: 0s\n$t = COMPUTE $w.degrees");
    world.finish(&fourth);
    let view = world.plans.run(&fourth, &at(u64::MAX)).unwrap();
    assert_eq!((view.row.status.as_str(), view.tokens), ("failed", 40));
    assert!(view.error.unwrap().contains("may take 30"));
}

#[test]
fn a_call_that_takes_too_long_is_given_up_and_its_late_result_changes_nothing() {
    let mut world = world();
    let run = start(&mut world, "$w = CALL weather() WITH timeout: 5s, retry: 1, backoff: 2s\n$x = COMPUTE $w.degrees");
    let at_time = |world: &mut World, seconds: i64| {
        let ctx = throughline_protocol::Context { now: NOW + seconds * 1_000, ..world.context() };
        let advance = world.plans.advance(&ctx, &run, &world.shelf, &NoEvidence(&world.env));
        world.commit(advance.drafts);
        world.plans.pending_calls(NOW + seconds * 1_000)
    };
    let first = at_time(&mut world, 0).remove(0);
    assert_eq!(world.plans.next_due(NOW), Some(NOW + 5_000));
    assert_eq!(at_time(&mut world, 4).len(), 1, "it is still under way");
    assert_eq!(at_time(&mut world, 5).len(), 0, "given up, and the retry waits");
    assert_eq!(world.plans.next_due(NOW + 5_000), Some(NOW + 7_000));
    let late = world.plans.finish_call(&world.context(), &first, Ok(1.into()), &world.shelf, &NoEvidence(&world.env));
    assert!(late.is_empty() && !world.plans.wants(&first));
    let second = at_time(&mut world, 7).remove(0);
    assert_eq!((second.attempt, second.idempotency_key == first.idempotency_key), (2, true));
    assert_eq!(at_time(&mut world, 13).len(), 0);
    let step = &world.plans.run(&run, &at(u64::MAX)).unwrap().steps[0];
    assert_eq!((step.status.as_str(), step.code.as_deref()), ("failed", Some("timed-out")));
}

#[test]
fn a_step_budget_ends_the_run() {
    let mut world = world();
    let chain: String = (1..9).map(|i| format!("$s{i} = COMPUTE $s{} + 1\n", i - 1)).collect();
    let run = start(&mut world, &format!("PLAN WITH max_steps: 9\n$s0 = COMPUTE 0\n{chain}"));
    world.finish(&run);
    assert_eq!(world.plans.status(&run), Some("done"));
    let run = start(&mut world, &format!("$s0 = COMPUTE 0\n{chain}"));
    world.finish(&run);
    assert_eq!(world.plans.status(&run), Some("done"));
}

#[test]
fn addresses_and_search_engines_are_asked_with_derived_requests() {
    let request = |plan: &str| {
        let mut world = world();
        world.answer = common::no_tool;
        let run = start(&mut world, plan);
        let advance = world.plans.advance(&world.context(), &run, &world.shelf, &NoEvidence(&world.env));
        let call = advance.calls.into_iter().next().unwrap();
        assert_eq!(call.tool, "http");
        (Value::Map(call.args.clone()).to_json(), call)
    };
    let (sent, call) = request("PLAN WITH temporal_scope: \"2026-03\"\n$x = GET api(city: \"Ulm/../x?\", unit: \"c\")");
    assert_eq!(
        sent,
        r#"{"method":"GET","url":"https://api.example.org/v1/Ulm%2F..%2Fx%3F/now?unit=c&day_from=2026-03-01T00%3A00%3A00%2B08%3A00&day_to=2026-04-01T00%3A00%3A00%2B08%3A00","source":"api"}"#
    );
    let answer = json::read_value(
        r#"{"status": 200, "content_type": "application/json; charset=utf-8", "text": "{\"t\": 1.50}"}"#,
    )
    .unwrap();
    let document = Plans::document_of(&call, &answer).unwrap().unwrap();
    assert_eq!((document.media_type.as_str(), document.text.as_str()), ("application/json", "{\"t\": 1.50}"));
    let gone = json::read_value(r#"{"status": 404, "text": ""}"#).unwrap();
    assert_eq!(Plans::document_of(&call, &gone).unwrap_err().code, "http-404");
    let (sent, _) = request(
        "PLAN WITH temporal_scope: [\"2026-01\", null]\n$x = SEARCH news(lang: \"en\") FOR \"late parcels\" LIMIT 5",
    );
    assert_eq!(
        sent,
        r#"{"method":"POST","url":"https://search.example.org/news-%2A/_search","body":{"query":{"bool":{"must":[{"multi_match":{"query":"late parcels","fields":["title","body"]}}],"filter":[{"term":{"lang":"en"}},{"range":{"published":{"gte":"2026-01-01T00:00:00+08:00"}}}]}},"size":5},"source":"news"}"#
    );
}

const STORY: &str = "$r = GET audited\n$rate = EXTRACT $r FIND percent NEAR \"yield rate\" AS number\n$limit = COMPUTE 90\n$gap = COMPUTE $rate - $limit\n$w = CALL weather()\n$paid = CALL refund(order: $order, gap: $gap)\n$ok = COMPUTE [$paid, $gap > 1]";

#[test]
fn breakpoints_pause_at_steps_bindings_and_conditions_and_bindings_can_be_edited() {
    let mut world = world();
    let scope = Scope::of(&world.domain);
    let bp = |step: Option<&str>, binding: Option<&str>, when: Option<&str>| Breakpoint {
        step: step.map(str::to_owned),
        binding: binding.map(str::to_owned),
        when: when.map(str::to_owned),
    };
    let command = StartRun {
        plan: "$a = COMPUTE 1\n$b = COMPUTE $a + 1\n$c = COMPUTE $b + 1\n$d = COMPUTE $c + 1".into(),
        inputs: Map::new(),
        paused: false,
        breakpoints: vec![bp(Some("b"), None, None), bp(None, Some("b"), None), bp(None, None, Some("$c >= 3"))],
    };
    let run = world.begin(&command, &scope).unwrap();
    let go_on = |world: &mut World| {
        world.finish(&run);
        let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
        (view.row.status, view.row.done, view.paused_at.unwrap_or_default())
    };
    let proceed = |world: &mut World| {
        let decision = world.plans.continue_run(&world.context(), &ContinueRun { run: run.clone() }).unwrap();
        world.commit(decision.drafts);
    };
    assert_eq!(go_on(&mut world), ("paused".into(), 1, "before $b".into()));
    let edit = |world: &mut World, binding: &str, value: i64| {
        let command = EditBinding { run: run.clone(), binding: binding.into(), value: value.into() };
        world.plans.edit_binding(&world.context(), &command).map(|d| world.commit(d.drafts)).map_err(|r| r.code)
    };
    edit(&mut world, "a", 10).unwrap();
    assert_eq!(edit(&mut world, "e", 10), Err("unknown-binding".to_owned()));
    proceed(&mut world);
    assert_eq!(go_on(&mut world), ("paused".into(), 2, "$b has its value".into()));
    assert_eq!(edit(&mut world, "a", 11), Err("already-used".to_owned()));
    proceed(&mut world);
    assert_eq!(go_on(&mut world), ("paused".into(), 3, "$c >= 3 holds".into()));
    let step = world
        .plans
        .step_run(&world.context(), &StepRun { run: run.clone() }, &world.shelf, &NoEvidence(&world.env))
        .unwrap();
    world.commit(step.drafts);
    assert_eq!(go_on(&mut world).0, "done");
    assert_eq!(world.plans.values(&run)["d"].value, 13.into());
    for never in [bp(Some("x"), None, None), bp(None, None, Some("$x > 1"))] {
        let wrong = StartRun { breakpoints: vec![never], ..command.clone() };
        assert_eq!(world.begin(&wrong, &scope).unwrap_err().code, "bad-breakpoint");
    }
}

#[test]
fn a_breakpoint_at_the_last_value_holds_the_run_until_it_goes_on() {
    for (binding, when) in [(Some("b".to_owned()), None), (None, Some("$b == 2".to_owned()))] {
        let mut world = world();
        let command = StartRun {
            plan: "$a = COMPUTE 1\n$b = COMPUTE $a + 1".into(),
            inputs: Map::new(),
            paused: false,
            breakpoints: vec![Breakpoint { step: None, binding, when }],
        };
        let run = world.begin(&command, &Scope::of(&world.domain)).unwrap();
        world.finish(&run);
        let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
        assert_eq!((view.row.status.as_str(), view.row.done), ("paused", 2), "{:?}", view.breakpoints);
        let decision = world.plans.continue_run(&world.context(), &ContinueRun { run: run.clone() }).unwrap();
        world.commit(decision.drafts);
        world.finish(&run);
        assert_eq!(world.plans.run(&run, &at(u64::MAX)).unwrap().row.status, "done");
    }
}

#[test]
fn a_rerun_reuses_what_does_not_change_and_says_what_it_did_with_the_rest() {
    let mut world = world();
    let first = start(&mut world, STORY);
    world.finish(&first);
    let made = world.made.len();
    let mut again = |edits: &str, more: Rerun| {
        let edits = json::read_value(edits).unwrap().as_map().unwrap().clone();
        let command = Rerun { run: first.clone(), edits, ..more };
        let decision = world.plans.rerun(&world.context(), &command, &Scope::of(&world.domain)).unwrap();
        let run = decision.result.get("run").unwrap().as_str().unwrap().to_owned();
        world.commit(decision.drafts);
        world.finish(&run);
        let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
        let marks: Vec<_> = view.steps.iter().map(|s| s.mark.clone().unwrap_or_else(|| s.status.clone())).collect();
        (marks.join(" "), view.steps[6].output.to_json(), world.made.len() - made)
    };
    let null = again("{}", Rerun { from: Some("rate".into()), ..Rerun::default() });
    assert_eq!(
        null,
        ("reused reused reused reused reused reused reused".into(), "[\"done\",true]".into(), 0),
        "a null edit reuses everything"
    );
    let edited = again(r#"{"limit": 91.5}"#, Rerun::default());
    assert_eq!(
        edited,
        ("reused reused edited recomputed reused stubbed recomputed".into(), "[\"done\",false]".into(), 0)
    );
    let live = again(r#"{"limit": 91.5}"#, Rerun { effects: Some("live".into()), ..Rerun::default() });
    assert_eq!((live.0.as_str(), live.2), ("reused reused edited recomputed reused live recomputed", 1));
    let stubbed = again(
        r#"{"limit": 91.5}"#,
        Rerun { stubs: Map::from_iter([("paid".to_owned(), "stub".into())]), ..Rerun::default() },
    );
    assert_eq!(stubbed.1, "[\"stub\",false]");
    let same_value = again(r#"{"limit": 90.0}"#, Rerun::default());
    assert_eq!(
        same_value.0, "reused reused reused reused reused reused reused",
        "an edit that changes nothing is none"
    );
    let fresh = again("{}", Rerun { from: Some("w".into()), fresh: true, ..Rerun::default() });
    assert_eq!((fresh.0.as_str(), fresh.2), ("reused reused reused reused live reused reused", 2));
    let plan = STORY.replace("COMPUTE 90", "COMPUTE 91").into();
    assert_eq!(
        again("{}", Rerun { plan, ..Rerun::default() }).0,
        "reused reused recomputed recomputed reused stubbed recomputed"
    );
}

#[test]
fn in_a_run_that_is_over_nothing_runs_any_more() {
    let mut world = world();
    let run = start(&mut world, "$w = CALL weather()\n$x = COMPUTE $w");
    let advance = world.plans.advance(&world.context(), &run, &world.shelf, &NoEvidence(&world.env));
    world.commit(advance.drafts);
    let pending = world.plans.run(&run, &at(u64::MAX)).unwrap();
    assert_eq!((pending.steps[0].status.as_str(), pending.steps[1].status.as_str()), ("running", "waiting"));
    let cancel = CancelRun { run: run.clone() };
    let decision = world.plans.cancel_run(&world.context(), &cancel).unwrap();
    world.commit(decision.drafts);
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    let states: Vec<_> = view.steps.iter().map(|s| (s.status.as_str(), s.error.as_deref().unwrap_or(""))).collect();
    let given_up = ("skipped", "the run ended before this step had a value");
    assert_eq!((view.row.status.as_str(), states), ("cancelled", vec![given_up, ("waiting", "")]));
}

#[test]
fn a_diagnosis_of_a_text_that_is_computed_with_leads_to_the_text() {
    let (world, run) = check(
        "$r = GET draft\n$x = EXTRACT $r PATTERN r\"rate: ([0-9.]+)\"\n$y = COMPUTE $x + 1",
        "failed: wrong-type",
    );
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    let found = throughline_plan::diagnose::run(&view, None);
    assert_eq!(found.suggestion, "$x is the text \"90.1\": write `number($x)` in $y, or take it `AS number` in $x");
    check(&found.repaired.unwrap(), "91.1");
    let (world, run) = check("$a = COMPUTE {k: 1}\n$b = COMPUTE $a.kk + 1", "failed: wrong-type");
    let found = throughline_plan::diagnose::run(&world.plans.run(&run, &at(u64::MAX)).unwrap(), None);
    assert!(found.suggestion.contains("?? …"), "{}", found.suggestion);
}

#[test]
fn a_diagnosis_names_the_cause_the_near_miss_and_a_change_that_works() {
    let (world, run) = check(
        "$r = GET draft\n$x = EXTRACT $r PATTERN r\"Yield: ([0-9.]+)\" AS number\n$y = COMPUTE $x * 2",
        "blocked: ",
    );
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    let found = throughline_plan::diagnose::run(&view, None);
    assert!(
        found.cause.starts_with("$x (EXTRACT) failed: the pattern `Yield: ([0-9.]+)` matches nothing"),
        "{}",
        found.cause
    );
    assert!(found.cause.ends_with("$y has no value because of it."));
    assert_eq!(found.near.as_ref().unwrap().document, "report.txt");
    let repaired = found.repaired.unwrap();
    check(&repaired, "180.2");
    let (world, run) = check("$i = GET items\n$x = EXTRACT $i JSONPATH \"$[0].att\"", "failed: value-missing");
    let repaired =
        throughline_plan::diagnose::run(&world.plans.run(&run, &at(u64::MAX)).unwrap(), None).repaired.unwrap();
    check(&repaired, "\"2026-01-05T00:00:00Z\"");
    let (world, run) = check("$x = COMPUTE 1", "1");
    assert_eq!(
        throughline_plan::diagnose::run(&world.plans.run(&run, &at(u64::MAX)).unwrap(), None).cause,
        "Nothing failed."
    );
}

#[test]
fn a_chain_of_a_thousand_steps_costs_in_proportion_to_its_steps() {
    let time = |steps: usize| {
        let mut world = world();
        let chain: String = (1..steps).map(|i| format!("$s{i} = COMPUTE $s{} + 1\n", i - 1)).collect();
        let run = start(&mut world, &format!("$s0 = COMPUTE 0\n{chain}"));
        let began = std::time::Instant::now();
        world.finish(&run);
        assert_eq!(world.plans.status(&run), Some("done"));
        began.elapsed().as_secs_f64()
    };
    // The best of three: other work on the machine only adds.
    let best = |steps: usize| (0..3).map(|_| time(steps)).fold(f64::MAX, f64::min).max(1e-4);
    let (short, long) = (best(250), best(1_000));
    println!("a chain of 250 steps {short:.4} s, of 1000 {long:.4} s: {:.1} times", long / short);
    assert!(long / short < 10.0, "four times as many steps took {:.1} times as long", long / short);
    let _ = NOW;
}
