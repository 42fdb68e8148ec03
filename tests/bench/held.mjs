// node --expose-gc tests/bench/held.mjs CONTESTANT COUNT
// Prints how many bytes a contestant holds with so many events in it: how much the JavaScript heap, what it has outside
// of the heap and the memory of the WebAssembly module have grown since just before, after everything that is not needed
// was thrown away. In a process of its own, where nobody left free memory behind.

import { filled } from "./memory.mjs";
import { jsArray } from "./peers/js-array.mjs";
import { jsTuned } from "./peers/js-tuned.mjs";
import { sortedBtree } from "./peers/trees.mjs";
import { events, KINDS } from "./workload.mjs";

const [who, count] = process.argv.slice(2);

/** The memories of all modules. */
const memories = new Set();
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  const { memory } = (made.instance ?? made).exports;
  if (memory !== undefined) memories.add(memory);
  return made;
};

async function now() {
  // Once is not always enough for what was outside of the heap.
  for (let i = 0; i < 4; i += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, heapUsed + arrayBuffers);
}

const { open } = await import("../../web/npm/dist/node.js");
const fill = {
  async throughline(data) {
    const { session } = await filled(open, data);
    return session;
  },
  "JavaScript array": jsArray,
  "JavaScript tuned": (data) => jsTuned(data, KINDS),
  "sorted-btree": sortedBtree,
}[who];
// The module is loaded before it counts, and what is compiled when it is first used is there.
await (await fill(events(10))).close?.();
const data = events(Number(count));
const before = await now();
const kept = await fill(data);
const after = await now();
console.log(after - before);
if (kept === undefined) throw new Error("nothing was kept");
process.exit(0);
