// Words within a window of time.

import { Check, race, random, result } from "./harness.mjs";
import { fts5, sqliteWasm } from "./peers/sql.mjs";
import { miniSearch } from "./peers/words.mjs";
import { events, texts, word } from "./workload.mjs";

const ASKED = 50;

export async function wordSearch({ open, count, say }) {
  const data = events(count, 21);
  const all = texts(count);
  const next = random(5);
  const asked = Array.from({ length: ASKED }, () => {
    const from = data.first + next() * 0.9 * (data.last - data.first);
    return [word(Math.floor(next() ** 2 * 2_000)), from, from + 0.1 * (data.last - data.first)];
  });
  const session = await open({ name: "words", storage: "memory", host: "here", clock: 0 });
  const { rows } = session;
  if (rows === undefined) return { results: [], differences: [], missing: ["words: no rows interface"] };
  await session.importEvents({ at: data.time, text: all, kinds: ["note"] });
  say(`  ${count} texts`);
  const mini = miniSearch(all, data.time);
  const sqlite = await sqliteWasm();
  const full = fts5(sqlite.open(), all, data.time);
  const check = new Check();
  const out = new Uint32Array(10);
  const times = await race(
    {
      throughline: () => {
        let found = 0;
        for (const [text, from, to] of asked) found += rows.words(text, { from, to, out });
        check.add("throughline", "hits", found);
      },
      MiniSearch: () => {
        let found = 0;
        for (const [text, from, to] of asked) found += mini.search(text, from, to);
        check.add("MiniSearch", "hits", found);
      },
      "SQLite FTS5": () => {
        for (const [text, from, to] of asked) full.search(text, from, to);
      },
    },
    { rounds: 5 },
  );
  full.close();
  await session.close();
  for (const name of Object.keys(times)) times[name] = (times[name] * 1_000) / ASKED;
  return {
    results: [
      result(`words-${count}`, `one word in a tenth of the time, best ten of ${count}`, "µs", times, {
        goals: { MiniSearch: { goal: 100, floor: 50 }, "SQLite FTS5": { goal: 50, floor: 25 } },
      }),
    ],
    // MiniSearch takes no prefix or typing error by default either: the counts of hits agree.
    differences: check.differences(),
  };
}
