// Events from a seed: the same however they are made.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generatedEvents, generatedEventsSoon } from "../dist/node.js";

test("events that are made in slices are those that are made at once", async () => {
  const whole = generatedEvents(50_001, 3);
  const soon = await generatedEventsSoon(50_001, 3);
  assert.deepEqual(soon, whole);
  assert.equal(whole.text[7], `${whole.kinds[whole.kind[7]]} the ${whole.entities[whole.entity[14]]} in the ${whole.entities[whole.entity[15]]}`);
  assert.notDeepEqual(generatedEvents(100, 4).at, generatedEvents(100, 3).at);
});

test("making events ends when it is no longer wanted", async () => {
  const stop = new AbortController();
  const made = generatedEventsSoon(10_000_000, 3, 0, stop.signal);
  stop.abort();
  assert.equal(await made, undefined);
});
