// What the inspector needs from JavaScript: the npm package, which it loads at run time like any other page
// would, and the browser's own formats. No state of the product lives here.

let engine;

/** The npm package's built files, loaded when a journal is first needed. */
export function load() {
  engine ??= import(new URL("./throughline/index.js", document.baseURI).href);
  // A failed load is tried again the next time: the network may be back.
  engine.catch(() => (engine = undefined));
  return engine;
}

/** The engine runs in a worker that inherits the page's content policy: a worker started by its URL would not. */
export const WHERE = { host: "worker", worker: "blob" };

/** Opens a journal. `options` is JSON text, as the package's `open` takes it. */
export async function openSession(options) {
  const { open } = await load();
  const session = await open({ ...JSON.parse(options), ...WHERE });
  session.onDelta(showReply);
  return session;
}

/** How much of a reply that comes in is shown. */
const LIVE_CHARS = 2_000;

/** Shows a reply in the conversation while it comes; its place is there as long as the turn runs. */
function showReply({ exchange, channel, text }) {
  const place = document.getElementById("live-reply");
  if (place === null || channel !== "text") return;
  const before = place.dataset.of === exchange ? place.textContent : "";
  place.dataset.of = exchange;
  place.textContent = (before + text).slice(-LIVE_CHARS);
}

/** One call of the session protocol, as JSON text both ways; throws what the package throws. */
export async function request(session, text) {
  const { encode } = await load();
  const call = JSON.parse(text);
  return encode(await answer(session, call));
}

function answer(session, call) {
  switch (call.type) {
    case "query":
      return session.query(call.query);
    case "execute":
      return session.execute(call.command, call.meta);
    case "export":
      return session.export();
    case "import":
      return session.import(call.text);
    case "verify":
      return session.verify();
    case "clock":
      return moved(call.advance === undefined ? session.setClock(call.now) : session.advance(call.advance));
    case "cassette":
      return play(session, call.text);
    default:
      throw Object.assign(new Error(`the inspector does not make the call ${call.type}`), { code: "unknown-call" });
  }
}

/** What answers for a model in each session: the recorded replies, whether they are in use, and the model's name. */
export const answering = new WeakMap();

/** Notes what answers. */
export function note(session, what) {
  answering.set(session, { ...answering.get(session), ...what });
}

/** Recorded replies answer from now on. */
export async function play(session, text) {
  const n = await session.loadCassette(text);
  note(session, { text, n, playing: n > 0 });
  return n;
}

async function moved(time) {
  return { now: await time };
}

/** Calls after every change of the journal with its last record, and whether another tab made it. */
export function onChange(session, listener) {
  session.subscribe(({ seq, foreign }) => listener(seq, foreign === true));
}

export async function closeSession(session) {
  await session.close();
}

/** The journals stored here, as JSON text. */
export async function listJournals() {
  const { encode, list } = await load();
  return encode(await list(WHERE));
}

export async function deleteJournal(name) {
  const { remove } = await load();
  await remove(name, WHERE);
}

let views;

/** The large views' own wasm file, loaded when one of them is shown first. */
function loadViews() {
  views ??= (async () => {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("./views.css", import.meta.url).href;
    document.head.append(style);
    const module = await import("./views.js");
    await module.default({ module_or_path: new URL("./views_bg.wasm", import.meta.url) });
    return module;
  })();
  views.catch(() => (views = undefined));
  return views;
}

/** Puts a large view into `host`. `shell(verb, text)` is how it speaks to the page around it. */
export async function mountView(host, view, session, state, shell) {
  const { mount } = await loadViews();
  return mount(host, view, session, state, shell);
}

export function updateView(mounted, state) {
  mounted.update(state);
}

export function unmountView(mounted) {
  mounted.free();
}

const BROKEN = {
  en: "The page cannot go on. What was saved is safe; load the page again.",
  zh: "页面无法继续。已保存的内容是安全的；请重新加载页面。",
};

/** Says that the page itself has failed. No more than that: nothing of it can be relied on. */
export function sayBroken(words) {
  const box = document.createElement("div");
  box.className = "notice bad";
  box.setAttribute("role", "alert");
  const text = document.createElement("p");
  text.textContent = BROKEN[document.documentElement.lang] ?? BROKEN.en;
  const detail = document.createElement("code");
  detail.className = "refusal-code";
  detail.textContent = words;
  text.append(detail);
  const again = document.createElement("button");
  again.className = "button";
  again.textContent = "↻";
  again.setAttribute("aria-label", document.documentElement.lang === "zh" ? "重新加载" : "Load again");
  again.addEventListener("click", () => location.reload());
  box.append(text, again);
  document.body.prepend(box);
}

/** A file that lies beside the page. */
export async function fetchText(path) {
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw Object.assign(new Error(`${path}: ${response.status}`), { code: "file-missing" });
  return response.text();
}

/** Offers a text to be saved as a file. */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const formats = new Map();
let zone;

/** The zone that instants are shown in, when the browser knows it; the reader's own otherwise. */
export function setZone(name) {
  try {
    zone = name === "" ? undefined : new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    zone = undefined;
  }
  formats.clear();
}
const STYLES = {
  short: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  full: {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZoneName: "short",
  },
};

/** An instant in the reader's language. */
export function formatTime(ms, language, style) {
  const key = `${language} ${style}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(language, { ...STYLES[style], timeZone: zone }));
  return formats.get(key).format(ms);
}

export function formatNumber(number, language) {
  const key = `${language} number`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(language));
  return formats.get(key).format(number);
}
