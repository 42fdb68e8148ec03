//! The kinds of records that this room makes and folds.

/// An entity was registered.
pub const ENTITY_REGISTERED: &str = "entity.registered";
/// Fields, names or mentions of an entity were added.
pub const ENTITY_UPDATED: &str = "entity.updated";
/// Two entities were made one.
pub const ENTITY_MERGED: &str = "entity.merged";
/// A merge was undone.
pub const ENTITY_UNMERGED: &str = "entity.unmerged";
/// An entity was ended.
pub const ENTITY_RETIRED: &str = "entity.retired";
/// A relation was added.
pub const RELATION_ADDED: &str = "relation.added";
/// A relation was ended.
pub const RELATION_ENDED: &str = "relation.ended";
/// An event was scheduled.
pub const EVENT_SCHEDULED: &str = "event.scheduled";
/// An event fired.
pub const EVENT_FIRED: &str = "event.fired";
/// An event is due and waits for its condition.
pub const EVENT_HELD: &str = "event.held";
/// An event was due and its condition false.
pub const EVENT_DROPPED: &str = "event.dropped";
/// An event fell due while nothing ran.
pub const EVENT_SKIPPED: &str = "event.skipped";
/// An event was cancelled.
pub const EVENT_CANCELLED: &str = "event.cancelled";
/// An event fell due while nothing ran and its delay began again.
pub const EVENT_RESTARTED: &str = "event.restarted";
