// The package in a real browser: worker, database, several tabs, and what browsers do to all of them.
// Skipped, visibly, where there is no Chromium or no driver for it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { open, remove } from "../dist/node.js";

const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const lib = await import("../../../tests/e2e/lib.mjs").catch(() => undefined);
const skip =
  chromium === undefined ? "SKIPPED: no Chromium was found; name one in CHROMIUM" : lib === undefined && "SKIPPED: no driver is installed in tests/e2e";

// A content policy as strict as the inspector's, so that everything works under it.
const PAGE = `<!doctype html><meta charset="utf-8"><title>x</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:">
<script type="module" src="./page.js"></script>`;

let browser, site, folder;
if (!skip) {
  folder = await mkdtemp(join(tmpdir(), "throughline-page-"));
  await writeFile(join(folder, "index.html"), PAGE);
  await writeFile(join(folder, "page.js"), 'globalThis.throughline = await import("./lib/index.js");\n');
  await cp(fileURLToPath(new URL("../dist", import.meta.url)), join(folder, "lib"), { recursive: true });
  process.env.CHROMIUM = chromium;
  site = await lib.serve(folder, { below: "/some/where/" });
  browser = await lib.launch();
  after(async () => {
    await browser.close();
    await site.close();
    await rm(folder, { recursive: true });
  });
}

/** A test in a browser profile of its own, which must stay without errors on the console. */
function inBrowser(name, run) {
  test(name, { skip, timeout: 60_000 }, async () => {
    const profile = await lib.openPage(browser, site.url);
    const ready = async (page) => {
      await lib.until(page, () => globalThis.throughline);
      return page;
    };
    const another = async () => {
      const page = await profile.context.newPage();
      await page.goto(site.url);
      return ready(page);
    };
    const reload = async (page) => {
      await page.reload();
      return ready(page);
    };
    const cdp = await profile.context.newCDPSession(profile.page);
    try {
      await run(await ready(profile.page), { another, reload, cdp, origin: new URL(site.url).origin });
      assert.deepEqual(profile.errors, []);
      assert.deepEqual(profile.foreign, []);
    } finally {
      await profile.close();
    }
  });
}

/** Opens a journal in the page and keeps the session in a global. */
const start = (page, options = {}) =>
  page.evaluate(async (options) => {
    const how = options.worker === "own" ? { worker: () => (globalThis.own = new Worker("./lib/worker.js", { type: "module" })) } : {};
    globalThis.session = await throughline.open({ name: "journal", ...options, ...how });
    return (await session.status()).seq;
  }, options);

const fact = (page, key) => page.evaluate((key) => session.fact(key), key);
const assertFact = (page, key, value) => page.evaluate(([key, value]) => session.assertFact(key, value), [key, value]);
for (const worker of ["script", "blob"]) {
  inBrowser(`a journal is kept over a reload, by a worker from a ${worker} under a strict policy`, async (page, { reload }) => {
    assert.equal(await start(page, { worker }), 0);
    await assertFact(page, "budget", 20_000);
    const before = await page.evaluate(() => session.digests());
    await reload(page);
    assert.equal(await start(page, { worker }), 1);
    assert.equal(await fact(page, "budget"), 20_000);
    assert.deepEqual(await page.evaluate(() => session.digests()), before);
    assert.equal((await page.evaluate(() => session.verify())).ok, true);
  });
}

inBrowser("the same inputs give the same bytes in a browser's database and in Node's memory", async (page) => {
  const options = { name: "twin", id: "twin", clock: 1_770_000_000_000 };
  // Runs in both: the page is given its text.
  const run = async (options) => {
    const session = await throughline.open(options);
    await session.assertFact("a", 1);
    await session.advance(1_000);
    await session.remember({ kind: "note", text: "颜色 is blue" });
    await session.execute("{bad").catch(() => undefined);
    const found = [await session.digests(), (await session.export()).text];
    await session.close();
    return found;
  };
  globalThis.throughline = { open };
  const expected = await run(options);
  delete globalThis.throughline;
  await remove("twin");
  assert.deepEqual(await page.evaluate(run, options), expected);
});

inBrowser("two tabs that write at once lose nothing, write nothing twice, and end the same", async (page, { another }) => {
  const tabs = [page, await another()];
  for (const tab of tabs) await start(tab);
  const write = (tab, from) =>
    tab.evaluate(async (from) => {
      const done = await Promise.all(Array.from({ length: 50 }, (_, n) => session.assertFact(`key ${from + n}`, n)));
      await session.assertFact("shared", "same");
      return done.length;
    }, from);
  assert.deepEqual(await Promise.all([write(tabs[0], 0), write(tabs[1], 50)]), [50, 50]);
  const [one, two] = await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(async () => {
        // The other tab's last frame comes by a hint.
        for (let n = 0; n < 200 && (await session.status()).seq < 101; n++) await new Promise((next) => setTimeout(next, 10));
        return [(await session.facts()).facts.length, await session.digests()];
      }),
    ),
  );
  assert.deepEqual(one[0], 101);
  assert.deepEqual(one, two);
});

inBrowser("a tab that is closed amid its writes leaves a whole journal with everything that was acknowledged", async (page, { another }) => {
  await start(page);
  for (let round = 0; round < 4; round++) {
    const tab = await another();
    await start(tab);
    const acknowledged = [];
    await tab.exposeFunction("acknowledge", (key) => acknowledged.push(key));
    await tab.evaluate((round) => {
      for (let n = 0; n < 40; n++) {
        const key = `round ${round}, ${n}`;
        // One by one, so that the end falls between many appends.
        globalThis.last = (globalThis.last ?? Promise.resolve()).then(() => session.assertFact(key, n)).then(() => acknowledge(key));
      }
    }, round);
    await new Promise((resolve) => setTimeout(resolve, 20 + 15 * round));
    await tab.close();
    const check = await another();
    await start(check);
    const verified = await check.evaluate(() => session.verify());
    assert.deepEqual([verified.ok, verified.error], [true, null]);
    const keys = new Set(await check.evaluate(async () => (await session.facts()).facts.map((one) => one.key)));
    for (const key of acknowledged) assert.ok(keys.has(key), `${key} was acknowledged and is gone`);
    await check.close();
  }
});

inBrowser("what another tab left open goes on in the tab that stays, under the same key", async (page, { another }) => {
  const domain = { name: "d", tools: { weigh: { schema: { type: "object" }, effect: "read" } } };
  const run = (tab, answers) =>
    tab.evaluate(
      async ([domain, answers]) => {
        globalThis.calls = [];
        const run = (_args, { idempotencyKey }) => {
          calls.push(idempotencyKey);
          return answers ? 42 : new Promise(() => {});
        };
        globalThis.session = await throughline.open({ name: "journal", domain, tools: { weigh: { schema: { type: "object" }, run } } });
      },
      [domain, answers],
    );
  const first = await another();
  await run(first, false);
  await first.evaluate(() => session.startRun("$w = CALL weigh()"));
  await lib.until(first, () => calls.length === 1);
  const [key] = await first.evaluate(() => calls);
  await run(page, true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(await page.evaluate(() => calls), [], "nobody calls while the first tab is at it");
  await first.close();
  await lib.until(page, () => calls.length === 1);
  assert.deepEqual(await page.evaluate(() => calls), [key]);
  await lib.until(page, async () => (await session.runs())[0].status === "done");
});

inBrowser("a browser without room says so, and what is not saved is not shown", async (page, { cdp, origin }) => {
  await cdp.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 3_000_000 });
  await start(page);
  await assertFact(page, "small", 1);
  const failed = await page.evaluate(async () => {
    const large = "x".repeat(2_000_000);
    for (let n = 0; n < 5; n++) {
      try {
        await session.addDocument(`large ${n}`, large + n);
      } catch (error) {
        return [error.code, error.retryable, (await session.documents()).length === n];
      }
    }
    return "it all went in";
  });
  assert.deepEqual(failed, ["store-full", true, true]);
  await cdp.send("Storage.overrideQuotaForOrigin", { origin });
  await assertFact(page, "after", 2);
  assert.deepEqual([await fact(page, "small"), await fact(page, "after")], [1, 2]);
  assert.equal((await page.evaluate(() => session.verify())).ok, true);
});

inBrowser("a database that the browser removed is not taken for a new one, and a copy can be imported", async (page, { cdp, origin, reload }) => {
  await start(page);
  await assertFact(page, "a", 1);
  const { text } = await page.evaluate(() => session.export());
  // The note that something was here is written beside the commit.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await cdp.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
  const late = await page.evaluate(() => session.assertFact("a", 2).then(() => "done", (error) => error.code));
  assert.equal(late, "store-gone");
  await reload(page);
  const error = await page.evaluate(() => throughline.open({ name: "journal" }).then(() => null, (error) => ({ code: error.code, details: error.details.details })));
  assert.deepEqual([error.code, error.details.seq], ["store-wiped", 1]);
  const found = await page.evaluate(async (text) => {
    await throughline.remove("journal");
    globalThis.session = await throughline.open({ name: "journal" });
    await session.import(text);
    return [await session.fact("a"), (await throughline.list()).map(({ name, seq }) => [name, seq])];
  }, text);
  assert.deepEqual(found, [1, [["journal", 1]]]);
});

inBrowser("a damaged journal is refused and left as it is; what is good of it can be read", async (page, { reload }) => {
  await start(page);
  for (const value of [1, 2, 3]) await assertFact(page, "a", value);
  await page.evaluate(() => session.close());
  const damaged = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("throughline");
        opening.onerror = reject;
        opening.onsuccess = () => {
          const transaction = opening.result.transaction("segments", "readwrite");
          const segments = transaction.objectStore("segments");
          segments.get(["journal", 2]).onsuccess = ({ target }) => {
            const bytes = target.result;
            bytes[bytes.length - 40] ^= 1;
            segments.put(bytes, ["journal", 2]);
          };
          transaction.oncomplete = () => {
            opening.result.close();
            resolve(true);
          };
        };
      }),
  );
  assert.equal(damaged, true);
  await reload(page);
  const found = await page.evaluate(async () => {
    const refused = (promise) => promise.then(() => "done", (error) => error.code);
    const first = await throughline.open({ name: "journal" }).catch((error) => error);
    const session = await throughline.open({ name: "journal", salvage: true });
    return {
      code: first.code,
      details: first.details.details,
      fact: await session.fact("a"),
      write: await refused(session.assertFact("a", 4)),
      verified: (await session.verify()).ok,
    };
  });
  assert.deepEqual([found.code, found.details.segment, found.details.good_seq], ["store-unreadable", 2, 1]);
  assert.deepEqual([found.fact, found.write, found.verified], [1, "read-only", false]);
});

inBrowser("after a crash the session goes on in a new worker on the same journal", async (page) => {
  await start(page, { worker: "own" });
  await assertFact(page, "a", 1);
  const found = await page.evaluate(async () => {
    const first = globalThis.own;
    first.dispatchEvent(new ErrorEvent("error", { message: "RuntimeError: unreachable" }));
    const value = await session.fact("a");
    await session.assertFact("a", 2);
    return [value, await session.fact("a"), globalThis.own !== first];
  });
  assert.deepEqual(found, [1, 2, true]);
});

inBrowser("exact numbers, falsy values and odd names cross the worker unharmed", async (page) => {
  await start(page);
  const found = await page.evaluate(async () => {
    const value = {
      ...{ a: false, b: 0, c: "", d: null, e: [], f: {}, g: -0, h: 9007199254740993n },
      i: new throughline.Decimal("0.30000000000000000001"),
      j: JSON.parse('{"__proto__": 1}'),
    };
    await session.assertFact("state", value);
    const back = await session.fact("state");
    return [throughline.encode(back) === throughline.encode(value), typeof back.h, Object.is(back.g, -0)];
  });
  assert.deepEqual(found, [true, "bigint", true]);
});

/** What lies in the browser's database, store by store: every value as text, byte for byte, and the keys. */
const stored = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("throughline");
        opening.onerror = reject;
        opening.onsuccess = () => {
          const database = opening.result;
          const found = {};
          const transaction = database.transaction([...database.objectStoreNames], "readonly");
          for (const name of database.objectStoreNames) {
            const store = transaction.objectStore(name);
            found[name] = [];
            store.openCursor().onsuccess = ({ target: { result: cursor } }) => {
              if (!cursor) return;
              const { key, value } = cursor;
              const text = typeof value === "string" ? value : new TextDecoder("latin1").decode(value);
              found[name].push({ key: JSON.stringify(key), size: text.length, planted: text.includes("zanzibar") });
              cursor.continue();
            };
          }
          transaction.onerror = reject;
          transaction.oncomplete = () => {
            database.close();
            resolve(found);
          };
        };
      }),
  );

inBrowser("a journal of many events is opened from its snapshot without their bodies, and a purge leaves no word in the database", async (page, { reload }) => {
  await start(page);
  const ask = () =>
    page.evaluate(async () => [
      await session.recall({ words: "kettle garden", limit: 20 }),
      await session.recall({ words: "zanzibar" }),
      await session.memoryHistory("towel", { limit: 50 }),
      await session.digests(),
    ]);
  await page.evaluate(async () => {
    await session.importEvents(throughline.generatedEvents(100_000, 7));
    // One in a frame of its own, and one whose body is large enough to lie apart.
    await session.remember({ kind: "note", text: "the zanzibar sails" });
    await session.remember([
      { kind: "note", text: `zanzibar lies at anchor ${"for a long time ".repeat(1_000)}`, data: { ship: "zanzibar" } },
      { kind: "note", text: "the harbour is empty" },
    ]);
  });
  const before = await ask();
  assert.deepEqual([before[0].hits.length, before[1].total, before[2].hits.length], [20, 2, 50]);
  await page.evaluate(() => session.close());
  const full = await stored(page);
  assert.equal(full.snapshots.filter(({ key }) => key === '["journal","memory"]').length, 1, "there is a snapshot");
  assert.ok(full.snapshots.length > 2 && full.segments.some(({ planted }) => planted) && full.snapshots.some(({ planted }) => planted));

  await reload(page);
  await start(page);
  const { memory, seq } = await page.evaluate(() => session.status());
  assert.deepEqual([memory.from_snapshot, memory.bodies_read, memory.resident_bytes], [true, 0, 0]);
  assert.ok(memory.cold_bytes > 1_000_000, JSON.stringify(memory));
  assert.deepEqual(await ask(), before);
  const warmed = (await page.evaluate(() => session.status())).memory;
  assert.ok(warmed.bodies_read > 0 && warmed.resident_bytes > 0, JSON.stringify(warmed));

  const purged = await page.evaluate(async (ids) => (await session.purge(ids)).result.purged, before[1].hits.map((hit) => hit.id));
  assert.equal(purged, 2);
  // The database keeps none of it, neither now, nor after a snapshot was written anew, nor in one that is written late.
  for (const closed of [false, true]) {
    if (closed) await page.evaluate(() => session.close());
    for (const [name, values] of Object.entries(await stored(page))) {
      assert.deepEqual(values.filter(({ planted }) => planted).map(({ key }) => key), [], `${name}, ${closed ? "closed" : "open"}`);
    }
  }
  await reload(page);
  await start(page);
  const [kettles, ships, towels] = await ask();
  // Without the long text all others weigh a little less; they are the same, in the same order.
  const plain = (page) => page.hits.map(({ id, text }) => [id, text]);
  assert.deepEqual([plain(kettles), ships.total, towels.hits], [plain(before[0]), 0, before[2].hits]);
  assert.equal((await page.evaluate(() => session.recall({ words: "harbour" }))).hits[0].text, "the harbour is empty");
  assert.equal((await page.evaluate(() => session.status())).seq, seq + 1);
  assert.equal((await page.evaluate(() => session.verify())).ok, true);
});
