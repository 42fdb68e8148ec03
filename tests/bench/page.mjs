// The benchmark in a page: the same groups, with the engine on the page's own thread.

import { measure } from "./groups.mjs";

globalThis.bench = async (only, how) => {
  const { open, remove } = await import("/throughline/index.js");
  return measure(only, { ...how, open, remove, say: (line) => console.log(line) });
};
