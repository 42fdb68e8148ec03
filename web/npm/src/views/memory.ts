// Remembered events.

import type { Exact } from "../exact.js";
import type { Json } from "../values.js";

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
  /** By part, how many of those counted are of a kind whose name says that something went wrong. */
  errors: number[];
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
  /** Its kind. */
  kind: string;
  /** When it began. */
  at: number;
  /** Who and what was part of it. */
  entities: string[];
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
  /** How many are current of kinds whose names say that something went wrong. */
  errors: number;
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
