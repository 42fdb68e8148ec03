// The small things that commands, queries and views share.

import type { Exact } from "./exact.js";

/** A value: JSON's model with exact numbers. */
export type Json = null | boolean | Exact | string | Json[] | JsonMap;

/** Named values. */
export interface JsonMap {
  [name: string]: Json;
}

/** An instant: milliseconds since 1970 (UTC), or text in RFC 3339. Text without a zone is refused, or read in
 *  the domain's zone and flagged. */
export type Time = number | string;

/** A point to view at. Empty means: the newest record, and what is valid now. */
export interface Moment {
  /** After this record. */
  seq?: number;
  /** What was known at this recorded time. */
  recorded_at?: Time;
  /** What was true in the world at this time. At an old `seq` without it: the recorded time there. */
  valid_at?: Time;
}

/** Who did it. */
export interface Actor {
  /** Which kind of actor, in falling order of authority. */
  kind: "user" | "rule" | "tool" | "model" | "import";
  /** Its name, where there is one: a model, a tool, a rule, a file. */
  name?: string;
}

/** Where an input came from and its place there. */
export interface Origin {
  /** The source's name. */
  source: string;
  /** The input's number at the source. */
  seq?: number;
}

/** A range of bytes in a text: `start` to before `end`. */
export interface Span {
  /** First byte. */
  start: number;
  /** One past the last byte. */
  end: number;
}

/** Who, when, why. Everything has a default: the user, now, on the main thread. */
export interface Meta {
  /** The logical timeline; `main` when absent. */
  thread?: string;
  /** The exchange within the thread; the thread's newest when absent. */
  turn?: number;
  /** Who; the user when absent. */
  actor?: Actor;
  /** One sentence for the audit. */
  reason?: string;
  /** From when it is true in the world; the input's reference time, and else now. */
  valid_from?: Time;
  /** The record that led to it. */
  cause?: number;
  /** Where the input came from; the same origin twice changes nothing the second time. */
  origin?: Origin;
  /** The same key twice answers what the first time answered, and changes nothing. */
  idempotency_key?: string;
  /** The head the caller has seen; another head refuses with `head-moved`. */
  expected_head?: number;
}

/** What a command did. */
export interface Done<Result extends Json = Json> {
  /** The records it made; empty when it changed nothing. */
  records: number[];
  /** What it gives back: an entity's id, a run's id, a version; each command says what. */
  result: Result;
}
