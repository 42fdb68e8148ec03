// Texts beyond the budget lie in the store: the answers are the same, and an opening with a snapshot reads none.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { generatedEvents, open, remove } from "../dist/node.js";

const CLOCK = 1_770_000_000_000;
const EVENTS = 30_000;

/** Opens a journal in memory, of a name that may be there already. */
async function opened(name, memoryBudget) {
  const session = await open({ name, storage: "memory", host: "here", clock: CLOCK, id: "tiers", memoryBudget });
  after(async () => {
    await session.close();
    await remove(name, { storage: "memory" });
  });
  return session;
}

/** Every answer that shows texts, as text. */
async function answers(session) {
  const { since, until } = { since: Date.UTC(2000, 0), until: Date.UTC(2100, 0) };
  const asked = await Promise.all([
    session.recall({ words: "kettle garden", limit: 50 }),
    session.recall({ entities: ["egg"], since, until, limit: 200 }),
    session.recall({ words: "harbour" }),
    session.memoryHistory("towel", { limit: 100 }),
    session.memoryLast("smelt smoke"),
    session.memoryNeighbours(CLOCK, 20),
    session.at(2).recall({ words: "milk", limit: 20 }),
    session.digests(),
  ]);
  return asked.map((one) => JSON.stringify(one));
}

async function filled(name, memoryBudget) {
  const session = await opened(name, memoryBudget);
  await session.importEvents(generatedEvents(EVENTS, 7), { rows: 5_000 });
  await session.remember({ kind: "note", text: "the ship comes into the harbour", at: CLOCK, data: { berth: 3 } });
  return session;
}

test("a session without room for texts gives the answers of one that holds them all, and says what it holds", async () => {
  const large = await filled("tiers large");
  const small = await filled("tiers small", 1_000);
  const expected = await answers(large);
  const given = await answers(small);
  for (const [n, text] of expected.entries()) assert.equal(given[n], text, `answer ${n}`);
  assert.ok(expected[0].includes("kettle") && expected[2].includes("into the harbour"));

  const [whole, tiny] = [(await large.status()).memory, (await small.status()).memory];
  assert.deepEqual([whole.budget, whole.cold_bytes, whole.bodies_read, whole.from_snapshot], [64 << 20, 0, 0, false]);
  assert.ok(whole.resident_bytes > 100_000, JSON.stringify(whole));
  assert.ok(tiny.budget === 1_000 && tiny.resident_bytes < 10_000, JSON.stringify(tiny));
  assert.equal(tiny.resident_bytes + tiny.cold_bytes, whole.resident_bytes);
  assert.ok(tiny.bodies_read > 0, JSON.stringify(tiny));
});

test("a row whose text lies in the store says so, and has it after it was fetched", async () => {
  const large = await filled("tiers rows large");
  const small = await filled("tiers rows small", 1_000);
  const found = new Uint32Array(EVENTS + 1);
  assert.equal(large.rows.window({ out: found }), EVENTS + 1);
  for (const row of [found[0], found[12_345], found[found.length - 2]]) {
    assert.equal(small.rows.text(row), "not-resident");
    // All but the text is there without it.
    assert.deepEqual([small.rows.isResident(row), small.rows.time(row)], [true, large.rows.time(row)]);
    const { rows, frames } = await small.fetchRows([row]);
    assert.deepEqual([rows, frames], [1, 1]);
    assert.equal(small.rows.text(row), large.rows.text(row));
    assert.notEqual(small.rows.text(row), "not-resident");
  }
});

for (const memoryBudget of [undefined, 1_000]) {
  test(`opened again from its snapshot, a journal reads no bodies and answers the same, with a budget of ${memoryBudget}`, async () => {
    const name = `tiers again ${memoryBudget}`;
    const first = await filled(name, memoryBudget);
    const expected = await answers(first);
    await first.close();

    const again = await opened(name, memoryBudget);
    const { memory, seq } = await again.status();
    assert.deepEqual([memory.from_snapshot, memory.bodies_read, memory.resident_bytes], [true, 0, 0]);
    assert.ok(memory.cold_bytes > 100_000, JSON.stringify(memory));
    assert.deepEqual(await answers(again), expected);
    assert.equal((await again.verify()).ok, true);
    // It is written to as before.
    await again.remember({ kind: "note", text: "the ship sails", at: CLOCK + 1 });
    assert.equal((await again.status()).seq, seq + 1);
    assert.equal((await again.recall({ words: "sails" })).hits[0].text, "the ship sails");
  });
}

test("what was purged is gone from a journal that was opened from a snapshot, and from its next snapshot", async () => {
  const first = await filled("tiers purge", 1_000);
  await first.remember({ kind: "note", text: `zanzibar ${"and so on ".repeat(1_000)}`, at: CLOCK + 5 });
  await first.close();
  const second = await opened("tiers purge", 1_000);
  const [{ id }] = (await second.recall({ words: "zanzibar" })).hits;
  await second.purge([id]);
  assert.ok(!(await second.export()).text.includes("zanzibar"));
  assert.equal((await second.recall({ words: "zanzibar" })).total, 0);
  await second.close();
  const third = await opened("tiers purge", 1_000);
  assert.ok(!(await third.export()).text.includes("zanzibar"));
  assert.equal((await third.recall({ words: "zanzibar" })).total, 0);
  assert.equal((await third.recall({ words: "harbour" })).hits[0].text, "the ship comes into the harbour");
  assert.equal((await third.verify()).ok, true);
});
