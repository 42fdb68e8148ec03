//! The rules of named time zones: loaded by command, so that the journal holds what its times were read by.

use throughline_expr::time::Zone;
use throughline_protocol::command::LoadZone;
use throughline_protocol::domain::ZoneRules;
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::Value;

use crate::domain::LoadedDomain;

/// The rules of a zone were loaded.
pub const ZONE_LOADED: &str = "zone.loaded";

/// The most zones of one journal.
pub const MAX_ZONES: usize = 100;

/// Loads the rules of a zone; the same again changes nothing.
///
/// # Errors
/// `bad-zone` when the rules cannot be read, `too-many`.
pub fn load(ctx: &Context<'_>, command: &LoadZone) -> Result<Decision, Refusal> {
    if !is_zone_name(&command.name) {
        let message = format!("`{}` is not the name of a time zone, such as `Europe/Berlin`", command.name);
        return Err(Refusal::new("bad-zone", message).at_path("/name"));
    }
    Zone::from_rules(&command.name, &command.rules)
        .map_err(|error| Refusal::new(error.code(), error.message()).at_path("/rules"))?;
    let result = |unchanged: bool| {
        let mut result =
            vec![("zone", Value::from(command.name.as_str())), ("version", command.version.as_str().into())];
        if unchanged {
            result.push(("unchanged", true.into()));
        }
        Value::Map(result.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    let known = ctx.domain.zones.get(&command.name);
    if known.is_some_and(|zone| zone.rules == command.rules && zone.version == command.version) {
        return Ok(Decision::unchanged(result(true)));
    }
    if known.is_none() && ctx.domain.zones.len() >= MAX_ZONES {
        return Err(Refusal::new("too-many", format!("a journal knows at most {MAX_ZONES} time zones")));
    }
    let data = [
        ("name", Value::from(command.name.as_str())),
        ("version", command.version.as_str().into()),
        ("rules", command.rules.as_str().into()),
    ];
    Ok(Decision::one(ctx.draft(ZONE_LOADED, data.into()), result(false)))
}

/// The domain with one zone more.
pub(crate) fn with_zone(domain: &LoadedDomain, data: &Value) -> Option<LoadedDomain> {
    let text = |name| data.get(name).and_then(Value::as_str).map(str::to_owned);
    let zone = ZoneRules { rules: text("rules")?, version: text("version")? };
    let mut domain = domain.clone();
    domain.domain.zones.insert(text("name")?, zone);
    Some(domain)
}

/// Whether it has the form of a zone's name: `Europe/Berlin`, `Etc/GMT+8`, `EST5EDT`.
pub(crate) fn is_zone_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "/_+-".contains(c))
}

/// Refuses a domain whose zone has no rules here.
///
/// # Errors
/// `unknown-zone`.
pub fn check_zone(domain: &LoadedDomain, loaded: &LoadedDomain) -> Result<(), Refusal> {
    let Some(name) = &domain.domain.zone else { return Ok(()) };
    if crate::rooms::zone_named(&loaded.domain, name).is_some() {
        return Ok(());
    }
    let message = format!("there is no time zone `{name}`, or its rules are not loaded");
    Err(Refusal::new("unknown-zone", message).at_path("/domain/zone").suggest(
        "write a name such as `Europe/Berlin` or an offset such as `+08:00`, or give its rules by `load_zone`",
    ))
}
