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
  /** How important, from 0 to 1. */
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
  /** Where they come from: importing the same from the same source again changes nothing. */
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

const encoder = new TextEncoder();

function textBytes(text: string): number {
  // Most texts are plain: then each character is one byte.
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 127) return encoder.encode(text).length;
  return bytes;
}

const thousandths = (importance: number): number => Math.round(Math.min(1, Math.max(0, importance)) * 1_000) + 1;

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
  for (let i = begin; i < end; i += 1) out[i - begin] = column[i] as number;
  return out;
}

function importances(column: ArrayLike<number> | undefined, begin: number, end: number): Uint16Array {
  if (column === undefined) return new Uint16Array(0);
  const out = new Uint16Array(end - begin);
  for (let i = begin; i < end; i += 1) out[i - begin] = thousandths(column[i] as number);
  return out;
}

/** The parts of columns. */
export function* partsOf(columns: EventColumns, rows: number): Generator<Part> {
  const total = columns.at.length;
  const { kinds, entities = [], vector, vectorSize = 0 } = columns;
  for (const [name, column] of Object.entries(columns) as [string, ArrayLike<number> | undefined][]) {
    const whole = ["kind", "entityCount", "text", "lasts", "importance", "place"].includes(name);
    if (whole && column !== undefined && column.length !== total) {
      throw new ThroughlineError("bad-column", `\`${name}\` has ${column.length} rows where \`at\` has ${total}`);
    }
  }
  if (vector !== undefined && vector.length !== total * vectorSize) {
    throw new ThroughlineError("bad-column", `\`vector\` has ${vector.length} numbers for ${total} rows of ${vectorSize}`);
  }
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
        const one = columns.text[i] ?? "";
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
    entity += many;
    yield {
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
    begin = end;
  }
}

/** Gathers events one by one into a part. */
export class Gather {
  readonly #kinds = new Map<string, number>();
  readonly #entities = new Map<string, number>();
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

  add(item: MemoryItem): void {
    const numberOf = (names: Map<string, number>, name: string): number => {
      const known = names.get(name);
      if (known !== undefined) return known;
      names.set(name, names.size);
      return names.size - 1;
    };
    if (item.at === undefined) throw new ThroughlineError("missing-field", "an event that is imported has `at`");
    if (item.data !== undefined || item.vector !== undefined || item.confidence !== undefined) {
      throw new ThroughlineError("not-a-column", "`data`, `vector` and `confidence` of single events are remembered with `remember`");
    }
    const at = instant(item.at);
    this.#at.push(at);
    this.#kind.push(numberOf(this.#kinds, item.kind));
    const own = [...new Set(item.entities ?? [])];
    this.#count.push(own.length);
    for (const name of own) this.#entity.push(numberOf(this.#entities, name));
    const text = item.text ?? "";
    this.#text.push(text);
    this.#length += text.length;
    this.#lasts.push(item.until === undefined ? 0 : instant(item.until) - at);
    this.#importance.push(item.importance === undefined ? 0 : thousandths(Number(item.importance as Exact)));
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

function instant(time: Time): number {
  const ms = typeof time === "number" ? time : Date.parse(time);
  if (!Number.isSafeInteger(ms) || (typeof time === "string" && !/(?:[zZ]|[+-]\d\d:?\d\d)$/.test(time))) {
    throw new ThroughlineError("not-an-instant", `${String(time)} is no instant: give milliseconds, or RFC 3339 with a zone`);
  }
  return ms;
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

/** The meta of a part. */
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
