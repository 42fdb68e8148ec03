// The same journal gives the same digests natively, in Node and in Chromium.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT, openPage } from "./lib.mjs";
import { journey } from "./runner.mjs";

const run = promisify(execFile);
const SCENARIOS = join(ROOT, "tests/scenarios");

journey("the same journal gives the same digests natively, in Node and in Chromium", async ({ browser, site }) => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-digests-"));
  const files = (await readdir(SCENARIOS)).filter((file) => file.endsWith(".json")).map((file) => join(SCENARIOS, file));
  const cargo = ["run", "--quiet", "--locked", "--package", "xtask", "--features", "scenario", "--bin", "throughline-scenario", "--"];
  const { stdout } = await run("cargo", [...cargo, "--export", folder, ...files], { cwd: ROOT, maxBuffer: 64 << 20 });
  const reports = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(reports.length, files.length);

  const { open } = await import(join(ROOT, "web/npm/dist/node.js"));
  const { page, close } = await openPage(browser, site.url);
  await page.evaluate(async () => {
    globalThis.openJournal = (await import(new URL("./throughline/index.js", document.baseURI).href)).open;
  });
  for (const { file, digests } of reports) {
    const name = file.split("/").at(-1).replace(/\.json$/, "");
    const text = await readFile(join(folder, `${name}.jsonl`), "utf8");
    const session = await open({ name, storage: "memory", clock: 0 });
    await session.import(text);
    // What is due goes on after the import; the digests are those of the file's last record.
    const inNode = await session.at({ seq: digests.seq }).digests();
    await session.close();
    const inPage = await page.evaluate(
      async ([text, name, seq]) => {
        const session = await globalThis.openJournal({ name, storage: "indexeddb", clock: 0 });
        await session.import(text);
        const digests = await session.at({ seq }).digests();
        await session.close();
        return digests;
      },
      [text, `digests-${name}`, digests.seq],
    );
    const of = ({ chain, history, content, seq }) => ({ chain, history, content, seq });
    assert.deepEqual(of(inNode), of(digests), `${name}: Node and native`);
    assert.deepEqual(of(inPage), of(digests), `${name}: Chromium and native`);
  }
  await close();
  await rm(folder, { recursive: true, force: true });
});
