// What is measured, by name. `quick` is for trying the benchmark itself: its figures say little.

import { ledger, prompt } from "./ledger.mjs";
import { memory } from "./memory.mjs";
import { plans } from "./plans.mjs";
import { turns } from "./turns.mjs";
import { vectorSearch } from "./vectors.mjs";
import { wordSearch } from "./words.mjs";

export const GROUPS = {
  ledger: (tools) => ledger({ ...tools, sizes: tools.quick ? [2_000, 10_000] : [1_000, 100_000, 1_000_000].map((n) => Math.max(n, 2_000)) }),
  prompt: (tools) => prompt({ ...tools, turns: tools.quick ? [100, 2_000] : [100, 100_000] }),
  plans: (tools) => plans(tools),
  turns: (tools) => turns({ ...tools, at: tools.quick ? [10, 100] : [10, 1_000, 100_000] }),
  memory: (tools) => memory({ ...tools, sizes: tools.sizes ?? (tools.quick ? [10_000] : [10_000, 100_000, 1_000_000]) }),
  words: (tools) => wordSearch({ ...tools, count: tools.quick ? 2_000 : 100_000 }),
  vectors: (tools) => vectorSearch({ ...tools, count: tools.quick ? 2_000 : 100_000 }),
};

/** Runs the groups whose name contains `only`, one after the other. */
export async function measure(only, tools) {
  const results = [];
  const differences = [];
  const missing = [];
  for (const [name, run] of Object.entries(GROUPS)) {
    if (!name.includes(only)) continue;
    tools.say(`${name}…`);
    const of = await run(tools);
    results.push(...of.results);
    differences.push(...of.differences);
    missing.push(...(of.missing ?? []));
  }
  return { results, differences, missing };
}
