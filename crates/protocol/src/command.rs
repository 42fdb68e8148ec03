//! Everything that can be asked to change.

use serde::{Deserialize, Serialize};
use throughline_value::{Map, Number, Value};

use crate::Time;
use crate::tagged::tagged;

tagged! {
    /// Everything that can be asked to change.
    "command", Command {
        /// Loads the rules of the business.
        "load_domain" => LoadDomain,
        /// Adds a document or a new version of one.
        "add_document" => AddDocument,
        /// Registers an entity; the same one again changes nothing.
        "register_entity" => RegisterEntity,
        /// Changes fields of an entity.
        "update_entity" => UpdateEntity,
        /// Makes one entity of two.
        "merge_entities" => MergeEntities,
        /// Undoes a merge exactly.
        "unmerge_entities" => UnmergeEntities,
        /// Ends an entity.
        "retire_entity" => RetireEntity,
        /// Adds a relation between two entities.
        "add_relation" => AddRelation,
        /// Ends a relation.
        "end_relation" => EndRelation,
        /// Schedules an event at a time, on a condition, or both.
        "schedule_event" => ScheduleEvent,
        /// Fires an event by hand.
        "trigger_event" => TriggerEvent,
        /// Cancels an event.
        "cancel_event" => CancelEvent,
        /// Asserts a fact; a new version when the value differs.
        "assert_fact" => AssertFact,
        /// Retracts a fact.
        "retract_fact" => RetractFact,
        /// Sends an event to the machine.
        "send_event" => SendEvent,
        /// Checks a plan and starts a run of it.
        "start_run" => StartRun,
        /// Lets a paused run do its next step.
        "step_run" => StepRun,
        /// Lets a paused run go on.
        "continue_run" => ContinueRun,
        /// Ends a run.
        "cancel_run" => CancelRun,
        /// Remembers events.
        "remember" => Remember,
        /// Corrects a remembered event.
        "amend" => Amend,
        /// Forgets remembered events, undoably.
        "forget" => Forget,
        /// Brings forgotten events back.
        "recover" => Recover,
        /// Begins a turn of the agent with what the user said.
        "begin_turn" => BeginTurn,
        /// Stops the thread's turn.
        "stop_turn" => StopTurn,
        /// Answers what the engine asked a person.
        "answer" => Answer,
        /// Looks at the clock: due events fire.
        "tick" => Tick,
        /// Several commands; all or none.
        "batch" => Batch,
    }
}

/// Loads the rules of the business. Gives back `{name, version, hash}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadDomain {
    /// The domain document; see [`crate::Domain`].
    pub domain: Value,
}

/// Adds a document or a new version of one. Gives back `{name, version, hash}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddDocument {
    /// The name by which sources and plans refer to it.
    pub name: String,
    /// `text/plain`, `text/html`, `application/json` or `text/csv`.
    #[serde(default = "text_plain")]
    pub media_type: String,
    /// The text, as it is. A form feed separates pages.
    pub text: String,
}

fn text_plain() -> String {
    "text/plain".to_owned()
}

/// Registers an entity. Gives back `{entity, created}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterEntity {
    /// A type of the domain.
    pub entity_type: String,
    /// Its name in the world: an order number, a person's name.
    pub raw_id: String,
    /// Fields of the type's contract.
    #[serde(default)]
    pub fields: Map,
    /// Other names of the same thing.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// Changes fields of an entity. Gives back `{entity, version}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateEntity {
    /// Its id.
    pub entity: String,
    /// The fields that change; null clears one.
    pub fields: Map,
    /// The version the caller has seen; another one refuses with `version-conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
}

/// Makes one entity of two. Gives back `{entity, merge}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeEntities {
    /// The entity that stays.
    pub keep: String,
    /// The entity that becomes an alias of it.
    pub merge: String,
}

/// Undoes a merge exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnmergeEntities {
    /// The entity that was merged away.
    pub merged: String,
}

/// Ends an entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetireEntity {
    /// Its id.
    pub entity: String,
    /// The version the caller has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
}

/// Adds a relation. Gives back `{relation}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddRelation {
    /// The entity it starts at.
    pub from: String,
    /// A relation of the domain.
    pub relation: String,
    /// The entity it ends at.
    pub to: String,
    /// How sure, from 0 to 1; kept as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Number>,
    /// When it ends to be true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Time>,
    /// How long it is true, as an ISO 8601 duration; the domain's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
}

/// Ends a relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRelation {
    /// Its id.
    pub relation: String,
}

/// Schedules an event. Gives back `{event}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleEvent {
    /// What it is called.
    pub name: String,
    /// When it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// How long after its valid time it is due, as an ISO 8601 duration; instead of `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// A condition that must hold for it to fire; without a time it fires as soon as it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// A condition that cancels it as soon as it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
    /// What happens when it is due and `when` is false: `hold`, `drop` or `late`.
    #[serde(default)]
    pub otherwise: Otherwise,
    /// What happens when it fell due while nothing ran: `once`, `skip` or `restart`.
    #[serde(default)]
    pub missed: Missed,
    /// What it does when it fires.
    #[serde(default, rename = "do", skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Command>,
    /// What it carries.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// What happens when an event is due and its condition is false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// It waits and fires when the condition holds.
    #[default]
    Hold,
    /// It is dropped, on record.
    Drop,
    /// It fires all the same, marked late.
    Late,
}

/// What happens when an event fell due while nothing ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missed {
    /// It fires once, marked late.
    #[default]
    Once,
    /// It is skipped, on record.
    Skip,
    /// Its delay starts again.
    Restart,
}

/// Fires an event by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerEvent {
    /// Its id.
    pub event: String,
}

/// Cancels an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelEvent {
    /// Its id.
    pub event: String,
}

/// Asserts a fact. Gives back `{version, unchanged, superseded}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssertFact {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// What it is about; the session itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How sure, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Number>,
    /// When it ends to be true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Time>,
    /// The version the caller has seen; another one refuses with `version-conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
}

/// Retracts a fact, or one value of a fact that has many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetractFact {
    /// Its key.
    pub key: String,
    /// The value to retract; all current ones when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The version the caller has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
}

/// Sends an event to the machine. Gives back `{state, effects}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SendEvent {
    /// The event's name.
    pub event: String,
    /// What it carries; guards see it as `event`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Checks a plan and starts a run of it. Gives back `{run}`, or refuses with all diagnostics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartRun {
    /// The plan as text, or in its JSON form.
    pub plan: Value,
    /// Values that the plan may use by name.
    #[serde(default)]
    pub inputs: Map,
    /// Starts paused before its first step.
    #[serde(default)]
    pub paused: bool,
}

/// Lets a paused run do its next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRun {
    /// Its id.
    pub run: String,
}

/// Lets a paused run go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContinueRun {
    /// Its id.
    pub run: String,
}

/// Ends a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelRun {
    /// Its id.
    pub run: String,
}

/// Remembers events. Gives back `{memories}`, their ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// The events, in logical order.
    pub items: Vec<MemoryItem>,
}

/// An event to remember.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryItem {
    /// What kind of event.
    pub kind: String,
    /// What happened, in words.
    #[serde(default)]
    pub text: String,
    /// When; the command's valid time when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// When it ended, for an event with duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Who and what was part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// How important, from 0 to 1; a half when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Number>,
    /// More, for programs.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Corrects a remembered event; absent fields stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amend {
    /// Its id.
    pub memory: String,
    /// The new words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The new time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// The new entities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<String>>,
    /// The new importance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Number>,
}

/// Forgets remembered events, undoably. Gives back `{forgotten}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forget {
    /// Their ids.
    pub memories: Vec<String>,
}

/// Brings forgotten events back. Gives back `{recovered}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recover {
    /// Their ids.
    pub memories: Vec<String>,
}

/// Begins a turn of the agent. Gives back `{thread, turn}`; the turn goes on by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    /// What the user said.
    pub text: String,
    /// The language of the answer, as a BCP 47 tag; the domain's first when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// Stops the thread's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopTurn {}

/// Answers what the engine asked a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The id of the question.
    pub ask: String,
    /// The answer.
    pub answer: Value,
}

/// Looks at the clock: due events fire. Gives back `{fired}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tick {}

/// Several commands; all or none. Gives back the list of their results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// The commands, in order; each sees what those before it did.
    pub commands: Vec<Command>,
}
