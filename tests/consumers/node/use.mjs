// What a Node project does with the package: keeps facts, looks back, is refused, exports and reads again.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { open } from "throughline";
import { toolsOf } from "throughline/tools";

const journal = await open({ name: "order 17" });
await journal.assertFact("budget", 20000);
const { seq: before } = await journal.export();
await journal.assertFact("budget", 18000);
assert.equal(await journal.fact("budget"), 18000);
assert.equal(await journal.at(before).fact("budget"), 20000);

const untouched = await journal.digests();
await assert.rejects(journal.execute({ type: "assert_fact", kee: "budget" }), { code: "unknown-field" });
assert.equal((await journal.digests()).content, untouched.content);

// The same journal as tools of somebody else's loop.
const { definitions, handleToolCall } = toolsOf(journal);
const names = (await definitions("openai")).map((tool) => tool.function.name);
assert.ok(names.includes("ASSERT_FACT"), names.join());
const args = JSON.stringify({ key: "budget", value: 17000, reason: "the user said so" });
const call = { id: "c1", type: "function", function: { name: "ASSERT_FACT", arguments: args } };
const { ok, reply } = await handleToolCall("openai", call);
assert.deepEqual([ok, reply.tool_call_id, await journal.fact("budget")], [true, "c1", 17000]);
await journal.assertFact("budget", 18000);

const { text } = await journal.export();
const { history } = await journal.digests();
await journal.close();

const copy = await open({ name: "a copy of order 17" });
await copy.import(text);
assert.equal((await copy.digests()).history, history);
await copy.close();

writeFileSync("exported.journal", text);
// The same length and still JSON, so that only the hashes can tell.
writeFileSync("broken.journal", text.replace("18000", "18001"));
assert.notEqual(text.replace("18000", "18001"), text);
console.log("ok");
