//! Erasing what was purged: from the journal in memory, and through the rim from its store.
//!
//! What is left of a body, and its salt, follow from the body itself and the record that purges. So every engine
//! that folds the record erases the same, and a crash between the record and the erasing is made good at the
//! next opening.

mod commands;
mod quotes;

use std::collections::BTreeSet;

use throughline_agent::Rooms;
use throughline_journal::{Body, Digest, Journal, Record, Seq, commitment};
use throughline_memory::{Memory, kind};
use throughline_protocol::command::RetractFact;
use throughline_protocol::{At, Context, Decision, Refusal};
use throughline_value::{InOrder as _, Map, Value};

pub(crate) use commands::{is_sealed, with_words, without_words};
use quotes::Quotes;
pub(crate) use quotes::{PlaceName, may_quote};

/// The salt of what a purge leaves; nothing of it leads back to the salt before.
fn salt_after(salt: &str, seq: Seq) -> String {
    let mut digest = Digest::new("rest");
    digest.text(salt);
    digest.number(seq.cast_signed());
    digest.finish()
}

pub(crate) fn ids(data: &Value) -> Vec<&str> {
    data.get("memories").and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

/// The records of which a purge erases something, with the commitments of what is left.
pub(crate) fn rests(purge: &Record) -> impl Iterator<Item = (Seq, &str)> {
    let map = purge.data().get("rest").and_then(Value::as_map).filter(|_| purge.kind == kind::PURGED);
    map.into_iter().flatten().filter_map(|(seq, is)| Some((seq.parse().ok()?, is.as_str()?)))
}

/// Adds to a purge what it will leave of each record: of the memories' own, of facts that rest on them alone, and of
/// whatever quotes them. `before` are the records of the same frame.
///
/// # Errors
/// `not-stored-yet`, `not-erasable`, and `memory-in-use` while a turn or a run goes on that has read one of them.
pub(crate) fn complete(
    journal: &Journal,
    before: &[Record],
    rooms: &Rooms,
    ctx: &Context<'_>,
    decision: &mut Decision,
) -> Result<(), Refusal> {
    let memory = &rooms.memory;
    let Some(data) = decision.drafts.first_mut().map(|draft| &mut draft.data) else { return Ok(()) };
    let owned = data.clone();
    let ids = ids(&owned);
    // Facts that rest on nothing else go, end or stay, as the domain says of their key.
    let facts: Vec<&Record> = journal
        .records()
        .filter(|r| r.kind == "fact.asserted" && !matches!(r.body, Body::Open(_)) && r.data().get("purged").is_none())
        .collect();
    let rests_on_them = |record: &&Record| {
        let mut sources = quotes::sources(record.data()).peekable();
        sources.peek().is_some() && sources.all(|name| ids.contains(&name) || memory.is_purged(name))
    };
    let mut resting: BTreeSet<Seq> = facts.iter().filter(|record| rests_on_them(record)).map(|r| r.seq).collect();
    let (quotes, found) = loop {
        let with = facts.iter().filter(|record| resting.contains(&record.seq) && keeps(ctx, record) != Some("keep"));
        let key = |record: &Record| record.data().get("key").and_then(Value::as_str).unwrap_or("").to_owned();
        let with: Vec<(String, Value)> =
            with.filter_map(|record| Some((key(record), record.data().get("value")?.clone()))).collect();
        let quotes = Quotes::new(memory, &ids, &with);
        let found = quotes.cuts(journal.records());
        let more: Vec<Seq> = facts.iter().map(|r| r.seq).filter(|seq| found.cuts.contains_key(seq)).collect();
        let before = resting.len();
        resting.extend(more);
        if resting.len() == before {
            break (quotes, found);
        }
    };
    if let Some(place) = found.read.iter().find(|place| goes_on(rooms, place)) {
        let message = format!("{place} is going on and has read it; purge when that has ended, or stop it");
        return Err(Refusal::new("memory-in-use", message).at_path("/memories"));
    }
    let mut cuts = found.cuts;
    let (mut gone, mut ended) = (Vec::new(), Vec::new());
    for record in facts.into_iter().filter(|record| resting.contains(&record.seq)) {
        cuts.remove(&record.seq);
        match keeps(ctx, record) {
            Some("keep") => {}
            Some("end") => ended.push(record),
            _ => gone.push(record.seq),
        }
    }
    let mut cut = Map::new();
    for (seq, marked) in &cuts {
        cut.insert(seq.to_string(), marked.iter().map(|n| u64::from(*n)).collect::<Vec<_>>().into());
    }
    let also = quotes.also_in(journal, &|seq| cuts.contains_key(&seq) || gone.contains(&seq));
    if let Value::Map(map) = data {
        if !cut.is_empty() {
            map.insert("cut".to_owned(), Value::Map(cut));
        }
        if !gone.is_empty() {
            map.insert("facts".to_owned(), gone.clone().into());
        }
    }
    let unstored = |of: Seq| {
        let message = format!("record {of} is not stored yet; purge in a command of its own, after it");
        Refusal::new("not-stored-yet", message).at_path("/memories")
    };
    if let Some(of) = quotes.cuts(before.iter()).cuts.keys().next() {
        return Err(unstored(*of));
    }
    let mut rest = Map::new();
    let all: BTreeSet<Seq> =
        memory.records_of(&ids).into_iter().chain(cuts.keys().copied()).chain(gone.iter().copied()).collect();
    for of in all {
        let Some(record) = journal.record(of) else { return Err(unstored(of)) };
        let Some((salt, content)) = record.body.sealed() else {
            let message =
                format!("record {of} was written before memories could be erased; its body is part of the chain");
            return Err(Refusal::new("not-erasable", message).at_path("/memories"));
        };
        let (mut salt, mut content) = (salt.to_owned(), content.clone());
        for purge in before.iter().filter(|purge| rests(purge).any(|(seq, _)| seq == of)) {
            (salt, content) = left(&salt, record, &content, purge.seq, purge.data());
        }
        let (salt, content) = left(&salt, record, &content, ctx.next_seq, data);
        rest.insert(of.to_string(), commitment(&salt, &content).into());
    }
    if let Value::Map(map) = data {
        map.insert("rest".to_owned(), Value::Map(rest));
    }
    let ended_seqs: Vec<Seq> = ended.iter().map(|record| record.seq).collect();
    for record in ended {
        end(rooms, ctx, record, decision)?;
    }
    if let Value::Map(result) = &mut decision.result {
        let told = [
            ("also_erased", cuts.into_keys().collect::<Vec<_>>()),
            ("facts_erased", gone),
            ("facts_ended", ended_seqs),
            ("also_in", also.into_iter().collect()),
        ];
        for (name, seqs) in told.into_iter().filter(|(_, seqs)| !seqs.is_empty()) {
            result.insert(name.to_owned(), seqs.into());
        }
    }
    Ok(())
}

/// What the domain says becomes of a fact when what it rests on is purged.
fn keeps<'a>(ctx: &Context<'a>, fact: &Record) -> Option<&'a str> {
    let key = fact.data().get("key").and_then(Value::as_str).unwrap_or("");
    ctx.domain.facts.get(key).and_then(|fact| fact.on_purge.as_deref())
}

/// Whether a turn, or a run outside of one, goes on.
fn goes_on(rooms: &Rooms, place: &PlaceName) -> bool {
    if place.turn == 0 {
        return matches!(rooms.plans.status(&place.of), Some("running" | "paused"));
    }
    rooms.turns.open().any(|turn| turn.thread == place.of && turn.turn == place.turn)
}

/// Ends a fact where it is what holds now.
fn end(rooms: &Rooms, ctx: &Context<'_>, record: &Record, decision: &mut Decision) -> Result<(), Refusal> {
    let data = record.data();
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    let (Some(subject), Some(key)) = (text("subject"), text("key")) else { return Ok(()) };
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let current = rooms.ledger.facts(at, Some(subject), Some(key)).facts;
    if !current.iter().any(|fact| fact.seq == record.seq) {
        return Ok(());
    }
    let value = (text("cardinality") == Some("many")).then(|| data.get("value").cloned()).flatten();
    let command = RetractFact { key: key.to_owned(), value, subject: Some(subject.to_owned()), expected_version: None };
    let zone = throughline_agent::zone_of(ctx.domain);
    let retracted = rooms.ledger.retract_fact(ctx, &command, zone.as_ref())?;
    for mut draft in retracted.drafts {
        draft.cause = throughline_journal::Cause::Draft(0);
        decision.drafts.push(draft);
    }
    Ok(())
}

/// What a purge leaves of a record's content.
fn left(salt: &str, of: &Record, content: &Value, seq: Seq, purge: &Value) -> (String, Value) {
    let salt = salt_after(salt, seq);
    if of.kind.starts_with("memory.") {
        return (salt, Memory::rest_of(&of.kind, content, &ids(purge)));
    }
    let number = |value: &Value| value.as_i64().map(i64::cast_unsigned);
    let facts = purge.get("facts").and_then(Value::as_list).unwrap_or_default();
    if facts.iter().any(|fact| number(fact) == Some(of.seq)) {
        let kept = ["subject", "key", "cardinality", "rule", "confirms", "version"];
        let mut rest: Map =
            kept.iter().filter_map(|name| Some(((*name).to_owned(), content.get(name)?.clone()))).collect();
        rest.insert("purged".to_owned(), true.into());
        return (salt, Value::Map(rest));
    }
    let marked = purge.at(&["cut", &of.seq.to_string()]).and_then(Value::as_list).unwrap_or_default();
    let marked = marked.iter().filter_map(|n| number(n).and_then(|n| u32::try_from(n).ok())).collect();
    (salt, quotes::without(content, &marked))
}

/// Erases whatever the purges after record `after` say and is still there. Gives the frames to be stored again, and
/// whether something else than memories was erased, so that the rooms are to be folded anew.
pub(crate) fn catch_up(journal: &mut Journal, after: Seq) -> (Vec<u64>, bool) {
    let mut work: Vec<(Seq, Seq)> = Vec::new();
    for purge in journal.records_from(after + 1).filter(|record| record.kind == kind::PURGED) {
        work.extend(rests(purge).map(|(of, _)| (of, purge.seq)));
    }
    work.order();
    let (mut frames, mut beyond) = (Vec::new(), false);
    for same in work.chunk_by(|a, b| a.0 == b.0) {
        let Some(((of, _), record)) = same.first().and_then(|one| Some((*one, journal.record(one.0)?))) else {
            continue;
        };
        let Some((salt, content)) = record.body.sealed() else { continue };
        let said = |purge: Seq| {
            let record = journal.record(purge)?;
            rests(record).find(|(seq, _)| *seq == of).map(|(_, is)| is.to_owned())
        };
        // A body of which something is left already says itself which purges it has seen.
        let own = match &record.body {
            Body::Rest { .. } => Some(commitment(salt, content)),
            _ => None,
        };
        let seen = own.and_then(|own| same.iter().position(|(_, purge)| said(*purge).as_ref() == Some(&own)));
        let open = same.get(seen.map_or(0, |place| place + 1)..).unwrap_or_default();
        if open.is_empty() {
            continue;
        }
        let (mut salt, mut content) = (salt.to_owned(), content.clone());
        for (_, purge) in open {
            if let Some(record_of) = journal.record(*purge) {
                (salt, content) = left(&salt, record, &content, *purge, record_of.data());
            }
        }
        // In a fork the body was cut already before it was sealed anew.
        if content != *record.data() {
            beyond |= !record.kind.starts_with("memory.");
            frames.extend(journal.erase(of, &salt, content));
        }
    }
    frames.order();
    frames.dedup();
    (frames, beyond)
}
