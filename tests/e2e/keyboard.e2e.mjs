// The inspector with keys alone: no pointer is used. Whatever has the focus is seen, has a name and an outline, and the
// focus is never lost when what had it goes.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fakeProvider } from "../../web/npm/test/fake-provider.mjs";
import { openPage, rest, screenshot, until } from "./lib.mjs";
import { journey } from "./runner.mjs";

const KEY = "sk-typed-with-keys-alone-0123456789";
const VALUE = { intent: "note", confidence: 0.9, entities: [], facts: [{ key: "budget", value: 20000 }] };
const DOMAIN = {
  name: "notes",
  version: "1",
  entity_types: { shop: { fields: { town: { type: "text" } } } },
  facts: { budget: { value: { type: "integer" } } },
  intents: { note: { description: { en: "Notes a budget" }, answer: "noted" } },
  answers: { noted: { template: { en: "Noted: {{ facts.budget }}." } } },
};


/** What has the focus, as a person meets it; `wrong` says what is the matter with it. */
const focus = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return { tag: "BODY", name: "", panel: "", wrong: "nothing has the focus" };
    const label = element.labels?.[0]?.innerText ?? "";
    const name = (element.getAttribute("aria-label") || label || element.innerText || "").trim().replaceAll(/\s+/g, " ");
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    // A field in a frame of its own may leave the outline to the frame.
    const outlined = [element, element.closest(".plan-scroll")].some((one) => {
      const { outlineStyle, outlineWidth } = one === null ? {} : getComputedStyle(one);
      return one !== null && outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
    });
    const around = element.closest("label")?.getBoundingClientRect();
    const place = element.closest("[data-panel]")?.dataset.panel ?? element.closest("section, header, nav, dialog")?.className ?? "";
    const wrong =
      name === "" && element.id === "" ? "no name"
      : !element.matches(":focus-visible") || !outlined ? "no outline"
      : width < 8 || height < 8 || bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth ? "not seen"
      : document.elementFromPoint(Math.min(Math.max(left + 3, 0), innerWidth - 1), Math.min(Math.max(top + 3, 0), innerHeight - 1)) === null && around === undefined ? "not seen"
      : "";
    return { tag: element.tagName, name, panel: place, expanded: element.getAttribute("aria-expanded"), wrong };
  });

/** Goes on with Tab (or back) until what has the focus is called so, in that panel when one is given. */
async function tabTo(page, name, { panel, back = false, most = 120 } = {}) {
  for (let i = 0; i < most; i += 1) {
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
    const now = await focus(page);
    // Between the end of the page and its beginning the focus is the browser's.
    if (now.tag === "BODY") continue;
    assert.equal(now.wrong, "", `${now.tag} “${now.name.slice(0, 60)}” in ${now.panel}`);
    if ((typeof name === "string" ? now.name === name : name.test(now.name)) && (panel === undefined || now.panel.includes(panel))) return now;
  }
  throw new Error(`Tab does not come to ${name}`);
}

const panel = (page, name) => page.locator(`[data-panel="${name}"]`);

journey("with keys alone a model is set up, tested, asked, stopped, recorded, looked at and played again", async ({ browser, site }) => {
  const fake = await fakeProvider();
  fake.script("slow", { reply: { thinking: "A budget is named.", text: JSON.stringify(VALUE), usage: [120, 24] }, size: 40, pause: 60 });
  const { page, errors, close } = await openPage(browser, site.url, { locale: "en-GB", reach: [new URL(fake.url).origin] });
  await rest(page);
  // A window that has just come up may not have the keyboard yet.
  await page.bringToFront();
  const chosen = page.waitForEvent("filechooser");
  const again = setInterval(() => void page.keyboard.press("Control+o").catch(() => {}), 2_000);
  await page.keyboard.press("Control+o");
  const chooser = await chosen;
  clearInterval(again);
  await chooser.setFiles({ name: "notes.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(DOMAIN)) });
  await page.waitForURL(/#\/run\/notes/);
  await rest(page);

  // To the view, and through its settings.
  await page.keyboard.press("m");
  await until(page, () => document.activeElement?.id === "tab-model");
  await rest(page);
  await tabTo(page, "Provider");
  await page.keyboard.type("compat");
  await tabTo(page, "Address");
  await page.keyboard.type(`${fake.url}/slow`);
  await tabTo(page, "Model", { panel: "settings" });
  await page.keyboard.type("fake-1");
  await tabTo(page, "Key");
  await page.keyboard.type(KEY);
  // Enter in a field tests what is typed.
  await page.keyboard.press("Enter");
  await panel(page, "settings").getByText("It answers.").waitFor();
  assert.equal((await focus(page)).name, "Key", "the focus stays in the field");
  await tabTo(page, "More settings");
  await page.keyboard.press("Enter");
  await tabTo(page, "A million tokens in cost");
  await page.keyboard.type("3");
  await tabTo(page, "A million tokens out cost");
  await page.keyboard.type("15");
  await tabTo(page, "Use it for this journal");
  await page.keyboard.press("Space");
  await panel(page, "settings").getByText("compatible fake-1 answers.").waitFor();
  assert.equal((await focus(page)).name, "Use it for this journal");

  // Asked, seen to come in, and stopped.
  await tabTo(page, "Record a cassette");
  await page.keyboard.press("Space");
  await panel(page, "exchanges").getByText("Every reply is being recorded").waitFor();
  await tabTo(page, "Ask the agent", { back: true });
  await page.keyboard.type("My budget is 20000.");
  await page.keyboard.press("Enter");
  await panel(page, "exchanges").locator(".live pre").last().waitFor();
  await tabTo(page, "Stop", { panel: "exchanges" });
  await page.keyboard.press("Enter");
  await page.locator(".turn .status-stopped").waitFor();
  await rest(page);
  const after = await focus(page);
  assert.equal(after.panel, "exchanges", `after Stop the focus is at ${after.tag} “${after.name}”`);

  // Asked again; the exchange is opened and closed, its stream with it.
  await tabTo(page, "Ask the agent", { back: true });
  await page.keyboard.type("My budget is 20000.");
  await page.keyboard.press("Enter");
  await page.locator(".turn").nth(1).locator(".status-answered").waitFor();
  await rest(page);
  await tabTo(page, /^Show the exchange of record \d+$/);
  await page.keyboard.press("Enter");
  await panel(page, "exchanges").locator("pre.value").waitFor();
  assert.match((await focus(page)).name, /^Hide the exchange/);
  await tabTo(page, /^The stream as it came/);
  await page.keyboard.press("Space");
  assert.match(await panel(page, "exchanges").locator("details[open] pre").first().innerText(), /data: /);
  await screenshot(page, "keyboard-exchange");
  await tabTo(page, /^Hide the exchange/, { back: true });
  await page.keyboard.press("Space");
  await panel(page, "exchanges").locator("pre.value").waitFor({ state: "detached" });
  assert.match((await focus(page)).name, /^Show the exchange/);

  // The cassette is saved; the figures are a table; a turn's record is gone to.
  await tabTo(page, "Stop and save the cassette", { back: true });
  const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  assert.ok(!(await readFile(await saved.path(), "utf8")).includes(KEY));
  await rest(page);
  assert.equal((await focus(page)).name, "Record a cassette");
  await tabTo(page, "The turns as a table");
  await page.keyboard.press("Enter");
  const turn = await tabTo(page, /^Go to record \d+$/, { panel: "metrics" });
  await page.keyboard.press("Enter");
  const seq = turn.name.replace(/\D/g, "");
  await page.waitForURL(new RegExp(`s=${seq}\\b`));
  await page.keyboard.press("End");
  await rest(page);

  // Help comes and goes, and the focus is where it was.
  const before = await focus(page);
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  assert.equal((await focus(page)).wrong, "");
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  assert.equal((await focus(page)).name, before.name);
  assert.deepEqual(errors, []);
  await close();
  await fake.close();
});

journey("with keys alone an action is approved, and the focus stays with the conversation", async ({ browser, site }) => {
  const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-credit/model`, { locale: "en-GB" });
  await rest(page);
  const question = await page.locator(".suggestion").first().innerText();
  await tabTo(page, question);
  await page.keyboard.press("Enter");
  await page.locator(".question button").first().waitFor({ timeout: 30_000 });
  await rest(page);
  const option = await page.locator(".question button").first().innerText();
  await tabTo(page, option);
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector(".question") === null, undefined, 30_000);
  await rest(page);
  const now = await focus(page);
  assert.match(now.panel, /conversation/, `after the answer the focus is at ${now.tag} “${now.name}”`);
  assert.deepEqual(errors, []);
  await close();
});

journey("with keys alone every view is gone through: whatever has the focus is seen, named and outlined", async ({ browser, site }) => {
  for (const [demo, views, width] of [["breakfast", ["8"], 1280], ["courier", ["1", "2", "3", "4", "5", "6", "7", "9", "c", "m"], 1280], ["courier", ["m"], 390], ["breakfast", ["8"], 390]]) {
    const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-${demo}/overview`, { locale: "en-GB", viewport: { width, height: 800 } });
    await rest(page);
    await page.locator(".suggestion").first().press("Enter");
    await rest(page);
    for (const view of views) {
      await page.keyboard.press(view);
      await until(page, () => document.activeElement?.getAttribute("role") === "tab");
      await rest(page);
      // Through the view, to what comes behind it.
      let inside = 0;
      for (let i = 0; i < 150; i += 1) {
        await page.keyboard.press("Tab");
        const { tag, name, panel, wrong } = await focus(page);
        if (tag === "BODY") break;
        assert.equal(wrong, "", `view ${view} at ${width}: ${tag} “${name.slice(0, 60)}” in ${panel}`);
        if (!(await page.evaluate(() => document.getElementById("view").contains(document.activeElement)))) break;
        inside += 1;
      }
      assert.ok(inside > 0, `view ${view} is entered with Tab`);
    }
    assert.deepEqual(errors, []);
    await close();
  }
});

journey("with keys alone records are bookmarked, found again, and the memory's events stand in the timeline's place", async ({ browser, site }) => {
  const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-breakfast/overview`, { locale: "en-GB" });
  await rest(page);
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  await page.keyboard.press("b");
  await page.waitForURL(/[?&]k=2\b/);
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await page.keyboard.press("b");
  await page.waitForURL(/k=2,4\b/);
  await page.keyboard.press("B");
  await page.waitForURL(/s=2\b/);
  await page.keyboard.press("B");
  await page.waitForURL(/s=4\b/);
  assert.equal(await page.getByRole("button", { name: "Bookmark this record" }).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("b");
  await page.waitForURL((url) => /k=2(&|$)/.test(url.hash));
  await page.keyboard.press("End");

  await tabTo(page, "Remembered");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector(".axis-alone .axis-base")?.dataset.parts > 0);
  await tabTo(page, "Time axis");
  await page.keyboard.press("End");
  assert.match(await page.locator(".axis-alone [role=status]").innerText(), /: \d+ events/);
  await page.keyboard.press("+");
  await page.keyboard.press("b");
  await page.waitForURL(/m=\d+/);
  // The part under the marker is opened in the memory's view, with its window.
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/memory\?.*w=\d+\.\.\d+/);
  await rest(page);
  assert.match(await page.getByLabel("Not before").inputValue(), /^\d{4}-/);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.hash.includes("w="));
  await until(page, () => [...document.querySelectorAll("label")].find((label) => label.innerText.startsWith("Not before"))?.control.value === "");
  // A link has the window and the bookmarks.
  await page.goto("about:blank");
  await page.goto(`${site.url}#/run/demo-breakfast/memory?k=2&w=1772923800000..1772924700000`);
  await rest(page);
  assert.equal(await page.getByLabel("Not before").inputValue(), new Date(1772923800000).toISOString());
  assert.deepEqual(errors, []);
  await close();
});

journey("with keys alone the tree of summaries is walked, and a part becomes the window", async ({ browser, site }) => {
  const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-breakfast/memory`, { locale: "en-GB" });
  await rest(page);
  await tabTo(page, "The tree of summaries");
  const summary = panel(page, "memory-tree").locator(".tree-summary");
  await page.keyboard.press("ArrowDown");
  await summary.waitFor();
  assert.match(await summary.innerText(), /Kinds[^]*came in[^]*Importance[^]*in all[^]*on average[^]*Last used/);
  assert.equal(await panel(page, "memory-tree").locator("rect title").first().evaluate((title) => title.namespaceURI), "http://www.w3.org/2000/svg", "a title of a drawing shows");
  await page.keyboard.press("Enter");
  await rest(page);
  assert.match(await page.getByLabel("Not before").inputValue(), /\d/);
  await page.waitForURL(/w=\d+\.\.\d+/);
  assert.match(await panel(page, "memory-tiers").innerText(), /of texts are held in memory, of 64 MiB/);
  assert.deepEqual(errors, []);
  await close();
});
