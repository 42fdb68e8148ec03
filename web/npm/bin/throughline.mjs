#!/usr/bin/env node
// npx throughline verify FILE

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { basename } from "node:path";

const HELP = `throughline - looks after exported journals

usage:
  npx throughline verify FILE…   reads every byte, checks every hash, replays everything
  npx throughline diagnose PLAN RUN
                                 says why a run of a plan went wrong, and what to change
  npx throughline help           shows this

verify prints the three digests of each file and ends with 0 when all files are whole; otherwise it names the
first byte that is not as it was written, and ends with 1. diagnose takes a plan (text, or JSON) and a run (its view as
JSON, as session.run() gives it, or an exported journal); it ends with 0 when nothing failed, else with 1. A call it cannot understand ends with 2.`;

const print = (line) => process.stdout.write(`${line}\n`);
const complain = (line) => process.stderr.write(`${line}\n`);

/** Where bytes stop to be UTF-8 text. */
function firstBadByte(bytes) {
  let [good, bad] = [0, bytes.length];
  const fits = (end) => {
    try {
      // A character that is cut off at the end is not bad yet.
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (fits(middle)) good = middle;
    else bad = middle - 1;
  }
  return good;
}

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const byte = firstBadByte(bytes);
    throw Object.assign(new Error(`this is not UTF-8 text from byte ${byte} on`), {
      code: "not-a-journal",
      details: { details: { byte } },
    });
  }
}

async function verify(file) {
  const { open, remove } = await import("../dist/node.js");
  const name = "verified file";
  let session;
  try {
    const text = decode(await readFile(file));
    session = await open({ name, storage: "memory", host: "here" });
    const status = await session.import(text);
    const { chain, history, content } = await session.at(status.seq).digests();
    print(`${file}: whole, ${status.seq} records in ${status.frame} frames`);
    print(`  journal ${status.id}`);
    print(`  chain   ${chain}\n  history ${history}\n  content ${content}`);
    return true;
  } catch (error) {
    const { byte, frame } = error.details?.details ?? {};
    complain(`${file}: NOT as it was written: ${error.code ?? "error"}: ${error.message}`);
    if (byte !== undefined) complain(`  first bad byte ${byte}${frame ? `, in frame ${frame}` : ""}`);
    return false;
  } finally {
    await session?.close();
    await remove(name, { storage: "memory" });
  }
}

/** A file's text, and its JSON where it is JSON. */
async function readText(file) {
  const text = decode(await readFile(file));
  try {
    return { text, json: JSON.parse(text) };
  } catch {
    return { text, json: undefined };
  }
}

/** A plan file: its text, or `{"plan": …}`, or a list of steps. */
function planOf({ text, json }) {
  if (json === undefined) return text;
  return typeof json === "object" && json !== null && "plan" in json ? json.plan : json;
}

async function diagnose(planFile, runFile) {
  const { decode: exact, open, remove } = await import("../dist/node.js");
  const name = "diagnosed run";
  let session;
  try {
    const [plan, run] = [planOf(await readText(planFile)), await readText(runFile)];
    session = await open({ name, storage: "memory", host: "here" });
    let view;
    // A journal is more than one line of JSON; a run's view is one value.
    if (run.json === undefined || run.json?.row === undefined) await session.import(run.text);
    else view = exact(run.text);
    const found = await session.query({ type: "diagnose", plan, ...(view === undefined ? {} : { view }) });
    const said = found.step === null && view === undefined ? await session.query({ type: "diagnose" }) : found;
    print(`cause: ${said.cause}`);
    if (said.source !== "") print(`step:  ${said.source}`);
    if (said.near !== null) {
      const where = said.near.document === "" ? "" : ` (${said.near.document}, bytes ${said.near.span.start} to ${said.near.span.end})`;
      print(`near:  ${JSON.stringify(said.near.quote)}${where}`);
    }
    if (said.suggestion !== "") print(`do:    ${said.suggestion}`);
    if (said.fix !== null) print(`write: ${said.fix.replacement.trim()}`);
    for (const more of said.also) print(`also:  ${more}`);
    return said.step === null && said.status !== "failed" && said.status !== "refused";
  } catch (error) {
    complain(`${runFile}: ${error.code ?? "error"}: ${error.message}`);
    return false;
  } finally {
    await session?.close();
    await remove(name, { storage: "memory" });
  }
}

async function main([command, ...files]) {
  if (command === "help" || command === "--help" || command === "-h") {
    print(HELP);
    return 0;
  }
  if (command === "verify" && files.length > 0) {
    let whole = true;
    for (const file of files) whole = (await verify(file)) && whole;
    return whole ? 0 : 1;
  }
  if (command === "diagnose" && files.length === 2) return (await diagnose(files[0], files[1])) ? 0 : 1;
  const self = basename(fileURLToPath(import.meta.url));
  complain(command === undefined ? HELP : `${self}: cannot understand ${JSON.stringify([command, ...files].join(" "))}\n\n${HELP}`);
  return 2;
}

process.exitCode = await main(process.argv.slice(2));
