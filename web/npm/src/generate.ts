// Events from a seed, for trying things out without downloading anything.

import { pause } from "./importing.js";
import type { EventColumns } from "./importing.js";

const KINDS = [
  "saw", "moved", "took", "put", "opened", "closed", "lit", "put out", "washed", "filled", "poured", "stirred",
  "heard", "asked", "answered", "smelt smoke",
];
const ROOMS = ["kitchen", "hall", "larder", "garden", "cellar"];
const THINGS = ["pan", "kettle", "stove", "cup", "bowl", "spoon", "egg", "bread", "butter", "milk", "tea", "towel"];

/** Numbers below 1 from a seed: always the same ones. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Events that were generated. */
export type Generated = EventColumns & { at: Float64Array };

/** How many events are made without letting anything else happen. */
const SLICE = 20_000;

/** The events, made in slices. Texts are made once and shared: there are far fewer of them than events. */
function* generating(count: number, seed: number, start: number): Generator<number, Generated> {
  const next = random(seed);
  const at = new Float64Array(count);
  const kind = new Uint16Array(count);
  const entityCount = new Uint8Array(count).fill(2);
  const entity = new Uint16Array(count * 2);
  const importance = new Float64Array(count);
  const text = new Array<string>(count);
  const texts = KINDS.map((kind) => THINGS.map((thing) => ROOMS.map((room) => `${kind} the ${thing} in the ${room}`)));
  const entities = [...THINGS, ...ROOMS];
  let clock = start;
  for (let i = 0; i < count; i += 1) {
    clock += next() < 1 / 40 ? 60_000 + Math.floor(next() * 3_600_000) : 1 + Math.floor(next() * 800);
    const late = next() < 0.05 ? Math.floor(-Math.log(1 - next()) * 400_000) : 0;
    at[i] = Math.max(start, clock - late);
    // The last kinds are rare.
    const k = Math.min(KINDS.length - 1, Math.floor(KINDS.length * next() ** 2.4));
    const thing = Math.floor(THINGS.length * next() ** 1.5);
    const room = Math.floor(ROOMS.length * next() ** 2);
    kind[i] = k;
    entity[i * 2] = thing;
    entity[i * 2 + 1] = THINGS.length + room;
    importance[i] = k === KINDS.length - 1 ? 1 : Math.round(next() * 10) / 10;
    text[i] = texts[k]?.[thing]?.[room] ?? "";
    if (i % SLICE === SLICE - 1) yield i + 1;
  }
  return { at, kinds: KINDS, kind, entities, entityCount, entity, importance, text };
}

/**
 * What a household robot perceived and did through many breakfasts, as columns for `importEvents`: bursts with gaps,
 * some kinds rare, one event in twenty late. The same seed gives the same events.
 */
export function generatedEvents(count: number, seed = 1, start = Date.UTC(2026, 0, 1)): Generated {
  const made = generating(count, seed, start);
  for (;;) {
    const { done, value } = made.next();
    if (done) return value;
  }
}

/** As `generatedEvents`, and the page can do something else in between; nothing when `signal` ends it. */
export async function generatedEventsSoon(
  count: number,
  seed = 1,
  start = Date.UTC(2026, 0, 1),
  signal?: AbortSignal,
): Promise<Generated | undefined> {
  const made = generating(count, seed, start);
  for (;;) {
    const { done, value } = made.next();
    if (done) return value;
    await pause();
    if (signal?.aborted === true) return undefined;
  }
}
