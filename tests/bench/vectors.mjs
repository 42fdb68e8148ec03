// The nearest vectors within a window of time.

import { race, random, result } from "./harness.mjs";
import { jsF32, orama } from "./peers/vectors.mjs";
import { vectors } from "./workload.mjs";

const SIZE = 256;
const ASKED = 20;

export async function vectorSearch({ open, count, say }) {
  const all = vectors(count, SIZE);
  const times = Float64Array.from({ length: count }, (_, n) => n * 1_000);
  const session = await open({ name: "vectors", storage: "memory", host: "here", clock: 0 });
  const { rows } = session;
  if (rows?.nearest === undefined) return { results: [], differences: [], missing: ["vectors: no rows interface"] };
  await session.importEvents({ at: times, kinds: ["note"], vector: all, vectorSize: SIZE });
  say(`  ${count} vectors`);
  const next = random(6);
  const asked = Array.from({ length: ASKED }, () => {
    const row = Math.floor(next() * count);
    const from = Math.floor(next() * 0.9 * count);
    const query = all.slice(row * SIZE, (row + 1) * SIZE).map((x) => x + (next() - 0.5) * 0.05);
    return [query, from, from + Math.floor(count / 10)];
  });
  const plain = jsF32(all, SIZE);
  const peer = count <= 20_000 ? await orama(all, SIZE, times) : undefined;
  const out = new Uint32Array(10);
  const contestants = {
    throughline: () => asked.map(([query, from, to]) => {
      const found = rows.nearest(query, { from: from * 1_000, to: to * 1_000, out });
      return Array.from(out.subarray(0, found));
    }),
    "JavaScript f32": () => asked.map(([query, from, to]) => plain.nearest(query, from, to)),
  };
  let hit = 0;
  let of = 0;
  const [ours, exact] = [contestants.throughline(), contestants["JavaScript f32"]()];
  exact.forEach((rows, n) => {
    of += rows.length;
    hit += rows.filter((row) => ours[n].includes(row)).length;
  });
  say(`  recall ${(hit / of).toFixed(3)}`);
  if (peer !== undefined) {
    contestants.Orama = async () => {
      for (const [query, from, to] of asked) await peer.nearest(query, from * 1_000, to * 1_000);
    };
  }
  const raced = await race(Object.fromEntries(Object.entries(contestants).map(([name, run]) => [name, () => run()])), { rounds: 5 });
  await session.close();
  for (const name of Object.keys(raced)) raced[name] = (raced[name] * 1_000) / ASKED;
  return {
    results: [
      result(`vectors-${count}`, `the nearest ten of ${SIZE} numbers in a tenth of ${count}`, "µs", raced, {
        goals: { "JavaScript f32": { goal: 8, floor: 6 } },
      }),
    ],
    differences: hit / of >= 0.98 ? [] : [`recall of vectors is ${(hit / of).toFixed(3)}, below 0.98`],
  };
}
