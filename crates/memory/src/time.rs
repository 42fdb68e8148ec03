//! Instants as callers give them.

use throughline_expr::time::{Zone, parse_instant};
use throughline_journal::Millis;
use throughline_protocol::{Domain, MAX_MILLIS, MIN_MILLIS, Refusal, Time};

/// An instant that was resolved, and whether the domain's zone was taken for it.
pub(crate) struct Resolved {
    pub(crate) ms: Millis,
    pub(crate) zone_assumed: bool,
}

/// Resolves an instant; a text without zone is read in the domain's, or refused when it has none.
pub(crate) fn resolve(time: &Time, domain: &Domain, path: &str) -> Result<Resolved, Refusal> {
    let resolved = match time {
        Time::Millis(ms) => Resolved { ms: *ms, zone_assumed: false },
        Time::Text(text) => {
            let rules = |name: &str| domain.zones.get(name).map(|zone| zone.rules.as_str());
            let zone = domain.zone.as_deref().and_then(|name| Zone::named(name, rules(name)));
            let reading =
                parse_instant(text, zone.as_ref()).map_err(|e| Refusal::new(e.code(), e.message()).at_path(path))?;
            Resolved { ms: reading.ms, zone_assumed: reading.zone_assumed }
        }
    };
    check(resolved.ms, path)?;
    Ok(resolved)
}

/// Refuses a time that no query could name.
pub(crate) fn check(ms: Millis, path: &str) -> Result<(), Refusal> {
    if (MIN_MILLIS..=MAX_MILLIS).contains(&ms) {
        return Ok(());
    }
    let message = format!("{ms} ms is no time: give one between the years -9999 and 9999");
    Err(Refusal::new("time-out-of-range", message).at_path(path))
}
