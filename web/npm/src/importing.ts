// Many events at once: columns, packed and given in parts, with pauses in between.

import { ThroughlineError } from "./error.js";
import type { Exact } from "./exact.js";
import type { MemoryItem, RememberColumns } from "./commands.js";
import type { Meta, Time } from "./values.js";

/** Events as columns, all of one length. */
export interface EventColumns {
  /** When each was, in milliseconds since 1970. */
  at: ArrayLike<number>;
  /** The names of the kinds. */
  kinds: string[];
  /** Each one's kind, as a place among `kinds`; the first one when absent. */
  kind?: ArrayLike<number>;
  /** The names of the entities. */
  entities?: string[];
  /** How many entities each has. */
  entityCount?: ArrayLike<number>;
  /** The entities of all, one after the other, as places among `entities`. */
  entity?: ArrayLike<number>;
  /** What happened. */
  text?: string[];
  /** How long each lasted, in milliseconds. */
  lasts?: ArrayLike<number>;
  /** How important, from 0 to 1; not a number where none is given. */
  importance?: ArrayLike<number>;
  /** Each one's number at the source. */
  place?: ArrayLike<number>;
  /** The vectors of all, one after the other. */
  vector?: Float32Array;
  /** How many components each vector has. */
  vectorSize?: number;
}

/** How events are imported. */
export interface ImportOptions {
  /**
   * Where they come from: importing the same from the same source again changes nothing, and of a log that has grown
   * only what is new goes in, in parts of whatever size.
   */
  source?: string;
  /** The logical timeline. */
  thread?: string;
  /** Called after each part. */
  onProgress?: (progress: { done: number; total: number | undefined }) => void;
  /** Ends the import; what is in by then stays. */
  signal?: AbortSignal;
  /** How many events one record holds at most. */
  rows?: number;
}

/** What an import did. */
export interface Imported {
  /** How many events are in. */
  count: number;
  /** How many of them had been in already. */
  duplicates: number;
  /** The records that hold them. */
  records: number[];
  /** Whether it was ended before its end. */
  cancelled: boolean;
}

/** A part of the events, ready to be packed. */
export interface Part {
  kinds: string[];
  entities: string[];
  at: Float64Array;
  kind: Uint16Array;
  entityCount: Uint32Array;
  entity: Uint32Array;
  text: string;
  textBytes: Uint32Array;
  lasts: Float64Array;
  importance: Uint16Array;
  place: Float64Array;
  vectorSize: number;
  vector: Uint8Array;
}

/** The most events one record holds. */
const MOST_ROWS = 250_000;
/** The most bytes of vectors in one record. */
const MOST_VECTOR_BYTES = 16 << 20;
/** The most characters of text in one record. */
const MOST_TEXT = 8 << 20;
/** The first and the last instant that there is: the years -9999 and 9999, less a day. */
const LEAST_MILLIS = -377_705_030_400_000;
const MOST_MILLIS = 253_402_214_399_999;

const encoder = new TextEncoder();

function textBytes(text: string): number {
  // Most texts are plain: then each character is one byte.
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) > 127) {
      checkText(text);
      return encoder.encode(text).length;
    }
  }
  return bytes;
}

/** Refuses half of a surrogate pair: it cannot be written, and what stands in for it is another text. */
function checkText(text: string): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw new ThroughlineError("unwritable-value", "a text with half of a surrogate pair cannot be written");
}

function thousandths(importance: number): number {
  if (importance >= 0 && importance <= 1) return Math.round(importance * 1_000) + 1;
  throw new ThroughlineError("importance-out-of-range", `importance goes from 0 to 1, not ${importance}`);
}

/** Refuses what a column cannot hold: nothing is rounded, cut or wrapped round on the way in. */
function checkNumbers(name: string, column: ArrayLike<number> | undefined, least: number, most: number): void {
  if (column === undefined) return;
  // An array that can hold nothing else need not be looked through.
  const held = column instanceof Uint8Array ? 0xff : column instanceof Uint16Array ? 0xffff : column instanceof Uint32Array ? 0xffffffff : Infinity;
  if (least <= 0 && held <= most && held !== Infinity) return;
  for (let i = 0; i < column.length; i += 1) {
    const n = column[i] as number;
    if (Number.isInteger(n) && n >= least && n <= most) continue;
    throw new ThroughlineError("bad-column", `\`${name}\` holds ${String(n)} in row ${i}: give whole numbers from ${least} to ${most}`);
  }
}

/** A part of a column as an array of its own kind; not copied where it is one already. */
function part<A extends Float64Array | Uint32Array | Uint16Array>(
  column: ArrayLike<number> | undefined,
  begin: number,
  end: number,
  Kind: { new (length: number): A },
): A {
  if (column === undefined) return new Kind(0);
  if (column instanceof Kind) return column.subarray(begin, end) as A;
  const out = new Kind(end - begin);
  // What lies side by side is copied as a whole.
  if (ArrayBuffer.isView(column)) out.set((column as unknown as Uint32Array).subarray(begin, end));
  else for (let i = begin; i < end; i += 1) out[i - begin] = column[i] as number;
  return out;
}

function importances(column: ArrayLike<number> | undefined, begin: number, end: number): Uint16Array {
  if (column === undefined) return new Uint16Array(0);
  const out = new Uint16Array(end - begin);
  for (let i = begin; i < end; i += 1) {
    const n = column[i] as number;
    out[i - begin] = Number.isNaN(n) ? 0 : thousandths(n);
  }
  return out;
}

const BY_ROW = ["kind", "entityCount", "text", "lasts", "importance", "place"];
const COLUMNS = ["at", "kinds", "entities", "entity", "vector", "vectorSize", ...BY_ROW];

/** Refuses columns that do not fit one another, before any of them goes in. */
function checkColumns(columns: EventColumns): void {
  const total = columns.at.length;
  const bad = (message: string): never => {
    throw new ThroughlineError("bad-column", message);
  };
  for (const [name, column] of Object.entries(columns) as [string, ArrayLike<number> | undefined][]) {
    if (!COLUMNS.includes(name)) bad(`there is no column \`${name}\`; the columns are ${COLUMNS.join(", ")}`);
    if (BY_ROW.includes(name) && column !== undefined && column.length !== total) {
      bad(`\`${name}\` has ${column.length} rows where \`at\` has ${total}`);
    }
  }
  const { entityCount, entity, vector, vectorSize = 0 } = columns;
  checkNumbers("at", columns.at, LEAST_MILLIS, MOST_MILLIS);
  if (columns.kind instanceof Uint32Array) checkNumbers("kind", Array.from(columns.kind), 0, 0xffff);
  else checkNumbers("kind", columns.kind, 0, 0xffff);
  checkNumbers("entityCount", entityCount, 0, 0xffff);
  checkNumbers("entity", entity, 0, 0xffffffff);
  checkNumbers("lasts", columns.lasts, 0, MOST_MILLIS - LEAST_MILLIS);
  for (const name of [...columns.kinds, ...(columns.entities ?? [])]) checkText(name);
  checkNumbers("place", columns.place, 0, Number.MAX_SAFE_INTEGER);
  let many = 0;
  for (let i = 0; entityCount !== undefined && i < entityCount.length; i += 1) many += entityCount[i] as number;
  if (many !== (entity?.length ?? 0)) bad(`\`entityCount\` sums up to ${many}, and \`entity\` has ${entity?.length ?? 0}`);
  if (vector !== undefined && vector.length !== total * vectorSize) {
    bad(`\`vector\` has ${vector.length} numbers for ${total} rows of ${vectorSize}`);
  }
}

/**
 * The parts of columns. Whoever takes a part may say how many rows are in by it: fewer when what was in already ended
 * earlier, more when it went on.
 */
export function* partsOf(columns: EventColumns, rows: number): Generator<Part, void, number | undefined> {
  checkColumns(columns);
  const total = columns.at.length;
  const { kinds, entities = [], vector, vectorSize = 0 } = columns;
  let entity = 0;
  for (let begin = 0; begin < total; ) {
    let end = Math.min(total, begin + Math.min(rows, MOST_ROWS));
    if (vectorSize > 0) end = Math.min(end, begin + Math.max(1, Math.floor(MOST_VECTOR_BYTES / (vectorSize * 4))));
    let text = "";
    let bytes = new Uint32Array(0);
    if (columns.text !== undefined) {
      bytes = new Uint32Array(end - begin);
      const list: string[] = [];
      let length = 0;
      for (let i = begin; i < end; i += 1) {
        const one: unknown = columns.text[i] ?? "";
        if (typeof one !== "string") throw new ThroughlineError("bad-column", `\`text\` holds no text in row ${i}`);
        length += one.length;
        if (length > MOST_TEXT && i > begin) {
          end = i;
          bytes = bytes.slice(0, end - begin);
          break;
        }
        bytes[i - begin] = textBytes(one);
        list.push(one);
      }
      text = list.join("");
    }
    const cut = (column: ArrayLike<number> | undefined): Float64Array => part(column, begin, end, Float64Array);
    const count = part(columns.entityCount, begin, end, Uint32Array);
    let many = 0;
    for (let i = 0; i < count.length; i += 1) many += count[i] as number;
    const own = part(many === 0 ? undefined : columns.entity, entity, entity + many, Uint32Array);
    const taken = yield {
      kinds,
      entities,
      at: cut(columns.at),
      kind: columns.kind === undefined ? new Uint16Array(end - begin) : part(columns.kind, begin, end, Uint16Array),
      entityCount: count,
      entity: own,
      text,
      textBytes: bytes,
      lasts: cut(columns.lasts),
      importance: importances(columns.importance, begin, end),
      place: cut(columns.place),
      vectorSize: vector === undefined ? 0 : vectorSize,
      vector:
        vector === undefined
          ? new Uint8Array(0)
          : new Uint8Array(vector.buffer, vector.byteOffset + begin * vectorSize * 4, (end - begin) * vectorSize * 4),
    };
    const next = Math.min(total, begin + (taken ?? end - begin));
    if (next === end) entity += many;
    else for (let i = begin; columns.entityCount !== undefined && i < next; i += 1) entity += columns.entityCount[i] as number;
    begin = next;
  }
}

const FIELDS = ["kind", "text", "at", "until", "entities", "importance", "confidence", "vector", "data"];

/** Gathers events one by one into a part. */
export class Gather {
  readonly #kinds = new Map<string, number>();
  readonly #entities = new Map<string, number>();
  readonly #items: MemoryItem[] = [];
  readonly #at: number[] = [];
  readonly #kind: number[] = [];
  readonly #count: number[] = [];
  readonly #entity: number[] = [];
  readonly #text: string[] = [];
  readonly #lasts: number[] = [];
  readonly #importance: number[] = [];
  #length = 0;

  get size(): number {
    return this.#at.length;
  }

  get full(): boolean {
    return this.#length > MOST_TEXT;
  }

  /** Adds an event. */
  add(item: MemoryItem): void {
    for (const name of Object.keys(item)) {
      if (!FIELDS.includes(name)) throw new ThroughlineError("unknown-field", `there is no field \`${name}\`; the fields are ${FIELDS.join(", ")}`);
    }
    if (typeof item.kind !== "string") throw new ThroughlineError("missing-field", "an event has a `kind`");
    const numberOf = (names: Map<string, number>, name: string): number => {
      const known = names.get(name);
      if (known !== undefined) return known;
      checkText(name);
      names.set(name, names.size);
      return names.size - 1;
    };
    if ((item.at ?? undefined) === undefined) throw new ThroughlineError("missing-field", "an event that is imported has `at`");
    if (item.data !== undefined || item.vector !== undefined || item.confidence !== undefined) {
      throw new ThroughlineError("not-a-column", "`data`, `vector` and `confidence` of single events are remembered with `remember`");
    }
    const at = instant(item.at as Time);
    const lasts = (item.until ?? undefined) === undefined ? 0 : instant(item.until as Time) - at;
    if (lasts < 0) throw new ThroughlineError("ends-before-begin", `it would end ${String(item.until)} before it begins ${String(item.at)}`);
    const importance = item.importance === undefined ? 0 : thousandths(Number(item.importance as Exact));
    this.#items.push(item);
    this.#at.push(at);
    this.#kind.push(numberOf(this.#kinds, item.kind));
    const own = [...new Set(item.entities ?? [])];
    this.#count.push(own.length);
    for (const name of own) this.#entity.push(numberOf(this.#entities, name));
    const text = item.text ?? "";
    this.#text.push(text);
    this.#length += text.length;
    this.#lasts.push(lasts);
    this.#importance.push(importance);
  }

  /** The events after so many. */
  after(count: number): Gather {
    const rest = new Gather();
    for (const item of this.#items.slice(count)) rest.add(item);
    return rest;
  }

  part(): Part {
    const some = (list: number[]): boolean => list.some((n) => n !== 0);
    return {
      kinds: [...this.#kinds.keys()],
      entities: [...this.#entities.keys()],
      at: Float64Array.from(this.#at),
      kind: Uint16Array.from(this.#kind),
      entityCount: Uint32Array.from(this.#count),
      entity: Uint32Array.from(this.#entity),
      text: this.#text.join(""),
      textBytes: this.#length === 0 ? new Uint32Array(0) : Uint32Array.from(this.#text, textBytes),
      lasts: some(this.#lasts) ? Float64Array.from(this.#lasts) : new Float64Array(0),
      importance: some(this.#importance) ? Uint16Array.from(this.#importance) : new Uint16Array(0),
      place: new Float64Array(0),
      vectorSize: 0,
      vector: new Uint8Array(0),
    };
  }
}

/** The last moment that the engine reads from a text: from there on some zone would write five digits of a year. */
const LAST = Date.UTC(9999, 11, 30, 22, 0, 0, 999);

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?(?:[zZ]|([+-])(?:(\d\d?)(?::(\d\d))?|(\d\d)(\d\d)))$/;

/** An instant as the engine reads it, in every browser alike; `Date.parse` takes more, and not the same everywhere. */
function instant(time: Time): number {
  const given: unknown = time;
  // What a date is in JSON, and a whole number that happens to be a large one, is understood by the engine as well.
  const ms = given instanceof Date ? given.getTime() : typeof given === "string" ? read(given) : typeof given === "bigint" ? Number(given) : given;
  if (Number.isSafeInteger(ms)) return ms as number;
  throw new ThroughlineError("not-an-instant", `${String(time)} is no instant: give milliseconds, or RFC 3339 with a zone`);
}

function read(text: string): number {
  const parts = INSTANT.exec(text.trim());
  if (parts === null) return NaN;
  const n = (place: number): number => Number(parts[place] ?? 0);
  const [year, month, day, hour, minute] = [n(1), n(2), n(3), n(4), n(5)];
  // A leap second has no number of its own in milliseconds since 1970.
  const leap = n(6) === 60;
  const second = leap ? 59 : n(6);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, leap ? 999 : Number(`${parts[7] ?? ""}000`.slice(0, 3)));
  const [away, aside] = [n(9) + n(11), n(10) + n(12)];
  const fits = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!fits || away > 23 || aside > 59) return NaN;
  const ms = date.getTime() - (parts[8] === "-" ? -1 : 1) * (away * 60 + aside) * 60_000;
  return ms <= LAST ? ms : NaN;
}

/** Bytes as base64. */
export function base64(bytes: Uint8Array): string {
  const native = (bytes as Uint8Array & { toBase64?: () => string }).toBase64;
  if (native !== undefined) return native.call(bytes);
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x6000) {
    text += btoa(String.fromCharCode(...bytes.subarray(i, i + 0x6000)));
  }
  return text;
}

/** A column of whole numbers as LEB128 varints; times as zigzag differences from row to row. */
function pack(column: ArrayLike<number>, times = false): string {
  let bytes = new Uint8Array(column.length * 3 + 16);
  let length = 0;
  let before = 0;
  for (let i = 0; i < column.length; i += 1) {
    const value = column[i] as number;
    let n = value;
    if (times) {
      n = value - before;
      before = value;
      // Zigzag without the 32 bits of bitwise operators.
      n = n < 0 ? -2 * n - 1 : 2 * n;
    }
    if (length + 10 > bytes.length) {
      const larger = new Uint8Array(bytes.length * 2);
      larger.set(bytes);
      bytes = larger;
    }
    while (n > 127) {
      bytes[length++] = (n % 128) | 128;
      n = Math.floor(n / 128);
    }
    bytes[length++] = n;
  }
  return base64(bytes.subarray(0, length));
}

/** A part as a command. */
export function command(part: Part): RememberColumns {
  const whole: RememberColumns = { type: "remember_columns", kinds: part.kinds, at: pack(part.at, true), kind: pack(part.kind) };
  if (part.entityCount.length > 0) {
    whole.entities = part.entities;
    whole.entity_count = pack(part.entityCount);
    whole.entity = pack(part.entity);
  }
  if (part.textBytes.length > 0) {
    whole.text = part.text;
    whole.text_bytes = pack(part.textBytes);
  }
  if (part.lasts.length > 0) whole.lasts = pack(part.lasts);
  if (part.importance.length > 0) whole.importance = pack(part.importance);
  if (part.place.length > 0) whole.place = pack(part.place);
  if (part.vectorSize > 0) {
    whole.vector_size = part.vectorSize;
    whole.vector = base64(part.vector);
  }
  return whole;
}

/** The meta of a part that begins with the source's event of this number. */
export function metaOf(options: ImportOptions, number: number): Meta {
  return {
    actor: { kind: "import", ...(options.source === undefined ? {} : { name: options.source }) },
    ...(options.thread === undefined ? {} : { thread: options.thread }),
    ...(options.source === undefined ? {} : { origin: { source: options.source, seq: number } }),
  };
}

/** Lets the page do something else. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === "undefined") {
      setTimeout(resolve, 0);
      return;
    }
    // Not slowed down as timers are.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
