// Events of any shape: what goes in by one door goes in by the other, or is refused by both, and nothing is dropped.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open } from "../dist/node.js";

const refusal = (promise) => promise.then((value) => assert.fail(JSON.stringify(value)), (error) => error);

/** Numbers from a seed. */
function random(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const DATES = ["2026-03-01", "1969-12-31", "0001-01-01", "0000-02-29", "9999-12-31", "2024-02-29", "2023-02-29", "2026-02-30", "2026-W09-7", "20260301", "2026-060", "-000001-01-01", "2026-3-1", "2026/03/01", "2026-00-10", "2026-04-31"];
const TIMES = ["T09:00:00", "T00:00", "T24:00:00", "T23:59:60", "T23:59:61", "T09:00:00.123456789", "T09:00:00,5", "T23:59:59.9999", "t09:00:00", " 09:00:00", "T9:00:00", "T09", "T09:60:00", "", "T09:00:00.", "T12:30:15.000001"];
const ZONES = ["Z", "z", "+08:00", "-08:00", "+0530", "+05", "+24:00", "+23:59", "+08:60", "", " Z", " +01:00", "[Europe/Berlin]", "+1:00", "GMT", "+8", "+083", "-00:00"];

test("a time is read alike by `remember` and by `importEvents`, or refused by both with a code", async () => {
  const session = await open({ name: "times", host: "here", storage: "memory" });
  const pick = random(11);
  const texts = new Set();
  for (const date of DATES) for (const time of TIMES.slice(0, 5)) texts.add(date + time + "Z");
  while (texts.size < 500) texts.add(DATES[pick(DATES.length)] + TIMES[pick(TIMES.length)] + ZONES[pick(ZONES.length)]);
  let read = 0;
  for (const at of texts) {
    const one = await session.remember([{ kind: "k", at }]).then((done) => ({ id: done.result.memories[0] }), (error) => ({ code: error.code }));
    const two = await session.importEvents([{ kind: "k", at }]).then((done) => ({ id: `m_${done.records[0]}_0` }), (error) => ({ code: error.code }));
    assert.equal(one.code === undefined, two.code === undefined, `${at}: ${JSON.stringify([one, two])}`);
    if (one.code !== undefined) {
      assert.match(one.code, /^(bad-instant|zone-missing|time-out-of-range)$/, at);
      assert.match(two.code, /^(not-an-instant|time-out-of-range)$/, at);
      continue;
    }
    const hits = (await session.recall({ order: "recorded", limit: 2 })).hits;
    assert.deepEqual(hits.map((hit) => hit.id), [one.id, two.id], at);
    assert.equal(hits[0].at, hits[1].at, at);
    read += 1;
  }
  assert.ok(read > 60 && read < texts.size - 100, `${read} of ${texts.size}`);
  session.close();
});

test("an event that does not fit is named, and what came before it is in", async () => {
  const session = await open({ name: "named", host: "here", storage: "memory" });
  const events = Array.from({ length: 25 }, (_, i) => ({ kind: "k", at: i === 17 ? "soon" : i, text: `t${i}` }));
  const error = await refusal(session.importEvents(events, { source: "log", rows: 10 }));
  assert.equal(error.code, "not-an-instant");
  assert.deepEqual(error.details.details, { event: 17, imported: 10 });
  assert.match(error.message, /event 17/);
  events[17].at = 17;
  const done = await session.importEvents(events, { source: "log", rows: 10 });
  assert.deepEqual([done.count, done.duplicates], [25, 10]);
  session.close();
});

test("shuffled arrival in parts of any size, with late amendments and forgetting, gives the same content", async () => {
  const pick = random(5);
  const log = Array.from({ length: 120 }, (_, i) => ({ kind: "abc"[pick(3)], at: 1_700_000_000_000 + pick(40) * 1_000, text: `event ${i}`, entities: [`e${pick(5)}`] }));
  const shuffled = (list) => {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i -= 1) {
      const j = pick(i + 1);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  };
  const finish = async (session) => {
    const { hits } = await session.recall({ limit: 1_000 });
    const id = (text) => hits.find((hit) => hit.text === text).id;
    assert.equal(hits.length, log.length);
    for (const n of shuffled([3, 50, 119])) await session.amend(id(`event ${n}`), { at: 1_600_000_000_000 + n });
    await session.forget([id("event 7"), id("event 60")]);
    const { content } = await session.digests();
    const order = (await session.recall({ limit: 1_000 })).hits.map((hit) => hit.text);
    session.close();
    return { content, order };
  };
  let count = 0;
  const fresh = () => open({ name: `arrival-${(count += 1)}`, host: "here", storage: "memory" });
  const plain = [];
  for (const rows of [7, 50, 1_000]) {
    const session = await fresh();
    await session.importEvents(shuffled(log), { rows });
    plain.push((await finish(session)).content);
  }
  const one = await fresh();
  for (const event of shuffled(log)) await one.remember([event]);
  plain.push((await finish(one)).content);
  assert.equal(new Set(plain).size, 1, "without a source");

  // With a source each event has its number there, and ties keep the order of the log.
  const from = [];
  for (const rows of [7, 50, 1_000]) {
    const session = await fresh();
    await session.importEvents(log, { source: "log", rows });
    from.push(await finish(session));
  }
  const each = await fresh();
  for (const [event, seq] of shuffled(log.map((event, seq) => [event, seq]))) await each.remember([event], { origin: { source: "log", seq } });
  from.push(await finish(each));
  const columns = await fresh();
  const order = shuffled(log.map((_, i) => i));
  const kinds = ["a", "b", "c"];
  await columns.importEvents({
    at: order.map((i) => log[i].at),
    kinds,
    kind: order.map((i) => kinds.indexOf(log[i].kind)),
    text: order.map((i) => log[i].text),
    entities: ["e0", "e1", "e2", "e3", "e4"],
    entityCount: order.map(() => 1),
    entity: order.map((i) => Number(log[i].entities[0][1])),
    place: order,
  }, { source: "log", rows: 13 });
  from.push(await finish(columns));
  for (const other of from) assert.deepEqual(other, from[0], "with a source");
});
