// The events that everybody indexes: bursts with gaps, sixteen kinds of which some are rare, entities of which some
// are busy, one in twenty late. Same seed, same events.

import { random } from "./harness.mjs";

export const KINDS = 16;
export const ENTITIES = 5_000;
const START = Date.UTC(2026, 0, 1);

/** A picker of 0..n with weights 1/(i+1)^power. */
function zipf(n, power, next) {
  const sums = new Float64Array(n);
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    sum += 1 / (i + 1) ** power;
    sums[i] = sum;
  }
  return () => {
    const at = next() * sum;
    let low = 0;
    let high = n - 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (sums[mid] < at) low = mid + 1;
      else high = mid;
    }
    return low;
  };
}

/**
 * `count` events in the order they arrive, as columns: time, kind, entities (`entityAt[i]..entityAt[i + 1]` of
 * `entity`), importance.
 */
export function events(count, seed = 42) {
  const next = random(seed);
  const kindOf = zipf(KINDS, 1.1, next);
  const entityOf = zipf(ENTITIES, 1, next);
  const time = new Float64Array(count);
  let clock = START;
  for (let i = 0; i < count; i += 1) {
    // Bursts of about forty events, some hundred milliseconds apart; minutes to hours between them.
    clock += next() < 1 / 40 ? 60_000 + Math.floor(next() * 7_200_000) : 1 + Math.floor(next() * 800);
    time[i] = clock;
  }
  const order = new Uint32Array(count);
  const place = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    order[i] = i;
    place[i] = next() < 0.05 ? i - Math.log(1 - next()) * -2_000 * -1 : i;
  }
  // A late event arrives where the place it was given lies.
  for (let i = 0; i < count; i += 1) if (place[i] < i) place[i] = i + (i - place[i]);
  order.sort((a, b) => place[a] - place[b] || a - b);
  const kind = new Uint8Array(count);
  const importance = new Float32Array(count);
  const entityAt = new Uint32Array(count + 1);
  const entity = [];
  const arrived = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    arrived[i] = time[order[i]];
    kind[i] = kindOf();
    importance[i] = Math.round(next() * 100) / 100;
    const many = 1 + Math.floor(next() * 3);
    for (let j = 0; j < many; j += 1) {
      const one = entityOf();
      if (!entity.includes(one, entityAt[i])) entity.push(one);
    }
    entityAt[i + 1] = entity.length;
  }
  return { count, time: arrived, kind, importance, entityAt, entity: Uint32Array.from(entity), first: time[0] ?? 0, last: time[count - 1] ?? 0 };
}

/** Windows of about `hits` events of three of the kinds, as [from, to, kind, kind, kind]. */
export function windows(data, hits, many, seed = 7) {
  const next = random(seed);
  const sorted = Float64Array.from(data.time).sort();
  const share = new Float64Array(KINDS);
  for (const kind of data.kind) share[kind] += 1 / data.count;
  const out = [];
  for (let i = 0; i < many; i += 1) {
    const kinds = new Set();
    while (kinds.size < 3) kinds.add(Math.floor(next() * KINDS));
    const part = [...kinds].reduce((sum, kind) => sum + share[kind], 0);
    const length = Math.min(data.count - 1, Math.max(1, Math.round(hits / part)));
    const start = Math.floor(next() * (data.count - length));
    out.push([sorted[start], sorted[start + length], ...kinds]);
  }
  return out;
}

/** Moments, each with a kind: what was the last of it before? */
export function lasts(data, many, seed = 8) {
  const next = random(seed);
  return Array.from({ length: many }, () => [data.first + next() * (data.last - data.first), Math.floor(next() * KINDS)]);
}

/** Moments, each with an entity: its latest fifty before. */
export function histories(data, many, seed = 9) {
  const next = random(seed);
  const entityOf = zipf(ENTITIES, 1, next);
  return Array.from({ length: many }, () => [data.first + next() * (data.last - data.first), entityOf()]);
}

const SYLLABLES = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "pan", "ter", "sil", "gor", "mek", "lun"];

/** A word of the vocabulary; the same number gives the same word. */
export function word(n) {
  let out = "";
  let rest = n + 17;
  while (rest > 0) {
    out += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return out;
}

/** Texts of five to twelve words of a vocabulary of 20,000 in which few words are frequent. */
export function texts(count, seed = 11) {
  const next = random(seed);
  const wordOf = zipf(20_000, 1, next);
  return Array.from({ length: count }, () => {
    const many = 5 + Math.floor(next() * 8);
    return Array.from({ length: many }, () => word(wordOf())).join(" ");
  });
}

/** Unit vectors of `size` numbers from 200 clusters, one after the other in one array. */
export function vectors(count, size = 256, seed = 12) {
  const next = random(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const centres = Array.from({ length: 200 }, () => Float32Array.from({ length: size }, normal));
  const out = new Float32Array(count * size);
  for (let i = 0; i < count; i += 1) {
    const centre = centres[Math.floor(next() * centres.length)];
    let length = 0;
    for (let j = 0; j < size; j += 1) {
      const x = centre[j] + normal() * 0.7;
      out[i * size + j] = x;
      length += x * x;
    }
    const scale = 1 / Math.sqrt(length);
    for (let j = 0; j < size; j += 1) out[i * size + j] *= scale;
  }
  return out;
}
