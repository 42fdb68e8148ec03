// The way from a session to its engine: requests, pushes, tools, and what happens when the engine is gone.

import { ThroughlineError } from "./error.js";
import type { Refusal } from "./error.js";
import { DIGITS, Decimal, decode, encode } from "./exact.js";
import type { Host, Listener } from "./host.js";
import type { Delta, ModelSettings } from "./model.js";
import type { Change } from "./session.js";
import type { Json, JsonMap } from "./values.js";

/** What a tool is told besides its arguments. */
export interface ToolContext {
  /** Aborted when the result is no longer wanted. */
  signal: AbortSignal;
  /** The same for every attempt of the same effect: give it to whatever must not happen twice. */
  idempotencyKey: string;
}

/** A tool that runs in the page. */
export interface HostTool {
  /** What it does, for the model. */
  description?: string;
  /** The JSON Schema of its arguments. */
  schema?: JsonMap;
  /** Whether it changes the world (`write`) or not (`read`). */
  effect?: "read" | "write";
  /** Runs it. What it throws is the reason why it failed. */
  run(args: JsonMap, context: ToolContext): Json | undefined | Promise<Json | undefined>;
}

/** What is asked of a model. */
export interface ModelRequest {
  /** What for: `interpret`, `plan`, `decide` or `respond`. */
  purpose: string;
  /** The messages, the stable ones first. */
  messages: { role: string; text: string }[];
  /** The JSON Schema of the value that is wanted; free text when absent. */
  schema?: JsonMap;
  /** The language of the answer, as a BCP 47 tag; empty when it does not matter. */
  language: string;
  /** At most so many tokens in the reply. */
  max_tokens?: number;
  /** The model's name at the provider. */
  model: string;
}

/**
 * A model in the page. Gives the reply's text, whole or in pieces, the value that was asked for, or a whole
 * completion as the OpenAI-compatible providers give it (`{ choices: [...] }`).
 */
export type HostModel = (request: ModelRequest, context: ToolContext) => Json | AsyncIterable<string> | Promise<Json | AsyncIterable<string>>;

/** What a link is made of. */
export interface LinkOptions {
  /** The `open` call. */
  open: JsonMap & { name: string };
  tools: ReadonlyMap<string, HostTool>;
  model: HostModel | undefined;
  /** Starts an engine. */
  connect(listener: Listener): Promise<Host>;
  /** Whether the journal outlives its engine, so that another one can go on with it. */
  lasting: boolean;
}

interface HostCall {
  type: "host_call";
  call: number;
  tool: string;
  args: Json;
  idempotency_key: string;
}

type Push =
  | ({ type: "changed" } & Change)
  | HostCall
  | { type: "host_cancel"; call: number }
  | ({ type: "delta" } & Delta)
  | { type: "failed"; error: Refusal };

export class Link {
  readonly name: string;
  readonly #options: LinkOptions;
  readonly #changes = new Set<(change: Change) => void>();
  readonly #failures = new Set<(error: ThroughlineError) => void>();
  readonly #running = new Map<number, AbortController>();
  #host: Promise<Host> | undefined;
  // The same, once it is there.
  #there: Host | undefined;
  #cassette: string | undefined;
  // Only here and in the engine: a new engine after a crash must be told again.
  #model: ModelSettings | undefined;
  readonly #deltas = new Set<(delta: Delta) => void>();
  #ended: ThroughlineError | undefined;
  #next = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.name = options.open.name;
  }

  /** Opens the journal and gives its status. */
  async open(): Promise<Json> {
    const host = this.#connect();
    return this.#ask(await host, this.#options.open);
  }

  /** Asks the engine; one that crashed is replaced by a new one, which replays the journal. */
  async call(call: JsonMap): Promise<Json> {
    if (this.#ended !== undefined) throw this.#ended;
    return this.#ask(await (this.#host ?? this.#reopen()), call);
  }

  /** The rows of the engine, where it runs on this thread. */
  get rows(): Host["rows"] {
    if (this.#ended !== undefined) throw this.#ended;
    return this.#there?.rows;
  }

  async loadCassette(text: string): Promise<Json> {
    const loaded = await this.call({ type: "cassette", text });
    this.#cassette = text;
    return loaded;
  }

  /** Attaches a model, or takes it away. */
  async setModel(settings: ModelSettings | undefined): Promise<Json> {
    const attached = await this.call({ type: "model", ...(settings === undefined ? {} : { settings: plain(settings) }) });
    this.#model = settings;
    return attached;
  }

  onDelta(listener: (delta: Delta) => void): () => void {
    this.#deltas.add(listener);
    return () => void this.#deltas.delete(listener);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#changes.add(listener);
    return () => void this.#changes.delete(listener);
  }

  onFailure(listener: (error: ThroughlineError) => void): () => void {
    this.#failures.add(listener);
    return () => void this.#failures.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const host = this.#host;
    this.#ended = new ThroughlineError("session-closed", "this session is closed; open the journal again");
    this.#abort();
    if (host === undefined) return;
    const open = await host;
    try {
      await this.#ask(open, { type: "close" });
    } finally {
      open.end();
      this.#fail(this.#ended);
    }
  }

  /** Lets go of an engine that could not open its journal. */
  async giveUp(): Promise<void> {
    this.#ended ??= new ThroughlineError("session-closed", "this journal could not be opened");
    (await this.#host)?.end();
  }

  #connect(): Promise<Host> {
    const host = this.#options.connect({
      push: (text) => this.#take(decode(text) as unknown as Push),
      crashed: (error) => this.#crashed(error),
    });
    this.#host = host;
    void host.then(
      (there) => (this.#there = there),
      () => undefined,
    );
    // A host that could not be started is tried again by the next call.
    host.catch(() => {
      if (this.#host === host) this.#host = undefined;
    });
    return host;
  }

  #reopen(): Promise<Host> {
    const opened = this.#connect().then(async (host) => {
      await this.#ask(host, this.#options.open);
      if (this.#cassette !== undefined) await this.#ask(host, { type: "cassette", text: this.#cassette });
      if (this.#model !== undefined) await this.#ask(host, { type: "model", settings: plain(this.#model) });
      return host;
    });
    this.#host = opened;
    opened.catch(() => {
      if (this.#host === opened) this.#host = undefined;
    });
    return opened;
  }

  async #ask(host: Host, call: JsonMap): Promise<Json> {
    const id = ++this.#next;
    const { error, result } = decode(await host.request(encode({ id, call }))) as unknown as {
      error?: Refusal | null;
      result: Json;
    };
    if (error !== undefined && error !== null) throw ThroughlineError.of(error);
    return result;
  }

  #crashed(error: ThroughlineError): void {
    this.#abort();
    this.#host = undefined;
    this.#there = undefined;
    // A journal in memory is gone with its engine: an empty one in its place would be a lie.
    if (!this.#options.lasting) this.#ended ??= error;
    this.#fail(error);
  }

  #fail(error: ThroughlineError): void {
    for (const listener of [...this.#failures]) listener(error);
  }

  #abort(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  #take(push: Push): void {
    switch (push.type) {
      case "changed": {
        const change: Change = { seq: push.seq };
        if (push.busy !== undefined) change.busy = push.busy;
        if (push.foreign === true) change.foreign = true;
        for (const listener of [...this.#changes]) listener(change);
        break;
      }
      case "host_call":
        void this.#run(push);
        break;
      case "host_cancel":
        this.#running.get(push.call)?.abort();
        this.#running.delete(push.call);
        break;
      case "delta": {
        const { type: _type, ...delta } = push;
        for (const listener of [...this.#deltas]) listener(delta);
        break;
      }
      case "failed": {
        const error = ThroughlineError.of(push.error);
        this.#ended ??= error;
        this.#abort();
        this.#fail(error);
        break;
      }
    }
  }

  async #run({ call, tool, args, idempotency_key: idempotencyKey }: HostCall): Promise<void> {
    const host = this.#host;
    const controller = new AbortController();
    this.#running.set(call, controller);
    const context: ToolContext = { signal: controller.signal, idempotencyKey };
    let text: string;
    try {
      text = encode({ call, result: (await this.#perform(tool, args, context)) ?? null });
    } catch (error) {
      const { code, message } = failure(error);
      // The words of an error are for people: what cannot be written in them is replaced.
      text = encode({ call, error: { code, message: wellFormed(String(message)) } });
    }
    // No longer wanted, or its engine is gone.
    if (!this.#running.delete(call) || host === undefined || this.#host !== host) return;
    (await host).result(text);
  }

  async #perform(tool: string, args: Json, context: ToolContext): Promise<Json | undefined> {
    const { model, tools } = this.#options;
    if (tool === "") {
      if (model === undefined) throw new ThroughlineError("no-model", "this session has no model");
      const given = await model(args as unknown as ModelRequest, context);
      if (!isPieces(given)) return given;
      let text = "";
      for await (const piece of given) text += piece;
      return text;
    }
    const found = tools.get(tool);
    if (found === undefined) throw new ThroughlineError("no-tool", `this session has no tool ${JSON.stringify(tool)}`);
    return found.run(args as JsonMap, context);
  }
}

/** Whether a model gives its text in pieces. */
function isPieces(given: Json | AsyncIterable<string>): given is AsyncIterable<string> {
  return typeof given === "object" && given !== null && Symbol.asyncIterator in given;
}

/** Settings as the engine reads them: prices may be written as texts, to be exact. */
export function plain(settings: ModelSettings): JsonMap {
  // A text that is no number goes as it is: the engine refuses it, with its place.
  const number = (value: number | string | undefined): Json | undefined =>
    typeof value === "string" && DIGITS.test(value.trim()) ? (new Decimal(value.trim()) as unknown as Json) : value;
  const { prices, spend_cap, ...rest } = settings;
  const map: Record<string, Json | undefined> = { ...(rest as Record<string, Json>), spend_cap: number(spend_cap) };
  if (typeof prices === "object" && prices !== null) {
    map["prices"] = defined(Object.fromEntries(Object.entries(prices).map(([name, value]) => [name, number(value)])));
  } else if (prices !== undefined) map["prices"] = prices;
  return defined(map);
}

function defined(map: Record<string, Json | undefined>): JsonMap {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined)) as JsonMap;
}

/** The text with every half of a surrogate pair replaced. */
function wellFormed(text: string): string {
  return Array.from(text, (char) => (/^[\ud800-\udfff]$/.test(char) ? "\ufffd" : char)).join("");
}

/** What a tool threw, as the engine takes it. */
function failure(error: unknown): JsonMap {
  if (error instanceof ThroughlineError) return { code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const { code } = (error ?? {}) as { code?: unknown };
  return { code: typeof code === "string" ? code : "tool-failed", message };
}
