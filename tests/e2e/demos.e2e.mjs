// Each demo runs on the built page, from the list of demos to its end, without any network.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openPage, rest, ROOT } from "./lib.mjs";
import { journey } from "./runner.mjs";


/** Opens a demo's page in a language, does what `run` says, and leaves no error and no foreign request. */
async function demo(browser, site, id, language, run) {
  const locale = language === "zh" ? "zh-CN" : "en-GB";
  const { page, errors, foreign, close } = await openPage(browser, `${site.url}#/run/demo-${id}/overview`, { locale });
  try {
    await rest(page);
    const suggest = async (place) => {
      await page.locator(".suggestion").nth(place).click();
      await rest(page);
    };
    const press = async (place) => {
      await page.locator(".next-steps button").nth(place).click();
      await rest(page);
    };
    const view = async (name) => {
      await page.locator(`#tab-${name}`).click();
      await rest(page);
      return page.locator("#view").innerText();
    };
    const answers = () => page.locator(".answer").allInnerTexts();
    await run({ page, suggest, press, view, answers });
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  } finally {
    await close();
  }
}

for (const language of ["en", "zh"]) {
  journey(`credit (${language}): a person approves what the documents say, and nothing when they differ`, ({ browser, site }) =>
    demo(browser, site, "credit", language, async ({ page, suggest, press, view, answers }) => {
      await suggest(0);
      assert.deepEqual(await answers(), [], "nothing is said before a person has decided");
      await page.locator(".question button", { hasText: "approve" }).click();
      await rest(page);
      const [first] = await answers();
      assert.match(first, /Robin Larkspur/);
      assert.doesNotMatch(first, /Alex/);
      assert.match(await view("state"), /approved/);
      await press(0);
      await suggest(0);
      assert.equal((await answers()).length, 2);
      assert.match(await view("facts"), /differ/);
    }));

  journey(`home (${language}): dim now, brighter when the son is back`, ({ browser, site }) =>
    demo(browser, site, "home", language, async ({ suggest, press, view, answers }) => {
      await suggest(0);
      const [first] = await answers();
      assert.match(first, /30/);
      assert.match(first, /80/);
      await press(0);
      assert.match(await view("state"), /waiting/);
      await press(1);
      await suggest(1);
      assert.match((await answers()).at(-1), /80/);
    }));

  journey(`car (${language}): what turn three said holds in the turns after it`, ({ browser, site }) =>
    demo(browser, site, "car", language, async ({ suggest, view, answers }) => {
      for (let turn = 0; turn < 9; turn++) await suggest(turn);
      const said = await answers();
      assert.equal(said.length, 9);
      for (const text of said) assert.doesNotMatch(text, /Hybrid|Kestrel|26,900|流明|索利斯|红隼/);
      assert.match(await view("problems"), /no_hybrids/);
      assert.match(await view("facts"), /20000/);
    }));
}

/** The demos that a person finds on the first page. */
const listed = JSON.parse(readFileSync(join(ROOT, "web/demos/index.json"), "utf8"));

for (const language of ["en", "zh"]) {
  for (const { id, folder, title } of listed) {
    journey(`${id} (${language}): opened from the list, every question asked and every step done`, async ({ browser, site }) => {
      const shown = JSON.parse(await readFile(join(ROOT, "web/demos", folder, "demo.json"), "utf8"));
      const locale = language === "zh" ? "zh-CN" : "en-GB";
      const { page, errors, foreign, close } = await openPage(browser, site.url, { locale });
      try {
        await rest(page);
        await page.locator(".card", { hasText: title[language] }).locator(".button").first().click();
        await rest(page);
        const last = page.locator(".turn").last();
        const suggestions = await page.locator(".suggestion").allInnerTexts();
        assert.deepEqual(suggestions, shown.questions[language], "what can be asked is in the reader's language");
        const well = async (what) => {
          assert.deepEqual(await page.locator(".notice.bad, .failed").allInnerTexts(), [], what);
          assert.equal(await page.locator("#main .spinner").count(), 0, what);
        };
        for (const [place, question] of suggestions.entries()) {
          await page.locator(".suggestion").nth(place).click();
          await rest(page);
          await well(question);
          assert.equal(await page.locator(".turn").count(), place + 1, question);
          // What is left to a person comes first: the answer waits for it.
          for (let asked = 0; (await last.locator(".question .options button").count()) > 0; asked += 1) {
            assert.ok(asked < 4, `${question}: a person is asked without an end`);
            await last.locator(".question .options button").first().click();
            await rest(page);
          }
          await well(question);
          assert.notEqual((await last.locator(".answer").innerText()).trim(), "", question);
        }
        const head = async () => Number((await page.locator(".position span.num").innerText()).replace(/\D/g, ""));
        for (const [place, step] of shown.steps.entries()) {
          const before = await head();
          const button = page.locator(".next-steps button").nth(place);
          assert.equal(await button.innerText(), step.label[language]);
          await button.click();
          await rest(page);
          await well(step.label[language]);
          if (step.do !== undefined) assert.ok((await head()) > before, `${step.label[language]}: something is recorded`);
        }
        assert.deepEqual(errors, []);
        assert.deepEqual(foreign, []);
      } finally {
        await close();
      }
    });
  }
}
