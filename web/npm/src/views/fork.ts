// What differs, what would not be, and what a fork did.

import type { Json } from "../values.js";
import type { RecordRow } from "../views.js";

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
