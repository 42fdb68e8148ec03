import assert from "node:assert/strict";
import { test } from "node:test";
import { ThroughlineError, list, open, remove } from "../dist/node.js";
import { opened, refusal } from "./help.mjs";

const domain = {
  name: "shop",
  entity_types: {
    order: { fields: { status: { type: "text" }, total: { type: "decimal" } } },
    person: { fields: { name: { type: "text" } } },
  },
  relations: { ordered_by: { from: ["order"], to: ["person"] } },
  facts: { budget: { value: { type: "decimal" } }, city: {} },
  machine: {
    id: "order",
    initial: "open",
    states: { open: { on: { PAY: "paid" } }, paid: { type: "final" } },
  },
};

test("facts have versions, and a view at a moment shows what stood there", async () => {
  const session = await opened();
  const first = await session.assertFact("budget", 20_000, {}, { reason: "said at the start" });
  await session.advance(60_000);
  await session.assertFact("budget", 18_000);
  assert.equal(await session.fact("budget"), 18_000);
  const then = session.at(first.records[0]);
  assert.equal(await then.fact("budget"), 20_000);
  assert.equal(await session.at({ recorded_at: 1_770_000_030_000 }).fact("budget"), 20_000);
  assert.deepEqual((await session.factHistory("budget")).map((fact) => [fact.version, fact.value]), [
    [1, 20_000],
    [2, 18_000],
  ]);
  const { chain } = await session.why({ key: "budget" });
  assert.ok(chain.length > 0, "a value says why it is what it is");
  await session.retractFact("budget");
  assert.equal(await session.fact("budget"), undefined);
  assert.equal((await session.record(1)).record.reason, "said at the start");
});

test("entities, relations, the machine, memories and events are changed and read by methods of their own", async () => {
  const session = await opened({ domain });
  const order = (await session.registerEntity("order", "A-17", { fields: { status: "new" } })).result.entity;
  const person = (await session.registerEntity("person", "Ada")).result.entity;
  await session.updateEntity(order, { status: "packed", total: 91.5 });
  const { result } = await session.addRelation(order, "ordered_by", person);
  assert.equal(typeof result.relation, "string");
  const detail = await session.entity("A-17");
  assert.deepEqual([detail.entity.fields.status, detail.relations.length], ["packed", 1]);
  assert.equal((await session.entities({ entity_type: "order" })).length, 1);

  assert.deepEqual((await session.machine()).state, ["open"]);
  await session.sendEvent("PAY");
  assert.deepEqual((await session.machine()).state, ["paid"]);

  await session.remember({ kind: "note", text: "Ada called about her order", entities: [person] });
  const page = await session.recall({ words: "order" });
  assert.deepEqual(page.hits.map((hit) => hit.kind), ["note"]);

  await session.scheduleEvent("reminder", { delay: "PT24H", do: [{ type: "assert_fact", key: "city", value: "reminded" }] });
  await session.advance(3_600_000);
  assert.equal(await session.fact("city"), undefined);
  await session.advance(24 * 3_600_000);
  assert.equal(await session.fact("city"), "reminded");
  const timeline = await session.timeline();
  assert.equal(timeline.seq.length, (await session.status()).seq);
});

test("a refused command says its code and place, is on record, and leaves the content as it was", async () => {
  const session = await opened({ domain });
  const before = await session.digests();
  for (const [command, code, path] of [
    [{ type: "assert_fact", key: "budget", valeu: 1 }, "unknown-field", "/valeu"],
    [{ type: "register_entity", entity_type: "order", raw_id: "B", fields: { colour: "red" } }, undefined, "/fields/colour"],
    [{ type: "send_event", event: "SHIP" }, undefined, undefined],
    [{ type: "start_run", plan: "$x = COMPUTE $y + 1" }, undefined, undefined],
    [{ type: "assert_fcat" }, "unknown-command", "/type"],
    ['{"type": "tick"', "json-syntax", undefined],
  ]) {
    const error = await refusal(session.execute(command));
    assert.ok(error instanceof ThroughlineError, String(error));
    assert.match(error.code, /^[a-z][a-z-]*$/);
    if (code !== undefined) assert.equal(error.code, code);
    if (path !== undefined) assert.equal(error.details.path, path);
    assert.equal((await session.digests()).content, before.content, `${error.code} changed something`);
  }
  assert.ok((await session.digests()).seq > before.seq, "refusals are on record");
  const slip = await refusal(session.execute({ type: "assert_fcat" }));
  assert.match(slip.details.suggestion, /assert_fact/);
  const bad = await refusal(session.execute('{"type": tick}'));
  assert.equal(bad.details.span.start, 9);
});

test("eight identical writes at once give one version and no error, from one session and from two", async () => {
  const one = await opened();
  const two = await opened({ name: one.name });
  const write = (session) => session.assertFact("city", "Shanghai");
  const done = await Promise.all([...Array(4).fill(one), ...Array(4).fill(two)].map(write));
  assert.equal(done.filter(({ result }) => result.unchanged === false).length, 1);
  await two.settled();
  for (const session of [one, two]) {
    assert.equal((await session.factHistory("city")).length, 1);
    assert.equal((await session.status()).seq, 1);
  }
});

test("two sessions of one journal see each other's changes and agree on every digest", async () => {
  const one = await opened();
  const two = await opened({ name: one.name });
  const seen = new Promise((resolve) => two.subscribe(({ seq }) => seq >= 1 && resolve(seq)));
  await one.assertFact("a", 1);
  assert.equal(await seen, 1);
  assert.equal(await two.fact("a"), 1);
  await Promise.all([one.assertFact("b", 1), two.assertFact("c", 2), one.assertFact("d", 3), two.assertFact("e", 4)]);
  await one.assertFact("f", 5);
  await two.assertFact("g", 6);
  await two.settled();
  await one.assertFact("h", 7);
  assert.deepEqual(await two.digests(), await one.digests());
});

test("a listener hears of every change until it is taken away", async () => {
  const session = await opened();
  const heard = [];
  const stop = session.subscribe(({ seq }) => heard.push(seq));
  await session.assertFact("a", 1);
  await session.assertFact("a", 2);
  stop();
  await session.assertFact("a", 3);
  assert.deepEqual(heard, [1, 2]);
});

test("a batch is all or none", async () => {
  const session = await opened();
  const good = { type: "assert_fact", key: "a", value: 1 };
  await refusal(session.batch([good, { type: "retract_fact", key: "nothing" }, { type: "cancel_run", run: "none" }]));
  assert.equal(await session.fact("a"), undefined);
  await session.batch([good, { type: "assert_fact", key: "b", value: 2 }]);
  assert.deepEqual([await session.fact("a"), await session.fact("b")], [1, 2]);
});

test("journals are listed and removed by name, and a closed session refuses everything", async () => {
  const session = await open({ name: "to be removed" });
  await session.assertFact("a", 1);
  const mine = (await list()).find((journal) => journal.name === "to be removed");
  assert.deepEqual([mine.seq, mine.storage, mine.error], [1, "memory", null]);
  await session.close();
  await session.close();
  assert.equal((await refusal(session.facts())).code, "session-closed");
  assert.equal((await refusal(session.assertFact("a", 2))).code, "session-closed");
  const again = await open({ name: "to be removed" });
  assert.equal(await again.fact("a"), 1, "the journal stayed");
  await remove("to be removed");
  const error = await refusal(again.assertFact("a", 2));
  assert.equal(error.code, "store-gone");
  await again.close();
  assert.equal((await list()).some((journal) => journal.name === "to be removed"), false);
});

test("a journal is opened by a name, and a database is not pretended where there is none", async () => {
  assert.equal((await refusal(open({ name: "" }))).code, "missing-name");
  assert.equal((await refusal(open({ name: "x", storage: "indexeddb" }))).code, "store-unavailable");
  assert.equal((await refusal(remove("x", { storage: "tape" }))).code, "unknown-storage");
  assert.equal((await refusal(open({ name: "x", clock: "yesterday" }))).code, "not-an-instant");
});

test("the same inputs under the same id give the same bytes", async () => {
  const run = async () => {
    const session = await open({ name: "twin", id: "twin", clock: 0, domain });
    await session.assertFact("budget", 1);
    await session.advance(5);
    await session.registerEntity("order", "A");
    const { text } = await session.export();
    await session.close();
    await remove("twin");
    return text;
  };
  assert.equal(await run(), await run());
});
