// Everything that can be asked to change: the same names and fields as in Rust and in scenario files.

import type { Exact } from "./exact.js";
import type { Domain } from "./domain.js";
import type { Json, JsonMap, Time } from "./values.js";

/** Everything that can be asked to change. */
export type Command =
  | LoadDomain
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
  | CancelRun
  | Remember
  | Amend
  | Forget
  | Recover
  | BeginTurn
  | StopTurn
  | Answer
  | Tick
  | Batch;

/** Loads the rules of the business. Gives back `{name, version, hash}`. */
export interface LoadDomain {
  type: "load_domain";
  /** The domain document; see {@link Domain}. */
  domain: Domain;
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
  /** What happens when it is due and `when` is false: `hold`, `drop` or `late`. */
  otherwise?: "hold" | "drop" | "late";
  /** What happens when it fell due while nothing ran: `once`, `skip` or `restart`. */
  missed?: "once" | "skip" | "restart";
  /** What it does when it fires. */
  do?: Command[];
  /** What it carries. */
  data?: Json;
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
  /** More, for programs. */
  data?: Json;
}
