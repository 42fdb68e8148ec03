//! What an entity type allows: which fields, of which types, in which form they are stored.

use regex::RegexBuilder;
use throughline_expr::time::{Zone, format_instant, parse_duration, parse_instant};
use throughline_journal::Millis;
use throughline_protocol::check::check_value;
use throughline_protocol::domain::{EntityType, FieldType};
use throughline_protocol::{Context, Domain, Refusal, Time, nearest};
use throughline_value::{Map, Value};

use crate::limits::{MAX_FIELDS, MAX_NAME_BYTES, MAX_PATTERN_BYTES, MAX_PATTERN_SIZE};
use crate::world::World;

/// Fields in the form in which they are stored.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) fields: Map,
    /// How those were spelled that were put into another form.
    pub(crate) originals: Map,
    /// Those that hold a time without a zone, which was read in the domain's.
    pub(crate) zone_assumed: Vec<String>,
}

/// The contract of a type; `None` when the domain has no types at all, and any is taken.
pub(crate) fn entity_type<'d>(domain: &'d Domain, name: &str, path: &str) -> Result<Option<&'d EntityType>, Refusal> {
    if domain.entity_types.is_empty() {
        check_name(name, path)?;
        return Ok(None);
    }
    domain.entity_types.get(name).map(Some).ok_or_else(|| {
        let names: Vec<&str> = domain.entity_types.keys().map(String::as_str).collect();
        let refusal = Refusal::new("unknown-entity-type", format!("the domain has no entity type `{name}`"));
        suggest(refusal.at_path(path), name, &names)
    })
}

/// The nearest name, or all of them.
pub(crate) fn suggest(refusal: Refusal, name: &str, names: &[&str]) -> Refusal {
    match nearest(name, names) {
        Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
        None if names.is_empty() => refusal.suggest("there are none"),
        None => refusal.suggest(format!("there are {}", names.join(", "))),
    }
}

/// A name that says something and is not too long.
pub(crate) fn check_name(name: &str, path: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() {
        return Err(Refusal::new("empty", "a name cannot be empty; give it one").at_path(path));
    }
    if name.len() > MAX_NAME_BYTES {
        let message = format!("a name has at most {MAX_NAME_BYTES} bytes; this one has {}", name.len());
        return Err(Refusal::new("too-long", message).at_path(path));
    }
    Ok(())
}

/// Whether the raw id, in its normal spelling, is one that the type may have.
pub(crate) fn check_raw_id(contract: Option<&EntityType>, key: &str) -> Result<(), Refusal> {
    check_name(key, "/raw_id")?;
    let Some(pattern) = contract.and_then(|contract| contract.id_pattern.as_deref()) else { return Ok(()) };
    let bad = |why: String| Refusal::new("bad-domain", format!("the type's id pattern cannot be used: {why}"));
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(bad(format!("it has over {MAX_PATTERN_BYTES} bytes")));
    }
    let regex = RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(MAX_PATTERN_SIZE).build();
    if regex.map_err(|error| bad(error.to_string()))?.is_match(key) {
        return Ok(());
    }
    Err(Refusal::new("bad-raw-id", format!("`{key}` does not match the type's pattern `{pattern}`")).at_path("/raw_id"))
}

/// A JSON pointer one step further.
pub(crate) fn step(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The domain's zone; `None` when it has none.
pub(crate) fn zone(domain: &Domain) -> Option<Zone> {
    zone_named(domain, domain.zone.as_deref()?)
}

/// The zone of a name; `None` when it is no offset and no zone whose rules were loaded.
pub(crate) fn zone_named(domain: &Domain, name: &str) -> Option<Zone> {
    Zone::named(name, domain.zones.get(name).map(|zone| zone.rules.as_str()))
}

/// An instant that a command gives.
pub(crate) struct Instant {
    pub(crate) ms: Millis,
    /// The text it was written as.
    pub(crate) text: Option<String>,
    pub(crate) zone_assumed: bool,
}

/// Reads an instant; one without a zone is read in the domain's, and flagged, or refused.
pub(crate) fn read_time(domain: &Domain, time: &Time, path: &str) -> Result<Instant, Refusal> {
    read_time_in(zone(domain).as_ref(), time, path)
}

/// Reads an instant; one without a zone is read in this one, and flagged, or refused.
pub(crate) fn read_time_in(zone: Option<&Zone>, time: &Time, path: &str) -> Result<Instant, Refusal> {
    match time {
        Time::Millis(ms) => Ok(Instant { ms: *ms, text: None, zone_assumed: false }),
        Time::Text(text) => {
            let reading = parse_instant(text, zone).map_err(|error| expr_refusal(&error, path))?;
            Ok(Instant { ms: reading.ms, text: Some(text.clone()), zone_assumed: reading.zone_assumed })
        }
    }
}

/// A refusal with the code, the place and the words of an expression's or a time's error.
pub(crate) fn expr_refusal(error: &throughline_expr::Error, path: &str) -> Refusal {
    Refusal::new(error.code(), error.message()).at_path(path).at_span(error.span())
}

impl World {
    /// The fields in the form in which they are stored, or the first that cannot be.
    pub(crate) fn take_fields(
        &self,
        ctx: &Context<'_>,
        contract: Option<&EntityType>,
        given: &Map,
    ) -> Result<Taken, Refusal> {
        let mut taken = Taken::default();
        if given.len() > MAX_FIELDS {
            let message = format!("an entity has at most {MAX_FIELDS} fields; these are {}", given.len());
            return Err(Refusal::new("too-many", message).at_path("/fields"));
        }
        for (name, value) in given {
            let path = step("/fields", name);
            check_name(name, &path)?;
            let Some(contract) = contract else {
                taken.fields.insert(name.clone(), value.clone());
                continue;
            };
            let field = contract.fields.get(name).ok_or_else(|| {
                let names: Vec<&str> = contract.fields.keys().map(String::as_str).collect();
                let refusal = Refusal::new("unknown-field", format!("this type has no field `{name}`"));
                suggest(refusal.at_path(path.clone()), name, &names)
            })?;
            let checked = check_value(field, value).map_err(|refusal| {
                let inner = refusal.path.clone().unwrap_or_default();
                refusal.at_path(format!("{path}{inner}"))
            })?;
            let mut assumed = false;
            let stored = self.settle(ctx, field, checked, &path, &mut assumed)?;
            if stored != *value {
                let original = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
                taken.originals.insert(name.clone(), original.into());
            }
            if assumed {
                taken.zone_assumed.push(name.clone());
            }
            taken.fields.insert(name.clone(), stored);
        }
        Ok(taken)
    }

    /// Instants in one spelling, references as ids; everything else as it is.
    fn settle(
        &self,
        ctx: &Context<'_>,
        field: &FieldType,
        value: Value,
        path: &str,
        assumed: &mut bool,
    ) -> Result<Value, Refusal> {
        match (field.r#type.as_str(), value) {
            ("instant", value) => {
                let time = match (&value, value.as_i64()) {
                    (Value::Text(text), _) => Time::Text(text.clone()),
                    (_, Some(ms)) => Time::Millis(ms),
                    _ => return Ok(value),
                };
                let instant = read_time(ctx.domain, &time, path)?;
                *assumed |= instant.zone_assumed;
                Ok(format_instant(instant.ms, None).into())
            }
            ("duration", Value::Text(text)) => {
                parse_duration(&text).map_err(|error| expr_refusal(&error, path))?;
                Ok(text.into())
            }
            ("reference", Value::Text(text)) => {
                Ok(Value::from(&*self.target(&text, field.to.as_deref(), path)?.node.id))
            }
            ("list", Value::List(list)) => {
                let Some(items) = &field.items else { return Ok(Value::List(list)) };
                let settled = list
                    .into_iter()
                    .enumerate()
                    .map(|(i, item)| self.settle(ctx, items, item, &format!("{path}/{i}"), assumed));
                Ok(Value::List(settled.collect::<Result<_, _>>()?))
            }
            (_, value) => Ok(value),
        }
    }
}
