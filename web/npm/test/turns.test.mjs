// Figures, spans and replay of the agent's turns.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fakeProvider } from "./fake-provider.mjs";
import { opened } from "./help.mjs";

const demos = new URL("../../demos/", import.meta.url);

async function demo(name, options = {}) {
  const read = (file) => readFile(new URL(`${name}/${file}`, demos), "utf8");
  const { clock, documents, setup, questions } = JSON.parse(await read("demo.json"));
  const texts = await Promise.all(documents.map(async ({ file, ...document }) => ({ ...document, text: await read(file) })));
  const session = await opened({
    clock,
    documents: texts,
    domain: JSON.parse(await read("domain.json")),
    cassette: await read("cassette.jsonl"),
    ...options,
  });
  for (const command of setup) await session.execute(command);
  return { session, questions };
}

/** The published names, and ours under a name of their own. */
const NAMES =
  /^(gen_ai\.(operation\.name|provider\.name|agent\.name|conversation\.id|output\.(type|messages)|input\.messages|system_instructions|request\.(model|max_tokens|stream)|response\.(finish_reasons|model|time_to_first_chunk)|usage\.((cache_read\.)?input|output)_tokens|tool\.(name|type|definitions|call\.(id|arguments|result))|evaluation\.(name|score\.label|explanation))|error\.type|exception\.(type|message)|throughline\.[\w.]+)$/;

const ids = (digits) => new RegExp(`^[0-9a-f]{${digits}}$`);

test("the turns become spans with the published names, and every parent is there", async () => {
  const { session, questions } = await demo("courier");
  await session.say(questions.en[0], { language: "en" });
  const otlp = await session.exportOtlp();
  const [{ resource, scopeSpans }] = otlp.resourceSpans;
  assert.ok(resource.attributes.some(({ key }) => key === "service.name"));
  const { spans } = scopeSpans[0];
  const known = new Set(spans.map((span) => span.spanId));
  assert.equal(known.size, spans.length, "span ids are one each");
  const roots = spans.filter((span) => span.parentSpanId === "");
  assert.equal(roots.length, 1);
  for (const span of spans) {
    assert.match(span.traceId, ids(32));
    assert.match(span.spanId, ids(16));
    assert.ok(span.parentSpanId === "" || known.has(span.parentSpanId), span.name);
    assert.match(span.startTimeUnixNano, /^\d+$/);
    assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
    for (const { key, value } of span.attributes) {
      assert.match(key, NAMES);
      const [kind] = Object.keys(value);
      assert.ok(["stringValue", "intValue", "doubleValue", "boolValue", "arrayValue"].includes(kind), key);
      if (kind === "intValue") assert.equal(typeof value.intValue, "string", "64-bit integers are texts");
    }
  }
  assert.equal(JSON.stringify(otlp).includes("messages"), false, "texts are there only when they are asked for");
  const verdicts = spans.flatMap(({ events }) => events).filter(({ name }) => name === "gen_ai.evaluation.result");
  assert.deepEqual(verdicts.map(({ attributes }) => attributes[1].value.stringValue).sort(), ["fail", "pass", "pass", "pass"]);
  const of = (name) => spans.filter((span) => span.attributes.some(({ key, value }) => key === "gen_ai.operation.name" && value.stringValue === name));
  assert.equal(of("invoke_agent").length, 1);
  assert.equal(of("chat").length, 4, "interpret, plan, and decide twice");
});

test("spans with their texts have prompts, replies and calls in the conventions' form, what went wrong as events, and no key", async () => {
  const KEY = "sk-planted-in-a-span-0123456789";
  const fake = await fakeProvider();
  const valued = { text: '{"intent":"note","confidence":0.9}', thinking: "A budget is named.", usage: [120, 9] };
  let asked = 0;
  const reply = () => ((asked += 1) === 1 ? { text: "{key}", ending: "truncated" } : valued);
  const session = await opened({
    domain: { name: "d", intents: { note: { answer: "noted" } }, answers: { noted: { template: { en: "Noted." } } } },
    model: fake.script("m", { reply }, { provider: "openai", key: KEY, prices: { prompt: 3, completion: 15 } }),
  });
  try {
    await session.say(`My budget is 20000, my key is ${KEY}.`, { language: "en" });
    const plain = await session.exportOtlp();
    const whole = await session.exportOtlp({ content: true });
    for (const otlp of [plain, whole]) assert.equal(JSON.stringify(otlp).includes(KEY), false);
    assert.equal(JSON.stringify(plain).includes("20000"), false);
    const { spans } = whole.resourceSpans[0].scopeSpans[0];
    const read = (list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
    for (const { attributes, events, startTimeUnixNano: from, endTimeUnixNano: to } of spans) {
      for (const { timeUnixNano, name, attributes: own } of events) {
        assert.match(timeUnixNano, /^\d+$/);
        assert.ok(BigInt(timeUnixNano) >= BigInt(from) && BigInt(timeUnixNano) <= BigInt(to), name);
        own.forEach(({ key }) => assert.match(key, NAMES));
      }
      attributes.forEach(({ key }) => assert.match(key, NAMES));
      assert.equal(new Set(attributes.map(({ key }) => key)).size, attributes.length, "a name stands once");
    }
    const [cut, good] = spans.filter(({ name }) => name === "chat fake-1");
    assert.equal(cut.kind, 3);
    assert.equal(cut.status.code, 2);
    assert.deepEqual(cut.events.map(({ name }) => name), ["exception"]);
    assert.equal(read(cut.attributes)["error.type"], read(cut.events[0].attributes)["exception.type"]);
    assert.deepEqual(good.status, {});
    const said = read(good.attributes);
    assert.equal(said["gen_ai.provider.name"], "openai");
    assert.equal(said["gen_ai.usage.input_tokens"], "120");
    assert.equal(said["gen_ai.usage.output_tokens"], "9");
    assert.ok(Number(said["gen_ai.response.time_to_first_chunk"]) >= 0);
    assert.match(said["gen_ai.conversation.id"], /\/main$/);
    const [system] = JSON.parse(said["gen_ai.system_instructions"]);
    assert.equal(system.type, "text");
    assert.ok(JSON.parse(said["gen_ai.input.messages"]).some(({ role, parts }) => role === "user" && parts[0].content.includes("20000")));
    const [message] = JSON.parse(said["gen_ai.output.messages"]);
    assert.deepEqual(message, {
      role: "assistant",
      parts: [{ type: "reasoning", content: valued.thinking }, { type: "text", content: valued.text }],
      finish_reason: "stop",
    });
  } finally {
    await session.close();
    await fake.close();
  }
});

test("figures count what was judged, refused and handed over, by stage and by turn", async () => {
  const { session, questions } = await demo("credit");
  const turn = await session.say(questions.en[0], { language: "en" });
  assert.equal(turn.status, "waiting");
  const view = await session.metrics();
  assert.equal(view.turns.waiting, 1);
  assert.equal(view.hand_overs, 1);
  assert.equal(view.stages.decide.refused, 1);
  assert.equal(view.stages.gather.refused, 1);
  assert.equal(view.judged, view.valid + view.refused);
  assert.equal(Number(view.validity_rate), 0.6);
  assert.equal(view.rows[0].exchanges, 5);
  assert.ok(view.tokens.prompt > 0);
});

test("a recorded run is decided again without any call, record by record", async () => {
  let calls = 0;
  const { session, questions } = await demo("courier");
  await session.say(questions.en[0], { language: "en" });
  await session.advance(86_400_000);
  const { text } = await session.export();
  const copy = await opened({ model: () => calls++ });
  await copy.import(text);
  const view = await copy.replay();
  assert.equal(view.divergence, null, JSON.stringify(view.divergence));
  assert.equal(view.same, true);
  assert.equal(view.calls + calls, 0);
  assert.equal(view.exchanges, 4);
  assert.equal(view.records, (await copy.status()).seq);
});

/** A journal's file in which one text of a frame was changed, with hashes that fit again. */
function altered(text, find, put) {
  const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");
  const [manifest, ...lines] = text.trimEnd().split("\n");
  let before;
  const changed = lines.map((line) => {
    const [, frame, sealed] = /^\{"chain":"[0-9a-f]{64}","frame":(\{.*?\})(,"sealed":\{.*\})?\}$/.exec(line);
    before ??= JSON.parse(frame).prev;
    const body = frame.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${before}"`).replace(find, put);
    before = sha(before, body);
    return `{"chain":"${before}","frame":${body}${sealed ?? ""}}`;
  });
  assert.ok(changed.some((line, at) => line !== lines[at]), "something was changed");
  return [manifest.replace(/"chain":"[0-9a-f]{64}"/, `"chain":"${before}"`), ...changed, ""].join("\n");
}

test("a run that comes out otherwise is left at the first record that differs, and nobody is called", async () => {
  let calls = 0;
  const { session, questions } = await demo("courier");
  await session.say(questions.en[0], { language: "en" });
  const { records } = await session.records({ kinds: ["fact.asserted"] });
  const { text } = await session.export();
  const asserted = (value) => `"data":{"subject":"session","key":"parcel_number","value":"${value}"`;
  const journal = altered(text, asserted("SF123456789"), asserted("SF987654321"));
  const copy = await opened({ model: () => calls++ });
  await copy.import(journal);
  const view = await copy.replay();
  assert.equal(view.same, false);
  assert.equal(view.calls + calls, 0);
  assert.equal(view.divergence.seq, records[0].seq);
  assert.equal(view.divergence.path, "/data/value");
  assert.deepEqual([view.divergence.expected, view.divergence.found], ["SF987654321", "SF123456789"]);
  assert.match(view.divergence.message, new RegExp(`${records[0].seq}`));
});

test("what a model invents is refused in its words too, and the template speaks when nothing holds", async () => {
  const { session, questions } = await demo("car");
  for (const question of questions.en.slice(0, 8)) await session.say(question, { language: "en" });
  const turns = await session.turns();
  assert.deepEqual(turns.map((turn) => turn.status), Array(8).fill("answered"));
  for (const { answer } of turns) assert.doesNotMatch(answer.text, /Hybrid|Kestrel|26,900/);
  assert.equal(turns[7].answer.from, "reminder");
  const rows = (await session.metrics()).rows;
  assert.equal(rows[7].refused, 3);
});
