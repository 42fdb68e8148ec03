// The memory through the package: methods, rows, imports, purges.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "node:http";
import { endpointEmbedder, generatedEvents, staticEmbedder } from "../dist/node.js";
import { opened, refusal } from "./help.mjs";

const at = (n) => 1_770_000_000_000 + n * 1_000;

async function kitchen() {
  const session = await opened();
  await session.remember([
    { kind: "put", text: "the pan is on the stove", at: at(3), entities: ["pan", "stove"] },
    { kind: "came in", text: "the pan comes in", at: at(1), entities: ["pan"] },
    { kind: "put", text: "the kettle is on the stove", at: at(5), until: at(9), entities: ["kettle", "stove"] },
  ]);
  return session;
}

test("every question to the memory has a method, and a view at a moment answers as of it", async () => {
  const session = await kitchen();
  await session.amend("m_1_0", { at: at(6) });
  assert.deepEqual((await session.memoryHistory("stove")).hits.map((h) => h.id), ["m_1_2", "m_1_0"]);
  assert.deepEqual((await session.at(1).memoryHistory("stove")).hits.map((h) => h.id), ["m_1_0", "m_1_2"]);
  assert.equal((await session.memoryLast("put", { before: at(6) })).id, "m_1_2");
  assert.equal((await session.memoryLast("put", { entity: "pan" })).id, "m_1_0");
  assert.equal(await session.memoryLast("nothing of the kind"), null);
  const counts = await session.memoryCounts({ since: at(0), until: at(10), buckets: 2, kinds: ["put", "came in"] });
  assert.deepEqual(counts.counts, [[0, 1], [2, 0]]);
  const near = await session.memoryNeighbours(at(5), 1);
  assert.deepEqual([near.before[0].id, near.after[0].id], ["m_1_1", "m_1_2"]);
  assert.equal((await session.memoryMoments({ tolerance: 1_000 })).length, 2);
  assert.deepEqual((await session.memoryRelated("m_1_2", "during")).map((e) => e.id), ["m_1_0"]);
  assert.equal((await session.memoryEpisodes())[0].count, 3);
  assert.equal((await session.memoryTree()).parts[0].live, 3);
  assert.equal((await session.memoryForgetting({ keep_events: 1 })).length, 2);
  assert.equal((await refusal(session.memoryRelated("m_1_2", "besides"))).code, "unknown-relation");
});

test("a fact in rows is what a view says of it, of every kind of value and at every record", async () => {
  const session = await opened();
  const values = [20_000, -1, 0, "0", 91.7, true, null, [1, "x"], { a: 1 }, 9_007_199_254_740_993n, 9_007_199_254_740_991];
  for (const value of values) await session.assertFact("wish", value);
  await session.assertFact("wish", "other", { subject: "guest" });
  for (let seq = 0; seq <= values.length + 1; seq += 1) {
    assert.deepEqual(session.rows.fact("wish", seq), await session.at(seq).fact("wish"), `record ${seq}`);
  }
  assert.deepEqual(session.rows.fact("wish"), await session.fact("wish"));
  assert.equal(session.rows.fact("wish", NaN, "guest"), "other");
  assert.equal(session.rows.fact("nothing"), undefined);
  assert.equal(session.rows.fact("wish", 1_000), undefined);
  // More facts than have numbers at a time.
  for (let n = 0; n < 70_000; n += 1) assert.equal(session.rows.fact(`k${n}`), undefined);
  assert.equal(session.rows.fact("wish", 1), 20_000);
  await session.close();
});

test("rows give what queries give, and keep their numbers", async () => {
  const session = await kitchen();
  const { rows } = session;
  const out = new Uint32Array(10);
  const put = rows.kindNumber("put");
  assert.equal(rows.window({ from: at(0), to: at(10), kinds: [put], out }), 2);
  assert.deepEqual([...out.subarray(0, 2)].map((row) => [rows.id(row), rows.time(row), rows.text(row)]), [
    ["m_1_0", at(3), "the pan is on the stove"],
    ["m_1_2", at(5), "the kettle is on the stove"],
  ]);
  assert.equal(rows.window({ from: at(0), to: at(10) }), 3);
  assert.deepEqual([...rows.foundTimes], [at(1), at(3), at(5)]);
  assert.equal(rows.last(put, at(5)), out[0]);
  // A number that no kind has is not that of another one.
  for (const none of [-1, NaN, 65_535, 65_536 + put, 2 ** 32 + put]) {
    assert.equal(rows.last(none), -1, `the last of kind ${none}`);
    assert.equal(rows.window({ kinds: [none] }), 0, `kind ${none}`);
    assert.equal(rows.words("kettle", { kinds: [none] }), 0, `words of kind ${none}`);
  }
  // What is no time is refused, not taken for 1970.
  const notTime = { code: "not-an-instant" };
  assert.throws(() => rows.window({ from: NaN }), notTime);
  assert.throws(() => rows.window({ to: NaN }), notTime);
  assert.throws(() => rows.last(put, NaN), notTime);
  assert.throws(() => rows.history(0, { to: NaN }), notTime);
  assert.throws(() => rows.counts({ from: NaN, to: at(10), parts: 2 }), notTime);
  assert.throws(() => rows.drawn({ from: at(0), to: NaN, parts: 2 }), notTime);
  assert.throws(() => rows.words("kettle", { from: NaN }), notTime);
  // More kinds than are written in place, and what follows them.
  assert.equal(rows.window({ kinds: Array.from({ length: 40 }, (_, n) => 100 + n) }), 0);
  assert.equal(rows.window({ kinds: Array.from({ length: 40 }, (_, n) => n) }), 3);
  assert.equal(rows.window({ kinds: [put] }), 2);
  assert.equal(rows.words("kettle", { kinds: [] }), 1);
  assert.equal(rows.window({}), 3);
  assert.equal(rows.window({ from: at(0), to: at(10), kinds: [put], out }), 2);
  assert.equal(rows.history(rows.entityNumber("stove"), { out }), 2);
  assert.equal(rows.id(out[0]), "m_1_2");
  assert.equal(rows.counts({ from: at(0), to: at(10), parts: 2, out }), 2);
  assert.deepEqual([...out.subarray(0, 4)], [1, 1, 1, 0]);
  assert.equal(rows.words("kettle", { out }), 1);
  const kettle = out[0];
  await session.forget(["m_1_2"]);
  assert.equal(rows.words("kettle", { out }), 0);
  assert.equal(rows.text(kettle), "the kettle is on the stove");
  await session.purge(["m_1_2"]);
  assert.deepEqual([rows.text(kettle), rows.isResident(kettle), rows.time(kettle)], ["not-resident", false, NaN]);
  await session.remember({ kind: "put", text: "something else", at: at(2) });
  assert.ok(rows.row("m_4_0") > kettle);
});

test("many events are imported in parts, with progress, can be stopped, and come once from one source", async () => {
  const session = await opened();
  const events = generatedEvents(5_000, 3);
  const seen = [];
  const done = await session.importEvents(events, { rows: 2_000, source: "robot", onProgress: ({ done }) => seen.push(done) });
  assert.deepEqual([done.count, done.duplicates, done.cancelled, seen], [5_000, 0, false, [2_000, 4_000, 5_000]]);
  const { content } = await session.digests();
  const again = await session.importEvents(events, { rows: 2_000, source: "robot" });
  assert.equal(again.duplicates, 5_000);
  assert.equal((await session.digests()).content, content);
  const total = (await session.recall({ limit: 1 })).total;
  assert.equal(total, 5_000);
  // The same through the other way in, one by one and packed as text.
  const one = await opened();
  const stop = new AbortController();
  async function* items() {
    for (let i = 0; i < 5_000; i += 1) {
      const own = [events.entities[events.entity[i * 2]], events.entities[events.entity[i * 2 + 1]]];
      yield { kind: events.kinds[events.kind[i]], text: events.text[i], at: events.at[i], entities: own, importance: events.importance[i] };
    }
  }
  await one.importEvents(items(), { rows: 1_500 });
  const texts = async (of) => (await of.recall({ words: "smelt smoke garden", limit: 20 })).hits.map((h) => h.text);
  assert.deepEqual(await texts(one), await texts(session));
  const counts = { since: events.at[0], until: events.at[4_999], buckets: 7 };
  assert.deepEqual(await one.memoryCounts(counts), await session.memoryCounts(counts));
  const other = await opened();
  const stopped = await other.importEvents(events, { rows: 1_000, signal: stop.signal, onProgress: () => stop.abort() });
  assert.deepEqual([stopped.count, stopped.cancelled], [1_000, true]);
  const { text } = await session.export();
  const copy = await opened();
  await copy.import(text);
  assert.equal((await copy.digests()).content, content);
});

test("columns as text give what columns as arrays give", async () => {
  const { command, partsOf } = await import("../dist/importing.js");
  const events = generatedEvents(3_000, 5);
  const [direct, packed] = [await opened(), await opened()];
  await direct.importEvents(events);
  for (const part of partsOf(events, 100_000)) await packed.execute(command(part));
  assert.equal((await packed.digests()).content, (await direct.digests()).content);
});

test("vectors are found by nearness, within a window and fused with words", async () => {
  const session = await opened();
  const size = 24;
  const count = 500;
  const vector = Float32Array.from({ length: count * size }, (_, i) => Math.sin(i * 12.9898) );
  const times = Float64Array.from({ length: count }, (_, i) => at(i));
  await session.importEvents({ at: times, kinds: ["note"], vector, vectorSize: size, text: Array.from({ length: count }, (_, i) => `note ${i}`) });
  const query = vector.slice(123 * size, 124 * size);
  const out = new Uint32Array(5);
  assert.equal(session.rows.nearest(query, { out }), 5);
  assert.equal(session.rows.id(out[0]), "m_1_123");
  assert.equal(session.rows.nearest(query, { from: at(200), to: at(210), out }), 5);
  assert.ok([...out].every((row) => session.rows.time(row) >= at(200) && session.rows.time(row) < at(210)));
  const page = await session.recall({ vector: [...query], words: "note 7", limit: 3 });
  assert.match(page.hits[0].why, /cosine|words/);
  assert.equal((await session.recall({ vector: [...query], limit: 1 })).hits[0].id, "m_1_123");
});

test("every component of a vector counts, whatever their number", async () => {
  for (const size of [1, 2, 7, 8, 9, 16, 31, 57, 63, 64, 65, 100, 127, 128, 256, 300]) {
    const session = await opened();
    const count = 400;
    // All point the same way but for the oldest, which alone points where the last component does.
    const vector = new Float32Array(count * size);
    for (let i = 0; i < count; i += 1) vector[i * size] = size === 1 && i === 0 ? -1 : 1;
    if (size > 1) vector[0] = 0;
    vector[size - 1] = size === 1 ? -1 : 1;
    await session.importEvents({ at: Float64Array.from({ length: count }, (_, i) => at(i)), kinds: ["note"], vector, vectorSize: size });
    const query = new Float32Array(size);
    query[size - 1] = size === 1 ? -1 : 1;
    const out = new Uint32Array(1);
    assert.equal(session.rows.nearest(query, { out }), 1);
    assert.equal(out[0], 0, `${size} components`);
    await session.close();
  }
});

test("a purge is gone from the export, and the journal still verifies", async () => {
  const session = await opened();
  await session.remember({ kind: "note", text: "tangerine" }, { idempotency_key: "once" });
  await session.remember({ kind: "note", text: "something plain" });
  assert.match((await session.export()).text, /tangerine/);
  await session.purge(["m_1_0"], { reason: "asked for" });
  assert.doesNotMatch((await session.export()).text, /tangerine/);
  assert.equal((await session.verify()).ok, true);
  assert.deepEqual((await session.memoryPurged()).map(({ id, reason }) => [id, reason]), [["m_1_0", "asked for"]]);
});

test("vectors come from an endpoint, in order and in batches, and its key is in no error", async () => {
  const asked = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const { input } = JSON.parse(body);
      asked.push([request.headers.authorization, input.length]);
      if (input.includes("fail")) return void response.writeHead(500).end();
      const data = input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse();
      response.end(JSON.stringify({ data }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/v1/embeddings`;
  const embed = endpointEmbedder({ url, model: "m", key: "secret-key", batch: 2 });
  assert.deepEqual((await embed(["a", "bb", "ccc"])).map(([n]) => n), [1, 2, 3]);
  assert.deepEqual(asked, [["Bearer secret-key", 2], ["Bearer secret-key", 1]]);
  const error = await refusal(embed(["fail"]));
  assert.equal(error.code, "embedding-failed");
  assert.doesNotMatch(error.message, /secret/);
  server.close();
});

test("vectors come from a static model that a person opens, and what is alike in meaning is found", async () => {
  const vocab = { stove: 0, cook: 1, "##er": 2, garden: 3, 锅: 4 };
  const table = [[1, 0, 0], [0.9, 0.1, 0], [0.9, 0, 0.1], [0, 0, 1], [0.8, 0.2, 0]];
  const header = JSON.stringify({ embeddings: { dtype: "F32", shape: [5, 3], data_offsets: [0, 60] } });
  const bytes = new Uint8Array(8 + header.length + 60);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(header.length), true);
  bytes.set(new TextEncoder().encode(header), 8);
  table.flat().forEach((x, i) => view.setFloat32(8 + header.length + i * 4, x, true));
  const embed = staticEmbedder(bytes.buffer, JSON.stringify({ model: { vocab } }));
  const texts = ["Stove", "the garden", "锅"];
  const vectors = await embed(texts);
  const session = await opened();
  await session.remember(texts.map((text, i) => ({ kind: "n", text, vector: [...vectors[i]] })));
  const [query] = await embed(["cooker"]);
  const { hits } = await session.recall({ vector: [...query] });
  assert.deepEqual(hits.map((h) => h.text), ["Stove", "锅", "the garden"]);
  assert.throws(() => staticEmbedder(new ArrayBuffer(16), "{}"), { code: "bad-model" });
});

test("columns that do not fit are refused before anything goes in, never cut or wrapped round", async () => {
  const session = await opened();
  const one = { at: [1], kinds: ["a"] };
  const cases = [
    [{ ...one, at: [NaN] }, "bad-column"],
    [{ ...one, at: [1.5] }, "bad-column"],
    [{ ...one, at: new Float64Array([Infinity]) }, "bad-column"],
    [{ ...one, kind: [65_536] }, "bad-column"],
    [{ ...one, kind: new Uint32Array([65_536]) }, "bad-column"],
    [{ ...one, kind: [0.5] }, "bad-column"],
    [{ ...one, entities: ["p"], entityCount: new Uint32Array([2]), entity: new Uint32Array([0, 0, 0]) }, "bad-column"],
    [{ ...one, kind: ["a"] }, "bad-column"],
    [{ ...one, entities: ["p"], entityCount: [-1], entity: [0] }, "bad-column"],
    [{ ...one, entities: ["p"], entityCount: [2], entity: [0] }, "bad-column"],
    [{ ...one, entities: ["p"], entityCount: [1], entity: [0, 0] }, "bad-column"],
    [{ ...one, entities: ["p"], entity: [0] }, "bad-column"],
    [{ ...one, lasts: [-7] }, "bad-column"],
    [{ ...one, lasts: [NaN] }, "bad-column"],
    [{ ...one, place: [-1] }, "bad-column"],
    [{ ...one, importance: [5] }, "importance-out-of-range"],
    [{ ...one, text: [5] }, "bad-column"],
    [{ ...one, texts: ["a"] }, "bad-column"],
    [[{ kind: "a", at: "2026-02-30T00:00:00Z" }], "not-an-instant"],
    [[{ kind: "a", at: "March 1, 2026 Z" }], "not-an-instant"],
    [[{ kind: "a", at: 5, until: 1 }], "ends-before-begin"],
    [[{ kind: "a", at: 5, importance: 7 }], "importance-out-of-range"],
    [[{ kind: "a", at: 5, txt: "oops" }], "unknown-field"],
    [[{ at: 5 }], "missing-field"],
  ];
  for (const [events, code] of cases) {
    assert.equal((await refusal(session.importEvents(events))).code, code, JSON.stringify(events));
  }
  assert.equal((await refusal(session.importEvents(one, { rows: 1.5 }))).code, "bad-rows");
  assert.equal((await refusal(session.importEvents(one, { rows: 0 }))).code, "bad-rows");
  assert.equal((await session.recall({ limit: 0 })).total, 0);
  await session.importEvents([{ kind: "a", at: "2024-02-29T23:30:00.5+08:00" }]);
  assert.equal((await session.memoryLast("a")).at, Date.parse("2024-02-29T15:30:00.500Z"));
});

test("importing again in parts of another size, or a log that has grown, adds what is new and nothing twice", async () => {
  const items = (count) => Array.from({ length: count }, (_, i) => ({ kind: "k", at: at(i), text: `t${i}`, entities: i % 3 === 0 ? ["e"] : [] }));
  const columns = (count) => ({
    at: items(count).map((e) => e.at),
    kinds: ["k"],
    text: items(count).map((e) => e.text),
    entities: ["e"],
    entityCount: items(count).map((e) => e.entities.length),
    entity: items(count).flatMap((e) => e.entities.map(() => 0)),
  });
  for (const make of [items, columns]) {
    const session = await opened();
    const give = async (count, rows) => {
      const { count: all, duplicates, cancelled } = await session.importEvents(make(count), { source: "log", rows });
      assert.equal(cancelled, false);
      return [all, duplicates, (await session.recall({ limit: 0 })).total];
    };
    assert.deepEqual(await give(500, 200), [500, 0, 500]);
    assert.deepEqual(await give(500, 70), [500, 500, 500]);
    assert.deepEqual(await give(500, 400), [500, 500, 500]);
    assert.deepEqual(await give(1_000, 800), [1_000, 500, 1_000]);
    assert.deepEqual(await give(250, 100), [250, 250, 1_000]);
    assert.equal((await session.memoryHistory("e", { limit: 1_000 })).total, 334);
    const texts = (await session.recall({ limit: 1_000 })).hits.map((hit) => hit.text);
    assert.deepEqual(texts, items(1_000).map((e) => e.text));
    // Other events under the same name are not dropped in silence.
    const other = await refusal(session.importEvents(items(3).map((item) => ({ ...item, at: item.at + 1 })), { source: "log" }));
    assert.equal(other.code, "source-differs");
  }
});

test("what stands in for half a character, and times that are none, are refused with a code and never taken for others", async () => {
  const session = await opened();
  const [high, low] = ["\ud83d", "\ude00"];
  const refused = [
    [[{ kind: "k", text: `a${high}`, at: 1 }, { kind: "k", text: `${low}b`, at: 2 }], "unwritable-value"],
    [[{ kind: `k${high}`, at: 1 }], "unwritable-value"],
    [[{ kind: "k", at: 1, entities: [low] }], "unwritable-value"],
    [{ at: [1, 2], kinds: ["k"], text: [high, low] }, "unwritable-value"],
    [{ at: [1], kinds: [low] }, "unwritable-value"],
    [[{ kind: "k", at: true }], "not-an-instant"],
    [[{ kind: "k", at: {} }], "not-an-instant"],
    [[{ kind: "k", at: null }], "missing-field"],
    [{ at: [5n], kinds: ["k"] }, "bad-column"],
    [[{ kind: "k", at: 253_402_214_400_000 }], "time-out-of-range"],
    [{ at: [-377_705_030_400_001], kinds: ["k"] }, "bad-column"],
  ];
  for (const [events, code] of refused) assert.equal((await refusal(session.importEvents(events))).code, code);
  assert.equal((await session.recall({ limit: 0 })).total, 0);
  await session.importEvents([{ kind: "k", at: new Date(5), text: "😀" }, { kind: "k", at: 7n, until: null }]);
  assert.deepEqual((await session.recall()).hits.map((hit) => [hit.at, hit.text]), [[5, "😀"], [7, ""]]);
});

test("rows that hold words begin in the window, and counts for drawing need no ends", async () => {
  const session = await opened();
  await session.remember([{ kind: "a", text: "long kettle", at: at(0), until: at(9) }, { kind: "b", text: "kettle", at: at(5) }]);
  const { rows } = session;
  const out = new Uint32Array(1_000);
  assert.equal(rows.words("kettle", { from: at(3), to: at(8), out }), 1);
  assert.equal(rows.id(out[0]), "m_1_1");
  assert.equal((await session.recall({ words: "kettle", since: at(3), until: at(8) })).total, 2);
  for (const [from, to] of [[-Infinity, Infinity], [at(0), Infinity], [-Infinity, at(6)], [at(-1e6), at(1e6)]]) {
    const { parts } = rows.drawn({ from, to, parts: 10, out });
    assert.equal(out.subarray(0, parts * 16).reduce((sum, n) => sum + n, 0), 2, `${from} to ${to}`);
  }
});

test("a total counts what words and vectors found once, beyond what is ranked, too", async () => {
  const session = await opened();
  const many = 1_500;
  const vector = Float32Array.from({ length: 2 * many }, (_, i) => 1 + i);
  await session.importEvents({ at: Float64Array.from({ length: many }, (_, i) => at(i)), kinds: ["a"], text: Array(many).fill("pan") });
  await session.importEvents({ at: Float64Array.from({ length: many }, (_, i) => at(i)), kinds: ["a"], text: Array.from({ length: many }, (_, i) => (i % 3 ? "stove" : "pan")), vector, vectorSize: 2 });
  const page = await session.recall({ words: "pan", vector: [1, 0], limit: 5 });
  assert.deepEqual([page.total, page.hidden], [2 * many, { limit: 2 * many - 5 }]);
  const around = await session.recall({ words: "pan", also_by: ["episode"], limit: 5 });
  assert.ok(around.total >= many + many / 3 && around.total <= 2 * many, String(around.total));
});

test("more parts than can be counted are refused, and the engine lives on", async () => {
  const { rows } = await kitchen();
  for (const parts of [0, 1e9, NaN, -1]) assert.throws(() => rows.counts({ from: 0, to: 10, parts }), { code: "bad-buckets" });
  assert.equal(rows.window({}), 3);
});

test("kinds have their own names whatever signs stand in them", async () => {
  const session = await opened();
  const kinds = ["a\nb", "c\\n", "d\\", "e"];
  await session.remember(kinds.map((kind, i) => ({ kind, at: at(i) })));
  assert.deepEqual(session.rows.kindNames(), kinds);
  for (const [i, kind] of kinds.entries()) assert.equal(session.rows.kindNumber(kind), i);
});
