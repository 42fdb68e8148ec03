// A key goes into requests and nowhere else: looked for in every stored byte, export, address, console line and
// error. And keys at rest, and the way to one by signing in.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { beginOpenRouter, builtinModel, complete, finishOpenRouter, sealKey, testConnection, unsealKey } from "../dist/node.js";
import { PROVIDERS, fakeProvider } from "./fake-provider.mjs";
import { opened } from "./help.mjs";

const fake = await fakeProvider();
after(() => fake.close());

/** Planted: one that looks like a key, and one that does not. */
const KEYS = ["sk-planted-0123456789abcdefghij", "Planted.Without.Any.Form/77"];

/** Everything that is printed while the test runs. */
const printed = [];
for (const name of ["log", "info", "warn", "error", "debug"]) {
  const before = console[name];
  console[name] = (...words) => {
    printed.push(words.map(String).join(" "));
    before(...words);
  };
}

const domain = {
  name: "d",
  facts: { budget: { value: { type: "integer" } } },
  intents: { note: { description: { en: "Notes a budget" }, answer: "noted" } },
  answers: { noted: { template: { en: "Noted." } } },
};

/** Every form in which a key could lie somewhere. */
const forms = (key) => [key, encodeURIComponent(key), Buffer.from(key).toString("base64"), Buffer.from(key).toString("hex"), JSON.stringify(key).slice(1, -1)];

function clean(what, where) {
  const text = typeof what === "string" ? what : (JSON.stringify(what, (_, value) => (typeof value === "bigint" ? String(value) : value)) ?? "");
  for (const key of KEYS) for (const form of forms(key)) assert.ok(!text.includes(form), `a key is in ${where}`);
}

for (const [n, key] of KEYS.entries()) {
  for (const wire of Object.keys(PROVIDERS)) {
    test(`${wire}: key ${n} is in no record, export, recording, error, address or printed line`, { timeout: 30_000 }, async () => {
      // The provider says it back in its text, in pieces of one byte, and in its errors.
      const says = { wire, size: 1, reply: { thinking: "the key is {key}", text: '{"intent": "{key}", "note": "{key}"}', usage: [1, 1] } };
      const refuses = { wire, status: 401, body: { error: { code: "invalid_api_key", type: "authentication_error", message: "Incorrect API key provided: {key}" } } };
      const broken = { wire, status: 500, type: "text/html", body: "<html>proxy saw {key}</html>" };
      const frame = { wire, reply: { text: "{key}" }, errorAfter: 1 };
      const slashes = { wire, slashes: true, reply: { text: "{key}", calls: [{ id: "a", name: "f", args: '{"k": "{key}"}' }] } };
      const found = [];
      for (const [name, script] of Object.entries({ says, refuses, broken, frame, slashes })) {
        const settings = fake.script(`keys-${n}-${wire}-${name}`, script, { key, retries: 0 });
        const session = await opened({ domain, model: settings });
        await session.recordCassette(true);
        const deltas = [];
        session.onDelta((delta) => deltas.push(delta));
        found.push([await session.say("My budget is 3.", { language: "en" }), "a turn"]);
        found.push([(await session.records()).records, "the records"]);
        found.push([(await session.export()).text, "the export"]);
        found.push([await session.recordCassette(false), "the recording"]);
        found.push([deltas, "the pieces"]);
        for (const one of ["text", "thinking", "refusal", "call"]) {
          found.push([deltas.filter(({ channel }) => channel === one).map(({ text }) => text).join(""), `the pieces of ${one}, put together`]);
        }
        found.push([await session.status(), "the status"]);
        found.push([await session.setModel(settings), "what a model is reached by"]);
        const shown = [];
        found.push([await complete(settings, { messages: [{ role: "user", text: "hi" }] }, { onDelta: ({ text }) => shown.push(text) }), "a reply"]);
        found.push([shown.join(""), "what is shown of a reply"]);
        found.push([await testConnection(settings), "a diagnosis"]);
        for (const wrong of [{ provider: "nobody" }, { endpoint: `https://${encodeURIComponent(key)}@host/` }, { model: "", provider: "openai" }, { spend_cap: "x" }, { key: [key] }, { apiKey: key }]) {
          const error = await complete({ ...settings, ...wrong }, { messages: [{ role: "user", text: "hi" }] }).then(() => "", (error) => error);
          assert.ok(error instanceof Error);
          found.push([`${error.stack} ${JSON.stringify(error.details)}`, "an error"]);
        }
      }
      for (const [what, where] of found) clean(what, where);
      for (const { url } of fake.requests) clean(url, "an address");
      clean(printed, "a printed line");
    });
  }
}

test("a sealed key opens with its passphrase only, and says nothing", async () => {
  const sealed = await sealKey(KEYS[0], "correct horse battery");
  clean(sealed, "the sealed key");
  assert.equal(await unsealKey(sealed, "correct horse battery"), KEYS[0]);
  assert.notEqual(sealed, await sealKey(KEYS[0], "correct horse battery"), "each sealing has its own salt");
  await assert.rejects(unsealKey(sealed, "another passphrase"), { code: "wrong-passphrase" });
  await assert.rejects(unsealKey("what is this", "another passphrase"), { code: "not-a-sealed-key" });
  await assert.rejects(sealKey(KEYS[0], "short"), { code: "weak-passphrase" });
});

test("signing in with OpenRouter gives a key for a code and its verifier, which no address holds", async () => {
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    seen.push([request.url, JSON.parse(body)]);
    const good = JSON.parse(body).code === "good";
    response.writeHead(good ? 200 : 403, { "content-type": "application/json" }).end(good ? '{"key": "sk-or-given"}' : '{"error": "no"}');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const { url, verifier } = await beginOpenRouter("https://page.example/back", base);
  const asked = new URL(url).searchParams;
  assert.equal(asked.get("callback_url"), "https://page.example/back");
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString("base64url");
  assert.deepEqual([asked.get("code_challenge"), asked.get("code_challenge_method")], [hash, "S256"]);
  assert.ok(!url.includes(verifier));
  assert.equal(await finishOpenRouter("good", verifier, base), "sk-or-given");
  await assert.rejects(finishOpenRouter("bad", verifier, base), { code: "sign-in-failed" });
  assert.deepEqual(seen[0], ["/api/v1/auth/keys", { code: "good", code_verifier: verifier, code_challenge_method: "S256" }]);
  server.close();
});

test("Chrome's built-in model is asked like any other, and where it is not there the turn says so", async () => {
  const asked = [];
  globalThis.LanguageModel = {
    availability: async (options) => (options.expectedOutputs[0].languages?.includes("zh") ? "unavailable" : "available"),
    create: async (options) => {
      asked.push(options);
      return {
        promptStreaming: async function* (input, { responseConstraint }) {
          asked.push([input, responseConstraint]);
          yield '{"intent": "note", "confidence": 0.9, "entities": [], ';
          yield '"facts": [{"key": "budget", "value": 3}]}';
        },
        destroy: () => asked.push("destroyed"),
      };
    },
  };
  const session = await opened({ domain, model: { provider: "builtin" } });
  const turn = await session.say("My budget is 3.", { language: "en" });
  const { records } = await session.records({ kinds: ["exchange.finished"] });
  assert.match(records[0].data.text, /"budget"/, JSON.stringify(turn));
  assert.ok(asked.includes("destroyed") && typeof asked[1][1] === "object");
  const request = { purpose: "respond", messages: [{ role: "user", text: "hi" }], language: "zh", model: "" };
  const context = { signal: new AbortController().signal, idempotencyKey: "k" };
  await assert.rejects(async () => builtinModel({ provider: "builtin" })(request, context), { code: "no-model" });
  assert.deepEqual((await testConnection({ provider: "builtin", languages: ["en"] })).code, "ok");
  assert.deepEqual((await testConnection({ provider: "builtin", languages: ["zh"] })).code, "no-builtin");
  globalThis.LanguageModel.availability = () => new Promise(() => {});
  assert.match((await testConnection({ provider: "builtin", ready_ms: 20 })).message, /20 ms/);
  await assert.rejects(async () => builtinModel({ provider: "builtin", ready_ms: 20 })(request, context), { code: "timed-out" });
  globalThis.LanguageModel.availability = async () => "available";
  // One system prompt, first; and a reply that stops coming is given up.
  const several = { ...request, messages: [{ role: "system", text: "a" }, { role: "user", text: "b" }, { role: "system", text: "c" }, { role: "user", text: "d" }] };
  asked.length = 0;
  await builtinModel({ provider: "builtin" })(several, context);
  assert.deepEqual(asked[0].initialPrompts, [{ role: "system", content: "a\n\nc" }, { role: "user", content: "b" }]);
  assert.deepEqual(asked[1][0], [{ role: "user", content: "d" }]);
  globalThis.LanguageModel.create = async () => ({ promptStreaming: async function* () { yield "a"; await new Promise(() => {}); }, destroy: () => asked.push("let go") });
  await assert.rejects(async () => builtinModel({ provider: "builtin", idle_ms: 20 })(request, context), { code: "timed-out" });
  assert.equal(asked.at(-1), "let go");
  delete globalThis.LanguageModel;
  await assert.rejects(async () => builtinModel({ provider: "builtin" })(request, context), { code: "no-model" });
});
