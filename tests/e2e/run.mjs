// node tests/e2e/run.mjs [PART OF A NAME]
// Runs every journey in tests/e2e/*.e2e.mjs against the built page; `cargo xtask build` first.

import { readdirSync } from "node:fs";
import { launch, serve } from "./lib.mjs";
import { runAll } from "./runner.mjs";

const here = new URL("./", import.meta.url);
for (const file of readdirSync(here).filter((name) => name.endsWith(".e2e.mjs")).sort()) {
  await import(new URL(file, here));
}
const site = await serve();
const browser = await launch();
let failed = 1;
try {
  failed = await runAll({ filter: process.argv[2], shared: { browser, site } });
} finally {
  await browser.close();
  await site.close();
}
process.exit(failed === 0 ? 0 : 1);
