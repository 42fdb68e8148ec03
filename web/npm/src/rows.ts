// The synchronous rows of a session whose engine runs on this thread: numbers in, numbers out.

import { ThroughlineError } from "./error.js";
import { decode } from "./exact.js";
import type { Json } from "./values.js";

/** The rows as the wasm module gives them. */
export interface RawRows {
  results(): number;
  count(): number;
  kind(name: string): number;
  kind_names(): string;
  entity(name: string): number;
  entity_name(entity: number): string | undefined;
  time(row: number): number;
  row_kind(row: number): number;
  text(row: number): string | undefined;
  id(row: number): string | undefined;
  row(id: string): number;
  fact_key(key: string, subject: string): number;
  forget_facts(): void;
  fact_number(fact: number, seq: number): number;
  fact_text(fact: number, seq: number): string | undefined;
  entities(row: number): number;
  result_times(count: number): number;
  set_kinds(kinds: Uint16Array): void;
  shared(): number;
  window(since: number, until: number, limit: number, given: number): number;
  last(kind: number, before: number): number;
  history(entity: number, before: number, limit: number): number;
  counts(since: number, until: number, parts: number): number;
  drawn(since: number, until: number, most: number): number;
  drawn_begin(): number;
  drawn_width(): number;
  words(words: string, since: number, until: number, limit: number): number;
  nearest(vector: Float32Array, since: number, until: number, limit: number): number;
  expect(rows: number, entities: number): void;
  insert(
    kinds: string,
    entities: string,
    at: Float64Array,
    kind: Uint16Array,
    entityCount: Uint32Array,
    entity: Uint32Array,
    text: string,
    textBytes: Uint32Array,
    lasts: Float64Array,
    importance: Uint16Array,
    place: Float64Array,
    vectorSize: number,
    vector: Uint8Array,
    meta: string,
  ): Promise<unknown>;
}

/** What a column gives for a row that is not in memory: it was purged, or never made. */
export const NOT_RESIDENT = "not-resident";

/** In how many parts a window is counted at most. */
const MOST_PARTS = 100_000;

/** Which rows. Times are milliseconds since 1970. */
export interface Which {
  /** Not before this time. */
  from?: number;
  /** Before this time. */
  to?: number;
  /** Only these kinds, by number. */
  kinds?: ArrayLike<number>;
  /** At most so many; as many as `out` holds when absent. */
  limit?: number;
  /** Where the row numbers go; without it they stay in {@link Rows.found}. */
  out?: Uint32Array;
}

/** Which counts. */
export interface WhichCounts {
  /** Where the window begins. */
  from: number;
  /** Where it ends. */
  to: number;
  /** How many equal parts; about how many, for drawing. */
  parts: number;
  /** Where the counts go. */
  out?: Uint32Array;
}

/** The subject of a fact that names none: the conversation itself. */
const DEFAULT_SUBJECT = "session";

/** How many facts have numbers at a time. */
const MAX_FACTS = 65_536;

const NO_KINDS: ArrayLike<number> = [];

/** Refuses what is no time, such as the value of a date that could not be read: the engine would take it for 1970. */
function checkTimes(from: number, to: number): void {
  if (Number.isNaN(from) || Number.isNaN(to)) {
    throw new ThroughlineError("not-an-instant", "a window's edge is not a number; give milliseconds since 1970");
  }
}

/** A number that no kind has: a kind that there is none of is in no row. */
const NO_KIND = 0xffff;
/** How many kinds can be written where the engine reads them. */
const GIVEN_KINDS = 16;
/** The kinds that were set count, not those that were written. */
const SET = 0xffffffff;

/**
 * The memory of a session whose engine runs on this thread, as rows. A row is one version of an event; its number
 * is never used again. Nothing is allocated for a row: results are numbers, and columns are read one by one.
 * What is not said otherwise is as of now, begins in the window, and is in order of time.
 */
export class Rows {
  readonly #raw: () => RawRows;
  readonly #memory: WebAssembly.Memory;
  #words = new Uint32Array(0);
  #halves = new Uint16Array(0);
  #kinds: ArrayLike<number> = NO_KINDS;
  #kindCount = -1;
  /** The engine's numbers of facts that were asked for, by subject and key. */
  readonly #facts = new Map<string, Map<string, number>>();
  #of: RawRows | undefined;
  /** Where the engine's and our shared words lie: kinds first, then the place of the results. */
  #shared = 0;
  #results = 0;
  #length = 0;

  /** @internal */
  constructor(raw: () => RawRows, memory: WebAssembly.Memory) {
    this.#raw = raw;
    this.#memory = memory;
  }

  #rows(): RawRows {
    const rows = this.#raw();
    if (rows !== this.#of) {
      this.#of = rows;
      this.#shared = rows.shared() >>> 1;
      this.#results = (this.#shared + GIVEN_KINDS) >>> 1;
      this.#kindCount = -1;
      this.#facts.clear();
    }
    return rows;
  }

  #memoryWords(): Uint32Array {
    // A memory that grows takes its buffer away; to ask the memory for it costs more than a small query.
    if (this.#words.length === 0) {
      this.#words = new Uint32Array(this.#memory.buffer);
      this.#halves = new Uint16Array(this.#memory.buffer);
    }
    return this.#words;
  }

  #view(length: number): Uint32Array {
    this.#length = length;
    const words = this.#memoryWords();
    const at = (words[this.#results] as number) >>> 2;
    return words.subarray(at, at + length);
  }

  #give(found: number, out: Uint32Array | undefined): number {
    if (out === undefined) {
      this.#length = found;
      return found;
    }
    const count = Math.min(found, out.length);
    const words = this.#memoryWords();
    const at = (words[this.#results] as number) >>> 2;
    // A few are copied faster one by one.
    if (count <= 128) for (let i = 0; i < count; i += 1) out[i] = words[at + i] as number;
    else out.set(words.subarray(at, at + count));
    this.#length = count;
    return count;
  }

  /** Says which kinds a call is about: how many of those it wrote, or {@link SET}. */
  #about(rows: RawRows, kinds: ArrayLike<number> | undefined): number {
    if (kinds === undefined) return 0;
    const { length } = kinds;
    if (length <= GIVEN_KINDS) {
      this.#memoryWords();
      const at = this.#shared;
      for (let i = 0; i < length; i += 1) {
        const kind = kinds[i] as number;
        this.#halves[at + i] = kind >= 0 && kind < NO_KIND ? kind : NO_KIND;
      }
      return length;
    }
    this.#set(rows, kinds);
    return SET;
  }

  /** Sets the kinds of the calls that take none. */
  #set(rows: RawRows, kinds: ArrayLike<number> = NO_KINDS): void {
    const { length } = kinds;
    const before = this.#kinds;
    let same = length === this.#kindCount;
    for (let i = 0; same && i < length; i += 1) same = kinds[i] === before[i];
    if (same) return;
    this.#kinds = Float64Array.from(kinds);
    this.#kindCount = length;
    rows.set_kinds(Uint16Array.from(kinds, (kind) => (kind >= 0 && kind < NO_KIND ? kind : NO_KIND)));
  }

  /** How many rows were ever made; their numbers go from 0. */
  get count(): number {
    return this.#rows().count();
  }

  /** The last results without `out`: a view into the engine's memory, until the next call. */
  get found(): Uint32Array {
    this.#rows();
    return this.#view(this.#length);
  }

  /** The times of the last results: a view into the engine's memory, until the next call. */
  get foundTimes(): Float64Array {
    const at = this.#rows().result_times(this.#length);
    return new Float64Array(this.#memory.buffer, at, this.#length);
  }

  /** The number of a kind; -1 when no event ever had it. */
  kindNumber(name: string): number {
    return this.#rows().kind(name);
  }

  /** The names of the kinds, by number. */
  kindNames(): string[] {
    const names = this.#rows().kind_names().split("\n").slice(0, -1);
    return names.map((name) => name.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign)));
  }

  /** The number of an entity; -1 when no event ever had it. */
  entityNumber(name: string): number {
    return this.#rows().entity(name);
  }

  /** The name of an entity. */
  entityName(entity: number): string | undefined {
    return this.#rows().entity_name(entity);
  }

  /** When a row begins; NaN when it is not resident. */
  time(row: number): number {
    return this.#rows().time(row);
  }

  /** A row's kind, as a number; -1 when it is not resident. */
  kind(row: number): number {
    return this.#rows().row_kind(row);
  }

  /** A row's text, or `"not-resident"`: see {@link isResident} to tell it from a text. */
  text(row: number): string {
    return this.#rows().text(row) ?? NOT_RESIDENT;
  }

  /** Whether a row is in memory. */
  isResident(row: number): boolean {
    return this.#rows().row_kind(row) >= 0;
  }

  /** A row's entities, as numbers: a view into the engine's memory, until the next call. */
  entities(row: number): Uint32Array {
    const rows = this.#rows();
    return this.#view(rows.entities(row));
  }

  /**
   * A fact as of a record, or of now: its value, of a key with many values the list of them; `undefined` when nothing
   * is known then. The same as `at(seq).fact(key)`, without waiting.
   */
  fact(key: string, seq = NaN, subject = DEFAULT_SUBJECT): Json | undefined {
    const rows = this.#rows();
    const fact = this.#factNumber(rows, key, subject);
    // Most values that are read in a loop are numbers: they need no text in between.
    const number = rows.fact_number(fact, seq);
    if (!Number.isNaN(number)) return number;
    const text = rows.fact_text(fact, seq);
    return text === undefined ? undefined : decode(text);
  }

  /** The engine's number for a fact: its names cross the boundary once. */
  #factNumber(rows: RawRows, key: string, subject: string): number {
    let keys = this.#facts.get(subject);
    if (keys === undefined) this.#facts.set(subject, (keys = new Map()));
    let fact = keys.get(key);
    if (fact !== undefined) return fact;
    fact = rows.fact_key(key, subject);
    if (fact < MAX_FACTS) {
      keys.set(key, fact);
      return fact;
    }
    // Whoever asks for ever new facts begins anew: the names are not kept without end.
    rows.forget_facts();
    this.#facts.clear();
    fact = rows.fact_key(key, subject);
    this.#facts.set(subject, new Map([[key, fact]]));
    return fact;
  }

  /** The id of a row's event. */
  id(row: number): string | undefined {
    return this.#rows().id(row);
  }

  /** The newest row of an event; -1 when there is none. */
  row(id: string): number {
    return this.#rows().row(id);
  }

  /** The rows of a window, in order of time. Gives how many were found. */
  window({ from = -Infinity, to = Infinity, kinds, limit, out }: Which = {}): number {
    checkTimes(from, to);
    const rows = this.#rows();
    const given = this.#about(rows, kinds);
    return this.#give(rows.window(from, to, limit ?? out?.length ?? 0xffffffff, given), out);
  }

  /** The last row of a kind before a time; -1 when there is none. */
  last(kind: number, before = Infinity): number {
    checkTimes(before, before);
    return kind >= 0 && kind < NO_KIND ? this.#rows().last(kind, before) : -1;
  }

  /** The newest rows of an entity before a time, newest first. Gives how many were found. */
  history(entity: number, { to = Infinity, limit, out }: Which = {}): number {
    checkTimes(to, to);
    const rows = this.#rows();
    return this.#give(rows.history(entity, to, limit ?? out?.length ?? 0xffffffff), out);
  }

  /**
   * Exact counts: part after part, each with one count for each kind that has a number. Gives how many kinds there
   * are.
   */
  counts({ from, to, parts, out }: WhichCounts): number {
    checkTimes(from, to);
    if (!(parts >= 1 && parts <= MOST_PARTS)) {
      throw new ThroughlineError("bad-buckets", `${parts} parts cannot be counted; ask for 1 to ${MOST_PARTS}`);
    }
    const rows = this.#rows();
    const kinds = rows.counts(from, to, parts);
    this.#give(kinds * parts, out);
    return kinds;
  }

  /**
   * Counts for drawing, from ready-made rows of counters: about so many parts of a round width, each with
   * {@link LANES} counts, by kind; the last one counts all kinds that have none of their own.
   */
  drawn({ from, to, parts, out }: WhichCounts): { begin: number; width: number; parts: number } {
    checkTimes(from, to);
    const rows = this.#rows();
    const count = rows.drawn(from, to, parts);
    this.#give(count * LANES, out);
    return { begin: rows.drawn_begin(), width: rows.drawn_width(), parts: count };
  }

  /** The rows that hold the words best, best first. Gives how many were found. */
  words(words: string, { from = -Infinity, to = Infinity, kinds, limit, out }: Which = {}): number {
    checkTimes(from, to);
    const rows = this.#rows();
    this.#set(rows, kinds);
    return this.#give(rows.words(words, from, to, limit ?? out?.length ?? 100), out);
  }

  /** The rows nearest to a vector, nearest first. Gives how many were found. */
  nearest(vector: Float32Array, { from = -Infinity, to = Infinity, limit, out }: Which = {}): number {
    checkTimes(from, to);
    const rows = this.#rows();
    return this.#give(rows.nearest(vector, from, to, limit ?? out?.length ?? 10), out);
  }

  /** @internal */
  expect(rows: number, entities: number): void {
    this.#rows().expect(rows, entities);
  }

  /** @internal */
  insert(...columns: Parameters<RawRows["insert"]>): Promise<unknown> {
    return this.#rows().insert(...columns);
  }
}

/** How many counts a part has for drawing. */
export const LANES = 16;

/** Refuses rows where there are none. */
export function noRows(): ThroughlineError {
  return new ThroughlineError("no-rows", "rows are synchronous: open the journal with `host: \"here\"` to have them");
}
