// What the large views need from the npm package besides the session protocol; loaded with them.

import { load } from "./bridge.js";

/** A method of the session, or a function of the package, with its arguments and its result as JSON text. */
export async function ask(session, method, args) {
  const { encode, ...lib } = await load();
  const list = JSON.parse(args);
  if (method === "fork") {
    // The fork is a journal of its own by now: whoever looks at it opens it by its name.
    const { session: made, report } = await session.fork(...list);
    const { name } = made;
    await made.close();
    return encode({ name, report });
  }
  const result = typeof session[method] === "function" ? session[method](...list) : lib[method](...list);
  return encode((await result) ?? null);
}

/** Calls with every piece of a model's reply, as JSON text, until what is returned is called. */
export function onDelta(session, listener) {
  return session.onDelta((delta) => listener(JSON.stringify(delta)));
}

const VERIFIER = "throughline.sign-in";

/** Goes to OpenRouter to sign in; the page comes back with a code. */
export async function signIn() {
  const { beginOpenRouter } = await load();
  const begun = await beginOpenRouter(location.origin + location.pathname);
  sessionStorage.setItem(VERIFIER, JSON.stringify({ verifier: begun.verifier, hash: location.hash }));
  location.assign(begun.url);
}
