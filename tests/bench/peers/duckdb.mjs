// DuckDB-wasm: its blocking build in Node, its worker in a page. Bulk goes in as one CSV file: its reader
// is built in, where the one for JSON is fetched from a server.

export async function duckdb(data) {
  const connect = globalThis.process === undefined ? await inPage() : await inNode();
  const rows = [];
  for (let i = 0; i < data.count; i += 1) rows.push(`${i},${data.time[i]},${data.kind[i]}`);
  await connect.file("events.csv", rows.join("\n"));
  const start = performance.now();
  await connect.query("CREATE TABLE event AS SELECT * FROM read_csv('events.csv', header = false, auto_detect = false, columns = {id: 'INTEGER', time: 'DOUBLE', kind: 'UTINYINT'})");
  const bulk = performance.now() - start;
  return {
    bulk,
    async counts(from, to, buckets, kinds) {
      const scale = buckets / (to - from);
      const table = await connect.query(
        `SELECT least(${buckets - 1}, CAST(floor((time - ${from}) * ${scale}) AS INTEGER)) AS b, kind AS k, count(*)::INTEGER AS n
         FROM event WHERE time >= ${from} AND time < ${to} GROUP BY 1, 2`,
      );
      const out = new Uint32Array(buckets * kinds);
      const [b, k, n] = ["b", "k", "n"].map((name) => table.getChild(name));
      for (let i = 0; i < table.numRows; i += 1) out[b.get(i) * kinds + k.get(i)] = n.get(i);
      return out;
    },
    close: () => connect.close(),
  };
}

async function inNode() {
  const { createRequire } = await import("node:module");
  const { dirname, join } = await import("node:path");
  const require = createRequire(import.meta.url);
  const lib = require("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs");
  const dist = dirname(require.resolve("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs"));
  const bundle = { mainModule: join(dist, "duckdb-eh.wasm"), mainWorker: join(dist, "duckdb-node-eh.worker.cjs") };
  const db = await lib.createDuckDB({ mvp: bundle, eh: bundle }, new lib.VoidLogger(), lib.NODE_RUNTIME);
  await db.instantiate(() => {});
  const connection = db.connect();
  return {
    file: async (name, text) => db.registerFileText(name, text),
    query: async (text) => connection.query(text),
    close: async () => connection.close(),
  };
}

async function inPage() {
  const lib = await import("@duckdb/duckdb-wasm");
  const base = new URL("/duckdb/", location.href);
  const worker = new Worker(new URL("duckdb-browser-eh.worker.js", base));
  const db = new lib.AsyncDuckDB(new lib.VoidLogger(), worker);
  await db.instantiate(new URL("duckdb-eh.wasm", base).href);
  const connection = await db.connect();
  return {
    file: (name, text) => db.registerFileText(name, text),
    query: (text) => connection.query(text),
    close: async () => {
      await connection.close();
      await db.terminate();
    },
  };
}
