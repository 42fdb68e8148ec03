// What the large views need from the npm package besides the session protocol; loaded with them.

import { WHERE, answering, download, load, note, play } from "./bridge.js";

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
  if (Object.hasOwn(OWN, method)) return encode(await OWN[method](session, ...list));
  const result = typeof session[method] === "function" ? session[method](...list) : lib[method](...list);
  return encode((await result) ?? null);
}

/** What answers, without the replies themselves. */
function answers(session) {
  const { n = 0, playing = false, model = "" } = answering.get(session) ?? {};
  return { recorded: n, playing, model };
}

/** What the page adds to the package: recorded replies and a model take turns, and a person sees which answers. */
const OWN = {
  answers,
  /** In a worker under this page's own policy, as the engine's is: what it reaches, the engine reaches. */
  testModel: async (_session, settings) => (await load()).testConnection(settings, WHERE),
  readStructured: async (_session, text, schema) => (await load()).readStructured(text, schema, WHERE),
  /** A model answers from now on; recorded replies are put away, since they would go before it. */
  async useModel(session, settings) {
    const attached = await session.setModel(settings);
    await session.loadCassette();
    note(session, { playing: false, model: [attached.provider, attached.model].filter(Boolean).join(" ") });
    clockRuns(session);
    return answers(session);
  },
  /** The recorded replies that are at hand answer again. */
  async playAgain(session) {
    await play(session, answering.get(session)?.text ?? "");
    return answers(session);
  },
  /** Neither recorded replies nor a model. */
  async useNone(session) {
    await session.setModel();
    await session.loadCassette();
    note(session, { playing: false, model: "" });
    return answers(session);
  },
  /** Recorded replies from a file that a person chooses; nothing happens when none is chosen. */
  async openCassette(session) {
    const text = await chosenText(".jsonl,.json");
    if (text !== undefined) await play(session, text);
    return answers(session);
  },
  /** The rules of a file that a person chooses. */
  async openRules(session) {
    const text = await chosenText(".json");
    if (text === undefined) return null;
    const { decode } = await load();
    return session.loadDomain(decode(text));
  },
  /** Keeps the key in this browser, sealed with a passphrase. */
  async keepKey(_session, key, passphrase) {
    const { sealKey } = await load();
    localStorage.setItem(SEALED, await sealKey(key, passphrase));
    return true;
  },
  async keptKey(_session, passphrase) {
    const { unsealKey } = await load();
    return unsealKey(localStorage.getItem(SEALED) ?? "", passphrase);
  },
  hasKey: () => localStorage.getItem(SEALED) !== null,
  dropKey() {
    localStorage.removeItem(SEALED);
    return false;
  },
  /** The turns as OpenTelemetry spans, saved as a file. */
  async saveSpans(session, content) {
    const { encode } = await load();
    download("spans.otlp.json", encode(await session.exportOtlp({ content })));
    return null;
  },
};

const SEALED = "throughline.sealed-key";

/** The text of a file that a person chooses. */
function chosenText(accept) {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  return new Promise((done, fail) => {
    input.addEventListener("cancel", () => done(undefined));
    input.addEventListener("change", () => input.files[0]?.text().then(done, fail) ?? done(undefined));
    input.click();
  });
}

/** How often the clock of a session is moved on while a model answers, in milliseconds. */
const TICK_MS = 250;

const running = new WeakSet();

/** The session's own clock stands still; while a model is at work it goes on, so that stages have a duration. */
function clockRuns(session) {
  if (running.has(session)) return;
  running.add(session);
  let timer;
  const look = async () => {
    const { busy } = await session.query({ type: "status" });
    if (busy !== null && timer === undefined) {
      let last = performance.now();
      timer = setInterval(() => {
        const by = Math.round(performance.now() - last);
        last += by;
        session.advance(by).catch(() => clearInterval(timer));
      }, TICK_MS);
    } else if (busy === null) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  session.subscribe(() => void look().catch(() => clearInterval(timer)));
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

/** The events that are being generated, one journal at a time; it goes on while another view is shown. */
let job;
let jobListener;

function tell(session) {
  if (jobListener?.session !== session) return;
  const mine = job?.session === session ? job : undefined;
  jobListener.call(mine?.done ?? -1, mine?.total ?? 0);
}

/** Calls with how many events are in and how many there will be, now and from now on; with -1 when none are made. */
export function onGenerated(session, call) {
  jobListener = { session, call };
  tell(session);
}

/** Puts so many events from a seed into the journal's memory, in parts: the engine works, the page stays free. */
export async function generateEvents(session, count, seed) {
  if (job !== undefined) return;
  const stop = new AbortController();
  job = { session, stop, done: 0, total: count };
  tell(session);
  try {
    const lib = await load();
    const events = await lib.generatedEventsSoon(count, seed, undefined, stop.signal);
    if (events === undefined) return;
    const progress = ({ done }) => {
      job.done = done;
      tell(session);
    };
    await session.importEvents(events, { source: `generated ${seed}`, rows: GENERATED_ROWS, signal: stop.signal, onProgress: progress });
  } finally {
    job = undefined;
    tell(session);
  }
}

/** So many events are one record: packing them takes the page a few milliseconds. */
const GENERATED_ROWS = 8_192;

/** Ends the generating; what is in by then stays. */
export function stopGenerating() {
  job?.stop.abort();
}

/**
 * The counts of the memory as numbers, without text in between, since they are asked for with every frame:
 * `[kinds, numbers]`; the numbers are the edges, then part after part the counts of the kinds.
 */
export async function memoryCounts(session, query) {
  const { kinds, edges, counts } = await session.query(JSON.parse(query));
  const numbers = new Float64Array(edges.length + counts.length * kinds.length);
  numbers.set(edges);
  counts.forEach((part, i) => numbers.set(part, edges.length + i * kinds.length));
  return [kinds, numbers];
}

/** The key, when the page has come back from signing in; the code leaves the address at once. */
export async function finishSignIn() {
  const begun = sessionStorage.getItem(VERIFIER);
  const code = new URLSearchParams(location.search).get("code");
  if (begun === null || code === null) return undefined;
  sessionStorage.removeItem(VERIFIER);
  history.replaceState(null, "", location.pathname + location.hash);
  const { finishOpenRouter } = await load();
  return finishOpenRouter(code, JSON.parse(begun).verifier);
}
