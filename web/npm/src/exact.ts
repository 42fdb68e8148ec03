// Exact numbers over the boundary: JSON that keeps every digit.
//
// The engine computes with exact decimals, JavaScript with doubles. A number that a double holds exactly
// is a `number` on both sides. A whole number beyond that is a `bigint`; any other is a `Decimal`, which is
// its digits. Nothing is rounded in silence, `-0` stays `-0`, and a name like `__proto__` is only a name.

import { ThroughlineError } from "./error.js";
import type { Json } from "./values.js";

/** A number: as a double where a double holds it exactly, as a `bigint` or a {@link Decimal} where not. */
export type Exact = number | bigint | Decimal;

/** Half of a surrogate pair: no character, and not to be written as UTF-8. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export const DIGITS = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** How deep a value may nest on its way to the engine. */
export const MAX_DEPTH = 100;

/** A number by its digits: what a double cannot hold. */
export class Decimal {
  /** The digits. */
  readonly digits: string;

  /** @param digits as JSON writes a number: `0.30000000000000000001`, `-12.50`, `1e400`. */
  constructor(digits: string) {
    if (!DIGITS.test(digits)) {
      throw new ThroughlineError("not-a-number", `${JSON.stringify(digits)} is not a number in digits`);
    }
    this.digits = digits;
  }

  /** The digits. */
  toString(): string {
    return this.digits;
  }

  /** The digits, as text: for `JSON.stringify`, which has no exact numbers. */
  toJSON(): string {
    return this.digits;
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(this.digits);
  }
}

/** Writes a value as JSON with all digits. Refuses what JSON has no word for, and says where it is. */
export function encode(value: unknown): string {
  return write(value, "", 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > MAX_DEPTH) {
    throw new ThroughlineError("value-too-deep", `the value nests deeper than ${MAX_DEPTH}, or in a circle`, { path });
  }
  switch (typeof value) {
    case "string":
      if (LONE_SURROGATE.test(value)) throw unwritable("a text with half of a surrogate pair", path);
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return value.toString();
    case "number":
      if (!Number.isFinite(value)) throw unwritable(String(value), path);
      return Object.is(value, -0) ? "-0" : String(value);
    case "object":
      break;
    default:
      throw unwritable(`a ${typeof value}`, path);
  }
  if (value === null) return "null";
  if (value instanceof Decimal) return value.toString();
  if (Array.isArray(value)) {
    // As in JSON, a hole is a null.
    return `[${Array.from(value, (item, at) => (item === undefined ? "null" : write(item, `${path}/${at}`, depth + 1))).join(",")}]`;
  }
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw unwritable(`a ${value.constructor.name}; give a plain object or a list`, path);
  }
  if (value instanceof Date && Number.isNaN(value.getTime())) throw unwritable("a Date that is no time", path);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return write(toJSON.call(value, ""), path, depth + 1);
  // A promise without its `await`, an Error, a regular expression: their fields are not what was meant.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object") throw unwritable(`a ${kind}; give a plain object or a list`, path);
  const parts: string[] = [];
  for (const [name, item] of Object.entries(value)) {
    // As in JSON, a field that is undefined is absent.
    if (item === undefined) continue;
    parts.push(`${JSON.stringify(name)}:${write(item, `${path}/${escape(name)}`, depth + 1)}`);
  }
  return `{${parts.join(",")}}`;
}

function unwritable(what: string, path: string): ThroughlineError {
  return new ThroughlineError("unwritable-value", `${what} cannot be written as JSON${path === "" ? "" : ` (at ${path})`}`, {
    path,
  });
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Reads what the engine wrote: `{"$number": "…"}` becomes a `bigint` or a {@link Decimal}. */
export function decode(text: string): Json {
  // Nearly no message has such a number, and a reviver makes reading several times slower.
  return text.includes('number":') ? JSON.parse(text, revive) : JSON.parse(text);
}

function revive(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  const [name] = names;
  if (names.length !== 1 || name === undefined || !/^\$+number$/.test(name)) return value;
  const inner = (value as Record<string, unknown>)[name];
  if (name === "$number") {
    if (typeof inner !== "string") return value;
    return /^-?\d+$/.test(inner) ? BigInt(inner) : new Decimal(inner);
  }
  // A map that really has the single name `$number` travels with one more `$`.
  return { [name.slice(1)]: inner };
}
