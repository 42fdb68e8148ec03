//! What happened after a moment, as it will happen again: who came from outside, when, and what is otherwise.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use throughline_agent::turn::parts::{Parts, REQUESTED};
use throughline_agent::turns::ExchangeFinished;
use throughline_expr::time::parse_duration;
use throughline_journal::{Actor, ActorKind, Frame, Journal, Millis, Record, Seq};
use throughline_protocol::command::{AssertFact, RetireEntity};
use throughline_protocol::{Command, Intervention, Meta, Refusal};
use throughline_value::{InOrder as _, Map, Value, from_value};

use crate::state::CommandEntry;

/// What the world outside gave.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) seq: Seq,
    /// The tool, or what the model was asked for.
    pub(super) name: String,
    pub(super) args: Value,
    pub(super) result: Result<Value, Refusal>,
    /// The request, of an exchange.
    pub(super) request: Option<Value>,
    pub(super) finished: ExchangeFinished,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "most are commands; on 32 bits none is large")]
pub(super) enum Kind {
    Command {
        command: Value,
        meta: Meta,
        /// What it gave, or the code of its refusal; nothing for an inserted one.
        before: Option<Result<Value, String>>,
    },
    Result(Box<Given>),
    Dropped {
        seq: Seq,
        command: Option<String>,
    },
    Tick,
}

/// Something that came from outside.
#[derive(Clone, Debug)]
pub(super) struct Happening {
    /// Its first record; nothing for an inserted one.
    pub(super) seq: Option<Seq>,
    seqs: Vec<Seq>,
    pub(super) kind: Kind,
    /// `replaced` or `delayed`.
    pub(super) mark: &'static str,
}

/// What happened together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) at: Millis,
    pub(super) records: RangeInclusive<Seq>,
    pub(super) happenings: Vec<Happening>,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
}

impl Plan {
    /// The recorded results that are still to come.
    pub(super) fn results(&self) -> Vec<Given> {
        let all = self.groups.iter().flat_map(|group| &group.happenings);
        all.filter_map(|one| if let Kind::Result(given) = &one.kind { Some((**given).clone()) } else { None }).collect()
    }
}

/// The last record before anything is otherwise.
pub(super) fn start(journal: &Journal, interventions: &[Intervention]) -> Result<Option<Seq>, Refusal> {
    let mut first: Option<Seq> = None;
    for (index, intervention) in interventions.iter().enumerate() {
        let before = match about(intervention) {
            About::Record(seq) => {
                let groups = groups(journal, seq.saturating_sub(1), seq);
                let (group, place) = holder(journal, &groups, seq, index)?;
                let of = groups.get(group).and_then(|group| group.happenings.get(place));
                of.and_then(|one| one.seq).unwrap_or(seq).min(seq) - 1
            }
            About::After(Some(seq)) => seq,
            About::After(None) => continue,
        };
        first = Some(first.map_or(before, |first| first.min(before)));
    }
    Ok(first)
}

enum About {
    Record(Seq),
    After(Option<Seq>),
}

fn about(intervention: &Intervention) -> About {
    match intervention {
        Intervention::Drop(one) => About::Record(one.seq),
        Intervention::Replace(one) => About::Record(one.seq),
        Intervention::Delay(one) => About::Record(one.seq),
        Intervention::Insert(one) => About::After(one.after),
        Intervention::SetFact(one) => About::After(one.after),
        Intervention::Retire(one) => About::After(one.after),
    }
}

/// What happened after `at` up to `until`, with the interventions done.
pub(super) fn plan(journal: &Journal, at: Seq, until: Seq, interventions: &[Intervention]) -> Result<Plan, Refusal> {
    let mut groups = groups(journal, at, until);
    let start = journal
        .record(at)
        .map_or_else(|| journal.records().next().map_or(0, |record| record.recorded_at), |record| record.recorded_at);
    // Later ones first, so that places stay what they are; those of one place in their order.
    let mut added: Vec<(usize, Group)> = Vec::new();
    for (index, intervention) in interventions.iter().enumerate() {
        let here = || format!("/interventions/{index}");
        let seq = match about(intervention) {
            About::Record(seq) => Some(seq),
            About::After(seq) => seq,
        };
        let least = if matches!(about(intervention), About::Record(_)) { at + 1 } else { at };
        if let Some(seq) = seq.filter(|seq| *seq < least || *seq > journal.head().seq) {
            let code = if seq < least { "before-fork" } else { "beyond-head" };
            let message =
                format!("record {seq} is not after the fork, which starts at record {at}, and before its end");
            return Err(Refusal::new(code, message).at_path(here()));
        }
        match intervention {
            Intervention::Drop(_) | Intervention::Replace(_) | Intervention::Delay(_) => {
                let (group, place) = holder(journal, &groups, seq.unwrap_or(0), index)?;
                change(&mut groups, group, place, intervention, &mut added).map_err(|refusal| {
                    let path = refusal.path.clone().unwrap_or_default();
                    refusal.at_path(format!("{}{path}", here()))
                })?;
            }
            Intervention::Insert(one) => {
                added.push(inserted(&groups, one.after, start, one.command.to_value(), one.meta.clone()));
            }
            Intervention::SetFact(one) => {
                let command = Command::from(AssertFact {
                    key: one.key.clone(),
                    value: one.value.clone(),
                    subject: one.subject.clone(),
                    source: None,
                    sources: Vec::new(),
                    confidence: None,
                    valid_to: None,
                    expected_version: None,
                });
                added.push(inserted(&groups, one.after, start, command.to_value(), Meta::default()));
            }
            Intervention::Retire(one) => {
                let command = Command::from(RetireEntity { entity: one.entity.clone(), expected_version: None });
                added.push(inserted(&groups, one.after, start, command.to_value(), Meta::default()));
            }
        }
    }
    // Stable: of two at one place the first stays first.
    added.order_by_key(|(place, _)| *place);
    for (place, group) in added.into_iter().rev() {
        let end = groups.len();
        groups.insert(place.min(end), group);
    }
    groups.retain(|group| !group.happenings.is_empty());
    Ok(Plan { groups })
}

fn inserted(groups: &[Group], after: Option<Seq>, start: Millis, command: Value, meta: Meta) -> (usize, Group) {
    let place = after.map_or(0, |seq| groups.partition_point(|group| *group.records.start() <= seq));
    let at = place.checked_sub(1).and_then(|before| groups.get(before)).map_or(start, |group| group.at);
    let kind = Kind::Command { command, meta, before: None };
    let happening = Happening { seq: None, seqs: Vec::new(), kind, mark: "" };
    // An empty range of records: nothing of the source stands for it.
    #[expect(clippy::reversed_empty_ranges, reason = "no record of the source")]
    (place, Group { at, records: 1..=0, happenings: vec![happening] })
}

fn change(
    groups: &mut [Group],
    group: usize,
    place: usize,
    intervention: &Intervention,
    added: &mut Vec<(usize, Group)>,
) -> Result<(), Refusal> {
    let later = groups.iter().map(|group| group.at).collect::<Vec<_>>();
    let Some(of) = groups.get_mut(group) else { return Ok(()) };
    let Some(happening) = of.happenings.get_mut(place) else { return Ok(()) };
    match intervention {
        Intervention::Drop(_) => {
            let seq = happening.seq.unwrap_or(0);
            let command = match &happening.kind {
                Kind::Command { command, .. } => {
                    Some(command.get("type").and_then(Value::as_str).unwrap_or("").to_owned())
                }
                _ => None,
            };
            happening.kind = Kind::Dropped { seq, command };
        }
        Intervention::Replace(one) => {
            match (&mut happening.kind, &one.command, &one.output) {
                (Kind::Command { command, .. }, Some(other), None) => *command = other.to_value(),
                (Kind::Result(given), None, Some(output)) => {
                    given.result = Ok(output.clone());
                    given.finished = ExchangeFinished {
                        ending: "done".to_owned(),
                        text: output.as_str().map_or_else(|| output.to_json(), str::to_owned),
                        ..ExchangeFinished::default()
                    };
                }
                (Kind::Command { .. }, ..) => {
                    let message = "this record was made by a command: replace it by a `command`, and give no `output`";
                    return Err(Refusal::new("replace-by-what", message));
                }
                _ => {
                    let message = "this record is what a call or an exchange gave: replace it by an `output`, and give no `command`";
                    return Err(Refusal::new("replace-by-what", message));
                }
            }
            happening.mark = "replaced";
        }
        Intervention::Delay(one) => {
            let by = parse_duration(&one.by).and_then(|duration| duration.exact_ms());
            let by = by.map_err(|error| Refusal::new("bad-duration", error.to_string()).at_path("/by"))?;
            if by < 0 {
                return Err(Refusal::new("bad-duration", "a delay is not negative").at_path("/by"));
            }
            let at = of.at.saturating_add(by);
            let mut moved = of.happenings.remove(place);
            // What leaves its frame empty leaves the clock's step there.
            if of.happenings.is_empty() {
                of.happenings.push(Happening { seq: None, seqs: Vec::new(), kind: Kind::Tick, mark: "" });
            }
            moved.mark = "delayed";
            let records = of.records.clone();
            let place = later
                .iter()
                .enumerate()
                .skip(group + 1)
                .find(|(_, other)| **other > at)
                .map_or(later.len(), |(p, _)| p);
            added.push((place, Group { at, records, happenings: vec![moved] }));
        }
        _ => {}
    }
    Ok(())
}

/// The happening that made a record.
fn holder(journal: &Journal, groups: &[Group], seq: Seq, index: usize) -> Result<(usize, usize), Refusal> {
    for (at, group) in groups.iter().enumerate() {
        if let Some(place) = group.happenings.iter().position(|one| one.seqs.contains(&seq)) {
            return Ok((at, place));
        }
    }
    let mut cause = journal.record(seq).and_then(|record| record.cause);
    while let Some(record) = cause.and_then(|seq| journal.record(seq)) {
        let found = groups.iter().any(|group| group.happenings.iter().any(|one| one.seqs.contains(&record.seq)));
        if found || record.cause.is_none() {
            let message = format!("record {seq} follows by itself from record {}; name that one", record.seq);
            return Err(Refusal::new("follows-by-itself", message).at_path(format!("/interventions/{index}/seq")));
        }
        cause = record.cause;
    }
    let message = format!("record {seq} follows by itself from the clock; cancel its event, or set what it looks at");
    Err(Refusal::new("follows-by-itself", message).at_path(format!("/interventions/{index}/seq")))
}

fn groups(journal: &Journal, at: Seq, until: Seq) -> Vec<Group> {
    let frames = journal.frames().iter().filter(|frame| frame.last() > at && frame.first <= until);
    let mut calls: BTreeMap<(String, String), (String, Value)> = BTreeMap::new();
    let mut requests: BTreeMap<String, (String, Value)> = BTreeMap::new();
    let mut parts = Parts::default();
    for record in journal.records().take_while(|record| record.seq <= until) {
        asked(record, &mut parts, &mut calls, &mut requests);
    }
    frames
        .map(|frame| {
            let mut happenings: Vec<Happening> = commands(frame, at, until);
            let inside = frame.records.iter().filter(|record| record.seq > at && record.seq <= until);
            happenings.extend(inside.filter_map(|record| given(record, &calls, &requests)));
            happenings.order_by_key(|one| one.seq);
            if happenings.is_empty() {
                happenings.push(Happening { seq: None, seqs: Vec::new(), kind: Kind::Tick, mark: "" });
            }
            Group { at: frame.wall, records: frame.first.max(at + 1)..=frame.last().min(until), happenings }
        })
        .collect()
}

/// The commands of a frame that came from outside, also those that were refused.
fn commands(frame: &Frame, at: Seq, until: Seq) -> Vec<Happening> {
    let mut out = Vec::new();
    for entry in frame.commands.iter().filter_map(|entry| from_value::<CommandEntry>(entry).ok()) {
        let rule = entry.meta.actor.as_ref().is_some_and(|actor| actor.kind == ActorKind::Rule);
        let first = entry.records.first().copied().unwrap_or(0);
        if entry.by_itself || (rule && entry.meta.cause.is_some()) || first <= at || first > until {
            continue;
        }
        // What memories say lies in their records; of what was purged nothing can be decided again.
        let made: Vec<&Record> = frame.records.iter().filter(|r| entry.records.contains(&r.seq)).collect();
        let Some(command) = crate::erase::with_words(&entry.command, &made) else { continue };
        let kind = Kind::Command { command, meta: entry.meta, before: Some(Ok(entry.result)) };
        out.push(Happening { seq: Some(first), seqs: entry.records, kind, mark: "" });
    }
    // A refused command of which something was erased cannot be decided again either.
    let is_whole = |record: &&Record| !matches!(record.body, throughline_journal::Body::Rest { .. });
    for record in frame.records.iter().filter(|record| record.seq > at && record.seq <= until).filter(is_whole) {
        let data = record.data();
        let code = data.get("code").and_then(Value::as_str).unwrap_or("").to_owned();
        let (command, meta) = match record.kind.as_str() {
            "command.refused" if data.get("by_itself").is_none() => {
                // A text that was no command, or was too long to keep, cannot be decided again.
                let Some(command) = data.get("command").filter(|command| command.get("type").is_some()) else {
                    continue;
                };
                (command.clone(), data.get("meta").and_then(|meta| from_value(meta).ok()))
            }
            "machine.refused" if record.actor.kind != ActorKind::Rule && record.cause.is_none() => {
                let Some(event) = data.get("event") else { continue };
                let mut command = Map::new();
                command.insert("type".to_owned(), Value::from("send_event"));
                command.insert("event".to_owned(), event.clone());
                if let Some(with) = data.get("data").filter(|with| !with.is_null()) {
                    command.insert("data".to_owned(), with.clone());
                }
                (Value::Map(command), None)
            }
            _ => continue,
        };
        let meta = meta.unwrap_or_else(|| meta_of(record));
        let kind = Kind::Command { command, meta, before: Some(Err(code)) };
        out.push(Happening { seq: Some(record.seq), seqs: vec![record.seq], kind, mark: "" });
    }
    out
}

fn meta_of(record: &Record) -> Meta {
    Meta {
        thread: Some(record.thread.clone()),
        turn: Some(record.turn),
        actor: Some::<Actor>(record.actor.clone()),
        reason: (!record.reason.is_empty()).then(|| record.reason.clone()),
        valid_from: (record.valid_from != record.recorded_at).then(|| record.valid_from.into()),
        cause: record.cause,
        origin: record.origin.clone(),
        ..Meta::default()
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or("").to_owned()
}

/// What a record asks the world outside for.
fn asked(
    record: &Record,
    parts: &mut Parts,
    calls: &mut BTreeMap<(String, String), (String, Value)>,
    requests: &mut BTreeMap<String, (String, Value)>,
) {
    let data = record.data();
    match record.kind.as_str() {
        "step.started" => {
            let call = data.get("call").or_else(|| data.get("input")).unwrap_or(data);
            let tool = call.get("tool").and_then(Value::as_str).unwrap_or("").to_owned();
            let args = call.get("args").or_else(|| call.get("arguments")).cloned().unwrap_or_default();
            calls.insert((text(data, "run"), text(data, "step")), (tool, args));
        }
        // The answer of an address: a step holds its name, and the document its words.
        "document.added" if record.actor.kind == ActorKind::Tool => {
            let version = data.get("version").map(Value::to_json).unwrap_or_default();
            let answer = [("content_type", text(data, "media_type")), ("text", text(data, "text"))];
            calls.insert((text(data, "name"), version), (String::new(), Value::from(answer)));
        }
        REQUESTED => {
            parts.take(data);
            let request = parts.whole(data).get("request").cloned().unwrap_or_default();
            requests.insert(text(data, "exchange"), (text(data, "purpose"), request));
        }
        _ => {}
    }
}

/// What a record says that the world outside gave.
fn given(
    record: &Record,
    calls: &BTreeMap<(String, String), (String, Value)>,
    requests: &BTreeMap<String, (String, Value)>,
) -> Option<Happening> {
    let data = record.data();
    let made = match record.kind.as_str() {
        "step.finished" | "step.failed" | "step.retried" if record.actor.kind == ActorKind::Tool => {
            let (tool, args) = calls.get(&(text(data, "run"), text(data, "step"))).cloned().unwrap_or_default();
            // A step that has its fallback failed all the same.
            let result = if record.kind == "step.finished" && data.get("code").is_none() {
                let output = data.get("output").cloned().unwrap_or_default();
                let version = output.get("version").map(Value::to_json).unwrap_or_default();
                let named = data.get("document").and_then(Value::as_bool) == Some(true);
                let answer = calls.get(&(text(&output, "document"), version)).filter(|_| named);
                Ok(answer.map_or(output, |(_, answer)| answer.clone()))
            } else {
                let code = text(data, "code");
                Err(Refusal::new(if code.is_empty() { "tool-failed" } else { &code }, text(data, "error")))
            };
            let name = if tool.is_empty() { record.actor.name.clone().unwrap_or_default() } else { tool };
            Given { seq: record.seq, name, args, result, request: None, finished: ExchangeFinished::default() }
        }
        "exchange.finished" | "exchange.failed" => {
            let finished: ExchangeFinished = from_value(data).ok()?;
            let (purpose, request) = requests.get(&finished.exchange).cloned().unwrap_or_default();
            let result = Ok(Value::Null);
            Given { seq: record.seq, name: purpose, args: Value::Null, result, request: Some(request), finished }
        }
        _ => return None,
    };
    let seq = record.seq;
    Some(Happening { seq: Some(seq), seqs: vec![seq], kind: Kind::Result(Box::new(made)), mark: "" })
}
