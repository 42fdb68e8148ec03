//! May it? What is decided is written into the records with everything resolved.

use throughline_journal::Millis;
use throughline_protocol::command::{Amend, Forget, MemoryItem, Recover, Remember};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{Map, Named, Number, Value};

use crate::limits::{
    MAX_DATA_BYTES, MAX_ENTITIES, MAX_ITEMS, MAX_KINDS, MAX_MILLIS, MAX_NAME_BYTES, MAX_SUGGESTION_NAMES,
    MAX_TEXT_BYTES,
};
use crate::memory::Memory;
use crate::{kind, memory, time};

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
        let draft = ctx.draft(kind::REMEMBERED, Value::from([("items", Value::List(items))]));
        Ok(Decision::one(draft, Value::from([("memories", ids)])))
    }

    /// Decides to correct an event.
    ///
    /// # Errors
    /// `unknown-memory`, `memory-forgotten`, and those of [`Memory::remember`] for what is given.
    pub fn amend(&self, ctx: &Context<'_>, command: &Amend) -> Result<Decision, Refusal> {
        let item = self.known(&command.memory, "/memory")?;
        let newest = throughline_journal::Seq::MAX;
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
        if let Some(until) = old.until.filter(|until| *until < at) {
            return Err(ends_before(at, until, "/at"));
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
        Ok(Decision::one(ctx.draft(kind::AMENDED, Value::Map(data)), Value::from([("memory", id)])))
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
    fn of_origin(&self, source: &str, seq: u64) -> Option<Vec<String>> {
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
            if at.abs() > MAX_MILLIS {
                let message = "the valid time of the command lies too far from 1970; give `at`";
                return Err(Refusal::new("time-out-of-range", message).at_path(path));
            }
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
    if !item.data.is_null() {
        if item.data.to_json().len() > MAX_DATA_BYTES {
            let message = format!("the data has over {MAX_DATA_BYTES} bytes; keep it as a document");
            return Err(Refusal::new("data-too-long", message).at_path(here("data")));
        }
        data.insert("data".into(), item.data.clone());
    }
    Ok(Value::Map(data))
}

/// Writes a resolved instant; where the domain's zone was taken for a text, the text stays beside it.
fn write_time(data: &mut Map, name: &str, given: &throughline_protocol::Time, resolved: &time::Resolved) {
    data.insert(name.into(), resolved.ms.into());
    if let (throughline_protocol::Time::Text(text), true) = (given, resolved.zone_assumed) {
        data.insert(format!("{name}_text"), text.as_str().into());
        data.insert("zone_assumed".into(), true.into());
    }
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
    let message = format!("importance goes from 0 to 1, not {importance}");
    Err(Refusal::new("importance-out-of-range", message).at_path(path))
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
