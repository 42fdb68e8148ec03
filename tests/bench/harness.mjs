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

const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/**
 * Runs `contestants` ({name: (round) => void | Promise}) `rounds` times in turn, and gives {name: milliseconds} for
 * one run of each: the median over the rounds. One run before is not counted. A contestant that took more than
 * `patience` milliseconds in a round is not run again.
 */
export async function race(contestants, { rounds = 5, patience = 4_000, warm = true } = {}) {
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = warm ? -1 : 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const list = times.get(name);
      if (list.some((time) => time > patience)) continue;
      const start = now();
      const result = run(round);
      if (result instanceof Promise) await result;
      const time = now() - start;
      if (round >= 0 || time > patience) list.push(time);
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
