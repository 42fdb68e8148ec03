// The fact ledger: what a write and a read as of a moment cost when there are a thousand versions, and a million.

import { domain, model } from "./domain.mjs";
import { Check, now, race, random, result } from "./harness.mjs";
import { jsSnapshots } from "./peers/js-snapshots.mjs";

const KEYS = 1_000;
const BATCH = 1_000;
const READS = 500;
const WRITES = 200;

const write = (n) => ({ type: "assert_fact", key: `k${n % KEYS}`, value: n });

/** A session with `count` versions of a thousand facts: record `i + 1` asserts version `i`. */
async function filled(open, count) {
  const session = await open({ name: `ledger-${count}`, storage: "memory", host: "here", clock: 0 });
  const start = now();
  for (let at = 0; at < count; at += BATCH) {
    const many = Math.min(BATCH, count - at);
    await session.batch(Array.from({ length: many }, (_, i) => write(at + i)));
  }
  return { session, first: (await session.status()).seq - count + 1, took: now() - start };
}

export async function ledger({ open, sizes, say }) {
  const check = new Check();
  const results = [];
  const reads = {};
  const writes = {};
  for (const count of sizes) {
    const { session, first, took } = await filled(open, count);
    say(`  ${count} versions written in ${Math.round(took)} ms`);
    const next = random(3);
    const asked = Array.from({ length: READS }, () => {
      const version = KEYS + Math.floor(next() * (count - KEYS));
      return [version, Math.floor(next() * KEYS)];
    });
    const snapshots = jsSnapshots(Array.from({ length: count }, (_, n) => [`k${n % KEYS}`, n]));
    const contestants = {
      throughline: async () => {
        let sum = 0;
        for (const [version, key] of asked) sum += await session.at(first + version).fact(`k${key}`);
        check.add("throughline", `as of, ${count}`, sum);
      },
      "JavaScript snapshots": () => {
        let sum = 0;
        for (const [version, key] of asked) sum += snapshots.at(version, `k${key}`);
        check.add("JavaScript snapshots", `as of, ${count}`, sum);
      },
    };
    const rows = session.rows;
    if (rows?.fact !== undefined) {
      contestants["throughline, rows"] = () => {
        let sum = 0;
        for (const [version, key] of asked) sum += rows.fact(`k${key}`, first + version);
        check.add("throughline, rows", `as of, ${count}`, sum);
      };
    }
    const times = await race(contestants, { rounds: 5 });
    for (const name of Object.keys(times)) times[name] = (times[name] * 1_000) / READS;
    reads[count] = times;
    results.push(
      result(`as-of-${count}`, `one fact as of a moment, ${count} versions`, "µs", times, {
        ours: times["throughline, rows"] === undefined ? "throughline" : "throughline, rows",
        goals: count === Math.max(...sizes) ? { "JavaScript snapshots": { goal: 3.5, floor: 2.5 } } : {},
      }),
    );
    let n = count;
    const one = await race(
      {
        throughline: async () => {
          for (let i = 0; i < WRITES; i += 1) await session.execute(write((n += 1)));
        },
      },
      { rounds: 3 },
    );
    writes[count] = (one.throughline * 1_000) / WRITES;
    await session.close();
  }
  const [small, large] = [Math.min(...sizes), Math.max(...sizes)];
  const growth = (what, of, limit) => ({ what: `${what}: ${large} versions against ${small}`, ratio: of(large) / of(small), limit });
  const which = reads[large]["throughline, rows"] === undefined ? "throughline" : "throughline, rows";
  results.push(
    result("fact-write", "one fact written, each in a frame of its own", "µs", Object.fromEntries(sizes.map((n) => [`at ${n} versions`, writes[n]])), {
      ours: `at ${small} versions`,
      growth: growth("write", (n) => writes[n]),
    }),
    result("as-of-growth", "one fact as of a moment", "µs", Object.fromEntries(sizes.map((n) => [`at ${n} versions`, reads[n][which]])), {
      ours: `at ${small} versions`,
      growth: growth("read", (n) => reads[n][which], 4),
    }),
  );
  return { results, differences: check.differences() };
}

/** The prompt contract after a hundred turns and after a hundred thousand: same budget, same time. */
export async function prompt({ open, turns, say }) {
  const session = await open({ name: "prompt", storage: "memory", host: "here", clock: 0, model });
  await session.loadDomain(domain(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`fact_${n}`, { value: { type: "integer" } }]))));
  await session.say("I would like a room.", { language: "en", thread: "main" });
  const measured = {};
  const size = {};
  let turn = 0;
  for (const until of turns) {
    while (turn < until) {
      const many = Math.min(500, until - turn);
      const commands = Array.from({ length: many }, (_, i) => ({ type: "assert_fact", key: `fact_${(turn + i) % 40}`, value: 1_000_000 + turn + i }));
      turn += many;
      await session.batch(commands, { thread: "main", turn });
    }
    const ask = () => session.query({ type: "prompt", stage: "interpret", thread: "main" });
    const times = await race({ throughline: async () => { for (let i = 0; i < 20; i += 1) await ask(); } }, { rounds: 5 });
    measured[until] = times.throughline / 20;
    const { tokens } = await ask();
    size[until] = Object.values(tokens).reduce((sum, n) => sum + n, 0);
    say(`  prompt at turn ${until}: ${size[until]} tokens`);
  }
  await session.close();
  const [first, last] = [turns[0], turns.at(-1)];
  return {
    results: [
      result("prompt", "the prompt contract", "ms", Object.fromEntries(turns.map((n) => [`turn ${n}`, measured[n]])), {
        ours: `turn ${first}`,
        growth: { what: `time at turn ${last} against turn ${first}`, ratio: measured[last] / measured[first], limit: 1.2 },
      }),
      result("prompt-tokens", "the prompt's tokens", "tokens", Object.fromEntries(turns.map((n) => [`turn ${n}`, size[n]])), {
        ours: `turn ${first}`,
        growth: { what: `tokens at turn ${last} against turn ${first}`, ratio: size[last] / size[first], limit: 1 },
      }),
    ],
    differences: [],
  };
}
