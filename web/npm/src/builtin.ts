// Chrome's built-in model as a model of the page: it exists in windows only.

import { ThroughlineError } from "./error.js";
import type { HostModel } from "./link.js";
import type { BuiltinSettings, Diagnosis } from "./model.js";

interface BuiltinSession {
  promptStreaming(input: unknown, options: object): ReadableStream<string> | AsyncIterable<string>;
  destroy(): void;
}

interface Builtin {
  availability(options: object): Promise<string>;
  create(options: object): Promise<BuiltinSession>;
}

const READY_MS = 60_000;
const IDLE_MS = 45_000;

/** Gives up on what takes too long: the promises of the browser sometimes never settle. */
async function within<T>(ms: number, work: Promise<T>, what = "the built-in model was not there"): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ThroughlineError("timed-out", `${what} within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The built-in model, asked like any model of the page. */
export function builtinModel(settings: BuiltinSettings): HostModel {
  const { languages, ready_ms = READY_MS, idle_ms = IDLE_MS } = settings;
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
    // It takes one system prompt, and that first.
    const system = request.messages.filter(({ role }) => role === "system").map(({ text }) => text);
    const turns = request.messages.filter(({ role }) => role !== "system").map(({ role, text }) => ({ role, content: text }));
    const last = turns.pop();
    if (system.length > 0) turns.unshift({ role: "system", content: system.join("\n\n") });
    const session = await within(ready_ms, model.create({ ...options, initialPrompts: turns, signal }));
    try {
      const how = { signal, ...(request.schema === undefined ? {} : { responseConstraint: request.schema }) };
      const stream = session.promptStreaming(last === undefined ? "" : [last], how) as AsyncIterable<string>;
      const pieces = stream[Symbol.asyncIterator]();
      let text = "";
      for (;;) {
        const { done, value } = await within(idle_ms, pieces.next(), "nothing more came from the built-in model");
        if (done === true) return text;
        text += value;
      }
    } finally {
      session.destroy();
    }
  };
}

const TEXTS = {
  ok: {
    title: { en: "The model answers", zh: "模型可以应答" },
    fix: { en: "Nothing to do.", zh: "无需处理。" },
  },
  "needs-download": {
    title: { en: "The built-in model is not downloaded yet", zh: "内置模型尚未下载" },
    fix: {
      en: "Start the first turn from a click: the browser then downloads it once, and it takes a while.",
      zh: "请通过点击开始第一轮对话：浏览器会下载一次模型，需要一些时间。",
    },
  },
  "no-builtin": {
    title: { en: "This browser has no built-in model for this", zh: "此浏览器没有可用的内置模型" },
    fix: {
      en: "Use desktop Chrome 148 or later with 22 GB of free disk, in a window and not a worker, in a language that it knows; or choose another provider.",
      zh: "请在窗口（而非 worker）中使用桌面版 Chrome 148 或更高版本，并保留 22 GB 磁盘空间，使用其支持的语言；或选择其他提供方。",
    },
  },
} as const;

/** Looks whether the built-in model can be used. */
export async function diagnoseBuiltin({ languages = [], ready_ms = 5_000 }: BuiltinSettings): Promise<Diagnosis> {
  const model = (globalThis as { LanguageModel?: Builtin }).LanguageModel;
  const expected = [{ type: "text", ...(languages.length === 0 ? {} : { languages }) }];
  const there =
    model === undefined
      ? "LanguageModel is not defined"
      : await within(ready_ms, model.availability({ expectedInputs: expected, expectedOutputs: expected })).catch((error: unknown) => String(error));
  const code = there === "available" ? "ok" : there === "downloadable" || there === "downloading" ? "needs-download" : "no-builtin";
  return { ok: code === "ok", code, ...TEXTS[code], provider: "builtin", endpoint: "", model: "", message: there };
}
