//! Answers with footnotes from evidence.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail"
)]

#[path = "common/world.rs"]
mod common;

use common::{Shelf, World};
use throughline_expr::{Env, MapEnv};
use throughline_plan::Scope;
use throughline_plan::answer::{AnswerScope, NoEvidence, RunScope, render};
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Value};

fn run() -> (World, String) {
    let text = "rate 91.70%\u{c}threshold 90%";
    let mut world = World::new(Shelf::default().with("r.txt", "text/plain", text));
    let plan = "$r = GET r\n$rate = EXTRACT $r PATTERN r\"rate ([\\d.]+)\" AS number\n$limit = EXTRACT $r PATTERN r\"threshold (\\d+)\" AS number\n$gap = COMPUTE $rate - $limit\n$ok = IF $gap >= 0 THEN \"yes\" ELSE \"no\"\n$free = COMPUTE 6 * 7";
    let run = world.start(plan, Map::new(), &Scope::new().source("r", "r.txt")).unwrap();
    world.finish(&run);
    (world, run)
}

#[track_caller]
fn check(template: &str, text: &str, footnotes: &[(u32, &str, &str, &[&str])], unsupported: &[&str]) {
    let (world, run) = run();
    let env = MapEnv::new().at(common::NOW).with("facts", Value::from([("budget", 800)]));
    let outer = NoEvidence(&env);
    let values = world.plans.values(&run);
    let view = render(template, "the template", &RunScope::new(&values, &outer)).unwrap();
    assert_eq!(view.text, text);
    let got: Vec<_> = view
        .footnotes
        .iter()
        .map(|f| {
            (
                f.number,
                f.value.as_str(),
                f.name.as_str(),
                f.evidence.iter().map(|e| e.quote.as_str()).collect::<Vec<_>>(),
            )
        })
        .collect();
    let expected: Vec<_> = footnotes.iter().map(|(n, v, name, q)| (*n, *v, *name, q.to_vec())).collect();
    assert_eq!(got, expected);
    assert_eq!(view.unsupported, unsupported);
    assert_eq!(view.from, "the template");
}

#[test]
fn every_value_that_rests_on_evidence_gets_its_footnote_once() {
    check(
        "Rate {{ $rate }}%, again {{ rate }}, limit {{ limit }}: {{ $ok }}.",
        "Rate 91.70[1]%, again 91.70[1], limit 90[2]: yes[3].",
        &[(1, "91.70", "$rate", &["91.70"]), (2, "90", "limit", &["90"]), (3, "yes", "$ok", &["91.70", "90"])],
        &[],
    );
}

#[test]
fn a_figure_that_rests_on_nothing_is_listed_and_the_authors_own_words_are_not() {
    check(
        "Within 24 hours {{ 3 + 4 }} of {{ $free }} and {{ facts.budget }}, {{ facts.budget }}.",
        "Within 24 hours 7 of 42 and 800, 800.",
        &[],
        &["42", "800"],
    );
    check(
        "{% if $gap > 1 %}above by {{ $gap }}{% else %}below{% endif %}",
        "above by 1.7[1]",
        &[(1, "1.7", "$gap", &["91.70", "90"])],
        &[],
    );
}

#[test]
fn values_are_text_and_never_templates() {
    let mut world =
        World::new(Shelf::default().with("r.txt", "text/plain", "name: {{ $secret }} {% raw %} [1] $rate #E1"));
    let plan = "$r = GET r\n$name = EXTRACT $r PATTERN r\"name: (.+)\"";
    let run = world.start(plan, Map::new(), &Scope::new().source("r", "r.txt")).unwrap();
    world.finish(&run);
    let env = MapEnv::new();
    let outer = NoEvidence(&env);
    let values = world.plans.values(&run);
    let view = render("{{ $name }}", "t", &RunScope::new(&values, &outer)).unwrap();
    assert_eq!(view.text, "{{ $secret }} {% raw %} [1] $rate #E1[1]");
    assert_eq!(render("{{ $nme }}", "t", &RunScope::new(&values, &outer)).unwrap_err().code(), "unknown-name");
}

struct Facts(MapEnv);

impl Env for Facts {
    fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name)
    }
}

impl AnswerScope for Facts {
    fn evidence(&self, path: &[String]) -> Vec<Evidence> {
        let name = path.join(".");
        vec![throughline_plan::evidence::given(&name, &"800".into(), "fact")]
    }
}

#[test]
fn facts_bring_their_own_evidence_also_into_computed_steps() {
    let facts = Facts(MapEnv::new().with("facts", Value::from([("budget", 800)])));
    let mut world = World::new(Shelf::default());
    let scope = Scope::new().names(["facts"]);
    let run = world.start("$half = COMPUTE facts.budget / 2", Map::new(), &scope).unwrap();
    let advance = world.plans.advance(&world.context(), &run, &world.shelf, &facts);
    world.commit(advance.drafts);
    let values = world.plans.values(&run);
    let view = render("{{ $half }} {{ facts.budget }}", "t", &RunScope::new(&values, &facts)).unwrap();
    assert_eq!(view.text, "400[1] 800[1]");
    assert_eq!(
        (view.footnotes[0].evidence[0].document.as_str(), view.footnotes[0].evidence[0].method.as_str()),
        ("facts.budget", "fact")
    );
}

#[test]
fn an_answer_is_verified_against_the_documents_as_they_are() {
    let (mut world, run) = run();
    let env = MapEnv::new();
    let outer = NoEvidence(&env);
    let values = world.plans.values(&run);
    let mut answer = render("{{ $rate }} {{ $gap }}", "t", &RunScope::new(&values, &outer)).unwrap();
    let failures = |answer: &throughline_protocol::view::AnswerView, world: &World| {
        throughline_plan::answer::verify(answer, &world.shelf).into_iter().map(|(n, f)| (n, f.code)).collect::<Vec<_>>()
    };
    assert_eq!(failures(&answer, &world), []);
    answer.footnotes[0].evidence[0].quote = "99.9".to_owned();
    assert_eq!(failures(&answer, &world), [(1, "quote-differs")]);
    world.shelf.0.get_mut("r.txt").unwrap()[0].1 = "rate 12.34%".to_owned();
    assert_eq!(failures(&answer, &world)[0], (1, "hash-differs"));
    world.shelf = Shelf::default();
    assert_eq!(failures(&answer, &world).len(), 3);
    assert_eq!(failures(&answer, &world)[2], (2, "document-missing"));
}
