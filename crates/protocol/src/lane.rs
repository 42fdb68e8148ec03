//! Which lane of the timeline a kind of record is drawn in.

/// The lanes, from top to bottom.
pub const LANES: [&str; 9] = ["message", "exchange", "action", "fact", "state", "plan", "event", "memory", "error"];

/// The lane of a record's kind.
///
/// ```
/// assert_eq!(throughline_protocol::lane::of("fact.asserted"), "fact");
/// assert_eq!(throughline_protocol::lane::of("command.refused"), "error");
/// ```
#[must_use]
pub fn of(kind: &str) -> &'static str {
    let (room, verb) = kind.split_once('.').unwrap_or((kind, ""));
    if matches!(verb, "refused" | "failed" | "quarantined") {
        return "error";
    }
    match room {
        "exchange" => "exchange",
        "entity" | "relation" | "document" | "tool" => "action",
        "fact" => "fact",
        "machine" => "state",
        "run" | "step" | "plan" => "plan",
        "event" => "event",
        "memory" => "memory",
        _ => "message",
    }
}
