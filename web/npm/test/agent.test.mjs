import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { opened } from "./help.mjs";

const text = (name) => readFile(new URL(`../../demos/courier/${name}`, import.meta.url), "utf8");
const json = async (name) => JSON.parse(await text(name));

async function courier(options) {
  const demo = await json("demo.json");
  const documents = await Promise.all(
    demo.documents.map(async ({ name, media_type, file }) => ({ name, media_type, text: await text(file) })),
  );
  return opened({ domain: await json("domain.json"), documents, clock: demo.clock, ...options });
}

const QUESTION = "Where is parcel SF123456789, and will it be late?";

test("a turn runs through its five stages on recorded replies and answers with footnotes", async () => {
  const session = await courier({ cassette: await text("cassette.jsonl") });
  const turn = await session.say(QUESTION, { language: "en" });
  assert.equal(turn.status, "answered");
  assert.deepEqual(turn.stages.map((stage) => stage.stage), ["interpret", "ground", "gather", "decide", "respond"]);
  assert.match(turn.answer.text, /Wuhan/);
  assert.ok(turn.answer.footnotes.length > 0);
  assert.deepEqual(turn.answer.unsupported, []);
  for (const { evidence } of turn.answer.footnotes) {
    // What was computed or given rests on no document.
    for (const { document, span, quote } of evidence.filter((one) => one.document !== "")) {
      const { text: source } = await session.document(document);
      const bytes = Buffer.from(source, "utf8").subarray(span.start, span.end);
      assert.equal(bytes.toString("utf8"), quote, "a footnote quotes what stands there");
    }
  }
});

test("one changed byte of a recorded reply changes the run", async () => {
  const cassette = await text("cassette.jsonl");
  const session = await courier({ cassette: cassette.replace("track_parcel", "track_parcle") });
  const turn = await session.say(QUESTION, { language: "en" });
  const { stages } = turn;
  assert.notEqual(stages.find((stage) => stage.stage === "interpret").verdict, "done", JSON.stringify(stages));
});

test("a model in the page is asked with messages and a schema, and its reply counts like any other", async () => {
  const lines = (await text("cassette.jsonl")).split("\n").filter((line) => line.startsWith("{"));
  const recorded = lines.map((line) => JSON.parse(line));
  const asked = [];
  const model = async (request, { signal, idempotencyKey }) => {
    assert.ok(signal instanceof AbortSignal);
    asked.push([request.purpose, idempotencyKey.length]);
    const said = request.messages.map((message) => message.text).join("\n");
    const place = recorded.findIndex(
      ({ match }) =>
        match.purpose === request.purpose &&
        (match.language ?? request.language) === request.language &&
        (match.contains ?? []).every((part) => said.includes(part)),
    );
    // Each is given once: a proposal that was refused is asked for again.
    return recorded.splice(place, 1)[0].reply;
  };
  const live = await courier({ model });
  const turn = await live.say(QUESTION, { language: "en" });
  assert.equal(turn.status, "answered", JSON.stringify(turn.stages));
  assert.ok(asked.length >= 2 && asked.every(([, length]) => length > 0), JSON.stringify(asked));
  const replayed = await courier({ cassette: await text("cassette.jsonl") });
  assert.equal((await replayed.say(QUESTION, { language: "en" })).answer.text, turn.answer.text);
});

test("a model that fails is on record, and the turn falls back or says so", async () => {
  const session = await courier({
    model: () => {
      throw Object.assign(new Error("no quota left"), { code: "rate-limited" });
    },
  });
  const turn = await session.say(QUESTION, { language: "en" });
  assert.notEqual(turn.status, "running");
  const { records } = await session.records({ kinds: ["exchange.failed"] });
  assert.equal(records[0].data.code, "rate-limited");
});

const tooled = {
  name: "tools",
  tools: {
    weigh: {
      description: "Weighs a parcel",
      schema: { type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] },
      effect: "read",
    },
  },
};

/** Runs a plan with one call and waits for its end. */
async function weigh(run, options = {}) {
  const session = await opened({ domain: tooled, tools: { weigh: { run } }, ...options });
  const { result } = await session.startRun('$w = CALL weigh(parcel: "SF1")\n$twice = COMPUTE $w * 2');
  for (;;) {
    const view = await session.run(result.run);
    if (view.row.status !== "running") return { view, session };
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test("a plan calls a tool of the page, with exact numbers both ways and a key that stays the same", async () => {
  const calls = [];
  const { view } = await weigh((args, { idempotencyKey, signal }) => {
    calls.push([args, typeof idempotencyKey, signal.aborted]);
    return 9007199254740993n;
  });
  assert.deepEqual(calls, [[{ parcel: "SF1" }, "string", false]]);
  assert.equal(view.row.status, "done");
  assert.equal(view.bindings.find((binding) => binding.name === "twice").value, 18014398509481986n);
});

test("a tool that throws fails its step with its own words, and what needs it is blocked", async () => {
  const { view } = await weigh(() => {
    throw new Error("the scales are broken");
  });
  assert.equal(view.row.status, "failed");
  assert.match(view.steps[0].error, /scales are broken/);
  assert.equal(view.steps[1].status, "blocked");
});

test("a tool that gives what cannot be written fails its step", async () => {
  const { view } = await weigh(async () => new Map());
  assert.equal(view.steps[0].status, "failed");
  assert.match(view.steps[0].error, /Map/);
});

test("a tool that the session does not have fails its step and does not hang", async () => {
  const { view } = await weigh(() => 1, { tools: {} });
  assert.equal(view.steps[0].status, "failed");
});

test("a run that is cancelled aborts the call that it waits for", async () => {
  let aborted;
  const session = await opened({
    domain: tooled,
    tools: { weigh: { run: (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve((aborted = true)))) } },
  });
  const { result } = await session.startRun('$w = CALL weigh(parcel: "SF1")');
  await session.cancelRun(result.run);
  await session.settled();
  assert.equal(aborted, true);
});

test("what a tool says of itself fills what the domain does not say of it", async () => {
  const run = () => 1;
  const session = await opened({
    domain: { name: "d", tools: { weigh: { approval: true } } },
    tools: { weigh: { description: "from the page", effect: "write", schema: { type: "object" }, run } },
  });
  const { document } = await session.domain();
  assert.deepEqual(document.tools.weigh, {
    description: "from the page",
    schema: { type: "object" },
    effect: "write",
    approval: true,
  });
});
