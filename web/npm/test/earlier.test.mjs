// Whatever the memory answered at a record, it answers as of that record for ever, whatever comes after.

import assert from "node:assert/strict";
import { test } from "node:test";
import { opened } from "./help.mjs";

const WORDS = ["kitchen", "kitchens", "garden", "gardens", "gardener", "towel", "人工智能", "智能", "人", "release", "releases"];
const NAMES = ["x", "y", "z"];

/** Numbers below one from a seed. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The question of a number: a name, and what asks it of a session or a view. */
function question(below, pick, ids) {
  const id = pick(ids);
  const words = `${pick(WORDS)} ${pick(WORDS)}`;
  const vector = [below(100) + 1, below(100) - 50];
  const name = pick(NAMES);
  const moment = below(1e8);
  const by = pick(["recency", "importance", "episode"]);
  const order = pick(["valid", "recorded", "logical"]);
  const code = (answer) => answer.catch((error) => error.code);
  const all = [
    (view) => view.recall({ words, limit: 3 }),
    (view) => view.recall({ words, also_by: [by] }),
    (view) => view.recall({ words, vector, limit: 5 }),
    (view) => view.recall({ vector, kinds: [name] }),
    (view) => view.recall({ order, since: moment, limit: 3 }),
    (view) => view.memoryCounts({ buckets: 3 }),
    (view) => view.memoryHistory(name),
    (view) => view.memoryLast(name, { before: moment }),
    (view) => view.memoryNeighbours(moment, 3),
    (view) => view.memoryMoments({ tolerance: 1_000_000 }),
    (view) => view.memoryEpisodes({ scale: "coarse", since: moment }),
    (view) => view.memoryForgetting({ keep_events: 4 }),
    (view) => code(view.memoryRelated(id)),
    (view) => code(view.memoryEpisodes({ memory: id })),
    // One block holds all: its summary is exact, too.
    async (view) => ({ ...(await view.memoryTree({ entity: name })).parts[0], step: "" }),
  ];
  const number = below(all.length);
  return { number, ask: async (view) => JSON.stringify(await all[number](view)) };
}

for (const [seed, memoryBudget] of [[1, undefined], [2, 1], [3, undefined], [4, 4_096]]) {
  test(`answers of seed ${seed} stay what they were, with a budget of ${memoryBudget}`, async () => {
    const session = await opened({ memoryBudget });
    const random = numbers(seed);
    const below = (n) => Math.floor(random() * n);
    const pick = (list) => list[below(list.length)];
    const ids = [];
    const kept = [];
    for (let step = 0; step < 60; step += 1) {
      const what = ids.length === 0 ? 0 : below(10);
      if (what < 5) {
        const item = { kind: pick(NAMES), text: `${pick(WORDS)} ${pick(WORDS)}`, at: below(1e8), entities: [pick(NAMES)], importance: below(100) / 100, vector: [below(9) + 1, below(9)] };
        ids.push(...(await session.remember(item, { thread: pick(["main", "side"]) })).result.memories);
      } else if (what < 7) {
        await session.amend(pick(ids), { text: pick(WORDS), at: below(1e8) }).catch((error) => assert.equal(error.code, "memory-forgotten"));
      } else if (what < 8) await session.forget([pick(ids)]);
      else if (what < 9) await session.recover([pick(ids)]);
      else await session.touch([pick(ids)]);
      const { seq } = await session.status();
      for (let n = 0; n < 3; n += 1) {
        const { number, ask } = question(below, pick, ids);
        kept.push({ seq, number, ask, answer: await ask(session) });
      }
      await session.advance(1_000);
    }
    for (const { seq, number, ask, answer } of kept) assert.equal(await ask(session.at(seq)), answer, `question ${number} at record ${seq}`);
  });
}
