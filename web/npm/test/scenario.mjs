// node test/scenario.mjs FILE…
//
// Runs scenario files through the package, as the Rust runner does natively: the format is described there
// (crates/throughline/src/scenario.rs). Prints one JSON object a file: `{file, failures, digests}`.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Decimal, encode, open, remove } from "../dist/node.js";

/** Where the clock starts when a scenario names no time: 2026-01-01T00:00:00Z. */
const DEFAULT_CLOCK = 1_767_225_600_000;

/** Reads JSON and keeps every digit: a number that JavaScript would write otherwise becomes a Decimal. */
function readJson(text, what) {
  let mark = "number:";
  while (text.includes(mark)) mark += ":";
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`,
  );
  const exact = (_name, value) =>
    typeof value === "string" && value.startsWith(mark) ? new Decimal(value.slice(mark.length)) : value;
  try {
    return JSON.parse(marked, exact);
  } catch (error) {
    throw new Error(`${what}: ${error.message}`);
  }
}

const isNumber = (value) => typeof value === "number" || typeof value === "bigint" || value instanceof Decimal;
const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !isNumber(value);

/** A number's one form: sign, digits without zeros at the ends, exponent. */
function canonical(number) {
  const [, sign, whole, part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(String(number));
  const digits = (whole + part).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  return short === "" ? "0" : `${sign}${short}e${Number(power) - part.length + digits.length - short.length}`;
}

function equal(a, b) {
  if (isNumber(a) && isNumber(b)) return canonical(a) === canonical(b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => equal(item, b[at]));
  if (isMap(a) && isMap(b)) {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
  }
  return a === b;
}

/** Whether `value` has everything that `part` has: maps by name, lists by some item, texts by a part of them. */
function contains(value, part) {
  if (isMap(value) && isMap(part)) {
    return Object.entries(part).every(([name, inner]) => Object.hasOwn(value, name) && contains(value[name], inner));
  }
  if (Array.isArray(value)) {
    const parts = Array.isArray(part) ? part : [part];
    return parts.every((inner) => value.some((item) => contains(item, inner)));
  }
  if (typeof value === "string" && typeof part === "string") return value.includes(part);
  return equal(value, part);
}

/** The value at a JSON pointer; `undefined` when nothing stands there. */
function pointer(value, path) {
  const steps = path.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce(
    (inner, step) => (isMap(inner) || Array.isArray(inner) ? (Object.hasOwn(inner, step) ? inner[step] : undefined) : undefined),
    value,
  );
}

/** An ISO 8601 duration without months and years, in milliseconds. */
function duration(text) {
  const match = /^(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/.exec(text);
  if (match === null) throw new Error(`${text} is not an exact duration`);
  const [weeks, days, hours, minutes, seconds] = match.slice(2).map((part) => Number(part ?? 0));
  const ms = ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
  return Math.round(match[1] === "-" ? -ms : ms);
}

function instant(value) {
  const ms = typeof value === "string" ? Date.parse(value) : Number(value);
  if (!Number.isSafeInteger(ms)) throw new Error(`${encode(value)} is not an instant`);
  return ms;
}

class Runner {
  kept = new Map();

  constructor(session, options) {
    this.session = session;
    this.options = options;
  }

  static async start(scenario, folder) {
    const read = (file) => readFileSync(join(folder, file), "utf8");
    const name = scenario.name ?? "scenario";
    const { cassette } = scenario;
    const text = Array.isArray(cassette) ? cassette.map((entry) => `${encode(entry)}\n`).join("") : cassette && read(cassette);
    const calls = {};
    const tools = Object.fromEntries(
      Object.entries(scenario.tools ?? {}).map(([tool, given]) => {
        const answers = Array.isArray(given) ? given : [given];
        const answer = () => {
          const at = calls[tool] ?? 0;
          calls[tool] = at + 1;
          const { error, result } = answers[Math.min(at, answers.length - 1)];
          if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
          return result ?? null;
        };
        return [tool, { run: answer }];
      }),
    );
    const options = { storage: "memory", host: "here", id: name, tools };
    if (text !== undefined) options.cassette = text;
    const clock = scenario.clock === undefined ? DEFAULT_CLOCK : instant(scenario.clock);
    const runner = new Runner(await open({ ...options, name, clock }), options);
    runner.calls = calls;
    runner.folder = folder;
    if (scenario.domain !== undefined) {
      const { domain } = scenario;
      await runner.session.execute({
        type: "load_domain",
        domain: typeof domain === "string" ? readJson(read(domain), domain) : domain,
      });
    }
    for (const { file, ...document } of scenario.documents ?? []) {
      if (file !== undefined) document.text = read(file);
      await runner.session.execute({ ...document, type: "add_document" });
    }
    return runner;
  }

  async digests() {
    const { chain, history, content } = await this.session.digests();
    return { chain, history, content };
  }

  async step(step) {
    if (!isMap(step)) throw new Error("a step is a map");
    if (step.do !== undefined) return this.execute(encode(step.do), step);
    if (typeof step.text === "string") return this.execute(step.text, step);
    if (step.query !== undefined) return this.ask(step);
    if (step.golden !== undefined) return this.golden(step);
    if (step.advance !== undefined) return void (await this.session.advance(duration(step.advance)));
    if (step.clock !== undefined) return void (await this.session.setClock(instant(step.clock)));
    if (step.fork !== undefined) return this.fork(step.fork, step);
    if (step.reload !== undefined) return this.reload(step.reload);
    if (step.export !== undefined) return this.exported(step);
    if (step.calls !== undefined) {
      for (const [tool, count] of Object.entries(step.calls)) {
        const made = this.calls[tool] ?? 0;
        if (made !== count) throw new Error(`\`${tool}\` was called ${made} times, not ${count}`);
      }
      return;
    }
    if (step.keep !== undefined) return void this.kept.set(step.keep, await this.digests());
    if (step.same !== undefined) return this.compare(step);
    throw new Error(`this is not a step: ${encode(step)}`);
  }

  async exported({ contains: part, lacks }) {
    const { text } = await this.session.export();
    if (part === undefined && lacks === undefined) throw new Error("an export step says `contains` or `lacks`");
    if (part !== undefined && !text.includes(part)) throw new Error("the exported file does not contain the text");
    if (lacks !== undefined && text.includes(lacks)) throw new Error("the exported file contains the text");
  }

  async compare({ same, digest = "content" }) {
    const kept = this.kept.get(same);
    if (kept === undefined) throw new Error(`nothing was kept as \`${same}\``);
    if (kept[digest] !== (await this.digests())[digest]) {
      throw new Error(`the ${digest} digest is not as it was at \`${same}\``);
    }
  }

  async execute(text, step) {
    const before = await this.digests();
    let done;
    try {
      done = await this.session.execute(text, step.meta ?? {});
      await this.session.settled();
    } catch (error) {
      return this.refused(error, step, before);
    }
    if (step.refused !== undefined) throw new Error(`it was done, but must be refused with ${encode(step.refused)}`);
    if (step.expect !== undefined && !contains(done.result, step.expect)) {
      throw new Error(`the result is ${encode(done.result)}, which does not contain ${encode(step.expect)}`);
    }
  }

  async refused(error, step, before) {
    if (error.code === undefined) throw error;
    if (step.refused === undefined) throw new Error(`it was refused: ${error.code}: ${error.message}`);
    if (step.refused !== error.code) {
      throw new Error(`it was refused with ${error.code}: ${error.message}, not with ${encode(step.refused)}`);
    }
    if (step.path !== undefined && error.details.path !== step.path) {
      throw new Error(`the refusal points to ${error.details.path}, not to ${step.path}`);
    }
    if ((await this.digests()).content !== before.content) {
      throw new Error("it was refused, but the content digest changed");
    }
  }

  async ask(step) {
    let answer;
    try {
      answer = await this.session.query(encode(step.query));
    } catch (error) {
      if (step.refused !== undefined && error.code === step.refused) return;
      throw error;
    }
    if (step.refused !== undefined) throw new Error(`it was answered, but must be refused with ${encode(step.refused)}`);
    const found = pointer(answer, step.at ?? "");
    const shown = () => (found === undefined ? `nothing stands at ${step.at} of ${encode(answer)}` : encode(found));
    if (step.equals !== undefined) {
      if (!equal(found === undefined && step.equals === null ? null : found, step.equals)) {
        throw new Error(`${shown()} is not ${encode(step.equals)}`);
      }
    } else if (step.contains !== undefined) {
      if (!contains(found ?? null, step.contains)) throw new Error(`${shown()} does not contain ${encode(step.contains)}`);
    } else if (step.lacks !== undefined) {
      if (contains(found ?? null, step.lacks)) throw new Error(`${shown()} contains ${encode(step.lacks)}`);
    } else if (step.count !== undefined) {
      const length = Array.isArray(found) ? found.length : 0;
      if (!equal(step.count, length)) throw new Error(`${length} items: ${shown()}`);
    } else {
      throw new Error("a query step says `equals`, `contains`, `lacks`, `count` or `refused`");
    }
  }

  /** A plan from a file beside the scenario, of the newest run, or as it stands there. */
  async plan(plan) {
    if (plan === true) {
      const { id } = (await this.session.query({ type: "runs" })).at(-1);
      return (await this.session.query({ type: "run", run: id })).plan;
    }
    const isFile = typeof plan === "string" && !/[\n ]/.test(plan) && plan.includes(".");
    return isFile ? readFileSync(join(this.folder, plan), "utf8") : plan;
  }

  async golden({ plan = true, golden, minimum, inputs = [] }) {
    const query = { type: "score_plan", plan: await this.plan(plan), golden: await this.plan(golden), inputs };
    const { score, explanation } = await this.session.query(encode(query));
    if (!isNumber(minimum)) throw new Error("a golden plan has a `minimum` from 0 to 1");
    // Three digits at most: they compare as they are.
    if (Number(String(score)) < Number(String(minimum))) {
      throw new Error(`the plan scores ${score}, under ${minimum}: ${explanation}`);
    }
  }

  async fork(options, step) {
    const { session, report } = await this.session.fork(options);
    await this.close();
    this.session = session;
    if (step.expect !== undefined && !contains(report, step.expect)) {
      throw new Error(`the report is ${encode(report)}, which does not contain ${encode(step.expect)}`);
    }
  }

  async reload(until) {
    const before = await this.session.digests();
    const { text } = await this.session.export();
    const now = await this.session.settled();
    const clock = typeof until === "boolean" ? now : instant(until);
    const { name } = this.session;
    await this.close();
    this.session = await open({ ...this.options, name, clock });
    await this.session.import(text);
    const after = await this.session.at(before.seq).digests();
    if (encode(before) !== encode(after)) throw new Error("the digests are not as they were before the reload");
  }

  async close() {
    await this.session.close();
    await remove(this.session.name, { storage: "memory" });
  }
}

async function run(file) {
  const failures = [];
  let digests = {};
  let runner;
  try {
    const scenario = readJson(readFileSync(file, "utf8"), file);
    if (!Array.isArray(scenario.steps)) throw new Error("a scenario has a list of `steps`");
    runner = await Runner.start(scenario, dirname(file));
    for (const [index, step] of scenario.steps.entries()) {
      try {
        await runner.step(step);
      } catch (error) {
        failures.push(`step ${index + 1}: ${error.message}`);
      }
    }
    digests = await runner.digests();
  } catch (error) {
    failures.push(error.message);
  }
  await runner?.close();
  return { file, failures, digests };
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node test/scenario.mjs FILE…");
  process.exit(2);
}
let failed = false;
for (const file of files) {
  const report = await run(file);
  failed ||= report.failures.length > 0;
  console.log(JSON.stringify(report));
}
process.exit(failed ? 1 : 0);
