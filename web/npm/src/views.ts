// What queries answer. Times are milliseconds since 1970 (UTC).

import type { Exact } from "./exact.js";
import type { Actor, Json, JsonMap, Origin, Span } from "./values.js";

/** Head, counts, clock. */
export interface Status {
  /** The journal's id. */
  id: string;
  /** The last record. */
  seq: number;
  /** The last frame. */
  frame: number;
  /** The chain there. */
  chain: string;
  /** The recorded time of the last record. */
  recorded_at: number | null;
  /** The loaded domain's name. */
  domain: string | null;
  /** How many records of each lane. */
  lanes: Record<string, number>;
  /** The thread whose turn is going on. */
  busy: string | null;
  /** When the next scheduled event is due. */
  next_due: number | null;
}

/** One record as a row. */
export interface RecordRow {
  /** Its number. */
  seq: number;
  /** When the engine learned it. */
  recorded_at: number;
  /** From when it is true. */
  valid_from: number;
  /** Its thread. */
  thread: string;
  /** Its turn. */
  turn: number;
  /** Who. */
  actor: Actor | null;
  /** The record that led to it. */
  cause: number | null;
  /** Why. */
  reason: string;
  /** Where the input came from. */
  origin: Origin | null;
  /** What happened. */
  kind: string;
  /** The lane it is drawn in. */
  lane: string;
  /** It in one line. */
  summary: string;
  /** What exactly. */
  data: Json;
  /** Whether its content was erased. */
  erased: boolean;
}

/** Records in order. */
export interface RecordPage {
  /** The records. */
  records: RecordRow[];
  /** Where to go on; absent at the end. */
  next: number | null;
}

/** One record, its causes and its effects. */
export interface RecordDetail {
  /** The record. */
  record: RecordRow;
  /** The records that led to it, nearest first. */
  causes: RecordRow[];
  /** The records that it led to directly. */
  effects: number[];
  /** The command that it came from. */
  command: Json;
  /** The frame it is in. */
  frame: number;
  /** The chain after that frame. */
  chain: string;
}

/** Columns for drawing, one place a record. */
export interface Timeline {
  /** Numbers. */
  seq: number[];
  /** Recorded times. */
  recorded_at: number[];
  /** Places in `lanes`. */
  lane: number[];
  /** The lanes' names. */
  lanes: string[];
  /** One line each. */
  summary: string[];
}

/** The loaded domain. */
export interface DomainView {
  /** Its name. */
  name: string;
  /** Its version. */
  version: string;
  /** SHA-256 of its canonical text. */
  hash: string;
  /** The document. */
  document: Json;
  /** The record that loaded it. */
  seq: number;
}

/** One document in a list. */
export interface DocumentRow {
  /** Its name. */
  name: string;
  /** Its version, from 1. */
  version: number;
  /** Its kind. */
  media_type: string;
  /** Its length in bytes. */
  bytes: number;
  /** SHA-256 of its text. */
  hash: string;
  /** The record that added it. */
  seq: number;
}

/** One document. */
export interface DocumentView {
  /** Its row. */
  row: DocumentRow;
  /** Its text. */
  text: string;
}

/** An entity as it stands. */
export interface EntityView {
  /** Its id. */
  id: string;
  /** Its type. */
  entity_type: string;
  /** Its name in the world, as first given. */
  raw_id: string;
  /** Its other names. */
  aliases: string[];
  /** Its fields. */
  fields: JsonMap;
  /** How many times it was changed, from 1. */
  version: number;
  /** Whether it was ended. */
  retired: boolean;
  /** The entity it was merged into. */
  merged_into: string | null;
  /** The record of the last change. */
  seq: number;
  /** The record of the last change of each field. */
  field_seq: Record<string, number>;
}

/** An entity, its versions and its relations. */
export interface EntityDetail {
  /** The entity. */
  entity: EntityView;
  /** Every version, oldest first. */
  versions: EntityView[];
  /** Its relations. */
  relations: RelationView[];
}

/** A relation. */
export interface RelationView {
  /** Its id. */
  id: string;
  /** Where it starts. */
  from: string;
  /** What it is. */
  relation: string;
  /** Where it ends. */
  to: string;
  /** How sure, as given. */
  confidence: Exact | null;
  /** From when it is true. */
  valid_from: number;
  /** Until when it is true. */
  valid_to: number | null;
  /** Whether it waits for confirmation or is below the domain's floor. */
  flag: string | null;
  /** The record that added it. */
  seq: number;
}

/** A scheduled event. */
export interface EventView {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** `pending`, `held`, `fired`, `dropped`, `skipped` or `cancelled`. */
  status: string;
  /** When it is due. */
  due: number | null;
  /** Its condition. */
  when: string | null;
  /** The condition that cancels it. */
  unless: string | null;
  /** When it fired. */
  fired_at: number | null;
  /** How late it fired, in milliseconds. */
  late: number | null;
  /** What it carries. */
  data: Json;
  /** The record that scheduled it. */
  seq: number;
  /** The record of its last change. */
  last_seq: number;
}

/** One version of a fact. */
export interface FactView {
  /** What it is about. */
  subject: string;
  /** Its key. */
  key: string;
  /** Its value. */
  value: Json;
  /** Its version, from 1. */
  version: number;
  /** From when it is true. */
  valid_from: number;
  /** Until when it is true. */
  valid_to: number | null;
  /** When the engine learned it. */
  recorded_at: number;
  /** The turn it was learned in. */
  turn: number;
  /** Where it comes from. */
  source: string | null;
  /** How sure. */
  confidence: Exact | null;
  /** `current`, `superseded`, `retracted` or `expired`. */
  status: string;
  /** The record that made it. */
  seq: number;
  /** The record that ended it. */
  ended_by: number | null;
  /** How many versions the key has. */
  versions: number;
}

/** Current facts, and what was left out. */
export interface FactPage {
  /** The facts. */
  facts: FactView[];
  /** How many versions are hidden, by status. */
  hidden: Record<string, number>;
}

/** The machine. */
export interface MachineView {
  /** Its name; empty when the domain has none. */
  id: string;
  /** The active states, as paths (`review.waiting`). */
  state: string[];
  /** Whether it is finished. */
  finished: boolean;
  /** Every state. */
  states: StateView[];
  /** Every transition. */
  transitions: TransitionView[];
  /** The record of the last transition. */
  seq: number;
  /** Transitions that were taken or refused, newest last. */
  history: TransitionLog[];
  /** What the model check found when it was loaded. */
  findings: Finding[];
}

/** A state of the machine. */
export interface StateView {
  /** Its path. */
  path: string;
  /** Whether it is active. */
  active: boolean;
  /** Whether it is final. */
  is_final: boolean;
  /** Whether it is the initial one of its parent. */
  initial: boolean;
  /** Its description, where the domain gives one. */
  description: string;
}

/** A transition of the machine. */
export interface TransitionView {
  /** Where it starts. */
  from: string;
  /** The event. */
  event: string;
  /** Where it ends. */
  to: string;
  /** Its guard. */
  guard: string | null;
  /** Whether it can be taken now; absent when the event is not possible here. */
  open: boolean | null;
}

/** A transition that was taken or refused. */
export interface TransitionLog {
  /** The event. */
  event: string;
  /** The states before. */
  from: string[];
  /** The states after; the same when it was refused. */
  to: string[];
  /** Whether it was refused. */
  refused: boolean;
  /** Why. */
  reason: string;
  /** The guards that were looked at, and what they gave. */
  guards: GuardResult[];
  /** The record. */
  seq: number;
}

/** What a guard gave. */
export interface GuardResult {
  /** The guard. */
  guard: string;
  /** Whether it held; absent when it could not be evaluated. */
  held: boolean | null;
  /** The error, when it could not be evaluated. */
  error: string | null;
}

/** Something found without running. */
export interface Finding {
  /** Its code. */
  code: string;
  /** What it is. */
  message: string;
  /** Where in the domain. */
  path: string;
  /** Whether it is certain, or only possible. */
  possible: boolean;
}

/** Everything wrong with a plan. */
export interface PlanReport {
  /** Whether it can run. */
  ok: boolean;
  /** The problems, in the order of the text. */
  diagnostics: Diagnostic[];
  /** Its steps, when it could be read. */
  steps: PlanStep[];
  /** The steps that can run at the same time, wave by wave. */
  waves: string[][];
  /** The plan in its text form. */
  text: string;
}

/** One problem of a plan. */
export interface Diagnostic {
  /** Its code. */
  code: string;
  /** `error` or `warning`. */
  severity: string;
  /** What is wrong and what to do. */
  message: string;
  /** The step. */
  step: string | null;
  /** Where in the text. */
  span: Span | null;
  /** What a machine can do about it. */
  fix: Fix | null;
}

/** A repair that a machine can apply. */
export interface Fix {
  /** What it does. */
  title: string;
  /** The bytes to replace. */
  span: Span;
  /** What to put there. */
  replacement: string;
}

/** One step of a plan. */
export interface PlanStep {
  /** Its id. */
  id: string;
  /** Its operation. */
  op: string;
  /** Its arguments. */
  args: JsonMap;
  /** The bindings it uses. */
  needs: string[];
  /** What it is for. */
  note: string;
  /** Where in the text. */
  span: Span;
}

/** One run in a list. */
export interface RunRow {
  /** Its id. */
  id: string;
  /** `running`, `paused`, `done`, `failed` or `cancelled`. */
  status: string;
  /** How many steps are finished. */
  done: number;
  /** How many steps there are. */
  total: number;
  /** The record that started it. */
  seq: number;
  /** Its thread. */
  thread: string;
  /** Its turn. */
  turn: number;
}

/** One run. */
export interface RunView {
  /** Its row. */
  row: RunRow;
  /** The plan in its text form. */
  plan: string;
  /** Its steps. */
  steps: StepView[];
  /** Its values. */
  bindings: BindingView[];
  /** The steps that can run at the same time, wave by wave. */
  waves: string[][];
}

/** One step of a run. */
export interface StepView {
  /** Its id. */
  id: string;
  /** Its operation. */
  op: string;
  /** What it is for. */
  note: string;
  /** Its line in the plan's text. */
  source: string;
  /** Where in the plan's text. */
  span: Span;
  /** `waiting`, `running`, `done`, `failed`, `skipped` or `blocked`. */
  status: string;
  /** The bindings it uses. */
  needs: string[];
  /** Its arguments with values put in. */
  input: Json;
  /** What it gave. */
  output: Json;
  /** What the output rests on. */
  evidence: Evidence[];
  /** Why it failed, was skipped or is blocked. */
  error: string | null;
  /** How many times it was tried. */
  attempts: number;
  /** How long it took, in milliseconds. */
  duration: number | null;
  /** The record of its last change. */
  seq: number;
}

/** One value of a run. */
export interface BindingView {
  /** Its name. */
  name: string;
  /** Its value. */
  value: Json;
  /** What it rests on. */
  evidence: Evidence[];
  /** The step it comes from; empty for an input. */
  step: string;
  /** How sure. */
  confidence: Exact | null;
}

/** What a value rests on. */
export interface Evidence {
  /** The document. */
  document: string;
  /** The document's version. */
  version: number;
  /** The page, from 1. */
  page: number;
  /** The bytes in the document's text. */
  span: Span;
  /** The text there. */
  quote: string;
  /** SHA-256 of the document's text. */
  hash: string;
  /** How it was found: `pattern`, `json-path`, `fact`, `input`, `tool`. */
  method: string;
}

/** A turn of the agent. */
export interface TurnView {
  /** Its thread. */
  thread: string;
  /** Its number. */
  turn: number;
  /** What the user said. */
  text: string;
  /** The language of the answer. */
  language: string;
  /** `running`, `waiting`, `answered`, `stopped` or `failed`. */
  status: string;
  /** The stages it went through. */
  stages: StageView[];
  /** The answer. */
  answer: AnswerView | null;
  /** What it asks a person. */
  ask: AskView | null;
  /** The record that began it. */
  seq: number;
  /** The record of its last change. */
  last_seq: number;
}

/** A stage of a turn. */
export interface StageView {
  /** `interpret`, `ground`, `gather`, `decide` or `respond`. */
  stage: string;
  /** `running`, `done`, `fallback`, `asked` or `failed`. */
  verdict: string;
  /** What went in. */
  input: Json;
  /** What came out. */
  output: Json;
  /** How long it took, in milliseconds. */
  duration: number | null;
  /** The record of its end, or of its begin while it runs. */
  seq: number;
}

/** An answer with its references. */
export interface AnswerView {
  /** The text; `[1]` refers to the first footnote. */
  text: string;
  /** The references. */
  footnotes: Footnote[];
  /** Figures in the text that rest on nothing. */
  unsupported: string[];
  /** The template or model it comes from. */
  from: string;
}

/** A reference of an answer. */
export interface Footnote {
  /** Its number, from 1. */
  number: number;
  /** The value it is for. */
  value: string;
  /** The binding or fact. */
  name: string;
  /** What it rests on. */
  evidence: Evidence[];
}

/** A question to a person. */
export interface AskView {
  /** Its id. */
  id: string;
  /** The question. */
  question: string;
  /** Possible answers. */
  options: Json[];
  /** Whether it is answered. */
  settled: boolean;
}

/** A remembered event. */
export interface MemoryView {
  /** Its id. */
  id: string;
  /** Its kind. */
  kind: string;
  /** What happened. */
  text: string;
  /** When. */
  at: number;
  /** When it ended. */
  until: number | null;
  /** Who and what was part of it. */
  entities: string[];
  /** How important. */
  importance: Exact | null;
  /** More. */
  data: Json;
  /** `current` or `forgotten`. */
  status: string;
  /** The record that remembered it. */
  seq: number;
  /** Its thread. */
  thread: string;
  /** Why it is a hit. */
  why: string;
}

/** Remembered events, and what was left out. */
export interface RecallPage {
  /** The hits. */
  hits: MemoryView[];
  /** The window that was applied. */
  since: number | null;
  /** The window that was applied. */
  until: number | null;
  /** How many matched in all. */
  total: number;
  /** How many were hidden, by reason. */
  hidden: Record<string, number>;
}

/** Something open or wrong. */
export interface Problem {
  /** Its code. */
  code: string;
  /** What it is. */
  message: string;
  /** `error`, `warning` or `open`. */
  severity: string;
  /** The record. */
  seq: number;
  /** More. */
  details: Json;
}

/** Why a value is what it is. */
export interface Why {
  /** The value. */
  value: Json;
  /** In words, one line a step, from the value back to its source. */
  chain: WhyStep[];
}

/** One step back. */
export interface WhyStep {
  /** In words. */
  text: string;
  /** The record. */
  record: RecordRow | null;
  /** What it rests on. */
  evidence: Evidence[];
}

/** The three digests, each 64 hexadecimal digits. */
export interface Digests {
  /** Of the frames' bytes, in sequence. */
  chain: string;
  /** Of every version of everything. */
  history: string;
  /** Of the current view, without numbers, recorded times, audit and caches. */
  content: string;
  /** The record they are of. */
  seq: number;
}

/** A prompt. */
export interface PromptView {
  /** The exact text of each message. */
  messages: PromptMessage[];
  /** Estimated tokens by section. */
  tokens: Record<string, number>;
  /** What was left out. */
  left_out: string[];
}

/** One message of a prompt. */
export interface PromptMessage {
  /** `system` or `user`. */
  role: string;
  /** The text. */
  text: string;
}
