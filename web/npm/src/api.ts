// Opening, listing and removing journals.

import { HTTP_TOOL, httpTool, inBrowser } from "./http.js";
import type { Domain, Tool } from "./domain.js";
import { ThroughlineError } from "./error.js";
import type { Refusal } from "./error.js";
import { decode, encode } from "./exact.js";
import { builtinModel, diagnoseBuiltin } from "./builtin.js";
import { here } from "./host.js";
import type { Host, Listener, Load } from "./host.js";
import { Link, plain } from "./link.js";
import { check, checkNames } from "./options.js";
import type { HostModel, HostTool } from "./link.js";
import type { AskedOfModel, BuiltinSettings, Delta, Diagnosis, ModelReply, ModelSettings, ReadValue } from "./model.js";
import { Session, cassetteText, millis } from "./session.js";
import type { Json, JsonMap, Time } from "./values.js";
import { WorkerHost } from "./worker-host.js";
import type { WorkerStart } from "./worker-host.js";

/** Where a journal is kept. */
export type Storage = "indexeddb" | "memory";

/** A document to begin with. */
export interface DocumentInput {
  /** The name by which sources and plans refer to it. */
  name: string;
  /** The text, as it is. A form feed separates pages. */
  text: string;
  /** `text/plain` when absent. */
  media_type?: string;
}

/** How a journal is opened. */
export interface OpenOptions {
  /** Its name. The same name is the same journal. */
  name: string;
  /**
   * Where it is kept: in the browser's database, or in memory. The default is `indexeddb` in browsers and
   * `memory` in Node. A journal in memory lives as long as the thread that its engine runs on.
   */
  storage?: Storage;
  /**
   * Where the engine runs: in a worker of its own, or on this thread. The default is `worker` in browsers
   * and `here` in Node and where there are no workers.
   */
  host?: "worker" | "here";
  /** How the worker is started: from the `script` beside this one, from a `blob`, or by a function. */
  worker?: WorkerStart;
  /** The rules of the business; loading the same again changes nothing. */
  domain?: Domain;
  /** Documents; adding the same again changes nothing. */
  documents?: DocumentInput[];
  /** Recorded replies that stand for the model: a cassette's text, or its entries. */
  cassette?: string | Json[];
  /** The model: a function of the page, the settings of a provider, or Chrome's built-in one. */
  model?: HostModel | ModelSettings | BuiltinSettings;
  /** The tools, by name. What the domain does not say of one is taken from here. */
  tools?: Record<string, HostTool>;
  /** Starts the session's own clock here: it then stands still until it is moved. */
  clock?: Time | Date;
  /** The id of a journal that is made anew; a random one when absent. */
  id?: string;
  /** Opens what is good of a damaged journal, for reading only. */
  salvage?: boolean;
  /** How many bytes of memories' texts and data are held; the rest is read when it is wanted. 64 MiB when absent. */
  memoryBudget?: number;
}

/** A stored journal. */
export interface Listed {
  /** Its name. */
  name: string;
  /** Where it is kept. */
  storage: Storage;
  /** Its id; empty when it cannot be read. */
  id: string;
  /** Its last record. */
  seq: number;
  /** When that was recorded. */
  recorded_at: number | null;
  /** Why it cannot be read, as a code. */
  error: string | null;
}

/** Where journals are listed and removed: the same as where they are opened. */
export interface Where {
  /** As in {@link OpenOptions.host}. */
  host?: "worker" | "here";
  /** As in {@link OpenOptions.worker}. */
  worker?: WorkerStart;
  /** As in {@link OpenOptions.storage}. */
  storage?: Storage;
}

/** How a model is asked beside a journal. */
export interface CompleteOptions extends Pick<Where, "host" | "worker"> {
  /** Ends the exchange. */
  signal?: AbortSignal;
  /** Called with every piece of the reply as it comes. */
  onDelta?: (delta: Delta) => void;
  /** No coercion and no repair. */
  strict?: boolean;
}

/** What differs between the places that this package runs in. */
export interface Place {
  load: Load;
  /** Where the engine runs when nothing is said. */
  host(): "worker" | "here";
  storage: Storage;
}

/** The functions of the package. */
export interface Api {
  /**
   * Opens a journal, and makes it when there is none. Rejects when it cannot be opened; a damaged journal is
   * left as it is.
   */
  open(options: OpenOptions): Promise<Session>;
  /** Every journal here, by name. */
  list(where?: Where): Promise<Listed[]>;
  /** Removes a journal with all that belongs to it. */
  remove(name: string, where?: Where): Promise<void>;
  /**
   * Asks a model beside any journal. Resolves with whatever came: look at `ending` first, since only a reply that
   * is `done` counts; `calls` and `value` are there for such a reply only.
   */
  complete(settings: ModelSettings, request: AskedOfModel, options?: CompleteOptions): Promise<ModelReply>;
  /** Looks for why a model cannot be reached. Resolves with a diagnosis, also a good one; never rejects for it. */
  testConnection(
    settings: ModelSettings | BuiltinSettings,
    options?: Pick<CompleteOptions, "host" | "worker" | "signal">,
  ): Promise<Diagnosis>;
  /** Takes the one value out of a model's text, as replies are read. */
  readStructured(
    text: string,
    schema?: JsonMap,
    options?: Pick<Where, "host" | "worker"> & { strict?: boolean; incomplete?: boolean },
  ): Promise<ReadValue>;
}

export function api(place: Place): Api {
  const functions: Api = {
    async open(options) {
      checkOpen(options);
      const { name, storage = place.storage, tools = {}, clock, id, salvage, memoryBudget } = options;
      const known = new Map(Object.entries(tools));
      // The addresses of a domain are asked from the page; in Node the caller says how.
      if (!known.has(HTTP_TOOL) && inBrowser()) known.set(HTTP_TOOL, httpTool());
      const { model, settings } = modelOf(options.model);
      const call: JsonMap & { name: string } = {
        type: "open",
        name,
        storage,
        tools: [...known.keys()],
        host_model: model !== undefined,
        ...(clock === undefined ? {} : { clock: millis(clock) }),
        ...(id === undefined ? {} : { id }),
        ...(salvage === true ? { salvage } : {}),
        ...(memoryBudget === undefined ? {} : { memory_budget: memoryBudget }),
      };
      const runs = options.host ?? place.host();
      const link = new Link({
        open: call,
        tools: known,
        model,
        connect: (listener) => connect(place, runs, options.worker, listener),
        lasting: storage === "indexeddb" && runs === "worker",
      });
      const session: Session = new Session(link, async (other, where) => {
        // A clock of the session's own goes on where this one stands.
        const now = clock === undefined ? {} : { clock: await session.settled() };
        const { domain: _domain, documents: _documents, id: _id, salvage: _salvage, ...same } = options;
        // Not `this.open`: the functions are taken apart when they are exported.
        return functions.open({ ...same, ...now, name: other, storage: where ?? storage });
      });
      try {
        await link.open();
        if (settings !== undefined) await link.setModel(settings);
        if (options.cassette !== undefined) await link.loadCassette(cassetteText(options.cassette));
        if (salvage !== true) await prepare(session, options, tools);
      } catch (error) {
        await link.giveUp().catch(() => undefined);
        throw error;
      }
      return session;
    },

    async list(where = {}) {
      checkNames("list", where, WHERE);
      const text = await aside(place, where, (host) => host.list(), (engine) => engine.list());
      const all = answer(text) as unknown as Listed[];
      return where.storage === undefined ? all : all.filter((one) => one.storage === where.storage);
    },

    async remove(name, where = {}) {
      checkNames("remove", where, WHERE);
      check("remove", "name", typeof name === "string" && name !== "", "the name of a journal");
      const storage = where.storage ?? place.storage;
      answer(await aside(place, where, (host) => host.remove(storage, name), (engine) => engine.remove(storage, name)));
    },

    async complete(settings, request, options = {}) {
      const { strict } = options;
      const call = { type: "complete", settings: plain(settings), request: request as unknown as JsonMap, ...(strict === true ? { strict } : {}) };
      return (await beside(place, options, call)) as unknown as ModelReply;
    },

    async testConnection(settings, options = {}) {
      if (settings.provider === "builtin") return diagnoseBuiltin(settings);
      return (await beside(place, options, { type: "test_model", settings: plain(settings) })) as unknown as Diagnosis;
    },

    async readStructured(text, schema = {}, { strict = false, incomplete = false, ...where } = {}) {
      return (await beside(place, where, { type: "structured", text, schema, strict, incomplete })) as ReadValue;
    },
  };
  return functions;
}

const WHERE = ["host", "worker", "storage"];

const OPTIONS = [
  "name", "storage", "host", "worker", "domain", "documents", "cassette", "model", "tools", "clock", "id", "salvage",
  "memoryBudget",
];

/** Refuses options that are not understood, before anything is opened. */
function checkOpen(options: OpenOptions): void {
  checkNames("open", options, OPTIONS);
  const { name, storage, host, worker, domain, documents, cassette, model, tools, clock, id, salvage } = options;
  if (typeof name !== "string" || name === "") {
    throw new ThroughlineError("missing-name", "a journal is opened by a name: open({ name: \"…\" })", { path: "/name" });
  }
  const one = (value: unknown, ...of: string[]) => value === undefined || of.includes(value as string);
  const map = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  check("open", "storage", one(storage, "indexeddb", "memory"), "`indexeddb` or `memory`");
  check("open", "host", one(host, "worker", "here"), "`worker` or `here`");
  check("open", "worker", typeof worker === "function" || one(worker, "script", "blob"), "`script`, `blob` or a function");
  check("open", "domain", domain === undefined || map(domain), "a domain document");
  check("open", "documents", documents === undefined || (Array.isArray(documents) && documents.every(map)), "a list of `{ name, text }`");
  check("open", "cassette", cassette === undefined || typeof cassette === "string" || Array.isArray(cassette), "a cassette's text, or its entries");
  check("open", "model", model === undefined || typeof model === "function" || typeof model.provider === "string", "a function, or settings with a `provider`");
  check("open", "tools", tools === undefined || map(tools), "a map of tools by name");
  for (const [tool, made] of Object.entries(tools ?? {})) {
    check("open", `tools/${tool}`, map(made) && typeof made.run === "function", "`{ run(args, context) { … } }`");
  }
  check("open", "id", id === undefined || typeof id === "string", "a text");
  check("open", "salvage", salvage === undefined || typeof salvage === "boolean", "true or false");
  const { memoryBudget } = options;
  check("open", "memoryBudget", memoryBudget === undefined || (Number.isSafeInteger(memoryBudget) && memoryBudget >= 0), "a whole number of bytes");
  if (clock !== undefined) millis(clock);
}

/** A function of the page, or settings for the engine. */
function modelOf(model: OpenOptions["model"]): { model: HostModel | undefined; settings?: ModelSettings } {
  if (model === undefined || typeof model === "function") return { model };
  return model.provider === "builtin" ? { model: builtinModel(model) } : { model: undefined, settings: model };
}

/** Asks an engine that has no journal, and lets go of it. */
async function beside(place: Place, options: CompleteOptions, call: JsonMap): Promise<Json> {
  const { signal, onDelta } = options;
  signal?.throwIfAborted();
  let crashed: ((error: ThroughlineError) => void) | undefined;
  const listener: Listener = {
    push(text) {
      const { type, ...delta } = decode(text) as unknown as Delta & { type: string };
      if (type === "delta") onDelta?.(delta);
    },
    crashed: (error) => crashed?.(error),
  };
  const host = await connect(place, options.host ?? place.host(), options.worker, listener);
  const stop = (): void => void host.request(encode({ id: 2, call: { type: "abort", request: 1 } })).catch(() => undefined);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const gone = new Promise<never>((_, reject) => (crashed = reject));
    gone.catch(() => undefined);
    return answer(await Promise.race([host.request(encode({ id: 1, call })), gone]));
  } finally {
    signal?.removeEventListener("abort", stop);
    host.end();
  }
}

async function connect(place: Place, runs: "worker" | "here", worker: WorkerStart = "script", listener: Listener): Promise<Host> {
  return runs === "worker" ? new WorkerHost(worker, listener) : here(place.load, listener);
}

/** Asks something that needs no session: in a worker that ends with it, or here. */
async function aside(
  place: Place,
  where: Where,
  far: (host: WorkerHost) => Promise<string>,
  near: (engine: Awaited<ReturnType<Load>>) => Promise<unknown>,
): Promise<string> {
  if ((where.host ?? place.host()) === "here") return (await near(await place.load())) as string;
  const host = new WorkerHost(where.worker ?? "script", { push: () => undefined, crashed: () => undefined });
  try {
    return await far(host);
  } finally {
    host.end();
  }
}

function answer(text: string): Json {
  const { error, result } = decode(text) as unknown as { error?: Refusal | null; result: Json };
  if (error !== undefined && error !== null) throw ThroughlineError.of(error);
  return result;
}

/** Brings domain and documents in. What is there already changes nothing. */
async function prepare(session: Session, options: OpenOptions, tools: Record<string, HostTool>): Promise<void> {
  if (options.domain !== undefined) await session.loadDomain(withTools(options.domain, tools));
  for (const { name, text, media_type } of options.documents ?? []) {
    await session.addDocument(name, text, media_type);
  }
}

/** The domain with what the tools say of themselves, where it does not say it. */
function withTools(domain: Domain, tools: Record<string, HostTool>): Domain {
  const said: [string, Tool][] = Object.entries(tools).map(([name, { description, schema, effect }]) => {
    const tool: Tool = {};
    if (description !== undefined) tool.description = description;
    if (schema !== undefined) tool.schema = schema;
    if (effect !== undefined) tool.effect = effect;
    return [name, { ...tool, ...domain.tools?.[name] }];
  });
  return said.length === 0 ? domain : { ...domain, tools: { ...domain.tools, ...Object.fromEntries(said) } };
}
