// Forks with interventions through the package: another session, and a report of what became of everything.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ThroughlineError, open, remove } from "../dist/node.js";

const NOW = 1_770_000_000_000;

async function calling() {
  let calls = 0;
  const tools = {
    price: {
      effect: "read",
      run: ({ of }) => {
        calls += 1;
        return `${of}!`;
      },
    },
  };
  const session = await open({ name: "fork", storage: "memory", clock: NOW, id: "fork", domain: { name: "d" }, tools });
  await session.assertFact("item", "tea");
  const { result } = await session.startRun([{ id: "p", op: "CALL", args: { tool: "price", arguments: { of: "=facts.item" } } }]);
  await finished(session, result.run);
  return { session, calls: () => calls };
}

async function finished(session, run) {
  for (let looked = 0; looked < 200; looked++) {
    const view = await session.run(run);
    if (view.row.status !== "running") return view;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("the run did not end");
}

async function drop(...sessions) {
  for (const session of sessions) {
    await session.close();
    await remove(session.name, { storage: "memory" });
  }
}

test("a fork reuses what a tool gave, and calls it only for something new", async () => {
  const { session, calls } = await calling();
  const { seq } = await session.status();
  const same = await session.fork({ at: 1, until: seq });
  assert.deepEqual(same.report.effects.map(({ how }) => how), ["reused"]);
  assert.equal(calls(), 1);
  assert.deepEqual(await session.diff(same.session), { changes: [] });
  const command = { type: "assert_fact", key: "item", value: "coffee" };
  const other = await session.fork({ interventions: [{ type: "replace", seq: 2, command }] });
  assert.deepEqual(other.report.effects.map(({ how }) => how), ["dropped", "recomputed"]);
  const view = await finished(other.session, "");
  assert.equal(view.steps[0].output, "coffee!");
  assert.equal(calls(), 2);
  await drop(session, same.session, other.session);
});

test("what would not be without a record is said, and what cannot be forked is refused", async () => {
  const { session } = await calling();
  const without = await session.without(2);
  assert.ok(without.changes.some(({ area, id, change }) => area === "fact" && id === "item" && change === "removed"));
  await assert.rejects(session.fork({ at: 999 }), (error) => error instanceof ThroughlineError && error.code === "beyond-head");
  await assert.rejects(session.fork({ untill: 1 }), (error) => error.code === "unknown-option");
  await drop(session);
});

test("a tool call in a provider's shape is answered in that shape, and a refused one says so to the model", async () => {
  const { session } = await calling();
  const tools = await session.query({ type: "tool_definitions", shape: "openai" });
  assert.ok(tools.some((tool) => tool.function.name === "ASSERT_FACT"));
  const call = (args) => ({ id: "c1", type: "function", function: { name: "ASSERT_FACT", arguments: JSON.stringify(args) } });
  const done = await session.callTool(call({ key: "budget", value: 5, reason: "said" }));
  assert.equal(done.result.reply.tool_call_id, "c1");
  await assert.rejects(session.callTool(call({ key: "budget" })), (error) => {
    assert.equal(error.code, "tool-arguments");
    assert.match(error.details.details.reply.content, /tool-arguments/);
    return true;
  });
  await drop(session);
});
