// A test runner of fifty lines: journeys one after the other, a time limit for each, the sum as the last line.

const journeys = [];
const TIME_LIMIT_MS = 120_000;

/** A reason why a journey cannot be made here: thrown, it makes the journey count as skipped. */
export class Skip extends Error {}

/** Adds a journey. Its name is a sentence; it fails by throwing. */
export function journey(name, run) {
  journeys.push({ name, run });
}

/** Runs all journeys whose name contains `filter` and gives the number of those that failed. */
export async function runAll({ filter = "", shared }) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, run } of journeys.filter((one) => one.name.includes(filter))) {
    const start = performance.now();
    const took = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    try {
      await withLimit(run(shared));
      count.passed += 1;
      console.log(`ok      ${name} (${took()})`);
    } catch (error) {
      if (error instanceof Skip) {
        count.skipped += 1;
        console.log(`skipped ${name}: ${error.message}`);
      } else {
        count.failed += 1;
        console.log(`FAILED  ${name} (${took()})\n        ${String(error.stack ?? error).replaceAll("\n", "\n        ")}`);
      }
    }
  }
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
  console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
  return count.failed;
}

async function withLimit(promise) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${TIME_LIMIT_MS / 1000} s`)), TIME_LIMIT_MS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
