// Everything that can be asked to change: the same names and fields as in Rust and in scenario files.

import type { Exact } from "./exact.js";
import type { Domain } from "./domain.js";
import type { Json, JsonMap, Time } from "./values.js";

/** Everything that can be asked to change. */
export type Command =
  | LoadDomain
  | LoadZone
  | AddDocument
  | RegisterEntity
  | UpdateEntity
  | MergeEntities
  | UnmergeEntities
  | RetireEntity
  | AddRelation
  | EndRelation
  | ScheduleEvent
  | TriggerEvent
  | CancelEvent
  | AssertFact
  | RetractFact
  | SendEvent
  | StartRun
  | StepRun
  | ContinueRun
  | PauseRun
  | SetBreakpoints
  | EditBinding
  | Rerun
  | CancelRun
  | Remember
  | Amend
  | Forget
  | Recover
  | RememberColumns
  | ForgetBy
  | Touch
  | Purge
  | BeginTurn
  | StopTurn
  | Answer
  | Propose
  | CallTool
  | Tick
  | Batch;

/** Loads the rules of the business. Gives back `{name, version, hash}`. */
export interface LoadDomain {
  type: "load_domain";
  /** The domain document; see {@link Domain}. */
  domain: Domain;
}

/**
 * Loads the rules of a named time zone, by which later times of the zone are read and repeated. A session does so by
 * itself before a command that names a zone. Gives back `{zone, version}`.
 */
export interface LoadZone {
  type: "load_zone";
  /** Its name: `Europe/Berlin`. */
  name: string;
  /**
   * The POSIX rule that holds from the last change of clocks on; then, where there were changes before it, `|`, the
   * offset before the first in seconds, and ` second:offset` for each, the second since 1970 to base 36.
   */
  rules: string;
  /** The version of the database that the rules are from: `2025b`. */
  version?: string;
}

/** Adds a document or a new version of one. Gives back `{name, version, hash}`. */
export interface AddDocument {
  type: "add_document";
  /** The name by which sources and plans refer to it. */
  name: string;
  /** `text/plain`, `text/html`, `application/json` or `text/csv`. */
  media_type?: string;
  /** The text, as it is. A form feed separates pages. */
  text: string;
}

/** Registers an entity. Gives back `{entity, created}`. */
export interface RegisterEntity {
  type: "register_entity";
  /** A type of the domain. */
  entity_type: string;
  /** Its name in the world: an order number, a person's name. */
  raw_id: string;
  /** Fields of the type's contract. */
  fields?: JsonMap;
  /** Other names of the same thing. */
  aliases?: string[];
}

/** Changes fields of an entity. Gives back `{entity, version}`. */
export interface UpdateEntity {
  type: "update_entity";
  /** Its id. */
  entity: string;
  /** The fields that change; null clears one. */
  fields: JsonMap;
  /** The version the caller has seen; another one refuses with `version-conflict`. */
  expected_version?: number;
}

/** Makes one entity of two. Gives back `{entity, merge}`. */
export interface MergeEntities {
  type: "merge_entities";
  /** The entity that stays. */
  keep: string;
  /** The entity that becomes an alias of it. */
  merge: string;
}

/** Undoes a merge exactly. */
export interface UnmergeEntities {
  type: "unmerge_entities";
  /** The entity that was merged away. */
  merged: string;
}

/** Ends an entity. */
export interface RetireEntity {
  type: "retire_entity";
  /** Its id. */
  entity: string;
  /** The version the caller has seen. */
  expected_version?: number;
}

/** Adds a relation. Gives back `{relation}`. */
export interface AddRelation {
  type: "add_relation";
  /** The entity it starts at. */
  from: string;
  /** A relation of the domain. */
  relation: string;
  /** The entity it ends at. */
  to: string;
  /** How sure, from 0 to 1; kept as given. */
  confidence?: Exact;
  /** When it ends to be true. */
  valid_to?: Time;
  /** How long it is true, as an ISO 8601 duration; the domain's when absent. */
  ttl?: string;
}

/** Ends a relation. */
export interface EndRelation {
  type: "end_relation";
  /** Its id. */
  relation: string;
}

/** Schedules an event. Gives back `{event}`. */
export interface ScheduleEvent {
  type: "schedule_event";
  /** What it is called. */
  name: string;
  /** When it is due. */
  at?: Time;
  /** How long after its valid time it is due, as an ISO 8601 duration; instead of `at`. */
  delay?: string;
  /** A condition that must hold for it to fire; without a time it fires as soon as it holds. */
  when?: string;
  /** A condition that cancels it as soon as it holds. */
  unless?: string;
  /**
   * Events that must have happened before it may fire, by name or id: scheduled ones that fired, or events that the
   * machine took. In `when` the same is `after(name)`.
   */
  after?: string[];
  /**
   * Events that it must come before: once one of them happened, it is cancelled. In `when` the same is
   * `before(name)`, which is false from then on.
   */
  before?: string[];
  /** How it repeats; `at` or `delay` is its first slot. */
  repeat?: Repeat;
  /** What happens when it is due and `when` is false: `hold`, `drop` or `late`. */
  otherwise?: "hold" | "drop" | "late";
  /** What happens when it fell due while nothing ran: `once`, `skip`, `all` or `restart`. */
  missed?: "once" | "skip" | "all" | "restart";
  /** What it does when it fires. */
  do?: Command[];
  /** What it carries. */
  data?: Json;
}

/** How an event repeats. Each slot fires exactly once. */
export interface Repeat {
  /**
   * How far apart the slots are, as an ISO 8601 duration. Days, weeks and months keep the time of day in the zone;
   * hours and minutes are counted as they pass. Every slot is counted from the first, so the 31st stays the 31st in
   * the months that have one, and is the last day of the others.
   */
  every: string;
  /** The zone whose clocks and calendar count; the domain's when absent, else UTC. */
  zone?: string;
  /** Only on these days; with `every` in days or whole weeks. */
  weekdays?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  /** How many slots there are. */
  count?: number;
  /** No slot after this time. */
  until?: Time;
  /** What becomes of a slot whose time of day a change of clocks skips. One that it repeats fires the first time. */
  gap?: "shift" | "skip";
}

/** Fires an event by hand. */
export interface TriggerEvent {
  type: "trigger_event";
  /** Its id. */
  event: string;
}

/** Cancels an event. */
export interface CancelEvent {
  type: "cancel_event";
  /** Its id. */
  event: string;
}

/** Asserts a fact. Gives back `{version, unchanged, superseded}`. */
export interface AssertFact {
  type: "assert_fact";
  /** Its key. */
  key: string;
  /** Its value. */
  value: Json;
  /** What it is about; the session itself when absent. */
  subject?: string;
  /** Where it comes from. */
  source?: string;
  /** The sources that it was derived from, when there are several; it is trusted as much as the least trusted. */
  sources?: string[];
  /** How sure, from 0 to 1. */
  confidence?: Exact;
  /** When it ends to be true. */
  valid_to?: Time;
  /** The version the caller has seen; another one refuses with `version-conflict`. */
  expected_version?: number;
}

/** Retracts a fact, or one value of a fact that has many. */
export interface RetractFact {
  type: "retract_fact";
  /** Its key. */
  key: string;
  /** The value to retract; all current ones when absent. */
  value?: Json;
  /** What it is about. */
  subject?: string;
  /** The version the caller has seen. */
  expected_version?: number;
}

/** Sends an event to the machine. Gives back `{state, effects}`. */
export interface SendEvent {
  type: "send_event";
  /** The event's name. */
  event: string;
  /** What it carries; guards see it as `event`. */
  data?: Json;
}

/** Checks a plan and starts a run of it. Gives back `{run}`, or refuses with all diagnostics. */
export interface StartRun {
  type: "start_run";
  /** The plan as text, or in its JSON form. */
  plan: Json;
  /** Values that the plan may use by name. */
  inputs?: JsonMap;
  /** Starts paused before its first step. */
  paused?: boolean;
  /** Where it pauses by itself. */
  breakpoints?: Breakpoint[];
}

/** Lets a paused run do its next step. */
export interface StepRun {
  type: "step_run";
  /** Its id. */
  run: string;
}

/** Lets a paused run go on. */
export interface ContinueRun {
  type: "continue_run";
  /** Its id. */
  run: string;
}

/** Where a run pauses: name one of the three. */
export interface Breakpoint {
  /** Before this step. */
  step?: string;
  /** When this binding gets its value. */
  binding?: string;
  /** When this condition over the bindings holds. */
  when?: string;
}

/** Pauses a run before its next step. */
export interface PauseRun {
  type: "pause_run";
  /** Its id. */
  run: string;
}

/** Says where a run pauses by itself; those it had before are gone. */
export interface SetBreakpoints {
  type: "set_breakpoints";
  /** Its id. */
  run: string;
  /** The breakpoints. */
  breakpoints: Breakpoint[];
}

/** Gives a binding of a paused run another value. What used it already is not computed again: `rerun` does that. */
export interface EditBinding {
  type: "edit_binding";
  /** The run's id. */
  run: string;
  /** The binding: an input or a step, without `$`. */
  binding: string;
  /** Its value from now on. */
  value: Json;
}

/**
 * Runs a plan again from a step on, as a new run. Gives back `{run, reruns}`. A step whose text and inputs are as they
 * were is reused; the others are recomputed, called live or stubbed, and say which.
 */
export interface Rerun {
  type: "rerun";
  /** The run that is run again. */
  run: string;
  /** The step from which on it is looked at anew; all steps when absent. */
  from?: string;
  /** Other values of inputs and bindings. */
  edits?: JsonMap;
  /** Another plan; the same one when absent. */
  plan?: Json;
  /** Does the step `from` again although nothing changed. */
  fresh?: boolean;
  /** What becomes of calls whose arguments change; `safe` is live for those that read and stubbed for those that write. */
  effects?: "safe" | "live" | "stub";
  /** What stands in for the results of calls, by step. */
  stubs?: JsonMap;
  /** Starts paused. */
  paused?: boolean;
  /** Where it pauses by itself. */
  breakpoints?: Breakpoint[];
}

/** Ends a run. */
export interface CancelRun {
  type: "cancel_run";
  /** Its id. */
  run: string;
}

/** Remembers events. Gives back `{memories}`, their ids. */
export interface Remember {
  type: "remember";
  /** The events, in logical order. */
  items: MemoryItem[];
}

/** Corrects a remembered event; absent fields stay. */
export interface Amend {
  type: "amend";
  /** Its id. */
  memory: string;
  /** The new words. */
  text?: string;
  /** The new time. */
  at?: Time;
  /** When it ended. */
  until?: Time;
  /** The new entities. */
  entities?: string[];
  /** The new importance. */
  importance?: Exact;
}

/** Forgets remembered events, undoably. Gives back `{forgotten}`. */
export interface Forget {
  type: "forget";
  /** Their ids. */
  memories: string[];
}

/** Brings forgotten events back. Gives back `{recovered}`. */
export interface Recover {
  type: "recover";
  /** Their ids. */
  memories: string[];
}

/**
 * Remembers many events given as columns, in one record. Gives back `{first, record, count}`: the events' ids are
 * `m_<record>_<row>`. A column is a list of whole numbers, or base64 of LEB128 varints (`at` as zigzag differences
 * from row to row).
 */
export interface RememberColumns {
  type: "remember_columns";
  /** The names of the kinds. */
  kinds: string[];
  /** The names of the entities. */
  entities?: string[];
  /** When each event was, in milliseconds since 1970. */
  at: Json;
  /** Its kind, as a place among `kinds`. */
  kind: Json;
  /** How many entities it has; none when absent. */
  entity_count?: Json;
  /** The entities of all events one after the other, as places among `entities`. */
  entity?: Json;
  /** The texts of all events one after the other. */
  text?: string;
  /** How many bytes of UTF-8 each text has. */
  text_bytes?: Json;
  /** How long it lasted, in milliseconds; 0 for a moment. */
  lasts?: Json;
  /** Its importance in thousandths, plus one; 0 for none given. */
  importance?: Json;
  /** Its number at the source, by which equal times are ordered. */
  place?: Json;
  /** How many components each vector has. */
  vector_size?: number;
  /** The vectors of all events one after the other: base64 of little-endian 32-bit floats, zeros for none. */
  vector?: string;
}

/** Forgets what is too old, and then what weighs least until the budgets hold. Gives back `{forgotten, more}`. */
export interface ForgetBy {
  type: "forget_by";
  /** At most so many events. */
  keep_events?: number;
  /** At most so many bytes of text. */
  keep_bytes?: number;
  /** Nothing that ended and was last used longer ago than this, in milliseconds. */
  max_age?: number;
  /** After how many milliseconds importance weighs half; 30 days when absent. */
  half_life?: number;
  /** Events of at least this importance are kept whatever happens; 1 when absent. */
  protect_from?: Exact;
}

/** Notes that remembered events were used: they are forgotten later. Gives back `{touched}`. */
export interface Touch {
  type: "touch";
  /** Their ids. */
  memories: string[];
  /** When; now when absent. */
  at?: Time;
}

/** What a purge did; the lists are numbers of records, and absent when empty. */
export type Purged = {
  /** How many events were purged. */
  purged: number;
  /** Records beside those of the memory of which texts were erased. */
  also_erased?: number[];
  /** Facts that rested on nothing else and were erased, too. */
  facts_erased?: number[];
  /** Facts that rested on nothing else and were ended. */
  facts_ended?: number[];
  /** Records that still hold their words and cannot be erased: reasons, documents, what a person said. */
  also_in?: number[];
};

/**
 * Purges remembered events, and whatever quotes them. A record with their ids, the time and the reason remains. Gives
 * back {@link Purged}.
 */
export interface Purge {
  type: "purge";
  /** Their ids. */
  memories: string[];
}

/** Begins a turn of the agent. Gives back `{thread, turn}`; the turn goes on by itself. */
export interface BeginTurn {
  type: "begin_turn";
  /** What the user said. */
  text: string;
  /** The language of the answer, as a BCP 47 tag; the domain's first when absent. */
  language?: string;
}

/** Stops the thread's turn. */
export interface StopTurn {
  type: "stop_turn";
}

/** Answers what the engine asked a person. */
export interface Answer {
  type: "answer";
  /** The id of the question. */
  ask: string;
  /** The answer. */
  answer: Json;
}

/**
 * Does what a model's tool call asks for, as the model. Gives back `{tool, id, result, reply}`; `reply` is for the
 * model, in the call's shape. So is `details.reply` of a refusal.
 */
export interface CallTool {
  type: "call_tool";
  /** The call as the provider gives it. */
  call: Json;
  /** The call's shape; found by its form when absent. */
  shape?: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp" | "ai_sdk";
}

/**
 * Proposes an action of the domain, as the model of a turn does: it must be open in the machine's state, fit its
 * schema and keep every constraint. Gives back `{status, action, args}`: `done` with `results` and `refused`, or
 * `asked` with `ask` when a person must approve it.
 */
export interface Propose {
  type: "propose";
  /** The action. */
  action: string;
  /** Its arguments. */
  args?: Json;
  /** How sure, from 0 to 1; below the domain's confidence a person is asked. */
  confidence?: Exact;
}

/** Looks at the clock: due events fire. Gives back `{fired}`. */
export interface Tick {
  type: "tick";
}

/** Several commands; all or none. Gives back the list of their results. */
export interface Batch {
  type: "batch";
  /** The commands, in order; each sees what those before it did. */
  commands: Command[];
}

/** An event to remember. */
export interface MemoryItem {
  /** What kind of event. */
  kind: string;
  /** What happened, in words. */
  text?: string;
  /** When; the command's valid time when absent. */
  at?: Time;
  /** When it ended, for an event with duration. */
  until?: Time;
  /** Who and what was part of it. */
  entities?: string[];
  /** How important, from 0 to 1; a half when absent. */
  importance?: Exact;
  /** How sure, from 0 to 1: of what happened at once, the surest comes first. */
  confidence?: Exact;
  /** Its meaning: a list of numbers, or base64 of little-endian 32-bit floats. */
  vector?: Json;
  /** More, for programs. */
  data?: Json;
}
