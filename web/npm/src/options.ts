// Options are checked before anything is done: what is not understood is refused, with the nearest name.

import { ThroughlineError } from "./error.js";

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const swap = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Refuses what is no map of options, and options that there are not. */
export function checkNames(what: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ThroughlineError("bad-option", `${what} takes a map of options: ${what}({ ${names[0]}: … })`, { path: "" });
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const near = [...names].sort((a, b) => distance(name, a) - distance(name, b))[0] ?? "";
    const close = distance(name, near) <= name.length / 3 + 1;
    const suggestion = close ? `did you mean \`${near}\`?` : `the options are ${names.join(", ")}`;
    throw new ThroughlineError("unknown-option", `${what} has no option \`${name}\`; ${suggestion}`, { path: `/${name}`, suggestion });
  }
}

/** Refuses an option whose value is not what it must be. */
export function check(what: string, name: string, fits: boolean, expected: string): void {
  if (!fits) throw new ThroughlineError("bad-option", `${what}: \`${name}\` is ${expected}`, { path: `/${name}` });
}
