// What several tests use.

import { after } from "node:test";
import { open, remove } from "../dist/node.js";

let number = 0;

/** Opens a journal in memory of a name of its own; it is closed and removed when the test file is through. */
export async function opened(options = {}) {
  const session = await open({ name: `test ${++number}`, clock: 1_770_000_000_000, ...options });
  after(async () => {
    await session.close();
    await remove(session.name);
  });
  return session;
}

/** The code and path that a promise rejects with; fails when it does not reject. */
export async function refusal(promise) {
  const done = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  if (done.error === undefined) throw new Error(`it was not refused, but gave ${JSON.stringify(done.value)}`);
  return done.error;
}
