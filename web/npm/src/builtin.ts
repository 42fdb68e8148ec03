// Chrome's built-in model as a model of the page: it exists in windows only.

import { ThroughlineError } from "./error.js";
import type { HostModel } from "./link.js";
import type { BuiltinSettings } from "./model.js";

interface BuiltinSession {
  promptStreaming(input: unknown, options: object): ReadableStream<string> | AsyncIterable<string>;
  destroy(): void;
}

interface Builtin {
  availability(options: object): Promise<string>;
  create(options: object): Promise<BuiltinSession>;
}

const READY_MS = 60_000;

/** Gives up on what takes too long: the promises of the browser sometimes never settle. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ThroughlineError("timed-out", `the built-in model was not there within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The built-in model, asked like any model of the page. */
export function builtinModel(settings: BuiltinSettings): HostModel {
  const { languages, ready_ms = READY_MS } = settings;
  return async (request, { signal }) => {
    const model = (globalThis as { LanguageModel?: Builtin }).LanguageModel;
    if (model === undefined) throw new ThroughlineError("no-model", "this browser has no built-in model, or not in this window");
    const said = languages ?? (request.language === "" ? [] : [request.language]);
    const expected = said.length === 0 ? {} : { languages: said };
    // The same options for both, as the interface wants it.
    const options = {
      expectedInputs: [{ type: "text", ...expected }],
      expectedOutputs: [{ type: "text", ...expected }],
    };
    // That the name exists proves nothing: it is asked, and not for ever.
    const there = await within(ready_ms, model.availability(options));
    if (there === "unavailable") {
      const which = said.length === 0 ? "" : ` for ${said.join(", ")}`;
      throw new ThroughlineError("no-model", `the built-in model is not available on this device${which}`);
    }
    const turns = request.messages.map(({ role, text }) => ({ role, content: text }));
    const last = turns.pop();
    const session = await within(ready_ms, model.create({ ...options, initialPrompts: turns, signal }));
    try {
      const how = { signal, ...(request.schema === undefined ? {} : { responseConstraint: request.schema }) };
      let text = "";
      for await (const piece of session.promptStreaming(last === undefined ? "" : [last], how) as AsyncIterable<string>) text += piece;
      return text;
    } finally {
      session.destroy();
    }
  };
}
