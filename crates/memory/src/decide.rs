//! May it? What is decided is written into the records with everything resolved.

use throughline_journal::Millis;
use throughline_protocol::command::{
    Amend, Forget, ForgetBy, MemoryItem, Purge, Recover, Remember, RememberColumns, Touch,
};
use throughline_protocol::{At, Context, Decision, Refusal};
use throughline_value::{InOrder as _, Map, Named, Number, Value};

use crate::columns::{Columns, Packed};
use crate::forgetting::Policy;
use crate::limits::{
    MAX_DATA_BYTES, MAX_ENTITIES, MAX_ITEMS, MAX_KINDS, MAX_NAME_BYTES, MAX_SUGGESTION_NAMES, MAX_TEXT_BYTES,
};
use crate::memory::Memory;
use crate::{kind, memory, time, vectors};

impl Memory {
    /// Decides to remember events: all of the command's, or none. The same origin again changes nothing.
    ///
    /// # Errors
    /// `nothing-to-remember`, `too-many-items`, `empty-kind`, `name-too-long`, `too-many-kinds`,
    /// `text-too-long`, `data-too-long`, `too-many-entities`, `importance-out-of-range`, `ends-before-begin`,
    /// `time-out-of-range`, and those of reading an instant.
    pub fn remember(&self, ctx: &Context<'_>, command: &Remember) -> Result<Decision, Refusal> {
        if command.items.is_empty() {
            return Err(Refusal::new("nothing-to-remember", "give at least one event").at_path("/items"));
        }
        limit_list(command.items.len(), "/items")?;
        if let Some(ids) = ctx.origin.and_then(|origin| self.of_origin(&origin.source, origin.seq)) {
            let result = Value::from([("memories", Value::from(ids)), ("unchanged", Value::Bool(true))]);
            return Ok(Decision::unchanged(result));
        }
        let mut ids = Vec::new();
        let mut items = Vec::new();
        let mut new_kinds = Named::<(), &str>::new();
        let mut place = 0;
        for (i, item) in command.items.iter().enumerate() {
            let id = self.free_id(ctx.next_seq, &mut place);
            items.push(remembered(ctx, item, &id, &format!("/items/{i}"))?);
            ids.push(id);
            if !self.table.kinds.contains(item.kind.as_str()) {
                new_kinds.insert(item.kind.as_str(), ());
            }
        }
        if self.table.kinds.len() + new_kinds.len() > MAX_KINDS {
            let message = format!("there are {MAX_KINDS} kinds of events already; use one of them");
            return Err(Refusal::new("too-many-kinds", message).at_path("/items"));
        }
        let draft = erasable(ctx.draft(kind::REMEMBERED, Value::from([("items", Value::List(items))])));
        Ok(Decision::one(draft, Value::from([("memories", ids)])))
    }

    /// Decides to remember many events given as columns. The same origin again changes nothing; the answer says how
    /// many events are in from there, so that whoever gave more of them goes on after those.
    ///
    /// # Errors
    /// Those of reading the columns: `bad-column`, `too-many-items`, `source-differs`, and those of
    /// [`Memory::remember`].
    pub fn remember_columns(&self, ctx: &Context<'_>, command: &RememberColumns) -> Result<Decision, Refusal> {
        let same = |c: &Columns| c.kinds == command.kinds && c.entities == command.entities;
        let columns = match self.handed.take(&Packed::of_command(command), same) {
            Some(columns) => columns.check().map(|()| columns)?,
            None => Columns::read(command)?,
        };
        columns.at.iter().try_for_each(|at| time::check(*at, "/at"))?;
        let ends =
            columns.at.iter().zip(&columns.lasts).filter_map(|(at, lasts)| Some(at + i64::try_from(*lasts).ok()?));
        ends.into_iter().try_for_each(|end| time::check(end, "/lasts"))?;
        let count = columns.at.len();
        let done = |first: u64, count: usize, unchanged: bool| {
            let mut result = Map::new();
            result.insert("first".into(), memory::usual_id(first, 0).into());
            result.insert("record".into(), first.into());
            result.insert("count".into(), count.into());
            if unchanged {
                result.insert("unchanged".into(), true.into());
            }
            Value::Map(result)
        };
        if let Some(origin) = ctx.origin
            && let Some(item) = self.origins.get(&origin.source).and_then(|of| of.get(&origin.seq)?.first())
        {
            let seq = self.table.item(*item).map_or(0, |i| i.seq);
            // The events of a record have numbers that follow each other.
            let known = (*item..).take_while(|item| self.table.item(*item).is_some_and(|i| i.seq == seq)).count();
            self.same_events(*item, columns.at.get(..known).unwrap_or(&columns.at), origin)?;
            return Ok(Decision::unchanged(done(seq, known, true)));
        }
        let new_kinds = columns.kinds.iter().filter(|kind| !self.table.kinds.contains(kind)).count();
        if self.table.kinds.len() + new_kinds > MAX_KINDS {
            let message = format!("there are {MAX_KINDS} kinds of events already; use one of them");
            return Err(Refusal::new("too-many-kinds", message).at_path("/kinds"));
        }
        if !self.table.has_room(count, columns.text.len()) {
            let message = "this journal's memory is full; remember in another journal";
            return Err(Refusal::new("memory-full", message));
        }
        // A fork may have taken the usual ids.
        let taken = |first: &u64| self.table.find(&memory::usual_id(*first, 0)).is_some();
        let first = (ctx.next_seq..).find(|first| !taken(first)).unwrap_or(ctx.next_seq);
        let mut data = columns.to_value_as(command);
        if let Value::Map(map) = &mut data {
            map.insert("first".into(), first.into());
            map.insert("rows".into(), count.into());
        }
        self.handed.put(&Packed::of_data(&data), columns);
        Ok(Decision::one(erasable(ctx.draft(kind::COLUMNS, data)), done(first, count, false)))
    }

    /// Refuses events that are not those which came from the source before: they would be dropped in silence.
    fn same_events(&self, first: u32, at: &[Millis], origin: &throughline_journal::Origin) -> Result<(), Refusal> {
        for (item, at) in (first..).zip(at) {
            // What was purged cannot be compared.
            let row = self.table.first_row(item).filter(|_| self.table.purged(item).is_none());
            let Some(before) = row.and_then(|row| self.table.at(row)).filter(|before| before != at) else { continue };
            let (source, number) = (&origin.source, origin.seq + u64::from(item - first));
            let message = format!("event {number} of `{source}` was at {before} and is at {at}: it is another event");
            let refusal = Refusal::new("source-differs", message).at_path("/at");
            return Err(refusal.suggest("name another log otherwise, and correct events with `amend`"));
        }
        Ok(())
    }

    /// Decides to note that events were used.
    ///
    /// # Errors
    /// `unknown-memory`, `too-many-items`, and those of reading an instant.
    pub fn touch(&self, ctx: &Context<'_>, command: &Touch) -> Result<Decision, Refusal> {
        limit_list(command.memories.len(), "/memories")?;
        let at = match &command.at {
            Some(given) => time::resolve(given, ctx.domain, "/at")?.ms,
            None => ctx.now,
        };
        let mut touched = Named::<(), &str>::new();
        for (i, id) in command.memories.iter().enumerate() {
            let item = self.known(id, &format!("/memories/{i}"))?;
            if self.table.purged(item).is_none()
                && self.table.used_at(item, throughline_journal::Seq::MAX).is_none_or(|used| used < at)
            {
                touched.insert(id.as_str(), ());
            }
        }
        let count = touched.len();
        if count == 0 {
            let result = Value::from([("touched", Value::from(0)), ("unchanged", Value::Bool(true))]);
            return Ok(Decision::unchanged(result));
        }
        let ids: Vec<&str> = touched.into_keys().collect();
        let draft = ctx.draft(kind::TOUCHED, Value::from([("memories", Value::from(ids)), ("at", at.into())]));
        Ok(Decision::one(draft, Value::from([("touched", count)])))
    }

    /// Decides to forget what a policy does not keep. The record says why of each.
    ///
    /// # Errors
    /// `no-policy` when nothing is bounded, and those of [`Memory::to_forget`].
    pub fn forget_by(&self, ctx: &Context<'_>, command: &ForgetBy) -> Result<Decision, Refusal> {
        let policy = Policy::read(ctx.now, command)?;
        let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
        let mut candidates = self.to_forget(at, &policy, usize::MAX)?;
        let more = candidates.len().saturating_sub(MAX_ITEMS);
        candidates.truncate(MAX_ITEMS);
        let count = candidates.len();
        let result = Value::from([("forgotten", Value::from(count)), ("more", Value::from(more))]);
        if count == 0 {
            return Ok(Decision::unchanged(result));
        }
        let ids: Vec<String> = candidates.iter().map(|c| c.id.clone()).collect();
        let why = candidates
            .into_iter()
            .map(|c| Value::from([("score", Value::from(c.score)), ("reason", Value::from(c.reason))]));
        let why: Vec<Value> = why.collect();
        let draft =
            ctx.draft(kind::FORGOTTEN, Value::from([("memories", Value::from(ids)), ("why", Value::List(why))]));
        Ok(Decision::one(draft, result))
    }

    /// Decides to purge events: their words go from every index, summary, export and stored byte, for ever.
    /// The engine erases the bodies of [`Memory::records_of`] when the decision is durable.
    ///
    /// # Errors
    /// `unknown-memory`, `too-many-items`.
    pub fn decide_purge(&self, ctx: &Context<'_>, command: &Purge) -> Result<Decision, Refusal> {
        limit_list(command.memories.len(), "/memories")?;
        let mut purged = Named::<(), &str>::new();
        for (i, id) in command.memories.iter().enumerate() {
            let item = self.known(id, &format!("/memories/{i}"))?;
            if self.table.purged(item).is_none() {
                purged.insert(id.as_str(), ());
            }
        }
        let count = purged.len();
        if count == 0 {
            let result = Value::from([("purged", Value::from(0)), ("unchanged", Value::Bool(true))]);
            return Ok(Decision::unchanged(result));
        }
        let ids: Vec<&str> = purged.into_keys().collect();
        let draft = ctx.draft(kind::PURGED, Value::from([("memories", Value::from(ids))]));
        Ok(Decision::one(draft, Value::from([("purged", count)])))
    }

    /// The records that hold what events said, for a purge: each once, in order.
    #[must_use]
    pub fn records_of(&self, ids: &[&str]) -> Vec<throughline_journal::Seq> {
        let items = ids.iter().filter_map(|id| self.table.find(id));
        let rows = items.flat_map(|item| {
            let own = self.table.item(item).map(|i| i.seq);
            own.into_iter()
                .chain(self.table.rows_of(item).into_iter().filter_map(|row| Some(self.table.row(row)?.born)))
        });
        let mut seqs: Vec<throughline_journal::Seq> = rows.collect();
        seqs.order();
        seqs.dedup();
        seqs
    }

    /// What is left of a record's data when some events in it are purged.
    #[must_use]
    pub fn rest_of(kind: &str, data: &Value, ids: &[&str]) -> Value {
        let tomb = |name: &str, id: &str| Value::from([(name, Value::from(id)), ("purged", true.into())]);
        match kind {
            kind::COLUMNS => {
                let first = data.get("first").and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
                let rows: std::collections::BTreeSet<u32> =
                    ids.iter().filter_map(|id| id.strip_prefix(&format!("m_{first}_"))?.parse().ok()).collect();
                let Some(columns) = Columns::of(data) else { return Value::Null };
                let mut rest = columns.without(&|row| rows.contains(&row)).to_value();
                if let Value::Map(map) = &mut rest {
                    map.insert("first".into(), first.into());
                    map.insert("rows".into(), columns.at.len().into());
                }
                rest
            }
            kind::AMENDED => match data.get("memory").and_then(Value::as_str) {
                Some(id) if ids.contains(&id) => tomb("memory", id),
                _ => data.clone(),
            },
            _ => {
                let items = data.get("items").and_then(Value::as_list).unwrap_or_default();
                let rest = items.iter().map(|item| match item.get("id").and_then(Value::as_str) {
                    Some(id) if ids.contains(&id) => tomb("id", id),
                    _ => item.clone(),
                });
                Value::from([("items", Value::List(rest.collect()))])
            }
        }
    }

    /// Decides to correct an event.
    ///
    /// # Errors
    /// `unknown-memory`, `memory-forgotten`, and those of [`Memory::remember`] for what is given.
    pub fn amend(&self, ctx: &Context<'_>, command: &Amend) -> Result<Decision, Refusal> {
        let item = self.known(&command.memory, "/memory")?;
        let newest = throughline_journal::Seq::MAX;
        self.not_purged(item, "/memory")?;
        if self.table.is_forgotten(item, newest) {
            let message = format!("`{}` is forgotten", command.memory);
            let refusal = Refusal::new("memory-forgotten", message).at_path("/memory");
            return Err(refusal.suggest("recover it first"));
        }
        let row = self.table.version_at(item, newest);
        let Some(old) = row.and_then(|row| self.table.content(row)) else {
            return Err(self.unknown(&command.memory, "/memory"));
        };
        let mut data = Map::new();
        data.insert("memory".into(), command.memory.as_str().into());
        let mut at = old.at;
        if let Some(given) = &command.at {
            let resolved = time::resolve(given, ctx.domain, "/at")?;
            at = resolved.ms;
            if at != old.at {
                write_time(&mut data, "at", given, &resolved);
            }
        }
        let mut until = old.until;
        if let Some(given) = &command.until {
            let resolved = time::resolve(given, ctx.domain, "/until")?;
            until = Some(resolved.ms);
            if until != old.until {
                write_time(&mut data, "until", given, &resolved);
            }
        }
        if let Some(until) = until.filter(|until| *until < at) {
            return Err(ends_before(at, until, if command.until.is_some() { "/until" } else { "/at" }));
        }
        if let Some(text) = &command.text {
            limit_text(text, "/text")?;
            if *text != old.text {
                data.insert("text".into(), text.as_str().into());
            }
        }
        if let Some(entities) = &command.entities {
            let entities = clean_entities(entities, "/entities")?;
            if entities != old.entities {
                data.insert("entities".into(), Value::from(entities));
            }
        }
        if let Some(importance) = &command.importance {
            limit_importance(importance, "/importance")?;
            if old.importance.as_ref() != Some(importance) {
                data.insert("importance".into(), importance.clone().into());
            }
        }
        let id = Value::from(command.memory.as_str());
        if data.len() == 1 {
            return Ok(Decision::unchanged(Value::from([("memory", id), ("unchanged", Value::Bool(true))])));
        }
        Ok(Decision::one(erasable(ctx.draft(kind::AMENDED, Value::Map(data))), Value::from([("memory", id)])))
    }

    /// Decides to forget events: they are hidden from every view from then on, until recovered.
    ///
    /// # Errors
    /// `unknown-memory`, `too-many-items`.
    pub fn forget(&self, ctx: &Context<'_>, command: &Forget) -> Result<Decision, Refusal> {
        self.turn_all(ctx, &command.memories, true)
    }

    /// Decides to bring forgotten events back.
    ///
    /// # Errors
    /// As [`Memory::forget`].
    pub fn recover(&self, ctx: &Context<'_>, command: &Recover) -> Result<Decision, Refusal> {
        self.turn_all(ctx, &command.memories, false)
    }

    fn turn_all(&self, ctx: &Context<'_>, ids: &[String], forgotten: bool) -> Result<Decision, Refusal> {
        limit_list(ids.len(), "/memories")?;
        let mut turned = Named::<(), &str>::new();
        for (i, id) in ids.iter().enumerate() {
            let item = self.known(id, &format!("/memories/{i}"))?;
            self.not_purged(item, &format!("/memories/{i}"))?;
            if self.table.is_forgotten(item, throughline_journal::Seq::MAX) != forgotten {
                turned.insert(id.as_str(), ());
            }
        }
        let (kind, name) = if forgotten { (kind::FORGOTTEN, "forgotten") } else { (kind::RECOVERED, "recovered") };
        if turned.is_empty() {
            let result = Value::from([(name, Value::from(0)), ("unchanged", Value::Bool(true))]);
            return Ok(Decision::unchanged(result));
        }
        let count = turned.len();
        let turned: Vec<&str> = turned.into_keys().collect();
        let draft = ctx.draft(kind, Value::from([("memories", Value::from(turned))]));
        Ok(Decision::one(draft, Value::from([(name, count)])))
    }

    /// The ids that an origin gave before, in the order of writing.
    #[must_use]
    pub fn of_origin(&self, source: &str, seq: u64) -> Option<Vec<String>> {
        let items = self.origins.get(source)?.get(&seq)?;
        Some(items.iter().map(|item| self.table.id(*item)).collect())
    }

    /// The next id that no event has; a fork may have taken the usual one.
    fn free_id(&self, seq: u64, place: &mut u32) -> String {
        loop {
            let id = memory::usual_id(seq, *place);
            *place += 1;
            if self.table.find(&id).is_none() {
                return id;
            }
        }
    }

    pub(crate) fn known(&self, id: &str, path: &str) -> Result<u32, Refusal> {
        self.table.find(id).ok_or_else(|| self.unknown(id, path))
    }

    pub(crate) fn not_purged(&self, item: u32, path: &str) -> Result<(), Refusal> {
        match self.table.purged(item) {
            None => Ok(()),
            Some(seq) => {
                let message = format!("`{}` was purged by record {seq}; nothing of it is left", self.table.id(item));
                Err(Refusal::new("memory-purged", message).at_path(path))
            }
        }
    }

    fn unknown(&self, id: &str, path: &str) -> Refusal {
        let refusal = Refusal::new("unknown-memory", format!("there is no memory `{id}`")).at_path(path);
        let newest = self.table.items().rev().take(MAX_SUGGESTION_NAMES).map(|(item, _)| self.table.id(item));
        match newest.min_by_key(|other| distance(id, other)) {
            Some(near) if distance(id, &near) <= 2 => refusal.suggest(format!("did you mean `{near}`?")),
            _ => refusal.suggest("use an id that `remember` or `recall` gave"),
        }
    }
}

fn remembered(ctx: &Context<'_>, item: &MemoryItem, id: &str, path: &str) -> Result<Value, Refusal> {
    let here = |name: &str| format!("{path}/{name}");
    if item.kind.trim().is_empty() {
        return Err(Refusal::new("empty-kind", "name the kind of the event").at_path(here("kind")));
    }
    limit_name(&item.kind, &here("kind"))?;
    limit_text(&item.text, &here("text"))?;
    let mut data = Map::new();
    data.insert("id".into(), id.into());
    data.insert("kind".into(), item.kind.as_str().into());
    data.insert("text".into(), item.text.as_str().into());
    let at = match &item.at {
        Some(given) => {
            let resolved = time::resolve(given, ctx.domain, &here("at"))?;
            write_time(&mut data, "at", given, &resolved);
            resolved.ms
        }
        None => {
            let at = ctx.valid();
            time::check(at, path)?;
            data.insert("at".into(), at.into());
            at
        }
    };
    if let Some(given) = &item.until {
        let resolved = time::resolve(given, ctx.domain, &here("until"))?;
        if resolved.ms < at {
            return Err(ends_before(at, resolved.ms, &here("until")));
        }
        write_time(&mut data, "until", given, &resolved);
    }
    let entities = clean_entities(&item.entities, &here("entities"))?;
    if !entities.is_empty() {
        data.insert("entities".into(), Value::from(entities));
    }
    if let Some(importance) = &item.importance {
        limit_importance(importance, &here("importance"))?;
        data.insert("importance".into(), importance.clone().into());
    }
    if let Some(confidence) = &item.confidence {
        limit_importance(confidence, &here("confidence"))?;
        data.insert("confidence".into(), confidence.clone().into());
    }
    if !item.vector.is_null() {
        data.insert("vector".into(), vectors::pack(&vectors::read(&item.vector, &here("vector"))?).into());
    }
    if !item.data.is_null() {
        if item.data.to_json().len() > MAX_DATA_BYTES {
            let message = format!("the data has over {MAX_DATA_BYTES} bytes; keep it as a document");
            return Err(Refusal::new("data-too-long", message).at_path(here("data")));
        }
        data.insert("data".into(), item.data.clone());
    }
    Ok(Value::Map(data))
}

/// Writes a resolved instant. A text stays beside it as it was given, and that the domain's zone was taken for it.
fn write_time(data: &mut Map, name: &str, given: &throughline_protocol::Time, resolved: &time::Resolved) {
    data.insert(name.into(), resolved.ms.into());
    if let throughline_protocol::Time::Text(text) = given {
        data.insert(format!("{name}_text"), text.as_str().into());
    }
    if resolved.zone_assumed {
        data.insert("zone_assumed".into(), true.into());
    }
}

/// What a memory says can be purged: it is sealed apart from its frame.
fn erasable(draft: throughline_journal::Draft) -> throughline_journal::Draft {
    throughline_journal::Draft { erasable: true, ..draft }
}

fn ends_before(at: Millis, until: Millis, path: &str) -> Refusal {
    let message = format!("it would end ({until}) before it begins ({at})");
    Refusal::new("ends-before-begin", message).at_path(path)
}

fn limit_list(len: usize, path: &str) -> Result<(), Refusal> {
    if len <= MAX_ITEMS {
        return Ok(());
    }
    let message = format!("{len} are more than {MAX_ITEMS}; give them in several commands");
    Err(Refusal::new("too-many-items", message).at_path(path))
}

fn limit_name(name: &str, path: &str) -> Result<(), Refusal> {
    if name.len() <= MAX_NAME_BYTES {
        return Ok(());
    }
    let message = format!("a name has at most {MAX_NAME_BYTES} bytes; put the rest into the text");
    Err(Refusal::new("name-too-long", message).at_path(path))
}

fn limit_text(text: &str, path: &str) -> Result<(), Refusal> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    let message = format!("a text has at most {MAX_TEXT_BYTES} bytes; keep the whole as a document");
    Err(Refusal::new("text-too-long", message).at_path(path))
}

fn limit_importance(importance: &Number, path: &str) -> Result<(), Refusal> {
    if *importance >= Number::from(0) && *importance <= Number::from(1) {
        return Ok(());
    }
    let name = path.rsplit('/').next().unwrap_or("importance");
    let message = format!("{name} goes from 0 to 1, not {importance}");
    Err(Refusal::new(&format!("{name}-out-of-range"), message).at_path(path))
}

/// The entities, each once, in the order given.
fn clean_entities(entities: &[String], path: &str) -> Result<Vec<String>, Refusal> {
    if entities.len() > MAX_ENTITIES {
        let message = format!("an event has at most {MAX_ENTITIES} entities");
        return Err(Refusal::new("too-many-entities", message).at_path(path));
    }
    let mut seen = Named::<()>::new();
    for (i, entity) in entities.iter().enumerate() {
        limit_name(entity, &format!("{path}/{i}"))?;
        seen.insert(entity.clone(), ());
    }
    Ok(seen.into_keys().collect())
}

/// How many characters must change to make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, above) in b.iter().zip(row.iter().skip(1)) {
            let best = (corner + usize::from(x != *y)).min(left + 1).min(above + 1);
            next.push(best);
            (corner, left) = (*above, best);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
