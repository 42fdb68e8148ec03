// The plan and machine views with the demo of the two reports: asked, stepped, edited, repaired, compared, proved.

import assert from "node:assert/strict";
import { accessibilityFaults, openPage, rest, screenshot, until } from "./lib.mjs";
import { journey } from "./runner.mjs";


const LOCALES = { en: "en-GB", zh: "zh-CN" };

/** What the page calls things, in the language of the journey. */
const WORDS = {
  en: {
    damaged: "A plan damaged in five ways",
    clean: "No problems: this plan can run.",
    run: "Run this plan",
    step: "Step",
    go: "Continue",
    forms: "Breakpoints, and running again",
    rerun: "Run again with it",
    edit: (name) => `Edit $${name}`,
    question: /2026 the yield rate of line 2 was 91\.70.* days late/s,
    disputed: /disagree/,
    reused: "reused",
    edited: "edited",
    recomputed: "recomputed",
    correction: "The plant corrects its report",
    holds: /Every figure still holds/,
    broken: /No longer holds/,
  },
  zh: {
    damaged: "五处损坏的计划",
    clean: "没有问题：此计划可以运行。",
    run: "运行此计划",
    step: "单步",
    go: "继续",
    forms: "断点与重新运行",
    rerun: "带此修改重新运行",
    edit: (name) => `编辑 $${name}`,
    question: /良率为 91\.70.*超期 2/s,
    disputed: /不一致/,
    reused: "复用",
    edited: "已编辑",
    recomputed: "重新计算",
    correction: "工厂更正快报",
    holds: /所有数字仍然成立/,
    broken: /已不再成立/,
  },
};

/** Opens the demo's plan view, asks its question when `asked`, does what `run` says, and leaves no error behind. */
async function reports(browser, site, language, run, { asked = true, options = {} } = {}) {
  const locale = LOCALES[language];
  const opened = await openPage(browser, `${site.url}#/run/demo-reports/plan`, { locale, ...options });
  const { page, errors, foreign, close } = opened;
  try {
    await rest(page);
    if (asked) {
      await page.locator(".suggestion").first().click();
      await rest(page);
    }
    const panel = (name) => page.locator(`[data-panel=${name}]`);
    const press = async (name, within = page) => {
      await within.getByRole("button", { name, exact: true }).click();
      await rest(page);
    };
    await run({ page, panel, press, words: WORDS[language] });
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  } finally {
    await close();
  }
}

const runs = (page) => page.locator("[data-panel=plan] .run-line");

/** Applies the first repair that is offered, again and again. */
async function repair(page) {
  const fixes = page.locator("[data-panel=editor] .fix");
  for (let round = 0; round < 12 && (await fixes.count()) > 0; round += 1) {
    await fixes.first().click();
    await rest(page);
  }
}

for (const language of ["en", "zh"]) {
  journey(`reports (${language}): the answer's figures lead to their bytes, and a correction shows in what no longer holds`, ({ browser, site }) =>
    reports(browser, site, language, async ({ page, panel, press, words }) => {
      const answer = await page.locator(".turn .answer").first().innerText();
      assert.match(answer, words.disputed);
      const plan = await panel("plan").innerText();
      assert.match(plan, /ARBITRATE/);
      assert.match(plan, /flash → provisional → rate → margin → sound/, "the longest chain");
      assert.ok((await panel("plan").locator(".edge.critical").count()) >= 3);
      assert.match(await panel("answer").innerText(), words.question);
      assert.match(await panel("answer").innerText(), words.holds);
      // A value's evidence opens its document at the very bytes.
      await panel("values").locator("tr", { hasText: "$rate" }).locator("button.evidence").first().click();
      await until(page, () => document.querySelector("dialog[open] pre.document mark"));
      const bytes = await page.locator("dialog[open] pre.document mark").innerText();
      assert.equal(bytes.normalize("NFKC"), "91.70", "as the document writes it, wide digits or not");
      await page.keyboard.press("Escape");
      // So does a footnote of the answer below the plan.
      await panel("answer").locator("button.note").first().click();
      await until(page, () => document.querySelector("dialog[open] pre.document mark"));
      await page.keyboard.press("Escape");
      // The branch that was taken is said at its step.
      assert.match(await page.locator("#step-verdict").innerText(), language === "zh" ? /真分支/ : /then/);
      if (language === "en") {
        await press(words.correction);
        assert.match(await panel("answer").innerText(), words.broken);
        await page.locator(".suggestion").first().click();
        await rest(page);
        assert.doesNotMatch(await page.locator(".turn .answer").last().innerText(), words.disputed);
      }
    }));

  journey(`reports (${language}): a plan damaged in five ways is underlined where it is wrong, repaired by clicks, and runs`, ({ browser, site }) =>
    reports(
      browser,
      site,
      language,
      async ({ page, panel, press, words }) => {
        await press(words.damaged);
        const editor = panel("editor");
        const wrong = await editor.locator(".squiggle").allInnerTexts();
        for (const part of ["$rat", "COMPUT", "txt", "$report"]) assert.ok(wrong.includes(part), `${part} in ${wrong}`);
        assert.ok((await editor.locator(".problem").count()) >= 5);
        assert.equal(await page.getByRole("button", { name: words.run }).getAttribute("aria-disabled"), "true");
        // The place of a problem selects its letters.
        await editor.locator(".problem", { hasText: "unknown-operation" }).locator(".seq-link").click();
        const selected = await page.evaluate(() => {
          const field = document.getElementById("plan-text");
          return field.value.slice(field.selectionStart, field.selectionEnd);
        });
        assert.equal(selected, "COMPUT");
        await repair(page);
        assert.equal(await editor.locator(".squiggle").count(), 0);
        assert.match(await editor.innerText(), new RegExp(words.clean));
        await press(words.run);
        assert.match(await runs(page).innerText(), /16/);
        assert.equal(await runs(page).locator(".status-done").count(), 1);
        // What is typed is checked at once.
        await page.locator("#plan-text").fill("$report = GET report\n$x = COMPUTE 1 +");
        await rest(page);
        assert.ok((await editor.locator(".squiggle-error").count()) > 0);
      },
      { asked: false },
    ));

  journey(`reports (${language}): a run is stepped, stopped by three kinds of breakpoints, edited, run again and compared`, ({ browser, site }) =>
    reports(browser, site, language, async ({ page, panel, press, words }) => {
      const plan = panel("plan");
      const first = (await runs(page).locator("code").first().innerText()).trim();
      await panel("editor").locator(".check input").check();
      await press(words.run);
      assert.equal(await runs(page).locator(".status-paused").count(), 1);
      await press(words.step, plan);
      assert.equal(await plan.locator(".node.step-done").count(), 1);
      // Before a step, at a value, on a condition.
      await page.locator("#step-least .stop").click();
      await rest(page);
      assert.equal(await page.locator("#step-least .stop").getAttribute("aria-pressed"), "true");
      await plan.locator("summary", { hasText: words.forms }).click();
      await plan.locator(".form-grid select").nth(1).selectOption("late");
      await rest(page);
      const condition = plan.locator("input[placeholder='$rate < 90']");
      await condition.fill("$fee > 1000");
      await condition.press("Enter");
      await rest(page);
      assert.equal(await plan.locator(".stop-row").count(), 3);
      const stops = [];
      for (let n = 0; n < 3; n += 1) {
        await press(words.go, plan);
        stops.push(await plan.locator(".stopped").innerText());
      }
      assert.match(stops[0], /least/);
      assert.match(stops[1], /late/);
      assert.match(stops[2], /fee/);
      await press(words.go, plan);
      assert.equal(await runs(page).locator(".status-done").count(), 1);
      while ((await plan.locator(".stop-row").count()) > 0) {
        await plan.locator(".stop-row button").first().click();
        await rest(page);
      }
      // Another value, and the run from there on; the tick still says that it starts paused.
      await panel("editor").locator(".check input").uncheck();
      await press(words.edit("rate"), panel("values"));
      await page.locator("#edit-value").fill("89.5");
      await page.locator("#edit-value").press("Enter");
      await press(words.rerun);
      assert.equal(await runs(page).locator(".status-failed").count(), 1);
      assert.notEqual((await runs(page).locator("code").first().innerText()).trim(), first);
      const marks = await plan.locator(".rerun-line").innerText();
      for (const word of [words.reused, words.edited, words.recomputed]) assert.match(marks, new RegExp(word));
      const marked = async (step) => page.locator(`#step-${step} .step-head`).innerText();
      assert.match(await marked("rate"), new RegExp(words.edited));
      assert.match(await marked("margin"), new RegExp(words.recomputed));
      assert.match(await marked("days"), new RegExp(words.reused));
      // Why it failed, and which values differ from the run before.
      assert.match(await plan.locator(".diagnosis").innerText(), /validation-failed/);
      const differ = await panel("versus").locator("tr.change-changed th").allInnerTexts();
      assert.deepEqual(differ.map((name) => name.trim()), ["rate", "margin", "sound"]);
    }));
}

journey("a run that failed says what it nearly found or what to change, and the change runs", ({ browser, site }) =>
  reports(
    browser,
    site,
    "en",
    async ({ page, panel, press, words }) => {
      const text = '$flash = GET flash\n$rate = EXTRACT $flash PATTERN r"Yield rate of line 3: ([0-9.]+) percent" AS number';
      await page.locator("#plan-text").fill(text);
      await rest(page);
      await press(words.run);
      const diagnosis = panel("plan").locator(".diagnosis");
      assert.match(await diagnosis.innerText(), /value-missing/);
      await diagnosis.locator("button.evidence").click();
      await until(page, () => document.querySelector("dialog[open] pre.document mark"));
      assert.match(await page.locator("dialog[open] pre.document mark").innerText(), /line 2: 92\.3/);
      await page.keyboard.press("Escape");
      // Where the change is known, it goes into the plan's text by a click.
      const typed = '$flash = GET flash\n$days = EXTRACT $flash PATTERN r"Delivery: ([0-9.]+)" AS number';
      await page.locator("#plan-text").fill(typed);
      await rest(page);
      await press(words.run);
      assert.match(await diagnosis.innerText(), /Delivery time/);
      await diagnosis.locator("button.primary").click();
      await rest(page);
      assert.notEqual(await page.locator("#plan-text").inputValue(), typed);
      await press(words.run);
      assert.equal(await runs(page).locator(".status-done").count(), 1);
      assert.match(await panel("values").locator("tr", { hasText: "$days" }).innerText(), /30/);
    },
    { asked: false },
  ));

journey("the machine view shows what the model check proves with its shortest way, and what guards refuse", async ({ browser, site }) => {
  const { page, errors, close } = await openPage(browser, site.url, { locale: "en-GB" });
  await rest(page);
  await page.evaluate(async () => {
    const { open } = await import("./throughline/index.js");
    const session = await open({ name: "checked" });
    await session.loadDomain({
      name: "orders",
      version: "1.0.0",
      facts: { vip: { value: { type: "boolean" } } },
      machine: {
        id: "order",
        initial: "draft",
        states: {
          draft: { on: { SUBMIT: "pending", RUSH: { target: "paid", guard: "event.vip" } } },
          pending: { on: { APPROVE: "approved", HURRY: { target: "approved", guard: "facts.vip == true" } } },
          approved: { on: { PAY: "paid" } },
          paid: { type: "final" },
          lost: {},
        },
        invariants: ["never paid without approved before"],
      },
    });
    await session.execute({ type: "send_event", event: "SUBMIT" });
    await session.execute({ type: "send_event", event: "PAY" }).catch(() => undefined);
    await session.close();
  });
  await page.goto(`${site.url}#/run/checked/state`);
  await page.reload();
  await rest(page);
  const check = page.locator("[data-panel=machine-check]");
  const findings = await check.locator(".findings").innerText();
  assert.match(findings, /unreachable/);
  assert.match(findings, /invariant-broken\s+possible/);
  const way = await check.locator(".trace-steps li").allInnerTexts();
  assert.equal(way.length, 2);
  assert.match(way[1], /RUSH.*paid/);
  assert.match(await page.locator("[data-panel=state] .log.refused").innerText(), /PAY/);
  await page.locator("[data-panel=trial]").getByRole("button", { name: "HURRY" }).click();
  await rest(page);
  assert.match(await page.locator("[data-panel=trial]").innerText(), /facts\.vip == true/);
  await page.locator("[data-panel=trial]").getByRole("button", { name: "APPROVE" }).click();
  await rest(page);
  assert.match(await page.locator("[data-panel=trial]").innerText(), /stand in\s+approved/);
  const faults = (await accessibilityFaults(page)).filter((fault) => /\((serious|critical)\)/.test(fault));
  assert.deepEqual(faults, []);
  await page.setViewportSize({ width: 1280, height: 1500 });
  await screenshot(page, "machine-1280");
  assert.deepEqual(errors, []);
  await close();
});

for (const [language, colorScheme, width] of [
  ["en", "light", 1280],
  ["zh", "dark", 1280],
  ["zh", "light", 390],
  ["en", "dark", 390],
]) {
  journey(`the plan view has no serious accessibility fault: ${language}, ${colorScheme}, ${width} pixels wide`, ({ browser, site }) =>
    reports(
      browser,
      site,
      language,
      async ({ page, panel, press, words }) => {
        await press(words.edit("rate"), panel("values"));
        await page.locator("#edit-value").fill("89.5");
        await page.locator("#edit-value").press("Enter");
        await press(words.rerun);
        await press(words.damaged);
        await panel("plan").locator("summary", { hasText: words.forms }).click();
        await press(words.edit("days"), panel("values"));
        await page.setViewportSize({ width, height: width > 600 ? 2400 : 5200 });
        await page.waitForTimeout(100);
        await screenshot(page, `plan-${language}-${colorScheme}-${width}`);
        await page.setViewportSize({ width, height: 800 });
        const faults = (await accessibilityFaults(page)).filter((fault) => /\((serious|critical)\)/.test(fault));
        assert.deepEqual(faults, []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `nothing hangs over the edge at ${width}`);
      },
      { options: { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" } },
    ));
}
