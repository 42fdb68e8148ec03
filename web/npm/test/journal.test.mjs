import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { opened, refusal } from "./help.mjs";

const folder = await mkdtemp(join(tmpdir(), "throughline-"));
after(() => rm(folder, { recursive: true }));

async function journal() {
  const session = await opened();
  await session.assertFact("budget", 20_000, {}, { reason: "said at the start" });
  await session.remember({ kind: "note", text: "颜色是蓝色" });
  await session.assertFact("budget", 18_000);
  return session;
}

test("an exported journal that is imported has the same three digests and goes on from there", async () => {
  const session = await journal();
  const { text, seq, chain } = await session.export();
  assert.deepEqual([seq, chain], [3, (await session.digests()).chain]);
  const copy = await opened();
  const status = await copy.import(text);
  assert.equal(status.id, (await session.status()).id);
  assert.deepEqual(await copy.digests(), await session.digests());
  await copy.assertFact("budget", 17_000);
  assert.equal((await copy.verify()).seq, 4);
  assert.equal((await refusal(copy.import(text))).code, "journal-not-empty");
});

test("verify reads what is stored again, and finds it whole", async () => {
  const session = await journal();
  const found = await session.verify();
  assert.deepEqual([found.ok, found.seq, found.error], [true, 3, null]);
  assert.deepEqual(found.digests, await session.digests());
});

test("a file with any changed byte is refused with its place, and nothing of it is taken", async () => {
  const { text } = await (await journal()).export();
  const start = text.indexOf("\n") + 1;
  const session = await opened();
  for (const place of [start + 12, Math.floor((start + text.length) / 2), text.length - 20]) {
    const changed = text.slice(0, place) + (text[place] === "0" ? "1" : "0") + text.slice(place + 1);
    const error = await refusal(session.import(changed));
    assert.match(error.code, /^(chain-broken|frame-unreadable|head-moved|seq-broken)$/);
    assert.ok(error.details.details.byte >= start, JSON.stringify(error.details));
    assert.equal((await session.status()).seq, 0);
  }
  assert.equal((await refusal(session.import(text.slice(0, -200)))).code, "truncated");
  assert.equal((await refusal(session.import("hello"))).code, "not-a-journal");
});

const command = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../bin/throughline.mjs");

/** Runs the command; gives its exit code and what it printed. */
async function run(...args) {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [command, ...args]);
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error;
  }
}

test("the command verifies a file: digests and 0 when it is whole, the first bad byte and 1 when not", async () => {
  const session = await journal();
  const { text } = await session.export();
  const { chain, history, content } = await session.digests();
  const [good, bad, binary] = ["good", "bad", "binary"].map((name) => join(folder, `${name}.journal`));
  await writeFile(good, text);
  await writeFile(bad, text.replace("20000", "20001"));
  await writeFile(binary, Buffer.concat([Buffer.from(text), Buffer.from([0xff])]));

  const whole = await run("verify", good);
  assert.equal(whole.code, 0, whole.stderr);
  for (const digest of [chain, history, content]) assert.ok(whole.stdout.includes(digest), whole.stdout);

  const broken = await run("verify", good, bad);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /chain-broken/);
  assert.match(broken.stderr, /first bad byte \d+, in frame 1/);

  const noText = await run("verify", binary);
  assert.deepEqual([noText.code, /first bad byte (\d+)/.exec(noText.stderr)?.[1]], [1, String(Buffer.byteLength(text))]);
  assert.equal((await run("verify", join(folder, "missing"))).code, 1);
});

test("the command explains itself, and ends with 2 when it cannot understand", async () => {
  const help = await run("help");
  assert.equal(help.code, 0);
  assert.match(help.stdout, /verify FILE/);
  assert.equal((await run()).code, 2);
  assert.equal((await run("verify")).code, 2);
  assert.equal((await run("frobnicate", "x")).code, 2);
});
