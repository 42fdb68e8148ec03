//! Points to view at, resolved.

use throughline_agent::zone_of;
use throughline_expr::time::{Zone, parse_instant};
use throughline_journal::{Journal, Millis};
use throughline_protocol::{At, Domain, Moment, Refusal, Time};

/// An instant as a caller gave it, in milliseconds.
pub(crate) fn resolve_time(time: &Time, zone: Option<&Zone>, path: &str) -> Result<Millis, Refusal> {
    match time {
        Time::Millis(ms) => Ok(*ms),
        Time::Text(text) => match parse_instant(text, zone) {
            Ok(reading) => Ok(reading.ms),
            Err(error) => Err(Refusal::new(error.code(), error.to_string()).at_path(path)),
        },
    }
}

/// The moment that a query names; `now` is what is valid at the head.
pub(crate) fn resolve(journal: &Journal, domain: &Domain, now: Millis, moment: &Moment) -> Result<At, Refusal> {
    let zone = zone_of(domain);
    let head = journal.head().seq;
    let seq = match (moment.seq, &moment.recorded_at) {
        (Some(_), Some(_)) => {
            return Err(Refusal::new("two-moments", "a moment has `seq` or `recorded_at`, not both").at_path("/at"));
        }
        (Some(seq), None) if seq > head => {
            let message = format!("record {seq} is not there yet; the last one is {head}");
            return Err(Refusal::new("beyond-head", message).at_path("/at/seq"));
        }
        (Some(seq), None) => seq,
        (None, Some(time)) => journal.seq_at(resolve_time(time, zone.as_ref(), "/at/recorded_at")?),
        (None, None) => head,
    };
    let valid_at = match &moment.valid_at {
        Some(time) => resolve_time(time, zone.as_ref(), "/at/valid_at")?,
        None if moment.seq.is_none() && moment.recorded_at.is_none() => now.max(journal.recorded_at().unwrap_or(now)),
        None => journal.record(seq).map_or(Millis::MIN, |record| record.recorded_at),
    };
    Ok(At { seq, valid_at })
}
