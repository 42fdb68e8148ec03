// What a page does with the package: counts its visits in a journal that the browser keeps.

import { open } from "throughline";

try {
  const journal = await open({ name: "visits" });
  const before = (await journal.fact("visits")) ?? 0;
  await journal.assertFact("visits", before + 1);
  const after = await journal.fact("visits");
  await journal.close();
  document.body.dataset.answer = `${after} after ${before}`;
} catch (error) {
  document.body.dataset.answer = `failed: ${error.stack ?? error}`;
}
