//! Episodes and forgetting by policy.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "helper/keeper.rs"]
mod keeper;

use keeper::Keeper;
use throughline_memory::episodes::{Episode, Scale};
use throughline_memory::{Candidate, Policy};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

fn texts(episode: &Episode) -> Vec<&str> {
    episode.events.iter().map(|e| e.text.as_str()).collect()
}

/// Events as (minute, text, entity), remembered in the order of `places`.
fn remember(events: &[(i64, String, &str)], places: &[usize]) -> (Keeper, Vec<String>) {
    let mut keeper = Keeper::default();
    let mut ids = vec![String::new(); events.len()];
    for place in places {
        let (minute, text, entity) = &events[*place];
        ids[*place] = keeper.add("seen", text, minute * MINUTE, &[entity]);
    }
    (keeper, ids)
}

#[test]
fn an_episode_ends_at_a_pause_or_where_nothing_of_the_last_events_comes_again() {
    let events: Vec<(i64, String, &str)> = [
        (0, "kettle filled", "kettle"),
        (2, "kettle boils", "kettle"),
        (12, "kettle poured over tea", "cup"),
        (20, "window opened", "window"),
        (21, "cold air", "window"),
        (90, "window closed", "window"),
    ]
    .map(|(m, t, e)| (m, t.to_owned(), e))
    .to_vec();
    let (keeper, ids) = remember(&events, &[0, 1, 2, 3, 4, 5]);
    let check = |place: usize, scale: Scale, expected: &[&str]| {
        let episode = keeper.memory.episode(keeper.now(), &ids[place], scale).unwrap();
        assert_eq!(texts(&episode), expected, "{place}");
        assert!(!episode.cut);
    };
    let (tea, window) = (["kettle filled", "kettle boils", "kettle poured over tea"], ["window opened", "cold air"]);
    (0..3).for_each(|i| check(i, Scale::FINE, &tea));
    (3..5).for_each(|i| check(i, Scale::FINE, &window));
    check(5, Scale::FINE, &["window closed"]);
    check(
        0,
        Scale::COARSE,
        &["kettle filled", "kettle boils", "kettle poured over tea", "window opened", "cold air", "window closed"],
    );
    assert_eq!(keeper.memory.episode(keeper.now(), "m_9_9", Scale::FINE).unwrap_err().code, "unknown-memory");
}

#[test]
fn episodes_divide_the_events_are_nested_and_do_not_depend_on_the_order_of_arrival() {
    let mut state = 11u64;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut minute = 0;
    let events: Vec<(i64, String, &str)> = (0..120)
        .map(|i| {
            minute += [1, 2, 6, 9, 40, 150, 400][random(7) as usize];
            let word = ["kettle", "window", "letter", "garden"][random(4) as usize];
            (minute, format!("{word} n{i}"), ["a", "b", "c", "d", "e", "f"][random(6) as usize])
        })
        .collect();
    let order: Vec<usize> = (0..events.len()).collect();
    let mut shuffled = order.clone();
    (1..shuffled.len()).rev().for_each(|i| shuffled.swap(i, random(i as u64 + 1) as usize));
    let (keeper, ids) = remember(&events, &order);
    let (other, other_ids) = remember(&events, &shuffled);
    let mut sizes = std::collections::BTreeSet::new();
    for place in &order {
        let fine = keeper.memory.episode(keeper.now(), &ids[*place], Scale::FINE).unwrap();
        let coarse = keeper.memory.episode(keeper.now(), &ids[*place], Scale::COARSE).unwrap();
        assert!(texts(&fine).contains(&events[*place].1.as_str()));
        for member in &fine.events {
            let same = keeper.memory.episode(keeper.now(), &member.id, Scale::FINE).unwrap();
            assert_eq!(texts(&same), texts(&fine), "every member has the same episode");
        }
        assert!(texts(&fine).iter().all(|t| texts(&coarse).contains(t)), "fine lies inside coarse");
        let late = other.memory.episode(other.now(), &other_ids[*place], Scale::FINE).unwrap();
        assert_eq!(texts(&late), texts(&fine));
        sizes.insert(fine.events.len());
    }
    assert!(sizes.len() > 2, "{sizes:?}");
}

fn ids(candidates: &[Candidate]) -> Vec<&str> {
    candidates.iter().map(|c| c.id.as_str()).collect()
}

#[test]
fn a_policy_names_what_it_would_forget_and_why_and_forgets_nothing_itself() {
    let mut keeper = Keeper::default();
    let item = |at: i64, importance: &str| {
        format!(
            r#"{{"type": "remember", "items": [{{"kind": "n", "text": "0123456789", "at": {at}, "importance": {importance}}}]}}"#
        )
    };
    for (at, importance) in [(0, "1"), (HOUR, "0.2"), (2 * HOUR, "0.9"), (3 * HOUR, "0.2"), (4 * HOUR, "0.3")] {
        keeper.run(&item(at, importance)).unwrap();
    }
    let policy = Policy { now: 5 * HOUR, half_life: HOUR, ..Policy::default() };
    let of = |policy: &Policy| keeper.memory.to_forget(keeper.now(), policy, usize::MAX).unwrap();
    assert!(of(&policy).is_empty(), "without bounds nothing");
    let budget = of(&Policy { keep_events: Some(3), ..policy.clone() });
    assert_eq!(ids(&budget), ["m_2_0", "m_4_0"], "0.2 of four hours and 0.2 of two weigh least");
    assert_eq!(budget[0].reason, "5 events are more than 3, and it weighs least");
    let old = of(&Policy { max_age: Some(2 * HOUR), ..policy.clone() });
    assert_eq!(ids(&old), ["m_2_0", "m_3_0"], "what is of importance 1 is kept");
    assert!(old[0].reason.contains("it ended 14400000 ms ago"), "{}", old[0].reason);
    let bytes = of(&Policy { keep_bytes: Some(25), ..policy.clone() });
    assert_eq!(ids(&bytes), ["m_2_0", "m_4_0", "m_3_0"]);
    // The first of them are those of all of them.
    for (policy, all) in [
        (Policy { keep_bytes: Some(25), ..policy.clone() }, &bytes),
        (
            Policy { max_age: Some(2 * HOUR), keep_events: Some(1), ..policy.clone() },
            &of(&Policy { max_age: Some(2 * HOUR), keep_events: Some(1), ..policy.clone() }),
        ),
    ] {
        for most in 0..=all.len() {
            assert_eq!(keeper.memory.to_forget(keeper.now(), &policy, most).unwrap(), all[..most], "{most}");
        }
    }
    assert_eq!(keeper.memory.len(), 5);
    let all = of(&Policy { keep_events: Some(0), protect_from: 1_001, ..policy.clone() });
    assert_eq!(all.len(), 5);
    assert!(all.is_sorted_by_key(|c| c.score));
    let list: Vec<String> = budget.iter().map(|c| format!("{:?}", c.id)).collect();
    keeper.run(&format!(r#"{{"type": "forget", "memories": [{}]}}"#, list.join(","))).unwrap();
    assert!(
        keeper
            .memory
            .to_forget(keeper.now(), &Policy { keep_events: Some(3), ..policy }, usize::MAX)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn events_within_the_tolerance_of_the_first_are_one_moment_and_moments_do_not_chain() {
    let mut keeper = Keeper::default();
    for (at, thread) in [(100, "b"), (104, "a"), (108, "b"), (112, "a"), (300, "a"), (300, "a")] {
        keeper.thread = Some(thread.to_owned());
        keeper.add("n", &format!("{thread}{at}"), at, &[]);
    }
    let moments = keeper.memory.moments(keeper.now(), 0, 1_000, 8).unwrap();
    let shown: Vec<(i64, i64, Vec<&str>)> =
        moments.iter().map(|m| (m.from, m.to, m.events.iter().map(|e| e.text.as_str()).collect())).collect();
    assert_eq!(
        shown,
        [(100, 108, vec!["a104", "b100", "b108"]), (112, 112, vec!["a112"]), (300, 300, vec!["a300", "a300"])]
    );
    assert_eq!(keeper.memory.moments(keeper.now(), 104, 300, 0).unwrap().len(), 3);
}

#[test]
fn rankings_are_fused_and_a_hit_brings_the_events_around_it_but_none_from_outside_the_window() {
    let mut keeper = Keeper::default();
    let item = |at: i64, text: &str, importance: &str| {
        format!(
            r#"{{"type": "remember", "items": [{{"kind": "n", "text": "{text}", "at": {at}, "importance": {importance}}}]}}"#
        )
    };
    for (at, text, importance) in [
        (0, "pan on the stove", "0.1"),
        (MINUTE, "smoke everywhere", "0.9"),
        (2 * MINUTE, "alarm rang", "0.9"),
        (9 * HOUR, "pan washed carefully", "0.2"),
        (20 * HOUR, "nothing of note", "1"),
    ] {
        keeper.run(&item(at, text, importance)).unwrap();
    }
    assert_eq!(keeper.texts(r#"{"words": "pan"}"#), ["pan washed carefully", "pan on the stove"]);
    assert_eq!(
        keeper.texts(r#"{"words": "pan", "also_by": ["episode"]}"#),
        ["pan washed carefully", "pan on the stove", "smoke everywhere", "alarm rang"]
    );
    let early =
        keeper.recall(&format!(r#"{{"words": "pan", "also_by": ["episode"], "until": {}}}"#, 2 * MINUTE)).unwrap();
    assert_eq!((early.total, early.hits.len()), (2, 2), "the window holds for what a hit brings");
    assert!(early.hits[1].why.contains("of an episode with a hit"), "{}", early.hits[1].why);
    let recent = keeper.recall(r#"{"words": "pan stove", "also_by": ["recency", "importance"]}"#).unwrap();
    assert_eq!(recent.hits[0].text, "pan on the stove", "what holds both words comes first all the same");
    assert!(recent.hits[1].why.contains("ranks: words 2, recency 1, importance 1"), "{}", recent.hits[1].why);
    // Between equally good hits, importance decides; without it the newer one comes first.
    keeper.run(&item(30 * HOUR, "kettle broke", "0.9")).unwrap();
    keeper.run(&item(31 * HOUR, "kettle moved", "0.1")).unwrap();
    assert_eq!(keeper.texts(r#"{"words": "kettle"}"#), ["kettle moved", "kettle broke"]);
    assert_eq!(keeper.texts(r#"{"words": "kettle", "also_by": ["importance"]}"#), ["kettle broke", "kettle moved"]);
    assert_eq!(keeper.recall(r#"{"words": "pan", "also_by": ["luck"]}"#).unwrap_err().code, "unknown-ranking");
    assert_eq!(keeper.recall(r#"{"also_by": ["recency"]}"#).unwrap_err().path.as_deref(), Some("/also_by"));
}
