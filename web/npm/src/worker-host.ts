// An engine in a worker of its own.

import { ThroughlineError } from "./error.js";
import type { Host, Listener } from "./host.js";
import type { FromWorker, ToWorker } from "./messages.js";

/** How the worker is started. */
export type WorkerStart =
  /** From the script beside this file. */
  | "script"
  /** From a blob that imports the script, so that the page's content policy holds in it: it needs
   *  `worker-src blob:`. */
  | "blob"
  /** By the caller, with this package's `throughline/worker` as its script. */
  | (() => Worker);

function start(how: WorkerStart): Worker {
  if (typeof how === "function") return how();
  if (typeof Worker === "undefined") {
    throw new ThroughlineError(
      "no-workers",
      "there are no web workers here: open with `host: \"here\"`, or give a function that starts one as `worker`",
    );
  }
  if (how === "script") return new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "throughline" });
  // In two steps, so that bundlers do not copy the script without what it imports.
  const here = import.meta.url;
  const script = new URL("./worker.js", here).href;
  const blob = URL.createObjectURL(new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" }));
  const worker = new Worker(blob, { type: "module", name: "throughline" });
  // Read once it has answered.
  worker.addEventListener("message", () => URL.revokeObjectURL(blob), { once: true });
  return worker;
}

interface Pending {
  resolve(text: string): void;
  reject(error: Error): void;
}

/** The messages to one worker, and what is awaited from it. */
export class WorkerHost implements Host {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #listener: Listener;
  #next = 0;
  #dead: ThroughlineError | undefined;

  constructor(how: WorkerStart, listener: Listener) {
    this.#listener = listener;
    this.#worker = start(how);
    this.#worker.addEventListener("message", (event: MessageEvent<FromWorker>) => this.#take(event.data));
    this.#worker.addEventListener("messageerror", () => this.#crash("a message from the worker could not be read"));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      // A script that was not found gives an event without words.
      const words = (event as ErrorEvent).message;
      this.#crash(words === undefined || words === "" ? "the worker's script could not be loaded" : words);
    });
  }

  request(text: string): Promise<string> {
    return this.#ask((id) => ({ kind: "request", id, text }));
  }

  list(): Promise<string> {
    return this.#ask((id) => ({ kind: "list", id }));
  }

  remove(storage: string, name: string): Promise<string> {
    return this.#ask((id) => ({ kind: "remove", id, storage, name }));
  }

  result(text: string): void {
    if (this.#dead === undefined) this.#post({ kind: "result", text });
  }

  end(): void {
    this.#stop(new ThroughlineError("session-closed", "this session is closed; open the journal again"));
  }

  #ask(message: (id: number) => ToWorker): Promise<string> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    return new Promise((resolve, reject) => {
      const id = ++this.#next;
      this.#pending.set(id, { resolve, reject });
      this.#post(message(id));
    });
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromWorker): void {
    switch (message.kind) {
      case "push":
        this.#listener.push(message.text);
        break;
      case "crashed":
        this.#crash(message.message);
        break;
      case "response":
        this.#settle(message.id)?.resolve(message.text);
        break;
      case "failed":
        this.#settle(message.id)?.reject(new ThroughlineError("engine-not-loaded", message.message));
        break;
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #crash(words: string): void {
    if (this.#dead !== undefined) return;
    const error = new ThroughlineError("engine-crashed", words);
    this.#stop(error);
    this.#listener.crashed(error);
  }

  #stop(error: ThroughlineError): void {
    this.#dead ??= error;
    this.#worker.terminate();
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
