// The turns of the agent: stages, answers, prompts, figures, replay.

import type { Exact } from "../exact.js";
import type { Json } from "../values.js";
import type { Evidence } from "./plan.js";

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
  /** How many records were taken as they are recorded: what they were decided from was erased, or never kept whole. */
  not_decided_again: number;
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
