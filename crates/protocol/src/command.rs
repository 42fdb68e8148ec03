//! Everything that can be asked to change.

use serde::{Deserialize, Serialize};
use throughline_journal::Millis;
use throughline_value::{Map, Number, Value};

use crate::Time;
use crate::tagged::tagged;

tagged! {
    /// Everything that can be asked to change.
    "command", Command {
        /// Loads the rules of the business.
        "load_domain" => LoadDomain,
        /// Loads the rules of a named time zone.
        "load_zone" => LoadZone,
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
        /// Pauses a run before its next step.
        "pause_run" => PauseRun,
        /// Says where a run pauses by itself.
        "set_breakpoints" => SetBreakpoints,
        /// Gives a binding of a paused run another value.
        "edit_binding" => EditBinding,
        /// Runs a plan again from a step on, as a new run that reuses what does not change.
        "rerun" => Rerun,
        /// Ends a run.
        "cancel_run" => CancelRun,
        /// Remembers events.
        "remember" => Remember,
        /// Remembers many events given as columns.
        "remember_columns" => RememberColumns,
        /// Corrects a remembered event.
        "amend" => Amend,
        /// Forgets remembered events, undoably.
        "forget" => Forget,
        /// Brings forgotten events back.
        "recover" => Recover,
        /// Forgets what a budget or an age does not keep, undoably.
        "forget_by" => ForgetBy,
        /// Notes that remembered events were used.
        "touch" => Touch,
        /// Purges remembered events: nothing of what they said is left, for ever.
        "purge" => Purge,
        /// Begins a turn of the agent with what the user said.
        "begin_turn" => BeginTurn,
        /// Stops the thread's turn.
        "stop_turn" => StopTurn,
        /// Answers what the engine asked a person.
        "answer" => Answer,
        /// Proposes an action of the domain: it is checked, and done, refused, or put before a person.
        "propose" => Propose,
        /// Does what a model's tool call asks for, as the model.
        "call_tool" => CallTool,
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

/// Loads the rules of a named time zone, by which later times of the zone are read and repeated. The npm package
/// and the Rust façade do so by themselves before a command that names a zone. Gives back `{zone, version}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadZone {
    /// Its name: `Europe/Berlin`.
    pub name: String,
    /// The POSIX rule that holds from the last change of clocks on; then, where there were changes before it, `|`,
    /// the offset before the first in seconds, and ` second:offset` for each, the second since 1970 to base 36.
    pub rules: String,
    /// The version of the database that the rules are from: `2025b`.
    #[serde(default)]
    pub version: String,
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
    /// Events that must have happened before it may fire, by name or id: scheduled ones that fired, or events that
    /// the machine took. In `when` the same is `after(name)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Events that it must come before: once one of them happened, it is cancelled. In `when` the same is
    /// `before(name)`, which is false from then on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// How it repeats; `at` or `delay` is its first slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// What happens when it is due and `when` is false: `hold`, `drop` or `late`.
    #[serde(default)]
    pub otherwise: Otherwise,
    /// What happens when it fell due while nothing ran: `once`, `skip`, `all` or `restart`.
    #[serde(default)]
    pub missed: Missed,
    /// What it does when it fires.
    #[serde(default, rename = "do", skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Command>,
    /// What it carries.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// How an event repeats. Each slot fires exactly once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Repeat {
    /// How far apart the slots are, as an ISO 8601 duration. Days, weeks and months keep the time of day in the
    /// zone; hours and minutes are counted as they pass. Every slot is counted from the first, so the 31st stays
    /// the 31st in the months that have one, and is the last day of the others.
    pub every: String,
    /// The zone whose clocks and calendar count; the domain's when absent, else UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Only on these days: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`; with `every` in days or whole weeks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weekdays: Vec<String>,
    /// How many slots there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// No slot after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// What becomes of a slot whose time of day a change of clocks skips: `shift` or `skip`.
    pub gap: GapPolicy,
}

/// What becomes of a slot whose time of day a change of clocks skips. One that it repeats fires the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapPolicy {
    /// It moves on by the length of the gap: 02:30 becomes 03:30.
    #[default]
    Shift,
    /// It does not happen.
    Skip,
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
    /// It fires once, marked late; one that repeats for the newest slot that was missed.
    #[default]
    Once,
    /// It is skipped, on record; one that repeats goes on with its next slot.
    Skip,
    /// Every slot that was missed fires, each marked late.
    All,
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
    /// The sources that it was derived from, when there are several; it is trusted as much as the least trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
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
    /// Where it pauses by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<Breakpoint>,
}

/// Where a run pauses: name one of the three.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Breakpoint {
    /// Before this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// When this binding gets its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// When this condition over the bindings holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
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

/// Pauses a run before its next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PauseRun {
    /// Its id.
    pub run: String,
}

/// Says where a run pauses by itself; those it had before are gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetBreakpoints {
    /// Its id.
    pub run: String,
    /// The breakpoints.
    pub breakpoints: Vec<Breakpoint>,
}

/// Gives a binding of a paused run another value. What used it already is not computed again: `rerun` does that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditBinding {
    /// The run's id.
    pub run: String,
    /// The binding: an input or a step, without `$`.
    pub binding: String,
    /// Its value from now on.
    pub value: Value,
}

/// Runs a plan again from a step on, as a new run. Gives back `{run, reruns}`. A step whose text and inputs are
/// as they were is reused; the others are recomputed, called live or stubbed, and say which.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rerun {
    /// The run that is run again.
    pub run: String,
    /// The step from which on it is looked at anew; all steps when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Other values of inputs and bindings.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub edits: Map,
    /// Another plan; the same one when absent.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub plan: Value,
    /// Does the step `from` again although nothing changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
    /// What becomes of calls whose arguments change: `live`, `stub` (what the first run recorded), or `safe`
    /// (when absent): live when they only read, stubbed when they change the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<String>,
    /// What stands in for the results of calls, by step.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub stubs: Map,
    /// Starts paused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Where it pauses by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<Breakpoint>,
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
    /// How sure, from 0 to 1: of what happened at once, the surest comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Number>,
    /// Its meaning: a list of numbers, or base64 of little-endian 32-bit floats.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub vector: Value,
    /// More, for programs.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Remembers many events given as columns, in one record. Gives back `{first, record, count}`: the events' ids
/// are `m_<record>_<row>`. A column is a list of whole numbers, or base64 of LEB128 varints (`at` as zigzag
/// differences from row to row).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RememberColumns {
    /// The names of the kinds.
    pub kinds: Vec<String>,
    /// The names of the entities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// When each event was, in milliseconds since 1970.
    pub at: Value,
    /// Its kind, as a place among `kinds`.
    pub kind: Value,
    /// How many entities it has; none when absent.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub entity_count: Value,
    /// The entities of all events one after the other, as places among `entities`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub entity: Value,
    /// The texts of all events one after the other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// How many bytes of UTF-8 each text has.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub text_bytes: Value,
    /// How long it lasted, in milliseconds; 0 for a moment.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub lasts: Value,
    /// Its importance in thousandths, plus one; 0 for none given.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub importance: Value,
    /// Its number at the source, by which equal times are ordered.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub place: Value,
    /// How many components each vector has.
    #[serde(default, skip_serializing_if = "crate::query::is_default")]
    pub vector_size: u32,
    /// The vectors of all events one after the other: base64 of little-endian 32-bit floats, zeros for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub vector: String,
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
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
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

/// Forgets what is too old, and then what weighs least until the budgets hold. Gives back `{forgotten, more}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ForgetBy {
    /// At most so many events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_events: Option<u64>,
    /// At most so many bytes of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_bytes: Option<u64>,
    /// Nothing that ended and was last used longer ago than this, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age: Option<Millis>,
    /// After how many milliseconds importance weighs half; 30 days when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life: Option<Millis>,
    /// Events of at least this importance are kept whatever happens; 1 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protect_from: Option<Number>,
}

/// Notes that remembered events were used: they are forgotten later. Gives back `{touched}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Touch {
    /// Their ids.
    pub memories: Vec<String>,
    /// When; now when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
}

/// Purges remembered events, and whatever quotes them. A record with their ids, the time and the reason remains. Gives
/// back `{purged, also_erased, facts_erased, facts_ended, also_in}`; the lists are numbers of records, and absent when
/// empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purge {
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

/// Does what a model's tool call asks for, as the model. Gives back `{tool, id, result, reply}`; `reply` is for
/// the model, in the call's shape. So is `details.reply` of a refusal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallTool {
    /// The call as the provider gives it.
    pub call: Value,
    /// `openai`, `openai_responses`, `anthropic`, `gemini`, `mcp` or `ai_sdk`; found by its form when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
}

/// Proposes an action of the domain, as the model of a turn does: it must be open in the machine's state, fit its
/// schema and keep every constraint. Gives back `{status, action, args}`: `done` with `results` and `refused`, or
/// `asked` with `ask` when a person must approve it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Propose {
    /// The action.
    pub action: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub args: Value,
    /// How sure, from 0 to 1; below the domain's confidence a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Number>,
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
