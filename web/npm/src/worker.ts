// The worker's script: one engine, one session.
//
// The handler is set first and what it needs is awaited inside: messages that come before a handler is set
// are lost.

import { crash, here, isTrap } from "./host.js";
import type { Host } from "./host.js";
import { load } from "./load.js";
import type { FromWorker, ToWorker } from "./messages.js";

const post = (message: FromWorker): void => (globalThis as unknown as Worker).postMessage(message);

let host: Promise<Host> | undefined;

const listener = {
  push: (text: string) => post({ kind: "push", text }),
  crashed: (error: Error) => post({ kind: "crashed", message: error.message }),
};

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === "result") {
    (await host)?.result(message.text);
    return;
  }
  const { id } = message;
  try {
    let text: string;
    if (message.kind === "request") {
      // An engine that could not be loaded is loaded again by the next request.
      host ??= here(load, listener).catch((error: unknown) => {
        host = undefined;
        throw error;
      });
      text = await (await host).request(message.text);
    } else {
      const Engine = await load();
      text = (await (message.kind === "list" ? Engine.list() : Engine.remove(message.storage, message.name))) as string;
    }
    post({ kind: "response", id, text });
  } catch (error) {
    post({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener("message", (event: MessageEvent<ToWorker>) => void handle(event.data));

// A trap in work that goes on by itself surfaces here and nowhere else.
const trapped = (error: unknown) => {
  if (isTrap(error)) post({ kind: "crashed", message: crash(error).message });
};
addEventListener("error", (event) => trapped((event as ErrorEvent).error));
addEventListener("unhandledrejection", (event) => trapped((event as PromiseRejectionEvent).reason));
