// Opening, listing and removing journals.

import type { Domain, Tool } from "./domain.js";
import { ThroughlineError } from "./error.js";
import type { Refusal } from "./error.js";
import { decode } from "./exact.js";
import { here } from "./host.js";
import type { Host, Listener, Load } from "./host.js";
import { Link } from "./link.js";
import type { HostModel, HostTool } from "./link.js";
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
  /** The model. */
  model?: HostModel;
  /** The tools, by name. What the domain does not say of one is taken from here. */
  tools?: Record<string, HostTool>;
  /** Starts the session's own clock here: it then stands still until it is moved. */
  clock?: Time | Date;
  /** The id of a journal that is made anew; a random one when absent. */
  id?: string;
  /** Opens what is good of a damaged journal, for reading only. */
  salvage?: boolean;
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
}

export function api(place: Place): Api {
  return {
    async open(options) {
      const { name, storage = place.storage, tools = {}, model, clock, id, salvage } = options;
      if (typeof name !== "string" || name === "") {
        throw new ThroughlineError("missing-name", "a journal is opened by a name: open({ name: \"…\" })");
      }
      const call: JsonMap & { name: string } = {
        type: "open",
        name,
        storage,
        tools: Object.keys(tools),
        host_model: model !== undefined,
        ...(clock === undefined ? {} : { clock: millis(clock) }),
        ...(id === undefined ? {} : { id }),
        ...(salvage === true ? { salvage } : {}),
      };
      const runs = options.host ?? place.host();
      const link = new Link({
        open: call,
        tools: new Map(Object.entries(tools)),
        model,
        connect: (listener) => connect(place, runs, options.worker, listener),
        lasting: storage === "indexeddb" && runs === "worker",
      });
      const session = new Session(link);
      try {
        await link.open();
        if (options.cassette !== undefined) await link.loadCassette(cassetteText(options.cassette));
        if (salvage !== true) await prepare(session, options, tools);
      } catch (error) {
        await link.giveUp().catch(() => undefined);
        throw error;
      }
      return session;
    },

    async list(where = {}) {
      const text = await aside(place, where, (host) => host.list(), (engine) => engine.list());
      const all = answer(text) as unknown as Listed[];
      return where.storage === undefined ? all : all.filter((one) => one.storage === where.storage);
    },

    async remove(name, where = {}) {
      const storage = where.storage ?? place.storage;
      answer(await aside(place, where, (host) => host.remove(storage, name), (engine) => engine.remove(storage, name)));
    },
  };
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
