// Plans, their runs, and what values rest on.

import type { Breakpoint } from "../commands.js";
import type { Exact } from "../exact.js";
import type { Json, JsonMap, Span } from "../values.js";
import type { AskView } from "./turn.js";

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
