// Loading the engine in Node: from the file beside this one.

import init, { Session } from "./pkg/throughline_wasm.js";
import { ThroughlineError } from "./error.js";
import { once } from "./host.js";
import type { Load } from "./host.js";

// Node's own types would be a dependency; this is all that is used of them.
interface Files {
  readFile(file: URL): Promise<Uint8Array<ArrayBuffer>>;
}

/** Loads the engine that lies beside this file. */
export const load: Load = once(async () => {
  const url = new URL("./pkg/throughline_wasm_bg.wasm", import.meta.url);
  const name = "node:fs/promises";
  const files = (await import(name)) as Files;
  try {
    await init({ module_or_path: await WebAssembly.compile(await files.readFile(url)) });
  } catch (cause) {
    throw new ThroughlineError("engine-not-loaded", `the engine could not be loaded from ${url.href}`, {}, { cause });
  }
  return Session;
});
