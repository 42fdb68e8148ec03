// The engine as tools for somebody else's loop: every shape comes back by the same door.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aiSdkTools, handleToolCall, toolDefinitions, toolsOf } from "../dist/tools.js";
import { opened } from "./help.mjs";

const domain = {
  name: "shop",
  languages: ["en"],
  entity_types: { order: { fields: { total: { type: "decimal" } } } },
  facts: { paid: { value: { type: "boolean" } }, note: { value: { type: "text" } }, refunded: { value: { type: "decimal" } } },
  machine: {
    id: "order",
    initial: "open",
    states: { open: { on: { PAY: "paid" } }, paid: { on: { REFUND: "refunded" } }, refunded: {} },
  },
  constraints: [
    { name: "small", rule: "proposal.amount <= 100", actions: ["refund"], message: "no more than 100 is paid back" },
  ],
  actions: {
    pay: {
      description: "Takes the payment",
      schema: { type: "object", properties: {}, additionalProperties: false },
      states: ["open"],
      commands: [{ type: "assert_fact", key: "paid", value: true }, { type: "send_event", event: "PAY" }],
    },
    refund: {
      description: "Pays money back",
      schema: { type: "object", required: ["amount"], additionalProperties: false, properties: { amount: { type: "number" } } },
      states: ["paid"],
      approval: true,
      commands: [{ type: "assert_fact", key: "refunded", value: "=args.amount" }, { type: "send_event", event: "REFUND" }],
    },
  },
};

/** A call of `name` as each provider gives it. */
const calls = {
  plain: (name, args) => ({ id: "c1", name, args }),
  openai: (name, args) => ({ id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } }),
  openai_responses: (name, args) => ({ type: "function_call", call_id: "c1", name, arguments: JSON.stringify(args) }),
  anthropic: (name, args) => ({ type: "tool_use", id: "c1", name, input: args }),
  gemini: (name, args) => ({ functionCall: { id: "c1", name, args } }),
  mcp: (name, args) => ({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name, arguments: args } }),
  ai_sdk: (name, args) => ({ type: "tool-call", toolCallId: "c1", toolName: name, input: args }),
};

/** What a reply says to the model, whatever its shape. */
const said = {
  plain: (reply) => reply.value,
  openai: (reply) => JSON.parse(reply.content),
  openai_responses: (reply) => JSON.parse(reply.output),
  anthropic: (reply) => JSON.parse(reply.content),
  gemini: (reply) => reply.functionResponse.response.result ?? reply.functionResponse.response,
  mcp: (reply) => JSON.parse(reply.result.content[0].text),
  ai_sdk: (reply) => reply.output.value,
};

const names = {
  openai: (tools) => tools.map((tool) => tool.function.name),
  openai_responses: (tools) => tools.map((tool) => tool.name),
  anthropic: (tools) => tools.map((tool) => tool.name),
  gemini: (tools) => tools[0].functionDeclarations.map((tool) => tool.name),
  mcp: (tools) => tools.map((tool) => tool.name),
  ai_sdk: (tools) => Object.keys(tools),
  plain: (tools) => tools.map((tool) => tool.name),
};

for (const shape of Object.keys(calls)) {
  test(`${shape}: definitions follow the state, and a call comes back by the same door`, async () => {
    const session = await opened({ domain });
    const listed = async () => names[shape](await toolDefinitions(session, shape));
    assert.ok((await listed()).includes("pay"));
    assert.ok(!(await listed()).includes("refund"), "what is closed is not offered");
    const reason = "the customer paid";
    const early = await handleToolCall(session, shape, calls[shape]("refund", { amount: 10, reason }));
    assert.equal(early.ok, false);
    assert.ok(["tool-closed", "action-closed"].includes(early.refusal.code), early.refusal.code);
    assert.equal(said[shape](early.reply).error.code, early.refusal.code);
    const paid = await handleToolCall(session, shape, calls[shape]("pay", { reason }));
    assert.equal(paid.ok, true, JSON.stringify(paid));
    assert.equal(said[shape](paid.reply).status, "done");
    assert.equal(await session.fact("paid"), true);
    assert.deepEqual((await session.machine()).state, ["paid"]);
    const { records } = await session.records({ kinds: ["proposal.accepted"] });
    assert.deepEqual([records[0].actor.kind, records[0].reason], ["model", reason]);
    assert.ok((await listed()).includes("refund"));
  });

  test(`${shape}: what needs approval waits for a person, and a person may be asked at once`, async () => {
    const session = await opened({ domain });
    const reason = "asked for";
    await handleToolCall(session, shape, calls[shape]("pay", { reason }));
    const large = await handleToolCall(session, shape, calls[shape]("refund", { amount: 500, reason }));
    assert.equal(large.refusal.code, "constraint-broken");
    const waiting = await handleToolCall(session, shape, calls[shape]("refund", { amount: 10, reason }));
    assert.equal(said[shape](waiting.reply).status, "asked");
    assert.equal(await session.fact("refunded"), undefined);
    const rejected = await handleToolCall(session, shape, calls[shape]("refund", { amount: 20, reason }), { approve: () => false });
    assert.equal(rejected.ok, false);
    const asked = [];
    const tools = toolsOf(session, { approve: (one) => asked.push(one) > 0 });
    const done = await tools.handleToolCall(shape, calls[shape]("refund", { amount: 30, reason }));
    assert.equal(done.ok, true, JSON.stringify(done));
    assert.deepEqual(asked[0].args, { amount: 30 });
    assert.equal(await session.fact("refunded"), 30);
    // The first one still waits; approved now it is looked at again, and the state is past it.
    await assert.rejects(session.answer(waiting.asked.ask, "approve"), { code: "action-closed" });
    await assert.rejects(session.answer("p9999", "approve"), { code: "unknown-ask" });
  });
}

test("arguments that were cut off do nothing", async () => {
  const session = await opened({ domain });
  const { content } = await session.digests();
  const call = { id: "c1", type: "function", function: { name: "ASSERT_FACT", arguments: '{"key": "note", "value": "2' } };
  const outcome = await handleToolCall(session, "openai", call);
  assert.equal(outcome.refusal.code, "tool-arguments");
  assert.equal(outcome.reply.tool_call_id, "c1");
  assert.equal(JSON.parse(outcome.reply.content).error.code, "tool-arguments");
  assert.equal((await session.digests()).content, content);
});

test("the AI SDK's tools run by themselves and give refusals back to the model", async () => {
  const session = await opened({ domain });
  const tools = await aiSdkTools(session);
  assert.equal(tools.pay.inputSchema[Symbol.for("vercel.ai.schema")], true);
  assert.equal(tools.pay.inputSchema.jsonSchema.type, "object");
  const done = await tools.pay.execute({ reason: "paid" }, { toolCallId: "c1" });
  assert.equal(done.status, "done");
  const again = await tools.pay.execute({ reason: "paid" }, { toolCallId: "c2" });
  assert.match(again.error.code, /closed/);
});

test("two approvals that are answered in the other order reach the questions they name", async () => {
  const session = await opened({
    domain: {
      ...domain,
      constraints: [],
      actions: Object.fromEntries(
        [["delete_file", "deleted"], ["send_mail", "sent"]].map(([name, value]) => [
          name,
          {
            description: name,
            schema: { type: "object", properties: {} },
            approval: true,
            commands: [{ type: "remember", items: [{ kind: value, text: value }] }],
          },
        ]),
      ),
    },
  });
  const file = (await session.propose("delete_file")).result.ask;
  const mail = (await session.propose("send_mail")).result.ask;
  await session.answer(mail, "approve");
  await session.answer(file, "reject");
  const { hits } = await session.recall();
  assert.deepEqual(hits.map((hit) => hit.kind), ["sent"]);
  await assert.rejects(session.answer(mail, "approve"), { code: "already-settled" });
});
