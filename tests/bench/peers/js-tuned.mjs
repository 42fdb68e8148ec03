// The real rival: a column index that somebody wrote with care. Time order in chunks that split, a list of places for
// each kind and for each entity, typed arrays throughout, nothing allocated in a query.

const CHUNK = 2_048;

/** The first place in a sorted array whose time is not below. */
function lower(list, length, time) {
  let low = 0;
  let high = length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid] < time) low = mid + 1;
    else high = mid;
  }
  return low;
}

function upper(list, length, time) {
  let low = 0;
  let high = length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid] <= time) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Times with their rows, in time order, in arrays that grow. */
class Run {
  time = new Float64Array(8);
  row = new Uint32Array(8);
  length = 0;

  add(time, row) {
    if (this.length === this.time.length) {
      const times = new Float64Array(this.length * 2);
      const rows = new Uint32Array(this.length * 2);
      times.set(this.time);
      rows.set(this.row);
      this.time = times;
      this.row = rows;
    }
    let at = this.length;
    if (at > 0 && this.time[at - 1] > time) {
      at = upper(this.time, this.length, time);
      this.time.copyWithin(at + 1, at, this.length);
      this.row.copyWithin(at + 1, at, this.length);
    }
    this.time[at] = time;
    this.row[at] = row;
    this.length += 1;
  }
}

/** The rows of one time order, in chunks, each with its times, rows and kinds beside each other. */
class Chunk {
  time = new Float64Array(CHUNK);
  row = new Uint32Array(CHUNK);
  kind = new Uint8Array(CHUNK);
  mask = 0;
  length = 0;

  insert(at, time, row, kind) {
    if (at < this.length) {
      this.time.copyWithin(at + 1, at, this.length);
      this.row.copyWithin(at + 1, at, this.length);
      this.kind.copyWithin(at + 1, at, this.length);
    }
    this.time[at] = time;
    this.row[at] = row;
    this.kind[at] = kind;
    this.mask |= 1 << kind;
    this.length += 1;
  }

  split() {
    const other = new Chunk();
    const half = CHUNK >> 1;
    other.time.set(this.time.subarray(half));
    other.row.set(this.row.subarray(half));
    other.kind.set(this.kind.subarray(half));
    other.length = CHUNK - half;
    this.length = half;
    for (const chunk of [this, other]) {
      chunk.mask = 0;
      for (let i = 0; i < chunk.length; i += 1) chunk.mask |= 1 << chunk.kind[i];
    }
    return other;
  }
}

export function jsTuned(data, kinds = 16) {
  const chunks = [new Chunk()];
  const ofKind = Array.from({ length: kinds }, () => new Run());
  const ofEntity = new Map();
  /** The last chunk whose first time is not above. */
  const find = (time) => {
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (chunks[mid].time[0] <= time) low = mid + 1;
      else high = mid;
    }
    return Math.max(0, low - 1);
  };
  for (let i = 0; i < data.count; i += 1) {
    const time = data.time[i];
    const kind = data.kind[i];
    let at = chunks.length - 1;
    let chunk = chunks[at];
    if (chunk.length > 0 && chunk.time[chunk.length - 1] > time) {
      at = find(time);
      chunk = chunks[at];
    }
    if (chunk.length === CHUNK) {
      if (at === chunks.length - 1 && chunk.time[CHUNK - 1] <= time) {
        chunk = new Chunk();
        chunks.push(chunk);
      } else {
        const other = chunk.split();
        chunks.splice(at + 1, 0, other);
        if (other.time[0] <= time) chunk = other;
      }
    }
    chunk.insert(upper(chunk.time, chunk.length, time), time, i, kind);
    ofKind[kind].add(time, i);
    for (let j = data.entityAt[i]; j < data.entityAt[i + 1]; j += 1) {
      const entity = data.entity[j];
      let run = ofEntity.get(entity);
      if (run === undefined) ofEntity.set(entity, (run = new Run()));
      run.add(time, i);
    }
  }
  /** The chunk in which the first time that is not below lies. */
  const from = (time) => {
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      const chunk = chunks[mid];
      if (chunk.time[chunk.length - 1] < time) low = mid + 1;
      else high = mid;
    }
    return low;
  };
  return {
    chunks,
    ofKind,
    ofEntity,
    window([start, end, a, b, c]) {
      const mask = (1 << a) | (1 << b) | (1 << c);
      let sum = 0;
      for (let n = from(start); n < chunks.length; n += 1) {
        const chunk = chunks[n];
        if (chunk.time[0] >= end) break;
        if ((chunk.mask & mask) === 0) continue;
        const { time, kind, row, length } = chunk;
        const low = time[0] < start ? lower(time, length, start) : 0;
        const high = time[length - 1] >= end ? lower(time, length, end) : length;
        for (let i = low; i < high; i += 1) if (((1 << kind[i]) & mask) !== 0) sum += row[i];
      }
      return sum;
    },
    last([before, kind]) {
      const run = ofKind[kind];
      const at = lower(run.time, run.length, before) - 1;
      return at < 0 ? -1 : run.row[at];
    },
    history([before, entity]) {
      const run = ofEntity.get(entity);
      if (run === undefined) return 0;
      const end = lower(run.time, run.length, before);
      let sum = 0;
      for (let i = Math.max(0, end - 50); i < end; i += 1) sum += run.row[i];
      return sum;
    },
    counts(start, end, buckets, many) {
      const out = new Uint32Array(buckets * many);
      const scale = buckets / (end - start);
      for (let n = from(start); n < chunks.length; n += 1) {
        const { time, kind, length } = chunks[n];
        if (time[0] >= end) break;
        for (let i = time[0] < start ? lower(time, length, start) : 0; i < length && time[i] < end; i += 1) {
          let bucket = Math.floor((time[i] - start) * scale);
          if (bucket >= buckets) bucket = buckets - 1;
          out[bucket * many + kind[i]] += 1;
        }
      }
      return out;
    },
  };
}
