// node --expose-gc tests/bench/run.mjs [GROUP] [--quick] [--node] [--chromium] [--page] [--native FILE]
// [--sizes 10000,1000000]
// Measures in Node and then in Chromium, prints the ratios and writes docs/benchmarks.md; `cargo xtask bench` does the
// set-up. What a group found is kept in target/bench: `--page` writes the page from the latest of each. Ends with 1
// where a floor is missed or two contestants answer differently.

import { build } from "esbuild";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { launch, openPage, ROOT, serve } from "../e2e/lib.mjs";
import { GROUPS, measure } from "./groups.mjs";
import { lines, page, verdicts } from "./report.mjs";

const words = process.argv.slice(2);
const flag = (name) => words.includes(name);
const native = flag("--native") ? words[words.indexOf("--native") + 1] : undefined;
const given = flag("--sizes") ? words[words.indexOf("--sizes") + 1] : undefined;
const only = words.find((word) => !word.startsWith("--") && word !== native && word !== given) ?? "";
const say = (line) => console.log(line);
const how = { quick: flag("--quick"), sizes: given?.split(",").map(Number) };

const runs = [];
const groups = Object.keys(GROUPS).filter((name) => name.includes(only));
const store = join(ROOT, "target/bench/found");
mkdirSync(store, { recursive: true });

function keep(where, group, of) {
  runs.push({ where, group, ...of });
  if (!how.quick) writeFileSync(join(store, `${where.split(" ")[0].toLowerCase()}-${group}.json`), JSON.stringify({ where, group, ...of }));
  say("");
  for (const line of lines(of.results)) say(line);
  say("");
}

/** The latest of every group, as one run for each place. */
function found() {
  return ["native", "node", "chromium"]
    .map((place) => {
      const names = place === "native" ? ["native"] : Object.keys(GROUPS);
      const absent = names.filter((group) => !existsSync(join(store, `${place}-${group}.json`)));
      const all = names.map((group) => join(store, `${place}-${group}.json`)).filter(existsSync).map((file) => JSON.parse(readFileSync(file, "utf8")));
      return { where: all[0]?.where, results: all.flatMap(({ results }) => results), differences: all.flatMap(({ differences }) => differences), missing: [...all.flatMap(({ missing }) => missing ?? []), ...absent.map((group) => `the group ${group}`)] };
    })
    .filter(({ where }) => where !== undefined);
}

if (native !== undefined && existsSync(native)) {
  keep("Native", "native", { results: JSON.parse(readFileSync(native, "utf8")).filter((one) => one.id.includes(only)), differences: [] });
}

if (!flag("--chromium") && !flag("--page")) {
  const { open, remove } = await import("../../web/npm/dist/node.js");
  say("In Node");
  for (const group of groups) keep(`Node ${process.versions.node}`, group, await measure(group, { ...how, open, remove, say }));
}

if (!flag("--node") && !flag("--page")) {
  const folder = join(ROOT, "target/bench/page");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const require = createRequire(import.meta.url);
  const built = await build({
    entryPoints: [join(ROOT, "tests/bench/page.mjs")],
    bundle: true,
    format: "esm",
    platform: "browser",
    external: ["/throughline/*", "node:*", "fs", "path", "crypto"],
    outfile: join(folder, "page.js"),
    logLevel: "error",
  });
  if (built.errors.length > 0) throw new Error("the page of the benchmark does not build");
  cpSync(join(ROOT, "web/npm/dist"), join(folder, "throughline"), { recursive: true });
  const duck = dirname(require.resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm"));
  mkdirSync(join(folder, "duckdb"));
  for (const file of ["duckdb-eh.wasm", "duckdb-browser-eh.worker.js"]) cpSync(join(duck, file), join(folder, "duckdb", file));
  cpSync(require.resolve("sql.js/dist/sql-wasm.wasm"), join(folder, "sql-wasm.wasm"));
  cpSync(join(ROOT, "tests/bench/node_modules/@sqlite.org/sqlite-wasm/sqlite-wasm/jswasm/sqlite3.wasm"), join(folder, "sqlite3.wasm"));
  writeFileSync(join(folder, "index.html"), '<!doctype html><meta charset="utf-8"><title>bench</title><script type="module" src="./page.js"></script>\n');
  const site = await serve(folder);
  const browser = await launch();
  try {
    say("In Chromium");
    // A page of its own for each group: what one leaves behind is no burden for the next.
    for (const group of groups) {
      const { page: tab } = await openPage(browser, site.url);
      tab.setDefaultTimeout(0);
      tab.on("console", (message) => say(`  ${message.text()}`));
      await tab.waitForFunction(() => globalThis.bench !== undefined);
      const of = await tab.evaluate(([group, options]) => globalThis.bench(group, options), [group, how]);
      keep(`Chromium ${browser.version()}`, group, of);
      await tab.close();
    }
  } finally {
    await browser.close();
    await site.close();
  }
}

if (flag("--page") || (only === "" && !how.quick && !flag("--node") && !flag("--chromium"))) writeFileSync(join(ROOT, "docs/benchmarks.md"), page(found()));
const failed = runs.flatMap(({ where, results }) => verdicts(results).filter(({ ok }) => ok === false).map((one) => `${where}: ${one.what}`));
const different = runs.flatMap(({ where, differences }) => differences.map((one) => `${where}: ${one}`));
for (const one of failed) say(`below the floor: ${one}`);
for (const one of different) say(`different answers: ${one}`);
process.exit(failed.length + different.length === 0 || how.quick ? 0 : 1);
