// The large views: a wasm file of their own, loaded when one of them is shown first.

import assert from "node:assert/strict";
import { openPage, until } from "./lib.mjs";
import { journey } from "./runner.mjs";

const LARGE = ["plan", "state", "world", "memory", "compare", "model"];

const rest = (page) => until(page, () => document.body.dataset.ready === "true", undefined, 30_000);

journey("a large view is loaded when it is shown first, follows the cursor, and leaves the page at rest", async ({ browser, site }) => {
  const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-courier/facts`);
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await rest(page);
  assert.equal(asked.some((path) => path.endsWith("views_bg.wasm")), false);
  for (const name of LARGE) {
    await page.locator(`#tab-${name}`).click();
    await rest(page);
    await page.locator("#view .panel").first().waitFor();
    assert.equal(await page.locator("#view .spinner").count(), 0, name);
  }
  assert.equal(asked.filter((path) => path.endsWith("views_bg.wasm")).length, 1, "once for all of them");
  const at = async () => page.locator("#view .panel-at").first().innerText();
  const before = await at();
  await page.getByRole("button", { name: "One back" }).click();
  await rest(page);
  assert.notEqual(await at(), before, "the view is of the record that the person looks at");
  assert.deepEqual(errors, []);
  await close();
});

journey("a large view that cannot be loaded says so and is tried again", async ({ browser, site }) => {
  const { page, close } = await openPage(browser, `${site.url}#/run/demo-courier/facts`);
  await rest(page);
  await page.route("**/views_bg.wasm", (route) => route.abort());
  await page.locator("#tab-world").click();
  const again = page.locator("#view").getByRole("button", { name: "Try again" });
  await again.waitFor();
  await rest(page);
  await page.unroute("**/views_bg.wasm");
  await again.click();
  await page.locator("#view .panel").first().waitFor();
  await rest(page);
  await close();
});
