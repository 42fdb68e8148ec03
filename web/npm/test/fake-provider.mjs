// A provider of every wire format on this machine, which does to its replies what a script says.

import { createServer } from "node:http";

const sse = (data, event) => `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** A text in pieces of a few characters. */
const pieces = (text, size = 5) => Array.from({ length: Math.ceil([...text].length / size) }, (_, n) => [...text].slice(n * size, (n + 1) * size).join(""));

/** How each wire format writes a reply: frames, the last of which says the end. */
const WIRES = {
  chat({ thinking, text, calls, ending, usage }) {
    const chunk = (delta, finish_reason = null) => sse({ choices: [{ index: 0, delta, finish_reason }] });
    return [
      ": PROCESSING\n\n",
      ...pieces(thinking).map((reasoning_content) => chunk({ reasoning_content })),
      ...pieces(text).map((content) => chunk({ content })),
      ...calls.flatMap(({ id, name, args, index }, n) => [
        chunk({ tool_calls: [{ index: index ?? n, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces(args).map((piece) => chunk({ tool_calls: [{ index: index ?? n, function: { arguments: piece } }] })),
      ]),
      chunk({}, { done: calls.length > 0 ? "tool_calls" : "stop", truncated: "length", refused: "content_filter" }[ending]),
      ...(usage ? [sse({ choices: [], usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } })] : []),
      sse("[DONE]"),
    ];
  },
  responses({ thinking, text, calls, ending, usage }) {
    const event = (type, more) => sse({ type, ...more }, type);
    const response = {
      status: ending === "done" ? "completed" : "incomplete",
      incomplete_details: ending === "done" ? null : { reason: ending === "truncated" ? "max_output_tokens" : "content_filter" },
      output: [],
      ...(usage ? { usage: { input_tokens: usage[0], output_tokens: usage[1] } } : {}),
    };
    return [
      event("response.created", { response: { status: "in_progress" } }),
      ...pieces(thinking).map((delta) => event("response.reasoning_summary_text.delta", { delta })),
      ...pieces(text).map((delta) => event("response.output_text.delta", { output_index: 0, delta })),
      ...calls.flatMap(({ id, name, args }, n) => [
        event("response.output_item.added", { output_index: n + 1, item: { type: "function_call", id: `fc_${n}`, call_id: id, name, arguments: "" } }),
        ...pieces(args).map((delta) => event("response.function_call_arguments.delta", { output_index: n + 1, delta })),
      ]),
      event(ending === "done" ? "response.completed" : "response.incomplete", { response }),
    ];
  },
  anthropic({ thinking, text, calls, ending, usage }) {
    const event = (type, more) => sse({ type, ...more }, type);
    const block = (index, content_block, deltas) => [
      event("content_block_start", { index, content_block }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
    return [
      event("message_start", { message: { usage: usage ? { input_tokens: usage[0], output_tokens: 1 } : {} } }),
      event("ping", {}),
      ...(thinking === "" ? [] : block(0, { type: "thinking", thinking: "" }, pieces(thinking).map((thinking) => ({ type: "thinking_delta", thinking })))),
      ...(text === "" ? [] : block(1, { type: "text", text: "" }, pieces(text).map((text) => ({ type: "text_delta", text })))),
      ...calls.flatMap(({ id, name, args }, n) =>
        block(n + 2, { type: "tool_use", id, name, input: {} }, pieces(args).map((partial_json) => ({ type: "input_json_delta", partial_json }))),
      ),
      event("message_delta", {
        delta: { stop_reason: { done: calls.length > 0 ? "tool_use" : "end_turn", truncated: "max_tokens", refused: "refusal" }[ending] },
        usage: usage ? { output_tokens: usage[1] } : {},
      }),
      event("message_stop", {}),
    ];
  },
  gemini({ thinking, text, calls, ending, usage }) {
    const chunk = (parts, more) => sse({ candidates: [{ index: 0, content: { role: "model", parts }, ...more }] });
    return [
      ...pieces(thinking).map((text) => chunk([{ text, thought: true }])),
      ...pieces(text).map((text) => chunk([{ text }])),
      ...calls.map(({ id, name, args }) => chunk([{ functionCall: { id, name, args: JSON.parse(args) } }])),
      sse({
        candidates: [{ index: 0, finishReason: { done: "STOP", truncated: "MAX_TOKENS", refused: "SAFETY" }[ending] }],
        ...(usage ? { usageMetadata: { promptTokenCount: usage[0], candidatesTokenCount: usage[1] } } : {}),
      }),
    ];
  },
  ollama({ thinking, text, calls, ending, usage }) {
    const line = (value) => `${JSON.stringify(value)}\n`;
    return [
      ...pieces(thinking).map((thinking) => line({ message: { role: "assistant", content: "", thinking }, done: false })),
      ...pieces(text).map((content) => line({ message: { role: "assistant", content }, done: false })),
      ...calls.map(({ name, args }) => line({ message: { role: "assistant", content: "", tool_calls: [{ function: { name, arguments: JSON.parse(args) } }] }, done: false })),
      line({
        message: { role: "assistant", content: "" },
        done: true,
        done_reason: { done: "stop", truncated: "length" }[ending],
        ...(usage ? { prompt_eval_count: usage[0], eval_count: usage[1] } : {}),
      }),
    ];
  },
};

/** An error amid a stream, as each wire format writes it. */
const ERRORS = {
  chat: () => sse({ error: { code: 502, message: "Overloaded", type: "overloaded_error" } }),
  responses: () => sse({ type: "error", code: "server_error", message: "Overloaded" }, "error"),
  anthropic: () => sse({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error"),
  gemini: () => sse({ error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded" } }),
  ollama: () => `${JSON.stringify({ error: "model runner is overloaded" })}\n`,
};

/** The provider names that speak each wire format, one each. */
export const PROVIDERS = { chat: "openai", responses: "openai-responses", anthropic: "anthropic", gemini: "gemini", ollama: "ollama" };

/** The bytes of a whole reply. */
export function replyBytes(wire, { thinking = "", text = "", calls = [], ending = "done", usage } = {}) {
  return Buffer.from(WIRES[wire]({ thinking, text, calls, ending, usage }).join(""));
}

/**
 * Starts the server. `script(name, …)` says what happens at `url/name`:
 * `wire`, `reply` (what is said), `cut` (bytes), `errorAfter` (frames), `body` and `status` (instead of a reply),
 * `lineEnds`, `bom`, `slashes` (escaped), `never` (it does not end), `size` (bytes a piece), `pause` (ms between them), `headers`, `cors: false`, `models`,
 * `times` (how often the fault holds; afterwards all is well).
 */
export async function fakeProvider() {
  const scripts = new Map();
  const requests = [];
  const server = createServer(async (request, response) => {
    const [, name] = request.url.split("/");
    const script = scripts.get(name);
    let body = "";
    for await (const piece of request) body += piece;
    const cors = script?.cors === false ? {} : { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-allow-methods": "*" };
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    if (script === undefined) return void response.writeHead(404, cors).end("no such script");
    if (request.method === "GET") {
      const list = JSON.stringify({ data: (script.models ?? []).map((id) => ({ id })) });
      return void response.writeHead(200, { ...cors, "content-type": "application/json" }).end(list);
    }
    requests.push({ name, url: request.url, headers: request.headers, body: body === "" ? undefined : JSON.parse(body) });
    const { wire = "chat", size = 7 } = script;
    // A provider may say the key back wherever it likes.
    const key = (request.headers.authorization ?? request.headers["x-api-key"] ?? request.headers["x-goog-api-key"] ?? "").replace("Bearer ", "");
    script.count = (script.count ?? 0) + 1;
    const well = script.times !== undefined && script.count > script.times;
    const faults = well ? {} : script;
    const type = wire === "ollama" ? "application/x-ndjson" : "text/event-stream";
    if (faults.body !== undefined) {
      response.writeHead(faults.status ?? 200, { ...cors, "content-type": faults.type ?? "application/json", ...faults.headers });
      const text = typeof faults.body === "string" ? faults.body : JSON.stringify(faults.body);
      return void response.end(text.replaceAll("{key}", key));
    }
    if (faults.silent) return;
    // Said before it is cut into pieces, so that the key comes in several.
    const echo = (said) => JSON.parse(JSON.stringify(said ?? {}).replaceAll("{key}", key));
    const said = echo(typeof script.reply === "function" ? script.reply(JSON.parse(body)) : script.reply);
    const { thinking = "", text = "", calls = [], ending = "done", usage } = said ?? {};
    let frames = WIRES[wire]({ thinking, text, calls, ending, usage });
    if (faults.errorAfter !== undefined) frames = [...frames.slice(0, faults.errorAfter), ERRORS[wire]()];
    let all = frames.join("");
    // As some servers write JSON.
    if (faults.slashes) all = all.replaceAll("/", "\\/");
    if (faults.lineEnds === "cr") all = all.replaceAll("\n", "\r");
    if (faults.lineEnds === "crlf") all = all.replaceAll("\n", "\r\n");
    let bytes = Buffer.from(faults.bom ? `\ufeff${all}` : all);
    if (faults.cut !== undefined) bytes = bytes.subarray(0, faults.cut);
    response.writeHead(faults.status ?? 200, { ...cors, "content-type": faults.type ?? type, ...faults.headers });
    for (let at = 0; at < bytes.length; at += size) {
      if (response.destroyed) return;
      response.write(bytes.subarray(at, at + size));
      // So that the pieces come apart, without taking long.
      if (faults.pause) await new Promise((next) => setTimeout(next, faults.pause));
      else if (at % (size * 16) === 0) await new Promise((next) => setImmediate(next));
    }
    if (faults.reset) return void response.destroy();
    if (!faults.never) response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    requests,
    /** Says what happens at an address; gives settings that lead there. */
    script(name, script, settings = {}) {
      scripts.set(name, script);
      const provider = PROVIDERS[script.wire ?? "chat"];
      return { provider, endpoint: `${url}/${name}`, model: "fake-1", key: "sk-fake-0123456789abcdef", retry_floor_ms: 1, ...settings };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
