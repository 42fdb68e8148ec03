// SQLite in two builds, with prepared statements and the indexes that its manual would advise.

const TABLES = `
  CREATE TABLE event (id INTEGER PRIMARY KEY, time REAL NOT NULL, kind INTEGER NOT NULL, importance REAL NOT NULL);
  CREATE TABLE of_entity (entity INTEGER NOT NULL, time REAL NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (entity, time, id)) WITHOUT ROWID;
`;
const INDEXES = "CREATE INDEX by_time ON event (time, kind); CREATE INDEX by_kind ON event (kind, time);";

// In order of time, as everybody else gives them.
const WINDOW = "SELECT id FROM event WHERE time >= ? AND time < ? AND kind IN (?, ?, ?) ORDER BY time";
const LAST = "SELECT id FROM event WHERE kind = ? AND time < ? ORDER BY time DESC, id DESC LIMIT 1";
const HISTORY = "SELECT id FROM of_entity WHERE entity = ? AND time < ? ORDER BY time DESC, id DESC LIMIT 50";
const COUNTS = "SELECT min(?4 - 1, CAST((time - ?1) * ?3 AS INTEGER)), kind, count(*) FROM event WHERE time >= ?1 AND time < ?2 GROUP BY 1, 2";

function asked(db) {
  const window = db.prepare(WINDOW);
  const last = db.prepare(LAST);
  const history = db.prepare(HISTORY);
  const counts = db.prepare(COUNTS);
  return {
    window: (of) => db.sum(window, of),
    last: ([before, kind]) => db.first(last, [kind, before]) ?? -1,
    history: ([before, entity]) => db.sum(history, [entity, before]),
    counts(from, to, buckets, kinds) {
      const out = new Uint32Array(buckets * kinds);
      db.each(counts, [from, to, buckets / (to - from), buckets], (row) => (out[row(0) * kinds + row(1)] = row(2)));
      return out;
    },
    close: () => db.close(),
  };
}

function fill(db, data) {
  db.exec(TABLES);
  db.exec("BEGIN");
  const event = db.prepare("INSERT INTO event VALUES (?, ?, ?, ?)");
  const entity = db.prepare("INSERT INTO of_entity VALUES (?, ?, ?)");
  for (let i = 0; i < data.count; i += 1) {
    db.run(event, [i, data.time[i], data.kind[i], data.importance[i]]);
    for (let j = data.entityAt[i]; j < data.entityAt[i + 1]; j += 1) db.run(entity, [data.entity[j], data.time[i], i]);
  }
  db.exec(INDEXES);
  db.exec("COMMIT");
  return asked(db);
}

/** The two ways in which every contestant is asked, on top of `each`. */
function withSums(db) {
  return Object.assign(db, {
    sum(statement, values) {
      let sum = 0;
      db.each(statement, values, (column) => (sum += column(0)));
      return sum;
    },
    first(statement, values) {
      let found;
      db.each(statement, values, (column) => (found ??= column(0)));
      return found;
    },
  });
}

/** The official build, by its C functions: the fastest door it has. */
export async function sqliteWasm() {
  const { default: init } = await import("@sqlite.org/sqlite-wasm");
  const sqlite3 = await init({ print: () => {}, printErr: () => {} });
  const { capi } = sqlite3;
  const open = () => {
    const raw = new sqlite3.oo1.DB(":memory:");
    const bind = (statement, values) => {
      for (let i = 0; i < values.length; i += 1) {
        if (typeof values[i] === "string") statement.bind(i + 1, values[i]);
        else capi.sqlite3_bind_double(statement.pointer, i + 1, values[i]);
      }
    };
    const db = {
      exec: (text) => raw.exec(text),
      prepare: (text) => raw.prepare(text),
      run(statement, values) {
        bind(statement, values);
        capi.sqlite3_step(statement.pointer);
        capi.sqlite3_reset(statement.pointer);
      },
      each(statement, values, row) {
        bind(statement, values);
        const column = (n) => capi.sqlite3_column_double(statement.pointer, n);
        while (capi.sqlite3_step(statement.pointer) === capi.SQLITE_ROW) row(column);
        capi.sqlite3_reset(statement.pointer);
      },
      close: () => raw.close(),
    };
    return withSums(db);
  };
  return { open, load: (data) => fill(open(), data) };
}

/** The Emscripten build that most pages use. */
export async function sqlJs(options = {}) {
  const { default: init } = await import("sql.js");
  const SQL = await init(options);
  const open = () => {
    const raw = new SQL.Database();
    const db = {
      exec: (text) => raw.exec(text),
      prepare: (text) => raw.prepare(text),
      run: (statement, values) => statement.run(values),
      each(statement, values, row) {
        statement.bind(values);
        while (statement.step()) {
          const got = statement.get();
          row((n) => got[n]);
        }
        statement.reset();
      },
      close: () => raw.close(),
    };
    return withSums(db);
  };
  return { open, load: (data) => fill(open(), data) };
}

/** Words in a window, by SQLite's own full-text index. */
export function fts5(db, texts, times) {
  db.exec("CREATE VIRTUAL TABLE doc USING fts5(text, time UNINDEXED)");
  db.exec("BEGIN");
  const insert = db.prepare("INSERT INTO doc (rowid, text, time) VALUES (?, ?, ?)");
  for (let i = 0; i < texts.length; i += 1) db.run(insert, [i + 1, texts[i], times[i]]);
  db.exec("COMMIT");
  const find = db.prepare("SELECT rowid FROM doc WHERE doc MATCH ? AND time >= ? AND time < ? ORDER BY rank LIMIT 10");
  return { search: (word, from, to) => db.sum(find, [word, from, to]), close: () => db.close() };
}
