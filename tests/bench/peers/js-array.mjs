// What most people write: one array of objects, sorted by time.

const firstNotBefore = (rows, time) => {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (rows[mid].time < time) low = mid + 1;
    else high = mid;
  }
  return low;
};

const firstAfter = (rows, time) => {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (rows[mid].time <= time) low = mid + 1;
    else high = mid;
  }
  return low;
};

export function jsArray(data) {
  const rows = [];
  for (let i = 0; i < data.count; i += 1) {
    const row = {
      id: i,
      time: data.time[i],
      kind: data.kind[i],
      importance: data.importance[i],
      entities: Array.from(data.entity.subarray(data.entityAt[i], data.entityAt[i + 1])),
    };
    const last = rows.length - 1;
    if (last < 0 || rows[last].time <= row.time) rows.push(row);
    else rows.splice(firstAfter(rows, row.time), 0, row);
  }
  return {
    rows,
    window([from, to, ...kinds]) {
      let sum = 0;
      for (let i = firstNotBefore(rows, from); i < rows.length && rows[i].time < to; i += 1) {
        if (kinds.includes(rows[i].kind)) sum += rows[i].id;
      }
      return sum;
    },
    last([before, kind]) {
      for (let i = firstNotBefore(rows, before) - 1; i >= 0; i -= 1) if (rows[i].kind === kind) return rows[i].id;
      return -1;
    },
    history([before, entity]) {
      let sum = 0;
      let found = 0;
      for (let i = firstNotBefore(rows, before) - 1; i >= 0 && found < 50; i -= 1) {
        if (rows[i].entities.includes(entity)) {
          sum += rows[i].id;
          found += 1;
        }
      }
      return sum;
    },
    counts(from, to, buckets, kinds) {
      const out = new Uint32Array(buckets * kinds);
      const width = (to - from) / buckets;
      for (let i = firstNotBefore(rows, from); i < rows.length && rows[i].time < to; i += 1) {
        out[Math.min(buckets - 1, Math.floor((rows[i].time - from) / width)) * kinds + rows[i].kind] += 1;
      }
      return out;
    },
  };
}
