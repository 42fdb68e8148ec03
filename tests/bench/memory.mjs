// The temporal index: bulk insert, windows, the last of a kind, an entity's history, counts for drawing, beside what a
// web developer can pick today. Everything goes through the public rows, on the engine's own thread.

import { Check, loop, now, race, result } from "./harness.mjs";
import { duckdb } from "./peers/duckdb.mjs";
import { jsArray } from "./peers/js-array.mjs";
import { jsTuned } from "./peers/js-tuned.mjs";
import { sqlJs, sqliteWasm } from "./peers/sql.mjs";
import { flattenTree, sortedBtree } from "./peers/trees.mjs";
import { ENTITIES, KINDS, events, histories, lasts, windows } from "./workload.mjs";

/** How many different questions: so many that they are not all answered from the processor's nearest memory. */
const ASKED = { ten: 2_000, thousand: 200, last: 2_000, history: 1_000 };
const BUCKETS = 1_000;
const NAMES = Array.from({ length: KINDS }, (_, n) => `kind${n}`);
const PEOPLE = Array.from({ length: ENTITIES }, (_, n) => `entity${n}`);

const GOALS = {
  bulk: { "JavaScript array": { goal: 2, floor: 1.3 }, "SQLite-wasm": { goal: 25, floor: 15 } },
  ten: { "JavaScript tuned": { goal: 2.5, floor: 1.5 }, "sql.js": { goal: 20, floor: 12 } },
  thousand: { "JavaScript tuned": { goal: 3, floor: 2 }, "sql.js": { goal: 120, floor: 60 } },
  last: { "JavaScript tuned": { goal: 1, floor: 0.7 }, "SQLite-wasm": { goal: 20, floor: 12 } },
  history: { "JavaScript tuned": { goal: 1.1, floor: 0.8 }, "sql.js": { goal: 28, floor: 15 } },
  counts: { "JavaScript tuned": { goal: 40, floor: 20 }, DuckDB: { goal: 200, floor: 100 } },
  drawn: { "JavaScript tuned": { goal: 300, floor: 150 } },
  bytes: { "JavaScript array": { goal: 3, floor: 2 } },
};

/** Each contestant fills so many small ones before it counts: engines compile what is hot only after a while. */
const WARM_FILLS = 10;
const WARM_EVENTS = 10_000;
/** How often each then fills a whole one, in turn; one that takes over so many milliseconds does it once. */
const FILLED = 3;
const PATIENCE = 10_000;

/** The events as one frame of columns. */
function columns(data) {
  const entityCount = new Uint32Array(data.count);
  for (let i = 0; i < data.count; i += 1) entityCount[i] = data.entityAt[i + 1] - data.entityAt[i];
  return { at: data.time, kinds: NAMES, kind: data.kind, entities: PEOPLE, entityCount, entity: data.entity, importance: data.importance };
}

let opened = 0;

/** A session that holds the events, and how long it took to insert them. */
export async function filled(open, data) {
  const session = await open({ name: `memory-${(opened += 1)}`, storage: "memory", host: "here", clock: data.last });
  const given = columns(data);
  const start = now();
  await session.importEvents(given);
  return { session, bulk: now() - start };
}

async function ours(open, remove, data) {
  const { session, bulk } = await filled(open, data);
  const name = `memory-${opened}`;
  const { rows } = session;
  if (rows === undefined) throw new Error("the session has no rows");
  const kinds = NAMES.map((name) => rows.kindNumber(name));
  const people = PEOPLE.map((name) => rows.entityNumber(name));
  const out = new Uint32Array(4_096);
  // Rows are numbered as they arrive, part after part: what is found is told apart by its number.
  const sum = (found) => {
    let total = 0;
    for (let i = 0; i < found; i += 1) total += out[i];
    return total;
  };
  const counters = new Uint32Array(BUCKETS * Math.max(KINDS, rows.kindNames().length));
  const drawing = new Uint32Array(4 * BUCKETS * 16);
  return {
    session,
    rows,
    bulk,
    async close() {
      await session.close();
      await remove(name, { storage: "memory" });
    },
    window: ([from, to, a, b, c]) => sum(rows.window({ from, to, kinds: [kinds[a], kinds[b], kinds[c]], out })),
    last: ([before, kind]) => rows.last(kinds[kind], before),
    history: ([before, entity]) => (people[entity] < 0 ? 0 : sum(rows.history(people[entity], { to: before, limit: 50, out }))),
    counts(from, to, buckets) {
      const many = rows.counts({ from, to, parts: buckets, out: counters });
      return { many, kinds };
    },
    counters,
    drawn: (from, to) => rows.drawn({ from, to, parts: BUCKETS, out: drawing }),
    // Through the whole protocol, as a page with a worker asks.
    recall: ([from, to, a, b, c]) => session.recall({ since: from, until: to, kinds: [NAMES[a], NAMES[b], NAMES[c]], limit: 100 }),
  };
}

/** The same events into the browser's database: when each part resolves it is durable. */
async function durable(open, remove, data) {
  const name = `durable-${data.count}`;
  const session = await open({ name, storage: "indexeddb", host: "here", clock: data.last });
  const given = columns(data);
  const start = now();
  await session.importEvents(given);
  const took = now() - start;
  await session.close();
  await remove(name, { storage: "indexeddb" });
  return took;
}

/** The same with the time that it took. */
const timed = (make) => {
  const start = now();
  const made = make();
  return Object.assign(made, { bulk: now() - start });
};

/** What fills each contestant: {name: (data) => peer}. */
async function makers(open, remove, count, missing) {
  const make = {
    throughline: (data) => ours(open, remove, data),
    "JavaScript array": (data) => timed(() => jsArray(data)),
    "JavaScript tuned": (data) => timed(() => jsTuned(data, KINDS)),
    "sorted-btree": (data) => timed(() => sortedBtree(data)),
  };
  if (count <= 100_000) make["interval tree"] = (data) => timed(() => flattenTree(data));
  for (const [name, load] of [["SQLite-wasm", sqliteWasm], ["sql.js", () => sqlJs(globalThis.process === undefined ? { locateFile: (file) => new URL(file, location.href).href } : {})]]) {
    const { load: fill } = await load();
    make[name] = (data) => timed(() => fill(data));
  }
  try {
    const peer = await duckdb(events(2));
    await peer.close();
    make.DuckDB = duckdb;
  } catch (error) {
    missing.push(`DuckDB (${error})`);
  }
  return make;
}

/**
 * Fills every contestant, in turn; each keeps its last one and the best of its times: what else runs on the machine only
 * makes a long run slower.
 */
async function fillAll(make, data) {
  const small = events(WARM_EVENTS, 43);
  for (const fill of Object.values(make)) {
    for (let n = 0; n < WARM_FILLS; n += 1) await (await fill(small)).close?.();
  }
  const peers = {};
  const times = Object.fromEntries(Object.keys(make).map((name) => [name, []]));
  for (let round = 0; round < FILLED; round += 1) {
    for (const [name, fill] of Object.entries(make)) {
      if (times[name].some((time) => time > PATIENCE)) continue;
      await peers[name]?.close?.();
      peers[name] = undefined;
      // Nobody pays for what the one before left behind.
      globalThis.gc?.();
      peers[name] = await fill(data);
      times[name].push(peers[name].bulk);
    }
  }
  for (const [name, peer] of Object.entries(peers)) peer.bulk = Math.min(...times[name]);
  return peers;
}

/** What a contestant holds, measured in a process of its own; Node only. */
async function held(who, count) {
  const { execFile } = await import("node:child_process");
  const { fileURLToPath } = await import("node:url");
  const file = fileURLToPath(new URL("held.mjs", import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["--expose-gc", file, who, String(count)], (error, out) => (error ? reject(error) : resolve(Number(out))));
  });
}

export async function memory({ open, remove, sizes, say }) {
  const results = [];
  const missing = [];
  const check = new Check();
  const ten = {};
  const largest = Math.max(...sizes);
  for (const count of sizes) {
    const data = events(count);
    say(`  ${count} events`);
    const top = count === largest;
    const goals = (name) => (top && count >= 1_000_000 ? GOALS[name] : {});
    const peers = await fillAll(await makers(open, remove, count, missing), data);
    results.push(result(`bulk-${count}`, `${count} events inserted`, "ms", times(peers, (peer) => peer.bulk), { goals: goals("bulk") }));
    if (globalThis.indexedDB !== undefined && remove !== undefined) {
      const stored = await durable(open, remove, data);
      results.push(result(`durable-${count}`, `${count} events imported into the database`, "ms", { throughline: stored, "throughline, in memory": peers.throughline.bulk }));
    }
    const asked = { ten: windows(data, 10, ASKED.ten), thousand: windows(data, 1_000, ASKED.thousand), last: lasts(data, ASKED.last), history: histories(data, ASKED.history) };
    const words = { ten: "about ten hits of a window and three kinds", thousand: "about a thousand hits", last: "the last of a kind before a moment", history: "the latest fifty of an entity" };
    for (const [name, list] of Object.entries(asked)) {
      const op = name === "ten" || name === "thousand" ? "window" : name;
      const contestants = {};
      for (const [who, peer] of Object.entries(peers)) {
        if (peer[op] === undefined) continue;
        const run = loop(peer, op, list);
        contestants[who] = () => check.add(who, `${name}, ${count}`, run());
      }
      const raced = await race(contestants, { patience: 1_000 });
      for (const who of Object.keys(raced)) raced[who] = (raced[who] * 1_000) / list.length;
      if (name === "ten") ten[count] = raced.throughline;
      results.push(result(`${name}-${count}`, `${words[name]}, of ${count}`, "µs", raced, { goals: goals(name) }));
    }
    const [from, to] = [data.first, data.last];
    const exact = {};
    for (const [who, peer] of Object.entries(peers)) {
      if (peer.counts === undefined) continue;
      exact[who] = () => peer.counts(from, to, BUCKETS, KINDS);
      // Compared once, beside the measurement: reading all of them would take a good part of our own time.
      const counted = await exact[who]();
      const sum = (counter) => {
        let all = 0;
        for (let b = 0; b < BUCKETS; b += 1) for (let k = 0; k < KINDS; k += 1) all += counter(b, k) * (((b * KINDS + k) % 97) + 1);
        return all;
      };
      const { many, kinds } = counted;
      check.add(who, `counts, ${count}`, sum(who === "throughline" ? (b, k) => peer.counters[b * many + kinds[k]] : (b, k) => counted[b * KINDS + k]));
    }
    const raced = await race(exact, { rounds: 5, patience: 1_000 });
    for (const who of Object.keys(raced)) raced[who] *= 1_000;
    results.push(result(`counts-${count}`, `exact counts in ${BUCKETS} parts by ${KINDS} kinds, of ${count}`, "µs", raced, { goals: goals("counts") }));
    const own = await race({ throughline: () => { for (let i = 0; i < 100; i += 1) peers.throughline.drawn(from, to - i); } });
    results.push(
      result(`drawn-${count}`, `counts for drawing, from the pyramid, of ${count}`, "µs", { throughline: own.throughline * 10, "JavaScript tuned": raced["JavaScript tuned"] }, { goals: goals("drawn") }),
    );
    if (globalThis.process?.execPath !== undefined) {
      const bytes = {};
      for (const name of ["throughline", "JavaScript array", "JavaScript tuned", "sorted-btree"]) bytes[name] = (await held(name, count)) / 1_048_576;
      results.push(result(`bytes-${count}`, `memory held, of ${count}: growth of the heap and of WebAssembly's memory, each in a process of its own`, "MB", bytes, { goals: goals("bytes") }));
    }
    const recall = await race({ throughline: async () => { for (const one of asked.ten.slice(0, 50)) await peers.throughline.recall(one); } }, { rounds: 3 });
    results.push(result(`recall-${count}`, `the asynchronous recall of about ten, of ${count}`, "µs", { throughline: (recall.throughline * 1_000) / 50 }));
    for (const peer of Object.values(peers)) await peer.close?.();
  }
  const [small, large] = [Math.min(...sizes), largest];
  results.push(
    result("ten-growth", "about ten hits", "µs", Object.fromEntries(sizes.map((n) => [`of ${n}`, ten[n]])), {
      ours: `of ${small}`,
      growth: { what: `${large} events against ${small}`, ratio: ten[large] / ten[small], limit: 5 },
    }),
  );
  return { results, differences: check.differences(), missing };
}

function times(peers, of, only) {
  return Object.fromEntries(Object.entries(peers).filter(([name]) => only === undefined || only.includes(name)).map(([name, peer]) => [name, of(peer)]));
}
