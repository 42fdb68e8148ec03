//! The memory against a naive array: random mixes of everything give identical answers and aggregates.
//!
//! `THROUGHLINE_SEEDS` and `THROUGHLINE_STEPS` set how many runs of how many steps.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail"
)]

use std::collections::BTreeMap;

use throughline_journal::{Actor, ActorKind, Body, Digest, Origin, Record, Seq};
use throughline_memory::Memory;
use throughline_protocol::command::{Amend, Forget, MemoryItem, Purge, Recover, Remember, RememberColumns, Touch};
use throughline_protocol::query::Recall;
use throughline_protocol::view::MemoryView;
use throughline_protocol::{At, Context, Decision, Domain, Refusal, Time};
use throughline_value::{Number, Value};

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }
}

const KINDS: &[&str] = &["scan", "call", "note", "感知", "rare"];
const ENTITIES: &[&str] = &["e1", "e2", "e3", "e4", "e5", "e6"];
const THREADS: &[&str] = &["main", "second"];
const WORDS: &[&str] = &["parcel", "late", "pan", "stove", "kitchen", "人工智能", "技术发展", "東京"];

#[derive(Clone, Debug)]
struct Plain {
    id: String,
    kind: String,
    text: String,
    at: i64,
    until: Option<i64>,
    entities: Vec<String>,
    importance: Option<Number>,
    data: Value,
    thread: String,
    source: (String, u64),
    seq: Seq,
    index: usize,
    forgotten: bool,
}

impl Plain {
    fn key(&self) -> (i64, &str, u64, Seq, usize) {
        (self.at, &self.source.0, self.source.1, self.seq, self.index)
    }

    /// The words, by a reader of its own.
    fn words(&self) -> Vec<String> {
        tokens(&self.text)
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for part in text.split(' ').filter(|p| !p.is_empty()) {
        if part.is_ascii() {
            out.push(part.to_owned());
        } else {
            let chars: Vec<char> = part.chars().collect();
            out.extend(chars.windows(2).map(|w| w.iter().collect::<String>()));
        }
    }
    out
}

struct Run {
    memory: Memory,
    plain: Vec<Plain>,
    seq: Seq,
    domain: Domain,
    records: Vec<Record>,
    /// What came before, also what was purged since.
    origins: std::collections::BTreeSet<(String, u64)>,
}

impl Run {
    /// Asks until no body is missing, as the engine does.
    fn ask<T>(&mut self, question: impl Fn(&Memory) -> T) -> T {
        for _ in 0..20 {
            let answer = question(&self.memory);
            let missing = self.memory.take_missing();
            if missing.is_empty() {
                return answer;
            }
            assert!(missing.is_sorted(), "records come in order");
            for seq in missing {
                self.memory.warm(&self.records[seq as usize - 1]);
            }
        }
        panic!("something stays missing");
    }

    /// Lets go of bodies, or of everything but a snapshot.
    fn cool(&mut self, random: &mut Random) {
        let held = self.memory.resident_bytes() + self.memory.cold_bytes();
        match random.below(6) {
            4.. => {
                let bytes = self.memory.snapshot();
                let restored = Memory::restore(&bytes).expect("what was written can be read");
                assert_eq!(restored.resident_bytes(), 0);
                assert_eq!(restored.snapshot(), bytes);
                self.memory = restored;
            }
            0 => self.memory.cool(random.below(2_000) as usize, random.below(self.seq + 1)),
            1 => {
                self.memory.cool(0, self.seq);
                assert_eq!(self.memory.resident_bytes(), 0);
            }
            2 => self.records.iter().for_each(|record| self.memory.warm(record)),
            _ => {
                // What does not fit changes nothing.
                let mut other = self.records[random.below(self.seq) as usize].clone();
                other.seq = 1 + random.below(self.seq + 3);
                let before = self.memory.resident_bytes();
                self.memory.warm(&Record { body: Body::Open(Value::Null), ..other });
                assert_eq!(self.memory.resident_bytes(), before);
            }
        }
        assert_eq!(self.memory.resident_bytes() + self.memory.cold_bytes(), held);
    }

    fn decide(
        &mut self,
        origin: Option<&Origin>,
        thread: &str,
        f: impl Fn(&Memory, &Context<'_>) -> Result<Decision, Refusal>,
    ) -> Result<Decision, Refusal> {
        let actor = Actor::of(ActorKind::User);
        let domain = self.domain.clone();
        let context = Context {
            now: 1_000 + self.seq as i64,
            valid_from: None,
            thread,
            turn: 1,
            actor: &actor,
            reason: "a test",
            cause: None,
            origin,
            next_seq: self.seq + 1,
            domain: &domain,
        };
        self.ask(|memory| f(memory, &context))
    }

    fn apply(&mut self, decision: &Decision) {
        for draft in &decision.drafts {
            self.seq += 1;
            let record = Record {
                seq: self.seq,
                recorded_at: 1_000 + self.seq as i64,
                valid_from: draft.valid_from.unwrap_or(0),
                thread: draft.thread.clone(),
                turn: draft.turn,
                actor: draft.actor.clone(),
                cause: None,
                reason: draft.reason.clone(),
                origin: draft.origin.clone(),
                kind: draft.kind.clone(),
                body: Body::Open(draft.data.clone()),
            };
            self.memory.evolve(&record);
            self.records.push(record);
        }
    }

    fn at(&self, seq: Seq) -> At {
        At { seq, valid_at: 0 }
    }
}

fn text(random: &mut Random) -> String {
    (0..random.below(5)).map(|_| random.pick(WORDS)).collect::<Vec<_>>().join(" ")
}

fn entities(random: &mut Random) -> Vec<String> {
    let mut list: Vec<String> = (0..random.below(3)).map(|_| random.pick(ENTITIES).to_owned()).collect();
    list.dedup();
    list
}

fn remember(run: &mut Run, random: &mut Random) {
    let thread = random.pick(THREADS);
    let origin =
        (random.below(3) == 0).then(|| Origin { source: random.pick(&["b", "a"]).to_owned(), seq: random.below(400) });
    let span = 100 + run.seq as i64;
    let items: Vec<MemoryItem> = (0..1 + random.below(4))
        .map(|_| {
            // A few are late, and many share their time.
            let rare = random.below(40) == 0;
            let at = if random.below(4) == 0 { random.below(span as u64) as i64 } else { span } / 3 * 3;
            MemoryItem {
                kind: KINDS[random.below(if rare { 5 } else { 4 }) as usize].to_owned(),
                text: text(random),
                at: Some(Time::Millis(at)),
                until: (random.below(6) == 0).then(|| Time::Millis(at + random.below(90) as i64)),
                entities: entities(random),
                importance: (random.below(3) == 0).then(|| Number::parse(random.pick(&["0.25", "1", "0.9"])).unwrap()),
                confidence: None,
                vector: Value::Null,
                data: if random.below(5) == 0 { Value::from([("n", Value::from(at))]) } else { Value::Null },
            }
        })
        .collect();
    let known = origin.as_ref().is_some_and(|o| !run.origins.insert((o.source.clone(), o.seq)));
    let command = Remember { items: items.clone() };
    let decision = run.decide(origin.as_ref(), thread, |m, c| m.remember(c, &command)).unwrap();
    assert_eq!(decision.drafts.is_empty(), known, "the same origin again changes nothing");
    run.apply(&decision);
    if known {
        return;
    }
    let ids = decision.result.get("memories").unwrap().as_list().unwrap().to_vec();
    for (index, (item, id)) in items.into_iter().zip(ids).enumerate() {
        let ms = |t: Option<Time>| t.map(|t| if let Time::Millis(ms) = t { ms } else { 0 });
        let mut own: Vec<String> = Vec::new();
        item.entities.into_iter().for_each(|e| {
            if !own.contains(&e) {
                own.push(e)
            }
        });
        run.plain.push(Plain {
            id: id.as_str().unwrap().to_owned(),
            kind: item.kind,
            text: item.text,
            at: ms(item.at).unwrap(),
            until: ms(item.until),
            entities: own,
            importance: item.importance,
            data: item.data,
            thread: thread.to_owned(),
            source: origin.as_ref().map_or((String::new(), 0), |o| (o.source.clone(), o.seq)),
            seq: run.seq,
            index,
            forgotten: false,
        });
    }
}

/// Many at once, as columns.
fn remember_columns(run: &mut Run, random: &mut Random) {
    let rows = 1 + random.below(30);
    let span = 100 + run.seq;
    let (mut at, mut kind, mut count, mut entity, mut text, mut bytes, mut lasts) =
        (vec![], vec![], vec![], vec![], String::new(), vec![], vec![]);
    let first = run.plain.len();
    for index in 0..rows as usize {
        let own = entities(random);
        let words = self::text(random);
        at.push(if random.below(4) == 0 { random.below(span) as i64 } else { span as i64 } / 3 * 3);
        kind.push(random.below(4) as i64);
        count.push(own.len() as i64);
        entity.extend(own.iter().map(|e| ENTITIES.iter().position(|x| x == e).unwrap() as i64));
        text.push_str(&words);
        bytes.push(words.len() as i64);
        lasts.push(if random.below(6) == 0 { random.below(90) as i64 } else { 0 });
        run.plain.push(Plain {
            id: format!("m_{}_{index}", run.seq + 1),
            kind: KINDS[kind[index] as usize].to_owned(),
            text: words,
            at: at[index],
            until: (lasts[index] > 0).then(|| at[index] + lasts[index]),
            entities: own,
            importance: None,
            data: Value::Null,
            thread: "main".to_owned(),
            source: (String::new(), 0),
            seq: run.seq + 1,
            index,
            forgotten: false,
        });
    }
    let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let command = RememberColumns {
        kinds: names(KINDS),
        entities: names(ENTITIES),
        at: at.into(),
        kind: kind.into(),
        entity_count: count.into(),
        entity: entity.into(),
        text,
        text_bytes: bytes.into(),
        lasts: lasts.into(),
        ..RememberColumns::default()
    };
    let decision = run.decide(None, "main", |m, c| m.remember_columns(c, &command)).unwrap();
    run.apply(&decision);
    assert_eq!(run.plain[first].seq, run.seq);
}

/// Purges some, as the engine does: what the records say of them goes too, and all earlier moments forget them.
fn purge(run: &mut Run, random: &mut Random, past: &mut [(Seq, Vec<Plain>)]) {
    if run.plain.is_empty() {
        return;
    }
    let places: Vec<usize> = (0..1 + random.below(2)).map(|_| random.below(run.plain.len() as u64) as usize).collect();
    let ids: Vec<String> = places.iter().map(|p| run.plain[*p].id.clone()).collect();
    let refs: Vec<&str> = ids.iter().map(String::as_str).collect();
    let seqs = run.memory.records_of(&refs);
    for seq in seqs {
        let record = &run.records[seq as usize - 1];
        let rest = Memory::rest_of(record.kind.as_str(), record.data(), &refs);
        run.records[seq as usize - 1].body = Body::Open(rest);
    }
    let decision = run.decide(None, "main", |m, c| m.decide_purge(c, &Purge { memories: ids.clone() })).unwrap();
    run.apply(&decision);
    let keep = |plain: &mut Vec<Plain>| plain.retain(|p| !ids.contains(&p.id));
    keep(&mut run.plain);
    past.iter_mut().for_each(|(_, plain)| keep(plain));
}

fn touch(run: &mut Run, random: &mut Random) {
    if run.plain.is_empty() {
        return;
    }
    let id = run.plain[random.below(run.plain.len() as u64) as usize].id.clone();
    let decision =
        run.decide(None, "main", |m, c| m.touch(c, &Touch { memories: vec![id.clone()], at: None })).unwrap();
    run.apply(&decision);
}

/// The scalar way in gives what the naive array does.
fn compare_rows(run: &mut Run, random: &mut Random) {
    let plain = run.plain.clone();
    let live = ordered(plain.iter().filter(|p| !p.forgotten));
    let span = run.seq + 200;
    let mut out = Vec::new();

    let (since, until) = (random.below(span) as i64, random.below(span) as i64);
    let kinds: Vec<&str> = (0..random.below(3)).map(|_| random.pick(KINDS)).collect();
    let numbers: Vec<u16> = kinds.iter().filter_map(|k| run.memory.kind_number(k)).collect();
    if kinds.is_empty() == numbers.is_empty() {
        let expected: Vec<&Plain> = live
            .iter()
            .filter(|p| p.at >= since && p.at < until && (kinds.is_empty() || kinds.contains(&p.kind.as_str())))
            .copied()
            .collect();
        let limit = 1 + random.below(30) as usize;
        run.memory.rows_in(since, until, &numbers, limit, &mut out);
        assert_eq!(
            out.iter().map(|row| run.memory.row_id(*row).unwrap()).collect::<Vec<_>>(),
            ids(&expected[..expected.len().min(limit)])
        );
    }
    for p in live.iter().take(3) {
        let text = run.ask(|m| m.row_text(m.row_of(&p.id).unwrap()).map(str::to_owned));
        assert_eq!(text.as_deref(), Some(p.text.as_str()));
    }
    let kind = random.pick(KINDS);
    if let Some(number) = run.memory.kind_number(kind) {
        let last = live.iter().rev().find(|p| p.kind == kind && p.at < until).map(|p| p.id.clone());
        assert_eq!(
            run.memory.last_row(number, until).map(|row| run.memory.row_id(row).unwrap()),
            last,
            "{kind} before {until}"
        );
    }
    let entity = random.pick(ENTITIES);
    if let Some(number) = run.memory.entity_number(entity) {
        run.memory.rows_of(number, until, 5, &mut out);
        let all = live.iter().rev().filter(|p| p.at < until && p.entities.iter().any(|e| e == entity));
        assert_eq!(
            out.iter().map(|row| run.memory.row_id(*row).unwrap()).collect::<Vec<_>>(),
            all.take(5).map(|p| p.id.clone()).collect::<Vec<_>>()
        );
    }
    let parts = 1 + random.below(40) as usize;
    run.memory.counts_into(since, since + 1 + span as i64, parts, &mut out);
    let kinds = run.memory.kind_count();
    let at = run.at(run.seq);
    let names: Vec<String> = (0..kinds).map(|k| run.memory.kind_name(k as u16).unwrap().to_owned()).collect();
    let exact = run.memory.counts(at, since, since + 1 + span as i64, parts, &names).unwrap();
    if kinds > 0 {
        assert_eq!(out.iter().map(|n| u64::from(*n)).collect::<Vec<_>>(), exact.counts.concat());
    }
    let drawn: u32 = {
        run.memory.drawn_into(-10, span as i64 * 2, 10, &mut out);
        out.iter().sum()
    };
    assert_eq!(u64::from(drawn), run.memory.len());
}

fn amend(run: &mut Run, random: &mut Random) {
    if run.plain.is_empty() {
        return;
    }
    let place = random.below(run.plain.len() as u64) as usize;
    let old = run.plain[place].clone();
    let at = old.at - random.below(30) as i64;
    let until = old.at + random.below(40) as i64;
    let command = Amend {
        memory: old.id.clone(),
        text: (random.below(2) == 0).then(|| text(random)),
        at: (random.below(2) == 0).then_some(Time::Millis(at)),
        until: (random.below(3) == 0).then_some(Time::Millis(until)),
        entities: None,
        importance: None,
    };
    let decision = run.decide(None, "main", |m, c| m.amend(c, &command));
    if old.forgotten {
        assert_eq!(decision.unwrap_err().code, "memory-forgotten");
        return;
    }
    let decision = decision.unwrap();
    run.apply(&decision);
    let plain = &mut run.plain[place];
    if let Some(text) = command.text {
        plain.text = text;
    }
    if command.at.is_some() {
        plain.at = at;
    }
    if command.until.is_some() {
        plain.until = Some(until);
    }
}

fn turn(run: &mut Run, random: &mut Random, forgotten: bool) {
    let places: Vec<usize> =
        (0..1 + random.below(3)).map(|_| random.below(run.plain.len().max(1) as u64) as usize).collect();
    let ids: Vec<String> = places.iter().filter_map(|p| run.plain.get(*p)).map(|p| p.id.clone()).collect();
    let decision = run.decide(None, "main", |m, c| {
        if forgotten {
            m.forget(c, &Forget { memories: ids.clone() })
        } else {
            m.recover(c, &Recover { memories: ids.clone() })
        }
    });
    run.apply(&decision.unwrap());
    for place in places {
        if let Some(plain) = run.plain.get_mut(place) {
            plain.forgotten = forgotten;
        }
    }
}

fn ordered<'a>(plain: impl Iterator<Item = &'a Plain>) -> Vec<&'a Plain> {
    let mut list: Vec<&Plain> = plain.collect();
    list.sort_by(|a, b| a.key().cmp(&b.key()));
    list
}

fn ids(list: &[&Plain]) -> Vec<String> {
    list.iter().map(|p| p.id.clone()).collect()
}

fn shown(views: &[MemoryView]) -> Vec<String> {
    views.iter().map(|v| v.id.clone()).collect()
}

/// Compares every kind of answer with the naive one, as of record `seq`.
fn compare(run: &mut Run, plain: &[Plain], seq: Seq, random: &mut Random) {
    let at = run.at(seq);
    let span = run.seq + 200;
    let query = Recall {
        since: (random.below(2) == 0).then(|| Time::Millis(random.below(span) as i64)),
        kinds: (0..random.below(3)).map(|_| random.pick(KINDS).to_owned()).collect(),
        entities: (0..random.below(3).saturating_sub(1) * 2).map(|_| random.pick(ENTITIES).to_owned()).collect(),
        thread: (random.below(4) == 0).then(|| random.pick(&["main", "second", "none"]).to_owned()),
        words: (random.below(3) == 0)
            .then(|| (0..1 + random.below(2)).map(|_| random.pick(WORDS)).collect::<Vec<_>>().join(" ")),
        limit: (random.below(3) == 0).then(|| random.below(12) as usize),
        ..Recall::default()
    };
    let since = query.since.as_ref().map(|t| if let Time::Millis(ms) = t { *ms } else { 0 });
    let until = (random.below(2) == 0).then(|| since.unwrap_or(0) + 1 + random.below(span) as i64);
    let query = Recall { until: until.map(Time::Millis), ..query };
    let wanted = query.words.as_deref().map(tokens);
    let keeps = |p: &&Plain| {
        let end = p.until.map_or(p.at + 1, |u| u.max(p.at + 1));
        until.is_none_or(|u| p.at < u)
            && since.is_none_or(|s| end > s)
            && (query.kinds.is_empty() || query.kinds.contains(&p.kind))
            && (query.entities.is_empty() || query.entities.iter().any(|e| p.entities.contains(e)))
            && query.thread.as_ref().is_none_or(|t| *t == p.thread)
            && wanted.as_ref().is_none_or(|w| p.words().iter().any(|x| w.contains(x)))
    };
    let all = ordered(plain.iter().filter(keeps));
    let live: Vec<&Plain> = all.iter().filter(|p| !p.forgotten).copied().collect();
    let domain = run.domain.clone();
    let page = run.ask(|m| m.recall(at, &query, &domain)).unwrap();
    let context = format!("{query:?} at {seq}");
    assert_eq!(page.total, live.len() as u64, "{context}");
    assert_eq!(page.hidden.get("forgotten").copied().unwrap_or(0), (all.len() - live.len()) as u64, "{context}");
    assert_eq!((page.since, page.until), (since, until));
    let limit = query.limit.unwrap_or(1_000);
    assert_eq!(page.hits.len(), live.len().min(limit), "{context}");
    assert_eq!(page.hidden.get("limit").copied().unwrap_or(0), (live.len() - page.hits.len()) as u64);
    match &wanted {
        None => assert_eq!(shown(&page.hits), ids(&live[live.len() - page.hits.len()..]), "{context}"),
        Some(wanted) => check_ranking(plain, &live, &page.hits, wanted, &context),
    }
    for view in &page.hits {
        let p = plain.iter().find(|p| p.id == view.id).unwrap();
        assert_eq!(
            (&view.kind, &view.text, view.at, view.until, &view.entities),
            (&p.kind, &p.text, p.at, p.until, &p.entities)
        );
        assert_eq!((&view.importance, &view.data, &view.thread), (&p.importance, &p.data, &p.thread));
        assert_eq!(view.seq, p.seq);
        assert!(view.status == "current" && !view.why.is_empty());
    }

    let now: Vec<&Plain> = ordered(plain.iter().filter(|p| !p.forgotten));
    let entity = random.pick(ENTITIES);
    let history: Vec<&Plain> = now.iter().filter(|p| p.entities.iter().any(|e| e == entity)).copied().collect();
    assert_eq!(shown(&run.memory.history(at, entity)), ids(&history));
    let (kind, before) = (random.pick(KINDS), random.below(span) as i64);
    let last = now.iter().rev().find(|p| p.kind == kind && p.at < before).map(|p| p.id.clone());
    assert_eq!(run.memory.last(at, kind, before).map(|v| v.id), last, "{kind} before {before} at {seq}");
    let n = random.below(5) as usize;
    let near = run.memory.neighbours(at, before, n);
    let (early, late): (Vec<&Plain>, Vec<&Plain>) = now.iter().copied().partition(|p| p.at < before);
    assert_eq!(shown(&near.before), ids(&early[early.len().saturating_sub(n)..]));
    assert_eq!(shown(&near.after), ids(&late[..late.len().min(n)]));

    let (from, width, parts) =
        (random.below(span) as i64 - 50, 1 + random.below(2 * span) as i64, 1 + random.below(40) as usize);
    let kinds: Vec<String> =
        if random.below(2) == 0 { vec![] } else { vec!["call".into(), "none".into(), "scan".into()] };
    let counts = run.memory.counts(at, from, from + width, parts, &kinds).unwrap();
    let mut expected = vec![vec![0u64; counts.kinds.len()]; parts];
    for p in &now {
        let bucket = (0..parts).find(|i| counts.edges[*i] <= p.at && p.at < counts.edges[*i + 1]);
        if let (Some(bucket), Some(column)) = (bucket, counts.kinds.iter().position(|k| *k == p.kind)) {
            expected[bucket][column] += 1;
        }
    }
    assert_eq!(counts.counts, expected, "{from}+{width} in {parts} at {seq}");
    assert_eq!((counts.edges[0], counts.edges[parts]), (from, from + width));
}

/// The ranking must fall by a score that is computed here, and hold the best ones.
fn check_ranking(plain: &[Plain], live: &[&Plain], hits: &[MemoryView], wanted: &[String], context: &str) {
    let texts: Vec<Vec<String>> = plain.iter().filter(|p| !p.forgotten).map(Plain::words).collect();
    let mean = texts.iter().map(Vec::len).sum::<usize>().max(1) as f64 / texts.len() as f64;
    let mut unique: Vec<&String> = Vec::new();
    wanted.iter().for_each(|w| {
        if !unique.contains(&w) {
            unique.push(w)
        }
    });
    let score = |p: &Plain| -> f64 {
        let words = p.words();
        let of = |word: &&String| {
            let count = words.iter().filter(|w| w == word).count() as f64;
            let with = texts.iter().filter(|t| t.contains(word)).count() as f64;
            let rare = (1.0 + (texts.len() as f64 - with + 0.5) / (with + 0.5)).ln();
            rare * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * words.len() as f64 / mean))
        };
        unique.iter().map(of).sum()
    };
    let scores: BTreeMap<&str, f64> = live.iter().map(|p| (p.id.as_str(), score(p))).collect();
    let got: Vec<f64> = hits.iter().map(|v| scores[v.id.as_str()]).collect();
    let mut best: Vec<f64> = scores.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    for (got, best) in got.iter().zip(&best) {
        assert!((got - best).abs() < 1e-9, "{context}: {got} {best}");
    }
}

fn digest(memory: &Memory, history: bool) -> String {
    let mut digest = Digest::new("test");
    if history {
        memory.digest_history(&mut digest);
    } else {
        memory.digest_content(&mut digest, 0);
    }
    digest.finish()
}

fn run(seed: u64, steps: u64, memory: Memory) {
    let mut random = Random(seed);
    let mut run = Run {
        memory,
        plain: Vec::new(),
        seq: 0,
        domain: Domain::default(),
        records: Vec::new(),
        origins: Default::default(),
    };
    let mut past: Vec<(Seq, Vec<Plain>)> = Vec::new();
    for step in 0..steps {
        match random.below(20) {
            0..=8 => remember(&mut run, &mut random),
            9..=11 => amend(&mut run, &mut random),
            12..=13 => turn(&mut run, &mut random, true),
            14 => turn(&mut run, &mut random, false),
            15 => match random.below(5) {
                3.. if run.seq > 0 => run.cool(&mut random),
                3.. => {}
                0 => remember_columns(&mut run, &mut random),
                1 => purge(&mut run, &mut random, &mut past),
                _ => touch(&mut run, &mut random),
            },
            // In a long run the array is slow: it is compared less often, and once more at the end.
            _ if steps >= 1_000 && random.below(4) > 0 => {}
            _ => {
                compare_rows(&mut run, &mut random);
                let (plain, seq) = (run.plain.clone(), run.seq);
                compare(&mut run, &plain, seq, &mut random);
                if !past.is_empty() {
                    let (seq, plain) = &past[random.below(past.len() as u64) as usize];
                    compare(&mut run, plain, *seq, &mut random);
                }
            }
        }
        if step % (steps / 6).max(1) == 0 {
            past.push((run.seq, run.plain.clone()));
        }
    }
    assert_eq!(run.memory.len(), run.plain.iter().filter(|p| !p.forgotten).count() as u64);
    assert_eq!(run.memory.quarantined(), 0);
    // What the records say now gives the same again, also after purges.
    let mut replayed = Memory::with_blocks_of(7);
    run.records.iter().for_each(|record| replayed.evolve(record));
    assert_eq!(
        (digest(&replayed, true), digest(&replayed, false)),
        (run.ask(|m| digest(m, true)), run.ask(|m| digest(m, false)))
    );
    assert_eq!(replayed.quarantined(), 0);
    let plain = run.plain.clone();
    let (seq, mut again) = (run.seq, Run { memory: replayed, ..run });
    compare(&mut again, &plain, seq, &mut random);
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_mixes_give_the_answers_of_a_naive_array_now_and_at_every_earlier_moment() {
    let (seeds, steps) = (setting("THROUGHLINE_SEEDS", 12), setting("THROUGHLINE_STEPS", 300));
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get() as u64).min(8);
    std::thread::scope(|scope| {
        for first in 0..threads {
            scope.spawn(move || {
                for seed in (first..seeds).step_by(threads as usize) {
                    let rows = 2 + (seed as usize % 4) * 5;
                    let memory = if seed % 4 == 3 { Memory::default() } else { Memory::with_blocks_of(rows) };
                    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed, steps, memory)));
                    if let Err(panic) = outcome {
                        println!("seed {seed} of {steps} steps");
                        std::panic::resume_unwind(panic);
                    }
                }
            });
        }
    });
}

#[test]
fn large_blocks_split_where_late_events_arrive() {
    run(1_000_003, 1_100, Memory::default());
}

#[test]
fn shuffled_arrival_gives_the_same_content_and_the_same_order() {
    let item = |i: u64| MemoryItem {
        kind: "scan".into(),
        text: format!("parcel {}", i % 7),
        at: Some(Time::Millis((i % 5) as i64)),
        until: None,
        entities: vec![],
        importance: None,
        confidence: None,
        vector: Value::Null,
        data: Value::Null,
    };
    let build = |order: &[u64]| {
        let mut run = Run {
            memory: Memory::with_blocks_of(3),
            plain: vec![],
            seq: 0,
            domain: Domain::default(),
            records: vec![],
            origins: Default::default(),
        };
        for i in order {
            let origin = Origin { source: "log".into(), seq: *i };
            let command = Remember { items: vec![item(*i)] };
            let decision = run.decide(Some(&origin), "main", |m, c| m.remember(c, &command)).unwrap();
            run.apply(&decision);
        }
        run
    };
    let order: Vec<u64> = (0..60).collect();
    let first = build(&order);
    let page = |run: &Run| run.memory.recall(run.at(run.seq), &Recall::default(), &run.domain).unwrap();
    let texts = |run: &Run| page(run).hits.into_iter().map(|v| (v.at, v.text)).collect::<Vec<_>>();
    for seed in 0..20 {
        let (mut random, mut shuffled) = (Random(seed), order.clone());
        (1..shuffled.len()).rev().for_each(|i| shuffled.swap(i, random.below(i as u64 + 1) as usize));
        let other = build(&shuffled);
        assert_eq!(digest(&other.memory, false), digest(&first.memory, false));
        assert_eq!(texts(&other), texts(&first));
        assert_ne!(digest(&other.memory, true), digest(&first.memory, true), "history remembers the order");
    }
    let mut changed = build(&order);
    let command = Forget { memories: vec![page(&changed).hits[0].id.clone()] };
    let decision = changed.decide(None, "main", |m, c| m.forget(c, &command)).unwrap();
    changed.apply(&decision);
    assert_ne!(digest(&changed.memory, false), digest(&first.memory, false));
    let command = Recover { memories: command.memories };
    let decision = changed.decide(None, "main", |m, c| m.recover(c, &command)).unwrap();
    changed.apply(&decision);
    assert_eq!(digest(&changed.memory, false), digest(&first.memory, false));
}
