// Measures contestants side by side: in turn, again and again, in one process, so that what else the machine does
// falls on all of them alike. Works in Node and in a page.

/** Milliseconds, as finely as there are. */
export const now = () => performance.now();

/** Keeps what a query found, so that no engine leaves it out; also compared between contestants. */
export class Check {
  #sums = new Map();

  add(who, what, sum) {
    const key = what;
    if (!this.#sums.has(key)) this.#sums.set(key, new Map());
    const of = this.#sums.get(key);
    if (of.has(who) && of.get(who) !== sum) throw new Error(`${who} answered ${what} differently the second time`);
    of.set(who, sum);
  }

  /** The contestants that do not agree with the first, by what was asked. */
  differences() {
    const out = [];
    for (const [what, of] of this.#sums) {
      const [first, ...others] = [...of];
      for (const [who, sum] of others) {
        if (sum !== first[1]) out.push(`${what}: ${who} found ${sum}, ${first[0]} found ${first[1]}`);
      }
    }
    return out;
  }
}

/** The middle one of some numbers. */
export const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** How long each contestant runs before it is measured: engines compile what is hot after a while, not at once,
 * and on a busy machine later still: after 200 ms the first thing that was measured still ran uncompiled, ours and theirs. */
const WARM = 1_000;
/** A sample is as many runs as take about so many milliseconds: the clock of a page is coarse. */
const SAMPLE = 5;
/** The most runs of one sample. */
const MOST = 10_000;

/** A loop over `list` that nobody shares: a call that several contestants share is a slow call for all of them. */
export function loop(peer, op, list) {
  return new Function("peer", "list", `return () => {
    let sum = 0;
    for (let i = 0; i < list.length; i += 1) sum += peer.${op}(list[i]);
    return sum;
  };`)(peer, list);
}

/**
 * Runs `contestants` ({name: () => void | Promise}) in turn, and gives {name: milliseconds} for one run of each: the
 * median of `rounds` samples. Before that each runs alone for a second, at least once; nothing of that counts. A
 * contestant that takes more than `patience` milliseconds for a run is not run again: that one run is its time.
 */
export async function race(contestants, { rounds = 9, patience = 4_000, warm = WARM } = {}) {
  const runs = new Map();
  const times = new Map();
  const sample = async (run, many) => {
    const start = now();
    for (let i = 0; i < many; i += 1) {
      const result = run();
      if (result instanceof Promise) await result;
    }
    return (now() - start) / many;
  };
  for (const [name, run] of Object.entries(contestants)) {
    const start = now();
    let last = 0;
    let many = 1;
    do {
      last = await sample(run, many);
      many = Math.min(MOST, Math.max(1, Math.ceil(SAMPLE / Math.max(last, 1e-6))));
    } while (now() - start < warm && last <= patience);
    runs.set(name, many);
    times.set(name, last > patience ? [last] : []);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const list = times.get(name);
      if (!list.some((time) => time > patience)) list.push(await sample(run, runs.get(name)));
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
}

/** A result: what was measured, in which unit, by whom how long, and the ratios against the goals. */
export function result(id, what, unit, times, { ours = "throughline", goals = {}, growth } = {}) {
  return { id, what, unit, times, ours, goals, growth };
}

/** How often `ours` goes into each peer's time. */
export function ratios({ times, ours }) {
  const own = times[ours];
  return Object.fromEntries(
    Object.entries(times)
      .filter(([name]) => name !== ours)
      .map(([name, time]) => [name, time / own]),
  );
}

/** A generator of numbers in [0, 1) that gives the same ones for the same seed everywhere (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
