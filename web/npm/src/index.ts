// The package in browsers. Nothing happens at import: the engine is loaded when a journal is opened.

import { api } from "./api.js";
import { load } from "./load.js";

export * from "./exports.js";

const { complete, list, open, readStructured, remove, testConnection } = api({
  load,
  host: () => (typeof Worker === "undefined" ? "here" : "worker"),
  storage: "indexeddb",
});

export { complete, list, open, readStructured, remove, testConnection };
