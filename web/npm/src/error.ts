// One error for everything, recognised by its code.

import type { Json } from "./values.js";
import type { Span } from "./values.js";

/** Why a command, a query or a call did nothing. */
export interface Refusal {
  /** A stable code in kebab-case. */
  code: string;
  /** What was wrong and what to do. */
  message: string;
  /** Where in the command, as a JSON pointer. */
  path?: string;
  /** Where in the text, in bytes, when it came from one. */
  span?: Span;
  /** What would work. */
  suggestion?: string;
  /** More, by code: allowed events, expected version, diagnostics. */
  details?: Json;
  /** The record of the refusal, where it was recorded. */
  seq?: number;
}

/** Codes after which the same call may succeed when it is made again. */
const RETRYABLE: ReadonlySet<string> = new Set([
  "engine-crashed",
  "store-full",
  "store-blocked",
  "store-lost",
  "store-timed-out",
  "too-many-waiting",
  "head-moved",
]);

/** What every call of this package rejects with. Look at `code`, never at `message`. */
export class ThroughlineError extends Error {
  /** A stable code in kebab-case. */
  readonly code: string;
  /** Whether the same call may succeed when it is made again later. */
  readonly retryable: boolean;
  /** The whole refusal: path, span, suggestion, and what the code brings with it. */
  readonly details: Refusal;

  constructor(code: string, message: string, more: Partial<Refusal> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "ThroughlineError";
    this.code = code;
    this.retryable = RETRYABLE.has(code);
    this.details = { ...more, code, message };
  }

  /** The error of a refusal. */
  static of(refusal: Refusal): ThroughlineError {
    const suggestion = refusal.suggestion === undefined ? "" : `; ${refusal.suggestion}`;
    return new ThroughlineError(refusal.code, refusal.message + suggestion, refusal);
  }
}
