//! Runs: what they give, what they record, and that they go on from any record.

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
use throughline_plan::{Scope, ToolCall, ToolError, ToolRule};
use throughline_protocol::command::{CancelRun, ContinueRun, StartRun, StepRun};
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Span, Value, json};

const SCANS: &str = "{\"scans\": [{\"time\": \"2026-03-01T09:00:00+08:00\", \"place\": \"Ulm\"},\n {\"time\": \"2026-03-01T21:30:00+08:00\", \"place\": \"last seen in Köln at gate\"}], \"fee\": 12.50}";
const REPORT: &str =
    "Quarterly report\u{c}The yield rate was 91.70%.\nDelivery: 30 days.\u{c}Appendix: yield rate 90.1%.";

fn shelf() -> Shelf {
    Shelf::default().with("scans.json", "application/json", SCANS).with("report.txt", "text/plain", REPORT)
}

fn scope() -> Scope {
    Scope::new()
        .source("carrier_scans", "scans.json")
        .source("report", "report.txt")
        .source("missing", "nowhere.txt")
        .source_tool("live", "weather")
        .tool("weather", ToolRule::default())
        .tool("refund", ToolRule { writes: true, ..ToolRule::default() })
        .pattern("days", r"Delivery: (\d+) days")
        .names(["facts"])
}

fn inputs(text: &str) -> Map {
    json::read_value(text).unwrap().as_map().unwrap().clone()
}

/// Runs a plan to its end and compares status and values.
#[track_caller]
fn gives(plan: &str, expected: &str) -> (World, String) {
    let mut world = World::new(shelf());
    world.answer = tool;
    let run = world.start(plan, inputs("{\"order\": \"PZ-7\"}"), &scope()).unwrap();
    world.finish(&run);
    assert_eq!(world.summary(&run), expected, "{plan}");
    (world, run)
}

fn tool(call: &ToolCall) -> Result<Value, ToolError> {
    match call.tool.as_str() {
        "weather" => Ok(json::read_value(r#"{"city": "Ulm", "degrees": 21.50}"#).unwrap()),
        "refund" => Ok([("refunded", call.args.get("order").cloned().unwrap_or_default())].into()),
        _ => common::no_tool(call),
    }
}

const STORY: &str = r#"
$scans = GET carrier_scans
$last  = EXTRACT $scans JSONPATH "$.scans[-1].time" AS instant
$place = EXTRACT $scans JSONPATH "$.scans[-1].place"
$city  = EXTRACT $place PATTERN r"last seen in (\w+)" AS text
$quiet = COMPUTE now - instant($last)
$late  = IF $quiet > duration("24h") THEN "yes" ELSE "no"
"#;

#[test]
fn the_story_of_a_late_parcel_comes_out_with_its_evidence() {
    let (world, run) = gives(
        STORY,
        "done scans={\"document\":\"scans.json\",\"version\":1,\"media_type\":\"application/json\",\"bytes\":159,\"pages\":1,\"hash\":\"HASH\"} last=\"2026-03-01T21:30:00+08:00\" place=\"last seen in Köln at gate\" city=\"Köln\" quiet=\"PT34H30M\" late=\"yes\""
            .replace("HASH", &throughline_journal::Digest::of_bytes(SCANS.as_bytes()))
            .as_str(),
    );
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    assert_eq!(view.waves, [vec!["scans"], vec!["last", "place"], vec!["city", "quiet"], vec!["late"]]);
    for step in &view.steps[1..] {
        for evidence in &step.evidence {
            assert_eq!(&SCANS[evidence.span.start..evidence.span.end], evidence.quote, "{}", step.id);
            assert_eq!((evidence.document.as_str(), evidence.version, evidence.page), ("scans.json", 1, 1));
        }
        assert!(!step.evidence.is_empty(), "{} rests on something", step.id);
    }
    let quote = |id: &str| view.steps.iter().find(|s| s.id == id).unwrap().evidence[0].quote.clone();
    assert_eq!((quote("city").as_str(), quote("late").as_str()), ("Köln", "2026-03-01T21:30:00+08:00"));
    let quiet = view.steps.iter().find(|s| s.id == "quiet").unwrap();
    assert_eq!(quiet.input.get("$last").and_then(Value::as_str), Some("2026-03-01T21:30:00+08:00"));
    assert_eq!((quiet.attempts, quiet.duration), (1, Some(0)));
}

#[test]
fn evidence_has_the_page_the_bytes_and_the_hash_of_what_it_was_taken_from() {
    let (world, run) = gives(
        "$r = GET report\n$rate = EXTRACT $r PATTERN r\"rate (?:was )?([\\d.]+)%\" LAST AS number\n$days = EXTRACT $r PATTERN days AS integer\n$x = COMPUTE $rate * $days",
        &format!(
            "done r={{\"document\":\"report.txt\",\"version\":1,\"media_type\":\"text/plain\",\"bytes\":{},\"pages\":3,\"hash\":\"{}\"}} rate=90.1 days=30 x=2703",
            REPORT.len(),
            throughline_journal::Digest::of_bytes(REPORT.as_bytes())
        ),
    );
    let values = world.plans.values(&run);
    let start = REPORT.rfind("90.1").unwrap();
    let expected = Evidence {
        document: "report.txt".into(),
        version: 1,
        page: 3,
        span: Span::new(start, start + 4),
        quote: "90.1".into(),
        hash: throughline_journal::Digest::of_bytes(REPORT.as_bytes()),
        method: "pattern".into(),
    };
    assert_eq!(values["rate"].evidence, [expected]);
    assert_eq!(values["rate"].confidence.as_ref().unwrap().as_str(), "0.5", "chosen from two that differ");
    assert_eq!(values["x"].evidence.len(), 2, "a computed value rests on all it was computed from");
    assert_eq!(values["x"].confidence.as_ref().unwrap().as_str(), "0.5");
}

#[test]
fn a_failure_blocks_exactly_its_dependents_and_names_the_near_miss() {
    let (world, run) = gives(
        "$s = GET carrier_scans\n$bad = EXTRACT $s JSONPATH \"$.fees\" AS number\n$next = COMPUTE $bad + 1\n$far = COMPUTE $next + 1\n$fee = EXTRACT $s JSONPATH \"$.fee\" AS number\n$ok = COMPUTE $fee * 2",
        &format!(
            "failed s={} bad:failed next:blocked far:blocked fee=12.50 ok=25",
            doc(SCANS, "scans.json", "application/json")
        ),
    );
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    let error = |id: &str| view.steps.iter().find(|s| s.id == id).unwrap().error.clone().unwrap();
    assert_eq!(error("bad"), "nothing is at $.fees: $ has no `fees`, it has scans, fee; `fee` is near");
    assert_eq!(error("next"), "$bad, which it needs, has no value");
    assert_eq!(error("far"), "$next, which it needs, has no value since $bad has none");
    assert_eq!((view.row.done, view.row.total), (3, 6));
}

fn doc(text: &str, name: &str, media_type: &str) -> String {
    let hash = throughline_journal::Digest::of_bytes(text.as_bytes());
    let pages = text.matches('\u{c}').count() + 1;
    format!(
        "{{\"document\":\"{name}\",\"version\":1,\"media_type\":\"{media_type}\",\"bytes\":{},\"pages\":{pages},\"hash\":\"{hash}\"}}",
        text.len()
    )
}

#[test]
fn steps_fail_with_codes_and_defaults_stand_in_for_missing_values_only() {
    let s = doc(SCANS, "scans.json", "application/json");
    gives("$m = GET missing\n$x = EXTRACT $m PATTERN r\"(a)\"", "failed m:failed x:blocked");
    gives("$s = GET carrier_scans\n$x = EXTRACT $s JSONPATH \"$.none\" DEFAULT 7 * 6", &format!("done s={s} x=42"));
    gives(
        "$s = GET carrier_scans\n$x = EXTRACT $s JSONPATH \"$.fee\" AS integer DEFAULT 1",
        &format!("failed s={s} x:failed"),
    );
    gives("$s = GET carrier_scans\n$x = EXTRACT $s JSONPATH \"$.scans[*].place\"", &format!("failed s={s} x:failed"));
    gives(
        "$s = GET carrier_scans\n$x = EXTRACT $s JSONPATH \"$.scans[*].time\" ALL",
        &format!("done s={s} x=[\"2026-03-01T09:00:00+08:00\",\"2026-03-01T21:30:00+08:00\"]"),
    );
    gives("$x = COMPUTE 1 / 0", "failed x:failed");
    gives("$x = IF $order THEN 2 ELSE 3", "failed x:failed");
    gives("$x = EXTRACT $order PATTERN r\"PZ-(\\d+)\" AS integer\n$y = COMPUTE $x + 1", "done x=7 y=8");
}

#[test]
fn only_the_branch_that_is_taken_runs() {
    gives(
        "$s = GET carrier_scans\n$fee = EXTRACT $s JSONPATH \"$.fee\" AS number\n$r = CALL refund(order: $order)\n$bad = COMPUTE 1 / 0\n$worse = COMPUTE $bad + 1\n$x = IF $fee > 10 THEN $r.refunded ELSE $worse",
        &format!(
            "done s={} fee=12.50 r={{\"refunded\":\"PZ-7\"}} bad:skipped worse:skipped x=\"PZ-7\"",
            doc(SCANS, "scans.json", "application/json")
        ),
    );
    let (world, _) = gives(
        "$r = CALL refund(order: $order)\n$x = IF 1 > 2 THEN $r.refunded ELSE \"none\"",
        "done r:skipped x=\"none\"",
    );
    assert!(world.made.is_empty(), "a tool of the other branch is not called");
    gives(
        "$r = CALL refund(order: $order)\n$x = IF 1 / 0 > 2 THEN $r.refunded ELSE \"none\"",
        "failed r:skipped x:failed",
    );
    gives("$b = COMPUTE 1 / 0\n$x = IF 1 < 2 THEN $b ELSE 1", "failed b:failed x:blocked");
}

#[test]
fn tools_are_called_after_their_record_and_their_results_are_documents_of_their_own() {
    let (world, run) = gives(
        "$w = GET live\n$t = EXTRACT $w JSONPATH \"$.degrees\" AS number\n$c = CALL refund(order: [$order, $t])\n$y = COMPUTE $c.refunded[1] + 1",
        "done w={\"city\":\"Ulm\",\"degrees\":21.50} t=21.50 c={\"refunded\":[\"PZ-7\",21.50]} y=22.5",
    );
    let values = world.plans.values(&run);
    let evidence = &values["t"].evidence[0];
    assert_eq!((evidence.document.as_str(), evidence.version, evidence.quote.as_str()), ("live", 0, "21.50"));
    assert_eq!(values["y"].evidence[0].method, "tool");
    let call = ToolCall { run: run.clone(), step: "w".to_owned(), attempt: 1, ..ToolCall::default() };
    let again =
        world.plans.finish_call(&world.context(), &call, Ok(Value::Null), &world.shelf, &NoEvidence(&world.env));
    assert!(again.is_empty(), "a result comes once");
    // Two calls, two keys; the same call has the same key.
    assert_eq!(world.made.len(), 2);
    assert_ne!(world.made[0], world.made[1]);
}

#[test]
fn a_failing_tool_fails_its_step_and_nothing_hangs() {
    let mut world = World::new(shelf());
    let run = world.start("$w = GET live\n$t = COMPUTE $w.degrees\n$o = COMPUTE 1", Map::new(), &scope()).unwrap();
    world.finish(&run);
    assert_eq!(world.summary(&run), "failed w:failed t:blocked o=1");
}

/// Every prefix of the records, folded anew and carried on, must end as the whole did.
fn ends_alike_from_every_prefix(plan: &str) {
    let mut whole = World::new(shelf());
    whole.answer = tool;
    let run = whole.start(plan, inputs("{\"order\": \"PZ-7\"}"), &scope()).unwrap();
    whole.finish(&run);
    let records: Vec<_> = whole.journal.records().cloned().collect();
    let content = |world: &World| {
        let mut digest = throughline_journal::Digest::new("content");
        world.plans.digest_content(&mut digest, NOW);
        digest.finish()
    };
    for end in 1..=records.len() {
        let mut world = whole.reloaded(&records[..end]);
        let done_before: Vec<_> = records[..end]
            .iter()
            .filter(|r| r.kind == "step.finished" || r.kind == "step.failed")
            .map(|r| r.data().get("step").unwrap().clone())
            .collect();
        world.finish(&run);
        assert_eq!(world.summary(&run), whole.summary(&run), "from record {end}");
        assert_eq!(content(&world), content(&whole));
        let again: Vec<_> = world
            .journal
            .records()
            .filter(|r| r.kind == "step.finished" || r.kind == "step.failed")
            .map(|r| r.data().get("step").unwrap().clone())
            .collect();
        assert!(done_before.iter().all(|step| !again.contains(step)), "a finished step is never repeated");
        // Time travel shows every moment as it was then.
        for seq in 1..=end as u64 {
            assert_eq!(world.plans.run(&run, &at(seq)), whole.plans.run(&run, &at(seq)), "at {seq}");
        }
        let mut keys: Vec<_> = whole.made.clone();
        keys.retain(|k| world.made.contains(k));
        assert_eq!(keys.len(), world.made.len(), "a call that is made again has its old key");
    }
}

#[test]
fn a_run_that_was_broken_off_at_any_record_ends_as_the_whole_one() {
    ends_alike_from_every_prefix(STORY);
    ends_alike_from_every_prefix(
        "$w = GET live\n$s = GET carrier_scans\n$t = EXTRACT $w JSONPATH \"$.degrees\" AS number\n$bad = EXTRACT $s JSONPATH \"$.no\"\n$z = COMPUTE $bad\n$a = CALL refund(order: $order)\n$b = COMPUTE 1 / 0\n$i = IF $t > 20 THEN $a.refunded ELSE $b",
    );
}

#[test]
fn a_paused_run_does_one_step_at_a_time_and_then_goes_on() {
    let mut world = World::new(shelf());
    let command = StartRun { plan: STORY.into(), inputs: Map::new(), paused: true, breakpoints: Vec::new() };
    let run = world.begin(&command, &scope()).unwrap();
    assert!(!world.round(&run), "a paused run does nothing by itself");
    let step = StepRun { run: run.clone() };
    for expected in [1, 2] {
        let advance = world.plans.step_run(&world.context(), &step, &world.shelf, &NoEvidence(&world.env)).unwrap();
        world.commit(advance.drafts);
        let row = world.plans.rows(&at(u64::MAX)).remove(0);
        assert_eq!((row.status.as_str(), row.done), ("paused", expected));
    }
    let decision = world.plans.continue_run(&world.context(), &ContinueRun { run: run.clone() }).unwrap();
    world.commit(decision.drafts);
    world.finish(&run);
    assert!(world.summary(&run).starts_with("done "));
    let over = world.plans.step_run(&world.context(), &step, &world.shelf, &NoEvidence(&world.env));
    assert_eq!(over.unwrap_err().code, "run-over");
}

#[test]
fn a_paused_run_that_has_nothing_left_is_over() {
    let mut world = World::new(shelf());
    let run = world
        .begin(
            &StartRun { plan: "$a = COMPUTE 1".into(), inputs: Map::new(), paused: true, breakpoints: Vec::new() },
            &scope(),
        )
        .unwrap();
    let advance = world
        .plans
        .step_run(&world.context(), &StepRun { run: run.clone() }, &world.shelf, &NoEvidence(&world.env))
        .unwrap();
    assert!(world.plans.running().is_empty(), "a paused run with steps left waits");
    world.commit(advance.drafts);
    assert_eq!(world.plans.running(), std::slice::from_ref(&run), "it only has to end");
    world.finish(&run);
    assert_eq!(world.summary(&run), "done a=1");
    assert!(world.plans.running().is_empty());
}

#[test]
fn a_cancelled_run_stops_and_says_so() {
    let mut world = World::new(shelf());
    world.answer = tool;
    let run = world.start("$w = GET live\n$x = COMPUTE $w.degrees", Map::new(), &scope()).unwrap();
    let advance = world.plans.advance(&world.context(), &run, &world.shelf, &NoEvidence(&world.env));
    world.commit(advance.drafts);
    let cancel = CancelRun { run: run.clone() };
    let decision = world.plans.cancel_run(&world.context(), &cancel).unwrap();
    world.commit(decision.drafts);
    world.make(&advance.calls[0]);
    world.finish(&run);
    assert_eq!(world.summary(&run), "cancelled w={\"city\":\"Ulm\",\"degrees\":21.50} x:waiting");
    assert!(world.plans.cancel_run(&world.context(), &cancel).unwrap().drafts.is_empty());
    let continued = world.plans.continue_run(&world.context(), &ContinueRun { run });
    assert_eq!(continued.unwrap_err().code, "run-over");
}

#[test]
fn a_plan_with_errors_is_refused_with_all_of_them_and_no_step_has_run() {
    let mut world = World::new(shelf());
    let refusal = world.start("$a = GET nowhere\n$b = COMPUTE $c", Map::new(), &scope()).unwrap_err();
    assert_eq!((refusal.code.as_str(), refusal.path.as_deref()), ("plan-invalid", Some("/plan")));
    let codes = refusal.details.get("diagnostics").unwrap().as_list().unwrap().iter();
    let codes: Vec<_> = codes.map(|d| d.get("code").unwrap().as_str().unwrap()).collect();
    assert_eq!(codes, ["unused-step", "unknown-source", "undeclared-binding"]);
    assert_eq!(world.journal.head().seq, 0);
    let unknown = world.plans.cancel_run(&world.context(), &CancelRun { run: "run_x".into() });
    assert_eq!(unknown.unwrap_err().code, "unknown-run");
}

#[test]
fn records_that_cannot_be_read_are_counted_and_change_nothing() {
    let (mut world, run) = gives("$x = COMPUTE 1", "done x=1");
    let before = world.plans.run(&run, &at(u64::MAX));
    for (kind, data) in [
        ("step.finished", r#"{"run": "RUN", "step": "x", "output": 2}"#),
        ("step.finished", r#"{"run": "RUN", "step": "y", "output": 2}"#),
        ("step.finished", "null"),
        ("run.started", "[]"),
        ("run.paused", r#"{"run": "none"}"#),
        ("fact.asserted", "null"),
    ] {
        let data = json::read_value(&data.replace("RUN", &run)).unwrap();
        world.commit(vec![throughline_journal::Draft::new(kind, data)]);
    }
    assert_eq!(world.plans.quarantined(), 5);
    assert_eq!(world.plans.run(&run, &at(u64::MAX)), before);
}

#[test]
fn a_later_version_of_a_document_does_not_reach_into_a_run_that_has_read_it() {
    let mut world = World::new(shelf());
    let run =
        world.start("$s = GET carrier_scans\n$fee = EXTRACT $s JSONPATH \"$.fee\"", Map::new(), &scope()).unwrap();
    world.round(&run);
    world.shelf = world.shelf.clone().with("scans.json", "application/json", "{\"fee\": 99}");
    world.finish(&run);
    assert!(world.summary(&run).ends_with("fee=12.50"), "{}", world.summary(&run));
}

#[test]
fn long_and_wide_plans_run_in_as_many_waves_as_they_have() {
    let chain: String = (1..300).map(|i| format!("$s{i} = COMPUTE $s{} + 1\n", i - 1)).collect();
    let mut world = World::new(shelf());
    let run = world.start(&format!("$s0 = COMPUTE 0\n{chain}"), Map::new(), &scope()).unwrap();
    world.finish(&run);
    assert_eq!(world.plans.values(&run)["s299"].value, 299.into());
    let wide: String = (0..1_000).map(|i| format!("$s{i} = COMPUTE {i}\n")).collect();
    let run = world.start(&wide, Map::new(), &scope()).unwrap();
    let mut rounds = 0;
    while world.round(&run) {
        rounds += 1;
    }
    assert_eq!(rounds, 1_000_usize.div_ceil(64) + 1);
    assert!(world.summary(&run).starts_with("done "));
}

#[test]
fn values_stand_in_paths_and_patterns_as_literals_and_nothing_else() {
    let parcels = r#"{"parcels": [{"n": "A", "w": 1}, {"n": "B\"' || true", "w": 2}, {"n": 7, "w": 3}]}"#;
    let text = "A: one\n.*: two\nB: three";
    let gives = |key: &str, expected: &str| {
        let mut world =
            World::new(Shelf::default().with("p", "application/json", parcels).with("t", "text/plain", text));
        let plan = "$p = GET p\n$t = GET t\n$w = EXTRACT $p JSONPATH \"$.parcels[?@.n == {$key}].w\" DEFAULT 0\n$x = EXTRACT $t PATTERN r\"(?m)^{$key}: (\\w+)$\" DEFAULT \"none\"\n$r = COMPUTE [$w, $x]";
        let scope = Scope::new().source("p", "p").source("t", "t");
        let inputs = Map::from_iter([("key".to_owned(), json::read_value(key).unwrap())]);
        let run = world.start(plan, inputs, &scope).unwrap();
        world.finish(&run);
        let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
        assert_eq!(view.steps[4].output.to_json(), expected, "{key}: {:?}", view.steps);
    };
    gives("\"A\"", "[1,\"one\"]");
    gives("\"B\\\"' || true\"", "[2,\"none\"]");
    gives("\".*\"", "[0,\"two\"]");
    gives("7", "[3,\"none\"]");
    gives("\"{$t}\"", "[0,\"none\"]");
    gives("[1]", "null");
}

#[test]
fn what_is_too_large_to_record_or_to_send_is_said_by_name() {
    let mut world = World::new(Shelf::default().with("t", "text/plain", &"x".repeat(100_000)));
    world.answer = tool;
    let plan =
        "$t = GET t\n$x = EXTRACT $t PATTERN r\"(?s)(.+)\"\n$n = COMPUTE $x == \"y\"\n$c = CALL refund(order: $x)";
    let scope = Scope::new().source("t", "t").tool("refund", ToolRule::default());
    let run = world.start(plan, Map::new(), &scope).unwrap();
    world.finish(&run);
    let view = world.plans.run(&run, &at(u64::MAX)).unwrap();
    assert_eq!(view.steps[2].output, false.into());
    assert!(view.steps[2].input.get("omitted_bytes").is_some());
    assert!(view.steps[3].error.as_ref().unwrap().starts_with("the arguments have 100002 bytes"));
    assert!(view.steps[3].input.get("omitted_bytes").is_some());
    let quote = &view.steps[1].evidence[0];
    assert_eq!((quote.quote.len(), quote.span.end), (1024, 100_000));
    assert!(world.made.is_empty());
}
