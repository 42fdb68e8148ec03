//! Which lane of the timeline a kind of record is drawn in.

/// The lanes, from top to bottom.
pub const LANES: [&str; 9] = ["message", "exchange", "action", "fact", "state", "plan", "event", "memory", "error"];

/// What the name of a kind of events holds when such an event says that something went wrong.
const WRONG: [&str; 10] = ["error", "fail", "fault", "exception", "crash", "refused", "错误", "失败", "故障", "异常"];

/// Whether the name of a kind of events says that something went wrong: such events are never lost in a drawing.
///
/// ```
/// assert!(throughline_protocol::lane::is_error("motor_Fault") && !throughline_protocol::lane::is_error("seen"));
/// ```
#[must_use]
pub fn is_error(kind: &str) -> bool {
    let kind = kind.to_lowercase();
    WRONG.iter().any(|word| kind.contains(word))
}

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
