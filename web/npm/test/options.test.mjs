// Options are checked before anything is opened: what is not understood is refused with a code and the nearest name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ThroughlineError, open, remove } from "../dist/node.js";

async function refused(call, code, words) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ThroughlineError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  });
}

test("an option that there is not is refused with the nearest name", async () => {
  await refused(open({ name: "a", storge: "memory" }), "unknown-option", /did you mean `storage`\?/);
  await refused(open({ name: "a", qqqqqqqq: 1 }), "unknown-option", /the options are/);
  await refused(remove("a", { strage: "memory" }), "unknown-option", /`storage`/);
});

test("an option with a wrong value is refused with what it must be, and never with another error", async () => {
  for (const [options, code, words] of [
    [undefined, "bad-option", /a map of options/],
    ["a", "bad-option", /a map of options/],
    [{}, "missing-name", /by a name/],
    [{ name: "a", storage: "disk" }, "bad-option", /`indexeddb` or `memory`/],
    [{ name: "a", host: "there" }, "bad-option", /`worker` or `here`/],
    [{ name: "a", documents: {} }, "bad-option", /a list/],
    [{ name: "a", tools: { t: 1 } }, "bad-option", /run\(args/],
    [{ name: "a", model: {} }, "bad-option", /a function/],
    [{ name: "a", clock: "yesterday" }, "not-an-instant", /no instant/],
    [{ name: "a", id: 7 }, "bad-option", /a text/],
  ]) {
    await refused(open(options), code, words);
  }
});

test("a worker where there are none is refused with what to do", async () => {
  await refused(open({ name: "a", storage: "memory", host: "worker" }), "no-workers", /host: "here"/);
});

test("what is given beside the arguments of a method cannot take their place", async () => {
  const session = await open({ name: "beside", storage: "memory" });
  await session.assertFact("a", 1, { key: "b", value: 2, type: "retract_fact" });
  const { facts } = await session.facts();
  assert.deepEqual(facts.map(({ key, value }) => [key, value]), [["a", 1]]);
  await session.close();
  await remove("beside", { storage: "memory" });
});

test("meta that cannot be read is refused on record", async () => {
  const session = await open({ name: "meta", storage: "memory" });
  await refused(session.assertFact("a", 1, {}, { turn: "seven" }), "wrong-type", /./);
  const problems = await session.problems();
  assert.equal(problems.length, 1);
  await session.close();
  await remove("meta", { storage: "memory" });
});
