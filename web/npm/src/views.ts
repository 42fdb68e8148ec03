// What queries answer. Times are milliseconds since 1970 (UTC).

import type { Breakpoint } from "./commands.js";
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
  /** The time zones whose rules are loaded, and the version of each. */
  zones: Record<string, string>;
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
  /** How it repeats; null when it does not. */
  repeat: Json;
  /** How many times it fired. */
  firings: number;
  /** The events that must have happened before it. */
  after: string[];
  /** The events that it must come before. */
  before: string[];
  /** Why it is as it is. */
  reason: string;
}

/** One statement of a relation, and what became of it. */
export interface RelationVersion {
  /** The statement, with the end that it has by what was known at the moment. */
  relation: RelationView;
  /** `current`, `ended`, `future`, `held`, or `gone` when an end of it is not there. */
  status: string;
  /** When the engine learned it. */
  recorded_at: number;
  /** The record that ended it, when a command or a newer statement did. */
  ended_by: number | null;
}

/** One way from an entity to another. */
export interface RelationPath {
  /** The entities on it, the first and the last included. */
  entities: string[];
  /** The relations between them. */
  relations: RelationView[];
  /** How sure the least sure of them is. */
  confidence: Exact | null;
}

/** The ways from one entity to another. */
export interface PathPage {
  /** The ways, the shortest first, then the surest. */
  paths: RelationPath[];
  /** Whether there may be more than are shown. */
  more: boolean;
}

/** An entity near another. */
export interface Neighbour {
  /** Its id. */
  id: string;
  /** Its type. */
  entity_type: string;
  /** Its name in the world. */
  raw_id: string;
  /** How many relations away. */
  depth: number;
  /** Whether it was ended. */
  retired: boolean;
}

/** The entities around one. */
export interface Neighbourhood {
  /** The entities, the one in the middle first. */
  entities: Neighbour[];
  /** The relations between them. */
  relations: RelationView[];
  /** How many entities within the depth are not shown. */
  left_out: number;
}

/** A record that led to a value. */
export interface Influence {
  /** The record. */
  record: RecordRow;
  /** How many relations upstream of the entity. */
  depth: number;
  /** `value`, `cause`, `relation`, `field` or `entity`: how it led there. */
  by: string;
  /** The entity that it is about. */
  entity: string;
  /** The field that it set. */
  field: string | null;
  /** The record here that it led to. */
  led_to: number | null;
}

/** The records that led to a value. */
export interface Influences {
  /** The value. */
  value: Json;
  /** The records, the nearest first. */
  records: Influence[];
  /** How many more there are within the depth. */
  left_out: number;
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
  /** How much its source is trusted, where the domain settles conflicts by that. */
  trust: Exact | null;
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
  /** `error` or `warning`. */
  severity: string;
  /** The shortest path that shows it, where there is one. */
  trace: string[];
}

/** What can be known of a machine without running it. */
export interface MachineCheck {
  /** Whether it can be loaded. */
  ok: boolean;
  /** What was found. */
  findings: Finding[];
  /** How many places it can come to. */
  states: number;
  /** How many steps between them. */
  steps: number;
  /** Whether every guard could be answered for certain and everything was looked at. */
  exact: boolean;
}

/** What an event does to a machine. */
export interface TransitionResult {
  /** The active states after it, as paths. */
  state: string[];
  /** What is to be done: exit actions, the transition's own, entry actions. */
  effects: Json[];
  /** Whether the machine is then finished. */
  finished: boolean;
  /** The states that are left, innermost first. */
  exited: string[];
  /** The states that are entered, outermost first. */
  entered: string[];
  /** The guards that were looked at, and what they gave. */
  guards: GuardResult[];
  /** The events of the single steps, when there were several. */
  via: string[];
  /** The events that are known then; delayed and inner ones are not among them. */
  events: string[];
  /** All that is needed to go on from there. */
  snapshot: Json;
}

/** A machine of another notation in ours. */
export interface ImportedMachine {
  /** The machine, for a domain. */
  machine: Json;
  /** What was not carried over, with where it stood. */
  notes: Finding[];
}

/** Sources that disagree about a fact. */
export interface ConflictView {
  /** What it is about. */
  subject: string;
  /** Its key. */
  key: string;
  /** The domain's rule: `newest_valid`, `most_trusted`, `official` or `ask`. */
  rule: string;
  /** Whether a person has to settle it. */
  open: boolean;
  /** What counts. */
  winner: FactView;
  /** What does not. */
  losers: FactView[];
  /** Why, in words. */
  why: string;
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
  /** The plan in its normal text form, when it has no errors. */
  normal: string;
  /** The plan in its JSON form, when it has no errors. */
  json: Json;
  /** How many rounds of repairs were applied. */
  mended: number;
}

/** How near a plan comes to a golden one. */
export interface PlanScore {
  /** From 0 to 1: half what the paired steps have in common, half the arrows that agree. */
  score: Exact | null;
  /** What the paired steps have in common, from 0 to 1. */
  steps: Exact | null;
  /** How many arrows between steps agree, from 0 to 1. */
  edges: Exact | null;
  /** The steps that were paired. */
  matched: PlanMatch[];
  /** The golden steps that no step does. */
  missing: string[];
  /** The steps that do nothing of the golden plan. */
  extra: string[];
  /** The golden plan's arrows that are missing. */
  missing_edges: string[];
  /** The arrows that the golden plan has not. */
  extra_edges: string[];
  /** The score in a sentence. */
  explanation: string;
}

/** A step and the golden step it was paired with. */
export interface PlanMatch {
  /** The step. */
  plan: string;
  /** The golden step. */
  golden: string;
  /** How alike they are, from 0 to 1. */
  score: Exact | null;
  /** What differs; empty when nothing does. */
  why: string;
}

/** What a model is told so that it writes a plan. */
export interface PlanPrompt {
  /** The instructions: operations with examples, what may be used, self-verification, the shape of the reply with room for thoughts that are no part of the plan. */
  system: string;
  /** The question. */
  user: string;
  /** What the checker said of the last plan, to be said after it; empty when it held. */
  retry: string;
  /** The JSON Schema of the reply. */
  schema: Json;
  /** How often a reply that does not hold is asked again. */
  retries: number;
  /** Whether that was often enough. */
  give_up: boolean;
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
  /** The longest chain of steps that waited for each other, by duration. */
  critical_path: string[];
  /** What it asks people, settled or not. */
  asks: AskView[];
  /** Where it pauses by itself. */
  breakpoints: Breakpoint[];
  /** Why it is paused, when a breakpoint did it. */
  paused_at: string | null;
  /** Why it failed. */
  error: string | null;
  /** The time that the plan is about, as its text. */
  temporal_scope: Json;
  /** The tokens that its calls took. */
  tokens: number;
  /** What it is another run of. */
  reruns: RerunOf | null;
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
  /** The stable code of its failure. */
  code: string | null;
  /** How sure its value is. */
  confidence: Exact | null;
  /** The unit of its value. */
  unit: string | null;
  /**
   * In a rerun: `reused`, `recomputed`, `live`, `stubbed` or `edited`; `fallback` or `skipped_over` when it failed and its
   * plan had an answer to that.
   */
  mark: string | null;
  /** The answer of the cache that it took. */
  cached: CacheHit | null;
  /** Which branch an `IF` took. */
  branch: boolean | null;
  /** What was nearly found, when nothing was. */
  near: NearMiss | null;
  /** When the next attempt is due. */
  until: number | null;
}

/** What a run is another run of. */
export interface RerunOf {
  /** The first run. */
  run: string;
  /** The step from which on it was looked at anew. */
  from: string | null;
  /** What was edited. */
  edits: JsonMap;
  /** How many steps of each mark. */
  marks: Record<string, number>;
}

/** An answer of the cache. */
export interface CacheHit {
  /** The record that it comes from. */
  seq: number;
  /** How old it was, in milliseconds. */
  age: number;
}

/** What was nearly found. */
export interface NearMiss {
  /** The document, when it is one. */
  document: string;
  /** The bytes that were nearly found. */
  span: Span;
  /** The text there. */
  quote: string;
  /** What finds it: another pattern, another path. */
  instead: string | null;
}

/** Why a run went wrong. */
export interface RunDiagnosis {
  /** The run. */
  run: string;
  /** Its status. */
  status: string;
  /** The root cause in a sentence. */
  cause: string;
  /** The step that it lies in. */
  step: string | null;
  /** Its code. */
  code: string | null;
  /** That step as it is written. */
  source: string;
  /** What was nearly found. */
  near: NearMiss | null;
  /** What to change, in a sentence. */
  suggestion: string;
  /** The change, as a repair of the plan's text. */
  fix: Fix | null;
  /** The plan with that change. */
  repaired: string | null;
  /** The steps that have no value because of it. */
  blocked: string[];
  /** Everything else that went wrong or is doubtful, one sentence each. */
  also: string[];
}

/** What no longer holds of an answer. */
export interface Broken {
  /** The footnote; 0 for a figure without evidence. */
  number: number;
  /** A stable code. */
  code: string;
  /** What does not hold. */
  message: string;
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
  /** Personal data that was masked, by class and how many times. */
  masked: Record<string, number>;
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
  /** How sure. */
  confidence: Exact | null;
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

/** Counts by part of a window and kind. */
export interface MemoryCounts {
  /** The kinds, in the order of the columns. */
  kinds: string[];
  /** Where the parts begin, and where the last one ends. */
  edges: number[];
  /** By part, then by kind. */
  counts: number[][];
}

/** The events next to a moment, in order of time. */
export interface Neighbours {
  /** Those before it. */
  before: MemoryView[];
  /** Those at it and after it. */
  after: MemoryView[];
}

/** Events that count as simultaneous. */
export interface MomentView {
  /** When the first one begins. */
  from: number;
  /** When the last one begins. */
  to: number;
  /** The events. */
  events: MemoryView[];
}

/** Events that belong together. */
export interface EpisodeView {
  /** When the first one begins. */
  since: number;
  /** When the last one ends. */
  until: number;
  /** Their thread. */
  thread: string;
  /** How many there are. */
  count: number;
  /** How many of each kind. */
  kinds: Record<string, number>;
  /** The sum of their importance, in thousandths. */
  importance: number;
  /** The first one's id. */
  first: string;
  /** The last one's id. */
  last: string;
  /** Whether more belongs to it than is shown. */
  cut: boolean;
  /** The events, where one episode was asked for. */
  events: MemoryView[];
}

/** What would be forgotten, and why. */
export interface ForgettingRow {
  /** The event. */
  id: string;
  /** What it weighs, in millionths. */
  score: number;
  /** Why. */
  reason: string;
}

/** The tree of summaries over the time axis. */
export interface TreeView {
  /** How many levels there are, blocks included. */
  levels: number;
  /** The parts, each before those below it. */
  parts: TreePart[];
  /** Whether there are more parts than are shown. */
  cut: boolean;
}

/** The summary of a part of the tree. */
export interface TreePart {
  /** How many levels above the events, from 0 for a block. */
  level: number;
  /** When its first event begins. */
  first: number;
  /** When its last event begins. */
  last: number;
  /** One past the latest end. */
  end: number;
  /** How many versions of events it holds. */
  rows: number;
  /** How many are current. */
  live: number;
  /** How many are forgotten. */
  forgotten: number;
  /** The sum of the importance of what is current, in thousandths. */
  importance: number;
  /** How many are current, by kind. */
  kinds: Record<string, number>;
  /** When any of it was last used. */
  last_used: number | null;
  /** How many have vectors. */
  vectors: number;
  /** How long the mean of the vectors is, in thousandths: 1,000 when all point the same way. */
  cohesion: number | null;
  /** The first event of the entity asked for. */
  first_state: string | null;
  /** The last one. */
  last_state: string | null;
  /** What the recall does: `skipped`, `whole` (its summary says all), `opened`, `read` (a block, row by row). */
  step: string;
}

/** What is left of a purged event. */
export interface Tombstone {
  /** Its id. */
  id: string;
  /** The record that remembered it. */
  remembered: number;
  /** The record that purged it. */
  seq: number;
  /** When. */
  recorded_at: number;
  /** Why. */
  reason: string;
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

/** What differs between two moments. */
export interface Difference {
  /** The changes, by area and id. */
  changes: ChangeRow[];
}

/** One thing that differs. */
export interface ChangeRow {
  /** What kind of thing. */
  area: "domain" | "fact" | "entity" | "relation" | "event" | "machine" | "run" | "memory";
  /** Which one. */
  id: string;
  /** How. */
  change: "added" | "removed" | "changed";
  /** What it was. */
  before: Json;
  /** What it is. */
  after: Json;
}

/** What would not be without a record. */
export interface Without {
  /** The record. */
  seq: number;
  /** The records that it led to, forwards through the cause graph. */
  effects: RecordRow[];
  /** What would be otherwise at the head: `before` as it is, `after` without the record. */
  changes: ChangeRow[];
  /** What became of the commands after it. */
  commands: ForkCommand[];
  /** What became of the recorded effects after it. */
  recorded: ForkEffect[];
}

/** What a fork did. */
export interface ForkReport {
  /** The id of the journal it comes from. */
  from: string;
  /** Its own id. */
  id: string;
  /** The last record that both have. */
  at: number;
  /** Its last record. */
  seq: number;
  /** The commands that were decided again. */
  commands: ForkCommand[];
  /** The recorded effects of the world outside. */
  effects: ForkEffect[];
  /** What is otherwise at its head: `before` in the journal it comes from, `after` in the fork. */
  changes: ChangeRow[];
}

/** A command that a fork decided again. */
export interface ForkCommand {
  /** Its first record in the journal that was forked; absent for an inserted one. */
  seq: number | null;
  /** Its type. */
  command: string;
  /** What became of it. */
  outcome: "same" | "otherwise" | "now_done" | "now_refused" | "dropped" | "replaced" | "delayed" | "inserted";
  /** Its records in the fork. */
  records: number[];
  /** Why it was refused in the fork. */
  code: string | null;
}

/** What became of a recorded effect. */
export interface ForkEffect {
  /** Its record in the journal that was forked; absent when the fork asked for something new. */
  seq: number | null;
  /** Which kind of effect. */
  kind: "call" | "exchange";
  /** The tool, or what the model was asked for. */
  name: string;
  /** What became of it: `recomputed` ones are left open for a host to do. */
  how: "reused" | "recomputed" | "stubbed" | "dropped";
  /** Why. */
  why: string;
}

/** How the turns went, in figures. */
export interface MetricsView {
  /** How many turns, by status. */
  turns: Record<string, number>;
  /** The stages, by name. */
  stages: Record<string, StageMetrics>;
  /** How many exchanges with models, by ending. */
  exchanges: Record<string, number>;
  /** How many replies were judged. */
  judged: number;
  /** How many of them held. */
  valid: number;
  /** How many of them were refused. */
  refused: number;
  /** `valid` of `judged`, with three digits; absent when none was judged. */
  validity_rate: Exact | null;
  /** `refused` of `judged`. */
  refusal_rate: Exact | null;
  /** How many questions were put before a person. */
  hand_overs: number;
  /** All tokens. */
  tokens: TokenMetrics;
  /** Each turn, oldest first. */
  rows: TurnMetrics[];
}

/** How a stage went. */
export interface StageMetrics {
  /** How many times it ended, by verdict. */
  verdicts: Record<string, number>;
  /** The replies that were judged for it. */
  judged: number;
  /** The replies that held. */
  valid: number;
  /** The replies that were refused. */
  refused: number;
  /** Questions to a person. */
  hand_overs: number;
  /** Half of the times were at most so long, in milliseconds. */
  p50: number | null;
  /** Of twenty, nineteen were at most so long. */
  p95: number | null;
  /** The tokens of its exchanges. */
  tokens: TokenMetrics;
}

/** Tokens. */
export interface TokenMetrics {
  /** Of requests. */
  prompt: number;
  /** Of replies. */
  completion: number;
  /** Of requests, in the provider's cache. */
  cached: number;
  /** Exchanges whose count is an estimate. */
  estimated: number;
}

/** How one turn went. */
export interface TurnMetrics {
  /** Its thread. */
  thread: string;
  /** Its number. */
  turn: number;
  /** Its status. */
  status: string;
  /** From its begin to its last change, in milliseconds. */
  duration: number;
  /** How many exchanges. */
  exchanges: number;
  /** How many replies were refused. */
  refused: number;
  /** Questions to a person. */
  hand_overs: number;
  /** The stages in which rules or templates stood in for the model. */
  fallbacks: string[];
  /** The tokens of its exchanges. */
  tokens: TokenMetrics;
  /** The most tokens of one request. */
  largest_prompt: number;
  /** The record that began it. */
  seq: number;
}

/** What deciding a recorded run again gave. */
export interface ReplayView {
  /** Whether every record came out as it is recorded. */
  same: boolean;
  /** How many records were compared. */
  records: number;
  /** How many recorded replies of models were given instead of asking. */
  exchanges: number;
  /** How many recorded results of tools were given instead of calling. */
  results: number;
  /** How many models and tools were called: none. */
  calls: number;
  /** The first record that came out otherwise. */
  divergence: Divergence | null;
}

/** Where a run that is decided again leaves what is recorded. */
export interface Divergence {
  /** The record. */
  seq: number;
  /** Its turn. */
  turn: number;
  /** What is recorded. */
  recorded: string;
  /** What came out. */
  decided: string;
  /** The first place in the record's data that differs, as a JSON pointer. */
  path: string;
  /** What is recorded there. */
  expected: Json;
  /** What came out there. */
  found: Json;
  /** In words. */
  message: string;
}
