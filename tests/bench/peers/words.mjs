// Word search in a window of time: MiniSearch.

import MiniSearch from "minisearch";

export function miniSearch(texts, times) {
  const index = new MiniSearch({ fields: ["text"], storeFields: ["time"] });
  index.addAll(texts.map((text, id) => ({ id, text, time: times[id] })));
  return {
    search(word, from, to) {
      const hits = index.search(word, { filter: (hit) => hit.time >= from && hit.time < to });
      return hits.slice(0, 10).length;
    },
  };
}
