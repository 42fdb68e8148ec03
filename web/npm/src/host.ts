// Where an engine runs, and the messages to and from it.

import { ThroughlineError } from "./error.js";
import type { RawRows } from "./rows.js";

/** The global in which a panic leaves its words: the trap itself says only "unreachable". */
const PANIC = "__throughline_panic";

/** What is told to whoever listens to a host. */
export interface Listener {
  /** A push of the session, as text. */
  push(text: string): void;
  /** The engine is gone, and with it everything that is pending. */
  crashed(error: ThroughlineError): void;
}

/** One engine, wherever it runs. */
export interface Host {
  /** Sends a request and gives its response, both as text. */
  request(text: string): Promise<string>;
  /** Gives what a tool or a model gave. */
  result(text: string): void;
  /** The rows, where the engine runs on this thread; and the memory that they lie in. */
  readonly rows?: { raw: RawRows; memory: WebAssembly.Memory };
  /** Lets go of the engine. */
  end(): void;
}

/** One engine, as the wasm module gives it. Texts in, texts out. */
interface Instance {
  request(text: string, done: (response: string) => void): void;
  on_push(listener: (text: string) => void): void;
  host_result(text: string): void;
  rows(): RawRows;
  free(): void;
}

/** The engine's class, loaded. Written out, so that nobody's compiler has to read the module's own types. */
export interface Engine {
  new (): Instance;
  list(): Promise<unknown>;
  remove(storage: string, name: string): Promise<unknown>;
}

/** Loads the engine: once, and only when it is called. */
export type Load = () => Promise<Engine>;

/** The error of an engine that trapped. */
export function crash(cause: unknown): ThroughlineError {
  const panic = (globalThis as Record<string, unknown>)[PANIC];
  const words = typeof panic === "string" ? panic : cause instanceof Error ? cause.message : String(cause);
  return new ThroughlineError(
    "engine-crashed",
    `the engine has crashed, and what was not answered was perhaps not done: ${words}`,
    {},
    { cause },
  );
}

/** Whether an error is the end of the engine that threw it. */
export function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/** Calls `start` when it is first needed and keeps what it gave, but not a failure: the next call tries again. */
export function once<T>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= start().catch((error: unknown) => {
      running = undefined;
      throw error;
    }));
}

const watchers = new Set<() => void>();

/** Calls when a panic leaves its words: within work that goes on by itself, nobody else hears of it. */
function onPanic(then: () => void): () => void {
  if (watchers.size === 0 && !Object.hasOwn(globalThis, PANIC)) {
    let words: unknown;
    Object.defineProperty(globalThis, PANIC, {
      configurable: true,
      get: () => words,
      set: (value: unknown) => {
        words = value;
        for (const watcher of watchers) watcher();
      },
    });
  }
  watchers.add(then);
  return () => void watchers.delete(then);
}

/** An engine on this thread. */
export async function here(load: Load, listener: Listener): Promise<Host> {
  const instance = new (await load())();
  const pending = new Set<(error: ThroughlineError) => void>();
  let dead: ThroughlineError | undefined;
  const die = (error: ThroughlineError): void => {
    if (dead !== undefined) return;
    dead = error;
    unwatch();
    for (const reject of pending) reject(error);
    listener.crashed(error);
  };
  const unwatch = onPanic(() => die(crash(undefined)));
  const guard = <T>(work: () => T): T => {
    if (dead !== undefined) throw dead;
    try {
      return work();
    } catch (error) {
      if (isTrap(error)) die(crash(error));
      throw dead ?? error;
    }
  };
  instance.on_push((text: string) => listener.push(text));
  let rows: Host["rows"];
  return {
    get rows() {
      if (rows === undefined) {
        const raw = guard(() => instance.rows());
        rows = { raw, memory: (raw.constructor as unknown as { memory(): WebAssembly.Memory }).memory() };
      }
      if (dead !== undefined) throw dead;
      return rows;
    },
    request: (text) =>
      new Promise((resolve, reject) => {
        pending.add(reject);
        const done = (response: string): void => {
          pending.delete(reject);
          resolve(response);
        };
        guard(() => instance.request(text, done));
      }),
    result(text) {
      guard(() => instance.host_result(text));
    },
    end() {
      unwatch();
      // An instance that trapped is left to the collector.
      if (dead === undefined) instance.free();
      dead ??= new ThroughlineError("session-closed", "this session is closed; open the journal again");
    },
  };
}
