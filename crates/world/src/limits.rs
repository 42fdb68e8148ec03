//! Every limit of the room, in one place.

/// The longest raw id, alias, field, relation or event name, in bytes.
pub const MAX_NAME_BYTES: usize = 1_024;
/// The most fields of one entity.
pub const MAX_FIELDS: usize = 512;
/// The most names of one entity beside its raw id.
pub const MAX_NAMES: usize = 512;
/// The most events that are pending or held at the same time.
pub const MAX_OPEN_EVENTS: usize = 10_000;
/// The most commands that one event does.
pub const MAX_EVENT_COMMANDS: usize = 64;
/// The most versions of an entity that its detail lists, the newest ones.
pub const MAX_VERSIONS_LISTED: usize = 1_000;
/// The most names that are looked at for a suggestion.
pub const MAX_SUGGESTION_NAMES: usize = 2_000;
/// The most candidates that an ambiguous name lists.
pub const MAX_CANDIDATES: usize = 20;
/// The longest id pattern of a domain, in bytes.
pub const MAX_PATTERN_BYTES: usize = 1_000;
/// The largest compiled id pattern, in bytes.
pub const MAX_PATTERN_SIZE: usize = 1 << 20;
/// How late an event may be noticed and still not count as missed, in milliseconds: timers of a browser are
/// never exact, and a tab in the background is woken once a minute.
pub const MISSED_AFTER: i64 = 60_000;
/// How many relations in a row a query of the graph follows at most.
pub const MAX_DEPTH: usize = 16;
/// The most ways that a query gives.
pub const MAX_PATHS: usize = 100;
/// How many relations the search for ways looks at.
pub const MAX_PATH_STEPS: usize = 100_000;
/// The most entities that a neighbourhood shows.
pub const MAX_NEIGHBOURS: usize = 10_000;
/// The most records of the world that are traced upstream of a value.
pub const MAX_UPSTREAM: usize = 10_000;
/// The most events that one comes after or before.
pub const MAX_EVENT_ORDER: usize = 64;
/// The most slots of one event.
pub const MAX_SLOTS: u64 = 10_000_000;
/// The shortest time between two slots of an event, in milliseconds.
pub const MIN_REPEAT: i64 = 1_000;
/// How many slots in a row a change of clocks may skip before the event counts as over.
pub const MAX_SKIPPED_SLOTS: i64 = 1_000;
