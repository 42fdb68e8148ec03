// Loading the engine in a browser: once, when it is first needed, never at import.

import init, { Session } from "./pkg/throughline_wasm.js";
import { ThroughlineError } from "./error.js";
import { once } from "./host.js";
import type { Load } from "./host.js";

/** Loads the engine that lies beside this file. */
export const load: Load = once(async () => {
  const url = new URL("./pkg/throughline_wasm_bg.wasm", import.meta.url);
  await init({ module_or_path: await compile(url) });
  return Session;
});

async function compile(url: URL): Promise<WebAssembly.Module> {
  const failed = (why: string, cause?: unknown) =>
    new ThroughlineError("engine-not-loaded", `the engine could not be loaded from ${url.href}: ${why}`, {}, { cause });
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw failed("the request failed; a content policy may forbid it (connect-src)", error);
  }
  const type = response.headers.get("content-type") ?? "no content type";
  if (!response.ok) throw failed(`the server answered ${response.status}`);
  try {
    if (type.startsWith("application/wasm")) return await WebAssembly.compileStreaming(response.clone());
  } catch {
    // Compiled again below, where the error can say more.
  }
  const bytes = await response.arrayBuffer();
  const [a, b, c, d] = new Uint8Array(bytes);
  if (a !== 0 || b !== 0x61 || c !== 0x73 || d !== 0x6d) {
    throw failed(`the server answered ${response.status} with ${type}, which is no wasm file; the bundler may have moved it`);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw failed("it could not be compiled; a content policy may forbid it ('wasm-unsafe-eval')", error);
  }
}
