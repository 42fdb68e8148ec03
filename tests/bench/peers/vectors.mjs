// Nearest vectors in a window: a plain loop over f32, and Orama.

import { create, insertMultiple, search } from "@orama/orama";

/** The ten nearest rows of `from..to`, best first, by a loop that somebody wrote with care. */
export function jsF32(all, size) {
  const heapScore = new Float64Array(10);
  const heapRow = new Int32Array(10);
  return {
    nearest(query, from, to) {
      let length = 0;
      for (let row = from; row < to; row += 1) {
        const base = row * size;
        let a = 0;
        let b = 0;
        let c = 0;
        let d = 0;
        for (let j = 0; j < size; j += 4) {
          a += query[j] * all[base + j];
          b += query[j + 1] * all[base + j + 1];
          c += query[j + 2] * all[base + j + 2];
          d += query[j + 3] * all[base + j + 3];
        }
        const score = a + b + c + d;
        if (length < 10) {
          length += 1;
        } else if (score <= heapScore[9]) {
          continue;
        }
        let at = length - 1;
        while (at > 0 && heapScore[at - 1] < score) {
          heapScore[at] = heapScore[at - 1];
          heapRow[at] = heapRow[at - 1];
          at -= 1;
        }
        heapScore[at] = score;
        heapRow[at] = row;
      }
      return Array.from(heapRow.subarray(0, length));
    },
  };
}

export async function orama(all, size, times) {
  const db = create({ schema: { time: "number", vector: `vector[${size}]` } });
  const count = times.length;
  const rows = [];
  for (let i = 0; i < count; i += 1) rows.push({ id: String(i), time: times[i], vector: Array.from(all.subarray(i * size, (i + 1) * size)) });
  await insertMultiple(db, rows, 5_000);
  return {
    async nearest(query, from, to) {
      const found = await search(db, {
        mode: "vector",
        vector: { value: Array.from(query), property: "vector" },
        where: { time: { between: [from, to] } },
        similarity: 0,
        limit: 10,
      });
      return found.hits.map((hit) => Number(hit.id));
    },
  };
}
