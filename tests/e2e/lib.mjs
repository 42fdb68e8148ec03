// What every journey needs: the built page on a free port, a browser, and an account of everything
// that a person should never see (errors on the console, requests to other places).

import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, extname, join, normalize, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, "../..");
export const DIST = join(ROOT, "dist");

/** Without the last of these, Chromium asks its maker's hosts at every start. */
const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const MEDIA_TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/**
 * Serves a folder on a free port, below any path, without special headers: as the poorest static host does.
 *
 * @param {string} [folder] what is served; the built page by default
 * @param {{ below?: string }} [options] the path that the folder appears at, such as "/a/b/"
 * @returns {Promise<{ url: string, requests: string[], close(): Promise<void> }>}
 */
export async function serve(folder = DIST, { below = "/" } = {}) {
  if (!existsSync(join(folder, "index.html"))) {
    throw new Error(`${folder} holds no index.html: run \`cargo xtask build\` first`);
  }
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    requests.push(path);
    const file = path.startsWith(below) ? normalize(join(folder, path.slice(below.length))) : null;
    try {
      if (!file || (file !== normalize(folder) && !file.startsWith(normalize(folder + sep)))) throw new Error("outside");
      const name = (await stat(file)).isDirectory() ? join(file, "index.html") : file;
      const body = await readFile(name);
      response.writeHead(200, { "content-type": MEDIA_TYPES[extname(name)] ?? "application/octet-stream" });
      response.end(request.method === "HEAD" ? undefined : body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("there is no such file\n");
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}${below}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

/** Starts Chromium: the one in CHROMIUM, or Debian's. */
export function launch(options = {}) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: CHROMIUM_FLAGS, ...options });
}

/**
 * A fresh browser profile with one page, and everything noteworthy that happens in it:
 * `errors` (console errors, uncaught errors, failed requests) and `foreign` (requests to
 * other hosts, which are blocked but for the origins in `reach`). `offline()` blocks every request from then on.
 */
export async function openPage(browser, url, { reach = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const errors = [];
  const foreign = [];
  const home = new URL(url).origin;
  await context.route(
    (target) => /^(https?|wss?):$/.test(target.protocol) && target.origin !== home && !reach.includes(target.origin),
    (route) => {
      foreign.push(route.request().url());
      return route.abort();
    },
  );
  const watch = (page) => {
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => errors.push(`uncaught: ${error.message}`));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText ?? "";
      // A request that a navigation or a closing page cuts off is nobody's error.
      if (!foreign.includes(request.url()) && reason !== "net::ERR_ABORTED") errors.push(`request: ${request.url()} ${reason}`);
    });
  };
  context.on("page", watch);
  const page = await context.newPage();
  await page.goto(url);
  const offline = () => context.setOffline(true);
  return { context, page, errors, foreign, offline, close: () => context.close() };
}

/** Waits until `predicate` (run in the page) gives something true. */
export function until(page, predicate, argument, timeout = 15_000) {
  return page.waitForFunction(predicate, argument, { timeout });
}

/** Waits until the page says that it is at rest. What was just done needs a moment to say that it is under way. */
export async function rest(page) {
  await page.waitForTimeout(80);
  await until(page, () => document.body?.dataset.ready === "true", undefined, 60_000);
}

/** Writes a picture of the page to tests/e2e/screenshots, for a person to look at. */
export async function screenshot(page, name) {
  const folder = join(HERE, "screenshots");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** The accessibility faults that axe finds in the page as it is now, one line each. */
export async function accessibilityFaults(page) {
  const source = await readFile(join(HERE, "node_modules/axe-core/axe.min.js"), "utf8");
  // Evaluated by the driver, so the page's own content policy stays as strict as it is.
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((fault) => `${fault.id} (${fault.impact}): ${fault.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}
