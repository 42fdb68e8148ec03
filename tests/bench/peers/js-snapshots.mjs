// As-of reads the way that comes to mind first: a copy of the state every thousand changes, and replay from there.

const EVERY = 1_000;

/** `changes` is a list of [key, value]; version `n` is the state after change `n`. */
export function jsSnapshots(changes) {
  const snapshots = [];
  const state = new Map();
  changes.forEach(([key, value], n) => {
    if (n % EVERY === 0) snapshots.push(new Map(state));
    state.set(key, value);
  });
  return {
    at(version, key) {
      const from = Math.floor(version / EVERY);
      let value = snapshots[from].get(key);
      for (let n = from * EVERY; n <= version; n += 1) if (changes[n][0] === key) value = changes[n][1];
      return value;
    },
  };
}
