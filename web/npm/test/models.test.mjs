// Models over the network, from a server on this machine that does everything wrong that providers do.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ThroughlineError, complete, readStructured, testConnection } from "../dist/node.js";
import { PROVIDERS, fakeProvider, replyBytes } from "./fake-provider.mjs";
import { opened } from "./help.mjs";

const fake = await fakeProvider();
after(() => fake.close());

const WIRES = Object.keys(PROVIDERS);
const ask = { messages: [{ role: "system", text: "Be brief." }, { role: "user", text: "Where is the parcel? 包裹在哪里？" }] };
const schema = { type: "object", properties: { city: { type: "string", minLength: 2 } }, required: ["city"], additionalProperties: false };
const tools = [{ name: "track", description: "Tracks", schema: { type: "object", properties: { n: { type: "integer" } } } }];
const SAID = "It is in 武汉, and late — 延误。";

/** One test for every wire format. */
function everyWire(name, run) {
  for (const wire of WIRES) test(`${wire}: ${name}`, { timeout: 30_000 }, () => run(wire, `${wire}-${name.replaceAll(/\W+/g, "-")}`));
}

everyWire("the text comes whole, with thinking apart, counts, times and pieces on the way", async (wire, name) => {
  const settings = fake.script(name, { wire, reply: { thinking: "Hm.", text: SAID, usage: [21, 9] } }, { prices: { prompt: "1.5", completion: 3 } });
  const deltas = [];
  const reply = await complete(settings, ask, { onDelta: (delta) => deltas.push(delta) });
  assert.deepEqual([reply.ending, reply.text, reply.thinking], ["done", SAID, "Hm."]);
  assert.deepEqual(reply.usage, { prompt: 21, completion: 9, cached: 0, estimated: false });
  assert.equal(Number(reply.cost), (21 * 1.5 + 9 * 3) / 1e6);
  assert.equal(deltas.filter(({ channel }) => channel === "text").map(({ text }) => text).join(""), SAID);
  assert.ok(deltas.length > 3 && reply.ms >= reply.first_byte_ms);
});

everyWire("a cut at any byte is an interruption with the text so far, never an ending", async (wire, name) => {
  const bytes = replyBytes(wire, { text: SAID, usage: [21, 9] });
  // Where the end is said: the last frame but the counts and `[DONE]`.
  const frames = replyBytes(wire, { text: SAID }).toString();
  const said = Buffer.byteLength(frames.slice(0, Math.max(...["finish_reason\":\"stop", "response.completed", "stop_reason", "finishReason", "done\":true"].map((m) => frames.lastIndexOf(m)))));
  for (let cut = 1; cut < said; cut += Math.ceil(said / 12)) {
    const settings = fake.script(`${name}-${cut}`, { wire, reply: { text: SAID, usage: [21, 9] }, cut });
    const reply = await complete(settings, ask);
    assert.equal(reply.ending, "interrupted", `cut at ${cut} of ${bytes.length}`);
    assert.ok(SAID.startsWith(reply.text) && reply.usage.estimated && reply.value === undefined);
  }
});

everyWire("an error after some text is a failure that may pass, and the text stays partial", async (wire, name) => {
  const settings = fake.script(name, { wire, reply: { text: SAID }, errorAfter: 4 });
  const reply = await complete(settings, ask);
  assert.deepEqual([reply.ending, reply.retryable], ["failed", true], JSON.stringify(reply));
  assert.ok(["overloaded", "server-error"].includes(reply.code), reply.code);
  assert.ok(SAID.startsWith(reply.text) && reply.text !== SAID);
  assert.deepEqual(reply.calls, []);
});

everyWire("status 200 with an error for a body is a failure", async (wire, name) => {
  const body = { error: { type: "overloaded_error", code: "overloaded", message: "Overloaded" } };
  const settings = fake.script(name, { wire, body: wire === "ollama" ? { error: "Overloaded" } : body });
  const reply = await complete({ ...settings, retries: 0 }, ask);
  assert.deepEqual([reply.ending, reply.code], ["failed", "overloaded"]);
});

everyWire("line ends of one CR and a byte order mark change nothing", async (wire, name) => {
  for (const fault of [{ lineEnds: "cr" }, { lineEnds: "crlf" }, { bom: true }, { bom: true, lineEnds: "cr", size: 1 }]) {
    const settings = fake.script(name, { wire, reply: { text: SAID, usage: [1, 2] }, ...fault });
    const reply = await complete(settings, ask);
    assert.deepEqual([reply.ending, reply.text, reply.usage.completion], ["done", SAID, 2], JSON.stringify(fault));
  }
});

everyWire("two tool calls come whole, also under one index; none runs from a reply that was cut off", async (wire, name) => {
  const calls = [
    { id: "call_a", name: "track", args: '{"n": 1}', index: 0 },
    { id: "call_b", name: "track", args: '{"n": 9007199254740993}', index: 0 },
  ];
  const reply = await complete(fake.script(name, { wire, reply: { calls, ending: "done" } }), { ...ask, tools });
  assert.equal(reply.ending, "done");
  if (wire === "gemini" || wire === "ollama") calls[1].args = JSON.stringify(JSON.parse(calls[1].args));
  assert.deepEqual(reply.calls.map(({ name }) => name), ["track", "track"]);
  assert.deepEqual(reply.calls[0].arguments, { n: 1 });
  if (wire !== "gemini" && wire !== "ollama") assert.equal(reply.calls[1].arguments.n, 9007199254740993n);
  const sent = JSON.stringify(fake.requests.at(-1).body);
  assert.match(sent, /"track"/);
  const cut = await complete(fake.script(`${name}-cut`, { wire, reply: { calls: calls.slice(0, 1), ending: "truncated" } }), { ...ask, tools });
  assert.deepEqual([cut.ending, cut.calls, cut.tool_calls.length], ["truncated", [], 1]);
  assert.match(cut.problem.message, /max_tokens/);
});

test("`length` inside arguments that a repair could close executes nothing", async () => {
  const settings = fake.script("length-inside", { reply: { calls: [{ id: "a", name: "track", args: '{"n": 2' }], ending: "truncated" } });
  const reply = await complete(settings, { ...ask, tools });
  assert.deepEqual([reply.ending, reply.calls, reply.tool_calls[0].arguments], ["truncated", [], '{"n": 2']);
  const done = await complete(fake.script("length-inside", { reply: { calls: [{ id: "a", name: "track", args: '{"n": 2' }] } }), { ...ask, tools });
  assert.deepEqual([done.ending, done.calls, done.problem.code], ["done", [], "bad-arguments"]);
});

everyWire("a value is asked for with a reduced schema and checked against the full one", async (wire, name) => {
  const good = await complete(fake.script(name, { wire, reply: { text: '{"city": "武汉"}' } }), { ...ask, schema });
  assert.deepEqual([good.value, good.repaired, good.coercions], [{ city: "武汉" }, false, []]);
  const sent = JSON.stringify(fake.requests.at(-1).body);
  // A server that makes a grammar of it takes bounds.
  assert.ok(sent.includes('"city"') && sent.includes("minLength") === (wire === "ollama"), sent);
  const short = await complete(fake.script(name, { wire, reply: { text: '{"city": "x"}' } }), { ...ask, schema });
  assert.deepEqual([short.value, short.problem.code, short.problem.problems[0].path], [undefined, "schema-mismatch", "/city"]);
  const cut = await complete(fake.script(name, { wire, reply: { text: '{"city": "Wuh', ending: "truncated" } }), { ...ask, schema });
  assert.deepEqual([cut.ending, cut.value, cut.problem.code], ["truncated", undefined, "reply-truncated"]);
});

everyWire("a refusal never becomes data", async (wire, name) => {
  if (wire === "ollama") return;
  const reply = await complete(fake.script(name, { wire, reply: { text: "", ending: "refused" } }), { ...ask, schema });
  assert.deepEqual([reply.ending, reply.value], ["refused", undefined]);
});

everyWire("empty content with one token says that the prompt filled the context", async (wire, name) => {
  const reply = await complete(fake.script(name, { wire, reply: { text: "", ending: "truncated", usage: [4096, 1] } }), ask);
  assert.equal(reply.ending, "truncated");
  assert.match(reply.problem.message, /larger context/);
});

everyWire("a server that never ends is given up, and the reply is interrupted", async (wire, name) => {
  const settings = fake.script(name, { wire, reply: { text: SAID }, never: true, cut: 120 }, { idle_ms: 80 });
  const reply = await complete(settings, ask);
  assert.deepEqual([reply.ending, reply.code], ["interrupted", "timed-out"]);
  const silent = fake.script(`${name}-silent`, { wire, silent: true }, { first_byte_ms: 80, retries: 1, retry_floor_ms: 10 });
  const none = await complete(silent, ask);
  assert.deepEqual([none.ending, none.code, none.attempts], ["failed", "timed-out", 2]);
});

everyWire("an overload before the first byte is tried again, after a wait that its words ask for", async (wire, name) => {
  const body = wire === "ollama" ? { error: "try again in 40ms" } : { error: { message: "Rate limit. Please try again in 40ms.", type: "rate_limit_error" } };
  const settings = fake.script(name, { wire, status: 429, body, times: 2, reply: { text: SAID } });
  const reply = await complete(settings, ask);
  assert.deepEqual([reply.ending, reply.text, reply.attempts], ["done", SAID, 3]);
  assert.ok(reply.ms >= 80, `${reply.ms} ms`);
  const none = await complete({ ...fake.script(`${name}-none`, { wire, status: 429, body }), retries: 1 }, ask);
  assert.deepEqual([none.ending, none.code, none.attempts, none.retry_after], ["failed", "rate-limited", 2, 40]);
});

test("a connection that is reset after the head is an interruption", async () => {
  const reply = await complete(fake.script("reset", { reply: { text: SAID }, cut: 150, reset: true }), ask);
  assert.deepEqual([reply.ending, reply.code], ["interrupted", "connection-lost"]);
});

test("an exchange is ended by its signal, and the server sees it", async () => {
  const settings = fake.script("abort", { reply: { text: SAID }, never: true, cut: 100 });
  const controller = new AbortController();
  const asked = complete(settings, ask, { signal: controller.signal, onDelta: () => controller.abort() });
  await assert.rejects(asked, { code: "aborted" });
});

test("each provider gets its own headers, the stable words first, and nothing that its preflight refuses", async () => {
  const headers = async (wire) => {
    await complete(fake.script(`headers-${wire}`, { wire, reply: { text: "ok" } }), ask);
    return fake.requests.at(-1);
  };
  const chat = await headers("chat");
  assert.equal(chat.headers.authorization, "Bearer sk-fake-0123456789abcdef");
  assert.equal(chat.body.messages[0].role, "system");
  const anthropic = await headers("anthropic");
  assert.equal(anthropic.headers["anthropic-dangerous-direct-browser-access"], "true");
  assert.equal(anthropic.headers["x-api-key"], "sk-fake-0123456789abcdef");
  assert.deepEqual(anthropic.body.system[0].cache_control, { type: "ephemeral" });
  const gemini = await headers("gemini");
  assert.match(gemini.url, /:streamGenerateContent\?alt=sse$/);
  assert.equal(gemini.headers["x-goog-api-key"], "sk-fake-0123456789abcdef");
  const ollama = await headers("ollama");
  assert.equal(ollama.body.options.num_ctx, 8192);
  for (const { headers: sent } of fake.requests) {
    const odd = Object.keys(sent).filter((name) => /^(x-stainless|openai-beta|x-request)/.test(name));
    assert.deepEqual(odd, []);
  }
});

test("settings that cannot work are refused with what to do", async () => {
  const refused = async (settings) => complete(settings, ask).then(() => "done", ({ code }) => code);
  assert.equal(await refused({ provider: "opnai", model: "m" }), "unknown-provider");
  assert.equal(await refused({ provider: "compatible", model: "m" }), "no-endpoint");
  assert.equal(await refused({ provider: "compatible", endpoint: "ftp://x", model: "m" }), "bad-endpoint");
  assert.equal(await refused({ provider: "compatible", endpoint: "https://x/v1?key=abc", model: "m" }), "key-in-endpoint");
  assert.equal(await refused({ provider: "openai" }), "no-model-name");
  assert.equal(await refused({ provider: "openai", model: "m", token_cap: 3 }), "spend-cap");
});

test("a connection is diagnosed: key, quota, model name, address, time, and that all is well", async () => {
  const failing = (name, status, error, more = {}) => testConnection(fake.script(name, { status, body: { error }, ...more }));
  const good = await testConnection(fake.script("well", { reply: { text: "ok" } }));
  assert.deepEqual([good.ok, good.code], [true, "ok"]);
  const key = await failing("key", 401, { code: "invalid_api_key", message: "Incorrect API key provided: {key}" });
  assert.equal(key.code, "key");
  assert.match(key.fix.en, /platform\.openai\.com\/api-keys/);
  assert.match(key.fix.zh, /密钥/);
  assert.ok(!JSON.stringify(key).includes("sk-fake"), JSON.stringify(key));
  assert.equal((await testConnection({ ...fake.script("nokey", { status: 401, body: { error: { message: "no" } } }), key: "" })).code, "key-missing");
  assert.equal((await failing("quota", 429, { code: "insufficient_quota", message: "You exceeded your quota" })).code, "quota");
  const model = await failing("model", 404, { code: "model_not_found", message: "no such model" }, { models: ["fake-10", "other"] });
  assert.equal(model.code, "model-name");
  assert.match(model.fix.en, /`fake-10`/);
  assert.equal((await failing("limit", 429, { message: "slow down" })).code, "rate-limited");
  assert.equal((await failing("fault", 503, { message: "down" })).code, "server-error");
  const gone = await testConnection({ provider: "ollama", endpoint: "http://127.0.0.1:9", model: "m" });
  assert.equal(gone.code, "not-running");
  assert.match(gone.fix.en, /ollama serve/);
  assert.equal((await testConnection({ ...fake.script("slow", { silent: true }), first_byte_ms: 60 })).code, "timed-out");
  assert.equal((await testConnection({ provider: "nobody" })).code, "bad-settings");
});

test("a text is read as replies are: valid JSON as it is, one candidate repaired and named, nothing from what was cut off", async () => {
  const valid = await readStructured('{"url": "https://a/{b}", "n": 9007199254740993}');
  assert.deepEqual([valid.value, valid.repaired, valid.diagnostics], [{ url: "https://a/{b}", n: 9007199254740993n }, false, []]);
  const prose = await readStructured('I used {a, b}.\nResult: {"memory":[{"text":"likes tea"}]}\nDone {ok}.');
  assert.deepEqual(prose.value, { memory: [{ text: "likes tea" }] });
  assert.ok(prose.diagnostics.some(({ code }) => code === "skipped-text"));
  const repaired = await readStructured("{'a': 1,}");
  assert.deepEqual([repaired.value, repaired.repaired], [{ a: 1 }, true]);
  assert.equal((await readStructured("{'a': 1,}", {}, { strict: true })).problem.code, "invalid-json");
  assert.equal((await readStructured('{"n": 2', {}, { incomplete: true })).value, undefined);
  assert.equal((await readStructured("I can't help with that.", { type: "object" })).problem.code, "no-json");
});

test("a wrapper and a number as text are coerced visibly; a word, a wrong number and the schema sent back are refused", async () => {
  const wanted = { type: "object", properties: { score: { enum: [1, 2, 3, 4, 5] }, label: { type: "string" } }, required: ["score", "label"] };
  const wrapped = await readStructured('{"result":{"score":"3","label":"ok"}}', wanted);
  assert.deepEqual([wrapped.value, wrapped.coercions.map(({ code }) => code)], [{ score: 3, label: "ok" }, ["unwrapped", "text-to-number"]]);
  const spelled = await readStructured('{"score":3.0,"label":"ok"}', wanted);
  assert.deepEqual([spelled.value.score, spelled.coercions[0].code], [3, "respelled"]);
  for (const text of ['{"score":"三","label":"ok"}', '{"score":9,"label":"ok"}']) {
    const { problem, value } = await readStructured(text, wanted);
    assert.deepEqual([value, problem.problems[0].path, problem.problems[0].allowed], [undefined, "/score", [1, 2, 3, 4, 5]]);
  }
  assert.equal((await readStructured('{"result":{"score":"3","label":"ok"}}', wanted, { strict: true })).value, undefined);
  const echo = '{"$defs":{"Entity":{"type":"object"}},"properties":{"entities":{"type":"array"}},"required":["entities"],"type":"object"}';
  assert.equal((await readStructured(echo, { type: "object", properties: { entities: { type: "array" } }, required: ["entities"] })).problem.code, "schema-echoed");
});

test("maps and large whole numbers come out of the engine as plain objects and exact numbers", async () => {
  const { value } = await readStructured('{"k":{"x":1},"u64":18446744073709551615,"__proto__":{"y":2}}');
  assert.equal(JSON.stringify(value.k), '{"x":1}');
  assert.equal(value.u64, 18446744073709551615n);
  assert.equal({}.y, undefined);
});

const domain = {
  name: "budgets",
  facts: { budget: { value: { type: "integer" } } },
  intents: { note: { description: { en: "Notes a budget" }, answer: "noted" } },
  answers: { noted: { template: { en: "Noted." } } },
};

test("a turn runs on a provider: the exchange is on record with its bytes, times and cost, and replays from the recording", async () => {
  const text = JSON.stringify({ intent: "note", confidence: 0.9, entities: [], facts: [{ key: "budget", value: 20000, confidence: 0.95 }] });
  const reply = (body) => ({ text: JSON.stringify(body).includes("intent") ? text : '{"text": "Noted."}', usage: [30, 12] });
  const model = fake.script("turn", { wire: "anthropic", reply }, { prices: { prompt: 3, completion: 15 } });
  const session = await opened({ domain, model });
  const deltas = [];
  session.onDelta((delta) => deltas.push(delta));
  await session.recordCassette(true);
  const turn = await session.say("My budget is 20,000.", { language: "en" });
  assert.notEqual(turn.status, "running");
  const { records } = await session.records({ kinds: ["exchange.finished"] });
  const { data } = records[0];
  assert.deepEqual([data.provider, data.model, data.wire, data.ending], ["anthropic", "fake-1", "anthropic", "done"]);
  assert.ok(data.raw.includes("message_stop") && data.timing.length > 0 && data.ms >= data.first_byte_ms);
  assert.equal(Number(data.cost), (30 * 3 + 12 * 15) / 1e6);
  assert.ok(deltas.length > 0 && deltas[0].exchange === data.exchange);
  const recording = await session.recordCassette(false);
  assert.ok(recording.exchanges > 0);
  assert.match(recording.text, /"wire":"anthropic"/);
  const asked = fake.requests.length;
  for (const fault of [{}, { rechunk: 0 }, { rechunk: 7, bom: true }, { line_ends: "cr" }]) {
    const again = await opened({ domain, cassette: recording.text });
    await again.harm(fault);
    const replayed = await again.say("My budget is 20,000.", { language: "en" });
    assert.deepEqual([replayed.status, replayed.answer?.text], [turn.status, turn.answer?.text], JSON.stringify(fault));
  }
  const cut = await opened({ domain, cassette: recording.text });
  await cut.harm({ cut: 150 });
  await cut.say("My budget is 20,000.", { language: "en" });
  const interrupted = await cut.records({ kinds: ["exchange.finished"] });
  assert.equal(interrupted.records[0].data.ending, "interrupted");
  assert.equal(fake.requests.length, asked, "a replay asks nobody");
});

test("a turn that reaches its cap asks no more, and says so", async () => {
  const model = fake.script("cap", { reply: { text: '{"not": "what was asked"}', usage: [900, 200] } }, { token_cap: 1500 });
  const session = await opened({ domain, model });
  await session.say("Hello", { language: "en" });
  const { records } = await session.records({ kinds: ["exchange.failed"] });
  assert.equal(records[0].data.code, "spend-cap");
});

test("a turn that is stopped ends its exchange", async () => {
  const model = fake.script("stop", { reply: { text: SAID }, never: true, cut: 100 });
  const session = await opened({ domain, model });
  const controller = new AbortController();
  session.onDelta(() => controller.abort());
  const turn = await session.say("Hello", { language: "en", signal: controller.signal });
  assert.equal(turn.status, "stopped");
  await session.close();
});

test("a model of the page may give its text in pieces", async () => {
  const session = await opened({
    domain,
    model: async function* () {
      yield '{"intent": "note", "confidence": 0.9, "entities": [], "facts": [{"key": "bud';
      yield 'get", "value": 7, "confidence": 0.95}]}';
    },
  });
  await session.say("My budget is 7.", { language: "en" });
  const { records } = await session.records({ kinds: ["exchange.finished"] });
  assert.match(records[0].data.text, /"budget", "value": 7/);
});

test("settings that cannot be are refused by code, with their place", async () => {
  const settings = fake.script("bad-settings", { reply: { text: SAID } });
  for (const [wrong, code, path] of [
    [{ prices: "abc" }, undefined, "/settings/prices"],
    [{ prices: { prompt: "abc", completion: "1" } }, undefined, "/settings/prices/prompt"],
    [{ spend_cap: "x" }, undefined, "/settings/spend_cap"],
    [{ retries: 99 }, "too-many-retries", "/settings/retries"],
    [{ tool_calls: "maybe" }, "bad-settings", "/settings/tool_calls"],
  ]) {
    const error = await complete({ ...settings, ...wrong }, ask).then(() => undefined, (error) => error);
    assert.ok(error instanceof ThroughlineError, JSON.stringify(wrong));
    if (code) assert.equal(error.code, code);
    assert.ok(JSON.stringify([error.details, error.message]).includes(path), `${error.message} ${JSON.stringify(error.details)}`);
  }
});
