// Plans through the package: addresses, diagnosis, reruns, answers; and the command line's diagnosis.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { encode, httpTool, open, remove } from "../dist/node.js";

const bin = fileURLToPath(new URL("../bin/throughline.mjs", import.meta.url));

/** Ends with the code and what was printed. */
const cli = (...args) =>
  new Promise((resolve) =>
    execFile(process.execPath, [bin, ...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr })),
  );

const domain = {
  name: "d",
  version: "1",
  sources: { api: { url: "https://api.example.org/{city}", max_age: "PT1M" }, report: {} },
};

async function session(name, options = {}) {
  return open({ name, storage: "memory", clock: 1_772_496_000_000, domain, documents: [{ name: "report", text: "Yield rate: 91.70 %" }], ...options });
}

test("an address is asked by the tool that the host gives, and its answer is a document", async () => {
  const asked = [];
  const fetch = async (url, request) => {
    asked.push([url, request.method, request.credentials, request.headers.authorization]);
    return new Response('{"t": 21.50}', { status: 200, headers: { "content-type": "application/json" } });
  };
  const headers = { "https://api.example.org/": { authorization: "secret" } };
  const here = await session("http", { tools: { http: httpTool({ fetch, headers }) } });
  await here.startRun('$a = GET api(city: "Ulm")\n$t = EXTRACT $a JSONPATH "$.t" AS number');
  await here.settled();
  const run = await here.run();
  assert.equal(run.row.status, "done");
  assert.equal(encode(run.steps[1].output), "21.5");
  assert.deepEqual(asked, [["https://api.example.org/Ulm", "GET", "omit", "secret"]]);
  const answer = await here.renderAnswer({ template: "{{ $t }} degrees" });
  assert.equal(answer.text, "21.50[1] degrees");
  assert.deepEqual(await here.verifyAnswer(answer), []);
  assert.ok(!(await here.export()).text.includes("secret"));
  await here.close();
  await remove("http", { storage: "memory" });
});

test("without a tool for it an address fails by name", async () => {
  const here = await session("none");
  await here.startRun('$a = GET api(city: "Ulm")');
  await here.settled();
  assert.equal((await here.run()).steps[0].code, "no-tool");
  await here.close();
  await remove("none", { storage: "memory" });
});

test("a run is diagnosed here and on the command line, and the change works", async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  try {
    const here = await session("diagnosed");
    const plan = '$r = GET report\n$x = EXTRACT $r PATTERN r"Yield: ([0-9.]+)" AS number\n$y = COMPUTE $x * 2';
    const { result } = await here.startRun(plan);
    await here.settled();
    const found = await here.diagnose();
    assert.match(found.cause, /^\$x \(EXTRACT\) failed: the pattern/);
    assert.equal(found.near.quote, "Yield rate: 91.70 %");
    const [planFile, runFile, journal] = ["plan.json", "run.json", "journal.jsonl"].map((file) => join(folder, file));
    await writeFile(planFile, JSON.stringify({ plan }));
    await writeFile(runFile, encode(await here.run(result.run)));
    await writeFile(journal, (await here.export()).text);
    for (const file of [runFile, journal]) {
      const { code, stdout } = await cli("diagnose", planFile, file);
      assert.equal(code, 1, stdout);
      assert.match(stdout, /^cause: \$x \(EXTRACT\) failed/);
      assert.match(stdout, /near: {2}"Yield rate: 91.70 %" \(report, bytes 0 to 19\)/);
      assert.match(stdout, /write: r"Yield\\s\+rate:\\s\+\(\[0-9\]\[0-9,\.\]\*\)"/);
    }
    const again = await here.rerun(result.run, { plan: found.repaired });
    await here.settled();
    const run = await here.run(again.result.run);
    assert.deepEqual(run.reruns.marks, { reused: 1, recomputed: 2 });
    assert.equal(encode(run.steps[2].output), "183.4");
    await writeFile(runFile, encode(run));
    assert.deepEqual((await cli("diagnose", planFile, runFile)).code, 0);
    await here.close();
    await remove("diagnosed", { storage: "memory" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a run is paused, edited and continued", async () => {
  const here = await session("debugged");
  const { result } = await here.startRun("$a = COMPUTE 1\n$b = COMPUTE $a + 1", { breakpoints: [{ step: "b" }] });
  await here.settled();
  assert.equal((await here.run()).paused_at, "before $b");
  await here.editBinding(result.run, "a", 41);
  await here.setBreakpoints(result.run, []);
  await here.continueRun(result.run);
  await here.settled();
  assert.equal(encode((await here.run()).steps[1].output), "42");
  await here.close();
  await remove("debugged", { storage: "memory" });
});
