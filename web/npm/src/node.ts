// The package in Node: the engine runs on this thread, journals are in memory. Nothing happens at import.

import { api } from "./api.js";
import { load } from "./load-node.js";

export * from "./exports.js";

const { complete, list, open, readStructured, remove, testConnection } = api({ load, host: () => "here", storage: "memory" });

export { complete, list, open, readStructured, remove, testConnection };
