// node tests/consumers/run.mjs TARBALL
// Installs the packed npm package as its users do (a Vite project, a Node project) and tries it there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, openPage, serve, until } from "../e2e/lib.mjs";
import { Skip, journey, runAll } from "../e2e/runner.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const tarball = resolve(process.argv[2] ?? "");
if (!existsSync(tarball)) {
  console.error("say which tarball to try: node tests/consumers/run.mjs TARBALL");
  process.exit(2);
}

/** A fresh copy of a template with the tarball installed. Outside of the work tree's own node_modules. */
function project(template) {
  const folder = join(HERE, "../../target/xtask/consumers", template);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(HERE, template), folder, { recursive: true });
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", tarball], folder);
  return folder;
}

/** Runs a program and gives what it printed; its error output is in the error when it fails. */
function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 100_000 });
}

const files = (folder) => readdirSync(folder, { recursive: true }).map(String);

journey("a Node project installs the tarball and uses the package from its script", () => {
  const folder = project("node");
  const printed = run("node", ["use.mjs"], folder);
  assert.match(printed, /\bok\b/, printed);
});

journey("the installed command verifies a journal that the script exported and refuses a broken one", () => {
  const folder = join(HERE, "../../target/xtask/consumers/node");
  const installed = join(folder, "node_modules/.bin/throughline");
  const exported = join(folder, "exported.journal");
  assert.ok(existsSync(exported), "use.mjs writes exported.journal");
  run(installed, ["verify", exported], folder);
  const broken = join(folder, "broken.journal");
  assert.ok(existsSync(broken), "use.mjs writes broken.journal");
  assert.throws(() => run(installed, ["verify", broken], folder), "a broken journal must not verify");
});

journey("a Vite project builds with the tarball, without any configuration", () => {
  const folder = project("vite");
  run("node", [join(HERE, "node_modules/vite/bin/vite.js"), "build", "--base", "./"], folder);
  const built = files(join(folder, "dist"));
  assert.equal(built.filter((name) => name.endsWith(".wasm")).length, 1, `one wasm file in ${built}`);
});

journey("the page that Vite built runs in a browser and keeps its journal over a reload", async () => {
  if (!process.env.CHROMIUM) throw new Skip("no Chromium was found");
  const folder = join(HERE, "../../target/xtask/consumers/vite/dist");
  assert.ok(existsSync(folder), "the Vite build has failed");
  const site = await serve(folder, { below: "/sub/path/" });
  const browser = await launch();
  try {
    const { page, errors, foreign } = await openPage(browser, site.url);
    const answered = () => until(page, () => document.body.dataset.answer);
    await answered();
    const first = await page.evaluate(() => document.body.dataset.answer);
    await page.reload();
    await answered();
    const second = await page.evaluate(() => document.body.dataset.answer);
    assert.equal(first, "1 after 0", first);
    assert.equal(second, "2 after 1", second);
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  } finally {
    await browser.close();
    await site.close();
  }
});

process.exit((await runAll({})) === 0 ? 0 : 1);
