// What a fork does otherwise than the journal it comes from.

import type { Command } from "./commands.js";
import type { Json, Meta } from "./values.js";

/** What a fork does otherwise. Records are named by their numbers in the journal that is forked. */
export type Intervention =
  /** Leaves out what led to a record: its command, or the recorded result of an effect. */
  | { type: "drop"; seq: number }
  /** Puts another command, or another result of an effect, in the place of a record's. */
  | { type: "replace"; seq: number; command: Command }
  | { type: "replace"; seq: number; output: Json }
  /** Lets what led to a record happen later: by an ISO 8601 duration. */
  | { type: "delay"; seq: number; by: string }
  /** Runs one more command after a record; right after the fork's start when absent. */
  | { type: "insert"; after?: number; command: Command; meta?: Meta }
  /** Asserts a fact. */
  | { type: "set_fact"; after?: number; key: string; value: Json; subject?: string }
  /** Ends an entity. */
  | { type: "retire_entity"; after?: number; entity: string };
