// What becomes of a session whose engine dies, with an engine here in the place of a worker.

import assert from "node:assert/strict";
import { test } from "node:test";
import { list, open, remove } from "../dist/node.js";
import { load } from "../dist/load-node.js";
import { refusal } from "./help.mjs";

/** A worker in every respect but that it runs here, and dies when told to. */
class Near extends EventTarget {
  static started = [];
  alive = true;
  // The journal outlives this "worker", as one in a database does.
  session = load().then((Session) => {
    const session = new Session();
    session.on_push((text) => this.say({ kind: "push", text }));
    return session;
  });

  constructor() {
    super();
    Near.started.push(this);
  }

  say(data) {
    if (this.alive) this.dispatchEvent(new MessageEvent("message", { data }));
  }

  async postMessage({ kind, id, text }) {
    // The journal is really in memory, which this thread keeps.
    const request = text.replace('"storage":"indexeddb"', '"storage":"memory"');
    const session = await this.session;
    if (kind === "result") session.host_result(request);
    else session.request(request, (response) => this.say({ kind: "response", id, text: response }));
  }

  terminate() {
    this.alive = false;
    void this.session.then((session) => session.request('{"id":0,"call":{"type":"close"}}', () => undefined));
  }

  crash(words) {
    this.say({ kind: "crashed", message: words });
  }
}

const start = (options) =>
  open({ name: "crashing", host: "worker", worker: () => new Near(), storage: "indexeddb", clock: 0, ...options });

test("after a crash what is pending is rejected, and the next call goes on in a new engine on the same journal", async () => {
  Near.started = [];
  const session = await start();
  await session.assertFact("a", 1);
  const digests = await session.digests();
  const pending = session.facts();
  Near.started[0].crash("unreachable");
  const error = await refusal(pending);
  assert.deepEqual([error.code, error.retryable, error.message], ["engine-crashed", true, "unreachable"]);
  assert.equal(Near.started.length, 1, "nothing is started before it is needed");
  assert.deepEqual(await session.digests(), digests);
  assert.equal(Near.started.length, 2);
  await session.assertFact("a", 2);
  assert.equal(await session.fact("a"), 2);
  await session.close();
  await remove("crashing");
});

test("calls that come together after a crash start one new engine", async () => {
  Near.started = [];
  const session = await start();
  await session.assertFact("a", 1);
  Near.started[0].crash("unreachable");
  assert.deepEqual(await Promise.all([session.fact("a"), session.fact("a"), session.fact("a")]), [1, 1, 1]);
  assert.equal(Near.started.length, 2);
  await session.close();
  await remove("crashing");
});

test("a journal in memory is gone with its engine, and no empty one takes its place", async () => {
  Near.started = [];
  const session = await start({ storage: "memory" });
  await session.assertFact("a", 1);
  const saying = refusal(session.say("hello"));
  await session.settled();
  Near.started[0].crash("unreachable");
  assert.equal((await refusal(session.fact("a"))).code, "engine-crashed");
  assert.ok((await saying).code);
  assert.equal(Near.started.length, 1);
  await session.close();
  await remove("crashing");
});

test("tools of a crashed engine are told that their result is no longer wanted", async () => {
  Near.started = [];
  let aborted = false;
  const tools = {
    slow: {
      schema: { type: "object" },
      run: (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve((aborted = true)))),
    },
  };
  const session = await start({ domain: { name: "d" }, tools });
  await session.startRun("$x = CALL slow()");
  await session.settled();
  Near.started[0].crash("unreachable");
  assert.equal(aborted, true);
  await session.close();
  await remove("crashing");
});

test("a worker that cannot be started is an error and not a wait without end", async () => {
  class Missing extends EventTarget {
    constructor() {
      super();
      // As a script that answers 404 does it: an event without words.
      queueMicrotask(() => this.dispatchEvent(new Event("error")));
    }
    postMessage() {}
    terminate() {}
  }
  const error = await refusal(open({ name: "x", host: "worker", worker: () => new Missing() }));
  assert.deepEqual([error.code, /could not be loaded/.test(error.message)], ["engine-crashed", true]);
  const thrown = open({
    name: "x",
    host: "worker",
    worker: () => {
      throw new Error("forbidden");
    },
  });
  await assert.rejects(thrown, /forbidden/);
  assert.deepEqual((await list()).filter(({ name }) => name === "x"), []);
});
