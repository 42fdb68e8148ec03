// The page as such: it starts, from any path, quietly, and says so where it cannot.

import assert from "node:assert/strict";
import { accessibilityFaults, openPage, screenshot, serve, until } from "./lib.mjs";
import { journey } from "./runner.mjs";

/** The page has started when boot's own element has given way to the inspector. */
const started = (page) => until(page, () => document.body.childElementCount > 0 && !document.querySelector("#boot"));

journey("the page starts without an error and asks nobody else for anything", async ({ browser, site }) => {
  const { page, errors, foreign, close } = await openPage(browser, site.url);
  await started(page);
  await screenshot(page, "start");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
  await close();
});

journey("the page starts below any path, without special headers from the host", async ({ browser }) => {
  const site = await serve(undefined, { below: "/some/where/" });
  const { page, errors, close } = await openPage(browser, site.url);
  await started(page);
  assert.deepEqual(errors, []);
  assert.deepEqual(site.requests.filter((path) => !path.startsWith("/some/where/")), []);
  await close();
  await site.close();
});

journey("a browser without WebAssembly is told so in words", async ({ browser, site }) => {
  const context = await browser.newContext();
  await context.addInitScript(() => delete globalThis.WebAssembly);
  const page = await context.newPage();
  await page.goto(site.url);
  await until(page, () => document.querySelector("#boot")?.textContent.includes("WebAssembly"));
  await context.close();
});

journey("a page whose files are broken says so instead of staying empty", async ({ browser, site }) => {
  const context = await browser.newContext();
  await context.route("**/inspector_bg.wasm", (route) => route.fulfill({ status: 404, body: "gone" }));
  const page = await context.newPage();
  await page.goto(site.url);
  await until(page, () => /could not be started/.test(document.querySelector("#boot")?.textContent ?? ""));
  await context.close();
});

journey("without JavaScript the page still says what it needs", async ({ browser, site }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(site.url);
  assert.match(await page.locator("noscript").innerText(), /JavaScript/);
  await context.close();
});

journey("the content policy refuses inline scripts, foreign scripts and eval", async ({ browser, site }) => {
  const { page, close } = await openPage(browser, site.url);
  await started(page);
  const refused = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
    const inline = document.createElement("script");
    inline.textContent = "globalThis.inlineRan = true";
    const foreign = document.createElement("script");
    foreign.src = "https://example.org/a.js";
    document.head.append(inline, foreign);
    const form = document.createElement("form");
    form.action = "https://example.org/";
    form.method = "post";
    document.body.append(form);
    form.submit();
    await new Promise((done) => setTimeout(done, 300));
    form.remove();
    let evaluated = true;
    try {
      // Called so that it is the page's own eval, under the page's own policy.
      setTimeout("globalThis.evalRan = true");
      await new Promise((done) => setTimeout(done, 100));
      evaluated = Boolean(globalThis.evalRan);
    } catch {
      evaluated = false;
    }
    return { inline: Boolean(globalThis.inlineRan), evaluated, violations: [...new Set(violations)].sort() };
  });
  assert.equal(refused.inline, false);
  assert.equal(refused.evaluated, false);
  for (const directive of ["script-src-elem", "form-action"]) {
    assert.ok(refused.violations.includes(directive), `${directive} not among ${refused.violations}`);
  }
  await close();
});

journey("the first page has no accessibility faults that axe knows", async ({ browser, site }) => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await openPage(browser, site.url, { colorScheme });
    await started(page);
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
    await close();
  }
});
