// What was measured, as lines to read and as the pages of docs/benchmarks.md.

import { ratios } from "./harness.mjs";

const figure = (n) => {
  if (!Number.isFinite(n)) return "–";
  if (n >= 100) return Math.round(n).toLocaleString("en");
  return n.toPrecision(3);
};

/** Every goal with what was reached: {what, ratio, goal, floor, ok}. */
export function verdicts(results) {
  const out = [];
  for (const one of results) {
    const reached = ratios(one);
    for (const [peer, { goal, floor }] of Object.entries(one.goals)) {
      if (reached[peer] === undefined || Number.isNaN(reached[peer])) {
        out.push({ what: `${one.what}, beside ${peer}`, goal, floor, ok: undefined });
        continue;
      }
      out.push({ what: `${one.what}, beside ${peer}`, ratio: reached[peer], goal, floor, ok: reached[peer] >= floor });
    }
    if (one.growth?.limit !== undefined) {
      const { what, ratio, limit, unit } = one.growth;
      out.push({ what: `${one.what}: ${what}`, ratio, unit, most: limit, ok: ratio <= limit });
    }
  }
  return out;
}

export function lines(results) {
  const out = [];
  for (const one of results) {
    out.push(`${one.what} (${one.unit})`);
    const reached = ratios(one);
    for (const [name, time] of Object.entries(one.times)) {
      const ratio = name === one.ours || reached[name] === undefined ? "" : `  ${figure(reached[name])}x`;
      out.push(`    ${name.padEnd(28)} ${figure(time).padStart(10)}${ratio}`);
    }
    if (one.growth !== undefined) {
      out.push(`    ${one.growth.what}: ${figure(one.growth.ratio)}${one.growth.limit === undefined ? "" : ` (at most ${one.growth.limit})`}`);
    }
  }
  return out;
}

const table = (head, rows) => [`| ${head.join(" | ")} |`, `|${head.map((_, n) => (n === 0 ? "---|" : "---:|")).join("")}`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");

/** The page. `runs` is [{where, results, differences}]. */
export function page(runs) {
  const parts = [
    "# Benchmarks",
    "Written by `cargo xtask bench`, or from its latest findings by `node tests/bench/run.mjs --page`; do not edit. Everything is measured side by side in one process, in turn, so that what else the machine does falls on all alike: each contestant runs alone for a second first, for engines compile what is hot only after a while, and then all take turns, three to nine samples of about 5 ms or more each, of which the median stands here; a contestant that takes over a second or more for one run is run once. Each group of measurements is the latest that was made; groups may come from different times, and from a machine that was busy with other work. What is inserted at once is inserted three times over, each contestant in turn into an empty one, after each has filled ten small ones, and the best of the three stands here; one that takes over ten seconds is run once. The rows of a window come in order of time from everybody. What is held in memory is measured for each in a process of its own. Read the ratios, not the times: a ratio of 3 means that the other one takes three times as long. Peers are used by the fastest door that they have, and every answer is compared with ours.",
  ];
  for (const { where, results, missing } of runs) {
    parts.push(`## ${where}`);
    const judged = verdicts(results);
    if (judged.length > 0) {
      parts.push(
        table(
          ["what", "reached", "goal", "floor", ""],
          judged.map(({ what, ratio, unit, goal, floor, most, ok }) => [
            what,
            ratio === undefined ? "not measured" : unit === undefined ? `${figure(ratio)}x` : `${figure(ratio)} ${unit}`,
            goal === undefined ? `at most ${most}` : `${goal}x`,
            floor === undefined ? "" : `${floor}x`,
            ok === undefined ? "–" : ok ? (goal === undefined || ratio >= goal ? "reached" : "above the floor") : "**below**",
          ]),
        ),
      );
    }
    for (const one of results) {
      const reached = ratios(one);
      parts.push(`### ${one.what}`);
      parts.push(
        table(
          ["", one.unit, "ratio"],
          Object.entries(one.times).map(([name, time]) => [name, figure(time), name === one.ours ? "1" : figure(reached[name])]),
        ),
      );
    }
    if (missing?.length > 0) parts.push(`Not measured here: ${missing.join("; ")}.`);
  }
  return `${parts.join("\n\n")}\n`;
}
