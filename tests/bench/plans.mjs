// Plans: what the checker costs for a thousand steps, and what the runner adds to each step, beside the scheduler that
// one writes in twenty lines of JavaScript.

import { race, result } from "./harness.mjs";

const WIDE = 100;
const DEEP = 10;

/** A thousand steps: ten layers of a hundred, each step adds two of the layer before. */
export function layered() {
  const steps = [];
  for (let layer = 0; layer < DEEP; layer += 1) {
    for (let at = 0; at < WIDE; at += 1) {
      const name = `s${layer}_${at}`;
      const needs = layer === 0 ? [] : [`s${layer - 1}_${at}`, `s${layer - 1}_${(at + 1) % WIDE}`];
      steps.push({ name, needs });
    }
  }
  return steps;
}

export function planText(steps) {
  const lines = steps.map(({ name, needs }, n) => `$${name} = COMPUTE ${needs.length === 0 ? n : needs.map((need) => `$${need}`).join(" + ")}`);
  return `${lines.join("\n")}\n`;
}

/** The plain runner: every step waits for those it needs. */
export async function promiseRunner(steps, run) {
  const done = new Map();
  for (const { name, needs } of steps) {
    done.set(name, Promise.all(needs.map((need) => done.get(need))).then((values) => run(name, values)));
  }
  return Promise.all(done.values());
}

export async function plans({ open, say }) {
  const steps = layered();
  const text = planText(steps);
  const session = await open({ name: "plans", storage: "memory", host: "here", clock: 0 });
  const checked = await session.query({ type: "check_plan", plan: text });
  const bad = (checked.diagnostics ?? []).filter((one) => one.severity === "error");
  if (bad.length > 0) throw new Error(`the plan of the benchmark has errors: ${JSON.stringify(bad[0])}`);
  say(`  a plan of ${steps.length} steps, ${text.length} bytes`);
  const check = await race({ throughline: () => session.query({ type: "check_plan", plan: text }) }, { rounds: 5 });
  const small = planText(steps.slice(0, WIDE));
  const tenth = await race({ throughline: () => session.query({ type: "check_plan", plan: small }) }, { rounds: 5 });
  const runner = await race(
    {
      throughline: async () => {
        const run = await session.startRun(text);
        const view = await session.run(run.result.run);
        if (view.row.status !== "done") throw new Error(`the run of the benchmark is ${view.row.status}`);
      },
      "JavaScript Promise.all": () => promiseRunner(steps, async (name, values) => values.reduce((a, b) => a + b, 1)),
    },
    { rounds: 3 },
  );
  await session.close();
  const per = (times) => Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, (ms * 1_000) / steps.length]));
  return {
    results: [
      result("plan-check", "a plan of 1,000 steps read and checked", "ms", { "1,000 steps": check.throughline, "100 steps": tenth.throughline }, {
        ours: "100 steps",
        growth: { what: "1,000 steps against 100", ratio: check.throughline / tenth.throughline, limit: 20 },
      }),
      result("plan-step", "one step of a run: scheduled, computed, on record with its evidence", "µs", per(runner)),
    ],
    differences: [],
  };
}
