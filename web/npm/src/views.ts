// What queries answer. Times are milliseconds since 1970 (UTC).

import type { Actor, Json, Origin } from "./values.js";
import type { Evidence } from "./views/plan.js";

export type * from "./views/fork.js";
export type * from "./views/ledger.js";
export type * from "./views/memory.js";
export type * from "./views/plan.js";
export type * from "./views/turn.js";
export type * from "./views/world.js";

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
  /** What is held in memory, and what lies in the store; a session says so. */
  memory?: MemoryStatus;
}

/** What is held in memory, and what lies in the store. */
export interface MemoryStatus {
  /** How many bytes of bodies are held at most. */
  budget: number;
  /** How many bytes of memories' texts and data are held. */
  resident_bytes: number;
  /** How many bytes of them lie in the store. */
  cold_bytes: number;
  /** How many frames' bodies were read since the opening. */
  bodies_read: number;
  /** Whether the opening used a snapshot. */
  from_snapshot: boolean;
  /** How many bytes are held of what was worked out for parts of the tree that were looked at. */
  summaries_bytes: number;
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
