// What a Node project does with the package: keeps facts, looks back, is refused, exports and reads again.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { open } from "throughline";

const journal = await open({ name: "order 17" });
await journal.assertFact("budget", 20000);
const { seq: before } = await journal.export();
await journal.assertFact("budget", 18000);
assert.equal(await journal.fact("budget"), 18000);
assert.equal(await journal.at(before).fact("budget"), 20000);

const untouched = await journal.digests();
await assert.rejects(journal.execute({ type: "assert_fact", kee: "budget" }), { code: "unknown-field" });
assert.equal((await journal.digests()).content, untouched.content);

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
