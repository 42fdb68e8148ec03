// Models in the inspector, as a person reaches them: settings and what is wrong with them, a live run with a reply
// that streams, is stopped, is looked at, is recorded and played again; signing in; a key kept sealed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fakeProvider } from "../../web/npm/test/fake-provider.mjs";
import { accessibilityFaults, openPage, rest, screenshot, until } from "./lib.mjs";
import { journey } from "./runner.mjs";

const KEY = "sk-planted-in-the-inspector-0123456789";
const SAID = "My budget is 20000.";
const VALUE = { intent: "note", confidence: 0.9, entities: [], facts: [{ key: "budget", value: 20000 }] };
const DOMAIN = {
  name: "notes",
  version: "1",
  entity_types: { shop: { fields: { town: { type: "text" } } } },
  facts: { budget: { value: { type: "integer" } } },
  intents: { note: { description: { en: "Notes a budget" }, answer: "noted" } },
  answers: { noted: { template: { en: "Noted: {{ facts.budget }}." } } },
};

const panel = (page, name) => page.locator(`[data-panel="${name}"]`);
const serious = (faults) => faults.filter((fault) => /\((serious|critical)\)/.test(fault));

/** A journal that begins with a file of rules, at its models. */
async function withRules(browser, site, reach, options = {}) {
  const opened = await openPage(browser, site.url, { locale: "en-GB", reach, ...options });
  const { page } = opened;
  await rest(page);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator(".drop").click()]);
  await chooser.setFiles({ name: "notes.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(DOMAIN)) });
  await page.waitForURL(/#\/run\/notes/);
  await rest(page);
  await page.locator("#tab-model").click();
  await rest(page);
  return opened;
}

async function type(page, fields) {
  for (const [label, text] of Object.entries(fields)) await panel(page, "settings").getByLabel(label, { exact: true }).fill(text);
}

async function ask(page, text) {
  await page.locator(".ask textarea").fill(text);
  await page.locator(".ask textarea").press("Enter");
}

journey("what is wrong with a connection is said with what to do about it, in both languages, wide and narrow", async ({ browser, site }) => {
  const fake = await fakeProvider();
  const reply = { text: "ok", usage: [3, 1] };
  fake.script("good", { reply });
  fake.script("key", { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } } });
  fake.script("quota", { status: 429, body: { error: { message: "You exceeded your current quota", code: "insufficient_quota" } } });
  fake.script("name", { status: 404, body: { error: { message: "The model `fake-1` does not exist", code: "model_not_found" } }, models: ["fake-10", "other"] });
  fake.script("cors", { reply, cors: false });
  const WORDS = {
    en: { provider: "Provider", address: "Address", model: "Model", key: "Key", test: "Test the connection", good: "It answers." },
    zh: { provider: "服务商", address: "地址", model: "模型", key: "密钥", test: "测试连接", good: "连接正常。" },
  };
  for (const [lang, width, colorScheme] of [["en", 1280, "light"], ["zh", 390, "dark"]]) {
    const words = WORDS[lang];
    const options = { locale: lang === "zh" ? "zh-CN" : "en-GB", viewport: { width, height: 900 }, colorScheme, reach: [new URL(fake.url).origin] };
    const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-courier/model`, options);
    await rest(page);
    const settings = panel(page, "settings");
    await settings.locator("select").first().selectOption("compatible");
    for (const [name, code] of [["good", undefined], ["key", "key"], ["quota", "quota"], ["name", "model-name"], ["cors", "cors"]]) {
      await type(page, { [words.address]: `${fake.url}/${name}`, [words.model]: "fake-1", [words.key]: KEY });
      await settings.getByRole("button", { name: words.test }).click();
      await rest(page);
      const said = await settings.locator(".diagnosis").innerText();
      if (code === undefined) assert.ok(said.includes(words.good), said);
      else assert.equal(await settings.locator(".diagnosis .refusal-code").innerText(), code);
      assert.ok(!said.includes(KEY), "a key that is said back is not shown");
      assert.ok(said.includes(`${fake.url}/${name}`), "the address that was tried is shown");
    }
    await settings.locator(".diagnosis").scrollIntoViewIfNeeded();
    await screenshot(page, `diagnosis-${lang}-${width}-${colorScheme}`);
    assert.deepEqual(serious(await accessibilityFaults(page)), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `the page scrolls sideways by ${wide}`);
    // The browser itself prints what it was refused by a server.
    assert.deepEqual(errors.filter((error) => !error.includes(fake.url) && !/Failed to load resource|CORS policy/.test(error)), []);
    await close();
  }
  await fake.close();
});

journey("a live model streams, is stopped, is asked again, and is played back from the cassette that was recorded", async ({ browser, site }) => {
  const fake = await fakeProvider();
  fake.script("slow", { reply: { thinking: "A budget is named.", text: JSON.stringify(VALUE), usage: [120, 24] }, size: 40, pause: 60 });
  const { page, errors, close } = await withRules(browser, site, [new URL(fake.url).origin]);
  const settings = panel(page, "settings");
  const exchanges = panel(page, "exchanges");
  await settings.getByText("Nobody answers yet").waitFor();
  await settings.locator("select").first().selectOption("compatible");
  await settings.getByText("More settings").click();
  await type(page, { Address: `${fake.url}/slow`, Model: "fake-1", Key: KEY, "A million tokens in cost": "3", "A million tokens out cost": "15" });
  await settings.getByRole("button", { name: "Use it for this journal" }).click();
  await settings.getByText("compatible fake-1 answers.").waitFor();
  await rest(page);

  // Stopped while the reply comes in.
  await ask(page, SAID);
  await exchanges.locator(".live pre").last().waitFor();
  await until(page, () => document.getElementById("live-reply")?.textContent.length > 4, undefined, 10_000);
  const early = await page.locator("#live-reply").innerText();
  await until(page, (early) => document.getElementById("live-reply")?.textContent.length > early.length, early, 10_000);
  await screenshot(page, "model-live");
  await exchanges.locator(".live").getByRole("button", { name: "Stop" }).click();
  await page.locator(".turn .status-stopped").waitFor();
  await rest(page);
  assert.equal(await page.locator("#live-reply").count(), 0);

  // Asked again while everything is recorded.
  await exchanges.getByRole("button", { name: "Record a cassette" }).click();
  await exchanges.getByText("Every reply is being recorded").waitFor();
  await ask(page, SAID);
  await page.locator(".turn").nth(1).locator(".status-answered").waitFor();
  await rest(page);
  const answer = await page.locator(".turn").nth(1).locator(".answer").innerText();
  assert.match(answer, /Noted: 20000/);
  const newest = exchanges.locator(".entity").first();
  assert.match(await newest.innerText(), /Interpret[^]*done[^]*compatible fake-1[^]*120 tokens in, 24 out[^]*first byte after[^]*cost 0\.00072/);
  await newest.getByRole("button", { name: "Show" }).click();
  await newest.locator("pre.value").waitFor();
  assert.deepEqual(JSON.parse(await newest.locator("pre.value").innerText()), VALUE);
  assert.match(await newest.locator("figcaption").innerText(), /\d+ pieces, \d+ bytes in/);
  await newest.getByText(/The stream as it came/).click();
  assert.match(await newest.locator("details[open] pre").first().innerText(), /data: /);
  await newest.getByText("What was asked").click();
  assert.match(await newest.innerText(), /My budget is 20000/);
  await newest.scrollIntoViewIfNeeded();
  await screenshot(page, "model-exchange");
  const stages = await panel(page, "metrics").locator("tbody tr").first().innerText();
  assert.doesNotMatch(stages, /Interpret\s+0 ms/, "time goes on while a model answers");
  const [saved] = await Promise.all([page.waitForEvent("download"), exchanges.getByRole("button", { name: "Stop and save the cassette" }).click()]);
  const cassette = await readFile(await saved.path(), "utf8");
  assert.ok(!cassette.includes(KEY));
  await rest(page);

  // The spans, with what was said only when that is wanted.
  for (const content of [false, true]) {
    const metrics = panel(page, "metrics");
    if (content) await metrics.getByRole("checkbox").check();
    const [file] = await Promise.all([page.waitForEvent("download"), metrics.getByRole("button", { name: "Save the spans" }).click()]);
    const text = await readFile(await file.path(), "utf8");
    assert.ok(JSON.parse(text).resourceSpans[0].scopeSpans[0].spans.length > 4);
    assert.equal(text.includes("gen_ai.input.messages"), content);
    assert.ok(!text.includes(KEY));
    await rest(page);
  }

  // Played again: the same answer, and nobody is asked.
  const before = fake.requests.length;
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), settings.getByRole("button", { name: "Open a cassette" }).click()]);
  await chooser.setFiles({ name: "cassette.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(cassette) });
  await settings.getByText("1 recorded replies answer").waitFor();
  await ask(page, SAID);
  await page.locator(".turn").nth(2).locator(".status-answered").waitFor();
  await rest(page);
  assert.equal(await page.locator(".turn").nth(2).locator(".answer").innerText(), answer);
  assert.equal(fake.requests.length, before);
  await settings.getByRole("button", { name: "Take it away" }).click();
  await settings.getByText("Nobody answers yet").waitFor();
  await settings.getByRole("button", { name: "Play the 1 recorded replies again" }).click();
  await settings.getByText("1 recorded replies answer").waitFor();
  await rest(page);
  assert.deepEqual(serious(await accessibilityFaults(page)), []);
  assert.deepEqual(errors, []);
  await close();
  await fake.close();
});

journey("a model goes before a demo's recorded replies once a person chooses it, and they come back", async ({ browser, site }) => {
  const fake = await fakeProvider();
  fake.script("m", { reply: { text: "I cannot say.", usage: [9, 3] } });
  const { page, errors, close } = await openPage(browser, `${site.url}#/run/demo-courier/model`, { locale: "en-GB", reach: [new URL(fake.url).origin] });
  await rest(page);
  const settings = panel(page, "settings");
  await settings.getByText(/\d+ recorded replies answer; nothing is sent anywhere/).waitFor();
  await settings.locator("select").first().selectOption("compatible");
  await type(page, { Address: `${fake.url}/m`, Model: "fake-1", Key: KEY });
  await settings.getByRole("button", { name: "Use it for this journal" }).click();
  await settings.getByText("compatible fake-1 answers.").waitFor();
  await page.locator(".suggestion").first().click();
  await rest(page);
  await until(page, () => document.querySelector(".turn .mark:not(.status-running)"), undefined, 30_000);
  assert.ok(fake.requests.length > 0, "the model is asked");
  await settings.getByRole("button", { name: /Play the \d+ recorded replies again/ }).click();
  await settings.getByText(/\d+ recorded replies answer; nothing/).waitFor();
  const before = fake.requests.length;
  await rest(page);
  await page.locator(".suggestion").first().click();
  await rest(page);
  assert.match(await page.locator(".turn").last().locator(".answer").innerText(), /Wuhan Hub/);
  assert.equal(fake.requests.length, before);
  assert.deepEqual(errors, []);
  await close();
  await fake.close();
});

journey("signing in at OpenRouter brings a key that is nowhere else, and a key is kept only sealed", async ({ browser, site }) => {
  const { page, context, errors, close } = await openPage(browser, `${site.url}#/run/demo-courier/model`, { locale: "en-GB" });
  const asked = [];
  await context.route("https://openrouter.ai/**", async (route) => {
    const url = new URL(route.request().url());
    if (url.pathname === "/auth") {
      asked.push(Object.fromEntries(url.searchParams));
      const back = new URL(url.searchParams.get("callback_url"));
      back.searchParams.set("code", "one-time-code");
      return route.fulfill({ status: 302, headers: { location: back.href } });
    }
    asked.push(JSON.parse(route.request().postData()));
    return route.fulfill({ status: 200, headers: { "access-control-allow-origin": "*" }, contentType: "application/json", body: JSON.stringify({ key: KEY }) });
  });
  await rest(page);
  const settings = panel(page, "settings");
  await settings.getByRole("button", { name: "Sign in at OpenRouter" }).click();
  await settings.getByText("Signed in: the key is in the field").waitFor();
  await rest(page);
  assert.equal(await settings.getByLabel("Key", { exact: true }).inputValue(), KEY);
  assert.match(page.url(), /#\/run\/demo-courier\/model$/);
  assert.ok(!page.url().includes("code="), "the code is not left in the address");
  const [began, ended] = asked;
  assert.equal(began.code_challenge_method, "S256");
  const hash = await page.evaluate(async (verifier) => {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }, ended.code_verifier);
  assert.equal(hash, began.code_challenge, "the proof fits the challenge");
  assert.equal(ended.code, "one-time-code");

  await settings.getByText("Keep the key in this browser").click();
  await settings.getByLabel("Passphrase").fill("four words in a row");
  await settings.getByRole("button", { name: "Keep it sealed" }).click();
  await settings.getByText("The key is kept here, sealed.").waitFor();
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.ok(!stored.includes(KEY) && !stored.includes("four words"));
  await page.reload();
  await rest(page);
  assert.equal(await settings.getByLabel("Key", { exact: true }).inputValue(), "");
  await settings.getByText("Keep the key in this browser").click();
  await settings.getByLabel("Passphrase").fill("other words in a row");
  await settings.getByRole("button", { name: "Open the kept key" }).click();
  await settings.getByText(/wrong-passphrase/).waitFor();
  await settings.getByLabel("Passphrase").fill("four words in a row");
  await settings.getByRole("button", { name: "Open the kept key" }).click();
  await settings.getByText("The key is in the field.").waitFor();
  assert.equal(await settings.getByLabel("Key", { exact: true }).inputValue(), KEY);
  await settings.getByRole("button", { name: "Delete the kept key" }).click();
  await settings.getByText("The kept key is gone.").waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes("sealed"));
  assert.deepEqual(errors, []);
  await close();
});
