// A person's journeys through the inspector, with the courier demo: recorded replies, real engine, no network.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accessibilityFaults, openPage, rest, ROOT, screenshot, until } from "./lib.mjs";
import { journey } from "./runner.mjs";

const DEMO = "#/run/demo-courier/overview";
const COURIER = join(ROOT, "web/demos/courier");
const VIEWS = ["overview", "events", "plan", "state", "facts", "world", "schedule", "memory", "problems"];


const head = (page) => page.locator(".position span.num").innerText().then((text) => Number(text.replace(/\D/g, "")));
const cursor = (page) => page.locator(".position-input").inputValue().then(Number);

async function openAt(browser, site, fragment = DEMO, options = {}) {
  const opened = await openPage(browser, site.url + fragment, { locale: "en-GB", ...options });
  await rest(opened.page);
  return opened;
}

async function question(language) {
  const demo = JSON.parse(await readFile(join(COURIER, "demo.json"), "utf8"));
  return demo.questions[language][0];
}

/** Asks as a person does, and waits for the whole turn. */
async function ask(page, text) {
  await page.locator(".ask textarea").fill(text);
  await page.locator(".ask textarea").press("Enter");
  await rest(page);
}

async function view(page, name) {
  await page.locator(`#tab-${name}`).click();
  await rest(page);
}

/** Everything that the page says about the record a person looks at, view by view. */
async function panels(page) {
  const said = {};
  for (const name of VIEWS) {
    await view(page, name);
    // The table's words, without where its scroll bar happens to stand.
    said[name] = name === "events" ? await page.locator(".grid-row.current").allInnerTexts() : await page.locator("#view").innerText();
  }
  said.turns = await page.locator(".turns").innerText();
  said.details = await page.locator(".details").innerText();
  return said;
}

async function goTo(page, seq) {
  await page.locator(".position-input").fill(String(seq));
  await page.locator(".position-input").press("Enter");
  await rest(page);
}

async function digests(page) {
  await page.getByRole("button", { name: "Verify" }).click();
  await until(page, () => document.querySelector("dialog[open] [data-digest=history]"));
  await rest(page);
  const all = {};
  for (const name of ["chain", "history", "content"]) {
    all[name] = await page.locator(`dialog[open] [data-digest=${name}]`).first().innerText();
  }
  await page.keyboard.press("Escape");
  return all;
}

async function clear(page) {
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.locator("dialog[open] .danger").click();
  await until(page, () => document.querySelector(".empty-journal"));
  await rest(page);
}

async function saved(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const text = await readFile(await download.path(), "utf8");
  return { name: download.suggestedFilename(), text };
}

const fileOf = ({ name, text }) => ({ name, mimeType: "application/jsonl", buffer: Buffer.from(text) });

/** Drops a file on the page, as the browser would. */
async function drop(page, { name, text }) {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await rest(page);
}

journey("the demo answers without any network, and every footnote opens its place in the document", async ({ browser, site }) => {
  for (const language of ["en", "zh"]) {
    const { page, errors, foreign, close } = await openPage(browser, site.url, { locale: language === "zh" ? "zh-CN" : "en-GB" });
    await rest(page);
    await page.locator(".card .button").first().click();
    await rest(page);
    await page.locator(".suggestion").first().click();
    await rest(page);
    const answer = await page.locator(".answer").innerText();
    assert.match(answer, /Wuhan Hub/);
    const stages = await page.locator(".stage").count();
    assert.equal(stages, 5);
    const notes = page.locator("button.note");
    let rested = 0;
    for (const note of await notes.all()) {
      await note.click();
      await until(page, () => document.querySelector("dialog[open] pre.document"));
      const places = await page.evaluate(() =>
        [...document.querySelectorAll("dialog[open] mark")].map((mark) => {
          const text = mark.closest("pre");
          const box = text.getBoundingClientRect();
          const own = mark.getBoundingClientRect();
          const title = [...document.querySelectorAll("dialog[open] .document-title")].findLast(
            (one) => one.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING,
          );
          return { title: title.textContent, text: text.textContent, quote: mark.textContent, seen: own.top >= box.top && own.bottom <= box.bottom };
        }),
      );
      for (const { title, text, quote, seen } of places) {
        const file = title === "line_history" ? "line_history.txt" : `${title}.json`;
        assert.equal(text, await readFile(join(COURIER, "documents", file), "utf8"), "the document is shown byte for byte");
        assert.ok(quote.length > 0);
        assert.ok(seen, "the place is in sight");
      }
      rested += places.length;
      await page.keyboard.press("Escape");
      await until(page, () => !document.querySelector("dialog[open]"));
    }
    assert.ok(rested >= 7, "figures with a source have footnotes that show it");
    await screenshot(page, `demo-${language}`);
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
    await close();
  }
});

journey("a reload keeps everything", async ({ browser, site }) => {
  const { page, errors, close } = await openAt(browser, site);
  await ask(page, await question("en"));
  const before = { head: await head(page), panels: await panels(page), digests: await digests(page) };
  await page.reload();
  await rest(page);
  assert.deepEqual({ head: await head(page), panels: await panels(page), digests: await digests(page) }, before);
  assert.deepEqual(errors, []);
  await close();
});

journey("five steps forward and five back give identical panels", async ({ browser, site }) => {
  const { page, errors, close } = await openAt(browser, site);
  await ask(page, await question("en"));
  const start = Math.floor((await head(page)) / 2);
  await goTo(page, start);
  const before = await panels(page);
  for (let i = 0; i < 5; i += 1) await page.getByRole("button", { name: "One forward" }).click();
  await rest(page);
  assert.equal(await cursor(page), start + 5);
  assert.notDeepEqual(await panels(page), before);
  for (let i = 0; i < 5; i += 1) await page.getByRole("button", { name: "One back" }).click();
  await rest(page);
  assert.equal(await cursor(page), start);
  assert.deepEqual(await panels(page), before);
  assert.deepEqual(errors, []);
  await close();
});

journey("scrubbing shows the state as it was", async ({ browser, site }) => {
  const { page, close } = await openAt(browser, site);
  await ask(page, await question("en"));
  const last = await head(page);
  const seen = [];
  await view(page, "facts");
  for (let seq = 1; seq <= last; seq += 1) {
    await goTo(page, seq);
    seen.push(await page.locator("[data-panel=facts] tbody").count());
  }
  // Every fact has a link to its record: from there on it is in the table, and not before.
  const since = await page.locator("[data-panel=facts] .seq-link").allInnerTexts();
  assert.equal(seen.at(-1), since.length);
  assert.ok(since.length >= 5);
  for (let seq = 1; seq <= last; seq += 1) {
    assert.equal(seen[seq - 1], since.filter((made) => Number(made) <= seq).length, `at record ${seq}`);
  }
  await view(page, "state");
  await goTo(page, 2);
  const first = await page.locator(".state-chip").innerText();
  await goTo(page, last);
  assert.notEqual(await page.locator(".state-chip").innerText(), first);
  await close();
});

journey("a second question appends and leaves every earlier record as it was", async ({ browser, site }) => {
  const { page, close } = await openAt(browser, site);
  await ask(page, await question("en"));
  const before = (await saved(page)).text.split("\n").slice(1, -1);
  await ask(page, await question("zh"));
  assert.equal(await page.locator(".turn").count(), 2);
  const after = (await saved(page)).text.split("\n").slice(1, -1);
  assert.ok(after.length > before.length);
  assert.deepEqual(after.slice(0, before.length), before);
  await close();
});

journey("export, clear and import give the same digests", async ({ browser, site }) => {
  const { page, errors, close } = await openAt(browser, site);
  await ask(page, await question("en"));
  const before = { head: await head(page), digests: await digests(page) };
  const file = await saved(page);
  await clear(page);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import a file" }).click()]);
  await chooser.setFiles(fileOf(file));
  await until(page, (n) => document.querySelector(".position span.num")?.textContent.includes(n), String(before.head));
  await rest(page);
  assert.deepEqual({ head: await head(page), digests: await digests(page) }, before);
  // And as a journal of its own, dropped on the first page.
  await page.goto(`${site.url}#/`);
  await rest(page);
  await drop(page, { ...file, name: "my run.jsonl" });
  await until(page, () => document.querySelector(".run-name")?.textContent.includes("my-run"));
  await rest(page);
  assert.deepEqual({ head: await head(page), digests: await digests(page) }, before);
  assert.deepEqual(errors, []);
  await close();
});

journey("24 hours without a scan fire the alert; a scan cancels it", async ({ browser, site }) => {
  for (const [steps, expected] of [
    [["24 hours later"], "fired"],
    [["A scan arrives", "24 hours later"], "cancelled"],
  ]) {
    const { page, errors, close } = await openAt(browser, site, "#/run/demo-courier/schedule");
    await ask(page, await question("en"));
    assert.equal(await page.locator("[data-panel=schedule] .entity-head .mark").innerText(), "pending");
    for (const step of steps) {
      await page.getByRole("button", { name: step }).click();
      await rest(page);
    }
    assert.equal(await page.locator("[data-panel=schedule] .entity-head .mark").innerText(), expected);
    assert.deepEqual(errors, []);
    await close();
  }
});

journey("one byte of a document, of a reply or of the rules changes the answer or ends in a refusal", async ({ browser, site }) => {
  const answerWith = async (path, from, to) => {
    const context = await browser.newContext({ locale: "en-GB" });
    let changed = path === undefined;
    await context.route("**/demos/courier/**", async (route) => {
      const response = await route.fetch();
      let body = await response.text();
      if (path !== undefined && route.request().url().endsWith(path) && body.includes(from)) {
        body = body.replace(from, to);
        changed = true;
      }
      await route.fulfill({ response, body });
    });
    const page = await context.newPage();
    await page.goto(site.url + DEMO);
    await rest(page);
    if ((await page.locator(".suggestion").count()) > 0) {
      await page.locator(".suggestion").first().click();
      await rest(page);
    }
    const said = (await page.locator(".answer, .notice.bad, .failed").allInnerTexts()).join("\n");
    await view(page, "problems").catch(() => undefined);
    const problems = await page.locator("[data-panel=problems]").allInnerTexts();
    await context.close();
    assert.ok(changed, `${path} has ${from}`);
    return `${said}\n${problems.join("\n")}`;
  };
  const plain = await answerWith();
  assert.match(plain, /Wuhan Hub/);
  for (const [path, from, to] of [
    ["line_history.txt", "83.5", "93.5"],
    ["carrier_scans.json", "21:45", "21:46"],
    ["cassette.jsonl", '\\"hours\\": 24', '\\"hours\\": 25'],
    ["domain.json", "Your parcel was last", "Your parcel was lost"],
  ]) {
    assert.notEqual(await answerWith(path, from, to), plain, path);
  }
});

journey("a bad file is refused with its code and byte and leaves nothing behind", async ({ browser, site }) => {
  const { page, close } = await openAt(browser, site);
  const file = await saved(page);
  await page.goto(`${site.url}#/`);
  await rest(page);
  const stored = await page.locator(".journal-name").allInnerTexts();
  const broken = file.text.replace('"kind":"domain.loaded"', '"kind":"domain.loadec"');
  assert.notEqual(broken, file.text);
  for (const text of [broken, file.text.slice(0, -40), "no journal at all\n"]) {
    await drop(page, { name: "bad.jsonl", text });
    const notice = page.locator(".notice.bad");
    await notice.waitFor();
    assert.match(await notice.locator(".refusal-code").innerText(), /code [a-z-]+.*byte \d+/);
    assert.deepEqual(await page.locator(".journal-name").allInnerTexts(), stored);
    await notice.getByRole("button", { name: "Dismiss" }).click();
  }
  await page.reload();
  await rest(page);
  assert.deepEqual(await page.locator(".journal-name").allInnerTexts(), stored);
  // A bad file must not cost the journal that it would have replaced.
  await page.goto(site.url + DEMO);
  await page.reload();
  await rest(page);
  const before = await digests(page);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import", exact: true }).click()]);
  await chooser.setFiles(fileOf({ name: "bad.jsonl", text: broken }));
  await page.locator(".notice.bad").waitFor();
  await rest(page);
  assert.deepEqual(await digests(page), before);
  await close();
});

journey("a journal that the browser removed is missed, and one without storage is opened only on demand", async ({ browser, site }) => {
  const { page, close } = await openAt(browser, site);
  await page.goto(`${site.url}#/`);
  await rest(page);
  await page.evaluate(async () => {
    const { remove } = await import("./throughline/index.js");
    await remove("demo-courier");
  });
  await page.goto(site.url + DEMO);
  await rest(page);
  assert.match(await page.locator(".notice.bad").innerText(), /removed this journal's records/);
  await close();
  const other = await openPage(browser, site.url, { locale: "en-GB" });
  await rest(other.page);
  await other.context.route("**/throughline/worker.js", async (route) => {
    const response = await route.fetch();
    const without = "IDBFactory.prototype.open = () => { throw new DOMException('none here', 'InvalidStateError'); };";
    await route.fulfill({ response, body: `${without}\n${await response.text()}` });
  });
  await other.page.goto(site.url + DEMO);
  await rest(other.page);
  assert.match(await other.page.locator(".failed .refusal-code").innerText(), /code store-/);
  await other.page.getByRole("button", { name: "Open without saving" }).click();
  await rest(other.page);
  assert.match(await other.page.locator(".notice.bad").innerText(), /not kept/);
  await ask(other.page, await question("en"));
  assert.match(await other.page.locator(".answer").innerText(), /Wuhan Hub/);
  await other.close();
});

journey("the keyboard alone opens the demo, asks, steps, and reaches and leaves every part", async ({ browser, site }) => {
  const { page, errors, close } = await openPage(browser, site.url, { locale: "en-GB" });
  await rest(page);
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  for (let i = 0; i < 20 && (await focused()) !== "Open the demo"; i += 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await rest(page);
  // Every stop of a round through the page, by what it is. The round comes to its end, so nothing holds the focus.
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main", "a new page takes the focus");
  const stops = new Set();
  for (let i = 0; i < 200; i += 1) {
    await page.keyboard.press("Tab");
    stops.add(
      await page.evaluate(() => {
        const node = document.activeElement;
        if (node === null || node === document.body) return "page";
        for (const part of ["bar", "stepbar", "timeline-stage", "turns", "ask", "tabs", "view", "details"]) {
          if (node.closest(`.${part}`)) return part;
        }
        return node.className;
      }),
    );
    if (stops.has("page") && stops.has("bar")) break;
  }
  for (const part of ["bar", "stepbar", "timeline-stage", "turns", "ask", "tabs", "view", "details", "page"]) {
    assert.ok(stops.has(part), `the focus reaches ${part}; it reached ${[...stops]}`);
  }
  await page.locator(".ask textarea").focus();
  await page.keyboard.type(await question("en"));
  assert.equal(await cursor(page), await head(page), "letters in a field are letters");
  await page.keyboard.press("Enter");
  await rest(page);
  const last = await head(page);
  await page.locator("#main").focus();
  for (const [key, expected] of [
    ["Home", 1],
    ["n", 2],
    ["ArrowRight", 3],
    ["Shift+N", 2],
    ["ArrowLeft", 1],
    ["End", last],
  ]) {
    await page.keyboard.press(key);
    await rest(page);
    assert.equal(await cursor(page), expected, key);
  }
  await page.keyboard.press("2");
  await rest(page);
  await page.locator(".grid").focus();
  await page.keyboard.press("k");
  await rest(page);
  assert.equal(await cursor(page), last - 1);
  await page.keyboard.press("j");
  await page.keyboard.press("/");
  await rest(page);
  await page.keyboard.type("mean");
  await page.keyboard.press("Enter");
  await rest(page);
  assert.match(await page.locator(".grid-row.current").innerText(), /mean/i);
  await page.keyboard.press("Escape");
  await page.locator("#main").focus();
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog[open]").isVisible());
  await page.keyboard.press("Escape");
  const dark = () => page.evaluate(() => document.documentElement.dataset.theme);
  const theme = await dark();
  await page.keyboard.press("t");
  await page.keyboard.press("t");
  await rest(page);
  assert.notEqual(await dark(), theme);
  assert.deepEqual(errors, []);
  await close();
});

journey("the back button comes back through jumps, and steps add no entries", async ({ browser, site }) => {
  const { page, close } = await openAt(browser, site);
  await ask(page, await question("en"));
  const last = await head(page);
  for (const seq of [10, 20, 30]) await goTo(page, seq);
  for (let i = 0; i < 4; i += 1) await page.getByRole("button", { name: "One forward" }).click();
  await page.waitForTimeout(400);
  assert.match(page.url(), /\?s=34$/);
  for (const expected of [20, 10, last]) {
    await page.goBack();
    await rest(page);
    assert.equal(await cursor(page), expected);
  }
  // The address alone brings another person to the same place.
  await page.goto(`${site.url}#/run/demo-courier/facts?s=26`);
  await page.reload();
  await rest(page);
  assert.equal(await cursor(page), 26);
  assert.equal(await page.locator("#tab-facts").getAttribute("aria-selected"), "true");
  await close();
});

journey("the timeline and the records table say the same, and a click on either moves both", async ({ browser, site }) => {
  const { page, errors, close } = await openAt(browser, site, "#/run/demo-courier/events");
  await ask(page, await question("en"));
  const last = await head(page);
  assert.equal(Number(await page.locator(".grid").getAttribute("aria-rowcount")), last + 1);
  const painted = await page.locator("canvas").first().evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
    return colours.size;
  });
  assert.ok(painted > 8, "each kind has its colour");
  const stage = await page.locator(".timeline-stage").boundingBox();
  await page.mouse.click(stage.x + stage.width / 2, stage.y + 30);
  await rest(page);
  const at = await cursor(page);
  assert.ok(at > 1 && at < last);
  assert.match(await page.locator(".grid-row.current").innerText(), new RegExp(`^${at}\\b`));
  assert.match(await page.locator("#cursor-line").innerText(), new RegExp(`^Record ${at} of ${last}`));
  // A row in sight, by its number: the rows above and below are drawn anew while the table still moves.
  const beside = await page.evaluate(() => {
    const box = document.querySelector(".grid").getBoundingClientRect();
    const inside = (row) => row.top > box.top + 2 * row.height && row.bottom < box.bottom - row.height;
    const rows = [...document.querySelectorAll(".grid-row:not(.current)")].filter((row) => inside(row.getBoundingClientRect()));
    return rows[0]?.id;
  });
  assert.match(beside ?? "", /^row-\d+$/);
  await page.locator(`#${beside}`).click();
  await rest(page);
  assert.equal(`row-${await cursor(page)}`, beside);
  await page.mouse.move(stage.x + stage.width / 2, stage.y + 30);
  for (const way of [-600, -600, 400, 900, 2000]) await page.mouse.wheel(0, way);
  await page.keyboard.press("End");
  for (const key of ["+", "+", "-", "-", "-", "0"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "By time" }).click();
  for (const way of [-600, -600, 900, 2000]) {
    await page.mouse.move(stage.x + stage.width / 3, stage.y + 30);
    await page.mouse.wheel(0, way);
  }
  await page.getByRole("button", { name: "Show all" }).click();
  await rest(page);
  assert.deepEqual(errors, []);
  await close();
});

journey("two tabs on one journal see each other's records and lose none", async ({ browser, site }) => {
  const { page, context, errors, close } = await openAt(browser, site);
  const other = await context.newPage();
  await other.goto(site.url + DEMO);
  await rest(other);
  const start = await head(page);
  await ask(page, await question("en"));
  const middle = await head(page);
  assert.ok(middle > start);
  assert.equal(await page.locator(".notice").count(), 0, "what a page did itself is not news to it");
  await until(other, (n) => document.querySelector(".position span.num")?.textContent.includes(n), String(middle));
  await rest(other);
  assert.match(await other.locator(".notice").innerText(), /Another tab/);
  await ask(other, await question("zh"));
  const last = await head(other);
  await until(page, (n) => document.querySelector(".position span.num")?.textContent.includes(n), String(last));
  await rest(page);
  assert.equal(await page.locator(".turn").count(), 2);
  assert.deepEqual(await digests(page), await digests(other));
  assert.deepEqual(errors, []);
  await close();
});

journey("the page speaks both languages and keeps the choice of language and theme", async ({ browser, site }) => {
  const { page, close } = await openAt(browser, site);
  await page.getByRole("button", { name: "中文" }).click();
  assert.equal(await page.locator("html").getAttribute("lang"), "zh");
  assert.equal(await page.locator("#tab-facts").innerText(), "事实");
  await page.getByRole("button", { name: /^主题/ }).click();
  await page.getByRole("button", { name: /^主题/ }).click();
  await page.reload();
  await rest(page);
  assert.equal(await page.locator("html").getAttribute("lang"), "zh");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await ask(page, await question("zh"));
  assert.match(await page.locator(".answer").innerText(), /包裹/);
  await close();
});

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
  ["dark", 390],
]) {
  journey(`no view has a serious accessibility fault: ${colorScheme}, ${width} pixels wide`, async ({ browser, site }) => {
    const { page, errors, close } = await openAt(browser, site, DEMO, { colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
    await ask(page, await question("en"));
    await page.getByRole("button", { name: "24 hours later" }).click();
    await rest(page);
    for (const name of VIEWS) {
      await view(page, name);
      const faults = (await accessibilityFaults(page)).filter((fault) => /\((serious|critical)\)/.test(fault));
      assert.deepEqual(faults, [], `${name}, ${colorScheme}, ${width}`);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `nothing hangs over the edge at ${width}`);
    await screenshot(page, `inspector-${colorScheme}-${width}`);
    await page.locator("button.note").first().click();
    await until(page, () => document.querySelector("dialog[open] pre.document"));
    const faults = (await accessibilityFaults(page)).filter((fault) => /\((serious|critical)\)/.test(fault));
    assert.deepEqual(faults, [], `document, ${colorScheme}, ${width}`);
    assert.deepEqual(errors, []);
    await close();
  });
}
