// Trees from npm: a sorted B-tree, and an interval tree in which each event is an interval of no length.

import IntervalTree from "@flatten-js/interval-tree";
import BTreeModule from "sorted-btree";

const BTree = BTreeModule.default ?? BTreeModule;
const Tree = IntervalTree.default ?? IntervalTree;

/** Keys are time and row in one number: rows stay below 2^20 of a millisecond, which a double still tells apart. */
const compare = (a, b) => a[0] - b[0] || a[1] - b[1];

export function sortedBtree(data) {
  const tree = new BTree(undefined, compare);
  for (let i = 0; i < data.count; i += 1) tree.set([data.time[i], i], data.kind[i]);
  return {
    window([from, to, a, b, c]) {
      let sum = 0;
      tree.forRange([from, -1], [to, -1], false, ([, row], kind) => {
        if (kind === a || kind === b || kind === c) sum += row;
      });
      return sum;
    },
    last([before, kind]) {
      for (const [[, row], of] of tree.entriesReversed([before, -1])) if (of === kind) return row;
      return -1;
    },
    counts(from, to, buckets, kinds) {
      const out = new Uint32Array(buckets * kinds);
      const scale = buckets / (to - from);
      tree.forRange([from, -1], [to, -1], false, ([time], kind) => {
        out[Math.min(buckets - 1, Math.floor((time - from) * scale)) * kinds + kind] += 1;
      });
      return out;
    },
  };
}

export function flattenTree(data) {
  const tree = new Tree();
  for (let i = 0; i < data.count; i += 1) tree.insert([data.time[i], data.time[i]], i);
  return {
    window([from, to, a, b, c]) {
      let sum = 0;
      // Its intervals are closed; the window is open at its end.
      for (const row of tree.search([from, to])) {
        const kind = data.kind[row];
        if (data.time[row] < to && (kind === a || kind === b || kind === c)) sum += row;
      }
      return sum;
    },
  };
}
