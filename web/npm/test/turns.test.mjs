// Figures, spans and replay of the agent's turns.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
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
      assert.match(key, /^(gen_ai\.(operation\.name|provider\.name|agent\.name|conversation\.id|output\.type|request\.(model|max_tokens)|response\.(finish_reasons|id|model)|usage\.(input|output)_tokens|tool\.(name|type|call\.id))|error\.type|throughline\.\w+)$/);
      const [kind] = Object.keys(value);
      assert.ok(["stringValue", "intValue", "doubleValue", "boolValue", "arrayValue"].includes(kind), key);
      if (kind === "intValue") assert.equal(typeof value.intValue, "string", "64-bit integers are texts");
    }
  }
  const of = (name) => spans.filter((span) => span.attributes.some(({ key, value }) => key === "gen_ai.operation.name" && value.stringValue === name));
  assert.equal(of("invoke_agent").length, 1);
  assert.equal(of("chat").length, 4, "interpret, plan, and decide twice");
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
